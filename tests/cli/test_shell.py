#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shell: scripts as they stream in, its own commands, and a person at a terminal (through a pty).

    test_shell.py DENDRO [CLASS...]   runs all, or these
    test_shell.py --list              the classes, one per line"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

import test_cli
from test_cli import Case

WEATHER = """\
CREATE TABLE weather (station VARCHAR NOT NULL, time TIMESTAMP NOT NULL, temperature DOUBLE,
    PRIMARY KEY ((station, QUANTUM(time, 1, 'd')), station, time));
INSERT INTO weather VALUES ('roof', 1000, 20.5), ('roof', 2000, 21), ('cellar', 1000, NULL);
"""


class Terminal:
    """A shell on a pty: lines are typed when the prompt has come."""

    def __init__(self, case, *args, env=None, size=(50, 120), prompt="dendro=> ", where=None, command=None):
        self.case = case
        self.main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        words = ["sql", where or case.dir, *args] if command is None else command
        self.shell = subprocess.Popen([test_cli.DENDRO, *words], stdin=side, stdout=side, stderr=side,
                                      env={**case.env, "TERM": "xterm", **(env or {})}, start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(side)
        self.shown = b""
        self.start = self.wait(prompt)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.shell.poll() is None:
            os.kill(self.shell.pid, signal.SIGKILL)
        self.shell.wait()
        os.close(self.main)

    def read(self):
        """More of what is shown; "" at the end."""
        ready, _, _ = select.select([self.main], [], [], 40)
        if not ready:
            self.case.fail("the shell says nothing more; so far: " + self.text())
        try:
            return os.read(self.main, 65536)
        except OSError:  # it has ended
            return b""

    def text(self):
        return self.shown.decode(errors="replace")

    def wait(self, word):
        """All that is shown up to the word."""
        end = time.monotonic() + 120
        while word.encode() not in self.shown:
            self.case.assertLess(time.monotonic(), end, f"{word!r} does not come; so far: " + self.text()[-2000:])
            more = self.read()
            self.case.assertTrue(more, f"the shell ended before {word!r}; it said: " + self.text())
            self.shown += more
        at = self.shown.index(word.encode()) + len(word.encode())
        part, self.shown = self.shown[:at], self.shown[at:]
        return part.decode(errors="replace").replace("\r\n", "\n")

    def type(self, keys):
        """Keys for the line editor: they wait until it has the terminal, which may be a moment after its prompt."""
        self.until_editing(True)
        self.press(keys)

    def until_editing(self, editing):
        """Waits until the line editor has the terminal, or has given it back."""
        end = time.monotonic() + 60
        while (termios.tcgetattr(self.main)[3] & termios.ICANON == 0) != editing:
            self.case.assertLess(time.monotonic(), end, "the line editor does not change; so far: " + self.text()[-2000:])
            time.sleep(0.005)

    def secret(self, keys):
        """Keys for a question whose answer is not shown: they wait until the terminal shows nothing."""
        end = time.monotonic() + 60
        while termios.tcgetattr(self.main)[3] & termios.ECHO:
            self.case.assertLess(time.monotonic(), end, "the terminal shows what is typed")
            time.sleep(0.005)
        self.press(keys)

    def press(self, keys):
        """Keys for whatever runs."""
        os.write(self.main, keys.encode())

    def throw_away(self):
        """Ctrl-C at the prompt."""
        self.type("\x03")
        self.wait("^C\r\n")
        self.wait("dendro=> ")

    def ask(self, line):
        """Types a line; returns all up to the next prompt."""
        self.type(line + "\n")
        return self.wait("dendro=> ")

    def leave(self, line="\\q"):
        """Types the last line; returns what came after it, and the exit code."""
        self.type(line if line == "\x04" else line + "\n")
        while True:
            more = self.read()
            if not more:
                return self.shell.wait(timeout=60), self.text()
            self.shown += more


class Scripts(Case):
    """Statements run as they come, not at the end of the script."""

    def pipe(self, *args):
        return subprocess.Popen([test_cli.DENDRO, "sql", self.dir, "--csv", "--no-header", *args], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)

    def test_each_line_at_once(self):
        with self.pipe() as shell:
            for i in range(3):
                shell.stdin.write(f"SELECT {i}, 'a;b';\n".encode())
                shell.stdin.flush()
                self.assertEqual(shell.stdout.readline(), f"{i},a;b\n".encode())
            shell.stdin.write(b"SELECT\n 4 AS x -- a; comment\n")
            shell.stdin.write(b"; \\echo not a command;\n")
            shell.stdin.flush()
            shell.stdin.write(b"SELECT 5")  # the end of the script ends it
            out, err = shell.communicate()
            self.assertEqual(out, b"4\n5\n")
            self.assertIn(b"ERROR", err)  # of the backslash within a line

    def test_long_script(self):
        """Longer than a memory limit would like: only a statement at a time is kept."""
        rows = "".join(f"INSERT INTO t VALUES ({i}, '{i};');\n" for i in range(2000))
        code, out, err = self.run_dendro("sql", self.dir, "-q", "--csv", "--no-header", stdin="CREATE TABLE t (k INT PRIMARY KEY, v "
                                         "VARCHAR);\nSET synchronous_commit = off;\n" + rows + "SELECT count(*), max(k) FROM t")
        self.assertEqual((code, out, err), (0, "2000,1999\n", ""))

    def test_one_long_statement(self):
        """Thousands of lines with semicolons in their texts are no reason to be slow."""
        rows = ",\n".join(f"({i}, 'x;\n')" for i in range(20000))
        begun = time.monotonic()
        code, out, err = self.run_dendro("sql", self.dir, "-q", "--csv", "--no-header", "-f", "-", stdin=
                                         "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR);\nINSERT INTO t VALUES " + rows +
                                         ";\nSELECT count(*), sum(length(v)) FROM t;\n")
        self.assertEqual((code, out, err), (0, "20000,60000\n", ""))
        self.assertLess(time.monotonic() - begun, 100)

    def test_commands_in_scripts(self):
        other = self.file("other.sql", "SELECT :n + 1;\n\\set n 5\n")
        script = self.file("s.sql", f"\\set n 1\nSELECT :n;\n\\i {other}\nSELECT :n, ':n', 2::INTEGER -- :n\n;\n"
                                    "SELECT '\n\\q\n' AS quoted;\nSELECT 7 \\q\n;\n\\q\nSELECT 8;\n")
        code, out, err = self.run_dendro("sql", "--csv", "--no-header", "-f", script)
        self.assertEqual((code, out), (0, '1\n2\n5,:n,2\n"\n\\q\n"\n'))
        self.assertIn(f"{script}:9: ERROR:  42601", err)

    def test_statement_before_a_command(self):
        self.expect(["sql", "--csv", "--no-header"], stdin="SELECT 1\n\\echo done\nSELECT 2\n", out="1\ndone\n2\n")

    def test_lines_of_errors(self):
        script = self.file("s.sql", "SELECT 1; SELECT 2;\n\n-- comment\nSELECT\n nosuch;\nSELECT 3; SELECT nosuch2;\n")
        _, out, err = self.run_dendro("sql", "--csv", "--no-header", "-f", script)
        self.assertEqual(out, "1\n2\n3\n")
        self.assertIn(f"{script}:5: ERROR:  42703", err)
        self.assertIn("LINE 5:  nosuch;\n", err)
        self.assertIn(f"{script}:6: ERROR:  42703", err)

    def test_variables(self):
        self.expect(["sql", "--csv", "--no-header", "-v", "x=it's", "-v", "t=my table", "--variable=n=3", "-c",
                     "CREATE TABLE :\"t\" (k INT PRIMARY KEY); INSERT INTO :\"t\" VALUES (:n); SELECT k, :'x', ':x', E'\\':x', "
                     "1::BIGINT FROM :\"t\""], out="3,it's,:x,':x,1\n")
        code, _, err = self.run_dendro("sql", "-c", "SELECT :nosuch")
        self.assertEqual(code, 1)
        self.assertIn("42601", err)
        self.expect(["sql", "-v", "a b=1"], code=1, err='dendro sql: -v wants NAME=VALUE, not "a b=1"\n')
        self.expect(["sql", "--csv"], stdin="\\set b 2\n\\set a 'one two'\n\\set\n\\unset b\n\\echo :a :b\n",
                    out="a = 'one two'\nb = '2'\none two :b\n")

    def test_stop_by_variable(self):
        code, out, _ = self.run_dendro("sql", "--csv", stdin="\\set ON_ERROR_STOP on\nSELECT 1/0;\nSELECT 1;\n")
        self.assertEqual((code, out), (3, ""))
        code, out, _ = self.run_dendro("sql", "--csv", "-v", "ON_ERROR_STOP", stdin="\\nosuch\nSELECT 1;\n")
        self.assertEqual((code, out), (3, ""))

    def test_scripts_that_call_themselves(self):
        script = os.path.join(self.base, "self.sql")
        self.file("self.sql", f"\\i {script}\n")
        code, _, err = self.run_dendro("sql", "-f", script)
        self.assertEqual(code, 0)
        self.assertIn("nested too deep", err)
        code, _, err = self.run_dendro("sql", "-v", "ON_ERROR_STOP=1", "-f", script)
        self.assertEqual(code, 3)

    def test_interrupt(self):
        """Ctrl-C ends a script: while it waits for more, and in the middle of a statement."""
        with self.pipe() as shell:
            shell.stdin.write(b"SELECT 1;\n")
            shell.stdin.flush()
            self.assertEqual(shell.stdout.readline(), b"1\n")
            time.sleep(0.3)
            shell.send_signal(signal.SIGINT)
            self.assertEqual((shell.wait(timeout=60), shell.stderr.read()), (3, b"interrupted\n"))
        rows = ",".join(f"({i})" for i in range(3000))
        script = self.file("s.sql", f"CREATE TABLE t (k INT PRIMARY KEY);\nINSERT INTO t VALUES {rows};\n\\echo now\n"
                                    "SELECT count(*) FROM t a, t b, t c, t d;\nSELECT 5;\n")
        with self.pipe("-f", script) as shell:
            self.assertEqual(shell.stdout.readline(), b"now\n")
            time.sleep(0.3)
            shell.send_signal(signal.SIGINT)
            out, err = shell.communicate(timeout=60)
        self.assertEqual((shell.returncode, out), (3, b""))
        self.assertRegex(err, b"57014|interrupted")  # the latter if the statement had not begun

    def test_unreadable(self):
        code, _, err = self.run_dendro("sql", "-f", self.base)
        self.assertEqual(code, 1)
        self.assertIn("cannot read " + self.base, err)
        code, out, err = self.run_dendro("sql", "--csv", stdin="\\i /nosuch/file\nSELECT 1 AS a;\n")
        self.assertEqual((code, out), (0, "a\n1\n"))
        self.assertIn("cannot open /nosuch/file", err)


class Commands(Case):
    """Every command, in a script: what it prints, and what it says when it is used wrongly."""
    WHERE = "In this process: the directory {dir}\n"

    def shell(self, text, *args):
        code, out, err = self.run_dendro("sql", self.dir, "-q", *args, stdin=text)
        self.assertEqual(code, 0)
        return out, err

    def setUp(self):
        super().setUp()
        self.sql(WEATHER)

    def test_looking(self):
        out, err = self.shell("\\d weather\n")
        self.assertEqual((out, err), self.shell("DESCRIBE weather;"))
        self.assertIn("|station    |", out)
        tables = self.shell("SHOW TABLES;")
        for word in ("\\d", "\\dt"):
            self.assertEqual(self.shell(word + "\n"), tables)
        for word in ("\\dn", "\\l"):
            self.assertEqual(self.shell(word + "\n"), self.shell("SHOW SCHEMAS;"))
        self.assertEqual(self.shell("\\sf weather\n"), self.shell("SHOW CREATE TABLE weather;"))
        out, _ = self.shell("\\df bucket\n")
        self.assertRegex(out, r"(?m)^time_bucket: .+\n    time_bucket\(INTERVAL, TIMESTAMP\) → TIMESTAMP$")
        self.assertNotIn("abs(", out)
        self.assertIn("|dendro|true     |true |true         |NULL     |\n", self.shell("\\du\n")[0])
        self.assertIn("|public|warm|dendro|\n", self.shell("CREATE VIEW warm AS SELECT 1 AS a;\n\\dv\n")[0])
        self.assertIn("\npublic,weather_pkey,weather,\"CREATE UNIQUE INDEX ", self.shell("\\di\n", "--csv")[0])
        out, _ = self.shell("\\conninfo\n")
        self.assertIn(self.WHERE.format(dir=self.dir), out)
        self.assertIn("|dendro  |dendro|", out)
        for line, wrong in (("\\d nosuch", 'ERROR:  42P01'), ("\\sf", "which table? \\sf TABLE"), ("\\sf nosuch", "42P01")):
            self.assertIn(wrong, self.shell(line + "\n")[1])

    def test_help(self):
        out, _ = self.shell("\\?\n")
        for word in ("\\d ", "\\dt ", "\\timing ", "\\x ", "\\i ", "\\o ", "\\copy ", "\\watch ", "\\? ", "\\plot ", "\\h ", "\\e ",
                     "\\g ", "\\gx ", "\\set ", "\\pset ", ".tables", ".mode", ".schema", ".timer", ".help", ".read", ".quit"):
            self.assertIn(word, out)
        out, _ = self.shell("\\h\n")
        self.assertRegex(out, r"  CREATE TABLE +CREATE ")
        self.assertIn("  DROP VIEW", self.shell("\\h drop\n")[0])
        out, _ = self.shell("\\h show partitions;\n")
        self.assertEqual(out, "SHOW PARTITIONS table           where its rows live\n"
                              "for example: SHOW PARTITIONS GeoCheckin;\nmore: docs/sql/show.md\n")
        self.assertIn("time_bucket: The start of the bucket", self.shell("\\h time_bucket\n")[0])
        out, _ = self.shell("\\h create t\n")
        self.assertIn("QUANTUM(time, 1, 'd')", out)
        self.assertIn('no help for "frob"', self.shell("\\h frob\n")[1])

    def test_formats(self):
        for word in ("\\format csv", "\\pset format csv"):
            self.assertEqual(self.shell(word + "\nSELECT 1 AS a;\n"), ("a\n1\n", ""))
        self.assertEqual(self.shell("\\pset format aligned\nSELECT 1 AS a;\n")[0], "+-+\n|a|\n+-+\n|1|\n+-+\n")
        out, err = self.shell("\\format xml\n")
        self.assertIn('"xml" is no format; there are:\n  table ', err)
        self.assertIn("\\pset knows format, expanded, fit, pager and rows, not \"border\"", self.shell("\\pset border 2\n")[1])

    def test_expanded(self):
        upright = "-[ row 1 ]-\na   | 1\nbcd | x\n"
        flat = "+-+---+\n|a|bcd|\n+-+---+\n|1|x  |\n+-+---+\n"
        query = "SELECT 1 AS a, 'x' AS bcd;\n"
        self.assertEqual(self.shell("\\x\n" + query + "\\x\n" + query)[0], upright + flat)
        self.assertEqual(self.shell("\\x on\n" + query + "\\x off\n" + query)[0], upright + flat)
        self.assertEqual(self.shell("\\pset expanded on\n" + query)[0], upright)
        self.assertEqual(self.shell("\\x auto\n" + query)[0], flat)
        wide = f"SELECT 1 AS a, '{'x' * 100}' AS bcd;\n"
        self.assertEqual(self.shell("\\x auto\n" + wide)[0], "-[ row 1 ]-\na   | 1\nbcd | " + "x" * 100 + "\n")
        self.assertIn("\\x wants on or off", self.shell("\\x maybe\n")[1])

    def test_timing(self):
        out, _ = self.shell("\\timing on\nSELECT 1 AS a;\n\\timing off\nSELECT 2 AS a;\n", "--csv")
        self.assertRegex(out, r"^a\n1\nTime: [0-9.]+ ms\na\n2\n$")
        out, _ = self.shell("\\timing\nSELECT 1/0;\nSELECT 1 AS a;\n", "--csv")
        self.assertEqual(out.count("Time:"), 1)
        self.assertIn("\\timing wants on or off", self.shell("\\timing 5\n")[1])

    def test_output(self):
        path = os.path.join(self.base, "out")
        out, err = self.shell(f"\\o {path}\nSELECT 1 AS a;\n\\o\nSELECT 2 AS a;\n", "--csv")
        self.assertEqual((out, err), ("a\n2\n", ""))
        self.assertEqual(self.text(path), "a\n1\n")
        out, err = self.shell("\\o /nosuch/dir/x\nSELECT 2 AS a;\n", "--csv")
        self.assertEqual(out, "a\n2\n")
        self.assertIn("cannot write /nosuch/dir/x: No such file or directory", err)

    def text(self, path):
        with open(path, encoding="utf-8") as f:
            return f.read()

    def test_again(self):
        path = os.path.join(self.base, "out")
        out, err = self.shell(f"SELECT 1 AS a;\n\\d weather\n\\g\n\\gx\n\\g {path}\nSELECT 3 AS a;\n\\g /nosuch/dir/x\n", "--csv")
        self.assertTrue(out.startswith("a\n1\n"))
        self.assertTrue(out.endswith("a\n1\n-[ row 1 ]-\na | 1\na\n3\n"), out)
        self.assertEqual(self.text(path), "a\n1\n")
        self.assertIn("cannot write /nosuch/dir/x", err)
        self.assertIn("no statement to run again yet", self.shell("\\g\n")[1])
        self.assertIn("no query to watch yet", self.shell("\\watch\n")[1])
        self.assertIn("\\watch wants seconds", self.shell("SELECT 1;\n\\watch x\n")[1])
        self.assertIn("22012", self.shell("SELECT 1/0;\n\\watch 0.01\n")[1])  # an error ends it

    def test_edit(self):
        editor = self.file("editor", "#!/bin/sh\nsed -i 's/1/41 + 1/' \"$1\"\n")
        os.chmod(editor, 0o755)
        env = {**self.env, "EDITOR": editor, "TMPDIR": self.base}
        env.pop("VISUAL", None)
        before = sorted(os.listdir(self.base))
        code, out, err = self.run_dendro("sql", self.dir, "--csv", stdin="SELECT 1 AS a;\n\\e\n", env=env)
        self.assertEqual((code, out, err), (0, "a\n1\na\n42\n", ""))
        self.assertEqual(sorted(os.listdir(self.base)), before)
        _, _, err = self.run_dendro("sql", self.dir, stdin="\\e\n", env={**env, "EDITOR": "false"})
        self.assertIn("the editor failed: false", err)

    def test_copy(self):
        path = os.path.join(self.base, "w.csv")
        out, err = self.shell(f"\\copy weather to {path}\n\\copy (SELECT count(*) AS n FROM weather) to '{path}2'\n"
                              f"TRUNCATE TABLE weather;\n\\copy weather from {path}\nSELECT count(*), count(temperature) AS n "
                              "FROM weather;\n", "--csv")
        self.assertEqual((out, err), ("count(*),n\n3,2\n", ""))
        self.assertEqual(self.text(path + "2"), "n\n3\n")
        out, err = self.run_dendro("sql", self.dir, stdin=f"\\copy weather from {path}\n")[1:]
        self.assertEqual((out, err), ("COPY 3\n", ""))
        for line, wrong in ((f"\\copy nosuch from {path}", "42P01"), ("\\copy", "copy what?"),
                            ("\\copy weather from /nosuch/file", "cannot open file \"/nosuch/file\""),
                            ("\\copy weather to /nosuch/dir/file", "cannot create file \"/nosuch/dir/file\""),
                            (f"\\copy weather from {self.base}", "Is a directory"),
                            (f"\\copy weather from {path} with (frob 1)", "COPY has no option \"frob\""),
                            ("\\copy weather", "42601")):
            out, err = self.shell(line + "\n")
            self.assertIn(wrong, err)
            self.assertEqual(out, "")
        bad = self.file("bad.csv", "station,time,temperature\nroof,1970-01-02,1\nroof,someday,2\n")
        _, err = self.shell(f"\\copy weather from {bad}\n")
        self.assertIn('line 3, column "time"', err)
        self.assertIn("bad.csv", err)

    def test_plot(self):
        out, err = self.shell("\\plot SELECT time, temperature FROM weather WHERE station = 'roof'\n")
        self.assertEqual(err, "")
        self.assertIn("21", out)
        self.assertIn("20.5", out)
        out, _ = self.shell("\\plot SELECT TIMESTAMP '2024-05-06' + n * INTERVAL '1 hour', n, 48 - n AS down FROM generate_series(0, 48) n\n")
        self.assertIn("            2024-05-06 00:00:00 to 2024-05-08 00:00:00   ● n   ○ down\n", out)
        self.assertRegex(out, r"(?m)^        48 \|○+ +●+$")
        self.assertRegex(out, r"(?m)^         0 \|●+ +○+$")
        self.assertRegex(out, r"\n           \+\+-+\+-+\+-+\+-+\+\n            05-06 00:00 +05-06 12:00 +05-07 00:00 +05-07 12:00 +05-08 00:00\n")
        out, _ = self.shell("\\plot SELECT n, 'series ' || n % 9, n FROM generate_series(0, 8) n\n")
        self.assertIn("● series 0   ○ series 1 ", out)
        self.assertIn("1 values of more than 8 series are not drawn\n", out)
        self.assertIn("42601", self.shell("\\plot SELECT 1\n")[1])
        self.assertEqual(self.shell("\\plot SELECT 1, NULL::DOUBLE\n")[0], "(nothing to plot)\n")
        self.assertIn("plot what?", self.shell("\\plot\n")[1])
        self.assertIn("42P01", self.shell("\\plot SELECT a, b FROM nosuch\n")[1])

    def test_unknown(self):
        self.assertEqual(self.shell("\\frob\n"), ("", 'unknown command "\\frob"; \\? lists them\n'))


class Interactive(Case):
    """A person at a terminal."""

    def test_statement_and_quit(self):
        with Terminal(self) as t:
            out = t.ask("SELECT 40 + 2 AS answer;")
            self.assertIn("|answer |\n|INTEGER|\n", out)  # types in the header
            self.assertIn("|     42|\n", out)
            self.assertIn("(1 row)", out)
            t.type("SELECT 1\n")
            t.wait("dendro-> ")
            self.assertIn("(1 row)", t.ask(";"))
            self.assertEqual(t.leave()[0], 0)
        for word in ("\x04", "exit", "quit;", ".quit", ".exit"):
            with Terminal(self) as t:
                self.assertEqual(t.leave(word)[0], 0)

    def test_dot_forms(self):
        self.sql(WEATHER)
        with Terminal(self) as t:
            self.assertIn("|weather|Active |", t.ask(".tables"))
            self.assertIn("PRIMARY KEY", t.ask(".schema weather"))
            self.assertIn("Timing is on.", t.ask(".timer on"))
            self.assertIn("Time:", t.ask("SELECT 1;"))
            self.assertIn("Timing is off.", t.ask(".timer"))
            t.ask(".mode csv")
            self.assertIn("\na\n5\n", t.ask("SELECT 5 AS a;"))
            t.ask(".mode table")
            self.assertIn("\\watch", t.ask(".help"))
            self.assertIn("hello", t.ask(".print hello"))
            path = self.file("s.sql", "SELECT 'from a script' AS a;\n")
            self.assertIn("|from a script|", t.ask(".read " + path))
            t.ask(".output " + path)
            t.ask("SELECT 7 AS a;")
            t.ask(".output")
            with open(path, encoding="utf-8") as f:
                self.assertIn("|      7|", f.read())
            self.assertIn("Expanded display is on.", t.ask("\\x"))
            self.assertIn('unknown command ".frob"', t.ask(".frob"))

    def test_interrupt_at_the_prompt(self):
        """Ctrl-C throws away what was typed, and nothing else."""
        with Terminal(self) as t:
            t.type("SELECT 1,\n")
            t.wait("dendro-> ")
            t.type("nonsense")
            t.wait("nonsense")
            t.throw_away()
            self.assertIn("|      3|\n", t.ask("SELECT 3 AS a;"))
            t.type("garbage")
            t.wait("garbage")
            t.throw_away()
            out = t.ask("SELECT 4 AS a;")
            self.assertIn("|      4|\n", out)
            self.assertNotIn("ERROR", out)
            self.assertEqual(t.leave()[0], 0)

    def test_interrupt_of_a_statement(self):
        """Ctrl-C ends the statement; session and data stay."""
        rows = ",".join(f"({i})" for i in range(3000))
        self.sql(f"CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES {rows};")
        with Terminal(self) as t:
            t.ask("SET max_subqueries = 7;")
            begun = time.monotonic()
            t.type("SELECT 1; SELECT count(*) FROM t a, t b, t c, t d;\n")
            t.wait("(1 row)")  # of the first: the line is no longer edited
            t.press("\x03")
            out = t.wait("dendro=> ")
            self.assertIn("57014", out)
            self.assertLess(time.monotonic() - begun, 60)
            self.assertIn("|7 ", t.ask("SHOW max_subqueries;"))
            self.assertIn("|  3000|", t.ask("SELECT count(*) AS n FROM t;"))
            t.ask("SELECT 5 AS a;")
            t.type("\\watch 0.05\n")
            for _ in range(3):
                t.wait("  5|")
            t.press("\x03")
            t.wait("dendro=> ")
            self.assertEqual(t.leave()[0], 0)

    def test_completion(self):
        self.sql(WEATHER + "CREATE TABLE other (otherkey INT PRIMARY KEY);")
        with Terminal(self) as t:
            for typed, found in (("SELE\t", "SELECT"), ("sele\t", "select"),
                                 ("SELECT * FROM wea\t;", "FROM weather"), ("DESCRIBE oth\t;", "DESCRIBE other"),
                                 ("SELECT time_buc\t", "time_bucket"), ("UPDATE weather SET tempe\t", "SET temperature"),
                                 ("SELECT * FROM weather WHERE statio\t", "WHERE station"), ("\\tim\t on", "\\timing"),
                                 ("SHOW max_sub\t;", "SHOW max_subqueries"), ("SET sync\t = on;", "SET synchronous_commit"),
                                 ("\\h CREATE TA\t", "CREATE TABLE"), ("\\format mark\t", "markdown"),
                                 ("SELECT * FROM\n weather\nWHERE tempe\t", "WHERE temperature"),
                                 ("SELECT * FROM other JOIN weather ON tempe\t", "ON temperature"), ("TRUNCA\t", "TRUNCATE"), ("INTERV\t", "INTERVAL")):
                t.type(typed)
                shown = ""
                while found not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x07\x08\r]", "", shown):
                    if not select.select([t.main], [], [], 20)[0]:
                        self.fail(f"{typed!r} shows {shown!r}, not {found!r}")
                    shown += t.read().decode(errors="replace")
                t.throw_away()
            path = self.file("a_rather_long_name.sql", "SELECT 'found it' AS a;\n")
            self.assertIn("|found it|", t.ask("\\i " + path[:-12] + "\t"))

    def test_history(self):
        with Terminal(self) as t:
            for line in ("SELECT 1;", "SELECT 2;", "SELECT 1;", "SELECT 1;", "\\x off"):
                t.ask(line)
            t.type("SELECT\n")
            t.wait("dendro-> ")
            t.ask("33;")
            t.leave()
        with open(os.path.join(self.base, ".dendro_history"), encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(text.count("SELECT\\0401;") + text.count("SELECT 1;"), 1, text)
        self.assertLess(text.index("2;"), text.index("1;"))  # moved to the end
        self.assertEqual(os.stat(os.path.join(self.base, ".dendro_history")).st_mode & 0o777, 0o600)
        with Terminal(self) as t:
            t.type("\x10\x10\x10\x10\n")  # Ctrl-P: before \\q, SELECT 33 and \\x
            self.assertRegex(t.wait("dendro=> "), r"\| +1\|")
            t.type("\x12SELECT 2")  # Ctrl-R
            t.wait("2;")
            t.type("\n")
            self.assertRegex(t.wait("dendro=> "), r"\| +2\|")

    def test_rc(self):
        with open(os.path.join(self.base, ".dendrorc"), "w", encoding="utf-8") as f:
            f.write("\\timing on\n\\set who world\nSELECT 'from rc' AS a;\n\\nosuch\n")
        with Terminal(self) as t:
            self.assertIn("|from rc|", t.start)
            self.assertIn('unknown command "\\nosuch"', t.start)
            out = t.ask("SELECT :'who' AS a;")
            self.assertIn("|world  |", out)
            self.assertIn("Time:", out)
            self.assertEqual(t.leave()[0], 0)
        with Terminal(self, "-X") as t:
            self.assertNotIn("from rc", t.start)
        self.expect(["sql", self.dir, "--csv"], stdin="SELECT 1 AS a;", out="a\n1\n")  # not for scripts

    def test_color_of_errors(self):
        with Terminal(self) as t:
            self.assertIn("\033[1;31mERROR:\033[0m  22012", t.ask("SELECT 1/0;"))
        with Terminal(self, env={"NO_COLOR": "1"}) as t:
            out = t.ask("SELECT 1/0;")
            self.assertIn("ERROR:  22012", out)
            self.assertNotIn("\033[1;31m", out)

    def test_tables_fit_the_window(self):
        """Texts are cut, numbers and times never: a table that is still too wide stands upright."""
        long = "x" * 300
        texts = "repeat('x', 300) AS a"
        with Terminal(self, size=(50, 60)) as t:
            out = t.ask(f"SELECT 12345678901 AS n, {texts}, 'short' AS b;")
            rows = [line for line in out.split("\n") if line[:1] in ("|", "+")]
            self.assertEqual({len(line) for line in rows}, {60}, out)
            self.assertRegex(rows[4], r"^\|12345678901\|x+…\|short  \|$")
            out = t.ask("SELECT repeat(chr(28450), 50) AS a;")  # a character of two columns
            self.assertIn("|" + chr(28450) * 28 + "…", out)
            out = t.ask("SELECT " + ", ".join(f"{n}234567890 AS column_{n}" for n in range(1, 8)) + ";")
            self.assertIn("-[ row 1 ]-\n", out)
            self.assertIn("column_7 | 7234567890\n", out)
            self.assertIn("Fitting tables to the window is off.", t.ask("\\pset fit off"))
            self.assertIn(long, t.ask(f"SELECT {texts};"))
            t.ask("\\pset fit on")
            self.assertIn("x…|", t.ask(f"SELECT {texts};"))
            path = os.path.join(self.base, "whole.txt")
            t.ask("\\o " + path)
            t.ask(f"SELECT {texts};")
            t.ask("\\o")
            with open(path, encoding="utf-8") as f:
                self.assertIn(long, f.read())  # files are not cut

    def test_plot_in_colors(self):
        with Terminal(self) as t:
            out = t.ask("\\plot SELECT n, n, 3 - n AS down FROM generate_series(0, 3) n")
            self.assertIn("\x1b[36m⠿\x1b[0m n   \x1b[33m⠿\x1b[0m down", out)

    def test_rows_shown(self):
        with Terminal(self, env={"PAGER": "cat"}) as t:
            out = t.ask("SELECT n FROM generate_series(1, 2500) AS n;")
            self.assertIn("|   1000|\n+-------+\n… 1500 more; \\pset rows all shows them\n(2500 rows)\n", out)
            self.assertNotIn("|   1001|", out)
            self.assertIn("The number of rows shown is 2.", t.ask("\\pset rows 2"))
            self.assertIn("… 1 more;", t.ask("SELECT n FROM generate_series(1, 3) AS n;"))
            self.assertIn("(2 rows)", t.ask("SELECT n FROM generate_series(1, 2) AS n;"))
            t.ask("\\pset rows all")
            self.assertIn("|   2500|\n", t.ask("SELECT n FROM generate_series(1, 2500) AS n;"))
            for wrong in ("none", "0", "-3", "5x"):
                self.assertIn(f'wants a number from 1 on, or all, not "{wrong}"', t.ask("\\pset rows " + wrong))
        self.assertIn("|2500|\n", self.sql("SELECT n FROM generate_series(1, 2500) AS n;"))  # scripts get all

    def test_columns_come_first(self):
        """Tab offers columns of the tables in the line; once more, all that may stand there."""
        self.sql(WEATHER)
        with Terminal(self) as t:
            t.type("SELECT * FROM weather WHERE \t\t")
            first = t.wait("time")
            t.press("\t")
            t.wait("possibilities? (y or n)")
            t.press("n")
            self.assertNotIn("possibilities", first)
            t.throw_away()

    def test_alone(self):
        """`dendro` without words is the shell, with a database that is gone afterwards."""
        with Terminal(self, command=[]) as t:
            self.assertIn("/dendro-", t.start)
            self.assertIn("|      3|", t.ask("SELECT 3 AS a;"))
            self.assertEqual(t.leave()[0], 0)

    def test_pager(self):
        """Only for what is taller than the screen; a pager that leaves early takes nobody along."""
        rows = ",".join(f"({i})" for i in range(100))
        self.sql(f"CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES {rows};")
        with Terminal(self, env={"PAGER": "sed s/^/PAGED/"}, size=(20, 80)) as t:
            self.assertEqual(t.ask("SELECT k FROM t;").count("PAGED"), 105)
            self.assertNotIn("PAGED", t.ask("SELECT k FROM t LIMIT 5;"))
            self.assertIn("The pager is off.", t.ask("\\pset pager off"))
            self.assertNotIn("PAGED", t.ask("SELECT k FROM t;"))
            path = os.path.join(self.base, "out")
            t.ask("\\pset pager on")
            self.assertNotIn("PAGED", t.ask("\\g " + path))
        with Terminal(self, env={"PAGER": "head -2"}, size=(20, 80)) as t:
            t.ask("SELECT k, repeat('x', 3000) AS v FROM t;")
            self.assertIn("|      1|", t.ask("SELECT 1 AS a;"))
            self.assertEqual(t.leave()[0], 0)
        with Terminal(self, env={"PAGER": "/nosuch/pager"}, size=(20, 80)) as t:
            t.ask("SELECT k FROM t;")
            self.assertIn("|      1|", t.ask("SELECT 1 AS a;"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        print("\n".join(c.__name__ for c in Case.__subclasses__() if c.__module__ == __name__))
        sys.exit(0)
    test_cli.DENDRO = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)

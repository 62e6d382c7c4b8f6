#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shell as a client: what it does with a database of its own it does with a server's, too. The tests of the
shell run again, each with a fresh server, and then what only a client can meet: passwords, lost servers.

    test_remote.py DENDRO [CLASS...]   runs all, or these
    test_remote.py --list              the classes, one per line"""
import os
import resource
import socket
import subprocess
import sys
import threading
import time
import unittest

for part in ("wire", "diff"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", part))
import pg
import test_cli
import test_shell
import wirelib
from test_cli import Case
from test_shell import Terminal


class Remote:
    """self.dir is the address of a server."""

    shared = False  # one server for all tests of the class, which use the table weather alone

    @classmethod
    def setUpClass(cls):
        wirelib.PROGRAM = test_cli.DENDRO
        cls.common = wirelib.Server() if cls.shared else None

    @classmethod
    def tearDownClass(cls):
        if cls.common:
            cls.end(cls.common)

    @staticmethod
    def end(server):
        try:
            if server.process.poll() is None:
                server.stop()
        finally:
            server.remove()

    def setUp(self):
        self.server = self.common or wirelib.Server()
        super().setUp()

    def tearDown(self):
        try:
            if self.common:
                self.sql("DROP TABLE weather;")
            else:
                self.end(self.server)
        finally:
            super().tearDown()

    @property
    def dir(self):
        return f"postgres://dendro@127.0.0.1:{self.server.port}/dendro"

    @dir.setter
    def dir(self, value):
        for name in [k for k in os.environ if k.startswith("PG")]:
            del os.environ[name]

    def run_dendro(self, *args, **kwargs):
        if args[0] == "sql" and self.dir not in args:
            args = ("sql", self.dir, *args[1:])
        return super().run_dendro(*args, **kwargs)


class RemoteExitCodes(Remote, Case):
    """The same as psql's, for the same arguments on the same server, but for a -c that failed before the last one."""

    def test_as_psql(self):
        bad = self.file("bad.sql", "SELECT 1 / 0;\nSELECT 1;\n")
        good = self.file("good.sql", "SELECT 1;\n")
        stop = ["-v", "ON_ERROR_STOP=1"]
        one, zero = ["-c", "SELECT 1"], ["-c", "SELECT 1 / 0"]
        for args in (zero + one, zero + ["-f", good]):
            self.assertEqual(self.run_dendro("sql", *args)[0], 1)
        for args in (one, zero, one + zero, stop + zero + one, stop + one + zero, ["-f", bad], stop + ["-f", bad],
                     ["-f", bad] + one, stop + ["-f", bad] + one, zero + ["-f", self.base + "/nosuch"],
                     ["-f", self.base], ["-c", "SELECT 1 / 0; SELECT 1"], ["-c", "\\nosuch"], ["--nosuch"], ["-c"],
                     one + ["-o", "/nosuch/x"]):
            want = subprocess.run(["psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "dendro", "-d", "dendro",
                                   *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
            with self.subTest(args):
                self.assertEqual(self.run_dendro("sql", *args)[0], want)

    def test_create_that_fails(self):
        code, out, err = self.run_dendro("import", "--create", self.dir, "fresh", "-",
                                         stdin="a,b\n" + "".join(f"{i},{i}\n" for i in range(150000)) + "x,1\n")
        self.assertEqual(code, 1, out + err)
        self.assertIn("CREATE TABLE fresh", out)
        self.assertEqual(self.run_dendro("sql", "--csv", "-c", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")[1], "count\n0\n")


class RemoteScripts(Remote, test_shell.Scripts):
    pass


class RemoteCommands(Remote, test_shell.Commands):
    shared = True
    WHERE = "Connected to dendro at 127.0.0.1:"

    def test_copy(self):
        path = os.path.join(self.base, "w.csv")
        out, err = self.shell(f"\\copy weather to {path}\n\\copy (SELECT count(*) AS n FROM weather) to '{path}2'\n"
                              f"TRUNCATE TABLE weather;\n\\copy weather from {path}\nSELECT count(*), count(temperature) AS n "
                              "FROM weather;\n", "--csv")
        self.assertEqual((out, err), ("count,n\n3,2\n", ""))
        self.assertEqual(self.text(path + "2"), "n\n3\n")
        self.assertTrue(self.text(path).startswith("station,time,temperature\n"))
        code, out, err = self.run_dendro("sql", stdin=f"\\copy weather from {path}\n\\copy weather to {path}3 (format text)\n"
                                         f"\\copy weather to '{path}''4' with (delimiter ';')\n\\copy weather to {path}5 csv\n"
                                         f"\\copy weather to {path}6 (FORMAT binary)\n\\copy weather from {path}6 (FORMAT binary)\n"
                                         f"\\copy weather from {path}5 csv\n\\copy weather from {path}3 (format text)\n")
        self.assertEqual((code, out, err), (0, 8 * "COPY 3\n", ""))
        self.assertIn("roof\t1970-01-01 00:00:01+00\t20.5\n", self.text(path + "3"))
        self.assertTrue(self.text(path + "'4").startswith("station;time;temperature\n"))
        self.assertIn("\nroof,1970-01-01 00:00:01+00,20.5\n", "\n" + self.text(path + "5"))
        plain = self.file("plain.csv", "attic,1970-01-01 00:00:05,1\nattic,1970-01-01 00:00:06,\n")
        self.assertEqual(self.run_dendro("sql", stdin=f"\\copy weather from {plain}\n")[1:], ("COPY 2\n", ""))
        turned = self.file("turned.csv", "time,station,temperature\n1970-01-01 00:00:05,attic,1\n")
        for line, wrong in ((f"\\copy nosuch from {path}", "42P01"), ("\\copy", "copy what?"),
                            ("\\copy weather from /nosuch/file", "cannot open file \"/nosuch/file\": No such file"),
                            ("\\copy weather to /nosuch/dir/file", "cannot create file \"/nosuch/dir/file\""),
                            (f"\\copy weather from {self.base}", "Is a directory"),
                            (f"\\copy weather from {turned}", "ERROR"),
                            (f"\\copy weather from {path} with (frob 1)", "frob"), ("\\copy weather", "42601")):
            out, err = self.shell(line + "\n")
            self.assertIn(wrong, err)
            self.assertEqual(out, "")
        bad = self.file("bad.csv", "station,time,temperature\nroof,1970-01-02,1\nroof,someday,2\n")
        _, err = self.shell(f"\\copy weather from {bad}\nSELECT count(*) AS n FROM weather;\n", "--csv")
        self.assertRegex(err, "^ERROR:  22")
        self.assertIn("someday", err)


class Door:
    """A port that stays the same while servers behind it come and go."""

    def __init__(self, port):
        self.behind = port
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                outside, _ = self.socket.accept()
            except OSError:
                return
            try:
                inside = socket.create_connection(("127.0.0.1", self.behind))
            except OSError:
                outside.close()
                continue
            for pair in ((outside, inside), (inside, outside)):
                threading.Thread(target=self.carry, args=pair, daemon=True).start()

    @staticmethod
    def carry(from_, to):
        try:
            while data := from_.recv(65536):
                to.sendall(data)
        except OSError:
            pass
        for end in (from_, to):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        from_.close()


class RemoteInteractive(Remote, test_shell.Interactive):
    def test_transactions_in_the_prompt(self):
        with Terminal(self) as t:
            self.assertIn(f"database dendro at 127.0.0.1:{self.server.port}, server 15.0 (Dendro", t.start)
            t.type("BEGIN;\n")
            t.wait("dendro=*> ")
            t.type("SELECT 1/0;\n")
            t.wait("22012")
            t.wait("dendro=!> ")
            t.type("ROLLBACK;\n")
            t.wait("dendro=> ")
            self.assertEqual(t.leave()[0], 0)

    def test_server_restarts(self):
        """The statement fails, the next one finds the server again."""
        door = Door(self.server.port)
        with Terminal(self, where=f"postgres://dendro@127.0.0.1:{door.port}/dendro") as t:
            t.ask("CREATE TABLE t (k INT PRIMARY KEY);")
            self.server.kill()
            t.type("SELECT 1 AS a;\n")
            t.wait("08006")
            t.wait("dendro=?> ")
            t.type("SELECT 2 AS a;\n")
            t.wait("08001")
            t.wait("dendro=?> ")
            self.server.start()
            door.behind = self.server.port
            t.type("SELECT count(*) AS n FROM t;\n")
            t.wait("connected again")
            t.wait("|     0|")
            t.wait("dendro=> ")
            self.assertEqual(t.leave()[0], 0)
        door.socket.close()


class RemoteConnection(Remote, Case):
    def test_addresses(self):
        port = str(self.server.port)
        query = ["--csv", "--no-header", "-c", "SELECT current_user, current_database()"]
        for where, env in ((f"postgresql://dendro@127.0.0.1:{port}/dendro?sslmode=disable", {}),
                           (f"postgres://localhost:{port}", {"PGUSER": "dendro", "PGDATABASE": "dendro"}),
                           ("postgres://", {"PGHOST": "127.0.0.1", "PGPORT": port, "PGUSER": "dendro"}),
                           (f"host=127.0.0.1 port={port} user=dendro", {})):
            with self.subTest(where):
                done = subprocess.run([test_cli.DENDRO, "sql", where, *query], env={**self.env, **env}, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "dendro,dendro\n", ""))
        self.assertFalse(os.path.exists("postgres:"))

    def test_no_server(self):
        done = subprocess.run([test_cli.DENDRO, "sql", "postgres://dendro@127.0.0.1:1/dendro", "-c", "SELECT 1"], env=self.env,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Connection refused", done.stderr)
        done = subprocess.run([test_cli.DENDRO, "sql", "postgres://dendro@127.0.0.1:1/dendro?nosuch=1", "-c", "SELECT 1"],
                              env=self.env, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('"nosuch"', done.stderr)

    def test_passwords(self):
        self.sql("ALTER USER dendro PASSWORD 'open sesame';")
        url = self.dir
        query = ["-c", "SELECT 7 AS a", "--csv"]

        def run(where, **env):
            done = subprocess.run([test_cli.DENDRO, "sql", where, *query], env={**self.env, **env}, capture_output=True,
                                  text=True, start_new_session=True)  # no terminal to ask at
            return done.returncode, done.stdout

        self.assertEqual(run(url), (2, ""))
        self.assertEqual(run(url.replace("dendro@", "dendro:wrong@")), (2, ""))
        good = (0, "a\n7\n")
        self.assertEqual(run(url.replace("dendro@", "dendro:open%20sesame@")), good)
        self.assertEqual(run(url, PGPASSWORD="open sesame"), good)
        passfile = self.file(".pgpass", f"127.0.0.1:{self.server.port}:dendro:dendro:open sesame\n")
        os.chmod(passfile, 0o600)
        self.assertEqual(run(url, PGPASSFILE=passfile), good)
        with Terminal(self, prompt="Password for user dendro: ", env={"PGPASSFILE": "/nosuch"}) as t:
            t.secret("open sesame\n")
            shown = t.wait("dendro=> ")
            self.assertNotIn("sesame", shown)
            self.assertIn("|      7|", t.ask("SELECT 7 AS a;"))
            self.assertEqual(t.leave()[0], 0)
        with Terminal(self, prompt="Password for user dendro: ", env={"PGPASSFILE": "/nosuch"}) as t:
            t.secret("\x03\n")
            t.wait("password")
            self.assertEqual(t.shell.wait(timeout=60), 2)
        self.server.kill()  # it has logged the failures

    def test_server_goes_away_in_a_script(self):
        """A script has nobody who would see that statements of it were lost: it ends, with psql's exit code."""
        with subprocess.Popen([test_cli.DENDRO, "sql", self.dir, "--csv", "--no-header"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env) as shell:
            shell.stdin.write(b"SELECT 1;\n")
            shell.stdin.flush()
            self.assertEqual(shell.stdout.readline(), b"1\n")
            self.server.kill()
            out, err = shell.communicate(b"SELECT 2;\nSELECT 3;\n", timeout=60)
            self.assertEqual((shell.returncode, out), (2, b""))
            self.assertEqual(err.count(b"ERROR:  08006"), 1, err)

    def test_settings(self):
        self.expect(["sql", self.dir, "-s", "max_subqueries=7", "--csv", "-c", "SHOW max_subqueries"], out="max_subqueries\n7\n")
        code, _, err = self.run_dendro("sql", self.dir, "-s", "nosuch=7", "-c", "SELECT 1")
        self.assertEqual(code, 2)
        self.assertIn("nosuch", err)
        code, _, err = self.run_dendro("sql", self.dir, "--read-only", "-c", "CREATE TABLE t (k INT)")
        self.assertEqual(code, 1)
        self.assertIn("25006", err)

    def test_formats(self):
        self.sql(test_cli.MIXED)
        as_wire = {"2020-01-01T00:00:00.000Z": "2020-01-01 00:00:00+00", "1970-01-01T00:00:00.001Z": "1970-01-01 00:00:00.001+00"}
        for name in ("csv", "tsv"):
            out = test_cli.MIXED_OUT[name]
            for a, b in as_wire.items():
                out = out.replace(a, b)
            out = out.replace("0x", "\\x" if name == "csv" else "\\\\x")
            self.expect(["sql", self.dir, "--format", name, "-c", test_cli.MIXED_SELECT], out=out)
        out = self.run_dendro("sql", self.dir, "--json", "-c", "SELECT true AS t, 1.5 AS d, 'NaN'::double AS n, NULL AS z, 'x' AS s")[1]
        self.assertEqual(out, '[{"t":true,"d":1.5,"n":"NaN","z":null,"s":"x"}]\n')

    def test_export(self):
        self.sql(test_shell.WEATHER)
        self.expect(["export", self.dir, "SELECT station, temperature FROM weather ORDER BY time, station"],
                    out="station,temperature\ncellar,\nroof,20.5\nroof,21\n")
        self.expect(["export", self.dir, "-F", "jsonl", "SELECT temperature AS t FROM weather WHERE time = 2000"], out='{"t":21}\n')
        code, out, err = self.run_dendro("export", self.dir, "nosuch")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("nosuch", err)

    def test_import(self):
        one = self.file("one.csv", 'time,host,"load avg"\n2020-01-01T00:00:00Z,a,1.5\n2020-01-01T00:01:00Z,b,\n')
        code, out, err = self.run_dendro("import", self.dir, "--create", "cpu", one)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"(?s)^CREATE TABLE cpu .*\n2 rows in [0-9.]+ s\n$")
        turned = self.file("turned.csv", "host;time\nc;2020-01-01 00:02:00\n")
        self.assertRegex(self.run_dendro("import", self.dir, "--delimiter", ";", "cpu", turned)[1], r"^1 rows in ")
        path = os.path.join(self.base, "latin.csv")
        with open(path, "wb") as f:
            f.write("host;time;load avg\nKöln;31.12.2019 10:00;1,5\n".encode("latin1"))
        out = self.run_dendro("import", self.dir, "cpu", path)[1]
        self.assertRegex(out, r"(?s)^-- text: cells end with semicolons\n-- text: it is WIN1252\n.*\n1 rows in ")
        self.expect(["sql", self.dir, "--csv", "--no-header", "-c",
                     "SELECT host, time, \"load avg\" FROM cpu WHERE host LIKE 'K%'; DELETE FROM cpu WHERE host LIKE 'K%'"],
                    out="Köln,2019-12-31 10:00:00+00,1.5\n")
        with open(path, "wb") as f:
            f.write("host,time\nKöln,2019-12-31\n".encode("utf-16"))
        self.assertIn("UTF-16", self.run_dendro("import", self.dir, "cpu", path)[2])
        path = self.file("lines.ndjson", '{"host":"json","time":"2020-01-01T00:04:00Z","load avg":2.5}\n')
        self.assertRegex(self.run_dendro("import", self.dir, "cpu", path)[1], r"its lines are JSON objects\n1 rows in ")
        self.expect(["sql", self.dir, "--csv", "--no-header", "-c",
                     "SELECT host, \"load avg\" FROM cpu WHERE host = 'json'; DELETE FROM cpu WHERE host = 'json'"], out="json,2.5\n")
        given = "2020-01-01 00:03:00,d\n"
        self.assertEqual(self.run_dendro("import", "-q", "--columns", "time,host", self.dir, "cpu", "-", stdin=given), (0, "", ""))
        self.expect(["sql", self.dir, "--csv", "--no-header", "-c", 'SELECT host, "load avg" FROM cpu ORDER BY host'],
                    out="a,1.5\nb,\nc,\nd,\n")
        bad = self.file("bad.csv", "time,host\n2020-01-01,e\nsomeday,f\n")
        for args, wrong in (([self.dir, "cpu", bad], "someday"), ([self.dir, "nosuch", bad], "nosuch"),
                            (["--columns", "time,-", self.dir, "cpu", bad], "passes no column over"),
                            (["--rejects", "/dev/null", self.dir, "cpu", bad], "--rejects works with a directory"),
                            ([self.dir, "cpu", "/nosuch/file"], "/nosuch/file")):
            code, out, err = self.run_dendro("import", *args)
            self.assertEqual((code, out), (1, ""))
            self.assertIn(wrong, err)
        self.assertEqual(self.run_dendro("sql", self.dir, "--csv", "--no-header", "-c", "SELECT count(*) FROM cpu")[1], "4\n")

    def test_large_result(self):
        """Rows stream: memory does not grow with the result."""
        query = ["sql", self.dir, "--csv", "--no-header", "-c", "SELECT i, repeat('x', 200) FROM generate_series(1, 300000) AS g(i)"]
        # sanitizers would keep what is freed
        env = {**self.env, "ASAN_OPTIONS": self.env.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"}
        used = []
        with subprocess.Popen([test_cli.DENDRO, *query], stdout=subprocess.PIPE, env=env) as shell:
            for row, line in enumerate(shell.stdout, 1):
                self.assertTrue(line.startswith(b"%d,xxx" % row))
                if row % 20000 == 0:
                    with open(f"/proc/{shell.pid}/statm", encoding="ascii") as f:
                        used.append(int(f.read().split()[1]) * 4096)
            self.assertEqual((row, shell.wait(timeout=60)), (300000, 0))
        self.assertLess(max(used) - used[0], 25 << 20)  # what comes after is 57 MB

    def test_reader_leaves(self):
        """A result whose reader has gone ends, and the server with it."""
        with subprocess.Popen([test_cli.DENDRO, "sql", self.dir, "--csv", "-c",
                               "SELECT i, repeat('x', 1000) FROM generate_series(1, 100000000) AS g(i)"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=self.env, restore_signals=False) as shell:
            shell.stdout.read(100000)
            shell.stdout.close()
            self.assertNotEqual(shell.wait(timeout=120), 0)
            shell.stderr.close()
        self.assertEqual(self.run_dendro("sql", self.dir, "--csv", "-c", "SELECT 1 AS a")[1], "a\n1\n")


class Beside(Remote, Case):
    """The directory of a server: others are told where to go, and may read its last snapshot."""

    def data(self):
        return os.path.join(self.server.dir, "db")

    def read(self, query, **more):
        done = subprocess.run([test_cli.DENDRO, "sql", self.data(), "--read-only", "--csv", "--no-header", "-c", query],
                              env=self.env, capture_output=True, text=True, **more)
        return done.returncode, done.stdout, done.stderr

    def test_refusal_names_the_server(self):
        for command in (["sql", self.data(), "-c", "SELECT 1"], ["import", self.data(), "t", "/dev/null"]):
            done = subprocess.run([test_cli.DENDRO, *command], env=self.env, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"is in use by dendro (pid {self.server.process.pid})\n", done.stderr)
            self.assertIn(f"HINT:  it serves the database: connect with `dendro sql {self.dir}`, or open the directory "
                          "read-only\n", done.stderr)
        self.server.stop()
        self.assertEqual(self.run_dendro("sql", self.data(), "--csv", "-c", "SELECT 1 AS a"), (0, "a\n1\n", ""))
        self.server.start()
        self.server.kill()  # what a dead one left does not count
        with subprocess.Popen([test_cli.DENDRO, "sql", self.data(), "--csv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=self.env) as holder:
            holder.stdin.write(b"SELECT 1 AS a;\n")
            holder.stdin.flush()
            self.assertEqual(holder.stdout.readline(), b"a\n")
            done = subprocess.run([test_cli.DENDRO, "sql", self.data(), "-c", "SELECT 1"], env=self.env, capture_output=True, text=True)
            self.assertIn(f"(pid {holder.pid})", done.stderr)
            self.assertNotIn("postgres://", done.stderr)
            holder.communicate()

    def run_dendro(self, *args, **kwargs):
        return Case.run_dendro(self, *args, **kwargs)

    def test_snapshot(self):
        self.sql("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR);\nINSERT INTO t VALUES (1, 'a');\nCHECKPOINT;\nINSERT INTO t VALUES (2, 'b');")
        self.assertEqual(self.read("SELECT k, v FROM t ORDER BY k"), (0, "1,a\n2,b\n", ""))
        code, out, err = self.read("INSERT INTO t VALUES (3, 'c')")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("ERROR:  25006", err)
        with subprocess.Popen([test_cli.DENDRO, "sql", self.data(), "--read-only", "--csv", "--no-header"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=self.env) as reader:
            def ask(query):
                reader.stdin.write(query + b";\n")
                reader.stdin.flush()
                return reader.stdout.readline()
            self.assertEqual(ask(b"SELECT 'open'"), b"open\n")
            self.sql("INSERT INTO t VALUES (3, 'c');\nCHECKPOINT;\nTRUNCATE t;\nINSERT INTO t VALUES (4, 'd');\nCHECKPOINT;")
            self.assertEqual(ask(b"SELECT count(*), min(v), max(v) FROM t"), b"2,a,b\n")
            reader.communicate()
        self.assertEqual(self.read("SELECT k, v FROM t"), (0, "4,d\n", ""))

    def test_without_files_to_spare(self):
        """Where a reader may not keep files open it says so when they go, and never shows other rows."""
        self.sql("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR);\nINSERT INTO t VALUES (1, 'a');\nCHECKPOINT;")
        with subprocess.Popen([test_cli.DENDRO, "sql", self.data(), "--read-only", "--csv", "--no-header"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (190, 190))) as reader:
            reader.stdin.write(b"SELECT 'open';\n")
            reader.stdin.flush()
            self.assertEqual(reader.stdout.readline(), b"open\n")
            self.sql("TRUNCATE t;\nINSERT INTO t VALUES (2, 'b');\nCHECKPOINT;")
            self.wait_gone()
            out, err = reader.communicate(b"SELECT v FROM t;\n", timeout=60)
            self.assertEqual(out, b"")
            self.assertIn(b"ERROR:  72000", err)
            self.assertIn(b"HINT:  open the database again", err)

    def wait_gone(self):
        """Until one object is left: the other's file is deleted in the background."""
        end = time.monotonic() + 60
        while len(os.listdir(os.path.join(self.data(), "o"))) != 1:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


class Postgres(Case):
    """Any PostgreSQL will do: questions to the catalog are then asked in its own words."""

    def setUp(self):
        super().setUp()
        if not pg.bin_dir():
            self.fail("PostgreSQL 15 is not installed")
        self.cluster = pg.Cluster()
        self.cluster.__enter__()
        self.dir = f"host={self.cluster.dir} user=dendro dbname=postgres"

    def tearDown(self):
        self.cluster.__exit__()
        super().tearDown()

    def shell(self, text, *args):
        code, out, err = self.run_dendro("sql", self.dir, "-q", *args, stdin=text)
        self.assertEqual(code, 0)
        return out, err

    def test_all(self):
        self.sql("CREATE TABLE weather (station text NOT NULL, time timestamptz DEFAULT now(), temperature float8, j jsonb);\n"
                 "INSERT INTO weather VALUES ('roof', '1970-01-01', 20.5, '{}'), ('roof', '1970-01-02', 21, NULL);")
        out, err = self.shell("\\d weather\n", "--csv")
        self.assertEqual((out, err), ("column,type,nullable,default\nstation,text,false,\ntime,timestamp with time zone,true,now()\n"
                                      "temperature,double precision,true,\nj,jsonb,true,\n", ""))
        self.assertEqual(self.shell("\\dt\n", "--csv"), ("schema,name,type,owner\npublic,weather,table,dendro\n", ""))
        self.assertIn("\npublic,", self.shell("\\dn\n", "--csv")[0])
        self.assertIn("\npostgres,dendro,UTF8\n", self.shell("\\l\n", "--csv")[0])
        self.assertIn("pg_catalog,date_bin,", self.shell("\\df date_bin\n", "--csv")[0])
        self.assertIn("PostgreSQL does not keep", self.shell("\\sf weather\n")[1])
        self.assertIn("42P01", self.shell("\\d nosuch\n")[1])
        path = os.path.join(self.base, "w.csv")
        self.assertEqual(self.shell(f"\\copy weather to {path}\n\\copy weather from {path}\nSELECT count(*) FROM weather;\n", "--csv"),
                         ("count\n4\n", ""))
        self.assertIn("1970-01-02 00:00:00", self.shell("\\plot SELECT time, temperature FROM weather\n")[0])
        self.assertEqual(self.shell("DO $$BEGIN RAISE NOTICE 'a; b'; END$$;\n"), ("", "NOTICE:  a; b\n"))
        out, err = self.shell("CREATE TABLE u (k int UNIQUE);\nINSERT INTO u VALUES (1), (1);\nSELECT\n  nosuch;\n")
        self.assertIn("ERROR:  23505", err)
        self.assertIn("DETAIL:  Key (k)=(1) already exists.\n", err)
        self.assertIn("LINE 4:   nosuch;\n          ^\n", err)
        with Terminal(self, prompt="postgres=> ") as t:
            t.type("SELECT j FROM weather LIMIT 1;\n")
            t.wait("|JSONB|")
            t.wait("postgres=> ")
            for typed, added in (("SELECT * FROM wea\t", "ther"), ("SHOW work_m\t", "em"),
                                 ("SELECT generate_ser\t", "ies"), ("UPDATE weather SET tempe\t", "rature")):
                t.type(typed)
                t.wait(added)
                t.type("\x03")
                t.wait("^C\r\n")
                t.wait("postgres=> ")
            t.type("SELECT pg_sleep(1000);\n")
            t.wait("(1000);")
            self.wait_active()
            t.press("\x03")
            t.wait("57014")
            t.wait("postgres=> ")
            self.assertEqual(t.leave()[0], 0)

    def wait_active(self):
        """Until the statement of the shell runs."""
        end = time.monotonic() + 60
        while self.cluster.run("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' "
                               "AND wait_event = 'PgSleep'") != "1\n":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        print("\n".join(c.__name__ for c in [*Remote.__subclasses__(), Postgres]))
        sys.exit(0)
    test_cli.DENDRO = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)

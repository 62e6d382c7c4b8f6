#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The `dendro` program from outside: what it prints, byte for byte, and with which exit code it ends.

    test_cli.py DENDRO [CLASS...]   runs all, or these
    test_cli.py --list              the classes, one per line

The tables of ASCENDING and DESCENDING are those of the document "Planning Your Riak TS Table"."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

DENDRO = ""

ASCENDING = """\
CREATE TABLE ascending_table (
a SINT64 NOT NULL,
b TIMESTAMP NOT NULL,
PRIMARY KEY ((a, quantum(b, 1, 'm')), a, b));

INSERT INTO ascending_table VALUES (1,1);
INSERT INTO ascending_table VALUES (1,2);
INSERT INTO ascending_table VALUES (1,3);
INSERT INTO ascending_table VALUES (1,4);
INSERT INTO ascending_table VALUES (1,5);
"""
ASCENDING_SELECT = "SELECT * FROM ascending_table WHERE a = 1 AND b >= 1 AND b <= 5;"
ASCENDING_TABLE = """\
+-+------------------------+
|a|           b            |
+-+------------------------+
|1|1970-01-01T00:00:00.001Z|
|1|1970-01-01T00:00:00.002Z|
|1|1970-01-01T00:00:00.003Z|
|1|1970-01-01T00:00:00.004Z|
|1|1970-01-01T00:00:00.005Z|
+-+------------------------+
"""
DESCENDING = """\
CREATE TABLE descending_table (
a SINT64 NOT NULL,
b TIMESTAMP NOT NULL,
PRIMARY KEY ((a, quantum(b, 1, 'm')), a, b DESC));

INSERT INTO descending_table VALUES (1,1);
INSERT INTO descending_table VALUES (1,2);
INSERT INTO descending_table VALUES (1,3);
INSERT INTO descending_table VALUES (1,4);
INSERT INTO descending_table VALUES (1,5);

SELECT * FROM descending_table WHERE a = 1 AND b >= 1 AND b <= 5;
"""
DESCENDING_TABLE = """\
+-+------------------------+
|a|           b            |
+-+------------------------+
|1|1970-01-01T00:00:00.005Z|
|1|1970-01-01T00:00:00.004Z|
|1|1970-01-01T00:00:00.003Z|
|1|1970-01-01T00:00:00.002Z|
|1|1970-01-01T00:00:00.001Z|
+-+------------------------+
"""

MIXED = """\
CREATE TABLE mixed (k INT PRIMARY KEY, v VARCHAR, d DOUBLE, t TIMESTAMP, b BOOLEAN, x BLOB);
INSERT INTO mixed VALUES
  (1, 'a,"b"|c', 0.5, '2020-01-01', true, 0xff),
  (2, NULL, NULL, NULL, NULL, NULL),
  (3, 'größer 日本', -1e300, 1, false, 0x),
  (4, '', 12345678, NULL, NULL, NULL);
"""
MIXED_SELECT = "SELECT * FROM mixed ORDER BY k"
MIXED_OUT = {
    "table": """\
+-+-----------+--------+------------------------+-----+----+
|k|     v     |   d    |           t            |  b  | x  |
+-+-----------+--------+------------------------+-----+----+
|1|a,"b"|c    |     0.5|2020-01-01T00:00:00.000Z|true |0xff|
|2|NULL       |    NULL|NULL                    |NULL |NULL|
|3|größer 日本| -1e+300|1970-01-01T00:00:00.001Z|false|0x  |
|4|           |12345678|NULL                    |NULL |NULL|
+-+-----------+--------+------------------------+-----+----+
""",
    "csv": """\
k,v,d,t,b,x
1,"a,""b""|c",0.5,2020-01-01T00:00:00.000Z,true,0xff
2,,,,,
3,größer 日本,-1e+300,1970-01-01T00:00:00.001Z,false,0x
4,"",12345678,,,
""",
    "tsv": """\
k\tv\td\tt\tb\tx
1\ta,"b"|c\t0.5\t2020-01-01T00:00:00.000Z\ttrue\t0xff
2\t\\N\t\\N\t\\N\t\\N\t\\N
3\tgrößer 日本\t-1e+300\t1970-01-01T00:00:00.001Z\tfalse\t0x
4\t\t12345678\t\\N\t\\N\t\\N
""",
    "json": """\
[{"k":1,"v":"a,\\"b\\"|c","d":0.5,"t":"2020-01-01T00:00:00.000Z","b":true,"x":"0xff"},
 {"k":2,"v":null,"d":null,"t":null,"b":null,"x":null},
 {"k":3,"v":"größer 日本","d":-1e+300,"t":"1970-01-01T00:00:00.001Z","b":false,"x":"0x"},
 {"k":4,"v":"","d":12345678,"t":null,"b":null,"x":null}]
""",
    "jsonl": """\
{"k":1,"v":"a,\\"b\\"|c","d":0.5,"t":"2020-01-01T00:00:00.000Z","b":true,"x":"0xff"}
{"k":2,"v":null,"d":null,"t":null,"b":null,"x":null}
{"k":3,"v":"größer 日本","d":-1e+300,"t":"1970-01-01T00:00:00.001Z","b":false,"x":"0x"}
{"k":4,"v":"","d":12345678,"t":null,"b":null,"x":null}
""",
    "markdown": """\
| k | v | d | t | b | x |
| ---: | --- | ---: | --- | --- | --- |
| 1 | a,"b"\\|c | 0.5 | 2020-01-01T00:00:00.000Z | true | 0xff |
| 2 | NULL | NULL | NULL | NULL | NULL |
| 3 | größer 日本 | -1e+300 | 1970-01-01T00:00:00.001Z | false | 0x |
| 4 |  | 12345678 | NULL | NULL | NULL |
""",
    "vertical": """\
-[ row 1 ]-
k | 1
v | a,"b"|c
d | 0.5
t | 2020-01-01T00:00:00.000Z
b | true
x | 0xff
-[ row 2 ]-
k | 2
v | NULL
d | NULL
t | NULL
b | NULL
x | NULL
-[ row 3 ]-
k | 3
v | größer 日本
d | -1e+300
t | 1970-01-01T00:00:00.001Z
b | false
x | 0x
-[ row 4 ]-
k | 4
v | 
d | 12345678
t | NULL
b | NULL
x | NULL
""",
}


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="dendro-cli-")
        self.dir = os.path.join(self.base, "db")
        self.env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        self.env["HOME"] = self.base  # a history file is none of ours

    def tearDown(self):
        shutil.rmtree(self.base)

    def run_dendro(self, *args, stdin="", env=None):
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run([DENDRO, *args], input=given, env=env or self.env, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def expect(self, args, code=0, out="", err="", stdin=""):
        self.assertEqual(self.run_dendro(*args, stdin=stdin), (code, out, err))

    def sql(self, text):
        """Runs SQL that must succeed; returns standard output."""
        code, out, err = self.run_dendro("sql", self.dir, "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", stdin=text)
        self.assertEqual((code, err), (0, ""))
        return out

    def file(self, name, text):
        path = os.path.join(self.base, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path


class Tables(Case):
    """The box form, as the document prints it."""

    def test_planning_from_stdin(self):
        self.expect(["sql", self.dir], stdin=ASCENDING + ASCENDING_SELECT,
                    out="CREATE TABLE\n" + 5 * "INSERT 0 1\n" + ASCENDING_TABLE)
        self.expect(["sql", self.dir, "-q"], stdin=DESCENDING, out=DESCENDING_TABLE)

    def test_planning_from_file_and_command(self):
        script = self.file("descending.sql", DESCENDING)
        self.expect(["sql", self.dir, "-q", "-f", script, "-c", ASCENDING, "-c", ASCENDING_SELECT],
                    out=DESCENDING_TABLE + ASCENDING_TABLE)
        # and again by another process, from the log
        self.expect(["sql", self.dir, "-c", ASCENDING_SELECT], out=ASCENDING_TABLE)
        self.expect(["sql", self.dir, "-q", "-c", "CHECKPOINT"])
        self.expect(["sql", self.dir, "-c", ASCENDING_SELECT], out=ASCENDING_TABLE)

    def test_alignment(self):
        """Headers are centred, the odd blank on the right; numbers stand right, the rest left."""
        self.expect(["sql", "-c", "SELECT 1 AS wide_name, 'x' AS name, 22.5 AS abcd, 'long text' AS t, true AS bool_v"],
                    out="+---------+----+----+---------+------+\n"
                        "|wide_name|name|abcd|    t    |bool_v|\n"
                        "+---------+----+----+---------+------+\n"
                        "|        1|x   |22.5|long text|true  |\n"
                        "+---------+----+----+---------+------+\n")
        self.expect(["sql", "-c", "SELECT 'abcd' AS a, 'abcde' AS ab"],
                    out="+----+-----+\n| a  | ab  |\n+----+-----+\n|abcd|abcde|\n+----+-----+\n")

    def test_empty(self):
        self.expect(["sql", "-c", "SELECT 1 AS one, 'x' AS two WHERE false"], out="+---+---+\n|one|two|\n+---+---+\n+---+---+\n")


class Formats(Case):
    def test_all(self):
        self.sql(MIXED)
        for name, out in MIXED_OUT.items():
            with self.subTest(name):
                self.expect(["sql", self.dir, "--format", name, "-c", MIXED_SELECT], out=out)
                self.expect(["sql", self.dir, f"--format={name}", "-c", MIXED_SELECT], out=out)

    def test_json_is_json(self):
        self.sql(MIXED)
        _, out, _ = self.run_dendro("sql", self.dir, "--json", "-c", MIXED_SELECT)
        self.assertEqual([row["v"] for row in json.loads(out)], ['a,"b"|c', None, "größer 日本", ""])
        self.expect(["sql", self.dir, "--json", "-c", MIXED_SELECT + " LIMIT 0"], out="[]\n")

    def test_control_characters(self):
        sql = r"SELECT E'a\tb\nc\\d\x01' AS v"
        self.expect(["sql", "--format", "tsv", "-c", sql], out="v\na\\tb\\nc\\\\d\x01\n")
        self.expect(["sql", "--format", "csv", "-c", sql], out='v\n"a\tb\nc\\d\x01"\n')
        _, out, _ = self.run_dendro("sql", "--format", "jsonl", "-c", sql)
        self.assertEqual(json.loads(out), {"v": "a\tb\nc\\d\x01"})

    def test_header_and_tags(self):
        self.expect(["sql", "--csv", "--no-header", "-c", "SELECT 1, 2"], out="1,2\n")
        # formats for programs print nothing but results
        self.expect(["sql", "--csv", "-c", "CREATE TABLE t (k INT PRIMARY KEY); SELECT 1 AS k"], out="k\n1\n")
        self.expect(["sql", "-c", "CREATE TABLE t (k INT PRIMARY KEY)"], out="CREATE TABLE\n")
        self.expect(["sql", "-q", "-c", "CREATE TABLE t (k INT PRIMARY KEY)"])

    def test_unknown(self):
        self.expect(["sql", "--format", "xml", "-c", "SELECT 1"], code=1,
                    err='dendro sql: unknown format "xml"; --help lists them\n')

    def test_output_file(self):
        path = os.path.join(self.base, "out.csv")
        self.expect(["sql", "--csv", "-o", path, "-c", "SELECT 1 AS a"])
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), "a\n1\n")
        code, _, err = self.run_dendro("sql", "-o", "/nosuch/dir/file", "-c", "SELECT 1")
        self.assertEqual(code, 1)
        self.assertIn("/nosuch/dir/file", err)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_disk(self):
        code, _, err = self.run_dendro("sql", "-o", "/dev/full", "-c", "SELECT 1")
        self.assertEqual(code, 1)
        self.assertIn("cannot write", err)


class ExitCodes(Case):
    """0 done, 1 wrong usage or a failed -c, 2 no database, 3 a script stopped."""

    DIVISION = "ERROR:  22012: division by zero\nLINE 1: SELECT 1 / 0\n                 ^\n"
    ONE = "a\n1\n"

    def test_command(self):
        self.expect(["sql", "--csv", "-c", "SELECT 1 AS a"], out=self.ONE)
        self.expect(["sql", "--csv", "-c", "SELECT 1 / 0"], code=1, err=self.DIVISION)
        # one -c ends at its first error; the next one runs, and one that failed decides
        code, out, _ = self.run_dendro("sql", "--csv", "-c", "SELECT 1 / 0; SELECT 1 AS a")
        self.assertEqual((code, out), (1, ""))
        self.expect(["sql", "--csv", "-c", "SELECT 1 / 0", "-c", "SELECT 1 AS a"], code=1, out=self.ONE, err=self.DIVISION)
        # a -c may be a command to the shell
        self.expect(["sql", "--csv", "-c", " \\echo hello", "-c", "SELECT 1 AS a"], out="hello\n" + self.ONE)
        self.expect(["sql", "--csv", "-c", "\\frob", "-c", "SELECT 1 AS a"], code=1, out=self.ONE,
                    err='unknown command "\\frob"; \\? lists them\n')
        self.expect(["sql", "--csv", "-c", "\\q", "-c", "SELECT 1 AS a"])
        self.expect(["sql", "--csv", "-v", "ON_ERROR_STOP=1", "-c", "SELECT 1 / 0", "-c", "SELECT 1 AS a"], code=1,
                    err=self.DIVISION)

    def test_script(self):
        script = self.file("bad.sql", "SELECT 1 AS a;\nSELECT 1 / 0;\nSELECT 1 AS a;\n")
        err = f"{script}:2: ERROR:  22012: division by zero\nLINE 2: SELECT 1 / 0;\n                 ^\n"
        self.expect(["sql", "--csv", "-f", script], out=self.ONE + self.ONE, err=err)
        self.expect(["sql", "--csv", "-v", "ON_ERROR_STOP=1", "-f", script], code=3, out=self.ONE, err=err)
        self.expect(["sql", "--csv", "-v", "ON_ERROR_STOP=0", "-f", script], out=self.ONE + self.ONE, err=err)
        # after a script that was stopped nothing else runs
        self.expect(["sql", "--csv", "-v", "ON_ERROR_STOP=1", "-f", script, "-c", "SELECT 1 AS a"], code=3, out=self.ONE,
                    err=err)

    def test_stdin(self):
        text = "SELECT 1 / 0;SELECT 1 AS a"
        code, out, _ = self.run_dendro("sql", "--csv", stdin=text)
        self.assertEqual((code, out), (0, self.ONE))
        code, out, _ = self.run_dendro("sql", "--csv", "-v", "ON_ERROR_STOP=1", stdin=text)
        self.assertEqual((code, out), (3, ""))
        self.expect(["sql", "--csv", "-f", "-"], stdin="SELECT 1 AS a", out=self.ONE)
        self.expect(["sql"], stdin="")
        self.expect(["sql"], stdin="-- nothing but a comment\n;;\n")

    def test_usage(self):
        code, _, err = self.run_dendro("sql", "-f", os.path.join(self.base, "nosuch.sql"))
        self.assertEqual(code, 1)
        self.assertIn("nosuch.sql", err)
        self.expect(["sql", "--frobnicate"], code=1, err='dendro sql: unknown option "--frobnicate"; --help lists them\n')
        self.expect(["sql", "-c"], code=1, err='dendro sql: option "-c" wants a value\n')
        self.expect(["sql", "a", "b"], code=1, err='dendro sql: one directory only; "b" is too much\n')
        self.expect(["sql", "-v", "9=1"], code=1, err='dendro sql: -v wants NAME=VALUE, not "9=1"\n')
        code, out, err = self.run_dendro("sql", "--help")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("usage: dendro sql [DIR | URL]", out)

    def closed(self, *args, streams="<&- >&- 2>&-"):
        """Runs it by a shell that closes streams first."""
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {streams}', DENDRO, *args], env=self.env, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def test_output_that_cannot_be_written(self):
        """Whatever a command has to say, it does not end with 0 if that is lost."""
        self.sql("CREATE TABLE t (k INT PRIMARY KEY);")
        rows = self.file("t.csv", "k\n1\n")
        for args in (["ring", self.dir], ["check", self.dir], ["endpoints", self.dir, "t", "1"], ["--version"], ["help"],
                     ["import", self.dir, "t", rows], ["export", self.dir, "t"], ["sql", self.dir, "-c", "SELECT 1"],
                     ["sql", self.dir, "-c", "INSERT INTO t VALUES (2)"], ["sql", "--help"], ["export", "--help"]):
            for streams in ((">/dev/full",) if os.path.exists("/dev/full") else ()) + (">&-",):
                with self.subTest(args=args, streams=streams):
                    done = self.closed(*args, streams=streams)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(b"cannot write", done.stderr)
        self.assertEqual(self.closed("check", self.dir, streams="").returncode, 0)

    def test_closed_streams(self):
        """No file of the database gets the number of a stream."""
        for i in range(3):
            for streams in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
                self.closed("sql", self.dir, "-c", f"CREATE TABLE IF NOT EXISTS t (k INT PRIMARY KEY); INSERT INTO t VALUES ({i})",
                            "-c", "SELECT nosuch", streams=streams)
        self.assertEqual(self.run_dendro("check", self.dir)[0], 0)
        self.expect(["sql", self.dir, "--csv", "-c", "SELECT count(*) AS n FROM t"], out="n\n3\n")

    def test_no_database(self):
        path = self.file("a file", "not a directory")
        code, out, err = self.run_dendro("sql", path, "-c", "SELECT 1")
        self.assertEqual((code, out), (2, ""))
        self.assertIn(path, err)
        code, _, err = self.run_dendro("sql", "--set", "nosuch=1", "-c", "SELECT 1")
        self.assertEqual(code, 2)
        self.assertIn('"nosuch"', err)

    def test_directory_of_something_else(self):
        os.mkdir(self.dir)
        with open(os.path.join(self.dir, "letter.txt"), "w", encoding="utf-8") as f:
            f.write("precious")
        code, _, err = self.run_dendro("sql", self.dir, "-c", "SELECT 1")
        self.assertEqual(code, 2)
        self.assertIn(self.dir, err)
        self.assertEqual(os.listdir(self.dir), ["letter.txt"])


class Errors(Case):
    """The message, the line with a caret under the place, the hint."""

    def test_caret(self):
        self.expect(["sql", "-c", "SELECT nosuch(1)"], code=1,
                    err="ERROR:  42883: function nosuch(integer) does not exist\n"
                        "LINE 1: SELECT nosuch(1)\n"
                        "               ^\n")
        self.expect(["sql", "-c", "CREATE TABLE t (a INT, PRIMARY KEY (b))"], code=1,
                    err='ERROR:  42703: column "b" in PRIMARY KEY is not declared\n'
                        "LINE 1: CREATE TABLE t (a INT, PRIMARY KEY (b))\n"
                        "                                            ^\n"
                        'HINT:  the columns are "a"\n')

    def test_lines(self):
        """The line of the script, with the part of the statement that is on it."""
        script = self.file("s.sql", "SELECT 1 AS a;\n\nSELECT\n  'größer 日本', nosuch(2)\n;\n")
        self.expect(["sql", "--csv", "-f", script], out="a\n1\n",
                    err=f"{script}:4: ERROR:  42883: function nosuch(integer) does not exist\n"
                        "LINE 4:   'größer 日本', nosuch(2)\n"
                        "                         ^\n")

    def test_end_of_input(self):
        self.expect(["sql", "-c", "SELECT k FROM t WHERE"], code=1,
                    err="ERROR:  42601: syntax error at end of input; expected an expression\n"
                        "LINE 1: SELECT k FROM t WHERE\n"
                        "                             ^\n")

    def test_not_utf8(self):
        code, out, err = self.run_dendro("sql", "-v", "ON_ERROR_STOP=1", stdin=b"SELECT '\xe9t\xe9'")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("ERROR:  22021: the text is not valid UTF-8: byte 0xE9 at character 9\n", err)

    def test_notice(self):
        self.expect(["sql", "-q", "-c", "DROP TABLE IF EXISTS nosuch"], err='NOTICE:  table "nosuch" does not exist, skipped\n')

    def test_no_color_without_a_terminal(self):
        for env in ({}, {"NO_COLOR": "1"}, {"TERM": "xterm-256color"}, {"TERM": "dumb"}):
            _, out, err = self.run_dendro("sql", "-c", "SELECT 1", "-c", "SELECT 1/0", env={**self.env, **env})
            self.assertNotIn("\033", out + err)

    def test_long_line(self):
        """Of a very long line only the part around the place is shown."""
        sql = "SELECT '" + "é" * 5000 + "', nosuch(1), '" + "日" * 5000 + "'"
        code, _, err = self.run_dendro("sql", "-f", "-", stdin=sql)
        self.assertEqual(code, 0)
        lines = err.split("\n")
        self.assertLess(max(len(line) for line in lines), 250)
        self.assertEqual(lines[1][lines[2].index("^"):][:6], "nosuch")
        self.assertNotIn("\ufffd", err)


class Check(Case):
    """`dendro check`: every checksum; what is broken is named."""

    TABLE = "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR);\n"
    ROWS = "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three');\n"

    def damage(self, pattern, place):
        """Flips one bit; place is a part of the file's length."""
        found = sorted(glob.glob(os.path.join(self.dir, pattern)), key=os.path.getsize)
        self.assertTrue(found, pattern)
        with open(found[-1], "r+b") as f:
            data = bytearray(f.read())
            data[int(len(data) * place)] ^= 0x10
            f.seek(0)
            f.write(data)
        return os.path.basename(found[-1])

    def check(self):
        code, out, err = self.run_dendro("check", self.dir)
        return code, out, err, [line for line in out.split("\n") if line.startswith("FAULT")]

    def test_sound(self):
        self.sql(self.TABLE)
        self.assertEqual(self.check()[0], 0)
        self.sql(self.ROWS)
        code, out, err, faults = self.check()
        self.assertEqual((code, err, faults), (0, "", []))
        self.assertTrue(out.endswith(f"{self.dir} is sound\n"), out)
        self.sql("CHECKPOINT;" + self.ROWS + "CHECKPOINT;")
        code, out, _, faults = self.check()
        self.assertEqual((code, faults), (0, []))
        self.assertRegex(out, "2 segments with 6 rows|1 segments with 3 rows")  # they may have been merged meanwhile

    def test_segment(self):
        """A flipped bit anywhere in a segment is found, named, and never served as data."""
        self.sql(self.TABLE + self.ROWS + "CHECKPOINT;")
        shutil.copytree(self.dir, self.dir + ".sound")
        for place in (0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999):
            with self.subTest(place):
                shutil.rmtree(self.dir)
                shutil.copytree(self.dir + ".sound", self.dir)
                self.damage("o/seg*", place)
                code, out, _, faults = self.check()
                self.assertEqual(code, 1, out)
                self.assertIn('table "t", object seg/', faults[0])
                self.assertIn("found in " + self.dir, out)
                code, out, err = self.run_dendro("sql", self.dir, "--csv", "-c", "SELECT count(v), min(v), max(v) FROM t")
                self.assertNotEqual((code, out), (0, ""))
                if code == 0:  # the bytes were not needed for this answer
                    self.assertEqual(out, "count(v),min(v),max(v)\n3,one,two\n")
                else:
                    self.assertIn("XX001", err)
                    self.assertIn("seg/", err)

    def test_segment_cut_or_gone(self):
        self.sql(self.TABLE + self.ROWS + "CHECKPOINT;")
        segment = glob.glob(os.path.join(self.dir, "o/seg*"))[0]
        os.truncate(segment, os.path.getsize(segment) - 1)
        self.assertEqual(self.check()[0], 1)
        os.remove(segment)
        code, _, _, faults = self.check()
        self.assertEqual(code, 1)
        self.assertIn("seg/", faults[0])

    def test_log(self):
        """Damage in the middle of the log is reported, never skipped: more commits follow it."""
        self.sql(self.TABLE + self.ROWS * 4)
        self.damage("l/log*", 0.5)
        code, out, _, faults = self.check()
        self.assertEqual(code, 1, out)
        self.assertIn("log/", faults[0])
        code, _, err = self.run_dendro("sql", self.dir, "-c", "SELECT * FROM t")
        self.assertEqual(code, 2)
        self.assertIn("log/", err)

    def test_log_torn(self):
        """Bytes behind the last commit may be torn off; a commit may not, once the database was closed cleanly."""
        self.sql(self.TABLE + self.ROWS + "INSERT INTO t VALUES (4, 'four');")
        log = max(glob.glob(os.path.join(self.dir, "l/log*")), key=os.path.getsize)
        os.truncate(log, os.path.getsize(log) - 3)
        self.assertEqual(self.check()[0], 0)
        os.truncate(log, os.path.getsize(log) - 64)
        self.assertEqual(self.check()[0], 1)

    def test_documents(self):
        self.sql(self.TABLE + self.ROWS)
        for pattern in ("d/catalog*", "d/manifest*"):
            with self.subTest(pattern):
                shutil.copytree(self.dir, self.dir + ".sound")
                name = self.damage(pattern, 0.5)
                code, out, err, _ = self.check()
                self.assertIn(code, (1, 2))
                self.assertIn(name.split("~")[0], out + err)
                shutil.rmtree(self.dir)
                os.rename(self.dir + ".sound", self.dir)

    def test_no_database(self):
        missing = os.path.join(self.base, "nosuch")
        code, out, err = self.run_dendro("check", missing)
        self.assertEqual((code, out), (2, ""))
        self.assertIn(missing, err)
        self.assertFalse(os.path.exists(missing))
        code, _, err = self.run_dendro("check")
        self.assertEqual(code, 1)
        self.assertIn("usage: dendro check DIR", err)


class Holder(Case):
    """One process at a time; the refusal names the holder."""

    def test_second_process(self):
        self.sql("CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES (1);")
        with subprocess.Popen([DENDRO, "sql", self.dir, "--csv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=self.env) as holder:
            self.wait_for_lock(holder.pid)
            code, out, err = self.run_dendro("sql", self.dir, "-c", "SELECT 1")
            self.assertEqual((code, out, err),
                             (2, "", f"dendro: volume '{self.dir}' is in use by dendro (pid {holder.pid})\n"
                                     "HINT:  one process at a time may write to a volume: stop the other one, or open it "
                                     "read-only\n"))
            out, _ = holder.communicate(b"INSERT INTO t VALUES (2); SELECT count(*) AS n FROM t;")
            self.assertEqual((holder.returncode, out), (0, b"n\n2\n"))
        self.expect(["sql", self.dir, "--csv", "-c", "SELECT count(*) AS n FROM t"], out="n\n2\n")

    def test_check_while_open(self):
        """`dendro check` does not read what somebody writes; two of them do not mind each other."""
        self.sql("CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES (1);")
        with subprocess.Popen([DENDRO, "sql", self.dir, "--csv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=self.env) as holder:
            self.wait_for_lock(holder.pid)
            self.expect(["check", self.dir], code=2,
                        err=f"dendro: volume '{self.dir}' is in use by dendro (pid {holder.pid})\n"
                            "HINT:  what is written meanwhile would look like damage: stop the other process first\n")
            out, _ = holder.communicate(b"INSERT INTO t VALUES (2); SELECT count(*) AS n FROM t;")
            self.assertEqual((holder.returncode, out), (0, b"n\n2\n"))
        self.assertEqual(self.run_dendro("check", self.dir)[0], 0)

    def test_killed_holder(self):
        """A process that was killed holds nothing."""
        self.sql("CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES (1);")
        with subprocess.Popen([DENDRO, "sql", self.dir], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=self.env) as holder:
            self.wait_for_lock(holder.pid)
            holder.send_signal(signal.SIGKILL)
            holder.wait()
        self.expect(["sql", self.dir, "--csv", "-c", "SELECT count(*) AS n FROM t"], out="n\n1\n")

    def wait_for_lock(self, pid):
        """Until the lock file names the process: it has opened the database."""
        deadline = 600
        while deadline > 0:
            with open(os.path.join(self.dir, "LOCK"), encoding="utf-8", errors="replace") as f:
                if str(pid) in f.read():
                    return
            deadline -= 1
            subprocess.run(["sleep", "0.05"], check=True)
        self.fail("the holder does not open the database")


class Commands(Case):
    def test_version(self):
        code, out, err = self.run_dendro("--version")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^dendro [0-9]+\.[0-9]+\.[0-9]+ \(commit [0-9a-z-]+; formats: catalog \d+, log \d+, "
                              r"manifest \d+, segment \d+\)\n$")
        self.expect(["version"], out=out)

    def test_unknown(self):
        self.expect(["chek"], code=1, err='dendro: unknown command "chek"\nHINT:  Perhaps you meant "dendro check".\n')
        self.expect(["frobnicate"], code=1,
                    err='dendro: unknown command "frobnicate"\nHINT:  `dendro help` lists the commands.\n')

    def test_help(self):
        code, out, err = self.run_dendro("help")
        self.assertEqual((code, err), (0, ""))
        for word in ("dendro sql", "dendro check", "dendro --version"):
            self.assertIn(word, out)
        self.assertEqual(self.run_dendro("--help"), (0, out, ""))
        self.assertEqual(self.run_dendro(), (1, "", out))

    def test_temporary_database(self):
        """Without a directory the database is gone at the end."""
        env = {**self.env, "TMPDIR": self.base}
        code, out, err = self.run_dendro("sql", "--csv", "-c", "CREATE TABLE t (k INT PRIMARY KEY); SHOW TABLES", env=env)
        self.assertEqual((code, out, err), (0, "Table,Status\nt,Active\n", ""))
        self.assertEqual(os.listdir(self.base), [])

    def test_read_only(self):
        self.sql("CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES (1);")
        self.expect(["sql", self.dir, "--read-only", "--csv", "-c", "SELECT k FROM t"], out="k\n1\n")
        code, _, err = self.run_dendro("sql", self.dir, "--read-only", "-c", "INSERT INTO t VALUES (2)")
        self.assertEqual(code, 1)
        self.assertIn("25006", err)

    def test_settings(self):
        self.expect(["sql", "--csv", "-s", "max_subqueries=7", "-c", "SHOW max_subqueries"], out="max_subqueries\n7\n")

    def test_clock(self):
        """A clock for tests stands where it is told, and is only set ahead."""
        clock = ["sql", "--csv", "--no-header", "-s", "test_clock=2024-01-31 23:00Z"]
        self.expect([*clock, "-c", "SELECT date_trunc('hour', now()), current_date"], out="2024-01-31T23:00:00.000000Z,2024-01-31\n")
        self.expect([*clock, "-c", "SELECT date_trunc('hour', dendro_test_clock_advance('1 month')); SELECT now()::date"],
                    out="2024-02-29 23:00:00+00\n2024-02-29\n")
        self.expect([*clock, "-c", "SELECT a <= b FROM (SELECT clock_timestamp() AS a, clock_timestamp() AS b) x"], out="true\n")
        for wrong, what in (("SELECT dendro_test_clock_advance('-1 s')", "22023: the clock cannot be set back"),
                            ("SELECT dendro_test_clock_advance('1000 years')", "22008: the clock ends in the year 2262")):
            self.assertIn(what, self.run_dendro(*clock, "-c", wrong)[2])
        for wrong, what in (("someday", "test_clock: invalid input syntax"), ("1950-01-01", 'is not between 1970 and 2262'), ("3000-01-01", "2262")):
            self.assertIn(what, self.run_dendro("sql", "-s", "test_clock=" + wrong, "-c", "SELECT 1")[2])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        print("\n".join(c.__name__ for c in Case.__subclasses__() if c.__module__ == __name__))
        sys.exit(0)
    DENDRO = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files in and out: `dendro import`, `dendro export`, COPY; what goes out comes back the same.

    test_files.py DENDRO [CLASS...]   runs all, or these
    test_files.py --list              the classes, one per line"""
import csv
import gzip
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import test_cli
from test_cli import Case

CPU = "CREATE TABLE cpu (host VARCHAR NOT NULL, time TIMESTAMP NOT NULL, v DOUBLE, note VARCHAR, " \
      "PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time));"
HEAD = "host,time,v,note\n"


def cpu_rows(count, first=0):
    """Rows of the table above as CSV text."""
    return "".join(f"host_{i % 7},{1_600_000_000_000 + i * 1000},{i * 0.25},n{i}\n" for i in range(first, first + count))


class FileCase(Case):
    def setUp(self):
        super().setUp()
        self.sql(CPU)

    def load(self, *args, stdin="", code=0):
        """An import that must end with this code; returns standard output and error."""
        got, out, err = self.run_dendro("import", self.dir, *args, stdin=stdin)
        self.assertEqual(got, code, out + err)
        return out, err

    def select(self, sql):
        code, out, err = self.run_dendro("sql", self.dir, "--csv", "--no-header", "-c", sql)
        self.assertEqual((code, err), (0, ""))
        return out

    def count(self):
        return int(self.select("SELECT count(*) FROM cpu"))

    def text(self, path):
        with open(path, encoding="utf-8", newline="") as f:
            return f.read()


class Import(FileCase):
    def test_file(self):
        path = self.file("a.csv", HEAD + cpu_rows(100))
        out, err = self.load("cpu", path)
        self.assertRegex(out, r"^100 rows, 0\.\d MB in [0-9.]+ s: [0-9.]+ M rows/s, \d+ MB/s\n$")
        self.assertEqual(err, "")  # no progress where nobody watches
        self.assertEqual(self.select("SELECT count(*), sum(v), count(DISTINCT host), max(note) FROM cpu"), "100,1237.5,7,n99\n")
        out, err = self.load("-q", "cpu", path)
        self.assertEqual((out, err), ("", ""))
        self.assertEqual(self.count(), 100)  # the same keys: the same rows

    def test_packed(self):
        text = (HEAD + cpu_rows(3000)).encode()
        path = os.path.join(self.base, "a.csv.gz")
        with gzip.open(path, "wb") as f:
            f.write(text)
        self.load("-q", "cpu", path)
        self.assertEqual(self.count(), 3000)
        if shutil.which("zstd"):  # test_load.c has packed texts in any case
            path = self.file("b.csv", HEAD + cpu_rows(500, 10000))
            subprocess.run(["zstd", "-q", "--rm", path], check=True)
            self.load("-q", "cpu", path + ".zst")
            self.assertEqual(self.count(), 3500)
        self.load("-q", "cpu", "-", stdin=gzip.compress((HEAD + cpu_rows(10, 20000)).encode()))
        self.assertTrue(self.select("SELECT max(note) FROM cpu WHERE note LIKE 'n2____'") == "n20009\n")

    def test_packed_and_broken(self):
        whole = gzip.compress((HEAD + cpu_rows(3000)).encode())
        for name, data, wrong in (("cut.csv.gz", whole[:len(whole) // 2], "the packed data end in the middle"),
                                  ("noise.csv.gz", whole[:40] + b"\0\xff" * 50, "damaged")):
            path = os.path.join(self.base, name)
            with open(path, "wb") as f:
                f.write(data)
            _, err = self.load("cpu", path, code=1)
            self.assertIn(wrong, err)
            self.assertIn("0 rows were committed before.\n", err)
        self.assertEqual(self.count(), 0)

    def bytes(self, name, data):
        path = os.path.join(self.base, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def test_found_out(self):
        """How a file is written is found out and told, also for a table that is there; options have the last word."""
        german = "host;time;v;note\na;31.12.2024 14:00;1.234,5;Köln\nb;30.12.2024;-0,5;\n"
        path = self.bytes("german.csv", german.encode("latin1"))
        out, _ = self.load("cpu", path)
        self.assertIn("-- text: cells end with semicolons\n-- text: it is WIN1252\n-- numbers: they have a decimal comma; "
                      "1.234,5 is 1234.5\n-- times: the day comes first\n2 rows", out)
        want = "a,2024-12-31T14:00:00.000Z,1234.5,Köln\nb,2024-12-30T00:00:00.000Z,-0.5,\n"
        self.assertEqual(self.select("SELECT * FROM cpu ORDER BY host"), want)
        self.sql("DELETE FROM cpu;")
        out, _ = self.load("-q", "cpu", self.bytes("german16.csv", german.encode("utf-16")))
        self.assertEqual((out, self.select("SELECT * FROM cpu ORDER BY host")), ("", want))
        out, _ = self.load("--create", "fresh", self.bytes("german.csv.gz", gzip.compress(german.encode("latin1"))))
        self.assertIn("  v DOUBLE,\n  note VARCHAR,\n  PRIMARY KEY (time)", out)
        self.assertEqual(self.select("SELECT host, time, v, note FROM fresh ORDER BY host"), want)
        _, err = self.load("--decimal", ".", "cpu", path, code=1)
        self.assertIn('line 2, column "v": invalid input syntax', err)
        _, err = self.load("--dates", "mdy", "cpu", path, code=1)
        self.assertIn('line 2, column "time"', err)
        for args, wrong in ((["--encoding", "koi8"], "--encoding wants"), (["--dates", "dym"], "--dates wants"), (["--decimal", "x"], "decimal sign")):
            _, err = self.load(*args, "cpu", path, code=1)
            self.assertIn(wrong, err)

    def test_change_of_mind(self):
        text = "time,n\n" + "".join(f"{1_600_000_000 + i},{i}\n" for i in range(12000))
        out, _ = self.load("--create", "late", self.file("late.csv", text + "1700000000,n/a\n"))
        self.assertIn('-- types: by all 12001 rows\n-- types: "n" would be BIGINT but for 1 of 12001 values; the first is in line '
                      '12002, "n/a"\n-- types: if "n/a" means NULL, say so (--null)\n', out)
        self.assertEqual(self.select("SELECT count(*), max(n) FROM late"), "12001,n/a\n")
        out, _ = self.load("--create", "--null", "n/a", "nulls", self.file("late.csv", text + "1700000000,n/a\n"))
        self.assertEqual(self.select("SELECT count(n), max(n), count(*) FROM nulls"), "12000,11999,12001\n")
        # A later file that counts seconds, too.
        out, _ = self.load("late", self.file("more.csv", "time,n\n1800000000,7\n"))
        self.assertIn('-- times: "time" counts seconds since 1970\n', out)
        self.assertEqual(self.select("SELECT max(time) FROM late"), "2027-01-15T08:00:00.000Z\n")

    def test_copy_of_other_encodings(self):
        for name, encoding in (("LATIN1", "latin1"), ("WIN1252", "cp1252"), ("UTF16", "utf-16-le"), ("UTF16BE", "utf-16-be")):
            path = self.bytes("c.csv", "a;2020-09-13 12:26:40;1,5;Köln\n".encode(encoding))
            for more in ("", ", ESCAPE '\\'"):  # the other way of reading it
                self.sql(f"DELETE FROM cpu; COPY cpu FROM '{path}' (FORMAT csv, HEADER false, DELIMITER ';', ENCODING '{name}', DECIMAL ','{more});")
                self.assertEqual(self.select("SELECT v, note FROM cpu"), "1.5,Köln\n", name)
        path = self.file("d.csv", "a,1/2/2024,1,x\n")
        for more in ("", ", ESCAPE '\\'"):
            for order, want in (("dmy", "2024-02-01"), ("mdy", "2024-01-02")):
                self.sql(f"DELETE FROM cpu; COPY cpu FROM '{path}' (FORMAT csv, HEADER false, DATES '{order}'{more});")
                self.assertEqual(self.select("SELECT time FROM cpu"), want + "T00:00:00.000Z\n")

    def test_ndjson(self):
        lines = ('{"host":"a","time":"2024-01-01T00:00:00Z","v":1.5,"tags":{"x":1}}\n'
                 '{"time":"2024-01-01T00:01:00Z","host":"b","v":null,"note":"say \\"hi\\""}\n')
        path = self.file("a.ndjson", lines)
        out, _ = self.load("--create", "j", path)
        self.assertIn("-- text: its lines are JSON objects\n", out)
        want = 'a,2024-01-01T00:00:00.000Z,1.5,"{""x"":1}",\nb,2024-01-01T00:01:00.000Z,,,"say ""hi"""\n'
        self.assertEqual(self.select("SELECT host, time, v, tags, note FROM j ORDER BY host"), want)
        self.load("--create", "-q", "packed", "-", stdin=gzip.compress(lines.encode()))
        self.assertEqual(self.select("SELECT host, time, v, tags, note FROM packed ORDER BY host"), want)
        self.sql(f"DELETE FROM j; COPY j FROM '{path}'; COPY j FROM '{path}' (FORMAT ndjson);")  # the name says what it is
        self.assertEqual(self.select("SELECT host, time, v, tags, note FROM j ORDER BY host"), want)
        _, err = self.load("cpu", path, code=1)
        self.assertIn('column "tags" of relation "cpu" does not exist', err)
        _, err = self.load("j", self.file("bad.ndjson", lines + "no\n"), code=1)
        self.assertIn("line 3: the line is no JSON object", err)
        late = '{"host":"a","time":"2024-01-01T00:00:00Z"}\n' * 40000
        _, err = self.load("--create", "late", self.file("late.ndjson", late + '{"new":1}\n'), code=1)
        self.assertIn('line 40001: the member "new" is in no line of the first megabyte', err)
        for options, wrong in (("FORMAT ndjson, DELIMITER ';'", "not for NDJSON"), ("FORMAT ndjson, HEADER true", "not for NDJSON")):
            code, _, err = self.run_dendro("sql", self.dir, "-c", f"COPY j FROM '{path}' ({options})")
            self.assertEqual(code, 1)
            self.assertIn(wrong, err)
        code, _, err = self.run_dendro("sql", self.dir, "-c", "COPY j TO STDOUT (FORMAT ndjson)")
        self.assertIn("COPY TO writes no NDJSON", err)
        # What goes out comes in again.
        out = os.path.join(self.base, "out.ndjson")
        self.assertEqual(self.run_dendro("export", self.dir, "j", "-o", out)[0], 0)
        self.sql("CREATE TABLE again (LIKE j INCLUDING ALL)")
        self.load("-q", "again", out)
        self.assertEqual(self.select("SELECT host, time, v, tags, note FROM again ORDER BY host"), want)

    def test_stdin(self):
        self.load("-q", "cpu", "-", stdin=HEAD + cpu_rows(50))
        self.load("-q", "cpu", "-", stdin=cpu_rows(10, 100))  # no header: all columns in order
        self.assertEqual(self.count(), 60)
        self.load("-q", "cpu", "-", stdin="")
        self.load("-q", "cpu", "-", stdin=HEAD)
        self.assertEqual(self.count(), 60)

    def test_header_mapping(self):
        self.load("-q", "cpu", "-", stdin="NOTE,Time,host\nx,1600000000000,a\n")
        self.assertEqual(self.select("SELECT host, v, note FROM cpu"), "a,,x\n")
        self.load("-q", "--columns", "host,-,time,v", "cpu", "-", stdin="b,ignored,1600000000000,5\n")
        self.assertEqual(self.select("SELECT host, v, note FROM cpu WHERE host = 'b'"), "b,5,\n")
        self.load("-q", "--no-header", "cpu", "-", stdin="host,1600000000000,5,time\n")
        self.assertEqual(self.select("SELECT host, note FROM cpu WHERE host = 'host'"), "host,time\n")
        _, err = self.load("--header", "cpu", "-", stdin="host,time,nosuch\na,1,1\n", code=1)
        self.assertIn('"nosuch"', err)
        _, err = self.load("--columns", "host,v", "cpu", "-", stdin="a,1\n", code=1)
        self.assertIn('"time"', err)  # a key column that nobody gives
        _, err = self.load("--columns", "host,time,host", "cpu", "-", stdin="a,1,1\n", code=1)
        self.assertIn('"host"', err)

    def test_dialects(self):
        self.load("-q", "--delimiter", ";", "--quote", "'", "--null", "-", "cpu", "-",
                  stdin="host;time;v;note\n'a;b';1600000000000;-;'-'\nc;1600000000000;1;-\n")
        self.assertEqual(self.select("SELECT host, v, note FROM cpu ORDER BY host"), "a;b,,-\nc,1,\n")
        self.load("-q", "--delimiter", "tab", "--epoch", "s", "cpu", "-", stdin="d\t1600000000\t2\tx\n")
        self.assertEqual(self.select("SELECT time FROM cpu WHERE host = 'd'"), "2020-09-13T12:26:40.000Z\n")
        self.load("-q", "cpu", "-", stdin="\ufeffhost,time\r\ne,2020-01-01T00:00:00Z\r\n\r\n")
        self.assertEqual(self.select("SELECT time, note FROM cpu WHERE host = 'e'"), "2020-01-01T00:00:00.000Z,\n")
        for args, wrong in ((["--delimiter", "ab"], "--delimiter wants one character"), (["--epoch", "m"], "--epoch wants s, ms"),
                            (["--delimiter", '"'], "")):
            _, err = self.load(*args, "cpu", "-", code=1)
            self.assertIn(wrong, err)
            self.assertTrue(err)

    def test_create(self):
        path = self.file("new.csv", "when,sensor,reading,ok\n" + "".join(
            f"2024-01-01 00:{i // 60:02}:{i % 60:02},s{i % 3},{i / 4},{'true' if i % 2 else 'false'}\n" for i in range(300)))
        out, err = self.load("--create", "fresh", path)
        self.assertEqual(err, "")
        self.assertRegex(out, r'(?s)^CREATE TABLE "?fresh"? \(.*"?when"? TIMESTAMP.*sensor VARCHAR.*reading DOUBLE.*ok BOOLEAN.*'
                              r"PRIMARY KEY \(\(sensor, QUANTUM\(.*\);\n-- ")
        self.assertEqual(self.select("SELECT count(*), sum(reading) FROM fresh"), "300,11212.5\n")
        _, err = self.load("--create", "fresh", path, code=1)
        self.assertIn("exists", err)
        # through a pipe too, which can be read but once
        out, _ = self.load("--create", "piped", "-", stdin=self.text(path))
        self.assertEqual(self.select("SELECT count(*) FROM piped"), "300\n")
        _, err = self.load("--create", "empty", "-", stdin="", code=1)
        self.assertTrue(err)
        _, err = self.load("--create", "headless", "-", "--no-header", stdin="1,2\n", code=1)
        self.assertTrue(err)

    def test_create_that_fails(self):
        """A table that got no row goes again, and so does a database that was to be made for it."""
        bad = "a,b\n" + "".join(f"{i},{i}\n" for i in range(150000)) + "x,1\n"
        for table in ("fresh", "public.fresh", "Odd \"name"):
            out, err = self.load("--create", "--atomic", table, "-", stdin=bad, code=1)
            self.assertIn("CREATE TABLE", out)
            self.assertIn("0 rows were committed before.", err)
            self.assertEqual(self.select("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"), "cpu\n")
            self.load("--create", "-q", table, "-", stdin="a,b\n1,2\n")
            name = '"Odd ""name"' if " " in table else table
            self.assertEqual(self.select(f"SELECT * FROM {name}"), "1,2\n")
            self.sql(f"DROP TABLE {name}")
        other = os.path.join(self.base, "other")
        for text in ("", "PAR1\x15\x04", "PK\x03\x04"):
            code, _, err = self.run_dendro("import", "--create", other, "t", "-", stdin=text)
            self.assertEqual(code, 1)
            self.assertFalse(os.path.exists(other), err)

    def test_rejects_onto_itself(self):
        path = self.file("a.csv", HEAD + "a,not a time,1,x\n")
        os.symlink("a.csv", os.path.join(self.base, "link.csv"))
        for name in (path, os.path.join(self.base, "link.csv")):
            _, err = self.load("--rejects", name, "cpu", path, code=1)
            self.assertIn("is the file that is read", err)
        self.assertEqual(self.text(path), HEAD + "a,not a time,1,x\n")

    def test_other_kinds_of_files(self):
        for data, what in ((b"PAR1\x15\x04\x15", "Parquet"), (b"PK\x03\x04zip", "zip (or Excel)"), (b"\xfd7zXZ\0\0", "xz"),
                           (b"\x89PNG\r\n\x1a\n", "a picture (PNG)"), (b"%PDF-1.7", "PDF"), (b"BZh91AY&SY123", "bzip2"), (b"\x04\"M\x18aaaa", "lz4")):
            _, err = self.load("cpu", "-", stdin=data, code=1)
            self.assertIn(f"the data are {what}, not a text in UTF-8", err)
            self.assertIn("FORMAT parquet" if what == "Parquet" else "gzip or zstd", err)
        code, _, err = self.run_dendro("sql", self.dir, "-c", f"COPY cpu FROM '{self.bytes('16.csv', 'a,b'.encode('utf-16'))}'")
        self.assertEqual(code, 1)
        self.assertIn("the data are UTF-16, not a text in UTF-8", err)
        self.assertIn("ENCODING 'UTF16'", err)
        self.load("-q", "cpu", "-", "--no-header", stdin="PAR1,1600000000000,1,x\n")  # begins like one and is none
        self.load("-q", "cpu", self.file("a.csv", "PAR1,1600000000001,1,x\n"), "--no-header")
        self.assertEqual(self.count(), 2)

    def test_texts_that_are_no_table(self):
        for text, says in (("[{\"a\": 1},\n{\"a\": 2}]\n", "the file is an array of JSON"), ("\n [\n  {}]", "jq -c '.[]'"),
                           ("<!DOCTYPE html>\n<html>", "a page of HTML or XML"), ("<?xml version='1.0'?>", "a page of HTML or XML"),
                           ("a,b\n1,2\n\"x,3\n4,5\n", "line 3: a quote is not closed"),
                           ("a,b\n1,\"2\" x\n", "line 2: there is text behind the closing quote")):
            _, err = self.load("--create", "fresh", "-", stdin=text, code=1)
            self.assertIn(says, err)
        out, _ = self.load("--create", "-q", "lines", "-", stdin="word\none\ntwo; three\n")
        self.assertNotIn("cells end", out)
        self.assertEqual(self.select("SELECT * FROM lines ORDER BY 1"), "one\ntwo; three\n")

    def test_rejects(self):
        """Bad rows go to a file with their lines; the others are in."""
        rejects = os.path.join(self.base, "bad.csv")
        text = HEAD + cpu_rows(5) + "a,someday,1,x\n" + '"multi\nline",1600000000000,x,"q""q"\n' + "b,1600000000000\n" + \
            cpu_rows(5, 100) + ",1600000000000,1,\n"
        out, err = self.load("cpu", "-", "--rejects", rejects, stdin=text, code=3)
        self.assertIn("10 rows,", out)
        self.assertEqual(err, f"4 rows were rejected, see {rejects}\n")
        self.assertEqual(self.count(), 10)
        rows = list(csv.reader(io.StringIO(self.text(rejects))))
        self.assertEqual(rows[0], ["line", "column", "reason", "record"])
        self.assertEqual([(r[0], r[1]) for r in rows[1:]], [("7", "time"), ("8", "v"), ("10", ""), ("16", "host")])
        self.assertIn("someday", rows[1][2])
        self.assertEqual(rows[1][3].rstrip("\n"), "a,someday,1,x")
        self.assertEqual(rows[2][3].rstrip("\n"), '"multi\nline",1600000000000,x,"q""q"')
        self.assertTrue(all(r[2] for r in rows))
        _, err = self.load("cpu", "-", "--rejects", "/nosuch/dir/x", stdin=text, code=1)
        self.assertIn("cannot write /nosuch/dir/x", err)
        if os.path.exists("/dev/full"):
            lines = HEAD + "a,someday,1,x\n" * 20000
            code, _, err = self.run_dendro("import", self.dir, "cpu", "-", "--rejects", "/dev/full", stdin=lines)
            self.assertEqual(code, 1)
            self.assertIn("/dev/full", err)

    def test_first_bad_row(self):
        _, err = self.load("cpu", "-", stdin=HEAD + cpu_rows(5) + "a,someday,1,x\n" + cpu_rows(5), code=1)
        self.assertIn('line 7, column "time"', err)
        self.assertIn("0 rows were committed before.", err)
        _, err = self.load("cpu", "-", stdin=HEAD + "a,2020-01-01,1,x,too,many\n", code=1)
        self.assertIn("line 2", err)
        _, err = self.load("cpu", "-", stdin=HEAD + 'a,2020-01-01,1,"never closed\n' + cpu_rows(10), code=1)
        self.assertIn("line 2", err)
        _, err = self.load("--encoding", "utf8", "cpu", "-", stdin=(HEAD + "a,2020-01-01,1,").encode() + b"\xff\xfe\n", code=1)
        self.assertIn("UTF-8", err)
        self.assertEqual(self.count(), 0)

    def test_bad_usage(self):
        for args, code, wrong in ((["cpu", "/nosuch/file"], 1, "cannot open /nosuch/file: No such file"),
                                  (["cpu", self.base], 1, "is a directory"), (["nosuch", "-"], 1, '"nosuch"'),
                                  (["nosuch.cpu", "-"], 1, "nosuch"), (["cpu", "-", "--frob"], 1, '"--frob"'),
                                  (["cpu", "-", "--set", "memory_limit=x"], 2, "memory_limit"),
                                  ([], 1, "usage: dendro import")):
            _, err = self.load(*args, stdin=HEAD + cpu_rows(2), code=code)
            self.assertIn(wrong, err)
        code, _, err = self.run_dendro("import", os.path.join(self.base, "nosuch"), "cpu", "-", stdin=HEAD)
        self.assertEqual(code, 2)
        self.assertFalse(os.path.exists(os.path.join(self.base, "nosuch")))
        env = {**self.env, "DENDRO_DB": self.dir}
        self.assertEqual(self.run_dendro("import", "-q", "cpu", "-", stdin=cpu_rows(3), env=env), (0, "", ""))
        self.assertEqual(self.count(), 3)

    def test_atomic(self):
        """All or nothing, however many batches it takes."""
        text = HEAD + cpu_rows(40000) + "a,someday,1,x\n"
        small = ["-s", "memtable_size=64kB", "-s", "memory_limit=24MB"]
        _, err = self.load("cpu", "-", *small, "--atomic", stdin=text, code=1)
        self.assertIn("line 40002", err)
        self.assertIn("0 rows were committed before.", err)
        self.assertEqual(self.count(), 0)
        _, err = self.load("cpu", "-", *small, stdin=text, code=1)
        before = int(re.search(r"(\d+) rows were committed before", err).group(1))
        self.assertEqual(self.count(), before)
        self.load("-q", "cpu", "-", *small, "--atomic", stdin=HEAD + cpu_rows(40000))
        self.assertEqual(self.count(), 40000)

    def test_progress_on_a_terminal(self):
        path = self.file("a.csv", HEAD + cpu_rows(120000))
        main, side = pty.openpty()
        with subprocess.Popen([test_cli.DENDRO, "import", self.dir, "cpu", path], stderr=side, stdout=subprocess.PIPE,
                              env=self.env) as program:
            os.close(side)
            shown = b""
            while True:
                try:
                    more = os.read(main, 65536)
                except OSError:
                    break
                shown += more
            out = program.stdout.read().decode()
            self.assertEqual(program.wait(), 0)
        os.close(main)
        self.assertIn("120000 rows, ", out)
        self.assertRegex(shown.decode(), r"\[=*> *\] +\d+% +\d+ rows +\d+ MB/s")
        self.assertTrue(shown.endswith(b"\r\x1b[K"))  # the line is clean again

    def interrupt(self, *args):
        """An import from a pipe that is stopped by Ctrl-C in its middle; returns how many rows it says it committed."""
        with subprocess.Popen([test_cli.DENDRO, "import", self.dir, "cpu", "-", "-s", "memtable_size=64kB", "-s",
                               "memory_limit=24MB", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.env) as program:
            program.stdin.write((HEAD + cpu_rows(60000)).encode())
            program.stdin.flush()
            time.sleep(1)
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=60)
        self.assertEqual((program.returncode, out), (1, b""))
        self.assertIn(b"dendro import: interrupted\n", err)
        return int(re.search(rb"(\d+) rows were committed before", err).group(1))

    def test_interrupt(self):
        rows = self.interrupt()
        self.assertEqual(self.count(), rows)
        self.assertEqual(self.run_dendro("check", self.dir)[0], 0)
        self.sql("TRUNCATE TABLE cpu")
        self.assertEqual(self.interrupt("--atomic"), 0)
        self.assertEqual(self.count(), 0)

    def test_killed(self):
        """kill -9 in the middle: whole batches are there, in order, and the database is sound."""
        for wait in (0.2, 0.5, 1.0):
            with subprocess.Popen([test_cli.DENDRO, "import", self.dir, "cpu", "-", "-s", "memtable_size=64kB", "-s",
                                   "memory_limit=24MB"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=self.env) as program:
                program.stdin.write((HEAD + cpu_rows(60000)).encode())
                program.stdin.flush()
                time.sleep(wait)
                program.kill()
            self.assertEqual(self.run_dendro("check", self.dir)[0], 0)
            count = self.count()
            self.assertLessEqual(count, 60000)
            if count:  # rows came in this order
                self.assertEqual(self.select("SELECT max(v) FROM cpu"), f"{(count - 1) * 0.25:g}\n")
        self.load("-q", "cpu", "-", stdin=HEAD + cpu_rows(60000))
        self.assertEqual(self.count(), 60000)

    def test_full_disk(self):
        """The disk of the database is full: a clear error, what was committed stays, and it goes on with more space."""
        mount = os.path.join(self.base, "small")
        os.mkdir(mount)
        path = self.file("a.csv", HEAD + "".join(f"h{i % 100},{1_600_000_000_000 + i * 977},{i * 0.123457},{os.urandom(24).hex()}\n"
                                                 for i in range(60000)))
        steps = f"""mount -t tmpfs -o size=2m tmpfs {mount} || exit 77
            D={test_cli.DENDRO}; db={mount}/db
            $D sql $db -q -c "{CPU}" || exit 2
            $D import $db cpu {path} -s memtable_size=256kB -s memory_limit=32MB; echo "code $?"
            $D sql $db --csv --no-header -c "SELECT count(*) FROM cpu" || exit 4
            mount -o remount,size=64m {mount} || exit 5
            $D import $db cpu {path}; echo "code $?"
            $D sql $db --csv --no-header -c "SELECT count(*) FROM cpu" || exit 6
            $D check $db || exit 7"""
        for how in (["unshare", "-m"], ["unshare", "-rm"]):
            try:
                done = subprocess.run([*how, "sh", "-c", steps], capture_output=True, env=self.env, timeout=150, check=False)
            except FileNotFoundError:
                break
            if done.returncode not in (1, 77):
                break
        else:
            self.skipTest("a tmpfs cannot be mounted here")
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, 0, out + err)
        lines = out.split("\n")
        self.assertEqual(lines[0], "code 1", out + err)
        self.assertIn("dendro import: ", err)
        self.assertIn("No space left", err)
        before = int(re.search(r"(\d+) rows were committed before", err).group(1))
        self.assertEqual(int(lines[1]), before)
        self.assertIn("\ncode 0\n60000\n", out)
        self.assertIn("is sound", out)


class Export(FileCase):
    """What goes out comes back the same."""

    TYPES = "CREATE TABLE every (k INT PRIMARY KEY, b BOOLEAN, s SMALLINT, i INTEGER, l BIGINT, r REAL, d DOUBLE, v VARCHAR, " \
            "x BLOB, t TIMESTAMP, u TIMESTAMP(6), n TIMESTAMP(9));"
    ROWS = r"""INSERT INTO every VALUES
        (1, true, 1, 2, 3, 1.5, 0.1, 'plain', 0x00ff, '2020-01-01', '2020-01-01T00:00:00.000001Z', '2020-01-01T00:00:00.000000001Z'),
        (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (3, false, -32768, -2147483648, -9223372036854775808, -3.4e38, -1.7e308, '', 0x, '1900-01-01', '0001-01-01', '1677-09-22'),
        (4, false, 32767, 2147483647, 9223372036854775807, 1e-38, 5e-324, 'it''s, "quoted"', 0x22, '9999-12-31', '2262-01-01',
         '2262-01-01'),
        (5, false, 0, 0, 0, 0, 0.30000000000000004, E'line one\nline two\r\nthree\ttab\\backslash', 0x0a, 1, 1, 1),
        (6, true, 0, 0, 0, -0.0, 123456789012345.67, 'größer 日本 🌳', 0x80, '2020-06-30T23:59:59.999Z', 1, 1),
        (7, true, 0, 0, 0, 0, 0, 'NULL', 0x5c4e, 1, 1, 1), (8, true, 0, 0, 0, 0, 0, '\N', 0x, 1, 1, 1),
        (9, true, 0, 0, 0, 0, 0, ' spaces ', 0x, 1, 1, 1), (10, true, 0, 0, 0, 0, 0, '''', 0x, 1, 1, 1);"""

    def setUp(self):
        super().setUp()
        self.sql(self.TYPES + self.ROWS)
        self.want = self.dump()

    def dump(self):
        _, out, _ = self.run_dendro("sql", self.dir, "--format", "jsonl", "-c", "SELECT * FROM every ORDER BY k")
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertTrue(not rows or len(rows) == 10)
        return rows

    def export(self, *args, code=0):
        got, out, err = self.run_dendro("export", self.dir, *args)
        self.assertEqual(got, code, err)
        return out, err

    def back(self, path, *args):
        self.sql("TRUNCATE TABLE every")
        self.assertEqual(self.dump(), [])
        self.load("-q", "every", path, *args)
        self.assertEqual(self.dump(), self.want)

    def test_csv(self):
        path = os.path.join(self.base, "every.csv")
        out, err = self.export("every", "-o", path)
        self.assertEqual((out, err), ("", "10 rows\n"))
        self.back(path)
        with open(path, encoding="utf-8", newline="") as f:  # another reader understands it too
            rows = list(csv.reader(f))
        self.assertEqual(len(rows), 11)
        self.assertEqual(sorted(r[7] for r in rows[1:])[:2], ["", ""])  # NULL and the empty text
        out, _ = self.export("SELECT v FROM every WHERE k IN (2, 3) ORDER BY k")
        self.assertEqual(out, 'v\n\n""\n')

    def test_csv_without_header(self):
        path = os.path.join(self.base, "every.csv")
        self.export("-q", "every", "-o", path, "--no-header")
        self.back(path, "--no-header")

    def test_through_pipes(self):
        out, _ = self.export("every")
        self.sql("TRUNCATE TABLE every")
        self.load("-q", "every", "-", stdin=out)
        self.assertEqual(self.dump(), self.want)

    def test_copy(self):
        path = os.path.join(self.base, "every.csv")
        for options, back in (("", ""), ("WITH (HEADER false)", "WITH (HEADER false)"),
                              ("WITH (DELIMITER ';', QUOTE '''', NULL 'none')",) * 2, ("(FORMAT csv, DELIMITER '\\t', NULL '\\N')",) * 2):
            with self.subTest(options):
                self.sql(f"COPY every TO '{path}' {options}; TRUNCATE TABLE every; COPY every FROM '{path}' {back};")
                self.assertEqual(self.dump(), self.want)
        self.sql(f"COPY every (k, v) TO '{path}'; TRUNCATE TABLE every; COPY every (k, v) FROM '{path}';")
        self.assertEqual([(r["k"], r["v"], r["d"]) for r in self.dump()], [(r["k"], r["v"], None) for r in self.want])

    def test_json(self):
        out, _ = self.export("every", "--format", "json")
        rows = sorted(json.loads(out), key=lambda r: r["k"])
        self.assertEqual(rows, self.want)
        out, _ = self.export("every", "-F", "jsonl")
        self.assertEqual(sorted(map(json.loads, out.splitlines()), key=lambda r: r["k"]), self.want)
        self.assertEqual(rows[3]["d"], 5e-324)
        self.assertEqual(rows[4]["v"], "line one\nline two\r\nthree\ttab\\backslash")

    def test_tsv(self):
        out, _ = self.export("SELECT k, v, d, t FROM every ORDER BY k", "-F", "tsv")
        plain = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
        cells = [[None if c == "\\N" else re.sub(r"\\.", lambda m: plain[m.group()], c) for c in line.split("\t")]
                 for line in out.split("\n")[1:-1]]
        self.assertEqual([c[1] for c in cells], [r["v"] for r in self.want])
        self.assertEqual([c[2] and float(c[2]) for c in cells], [r["d"] for r in self.want])

    def test_other_formats(self):
        for name in ("markdown", "vertical", "table"):
            out, _ = self.export("every", "-F", name)
            self.assertEqual(out.count("größer 日本 🌳"), 1)
            self.assertEqual(len(re.findall(r"(?m)^[-|].*plain", out)), name != "vertical")

    def test_format_by_name(self):
        for end, first in (("json", "["), ("jsonl", "{"), ("tsv", "k\tb"), ("csv", "k,b"), ("txt", "k,b"), ("markdown", "| k")):
            path = os.path.join(self.base, "x." + end)
            self.export("-q", "every", "-o", path)
            self.assertTrue(self.text(path).startswith(first), end)
        self.export("-q", "every", "-F", "json", "-o", os.path.join(self.base, "x.dat"))
        self.assertTrue(self.text(os.path.join(self.base, "x.dat")).startswith("["))

    def unpacked(self, path):
        with open(path, "rb") as f:
            data = f.read()
        if path.lower().endswith(".gz"):
            return gzip.decompress(data).decode()
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout.decode()

    def test_packed(self):
        want, _ = self.export("every")
        for end in ("csv.gz", "gz", "CSV.GZ") + (("csv.zst",) if shutil.which("zstd") else ()):
            path = os.path.join(self.base, "x." + end)
            self.export("-q", "every", "-o", path)
            self.assertEqual(self.unpacked(path), want)
            self.back(path)
        path = os.path.join(self.base, "x.json.gz")
        self.export("-q", "every", "-o", path)
        self.assertEqual(len(json.loads(self.unpacked(path))), 10)
        path = os.path.join(self.base, "x.csv.zst")  # without another program: what import reads is what was packed
        self.export("-q", "every", "-o", path)
        with open(path, "rb") as f:
            self.assertEqual(f.read(4), b"\x28\xb5\x2f\xfd")
        self.back(path)
        # a lot, in many pieces
        path = os.path.join(self.base, "many.csv.gz")
        self.export("-q", "SELECT i, i * 7919 % 104729 AS j FROM generate_series(1, 200000) i", "-o", path)
        lines = self.unpacked(path).splitlines()
        self.assertEqual((len(lines), lines[0], lines[-1]), (200001, "i,j", f"200000,{200000 * 7919 % 104729}"))
        path = os.path.join(self.base, "s.csv.gz")
        query = "SELECT k FROM every WHERE k < 3;\n"
        for args, text in ((["-o", path], query), (["-F", "csv"], f"\\o {path}\n{query}\\o\n"), (["-F", "csv"], f"\\o {path}\n{query}")):
            code, out, err = self.run_dendro("sql", self.dir, *args, stdin=text)
            self.assertEqual((code, out, err), (0, "", ""))
            self.assertEqual(sorted(self.unpacked(path).split()), ["1", "2", "k"])
            os.unlink(path)

    def test_names_that_lie(self):
        for args, wrong in ((["-o", "x.parquet.zst"], "Parquet"), (["-o", "x.feather"], "Arrow"),
                            (["-o", "x.xlsx"], "Excel"), (["-o", "x.csv.xz"], "xz"), (["-o", "x.parquet.gz"], "Parquet"),
                            (["-F", "json", "-o", "x.csv"], "the name says csv, --format says json"),
                            (["-F", "csv", "-o", "x.jsonl.gz"], "the name says jsonl, --format says csv")):
            path = os.path.join(self.base, args[-1])
            _, err = self.export("every", *args[:-1], path, code=1)
            self.assertIn(wrong, err)
            self.assertFalse(os.path.exists(path))
            code, _, err = self.run_dendro("sql", self.dir, *args[:-1], path, "-c", "SELECT 1")
            self.assertEqual(code, 1)
            self.assertIn(wrong, err)
            self.assertFalse(os.path.exists(path))
        code, _, err = self.run_dendro("sql", self.dir, stdin=f"\\o {self.base}/x.parquet\nSELECT 1;\n")
        self.assertIn("Parquet", err)
        self.assertEqual([n for n in os.listdir(self.base) if n.startswith("x.")], [])

    def test_whole_or_not_at_all(self):
        path = os.path.join(self.base, "x.csv")
        failing = "SELECT 1 / (500000 - i) FROM generate_series(1, 600000) i"
        for name in ("x.csv", "x.csv.gz"):
            self.export(failing, "-o", os.path.join(self.base, name), code=1)
        self.assertEqual([n for n in os.listdir(self.base) if n.startswith("x.")], [])
        self.file("x.csv", "what was there\n")
        os.chmod(path, 0o640)
        self.export(failing, "-o", path, code=1)
        self.assertEqual(self.text(path), "what was there\n")
        link = os.path.join(self.base, "link.csv")
        os.symlink("x.csv", link)
        self.export("-q", "SELECT 1 AS a", "-o", link)
        self.assertEqual(self.text(path), "a\n1\n")
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        out, _ = self.export("SELECT 1 AS a", "-o", "-")
        self.assertEqual(out, "a\n1\n")
        self.export("-q", "SELECT 1 AS a", "-o", "/dev/null")
        # the database is not there: no file is made or emptied
        for command in (["export", "-o", path, "/nosuch/db", "every"], ["sql", "-o", path, "/nosuch/db", "-c", "SELECT 1"]):
            self.assertEqual(self.run_dendro(*command)[0], 2)
            self.assertEqual(self.text(path), "a\n1\n")

    def test_interrupt(self):
        path = os.path.join(self.base, "x.csv")
        done = subprocess.Popen([test_cli.DENDRO, "export", self.dir, "SELECT i FROM generate_series(1, 100000000000) i", "-o", path],
                                env=self.env, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not any(n.startswith("x.csv.") and os.path.getsize(os.path.join(self.base, n)) for n in os.listdir(self.base)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        done.send_signal(signal.SIGINT)
        _, err = done.communicate(timeout=60)
        self.assertEqual((done.returncode, err), (1, b"dendro export: interrupted\n"))
        self.assertEqual([n for n in os.listdir(self.base) if n.startswith("x.")], [])

    def test_errors(self):
        for args, code, wrong in ((["nosuch"], 1, '"nosuch"'), (["every", "-o", "/nosuch/dir/x"], 1, "cannot write /nosuch/dir/x"),
                                  (["DROP TABLE every"], 1, ""), (["SELECT 1; SELECT 2"], 1, "one table or one SELECT"),
                                  (["every", "-F", "xml"], 1, 'unknown format "xml"'), (["SELECT 1/0"], 1, "division by zero"),
                                  (["every", "-o"], 1, "-o")):
            _, err = self.export(*args, code=code)
            self.assertIn(wrong, err)
        self.assertIn("usage: dendro export", self.run_dendro("export")[2])
        if os.path.exists("/dev/full"):
            _, err = self.export("every", "-o", "/dev/full", code=1)
            self.assertIn("cannot write /dev/full", err)
        self.assertEqual(self.dump(), self.want)


class Copy(FileCase):
    """COPY, and what it says about bad files and options."""

    def fails(self, sql, state, text):
        code, out, err = self.run_dendro("sql", self.dir, "-c", sql)
        self.assertEqual((code, out), (1, ""), sql)
        self.assertIn("ERROR:  " + state, err)
        self.assertIn(text, err)

    def test_errors(self):
        good = self.file("good.csv", HEAD + cpu_rows(3))
        for sql, state, text in (
                (f"COPY nosuch FROM '{good}'", "42P01", '"nosuch"'), ("COPY cpu FROM '/nosuch/file'", "", "/nosuch/file"),
                (f"COPY cpu FROM '{self.base}'", "58030", "directory"), (f"COPY cpu (host, nosuch) FROM '{good}'", "42703", '"nosuch"'),
                (f"COPY cpu (host, host) FROM '{good}'", "42701", '"host"'), (f"COPY cpu (v) FROM '{good}'", "23502", '"host"'),
                (f"COPY cpu FROM '{good}' WITH (DELIMITR ';')", "42704", '"delimiter"'),
                (f"COPY cpu FROM '{good}' WITH (DELIMITER 'ab')", "22023", "one character"),
                (f"COPY cpu FROM '{good}' WITH (QUOTE ',')", "", "quote"), (f"COPY cpu FROM '{good}' WITH (FORMAT xml)", "22023", "csv"),
                (f"COPY cpu FROM '{good}' WITH (HEADER maybe)", "22023", "true, false, match or auto"),
                (f"COPY cpu FROM '{good}' WITH (EPOCH m)", "22023", "s, ms, us or ns"),
                ("COPY cpu TO '/nosuch/dir/file'", "", "/nosuch/dir/file"), ("COPY (SELECT 1/0) TO '/dev/null'", "22012", "zero"),
                ("COPY (DROP TABLE cpu) TO '/dev/null'", "42601", "DROP"), ("COPY cpu FROM", "42601", "end of input")):
            with self.subTest(sql):
                self.fails(sql, state, text)
        self.assertEqual(self.count(), 0)

    def test_whole(self):
        """A statement: all rows or none."""
        bad = self.file("bad.csv", HEAD + cpu_rows(3) + "x,someday,1,y\n")
        self.fails(f"COPY cpu FROM '{bad}'", "22007", 'bad.csv: line 5, column "time"')
        self.assertEqual(self.count(), 0)
        good = self.file("good.csv", HEAD + cpu_rows(3))
        self.expect(["sql", self.dir, "-c", f"COPY cpu FROM '{good}'"], out="COPY 3\n")
        self.expect(["sql", self.dir, "-c", f"COPY cpu TO '{bad}'"], out="COPY 3\n")
        self.assertEqual(self.text(bad).count("\n"), 4)
        code, _, err = self.run_dendro("sql", self.dir, "--read-only", "-c", f"COPY cpu FROM '{good}'")
        self.assertEqual(code, 1)
        self.assertIn("25006", err)

    def test_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("needs /dev/full")
        self.load("-q", "cpu", "-", stdin=cpu_rows(10))
        self.fails("COPY cpu TO '/dev/full'", "53100", "/dev/full")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        print("\n".join(c.__name__ for c in [Import, Export, Copy]))
        sys.exit(0)
    test_cli.DENDRO = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""COPY through the server, by the clients that people use for it.

    test_copy.py DENDRO [CLASS...]   runs all, or these
    test_copy.py --list              names of the classes
"""
import asyncio
import datetime
import io
import os
import resource
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import wirelib
from wirelib import Server, ServerTest

UTC = datetime.timezone.utc
NOON = datetime.datetime(2024, 1, 1, 12, 0, 0, 250000, tzinfo=UTC)
TABLE = ("CREATE TABLE {} (s VARCHAR NOT NULL, time TIMESTAMP(6) NOT NULL, v DOUBLE, n BIGINT, b BYTEA, ok BOOLEAN, a INT[],"
         " PRIMARY KEY (s, time))")
ROWS = [("a", NOON, 1.5, 7, b"\x00\xff", True, [1, None, 3]),
        ("b\t\\x", NOON + datetime.timedelta(seconds=1), None, -7, None, None, None),
        ('quote " and, comma\nline', NOON + datetime.timedelta(seconds=2), -0.5, None, b"", False, [])]


class PsqlCopy(ServerTest):
    """psql: \\copy, COPY with data behind it, and pgbench's way."""

    def psql(self, *args, text=None):
        r = subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "dendro", "-d", "dendro",
                            "-v", "ON_ERROR_STOP=1", *args], input=text, capture_output=True, text=True, check=False)
        return r

    def test_data_behind_the_statement(self):
        r = self.psql(text="CREATE TABLE inline (a INT PRIMARY KEY, t VARCHAR);\n"
                           "COPY inline (a, t) FROM STDIN;\n1\tone\n2\t\\N\n3\tthree\\tx\n\\.\nSELECT count(*), max(t) FROM inline;\n"
                           "COPY inline TO STDOUT WITH CSV HEADER;\n")
        self.assertEqual(r.stderr, "")
        self.assertIn("COPY 3\n", r.stdout)
        self.assertTrue(r.stdout.endswith("a,t\n1,one\n2,\n3,three\tx\n"), r.stdout)

    def test_bytes_as_postgres(self):
        # what PostgreSQL 15 writes for the same values, and what it writes is read
        for sql, want in (
                ("'04:05:06.789-08'::timetz", "0000000c000000036c97ca8800007080"),
                ("'24:00+05:30'::timetz", "0000000c000000141dd76000ffffb2a8"),
                ("'10100000101'::varbit", "000000060000000ba0a0"),
                ("''::varbit", "0000000400000000"),
        ):
            with tempfile.TemporaryDirectory() as d:
                file = os.path.join(d, "bytes")
                r = self.psql("-c", f"\\copy (SELECT {sql} AS x) TO '{file}' (FORMAT binary)")
                self.assertEqual((r.stdout, r.stderr), ("COPY 1\n", ""))
                with open(file, "rb") as f:
                    self.assertEqual(f.read()[21:-2].hex(), want, sql)
                r = self.psql("-At", "-c", "DROP TABLE IF EXISTS bytes_back",
                              "-c", f"CREATE TABLE bytes_back AS SELECT {sql} AS x WHERE false",
                              "-c", f"\\copy bytes_back FROM '{file}' (FORMAT binary)",
                              "-c", f"SELECT x = {sql} FROM bytes_back")
                self.assertTrue(r.stdout.endswith("COPY 1\nt\n"), r.stdout + r.stderr)

    def test_files(self):
        with tempfile.TemporaryDirectory() as d:
            self.psql("-c", "CREATE TABLE files (a INT PRIMARY KEY, v DOUBLE, t VARCHAR)",
                      "-c", "INSERT INTO files SELECT g, g / 2.0, 'row ' || g FROM generate_series(1, 5000) g")
            for form in ("text", "csv", "binary"):
                file = os.path.join(d, form)
                r = self.psql("-c", f"\\copy files TO '{file}' (FORMAT {form})")
                self.assertEqual((r.stdout, r.stderr), ("COPY 5000\n", ""))
                self.psql("-c", f"CREATE TABLE files_{form} (a INT PRIMARY KEY, v DOUBLE, t VARCHAR)")
                r = self.psql("-c", f"\\copy files_{form} FROM '{file}' (FORMAT {form})")
                self.assertEqual((r.stdout, r.stderr), ("COPY 5000\n", ""))
                r = self.psql("-At", "-c", f"SELECT count(*) FROM files x JOIN files_{form} y ON x.a = y.a AND x.v = y.v AND x.t = y.t")
                self.assertEqual(r.stdout, "5000\n")

    def test_query(self):
        r = self.psql("-c", "COPY (SELECT g, g * g FROM generate_series(1, 3) g) TO STDOUT")
        self.assertEqual(r.stdout, "1\t1\n2\t4\n3\t9\n")

    def test_changed_rows(self):
        r = self.psql(text="CREATE TABLE changed (a INT PRIMARY KEY);\n"
                      "COPY (INSERT INTO changed SELECT g FROM generate_series(1, 3) g RETURNING a, a * 2) TO STDOUT;\n"
                      "COPY (DELETE FROM changed WHERE a < 3 RETURNING a) TO STDOUT;\nSELECT * FROM changed;\n")
        self.assertEqual((r.stdout, r.stderr), ("CREATE TABLE\n1\t2\n2\t4\n3\t6\n1\n2\n a \n---\n 3\n(1 row)\n\n", ""))

    def test_no_columns(self):
        r = self.psql("-c", "SELECT FROM generate_series(1, 3)")
        self.assertEqual((r.stdout, r.stderr), ("--\n(3 rows)\n\n", ""))
        r = self.psql("-c", "COPY (SELECT FROM generate_series(1, 3)) TO STDOUT")
        self.assertEqual((r.stdout, r.stderr), ("\n\n\n", ""))

    def test_far_times(self):
        """Later than 64 bits of microseconds can say."""
        r = self.psql("-Atc", "SELECT '294277-01-01'::timestamp")
        self.assertEqual((r.stdout, r.stderr), ("+294277-01-01T00:00:00.000Z\n", ""))
        r = self.psql("-o", "/dev/null", "-c", "COPY (SELECT '294277-01-01'::timestamp) TO STDOUT (FORMAT binary)")
        self.assertEqual(r.stderr, "")

    def test_nothing(self):
        r = self.psql(text="CREATE TABLE nothing (a INT PRIMARY KEY);\nCOPY nothing FROM STDIN;\n\\.\nCOPY nothing TO STDOUT;\n")
        self.assertEqual((r.stdout, r.stderr), ("CREATE TABLE\nCOPY 0\n", ""))

    def test_error_names_the_line(self):
        r = self.psql(text="CREATE TABLE bad (a INT PRIMARY KEY);\nCOPY bad FROM STDIN;\n1\nx\n3\n\\.\n")
        self.assertIn("line 2", r.stderr)
        self.assertIn('"x"', r.stderr)
        r = self.psql("-At", "-c", "SELECT count(*) FROM bad")
        self.assertEqual(r.stdout, "0\n")

    def test_the_statements_around_it(self):
        r = self.psql("-c", "CREATE TABLE around (a INT PRIMARY KEY)",
                      "-c", "INSERT INTO around VALUES (1); COPY around TO STDOUT; INSERT INTO around VALUES (2); COPY around TO STDOUT")
        self.assertEqual(r.stdout, "CREATE TABLE\nINSERT 0 1\n1\nINSERT 0 1\n1\n2\n")

    def test_pgbench(self):
        r = self.psql("-c", "CREATE TABLE pgbench_accounts (aid INT NOT NULL, bid INT, abalance INT, filler VARCHAR(84), PRIMARY KEY (aid))")
        self.assertEqual(r.stderr, "")
        r = self.psql(text="begin;\ntruncate table pgbench_accounts;\ncopy pgbench_accounts from stdin with (freeze on);\n" +
                      "".join(f"{i}\t1\t0\t\n" for i in range(1, 20001)) + "\\.\ncommit;\n")
        self.assertEqual(r.stderr, "")
        r = self.psql("-At", "-c", "SELECT count(*), sum(aid) FROM pgbench_accounts")
        self.assertEqual(r.stdout, "20000|200010000\n")


class DriverCopy(ServerTest):
    """psycopg2, psycopg 3 and asyncpg."""

    def connect(self):
        import psycopg
        return psycopg.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro", autocommit=True)

    def test_psycopg2(self):
        import psycopg2
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        k = c.cursor()
        k.execute("CREATE TABLE p2 (a INT PRIMARY KEY, t VARCHAR)")
        k.copy_from(io.StringIO("1\tx\n2\ty\n"), "p2", columns=("a", "t"))
        k.copy_expert("COPY p2 FROM STDIN (FORMAT csv)", io.StringIO('3,"a ""b"""\n'))
        out = io.StringIO()
        k.copy_to(out, "p2")
        self.assertEqual(out.getvalue(), '1\tx\n2\ty\n3\ta "b"\n')
        c.close()

    def test_psycopg3(self):
        with self.connect() as c:
            for form in ("TEXT", "BINARY"):
                name = "p3" + form
                c.execute(TABLE.format(name))
                with c.cursor().copy(f"COPY {name} FROM STDIN (FORMAT {form})") as copy:
                    if form == "BINARY":
                        copy.set_types(["text", "timestamptz", "float8", "int8", "bytea", "bool", "int4[]"])
                    for row in ROWS:
                        copy.write_row(row)
                got = c.execute(f"SELECT * FROM {name} ORDER BY time").fetchall()
                self.assertEqual([tuple(r) for r in got], ROWS)
                with c.cursor().copy(f"COPY (SELECT * FROM {name} ORDER BY time) TO STDOUT (FORMAT {form})") as copy:
                    copy.set_types(["text", "timestamptz", "float8", "int8", "bytea", "bool", "int4[]"])
                    self.assertEqual(list(copy.rows()), ROWS)

    def test_giving_up(self):
        import psycopg
        with self.connect() as c:
            c.execute("CREATE TABLE up (a INT PRIMARY KEY)")
            with self.assertRaises(psycopg.errors.QueryCanceled):
                with c.cursor().copy("COPY up FROM STDIN") as copy:
                    copy.write("1\n2\n")
                    raise ZeroDivisionError
            self.assertEqual(c.execute("SELECT count(*) FROM up").fetchone(), (0,))
            raw = c.pgconn.exec_(b"COPY up FROM STDIN")
            self.assertEqual(raw.status, psycopg.pq.ExecStatus.COPY_IN)
            c.pgconn.put_copy_data(b"1\n")
            c.pgconn.put_copy_end(b"had enough")
            raw = c.pgconn.get_result()
            self.assertEqual((raw.error_field(67), raw.error_field(77)), (b"57014", b"COPY from stdin failed: had enough"))
            self.assertIsNone(c.pgconn.get_result())

    def test_error_in_the_middle(self):
        import psycopg
        with self.connect() as c:
            c.execute("CREATE TABLE middle (a INT PRIMARY KEY)")
            for start in ("COPY middle FROM STDIN", "COPY middle FROM STDIN (FORMAT csv)"):
                with self.assertRaises(psycopg.errors.InvalidTextRepresentation):
                    with c.cursor().copy(start) as copy:
                        for i in range(100000):
                            copy.write(f"{i}\n" if i != 50 else "word\n")
                self.assertEqual(c.execute("SELECT count(*) FROM middle").fetchone(), (0,))

    def test_transaction(self):
        with self.connect() as c:
            c.execute("CREATE TABLE block (a INT PRIMARY KEY)")
            with c.transaction(force_rollback=True):
                with c.cursor().copy("COPY block FROM STDIN") as copy:
                    copy.write("1\n2\n")
                self.assertEqual(c.execute("SELECT count(*) FROM block").fetchone(), (2,))
            self.assertEqual(c.execute("SELECT count(*) FROM block").fetchone(), (0,))

    def test_with_parameters(self):
        with self.connect() as c:
            with c.cursor().copy("COPY (SELECT %s::int + 1, %s::text) TO STDOUT", (41, "x")) as copy:
                self.assertEqual(b"".join(copy), b"42\tx\n")

    def test_cancel(self):
        import psycopg
        with self.connect() as c:
            c.execute("CREATE TABLE waits (a INT PRIMARY KEY)")
            with self.assertRaises(psycopg.errors.QueryCanceled) as caught:
                with c.cursor().copy("COPY waits FROM STDIN") as copy:
                    copy.write("1\n")
                    c.cancel()
                    select.select([c.fileno()], [], [], 120)  # the error
            self.assertIn("user request", str(caught.exception))
            self.assertEqual(c.execute("SELECT count(*) FROM waits").fetchone(), (0,))

    def test_asyncpg(self):
        async def body():
            import asyncpg
            c = await asyncpg.connect(host="127.0.0.1", port=self.server.port, user="dendro", database="dendro")
            await c.execute("CREATE TABLE apg (s VARCHAR NOT NULL, time TIMESTAMP NOT NULL, v DOUBLE, PRIMARY KEY (s, time))")
            n = 20000
            tag = await c.copy_records_to_table(
                "apg", columns=["s", "time", "v"], records=[("a", NOON + datetime.timedelta(seconds=i), i / 2) for i in range(n)])
            self.assertEqual(tag, f"COPY {n}")
            self.assertEqual(await c.fetchval("SELECT sum(v) FROM apg"), n * (n - 1) / 4)
            out = io.BytesIO()
            tag = await c.copy_from_query("SELECT s, v FROM apg WHERE v < 1 ORDER BY v", output=out, format="csv")
            self.assertEqual((tag, out.getvalue()), ("COPY 2", b"a,0\na,0.5\n"))
            with self.assertRaises(asyncpg.exceptions.NotNullViolationError):
                await c.copy_records_to_table("apg", records=[("b", NOON, 1.0), (None, NOON, 2.0)])
            self.assertEqual(await c.fetchval("SELECT count(*) FROM apg"), n)
            await c.close()
        asyncio.run(body())


class RawCopy(ServerTest):
    """Frames that no driver would send."""

    def start(self):
        s = socket.create_connection(("127.0.0.1", self.server.port))
        body = struct.pack(">i", 196608) + b"user\0dendro\0\0"
        s.sendall(struct.pack(">i", len(body) + 4) + body)
        self.until(s, b"Z\0\0\0\5I")
        return s

    def until(self, s, end):
        got = b""
        while not got.endswith(end):
            part = s.recv(100000)
            if not part:
                raise EOFError(got)
            got += part
        return got

    def message(self, kind, body=b""):
        return kind + struct.pack(">i", len(body) + 4) + body

    def query(self, s, text):
        s.sendall(self.message(b"Q", text + b"\0"))
        return self.until(s, b"Z\0\0\0\5I")

    def test_a_row_in_many_messages_and_many_in_one(self):
        with self.start() as s:
            self.query(s, b"CREATE TABLE pieces (a INT PRIMARY KEY, t VARCHAR)")
            s.sendall(self.message(b"Q", b"COPY pieces FROM STDIN\0"))
            for c in b"1\tone\n":
                s.sendall(self.message(b"d", bytes([c])))
            s.sendall(self.message(b"d") + self.message(b"H") + self.message(b"S") + self.message(b"d", b"2\ttwo\n3\tthree\n4"))
            s.sendall(self.message(b"d", b"\tfour\n") + self.message(b"c"))
            self.assertIn(b"COPY 4\0", self.until(s, b"Z\0\0\0\5I"))
            self.assertIn(b"four", self.query(s, b"SELECT t FROM pieces WHERE a = 4"))

    def test_another_message(self):
        with self.start() as s:
            self.query(s, b"CREATE TABLE other (a INT PRIMARY KEY)")
            s.sendall(self.message(b"Q", b"COPY other FROM STDIN\0") + self.message(b"Q", b"SELECT 1\0"))
            got = b""
            while part := s.recv(10000):
                got += part
            self.assertIn(b"C08P01\0", got)
        with self.start() as s:
            self.assertIn(b"D\0\0\0\x0b\0\1\0\0\0\x010", self.query(s, b"SELECT count(*) FROM other"))

    def test_a_client_that_vanishes(self):
        with self.start() as s:
            self.query(s, b"CREATE TABLE gone (a INT PRIMARY KEY)")
            s.sendall(self.message(b"Q", b"COPY gone FROM STDIN\0") + self.message(b"d", b"1\n2\n"))
            self.until(s, b"\0")
        with self.start() as s:
            self.assertIn(b"D\0\0\0\x0b\0\1\0\0\0\x010", self.query(s, b"SELECT count(*) FROM gone"))

    def test_many_that_wait(self):
        """More clients in the middle of a COPY than there are workers: others are served all the same."""
        waiting = []
        with self.start() as s:
            self.query(s, b"CREATE TABLE wait (a INT PRIMARY KEY)")
            for _ in range(100):
                w = self.start()
                w.sendall(self.message(b"Q", b"COPY wait FROM STDIN\0"))
                self.until(w, b"\0")
                waiting.append(w)
            self.assertIn(b"D\0\0\0\x0b\0\1\0\0\0\x010", self.query(s, b"SELECT count(*) FROM wait"))
            for i, w in enumerate(waiting):
                w.sendall(self.message(b"d", b"%d\n" % i) + self.message(b"c"))
            for w in waiting:
                self.assertIn(b"COPY 1\0", self.until(w, b"Z\0\0\0\5I"))
                w.close()
            self.assertIn(b"\0\0\0\x03100", self.query(s, b"SELECT count(*) FROM wait"))

    def rss(self):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))

    def test_flat_memory(self):
        """A long message in, and a long result out to somebody who does not read: neither is kept."""
        with self.start() as s:
            self.query(s, b"CREATE TABLE flat (a INT PRIMARY KEY)")
            before = self.rss()
            s.sendall(self.message(b"Q", b"COPY flat FROM STDIN (FORMAT csv)\0"))
            row = b"1\n" * 50000
            size = 100 * len(row)
            s.sendall(b"d" + struct.pack(">i", size + 4))
            for _ in range(100):
                s.sendall(row)
            s.sendall(self.message(b"c"))
            self.assertIn(b"COPY 5000000\0", self.until(s, b"Z\0\0\0\5I"))
            s.sendall(self.message(b"Q", b"COPY (SELECT repeat('x', 1000) FROM generate_series(1, 1000000)) TO STDOUT\0"))
            time.sleep(2)
            grown = self.rss() - before
            self.assertLess(grown, 300000, f"{grown} kB")
            with self.start() as other:
                self.assertIn(b"\0\0\0\x011", self.query(other, b"SELECT count(*) FROM flat"))


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

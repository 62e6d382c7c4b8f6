#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cancel, statement_timeout and SIGTERM are answered within a second, whatever a statement is at.

    test_interrupt.py DENDRO [CLASS...]   runs all, or these
    test_interrupt.py --list              names of the classes

On a machine with other things to do an answer takes longer: then what the server has worked in that time counts.
"""
import http.client
import io
import os
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest

import psycopg2
import wirelib
from wirelib import Server

ANSWER_S = 1  # of the clock on the wall, or of the processor
SLOWER = 5  # programs with sanitizers
WAIT_S = 120
PIPE = os.path.join(tempfile.gettempdir(), f"dendro-interrupt-{os.getpid()}")
PIPES = [PIPE + "-in", PIPE + "-out"]  # nobody is at their other sides
SERIES = "generate_series(1, 1000000000) x"
# Aggregates that keep all values: as many as fit into memory, again and again.
AGAIN = "SELECT count((SELECT {} FROM generate_series(g, g + 1000000) x)) FROM generate_series(1, 100000) g"
SLOW = "md5(repeat(v, 20000))"  # of a row of big

# Each would take minutes.
BUSY = {
    "sort": f"SELECT x FROM {SERIES} ORDER BY x % 1000003, x OFFSET 900000000",
    "group": f"SELECT x, count(*) FROM {SERIES} GROUP BY x ORDER BY 2 LIMIT 1",
    "distinct": f"SELECT count(DISTINCT x) FROM {SERIES}",
    "join": "SELECT count(*) FROM big a, big b, big c WHERE a.v < b.v AND b.v < c.v",
    "set operation": f"SELECT count(*) FROM (SELECT x FROM {SERIES} EXCEPT SELECT x + 1 FROM {SERIES}) t",
    "recursion": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "subquery of each row": "SELECT count(*) FROM big b WHERE (SELECT count(*) FROM big c WHERE c.v < b.v AND c.a + b.a > 0) > 5",
    "a function": f"SELECT max(length(replace(repeat('a', 20000000), 'a', 'bbbbbbbbb' || x))) FROM {SERIES}",
    "LIKE with a long piece": "SELECT repeat('a', 2000000) LIKE '%' || repeat('a', 1000000) || '_b%'",
    "compiling": "SELECT CASE " + " ".join(f"WHEN a = {i} THEN {i}" for i in range(100000)) + " END FROM big",
    "aggregated text": f"SELECT length(string_agg(x::text, ',')) FROM {SERIES}",
    "a sort within an aggregate": AGAIN.format("array_length(array_agg(x ORDER BY x % 1000003, x), 1)"),
    "a sort of texts within a group": AGAIN.format("mode() WITHIN GROUP (ORDER BY x::text)"),
    "a sort of numbers within a group": AGAIN.format("mode() WITHIN GROUP (ORDER BY x)"),
    "aggregated array": f"SELECT array_length(array_agg(x), 1) FROM {SERIES}",
    "INSERT": f"INSERT INTO sink SELECT x, 1, 'y' FROM {SERIES}",
    "UPDATE": "UPDATE big SET a = a + (SELECT count(*)::int FROM big c WHERE c.v < big.v AND c.a + big.a > 1)",
    "DELETE": "DELETE FROM big WHERE (SELECT count(*) FROM big c WHERE c.v < big.v AND c.a + big.a > 1) > 1000000",
    "CREATE TABLE AS": f"CREATE TABLE made AS SELECT x FROM {SERIES}",
    "ALTER that rewrites": f"ALTER TABLE big ALTER COLUMN v TYPE VARCHAR USING {SLOW}",
    "ALTER that checks": f"ALTER TABLE big ADD CONSTRAINT slow CHECK (length({SLOW}) > 0)",
    "ALTER that computes": f"ALTER TABLE big ADD COLUMN slow VARCHAR GENERATED ALWAYS AS ({SLOW}) STORED",
    "a generated column": "INSERT INTO computed (k) SELECT x FROM generate_series(1, 100000) x",
    "a CHECK": "INSERT INTO checked SELECT x FROM generate_series(1, 100000) x",
    "EXPLAIN ANALYZE": f"EXPLAIN ANALYZE SELECT count(*) FROM {SERIES}",
    "COPY TO a file": f"COPY (SELECT x FROM {SERIES}) TO '/dev/null'",
    "COPY TO a Parquet file": f"COPY (SELECT x, x::text AS t FROM {SERIES}) TO '/dev/null' (FORMAT parquet)",
    "rows in the fewest bytes": f"INSERT INTO packed SELECT x, x * 0.1 FROM {SERIES}",
    "the end of a match": f"SELECT count(regexp_match(repeat('b', 10000000) || x, '[bc]*(b|bb)')) FROM {SERIES}",
    "MERGE": f"MERGE INTO sink USING (SELECT x FROM {SERIES}) s ON k = s.x WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT VALUES (s.x, 1, 'z')",
    "a change in WITH": f"WITH w AS (UPDATE big SET a = 1 FROM {SERIES} WHERE x + big.k < 0 RETURNING k) SELECT count(*) FROM w",
    "all shards of a time partition": f"UPDATE parted SET a = 1 FROM {SERIES} WHERE x + parted.k < 0",
    "EXECUTE": f"PREPARE busy AS SELECT count(*) FROM {SERIES}; EXECUTE busy",
    "a cursor": f"DECLARE held CURSOR WITH HOLD FOR SELECT x FROM {SERIES}",
    "FETCH": f"BEGIN; DECLARE c CURSOR FOR SELECT x FROM {SERIES} WHERE x < 0; FETCH c",
    "MOVE": f"BEGIN; DECLARE c CURSOR FOR SELECT x FROM {SERIES}; MOVE ALL IN c",
    "window": f"SELECT sum(x) OVER (PARTITION BY x % 7 ORDER BY x % 1000003) FROM {SERIES} LIMIT 1",
    "the first of a sort": f"SELECT x FROM {SERIES} ORDER BY x % 1000003, x LIMIT 10",
    "grouping sets": f"SELECT x % 1000, x % 7, count(*) FROM {SERIES} GROUP BY GROUPING SETS ((1, 2), (1), ())",
    "groups that do not fit": f"SET statement_memory = '4MB'; SELECT x, count(*), sum(x) FROM {SERIES} GROUP BY x OFFSET 900000000",
    "building a hash join": f"SELECT count(*) FROM big JOIN (SELECT x, x::text AS t FROM {SERIES}) s ON big.v = s.t AND big.k = s.x + 1",
    "probing a hash join": f"SELECT count(*) FROM {SERIES} JOIN big ON big.k = x + 1000000000",
    "JSON": f"SELECT max(length(json_build_object('x', x, 'y', 'a text')::text)) FROM {SERIES}",
    "what the catalog says": f"SELECT count(pg_get_viewdef(c.oid)), count(format_type(x::oid, 3)), count(to_regclass('t' || x)) FROM pg_class c, {SERIES}",
    "a regular expression": f"SELECT count(*) FROM {SERIES} WHERE regexp_replace(repeat('ab', 5000), 'a(b)', x::text, 'g') = 'x'",
    "RETURNING": f"INSERT INTO sink SELECT x, 1, {SLOW} FROM {SERIES}, (SELECT v FROM big LIMIT 1) b RETURNING k",
    "ON CONFLICT": f"INSERT INTO sink SELECT x % 10, 1, 'y' FROM {SERIES} WHERE x > 900000000 ON CONFLICT (k) DO NOTHING",
    "TABLESAMPLE": f"SELECT count(*) FROM big TABLESAMPLE BERNOULLI (50), {SERIES}",
}
# Behind an ALTER that rewrites big, or an advisory lock.
WAITING = {
    "a row for the table": "INSERT INTO big VALUES (0, 0, '')",
    "CREATE TABLE": "CREATE TABLE other (a INT PRIMARY KEY)",
    "DROP TABLE": "DROP TABLE sink",
    "TRUNCATE": "TRUNCATE sink",
    "CREATE SEQUENCE": "CREATE SEQUENCE other",
    "ALTER ROLE": "ALTER ROLE dendro SET lock_timeout = 0",
    "ALTER SYSTEM": "ALTER SYSTEM SET idle_timeout = 0",
    "RENAME": "ALTER TABLE sink RENAME TO sunk",
    "CREATE INDEX": "CREATE INDEX ON sink (a)",
    "CREATE VIEW": "CREATE VIEW seen AS SELECT 1 AS x",
    "GRANT": "GRANT SELECT ON sink TO PUBLIC",
    "COMMENT": "COMMENT ON TABLE sink IS 'x'",
    "retention": "ALTER TABLE dated SET (retention = '30 days')",
    "a rollout": "PUT COUNTER parted INCREMENT",
    "a table for rows": "CREATE TABLE copied AS SELECT 1 AS x",
    "a temporary table": "CREATE TEMP TABLE brief (x INT)",
    "the end of a block": "BEGIN; CREATE TABLE later (x INT); COMMIT",
    "a lock": "SELECT pg_advisory_lock(1)",
    "sleep": "SELECT pg_sleep(3000)",
    "COPY from a pipe without a writer": f"COPY sink FROM '{PIPES[0]}'",
    "COPY of JSON from a pipe without a writer": f"COPY sink FROM '{PIPES[0]}' (FORMAT ndjson)",
    "COPY to a pipe without a reader": f"COPY (SELECT 1) TO '{PIPES[1]}'",
}
# What goes on when what it waits for has ended; the rest waits for what does not come.
BEHIND = [sql for name, sql in WAITING.items() if name != "sleep" and "pipe" not in name]


class Statement:
    """Runs in a thread of its own."""

    def __init__(self, connection, sql, timeout_ms=0):
        self.connection = connection
        self.sql = sql
        self.outcome = None
        self.thread = threading.Thread(target=self.run, args=(sql, timeout_ms))
        self.thread.start()

    def run(self, sql, timeout_ms):
        try:
            k = self.connection.cursor()
            k.execute(f"SET statement_timeout = {timeout_ms}")
            k.execute(sql)
            self.outcome = "done"
        except psycopg2.Error as e:
            self.outcome = e.pgcode or str(e)

    def ended(self, seconds):
        self.thread.join(seconds)
        return not self.thread.is_alive()


class InterruptTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(wirelib.PROGRAM, "rb") as f:
            program = f.read()
        cls.answer_s = ANSWER_S * (SLOWER if b"__asan_init" in program or b"__tsan_init" in program else 1)
        for pipe in PIPES:
            os.mkfifo(pipe)
            cls.addClassCleanup(os.remove, pipe)

    def setUp(self):
        self.before_s = self.children()
        self.server = Server("--http-port", "any", "--ilp-port", "any", "--drain-timeout", "0")
        self.http_port, self.lines_port = (int(self.server.process.stdout.readline().split("port ")[1].split(":")[0]) for _ in range(2))
        self.addCleanup(self.server.remove)
        k = self.connect().cursor()
        k.execute("CREATE TABLE big (k BIGINT PRIMARY KEY, a INT, v VARCHAR); CREATE TABLE sink (k BIGINT PRIMARY KEY, a INT, v VARCHAR); "
                  "CREATE TABLE parts (k BIGINT PRIMARY KEY, a INT); INSERT INTO parts VALUES (1, 1); "
                  "INSERT INTO big SELECT g, g % 1000, 'value ' || g FROM generate_series(1, 100000) g")
        k.execute(f"CREATE TABLE computed (k BIGINT PRIMARY KEY, v VARCHAR GENERATED ALWAYS AS ({SLOW.replace('v', 'k::text')}) STORED); "
                  f"CREATE TABLE checked (k BIGINT PRIMARY KEY, CHECK (length({SLOW.replace('v', 'k::text')}) > 0))")
        k.execute("CREATE TABLE packed (k BIGINT PRIMARY KEY, v DOUBLE) WITH (compression = 'max')")
        k.execute("CREATE TABLE dated (t TIMESTAMP PRIMARY KEY, v INT)")
        k.execute("CREATE TIME PARTITION ON parts AS parted PERIOD 'manual' RETENTION 3 START 1")
        k.execute("PUT COUNTER parted INCREMENT")

    def connect(self):
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        self.addCleanup(c.close)
        return c

    def cpu(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def children():
        """What processes that have ended have worked."""
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return r.ru_utime + r.ru_stime

    def until_busy(self, statement, seconds=0.3):
        """It has computed for a while."""
        begin, base = time.monotonic(), self.cpu()
        while self.cpu() - base < seconds:
            self.assertIsNone(statement.outcome)
            self.assertLess(time.monotonic() - begin, WAIT_S)
            time.sleep(0.01)

    def in_time(self, name, seconds, took, worked):
        """Both are too long only if it is not the machine that was busy. Statements run in several threads."""
        if took > seconds:
            self.assertLess(worked, seconds * os.cpu_count(), f"{name}: {took:.1f} s")

    def cancel(self, statement, name):
        """Asks until it is answered: one that comes before the statement begins is not for it."""
        begin, base = time.monotonic(), self.cpu()
        while not statement.ended(0.2 if time.monotonic() > begin else 0):
            if time.monotonic() - begin > WAIT_S:
                break
            statement.connection.cancel()
        took, worked = time.monotonic() - begin, self.cpu() - base
        if "DENDRO_TEST_VERBOSE" in os.environ:
            print(f"{name}: {statement.outcome} after {took:.2f} s, {worked:.2f} s of work", flush=True)
        self.assertEqual(statement.outcome, "57014", name)
        self.in_time(name, self.answer_s, took, worked)

    def stop(self, seconds):
        begin, base = time.monotonic(), self.cpu()
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.communicate(timeout=WAIT_S)
        self.assertEqual(self.server.process.returncode, 0)
        self.in_time("SIGTERM", seconds, time.monotonic() - begin, self.children() - self.before_s - base)


class Cancel(InterruptTest):
    def test_busy(self):
        for name, sql in BUSY.items():
            s = Statement(self.connect(), sql)
            self.until_busy(s)
            self.cancel(s, name)
        self.stop(self.answer_s)

    def test_waiting(self):
        k = self.connect().cursor()
        k.execute("SELECT pg_advisory_lock(1)")
        holder = Statement(self.connect(), BUSY["ALTER that rewrites"])
        self.until_busy(holder, 1)
        for name, sql in WAITING.items():
            s = Statement(self.connect(), sql)
            self.assertFalse(s.ended(0.3), name)  # it does wait
            self.cancel(s, name)
        self.assertIsNone(holder.outcome)
        self.cancel(holder, "the ALTER that they waited for")


class CancelViews(InterruptTest):
    def test_views(self):
        """A view of 2048 inputs: what is done for each of them looks at all others."""
        c = self.connect()
        k = c.cursor()
        k.execute("CREATE VIEW v0 AS SELECT 1 AS x")
        for i in range(1, 10):
            k.execute(f"CREATE VIEW v{i} AS SELECT a.x FROM v{i - 1} a, v{i - 1} b")
        s = Statement(c, "CREATE VIEW wide AS SELECT a.x FROM v9 a, v9 b, v9 c, v9 d")
        self.until_busy(s, 1)
        self.cancel(s, "a view of views")


class Timeout(InterruptTest):
    def timed(self, name, sql):
        begin, base = time.monotonic(), self.cpu()
        s = Statement(self.connect(), sql, 500)
        self.assertTrue(s.ended(WAIT_S), name)
        self.assertEqual(s.outcome, "57014", name)
        self.in_time(name, 0.5 + self.answer_s, time.monotonic() - begin, self.cpu() - base)

    def test_busy(self):
        for name, sql in BUSY.items():
            self.timed(name, sql)

    def test_waiting(self):
        k = self.connect().cursor()
        k.execute("SELECT pg_advisory_lock(1)")
        holder = Statement(self.connect(), BUSY["ALTER that rewrites"])
        self.until_busy(holder, 1)
        for name, sql in WAITING.items():
            self.timed(name, sql)
        self.assertIsNone(holder.outcome)
        self.cancel(holder, "the ALTER that they waited for")


class CopyCancel(InterruptTest):
    """The client of a COPY says nothing more, or reads nothing more."""

    class Stuck(io.RawIOBase):
        def __init__(self):
            super().__init__()
            self.asked = threading.Event()
            self.go = threading.Event()

        def read(self, _size=-1):
            if self.asked.is_set():
                self.go.wait(WAIT_S)
                return ""
            self.asked.set()
            return "1\t1\tone\n"

        def write(self, data):
            self.asked.set()
            self.go.wait(WAIT_S)
            return len(data)

    def copy(self, sql):
        c, stuck, said = self.connect(), self.Stuck(), []

        def run():
            try:
                c.cursor().copy_expert(sql, stuck)
                said.append("done")
            except psycopg2.Error as e:
                said.append(e.pgcode)
        t = threading.Thread(target=run)
        t.start()
        self.assertTrue(stuck.asked.wait(WAIT_S))
        c.cancel()
        begin, base = time.monotonic(), self.cpu()
        stuck.go.set()
        t.join(WAIT_S)
        self.assertEqual(said, ["57014"])
        self.in_time(sql, self.answer_s, time.monotonic() - begin, self.cpu() - base)

    def test_in(self):
        self.copy("COPY sink FROM STDIN")

    def test_out(self):
        self.copy(f"COPY (SELECT x, repeat('x', 1000) FROM {SERIES}) TO STDOUT")


class Terminate(InterruptTest):
    """SIGTERM, while all of it is under way at once."""

    def test_all(self):
        login = socket.create_connection(("127.0.0.1", self.server.port))
        login.sendall(b"\0\0\0\x20")  # the beginning of a startup message
        web = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=WAIT_S)
        web.request("POST", "/api/sql", BUSY["group"])
        stream = socket.create_connection(("127.0.0.1", self.http_port))  # reads nothing of its result
        body = f"SELECT x, repeat('x', 1000) FROM {SERIES}"
        stream.sendall(f"POST /api/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        lines = socket.create_connection(("127.0.0.1", self.lines_port))
        lines.sendall(b"points,host=a v=1 1\npoints,host=b v=")  # half a line
        half = socket.create_connection(("127.0.0.1", self.http_port))
        half.sendall(b"POST /api/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nSELECT")
        k = self.connect().cursor()
        k.execute("SELECT pg_advisory_lock(1)")
        statements = [Statement(self.connect(), BUSY["ALTER that rewrites"])]
        self.until_busy(statements[0], 1)
        statements += [Statement(self.connect(), WAITING[name]) for name in WAITING]
        statements += [Statement(self.connect(), BUSY[name]) for name in ("sort", "join", "INSERT", "recursion", "COPY TO a file")]
        self.until_busy(statements[-1], 1)
        self.stop(2 * self.answer_s)
        for s in statements:
            self.assertTrue(s.ended(WAIT_S))
            if s.sql not in BEHIND:  # what it waits for may end before it is told to end itself
                self.assertNotEqual(s.outcome, "done", s.sql)
        for s in (login, half, web, stream, lines):
            s.close()


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real clients against `dendro serve`.

    test_clients.py DENDRO [CLASS...]   runs all, or these
    test_clients.py --list              the classes, one per line"""
import asyncio
import datetime
import decimal
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import wirelib
from wirelib import ServerTest

SCHEMA = """CREATE TABLE reading (
    series VARCHAR NOT NULL, time TIMESTAMP NOT NULL, v DOUBLE, n BIGINT, note VARCHAR, ok BOOLEAN,
    PRIMARY KEY ((series, QUANTUM(time, 1, 'd')), series, time))"""
UTC = datetime.timezone.utc
NOON = datetime.datetime(2024, 1, 1, 12, 0, 0, 250000, tzinfo=UTC)


class Psql(ServerTest):
    """psql: the simple protocol."""

    def psql(self, *args, text=None):
        return subprocess.run(
            ["psql", "-X", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "dendro", *args],
            input=text, capture_output=True, text=True, timeout=120, check=False)

    def test_query(self):
        r = self.psql("-At", "-c", "SELECT 1, 'x', NULL, true, 1.5, DATE '2024-02-03'")
        self.assertEqual((r.stdout, r.stderr), ("1|x||t|1.5|2024-02-03\n", ""))

    def test_time_has_its_offset(self):
        r = self.psql("-At", "-c", "SELECT TIMESTAMP '2024-01-01 12:00:00.25'")
        self.assertEqual(r.stdout, "2024-01-01 12:00:00.25+00\n")

    def test_time_of_a_zone_has_no_offset(self):
        """What AT TIME ZONE makes of an instant is not moved to the session's zone once more."""
        r = self.psql("-At", "-c", "SET TIME ZONE 'America/Los_Angeles'",
                      "-c", "SELECT '2001-02-16 20:38:40-05'::timestamptz AT TIME ZONE 'America/Denver'",
                      "-c", "SELECT now() AT TIME ZONE 'America/Los_Angeles' = localtimestamp, pg_typeof(localtimestamp)")
        self.assertEqual((r.stdout, r.stderr), ("SET\n2001-02-16 18:38:40\nt|timestamp without time zone\n", ""))
        r = self.psql("-At", text="SELECT now() AT TIME ZONE 'UTC' AS a, now() AS b, ARRAY[localtimestamp] AS c \\gdesc\n")
        self.assertEqual(r.stdout, "a|timestamp without time zone\nb|timestamp with time zone\nc|timestamp without time zone[]\n")

    def test_script(self):
        r = self.psql("-At", text="CREATE TABLE s (a INT PRIMARY KEY, b VARCHAR);\n"
                                  "INSERT INTO s VALUES (1, 'x'), (2, 'y');\n"
                                  "SELECT b FROM s WHERE a = 2;\nDROP TABLE s;\n")
        self.assertEqual((r.stdout, r.stderr), ("CREATE TABLE\nINSERT 0 2\ny\nDROP TABLE\n", ""))

    def test_several_in_one_message(self):
        r = self.psql("-At", text="SELECT 1 \\; SELECT 2 \\; SELECT 3;\n")
        self.assertEqual(r.stdout, "1\n2\n3\n")

    def test_error_points_at_the_place(self):
        r = self.psql("-v", "VERBOSITY=verbose", "-c", "SELECT a, nope(1)\nFROM (VALUES (1)) t(a)")
        self.assertIn("ERROR:  42883", r.stderr)
        self.assertIn("LINE 1: SELECT a, nope(1)", r.stderr)

    def test_error_in_the_second_statement(self):
        r = self.psql("-At", "-c", "SELECT 1; SELECT 'ü' + nope;")
        self.assertEqual(r.stdout, "1\n")
        self.assertIn("LINE 1: SELECT 1; SELECT 'ü' + nope;\n                               ^", r.stderr)

    def test_notice(self):
        self.psql("-c", "CREATE TABLE n (a INT PRIMARY KEY)")
        r = self.psql("-c", "CREATE TABLE IF NOT EXISTS n (a INT PRIMARY KEY)")
        self.assertEqual(r.stdout, "CREATE TABLE\n")
        self.assertIn("NOTICE:", r.stderr)

    def test_empty(self):
        r = self.psql("-At", text=";\nSELECT 1;\n")
        self.assertEqual((r.stdout, r.stderr), ("1\n", ""))

    def test_statements_of_one_message_are_one_transaction(self):
        self.psql("-c", "CREATE TABLE one (a INT PRIMARY KEY)")
        r = self.psql("-c", "INSERT INTO one VALUES (1); INSERT INTO one VALUES (2); SELECT 1 / 0; INSERT INTO one VALUES (3)")
        self.assertIn("division by zero", r.stderr)
        self.assertEqual(self.psql("-At", "-c", "SELECT count(*) FROM one").stdout, "0\n")
        r = self.psql("-At", "-c", "INSERT INTO one VALUES (1); CREATE TABLE two (a INT PRIMARY KEY); INSERT INTO two SELECT a FROM one;"
                      " SELECT count(*) FROM two; -- and that is all")
        self.assertEqual((r.stdout, r.stderr), ("INSERT 0 1\nCREATE TABLE\nINSERT 0 1\n1\n", ""))
        # COMMIT ends it, what follows is the next one; BEGIN makes a block of it
        r = self.psql("-c", "INSERT INTO one VALUES (2); COMMIT; INSERT INTO one VALUES (3); SELECT * FROM nowhere")
        self.assertIn("there is no transaction in progress", r.stderr)
        self.assertEqual(self.psql("-At", "-c", "SELECT max(a) FROM one").stdout, "2\n")
        r = self.psql("-c", "INSERT INTO one VALUES (5); BEGIN; INSERT INTO one VALUES (6)", "-c", "ROLLBACK")
        self.assertEqual((r.stdout, r.stderr), ("INSERT 0 1\nBEGIN\nINSERT 0 1\nROLLBACK\n", ""))
        self.assertEqual(self.psql("-At", "-c", "SELECT max(a) FROM one").stdout, "2\n")
        r = self.psql("-c", "SELECT 1; SAVEPOINT s")
        self.assertIn("SAVEPOINT can only be used in transaction blocks", r.stderr)
        r = self.psql("-c", "VACUUM")
        self.assertEqual(r.stderr, "")

    def test_settings_at_the_start(self):
        for more in (["-d", "postgresql:///dendro?options=-c%20TimeZone%3DAsia/Tokyo%20--nobody-knows%3D1"],):
            r = self.psql("-At", *more, "-c", "SHOW TimeZone", "-c", "SELECT TIMESTAMPTZ '2024-01-01 00:00+00'", "-c", "SELECT current_user")
            self.assertEqual((r.stdout, r.stderr), ("Asia/Tokyo\n2024-01-01 09:00:00+09\ndendro\n", ""))
        r = self.psql("-d", "postgresql:///dendro?options=-c%20TimeZone%3DNowhere", "-c", "SELECT 1")
        self.assertEqual(r.returncode, 2)
        self.assertIn("Nowhere", r.stderr)

    def test_unknown_database(self):
        r = self.psql("-d", "elsewhere", "-c", "SELECT 1")
        self.assertEqual(r.returncode, 2)
        self.assertIn('database "elsewhere" does not exist', r.stderr)

    def test_many_rows(self):
        r = self.psql("-At", "-c", "SELECT g, repeat('x', 100) FROM generate_series(1, 200000) g")
        lines = r.stdout.splitlines()
        self.assertEqual(len(lines), 200000)
        self.assertEqual(lines[199999], "200000|" + "x" * 100)

    def test_ready(self):
        r = subprocess.run(["pg_isready", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "dendro"],
                           capture_output=True, text=True, check=False)
        self.assertEqual(r.returncode, 0, r.stdout)


class Psycopg2(ServerTest):
    """psycopg2: libpq, values in the text of the statement."""

    def connect(self):
        import psycopg2
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        return c

    def test_types(self):
        k = self.connect().cursor()
        k.execute("SELECT 1::smallint, 2, 3::bigint, 1.5::real, 2.5::double, 1.25::numeric, 'ä', %s, DATE '2024-02-03',"
                  " TIME '04:05:06.5', TIMESTAMP '2024-01-01 12:00:00.25', INTERVAL '1 day 2 hours',"
                  " NULL, true, ARRAY[1, 2], '7c1f8ac2-52e4-4b0f-a34c-1d0e37a0e3ab'::uuid", (b"\x00\xff",))
        row = list(k.fetchone())
        row[7] = bytes(row[7])
        self.assertEqual(row, [
            1, 2, 3, 1.5, 2.5, decimal.Decimal("1.25"), "ä", b"\x00\xff", datetime.date(2024, 2, 3),
            datetime.time(4, 5, 6, 500000), NOON, datetime.timedelta(days=1, hours=2), None, True, [1, 2],
            "7c1f8ac2-52e4-4b0f-a34c-1d0e37a0e3ab"])

    def test_table(self):
        k = self.connect().cursor()
        k.execute(SCHEMA)
        k.executemany("INSERT INTO reading VALUES (%s, %s, %s, %s, %s, %s)",
                      [("a", NOON + datetime.timedelta(seconds=i), i / 2, i, None, i % 2 == 0) for i in range(20)])
        self.assertEqual(k.rowcount, 20)
        k.execute("SELECT count(*), sum(v), max(time) FROM reading WHERE series = %s AND ok", ("a",))
        self.assertEqual(k.fetchone(), (10, 45.0, NOON + datetime.timedelta(seconds=18)))

    def test_the_client_learns_of_settings(self):
        c = self.connect()
        self.assertEqual([c.get_parameter_status(n) for n in ("TimeZone", "client_encoding", "session_authorization", "in_hot_standby")],
                         ["UTC", "UTF8", "dendro", "off"])
        k = c.cursor()
        k.execute("SET TimeZone = 'Europe/Berlin'")
        self.assertEqual(c.get_parameter_status("TimeZone"), "Europe/Berlin")
        k.execute("BEGIN; SET TimeZone = 'Asia/Tokyo'; SET default_transaction_read_only = on")
        self.assertEqual([c.get_parameter_status(n) for n in ("TimeZone", "default_transaction_read_only")], ["Asia/Tokyo", "on"])
        k.execute("SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00'")
        self.assertEqual(k.fetchone()[0].utcoffset(), datetime.timedelta(hours=9))
        k.execute("ROLLBACK")
        self.assertEqual([c.get_parameter_status(n) for n in ("TimeZone", "default_transaction_read_only")], ["Europe/Berlin", "off"])
        k.execute("CREATE ROLE plain; SET ROLE plain")
        self.assertEqual(c.get_parameter_status("is_superuser"), "off")
        k.execute("RESET ROLE; DROP ROLE plain")
        self.assertEqual(c.get_parameter_status("is_superuser"), "on")

    def test_names_of_columns(self):
        k = self.connect().cursor()
        k.execute("SELECT count(*), 1 + 1, max(x) AS top, upper('a'), 1::int FROM (SELECT 1 AS x) AS t")
        self.assertEqual([c.name for c in k.description], ["count", "?column?", "top", "upper", "int4"])

    def test_error_leaves_the_connection_usable(self):
        import psycopg2
        k = self.connect().cursor()
        with self.assertRaises(psycopg2.errors.UndefinedTable) as caught:
            k.execute("SELECT * FROM nowhere")
        self.assertEqual(caught.exception.diag.sqlstate, "42P01")
        k.execute("SELECT 7")
        self.assertEqual(k.fetchone(), (7,))

    def test_cancel(self):
        import psycopg2
        c = self.connect()
        k = c.cursor()
        done = threading.Event()

        def cancel():  # more than once: the first may come before the statement does
            while not done.wait(0.5):
                c.cancel()

        t = threading.Thread(target=cancel)
        t.start()
        begin = time.monotonic()
        with self.assertRaises(psycopg2.errors.QueryCanceled):
            k.execute("SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 1000) b")
        self.assertLess(time.monotonic() - begin, 60)
        done.set()
        t.join()
        k.execute("SELECT 1")
        self.assertEqual(k.fetchone(), (1,))


class Psycopg3(ServerTest):
    """psycopg 3: the extended protocol, text and binary, pipelines."""

    def connect(self, **more):
        import psycopg
        return psycopg.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro",
                               autocommit=True, **more)

    def test_parameters_are_inferred(self):
        with self.connect() as c:
            c.execute(SCHEMA)
            c.execute("INSERT INTO reading VALUES (%s, %s, %s, %s, %s, %s)", ("a", NOON, 1.5, 7, "x", True))
            row = c.execute("SELECT series, time, v, n, note, ok FROM reading WHERE series = %s AND time >= %s LIMIT %s",
                            ("a", NOON, 5)).fetchone()
            self.assertEqual(row, ("a", NOON, 1.5, 7, "x", True))

    def test_binary(self):
        with self.connect() as c:
            row = c.execute("SELECT 1::smallint, 2, 3::bigint, 1.5::real, 2.5::double, 'ä', TIMESTAMP '2024-01-01 12:00:00.25',"
                            " DATE '2024-02-03', true, NULL, '7c1f8ac2-52e4-4b0f-a34c-1d0e37a0e3ab'::uuid,"
                            " '\\x00ff'::bytea, ARRAY[1, NULL, 3], 12345.678::numeric, 0.0001::numeric, -100000::numeric",
                            binary=True).fetchone()
            self.assertEqual(row, (1, 2, 3, 1.5, 2.5, "ä", NOON, datetime.date(2024, 2, 3), True, None,
                                   uuid.UUID("7c1f8ac2-52e4-4b0f-a34c-1d0e37a0e3ab"), b"\x00\xff", [1, None, 3],
                                   decimal.Decimal("12345.678"), decimal.Decimal("0.0001"), decimal.Decimal(-100000)))

    def test_times_of_a_zone(self):
        """A time without a zone is a naive datetime in both directions, in text and in binary."""
        shown = datetime.datetime(2001, 2, 16, 18, 38, 40, 500000)
        with self.connect() as c:
            c.execute("SET TIME ZONE 'America/Los_Angeles'")
            for binary in (False, True):
                cur = c.execute("SELECT x, ARRAY[x], x = %b, x = %t FROM (SELECT TIMESTAMPTZ '2001-02-16 20:38:40.5-05'"
                                " AT TIME ZONE 'America/Denver' AS x) v", (shown, shown), binary=binary)
                self.assertEqual([d.type_code for d in cur.description[:2]], [1114, 1115])
                self.assertEqual(cur.fetchone(), (shown, [shown], True, True))

    def test_numeric_parameters(self):
        import psycopg
        values = [decimal.Decimal(t) for t in ("0", "1", "-1", "0.5", "10000", "123456789.987654321", "0.00001", "-0.00010001",
                                               "99999999999999999999.9999", "1000000000000", "NaN")]
        with self.connect() as c:
            k = psycopg.ClientCursor(c)
            for v in values:
                self.assertEqual(str(c.execute("SELECT %b::numeric", (v,)).fetchone()[0]), str(v))
                self.assertEqual(str(c.execute("SELECT %b::numeric", (v,), binary=True).fetchone()[0]), str(v))
                self.assertEqual(str(k.execute("SELECT %s::numeric", (v,)).fetchone()[0]), str(v))

    def test_parameters_keep_the_types_they_are_given(self):
        values = (1, 70000, 2.5, NOON, datetime.date(2020, 1, 2), decimal.Decimal("1.5"), uuid.UUID(int=5), [1, 2], "x", b"\x01", True)
        with self.connect() as c:
            for binary in (False, True):
                mark = "%b" if binary else "%t"
                k = c.execute("SELECT " + ", ".join([mark] * len(values)), values, binary=binary)
                self.assertEqual([d.type_code for d in k.description], [21, 23, 701, 1184, 1082, 1700, 2950, 1005, 25, 17, 16])
                self.assertEqual(k.fetchone(), values)
            k = c.execute("SELECT %b, ARRAY['c']", (["a", None, "b"],), binary=True)
            self.assertEqual([d.type_code for d in k.description], [1009, 1009])
            self.assertEqual(k.fetchone(), (["a", None, "b"], ["c"]))

    def test_given_types_do_not_keep_a_key_from_being_searched(self):
        with self.connect() as c:
            c.execute("CREATE TABLE searched (s VARCHAR NOT NULL, n BIGINT NOT NULL, time TIMESTAMP NOT NULL,"
                      " PRIMARY KEY ((s, QUANTUM(time, 15, 'm')), s, time, n))")
            for at in (NOON, NOON.replace(tzinfo=None)):
                plan = "\n".join(r[0] for r in c.execute(
                    "EXPLAIN SELECT * FROM searched WHERE s = %s AND time >= %s AND time < %s AND n = %s",
                    ("a", at, at + datetime.timedelta(hours=1), 3)))
                self.assertIn("constraints: s = 'a'; n = 3; time >= TIMESTAMP '2024-01-01T12:00:00.250Z'"
                              " and time <= TIMESTAMP '2024-01-01T13:00:00.249Z'", plan)
            # a value finer than the column is compared as it is
            c.execute("INSERT INTO searched VALUES ('a', 1, %s)", (NOON,))
            finer = NOON + datetime.timedelta(microseconds=1)
            self.assertEqual(c.execute("SELECT count(*) FROM searched WHERE time >= %s", (finer,)).fetchone(), (0,))
            self.assertEqual(c.execute("SELECT count(*) FROM searched WHERE time < %s", (finer,)).fetchone(), (1,))
            c.execute("UPDATE searched SET n = n WHERE s = %s AND n < %s", ("a", 2**40))

    def test_deallocate(self):
        import psycopg
        with self.connect() as c:
            raw = c.pgconn
            raw.prepare(b"mine", b"SELECT 1")
            self.assertEqual(c.execute("DEALLOCATE mine").statusmessage, "DEALLOCATE")
            self.assertEqual(raw.exec_prepared(b"mine", []).error_field(67), b"26000")
            with self.assertRaises(psycopg.errors.InvalidSqlStatementName):
                c.execute("DEALLOCATE mine")
            c.execute("PREPARE theirs AS SELECT 2")
            raw.prepare(b"mine", b"SELECT 1")
            c.execute("DEALLOCATE ALL")
            self.assertEqual(raw.exec_prepared(b"mine", []).error_field(67), b"26000")
            raw.prepare(b"mine", b"DEALLOCATE ALL")
            self.assertEqual(raw.exec_prepared(b"mine", []).error_field(67), b"55006")

    def test_execute(self):
        with self.connect() as c:
            c.execute("PREPARE twice (int) AS SELECT $1 * 2")
            self.assertEqual(c.execute("EXECUTE twice(21)").fetchone(), (42,))
            raw = c.pgconn.exec_(b"EXECUTE twice(4); EXECUTE twice(5)")
            self.assertEqual(raw.get_value(0, 0), b"10")

    def test_char(self):
        with self.connect() as c:
            c.execute("CREATE TABLE padded (k char(3) PRIMARY KEY, v char(2)[])")
            c.execute("INSERT INTO padded VALUES (%s, %s)", ("a", ["x"]))
            for form in (0, 1):
                raw = c.pgconn.exec_params(b"SELECT k, v FROM padded WHERE k = $1", [b"a "], result_format=form)
                self.assertEqual((raw.ftype(0), raw.fmod(0), raw.ftype(1), raw.fmod(1)), (1042, 7, 1014, 6))
                self.assertEqual(raw.get_value(0, 0), b"a  ")
                self.assertIn(b"x ", raw.get_value(0, 1))
            with c.cursor() as cur:
                with cur.copy("COPY padded FROM STDIN") as copy:
                    copy.write_row(("b  ", "{yy}"))
            self.assertEqual(c.execute("SELECT k FROM padded WHERE k = 'b'").fetchone(), ("b  ",))

    def test_arrays_as_text(self):
        with self.connect() as c:
            row = c.execute("SELECT ARRAY[TIMESTAMP '2024-01-01 12:00:00.25'], ARRAY[true, false], ARRAY['\\x00ff'::bytea]").fetchone()
            self.assertEqual(row, ([NOON], [True, False], [b"\x00\xff"]))

    def test_infinity(self):
        with self.connect() as c:
            raw = c.pgconn.exec_params(b"SELECT 'infinity'::timestamptz, '-infinity'::date", [], result_format=1)
            self.assertEqual((raw.get_value(0, 0), raw.get_value(0, 1)), (b"\x7f" + b"\xff" * 7, b"\x80\0\0\0"))

    def test_prepared(self):
        with self.connect(prepare_threshold=0) as c:
            for i in range(20):
                self.assertEqual(c.execute("SELECT %s::int + 1", (i,)).fetchone(), (i + 1,))

    def test_pipeline(self):
        with self.connect() as c:
            c.execute("CREATE TABLE pipe (a INT PRIMARY KEY, b INT)")
            with c.pipeline():
                for i in range(100):
                    c.execute("INSERT INTO pipe VALUES (%s, %s)", (i, i * i))
            self.assertEqual(c.execute("SELECT count(*), sum(b) FROM pipe").fetchone(), (100, 328350))

    def test_error_in_a_pipeline(self):
        import psycopg
        with self.connect() as c:
            with self.assertRaises(psycopg.errors.UndefinedTable):
                with c.pipeline():
                    c.execute("SELECT 1")
                    c.execute("SELECT * FROM nowhere")
                    c.execute("SELECT 2")
            self.assertEqual(c.execute("SELECT 3").fetchone(), (3,))

    def test_a_pipeline_is_one_transaction(self):
        import psycopg
        with self.connect() as c:
            c.execute("CREATE TABLE whole (a INT PRIMARY KEY)")
            with self.assertRaises(psycopg.errors.DivisionByZero):
                with c.pipeline():
                    c.execute("INSERT INTO whole VALUES (1)")
                    c.execute("SELECT 1 / %s", (0,))
            self.assertEqual(c.execute("SELECT count(*) FROM whole").fetchone(), (0,))
            with c.pipeline() as p:
                c.execute("INSERT INTO whole VALUES (1)")
                p.sync()
                c.execute("INSERT INTO whole VALUES (2)")
                k = c.execute("SELECT count(*) FROM whole")
            self.assertEqual(k.fetchone(), (2,))
            self.assertEqual(c.info.transaction_status, psycopg.pq.TransactionStatus.IDLE)
            with c.cursor() as k:
                with self.assertRaises(psycopg.errors.InvalidTextRepresentation):
                    k.executemany("INSERT INTO whole VALUES (%s)", [("3",), ("word",)])
            self.assertEqual(c.execute("SELECT count(*) FROM whole").fetchone(), (2,))

    def test_server_cursor(self):
        with self.connect() as c, c.transaction():
            with c.cursor("named") as k:
                k.execute("SELECT g FROM generate_series(1, %s) g WHERE g > %s", (1000, 10))
                self.assertEqual(k.fetchmany(3), [(11,), (12,), (13,)])
                self.assertEqual(sum(r[0] for r in k), sum(range(14, 1001)))

    def test_stream(self):
        with self.connect() as c:
            total = sum(row[0] for row in c.cursor().stream("SELECT g FROM generate_series(1, 50000) g"))
            self.assertEqual(total, 50000 * 50001 // 2)


class Asyncpg(ServerTest):
    """asyncpg: everything binary, parameters of inferred types, Flush instead of Sync."""

    def run_async(self, fn):
        async def body():
            import asyncpg
            c = await asyncpg.connect(host="127.0.0.1", port=self.server.port, user="dendro", database="dendro")
            try:
                await fn(c)
            finally:
                await c.close()
        asyncio.run(body())

    def test_table(self):
        async def body(c):
            await c.execute(SCHEMA)
            await c.executemany("INSERT INTO reading VALUES ($1, $2, $3, $4, $5, $6)",
                                [("a", NOON + datetime.timedelta(seconds=i), i / 2, i, "n", True) for i in range(50)])
            row = await c.fetchrow("SELECT count(*), sum(v), max(time) FROM reading WHERE series = $1 AND time > $2", "a", NOON)
            self.assertEqual(tuple(row), (49, 612.5, NOON + datetime.timedelta(seconds=49)))
            self.assertEqual(await c.fetchval("SELECT note FROM reading WHERE n = $1", 7), "n")
        self.run_async(body)

    def test_error(self):
        async def body(c):
            import asyncpg
            with self.assertRaises(asyncpg.exceptions.UndefinedTableError):
                await c.fetch("SELECT * FROM nowhere")
            self.assertEqual(await c.fetchval("SELECT 5"), 5)
        self.run_async(body)


class Tls(ServerTest):
    """TLS: asked for, at once, and declined."""

    @classmethod
    def setUpClass(cls):
        cls.keys = tempfile.mkdtemp(prefix="dendro-wire-keys-")
        cert, key = os.path.join(cls.keys, "cert.pem"), os.path.join(cls.keys, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", key, "-out", cert], check=True, capture_output=True)
        cls.cert = cert
        cls.options = ("--tls-cert", cert, "--tls-key", key)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.keys)

    def connect(self, **more):
        import psycopg2
        c = psycopg2.connect(host="localhost", hostaddr="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro", **more)
        c.autocommit = True
        return c

    def test_verified(self):
        c = self.connect(sslmode="verify-full", sslrootcert=self.cert)
        self.assertTrue(c.info.ssl_in_use)
        k = c.cursor()
        k.execute("SELECT g, repeat('y', 1000) FROM generate_series(1, 5000) g")
        self.assertEqual(sum(r[0] for r in k.fetchall()), 12502500)
        c.close()

    def test_without(self):
        c = self.connect(sslmode="disable")
        self.assertFalse(c.info.ssl_in_use)
        c.close()

    def test_at_once(self):
        context = ssl.create_default_context(cafile=self.cert)
        context.set_alpn_protocols(["postgresql"])
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw, \
                context.wrap_socket(raw, server_hostname="localhost") as s:
            self.assertEqual(s.selected_alpn_protocol(), "postgresql")
            start = struct.pack(">i", 196608) + b"user\0dendro\0\0"
            s.sendall(struct.pack(">i", len(start) + 4) + start)
            got = b""
            while not got.endswith(b"Z\0\0\0\5I"):
                got += s.recv(10000)

    def test_old_versions_are_refused(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
            with self.assertRaises(OSError):
                context.wrap_socket(raw)

    def test_early_bytes_are_refused(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as s:
            s.sendall(struct.pack(">ii", 8, 80877103) + b"Q\0\0\0\4")
            self.assertIn(b"08P01", s.recv(1000))


class Full(ServerTest):
    """As many connections as there may be, and one more."""
    options = ("--max-connections", "60")

    def connect(self):
        import psycopg2
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        return c

    def test_many_idle_connections(self):
        import psycopg2
        conns = [self.connect() for _ in range(60)]
        for i, c in enumerate(conns):
            k = c.cursor()
            k.execute("SELECT %s", (i,))
            self.assertEqual(k.fetchone(), (i,))
        with self.assertRaises(psycopg2.OperationalError) as caught:
            self.connect()
        self.assertIn("too many clients", str(caught.exception))
        for c in conns:
            c.close()


class Crowd(ServerTest):
    """Clients at the same time."""

    def connect(self):
        import psycopg2
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        return c

    def test_side_by_side(self):
        failed = []

        def work(n):
            try:
                k = self.connect().cursor()
                for i in range(50):
                    k.execute("SELECT %s::int * %s::int", (n, i))
                    if k.fetchone() != (n * i,):
                        failed.append((n, i))
            except Exception as e:  # pylint: disable=broad-except
                failed.append(e)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(30)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])


class Stop(ServerTest):
    """Ends: with clients, with a statement that runs, and with what was acknowledged kept."""

    def test_stop_and_restart(self):
        import psycopg2
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        k = c.cursor()
        k.execute("CREATE TABLE kept (a INT PRIMARY KEY)")
        k.execute("INSERT INTO kept SELECT g FROM generate_series(1, 1000) g")
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
            start = struct.pack(">i", 196608) + b"user\0dendro\0\0"
            raw.sendall(struct.pack(">i", len(start) + 4) + start)
            while not raw.recv(10000).endswith(b"Z\0\0\0\5I"):
                pass
            self.server.stop()
            self.assertIn(b"C57P01\0Mterminating connection due to administrator command\0", raw.recv(10000))
            self.assertEqual(raw.recv(1), b"")
        with self.assertRaises(psycopg2.Error):
            k.execute("SELECT 1")
        self.server.start()
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        k = c.cursor()
        k.execute("SELECT count(*) FROM kept")
        self.assertEqual(k.fetchone(), (1000,))
        c.close()


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every door that rows come in by, for a role without the right to INSERT, with the right on some columns, and with all.

A door is a way to write the columns host, time and v of the table m, and w, too, if it is told so. Each POST route of
src/server/http/routes.c and each port of src/catalog/settings_server_list.h must have one, or a reason to have none."""
import base64
import io
import json
import os
import re
import socket
import struct
import sys

import psycopg2
from httplib import HttpTest, wirelib
from test_ingest import series, snappy

SRC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src")
DAY_MS = 1704067200000  # 2024-01-01
DENIED = "42501"
BASIC = {name: "Basic " + base64.b64encode(f"{name}:{name}".encode()).decode() for name in ("dendro", "alice")}
DOORS = {}
# Routes that take a body and write no rows.
NO_DOORS = {"/query": "CREATE DATABASE and SHOW of InfluxDB alone", "/api/login": "gives out a cookie"}


def door(name, *ways):
    """ways: routes and ports that it is the door of."""
    def put(write):
        DOORS[name] = (write, ways)
        return write
    return put


class Doors:
    """As alice. Each returns None, or an error with the SQLSTATE in it."""

    def __init__(self, server):
        self.server = server
        self.time = DAY_MS

    def columns(self, both):
        self.time += 1000
        values = {"host": "a", "time": self.time, "v": 1.5}
        return values | ({"w": 2.5} if both else {})

    def post(self, path, body, **headers):
        a = self.server.post(path, body, Authorization=BASIC["alice"], **headers)
        return None if a.status < 300 else a.text

    def pg(self, run):
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="alice", password="alice", dbname="dendro")
        c.autocommit = True
        try:
            run(c.cursor())
        except psycopg2.Error as e:
            return f"{e.pgcode} {e}"
        finally:
            c.close()
        return None

    def insert(self, both, more="", table="m", **values):
        row = self.columns(both) | values
        texts = [f"{v}" if isinstance(v, (int, float)) else f"'{v}'" for v in row.values()]
        return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(texts)}){more}"

    def line(self, both):
        row = self.columns(both)
        fields = ",".join(f"{k}={row[k]}" for k in ("v", "w") if k in row)
        return f"m,host=a {fields} {row['time']}000000\n"

    @door("SQL over HTTP", "/api/sql")
    def http_sql(self, both):
        return self.post("/api/sql", self.insert(both))

    @door("SQL over HTTP with parameters", "/api/sql")
    def http_params(self, both):
        row = self.columns(both)
        marks = ", ".join(f"${i + 1}" for i in range(len(row)))
        body = {"query": f"INSERT INTO m ({', '.join(row)}) VALUES ({marks})", "params": list(row.values())}
        return self.post("/api/sql", json.dumps(body), Content_Type="application/json")

    @door("lines over HTTP", "/write")
    def lines(self, both):
        return self.post("/write", self.line(both))

    @door("lines over HTTP, version 2", "/api/v2/write")
    def lines_2(self, both):
        return self.post("/api/v2/write?bucket=dendro&org=x", self.line(both))

    @door("lines over TCP", "ilp_port")
    def lines_tcp(self, both):
        s = socket.create_connection(("127.0.0.1", self.server.ilp_port), timeout=60)
        s.sendall(b"auth alice:alice\n" + self.line(both).encode())
        s.shutdown(socket.SHUT_WR)
        said = b""
        while data := s.recv(4096):
            said += data
        s.close()
        return said.decode() or None

    @door("CSV import", "/api/import")
    def csv(self, both):
        row = self.columns(both)
        return self.post("/api/import?table=m", ",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n",
                         Content_Type="text/csv")

    @door("statement", "pg_port")
    def simple(self, both):
        return self.pg(lambda k: k.execute(self.insert(both)))

    @door("statements in a block", "pg_port")
    def block(self, both):
        return self.pg(lambda k: k.execute(f"BEGIN; {self.insert(both)}; COMMIT"))

    @door("prepared INSERT", "pg_port")
    def prepared(self, both):
        row = self.columns(both)
        marks = ", ".join(f"${i + 1}" for i in range(len(row)))
        values = f"'a', {row['time']}, 1.5" + ", 2.5" * both

        def run(k):
            k.execute(f"PREPARE p AS INSERT INTO m ({', '.join(row)}) VALUES ({marks})")
            k.execute(f"EXECUTE p ({values})")
        return self.pg(run)

    @door("INSERT of a query", "pg_port")
    def query(self, both):
        row = self.columns(both)
        return self.pg(lambda k: k.execute(f"INSERT INTO m ({', '.join(row)}) SELECT 'a', {row['time']}, 1.5{', 2.5' * both}"))

    @door("INSERT in WITH", "pg_port")
    def within(self, both):
        return self.pg(lambda k: k.execute(f"WITH x AS ({self.insert(both)}) SELECT 1"))

    @door("ON CONFLICT DO NOTHING", "pg_port")
    def conflict(self, both):
        return self.pg(lambda k: k.execute(self.insert(both, " ON CONFLICT DO NOTHING")))

    @door("EXPLAIN ANALYZE", "pg_port")
    def explained(self, both):
        return self.pg(lambda k: k.execute("EXPLAIN ANALYZE " + self.insert(both)))

    def copy(self, both, options, text):
        row = self.columns(both)
        if "binary" not in options:
            row["time"] = f"2024-01-01 00:{row['time'] // 60000 % 60:02}:{row['time'] // 1000 % 60:02}"
        data = text(row)
        return self.pg(lambda k: k.copy_expert(f"COPY m ({', '.join(row)}) FROM STDIN{options}", io.BytesIO(data)))

    @door("COPY", "pg_port")
    def copy_text(self, both):
        return self.copy(both, "", lambda row: ("\t".join(map(str, row.values())) + "\n").encode())

    @door("COPY of CSV", "pg_port")
    def copy_csv(self, both):
        return self.copy(both, " (FORMAT csv)", lambda row: (",".join(map(str, row.values())) + "\n").encode())

    @door("binary COPY", "pg_port")
    def copy_binary(self, both):
        def data(row):
            micros = (row["time"] - 946684800000) * 1000  # since 2000
            cells = [b"a", struct.pack(">q", micros)] + [struct.pack(">d", row[k]) for k in ("v", "w") if k in row]
            body = struct.pack(">h", len(cells)) + b"".join(struct.pack(">i", len(c)) + c for c in cells)
            return b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0) + body + struct.pack(">h", -1)
        return self.copy(both, " (FORMAT binary)", data)


class HttpRights(HttpTest):
    options = ("--ilp-port", "any")

    def admin(self, sql):
        a = self.server.post("/api/sql", sql, Authorization=BASIC["dendro"])
        self.assertEqual(a.status, 200, f"{sql}: {a.text}")
        return a.json

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.sql("CREATE TABLE m (host VARCHAR, time TIMESTAMP, v DOUBLE, w DOUBLE, "
                       "PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), time)); CREATE VIEW mv AS SELECT host, time, v, w FROM m; "
                       "CREATE TABLE prom (job VARCHAR, time TIMESTAMP, value DOUBLE, "
                       "PRIMARY KEY ((job, QUANTUM(time, 1, 'd')), time)); "
                       "CREATE ROLE alice LOGIN PASSWORD 'alice'; ALTER ROLE dendro PASSWORD 'dendro'")
        cls.doors = Doors(cls.server)

    def rows(self, table):
        return self.admin(f"SELECT count(*) FROM {table}")["rows"][0][0]

    def tried(self, write, table, *args):
        """Whether it was let in: one more row; else the error must say why."""
        before = self.rows(table)
        said = write(*args)
        came = self.rows(table) - before
        if came == 0:
            self.assertTrue(said and (DENIED in said or "permission denied" in said), said)
        else:
            self.assertEqual((came, said), (1, None))
        return came == 1

    def test_doors(self):
        rights = [("", ()), ("INSERT (host, time, v)", (False,)), ("INSERT", (False, True))]
        for name, (write, _) in DOORS.items():
            for right, lets_in in rights:
                if right:
                    self.admin(f"GRANT {right} ON m TO alice")
                for both in (False, True):
                    with self.subTest(door=name, right=right, both=both):
                        self.assertEqual(self.tried(write, "m", self.doors, both), both in lets_in)
                if right:
                    self.admin("REVOKE ALL ON m FROM alice; REVOKE INSERT (host, time, v) ON m FROM alice")

    def test_prometheus(self):
        def write():
            self.doors.time += 1000
            body = snappy(series({"__name__": "prom", "job": "x"}, [(1.0, self.doors.time)]))
            return self.doors.post("/api/v1/write", body, Content_Encoding="snappy", Content_Type="application/x-protobuf")
        for right, lets_in in (("", False), ("INSERT (job, time)", False), ("INSERT (job, time, value)", True), ("INSERT", True)):
            if right:
                self.admin(f"GRANT {right} ON prom TO alice")
            with self.subTest(right=right):
                self.assertEqual(self.tried(write, "prom"), lets_in)
            if right:
                self.admin("REVOKE ALL ON prom FROM alice; REVOKE INSERT (job, time, value) ON prom FROM alice")

    def test_view(self):
        """Rights on the view count, and its owner's on the table."""
        def write(both):
            return self.doors.pg(lambda k: k.execute(self.doors.insert(both, table="mv")))
        for right, lets_in in (("", ()), ("INSERT ON m", ()), ("INSERT (host, time, v) ON mv", (False,)), ("INSERT ON mv", (False, True))):
            if right:
                self.admin(f"GRANT {right} TO alice")
            for both in (False, True):
                with self.subTest(right=right, both=both):
                    self.assertEqual(self.tried(write, "m", both), both in lets_in)
            if right:
                self.admin(f"REVOKE {right} FROM alice")

    def test_more_rights(self):
        """What reads or changes what is there needs the right to that."""
        for more, right in ((" RETURNING host", "SELECT (host)"), (" RETURNING *", "SELECT"),
                            (" ON CONFLICT (host, time) DO UPDATE SET v = 9", "UPDATE (v), SELECT (host, time)"),
                            (" ON CONFLICT (host, time) DO UPDATE SET v = m.w", "UPDATE (v), SELECT")):
            self.admin("GRANT INSERT ON m TO alice")
            with self.subTest(more=more):
                write = lambda: self.doors.pg(lambda k: k.execute(self.doors.insert(True, more)))  # noqa: E731
                self.assertFalse(self.tried(write, "m"))
                self.admin(f"GRANT {right} ON m TO alice")
                self.assertTrue(self.tried(write, "m"))
                self.admin(f"REVOKE {right} ON m FROM alice")
            self.admin("REVOKE ALL ON m FROM alice")

    def test_makes_nothing(self):
        """A role that may not CREATE makes neither tables nor columns by writing points."""
        self.admin("GRANT INSERT ON m TO alice")
        self.admin("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        for path in ("/write", "/api/v2/write?bucket=dendro&org=x"):
            self.assertIn("permission denied", self.doors.post(path, f"nt,host=a v=1 {DAY_MS}000000\n") or "")
            self.assertIn("must be owner", self.doors.post(path, f"m,host=a fresh=1 {DAY_MS}000000\n") or "")
        self.assertEqual(self.admin("SELECT count(*) FROM information_schema.columns WHERE table_name = 'nt' OR column_name = "
                                    "'fresh'")["rows"], [[0]])
        self.admin("REVOKE ALL ON m FROM alice")

    def test_all_doors_are_here(self):
        text = open(os.path.join(SRC, "server/http/routes.c"), encoding="utf-8").read()
        routes = set(re.findall(r'\{"(?:POST|PUT|PATCH)",\s*"([^"]+)"', text))
        text = open(os.path.join(SRC, "catalog/settings_server_list.h"), encoding="utf-8").read()
        ports = set(re.findall(r'DN_SETTING_SERVER\("(\w+)",\s*PORT', text)) - {"http_port"}
        ways = {w for _, of in DOORS.values() for w in of} | set(NO_DOORS) | {"/api/v1/write"}  # test_prometheus
        self.assertEqual(ways, routes | ports)

    def test_address(self):
        """pg_stat_activity has the address of HTTP's sessions, too."""
        a = self.admin("SELECT client_addr::text LIKE '127.0.0.1%', client_port > 0 FROM pg_stat_activity WHERE pid = pg_backend_pid()")
        self.assertEqual(a["rows"], [[True, True]])


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

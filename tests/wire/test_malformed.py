#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames made by hand: what no client sends. The server answers or closes, never falls, and others notice nothing.

    test_malformed.py DENDRO [CLASS...]   runs all, or these
    test_malformed.py --list              the classes, one per line"""
import random
import socket
import struct
import sys

import wirelib
from wirelib import ServerTest


def message(kind, body=b""):
    return kind + struct.pack(">i", len(body) + 4) + body


def start(*options, version=196608):
    body = struct.pack(">i", version) + b"".join(o.encode() + b"\0" for o in options) + b"\0"
    return struct.pack(">i", len(body) + 4) + body


LOGIN = start("user", "dendro", "database", "dendro")


class Malformed(ServerTest):
    def connect(self, *parts):
        s = socket.create_connection(("127.0.0.1", self.server.port), timeout=20)
        try:
            for p in parts:
                s.sendall(p)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was closed at an earlier part
        return s

    def login(self):
        s = self.connect(LOGIN)
        self.read_ready(s)
        return s

    def read_ready(self, s):
        got = b""
        while not got.endswith(b"Z\0\0\0\5I"):
            part = s.recv(65536)
            self.assertTrue(part, f"closed after {got!r}")
            got += part
        return got

    def read_end(self, s):
        got = b""
        while True:
            try:
                part = s.recv(65536)
            except ConnectionResetError:
                return got
            if not part:
                return got
            got += part

    def tearDown(self):
        s = self.login()  # others notice nothing
        s.sendall(message(b"Q", b"SELECT 42\0"))
        self.assertIn(b"42", self.read_ready(s))
        s.close()

    def test_first_packets(self):
        for bad in (b"\0\0\0\0", b"\0\0\0\7\0\3\0\0", b"\x7f\xff\xff\xff\0\3\0\0", b"GET / HTTP/1.1\r\n\r\n"):
            self.assertIn(b"08P01", self.read_end(self.connect(bad)), bad)

    def test_start_without_end(self):
        body = struct.pack(">i", 196608) + b"user\0dendro"
        self.assertIn(b"08P01", self.read_end(self.connect(struct.pack(">i", len(body) + 4) + body)))

    def test_start_without_user(self):
        self.assertIn(b"28000", self.read_end(self.connect(start("database", "dendro"))))

    def test_versions(self):
        self.assertIn(b"0A000", self.read_end(self.connect(start("user", "dendro", version=131072))))
        s = self.connect(start("user", "dendro", "_pq_.new", "1", version=196610))
        got = self.read_ready(s)
        self.assertTrue(got.startswith(message(b"v", struct.pack(">ii", 196608, 1) + b"_pq_.new\0")), got)

    def test_encoding(self):
        for good in ("UTF8", "utf-8", "'utf-8'", "UNICODE"):
            self.read_ready(self.connect(start("user", "dendro", "client_encoding", good)))
        self.assertIn(b"22023", self.read_end(self.connect(start("user", "dendro", "client_encoding", "LATIN1"))))

    def test_tls_and_gss_are_declined(self):
        s = self.connect(struct.pack(">ii", 8, 80877104))
        self.assertEqual(s.recv(1), b"N")
        s.sendall(struct.pack(">ii", 8, 80877103))
        self.assertEqual(s.recv(1), b"N")
        s.sendall(LOGIN)
        self.read_ready(s)

    def test_cancel_of_nobody(self):
        self.assertEqual(self.read_end(self.connect(struct.pack(">iiii", 16, 80877102, 12345, 6789))), b"")

    def test_message_lengths(self):
        for bad in (b"Q\0\0\0\3", b"Q\xff\xff\xff\xff", b"Q\x7f\xff\xff\xffx"):
            s = self.login()
            s.sendall(bad)
            self.assertIn(b"FATAL", self.read_end(s), bad)

    def test_unknown_message(self):
        s = self.login()
        s.sendall(message(b"?", b"x"))
        self.assertIn(b"08P01", self.read_end(s))

    def test_bodies_cut_short(self):
        whole = [(b"P", b"s\0SELECT $1::int\0" + struct.pack(">hi", 1, 23)),
                 (b"B", b"\0s\0" + struct.pack(">hhhi", 1, 1, 1, 4) + b"\0\0\0\7" + struct.pack(">hh", 1, 1)),
                 (b"D", b"Ss\0"), (b"E", b"\0\0\0\0\0"), (b"C", b"Ss\0"), (b"Q", b"SELECT 1\0")]
        for kind, body in whole:
            for n in range(len(body)):
                s = self.login()
                s.sendall(message(b"P", b"s\0SELECT $1::int\0\0\0") if kind == b"B" else b"")
                s.sendall(message(kind, body[:n]) + (message(b"S") if kind != b"Q" else b""))
                got = self.read_ready(s)
                self.assertRegex(got, b"C(08P01|26000|34000|42601|42P02|22P03)", (kind, n))
                s.close()

    def test_statements_in_statements(self):
        """EXPLAIN, PREPARE and DECLARE around others, by Parse, Describe, Bind, Execute: all are answered."""
        inner = ["SELECT 1", "VALUES (1), (2)", "TABLE t", "INSERT INTO t VALUES (1, 1)", "UPDATE t SET v = 2",
                 "DELETE FROM t WHERE k = 1", "CREATE TABLE u AS SELECT 1 AS a", "SELECT 1 AS a INTO u", "DECLARE c CURSOR FOR SELECT 1",
                 "MERGE INTO t USING (VALUES (1)) s (a) ON t.k = s.a WHEN NOT MATCHED THEN INSERT VALUES (1, 1)",
                 "EXECUTE p", "PREPARE q AS SELECT 1", "COPY t TO STDOUT", "COPY (SELECT 1) TO STDOUT", "FETCH c", "MOVE c",
                 "CLOSE c", "CREATE VIEW w AS SELECT 1", "EXPLAIN SELECT 1", "BEGIN", "COMMIT", "SHOW timezone",
                 "WITH x AS (INSERT INTO t VALUES (3, 3) RETURNING *) SELECT * FROM x", "INSERT INTO t SELECT 4, 4 RETURNING k"]
        around = ["{}", " EXPLAIN {}", "\n EXPLAIN (ANALYZE, COSTS off) {}", "/* x */ EXPLAIN ANALYZE {}", " PREPARE r AS {}",
                  " DECLARE d CURSOR WITH HOLD FOR {}", " EXPLAIN DECLARE d CURSOR FOR {}", " EXPLAIN PREPARE r AS {}",
                  " EXPLAIN (FORMAT json) EXPLAIN {}", " COPY ({}) TO STDOUT", " EXPLAIN COPY ({}) TO STDOUT",
                  " EXPLAIN CREATE TABLE u AS {}", " CREATE VIEW w AS {}"]
        s = self.login()
        for first in ("CREATE TABLE t (k INT PRIMARY KEY, v INT)", "PREPARE p AS SELECT * FROM t"):
            s.sendall(message(b"Q", first.encode() + b"\0"))
            self.read_ready(s)
        for a in around:
            for i in inner:
                sql = a.format(i).encode() + b"\0"
                s.sendall(message(b"P", b"\0" + sql + b"\0\0") + message(b"D", b"S\0") + message(b"B", b"\0\0" + bytes(6)) +
                          message(b"D", b"P\0") + message(b"E", b"\0" + bytes(4)) + message(b"S") +
                          message(b"Q", b"ROLLBACK\0"))
                while self.read_ready(s).find(b"ROLLBACK") < 0:
                    pass
                s.sendall(message(b"Q", b"SELECT 1; " + sql[:-1] + b"; \0") + message(b"Q", b"ROLLBACK\0"))
                while self.read_ready(s).find(b"ROLLBACK") < 0:
                    pass
                s.sendall(message(b"Q", b"DROP TABLE IF EXISTS u; DROP VIEW IF EXISTS w; CLOSE ALL\0"))
                self.read_ready(s)
        s.close()

    def test_random_bytes(self):
        r = random.Random(7)
        for _ in range(200):
            s = self.connect(LOGIN if r.random() < 0.7 else b"", bytes(r.choices(range(256), k=r.randrange(1, 300))))
            s.close()

    def test_random_messages(self):
        r = random.Random(8)
        kinds = b"PBDECSHQdcfFpX"
        for _ in range(200):
            parts = [message(bytes([r.choice(kinds)]), bytes(r.choices(range(256), k=r.randrange(0, 40)))) for _ in range(8)]
            s = self.connect(LOGIN, *parts)
            s.close()

    def test_half_a_message(self):
        slow = [self.login() for _ in range(20)]
        for s in slow:
            s.sendall(b"Q\0\0\0\x20SELECT")
        self.tearDown()
        for s in slow:
            s.close()

    def test_nobody_reads(self):
        s = self.login()
        s.sendall(message(b"Q", b"SELECT repeat('x', 1000) FROM generate_series(1, 1000000)\0"))
        self.tearDown()
        s.close()

    def test_binary_values_that_are_none(self):
        """Types without a binary form to read, and bytes that are no such value."""
        s = self.login()
        s.sendall(message(b"Q", b"DROP TYPE IF EXISTS mood; CREATE TYPE mood AS ENUM ('sad', 'ok')\0"))
        self.read_ready(s)
        s.sendall(message(b"Q", b"SELECT oid FROM pg_type WHERE typname = 'mood'\0"))
        got = self.read_ready(s)
        row = got[got.index(b"D", got.index(b"oid")):]
        mood = int(row[11:11 + struct.unpack(">i", row[7:11])[0]])
        labels = struct.pack(">iiIii", 1, 0, mood, 1, 1) + struct.pack(">i", 2) + b"ok"
        for oid, sql, value, state in ((0, b"SELECT $1::mood[]", labels, b"0A000"),
                                       (22, b"SELECT $1", b"\1\2\3", b"22P03"),
                                       (30, b"SELECT $1", b"", b"22P03"),
                                       (2249, b"SELECT $1", b"\1\2\3", b"0A000"),
                                       (1033, b"SELECT $1", b"\xff", b"0A000"),
                                       (194, b"SELECT $1", b"\xff", b"0A000")):
            s.sendall(message(b"P", b"\0" + sql + b"\0" + struct.pack(">hI", 1, oid)) +
                      message(b"B", b"\0\0" + struct.pack(">hhhi", 1, 1, 1, len(value)) + value + b"\0\0") +
                      message(b"E", b"\0\0\0\0\0") + message(b"S"))
            self.assertIn(b"C" + state, self.read_ready(s), (oid, sql))

    def test_syncs_within_copy(self):
        s = self.login()
        got = b"C40001"
        while b"C40001" in got:  # what earlier tests dropped may go in the background, a change of the catalog beside this one
            s.sendall(message(b"Q", b"CREATE TEMP TABLE c (a INTEGER); COPY c FROM STDIN -- " + b"x" * 4000000 + b"\0"))
            s.sendall(message(b"S") * 400000 + message(b"d", b"1\n") + message(b"c"))
            got = self.read_ready(s)
        self.assertIn(b"COPY 1", got)
        # A session that ends drops its tables at some time later, which would be a change of the catalog beside the next test.
        s.sendall(message(b"Q", b"DROP TABLE c\0"))
        self.read_ready(s)
        s.close()

    def test_flood_of_requests(self):
        s = self.login()
        s.sendall(message(b"Q", b"SELECT 1\0") * 5000)
        got = b""
        while got.count(b"Z\0\0\0\5I") < 5000:
            part = s.recv(1 << 20)
            self.assertTrue(part)
            got += part


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

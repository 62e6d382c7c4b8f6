#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients without rights that take what they can get: others, and superusers above all, go on.

    test_hostile.py DENDRO [CLASS...]   runs all, or these
    test_hostile.py --list              names of the classes
"""
import socket
import struct
import sys
import threading
import time

import psycopg2
import wirelib
from wirelib import ServerTest


class Raw:
    """A connection by hand, as mallory."""

    def __init__(self, port, user=b"mallory"):
        self.s = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        body = struct.pack(">i", 196608) + b"user\0" + user + b"\0database\0dendro\0\0"
        self.s.sendall(struct.pack(">i", len(body) + 4) + body)
        self.got = b""
        self.until(b"Z")

    def until(self, last):
        """Messages up to one of that type, or the end."""
        kinds, errors = [], []
        while True:
            while len(self.got) >= 5:
                size = struct.unpack(">i", self.got[1:5])[0] + 1
                if len(self.got) < size:
                    break
                kind, body, self.got = self.got[:1], self.got[5:size], self.got[size:]
                kinds.append(kind)
                if kind == b"E":
                    errors.append(next(f[1:].decode() for f in body.split(b"\0") if f[:1] == b"C"))
                if kind == last:
                    return kinds, errors
            part = self.s.recv(1 << 16)
            if not part:
                return kinds, errors
            self.got += part

    @staticmethod
    def message(kind, body):
        return kind + struct.pack(">i", len(body) + 4) + body

    def parse(self, name, sql):
        return self.message(b"P", name + b"\0" + sql + b"\0" + struct.pack(">h", 0))

    def bind(self, portal, stmt, *params):
        values = b"".join(struct.pack(">i", len(v)) + v for v in params)
        return self.message(b"B", portal + b"\0" + stmt + b"\0" + struct.pack(">hh", 0, len(params)) + values + struct.pack(">h", 0))

    def execute(self, portal, rows=0):
        return self.message(b"E", portal + b"\0" + struct.pack(">i", rows))

    def ask(self, *messages):
        """All of them and a Sync; the SQLSTATEs of errors."""
        self.s.sendall(b"".join(messages) + self.message(b"S", b""))
        return self.until(b"Z")[1]

    def query(self, sql):
        self.s.sendall(self.message(b"Q", sql + b"\0"))
        return self.until(b"Z")[1]

    def close(self):
        self.s.close()


class HostileTest(ServerTest):
    """mallory does what it can, and alice and the superuser want to work."""
    rounds = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        c = cls.connect_as("dendro")
        c.cursor().execute("CREATE USER mallory; CREATE USER alice; CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR); GRANT ALL ON t TO mallory, alice; "
                           "INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 5000) g")
        c.close()

    @classmethod
    def connect_as(cls, user):
        c = psycopg2.connect(host="127.0.0.1", port=cls.server.port, user=user, dbname="dendro")
        c.autocommit = True
        return c

    def others_work(self):
        for user in ("alice", "dendro"):
            c = self.connect_as(user)
            k = c.cursor()
            k.execute("SELECT count(*), max(v) FROM t")
            self.assertEqual(k.fetchone()[0], 5000)
            k.execute("PREPARE p AS SELECT count(*) FROM t WHERE k < $1; EXECUTE p (10)")
            self.assertEqual(k.fetchone(), (9,))
            k.execute("BEGIN; DECLARE c CURSOR FOR SELECT k FROM t ORDER BY k; FETCH 2 FROM c")
            self.assertEqual(k.fetchall(), [(1,), (2,)])
            k.execute("ROLLBACK")
            c.close()

    def until_refused(self, step, rounds=None):
        """Again and again, until the server has had enough: 53200, or the number that it takes."""
        rounds = rounds or self.rounds
        for i in range(rounds):
            errors = step(i)
            if errors:
                self.assertIn(errors[0], ("53200", "54000"), i)
                return i
        return rounds


class Hostile(HostileTest):
    """With little memory all of it is within reach."""
    options = ("--set", "memory_limit=64MB", "--max-pending-logins", "20", "--max-connections", "60")
    rounds = 4000
    heavy_rounds = 4000  # of what takes a megabyte each

    def test_statements(self):
        m = Raw(self.server.port)
        n = self.until_refused(lambda i: m.ask(*(m.parse(b"s%d.%d" % (i, j), b"select 1") for j in range(10))))
        print(f"{n * 10} prepared statements", file=sys.stderr)
        self.others_work()
        self.assertEqual(m.query(b"DEALLOCATE ALL"), [])
        self.assertEqual(m.ask(m.parse(b"again", b"select 1")), [])
        m.close()

    def test_sql_statements(self):
        m = Raw(self.server.port)
        text = b"x" * 10000
        n = self.until_refused(lambda i: m.query(b"PREPARE p%d AS SELECT '%s'" % (i, text)))
        print(f"{n} statements of PREPARE", file=sys.stderr)
        self.others_work()
        m.close()

    def test_parameters(self):
        m = Raw(self.server.port)
        self.assertEqual(m.query(b"BEGIN"), [])
        value = b"v" * (256 << 10)
        n = self.until_refused(lambda i: m.ask(m.parse(b"h%d" % i, b"select $1::text, $2::text"), m.bind(b"p%d" % i, b"h%d" % i, value, value)), self.heavy_rounds)
        print(f"{n} portals with parameters", file=sys.stderr)
        self.others_work()
        m.close()

    def test_portals(self):
        m = Raw(self.server.port)
        self.assertEqual(m.ask(m.parse(b"big", b"select k, v from t order by v, k")), [])
        self.assertEqual(m.query(b"BEGIN"), [])
        n = self.until_refused(lambda i: m.ask(m.bind(b"p%d" % i, b"big"), m.execute(b"p%d" % i, 1)), self.heavy_rounds)
        print(f"{n} portals that stand on a sort", file=sys.stderr)
        self.others_work()
        m.close()

    def test_names(self):
        m = Raw(self.server.port)
        self.assertEqual(m.query(b"BEGIN"), [])
        self.assertEqual(m.ask(m.parse(b"s", b"select 1")), [])
        n = self.until_refused(lambda i: m.ask(m.bind(b"%d" % i + b"n" * 100000, b"s")))
        print(f"{n} long names", file=sys.stderr)
        self.others_work()
        m.close()

    def test_cursors(self):
        m = Raw(self.server.port)
        self.assertEqual(m.query(b"BEGIN"), [])
        n = self.until_refused(lambda i: m.query(b"DECLARE c%d SCROLL CURSOR FOR SELECT k, v FROM t ORDER BY v, k; MOVE 2000 FROM c%d" % (i, i)), self.heavy_rounds)
        print(f"{n} cursors", file=sys.stderr)
        self.others_work()
        m.close()

    def test_held_cursors(self):
        m = Raw(self.server.port)
        n = self.until_refused(lambda i: m.query(b"DECLARE c%d CURSOR WITH HOLD FOR SELECT k, v FROM t" % i), self.heavy_rounds)
        print(f"{n} held cursors", file=sys.stderr)
        self.others_work()
        m.close()

    def test_long_messages(self):
        """Messages that do not end, and lines of a COPY."""
        held = []
        try:
            for _ in range(20):
                m = Raw(self.server.port)
                try:
                    m.s.sendall(b"Q" + struct.pack(">i", 200 << 20) + b"SELECT '" + b"x" * (16 << 20))
                except OSError:
                    pass  # it was told to go
                held.append(m)
            lines = []
            for _ in range(3):
                m = Raw(self.server.port)
                m.s.sendall(m.message(b"Q", b"COPY t FROM STDIN\0"))
                m.until(b"G")
                try:
                    for _ in range(8):
                        m.s.sendall(m.message(b"d", b"1\t" + b"y" * (1 << 20)))
                except OSError:
                    pass
                lines.append(m)
            c = self.connect_as("dendro")
            k = c.cursor()
            k.execute("SELECT current_user")
            self.assertEqual(k.fetchone(), ("dendro",))
            c.close()
        finally:
            for m in held + lines:
                m.close()
        self.others_work()

    def test_all_sessions(self):
        """As many sessions as there may be, each as much as it can keep: a superuser gets in and works."""
        held = []
        with self.assertRaises(psycopg2.OperationalError):
            while True:
                held.append(self.connect_as("mallory"))
        held.pop().close()
        while True:
            try:
                held.append(Raw(self.server.port))
                break
            except OSError:
                pass
        refused = 0
        for c in held[:-1]:
            k = c.cursor()
            try:
                for i in range(20):
                    k.execute(f"PREPARE p{i} AS SELECT '{'z' * 200000}'")
            except psycopg2.Error as e:
                self.assertEqual(e.pgcode, "53200")
                refused += 1
        self.assertGreater(refused, 0)
        for _ in range(3):
            c = self.connect_as("dendro")
            k = c.cursor()
            k.execute("SELECT count(*) FROM t")
            self.assertEqual(k.fetchone(), (5000,))
            k.execute("PREPARE p AS SELECT 1; EXECUTE p")
            self.assertEqual(k.fetchone(), (1,))
            c.close()
        for c in held:
            c.close()


class Portals(HostileTest):
    def test_portals_end(self):
        """COMMIT and ROLLBACK of the simple protocol end the portals of the block: their names are free."""
        m = Raw(self.server.port)
        self.assertEqual(m.ask(m.parse(b"some", b"select k from t")), [])
        for end in (b"COMMIT", b"ROLLBACK"):
            self.assertEqual(m.query(b"BEGIN"), [])
            self.assertEqual(m.ask(m.bind(b"p", b"some"), m.execute(b"p", 1)), [])
            self.assertEqual(m.ask(m.bind(b"p", b"some")), ["42P03"])
            self.assertEqual(m.query(b"ROLLBACK; BEGIN"), [])
            self.assertEqual(m.query(end), [])
            self.assertEqual(m.ask(m.execute(b"p", 1)), ["34000"])
            self.assertEqual(m.query(b"BEGIN"), [])
            self.assertEqual(m.ask(m.bind(b"p", b"some"), m.execute(b"p", 1)), [])
            self.assertEqual(m.query(end), [])
            self.assertEqual(m.ask(m.bind(b"p", b"some"), m.execute(b"p", 1)), [])
        m.close()


class ManySessions(HostileTest):
    """One role with many sessions: it gets its share of the memory, and others work all the same."""
    options = ("--set", "memory_limit=64MB", "--max-connections", "100")
    sessions = 60
    steps = 30

    def fill(self, step):
        """Each session does more and more of it, in turns. The first error, which names the role."""
        held = [self.connect_as("mallory") for _ in range(self.sessions)]
        first = None
        open_ones = list(held)
        for i in range(self.steps):
            for c in list(open_ones):
                try:
                    step(c.cursor(), i)
                except psycopg2.Error as e:
                    self.assertEqual(e.pgcode, "53200", e)
                    if 'role "mallory"' in str(e):
                        first = first or e
                    open_ones.remove(c)  # it keeps what it has
            if not open_ones:
                break
            if i % 10 == 0:
                self.others_work()
        self.others_work()
        for c in held:
            c.close()
        return first

    def refused(self, step):
        e = self.fill(step)
        self.assertIsNotNone(e, "the role was never refused")
        self.assertIn("role_memory", e.diag.message_hint)
        self.others_work()

    def test_all_sessions(self):
        self.refused(lambda k, i: k.execute(f"PREPARE p{i} AS SELECT '{'z' * 100000}'"))

    def test_cursors(self):
        self.refused(lambda k, i: k.execute(f"DECLARE c{i} CURSOR WITH HOLD FOR SELECT k, v FROM t LIMIT 3000"))

    def test_blocks(self):
        self.refused(lambda k, i: k.execute(("BEGIN; " if i == 0 else "") + f"INSERT INTO t SELECT 100000 + g, repeat('y', 100) FROM generate_series({i} * 2000, {i} * 2000 + 1999) g"))

    def test_settings(self):
        """Also with a savepoint each, which keeps what the settings were."""
        def step(k, i):
            k.execute("BEGIN" if i == 0 else "SAVEPOINT s")
            k.execute(f"SELECT set_config('my.x{i % 3}', repeat('s', 300000), false) IS NULL")
        self.refused(step)

    def test_one_setting(self):
        c = self.connect_as("mallory")
        with self.assertRaises(psycopg2.Error) as e:
            c.cursor().execute("SELECT set_config('my.x', repeat('s', 10000000), false) IS NULL")
        self.assertEqual(e.exception.pgcode, "54001")
        c.close()

    def test_running(self):
        """Statements that run at the same time, each of which holds what it can."""
        errors = []

        def run(c):
            try:
                c.cursor().execute("SET statement_timeout = '20s'; SELECT count(*), max(length(a)) FROM (SELECT repeat('x', 4000000) || g a FROM generate_series(1, 3) g ORDER BY 1) s, pg_sleep(3)")
            except psycopg2.Error as e:
                errors.append(e)

        held = [self.connect_as("mallory") for _ in range(self.sessions)]
        threads = [threading.Thread(target=run, args=(c,)) for c in held]
        for t in threads:
            t.start()
        time.sleep(1)
        for _ in range(5):
            self.others_work()
        for t in threads:
            t.join()
        self.assertEqual({e.pgcode for e in errors} - {"53200", "57014"}, set())
        self.assertTrue(any('role "mallory"' in str(e) for e in errors))
        for c in held:
            c.close()
        self.others_work()

    def test_locks(self):
        held = [self.connect_as("mallory") for _ in range(6)]
        with self.assertRaises(psycopg2.Error) as e:
            for i, c in enumerate(held):
                c.cursor().execute(f"SELECT count(pg_advisory_lock_shared(g)) FROM generate_series({i}00000, {i}09999) g")
        self.assertIn('role "mallory"', str(e.exception))
        for user in ("alice", "dendro"):
            c = self.connect_as(user)
            c.cursor().execute("SELECT pg_advisory_lock(-1)")
            c.close()
        for c in held:
            c.close()

    def test_long_messages(self):
        """Messages that do not end."""
        held = []
        for _ in range(self.sessions):
            m = Raw(self.server.port)
            try:
                m.s.sendall(b"Q" + struct.pack(">i", 200 << 20) + b"SELECT '" + b"x" * (2 << 20))
            except OSError:
                pass  # it was told to go
            held.append(m)
        c = self.connect_as("alice")
        k = c.cursor()
        k.execute("SELECT length(%s)", ("y" * (1 << 20),))
        self.assertEqual(k.fetchone(), (1 << 20,))
        c.close()
        self.others_work()
        for m in held:
            m.close()


class ManySessionsDefault(ManySessions):
    """The limits that a server has which was told none: nobody notices."""
    options = ()
    steps = 10

    def refused(self, step):
        self.assertIsNone(self.fill(step))

    test_running = None  # a role would have to take gigabytes


class HostileDefault(Hostile):
    """The limits that a server has which was told none."""
    options = ()
    rounds = 1000
    heavy_rounds = 100

    def test_all_sessions(self):
        held = [Raw(self.server.port) for _ in range(10)]
        for m in held:
            m.ask(*(m.parse(b"s%d" % i, b"select 1") for i in range(1000)))
        self.others_work()
        for m in held:
            m.close()


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

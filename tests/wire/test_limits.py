#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the server grants, and what it does not: turns, memory, time, sizes.

    test_limits.py DENDRO [CLASS...]   runs all, or these
    test_limits.py --list              names of the classes
"""
import os
import resource
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

import wirelib
from wirelib import ServerTest

HEAVY = "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 1000) b"


def connect(test):
    import psycopg2
    c = psycopg2.connect(host="127.0.0.1", port=test.server.port, user="dendro", dbname="dendro")
    c.autocommit = True
    return c


def start(test):
    """A connection by hand, logged in."""
    s = socket.create_connection(("127.0.0.1", test.server.port))
    body = struct.pack(">i", 196608) + b"user\0dendro\0\0"
    s.sendall(struct.pack(">i", len(body) + 4) + body)
    got = b""
    while not got.endswith(b"Z\0\0\0\5I"):
        got += s.recv(10000)
    return s


class Fair(ServerTest):
    """More long statements than there are workers: short ones are answered all the same."""

    def test_point_queries_beside_heavy_scans(self):
        import psycopg2
        heavy = [connect(self) for _ in range(8 * os.cpu_count() + 4)]
        canceled = []

        def scan(c):
            try:
                c.cursor().execute(HEAVY)
            except psycopg2.errors.QueryCanceled:
                canceled.append(c)

        threads = [threading.Thread(target=scan, args=(c,)) for c in heavy]
        for t in threads:
            t.start()
        time.sleep(0.5)
        k = connect(self).cursor()
        took = []
        for i in range(100):
            begin = time.monotonic()
            k.execute("SELECT %s + 1", (i,))
            self.assertEqual(k.fetchone(), (i + 1,))
            took.append(time.monotonic() - begin)
        took.sort()
        print(f"{len(heavy)} scans beside it: median {took[50] * 1000:.1f} ms, p99 {took[98] * 1000:.1f} ms", file=sys.stderr)
        self.assertLess(took[98], 30)
        for t, c in zip(threads, heavy):
            while t.is_alive():
                c.cancel()
                t.join(1)
        self.assertEqual(len(canceled), len(heavy))


class Many(ServerTest):
    """More idle connections than there may be threads; they cost no thread and little memory."""
    options = ("--max-connections", "3000")
    count = 1200

    def proc(self, name):
        return f"/proc/{self.server.process.pid}/{name}"

    def rss(self):
        with open(self.proc("statm"), encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def test_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        k = connect(self).cursor()
        before = self.rss()
        idle = []
        try:
            for _ in range(min(self.count, hard - 200)):  # the system may allow fewer files
                idle.append(start(self))
            each = (self.rss() - before) / len(idle)
            threads = len(os.listdir(self.proc("task")))
            print(f"{len(idle)} idle connections: {each / 1000:.1f} kB each, {threads} threads", file=sys.stderr)
            self.assertLess(threads, 100)
            self.assertLess(each, 200000)  # sanitizers take their share
            k.execute("SELECT count(*) FROM generate_series(1, 1000)")
            self.assertEqual(k.fetchone(), (1000,))
            sql = b"SELECT 42\0"
            idle[0].sendall(b"Q" + struct.pack(">i", len(sql) + 4) + sql)
            got = b""
            while not got.endswith(b"Z\0\0\0\5I"):
                got += idle[0].recv(10000)
            self.assertIn(b"42", got)
        finally:
            for s in idle:
                s.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class SlowReader(ServerTest):
    """A result of gigabytes to somebody who does not read it is not kept, and keeps nobody from working."""

    def rss(self):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))

    def test_rss_is_flat(self):
        readers = [start(self) for _ in range(20)]
        before = self.rss()
        sql = b"SELECT g, repeat('x', 1000) FROM generate_series(1, 3000000) g\0"
        for s in readers:
            s.sendall(b"Q" + struct.pack(">i", len(sql) + 4) + sql)
        time.sleep(2)
        first = self.rss()
        for s in readers: # a little, so that they go on
            s.recv(1 << 20)
        time.sleep(2)
        last = self.rss()
        self.assertLess(first - before, 20 * 40000, f"{before} kB, {first} kB")
        self.assertLess(last - first, 20 * 8000, f"{first} kB, {last} kB")
        k = connect(self).cursor()
        k.execute("SELECT 1")
        self.assertEqual(k.fetchone(), (1,))
        for s in readers:
            s.close()


class Idle(ServerTest):
    """--idle-timeout and --max-message."""
    options = ("--idle-timeout", "1", "--max-message", "1")

    def test_idle(self):
        with start(self) as s:
            s.settimeout(20)
            got = b""
            while part := s.recv(10000):
                got += part
            self.assertIn(b"C57P05\0", got)

    def test_message(self):
        with start(self) as s:
            sql = b"SELECT '" + b"x" * 1000000 + b"'\0"
            s.sendall(b"Q" + struct.pack(">i", len(sql) + 4) + sql)
            got = b""
            while not got.endswith(b"Z\0\0\0\5I"):
                got += s.recv(1 << 20)
            self.assertGreater(len(got), 1000000)
            s.sendall(b"Q" + struct.pack(">i", 2000000))
            got = b""
            while part := s.recv(10000):
                got += part
            self.assertIn(b"C54000\0", got)


class Uninvited(ServerTest):
    """Sockets that never log in keep nobody out, and superusers always find room."""
    options = ("--max-connections", "12", "--superuser-reserved-connections", "3", "--max-pending-logins", "10",
               "--authentication-timeout", "600")

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.process.send_signal(signal.SIGTERM)
            _, err = cls.server.process.communicate(timeout=60)
            assert cls.server.process.returncode == 0, err
            assert all("too many connections for the role" in line for line in err.splitlines()), err
        finally:
            cls.server.remove()

    def user(self, name):
        import psycopg2
        return psycopg2.connect(host="127.0.0.1", port=self.server.port, user=name, dbname="dendro")

    def gone(self, s):
        """What the server said, when it closes; None: it stays open."""
        got = b""
        while select.select([s], [], [], 0)[0]:
            try:
                part = s.recv(10000)
            except OSError:
                return got
            if not part:
                return got
            got += part
        return None

    def test_silent(self):
        silent = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(200)]
        c = connect(self)
        k = c.cursor()
        k.execute("SELECT 1")
        self.assertEqual(k.fetchone(), (1,))
        begin = time.monotonic()
        while sum(self.gone(s) is None for s in silent[-20:]) > 10 and time.monotonic() - begin < 60:
            time.sleep(0.02)
        said = [self.gone(s) for s in silent]
        self.assertLessEqual(said.count(None), 10)
        self.assertEqual(set(said) - {None, b""}, set())
        for s in silent:
            s.close()
        c.close()

    def test_reserved(self):
        import psycopg2
        k = connect(self).cursor()
        k.execute("CREATE USER alice; CREATE USER bob CONNECTION LIMIT 4")
        k.connection.close()
        while True:  # until that one is gone
            held = []
            try:
                for _ in range(9):
                    held.append(self.user("alice"))
                break
            except psycopg2.OperationalError:
                for c in held:
                    c.close()
        with self.assertRaises(psycopg2.OperationalError) as caught:
            self.user("alice")
        self.assertIn("remaining connection slots are reserved for superusers", str(caught.exception))
        silent = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(30)]
        supers = [connect(self) for _ in range(3)]
        with self.assertRaises(psycopg2.OperationalError) as caught:
            connect(self)
        self.assertIn("too many clients", str(caught.exception))
        for c in held + supers + silent:
            c.close()

    def test_role_limit_at_once(self):
        import psycopg2
        k = connect(self).cursor()
        k.execute("CREATE USER carol CONNECTION LIMIT 4")
        k.connection.close()
        barrier = threading.Barrier(8)
        held, refused = [], []

        def enter():
            barrier.wait()
            try:
                held.append(self.user("carol"))
            except psycopg2.OperationalError as e:
                refused.append('too many connections for role "carol"' in str(e))
        threads = [threading.Thread(target=enter) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual((len(held), refused), (4, [True] * 4))
        for c in held:
            c.close()


class SlowLogin(ServerTest):
    """The time for a login counts from the connection on, however slowly its bytes come."""
    options = ("--authentication-timeout", "1")

    def test_trickle(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as s:
            body = struct.pack(">i", 196608) + b"user\0dendro\0" + b"application_name\0" + b"x" * 5000
            sent = struct.pack(">i", len(body) + 6) + body
            got = b""
            for at in range(600):
                try:
                    s.sendall(sent[at:at + 1])
                except OSError:
                    break
                if select.select([s], [], [], 0.1)[0]:
                    got = s.recv(1000)
                    break
            self.assertIn(b"C08006", got)


class Reload(ServerTest):
    """SIGHUP: certificate and key are read anew."""

    @classmethod
    def setUpClass(cls):
        cls.keys = tempfile.mkdtemp(prefix="dendro-wire-keys-")
        cls.cert, cls.key = os.path.join(cls.keys, "cert.pem"), os.path.join(cls.keys, "key.pem")
        cls.make("/CN=first")
        cls.options = ("--tls-cert", cls.cert, "--tls-key", cls.key)
        super().setUpClass()

    @classmethod
    def make(cls, name):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", name,
                        "-keyout", cls.key, "-out", cls.cert], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.process.send_signal(signal.SIGTERM)
            _, err = cls.server.process.communicate(timeout=60)
            assert cls.server.process.returncode == 0
            assert err.count("the old one stays") == 1, err
        finally:
            cls.server.remove()
            shutil.rmtree(cls.keys)

    def name(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw, context.wrap_socket(raw) as s:
            der = s.getpeercert(binary_form=True)
        return b"first" in der, b"second" in der

    def wait_for(self, want):
        for _ in range(200):
            if self.name() == want:
                return
            time.sleep(0.05)
        self.fail(f"{self.name()}, not {want}")

    def test_reload(self):
        self.assertEqual(self.name(), (True, False))
        self.make("/CN=second")
        self.assertEqual(self.name(), (True, False))
        self.server.process.send_signal(signal.SIGHUP)
        self.wait_for((False, True))
        with open(self.cert, "w", encoding="ascii") as f:
            f.write("nonsense\n")
        self.server.process.send_signal(signal.SIGHUP)
        self.assertTrue(select.select([self.server.process.stderr], [], [], 60)[0])  # it complains
        self.assertEqual(self.name(), (False, True))


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logins: trust, SCRAM with and without channel binding, wrong passwords, roles and what they may do."""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import wirelib
from wirelib import Server

import psycopg2


class LoginTest(unittest.TestCase):
    options = ()

    def setUp(self):
        self.server = Server(*self.options)
        self.addCleanup(self.server.remove)

    def connect(self, user="dendro", password=None, **more):
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user=user, dbname="dendro",
                             password=password, **more)
        c.autocommit = True
        self.addCleanup(c.close)
        return c

    def run_sql(self, sql, **who):
        c = self.connect(**who).cursor()
        c.execute(sql)
        return c.fetchall() if c.description else None

    def refused(self, text, **who):
        with self.assertRaises(psycopg2.OperationalError) as caught:
            self.connect(**who)
        self.assertIn(text, str(caught.exception))

    def log(self):
        """Ends the server and gives what it wrote."""
        self.server.process.terminate()
        _, err = self.server.process.communicate(timeout=60)
        self.assertEqual(self.server.process.returncode, 0)
        return err


class Trust(LoginTest):
    """Nobody has a password: this machine is trusted, but only as roles that are there."""

    def test_trust(self):
        self.assertEqual(self.run_sql("SELECT current_user, session_user"), [("dendro", "dendro")])
        self.refused('role "nobody" does not exist', user="nobody")
        self.run_sql("CREATE ROLE group_only; CREATE USER alice")
        self.refused('role "group_only" is not permitted to log in', user="group_only")
        self.assertEqual(self.run_sql("SELECT current_user", user="alice"), [("alice",)])


class Scram(LoginTest):
    def test_passwords(self):
        admin = self.connect()
        cur = admin.cursor()
        cur.execute("CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1)")
        cur.execute("CREATE USER alice PASSWORD 'sécret'")
        self.assertIn("no superuser has one", "".join(admin.notices))
        cur.execute("ALTER ROLE dendro PASSWORD 'root'; CREATE USER bob")
        self.assertEqual(self.run_sql("SELECT current_user", user="alice", password="sécret"), [("alice",)])
        self.refused('password authentication failed for user "alice"', user="alice", password="secret")
        self.refused('password authentication failed for user "bob"', user="bob", password="x")
        self.refused('password authentication failed for user "nobody"', user="nobody", password="x")
        self.refused("no password supplied", user="dendro")
        # A session that is there goes on; what it may do follows the grants.
        alice = self.connect(user="alice", password="sécret").cursor()
        with self.assertRaises(psycopg2.errors.InsufficientPrivilege):
            alice.execute("SELECT * FROM t")
        cur.execute("GRANT SELECT ON t TO alice")
        alice.execute("SELECT * FROM t")
        self.assertEqual(alice.fetchall(), [(1,)])
        with self.assertRaises(psycopg2.errors.InsufficientPrivilege):
            alice.execute("COPY t FROM '/etc/hostname'")
        alice.execute("ALTER ROLE alice PASSWORD 'other'")
        self.refused("password authentication failed", user="alice", password="sécret")
        self.assertEqual(self.run_sql("SELECT 1", user="alice", password="other"), [(1,)])
        cur.execute("ALTER ROLE alice VALID UNTIL '2001-01-01'")
        self.refused("password authentication failed", user="alice", password="other")
        log = self.log()
        self.assertIn('login failed: user "alice" from 127.0.0.1', log)
        for secret in ("sécret", "other", "root", "SCRAM"):
            self.assertNotIn(secret, log)

    def test_verifier(self):
        """A verifier in place of the password, as psql's \\password sends it."""
        self.run_sql("ALTER USER dendro PASSWORD 'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$"
                     "WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU='")
        self.assertEqual(self.run_sql("SELECT 1", password="pencil"), [(1,)])
        self.refused("password authentication failed", password="pen")

    def test_connection_limit(self):
        self.run_sql("CREATE USER alice CONNECTION LIMIT 1")
        self.connect(user="alice")
        self.refused('too many connections for role "alice"', user="alice")

    def test_role_settings(self):
        self.run_sql("CREATE USER alice; GRANT CREATE ON SCHEMA public TO alice; ALTER ROLE alice SET default_transaction_read_only = on")
        with self.assertRaises(psycopg2.errors.ReadOnlySqlTransaction):
            self.run_sql("CREATE TABLE x (a INT PRIMARY KEY)", user="alice")

    def test_too_many_wrong(self):
        self.run_sql("ALTER ROLE dendro PASSWORD 'right'")
        for _ in range(10):
            self.refused("password authentication failed", password="wrong")
        self.refused("too many failed logins", password="right")

    def test_guesses_at_once(self):
        """Many guesses at once are no more than many one after the other; logins of another role clear nothing."""
        self.run_sql("CREATE USER mallory PASSWORD 'own'; CREATE USER alice PASSWORD 'right'; ALTER ROLE dendro PASSWORD 'root'")
        said = []

        def guess(n):
            for i in range(10):
                try:
                    self.connect(user="alice", password=f"{n}.{i}").close()
                    said.append("in")
                except psycopg2.OperationalError as e:
                    said.append("wrong" if "password authentication failed" in str(e) else str(e))
                self.connect(user="mallory", password="own").close()
        threads = [threading.Thread(target=guess, args=(n,)) for n in range(20)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(said.count("wrong"), 10)
        self.assertEqual(sum("too many failed logins" in s for s in said), 190, said)
        self.refused("too many failed logins", user="alice", password="right")
        self.assertEqual(self.run_sql("SELECT 1", user="mallory", password="own"), [(1,)])
        self.assertEqual(self.run_sql("SELECT 1", user="dendro", password="root"), [(1,)])

    def test_right_ones_at_once(self):
        """Right passwords that come together keep nobody waiting for more than their turn."""
        self.run_sql("CREATE USER alice PASSWORD 'right'; ALTER ROLE dendro PASSWORD 'root'")
        said = []

        def enter():
            for _ in range(5):
                said.append(self.run_sql("SELECT 1", user="alice", password="right"))
        threads = [threading.Thread(target=enter) for _ in range(40)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(said, [[(1,)]] * 200)

    def raw(self, user):
        s = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
        self.addCleanup(s.close)
        body = struct.pack("!I", 196608) + b"user\0" + user.encode() + b"\0database\0dendro\0\0"
        s.sendall(struct.pack("!I", len(body) + 4) + body)
        return s

    def answer(self, s, message):
        s.sendall(message)
        got = b""
        while True:
            part = s.recv(4096)
            if not part:
                return got
            got += part

    def test_malformed(self):
        self.run_sql("ALTER ROLE dendro PASSWORD 'right'")

        def sasl(mechanism, data, length=None):
            body = mechanism + b"\0" + struct.pack("!i", len(data) if length is None else length) + data
            return b"p" + struct.pack("!I", len(body) + 4) + body
        for message, text in [
                (sasl(b"MD5", b""), b"invalid SASL authentication mechanism"),
                (sasl(b"SCRAM-SHA-256-PLUS", b"p=tls-server-end-point,,n=,r=abc"), b"invalid SASL authentication mechanism"),
                (sasl(b"SCRAM-SHA-256", b""), b"malformed SCRAM message"),
                (sasl(b"SCRAM-SHA-256", b"n,,n=,r=abc", -1), b"malformed SCRAM message"),
                (sasl(b"SCRAM-SHA-256", b"n,,n=,r=abc", 2 ** 31 - 1), b"malformed SCRAM message"),
                (sasl(b"SCRAM-SHA-256", b"x" * 2000), b"malformed SCRAM message"),
                (b"p" + struct.pack("!I", 100000), b"invalid message length"),
                (b"Q" + struct.pack("!I", 9) + b"SEL\0\0", b"expected SASL response"),
                (b"p" + struct.pack("!I", 3), b"invalid message length")]:
            self.assertIn(text, self.answer(self.raw("dendro"), message), message)
        self.assertEqual(self.run_sql("SELECT 1", password="right"), [(1,)])

    def test_unknown_looks_known(self):
        """Nobody can find out by asking which roles there are."""
        self.run_sql("ALTER ROLE dendro PASSWORD 'right'")
        first = b"SCRAM-SHA-256\0" + struct.pack("!i", 11) + b"n,,n=,r=abc"

        def salt(user):
            s = self.raw(user)
            s.sendall(b"p" + struct.pack("!I", len(first) + 4) + first)
            got = b""
            while b"i=4096" not in got:
                part = s.recv(4096)
                self.assertTrue(part, got)
                got += part
            return got.split(b"s=")[1].split(b",")[0]
        self.assertEqual(salt("nobody"), salt("nobody"))
        self.assertNotEqual(salt("nobody"), salt("somebody"))
        self.assertEqual(len(salt("nobody")), len(salt("dendro")))


class ScramTls(LoginTest):
    """Channel binding: SCRAM-SHA-256-PLUS."""

    def setUp(self):
        self.certs = tempfile.TemporaryDirectory(prefix="dendro-tls-")
        self.addCleanup(self.certs.cleanup)
        cert, key = (os.path.join(self.certs.name, n) for n in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
                        "-keyout", key, "-out", cert], check=True, capture_output=True)
        self.options = ("--tls-cert", cert, "--tls-key", key)
        super().setUp()

    def test_binding(self):
        self.run_sql("ALTER ROLE dendro PASSWORD 'right'")
        for binding in ("require", "disable", "prefer"):
            self.assertEqual(self.run_sql("SELECT 1", password="right", sslmode="require", channel_binding=binding), [(1,)])
        self.refused("password authentication failed", password="wrong", sslmode="require", channel_binding="require")


class OtherMachines(unittest.TestCase):
    """An address that others can reach needs logins, or --insecure."""

    def test_refused_until_password(self):
        server = Server()
        self.addCleanup(server.remove)
        data = os.path.join(server.dir, "db")
        c = psycopg2.connect(host="127.0.0.1", port=server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        self.assertNotEqual(0, server.process.pid)
        server_stop(server, c)
        refused = subprocess.run([wirelib.PROGRAM, "serve", "--data", data, "--listen", "0.0.0.0", "--pg-port", "any",
                                  "--http-port", "0"], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("nobody would have to log in", refused.stderr)
        subprocess.run([wirelib.PROGRAM, "sql", data, "-c", "ALTER ROLE dendro PASSWORD 'right'"], check=True,
                       capture_output=True, timeout=60)
        server.options = ("--listen", "0.0.0.0")
        server.start()
        c = psycopg2.connect(host="127.0.0.1", port=server.port, user="dendro", dbname="dendro", password="right")
        server_stop(server, c)


def server_stop(server, *connections):
    for c in connections:
        c.close()
    time.sleep(0.05)
    server.stop()


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings of a server: file, environment, flags, ALTER SYSTEM, reload; what systemd is told.

    test_config.py DENDRO [CLASS...]   runs all, or these
    test_config.py --list              names of the classes
"""
import base64
import http.client
import json
import os
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
import unittest

import wirelib

PATIENCE = 120  # seconds; nothing here takes one unless the machine is busy


def until(what, *args):
    """Waits for a condition, and gives what it was."""
    end = time.monotonic() + PATIENCE
    while True:
        got = what(*args)
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"{what.__name__} did not come true")
        time.sleep(0.02)


class Daemon:
    """A server whose log is read while it runs."""

    def __init__(self, directory, *options, env=None):
        self.process = subprocess.Popen(
            [wirelib.PROGRAM, "serve", *options], cwd=directory, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
        self.ports = {}
        self.lines = []
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        self.hello = self.process.stdout.readline()
        if "port " not in self.hello:
            raise RuntimeError(f"the server does not start: {self.hello}")
        self.port = int(self.hello.split("port ")[1].split(":")[0])

    def read(self):
        for line in self.process.stderr:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()

    def line(self, text):
        """The line with that text, when it has come."""
        with self.changed:
            if not self.changed.wait_for(lambda: any(text in l for l in self.lines), PATIENCE):
                raise AssertionError(f"no line has {text!r}: {self.lines}")
            return next(l for l in self.lines if text in l)

    def connect(self, **options):
        import psycopg2
        c = psycopg2.connect(**{"host": "127.0.0.1", "port": self.port, "user": "dendro", "dbname": "dendro", **options})
        c.autocommit = True
        return c

    def ask(self, sql, **options):
        c = self.connect(**options)
        try:
            k = c.cursor()
            k.execute(sql)
            return k.fetchall() if k.description else None
        finally:
            c.close()

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.stop()


class InDirectory:
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="dendro-config-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def serve(self, *options, env=None):
        d = Daemon(self.dir, "--data", "db", "--pg-port", "any", "--http-port", "0", *options, env=env)
        self.addCleanup(d.kill)
        return d

    def check(self, *options, env=None):
        return subprocess.run([wirelib.PROGRAM, "serve", "--check-config", *options], cwd=self.dir, text=True,
                              capture_output=True, env={**os.environ, **(env or {})})


class CheckConfig(InDirectory, unittest.TestCase):
    """What counts, where it comes from, and every error at once."""

    def test_sources(self):
        self.write("c", "[http]\nport = 0\n[log]\nstatement = ddl\n[server]\nmax_connections = 5\nidle_timeout = 7\n")
        d = self.serve("--config", "c")
        d.ask("ALTER SYSTEM SET max_connections = 6; ")
        d.ask("ALTER SYSTEM SET idle_timeout = '8s'")
        d.ask("ALTER SYSTEM SET drain_timeout = '9s'")
        # also beside a server that has the directory
        r = self.check("--data", "db", "--config", "c", "--drain-timeout", "3", env={"DENDRO_MAX_CONNECTIONS": "11"})
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        got = {l.split(" = ")[0]: l.split(" = ")[1].split(" # ") for l in r.stdout.splitlines()}
        got = {k: (v.strip().strip("'"), s) for k, (v, s) in got.items()}
        self.assertEqual(got["http_port"], ("0", "configuration file: c:2"))
        self.assertEqual(got["log_statement"], ("ddl", "configuration file: c:4"))
        self.assertEqual(got["max_connections"], ("11", "environment variable: DENDRO_MAX_CONNECTIONS"))
        self.assertEqual(got["idle_timeout"], ("8s", "ALTER SYSTEM"))
        self.assertEqual(got["drain_timeout"], ("3s", "command line: --drain-timeout"))
        self.assertEqual(got["ilp_port"], ("0", "default"))

    def test_all_errors(self):
        self.write("c", "pg_prt = 1\n[pg]\nport = high\n")
        r = self.check("--data", "db", "--config", "c", "--http-port", "x", "--set", "foo=1", env={"DENDRO_ILP_PORT": "-1"})
        self.assertEqual(r.returncode, 1)
        lines = r.stderr.splitlines()
        self.assertEqual(len(lines), 5, r.stderr)
        self.assertIn("c:1: unrecognized configuration parameter \"pg_prt\"; Perhaps you meant \"pg_port\".", r.stderr)
        self.assertIn("c:3: setting pg_port must be", r.stderr)
        self.assertIn("--http-port: setting http_port must be", r.stderr)
        self.assertIn("--set: unrecognized configuration parameter \"foo\"", r.stderr)
        self.assertIn("DENDRO_ILP_PORT: setting ilp_port must be", r.stderr)
        for options, text in ((("--config", "none"), "none: No such file"), ((), "which database?"),
                              (("--data", "db", "--tls-cert", "x"), "TLS needs both"),
                              (("--data", "db", "--tls-cert", "x", "--tls-key", "y"), "the certificate \"x\""),
                              (("--config", "."), ".: ")):
            r = self.check(*options)
            self.assertEqual(r.returncode, 1, options)
            self.assertIn(text, r.stderr)

    def test_a_file_and_the_environment_are_enough(self):
        self.write("c", f"data = '{self.path('other')}'\n[http]\nport = 0\n")
        d = Daemon(self.dir, env={"DENDRO_CONFIG": "c", "DENDRO_PG_PORT": "any"})
        self.addCleanup(d.kill)
        self.assertEqual(d.ask("SHOW pg_port"), [("any",)])
        self.assertEqual(d.ask("SELECT source, sourceline FROM pg_settings WHERE name = 'data'"), [("configuration file", 1)])
        self.assertEqual(d.stop(), 0)


class TestClock(InDirectory, unittest.TestCase):
    """--test-clock and its like: what a database is opened with is a flag, too."""

    def test_moves(self):
        d = self.serve("--test-clock", "2024-01-01", "--memory-limit", "64MB")
        self.assertEqual(d.ask("SELECT now()::date::text, current_setting('memory_limit')"), [("2024-01-01", "64MB")])
        self.assertEqual(d.ask("SELECT (dendro_test_clock_advance('1 year')::date)::text"), [("2025-01-01",)])
        self.assertEqual(d.ask("SELECT now()::date::text"), [("2025-01-01",)])
        self.assertEqual(d.stop(), 0)

    def test_refused_without(self):
        import psycopg2
        d = self.serve()
        with self.assertRaisesRegex(psycopg2.Error, "the clock of this database is the machine's"):
            d.ask("SELECT dendro_test_clock_advance('1 day')")
        self.assertEqual(d.stop(), 0)


class ConfigReload(InDirectory, unittest.TestCase):
    """SIGHUP and pg_reload_conf()."""

    def test_file(self):
        self.write("c", "[server]\nidle_timeout = 100\n")
        d = self.serve("--config", "c")
        old = d.connect()
        self.write("c", "[server]\nidle_timeout = 200\nmax_connections = 7\n[database]\nstatement_timeout = 30s\n")
        d.reload()
        d.line("reload: idle_timeout = 200s")
        d.line("reload: max_connections = 7 takes effect when the server is started again")
        d.line("reload: statement_timeout = 30s, for sessions that begin from now on")
        self.assertEqual(d.ask("SHOW statement_timeout"), [("30s",)])
        k = old.cursor()
        k.execute("SHOW statement_timeout")
        self.assertEqual(k.fetchone(), ("0",))
        self.assertEqual(d.ask("SELECT name, setting, pending_restart FROM pg_settings WHERE name IN ('idle_timeout', 'max_connections') ORDER BY 1"),
                         [("idle_timeout", "200s", False), ("max_connections", "1000", True)])
        self.write("c", "[server]\nidle_timeout = 300\nidle_timeot = 1\n")
        d.reload()
        d.line("reload: c:3: unrecognized configuration parameter \"idle_timeot\"")
        d.line("nothing is changed")
        self.assertEqual(d.ask("SHOW idle_timeout"), [("200s",)])
        self.assertEqual(d.stop(), 0)

    def test_alter_system(self):
        d = self.serve()
        d.ask("ALTER SYSTEM SET log_connections = on")
        d.ask("ALTER SYSTEM SET max_connections = 33")
        self.assertEqual(d.ask("SHOW log_connections"), [("off",)])
        self.assertEqual(d.ask("SELECT pg_reload_conf()"), [(True,)])
        d.line("reload: log_connections = on")
        self.assertEqual(d.ask("SHOW log_connections"), [("on",)])
        mode = os.stat(os.path.join(self.dir, "db", "d", "settings")).st_mode & 0o777
        self.assertEqual(mode, 0o600)
        self.assertEqual(d.stop(), 0)
        d = self.serve("--max-connections", "44")
        self.assertEqual(d.ask("SELECT name, setting, source FROM pg_settings WHERE name IN ('log_connections', 'max_connections') ORDER BY 1"),
                         [("log_connections", "on", "configuration file"), ("max_connections", "44", "command line")])
        d.ask("ALTER SYSTEM RESET ALL")
        self.assertEqual(d.stop(), 0)
        d = self.serve()
        self.assertEqual(d.ask("SHOW max_connections"), [("1000",)])
        self.assertEqual(d.stop(), 0)

    def certificate(self, name):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", f"/CN={name}", "-keyout", self.path("key"), "-out", self.path("cert")],
                       check=True, capture_output=True)

    def test_certificates(self):
        """Connections that begin after the reload get the new one, of both protocols; the old ones go on."""
        self.certificate("first")
        d = Daemon(self.dir, "--data", "db", "--pg-port", "any", "--http-port", "any", "--tls-cert", "cert", "--tls-key", "key")
        self.addCleanup(d.kill)
        https = int(d.process.stdout.readline().split("port ")[1].split(":")[0])
        trust = ssl.create_default_context()
        trust.check_hostname = False
        trust.verify_mode = ssl.CERT_NONE

        def shown(port):
            """The bytes of the certificate that a client gets."""
            return ssl.get_server_certificate(("127.0.0.1", port)) if port == https else pg_certificate()

        def pg_certificate():
            s = socket.create_connection(("127.0.0.1", d.port))
            s.sendall(b"\0\0\0\x08\x04\xd2\x16\x2f")
            self.assertEqual(s.recv(1), b"S")
            with trust.wrap_socket(s) as t:
                return ssl.DER_cert_to_PEM_cert(t.getpeercert(True))

        old = http.client.HTTPSConnection("127.0.0.1", https, context=trust)
        old.request("GET", "/health")
        self.assertEqual(old.getresponse().read() != b"", True)
        first = shown(https)
        self.assertEqual(first, shown(d.port))
        with self.assertRaises(ssl.SSLError):
            weak = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            weak.check_hostname = False
            weak.verify_mode = ssl.CERT_NONE
            weak.minimum_version = ssl.TLSVersion.TLSv1
            weak.maximum_version = ssl.TLSVersion.TLSv1_1
            weak.set_ciphers("ALL:@SECLEVEL=0")
            weak.wrap_socket(socket.create_connection(("127.0.0.1", https)))
        self.certificate("second")
        d.reload()

        def both_new():
            return shown(https) != first and shown(d.port) != first

        until(both_new)
        self.assertEqual(shown(https), shown(d.port))
        old.request("GET", "/health")
        self.assertEqual(old.getresponse().status, 200)
        old.close()
        self.write("key", "this is no key")
        d.reload()
        d.line("the old one stays")
        self.assertEqual(shown(https), shown(d.port))
        self.assertEqual(d.stop(), 0)


class Audit(InDirectory, unittest.TestCase):
    """Who logged in and what he did, without his secrets."""

    def fields(self, line):
        """Of a line of the log in JSON."""
        return json.loads(line)

    def test_statements(self):
        import psycopg2
        d = self.serve("--set", "log_statement=ddl", "--log-format", "json")
        c = d.connect()
        k = c.cursor()
        k.execute("CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1); DROP VIEW IF EXISTS v")
        got = self.fields(d.line("CREATE TABLE"))
        self.assertEqual({n: got[n] for n in ("event", "user", "database", "kind", "object", "outcome", "text")},
                         {"event": "statement", "user": "dendro", "database": "dendro", "kind": "CREATE TABLE", "object": "t",
                          "outcome": "ok", "text": "CREATE TABLE t (a INT PRIMARY KEY)"})
        self.assertTrue(got["address"].startswith("127.0.0.1:"))
        self.assertRegex(got["time"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        with self.assertRaises(psycopg2.errors.DuplicateTable):
            k.execute("CREATE TABLE t (a INT PRIMARY KEY)")
        self.assertEqual(self.fields(d.line("42P07"))["kind"], "CREATE TABLE")
        with self.assertRaises(psycopg2.errors.UndefinedTable):
            k.execute("ALTER TABLE nothere ADD COLUMN b INT")
        self.assertEqual(self.fields(d.line("nothere"))["outcome"], "42P01")
        k.execute("CREATE USER alice PASSWORD 'top$ecret'")
        k.execute("ALTER ROLE alice WITH ENCRYPTED PASSWORD 'top$ecret2' CONNECTION LIMIT 3")
        with self.assertRaises(psycopg2.errors.SyntaxError):
            k.execute("ALTER ROLE alice PASWORD 'top$ecret3'")
        # inside other statements, and in texts that cannot be read
        k.execute("SET log_statement = 'all'")
        for sql in ("EXPLAIN ALTER ROLE alice PASSWORD 'top$ecret4'", "EXPLAIN ANALYZE CREATE USER u PASSWORD 'top$ecret5'",
                    "PREPARE p AS ALTER ROLE alice PASSWORD 'top$ecret6'", "COPY (ALTER ROLE alice PASSWORD 'top$ecret7') TO STDOUT",
                    "DECLARE c CURSOR FOR ALTER ROLE alice PASSWORD 'top$ecret8'", "DO $$ ALTER ROLE alice PASSWORD 'top$ecret9' $$",
                    "SELECT 1; ALTER ROLE alice PASSWORD 'top$ecret10' 'top$ecret11'", "ALTER ROLE alice PASSWORD 'top$ecret12",
                    "ALTER ROLE alice PASSWORD topsecret", "ALTRE ROLE alice PASSWORD 'top$ecret13'",
                    "CREATE ROLE alice PASSWORD 'top$ecret14'", "ALTER ROLE nothere PASSWORD 'top$ecret15'; SELECT 1",
                    "EXPLAIN (FORMAT nothing) ALTER ROLE alice PASSWORD 'top$ecret16'"):
            with self.assertRaises(psycopg2.Error, msg=sql):
                k.execute(sql)
                if sql.startswith("PREPARE"):
                    k.execute("EXECUTE p")
                    raise psycopg2.Error("taken")
        self.assertEqual(self.fields(d.line("EXPLAIN"))["text"].split()[-1], "********")
        k.execute("SET log_statement = ddl")
        got = self.fields(d.line("ALTER ROLE"))
        self.assertEqual((got["object"], got["text"]), ("alice", "ALTER ROLE alice ********"))
        k.execute("GRANT SELECT ON t TO alice")
        self.assertEqual(self.fields(d.line("GRANT"))["object"], "t")
        k.execute("SET log_statement = mod")
        k.execute("UPDATE t SET a = a WHERE a = 1; SELECT 4711")
        self.assertEqual(self.fields(d.line("UPDATE"))["kind"], "UPDATE")
        k.execute("SET log_statement = 'all'")
        k.execute("SELECT 4712")
        self.assertEqual(self.fields(d.line("4712"))["kind"], "SELECT")
        k.execute("SET log_statement = none; SET log_min_duration_statement = 0")
        k.execute("SELECT 4713")
        self.assertGreater(float(self.fields(d.line("4713"))["ms"]), 0)
        c.close()
        self.assertEqual(d.stop(), 0)
        log = "\n".join(d.lines)
        self.assertNotIn("ecret", log)
        self.assertNotIn("SCRAM", log)
        self.assertNotIn("INSERT", log)
        self.assertNotIn("4711", log)

    def test_other_doors(self):
        """Prepared statements, and HTTP."""
        import psycopg
        d = Daemon(self.dir, "--data", "db", "--pg-port", "any", "--http-port", "any", "--set", "log_statement=ddl")
        self.addCleanup(d.kill)
        web = int(d.process.stdout.readline().split("port ")[1].split(":")[0])
        with psycopg.connect(host="127.0.0.1", port=d.port, user="dendro", dbname="dendro", autocommit=True) as c:
            c.execute("CREATE TABLE extended (a INT PRIMARY KEY)", prepare=True)
            with self.assertRaises(psycopg.errors.UndefinedTable):
                c.execute("DROP TABLE unprepared", prepare=True)
        self.assertIn('user="dendro"', d.line('kind="CREATE TABLE" object="extended" outcome="ok"'))
        d.line('object="unprepared" outcome="42P01"')
        for sql, want in (("CREATE SCHEMA web", 'kind="CREATE SCHEMA" object="web" outcome="ok"'),
                          ("DROP TABLE webless; SELECT 1", 'object="webless" outcome="42P01"')):
            h = http.client.HTTPConnection("127.0.0.1", web)
            h.request("POST", "/api/sql", sql)
            h.getresponse().read()
            h.close()
            d.line(want)
        self.assertEqual(d.stop(), 0)

    def test_logins(self):
        import psycopg2
        d = Daemon(self.dir, "--data", "db", "--pg-port", "any", "--http-port", "any", "--log-connections", "--log-disconnections")
        self.addCleanup(d.kill)
        web = int(d.process.stdout.readline().split("port ")[1].split(":")[0])
        d.ask("CREATE USER alice PASSWORD 'hush1'; ALTER ROLE dendro PASSWORD 'hush2'")
        d.line('login: user="dendro" address="127.0.0.1:')
        d.line('logout: user="dendro" address="127.0.0.1:')
        d.ask("SELECT 1", user="alice", password="hush1")
        self.assertIn('protocol="PostgreSQL"', d.line('login: user="alice"'))
        with self.assertRaises(psycopg2.OperationalError):
            d.connect(user="alice", password="hush3")
        d.line('login failed: user "alice" from 127.0.0.1')
        for password in ("hush1", "hush1", "hush4"):
            h = http.client.HTTPConnection("127.0.0.1", web)
            token = base64.b64encode(f"alice:{password}".encode()).decode()
            h.request("POST", "/api/sql", "SELECT 1", {"Authorization": "Basic " + token})
            self.assertEqual(h.getresponse().status, 401 if password == "hush4" else 200)
            h.close()
        d.line('protocol="HTTP"')
        self.assertEqual(d.stop(), 0)
        log = "\n".join(d.lines)
        self.assertEqual(log.count('protocol="HTTP"'), 1)
        self.assertEqual(log.count("login failed"), 2)
        self.assertNotIn("hush", log)


class IdleSessions(InDirectory, unittest.TestCase):
    """Sessions that say nothing for too long, by their own settings."""

    def talk(self, port, query=b"", **options):
        """Logs in, says that, then nothing more; all that the server says until it ends the session."""
        pairs = b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in {"user": "dendro", **options}.items())
        s = socket.create_connection(("127.0.0.1", port), PATIENCE)
        s.sendall(struct.pack(">ii", len(pairs) + 9, 196608) + pairs + b"\0")
        if query:
            s.sendall(b"Q" + struct.pack(">i", len(query) + 5) + query + b"\0")
        got = b""
        while True:
            part = s.recv(4096)
            if not part:
                s.close()
                return got.decode(errors="replace")
            got += part

    def test_ends(self):
        d = self.serve()
        stays = d.connect().cursor()
        self.assertIn("57P05", self.talk(d.port, options="-c idle_session_timeout=300"))
        self.assertIn("57P05", self.talk(d.port, b"SET idle_session_timeout = '300ms'"))
        stays.execute("CREATE TABLE t (a INT PRIMARY KEY)")
        said = self.talk(d.port, b"SET idle_in_transaction_session_timeout = '300ms'; BEGIN; INSERT INTO t VALUES (1)")
        self.assertIn("25P03", said)
        self.assertIn("terminating connection due to idle-in-transaction timeout", said)
        stays.execute("SELECT count(*) FROM t")
        self.assertEqual(stays.fetchone(), (0,))
        # by role, from the login on
        stays.execute("CREATE USER hasty; ALTER ROLE hasty SET idle_session_timeout = '300ms'; "
                      "CREATE USER calm; ALTER ROLE calm SET idle_session_timeout = '1h'; ALTER ROLE calm SET statement_timeout = '1min'")
        self.assertIn("57P05", self.talk(d.port, user="hasty"))
        self.assertEqual(d.ask("SELECT current_setting('idle_session_timeout'), current_setting('statement_timeout')", user="calm"),
                         [("1h", "1min")])
        self.assertEqual(d.stop(), 0)


class Notify(InDirectory, unittest.TestCase):
    """What systemd is told."""

    def listener(self, name):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(name)
        s.settimeout(PATIENCE)
        self.addCleanup(s.close)
        return s

    def told(self, s, key):
        """The next message that has the key."""
        while True:
            got = dict(l.split("=", 1) for l in s.recv(4096).decode().splitlines())
            if key in got:
                return got

    def test_life(self):
        for name in (self.path("notify"), "\0dendro-test-" + os.path.basename(self.dir)):
            s = self.listener(name)
            d = self.serve(env={"NOTIFY_SOCKET": name.replace("\0", "@"), "WATCHDOG_USEC": "200000"})
            self.assertEqual(self.told(s, "READY")["READY"], "1")
            self.assertEqual(self.told(s, "WATCHDOG"), {"WATCHDOG": "1"})
            d.reload()
            self.assertGreater(int(self.told(s, "RELOADING")["MONOTONIC_USEC"]), 0)
            self.assertEqual(self.told(s, "READY")["READY"], "1")
            d.process.send_signal(signal.SIGTERM)
            self.assertEqual(self.told(s, "STOPPING")["STOPPING"], "1")
            self.assertEqual(d.stop(), 0)


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may ask over HTTP: logins, guesses, names of the server, requests that end in two places.

    test_login.py DENDRO [CLASS...]   runs all, or these
    test_login.py --list              names of the classes
"""
import base64
import http.client
import select
import signal
import socket
import sys
import threading

import httplib
import wirelib
from httplib import HttpTest

SALT = b"0123456789abcdef"


def verifier(password, rounds):
    import hashlib
    import hmac
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), SALT, rounds)
    client = hmac.digest(salted, b"Client Key", "sha256")
    server = hmac.digest(salted, b"Server Key", "sha256")
    text = (base64.b64encode(x).decode() for x in (SALT, hashlib.sha256(client).digest(), server))
    return "SCRAM-SHA-256${}:{}${}:{}".format(rounds, *text)


def basic(user, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


class LoginTest(HttpTest):
    """Failed logins are lines of the log."""

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.process.send_signal(signal.SIGTERM)
            _, err = cls.server.process.communicate(timeout=60)
            assert cls.server.process.returncode == 0, err
            assert all("login failed: user" in line for line in err.splitlines()), err
        finally:
            cls.server.remove()

    def ask(self, user, password, sql="SELECT current_user", source="127.0.0.1"):
        c = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=120, source_address=(source, 0))
        try:
            c.request("POST", "/api/sql", sql, basic(user, password))
            r = c.getresponse()
            return httplib.Answer(r, r.read())
        finally:
            c.close()


class HttpCookie(LoginTest):
    """A browser gives its password once and has a cookie from then on."""
    PAGE = {"X-Requested-With": "page"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        a = cls.server.ask("POST", "/api/login", None, cls.PAGE)
        assert (a.status, a.json, a.headers["Set-Cookie"]) == (200, {"user": "dendro", "cookie": False}, None), "nobody has a password yet"
        cls.server.sql("CREATE USER reader PASSWORD 'read'; ALTER ROLE dendro PASSWORD 'right'")

    def login(self, user, password):
        a = self.server.ask("POST", "/api/login", None, {**self.PAGE, **basic(user, password)})
        self.assertEqual((a.status, a.json), (200, {"user": user, "cookie": True}), a.text)
        cookie = a.headers["Set-Cookie"]
        self.assertRegex(cookie, r"^dendro_session_\d+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict$")
        return {"Cookie": cookie.split(";")[0]}

    def who(self, *headers):
        merged = {k: v for h in headers for k, v in h.items()}
        a = self.server.ask("POST", "/api/sql", "SELECT current_user", merged)
        return a.json["rows"][0][0] if a.status == 200 else a.status

    def test_cookie(self):
        reader, admin = self.login("reader", "read"), self.login("dendro", "right")
        self.assertEqual((self.who(reader, self.PAGE), self.who(admin, self.PAGE)), ("reader", "dendro"))
        self.assertEqual(self.server.ask("GET", "/api/login", None, {**reader, **self.PAGE}).json, {"user": "reader", "cookie": True})
        # Only for requests that no page of another site can make.
        self.assertEqual(self.who(reader), 401)
        self.assertEqual(self.who(reader, self.PAGE, {"Origin": "http://evil.example"}), 403)
        self.assertEqual(self.who(reader, self.PAGE, {"Sec-Fetch-Site": "cross-site"}), 403)
        forged = {"Cookie": reader["Cookie"][:-1] + ("0" if reader["Cookie"][-1] != "0" else "1")}
        self.assertEqual(self.who(forged, self.PAGE), 401)
        # A password beside it counts more.
        self.assertEqual(self.who(reader, self.PAGE, basic("dendro", "right")), "dendro")
        self.assertEqual(self.who(reader, self.PAGE, basic("dendro", "wrong")), 401)

    def test_logout(self):
        reader = self.login("reader", "read")
        a = self.server.ask("DELETE", "/api/login", None, {**reader, **self.PAGE})
        self.assertEqual(a.status, 200)
        self.assertIn("Max-Age=0", a.headers["Set-Cookie"])
        self.assertEqual(self.who(reader, self.PAGE), 401)

    def test_ends_with_the_password_and_the_role(self):
        admin = self.login("dendro", "right")

        def change(sql):
            a = self.server.ask("POST", "/api/sql", sql, {**admin, **self.PAGE})
            self.assertEqual(a.status, 200, a.text)

        change("CREATE USER guest PASSWORD 'one'")
        for end in ("ALTER ROLE guest PASSWORD 'two'", "ALTER ROLE guest NOLOGIN PASSWORD 'one'", "DROP ROLE guest"):
            change("ALTER ROLE guest LOGIN PASSWORD 'one'")
            guest = self.login("guest", "one")
            self.assertEqual(self.who(guest, self.PAGE), "guest")
            change(end)
            self.assertEqual(self.who(guest, self.PAGE), 401, end)

    def test_page_is_not_asked_by_the_browser(self):
        for headers, asks in (({}, True), (self.PAGE, False)):
            for login in ({}, basic("dendro", "wrong")):
                a = self.server.ask("POST", "/api/login", None, {**headers, **login})
                self.assertEqual((a.status, a.headers["WWW-Authenticate"] is not None), (401, asks))


class HttpNames(LoginTest):
    """A name is that name: no part of it is another role's."""

    def test_names(self):
        a63, a255 = "a" * 63, "a" * 255
        self.server.sql(f"CREATE USER {a63} PASSWORD 'short'; CREATE USER {a63}b PASSWORD 'long'; "
                        f"CREATE USER {a255} PASSWORD 'longest'; ALTER ROLE dendro PASSWORD 'right'")
        for user, password in ((a63, "short"), (a63 + "b", "long"), (a255, "longest")):
            for _ in range(2):  # the second time it is remembered
                a = self.ask(user, password)
                self.assertEqual((a.status, a.json.get("rows")), (200, [[user]]))
        for user, password in ((a63 + "b", "short"), (a255 + "b", "longest"), (a63 + "c", "short")):
            self.assertEqual(self.ask(user, password).status, 401, user)
        # … and by the other door
        import psycopg2
        for user, password in ((a63, "short"), (a63 + "b", "long"), (a255, "longest")):
            c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user=user, password=password, dbname="dendro")
            k = c.cursor()
            k.execute("SELECT current_user, session_user")
            self.assertEqual(k.fetchone(), (user, user))
            c.close()
        for user, dbname, text in ((a255 + "b", "dendro", "longer than 255 bytes"), (a63, "d" * 300, "longer than 255 bytes"),
                                   (a63, "dendro" + "x" * 100, "does not exist")):
            with self.assertRaises(psycopg2.OperationalError) as caught:
                psycopg2.connect(host="127.0.0.1", port=self.server.port, user=user, password="longest", dbname=dbname)
            self.assertIn(text, str(caught.exception))


class HttpGuesses(LoginTest):
    """A password is guessed ten times a minute from an address, however the guesses come."""

    def test_guesses(self):
        self.server.sql("CREATE USER mallory PASSWORD 'own'; CREATE USER alice PASSWORD 'right'; ALTER ROLE dendro PASSWORD 'root'")
        answers = []

        def guess(n):
            for i in range(10):
                answers.append(self.ask("alice", f"guess{n}.{i}", source="127.0.0.2").status)
                self.assertEqual(self.ask("mallory", "own", source="127.0.0.2").status, 200)
        threads = [threading.Thread(target=guess, args=(n,)) for n in range(20)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(answers.count(401), 10)
        self.assertEqual(answers.count(429), 190)
        # From elsewhere, and as another one, nobody is kept out.
        self.assertEqual(self.ask("alice", "right", source="127.0.0.3").status, 200)
        self.assertEqual(self.ask("mallory", "own", source="127.0.0.2").status, 200)
        self.assertEqual(self.ask("dendro", "root", source="127.0.0.2").status, 200)
        # Many names from one address.
        answers = [self.ask(f"nobody{i}", "x", source="127.0.0.4").status for i in range(40)]
        self.assertEqual((answers.count(401), answers.count(429)), (30, 10))
        self.assertEqual(self.ask("alice", "right", source="127.0.0.3").status, 200)


class HttpHashing(LoginTest):
    """Passwords are hashed beside the threads that speak HTTP, and cost what the server allows."""

    def test_rounds(self):
        for rounds in (100001, 10000000, 0):
            a = self.server.post("/api/sql", f"CREATE USER greedy PASSWORD '{verifier('x', 1).replace('$1:', f'${rounds}:')}'")
            self.assertEqual((a.status, a.json["error"]["sqlstate"]), (400, "22023"), a.text)
        slow = verifier("pencil", 100000)
        self.server.sql("".join(f"CREATE USER slow{i} PASSWORD '{slow}';" for i in range(6)) + "ALTER ROLE dendro PASSWORD 'root'")
        self.assertEqual(self.ask("slow0", "pencil").json["rows"], [["slow0"]])
        logins = []
        for i in range(6):  # each takes a while, and of a role only one is hashed at a time
            for _ in range(8):
                s = socket.create_connection(("127.0.0.1", self.server.http_port), source_address=(f"127.0.0.{10 + i}", 0))
                head = basic(f"slow{i}", f"wrong{len(logins)}")["Authorization"]
                s.sendall(b"POST /api/sql HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + head.encode() +
                          b"\r\nContent-Length: 8\r\n\r\nSELECT 1")
                logins.append(s)
        for _ in range(8):  # all threads of the HTTP server
            self.assertEqual(self.server.ask("GET", "/health").status, 200)
        answered, _, _ = select.select(logins, [], [], 0)
        self.assertLess(len(answered), len(logins), "/health waited for all of them")
        for s in logins:
            self.assertIn(s.recv(12), (b"HTTP/1.1 401", b"HTTP/1.1 503"))
            s.close()
        self.assertEqual(self.ask("slow1", "pencil", source="127.0.0.99").status, 200)


class HttpCrowd(LoginTest):
    """Connections that are only held keep nobody out; those over which something runs stay."""
    options = ("--max-connections", "20")

    def test_held(self):
        self.server.sql("CREATE USER alice PASSWORD 'hush'; ALTER ROLE dendro PASSWORD 'root'")
        rows = "SELECT g, repeat('x', 1000) FROM generate_series(1, 30000) g"
        busy = self.server.connect()
        busy.request("POST", "/api/sql?format=csv", rows, basic("dendro", "root"))
        answer = busy.getresponse()
        first = answer.read(100)
        kept = self.server.connect()
        kept.request("POST", "/api/sql", "SELECT 1", basic("alice", "hush"))
        self.assertEqual(kept.getresponse().read()[:1], b"{")
        held = []
        for i in range(150):
            s = socket.create_connection(("127.0.0.1", self.server.http_port))
            if i % 2:
                s.sendall(b"POST /api/sql HTTP/1.1\r\nHost: x\r\n")  # a head without an end
            held.append(s)
            if i % 10 == 0:
                self.assertEqual(self.server.ask("GET", "/health").status, 200)
                self.assertEqual(self.ask("alice", "hush").status, 200)
        kept.request("POST", "/api/sql", "SELECT 2", basic("alice", "hush"))  # silent ones go before idle ones
        self.assertEqual(kept.getresponse().status, 200)
        kept.close()
        for s in held:
            s.close()
        first += answer.read()
        self.assertEqual((answer.status, first.count(b"\n")), (200, 30001))
        busy.close()


class HttpHead(LoginTest):
    """Names of the server, and heads that say two things."""

    def raw(self, head, body=b""):
        with socket.create_connection(("127.0.0.1", self.server.http_port), timeout=60) as s:
            s.sendall(head.encode() + b"\r\n\r\n" + body)
            got = b""
            while part := s.recv(65536):
                got += part
            return got

    def test_framing(self):
        chunked = b"8\r\nSELECT 1\r\n0\r\n\r\n"
        for fields, body in (("Content-Length: 8\r\nTransfer-Encoding: chunked", chunked),
                             ("Transfer-Encoding: chunked\r\nContent-Length: 8", chunked),
                             ("Content-Length: 8\r\nContent-Length: 8", b"SELECT 1"),
                             ("Content-Length: 8\r\ncontent-length: 80", b"SELECT 1"),
                             ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", chunked),
                             # Fields that are none to libmicrohttpd, and may be to a proxy.
                             ("Content-Length : 8", b"SELECT 1"),
                             ("Content-Length\t: 8", b"SELECT 1"),
                             ("Content-Length\x0b: 8", b"SELECT 1"),
                             ("Content-Length: 8\r\nTransfer-Encoding : chunked", chunked),
                             ("Content-Length:\r\n 8", b"SELECT 1"),
                             ("Content-Length: 1\r\n 8", b"SELECT 1"),
                             ("Accept: */*\r\n Content-Length: 8", b"SELECT 1"),
                             ("Transfer-Encoding:\r\n\tchunked", chunked),
                             ("Transfer-Encoding: xchunked", chunked),
                             ("Transfer-Encoding: identity", chunked),
                             ("Transfer-Encoding: gzip, chunked", chunked)):
            got = self.raw(f"POST /api/sql HTTP/1.1\r\nHost: localhost\r\n{fields}", body)
            self.assertTrue(got.startswith(b"HTTP/1.1 400"), (fields, got))
            self.assertEqual(got.count(b"HTTP/1.1"), 1, got)
            self.assertIn(b"\r\nConnection: close", got)
        for fields, body in (("Content-Length: 8", b"SELECT 1"), ("Transfer-Encoding: chunked", chunked),
                             ("X-!#$%&'*+-.^_`|~9: 8\r\ntransfer-encoding:Chunked", chunked)):
            got = self.raw(f"POST /api/sql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{fields}", body)
            self.assertTrue(got.startswith(b"HTTP/1.1 200"), (fields, got))

    def test_two_hosts(self):
        for hosts in ("Host: localhost\r\nHost: evil.com", "Host: evil.com\r\nHost: localhost", "Host: localhost\r\nhost: localhost"):
            got = self.raw(f"GET /api/queries HTTP/1.1\r\n{hosts}\r\nConnection: close", b"")
            self.assertTrue(got.startswith(b"HTTP/1.1 400"), (hosts, got))

    def test_host(self):
        port = self.server.http_port
        others = [f"evil.example:{port}", "[evil.com]", f"[evil.com]:{port}", "1.2.3.4.evil.com", "127.1", "127.0.0.1.", "[::1", "[::1]x",
                  "[127.0.0.1]", "1.2.3", "localhost.evil.com", "..", "9" * 300, "localhost:80@evil.com", "localhost:x",
                  "[::1]:80@evil.com", "127.0.0.1:80:80"]
        own = [f"localhost:{port}", f"127.0.0.1:{port}", "[::1]", f"[::1]:{port}", "db.localhost", "10.1.2.3"]
        for host in others:
            self.assertEqual(self.server.ask("GET", "/api/queries", headers={"Host": host}).status, 403, host)
        for host in own:
            self.assertEqual(self.server.ask("GET", "/api/queries", headers={"Host": host}).status, 200, host)
        # With passwords a page that got a name of this machine for itself knows none.
        self.server.sql("ALTER ROLE dendro PASSWORD 'root'")
        try:
            for host in others[:5] + own:
                self.assertEqual(self.server.ask("GET", "/api/queries", headers={"Host": host}).status, 401, host)
                self.assertEqual(self.server.ask("GET", "/api/queries", headers={"Host": host, **basic("dendro", "root")}).status,
                                 200, host)
        finally:
            a = self.ask("dendro", "root", "ALTER ROLE dendro PASSWORD NULL")
            self.assertEqual(a.status, 200, a.text)


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

# SPDX-License-Identifier: Apache-2.0
"""A server with its HTTP port, and short ways to ask it."""
import http.client
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
import wirelib  # noqa: E402


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.body = body

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


class Server(wirelib.Server):
    """Both ports are free ones; the second line that the server prints has HTTP's."""

    def __init__(self, *options):
        super().__init__("--http-port", "any", *options)

    def start(self):
        super().start()
        self.http_port = int(self.process.stdout.readline().split("port ")[1].split(":")[0])
        if "--ilp-port" in self.options:
            self.ilp_port = int(self.process.stdout.readline().split("port ")[1].split(":")[0])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=120)

    def ask(self, method, path, body=None, headers=None):
        c = self.connect()
        try:
            c.request(method, path, body, headers or {})
            r = c.getresponse()
            return Answer(r, r.read())
        finally:
            c.close()

    def post(self, path, body=b"", **headers):
        return self.ask("POST", path, body, {k.replace("_", "-"): v for k, v in headers.items()})

    def sql(self, query, *params, **more):
        """The answer's JSON; the statements must work."""
        a = self.post("/api/sql", json.dumps({"query": query, "params": list(params), **more}),
                      Content_Type="application/json")
        if a.status != 200:
            raise AssertionError(f"{query}: {a.status} {a.text}")
        return a.json

    def rows(self, query, *params):
        return self.sql(query, *params)["rows"]


class HttpTest(wirelib.unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options)

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.stop()
        finally:
            cls.server.remove()

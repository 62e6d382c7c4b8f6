# SPDX-License-Identifier: Apache-2.0
"""The doors of the web console: what is sent, how it is kept, what it may do. tests/web has what is inside."""
import gzip
import re
import sys

from httplib import HttpTest, wirelib

PACKED = {"Accept-Encoding": "gzip"}
SIZE_MAX = 500_000


class HttpConsole(HttpTest):
    def get(self, path, **headers):
        return self.server.ask("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def names(self):
        return re.findall(r'(?:href|src)="(/console/[^"]+)"', self.get("/").text)

    def test_page(self):
        a = self.get("/", Accept_Encoding="gzip")
        self.assertEqual((a.status, a.headers["Content-Type"], a.headers["Content-Encoding"]), (200, "text/html; charset=utf-8", "gzip"))
        self.assertEqual(gzip.decompress(a.body), self.get("/").body)
        page = self.get("/").text
        self.assertNotRegex(page, r"<script[^>]*>[^<]|<style|\bstyle=|\bon\w+=", "nothing inline")
        self.assertNotRegex(page, r"https?:", "nothing of others")
        self.assertEqual(self.server.ask("HEAD", "/").status, 200)
        self.assertEqual(self.server.ask("POST", "/").status, 405)

    def test_policy(self):
        policy = self.get("/").headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotRegex(policy, r"unsafe|\*|https?:")
        self.assertEqual(self.get("/").headers["X-Content-Type-Options"], "nosniff")

    def test_kept(self):
        for path in ["/", *self.names()]:
            a = self.get(path)
            self.assertEqual(a.status, 200, path)
            again = self.get(path, If_None_Match=a.headers["ETag"])
            self.assertEqual((again.status, again.body), (304, b""), path)
            forever = "immutable" in a.headers["Cache-Control"]
            self.assertEqual(forever, bool(re.search(r"-[0-9a-f]{12}\.", path)), path)
        self.assertEqual(self.get("/console/other.js").status, 404)
        self.assertEqual(self.get("/console/../x").status, 404)

    def test_size(self):
        paths = ["/", "/console/licenses.txt", *self.names()]
        self.assertGreater(len(paths), 4)
        self.assertLess(sum(len(self.server.ask("GET", path, headers=PACKED).body) for path in paths), SIZE_MAX)
        self.assertIn("@codemirror/view", self.get("/console/licenses.txt").text)

    def test_foreign_name(self):
        a = self.get("/", Host="evil.example")
        self.assertEqual(a.status, 403)


if __name__ == "__main__":
    wirelib.main(sys.modules["__main__"])

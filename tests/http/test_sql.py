# SPDX-License-Identifier: Apache-2.0
"""POST /api/sql and what is around it."""
import base64
import gzip
import json
import os
import socket
import sys
import threading
import time
import xml.etree.ElementTree
import zlib

import httplib
from httplib import HttpTest, wirelib


class HttpSql(HttpTest):
    def test_values(self):
        a = self.server.sql(
            "SELECT true AS b, 7::smallint AS s, 9007199254740991 AS edge, 9007199254740992 AS big, -9007199254740992 AS low,"
            " 0.1::double AS d, 1e300::double AS e, 'NaN'::double AS n, 'a\"\\\u00e9\n' AS t, NULL AS z,"
            " TIMESTAMP '2024-01-02 03:04:05.678' AS ts, 1.50::numeric AS num, 'x'::text AS x, INTERVAL '1 day' AS i,"
            " DATE '2024-01-02' AS da")
        self.assertEqual([c["name"] for c in a["columns"]],
                         ["b", "s", "edge", "big", "low", "d", "e", "n", "t", "z", "ts", "num", "x", "i", "da"])
        self.assertEqual(a["columns"][1]["type"], "SMALLINT")
        row = a["rows"][0]
        self.assertEqual(row[:10], [True, 7, 9007199254740991, "9007199254740992", "-9007199254740992", 0.1, 1e300,
                                    "NaN", "a\"\\\u00e9\n", None])
        self.assertTrue(row[10].startswith("2024-01-02T03:04:05.678"), row[10])
        self.assertEqual(row[11:], ["1.50", "x", "1 day", "2024-01-02"])
        self.assertEqual(a["tag"], "SELECT 1")
        self.assertEqual(a["stats"]["rows"], 1)

    def test_time_zone(self):
        """Values are shown in the session's zone and style: of the request, or of its role."""
        query = ("SELECT TIMESTAMPTZ '2001-02-16 20:38:40-05' AS a, TIMESTAMPTZ '2001-02-16 20:38:40-05' AT TIME ZONE 'America/Denver' AS b,"
                 " ARRAY[TIMESTAMPTZ '2001-02-16 20:38:40-05'] AS c, TIMESTAMP '2001-02-16 20:38:40' AS d")
        shown = ["2001-02-16 17:38:40-08", "2001-02-16 18:38:40", '{"2001-02-16 17:38:40-08"}', "2001-02-16T20:38:40.000Z"]
        a = self.server.sql("SET TIME ZONE 'America/Los_Angeles'; " + query)["results"][1]
        self.assertEqual([c["type"] for c in a["columns"]][1], "TIMESTAMP WITHOUT TIME ZONE")
        self.assertEqual(a["rows"], [shown])
        a = self.server.post("/api/sql?format=csv", "SET TIME ZONE 'America/Los_Angeles'; " + query)
        self.assertIn('2001-02-16 17:38:40-08,2001-02-16 18:38:40,"{""2001-02-16 17:38:40-08""}",', a.text)
        self.server.sql("ALTER ROLE dendro SET TimeZone = 'America/Los_Angeles'")
        self.assertEqual(self.server.rows(query), [shown])
        self.server.sql("ALTER ROLE dendro RESET TimeZone")
        self.assertEqual(self.server.rows(query)[0][0], "2001-02-17 01:38:40+00")
        a = self.server.sql("SET IntervalStyle = 'iso_8601'; SET DateStyle = 'German'; SELECT INTERVAL '1 day 2 hours', DATE '2001-02-16'")
        self.assertEqual(a["results"][2]["rows"], [["P1DT2H", "16.02.2001"]])

    def test_parameters(self):
        self.assertEqual(self.server.rows("SELECT $1::bigint + 1, $2::text, $3::double, $4::boolean, $5::bigint",
                                          41, "x'y", 2.5, True, None), [[42, "x'y", 2.5, True, None]])
        a = self.server.post("/api/sql", json.dumps({"query": "SELECT $1::int", "params": []}))
        self.assertEqual((a.status, a.json["error"]["sqlstate"]), (400, "08P01"))
        a = self.server.post("/api/sql", json.dumps({"query": "SELECT $1::int", "params": [[1]]}))
        self.assertEqual((a.status, a.json["error"]["sqlstate"]), (400, "22023"))

    def test_statements(self):
        a = self.server.sql("CREATE TABLE several (k INT PRIMARY KEY, v TEXT); INSERT INTO several VALUES (1, 'a'), (2, 'b');"
                            " SELECT * FROM several ORDER BY k; -- the end")
        self.assertEqual([r["tag"] for r in a["results"]], ["CREATE TABLE", "INSERT 0 2", "SELECT 2"])
        self.assertEqual(a["results"][2]["rows"], [[1, "a"], [2, "b"]])
        self.assertEqual(self.server.sql("  -- nothing\n")["rows"], [])
        a = self.server.post("/api/sql", "INSERT INTO several VALUES (3, 'c'); SELECT nothing")
        self.assertEqual((a.status, a.json["error"]["sqlstate"], a.json["error"]["statement"]), (400, "42703", 2))
        self.assertEqual(a.json["error"]["position"], 45)
        self.assertEqual(self.server.rows("SELECT count(*) FROM several"), [[3]])

    def test_errors(self):
        cases = [
            ("SELEC 1", 400, "42601"), ("SELECT * FROM nowhere", 400, "42P01"), ("SELECT 1/0", 400, "22012"),
            ('{"query": 1}', 400, "22023"), ('{"query": "SELECT 1", "other": 1}', 400, "22023"),
            ('{"query": "SELECT 1"', 400, "22032"), ('{"query": "SELECT 1", "limit": -1}', 400, "22023"),
            ('{"query": "SELECT 1", "format": "xml"}', 400, "22023"), ("SELECT 1\0", 400, "22023"),
        ]
        for text, status, state in cases:
            a = self.server.post("/api/sql", text)
            self.assertEqual((a.status, a.json["error"]["sqlstate"]), (status, state), text)
            self.assertTrue(a.json["error"]["message"], text)
        a = self.server.post("/api/sql", "SELECT é, nope FROM (VALUES (1)) AS t(é)".encode())
        self.assertEqual(a.json["error"]["position"], 11)

    def test_formats(self):
        q = "SELECT * FROM (VALUES (1, 'a,b'), (2, NULL), (3, ''), (4, 'q\"')) AS t(n, s)"
        a = self.server.post("/api/sql?format=csv", q)
        self.assertEqual(a.text, 'n,s\n1,"a,b"\n2,\n3,""\n4,"q"""\n')
        self.assertEqual(a.headers["Content-Type"], "text/csv; charset=utf-8")
        a = self.server.post("/api/sql", q, Accept="application/x-ndjson")
        lines = [json.loads(x) for x in a.text.splitlines()]
        self.assertEqual(lines[0]["columns"][0]["name"], "n")
        self.assertEqual(lines[1:5], [[1, "a,b"], [2, None], [3, ""], [4, 'q"']])
        self.assertEqual(lines[5]["tag"], "SELECT 4")
        a = self.server.post("/api/sql?format=xml", q)
        self.assertEqual(a.status, 400)

    def draw(self, query, status=200):
        a = self.server.post("/api/sql", query, Accept="image/svg+xml")
        self.assertEqual(a.status, status, a.text)
        if status != 200:
            return a.json["error"]
        self.assertEqual(a.headers["Content-Type"], "image/svg+xml")
        return xml.etree.ElementTree.fromstring(a.text)

    def shapes(self, picture, tag):
        return [e for e in picture.iter() if e.tag == "{http://www.w3.org/2000/svg}" + tag]

    def test_pictures(self):
        rows = "SELECT s AS series, n AS x, n * s AS y FROM generate_series(0, 9) n, generate_series(1, 3) s ORDER BY 1, 2"
        p = self.draw("DRAW LINECHART WITH TITLE \"a <b> & c\" SUBTITLE 'it''s' AXIS BOTTOM TITLE 'x' AXIS LEFT LEGEND; " + rows)
        texts = [t.text for t in self.shapes(p, "text")]
        for text in ("a <b> & c", "it's", "x", "1", "2", "3", "0", "30"):
            self.assertIn(text, texts)
        paths = self.shapes(p, "path")
        self.assertEqual(len(paths), 3)
        points = [[float(v) for v in pair.split(" ")] for pair in paths[2].get("d")[1:].split("L")]
        self.assertEqual(len(points), 10)
        # A line of equal steps, upwards.
        steps = {(round(b[0] - a[0]), round(a[1] - b[1])) for a, b in zip(points, points[1:])}
        self.assertLessEqual(len({x for x, _ in steps}), 2)
        self.assertTrue(all(y > 0 for _, y in steps), steps)
        # What is NULL is a gap; a time and a text beside the number need no names.
        p = self.draw("SELECT TIMESTAMP '2024-01-01' + n * INTERVAL '1 hour' AS t, 'a' AS s, CASE n WHEN 4 THEN NULL ELSE n END AS v"
                      " FROM generate_series(0, 9) n")
        self.assertEqual([path.get("d").count("L") for path in self.shapes(p, "path")], [3, 4])
        self.assertIn("06:00", [t.text for t in self.shapes(p, "text")])
        # Bars stand on each other or side by side, upright or lying.
        bars = "; SELECT g AS series, k AS x, 2 AS y FROM (VALUES ('a'), ('b')) v (g), (VALUES ('one'), ('two')) w (k) ORDER BY 1, 2"
        boxes = lambda p: [[float(r.get(a)) for a in ("x", "y", "width", "height")] for r in self.shapes(p, "rect") if not r.get("rx")]
        side = boxes(self.draw("DRAW BARCHART" + bars))
        stacked = boxes(self.draw("DRAW BARCHART WITH STACKED" + bars))
        lying = boxes(self.draw("DRAW BARCHART WITH ORIENTATION HORIZONTAL AXIS LEFT" + bars))
        self.assertEqual([len(side), len(stacked), len(lying)], [4, 4, 4])
        self.assertEqual(len({b[0] for b in side}), 4)
        self.assertEqual(len({b[0] for b in stacked}), 2)
        self.assertAlmostEqual(stacked[0][1], stacked[2][1] + stacked[2][3], delta=0.3)
        self.assertEqual(len({b[1] for b in lying}), 4)
        # Several layers: a range, and points over it.
        p = self.draw("DRAW AREACHART WITH AXIS BOTTOM AXIS LEFT; SELECT n AS x, n + 2 AS y, n AS z FROM generate_series(1, 5) n;"
                      "DRAW POINTCHART WITH AXIS RIGHT; SELECT n AS x, 100 * n AS y, 'p' || n AS label FROM generate_series(1, 5) n")
        self.assertEqual(len(self.shapes(p, "circle")), 5)
        self.assertIn("p5", [t.text for t in self.shapes(p, "text")])
        self.assertIn("500", [t.text for t in self.shapes(p, "text")])
        self.assertEqual(self.shapes(self.draw("DRAW LINECHART; SELECT 1 AS x, 2 AS y WHERE false"), "path"), [])

    def test_pictures_that_cannot_be(self):
        e = self.draw("SELECT 1; DRAW PIECHART; SELECT 1", 400)
        self.assertEqual((e["sqlstate"], e["position"]), ("42601", 16))
        self.assertIn("LINECHART, AREACHART, BARCHART or POINTCHART", e["message"])
        self.assertEqual(self.draw("DRAW LINECHART WITH COLOURS; SELECT 1", 400)["position"], 21)
        self.assertIn("smaller to the larger", self.draw("DRAW LINECHART WITH XDOMAIN 3, 1; SELECT 1", 400)["message"])
        self.assertIn("no column with numbers", self.draw("DRAW LINECHART; SELECT 'a' AS x, 'b' AS y", 400)["message"])
        self.assertEqual(self.draw("DRAW LINECHART; SELECT nothing", 400)["sqlstate"], "42703")
        e = self.draw("SELECT n AS x, n AS y FROM generate_series(1, 100001) n", 400)
        self.assertIn("at most 100000 points", e["message"])
        self.assertIn("time_bucket", e["hint"])
        self.assertIn("at most 100 series", self.draw("SELECT n AS series, 1 AS x, 1 AS y FROM generate_series(1, 101) n", 400)["message"])
        self.assertIn("in all statements", self.draw("SELECT 1 AS x, 1 AS y; SELECT DATE '2024-01-01' AS x, 1 AS y", 400)["message"])
        a = self.server.post("/api/sql", "DRAW LINECHART; SELECT 1")
        self.assertEqual((a.status, a.json["error"]["sqlstate"]), (400, "0A000"))

    def test_parquet(self):
        query = "SELECT n, 't' || n AS t, n / 4.0 AS d FROM generate_series(1, 200000) n -- all"
        for text in (query, query + "\n;", query + "\n; -- more"):
            a = self.server.post("/api/sql?format=parquet", text)
            self.assertEqual((a.status, a.headers["Content-Type"], a.body[:4], a.body[-4:]),
                             (200, "application/vnd.apache.parquet", b"PAR1", b"PAR1"), a.body[:300])
        path = os.path.join(self.server.dir, "x.parquet")
        with open(path, "wb") as f:
            f.write(a.body)
        self.assertEqual(self.server.rows(f"SELECT count(*), sum(n), max(t) FROM '{path}'"), [[200000, 20000100000, "t99999"]])
        for text, state, position in (("SELECT nothing", "42703", 8), ("SELECT 1; SELECT 2", "22023", None), ("CREATE TABLE x (k INT)", "42601", 1),
                                      ("SELECT 1 / (n - 70000) FROM generate_series(1, 100000) n", "22012", None)):
            a = self.server.post("/api/sql?format=parquet", text)
            self.assertEqual((a.status, a.json["error"]["sqlstate"]), (400, state), a.text)
            if position:
                self.assertEqual(a.json["error"]["position"], position)
        a = self.server.post("/api/sql", json.dumps({"query": "SELECT $1", "params": [1], "format": "parquet"}))
        self.assertEqual(a.status, 400)

    def test_limit(self):
        a = self.server.sql("SELECT * FROM generate_series(1, 5)", limit=3)
        self.assertEqual((a["rows"], a["stats"]["truncated"]), ([[1], [2], [3]], True))
        a = self.server.sql("SELECT * FROM generate_series(1, 3)", limit=3)
        self.assertEqual((len(a["rows"]), "truncated" in a["stats"]), (3, False))

    def test_packed_body(self):
        body = gzip.compress(b"SELECT 42")
        self.assertEqual(self.server.post("/api/sql", body, Content_Encoding="gzip").json["rows"], [[42]])
        self.assertEqual(self.server.post("/api/sql", body[:-4], Content_Encoding="gzip").status, 400)
        self.assertEqual(self.server.post("/api/sql", body, Content_Encoding="br").status, 415)

    def test_packed_in_members(self):
        """Members of a file one after the other, however the bytes are cut; results that fill a buffer exactly."""
        members = [gzip.compress(b"SELECT '', 4"), gzip.compress(b"2")]
        for parts in ([b"".join(members)], members, [bytes([b]) for b in b"".join(members)]):
            c = self.server.connect()
            c.request("POST", "/api/sql", iter(parts), {"Content-Encoding": "gzip"}, encode_chunked=False)
            r = c.getresponse()
            text = r.read()
            self.assertEqual((r.status, json.loads(text)["rows"]), (200, [["", 42]]), text)
            c.close()
        for room in (256 << 10, 512 << 10):
            sql = b"SELECT 1 --" + b"x" * (room - 11)
            self.assertEqual(self.server.post("/api/sql", gzip.compress(sql), Content_Encoding="gzip").json["rows"], [[1]])
            self.assertEqual(self.server.post("/api/sql", zlib.compress(sql), Content_Encoding="deflate").json["rows"], [[1]])

    def test_keeps_alive(self):
        c = self.server.connect()
        for i in range(50):
            c.request("POST", "/api/sql", f"SELECT {i}")
            self.assertEqual(json.loads(c.getresponse().read())["rows"], [[i]])
        c.close()

    def test_session_ends_with_request(self):
        self.server.sql("SET max_subqueries = 7")
        self.assertEqual(self.server.rows("SHOW max_subqueries"), [["0"]])
        self.server.sql("CREATE TABLE unfinished (k INT PRIMARY KEY)")
        self.server.sql("BEGIN; INSERT INTO unfinished VALUES (1)")
        self.assertEqual(self.server.rows("SELECT count(*) FROM unfinished"), [[0]])


class HttpStream(HttpTest):
    def test_big_result_flat_memory(self):
        """A result of some hundred megabytes, read slowly at first."""
        def rss():
            with open(f"/proc/{self.server.process.pid}/status") as f:
                return next(int(x.split()[1]) for x in f if x.startswith("VmRSS"))

        before = rss()
        c = self.server.connect()
        c.request("POST", "/api/sql?format=csv", "SELECT i, repeat('x', 100) FROM generate_series(1, 500000) AS t(i)")
        r = c.getresponse()
        time.sleep(1)
        most, total = 0, 0
        while True:
            part = r.read(1 << 20)
            if not part:
                break
            total += len(part)
            most = max(most, rss())
        self.assertGreater(total, 50_000_000)
        self.assertLess(most - before, 150_000)
        c.close()

    def test_reader_goes_away(self):
        for _ in range(5):
            c = self.server.connect()
            c.request("POST", "/api/sql", "SELECT i, repeat('x', 100) FROM generate_series(1, 10000000) AS t(i)")
            c.getresponse().read(1000)
            c.close()
        self.assertEqual(self.server.rows("SELECT 1"), [[1]])

    def test_late_error(self):
        q = "SELECT i, 100 / (90000 - i) FROM generate_series(1, 100000) AS t(i)"
        a = self.server.post("/api/sql", q)
        self.assertEqual(a.status, 200)
        self.assertEqual(a.json["error"]["sqlstate"], "22012")
        last = json.loads(self.server.post("/api/sql?format=ndjson", q).text.splitlines()[-1])
        self.assertEqual(last["error"]["sqlstate"], "22012")
        with self.assertRaises(Exception):
            self.server.post("/api/sql?format=csv", q)

    def test_cancel(self):
        result = []

        def run():
            result.append(self.server.post("/api/sql", "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
                                           X_Query_Id="slow-one"))

        t = threading.Thread(target=run)
        t.start()
        while not (q := self.server.ask("GET", "/api/queries").json["queries"]):
            time.sleep(0.05)
        self.assertEqual(q[0]["id"], "slow-one")
        self.assertEqual(self.server.post("/api/sql", "SELECT 1", X_Query_Id="slow-one").status, 409)
        self.assertEqual(self.server.ask("DELETE", "/api/queries/slow-one").status, 202)
        t.join()
        self.assertEqual((result[0].status, result[0].json["error"]["sqlstate"]), (499, "57014"))
        self.assertEqual(result[0].headers["X-Query-Id"], "slow-one")
        self.assertEqual(self.server.ask("DELETE", "/api/queries/slow-one").status, 404)

    def test_progress(self):
        self.server.sql("CREATE TABLE far (k INT PRIMARY KEY)")
        self.server.sql("INSERT INTO far SELECT n FROM generate_series(1, 200000) n")
        result = []
        # Each row of the left is put together with all of the right, so that there is time to look.
        t = threading.Thread(target=lambda: result.append(self.server.post(
            "/api/sql", "SELECT count(*) FROM far a JOIN far b ON a.k + b.k < 0", X_Query_Id="far-one")))
        t.start()
        seen = {}
        while not result and seen.get("rows", 0) == 0:
            queries = self.server.ask("GET", "/api/queries").json["queries"]
            seen = next((q for q in queries if q["id"] == "far-one"), seen)
            time.sleep(0.05)
        self.assertFalse(result)
        self.assertGreater(seen["pid"], 0)
        self.assertIn(seen["rows"], range(1, 400001))
        self.assertTrue(0 <= seen["percent"] <= 100, seen)
        self.assertEqual(self.server.ask("DELETE", "/api/queries/far-one").status, 202)
        t.join()

    def test_others_neither_see_nor_cancel(self):
        self.server.sql("CREATE USER alice")
        alice = {"Authorization": "Basic " + base64.b64encode(b"alice:").decode()}
        t = threading.Thread(target=lambda: self.server.post(
            "/api/sql", "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b", X_Query_Id="mine"))
        t.start()
        while not self.server.ask("GET", "/api/queries").json["queries"]:
            time.sleep(0.05)
        self.assertEqual(self.server.ask("GET", "/api/queries", headers=alice).json["queries"], [])
        self.assertEqual(self.server.ask("DELETE", "/api/queries/mine", headers=alice).status, 404)
        self.assertEqual(self.server.ask("DELETE", "/api/queries/mine").status, 202)
        t.join()

    def test_parallel(self):
        failures = []

        def run(n):
            for i in range(20):
                if self.server.rows(f"SELECT {n * 1000 + i}") != [[n * 1000 + i]]:
                    failures.append(n)

        threads = [threading.Thread(target=run, args=(n,)) for n in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])


class HttpRest(HttpTest):
    def test_health(self):
        self.assertEqual(self.server.ask("GET", "/health").json["status"], "pass")
        self.assertEqual(self.server.ask("HEAD", "/health").body, b"")
        self.assertEqual(self.server.ask("GET", "/ready").json["status"], "ready")

    def test_metrics(self):
        self.server.sql("SELECT 1")
        text = self.server.ask("GET", "/metrics").text
        values = dict(x.rsplit(" ", 1) for x in text.splitlines() if not x.startswith("#"))
        self.assertGreater(float(values['dendro_http_requests_total{kind="sql"}']), 0)
        self.assertIn("dendro_memory_used", values)
        self.assertIn("dendro_commits_total", values)
        for line in text.splitlines():
            if line.startswith("# TYPE"):
                self.assertIn(line.split()[3], ("counter", "gauge"))

    def test_nothing_there(self):
        self.assertEqual(self.server.ask("GET", "/nowhere").status, 404)
        a = self.server.ask("GET", "/api/sql")
        self.assertEqual((a.status, a.headers["Allow"]), (405, "POST"))

    def test_other_sites(self):
        port = self.server.http_port
        refused = [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                   {"Sec-Fetch-Site": "same-site"}, {"Host": f"evil.example:{port}"},
                   {"Origin": f"https://127.0.0.1:{port}"}]
        taken = [{}, {"Origin": f"http://127.0.0.1:{port}"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"},
                 {"Host": f"localhost:{port}"}, {"Host": f"[::1]:{port}"}, {"Host": f"db.localhost:{port}"}]
        for headers in refused:
            self.assertEqual(self.server.ask("POST", "/api/sql", "SELECT 1", headers).status, 403, headers)
        for headers in taken:
            self.assertEqual(self.server.ask("POST", "/api/sql", "SELECT 1", headers).status, 200, headers)

    def test_broken_requests(self):
        """Answered or closed, never a crash."""
        for raw in (b"\0\1\2\3" * 100, b"POST /api/sql HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
                    b"POST /api/sql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nSELECT",
                    b"GET / HTTP/9.9\r\n\r\n", b"A" * 200000,
                    b"POST /api/sql HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                    b"POST /api/sql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n"):
            s = socket.create_connection(("127.0.0.1", self.server.http_port), timeout=20)
            try:
                s.sendall(raw)
                s.shutdown(socket.SHUT_WR)
                while s.recv(65536):
                    pass
            except OSError:
                pass
            s.close()
        self.assertEqual(self.server.rows("SELECT 1"), [[1]])


class HttpStop(wirelib.unittest.TestCase):
    def test_stop_while_a_query_runs(self):
        server = httplib.Server()
        try:
            result = []
            t = threading.Thread(target=lambda: result.append(server.post(
                "/api/sql", "SELECT count(*) FROM generate_series(1, 2000) a, generate_series(1, 1000) b")))
            t.start()
            while not result and not server.ask("GET", "/api/queries").json["queries"]:
                time.sleep(0.01)
            server.stop()
            t.join()
            self.assertEqual((result[0].status, result[0].json["rows"]), (200, [[2000000]]))
        finally:
            server.remove()


class HttpTls(wirelib.unittest.TestCase):
    def test_tls(self):
        import http.client
        import os
        import ssl
        import subprocess
        import tempfile
        with tempfile.TemporaryDirectory() as d:
            cert, key = os.path.join(d, "cert.pem"), os.path.join(d, "key.pem")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days",
                            "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
                           check=True, capture_output=True)
            server = httplib.Server("--tls-cert", cert, "--tls-key", key)
            try:
                context = ssl.create_default_context(cafile=cert)
                c = http.client.HTTPSConnection("127.0.0.1", server.http_port, context=context, timeout=60)
                c.request("POST", "/api/sql", "SELECT 1")
                self.assertEqual(json.loads(c.getresponse().read())["rows"], [[1]])
                c.close()
                old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                old.load_verify_locations(cert)
                old.maximum_version = ssl.TLSVersion.TLSv1_1
                c = http.client.HTTPSConnection("127.0.0.1", server.http_port, context=old, timeout=60)
                with self.assertRaises(OSError):
                    c.request("GET", "/health")
                server.stop()
            finally:
                server.remove()


if __name__ == "__main__":
    wirelib.main(sys.modules["__main__"])

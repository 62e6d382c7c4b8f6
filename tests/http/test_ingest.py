# SPDX-License-Identifier: Apache-2.0
"""Line protocol over TCP, Prometheus' remote write, CSV; and real clients and servers of others."""
import fcntl
import gzip
import json
import math
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import httplib
from httplib import HttpTest, wirelib

HERE = os.path.dirname(os.path.abspath(__file__))


class LinesTcp(HttpTest):
    options = ("--ilp-port", "any")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.server.ilp_port), timeout=30)

    def until(self, query, want):
        for _ in range(200):
            try:
                got = self.server.rows(query)
            except AssertionError as e:
                got = e
            if got == want:
                return
            time.sleep(0.05)
        self.assertEqual(got, want)

    def test_lines(self):
        s = self.connect()
        s.sendall(b"tcp,k=a v=1 1\ntcp,k=a v=2 2\ntcp,k=b v=")
        self.until("SELECT count(*) FROM tcp", [[2]])
        s.sendall(b'3,t="two\nlines" 3\n')
        self.until("SELECT v, t FROM tcp WHERE k = 'b'", [[3, "two\nlines"]])
        s.close()

    def test_bad_lines_are_told(self):
        s = self.connect()
        f = s.makefile("r")
        s.sendall(b"told v=1 1\ntold v= 2\ntold v=3 3\n\ntold v=t 4\ntold v=5 5\nbroken\n")
        answers = sorted([f.readline() for _ in range(3)])
        self.assertEqual([a.split()[:2] for a in answers], [["E", "2"], ["E", "5"], ["E", "7"]])
        self.assertIn("missing field value", answers[0])
        self.assertIn("boolean here and double", answers[1])
        self.until("SELECT v FROM told ORDER BY time", [[1], [3], [5]])
        s.sendall(b"told v=8 8\ntold v=x 9\n")
        self.assertEqual(f.readline().split()[:2], ["E", "9"])
        self.until("SELECT count(*) FROM told", [[4]])
        metrics = self.server.ask("GET", "/metrics").text
        self.assertIn("\ndendro_lines_tcp_errors_total ", metrics)
        s.close()

    def test_many_bad_lines(self):
        """More of them than are tried one by one: still each is told, and no other is lost."""
        s = self.connect()
        s.sendall(b"crowd v=1 1\n")
        self.until("SELECT count(*) FROM crowd", [[1]])
        f = s.makefile("r")
        s.sendall(b"".join(b"crowd v=%s %d\n" % (b"t" if i % 2 else b"%d" % i, i + 2) for i in range(400)))
        told = sorted(int(f.readline().split()[1]) for _ in range(200))
        self.assertEqual(told, list(range(3, 403, 2)))
        self.until("SELECT count(*) FROM crowd", [[201]])
        s.close()

    def test_long_line(self):
        s = self.connect()
        answer = b""
        try:
            for _ in range(200):
                s.sendall(b"x" * 65536)
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        try:
            answer = s.recv(1000)
        except OSError:
            pass
        self.assertIn(answer[:2], (b"E ", b""))
        self.assertEqual(self.server.rows("SELECT 1"), [[1]])

    def test_no_login(self):
        """From the first password on nobody is trusted."""
        server = httplib.Server("--ilp-port", "any")
        try:
            server.sql("ALTER ROLE dendro PASSWORD 'secret'")
            s = socket.create_connection(("127.0.0.1", server.ilp_port), timeout=30)
            s.sendall(b"secret v=1 1\n")
            self.assertIn(b"log in first", s.recv(1000))
            server.stop()
        finally:
            server.remove()

    def test_many(self):
        s = self.connect()
        for i in range(20):
            s.sendall("".join(f"bulk,h=h{j % 10} a={j},b={j}i {i * 1000 + j + 1}\n" for j in range(1000)).encode())
        self.until("SELECT count(*), sum(b) FROM bulk", [[20000, 20 * 499500]])
        s.close()


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def series(labels, samples):
    out = b"".join(field(1, field(1, k.encode()) + field(2, v.encode())) for k, v in labels.items())
    for value, ms in samples:
        bits = struct.pack("<d", value) if isinstance(value, float) else struct.pack("<Q", value)
        out += field(2, b"\x09" + bits + b"\x10" + varint(ms))
    return field(1, out)


def snappy(data):
    """Only literals: every decoder takes it."""
    out = varint(len(data))
    for at in range(0, len(data), 60):
        part = data[at:at + 60]
        out += bytes([len(part) - 1 << 2]) + part
    return out


class Prometheus(HttpTest):
    def send(self, body, **headers):
        headers = {"Content_Encoding": "snappy", "Content_Type": "application/x-protobuf", **headers}
        return self.server.post("/api/v1/write", body, **headers)

    def test_samples(self):
        stale = 0x7FF0000000000002
        a = self.send(snappy(
            series({"__name__": "probe", "instance": "a:1", "job": "x"}, [(1.0, 1000), (0.0, 2000), (stale, 3000)]) +
            series({"__name__": "probe", "job": "x"}, [(1.5, -5)]) +
            series({"__name__": "odd", "time": "t", "value": "v", "empty": ""}, [(math.nan, 1), (math.inf, 2), (7.0, 3)])))
        self.assertEqual((a.status, a.headers["X-Dendro-Skipped"]), (204, "2"))
        self.assertEqual(self.server.rows("SELECT instance, job, time, value FROM probe ORDER BY instance, time"),
                         [["", "x", "1969-12-31T23:59:59.995000000Z", 1.5], ["a:1", "x", "1970-01-01T00:00:01.000000000Z", 1],
                          ["a:1", "x", "1970-01-01T00:00:02.000000000Z", 0], ["a:1", "x", "1970-01-01T00:00:03.000000000Z", None]])
        self.assertEqual(self.server.rows("SELECT exported_time, exported_value, value FROM odd"), [["t", "v", 7]])
        self.assertEqual(self.send(snappy(b"")).status, 204)
        self.assertEqual(self.send(snappy(field(3, b"\x08\x01"))).status, 204)  # metadata alone

    def test_late(self):
        """Samples for times that retention has dropped: the request is refused, or they are left out."""
        now, old = 4102444800000, 1577836800000  # 2100, 2020
        self.server.sql("CREATE TABLE gauge (job VARCHAR NOT NULL, time TIMESTAMP(9) NOT NULL, value DOUBLE, PRIMARY KEY ((job, "
                        "QUANTUM(time, 1, 'd')), job, time)) WITH (retention = '1 year', future_limit = 'none', upsert = 'field')")
        body = snappy(series({"__name__": "gauge", "job": "x"}, [(1.0, now), (2.0, old), (3.0, now + 1)]))
        a = self.send(body)
        self.assertEqual(a.status, 400)  # Prometheus sends it never again
        self.assertIn('is too old for table "gauge"', a.json["error"]["message"])
        self.assertEqual(self.server.rows("SELECT count(*) FROM gauge"), [[0]])
        self.server.sql("ALTER TABLE gauge SET (late_rows = 'drop')")
        self.assertEqual(self.send(body).status, 204)
        self.assertEqual(self.server.rows("SELECT value FROM gauge ORDER BY time"), [[1], [3]])

    def test_refused(self):
        self.assertEqual(self.send(b"nonsense").status, 400)
        self.assertEqual(self.send(snappy(b"\xff\xff\xff")).status, 400)
        self.assertEqual(self.send(snappy(series({"job": "x"}, [(1.0, 1)]))).status, 400)
        self.assertEqual(self.send(snappy(b""), Content_Encoding="gzip").status, 415)
        self.assertEqual(self.send(snappy(b""), Content_Type="application/x-protobuf;proto=io.prometheus.write.v2.Request").status,
                         415)
        r = random.Random(3)
        good = snappy(series({"__name__": "fuzz", "a": "b"}, [(1.0, 1000)]) * 3)
        for _ in range(300):
            b = bytearray(good)
            for _ in range(r.randrange(1, 4)):
                b[r.randrange(len(b))] = r.randrange(256)
            self.assertIn(self.send(bytes(b)).status, (204, 400, 413))

    def test_real_prometheus(self):
        """Debian's, which scrapes this server and writes what it got back to it."""
        program = shutil.which("prometheus")
        self.assertTrue(program, "prometheus is missing: ./dev installs it")
        with tempfile.TemporaryDirectory() as d:
            with open(os.path.join(d, "p.yml"), "w") as f:
                f.write(f"""
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: dendro
    static_configs: [{{targets: ["127.0.0.1:{self.server.http_port}"]}}]
remote_write:
  - url: http://127.0.0.1:{self.server.http_port}/api/v1/write
    queue_config: {{batch_send_deadline: 1s}}
""")
            with open(os.path.join(d, "log"), "w") as log:
                p = subprocess.Popen([program, f"--config.file={d}/p.yml", f"--storage.tsdb.path={d}/data",
                                      "--web.listen-address=127.0.0.1:0"], stdout=log, stderr=log)
                try:
                    for _ in range(120):
                        time.sleep(0.5)
                        a = self.server.post("/api/sql", "SELECT count(*), max(value) FROM up WHERE job = 'dendro'")
                        if a.status == 200 and a.json["rows"][0][0] >= 3:
                            break
                    self.assertEqual(a.status, 200, open(os.path.join(d, "log")).read()[-2000:])
                    self.assertEqual(a.json["rows"][0][1], 1, a.text)
                    self.assertGreater(self.server.rows("SELECT max(value) FROM dendro_commits_total")[0][0], 0)
                finally:
                    p.terminate()
                    p.wait()


class Import(HttpTest):
    CSV = b"time,city,temp\n2024-01-01T00:00:00Z,oslo,-3.5\n2024-01-01T00:00:00Z,rome,11\n2024-01-01T01:00:00Z,oslo,-4\n"

    def test_create(self):
        a = self.server.post("/api/import?table=w&create=true", self.CSV)
        self.assertEqual(a.status, 200, a.text)
        self.assertEqual((a.json["rows"], a.json["rejected"]), (3, 0))
        self.assertIn("CREATE TABLE", a.json["created"])
        self.assertEqual(self.server.rows("SELECT sum(temp) FROM w WHERE city = 'oslo'"), [[-7.5]])
        a = self.server.post("/api/import?table=w", gzip.compress(self.CSV.replace(b"oslo", b"bonn")), Content_Encoding="gzip")
        self.assertEqual((a.status, a.json["rows"]), (200, 3))

    def test_how_it_is_written(self):
        german = "ort;zeit;grad\nKöln;31.12.2024 14:00;1.234,5\nBonn;30.12.2024 14:00;-0,5\n".encode("latin1")
        a = self.server.post("/api/import?table=g&suggest=true", german)
        how = {k: a.json[k] for k in ("delimiter", "quote", "header", "decimal", "encoding", "dates")}
        self.assertEqual(how, {"delimiter": ";", "quote": '"', "header": "true", "decimal": ",", "encoding": "win1252", "dates": "dmy"})
        a = self.server.post("/api/import?table=g&create=true", german)
        self.assertEqual((a.status, a.json["rows"]), (200, 2), a.text)
        a = self.server.post("/api/import?table=g&" + urllib.parse.urlencode(how), german.replace(b"2024", b"2023"))
        self.assertEqual((a.status, a.json["rows"]), (200, 2), a.text)
        a = self.server.post("/api/import?table=g", german.replace(b"2024", b"2022"))  # found out again
        self.assertEqual((a.status, a.json["rows"]), (200, 2), a.text)
        self.assertIn("decimal comma", a.json["why"])
        a = self.server.rows("SELECT ort, max(grad), count(DISTINCT zeit) FROM g GROUP BY ort ORDER BY ort")
        self.assertEqual(a, [["Bonn", -0.5, 3], ["Köln", 1234.5, 3]])
        for bad in ("encoding=koi8", "decimal=x", "dates=dym"):
            self.assertEqual(self.server.post("/api/import?table=g&" + bad, german).status, 400)

    def test_suggest(self):
        a = self.server.post("/api/import?table=s&suggest=true", self.CSV + b"2024-01-01T02:0")
        self.assertEqual((a.status, a.json["table"], a.json.get("epoch")), (200, "s", None))
        self.assertRegex(a.json["create"], r"^CREATE TABLE s \([^;]*PRIMARY KEY \(\(city, QUANTUM\(time, 1, 'd'\)\), city, time\)")
        self.assertIn("by all 3 rows", a.json["why"])
        self.assertEqual(self.server.post("/api/sql", "SELECT * FROM s").status, 400, "nothing is made")
        numbers = b"ts,v\n1714521600,1\n1714521660,2\n"
        a = self.server.post("/api/import?table=s&suggest=true", numbers)
        self.assertEqual(a.json["epoch"], "s")
        self.server.sql(a.json["create"])
        a = self.server.post(f"/api/import?table=s&epoch={a.json['epoch']}", numbers)
        self.assertEqual(self.server.rows("SELECT min(ts) FROM s"), [["2024-05-01T00:00:00.000Z"]])
        self.assertEqual(self.server.post("/api/import?table=s&epoch=h", numbers).status, 400)
        self.assertEqual(self.server.post("/api/import?table=s&suggest=true", b"\x89PNG\r\n\x1a\n").status, 400)

    def test_errors(self):
        self.server.sql("CREATE TABLE e (k INT PRIMARY KEY, v DOUBLE)")
        body = b"k;v\n1;1.5\n2;x\n3;2.5\n"
        a = self.server.post("/api/import?table=e&delimiter=%3B", body)
        self.assertEqual(a.status, 400)
        self.assertIn("line 3", a.json["error"]["message"])
        self.assertEqual(self.server.rows("SELECT count(*) FROM e"), [[0]])
        a = self.server.post("/api/import?table=e&delimiter=%3B&on_error=skip", body)
        self.assertEqual((a.status, a.json["rows"], a.json["rejected"]), (200, 2, 1), a.text)
        self.assertEqual((a.json["rejects"][0]["line"], a.json["rejects"][0]["column"]), (3, "v"))
        self.assertEqual(self.server.post("/api/import", body).status, 400)
        self.assertEqual(self.server.post("/api/import?table=none", body).status, 400)
        self.assertEqual(self.server.post("/api/import?table=e&header=x", body).status, 400)

    def test_damaged_packing(self):
        """The client's bytes are damaged, not the server's: 400."""
        self.server.sql("CREATE TABLE d (k INT PRIMARY KEY, v DOUBLE)")
        whole = gzip.compress(b"k,v\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(5000)))
        broken = whole[:len(whole) // 2] + bytes(100) + whole[len(whole) // 2 + 100:]
        for body in (whole[:len(whole) // 2], broken, whole[:12], whole[:3], b"\x28\xb5\x2f\xfd" + bytes(50)):
            a = self.server.post("/api/import?table=d", body)
            self.assertEqual((a.status, a.json["error"]["sqlstate"][:2]), (400, "22"), a.text)
        for path in ("/write", "/api/sql"):
            for body in (whole[:len(whole) // 2], broken, b"no gzip"):
                for encoding in ("gzip", "deflate", "zstd"):
                    a = self.server.post(path, body, Content_Encoding=encoding)
                    self.assertEqual(a.status, 400, (path, encoding, a.text))
        self.assertEqual(self.server.rows("SELECT count(*) FROM d"), [[0]])
        self.assertEqual(self.server.post("/api/import?table=d", whole).json["rows"], 5000)


class ImportBig(HttpTest):
    """A body is not kept in memory, and has no limit but the disk."""
    options = ("--max-message", "1")

    def test_longer_than_a_message(self):
        n = 20000
        body = b"k,name,v\n" + b"".join(b"%d,%s,%d.5\n" % (i, b"some text that takes room " * 15, i % 100) for i in range(n))
        self.assertGreater(len(body), 7 << 20)
        a = self.server.post("/api/import?table=big&create=true", body)
        self.assertEqual((a.status, a.json["rows"]), (200, n), a.text)
        # in chunks, so that nobody says before how long it is; packed
        packed = gzip.compress(body, 1)
        a = self.server.post("/api/import?table=big", iter([packed[i:i + 100000] for i in range(0, len(packed), 100000)]))
        self.assertEqual((a.status, a.json["rows"]), (200, n), a.text)
        self.assertEqual(self.server.rows("SELECT count(*), count(DISTINCT k) FROM big"), [[2 * n, n]])
        a = self.server.post("/api/import?table=big", body + b"x,y\n")
        self.assertEqual(a.status, 400)
        self.assertIn(f"line {n + 2}", a.text)
        metrics = self.server.ask("GET", "/metrics").text
        self.assertRegex(metrics, r'dendro_table_rows\{schema="\w+",table="big"\} [1-9]')
        self.assertRegex(metrics, r'dendro_table_bytes\{schema="\w+",table="big"\} [1-9]')


class LinesLogin(HttpTest):
    """Lines over TCP where everybody has to log in."""
    options = ("--ilp-port", "any")

    @classmethod
    def tearDownClass(cls):
        cls.server.process.terminate()
        _, err = cls.server.process.communicate(timeout=120)
        cls.server.remove()
        assert cls.server.process.returncode == 0
        assert err.count("login failed") == 1, err
        assert "hush" not in err, err

    def talk(self, text):
        """What is sent, and all that comes back until the server is done with it."""
        s = socket.create_connection(("127.0.0.1", self.server.ilp_port), timeout=120)
        s.sendall(text)
        s.shutdown(socket.SHUT_WR)
        got = b""
        while True:
            part = s.recv(4096)
            if not part:
                s.close()
                return got.decode()
            got += part

    def test_login(self):
        self.assertEqual(self.talk(b"cpu,host=a v=1 1000000000\n"), "")
        self.assertEqual(self.talk(b"auth dendro:whatever\ncpu,host=a v=2 2000000000\n"), "")
        self.server.sql("CREATE USER sensor PASSWORD 'hush1'; GRANT INSERT ON cpu TO sensor; ALTER ROLE dendro PASSWORD 'hush2'")
        self.assertIn("E 1 log in first", self.talk(b"cpu,host=a v=3 3000000000\n"))
        self.assertIn("E 1 authentication failed", self.talk(b"auth sensor:hush3\ncpu,host=a v=3 3000000000\n"))
        self.assertIn("E 1 authentication failed", self.talk(b"auth sensor\ncpu,host=a v=3 3000000000\n"))
        self.assertEqual(self.talk(b"auth dendro:hush2\r\ncpu,host=a v=4 4000000000\n"), "")
        self.assertEqual(self.talk(b"auth sensor:hush1\ncpu,host=a v=5 5000000000\n"), "")
        self.assertIn("E ", self.talk(b"auth sensor:hush1\nother,host=a v=5 5000000000\n"))
        a = self.server.post("/api/sql", json.dumps({"query": "SELECT v FROM cpu ORDER BY v"}), Content_Type="application/json",
                             Authorization="Token dendro:hush2")
        self.assertEqual([r[0] for r in a.json["rows"]], [1, 2, 4, 5])


class Pressure(HttpTest):
    """More than the server can take at once: 503 and Retry-After, then all is well again."""
    options = ("--server-threads", "1", "--set", "memory_limit=64MB")

    def begin(self, length, sent):
        """A request that stands in its body."""
        s = socket.create_connection(("127.0.0.1", self.server.http_port), timeout=120)
        try:
            s.sendall(b"POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % length + sent)
        except OSError:  # it was refused on the way
            pass
        return s

    def answer(self, s):
        got = b""
        while b"\r\n\r\n" not in got:
            part = s.recv(4096)
            if not part:
                break
            got += part
        return got

    def wait_for(self, status, body=b"pressed v=1 1"):
        """Until a write is answered so: what was sent before has come when it has come."""
        for _ in range(600):
            a = self.server.post("/write", body)
            if a.status == status:
                return a
            self.assertIn(a.status, (204, 503), a.text)
            time.sleep(0.1)
        self.fail(f"no {status}: {a.status} {a.text}")

    def check_refusal(self, a, state):
        self.assertGreaterEqual(int(a.headers["Retry-After"]), 1)
        self.assertEqual(a.json["error"]["sqlstate"], state, a.text)
        self.assertEqual(self.server.ask("GET", "/health").status, 200)

    def end(self, held, rest):
        """All that stand in their bodies are answered: how."""
        got = []
        for s in held:
            try:
                s.sendall(rest)
                got.append(self.answer(s)[9:12].decode())
            except OSError:  # refused, and gone
                got.append("503")
            s.close()
        self.wait_for(204)
        return got

    def test_too_many_requests(self):
        line = b"pressed v=2 2\n"
        held = [self.begin(2 * len(line), line) for _ in range(24)]  # 16 may be under way
        self.check_refusal(self.wait_for(503), "53300")
        got = self.end(held, line)
        self.assertIn("204", got)
        self.assertLessEqual(set(got), {"204", "503", ""})
        self.assertEqual(self.server.rows("SELECT max(v) FROM pressed"), [[2]])

    def test_too_much_memory(self):
        """Bodies that nobody ends hold the memory; a packed one that grows into too much is refused, too."""
        body = b"#" * (15 << 20)  # a comment; of all there may be 128 MB
        held = [self.begin(len(body), body[1:]) for _ in range(12)]
        self.check_refusal(self.wait_for(503, body), "53200")
        self.assertIn("204", self.end(held, b"#"))
        bomb = gzip.compress(b"\n" * (200 << 20), 9)
        self.assertEqual(self.server.post("/write", bomb, Content_Encoding="gzip").status, 413)
        self.assertEqual(self.server.post("/write", b"pressed v=4 4").status, 204)


class Audit(HttpTest):
    """The log names who wrote rows without a statement, and what was made for them."""
    options = ("--ilp-port", "any", "--set", "log_statement=mod", "--set", "log_disconnections=on", "--log-format", "json")

    @classmethod
    def tearDownClass(cls):
        cls.server.process.terminate()
        _, err = cls.server.process.communicate(timeout=120)
        cls.server.remove()
        assert cls.server.process.returncode == 0
        events = [json.loads(x) for x in err.split("\n") if x.startswith("{")]
        said = [e for e in events if e.get("event") == "statement" and "protocol" in e]
        kinds = [(e["protocol"], e["kind"], e.get("object"), e.get("rows"), e["outcome"]) for e in said]
        for want in (("HTTP", "DDL", None, None, "ok"), ("HTTP", "INSERT", "aline", "2", "ok"), ("HTTP", "INSERT", "aline", None, "42804"),
                     ("HTTP", "INSERT", "aprom", "1", "ok"), ("HTTP", "INSERT", "acsv", "3", "ok"),
                     ("line protocol", "INSERT", "aline", "1", "ok")):
            assert want in kinds, (want, kinds)
        assert all(e["user"] == "dendro" and e["address"] for e in said), said
        ends = [e for e in events if e.get("event") == "logout" and e["protocol"] == "line protocol"]
        assert [(e["rows"], e["refused"], e["user"]) for e in ends] == [("1", "1", "dendro")], ends
        assert any("CREATE TABLE aline" in e.get("text", "") for e in said), said

    def test_events(self):
        self.assertEqual(self.server.post("/write", b"aline,k=a v=1 1\naline,k=a v=2 2").status, 204)
        self.assertEqual(self.server.post("/write", b"aline v=t 1").status, 400)
        body = snappy(series({"__name__": "aprom"}, [(1.0, 1000)]))
        a = self.server.post("/api/v1/write?db=dendro", body, Content_Encoding="snappy", Content_Type="application/x-protobuf")
        self.assertEqual(a.status, 204)
        self.assertEqual(self.server.rows("SELECT value FROM aprom"), [[1]])
        self.assertEqual(self.server.post("/api/import?table=acsv&create=true", Import.CSV).status, 200)
        with socket.create_connection(("127.0.0.1", self.server.ilp_port), timeout=120) as s:
            s.sendall(b"aline,k=b v=3 3\nbroken\n")
            s.shutdown(socket.SHUT_WR)
            self.assertEqual(s.makefile().read().count("\n"), 1)
        self.assertEqual(self.server.rows("SELECT count(*) FROM aline"), [[3]])
        metrics = self.server.ask("GET", "/metrics").text
        for table, rows, refused in (("aline", 3, 1), ("aprom", 1, 0), ("acsv", 3, 0)):
            self.assertRegex(metrics, r'\ndendro_table_written_rows_total\{schema="\w+",table="%s"\} %d\n' % (table, rows))
            self.assertRegex(metrics, r'\ndendro_table_refused_total\{schema="\w+",table="%s"\} %d\n' % (table, refused))


class InfluxClients(HttpTest):
    def test_python_influxdb(self):
        from influxdb import InfluxDBClient
        client = InfluxDBClient("127.0.0.1", self.server.http_port, "user", "secret", "mydb", gzip=True)
        self.assertTrue(client.ping().startswith("1.8"))
        client.create_database("mydb")
        self.assertIn({"name": "mydb"}, client.get_list_database())
        client.write_points([{"measurement": "cpu", "tags": {"host": "a b", "none": None},
                              "time": "2024-01-01T00:00:00.123456Z",
                              "fields": {"f": 0.64, "i": 3, "s": 'x"y\\', "b": True, "nothing": None}}])
        client.write_points([{"measurement": "cpu", "tags": {"host": "c"}, "time": 1700000000, "fields": {"f": 1.0}}],
                            time_precision="s")
        self.assertEqual(self.server.rows("SELECT host, time, f, i, s, b FROM mydb.cpu ORDER BY time"),
                         [["c", "2023-11-14T22:13:20.000000000Z", 1, None, None, None],
                          ["a b", "2024-01-01T00:00:00.123456000Z", 0.64, 3, 'x"y\\', True]])
        with self.assertRaises(Exception):
            client.write_points([{"measurement": "cpu", "fields": {"f": "text"}}])
        client.close()


def node_modules():
    """The npm packages, installed once for all build directories."""
    there = os.path.join(HERE, "..", "..", "build", "http-node")
    os.makedirs(there, exist_ok=True)
    with open(os.path.join(there, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(HERE, "node", name), there)
        with open(os.path.join(there, "package-lock.json"), encoding="utf-8") as f:
            wanted = f.read()
        done = os.path.join(there, "done")
        if not os.path.exists(done) or open(done, encoding="utf-8").read() != wanted:
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=there, check=True)
            with open(done, "w", encoding="utf-8") as f:
                f.write(wanted)
    return os.path.join(there, "node_modules")


class NodeClients(HttpTest):
    """InfluxDB's client for version 2, QuestDB's over HTTP and TCP."""
    options = ("--ilp-port", "any")

    def test_drive(self):
        subprocess.run(["node", os.path.join(HERE, "node", "drive.js"), str(self.server.http_port), str(self.server.ilp_port)],
                       env={**os.environ, "NODE_PATH": node_modules()}, check=True)
        self.assertEqual(self.server.rows("SELECT count(*), sum(n), sum(u), sum(v), max(s) FROM js.temp"),
                         [[2000, 1999000, 1999000, 2000000, 'x"\n999']])
        want = [[100, 4950, 2615.5, "buy", "sell", 'a"b', True]]
        query = "SELECT count(*), sum(amount), min(price), min(side), max(side), min(note), bool_and(ok) FROM "
        self.assertEqual(self.server.rows(query + "trades"), want)
        for _ in range(200):
            a = self.server.post("/api/sql", "SELECT count(*) FROM trades_tcp")
            if a.status == 200 and a.json["rows"] == [[100]]:
                break
            time.sleep(0.05)
        self.assertEqual(self.server.rows(query + "trades_tcp"), want)


class InfluxOracle(HttpTest):
    """The same lines to InfluxDB 1.6: both take them or neither, and read the same out of them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.dir = tempfile.mkdtemp(prefix="dendro-influx-")
        with socket.socket() as s, socket.socket() as rpc:
            s.bind(("127.0.0.1", 0))
            rpc.bind(("127.0.0.1", 0))
            cls.port, rpc_port = s.getsockname()[1], rpc.getsockname()[1]
        with open(os.path.join(cls.dir, "c.toml"), "w") as f:
            f.write(f"""
reporting-disabled = true
bind-address = "127.0.0.1:{rpc_port}"
[meta]
dir = "{cls.dir}/meta"
[data]
dir = "{cls.dir}/data"
wal-dir = "{cls.dir}/wal"
[http]
bind-address = "127.0.0.1:{cls.port}"
log-enabled = false
""")
        cls.influxd = subprocess.Popen([shutil.which("influxd") or "/usr/bin/influxd", "-config", f"{cls.dir}/c.toml"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                cls.influx("/query", "POST", q="CREATE DATABASE d")
                return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError("influxd does not start")

    @classmethod
    def tearDownClass(cls):
        cls.influxd.kill()
        cls.influxd.wait()
        shutil.rmtree(cls.dir, ignore_errors=True)
        super().tearDownClass()

    @classmethod
    def influx(cls, path, method, body=None, **query):
        r = urllib.request.Request(f"http://127.0.0.1:{cls.port}{path}?{urllib.parse.urlencode(query)}", body, method=method)
        try:
            with urllib.request.urlopen(r, timeout=30) as a:
                return a.status, a.read()
        except urllib.error.HTTPError as e:
            return e.code, e.read()

    LINES = [
        "m v=1 1", "m v=1.5 1", "m v=-1e3 1", "m v=.5 1", "m v=5. 1", "m v=1e+3 1", "m v=1i 1", "m v=-1i 1", "m v=t 1", "m v=True 1",
        "m v=FALSE 1", 'm v="s" 1', 'm v="" 1', 'm v="a\\"b\\\\c\\d" 1', 'm v="a b,c=d" 1', 'm v="x\ny" 1', "m,t=a v=1 1",
        "m,t=a,u=b v=1,w=2 1", "m,t=a\\ b v=1 1", "m,t=a\\,b v=1 1", "m,t=a\\=b v=1 1", "m,t\\ x=a v=1 1", "m,t\\,x=a v=1 1",
        "m,t\\=x=a v=1 1", 'm,t="q" v=1 1', "m\\ n v=1 1", "m\\,n v=1 1", "m\\=n v=1 1", "m=n v=1 1", "m,t=a\\b v=1 1", "m\\n v=1 1",
        "m f\\ x=1 1", "m f\\,x=1 1", "m f\\=x=1 1", 'm "f"=1 1', "  m v=1 1", "m  v=1 1", "m v=1  1", "m v=1", "m v=1 -5",
        "# c\nm v=1 1", "\n\nm v=1 1\n\n", "m v=1,v=2 1", "m v=1 9223372036854775806",
        "m v=1 01", "m v=-0 1", "m v=00 1", "m v=01.50 1", "m v=1E05 1", "m v=00i 1", "m v=-00i 1", "m,t=a\tb v=1 1", "m,#h=a #f=1 1",
        "m a.b=1,a-b=2 1", 'm v="a,b=c",w=1 1', "m v=1 1 ", "m v=1 ", "m v=1e-320 1", "m,é=ü ö=1 1", "m\\\\n v=1 1", "m,t=\\a v=1 1", "m \\a=1 1",
        'm,t=a"b v=1 1', 'm"x" v=1 1', 'm v="\\a" 1', 'm v="é\t" 1', "m.n-o v=1 1", "m v=123456789012345678901234567890 1",
        # refused
        "m", "m ", "m v", "m v=", "m =1", "m,=a v=1", "m,t v=1", "m,t= v=1", "m, v=1", ",t=a v=1", "m v=+1 1", "m v=0x10 1", "m v=NaN 1",
        "m v=Inf 1", "m v=1e400 1", "m v=1.5i 1", "m v=9223372036854775808i 1", "m v=i 1", "m v=- 1", "m v=. 1", "m v=tru 1",
        'm v="open 1', "m v=1 x", "m v=1 1.5", "m v=1 1 2", "m v=1 99999999999999999999", "m v=1, 1", "m v=1,,w=2 1",
        "m,t=a,t=b v=1 1", "m v=1e 1", "m v=1-2 1", "m,t=a\\ v=1 1",
        "m v=1_0 1", "m v=1d 1", "m v=nil 1", "m v='x' 1", "m v=1ii 1", "m v=--1 1", "m v=e5 1", "m v=tRUE 1", "m v=1e3i 1", "m v=1\t1", "m\tv=1 1",
        "m v=1 +1", "m v=1 -", "m v==1 1", "m v= 1 1", "m ,v=1 1", "m,t=a, v=1 1", "m,t=a,,u=b v=1 1", "m,t=a=b v=1 1", 'm v="a\\" 1',
    ]

    # What docs/ingest.md says is different: the line, and whether InfluxDB and we take it.
    DIFFERENCES = [
        ("m v=1u 1", False, True), ("m v=1 1\r\n", False, True), ("m v=1 9223372036854775807", False, True),
        ("m v=1 0", True, False), ("m,t=a t=1 1", True, False), ("m time=1,v=1 1", True, False), ("m TIME=1 1", True, False),
        ('m v="a"b 1', True, False), ("m,t==a v=1 1", True, False), ("m\0 v=1 1", True, False), ("m,t\0=a v=1 1", True, False),
    ]

    def test_differences(self):
        for i, (line, theirs, ours) in enumerate(self.DIFFERENCES):
            with self.subTest(line=line):
                self.influx("/query", "POST", q=f"CREATE DATABASE e{i}")
                self.assertEqual(self.influx("/write", "POST", line.encode(), db=f"e{i}")[0] == 204, theirs)
                self.assertEqual(self.server.post(f"/write?db=e{i}", line.encode()).status == 204, ours)

    def test_lines(self):
        for i, line in enumerate(self.LINES):
            with self.subTest(line=line):
                self.influx("/query", "POST", q=f"CREATE DATABASE d{i}")
                theirs = self.influx("/write", "POST", line.encode(), db=f"d{i}")
                ours = self.server.post(f"/write?db=d{i}", line.encode())
                self.assertEqual(ours.status == 204, theirs[0] == 204, f"{ours.text} / {theirs[1]}")
                if theirs[0] != 204:
                    continue
                result = json.loads(self.influx("/query", "POST", q='SELECT * FROM /.*/ GROUP BY *', db=f"d{i}", epoch="ns")[1])
                s = result["results"][0]["series"][0]
                want = {**s.get("tags", {}), **dict(zip(s["columns"][1:], s["values"][0][1:]))}
                name = s["name"].replace('"', '""')
                got = self.server.sql(f'SELECT * FROM d{i}."{name}"')
                have = {c["name"]: v for c, v in zip(got["columns"], got["rows"][0]) if c["name"] != "time"}
                self.assertEqual(have, want)


if __name__ == "__main__":
    wirelib.main(sys.modules["__main__"])

# SPDX-License-Identifier: Apache-2.0
"""Line protocol over HTTP: grammar, tables and columns that are made, all or nothing."""
import gzip
import random
import sys
import threading

from httplib import HttpTest, wirelib


class HttpLines(HttpTest):
    def write(self, text, path="/write", **headers):
        return self.server.post(path, text if isinstance(text, bytes) else text.encode(), **headers)

    def good(self, text, path="/write"):
        a = self.write(text, path)
        self.assertEqual(a.status, 204, a.text)
        return a

    def bad(self, text, line, words, status=400, path="/write"):
        a = self.write(text, path)
        self.assertEqual(a.status, status, a.text)
        self.assertIn(words, a.json["message"])
        self.assertEqual(a.json.get("line"), line, a.text)
        self.assertEqual(a.json["code"], "invalid")
        self.assertIn("X-Influxdb-Error", a.headers)

    def has_table(self, name):
        return any(name in r for r in self.server.rows("SHOW TABLES"))

    def test_makes_a_table(self):
        a = self.good('weather,location=us\\ midwest,season=summer temperature=82,bug_concentration=98i,ok=t,note="a \\"b\\"" '
                      "1465839830100400200\n")
        self.assertEqual(a.headers["X-Dendro-Created"], "tables=1 columns=0")
        self.assertEqual(self.server.rows("SELECT location, season, time, temperature, bug_concentration, ok, note FROM weather"),
                         [["us midwest", "summer", "2016-06-13T17:43:50.100400200Z", 82, 98, True, 'a "b"']])
        ddl = self.server.rows("SHOW CREATE TABLE weather")[0][-1]
        self.assertIn("PRIMARY KEY ((location, season, QUANTUM(time, 1, 'd')), location, season, time)", ddl)
        self.assertIn("upsert = 'field'", ddl)

    def test_late(self):
        """Points for times that retention has dropped: refused with their line, or left out."""
        now, old = 4102444800 * 10**9, 1577836800 * 10**9  # 2100, 2020
        for name in ("kept", "late"):
            self.server.sql(f"CREATE TABLE {name} (time TIMESTAMP(9), v DOUBLE, PRIMARY KEY (time)) WITH (retention = "
                            "'1 year', upsert = 'field', future_limit = 'none')")
        self.bad(f"late v=1 {now}\nlate v=2 {old}", 2, "is too old for table \"late\"")
        self.bad(f"kept v=1 {now}\nlate v=2 {now}\nlate v=3 {now + 1}\nkept v=4 {old}\n", 4, "is too old for table \"kept\"")
        self.assertEqual(self.server.rows("SELECT count(*) FROM late"), [[0]])
        self.assertEqual(self.server.rows("SELECT count(*) FROM kept"), [[0]])
        self.server.sql("ALTER TABLE late SET (late_rows = 'drop')")
        self.good(f"late v=1 {now}\nlate v=2 {old}\nkept v=1 {now}")
        self.assertEqual(self.server.rows("SELECT v FROM late"), [[1]])
        self.assertEqual(self.server.rows("SELECT v FROM kept"), [[1]])
        status = {r[1]: r[2] for r in self.server.rows("SHOW STATUS")}
        self.assertEqual(status["late_rows"], 1)

    def test_untagged(self):
        self.good("plain v=1 1\nplain v=2 2")
        self.assertEqual(self.server.rows("SELECT v FROM plain ORDER BY time"), [[1], [2]])

    def test_fields_merge(self):
        """The newest value of each field of a series and time, in the order of the lines."""
        self.good("m,k=a x=1 10\nm,k=a y=2 10\nm,k=a x=3 10\nm,k=a z=4,y=5 10\nm,k=b x=9 10")
        self.assertEqual(self.server.rows("SELECT k, x, y, z FROM m ORDER BY k"), [["a", 3, 5, 4], ["b", 9, None, None]])
        self.good("m,k=a x=30 10")
        self.assertEqual(self.server.rows("SELECT x, y, z FROM m WHERE k = 'a'"), [[30, 5, 4]])

    def test_merge_random(self):
        """Random fields of few series, against a dictionary."""
        r = random.Random(7)
        for _ in range(5):
            self.server.sql("DROP TABLE IF EXISTS rnd")
            model = {}
            for _ in range(3):
                lines = []
                for _ in range(r.randrange(1, 120)):
                    tags = {t: r.choice("ab") for t in r.sample(["p", "q"], r.randrange(3))}
                    fields = {f: float(r.randrange(1000)) for f in r.sample("wxyz", r.randrange(1, 5))}
                    time = r.randrange(1, 4)
                    lines.append("rnd" + "".join(f",{k}={v}" for k, v in tags.items()) + " " +
                                 ",".join(f"{k}={v}" for k, v in fields.items()) + f" {time}")
                    model.setdefault((tags.get("p", ""), tags.get("q", ""), time), {}).update(fields)
                # every column is there from the first request on
                if not self.has_table("rnd"):
                    lines.insert(0, "rnd,p=z,q=z w=0,x=0,y=0,z=0 9")
                    model[("z", "z", 9)] = dict(w=0, x=0, y=0, z=0)
                self.good("\n".join(lines))
            got = self.server.rows("SELECT p, q, extract(epoch FROM time) * 1000000000, w, x, y, z FROM rnd")
            self.assertEqual({(p, q, round(float(t))): {k: v for k, v in zip("wxyz", f) if v is not None} for p, q, t, *f in got},
                             model)

    def test_new_columns(self):
        self.good("grows,k=a x=1i 1")
        a = self.good('grows,k=a x=2i,y="t",z=f 2')
        self.assertEqual(a.headers["X-Dendro-Created"], "tables=0 columns=2")
        self.assertEqual(self.server.rows("SELECT x, y, z FROM grows ORDER BY time"), [[1, None, None], [2, "t", False]])

    def test_new_tag(self):
        self.good("tagged,host=a v=1 1\ntagged,host=b v=2 1")
        self.good("tagged,host=a,rack=r1 v=3 1\ntagged,host=a v=4 2")
        self.assertEqual(self.server.rows("SELECT host, rack, v FROM tagged ORDER BY host, rack, time"),
                         [["a", "", 1], ["a", "", 4], ["a", "r1", 3], ["b", "", 2]])
        self.good("tagged,rack=r2 v=5,w=6 1")
        self.assertEqual(self.server.rows("SELECT host, rack, v, w FROM tagged WHERE host = ''"), [["", "r2", 5, 6]])
        self.good("tagged,host=c,row=7 x=8,v=9 1")  # both at once
        self.assertEqual(self.server.rows("SELECT host, rack, row, v, x FROM tagged WHERE x = 8"), [["c", "", "7", 9, 8]])

    def test_integers_widen(self):
        self.good("wide v=1i 1\nwide v=2.5 2")  # in one request
        self.good("wide v=3i 3")                # into a DOUBLE
        self.assertEqual(self.server.rows("SELECT v FROM wide ORDER BY time"), [[1], [2.5], [3]])
        self.good("whole v=1i 1")
        self.good("whole v=2.0 2")              # a whole number into a BIGINT
        self.assertEqual(self.server.rows("SELECT v FROM whole ORDER BY time"), [[1], [2]])
        a = self.good("whole v=3.0 3\nwhole v=2.5 4")  # and the column is a DOUBLE, whatever it holds
        self.assertEqual(a.headers["X-Dendro-Created"], "tables=0 columns=0 widened=1")
        self.good("whole v=5i 5")
        self.assertEqual(self.server.rows("SELECT v FROM whole ORDER BY time"), [[1], [2], [3], [2.5], [5]])
        self.server.sql("CHECKPOINT")
        self.assertEqual(self.server.rows("SELECT sum(v), min(v), max(v), pg_typeof(max(v)) FROM whole"),
                         [[13.5, 1, 5, "double precision"]])

    def test_what_does_not_widen(self):
        message = 'field "v" is DOUBLE, but column "v" of table "%s" is BIGINT'
        self.server.sql("CREATE TABLE declared (time TIMESTAMP(9) PRIMARY KEY, v BIGINT)")
        self.bad("declared v=3.0 3\ndeclared v=2.5 4", 2, message % "declared")
        self.good("viewed v=1i 1")
        self.server.sql("CREATE VIEW viewed_v AS SELECT v + 1 AS w FROM viewed")
        self.bad("viewed v=2.5 2", 1, message % "viewed")
        self.server.sql("DROP VIEW viewed_v")
        self.good("viewed v=2.5 2")
        self.assertEqual(self.server.rows("SELECT v FROM viewed ORDER BY time"), [[1], [2.5]])

    def test_widens_under_writers(self):
        """Integers and fractions from several clients at once: every point is there."""
        def run(client):
            for i in range(20):
                value = "%di" % i if client % 2 else "%d.5" % i
                self.good("crowd,c=%d v=%s %d" % (client, value, i + 1))

        self.good("crowd,c=x v=1i 1")
        failed = []
        threads = [threading.Thread(target=lambda c=c: failed.append(c) if self.fails(run, c) else None) for c in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])
        self.assertEqual(self.server.rows("SELECT count(*), sum(v) FROM crowd"), [[81, 1 + 4 * 190 + 2 * 10]])

    def fails(self, f, *args):
        try:
            f(*args)
            return False
        except AssertionError as e:
            print(e, file=sys.stderr)
            return True

    def test_case_and_names(self):
        """Names are found as in SQL, unless a point has both."""
        self.good("letters,t=a v=1 1")
        self.good("letters,T=b V=2 2")
        self.good("letters,t=c,T=d v=3,V=4 3")
        self.assertEqual(self.server.rows('SELECT t, "T", v, "V" FROM letters ORDER BY time'),
                         [["a", "", 1, None], ["b", "", 2, None], ["c", "d", 3, 4]])
        for line in (b"nam\xff v=1 1", b"nam f\xff=1 1", b"nam,t\xff=a f=1 1"):
            self.bad(b"nam v=1 1\n" + line, 2, "not valid UTF-8")
        a = self.write(b"nam v=1 1\nnam f\xff=1 1\nnam v=2 2", "/write?partial=true")
        self.assertEqual((a.status, a.json["written"], a.json["dropped"]), (400, 2, 1), a.text)

    def test_telegraf(self):
        """As its plugins outputs.influxdb_v2 and outputs.influxdb send: packed, with a token, fields of one type each."""
        lines = (b"cpu,cpu=cpu-total,host=box usage_idle=97.5,usage_user=1.25 1700000000000000000\n"
                 b"disk,device=vda,fstype=ext4,host=box,mode=rw,path=/ free=123456789u,used_percent=43.25 1700000000000000000\n"
                 b'system,host=box load1=0.5,n_cpus=2i,uptime_format="1 day,  2:03" 1700000000000000000\n')
        for path in ("/api/v2/write?bucket=telegraf&org=o", "/write?db=telegraf&consistency=any"):
            a = self.server.post(path, gzip.compress(lines), Content_Encoding="gzip", Authorization="Token dendro:x",
                                 Content_Type="text/plain; charset=utf-8", User_Agent="Telegraf/1.30.0 Go/1.22")
            self.assertEqual(a.status, 204, a.text)
        self.assertEqual(self.server.rows("SELECT c.usage_idle, d.free, d.path, s.n_cpus, s.uptime_format FROM telegraf.cpu c, "
                                          "telegraf.disk d, telegraf.system s"), [[97.5, 123456789, "/", 2, "1 day,  2:03"]])

    def test_partial(self):
        """What can be written is, as InfluxDB does it; the others are told."""
        text = "some,k=a v=1 1\nbroken\nsome,k=b v=2 2\nsome,k=c v=t 3\nsome,k=d v= 4\nother w=\"x\" 5"
        a = self.write(text, "/write?partial=true")
        self.assertEqual(a.status, 400)
        self.assertEqual((a.json["line"], a.json["written"], a.json["dropped"]), (2, 3, 3), a.text)
        self.assertIn("partial write: line 2: missing fields", a.json["message"])
        self.assertIn("dropped=3", a.json["message"])
        self.assertEqual(sorted(x["line"] for x in a.json["lines"]), [2, 4, 5])
        self.assertIn("partial write", a.headers["X-Influxdb-Error"])
        self.assertEqual(a.headers["X-Dendro-Created"], "tables=2 columns=0")
        self.assertEqual(self.server.rows('SELECT k, v FROM "some" ORDER BY k'), [["a", 1], ["b", 2]])
        self.assertEqual(self.server.rows("SELECT w FROM other"), [["x"]])
        self.good("some,k=e v=5 5", "/api/v2/write?partial=true&bucket=dendro")
        self.assertEqual(self.write("some,k=f v=5 5\nbroken", "/write?partial=false").status, 400)
        self.assertEqual(self.server.rows('SELECT count(*) FROM "some"'), [[3]])

    def test_partial_many(self):
        """Every third line is refused by the table: the others are written, whatever that costs."""
        self.good("thirds,k=a v=1 1")
        lines = ["thirds,k=%d v=%s %d" % (i % 7, '"text"' if i % 3 == 0 else i, i + 1) for i in range(3000)]
        a = self.write("\n".join(lines), "/write?partial=true")
        self.assertEqual((a.status, a.json["written"], a.json["dropped"], a.json["line"]), (400, 2000, 1000, 1), a.text[:300])
        self.assertEqual(len(a.json["lines"]), 100)
        self.assertEqual(self.server.rows("SELECT count(*), sum(v) FROM thirds WHERE k <> 'a'"),
                         [[2000, sum(i for i in range(3000) if i % 3)]])
        self.assertEqual(self.write("\n".join(["thirds v=t 1"] * 10100), "/write?partial=true").status, 400)
        metrics = self.server.ask("GET", "/metrics").text
        written = [x for x in metrics.split("\n") if x.startswith("dendro_table_written_rows_total{") and 'table="thirds"' in x]
        self.assertEqual(int(written[0].split()[1]), 2001, written)
        refused = [x for x in metrics.split("\n") if x.startswith("dendro_table_refused_total{") and 'table="thirds"' in x]
        self.assertGreaterEqual(int(refused[0].split()[1]), 1000, refused)

    def test_types_clash(self):
        self.good('clash n=1,s="x",b=t,i=1i 1')
        self.bad('clash n=1 2\nclash n="x" 3', 2, 'field "n" is VARCHAR, but column "n" of table "clash" is DOUBLE')
        self.bad('clash n="x" 2\nclash n=1 3', 1, 'field "n" is VARCHAR, but column "n" of table "clash" is DOUBLE')
        self.bad('fresh n=1 2\nfresh n="x" 3', 2, 'field "n" is text here and double in a line before')
        self.bad('clash n="x" 3', 1, 'field "n" is VARCHAR, but column "n" of table "clash" is DOUBLE')
        self.bad("clash s=1 2", 1, 'field "s" is DOUBLE, but column "s" of table "clash" is VARCHAR')
        self.bad("clash b=1 2", 1, "BOOLEAN")
        self.bad("ok v=1 1\nclash x=1 2\nclash x=t 3", 3, "boolean here and double in a line before")
        self.assertEqual(self.server.rows("SELECT count(*) FROM clash"), [[1]])

    def test_all_or_nothing(self):
        self.bad("nothing v=1 1\nnothing v=2 2\nnothing v= 3", 3, "missing field value")
        self.assertFalse(self.has_table("nothing"))
        self.good("half v=1 1")
        self.bad("half v=2 2\nother,k=x v=1,w=1 1\nhalf v=3,time=4 3", 3, "time")
        self.assertEqual(self.server.rows("SELECT count(*) FROM half"), [[1]])
        self.assertFalse(self.has_table("other"))

    def test_declared_table(self):
        """Its columns and types stay what they are."""
        self.server.sql("CREATE TABLE decl (ts TIMESTAMP NOT NULL, sensor VARCHAR NOT NULL, v INT, s VARCHAR(3),"
                        " PRIMARY KEY ((sensor, QUANTUM(ts, 1, 'h')), sensor, ts))")
        self.good("decl,sensor=a v=7i 1700000000000", "/write?precision=ms")
        self.assertEqual(self.server.rows("SELECT ts, sensor, v FROM decl"), [["2023-11-14T22:13:20.000Z", "a", 7]])
        self.bad("decl,sensor=a v=7i 1700000000001\ndecl,sensor=a v=70000000000i 1700000000002", 2, "out of range",
                 path="/write?precision=ms")
        self.bad('decl,sensor=a s="abcd" 1700000000002', 1, "", path="/write?precision=ms")
        self.bad("decl,sensor=a v=7i 1700000000000000001", 1, "")
        self.bad("decl,rack=a v=7i 1", 1, 'no column "rack"', path="/write?precision=ms")
        self.bad("decl,sensor=a v=7i 0", 1, "")
        self.assertEqual(self.server.rows("SELECT count(*) FROM decl"), [[1]])

    def test_precision(self):
        for unit, ns in (("ns", 1), ("n", 1), ("us", 10**3), ("u", 10**3), ("ms", 10**6), ("s", 10**9), ("m", 60 * 10**9),
                         ("h", 3600 * 10**9)):
            self.good(f"prec,u={unit} v=1 100", f"/write?precision={unit}")
            self.assertEqual(self.server.rows("SELECT extract(epoch FROM time)::double * 1e9 FROM prec WHERE u = $1", unit),
                             [[100.0 * ns]])
        self.assertEqual(self.write("prec v=1 1", "/write?precision=d").status, 400)
        self.bad("prec v=1 9223372036854775807", 1, "time outside range", path="/write?precision=s")
        self.good("nowadays v=1")
        self.assertEqual(self.server.rows("SELECT count(*) FROM nowadays WHERE time > now() - INTERVAL '1 hour'"
                                          " AND time <= now() + INTERVAL '1 minute'"), [[1]])

    def test_databases(self):
        self.good("there v=1 1", "/write?db=mydb")
        self.assertEqual(self.server.rows("SELECT v FROM mydb.there"), [[1]])
        self.good("there v=2 1", "/api/v2/write?org=o&bucket=mydb/autogen&precision=ns")
        self.assertEqual(self.server.rows("SELECT v FROM mydb.there"), [[2]])
        a = self.server.post("/query?q=CREATE+DATABASE+%22other+db%22")
        self.assertEqual((a.status, a.json), (200, {"results": [{"statement_id": 0}]}))
        a = self.server.post("/query", b"q=CREATE%20DATABASE+form", Content_Type="application/x-www-form-urlencoded")
        self.assertEqual(a.status, 200)
        a = self.server.ask("GET", "/query?q=SHOW%20DATABASES")
        names = [v[0] for v in a.json["results"][0]["series"][0]["values"]]
        self.assertLessEqual({"mydb", "other db", "form", "dendro"}, set(names))
        self.assertEqual(self.server.ask("GET", "/query?q=SELECT%201").status, 400)

    def test_around(self):
        a = self.server.ask("GET", "/ping")
        self.assertEqual((a.status, a.body), (204, b""))
        self.assertTrue(a.headers["X-Influxdb-Version"].startswith("1.8"))
        self.assertEqual(self.server.ask("HEAD", "/ping").status, 204)
        self.assertEqual(self.server.ask("GET", "/settings").json["config"]["line.proto.support.versions"], [1])

    def test_packed(self):
        a = self.write(gzip.compress(b"packed v=1 1\npacked v=2 2"), Content_Encoding="gzip")
        self.assertEqual(a.status, 204)
        self.assertEqual(self.server.rows("SELECT count(*) FROM packed"), [[2]])

    def test_empty(self):
        self.good("")
        self.good("\n# nothing\n\r\n   \n")

    def test_names(self):
        self.good('"quoted",Ta\\,g\\==a\\=b\\\\c fie\\ ld=1 1\nselect,from=x where=1,"\u00fc"="\u00e9\nnext" 1')
        self.assertEqual(self.server.rows('SELECT "Ta,g=", "fie ld" FROM """quoted"""'), [["a=b\\\\c", 1]])
        self.assertEqual(self.server.rows('SELECT "from", "where", """\u00fc""" FROM "select"'), [["x", 1, "\u00e9\nnext"]])
        self.bad(b"utf8 v=\"\xff\xfe\" 1", 1, "")
        self.bad("both,a=1 a=2 1", 1, "both a tag and a field")

    def test_many_at_once(self):
        """Writers that make the same table and columns at the same time."""
        failures = []

        def run(n):
            for i in range(10):
                a = self.write(f"race,w=w{n} f{i}={n},g{n}={i} {i + 1}")
                if a.status != 204:
                    failures.append(a.text)

        threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])
        self.assertEqual(self.server.rows("SELECT count(*), count(f0), count(g3) FROM race"), [[40, 4, 10]])

    def test_many_lines(self):
        text = "".join(f"many,host=h{i % 100} a={i},b={i}.5,c={i}i {i + 1}\n" for i in range(20000))
        self.good(text)
        self.assertEqual(self.server.rows("SELECT count(*), sum(a), sum(c), count(DISTINCT host) FROM many"),
                         [[20000, 199990000.0, 199990000, 100]])


class HttpNewTag(HttpTest):
    """A tag that is new to a table which no transaction could write anew."""
    options = ("--set", "transaction_memory=256kB", "--set", "memtable_size=256kB")

    def test_large(self):
        self.assertEqual(self.server.post("/write", "big,host=h0 a=0,b=0i 1").status, 204)
        for n in range(5):
            text = "".join(f"big,host=h{i % 10} a={i},b={i}i {n * 4000 + i + 1}\n" for i in range(4000))
            self.assertEqual(self.server.post("/write", text).status, 204)
        self.assertEqual(self.server.post("/write", "big,host=h0,rack=r a=-1 1\nbig,host=h0 b=7i 1\n").status, 204)
        self.assertEqual(self.server.rows("SELECT rack, count(*), sum(b) FROM big GROUP BY rack ORDER BY rack"),
                         [["", 20000, 39990007], ["r", 1, None]])
        self.assertEqual(self.server.rows("SELECT rack, a, b FROM big WHERE host = 'h0' AND time = TIMESTAMP '1970-01-01 00:00:00.000000001Z' "
                                          "ORDER BY rack"), [["", 0, 7], ["r", -1, None]])


class HttpNoCreate(HttpTest):
    options = ("--auto-create", "off")

    def test_off(self):
        a = self.server.post("/write", "new v=1 1")
        self.assertEqual((a.status, a.json["sqlstate"]), (400, "42P01"))
        self.server.sql("CREATE TABLE old (time TIMESTAMP(9) NOT NULL, v DOUBLE, PRIMARY KEY (time))")
        self.assertEqual(self.server.post("/write", "old v=1 1").status, 204)
        a = self.server.post("/write", "old v=1,w=2 1")
        self.assertEqual((a.status, a.json["sqlstate"]), (400, "42703"))


class HttpCreateTables(HttpTest):
    options = ("--auto-create", "tables")

    def test_tables(self):
        self.assertEqual(self.server.post("/write", "new v=1 1").status, 204)
        self.assertEqual(self.server.post("/write", "new w=1 1").status, 400)


if __name__ == "__main__":
    wirelib.main(sys.modules["__main__"])

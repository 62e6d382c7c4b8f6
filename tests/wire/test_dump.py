# SPDX-License-Identifier: Apache-2.0
"""pg_dump of a database that is being written to: all of its connections read one snapshot."""
import os
import subprocess
import sys
import threading

import psycopg2

import wirelib
from wirelib import ServerTest


class DumpTest(ServerTest):
    def connect(self, server=None):
        return psycopg2.connect(host="127.0.0.1", port=(server or self.server).port, user="dendro", dbname="dendro")

    def tool(self, server, *args, text=None):
        return subprocess.run([args[0], "-h", "127.0.0.1", "-p", str(server.port), "-U", "dendro", *args[1:]], input=text, capture_output=True,
                              text=True, timeout=280, check=False)

    def good(self, server, *args, text=None):
        done = self.tool(server, *args, text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ERROR", done.stderr)
        return done.stdout

    def ask(self, server, sql):
        return self.good(server, "psql", "-XAtc", sql)


class DumpLive(DumpTest):
    """Writers commit rows into two tables at once; a dump by several connections has both rows of such a commit or none."""
    PAIRS = 3

    def setUp(self):
        tables = []
        for pair in range(self.PAIRS):
            for side in "ab":
                tables.append(f"DROP TABLE IF EXISTS {side}{pair}; CREATE TABLE {side}{pair} (n BIGINT PRIMARY KEY, w INT, filler TEXT);"
                              f"INSERT INTO {side}{pair} SELECT g, 0, repeat('x', 100) FROM generate_series(1, 5000) g;")
        self.good(self.server, "psql", "-Xq", text="\n".join(tables))
        self.end = threading.Event()
        self.wrote = [0] * self.PAIRS
        self.failed = []

    def write(self, pair):
        try:
            with self.connect() as conn, conn.cursor() as cursor:
                while not self.end.is_set():
                    n = 10000 + self.wrote[pair]
                    first, second = ("a", "b") if n % 2 else ("b", "a")
                    cursor.execute(f"INSERT INTO {first}{pair} VALUES (%s, 1)", (n,))
                    cursor.execute(f"UPDATE {first}{pair} SET w = %s WHERE n = 1", (n,))
                    cursor.execute(f"INSERT INTO {second}{pair} VALUES (%s, 1)", (n,))
                    cursor.execute(f"UPDATE {second}{pair} SET w = %s WHERE n = 1", (n,))
                    conn.commit()
                    self.wrote[pair] += 1
        except Exception as e:  # the test says so
            self.failed.append(e)

    def one_instant(self, server):
        for pair in range(self.PAIRS):
            both = [self.ask(server, f"SELECT count(*), sum(n), max(w) FROM {side}{pair}") for side in "ab"]
            self.assertEqual(both[0], both[1])
            self.assertGreaterEqual(int(both[0].split("|")[0]), 5000)

    def test_parallel(self):
        path = os.path.join(self.server.dir, "live.fd")
        writers = [threading.Thread(target=self.write, args=(pair,)) for pair in range(self.PAIRS)]
        for w in writers:
            w.start()
        try:
            while not self.failed and min(self.wrote) < 3:
                self.end.wait(0.01)
            before = list(self.wrote)
            self.good(self.server, "pg_dump", "-Fd", "-j", "3", "-f", path)
            while not self.failed and any(now == then for now, then in zip(self.wrote, before)):
                self.end.wait(0.01)
        finally:
            self.end.set()
            for w in writers:
                w.join()
        self.assertEqual(self.failed, [])
        other = wirelib.Server()
        try:
            self.good(other, "pg_restore", "-j", "3", "-d", "dendro", path)
            self.one_instant(other)
            other.stop()
        finally:
            other.remove()
        self.one_instant(self.server)

    def test_snapshot(self):
        """pg_dump --snapshot: what the session that exported it sees, as long as that has its transaction."""
        with self.connect() as conn, conn.cursor() as cursor:
            cursor.execute("SELECT pg_export_snapshot()")
            (name,) = cursor.fetchone()
            self.ask(self.server, "INSERT INTO a0 VALUES (77777, 1); DELETE FROM b0; ALTER TABLE a1 ADD COLUMN later INT; DROP TABLE b1")
            dumps = [self.good(self.server, "pg_dump", f"--snapshot={name}"),
                     self.good(self.server, "pg_dump", "-Fd", "-j", "2", "-f", os.path.join(self.server.dir, "fixed.fd"), f"--snapshot={name}")]
            self.assertNotIn("77777", dumps[0])
            self.assertNotIn("later", dumps[0])
            self.assertIn("CREATE TABLE public.b1", dumps[0])
            other = wirelib.Server()
            try:
                self.good(other, "pg_restore", "-d", "dendro", os.path.join(self.server.dir, "fixed.fd"))
                self.one_instant(other)
                other.stop()
            finally:
                other.remove()
            conn.rollback()
        done = self.tool(self.server, "pg_dump", f"--snapshot={name}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("invalid snapshot identifier", done.stderr)

    def test_dead(self):
        """A session that ends without a word takes its snapshot with it."""
        conn = self.connect()
        with conn.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid(), pg_export_snapshot()")
            pid, name = cursor.fetchone()
        self.good(self.server, "pg_dump", "-s", f"--snapshot={name}")
        self.assertEqual(self.ask(self.server, f"SELECT pg_terminate_backend({pid}, 60000)"), "t\n")
        self.assertIn("invalid snapshot identifier", self.tool(self.server, "pg_dump", f"--snapshot={name}").stderr)


class DumpEmpty(DumpTest):
    """Tables without columns keep their rows, whatever way they are dumped."""

    def test_no_columns(self):
        self.good(self.server, "psql", "-Xq", text="CREATE TABLE z (); INSERT INTO z SELECT FROM generate_series(1, 3);"
                  "CREATE TABLE q (a INT); INSERT INTO q VALUES (1), (2); ALTER TABLE q DROP a; CREATE VIEW w AS SELECT * FROM z; CHECKPOINT;"
                  "COPY z FROM STDIN;\n\n\n\\.\nCOPY z FROM STDIN CSV HEADER;\n\n\n\n\\.\n")
        count = "SELECT (SELECT count(*) FROM z), (SELECT count(*) FROM q), (SELECT count(*) FROM w)"
        self.assertEqual(self.ask(self.server, count), "7|2|7\n")
        self.assertEqual(self.good(self.server, "psql", "-Xc", "SELECT FROM q"), "--\n(2 rows)\n\n")
        self.assertIn("Column | Type", self.good(self.server, "psql", "-Xc", "\\d z"))
        self.assertIn("extra data after last expected column", self.tool(self.server, "psql", "-Xq", text="COPY z FROM STDIN;\nx\n\\.\n").stderr)
        for way in ([], ["--inserts"], ["--rows-per-insert=2"]):
            other = wirelib.Server()
            try:
                self.good(other, "psql", "-Xq", text=self.good(self.server, "pg_dump", *way))
                self.assertEqual(self.ask(other, count), "7|2|7\n")
                other.stop()
            finally:
                other.remove()


class DumpSequences(DumpTest):
    """Tables come behind the sequences that their defaults use, shards of time partitions too; and a dump may clean up first."""
    SETUP = """
CREATE SEQUENCE zz START 7;
CREATE SCHEMA "o'd.d";
CREATE SEQUENCE "o'd.d"."z"".z";
CREATE TABLE aa (id INT PRIMARY KEY DEFAULT nextval('zz'), o INT DEFAULT nextval('"o''d.d"."z"".z"') * 2, v INT);
INSERT INTO aa (v) VALUES (1);
CREATE TABLE p (id SERIAL PRIMARY KEY, v INT) PARTITIONED BY TIME PERIOD 'manual' RETENTION 2;
INSERT INTO p (v) VALUES (1), (2);
PUT COUNTER p INCREMENT;
INSERT INTO p (v) VALUES (3);
CREATE TABLE i (id INT GENERATED ALWAYS AS IDENTITY (START 5) PRIMARY KEY, v INT) PARTITIONED BY TIME PERIOD 'manual' RETENTION 2;
INSERT INTO i (v) VALUES (1);
CREATE TABLE q0 (id SERIAL PRIMARY KEY, v INT);
INSERT INTO q0 (v) VALUES (1);
CREATE TIME PARTITION ON q0 AS q PERIOD 'daily' RETENTION 3 START '2100-01-01';
INSERT INTO q (v) VALUES (2);
"""
    QUESTIONS = ("TABLE aa", "TABLE p ORDER BY 1", "TABLE i", "TABLE q ORDER BY 1", "SELECT name, nshards FROM comdb2_timepartitions ORDER BY 1",
                 *(f"INSERT INTO {t} (v) VALUES (9) RETURNING id" for t in ("aa", "p", "i", "q")))

    def test_sequences(self):
        path = os.path.join(self.server.dir, "sequences.fc")
        self.good(self.server, "psql", "-Xq", text=self.SETUP)
        self.good(self.server, "pg_dump", "-Fc", "-f", path)
        plain = self.good(self.server, "pg_dump")
        clean = self.good(self.server, "pg_dump", "--clean", "--if-exists")
        asked = [self.ask(self.server, q) for q in self.QUESTIONS]
        ways = ([lambda s: self.good(s, "psql", "-Xq", text=plain)],
                [lambda s: self.good(s, "pg_restore", "-j", "2", "-d", "dendro", path)],
                [lambda s: self.good(s, "psql", "-Xq", text=plain), lambda s: self.good(s, "psql", "-Xq", text=clean),
                 lambda s: self.good(s, "pg_restore", "-1", "--clean", "--if-exists", "-d", "dendro", path)])
        for way in ways:
            other = wirelib.Server()
            try:
                for step in way:
                    step(other)
                self.assertEqual([self.ask(other, q) for q in self.QUESTIONS], asked)
                other.stop()
            finally:
                other.remove()


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drivers of other languages, and PostgreSQL itself as a client.

    test_drivers.py DENDRO [CLASS...]   runs all, or these
    test_drivers.py --list              names of the classes
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import wirelib
from wirelib import ServerTest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "diff"))
import pg  # noqa: E402 pylint: disable=wrong-import-position


def run(*command, **more):
    r = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if r.returncode != 0:
        raise RuntimeError(f"{command[0]}: {r.stdout}{r.stderr}")
    return r.stdout


def node_modules():
    """The npm packages, installed once for all build directories."""
    there = os.path.join(ROOT, "build", "wire-node")
    os.makedirs(there, exist_ok=True)
    with open(os.path.join(there, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(HERE, "node", name), there)
        done = os.path.join(there, "done")
        with open(os.path.join(there, "package-lock.json"), encoding="utf-8") as f:
            wanted = f.read()
        if not os.path.exists(done) or open(done, encoding="utf-8").read() != wanted:
            run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=there)
            with open(done, "w", encoding="utf-8") as f:
                f.write(wanted)
    return os.path.join(there, "node_modules")


class Node(ServerTest):
    """node-postgres with its cursors and COPY streams; postgres.js."""

    def test_drive(self):
        run("node", os.path.join(HERE, "node", "drive.js"), str(self.server.port), env={**os.environ, "NODE_PATH": node_modules()})


JARS = "/usr/share/java/postgresql.jar:/usr/share/java/scram-client.jar:/usr/share/java/scram-common.jar"


class Jdbc(ServerTest):
    """PostgreSQL's JDBC driver: batches, named statements with binary values, fetch sizes, savepoints, COPY, timeouts."""

    def test_drive(self):
        jar = JARS
        with tempfile.TemporaryDirectory() as d:
            run("javac", "-cp", jar, "-d", d, os.path.join(HERE, "jdbc", "Drive.java"))
            out = run("java", "-Xmx128m", "-cp", f"{d}:{jar}", "Drive",
                      f"jdbc:postgresql://127.0.0.1:{self.server.port}/dendro?user=dendro")
        self.assertEqual(out.splitlines(), [
            "batch 20", *["row a 2024-01-01T12:00:05.250Z 2.5 5 5 false 2024-01-02 1.25, 3"] * 8, "fetched 3", "error 42P01",
            "in 2", "out b\t1|c\t2|", out.splitlines()[13], "any 21", "error 57014"])
        self.assertRegex(out.splitlines()[13], r"valid true 15\.0 \(Dendro .*\)")


class JdbcMeta(ServerTest):
    """DatabaseMetaData and ResultSetMetaData."""

    def test_meta(self):
        with tempfile.TemporaryDirectory() as d:
            run("javac", "-cp", JARS, "-d", d, os.path.join(HERE, "jdbc", "Meta.java"))
            out = run("java", "-Xmx128m", "-cp", f"{d}:{JARS}", "Meta",
                      f"jdbc:postgresql://127.0.0.1:{self.server.port}/dendro?user=dendro").splitlines()
        self.assertIn("schema public", out)
        self.assertIn("kind TABLE", out)
        self.assertEqual([line for line in out if not line.startswith(("schema ", "kind ", "names "))], [
            "table public meta_a_id_seq SEQUENCE null",
            "table public meta_b_id_seq SEQUENCE null",
            "table public meta_a TABLE the first",
            "table public meta_b TABLE null",
            "table public meta_v VIEW null",
            "column meta_a id 4 serial 10 0 0 null nextval('public.meta_a_id_seq'::regclass) 1 NO YES",
            "column meta_a b 12 varchar 10 0 0 its name null 2 NO NO",
            "column meta_a c 2 numeric 8 2 1 null 1.00 3 YES NO",
            "column meta_b id -5 int8 19 0 0 null null 1 NO YES",
            "column meta_b a 4 int4 10 0 1 null null 2 YES NO",
            "column meta_v id 4 int4 10 0 1 null null 1 YES NO",
            "column meta_v b 12 text 2147483647 0 1 null null 2 YES NO",
            "key meta_a id 1 meta_a_pkey",
            "index meta_a f meta_a_b_key 3 1 b A",
            "index meta_a f meta_a_pkey 3 1 id A",
            "index meta_a t meta_c 3 1 c A",
            "index meta_a t meta_c 3 2 b A",
            "imported meta_a id meta_b a 1 3 0 meta_b_a_fkey meta_a_pkey",
            "exported meta_a id meta_b a",
            "cross meta_a id meta_b a",
            "right meta_a dendro dendro DELETE YES",
            "right meta_a dendro dendro INSERT YES",
            "right meta_a dendro dendro REFERENCES YES",
            "right meta_a dendro dendro SELECT YES",
            "right meta_a dendro dendro TRIGGER YES",
            "right meta_a dendro dendro TRUNCATE YES",
            "right meta_a dendro dendro UPDATE YES",
            "best id 4 int4",
            "types 5",
            "functions true",
            "catalog dendro",
            "procedures false false",
            "columns true true true true",
            "result meta_a id  true 0 10 0 serial 11",
            "result meta_a c  false 0 10 0 varchar 10",
            "result  ?column?  false 2 0 0 numeric 131089",
            "made 1 x 1.00",
        ])


class Perl(ServerTest):
    """DBD::Pg."""
    SCRIPT = r"""
        use strict; use warnings; use DBI;
        my $d = DBI->connect("dbi:Pg:host=127.0.0.1;port=$ARGV[0];dbname=dendro", "dendro", "",
                             {RaiseError => 1, AutoCommit => 1, PrintError => 0});
        $d->do("CREATE TABLE p (a INT PRIMARY KEY, t VARCHAR)");
        my $s = $d->prepare("INSERT INTO p VALUES (?, ?)");
        $s->execute($_, "row $_") for 1 .. 5;
        print join(",", map {"@$_"} @{$d->selectall_arrayref("SELECT a, t FROM p WHERE a > ? ORDER BY a", undef, 3)}), "\n";
        print $d->ping, "\n";
        $d->do("COPY p FROM STDIN"); $d->pg_putcopydata("9\tnine\n"); $d->pg_putcopyend();
        $d->do("COPY (SELECT * FROM p WHERE a > 4 ORDER BY a) TO STDOUT");
        my $line; while ($d->pg_getcopydata($line) >= 0) { print $line }
        $d->begin_work; $d->do("DELETE FROM p"); $d->rollback;
        print $d->selectrow_array("SELECT count(*) FROM p"), "\n";
        eval { $d->do("SELECT 1 / 0") }; print $d->state, "\n";
        $d->disconnect;
    """

    def test_drive(self):
        out = run("perl", "-e", self.SCRIPT, str(self.server.port))
        self.assertEqual(out, "4 row 4,5 row 5\n1\n5\trow 5\n9\tnine\n6\n22012\n")


def snippets(page):
    """The programs of a page: language and text."""
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as f:
        return re.findall(r"^```(\w+)\n(.*?)^```$", f.read(), re.DOTALL | re.MULTILINE)


class Page(unittest.TestCase):
    """Every program of docs/clients.md runs as it stands there, but for the ports."""

    def setUp(self):
        # pylint: disable=consider-using-with
        self.dir = tempfile.TemporaryDirectory()
        self.server = subprocess.Popen([wirelib.PROGRAM, "serve", "--data", os.path.join(self.dir.name, "db"), "--pg-port", "any",
                                        "--http-port", "any"], stdout=subprocess.PIPE, text=True)
        self.ports = [re.search(r"port (\d+)", self.server.stdout.readline()).group(1) for _ in range(2)]

    def tearDown(self):
        self.server.terminate()
        self.assertEqual(self.server.wait(60), 0)
        self.server.stdout.close()
        self.dir.cleanup()

    def program(self, language, text):
        """The command that runs a program, compiled if need be."""
        name = os.path.join(self.dir.name, {"java": "Reading.java", "c": "reading.c"}.get(language, "program"))
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
        if language == "java":
            run("javac", "-cp", JARS, "-d", self.dir.name, name)
            return ["java", "-Xmx128m", "-cp", f"{self.dir.name}:{JARS}", "Reading"]
        if language == "c":
            out = os.path.join(self.dir.name, "reading")
            run("cc", "-I/usr/include/postgresql", name, "-o", out, "-lpq")
            return [out]
        return [{"python": "/usr/bin/python3", "javascript": "node", "perl": "perl", "bash": "bash"}[language], name]

    def test_programs(self):
        found = snippets("clients.md")
        self.assertEqual({language for language, _ in found}, {"bash", "c", "java", "javascript", "perl", "python"})
        env = {**os.environ, "NODE_PATH": node_modules()}
        for language, text in found:
            with self.subTest(language, first=text.split("\n", 1)[0]):
                self.assertTrue("5460" in text or "8460" in text)
                command = self.program(language, text.replace("5460", self.ports[0]).replace("8460", self.ports[1]))
                self.assertEqual(run(*command, env=env).splitlines()[-1], "oslo 21.5")


class Pgbench(ServerTest):
    """pgbench with scripts of its own, in all of its ways to ask."""

    def test_drive(self):
        import psycopg2
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        k = c.cursor()
        k.execute("CREATE TABLE account (aid INT PRIMARY KEY, balance BIGINT)")
        k.execute("INSERT INTO account SELECT g, 0 FROM generate_series(1, 1000) g")
        with tempfile.TemporaryDirectory() as d:
            script = os.path.join(d, "script")
            with open(script, "w", encoding="ascii") as f:
                f.write("\\set aid random(1, 1000)\nBEGIN;\nSELECT balance FROM account WHERE aid = :aid;\nEND;\n"
                        "UPDATE account SET balance = balance + 1 WHERE aid = :aid;\n")
            done = 0
            for protocol in ("simple", "extended", "prepared"):
                out = run("pgbench", "-n", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "dendro", "-M", protocol,
                          "-f", script, "-c", "4", "-j", "2", "-t", "25", "dendro")
                self.assertIn("number of failed transactions: 0 (0.000%)", out)
                done += 100
        k.execute("SELECT sum(balance) FROM account")
        self.assertEqual(k.fetchone(), (done,))


class Fdw(ServerTest):
    """postgres_fdw: PostgreSQL 15 reads and writes a table here as if it were its own."""

    def test_drive(self):
        import psycopg2
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        c.autocommit = True
        k = c.cursor()
        k.execute("CREATE TABLE reading (s VARCHAR NOT NULL, time TIMESTAMP(6) NOT NULL, v DOUBLE, n INT, PRIMARY KEY (s, time))")
        with pg.Cluster() as postgres:
            out = postgres.run(f"""
                CREATE EXTENSION postgres_fdw;
                CREATE SERVER dendro FOREIGN DATA WRAPPER postgres_fdw
                    OPTIONS (host '127.0.0.1', port '{self.server.port}', dbname 'dendro');
                CREATE USER MAPPING FOR dendro SERVER dendro OPTIONS (user 'dendro', password_required 'false');
                CREATE FOREIGN TABLE reading (s text, time timestamptz, v double precision, n int) SERVER dendro;
                INSERT INTO reading SELECT 'a', timestamptz '2024-01-01 00:00+00' + g * interval '1 s', g / 2.0, g
                    FROM generate_series(1, 500) g;
                SELECT count(*), sum(v), min(time) FROM reading WHERE s = 'a' AND n > 100;
                UPDATE reading SET v = 0 WHERE n = 7;
                DELETE FROM reading WHERE n > 400;
                BEGIN;
                DELETE FROM reading;
                ROLLBACK;
                SELECT count(*), sum(v) FROM reading;
                """)
        self.assertIn("400\x1f60100\x1f2024-01-01 00:01:41+00", out)
        self.assertIn("400\x1f40096.5", out)
        k.execute("SELECT count(*), sum(v) FROM reading")
        self.assertEqual(k.fetchone(), (400, 40096.5))


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

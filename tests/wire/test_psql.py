#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""psql's own commands and variables, which send more than the statements that a person types.

    test_psql.py DENDRO [CLASS...]   runs all, or these
    test_psql.py --list              the classes, one per line"""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

import wirelib
from wirelib import ServerTest


class PsqlCommands(ServerTest):
    def psql(self, text, *args):
        done = subprocess.run(["psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "dendro", *args],
                              input=text, capture_output=True, text=True, timeout=280, check=False,
                              env={**os.environ, "PGOPTIONS": ""})
        return done.stdout, done.stderr

    def test_gdesc(self):
        """Prepared and described, not run; psql asks format_type for the names of the types."""
        out, err = self.psql("CREATE TABLE g (k INT PRIMARY KEY, v VARCHAR, t TIMESTAMP, d DOUBLE, n NUMERIC);\n"
                             "SELECT k, v, t, d, n, 1::bigint AS b, now() AS w, 'x' AS s FROM g \\gdesc\n"
                             "INSERT INTO g VALUES (1) \\gdesc\nSELECT count(*) FROM g;\nSELECT nope \\gdesc\nDROP TABLE g;\n", "-At")
        self.assertEqual(out, "k|integer\nv|text\nt|timestamp(3) with time zone\nd|double precision\nn|numeric\nb|bigint\n"
                              "w|timestamp with time zone\ns|text\nThe command has no result, or the result has no columns.\n0\n")
        self.assertIn('ERROR:  column "nope"', err)

    def test_fetch_count(self):
        """A cursor in a transaction of psql's own."""
        text = "\\set FETCH_COUNT 7\nSELECT i FROM generate_series(1, 100) AS g(i);\nSELECT 1 / (50 - i) FROM generate_series(1, 100) AS g(i);\n" \
               "BEGIN;\nSELECT 'inside' WHERE false;\nSELECT 'in';\nCOMMIT;\nSELECT i FROM generate_series(1, 3) g(i) \\gx\n"
        out, err = self.psql(text, "-At")
        lines = out.split("\n")
        self.assertEqual(lines[:100], [str(i) for i in range(1, 101)])
        self.assertIn("division by zero", err)
        self.assertEqual(lines[-6:], ["i|1", "", "i|2", "", "i|3", ""])
        self.assertIn("in", lines)

    def test_on_error_rollback(self):
        """A savepoint before each statement."""
        out, err = self.psql("CREATE TABLE r (k INT PRIMARY KEY);\n\\set ON_ERROR_ROLLBACK on\nBEGIN;\nINSERT INTO r VALUES (1);\n"
                             "INSERT INTO r VALUES (1/0);\nINSERT INTO r VALUES (2);\nSELECT nope;\nCOMMIT;\n"
                             "SELECT k FROM r ORDER BY k;\nDROP TABLE r;\n", "-At")
        self.assertEqual(out, "1\n2\n")
        self.assertEqual(err.count("ERROR:"), 2)

    def test_autocommit_off(self):
        """psql says BEGIN itself."""
        out, err = self.psql("CREATE TABLE a (k INT PRIMARY KEY);\n\\set AUTOCOMMIT off\nINSERT INTO a VALUES (1);\nROLLBACK;\n"
                             "SELECT count(*) FROM a;\nCOMMIT;\nINSERT INTO a VALUES (2);\nCOMMIT;\nSELECT k FROM a;\nINSERT INTO a VALUES (3);\n",
                             "-At")
        self.assertEqual((out, err), ("0\n2\n", ""))
        self.assertEqual(self.psql("SELECT k FROM a;\nDROP TABLE a;\n", "-At"), ("2\n", ""))  # 3 went with the session

    def test_crosstabview(self):
        out, err = self.psql("SELECT * FROM (VALUES ('a', 'x', 1), ('a', 'y', 2), ('b', 'y', 3)) t(r, c, v) ORDER BY 1, 2 \\crosstabview r c v\n",
                             "-A")
        self.assertEqual((out, err), ("r|x|y\na|1|2\nb||3\n(2 rows)\n", ""))

    def test_gset_gexec_if(self):
        out, err = self.psql("SELECT 5 AS five, 'it''s' AS word \\gset\nSELECT :five + 1, :'word';\n"
                             "SELECT 'SELECT ' || i FROM generate_series(1, 3) g(i) \\gexec\n"
                             "SELECT true AS yes \\gset\n\\if :yes\nSELECT 'taken';\n\\else\nSELECT 'not';\n\\endif\n"
                             "\\echo :ROW_COUNT :ERROR :SQLSTATE\nSELECT 1/0;\n\\echo :ERROR :LAST_ERROR_SQLSTATE\n", "-At")
        self.assertEqual(out, "6|it's\n1\n2\n3\ntaken\n1 false 00000\ntrue 22012\n")
        self.assertIn("division by zero", err)

    def test_watch(self):
        """Until an error: the third time the division fails."""
        out, err = self.psql("CREATE SEQUENCE s;\nSELECT 6 / (3 - nextval('s')) AS w \\watch 0.01\nDROP SEQUENCE s;\n", "-At")
        self.assertEqual([line for line in out.split("\n") if line.isdigit()], ["3", "6"])
        self.assertIn("division by zero", err)

    def test_copy(self):
        with tempfile.TemporaryDirectory() as base:
            path = os.path.join(base, "c.csv")
            with open(path, "w", encoding="utf-8") as f:
                f.write('k,v\n1,"a, ""b"""\n2,\n3,""\n')
            out, err = self.psql(f"CREATE TABLE c (k INT PRIMARY KEY, v VARCHAR);\n\\copy c from '{path}' with (format csv, header)\n"
                                 f"SELECT k, v, v IS NULL FROM c ORDER BY k;\n\\copy (SELECT * FROM c ORDER BY k) to '{path}2' csv header\n"
                                 f"\\copy c (k, v) from '{path}2' csv header\n\\copy c from '{path}' with (format csv)\n"
                                 "SELECT count(*) FROM c;\n\\copy (SELECT k FROM c ORDER BY k) to stdout\nDROP TABLE c;\n", "-At")
            self.assertEqual(out, '1|a, "b"|f\n2||t\n3||f\n3\n1\n2\n3\n')
            self.assertEqual(err.count("ERROR:"), 1, err)
            self.assertIn('invalid input syntax for type integer: "k"', err.replace("INTEGER", "integer"))
            with open(path + "2", encoding="utf-8") as f:
                self.assertEqual(f.read(), 'k,v\n1,"a, ""b"""\n2,\n3,""\n')

    def test_script_in_one_transaction(self):
        out, err = self.psql("CREATE TABLE o (k INT PRIMARY KEY);\nINSERT INTO o VALUES (1);\nSELECT 1/0;\n", "-At", "-1", "-v", "ON_ERROR_STOP=1")
        self.assertIn("division by zero", err)
        self.assertEqual(self.psql("SELECT count(*) FROM information_schema.tables WHERE table_name = 'o';\n", "-At"), ("0\n", ""))

    def test_execute(self):
        """Parameters of EXECUTE are none of the client's."""
        out, err = self.psql("PREPARE p(int, text) AS SELECT $1 + 1, $2 || '!';\nEXECUTE p(5, 'x');\nEXECUTE p(6, 'y');\n"
                             "EXPLAIN EXECUTE p(1, 'z');\nSELECT $1;\n", "-At")
        self.assertEqual(out.split("\n")[:2], ["6|x!", "7|y!"])
        self.assertEqual(err.count("ERROR:"), 1)
        self.assertIn("there is no parameter $1", err)

    def test_lists(self):
        """Every command that lists something, whether there are such things or not."""
        commands = [f"\\{name}+" for name in ("dAc dAf dAo dAp db dc dconfig dC dD ddp des deu dew det dFd dFp di dL dm dn dO dp dP dPn "
                                             "drds dRp dRs ds dt du dv dx dX dy l").split()]
        self.psql("CREATE TABLE lists (a INT PRIMARY KEY, b INT);\nCREATE VIEW listsv AS SELECT a FROM lists;\n")
        out, err = self.psql("\n".join(commands + ["\\d lists", "\\d+ lists", "\\d+ listsv", "\\sv listsv", "\\d lists_pkey"]) + "\n")
        self.psql("DROP TABLE lists CASCADE;\n")
        self.assertEqual("\n".join(line for line in err.split("\n") if "Did not find any" not in line), "")
        self.assertIn("CREATE OR REPLACE VIEW public.listsv", out)


class PsqlTab(unittest.TestCase):
    """What psql asks when somebody presses Tab. It says nothing of errors: the server's log does."""

    LINES = r"""SELECT * FROM al|SELECT * FROM omega.|SELECT * FROM alpha WHERE |INSERT INTO |INSERT INTO alpha (|UPDATE |UPDATE alpha SET
DELETE FROM |TABLE |TRUNCATE |LOCK TABLE |COPY |COPY alpha (|MERGE INTO |EXPLAIN SELECT * FROM |VACUUM |ANALYZE |REINDEX TABLE |CLUSTER
ALTER TABLE al|ALTER TABLE alpha DROP COLUMN |ALTER TABLE alpha RENAME COLUMN |ALTER TABLE alpha ALTER COLUMN |ALTER TABLE alpha OWNER TO
ALTER TABLE alpha DROP CONSTRAINT |ALTER TABLE alpha VALIDATE CONSTRAINT |ALTER TABLE alpha SET SCHEMA |ALTER TABLE alpha INHERIT
ALTER TABLE alpha ENABLE TRIGGER |ALTER TABLE alpha ATTACH PARTITION |ALTER TABLE alpha DETACH PARTITION |ALTER TABLE alpha SET TABLESPACE
ALTER TABLE alpha CLUSTER ON |ALTER TABLE alpha ADD CONSTRAINT c UNIQUE USING INDEX |ALTER TABLE alpha ADD FOREIGN KEY (gamma) REFERENCES
ALTER SEQUENCE |ALTER VIEW |ALTER INDEX |ALTER ROLE |ALTER SCHEMA |ALTER SYSTEM SET |ALTER DATABASE |ALTER TYPE |ALTER FUNCTION
ALTER DEFAULT PRIVILEGES FOR ROLE |CREATE INDEX ON |CREATE INDEX ON alpha (|CREATE TABLE z (LIKE |CREATE EXTENSION |COMMENT ON TABLE
DROP TABLE |DROP VIEW |DROP SEQUENCE |DROP INDEX |DROP SCHEMA |DROP ROLE |DROP TYPE |DROP FUNCTION |DROP EXTENSION |DROP DATABASE
DROP TRIGGER |DROP RULE |DROP POLICY |DROP PUBLICATION |DROP SUBSCRIPTION |DROP COLLATION |DROP AGGREGATE |DROP FOREIGN TABLE
DROP MATERIALIZED VIEW |DROP LANGUAGE |DROP SERVER |DROP TABLESPACE |DROP EVENT TRIGGER |DROP ACCESS METHOD |DROP DOMAIN |DROP STATISTICS
GRANT |GRANT SELECT ON |GRANT SELECT ON TABLE alpha TO |REVOKE SELECT ON alpha FROM |REASSIGN OWNED BY |SET |SET time|SET search_path TO
SET TimeZone TO '|SHOW |RESET |EXECUTE |DEALLOCATE |CLOSE |FETCH FROM |LISTEN |CALL
\\d al|\\dt |\\dv |\\di |\\ds |\\df to_ch|\\dn |\\du |\\dT |\\da |\\db |\\dc |\\dD |\\des |\\dF |\\dL |\\dm |\\dp |\\dx |\\dy |\\dP |\\dX
\\sf |\\sv |\\ef |\\ev |\\c |\\encoding |\\copy |\\dconfig """.replace("\\\\", "\\")

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="dendro-tab-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.log = open(os.path.join(self.dir, "log"), "w+")
        self.addCleanup(self.log.close)
        self.process = subprocess.Popen(
            [wirelib.PROGRAM, "serve", "--data", os.path.join(self.dir, "db"), "--pg-port", "any", "--http-port", "0",
             "--set", "log_statement=all"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        port = self.process.stdout.readline().split("port ")[1].split(":")[0]
        with open(os.path.join(self.dir, "inputrc"), "w") as f:  # no questions, no bell
            f.write("set completion-query-items 0\nset page-completions off\nset bell-style none\n")
        self.env = {**os.environ, "PGHOST": "127.0.0.1", "PGPORT": port, "PGUSER": "dendro", "PGDATABASE": "dendro",
                    "TERM": "xterm", "PAGER": "cat", "INPUTRC": os.path.join(self.dir, "inputrc"), "HISTFILE": "/dev/null",
                    "PSQL_HISTORY": "/dev/null"}

    def until(self, fd, *texts):
        """Reads the terminal until the texts have come, one after the other."""
        got = b""
        for text in texts:
            while text not in got:
                ready, _, _ = select.select([fd], [], [], 120)
                self.assertTrue(ready, got)
                got += os.read(fd, 65536)
            got = got.split(text, 1)[1]

    def test_questions(self):
        subprocess.run(["psql", "-X", "-q", "-c",
                        "CREATE TABLE alpha (beta INT PRIMARY KEY, gamma TEXT); CREATE VIEW delta AS SELECT * FROM alpha; "
                        "CREATE SEQUENCE sigma; CREATE SCHEMA omega; CREATE ROLE rho"], env=self.env, check=True)
        pid, fd = pty.fork()
        if pid == 0:
            os.execvpe("psql", ["psql", "-X"], self.env)
        try:
            self.until(fd, b"=# ")
            lines = [x for row in self.LINES.split("\n") for x in row.split("|") if x.strip()]
            for i, line in enumerate(lines):
                if not line.endswith((" ", "(", "'", ".")) and line not in ("SELECT * FROM al", "ALTER TABLE al", "SET time"):
                    line += " " if line[0] != "\\" else ""
                # ^G ends a list, ^U empties the line; psql answers the rest when it has done with the keys before. The next
                # keys wait for its prompt: until then the terminal itself edits the line, and its ^U swallows the Tab.
                os.write(fd, line.encode() + b"\t\t\x07\x15\\echo mark" + str(i).encode() + b".\r")
                self.until(fd, b"\rmark" + str(i).encode() + b".", b"=# ")
        finally:
            os.write(fd, b"\x15\\q\r")
            os.waitpid(pid, 0)
            os.close(fd)
        self.log.seek(0)
        asked = [x for x in self.log if "dendro: statement:" in x]
        self.assertGreater(len(asked), 200)
        self.assertEqual([x for x in asked if 'outcome="ok"' not in x], [])


class PgDump(ServerTest):
    """What pg_dump writes makes the same database again."""
    SETUP = """
CREATE SCHEMA s1;
CREATE TABLE geo (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL, temp DOUBLE,
    PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time));
CREATE TABLE p (id SERIAL PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT 'x', n NUMERIC(10,2), u UUID, d DATE, ts TIMESTAMPTZ DEFAULT now(),
    arr INT[] DEFAULT '{1,2}', CHECK (n > 0), UNIQUE (name));
CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p(id), g INT GENERATED ALWAYS AS (id * 2) STORED, i BIGINT GENERATED ALWAYS AS IDENTITY);
CREATE INDEX c_pid ON c (pid);
CREATE TABLE cq (a INT, b INT, c INT, d INT, PRIMARY KEY ((a, b), c)) WITH CLUSTERING ORDER BY (c DESC);
CREATE TABLE field (a INT PRIMARY KEY, v INT) WITH (upsert = 'field');
CREATE TABLE ranged (t TIMESTAMP, h VARCHAR, v DOUBLE, PRIMARY KEY (t, h)) WITH (quantum = '6h');
CREATE TABLE s1."Odd Name" ("A b" INT PRIMARY KEY, "select" TEXT DEFAULT 'q''q');
CREATE VIEW v AS SELECT id, name FROM p WHERE n > 1;
CREATE VIEW v2 (x, y) AS SELECT count(*), region FROM geo GROUP BY region;
CREATE VIEW v3 AS SELECT * FROM v2 JOIN v ON v2.x = v.id;
CREATE SEQUENCE sq START 5;
COMMENT ON TABLE p IS 'people';
COMMENT ON COLUMN p.name IS 'the name';
CREATE ROLE bob LOGIN;
GRANT SELECT ON p TO bob;
INSERT INTO p (name, n) VALUES ('a', 1.5), ('b', 2.5);
INSERT INTO c (id, pid) VALUES (1, 1), (2, 2);
INSERT INTO s1."Odd Name" VALUES (1, E'tab\\t\\\\'), (2, NULL);
INSERT INTO geo VALUES ('r', 's', '2020-01-01 00:00:00', 1.5);
INSERT INTO cq VALUES (1, 2, 3, 4);
INSERT INTO ranged VALUES ('2020-01-01 00:00:00', 'h', 1.25);
"""

    def run_tool(self, server, *args, text=None):
        done = subprocess.run([args[0], "-h", "127.0.0.1", "-p", str(server.port), "-U", "dendro", *args[1:]], input=text, capture_output=True,
                              text=True, timeout=280, check=False, env={**os.environ, "PGOPTIONS": ""})
        return done.stdout, done.stderr

    @staticmethod
    def lines(dump):
        # the line of a DEFAULT that was SERIAL's says CAST instead of ::
        return [line for line in dump.split("\n") if "restrict" not in line and "nextval" not in line]

    def test_again(self):
        out, err = self.run_tool(self.server, "psql", "-X", "-q", text=self.SETUP)
        self.assertNotIn("ERROR", err)
        whole, err = self.run_tool(self.server, "pg_dump")
        self.assertEqual(err, "")
        self.assertIn("COPY public.geo", whole)
        other = wirelib.Server()
        try:
            out, err = self.run_tool(other, "psql", "-X", "-q", text="CREATE ROLE bob LOGIN;\n" + whole)
            self.assertNotIn("ERROR", err)
            again, err = self.run_tool(other, "pg_dump")
            self.assertEqual(err, "")
            self.assertEqual(self.lines(again), self.lines(whole))
            for name in ("geo", "ranged", "field"):
                keys = [self.run_tool(s, "psql", "-XAt", "-c", f"SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = '{name}_pkey'")
                        for s in (self.server, other)]
                self.assertEqual(keys[0], keys[1])
            self.assertEqual(self.run_tool(other, "psql", "-XAt", "-c", "INSERT INTO p (name) VALUES ('c') RETURNING id"), ("3\nINSERT 0 1\n", ""))
        finally:
            other.stop()
            other.remove()



class DumpPartitions(ServerTest):
    """Time partitions and views over them, dumped and restored in each way that pg_dump and pg_restore know."""
    SETUP = """
CREATE TABLE base (k INT PRIMARY KEY, d TEXT DEFAULT 'x', CHECK (k > 0)) WITH (upsert = 'field');
INSERT INTO base VALUES (1, 'a'), (2, 'b');
CREATE TIME PARTITION ON base AS tp PERIOD 'manual' RETENTION 3 START 1;
CREATE VIEW zz AS SELECT k FROM tp;
CREATE VIEW aa AS SELECT k FROM zz;
PUT COUNTER tp INCREMENT;
PUT COUNTER tp INCREMENT;
INSERT INTO tp VALUES (3, 'c');
CREATE SCHEMA "o'dd";
CREATE TABLE "o'dd".by_day (h VARCHAR, ts TIMESTAMP, v DOUBLE, PRIMARY KEY ((h, QUANTUM(ts, 1, 'd')), ts))
    PARTITIONED BY TIME PERIOD 'daily' RETENTION 2 START '2035-01-01';
INSERT INTO "o'dd".by_day VALUES ('a', '2024-01-01 00:00:00', 1.5);
CREATE ROLE bob LOGIN;
GRANT SELECT ON tp TO bob;
COMMENT ON TABLE tp IS 'parts';
"""
    QUESTIONS = ("SELECT name, period, retention, nshards, shard0name, starttime, sourceid FROM comdb2_timepartitions ORDER BY 1",
                 "SELECT name, shardname, low, high FROM comdb2_timepartshards ORDER BY 1, 2", "TABLE comdb2_logical_cron",
                 "SELECT tableoid::regclass, * FROM base ORDER BY 2", "SELECT * FROM aa ORDER BY 1", "SELECT * FROM tp ORDER BY 1",
                 "SELECT * FROM \"o'dd\".by_day", "SELECT has_table_privilege('bob', 'tp', 'SELECT')")

    def tool(self, server, *args, text=None):
        done = subprocess.run([args[0], "-h", "127.0.0.1", "-p", str(server.port), "-U", "dendro", *args[1:]], input=text, capture_output=True,
                              text=True, timeout=280, check=False, env={**os.environ, "PGOPTIONS": ""})
        self.assertNotIn("ERROR", done.stderr, args)
        self.assertNotIn("error:", done.stderr, args)
        return done.stdout

    def dump(self, server, *options):
        """Without what differs from run to run."""
        return [line for line in self.tool(server, "pg_dump", *options).split("\n") if "restrict" not in line]

    def restored(self, restore):
        """On a fresh server: restore(server), and then it is the same database."""
        other = wirelib.Server()
        try:
            self.tool(other, "psql", "-Xqc", "CREATE ROLE bob LOGIN")
            restore(other)
            self.assertEqual(self.dump(other), self.dump(self.server))
            for question in self.QUESTIONS:
                self.assertEqual(*[self.tool(s, "psql", "-XAtc", question) for s in (self.server, other)])
            # and it goes on as one
            self.tool(other, "psql", "-Xqc", "PUT COUNTER tp INCREMENT", "-c", "INSERT INTO tp VALUES (4)")
            self.assertEqual(self.tool(other, "psql", "-XAtc", "SELECT count(*) FROM comdb2_timepartshards WHERE name = 'tp'"), "3\n")
            self.assertEqual(self.tool(other, "psql", "-XAtc", "SELECT count(*) FROM tp"), "4\n")
            other.stop()
        finally:
            other.remove()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls().tool(cls.server, "psql", "-Xq", text=cls.SETUP)

    def test_plain(self):
        dump = self.tool(self.server, "pg_dump")
        self.assertLess(dump.index("CREATE TABLE public.tp"), dump.index("CREATE VIEW public.zz"))
        self.assertLess(dump.index("CREATE VIEW public.zz"), dump.index("CREATE VIEW public.aa"))
        self.assertNotIn("COPY public.tp ", dump)
        self.restored(lambda other: self.tool(other, "psql", "-Xq", text=dump))

    def test_custom(self):
        path = os.path.join(self.server.dir, "dump.fc")
        self.tool(self.server, "pg_dump", "-Fc", "-f", path)
        self.restored(lambda other: self.tool(other, "pg_restore", "-d", "dendro", path))
        self.restored(lambda other: self.tool(other, "pg_restore", "-1", "-d", "dendro", path))

    def test_directory(self):
        path = os.path.join(self.server.dir, "dump.fd")
        self.tool(self.server, "pg_dump", "-Fd", "-f", path)
        self.restored(lambda other: self.tool(other, "pg_restore", "-j", "4", "-d", "dendro", path))

    def test_sections(self):
        parts = [self.tool(self.server, "pg_dump", f"--section={s}") for s in ("pre-data", "data", "post-data")]
        self.restored(lambda other: [self.tool(other, "psql", "-Xq", text=p) for p in parts])

    def test_schema_only(self):
        other = wirelib.Server()
        try:
            self.tool(other, "psql", "-Xqc", "CREATE ROLE bob LOGIN")
            self.tool(other, "psql", "-Xq", text=self.tool(self.server, "pg_dump", "-s"))
            self.assertEqual(self.dump(other, "-s"), self.dump(self.server, "-s"))
            # the rows come behind: those of each table once
            self.tool(other, "psql", "-Xq", text=self.tool(self.server, "pg_dump", "-a"))
            for question in ("SELECT * FROM tp ORDER BY 1", "SELECT * FROM \"o'dd\".by_day"):
                self.assertEqual(*[self.tool(s, "psql", "-XAtc", question) for s in (self.server, other)])
            other.stop()
        finally:
            other.remove()


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clients ask about tables: `pg_catalog` and `information_schema` through real ones.

    test_catalog.py DENDRO [CLASS...]   runs all, or these
    test_catalog.py --list              the classes, one per line"""
import asyncio
import subprocess
import sys

import wirelib
from wirelib import ServerTest

SCHEMA = """CREATE TABLE weather (station VARCHAR NOT NULL, time TIMESTAMP NOT NULL, t DOUBLE DEFAULT 1.5, rain NUMERIC(10, 2),
    tags VARCHAR[], PRIMARY KEY ((station, QUANTUM(time, 15, 'm')), station, time));
CREATE TABLE keyed (a INT PRIMARY KEY, b VARCHAR(10) CHECK (b <> ''));
CREATE VIEW hot AS SELECT station, max(t) AS top FROM weather GROUP BY station"""


class Tables:
    """Tables to ask about."""

    def psql(self, *commands):
        args = [arg for c in commands for arg in ("-c", c)]
        r = subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "dendro", *args],
                           capture_output=True, text=True, timeout=120, check=False)
        return r.stdout, r.stderr

    def setUp(self):
        out, err = self.psql("DROP VIEW IF EXISTS hot", "DROP TABLE IF EXISTS weather, keyed", *SCHEMA.split(";"))
        self.assertNotIn("ERROR", err, out)


class CatalogPsql(Tables, ServerTest):
    """The commands of psql."""

    def shows(self, command, *parts):
        out, err = self.psql(command)
        self.assertEqual(err, "", command)
        for part in parts:
            self.assertIn(part, out, command)

    def test_table(self):
        self.shows(r"\d weather", 'Table "public.weather"', " rain    | numeric(10,2) ", " tags    | text[] ",
                   '''"weather_pkey" PRIMARY KEY, btree ((station, QUANTUM(time, 15, 'm')), station, time)''')
        self.shows(r"\d+ keyed", "character varying(10)", '"keyed_b_check" CHECK (b <> \'\')')
        self.shows(r"\d weather_pkey", 'primary key, btree, for table "public.weather"')
        self.shows(r"\d+ hot", 'View "public.hot"', "SELECT weather.station, max(weather.t) AS top")

    def test_lists(self):
        self.shows(r"\d", "public | hot     | view  | dendro", "public | weather | table | dendro")
        self.shows(r"\dt+", "weather")
        self.shows(r"\dv", "hot")
        self.shows(r"\di", "weather_pkey")
        self.shows(r"\dn+", "public")
        self.shows(r"\du", "dendro")
        self.shows(r"\df lower", "pg_catalog | lower | text ")
        self.shows(r"\dT int4", "integer")
        self.shows(r"\dp", "weather")
        self.shows(r"\conninfo", 'database "dendro"')
        for quiet in (r"\ds", r"\db", r"\dx", r"\dC", r"\do x", r"\dD", r"\ddp", r"\dE", r"\dy", r"\dRp", r"\dRs", r"\dP",
                      r"\dm", r"\dc", r"\dd", r"\des", r"\dew", r"\dX", r"\dA", r"\da max", r"\l", r"\drds", r"\dL"):
            self.assertNotIn("ERROR", self.psql(quiet)[1], quiet)

    def test_missing(self):
        self.assertEqual(self.psql(r"\d nothing")[1], 'Did not find any relation named "nothing".\n')


class CatalogDrivers(Tables, ServerTest):
    """What drivers ask."""

    def url(self):
        return f"postgresql://dendro@127.0.0.1:{self.server.port}/dendro"

    def test_asyncpg(self):
        import asyncpg

        async def go():
            c = await asyncpg.connect(self.url())
            await c.execute("INSERT INTO weather VALUES ('a', '2024-01-01', 1, 2, '{x,y}')")
            rows = await c.fetch("SELECT tags, rain FROM weather")
            self.assertEqual([r["tags"] for r in rows], [["x", "y"]])
            rel = await c.fetchrow("SELECT oid, relname, relkind, oid::regclass AS name FROM pg_class WHERE relname = $1", "weather")
            self.assertEqual((rel["relname"], rel["relkind"], rel["name"]), ("weather", b"r", "weather"))
            key = await c.fetchrow("SELECT indkey, indoption FROM pg_index WHERE indrelid = $1", rel["oid"])
            self.assertEqual((key["indkey"], key["indoption"]), ([1, 2], [0, 0]))
            await c.close()

        asyncio.run(go())

    def test_psycopg(self):
        import psycopg
        from psycopg.types import TypeInfo

        with psycopg.connect(self.url()) as c:
            info = TypeInfo.fetch(c, "int4")
            self.assertEqual((info.oid, info.array_oid), (23, 1007))
            cur = c.execute("SELECT 'weather'::regclass, 26::oid, nspname, relkind FROM pg_class JOIN pg_namespace n "
                            "ON n.oid = relnamespace WHERE relname = 'weather'")
            self.assertEqual([d.type_code for d in cur.description], [2205, 26, 19, 18])
            self.assertEqual(cur.fetchall(), [("weather", 26, "public", "r")])

    def origins(self, cur, sql):
        """Of each column: type, table, number there, parameters."""
        result = cur.execute(sql).pgresult
        return [(result.ftype(i), result.ftable(i), result.ftablecol(i), result.fmod(i)) for i in range(result.nfields)]

    def test_origins(self):
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as c:
            cur = c.cursor()

            def oid(name):
                return cur.execute("SELECT %s::regclass::oid", (name,)).fetchone()[0]

            keyed, hot, weather = oid("keyed"), oid("hot"), oid("weather")
            number = (10 << 16 | 2) + 4
            self.assertEqual(self.origins(cur, "SELECT b AS x, a, a + 1 FROM keyed k"),
                             [(1043, keyed, 2, 14), (23, keyed, 1, -1), (23, 0, 0, -1)])
            self.assertEqual(self.origins(cur, "SELECT time, rain, tags FROM weather"),
                             [(1184, weather, 2, 3), (1700, weather, 4, number), (1009, weather, 5, -1)])
            self.assertEqual(self.origins(cur, "SELECT s.x, w.rain FROM (SELECT b AS x FROM keyed) s, weather w"),
                             [(1043, keyed, 2, 14), (1700, weather, 4, number)])
            self.assertEqual(self.origins(cur, "WITH q AS (SELECT b FROM keyed) SELECT * FROM q"), [(1043, keyed, 2, 14)])
            self.assertEqual(self.origins(cur, "SELECT * FROM hot"), [(25, hot, 1, -1), (701, hot, 2, -1)])
            self.assertEqual(self.origins(cur, "SELECT b FROM keyed UNION SELECT b FROM keyed"), [(1043, 0, 0, 14)])
            self.assertEqual(self.origins(cur, "SELECT 'a'::varchar(5), 1::numeric(10, 2), max(b) FROM keyed"),
                             [(1043, 0, 0, 9), (1700, 0, 0, number), (25, 0, 0, -1)])
            self.assertEqual(self.origins(cur, "INSERT INTO keyed VALUES (1, 'x') RETURNING b, a"),
                             [(1043, keyed, 2, 14), (23, keyed, 1, -1)])
            self.assertEqual(self.origins(cur, "SELECT relname, oid FROM pg_class LIMIT 1"), [(19, 1259, 2, -1), (26, 1259, 1, -1)])
            self.assertEqual([o[0::3] for o in self.origins(cur, "SELECT table_name, table_type, is_typed FROM information_schema.tables")],
                             [(19, -1), (1043, -1), (1043, 7)])
            cur.execute("TRUNCATE keyed")
            self.assertEqual(oid("keyed"), keyed)

    def test_odbc(self):
        import pyodbc

        driver = next(d for d in pyodbc.drivers() if "Unicode" in d)
        c = pyodbc.connect(f"DRIVER={{{driver}}};SERVER=127.0.0.1;PORT={self.server.port};DATABASE=dendro;UID=dendro")
        cur = c.cursor()
        self.assertEqual([r.table_name for r in cur.tables(schema="public")], ["hot", "keyed", "weather"])
        self.assertEqual([(r.column_name, r.type_name) for r in cur.columns(table="weather")],
                         [("station", "text"), ("time", "timestamptz"), ("t", "float8"), ("rain", "numeric"), ("tags", "_text")])
        self.assertEqual([r.column_name for r in cur.primaryKeys("keyed")], ["a"])
        c.close()


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

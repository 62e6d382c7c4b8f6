#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet: files of pyarrow (tests/golden/parquet), and our own, in and out of every door; where pyarrow and DuckDB
are installed, they read what we write.

    test_parquet.py DENDRO [CLASS...]   runs all, or these
    test_parquet.py --list              the classes, one per line"""
import decimal
import json
import os
import sys
import unittest

import test_cli
from test_cli import Case

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/parquet")
WHOLE = ["all", "snappy", "gzip", "lz4", "v2", "plain", "integer_decimals"]
TABLE = """CREATE TABLE t (s VARCHAR NOT NULL, ts TIMESTAMP NOT NULL, a SMALLINT, b INTEGER, c BIGINT, d REAL,
  e DOUBLE, f BOOLEAN, g BLOB, h TIMESTAMP(6), i TIMESTAMP(9), j DATE, k TIME, l UUID, m NUMERIC(8,2), n NUMERIC(16,3),
  o NUMERIC(30,5), p NUMERIC, q INTERVAL, r TIMESTAMPTZ, u INTEGER[],
  PRIMARY KEY ((s, QUANTUM(ts, 1, 'd')), s, ts));
INSERT INTO t SELECT 'dev' || (x % 7), TIMESTAMP '2024-01-01' + x * INTERVAL '1 minute', x % 100 - 50,
  CASE WHEN x % 5 = 0 THEN NULL ELSE x * 1000 END, CAST(x AS BIGINT) * x * x, x / 4.0, x / 3.0, x % 2 = 0,
  CAST(CAST(x AS VARCHAR) AS BLOB), '2024-01-01 00:00:00.123456', '2024-01-01 00:00:00.123456789',
  DATE '1999-12-31' + CAST(x % 10 AS INTEGER), TIME '12:34:56.789', '123e4567-e89b-12d3-a456-426614174000', x / 100.0,
  -x / 10.0, CAST(x AS BIGINT) * 1000000, x / 7.0, INTERVAL '1 day 2 hours', TIMESTAMPTZ '2024-05-05 05:05:05+00',
  CASE WHEN x % 3 = 0 THEN NULL ELSE ARRAY[1, x] END FROM generate_series(1, 3000) AS x;"""


def golden(name):
    return os.path.join(GOLDEN, name + ".parquet")


def same(name, want, got):
    """A value as expect.jsonl has it, and as Dendro prints it."""
    if want is None or isinstance(want, bool) or name in ("tag", "text"):
        return got == want
    if isinstance(want, float):
        return abs(float(got) - want) <= abs(want) * 1e-6
    if isinstance(want, int) or name.startswith("dec"):
        return decimal.Decimal(got) == decimal.Decimal(want)
    if name in ("bytes", "fixed"):
        return got.lower().removeprefix("\\x").removeprefix("0x") == want
    got = got.removesuffix("Z").replace(" ", "T")
    return got.rstrip("0").rstrip(".") == want.rstrip("0").rstrip(".") if "." in got + want else got == want


class ParquetCase(Case):
    def ask(self, sql, *more, code=0):
        got, out, err = self.run_dendro("sql", self.dir, "--format", "jsonl", "-c", sql, *more)
        self.assertEqual(got, code, out + err)
        return [json.loads(line, parse_int=decimal.Decimal, parse_float=decimal.Decimal) for line in out.splitlines()] if code == 0 else err

    def bytes(self, name, data):
        path = os.path.join(self.base, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def refused(self, sql, *parts):
        err = self.ask(sql, code=1)
        for part in parts:
            self.assertIn(part, err)

    def good(self, *args):
        code, out, err = self.run_dendro(*args)
        self.assertEqual(code, 0, out + err)
        return out + err


class ParquetRead(ParquetCase):
    def expected(self):
        with open(os.path.join(GOLDEN, "expect.jsonl"), encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def check(self, name):
        rows = self.ask(f"SELECT * FROM '{golden(name)}'")
        want = self.expected()
        self.assertEqual(len(rows), len(want), name)
        for i, (row, line) in enumerate(zip(rows, want)):
            for column, value in row.items():
                self.assertTrue(same(column, line[column], value), f"{name} row {i}: {column} {value} {line[column]}")
        return list(rows[0])

    def test_files(self):
        for name in WHOLE:
            with self.subTest(name):
                self.assertEqual(len(self.check(name)), 25)
        for name, columns in (("delta", 12), ("texts", 6), ("int96", 4)):
            with self.subTest(name):
                self.assertEqual(len(self.check(name)), columns)

    def test_queries(self):
        path = golden("v2")
        self.assertEqual(self.ask(f"SELECT count(*) AS n FROM '{path}'"), [{"n": 90}])
        self.assertEqual(self.ask(f"SELECT tag, max(i32) AS m FROM '{path}' WHERE tag = 'sensor-1' GROUP BY tag"),
                         [{"tag": "sensor-1", "m": -2147483648 + 86 * 40000000}])
        self.assertEqual(self.ask(f"SELECT count(*) AS n FROM '{path}' AS a JOIN '{golden('all')}' b ON a.text = b.text"),
                         [{"n": 90}])
        self.assertEqual(self.ask(f"SELECT v2.i8 FROM '{path}' ORDER BY v2.ms NULLS LAST LIMIT 1"), [{"i8": -50}])
        self.assertEqual(self.ask(f"SELECT * FROM '{golden('none')}'"), [])
        self.assertIn("File", self.good("sql", self.dir, "-c", f"EXPLAIN SELECT i8 FROM '{path}'"))
        self.assertEqual(self.ask(f"SELECT n FROM (SELECT count(*) AS n FROM '{path}' AS t(a, b)) x"), [{"n": 90}])

    def test_view(self):
        self.sql(f"CREATE VIEW v AS SELECT tag, i64 FROM '{golden('all')}' AS f")
        self.assertEqual(self.ask("SELECT count(*) AS n FROM v"), [{"n": 90}])

    def test_nested(self):
        path = golden("nested")
        self.assertEqual(self.ask(f"SELECT a, z FROM '{path}'"), [{"a": 1, "z": "p"}, {"a": 2, "z": "q"}])
        self.refused(f"SELECT * FROM '{path}'", 'column "list"', "it is a list", "0A000")
        self.refused(f"SELECT struct FROM '{path}'", 'column "struct"', "it is a struct")
        self.refused(f"SELECT map FROM '{path}'", 'column "map"', "it is a map")
        self.sql("CREATE TABLE n (a BIGINT PRIMARY KEY, z VARCHAR)")
        self.refused(f"COPY n FROM '{path}'", "list", "COPY n (a, b, …)")
        self.sql(f"COPY n (z, a) FROM '{path}'")
        self.assertEqual(self.ask("SELECT * FROM n ORDER BY a"), [{"a": 1, "z": "p"}, {"a": 2, "z": "q"}])

    def test_wrong_files(self):
        text = self.file("a.csv", "a,b\n1,2\n" * 10)
        self.refused(f"SELECT * FROM '{text}'", "the file is not Parquet", "22P04", "COPY")
        self.refused("SELECT * FROM 'nowhere.parquet'", "cannot open file", "nowhere.parquet")
        with open(golden("snappy"), "rb") as f:
            whole = f.read()
        for name, data in (("cut", whole[:-20]), ("head", whole[:8]), ("empty", b"")):
            with self.subTest(name):
                self.refused(f"SELECT * FROM '{self.bytes(name + '.parquet', data)}'", "22P04")
        bad = self.bytes("bad.parquet", whole[:300] + bytes(300) + whole[600:])
        self.refused(f"SELECT * FROM '{bad}'", "column", "Parquet")


class ParquetWrite(ParquetCase):
    def setUp(self):
        super().setUp()
        self.sql(TABLE)

    def different(self, other):
        sql = f"SELECT count(*) AS n FROM (SELECT * FROM t EXCEPT ALL SELECT * FROM {other}) x"
        self.assertEqual(self.ask(f"SELECT count(*) AS n FROM {other}"), [{"n": 3000}])
        self.assertEqual(self.ask(sql), [{"n": 0}])

    def test_copy(self):
        for how in ("zstd", "gzip", "lz4", "uncompressed"):
            with self.subTest(how):
                path = os.path.join(self.base, how + ".parquet")
                self.sql(f"COPY t TO '{path}' (FORMAT parquet, COMPRESSION {how})")
                self.sql(f"CREATE TABLE {how} (LIKE t INCLUDING ALL); COPY {how} FROM '{path}'")
                self.different(how)

    def test_options(self):
        self.refused("COPY t TO 'x.parquet' (COMPRESSION snappy)", "zstd, gzip, lz4 or none")
        self.refused("COPY t TO 'x.parquet' (FORMAT parquet, HEADER)", "HEADER is not for Parquet")
        self.refused("COPY t TO 'x.csv' (COMPRESSION zstd)", "COMPRESSION is for")
        self.refused("COPY t FROM 'x.parquet' WHERE a = 1", "INSERT INTO")
        self.refused(f"COPY t FROM '{golden('all')}'", "has no column")
        self.refused(f"COPY t (nothing) FROM '{golden('all')}'", "nothing")
        self.sql("CREATE TABLE d (tag DOUBLE, i64 SMALLINT, day BOOLEAN)")
        self.refused(f"COPY d (tag) FROM '{golden('all')}'", 'column "tag"', "row 1")
        self.refused(f"COPY d (i64) FROM '{golden('all')}'", 'column "i64"', "out of range")
        self.refused(f"COPY d (day) FROM '{golden('all')}'", 'column "day" is boolean', "date")
        self.sql("CREATE TABLE k (i8 SMALLINT NOT NULL, PRIMARY KEY (i8))")
        self.refused(f"COPY k (i8) FROM '{golden('all')}'", "row 4", 'column "i8"')
        self.assertEqual(self.ask("SELECT count(*) AS n FROM k"), [{"n": 0}])

    def test_programs(self):
        path = os.path.join(self.base, "t.parquet")
        self.assertIn("3000 rows", self.good("export", self.dir, "t", "-o", path))
        self.sql("CREATE TABLE t2 (LIKE t INCLUDING ALL)")
        self.good("import", self.dir, "t2", path)
        self.different("t2")
        self.good("sql", self.dir, "-c", "DELETE FROM t2", "-c", f"\\copy t2 from {path}")
        self.different("t2")
        out = self.good("import", "--create", self.dir, "made", path)
        self.assertIn("PRIMARY KEY ((s, QUANTUM(ts, 1, 'd')), s, ts)", out)
        self.assertIn("m NUMERIC(8, 2)", out)
        self.assertIn("-- types: as the Parquet file has them", out)
        self.assertNotIn("-- text:", out)
        self.assertEqual(self.ask("SELECT count(*) AS n FROM made WHERE b IS NULL"), [{"n": 600}])
        code, _, err = self.run_dendro("export", self.dir, "t", "-o", path, "--format", "csv")
        self.assertEqual(code, 1)
        self.assertIn("the name says parquet", err)
        code, _, err = self.run_dendro("import", self.dir, "t2", "-", stdin="PAR1\x15 x" * 10)
        self.assertEqual(code, 1)
        self.assertIn("Parquet", err)

    def test_peers(self):
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("no pyarrow here")
        path = os.path.join(self.base, "t.parquet")
        self.sql(f"COPY (SELECT * FROM t ORDER BY s, ts) TO '{path}'")
        table = pyarrow.parquet.read_table(path)
        want = self.ask("SELECT * FROM t ORDER BY s, ts")
        self.assertEqual(table["c"].to_pylist(), [int(row["c"]) for row in want])
        self.assertEqual(table["g"].to_pylist()[5].hex(), want[5]["g"].removeprefix("\\x").removeprefix("0x"))
        self.assertEqual(str(table["o"].to_pylist()[9]), str(want[9]["o"]))
        try:
            import duckdb
        except ImportError:
            return
        self.assertEqual(duckdb.sql(f"SELECT count(*), sum(b) FROM '{path}' WHERE c > 1000").fetchall()[0],
                         tuple(self.ask("SELECT count(*) AS n, sum(b) AS b FROM t WHERE c > 1000")[0].values()))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        print("\n".join(c.__name__ for c in [ParquetRead, ParquetWrite]))
        sys.exit(0)
    test_cli.DENDRO = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench retention`: what it costs to be rid of the oldest of 30 days, and what rollouts cost those who write.

The same rows in Dendro (one table, and a time partition of a shard for each day), PostgreSQL 15 (one table, and one
partitioned by day) and SQLite. In each the oldest day goes: by DELETE (PostgreSQL: and VACUUM), and whole. Then rows are
copied into a time partition of Dendro, without rollouts and with one each 0.05 s."""
import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import server
from server import sql

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DAYS, STEPS = 30, 864  # a row each 100 seconds
ROLL_SECONDS = 0.05


def ask(s, text):
    return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, s.conninfo], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.strip()


def ask_timed(s, text):
    """Seconds between question and answer, without the start of psql."""
    out = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", "\\timing on", "-c", text, s.conninfo], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout
    return float(out.rsplit("Time: ", 1)[1].split(" ms")[0]) / 1000


def timed(do):
    begin = time.monotonic()
    do()
    return time.monotonic() - begin


def size(path):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files)


def day(n):
    return time.strftime("%Y-%m-%d", time.gmtime(1704067200 + n * 86400))


def rows_of(n, hosts, zone):
    return (f"SELECT h, TIMESTAMP{zone} '{day(n)} 00:00:00' + s * INTERVAL '100 seconds', (h * 7 + s) % 100, (h + s * 3) % 1000 / 10.0"
            f" FROM generate_series(0, {hosts - 1}) a (h), generate_series(0, {STEPS - 1}) b (s)")


class Case:
    """A database with the rows, and ways to be rid of the oldest day: name and what does it."""

    def __init__(self, name, where):
        self.name = name
        self.where = where  # its files
        self.ways = []

    def count(self):
        raise NotImplementedError


class Served(Case):
    """On a server, table by table; each way has a table of its own."""

    def __init__(self, s, where):
        super().__init__(s.name, where)
        self.s = s

    def load(self, hosts):
        zone = "TZ" if isinstance(self.s, server.Postgres) else ""
        if isinstance(self.s, server.Postgres):
            self.tables_postgres()
        else:
            self.tables_dendro()
        for table in sorted({t for _, t, _ in self.ways}):
            for n in range(DAYS):
                sql(self.s, f"INSERT INTO {table} {rows_of(n, hosts, zone)}")
                if table == "shards" and n + 1 < DAYS:
                    sql(self.s, f"PUT COUNTER shards SET {n + 1}")
        sql(self.s, *(["VACUUM ANALYZE"] if zone else ["CHECKPOINT"]))

    def tables_postgres(self):
        cols = "(host int NOT NULL, time timestamptz NOT NULL, v1 float8, v2 float8, PRIMARY KEY (host, time))"
        sql(self.s, f"CREATE TABLE plain {cols}", f"CREATE TABLE parts {cols} PARTITION BY RANGE (time)")
        for n in range(DAYS):
            sql(self.s, f"CREATE TABLE parts_{n} PARTITION OF parts FOR VALUES FROM ('{day(n)}') TO ('{day(n + 1)}')")
        self.ways = [("DELETE", "plain", [f"DELETE FROM plain WHERE time < '{day(1)}'"]),
                     ("… and VACUUM", "plain", ["VACUUM plain"]),
                     ("DROP of a partition", "parts", ["DROP TABLE parts_0"])]

    def tables_dendro(self):
        cols = "(host INT NOT NULL, time TIMESTAMP NOT NULL, v1 DOUBLE, v2 DOUBLE, PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time))"
        sql(self.s, f"CREATE TABLE plain {cols}", f"CREATE TABLE whole {cols}",
            f"CREATE TABLE shards {cols} PARTITIONED BY MANUAL RETENTION {DAYS} START 1")
        self.ways = [("DELETE", "plain", [f"DELETE FROM plain WHERE time < '{day(1)}'"]),
                     ("DROP PARTITIONS", "whole", [f"ALTER TABLE whole DROP PARTITIONS WHERE time < '{day(1)}'"]),
                     ("rollout of a shard", "shards", [f"PUT COUNTER shards SET {DAYS}"])]

    def run(self, way):
        try:
            return sum(ask_timed(self.s, text) for text in way[2])
        except subprocess.CalledProcessError as e:
            if "syntax error" in e.stderr:
                return None
            raise RuntimeError(e.stderr) from e

    def rows(self, table):
        return int(ask(self.s, f"SELECT count(*) FROM {table}"))


class Sqlite(Case):
    def __init__(self, where):
        super().__init__("SQLite", where)
        self.db = sqlite3.connect(os.path.join(where, "bench.sqlite"), isolation_level=None)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")
        self.ways = [("DELETE", "plain", [f"DELETE FROM plain WHERE time < '{day(1)}'"])]

    def load(self, hosts):
        self.db.execute("CREATE TABLE plain (host INT NOT NULL, time TEXT NOT NULL, v1 REAL, v2 REAL, PRIMARY KEY (host, time)) WITHOUT ROWID")
        self.db.execute("BEGIN")
        for n in range(DAYS):
            times = [f"{day(n)} {s * 100 // 3600:02}:{s * 100 // 60 % 60:02}:{s * 100 % 60:02}" for s in range(STEPS)]
            self.db.executemany("INSERT INTO plain VALUES (?, ?, ?, ?)",
                                ((h, t, (h * 7 + s) % 100, (h + s * 3) % 1000 / 10) for h in range(hosts) for s, t in enumerate(times)))
        self.db.execute("COMMIT")
        self.db.execute("CREATE INDEX plain_time ON plain (time)")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def run(self, way):
        return timed(lambda: [self.db.execute(text) for text in way[2]])

    def rows(self, table):
        return self.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def drop_oldest(case, hosts):
    took = timed(lambda: case.load(hosts))
    print(f"{case.name}: {hosts * STEPS * DAYS:,} rows a table, loaded in {took:.1f} s, {size(case.where) / 1e6:.0f} MB", flush=True)
    for way in case.ways:
        took = case.run(way)
        if took is None:
            print(f"    {way[0]:24} not yet", flush=True)
            continue
        left = case.rows(way[1])
        if left != hosts * STEPS * (DAYS - 1):
            raise RuntimeError(f"{case.name}, {way[0]}: {left} rows are left")
        print(f"    {way[0]:24} {took * 1000:10.1f} ms", flush=True)


def copy_once(s, rows, rolls):
    """Seconds of a COPY, and how many rollouts came meanwhile."""
    stop, made = threading.Event(), 0

    def roll():
        nonlocal made
        psql = subprocess.Popen(["psql", "-X", "-q", s.conninfo], stdin=subprocess.PIPE, text=True)
        while not stop.wait(ROLL_SECONDS):
            psql.stdin.write("PUT COUNTER copied INCREMENT;\n")
            psql.stdin.flush()
            made += 1
        psql.stdin.close()
        psql.wait()

    sql(s, "CREATE TABLE copied (host INT NOT NULL, time TIMESTAMP NOT NULL, v1 DOUBLE, v2 DOUBLE, v3 DOUBLE, v4 DOUBLE,"
           " PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time)) PARTITIONED BY MANUAL RETENTION 100 START 0")
    thread = threading.Thread(target=roll)
    if rolls:
        thread.start()
    took = timed(lambda: sql(s, f"\\copy copied FROM '{rows}' (FORMAT csv)"))
    stop.set()
    if rolls:
        thread.join()
    left = int(ask(s, "SELECT count(*) FROM copied"))
    sql(s, "DROP TABLE copied", "DELETE FROM comdb2_logical_cron WHERE name = 'copied'")
    if left != server.SERIES * server.STEPS:
        raise RuntimeError(f"COPY beside rollouts: {left} rows are there")
    return took, made


def copy_beside(s, where):
    rows = server.rows_file(where)
    count = server.SERIES * server.STEPS
    plain, beside, made = [], [], 0
    for _ in range(5):  # in turn, so that noise hits both alike
        plain.append(copy_once(s, rows, False)[0])
        took, n = copy_once(s, rows, True)
        beside.append(took)
        made += n
    a, b = statistics.median(plain), statistics.median(beside)
    print(f"COPY of {count:,} rows into a time partition, median of 5: {count / a:,.0f} rows/s; with {made / 5:.0f} rollouts meanwhile"
          f" {count / b:,.0f} rows/s ({(a / b - 1) * 100:+.1f} %)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=1000, help=f"{DAYS * STEPS} rows each (1000: 26 M rows)")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "dendro"))
    parser.add_argument("--dir", default=None, help="where the databases are; a temporary directory")
    parser.add_argument("--only", choices=["dendro", "postgres", "sqlite", "copy"], action="append")
    args = parser.parse_args()
    where = tempfile.mkdtemp(prefix="bench-retention-", dir=args.dir)
    only = args.only or ["dendro", "postgres", "sqlite", "copy"]
    running = None
    try:
        for name in ("dendro", "postgres"):
            if name not in only and not (name == "dendro" and "copy" in only):
                continue
            running = server.Dendro(where, args.program) if name == "dendro" else server.Postgres(where)
            if name in only:
                drop_oldest(Served(running, running.dir if name == "dendro" else running.cluster.dir), args.hosts)
            if name == "dendro" and "copy" in only:
                copy_beside(running, where)
            running.stop()
            running = None
        if "sqlite" in only:
            drop_oldest(Sqlite(where), args.hosts)
    finally:
        if running:
            running.stop()
        shutil.rmtree(where, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

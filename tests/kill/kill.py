#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the real program in a loop.

Runs `dendro sql DIR` with INSERT statements on standard input, remembers those whose tag was printed, kills the
program at a random moment, and opens the directory again: every acknowledged statement must be
there, no statement may be there in part, and `dendro check` must find nothing. The statement that
was on its way may be there or not.

    kill.py PATH-TO-DENDRO        DENDRO_TEST_SECONDS: budget (10); DENDRO_TEST_SEED: of the choices
"""
import os
import random
import sys
import tempfile
import time

from session import Program, check, query

TABLES = [
    "CREATE TABLE IF NOT EXISTS riak (w INT NOT NULL, t TIMESTAMP NOT NULL, i INT NOT NULL, "
    "bn BIGINT, n INT, pad VARCHAR, PRIMARY KEY ((w, QUANTUM(t, 1, 'h')), w, t, i))",
    "CREATE TABLE IF NOT EXISTS cql (w INT, bn BIGINT, i INT, n INT, pad VARCHAR, "
    "PRIMARY KEY ((w), bn, i)) WITH CLUSTERING ORDER BY (bn DESC)",
    "CREATE TABLE IF NOT EXISTS range (t TIMESTAMP, i INT, bn BIGINT, n INT, pad VARCHAR, "
    "PRIMARY KEY (t, i)) WITH (upsert = 'field')",
    "CREATE TABLE IF NOT EXISTS bare (i INT, bn BIGINT, n INT, pad VARCHAR)",
]
NAMES = ["riak", "cql", "range", "bare"]
SETTINGS = ["memtable_size=64kB", "log_chunk_size=16kB"]  # flush, merge and roll all the time
KILLS_MIN = 4


class Batch:
    def __init__(self, table, rows):
        self.table = table
        self.rows = rows
        self.state = "sent"  # then acked, there or gone


class Run:
    def __init__(self, dendro, seed):
        self.dendro = dendro
        self.random = random.Random(seed)
        self.batches = []
        self.kills = 0
        self.made = False

    def insert(self):
        """The next statement and what it is to write."""
        number = len(self.batches)
        batch = Batch(self.random.randrange(4), self.random.choice([1, 1, 2, 5, 20, 100, 500]))
        self.batches.append(batch)
        pad = "x" * self.random.randrange(60)
        rows = []
        for i in range(batch.rows):
            time_ms = 1 + number + i * 7 * 3600 * 1000  # several quanta and slabs
            common = f"{number}, {batch.rows}, '{pad}'"
            rows.append([f"({i % 5}, {time_ms}, {i}, {common})", f"({i % 5}, {number}, {i}, "
                         f"{batch.rows}, '{pad}')", f"({time_ms}, {i}, {common})",
                         f"({i}, {common})"][batch.table])
        return f"INSERT INTO {NAMES[batch.table]} VALUES " + ", ".join(rows)

    def script(self):
        """Statements for one life, and what each of them is."""
        statements = list(TABLES)
        kinds = [("create", None)] * len(TABLES)
        for _ in range(self.random.choice([20, 100, 300])):
            if self.random.random() < 0.08:
                statements.append("CHECKPOINT")
                kinds.append(("checkpoint", None))
            else:
                statements.append(self.insert())
                kinds.append(("insert", self.batches[-1]))
        return statements, kinds

    def answer(self, line, kind, batch):
        if kind == "create" and line == "CREATE TABLE":
            return
        if kind == "checkpoint" and line == "CHECKPOINT":
            return
        if kind == "insert" and line == f"INSERT 0 {batch.rows}":
            batch.state = "acked"
            return
        raise AssertionError(f"{kind} answered with: {line}")

    def one_life(self, directory):
        statements, kinds = self.script()
        program = Program(self.dendro, directory, statements, SETTINGS)
        # Sometimes while it opens, mostly while it writes.
        lines = [program.line()] if self.random.random() < 0.8 else []
        alive = program.wait(self.random.choice([0.01, 0.1, 0.3, 0.6]) * self.random.random())
        program.kill()
        lines = [line for line in lines + program.rest() if not line.startswith("NOTICE")]
        if len(lines) > len(kinds) or (not alive and len(lines) < len(kinds)):
            raise AssertionError(f"{len(lines)} answers to {len(kinds)} statements")
        for line, (kind, batch) in zip(lines, kinds):
            self.answer(line, kind, batch)
        self.kills += alive
        # Until the last table is acknowledged there may not even be a volume.
        self.made = self.made or len(lines) >= len(TABLES)

    def verify(self, directory):
        if not self.made:
            return
        wrong = check(self.dendro, directory)
        if wrong:
            raise AssertionError("dendro check: " + wrong)
        for table, name in enumerate(NAMES):
            rows = query(self.dendro, directory,
                         f"SELECT bn, count(*), min(n), max(n) FROM {name} GROUP BY bn")
            seen = {int(row[0]): [int(value) for value in row[1:]] for row in rows}
            for number, batch in enumerate(self.batches):
                if batch.table != table:
                    continue
                count, low, high = seen.pop(number, [0, batch.rows, batch.rows])
                what = f"statement {number} ({name}, {batch.rows} rows, {batch.state})"
                if count not in (0, batch.rows) or low != batch.rows or high != batch.rows:
                    raise AssertionError(f"{what}: {count} rows are there")
                if count == 0 and batch.state in ("acked", "there"):
                    raise AssertionError(f"{what} is lost")
                if count and batch.state == "gone":
                    raise AssertionError(f"{what} has come back")
                batch.state = "there" if count else "gone"
            if seen:
                raise AssertionError(f"{name}: rows that nobody wrote: {sorted(seen)[:5]}")
        wrong = check(self.dendro, directory)
        if wrong:
            raise AssertionError("dendro check after opening: " + wrong)


def main():
    seconds = float(os.environ.get("DENDRO_TEST_SECONDS") or 10)
    seed = int(os.environ.get("DENDRO_TEST_SEED") or time.time_ns() % 1000000)
    end = time.monotonic() + seconds
    total = kills = acked = 0
    # On a slow machine it takes longer rather than proving less.
    while kills < KILLS_MIN or time.monotonic() < end:
        run = Run(sys.argv[1], seed + total)
        with tempfile.TemporaryDirectory(prefix="dendro-kill-") as base:
            directory = os.path.join(base, "db")
            try:
                # A fresh directory after some lives: the first one counts too.
                for _ in range(12):
                    run.one_life(directory)
                    run.verify(directory)
                    if time.monotonic() >= end and kills + run.kills >= KILLS_MIN:
                        break
            except (AssertionError, RuntimeError) as error:
                print(f"seed {seed + total}, kill {run.kills}: {error}")
                return 1
        total += 1
        kills += run.kills
        acked += sum(b.state == "there" for b in run.batches)
    print(f"{kills} kills, {acked} statements survived them, seeds {seed} to {seed + total - 1}")
    return 0 if acked > 0 else 1


if __name__ == "__main__":
    sys.exit(main())

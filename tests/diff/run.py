#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random statements on Dendro and on PostgreSQL 15, plain ones on SQLite too; results compared.

usage: run.py DENDRO [--blocks] [--seed N] [--rounds N] [--seconds N] [--keep-going] [--show]

With --blocks: sequences of statements instead, in sessions of a hundred, between which the database is closed and opened.
A round is one seed: new tables, the same rows in both, some dozens of statements. A difference prints the seed and
both statements, and ends the run with exit code 1. Exit code 77 (skipped, for meson): no PostgreSQL 15 here."""
import argparse
import os
import random
import re
import shutil
import sys
import tempfile
import time

import blocks
import compare
import kinds  # noqa: F401 (rules)
import more  # noqa: F401 (shapes)
import pg
import plain
import queries
import schema
import sides
import values

STATEMENTS = 80
PLAIN = 60
VALUES = 200
SESSIONS = 3
# Where one of several equal values is taken, 1.5 or 1.50, which it is depends on the plan.
ONE_OF_EQUALS = re.compile(r"\b(DISTINCT|GROUP BY|ORDER BY|UNION|INTERSECT|EXCEPT|LIMIT|FETCH|USING|min|max|OVER)\b")


def round_statements(seed):
    rng = random.Random(seed)
    statements, tables = [], []
    for name, sizes in (("t1", [0, 5, 40, 40, 40, 300, 300, 2500]), ("t2", [0, 5, 40, 40, 300]), ("t3", [3, 8, 15]), ("t4", [0, 1, 5, 12])):
        table, pairs = schema.make(rng, name, rng.choice(sizes))
        tables.append(table)
        statements += [queries.Statement(d, p, []) for d, p in pairs]
    g = queries.Gen(rng, tables)
    for _ in range(STATEMENTS):
        statements.append(g.statement())
        if rng.randrange(20) == 0:
            statements.append(queries.Statement("CHECKPOINT", "SELECT 1 WHERE false", []))
    for t in tables:
        kinds = [kind for kind, _ in t.columns]
        statements.append(queries.Statement(f"SELECT * FROM {t.name}", f"SELECT * FROM {t.name}", kinds))
    return statements


def run_round(seed, dendro_path, cluster, show):
    """Differences of one seed, as texts."""
    statements = round_statements(seed)
    directory = tempfile.mkdtemp(prefix="dendro-diff-")
    try:
        dendro = sides.Dendro(dendro_path, os.path.join(directory, "db"))
        cut = len(statements) // 2  # the second half on a database that was closed and opened
        got = dendro.run([s.d for s in statements[:cut]]) + dendro.run([s.d for s in statements[cut:]])
        reset = ["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"]
        want = sides.Postgres(cluster).run(reset + [s.p for s in statements])[len(reset):]
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    found, failed = [], 0
    for s, a, b in zip(statements, got, want):
        if show:
            print(f"{s.d};\n-- {a.sqlstate or len(a.rows)} {b.sqlstate or len(b.rows)}")
        failed += bool(a.sqlstate)
        shown = s.kinds if ONE_OF_EQUALS.search(s.d) else ["digits" if k == "num" else k for k in s.kinds]
        difference = compare.difference(shown, s.ordered, a, b)
        if difference:
            found.append(f"seed {seed}: {difference}\n  Dendro:     {s.d};\n  PostgreSQL: {s.p};")
    return found, len(statements), failed


def run_plain(seed, dendro_path, show):
    """The same for plain queries, against SQLite."""
    rng = random.Random(f"plain {seed}")
    start = plain.tables(rng)
    g = plain.Plain(rng)
    statements = start + [g.statement() for _ in range(PLAIN)]
    directory = tempfile.mkdtemp(prefix="dendro-diff-")
    try:
        got = sides.Dendro(dendro_path, os.path.join(directory, "db")).run(statements)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    found = []
    for s, a, b in zip(statements, got, plain.Sqlite().run(statements)):
        if show:
            print(f"{s};\n-- {a.sqlstate or len(a.rows)} {'refused' if b is None else len(b)}")
        difference = plain.difference(a, b)
        if difference:
            found.append(f"seed {seed}: {difference}\n  {s};")
    return found, len(statements)


def run_values(seed, dendro_path, cluster, show):
    """The same for expressions without tables."""
    g = values.Values(random.Random(f"values {seed}"))
    statements = [g.statement() for _ in range(VALUES)]
    directory = tempfile.mkdtemp(prefix="dendro-diff-")
    try:
        got = sides.Dendro(dendro_path, os.path.join(directory, "db")).run([s for _, s in statements])
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    found = []
    for (kind, s), a, b in zip(statements, got, sides.Postgres(cluster).run([s for _, s in statements])):
        if show:
            print(f"{s};\n-- {a.sqlstate or a.rows} {b.sqlstate or b.rows}")
        difference = values.difference(kind, a, b)
        if difference:
            found.append(f"seed {seed}: {difference}\n  {s};")
    return found, len(statements)


def run_blocks(seed, dendro_path, cluster, show):
    """Sequences of statements: the first difference of a seed, as what follows would differ, too."""
    g = blocks.Blocks(random.Random(f"blocks {seed}"))
    directory = tempfile.mkdtemp(prefix="dendro-diff-")
    count, failed = 0, 0
    try:
        dendro = sides.Dendro(dendro_path, os.path.join(directory, "db"))
        sides.Postgres(cluster).run([f"DROP SCHEMA IF EXISTS {s} CASCADE" for s in ("public", "n0", "n1")] +
                                    ["CREATE SCHEMA public"])
        for n in range(SESSIONS):
            statements, want = [], []
            with sides.Session(cluster) as postgres:
                for _ in range(blocks.SESSION):
                    statements.append(g.statement())
                    want.append(postgres.run(statements[-1]))
                    g.answered(want[-1].sqlstate)
            g.new_session()
            try:
                got = dendro.run(statements, echo=True)
            except RuntimeError as error:
                return [f"seed {seed}, session {n + 1}: {error}"], count, failed
            for i, (s, a, b) in enumerate(zip(statements, got, want)):
                if show:
                    print(f"{s};\n-- {a.sqlstate or a.rows} {b.sqlstate or b.rows}")
                count, failed = count + 1, failed + bool(b.sqlstate)
                difference = blocks.difference(s, a, b)
                if difference:
                    past = "".join(f"    {line};\n" for line in statements[max(0, i - 25):i])
                    return [f"seed {seed}, session {n + 1}: {difference}\n{past}  {s};"], count, failed
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return [], count, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dendro")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DENDRO_TEST_SEED") or 0))
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("DENDRO_TEST_SECONDS") or 0))
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--blocks", action="store_true", help="sequences of statements only")
    args = parser.parse_args()
    if not pg.bin_dir():
        print(f"PostgreSQL {pg.VERSION} is not installed; ./dev deps test installs it")
        return 77
    args.seconds = args.seconds or (20 if args.blocks else 10)
    first = args.seed or 1
    seed, total, failed, found = first, 0, 0, []
    with pg.Cluster() as cluster:
        end = time.monotonic() + args.seconds
        while seed == first or (not args.seed and time.monotonic() < end) or seed - first < args.rounds:
            program = os.path.abspath(args.dendro)
            if args.blocks:
                some, count, bad = run_blocks(seed, program, cluster, args.show)
            else:
                some, count, bad = run_round(seed, program, cluster, args.show)
                more, plain_count = run_plain(seed, program, args.show)
                third, values_count = run_values(seed, program, cluster, args.show)
                some, count = some + more + third, count + plain_count + values_count
            total, failed, seed = total + count, failed + bad, seed + 1
            found += some
            for text in some:
                print(text, flush=True)
            if some and not args.keep_going:
                break
    print(f"{seed - first} seeds, {total} statements, {failed} of them errors in both, {len(found)} differences")
    if failed * (2 if args.blocks else 5) > total:
        print("too many of the statements failed: the generator proves nothing")
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

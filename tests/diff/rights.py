#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may do what: every kind of statement, every function and every system relation, as a role without rights, with each right alone and with pairs of them, on
Dendro and on PostgreSQL 15. Both must refuse the same (SQLSTATE 42501); what PostgreSQL does not have is compared
with what rights_cases.py says.

usage: rights.py DENDRO SRC [--only WORD] [--show]

SRC is src/: a kind of statement of sql/stmt_list.h that has no case fails the test, and so does a function of pg_proc that
rights_functions.py does not know. Without PostgreSQL 15 its part is left out
and the rest is run."""
import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pg
import rights_functions
from rights_cases import CASES, RIGHTS, SAME, SETUP, VALUE, Needs

MARK = "@@done "
DENIED = "42501"
NO_TABLE = "42P01"
# Tables that PostgreSQL does not have; behind the setup that both have.
OWN_SETUP = [
    "CREATE TABLE m (h VARCHAR, ts TIMESTAMP, PRIMARY KEY ((h, QUANTUM(ts, 1, 'd')), ts))",
    "INSERT INTO m VALUES ('a', '2024-01-01 00:00:00')",
    "CREATE TABLE base (k INT, d INT)",
    "CREATE TIME PARTITION ON base AS tpd PERIOD 'daily' RETENTION 3 START '2030-01-01'",
    "CREATE TABLE based (k INT, d INT)",
    "CREATE TIME PARTITION ON based AS tpm PERIOD 'manual' RETENTION 3 START 1",
]
# Rights that do not mix with others: they are tried alone.
ALONE = re.compile(r"TRUNCATE|REFERENCES|TRIGGER|pg_|owner")


def kinds(path):
    text = open(path, encoding="utf-8").read()
    return re.findall(r"^SQL_STMT\((\w+),", text, re.M)


def objects(sql):
    """Which of RIGHTS matter to it."""
    found = [name for name in ("t", "u", "v", "vs", "q", "s") if re.search(rf"(?<![.'])\b{name}(_a)?\b|'{name}(_a)?'", sql)]
    if re.search(r"CREATE (OR REPLACE )?(TABLE|VIEW|SEQUENCE|TYPE|INDEX) \w|INTO nt|mood|RENAME TO", sql):
        found.append("public")
    if "REFERENCES t" in sql:
        found.append("refers")
    if re.search(r"CREATE SCHEMA|DATABASE|has_database", sql):
        found.append("database")
    if re.search(r"SHOW \w+$|current_setting|set_config|pg_settings", sql):
        found.append("settings")
    if re.search(r"pg_stat|pg_\w+_size|pg_has_role", sql):
        found.append("stats")
    if "/nonexistent/file" in sql:
        found.append("files")
    if "CHECKPOINT" in sql:
        found.append("checkpoint")
    return tuple(found)


def right_sets(names):
    """All sets of rights to try for the objects: none, each, pairs; with `u` each of them with rights on it, too."""
    mine = list(dict.fromkeys(r for n in names if n != "u" for r in RIGHTS[n]))
    mixing = [r for r in mine if not ALONE.search(r)]
    sets = [()] + [(r,) for r in mine] + list(itertools.combinations(mixing, 2))
    if "u" in names:
        sets = [s + more for s in sets for more in [()] + [(r,) for r in RIGHTS["u"]]]
    return sets


def grant_text(right, give):
    owner = re.match(r"owner of (\w+)", right)
    if owner:
        return f"ALTER TABLE {owner.group(1)} OWNER TO {'alice' if give else 'dendro'}"
    return f"GRANT {right} TO alice" if give else f"REVOKE {right} FROM alice"


def expected(need, given, sql):
    """What Needs says: True: allowed."""
    for right in need.rights:
        if right == "none":
            return True
        if right == "any":
            name = objects(sql)[0]
            if any(re.search(rf"(ON|of|SEQUENCE) {name}$", g) or (name != "q" and g == "pg_read_all_data")
                   or (name != "q" and g == "pg_write_all_data") for g in given):
                return True
        elif all(part in given for part in right.split(" + ")):
            return True
    return False


class Dendro:
    database = "dendro"

    def __init__(self, program, directory):
        self.program, self.directory = program, directory

    def run(self, statements):
        """Of each: its first SQLSTATE (None: it went well) and its value."""
        script = "".join(f"{s};\nSELECT '{MARK}{i}';\n" for i, s in enumerate(statements))
        done = subprocess.run([self.program, "sql", self.directory, "-q", "--format", "tsv", "--no-header"],
                              input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = done.stdout.decode("utf-8", "replace")
        return list(zip(parse(text, len(statements), done.returncode), values(text)))

    def ask(self, sql):
        done = subprocess.run([self.program, "sql", self.directory, "-q", "--format", "tsv", "--no-header", "-c", sql],
                              stdout=subprocess.PIPE, check=True)
        return set(done.stdout.decode().split())


class Postgres:
    database = "postgres"

    def __init__(self, cluster):
        self.cluster = cluster

    def run(self, statements):
        script = "".join(f"{s};\n\\warn {MARK}{i}\n\\echo {MARK}{i}\n" for i, s in enumerate(statements))
        done = subprocess.run([os.path.join(self.cluster.bin, "psql"), "-X", "-q", "-At", "-v", "VERBOSITY=sqlstate", "-h",
                               self.cluster.dir, "-U", "dendro", "-d", "postgres"], input=script, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        return list(zip(parse(done.stderr, len(statements), done.returncode), values(done.stdout)))


def parse(text, count, code):
    outcomes, state = [], None
    for line in text.split("\n"):
        error = re.search(r"ERROR:  (\w{5})\b", line)
        if line.startswith(MARK):
            outcomes.append(state)
            state = None
        elif error and not state:
            state = error.group(1)
    if len(outcomes) != count:
        raise RuntimeError(f"{len(outcomes)} of {count} statements were answered, exit code {code}:\n{text[-3000:]}")
    return outcomes


def values(text):
    """Of each statement the text that it returned to be compared."""
    found, value = [], None
    for line in text.split("\n"):
        if line.startswith(MARK):
            found.append(value)
            value = None
        elif line.startswith(VALUE):
            value = line
    return found


def script_of(work, database, own):
    """Statements of one run, and which of them are (case, rights) to look at."""
    statements, places = [s.format(database=database) for s in SETUP + (OWN_SETUP if own else [])], {}
    for given, cases in work.items():
        statements += [grant_text(r, True).format(database=database) for r in given]
        for case in cases:
            text = case[1] if own or case[2] == SAME else case[2]
            end = "\n\\." if "FROM STDIN" in text else ""
            places[len(statements)] = (given, case)
            text = text.format(database=database)
            block = not text.startswith("!")
            statements.append(f"{'BEGIN; ' * block}SET ROLE alice; {text.lstrip('!')};{end}\n{'ROLLBACK; ' * block}RESET ROLE")
        statements += [grant_text(r, False).format(database=database) for r in given]
    return statements, places


def run_side(side, work, own):
    statements, places = script_of(work, side.database, own)
    outcomes, answers = side.run(statements), {}
    for i, outcome in enumerate(outcomes):
        if i in places:
            answers[places[i]] = outcome
        elif outcome[0]:
            raise RuntimeError(f"{statements[i]}: {outcome[0]}")
    return answers


def main():
    args = argparse.ArgumentParser()
    args.add_argument("dendro")
    args.add_argument("src")
    args.add_argument("--only", default="")
    args.add_argument("--show", action="store_true")
    args = args.parse_args()
    missing = sorted(set(kinds(os.path.join(args.src, "sql/stmt_list.h"))) ^ set(CASES))
    if missing:
        sys.exit(f"rights_cases.py and stmt_list.h differ in: {', '.join(missing)}")
    directory = tempfile.mkdtemp(prefix="dendro-rights-")
    try:
        compare(args, Dendro(os.path.abspath(args.dendro), os.path.join(directory, "db")))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def compare(args, dendro):
    work = {}
    more = rights_functions.cases(
        dendro.ask("SELECT DISTINCT proname FROM pg_proc"),
        dendro.ask("SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                   "WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')"),
        os.path.join(args.src, "system/pg_proc_list.h"))
    for kind, cases in (CASES | more).items():
        for sql, answer in cases:
            if args.only in sql:
                for given in right_sets(objects(sql)):
                    work.setdefault(given, []).append((kind, sql, answer))
    got = run_side(dendro, work, True)
    want, compared = {}, 0
    theirs = {g: [c for c in cases if not isinstance(c[2], Needs)] for g, cases in work.items()}
    if pg.bin_dir():
        with pg.Cluster() as cluster:
            want = run_side(Postgres(cluster), theirs, False)
    else:
        print("no PostgreSQL 15 here: only what Dendro alone has is compared")
    bad = {}
    for (given, case), (state, value) in got.items():
        theirs_value = None
        if isinstance(case[2], Needs):
            allowed = expected(case[2], given, case[1])
        elif (given, case) in want:
            allowed = want[given, case][0] != DENIED
            if not state and not want[given, case][0]:
                theirs_value = want[given, case][1]
            if want[given, case][0] == NO_TABLE and case[0].startswith("relation"):
                bad.setdefault(f"{case[0]}: PostgreSQL does not have it: RELATIONS of rights_functions.py", []).append("")
        else:
            continue
        compared += 1
        if args.show:
            print(f"{case[1]} | {', '.join(given) or 'no right'} | {state} {'allowed' if allowed else 'denied'}")
        if allowed != (state != DENIED):
            word = "refuses" if allowed else f"allows ({state or 'done'})"
            bad.setdefault(f"{case[0]}: {case[1]}: Dendro {word}", []).append(", ".join(given) or "no right")
        elif theirs_value is not None and theirs_value != value:
            bad.setdefault(f"{case[0]}: {case[1]}: {value}, PostgreSQL {theirs_value}", []).append(", ".join(given) or "no right")
    for what, rights in bad.items():
        print(f"{what} with {' | '.join(rights[:6])}{' …' if len(rights) > 6 else ''}")
    print(f"{compared} statements compared, {sum(map(len, bad.values()))} differ")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()

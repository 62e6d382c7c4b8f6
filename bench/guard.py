#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench quick`: how many instructions does a query take? A guard against slow creep that works on a busy machine.

Small tables of each shape of `./dev bench shapes` are loaded; then rows are asked under callgrind, which counts instructions,
and the counts are compared with bench/quick.json. A rise over 3% is named, one over 10% fails. Queries run on one thread
(workers = 1) and are counted from the call to the last row of the answer; each is asked once before. A load and a server are
counted as whole processes. `--update` writes the baseline; it holds for one compiler, and others skip the test (exit code 77)."""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(HERE, "shapes"))
sys.path.insert(1, HERE)
import clicks      # noqa: E402 pylint: disable=wrong-import-position
import cpu_set     # noqa: E402 pylint: disable=wrong-import-position
import keys        # noqa: E402 pylint: disable=wrong-import-position
import predicates  # noqa: E402 pylint: disable=wrong-import-position
import queries     # noqa: E402 pylint: disable=wrong-import-position
import series      # noqa: E402 pylint: disable=wrong-import-position
import tpch        # noqa: E402 pylint: disable=wrong-import-position

BASELINE = os.path.join(HERE, "quick.json")
NAMED, FAILS = 0.03, 0.10
SKIP = 77
HOSTS, STEP_S = 8, 120  # over three days, which the draws of queries are from
ASKED, MORE = 3, 7      # times; the first is not counted, the least of the others is: the heap may be tidied in one of them
SHORT_MS = 200          # of processor time under callgrind: a row that takes less is asked more often, since little tilts it
ONE_THREAD = "workers=1"
# Nothing changes the files while rows are counted: no merge in the background, at whatever time.
COUNTED = ["read_only=on", ONE_THREAD]
# Callgrind counts what the thread does that runs this function of qbench, and writes a file each time it returns.
COUNT_QUERIES = ["--toggle-collect=do_query", "--dump-after=do_query"]


class Group:
    """One database: how its tables are filled, and the rows that are asked of it."""

    def __init__(self, name, tables, sources, rows, late=False):
        self.name, self.tables, self.sources, self.rows, self.late = name, tables, sources, rows, late


def chosen(rows, names):
    by_name = {q.name: q for q in rows}
    return [by_name[n] for n in names.split()]


def cpu_group(name, rows, hosts=HOSTS, ident=False, late=False, **table):
    words = ["gen", "cpu", "--hosts", str(hosts), "--step", str(STEP_S)] + (["--id", "1"] if ident else [])
    columns = [("id", "bigint")] + cpu_set.COLUMNS if ident else cpu_set.COLUMNS
    return Group(name, [cpu_set.cpu_table(columns, **table), cpu_set.tags_table()],
                 {"cpu": words, "tags": ["gen", "tags", "--hosts", str(hosts)]}, rows, late)


def groups():
    cpu = cpu_set.cpu_rows()
    every_host = chosen(cpu, "count-all sum-one groupby-host lastpoint newest-10")
    out = [
        cpu_group("late", every_host, late=True),
        Group("series", [series.table()], {"reading": ["gen", "series", "--hosts", "4000", "--rows", "5"]},
              chosen(series.rows(4000, 5), "count window-2m lastpoint distinct sum by-minute point top-n by-tag")),
        cpu_group("predicates", chosen(predicates.ROWS, "sum-above two-equalities top-10-by-sum distinct-metric group-two-metrics group-floor "
                                       "sum-expression case-sum like-prefix or in-metrics")),
        Group("tpch", [tpch.table_of(t, True) for t in tpch.COLUMNS], {t: ["gen_tpch", t, "--sf", "0.003"] for t in tpch.COLUMNS},
              chosen(tpch.rows(0.003), "q1 q3 q4 q6 q9 q13 q16 q18 q21")),
        Group("clicks", [clicks.table(False)], {"hits": ["gen_clicks", "--rows", "10000", "--users", "2000"]},
              chosen(clicks.QUERIES, "q0 q4 q8 q12 q16 q20 q28 q33 q41")),
        cpu_group("cpu", chosen(cpu, "single-groupby-1-1-1 cpu-max-all-8 double-groupby-5 high-cpu-all join-tags distinct-on-host "
                                "lag-by-host p95-by-host point-lookup range-1h")),
        cpu_group("growth", chosen(cpu, "sum-one groupby-host point-lookup range-1h"), hosts=3 * HOSTS),
    ]
    for variant, (key, not_null, _, _) in keys.VARIANTS.items():
        out.append(cpu_group(f"keys-{variant}", every_host, ident=True, key=key, not_null=not_null))
    return out


# ---- running ----

class Bench:
    def __init__(self, options, home):
        self.build, self.home = options.build, home

    def program(self, name):
        return os.path.join(self.build, os.path.join("src", "bin", name) if name == "dendro" else os.path.join("bench", name))

    def data(self, group, table):
        path = os.path.join(self.home, f"{group.name}-{table.name}.csv")
        words = group.sources[table.name]
        with open(path, "wb") as f:
            subprocess.run([self.program(words[0]), *words[1:]], stdout=f, check=True)
        return path

    def words(self, database, settings):
        """The library lies under whatever names the build gave it; the longest is the file."""
        library = max(glob.glob(os.path.join(self.build, "src", "engine", "libdendro.so*[!p]")), key=len)
        return [self.program("qbench"), "dendro", library, database, *settings]

    def qbench(self, database, requests):
        """Runs requests, not counted; the answers must all be good."""
        words = self.words(database, [ONE_THREAD])
        text = "".join("\t".join(r) + "\n" for r in requests)
        done = subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        answers = [json.loads(l) for l in done.stdout.splitlines() if l.startswith("{")]
        bad = [a for a in answers if not a["ok"]]
        if done.returncode != 0 or bad or len(answers) != len(requests) + 1:
            raise SystemExit(f"quick: {' '.join(words)}: {bad or done.stderr[-500:]}")

    def fill(self, group, database):
        """Tables and rows, not counted."""
        requests, late_rows = [("query", t.create("dendro")[0]) for t in group.tables], []
        for table in group.tables:
            path = self.data(group, table)
            if group.late and table is group.tables[0]:
                path, late_rows = self.split(path)
            requests.append(("query", f"COPY {table.name} FROM '{path}' (FORMAT csv, HEADER)"))
        requests.append(("query", "CHECKPOINT"))
        # Late rows stay where they come to first: in the memtable, and in the log for the next process.
        self.qbench(database, requests + [("query", f"COPY cpu FROM '{p}' (FORMAT csv, HEADER)") for p in late_rows])

    def split(self, path):
        """The file without a twentieth of its rows, and a list of one file with these rows and as many others again."""
        on_time, behind = path + ".on-time", path + ".late"
        with open(path, encoding="utf-8") as f, open(on_time, "w", encoding="utf-8") as a, open(behind, "w", encoding="utf-8") as b:
            for number, line in enumerate(f):
                if number == 0 or number % 20 != 7:
                    a.write(line)
                if number == 0 or number % 20 in (7, 13):
                    b.write(line)
        return on_time, [behind]

    def count_rows(self, group):
        """{row: instructions}"""
        database, out = os.path.join(self.home, group.name), os.path.join(self.home, group.name + ".count")
        self.fill(group, database)
        words = callgrind(out) + COUNT_QUERIES + self.words(database, COUNTED)
        asked, process = [], subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        with process:
            self.answer(process, group.name)
            for q in group.rows:
                text = " ".join(queries.forms(q, "dendro", HOSTS, 0)[0].split())
                times = ASKED
                while times > 0:
                    print(f"query\t{text}", file=process.stdin, flush=True)
                    answer = self.answer(process, text)
                    asked.append(q.name)
                    times -= 1
                    if times == 0 and asked.count(q.name) == ASKED and answer["cpu_ms"] < SHORT_MS:
                        times = MORE
            process.stdin.close()
        counts = {}
        for number, name in enumerate(asked):
            counts.setdefault(name, []).append(total(f"{out}.{number + 1}"))
        return {f"{group.name}/{name}": min(c[1:]) for name, c in counts.items()}

    @staticmethod
    def answer(process, what):
        line = process.stdout.readline()
        answer = json.loads(line) if line else {"ok": False}
        if not answer["ok"]:
            raise SystemExit(f"quick: {what}: {answer.get('error', 'the process ended')}")
        return answer

    def count_import(self):
        """A load, as a whole process."""
        group = cpu_group("load", [])
        database, out = os.path.join(self.home, "load"), os.path.join(self.home, "load.count")
        self.qbench(database, [("query", group.tables[0].create("dendro")[0])])
        words = [self.program("dendro"), "import", "--set", ONE_THREAD, database, "cpu", self.data(group, group.tables[0])]
        subprocess.run(callgrind(out) + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return {"load/import": total(out)}

    def count_server(self):
        """A server that gives a large answer and is stopped, as a whole process."""
        group = cpu_group("wire", [])
        database, out = os.path.join(self.home, "wire"), os.path.join(self.home, "wire.count")
        self.fill(group, database)
        words = [self.program("dendro"), "serve", "--data", database, "--set", ONE_THREAD, "--pg-port", "any", "--http-port", "any"]
        server = subprocess.Popen(callgrind(out) + words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = re.search(r"port (\d+):", server.stdout.readline()).group(1)
            sql = "SELECT * FROM cpu"
            done = subprocess.run([self.program("qbench"), "pg", "libpq.so.5", f"host=127.0.0.1 port={port} user=dendro dbname=dendro"],
                                  input=f"query\t{sql}\n" * 3, stdout=subprocess.PIPE, text=True, check=True)
            if done.stdout.count('"ok": true') != 4:
                raise SystemExit(f"quick: wire: {done.stdout}")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
        return {"wire/all-rows": total(out)}


def callgrind(out):
    return ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}"]


def total(path):
    """Instructions of one file that callgrind wrote."""
    count = 0
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as f:
            count = sum(int(l.split(":")[1]) for l in f if l.startswith("totals:"))
    if count == 0:
        raise SystemExit(f"quick: callgrind counted nothing in {os.path.basename(path)}")
    return count


def compiler(build):
    """What the counts depend on besides the code."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        name = json.load(f)[0]["command"].split()
    name = next(w for w in name if "ccache" not in w)
    version = subprocess.run([name, "-dumpfullversion", "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = set(next((l for l in f if l.startswith("flags")), "").split())
    return f"{os.path.basename(name)} {version}, {os.uname().machine}{' avx2' if 'avx2' in flags else ''}"


def count_all(options):
    home = tempfile.mkdtemp(prefix="bench-quick-", dir=options.dir)
    try:
        bench = Bench(options, home)
        jobs = [lambda g=g: bench.count_rows(g) for g in groups() if not options.only or g.name in options.only]
        if not options.only or "load" in options.only:
            jobs.append(bench.count_import)
        if not options.only or "wire" in options.only:
            jobs.append(bench.count_server)
        counts = {}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for part in pool.map(lambda job: job(), jobs):
                counts.update(part)
        return counts
    finally:
        shutil.rmtree(home, ignore_errors=True)


def compare(counts, baseline):
    """Prints the table; the number of rows that fail."""
    bad = 0
    print(f"{'row':<34}{'baseline':>14}{'now':>14}{'change':>9}")
    for name, now in counts.items():
        old = baseline.get(name)
        change = now / old - 1 if old else None
        mark = "new" if change is None else "FAILS" if change > FAILS else "risen" if change > NAMED else "fallen" if change < -NAMED else ""
        bad += mark == "FAILS"
        print(f"{name:<34}{old or 0:>14,}{now:>14,}{'' if change is None else f'{change:>+8.1%}'}  {mark}")
    return bad


def main():
    parser = argparse.ArgumentParser(prog="./dev bench quick", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--only", type=lambda t: t.split(","), help="groups, with commas between")
    parser.add_argument("--jobs", type=int, default=1, help="groups at once (1); counts do not depend on it")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--dir", default=None, help="where databases are; a temporary directory")
    parser.add_argument("--repeat", action="store_true", help="count twice and compare the two: are the counts repeatable?")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    os.environ.update(TZ="UTC", LC_ALL="C")
    for name in ("MALLOC_PERTURB_", "GLIBC_TUNABLES"):  # meson sets the first for every test, and filling memory counts
        os.environ.pop(name, None)
    if not shutil.which("valgrind"):
        print("quick: valgrind is not installed")
        sys.exit(SKIP)
    machine = compiler(options.build)
    old = {"machine": None, "counts": {}}
    if os.path.exists(BASELINE):
        with open(BASELINE, encoding="utf-8") as f:
            old = json.load(f)
    if not options.update and not options.repeat and old["machine"] != machine:
        print(f"quick: the baseline is for {old['machine']}, and this is {machine}")
        sys.exit(SKIP)
    counts = count_all(options)
    if options.repeat:
        old["counts"] = counts
        counts = count_all(options)
    bad = compare(counts, old["counts"])
    if options.update:
        with open(BASELINE, "w", encoding="utf-8") as f:
            json.dump({"machine": machine, "counts": {**(old["counts"] if options.only else {}), **counts}}, f, indent=1)
            f.write("\n")
        print(f"quick: wrote {os.path.relpath(BASELINE, ROOT)}")
        return
    if bad:
        print(f"quick: {bad} rows take over {FAILS:.0%} more instructions. If that is the price of something, write the baseline anew: "
              "./dev bench quick --update")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

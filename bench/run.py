#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dendro against DuckDB and SQLite: the same data, the same questions, on this machine, now.

Makes the data, loads it into every peer, asks every query of all peers in turn (so that noise hits all
alike), checks that the answers are equal, and prints times and ratios. `./dev bench` builds what it needs
and calls it. Figures go to bench/results/SCALE.json and .md."""
import argparse
import datetime
import hashlib
import inspect
import json
import os
import platform
import statistics
import subprocess
import sys
import time

import compare
import peers as peers_
import queries
import report

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCALES = {  # data set, hosts, decimals of the metrics
    "t": ("cpu", 10, 0),
    "s": ("cpu", 100, 0),
    "d": ("cpu", 100, 2),
    "b": ("cpu", 1000, 0),
    "geo": ("geo", 0, 0),
}
GEO_ROWS = 5000000
ROWS_PER_HOST = queries.DAYS * 8640

DRAWS_MIN, DRAWS_MAX = 5, 30
BUDGET_MS = 1000   # a peer gets more than DRAWS_MIN draws only while it has taken less
SLOW_MS = 5000     # a peer that takes longer for the first draw gets one timed draw only
TIMEOUT_S = 300    # then its process is ended and the query counts as failed
CHECK_ROWS = 50000 # larger answers are compared for the first draw only
NOT_YET = {"42601", "42883", "0A000"}  # syntax, function, feature that Dendro does not have


def say(text):
    print(f"== {text}", flush=True)


class Scale:
    def __init__(self, name, options):
        self.name = name
        self.data, self.hosts, self.decimals = SCALES[name]
        self.rows = GEO_ROWS if self.data == "geo" else self.hosts * ROWS_PER_HOST
        self.home = os.path.join(options.data, name)

    def files(self):
        """{table: (path, arguments of gen)}"""
        path = lambda table: os.path.join(self.home, table + ".csv")
        if self.data == "geo":
            return {"GeoCheckin": (path("GeoCheckin"), ["geo", "--rows", str(self.rows)])}
        hosts = ["--hosts", str(self.hosts)]
        return {"cpu": (path("cpu"), ["cpu", *hosts, "--decimals", str(self.decimals)]),
                "tags": (path("tags"), ["tags", *hosts])}

    def generate(self, build):
        os.makedirs(self.home, exist_ok=True)
        for path, arguments in self.files().values():
            if not os.path.exists(path):
                say(f"generating {os.path.relpath(path, ROOT)} ({self.rows} rows)")
                with open(path + ".new", "wb") as f:
                    subprocess.run([os.path.join(build, "bench", "gen"), *arguments], stdout=f, check=True)
                os.rename(path + ".new", path)


# ---- loading ----

def settings_of(peer, options):
    return options.set if peer.name == "dendro" else []


def fingerprint(scale, peer, settings):
    """A database is loaded anew when the library, its settings, the tables or the way to load have changed."""
    tables = [queries.create_table(peer.name, t, columns) for t, columns in peers_.TABLES[scale.data]]
    library = b""
    if peer.name == "dendro":
        with open(peer.library, "rb") as f:
            library = f.read()
    text = repr((peer.library, settings, tables, inspect.getsource(type(peer))))
    return hashlib.sha256(text.encode() + library).hexdigest()


def load(scale, peer, options):
    """Figures of the load, of this run or of the one that left the database."""
    home = os.path.join(scale.home, peer.name)
    note = home + ".json"
    mark = fingerprint(scale, peer, settings_of(peer, options))
    if not options.reload and os.path.exists(note):
        with open(note, encoding="utf-8") as f:
            figures = json.load(f)
        if figures["mark"] == mark:
            figures["fresh"] = False
            return figures
    say(f"loading {peer.label}, {scale.rows} rows")
    if os.path.exists(note):
        os.remove(note)
    figures = peer.load(home, scale.data, {t: p for t, (p, _) in scale.files().items()}, settings_of(peer, options))
    figures.update(rows=scale.rows, rows_per_s=scale.rows / figures["seconds"],
                   bytes_per_row=figures["bytes"] / scale.rows, mark=mark,
                   date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"))
    with open(note, "w", encoding="utf-8") as f:
        json.dump(figures, f, indent=1)
    print(f"   {figures['rows_per_s'] / 1e3:.0f} krows/s, {figures['bytes_per_row']:.1f} bytes/row", flush=True)
    figures["fresh"] = True
    return figures


# ---- asking ----

class Session:
    """A peer with its database open; started anew when it broke."""

    def __init__(self, peer, scale, settings):
        self.peer, self.scale, self.settings = peer, scale, settings
        self.home = os.path.join(scale.home, peer.name)
        self.peak = self.result_bytes = 0
        self.client = peer.client(self.home, settings)
        self.version = self.client.version

    def ask(self, *words, timeout=TIMEOUT_S):
        try:
            return self.client.ask(*words, timeout=timeout)
        except peers_.Failed as e:
            if e.code in ("crash", "timeout"):
                self.client.end(kill=True)
                self.client = self.peer.client(self.home, self.settings)
            raise

    def answer_path(self):
        return self.home + ".answer"

    def end(self):
        usage = self.client.ask("usage")
        self.result_bytes = usage["result"]
        self.client.end()
        self.peak = usage["rss"]

    def choose(self, query):
        """The warm-up: (index of the form that works, its answer)."""
        texts = queries.forms(query, self.peer.name, self.scale.hosts, 0)
        failed = None
        for i, text in enumerate(texts):
            try:
                return i, self.ask("query", text)
            except peers_.Failed as e:
                if failed is None or failed.code in NOT_YET:
                    failed = e
        if failed is None:
            failed = peers_.Failed("none", "no text for it in this dialect")
        raise failed


def check_rows(session, scale):
    table = "GeoCheckin" if scale.data == "geo" else "cpu"
    session.ask("query", f"SELECT count(*) FROM {table}")
    session.ask("write", session.answer_path())
    rows, _ = compare.read(session.answer_path())
    if rows != [[scale.rows]]:
        raise SystemExit(f"bench: {session.peer.label} holds {rows} rows instead of {scale.rows}; try --reload")


def compare_answers(sessions, query):
    """{peer: difference to the first of the others}; empty if all are equal."""
    if len(sessions) < 2:
        return {}
    for s in sessions:
        s.ask("write", s.answer_path())
    found = {}
    judge = next((s for s in sessions if s.peer.name != "dendro"), sessions[0])
    for s in sessions:
        if s is not judge:
            text = compare.difference(s.answer_path(), judge.answer_path(), query.ordered)
            if text:
                found[s.peer.name] = f"not what {judge.peer.label} answers: {text}"
    for s in sessions:
        os.remove(s.answer_path())
    return found


def measure(query, sessions):
    """{peer: {"times": [...], "cpu": [...], "rows": n} or {"failed": code, "error": text}}; answers are
    compared."""
    out, form, first = {}, {}, {}
    for s in sessions:
        try:
            form[s], answer = s.choose(query)
            first[s] = answer["ms"]
            out[s.peer.name] = {"times": [], "cpu": [], "rows": answer["rows"]}
        except peers_.Failed as e:
            out[s.peer.name] = failure(s, e)
    wrong = compare_answers(list(form), query)
    for number in range(1, DRAWS_MAX + 1):
        rows = {}
        for s in [s for s in form if "times" in out[s.peer.name]]:
            times = out[s.peer.name]["times"]
            if number == 1 or goes_on(times, first[s]):
                try:
                    rows[s] = ask_draw(query, s, number, form[s], out[s.peer.name])
                except peers_.Failed as e:
                    out[s.peer.name] = failure(s, e)
        if number <= DRAWS_MIN and max(rows.values(), default=0) <= CHECK_ROWS:
            wrong = wrong or compare_answers(list(rows), query)
    for name, text in wrong.items():
        out[name]["wrong"] = text
    for figures in out.values():
        if "times" in figures:
            figures["ms"] = min(figures["times"])
            figures["median_ms"] = statistics.median(figures["times"])
            figures["cpu_ms"] = min(figures["cpu"])
    return out


def failure(session, e):
    not_yet = session.peer.name == "dendro" and e.code in NOT_YET
    return {"failed": "not yet" if not_yet else e.code or "error", "error": str(e)}


def goes_on(times, first):
    return first < SLOW_MS and (len(times) < DRAWS_MIN or sum(times) < BUDGET_MS)


def ask_draw(query, session, number, form, figures):
    """One timed draw; the number of rows it gave."""
    texts = queries.forms(query, session.peer.name, session.scale.hosts, number)
    answer = session.ask("query", texts[form])
    figures["times"].append(answer["ms"])
    figures["cpu"].append(answer["cpu_ms"])
    return answer["rows"]


def throughput(scale, sessions, seconds):
    """{query: {peer: answer of qbench}} for one client in a row."""
    out = {}
    chosen = [q for q in queries.QUERIES if q.name in queries.THROUGHPUT and q.data == scale.data]
    for query in chosen:
        out[query.name] = {}
        for s in sessions:
            texts = [queries.forms(query, s.peer.name, scale.hosts, f"throughput-{n}") for n in range(400)]
            path = s.home + ".queries"
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(t[0] for t in texts) + "\n")
            try:
                out[query.name][s.peer.name] = s.ask("repeat", seconds, path)
            except peers_.Failed as e:
                out[query.name][s.peer.name] = {"error": str(e)}
            os.remove(path)
    return out


# ---- one scale ----

def machine():
    model = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            model = next((l.split(":", 1)[1].strip() for l in f if l.startswith("model name")), "")
    except OSError:
        pass
    return {"cpu": model, "cores": os.cpu_count(), "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "system": platform.platform(), "load": os.getloadavg()}


def run_scale(scale, chosen, options):
    out = {"scale": scale.name, "rows": scale.rows, "machine": machine(), "settings": options.set,
           "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
           "queries": {}, "goals": {}}
    scale.generate(options.build)
    out["load"] = {p.name: load(scale, p, options) for p in chosen}
    sessions = [Session(p, scale, settings_of(p, options)) for p in chosen]
    out["versions"] = {s.peer.name: s.version for s in sessions}
    for s in sessions:
        check_rows(s, scale)
    say(f"queries at scale {scale.name}, {scale.rows} rows")
    report.begin(chosen)
    for query in queries.QUERIES:
        if query.data == scale.data and (not options.only or query.name in options.only):
            out["queries"][query.name] = measure(query, sessions)
            out["goals"][query.name] = query.goal
            report.line(query, out["queries"][query.name], chosen)
    if not options.only:
        out["throughput"] = throughput(scale, sessions, options.throughput)
    for s in sessions:
        s.end()
    out["memory"] = {s.peer.name: {"rss": s.peak, "result": s.result_bytes} for s in sessions}
    out["machine"]["load_after"] = os.getloadavg()
    return out


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scales", nargs="*", metavar="SCALE",
                        help="t: 10 hosts, 259 k rows; s: 100 hosts, 2.6 M; b: 1000 hosts, 26 M; "
                             "d: s with two decimals; geo: 5 M rows of GeoCheckin; all: s, geo, b. Default: s geo")
    parser.add_argument("--only", type=lambda t: t.split(","), help="names of queries, with commas between")
    parser.add_argument("--peers", type=lambda t: t.split(","), default=["dendro", "duckdb", "sqlite"])
    parser.add_argument("--reload", action="store_true", help="load every peer anew, not only Dendro after a change")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of Dendro")
    parser.add_argument("--throughput", type=float, default=3, metavar="SECONDS", help="of each throughput test (3)")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="build directory")
    parser.add_argument("--data", default=os.path.join(ROOT, "build", "bench-data"), help="where data lies")
    options = parser.parse_args()
    names = {q.name for q in queries.QUERIES}
    for name in options.only or []:
        if name not in names:
            parser.error(f"no query is called '{name}'; there are: {', '.join(sorted(names))}")
    scales = []
    for name in options.scales or ["s", "geo"]:
        if name != "all" and name not in SCALES:
            parser.error(f"no scale is called '{name}'; there are: {', '.join(SCALES)} and all")
        scales += ["s", "geo", "b"] if name == "all" else [name]
    options.scales = list(dict.fromkeys(scales))
    known = {p.name for p in peers_.PEERS}
    for name in options.peers:
        if name not in known:
            parser.error(f"no peer is called '{name}'; there are: {', '.join(sorted(known))}")
    return options


def main():
    options = parse_arguments()
    os.environ["TZ"] = "UTC"
    chosen = [p(ROOT, os.path.abspath(options.build)) for p in peers_.PEERS if p.name in options.peers]
    results = os.path.join(ROOT, "bench", "results")
    os.makedirs(results, exist_ok=True)
    bad = 0
    for name in options.scales:
        start = time.monotonic()
        out = run_scale(Scale(name, options), chosen, options)
        base = os.path.join(results, name if not options.only else name + "-only")
        with open(base + ".json", "w", encoding="utf-8") as f:
            json.dump(out, f, indent=1)
        with open(base + ".md", "w", encoding="utf-8") as f:
            f.write(report.markdown(out, chosen))
        bad += report.summary(out, chosen)
        say(f"scale {name}: {time.monotonic() - start:.0f} s; figures in {os.path.relpath(base, ROOT)}.json and .md")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

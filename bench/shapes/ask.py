# SPDX-License-Identifier: Apache-2.0
"""Sets of tables with their data, and the asking: every row of all peers in turn, round after round, answers compared."""
import datetime
import hashlib
import inspect
import json
import math
import os
import statistics
import subprocess

import compare
import peers as peers_
import queries
import tables as tables_

SLOW_MS = 5000      # a peer that takes longer for its first answer gets one timed round only
TIMEOUT_S = 120     # then its process is ended and the row counts as not answered
COMPARE_ROWS = 200000


def say(text):
    print(f"== {text}", flush=True)


def row(name, text, ordered=True, **others):
    """A question. text: for all dialects; others: the text of a dialect that says it otherwise, or None where it cannot say it."""
    return queries.Query(name, None, ordered, None, lambda dialect, d: others.get(dialect, text))


class Set:
    """Tables and where their rows come from. sources: {table: [generator, argument, …]}; name: of its directory."""

    def __init__(self, context, name, tables, sources, hosts=0):
        self.context, self.name, self.tables, self.sources, self.hosts = context, name, tables, sources, hosts
        self.home = os.path.join(context.data, name)

    def file(self, table):
        """The CSV file of a table, made where it is not there; sets share it."""
        words = self.sources[table.name]
        mark = hashlib.sha256(repr(words).encode()).hexdigest()[:12]
        path = os.path.join(self.context.data, "csv", f"{table.name}-{mark}.csv")
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            say(f"generating {' '.join(words)}")
            with open(path + ".new", "wb") as f:
                subprocess.run([os.path.join(self.context.build, "bench", words[0]), *words[1:]], stdout=f, check=True)
            os.rename(path + ".new", path)
        return path

    def files(self):
        return {t.name: self.file(t) for t in self.tables}

    def _mark(self, engine):
        """A database is loaded anew when the library, its settings, the tables or the way to load have changed."""
        library = b""
        if engine.name == "dendro":
            with open(engine.library, "rb") as f:
                library = f.read()
        text = repr(([t.create(engine.name) for t in self.tables], [t.index_postgres() for t in self.tables], engine.settings(),
                     engine.library, self.sources, inspect.getsource(type(engine)), inspect.getsource(tables_)))
        return hashlib.sha256(text.encode() + library).hexdigest()

    def rows(self):
        """{table: rows of its file}"""
        out = {}
        for t in self.tables:
            note = self.file(t) + ".rows"
            if not os.path.exists(note):
                with open(self.file(t), "rb") as f, open(note + ".new", "w", encoding="ascii") as to:
                    to.write(str(sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b"")) - 1))
                os.rename(note + ".new", note)
            with open(note, encoding="ascii") as f:
                out[t.name] = int(f.read())
        return out

    def load(self, engine, fresh=False):
        """Figures of the first table's load, of this run or of the one that left the database."""
        home = os.path.join(self.home, engine.name)
        note, mark = home + ".json", self._mark(engine)
        if not fresh and not self.context.reload and os.path.exists(note):
            with open(note, encoding="utf-8") as f:
                figures = json.load(f)
            if figures["mark"] == mark:
                return {**figures, "fresh": False}
        say(f"loading {engine.label}: {self.name}")
        if os.path.exists(note):
            os.remove(note)
        rows, first = self.rows(), self.tables[0].name
        every = engine.load(home, self.tables, self.files())
        figures = dict(every[first])
        figures.update(rows=rows[first], rows_per_s=rows[first] / figures["seconds"], bytes_per_row=figures["bytes"] / rows[first],
                       cores=figures["cpu_s"] / figures["seconds"], mark=mark, tables=every,
                       date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"))
        with open(note + ".new", "w", encoding="utf-8") as f:
            json.dump(figures, f, indent=1)
        os.rename(note + ".new", note)
        print(f"   {figures['rows_per_s'] / 1e3:.0f} krows/s, {figures['bytes_per_row']:.1f} bytes/row, "
              f"{figures['rss'] / 2**20:.0f} MiB, {figures['cores']:.2f} cores", flush=True)
        return {**figures, "fresh": True}

    def check_rows(self, session):
        for table, rows in self.rows().items():
            session.ask("query", f"SELECT count(*) FROM {table}", timeout=TIMEOUT_S * 5)
            session.ask("write", session.answer)
            answer, _ = compare.read(session.answer)
            if answer != [[rows]]:
                raise SystemExit(f"shapes: {session.label} holds {answer} rows of {table} instead of {rows}")


# ---- asking ----

def answer_of(session, query, hosts, number):
    """One answer; None where the dialect has no text."""
    texts = queries.forms(query, session.dialect, hosts, number)
    if not texts:
        return None
    return session.ask("query", " ".join(texts[0].split()), timeout=TIMEOUT_S)


def differences(sessions, query):
    """{session name: what differs from the judge, the first that is not Dendro}"""
    judge = next((s for s in sessions if s.engine.name != "dendro"), sessions[0] if sessions else None)
    out = {}
    for s in sessions:
        s.ask("write", s.answer)
    for s in sessions:
        if s is not judge:
            text = compare.difference(s.answer, judge.answer, query.ordered)
            if text:
                out[s.name] = f"not what {judge.label} answers: {text}"
    for s in sessions:
        os.remove(s.answer)
    return out


def failed(e):
    return {"failed": e.code or "error", "error": str(e).strip().splitlines()[0][:300]}


def measure(query, sessions, rounds, hosts=0):
    """{session name: {"times": […], "median_ms", "cpu_ms", "rows"} or {"failed", "error"}}; "wrong" where an answer differs."""
    out, first = {}, {}
    for s in sessions:
        try:
            answer = answer_of(s, query, hosts, 0)
            if answer:
                out[s.name] = {"times": [], "cpu": [], "rows": answer["rows"]}
                first[s] = answer
        except peers_.Failed as e:
            out[s.name] = failed(e)
    wrong = differences(list(first), query) if max((a["rows"] for a in first.values()), default=0) <= COMPARE_ROWS else {}
    for number in range(1, rounds + 1):
        answered = []
        for s in [s for s in first if "times" in out[s.name]]:
            if number > 1 and first[s]["ms"] > SLOW_MS:
                continue
            try:
                answer = answer_of(s, query, hosts, number)
                out[s.name]["times"].append(answer["ms"])
                out[s.name]["cpu"].append(answer["cpu_ms"])
                answered.append((s, answer["rows"]))
            except peers_.Failed as e:
                out[s.name] = failed(e)
        if number == 1 and max((n for _, n in answered), default=0) <= COMPARE_ROWS:
            wrong = wrong or differences([s for s, _ in answered], query)
    for name, figures in out.items():
        if "times" in figures:
            figures["median_ms"], figures["cpu_ms"] = statistics.median(figures["times"]), statistics.median(figures["cpu"])
        if name in wrong:
            figures["wrong"] = wrong[name]
    return out


def best_peer(figures, ours="dendro"):
    """(name, ms) of the fastest other one, or None. A floor (wire.py) computes nothing, so it is none."""
    known = [(f["median_ms"], n) for n, f in figures.items() if n not in (ours, "floor") and "median_ms" in f and "wrong" not in f]
    return (min(known)[1], min(known)[0]) if known else None


def ratio(figures, ours="dendro"):
    best = best_peer(figures, ours)
    return figures[ours]["median_ms"] / best[1] if best and "median_ms" in figures.get(ours, {}) else None


def ratios(rows, ours="dendro"):
    return {name: r for name, r in ((n, ratio(f, ours)) for n, f in rows.items()) if r}


def geomean(values):
    values = [v for v in values if v > 0]
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else None


def number(x):
    return "-" if x is None else "%.3f" % x if x < 1 else "%.2f" % x if x < 10 else "%.1f" % x if x < 100 else "%.0f" % x


def show(name, figures, ours="dendro"):
    """A line while it runs."""
    cells = []
    for peer, f in figures.items():
        cells.append(f"{peer} {number(f['median_ms']) if 'median_ms' in f else f['failed']}" + (" WRONG" if "wrong" in f else ""))
    r = ratio(figures, ours)
    print(f"   {name:<26}{'  ratio ' + number(r) if r else '':<16}{', '.join(cells)}", flush=True)
    for peer, f in figures.items():
        if "wrong" in f or "failed" in f:
            print(f"      {peer}: {f.get('wrong') or f['error']}", flush=True)


def ask_all(context, data, rows, only=None, leave=()):
    """Loads a set into all peers, asks all rows: (loads, {row: figures}, {peer: version}). leave: peers that are left out."""
    chosen = [e for e in context.engines if e.name not in leave]
    loads = {e.name: data.load(e) for e in chosen}
    sessions, out = [], {}
    try:
        for e in chosen:
            sessions.append(e.open(os.path.join(data.home, e.name)))
            data.check_rows(sessions[-1])
        say(f"{data.name}: {len(rows)} rows")
        for query in rows:
            if not only or query.name in only:
                out[query.name] = measure(query, sessions, context.rounds, data.hosts)
                show(query.name, out[query.name])
        versions = {s.name: s.version for s in sessions}
    finally:
        for s in sessions:
            s.close()
    return loads, out, versions

# SPDX-License-Identifier: Apache-2.0
"""late: the cpu set in COPYs of 2000 rows, a tenth of the rows late or repeated. Each row is asked at once, and again after ten
seconds without a command, and compared with a database that got the same rows in order, by as many COPYs."""
import os
import random
import shutil
import time

from ask import measure, say, show
from cpu_set import cpu_rows, cpu_set
from engines import Session

NAME = "late"
HOSTS = {"quick": 10, "small": 30, "full": 100}
CHUNK = 2000
SHARE = 0.1          # of rows: half of them late, half given twice
DELAY = 8 * CHUNK    # rows that such a row is behind, up to
IDLE_S = 10


def spoil(lines, share, seed):
    """The lines with some late and some twice: a row that comes again is the same row."""
    rng, waiting = random.Random(seed), {}
    for i, line in enumerate(lines):
        for old in waiting.pop(i, ()):
            yield old
        lot = rng.random()
        if lot < share:
            waiting.setdefault(i + rng.randrange(1, DELAY), []).append(line)
        if lot >= share / 2:
            yield line
    for i in sorted(waiting):
        yield from waiting[i]


def write_chunks(path, where, share, seed):
    """Files of 2000 rows with the header; their names in order."""
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    names, chunk = [], []
    with open(path, encoding="utf-8") as f:
        header = f.readline()

        def flush():
            names.append(os.path.join(where, f"{len(names)}.csv"))
            with open(names[-1], "w", encoding="utf-8") as to:
                to.write(header)
                to.writelines(chunk)
            chunk.clear()

        for line in spoil(f, share, seed) if share else f:
            chunk.append(line)
            if len(chunk) == CHUNK:
                flush()
        if chunk:
            flush()
    return names


class Copied(Session):
    """Dendro with a table that came by many COPYs, still open."""

    def __init__(self, engine, name, home, data):
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        super().__init__(engine, home)
        self.name = self.label = name
        for t in data.tables:
            self.ask("query", t.create("dendro")[0])

    def copy(self, names, tags):
        begin = time.monotonic()
        for path in names:
            self.ask("query", f"COPY cpu FROM '{path}' (FORMAT csv, HEADER)", timeout=600)
        self.ask("query", f"COPY tags FROM '{tags}' (FORMAT csv, HEADER)")
        return time.monotonic() - begin


def pass_over(context, rows, sessions, data, what):
    say(f"late: {what}")
    out = {}
    for query in rows:
        out[query.name] = measure(query, sessions, min(context.rounds, 3), data.hosts)
        show(query.name, out[query.name])
    return out


def slowdown(answers):
    """{row: late time over clean time}; below a tenth of a millisecond noise is all there is, and counts as that."""
    out = {}
    for name, f in answers.items():
        if "median_ms" in f.get("late", {}) and "median_ms" in f.get("clean", {}):
            out[name] = max(f["late"]["median_ms"], 0.1) / max(f["clean"]["median_ms"], 0.1)
    return out


def run(context):
    data = cpu_set(context, HOSTS[context.scale])
    engine = next(e for e in context.engines if e.name == "dendro")
    judge = next((e for e in context.engines if e.name == "duckdb"), None)
    rows = [q for q in cpu_rows() if not context.only or q.name in context.only]
    if HOSTS[context.scale] < 8:
        rows = [q for q in rows if "8" not in q.name]
    files, where = data.files(), os.path.join(context.data, "late")
    shutil.rmtree(where, ignore_errors=True)
    sessions = []
    try:
        say(f"late: {data.rows()['cpu']} rows in COPYs of {CHUNK}")
        clean = Copied(engine, "clean", os.path.join(where, "clean"), data)
        sessions.append(clean)
        clean_s = clean.copy(write_chunks(files["cpu"], os.path.join(where, "chunks"), 0, 0), files["tags"])
        late = Copied(engine, "late", os.path.join(where, "late"), data)
        sessions.insert(0, late)
        names = write_chunks(files["cpu"], os.path.join(where, "chunks"), SHARE, context.seed or 1)
        if judge:
            data.load(judge)
            sessions.append(judge.open(os.path.join(data.home, judge.name)))
        late_s = late.copy(names, files["tags"])
        at_once = pass_over(context, rows, sessions, data, "at once")
        time.sleep(IDLE_S)
        later = pass_over(context, rows, sessions, data, f"{IDLE_S} s later")
    finally:
        for s in sessions:
            s.close()
        shutil.rmtree(where, ignore_errors=True)
    first, second, rows = slowdown(at_once), slowdown(later), data.rows()["cpu"]
    figures = {"worst at once / clean": max(first.values(), default=None), "worst ten seconds later / clean": max(second.values(), default=None),
               "late COPY rows/s": rows / late_s, "clean COPY rows/s": rows / clean_s}
    return figures, [{"name": "at once", "rows": at_once, "load": {}, "slowdown": first}, {"name": "later", "rows": later, "load": {}, "slowdown": second}]

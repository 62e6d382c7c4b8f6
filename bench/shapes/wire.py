# SPDX-License-Identifier: Apache-2.0
"""wire: Dendro's server beside PostgreSQL: large answers, and point reads at 1, 8 and 64 clients, alone and beside writers.

A large answer is asked four times: embedded, from Dendro's server, from PostgreSQL, and from a server that sends the bytes of
Dendro's answer without computing anything (replay.py): what the client library needs by itself, the floor of any server."""
import os
import shutil
import subprocess

import server
from ask import Set, measure, row, say, show
from engines import Server, Session
from replay import Replay
from tables import Table

NAME = "wire"
SIZES = {"quick": (20, 864, 0.5), "small": (100, 2160, 2), "full": (100, 8640, 5)}  # hosts, rows of each, seconds of a measurement
CLIENTS = (1, 8, 64)
WRITERS = 2
LARGE = [
    row("all-rows", "SELECT * FROM reading", ordered=False),
    row("times-and-one", "SELECT time, v1 FROM reading", ordered=False),
    row("one-in-two", "SELECT host, time, v2, v3 FROM reading WHERE v1 >= 50", ordered=False),
    row("by-host-minute", "SELECT host, date_trunc('minute', time) AS minute, avg(v1), max(v2) FROM reading GROUP BY host, minute", ordered=False),
    row("newest-10000", "SELECT * FROM reading ORDER BY time DESC, host LIMIT 10000"),
]
COLUMNS = [("host", "int"), ("time", "second"), ("v1", "double"), ("v2", "double"), ("v3", "double"), ("v4", "double")]


class Served(Server):
    """Dendro's own server, asked as PostgreSQL is."""
    name, label = "server", "Dendro's server"

    def start(self, home):
        self.process = subprocess.Popen([os.path.join(self.options.build, "dendro"), "serve", "--data", os.path.join(home, "db"), "--pg-port", "any",
                                         "--http-port", "any"], stdout=subprocess.PIPE, text=True)
        port = int(self.process.stdout.readline().split("port ")[1].split(":")[0])
        return self.reached(f"host=127.0.0.1 port={port} user=dendro dbname=dendro")

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
        self.process = None


class Floor(Served):
    """The same answers from memory, byte by byte: asked as the server is."""
    name, label = "floor", "libpq alone"

    def start(self, home):
        words = dict(w.split("=", 1) for w in home.split())
        self.replay = Replay((words["host"], int(words["port"])))
        return self.reached(f"{home} port={self.replay.port} sslmode=disable gssencmode=disable")

    def stop(self):
        self.replay.close()


def client_run(client, target, kind, clients, seconds, size, first):
    return [client, target, kind, str(clients), str(seconds), str(size[0]), str(size[1]), str(first)]


def points(context, client, sessions, size, writers):
    """{clients: {peer: answers per second}}, rounds in turn, medians."""
    out, first = {}, 10_000_000
    for clients in CLIENTS:
        rates = {s.name: [] for s in sessions}
        for _ in range(min(context.rounds, 3)):
            for s in sessions:
                writing = None
                if writers:
                    first += 100_000_000
                    writing = subprocess.Popen(client_run(client, s.target, "insert", WRITERS, size[2] + 0.5, size, first), stdout=subprocess.DEVNULL)
                answer = subprocess.run(client_run(client, s.target, "point", clients, size[2], size, 0), check=True, stdout=subprocess.PIPE, text=True)
                if writing and writing.wait() != 0:
                    raise SystemExit(f"shapes: writers of {s.label} failed")
                rates[s.name].append(float(answer.stdout.split()[0]))
        out[clients] = {n: sorted(r)[len(r) // 2] for n, r in rates.items()}
        print(f"   point, {clients} clients{' beside writers' if writers else ''}: " + ", ".join(f"{n} {v:.0f}/s" for n, v in out[clients].items()),
              flush=True)
    return out


def large_answers(context, sessions):
    out = {}
    for query in LARGE:
        if not context.only or query.name in context.only:
            out[query.name] = measure(query, sessions, context.rounds)
            show(query.name, out[query.name], "server")
    return out


def worst(answers, of, *over):
    """The largest ratio of the time of one way to ask to the sum of others."""
    return max((f[of]["median_ms"] / sum(f[o]["median_ms"] for o in over) for f in answers.values()
                if all("median_ms" in f.get(n, {}) for n in (of, *over))), default=None)


def run(context):
    size = SIZES[context.scale]
    embedded = next(e for e in context.engines if e.name == "dendro")
    postgres = next((e for e in context.engines if e.name == "postgres"), None)
    where = os.path.join(context.data, "wire")
    os.makedirs(where, exist_ok=True)
    client = server.client_program(where)
    server.SERIES, server.STEPS = size[0], size[1]
    data = Set(context, f"wire-{size[0]}-{size[1]}", [Table("reading", COLUMNS, key="PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time)",
                                                            not_null=("host", "time"), indexes=("PRIMARY KEY (host, time)",))], {"reading": []})
    csv = os.path.join(where, "reading.csv")
    rows = server.rows_file(where)
    with open(rows, encoding="ascii") as f, open(csv, "w", encoding="ascii") as to:
        to.write("host,time,v1,v2,v3,v4\n")
        to.writelines(f)
    data.file = lambda table: csv
    served = Served(context)
    sessions, wired = [], []
    try:
        for e in [e for e in (embedded, postgres) if e]:
            data.load(e, fresh=True)
        shutil.rmtree(os.path.join(data.home, "server"), ignore_errors=True)
        shutil.copytree(os.path.join(data.home, "dendro"), os.path.join(data.home, "server"))
        sessions = [embedded.open(os.path.join(data.home, "dendro")), Session(served, os.path.join(data.home, "server"))]
        sessions[0].name = sessions[0].label = "embedded"
        if postgres:
            sessions.append(postgres.open(os.path.join(data.home, "postgres")))
        wired = sessions[1:]
        floor = Session(Floor(context), sessions[1].target)
        floor.answer = os.path.join(data.home, "floor.answer")
        sessions.append(floor)
        say("wire: large answers")
        answers = large_answers(context, sessions)
        alone = points(context, client, wired, size, False)
        beside = points(context, client, wired, size, True)
        versions = {s.name: s.version for s in sessions}
    finally:
        for s in sessions:
            s.close()
        shutil.rmtree(where, ignore_errors=True)
    figures = {"worst large answer / (embedded + libpq alone)": worst(answers, "server", "embedded", "floor"),
               "worst large answer / PostgreSQL": worst(answers, "server", "postgres"),
               "worst large answer / embedded": worst(answers, "server", "embedded"),
               "libpq alone / embedded": worst(answers, "floor", "embedded")}
    for what, rates in (("point", alone), ("point beside writers", beside)):
        for n, r in rates.items():
            if "postgres" in r:
                figures[f"{what}, {n} clients / PostgreSQL"] = r["server"] / r["postgres"]
    return figures, [{"name": "large answers", "rows": answers, "load": {}, "versions": versions, "ours": "server", "floor": True},
                     {"name": "point reads per second", "rows": {}, "load": {}, "rates": {"alone": alone, "beside writers": beside}}]

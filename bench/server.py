#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench server`: Dendro's server beside PostgreSQL 15, the same clients, the same run.

COPY of rows in order, point queries and queries over an hour of one series at 1, 8 and 64 clients, durable
single-row INSERTs at 1 and 8. Prints answers per second and the ratio. Then the same rows as line protocol, beside
InfluxDB 1.6 and, where it is installed, VictoriaMetrics (ingest.py)."""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "diff"))
import pg  # noqa: E402 pylint: disable=wrong-import-position

import ingest  # pylint: disable=wrong-import-order

SERIES, STEPS = 100, 8640  # a day of 100 hosts, a row each 10 seconds


class Postgres:
    name = "PostgreSQL 15"
    ddl = ("CREATE TABLE reading (host int NOT NULL, time timestamptz NOT NULL, v1 float8, v2 float8, v3 float8, v4 float8,"
           " PRIMARY KEY (host, time))")
    settled = "VACUUM ANALYZE reading"

    def __init__(self, where):
        self.cluster = pg.Cluster.__new__(pg.Cluster)
        pg.Cluster.__init__(self.cluster)
        shutil.rmtree(self.cluster.dir)
        self.cluster.dir = tempfile.mkdtemp(prefix="bench-pg-", dir=where)
        if self.cluster.user:
            shutil.chown(self.cluster.dir, self.cluster.user, self.cluster.user)
            os.chmod(where, 0o755)
        data = os.path.join(self.cluster.dir, "data")
        call = self.cluster._must  # pylint: disable=protected-access
        call("initdb", "-D", data, "--locale=C", "-E", "UTF8", "-A", "trust", "-U", "dendro")
        call("pg_ctl", "-D", data, "-l", os.path.join(self.cluster.dir, "log"), "-w", "-o",
             f"-c listen_addresses=127.0.0.1 -c port=54391 -c unix_socket_directories='{self.cluster.dir}' -c shared_buffers=1GB"
             " -c max_wal_size=4GB -c max_connections=200 -c timezone=UTC", "start")
        self.conninfo = "host=127.0.0.1 port=54391 user=dendro dbname=postgres"

    def stop(self):
        self.cluster.__exit__()


class Dendro:
    name = "Dendro"
    ddl = ("CREATE TABLE reading (host INT NOT NULL, time TIMESTAMP NOT NULL, v1 DOUBLE, v2 DOUBLE, v3 DOUBLE, v4 DOUBLE,"
           " PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time))")
    settled = "CHECKPOINT"

    def __init__(self, where, program):
        self.dir = tempfile.mkdtemp(prefix="bench-dendro-", dir=where)
        self.process = subprocess.Popen([program, "serve", "--data", os.path.join(self.dir, "db"), "--pg-port", "any", "--http-port", "any"],
                                        stdout=subprocess.PIPE, text=True)
        port, self.http_port = (int(self.process.stdout.readline().split("port ")[1].split(":")[0]) for _ in range(2))
        self.conninfo = f"host=127.0.0.1 port={port} user=dendro dbname=dendro"

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.dir)


def sql(server, *statements):
    for s in statements:
        subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", s, server.conninfo], check=True, stdout=subprocess.DEVNULL)


def rows_file(where):
    """Rows as they come: a time after the other, all hosts each."""
    path = os.path.join(where, "rows.csv")
    with open(path, "w", encoding="ascii") as f:
        for step in range(STEPS):
            t = time.strftime("%Y-%m-%d %H:%M:%S+00", time.gmtime(1704067200 + step * 10))
            f.writelines(f"{h},{t},{(h * 7 + step) % 100},{(h + step * 3) % 1000 / 10},{h / 4},{step % 7}\n" for h in range(SERIES))
    return path


def client_program(where):
    path = os.path.join(where, "client")
    subprocess.run(["gcc", "-O2", "-o", path, os.path.join(ROOT, "bench", "server_client.c"), "-I/usr/include/postgresql", "-lpq", "-lpthread"],
                   check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "dendro"))
    parser.add_argument("--only", choices=["lines", "insert"], help="COPY, and of the rest only this")
    parser.add_argument("--dir", default=None, help="where the databases are; a temporary directory")
    args = parser.parse_args()
    where = tempfile.mkdtemp(prefix="bench-server-", dir=args.dir)
    servers = []
    try:
        client, rows = client_program(where), rows_file(where)
        servers = [Dendro(where, args.program), Postgres(where)]
        print(f"{'':24}{servers[0].name:>26}{servers[1].name:>26}{'ratio':>8}")

        def line(what, figures):
            cells = "".join(f"{f[0]:>12.0f}/s" + (f" {f[2]:>9.0f} us" if f[2] else " " * 13) for f in figures)
            print(f"{what:24}{cells}{figures[0][0] / figures[1][0]:>7.2f}x", flush=True)

        figures = []
        for s in servers:
            sql(s, s.ddl)
            begin = time.monotonic()
            sql(s, f"\\copy reading FROM '{rows}' (FORMAT csv)")
            figures.append((SERIES * STEPS / (time.monotonic() - begin), 0, 0))
            sql(s, s.settled)
        line("COPY, rows", figures)
        copy = figures[1][0]
        first = STEPS
        for kind, clients in [("point", 1), ("point", 8), ("point", 64), ("range", 1), ("range", 8), ("range", 64),
                              ("insert", 1), ("insert", 8)]:
            if args.only not in (None, kind):
                continue
            figures = []
            for s in servers:
                out = subprocess.run([client, s.conninfo, kind, str(clients), str(args.seconds), str(SERIES), str(STEPS), str(first)],
                                     check=True, stdout=subprocess.PIPE, text=True).stdout
                figures.append(tuple(float(x) for x in out.split()))
            first += 100000000
            line(f"{kind}, {clients} clients", figures)
        print("us: the 99th percentile")
        if args.only in (None, "lines"):
            servers.pop().stop()
            ingest.compare(where, SERIES, STEPS, servers[0].http_port, copy)
    finally:
        for s in servers:
            s.stop()
        shutil.rmtree(where, ignore_errors=True)


if __name__ == "__main__":
    main()

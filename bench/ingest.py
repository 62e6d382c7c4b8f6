# SPDX-License-Identifier: Apache-2.0
"""Line protocol of `./dev bench server`: the same lines over HTTP into Dendro, InfluxDB 1.6 and
VictoriaMetrics, one server at a time. 204 means durable in Dendro and InfluxDB (its log is synced at each
request); VictoriaMetrics syncs seconds later and is shown for its rate."""
import http.client
import os
import shutil
import socket
import subprocess
import threading
import time

LINES = 10000  # of a request
CLIENTS = 2
START_NS = 1704067200 * 10**9


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def bodies(series, steps):
    """Rows as they come: a time after the other, all hosts each."""
    lines = []
    for step in range(steps):
        ns = START_NS + step * 10**10
        for h in range(series):
            lines.append(f"lines,host=h{h} v1={(h * 7 + step) % 100},v2={(h + step * 3) % 1000 / 10},v3={h / 4},v4={step % 7} {ns}\n")
            if len(lines) == LINES:
                yield "".join(lines).encode()
                lines = []
    yield "".join(lines).encode()


class Influx:
    name = "InfluxDB 1.6"

    def __init__(self, where, program):
        self.dir = os.path.join(where, "influx")
        self.port = free_port()
        os.mkdir(self.dir)
        conf = os.path.join(self.dir, "influxd.conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write(f'reporting-disabled = true\nbind-address = "127.0.0.1:{free_port()}"\n[meta]\ndir = "{self.dir}/meta"\n'
                    f'[data]\ndir = "{self.dir}/data"\nwal-dir = "{self.dir}/wal"\nmax-series-per-database = 0\n'
                    f'[http]\nbind-address = "127.0.0.1:{self.port}"\nlog-enabled = false\n[monitor]\nstore-enabled = false\n')
        self.process = subprocess.Popen([program, "-config", conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self, "GET", "/ping")
        ask(self.port, "POST", "/query?q=CREATE+DATABASE+bench")
        self.path = "/write?db=bench"


class Victoria:
    name = "VictoriaMetrics"

    def __init__(self, where, program):
        self.dir = os.path.join(where, "victoria")
        self.port = free_port()
        self.process = subprocess.Popen([program, f"-storageDataPath={self.dir}", f"-httpListenAddr=127.0.0.1:{self.port}",
                                         "-retentionPeriod=100y"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self, "GET", "/health")
        self.path = "/write"


def ask(port, method, path, body=None):
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    conn.request(method, path, body)
    answer = conn.getresponse()
    text = answer.read()
    conn.close()
    if answer.status >= 300:
        raise RuntimeError(f"{path}: {answer.status} {text[:300]}")


def wait_for(server, method, path):
    end = time.monotonic() + 60
    while True:
        try:
            return ask(server.port, method, path)
        except OSError:
            if server.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{server.name} does not start") from None
            time.sleep(0.1)


def send(port, path, requests, failures):
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    for body in requests:
        conn.request("POST", path, body)
        answer = conn.getresponse()
        text = answer.read()
        if answer.status != 204:
            failures.append(f"{answer.status} {text[:300]}")
            break
    conn.close()


def measure(port, path, requests):
    """Seconds that all requests take, over some connections at once."""
    failures = []
    threads = [threading.Thread(target=send, args=(port, path, requests[i::CLIENTS], failures)) for i in range(CLIENTS)]
    begin = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise RuntimeError(failures[0])
    return time.monotonic() - begin


def compare(where, series, steps, dendro_port, copy):
    """Prints points per second of each; copy: rows per second of PostgreSQL's COPY in this run."""
    requests = list(bodies(series, steps))
    points = series * steps
    mine = points / measure(dendro_port, "/write", requests)
    print(f"\nline protocol, {points} points of 4 fields, {LINES} in a request, {CLIENTS} clients")
    print(f"{'Dendro':24}{mine:>12.0f}/s")
    best = copy
    print(f"{'PostgreSQL 15, COPY':24}{copy:>12.0f}/s{mine / copy:>7.2f}x")
    for kind, programs in ((Influx, ["influxd"]), (Victoria, ["victoria-metrics"])):
        program = next((p for p in map(shutil.which, programs) if p), None)
        if not program:
            print(f"{kind.name:24}{'not installed':>14}")
            continue
        server = kind(where, program)
        try:
            rate = points / measure(server.port, server.path, requests)
        finally:
            server.process.kill()
            server.process.wait()
        print(f"{kind.name:24}{rate:>12.0f}/s{mine / rate:>7.2f}x" + ("" if kind is Influx else "   not durable at the answer"), flush=True)
        best = max(best, rate) if kind is Influx else best
    print(f"{'the best durable one':24}{best:>12.0f}/s{mine / best:>7.2f}x")

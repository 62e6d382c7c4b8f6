# SPDX-License-Identifier: Apache-2.0
"""The databases of the benchmark: how each is found, loaded and talked to. Every one of them runs
inside a qbench process of its own (see qbench.c), so memory is told apart and a crash hurts one."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

import queries
import versions

CPU, GEO = "cpu", "geo"
TABLES = {
    CPU: [("cpu", queries.CPU_COLUMNS), ("tags", queries.TAGS_COLUMNS)],
    GEO: [("GeoCheckin", queries.GEO_COLUMNS)],
}


class Failed(Exception):
    """A peer refused or broke; code is its SQLSTATE, or one of `crash` and `timeout`."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Client:
    """A running qbench; one request, one answer."""

    def __init__(self, qbench, peer, database, settings=()):
        """peer: what has `driver` (a name of peer_list.h), `library` and `environment`."""
        self.process = subprocess.Popen([qbench, peer.driver, peer.library, database, *settings],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                        env={**os.environ, **peer.environment})
        self.buffer = b""
        try:
            self.version = self.read(60)["version"]
        except Failed:
            self.end()
            raise

    def read(self, timeout):
        deadline = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failed("timeout", f"no answer within {timeout:.0f} s")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise Failed("crash", f"the process ended with {self.process.wait()}")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        answer = json.loads(line)
        if not answer.pop("ok"):
            raise Failed(answer["code"], answer["error"])
        return answer

    def ask(self, *words, timeout=600):
        line = "\t".join(str(w) for w in words)
        assert "\n" not in line
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            raise Failed("crash", f"the process ended with {self.process.wait()}") from None
        return self.read(timeout)

    def end(self, kill=False):
        """Closes the database and waits until that is done."""
        if kill:
            self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def disk_usage(path):
    """Bytes of all files. A server may delete some while they are counted."""
    total = 0
    for here, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(here, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


def run_watched(words):
    """Runs a program to its end; its peak memory in bytes. The high-water mark is read while it runs,
    because what wait4 tells begins with the peak of this process."""
    peak = 0
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status", encoding="ascii") as f:
                    peak = max([peak] + [int(l.split()[1]) * 1024 for l in f if l.startswith("VmHWM:")])
            except (OSError, ValueError):
                pass
            time.sleep(0.02)
        if process.returncode != 0:
            output.seek(0)
            raise Failed("", f"{' '.join(words)}: " + output.read().decode(errors="replace")[-300:])
    return peak


class Peer:
    name = label = None

    def __init__(self, root, build):
        self.root, self.build = root, build
        self.driver, self.environment = self.name, {}
        self.library = self.find_library()
        self.qbench = os.path.join(build, "bench", "qbench")

    def database(self, home):
        """What qbench opens; home is a directory of this peer's own."""
        return os.path.join(home, "db")

    def client(self, home, settings=()):
        return Client(self.qbench, self, self.database(home), settings)

    def load(self, home, data, files, settings=()):
        """Loads every table of the data set; returns the figures of the first."""
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        figures = None
        for table, columns in TABLES[data]:
            before, start = disk_usage(home), time.monotonic()
            peak, how = self.load_table(home, table, columns, files[table], settings)
            seconds = time.monotonic() - start
            if figures is None:
                figures = {"seconds": seconds, "rss": peak, "bytes": disk_usage(home) - before, "how": how}
        return figures

    def run(self, home, *requests, settings=()):
        """A process for these requests alone; its peak memory in bytes."""
        client = self.client(home, settings)
        try:
            for request in requests:
                client.ask(*request, timeout=3600)
            return client.ask("usage")["rss"]
        finally:
            client.end()


class Dendro(Peer):
    name, label = "dendro", "Dendro"

    def find_library(self):
        return os.path.join(self.build, "libdendro.so")

    def load_table(self, home, table, columns, path, settings):
        create = ("query", queries.create_table("dendro", table, columns))
        program = os.path.join(self.build, "dendro")
        if subprocess.run([program, "import", "--help"], capture_output=True).returncode == 0:
            peak = self.run(home, create)
            options = [word for setting in settings for word in ("--set", setting)]
            words = [program, "import", *options, self.database(home), table, path]
            return max(peak, run_watched(words)), "dendro import"
        peak = self.run(home, create, ("load", table, 0, path), ("query", "CHECKPOINT"), settings=settings)
        return peak, "INSERT of 5000 rows each, then CHECKPOINT"


class DuckDB(Peer):
    name, label = "duckdb", "DuckDB"

    def find_library(self):
        library, self.environment = versions.duckdb(self.root)
        return library

    def load_table(self, home, table, columns, path, settings):
        peak = self.run(home, ("query", queries.create_table("duckdb", table, columns)),
                           ("query", f"COPY {table} FROM '{path}' (HEADER)"), ("query", "CHECKPOINT"))
        return peak, "COPY, then CHECKPOINT"


class SQLite(Peer):
    name, label = "sqlite", "SQLite"
    indexes = {
        "cpu": ["CREATE INDEX cpu_host_time ON cpu (hostname, time)", "CREATE INDEX cpu_time ON cpu (time)"],
        "tags": [],
        "GeoCheckin": ["CREATE INDEX geo_key ON GeoCheckin (region, state, time)"],
    }

    def find_library(self):
        return "libsqlite3.so.0"

    def load_table(self, home, table, columns, path, settings):
        time_col = [kind for _, kind in columns].index("time") if ("time", "time") in columns else -1
        requests = [("query", "PRAGMA journal_mode = WAL"),
                    ("query", queries.create_table("sqlite", table, columns)),
                    ("load", table, time_col, path)]
        requests += [("query", sql) for sql in self.indexes[table]]
        requests += [("query", "PRAGMA analysis_limit = 1000; ANALYZE"), ("query", "PRAGMA wal_checkpoint(TRUNCATE)")]
        peak = self.run(home, *requests)
        return peak, "prepared INSERT in one transaction, then indexes and ANALYZE"


PEERS = [Dendro, DuckDB, SQLite]

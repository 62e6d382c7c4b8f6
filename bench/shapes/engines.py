# SPDX-License-Identifier: Apache-2.0
"""The peers of `./dev bench shapes`: how each is set up, loaded, opened and stopped. Dendro, DuckDB and ClickHouse run
within a process of qbench; QuestDB and PostgreSQL are servers on loopback, which qbench asks through libpq. All loads are
durable when they are counted as done; `settle` is what a user does after a load, and is told apart."""
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

import compare
import peers as peers_
import versions
from tables import TYPES

LONG = 7200  # seconds: a limit for loads


class Process:
    """A program whose use of memory and processor is watched."""

    def __init__(self, words, **more):
        self.output = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
        self.words, self.peak = words, 0
        self.process = subprocess.Popen(words, stdout=self.output, stderr=subprocess.STDOUT, **more)

    def look(self):
        """Notes the peak of memory; false when the program has ended."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
                self.peak = max([self.peak] + [int(l.split()[1]) * 1024 for l in f if l.startswith("VmHWM:")])
        except (OSError, ValueError):
            pass
        return self.process.poll() is None

    def wait(self):
        """Seconds of processor time."""
        before = os.times()
        while self.look():
            time.sleep(0.02)
        after = os.times()
        self.output.seek(0)
        text = self.output.read().decode(errors="replace")
        if self.process.returncode != 0:
            raise peers_.Failed("", f"{' '.join(self.words)}: {text[-400:]}")
        return after.children_user + after.children_system - before.children_user - before.children_system


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Engine:
    """One peer. home: a directory of its own for one set of tables."""
    name = label = driver = None
    served = False  # it is a server of its own, asked through a socket

    def __init__(self, options):
        self.options = options
        self.environment = {}
        self.library = self.find()
        self.qbench = os.path.join(options.build, "bench", "qbench")

    def find(self):
        """The library; raises versions.Missing."""
        raise NotImplementedError

    def start(self, home):
        """What must run before a client comes; what the client opens."""
        return os.path.join(home, "db")

    def stop(self):
        pass

    def client(self, target, settings=()):
        return peers_.Client(self.qbench, self, target, settings)

    def settings(self):
        return []

    def open(self, home):
        return Session(self, home)

    def load(self, home, tables, files):
        """{table: figures} of a load into an empty home. The first table's figures are those of the shape."""
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        target = self.start(home)
        out = {}
        try:
            for table in tables:
                before, start = peers_.disk_usage(home), time.monotonic()
                peak, cpu, how = self.load_table(home, target, table, files[table.name])
                seconds = time.monotonic() - start
                out[table.name] = {"seconds": seconds, "cpu_s": cpu, "rss": peak, "how": how}
                start = time.monotonic()
                self.settle_table(target, table)
                out[table.name]["settle_s"] = time.monotonic() - start
                out[table.name]["bytes"] = self.size(home, target, table, before)
        finally:
            self.stop()
        return out

    def load_table(self, home, target, table, path):
        raise NotImplementedError

    def settle_table(self, target, table):
        pass

    def size(self, home, target, table, before):
        """Bytes on disk of a table that was just loaded; before: of all, before it."""
        return peers_.disk_usage(home) - before

    def answer(self, target, sql):
        """The one value that a statement gives."""
        client = self.client(target, self.settings())
        try:
            with tempfile.NamedTemporaryFile() as f:
                client.ask("query", sql)
                client.ask("write", f.name)
                return compare.read(f.name)[0][0][0]
        finally:
            client.end()

    def run(self, target, statements, settings=None):
        """A client for these statements alone: (peak of memory, seconds of processor time)."""
        client = self.client(target, self.settings() if settings is None else settings)
        cpu = 0
        try:
            for text in statements:
                cpu += client.ask("query", text, timeout=LONG)["cpu_ms"] / 1e3
            return client.ask("usage")["rss"], cpu
        finally:
            client.end()


class Session:
    """A peer with one home open; a client that broke is started anew."""

    def __init__(self, engine, home):
        self.engine, self.name, self.label = engine, engine.name, engine.label
        self.answer = home + ".answer"
        self.target = engine.start(home)
        self.client = engine.client(self.target, engine.settings())
        self.version = self.client.version

    @property
    def dialect(self):
        return self.engine.name

    def ask(self, *words, timeout=300):
        try:
            return self.client.ask(*words, timeout=timeout)
        except peers_.Failed as e:
            if e.code in ("crash", "timeout"):
                self.client.end(kill=True)
                self.client = self.engine.client(self.target, self.engine.settings())
            raise

    def usage(self):
        return self.client.ask("usage")["rss"]

    def close(self):
        self.client.end()
        self.engine.stop()


class Dendro(Engine):
    name, label, driver = "dendro", "Dendro", "dendro"

    def find(self):
        return os.path.join(self.options.build, "libdendro.so")

    def settings(self):
        return self.options.set

    def load_table(self, home, target, table, path):
        self.run(target, table.create(self.name))
        words = [os.path.join(self.options.build, "dendro"), "import"]
        words += [w for s in self.options.set for w in ("--set", s)]
        process = Process(words + [target, table.name, path])
        cpu = process.wait()
        return process.peak, cpu, "dendro import"


class DuckDB(Engine):
    name, label, driver = "duckdb", "DuckDB", "duckdb"

    def find(self):
        library, self.environment = versions.duckdb(self.options.root)
        return library

    def load_table(self, home, target, table, path):
        # `""` is an empty text in these files, and nothing is NULL.
        copy = f"COPY {table.name} FROM '{path}' (FORMAT csv, HEADER, ALLOW_QUOTED_NULLS false)"
        return (*self.run(target, table.create(self.name) + [copy, "CHECKPOINT"]), "COPY, then CHECKPOINT")


class ClickHouse(Engine):
    name, label, driver = "clickhouse", "ClickHouse", "clickhouse"

    def find(self):
        return versions.clickhouse(self.options.root)

    def settings(self):
        return ["join_use_nulls=1"]  # what an outer join finds no partner for is NULL, as elsewhere

    def load_table(self, home, target, table, path):
        insert = f"INSERT INTO {table.name} SELECT * FROM file('{path}', 'CSVWithNames', '{self.structure(table)}')"
        return (*self.run(target, table.create(self.name) + [insert]), "INSERT from a CSV file, fsync_after_insert")

    def structure(self, table):
        types = {k: t.replace("LowCardinality(String)", "String") for k, t in TYPES[self.name].items()}
        return ", ".join(f"{n} {types[k]}" for n, k in table.columns)

    def settle_table(self, target, table):
        self.run(target, [f"OPTIMIZE TABLE {table.name} FINAL"])

    def size(self, home, target, table, before):
        """Without parts that were merged and wait to be removed."""
        return self.answer(target, f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = '{table.name}'")


class Server(Engine):
    """A peer that is a server of its own; libpq asks it."""
    driver, served = "pg", True
    process = None

    def find(self):
        return "libpq.so.5"

    def reached(self, target, seconds=90):
        """Waits until the server answers."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                client = self.client(target)
                client.ask("query", "SELECT 1")
                client.end()
                return target
            except peers_.Failed as e:
                if time.monotonic() > deadline or self.process and self.process.poll() is not None:
                    self.stop()
                    raise versions.Missing(f"{self.label} did not start: {e}") from e
                time.sleep(0.2)


class QuestDB(Server):
    name, label = "questdb", "QuestDB"

    def find(self):
        self.jar = versions.questdb(self.options.root)
        if not shutil.which("java"):
            raise versions.Missing("QuestDB needs java 17")
        return super().find()

    def start(self, home):
        data = os.path.join(home, "data")
        os.makedirs(os.path.join(data, "conf"), exist_ok=True)
        port, self.http = free_port(), free_port()
        with open(os.path.join(data, "conf", "server.conf"), "w", encoding="ascii") as f:
            f.write(f"pg.net.bind.to=127.0.0.1:{port}\nhttp.net.bind.to=127.0.0.1:{self.http}\nhttp.min.enabled=false\n"
                    "line.tcp.enabled=false\nline.udp.enabled=false\ntelemetry.enabled=false\ncairo.commit.mode=sync\n"
                    f"cairo.sql.copy.root={os.path.dirname(home)}\n")
        with open(os.path.join(home, "log"), "wb") as log:
            self.process = subprocess.Popen(["java", "-XX:+UseParallelGC", "-p", self.jar, "-m", "io.questdb/io.questdb.ServerMain",
                                             "-d", data], stdout=log, stderr=log)
        return self.reached(f"host=127.0.0.1 port={port} user=admin password=quest dbname=qdb")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def ask_http(self, sql):
        url = f"http://127.0.0.1:{self.http}/exec?" + urllib.parse.urlencode({"query": sql})
        with urllib.request.urlopen(url, timeout=LONG) as answer:
            return json.load(answer)["dataset"]

    def cpu_time(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as f:
            words = f.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def load_table(self, home, target, table, path):
        """COPY runs in the background: its log tells when it is done. It wants the file below a directory of its own."""
        before = self.cpu_time()
        self.run(target, table.create(self.name), ())
        link = os.path.join(os.path.dirname(home), f"{table.name}.questdb.csv")
        if os.path.lexists(link):
            os.remove(link)
        os.link(path, link)
        clock, how = "", "COPY"
        if table.clock:
            pattern = "yyyy-MM-dd HH:mm:ss" + (".SSS" if dict(table.columns)[table.clock] == "time" else "")
            clock = f" TIMESTAMP '{table.clock}' FORMAT '{pattern}' PARTITION BY DAY"
        try:
            self.begin_copy(target, f"COPY {table.name} FROM '{os.path.basename(link)}' WITH HEADER true{clock} ON ERROR ABORT")
            self.wait_copy(table.name)
        finally:
            os.remove(link)
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            peak = next(int(l.split()[1]) * 1024 for l in f if l.startswith("VmHWM:"))
        return peak, self.cpu_time() - before, how

    def begin_copy(self, target, sql, seconds=60):
        """One COPY runs at a time, and the one before may hold its place a moment longer than its log says."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.run(target, [sql], ())
            except peers_.Failed as e:
                if "another import may be in progress" not in str(e) or time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    def wait_copy(self, name):
        """The last line of the log of this COPY has no phase."""
        while True:
            rows = self.ask_http(f"SELECT status, message FROM sys.text_import_log WHERE table_name = '{name}' AND phase = null "
                                 "AND status <> 'started'")
            if rows:
                if rows[-1][0] != "finished":
                    raise peers_.Failed("", f"QuestDB: COPY of {name}: {rows[-1]}")
                return
            if self.process.poll() is not None:
                raise peers_.Failed("crash", "QuestDB ended while it loaded")
            time.sleep(0.05)


class Postgres(Server):
    name, label = "postgres", "PostgreSQL"
    work = {"shared_buffers": "2GB", "work_mem": "256MB", "maintenance_work_mem": "512MB", "effective_cache_size": "8GB", "max_wal_size": "8GB",
            "random_page_cost": "1.1", "max_parallel_workers_per_gather": "2", "max_connections": "200", "timezone": "UTC"}

    def find(self):
        self.bin = versions.postgres()
        return super().find()

    def call(self, home, name, *words):
        """PostgreSQL does not run as root."""
        command = [os.path.join(self.bin, name), *words]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"] + command
        with open(os.path.join(home, "out"), "ab") as out:
            done = subprocess.run(command, stdout=out, stderr=out, cwd=home, check=False)
        if done.returncode != 0:
            with open(os.path.join(home, "out"), encoding="utf-8", errors="replace") as f:
                raise versions.Missing(f"PostgreSQL: {name} failed: {f.read()[-300:]}")

    def start(self, home):
        self.home, data, port = home, os.path.join(home, "data"), free_port()
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(home, entry.pw_uid, entry.pw_gid)
        if not os.path.exists(data):
            self.call(home, "initdb", "-D", data, "--locale=C", "-E", "UTF8", "-A", "trust", "-U", "dendro")
        work = " ".join(f"-c {k}={v}" for k, v in self.work.items())
        self.call(home, "pg_ctl", "-D", data, "-l", os.path.join(home, "log"), "-w", "-t", "120", "-o",
                  f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' {work}", "start")
        return self.reached(f"host=127.0.0.1 port={port} user=dendro dbname=postgres")

    def stop(self):
        self.call(self.home, "pg_ctl", "-D", os.path.join(self.home, "data"), "-m", "fast", "-w", "stop")

    def load_table(self, home, target, table, path):
        self.run(target, table.create(self.name), ())
        subprocess.run([os.path.join(self.bin, "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c",
                        f"\\copy {table.name} FROM '{path}' (FORMAT csv, HEADER)", target], check=True)
        self.run(target, table.index_postgres(), ())
        return 0, 0, "COPY, then indexes"

    def settle_table(self, target, table):
        self.run(target, [f"VACUUM ANALYZE {table.name}"], ())

    def size(self, home, target, table, before):
        """With its indexes, without the log."""
        return self.answer(target, f"SELECT pg_total_relation_size('{table.name}')")


ENGINES = [Dendro, DuckDB, ClickHouse, QuestDB, Postgres]

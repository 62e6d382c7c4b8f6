#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many connections at once: 500 clients that write and ask, over PostgreSQL's protocol, HTTP and line
protocol, for a while.

No request may fail. Printed are answers per second, median and 99th percentile of each kind, and what
the server's process took: resident memory and open files, measured all the time. Memory must be flat
once everybody is connected and the caches are warm, and when the clients are gone so are their files.

    load.py PATH-TO-DENDRO [--seconds N] [--connections N]
"""
import argparse
import asyncio
import datetime
import json
import os
import random
import sys
import time

import asyncpg

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kill"))
import server_kill  # noqa: E402 pylint: disable=wrong-import-position

HOSTS = 100
PATIENCE = 120  # seconds: for one answer, and until files are closed again
GROWTH = 64 << 20  # bytes of memory that may come on top once it is warm …
SHARE = 0.25  # … or this share of what there is
SETTINGS = ["memtable_size=4MB", "memory_limit=256MB"]
TABLE = ("CREATE TABLE reading (host INT NOT NULL, time TIMESTAMP NOT NULL, v DOUBLE, w DOUBLE, "
         "PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time))")
START_MS = 1704067200000  # 2024-01-01
ROWS = 20000  # there before it begins


class Process:
    """What the system knows of the server."""

    def __init__(self, pid):
        self.pid = pid

    def memory(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def files(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))


def moment(n):
    return datetime.datetime.fromtimestamp(START_MS // 1000 + n // HOSTS, datetime.timezone.utc)


class Load:
    def __init__(self, server, seconds, connections):
        self.server, self.seconds, self.connections = server, seconds, connections
        self.taken = {}  # kind: seconds of each answer
        self.everybody = asyncio.Event()
        self.open = 0
        self.written = ROWS
        self.points = 0
        self.until = None
        self.failures = []

    def next_row(self):
        self.written += 1
        return self.written % HOSTS, moment(self.written)

    async def timed(self, kind, answer):
        begin = time.monotonic()
        result = await asyncio.wait_for(answer, PATIENCE)
        self.taken.setdefault(kind, []).append(time.monotonic() - begin)
        return result

    async def steps(self, step):
        """Waits until all are connected, then one step after the other with a little thinking."""
        self.open += 1
        if self.open == self.connections:
            self.until = time.monotonic() + self.seconds
            self.everybody.set()
        await self.everybody.wait()
        while time.monotonic() < self.until:
            await asyncio.sleep(random.random() * self.connections / 2000)
            await step()

    async def wire(self, number):
        conn = await asyncpg.connect(host="127.0.0.1", port=self.server.port, user="dendro", database="dendro", timeout=PATIENCE)

        async def insert():
            host, t = self.next_row()
            await self.timed("INSERT", conn.execute("INSERT INTO reading VALUES ($1, $2, $3, $4)", host, t, float(number), 0.5))

        async def point():
            n = random.randrange(1, ROWS)
            rows = await self.timed("point", conn.fetch("SELECT v, w FROM reading WHERE host = $1 AND time = $2", n % HOSTS, moment(n)))
            if len(rows) != 1:
                raise AssertionError(f"row {n}: {rows}")

        async def span():
            await self.timed("range", conn.fetchval("SELECT avg(v) FROM reading WHERE host = $1", random.randrange(HOSTS)))

        await self.steps([insert, point, span][number % 3])
        await conn.close()

    async def http(self, number):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.http_port)

        async def ask(path, body):
            writer.write(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body.encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            text = b""
            if "chunked" in head:
                while size := int(await reader.readline(), 16):
                    text += (await reader.readexactly(size + 2))[:-2]
                await reader.readline()
            elif "content-length: " in head:
                text = await reader.readexactly(int(head.split("content-length: ")[1].split("\r")[0]))
            if head.split()[1] not in ("200", "204"):
                raise AssertionError(f"{path}: {head} {text}")
            return text

        async def sql():
            text = await self.timed("/api/sql", ask("/api/sql", f"SELECT count(*) FROM reading WHERE host = {random.randrange(HOSTS)}"))
            if json.loads(text)["rows"][0][0] < ROWS // HOSTS:
                raise AssertionError(text)

        async def lines():
            self.points += 10
            body = "".join(f"load,host=h{number} v={i}.5,w={i}i {START_MS * 10**6 + self.points + i}\n" for i in range(10))
            await self.timed("/write, 10 points", ask("/write", body))

        await self.steps([sql, lines][number % 2])
        writer.close()
        await writer.wait_closed()

    async def watch(self, process, seen):
        """Memory and files each half second; the first fifth is the warm-up."""
        await self.everybody.wait()
        begin = time.monotonic()
        while time.monotonic() < self.until:
            seen.append((time.monotonic() - begin, process.memory(), process.files()))
            await asyncio.sleep(min(0.5, self.seconds / 40))
        seen.append((max(self.seconds, time.monotonic() - begin), process.memory(), process.files()))

    async def run(self):
        process, seen = Process(self.server.process.pid), []
        files = process.files()
        clients = [self.client(self.wire if i % 5 < 3 else self.http, i) for i in range(self.connections)]
        await asyncio.gather(self.watch(process, seen), *clients)
        if self.failures:
            raise AssertionError(f"{len(self.failures)} clients failed: {self.failures[0]}")
        return files, seen

    async def client(self, kind, number):
        try:
            await kind(number)
        except (OSError, ValueError, AssertionError, EOFError, asyncio.TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            self.failures.append(f"{kind.__name__}: {type(error).__name__}: {error}")
            self.until = 0  # the others end, too
            self.everybody.set()


def prepare(server):
    server.sql(TABLE)
    server.sql(f"INSERT INTO reading SELECT n % {HOSTS}, to_timestamp(({START_MS} + n / {HOSTS} * 1000)::DOUBLE / 1000), n, 0.5 "
               f"FROM generate_series(0, {ROWS}) AS s (n)")
    server.post("/write", "load,host=h0 v=1.5,w=1i 1\n")


def report(load):
    total = 0
    for kind, taken in sorted(load.taken.items()):
        taken.sort()
        total += len(taken)
        print(f"{kind:20}{len(taken) / load.seconds:10.0f}/s{taken[len(taken) // 2] * 1e3:10.2f} ms median"
              f"{taken[len(taken) * 99 // 100] * 1e3:10.2f} ms 99%{taken[-1] * 1e3:10.2f} ms longest")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, default=500)
    args = parser.parse_args()
    server_kill.httplib.wirelib.PROGRAM = os.path.abspath(args.program)
    server = server_kill.Server(SETTINGS)
    try:
        prepare(server)
        load = Load(server, args.seconds, args.connections)
        files, seen = asyncio.run(load.run())
        total = report(load)
        warm = [m for at, m, _ in seen if at >= args.seconds / 5]
        growth = warm[-1] - warm[0]
        print(f"{args.connections} connections, {total} answers, no error; memory {warm[0] >> 20} MB when warm, {warm[-1] >> 20} MB at the end; "
              f"{files} files before, {max(f for _, _, f in seen)} under load")
        if growth > max(GROWTH, warm[0] * SHARE):
            raise AssertionError(f"memory grew by {growth >> 20} MB")
        end = time.monotonic() + PATIENCE
        process = Process(server.process.pid)
        while process.files() > files + 40 and time.monotonic() < end:  # segments and log chunks are files, too
            time.sleep(0.05)
        if process.files() > files + 40:
            raise AssertionError(f"{process.files()} files are open after all connections were closed, {files} were before")
        server.stop()
    finally:
        server.remove()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as error:
        print(error)
        sys.exit(1)

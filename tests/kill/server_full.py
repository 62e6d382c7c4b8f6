#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up under the server and its eight clients (clients.py).

On a small file system of its own a ballast file takes most of the space. Writes go on until every
kind of client was refused with 53100; reads must go on all the while. A table is dropped, which must work on
the full disk, and makes room for more. When that is full, too, the ballast is removed, and all of them must be
served again by the same process. Then the server is killed: what was acknowledged is
there once, what was refused is not, and `dendro check` finds nothing.

    server_full.py PATH-TO-DENDRO
"""
import os
import subprocess
import sys
import tempfile
import time

import clients
import server_kill
from full_disk import enter_namespace
from server_kill import httplib

MIB = 1 << 20
SIZE = 8 * MIB
BALLAST = 6 * MIB
SPARE = 64, 8192  # rows and bytes of the table that is dropped; random ones, so that they take their space
AFTER = 3  # acknowledgements of each client once there is space again
LIMIT = 240  # seconds for a condition to come true


class Reader(clients.Wire):
    """Counts rows; they never become fewer."""

    reads = rows = 0

    def step(self):
        count = self.one("SELECT count(*) FROM bare")
        if count < self.rows:
            raise AssertionError(f"{count} rows, but there were {self.rows}")
        self.rows = count
        self.reads += 1
        time.sleep(0.01)


def wait(threads, what, condition):
    limit = time.monotonic() + LIMIT
    while not condition():
        for t in threads:
            if t.failure:
                raise AssertionError(f"client {t.ledger.w} ({type(t).__name__}): {t.failure}")
        if time.monotonic() > limit:
            said = ", ".join(f"{type(t).__name__} {t.acks}+{t.refusals}" for t in threads)
            raise AssertionError(f"{what} did not happen (acknowledged + refused: {said})")
        time.sleep(0.01)


def fill(cursor):
    cursor.execute("CREATE TABLE spare (a INT PRIMARY KEY, b BYTEA)")
    for i in range(SPARE[0]):
        cursor.execute("INSERT INTO spare VALUES (%s, %s)", (i, os.urandom(SPARE[1])))
    cursor.execute("CHECKPOINT")


def run(base):
    ballast = os.path.join(base, "ballast")
    with open(ballast, "wb") as file:
        file.write(b"\xff" * BALLAST)
    server = server_kill.Server(server_kill.SETTINGS)
    book = clients.Book(1)
    try:
        conn = server.wire()
        with conn.cursor() as cursor:
            for sql in clients.TABLES:
                cursor.execute(sql)
            fill(cursor)
        plan = server_kill.Plan(server)
        plan.tolerated, plan.rows = ("53100",), [20, 50, 100]
        threads = book.clients(plan)
        reader = Reader(clients.Ledger(99, 1), plan)
        for t in threads + [reader]:
            t.start()
        # A line that is refused over TCP is told there; nothing else can be.
        telling = [t for t in threads if not isinstance(t, clients.Tcp)]
        wait(threads + [reader], "that every client is refused", lambda: all(t.refusals for t in telling))
        seen, acks = reader.reads, [t.acks for t in telling]
        wait(threads + [reader], "reading on a full disk", lambda: reader.reads >= seen + 10)
        print(f"full: {sum(acks)} acknowledged, {sum(t.refusals for t in telling)} refused", flush=True)
        with conn.cursor() as cursor:
            cursor.execute("DROP TABLE spare")
        conn.close()
        wait(threads + [reader], "writing where a table was dropped", lambda: sum(t.acks for t in telling) >= sum(acks) + len(acks))
        refusals = [t.refusals for t in telling]
        wait(threads + [reader], "that there is no space again", lambda: all(t.refusals > r for t, r in zip(telling, refusals)))
        seen = reader.reads
        wait(threads + [reader], "reading on a disk that is full again", lambda: reader.reads >= seen + 10)
        os.unlink(ballast)
        acks = [t.acks for t in telling]
        wait(threads + [reader], "writing with space again", lambda: all(t.acks >= a + AFTER for t, a in zip(telling, acks)))
        plan.stop.set()
        for t in threads + [reader]:
            t.join()
        if reader.refusals:
            raise AssertionError(f"{reader.refusals} reads were refused")
        server.kill()
        server.start()
        conn = server.wire()
        book.verify(conn)
        conn.close()
        server.stop()
        server_kill.verdict(server)
    finally:
        server.remove()
    print(f"{book.acked()} batches acknowledged, each there once; {reader.reads} reads")


def main():
    if sys.argv[1] != "--inside":
        enter_namespace(__file__)
    httplib.wirelib.PROGRAM = os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="dendro-full-") as base:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", base], check=True)
        try:
            tempfile.tempdir = base
            run(base)
        finally:
            tempfile.tempdir = None
            subprocess.run(["umount", "-l", base], check=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (AssertionError, RuntimeError) as error:
        print(error)
        sys.exit(1)

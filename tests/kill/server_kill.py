#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the real server under eight clients that write (clients.py), again and again.

Each life: the server starts on the directory that the last one left; all that was acknowledged must
be there, once; clients write over PostgreSQL's protocol, HTTP and line protocol; the server is killed
at a random moment. At the end it stops as it should, and `dendro check` must find nothing.

    server_kill.py PATH-TO-DENDRO [--minutes N]

Without --minutes there are 20 kills and short lives. With, it goes on for so long, tells how it gets
on, and takes a fresh directory now and then. DENDRO_TEST_SEED: of the choices.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import threading
import time

import psycopg2

import clients
from session import check

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
import httplib  # noqa: E402 pylint: disable=wrong-import-position

KILLS = 20
LIVES = 60  # of one directory, in a long run
PATIENCE = 20  # seconds that a life may last without so many acknowledgements
SETTINGS = ["memtable_size=64kB", "log_chunk_size=64kB"]  # flush, merge and roll all the time


class Server(httplib.Server):
    def __init__(self, settings=()):
        super().__init__("--ilp-port", "any", *[word for s in settings for word in ("--set", s)])

    @property
    def data(self):
        return os.path.join(self.dir, "db")

    def wire(self):
        conn = psycopg2.connect(host="127.0.0.1", port=self.port, user="dendro", dbname="dendro")
        conn.autocommit = True
        return conn

    def start(self):
        """What it logs is read all the time, or it would wait for us."""
        super().start()
        self.said = []
        self.reader = threading.Thread(target=self.said.extend, args=(self.process.stderr,), daemon=True)
        self.reader.start()

    def ended(self):
        """Waits for its end. What it logged must be no finding of a sanitizer."""
        code = self.process.wait(timeout=300)
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        said = "".join(self.said)
        if "Sanitizer" in said or "runtime error" in said:
            raise AssertionError(f"the server ended with {code}: {said}")
        return code, said

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code, said = self.ended()
        if code != 0:
            raise AssertionError(f"the server ended with {code}: {said}")

    def kill(self):
        """kill -9; it must have been alive until then."""
        before = self.process.poll()
        self.process.kill()
        _, said = self.ended()
        if before is not None:
            raise AssertionError(f"the server ended by itself with {before}: {said}")


class Plan:
    """What clients.py wants to know."""

    def __init__(self, server):
        self.server = server
        self.stop, self.going = threading.Event(), threading.Event()
        self.tolerated = ()
        self.rows = [1, 1, 2, 3, 10, 50]


def live(server, book, acks, seconds):
    """One life: until there are so many acknowledgements, and a moment more."""
    plan = Plan(server)
    threads = book.clients(plan)
    limit = time.monotonic() + PATIENCE
    for t in threads:
        t.start()
    while sum(t.acks for t in threads) < acks and not any(t.failure for t in threads) and time.monotonic() < limit:
        time.sleep(0.002)
    time.sleep(seconds)
    plan.going.set()
    server.kill()
    for t in threads:
        t.join()
    for t in threads:
        if t.failure:
            raise AssertionError(f"client {t.ledger.w} ({type(t).__name__}): {t.failure}")


def directory(seed, kills, acks, until=None):
    """So many lives of one directory, with up to so many acknowledgements. Gives (kills, batches that survived)."""
    choose = random.Random(seed)
    book = clients.Book(seed)
    server = Server(SETTINGS)
    done, told = 0, time.monotonic()
    try:
        with server.wire() as conn, conn.cursor() as cursor:
            for sql in clients.TABLES:
                cursor.execute(sql)
        while done < kills and (until is None or time.monotonic() < until):
            live(server, book, choose.choice([0, choose.randrange(acks), choose.randrange(acks)]), choose.random() * 0.05)
            done += 1
            if done % 7 == 0:  # before somebody opens it
                verdict(server)
            server.start()
            conn = server.wire()
            book.verify(conn)
            conn.close()
            if until and time.monotonic() > told + 60:
                told = time.monotonic()
                print(f"  {(until - told) / 60:.1f} min left: {done} kills of this directory, {book.acked()} batches", flush=True)
        server.stop()
        verdict(server)
    except (AssertionError, RuntimeError, psycopg2.Error, subprocess.SubprocessError) as error:
        raise AssertionError(f"seed {seed}, kill {done}: {type(error).__name__}: {error}") from error
    finally:
        server.remove()
    return done, book.acked()


def verdict(server):
    wrong = check(httplib.wirelib.PROGRAM, server.data)
    if wrong:
        raise AssertionError("dendro check: " + wrong)


def long_run(seed, minutes):
    begin = time.monotonic()
    until = begin + minutes * 60
    kills = acked = 0
    while time.monotonic() < until:
        k, a = directory(seed, LIVES, 4000, until)
        seed, kills, acked = seed + 1, kills + k, acked + a
        print(f"{(time.monotonic() - begin) / 60:6.1f} min: {kills} kills, {acked} acknowledged batches, all there once", flush=True)
    return kills, acked


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float)
    args = parser.parse_args()
    httplib.wirelib.PROGRAM = os.path.abspath(args.program)
    seed = int(os.environ.get("DENDRO_TEST_SEED") or time.time_ns() % 1000000)
    try:
        kills, acked = long_run(seed, args.minutes) if args.minutes else directory(seed, KILLS, 60)
    except AssertionError as error:
        print(error)
        return 1
    print(f"{kills} kills, {acked} acknowledged batches, each there once (seed {seed})")
    return 0 if kills and acked else 1


if __name__ == "__main__":
    sys.exit(main())

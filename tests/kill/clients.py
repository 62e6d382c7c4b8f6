# SPDX-License-Identifier: Apache-2.0
"""Clients that write through a server and remember what it said of each batch of rows.

A batch has a number of its own (`bn`, unique with its client `w`) and is to be there whole or not at
all, with each row once. What became of it:

    sent     on its way when the server went: may be there or not
    acked    the server said so: must be there
    refused  the server said no: must not be there
    there, gone    what was found after that; may not change any more
"""
import http.client
import io
import json
import random
import socket
import threading
import time

import psycopg2

PATIENCE = 120  # seconds until an answer counts as missing

TABLES = [
    "CREATE TABLE single (w INT, bn BIGINT, i INT, n INT, pad VARCHAR, PRIMARY KEY ((w), bn, i))",
    "CREATE TABLE bare (w INT, bn BIGINT, i INT, n INT, pad VARCHAR)",
    "CREATE TABLE riak (w INT NOT NULL, t TIMESTAMP NOT NULL, i INT NOT NULL, bn BIGINT, n INT, pad VARCHAR, "
    "PRIMARY KEY ((w, QUANTUM(t, 1, 'h')), w, t, i))",
    "CREATE TABLE ranged (t TIMESTAMP, w INT, i INT, bn BIGINT, n INT, pad VARCHAR, PRIMARY KEY (t, w, i)) "
    "WITH (upsert = 'field')",
    "CREATE TABLE account (id INT PRIMARY KEY, amount BIGINT)",
    "INSERT INTO account SELECT g, 100 FROM generate_series(1, 10) g",
    "CREATE SEQUENCE numbers",
]
COUNTED = ["single", "bare", "riak", "ranged", "lines", "more lines", "tcp"]
TOTAL = 1000  # of the accounts


class Lost(Exception):
    """The connection is gone."""


class Refused(Exception):
    """The server said no, with this SQLSTATE."""

    def __init__(self, state, text):
        super().__init__(f"{state}: {text}")
        self.state = state


class Batch:
    def __init__(self, number, parts):
        self.number = number
        self.parts = parts  # table: rows
        self.state = "sent"


class Client(threading.Thread):
    """One connection, one batch after the other until the server goes or `plan.stop` is set.

    plan: what a run wants of its clients: stop and going (events), tolerated (SQLSTATEs of
    refusals), rows (how many a batch may have), server."""

    def __init__(self, ledger, plan):
        super().__init__(daemon=True)
        self.ledger, self.plan, self.random = ledger, plan, ledger.random
        self.failure = None
        self.refusals = self.acks = 0

    def run(self):
        try:
            self.open()
            while not self.plan.stop.is_set():
                try:
                    self.step()
                except Refused as no:
                    if no.state not in self.plan.tolerated:
                        raise
                    self.refusals += 1
                    time.sleep(0.01)  # nothing changes that fast, and the others want their turn
        except Lost as lost:
            if not self.plan.going.is_set():
                self.failure = f"lost its connection while the server was there: {lost}"
        except Exception as error:  # pylint: disable=broad-except
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self.close()

    def batch(self, *tables):
        """A new one: so many rows of each table."""
        parts = {t: self.random.choice(self.plan.rows) for t in tables}
        made = Batch(len(self.ledger.batches), parts)
        self.ledger.batches.append(made)
        return made

    def settle(self, batch, call):
        """Does it, and remembers what the server said."""
        try:
            call()
        except Refused:
            batch.state = "refused"
            raise
        batch.state = "acked"
        self.acks += 1

    def pad(self):
        return f"{self.random.getrandbits(8 * self.random.randrange(30) + 4):x}"

    def values(self, batch, table):
        """Rows as VALUES has them."""
        w, bn, n = self.ledger.w, batch.number, batch.parts[table]
        for i in range(n):
            ms = 1 + bn + i * 7 * 3600 * 1000  # several quanta and slabs
            yield {"single": f"({w}, {bn}, {i}, {n}, '{self.pad()}')", "bare": f"({w}, {bn}, {i}, {n}, '{self.pad()}')",
                   "riak": f"({w}, {ms}, {i}, {bn}, {n}, '{self.pad()}')",
                   "ranged": f"({ms}, {w}, {i}, {bn}, {n}, '{self.pad()}')"}[table]

    def insert(self, batch, table):
        return f"INSERT INTO {table} VALUES " + ", ".join(self.values(batch, table))

    def open(self):
        raise NotImplementedError

    def step(self):
        raise NotImplementedError

    def close(self):
        pass


class Wire(Client):
    """PostgreSQL's protocol, by psycopg."""

    def open(self):
        self.conn = None
        try:
            self.conn = self.plan.server.wire()
        except psycopg2.OperationalError as error:
            raise Lost(error) from None

    def close(self):
        if self.conn:
            self.conn.close()

    def call(self, run):
        try:
            with self.conn.cursor() as cursor:
                return run(cursor)
        except psycopg2.Error as error:
            if error.pgcode is None or self.conn.closed:
                raise Lost(error) from None
            raise Refused(error.pgcode, error) from None

    def do(self, sql):
        return self.call(lambda c: c.execute(sql))

    def one(self, sql):
        def run(cursor):
            cursor.execute(sql)
            return cursor.fetchone()[0]
        return self.call(run)


class Single(Wire):
    """Statements of their own."""

    def step(self):
        table = self.random.choice(["single", "bare", "riak", "ranged"])
        batch = self.batch(table)
        self.settle(batch, lambda: self.do(self.insert(batch, table)))


class Transactions(Wire):
    """Several tables, money that moves, numbers of a sequence; some are taken back."""

    def step(self):
        batch = self.batch("single", "riak", "bare")
        self.do("BEGIN")
        try:
            # A number that was handed out is never handed out again, whatever becomes of the transaction.
            self.ledger.numbers.append(self.one("SELECT nextval('numbers')"))
            a, b = self.random.sample(range(1, 11), 2)
            self.do(f"UPDATE account SET amount = amount - 7 WHERE id = {a}")
            for table in batch.parts:
                self.do(self.insert(batch, table))
            self.do(f"UPDATE account SET amount = amount + 7 WHERE id = {b}")
            if self.random.random() < 0.1:
                self.do("ROLLBACK")
                batch.state = "refused"
                return
            self.settle(batch, lambda: self.do("COMMIT"))
        except Refused as no:
            batch.state = "refused"
            self.do("ROLLBACK")
            if no.state != "40001":  # the other one was first
                raise


class Copy(Wire):
    """COPY FROM STDIN, the rows of a message in several pieces."""

    def step(self):
        batch = self.batch("bare")
        rows = "".join(f"{self.ledger.w},{batch.number},{i},{batch.parts['bare']},{self.pad()}\n"
                       for i in range(batch.parts["bare"]))
        self.settle(batch, lambda: self.call(
            lambda c: c.copy_expert("COPY bare FROM STDIN (FORMAT csv)", io.StringIO(rows), 512)))


class Tables(Wire):
    """Tables that come, grow and go. ledger.shapes has, for each name, the numbers of columns it may
    have now, 0 for none."""

    def change(self, name, to, *statements):
        while not self.changed(name, to, statements):
            pass  # a table came over a line meanwhile: again, as the error says

    def changed(self, name, to, statements):
        shapes = self.ledger.shapes
        before = shapes[name]
        shapes[name] = before | {to}
        try:
            for sql in statements:
                self.do(sql)
        except Refused as no:
            if len(statements) > 1:
                self.do("ROLLBACK")
            shapes[name] = before
            if no.state == "40001":
                return False
            raise
        shapes[name] = {to}
        self.acks += 1
        return True

    def step(self):
        name = f"d{len(self.ledger.shapes)}"
        self.ledger.shapes[name] = {0}
        self.change(name, 2, "BEGIN", f"CREATE TABLE {name} (k INT PRIMARY KEY, v INT)",
                    f"INSERT INTO {name} VALUES (1, 1), (2, 2), (3, 3)", "COMMIT")
        self.change(name, 3, f"ALTER TABLE {name} ADD COLUMN c INT DEFAULT 7")
        if self.random.random() < 0.3:
            self.do("CHECKPOINT")
        if self.random.random() < 0.9:
            self.change(name, 0, f"DROP TABLE {name}")


class Http(Client):
    """POST /api/sql."""

    def open(self):
        self.conn = http.client.HTTPConnection("127.0.0.1", self.plan.server.http_port, timeout=PATIENCE)

    def close(self):
        self.conn.close()

    def post(self, path, body, **headers):
        try:
            self.conn.request("POST", path, body, headers)
            answer = self.conn.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, TimeoutError):
                raise
            raise Lost(repr(error)) from None
        if answer.status >= 300:
            said = json.loads(text)
            said = said["error"] if isinstance(said.get("error"), dict) else said
            raise Refused(said.get("sqlstate", answer.status), text.decode())

    def step(self):
        table = self.random.choice(["single", "bare", "riak"])
        batch = self.batch(table)
        self.settle(batch, lambda: self.post("/api/sql", self.insert(batch, table)))


def point(ledger, batch, table, i, extra_tag="", extra_field=""):
    """A line; its time is its own."""
    name = table.replace(" ", "\\ ")
    n = batch.parts[table]
    return (f"{name},w={ledger.w}{extra_tag} bn={batch.number}i,i={i}i,n={n}i{extra_field} "
            f"{1700000000000000000 + batch.number * 3600 * 10**9 // 50 + i}\n")


class Lines(Http):
    """POST /write, to two tables; now and then a tag or field that is new, a number that becomes a
    float. A batch whose answer was lost is sent again, as agents do: it must not be there twice."""

    def open(self):
        super().open()
        self.again = [(b, text) for b, text in self.ledger.texts if b.state != "acked"]
        self.ledger.texts = []

    def text(self, batch):
        lines = []
        for table, n in batch.parts.items():
            tag = f",tag{self.random.randrange(3)}=x" if self.random.random() < 0.05 else ""
            field = f",f{self.random.randrange(30)}=1i" if self.random.random() < 0.3 else ""
            if self.random.random() < 0.1:
                field += f",g{self.random.randrange(5)}={self.random.choice(['1', '1.5'])}"
            lines += [point(self.ledger, batch, table, i, tag, field) for i in range(n)]
        return "".join(lines)

    def step(self):
        if self.again:
            batch, text = self.again.pop()
        else:
            batch = self.batch("lines", "more lines")
            text = self.text(batch)
        batch.state = "sent"
        self.ledger.texts = [(batch, text)]
        try:
            self.settle(batch, lambda: self.post("/write", text))
        except Refused as no:
            if no.state != "40001":  # tables come and go all the time: 503, try later
                raise
            self.again.append((batch, text))


class Tcp(Wire):
    """Lines over a connection of their own. Nothing is said of them, but what a reader has seen must stay."""

    def open(self):
        super().open()
        try:
            self.socket = socket.create_connection(("127.0.0.1", self.plan.server.ilp_port), PATIENCE)
        except OSError as error:
            raise Lost(repr(error)) from None

    def close(self):
        super().close()
        if hasattr(self, "socket"):
            self.socket.close()

    def seen(self, batch):
        """Waits for the rows, or for the line that says no."""
        end = time.monotonic() + PATIENCE
        sql = f"SELECT count(*) FROM tcp WHERE bn = {batch.number}"
        while time.monotonic() < end:
            try:
                if self.one(sql) == batch.parts["tcp"]:
                    return
            except Refused as no:
                if no.state != "42P01":  # the table comes with the first line
                    raise
            self.socket.settimeout(0.002)
            try:
                said = self.socket.recv(65536)
            except TimeoutError:
                continue
            except OSError as error:
                raise Lost(repr(error)) from None
            if not said:
                raise Lost("end of file")
            raise Refused("53100" if b"No space left" in said else "tcp", said.decode())
        raise TimeoutError("lines did not arrive")

    def step(self):
        batch = self.batch("tcp")
        text = "".join(point(self.ledger, batch, "tcp", i) for i in range(batch.parts["tcp"]))
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.sendall(text.encode())
        except OSError as error:
            raise Lost(repr(error)) from None
        try:
            self.settle(batch, lambda: self.seen(batch))
        except Refused:
            batch.state = "parts"  # lines that did not come together count each for itself
            raise


KINDS = [Single, Transactions, Transactions, Copy, Tables, Http, Lines, Tcp]


class Ledger:
    """What one client has sent over all its connections."""

    def __init__(self, w, seed):
        self.w = w
        self.random = random.Random(seed * 100 + w)
        self.batches = []
        self.numbers = []  # of the sequence
        self.shapes = {}   # of tables
        self.texts = []    # what Lines has to send again


class Book:
    """The ledgers of all clients, and the look whether a server has what they say."""

    def __init__(self, seed):
        self.ledgers = [Ledger(w, seed) for w in range(len(KINDS))]

    def clients(self, plan):
        return [kind(ledger, plan) for kind, ledger in zip(KINDS, self.ledgers)]

    def acked(self):
        return sum(b.state in ("acked", "there") for ledger in self.ledgers for b in ledger.batches)

    def verify(self, conn):
        with conn.cursor() as cursor:
            def rows(sql):
                cursor.execute(sql)
                return cursor.fetchall()

            found = {}  # (table, w, bn): rows, different ones, what the rows say of their number
            there = {name for name, in rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")}
            for table in COUNTED:
                if table in there:
                    for w, bn, *counts in rows(f'SELECT w, bn, count(*), count(DISTINCT i), min(n), max(n) FROM "{table}" GROUP BY w, bn'):
                        found[table, int(w), bn] = counts
            self.judge(found)
            total, = rows("SELECT sum(amount) FROM account")[0]
            if total != TOTAL:
                raise AssertionError(f"half of a transaction: the accounts have {total}, not {TOTAL}")
            self.judge_tables(rows)
        numbers = [n for ledger in self.ledgers for n in ledger.numbers]
        if len(numbers) != len(set(numbers)):
            raise AssertionError(f"a number of the sequence was handed out twice: {len(numbers) - len(set(numbers))} are")

    def judge(self, found):
        for ledger in self.ledgers:
            for batch in ledger.batches:
                counts = {t: found.pop((t, ledger.w, batch.number), [0, 0, n, n]) for t, n in batch.parts.items()}
                what = f"client {ledger.w} ({KINDS[ledger.w].__name__}), batch {batch.number} ({batch.state}): "
                what += ", ".join(f"{c[0]} of {batch.parts[t]} rows of {t}" for t, c in counts.items())
                if any(c[0] != c[1] or c[2:] != [batch.parts[t]] * 2 for t, c in counts.items()):
                    raise AssertionError("rows twice, or not as they were sent: " + what)
                if batch.state == "parts":
                    continue
                whole = all(c[0] == batch.parts[t] for t, c in counts.items())
                none = all(c[0] == 0 for c in counts.values())
                # Lines that come over a connection are no transaction: those that came together are.
                if not whole and not none and ("tcp" not in batch.parts or batch.state in ("acked", "there")):
                    raise AssertionError("there in part: " + what)
                if none and batch.state in ("acked", "there"):
                    raise AssertionError("lost: " + what)
                if whole and batch.state in ("refused", "gone"):
                    raise AssertionError("there, but was not to be: " + what)
                batch.state = "there" if whole else "gone" if none else "parts"
        if found:
            raise AssertionError(f"rows that nobody wrote: {sorted(found)[:5]}")

    def judge_tables(self, rows):
        columns = dict(rows("SELECT table_name, count(*) FROM information_schema.columns WHERE table_name LIKE 'd%' "
                            "AND table_schema = 'public' GROUP BY table_name"))
        for ledger in self.ledgers:
            for name, shapes in ledger.shapes.items():
                have = columns.pop(name, 0)
                if have not in shapes:
                    raise AssertionError(f"table {name} has {have} columns, not one of {shapes}")
                if have and rows(f"SELECT count(*), sum(k) FROM {name}") != [(3, 6)]:
                    raise AssertionError(f"table {name} has not the three rows that it was made with")
                ledger.shapes[name] = {have}
        if columns:
            raise AssertionError(f"tables that nobody made: {sorted(columns)[:5]}")

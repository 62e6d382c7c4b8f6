#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions as others see them: pg_stat_activity, pg_cancel_backend, pg_terminate_backend."""
import os
import select
import struct
import sys
import threading
import time

import wirelib
from wirelib import ServerTest

import psycopg2


class ActivityTest(ServerTest):
    def connect(self, user="dendro", **more):
        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user=user, dbname="dendro", **more)
        c.autocommit = True
        self.addCleanup(c.close)
        return c

    def rows(self, conn, sql, *args):
        cur = conn.cursor()
        cur.execute(sql, args)
        return cur.fetchall() if cur.description else None

    def until(self, conn, sql, *args):
        """Waits until the query says true."""
        end = time.monotonic() + 120
        while self.rows(conn, sql, *args) != [(True,)]:
            self.assertLess(time.monotonic(), end, sql)
            time.sleep(0.01)

    def start(self, conn, sql):
        """Runs it in a thread; the result is a list with what was raised, once the thread is joined."""
        raised = []

        def run():
            try:
                self.rows(conn, sql)
            except psycopg2.Error as e:
                raised.append(e)
        thread = threading.Thread(target=run)
        thread.start()
        return thread, raised

    def sleeps(self, admin, conn):
        self.until(admin, "SELECT state = 'active' AND query LIKE '%%pg_sleep(1000)%%' FROM pg_stat_activity WHERE pid = %s",
                   conn.info.backend_pid)


class Seen(ActivityTest):
    def test_states(self):
        admin, other = self.connect(), self.connect(application_name="the other")
        pid = other.info.backend_pid
        self.assertEqual(self.rows(other, "SELECT pg_backend_pid()"), [(pid,)])
        mine = "SELECT state, query, xact_start IS NULL FROM pg_stat_activity WHERE pid = %s"
        self.assertEqual(self.rows(admin, mine, pid), [("idle", "SELECT pg_backend_pid()", True)])
        self.rows(other, "BEGIN")
        self.assertEqual(self.rows(admin, mine, pid), [("idle in transaction", "BEGIN", False)])
        with self.assertRaises(psycopg2.errors.UndefinedTable):
            self.rows(other, "SELECT * FROM nosuch")
        self.assertEqual(self.rows(admin, mine, pid)[0][0], "idle in transaction (aborted)")
        self.rows(other, "ROLLBACK")
        self.assertEqual(self.rows(admin, mine, pid), [("idle", "ROLLBACK", True)])
        self.assertEqual(self.rows(admin, "SELECT usename, datname, application_name, client_addr, client_port > 0, "
                                   "backend_start <= query_start, query_start <= state_change FROM pg_stat_activity WHERE pid = %s", pid),
                         [("dendro", "dendro", "the other", "127.0.0.1", True, True, True)])
        self.rows(other, "SET application_name = 'new'")
        self.assertEqual(self.rows(admin, "SELECT application_name FROM pg_stat_activity WHERE pid = %s", pid), [("new",)])
        self.assertEqual(self.rows(admin, "SELECT count(*), min(numbackends) FROM pg_stat_activity, pg_stat_database"), [(2, 2)])
        other.close()
        self.until(admin, "SELECT count(*) = 1 FROM pg_stat_activity")

    def test_rows_on_their_way(self):
        """A cursor of the client between two fetches is idle in its transaction."""
        admin, other = self.connect(), self.connect()
        other.autocommit = False
        cur = other.cursor("c")
        cur.itersize = 10
        cur.execute("SELECT * FROM generate_series(1, 100000)")
        self.assertEqual(cur.fetchone(), (1,))
        self.assertEqual(self.rows(admin, "SELECT state FROM pg_stat_activity WHERE pid = %s", other.info.backend_pid),
                         [("idle in transaction",)])


class Secrets(ActivityTest):
    def test_passwords(self):
        admin, other = self.connect(), self.connect()
        seen = "SELECT query FROM pg_stat_activity WHERE pid = %s"
        for sql, shown in (("CREATE ROLE careful PASSWORD 'hunter2'", "CREATE ROLE careful ********"),
                           ("ALTER ROLE careful PASSWORD 'hunter2'", "ALTER ROLE careful ********")):
            self.rows(other, sql)
            self.assertEqual(self.rows(admin, seen, other.info.backend_pid), [(shown,)])
        for bad in ("ALTER ROLE careful PASWORD 'hunter2'", "ALTER ROLE nosuch PASSWORD 'hunter2'"):
            with self.assertRaises(psycopg2.Error):
                self.rows(other, bad)
            self.assertNotIn("hunter2", self.rows(admin, seen, other.info.backend_pid)[0][0])

    def test_others(self):
        admin = self.connect()
        self.rows(admin, "CREATE USER alice; CREATE USER bob; CREATE USER watcher; GRANT pg_read_all_stats TO watcher; "
                  "CREATE USER chief; GRANT alice TO chief; CREATE USER monitor; GRANT pg_monitor TO monitor")
        alice = self.connect("alice")
        self.rows(alice, "SELECT 'of alice'")
        sees = "SELECT usename, query, state, client_addr IS NULL, backend_start IS NULL FROM pg_stat_activity WHERE pid = %s"
        whole = [("alice", "SELECT 'of alice'", "idle", False, False)]
        self.assertEqual(self.rows(self.connect("bob"), sees, alice.info.backend_pid),
                         [("alice", "<insufficient privilege>", None, True, True)])
        for who in ("dendro", "watcher", "chief", "alice", "monitor"):
            self.assertEqual(self.rows(self.connect(who), sees, alice.info.backend_pid), whole, who)


class Signals(ActivityTest):
    def test_cancel(self):
        admin, other = self.connect(), self.connect()
        thread, raised = self.start(other, "SELECT pg_sleep(1000)")
        self.sleeps(admin, other)
        self.assertEqual(self.rows(admin, "SELECT pg_cancel_backend(%s)", other.info.backend_pid), [(True,)])
        thread.join()
        self.assertIsInstance(raised[0], psycopg2.errors.QueryCanceled)
        self.assertEqual(self.rows(other, "SELECT 1"), [(1,)])
        # One that does nothing goes on as before.
        self.assertEqual(self.rows(admin, "SELECT pg_cancel_backend(%s)", other.info.backend_pid), [(True,)])
        self.assertEqual(self.rows(other, "SELECT 1"), [(1,)])
        # The protocol's own way, by the same number.
        thread, raised = self.start(other, "SELECT pg_sleep(1000)")
        self.sleeps(admin, other)
        other.cancel()
        thread.join()
        self.assertIsInstance(raised[0], psycopg2.errors.QueryCanceled)

    def test_terminate(self):
        admin, idle, busy = self.connect(), self.connect(), self.connect()
        self.rows(admin, "CREATE TABLE kept (k INT PRIMARY KEY)")
        self.rows(idle, "BEGIN; INSERT INTO kept VALUES (1)")
        self.assertEqual(self.rows(admin, "SELECT pg_terminate_backend(%s, 60000)", idle.info.backend_pid), [(True,)])
        self.assertEqual(self.rows(admin, "SELECT count(*) FROM pg_stat_activity WHERE pid = %s", idle.info.backend_pid), [(0,)])
        select.select([idle], [], [])
        self.assertIn(b"FATAL\0C57P01\0Mterminating connection due to administrator command\0", os.read(idle.fileno(), 1000))
        with self.assertRaises(psycopg2.OperationalError):
            self.rows(idle, "COMMIT")
        self.assertEqual(self.rows(admin, "SELECT count(*) FROM kept"), [(0,)])
        query = b"SELECT pg_sleep(1000)\0"
        os.write(busy.fileno(), b"Q" + struct.pack(">i", len(query) + 4) + query)
        self.sleeps(admin, busy)
        self.assertEqual(self.rows(admin, "SELECT pg_terminate_backend(%s)", busy.info.backend_pid), [(True,)])
        select.select([busy], [], [])
        self.assertIn(b"FATAL\0C57P01\0", os.read(busy.fileno(), 1000))
        self.until(admin, "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = %s", busy.info.backend_pid)
        self.assertEqual(self.rows(admin, "SELECT pg_terminate_backend(%s)", busy.info.backend_pid), [(False,)])
        self.assertIn(f"WARNING:  PID {busy.info.backend_pid} is not a PostgreSQL backend process", "".join(admin.notices))

    def test_rights(self):
        admin = self.connect()
        self.rows(admin, "CREATE USER alice; CREATE USER bob; CREATE USER helper; GRANT pg_signal_backend TO helper")
        alice, bob, helper = self.connect("alice"), self.connect("bob"), self.connect("helper")
        for fn, words in (("pg_cancel_backend", "query is being canceled"), ("pg_terminate_backend", "process is being terminated")):
            with self.assertRaises(psycopg2.errors.InsufficientPrivilege) as caught:
                self.rows(bob, f"SELECT {fn}(%s)", alice.info.backend_pid)
            self.assertIn(f"must be a member of the role whose {words} or member of pg_signal_backend", str(caught.exception))
            with self.assertRaises(psycopg2.errors.InsufficientPrivilege) as caught:
                self.rows(helper, f"SELECT {fn}(%s)", admin.info.backend_pid)
            self.assertIn("must be a superuser to", str(caught.exception))
        self.assertEqual(self.rows(alice, "SELECT 1"), [(1,)])
        self.assertEqual(self.rows(self.connect("alice"), "SELECT pg_cancel_backend(%s)", alice.info.backend_pid), [(True,)])
        self.assertEqual(self.rows(helper, "SELECT pg_terminate_backend(%s, 60000)", alice.info.backend_pid), [(True,)])


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])

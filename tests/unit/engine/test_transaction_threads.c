/* SPDX-License-Identifier: Apache-2.0
 *
 * Transactions on several threads: money moves between accounts, and the sum stays what it was, for
 * whoever looks, at any moment; no transfer that was acknowledged is lost. Beside them somebody
 * creates and drops tables in transactions, somebody checkpoints, and statements of several parts
 * move rows from table to table. */
#include "dendro.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define ACCOUNTS 12
#define MONEY    100
#define TRANSFER 3 /* threads */
#define RUN_MS   1500

static dendro_db *db;
static atomic_bool stop;
static atomic_int failures;
static atomic_uint_fast64_t transfers, conflicts, looks, edits, moves;

static void report(const char *who, const char *what, const struct dendro_error *e)
{
    if (atomic_fetch_add(&failures, 1) < 5)
        fprintf(stderr, "%s: %s: %s %s\n", who, what, e->sqlstate, e->message);
}

/* 0, 1: somebody was faster, -1: another error, which was reported. */
static int run(dendro_conn *conn, const char *who, const char *sql)
{
    struct dendro_error e;

    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) >= 0)
        return 0;
    if (strcmp(e.sqlstate, "40001") != 0) {
        report(who, sql, &e);
        return -1;
    }
    if (dendro_transaction_status(conn) != DENDRO_TX_IDLE)
        report(who, "a conflict leaves the block open", &e);
    return 1;
}

static int take_int(void *arg, dendro_stmt *stmt)
{
    *(int64_t *)arg = dendro_column_int64(stmt, 0);
    return 0;
}

static int64_t ask(dendro_conn *conn, const char *who, const char *sql)
{
    struct dendro_error e;
    int64_t value = -1;

    if (dendro_exec(conn, sql, -1, take_int, &value, &e) < 0)
        report(who, sql, &e);
    return value;
}

static dendro_conn *begin(const char *who)
{
    struct dendro_error e;
    dendro_conn *conn = NULL;

    if (dendro_connect(db, &conn, &e) < 0)
        report(who, "connect", &e);
    else
        run(conn, who, "SET synchronous_commit = off");
    return conn;
}

static void *transfer(void *arg)
{
    unsigned seed = *(unsigned *)arg;
    dendro_conn *conn = begin("transfer");
    char sql[256];

    while (conn && !atomic_load(&stop)) {
        int rc;

        seed = seed * 1103515245u + 12345u;
        snprintf(
            sql,
            sizeof(sql),
            "BEGIN; UPDATE account SET money = money - 1 WHERE id = %u; UPDATE account SET "
            "money = money + 1 WHERE id = %u; UPDATE count SET n = n + 1 WHERE id = %u; COMMIT",
            seed / 65536 % ACCOUNTS,
            (seed / 65536 % ACCOUNTS + 1 + seed / 7 % (ACCOUNTS - 1)) % ACCOUNTS,
            *(unsigned *)arg);
        rc = run(conn, "transfer", sql);
        if (rc < 0)
            break;
        atomic_fetch_add(rc == 0 ? &transfers : &conflicts, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* Twice in one transaction: the same. */
static void *look(void *arg)
{
    static struct dendro_error other = {.message = "the sum is not what it was"};
    dendro_conn *conn = begin("look");

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        if (ask(conn, "look", "SELECT sum(money) FROM account") != ACCOUNTS * MONEY)
            report("look", "sum", &other);
        run(conn, "look", "BEGIN");
        if (ask(conn, "look", "SELECT sum(n) FROM count") !=
            ask(conn, "look", "SELECT sum(n) FROM count"))
            report("look", "snapshot", &other);
        run(conn, "look", "COMMIT");
        atomic_fetch_add(&looks, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* A table and its rows come together. */
static void *edit(void *arg)
{
    static struct dendro_error half = {.message = "a table without its rows"};
    dendro_conn *conn = begin("edit");

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        if (run(conn,
                "edit",
                "BEGIN; CREATE TABLE fresh (k INT PRIMARY KEY); INSERT INTO fresh VALUES (1), (2); "
                "COMMIT") != 0)
            continue;
        if (ask(conn, "edit", "SELECT count(*) FROM fresh") != 2)
            report("edit", "count", &half);
        run(conn, "edit", "CHECKPOINT");
        run(conn, "edit", "BEGIN; DROP TABLE fresh; COMMIT");
        atomic_fetch_add(&edits, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* Rows go to and fro; there are always ten. */
static void *move(void *arg)
{
    static struct dendro_error lost = {.message = "rows were lost or doubled"};
    dendro_conn *conn = begin("move");

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        run(conn,
            "move",
            "WITH m AS (DELETE FROM here WHERE k % 3 <> 0 RETURNING k) INSERT INTO there SELECT k "
            "FROM m");
        if (ask(conn,
                "move",
                "SELECT (SELECT count(*) FROM here) + (SELECT count(*) FROM there)") != 10)
            report("move", "count", &lost);
        run(conn,
            "move",
            "WITH m AS (DELETE FROM there RETURNING k) INSERT INTO here SELECT k FROM m");
        atomic_fetch_add(&moves, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void test_threads(void **state)
{
    static unsigned ids[TRANSFER] = {0, 1, 2};
    struct timespec t = {.tv_sec = RUN_MS / 1000, .tv_nsec = RUN_MS % 1000 * 1000000};
    char dir[] = "/tmp/dendro-tx-XXXXXX";
    pthread_t threads[TRANSFER + 3];
    dendro_conn *conn;
    char command[64];
    int n = 0;

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(dendro_open(dir, NULL, &db, NULL), DENDRO_OK);
    conn = begin("main");
    assert_int_equal(
        run(conn,
            "main",
            "CREATE TABLE account (id INT PRIMARY KEY, money INT); CREATE TABLE count (id INT "
            "PRIMARY KEY, n INT); CREATE TABLE here (k INT PRIMARY KEY); CREATE TABLE there (k INT "
            "PRIMARY KEY); INSERT INTO account SELECT i, 100 FROM generate_series(0, 11) g (i); "
            "INSERT INTO count VALUES (0, 0), (1, 0), (2, 0); INSERT INTO here SELECT i FROM "
            "generate_series(1, 10) g (i)"),
        0);
    for (int i = 0; i < TRANSFER; i++)
        pthread_create(&threads[n++], NULL, transfer, &ids[i]);
    pthread_create(&threads[n++], NULL, look, NULL);
    pthread_create(&threads[n++], NULL, edit, NULL);
    pthread_create(&threads[n++], NULL, move, NULL);
    nanosleep(&t, NULL);
    atomic_store(&stop, true);
    while (n > 0)
        pthread_join(threads[--n], NULL);
    assert_int_equal(ask(conn, "main", "SELECT sum(money) FROM account"), ACCOUNTS * MONEY);
    assert_int_equal(ask(conn, "main", "SELECT sum(n) FROM count"), (int64_t)transfers);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    assert_int_equal(dendro_open(dir, NULL, &db, NULL), DENDRO_OK);
    conn = begin("main");
    assert_int_equal(ask(conn, "main", "SELECT sum(n) FROM count"), (int64_t)transfers);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    assert_int_equal(failures, 0);
    assert_true(transfers > 0 && looks > 0 && edits > 0 && moves > 0);
    print_message("%u transfers, %u conflicts, %u looks, %u edits, %u moves\n",
                  (unsigned)transfers,
                  (unsigned)conflicts,
                  (unsigned)looks,
                  (unsigned)edits,
                  (unsigned)moves);
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

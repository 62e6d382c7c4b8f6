/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions on several threads over one database: writers, readers, tables coming and going, cancel.
 * A reader never sees half a statement. */
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

#define WRITERS 3
#define BATCH   7
#define RUN_MS  1500

static dendro_db *db;
static atomic_bool stop;
static atomic_int failures;
static atomic_uint_fast64_t written[WRITERS];
static atomic_uint_fast64_t reads;
static atomic_uint_fast64_t edits;

/* cmocka's asserts belong to the main thread. */
static void report(const char *who, const char *what, const struct dendro_error *e)
{
    if (atomic_fetch_add(&failures, 1) < 5)
        fprintf(stderr, "%s: %s: %s %s\n", who, what, e->sqlstate, e->message);
}

static void sleep_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

static void *writer(void *arg)
{
    int id = *(int *)arg;
    struct dendro_error e;
    dendro_conn *conn;
    char sql[600];

    if (dendro_connect(db, &conn, &e) < 0) {
        report("writer", "connect", &e);
        return NULL;
    }
    if (dendro_exec(conn, "SET synchronous_commit = off", -1, NULL, NULL, &e) < 0)
        report("writer", "set", &e);
    for (uint64_t n = 0; !atomic_load(&stop); n++) {
        int len = snprintf(sql, sizeof(sql), "INSERT INTO m VALUES ");

        for (int i = 0; i < BATCH; i++)
            len += snprintf(sql + len,
                            sizeof(sql) - (size_t)len,
                            "%s(%d, %llu, %d)",
                            i ? ", " : "",
                            id,
                            (unsigned long long)(n * BATCH + (uint64_t)i + 1),
                            i);
        if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
            report("writer", sql, &e);
        else
            atomic_fetch_add(&written[id], BATCH);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void read_once(dendro_stmt *stmt)
{
    struct dendro_error e;
    int rc;

    while ((rc = dendro_step(stmt, &e)) == DENDRO_ROW) {
        int64_t id = dendro_column_int64(stmt, 0);
        int64_t n = dendro_column_int64(stmt, 1);

        if (n % BATCH != 0 ||
            dendro_column_int64(stmt, 2) != n / BATCH * (BATCH * (BATCH - 1) / 2)) {
            snprintf(e.message,
                     sizeof(e.message),
                     "series %lld has %lld rows, sum %lld",
                     (long long)id,
                     (long long)n,
                     (long long)dendro_column_int64(stmt, 2));
            e.sqlstate[0] = 0;
            report("reader", "half a statement", &e);
        }
    }
    if (rc < 0)
        report("reader", "select", &e);
    atomic_fetch_add(&reads, 1);
}

static void *reader(void *arg)
{
    struct dendro_error e;
    dendro_conn *conn;
    dendro_stmt *stmt;

    (void)arg;
    if (dendro_connect(db, &conn, &e) < 0) {
        report("reader", "connect", &e);
        return NULL;
    }
    if (dendro_prepare(
            conn, "SELECT id, count(*), sum(v) FROM m GROUP BY id", -1, &stmt, NULL, &e) < 0) {
        report("reader", "prepare", &e);
    } else {
        while (!atomic_load(&stop))
            read_once(stmt);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void *editor(void *arg)
{
    struct dendro_error e;
    dendro_conn *conn;

    (void)arg;
    if (dendro_connect(db, &conn, &e) < 0) {
        report("editor", "connect", &e);
        return NULL;
    }
    while (!atomic_load(&stop)) {
        if (dendro_exec(conn,
                        "CREATE TABLE x (a INT PRIMARY KEY); INSERT INTO x VALUES (1), (2); SELECT "
                        "* FROM x; CHECKPOINT; DROP TABLE x",
                        -1,
                        NULL,
                        NULL,
                        &e) < 0) {
            report("editor", "script", &e);
            break;
        }
        atomic_fetch_add(&edits, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* The editor's table has its two rows, or none yet, or is not there; nothing else. */
static int count_x(void *arg, dendro_stmt *stmt)
{
    *(int64_t *)arg = dendro_column_int64(stmt, 0);
    return 0;
}

static void *watcher(void *arg)
{
    struct dendro_error e;
    dendro_conn *conn;

    (void)arg;
    if (dendro_connect(db, &conn, &e) < 0) {
        report("watcher", "connect", &e);
        return NULL;
    }
    while (!atomic_load(&stop)) {
        int64_t n = -1;
        int rc = dendro_exec(conn, "SELECT count(*) FROM x", -1, count_x, &n, &e);

        if (rc < 0 ? strcmp(e.sqlstate, "42P01") != 0 : n != 0 && n != 2)
            report("watcher", "select", &e);
        sleep_ms(1);
    }
    dendro_disconnect(conn);
    return NULL;
}

static int64_t one(dendro_conn *conn, const char *sql)
{
    struct dendro_error e;
    dendro_stmt *stmt;
    int64_t n;

    if (dendro_prepare(conn, sql, -1, &stmt, NULL, &e) < 0 || dendro_step(stmt, &e) != DENDRO_ROW)
        fail_msg("%s: %s", sql, e.message);
    n = dendro_column_int64(stmt, 0);
    dendro_finalize(stmt);
    return n;
}

static void run_all(void)
{
    pthread_t threads[WRITERS + 4];
    int ids[WRITERS];
    int n = 0;

    for (int i = 0; i < WRITERS; i++) {
        ids[i] = i;
        assert_int_equal(pthread_create(&threads[n++], NULL, writer, &ids[i]), 0);
    }
    assert_int_equal(pthread_create(&threads[n++], NULL, reader, NULL), 0);
    assert_int_equal(pthread_create(&threads[n++], NULL, reader, NULL), 0);
    assert_int_equal(pthread_create(&threads[n++], NULL, editor, NULL), 0);
    assert_int_equal(pthread_create(&threads[n++], NULL, watcher, NULL), 0);
    sleep_ms(RUN_MS);
    atomic_store(&stop, true);
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void test_sessions(void **state)
{
    const char *const settings[] = {"memtable_size", "256kB", "memory_limit", "64MB", NULL};
    struct dendro_options options = {.settings = settings};
    char dir[] = "/tmp/dendro-threads-XXXXXX";
    char command[80];
    uint64_t sum = 0;
    struct dendro_error e;
    dendro_conn *conn;

    (void)state;
    assert_non_null(mkdtemp(dir));
    if (dendro_open(dir, &options, &db, &e) < 0)
        fail_msg("%s", e.message);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    assert_int_equal(dendro_exec(conn,
                                 "CREATE TABLE m (id INTEGER, time TIMESTAMP, v BIGINT, PRIMARY "
                                 "KEY ((id, QUANTUM(time, 1, 'h')), time))",
                                 -1,
                                 NULL,
                                 NULL,
                                 &e),
                     DENDRO_OK);
    run_all();
    assert_int_equal(atomic_load(&failures), 0);
    for (int i = 0; i < WRITERS; i++)
        sum += atomic_load(&written[i]);
    assert_true(sum > 0);
    assert_true(atomic_load(&reads) > 0);
    assert_true(atomic_load(&edits) > 0);
    assert_int_equal(one(conn, "SELECT count(*) FROM m"), sum);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    assert_int_equal(dendro_open(dir, &options, &db, &e),
                     DENDRO_OK); /* a clean close loses nothing */
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    assert_int_equal(one(conn, "SELECT count(*) FROM m"), sum);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

/* ---- cancel ---- */

static void *canceler(void *arg)
{
    while (!atomic_load(&stop)) {
        dendro_cancel(arg);
        sleep_ms(1);
    }
    return NULL;
}

static int keep_going(void *arg, dendro_stmt *stmt)
{
    (void)arg;
    (void)stmt;
    return 0;
}

static void test_cancel(void **state)
{
    char dir[] = "/tmp/dendro-cancel-XXXXXX";
    char command[80];
    struct dendro_error e;
    dendro_conn *conn;
    pthread_t thread;
    int rc = 0;

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(dendro_open(dir, NULL, &db, &e), DENDRO_OK);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    assert_int_equal(dendro_exec(conn, "CREATE TABLE c (a BIGINT PRIMARY KEY)", -1, NULL, NULL, &e),
                     DENDRO_OK);
    for (int i = 0; i < 20; i++) {
        char sql[4096];
        int len = snprintf(sql, sizeof(sql), "INSERT INTO c VALUES (%d)", i * 100);

        for (int k = 1; k < 100; k++)
            len += snprintf(sql + len, sizeof(sql) - (size_t)len, ", (%d)", i * 100 + k);
        assert_int_equal(dendro_exec(conn, sql, -1, NULL, NULL, &e), DENDRO_OK);
    }
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, canceler, conn), 0);
    for (int i = 0; i < 20000 && rc >= 0; i++)
        rc = dendro_exec(conn, "SELECT a FROM c ORDER BY a * 7 % 1000", -1, keep_going, NULL, &e);
    atomic_store(&stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(rc, DENDRO_E_CANCELED);
    assert_string_equal(e.sqlstate, "57014");
    assert_int_equal(one(conn, "SELECT count(*) FROM c"), 2000); /* the session lives on */
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sessions),
                                       cmocka_unit_test(test_cancel)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

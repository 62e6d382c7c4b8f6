/* SPDX-License-Identifier: Apache-2.0
 *
 * The horizon moves while others write and read, on threads: a reader sees a slab whole or not at
 * all, a transaction what it saw at first; a writer is refused only rows that come too late, and
 * waits for nobody. */
#include "dendro.h"

#include <inttypes.h>
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

#define START  1704110400 /* 2024-01-01 12:00 UTC */
#define DAY    86400
#define FILL   40 /* rows that a day gets at once */
#define RUN_MS 2500

static dendro_db *db;
static atomic_bool stop;
static atomic_int failures;
static atomic_int_fast64_t now; /* the clock, or a bit before it is set */
static atomic_uint_fast64_t reads, writes, refused, days;

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

static dendro_conn *join(const char *who)
{
    struct dendro_error e;
    dendro_conn *conn;

    if (dendro_connect(db, &conn, &e) >= 0)
        return conn;
    report(who, "connect", &e);
    return NULL;
}

/* A day after the other: its rows in one statement, then the clock. */
static void *mover(void *arg)
{
    dendro_conn *conn = join("mover");
    struct dendro_error e;

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        int64_t at = atomic_load(&now) + DAY;
        char sql[4096];
        int len = snprintf(sql, sizeof(sql), "INSERT INTO m VALUES ");

        for (int i = 0; i < FILL; i++)
            len += snprintf(sql + len,
                            sizeof(sql) - (size_t)len,
                            "%s(0, %" PRId64 "000)",
                            i ? ", " : "",
                            at + i);
        if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
            report("mover", sql, &e);
        if (atomic_fetch_add(&days, 1) % 3 == 0 &&
            dendro_exec(conn, "CHECKPOINT", -1, NULL, NULL, &e) < 0)
            report("mover", "checkpoint", &e);
        if (dendro_exec(conn, "SELECT dendro_test_clock_advance('1 day')", -1, NULL, NULL, &e) < 0)
            report("mover", "advance", &e);
        atomic_store(&now, at);
        sleep_ms(5);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* One row at a time, some of them too late. arg: the table, which may leave those out. */
static void *writer(void *arg)
{
    const char *table = *(const char **)arg;
    dendro_conn *conn = join("writer");
    struct dendro_error e;
    uint64_t n = 0;

    while (conn && !atomic_load(&stop)) {
        int64_t at = atomic_load(&now) - (int64_t)(++n * 7919 % (6 * DAY));
        char sql[200];

        snprintf(sql,
                 sizeof(sql),
                 n % 3 ? "INSERT INTO %s VALUES (1, %" PRId64 "000)"
                       : "BEGIN; INSERT INTO %s VALUES (2, %" PRId64 "000); COMMIT",
                 table,
                 at);
        if (dendro_exec(conn, sql, -1, NULL, NULL, &e) >= 0) {
            atomic_fetch_add(&writes, 1);
            continue;
        }
        if (strcmp(e.sqlstate, "22008") != 0 || table[0] == 'd')
            report("writer", sql, &e);
        atomic_fetch_add(&refused, 1);
        if (n % 3 == 0 && dendro_exec(conn, "ROLLBACK", -1, NULL, NULL, &e) < 0)
            report("writer", "rollback", &e);
    }
    dendro_disconnect(conn);
    return NULL;
}

struct seen {
    int64_t days[64]; /* and how many rows each has */
    int64_t rows[64];
    int count;
};

static int see(void *arg, dendro_stmt *stmt)
{
    struct seen *s = arg;

    if (s->count < 64) {
        s->days[s->count] = dendro_column_int64(stmt, 0);
        s->rows[s->count++] = dendro_column_int64(stmt, 1);
    }
    return 0;
}

static bool look(dendro_conn *conn, struct seen *s)
{
    struct dendro_error e;

    *s = (struct seen){.count = 0};
    if (dendro_exec(conn,
                    "SELECT extract(epoch FROM time)::BIGINT / 86400 AS day, count(*) FROM m WHERE "
                    "k = 0 GROUP BY 1 ORDER BY 1",
                    -1,
                    see,
                    s,
                    &e) < 0) {
        report("reader", "select", &e);
        return false;
    }
    for (int i = 0; i < s->count; i++)
        if (s->rows[i] != FILL) {
            snprintf(e.message,
                     sizeof(e.message),
                     "day %" PRId64 " has %" PRId64 " rows",
                     s->days[i],
                     s->rows[i]);
            e.sqlstate[0] = 0;
            report("reader", "half a slab", &e);
        }
    return true;
}

static void *reader(void *arg)
{
    dendro_conn *conn = join("reader");
    struct dendro_error e;
    struct seen first, again;

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        if (dendro_exec(conn, "BEGIN", -1, NULL, NULL, &e) < 0)
            report("reader", "begin", &e);
        if (look(conn, &first)) {
            sleep_ms(8);
            if (look(conn, &again) && memcmp(&first, &again, sizeof(first)) != 0) {
                snprintf(e.message, sizeof(e.message), "%d and %d days", first.count, again.count);
                e.sqlstate[0] = 0;
                report("reader", "another snapshot", &e);
            }
        }
        if (dendro_exec(conn, "COMMIT", -1, NULL, NULL, &e) < 0)
            report("reader", "commit", &e);
        atomic_fetch_add(&reads, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void must(dendro_conn *conn, const char *sql)
{
    struct dendro_error e;

    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
        fail_msg("%s: %s", sql, e.message);
}

static void test_horizon_moves(void **state)
{
    const char *const settings[] = {
        "test_clock", "2024-01-01T12:00Z", "memtable_size", "256kB", NULL};
    struct dendro_options options = {.settings = settings};
    char dir[] = "/tmp/dendro-retain-XXXXXX";
    char command[80];
    struct dendro_error e;
    struct seen left;
    const char *tables[] = {"m", "d"};
    pthread_t threads[5];
    dendro_conn *conn;

    (void)state;
    assert_non_null(mkdtemp(dir));
    if (dendro_open(dir, &options, &db, &e) < 0)
        fail_msg("%s", e.message);
    atomic_store(&now, START);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    must(conn,
         "CREATE TABLE m (k INT, time TIMESTAMP, PRIMARY KEY (time, k)) WITH (retention = '3 "
         "days', future_limit = '2 days')");
    must(
        conn,
        "CREATE TABLE d (k INT, time TIMESTAMP, PRIMARY KEY (time, k)) WITH (retention = '2 days', "
        "late_rows = 'drop', future_limit = '2 days')");
    assert_int_equal(pthread_create(&threads[0], NULL, mover, NULL), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, writer, &tables[0]), 0);
    assert_int_equal(pthread_create(&threads[2], NULL, writer, &tables[1]), 0);
    assert_int_equal(pthread_create(&threads[3], NULL, reader, NULL), 0);
    assert_int_equal(pthread_create(&threads[4], NULL, reader, NULL), 0);
    sleep_ms(RUN_MS);
    atomic_store(&stop, true);
    for (int i = 0; i < 5; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&failures), 0);
    assert_true(atomic_load(&reads) > 0 && atomic_load(&writes) > 0);
    assert_true(atomic_load(&refused) > 0 && atomic_load(&days) > 4);
    /* The last days, and nothing before them. */
    assert_true(look(conn, &left));
    assert_int_equal(left.count, 4);
    assert_int_equal(left.days[0], atomic_load(&now) / DAY - 3);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

static int count_rows(void *arg, dendro_stmt *stmt)
{
    *(int64_t *)arg = dendro_column_int64(stmt, 0);
    return 0;
}

/* Waits until the table has so many rows. */
static void wait_rows(dendro_conn *conn, const char *sql, int64_t want)
{
    int64_t n = -1;

    for (int i = 0; i < 1200 && n != want; i++) {
        struct dendro_error e;

        sleep_ms(25);
        if (dendro_exec(conn, sql, -1, count_rows, &n, &e) < 0)
            fail_msg("%s: %s", sql, e.message);
    }
    if (n != want)
        fail_msg("%s: %" PRId64 ", not %" PRId64, sql, n, want);
}

/* Nobody asks for it: rows get too old, and slabs too many, by the machine's clock. */
static void test_by_itself(void **state)
{
    char dir[] = "/tmp/dendro-retain-XXXXXX";
    char command[80];
    struct dendro_error e;
    dendro_conn *conn;

    (void)state;
    assert_non_null(mkdtemp(dir));
    if (dendro_open(dir, NULL, &db, &e) < 0)
        fail_msg("%s", e.message);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    must(conn,
         "CREATE TABLE a (time TIMESTAMP, PRIMARY KEY (time)) WITH (quantum = '1s', slab = '1s', "
         "retention = '2 s', future_limit = 'none')");
    must(conn, "INSERT INTO a VALUES (now()), ('2100-01-01')");
    must(conn,
         "CREATE TABLE n (time TIMESTAMP, PRIMARY KEY (time)) WITH (retention = '2 partitions')");
    must(conn, "INSERT INTO n VALUES ('2020-01-01'), ('2020-01-02'), ('2020-01-03')");
    wait_rows(conn, "SELECT count(*) FROM a", 1);
    wait_rows(conn, "SELECT count(*) FROM n", 2);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_horizon_moves),
        cmocka_unit_test(test_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

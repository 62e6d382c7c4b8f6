/* SPDX-License-Identifier: Apache-2.0
 *
 * Time partitions on several threads: sessions insert, update, delete, read and write in blocks
 * through the partition while its shards roll, its retention changes and columns come and go.
 * Nobody is refused, and nobody sees a shard twice or not at all.
 *
 * Each writer counts its keys up, one after the other: the shards hold them in that order, and the
 * oldest go first, so that what is there is always one stretch of numbers that ends with the last
 * one. */
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

#define RUN_MS        700
#define RUN_MS_MAX    40000 /* until all have done something */
#define DO_ROLLS      40
#define DO_ALTERS     8
#define DO_ROWS       4 /* of each writer */
#define RETENTION_MIN 3 /* rollouts that take nothing of what was written just now: one less */

/* Who writes: rows of each have this number as w. */
enum { ONE_ROW, MANY_ROWS, BLOCKS, APPENDER, QUERY, UPDATED, DELETED, WRITERS };

static dendro_db *db;
static atomic_bool stop;
static atomic_bool altered; /* columns come and go: blocks may have to be run again */
static atomic_int failures;
static atomic_uint_fast64_t last[WRITERS];  /* key that was acknowledged, from 1 on */
static atomic_uint_fast64_t since[WRITERS]; /* rollouts when its writing began, or earlier */
static atomic_uint_fast64_t rolls;          /* that were begun */
static atomic_uint_fast64_t reads, alters, again;

static void report(const char *who, const char *what, const struct dendro_error *e)
{
    if (atomic_fetch_add(&failures, 1) < 5)
        fprintf(stderr, "%s: %s: %s %s\n", who, what, e ? e->sqlstate : "", e ? e->message : "");
}

static bool run(dendro_conn *conn, const char *who, const char *sql)
{
    struct dendro_error e;

    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) >= 0)
        return true;
    if (atomic_load(&altered) && strcmp(e.sqlstate, "40001") == 0 && strstr(sql, "COMMIT")) {
        atomic_fetch_add(&again, 1);
        return false;
    }
    report(who, sql, &e);
    return false;
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

static int take_ints(void *arg, dendro_stmt *stmt)
{
    int64_t *to = arg;

    for (int i = 0; i < dendro_column_count(stmt); i++)
        to[i] = dendro_column_int64(stmt, i);
    return 0;
}

/* ---- writers ---- */

static void written(int w, uint64_t key, uint64_t began)
{
    atomic_store(&last[w], key);
    atomic_store(&since[w], began);
}

static void *write_rows(void *arg)
{
    int w = *(const int *)arg;
    int rows = w == ONE_ROW ? 1 : w == MANY_ROWS ? 2 : 7;
    dendro_conn *conn = begin("write");
    char sql[256];

    while (conn && !atomic_load(&stop)) {
        uint64_t k = atomic_load(&last[w]) + 1;
        uint64_t began = atomic_load(&rolls);

        if (w == QUERY)
            snprintf(sql,
                     sizeof(sql),
                     "INSERT INTO p (w, k, v) SELECT %d, g, 0 FROM generate_series(%" PRIu64
                     ", %" PRIu64 ") s (g)",
                     w,
                     k,
                     k + (uint64_t)rows - 1);
        else if (w == ONE_ROW)
            snprintf(sql, sizeof(sql), "INSERT INTO p (w, k, v) VALUES (%d, %" PRIu64 ", 0)", w, k);
        else
            snprintf(sql,
                     sizeof(sql),
                     "INSERT INTO p (w, k, v) VALUES (%d, %" PRIu64 ", 0), (%d, %" PRIu64 ", 0)",
                     w,
                     k,
                     w,
                     k + 1);
        if (run(conn, "insert", sql))
            written(w, k + (uint64_t)rows - 1, began);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* Rows of a block wait for its end, which may come some rollouts later. */
static void *write_blocks(void *arg)
{
    dendro_conn *conn = begin("block");
    struct timespec pause = {.tv_nsec = 2000000};
    char sql[256];

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        uint64_t k = atomic_load(&last[BLOCKS]) + 1;
        uint64_t began = atomic_load(&rolls);
        int64_t got[2] = {0, 0};

        snprintf(sql,
                 sizeof(sql),
                 "BEGIN; INSERT INTO p (w, k, v) VALUES (%d, %" PRIu64 ", 0), (%d, %" PRIu64 ", 0)",
                 BLOCKS,
                 k,
                 BLOCKS,
                 k + 1);
        if (!run(conn, "block", sql))
            break;
        nanosleep(&pause, NULL);
        snprintf(sql,
                 sizeof(sql),
                 "SELECT count(*), max(k) FROM p WHERE w = %d AND k >= %" PRIu64,
                 BLOCKS,
                 k);
        if (dendro_exec(conn, sql, -1, take_ints, got, NULL) < 0 || got[0] != 2)
            report("block", "its own rows are not there", NULL);
        if (run(conn, "block", "COMMIT"))
            written(BLOCKS, k + 1, began);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void *write_appended(void *arg)
{
    dendro_conn *conn = begin("append");
    static const char *const columns[] = {"w", "k", "v", NULL};
    dendro_appender *app = NULL;
    struct dendro_error e;

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        uint64_t k = atomic_load(&last[APPENDER]);

        if (dendro_appender_open(conn, NULL, "p", columns, &app, &e) < 0) {
            report("append", "new", &e);
            break;
        }
        for (int i = 0; i < 50 && !atomic_load(&stop); i++) {
            uint64_t began = atomic_load(&rolls);

            for (int row = 0; row < 3; row++) {
                k++;
                if (dendro_append_int64(app, APPENDER, &e) < 0 ||
                    dendro_append_int64(app, (int64_t)k, &e) < 0 ||
                    dendro_append_int64(app, 0, &e) < 0 || dendro_append_end_row(app, &e) < 0)
                    report("append", "row", &e);
            }
            if (dendro_appender_flush(app, &e) < 0) {
                if (!atomic_load(&altered) ||
                    (strcmp(e.sqlstate, "HY010") != 0 && strcmp(e.sqlstate, "40001") != 0))
                    report("append", "flush", &e);
                dendro_appender_clear(app);
                break;
            }
            written(APPENDER, k, began);
        }
        if (dendro_appender_close(app, &e) < 0)
            report("append", "close", &e);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* A row, which is changed, and is so afterwards, or went with its shard. */
static void *write_changed(void *arg)
{
    int w = *(const int *)arg;
    dendro_conn *conn = begin("change");
    struct dendro_error e;
    char sql[256];

    while (conn && !atomic_load(&stop)) {
        uint64_t k = atomic_load(&last[w]) + 1;
        uint64_t began = atomic_load(&rolls);
        int64_t got[2] = {0, 0};

        snprintf(sql, sizeof(sql), "INSERT INTO p (w, k, v) VALUES (%d, %" PRIu64 ", 0)", w, k);
        if (!run(conn, "change", sql))
            break;
        if (w == UPDATED)
            snprintf(sql, sizeof(sql), "UPDATE p SET v = v + 1 WHERE w = %d AND v = 0", w);
        else
            snprintf(sql, sizeof(sql), "DELETE FROM p WHERE w = %d AND k = %" PRIu64, w, k);
        if (!run(conn, "change", sql))
            break;
        snprintf(
            sql,
            sizeof(sql),
            "SELECT count(*), coalesce(max(abs(v - 1)), 0) FROM p WHERE w = %d AND k = %" PRIu64,
            w,
            k);
        if (dendro_exec(conn, sql, -1, take_ints, got, &e) < 0)
            report("change", sql, &e);
        snprintf(sql,
                 sizeof(sql),
                 "%" PRId64 " rows, which are %" PRId64 " from what they should be",
                 got[0],
                 got[1]);
        if (got[0] > (w == UPDATED) || got[1] != 0)
            report("change", sql, NULL);
        written(w, k, began);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* ---- readers ---- */

static void look(dendro_conn *conn, int w)
{
    int64_t got[4] = {-1, -1, -1, -1};
    uint64_t rolled = atomic_load(&since[w]); /* before the key: that may be newer */
    uint64_t before = atomic_load(&last[w]);
    struct dendro_error e;
    char sql[200];
    char what[160];

    snprintf(sql,
             sizeof(sql),
             "SELECT count(*), count(DISTINCT k), coalesce(min(k), 0), coalesce(max(k), 0) FROM p "
             "WHERE w = %d",
             w);
    if (dendro_exec(conn, sql, -1, take_ints, got, &e) < 0) {
        report("look", sql, &e);
        return;
    }
    snprintf(what,
             sizeof(what),
             "writer %d: %" PRId64 " rows, %" PRId64 " keys, from %" PRId64 " to %" PRId64
             ", and %" PRIu64 " was there",
             w,
             got[0],
             got[1],
             got[2],
             got[3],
             before);
    if (got[0] != got[1] || (got[0] > 0 && got[3] - got[2] + 1 != got[0]))
        report("look", what, NULL);
    else if (got[3] < (int64_t)before && atomic_load(&rolls) - rolled < RETENTION_MIN - 1)
        report("look", what, NULL);
    atomic_fetch_add(&reads, 1);
}

static void *read_rows(void *arg)
{
    dendro_conn *conn = begin("look");

    (void)arg;
    while (conn && !atomic_load(&stop))
        for (int w = 0; w <= UPDATED; w++)
            look(conn, w);
    dendro_disconnect(conn);
    return NULL;
}

/* In a block all shards are those of its beginning. */
static void *read_blocks(void *arg)
{
    static const char sql[] = "SELECT count(*), sum(k) FROM p";
    dendro_conn *conn = begin("look twice");
    struct timespec pause = {.tv_nsec = 3000000};

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        int64_t one[2] = {-1, -1};
        int64_t two[2] = {-2, -2};

        run(conn, "look twice", "BEGIN");
        if (dendro_exec(conn, sql, -1, take_ints, one, NULL) < 0)
            report("look twice", "once", NULL);
        nanosleep(&pause, NULL);
        if (dendro_exec(conn, sql, -1, take_ints, two, NULL) < 0 || one[0] != two[0] ||
            one[1] != two[1])
            report("look twice", "another count", NULL);
        run(conn, "look twice", "END");
        atomic_fetch_add(&reads, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* ---- what changes the partition ---- */

static void *roll(void *arg)
{
    dendro_conn *conn = begin("roll");
    struct timespec pause = {.tv_nsec = 1500000};

    (void)arg;
    while (conn && !atomic_load(&stop)) {
        atomic_fetch_add(&rolls, 1);
        run(conn, "roll", "SELECT dendro_test_clock_advance('30 minutes')");
        nanosleep(&pause, NULL);
        run(conn, "roll", "SELECT dendro_test_clock_advance('30 minutes')");
    }
    dendro_disconnect(conn);
    return NULL;
}

static void *alter(void *arg)
{
    dendro_conn *conn = begin("alter");
    struct timespec pause = {.tv_nsec = 5000000};
    char sql[80];

    (void)arg;
    for (int i = 0; conn && !atomic_load(&stop); i++) {
        snprintf(sql, sizeof(sql), "PUT TIME PARTITION p RETENTION %d", RETENTION_MIN + i % 4);
        run(conn, "alter", sql);
        nanosleep(&pause, NULL);
        if (atomic_load(&altered))
            run(conn,
                "alter",
                i % 2 ? "ALTER TABLE p DROP COLUMN x" : "ALTER TABLE p ADD COLUMN x INT DEFAULT 7");
        nanosleep(&pause, NULL);
        if (i % 8 == 0)
            run(conn, "alter", "CHECKPOINT");
        atomic_fetch_add(&alters, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

/* ---- all of them ---- */

static void *(*const tasks[])(void *) = {[ONE_ROW] = write_rows,
                                         [MANY_ROWS] = write_rows,
                                         [BLOCKS] = write_blocks,
                                         [APPENDER] = write_appended,
                                         [QUERY] = write_rows,
                                         [UPDATED] = write_changed,
                                         [DELETED] = write_changed,
                                         read_rows,
                                         read_blocks,
                                         roll,
                                         alter};
#define TASKS (sizeof(tasks) / sizeof(tasks[0]))

static bool all_done(void)
{
    bool done = atomic_load(&rolls) >= DO_ROLLS && atomic_load(&alters) >= DO_ALTERS;

    for (int i = 0; i < WRITERS; i++)
        done = done && atomic_load(&last[i]) >= DO_ROWS;
    return done;
}

static void run_all(const char *define, bool alters_too)
{
    static const char *const settings[] = {"test_clock", "2024-01-01T12:00:00Z", NULL};
    const struct dendro_options options = {.settings = settings};
    struct timespec t = {.tv_nsec = 20000000};
    char dir[] = "/tmp/dendro-roll-XXXXXX";
    int ids[TASKS];
    pthread_t threads[TASKS];
    char command[64];
    dendro_conn *conn;

    atomic_store(&stop, false);
    atomic_store(&failures, 0);
    atomic_store(&rolls, 0);
    atomic_store(&reads, 0);
    atomic_store(&alters, 0);
    atomic_store(&again, 0);
    atomic_store(&altered, alters_too);
    for (int i = 0; i < WRITERS; i++)
        written(i, 0, 0);
    assert_non_null(mkdtemp(dir));
    assert_int_equal(dendro_open(dir, &options, &db, NULL), DENDRO_OK);
    conn = begin("main");
    assert_true(run(conn, "main", define));
    for (size_t i = 0; i < TASKS; i++) {
        ids[i] = (int)i;
        pthread_create(&threads[i], NULL, tasks[i], &ids[i]);
    }
    for (int ms = 0; ms < RUN_MS_MAX && (ms < RUN_MS || !all_done()); ms += 20)
        nanosleep(&t, NULL);
    atomic_store(&stop, true);
    for (size_t i = 0; i < TASKS; i++)
        pthread_join(threads[i], NULL);
    for (int w = 0; w <= UPDATED; w++)
        look(conn, w);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    assert_int_equal(dendro_open(dir, &options, &db, NULL), DENDRO_OK);
    conn = begin("main");
    for (int w = 0; w <= UPDATED; w++)
        look(conn, w);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    assert_int_equal(failures, 0);
    assert_true(reads > 0 && all_done());
    print_message("%" PRIu64 " rollouts, %" PRIu64 " reads, %" PRIu64 " rows, %" PRIu64
                  " blocks, %" PRIu64 " of them once more\n",
                  (uint64_t)rolls,
                  (uint64_t)reads,
                  (uint64_t)last[ONE_ROW],
                  (uint64_t)last[BLOCKS] / 2,
                  (uint64_t)again);
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static const char view[] =
    "CREATE TABLE p0 (w INT, k BIGINT, v INT, PRIMARY KEY (w, k)); CREATE TIME PARTITION ON p0 AS "
    "p PERIOD 'hourly' RETENTION 3 START '2024-01-01T12:30:00Z'";
static const char table[] =
    "CREATE TABLE p (w INT, k BIGINT, v INT, PRIMARY KEY (w, k)) PARTITIONED BY TIME PERIOD "
    "'hourly' RETENTION 3 START '2024-01-01T12:30:00Z'";
/* Without a key no two rows are ever one. */
static const char append[] =
    "CREATE TABLE p (w INT, k BIGINT, v INT) PARTITIONED BY TIME PERIOD 'hourly' RETENTION 3 START "
    "'2024-01-01T12:30:00Z'";

static void test_view(void **state)
{
    (void)state;
    run_all(view, false);
}

static void test_view_altered(void **state)
{
    (void)state;
    run_all(view, true);
}

static void test_table(void **state)
{
    (void)state;
    run_all(table, false);
}

static void test_table_altered(void **state)
{
    (void)state;
    run_all(table, true);
}

static void test_append(void **state)
{
    (void)state;
    run_all(append, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_view_altered),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_table_altered),
        cmocka_unit_test(test_append),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

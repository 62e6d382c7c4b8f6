/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries on several threads: the same answers as on one, from several sessions at once; an error
 * of a helper is the statement's; cancel ends all; progress. Runs under the thread sanitizer too.
 */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "dendro.h"

#include <ftw.h>
#include <math.h>
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

#define SERIES     20u
#define ROWS       9000u /* per series */
#define BATCH      500u
#define VALUES_MAX 4096u
#define SESSIONS   3u

static char dir[] = "/tmp/dendro-parallel-XXXXXX";
static dendro_db *db;

static const char *const queries[] = {
    "SELECT s, sum(v), max(v), count(*) FROM m GROUP BY s ORDER BY s",
    "SELECT count(*), sum(v), min(v), avg(n) FROM m WHERE v + n > 20",
    "SELECT n, sum(v), count(*) FROM m GROUP BY n ORDER BY n",
    "SELECT date_trunc('hour', t), sum(v), max(n), stddev(v) FROM m GROUP BY 1 ORDER BY 1",
    "SELECT s, date_trunc('day', t), avg(v + 1) FROM m WHERE n <> 3 GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT v, count(*) FROM m GROUP BY v ORDER BY v",
    "SELECT count(DISTINCT n), max(s) FROM m WHERE v <> 5",
    /* Groups and values of which each thread has some that others have, and some that none has. */
    "SELECT count(*), sum(c), sum(x), min(w), max(w) FROM (SELECT s || n AS k, t, count(*) AS c, "
    "sum(v) AS x, max(s) AS w FROM m GROUP BY 1, 2) q",
    "SELECT count(*), sum(c), sum(d), sum(e), max(d) FROM (SELECT t, count(*) AS c, count(DISTINCT "
    "s) AS d, sum(DISTINCT n + v) AS e FROM m GROUP BY t) q",
    "SELECT count(DISTINCT t), count(DISTINCT s), sum(DISTINCT v * 1000 + n), count(DISTINCT v) "
    "FROM m",
    "SELECT count(*), count(t), sum(n) FROM (SELECT DISTINCT t, n, v FROM m) q",
    "SELECT count(DISTINCT s || t) FROM m WHERE n < 2",
    "SELECT n, count(DISTINCT s || t), max(DISTINCT s || v) FROM m WHERE v < 50 GROUP BY n ORDER "
    "BY "
    "n",
    "SELECT s, t, v FROM m WHERE v > 97 AND n = 2 ORDER BY v DESC, s, t LIMIT 50",
    /* pipes: joins, filters and projections between a scan and groups */
    "SELECT d.w, sum(m.v), count(*) FROM m JOIN d ON m.n = d.n GROUP BY d.w ORDER BY d.w",
    "SELECT d.word, count(*), count(d.n), sum(v) FROM m LEFT JOIN d ON m.n = d.n AND d.w < 3 "
    "GROUP BY 1 ORDER BY 1",
    "SELECT x, count(*) FROM (SELECT v * 2 + d.w AS x FROM m JOIN d ON m.n = d.n WHERE v > 90) q "
    "WHERE x > 181 GROUP BY x ORDER BY x",
    "SELECT s, count(*) FROM m WHERE v > 95 AND EXISTS (SELECT 1 FROM d WHERE d.n = m.n AND w > 1) "
    "GROUP BY s ORDER BY s",
    "SELECT s, count(*) FROM m WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.n = m.n AND d.w < m.v) "
    "GROUP BY s ORDER BY s",
    "SELECT n, count(*) FROM m WHERE n + 1 NOT IN (SELECT d.n FROM d WHERE w > 2) GROUP BY n "
    "ORDER BY n",
    "SELECT DISTINCT d.word, e.word FROM m JOIN d ON m.n = d.n JOIN d e ON m.n + 1 = e.n "
    "WHERE v < 3 ORDER BY 1, 2",
    "SELECT count(DISTINCT v), max(word) FROM (SELECT v, word FROM m, d WHERE m.n = d.n AND v > "
    "(SELECT avg(w) FROM d)) q",
    "SELECT s, sum(c) FROM (SELECT s, v, count(*) AS c FROM m JOIN d ON m.n = d.n GROUP BY s, v) q "
    "GROUP BY s ORDER BY s",
    "SELECT w, count(*) FROM (SELECT w FROM m JOIN d ON m.n = d.n WHERE v > 50 UNION ALL "
    "SELECT n FROM m WHERE v < 50 UNION ALL SELECT w + 1 FROM m JOIN d USING (n)) q GROUP BY w "
    "ORDER BY w",
};
#define QUERIES (sizeof queries / sizeof queries[0])

static void must(int rc, const struct dendro_error *e)
{
    if (rc < 0)
        fail_msg("%s %s", e->sqlstate, e->message);
}

static void run(dendro_conn *conn, const char *sql)
{
    struct dendro_error e;

    must(dendro_exec(conn, sql, -1, NULL, NULL, &e), &e);
}

static void fill(dendro_conn *conn)
{
    static char sql[BATCH * 48 + 64];

    run(conn,
        "CREATE TABLE m (s VARCHAR NOT NULL, t TIMESTAMP NOT NULL, v DOUBLE, n BIGINT, "
        "PRIMARY KEY ((s, QUANTUM(t, 1, 'd')), s, t)); SET synchronous_commit = off");
    for (uint32_t at = 0; at < ROWS; at += BATCH / SERIES) {
        int len = snprintf(sql, sizeof sql, "INSERT INTO m VALUES ");

        for (uint32_t i = 0; i < BATCH; i++)
            len += snprintf(sql + len,
                            sizeof sql - (size_t)len,
                            "%s('s%u', %u, %u.25, %u)",
                            i ? "," : "",
                            i % SERIES,
                            (at + i / SERIES + 1) * 20000,
                            (at * 7 + i * 13) % 100,
                            (at + i) % 5);
        run(conn, sql);
    }
    run(conn,
        "CREATE TABLE d (n BIGINT, word VARCHAR, w BIGINT); INSERT INTO d VALUES (0, 'zero', 1), "
        "(1, 'one', 2), (2, 'two', 3), (2, 'zwei', 4), (3, NULL, 5), (7, 'seven', 6), "
        "(NULL, 'none', 1)");
    run(conn, "CHECKPOINT");
}

/* All values of the result, numbers as they are, texts as their hash. */
static int values_of(dendro_conn *conn, const char *sql, double *ret, uint32_t *ret_count)
{
    struct dendro_error e;
    dendro_stmt *stmt;
    int rc = dendro_prepare(conn, sql, -1, &stmt, NULL, &e);

    *ret_count = 0;
    if (rc < 0)
        return rc;
    while ((rc = dendro_step(stmt, &e)) == DENDRO_ROW) {
        for (int c = 0; c < dendro_column_count(stmt); c++) {
            double x = 0;

            if (dendro_column_type(stmt, c) == DENDRO_TYPE_VARCHAR)
                for (const char *p = dendro_column_text(stmt, c); p && *p; p++)
                    x = x * 31 + *p;
            else if (dendro_column_type(stmt, c) == DENDRO_TYPE_DOUBLE)
                x = dendro_column_double(stmt, c);
            else
                x = (double)dendro_column_int64(stmt, c);
            if (*ret_count < VALUES_MAX)
                ret[(*ret_count)++] = x;
        }
    }
    dendro_finalize(stmt);
    return rc;
}

static bool same(const double *a, const double *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > 1e-12 * (1 + fabs(a[i])))
            return false;
    return true;
}

static double wanted[QUERIES][VALUES_MAX];
static uint32_t wanted_count[QUERIES];
static atomic_uint wrong;

static void *session(void *arg)
{
    static const char *const workers[] = {"SET workers = 4", "SET workers = 2", "SET workers = 0"};
    double *got = calloc(VALUES_MAX, sizeof *got);
    struct dendro_error e;
    dendro_conn *conn;
    uint32_t count;

    if (dendro_connect(db, &conn, &e) < 0) {
        atomic_fetch_add(&wrong, 1);
        free(got);
        return NULL;
    }
    if (dendro_exec(conn, workers[*(uint32_t *)arg], -1, NULL, NULL, &e) < 0)
        atomic_fetch_add(&wrong, 1);
    for (uint32_t q = 0; q < QUERIES; q++)
        if (values_of(conn, queries[q], got, &count) != DENDRO_DONE || count != wanted_count[q] ||
            !same(got, wanted[q], count))
            atomic_fetch_add(&wrong, 1);
    dendro_disconnect(conn);
    free(got);
    return NULL;
}

static void test_same(void **state)
{
    pthread_t threads[SESSIONS];
    uint32_t numbers[SESSIONS] = {0, 1, 2};
    dendro_conn *conn;
    struct dendro_error e;

    (void)state;
    must(dendro_connect(db, &conn, &e), &e);
    run(conn, "SET workers = 1");
    for (uint32_t q = 0; q < QUERIES; q++)
        assert_int_equal(values_of(conn, queries[q], wanted[q], &wanted_count[q]), DENDRO_DONE);
    dendro_disconnect(conn);
    for (uint32_t i = 0; i < SESSIONS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, session, &numbers[i]), 0);
    for (uint32_t i = 0; i < SESSIONS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
}

/* Division by zero in rows far into the table. */
static void test_error(void **state)
{
    struct dendro_error e;
    dendro_conn *conn;

    (void)state;
    must(dendro_connect(db, &conn, &e), &e);
    run(conn, "SET workers = 4");
    assert_true(dendro_exec(conn,
                            "SELECT n, sum(100 / (CASE WHEN t > 160000000 AND s = 's7' THEN 0 ELSE "
                            "n + 1 END)) FROM m GROUP BY n",
                            -1,
                            NULL,
                            NULL,
                            &e) < 0);
    assert_string_equal(e.sqlstate, "22012");
    assert_true(e.position > 0);
    assert_true(dendro_exec(conn,
                            "SELECT w, count(*) FROM (SELECT w, 100 / (CASE WHEN t > 160000000 AND "
                            "s = 's7' THEN 0 ELSE m.n + 1 END) AS x FROM m JOIN d ON m.n = d.n) q "
                            "WHERE x > 1 GROUP BY w",
                            -1,
                            NULL,
                            NULL,
                            &e) < 0);
    assert_string_equal(e.sqlstate, "22012");
    assert_true(e.position > 0);
    run(conn, "SELECT n, sum(v + 1) FROM m GROUP BY n"); /* the session lives */
    dendro_disconnect(conn);
}

struct canceller {
    dendro_conn *conn;
    long pause_ns;
    atomic_bool over; /* the statement has ended */
};

/* Cancels after the pause, and again and again until the statement has ended: on a busy machine the
 * first time may be before its beginning. */
static void *canceller(void *arg)
{
    struct canceller *c = arg;
    struct timespec pause = {.tv_nsec = c->pause_ns};

    do {
        nanosleep(&pause, NULL);
        dendro_cancel(c->conn);
    } while (!atomic_load(&c->over));
    return NULL;
}

static void cancel_one(const char *sql)
{
    struct dendro_error e;
    dendro_conn *conn;
    pthread_t thread;
    int rc = 0;

    must(dendro_connect(db, &conn, &e), &e);
    run(conn, "SET workers = 4");
    for (long i = 1; i <= 200 && rc >= 0; i++) { /* earlier and earlier, if it was too late */
        struct canceller c = {.conn = conn, .pause_ns = 3000000 / i};

        assert_int_equal(pthread_create(&thread, NULL, canceller, &c), 0);
        rc = dendro_exec(conn, sql, -1, NULL, NULL, &e);
        atomic_store(&c.over, true);
        pthread_join(thread, NULL);
    }
    assert_int_equal(rc, DENDRO_E_CANCELED);
    dendro_disconnect(conn);
}

static void test_cancel(void **state)
{
    (void)state;
    cancel_one("SELECT v + n, sum(v * n + 1), stddev(v + n) FROM m GROUP BY v + n");
    cancel_one("SELECT v + w, sum(v * w + 1) FROM m JOIN d ON m.n = d.n GROUP BY v + w");
}

struct told {
    pthread_t thread; /* that may be told */
    uint32_t calls;
    uint64_t rows;
    bool wrong; /* another thread, fewer rows than before, or more than there are */
    uint32_t stop_at;
};

static int on_progress(void *arg, const struct dendro_progress *p)
{
    struct told *t = arg;

    t->wrong = t->wrong || !pthread_equal(pthread_self(), t->thread) || p->rows < t->rows ||
               p->rows > (uint64_t)SERIES * ROWS;
    t->rows = p->rows;
    return ++t->calls == t->stop_at;
}

/* Rows that helpers read count, and only the statement's own thread is told. */
static void test_progress(void **state)
{
    static const char sql[] = "SELECT v + n, sum(v * n + 1) FROM m GROUP BY v + n";
    struct told t = {.thread = pthread_self()};
    struct dendro_error e;
    dendro_conn *conn;

    (void)state;
    must(dendro_connect(db, &conn, &e), &e);
    run(conn, "SET workers = 4");
    dendro_set_progress(conn, on_progress, &t, 0);
    run(conn, sql);
    assert_false(t.wrong);
    assert_in_range(t.calls, 10, 100000);
    assert_in_range(t.rows, SERIES * ROWS / 4, SERIES * ROWS);
    t = (struct told){.thread = pthread_self(), .stop_at = 5};
    assert_int_equal(dendro_exec(conn, sql, -1, NULL, NULL, &e), DENDRO_E_CANCELED);
    assert_false(t.wrong);
    dendro_disconnect(conn);
}

static int set_up(void **state)
{
    struct dendro_error e;
    dendro_conn *conn;

    (void)state;
    if (!mkdtemp(dir))
        return -1;
    must(dendro_open(dir, NULL, &db, &e), &e);
    must(dendro_connect(db, &conn, &e), &e);
    fill(conn);
    dendro_disconnect(conn);
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(dendro_close(db), DENDRO_OK);
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_progress),
    };

    return cmocka_run_group_tests_name("parallel", tests, set_up, tear_down);
}

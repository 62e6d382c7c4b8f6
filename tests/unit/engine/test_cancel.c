/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancel from another thread, early, in the middle and late in statements that take long: each ends
 * with 57014 soon, changes nothing, and the session goes on. A commit under way is finished, soon
 * as well. What is bounded is the time from the call to the end. A busy machine is no fault of
 * ours: a try that takes too long is made again, and what the process worked in that time counts
 * too. */
#define _GNU_SOURCE /* mkdtemp */
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

#if defined(DN_DEBUG) || defined(__SANITIZE_THREAD__)
#define ROWS    60000
#define WAIT_MS 1000 /* sanitizers are slow */
#else
#define ROWS    300000
#define WAIT_MS 100
#endif
#define BUSY      20        /* times as long, if it worked little in that time */
#define TRIES     5         /* of a cancel that took too long */
#define MISSES    50        /* of the earliest cancel, before the statement counts as too fast */
#define COMMIT_MS 5000      /* one that was under way: the disk's time */
#define LAST_NS   512000000 /* the last point of statements that would never end */

static char dir[] = "/tmp/dendro-cancel-XXXXXX";
static dendro_db *db;
static dendro_conn *conn;

struct statement {
    const char *setup; /* NULL: nothing; not canceled */
    const char *sql;
    bool endless;       /* too long to be run to its end */
    bool whole;         /* changes all of its rows or none */
    bool quick;         /* may be over before it can be canceled */
    const char *before; /* NULL: nothing; run before each try */
};

static const struct statement statements[] = {
    {.sql = "SELECT count(*) FROM t WHERE s || 'x' LIKE '%y%'"},
    {.sql = "SELECT s, k FROM t ORDER BY s, k DESC"},
    {.sql = "SELECT s, count(*), sum(k) FROM t GROUP BY s"},
    {.sql = "SELECT DISTINCT s, g FROM t"},
    {.sql = "SELECT count(DISTINCT s), count(DISTINCT k) FROM t"},
    {.sql = "SELECT array_length(array_agg(s ORDER BY g, s), 1), mode() WITHIN GROUP (ORDER BY s), "
            "mode() WITHIN GROUP (ORDER BY k) FROM t"},
    {.setup = "SET statement_memory = '400kB'", .sql = "SELECT s, k FROM t ORDER BY s, k DESC"},
    {.sql = "SELECT s, count(*), count(DISTINCT k) FROM t GROUP BY s"},
    {.setup = "SET statement_memory = 0", .sql = "UPDATE t SET g = g + 1", .whole = true},
    {.sql = "UPDATE t SET k = k + 100000000", .whole = true},
    {.sql = "DELETE FROM t WHERE k % 2 = 0 AND g % 2 = 0", .whole = true},
    {.sql = "COPY t TO 'FILE'"},
    {.setup = "COPY t TO 'FILE'", .sql = "COPY u FROM 'FILE'", .whole = true},
    {.setup = "TRUNCATE u", .sql = "INSERT INTO u SELECT k, g, s FROM t", .whole = true},
    {.setup = "TRUNCATE u",
     .sql = "INSERT INTO u SELECT k * 7919 % 1000003, g, s FROM t",
     .whole = true},
    {.setup = "TRUNCATE u",
     .sql = "INSERT INTO u SELECT k, g, s FROM t WHERE k % 100000000 < 50000 ON CONFLICT (k) DO "
            "UPDATE SET g = 1", /* an UPDATE before has moved the keys */
     .whole = true},
    {.setup = "SET statement_memory = 0",
     .sql =
         "INSERT INTO u SELECT k * 4 + x, g, 'a' FROM t, generate_series(0, 3) x ON CONFLICT (k) "
         "DO UPDATE SET g = EXCLUDED.g + u.g",
     .whole = true},
    {.sql = "DELETE FROM t WHERE g = 3 RETURNING s", .whole = true},
    {.sql = "CHECKPOINT", .before = "UPDATE t SET g = g + 0", .quick = true},
    {.sql = "ALTER TABLE t ADD COLUMN c INT DEFAULT 3",
     .before = "ALTER TABLE t DROP COLUMN IF EXISTS c; UPDATE t SET g = g + 0",
     .quick = true},
    {.sql = "TRUNCATE u",
     .before = "INSERT INTO u SELECT k * 7919 % 1000003, g, s FROM t",
     .quick = true},
    /* What a block comes to is folded, and looked for in what others wrote, before it is written.
     */
    {.sql = "COMMIT",
     .before = "ROLLBACK; TRUNCATE u; BEGIN; INSERT INTO u SELECT k * 4 + x, g, 'a' FROM t, "
               "generate_series(0, 3) x",
     .quick = true},
    {.sql = "COMMIT",
     .before = "ROLLBACK; BEGIN; UPDATE t SET g = g + 0; CHECKPOINT",
     .quick = true},
    {.sql = "SELECT count(*) FROM t a, t b WHERE a.g = b.g AND a.s < b.s", .endless = true},
    {.sql = "SELECT count(*) FROM t a, t b WHERE a.s < b.s", .endless = true},
    {.sql = "SELECT k, (SELECT count(*) FROM t b WHERE b.s < a.s) FROM t a", .endless = true},
    {.setup = "SET statement_memory = '400kB'",
     .sql = "SELECT k, sum(k) OVER (ORDER BY s), lag(s, 9) OVER (ORDER BY s) FROM t"},
    {.sql = "SELECT max(s) OVER (ORDER BY k ROWS BETWEEN 20000 PRECEDING AND 20000 FOLLOWING "
            "EXCLUDE CURRENT ROW) FROM t",
     .endless = true},
    {.sql = "SELECT s, k FROM t EXCEPT SELECT s, k + 1 FROM t"},
    {.sql = "SELECT s, k FROM t INTERSECT ALL SELECT s, k FROM t"},
    {.sql = "WITH w AS MATERIALIZED (SELECT s, k FROM t) "
            "SELECT count(*) FROM w a JOIN w b USING (s)"},
    {.sql = "WITH RECURSIVE r (n, s) AS (SELECT 0::bigint, s FROM t UNION SELECT n + 1, s FROM r) "
            "SELECT * FROM r",
     .endless = true},
};

static void must(int rc, const struct dendro_error *e, const char *sql)
{
    if (rc < 0)
        fail_msg("%s: %s %s", sql, e->sqlstate, e->message);
}

/* With the file's name in the place of FILE. */
static int run(const char *sql, struct dendro_error *e)
{
    char text[4096];
    const char *at = strstr(sql, "FILE");

    (void)snprintf(text,
                   sizeof text,
                   "%.*s%s%s%s",
                   at ? (int)(at - sql) : (int)strlen(sql),
                   sql,
                   at ? dir : "",
                   at ? ".csv" : "",
                   at ? at + 4 : "");
    return dendro_exec(conn, text, -1, NULL, NULL, e);
}

static void run_ok(const char *sql)
{
    struct dendro_error e;

    must(run(sql, &e), &e, sql);
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;

    assert_int_equal(clock_gettime(clock, &t), 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- cancelling ---- */

/* Cancels when the thread has worked for so long. */
struct canceler {
    clockid_t clock;  /* of the thread that works */
    int64_t at_ns;    /* by that clock */
    atomic_bool over; /* too late */
    int64_t wall_ns;  /* when it was canceled, by the clock on the wall and … */
    int64_t work_ns;  /* … by the one of the process */
};

static void *cancel(void *arg)
{
    struct timespec pause = {.tv_nsec = 200000};
    struct canceler *c = arg;

    while (!atomic_load(&c->over) && now_ns(c->clock) < c->at_ns)
        nanosleep(&pause, NULL);
    c->wall_ns = now_ns(CLOCK_MONOTONIC);
    c->work_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    dendro_cancel(conn);
    return NULL;
}

/* How it ended; *ret_late: too long after the cancel. */
static int cancel_once(const struct statement *s, int64_t after_ns, int *ret_ms, bool *ret_late)
{
    struct canceler c = {.over = false};
    struct dendro_error e;
    pthread_t thread;
    int64_t work_ns;
    int64_t work_ms;
    int64_t end_ns;
    int rc;

    if (s->before)
        run_ok(s->before);
    assert_int_equal(pthread_getcpuclockid(pthread_self(), &c.clock), 0);
    c.at_ns = now_ns(c.clock) + after_ns;
    assert_int_equal(pthread_create(&thread, NULL, cancel, &c), 0);
    rc = run(s->sql, &e);
    end_ns = now_ns(CLOCK_MONOTONIC);
    work_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    atomic_store(&c.over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (rc < 0 && (rc != DENDRO_E_CANCELED || strcmp(e.sqlstate, "57014") != 0))
        fail_msg("%s: %s %s", s->sql, e.sqlstate, e.message);
    *ret_ms = (int)((end_ns - c.wall_ns) / 1000000); /* below 0: it was over by then */
    work_ms = (work_ns - c.work_ns) / 1000000;
    *ret_late = *ret_ms > WAIT_MS && (work_ms > WAIT_MS || *ret_ms > BUSY * WAIT_MS);
    if (getenv("DENDRO_TEST_VERBOSE"))
        print_message("%s after %5.1f ms: %5d ms, %d of work: %s\n",
                      rc < 0 ? "canceled" : "ended   ",
                      (double)after_ns / 1e6,
                      *ret_ms,
                      (int)work_ms,
                      s->sql);
    return rc;
}

/* Whether it was canceled, rather than at its end before that. */
static bool cancel_after(const struct statement *s, int64_t after_ns)
{
    int ms = 0;

    for (int i = 0; i < TRIES; i++) {
        bool late;
        int rc = cancel_once(s, after_ns, &ms, &late);

        if (rc >= 0 || !late) {
            if (ms > COMMIT_MS)
                fail_msg("%s: ended %d ms after the cancel", s->sql, ms);
            return rc < 0;
        }
    }
    fail_msg("%s: ended %d ms after the cancel", s->sql, ms);
    return true;
}

static int64_t number(const char *sql)
{
    struct dendro_error e;
    dendro_stmt *stmt;
    int64_t n;

    must(dendro_prepare(conn, sql, -1, &stmt, NULL, &e), &e, sql);
    assert_int_equal(dendro_step(stmt, &e), DENDRO_ROW);
    n = dendro_column_int64(stmt, 0);
    dendro_finalize(stmt);
    return n;
}

/* Later and later, until it comes to its end before it is canceled. */
static void cancel_often(const struct statement *s)
{
    static const char sum[] = "SELECT sum(k) + sum(g) + count(*) + (SELECT count(*) FROM u) FROM t";
    int64_t before = s->whole ? number(sum) : 0;
    int64_t after_ns = 1000000;
    uint32_t canceled = 0;
    uint32_t missed = 0; /* early cancels that came after the end, as this thread had no turn */

    for (;;) {
        if (!cancel_after(s, after_ns)) {
            if (canceled > 0 || s->quick || ++missed > MISSES)
                break;
            before = s->whole ? number(sum) : 0; /* it was run to its end */
            continue;
        }
        canceled++;
        after_ns *= 2;
        if (s->whole && number(sum) != before)
            fail_msg("%s: was canceled, but changed something", s->sql);
        if (s->endless && after_ns > LAST_NS)
            break;
    }
    if (canceled == 0 && !s->quick)
        fail_msg("%s: too fast to be canceled", s->sql);
}

static void test_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (statements[i].setup)
            run_ok(statements[i].setup);
        cancel_often(&statements[i]);
    }
}

static int setup(void **state)
{
    dendro_appender *app;
    struct dendro_error e;
    int64_t rows = ROWS;
    char text[64];

    (void)state;
    assert_non_null(mkdtemp(dir));
    must(dendro_open(dir, NULL, &db, &e), &e, "open");
    must(dendro_connect(db, &conn, &e), &e, "connect");
    run_ok("CREATE TABLE t (k BIGINT PRIMARY KEY, g INT, s VARCHAR);"
           "CREATE TABLE u (k BIGINT PRIMARY KEY, g INT, s VARCHAR)");
    must(dendro_appender_open(conn, NULL, "t", NULL, &app, &e), &e, "appender");
    if (getenv("DENDRO_TEST_ROWS"))
        rows = atol(getenv("DENDRO_TEST_ROWS"));
    for (int64_t i = 0; i < rows; i++) {
        (void)snprintf(text, sizeof text, "the text of %ld", (long)(i * 7919 % rows));
        if (dendro_append_int64(app, i, &e) < 0 || dendro_append_int64(app, i % 10, &e) < 0 ||
            dendro_append_text(app, text, -1, &e) < 0 || dendro_append_end_row(app, &e) < 0)
            fail_msg("append: %s", e.message);
    }
    must(dendro_appender_close(app, &e), &e, "append");
    return 0;
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    (void)snprintf(command, sizeof command, "rm -rf %s %s.csv", dir, dir);
    assert_int_equal(system(command), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements),
    };

    return cmocka_run_group_tests_name("cancel", tests, setup, teardown);
}

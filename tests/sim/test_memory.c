/* SPDX-License-Identifier: Apache-2.0
 *
 * test_memory.c: every kind of statement that gathers rows, on a table of ten times what statements
 * may hold and with a small memory_limit. Sorts, groups and DISTINCT give what they give with
 * plenty, out of the scratch area; what must hold its rows (UPDATE, DELETE) works or fails with
 * 53200 and a hint, and changes nothing then. All memory is given back, and the database goes on.
 */
#include "sql_db.h"

#include "base/hash.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS       12000
#define SHARE      "SET statement_memory = '100kB'" /* a tenth of the rows */
#define TEXT_BYTES 80                               /* of each row */
#define LITTLE     "4MB"
#define PLENTY     "512MB"
#define KEEPS_MAX  65536u /* bytes by which memory may vary from run to run: caches */

static void must(struct sql_db *d, const char *sql)
{
    struct dendro_error err;

    if (sql_exec(d->conn, sql, &err) < 0)
        fail_msg("%s: %s %s", sql, err.sqlstate, err.message);
}

static void open_with(struct sql_db *d, const char *limit)
{
    const char *settings[] = {"memtable_size", "1MB", "memory_limit", limit, NULL};
    struct sql_db_options o = {.seed = 1, .settings = settings};
    struct dn_err err;

    if (sql_db_open(d, &o, &err) < 0)
        fail_msg("open with %s: %s", limit, err.text);
}

static void fill(struct sql_db *d)
{
    static char text[TEXT_BYTES + 1];
    dendro_appender *app = NULL;
    struct dendro_error err;

    must(d, "CREATE TABLE t (g INT, k BIGINT, s VARCHAR, v INT, PRIMARY KEY ((g), k))");
    assert_int_equal(dendro_appender_open(d->conn, NULL, "t", NULL, &app, &err), DENDRO_OK);
    dendro_appender_set_flush(app, 1000, 0);
    for (int64_t i = 0; i < ROWS; i++) {
        /* Alike for a long way, so that comparing takes all of it. */
        (void)snprintf(text, sizeof text, "%0*" PRId64, TEXT_BYTES, i * 7919 % ROWS);
        if (dendro_append_int64(app, i % 10, &err) < 0 || dendro_append_int64(app, i, &err) < 0 ||
            dendro_append_text(app, text, -1, &err) < 0 || dendro_append_int64(app, 1, &err) < 0 ||
            dendro_append_end_row(app, &err) < 0)
            fail_msg("append: %s", err.message);
    }
    if (dendro_appender_close(app, &err) < 0)
        fail_msg("append: %s", err.message);
    must(d, "CHECKPOINT");
}

/* ---- queries ---- */

static const char *const queries[] = {
    "SELECT count(*), sum(v), max(s) FROM t",
    "SELECT g, count(*), min(s) FROM t GROUP BY g ORDER BY g",
    "SELECT s FROM t ORDER BY s DESC LIMIT 5",
    "SELECT * FROM t WHERE s LIKE '%77' ORDER BY k",
    "SELECT s, k FROM t ORDER BY s, k DESC",
    "SELECT s, count(*), sum(k) FROM t GROUP BY s",
    "SELECT DISTINCT s, v FROM t",
    "SELECT count(DISTINCT s), sum(DISTINCT k) FROM t",
    "SELECT s, last(v, k) FILTER (WHERE v > 0) FROM t GROUP BY s HAVING count(*) > 0 ORDER BY s",
    "SELECT a.k, a.s, b.s FROM t a JOIN t b ON a.s = b.s",
    "SELECT a.k, b.s FROM t a FULL JOIN t b ON a.k = b.k + 5000",
    "SELECT k, s FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.s = a.s AND b.k <> a.k)",
    "SELECT DISTINCT ON (s) s, k FROM t ORDER BY s, k DESC",
    "SELECT s FROM t UNION SELECT s || 'x' FROM t",
    "SELECT s, k FROM t EXCEPT SELECT s, k + 1 FROM t",
    "SELECT s FROM t EXCEPT ALL SELECT s FROM t WHERE k > 3000",
    "SELECT s FROM t INTERSECT SELECT s FROM t WHERE k > 3000",
    "(SELECT s FROM t UNION ALL SELECT s FROM t) INTERSECT ALL SELECT s FROM t",
    "WITH w AS MATERIALIZED (SELECT s, k FROM t) "
    "SELECT count(*), min(x.s), max(y.s) FROM w x JOIN w y ON x.k = y.k",
    "WITH w AS MATERIALIZED (SELECT s, k FROM t) SELECT s, k FROM w UNION ALL SELECT s, k FROM w",
    "WITH RECURSIVE r (n, s) AS (SELECT 0::bigint, s FROM t WHERE k < 3000 UNION "
    "SELECT n + 1, s FROM r WHERE n < 3) SELECT count(*), sum(n), min(s), max(s) FROM r",
    "WITH RECURSIVE r (n, s) AS (SELECT k, s FROM t UNION ALL "
    "SELECT n + 20000, s FROM r WHERE n < 40000) SELECT count(*), sum(n), max(s) FROM r",
    "SELECT g, s, count(*), sum(k) FROM t GROUP BY GROUPING SETS ((g), (s), (g, s), ())",
    "SELECT k, s, row_number() OVER w, sum(k) OVER w, lag(s, 700) OVER w, lead(s) OVER w, "
    "first_value(s) OVER w FROM t WINDOW w AS (ORDER BY s)",
    "SELECT k, max(s) OVER (ORDER BY s ROWS BETWEEN 2000 PRECEDING AND 1000 FOLLOWING), "
    "sum(k) OVER (ORDER BY k RANGE BETWEEN 100 PRECEDING AND UNBOUNDED FOLLOWING), "
    "count(*) OVER (ORDER BY k GROUPS BETWEEN 3000 PRECEDING AND 1 PRECEDING), "
    "ntile(7) OVER (ORDER BY s), nth_value(s, 500) OVER (ORDER BY k) FROM t",
    "SELECT g, s, rank() OVER (PARTITION BY g ORDER BY s), cume_dist() OVER (PARTITION BY g ORDER "
    "BY k), max(s) OVER (PARTITION BY g) FROM t",
};

struct result {
    int64_t rows;
    uint64_t hash; /* of the rows; without ORDER BY in whatever order they come */
};

static uint64_t row_hash(dendro_stmt *stmt)
{
    uint64_t hash = 0;

    for (int c = 0; c < dendro_column_count(stmt); c++) {
        const char *text = dendro_column_text(stmt, c);

        hash = dn_hash64(text ? text : "", text ? dendro_column_bytes(stmt, c) : 0, hash + !text);
    }
    return hash;
}

/* rows < 0: it failed. */
static struct result run(struct sql_db *d, const char *sql, struct dendro_error *err)
{
    bool ordered = strstr(sql, "ORDER BY");
    dendro_stmt *stmt = NULL;
    struct result r = {.rows = 0};
    int rc = dendro_prepare(d->conn, sql, -1, &stmt, NULL, err);

    while (rc >= 0 && (rc = dendro_step(stmt, err)) == DENDRO_ROW) {
        r.hash = ordered ? dn_mix64(r.hash + row_hash(stmt)) : r.hash + dn_mix64(row_hash(stmt));
        r.rows++;
    }
    dendro_finalize(stmt);
    if (rc < 0)
        r.rows = rc;
    return r;
}

static void run_all(struct sql_db *d, struct result *to)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(queries); i++) {
        struct dendro_error err;

        to[i] = run(d, queries[i], &err);
        if (to[i].rows < 0)
            fail_msg("%s: %s %s", queries[i], err.sqlstate, err.message);
    }
}

static void test_queries(void **state)
{
    struct sql_db *d = *state;
    struct result much[DN_ARRAY_SIZE(queries)];
    struct result little[DN_ARRAY_SIZE(queries)];
    size_t used;

    open_with(d, PLENTY);
    run_all(d, much);
    assert_int_equal(much[0].rows, 1);
    assert_int_equal(much[1].rows, 10);
    assert_int_equal(much[4].rows, ROWS);
    sql_db_close(d);

    open_with(d, LITTLE);
    must(d, SHARE);
    run_all(d, little);
    used = mem_process_used(); /* caches are full now */
    for (size_t i = 0; i < DN_ARRAY_SIZE(queries); i++) {
        struct dendro_error err;

        if (little[i].rows != much[i].rows || little[i].hash != much[i].hash)
            fail_msg("%s: another result with little memory", queries[i]);
        (void)run(d, queries[i], &err);
        if (mem_process_used() > used + KEEPS_MAX)
            fail_msg("%s keeps %zu bytes", queries[i], mem_process_used() - used);
    }
    sql_db_close(d);
}

/* ---- changes ---- */

struct change {
    const char *sql;
    const char *check; /* a query whose one number changes by … */
    int64_t by;        /* … so much when all rows are there */
};

static const struct change changes[] = {
    {"UPDATE t SET v = v + 1", "SELECT sum(v) FROM t", ROWS},
    {"UPDATE t SET k = k + 1000000", "SELECT sum(k) FROM t", (int64_t)1000000 * ROWS},
    {"DELETE FROM t WHERE k % 2 = 0", "SELECT count(*) FROM t", -ROWS / 2},
};

static int64_t number(struct sql_db *d, const char *sql)
{
    struct dendro_error err;
    struct sql_rows rows;
    int64_t n;

    if (sql_query(d->conn, sql, &rows, &err) < 0)
        fail_msg("%s: %s %s", sql, err.sqlstate, err.message);
    n = sql_row(&rows, 0)[0].i64;
    sql_rows_done(&rows);
    return n;
}

/* Whether it succeeded. */
static bool change_one(struct sql_db *d, const struct change *c)
{
    struct dendro_error err = {.code = 0};
    int64_t rows = number(d, "SELECT count(*) FROM t");
    int64_t before = number(d, c->check);
    bool done = run(d, c->sql, &err).rows >= 0;
    int64_t by = number(d, c->check) - before;

    if (!done && (strcmp(err.sqlstate, "53200") != 0 || !err.hint[0]))
        fail_msg("%s: %s %s | %s", c->sql, err.sqlstate, err.message, err.hint);
    if (by != (done ? c->by * rows / ROWS : 0))
        fail_msg("%s %s and changed %" PRId64, c->sql, done ? "was done" : "failed", by);
    return done;
}

static void test_changes(void **state)
{
    bool done[DN_ARRAY_SIZE(changes)];
    struct sql_db *d = *state;
    uint32_t failed = 0;

    open_with(d, LITTLE);
    for (size_t i = 0; i < DN_ARRAY_SIZE(changes); i++) {
        done[i] = change_one(d, &changes[i]);
        failed += !done[i];
    }
    assert_true(failed > 0); /* else the limit says nothing */
    sql_db_close(d);
    open_with(d, PLENTY);
    for (size_t i = 0; i < DN_ARRAY_SIZE(changes); i++)
        if (!done[i])
            assert_true(change_one(d, &changes[i]));
    sql_db_close(d);
}

static int setup(void **state)
{
    static struct sql_db d;

    sql_db_init(&d, 1);
    open_with(&d, PLENTY);
    fill(&d);
    sql_db_close(&d);
    *state = &d;
    return 0;
}

static int teardown(void **state)
{
    sql_db_done(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_changes),
    };

    return cmocka_run_group_tests_name("memory", tests, setup, teardown);
}

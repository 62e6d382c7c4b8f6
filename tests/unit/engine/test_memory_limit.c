/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins, sorts, groups, windows and the like over ten times (release builds) the memory_limit of
 * the database, on a directory, with nothing else set: each gives what it gives with plenty, memory
 * never goes over the limit, and all of it is given back. */
#define _GNU_SOURCE /* mkdtemp */
#include "base/hash.h"
#include "base/mem.h"
#include "dendro.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIMIT      "6MB"
#define LIMIT_MB   6
#define TEXT_BYTES 200
#if defined(DN_DEBUG) || defined(__SANITIZE_THREAD__)
#define TIMES 3 /* sanitizers are slow */
#else
#define TIMES 10
#endif
#define ROWS      (TIMES * LIMIT_MB * 1024 * 1024 / TEXT_BYTES)
#define KEEPS_MAX ((size_t)256 * 1024) /* by which caches may vary */

static char dir[] = "/tmp/dendro-limit-XXXXXX";
static dendro_db *db;
static dendro_conn *conn;
static size_t peak; /* as seen between steps and by the progress callback */

static void look(void)
{
    size_t now = mem_process_used();

    if (now > peak)
        peak = now;
}

static int progress(void *arg, const struct dendro_progress *so_far)
{
    (void)arg;
    (void)so_far;
    look();
    return 0;
}

static void open_with(const char *limit)
{
    const char *settings[] = {"memory_limit", limit, "memtable_size", "1MB", NULL};
    const struct dendro_options options = {.settings = settings};
    struct dendro_error e;

    if (dendro_open(dir, &options, &db, &e) < 0 || dendro_connect(db, &conn, &e) < 0)
        fail_msg("open with %s: %s", limit, e.message);
    dendro_set_progress(conn, progress, NULL, 1);
}

static void close_db(void)
{
    dendro_disconnect(conn);
    dendro_close(db);
}

static void must(const char *sql)
{
    struct dendro_error e;

    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
        fail_msg("%s: %s %s", sql, e.sqlstate, e.message);
}

/* Texts are alike for a long way, so that comparing takes all of it. */
static void fill(void)
{
    char sql[512];

    must("CREATE TABLE t (g INT, k BIGINT, s VARCHAR, PRIMARY KEY ((g), k))");
    for (int at = 0; at < ROWS; at += 5000) {
        (void)snprintf(
            sql,
            sizeof sql,
            "INSERT INTO t SELECT i %% 10, i, lpad((i::bigint * 7919 %% %d)::text, %d, '0') "
            "FROM generate_series(%d, %d) AS n (i)",
            ROWS,
            TEXT_BYTES,
            at,
            (at + 5000 < ROWS ? at + 5000 : ROWS) - 1);
        must(sql);
    }
    must("CHECKPOINT");
}

static const char *const queries[] = {
    "SELECT s, k FROM t ORDER BY s DESC",
    "SELECT s, count(*), sum(k), max(s) FROM t GROUP BY s",
    "SELECT a.k, a.s, b.s FROM t a JOIN t b ON a.s = b.s",
    "SELECT a.k, b.s FROM t a LEFT JOIN t b ON a.k = b.k + 5000",
    "SELECT DISTINCT s, k FROM t",
    "SELECT count(DISTINCT s) FROM t",
    "SELECT DISTINCT ON (s) s, k FROM t ORDER BY s, k",
    "SELECT s FROM t UNION SELECT s FROM t WHERE k % 2 = 0",
    "SELECT s, k FROM t EXCEPT SELECT s, k + k % 2 FROM t",
    "SELECT s FROM t INTERSECT ALL SELECT s FROM t WHERE k % 3 = 0",
    "WITH w AS MATERIALIZED (SELECT s, k FROM t) SELECT s, k FROM w UNION ALL SELECT s, k FROM w",
    "WITH RECURSIVE r (n, s) AS (SELECT k, s FROM t UNION SELECT n + 1000000, s FROM r "
    "WHERE n < 1000000 AND n % 2 = 0) SELECT n, s FROM r",
    "SELECT g, s, count(*), sum(k) FROM t GROUP BY GROUPING SETS ((g), (g, s))",
    "SELECT k, s, row_number() OVER w, sum(k) OVER w, lag(s, 5000) OVER w "
    "FROM t WINDOW w AS (ORDER BY s)",
    "SELECT k, max(s) OVER (ORDER BY s ROWS BETWEEN 20000 PRECEDING AND 3 FOLLOWING) FROM t",
    "SELECT k, sum(k) OVER (ORDER BY k RANGE BETWEEN 9 PRECEDING AND UNBOUNDED FOLLOWING), s "
    "FROM t",
};

struct result {
    int64_t rows;
    uint64_t hash; /* in whatever order they come */
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

static struct result run(const char *sql)
{
    dendro_stmt *stmt = NULL;
    struct dendro_error e;
    struct result r = {.rows = 0};
    int rc = dendro_prepare(conn, sql, -1, &stmt, NULL, &e);

    while (rc >= 0 && (rc = dendro_step(stmt, &e)) == DENDRO_ROW) {
        r.hash += dn_mix64(row_hash(stmt));
        if (r.rows++ % 512 == 0)
            look();
    }
    dendro_finalize(stmt);
    if (rc < 0)
        fail_msg("%s: %s %s", sql, e.sqlstate, e.message);
    return r;
}

static void test_queries(void **state)
{
    enum { COUNT = sizeof queries / sizeof queries[0] };
    struct result much[COUNT];
    size_t outside;

    (void)state;
    open_with("1GB");
    for (int i = 0; i < COUNT; i++)
        much[i] = run(queries[i]);
    close_db();
    assert_true(peak > (size_t)TIMES * LIMIT_MB << 20); /* else there is nothing to show */
    outside = mem_process_used();
    open_with(LIMIT);
    peak = 0;
    for (int i = 0; i < COUNT; i++) {
        struct result little = run(queries[i]);

        if (little.rows != much[i].rows || little.hash != much[i].hash)
            fail_msg("%s: another result with little memory", queries[i]);
        if (peak > outside + ((size_t)LIMIT_MB << 20) + KEEPS_MAX)
            fail_msg("%s: %zu bytes", queries[i], peak);
    }
    close_db();
}

static const char *const wide_queries[] = {
    "SELECT k, s FROM wide ORDER BY s",
    "SELECT s, count(*) FROM wide GROUP BY s",
    "SELECT DISTINCT s FROM wide",
    "SELECT a.k, b.s FROM wide a JOIN wide b ON a.s = b.s",
    "SELECT k, s FROM wide EXCEPT SELECT k + k % 2, s FROM wide",
    "SELECT k, lag(s) OVER (ORDER BY s) FROM wide",
    "SELECT k % 100, length(string_agg(s, ',' ORDER BY k)) FROM wide GROUP BY 1",
};

/* Rows of some 800 bytes that do not compress well, in one record of the log, which is larger than
 * the limit: the database opens nonetheless, and neither a memtable nor whole columns of a block
 * group are held. */
static void test_wide(void **state)
{
    enum { COUNT = sizeof wide_queries / sizeof wide_queries[0] };
    struct result much[COUNT];

    (void)state;
    open_with("1GB");
    must("CREATE TABLE wide (k INT, s VARCHAR)");
    must("INSERT INTO wide SELECT i, (SELECT string_agg(md5((i * 100 + j)::text), '') "
         "FROM generate_series(1, 24) j) FROM generate_series(1, 10000) i");
    for (int i = 0; i < COUNT; i++)
        much[i] = run(wide_queries[i]);
    close_db();
    open_with(LIMIT);
    for (int i = 0; i < COUNT; i++) {
        struct result little = run(wide_queries[i]);

        if (little.rows != much[i].rows || little.hash != much[i].hash)
            fail_msg("%s: another result with little memory", wide_queries[i]);
    }
    close_db();
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    open_with("1GB");
    fill();
    close_db();
    return 0;
}

static int teardown(void **state)
{
    char command[64];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queries), cmocka_unit_test(test_wide)};

    return cmocka_run_group_tests(tests, setup, teardown);
}

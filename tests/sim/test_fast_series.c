/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fast_series.c: very many short series of random length, with and without shortcuts (SET
 * fast_paths): groups by series, by tags and by minutes, newest and oldest values, windows that cut
 * series, NULLs; then late rows on top, rows that expire, deletes, updates, merges. A failure
 * prints seed and query; DENDRO_TEST_SEED reproduces it, DENDRO_TEST_SECONDS sets the time budget.
 */
#include "fast_sums.h"
#include "sql_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct shorts {
    struct rng rng;
    uint64_t seed;
    struct sql_db db;
    uint32_t series;
    bool failed;
};

static void short_exec(struct shorts *f, const char *sql)
{
    struct dendro_error err;

    if (f->failed || sql_exec(f->db.conn, sql, &err) >= 0)
        return;
    (void)fprintf(stderr, "seed %llu: %.200s: %s\n", (unsigned long long)f->seed, sql, err.message);
    f->failed = true;
}

#define SHORT_SPAN 600u /* seconds: times of all rows, from 1970-01-02 on */

/* Up to `most` rows of each of some series, one after the other or all at once. */
static void short_insert(struct shorts *f, uint32_t series, uint32_t most, bool late)
{
    struct rng *r = &f->rng;
    struct buf b;

    buf_init(&b, NULL);
    buf_puts(&b, "INSERT INTO x (s, t, k, n, g, i, v) VALUES ");
    for (uint32_t k = 0, put = 0; k < series; k++) {
        uint32_t name = late ? rng_below(r, f->series) : k;
        uint32_t rows = 1 + rng_below(r, most);
        uint32_t at = rng_one_in(r, 4) ? rng_below(r, SHORT_SPAN) : 0;

        for (uint32_t i = 0; i < rows; i++, put++) {
            uint64_t t = 86400000ull + (at + i * 10) % SHORT_SPAN * 1000ull;

            buf_printf(&b,
                       "%s('s%u', %llu, %llu, %u, '%s', ",
                       put ? ", " : "",
                       name,
                       (unsigned long long)t + (rng_one_in(r, 9) ? rng_below(r, 1000) : 0),
                       (unsigned long long)t * 64 + put,
                       name % 3,
                       name % 7 ? "g" : "a group with a name of some length");
            if (rng_one_in(r, 30))
                buf_puts(&b, "NULL, ");
            else
                buf_printf(&b, "%u, ", name % 50 + (rng_one_in(r, 40) ? 100000 : i * 3));
            if (rng_one_in(r, 30))
                buf_puts(&b, "NULL)");
            else
                buf_printf(&b, "%u.%u)", rng_below(r, 100), rng_below(r, 4) * 25);
        }
    }
    buf_puts(&b, rng_one_in(r, 6) ? " USING TTL 600000000" : "");
    buf_u8(&b, 0);
    short_exec(f, (const char *)b.data);
    buf_done(&b);
}

static void short_query(struct shorts *f, struct buf *b)
{
    struct rng *r = &f->rng;
    uint64_t from = 86400000ull + rng_below(r, SHORT_SPAN) * 1000ull;
    const char *by = PICK(r, "s", "s", "s", "g", "n", "date_trunc('minute', t)");
    bool ends = rng_one_in(r, 2); /* the newest or the oldest alone */
    bool late = rng_one_in(r, 2);
    bool whole = rng_one_in(r, 4); /* asked for as one row */

    if (whole)
        buf_puts(b, "SELECT count(*), sum(a), min(b), max(b) FROM (");
    buf_printf(b, "SELECT %s AS key, ", by);
    if (ends)
        buf_puts(b, late ? "last(i, t) AS a, max(t) AS b" : "first(i, t) AS a, min(t) AS b");
    else
        buf_printf(b,
                   "%s AS a, %s AS b, count(*), max(g)",
                   PICK(r, "sum(i)", "avg(v)", "count(v)", "last(v, t)"),
                   PICK(r, "max(v)", "min(i)", "max(t)", "first(t, t)", "max(i + n)"));
    buf_puts(b, " FROM x WHERE ");
    if (rng_one_in(r, 2))
        buf_printf(b,
                   "t >= %llu AND t < %llu AND ",
                   (unsigned long long)from,
                   (unsigned long long)from + 1000 + rng_below(r, 200000));
    buf_puts(b, PICK(r, "true", "true", "g = 'g'", "i > 20 AND i <= 60", "v < 50", "n <> 1"));
    buf_printf(b, " GROUP BY %s%s", by, whole ? ") AS q" : "");
}

static void short_compare(struct shorts *f)
{
    struct sql_rows fast = {0};
    struct sql_rows slow = {0};
    struct dendro_error e1 = {0};
    struct dendro_error e2 = {0};
    struct buf b;
    int rc1;
    int rc2;

    buf_init(&b, NULL);
    short_query(f, &b);
    buf_u8(&b, 0);
    rc1 = sql_query(f->db.conn, (const char *)b.data, &fast, &e1);
    short_exec(f, "SET fast_paths = off");
    rc2 = sql_query(f->db.conn, (const char *)b.data, &slow, &e2);
    short_exec(f, "SET fast_paths = on");
    sql_rows_sort(&fast);
    sql_rows_sort(&slow);
    if (rc1 != rc2 || rc1 < 0 || !sql_rows_same(&fast, &slow)) {
        (void)fprintf(stderr,
                      "seed %llu: %s\n%d %s: %zu rows; slow %d %s: %zu rows\n",
                      (unsigned long long)f->seed,
                      (const char *)b.data,
                      rc1,
                      e1.message,
                      fast.count,
                      rc2,
                      e2.message,
                      slow.count);
        f->failed = true;
    }
    sql_rows_done(&fast);
    sql_rows_done(&slow);
    buf_done(&b);
}

static bool run_seed(uint64_t seed)
{
    struct shorts f = {.rng = {.state = seed}, .seed = seed};
    struct sql_db_options options = {.seed = seed};
    const uint32_t mosts[] = {1, 2, 5, 9, 30, 60};
    uint32_t most = mosts[rng_below(&f.rng, 6)];
    struct dn_err err;

    sql_db_init(&f.db, seed);
    if (sql_db_open(&f.db, &options, &err) < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    f.series = (1 + rng_below(&f.rng, 8)) * (most < 10 ? 500 : 100);
    short_exec(
        &f,
        rng_one_in(&f.rng, 3)
            ? "CREATE TABLE x (s VARCHAR NOT NULL, t TIMESTAMP NOT NULL, k BIGINT, n INT, g "
              "VARCHAR, i BIGINT, v DOUBLE, PRIMARY KEY ((s, QUANTUM(t, 1, 'd')), s, t DESC))"
            : "CREATE TABLE x (s VARCHAR NOT NULL, t TIMESTAMP NOT NULL, k BIGINT, n INT, g "
              "VARCHAR, i BIGINT, v DOUBLE, PRIMARY KEY ((s, QUANTUM(t, 1, 'd')), s, t))");
    short_insert(&f, f.series, most, false);
    short_exec(&f, "CHECKPOINT");
    for (uint32_t i = 0; i < 4 && !f.failed; i++) {
        for (uint32_t k = 0; k < 8 && !f.failed; k++)
            short_compare(&f);
        switch (rng_below(&f.rng, 4)) {
        case 0:
            short_insert(&f, 1 + rng_below(&f.rng, 40), most, true);
            break;
        case 1:
            short_exec(&f, "DELETE FROM x WHERE i > 20 AND i < 24");
            break;
        case 2:
            short_exec(&f, "DELETE FROM x WHERE t < 86430000");
            break;
        default:
            short_exec(&f, "UPDATE x SET v = NULL WHERE i = 7");
            break;
        }
        if (rng_one_in(&f.rng, 2))
            short_exec(&f, "CHECKPOINT");
        if (rng_one_in(&f.rng, 3) && sql_db_merge(&f.db, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    }
    sql_db_done(&f.db);
    return !f.failed;
}

static void test_short_series(void **state)
{
    uint64_t seed = test_env("DENDRO_TEST_SEED", 0);
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 6) * 1000;
    uint64_t first = seed ? seed : 1;

    (void)state;
    for (uint64_t n = first; n == first || (!seed && test_now_ms() < end); n++) {
        size_t before = mem_process_used();

        assert_true(run_seed(n));
        assert_int_equal(mem_process_used(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short_series)};

    return cmocka_run_group_tests_name("fast_series", tests, NULL, NULL);
}

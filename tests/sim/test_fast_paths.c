/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fast_paths.c: the same query with and without shortcuts (SET fast_paths) gives the same
 * result: random tables of every key form, ascending and descending; long and short runs, rows
 * written again, patched, updated and deleted; flushed, merged and fresh; small batches of late
 * rows over long histories; rows changed and deleted in great numbers; queries made of random
 * conditions, group keys, aggregates, orders and limits. A failure prints seed and query;
 * DENDRO_TEST_SEED reproduces it, DENDRO_TEST_SECONDS sets the time budget. */
#include "fast_sums.h"
#include "sql_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TIME_SPAN (3u * 86400u) /* seconds, from 1970-01-02 on */

struct fast {
    struct rng rng;
    uint64_t seed;
    struct sql_db db;
    uint32_t series; /* distinct values of s */
    uint32_t step;   /* seconds between rows of a series, about */
    bool keyless;
    bool one_a_time; /* a series has one row for a time */
    bool failed;
};

static void fast_exec(struct fast *f, const char *sql)
{
    struct dendro_error err;

    if (f->failed || sql_exec(f->db.conn, sql, &err) >= 0)
        return;
    (void)fprintf(stderr, "seed %llu: %.200s: %s\n", (unsigned long long)f->seed, sql, err.message);
    f->failed = true;
}

static void fast_create(struct fast *f)
{
    const char *keys[] = {"PRIMARY KEY ((s, QUANTUM(t, 1, 'd')), s, t)",
                          "PRIMARY KEY ((s, QUANTUM(t, 1, 'd')), s, t DESC)",
                          "PRIMARY KEY ((s, g, QUANTUM(t, 6, 'h')), s, g, t)",
                          "PRIMARY KEY ((s), t)",
                          "PRIMARY KEY ((s), t DESC, n)",
                          "PRIMARY KEY ((s), g, t)",
                          "PRIMARY KEY (t, s)",
                          "PRIMARY KEY (t DESC, s, n)",
                          "PRIMARY KEY (k)",
                          "PRIMARY KEY ((g), k DESC)",
                          "PRIMARY KEY ((s, n), k)",
                          NULL};
    uint32_t which = rng_below(&f->rng, (uint32_t)(sizeof keys / sizeof keys[0]));
    struct buf b;

    f->keyless = !keys[which];
    f->one_a_time = which < 2 || which == 3;
    for (int i = 0; i < 2; i++) { /* y has the same key, and what x had at some time */
        buf_init(&b, NULL);
        buf_printf(&b,
                   "CREATE TABLE %s (s VARCHAR NOT NULL DEFAULT 's', t TIMESTAMP NOT NULL DEFAULT "
                   "1000, n INT NOT NULL DEFAULT 0, v DOUBLE, w DOUBLE DEFAULT 12.5, g VARCHAR NOT "
                   "NULL DEFAULT 'g', i "
                   "BIGINT, f BOOLEAN, k BIGINT NOT NULL DEFAULT 0",
                   i ? "y" : "x");
        if (keys[which])
            buf_printf(&b, ", %s", keys[which]);
        buf_puts(&b, ")");
        buf_printf(&b, " WITH (compression = '%s'", rng_one_in(&f->rng, 4) ? "max" : "default");
        if (keys[which] && rng_one_in(&f->rng, 3))
            buf_puts(&b, ", upsert = 'field'");
        buf_puts(&b, ")");
        buf_u8(&b, 0);
        fast_exec(f, (const char *)b.data);
        buf_done(&b);
    }
}

/* Rows of some series one after the other in time, and some anywhere. */
static void fast_insert(struct fast *f, uint32_t rows)
{
    struct rng *r = &f->rng;
    bool partial = rng_one_in(r, 4); /* leaves out columns */
    uint32_t from = 86400 + rng_below(r, TIME_SPAN);
    uint32_t group = rng_below(r, 3);
    struct buf b;

    buf_init(&b, NULL);
    buf_printf(&b,
               "INSERT INTO x (%s) VALUES ",
               partial ? "s, t, k, n, g, i" : "s, t, k, n, g, i, v, f, w");
    for (uint32_t i = 0; i < rows; i++) {
        bool any = rng_one_in(r, 40);
        uint32_t at = any ? 86400 + rng_below(r, TIME_SPAN) : from + i / f->series * f->step;
        uint32_t series = any ? rng_below(r, f->series) : i % f->series;

        if (rng_one_in(r, 100))
            group = rng_below(r, 3);
        buf_printf(&b,
                   "%s('s%u', %llu, %llu, %u, '%s', ",
                   i ? ", " : "",
                   series,
                   (unsigned long long)at * 1000 + (rng_one_in(r, 10) ? rng_below(r, 1000) : 0),
                   (unsigned long long)at * 64 + series,
                   rng_below(r, 3),
                   group == 0   ? "g"
                   : group == 1 ? "a group with a name of some length"
                                : "h");
        if (rng_one_in(r, 8))
            buf_puts(&b, "NULL");
        else
            buf_printf(&b, "%d", rng_one_in(r, 3) ? 5 : (int)rng_below(r, 2000) - 1000);
        if (!partial && rng_one_in(r, 10))
            buf_puts(&b, ", NULL, NULL, NULL");
        else if (!partial) {
            buf_printf(&b, ", %u.%u", rng_below(r, 100), rng_below(r, 4) * 25);
            buf_printf(&b, ", true, %u.%u", rng_below(r, 100), rng_below(r, 10));
        }
        buf_puts(&b, ")");
    }
    buf_u8(&b, 0);
    fast_exec(f, (const char *)b.data);
    buf_done(&b);
}

/* Rows of a long history, the k-th of each series always with the same key: in order, all of them
 * from `from` on; or late ones, anywhere in it, of which most were given before and some come
 * between two that were. */
static void fast_history(struct fast *f, uint32_t from, uint32_t rows, uint32_t late_of)
{
    struct rng *r = &f->rng;
    bool partial = late_of && rng_one_in(r, 6);
    uint32_t near = late_of ? rng_below(r, late_of) : 0; /* half of late batches stay together */
    bool spread = rng_one_in(r, 2);
    struct buf b;

    buf_init(&b, NULL);
    buf_printf(
        &b, "INSERT INTO x (%s) VALUES ", partial ? "s, t, k, n, g" : "s, t, k, n, g, i, v, w");
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t k = from + i / f->series;
        uint32_t series = i % f->series;

        if (late_of) {
            k = spread ? rng_below(r, late_of) : (near + rng_below(r, 40)) % late_of;
            series = rng_below(r, f->series);
        }
        buf_printf(&b,
                   "%s('s%u', %llu, %llu, %u, '%s'",
                   i ? ", " : "",
                   series,
                   86400000ull + (uint64_t)k * f->step * 1000 +
                       (late_of && rng_one_in(r, 4) ? rng_below(r, 1000) : 0),
                   (86400ull + (uint64_t)k * f->step) * 64 + series,
                   k % 3,
                   k % 7 ? "g" : "h");
        if (!partial) {
            buf_printf(&b, ", %u, %u.%u", rng_below(r, 2000), rng_below(r, 100), i % 4 * 25);
            buf_printf(&b, ", %u.%u", rng_below(r, 100), rng_below(r, 100));
        }
        buf_puts(&b, ")");
    }
    buf_u8(&b, 0);
    fast_exec(f, (const char *)b.data);
    buf_done(&b);
}

/* ---- conditions ---- */

static void fast_time(struct fast *f, struct buf *b)
{
    buf_printf(b, "%llu", (86400ull + rng_below(&f->rng, TIME_SPAN)) * 1000);
}

static void fast_cond(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;

    if (rng_one_in(r, 4)) {
        fast_sums(r, b);
        return;
    }
    switch (rng_below(r, 14)) {
    case 12:
        buf_printf(b,
                   "k %s %llu",
                   PICK(r, "<", ">=", "="),
                   (86400ull + rng_below(r, TIME_SPAN)) * 64 + rng_below(r, f->series));
        return;
    case 13:
        buf_printf(b,
                   "k BETWEEN %llu AND %llu",
                   (86400ull + rng_below(r, TIME_SPAN)) * 64,
                   (86400ull + rng_below(r, TIME_SPAN)) * 64);
        return;
    case 0:
    case 1:
        buf_printf(b, "t %s ", PICK(r, "<", "<=", ">", ">=", "="));
        fast_time(f, b);
        return;
    case 2:
        buf_puts(b, "t BETWEEN ");
        fast_time(f, b);
        buf_puts(b, " AND ");
        fast_time(f, b);
        return;
    case 3:
        buf_printf(b, "s = 's%u'", rng_below(r, f->series + 1));
        return;
    case 4:
        buf_printf(b,
                   "s %s ('s%u', 's%u')",
                   PICK(r, "IN", "NOT IN"),
                   rng_below(r, f->series),
                   rng_below(r, f->series));
        return;
    case 5:
        buf_printf(b, "v %s %u.5", PICK(r, "<", ">", ">=", "<>"), rng_below(r, 100));
        return;
    case 6:
        buf_printf(b, "v + i %s %d", PICK(r, "<", ">"), (int)rng_below(r, 200) - 100);
        return;
    case 7:
        buf_printf(b, "i %s %d", PICK(r, "<", ">=", "="), (int)rng_below(r, 20));
        return;
    case 8:
        buf_printf(b, "g %s 'g'", PICK(r, "=", "<>", ">", ">="));
        return;
    case 9:
        buf_printf(b, "%s IS %s", PICK(r, "v", "i", "f"), PICK(r, "NULL", "NOT NULL"));
        return;
    case 10:
        buf_puts(b, "f");
        return;
    default:
        buf_printf(b, "(n = %u OR v > %u)", rng_below(r, 3), rng_below(r, 100));
        return;
    }
}

static void fast_where(struct fast *f, struct buf *b)
{
    uint32_t n = rng_below(&f->rng, 4);

    for (uint32_t i = 0; i < n; i++) {
        buf_puts(b, i ? rng_one_in(&f->rng, 6) ? " OR " : " AND " : " WHERE ");
        fast_cond(f, b);
    }
}

static void fast_change(struct fast *f)
{
    struct buf b;

    buf_init(&b, NULL);
    buf_puts(&b, rng_one_in(&f->rng, 2) ? "DELETE FROM x WHERE " : "UPDATE x SET v = 7 WHERE ");
    fast_cond(f, &b);
    buf_puts(&b, " AND ");
    fast_cond(f, &b);
    buf_puts(&b, " AND ");
    fast_cond(f, &b);
    buf_u8(&b, 0);
    fast_exec(f, (const char *)b.data);
    buf_done(&b);
}

/* Changes of many rows, or of few again and again. */
static void fast_change_many(struct fast *f)
{
    struct rng *r = &f->rng;
    uint32_t again = rng_one_in(r, 6) ? 1 + rng_below(r, 80) : 1;
    uint32_t of = again > 1 ? 97 : 1 + rng_below(r, 30);
    uint32_t rest = rng_below(r, of);
    bool deletes = rng_one_in(r, 3);
    struct buf b;

    for (uint32_t i = 0; i < again && !f->failed; i++) {
        buf_init(&b, NULL);
        if (deletes && i + 1 == again)
            buf_puts(&b, "DELETE FROM x");
        else if (rng_one_in(r, 2))
            buf_printf(&b, "UPDATE x SET v = %u", rng_below(r, 100));
        else
            buf_printf(&b, "UPDATE x SET i = NULL, f = %s", i % 2 ? "true" : "v > 50");
        buf_printf(&b, " WHERE k %% %u = %u", of, rest);
        buf_u8(&b, 0);
        fast_exec(f, (const char *)b.data);
        buf_done(&b);
    }
}

/* ---- queries ---- */

static void fast_group_query(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;
    static const char *const keys[] = {"s",
                                       "date_trunc('hour', t)",
                                       "date_trunc('day', t)",
                                       "time_bucket('7 minutes', t)",
                                       "g",
                                       "n",
                                       "i",
                                       "f",
                                       "v",
                                       "t",
                                       "n + 1"};
    static const char *const aggs[] = {"count(*)",
                                       "count(1)",
                                       "count(v)",
                                       "count(i)",
                                       "sum(v)",
                                       "sum(i)",
                                       "sum(n)",
                                       "avg(v)",
                                       "avg(i)",
                                       "min(v)",
                                       "max(v)",
                                       "min(t)",
                                       "max(t)",
                                       "min(g)",
                                       "max(s)",
                                       "min(i)",
                                       "max(n)",
                                       "max(f)",
                                       "sum(v + i)",
                                       "count(DISTINCT n)",
                                       "count(DISTINCT s)",
                                       "max(g)",
                                       "stddev(v)",
                                       "min(n)",
                                       "avg(n)"};
    uint32_t keys_count = rng_one_in(r, 12) ? 0 : rng_below(r, 4);
    uint32_t aggs_count = rng_below(r, 5) + (keys_count == 0);

    buf_puts(b, "SELECT ");
    for (uint32_t i = 0; i < keys_count + aggs_count; i++)
        buf_printf(b,
                   "%s%s",
                   i ? ", " : "",
                   i < keys_count ? keys[i == 0 ? rng_below(r, 4) : rng_below(r, 11)]
                                  : aggs[rng_below(r, sizeof aggs / sizeof aggs[0])]);
    buf_puts(b, " FROM x");
    fast_where(f, b);
    for (uint32_t i = 0; i < keys_count; i++)
        buf_printf(b, "%s%u", i ? ", " : " GROUP BY ", i + 1);
}

/* Groups by values: whole numbers close together and far apart, fractions, both signs and zeros,
 * NaN, outliers, NULL, words, numbers beside words. */
static void fast_value_query(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;
    static const char *const keys[] = {
        "n",
        "i",
        "f",
        "n - 2",
        "floor(v)",
        "CASE WHEN i BETWEEN 400 AND 405 THEN v + 0.125 ELSE floor(v) END",
        "floor(v / 10) - 5",
        "i / 100",
        "i % 7",
        "CAST(i % 20 AS REAL)",
        "v",
        "i * 1000000007",
        "v * 0",
        "CASE WHEN n = 1 THEN 'NaN' WHEN n = 2 THEN v ELSE floor(v) END",
        "CASE WHEN i > 980 THEN 9223372036854775807 WHEN i < -980 THEN -9223372036854775807 - 1 "
        "WHEN i = 7 THEN NULL ELSE i END",
        "CASE WHEN v > 98 THEN 1e300 WHEN v = 50 THEN 1e-300 ELSE floor(v) END",
        "CASE WHEN v > 80 THEN 'high' WHEN v > 40 THEN 'a word of more than sixteen bytes' WHEN n "
        "= 1 THEN NULL ELSE 'low' END",
        "CASE WHEN i > 0 THEN g WHEN i < -500 THEN s ELSE 'none' END",
        "CASE WHEN i > 0 THEN n END",
        "g",
        "s",
        "g || (i % 300)",
        "CAST(t AS DATE)",
        "date_trunc('minute', t)",
        "extract(hour FROM t)",
    };
    static const char *const aggs[] = {
        "count(*)",
        "count(v)",
        "sum(i)",
        "sum(v)",
        "avg(v)",
        "avg(n)",
        "min(v)",
        "max(i)",
        "min(g)",
        "max(s)",
        "max(t)",
        "count(DISTINCT v)",
        "count(DISTINCT i)",
        "sum(DISTINCT n)",
        "avg(DISTINCT i)",
        "count(DISTINCT g)",
        "count(DISTINCT i * 1000000007)",
        "count(DISTINCT CASE WHEN n = 1 THEN 'NaN' ELSE floor(v) END)",
    };
    /* The first ones are numbers that lie close together. */
    const uint32_t all = rng_one_in(r, 2) ? 10 : (uint32_t)(sizeof keys / sizeof keys[0]);
    uint32_t keys_count = rng_one_in(r, 6) ? 0 : 1 + rng_below(r, 3);
    uint32_t aggs_count = rng_below(r, 4) + (keys_count == 0);

    buf_puts(b, "SELECT ");
    for (uint32_t i = 0; i < keys_count + aggs_count; i++)
        buf_printf(b,
                   "%s%s",
                   i ? ", " : "",
                   i < keys_count ? keys[rng_below(r, all)]
                                  : aggs[rng_below(r, sizeof aggs / sizeof aggs[0])]);
    buf_puts(b, " FROM x");
    fast_where(f, b);
    for (uint32_t i = 0; i < keys_count; i++)
        buf_printf(b, "%s%u", i ? ", " : " GROUP BY ", i + 1);
}

/* Newest or oldest values of groups. */
static void fast_ends_query(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;
    static const char *const keys[] = {"s", "s, g", "g", "s, n", ""};
    static const char *const late[] = {
        "max(t)", "last(v, t)", "last(i, t)", "last(g, t)", "last(s, t)", "last(f, t)"};
    static const char *const early[] = {
        "min(t)", "first(v, t)", "first(i, t)", "first(g, t)", "first(n, t)", "first(f, t)"};
    /* Ends of a column that is in no key and may be NULL. */
    static const char *const great[] = {
        "max(i)", "last(v, i)", "last(t, i)", "last(g, i)", "last(n, i)", "last(f, i)"};
    static const char *const least[] = {
        "min(i)", "first(v, i)", "first(t, i)", "first(g, i)", "first(s, i)", "first(f, i)"};
    const char *key = rng_one_in(r, 2) ? keys[0] : keys[rng_below(r, 5)];
    const char *const *list = rng_one_in(r, 4)   ? rng_one_in(r, 2) ? great : least
                              : rng_one_in(r, 2) ? late
                                                 : early;
    uint32_t count = 1 + rng_below(r, 5);

    buf_printf(b, "SELECT %s%s", key, *key ? ", " : "");
    for (uint32_t i = 0; i < count; i++)
        buf_printf(b,
                   "%s%s",
                   i ? ", " : "",
                   (rng_one_in(r, 12) ? rng_one_in(r, 2) ? late : early : list)[rng_below(r, 6)]);
    buf_puts(b, " FROM x");
    fast_where(f, b);
    if (*key)
        buf_printf(b, " GROUP BY %s", key);
}

static void fast_row_query(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;

    buf_printf(
        b,
        "SELECT %s FROM x",
        PICK(r, "*", "s, t, v", "DISTINCT s", "DISTINCT s, g", "t", "v + 1, g", "DISTINCT n"));
    fast_where(f, b);
    /* A limit only where the order tells all rows apart, or nothing but the key is shown. */
    if (rng_one_in(r, 5)) {
        const char *col = PICK(r, "t", "v", "i", "s", "g", "f", "n", "k");

        buf_reset(b);
        buf_printf(b, "SELECT %s FROM x", col);
        fast_where(f, b);
        buf_printf(b,
                   " ORDER BY %s%s%s LIMIT %u",
                   col,
                   PICK(r, "", " DESC"),
                   PICK(r, "", "", " NULLS FIRST", " NULLS LAST"),
                   rng_one_in(r, 4) ? 1 + rng_below(r, 600) : 1 + rng_below(r, 12));
        return;
    }
    if (rng_one_in(r, 3) && !f->keyless) {
        buf_reset(b);
        buf_puts(b, "SELECT s, t, n, g, v FROM x");
        fast_where(f, b);
        buf_printf(b,
                   " ORDER BY %s%s LIMIT %u OFFSET %u",
                   PICK(r,
                        "t DESC, s, n, g",
                        "t, s, n, g",
                        "v DESC, t, s, n, g",
                        "v NULLS FIRST, t, s, n, g",
                        "t DESC, s DESC, n DESC, g",
                        "i, t, s, n, g",
                        "s, t DESC, n, g",
                        "g, v, t, s, n"),
                   "",
                   1 + rng_below(r, 30),
                   rng_one_in(r, 3) ? rng_below(r, 20) : 0);
    }
}

/* The first rows of each series, in the order of its key or the other way round. */
static void fast_first_query(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;
    const char *key = PICK(r, "s", "s", "s, g", "g, s", "n");
    const char *order = PICK(
        r, "t DESC, n, g", "t, n DESC, g DESC", "t DESC, n DESC, g DESC", "g, t, n", "t, n, g");

    if (rng_one_in(r, 2)) { /* all of them, series by series */
        order = PICK(r, "t", "t DESC", "t DESC, n", "g, t", "t, n", "t, g");
        key = PICK(r, "s", "s, g", "g, s", "s DESC");
        if (rng_one_in(r, 2)) {
            buf_puts(b, "SELECT s, t, n, v FROM x");
            fast_where(f, b);
            buf_printf(b, " ORDER BY %s, %s", key, order);
            return;
        }
        buf_printf(b,
                   "SELECT s, t, n, v, lag(v) OVER w, sum(i) OVER w, count(*) OVER (PARTITION BY s "
                   "ORDER BY %s ROWS BETWEEN 30 PRECEDING AND 2 FOLLOWING) FROM x",
                   order);
        fast_where(f, b);
        buf_printf(b, " WINDOW w AS (PARTITION BY s ORDER BY %s)", order);
        return;
    }
    if (rng_one_in(r, 2)) {
        buf_printf(b, "SELECT DISTINCT ON (%s) s, t, n, g, v, i FROM x", key);
        fast_where(f, b);
        buf_printf(b, " ORDER BY %s, %s, s, v, i", key, f->keyless ? "t" : order);
        return;
    }
    order = rng_one_in(r, 2) ? PICK(r, "t", "t DESC", "g, t", "t DESC, n DESC") : order;
    buf_printf(b,
               "SELECT s, t, n, g%s FROM (SELECT *, row_number() OVER (PARTITION BY %s ORDER BY "
               "%s%s) AS place FROM x",
               rng_one_in(r, 2) ? ", v, place" : "",
               key,
               order,
               f->keyless         ? ", s, n, g, v, i"
               : rng_one_in(r, 3) ? ""
                                  : ", s, n, g");
    fast_where(f, b);
    buf_printf(b, ") AS y WHERE place %s %u", PICK(r, "<=", "<", "="), 1 + rng_below(r, 9));
    if (rng_one_in(r, 3))
        buf_puts(b, " AND v > 20");
}

/* The newest or oldest rows of each series, by a subquery for each; or of one, or of all. */
static void fast_newest_query(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;
    const char *cols =
        f->one_a_time ? PICK(r, "t, n, g, v, i, f, k", "v, t", "i + n AS e, t, g") : "t";
    bool each = rng_below(r, 3);
    bool left = rng_one_in(r, 2);

    if (each)
        buf_printf(b,
                   "SELECT y.s, z.* FROM (SELECT DISTINCT s FROM x) AS y %s LATERAL (",
                   left ? "LEFT JOIN" : "CROSS JOIN");
    buf_printf(b, "SELECT %s FROM x", cols);
    if (each)
        buf_puts(b, " WHERE s = y.s");
    else if (f->one_a_time)
        buf_printf(b, " WHERE s = 's%u'", rng_below(r, f->series + 1));
    else
        fast_where(f, b);
    if ((each || f->one_a_time) && rng_one_in(r, 3)) {
        buf_puts(b, " AND ");
        fast_cond(f, b);
    }
    buf_printf(b, " ORDER BY t%s LIMIT %u", PICK(r, "", " DESC", " DESC"), rng_below(r, 7));
    if (rng_one_in(r, 3))
        buf_printf(b, " OFFSET %u", rng_below(r, 5));
    if (each)
        buf_printf(b, ") AS z%s ORDER BY s, t", left ? " ON true" : "");
}

/* Joins on the whole key, and on part of it. */
static void fast_join_query(struct fast *f, struct buf *b)
{
    struct rng *r = &f->rng;
    const char *on = PICK(r,
                          "a.s = b.s AND a.t = b.t",
                          "a.s = b.s AND a.t = b.t AND a.g = b.g",
                          "a.t = b.t AND a.n = b.n AND a.s = b.s",
                          "a.g = b.g AND a.s = b.s AND a.t = b.t AND (a.v > b.v OR a.i < b.i)",
                          "a.s = b.s AND a.t = b.t AND a.v >= b.v",
                          "a.k = b.k",
                          "a.k = b.k AND a.g = b.g",
                          "a.s = b.s AND a.n = b.n AND a.k = b.k");

    if (rng_one_in(r, 3)) {
        buf_printf(b,
                   "SELECT s, t, n FROM x a WHERE %s EXISTS (SELECT 1 FROM %s b WHERE %s)",
                   PICK(r, "", "NOT"),
                   PICK(r, "x", "y", "(SELECT * FROM x WHERE n > 0)"),
                   on);
        return;
    }
    buf_printf(b,
               "SELECT a.s, a.t, a.n, b.v, b.g, b.i FROM %s a %s JOIN %s b ON %s",
               PICK(r, "x", "y", "(SELECT * FROM x WHERE v > 30)"),
               PICK(r, "", "LEFT", "RIGHT", "FULL"),
               PICK(r, "x", "y", "(SELECT s, t, n, g, k, i, v + 1 AS v FROM y WHERE i < 500)"),
               on);
}

static void fast_compare(struct fast *f)
{
    struct sql_rows fast = {0};
    struct sql_rows slow = {0};
    struct dendro_error e1;
    struct dendro_error e2;
    struct buf b;
    int rc1;
    int rc2;

    buf_init(&b, NULL);
    if (rng_one_in(&f->rng, 6))
        fast_first_query(f, &b);
    else if (rng_one_in(&f->rng, 8) && !f->keyless)
        fast_join_query(f, &b);
    else if (rng_one_in(&f->rng, 6))
        fast_newest_query(f, &b);
    else if (rng_one_in(&f->rng, 4))
        fast_ends_query(f, &b);
    else if (rng_one_in(&f->rng, 3))
        fast_value_query(f, &b);
    else if (rng_below(&f->rng, 3))
        fast_group_query(f, &b);
    else
        fast_row_query(f, &b);
    buf_u8(&b, 0);
    rc1 = sql_query(f->db.conn, (const char *)b.data, &fast, &e1);
    fast_exec(f, "SET fast_paths = off");
    rc2 = sql_query(f->db.conn, (const char *)b.data, &slow, &e2);
    fast_exec(f, "SET fast_paths = on");
    if (!strstr((const char *)b.data, "ORDER BY")) {
        sql_rows_sort(&fast);
        sql_rows_sort(&slow);
    }
    if (rc1 != rc2 || !sql_rows_same(&fast, &slow)) {
        (void)fprintf(stderr,
                      "seed %llu: %s\n%d %s: %zu rows; slow %d %s: %zu rows\n",
                      (unsigned long long)f->seed,
                      (const char *)b.data,
                      rc1,
                      rc1 < 0 ? e1.message : "",
                      fast.count,
                      rc2,
                      rc2 < 0 ? e2.message : "",
                      slow.count);
        f->failed = true;
    }
    sql_rows_done(&fast);
    sql_rows_done(&slow);
    buf_done(&b);
}

static bool run_seed(uint64_t seed)
{
    struct fast f = {.rng = {.state = seed}, .seed = seed};
    struct sql_db_options options = {.seed = seed};
    struct dn_err err;

    sql_db_init(&f.db, seed);
    if (sql_db_open(&f.db, &options, &err) < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    f.series = rng_one_in(&f.rng, 2) ? 1 + rng_below(&f.rng, 3) : 1 + rng_below(&f.rng, 40);
    f.step = 1 + rng_below(&f.rng, 200);
    fast_create(&f);
    for (uint32_t i = 0; i < 8 && !f.failed; i++) {
        fast_insert(&f, 1 + rng_below(&f.rng, rng_one_in(&f.rng, 2) ? 4000 : 50));
        if (i < 5 && rng_one_in(&f.rng, 3))
            fast_exec(&f, "INSERT INTO y SELECT * FROM x WHERE n <> 1");
        if (rng_one_in(&f.rng, 3))
            fast_change(&f);
        if (rng_one_in(&f.rng, 2))
            fast_exec(&f, "CHECKPOINT");
        for (uint32_t k = 0; k < 12 && !f.failed; k++)
            fast_compare(&f);
    }
    sql_db_done(&f.db);
    return !f.failed;
}

/* Many small batches of late rows and of rows given again, over a history of several vectors. */
static bool run_late_seed(uint64_t seed)
{
    struct fast f = {.rng = {.state = seed}, .seed = seed};
    struct sql_db_options options = {.seed = seed};
    uint32_t rows;
    struct dn_err err;

    sql_db_init(&f.db, seed);
    if (sql_db_open(&f.db, &options, &err) < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    f.series = 1 + rng_below(&f.rng, 3);
    f.step = 1 + rng_below(&f.rng, 60);
    rows = (1 + rng_below(&f.rng, 5)) * 1000;
    fast_create(&f);
    for (uint32_t at = 0; at < rows && !f.failed; at += rows / 2) {
        fast_history(&f, at, rows / 2 * f.series, 0);
        if (rng_one_in(&f.rng, 2))
            fast_exec(&f, "CHECKPOINT");
    }
    for (uint32_t i = 0; i < 12 && !f.failed; i++) {
        fast_history(&f, 0, 1 + rng_below(&f.rng, rng_one_in(&f.rng, 3) ? 600 : 60), rows);
        if (rng_one_in(&f.rng, 8))
            fast_change(&f);
        if (rng_one_in(&f.rng, 3))
            fast_exec(&f, "CHECKPOINT");
        if (rng_one_in(&f.rng, 12) && sql_db_merge(&f.db, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        for (uint32_t k = 0; k < 6 && !f.failed; k++)
            fast_compare(&f);
    }
    sql_db_done(&f.db);
    return !f.failed;
}

/* Rows that are changed and deleted, once and many times, over a history of several vectors. */
static bool run_change_seed(uint64_t seed)
{
    struct fast f = {.rng = {.state = seed}, .seed = seed};
    struct sql_db_options options = {.seed = seed};
    uint32_t rows;
    struct dn_err err;

    sql_db_init(&f.db, seed);
    if (sql_db_open(&f.db, &options, &err) < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    f.series = rng_one_in(&f.rng, 3) ? 40 : 1 + rng_below(&f.rng, 3);
    f.step = 1 + rng_below(&f.rng, 60);
    rows = 1 + rng_below(&f.rng, 6000) / f.series;
    fast_create(&f);
    fast_history(&f, 0, rows * f.series, 0);
    for (uint32_t i = 0; i < 8 && !f.failed; i++) {
        if (rng_one_in(&f.rng, 2))
            fast_exec(&f, "CHECKPOINT");
        fast_change_many(&f);
        if (rng_one_in(&f.rng, 3))
            fast_history(&f, 0, 1 + rng_below(&f.rng, 100), rows);
        if (rng_one_in(&f.rng, 8) && sql_db_merge(&f.db, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        for (uint32_t k = 0; k < 6 && !f.failed; k++)
            fast_compare(&f);
    }
    sql_db_done(&f.db);
    return !f.failed;
}

static void run_seeds(bool (*run)(uint64_t seed))
{
    uint64_t seed = test_env("DENDRO_TEST_SEED", 0);
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 6) * 1000;
    uint64_t first = seed ? seed : 1;

    for (uint64_t n = first; n == first || (!seed && test_now_ms() < end); n++) {
        size_t before = mem_process_used();

        assert_true(run(n));
        assert_int_equal(mem_process_used(), before);
    }
}

static void test_fast_paths(void **state)
{
    (void)state;
    run_seeds(run_seed);
}

static void test_late_rows(void **state)
{
    (void)state;
    run_seeds(run_late_seed);
}

static void test_changes(void **state)
{
    (void)state;
    run_seeds(run_change_seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fast_paths),
                                       cmocka_unit_test(test_late_rows),
                                       cmocka_unit_test(test_changes)};

    return cmocka_run_group_tests_name("fast_paths", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A time partition is read as one table would be: random aggregates, groups and first rows of
 * random rows in shards against the same rows in one table; with rows in memory and in segments,
 * changed and deleted ones, little memory, and UNION ALL of other things between the shards. */
#include "db_fix.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static uint64_t state;

static uint32_t pick(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static const char *one_of(const char *const *list, size_t count)
{
    return list[pick((uint32_t)count)];
}
#define ONE_OF(list) one_of(list, sizeof(list) / sizeof(list[0]))

/* ---- rows ---- */

/* The same to both tables. */
static void both(struct db_fix *f, const char *before, const char *after)
{
    static const char *const tables[] = {"p", "one"};
    char sql[600];

    for (int i = 0; i < 2; i++) {
        snprintf(sql, sizeof(sql), "%s %s %s", before, tables[i], after);
        db_ok(f, sql);
    }
}

static void make_rows(struct db_fix *f, uint32_t first, uint32_t count)
{
    char after[400];

    snprintf(after,
             sizeof(after),
             "SELECT 'dev' || i %% %u, TIMESTAMP '2024-01-01' + i * INTERVAL '1 second', i * %u %% "
             "997, CASE WHEN i %% %u > 0 THEN i %% 31 END, CASE WHEN i %% %u > 0 THEN 's' || i %% "
             "13 END FROM generate_series(%u, %u) g (i)",
             1 + pick(6),
             1 + pick(90),
             1 + pick(5),
             1 + pick(40),
             first,
             first + count - 1);
    both(f, "INSERT INTO", after);
}

static void make_tables(struct db_fix *f)
{
    static const char *const keys[] = {
        "PRIMARY KEY (s, t)", "PRIMARY KEY (t)", "PRIMARY KEY (s, t DESC)", "CHECK (v >= 0)"};
    char sql[400];
    uint32_t first = 1;
    uint32_t shards = 1 + pick(5);
    const char *key = ONE_OF(keys);

    snprintf(sql,
             sizeof(sql),
             "CREATE TABLE one (s TEXT, t TIMESTAMP, v INT, d DOUBLE, x TEXT, %s); CREATE TABLE p "
             "(s TEXT, t TIMESTAMP, v INT, d DOUBLE, x TEXT, %s) PARTITIONED BY MANUAL RETENTION 6 "
             "START 1",
             key,
             key);
    db_ok(f, sql);
    for (uint32_t i = 0; i < shards; i++) {
        for (uint32_t parts = pick(3); parts > 0; parts--) {
            uint32_t count = 1 + pick(pick(2) ? 5000 : 40);

            make_rows(f, first, count);
            first += count;
            if (pick(2))
                db_ok(f, "CHECKPOINT");
        }
        if (pick(3) == 0)
            both(f, "UPDATE", "SET v = v + 1, x = NULL WHERE v % 11 = 3");
        if (pick(3) == 0)
            both(f, "DELETE FROM", "WHERE v % 17 = 5");
        snprintf(sql, sizeof(sql), "PUT COUNTER p SET %u", i + 1);
        db_ok(f, sql);
    }
}

/* ---- queries ---- */

static const char *const aggs[] = {"count(*)",
                                   "count(1)",
                                   "count(d)",
                                   "min(t)",
                                   "max(t)",
                                   "min(v)",
                                   "max(d)",
                                   "min(x)",
                                   "max(s)",
                                   "sum(v)",
                                   "sum(d)",
                                   "avg(d)",
                                   "first(v, t)",
                                   "last(d, t)",
                                   "last(x, t)",
                                   "count(DISTINCT x)",
                                   "sum(DISTINCT v)",
                                   "bool_or(v > 990)",
                                   "string_agg(x, ',' ORDER BY t)",
                                   "max(v + 1)",
                                   "count(*) FILTER (WHERE v > 500)"};
static const char *const groups[] = {"s",
                                     "x",
                                     "time_bucket('1 minute', t)",
                                     "time_bucket('20 minutes', t), s",
                                     "v % 10",
                                     "s, x",
                                     "date_trunc('hour', t)"};
static const char *const wheres[] = {"",
                                     "",
                                     " WHERE v > 300",
                                     " WHERE s = 'dev1'",
                                     " WHERE t >= '2024-01-01 00:20' AND t < '2024-01-01 01:30'",
                                     " WHERE x IS NULL",
                                     " WHERE false",
                                     " WHERE s = 'dev0' AND t > '2024-01-01 00:10'",
                                     " WHERE x LIKE 's1%'"};
static const char *const orders[] = {"t DESC",
                                     "t",
                                     "v DESC, t",
                                     "d NULLS FIRST, t",
                                     "x DESC NULLS LAST, t",
                                     "s, t DESC",
                                     "d DESC, s, t"};

static void make_query(char *to, size_t len)
{
    const char *where = ONE_OF(wheres);
    size_t n = 0;

    switch (pick(4)) {
    case 0: /* first rows */
        snprintf(to,
                 len,
                 "SELECT * FROM ?%s ORDER BY %s LIMIT %u OFFSET %u",
                 where,
                 ONE_OF(orders),
                 pick(3) ? 1 + pick(20) : pick(3000),
                 pick(2) ? pick(30) : 0);
        return;
    case 1: /* with something else between */
        snprintf(
            to,
            len,
            "SELECT count(*), sum(v), min(x), max(t) FROM (SELECT s, t, v, d, x FROM ?%s UNION "
            "ALL VALUES ('z', TIMESTAMP '2024-01-01', 5, 1.5, 'q') UNION ALL SELECT s, t, v + "
            "1, d, x FROM ?) u",
            where);
        return;
    case 2:
        n = (size_t)snprintf(to, len, "SELECT %s", ONE_OF(aggs));
        for (uint32_t more = pick(4); more > 0; more--)
            n += (size_t)snprintf(to + n, len - n, ", %s", ONE_OF(aggs));
        snprintf(to + n, len - n, " FROM ?%s", where);
        return;
    default: {
        const char *group = ONE_OF(groups);

        n = (size_t)snprintf(to, len, "SELECT %s", group);
        for (uint32_t more = pick(4); more > 0; more--)
            n += (size_t)snprintf(to + n, len - n, ", %s", ONE_OF(aggs));
        snprintf(to + n, len - n, " FROM ?%s GROUP BY %s ORDER BY %s", where, group, group);
    }
    }
}

static char *ask(struct db_fix *f, const char *query, const char *table)
{
    char sql[1200];
    size_t n = 0;

    for (; *query && n + 8 < sizeof(sql); query++) {
        if (*query == '?')
            n += (size_t)snprintf(sql + n, sizeof(sql) - n, "%s", table);
        else
            sql[n++] = *query;
    }
    sql[n] = '\0';
    return strdup(db_ok(f, sql));
}

static void test_random(void **unused)
{
    const char *given = getenv("DENDRO_TEST_SEED");
    const char *budget = getenv("DENDRO_TEST_SECONDS");
    clock_t end = clock() + (budget ? strtol(budget, NULL, 10) : 8) * CLOCKS_PER_SEC;
    uint64_t seed = given ? strtoull(given, NULL, 10) : 0;

    (void)unused;
    for (uint64_t rounds = 0; rounds < 3 || clock() < end; rounds++) {
        struct db_fix f;

        if (!given) /* first: DISTINCT values that several threads put aside */
            seed = rounds == 0 ? 8 : rounds;
        state = seed;
        db_open(&f);
        make_tables(&f);
        if (pick(3) == 0)
            db_ok(&f, "SET statement_memory = '64kB'");
        for (int i = 0; i < 40; i++) {
            char query[1000];
            char *got, *want;

            make_query(query, sizeof(query));
            got = ask(&f, query, "p");
            want = ask(&f, query, "one");
            if (strcmp(got, want) != 0)
                fail_msg("DENDRO_TEST_SEED=%" PRIu64 ": %s\n%.2000s\nnot\n%.2000s",
                         seed,
                         query,
                         got,
                         want);
            free(got);
            free(want);
        }
        db_close(&f);
        if (given)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

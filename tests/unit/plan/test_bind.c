/* SPDX-License-Identifier: Apache-2.0
 *
 * The binder: what SELECT statements become, and what is refused, with SQLSTATE, position and text.
 */
#include "plan_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define GEO                                                                                        \
    "CREATE TABLE geo (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL, " \
    "weather VARCHAR, "                                                                            \
    "temperature DOUBLE, PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, "    \
    "time))"
#define NUM                                                                                        \
    "CREATE TABLE num (k INTEGER PRIMARY KEY, s SMALLINT, b BIGINT, r REAL, d DOUBLE, f BOOLEAN, " \
    "v VARCHAR, x BLOB, "                                                                          \
    "ts TIMESTAMP, us TIMESTAMP(6), ns TIMESTAMP(9), \"Case\" BIGINT, \"case\" BIGINT, "           \
    "day DATE)"
#define EVT "CREATE TABLE evt (time TIMESTAMP, id BIGINT, v DOUBLE, PRIMARY KEY (time, id))"
#define CQL \
    "CREATE TABLE cql (a INTEGER, b INTEGER, c INTEGER, d INTEGER, PRIMARY KEY ((a), b DESC, c))"

#define VAL "CREATE TABLE val (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY ((a), b DESC))"

static int setup(void **state)
{
    static struct plan_fix f;

    plan_fix_open(&f);
    plan_fix_create(&f, GEO);
    plan_fix_create(&f, NUM);
    plan_fix_create(&f, EVT);
    plan_fix_create(&f, CQL);
    plan_fix_create(&f, VAL);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    plan_fix_close(*state);
    return 0;
}

struct bad {
    const char *sql;
    const char *sqlstate;
    uint32_t position;
    const char *text; /* is part of the message or hint */
};

static const struct bad bads[] = {
    {"SELECT * FROM goe", "42P01", 15, "goe"},
    {"SELECT regoin FROM geo", "42703", 8, "Perhaps you meant \"region\"."},
    {"SELECT region FROM geo WHERE wether = 'x'", "42703", 30, "Perhaps you meant \"weather\"."},
    {"SELECT CASE_ FROM num", "42703", 8, "CASE_"},
    {"SELECT \"CASE\" FROM num", "42702", 8, "ambiguous"},
    {"SELECT g.region FROM geo x", "42P01", 8, "The table of this query is called \"x\""},
    {"SELECT y.* FROM geo x", "42P01", 8, "\"y\""},
    {"SELECT *", "42601", 8, "no tables"},
    {"SELECT region", "42703", 8, "no table in sight"},
    {"SELECT nosuch(1)", "42883", 8, "nosuch"},
    {"SELECT abs('x', 2)", "42883", 8, "abs"},
    {"SELECT \"not\"(true)", "42883", 8, "does not exist"},
    {"SELECT abs(*) FROM num", "42883", 8, "no aggregate"},
    {"SELECT 1 FROM num WHERE b", "42804", 25, "must be type boolean, not type bigint"},
    {"SELECT 1 FROM num WHERE NOT d", "42804", 29, "double precision"},
    {"SELECT 1 FROM num WHERE f AND v", "42804", 31, "text"},
    {"SELECT 1 FROM num WHERE b = 'x'", "22P02", 29, "bigint"},
    {"SELECT 1 FROM num WHERE 'x' < b", "22P02", 25, "bigint"},
    {"SELECT 1 FROM num WHERE f = 'maybe'", "22P02", 29, "boolean"},
    {"SELECT 1 FROM num WHERE ts > 'someday'", "22007", 30, "someday"},
    {"SELECT 1 FROM num WHERE ts BETWEEN '2015-01-01' AND '2015-13-01'", "22008", 53, "2015-13-01"},
    {"SELECT 1 FROM num WHERE ts IN ('2015-01-01', 'soon')", "22007", 46, "soon"},
    {"SELECT 1 FROM num WHERE b IN (1, 'x')", "22P02", 34, "bigint"},
    {"SELECT 1 FROM num WHERE v > 5", "42883", 27, "text > integer"},
    {"SELECT 1 FROM num WHERE x = true", "42883", 27, "bytea = boolean"},
    {"SELECT v + 1 FROM num", "42883", 10, "text + integer"},
    {"SELECT CAST('abc' AS INTEGER)", "22P02", 13, "abc"},
    {"SELECT CAST(x AS DOUBLE) FROM num", "42846", 13, "bytea"},
    {"SELECT count(*) FROM num WHERE count(*) > 1", "42803", 32, "HAVING"},
    {"SELECT sum(count(*)) FROM num", "42803", 12, "nested"},
    {"SELECT b, count(*) FROM num", "42803", 8, ".b\" must appear in the GROUP BY"},
    {"SELECT b + 1, count(*) FROM num GROUP BY b + 2", "42803", 8, ".b\""},
    {"SELECT * FROM cql GROUP BY a", "42803", 8, ".b\""},
    {"SELECT a FROM cql GROUP BY a ORDER BY b", "42803", 39, ".b\""},
    {"SELECT a FROM cql GROUP BY a HAVING b > 1", "42803", 37, ".b\""},
    {"SELECT count(*) FROM cql GROUP BY 1", "42803", 35, "not allowed in GROUP BY"},
    {"SELECT a FROM cql GROUP BY sum(b)", "42803", 28, "not allowed in GROUP BY"},
    {"SELECT a FROM cql GROUP BY 2", "42P10", 28, "GROUP BY position 2"},
    {"SELECT sum(v) FROM num", "42883", 8, "sum"},
    {"SELECT avg(f) FROM num", "42883", 8, "avg"},
    {"SELECT sum(b, d) FROM num", "42883", 8, "one argument"},
    {"SELECT sum(*) FROM num", "42883", 8, "sum"},
    {"SELECT a FROM cql ORDER BY 0", "42P10", 28, "ORDER BY position 0"},
    {"SELECT a FROM cql ORDER BY 2", "42P10", 28, "ORDER BY position 2"},
    {"SELECT a FROM cql ORDER BY 'x'", "42601", 28, "constant in ORDER BY"},
    {"SELECT a AS x, b AS x FROM cql ORDER BY x", "42702", 41, "ambiguous"},
    {"SELECT DISTINCT a FROM cql ORDER BY b", "42P10", 37, "DISTINCT"},
    {"SELECT a FROM cql LIMIT now()", "42804", 25, "whole number"},
    {"SELECT a FROM cql LIMIT -1", "2201W", 25, "LIMIT must not be negative"},
    {"SELECT a FROM cql LIMIT 1 OFFSET -2", "2201X", 34, "OFFSET must not be negative"},
    {"SELECT a FROM cql LIMIT 'many'", "22P02", 25, "many"},
    {"SELECT a FROM cql LIMIT a", "42703", 25, "LIMIT"},
    {"SELECT a FROM cql LIMIT count(*)",
     "42803",
     25,
     "LIMIT"}, /* CASE, COALESCE and their kin: one type; LIKE, FILTER, intervals, time */
    {"SELECT CASE WHEN b THEN 1 END FROM num",
     "42804",
     18,
     "must be type boolean, not type bigint"},
    {"SELECT CASE WHEN f THEN 1 ELSE v END FROM num",
     "42804",
     32,
     "CASE types integer and text cannot be matched"},
    {"SELECT CASE WHEN f THEN 1 ELSE 'x' END FROM num",
     "22P02",
     32,
     "invalid input syntax for type integer: \"x\""},
    {"SELECT CASE b WHEN 'x' THEN 1 END FROM num",
     "22P02",
     20,
     "invalid input syntax for type bigint: \"x\""},
    {"SELECT CASE b WHEN v THEN 1 END FROM num",
     "42883",
     20,
     "operator does not exist: bigint = text"},
    {"SELECT CASE WHEN f THEN ts ELSE f END FROM num",
     "42804",
     33,
     "CASE types timestamp and boolean cannot be matched"},
    {"SELECT COALESCE(b, v) FROM num",
     "42804",
     20,
     "COALESCE types bigint and text cannot be matched"},
    {"SELECT COALESCE(b, 'x') FROM num",
     "22P02",
     20,
     "invalid input syntax for type bigint: \"x\""},
    {"SELECT COALESCE() FROM num", "42883", 8, "coalesce needs an argument"},
    {"SELECT COALESCE(f, 1) FROM num",
     "42804",
     20,
     "COALESCE types boolean and integer cannot be matched"},
    {"SELECT NULLIF(b, v) FROM num", "42883", 8, "operator does not exist: bigint = text"},
    {"SELECT NULLIF(1) FROM num", "42883", 8, "nullif takes two arguments"},
    {"SELECT greatest(b, v) FROM num",
     "42804",
     20,
     "GREATEST types bigint and text cannot be matched"},
    {"SELECT greatest() FROM num", "42883", 8, "greatest needs an argument"},
    {"SELECT v LIKE 5 FROM num", "42883", 10, "operator does not exist: text like integer"},
    {"SELECT v ILIKE ts FROM num", "42883", 10, "operator does not exist: text ilike timestamp"},
    {"SELECT abs(b) FILTER (WHERE f) FROM num",
     "42883",
     8,
     "abs is no aggregate function: it takes no FILTER"},
    {"SELECT count(*) FILTER (WHERE b) FROM num",
     "42804",
     31,
     "must be type boolean, not type bigint"},
    {"SELECT count(*) FILTER (WHERE count(*) > 1) FROM num",
     "42803",
     31,
     "aggregate function calls cannot be nested"},
    {"SELECT INTERVAL 'soon'", "22007", 17, "invalid input syntax for type interval: \"soon\""},
    {"SELECT INTERVAL '1 fortnight'",
     "22007",
     17,
     "invalid input syntax for type interval: \"1 fortnight\""},
    {"SELECT INTERVAL '99999999999 years'",
     "22015",
     17,
     "interval \"99999999999 years\" is out of range"},
    {"SELECT INTERVAL '1 day' > 5", "42883", 25, "operator does not exist: interval > integer"},
    {"SELECT INTERVAL '1 day' * INTERVAL '1 day'",
     "42883",
     25,
     "operator does not exist: interval * interval"},
    {"SELECT sum(DISTINCT v) FROM num", "42883", 8, "function sum(text) does not exist"},
    {"SELECT avg(ts) FROM num", "42883", 8, "function avg(timestamp) does not exist"},
    {"SELECT stddev(v) FROM num", "42883", 8, "function stddev(text) does not exist"},
    {"SELECT date_trunc(5, ts) FROM num",
     "42883",
     8,
     "function date_trunc(integer, timestamp) does not exist"},
    {"SELECT v IS TRUE FROM num", "42804", 8, "must be type boolean, not type text"},
    {"SELECT b IS DISTINCT FROM v FROM num",
     "42883",
     10,
     "operator does not exist: bigint <> text"},
    {"SELECT b || b FROM num", "42883", 10, "operator does not exist: bigint || bigint"},
    {"SELECT first(b) FROM num",
     "42883",
     8,
     "first(x) goes by the time column of the table, and there is none"},
    {"SELECT first(b, v) FROM num", "42883", 8, "function first(bigint, text) does not exist"},
    {"SELECT bool_and(b) FROM num", "42883", 8, "function bool_and(bigint) does not exist"},
    {"SELECT count(DISTINCT b, v) FROM num",
     "42883",
     8,
     "aggregate function count takes one argument, not 2"},
    {"SELECT CAST(ts AS BOOLEAN) FROM num", "42846", 13, "cannot cast type timestamp to boolean"},
    {"SELECT b::INTERVAL FROM num", "42846", 8, "cannot cast type bigint to interval"},
    {"SELECT time(v, 1m) FROM num", "42883", 8, "function time(text, interval) does not exist"},
    {"SELECT ~ d FROM num", "42883", 8, "operator does not exist: ~ double precision"},
    {"SELECT d % 2 # 1 FROM num",
     "42883",
     14,
     "operator does not exist: double precision # integer"},
    {"SELECT substring(b, 1) FROM num",
     "42883",
     8,
     "function substring(bigint, integer) does not exist"},
};

static void test_errors(void **state)
{
    struct plan_fix *f = *state;

    for (size_t i = 0; i < DN_ARRAY_SIZE(bads); i++) {
        const struct bad *b = &bads[i];
        struct plan *p;
        struct dn_err err;

        if (plan_fix_select(f, b->sql, &p, &err) >= 0)
            fail_msg("accepted: %s", b->sql);
        if (strcmp(err.sqlstate, b->sqlstate) != 0 || err.position != b->position ||
            (!strstr(err.text, b->text) && !strstr(err.hint, b->text)))
            fail_msg("%s\n  got %s at %u: %s (%s)\n  want %s at %u: …%s…",
                     b->sql,
                     err.sqlstate,
                     err.position,
                     err.text,
                     err.hint,
                     b->sqlstate,
                     b->position,
                     b->text);
    }
}

struct good {
    const char *sql;
    const char *plan;
};

static const struct good goods[] = {
    /* the select list */
    {"SELECT * FROM cql", "scan(cql: a, b, c, d)"},
    {"SELECT *, a AS z FROM cql",
     "scan(cql: a, b, c, d) project(a AS a, b AS b, c AS c, d AS d, a AS a)"},
    {"SELECT d, A FROM cql", "scan(cql: d, a)"},
    {"SELECT t.d FROM cql AS t", "scan(cql: d)"},
    {"SELECT  1 + 1 , 'a'", "single project(2 AS 1 + 1, 'a' AS 'a')"},
    {"SELECT COUNT(*) FROM cql", "scan(cql:) aggregate(; count(*))"},
    {"SELECT (a+1) FROM cql", "scan(cql: a) project((a + 1) AS (a+1))"},
    {"SELECT 1/0",
     "single project((1 / 0) AS 1/0)"}, /* an error of the execution, not of the plan */
    /* conditions */
    {"SELECT a FROM cql WHERE true", "scan(cql: a)"},
    {"SELECT a FROM cql WHERE a > 1 AND (b < 2 AND c = 3)",
     "scan(cql: a, b, c) filter(((a > 1) AND (b < 2) AND (c = 3))) hidden(2)"},
    {"SELECT a FROM cql WHERE 1 < a", "scan(cql: a) filter((a > 1))"},
    {"SELECT a FROM cql WHERE a BETWEEN 1 AND 2", "scan(cql: a) filter(((a >= 1) AND (a <= 2)))"},
    {"SELECT a FROM cql WHERE a NOT BETWEEN 1 AND 2", "scan(cql: a) filter(((a < 1) OR (a > 2)))"},
    {"SELECT a FROM cql WHERE a IS NOT NULL", "scan(cql: a) filter((a IS NOT NULL))"},
    {"SELECT a FROM cql WHERE a IN (1, 2)", "scan(cql: a) filter((a IN (1, 2)))"},
    {"SELECT a FROM cql WHERE a IN (1, 2.5)", "scan(cql: a) filter((a IN (1)))"},
    {"SELECT a FROM cql WHERE a NOT IN (1.5)", "scan(cql: a) filter((a >= -2147483648))"},
    {"SELECT a FROM cql WHERE a IN (b, 2)",
     "scan(cql: a, b) filter(((a = b) OR (a = 2))) hidden(1)"},
    /* comparisons stay exact */
    {"SELECT s FROM num WHERE s < 100000", "scan(num: s) filter((s <= 32767))"},
    {"SELECT s FROM num WHERE s > 100000", "scan(num: s) filter((s > 32767))"},
    {"SELECT s FROM num WHERE s > -100000", "scan(num: s) filter((s >= -32768))"},
    {"SELECT s FROM num WHERE s = 100000", "scan(num: s) filter((s < -32768))"},
    {"SELECT s FROM num WHERE s <> 100000", "scan(num: s) filter((s >= -32768))"},
    {"SELECT b FROM num WHERE b >= 1.5", "scan(num: b) filter((b > 1))"},
    {"SELECT b FROM num WHERE b < 1.5", "scan(num: b) filter((b <= 1))"},
    {"SELECT b FROM num WHERE b = 2.0", "scan(num: b) filter((b = 2))"},
    {"SELECT b FROM num WHERE b < 9223372036854775808",
     "scan(num: b) filter((b <= 9223372036854775807))"},
    {"SELECT b FROM num WHERE b >= -1e30", "scan(num: b) filter((b >= -9223372036854775808))"},
    {"SELECT r FROM num WHERE r > 1", "scan(num: r) filter((r > 1))"},
    {"SELECT r FROM num WHERE r = 0.1", "scan(num: r) filter((CAST(r AS DOUBLE) = 0.1))"},
    {"SELECT day FROM num WHERE day >= TIMESTAMP '2015-01-01T12:00'",
     "scan(num: day) filter((day > 2015-01-01))"},
    {"SELECT day FROM num WHERE day < DATE '2015-01-02' - INTERVAL '1 day'",
     "scan(num: day) filter((day < 2015-01-01))"},
    {"SELECT day FROM num WHERE CAST(day AS TIMESTAMP) <= TIMESTAMP '1969-12-31T12:00'",
     "scan(num: day) filter((day <= 1969-12-31))"},
    {"SELECT s FROM num WHERE CAST(s AS BIGINT) >= 100000", "scan(num: s) filter((s > 32767))"},
    {"SELECT s FROM num WHERE CAST(CAST(s AS INTEGER) AS BIGINT) = 5",
     "scan(num: s) filter((s = 5))"},
    {"SELECT ts FROM num WHERE ts >= 1",
     "scan(num: ts) filter((ts >= '1970-01-01T00:00:00.001Z'))"},
    {"SELECT ts FROM num WHERE ts >= '2015-01-01T00:00:00.0005Z'",
     "scan(num: ts) filter((ts > '2015-01-01T00:00:00.000Z'))"},
    {"SELECT ts FROM num WHERE ts < '2015-01-01T00:00:00.0005Z'",
     "scan(num: ts) filter((ts <= '2015-01-01T00:00:00.000Z'))"},
    {"SELECT us FROM num WHERE us = TIMESTAMP '2015-01-01'",
     "scan(num: us) filter((us = '2015-01-01T00:00:00.000000Z'))"},
    {"SELECT ns FROM num WHERE ns < '2500-01-01'",
     "scan(num: ns) filter((ns <= '2262-04-11T23:47:16.854775806Z'))"},
    {"SELECT ns FROM num WHERE ns > '1500-01-01'", "scan(num: ns) filter((ns > '-infinity'))"},
    /* grouping */
    {"SELECT a, sum(b), sum(b) + 1 FROM cql GROUP BY a",
     "scan(cql: a, b) aggregate(a; sum(b)) project(a AS a, sum AS sum, (sum + 1) AS sum(b) + 1)"},
    {"SELECT a + 1 AS k, count(*) FROM cql GROUP BY k HAVING count(*) > 1 ORDER BY 2 DESC",
     "scan(cql: a) aggregate((a + 1); count(*)) filter((count(*) > 1)) sort(1 desc "
     "nulls first)"},
    {"SELECT a FROM cql GROUP BY 1, a", "scan(cql: a) aggregate(a)"},
    {"SELECT 1 FROM cql HAVING count(*) > 0",
     "scan(cql:) aggregate(; count(*)) filter((count(*) > 0)) project(1 AS 1)"},
    {"SELECT count(DISTINCT a) FROM cql", "scan(cql: a) aggregate(; count(distinct a))"},
    {"SELECT DISTINCT d FROM cql ORDER BY d", "scan(cql: d) aggregate(d) sort(0)"},
    /* order */
    {"SELECT a FROM cql ORDER BY d DESC, a",
     "scan(cql: a, d) sort(1 desc nulls first, 0) hidden(1)"},
    {"SELECT a FROM cql ORDER BY d NULLS FIRST LIMIT 3",
     "scan(cql: a, d) sort(1 nulls first top) limit(3) hidden(1)"},
    {"SELECT a AS d FROM cql ORDER BY d", "scan(cql: a) sort(0)"},
    {"SELECT a FROM cql ORDER BY a, a DESC", "scan(cql: a) sort(0)"},
    {"SELECT a FROM cql LIMIT 1 + 2 OFFSET 1", "scan(cql: a) limit(3 offset 1)"},
    /* the scan's own order */
    {"SELECT b FROM cql WHERE a = 1 ORDER BY b DESC", "scan(cql: b, a) filter((a = 1)) hidden(1)"},
    {"SELECT b FROM cql WHERE a = 1 ORDER BY b DESC, c",
     "scan(cql: b, a) filter((a = 1)) hidden(1)"},
    {"SELECT b FROM cql WHERE a = 1 AND b = 2 ORDER BY c",
     "scan(cql: b, a) filter(((a = 1) AND (b = 2))) hidden(1)"},
    {"SELECT b FROM cql WHERE a = 1 ORDER BY b",
     "scan(cql: b, a backward) filter((a = 1)) hidden(1)"},
    {"SELECT b FROM cql WHERE a = 1 ORDER BY c",
     "scan(cql: b, c, a) filter((a = 1)) project(b AS b, c AS c) sort(1) hidden(1)"},
    {"SELECT b FROM cql WHERE a IN (1, 2) ORDER BY b DESC",
     "scan(cql: b, a) filter((a IN (1, 2))) project(b AS b) sort(0 desc nulls first)"},
    {"SELECT b FROM cql WHERE a = 1 OR d = 2 ORDER BY b DESC",
     "scan(cql: b, a, d) filter(((a = 1) OR (d = 2))) project(b AS b) sort(0 desc nulls first)"},
    {"SELECT v FROM evt ORDER BY time, id", "scan(evt: v)"},
    {"SELECT v FROM evt ORDER BY id", "scan(evt: v, id) sort(1) hidden(1)"},
    /* laid out by value: tokens order an answer, nothing else */
    {"SELECT c FROM val", "scan(val: c, a, b) loosely tokens sort(1, 2 desc) hidden(2)"},
    {"SELECT a + 1 FROM val LIMIT 2",
     "scan(val: a, b) loosely tokens sort(0, 1 desc top) limit(2) project((a + 1) AS a + 1)"},
    {"SELECT a, b FROM val WHERE token(a) > 5 LIMIT 2",
     "scan(val: a, b) filter((token(a) > 5)) tokens sort(0, 1 desc top) limit(2)"},
    {"SELECT b, a FROM val WHERE a = 1", "scan(val: b, a) filter((a = 1))"},
    {"SELECT a, b FROM val ORDER BY a, b DESC", "scan(val: a, b)"},
    {"SELECT a, b FROM val ORDER BY a DESC LIMIT 1", "scan(val: a, b backward) limit(1)"},
    {"SELECT count(*) FROM val", "scan(val:) aggregate(; count(*))"},
    {"SELECT c FROM val ORDER BY c", "scan(val: c) sort(0)"},
    {"SELECT time FROM geo WHERE region = 'a' AND state = 'b' ORDER BY time",
     "scan(geo: time, region, state) filter(((region = 'a') AND (state = 'b'))) hidden(2)"},
    {"SELECT time FROM geo WHERE region = 'a' ORDER BY time",
     "scan(geo: time, region) filter((region = 'a')) project(time AS time) sort(0)"},
};

static void test_plans(void **state)
{
    struct plan_fix *f = *state;
    int failed = 0;

    for (size_t i = 0; i < DN_ARRAY_SIZE(goods); i++) {
        struct plan *p;
        struct dn_err err;
        const char *got;

        if (plan_fix_select(f, goods[i].sql, &p, &err) < 0)
            fail_msg("%s\n  %s at %u", goods[i].sql, err.text, err.position);
        got = plan_fix_print(f, p);
        if (strcmp(got, goods[i].plan) != 0) {
            print_error("%s\n  got  %s\n  want %s\n", goods[i].sql, got, goods[i].plan);
            failed++;
        }
        plan_done(p);
    }
    assert_int_equal(failed, 0);
}

static void test_params(void **state)
{
    struct plan_fix *f = *state;
    struct plan *p;
    struct dn_err err;

    assert_int_equal(
        plan_fix_select(
            f,
            "SELECT $4, abs($5) FROM num WHERE ts > $1 AND s IN (1, $2) AND $3 < b LIMIT $6",
            &p,
            &err),
        0);
    assert_int_equal(p->params_count, 6);
    assert_int_equal(p->param_types[0], TYPE_TIMESTAMP);
    assert_int_equal(p->param_types[1], TYPE_SMALLINT);
    assert_int_equal(p->param_types[2], TYPE_BIGINT);
    assert_int_equal(p->param_types[3], TYPE_NONE);
    assert_int_equal(p->param_types[5], TYPE_BIGINT);
    plan_done(p);
}

/* Parameters given as literals, one of them finer than the column. */
static void test_literals(void **state)
{
    struct plan_fix *f = *state;
    struct plan_env env = plan_fix_env(f);
    struct datum values[2] = {{.type = TYPE_TIMESTAMP_NS, .v = {.i64 = 1500}},
                              {.type = TYPE_VARCHAR, .str = {"7", 1}}};
    const bool untyped[2] = {false, true};
    struct plan *p;
    struct dn_err err;

    env.literals = values;
    env.literals_untyped = untyped;
    env.literals_count = 2;
    assert_int_equal(
        plan_select(
            &env, plan_fix_parse(f, "SELECT b FROM num WHERE us >= $1 AND b = $2"), &p, &err),
        0);
    assert_string_equal(plan_fix_print(f, p),
                        "scan(num: b, us) filter(((us > '1970-01-01T00:00:00.000001Z') AND (b = "
                        "7))) hidden(1)");
    plan_done(p);
}

static void test_full_scan_notice(void **state)
{
    struct plan_fix *f = *state;
    struct plan *p;
    struct dn_err err;

    assert_int_equal(plan_fix_select(f, "SELECT * FROM geo WHERE weather = 'x'", &p, &err), 0);
    assert_string_equal(
        p->notice,
        "full scan: WHERE constrains no partition key column of \"geo\" (region, state, time)");
    plan_done(p);
    assert_int_equal(plan_fix_select(f, "SELECT * FROM geo WHERE time > 5", &p, &err), 0);
    assert_string_equal(p->notice, "");
    plan_done(p);
}

/* Every allocation of planning fails once; nothing leaks, and the error says so. */
static void test_nomem(void **state)
{
    struct plan_fix *f = *state;
    struct stmt *stmt = plan_fix_parse(
        f,
        "SELECT region, count(*), sum(temperature + 1) FROM geo WHERE time IN (1, 2, 3) "
        "OR NOT (time < '2015-01-01' OR state = 'x') GROUP BY region HAVING count(*) > 1 "
        "ORDER BY 3, abs(avg(temperature)) LIMIT 5");
    size_t before = mem_process_used();

    for (uint64_t n = 1;; n++) {
        struct plan_env env = plan_fix_env(f);
        struct plan *p = NULL;
        struct arena arena;
        struct dn_err err;
        bool hit;
        int rc;

        arena_init(&arena, NULL);
        env.arena = &arena;
        mem_fail_nth(n, false);
        rc = plan_select(&env, stmt, &p, &err);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        if (rc == 0)
            plan_done(p);
        arena_done(&arena);
        assert_int_equal(mem_process_used(), before);
        if (!hit) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, DN_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_full_scan_notice),
        cmocka_unit_test(test_nomem),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

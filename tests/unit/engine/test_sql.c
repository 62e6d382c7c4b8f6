/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements through the whole engine, on a simulated volume: results fresh, after CHECKPOINT and
 * after reopening; what INSERT refuses; what DDL leaves behind. */
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GEO                                                                                        \
    "CREATE TABLE geo (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL, " \
    "weather VARCHAR, "                                                                            \
    "temperature DOUBLE, PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, "    \
    "time));"
#define ALL                                                                                        \
    "CREATE TABLE types (k INTEGER PRIMARY KEY, s SMALLINT, b BIGINT NOT NULL DEFAULT 7, r REAL, " \
    "d DOUBLE, f BOOLEAN, "                                                                        \
    "v VARCHAR DEFAULT 'none', x BLOB, ts TIMESTAMP, us TIMESTAMP(6), ns TIMESTAMP(9));"
#define FIELD                                                                                \
    "CREATE TABLE fld (k INTEGER PRIMARY KEY, a BIGINT, b BIGINT DEFAULT 5) WITH (upsert = " \
    "'field');"

static int setup(void **state)
{
    struct db_fix *f = calloc(1, sizeof(*f));

    db_open(f);
    db_ok(f, GEO ALL FIELD);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    db_close(*state);
    free(*state);
    return 0;
}

#define assert_run(f, sql, want)                                        \
    do {                                                                \
        const char *got_ = db_run(f, sql);                              \
        if (strcmp(got_, want) != 0)                                    \
            fail_msg("%s\n--- got\n%s\n--- want\n%s", sql, got_, want); \
    } while (0)

#define assert_starts(f, sql, want)                                     \
    do {                                                                \
        const char *got_ = db_run(f, sql);                              \
        if (strncmp(got_, want, strlen(want)) != 0)                     \
            fail_msg("%s\n--- got\n%s\n--- want\n%s", sql, got_, want); \
    } while (0)

/* ---- INSERT and SELECT ---- */

static void check_geo(struct db_fix *f)
{
    assert_run(f,
               "SELECT * FROM geo WHERE region = 'South Atlantic' AND state = 'South Carolina' AND "
               "time >= 1 AND time < 10",
               "South Atlantic|South Carolina|1970-01-01T00:00:00.001Z|hot|25.1\n"
               "South Atlantic|South Carolina|1970-01-01T00:00:00.002Z|snow|25.2\n(SELECT 2)\n");
    assert_run(
        f,
        "SELECT COUNT(*), COUNT(temperature), SUM(temperature), MIN(time), MAX(weather) FROM geo",
        "4|3|73.4|1970-01-01T00:00:00.001Z|snow\n(SELECT 1)\n");
    assert_run(f,
               "SELECT state, avg(temperature) AS a FROM geo GROUP BY state ORDER BY a DESC, state",
               "South Carolina|25.15\nGeorgia|23.1\n(SELECT 2)\n");
    assert_run(f,
               "SELECT time FROM geo ORDER BY temperature NULLS FIRST, time LIMIT 2 OFFSET 1",
               "2015-06-01T09:30:00.000Z\n1970-01-01T00:00:00.001Z\n(SELECT 2)\n");
    assert_run(f, "SELECT DISTINCT region FROM geo", "South Atlantic\n(SELECT 1)\n");
    assert_run(f,
               "SELECT count(*) FROM geo WHERE time >= '2015-06-01' AND NOT (weather IS NULL)",
               "1\n(SELECT 1)\n");
    assert_run(f, "SELECT 1 FROM geo WHERE false", "(SELECT 0)\n");
}

static void test_select(void **state)
{
    struct db_fix *f = *state;

    assert_run(f,
               "INSERT INTO geo VALUES ('South Atlantic', 'South Carolina', 1, 'hot', 25.1), "
               "('South Atlantic', 'South Carolina', 2, 'snow', 25.2), "
               "('South Atlantic', 'Georgia', '2015-06-01T09:30:00Z', NULL, 23.1);"
               "INSERT INTO geo (time, weather, state, region) VALUES ('2015-06-01 10:00+00', "
               "'fog', 'Georgia', 'South Atlantic')",
               "(INSERT 0 3)\n(INSERT 0 1)\n");
    check_geo(f);
    db_ok(f, "CHECKPOINT");
    check_geo(f);
    db_reopen(f);
    check_geo(f);
    /* the newest write wins */
    db_ok(f, "INSERT INTO geo VALUES ('South Atlantic', 'South Carolina', 2, 'rain', NULL)");
    assert_run(f, "SELECT weather, temperature FROM geo WHERE time = 2", "rain|~\n(SELECT 1)\n");
    assert_run(f, "SELECT 1 + 1 AS two, 'x', NULL, 7 / 2, -7 / 2", "2|x|~|3|-3\n(SELECT 1)\n");
    assert_run(f, "SELECT 1 / 0", "ERROR 22012 10 division by zero");
}

static void test_types(void **state)
{
    struct db_fix *f = *state;

    db_ok(f,
          "INSERT INTO types VALUES (1, 2, 3, 1.5, 0.1, true, 'ä', 0xcafe, 1, "
          "'1970-01-01T00:00:00.000002Z', 3), "
          "(2, -32768, DEFAULT, NULL, NULL, NULL, DEFAULT, NULL, NULL, NULL, NULL);"
          "INSERT INTO types (k) VALUES (3), (1 + 3), (abs(-5))");
    for (int i = 0; i < 3; i++) {
        assert_run(f,
                   "SELECT * FROM types ORDER BY k",
                   "1|2|3|1.5|0.1|true|ä|0xcafe|1970-01-01T00:00:00.001Z|1970-01-01T00:00:00."
                   "000002Z|1970-01-01T00:00:00.000000003Z\n"
                   "2|-32768|7|~|~|~|none|~|~|~|~\n"
                   "3|~|7|~|~|~|none|~|~|~|~\n"
                   "4|~|7|~|~|~|none|~|~|~|~\n"
                   "5|~|7|~|~|~|none|~|~|~|~\n(SELECT 5)\n");
        if (i == 0)
            db_ok(f, "CHECKPOINT");
        else
            db_reopen(f);
    }
}

static void test_field_upsert(void **state)
{
    struct db_fix *f = *state;

    db_ok(f,
          "INSERT INTO fld VALUES (1, 10, 20); INSERT INTO fld (k, a) VALUES (1, 11); INSERT INTO "
          "fld (k, b) VALUES (1, NULL)");
    assert_run(f, "SELECT * FROM fld", "1|11|~\n(SELECT 1)\n");
    db_ok(f, "CHECKPOINT; INSERT INTO fld (k, b) VALUES (1, DEFAULT)");
    assert_run(f, "SELECT * FROM fld", "1|11|5\n(SELECT 1)\n");
}

/* now() may be stored in a key column that keeps fewer digits; a default may be part of the key. */
static void test_now_and_defaults(void **state)
{
    struct db_fix *f = *state;

    db_ok(f, "INSERT INTO geo (region, state, time) VALUES ('a', 'b', now())");
    assert_run(f,
               "SELECT count(*) FROM geo WHERE time <= now() AND time > now() - 10000000",
               "1\n(SELECT 1)\n");
    db_ok(f,
          "CREATE TABLE d (k INTEGER, c VARCHAR DEFAULT 'here', v BIGINT, w BIGINT, PRIMARY KEY "
          "((k), c)) WITH (upsert = 'field');"
          "INSERT INTO d (k, v) VALUES (1, 5); INSERT INTO d (k, w) VALUES (1, 6)");
    assert_run(f, "SELECT * FROM d", "1|here|5|6\n(SELECT 1)\n");
}

/* ---- what INSERT refuses: nothing of the statement is written ---- */

static const struct {
    const char *sql;
    const char *want; /* the beginning */
} refused[] = {
    {"INSERT INTO nosuch VALUES (1)", "ERROR 42P01 13 "},
    {"INSERT INTO typs VALUES (1)",
     "ERROR 42P01 13 relation \"typs\" does not exist [Perhaps you meant \"types\".]"},
    {"INSERT INTO types (k, nix) VALUES (1, 2)",
     "ERROR 42703 23 column \"nix\" of relation \"types\" does not exist"},
    {"INSERT INTO geo (region, stat) VALUES ('a', 'b')",
     "ERROR 42703 26 column \"stat\" of relation \"geo\" does not exist [Perhaps you meant "
     "\"state\".]"},
    {"INSERT INTO types (k, s, K) VALUES (1, 2, 3)",
     "ERROR 42701 26 column \"k\" specified more than once"},
    {"INSERT INTO types (k, s) VALUES (1, 2), (1)",
     "ERROR 42601 41 INSERT has more target columns than expressions"},
    {"INSERT INTO types (k, s) VALUES (1, 2, 3)",
     "ERROR 42601 33 INSERT has more expressions than target columns"},
    {"INSERT INTO geo VALUES ('a', 'b')", "ERROR 23502 13 column \"time\" must"},
    {"INSERT INTO geo (region, state) VALUES ('a', 'b')",
     "ERROR 23502 18 column \"time\" must not be NULL, is not listed"},
    {"INSERT INTO types (k) VALUES (1), (NULL)",
     "ERROR 23502 36 row 2, column \"k\": null value in column \"k\" of relation \"types\" "
     "violates "
     "not-null constraint"},
    {"INSERT INTO types (k, b) VALUES (1, NULL)", "ERROR 23502 37 null value in column \"b\""},
    {"INSERT INTO types (k) VALUES (DEFAULT)", "ERROR 23502 30 null value in column \"k\""},
    {"INSERT INTO types (k, s) VALUES (1, 1), (2, 32768)",
     "ERROR 22003 45 row 2, column \"s\": 32768 is out of range for smallint"},
    {"INSERT INTO types (k, d) VALUES (1, 'NaN')",
     "ERROR 22003 37 row 1, column \"d\": NaN cannot be stored"},
    {"INSERT INTO types (k, r) VALUES (1, 'Infinity')",
     "ERROR 22003 37 row 1, column \"r\": infinity cannot be stored"},
    {"INSERT INTO types (k, d) VALUES (1, 1e308 * 10)", "ERROR 22003 "},
    {"INSERT INTO types (k, s) VALUES (1, 'x')", "ERROR 22P02 37 invalid input syntax"},
    {"INSERT INTO types (k, f) VALUES (1, 1)",
     "ERROR 42804 37 row 1, column \"f\": a integer cannot be stored as boolean"},
    {"INSERT INTO types (k, v) VALUES (1, hello)",
     "ERROR 42703 37 column \"hello\" cannot be used here"},
    {"INSERT INTO types (k, s) VALUES (1, 5 / 0)", "ERROR 22012 39 division by zero"},
    {"INSERT INTO geo VALUES ('a', 'b', 0, NULL, NULL)",
     "ERROR 22008 35 row 1, column \"time\": 0 is no time stamp"},
    {"INSERT INTO geo VALUES ('a', 'b', '1970-01-01', NULL, NULL)",
     "ERROR 22008 35 row 1, column \"time\": 0 is no"},
    {"INSERT INTO geo VALUES ('a', 'b', '2015-01-01T00:00:00.0001Z', NULL, NULL)",
     "ERROR 22008 35 row 1, column \"time\": the time is finer"},
    {"INSERT INTO geo VALUES ('a', 'b', 'someday!', NULL, NULL)", "ERROR 22007 35 "},
    {"INSERT INTO geo VALUES ('a', 'b', 1, 'x', true)",
     "ERROR 42804 43 row 1, column \"temperature\": a boolean cannot be stored as double "
     "precision"},
    {"INSERT INTO types (k) VALUES ($1)", "ERROR 08P01 0 parameter $1 has no value"},
};

static void test_insert_refused(void **state)
{
    struct db_fix *f = *state;

    for (size_t i = 0; i < DN_ARRAY_SIZE(refused); i++) {
        const char *got = db_run(f, refused[i].sql);

        if (strncmp(got, refused[i].want, strlen(refused[i].want)) != 0)
            fail_msg("%s\n  got  %s\n  want %s", refused[i].sql, got, refused[i].want);
    }
    assert_run(f,
               "SELECT count(*) FROM geo; SELECT count(*) FROM types",
               "0\n(SELECT 1)\n0\n(SELECT 1)\n");
}

static void test_key_text_limit(void **state)
{
    struct db_fix *f = *state;
    size_t half = 32768;
    char *sql = malloc(3 * half);
    char *text = malloc(half + 1);

    memset(text, 'x', half);
    text[half] = 0;
    snprintf(sql,
             3 * half,
             "INSERT INTO geo (region, state, time) VALUES ('%s', '%s', 1)",
             text,
             text + 1);
    assert_run(f, sql, "(INSERT 0 1)\n");
    snprintf(
        sql, 3 * half, "INSERT INTO geo (region, state, time) VALUES ('%s', '%s', 1)", text, text);
    assert_int_equal(strncmp(db_run(f, sql), "ERROR 22001 ", 12), 0);
    free(sql);
    free(text);
}

/* ---- DDL ---- */

static void test_ddl(void **state)
{
    struct db_fix *f = *state;

    assert_run(f,
               "CREATE TABLE geo (a INT PRIMARY KEY)",
               "ERROR 42P07 14 relation \"geo\" already exists");
    assert_run(f, "CREATE TABLE IF NOT EXISTS geo (a INT PRIMARY KEY)", "(CREATE TABLE)\n");
    assert_string_equal(db_notices(f), "NOTICE: relation \"geo\" already exists, skipped\n");
    assert_run(f, "DROP TABLE IF EXISTS nosuch", "(DROP TABLE)\n");
    assert_string_equal(db_notices(f), "NOTICE: table \"nosuch\" does not exist, skipped\n");
    assert_starts(f, "DROP TABLE nosuch", "ERROR 42P01 12 ");
    db_ok(f, "INSERT INTO geo (region, state, time) VALUES ('a', 'b', 1); DROP TABLE geo");
    assert_starts(f, "SELECT * FROM geo", "ERROR 42P01 15 ");
    db_ok(f, GEO);
    assert_run(f, "SELECT count(*) FROM geo", "0\n(SELECT 1)\n"); /* not the old one's rows */
    db_reopen(f);
    assert_run(f, "SELECT count(*) FROM geo", "0\n(SELECT 1)\n");
    assert_starts(f, "CREATE TABLE t (a INT PRIMARY KEY, b INT DEFAULT now())", "ERROR 42804 50 ");
    assert_starts(f,
                  "CREATE TABLE t (a INT PRIMARY KEY, b SMALLINT DEFAULT 99999)",
                  "ERROR 22003 55 DEFAULT of column \"b\": ");
    assert_run(f, "DESCRIBE nosuch", "ERROR 42P01 10 relation \"nosuch\" does not exist");
}

static void test_schemas(void **state)
{
    struct db_fix *f = *state;

    assert_run(f,
               "CREATE SCHEMA s1; CREATE SCHEMA IF NOT EXISTS s1; CREATE KEYSPACE k1 WITH "
               "replication = {'class': 'SimpleStrategy', "
               "'replication_factor': 3}",
               "(CREATE SCHEMA)\n(CREATE SCHEMA)\n(CREATE KEYSPACE)\n");
    assert_starts(f, "CREATE SCHEMA s1", "ERROR 42P06 15 ");
    assert_run(f,
               "USE s1; CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1); SELECT * "
               "FROM s1.t; SHOW TABLES",
               "(USE)\n(CREATE TABLE)\n(INSERT 0 1)\n1\n(SELECT 1)\nt|Active\n(SHOW)\n");
    assert_string_equal(dendro_schema(f->conn), "s1");
    assert_starts(f, "SELECT * FROM geo", "ERROR 42P01");
    assert_run(f, "SELECT count(*) FROM public.geo", "0\n(SELECT 1)\n");
    assert_starts(f, "DROP SCHEMA s1", "ERROR 2BP01 13 ");
    assert_run(f,
               "USE public; DROP TABLE s1.t; DROP SCHEMA s1; DROP SCHEMA IF EXISTS s1",
               "(USE)\n(DROP TABLE)\n(DROP SCHEMA)\n(DROP SCHEMA)\n");
    assert_starts(f, "USE s1", "ERROR 3F000 5 ");
    assert_starts(f, "CREATE TABLE s1.t (a INT PRIMARY KEY)", "ERROR 3F000 14 ");
}

static void test_settings(void **state)
{
    struct db_fix *f = *state;

    assert_run(f,
               "SHOW max_subqueries; SET max_subqueries = 5; SHOW max_subqueries; SET "
               "max_subqueries TO DEFAULT; SHOW max_subqueries",
               "0\n(SHOW)\n(SET)\n5\n(SHOW)\n(SET)\n0\n(SHOW)\n");
    assert_starts(f, "SET max_subqueries = 'x'", "ERROR 22023 22 ");
    assert_starts(f, "SET max_subquerys = 1", "ERROR 42704 5 ");
    assert_starts(f, "SHOW strict_key", "ERROR 42704 6 ");
    db_ok(f, "SET strict_keys = on");
    assert_starts(f, "SELECT * FROM geo", "ERROR 42P10 15 ");
    db_ok(f,
          "SET strict_keys = off; SELECT * FROM geo; SET synchronous_commit = off; INSERT INTO fld "
          "VALUES (1, 2, 3)");
    assert_non_null(strstr(db_ok(f, "SHOW ALL"), "strict_keys|off|"));
}

static void test_explain(void **state)
{
    struct db_fix *f = *state;
    const char *out;

    db_ok(f, "INSERT INTO geo VALUES ('a', 'b', 5, 'hot', 1)");
    out = db_ok(
        f, "EXPLAIN SELECT weather FROM geo WHERE region = 'a' AND state = 'b' AND time < 100");
    assert_non_null(strstr(out, "Scan"));
    assert_non_null(strstr(out, "slabs"));
    assert_null(strstr(out, "Warning"));
    out = db_ok(f, "EXPLAIN SELECT * FROM geo WHERE weather = 'hot'");
    assert_non_null(strstr(out, "Warning: full scan"));
    assert_null(strstr(strstr(out, "Warning: full scan") + 1, "Warning: full scan"));
    assert_non_null(strstr(db_ok(f, "EXPLAIN INSERT INTO geo VALUES ('a', 'b', 6, 'hot', 1)"),
                           "Insert into public.geo\n"));
    assert_run(f, "SELECT count(*) FROM geo", "1\n(SELECT 1)\n"); /* nothing ran */
    assert_starts(f, "EXPLAIN DROP TABLE geo", "ERROR ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_select, setup, teardown),
        cmocka_unit_test_setup_teardown(test_types, setup, teardown),
        cmocka_unit_test_setup_teardown(test_field_upsert, setup, teardown),
        cmocka_unit_test_setup_teardown(test_now_and_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_insert_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_key_text_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ddl, setup, teardown),
        cmocka_unit_test_setup_teardown(test_schemas, setup, teardown),
        cmocka_unit_test_setup_teardown(test_settings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_explain, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The bulk appender: values, errors that name row and column, batches that are whole or not there,
 * arrays. */
#include "db_fix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define OK(call) assert_int_equal(call, DENDRO_OK)

static const char all_types[] =
    "CREATE TABLE t (k BIGINT NOT NULL, i SMALLINT, r REAL, d DOUBLE, b BOOLEAN, s VARCHAR DEFAULT "
    "'dflt', x BLOB, t TIMESTAMP, n TIMESTAMP(9), PRIMARY KEY (k))";

static void test_values(void **state)
{
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, all_types);
    OK(dendro_appender_open(f.conn, dendro_schema(f.conn), "T", NULL, &app, &e));
    OK(dendro_append_int64(app, 1, &e));
    OK(dendro_append_int64(app, -5, &e));
    OK(dendro_append_double(app, 0.5, &e));
    OK(dendro_append_double(app, 1e300, &e));
    OK(dendro_append_bool(app, true, &e));
    OK(dendro_append_text(app, "héllo", -1, &e));
    OK(dendro_append_blob(app, "\x00\xff", 2, &e));
    OK(dendro_append_timestamp(app, 1577934245, DENDRO_UNIT_S, &e));
    OK(dendro_append_timestamp(app, 1577934245123456, DENDRO_UNIT_US, &e));
    OK(dendro_append_end_row(app, &e));
    OK(dendro_append_text(app, "2", 1, &e)); /* text stands for anything */
    OK(dendro_append_text(app, " 7 ", -1, &e));
    OK(dendro_append_text(app, "1.25", -1, &e));
    OK(dendro_append_int64(app, 3, &e));
    OK(dendro_append_text(app, "no", -1, &e));
    OK(dendro_append_default(app, &e));
    OK(dendro_append_text(app, "0xab", -1, &e));
    OK(dendro_append_text(app, "2020-01-02", -1, &e));
    OK(dendro_append_int64(app, 5, &e));
    OK(dendro_append_end_row(app, &e));
    OK(dendro_append_int64(app, 3, &e));
    for (int i = 0; i < 8; i++)
        OK(dendro_append_null(app, &e));
    OK(dendro_append_end_row(app, &e));
    assert_int_equal(dendro_appender_rows(app), 0);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "0\n(SELECT 1)\n"); /* not yet */
    OK(dendro_appender_flush(app, &e));
    assert_int_equal(dendro_appender_rows(app), 3);
    OK(dendro_appender_close(app, &e));
    assert_string_equal(
        db_ok(&f, "SELECT * FROM t ORDER BY k"),
        "1|-5|0.5|1e+300|true|héllo|0x00ff|2020-01-02T03:04:05.000Z|2020-01-02T03:04:05."
        "123456000Z\n"
        "2|7|1.25|3|false|dflt|0xab|2020-01-02T00:00:00.000Z|1970-01-01T00:00:00.000000005Z\n"
        "3|~|~|~|~|~|~|~|~\n(SELECT 3)\n");
    db_close(&f);
}

/* DEFAULTs that are expressions: of columns that are not given, and asked for by name. */
static void test_defaults(void **state)
{
    static const char *const listed[] = {"k", "v", NULL};
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (k INT PRIMARY KEY, id UUID DEFAULT gen_random_uuid(), v VARCHAR DEFAULT "
          "'day ' || current_date, d DATE DEFAULT current_date)");
    OK(dendro_appender_open(f.conn, NULL, "t", listed, &app, &e));
    for (int i = 0; i < 3000; i++) {
        OK(dendro_append_int64(app, i, &e));
        OK(dendro_append_default(app, &e));
        OK(dendro_append_end_row(app, &e));
        if (i == 100)
            OK(dendro_appender_flush(app, &e));
    }
    OK(dendro_appender_close(app, &e));
    assert_string_equal(
        db_ok(&f,
              "SELECT count(*), count(DISTINCT id), count(v), count(d), bool_and(v LIKE 'day %') "
              "FROM t"),
        "3000|3000|3000|3000|true\n(SELECT 1)\n");
    db_close(&f);
}

/* Generated columns and those with a sequence: computed, and not among the columns. */
static void test_generated(void **state)
{
    static const char *const listed[] = {"k", "twice", NULL};
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (k INT PRIMARY KEY, twice INT GENERATED ALWAYS AS (k * 2) STORED, v "
          "VARCHAR, n SERIAL)");
    assert_true(dendro_appender_open(f.conn, NULL, "t", listed, &app, &e) < 0);
    assert_string_equal(e.message, "column \"twice\" is a generated column");
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    for (int i = 0; i < 3000; i++) {
        OK(dendro_append_int64(app, i, &e));
        OK(dendro_append_null(app, &e));
        OK(dendro_append_default(app, &e));
        OK(dendro_append_end_row(app, &e));
    }
    OK(dendro_appender_close(app, &e));
    assert_string_equal(db_ok(&f, "SELECT count(*), sum(twice), count(v), min(n), max(n) FROM t"),
                        "3000|8997000|0|1|3000\n(SELECT 1)\n");
    db_close(&f);
}

/* The first value that cannot be stored ends the batch. */
static void test_errors(void **state)
{
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT NOT NULL, v DOUBLE, PRIMARY KEY (k))");
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    OK(dendro_append_int64(app, 1, &e));
    OK(dendro_append_double(app, 1, &e));
    OK(dendro_append_end_row(app, &e));
    OK(dendro_appender_flush(app, &e));
    OK(dendro_append_int64(app, 2, &e));
    assert_true(dendro_append_double(app, (double)NAN, &e) < 0);
    assert_string_equal(e.message, "row 2, column \"v\": NaN cannot be stored");
    assert_string_equal(e.sqlstate, "22003");
    /* It stays. */
    memset(&e, 0, sizeof e);
    assert_true(dendro_append_double(app, 1, &e) < 0);
    assert_string_equal(e.message, "row 2, column \"v\": NaN cannot be stored");
    assert_true(dendro_append_end_row(app, &e) < 0);
    assert_true(dendro_appender_flush(app, &e) < 0);
    assert_string_equal(e.message, "row 2, column \"v\": NaN cannot be stored");
    dendro_appender_clear(app);
    OK(dendro_append_int64(app, 3, &e));
    OK(dendro_append_null(app, &e));
    OK(dendro_append_end_row(app, &e));
    assert_true(dendro_append_null(app, &e) < 0);
    assert_string_equal(e.message,
                        "row 3, column \"k\": null value in column \"k\" of relation \"t\" "
                        "violates not-null constraint");
    dendro_appender_clear(app); /* the good row goes too */
    OK(dendro_append_int64(app, 4, &e));
    assert_true(dendro_append_end_row(app, &e) < 0);
    assert_string_equal(e.message, "row 2 has too few values: 1 for 2 columns");
    dendro_appender_clear(app);
    OK(dendro_append_int64(app, 5, &e));
    OK(dendro_append_null(app, &e));
    assert_true(dendro_append_null(app, &e) < 0);
    assert_string_equal(e.message, "row 2 has too many values for 2 columns");
    dendro_appender_clear(app);
    assert_true(dendro_append_text(app, "x", -1, &e) < 0);
    assert_string_equal(e.message,
                        "row 2, column \"k\": invalid input syntax for type bigint: \"x\"");
    dendro_appender_clear(app);
    OK(dendro_append_int64(app, 6, &e));
    assert_int_equal(dendro_appender_flush(app, &e), DENDRO_E_MISUSE); /* in the middle of a row */
    OK(dendro_append_int64(app, 7, &e));
    OK(dendro_append_end_row(app, &e));
    assert_true(dendro_append_timestamp(app, 1, (enum dendro_unit)4, &e) < 0);
    assert_true(dendro_appender_close(app, &e) < 0); /* and nothing of it is written */
    assert_string_equal(db_ok(&f, "SELECT k FROM t ORDER BY k"), "1\n(SELECT 1)\n");
    db_close(&f);
}

static void test_open(void **state)
{
    static const char *const columns[] = {"V", "k", NULL};
    static const char *const unknown[] = {"k", "vv", NULL};
    static const char *const twice[] = {"k", "K", NULL};
    static const char *const keyless[] = {"v", NULL};
    dendro_appender *app = NULL;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT NOT NULL, v VARCHAR, w BIGINT DEFAULT 9, PRIMARY KEY (k))");
    assert_true(dendro_appender_open(f.conn, NULL, "nix", NULL, &app, &e) < 0);
    assert_string_equal(e.sqlstate, "42P01");
    assert_true(dendro_appender_open(f.conn, "nix", "t", NULL, &app, &e) < 0);
    assert_true(dendro_appender_open(f.conn, NULL, "t", unknown, &app, &e) < 0);
    assert_string_equal(e.message, "column \"vv\" of relation \"t\" does not exist");
    assert_string_equal(e.hint, "Perhaps you meant \"v\".");
    assert_true(dendro_appender_open(f.conn, NULL, "t", twice, &app, &e) < 0);
    assert_true(dendro_appender_open(f.conn, NULL, "t", keyless, &app, &e) < 0);
    assert_int_equal(dendro_appender_open(NULL, NULL, "t", NULL, &app, &e), DENDRO_E_MISUSE);
    assert_int_equal(dendro_append_null(NULL, &e), DENDRO_E_MISUSE);
    assert_null(app);
    OK(dendro_appender_close(NULL, &e));
    OK(dendro_appender_open(f.conn, NULL, "t", columns, &app, &e));
    OK(dendro_append_text(app, "a", -1, &e));
    OK(dendro_append_int64(app, 1, &e));
    OK(dendro_append_end_row(app, &e));
    OK(dendro_appender_close(app, &e));
    assert_string_equal(db_ok(&f, "SELECT * FROM t"), "1|a|9\n(SELECT 1)\n");
    /* One that is left is closed with its session, unflushed. */
    OK(dendro_appender_open(f.conn, NULL, "t", columns, &app, &e));
    OK(dendro_append_text(app, "b", -1, &e));
    OK(dendro_append_int64(app, 2, &e));
    OK(dendro_append_end_row(app, &e));
    db_reopen(&f);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "1\n(SELECT 1)\n");
    db_close(&f);
}

static void append_at(dendro_appender *app, int64_t seconds, int64_t v)
{
    struct dendro_error e;

    OK(dendro_append_timestamp(app, seconds, DENDRO_UNIT_S, &e));
    OK(dendro_append_int64(app, v, &e));
    OK(dendro_append_end_row(app, &e));
}

/* Rows for times that retention has dropped: the batch is refused, or they are left out. */
static void test_late(void **state)
{
    const int64_t late = 978307200, kept = 4102444800; /* 2001, 2100 */
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (time TIMESTAMP, v INT, PRIMARY KEY (time)) WITH (retention = '1 day', "
          "future_limit = 'none')");
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    append_at(app, kept, 1);
    append_at(app, late, 2);
    assert_true(dendro_appender_flush(app, &e) < 0);
    assert_string_equal(e.sqlstate, "22008");
    assert_non_null(strstr(e.message, "is too old for table \"t\""));
    assert_true(dendro_appender_close(app, &e) < 0);
    assert_string_equal(db_ok(&f, "SELECT v FROM t"), "(SELECT 0)\n");

    db_ok(&f, "ALTER TABLE t SET (late_rows = 'drop')");
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    append_at(app, kept, 3);
    append_at(app, late, 4);
    append_at(app, kept + 1, 5);
    OK(dendro_appender_close(app, &e));
    assert_string_equal(db_ok(&f, "SELECT v FROM t ORDER BY time"), "3\n5\n(SELECT 2)\n");
    db_reopen(&f);
    assert_string_equal(db_ok(&f, "SELECT v FROM t ORDER BY time"), "3\n5\n(SELECT 2)\n");
    db_close(&f);
}

/* Rows that flush themselves, and a table that goes. */
static void test_flush(void **state)
{
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT NOT NULL, v VARCHAR, PRIMARY KEY (k))");
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    for (int i = 0; i < 25; i++) {
        dendro_appender_set_flush(app, i < 12 ? 5 : 0, i < 12 ? 0 : 100);
        OK(dendro_append_int64(app, i, &e));
        OK(dendro_append_text(app, "0123456789", -1, &e));
        OK(dendro_append_end_row(app, &e));
    }
    assert_int_equal(dendro_appender_rows(app), 25);
    dendro_appender_set_flush(app, 0, 0);
    db_ok(&f, "DROP TABLE t");
    OK(dendro_append_int64(app, 30, &e));
    OK(dendro_append_null(app, &e));
    OK(dendro_append_end_row(app, &e));
    assert_true(dendro_appender_flush(app, &e) < 0);
    assert_string_equal(e.sqlstate, "42P01");
    assert_true(dendro_appender_close(app, &e) < 0);
    db_close(&f);
}

static void test_columns(void **state)
{
    int64_t keys[] = {1, 2, 3};
    double values[] = {1.5, 2.5, 3.5};
    const char *texts[] = {"a", "12", NULL};
    size_t lengths[] = {1, 2, 0};
    uint8_t bools[] = {1, 0, 1};
    uint8_t nulls[] = {0, 0, 1};
    int16_t small[] = {7, 8, 9};
    float reals[] = {0.5f, 0.25f, 0.125f};
    int64_t times[] = {1577934245000000, 2, 3};
    struct dendro_array a[9] = {
        {DENDRO_TYPE_BIGINT, keys, NULL, NULL},
        {DENDRO_TYPE_SMALLINT, small, NULL, NULL},
        {DENDRO_TYPE_REAL, reals, NULL, nulls},
        {DENDRO_TYPE_DOUBLE, values, NULL, NULL},
        {DENDRO_TYPE_BOOLEAN, bools, NULL, NULL},
        {DENDRO_TYPE_VARCHAR, texts, lengths, nulls},
        {DENDRO_TYPE_NONE, NULL, NULL, NULL},
        {DENDRO_TYPE_TIMESTAMP_US, times, NULL, NULL},
        {DENDRO_TYPE_BIGINT, keys, NULL, NULL},
    };
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, all_types);
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    OK(dendro_append_columns(app, a, 9, 3, &e));
    OK(dendro_append_columns(app, a, 9, 0, &e));
    OK(dendro_appender_flush(app, &e));
    assert_string_equal(
        db_ok(&f, "SELECT * FROM t ORDER BY k"),
        "1|7|0.5|1.5|true|a|~|2020-01-02T03:04:05.000Z|1970-01-01T00:00:00.000000001Z\n"
        "2|8|0.25|2.5|false|12|~|1970-01-01T00:00:00.000Z|1970-01-01T00:00:00.000000002Z\n"
        "3|9|~|3.5|true|~|~|1970-01-01T00:00:00.000Z|1970-01-01T00:00:00.000000003Z\n(SELECT 3)\n");
    /* All rows or none. */
    values[1] = (double)INFINITY;
    keys[0] = 11;
    assert_true(dendro_append_columns(app, a, 9, 3, &e) < 0);
    assert_string_equal(e.message, "row 5, column \"d\": infinity cannot be stored");
    assert_true(dendro_appender_flush(app, &e) < 0);
    dendro_appender_clear(app);
    values[1] = 0;
    a[0].nulls = nulls;
    assert_true(dendro_append_columns(app, a, 9, 3, &e) < 0);
    assert_string_equal(e.message,
                        "row 6, column \"k\": null value in column \"k\" of relation \"t\" "
                        "violates not-null constraint");
    dendro_appender_clear(app);
    a[0].nulls = NULL;
    assert_int_equal(dendro_append_columns(app, a, 8, 3, &e), DENDRO_E_MISUSE);
    a[3].values = NULL;
    assert_int_equal(dendro_append_columns(app, a, 9, 3, &e), DENDRO_E_MISUSE);
    dendro_appender_clear(app);
    a[3].values = values;
    OK(dendro_append_int64(app, 1, &e));
    assert_int_equal(dendro_append_columns(app, a, 9, 3, &e), DENDRO_E_MISUSE); /* in a row */
    dendro_appender_clear(app);
    OK(dendro_append_columns(app, a, 9, 3, &e));
    OK(dendro_appender_close(app, &e));
    assert_string_equal(db_ok(&f, "SELECT count(*), sum(k) FROM t"), "4|17\n(SELECT 1)\n");
    db_close(&f);
}

/* The key's text as a whole. */
static void test_key_length(void **state)
{
    static char text[40000];
    const char *texts[] = {"a", text};
    struct dendro_array a[2] = {{DENDRO_TYPE_VARCHAR, texts, NULL, NULL},
                                {DENDRO_TYPE_VARCHAR, texts, NULL, NULL}};
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    memset(text, 'k', sizeof text - 1);
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k VARCHAR, l VARCHAR, PRIMARY KEY (k, l))");
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    assert_true(dendro_append_columns(app, a, 2, 2, &e) < 0);
    assert_string_equal(e.message, "row 2: the key's text is longer than 65535 bytes");
    dendro_appender_clear(app);
    OK(dendro_append_text(app, text, -1, &e));
    assert_true(dendro_append_text(app, text, -1, &e) < 0);
    assert_string_equal(e.message,
                        "row 1, column \"l\": the key's text is longer than 65535 bytes");
    dendro_appender_clear(app);
    OK(dendro_appender_close(app, &e));
    db_close(&f);
}

/* A batch too big for the log goes straight to segments. */
static void test_big(void **state)
{
    static int64_t keys[200000];
    static char text[512];
    static const char *texts[200000];
    struct dendro_array a[2] = {{DENDRO_TYPE_BIGINT, keys, NULL, NULL},
                                {DENDRO_TYPE_VARCHAR, texts, NULL, NULL}};
    dendro_appender *app;
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    memset(text, 't', sizeof text - 1);
    for (int i = 0; i < 200000; i++) {
        keys[i] = i;
        texts[i] = text;
    }
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT NOT NULL, v VARCHAR, PRIMARY KEY (k))");
    OK(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e));
    dendro_appender_set_flush(app, 0, 0);
    OK(dendro_append_columns(app, a, 2, 200000, &e));
    OK(dendro_appender_close(app, &e));
    assert_string_equal(db_ok(&f, "SELECT count(*), sum(k) FROM t"),
                        "200000|19999900000\n(SELECT 1)\n");
    db_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_generated),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_flush),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_key_length),
        cmocka_unit_test(test_big),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

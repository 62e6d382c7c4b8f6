/* SPDX-License-Identifier: Apache-2.0
 *
 * Every legal key form to its normal form and back to text; slabs and quanta; look-ups; tokens. */
#include "good_tables.h"
#include "spec_text.h"

#include "catalog/duration.h"
#include "catalog/quantum.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct table *build(const char *sql)
{
    struct table *t = NULL;
    struct dn_err err = {0};

    if (spec_text_build(sql, &t, &err) != 0)
        fail_msg("%s\n%s", sql, err.text);
    return t;
}

/* form | partition | local (- = DESC) | rest, = is all of local, by value | quantum | time | slab
 * width/quantum width in ticks */
static void dump(const struct table *t, char *to, size_t cap)
{
    static const char *const words[] = {"none", "riak", "cql", "range"};
    size_t n =
        (size_t)snprintf(to, cap, "%s%s |", words[t->form], t->clustering_clause ? "+c" : "");

    for (int i = 0; i < t->partition_count; i++)
        n += (size_t)snprintf(to + n, cap - n, " %s", t->columns[t->partition[i]].name);
    n += (size_t)snprintf(to + n, cap - n, " |");
    for (int i = 0; i < t->local_count; i++)
        n += (size_t)snprintf(to + n,
                              cap - n,
                              " %s%s",
                              t->columns[t->local[i].col].name,
                              t->local[i].desc ? "-" : "");
    n += (size_t)snprintf(to + n, cap - n, " |");
    if (t->by_value) {
        assert_int_equal(t->rest_count, t->local_count);
        n += (size_t)snprintf(to + n, cap - n, " =");
    }
    for (int i = 0; i < t->rest_count && !t->by_value; i++)
        n += (size_t)snprintf(
            to + n, cap - n, " %s%s", t->columns[t->rest[i].col].name, t->rest[i].desc ? "-" : "");
    n += (size_t)snprintf(to + n, cap - n, " |");
    if (t->quantum_count)
        n += (size_t)snprintf(to + n,
                              cap - n,
                              " %d:%" PRId64 "%c",
                              t->quantum_pos,
                              t->quantum_count,
                              t->quantum_unit);
    n += (size_t)snprintf(to + n, cap - n, " |");
    if (t->time_col >= 0)
        (void)snprintf(to + n,
                       cap - n,
                       " %s%s %" PRId64 "/%" PRId64,
                       t->columns[t->time_col].name,
                       t->time_desc ? "-" : "",
                       t->slabs[0].slab_width,
                       t->slabs[0].quantum_width);
}

/* clang-format off */
static const char *const printed[] = {
    "CREATE TABLE s.\"order\" (\n    \"select\" INTEGER NOT NULL,\n    \"a \"\"b\" VARCHAR DEFAULT 'it''s',\n"
    "    PRIMARY KEY (\"select\")\n) WITH (comment = 'it''s', n_val = 3);",
    "CREATE TABLE t (\n    a INTEGER NOT NULL,\n    b INTEGER NOT NULL,\n    c INTEGER NOT NULL,\n"
    "    PRIMARY KEY ((a, b), c)\n) WITH CLUSTERING ORDER BY (c DESC) AND upsert = 'field' AND compaction = {'class': 'X'};",
    "CREATE TABLE t (\n    a BOOLEAN DEFAULT true,\n    b SMALLINT DEFAULT -5,\n    c BIGINT DEFAULT -9223372036854775808,\n"
    "    d REAL DEFAULT 0.1,\n    e DOUBLE DEFAULT 1e+300,\n    f DOUBLE DEFAULT 5.0,\n    g BLOB DEFAULT X'00ff',\n"
    "    h TIMESTAMP DEFAULT TIMESTAMP '2013-01-01T09:00:00.001Z',\n"
    "    i TIMESTAMP(6) DEFAULT TIMESTAMP '1969-12-31T23:59:59.999999Z',\n"
    "    j TIMESTAMP(9) DEFAULT TIMESTAMP '2000-02-29T00:00:00.000000001Z',\n"
    "    k TIMESTAMP DEFAULT 9223372036854775807,\n    l TIMESTAMP DEFAULT -9223372036854775808,\n"
    "    m VARCHAR DEFAULT NULL,\n    n VARCHAR DEFAULT '',\n    o BLOB DEFAULT X'',\n    p DOUBLE DEFAULT -0.0,\n"
    "    q BOOLEAN DEFAULT false\n);",
    "CREATE TABLE GeoCheckin (\n    region VARCHAR NOT NULL,\n    time TIMESTAMP NOT NULL,\n"
    "    PRIMARY KEY ((region, QUANTUM(time, 15, 'm')), region, time DESC)\n) WITH (slab = '45m');",
    "CREATE TABLE t (\n    t TIMESTAMP NOT NULL,\n    c INTEGER NOT NULL,\n"
    "    PRIMARY KEY ((QUANTUM(t, 1, 'd')), c)\n);",
    "CREATE TABLE t (\n    t TIMESTAMP(6) NOT NULL,\n    c INTEGER NOT NULL,\n"
    "    PRIMARY KEY (t, c)\n) WITH CLUSTERING ORDER BY (t DESC, c ASC) AND quantum = '6h';",
};
/* clang-format on */

/* Builds, prints, builds again: the same; prints again: the same text. */
static void check_round_trip(const struct table *t)
{
    struct buf one;
    struct buf two;
    struct table *again;

    buf_init(&one, NULL);
    buf_init(&two, NULL);
    table_print_create(t, &one);
    buf_u8(&one, 0);
    assert_false(one.failed);
    again = build((const char *)one.data);
    if (!spec_same_table(t, again))
        fail_msg("not the same after printing: %s", (const char *)one.data);
    table_print_create(again, &two);
    buf_u8(&two, 0);
    assert_string_equal((const char *)one.data, (const char *)two.data);
    table_unref(again);
    buf_done(&one);
    buf_done(&two);
}

static void test_forms(void **state)
{
    char text[512];

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(forms); i++) {
        struct table *t = build(forms[i].sql);

        dump(t, text, sizeof text);
        if (strcmp(text, forms[i].want) != 0)
            fail_msg("%s\n got: %s\nwant: %s", forms[i].sql, text, forms[i].want);
        assert_int_equal(table_check(t, NULL), 0);
        for (int k = 0; k < t->local_count; k++) {
            assert_true(t->columns[t->local[k].col].not_null);
            assert_int_equal(t->columns[t->local[k].col].key_pos, k + 1);
        }
        check_round_trip(t);
        table_unref(t);
    }
}

static void test_print(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(printed); i++) {
        struct table *t = build(printed[i]);
        struct buf b;

        buf_init(&b, NULL);
        table_print_create(t, &b);
        buf_u8(&b, 0);
        assert_string_equal((const char *)b.data, printed[i]);
        check_round_trip(t);
        buf_done(&b);
        table_unref(t);
    }
}

static void test_literals(void **state)
{
    static const struct {
        struct datum d;
        const char *want;
    } cases[] = {
        {{.type = TYPE_NONE}, "NULL"},
        {{.type = TYPE_DOUBLE, .v.f64 = (double)NAN}, "CAST('NaN' AS DOUBLE)"},
        {{.type = TYPE_REAL, .v.f64 = (double)-INFINITY}, "CAST('-Infinity' AS REAL)"},
        {{.type = TYPE_DOUBLE, .v.f64 = 0.1}, "0.1"},
        {{.type = TYPE_DOUBLE, .v.f64 = 1.0 / 3}, "0.3333333333333333"},
        {{.type = TYPE_REAL, .v.f64 = (double)(float)16777216.0}, "16777216.0"},
        {{.type = TYPE_DOUBLE, .v.f64 = 5e-324}, "4.94065645841247e-324"},
        {{.type = TYPE_TIMESTAMP, .v.i64 = 0}, "TIMESTAMP '1970-01-01T00:00:00.000Z'"},
        {{.type = TYPE_TIMESTAMP, .v.i64 = -1}, "TIMESTAMP '1969-12-31T23:59:59.999Z'"},
        {{.type = TYPE_TIMESTAMP, .v.i64 = 253402300799999},
         "TIMESTAMP '9999-12-31T23:59:59.999Z'"},
        {{.type = TYPE_TIMESTAMP, .v.i64 = 253402300800000}, "253402300800000"},
        {{.type = TYPE_TIMESTAMP, .v.i64 = -62135596800000},
         "TIMESTAMP '0001-01-01T00:00:00.000Z'"},
        {{.type = TYPE_TIMESTAMP, .v.i64 = -62135596800001}, "-62135596800001"},
        {{.type = TYPE_TIMESTAMP, .v.i64 = 951782400000}, "TIMESTAMP '2000-02-29T00:00:00.000Z'"},
        {{.type = TYPE_TIMESTAMP_NS, .v.i64 = INT64_MIN}, "-9223372036854775808"},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct buf b;

        buf_init(&b, NULL);
        table_print_literal(&cases[i].d, &b);
        buf_u8(&b, 0);
        assert_string_equal((const char *)b.data, cases[i].want);
        buf_done(&b);
    }
}

static void test_idents(void **state)
{
    static const struct {
        const char *name;
        const char *want;
    } cases[] = {{"a", "a"},
                 {"_a1", "_a1"},
                 {"1a", "\"1a\""},
                 {"a b", "\"a b\""},
                 {"time", "time"},
                 {"Table", "\"Table\""},
                 {"q\"x", "\"q\"\"x\""},
                 {"größe", "\"größe\""},
                 {"", "\"\""},
                 {"filter", "\"filter\""}};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct buf b;

        buf_init(&b, NULL);
        table_print_ident(cases[i].name, &b);
        buf_u8(&b, 0);
        assert_string_equal((const char *)b.data, cases[i].want);
        buf_done(&b);
    }
}

static void test_find(void **state)
{
    struct table *t = build("CREATE TABLE t (abc INT, Abc INT, x INT, \"größe\" INT)");

    (void)state;
    assert_int_equal(table_column_find(t, "abc", 3), 0);
    assert_int_equal(table_column_find(t, "Abc", 3), 1);
    assert_int_equal(table_column_find(t, "ABC", 3), -2);
    assert_int_equal(table_column_find(t, "X", 1), 2);
    assert_int_equal(table_column_find(t, "GRÖSSE", strlen("GRÖSSE")), -1);
    assert_int_equal(table_column_find(t, "GRÖßE", strlen("GRÖßE")), 3);
    assert_int_equal(table_column_find(t, "ab", 2), -1);
    assert_int_equal(table_column_by_id(t, 3), 2);
    assert_int_equal(table_column_by_id(t, 5), -1);
    table_unref(t);
}

static uint64_t rng_state = 88172645463325252u;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

__extension__ typedef __int128 test_int128;

/* Against arithmetic in 128 bits. */
static void check_quantum(int64_t t, int64_t width)
{
    test_int128 big = t;
    test_int128 rest = big % width;
    test_int128 start = big - (rest < 0 ? rest + width : rest);
    int64_t got = quantum_start(t, width);
    int64_t end = quantum_end(got, width);

    assert_true(got == (start < INT64_MIN ? INT64_MIN : (int64_t)start));
    assert_true(got <= t);
    assert_true(t < end || end == INT64_MAX);
    if (start >= INT64_MIN) {
        assert_true(got % width == 0);
        assert_true(quantum_start(got, width) == got);
    }
}

static void test_quantum_start(void **state)
{
    static const int64_t times[] = {
        0, 1, -1, 899999, 900000, -899999, -900000, -900001, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    static const int64_t widths[] = {1, 2, 3, 1000, 900000, 86400000, INT64_MAX - 1, INT64_MAX};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(times); i++)
        for (size_t j = 0; j < DN_ARRAY_SIZE(widths); j++)
            check_quantum(times[i], widths[j]);
    for (int i = 0; i < 200000; i++) {
        int64_t t = (int64_t)(rng() >> (rng() % 64));
        int64_t width = (int64_t)(rng() >> (1 + rng() % 63));

        check_quantum(rng() & 1 ? t : (int64_t)(0 - (uint64_t)t), width ? width : 1);
    }
}

static void test_slabs(void **state)
{
    struct table *t =
        build("CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 1, 'h')), t))");
    struct table *one = build("CREATE TABLE t (a INT PRIMARY KEY)");
    struct slab_rule rules[] = {{INT64_MIN, 2, 4}, {12, 5, 5}, {100, 0, 7}};
    struct table made;

    (void)state;
    assert_int_equal(table_slab(t, 86400000 - 1), 0);
    assert_int_equal(table_slab(t, 86400000), 86400000);
    assert_int_equal(table_slab(t, -1), -86400000);
    assert_int_equal(table_quantum(t, 3600000 * 5 + 17), 3600000 * 5);
    assert_int_equal(table_quantum(t, -1), -3600000);
    assert_int_equal(table_slab_end(t, 0), 86400000);
    assert_true(table_slab(t, INT64_MIN) == INT64_MIN);
    assert_true(table_slab_end(t, INT64_MIN) > INT64_MIN);
    assert_int_equal(table_slab_end(t, INT64_MIN) % 86400000, 0);
    assert_true(table_slab_end(t, table_slab(t, INT64_MAX)) == INT64_MAX);
    assert_int_equal(table_slab(one, 12345), 0);
    assert_true(table_slab_end(one, 0) == INT64_MAX);
    assert_int_equal(table_quantum(one, 12345), 12345);
    assert_null(table_slab_rule(one, 0));

    /* A schedule: slabs cover time without gap or overlap, and each lies under one rule. */
    memcpy(&made, t, sizeof made);
    made.slabs = rules;
    made.slabs_count = 3;
    assert_int_equal(table_slab(&made, 11), 8);
    assert_int_equal(table_slab(&made, 12), 12);
    assert_int_equal(table_slab(&made, 14), 12);
    assert_int_equal(table_slab(&made, 15), 15);
    assert_int_equal(table_slab(&made, 99), 95);
    assert_int_equal(table_slab(&made, 100), 100);
    assert_int_equal(table_slab(&made, 104), 100);
    assert_int_equal(table_slab(&made, 105), 105);
    assert_int_equal(table_quantum(&made, 11), 10);
    assert_int_equal(table_quantum(&made, 13), 12);
    assert_int_equal(table_quantum(&made, 101), 101);
    for (int64_t at = -50; at < 200;) {
        int64_t end = table_slab_end(&made, at);

        at = table_slab(&made, at);
        for (int64_t i = at; i < end; i++)
            assert_int_equal(table_slab(&made, i), at);
        assert_int_equal(table_slab(&made, end), end);
        at = end;
    }
    table_unref(t);
    table_unref(one);
}

static void test_token(void **state)
{
    struct table *one = build("CREATE TABLE t (a INT PRIMARY KEY)");
    struct table *two = build("CREATE TABLE t (a INT, b INT, PRIMARY KEY ((a, b)))");
    struct table *range = build("CREATE TABLE t (t TIMESTAMP PRIMARY KEY)");
    struct datum d[2] = {{.type = TYPE_INTEGER, .v.i64 = 1},
                         {.type = TYPE_INTEGER, .v.i64 = 201302}};
    struct buf scratch;

    (void)state;
    buf_init(&scratch, NULL);
    assert_true(table_token(one, d, &scratch) == -4069959284402364209);
    assert_true(table_token(two, d, &scratch) == -2513410968542290463);
    assert_true(table_token(range, d, &scratch) == 0);
    d[0].null = true;
    assert_false(scratch.failed);
    assert_true(table_token(two, d, &scratch) == 0);
    assert_true(scratch.failed);
    buf_done(&scratch);
    table_unref(one);
    table_unref(two);
    table_unref(range);
}

static void test_durations(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds; /* -1 = refused */
    } cases[] = {
        {"15m", 900},
        {"6h", 21600},
        {"1d", 86400},
        {"90s", 90},
        {"1 day", 86400},
        {" 2 Weeks ", 1209600},
        {"1h30m", 5400},
        {"1 hour 30 min", 5400},
        {"0s", 0},
        {"", -1},
        {"m", -1},
        {"15", -1},
        {"15 parsecs", -1},
        {"-1h", -1},
        {"1.5h", -1},
        {"9223372036854775807s", INT64_MAX},
        {"9223372036854775808s", -1},
        {"9223372036854775807m", -1},
        {"9223372036854775807s 1s", -1},
        {"1h,", -1},
    };
    static const struct {
        int64_t seconds;
        const char *text;
    } prints[] = {{0, "0s"}, {1, "1s"}, {90, "90s"}, {5400, "90m"}, {86400, "1d"}, {90000, "25h"}};
    char text[DURATION_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        int64_t got = -1;

        if (duration_parse(cases[i].text, &got) != (cases[i].seconds >= 0) ||
            got != cases[i].seconds)
            fail_msg("'%s' gave %" PRId64, cases[i].text, got);
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(prints); i++) {
        duration_print(prints[i].seconds, text);
        assert_string_equal(text, prints[i].text);
    }
}

static void test_ref(void **state)
{
    size_t used = mem_process_used();
    struct table *t = build("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR DEFAULT 'x')");
    struct table *other = table_ref(t);

    (void)state;
    assert_ptr_equal(other, t);
    table_unref(t);
    assert_string_equal(other->columns[1].name, "b");
    table_unref(other);
    table_unref(NULL);
    assert_int_equal(mem_process_used(), used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_idents),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_quantum_start),
        cmocka_unit_test(test_slabs),
        cmocka_unit_test(test_token),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_ref),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

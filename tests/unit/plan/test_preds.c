/* SPDX-License-Identifier: Apache-2.0
 *
 * Constraints taken from WHERE clauses: exact ones for simple clauses, by table; never too narrow
 * for random ones, against the evaluation of the clause itself; and the limits that rest on them.
 */
#include "plan_fix.h"

#include "plan/interval.h"
#include "plan/limits.h"

#include "func/text.h"

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

#define NUM                                                                                        \
    "CREATE TABLE num (k INTEGER PRIMARY KEY, s SMALLINT, b BIGINT, r REAL, d DOUBLE, f BOOLEAN, " \
    "v VARCHAR, "                                                                                  \
    "ts TIMESTAMP, us TIMESTAMP(6), ns TIMESTAMP(9))"
#define GEO                                                                                        \
    "CREATE TABLE geo (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL, " \
    "temperature DOUBLE, "                                                                         \
    "PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time))"

static int setup(void **state)
{
    static struct plan_fix f;

    plan_fix_open(&f);
    plan_fix_create(&f, NUM);
    plan_fix_create(&f, GEO);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    plan_fix_close(*state);
    return 0;
}

static const struct plan_node *find_node(const struct plan *p, enum plan_kind kind)
{
    const struct plan_node *n = p->root;

    while (n && n->kind != kind)
        n = n->input;
    return n;
}

/* ---- exact ones ---- */

static const char *print_preds(struct plan_fix *f, const struct plan_node *scan)
{
    const char *text;
    struct buf b;

    buf_init(&b, NULL);
    for (uint32_t i = 0; i < scan->preds_count; i++) {
        const struct scan_pred *p = &scan->preds[i];

        buf_printf(&b, "%s%s:", i ? " " : "", scan->table->columns[p->col].name);
        for (uint32_t k = 0; k < p->set_count; k++) {
            const struct interval *v = &p->set[k];

            buf_puts(&b, v->lo_incl ? "[" : "(");
            if (v->has_lo)
                text_print(&v->lo, &b);
            buf_puts(&b, ",");
            if (v->has_hi)
                text_print(&v->hi, &b);
            buf_puts(&b, v->hi_incl ? "]" : ")");
        }
        if (p->set_count == 0)
            buf_puts(&b, "none");
    }
    text = arena_strndup(&f->arena, b.len ? (const char *)b.data : "", b.len);
    buf_done(&b);
    return text;
}

static const struct {
    const char *where;
    const char *preds;
} exact[] = {
    {"b = 5", "b:[5,5]"},
    {"b > 5", "b:[6,)"},
    {"b <> 5", "b:(,4][6,)"},
    {"b >= 1.5", "b:[2,)"},
    {"b > 5 AND b <= 9", "b:[6,9]"},
    {"b > 5 AND b < 6", "k:none"},
    {"b < 5 OR b > 7", "b:(,4][8,)"},
    {"b < 5 OR b > 3", "b:(,)"}, /* but not NULL */
    {"b < 5 OR d > 3", ""},
    {"b < 5 OR (b = 7 AND d > 3)", "b:(,4][7,7]"},
    {"NOT (b < 5)", "b:[5,)"},
    {"NOT (b < 5 OR b > 7)", "b:[5,7]"},
    {"NOT (b >= 5 AND b <= 7)", "b:(,4][8,)"},
    {"b IN (3, 1, 2, 9, 3)", "b:[1,1][2,2][3,3][9,9]"},
    {"b NOT IN (3, 5)", "b:(,2][4,4][6,)"},
    {"NOT (b IN (3, 4))", "b:(,2][5,)"},
    {"b IN (1, NULL)", "b:[1,1]"},
    {"b NOT IN (1, NULL)", "k:none"},
    {"b = NULL", "k:none"},
    {"b BETWEEN 3 AND 1", "k:none"},
    {"b NOT BETWEEN 3 AND 5", "b:(,2][6,)"},
    {"b IS NULL", ""},
    {"b IS NOT NULL", "b:(,)"},
    {"NOT (b IS NULL)", "b:(,)"},
    {"k IS NULL", "k:none"},
    {"k IS NOT NULL", ""},
    {"b IS NULL AND b = 5", "b:[5,5]"},
    {"f", "f:[true,true]"},
    {"NOT f", "f:[false,false]"},
    {"f AND NOT f", "k:none"},
    {"false", "k:none"},
    {"NULL", "k:none"},
    {"NOT NULL", "k:none"},
    {"b = 1 / 0", ""}, /* an error of the execution */
    {"b + 1 = 5", ""},
    {"b = d", ""},
    {"5 > b", "b:(,4]"},
    {"s < 100000", "s:(,32767]"},
    {"s > 100000", "s:[32768,)"},
    {"d > 1 AND d < 2.5", "d:(1,2.5)"},
    {"d > 1 AND d < 1", "k:none"},
    {"d >= 1 AND d <= 1", "d:[1,1]"},
    {"d < 1 OR d >= 1", "d:(,)"},
    {"d < 1 OR d > 1", "d:(,1)(1,)"},
    {"r = 0.5", "r:[0.5,0.5]"},
    {"r < 0.1", "r:(,0.1]"}, /* the next float above */
    {"v >= 'b' AND v < 'c'", "v:[b,c)"},
    {"v = 'a' OR v = 'b'", "v:[a,a][b,b]"},
    {"ts >= '2015-01-01' AND ts < '2015-01-02'",
     "ts:[2015-01-01T00:00:00.000Z,2015-01-01T23:59:59.999Z]"},
    {"ts > '2015-01-01T00:00:00.0005Z'", "ts:[2015-01-01T00:00:00.001Z,)"},
    {"v LIKE 'ab%'", "v:[ab,ac)"},
    {"v LIKE 'a_c%'", "v:[a,b)"},
    {"v LIKE 'abc'", "v:[abc,abc]"},
    {"v LIKE 'a!%b' ESCAPE '!'", "v:[a%b,a%b]"},
    {"v LIKE '%a'", ""},
    {"v NOT LIKE 'a%'", ""},
    {"v ILIKE 'a%'", ""},
    {"v LIKE NULL", "k:none"},
    {"f IS TRUE", "f:[true,true]"},
    {"(b > 5) IS TRUE", "b:[6,)"},
    {"(b > 5) IS FALSE", "b:(,5]"},
    {"(b > 5) IS NOT TRUE", ""},
    {"CASE WHEN f THEN b = 1 END", ""},
    {"coalesce(b, 1) = 1", ""},
    {"date_trunc('day', ts) = '2015-06-01'",
     "ts:[2015-06-01T00:00:00.000Z,2015-06-01T23:59:59.999Z]"},
    {"date_trunc('day', ts) = '2015-06-01T01:00:00'", "k:none"},
    {"date_trunc('month', ts) >= '2015-06-02'", "ts:[2015-07-01T00:00:00.000Z,)"},
    {"date_trunc('month', us) < '2015-06-02'", "us:(,2015-06-30T23:59:59.999999Z]"},
    {"time_bucket('1h', ts) > '2015-06-01'", "ts:[2015-06-01T01:00:00.000Z,)"},
    {"time(ts, 1h) <= TIMESTAMP '2015-06-01'", "ts:(,2015-06-01T00:59:59.999Z]"},
    {"'2015-06-01' = time(ts, 1h)", "ts:[2015-06-01T00:00:00.000Z,2015-06-01T00:59:59.999Z]"},
    {"date_trunc('nonsense', ts) > '2015-06-01'", ""}, /* an error of the execution */
    {"date_trunc(v, ts) > '2015-06-01'", ""},
    {"epoch_ms(us) = 5", "us:[1970-01-01T00:00:00.005000Z,1970-01-01T00:00:00.005999Z]"},
    {"ns > '2500-01-01'", "ns:[infinity,)"},
    {"ns < '2500-01-01'", "ns:(,2262-04-11T23:47:16.854775806Z]"},
};

static void test_exact(void **state)
{
    struct plan_fix *f = *state;
    int failed = 0;

    for (size_t i = 0; i < DN_ARRAY_SIZE(exact); i++) {
        const char *sql = arena_printf(&f->arena, "SELECT k FROM num WHERE %s", exact[i].where);
        struct plan *p;
        struct dn_err err;
        const char *got;

        if (plan_fix_select(f, sql, &p, &err) < 0)
            fail_msg("%s: %s", sql, err.text);
        got = print_preds(f, find_node(p, PLAN_SCAN));
        if (strcmp(got, exact[i].preds) != 0) {
            print_error("WHERE %s\n  got  %s\n  want %s\n", exact[i].where, got, exact[i].preds);
            failed++;
        }
        plan_done(p);
    }
    assert_int_equal(failed, 0);
}

/* ---- random ones ---- */

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static const char *const cols[] = {"k", "s", "b", "r", "d", "f", "v", "ts", "us", "ns"};

/* Few values per type, so that comparisons hit, among them the ends of the types. */
static void random_literal(enum type_id type, struct buf *b)
{
    static const char *const ints[] = {"0",
                                       "1",
                                       "-1",
                                       "2",
                                       "3",
                                       "1.5",
                                       "-0.5",
                                       "32767",
                                       "32768",
                                       "-32768",
                                       "-40000",
                                       "2147483647",
                                       "3e9",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "-1e19",
                                       "2.0"};
    static const char *const floats[] = {
        "0", "1", "-1", "0.1", "0.5", "1.5", "2", "1e300", "-1e300", "16777217", "3"};
    static const char *const texts[] = {"''", "'a'", "'b'", "'ab'", "'B'", "'ä'"};
    static const char *const times[] = {"1",
                                        "2",
                                        "'1970-01-01T00:00:00.001Z'",
                                        "'1970-01-01T00:00:00.0015Z'",
                                        "'1970-01-01T00:00:00.000001Z'",
                                        "'1970-01-01T00:00:00.0000015Z'",
                                        "'1970-01-01'",
                                        "'1969-12-31T23:59:59.9995Z'",
                                        "'2500-01-01'",
                                        "'0001-01-01'",
                                        "TIMESTAMP(9) '1970-01-01T00:00:00.001000001Z'"};

    if (rnd(16) == 0)
        buf_puts(b, "NULL");
    else if (type_is_int(type))
        buf_puts(b, ints[rnd(DN_ARRAY_SIZE(ints))]);
    else if (type_is_float(type))
        buf_puts(b, floats[rnd(DN_ARRAY_SIZE(floats))]);
    else if (type == TYPE_BOOLEAN)
        buf_puts(b, rnd(2) ? "true" : "false");
    else if (type == TYPE_VARCHAR)
        buf_puts(b, texts[rnd(DN_ARRAY_SIZE(texts))]);
    else
        buf_puts(b, times[rnd(DN_ARRAY_SIZE(times))]);
}

/* A column, or a function of it that never falls. */
static void random_side(enum type_id type, const char *col, struct buf *b)
{
    static const char *const calls[] = {"date_trunc('second', %s)",
                                        "date_trunc('day', %s)",
                                        "date_trunc('month', %s)",
                                        "time_bucket('2ms', %s)",
                                        "time(%s, 7d)",
                                        "time_bucket('1h', %s, TIMESTAMP '1970-01-01T00:00:01')"};
    const char *call = calls[rnd(DN_ARRAY_SIZE(calls))];
    const char *at = strstr(call, "%s");

    if (!type_is_timestamp(type) || rnd(2)) {
        buf_puts(b, col);
        return;
    }
    buf_append(b, call, (size_t)(at - call));
    buf_puts(b, col);
    buf_puts(b, at + 2);
}

static void random_cond(const struct table *t, int depth, struct buf *b);

/* Conditions that say little or nothing about columns, but must not say too much. */
static void random_wrapped(const struct table *t, int depth, struct buf *b)
{
    static const char *const open[] = {"(", "(", "coalesce(", "CASE WHEN ", "("};
    static const char *const close[] = {
        " IS TRUE)", " IS NOT FALSE)", ", true)", " THEN f ELSE b > 1 END", " IS FALSE)"};
    uint32_t what = rnd(DN_ARRAY_SIZE(open));

    buf_puts(b, open[what]);
    buf_puts(b, "(");
    random_cond(t, depth - 1, b);
    buf_puts(b, ")");
    buf_puts(b, close[what]);
}

static void random_cond(const struct table *t, int depth, struct buf *b)
{
    static const char *const ops[] = {"=", "<>", "<", "<=", ">", ">="};
    static const char *const patterns[] = {
        "'a%'", "'a'", "'%b'", "'_b'", "''", "'a_'", "'ä%'", "'%'", "NULL", "'a\\b'"};
    uint32_t what = rnd(depth > 0 ? 13 : 7);
    uint16_t col = (uint16_t)rnd(rnd(2) ? 3 : DN_ARRAY_SIZE(cols)); /* often the same few */
    enum type_id type = t->columns[col].type;

    if (what == 12) {
        random_wrapped(t, depth, b);
    } else if (what >= 7) {
        buf_puts(b, what == 11 ? "NOT (" : "(");
        random_cond(t, depth - 1, b);
        if (what < 11) {
            buf_puts(b, what < 9 ? " AND " : " OR ");
            random_cond(t, depth - 1, b);
        }
        buf_puts(b, ")");
    } else if (what == 0) {
        buf_printf(b, "%s IS %sNULL", cols[col], rnd(2) ? "NOT " : "");
    } else if (what == 1) {
        buf_printf(b, "%s %sBETWEEN ", cols[col], rnd(2) ? "NOT " : "");
        random_literal(type, b);
        buf_puts(b, " AND ");
        random_literal(type, b);
    } else if (what == 2) {
        buf_printf(b, "%s %sIN (", cols[col], rnd(2) ? "NOT " : "");
        for (uint32_t i = 0, n = 1 + rnd(3); i < n; i++) {
            buf_puts(b, i ? ", " : "");
            random_literal(type, b);
        }
        buf_puts(b, ")");
    } else if (what == 3 && type == TYPE_BOOLEAN) {
        buf_puts(b, cols[col]);
    } else if (what <= 4 && type == TYPE_VARCHAR) {
        buf_printf(b, "v %sLIKE %s", rnd(2) ? "NOT " : "", patterns[rnd(DN_ARRAY_SIZE(patterns))]);
    } else if (what == 3) {
        buf_puts(b, cols[col]);
        buf_puts(b, rnd(2) ? " IS DISTINCT FROM " : " IS NOT DISTINCT FROM ");
        random_literal(type, b);
    } else {
        bool flip = rnd(4) == 0;

        if (flip)
            random_literal(type, b);
        else
            random_side(type, cols[col], b);
        buf_printf(b, " %s ", ops[rnd(6)]);
        if (flip)
            random_side(type, cols[col], b);
        else
            random_literal(type, b);
    }
}

static struct datum random_value(enum type_id type)
{
    static const int64_t ints[] = {0, 1, -1, 2, 3, 4, 32767, -32768};
    static const double floats[] = {0, -0.0, 1, -1, 0.1, 0.5, 1.5, 2, 3};
    static const char *const texts[] = {"", "a", "b", "ab", "B", "ä", "c"};
    static const int64_t times[] = {
        0, 1, 2, -1, 1000, 1001, 1500, 1000000, 1000001, INT64_MIN, INT64_MAX};
    struct datum d = {.type = type};
    const char *text;

    if (rnd(6) == 0) {
        d.null = true;
    } else if (type_is_int(type)) {
        d.v.i64 = ints[rnd(DN_ARRAY_SIZE(ints))];
    } else if (type_is_float(type)) {
        d.v.f64 = floats[rnd(DN_ARRAY_SIZE(floats))];
        if (type == TYPE_REAL)
            d.v.f64 = (double)(float)d.v.f64;
    } else if (type == TYPE_BOOLEAN) {
        d.v.i64 = rnd(2);
    } else if (type == TYPE_VARCHAR) {
        text = texts[rnd(DN_ARRAY_SIZE(texts))];
        d.str = (struct vstr){text, (uint32_t)strlen(text)};
    } else {
        d.v.i64 = times[rnd(DN_ARRAY_SIZE(times))];
    }
    return d;
}

#define ROWS 128u

/* One clause over random rows; adds to *pruned the rows that the constraints exclude. */
static void check_random(struct plan_fix *f, const char *sql, uint64_t *pruned)
{
    struct plan *p;
    struct dn_err err;
    const struct plan_node *scan, *filter;
    struct colbuf bufs[DN_ARRAY_SIZE(cols)];
    struct vec vecs[DN_ARRAY_SIZE(cols)];
    struct batch batch = {.count = ROWS, .sel_count = ROWS, .cols = vecs};
    struct eval ev = {.arena = &f->arena};
    uint16_t sel[ROWS];
    uint32_t selected;
    uint32_t next = 0;

    if (plan_fix_select(f, sql, &p, &err) < 0)
        fail_msg("%s: %s at %u", sql, err.text, err.position);
    scan = find_node(p, PLAN_SCAN);
    filter = find_node(p, PLAN_FILTER);
    for (uint32_t c = 0; c < scan->cols_count; c++) {
        colbuf_init(&bufs[c], scan->cols[c].type, NULL, &f->arena);
        for (uint32_t i = 0; i < ROWS; i++) {
            struct datum d = random_value(scan->cols[c].type);

            if (d.null && scan->table->columns[scan->scan_cols[c]].not_null)
                d = (struct datum){.type = d.type};
            assert_true(colbuf_append(&bufs[c], &d));
        }
        vecs[c] = colbuf_vec(&bufs[c], 0, ROWS);
    }
    batch.cols_count = scan->cols_count;
    selected = ROWS;
    for (uint16_t i = 0; i < ROWS; i++)
        sel[i] = i;
    if (filter && expr_select(filter->filter, &ev, &batch, sel, &selected, &err) < 0) {
        /* The start of the bucket of the least time there is cannot be said. */
        if (err.code != DN_E_DATETIME_RANGE)
            fail_msg("%s: %s", sql, err.text);
        selected = 0;
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        bool wanted = next < selected && sel[next] == i;
        bool inside = true;

        next += wanted;
        for (uint32_t k = 0; k < scan->preds_count; k++) {
            struct iset set = {.v = scan->preds[k].set, .n = scan->preds[k].set_count};
            struct datum d = {.null = true};

            for (uint32_t c = 0; c < scan->cols_count; c++) {
                if (scan->scan_cols[c] == scan->preds[k].col)
                    d = colbuf_datum(&bufs[c], i);
            }
            inside = inside && iset_has(&set, &d);
        }
        if (wanted && !inside)
            fail_msg("row %u satisfies the clause but not its constraints\n  %s\n  %s",
                     i,
                     sql,
                     print_preds(f, scan));
        *pruned += !inside;
    }
    for (uint32_t c = 0; c < scan->cols_count; c++)
        colbuf_done(&bufs[c]);
    plan_done(p);
}

static void test_random(void **state)
{
    struct plan_fix *f = *state;
    const struct table *t = plan_fix_table(f, "num");
    clock_t end = clock() + CLOCKS_PER_SEC * 3 / 2;
    const char *given = getenv("DENDRO_TEST_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    uint64_t pruned = 0;
    uint64_t n = 0;

    for (; clock() < end || n < 200; n++) {
        struct arena keep = f->arena;
        const char *sql;
        struct buf b;

        seed = first + n;
        arena_init(&f->arena, NULL);
        buf_init(&b, NULL);
        random_cond(t, 4, &b);
        assert_false(b.failed);
        sql = arena_printf(
            &f->arena, "SELECT k FROM num WHERE %.*s", (int)b.len, (const char *)b.data);
        buf_done(&b);
        check_random(f, sql, &pruned);
        arena_done(&f->arena);
        f->arena = keep;
        if (given)
            break;
    }
    assert_true(given || pruned > n * ROWS / 4); /* it does constrain */
}

/* ---- sets ---- */

static void test_interval_cap(void **state)
{
    struct plan_fix *f = *state;
    uint32_t n = ISET_INTERVALS_MAX + 1;
    struct datum *v = arena_calloc(&f->arena, n, sizeof(*v));
    struct iset set;

    for (uint32_t i = 0; i < n; i++)
        v[i] = (struct datum){.type = TYPE_BIGINT, .v = {.i64 = 2 * (int64_t)(n - i)}};
    assert_true(iset_points(&f->arena, v, n, false, &set));
    assert_int_equal(set.n, 1);
    assert_true(iset_has(&set, &v[0]));
    assert_true(iset_has(&set, &v[n - 1]));
}

/* ---- limits ---- */

static const struct {
    const char *where;
    int64_t max_subqueries;
    int64_t strict_keys;
    const char *sqlstate; /* NULL: fine */
    const char *text;
} limits[] = {
    {"time >= 0 AND time < 900000", 1, 0, NULL, NULL},
    {"time >= 0 AND time <= 900000",
     1,
     0,
     "54000",
     "spans 2 quanta of 15 m, more than max_subqueries = 1"},
    {"time >= -1 AND time < 900000", 1, 0, "54000", "spans 2 quanta"},
    {"time = 5 OR time = 6 OR time = 899999", 1, 0, NULL, NULL},
    {"time IN (5, 900000, 900001, 1800000)", 2, 0, "54000", "spans 3 quanta"},
    {"time > 5", 1000, 0, "54000", "unlimited"},
    {"region = 'a'", 1000, 0, "54000", "unlimited"},
    {"time > 5 AND time < 5", 1, 0, NULL, NULL},
    {"true", 0, 0, NULL, NULL},
    {"region = 'a' AND state = 'b' AND time > 1 AND time < 10", 0, 1, NULL, NULL},
    {"region IN ('a', 'b') AND state = 'b' AND time BETWEEN 1 AND 10", 0, 1, NULL, NULL},
    {"region = 'a' AND state = 'b' AND time = 10", 0, 1, NULL, NULL},
    {"region = 'a' AND time > 1 AND time < 10", 0, 1, "42P10", "\"state\" is not covered"},
    {"region = 'a' AND state > 'b' AND time > 1 AND time < 10",
     0,
     1,
     "42P10",
     "\"state\" is only constrained to a range"},
    {"region = 'a' OR state = 'b'", 0, 1, "42P10", "\"region\""},
    {"region = 'a' AND state = 'b'", 0, 1, "42P10", "\"time\" no bounds"},
    {"region = 'a' AND state = 'b' AND time > 1", 0, 1, "42P10", "\"time\" no upper bound"},
    {"region = 'a' AND state = 'b' AND time < 1", 0, 1, "42P10", "\"time\" no lower bound"},
    {"region = 'a' AND state = 'b' AND (time < 1 OR time > 5)",
     0,
     1,
     "42P10",
     "\"time\" no bounds"},
    {"false", 1, 1, NULL, NULL},
};

static void test_limits(void **state)
{
    struct plan_fix *f = *state;

    for (size_t i = 0; i < DN_ARRAY_SIZE(limits); i++) {
        const char *sql = arena_printf(&f->arena, "SELECT * FROM geo WHERE %s", limits[i].where);
        struct plan *p;
        struct dn_err err;
        int rc;

        f->settings.max_subqueries = limits[i].max_subqueries;
        f->settings.strict_keys = limits[i].strict_keys;
        rc = plan_fix_select(f, sql, &p, &err);
        if (rc == 0)
            plan_done(p);
        if (limits[i].sqlstate ? rc == 0 || strcmp(err.sqlstate, limits[i].sqlstate) != 0 ||
                                     !strstr(err.text, limits[i].text)
                               : rc != 0)
            fail_msg("%s\n  got %s %s", sql, rc ? err.sqlstate : "a plan", rc ? err.text : "");
    }
    settings_defaults(&f->settings);
}

/* With a parameter nothing is known before the execution. */
static void test_late(void **state)
{
    struct plan_fix *f = *state;
    struct plan_env env = plan_fix_env(f);
    struct datum param = {.type = TYPE_BIGINT, .v = {.i64 = 7}};
    const struct plan_node *scan;
    struct plan_preds got;
    struct plan *p;
    struct dn_err err;

    assert_int_equal(plan_fix_select(f, "SELECT b FROM num WHERE b > $1 AND us < now()", &p, &err),
                     0);
    scan = find_node(p, PLAN_SCAN);
    assert_non_null(scan->prune);
    assert_int_equal(scan->preds_count, 0);
    assert_int_equal(plan_scan_preds(&env, scan, &param, 1, &f->arena, &got, &err), 0);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.preds[0].set[0].lo.v.i64, 8);
    assert_int_equal(got.preds[1].set[0].hi.v.i64, env.now_ns / 1000 - 1);
    plan_done(p);
    assert_int_equal(
        plan_fix_select(f, "SELECT b FROM num WHERE ts >= now() - 500 AND b = $1", &p, &err), 0);
    scan = find_node(p, PLAN_SCAN); /* the column is coarser than now() */
    assert_int_equal(plan_scan_preds(&env, scan, &param, 1, &f->arena, &got, &err), 0);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.preds[1].set[0].lo.type, TYPE_TIMESTAMP);
    assert_int_equal(got.preds[1].set[0].lo.v.i64, env.now_ns / 1000000);
    param.null = true;
    assert_int_equal(plan_scan_preds(&env, scan, &param, 1, &f->arena, &got, &err), 0);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.preds[0].set_count, 0);
    plan_done(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_interval_cap),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_late),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

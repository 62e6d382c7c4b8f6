/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions on small integers (narrow.h) against expr_select over the numbers that these stand
 * for: random columns of every type, number of decimals and share of NULLs; random sums, signs,
 * factors, constants on and beside the numbers, AND, OR and NOT. Further: rows of which only
 * DOUBLEs can tell, sums that leave their type, and rows picked by their answers. */
#include "build.h"
#include "func/narrow.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COLS   6u
#define ROUNDS 4000

static struct arena arena;
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % n);
}

static int setup(void **state)
{
    (void)state;
    seed = 42;
    arena_init(&arena, NULL);
    build_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* ---- columns ---- */

struct column {
    int16_t ints[VEC_ROWS_MAX];
    uint64_t nulls[VEC_BITMAP_WORDS(VEC_ROWS_MAX)];
    double numbers[VEC_ROWS_MAX]; /* or integers of the type, or REALs */
    bool some_null;
    bool stored; /* as integers */
    unsigned exponent;
    struct narrow_range range;
    int32_t lo;
    int32_t hi;
};

static struct column columns[COLS];
static struct vec vecs[COLS];
static struct datum param; /* $1 */
static uint32_t rows;
static uint32_t loads;

static double value_of(enum type_id type, int32_t n, unsigned exponent)
{
    double v = n / pow(10, exponent);
    volatile float f = (float)v; /* gcc 12 does not round where it works on two of them at a time */

    return type == TYPE_REAL ? (double)f : v;
}

static void put(enum type_id type, struct column *c, uint32_t row, double v)
{
    switch (type_phys(type)) {
    case PHYS_I16:
        ((int16_t *)(void *)c->numbers)[row] = (int16_t)v;
        break;
    case PHYS_I32:
        ((int32_t *)(void *)c->numbers)[row] = (int32_t)v;
        break;
    case PHYS_I64:
        ((int64_t *)(void *)c->numbers)[row] = (int64_t)v;
        break;
    case PHYS_F32:
        ((float *)(void *)c->numbers)[row] = (float)v;
        break;
    default:
        c->numbers[row] = v;
        break;
    }
}

/* spread: of its integers around `middle`. */
static void
make_column(uint32_t col, enum type_id type, unsigned exponent, int32_t middle, uint32_t spread)
{
    struct column *c = &columns[col];
    uint32_t nulls_of = below(4) == 0 ? 1 + below(20) : 0;

    memset(c, 0, sizeof *c);
    c->exponent = exponent;
    c->stored = below(30) != 0;
    c->lo = INT16_MAX;
    c->hi = INT16_MIN;
    for (uint32_t i = 0; i < rows; i++) {
        int32_t n = middle + (int32_t)below(spread) - (int32_t)(spread / 2);

        n = n > INT16_MAX ? INT16_MAX : n < INT16_MIN ? INT16_MIN : n;
        c->ints[i] = (int16_t)n;
        put(type, c, i, value_of(type, n, exponent));
        if (nulls_of && below(nulls_of) == 0 && i + 1 < rows) {
            vec_bit_set(c->nulls, i);
            c->some_null = true;
            continue;
        }
        c->lo = n < c->lo ? n : c->lo;
        c->hi = n > c->hi ? n : c->hi;
    }
    c->range = (struct narrow_range){.min = value_of(type, c->lo, exponent),
                                     .max = value_of(type, c->hi, exponent),
                                     .nulls = c->some_null};
    vecs[col] = (struct vec){.type = type,
                             .form = VEC_FLAT,
                             .count = rows,
                             .data = c->numbers,
                             .nulls = c->some_null ? c->nulls : NULL};
}

static bool test_range(void *arg, uint32_t col, struct narrow_range *ret)
{
    (void)arg;
    *ret = columns[col].range;
    return true;
}

static int test_load(void *arg, uint32_t col, struct narrow_col *ret, struct dn_err *err)
{
    const struct column *c = &columns[col];

    (void)arg;
    (void)err;
    loads++;
    *ret = (struct narrow_col){.values = c->ints,
                               .nulls = c->some_null ? c->nulls : NULL,
                               .exponent = c->exponent,
                               .lo = c->lo,
                               .hi = c->hi};
    return c->stored ? 0 : DN_NOT_FOUND;
}

/* ---- conditions ---- */

static struct bexpr *make_const(enum type_id type)
{
    const struct column *c = &columns[below(COLS)];
    double v = value_of(TYPE_DOUBLE, c->ints[below(rows)], c->exponent);

    if (!type_is_float(type))
        return build_const(build_int(type, below(3) ? (int64_t)v : (int64_t)below(40) - 20));
    if (below(5) == 0)
        v = nextafter(v, below(2) ? DBL_MAX : -DBL_MAX);
    else if (below(5) == 0)
        v += 0.0005;
    else if (below(8) == 0)
        v = below(2) ? 1e12 : -1e-9;
    v = type == TYPE_REAL ? (double)(float)v : v;
    if (below(10) == 0)
        return build_param(type, 1);
    return build_const((struct datum){.type = type, .v.f64 = v, .str = {"", 0}});
}

static struct bexpr *make_sum(enum type_id type, uint32_t depth)
{
    static const char *const names[] = {"+", "-"};

    if (depth && below(3) == 0)
        return build_call(names[below(2)], make_sum(type, depth - 1), make_sum(type, depth - 1));
    if (depth && below(8) == 0)
        return build_call("-", make_sum(type, depth - 1), NULL);
    if (depth && below(8) == 0) {
        struct datum three = type_is_float(type) ? build_f64(3) : build_int(type, 3);

        three.type = type;
        return build_call("*", build_const(three), make_sum(type, depth - 1));
    }
    return below(4) ? build_col(type, below(COLS)) : make_const(type);
}

static struct bexpr *make_condition(enum type_id type, uint32_t depth)
{
    static const char *const names[] = {"=", "<>", "<", "<=", ">", ">="};

    if (depth && below(3) == 0)
        return build_chain(below(2) ? BEXPR_AND : BEXPR_OR,
                           make_condition(type, depth - 1),
                           make_condition(type, depth - 1));
    if (depth && below(6) == 0)
        return build_call("not", make_condition(type, depth - 1), NULL);
    return build_call(names[below(6)], make_sum(type, 2), make_sum(type, 1));
}

/* ---- comparing ---- */

/* 1: compared; 0: not decided. */
static int compare(const struct bexpr *e)
{
    const struct narrow_source source = {.range = test_range, .load = test_load};
    struct batch in = {.count = rows, .cols_count = COLS, .cols = vecs, .sel_count = rows};
    struct eval ev = {.arena = &arena, .every_row = true, .params = &param, .params_count = 1};
    struct narrow_room room = {.form = NULL};
    const struct narrow *n;
    int8_t answers[VEC_ROWS_MAX];
    uint16_t want[VEC_ROWS_MAX];
    uint16_t got[VEC_ROWS_MAX];
    uint32_t want_count;
    uint32_t got_count;
    struct dn_err err;
    int rc;

    assert_int_equal(narrow_compile(e, &param, 1, &arena, &n, &err), 0);
    if (!n)
        return 0;
    rc = narrow_answer(n, &source, rows, &arena, &room, answers, &err);
    if (rc == DN_NOT_FOUND)
        return 0;
    assert_int_equal(rc, 0);
    for (uint32_t i = 0; i < rows; i++)
        assert_in_range(answers[i], 0, 1);
    got_count = expr_pick(answers, rows, got);
    rc = expr_select(e, &ev, &in, want, &want_count, &err);
    if (rc < 0)
        fail_msg("decided what raises: %s", err.text);
    if (got_count != want_count || memcmp(got, want, got_count * sizeof *got) != 0) {
        struct buf b;

        buf_init(&b, NULL);
        expr_print(e, (const char *const[]){"a", "b", "c", "d", "e", "f"}, &b);
        buf_u8(&b, 0);
        fail_msg("%u of %u rows of %s, %u expected: %s",
                 got_count,
                 rows,
                 type_name(vecs[0].type),
                 want_count,
                 (const char *)b.data);
    }
    return 1;
}

static void test_random(void **state)
{
    static const enum type_id types[] = {
        TYPE_SMALLINT, TYPE_INTEGER, TYPE_BIGINT, TYPE_REAL, TYPE_DOUBLE, TYPE_DOUBLE, TYPE_DOUBLE};
    static const uint32_t counts[] = {1, 7, 8, 64, 100, 1000, 1024};
    uint32_t decided = 0;

    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        enum type_id type = types[below(DN_ARRAY_SIZE(types))];
        unsigned exponent = type_is_float(type) ? below(4) : 0;

        arena_reset(&arena);
        rows = counts[below(DN_ARRAY_SIZE(counts))];
        for (uint32_t col = 0; col < COLS; col++) {
            unsigned other = type_is_float(type) && below(4) == 0 ? below(5) : exponent;
            uint32_t spread = below(6) == 0 ? 1 : below(3) == 0 ? 5 : below(8) == 0 ? 60000 : 2000;

            make_column(col, type, other, (int32_t)below(4000) - 1000, spread);
        }
        param = make_const(type)->value;
        param.type = type;
        decided += (uint32_t)compare(make_condition(type, 2));
    }
    assert_in_range(decided, ROUNDS / 3, ROUNDS);
}

/* 0.1 + 0.2 is more than 0.3, and 0.3 - 0.1 less than 0.2. */
static void test_doubt(void **state)
{
    struct bexpr *sum;
    struct bexpr *rest;

    (void)state;
    rows = 40;
    for (uint32_t col = 0; col < COLS; col++) {
        make_column(col, TYPE_DOUBLE, 1, 1 + (int32_t)col, 1);
        columns[col].stored = true;
        columns[col].ints[0] = 77; /* so that it is no constant */
        columns[col].hi = 77;
        columns[col].range.max = 7.7;
        columns[col].numbers[0] = 7.7;
    }
    sum = build_call("+", build_col(TYPE_DOUBLE, 0), build_col(TYPE_DOUBLE, 1));
    rest = build_call("-", build_col(TYPE_DOUBLE, 2), build_col(TYPE_DOUBLE, 0));
    for (uint32_t i = 0; i < 6; i++) {
        const char *name = (const char *const[]){"=", "<>", "<", "<=", ">", ">="}[i];

        assert_true(compare(build_call(name, sum, build_const(build_f64(0.3)))));
        assert_true(compare(build_call(name, sum, build_col(TYPE_DOUBLE, 2))));
        assert_true(compare(build_call(name, rest, build_const(build_f64(0.2)))));
        assert_true(compare(build_call(name, build_col(TYPE_DOUBLE, 1), rest)));
    }
    rows = VEC_ROWS_MAX; /* too many of them */
    for (uint32_t col = 0; col < COLS; col++)
        make_column(col, TYPE_DOUBLE, 1, 1 + (int32_t)col, 2);
    (void)compare(build_call("=", sum, build_const(build_f64(0.3))));
}

/* Bounds decide without a look at the columns, and what raises is left to others. */
static void test_bounds(void **state)
{
    struct bexpr *a = build_col(TYPE_SMALLINT, 0);
    struct bexpr *b = build_col(TYPE_SMALLINT, 1);

    (void)state;
    rows = 100;
    for (uint32_t col = 0; col < COLS; col++)
        do
            make_column(col, TYPE_SMALLINT, 0, col ? 20000 : 100, 50);
        while (columns[col].some_null || !columns[col].stored);
    loads = 0;
    assert_int_equal(compare(build_call("<", a, b)), 1);
    assert_int_equal(compare(build_call(">=", a, b)), 1);
    assert_int_equal(compare(build_call("=", a, b)), 1);
    assert_int_equal(loads, 0);
    assert_int_equal(compare(build_call("<", build_call("+", b, b), a)), 0);
    assert_int_equal(compare(build_call("<", build_call("-", build_call("+", b, b), b), a)), 0);
    assert_int_equal(compare(build_call("=", build_call("-", b, a), a)), 1);
    assert_int_equal(compare(build_call("=", b, b)), 1);
}

static void test_pick(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t count = 1 + below(round % 2 ? 40 : VEC_ROWS_MAX);
        uint32_t of = 1 + below(round % 3 ? 3 : 60);
        int8_t answers[VEC_ROWS_MAX];
        uint16_t sel[VEC_ROWS_MAX + 1];
        uint32_t found;
        uint32_t n = 0;

        for (uint32_t i = 0; i < count; i++)
            answers[i] = below(of) == 0;
        sel[count] = 0xabcd;
        found = expr_pick(answers, count, sel);
        for (uint32_t i = 0; i < count; i++)
            if (answers[i])
                assert_int_equal(sel[n++], i);
        assert_int_equal(found, n);
        assert_int_equal(sel[count], 0xabcd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, setup, teardown),
        cmocka_unit_test_setup_teardown(test_doubt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pick, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

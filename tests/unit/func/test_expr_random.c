/* SPDX-License-Identifier: Apache-2.0
 *
 * Random expressions over random batches, against naive.h: trees over every function of the tables,
 * columns of all types and forms, NULLs, selections. A round is made of one seed, which is printed
 * when it fails: test_expr_random SEED runs that round alone. */
#include "build.h"
#include "naive.h"

#include "vec/numeric.h"
#include "vec/timetz.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define BUDGET_SECONDS 2
#define DEPTH_MAX      4

static const enum type_id types[] = {
    TYPE_BOOLEAN,
    TYPE_SMALLINT,
    TYPE_INTEGER,
    TYPE_BIGINT,
    TYPE_REAL,
    TYPE_DOUBLE,
    TYPE_VARCHAR,
    TYPE_BLOB,
    TYPE_TIMESTAMP,
    TYPE_TIMESTAMP_US,
    TYPE_TIMESTAMP_NS,
    TYPE_DATE,
    TYPE_TIME,
    TYPE_TIMETZ,
    TYPE_TIMESTAMPTZ,
    TYPE_UUID,
    TYPE_INTERVAL,
    TYPE_NUMERIC,
};
#define TYPES_COUNT DN_ARRAY_SIZE(types)

static uint64_t seed;
static uint64_t round_seed; /* of the round at hand, for messages */

static uint64_t next_random(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed * 0x2545f4914f6cdd1du >> 20) % below;
}

static struct datum random_int(enum type_id type)
{
    static const int64_t edges[] = {
        INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, INT16_MIN, INT16_MAX};
    int64_t v = (int64_t)next_random(9) - 2;

    if (next_random(60) == 0) /* seldom, as one in a batch makes it fail */
        v = edges[next_random(6)];
    if (type == TYPE_SMALLINT)
        v = (int16_t)v;
    if (type == TYPE_TIME)
        v = (v & 31) * 1000000007;
    if (type == TYPE_TIMETZ)
        v = timetz_make((v & 31) * 1000000007, (int32_t)(v & 96) * 300 - 7200);
    if (type == TYPE_INTEGER || type == TYPE_DATE)
        v = (int32_t)v;
    if (type == TYPE_BOOLEAN)
        v &= 1;
    return build_int(type, v);
}

static struct datum random_datum(enum type_id type)
{
    static const char *const words[] = {"",
                                        "a",
                                        "A",
                                        "ab",
                                        "7",
                                        "-12",
                                        "0.5",
                                        "true",
                                        "Zebra",
                                        "0x61",
                                        "2015-06-01",
                                        "hour",
                                        "month",
                                        "5 days",
                                        "a%",
                                        "%b_"};
    static const double floats[] = {0, -0.0, 1, -1, 0.5, 2.5, 1e10, 1e-3, 3};
    struct datum d;

    if (next_random(8) == 0)
        return build_null(type);
    if (type == TYPE_UUID) {
        d = build_str(next_random(2) ? "0123456789abcdef" : "0123456789abcdeg");
    } else if (type == TYPE_NUMERIC) {
        d.num = vnumeric_make((int64_t)next_random(2000) - 1000, (int)next_random(4));
        if (next_random(60) == 0)
            d.num = next_random(2) ? next_random(2) ? vnumeric_nan() : vnumeric_inf(next_random(2))
                                   : vnumeric_make((vnumeric_i128)INT64_MAX * INT64_MAX / 16, 2);
        d.null = false;
    } else if (type_is_string(type)) {
        d = build_str(words[next_random(DN_ARRAY_SIZE(words))]);
    } else if (type == TYPE_INTERVAL) {
        d = (struct datum){.iv = {.us = (int64_t)next_random(5) * 1800000000 - 1,
                                  .days = (int32_t)next_random(40) - 10,
                                  .months = (int32_t)next_random(3) - 1}};
        if (next_random(2))
            d.iv.months = 0;
    } else if (type_is_float(type)) {
        d = build_f64(floats[next_random(DN_ARRAY_SIZE(floats))]);
        if (next_random(60) == 0)
            d.v.f64 = next_random(2) ? (double)NAN : -(double)INFINITY;
        if (type == TYPE_REAL)
            d.v.f64 = (double)(float)d.v.f64;
    } else {
        d = random_int(type);
    }
    d.type = type;
    if (type_is_timestamp(type) && d.v.i64 > -10 && d.v.i64 < 10 && next_random(3) == 0)
        d.v.i64 *= (int64_t)86400000 * 5;
    return d;
}

/* Numbers as NUMERIC(p, s) has them: one scale, short but seldom. */
static void even_numbers(struct datum *values, uint32_t count)
{
    int scale = (int)next_random(4);

    for (uint32_t i = 0; i < count; i++) {
        if (values[i].num.special || !vnumeric_short(values[i].num))
            continue;
        values[i].num.scale = (int16_t)scale;
        if (next_random(40) == 0)
            values[i].num = vnumeric_make(next_random(2) ? INT64_MAX : INT64_MIN, scale);
    }
}

static struct vec random_vec(enum type_id type, uint32_t count)
{
    struct datum values[VEC_ROWS_MAX];
    struct vec v;

    for (uint32_t i = 0; i < count; i++)
        values[i] = random_datum(type);
    if (type == TYPE_NUMERIC && next_random(2))
        even_numbers(values, count);
    if (next_random(3) == 0)
        for (uint32_t i = 0; i < count; i++)
            values[i].null = false;
    switch (next_random(4)) {
    case 0:
        return build_dict(type, values, count);
    case 1:
        v = build_vec(type, values, 1);
        v.form = VEC_CONST;
        v.count = count;
        return v;
    default:
        return build_vec(type, values, count);
    }
}

static struct bexpr *random_expr(enum type_id type, int depth);

static struct bexpr *random_in(int depth)
{
    enum type_id type = types[next_random(TYPES_COUNT - 2)]; /* no INTERVAL, no NUMERIC */
    struct datum list[20];
    uint32_t count = 1 + (uint32_t)next_random(20);

    for (uint32_t i = 0; i < count; i++)
        list[i] = random_datum(type);
    return build_in(random_expr(type, depth - 1), list, count, next_random(2));
}

/* Texts made of texts that were made so would fill the memory. */
static bool makes_much(const struct func *f)
{
    return strcmp(f->name, "repeat") == 0 || strcmp(f->name + 1, "pad") == 0;
}

/* Arrays, CHAR(n) and others are not among the types here: there is no column of them. */
static bool takes_others(const struct func *f)
{
    for (uint32_t i = 0; i < f->args_count; i++) {
        bool known = f->args[i] == TYPE_NONE;

        for (uint32_t k = 0; k < TYPES_COUNT; k++)
            known |= f->args[i] == types[k];
        if (!known)
            return true;
    }
    return false;
}

/* A call of some function that gives the type; columns and constants at the leaves. */
static struct bexpr *random_call(enum type_id type, int depth)
{
    const struct func *fit[600];
    uint32_t n = 0;
    const struct func *f;
    struct bexpr e = {.kind = BEXPR_CALL, .type = type, .pos = 1};
    struct bexpr *copy;

    for (uint32_t i = 0; (f = func_at(i)); i++)
        if (f->result == type && !(f->flags & (FUNC_STABLE | FUNC_VOLATILE)) && !takes_others(f) &&
            n < DN_ARRAY_SIZE(fit) && (depth == 1 || !makes_much(f)))
            fit[n++] = f;
    if (n == 0)
        return build_col(type, 0);
    e.func = fit[next_random(n)];
    e.args_count =
        e.func->args_count + ((e.func->flags & FUNC_VARIADIC) ? (uint32_t)next_random(3) : 0);
    copy = build_const(build_null(type)); /* memory for the node */
    e.args = build_chain(BEXPR_AND, NULL, NULL)->args;
    if (e.args_count > 2) {
        struct datum none[8] = {build_null(type)};

        e.args = build_in(NULL, none, e.args_count - 1, false)->args;
    }
    for (uint32_t i = 0; i < e.args_count; i++) {
        enum type_id want = e.func->args[i < e.func->args_count ? i : e.func->args_count - 1];

        e.args[i] =
            random_expr(want == TYPE_NONE ? types[next_random(TYPES_COUNT)] : want, depth - 1);
    }
    *copy = e;
    return copy;
}

/* CASE or COALESCE. */
static struct bexpr *random_choice(enum type_id type, int depth)
{
    bool coalesce = next_random(2);
    uint32_t count = coalesce ? 1 + (uint32_t)next_random(3) : 3 + 2 * (uint32_t)next_random(2);
    struct datum none[8] = {build_null(type)};
    struct bexpr *e = build_in(NULL, none, count - 1, false); /* memory for the node */

    e->kind = coalesce ? BEXPR_COALESCE : BEXPR_CASE;
    e->type = type;
    for (uint32_t i = 0; i < count; i++)
        e->args[i] =
            random_expr(!coalesce && i % 2 == 0 && i + 1 < count ? TYPE_BOOLEAN : type, depth - 1);
    return e;
}

static struct bexpr *random_expr(enum type_id type, int depth)
{
    uint32_t column = 0;

    for (uint32_t i = 0; i < TYPES_COUNT; i++)
        if (types[i] == type)
            column = i;
    if (depth == 0 || next_random(4) == 0)
        return next_random(4) ? build_col(type, column) : build_const(random_datum(type));
    if (type == TYPE_BOOLEAN && next_random(3) == 0)
        return build_chain(next_random(2) ? BEXPR_AND : BEXPR_OR,
                           random_expr(type, depth - 1),
                           random_expr(type, depth - 1));
    if (type == TYPE_BOOLEAN && next_random(5) == 0)
        return random_in(depth);
    if (next_random(6) == 0)
        return random_choice(type, depth);
    return random_call(type, depth);
}

static bool same(const struct datum *a, const struct datum *b)
{
    if (a->null || b->null)
        return a->null == b->null;
    return datum_cmp(a, b) == 0;
}

static void print_case(const struct bexpr *e)
{
    static const char *const names[] = {"b",
                                        "i2",
                                        "i4",
                                        "i8",
                                        "f4",
                                        "f8",
                                        "s",
                                        "x",
                                        "t3",
                                        "t6",
                                        "t9",
                                        "d",
                                        "t",
                                        "tz",
                                        "u",
                                        "iv",
                                        "n"};
    struct buf b;

    buf_init(&b, NULL);
    expr_print(e, names, &b);
    fprintf(stderr, "seed %" PRIu64 ": %.*s\n", round_seed, (int)b.len, (const char *)b.data);
    buf_done(&b);
}

/* Codes that rows of the batch raise one by one. */
struct raised {
    int codes[VEC_ROWS_MAX];
    uint32_t count;
};

static void check_raised(const struct bexpr *e, int rc, const struct raised *raised)
{
    for (uint32_t i = 0; i < raised->count; i++)
        if (raised->codes[i] == rc)
            return;
    print_case(e);
    fail_msg("raised %d, which no row does (%u raise, first %d)",
             rc,
             raised->count,
             raised->count ? raised->codes[0] : 0);
}

static void check_eval(const struct bexpr *e, const struct batch *in, struct arena *arena)
{
    struct eval ev = {.arena = arena, .every_row = next_random(4) == 0};
    struct raised raised = {.count = 0};
    struct dn_err err;
    struct vec v;
    int rc = expr_eval(e, &ev, in, &v, &err);

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;
        struct datum want;
        struct datum got;
        int naive_rc = naive_eval(e, in, row, arena, &want);

        if (naive_rc < 0) {
            raised.codes[raised.count++] = naive_rc;
            continue;
        }
        if (rc < 0)
            continue;
        got = vec_datum(&v, row);
        if (!same(&got, &want)) {
            print_case(e);
            fail_msg("row %u differs", row);
        }
    }
    if (rc < 0)
        check_raised(e, rc, &raised);
    else if (raised.count) {
        print_case(e);
        fail_msg("%u rows should raise", raised.count);
    }
}

static void check_select(const struct bexpr *e, const struct batch *in, struct arena *arena)
{
    struct eval ev = {.arena = arena, .every_row = next_random(4) == 0};
    struct raised raised = {.count = 0};
    uint16_t sel[VEC_ROWS_MAX];
    uint32_t count = 0;
    uint32_t k = 0;
    struct dn_err err;
    int rc = expr_select(e, &ev, in, sel, &count, &err);

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;
        bool want = false;
        int naive_rc = naive_select(e, in, row, arena, &want);

        if (naive_rc < 0)
            raised.codes[raised.count++] = naive_rc;
        if (rc == 0 && naive_rc == 0 && want && (k >= count || sel[k++] != row)) {
            print_case(e);
            fail_msg("row %u is not selected", row);
        }
    }
    if (rc < 0)
        check_raised(e, rc, &raised);
    else if (raised.count || k != count) {
        print_case(e);
        fail_msg("%u rows should raise; %u of %u selected", raised.count, k, count);
    }
}

static void one_round(void)
{
    struct arena built;
    struct arena arena;
    struct vec cols[TYPES_COUNT];
    uint32_t count = 1 + (uint32_t)next_random(next_random(10) ? 40 : 300);
    uint64_t one_in = 1 + next_random(12); /* rows are selected */
    uint16_t sel[VEC_ROWS_MAX];
    struct batch in = {.count = count, .cols_count = TYPES_COUNT, .cols = cols, .sel_count = count};

    arena_init(&built, NULL);
    arena_init(&arena, NULL);
    build_init(&built);
    for (uint32_t i = 0; i < TYPES_COUNT; i++)
        cols[i] = random_vec(types[i], count);
    if (next_random(2)) {
        in.sel = sel;
        in.sel_count = 0;
        for (uint16_t i = 0; i < count; i++)
            if (one_in < 3 ? next_random(3) > 0 : next_random(one_in) == 0)
                sel[in.sel_count++] = i;
    }
    for (int i = 0; i < 4; i++) {
        const struct bexpr *e =
            random_expr(types[next_random(TYPES_COUNT)], 1 + (int)next_random(DEPTH_MAX));

        check_eval(e, &in, &arena);
        if (e->type == TYPE_BOOLEAN)
            check_select(e, &in, &arena);
        arena_reset(&arena);
    }
    arena_done(&built);
    arena_done(&arena);
}

static uint64_t first_seed = 0;

static void test_random(void **state)
{
    struct timespec start;
    struct timespec now;
    uint32_t rounds = 0;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        round_seed = first_seed ? first_seed : (uint64_t)start.tv_nsec * 7919 + rounds;
        seed = round_seed * 0x9e3779b97f4a7c15u + 1;
        one_round();
        rounds++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!first_seed && now.tv_sec - start.tv_sec < BUDGET_SECONDS);
    print_message("%u rounds\n", rounds);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };

    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Aggregate: with and without keys, every form of key vectors, DISTINCT, many groups, errors, and
 * random batches against a plain loop: test_aggregate SEED
 * runs one round of them alone. */
#include "exec/exec.h"

#include "../func/build.h"
#include "fake_scan.h"
#include "func/text.h"
#include "rounds.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    build_init(&arena);
    fake_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rounds_tell();
    arena_done(&arena);
    return 0;
}

static struct plan_agg agg(const char *name, struct bexpr *arg, bool distinct)
{
    struct dn_err err;
    struct plan_agg a = {.agg = agg_find(name, !arg, arg ? arg->type : TYPE_NONE, 0, &err),
                         .arg = arg,
                         .distinct = distinct,
                         .pos = 17};

    assert_non_null(a.agg);
    return a;
}

/* An Aggregate over input; keys and aggs are copied. */
static struct plan_node *aggregate(struct plan_node *input,
                                   struct bexpr **keys,
                                   uint32_t keys_count,
                                   const struct plan_agg *aggs,
                                   uint32_t aggs_count)
{
    struct plan_node *n = fake_node(PLAN_AGGREGATE, input);
    enum type_id types[16];

    for (uint32_t k = 0; k < keys_count; k++)
        types[k] = keys[k]->type;
    for (uint32_t a = 0; a < aggs_count; a++)
        types[keys_count + a] = aggs[a].agg->result;
    fake_cols(n, types, keys_count + aggs_count);
    n->exprs = keys;
    n->exprs_count = keys_count;
    n->aggs = arena_dup(&arena, aggs, aggs_count * sizeof *aggs);
    n->aggs_count = aggs_count;
    return n;
}

static void one_batch(struct vec *cols, uint32_t cols_count, uint32_t count)
{
    struct batch *b = arena_calloc(&arena, 1, sizeof *b);

    assert_non_null(b);
    *b = (struct batch){.count = count, .cols_count = cols_count, .cols = cols, .sel_count = count};
    fake_table.batches = b;
    fake_table.batches_count = 1;
}

static const enum type_id two_types[] = {TYPE_VARCHAR, TYPE_BIGINT};

/* (a,1) (b,2) (a,3) (NULL,4) (b,NULL) (NULL,6) */
static struct plan_node *six_rows(enum vec_form form)
{
    struct datum words[6] = {build_str("a"),
                             build_str("b"),
                             build_str("a"),
                             build_null(TYPE_VARCHAR),
                             build_str("b"),
                             build_null(TYPE_VARCHAR)};
    struct datum ints[6];
    struct vec *cols = arena_calloc(&arena, 2, sizeof *cols);

    for (uint32_t i = 0; i < 6; i++)
        ints[i] = i == 4 ? build_null(TYPE_BIGINT) : build_int(TYPE_BIGINT, i + 1);
    cols[0] =
        form == VEC_DICT ? build_dict(TYPE_VARCHAR, words, 6) : build_vec(TYPE_VARCHAR, words, 6);
    if (form == VEC_CONST) {
        cols[0].form = VEC_CONST;
        cols[0].nulls = NULL;
    }
    cols[1] = build_vec(TYPE_BIGINT, ints, 6);
    one_batch(cols, 2, 6);
    return fake_scan(two_types, 2);
}

static void test_no_keys(void **state)
{
    struct plan_node *scan = six_rows(VEC_FLAT);
    struct bexpr *word = build_col(TYPE_VARCHAR, 0);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct plan_agg all[] = {agg("count", NULL, false),
                             agg("count", number, false),
                             agg("sum", number, false),
                             agg("avg", number, false),
                             agg("min", word, false),
                             agg("max", number, false)};
    struct plan_node *n = aggregate(scan, NULL, 0, all, 6);

    (void)state;
    fake_check(n, "6,5,16,3.2,a,6;");
    fake_table.batches_count = 0; /* no rows: still one row */
    fake_check(n, "0,0,NULL,NULL,NULL,NULL;");
}

static void test_keys(void **state)
{
    struct bexpr *word = build_col(TYPE_VARCHAR, 0);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct plan_agg all[] = {
        agg("count", NULL, false), agg("sum", number, false), agg("max", word, false)};

    (void)state;
    for (enum vec_form form = VEC_FLAT; form <= VEC_DICT; form++) {
        struct plan_node *n = aggregate(six_rows(form), fake_list(word, NULL, NULL), 1, all, 3);

        fake_check(n, form == VEC_CONST ? "a,6,16,a;" : "a,2,4,a;b,2,2,b;NULL,2,10,NULL;");
        /* SELECT DISTINCT: no aggregates. */
        n = aggregate(six_rows(form), fake_list(word, NULL, NULL), 1, NULL, 0);
        fake_check(n, form == VEC_CONST ? "a;" : "a;b;NULL;");
        /* Two keys, one of them computed. */
        n = aggregate(
            six_rows(form),
            fake_list(build_call(">", number, build_const(build_int(TYPE_BIGINT, 2))), word, NULL),
            2,
            all,
            1);
        fake_check(n,
                   form == VEC_CONST ? "false,a,2;true,a,3;NULL,a,1;"
                                     : "false,a,1;false,b,1;true,a,1;true,NULL,2;NULL,b,1;");
    }
    fake_table.batches_count = 0;
    fake_check(aggregate(fake_scan(two_types, 2), fake_list(word, NULL, NULL), 1, all, 3), "");
}

static void test_distinct(void **state)
{
    struct datum words[8] = {build_str("a"),
                             build_str("a"),
                             build_str("b"),
                             build_str("a"),
                             build_str("b"),
                             build_str("a"),
                             build_str("b"),
                             build_str("b")};
    struct datum ints[8];
    const int64_t values[] = {1, 1, 1, 2, 3, 1, 3, -1};
    struct vec *cols = arena_calloc(&arena, 2, sizeof *cols);
    struct bexpr *word = build_col(TYPE_VARCHAR, 0);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct plan_agg all[] = {agg("count", number, true),
                             agg("sum", number, true),
                             agg("sum", number, false),
                             agg("count", word, true)};
    struct plan_node *scan;
    static const uint16_t sel[] = {1, 2, 3, 6};

    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        ints[i] = values[i] < 0 ? build_null(TYPE_BIGINT) : build_int(TYPE_BIGINT, values[i]);
    for (int form = 0; form < 2; form++) {
        struct batch *b;

        cols[0] = build_vec(TYPE_VARCHAR, words, 8);
        cols[1] = form ? build_dict(TYPE_BIGINT, ints, 8) : build_vec(TYPE_BIGINT, ints, 8);
        one_batch(cols, 2, 8);
        b = arena_calloc(&arena, 3, sizeof *b);
        b[0] = fake_table.batches[0];
        b[1] = b[0]; /* the same again: nothing new */
        b[2] = b[0];
        b[2].sel = sel;
        b[2].sel_count = 4;
        scan = fake_scan(two_types, 2);
        fake_check(aggregate(scan, NULL, 0, all, 4), "3,6,12,2;");
        fake_check(aggregate(scan, fake_list(word, NULL, NULL), 1, all, 4), "a,2,3,5,1;b,2,4,7,1;");
        fake_table.batches = b;
        fake_table.batches_count = 3;
        fake_check(aggregate(scan, NULL, 0, all, 4), "3,6,31,2;");
        fake_table.batches = b + 2;
        fake_table.batches_count = 1;
        fake_check(aggregate(scan, fake_list(word, NULL, NULL), 1, all, 4), "a,2,3,3,1;b,2,4,4,1;");
    }
    cols[1] = build_vec(TYPE_BIGINT, ints, 1); /* a constant */
    cols[1].form = VEC_CONST;
    cols[1].count = 8;
    one_batch(cols, 2, 8);
    fake_check(aggregate(fake_scan(two_types, 2), NULL, 0, all, 4), "1,1,8,2;");
}

/* More groups than a batch: they come out in the order in which they were seen. */
static void test_many_groups(void **state)
{
    enum { BATCHES = 5, ROWS = 1000 };
    struct batch *b = arena_calloc(&arena, BATCHES, sizeof *b);
    struct datum ints[ROWS];
    struct bexpr *number = build_col(TYPE_BIGINT, 0);
    struct plan_agg all[] = {agg("count", NULL, false),
                             agg("min", build_cast(number, TYPE_VARCHAR), false)};
    struct buf want;
    enum type_id type = TYPE_BIGINT;

    (void)state;
    buf_init(&want, NULL);
    for (uint32_t k = 0; k < BATCHES; k++) {
        struct vec *col = arena_calloc(&arena, 1, sizeof *col);

        /* Each batch has 500 new values, each value is there twice. */
        for (uint32_t i = 0; i < ROWS; i++)
            ints[i] = build_int(TYPE_BIGINT, (int64_t)(k * 500 + i / 2) * 7919 % 100003);
        *col = build_vec(TYPE_BIGINT, ints, ROWS);
        b[k] = (struct batch){.count = ROWS, .cols_count = 1, .cols = col, .sel_count = ROWS};
        for (uint32_t i = 0; i < ROWS; i += 2)
            buf_printf(&want, "%" PRId64 ",2,%" PRId64 ";", ints[i].v.i64, ints[i].v.i64);
    }
    fake_table.batches = b;
    fake_table.batches_count = BATCHES;
    buf_u8(&want, 0);
    fake_check(aggregate(fake_scan(&type, 1), fake_list(number, NULL, NULL), 1, all, 2),
               (const char *)want.data);
    buf_done(&want);
}

static void test_errors(void **state)
{
    struct datum ints[2] = {build_int(TYPE_BIGINT, INT64_MAX), build_int(TYPE_BIGINT, 1)};
    struct vec cols[1] = {build_vec(TYPE_BIGINT, ints, 2)};
    struct bexpr *number = build_col(TYPE_BIGINT, 0);
    struct plan_agg sum[] = {agg("sum", number, false)};
    struct plan_agg inner[] = {agg("sum", build_call("+", number, number), false)};
    enum type_id type = TYPE_BIGINT;
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    (void)state;
    one_batch(cols, 1, 2);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    assert_int_equal(fake_run(aggregate(fake_scan(&type, 1), NULL, 0, sum, 1), &ctx, &b, &err),
                     DN_E_OUT_OF_RANGE);
    assert_int_equal(err.position, 17);
    dn_err_clear(&err);
    assert_int_equal(fake_run(aggregate(fake_scan(&type, 1), NULL, 0, inner, 1), &ctx, &b, &err),
                     DN_E_OUT_OF_RANGE);
    assert_int_equal(err.position, 11);
    fake_table.fail = DN_E_CORRUPT;
    assert_int_equal(fake_run(aggregate(fake_scan(&type, 1), NULL, 0, sum, 1), &ctx, &b, &err),
                     DN_E_CORRUPT);
    buf_done(&b);
}

static void test_memory_limit(void **state)
{
    enum { ROWS = 1000 };
    struct datum ints[ROWS];
    struct vec cols[1];
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner};
    enum type_id type = TYPE_BIGINT;
    struct bexpr *number = build_col(TYPE_BIGINT, 0);
    struct plan_agg count[] = {agg("count", NULL, false)};
    struct dn_err err;
    struct buf b;

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++)
        ints[i] = build_int(TYPE_BIGINT, i);
    cols[0] = build_vec(TYPE_BIGINT, ints, ROWS);
    one_batch(cols, 1, ROWS);
    mem_owner_init(&owner, "statement", NULL, 60000);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    assert_int_equal(
        fake_run(aggregate(fake_scan(&type, 1), fake_list(number, NULL, NULL), 1, count, 1),
                 &ctx,
                 &b,
                 &err),
        DN_E_NOMEM);
    assert_string_equal(err.text, "Aggregate: out of memory at the limit of 60000 bytes");
    assert_true(err.hint[0] != 0);
    assert_int_equal(mem_owner_used(&owner), 0);
    buf_done(&b);
}

static void test_explain(void **state)
{
    struct plan_node *scan = six_rows(VEC_FLAT);
    struct bexpr *word = build_col(TYPE_VARCHAR, 0);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct plan_agg all[] = {agg("count", NULL, false), agg("sum", number, true)};
    struct plan plan = {.root = aggregate(scan, fake_list(word, number, NULL), 2, all, 2)};
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    (void)state;
    buf_init(&b, NULL);
    assert_int_equal(exec_explain(&plan, NULL, &ctx, &b, &err), 0);
    assert_int_equal(memcmp(b.data, "Aggregate count(*), sum(DISTINCT c1) by c0, c1\n-> Scan", 54),
                     0);
    buf_done(&b);
}

/* ---- random ---- */

static uint64_t seed;

static uint64_t next_random(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed * 0x2545f4914f6cdd1du >> 20) % below;
}

#define KEYS       3u
#define GROUPS_MAX 4000u

static const enum type_id random_types[] = {TYPE_VARCHAR, TYPE_SMALLINT, TYPE_DOUBLE, TYPE_BIGINT};

static struct datum random_datum(enum type_id type)
{
    static const char *const words[] = {"", "a", "b", "ab"};
    struct datum d = {.type = type, .null = next_random(9) == 0, .str = {"", 0}};

    if (d.null)
        return d;
    if (type == TYPE_VARCHAR)
        d = build_str(words[next_random(4)]);
    else if (type == TYPE_DOUBLE)
        d.v.f64 = next_random(10) == 0 ? (double)NAN
                  : next_random(4)     ? 0.5 * (double)next_random(5)
                                       : -0.0;
    else
        d.v.i64 = (int64_t)next_random(type == TYPE_BIGINT ? 100 : 5);
    return d;
}

/* A column in runs or mixed, in any form. */
static struct vec random_col(enum type_id type, uint32_t count)
{
    struct datum values[VEC_ROWS_MAX];
    uint32_t run = 1 + (uint32_t)next_random(next_random(2) ? 1 : 60);
    struct vec v;

    for (uint32_t i = 0; i < count; i++)
        values[i] = i % run ? values[i - 1] : random_datum(type);
    if (next_random(3) == 0)
        return build_dict(type, values, count);
    v = build_vec(type, values, next_random(4) ? count : 1);
    if (v.count != count) {
        v.form = VEC_CONST;
        v.count = count;
    }
    return v;
}

struct naive_group {
    struct datum keys[KEYS];
    int64_t rows;
    int64_t count;
    int64_t sum;
    int64_t distinct; /* bits of values seen: 0..99 in two words */
    int64_t distinct_high;
};

static struct naive_group *
naive_find(struct naive_group *groups, uint32_t *count, const struct datum *keys)
{
    for (uint32_t g = 0; g < *count; g++) {
        bool same = true;

        for (uint32_t k = 0; k < KEYS; k++)
            same &= groups[g].keys[k].null == keys[k].null &&
                    (keys[k].null || datum_cmp(&groups[g].keys[k], &keys[k]) == 0);
        if (same)
            return &groups[g];
    }
    assert_true(*count < GROUPS_MAX);
    memset(&groups[*count], 0, sizeof *groups);
    memcpy(groups[*count].keys, keys, KEYS * sizeof *keys);
    return &groups[(*count)++];
}

static void naive_add(struct naive_group *g, const struct datum *value)
{
    g->rows++;
    if (value->null)
        return;
    g->count++;
    g->sum += value->v.i64;
    if (value->v.i64 < 50)
        g->distinct |= (int64_t)1 << value->v.i64;
    else
        g->distinct_high |= (int64_t)1 << (value->v.i64 - 50);
}

static void naive_print(const struct naive_group *g, struct buf *b)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        if (g->keys[k].null)
            buf_puts(b, "NULL");
        text_print(&g->keys[k], b);
        buf_puts(b, ",");
    }
    buf_printf(b, "%" PRId64 ",%" PRId64 ",", g->rows, g->count);
    if (g->count)
        buf_printf(b, "%" PRId64, g->sum);
    else
        buf_puts(b, "NULL");
    buf_printf(b,
               ",%d;",
               __builtin_popcountll((uint64_t)g->distinct) +
                   __builtin_popcountll((uint64_t)g->distinct_high));
}

static void random_round(struct naive_group *groups)
{
    uint32_t batches = 1 + (uint32_t)next_random(4);
    struct batch *b = arena_calloc(&arena, batches, sizeof *b);
    uint32_t groups_count = 0;
    struct bexpr *value = build_col(TYPE_BIGINT, 3);
    struct plan_agg all[] = {agg("count", NULL, false),
                             agg("count", value, false),
                             agg("sum", value, false),
                             agg("count", value, true)};
    struct bexpr **keys = fake_list(
        build_col(TYPE_VARCHAR, 0), build_col(TYPE_SMALLINT, 1), build_col(TYPE_DOUBLE, 2));
    struct buf want;

    for (uint32_t k = 0; k < batches; k++) {
        uint32_t count = 1 + (uint32_t)next_random(next_random(3) ? 50 : 600);
        struct vec *cols = arena_calloc(&arena, 4, sizeof *cols);
        uint16_t *sel = arena_calloc(&arena, count, sizeof *sel);
        uint32_t n = 0;

        for (uint32_t c = 0; c < 4; c++)
            cols[c] = random_col(random_types[c], count);
        for (uint16_t i = 0; i < count; i++)
            if (next_random(4))
                sel[n++] = i;
        b[k] = (struct batch){.count = count, .cols_count = 4, .cols = cols, .sel_count = count};
        if (n && next_random(2)) {
            b[k].sel = sel;
            b[k].sel_count = n;
        }
        for (uint32_t i = 0; i < b[k].sel_count; i++) {
            uint32_t row = b[k].sel ? sel[i] : i;
            struct datum tuple[KEYS];
            struct datum v = vec_datum(&cols[3], row);

            for (uint32_t c = 0; c < KEYS; c++)
                tuple[c] = vec_datum(&cols[c], row);
            naive_add(naive_find(groups, &groups_count, tuple), &v);
        }
    }
    fake_table.batches = b;
    fake_table.batches_count = batches;
    buf_init(&want, NULL);
    for (uint32_t g = 0; g < groups_count; g++)
        naive_print(&groups[g], &want);
    buf_u8(&want, 0);
    fake_check(aggregate(fake_scan(random_types, 4), keys, 3, all, 4), (const char *)want.data);
    buf_done(&want);
}

static void test_random(void **state)
{
    static struct naive_group groups[GROUPS_MAX];

    (void)state;
    while (rounds_next(&seed)) {
        random_round(groups);
        arena_reset(&arena);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_distinct, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_groups, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_explain, setup, teardown),
        cmocka_unit_test_setup_teardown(test_random, setup, teardown),
    };

    rounds_arg(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

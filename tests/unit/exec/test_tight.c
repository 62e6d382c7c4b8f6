/* SPDX-License-Identifier: Apache-2.0
 *
 * CTEs and recursions with so little memory that their rows go to scratch. */
#include "../func/build.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static const enum type_id types[] = {TYPE_INTEGER, TYPE_VARCHAR};

static void setup(uint64_t seed)
{
    arena_init(&arena, NULL);
    build_init(&arena);
    fake_init(&arena);
    gen_init(&arena, seed);
}

static struct plan_node *cte(uint32_t number)
{
    struct plan_node *n = fake_node(PLAN_CTE, NULL);

    fake_cols(n, types, 2);
    n->cte = number;
    return n;
}

static struct plan_node *limit(struct plan_node *input, int64_t rows)
{
    struct plan_node *n = fake_node(PLAN_LIMIT, input);

    n->limit = build_const(build_int(TYPE_BIGINT, rows));
    return n;
}

/* The rows of a CTE go to scratch while two readers are at different places of it. */
static void test_cte_tight(void **state)
{
    const uint32_t rows = 4500;
    struct plan_cte ctes[1];
    struct plan plan = {.ctes = ctes, .ctes_count = 1};
    struct fake_tight little;
    struct exec_ctx ctx;
    struct gen_lines have = {0};
    struct gen_lines want = {0};
    struct gen_table *t;
    struct dn_err err;

    (void)state;
    setup(5);
    gen_many(100000);
    fake_tight_open(&little);
    ctx = fake_tight_ctx(&little);
    dn_err_clear(&err);
    t = gen_table(types, 2, rows, true);
    ctes[0] = (struct plan_cte){.root = t->scan, .name = "w"};
    plan.root = fake_node(PLAN_JOIN, limit(cte(0), 3));
    plan.root->right = cte(0);
    plan.root->join = arena_calloc(&arena, 1, sizeof *plan.root->join);
    fake_cols(plan.root, (const enum type_id[]){types[0], types[1], types[0], types[1]}, 4);
    if (gen_run(&plan, &ctx, &have, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < rows; j++)
            gen_line(&want, t->data + (size_t)i * 2, 2, t->data + (size_t)j * 2, 2);
    gen_check(&have, &want, "cte with little memory");

    /* one reader ahead of the other, batch by batch */
    plan.root = fake_node(PLAN_SETOP, cte(0));
    plan.root->right = cte(0);
    plan.root->setop = PLAN_SETOP_UNION_ALL;
    have = want = (struct gen_lines){0};
    if (gen_run(&plan, &ctx, &have, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < 2 * rows; i++)
        gen_line(&want, t->data + (size_t)(i % rows) * 2, 2, NULL, 0);
    gen_check(&have, &want, "cte twice");
    fake_tight_close(&little);
    arena_done(&arena);
}

/* The rows of all rounds do not fit: x becomes 2x and 2x + 1 modulo a prime, from many paths. */
static void test_recursive_tight(void **state)
{
    const int64_t prime = 7919;
    struct plan plan = {.works_count = 1};
    struct fake_tight little;
    struct exec_ctx ctx;
    struct plan_node *start;
    struct plan_node *work;
    struct bexpr *twice;
    struct op *op = NULL;
    struct batch in;
    struct dn_err err;
    uint8_t *seen;
    uint32_t rows = 0;
    int rc;

    (void)state;
    setup(1);
    fake_tight_open(&little);
    ctx = fake_tight_ctx(&little);
    dn_err_clear(&err);
    seen = arena_calloc(&arena, (size_t)prime, 1);
    start = fake_node(PLAN_VALUES, NULL);
    fake_cols(start, types, 2);
    start->rows_count = 1;
    start->values =
        fake_list(build_const(build_int(TYPE_INTEGER, 0)), build_const(build_str("x")), NULL);
    plan.root = fake_node(PLAN_RECURSIVE, start);
    fake_cols(plan.root, types, 2);
    work = fake_node(PLAN_WORK, NULL);
    fake_cols(work, types, 2);
    twice = build_call("+", build_col(TYPE_INTEGER, 0), build_col(TYPE_INTEGER, 0));
    plan.root->right = fake_node(PLAN_SETOP, NULL);
    plan.root->right->setop = PLAN_SETOP_UNION_ALL;
    for (int side = 0; side < 2; side++) {
        struct plan_node *n = fake_node(PLAN_PROJECT, work);
        struct bexpr *e =
            build_call("+", twice, build_const(build_int(TYPE_INTEGER, (int64_t)side)));

        e = build_call("%", e, build_const(build_int(TYPE_INTEGER, prime)));
        n->exprs = fake_list(e, build_col(TYPE_VARCHAR, 1), NULL);
        n->exprs_count = 2;
        fake_cols(n, types, 2);
        if (side)
            plan.root->right->right = n;
        else
            plan.root->right->input = n;
    }
    fake_cols(plan.root->right, types, 2);
    rc = exec_open(&plan, &ctx, &op, &err);
    while (rc == 0 && (rc = exec_next(op, &in, &err)) == 0)
        for (uint32_t i = 0; i < in.sel_count; i++, rows++) {
            int64_t x = vec_i64(&in.cols[0], in.sel ? in.sel[i] : i);

            assert_true(x >= 0 && x < prime && !seen[x]);
            seen[x] = 1;
        }
    if (rc != DN_EOF)
        fail_msg("%s", err.text);
    assert_int_equal(rows, prime);
    assert_true(op->spilled > 0);
    exec_close(op);
    fake_tight_close(&little);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cte_tight),
        cmocka_unit_test(test_recursive_tight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

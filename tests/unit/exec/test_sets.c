/* SPDX-License-Identifier: Apache-2.0
 *
 * Set operations against counting by hand; VALUES; CTEs with several readers; subqueries that are
 * run once. */
#include "../func/build.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

static bool same_row(const struct datum *a, const struct datum *b)
{
    for (uint32_t c = 0; c < 2; c++)
        if (a[c].null != b[c].null || (!a[c].null && datum_cmp(&a[c], &b[c]) != 0))
            return false;
    return true;
}

static uint32_t count_of(const struct gen_table *t, const struct datum *row, uint32_t end)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < end; i++)
        n += same_row(t->data + (size_t)i * 2, row);
    return n;
}

static void reference(enum plan_setop op,
                      bool all,
                      const struct gen_table *l,
                      const struct gen_table *r,
                      struct gen_lines *ret)
{
    for (uint32_t i = 0; i < l->rows_count; i++) {
        const struct datum *row = l->data + (size_t)i * 2;
        uint32_t before = count_of(l, row, i);
        uint32_t right = count_of(r, row, r->rows_count);

        if (op == PLAN_SETOP_UNION_ALL ||
            (op == PLAN_SETOP_INTERSECT && (all ? before < right : right && !before)) ||
            (op == PLAN_SETOP_EXCEPT && (all ? before >= right : !right && !before)))
            gen_line(ret, row, 2, NULL, 0);
    }
    for (uint32_t i = 0; i < r->rows_count && op == PLAN_SETOP_UNION_ALL; i++)
        gen_line(ret, r->data + (size_t)i * 2, 2, NULL, 0);
}

static void test_setops(void **state)
{
    static const uint32_t sizes[] = {0, 1, 30, 400};

    (void)state;
    for (uint64_t seed = 1; seed < 120; seed++) {
        struct mem_owner owner;
        struct exec_ctx ctx = {.owner = &owner};
        struct gen_lines have = {0};
        struct gen_lines want = {0};
        struct gen_table *l;
        struct gen_table *r;
        struct plan plan = {0};
        struct dn_err err;
        char what[64];

        setup(seed);
        mem_owner_init(&owner, "statement", NULL, 0);
        dn_err_clear(&err);
        l = gen_table(types, 2, sizes[gen_random(4)], true);
        r = gen_table(types, 2, sizes[gen_random(4)], true);
        plan.root = fake_node(PLAN_SETOP, l->scan);
        plan.root->right = r->scan;
        plan.root->setop = (enum plan_setop)(seed % 3);
        plan.root->all = gen_random(2);
        snprintf(what, sizeof what, "set operation %d all %d", (int)(seed % 3), plan.root->all);
        if (gen_run(&plan, &ctx, &have, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(mem_owner_used(&owner), 0);
        reference(plan.root->setop, plan.root->all, l, r, &want);
        gen_check(&have, &want, what);
        arena_done(&arena);
    }
}

static struct plan_node *values(uint32_t rows)
{
    struct plan_node *n = fake_node(PLAN_VALUES, NULL);

    fake_cols(n, types, 2);
    n->rows_count = rows;
    n->values = arena_calloc(&arena, rows * 2, sizeof *n->values);
    for (uint32_t i = 0; i < rows; i++) {
        n->values[i * 2] = build_const(build_int(TYPE_INTEGER, (int64_t)i));
        n->values[i * 2 + 1] = build_const(i % 2 ? build_str("x") : build_null(TYPE_VARCHAR));
    }
    return n;
}

static void test_values(void **state)
{
    struct plan_node *n;

    (void)state;
    setup(1);
    fake_check(values(3), "0,NULL;1,x;2,NULL;");
    n = fake_node(PLAN_LIMIT, values(3000));
    n->offset = build_const(build_int(TYPE_BIGINT, 2998));
    fake_check(n, "2998,NULL;2999,x;");
    arena_done(&arena);
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

/* Two readers go at different paces over one run of the query; a LIMIT leaves the rest unread. */
static void test_cte(void **state)
{
    struct gen_table *t;
    struct plan_cte ctes[1];
    struct plan plan = {.ctes = ctes, .ctes_count = 1};
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner};
    struct gen_lines have = {0};
    struct gen_lines want = {0};
    struct dn_err err;

    (void)state;
    setup(5);
    mem_owner_init(&owner, "statement", NULL, 0);
    dn_err_clear(&err);
    t = gen_table(types, 2, 700, true);
    ctes[0] = (struct plan_cte){.root = t->scan, .name = "w"};
    plan.root = fake_node(PLAN_JOIN, limit(cte(0), 5));
    plan.root->right = cte(0);
    plan.root->join = arena_calloc(&arena, 1, sizeof *plan.root->join);
    fake_cols(plan.root, (const enum type_id[]){types[0], types[1], types[0], types[1]}, 4);
    assert_int_equal(gen_run(&plan, &ctx, &have, &err), 0);
    assert_int_equal(mem_owner_used(&owner), 0);
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t j = 0; j < 700; j++)
            gen_line(&want, t->data + (size_t)i * 2, 2, t->data + (size_t)j * 2, 2);
    gen_check(&have, &want, "cte");

    plan.root = limit(cte(0), 1);
    have = (struct gen_lines){0};
    assert_int_equal(gen_run(&plan, &ctx, &have, &err), 0);
    assert_int_equal(have.count, 1);
    assert_int_equal(fake_table.asked, 1);
    arena_done(&arena);
}

/* $1 is the statement's own, $2 and $3 are of subqueries. */
static void test_inits(void **state)
{
    const struct datum params[] = {build_int(TYPE_INTEGER, 7)};
    struct plan_init inits[2];
    struct plan plan = {.params_count = 1, .slots_count = 3, .inits = inits, .inits_count = 2};
    struct exec_ctx ctx = {.params = params, .params_count = 1};
    struct dn_err err;
    struct buf b;

    (void)state;
    setup(1);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    inits[0] = (struct plan_init){.root = limit(values(3), 1), .param = 2, .pos = 9};
    inits[0].root = fake_node(PLAN_PROJECT, inits[0].root);
    inits[0].root->exprs = fake_list(
        build_call("+", build_col(TYPE_INTEGER, 0), build_param(TYPE_INTEGER, 1)), NULL, NULL);
    inits[0].root->exprs_count = 1;
    fake_cols(inits[0].root, types, 1);
    inits[1] = (struct plan_init){.root = limit(values(1), 0), .param = 3, .pos = 9};
    plan.root = fake_node(PLAN_PROJECT, fake_node(PLAN_SINGLE, NULL));
    plan.root->exprs =
        fake_list(build_param(TYPE_INTEGER, 1),
                  build_call("+", build_param(TYPE_INTEGER, 2), build_param(TYPE_INTEGER, 1)),
                  build_param(TYPE_INTEGER, 3));
    plan.root->exprs_count = 3;
    fake_cols(plan.root, (const enum type_id[]){TYPE_INTEGER, TYPE_INTEGER, TYPE_INTEGER}, 3);
    assert_int_equal(fake_run_plan(&plan, &ctx, &b, &err), 0);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, "7,14,NULL;");
    buf_done(&b);

    inits[1].root = values(2);
    buf_init(&b, NULL);
    assert_int_equal(fake_run_plan(&plan, &ctx, &b, &err), DN_E_CARDINALITY);
    assert_string_equal(err.text, "more than one row returned by a subquery used as an expression");
    assert_string_equal(err.sqlstate, "21000");
    assert_int_equal(err.position, 9);
    buf_done(&b);
    arena_done(&arena);
}

static void explain(const struct plan *plan, const char *want)
{
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    buf_init(&b, NULL);
    dn_err_clear(&err);
    assert_int_equal(exec_explain(plan, &ctx, &b, &err), 0);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, want);
    buf_done(&b);
}

static void test_explain(void **state)
{
    struct plan_cte ctes[1];
    struct plan_init inits[1];
    struct plan plan = {
        .slots_count = 1, .ctes = ctes, .ctes_count = 1, .inits = inits, .inits_count = 1};
    struct plan_node *n;
    struct plan_node *apply;

    (void)state;
    setup(1);
    ctes[0] = (struct plan_cte){.root = values(2), .name = "w"};
    inits[0] = (struct plan_init){.root = limit(values(1), 1), .param = 1};
    apply = fake_node(PLAN_APPLY, cte(0));
    apply->right = fake_node(PLAN_SINGLE, NULL);
    apply->join = arena_calloc(&arena, 1, sizeof *apply->join);
    apply->join->kind = PLAN_JOIN_SEMI;
    apply->join->binds = arena_calloc(&arena, 1, sizeof *apply->join->binds);
    apply->join->binds_count = 1;
    apply->join->binds[0].param = 1;
    n = fake_node(PLAN_JOIN, apply);
    n->right = values(3);
    n->join = arena_calloc(&arena, 1, sizeof *n->join);
    n->join->kind = PLAN_JOIN_LEFT;
    n->join->keys = arena_calloc(&arena, 1, sizeof *n->join->keys);
    n->join->keys_count = 1;
    n->join->keys[0].left = n->join->keys[0].right = build_col(TYPE_INTEGER, 0);
    n->join->filter = build_call("<", build_col(TYPE_VARCHAR, 1), build_col(TYPE_VARCHAR, 3));
    plan.root = fake_node(PLAN_SETOP, n);
    plan.root->right = cte(0);
    plan.root->setop = PLAN_SETOP_EXCEPT;
    plan.root->all = true;
    explain(&plan,
            "Except all\n"
            "-> Hash join left on c0 = c0\n"
            "     filter: (c1 < c1)\n"
            "   -> Apply semi, with $1 = c0\n"
            "      -> CTE scan (c0, c1)\n"
            "      -> Single row\n"
            "   -> Values, 3 rows of (c0, c1)\n"
            "-> CTE scan (c0, c1)\n"
            "CTE w\n"
            "-> Values, 2 rows of (c0, c1)\n"
            "Subquery for $1\n"
            "-> Limit 1\n"
            "   -> Values, 1 row of (c0, c1)\n");
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_setops),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_cte),
        cmocka_unit_test(test_inits),
        cmocka_unit_test(test_explain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

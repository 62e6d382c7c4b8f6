/* SPDX-License-Identifier: Apache-2.0
 *
 * Set operations against counting by hand; VALUES; CTEs with several readers; subqueries that are
 * run once. */
#include "../func/build.h"
#include "func/rowfunc.h"
#include "gen.h"
#include "vec/numeric.h"

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

/* tight: rows that differ, and next to no memory. */
static void check_setops(bool tight)
{
    static const uint32_t sizes[2][4] = {{0, 1, 30, 400}, {700, 1200, 1500, 0}};

    for (uint64_t seed = 1; seed < (tight ? 40 : 120); seed++) {
        struct mem_owner owner;
        struct fake_tight little;
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
        if (tight) {
            fake_tight_open(&little);
            ctx = fake_tight_ctx(&little);
            gen_many(900);
        }
        l = gen_table(types, 2, sizes[tight][gen_random(4)], true);
        r = gen_table(types, 2, sizes[tight][gen_random(4)], true);
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
        if (tight)
            fake_tight_close(&little);
        arena_done(&arena);
    }
}

static void test_setops(void **state)
{
    (void)state;
    check_setops(false);
}

static void test_setops_tight(void **state)
{
    (void)state;
    check_setops(true);
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

static void check_plan(const struct plan *plan, const char *want)
{
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner};
    struct dn_err err;
    struct buf b;

    mem_owner_init(&owner, "statement", NULL, 0);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    if (fake_run_plan(plan, &ctx, &b, &err) < 0)
        fail_msg("%s", err.text);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, want);
    buf_done(&b);
    assert_int_equal(mem_owner_used(&owner), 0);
}

/* Base 0; then what each row is made to, for rows under the bound. */
static struct plan_node *recursive(struct bexpr *step, int64_t bound, bool all)
{
    struct plan_node *n = fake_node(PLAN_RECURSIVE, values(1));
    struct plan_node *work = fake_node(PLAN_WORK, NULL);

    fake_cols(work, types, 2);
    n->all = all;
    n->right = fake_node(PLAN_FILTER, work);
    n->right->filter =
        build_call("<", build_col(TYPE_INTEGER, 0), build_const(build_int(TYPE_INTEGER, bound)));
    n->right = fake_node(PLAN_PROJECT, n->right);
    n->right->exprs = fake_list(step, build_col(TYPE_VARCHAR, 1), NULL);
    n->right->exprs_count = 2;
    return n;
}

static void test_recursive(void **state)
{
    struct plan plan = {.works_count = 1};
    struct bexpr *plus;

    (void)state;
    setup(1);
    plus = build_call("+", build_col(TYPE_INTEGER, 0), build_const(build_int(TYPE_INTEGER, 1)));
    plan.root = recursive(plus, 3, true);
    check_plan(&plan, "0,NULL;1,NULL;2,NULL;3,NULL;");
    /* a circle ends with UNION, and with ALL when nobody reads on */
    plus = build_call("%", plus, build_const(build_int(TYPE_INTEGER, 3)));
    plan.root = recursive(plus, 100, false);
    check_plan(&plan, "0,NULL;1,NULL;2,NULL;");
    plan.root = limit(recursive(plus, 100, true), 5);
    check_plan(&plan, "0,NULL;1,NULL;2,NULL;0,NULL;1,NULL;");
    arena_done(&arena);
}

static int stop_calls;
static atomic_bool stop;

/* A recursion without end is ended by who waits for it. */
static void test_recursive_cancel(void **state)
{
    struct plan plan = {.works_count = 1};
    struct exec_ctx ctx = {.cancel = &stop};
    struct op *op = NULL;
    struct batch in;
    struct dn_err err;

    (void)state;
    setup(1);
    dn_err_clear(&err);
    plan.root = recursive(build_col(TYPE_INTEGER, 0), 100, true);
    assert_int_equal(exec_open(&plan, &ctx, &op, &err), 0);
    for (stop_calls = 0; stop_calls < 50; stop_calls++)
        assert_int_equal(exec_next(op, &in, &err), 0);
    atomic_store(&stop, true);
    assert_int_equal(exec_next(op, &in, &err), DN_E_CANCELED);
    atomic_store(&stop, false);
    exec_close(op);
    arena_done(&arena);
}

/* Rows 0, 0, 0, 1, 1, 1, …: over batches of three and a half. */
static struct plan_node *thrice(uint32_t rows)
{
    struct plan_node *n = values(rows);

    for (uint32_t i = 0; i < rows; i++)
        n->values[i * 2] =
            build_const(i % 7 == 6 ? build_null(TYPE_INTEGER) : build_int(TYPE_INTEGER, i / 3));
    return n;
}

static void test_unique_and_ties(void **state)
{
    static const struct plan_sort_key keys[] = {{.col = 0}, {.col = 1}};
    struct plan_node *n;

    (void)state;
    setup(1);
    n = fake_node(PLAN_UNIQUE, thrice(8));
    n->keys = arena_dup(&arena, keys, sizeof keys);
    n->keys_count = 1;
    fake_check(n, "0,NULL;1,x;NULL,NULL;2,x;");
    n->keys_count = 2;
    fake_check(n, "0,NULL;0,x;0,NULL;1,x;1,NULL;1,x;NULL,NULL;2,x;");
    /* a run over the edge of a batch */
    n = fake_node(PLAN_UNIQUE, values(2100));
    n->keys = arena_dup(&arena, keys, sizeof keys);
    n->keys_count = 1;
    for (uint32_t i = 0; i < 2100; i++)
        n->input->values[i * 2] = build_const(build_int(TYPE_INTEGER, i >= 2000));
    fake_check(n, "0,NULL;1,NULL;");

    for (int64_t rows = 0; rows < 7; rows++) {
        static const char *const want[] = {"",
                                           "0,NULL;0,x;0,NULL;",
                                           "0,NULL;0,x;0,NULL;",
                                           "0,NULL;0,x;0,NULL;",
                                           "0,NULL;0,x;0,NULL;1,x;1,NULL;1,x;",
                                           "0,NULL;0,x;0,NULL;1,x;1,NULL;1,x;",
                                           "0,NULL;0,x;0,NULL;1,x;1,NULL;1,x;"};

        n = limit(thrice(8), rows);
        n->keys = arena_dup(&arena, keys, sizeof keys);
        n->ties = 1;
        fake_check(n, want[rows]);
    }
    /* ties in the next batch */
    n = limit(fake_node(PLAN_LIMIT, values(1500)), 10);
    for (uint32_t i = 0; i < 1500; i++)
        n->input->input->values[i * 2] = build_const(build_int(TYPE_INTEGER, i >= 1030));
    n->keys = arena_dup(&arena, keys, sizeof keys);
    n->ties = 1;
    n = fake_node(PLAN_LIMIT, n);
    n->offset = build_const(build_int(TYPE_BIGINT, 1028));
    fake_check(n, "0,NULL;0,x;");
    arena_done(&arena);
}

static struct plan_node *function(const char *name, const struct datum *args, uint32_t count)
{
    struct plan_node *n = fake_node(PLAN_FUNCTION, NULL);
    struct plan_function_call *call = arena_calloc(&arena, 1, sizeof *call);
    enum type_id given[4];
    enum type_id casts[4];
    enum type_id out[3];
    struct dn_err err;

    for (uint32_t i = 0; i < count; i++)
        given[i] = args[i].type;
    call->fn = rowfunc_find(name, given, count, casts, 0, &err);
    assert_non_null(call->fn);
    call->args_count = count;
    call->args = arena_calloc(&arena, count, sizeof *call->args);
    for (uint32_t i = 0; i < count; i++)
        call->args[i] = build_const(args[i]);
    n->func = arena_calloc(&arena, 1, sizeof *n->func);
    n->func->calls = call;
    n->func->calls_count = 1;
    out[0] = call->fn->result;
    fake_cols(n, out, 1);
    return n;
}

static void check_function(
    const char *name, struct datum a, struct datum b, const struct datum *c, const char *want)
{
    struct datum args[3] = {a, b, c ? *c : a};

    fake_check(function(name, args, c ? 3 : 2), want);
}

static void test_functions(void **state)
{
    const struct datum month = {.type = TYPE_INTERVAL, .iv = {.months = 1}};
    const struct datum back = {.type = TYPE_INTERVAL, .iv = {.us = -1}};
    const struct datum nothing = {.type = TYPE_INTERVAL, .iv = {.us = 0}};
    struct datum step = build_int(TYPE_INTEGER, 2);
    struct datum dash = build_str("-");
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    (void)state;
    setup(1);
#define I(v) build_int(TYPE_INTEGER, v)
#define B(v) build_int(TYPE_BIGINT, v)
#define T(v) build_int(TYPE_TIMESTAMP_US, v)
    check_function("generate_series", I(1), I(3), NULL, "1;2;3;");
    check_function("generate_series", I(3), I(1), NULL, "");
    check_function("generate_series", I(1), I(6), &step, "1;3;5;");
    step.v.i64 = -2;
    check_function("generate_series", I(1), I(-3), &step, "1;-1;-3;");
    check_function("generate_series", I(1), build_null(TYPE_INTEGER), NULL, "");
    check_function(
        "generate_series", I(INT32_MAX - 1), I(INT32_MAX), NULL, "2147483646;2147483647;");
    check_function("generate_series",
                   B(INT64_MAX - 1),
                   B(INT64_MAX),
                   NULL,
                   "9223372036854775806;9223372036854775807;");
    check_function(
        "generate_series",
        T(INT64_C(1706659200000000)),
        T(INT64_C(1711843200000000)),
        &month,
        "2024-01-31T00:00:00.000000Z;2024-02-29T00:00:00.000000Z;2024-03-29T00:00:00.000000Z;");
    check_function(
        "generate_series",
        T(1),
        T(-1),
        &back,
        "1970-01-01T00:00:00.000001Z;1970-01-01T00:00:00.000000Z;1969-12-31T23:59:59.999999Z;");
    check_function("generate_series",
                   (struct datum){.type = TYPE_NUMERIC, .num = vnumeric_make(15, 1)},
                   (struct datum){.type = TYPE_NUMERIC, .num = vnumeric_make(35, 1)},
                   NULL,
                   "1.5;2.5;3.5;");
    check_function("string_to_table", build_str("a,b,"), build_str(","), NULL, "a;b;;");
    check_function("string_to_table", build_str(""), build_str(","), NULL, "");
    check_function("string_to_table", build_str("a,b"), build_str(""), NULL, "a,b;");
    check_function("string_to_table", build_str("aéb"), build_null(TYPE_VARCHAR), NULL, "a;é;b;");
    check_function("string_to_table", build_str("a-,-"), build_str(","), &dash, "a-;NULL;");

    buf_init(&b, NULL);
    dn_err_clear(&err);
    step.v.i64 = 0;
    assert_int_equal(
        fake_run(
            function("generate_series", (struct datum[]){I(1), I(2), step}, 3), &ctx, &b, &err),
        DN_E_INVALID_PARAM);
    assert_string_equal(err.text, "step size cannot equal zero");
    assert_int_equal(
        fake_run(
            function("generate_series", (struct datum[]){T(1), T(2), nothing}, 3), &ctx, &b, &err),
        DN_E_INVALID_PARAM);
    buf_done(&b);
    assert_null(rowfunc_find("generate_serie", types, 2, (enum type_id[2]){0}, 7, &err));
    assert_string_equal(err.hint, "Did you mean generate_series?");
    assert_int_equal(err.position, 7);
    assert_null(rowfunc_find("generate_series", types, 2, (enum type_id[2]){0}, 7, &err));
    assert_string_equal(err.text, "function generate_series(integer, text) does not exist");
    arena_done(&arena);
}

/* Side by side, the short one filled up; rows are numbered. */
static void test_functions_beside(void **state)
{
    struct plan_node *a;
    struct plan_node *n;
    struct plan_node *c;

    (void)state;
    setup(1);
    a = function("string_to_table", (struct datum[]){build_str("x y"), build_str(" ")}, 2);
    c = function("generate_series", (struct datum[]){I(1), I(1030)}, 2);
    n = fake_node(PLAN_FUNCTION, NULL);
    n->func = arena_calloc(&arena, 1, sizeof *n->func);
    n->func->calls = arena_calloc(&arena, 2, sizeof *n->func->calls);
    n->func->calls[0] = a->func->calls[0];
    n->func->calls[1] = c->func->calls[0];
    n->func->calls_count = 2;
    n->func->ordinality = true;
    fake_cols(n, (const enum type_id[]){TYPE_VARCHAR, TYPE_INTEGER, TYPE_BIGINT}, 3);
    fake_check(limit(n, 3), "x,1,1;y,2,2;NULL,3,3;");
    n = fake_node(PLAN_LIMIT, n);
    n->offset = build_const(build_int(TYPE_BIGINT, 1028));
    fake_check(n, "NULL,1029,1029;NULL,1030,1030;");
    arena_done(&arena);
}

static void explain(const struct plan *plan, const char *want)
{
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    buf_init(&b, NULL);
    dn_err_clear(&err);
    assert_int_equal(exec_explain(plan, NULL, &ctx, &b, &err), 0);
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
        cmocka_unit_test(test_setops_tight),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_cte),
        cmocka_unit_test(test_inits),
        cmocka_unit_test(test_recursive),
        cmocka_unit_test(test_recursive_cancel),
        cmocka_unit_test(test_unique_and_ties),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_functions_beside),
        cmocka_unit_test(test_explain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

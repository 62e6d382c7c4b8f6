/* SPDX-License-Identifier: Apache-2.0
 *
 * Single, Scan, Filter, Project, Limit; cancelling, memory limits, EXPLAIN. */
#include "exec/exec.h"

#include "../func/build.h"
#include "fake_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static const enum type_id two_types[] = {TYPE_BIGINT, TYPE_VARCHAR};

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
    arena_done(&arena);
    return 0;
}

/* Two batches: (0, a) (1, b) (2, NULL) and (3, d) (4, e), the second with a selection of both. */
static struct plan_node *two_batches(void)
{
    static const uint16_t sel[] = {0, 2};
    struct datum ints[6];
    struct datum words[6] = {build_str("a"),
                             build_str("b"),
                             build_null(TYPE_VARCHAR),
                             build_str("d"),
                             build_str("-"),
                             build_str("e")};
    struct batch *b = arena_calloc(&arena, 2, sizeof *b);
    struct vec *cols = arena_calloc(&arena, 4, sizeof *cols);

    assert_non_null(b);
    assert_non_null(cols);
    for (uint32_t i = 0; i < 6; i++)
        ints[i] = build_int(TYPE_BIGINT, i == 5 ? 4 : i == 4 ? 99 : i);
    cols[0] = build_vec(TYPE_BIGINT, ints, 3);
    cols[1] = build_dict(TYPE_VARCHAR, words, 3);
    cols[2] = build_vec(TYPE_BIGINT, ints + 3, 3);
    cols[3] = build_vec(TYPE_VARCHAR, words + 3, 3);
    b[0] = (struct batch){.count = 3, .cols_count = 2, .cols = cols, .sel_count = 3};
    b[1] =
        (struct batch){.count = 3, .cols_count = 2, .cols = cols + 2, .sel = sel, .sel_count = 2};
    fake_table.batches = b;
    fake_table.batches_count = 2;
    return fake_scan(two_types, 2);
}

static struct plan_node *filter(struct plan_node *input, struct bexpr *e)
{
    struct plan_node *n = fake_node(PLAN_FILTER, input);

    n->filter = e;
    return n;
}

static struct plan_node *limit(struct plan_node *input, int64_t count, int64_t offset)
{
    struct plan_node *n = fake_node(PLAN_LIMIT, input);

    n->limit = count < 0 ? NULL : build_const(build_int(TYPE_BIGINT, count));
    n->offset = offset < 0 ? NULL : build_const(build_int(TYPE_BIGINT, offset));
    return n;
}

static struct bexpr *compare(const char *op, int64_t v)
{
    return build_call(op, build_col(TYPE_BIGINT, 0), build_const(build_int(TYPE_BIGINT, v)));
}

static void test_scan(void **state)
{
    struct plan_node *scan = two_batches();

    (void)state;
    fake_check(scan, "0,a;1,b;2,NULL;3,d;4,e;");
    assert_int_equal(fake_table.preds_made, 0);
    scan->prune = compare(">", 0);
    fake_check(scan, "0,a;1,b;2,NULL;3,d;4,e;");
    assert_int_equal(fake_table.preds_made, 1);
}

static void test_filter(void **state)
{
    struct plan_node *scan = two_batches();
    struct bexpr *null = build_const(build_null(TYPE_BOOLEAN));

    (void)state;
    fake_check(filter(scan, compare(">", 0)), "1,b;2,NULL;3,d;4,e;");
    fake_check(filter(scan, compare(">", 2)), "3,d;4,e;");
    fake_check(filter(scan, compare("=", 99)), "");
    fake_check(filter(scan, compare(">=", 0)), "0,a;1,b;2,NULL;3,d;4,e;");
    fake_check(filter(filter(scan, compare(">", 0)), compare("<", 4)), "1,b;2,NULL;3,d;");
    fake_check(filter(scan, build_call("is null", build_col(TYPE_VARCHAR, 1), NULL)), "2,NULL;");
    fake_table.asked = 0;
    fake_check(filter(scan, null), "");
    assert_int_equal(fake_table.asked, 0); /* decided before anything is read */
    fake_check(filter(scan, build_const(build_int(TYPE_BOOLEAN, 1))), "0,a;1,b;2,NULL;3,d;4,e;");
}

static struct plan_node *project(struct plan_node *input, struct bexpr *a, struct bexpr *b)
{
    struct plan_node *n = fake_node(PLAN_PROJECT, input);
    enum type_id types[2] = {a->type, b ? b->type : TYPE_NONE};

    n->exprs = fake_list(a, b, NULL);
    n->exprs_count = b ? 2 : 1;
    fake_cols(n, types, n->exprs_count);
    return n;
}

static void test_project(void **state)
{
    struct plan_node *scan = two_batches();
    struct bexpr *square = build_call("*", build_col(TYPE_BIGINT, 0), build_col(TYPE_BIGINT, 0));

    (void)state;
    fake_check(project(scan, square, build_const(build_str("x"))), "0,x;1,x;4,x;9,x;16,x;");
    fake_check(project(filter(scan, compare(">", 1)), build_col(TYPE_VARCHAR, 1), NULL),
               "NULL;d;e;");
    fake_check(project(fake_node(PLAN_SINGLE, NULL), build_const(build_int(TYPE_BIGINT, 7)), NULL),
               "7;");
}

static void test_limit(void **state)
{
    struct plan_node *scan = two_batches();

    (void)state;
    fake_check(limit(scan, 2, -1), "0,a;1,b;");
    assert_int_equal(fake_table.asked, 1); /* not asked for the second batch */
    fake_check(limit(scan, 3, 2), "2,NULL;3,d;4,e;");
    fake_check(limit(scan, 1, 4), "4,e;");
    fake_check(limit(scan, 1, 3), "3,d;");
    fake_check(limit(scan, -1, 1), "1,b;2,NULL;3,d;4,e;");
    fake_check(limit(scan, 10, 5), "");
    fake_check(limit(scan, 10, INT64_MAX), "");
    fake_check(limit(scan, INT64_MAX, 3), "3,d;4,e;");
    fake_check(limit(scan, -1, -1), "0,a;1,b;2,NULL;3,d;4,e;");
    fake_check(limit(filter(scan, compare("<>", 1)), 2, 1), "2,NULL;3,d;");
    fake_table.asked = 0;
    fake_check(limit(scan, 0, 0), "");
    assert_int_equal(fake_table.asked, 0);
}

/* Runs and returns the code; the error is left in err. */
static int run(struct plan_node *root, struct exec_ctx *ctx, struct dn_err *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    dn_err_clear(err);
    rc = fake_run(root, ctx, &b, err);
    buf_done(&b);
    return rc;
}

static void test_limit_params(void **state)
{
    struct plan_node *n = limit(two_batches(), 1, -1);
    struct datum params[1] = {build_int(TYPE_BIGINT, -1)};
    struct exec_ctx ctx = {.params = params, .params_count = 1};
    struct dn_err err;

    (void)state;
    n->limit = build_param(TYPE_BIGINT, 1);
    assert_int_equal(run(n, &ctx, &err), DN_E_INVALID_PARAM);
    assert_non_null(strstr(err.text, "LIMIT may not be negative: -1"));
    params[0].null = true; /* no limit */
    assert_int_equal(run(n, &ctx, &err), 0);
    ctx.params_count = 0;
    assert_int_equal(run(n, &ctx, &err), DN_E_UNBOUND);
}

static void test_errors_pass(void **state)
{
    struct plan_node *scan = two_batches();
    struct bexpr *bad = build_call(
        "=",
        build_call("/", build_const(build_int(TYPE_BIGINT, 1)), build_col(TYPE_BIGINT, 0)),
        build_const(build_int(TYPE_BIGINT, 1)));
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;

    (void)state;
    assert_int_equal(run(filter(scan, bad), &ctx, &err), DN_E_DIVISION_BY_ZERO);
    assert_int_equal(err.position, 11);
    assert_int_equal(run(project(scan, bad, NULL), &ctx, &err), DN_E_DIVISION_BY_ZERO);
    fake_table.fail = DN_E_CORRUPT;
    assert_int_equal(run(limit(filter(scan, compare(">", 1)), 9, 0), &ctx, &err), DN_E_CORRUPT);
    assert_string_equal(err.text, "the fake scan fails");
    fake_table.fail = 0;
    fake_table.preds_fail = DN_E_TOO_MANY_QUANTA;
    scan->prune = bad;
    assert_int_equal(run(filter(scan, bad), &ctx, &err), DN_E_TOO_MANY_QUANTA);
}

static void test_cancel(void **state)
{
    struct plan_node *scan = two_batches();
    atomic_bool cancel = true;
    struct exec_ctx ctx = {.cancel = &cancel};
    struct dn_err err;
    struct plan plan = {.root = scan};
    struct op *op;
    struct batch in;

    (void)state;
    assert_int_equal(run(scan, &ctx, &err), DN_E_CANCELED);
    cancel = false;
    assert_int_equal(exec_open(&plan, &ctx, &op, &err), 0);
    assert_int_equal(exec_next(op, &in, &err), 0);
    cancel = true;
    assert_int_equal(exec_next(op, &in, &err), DN_E_CANCELED);
    exec_close(op);
}

static void test_memory_limit(void **state)
{
    struct plan_node *scan = two_batches();
    struct mem_owner database;
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner};
    struct dn_err err;
    int rc = DN_E_NOMEM;

    (void)state;
    /* Whatever the limit, the run works or says who needed more. */
    for (size_t bytes = 1; rc < 0; bytes += 100) {
        mem_owner_init(&database, "database", NULL, bytes);
        mem_owner_init(&owner, "statement", &database, 0);
        rc = run(project(filter(scan, compare(">", 1)), compare("<", 4), NULL), &ctx, &err);
        assert_int_equal(mem_owner_used(&owner), 0);
        if (rc < 0) {
            assert_int_equal(rc, DN_E_NOMEM);
            if (strstr(err.text, "Filter: out of memory at the limit of"))
                assert_true(err.hint[0] != 0);
        }
    }
    mem_owner_init(&database, "database", NULL, 2500);
    mem_owner_init(&owner, "statement", &database, 0);
    assert_int_equal(run(filter(scan, compare(">", 1)), &ctx, &err), DN_E_NOMEM);
    /* Arenas take whole chunks in release builds: there the scan may be the one that needs more. */
    assert_non_null(strstr(err.text, ": out of memory at the limit of 2500 bytes"));
    assert_true(strncmp(err.text, "Filter", 6) == 0 || strncmp(err.text, "Scan", 4) == 0);
    assert_non_null(strstr(err.hint, "memory_limit"));
}

static void check_explain(struct plan_node *root, const char *notice, const char *want)
{
    struct plan plan = {.root = root};
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    snprintf(plan.notice, sizeof plan.notice, "%s", notice);
    buf_init(&b, NULL);
    if (exec_explain(&plan, NULL, &ctx, &b, &err) < 0)
        fail_msg("%s", err.text);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, want);
    buf_done(&b);
}

static void test_explain(void **state)
{
    struct plan_node *scan = two_batches();
    struct plan_node *top;
    struct interval sets[3] = {
        {.has_lo = true,
         .lo_incl = true,
         .has_hi = true,
         .lo = build_int(TYPE_BIGINT, 1),
         .hi = build_int(TYPE_BIGINT, 5)},
        {.has_lo = true, .lo = build_int(TYPE_BIGINT, 9)},
        {.has_lo = true,
         .lo_incl = true,
         .has_hi = true,
         .hi_incl = true,
         .lo = build_str("x"),
         .hi = build_str("x")},
    };
    struct scan_pred preds[2] = {{.col = 0, .set = sets, .set_count = 2},
                                 {.col = 1, .set = sets + 2, .set_count = 1}};

    (void)state;
    fake_table.stats = (struct scan_stats){.slabs_total = 4,
                                           .slabs_read = 1,
                                           .partitions_total = 9,
                                           .partitions_read = 2,
                                           .blocks_total = 8,
                                           .blocks_read = 3,
                                           .segments_total = 2,
                                           .segments_read = 1,
                                           .memtable_rows = 17};
    check_explain(
        scan,
        "this reads the whole table",
        "Scan public.t\n"
        "  columns: c0, c1\n"
        "  constraints: none\n"
        "  slabs: 1 of 4, partitions: 2 of 9, blocks: 3 of 8, segments: 1 of 2, memtable rows: 17\n"
        "Warning: this reads the whole table\n");
    scan->preds = preds;
    scan->preds_count = 2;
    top = limit(project(filter(scan, compare(">", 0)), build_col(TYPE_VARCHAR, 1), NULL), 3, 1);
    check_explain(top,
                  "",
                  "Limit 3 offset 1\n"
                  "-> Project c1\n"
                  "   -> Filter (c0 > 0)\n"
                  "      -> Scan public.t\n"
                  "           columns: c0, c1\n"
                  "           constraints: c0 >= 1 and c0 < 5 or c0 > 9; c1 = 'x'\n"
                  "           slabs: 1 of 4, partitions: 2 of 9, blocks: 3 of 8, segments: 1 of 2, "
                  "memtable rows: 17\n");
    preds[0].set_count = 0;
    scan->preds_count = 1;
    scan->cols_count = 0;
    check_explain(scan,
                  "",
                  "Scan public.t\n"
                  "  columns: none, only rows are counted\n"
                  "  constraints: nothing can match\n"
                  "  slabs: 1 of 4, partitions: 2 of 9, blocks: 3 of 8, segments: 1 of 2, memtable "
                  "rows: 17\n");
    scan->prune = compare(">", 0);
    fake_table.preds_fail = DN_E_UNBOUND;
    check_explain(scan,
                  "",
                  "Scan public.t\n"
                  "  columns: none, only rows are counted\n"
                  "  constraints: known when the parameters are\n");
    check_explain(fake_node(PLAN_SINGLE, NULL), "", "Single row\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scan, setup, teardown),
        cmocka_unit_test_setup_teardown(test_filter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_project, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit_params, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors_pass, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_explain, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

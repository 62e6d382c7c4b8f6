/* SPDX-License-Identifier: Apache-2.0
 *
 * Every allocation of every operator fails once, alone and from there on: the error surfaces, and
 * nothing leaks. One plan per kind of node; a kind without one fails the test. The same with so
 * little memory that all which may put rows aside does so; there every call to the disk fails once
 * too, and the disk is full. */
#include "exec/exec.h"
#include "system/system.h"

#include "../func/build.h"
#include "fake_scan.h"
#include "func/rowfunc.h"
#include "func/winfunc.h"
#include "parquet/parquet.h"
#include "plan/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ROWS    700u
#define BATCHES 9u /* more rows than Sort gathers before it cuts */

static struct arena arena;
static const enum type_id types[] = {TYPE_VARCHAR, TYPE_BIGINT};

static struct plan_node *table(void)
{
    static const char *const words[] = {"red", "green", "blue", "a colour with a rather long name"};
    struct datum strings[ROWS];
    struct datum ints[ROWS];
    struct batch *b = arena_calloc(&arena, BATCHES, sizeof *b);

    for (uint32_t k = 0; k < BATCHES; k++) {
        struct vec *cols = arena_calloc(&arena, 2, sizeof *cols);

        for (uint32_t i = 0; i < ROWS; i++) {
            strings[i] = i % 13 ? build_str(words[i % 4]) : build_null(TYPE_VARCHAR);
            ints[i] = i % 17 ? build_int(TYPE_BIGINT, (int64_t)(i * 7919 % 300))
                             : build_null(TYPE_BIGINT);
        }
        cols[0] = k % 2 ? build_vec(TYPE_VARCHAR, strings, ROWS)
                        : build_dict(TYPE_VARCHAR, strings, ROWS);
        cols[1] = build_vec(TYPE_BIGINT, ints, ROWS);
        b[k] = (struct batch){.count = ROWS, .cols_count = 2, .cols = cols, .sel_count = ROWS};
    }
    fake_table.batches = b;
    fake_table.batches_count = BATCHES;
    return fake_scan(types, 2);
}

static struct plan_agg agg(const char *name, struct bexpr *arg, bool distinct)
{
    struct dn_err err;

    return (struct plan_agg){.agg = agg_find(name, !arg, arg ? arg->type : TYPE_NONE, 0, &err),
                             .arg = arg,
                             .distinct = distinct};
}

static struct plan_node *make_aggregate(struct plan_node *input)
{
    struct plan_node *n = fake_node(PLAN_AGGREGATE, input);
    struct bexpr *word = build_col(TYPE_VARCHAR, 0);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct plan_agg aggs[] = {agg("count", NULL, false),
                              agg("max", build_call("lower", word, NULL), false),
                              agg("sum", number, true)};
    static const enum type_id out[] = {
        TYPE_VARCHAR, TYPE_BIGINT, TYPE_BIGINT, TYPE_VARCHAR, TYPE_BIGINT};

    fake_cols(n, out, 5);
    n->exprs =
        fake_list(word, build_call("%", number, build_const(build_int(TYPE_BIGINT, 100))), NULL);
    n->exprs_count = 2;
    n->aggs = arena_dup(&arena, aggs, sizeof aggs);
    n->aggs_count = 3;
    return n;
}

static struct plan_node *make_sort(struct plan_node *input, bool top)
{
    static const struct plan_sort_key keys[] = {{.col = 1, .desc = true, .nulls_first = true},
                                                {.col = 0}};
    struct plan_node *n = fake_node(PLAN_SORT, input);

    n->keys = arena_dup(&arena, keys, sizeof keys);
    n->keys_count = 2;
    if (top)
        n->limit = build_const(build_int(TYPE_BIGINT, 10));
    return n;
}

/* A join of the table with itself; few enough right rows that the pairs stay few. */
static struct plan_node *make_join(enum plan_kind kind, struct plan_node *scan, int variant)
{
    struct plan_node *n = fake_node(kind, scan);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct plan_node *right = fake_node(PLAN_LIMIT, scan);

    right->limit = build_const(build_int(TYPE_BIGINT, variant ? 3 : 60));
    n->right = right;
    n->join = arena_calloc(&arena, 1, sizeof *n->join);
    n->join->kind = variant ? PLAN_JOIN_MARK : kind == PLAN_APPLY ? PLAN_JOIN_LEFT : PLAN_JOIN_FULL;
    n->join->filter = build_call(
        "<", build_call("lower", build_col(TYPE_VARCHAR, 0), NULL), build_col(TYPE_VARCHAR, 2));
    if (kind == PLAN_JOIN && variant != 1) {
        n->join->keys = arena_calloc(&arena, 2, sizeof *n->join->keys);
        n->join->keys_count = 1;
        n->join->keys[0].left = number;
        n->join->keys[0].right = build_call("+", number, number);
    }
    if (kind == PLAN_JOIN && variant == 2) { /* (a, b) IN (query): no filter, NULLs on both sides */
        right->limit = build_const(build_int(TYPE_BIGINT, 60));
        n->join->filter = NULL;
        n->join->keys_count = 2;
        n->join->keys[1].left = n->join->keys[1].right = build_col(TYPE_VARCHAR, 0);
    }
    if (kind == PLAN_APPLY) {
        n->input = fake_node(PLAN_LIMIT, scan);
        n->input->limit = build_const(build_int(TYPE_BIGINT, 20));
        n->right = fake_node(PLAN_FILTER, right);
        n->right->filter = build_call("=", number, build_param(TYPE_BIGINT, 1));
        n->join->binds = arena_calloc(&arena, 1, sizeof *n->join->binds);
        n->join->binds_count = 1;
        n->join->binds[0] = (struct plan_bind){.col = 1, .param = 1};
    }
    if (variant)
        fake_cols(n, (const enum type_id[]){TYPE_VARCHAR, TYPE_BIGINT, TYPE_BOOLEAN}, 3);
    else
        fake_cols(
            n, (const enum type_id[]){TYPE_VARCHAR, TYPE_BIGINT, TYPE_VARCHAR, TYPE_BIGINT}, 4);
    return n;
}

static struct plan_node *make_values(void)
{
    struct plan_node *n = fake_node(PLAN_VALUES, NULL);

    fake_cols(n, types, 2);
    n->rows_count = 1;
    n->values = fake_list(build_call("lower", build_const(build_str("A longer word")), NULL),
                          build_const(build_null(TYPE_BIGINT)),
                          NULL);
    return n;
}

/* Doubles the numbers of the table until they are large; variant 1 keeps what is equal apart. */
static struct plan_node *make_recursive(struct plan_node *scan, int variant)
{
    struct plan_node *n = fake_node(PLAN_RECURSIVE, fake_node(PLAN_LIMIT, scan));
    struct plan_node *work = fake_node(PLAN_WORK, NULL);
    struct plan_node *filter = fake_node(PLAN_FILTER, work);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);

    n->input->limit = build_const(build_int(TYPE_BIGINT, 30));
    fake_cols(work, types, 2);
    filter->cols = work->cols;
    filter->cols_count = 2;
    filter->filter = build_call("<", number, build_const(build_int(TYPE_BIGINT, 500)));
    n->right = fake_node(PLAN_PROJECT, filter);
    n->right->exprs = fake_list(build_col(TYPE_VARCHAR, 0), build_call("+", number, number), NULL);
    n->right->exprs_count = 2;
    n->all = variant;
    if (variant) /* zero doubled is zero */
        filter->filter =
            build_chain(BEXPR_AND,
                        filter->filter,
                        build_call(">", number, build_const(build_int(TYPE_BIGINT, 0))));
    return n;
}

static struct plan_node *make_function(void)
{
    static const enum type_id ints[] = {TYPE_BIGINT, TYPE_BIGINT};
    static const enum type_id strings[] = {TYPE_VARCHAR, TYPE_VARCHAR};
    struct plan_node *n = fake_node(PLAN_FUNCTION, NULL);
    static const enum type_id arrays[] = {(enum type_id)(TYPE_VARCHAR | TYPE_ARRAY)};
    struct plan_function_call calls[4];
    enum type_id casts[2];
    struct dn_err err;

    calls[0] =
        (struct plan_function_call){.fn = rowfunc_find("generate_series", ints, 2, casts, 0, &err),
                                    .args = fake_list(build_const(build_int(TYPE_BIGINT, 1)),
                                                      build_const(build_int(TYPE_BIGINT, 3000)),
                                                      NULL),
                                    .args_count = 2};
    calls[1] = (struct plan_function_call){
        .fn = rowfunc_find("string_to_table", strings, 2, casts, 0, &err),
        .args = fake_list(build_call("lower", build_const(build_str("A,B")), NULL),
                          build_const(build_str(",")),
                          NULL),
        .args_count = 2};
    calls[2] =
        (struct plan_function_call){.fn = rowfunc_find("unnest", arrays, 1, casts, 0, &err),
                                    .args = fake_list(build_call("string_to_array",
                                                                 build_const(build_str("a,b,c")),
                                                                 build_const(build_str(","))),
                                                      NULL,
                                                      NULL),
                                    .args_count = 1};
    calls[3] = (struct plan_function_call){
        .fn = rowfunc_find("regexp_matches", strings, 2, casts, 0, &err),
        .args = fake_list(
            build_const(build_str("abcdef")), build_const(build_str("(b)(x)?.(d)")), NULL),
        .args_count = 2};
    n->func = arena_calloc(&arena, 1, sizeof *n->func);
    n->func->calls = arena_dup(&arena, calls, sizeof calls);
    n->func->calls_count = 4;
    n->func->ordinality = true;
    fake_cols(
        n,
        (const enum type_id[]){TYPE_BIGINT, TYPE_VARCHAR, TYPE_VARCHAR, arrays[0], TYPE_BIGINT},
        5);
    return n;
}

static struct plan_node *make_window(struct plan_node *scan, int variant)
{
    static uint32_t partition = 0;
    static struct plan_sort_key order = {.col = 1};
    struct plan_node *n = fake_node(PLAN_WINDOW, make_sort(scan, false));
    struct plan_window_call calls[2] = {
        {.fn = winfunc_at(0), .type = TYPE_BIGINT},
        {.agg = agg("max", build_call("lower", build_col(TYPE_VARCHAR, 0), NULL), false),
         .type = TYPE_VARCHAR,
         .filter =
             build_call(">", build_col(TYPE_BIGINT, 1), build_const(build_int(TYPE_BIGINT, 9)))}};
    struct plan_window w = {.order = &order,
                            .order_count = 1,
                            .partition = &partition,
                            .partition_count = variant ? 1 : 0,
                            .calls_count = 2};

    calls[1].frame = (struct plan_frame){.mode = PLAN_FRAME_RANGE,
                                         .start = PLAN_BOUND_PRECEDING,
                                         .start_offset = build_const(build_int(TYPE_BIGINT, 9)),
                                         .end = PLAN_BOUND_CURRENT};
    n->input->keys_count = variant ? 2 : 1;
    n->input->keys[0] = variant ? (struct plan_sort_key){.col = 0} : order;
    n->input->keys[1] = order;
    w.calls = arena_dup(&arena, calls, sizeof calls);
    n->window = arena_dup(&arena, &w, sizeof w);
    fake_cols(n, (const enum type_id[]){TYPE_VARCHAR, TYPE_BIGINT, TYPE_BIGINT, TYPE_VARCHAR}, 4);
    return n;
}

/* Types, which are there without a catalog. */
static struct plan_node *make_system(void)
{
    static const enum type_id names[] = {TYPE_NAME, TYPE_REGPROC};
    static uint16_t cols[] = {1, 15};
    struct plan_node *n = fake_node(PLAN_SYSTEM, NULL);

    n->system = sys_find(NULL, "pg_type");
    n->scan_cols = cols;
    fake_cols(n, names, 2);
    return n;
}

/* Two columns of a Parquet file; what the plan needs of it is copied. */
static struct plan_node *make_file(int variant)
{
    static const enum type_id names[] = {TYPE_VARCHAR, TYPE_BIGINT};
    static uint16_t cols[] = {12, 6}; /* tag, i64 */
    struct plan_node *n = fake_node(PLAN_FILE, NULL);
    struct plan_file f = {.path = variant ? GOLDEN "/v2.parquet" : GOLDEN "/gzip.parquet"};
    const struct pq_column *from;
    struct pq_column *copy;
    struct pq_reader *r;
    struct dn_err err;

    assert_int_equal(pq_open_path(f.path, NULL, &r, &err), 0);
    f.columns_count = pq_columns(r, &from);
    copy = arena_dup(&arena, from, f.columns_count * sizeof *copy);
    for (uint32_t i = 0; i < f.columns_count; i++)
        copy[i].name = arena_strdup(&arena, from[i].name);
    pq_close(r);
    f.columns = copy;
    n->file = arena_dup(&arena, &f, sizeof f);
    n->scan_cols = cols;
    fake_cols(n, names, 2);
    return n;
}

/* The plan for a kind; variant 1 takes another way through the operator if there is one. */
static struct plan_node *make_plan(enum plan_kind kind, int variant)
{
    struct plan_node *scan = table();
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct plan_node *n = NULL;

    switch (kind) {
    case PLAN_SINGLE:
        return fake_node(PLAN_SINGLE, NULL);
    case PLAN_SCAN:
        return scan;
    case PLAN_FILTER:
        n = fake_node(PLAN_FILTER, scan);
        n->filter = build_call(">", number, build_const(build_int(TYPE_BIGINT, 50)));
        return n;
    case PLAN_PROJECT:
        n = fake_node(PLAN_PROJECT, scan);
        n->exprs = fake_list(build_cast(number, TYPE_VARCHAR), build_col(TYPE_VARCHAR, 0), NULL);
        n->exprs_count = 2;
        fake_cols(n, (const enum type_id[]){TYPE_VARCHAR, TYPE_VARCHAR}, 2);
        return n;
    case PLAN_AGGREGATE:
        return make_aggregate(scan);
    case PLAN_SORT:
        return make_sort(scan, variant == 1);
    case PLAN_LIMIT:
        n = fake_node(PLAN_LIMIT, scan);
        n->limit = build_const(build_int(TYPE_BIGINT, 100));
        n->keys = make_sort(scan, false)->keys;
        n->ties = variant ? 2 : 0;
        return n;
    case PLAN_JOIN:
    case PLAN_APPLY:
        return make_join(kind, scan, variant);
    case PLAN_SETOP:
        n = fake_node(PLAN_SETOP, scan);
        n->right = scan;
        n->setop = variant ? PLAN_SETOP_INTERSECT : PLAN_SETOP_EXCEPT;
        return n;
    case PLAN_VALUES:
        return make_values();
    case PLAN_CTE: /* run_once gives it the query */
        n = fake_node(PLAN_CTE, NULL);
        fake_cols(n, types, 2);
        return n;
    case PLAN_RECURSIVE:
        return make_recursive(scan, variant);
    case PLAN_WORK:
        return make_recursive(scan, 1);
    case PLAN_UNIQUE:
        n = fake_node(PLAN_UNIQUE, scan);
        n->keys = make_sort(scan, false)->keys;
        n->keys_count = 2;
        return n;
    case PLAN_FUNCTION:
        return make_function();
    case PLAN_SYSTEM:
        return make_system();
    case PLAN_FILE:
        return make_file(variant);
    case PLAN_WINDOW:
        return make_window(scan, variant);
    case PLAN_KIND_MAX:
        break;
    }
    fail();
    return NULL;
}

/* Of every plan, though most do not look at them. */
static struct plan_cte cte;
static struct plan_init init;

static struct fake_tight *tight; /* NULL: plenty of memory */

static int run_once(const struct plan_node *root, uint64_t n, bool sticky, bool *ret_hit)
{
    struct plan plan = {.slots_count = 2,
                        .works_count = 1,
                        .ctes = &cte,
                        .ctes_count = 1,
                        .inits = &init,
                        .inits_count = 1};
    struct mem_owner owner;
    static const struct catalog empty;
    static const struct settings fast = {.fast_paths = true};
    /* Shortcuts in half of the sweeps. */
    struct exec_ctx ctx = {.owner = &owner,
                           .env = {.catalog = &empty, .settings = sticky ? &fast : NULL}};
    struct op *op = NULL;
    struct batch in;
    struct dn_err err;
    struct buf b;
    int rc;

    memcpy(&plan.root, &root, sizeof root);
    mem_owner_init(&owner, "statement", tight ? &tight->all : NULL, 0);
    if (tight) {
        ctx.volume = tight->volume;
        ctx.budget = 1;
    }
    dn_err_clear(&err);
    mem_fail_nth(n, sticky);
    rc = exec_open(&plan, &ctx, &op, &err);
    while (rc == 0)
        rc = exec_next(op, &in, &err);
    exec_close(op);
    buf_init(&b, &owner);
    if (rc == DN_EOF)
        rc = exec_explain(&plan, NULL, &ctx, &b, &err);
    buf_done(&b);
    *ret_hit = mem_fail_hit();
    mem_fail_nth(0, false);
    assert_int_equal(mem_owner_used(&owner), 0);
    if (rc < 0)
        assert_int_equal(err.code, rc);
    return rc;
}

/* All early allocations, then every so often: Sort and Aggregate make thousands in debug builds. */
static int variants(enum plan_kind kind)
{
    return kind == PLAN_JOIN ? 3 : 2;
}

static void sweep(enum plan_kind kind, int variant, bool sticky)
{
    struct plan_node *root = make_plan(kind, variant);
    uint64_t runs = 0;
    size_t before;

    cte = (struct plan_cte){.root = table(), .name = "w"};
    init = (struct plan_init){.root = make_values(), .param = 2};
    before = mem_process_used();
    for (uint64_t n = 1;; n += n < 100 && !tight ? 1 : n / (tight ? 8 : 40) + 1) {
        bool hit;
        int rc = run_once(root, n, sticky, &hit);

        assert_int_equal(mem_process_used(), before);
        runs++;
        if (!hit) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, DN_E_NOMEM);
    }
    assert_true(runs > 2);
}

static void test_sweep(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < PLAN_KIND_MAX; kind++)
        for (int variant = 0; variant < variants((enum plan_kind)kind); variant++)
            for (int sticky = 0; sticky < 2; sticky++) {
                arena_init(&arena, NULL);
                build_init(&arena);
                fake_init(&arena);
                sweep((enum plan_kind)kind, variant, sticky);
                arena_done(&arena);
            }
}

static bool holds(enum plan_kind kind)
{
    return kind == PLAN_AGGREGATE || kind == PLAN_SORT || kind == PLAN_JOIN || kind == PLAN_SETOP ||
           kind == PLAN_CTE || kind == PLAN_RECURSIVE || kind == PLAN_WINDOW;
}

/* Every so often a call to the disk fails; in the end the disk takes nothing. */
static void sweep_disk(enum plan_kind kind, int variant)
{
    struct plan_node *root = make_plan(kind, variant);
    uint64_t calls;
    bool hit;

    cte = (struct plan_cte){.root = table(), .name = "w"};
    init = (struct plan_init){.root = make_values(), .param = 2};
    calls = sim_disk_calls(tight->disk);
    assert_int_equal(run_once(root, 0, false, &hit), 0);
    calls = sim_disk_calls(tight->disk) - calls;
    if (calls == 0) { /* few rows, or few that differ */
        assert_true(kind == PLAN_JOIN || kind == PLAN_RECURSIVE || kind == PLAN_SETOP ||
                    (kind == PLAN_SORT && variant));
        return;
    }
    for (uint64_t n = 1; n <= calls; n += n / 6 + 1) {
        sim_disk_fail_nth(tight->disk, n, SIM_FAULT_IO, false);
        assert_int_equal(run_once(root, 0, false, &hit), DN_E_IO);
        assert_true(sim_disk_fail_hit(tight->disk));
        sim_disk_fail_nth(tight->disk, 0, SIM_FAULT_IO, false);
    }
    sim_disk_set_capacity(tight->disk, 1);
    assert_int_equal(run_once(root, 0, false, &hit), DN_E_NOSPC);
    sim_disk_set_capacity(tight->disk, UINT64_MAX);
}

static void test_tight(void **state)
{
    struct fake_tight little;

    (void)state;
    fake_tight_open(&little);
    tight = &little;
    for (unsigned kind = 0; kind < PLAN_KIND_MAX; kind++)
        for (int variant = 0;
             variant < variants((enum plan_kind)kind) && holds((enum plan_kind)kind);
             variant++) {
            arena_init(&arena, NULL);
            build_init(&arena);
            fake_init(&arena);
            sweep((enum plan_kind)kind, variant, variant);
            sweep_disk((enum plan_kind)kind, variant);
            arena_done(&arena);
        }
    tight = NULL;
    fake_tight_close(&little);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_tight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

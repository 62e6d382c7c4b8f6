/* SPDX-License-Identifier: Apache-2.0
 *
 * JOIN and APPLY against two loops over all rows, on random tables: all kinds, keys of all types,
 * NULLs, filters, vectors of all forms. */
#include "../func/build.h"
#include "gen.h"
#include "volume/sim.h"
#include "volume/volume.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct sim_disk *disk;
static struct volume *volume; /* NULL: nothing spills */

struct shape {
    enum plan_join_kind kind;
    uint32_t keys_count;
    uint32_t key_cols[2]; /* the same on both sides */
    bool key_expr;        /* the first key is an expression */
    bool nulls_equal;
    bool filter; /* left c1 < right c1 */
    bool never_null;
};

static const enum type_id types[] = {
    TYPE_BIGINT, TYPE_INTEGER, TYPE_VARCHAR, TYPE_DOUBLE, TYPE_INTERVAL, TYPE_TIMESTAMP};
#define COLS 6u

/* 1 true, 0 false, 2 NULL */
static int truth(const struct shape *s, const struct datum *l, const struct datum *r)
{
    int all = 1;

    for (uint32_t k = 0; k < s->keys_count; k++) {
        const struct datum *a = &l[s->key_cols[k]];
        const struct datum *b = &r[s->key_cols[k]];
        int one;

        if (a->null || b->null)
            one = s->nulls_equal ? (a->null && b->null) : 2;
        else
            one = datum_cmp(a, b) == 0 || (a->type == TYPE_DOUBLE && a->v.f64 == b->v.f64);
        all = all == 0 || one == 0 ? 0 : all == 2 || one == 2 ? 2 : 1;
    }
    if (s->filter) {
        int one = l[1].null || r[1].null ? 2 : l[1].v.i64 < r[1].v.i64;

        all = all == 0 || one == 0 ? 0 : all == 2 || one == 2 ? 2 : 1;
    }
    return all;
}

/* DN_E_CARDINALITY where SINGLE finds two. */
static int reference(const struct shape *s,
                     const struct gen_table *l,
                     const struct gen_table *r,
                     struct gen_lines *ret)
{
    uint8_t *hit = arena_calloc(&arena, r->rows_count + 1, 1);
    struct datum nulls[COLS];

    for (uint32_t c = 0; c < COLS; c++)
        nulls[c] = build_null(types[c]);
    for (uint32_t i = 0; i < l->rows_count; i++) {
        const struct datum *a = l->data + (size_t)i * COLS;
        uint32_t matches = 0;
        bool unknown = false;

        for (uint32_t j = 0; j < r->rows_count; j++) {
            const struct datum *b = r->data + (size_t)j * COLS;
            int t = truth(s, a, b);

            unknown |= t == 2;
            if (t != 1)
                continue;
            matches++;
            hit[j] = 1;
            if (s->kind == PLAN_JOIN_INNER || s->kind == PLAN_JOIN_LEFT ||
                s->kind == PLAN_JOIN_FULL || s->kind == PLAN_JOIN_SINGLE)
                gen_line(ret, a, COLS, b, COLS);
        }
        if (s->kind == PLAN_JOIN_SINGLE && matches > 1)
            return DN_E_CARDINALITY;
        if (!matches &&
            (s->kind == PLAN_JOIN_LEFT || s->kind == PLAN_JOIN_FULL || s->kind == PLAN_JOIN_SINGLE))
            gen_line(ret, a, COLS, nulls, COLS);
        if ((s->kind == PLAN_JOIN_SEMI && matches) || (s->kind == PLAN_JOIN_ANTI && !matches))
            gen_line(ret, a, COLS, NULL, 0);
        if (s->kind == PLAN_JOIN_MARK) {
            struct datum mark = build_int(TYPE_BOOLEAN, matches > 0);

            mark.null = !matches && unknown && !s->never_null;
            gen_line(ret, a, COLS, &mark, 1);
        }
    }
    for (uint32_t j = 0; j < r->rows_count && s->kind == PLAN_JOIN_FULL; j++)
        if (!hit[j])
            gen_line(ret, nulls, COLS, r->data + (size_t)j * COLS, COLS);
    return 0;
}

static struct plan_node *both(enum plan_kind kind,
                              struct plan_node *left,
                              struct plan_node *right,
                              enum plan_join_kind join_kind)
{
    struct plan_node *n = fake_node(kind, left);
    enum type_id out[2 * COLS + 1];
    uint32_t count = 0;

    n->right = right;
    n->join = arena_calloc(&arena, 1, sizeof *n->join);
    n->join->kind = join_kind;
    for (uint32_t c = 0; c < left->cols_count; c++)
        out[count++] = left->cols[c].type;
    if (join_kind == PLAN_JOIN_MARK)
        out[count++] = TYPE_BOOLEAN;
    else if (join_kind != PLAN_JOIN_SEMI && join_kind != PLAN_JOIN_ANTI)
        for (uint32_t c = 0; c < right->cols_count; c++)
            out[count++] = right->cols[c].type;
    fake_cols(n, out, count);
    return n;
}

static struct plan_node *
make_join(const struct shape *s, const struct gen_table *l, const struct gen_table *r)
{
    struct plan_node *n = both(PLAN_JOIN, l->scan, r->scan, s->kind);
    struct plan_join *join = n->join;

    join->never_null = s->never_null;
    join->keys = arena_calloc(&arena, s->keys_count + 1, sizeof *join->keys);
    join->keys_count = s->keys_count;
    for (uint32_t k = 0; k < s->keys_count; k++) {
        uint32_t c = s->key_cols[k];
        struct bexpr *e = build_col(types[c], c);

        join->keys[k] =
            (struct plan_join_key){.left = e, .right = e, .nulls_equal = s->nulls_equal};
        if (k == 0 && s->key_expr && types[c] == TYPE_BIGINT)
            join->keys[k].left = join->keys[k].right =
                build_call("+", e, build_const(build_int(TYPE_BIGINT, 1)));
    }
    if (s->filter)
        join->filter = build_call("<", build_col(types[1], 1), build_col(types[1], COLS + 1));
    return n;
}

/* The keys as conditions of the right side, with parameters. */
static struct plan_node *
make_apply(const struct shape *s, const struct gen_table *l, const struct gen_table *r)
{
    struct plan_node *right = r->scan;
    struct plan_node *n;
    struct bexpr *cond[2];

    if (s->keys_count) {
        right = fake_node(PLAN_FILTER, r->scan);
        for (uint32_t k = 0; k < s->keys_count; k++)
            cond[k] = build_call("=",
                                 build_col(types[s->key_cols[k]], s->key_cols[k]),
                                 build_param(types[s->key_cols[k]], k + 1));
        right->filter = s->keys_count == 2 ? build_chain(BEXPR_AND, cond[0], cond[1]) : cond[0];
    }
    n = both(PLAN_APPLY, l->scan, right, s->kind);
    n->join->never_null = s->never_null;
    n->join->binds = arena_calloc(&arena, 2, sizeof *n->join->binds);
    n->join->binds_count = s->keys_count;
    for (uint32_t k = 0; k < s->keys_count; k++)
        n->join->binds[k] = (struct plan_bind){.col = s->key_cols[k], .param = k + 1};
    if (s->filter)
        n->join->filter = build_call("<", build_col(types[1], 1), build_col(types[1], COLS + 1));
    return n;
}

/* The table below something that tells its scan nothing: readers of the scan of these tests know no
 * selections. */
static struct gen_table covered(const struct gen_table *t)
{
    struct gen_table copy = *t;

    copy.scan = fake_node(PLAN_LIMIT, t->scan);
    fake_cols(copy.scan, t->types, t->cols_count);
    return copy;
}

static void
check_join(const struct shape *s, const struct gen_table *l, const struct gen_table *r, bool apply)
{
    struct gen_table left = covered(l);
    struct gen_table right = covered(r);
    struct gen_lines have = {0};
    struct gen_lines want = {0};
    struct plan plan = {.root = apply ? make_apply(s, &left, &right) : make_join(s, &left, &right),
                        .slots_count = apply ? 2 : 0};
    struct mem_owner owner;
    struct settings settings = {.fast_paths = gen_random(2) > 0};
    struct exec_ctx ctx = {
        .owner = &owner, .env.settings = &settings, .volume = volume, .budget = volume ? 1 : 0};
    struct dn_err err;
    char what[144];
    int rc;
    int want_rc = reference(s, l, r, &want);

    snprintf(what,
             sizeof what,
             "%s%s%s kind %d keys %u (%u, %u) filter %d nulls_equal %d never_null %d rows %u %u",
             settings.fast_paths ? "fast " : "",
             volume ? "spilling " : "",
             apply ? "apply" : "join",
             (int)s->kind,
             s->keys_count,
             s->key_cols[0],
             s->key_cols[1],
             s->filter,
             s->nulls_equal,
             s->never_null,
             l->rows_count,
             r->rows_count);
    mem_owner_init(&owner, "statement", NULL, 0);
    dn_err_clear(&err);
    rc = gen_run(&plan, &ctx, &have, &err);
    assert_int_equal(mem_owner_used(&owner), 0);
    if (rc != want_rc)
        fail_msg("%s: %d instead of %d: %s", what, rc, want_rc, err.text);
    if (rc == 0)
        gen_check(&have, &want, what);
}

static void random_join(bool apply)
{
    static const uint32_t sizes[] = {0, 1, 3, 40, 200, 1500};
    bool nulls = gen_random(3) > 0;
    uint32_t big = (uint32_t)gen_random(6);
    uint64_t ints = gen_random(3) ? 0 : 10 + gen_random(3000); /* close together, or scattered */
    struct gen_table *l;
    struct gen_table *r;
    struct shape s = {.kind = (enum plan_join_kind)gen_random(PLAN_JOIN_KIND_MAX),
                      .keys_count = (uint32_t)gen_random(3),
                      .key_cols = {(uint32_t)gen_random(COLS), (uint32_t)gen_random(COLS)},
                      .key_expr = gen_random(3) == 0,
                      .nulls_equal = gen_random(3) == 0,
                      .filter = gen_random(2),
                      .never_null = gen_random(2)};

    gen_many(ints);
    l = gen_table(types, COLS, sizes[big], nulls);
    r = gen_table(types, COLS, sizes[gen_random(big > 4 ? 4 : 6)], nulls);
    if (s.kind == PLAN_JOIN_MARK && s.keys_count && s.filter)
        s.never_null = true; /* as the contract wants it */
    if (apply && s.kind == PLAN_JOIN_FULL)
        s.kind = PLAN_JOIN_LEFT;
    if (apply)
        s.nulls_equal = false;
    if (apply && s.keys_count) /* what is unknown inside the right side is no row */
        s.never_null = true;
    check_join(&s, l, r, apply);
}

static void setup(uint64_t seed)
{
    arena_init(&arena, NULL);
    build_init(&arena);
    fake_init(&arena);
    gen_init(&arena, seed);
}

/* One key, an integer whose values are scattered: a bit says which are there. */
static void test_scattered(void **state)
{
    static const uint32_t ints[] = {0, 1, 5};

    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct shape s = {.kind = (enum plan_join_kind)(seed % PLAN_JOIN_KIND_MAX),
                          .keys_count = 1,
                          .key_cols = {ints[seed % 3], 0},
                          .filter = seed % 5 == 0,
                          .never_null = seed % 5 == 0};

        setup(seed);
        gen_many(3000);
        check_join(
            &s, gen_table(types, COLS, 1500, true), gen_table(types, COLS, 200, true), false);
        gen_many(0);
        arena_done(&arena);
    }
}

static void open_volume(void)
{
    struct dn_err err;

    disk = sim_disk_new(1);
    assert_int_equal(sim_volume_open(disk, 1, &volume, &err), 0);
}

static void close_volume(void)
{
    assert_int_equal(sim_disk_used(disk), 0); /* nothing is left in scratch */
    volume_close(volume);
    sim_disk_free(disk);
    volume = NULL;
}

/* With the least memory there is: large right sides go to scratch, without keys in several passes.
 */
static void test_spill(void **state)
{
    const char *given = getenv("DENDRO_TEST_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1;

    (void)state;
    for (uint64_t seed = first; seed < first + (given ? 1 : 60); seed++) {
        struct gen_table *l;
        struct gen_table *r;
        struct shape s;

        setup(seed);
        open_volume();
        l = gen_table(types, COLS, (uint32_t)gen_random(200), true);
        r = gen_table(types, COLS, 1500 + (uint32_t)gen_random(1500), true);
        s = (struct shape){.kind = (enum plan_join_kind)(seed % PLAN_JOIN_KIND_MAX),
                           .keys_count = (uint32_t)gen_random(3),
                           .key_cols = {(uint32_t)gen_random(COLS), (uint32_t)gen_random(COLS)},
                           .nulls_equal = gen_random(3) == 0,
                           .filter = gen_random(2),
                           .never_null = gen_random(2)};
        if (s.kind == PLAN_JOIN_MARK && s.keys_count && s.filter)
            s.never_null = true;
        if ((s.kind == PLAN_JOIN_INNER || s.kind == PLAN_JOIN_LEFT || s.kind == PLAN_JOIN_FULL) &&
            s.keys_count < 2) /* fewer pairs */
            l->scan = fake_scan_of(types, COLS, NULL, l->rows_count = 0);
        check_join(&s, l, r, false);
        close_volume();
        arena_done(&arena);
    }
}

/* n rows: number, and a text made of it. */
static struct plan_node *numbers(uint32_t n)
{
    static const enum type_id two[] = {TYPE_BIGINT, TYPE_VARCHAR};
    struct batch *batches = arena_calloc(&arena, n / 1000 + 1, sizeof *batches);

    for (uint32_t b = 0; b < n / 1000; b++) {
        struct datum ints[1000];
        struct datum strings[1000];
        struct vec *cols = arena_calloc(&arena, 2, sizeof *cols);

        for (uint32_t i = 0; i < 1000; i++) {
            ints[i] = build_int(TYPE_BIGINT, b * 1000 + i);
            strings[i] = build_str(arena_printf(&arena, "text of row %u", b * 1000 + i));
        }
        cols[0] = build_vec(TYPE_BIGINT, ints, 1000);
        cols[1] = build_vec(TYPE_VARCHAR, strings, 1000);
        batches[b] =
            (struct batch){.count = 1000, .cols_count = 2, .cols = cols, .sel_count = 1000};
    }
    return fake_scan_of(two, 2, batches, n / 1000);
}

/* Ten times as many rows as memory has room for: memory stays small, and no row is lost. */
static void test_large(void **state)
{
    struct plan_node *n;
    struct plan plan = {0};
    size_t peaks[2];

    (void)state;
    for (int spill = 0; spill < 2; spill++) {
        struct mem_owner owner;
        struct exec_ctx ctx = {.owner = &owner};
        struct op *op = NULL;
        struct batch in;
        struct dn_err err;
        uint64_t rows = 0;
        int rc;

        setup(1);
        if (spill) {
            open_volume();
            ctx.volume = volume;
            ctx.budget = 1;
        }
        n = both(PLAN_JOIN, numbers(30000), numbers(20000), PLAN_JOIN_LEFT);
        n->join->keys = arena_calloc(&arena, 1, sizeof *n->join->keys);
        n->join->keys_count = 1;
        n->join->keys[0].left = n->join->keys[0].right = build_col(TYPE_BIGINT, 0);
        plan.root = n;
        mem_owner_init(&owner, "statement", NULL, 0);
        dn_err_clear(&err);
        rc = exec_open(&plan, &ctx, &op, &err);
        while (rc == 0 && (rc = exec_next(op, &in, &err)) == 0)
            for (uint32_t i = 0; i < in.sel_count; i++, rows++) {
                uint32_t row = in.sel ? in.sel[i] : i;
                int64_t left = vec_i64(&in.cols[0], row);

                assert_int_equal(vec_is_null(&in.cols[2], row), left >= 20000);
                if (left < 20000) {
                    assert_int_equal(vec_i64(&in.cols[2], row), left);
                    assert_int_equal(vstr_cmp(vec_str(&in.cols[1], row), vec_str(&in.cols[3], row)),
                                     0);
                }
            }
        assert_int_equal(rc, DN_EOF);
        assert_int_equal(rows, 30000);
        assert_true(!spill || op->spilled > 100000);
        exec_close(op);
        assert_int_equal(mem_owner_used(&owner), 0);
        peaks[spill] = atomic_load(&owner.peak);
        if (spill)
            close_volume();
        arena_done(&arena);
    }
    assert_true(peaks[1] < peaks[0] / 2);
}

/* Parts that do not fit are divided again: left rows do not come once more for each pass. */
static void test_divide(void **state)
{
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner, .budget = 1};
    struct op *op = NULL;
    struct plan_node *n;
    struct batch in;
    struct dn_err err;
    uint64_t rows = 0;
    int rc;

    (void)state;
    setup(1);
    open_volume();
    ctx.volume = volume;
    mem_owner_init(&owner, "statement", NULL, 0);
    n = both(PLAN_JOIN, numbers(100000), numbers(200000), PLAN_JOIN_LEFT);
    n->join->keys = arena_calloc(&arena, 1, sizeof *n->join->keys);
    n->join->keys_count = 1;
    n->join->keys[0].left = n->join->keys[0].right = build_col(TYPE_BIGINT, 0);
    rc = exec_open(&(struct plan){.root = n}, &ctx, &op, &err);
    while (rc == 0 && (rc = exec_next(op, &in, &err)) == 0)
        for (uint32_t i = 0; i < in.sel_count; i++, rows++)
            assert_int_equal(vec_i64(&in.cols[2], in.sel ? in.sel[i] : i),
                             vec_i64(&in.cols[0], in.sel ? in.sel[i] : i));
    assert_int_equal(rc, DN_EOF);
    assert_int_equal(rows, 100000);
    assert_true(op->spilled > 12000000);       /* both sides are 8.9 million bytes */
    assert_true(sim_disk_calls(disk) < 25000); /* 49,500 with passes alone */
    assert_true(atomic_load(&owner.peak) < 400000);
    exec_close(op);
    assert_int_equal(mem_owner_used(&owner), 0);
    close_volume();
    arena_done(&arena);
}

/* The scan of the left side, below a projection and a filter, is told the keys of the right side:
 * one by one if they are few, else from the least to the greatest. */
static void check_prune(uint32_t right_rows, enum plan_join_kind kind, uint32_t want)
{
    struct settings settings = {.fast_paths = true};
    struct exec_ctx ctx = {.env.settings = &settings};
    struct plan plan = {0};
    struct plan_node *left;
    struct plan_node *n;
    struct op *op = NULL;
    struct batch in;
    struct dn_err err;

    setup(1);
    dn_err_clear(&err);
    left = fake_node(PLAN_FILTER, numbers(30000));
    left->filter =
        build_call(">", build_col(TYPE_BIGINT, 0), build_const(build_int(TYPE_BIGINT, 5)));
    left = fake_node(PLAN_PROJECT, left);
    left->exprs = fake_list(build_col(TYPE_VARCHAR, 1), build_col(TYPE_BIGINT, 0), NULL);
    left->exprs_count = 2;
    fake_cols(left, (const enum type_id[]){TYPE_VARCHAR, TYPE_BIGINT}, 2);
    n = fake_node(PLAN_LIMIT, numbers(20000));
    n->limit = build_const(build_int(TYPE_BIGINT, right_rows));
    n->offset = build_const(build_int(TYPE_BIGINT, 10));
    n = both(PLAN_JOIN, left, n, kind);
    n->join->keys = arena_calloc(&arena, 1, sizeof *n->join->keys);
    n->join->keys_count = 1;
    n->join->keys[0].left = build_col(TYPE_BIGINT, 1);
    n->join->keys[0].right = build_col(TYPE_BIGINT, 0);
    plan.root = n;
    assert_int_equal(exec_open(&plan, &ctx, &op, &err), 0);
    assert_int_equal(exec_next(op, &in, &err), 0);
    assert_int_equal(fake_table.preds_count, want > 0);
    if (want) {
        assert_int_equal(fake_table.preds[0].col, 0);
        assert_int_equal(fake_table.preds[0].set_count, want);
        assert_int_equal(fake_table.preds[0].set[0].lo.v.i64, 10);
        assert_int_equal(fake_table.preds[0].set[want - 1].hi.v.i64, 9 + right_rows);
    }
    exec_close(op);
    arena_done(&arena);
}

static void test_prune(void **state)
{
    (void)state;
    check_prune(3, PLAN_JOIN_INNER, 3);
    check_prune(256, PLAN_JOIN_SEMI, 256);
    check_prune(257, PLAN_JOIN_INNER, 1);
    check_prune(5000, PLAN_JOIN_INNER, 1);
    check_prune(3, PLAN_JOIN_LEFT, 0);
    check_prune(3, PLAN_JOIN_ANTI, 0);
}

/* Every so often an allocation fails while both sides go through scratch. */
static void test_spill_faults(void **state)
{
    uint32_t failed = 0;

    (void)state;
    setup(1);
    open_volume();
    for (uint64_t n = 1;; n += n / 6 + 1) {
        struct plan_node *root = both(PLAN_JOIN, numbers(3000), numbers(4000), PLAN_JOIN_FULL);
        struct plan plan = {.root = root};
        struct mem_owner owner;
        struct exec_ctx ctx = {.owner = &owner, .volume = volume, .budget = 1};
        struct op *op = NULL;
        struct batch in;
        struct dn_err err;
        int rc;

        root->join->keys = arena_calloc(&arena, 1, sizeof *root->join->keys);
        root->join->keys_count = 1;
        root->join->keys[0].left = root->join->keys[0].right = build_col(TYPE_BIGINT, 0);
        mem_owner_init(&owner, "statement", NULL, 0);
        dn_err_clear(&err);
        mem_fail_nth(n, false);
        rc = exec_open(&plan, &ctx, &op, &err);
        while (rc == 0)
            rc = exec_next(op, &in, &err);
        exec_close(op);
        assert_int_equal(rc, mem_fail_hit() ? DN_E_NOMEM : DN_EOF);
        mem_fail_nth(0, false);
        assert_int_equal(mem_owner_used(&owner), 0);
        if (rc == DN_EOF)
            break;
        failed++;
    }
    assert_true(failed > 20);
    close_volume();
    arena_done(&arena);
}

static void test_random(void **state)
{
    const char *given = getenv("DENDRO_TEST_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1;

    (void)state;
    for (uint64_t seed = first; seed < first + (given ? 1 : 200); seed++) {
        setup(seed);
        random_join(seed % 2);
        arena_done(&arena);
    }
}

/* For each left row: is there a right row with the same c0, for which there is a third row with its
 * c0 and the left row's c1? The inner one sees the parameters of the outer one. */
static void test_nested(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct gen_table *t[3];
        struct plan_node *inner;
        struct plan_node *outer;
        struct plan plan = {.slots_count = 3};
        struct exec_ctx ctx = {.owner = NULL};
        struct gen_lines have = {0};
        struct gen_lines want = {0};
        struct dn_err err;
        struct plan_node *f;

        setup(seed);
        for (int i = 0; i < 3; i++)
            t[i] = gen_table(types, COLS, 5 + (uint32_t)gen_random(30), true);
        f = fake_node(PLAN_FILTER, t[2]->scan);
        f->filter = build_chain(BEXPR_AND,
                                build_call("=", build_col(types[0], 0), build_param(types[0], 3)),
                                build_call("=", build_col(types[1], 1), build_param(types[1], 2)));
        inner = fake_node(PLAN_FILTER, t[1]->scan);
        inner->filter = build_call("=", build_col(types[0], 0), build_param(types[0], 1));
        inner = both(PLAN_APPLY, inner, f, PLAN_JOIN_SEMI);
        inner->join->binds = arena_calloc(&arena, 1, sizeof *inner->join->binds);
        inner->join->binds_count = 1;
        inner->join->binds[0] = (struct plan_bind){.col = 0, .param = 3};
        outer = both(PLAN_APPLY, t[0]->scan, inner, PLAN_JOIN_INNER);
        outer->join->binds = arena_calloc(&arena, 2, sizeof *outer->join->binds);
        outer->join->binds_count = 2;
        outer->join->binds[0] = (struct plan_bind){.col = 0, .param = 1};
        outer->join->binds[1] = (struct plan_bind){.col = 1, .param = 2};
        plan.root = outer;
        dn_err_clear(&err);
        if (gen_run(&plan, &ctx, &have, &err) < 0)
            fail_msg("%s", err.text);
        for (uint32_t i = 0; i < t[0]->rows_count; i++)
            for (uint32_t j = 0; j < t[1]->rows_count; j++) {
                const struct datum *a = t[0]->data + (size_t)i * COLS;
                const struct datum *b = t[1]->data + (size_t)j * COLS;
                bool found = false;

                for (uint32_t k = 0; k < t[2]->rows_count; k++) {
                    const struct datum *c = t[2]->data + (size_t)k * COLS;

                    found |= !c[0].null && !c[1].null && !b[0].null && !a[1].null &&
                             c[0].v.i64 == b[0].v.i64 && c[1].v.i64 == a[1].v.i64;
                }
                if (found && !a[0].null && a[0].v.i64 == b[0].v.i64)
                    gen_line(&want, a, COLS, b, COLS);
            }
        gen_check(&have, &want, "nested");
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scattered),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_spill),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_divide),
        cmocka_unit_test(test_prune),
        cmocka_unit_test(test_spill_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

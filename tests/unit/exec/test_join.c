/* SPDX-License-Identifier: Apache-2.0
 *
 * JOIN and APPLY against two loops over all rows, on random tables: all kinds, keys of all types,
 * NULLs, filters, vectors of all forms. */
#include "../func/build.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

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

static void
check_join(const struct shape *s, const struct gen_table *l, const struct gen_table *r, bool apply)
{
    struct gen_lines have = {0};
    struct gen_lines want = {0};
    struct plan plan = {.root = apply ? make_apply(s, l, r) : make_join(s, l, r),
                        .slots_count = apply ? 2 : 0};
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner};
    struct dn_err err;
    char what[128];
    int rc;
    int want_rc = reference(s, l, r, &want);

    snprintf(what,
             sizeof what,
             "%s kind %d keys %u (%u, %u) filter %d nulls_equal %d never_null %d rows %u %u",
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
    struct gen_table *l = gen_table(types, COLS, sizes[big], nulls);
    struct gen_table *r = gen_table(types, COLS, sizes[gen_random(big > 4 ? 4 : 6)], nulls);
    struct shape s = {.kind = (enum plan_join_kind)gen_random(PLAN_JOIN_KIND_MAX),
                      .keys_count = (uint32_t)gen_random(3),
                      .key_cols = {(uint32_t)gen_random(COLS), (uint32_t)gen_random(COLS)},
                      .key_expr = gen_random(3) == 0,
                      .nulls_equal = gen_random(3) == 0,
                      .filter = gen_random(2),
                      .never_null = gen_random(2)};

    if (s.kind == PLAN_JOIN_MARK && s.keys_count && (s.filter || s.keys_count > 1))
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
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_nested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

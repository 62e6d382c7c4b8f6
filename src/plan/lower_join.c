/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_join.c: a join over variables to JOIN, or to APPLY when its right side uses its left. */
#include "plan/lower.h"

struct jsides {
    struct lvars given[2];
    struct lvars want[2];
    struct lvars bound; /* variables of the left that the right side uses */
    struct lplan plan[2];
};

static bool join_left_only(enum plan_join_kind k)
{
    return k == PLAN_JOIN_SEMI || k == PLAN_JOIN_ANTI || k == PLAN_JOIN_MARK;
}

static int join_want_one(struct lower *lo, struct jsides *s, uint32_t var, struct dn_err *err)
{
    for (int k = 0; k < 2; k++) {
        if (lvars_has(&s->given[k], var))
            return lvars_add_new(lo->q->env->arena, &s->want[k], var) ? 0 : DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int join_want(struct lower *lo,
                     const struct lnode *n,
                     const struct lvars *want,
                     struct jsides *s,
                     struct dn_err *err)
{
    struct planner *q = lo->q;
    struct lvars used = {0}, free = {0};
    int rc = 0;

    if (!logic_gives(q, n->in, &s->given[0]) || !logic_gives(q, n->right, &s->given[1]) ||
        !logic_free(q, n->right, &free) || !logic_uses_here(q, n, &used))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < want->n; i++)
        rc = join_want_one(lo, s, want->v[i], err);
    for (uint32_t i = 0; rc == 0 && i < used.n; i++)
        rc = join_want_one(lo, s, used.v[i], err);
    for (uint32_t i = 0; rc == 0 && i < free.n; i++) {
        if (!lvars_has(&s->given[0], free.v[i]))
            continue;
        if (!lvars_add_new(q->env->arena, &s->bound, free.v[i]) ||
            !lvars_add_new(q->env->arena, &s->want[0], free.v[i]))
            rc = DN_FAIL_NOMEM(err);
    }
    return rc;
}

static int join_outer(struct lower *lo, uint32_t var, uint32_t param, struct dn_err *err)
{
    if (lo->outer_count == lo->outer_cap) {
        uint32_t cap = 2 * lo->outer_cap + 8;
        struct lplace *more = arena_alloc_array(lo->q->env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (lo->outer_count)
            memcpy(more, lo->outer, lo->outer_count * sizeof(*more));
        lo->outer = more;
        lo->outer_cap = cap;
    }
    lo->outer[lo->outer_count++] = (struct lplace){.var = var, .col = param};
    return 0;
}

/* The right side of an APPLY: what it uses of the left is parameters. */
static int join_binds(
    struct lower *lo, struct lnode *n, struct jsides *s, struct plan_join *join, struct dn_err *err)
{
    uint32_t before = lo->outer_count;
    int rc = 0;

    join->binds =
        arena_alloc_array(lo->q->env->arena, (size_t)s->bound.n + 1, sizeof(*join->binds));
    if (!join->binds)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < s->bound.n; i++) {
        struct plan_bind *b = &join->binds[join->binds_count++];

        b->col = lower_col(&s->plan[0], s->bound.v[i]);
        b->param = ++lo->q->plan->slots_count;
        rc = join_outer(lo, s->bound.v[i], b->param, err);
    }
    if (rc == 0)
        rc = lower_tree(lo, n->right, &s->want[1], &s->plan[1], err);
    lo->outer_count = before;
    return rc;
}

/* Columns of both sides, or of the left and the mark. */
static int join_columns(struct lower *lo,
                        const struct lnode *n,
                        const struct jsides *s,
                        struct plan_node *node,
                        struct lplan *ret,
                        struct dn_err *err)
{
    uint32_t nl = s->plan[0].node->cols_count;
    uint32_t nr = join_left_only(n->join) ? 0 : s->plan[1].node->cols_count;

    node->cols = arena_alloc_array(lo->q->env->arena, (size_t)nl + nr + 1, sizeof(*node->cols));
    if (!node->cols)
        return DN_FAIL_NOMEM(err);
    node->cols_count = nl + nr;
    if (nl)
        memcpy(node->cols, s->plan[0].node->cols, nl * sizeof(*node->cols));
    if (nr)
        memcpy(node->cols + nl, s->plan[1].node->cols, nr * sizeof(*node->cols));
    for (uint32_t i = 0; i < s->plan[0].places_count; i++) {
        if (!lower_place(lo, ret, s->plan[0].places[i].var, s->plan[0].places[i].col))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; nr && i < s->plan[1].places_count; i++) {
        if (!lower_place(lo, ret, s->plan[1].places[i].var, nl + s->plan[1].places[i].col))
            return DN_FAIL_NOMEM(err);
    }
    if (n->join == PLAN_JOIN_MARK) {
        node->cols[nl] = (struct plan_col){.name = lo->q->vars[n->mark].name, .type = TYPE_BOOLEAN};
        node->cols_count++;
        if (!lower_place(lo, ret, n->mark, nl))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* ---- keys ---- */

/* Is the condition an equality of something of the left with something of the right? Of the left
 * a value will do where it cannot go to the right side alone: (a, 5) NOT IN (query). */
static bool join_is_key(const struct lnode *n,
                        const struct bexpr *e,
                        const struct jsides *s,
                        const struct bexpr **ret_left,
                        const struct bexpr **ret_right)
{
    bool value = n->join == PLAN_JOIN_MARK && !n->never_null;

    if (bind_op_of(e) != OP_EQ || e->args[0]->type != e->args[1]->type)
        return false;
    for (int k = 0; k < 2; k++) {
        if ((value || bind_has_columns(e->args[k])) && bind_has_columns(e->args[1 - k]) &&
            logic_uses_only(e->args[k], &s->given[0]) &&
            logic_uses_only(e->args[1 - k], &s->given[1])) {
            *ret_left = e->args[k];
            *ret_right = e->args[1 - k];
            return true;
        }
    }
    return false;
}

/* May the keys of this join be hashed? A MARK with NULLs only if there is nothing but keys: an AND
 * of them is what (a, b) IN (query) asks. */
static bool join_may_hash(const struct lnode *n, const struct jsides *s)
{
    const struct bexpr *l, *r, *cond;

    if (n->join != PLAN_JOIN_MARK || n->never_null)
        return true;
    if (n->conds_count != 1)
        return false;
    cond = n->conds[0];
    if (cond->kind != BEXPR_AND)
        return join_is_key(n, cond, s, &l, &r);
    for (uint32_t i = 0; i < cond->args_count; i++) {
        if (!join_is_key(n, cond->args[i], s, &l, &r))
            return false;
    }
    return cond->args_count <= PLAN_MARK_KEYS_MAX;
}

/* The operands of an AND, if keys may be among them. */
static bool join_flat(struct arena *arena, struct bexpr *e, bool apart, struct lexprs *to)
{
    if (!apart || e->kind != BEXPR_AND)
        return lexprs_add(arena, to, e);
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!join_flat(arena, e->args[i], apart, to))
            return false;
    }
    return true;
}

static int join_conds(struct lower *lo,
                      const struct lnode *n,
                      struct jsides *s,
                      struct plan_join *join,
                      const struct lplan *both,
                      struct dn_err *err)
{
    struct lexprs all = {0}, rest = {0};
    bool hash = s->bound.n == 0 && join_may_hash(n, s);

    for (uint32_t i = 0; i < n->conds_count; i++) {
        if (!join_flat(lo->q->env->arena, n->conds[i], hash, &all))
            return DN_FAIL_NOMEM(err);
    }
    join->keys = arena_calloc(lo->q->env->arena, (size_t)all.n + 1, sizeof(*join->keys));
    if (!join->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < all.n; i++) {
        struct plan_join_key *key = &join->keys[join->keys_count];
        const struct bexpr *l, *r;
        int rc;

        if (!hash || !join_is_key(n, all.v[i], s, &l, &r)) {
            if (!lexprs_add(lo->q->env->arena, &rest, all.v[i]))
                return DN_FAIL_NOMEM(err);
            continue;
        }
        rc = lower_expr(lo, &s->plan[0], l, &key->left, err);
        if (rc == 0)
            rc = lower_expr(lo, &s->plan[1], r, &key->right, err);
        if (rc < 0)
            return rc;
        join->keys_count++;
    }
    return lower_conds(lo, both, rest.v, rest.n, &join->filter, err);
}

/* What conditions see: columns of the left, then of the right, whatever the join returns. */
static int
join_both(struct lower *lo, const struct jsides *s, struct lplan *ret, struct dn_err *err)
{
    uint32_t nl = s->plan[0].node->cols_count;

    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < s->plan[k].places_count; i++) {
            const struct lplace *p = &s->plan[k].places[i];

            if (!lower_place(lo, ret, p->var, p->col + (k ? nl : 0)))
                return DN_FAIL_NOMEM(err);
        }
    }
    return 0;
}

/* 1: a subquery whose value nobody asks for; each row of the other side comes once, with or without
 * it. */
static int
join_needless(struct lower *lo, const struct lnode *n, const struct lvars *want, struct dn_err *err)
{
    struct lvars gives = {0};

    if (n->join == PLAN_JOIN_MARK)
        return !lvars_has(want, n->mark);
    if (n->join != PLAN_JOIN_SINGLE)
        return 0;
    if (!logic_gives(lo->q, n->right, &gives))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < gives.n; i++) {
        if (lvars_has(want, gives.v[i]))
            return 0;
    }
    return 1;
}

int lower_join(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err)
{
    struct plan_join *join = arena_calloc(lo->q->env->arena, 1, sizeof(*join));
    struct jsides *s = arena_calloc(lo->q->env->arena, 1, sizeof(*s));
    struct lplan both = {0};
    struct plan_node *node;
    int rc;

    if (!join || !s)
        return DN_FAIL_NOMEM(err);
    rc = join_needless(lo, n, want, err);
    if (rc != 0)
        return rc < 0 ? rc : lower_tree(lo, n->in, want, ret, err);
    rc = join_want(lo, n, want, s, err);
    if (rc == 0)
        rc = lower_tree(lo, n->in, &s->want[0], &s->plan[0], err);
    if (rc == 0 && s->bound.n > 0)
        rc = join_binds(lo, n, s, join, err);
    else if (rc == 0)
        rc = lower_trim(lo, n->right, &s->want[1], &s->plan[1], err);
    if (rc < 0)
        return rc;
    if (s->bound.n > 0 && n->join == PLAN_JOIN_FULL) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "the combining JOIN type must be INNER or LEFT for a LATERAL reference");
        dn_err_at(err, n->pos);
        return rc;
    }
    node = lower_node(lo, s->bound.n > 0 ? PLAN_APPLY : PLAN_JOIN, s->plan[0].node, err);
    if (!node)
        return DN_E_NOMEM;
    node->right = s->plan[1].node;
    node->join = join;
    join->kind = n->join;
    join->never_null = n->never_null;
    join->in_order = n->fixed;
    rc = join_both(lo, s, &both, err);
    if (rc == 0)
        rc = join_conds(lo, n, s, join, &both, err);
    if (rc == 0)
        rc = join_columns(lo, n, s, node, ret, err);
    if (rc == 0 && node->kind == PLAN_JOIN)
        rc = lower_merge(lo, n, node, err);
    ret->node = node;
    return rc;
}

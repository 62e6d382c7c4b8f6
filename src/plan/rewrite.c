/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite.c: a tree that returns the same rows with less work. One walk from the top moves
 * conditions down as far as they can go, and on its way
 *
 *   - turns an outer join into an inner one when a condition above drops the rows it adds,
 *   - turns a MARK join whose mark must be true into SEMI, or ANTI if it must be false and the mark
 *     is never NULL,
 *   - makes conditions of filters on the right side of a join part of the join when they use its
 *     left side, so that a correlated subquery becomes a plain join (decorrelate.c has the form for
 *     aggregates),
 *   - puts a CTE in place of its only mention,
 *   - orders inner joins (join_order.c). */
#include "plan/rewrite.h"

static int rewrite_push(struct planner *q,
                        struct lnode *n,
                        struct lexprs *conds,
                        struct lnode **ret,
                        struct dn_err *err);

/* ---- helpers ---- */

/* The tree with conditions that could go no further. */
static int rewrite_above(struct planner *q,
                         struct lnode *n,
                         const struct lexprs *conds,
                         struct lnode **ret,
                         struct dn_err *err)
{
    *ret = logic_filter(q, n, conds->v, conds->n);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* Conditions parted: those that use only these variables of the tree (and outer ones) go down. */
static int rewrite_part(struct planner *q,
                        const struct lexprs *conds,
                        const struct lvars *blocked,
                        struct lexprs *down,
                        struct lexprs *stay,
                        struct dn_err *err)
{
    for (uint32_t i = 0; i < conds->n; i++) {
        bool stays = logic_uses_any(conds->v[i], blocked) || logic_volatile(conds->v[i]);

        if (!lexprs_add(q->env->arena, stays ? stay : down, conds->v[i]))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int rewrite_in(struct planner *q, struct lnode *n, struct lexprs *down, struct dn_err *err)
{
    return rewrite_push(q, n->in, down, &n->in, err);
}

/* ---- nodes with one input ---- */

/* Conditions that may pass a node go on below it, with the node's expressions in place of its
 * variables; those that must stay are put above it. */
static int rewrite_through(struct planner *q,
                           struct lnode *n,
                           const struct lexprs *conds,
                           const bool *stays,
                           struct lnode **ret,
                           struct dn_err *err)
{
    struct lexprs down = {0}, stay = {0};
    int rc;

    for (uint32_t i = 0; i < conds->n; i++) {
        struct bexpr *e = stays[i] || n->defs_count == 0
                              ? conds->v[i]
                              : logic_replace(q, conds->v[i], n->defs, n->defs_count);

        if (!e || !lexprs_add(q->env->arena, stays[i] ? &stay : &down, e))
            return DN_FAIL_NOMEM(err);
    }
    rc = rewrite_in(q, n, &down, err);
    return rc < 0 ? rc : rewrite_above(q, n, &stay, ret, err);
}

#define REWRITE_GROWS 1000u /* parts more */

/* Takes the parts of an expression from *left; false: there are more. */
static bool rewrite_fits(const struct bexpr *e, uint32_t *left)
{
    if (*left == 0)
        return false;
    --*left;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!rewrite_fits(e->args[i], left))
            return false;
    }
    return true;
}

static bool rewrite_fits_replaced(const struct bexpr *e,
                                  const struct ldef *defs,
                                  uint32_t count,
                                  uint32_t *left)
{
    if (e->kind == BEXPR_COLUMN) {
        for (uint32_t i = 0; i < count; i++) {
            if (defs[i].var == e->col)
                return rewrite_fits(defs[i].e, left);
        }
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!rewrite_fits_replaced(e->args[i], defs, count, left))
            return false;
    }
    return true;
}

/* Would the condition have many more parts with the expressions of defs in place of their
 * variables? Conditions that pass one SELECT x + x AS x after the other would double each time. */
static bool rewrite_grows(const struct bexpr *e, const struct ldef *defs, uint32_t count)
{
    uint32_t left = REWRITE_GROWS;

    return !rewrite_fits_replaced(e, defs, count, &left);
}

/* MAP: conditions on what it computes with volatile functions, which would run once more, and those
 * that would become too long. */
static bool rewrite_stays_map(const struct lnode *n, const struct bexpr *e)
{
    bool stays = rewrite_grows(e, n->defs, n->defs_count);

    for (uint32_t i = 0; i < n->defs_count && !stays; i++) {
        struct lvars def = {.v = &n->defs[i].var, .n = 1};

        stays = logic_uses_any(e, &def) && logic_volatile(n->defs[i].e);
    }
    return stays;
}

/* AGG: conditions on keys; without keys there is a row even if nothing comes in. */
static bool rewrite_stays_agg(const struct lnode *n, const struct bexpr *e)
{
    bool stays =
        n->defs_count == 0 || !bind_has_columns(e) || rewrite_grows(e, n->defs, n->defs_count);

    for (uint32_t i = 0; i < n->aggs_count && !stays; i++) {
        struct lvars agg = {.v = &n->aggs[i].var, .n = 1};

        stays = logic_uses_any(e, &agg);
    }
    return stays;
}

/* UNIQUE: conditions on what rows are told apart by. */
static int
rewrite_keys(struct planner *q, const struct lnode *n, struct lvars *ret, struct dn_err *err)
{
    for (uint32_t i = 0; i < n->keys_count; i++) {
        if (!lvars_add(q->env->arena, ret, n->keys[i].var))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int rewrite_one(struct planner *q,
                       struct lnode *n,
                       const struct lexprs *conds,
                       struct lnode **ret,
                       struct dn_err *err)
{
    bool *stays = arena_calloc(q->env->arena, (size_t)conds->n + 1, sizeof(*stays));
    struct lvars shared = {.v = n->partition, .n = n->partition_count}; /* WINDOW: all calls */
    int rc = n->kind == L_UNIQUE ? rewrite_keys(q, n, &shared, err) : 0;

    if (!stays || rc < 0)
        return rc < 0 ? rc : DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < conds->n; i++) {
        const struct bexpr *e = conds->v[i];

        stays[i] = logic_volatile(e) ||
                   (n->kind == L_MAP      ? rewrite_stays_map(n, e)
                    : n->kind == L_AGG    ? rewrite_stays_agg(n, e)
                    : n->kind == L_WINDOW ? !bind_has_columns(e) || !logic_uses_only(e, &shared)
                                          : !logic_uses_only(e, &shared));
    }
    return rewrite_through(q, n, conds, stays, ret, err);
}

/* ---- set operations: conditions on the result hold for both sides ---- */

static int rewrite_side(
    struct planner *q, struct lnode *n, bool right, const struct lexprs *conds, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct ldef *defs = arena_alloc_array(q->env->arena, (size_t)n->vars_count + 1, sizeof(*defs));
    struct lnode **side = right ? &n->right : &n->in;
    struct lexprs own = {0};

    if (!defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        defs[i].var = n->vars[i];
        defs[i].e = bind_var(&b, right ? n->right_vars[i] : n->left_vars[i], 0);
        if (!defs[i].e)
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < conds->n; i++) {
        struct bexpr *e = logic_replace(q, conds->v[i], defs, n->vars_count);

        if (!e || !lexprs_add(q->env->arena, &own, e))
            return DN_FAIL_NOMEM(err);
    }
    return rewrite_push(q, *side, &own, side, err);
}

static int rewrite_setop(struct planner *q,
                         struct lnode *n,
                         struct lexprs *conds,
                         struct lnode **ret,
                         struct dn_err *err)
{
    struct lexprs down = {0}, stay = {0};
    struct lvars none = {0};
    int rc = rewrite_part(q, conds, &none, &down, &stay, err);

    if (rc == 0)
        rc = rewrite_side(q, n, false, &down, err);
    if (rc == 0)
        rc = rewrite_side(q, n, true, &down, err);
    return rc < 0 ? rc : rewrite_above(q, n, &stay, ret, err);
}

/* ---- leaves and barriers ---- */

/* The only mention of a CTE: its query, with the columns renamed. */
static int rewrite_cte(struct planner *q,
                       struct lnode *n,
                       struct lexprs *conds,
                       struct lnode **ret,
                       struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct lcte *c = n->cte;

    if (c->refs > 1 || c->keep)
        return rewrite_above(q, n, conds, ret, err);
    n->kind = L_MAP;
    n->in = c->tree;
    n->defs = arena_alloc_array(q->env->arena, (size_t)n->vars_count + 1, sizeof(*n->defs));
    if (!n->defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        n->defs[i].var = n->vars[i];
        n->defs[i].e = bind_var(&b, c->vars[i], 0);
        if (!n->defs[i].e)
            return DN_FAIL_NOMEM(err);
    }
    n->defs_count = n->vars_count;
    n->vars = NULL;
    n->vars_count = 0;
    return rewrite_one(q, n, conds, ret, err);
}

static int rewrite_barrier(struct planner *q,
                           struct lnode *n,
                           struct lexprs *conds,
                           struct lnode **ret,
                           struct dn_err *err)
{
    struct lexprs left = {0}, right = {0};
    int rc = n->in ? rewrite_push(q, n->in, &left, &n->in, err) : 0;

    if (rc == 0 && n->right)
        rc = rewrite_push(q, n->right, &right, &n->right, err);
    return rc < 0 ? rc : rewrite_above(q, n, conds, ret, err);
}

static int rewrite_filter(struct planner *q,
                          struct lnode *n,
                          struct lexprs *conds,
                          struct lnode **ret,
                          struct dn_err *err)
{
    struct lexprs all = {0};

    for (uint32_t i = 0; i < n->conds_count; i++) {
        if (!lexprs_add(q->env->arena, &all, n->conds[i]))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < conds->n; i++) {
        if (!lexprs_add(q->env->arena, &all, conds->v[i]))
            return DN_FAIL_NOMEM(err);
    }
    return rewrite_push(q, n->in, &all, ret, err);
}

static int rewrite_push(struct planner *q,
                        struct lnode *n,
                        struct lexprs *conds,
                        struct lnode **ret,
                        struct dn_err *err)
{
    int rc = plan_check_cancel(q->env, err);

    if (rc < 0)
        return rc;
    switch (n->kind) {
    case L_FILTER:
        return rewrite_filter(q, n, conds, ret, err);
    case L_MAP:
    case L_AGG:
    case L_WINDOW:
    case L_UNIQUE:
        return rewrite_one(q, n, conds, ret, err);
    case L_SORT:
        rc = rewrite_in(q, n, conds, err);
        *ret = n;
        return rc;
    case L_JOIN:
        return rewrite_join(q, n, conds, rewrite_push, ret, err);
    case L_SETOP:
        return rewrite_setop(q, n, conds, ret, err);
    case L_CTE:
        return rewrite_cte(q, n, conds, ret, err);
    case L_LIMIT:
    case L_RECURSIVE:
    case L_SINGLE:
    case L_SCAN:
    case L_VALUES:
    case L_FUNCTION:
    case L_WORK:
    case L_SYSTEM:
    case L_FILE:
        return rewrite_barrier(q, n, conds, ret, err);
    case L_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown kind of tree node: %d", (int)n->kind);
}

int rewrite_tree(struct planner *q, struct lnode **tree, struct dn_err *err)
{
    struct lexprs none = {0};

    return rewrite_push(q, *tree, &none, tree, err);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * decorrelate.c: (SELECT agg(x) FROM s WHERE s.k = t.k AND …) for every row of t at once:
 *
 *     SINGLE(t, MAP* (AGG[](FILTER[s.k = t.k, rest] s)))
 *  -> MAP*' (LEFT(t, AGG[s.k](FILTER[rest] s)) ON s.k = t.k)
 *
 * where a row of t without a group gets what the aggregate gives for no rows: NULL, or 0 for count.
 * It is done only if all that correlates are equalities between something of s and something of t,
 * and only then if the rest of the subquery uses nothing of t, and if what is aggregated cannot
 * fail: there may be groups that no row of t asks for.
 *
 * (SELECT 10 / s.x FROM s WHERE s.k = t.k) likewise must not fail for rows of s without a row of t:
 *
 *     SINGLE(t, MAP* (FILTER[s.k = t.k, rest] s))
 *  -> MAP*' (SINGLE(t, MAP[m = true] (FILTER[s.k = t.k, rest] s)))
 *
 * where MAP*' computes CASE WHEN m THEN 10 / s.x END. */
#include "plan/rewrite.h"
#include "plan/safe.h"

#define DECORRELATE_MAPS_MAX 8u

struct decor {
    struct planner *q;
    struct lnode *join;
    struct lnode *maps[DECORRELATE_MAPS_MAX]; /* from the top */
    uint32_t maps_count;
    struct lnode *agg;
    struct lvars left;
};

static bool decor_form(struct decor *d)
{
    struct lnode *n = d->join->right;

    if (d->join->conds_count > 0)
        return false;
    while (n->kind == L_MAP && d->maps_count < DECORRELATE_MAPS_MAX) {
        for (uint32_t i = 0; i < n->defs_count; i++) {
            if (logic_volatile(n->defs[i].e))
                return false;
        }
        d->maps[d->maps_count++] = n;
        n = n->in;
    }
    if (n->kind != L_AGG || n->defs_count > 0 || n->in->kind != L_FILTER)
        return false;
    d->agg = n;
    return logic_safe_tree(d->q, n);
}

/* inner = outer; NULL: the condition is of another form. */
static struct bexpr *
decor_inner(const struct decor *d, const struct bexpr *e, const struct lvars *inner)
{
    if (bind_op_of(e) != OP_EQ || e->args[0]->type != e->args[1]->type)
        return NULL;
    for (int k = 0; k < 2; k++) {
        if (bind_has_columns(e->args[k]) && logic_uses_only(e->args[k], inner) &&
            bind_has_columns(e->args[1 - k]) && !logic_uses_any(e->args[1 - k], inner) &&
            logic_uses_any(e->args[1 - k], &d->left))
            return e->args[k];
    }
    return NULL;
}

/* Parts the filter: what stays, what correlates, and the keys that come of it. 1: not so. */
static int decor_conds(struct decor *d,
                       struct lexprs *stay,
                       struct lexprs *joins,
                       struct lexprs *keys,
                       struct dn_err *err)
{
    const struct lnode *filter = d->agg->in;
    struct arena *arena = d->q->env->arena;
    struct lvars inner = {0};

    if (!logic_gives(d->q, filter->in, &inner))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < filter->conds_count; i++) {
        struct bexpr *e = filter->conds[i];
        struct bexpr *key;

        if (!logic_uses_any(e, &d->left)) {
            if (!lexprs_add(arena, stay, e))
                return DN_FAIL_NOMEM(err);
            continue;
        }
        key = decor_inner(d, e, &inner);
        if (!key)
            return 1;
        if (!lexprs_add(arena, joins, e) || !lexprs_add(arena, keys, key))
            return DN_FAIL_NOMEM(err);
    }
    return joins->n > 0 ? 0 : 1;
}

/* Does anything but the filter use the left side? */
static int decor_clean(struct decor *d, struct dn_err *err)
{
    struct lvars used = {0};

    if (!logic_free(d->q, d->agg->in->in, &used) || !logic_uses_here(d->q, d->agg, &used))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < used.n; i++) {
        if (lvars_has(&d->left, used.v[i]))
            return 1;
    }
    return 0;
}

/* The aggregation by the keys; join conditions compare the keys' variables. */
static int
decor_group(struct decor *d, const struct lexprs *keys, struct lexprs *joins, struct dn_err *err)
{
    struct binder b = query_binder(d->q, NULL, NULL);
    struct lnode *agg = d->agg;

    agg->defs = arena_alloc_array(d->q->env->arena, keys->n, sizeof(*agg->defs));
    if (!agg->defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < keys->n; i++) {
        struct bexpr *e = arena_dup(d->q->env->arena, joins->v[i], sizeof(*e));
        struct bexpr **args = arena_alloc_array(d->q->env->arena, 2, sizeof(*args));
        uint32_t var = logic_var(d->q, "key", keys->v[i]->type);
        struct bexpr *key = var ? bind_var(&b, var, 0) : NULL;

        if (!e || !args || !key)
            return DN_FAIL_NOMEM(err);
        for (int k = 0; k < 2; k++)
            args[k] = e->args[k] == keys->v[i] ? key : e->args[k];
        e->args = args;
        joins->v[i] = e;
        agg->defs[agg->defs_count++] = (struct ldef){.var = var, .e = keys->v[i]};
    }
    return 0;
}

/* count gives 0 for a row without a group: a new variable for what the AGG gives, and the old one
 * for what is seen above the join. */
static int decor_counts(struct decor *d, struct lnode **tree, struct dn_err *err)
{
    struct binder b = query_binder(d->q, NULL, NULL);
    struct ldef *defs =
        arena_alloc_array(d->q->env->arena, (size_t)d->agg->aggs_count + 1, sizeof(*defs));
    uint32_t n = 0;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < d->agg->aggs_count; i++) {
        struct lagg *a = &d->agg->aggs[i];
        struct datum zero = {.type = TYPE_BIGINT};
        struct bexpr *pair[2];
        uint32_t var;
        int rc;

        if (strcmp(a->agg.agg->name, "count") != 0)
            continue;
        var = logic_var(d->q, a->agg.agg->name, a->agg.agg->result);
        pair[0] = var ? bind_var(&b, var, 0) : NULL;
        if (!pair[0])
            return DN_FAIL_NOMEM(err);
        rc = bind_const(&b, &zero, 0, &pair[1], err);
        if (rc == 0)
            rc = bind_merge(&b, pair, true, false, &defs[n].e, err);
        if (rc < 0)
            return rc;
        defs[n++].var = a->var;
        a->var = var;
    }
    *tree = logic_map(d->q, *tree, defs, n);
    return *tree ? 0 : DN_FAIL_NOMEM(err);
}

int decorrelate_agg(struct planner *q, struct lnode *join, struct lnode **ret, struct dn_err *err)
{
    struct decor d = {.q = q, .join = join};
    struct lexprs stay = {0}, joins = {0}, keys = {0};
    struct lnode *tree = join;
    int rc;

    if (!decor_form(&d))
        return 1;
    if (!logic_gives(q, join->in, &d.left))
        return DN_FAIL_NOMEM(err);
    rc = decor_clean(&d, err);
    if (rc == 0)
        rc = decor_conds(&d, &stay, &joins, &keys, err);
    if (rc != 0)
        return rc;
    d.agg->in = logic_filter(q, d.agg->in->in, stay.v, stay.n);
    if (!d.agg->in)
        return DN_FAIL_NOMEM(err);
    rc = decor_group(&d, &keys, &joins, err);
    if (rc < 0)
        return rc;
    join->join = PLAN_JOIN_LEFT;
    join->right = d.agg;
    join->conds = joins.v;
    join->conds_count = joins.n;
    rc = decor_counts(&d, &tree, err);
    for (uint32_t i = d.maps_count; rc == 0 && i-- > 0;) {
        d.maps[i]->in = tree;
        tree = d.maps[i];
    }
    *ret = tree;
    return rc;
}

/* ---- expressions that might fail ---- */

/* A column that tells rows which found a partner. */
static int
decor_marked(struct planner *q, struct lnode **tree, struct bexpr **ret, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct datum yes = {.type = TYPE_BOOLEAN, .v = {.i64 = 1}};
    struct ldef def = {.var = logic_var(q, "matched", TYPE_BOOLEAN)};
    int rc = bind_const(&b, &yes, 0, &def.e, err);

    if (rc < 0)
        return rc;
    *ret = def.var ? bind_var(&b, def.var, 0) : NULL;
    *tree = *ret ? logic_map(q, *tree, &def, 1) : NULL;
    return *tree ? 0 : DN_FAIL_NOMEM(err);
}

/* Are these expressions to be moved: might one fail, is none volatile or used by the join? */
static bool decor_moves(const struct planner *q, const struct lnode *join)
{
    bool safe = true;

    for (const struct lnode *n = join->right; n->kind == L_MAP; n = n->in) {
        for (uint32_t i = 0; i < n->defs_count; i++) {
            struct lvars own = {.v = &n->defs[i].var, .n = 1};

            if (logic_volatile(n->defs[i].e))
                return false;
            for (uint32_t k = 0; k < join->conds_count; k++) {
                if (logic_uses_any(join->conds[k], &own))
                    return false;
            }
            safe = safe && logic_safe_expr(q, n->defs[i].e);
        }
    }
    return !safe;
}

int decorrelate_maps(struct planner *q, struct lnode *join, struct lnode **ret, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct lvars left = {0}, free = {0};
    struct lnode *top = join->right, *last = NULL, *tree = join->right;
    struct bexpr *matched;
    bool correlated = false;
    int rc;

    if (!decor_moves(q, join))
        return 1;
    for (; tree->kind == L_MAP; tree = tree->in)
        last = tree;
    if (tree->kind != L_FILTER) /* whose conditions become those of the join */
        return 1;
    if (!logic_gives(q, join->in, &left) || !logic_free(q, tree, &free))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < free.n; i++)
        correlated = correlated || lvars_has(&left, free.v[i]);
    if (!correlated)
        return 1;
    rc = decor_marked(q, &tree, &matched, err);
    for (struct lnode *n = top; rc == 0; n = n->in) {
        for (uint32_t i = 0; rc == 0 && i < n->defs_count; i++)
            rc = bind_when(&b, matched, n->defs[i].e, &n->defs[i].e, err);
        if (n == last)
            break;
    }
    if (rc < 0)
        return rc;
    join->right = tree;
    last->in = join;
    *ret = top;
    return 0;
}

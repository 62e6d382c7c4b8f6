/* SPDX-License-Identifier: Apache-2.0
 *
 * ranges.c: a DELETE that is a handful of ranges of the key. Each constraint is a set of intervals
 * of one column; a range takes one interval of each, so there are as many as the product. */
#include "plan/ranges.h"

/* Is the interval one value? */
static bool ranges_point(const struct interval *iv)
{
    return iv->has_lo && iv->has_hi && iv->lo_incl && iv->hi_incl &&
           datum_cmp(&iv->lo, &iv->hi) == 0;
}

/* May a range say this? All values of a key column are of its type, and none is NULL. */
static bool ranges_fit(const struct table *t, const struct scan_pred *p)
{
    const struct column *c = &t->columns[p->col];

    if (p->col >= t->columns_count || c->key_pos == 0)
        return false;
    for (uint32_t i = 0; i < p->set_count; i++) {
        const struct interval *iv = &p->set[i];

        if ((iv->has_lo && iv->lo.type != c->type) || (iv->has_hi && iv->hi.type != c->type))
            return false;
    }
    return true;
}

/* How many ranges are they? 0: none, or too many, or rows by themselves. */
static uint32_t ranges_count(const struct table *t, const struct plan_preds *preds)
{
    uint32_t count = 1;
    uint32_t points = 0;

    if (!preds->exact)
        return 0;
    for (uint32_t i = 0; i < preds->count; i++) {
        const struct scan_pred *p = &preds->preds[i];
        bool all = true;

        if (!ranges_fit(t, p) || p->set_count > PLAN_RANGES_MAX)
            return 0;
        count *= p->set_count;
        if (count > PLAN_RANGES_MAX)
            return 0;
        for (uint32_t k = 0; k < p->set_count; k++)
            all = all && ranges_point(&p->set[k]);
        points += all;
    }
    return points > 0 && points == t->local_count ? 0 : count;
}

static int ranges_make(const struct table *t,
                       const struct plan_preds *preds,
                       uint32_t number,
                       struct arena *arena,
                       struct range *ret,
                       struct dn_err *err)
{
    *ret = (struct range){.slab_min = INT64_MIN, .slab_max = INT64_MAX};
    ret->bounds = arena_calloc(arena, (size_t)preds->count + 1, sizeof(*ret->bounds));
    if (!ret->bounds)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < preds->count; i++) {
        const struct scan_pred *p = &preds->preds[i];
        const struct interval *iv = &p->set[number % p->set_count];

        number /= p->set_count;
        if (iv->has_lo || iv->has_hi)
            ret->bounds[ret->bounds_count++] =
                (struct range_bound){.col_id = t->columns[p->col].id, .iv = *iv};
    }
    return 0;
}

/* count(*) over the rows. */
static int ranges_counter(struct plan_node *input,
                          struct arena *arena,
                          struct plan_node **ret,
                          struct dn_err *err)
{
    struct plan_node *n = arena_calloc(arena, 1, sizeof(*n));
    struct plan_agg *agg = arena_calloc(arena, 1, sizeof(*agg));
    struct plan_col *col = arena_calloc(arena, 1, sizeof(*col));

    if (!n || !agg || !col)
        return DN_FAIL_NOMEM(err);
    agg->agg = agg_find("count", true, TYPE_NONE, 0, err);
    if (!agg->agg)
        return DN_E_INTERNAL;
    *col = (struct plan_col){.name = "count(*)", .type = agg->agg->result};
    *n = (struct plan_node){.kind = PLAN_AGGREGATE,
                            .input = input,
                            .cols = col,
                            .cols_count = 1,
                            .aggs = agg,
                            .aggs_count = 1};
    *ret = n;
    return 0;
}

int plan_delete_ranges(const struct plan_env *env,
                       const struct plan *p,
                       const struct datum *params,
                       uint32_t params_count,
                       struct arena *arena,
                       struct plan_ranges *ret,
                       struct dn_err *err)
{
    struct plan_node *node = p->root;
    struct plan_preds preds;
    struct plan_node scan;
    int rc;

    *ret = (struct plan_ranges){.count = 0};
    if (!p->change || p->change->sets_count > 0)
        return 0;
    while (node->kind == PLAN_PROJECT)
        node = node->input;
    scan = node->kind == PLAN_FILTER ? *node->input : *node;
    if (scan.kind != PLAN_SCAN)
        return 0;
    scan.prune = node->kind == PLAN_FILTER ? node->filter : NULL;
    rc = plan_scan_preds(env, &scan, params, params_count, arena, &preds, err);
    if (rc < 0)
        return rc;
    ret->count = ranges_count(p->table, &preds);
    if (ret->count == 0)
        return 0;
    ret->v = arena_calloc(arena, ret->count, sizeof(*ret->v));
    if (!ret->v)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < ret->count; i++)
        rc = ranges_make(p->table, &preds, i, arena, &ret->v[i], err);
    return rc < 0 ? rc : ranges_counter(node, arena, &ret->counter, err);
}

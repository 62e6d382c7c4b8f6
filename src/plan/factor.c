/* SPDX-License-Identifier: Apache-2.0
 *
 * factor.c: what an OR says that can go on its way alone:
 *
 *     (a AND x) OR (a AND y)                    a AND (x OR y)
 *     (t.a AND u.x) OR (t.b AND u.y)            … AND (t.a OR t.b) AND (u.x OR u.y)
 *
 * so that joins find their equalities and tables their conditions. For conditions whose NULL counts
 * as false. */
#include "plan/factor.h"

#include "plan/bind.h"

#define FACTOR_BRANCHES_MAX 64u /* of an OR */
#define FACTOR_PARTS_MAX    32u /* of a branch */

/* The operands of an AND, or the condition itself. */
static struct bexpr *const *factor_parts(struct bexpr *const *e, uint32_t *ret_count)
{
    *ret_count = (*e)->kind == BEXPR_AND ? (*e)->args_count : 1;
    return (*e)->kind == BEXPR_AND ? (*e)->args : e;
}

static bool factor_has(struct bexpr *const *branch, const struct bexpr *part)
{
    uint32_t n;
    struct bexpr *const *parts = factor_parts(branch, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (bind_same(parts[i], part))
            return true;
    }
    return false;
}

static bool factor_too_big(const struct bexpr *e)
{
    if (e->args_count > FACTOR_BRANCHES_MAX)
        return true;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (e->args[i]->kind == BEXPR_AND && e->args[i]->args_count > FACTOR_PARTS_MAX)
            return true;
    }
    return false;
}

/* AND or OR of a list, or its only element. */
static struct bexpr *factor_join(struct planner *q, enum bexpr_kind kind, const struct lexprs *list)
{
    struct bexpr *out;

    if (list->n == 1)
        return list->v[0];
    out = arena_calloc(q->env->arena, 1, sizeof(*out));
    if (!out)
        return NULL;
    out->kind = kind;
    out->type = TYPE_BOOLEAN;
    out->pos = list->v[0]->pos;
    out->args = list->v;
    out->args_count = list->n;
    return out;
}

/* The OR without what all its branches have. NULL in *ret: nothing is left, it is true. */
static bool factor_rest(struct planner *q,
                        const struct bexpr *e,
                        const struct lexprs *common,
                        struct bexpr **ret)
{
    struct lexprs branches = {0};

    *ret = NULL;
    for (uint32_t i = 0; i < e->args_count; i++) {
        struct lexprs left = {0};
        struct bexpr *branch;
        uint32_t n;
        struct bexpr *const *parts = factor_parts(&e->args[i], &n);

        for (uint32_t k = 0; k < n; k++) {
            bool known = false;

            for (uint32_t c = 0; c < common->n && !known; c++)
                known = bind_same(common->v[c], parts[k]);
            if (!known && !lexprs_add(q->env->arena, &left, parts[k]))
                return false;
        }
        if (left.n == 0)
            return true;
        branch = factor_join(q, BEXPR_AND, &left);
        if (!branch || !lexprs_add(q->env->arena, &branches, branch))
            return false;
    }
    *ret = factor_join(q, BEXPR_OR, &branches);
    return *ret != NULL;
}

/* Does it use columns of that table and nothing else? */
static bool factor_is_of(const struct planner *q, const struct bexpr *e, const struct lrel *rel)
{
    if (e->kind == BEXPR_COLUMN)
        return q->vars[e->col].rel == rel;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!factor_is_of(q, e->args[i], rel))
            return false;
    }
    return true;
}

/* What the OR says about one table: from each branch the parts about it; nothing if one has none.
 */
static bool
factor_table(struct planner *q, const struct bexpr *e, const struct lrel *rel, struct lexprs *to)
{
    struct lexprs branches = {0};
    struct bexpr *out;

    for (uint32_t i = 0; i < e->args_count; i++) {
        struct lexprs about = {0};
        uint32_t n;
        struct bexpr *const *parts = factor_parts(&e->args[i], &n);

        for (uint32_t k = 0; k < n; k++) {
            if (bind_has_columns(parts[k]) && !logic_volatile(parts[k]) &&
                factor_is_of(q, parts[k], rel) && !lexprs_add(q->env->arena, &about, parts[k]))
                return false;
        }
        if (about.n == 0)
            return true;
        out = factor_join(q, BEXPR_AND, &about);
        if (!out || !lexprs_add(q->env->arena, &branches, out))
            return false;
    }
    out = factor_join(q, BEXPR_OR, &branches);
    return out && lexprs_add(q->env->arena, to, out);
}

/* The tables of a FROM that an OR is about, if there are several. */
static bool factor_tables(struct planner *q, const struct bexpr *e, struct lexprs *to)
{
    struct lvars used = {0};
    const struct lrel *rels[8];
    uint32_t n = 0;

    if (!logic_uses(q, e, &used))
        return false;
    for (uint32_t i = 0; i < used.n; i++) {
        const struct lrel *rel = q->vars[used.v[i]].rel;
        uint32_t k = 0;

        while (k < n && rels[k] != rel)
            k++;
        if (rel && k == n && n < DN_ARRAY_SIZE(rels))
            rels[n++] = rel;
    }
    for (uint32_t i = 0; n > 1 && i < n; i++) {
        if (!factor_table(q, e, rels[i], to))
            return false;
    }
    return true;
}

bool factor_or(struct planner *q, struct bexpr *cond, struct lexprs *to)
{
    struct lexprs common = {0};
    struct bexpr *rest = cond;
    uint32_t n;
    struct bexpr *const *parts = factor_parts(&cond->args[0], &n);

    if (factor_too_big(cond))
        return lexprs_add(q->env->arena, to, cond);
    for (uint32_t k = 0; k < n; k++) {
        bool all = !logic_volatile(parts[k]);

        for (uint32_t i = 1; i < cond->args_count && all; i++)
            all = factor_has(&cond->args[i], parts[k]);
        if (all && (!lexprs_add(q->env->arena, &common, parts[k]) ||
                    !lexprs_add(q->env->arena, to, parts[k])))
            return false;
    }
    if (common.n > 0 && !factor_rest(q, cond, &common, &rest))
        return false;
    if (!rest)
        return true;
    if (rest->kind == BEXPR_OR && !factor_tables(q, rest, to))
        return false;
    return lexprs_add(q->env->arena, to, rest);
}

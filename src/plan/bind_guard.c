/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_guard.c: subqueries in expressions that are not reached for every row: the branches of CASE,
 * the later operands of COALESCE, AND and OR.
 *
 * Subqueries become joins below the expression (bind_query.c), so they would be computed for rows
 * whose branch is not taken; what fails there (a division by zero, a second row) must not be seen.
 * Who binds such an operand counts the subqueries before and after, and those in between get a
 * guard: the condition under which the operand is looked at. When they are attached it becomes a
 * column of the left side, and
 *
 *   - a subquery in which nothing can fail is joined as if there were no guard,
 *   - (SELECT expression of aggregates …) is computed, and the expression only under the guard,
 *   - any other has the guard as a filter above its query, which is then not run;
 *
 * and what a comparison (x IN …) computes of the row is NULL where the guard is not true. A guard
 * with random() in it would not say the same twice: there is none then. */
#include "plan/safe.h"
#include "plan/select_rows.h"

/* ---- while binding ---- */

static struct bind_subs *guard_list(struct binder *b)
{
    return b->in_agg && b->level ? &b->level->subs_inner : b->subs;
}

uint32_t bind_guard_from(struct binder *b)
{
    const struct bind_subs *list = guard_list(b);

    return list ? list->n : 0;
}

int bind_guard(struct binder *b, const struct bind_reach *r, struct dn_err *err)
{
    struct bind_subs *list = guard_list(b);
    uint32_t n = 0;
    struct bexpr **all;
    int rc = 0;

    if (!list || list->n <= r->from)
        return 0;
    all = arena_alloc_array(b->env->arena, (size_t)r->count + 3, sizeof(struct bexpr *));
    if (!all)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < r->count; i += r->step) {
        rc = bind_settle(b, r->before[i], &all[n], err);
        if (rc == 0)
            rc = bind_call(b, r->test, r->before[i]->pos, &all[n], 1, &all[n], err);
        n++;
    }
    if (r->cond)
        all[n++] = r->cond;
    if (rc < 0 || n == 0)
        return rc;
    for (uint32_t i = 0; i < n; i++) {
        if (logic_volatile(all[i]))
            return 0;
    }
    for (uint32_t i = r->from; rc == 0 && i < list->n; i++) {
        struct bexpr **guard = &list->v[i].guard;

        all[n] = *guard; /* the outer conditions before the inner ones */
        rc = bind_chain(b, BEXPR_AND, all[0]->pos, all, n + (*guard ? 1 : 0), guard, err);
    }
    return rc;
}

/* ---- when they are attached ---- */

static bool guard_needed(const struct planner *q, const struct bind_sub *sub)
{
    bool safe = logic_safe_tree(q, sub->tree) &&
                (sub->join != PLAN_JOIN_SINGLE || logic_safe_row(sub->tree));

    for (uint32_t i = 0; i < sub->conds_count && safe; i++)
        safe = logic_safe_expr(q, sub->conds[i]);
    return !safe;
}

/* What a condition computes of the row alone is computed where the guard is true. */
static int guard_cond(struct binder *b,
                      struct bexpr *guard,
                      const struct lvars *right,
                      struct bexpr **e,
                      struct dn_err *err)
{
    struct bexpr *out;
    int rc = 0;

    if (logic_safe_expr(b->q, *e))
        return 0;
    if (!logic_uses_any(*e, right))
        return bind_when(b, guard, *e, e, err);
    out = arena_dup(b->env->arena, *e, sizeof(*out));
    if (out)
        out->args = arena_dup(b->env->arena, out->args, out->args_count * sizeof(struct bexpr *));
    if (!out || !out->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < out->args_count; i++)
        rc = guard_cond(b, guard, right, &out->args[i], err);
    *e = out;
    return rc;
}

/* Expressions over one row of aggregates: they alone are guarded. 1: it is of another form. */
static int guard_maps(struct binder *b, struct bexpr *guard, struct lnode *tree, struct dn_err *err)
{
    const struct lnode *n = tree;
    int rc = 0;

    while (n->kind == L_MAP)
        n = n->in;
    if (n->kind != L_AGG || n->defs_count > 0 || !logic_safe_tree(b->q, n))
        return 1;
    for (struct lnode *map = tree; map->kind == L_MAP; map = map->in) {
        for (uint32_t i = 0; rc == 0 && i < map->defs_count; i++) {
            if (!logic_safe_expr(b->q, map->defs[i].e))
                rc = bind_when(b, guard, map->defs[i].e, &map->defs[i].e, err);
        }
    }
    return rc;
}

int bind_guard_attach(struct binder *b,
                      const struct bind_sub *sub,
                      struct lnode *join,
                      struct dn_err *err)
{
    struct ldef def = {.e = sub->guard};
    struct lvars free = {0}, right = {0};
    struct bexpr *guard;
    int rc = 1;

    if (!sub->guard || !guard_needed(b->q, sub))
        return 0;
    def.var = logic_var(b->q, "reached", TYPE_BOOLEAN);
    guard = def.var ? bind_var(b, def.var, sub->guard->pos) : NULL;
    join->in = guard ? logic_map(b->q, join->in, &def, 1) : NULL;
    if (!join->in || !logic_free(b->q, join->right, &free) ||
        !logic_gives(b->q, join->right, &right))
        return DN_FAIL_NOMEM(err);
    if (join->join == PLAN_JOIN_SINGLE)
        rc = guard_maps(b, guard, join->right, err);
    if (rc == 1 && (free.n > 0 || join->join == PLAN_JOIN_SINGLE)) {
        join->right = logic_filter(b->q, join->right, &guard, 1);
        join->guarded = true;
        if (!join->right)
            return DN_FAIL_NOMEM(err);
    }
    rc = rc < 0 ? rc : 0;
    for (uint32_t i = 0; rc == 0 && i < join->conds_count; i++)
        rc = guard_cond(b, guard, &right, &join->conds[i], err);
    return rc;
}

bool bind_subs_push(struct arena *arena, struct bind_subs *list, const struct bind_sub *sub)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? 2 * list->cap : 4;
        struct bind_sub *more = arena_alloc_array(arena, cap, sizeof(*more));

        if (!more)
            return false;
        if (list->n)
            memcpy(more, list->v, list->n * sizeof(*more));
        list->v = more;
        list->cap = cap;
    }
    list->v[list->n++] = *sub;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * clone.c: a tree once more. Variables that it defines are new ones in the copy, so that both may
 * stand in one plan; or they stay, and only what the tree uses of others is exchanged. */
#include "plan/clone.h"

struct clone {
    struct planner *q;
    struct lmap *map;
    bool keep;        /* definitions keep their variables */
    struct lvars old; /* working tables of recursions in the tree, and their new numbers */
    struct lvars new;
};

static const struct ldef *clone_find(const struct lmap *map, uint32_t var)
{
    for (uint32_t i = 0; i < map->n; i++) {
        if (map->v[i].var == var)
            return &map->v[i];
    }
    return NULL;
}

bool logic_map_var(struct planner *q, struct lmap *map, uint32_t from, uint32_t to)
{
    struct bexpr *e = arena_calloc(q->env->arena, 1, sizeof(*e));

    if (map->n == map->cap) {
        uint32_t cap = 2 * map->cap + 16;
        struct ldef *more = arena_alloc_array(q->env->arena, cap, sizeof(*more));

        if (!more)
            return false;
        if (map->n)
            memcpy(more, map->v, map->n * sizeof(*more));
        map->v = more;
        map->cap = cap;
    }
    if (!e)
        return false;
    e->kind = BEXPR_COLUMN;
    e->type = q->vars[to].type;
    e->col = to;
    map->v[map->n++] = (struct ldef){.var = from, .e = e};
    return true;
}

uint32_t logic_mapped(const struct lmap *map, uint32_t var)
{
    const struct ldef *d = clone_find(map, var);

    return d ? d->e->col : var;
}

/* A variable that the tree defines. One that its input has already (the key of an aggregation that
 * is a column) stays the same. */
static bool clone_def(struct clone *c, uint32_t *var)
{
    struct lvar like;
    uint32_t fresh;

    if (*var == 0 || c->keep)
        return true;
    if (clone_find(c->map, *var)) {
        *var = logic_mapped(c->map, *var);
        return true;
    }
    like = c->q->vars[*var];
    fresh = logic_var(c->q, like.name, like.type);
    if (!fresh || !logic_map_var(c->q, c->map, *var, fresh))
        return false;
    c->q->vars[fresh] = like;
    *var = fresh;
    return true;
}

static bool clone_expr(struct clone *c, struct bexpr **e)
{
    if (*e)
        *e = logic_replace(c->q, *e, c->map->v, c->map->n);
    return *e != NULL;
}

static bool clone_opt(struct clone *c, struct bexpr **e)
{
    return !*e || clone_expr(c, e);
}

static bool clone_exprs(struct clone *c, struct bexpr ***list, uint32_t n)
{
    if (n == 0)
        return true;
    *list = arena_dup(c->q->env->arena, *list, n * sizeof(struct bexpr *));
    for (uint32_t i = 0; *list && i < n; i++) {
        if (!clone_expr(c, &(*list)[i]))
            return false;
    }
    return *list != NULL;
}

/* A list of variables: those used are mapped, those defined are made. */
static bool clone_vars(struct clone *c, uint32_t **list, uint32_t n, bool define)
{
    if (!*list || n == 0)
        return true;
    *list = arena_dup(c->q->env->arena, *list, n * sizeof(uint32_t));
    for (uint32_t i = 0; *list && i < n; i++) {
        if (!define)
            (*list)[i] = logic_mapped(c->map, (*list)[i]);
        else if (!clone_def(c, &(*list)[i]))
            return false;
    }
    return *list != NULL;
}

static bool clone_agg(struct clone *c, struct plan_agg *a)
{
    if (!clone_opt(c, &a->arg) || !clone_opt(c, &a->arg2))
        return false;
    if (a->order_count == 0)
        return true;
    a->order = arena_dup(c->q->env->arena, a->order, a->order_count * sizeof(*a->order));
    for (uint32_t i = 0; a->order && i < a->order_count; i++) {
        if (!clone_expr(c, &a->order[i].e))
            return false;
    }
    return a->order != NULL;
}

static bool clone_defs(struct clone *c, struct lnode *n)
{
    struct arena *arena = c->q->env->arena;

    n->defs = n->defs_count ? arena_dup(arena, n->defs, n->defs_count * sizeof(*n->defs)) : NULL;
    n->aggs = n->aggs_count ? arena_dup(arena, n->aggs, n->aggs_count * sizeof(*n->aggs)) : NULL;
    n->calls =
        n->calls_count ? arena_dup(arena, n->calls, n->calls_count * sizeof(*n->calls)) : NULL;
    if ((n->defs_count && !n->defs) || (n->aggs_count && !n->aggs) || (n->calls_count && !n->calls))
        return false;
    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (!clone_expr(c, &n->defs[i].e))
            return false;
    }
    for (uint32_t i = 0; i < n->aggs_count; i++) {
        if (!clone_agg(c, &n->aggs[i].agg))
            return false;
    }
    for (uint32_t i = 0; i < n->calls_count; i++) {
        struct plan_window_call *w = &n->calls[i].call;

        if (!clone_agg(c, &w->agg) || !clone_exprs(c, &w->args, w->args_count) ||
            !clone_opt(c, &w->filter) || !clone_opt(c, &w->frame.start_offset) ||
            !clone_opt(c, &w->frame.end_offset))
            return false;
    }
    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (!clone_def(c, &n->defs[i].var))
            return false;
    }
    for (uint32_t i = 0; i < n->aggs_count; i++) {
        if (!clone_def(c, &n->aggs[i].var))
            return false;
    }
    for (uint32_t i = 0; i < n->calls_count; i++) {
        if (!clone_def(c, &n->calls[i].var))
            return false;
    }
    return true;
}

static bool clone_keys(struct clone *c, struct lnode *n)
{
    if (n->keys_count == 0)
        return true;
    n->keys = arena_dup(c->q->env->arena, n->keys, n->keys_count * sizeof(*n->keys));
    for (uint32_t i = 0; n->keys && i < n->keys_count; i++)
        n->keys[i].var = logic_mapped(c->map, n->keys[i].var);
    return n->keys != NULL;
}

static bool clone_func(struct clone *c, struct lnode *n)
{
    struct plan_function *f;

    if (!n->func)
        return true;
    f = arena_dup(c->q->env->arena, n->func, sizeof(*f));
    if (!f)
        return false;
    f->calls = arena_dup(c->q->env->arena, f->calls, f->calls_count * sizeof(*f->calls));
    for (uint32_t i = 0; f->calls && i < f->calls_count; i++) {
        if (!clone_exprs(c, &f->calls[i].args, f->calls[i].args_count))
            return false;
    }
    n->func = f;
    return f->calls != NULL;
}

/* Each copy of a recursion has a working table of its own. */
static bool clone_work(struct clone *c, struct lnode *n)
{
    struct arena *arena = c->q->env->arena;

    if (c->keep)
        return true;
    if (n->kind == L_RECURSIVE) {
        uint32_t number = c->q->plan->works_count++;

        if (!lvars_add(arena, &c->old, n->work) || !lvars_add(arena, &c->new, number))
            return false;
    }
    for (uint32_t i = 0; (n->kind == L_RECURSIVE || n->kind == L_WORK) && i < c->old.n; i++) {
        if (c->old.v[i] == n->work) {
            n->work = c->new.v[i];
            break;
        }
    }
    return true;
}

static struct lnode *clone_node(struct clone *c, const struct lnode *from)
{
    struct lnode *n = arena_dup(c->q->env->arena, from, sizeof(*n));

    if (!n || !clone_work(c, n))
        return NULL;
    n->in = from->in ? clone_node(c, from->in) : NULL;
    n->right = from->right ? clone_node(c, from->right) : NULL;
    if ((from->in && !n->in) || (from->right && !n->right))
        return NULL;
    if (n->kind == L_SCAN && !clone_vars(c, &n->col_vars, store_cols_count(n->table), true))
        return NULL;
    if (n->kind == L_CTE && !c->keep)
        n->cte->refs++;
    if (!clone_exprs(c, &n->conds, n->conds_count) || !clone_defs(c, n) || !clone_keys(c, n) ||
        !clone_func(c, n) || !clone_vars(c, &n->partition, n->partition_count, false) ||
        !clone_opt(c, &n->limit) || !clone_opt(c, &n->offset) ||
        !clone_exprs(c, &n->values, n->rows_count * n->vars_count) ||
        !clone_vars(c, &n->left_vars, n->vars_count, false) ||
        !clone_vars(c, &n->right_vars, n->vars_count, false) ||
        !clone_vars(c, &n->vars, n->vars_count, true) || !clone_def(c, &n->mark))
        return NULL;
    return n;
}

struct lnode *logic_clone(struct planner *q, const struct lnode *tree, struct lmap *map)
{
    struct clone c = {.q = q, .map = map};

    return clone_node(&c, tree);
}

struct lnode *logic_rename(struct planner *q, const struct lnode *tree, struct lmap *map)
{
    struct clone c = {.q = q, .map = map, .keep = true};

    return clone_node(&c, tree);
}

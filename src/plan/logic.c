/* SPDX-License-Identifier: Apache-2.0
 *
 * logic.c: making and looking through trees over variables; logic.h says what they are. */
#include "plan/factor.h"
#include "plan/padded.h"

/* ---- lists ---- */

bool lvars_add(struct arena *arena, struct lvars *l, uint32_t var)
{
    if (l->n == l->cap) {
        uint32_t cap = l->cap ? 2 * l->cap : 16;
        uint32_t *more = arena_alloc_array(arena, cap, sizeof(*more));

        if (!more)
            return false;
        if (l->n)
            memcpy(more, l->v, l->n * sizeof(*more));
        l->v = more;
        l->cap = cap;
    }
    l->v[l->n++] = var;
    return true;
}

bool lvars_has(const struct lvars *l, uint32_t var)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->v[i] == var)
            return true;
    }
    return false;
}

bool lvars_add_new(struct arena *arena, struct lvars *l, uint32_t var)
{
    return lvars_has(l, var) || lvars_add(arena, l, var);
}

bool lexprs_add(struct arena *arena, struct lexprs *l, struct bexpr *e)
{
    if (l->n == l->cap) {
        uint32_t cap = l->cap ? 2 * l->cap : 8;
        struct bexpr **more = arena_alloc_array(arena, cap, sizeof(*more));

        if (!more)
            return false;
        if (l->n)
            memcpy(more, l->v, l->n * sizeof(*more));
        l->v = more;
        l->cap = cap;
    }
    l->v[l->n++] = e;
    return true;
}

/* ---- making ---- */

uint32_t logic_var(struct planner *q, const char *name, enum type_id type)
{
    if (q->vars_count == q->vars_cap) {
        uint32_t cap = q->vars_cap ? 2 * q->vars_cap : 64;
        struct lvar *more = arena_alloc_array(q->env->arena, cap, sizeof(*more));

        if (!more)
            return 0;
        if (q->vars_count)
            memcpy(more, q->vars, q->vars_count * sizeof(*more));
        else
            q->vars_count = 1;
        q->vars = more;
        q->vars_cap = cap;
    }
    q->vars[q->vars_count] = (struct lvar){.name = name, .type = type};
    return q->vars_count++;
}

static bool logic_is_padded(enum type_id type)
{
    return type == TYPE_BPCHAR || type == type_array_of(TYPE_BPCHAR);
}

int32_t logic_chars(const struct planner *q, uint32_t var)
{
    const struct lvar *v = &q->vars[var];

    return logic_is_padded(v->type) && v->origin.mods.count ? v->origin.mods.v[0]
                                                            : -(int32_t)v->row;
}

void logic_set_chars(struct planner *q, uint32_t var, int32_t chars)
{
    if (var && chars < 0 && q->vars[var].type == TYPE_VARCHAR)
        q->vars[var].row = (uint32_t)-chars;
    if (var && chars > 0 && logic_is_padded(q->vars[var].type)) {
        q->vars[var].origin.declared = true;
        q->vars[var].origin.mods = (struct type_mods){.count = 1, .v = {chars}};
    }
}

void logic_named(struct planner *q, uint32_t var, uint32_t as)
{
    q->vars[var].name = q->vars[as].name;
    q->vars[var].origin = q->vars[as].origin;
}

struct lnode *logic_node(struct planner *q, enum lkind kind, struct lnode *in)
{
    struct lnode *n = arena_calloc(q->env->arena, 1, sizeof(*n));

    if (!n)
        return NULL;
    n->kind = kind;
    n->in = in;
    return n;
}

struct lnode *
logic_filter(struct planner *q, struct lnode *in, struct bexpr *const *conds, uint32_t count)
{
    struct lnode *n;

    if (count == 0)
        return in;
    n = logic_node(q, L_FILTER, in);
    if (!n)
        return NULL;
    n->conds = arena_dup(q->env->arena, conds, count * sizeof(struct bexpr *));
    n->conds_count = count;
    return n->conds ? n : NULL;
}

bool logic_split(struct planner *q, struct bexpr *cond, struct lexprs *to)
{
    if (cond->kind == BEXPR_AND) {
        for (uint32_t i = 0; i < cond->args_count; i++) {
            if (!logic_split(q, cond->args[i], to))
                return false;
        }
        return true;
    }
    if (cond->kind == BEXPR_CONST && !cond->value.null && cond->value.v.i64)
        return true;
    if (cond->kind == BEXPR_OR)
        return factor_or(q, cond, to);
    return lexprs_add(q->env->arena, to, cond);
}

struct lnode *
logic_map(struct planner *q, struct lnode *in, const struct ldef *defs, uint32_t count)
{
    struct lnode *n;

    if (count == 0)
        return in;
    n = logic_node(q, L_MAP, in);
    if (!n)
        return NULL;
    n->defs = arena_dup(q->env->arena, defs, count * sizeof(*defs));
    n->defs_count = count;
    return n->defs ? n : NULL;
}

/* ---- expressions ---- */

bool logic_uses(struct planner *q, const struct bexpr *e, struct lvars *to)
{
    if (!e)
        return true;
    if (e->kind == BEXPR_COLUMN)
        return lvars_add_new(q->env->arena, to, e->col);
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!logic_uses(q, e->args[i], to))
            return false;
    }
    return true;
}

bool logic_uses_any(const struct bexpr *e, const struct lvars *vars)
{
    if (e->kind == BEXPR_COLUMN)
        return lvars_has(vars, e->col);
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (logic_uses_any(e->args[i], vars))
            return true;
    }
    return false;
}

bool logic_uses_only(const struct bexpr *e, const struct lvars *vars)
{
    if (e->kind == BEXPR_COLUMN)
        return lvars_has(vars, e->col);
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!logic_uses_only(e->args[i], vars))
            return false;
    }
    return true;
}

bool logic_volatile(const struct bexpr *e)
{
    if (e->kind == BEXPR_CALL && (e->func->flags & FUNC_VOLATILE))
        return true;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (logic_volatile(e->args[i]))
            return true;
    }
    return false;
}

struct bexpr *
logic_replace(struct planner *q, struct bexpr *e, const struct ldef *defs, uint32_t count)
{
    struct bexpr *out;

    if (e->kind == BEXPR_COLUMN) {
        for (uint32_t i = 0; i < count; i++) {
            if (defs[i].var == e->col)
                return defs[i].e;
        }
        return e;
    }
    if (e->args_count == 0)
        return e;
    out = arena_dup(q->env->arena, e, sizeof(*e));
    if (!out)
        return NULL;
    out->args = arena_alloc_array(q->env->arena, e->args_count, sizeof(struct bexpr *));
    if (!out->args)
        return NULL;
    for (uint32_t i = 0; i < e->args_count; i++) {
        out->args[i] = logic_replace(q, e->args[i], defs, count);
        if (!out->args[i])
            return NULL;
    }
    return out;
}

/* ---- trees ---- */

static bool logic_add_all(struct planner *q, const uint32_t *v, uint32_t n, struct lvars *to)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!lvars_add_new(q->env->arena, to, v[i]))
            return false;
    }
    return true;
}

static bool logic_gives_scan(struct planner *q, const struct lnode *n, struct lvars *to)
{
    uint32_t cols = store_cols_count(n->table);

    for (uint32_t i = 0; i < cols; i++) {
        if (n->col_vars[i] && !lvars_add_new(q->env->arena, to, n->col_vars[i]))
            return false;
    }
    return true;
}

static bool logic_gives_own(struct planner *q, const struct lnode *n, struct lvars *to)
{
    struct arena *arena = q->env->arena;

    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (!lvars_add_new(arena, to, n->defs[i].var))
            return false;
    }
    for (uint32_t i = 0; i < n->aggs_count; i++) {
        if (!lvars_add_new(arena, to, n->aggs[i].var))
            return false;
    }
    for (uint32_t i = 0; i < n->calls_count; i++) {
        if (!lvars_add_new(arena, to, n->calls[i].var))
            return false;
    }
    return logic_add_all(q, n->vars, n->vars_count, to) &&
           (n->mark == 0 || lvars_add_new(arena, to, n->mark));
}

bool logic_gives(struct planner *q, const struct lnode *n, struct lvars *to)
{
    bool right;

    switch (n->kind) {
    case L_SINGLE:
        return true;
    case L_SCAN:
        return logic_gives_scan(q, n, to);
    case L_FILTER:
    case L_MAP:
    case L_WINDOW:
    case L_SORT:
    case L_LIMIT:
    case L_UNIQUE:
        return logic_gives(q, n->in, to) && logic_gives_own(q, n, to);
    case L_JOIN:
        right = n->join != PLAN_JOIN_SEMI && n->join != PLAN_JOIN_ANTI && n->join != PLAN_JOIN_MARK;
        return logic_gives(q, n->in, to) && (!right || logic_gives(q, n->right, to)) &&
               logic_gives_own(q, n, to);
    case L_AGG:
    case L_SETOP:
    case L_VALUES:
    case L_FUNCTION:
    case L_CTE:
    case L_RECURSIVE:
    case L_WORK:
    case L_SYSTEM:
    case L_FILE:
        return logic_gives_own(q, n, to);
    case L_KIND_MAX:
        break;
    }
    return true;
}

static bool logic_uses_all(struct planner *q, struct bexpr *const *e, uint32_t n, struct lvars *to)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!logic_uses(q, e[i], to))
            return false;
    }
    return true;
}

static bool logic_uses_agg(struct planner *q, const struct plan_agg *a, struct lvars *to)
{
    if (!logic_uses(q, a->arg, to) || !logic_uses(q, a->arg2, to))
        return false;
    for (uint32_t i = 0; i < a->order_count; i++) {
        if (!logic_uses(q, a->order[i].e, to))
            return false;
    }
    return true;
}

static bool logic_uses_call(struct planner *q, const struct plan_window_call *c, struct lvars *to)
{
    return logic_uses_agg(q, &c->agg, to) && logic_uses_all(q, c->args, c->args_count, to) &&
           logic_uses(q, c->filter, to) && logic_uses(q, c->frame.start_offset, to) &&
           logic_uses(q, c->frame.end_offset, to);
}

bool logic_uses_here(struct planner *q, const struct lnode *n, struct lvars *to)
{
    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (!logic_uses(q, n->defs[i].e, to))
            return false;
    }
    for (uint32_t i = 0; i < n->aggs_count; i++) {
        if (!logic_uses_agg(q, &n->aggs[i].agg, to))
            return false;
    }
    for (uint32_t i = 0; i < n->calls_count; i++) {
        if (!logic_uses_call(q, &n->calls[i].call, to))
            return false;
    }
    for (uint32_t i = 0; i < n->keys_count; i++) {
        if (!lvars_add_new(q->env->arena, to, n->keys[i].var))
            return false;
    }
    for (uint32_t i = 0; n->func && i < n->func->calls_count; i++) {
        const struct plan_function_call *c = &n->func->calls[i];

        if (!logic_uses_all(q, c->args, c->args_count, to))
            return false;
    }
    return logic_uses_all(q, n->conds, n->conds_count, to) &&
           logic_add_all(q, n->partition, n->partition_count, to) && logic_uses(q, n->limit, to) &&
           logic_uses(q, n->offset, to) &&
           logic_uses_all(q, n->values, n->rows_count * n->vars_count, to) &&
           (!n->left_vars || logic_add_all(q, n->left_vars, n->vars_count, to)) &&
           (!n->right_vars || logic_add_all(q, n->right_vars, n->vars_count, to));
}

bool logic_free(struct planner *q, const struct lnode *n, struct lvars *to)
{
    struct lvars used = {0}, given = {0};

    if (!logic_uses_here(q, n, &used))
        return false;
    if (n->in && (!logic_free(q, n->in, &used) || !logic_gives(q, n->in, &given)))
        return false;
    if (n->right && (!logic_free(q, n->right, &used) || !logic_gives(q, n->right, &given)))
        return false;
    for (uint32_t i = 0; i < used.n; i++) {
        if (!lvars_has(&given, used.v[i]) && !lvars_add_new(q->env->arena, to, used.v[i]))
            return false;
    }
    return true;
}

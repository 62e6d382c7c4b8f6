/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_more.c: aggregations, windows, set operations, recursion, and what reads no table. */
#include "plan/lower.h"
#include "plan/rewrite.h"

/* Columns named after variables, at the places of their order. */
static int lower_cols(struct lower *lo,
                      struct plan_node *node,
                      const uint32_t *vars,
                      uint32_t count,
                      struct lplan *ret,
                      struct dn_err *err)
{
    node->cols = arena_calloc(lo->q->env->arena, (size_t)count + 1, sizeof(*node->cols));
    if (!node->cols)
        return DN_FAIL_NOMEM(err);
    node->cols_count = count;
    ret->node = node;
    for (uint32_t i = 0; i < count; i++) {
        const struct lvar *v = &lo->q->vars[vars[i]];

        node->cols[i] = (struct plan_col){.name = v->name ? v->name : "?", .type = v->type};
        if (!lower_place(lo, ret, vars[i], i))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* ---- aggregation ---- */

static int
lower_agg_args(struct lower *lo, const struct lplan *in, struct plan_agg *a, struct dn_err *err)
{
    struct plan_agg_order *order;
    int rc = 0;

    if (a->arg)
        rc = lower_expr(lo, in, a->arg, &a->arg, err);
    if (rc == 0 && a->arg2)
        rc = lower_expr(lo, in, a->arg2, &a->arg2, err);
    if (rc < 0 || a->order_count == 0)
        return rc;
    order = arena_dup(lo->q->env->arena, a->order, a->order_count * sizeof(*order));
    if (!order)
        return DN_FAIL_NOMEM(err);
    a->order = order;
    for (uint32_t i = 0; rc == 0 && i < a->order_count; i++)
        rc = lower_expr(lo, in, order[i].e, &order[i].e, err);
    return rc;
}

int lower_agg(struct lower *lo,
              struct lnode *n,
              const struct lvars *want,
              struct lplan *ret,
              struct dn_err *err)
{
    struct arena *arena = lo->q->env->arena;
    struct lnode own = *n;
    struct lvars used = {0}, given = {0}, more = {0}, outs = {0};
    struct plan_node *node;
    struct lplan in;
    int rc = 0;

    own.aggs = arena_alloc_array(arena, (size_t)n->aggs_count + 1, sizeof(*own.aggs));
    if (!own.aggs)
        return DN_FAIL_NOMEM(err);
    own.aggs_count = 0;
    for (uint32_t i = 0; i < n->aggs_count; i++) {
        if (lvars_has(want, n->aggs[i].var)) /* nobody asks for the others */
            own.aggs[own.aggs_count++] = n->aggs[i];
    }
    if (!logic_uses_here(lo->q, &own, &used) || !logic_gives(lo->q, n->in, &given))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < used.n; i++) {
        if (lvars_has(&given, used.v[i]) && !lvars_add(arena, &more, used.v[i]))
            return DN_FAIL_NOMEM(err);
    }
    rc = lower_tree(lo, n->in, &more, &in, err);
    if (rc < 0)
        return rc;
    node = lower_node(lo, PLAN_AGGREGATE, in.node, err);
    if (!node)
        return DN_E_NOMEM;
    node->exprs = arena_alloc_array(arena, (size_t)n->defs_count + 1, sizeof(*node->exprs));
    node->aggs = arena_alloc_array(arena, (size_t)own.aggs_count + 1, sizeof(*node->aggs));
    if (!node->exprs || !node->aggs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < n->defs_count; i++) {
        rc = lower_expr(lo, &in, n->defs[i].e, &node->exprs[node->exprs_count++], err);
        if (rc == 0 && !lvars_add(arena, &outs, n->defs[i].var))
            rc = DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; rc == 0 && i < own.aggs_count; i++) {
        node->aggs[node->aggs_count] = own.aggs[i].agg;
        rc = lower_agg_args(lo, &in, &node->aggs[node->aggs_count++], err);
        if (rc == 0 && !lvars_add(arena, &outs, own.aggs[i].var))
            rc = DN_FAIL_NOMEM(err);
    }
    return rc < 0 ? rc : lower_cols(lo, node, outs.v, outs.n, ret, err);
}

/* ---- windows ---- */

static int lower_call(struct lower *lo,
                      const struct lplan *in,
                      const struct plan_window_call *from,
                      struct plan_window_call *to,
                      struct dn_err *err)
{
    static const struct lplan none = {0};
    int rc;

    *to = *from;
    rc = lower_exprs(lo, in, from->args, from->args_count, &to->args, err);
    if (rc == 0)
        rc = lower_agg_args(lo, in, &to->agg, err);
    if (rc == 0 && from->filter)
        rc = lower_expr(lo, in, from->filter, &to->filter, err);
    if (rc == 0 && from->frame.start_offset)
        rc = lower_expr(lo, &none, from->frame.start_offset, &to->frame.start_offset, err);
    if (rc == 0 && from->frame.end_offset)
        rc = lower_expr(lo, &none, from->frame.end_offset, &to->frame.end_offset, err);
    return rc;
}

/* The input sorted by partition, then by order. */
static int
lower_window_sort(struct lower *lo, const struct lnode *n, struct lplan *in, struct dn_err *err)
{
    uint32_t total = n->partition_count + n->keys_count;
    struct lkey *keys = arena_calloc(lo->q->env->arena, (size_t)total + 1, sizeof(*keys));
    struct plan_sort_key *by = NULL;
    struct plan_node *sort;
    uint32_t count = 0;
    int rc;

    if (!keys)
        return DN_FAIL_NOMEM(err);
    if (total == 0)
        return 0;
    for (uint32_t i = 0; i < n->partition_count; i++)
        keys[count++].var = n->partition[i];
    for (uint32_t i = 0; i < n->keys_count; i++)
        keys[count++] = n->keys[i];
    if (order_given(n->in, keys, count) == ORDER_FORWARD)
        return 0;
    rc = lower_keys(lo, in, keys, count, &by, err);
    if (rc < 0 || order_sorted(in->node, by, count, n->partition_count))
        return rc;
    sort = lower_node(lo, PLAN_SORT, in->node, err);
    if (!sort)
        return DN_E_NOMEM;
    sort->keys = by;
    sort->keys_count = count;
    in->node = sort;
    return 0;
}

int lower_window(struct lower *lo,
                 struct lnode *n,
                 const struct lvars *want,
                 struct lplan *ret,
                 struct dn_err *err)
{
    struct arena *arena = lo->q->env->arena;
    struct plan_window *w = arena_calloc(arena, 1, sizeof(*w));
    struct lnode own = *n;
    struct lvars used = {0}, given = {0}, more = {0};
    struct plan_node *node;
    uint32_t cols;
    int rc = 0;

    own.calls = arena_alloc_array(arena, (size_t)n->calls_count + 1, sizeof(*own.calls));
    if (!w || !own.calls || !logic_gives(lo->q, n->in, &given))
        return DN_FAIL_NOMEM(err);
    own.calls_count = 0;
    for (uint32_t i = 0; i < n->calls_count; i++) {
        if (lvars_has(want, n->calls[i].var))
            own.calls[own.calls_count++] = n->calls[i];
    }
    if (own.calls_count > 0 && !logic_uses_here(lo->q, &own, &used))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < want->n; i++) {
        if (lvars_has(&given, want->v[i]) && !lvars_add_new(arena, &more, want->v[i]))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < used.n; i++) {
        if (lvars_has(&given, used.v[i]) && !lvars_add_new(arena, &more, used.v[i]))
            return DN_FAIL_NOMEM(err);
    }
    rc = lower_trim(lo, n->in, &more, ret, err);
    if (rc < 0 || own.calls_count == 0)
        return rc;
    rc = lower_window_sort(lo, n, ret, err);
    if (rc < 0)
        return rc;
    node = lower_node(lo, PLAN_WINDOW, ret->node, err);
    if (!node)
        return DN_E_NOMEM;
    node->window = w;
    w->partition = arena_alloc_array(arena, (size_t)n->partition_count + 1, sizeof(*w->partition));
    w->calls = arena_calloc(arena, own.calls_count, sizeof(*w->calls));
    cols = ret->node->cols_count;
    node->cols = arena_alloc_array(arena, (size_t)cols + own.calls_count, sizeof(*node->cols));
    if (!w->partition || !w->calls || !node->cols)
        return DN_FAIL_NOMEM(err);
    if (cols)
        memcpy(node->cols, ret->node->cols, cols * sizeof(*node->cols));
    for (uint32_t i = 0; i < n->partition_count; i++)
        w->partition[w->partition_count++] = lower_col(ret, n->partition[i]);
    rc = lower_keys(lo, ret, n->keys, n->keys_count, &w->order, err);
    w->order_count = n->keys_count;
    for (uint32_t i = 0; rc == 0 && i < own.calls_count; i++) {
        rc = lower_call(lo, ret, &own.calls[i].call, &w->calls[w->calls_count++], err);
        node->cols[cols + i] = (struct plan_col){.name = lo->q->vars[own.calls[i].var].name,
                                                 .type = own.calls[i].call.type};
    }
    for (uint32_t i = 0; rc == 0 && i < own.calls_count; i++) {
        if (!lower_place(lo, ret, own.calls[i].var, cols + i))
            rc = DN_FAIL_NOMEM(err);
    }
    node->cols_count = cols + own.calls_count;
    ret->node = node;
    return rc;
}

/* ---- leaves ---- */

static int
lower_function(struct lower *lo, const struct lnode *n, struct plan_node *node, struct dn_err *err)
{
    static const struct lplan none = {0};
    struct arena *arena = lo->q->env->arena;
    struct plan_function *f = arena_dup(arena, n->func, sizeof(*f));
    int rc = 0;

    if (!f)
        return DN_FAIL_NOMEM(err);
    f->calls = arena_dup(arena, f->calls, f->calls_count * sizeof(*f->calls));
    if (!f->calls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < f->calls_count; i++)
        rc = lower_exprs(
            lo, &none, f->calls[i].args, f->calls[i].args_count, &f->calls[i].args, err);
    node->func = f;
    return rc;
}

/* A CTE is planned with the first node that reads it. */
static int lower_cte(struct lower *lo, struct lcte *c, struct dn_err *err)
{
    struct lower top = {.q = lo->q}; /* it uses nothing of the queries around */
    struct plan *p = lo->q->plan;
    struct lplan sub;
    int rc;

    if (c->number != UINT32_MAX)
        return 0;
    rc = rewrite_tree(lo->q, &c->tree, err);
    if (rc == 0)
        rc = lower_exact(&top, c->tree, c->vars, c->vars_count, &sub, err);
    if (rc < 0)
        return rc;
    if (p->ctes_count == lo->q->ctes_cap) {
        uint32_t cap = 2 * lo->q->ctes_cap + 4;
        struct plan_cte *more = arena_alloc_array(lo->q->env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (p->ctes_count)
            memcpy(more, p->ctes, p->ctes_count * sizeof(*more));
        p->ctes = more;
        lo->q->ctes_cap = cap;
    }
    p->ctes[p->ctes_count] = (struct plan_cte){.root = sub.node, .name = c->name};
    c->number = p->ctes_count++;
    return 0;
}

int lower_leaf(struct lower *lo, struct lnode *n, struct lplan *ret, struct dn_err *err)
{
    static const struct lplan none = {0};
    static const enum plan_kind kinds[L_KIND_MAX] = {[L_SINGLE] = PLAN_SINGLE,
                                                     [L_VALUES] = PLAN_VALUES,
                                                     [L_FUNCTION] = PLAN_FUNCTION,
                                                     [L_CTE] = PLAN_CTE,
                                                     [L_WORK] = PLAN_WORK};
    struct plan_node *node = lower_node(lo, kinds[n->kind], NULL, err);
    int rc = 0;

    if (!node)
        return DN_E_NOMEM;
    if (n->kind == L_VALUES) {
        rc = lower_exprs(lo, &none, n->values, n->rows_count * n->vars_count, &node->values, err);
        node->rows_count = n->rows_count;
    } else if (n->kind == L_FUNCTION) {
        rc = lower_function(lo, n, node, err);
    } else if (n->kind == L_CTE) {
        rc = lower_cte(lo, n->cte, err);
        node->cte = n->cte->number;
    } else if (n->kind == L_WORK) {
        node->cte = n->work;
    }
    return rc < 0 ? rc : lower_cols(lo, node, n->vars, n->vars_count, ret, err);
}

/* Only the columns that somebody wants; one at least, to know how many rows there are. */
int lower_system(struct lower *lo,
                 struct lnode *n,
                 const struct lvars *want,
                 struct lplan *ret,
                 struct dn_err *err)
{
    struct arena *arena = lo->q->env->arena;
    struct plan_node *node = lower_node(lo, n->kind == L_FILE ? PLAN_FILE : PLAN_SYSTEM, NULL, err);
    uint32_t *vars = arena_alloc_array(arena, n->vars_count, sizeof(*vars));
    uint32_t count = 0;

    if (!node)
        return DN_E_NOMEM;
    node->system = n->system;
    node->file = n->file;
    node->scan_cols = arena_alloc_array(arena, n->vars_count, sizeof(*node->scan_cols));
    if (!vars || !node->scan_cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        if (!lvars_has(want, n->vars[i]) && !(count == 0 && i + 1 == n->vars_count))
            continue;
        node->scan_cols[count] = (uint16_t)i;
        vars[count++] = n->vars[i];
    }
    return lower_cols(lo, node, vars, count, ret, err);
}

/* ---- two inputs ---- */

/* Columns of both sides, by position. */
struct lower_both {
    uint32_t *vars;
    uint32_t *left;
    uint32_t *right;
    uint32_t count;
};

/* Which columns of both sides are needed: of UNION ALL those that are wanted, one at least to know
 * how many rows there are; what compares rows needs all of them. */
static bool lower_two_wanted(struct lower *lo,
                             const struct lnode *n,
                             const struct lvars *want,
                             struct lower_both *ret)
{
    struct arena *arena = lo->q->env->arena;
    uint32_t cap = n->vars_count;

    *ret = (struct lower_both){n->vars, n->left_vars, n->right_vars, cap};
    if (n->kind != L_SETOP || n->setop != PLAN_SETOP_UNION_ALL || cap < 2)
        return true;
    ret->vars = arena_alloc_array(arena, cap, sizeof(*ret->vars));
    ret->left = arena_alloc_array(arena, cap, sizeof(*ret->left));
    ret->right = arena_alloc_array(arena, cap, sizeof(*ret->right));
    ret->count = 0;
    if (!ret->vars || !ret->left || !ret->right)
        return false;
    for (uint32_t i = 0; i < cap; i++) {
        if (!lvars_has(want, n->vars[i]))
            continue;
        ret->vars[ret->count] = n->vars[i];
        ret->left[ret->count] = n->left_vars[i];
        ret->right[ret->count++] = n->right_vars[i];
    }
    if (ret->count == 0)
        *ret = (struct lower_both){n->vars, n->left_vars, n->right_vars, 1};
    return true;
}

int lower_two(struct lower *lo,
              struct lnode *n,
              const struct lvars *want,
              struct lplan *ret,
              struct dn_err *err)
{
    struct lower_both both;
    struct plan_node *node;
    struct lplan l, r;
    int rc;

    if (!lower_two_wanted(lo, n, want, &both))
        return DN_FAIL_NOMEM(err);
    rc = lower_exact(lo, n->in, both.left, both.count, &l, err);
    if (rc == 0)
        rc = lower_exact(lo, n->right, both.right, both.count, &r, err);
    if (rc < 0)
        return rc;
    node = lower_node(lo, n->kind == L_SETOP ? PLAN_SETOP : PLAN_RECURSIVE, l.node, err);
    if (!node)
        return DN_E_NOMEM;
    node->right = r.node;
    node->setop = n->setop;
    node->all = n->all;
    node->cte = n->work;
    return lower_cols(lo, node, both.vars, both.count, ret, err);
}

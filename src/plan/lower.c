/* SPDX-License-Identifier: Apache-2.0
 *
 * lower.c: from trees over variables to plans over positions. Each node is asked for the variables
 * that those above it use, and reads no others; a MAP that only renames costs nothing, as a column
 * may stand for several variables. */
#include "plan/lower.h"
#include "plan/rewrite.h"

#define LOWER_ESTIMATES_MAX 500u /* nodes of a plan that get one */

/* ---- places ---- */

struct plan_node *
lower_node(struct lower *lo, enum plan_kind kind, struct plan_node *input, struct dn_err *err)
{
    struct plan_node *n = arena_calloc(lo->q->env->arena, 1, sizeof(*n));

    if (!n) {
        DN_IGNORE(DN_FAIL_NOMEM(err)); /* the caller returns the code */
        return NULL;
    }
    n->kind = kind;
    n->input = input;
    if (input) { /* most nodes hand on what they get */
        n->cols = input->cols;
        n->cols_count = input->cols_count;
    }
    return n;
}

bool lower_place(struct lower *lo, struct lplan *p, uint32_t var, uint32_t col)
{
    if (p->places_count == p->places_cap) {
        uint32_t cap = 2 * p->places_count + 16;
        struct lplace *more = arena_alloc_array(lo->q->env->arena, cap, sizeof(*more));

        if (!more)
            return false;
        if (p->places_count)
            memcpy(more, p->places, p->places_count * sizeof(*more));
        p->places = more;
        p->places_cap = cap;
    }
    p->places[p->places_count++] = (struct lplace){.var = var, .col = col};
    return true;
}

uint32_t lower_col(const struct lplan *p, uint32_t var)
{
    for (uint32_t i = 0; i < p->places_count; i++) {
        if (p->places[i].var == var)
            return p->places[i].col;
    }
    return UINT32_MAX;
}

/* ---- expressions ---- */

static int lower_var(struct lower *lo,
                     const struct lplan *in,
                     const struct bexpr *e,
                     struct bexpr *out,
                     struct dn_err *err)
{
    uint32_t col = lower_col(in, e->col);

    if (col != UINT32_MAX) {
        out->col = col;
        return 0;
    }
    for (uint32_t i = lo->outer_count; i-- > 0;) {
        if (lo->outer[i].var == e->col) {
            out->kind = BEXPR_PARAM;
            out->col = 0;
            out->param = lo->outer[i].col;
            return 0;
        }
    }
    return DN_FAIL(err,
                   DN_E_INTERNAL,
                   "variable %u (%s) of the plan is not where it is used",
                   e->col,
                   lo->q->vars[e->col].name ? lo->q->vars[e->col].name : "?");
}

int lower_expr(struct lower *lo,
               const struct lplan *in,
               const struct bexpr *e,
               struct bexpr **ret,
               struct dn_err *err)
{
    struct bexpr *out = arena_dup(lo->q->env->arena, e, sizeof(*e));
    int rc = 0;

    if (!out)
        return DN_FAIL_NOMEM(err);
    if (e->kind == BEXPR_COLUMN) {
        rc = lower_var(lo, in, e, out, err);
    } else if (e->args_count > 0) {
        out->args = arena_alloc_array(lo->q->env->arena, e->args_count, sizeof(struct bexpr *));
        if (!out->args)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; rc == 0 && i < e->args_count; i++)
            rc = lower_expr(lo, in, e->args[i], &out->args[i], err);
    }
    *ret = out;
    return rc;
}

int lower_exprs(struct lower *lo,
                const struct lplan *in,
                struct bexpr *const *e,
                uint32_t count,
                struct bexpr ***ret,
                struct dn_err *err)
{
    struct bexpr **out =
        arena_alloc_array(lo->q->env->arena, (size_t)count + 1, sizeof(struct bexpr *));
    int rc = 0;

    if (!out)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = lower_expr(lo, in, e[i], &out[i], err);
    *ret = out;
    return rc;
}

int lower_conds(struct lower *lo,
                const struct lplan *in,
                struct bexpr *const *conds,
                uint32_t count,
                struct bexpr **ret,
                struct dn_err *err)
{
    struct binder b = query_binder(lo->q, NULL, NULL);
    struct bexpr **args;
    int rc;

    *ret = NULL;
    if (count == 0)
        return 0;
    rc = lower_exprs(lo, in, conds, count, &args, err);
    return rc < 0 ? rc : bind_chain(&b, BEXPR_AND, conds[0]->pos, args, count, ret, err);
}

int lower_keys(struct lower *lo,
               const struct lplan *in,
               const struct lkey *keys,
               uint32_t count,
               struct plan_sort_key **ret,
               struct dn_err *err)
{
    struct plan_sort_key *out = arena_calloc(lo->q->env->arena, (size_t)count + 1, sizeof(*out));

    if (!out)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct plan_sort_key){.col = lower_col(in, keys[i].var),
                                        .desc = keys[i].desc,
                                        .nulls_first = keys[i].nulls_first};
        if (out[i].col == UINT32_MAX)
            return DN_FAIL(err, DN_E_INTERNAL, "sort key %u of the plan is missing", i);
    }
    *ret = out;
    return 0;
}

int lower_want(struct lower *lo,
               const struct lnode *n,
               const struct lvars *want,
               struct lvars *ret,
               struct dn_err *err)
{
    struct arena *arena = lo->q->env->arena;
    struct lvars given = {0}, used = {0};

    if (!logic_gives(lo->q, n->in, &given) || !logic_uses_here(lo->q, n, &used))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < want->n; i++) {
        if (lvars_has(&given, want->v[i]) && !lvars_add_new(arena, ret, want->v[i]))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < used.n; i++) {
        if (lvars_has(&given, used.v[i]) && !lvars_add_new(arena, ret, used.v[i]))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* ---- MAP ---- */

static const struct ldef *lower_def(const struct lnode *n, uint32_t var)
{
    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (n->defs[i].var == var)
            return &n->defs[i];
    }
    return NULL;
}

/* The variables of the input that are needed for those wanted, in their order; plain: all of them
 * are columns of the input. */
static int lower_map_want(struct lower *lo,
                          const struct lnode *n,
                          const struct lvars *want,
                          struct lvars *ret,
                          bool *plain,
                          struct dn_err *err)
{
    struct lvars used = {0}, given = {0};

    *plain = true;
    if (!logic_gives(lo->q, n->in, &given))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < want->n; i++) {
        const struct ldef *d = lower_def(n, want->v[i]);
        bool column = d && d->e->kind == BEXPR_COLUMN && lvars_has(&given, d->e->col);

        *plain = *plain && (!d || column);
        if (d ? !logic_uses(lo->q, d->e, &used)
              : !lvars_add_new(lo->q->env->arena, &used, want->v[i]))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < used.n; i++) {
        if (lvars_has(&given, used.v[i]) && !lvars_add_new(lo->q->env->arena, ret, used.v[i]))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int lower_project(struct lower *lo,
                         const struct lnode *n,
                         const struct lvars *want,
                         struct lplan *in,
                         struct lplan *ret,
                         struct dn_err *err)
{
    struct binder b = query_binder(lo->q, NULL, NULL);
    struct arena *arena = lo->q->env->arena;
    struct plan_node *node = lower_node(lo, PLAN_PROJECT, in->node, err);
    int rc = 0;

    if (!node)
        return DN_E_NOMEM;
    node->cols = arena_alloc_array(arena, (size_t)want->n + 1, sizeof(*node->cols));
    node->exprs = arena_alloc_array(arena, (size_t)want->n + 1, sizeof(*node->exprs));
    if (!node->cols || !node->exprs)
        return DN_FAIL_NOMEM(err);
    node->cols_count = node->exprs_count = want->n;
    ret->node = node;
    for (uint32_t i = 0; rc == 0 && i < want->n; i++) {
        const struct ldef *d = n ? lower_def(n, want->v[i]) : NULL;
        struct bexpr *e = d ? d->e : bind_var(&b, want->v[i], 0);

        if (!e)
            return DN_FAIL_NOMEM(err);
        rc = lower_expr(lo, in, e, &node->exprs[i], err);
        node->cols[i] = (struct plan_col){.name = lo->q->vars[want->v[i]].name, .type = e->type};
        if (rc == 0 && !lower_place(lo, ret, want->v[i], i))
            rc = DN_FAIL_NOMEM(err);
    }
    return rc < 0 ? rc : lower_share(lo, node, err);
}

/* What is wanted of a MAP, and what it computes with volatile functions: nextval() counts on even
 * if nobody looks. */
static int lower_map_all(struct lower *lo,
                         const struct lnode *n,
                         const struct lvars *want,
                         struct lvars *ret,
                         struct dn_err *err)
{
    *ret = *want;
    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (!logic_volatile(n->defs[i].e) || lvars_has(ret, n->defs[i].var))
            continue;
        if (ret->v == want->v) { /* no longer the caller's list */
            *ret = (struct lvars){0};
            for (uint32_t k = 0; k < want->n; k++) {
                if (!lvars_add(lo->q->env->arena, ret, want->v[k]))
                    return DN_FAIL_NOMEM(err);
            }
        }
        if (!lvars_add(lo->q->env->arena, ret, n->defs[i].var))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int lower_map(struct lower *lo,
                     struct lnode *n,
                     const struct lvars *asked,
                     struct lplan *ret,
                     struct dn_err *err)
{
    struct lvars all, more = {0};
    const struct lvars *want = &all;
    struct lplan in = {0};
    bool plain = false;
    int rc = lower_map_all(lo, n, asked, &all, err);

    if (rc == 0)
        rc = lower_map_want(lo, n, want, &more, &plain, err);
    if (rc == 0)
        rc = lower_tree(lo, n->in, &more, &in, err);
    if (rc < 0)
        return rc;
    if (!plain)
        return lower_project(lo, n, want, &in, ret, err);
    for (uint32_t i = 0; i < want->n; i++) {
        const struct ldef *d = lower_def(n, want->v[i]);

        if (d && !lower_place(lo, &in, d->var, lower_col(&in, d->e->col)))
            return DN_FAIL_NOMEM(err);
    }
    *ret = in;
    return 0;
}

int lower_trim(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err)
{
    struct lplan in;
    int rc = lower_tree(lo, n, want, ret, err);

    if (rc < 0 || ret->node->cols_count <= want->n)
        return rc;
    in = *ret;
    *ret = (struct lplan){.node = NULL};
    return lower_project(lo, NULL, want, &in, ret, err);
}

/* ---- order and limits ---- */

static int lower_sort(struct lower *lo,
                      struct lnode *n,
                      const struct lnode *limit,
                      const struct lvars *want,
                      struct lplan *ret,
                      struct dn_err *err)
{
    struct lvars more = {0};
    struct plan_sort_key *keys = NULL;
    struct plan_node *node;
    enum order_way way = n->table ? ORDER_NONE : order_given(n->in, n->keys, n->keys_count);
    bool given = way != ORDER_NONE;
    int rc = given ? 0 : lower_want(lo, n, want, &more, err);

    if (given && way == ORDER_BACKWARD)
        order_turn(n->in);
    if (rc == 0)
        rc = given ? lower_tree(lo, n->in, want, ret, err) : lower_trim(lo, n->in, &more, ret, err);
    if (rc < 0 || given)
        return rc;
    rc = lower_keys(lo, ret, n->keys, n->keys_count, &keys, err);
    if (rc < 0 || (!n->table && order_sorted(ret->node, keys, n->keys_count, 0)))
        return rc;
    node = lower_node(lo, PLAN_SORT, ret->node, err);
    if (!node)
        return DN_E_NOMEM;
    node->keys = keys;
    node->keys_count = n->keys_count;
    node->tokens = n->table;
    node->loose = n->loose;
    if (rc == 0 && limit && limit->limit)
        rc = lower_expr(lo, ret, limit->limit, &node->limit, err);
    if (rc == 0 && limit && limit->offset)
        rc = lower_expr(lo, ret, limit->offset, &node->offset, err);
    ret->node = node;
    return rc;
}

static int lower_limit(struct lower *lo,
                       struct lnode *n,
                       const struct lvars *want,
                       struct lplan *ret,
                       struct dn_err *err)
{
    struct lvars more = {0};
    struct plan_node *node;
    int rc = lower_want(lo, n, want, &more, err);

    if (rc == 0)
        rc = n->in->kind == L_SORT ? lower_sort(lo, n->in, n->ties ? NULL : n, &more, ret, err)
                                   : lower_tree(lo, n->in, &more, ret, err);
    if (rc < 0)
        return rc;
    node = lower_node(lo, PLAN_LIMIT, ret->node, err);
    if (!node)
        return DN_E_NOMEM;
    if (n->limit)
        rc = lower_expr(lo, ret, n->limit, &node->limit, err);
    if (rc == 0 && n->offset)
        rc = lower_expr(lo, ret, n->offset, &node->offset, err);
    if (rc == 0 && n->ties) {
        rc = lower_keys(lo, ret, n->keys, n->keys_count, &node->keys, err);
        node->keys_count = node->ties = n->keys_count;
    }
    ret->node = node;
    return rc;
}

static int lower_unique(struct lower *lo,
                        struct lnode *n,
                        const struct lvars *want,
                        struct lplan *ret,
                        struct dn_err *err)
{
    struct lvars more = {0};
    struct plan_node *node;
    int rc = lower_want(lo, n, want, &more, err);

    if (rc == 0)
        rc = lower_tree(lo, n->in, &more, ret, err);
    if (rc < 0)
        return rc;
    node = lower_node(lo, PLAN_UNIQUE, ret->node, err);
    if (!node)
        return DN_E_NOMEM;
    node->keys_count = n->keys_count;
    ret->node = node;
    return lower_keys(lo, ret, n->keys, n->keys_count, &node->keys, err);
}

/* ---- any node ---- */

static int lower_any(struct lower *lo,
                     struct lnode *n,
                     const struct lvars *want,
                     struct lplan *ret,
                     struct dn_err *err)
{
    switch (n->kind) {
    case L_SCAN:
        return lower_scan(lo, n, want, ret, err);
    case L_FILTER:
        return lower_filter(lo, n, want, ret, err);
    case L_MAP:
        return lower_map(lo, n, want, ret, err);
    case L_JOIN:
        return lower_join(lo, n, want, ret, err);
    case L_AGG:
        return lower_agg(lo, n, want, ret, err);
    case L_WINDOW:
        return lower_window(lo, n, want, ret, err);
    case L_SORT:
        return lower_sort(lo, n, NULL, want, ret, err);
    case L_LIMIT:
        return lower_limit(lo, n, want, ret, err);
    case L_UNIQUE:
        return lower_unique(lo, n, want, ret, err);
    case L_SETOP:
    case L_RECURSIVE:
        return lower_two(lo, n, want, ret, err);
    case L_SINGLE:
    case L_VALUES:
    case L_FUNCTION:
    case L_CTE:
    case L_WORK:
        return lower_leaf(lo, n, ret, err);
    case L_SYSTEM:
    case L_FILE:
        return lower_system(lo, n, want, ret, err);
    case L_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown kind of tree node: %d", (int)n->kind);
}

int lower_tree(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err)
{
    int rc = plan_check_cancel(lo->q->env, err);

    *ret = (struct lplan){.node = NULL};
    if (rc == 0)
        rc = lower_any(lo, n, want, ret, err);
    /* An estimate goes through all of the tree below. */
    if (rc == 0 && lo->q->env->estimates && ret->node && lo->estimated < LOWER_ESTIMATES_MAX) {
        ret->node->rows_estimate = rewrite_rows(lo->q, n);
        lo->estimated++;
    }
    return rc;
}

static bool lower_is_exact(const struct lplan *p, const uint32_t *vars, uint32_t count, bool prefix)
{
    if (prefix ? p->node->cols_count < count : p->node->cols_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < p->places_count && !found; k++)
            found = p->places[k].var == vars[i] && p->places[k].col == i;
        if (!found)
            return false;
    }
    return true;
}

static int lower_list(struct lower *lo,
                      struct lnode *n,
                      const uint32_t *vars,
                      uint32_t count,
                      bool prefix,
                      struct lplan *ret,
                      struct dn_err *err)
{
    struct lvars want = {0}, given = {0};
    struct lvars all = {0};
    struct lplan in;
    int rc;

    if (!logic_gives(lo->q, n, &given))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        if (!lvars_add(lo->q->env->arena, &all, vars[i]) ||
            (lvars_has(&given, vars[i]) && !lvars_add_new(lo->q->env->arena, &want, vars[i])))
            return DN_FAIL_NOMEM(err);
    }
    rc = lower_tree(lo, n, &want, ret, err);
    if (rc < 0 || lower_is_exact(ret, vars, count, prefix))
        return rc;
    in = *ret;
    *ret = (struct lplan){.node = NULL};
    return lower_project(lo, NULL, &all, &in, ret, err);
}

int lower_exact(struct lower *lo,
                struct lnode *n,
                const uint32_t *vars,
                uint32_t count,
                struct lplan *ret,
                struct dn_err *err)
{
    return lower_list(lo, n, vars, count, false, ret, err);
}

/* ---- the statement ---- */

static int lower_inits(struct lower *lo, struct dn_err *err)
{
    struct planner *q = lo->q;
    struct plan *p = q->plan;

    p->inits = arena_calloc(q->env->arena, (size_t)q->inits_count + 1, sizeof(*p->inits));
    if (!p->inits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < q->inits_count; i++) {
        struct linit *in = &q->inits[i];
        struct lplan sub;
        int rc = rewrite_tree(q, &in->tree, err);

        if (rc == 0)
            rc = lower_exact(lo, in->tree, &in->var, 1, &sub, err);
        if (rc < 0)
            return rc;
        p->inits[p->inits_count++] =
            (struct plan_init){.root = sub.node, .param = in->param, .pos = in->pos};
    }
    return 0;
}

int lower_root(
    struct planner *q, struct lnode *tree, const uint32_t *vars, uint32_t count, struct dn_err *err)
{
    struct lower lo = {.q = q};
    struct lplan p;
    int rc = lower_inits(&lo, err);

    if (rc == 0)
        rc = lower_list(&lo, tree, vars, count, true, &p, err);
    if (rc < 0)
        return rc;
    q->plan->root = p.node;
    q->plan->hidden_cols = p.node->cols_count - count;
    plan_mark_any_order(q->plan);
    return 0;
}

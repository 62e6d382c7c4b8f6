/* SPDX-License-Identifier: Apache-2.0
 *
 * query_set.c: types of set operations: one for each column of both sides; long chains of them. */
#include "plan/query_set.h"
#include "plan/decimal.h"

#include "plan/select_int.h"

/* Is item i of the side a text whose type nobody said? */
static bool set_bare(const struct query *side, uint32_t i)
{
    const struct select_core *core = side->kind == QUERY_SELECT ? side->core : NULL;

    for (uint32_t k = 0; core && k < core->items_count; k++)
        if (core->items[k].expr->kind == EXPR_STAR)
            return false; /* which item is the i-th? */
    return core && i < core->items_count &&
           (core->items[i].expr->kind == EXPR_LITERAL || core->items[i].expr->kind == EXPR_PARAM);
}

/* A column of a side as an expression: a literal stays one where it is nothing but that, so that
 * it takes the type of the other side. */
static struct bexpr *
set_column(struct binder *b, const struct query *ast, const struct qout *side, uint32_t i)
{
    uint32_t pos = ast->pos;
    const struct lnode *n = side->tree;
    uint32_t var = side->vars[i];
    struct bexpr *e;

    while (n->kind == L_SORT || n->kind == L_LIMIT)
        n = n->in;
    for (uint32_t k = 0; n->kind == L_MAP && k < n->defs_count; k++) {
        const struct bexpr *lit = n->defs[k].e;

        if (n->defs[k].var != var || lit->kind != BEXPR_CONST ||
            (lit->type != TYPE_VARCHAR && lit->type != TYPE_NONE))
            continue;
        if (lit->type == TYPE_VARCHAR && !set_bare(ast, i))
            break;
        e = arena_dup(b->env->arena, lit, sizeof(*lit));
        if (e)
            e->type = TYPE_NONE;
        return e;
    }
    if (b->q->vars[var].type != TYPE_NONE)
        return bind_var(b, var, pos);
    e = bind_new(b, BEXPR_CONST, TYPE_NONE, pos); /* nothing but NULL is untyped */
    if (e)
        e->value = (struct datum){.null = true};
    return e;
}

static int set_cast(struct planner *q,
                    const struct query *ast,
                    struct qout *side,
                    enum type_id *types,
                    struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct ldef *defs = arena_alloc_array(q->env->arena, (size_t)side->count + 1, sizeof(*defs));
    uint32_t n = 0;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < side->count; i++) {
        struct bexpr *e;
        int rc;

        if (q->vars[side->vars[i]].type == types[i])
            continue;
        e = set_column(&b, ast, side, i);
        if (!e)
            return DN_FAIL_NOMEM(err);
        rc = bind_coerce(&b, e, types[i], e->type != TYPE_NONE, &e, err);
        if (rc < 0)
            return rc;
        defs[n] = (struct ldef){.var = logic_var(q, side->names[i], types[i]), .e = e};
        if (!defs[n].var)
            return DN_FAIL_NOMEM(err);
        q->vars[defs[n].var].decimal = types[i] == TYPE_DOUBLE && bind_decimal_joins(e);
        side->vars[i] = defs[n++].var;
    }
    side->tree = logic_map(q, side->tree, defs, n);
    return side->tree ? 0 : DN_FAIL_NOMEM(err);
}

static const char *set_word(enum set_op op)
{
    return op == SET_UNION ? "UNION" : op == SET_INTERSECT ? "INTERSECT" : "EXCEPT";
}

int query_set_unify(
    struct planner *q, const struct query *ast, struct qout *l, struct qout *r, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    enum type_id *types = arena_alloc_array(q->env->arena, (size_t)l->count + 1, sizeof(*types));
    int rc = 0;

    if (!types)
        return DN_FAIL_NOMEM(err);
    if (l->count != r->count) {
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "each %s query must have the same number of columns",
                     set_word(ast->set));
        dn_err_hint(err, "The left one has %u, the right one %u.", l->count, r->count);
        dn_err_at(err, ast->right->pos);
        return rc;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        struct bexpr *both[2] = {set_column(&b, ast->left, l, i), set_column(&b, ast->right, r, i)};

        if (!both[0] || !both[1])
            return DN_FAIL_NOMEM(err);
        rc = bind_unify(&b, set_word(ast->set), both, 2, err);
        if (rc == 0 && !ast->all)
            rc = bind_row_only_same(OP_EQ, ast->right->pos, both[0], both[1], err);
        if (rc < 0)
            return rc;
        types[i] = both[0]->type;
    }
    rc = set_cast(q, ast->left, l, types, err);
    return rc < 0 ? rc : set_cast(q, ast->right, r, types, err);
}

/* ---- long chains ---- */

#define SET_CHAIN_MIN 32u /* shorter ones are taken from left to right, as types are settled */

/* A left operand that is but a part of the same chain? */
static bool set_continues(const struct query *top, const struct query *left)
{
    return left->kind == QUERY_SET && left->set == SET_UNION && left->all == top->all &&
           !left->with && left->order_by_count == 0 && !left->limit && !left->offset &&
           left->locks_count == 0;
}

/* The operands v[0 … n) as one query, n > 0: halves of halves. The operator in the middle is
 * op[mid - 1]. NULL: out of memory. */
static struct query *
set_halves(struct planner *q, struct query *const *v, const struct query *const *op, uint32_t n)
{
    uint32_t mid = n / 2;
    struct query *both;

    if (n == 1)
        return v[0];
    both = arena_dup(q->env->arena, op[mid - 1], sizeof(*both));
    if (!both)
        return NULL;
    both->all = true; /* duplicates go at the end */
    both->pos = v[0]->pos;
    both->left = set_halves(q, v, op, mid);
    both->right = set_halves(q, v + mid, op + mid, n - mid);
    return both->left && both->right ? both : NULL;
}

const struct query *query_set_balance(struct planner *q, const struct query *ast)
{
    struct query **v;
    const struct query **op;
    const struct query *at = ast;
    struct query *whole, *balanced;
    uint32_t n = 2;

    if (ast->set != SET_UNION)
        return ast;
    for (; set_continues(ast, at->left); at = at->left)
        n++;
    if (n < SET_CHAIN_MIN)
        return ast;
    v = arena_alloc_array(q->env->arena, n, sizeof(*v));
    op = arena_alloc_array(q->env->arena, n, sizeof(*op));
    whole = arena_dup(q->env->arena, ast, sizeof(*ast));
    if (!v || !op || !whole)
        return NULL;
    at = ast;
    for (uint32_t i = n - 1; i > 0; i--, at = at->left) {
        v[i] = at->right;
        op[i - 1] = at;
        v[i - 1] = at->left;
    }
    balanced = set_halves(q, v, op, n);
    if (!balanced)
        return NULL;
    whole->left = balanced->left;
    whole->right = balanced->right;
    return whole;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * join_order.c: inner joins of several inputs. Greedy: begin with the smallest input, then take,
 * of those that a condition connects with what is joined so far, the one that makes the smallest
 * result; inputs that nothing connects come last. Inputs that use others (LATERAL) wait for them.
 * The larger side of each join streams (left), the smaller one is kept (right).
 *
 * Row counts are estimates: those of the tables, cut down by guesses for conditions, better ones
 * where the condition covers the key. */
#include "plan/rewrite.h"

#include <math.h>

#define ROWS_UNKNOWN 1000.0

struct jinput {
    struct lnode *n;
    struct lvars given;
    struct lvars needs; /* variables of other inputs that it uses */
    double rows;
    bool used;
};

/* ---- estimates ---- */

/* How much of the rows a condition leaves. */
static double rows_share(const struct bexpr *e)
{
    enum expr_op op = bind_op_of(e);

    if (e->kind == BEXPR_AND) {
        double share = 1;

        for (uint32_t i = 0; i < e->args_count; i++)
            share *= rows_share(e->args[i]);
        return share;
    }
    if (op == OP_EQ)
        return 0.05;
    if (op == OP_NE)
        return 0.9;
    if (e->kind == BEXPR_IN)
        return fmin(0.5, 0.05 * (double)(e->args_count - 1));
    return 0.33;
}

double rewrite_rows(struct planner *q, const struct lnode *n)
{
    double rows = ROWS_UNKNOWN;

    switch (n->kind) {
    case L_SCAN:
        return q->env->rows ? q->env->rows(q->env->rows_arg, n->table) : ROWS_UNKNOWN;
    case L_FILTER:
        rows = rewrite_rows(q, n->in);
        for (uint32_t i = 0; i < n->conds_count; i++)
            rows *= rows_share(n->conds[i]);
        return fmax(rows, 1);
    case L_MAP:
    case L_WINDOW:
    case L_SORT:
        return rewrite_rows(q, n->in);
    case L_LIMIT:
        rows = rewrite_rows(q, n->in);
        if (n->limit && n->limit->kind == BEXPR_CONST && !n->limit->value.null)
            rows = fmin(rows, (double)n->limit->value.v.i64);
        return rows;
    case L_AGG:
        return n->defs_count ? fmax(1, sqrt(rewrite_rows(q, n->in))) : 1;
    case L_UNIQUE:
        return fmax(1, sqrt(rewrite_rows(q, n->in)));
    case L_JOIN:
        if (n->join == PLAN_JOIN_INNER || n->join == PLAN_JOIN_LEFT || n->join == PLAN_JOIN_FULL)
            return n->conds_count ? fmax(rewrite_rows(q, n->in), rewrite_rows(q, n->right))
                                  : rewrite_rows(q, n->in) * rewrite_rows(q, n->right);
        return rewrite_rows(q, n->in);
    case L_SETOP:
        return rewrite_rows(q, n->in) + rewrite_rows(q, n->right);
    case L_SINGLE:
        return 1;
    case L_VALUES:
        return n->rows_count;
    case L_CTE:
        return n->cte->tree ? rewrite_rows(q, n->cte->tree) : rows;
    case L_RECURSIVE:
    case L_WORK:
    case L_SYSTEM:
    case L_FUNCTION:
    case L_KIND_MAX:
        break;
    }
    return rows;
}

/* ---- the order ---- */

static bool order_ready(const struct jinput *in, const struct lvars *have)
{
    for (uint32_t i = 0; i < in->needs.n; i++) {
        if (!lvars_has(have, in->needs.v[i]))
            return false;
    }
    return true;
}

/* Conditions that can be decided once the input is there, and could not before. */
static uint32_t order_links(const struct lexprs *conds,
                            const bool *done,
                            const struct lvars *have,
                            const struct jinput *in,
                            bool *ret_equal)
{
    uint32_t n = 0;

    *ret_equal = false;
    for (uint32_t i = 0; i < conds->n; i++) {
        const struct bexpr *e = conds->v[i];

        if (done[i] || !logic_uses_any(e, &in->given) || !logic_uses_any(e, have))
            continue;
        n++;
        *ret_equal = *ret_equal || bind_op_of(e) == OP_EQ;
    }
    return n;
}

/* How the result grows by the next input: by an equality each row finds about one partner on the
 * larger side. */
static double order_result(double rows, const struct jinput *in, uint32_t links, bool equal)
{
    if (links == 0)
        return rows * in->rows;
    if (equal)
        return fmax(1, rows * in->rows / fmax(1, fmax(rows, in->rows)));
    return rows * in->rows * 0.33;
}

static uint32_t order_first(const struct jinput *in, uint32_t count)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++) {
        if (in[i].needs.n == 0 && (best == UINT32_MAX || in[i].rows < in[best].rows))
            best = i;
    }
    return best;
}

static uint32_t order_next(const struct jinput *in,
                           uint32_t count,
                           const struct lexprs *conds,
                           const bool *done,
                           const struct lvars *have,
                           double rows,
                           double *ret_rows)
{
    uint32_t best = UINT32_MAX;
    bool best_linked = false;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t links;
        double result;
        bool equal, linked;

        if (in[i].used || !order_ready(&in[i], have))
            continue;
        links = order_links(conds, done, have, &in[i], &equal);
        result = order_result(rows, &in[i], links, equal);
        linked = links > 0;
        if (best != UINT32_MAX && (best_linked != linked ? best_linked : result >= *ret_rows))
            continue;
        best = i;
        best_linked = linked;
        *ret_rows = result;
    }
    return best;
}

/* Conditions that both sides together decide. */
static int order_take(struct planner *q,
                      const struct lexprs *conds,
                      bool *done,
                      const struct lvars *have,
                      const struct lvars *all,
                      struct lnode *join,
                      struct dn_err *err)
{
    struct lexprs own = {0};

    for (uint32_t i = 0; i < conds->n; i++) {
        struct lvars used = {0};
        bool now = true;

        if (done[i])
            continue;
        if (!logic_uses(q, conds->v[i], &used))
            return DN_FAIL_NOMEM(err);
        for (uint32_t k = 0; k < used.n && now; k++)
            now = lvars_has(have, used.v[k]) || !lvars_has(all, used.v[k]);
        if (!now)
            continue;
        done[i] = true;
        if (!lexprs_add(q->env->arena, &own, conds->v[i]))
            return DN_FAIL_NOMEM(err);
    }
    join->conds = own.v;
    join->conds_count = own.n;
    return 0;
}

static int order_inputs(struct planner *q,
                        struct lnode **inputs,
                        uint32_t count,
                        struct jinput *in,
                        struct lvars *all,
                        struct dn_err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        in[i].n = inputs[i];
        in[i].rows = rewrite_rows(q, inputs[i]);
        if (!logic_gives(q, inputs[i], &in[i].given) || !logic_gives(q, inputs[i], all))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct lvars free = {0};

        if (!logic_free(q, inputs[i], &free))
            return DN_FAIL_NOMEM(err);
        for (uint32_t k = 0; k < free.n; k++) {
            if (lvars_has(all, free.v[k]) && !lvars_add(q->env->arena, &in[i].needs, free.v[k]))
                return DN_FAIL_NOMEM(err);
        }
    }
    return 0;
}

int join_order(struct planner *q,
               struct lnode **inputs,
               uint32_t count,
               struct lexprs *conds,
               struct lnode **ret,
               struct dn_err *err)
{
    struct jinput *in = arena_calloc(q->env->arena, count, sizeof(*in));
    bool *done = arena_calloc(q->env->arena, (size_t)conds->n + 1, sizeof(*done));
    struct lvars have = {0}, all = {0};
    struct lnode *tree;
    double rows;
    uint32_t at;
    int rc;

    if (!in || !done)
        return DN_FAIL_NOMEM(err);
    rc = order_inputs(q, inputs, count, in, &all, err);
    if (rc < 0)
        return rc;
    at = order_first(in, count);
    if (at == UINT32_MAX)
        return DN_FAIL(err, DN_E_INTERNAL, "inputs of a join need each other");
    tree = in[at].n;
    rows = in[at].rows;
    in[at].used = true;
    if (!logic_gives(q, tree, &have))
        return DN_FAIL_NOMEM(err);
    for (uint32_t step = 1; step < count; step++) {
        struct lnode *join = logic_node(q, L_JOIN, tree);
        double next_rows = 0;

        at = order_next(in, count, conds, done, &have, rows, &next_rows);
        if (at == UINT32_MAX)
            return DN_FAIL(err, DN_E_INTERNAL, "inputs of a join need each other");
        if (!join || !logic_gives(q, in[at].n, &have))
            return DN_FAIL_NOMEM(err);
        join->join = PLAN_JOIN_INNER;
        join->right = in[at].n;
        if (in[at].needs.n == 0 && rows < in[at].rows) { /* keep the smaller side */
            join->right = tree;
            join->in = in[at].n;
        }
        in[at].used = true;
        rc = order_take(q, conds, done, &have, &all, join, err);
        if (rc < 0)
            return rc;
        tree = join;
        rows = next_rows;
    }
    *ret = tree;
    return 0;
}

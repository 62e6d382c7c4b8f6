/* SPDX-License-Identifier: Apache-2.0
 *
 * join_order.c: inner joins of several inputs. Greedy: begin with some input, then take, of those
 * that a condition connects with what is joined so far, the one that makes the smallest result;
 * inputs that nothing connects come last. Each input is tried as the first, and the order whose
 * intermediate results and inputs have the fewest rows to look at is taken. Inputs that use others
 * (LATERAL) wait for them. The larger side of each join streams (left), the smaller one is kept
 * (right).
 *
 * Row counts are estimates: those of the tables, cut down by guesses for conditions. An equality
 * with the whole key of a table finds one of its rows, if a filter has left it; one of columns that
 * are no key finds several: columns that must all be equal have no more values than the smallest of
 * their tables has rows (customers and suppliers of one of 25 nations). */
#include "plan/rewrite.h"

#include <math.h>
#include <string.h>

#define ROWS_UNKNOWN 1000.0
#define ROWS_MORE    0.5   /* what one more equality leaves */
#define ROWS_SOUGHT  10.0  /* a row that is found by its key costs so many that are just read */
#define ORDER_WORK   1e7   /* steps; where it would be more, only the smallest input is tried */
#define ROWS_MOST    1e30  /* no estimate is higher: products and sums of them stay finite */
#define ORDER_NEVER  1e300 /* cost of what cannot be */

struct jinput {
    struct lnode *n;
    struct lvars given;
    struct lvars key;   /* variables of the whole key, if it is a table; none: it has no key */
    struct lvars needs; /* numbers of the inputs that it uses */
    double rows;
    double base; /* of the table, before its filters */
    bool keyed;  /* it has a key: what is equal to another column is known to be no key */
};

/* What a condition is about. */
struct jcond {
    struct lvars inputs; /* numbers of them */
    bool equal;          /* of two variables of two inputs: */
    uint32_t var[2];     /* these */
    uint32_t of[2];      /* of these inputs */
    double values;       /* no more than that many: rows of the smallest table that has a column
                            which must be equal to these, too */
};

struct jorder {
    struct planner *q;
    struct jinput *in;
    uint32_t count;
    struct jcond *conds;
    uint32_t conds_count;
    bool *pairs;     /* count * count: each row of the second finds one row of the first at most */
    bool *have;      /* inputs that are joined */
    uint32_t *order; /* inputs, one after the other */
    double *rows;    /* of the result after each */
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
    if (expr_in_array(e))
        return 0.25;
    if (e->kind == BEXPR_IN)
        return fmin(0.5, 0.05 * (double)(e->args_count - 1));
    return 0.33;
}

static double rows_of(struct planner *q, const struct lnode *n);

/* A query of WITH is estimated once, however many mentions it has. */
static double rows_of_cte(struct planner *q, struct lcte *c)
{
    if (!c->estimated)
        c->rows = c->tree ? rewrite_rows(q, c->tree) : ROWS_UNKNOWN;
    c->estimated = true;
    return c->rows;
}

double rewrite_rows(struct planner *q, const struct lnode *n)
{
    return fmin(rows_of(q, n), ROWS_MOST);
}

static double rows_of(struct planner *q, const struct lnode *n)
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
        return rows_of_cte(q, n->cte);
    case L_FILE:
        return (double)n->file->rows;
    case L_RECURSIVE:
    case L_WORK:
    case L_SYSTEM:
    case L_FUNCTION:
    case L_KIND_MAX:
        break;
    }
    return rows;
}

/* ---- what joins ---- */

/* The node of this kind under filters and computed columns; NULL: another one is there. */
static const struct lnode *order_under(const struct lnode *n, enum lkind kind)
{
    while (n->kind == L_FILTER || n->kind == L_MAP)
        n = n->in;
    return n->kind == kind ? n : NULL;
}

static int order_key(struct planner *q, struct jinput *in, struct dn_err *err)
{
    const struct lnode *scan = order_under(in->n, L_SCAN);

    in->base = scan ? fmax(in->rows, rewrite_rows(q, scan)) : in->rows;
    for (uint16_t i = 0; scan && i < scan->table->columns_count; i++) {
        if (scan->table->columns[i].key_pos == 0)
            continue;
        in->keyed = true;
        if (!scan->col_vars[i]) { /* the query does not use it: no condition is about it */
            in->key.n = 0;
            break;
        }
        if (!lvars_add(q->env->arena, &in->key, scan->col_vars[i]))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static uint32_t order_giver(const struct jorder *o, uint32_t var)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (lvars_has(&o->in[i].given, var))
            return i;
    return UINT32_MAX;
}

static int order_conds(struct jorder *o, const struct lexprs *conds, struct dn_err *err)
{
    for (uint32_t i = 0; i < conds->n; i++) {
        const struct bexpr *e = conds->v[i];
        struct jcond *c = &o->conds[i];
        struct lvars used = {0};

        if (!logic_uses(o->q, e, &used))
            return DN_FAIL_NOMEM(err);
        for (uint32_t k = 0; k < used.n; k++) {
            uint32_t at = order_giver(o, used.v[k]);

            if (at < o->count && !lvars_add_new(o->q->env->arena, &c->inputs, at))
                return DN_FAIL_NOMEM(err);
        }
        if (bind_op_of(e) != OP_EQ || used.n != 2 || c->inputs.n != 2)
            continue;
        c->equal = true;
        for (uint32_t k = 0; k < 2; k++) {
            c->var[k] = used.v[k];
            c->of[k] = order_giver(o, used.v[k]);
        }
    }
    return 0;
}

/* Groups by a column that must be equal to one of a table, as a subquery has them that became a
 * join: probably most rows of that table have one, which is far more than one of so many rows is
 * guessed to have otherwise. */
static void order_groups(struct jorder *o)
{
    for (uint32_t i = 0; i < o->conds_count; i++) {
        const struct jcond *c = &o->conds[i];

        for (uint32_t side = 0; side < 2 && c->equal; side++) {
            struct jinput *in = &o->in[c->of[side]];
            const struct jinput *peer = &o->in[c->of[1 - side]];
            const struct lnode *agg = order_under(in->n, L_AGG);
            bool key = false;
            double guess, groups;

            if (!agg || !order_under(peer->n, L_SCAN))
                continue;
            for (uint32_t k = 0; k < agg->defs_count; k++)
                key = key || agg->defs[k].var == c->var[side];
            guess = rewrite_rows(o->q, agg);
            groups = fmin(rewrite_rows(o->q, agg->in), peer->base);
            if (!key || groups <= guess)
                continue;
            in->rows = groups * in->rows / guess;
            in->base = in->rows;
        }
    }
}

/* Columns that are equal to one column are equal to each other: the smallest table among theirs
 * limits the values of all. */
static void order_values(struct jorder *o)
{
    bool changed = true;

    for (uint32_t i = 0; i < o->conds_count; i++)
        if (o->conds[i].equal)
            o->conds[i].values = fmin(o->in[o->conds[i].of[0]].base, o->in[o->conds[i].of[1]].base);
    /* Each pass hands a limit on by one condition at least. */
    for (uint32_t pass = 0; changed && pow(o->conds_count, 2) * (pass + 1) < ORDER_WORK; pass++) {
        changed = false;
        for (uint32_t i = 0; i < o->conds_count; i++)
            for (uint32_t k = 0; k < o->conds_count; k++) {
                struct jcond *a = &o->conds[i];
                const struct jcond *b = &o->conds[k];

                if (!a->equal || !b->equal || b->values >= a->values ||
                    (a->var[0] != b->var[0] && a->var[0] != b->var[1] && a->var[1] != b->var[0] &&
                     a->var[1] != b->var[1]))
                    continue;
                a->values = b->values;
                changed = true;
            }
    }
}

/* Does each row of another input (UINT32_MAX: of those that are joined) find one row at most? */
static bool order_unique(const struct jorder *o, uint32_t at, uint32_t other)
{
    const struct jinput *in = &o->in[at];

    for (uint32_t k = 0; k < in->key.n; k++) {
        bool has = false;

        for (uint32_t i = 0; i < o->conds_count && !has; i++) {
            const struct jcond *c = &o->conds[i];
            uint32_t side = c->var[1] == in->key.v[k];
            uint32_t peer = c->of[1 - side];

            has = c->equal && c->var[side] == in->key.v[k] &&
                  (other == UINT32_MAX ? o->have[peer] : other == peer);
        }
        if (!has)
            return false;
    }
    return in->key.n > 0;
}

static int order_pairs(struct jorder *o, struct dn_err *err)
{
    for (uint32_t i = 0; i < o->count; i++) {
        int rc = plan_check_cancel(o->q->env, err);

        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < o->count; k++)
            o->pairs[(size_t)i * o->count + k] = i != k && order_unique(o, i, k);
    }
    return 0;
}

/* Are all inputs of the condition there, once this one is? */
static bool order_decides(const struct jorder *o, const struct jcond *c, uint32_t at)
{
    for (uint32_t i = 0; i < c->inputs.n; i++)
        if (c->inputs.v[i] != at && !o->have[c->inputs.v[i]])
            return false;
    return c->inputs.n > 1 && lvars_has(&c->inputs, at);
}

/* Rows after input `at` has joined those that are there; *ret_linked: a condition connects them. */
static double order_result(const struct jorder *o, double rows, uint32_t at, bool *ret_linked)
{
    const struct jinput *in = &o->in[at];
    bool unique = order_unique(o, at, UINT32_MAX);
    double values = unique ? in->base : 1; /* of what must be equal */
    double other = 1;                      /* conditions */

    *ret_linked = false;
    for (uint32_t i = 0; i < o->conds_count; i++) {
        const struct jcond *c = &o->conds[i];
        const struct jinput *peer;

        if (!order_decides(o, c, at))
            continue;
        *ret_linked = true;
        if (!c->equal) {
            other *= 0.33;
            continue;
        }
        peer = &o->in[c->of[0] == at ? c->of[1] : c->of[0]];
        if (unique)
            continue;
        if (o->pairs[(size_t)(peer - o->in) * o->count + at]) {
            values = fmax(values, peer->base);
            continue;
        }
        if (values > 1) /* who knows whether it says more than the others */
            other *= ROWS_MORE;
        else
            values = in->keyed && peer->keyed ? fmin(c->values, sqrt(fmin(in->base, peer->base)))
                                              : c->values;
    }
    return fmin(fmax(1, rows * in->rows * other / fmax(1, values)), ROWS_MOST);
}

/* What it costs to read the input: where rows are found by its key, those that are there say which
 * (join_prune.h). */
static double order_reading(const struct jorder *o, double rows, uint32_t at)
{
    double base = o->in[at].base;

    return o->in[at].keyed && !order_unique(o, at, UINT32_MAX) ? base
                                                               : fmin(base, ROWS_SOUGHT * rows);
}

/* ---- the order ---- */

static bool order_ready(const struct jorder *o, uint32_t at)
{
    for (uint32_t i = 0; i < o->in[at].needs.n; i++)
        if (!o->have[o->in[at].needs.v[i]])
            return false;
    return true;
}

/* Begins with `first`; *ret_cost ORDER_NEVER: that cannot be. */
static int order_from(struct jorder *o, uint32_t first, double *ret_cost, struct dn_err *err)
{
    double rows = o->in[first].rows;
    double cost = o->in[first].base;

    memset(o->have, 0, o->count * sizeof(*o->have));
    o->have[first] = true;
    o->order[0] = first;
    o->rows[0] = rows;
    for (uint32_t step = 1; step < o->count; step++) {
        uint32_t best = UINT32_MAX;
        double best_rows = 0;
        double best_cost = 0;
        bool best_linked = false;
        int rc = plan_check_cancel(o->q->env, err);

        if (rc < 0)
            return rc;
        for (uint32_t i = 0; i < o->count; i++) {
            double result, step_cost;
            bool linked;

            if (o->have[i] || !order_ready(o, i))
                continue;
            result = order_result(o, rows, i, &linked);
            step_cost = result + order_reading(o, rows, i);
            if (best != UINT32_MAX &&
                (best_linked != linked ? best_linked : step_cost >= best_cost))
                continue;
            best = i;
            best_linked = linked;
            best_rows = result;
            best_cost = step_cost;
        }
        if (best == UINT32_MAX) { /* inputs need each other */
            *ret_cost = ORDER_NEVER;
            return 0;
        }
        o->have[best] = true;
        rows = best_rows;
        cost += best_cost;
        o->order[step] = best;
        o->rows[step] = rows;
    }
    *ret_cost = cost;
    return 0;
}

/* The best of the orders that are tried. */
static int order_choose(struct jorder *o, struct dn_err *err)
{
    bool all = pow(o->count, 3) * (o->conds_count + 1) < ORDER_WORK;
    uint32_t best = UINT32_MAX;
    double best_cost = ORDER_NEVER;
    int rc = 0;

    for (uint32_t i = 0; i < o->count; i++)
        if (o->in[i].needs.n == 0 && (best == UINT32_MAX || o->in[i].rows < o->in[best].rows))
            best = i;
    if (best < o->count && all)
        rc = order_from(o, best, &best_cost, err);
    for (uint32_t i = 0; i < o->count && all && rc == 0; i++) {
        double cost = ORDER_NEVER;

        if (o->in[i].needs.n == 0)
            rc = order_from(o, i, &cost, err);
        if (cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    if (rc == 0 && best != UINT32_MAX)
        rc = order_from(o, best, &best_cost, err);
    if (rc < 0)
        return rc;
    if (best == UINT32_MAX || best_cost >= ORDER_NEVER)
        return DN_FAIL(err, DN_E_INTERNAL, "inputs of a join need each other");
    return 0;
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

static int
order_inputs(struct jorder *o, struct lnode **inputs, struct lvars *all, struct dn_err *err)
{
    struct planner *q = o->q;

    for (uint32_t i = 0; i < o->count; i++) {
        o->in[i].n = inputs[i];
        o->in[i].rows = rewrite_rows(q, inputs[i]);
        if (!logic_gives(q, inputs[i], &o->in[i].given) || !logic_gives(q, inputs[i], all))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < o->count; i++) {
        struct lvars free = {0};
        int rc = plan_check_cancel(q->env, err);

        if (rc == 0)
            rc = order_key(q, &o->in[i], err);
        if (rc < 0 || !logic_free(q, inputs[i], &free))
            return rc < 0 ? rc : DN_FAIL_NOMEM(err);
        for (uint32_t k = 0; k < free.n; k++) {
            uint32_t at = order_giver(o, free.v[k]);

            if (at < o->count && !lvars_add_new(q->env->arena, &o->in[i].needs, at))
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
    struct arena *arena = q->env->arena;
    struct jorder o = {.q = q, .count = count, .conds_count = conds->n};
    bool *done = arena_calloc(arena, (size_t)conds->n + 1, sizeof(*done));
    struct lvars have = {0}, all = {0};
    struct lnode *tree;
    int rc;

    o.in = arena_calloc(arena, count, sizeof(*o.in));
    o.conds = arena_calloc(arena, (size_t)conds->n + 1, sizeof(*o.conds));
    o.pairs = arena_calloc(arena, (size_t)count * count, sizeof(*o.pairs));
    o.have = arena_calloc(arena, count, sizeof(*o.have));
    o.order = arena_calloc(arena, count, sizeof(*o.order));
    o.rows = arena_calloc(arena, count, sizeof(*o.rows));
    if (!done || !o.in || !o.conds || !o.pairs || !o.have || !o.order || !o.rows)
        return DN_FAIL_NOMEM(err);
    rc = order_inputs(&o, inputs, &all, err);
    if (rc == 0)
        rc = order_conds(&o, conds, err);
    if (rc < 0)
        return rc;
    order_groups(&o);
    order_values(&o);
    rc = order_pairs(&o, err);
    if (rc == 0)
        rc = order_choose(&o, err);
    if (rc < 0)
        return rc;
    tree = o.in[o.order[0]].n;
    if (!logic_gives(q, tree, &have))
        return DN_FAIL_NOMEM(err);
    for (uint32_t step = 1; step < count; step++) {
        const struct jinput *in = &o.in[o.order[step]];
        struct lnode *join = logic_node(q, L_JOIN, tree);

        if (!join || !logic_gives(q, in->n, &have))
            return DN_FAIL_NOMEM(err);
        join->join = PLAN_JOIN_INNER;
        join->right = in->n;
        if (in->needs.n == 0 && o.rows[step - 1] < in->rows) { /* keep the smaller side */
            join->right = tree;
            join->in = in->n;
        }
        rc = order_take(q, conds, done, &have, &all, join, err);
        if (rc < 0)
            return rc;
        tree = join;
    }
    *ret = tree;
    return 0;
}

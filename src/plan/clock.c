/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: whose digits does a time have? No user typed those of now(), so a key column which keeps
 * fewer of them rounds; digits that were written are refused there, because rounding would merge
 * rows.
 *
 * It is a property of expressions that variables hand on: what is computed of a clock's time is a
 * clock's, through subqueries, joins, aggregates and recursions. Where rows of several sources
 * become one column (set operations, VALUES) it is also known how fine those of the others may be:
 * the column is rounded if it keeps all digits that may have been written. */
#include "plan/logic.h"

#include "base/text.h"
#include "func/func.h"

#include <strings.h>

bool plan_text_is_clock(const struct datum *d)
{
    struct vstr s = d->str;

    if (d->null || d->type != TYPE_VARCHAR)
        return false;
    while (s.len > 0 && text_one_of(s.ptr[s.len - 1], " \t\n\r"))
        s.len--;
    while (s.len > 0 && text_one_of(*s.ptr, " \t\n\r")) {
        s.ptr++;
        s.len--;
    }
    return s.len == 3 && strncasecmp(s.ptr, "now", 3) == 0;
}

/* ---- types ---- */

static bool clock_is_instant(enum type_id t)
{
    return type_is_timestamp(t) || t == TYPE_TIMESTAMPTZ || t == TYPE_TIMESTAMP_LOCAL;
}

/* A time stamp, or an array of them. */
static bool clock_is_time(enum type_id t)
{
    return clock_is_instant(t) || (type_is_array(t) && clock_is_instant(type_element(t)));
}

/* How many digits of a second a type keeps. Of others than times it is not known. */
static uint8_t clock_type_digits(enum type_id t)
{
    uint8_t digits = 0;

    if (type_is_array(t))
        t = type_element(t);
    if (!clock_is_instant(t))
        return PLAN_DIGITS_MAX;
    for (int64_t per = type_ts_per_second(t); per > 1; per /= 10)
        digits++;
    return digits;
}

bool plan_digits_round(struct plan_digits d, enum type_id type, const struct type_mods *mods)
{
    int keeps = mods->count ? mods->v[0] : clock_type_digits(type);

    return d.clock && d.written <= keeps;
}

/* ---- expressions ---- */

static struct plan_digits clock_both(struct plan_digits a, struct plan_digits b)
{
    return (struct plan_digits){.clock = a.clock || b.clock,
                                .written = a.written > b.written ? a.written : b.written};
}

static struct plan_digits clock_const(const struct bexpr *e)
{
    struct plan_digits d = {.clock = e->clock || plan_text_is_clock(&e->value)};
    int64_t v = e->value.v.i64;

    if (d.clock || e->value.null)
        return d;
    d.written = clock_type_digits(e->type);
    if (!clock_is_instant(e->type))
        return d;
    if (v == INT64_MAX || v == INT64_MIN) /* infinite */
        d.written = 0;
    for (; d.written > 0 && v % 10 == 0; v /= 10)
        d.written--;
    return d;
}

/* A subquery that needs no row; clock_tree() has been there. */
static struct plan_digits clock_param(const struct planner *q, const struct bexpr *e)
{
    for (uint32_t i = 0; q && i < q->inits_count; i++)
        if (q->inits[i].param == e->param)
            return q->vars[q->inits[i].var].digits;
    return (struct plan_digits){.written = clock_type_digits(e->type)};
}

static struct plan_digits clock_expr(const struct planner *q, const struct bexpr *e);

/* What is made of arguments: of the times among them if there are any, so that a time plus the
 * difference of others is as fine as it was. One of a clock decides, others beside it do not
 * count. */
static struct plan_digits
clock_args(const struct planner *q, struct bexpr *const *args, uint32_t count, enum type_id type)
{
    struct plan_digits all = {.clock = false};
    bool times = false;

    for (uint32_t i = 0; i < count; i++)
        times = times || clock_is_time(args[i]->type);
    for (uint32_t i = 0; i < count; i++) {
        struct plan_digits d = {.clock = false};

        if (!times || clock_is_time(args[i]->type))
            d = clock_expr(q, args[i]);
        if (d.clock)
            all = clock_both(all, d);
    }
    if (!all.clock)
        all.written = clock_type_digits(type);
    return all;
}

/* The values between which a CASE chooses. */
static struct plan_digits clock_case(const struct planner *q, const struct bexpr *e)
{
    struct plan_digits all = {.clock = false};

    for (uint32_t i = 1; i < e->args_count; i += i + 2 < e->args_count ? 2 : 1) {
        struct plan_digits d = clock_expr(q, e->args[i]);

        if (d.clock)
            all = clock_both(all, d);
    }
    if (!all.clock)
        all.written = clock_type_digits(e->type);
    return all;
}

/* A time as another type of time? It has no digits that it had not before. */
static bool clock_is_cast(const struct bexpr *e)
{
    return clock_is_time(e->type) && e->args_count == 1 && clock_is_time(e->args[0]->type) &&
           e->func == func_cast(e->args[0]->type, e->type, false);
}

static struct plan_digits clock_expr(const struct planner *q, const struct bexpr *e)
{
    struct plan_digits d = {.written = clock_type_digits(e->type)};

    switch (e->kind) {
    case BEXPR_CONST:
        return clock_const(e);
    case BEXPR_COLUMN:
        return q ? q->vars[e->col].digits : d;
    case BEXPR_PARAM:
        return clock_param(q, e);
    case BEXPR_CALL:
        if (e->func->flags & FUNC_CLOCK)
            return (struct plan_digits){.clock = true};
        if (clock_is_cast(e))
            return clock_expr(q, e->args[0]);
        return clock_args(q, e->args, e->args_count, e->type);
    case BEXPR_COALESCE:
        return clock_args(q, e->args, e->args_count, e->type);
    case BEXPR_CASE:
        return clock_case(q, e);
    case BEXPR_AND:
    case BEXPR_OR:
    case BEXPR_IN:
    case BEXPR_KIND_MAX:
        break;
    }
    return d;
}

struct plan_digits plan_expr_digits(const struct bexpr *e)
{
    return clock_expr(NULL, e);
}

/* ---- trees ---- */

/* A recursion around the part of the tree that is looked at. */
struct clock_round {
    const struct clock_round *outer;
    const struct lnode *n;
};

static void clock_node(struct planner *q, struct lnode *n, const struct clock_round *rounds);

static void clock_cte(struct planner *q, struct lnode *n, const struct clock_round *rounds)
{
    if (!n->cte->digits) {
        n->cte->digits = true;
        clock_node(q, n->cte->tree, rounds);
    }
    for (uint32_t i = 0; i < n->vars_count; i++)
        q->vars[n->vars[i]].digits = q->vars[n->cte->vars[i]].digits;
}

/* Rows of the step before, or of another part of the statement. */
static void clock_work(struct planner *q, struct lnode *n, const struct clock_round *rounds)
{
    while (rounds && rounds->n->work != n->work)
        rounds = rounds->outer;
    for (uint32_t i = 0; i < n->vars_count; i++) {
        struct lvar *v = &q->vars[n->vars[i]];

        v->digits = (struct plan_digits){.written = clock_type_digits(v->type)};
        if (rounds)
            v->digits = q->vars[rounds->n->left_vars[i]].digits;
        else if (n->work > 0 && n->work <= q->env->parts_count)
            v->digits = q->env->parts[n->work - 1].cols[i].digits;
    }
}

/* The term was looked at as if all steps were like the base. If some column of it is not, anything
 * may be in any of them. */
static void clock_recursive(struct planner *q, struct lnode *n, const struct clock_round *rounds)
{
    const struct clock_round in = {.outer = rounds, .n = n};
    bool same = true;

    clock_node(q, n->in, rounds);
    clock_node(q, n->right, &in);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        struct plan_digits base = q->vars[n->left_vars[i]].digits;
        struct plan_digits all = clock_both(base, q->vars[n->right_vars[i]].digits);

        same = same && all.clock == base.clock && all.written == base.written;
        q->vars[n->vars[i]].digits = all;
    }
    for (uint32_t i = 0; !same && i < n->vars_count; i++)
        q->vars[n->vars[i]].digits = (struct plan_digits){.written = PLAN_DIGITS_MAX};
}

static void clock_set(struct planner *q, struct lnode *n)
{
    for (uint32_t i = 0; i < n->vars_count; i++) {
        struct plan_digits left = q->vars[n->left_vars[i]].digits;

        q->vars[n->vars[i]].digits = n->setop == PLAN_SETOP_UNION_ALL
                                         ? clock_both(left, q->vars[n->right_vars[i]].digits)
                                         : left;
    }
}

static void clock_values(struct planner *q, struct lnode *n)
{
    for (uint32_t c = 0; c < n->vars_count; c++) {
        struct plan_digits all = {.clock = false};

        for (uint32_t r = 0; r < n->rows_count; r++)
            all = clock_both(all, clock_expr(q, n->values[(size_t)r * n->vars_count + c]));
        q->vars[n->vars[c]].digits = all;
    }
}

/* Rows of functions: what their arguments are. */
static void clock_function(struct planner *q, struct lnode *n)
{
    struct plan_digits all = {.clock = false};

    for (uint32_t i = 0; i < n->func->calls_count; i++) {
        const struct plan_function_call *c = &n->func->calls[i];
        struct plan_digits d = clock_args(q, c->args, c->args_count, TYPE_NONE);

        all = i == 0 ? d : clock_both(all, d);
    }
    for (uint32_t i = 0; i < n->vars_count; i++)
        q->vars[n->vars[i]].digits = all;
}

static void clock_agg(struct planner *q, uint32_t var, const struct plan_agg *a)
{
    struct lvar *v = &q->vars[var];

    v->digits = a->arg ? clock_expr(q, a->arg) : (struct plan_digits){.written = PLAN_DIGITS_MAX};
}

static void clock_calls(struct planner *q, struct lnode *n)
{
    for (uint32_t i = 0; i < n->calls_count; i++) {
        const struct plan_window_call *c = &n->calls[i].call;

        if (!c->fn)
            clock_agg(q, n->calls[i].var, &c->agg);
        else
            q->vars[n->calls[i].var].digits = clock_args(q, c->args, c->args_count, c->type);
    }
}

static void clock_columns(struct planner *q, const uint32_t *vars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) /* those of no type are columns nobody asked for */
        q->vars[vars[i]].digits.written = clock_type_digits(q->vars[vars[i]].type);
}

/* Inputs first: the right one may use what the left one gives. */
static void clock_node(struct planner *q, struct lnode *n, const struct clock_round *rounds)
{
    if (n->kind == L_RECURSIVE) {
        clock_recursive(q, n, rounds);
        return;
    }
    if (n->in)
        clock_node(q, n->in, rounds);
    if (n->right)
        clock_node(q, n->right, rounds);
    switch (n->kind) {
    case L_SCAN:
        clock_columns(q, n->col_vars, store_cols_count(n->table));
        break;
    case L_SYSTEM:
    case L_FILE:
        clock_columns(q, n->vars, n->vars_count);
        break;
    case L_MAP:
    case L_AGG:
        for (uint32_t i = 0; i < n->defs_count; i++)
            q->vars[n->defs[i].var].digits = clock_expr(q, n->defs[i].e);
        for (uint32_t i = 0; i < n->aggs_count; i++)
            clock_agg(q, n->aggs[i].var, &n->aggs[i].agg);
        break;
    case L_WINDOW:
        clock_calls(q, n);
        break;
    case L_SETOP:
        clock_set(q, n);
        break;
    case L_VALUES:
        clock_values(q, n);
        break;
    case L_FUNCTION:
        clock_function(q, n);
        break;
    case L_CTE:
        clock_cte(q, n, rounds);
        break;
    case L_WORK:
        clock_work(q, n, rounds);
        break;
    case L_SINGLE:
    case L_FILTER:
    case L_JOIN:
    case L_SORT:
    case L_LIMIT:
    case L_UNIQUE:
    case L_RECURSIVE:
    case L_KIND_MAX:
        break;
    }
}

void logic_digits(struct planner *q, struct lnode *tree, const uint32_t *vars, uint32_t count)
{
    bool times = false;

    for (uint32_t i = 0; i < count; i++)
        times = times || clock_is_time(q->vars[vars[i]].type);
    if (!times)
        return;
    for (uint32_t i = 0; i < q->inits_count; i++) /* those that one uses are before it */
        clock_node(q, q->inits[i].tree, NULL);
    clock_node(q, tree, NULL);
}

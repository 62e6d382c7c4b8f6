/* SPDX-License-Identifier: Apache-2.0
 *
 * safe.c: expressions and queries that cannot fail. */
#include "plan/safe.h"

#include "plan/bind.h"

bool logic_safe_row(const struct lnode *n)
{
    while (n->kind == L_MAP || n->kind == L_FILTER || n->kind == L_SORT)
        n = n->in;
    return n->kind == L_SINGLE || (n->kind == L_AGG && n->defs_count == 0) ||
           (n->kind == L_LIMIT && n->limit && n->limit->kind == BEXPR_CONST && !n->ties &&
            !n->limit->value.null && n->limit->value.v.i64 <= 1);
}

static bool safe_param(const struct planner *q, uint32_t param)
{
    for (uint32_t i = 0; i < q->inits_count; i++) {
        if (q->inits[i].param == param)
            return logic_safe_row(q->inits[i].tree) && logic_safe_tree(q, q->inits[i].tree);
    }
    return true;
}

/* A number that is not zero. */
static bool safe_divisor(const struct bexpr *e)
{
    double d;

    if (e->kind == BEXPR_CALL && strcmp(e->func->name, "cast") == 0 && e->args_count == 1)
        return safe_divisor(e->args[0]);
    if (e->kind != BEXPR_CONST || e->value.null)
        return false;
    if (type_is_int(e->type))
        return e->value.v.i64 != 0;
    d = e->type == TYPE_DOUBLE ? e->value.v.f64 : 0;
    return d < 0 || d > 0;
}

/* A wider type, a text, or a floating point number. */
static bool safe_cast(enum type_id from, enum type_id to)
{
    return func_cast_level(from, to) == FUNC_CAST_IMPLICIT ||
           (to == TYPE_VARCHAR && from != TYPE_BLOB) || (to == TYPE_DOUBLE && type_is_number(from));
}

static bool safe_pattern(const char *name)
{
    static const char *const names[] = {"like", "ilike", "similar to", "~", "~*", "!~", "!~*"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Numbers too big for their type are not looked for: sums are everywhere. */
static bool safe_call(const struct bexpr *e)
{
    static const char *const names[] = {
        "+",        "-",     "*",     "||",     "not",         "is null",     "is not null",
        "is true",  "lower", "upper", "length", "is not true", "is false",    "is not false",
        "greatest", "least", "abs",   "round",  "floor",       "ceil",        "concat",
        "trim",     "btrim", "ltrim", "rtrim",  "date_trunc",  "time_bucket", "date_part"};

    if (bind_op_of(e) != OP_MAX)
        return true;
    if (strcmp(e->func->name, "cast") == 0)
        return e->args_count == 1 && safe_cast(e->args[0]->type, e->type);
    if (e->args_count >= 2 && safe_pattern(e->func->name))
        return !bind_has_columns(e->args[1]); /* wrong for all rows, or for none */
    if (strcmp(e->func->name, "/") == 0 || strcmp(e->func->name, "%") == 0)
        return safe_divisor(e->args[1]);
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++) {
        if (strcmp(e->func->name, names[i]) == 0)
            return true;
    }
    return false;
}

bool logic_safe_expr(const struct planner *q, const struct bexpr *e)
{
    if (!e)
        return true;
    if ((e->kind == BEXPR_CALL && !safe_call(e)) ||
        (e->kind == BEXPR_PARAM && !safe_param(q, e->param)))
        return false;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!logic_safe_expr(q, e->args[i]))
            return false;
    }
    return true;
}

static bool safe_agg(const struct planner *q, const struct plan_agg *a)
{
    static const char *const names[] = {
        "count", "sum", "avg", "min", "max", "bool_and", "bool_or", "every", "array_agg"};

    for (uint32_t i = 0; i < a->order_count; i++) {
        if (!logic_safe_expr(q, a->order[i].e))
            return false;
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++) {
        if (strcmp(a->agg->name, names[i]) == 0)
            return logic_safe_expr(q, a->arg) && logic_safe_expr(q, a->arg2);
    }
    return false;
}

static bool safe_here(const struct planner *q, const struct lnode *n)
{
    if (n->kind == L_FUNCTION || n->kind == L_WINDOW || n->kind == L_RECURSIVE ||
        (n->kind == L_JOIN && n->join == PLAN_JOIN_SINGLE && !logic_safe_row(n->right)))
        return false;
    for (uint32_t i = 0; i < n->conds_count; i++) {
        if (!logic_safe_expr(q, n->conds[i]))
            return false;
    }
    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (!logic_safe_expr(q, n->defs[i].e))
            return false;
    }
    for (uint32_t i = 0; i < n->aggs_count; i++) {
        if (!safe_agg(q, &n->aggs[i].agg))
            return false;
    }
    for (uint32_t i = 0; i < n->rows_count * n->vars_count; i++) {
        if (!logic_safe_expr(q, n->values[i]))
            return false;
    }
    return (!n->limit || n->limit->kind == BEXPR_CONST) &&
           (!n->offset || n->offset->kind == BEXPR_CONST);
}

bool logic_safe_tree(const struct planner *q, const struct lnode *n)
{
    return safe_here(q, n) && (!n->in || logic_safe_tree(q, n->in)) &&
           (!n->right || logic_safe_tree(q, n->right)) &&
           (!n->cte || logic_safe_tree(q, n->cte->tree));
}

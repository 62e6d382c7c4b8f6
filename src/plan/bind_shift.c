/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_shift.c: sum(x + 5) over a whole table, x being a whole number of at most 32 bits. It is
 *
 *     CASE WHEN max(x) + 5 IS NOT NULL THEN sum(x) + count(x) * 5 END
 *
 * whose aggregates zone maps answer, and which any number of such sums share. The sum of numbers
 * of 32 bits cannot leave 64. max(x) + 5 (min(x) where the constant is negative or is taken away)
 * fails if x + 5 fails for some row, with the same error, and is NULL if there is no value.
 *
 * With GROUP BY three states of each group would cost more than one addition for each row: then
 * the sum stays as it is. */
#include "plan/select_int.h"

#include <string.h>

#define SHIFT_MAX ((int64_t)1 << 30) /* so that the constant is an INTEGER */

struct shift {
    struct arena *arena;
    const struct expr *sum; /* the call */
    struct expr *x;
    struct expr *constant;
    enum expr_op op;
};

static bool shift_is_constant(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && !e->big && !e->value.null && type_is_int(e->value.type) &&
           e->value.v.i64 < SHIFT_MAX && e->value.v.i64 > -SHIFT_MAX;
}

/* Is it sum(x + 5), sum(5 + x) or sum(x - 5) and nothing else? */
static bool shift_find(const struct expr *e, struct shift *ret)
{
    const struct expr *arg = e->args_count == 1 ? e->args[0] : NULL;

    if (!arg || e->distinct || e->a || e->ext || e->star || arg->kind != EXPR_BINARY ||
        (arg->op != OP_ADD && arg->op != OP_SUB))
        return false;
    ret->sum = e;
    ret->op = arg->op;
    ret->x = arg->a;
    ret->constant = arg->b;
    if (arg->op == OP_ADD && shift_is_constant(arg->a)) {
        ret->x = arg->b;
        ret->constant = arg->a;
    }
    return ret->x->kind == EXPR_COLUMN && shift_is_constant(ret->constant);
}

/* The column in an expression of casts, the constant and it. */
static bool shift_narrow(const struct bexpr *e)
{
    if (e->kind == BEXPR_COLUMN)
        return e->type == TYPE_SMALLINT || e->type == TYPE_INTEGER;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (shift_narrow(e->args[i]))
            return true;
    return false;
}

static struct expr *shift_node(const struct shift *s, enum expr_kind kind)
{
    struct expr *e = arena_calloc(s->arena, 1, sizeof(*e));

    if (e) {
        e->kind = kind;
        e->pos = s->sum->pos;
        e->depth = s->sum->depth;
    }
    return e;
}

static struct expr *shift_call(const struct shift *s, const char *name)
{
    struct expr *e = shift_node(s, EXPR_CALL);
    struct expr **args = arena_alloc_array(s->arena, 1, sizeof(*args));

    if (!e || !args)
        return NULL;
    args[0] = s->x;
    e->name = name;
    e->args = args;
    e->args_count = 1;
    return e;
}

static struct expr *
shift_binary(const struct shift *s, enum expr_op op, struct expr *a, struct expr *b)
{
    struct expr *e = shift_node(s, EXPR_BINARY);

    if (!e || !a || !b)
        return NULL;
    e->op = op;
    e->a = a;
    e->b = b;
    return e;
}

static struct expr *shift_make(const struct shift *s)
{
    bool up = (s->constant->value.v.i64 >= 0) == (s->op == OP_ADD);
    struct expr *end = shift_binary(s, s->op, shift_call(s, up ? "max" : "min"), s->constant);
    struct expr *all = shift_binary(s, OP_MUL, shift_call(s, "count"), s->constant);
    struct expr *sum = all ? shift_binary(s, s->op, shift_call(s, "sum"), all) : NULL;
    struct expr *some = shift_node(s, EXPR_IS_NULL);
    struct expr *ret = shift_node(s, EXPR_CASE);
    struct expr **args = arena_alloc_array(s->arena, 2, sizeof(*args));

    if (!end || !sum || !some || !ret || !args)
        return NULL;
    some->a = end;
    some->negated = true;
    args[0] = some;
    args[1] = sum;
    ret->args = args;
    ret->args_count = 2;
    return ret;
}

int bind_sum_shifted(struct binder *b,
                     const struct expr *e,
                     const struct plan_agg *agg,
                     struct bexpr **ret,
                     struct dn_err *err)
{
    struct shift s = {.arena = b->env->arena};
    struct expr *instead;

    if (strcmp(agg->agg->name, "sum") != 0 || agg->agg->arg != TYPE_INTEGER || b->in_agg ||
        b->level->core->group_by_count || !shift_find(e, &s) || !shift_narrow(agg->arg))
        return DN_NOT_FOUND;
    instead = shift_make(&s);
    return instead ? bind_expr(b, instead, ret, err) : DN_FAIL_NOMEM(err);
}

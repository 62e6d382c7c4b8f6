/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal.c: a DOUBLE that stands for a NUMERIC; decimal.h says why. What PostgreSQL computes as
 * NUMERIC is not listed here: the functions and aggregates of NUMERIC are asked. */
#include "plan/decimal.h"

#include "func/aggregate.h"
#include "plan/bind.h"
#include "plan/padded.h"

static bool decimal_is(const struct bexpr *e)
{
    return e->type == TYPE_DOUBLE && e->decimal == DECIMAL_YES;
}

bool bind_decimal_joins(const struct bexpr *e)
{
    const struct bexpr *from = e;

    if (e->decimal)
        return decimal_is(e);
    if (e->kind == BEXPR_CALL && e->type == TYPE_DOUBLE && e->args_count == 1 &&
        e->func == func_cast(e->args[0]->type, TYPE_DOUBLE, false))
        from = e->args[0];
    return e->kind == BEXPR_CONST || type_is_int(from->type) || from->type == TYPE_NUMERIC;
}

bool bind_decimal_choice(struct bexpr *const *args, uint32_t count)
{
    bool any = false;

    for (uint32_t i = 0; i < count; i++) {
        any = any || decimal_is(args[i]);
        if (args[i]->type == TYPE_DOUBLE && !bind_decimal_joins(args[i]))
            return false;
    }
    return any;
}

/* Of integers, or of such numbers; and NUMERIC of NUMERIC. */
static bool decimal_agg(const struct plan_agg *agg)
{
    struct dn_err ignored;
    const struct agg *num;

    if (agg->arg2 || agg->agg->result != TYPE_DOUBLE ||
        !(type_is_int(agg->arg->type) || decimal_is(agg->arg)))
        return false;
    num = agg_find(agg->agg->name, false, TYPE_NUMERIC, 0, &ignored);
    return num && num->result == TYPE_NUMERIC;
}

/* The function that NUMERIC would have; NULL: none, or there is a DOUBLE among the arguments. */
static const struct func *
decimal_found(const struct func *f, struct bexpr *const *args, uint32_t count)
{
    enum type_id types[FUNC_ARGS_MAX], casts[FUNC_ARGS_MAX];
    bool any = false;

    if (count > FUNC_ARGS_MAX)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        bool is = decimal_is(args[i]);

        any = any || is;
        if (type_is_float(args[i]->type) && !bind_decimal_joins(args[i]))
            return NULL;
        types[i] = casts[i] = is ? TYPE_NUMERIC : args[i]->type;
    }
    return any ? func_find(f->name, types, count, casts, 0, NULL) : NULL;
}

int bind_decimal_call(struct binder *b,
                      const struct func **f,
                      struct bexpr **args,
                      uint32_t count,
                      struct dn_err *err)
{
    if (!((*f)->flags & FUNC_HALVES) || !decimal_found(*f, args, count))
        return 0;
    if ((*f)->args_count == 1) {
        *f = func_round_away();
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        int rc =
            decimal_is(args[i]) ? bind_coerce(b, args[i], TYPE_NUMERIC, true, &args[i], err) : 0;

        if (rc < 0)
            return rc;
    }
    return 1;
}

bool bind_decimal_result(const struct func *f, struct bexpr *const *args, uint32_t count)
{
    const struct func *num = f->result == TYPE_DOUBLE ? decimal_found(f, args, count) : NULL;

    return num && num->result == TYPE_NUMERIC;
}

int bind_decimal_to_int(struct binder *b, struct bexpr **e, struct dn_err *err)
{
    struct bexpr *out;

    if (!decimal_is(*e))
        return 0;
    out = bind_new(b, BEXPR_CALL, TYPE_DOUBLE, (*e)->pos);
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->func = func_round_away();
    out->args = arena_dup(b->env->arena, e, sizeof(*out->args));
    out->args_count = 1;
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    *e = out;
    return 0;
}

void logic_set_like(struct planner *q, uint32_t var, const struct bexpr *e)
{
    logic_set_chars(q, var, e->chars);
    if (var)
        q->vars[var].decimal = decimal_is(e) && q->vars[var].type == TYPE_DOUBLE;
}

void logic_set_agg(struct planner *q, uint32_t var, const struct plan_agg *agg)
{
    logic_set_chars(q, var, agg->arg->chars);
    q->vars[var].decimal = decimal_agg(agg);
}

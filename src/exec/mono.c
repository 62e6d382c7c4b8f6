/* SPDX-License-Identifier: Apache-2.0
 *
 * mono.c: see mono.h. Arithmetic counts with constants of a known sign: rounding is monotonic, of
 * doubles and of integer division too, and where a result leaves its type there is an error.
 *
 * The scale of a NUMERIC quotient depends on its size, so two roundings meet where that changes.
 * The quotient has 17 digits there or more, which tell microseconds apart, but not nanoseconds. */
#include "exec/mono.h"

#include "func/func.h"
#include "func/num.h"

#include <math.h>
#include <string.h>

static bool mono_number(enum type_id t)
{
    return type_is_int(t) || type_is_float(t) || t == TYPE_NUMERIC;
}

/* A constant number that is finite and, if asked, above 0. */
static bool mono_const(const struct bexpr *e, bool positive)
{
    if (e->kind != BEXPR_CONST || e->value.null || !mono_number(e->value.type))
        return false;
    if (type_is_int(e->value.type))
        return !positive || e->value.v.i64 > 0;
    if (e->value.type == TYPE_NUMERIC)
        return !e->value.num.special && (!positive || num_sign(e->value.num) > 0);
    return isfinite(e->value.v.f64) && (!positive || e->value.v.f64 > 0);
}

/* The argument of arithmetic with a constant that the result follows; NULL: none. */
static const struct bexpr *mono_arithmetic(const struct bexpr *e)
{
    const char *name = e->func->name;
    bool scales = strcmp(name, "*") == 0 || strcmp(name, "/") == 0;
    bool turns = strcmp(name, "+") == 0 || strcmp(name, "*") == 0; /* either side may be constant */

    if (!mono_number(e->type) || e->args_count != 2 ||
        !(scales || turns || strcmp(name, "-") == 0) || !mono_number(e->args[0]->type) ||
        !mono_number(e->args[1]->type))
        return NULL;
    if (mono_const(e->args[1], scales))
        return e->args[0];
    return turns && mono_const(e->args[0], scales) ? e->args[1] : NULL;
}

/* floor and its like, and casts of numbers and of times. */
static const struct bexpr *mono_rounding(const struct bexpr *e)
{
    static const char *const names[] = {"floor", "ceil", "ceiling", "trunc", "round"};
    const struct bexpr *arg = e->args_count == 1 ? e->args[0] : NULL;
    bool numbers;

    if (!arg)
        return NULL;
    numbers = mono_number(e->type) && mono_number(arg->type);
    for (uint32_t i = 0; i < DN_ARRAY_SIZE(names); i++)
        if (numbers && strcmp(e->func->name, names[i]) == 0)
            return arg;
    if (!numbers && !(type_is_timestamp(e->type) && type_is_timestamp(arg->type)))
        return NULL;
    return e->func == func_cast(arg->type, e->type, true) ||
                   e->func == func_cast(arg->type, e->type, false)
               ? arg
               : NULL;
}

/* extract(epoch FROM time) */
static const struct bexpr *mono_epoch(const struct bexpr *e)
{
    const struct bexpr *field = e->args_count == 2 ? e->args[0] : NULL;

    if (!field || field->kind != BEXPR_CONST || field->value.null ||
        field->value.type != TYPE_VARCHAR || field->value.str.len != 5 ||
        strcmp(e->func->name, "extract") != 0 || !mono_number(e->type) ||
        !type_is_timestamp(e->args[1]->type))
        return NULL;
    return memcmp(field->value.str.ptr, "epoch", 5) == 0 ? e->args[1] : NULL;
}

static const struct bexpr *mono_flagged(const struct bexpr *e)
{
    const struct bexpr *arg;

    if (!(e->func->flags & FUNC_MONOTONIC))
        return NULL;
    arg = e->args[e->func->mono_arg];
    for (uint32_t i = 0; i < e->args_count; i++)
        if (e->args[i] != arg && !expr_is_const(e->args[i], true))
            return NULL;
    return arg;
}

uint32_t exec_mono_col(const struct bexpr *e)
{
    bool quotient = false;

    while (e->kind == BEXPR_CALL && !(e->func->flags & FUNC_VOLATILE)) {
        const struct bexpr *arg = mono_flagged(e);

        quotient = quotient || (e->type == TYPE_NUMERIC && strcmp(e->func->name, "/") == 0);
        if (!arg)
            arg = mono_epoch(e);
        if (!arg)
            arg = mono_rounding(e);
        if (!arg)
            arg = mono_arithmetic(e);
        if (!arg)
            return PLAN_NO_COL;
        e = arg;
    }
    if (e->kind != BEXPR_COLUMN || (quotient && e->type == TYPE_TIMESTAMP_NS))
        return PLAN_NO_COL;
    return e->col;
}

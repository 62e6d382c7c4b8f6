/* SPDX-License-Identifier: Apache-2.0
 *
 * preds_mono.c: the least argument at which a function that never falls reaches a bound is searched
 * by halves: some sixty calls, whatever the function. A call that fails, because its result leaves
 * the type, does so near an end of the range: there the result counts as beyond that end. */
#include "plan/preds_mono.h"

const struct bexpr *mono_column(const struct bexpr *e)
{
    const struct bexpr *col;

    if (e->kind != BEXPR_CALL || !(e->func->flags & FUNC_MONOTONIC))
        return NULL;
    if (!type_is_timestamp(e->type) && !type_is_int(e->type))
        return NULL;
    col = e->args[e->func->mono_arg];
    if (col->kind != BEXPR_COLUMN || (!type_is_timestamp(col->type) && !type_is_int(col->type)))
        return NULL;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (i != e->func->mono_arg && !expr_is_const(e->args[i], true))
            return NULL;
    }
    return col;
}

/* Is e at that argument not below the bound? */
static bool mono_reaches(const struct bexpr *call,
                         struct bexpr *arg,
                         struct eval *ev,
                         int64_t at,
                         const struct datum *bound,
                         bool above)
{
    struct dn_err ignored;
    struct datum d;
    int c;

    arg->value.v.i64 = at;
    if (expr_eval_datum(call, ev, &d, &ignored) < 0 || d.null)
        return at > 0;
    c = datum_cmp(&d, bound);
    return above ? c > 0 : c >= 0;
}

bool mono_least(
    const struct bexpr *e, struct eval *ev, const struct datum *bound, bool above, int64_t *ret)
{
    const struct bexpr *col = mono_column(e);
    struct bexpr arg = {.kind = BEXPR_CONST, .type = col->type, .value = {.type = col->type}};
    struct bexpr *args[FUNC_ARGS_MAX];
    struct bexpr call = *e;
    int64_t lo = bind_int_min(col->type);
    int64_t hi = bind_int_max(col->type);
    struct dn_err err;
    struct datum d;

    if (e->args_count > FUNC_ARGS_MAX)
        return false;
    for (uint32_t i = 0; i < e->args_count; i++)
        args[i] = i == e->func->mono_arg ? &arg : e->args[i];
    call.args = args;
    if (expr_eval_datum(&call, ev, &d, &err) < 0 || d.null) /* of 0: the other arguments are bad */
        return false;
    if (!mono_reaches(&call, &arg, ev, hi, bound, above))
        return false;
    if (mono_reaches(&call, &arg, ev, lo, bound, above)) /* -infinity may, where the next fail */
        hi = lo;
    while (lo < hi) { /* hi reaches it */
        int64_t mid = (lo & hi) + ((lo ^ hi) >> 1);

        if (mono_reaches(&call, &arg, ev, mid, bound, above))
            hi = mid;
        else
            lo = mid + 1;
    }
    *ret = lo;
    return true;
}

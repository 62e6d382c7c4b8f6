/* SPDX-License-Identifier: Apache-2.0
 *
 * widen.c: integers as longer ones or as DOUBLE, REAL as DOUBLE. */
#include "vec/widen.h"

bool type_widens(enum type_id from, enum type_id to)
{
    if (to == TYPE_DOUBLE)
        return type_is_int(from) || from == TYPE_REAL;
    return (to == TYPE_BIGINT && (from == TYPE_INTEGER || from == TYPE_SMALLINT)) ||
           (to == TYPE_INTEGER && from == TYPE_SMALLINT);
}

struct datum datum_widen(const struct datum *d, enum type_id to)
{
    struct datum wide = *d;

    DN_DCHECK(d->type == to || type_widens(d->type, to));
    wide.type = to;
    if (to == TYPE_DOUBLE && type_is_int(d->type))
        wide.v.f64 = (double)d->v.i64;
    return wide;
}

bool vec_widen(struct arena *arena, const struct vec *v, enum type_id to, struct vec *ret)
{
    uint32_t n = v->form == VEC_FLAT ? v->count : v->form == VEC_CONST ? 1 : v->dict_count;
    struct vec values = {.type = v->type, .form = VEC_FLAT, .count = n, .data = v->data};
    void *data = arena_alloc_array(arena, n, phys_size(type_phys(to)));

    DN_ASSERT(type_widens(v->type, to));
    if (!data)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (to == TYPE_DOUBLE)
            ((double *)data)[i] =
                v->type == TYPE_REAL ? vec_f64(&values, i) : (double)vec_i64(&values, i);
        else if (to == TYPE_BIGINT)
            ((int64_t *)data)[i] = vec_i64(&values, i);
        else
            ((int32_t *)data)[i] = (int32_t)vec_i64(&values, i);
    }
    *ret = *v;
    ret->type = to;
    ret->data = data;
    ret->dict_id = 0;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * num_each.h: operators of two decimal numbers over vectors. Any thread. */
#pragma once

#include "func/func_int.h"
#include "func/num.h"
#include "func/num_even.h"

typedef int (*numeric_fast)(const struct vnumeric *a,
                            const struct vnumeric *b,
                            struct vnumeric *ret,
                            struct dn_err *err);

/* For operators that most rows of most vectors need a few instructions for: where the numbers are
 * alike (num_even.h) in one loop, else number by number. */
static inline __attribute__((always_inline)) int numeric_each(numeric_fast call,
                                                              enum num_even_op op,
                                                              const struct func_ctx *ctx,
                                                              const struct vec *args,
                                                              uint32_t count,
                                                              struct vec *ret,
                                                              struct dn_err *err)
{
    struct vnumeric *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    const struct vnumeric *a = args[0].data;
    const struct vnumeric *b = args[1].data;
    size_t step_a = args[0].form == VEC_FLAT;
    size_t step_b = args[1].form == VEC_FLAT;
    int rc = 0;

    if (!to)
        return DN_E_NOMEM;
    if (args[0].form != VEC_DICT && args[1].form != VEC_DICT && step_a + step_b > 0 && count > 0 &&
        num_even_pairs(op, args, ret->nulls, count, to))
        return 0;
    if (!ret->nulls && args[0].form != VEC_DICT && args[1].form != VEC_DICT) {
        for (uint32_t i = 0; i < count && rc == 0; i++)
            rc = call(&a[i * step_a], &b[i * step_b], &to[i], err);
        return rc;
    }
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        to[i] = (struct vnumeric){0};
        if (!vec_is_null(ret, i))
            rc = call(func_num_at(&args[0], i), func_num_at(&args[1], i), &to[i], err);
    }
    return rc;
}

#define NUMERIC_EACH(name, OP)                                                  \
    static int func_num_##name(const struct func_ctx *ctx,                      \
                               const struct vec *args,                          \
                               uint32_t args_count DN_UNUSED,                   \
                               uint32_t count,                                  \
                               struct vec *ret,                                 \
                               struct dn_err *err)                              \
    {                                                                           \
        return numeric_each(num_##name##_fast, OP, ctx, args, count, ret, err); \
    }

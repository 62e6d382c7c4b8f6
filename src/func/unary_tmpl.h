/* SPDX-License-Identifier: Apache-2.0
 *
 * unary_tmpl.h: the kernel of a function of one fixed-width value. Inputs, all undefined here:
 *
 *     UNARY_FN        name of the kernel
 *     UNARY_T         type of the argument
 *     UNARY_R         type of the result
 *     UNARY_OP(x, r)  sets r; an int, not 0 when the result is no value
 *     UNARY_RAISE(x)  raises the error of such a value; ret->type is the result's type
 *
 * Faults are collected as arith_tmpl.h does it. */

static int UNARY_FN(const struct func_ctx *ctx,
                    const struct vec *args,
                    uint32_t args_count DN_UNUSED,
                    uint32_t count,
                    struct vec *ret,
                    struct dn_err *err)
{
    const UNARY_T *restrict from = args[0].data; /* a CONST comes with count 1 */
    UNARY_R *restrict to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int bad = 0;

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        UNARY_T x = from[i];
        UNARY_R r;

        bad |= UNARY_OP(x, r);
        to[i] = r;
    }
    if (!bad)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        UNARY_T x = from[i];
        UNARY_R r;

        if (UNARY_OP(x, r) && !vec_is_null(ret, i))
            return UNARY_RAISE(x);
        (void)r;
    }
    return 0;
}

#undef UNARY_FN
#undef UNARY_T
#undef UNARY_R
#undef UNARY_OP
#undef UNARY_RAISE

/* SPDX-License-Identifier: Apache-2.0
 *
 * compare_tmpl.h: the six comparisons of one physical type. Inputs, all undefined here:
 *
 *     COMPARE_T                   type of the operands
 *     COMPARE_SUFFIX              of the kernels' names: func_eq_<suffix>, func_ne_, func_lt_,
 *                                 func_le_, func_gt_, func_ge_
 *     COMPARE_EQ(x, y)            0 or 1
 *     COMPARE_LT(x, y)            0 or 1
 *     COMPARE_WIDE                defined: there is a variant for AVX2
 *     COMPARE_TRY(op, a, b, b_const, skip, count, to)
 *                                 defined: asked first; true: it is done. skip: rows that hold
 *                                 anything (NULL: none)
 *
 * No comparison can fail. A constant on the left is turned into one on the right by the mirrored
 * operator, so there are two loops for each operator. */

#define COMPARE_PASTE_(a, b) a##b
#define COMPARE_PASTE(a, b)  COMPARE_PASTE_(a, b)
#define COMPARE_NAME(op)     COMPARE_PASTE(func_##op##_, COMPARE_SUFFIX)
#define COMPARE_LOOP         COMPARE_PASTE(func_compare_, COMPARE_SUFFIX)

static inline __attribute__((always_inline)) void COMPARE_LOOP(enum compare_op op,
                                                               const COMPARE_T *restrict a,
                                                               const COMPARE_T *restrict b,
                                                               bool b_const,
                                                               int8_t *restrict to,
                                                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        COMPARE_T x = a[i];
        COMPARE_T y = b[b_const ? 0 : i];

        switch (op) {
        case COMPARE_OP_EQ:
            to[i] = (int8_t)COMPARE_EQ(x, y);
            break;
        case COMPARE_OP_NE:
            to[i] = (int8_t)!COMPARE_EQ(x, y);
            break;
        case COMPARE_OP_LT:
            to[i] = (int8_t)COMPARE_LT(x, y);
            break;
        case COMPARE_OP_LE:
            to[i] = (int8_t)!COMPARE_LT(y, x);
            break;
        case COMPARE_OP_GT:
            to[i] = (int8_t)COMPARE_LT(y, x);
            break;
        case COMPARE_OP_GE:
            to[i] = (int8_t)!COMPARE_LT(x, y);
            break;
        }
    }
}

#if defined(COMPARE_WIDE) && defined(FUNC_AVX2)
#define COMPARE_AVX2 COMPARE_PASTE(func_compare_avx2_, COMPARE_SUFFIX)
#define COMPARE_BOTH(OP)                              \
    case OP:                                          \
        if (b_const)                                  \
            COMPARE_LOOP(OP, a, b, true, to, count);  \
        else                                          \
            COMPARE_LOOP(OP, a, b, false, to, count); \
        break

FUNC_AVX2 static void COMPARE_AVX2(enum compare_op op,
                                   const COMPARE_T *a,
                                   const COMPARE_T *b,
                                   bool b_const,
                                   int8_t *to,
                                   uint32_t count)
{
    switch (op) {
        COMPARE_BOTH(COMPARE_OP_EQ);
        COMPARE_BOTH(COMPARE_OP_NE);
        COMPARE_BOTH(COMPARE_OP_LT);
        COMPARE_BOTH(COMPARE_OP_LE);
        COMPARE_BOTH(COMPARE_OP_GT);
        COMPARE_BOTH(COMPARE_OP_GE);
    }
}

#undef COMPARE_BOTH
#undef COMPARE_TRY
#define COMPARE_TRY(op, a, b, b_const, skip, count, to) \
    (func_has_avx2() && (COMPARE_AVX2(op, a, b, b_const, to, count), true))
#endif
#ifndef COMPARE_TRY
#define COMPARE_TRY(op, a, b, b_const, skip, count, to) false
#endif

#define COMPARE_RUN(OP, a, b, b_const)                          \
    if (!COMPARE_TRY(OP, a, b, b_const, ret->nulls, count, to)) \
    COMPARE_LOOP(OP, a, b, b_const, to, count)

#define COMPARE_KERNEL(op, OP, MIRRORED)                               \
    static int COMPARE_NAME(op)(const struct func_ctx *ctx,            \
                                const struct vec *args,                \
                                uint32_t args_count DN_UNUSED,         \
                                uint32_t count,                        \
                                struct vec *ret,                       \
                                struct dn_err *err)                    \
    {                                                                  \
        const COMPARE_T *a = args[0].data;                             \
        const COMPARE_T *b = args[1].data;                             \
        int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err); \
                                                                       \
        if (!to)                                                       \
            return DN_E_NOMEM;                                         \
        if (args[1].form == VEC_CONST) {                               \
            COMPARE_RUN(COMPARE_OP_##OP, a, b, true);                  \
        } else if (args[0].form == VEC_CONST) {                        \
            COMPARE_RUN(COMPARE_OP_##MIRRORED, b, a, true);            \
        } else {                                                       \
            COMPARE_RUN(COMPARE_OP_##OP, a, b, false);                 \
        }                                                              \
        return 0;                                                      \
    }

COMPARE_KERNEL(eq, EQ, EQ)
COMPARE_KERNEL(ne, NE, NE)
COMPARE_KERNEL(lt, LT, GT)
COMPARE_KERNEL(le, LE, GE)
COMPARE_KERNEL(gt, GT, LT)
COMPARE_KERNEL(ge, GE, LE)

#undef COMPARE_PASTE_
#undef COMPARE_PASTE
#undef COMPARE_NAME
#undef COMPARE_LOOP
#undef COMPARE_KERNEL
#undef COMPARE_RUN
#undef COMPARE_TRY
#undef COMPARE_AVX2
#undef COMPARE_WIDE
#undef COMPARE_T
#undef COMPARE_SUFFIX
#undef COMPARE_EQ
#undef COMPARE_LT

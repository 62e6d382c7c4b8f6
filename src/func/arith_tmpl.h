/* SPDX-License-Identifier: Apache-2.0
 *
 * arith_tmpl.h: the kernel of an operator on two vectors of one type. Inputs, all undefined here:
 *
 *     ARITH_FN           name of the kernel
 *     ARITH_T            type of operands and result
 *     ARITH_BAD          integer type in which faults are collected, as wide as the loop's work
 *     ARITH_OP(x, y, r)  sets r; an ARITH_BAD, not 0 when the result is no value
 *     ARITH_RAISE(y)     raises the error of such a pair
 *     ARITH_MAYBE(x, y, r)  sets r; an ARITH_BAD, not 0 when the result may be no value: cheaper
 *                        than ARITH_OP, for the first pass. Not defined: ARITH_OP
 *     ARITH_WIDE         defined: there is a variant for AVX2
 *
 * Faults are collected without a branch and looked at once; only then does a second pass find out
 * whether one of them lies in a row that counts. The forms are constants where the loop is
 * expanded, so each of the three becomes a plain loop for the vectorizer. */

#define ARITH_PASTE_(a, b) a##b
#define ARITH_PASTE(a, b)  ARITH_PASTE_(a, b)
#define ARITH_LOOP         ARITH_PASTE(ARITH_FN, _loop)
#define ARITH_CHECK        ARITH_PASTE(ARITH_FN, _check)
#define ARITH_AVX2         ARITH_PASTE(ARITH_FN, _avx2)
#define ARITH_PASS         ARITH_PASTE(ARITH_FN, _pass)
#ifndef ARITH_MAYBE
#define ARITH_MAYBE ARITH_OP
#endif

static inline __attribute__((always_inline)) ARITH_BAD ARITH_LOOP(const ARITH_T *restrict a,
                                                                  bool a_const,
                                                                  const ARITH_T *restrict b,
                                                                  bool b_const,
                                                                  ARITH_T *restrict to,
                                                                  uint32_t count)
{
    ARITH_BAD bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        ARITH_T x = a[a_const ? 0 : i];
        ARITH_T y = b[b_const ? 0 : i];
        ARITH_T r;

        bad |= ARITH_MAYBE(x, y, r);
        to[i] = r;
    }
    return bad;
}

static inline __attribute__((always_inline)) ARITH_BAD
ARITH_PASS(const struct vec *args, ARITH_T *to, uint32_t count)
{
    const ARITH_T *a = args[0].data;
    const ARITH_T *b = args[1].data;

    if (args[1].form == VEC_CONST)
        return args[0].form == VEC_CONST ? ARITH_LOOP(a, true, b, true, to, count)
                                         : ARITH_LOOP(a, false, b, true, to, count);
    return args[0].form == VEC_CONST ? ARITH_LOOP(a, true, b, false, to, count)
                                     : ARITH_LOOP(a, false, b, false, to, count);
}

#if defined(ARITH_WIDE) && defined(FUNC_AVX2)
FUNC_AVX2 static ARITH_BAD ARITH_AVX2(const struct vec *args, ARITH_T *to, uint32_t count)
{
    return ARITH_PASS(args, to, count);
}
#endif

static int
ARITH_CHECK(const struct vec *args, uint32_t count, const struct vec *ret, struct dn_err *err)
{
    const ARITH_T *a = args[0].data;
    const ARITH_T *b = args[1].data;

    for (uint32_t i = 0; i < count; i++) {
        ARITH_T x = a[vec_at(&args[0], i)];
        ARITH_T y = b[vec_at(&args[1], i)];
        ARITH_T r;

        if (ARITH_OP(x, y, r) && !vec_is_null(ret, i))
            return ARITH_RAISE(y);
        (void)r;
    }
    return 0;
}

static int ARITH_FN(const struct func_ctx *ctx,
                    const struct vec *args,
                    uint32_t args_count DN_UNUSED,
                    uint32_t count,
                    struct vec *ret,
                    struct dn_err *err)
{
    ARITH_T *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    ARITH_BAD bad;

    if (!to)
        return DN_E_NOMEM;
#if defined(ARITH_WIDE) && defined(FUNC_AVX2)
    bad = func_has_avx2() ? ARITH_AVX2(args, to, count) : ARITH_PASS(args, to, count);
#else
    bad = ARITH_PASS(args, to, count);
#endif
    return bad ? ARITH_CHECK(args, count, ret, err) : 0;
}

#undef ARITH_PASTE_
#undef ARITH_PASTE
#undef ARITH_LOOP
#undef ARITH_CHECK
#undef ARITH_AVX2
#undef ARITH_PASS
#undef ARITH_MAYBE
#undef ARITH_WIDE
#undef ARITH_FN
#undef ARITH_T
#undef ARITH_BAD
#undef ARITH_OP
#undef ARITH_RAISE

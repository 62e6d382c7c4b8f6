/* SPDX-License-Identifier: Apache-2.0
 *
 * func_bits.c: & | # << >> ~ on integers. Shifts take the count modulo the width of the type, as
 * the machine does, and that of INTEGER for SMALLINT; >> keeps the sign. */
#include "func/func_int.h"

#define ARITH_FN          func_bit_and_i64
#define ARITH_T           int64_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int64_t)((x) & (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define ARITH_FN          func_bit_or_i64
#define ARITH_T           int64_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int64_t)((x) | (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define ARITH_FN          func_bit_xor_i64
#define ARITH_T           int64_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int64_t)((x) ^ (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define UNARY_FN       func_bit_not_i64
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = (int64_t) ~(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define ARITH_FN          func_bit_and_i32
#define ARITH_T           int32_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int32_t)((x) & (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define ARITH_FN          func_bit_or_i32
#define ARITH_T           int32_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int32_t)((x) | (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define ARITH_FN          func_bit_xor_i32
#define ARITH_T           int32_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int32_t)((x) ^ (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define UNARY_FN       func_bit_not_i32
#define UNARY_T        int32_t
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (int32_t) ~(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define ARITH_FN          func_bit_and_i16
#define ARITH_T           int16_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int16_t)((x) & (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define ARITH_FN          func_bit_or_i16
#define ARITH_T           int16_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int16_t)((x) | (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define ARITH_FN          func_bit_xor_i16
#define ARITH_T           int16_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int16_t)((x) ^ (y)), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

#define UNARY_FN       func_bit_not_i16
#define UNARY_T        int16_t
#define UNARY_R        int16_t
#define UNARY_OP(x, r) ((r) = (int16_t) ~(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

static int func_shift(const struct func_ctx *ctx,
                      const struct vec *args,
                      bool left,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    uint32_t size = phys_size(type_phys(ret->type));
    unsigned most = size == sizeof(int64_t) ? 63 : 31;
    void *to = func_ret_alloc(ctx, ret, count, size, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int64_t x = vec_i64(&args[0], i);
        unsigned by = (unsigned)((uint64_t)vec_i64(&args[1], i) & most);
        struct datum d = {.type = ret->type};

        d.v.i64 = left ? (int64_t)((uint64_t)x << by) : x >> by;
        datum_store(&d, to, i); /* cut to the width */
    }
    return 0;
}

static int func_shift_left(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count DN_UNUSED,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    return func_shift(ctx, args, true, count, ret, err);
}

static int func_shift_right(const struct func_ctx *ctx,
                            const struct vec *args,
                            uint32_t args_count DN_UNUSED,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    return func_shift(ctx, args, false, count, ret, err);
}

#define BITS2(op, t, r, fn, text, sample)                                                  \
    {                                                                                      \
        .name = op, .args = {TYPE_##t, TYPE_##r}, .args_count = 2, .result = TYPE_##t,     \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, .example = sample \
    }
#define BITS_TYPE(t, suffix)                                                                       \
    BITS2("&", t, t, func_bit_and_##suffix, "Bits that both have.", "12 & 10 = 8"),                \
        BITS2("|", t, t, func_bit_or_##suffix, "Bits that one of them has.", "12 | 10 = 14"),      \
        BITS2("#", t, t, func_bit_xor_##suffix, "Bits that only one of them has.", "12 # 10 = 6"), \
        BITS2("<<", t, BIGINT, func_shift_left, "Bits moved to the left.", "1 << 4 = 16"),         \
        BITS2(">>",                                                                                \
              t,                                                                                   \
              BIGINT,                                                                              \
              func_shift_right,                                                                    \
              "Bits moved to the right; the sign stays.",                                          \
              "-16 >> 2 = -4"),                                                                    \
    {                                                                                              \
        .name = "~", .args = {TYPE_##t}, .args_count = 1, .result = TYPE_##t,                      \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = func_bit_not_##suffix,                     \
        .doc = "All bits the other way.", .example = "~ 5 = -6"                                    \
    }

static const struct func func_bits_rows[] = {
    BITS_TYPE(BIGINT, i64),
    BITS_TYPE(INTEGER, i32),
    BITS_TYPE(SMALLINT, i16),
};

const struct func_table func_table_bits = {func_bits_rows, DN_ARRAY_SIZE(func_bits_rows)};

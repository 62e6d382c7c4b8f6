/* SPDX-License-Identifier: Apache-2.0
 *
 * func_arith.c: + - * / % and unary minus on numbers, and a time stamp plus or minus an integer (in
 * the time stamp's unit). Results that leave their type raise, so does a division by zero of any
 * type. SMALLINT and INTEGER work in the next wider type;
 * BIGINT finds an overflow in the signs. */
#include "func/func_int.h"

#include <math.h>

/* ---- BIGINT: sums without a wider type, the fault is the sign bit ---- */

static inline int64_t func_add_wrap(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static inline int64_t func_sub_wrap(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x - (uint64_t)y);
}

/* ---- SMALLINT ---- */

#define ARITH_FN func_add_i16
#define ARITH_WIDE
#define ARITH_T           int16_t
#define ARITH_BAD         int32_t
#define ARITH_OP(x, y, r) ((r) = (int16_t)((int32_t)(x) + (y)), (int32_t)(x) + (y) != (r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_SMALLINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN func_sub_i16
#define ARITH_WIDE
#define ARITH_T           int16_t
#define ARITH_BAD         int32_t
#define ARITH_OP(x, y, r) ((r) = (int16_t)((int32_t)(x) - (y)), (int32_t)(x) - (y) != (r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_SMALLINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN func_mul_i16
#define ARITH_WIDE
#define ARITH_T           int16_t
#define ARITH_BAD         int32_t
#define ARITH_OP(x, y, r) ((r) = (int16_t)((int32_t)(x) * (y)), (int32_t)(x) * (y) != (r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_SMALLINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN  func_div_i16
#define ARITH_T   int16_t
#define ARITH_BAD int
#define ARITH_OP(x, y, r)                                                          \
    ((r) = (int16_t)((y) == 0 || ((y) == -1 && (x) == INT16_MIN) ? 0 : (x) / (y)), \
     (y) == 0 || ((y) == -1 && (x) == INT16_MIN))
#define ARITH_RAISE(y) ((y) == 0 ? func_fail_zero(err) : func_fail_range(TYPE_SMALLINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_mod_i16
#define ARITH_T           int16_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int16_t)((y) == 0 || (y) == -1 ? 0 : (x) % (y)), (y) == 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_zero(err))
#include "func/arith_tmpl.h"

#define UNARY_FN       func_neg_i16
#define UNARY_T        int16_t
#define UNARY_R        int16_t
#define UNARY_OP(x, r) ((r) = (int16_t)((x) == INT16_MIN ? 0 : -(x)), (x) == INT16_MIN)
#define UNARY_RAISE(x) func_fail_range(TYPE_SMALLINT, err)
#include "func/unary_tmpl.h"

/* ---- INTEGER ---- */

#define ARITH_FN func_add_i32
#define ARITH_WIDE
#define ARITH_T           int32_t
#define ARITH_BAD         int64_t
#define ARITH_OP(x, y, r) ((r) = (int32_t)((int64_t)(x) + (y)), (int64_t)(x) + (y) != (r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_INTEGER, err))
#include "func/arith_tmpl.h"

#define ARITH_FN func_sub_i32
#define ARITH_WIDE
#define ARITH_T           int32_t
#define ARITH_BAD         int64_t
#define ARITH_OP(x, y, r) ((r) = (int32_t)((int64_t)(x) - (y)), (int64_t)(x) - (y) != (r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_INTEGER, err))
#include "func/arith_tmpl.h"

#define ARITH_FN func_mul_i32
#define ARITH_WIDE
#define ARITH_T           int32_t
#define ARITH_BAD         int64_t
#define ARITH_OP(x, y, r) ((r) = (int32_t)((int64_t)(x) * (y)), (int64_t)(x) * (y) != (r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_INTEGER, err))
#include "func/arith_tmpl.h"

#define ARITH_FN  func_div_i32
#define ARITH_T   int32_t
#define ARITH_BAD int
#define ARITH_OP(x, y, r)                                                          \
    ((r) = (int32_t)((y) == 0 || ((y) == -1 && (x) == INT32_MIN) ? 0 : (x) / (y)), \
     (y) == 0 || ((y) == -1 && (x) == INT32_MIN))
#define ARITH_RAISE(y) ((y) == 0 ? func_fail_zero(err) : func_fail_range(TYPE_INTEGER, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_mod_i32
#define ARITH_T           int32_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int32_t)((y) == 0 || (y) == -1 ? 0 : (x) % (y)), (y) == 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_zero(err))
#include "func/arith_tmpl.h"

#define UNARY_FN       func_neg_i32
#define UNARY_T        int32_t
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (int32_t)((x) == INT32_MIN ? 0 : -(x)), (x) == INT32_MIN)
#define UNARY_RAISE(x) func_fail_range(TYPE_INTEGER, err)
#include "func/unary_tmpl.h"

/* ---- BIGINT ---- */

#define ARITH_FN func_add_i64
#define ARITH_WIDE
#define ARITH_T           int64_t
#define ARITH_BAD         int64_t
#define ARITH_OP(x, y, r) ((r) = func_add_wrap(x, y), (((x) ^ (r)) & ((y) ^ (r))) < 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_BIGINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN func_sub_i64
#define ARITH_WIDE
#define ARITH_T           int64_t
#define ARITH_BAD         int64_t
#define ARITH_OP(x, y, r) ((r) = func_sub_wrap(x, y), (((x) ^ (y)) & ((x) ^ (r))) < 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_BIGINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_mul_i64
#define ARITH_T           int64_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) __builtin_mul_overflow(x, y, &(r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_BIGINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN  func_div_i64
#define ARITH_T   int64_t
#define ARITH_BAD int
#define ARITH_OP(x, y, r)                                                          \
    ((r) = (int64_t)((y) == 0 || ((y) == -1 && (x) == INT64_MIN) ? 0 : (x) / (y)), \
     (y) == 0 || ((y) == -1 && (x) == INT64_MIN))
#define ARITH_RAISE(y) ((y) == 0 ? func_fail_zero(err) : func_fail_range(TYPE_BIGINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_mod_i64
#define ARITH_T           int64_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (int64_t)((y) == 0 || (y) == -1 ? 0 : (x) % (y)), (y) == 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_zero(err))
#include "func/arith_tmpl.h"

#define UNARY_FN       func_neg_i64
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = (int64_t)((x) == INT64_MIN ? 0 : -(x)), (x) == INT64_MIN)
#define UNARY_RAISE(x) func_fail_range(TYPE_BIGINT, err)
#include "func/unary_tmpl.h"

/* ---- REAL: finite operands give a finite result, or it is an error ---- */

static inline int func_f32_over(float r, float x, float y)
{
    return (fabsf(r) == INFINITY) & (fabsf(x) != INFINITY) & (fabsf(y) != INFINITY);
}

static inline int func_f64_over(double r, double x, double y)
{
    return (fabs(r) == (double)INFINITY) & (fabs(x) != (double)INFINITY) &
           (fabs(y) != (double)INFINITY);
}

/* The sign bit, if it is infinite or NaN; else 0. */
static inline int32_t func_f32_far(float r)
{
    uint32_t bits;

    __builtin_memcpy(&bits, &r, sizeof bits);
    return (int32_t)(((bits & 0x7fffffffu) + 0x00800000u) & 0x80000000u);
}

static inline int64_t func_f64_far(double r)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &r, sizeof bits);
    return (int64_t)(((bits & 0x7fffffffffffffffu) + 0x0010000000000000u) & 0x8000000000000000u);
}

#define ARITH_FN  func_add_f32
#define ARITH_T   float
#define ARITH_BAD int32_t
#define ARITH_WIDE
#define ARITH_OP(x, y, r)    ((r) = (x) + (y), func_f32_over(r, x, y))
#define ARITH_MAYBE(x, y, r) ((r) = (x) + (y), func_f32_far(r))
#define ARITH_RAISE(y)       ((void)(y), func_fail_range(TYPE_REAL, err))
#include "func/arith_tmpl.h"

#define ARITH_FN  func_sub_f32
#define ARITH_T   float
#define ARITH_BAD int32_t
#define ARITH_WIDE
#define ARITH_OP(x, y, r)    ((r) = (x) - (y), func_f32_over(r, x, y))
#define ARITH_MAYBE(x, y, r) ((r) = (x) - (y), func_f32_far(r))
#define ARITH_RAISE(y)       ((void)(y), func_fail_range(TYPE_REAL, err))
#include "func/arith_tmpl.h"

#define ARITH_FN  func_mul_f32
#define ARITH_T   float
#define ARITH_BAD int32_t
#define ARITH_WIDE
#define ARITH_OP(x, y, r)    ((r) = (x) * (y), func_f32_over(r, x, y))
#define ARITH_MAYBE(x, y, r) ((r) = (x) * (y), func_f32_far(r))
#define ARITH_RAISE(y)       ((void)(y), func_fail_range(TYPE_REAL, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_div_f32
#define ARITH_T           float
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (x) / (y), (((y) == 0) & !isnan(x)) | func_f32_over(r, x, y))
#define ARITH_RAISE(y)    ((y) == 0 ? func_fail_zero(err) : func_fail_range(TYPE_REAL, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_mod_f32
#define ARITH_T           float
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = fmodf(x, y), (y) == 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_zero(err))
#include "func/arith_tmpl.h"

#define UNARY_FN       func_neg_f32
#define UNARY_T        float
#define UNARY_R        float
#define UNARY_OP(x, r) ((r) = -(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

/* ---- DOUBLE ---- */

#define ARITH_FN  func_add_f64
#define ARITH_T   double
#define ARITH_BAD int64_t
#define ARITH_WIDE
#define ARITH_OP(x, y, r)    ((r) = (x) + (y), func_f64_over(r, x, y))
#define ARITH_MAYBE(x, y, r) ((r) = (x) + (y), func_f64_far(r))
#define ARITH_RAISE(y)       ((void)(y), func_fail_range(TYPE_DOUBLE, err))
#include "func/arith_tmpl.h"

#define ARITH_FN  func_sub_f64
#define ARITH_T   double
#define ARITH_BAD int64_t
#define ARITH_WIDE
#define ARITH_OP(x, y, r)    ((r) = (x) - (y), func_f64_over(r, x, y))
#define ARITH_MAYBE(x, y, r) ((r) = (x) - (y), func_f64_far(r))
#define ARITH_RAISE(y)       ((void)(y), func_fail_range(TYPE_DOUBLE, err))
#include "func/arith_tmpl.h"

#define ARITH_FN  func_mul_f64
#define ARITH_T   double
#define ARITH_BAD int64_t
#define ARITH_WIDE
#define ARITH_OP(x, y, r)    ((r) = (x) * (y), func_f64_over(r, x, y))
#define ARITH_MAYBE(x, y, r) ((r) = (x) * (y), func_f64_far(r))
#define ARITH_RAISE(y)       ((void)(y), func_fail_range(TYPE_DOUBLE, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_div_f64
#define ARITH_T           double
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = (x) / (y), (((y) == 0) & !isnan(x)) | func_f64_over(r, x, y))
#define ARITH_RAISE(y)    ((y) == 0 ? func_fail_zero(err) : func_fail_range(TYPE_DOUBLE, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_mod_f64
#define ARITH_T           double
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = fmod(x, y), (y) == 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_zero(err))
#include "func/arith_tmpl.h"

#define UNARY_FN       func_neg_f64
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = -(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

/* ---- time stamps ---- */

#define ARITH_FN          func_add_ts
#define ARITH_T           int64_t
#define ARITH_BAD         int64_t
#define ARITH_OP(x, y, r) ((r) = func_add_wrap(x, y), (((x) ^ (r)) & ((y) ^ (r))) < 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_TIMESTAMP, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          func_sub_ts
#define ARITH_T           int64_t
#define ARITH_BAD         int64_t
#define ARITH_OP(x, y, r) ((r) = func_sub_wrap(x, y), (((x) ^ (y)) & ((x) ^ (r))) < 0)
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_TIMESTAMP, err))
#include "func/arith_tmpl.h"

#define ARITH2(op, l, r, t, fn, text, sample)                                          \
    {                                                                                  \
        .name = op, .args = {TYPE_##l, TYPE_##r}, .args_count = 2, .result = TYPE_##t, \
        .flags = FUNC_STRICT | FUNC_OPERATOR | FUNC_QUICK, .kernel = fn, .doc = text,  \
        .example = sample                                                              \
    }
#define ARITH1(op, t, fn, text, sample)                                                    \
    {                                                                                      \
        .name = op, .args = {TYPE_##t}, .args_count = 1, .result = TYPE_##t,               \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, .example = sample \
    }

static const struct func func_arith_rows[] = {
    ARITH2("+", BIGINT, BIGINT, BIGINT, func_add_i64, "Sum.", "2 + 3 = 5"),
    ARITH2("+", INTEGER, INTEGER, INTEGER, func_add_i32, "Sum.", "2 + 3 = 5"),
    ARITH2("+", SMALLINT, SMALLINT, SMALLINT, func_add_i16, "Sum.", "2 + 3 = 5"),
    ARITH2("+", DOUBLE, DOUBLE, DOUBLE, func_add_f64, "Sum.", "0.5 + 0.25 = 0.75"),
    ARITH2("+", REAL, REAL, REAL, func_add_f32, "Sum.", "0.5 + 0.25 = 0.75"),
    ARITH2("-", BIGINT, BIGINT, BIGINT, func_sub_i64, "Difference.", "2 - 3 = -1"),
    ARITH2("-", INTEGER, INTEGER, INTEGER, func_sub_i32, "Difference.", "2 - 3 = -1"),
    ARITH2("-", SMALLINT, SMALLINT, SMALLINT, func_sub_i16, "Difference.", "2 - 3 = -1"),
    ARITH2("-", DOUBLE, DOUBLE, DOUBLE, func_sub_f64, "Difference.", "0.5 - 0.25 = 0.25"),
    ARITH2("-", REAL, REAL, REAL, func_sub_f32, "Difference.", "0.5 - 0.25 = 0.25"),
    ARITH2("*", BIGINT, BIGINT, BIGINT, func_mul_i64, "Product.", "2 * 3 = 6"),
    ARITH2("*", INTEGER, INTEGER, INTEGER, func_mul_i32, "Product.", "2 * 3 = 6"),
    ARITH2("*", SMALLINT, SMALLINT, SMALLINT, func_mul_i16, "Product.", "2 * 3 = 6"),
    ARITH2("*", DOUBLE, DOUBLE, DOUBLE, func_mul_f64, "Product.", "0.5 * 3 = 1.5"),
    ARITH2("*", REAL, REAL, REAL, func_mul_f32, "Product.", "0.5 * 3 = 1.5"),
    ARITH2("/",
           BIGINT,
           BIGINT,
           BIGINT,
           func_div_i64,
           "Quotient; of integers cut towards zero. Division by zero is an error.",
           "-7 / 2 = -3"),
    ARITH2("/",
           INTEGER,
           INTEGER,
           INTEGER,
           func_div_i32,
           "Quotient; of integers cut towards zero. Division by zero is an error.",
           "-7 / 2 = -3"),
    ARITH2("/",
           SMALLINT,
           SMALLINT,
           SMALLINT,
           func_div_i16,
           "Quotient; of integers cut towards zero. Division by zero is an error.",
           "-7 / 2 = -3"),
    ARITH2("/",
           DOUBLE,
           DOUBLE,
           DOUBLE,
           func_div_f64,
           "Quotient; of integers cut towards zero. Division by zero is an error.",
           "7 / 2 = 3.5"),
    ARITH2("/",
           REAL,
           REAL,
           REAL,
           func_div_f32,
           "Quotient; of integers cut towards zero. Division by zero is an error.",
           "7 / 2 = 3.5"),
    ARITH2("%",
           BIGINT,
           BIGINT,
           BIGINT,
           func_mod_i64,
           "Remainder of the division, with the sign of the left operand.",
           "-7 % 2 = -1"),
    ARITH2("%",
           INTEGER,
           INTEGER,
           INTEGER,
           func_mod_i32,
           "Remainder of the division, with the sign of the left operand.",
           "-7 % 2 = -1"),
    ARITH2("%",
           SMALLINT,
           SMALLINT,
           SMALLINT,
           func_mod_i16,
           "Remainder of the division, with the sign of the left operand.",
           "-7 % 2 = -1"),
    ARITH2("%",
           DOUBLE,
           DOUBLE,
           DOUBLE,
           func_mod_f64,
           "Remainder of the division, with the sign of the left operand.",
           "7.5 % 2 = 1.5"),
    ARITH2("%",
           REAL,
           REAL,
           REAL,
           func_mod_f32,
           "Remainder of the division, with the sign of the left operand.",
           "7.5 % 2 = 1.5"),
#define MOD(t, suffix, sample)                                                            \
    {                                                                                     \
        .name = "mod", .args = {TYPE_##t, TYPE_##t}, .args_count = 2, .result = TYPE_##t, \
        .flags = FUNC_STRICT, .kernel = func_mod_##suffix, .doc = "The same as %.",       \
        .example = sample                                                                 \
    }
    MOD(BIGINT, i64, "mod(-7, 2) = -1"),
    MOD(INTEGER, i32, "mod(-7, 2) = -1"),
    MOD(SMALLINT, i16, "mod(-7, 2) = -1"),
    MOD(DOUBLE, f64, "mod(7.5, 2) = 1.5"),
    MOD(REAL, f32, "mod(7.5, 2) = 1.5"),
#undef MOD
    ARITH1("-", BIGINT, func_neg_i64, "The value with the other sign.", "- 3 = -3"),
    ARITH1("-", INTEGER, func_neg_i32, "The value with the other sign.", "- 3 = -3"),
    ARITH1("-", SMALLINT, func_neg_i16, "The value with the other sign.", "- 3 = -3"),
    ARITH1("-", DOUBLE, func_neg_f64, "The value with the other sign.", "- 0.5 = -0.5"),
    ARITH1("-", REAL, func_neg_f32, "The value with the other sign.", "- 0.5 = -0.5"),
    ARITH2("+",
           TIMESTAMP,
           BIGINT,
           TIMESTAMP,
           func_add_ts,
           "The time that many units later.",
           "TIMESTAMP '2015-06-01' + 500 = 2015-06-01T00:00:00.500Z"),
    ARITH2("+",
           BIGINT,
           TIMESTAMP,
           TIMESTAMP,
           func_add_ts,
           "The time that many units later.",
           "500 + TIMESTAMP '2015-06-01' = 2015-06-01T00:00:00.500Z"),
    ARITH2("-",
           TIMESTAMP,
           BIGINT,
           TIMESTAMP,
           func_sub_ts,
           "The time that many units earlier.",
           "TIMESTAMP '2015-06-01T00:00:01' - 500 = 2015-06-01T00:00:00.500Z"),
    ARITH2("+",
           TIMESTAMP_US,
           BIGINT,
           TIMESTAMP_US,
           func_add_ts,
           "The time that many units later.",
           "TIMESTAMP(6) '2015-06-01' + 500000 = 2015-06-01T00:00:00.500000Z"),
    ARITH2("+",
           BIGINT,
           TIMESTAMP_US,
           TIMESTAMP_US,
           func_add_ts,
           "The time that many units later.",
           "500000 + TIMESTAMP(6) '2015-06-01' = 2015-06-01T00:00:00.500000Z"),
    ARITH2("-",
           TIMESTAMP_US,
           BIGINT,
           TIMESTAMP_US,
           func_sub_ts,
           "The time that many units earlier.",
           "TIMESTAMP(6) '2015-06-01T00:00:01' - 500000 = 2015-06-01T00:00:00.500000Z"),
    ARITH2("+",
           TIMESTAMP_NS,
           BIGINT,
           TIMESTAMP_NS,
           func_add_ts,
           "The time that many units later.",
           "TIMESTAMP(9) '2015-06-01' + 500000000 = 2015-06-01T00:00:00.500000000Z"),
    ARITH2("+",
           BIGINT,
           TIMESTAMP_NS,
           TIMESTAMP_NS,
           func_add_ts,
           "The time that many units later.",
           "500000000 + TIMESTAMP(9) '2015-06-01' = 2015-06-01T00:00:00.500000000Z"),
    ARITH2("-",
           TIMESTAMP_NS,
           BIGINT,
           TIMESTAMP_NS,
           func_sub_ts,
           "The time that many units earlier.",
           "TIMESTAMP(9) '2015-06-01T00:00:01' - 500000000 = 2015-06-01T00:00:00.500000000Z"),
};

const struct func_table func_table_arith = {func_arith_rows, DN_ARRAY_SIZE(func_arith_rows)};

/* SPDX-License-Identifier: Apache-2.0
 *
 * func_math.c: mathematics on DOUBLE. What has no real value, or none a DOUBLE can hold, is an
 * error and not NaN or infinity; those come out only where they went in. */
#include "func/func_int.h"

#include <math.h>

#define MATH_PI 3.14159265358979323846

/* Finite arguments gave a result beyond the range. */
static inline int math_over(double r, double x)
{
    return isinf(r) && !isinf(x);
}

static int math_fail(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_OUT_OF_RANGE, "input is out of range");
}

static int math_fail_over(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_OUT_OF_RANGE, "value out of range: overflow");
}

static int math_fail_under(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_OUT_OF_RANGE, "value out of range: underflow");
}

static int math_fail_log(double x, struct dn_err *err)
{
    return DN_FAIL(err,
                   DN_E_BAD_LOGARITHM,
                   x == 0 ? "cannot take logarithm of zero"
                          : "cannot take logarithm of a negative number");
}

/* The library's may be off by the last digit: one step of Newton's method makes cbrt(27) 3. */
static inline double math_cbrt_of(double x)
{
    double r = cbrt(x);

    return x == 0 || !isfinite(x) ? r : r - (r * r * r - x) / (3 * r * r);
}

/* ---- one argument ---- */

#define UNARY_FN       math_sign
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = (double)(((x) > 0) - ((x) < 0)), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_ceil
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = ceil(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_floor
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = floor(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_round
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = rint(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_round_away
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = round(x) + 0.0, 0) /* no -0 */
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_trunc
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = trunc(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_sqrt
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = sqrt(x), (x) < 0)
#define UNARY_RAISE(x) DN_FAIL(err, DN_E_BAD_POWER, "cannot take square root of a negative number")
#include "func/unary_tmpl.h"

#define UNARY_FN       math_cbrt
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = math_cbrt_of(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_exp
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = exp(x), math_over(r, x) || ((r) == 0 && !isinf(x)))
#define UNARY_RAISE(x) ((x) > 0 ? math_fail_over(err) : math_fail_under(err))
#include "func/unary_tmpl.h"

#define UNARY_FN       math_ln
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = log(x), (x) <= 0)
#define UNARY_RAISE(x) math_fail_log(x, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_log10
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = log10(x), (x) <= 0)
#define UNARY_RAISE(x) math_fail_log(x, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_log2
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = log2(x), (x) <= 0)
#define UNARY_RAISE(x) math_fail_log(x, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_sin
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = sin(x), isinf(x))
#define UNARY_RAISE(x) math_fail(err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_cos
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = cos(x), isinf(x))
#define UNARY_RAISE(x) math_fail(err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_tan
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = tan(x), isinf(x))
#define UNARY_RAISE(x) math_fail(err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_cot
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = 1 / tan(x), isinf(x))
#define UNARY_RAISE(x) math_fail(err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_asin
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = asin(x), fabs(x) > 1)
#define UNARY_RAISE(x) math_fail(err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_acos
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = acos(x), fabs(x) > 1)
#define UNARY_RAISE(x) math_fail(err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_atan
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = atan(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_sinh
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = sinh(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_cosh
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = cosh(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_tanh
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = tanh(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_degrees
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = (x) * (180 / MATH_PI), math_over(r, x))
#define UNARY_RAISE(x) math_fail_over(err)
#include "func/unary_tmpl.h"

#define UNARY_FN       math_radians
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = (x) * (MATH_PI / 180), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

/* ---- two arguments ---- */

static inline double math_log_of(double base, double x)
{
    return base == 2 ? log2(x) : base == 10 ? log10(x) : log(x) / log(base);
}

#define ARITH_FN          math_log
#define ARITH_T           double
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = math_log_of(x, y), (x) <= 0 || (x) == 1 || (y) <= 0)
#define ARITH_RAISE(y)                \
    ((y) <= 0 ? math_fail_log(y, err) \
              : DN_FAIL(err, DN_E_BAD_LOGARITHM, "no logarithm has a base of zero, one or less"))
#include "func/arith_tmpl.h"

#define ARITH_FN          math_atan2
#define ARITH_T           double
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) ((r) = atan2(x, y), 0)
#define ARITH_RAISE(y)    ((void)(y), (void)err, DN_E_INTERNAL)
#include "func/arith_tmpl.h"

static int math_pow(double x, double y, double *ret, struct dn_err *err)
{
    if (x == 0 && y < 0)
        return DN_FAIL(err, DN_E_BAD_POWER, "zero raised to a negative power is undefined");
    if (x < 0 && floor(y) != y)
        return DN_FAIL(err,
                       DN_E_BAD_POWER,
                       "a negative number raised to a non-integer power yields a complex result");
    *ret = pow(x, y);
    if (isinf(x) || isinf(y))
        return 0;
    if (isinf(*ret))
        return math_fail_over(err);
    if (*ret == 0 && x != 0)
        return math_fail_under(err);
    return 0;
}

static int math_power(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count DN_UNUSED,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    double *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int rc = 0;

        to[i] = 0;
        if (!vec_is_null(ret, i))
            rc = math_pow(vec_f64(&args[0], i), vec_f64(&args[1], i), &to[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- to a number of digits ---- */

#define MATH_DIGITS_MAX 308

/* The number as it is written in decimal decides: 2.675 is a half, though the DOUBLE is a bit
 * less. So what is within a few units of the last place of a half counts as one, and goes away
 * from zero. */
static double math_half_away(double scaled)
{
    double whole = trunc(scaled);
    double rest = fabs(scaled - whole);

    if (rest >= 0.5 - 4 * 0x1p-53 * fabs(scaled))
        whole += scaled < 0 ? -1 : 1;
    return whole;
}

static double math_trunc_near(double scaled)
{
    double near = rint(scaled);

    return fabs(scaled - near) <= 4 * 0x1p-53 * fabs(scaled) ? near : trunc(scaled);
}

static double math_to_digits(double x, int64_t digits, double (*cut)(double))
{
    double power;
    double scaled;

    if (!isfinite(x) || digits > MATH_DIGITS_MAX)
        return x;
    if (digits < -MATH_DIGITS_MAX)
        return 0;
    power = pow(10, (double)(digits < 0 ? -digits : digits));
    scaled = digits < 0 ? x / power : x * power;
    if (fabs(scaled) >= 0x1p52) /* no digit is left to cut */
        return x;
    scaled = cut(scaled);
    return digits < 0 ? scaled * power : scaled / power;
}

static int math_digits(const struct func_ctx *ctx,
                       const struct vec *args,
                       double (*cut)(double),
                       uint32_t count,
                       struct vec *ret,
                       struct dn_err *err)
{
    double *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = 0;
        if (!vec_is_null(ret, i))
            to[i] = math_to_digits(vec_f64(&args[0], i), vec_i64(&args[1], i), cut);
    }
    return 0;
}

static int math_round_digits(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t args_count DN_UNUSED,
                             uint32_t count,
                             struct vec *ret,
                             struct dn_err *err)
{
    return math_digits(ctx, args, math_half_away, count, ret, err);
}

static int math_trunc_digits(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t args_count DN_UNUSED,
                             uint32_t count,
                             struct vec *ret,
                             struct dn_err *err)
{
    return math_digits(ctx, args, math_trunc_near, count, ret, err);
}

/* ---- others ---- */

static int math_pi(const struct func_ctx *ctx,
                   const struct vec *args DN_UNUSED,
                   uint32_t args_count DN_UNUSED,
                   uint32_t count,
                   struct vec *ret,
                   struct dn_err *err)
{
    double *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        to[i] = MATH_PI;
    return 0;
}

static uint64_t math_gcd_of(int64_t x, int64_t y)
{
    uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    uint64_t b = y < 0 ? 0 - (uint64_t)y : (uint64_t)y;

    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static inline int math_gcd_i64(int64_t x, int64_t y, int64_t *ret)
{
    uint64_t g = math_gcd_of(x, y);

    *ret = (int64_t)g;
    return g > INT64_MAX;
}

static inline int math_lcm_i64(int64_t x, int64_t y, int64_t *ret)
{
    uint64_t g = math_gcd_of(x, y);

    *ret = 0;
    if (g == 0 || x == 0 || y == 0)
        return 0;
    if (g > INT64_MAX || __builtin_mul_overflow(x / (int64_t)g, y, ret) || *ret == INT64_MIN)
        return 1;
    *ret = *ret < 0 ? -*ret : *ret;
    return 0;
}

#define ARITH_FN          math_gcd
#define ARITH_T           int64_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) math_gcd_i64(x, y, &(r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_BIGINT, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          math_lcm
#define ARITH_T           int64_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) math_lcm_i64(x, y, &(r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_BIGINT, err))
#include "func/arith_tmpl.h"

static inline int math_narrow(int bad, int64_t wide, int32_t *ret)
{
    *ret = (int32_t)wide;
    return bad || wide != *ret;
}

static inline int math_gcd_i32(int32_t x, int32_t y, int32_t *ret)
{
    int64_t r = 0;
    int bad = math_gcd_i64(x, y, &r);

    return math_narrow(bad, r, ret);
}

static inline int math_lcm_i32(int32_t x, int32_t y, int32_t *ret)
{
    int64_t r = 0;
    int bad = math_lcm_i64(x, y, &r);

    return math_narrow(bad, r, ret);
}

#define ARITH_FN          math_gcd32
#define ARITH_T           int32_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) math_gcd_i32(x, y, &(r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_INTEGER, err))
#include "func/arith_tmpl.h"

#define ARITH_FN          math_lcm32
#define ARITH_T           int32_t
#define ARITH_BAD         int
#define ARITH_OP(x, y, r) math_lcm_i32(x, y, &(r))
#define ARITH_RAISE(y)    ((void)(y), func_fail_range(TYPE_INTEGER, err))
#include "func/arith_tmpl.h"

#define MATH1(fname, fn, text, sample)                                                \
    {                                                                                 \
        .name = fname, .args = {TYPE_DOUBLE}, .args_count = 1, .result = TYPE_DOUBLE, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample            \
    }
#define MATH2(fname, t, fn, text, sample)                                                 \
    {                                                                                     \
        .name = fname, .args = {TYPE_##t, TYPE_##t}, .args_count = 2, .result = TYPE_##t, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample                \
    }
#define MATH_DIGITS(fname, fn, text, sample)                                                       \
    {                                                                                              \
        .name = fname, .args = {TYPE_DOUBLE, TYPE_BIGINT}, .args_count = 2, .result = TYPE_DOUBLE, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample                         \
    }

static const struct func func_math_rows[] = {
    MATH1("sign", math_sign, "-1, 0 or 1.", "sign(-2.5) = -1"),
    MATH1("ceil", math_ceil, "The least whole number that is not less.", "ceil(-2.5) = -2"),
    MATH1("ceiling", math_ceil, "The same as ceil.", "ceiling(2.1) = 3"),
    MATH1(
        "floor", math_floor, "The greatest whole number that is not greater.", "floor(-2.5) = -3"),
    {.name = "round",
     .args = {TYPE_DOUBLE},
     .args_count = 1,
     .result = TYPE_DOUBLE,
     .flags = FUNC_STRICT | FUNC_HALVES,
     .kernel = math_round,
     .doc = "The nearest whole number; halves go to the even one, but those of averages of "
            "integers away from zero.",
     .example = "round(2.5) = 2"},
    MATH_DIGITS("round",
                math_round_digits,
                "Rounded to that many digits after the point (before it, if negative), halves away "
                "from zero.",
                "round(2.675, 2) = 2.68"),
    MATH1("trunc", math_trunc, "Without the digits after the point.", "trunc(-2.9) = -2"),
    MATH_DIGITS("trunc",
                math_trunc_digits,
                "Cut off after that many digits behind the point (before it, if negative).",
                "trunc(2.679, 2) = 2.67"),
    MATH1("sqrt", math_sqrt, "Square root; of a negative number an error.", "sqrt(6.25) = 2.5"),
    MATH1("cbrt", math_cbrt, "Cube root.", "cbrt(-27) = -3"),
    MATH1("exp", math_exp, "e to that power.", "exp(0) = 1"),
    MATH1("ln", math_ln, "Natural logarithm; of zero or less an error.", "ln(1) = 0"),
    MATH1("log", math_log10, "Logarithm to base 10.", "log(1000) = 3"),
    MATH2("log", DOUBLE, math_log, "Logarithm to the base given first.", "log(2, 64) = 6"),
    MATH1("log10", math_log10, "Logarithm to base 10.", "log10(1000) = 3"),
    MATH1("log2", math_log2, "Logarithm to base 2.", "log2(64) = 6"),
    MATH2("power",
          DOUBLE,
          math_power,
          "The first number to the power of the second.",
          "power(2, 10) = 1024"),
    MATH2("pow", DOUBLE, math_power, "The same as power.", "pow(2, -1) = 0.5"),
    {.name = "^",
     .args = {TYPE_DOUBLE, TYPE_DOUBLE},
     .args_count = 2,
     .result = TYPE_DOUBLE,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = math_power,
     .doc = "The left number to the power of the right one; from left to right.",
     .example = "2 ^ 10 = 1024"},
    MATH2(
        "gcd", INTEGER, math_gcd32, "Greatest common divisor; 0 of two zeros.", "gcd(12, -18) = 6"),
    MATH2("lcm", INTEGER, math_lcm32, "Least common multiple.", "lcm(4, 6) = 12"),
    MATH2("gcd", BIGINT, math_gcd, "Greatest common divisor; 0 of two zeros.", "gcd(12, -18) = 6"),
    MATH2("lcm", BIGINT, math_lcm, "Least common multiple.", "lcm(4, 6) = 12"),
    {.name = "pi",
     .result = TYPE_DOUBLE,
     .flags = FUNC_STRICT,
     .kernel = math_pi,
     .doc = "The number pi.",
     .example = "pi() = 3.141592653589793"},
    MATH1("sin", math_sin, "Sine of an angle in radians.", "sin(0) = 0"),
    MATH1("cos", math_cos, "Cosine of an angle in radians.", "cos(0) = 1"),
    MATH1("tan", math_tan, "Tangent of an angle in radians.", "tan(0) = 0"),
    MATH1("cot", math_cot, "Cotangent of an angle in radians.", "cot(0) = Infinity"),
    MATH1("asin", math_asin, "The angle of a sine, in radians.", "asin(0) = 0"),
    MATH1("acos", math_acos, "The angle of a cosine, in radians.", "acos(1) = 0"),
    MATH1("atan", math_atan, "The angle of a tangent, in radians.", "atan(0) = 0"),
    MATH2("atan2",
          DOUBLE,
          math_atan2,
          "The angle of the point (second, first), in radians.",
          "atan2(0, 1) = 0"),
    MATH1("sinh", math_sinh, "Hyperbolic sine.", "sinh(0) = 0"),
    MATH1("cosh", math_cosh, "Hyperbolic cosine.", "cosh(0) = 1"),
    MATH1("tanh", math_tanh, "Hyperbolic tangent.", "tanh(0) = 0"),
    MATH1("degrees", math_degrees, "Radians to degrees.", "degrees(0.5) = 28.64788975654116"),
    MATH1("radians", math_radians, "Degrees to radians.", "radians(45) = 0.7853981633974483"),
};

const struct func *func_round_away(void)
{
    static const struct func away = {.name = "round",
                                     .args = {TYPE_DOUBLE},
                                     .args_count = 1,
                                     .result = TYPE_DOUBLE,
                                     .flags = FUNC_STRICT,
                                     .kernel = math_round_away};

    return &away;
}

const struct func_table func_table_math = {func_math_rows, DN_ARRAY_SIZE(func_math_rows)};

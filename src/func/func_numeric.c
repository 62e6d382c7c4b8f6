/* SPDX-License-Identifier: Apache-2.0
 *
 * func_numeric.c: operators and functions of decimal numbers. The scale of a result is
 * PostgreSQL's. Logarithms and powers that are no whole ones are computed in binary with 64 bits of
 * fraction, so their first 18 digits are right. */
#include "func/func_int.h"
#include "func/num.h"
#include "func/num_each.h"
#include "func/num_quad.h"

#include <math.h>

#define NUMERIC_MIN_DIGITS 16

static int numeric_max3(int a, int b, int c)
{
    a = a > b ? a : b;
    a = a > c ? a : c;
    return a < 0 ? 0 : a > VNUMERIC_SCALE_MAX ? VNUMERIC_SCALE_MAX : a;
}

NUMERIC_EACH(add, NUM_EVEN_ADD)
NUMERIC_EACH(sub, NUM_EVEN_SUB)
NUMERIC_EACH(mul, NUM_EVEN_MUL)
FUNC_EACH(func_num_div,
          struct vnumeric,
          num_div(func_num(&args[0], i), func_num(&args[1], i), &to[i], err))
FUNC_EACH(func_num_mod,
          struct vnumeric,
          num_mod(func_num(&args[0], i), func_num(&args[1], i), &to[i], err))
FUNC_EACH(func_num_div_trunc,
          struct vnumeric,
          num_div_trunc(func_num(&args[0], i), func_num(&args[1], i), &to[i], err))
FUNC_EACH(func_num_neg, struct vnumeric, (to[i] = num_neg(func_num(&args[0], i)), 0))
FUNC_EACH(func_num_abs, struct vnumeric, (to[i] = num_abs(func_num(&args[0], i)), 0))
FUNC_EACH(func_num_trim, struct vnumeric, (to[i] = vnumeric_trim(func_num(&args[0], i)), 0))

/* Digits after the point, all or those that are needed; NaN has none to be counted. */
static int num_scales(const struct func_ctx *ctx,
                      const struct vec *v,
                      bool trim,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    int32_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    bool any = false;

    if (!to || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct vnumeric x = vec_is_null(ret, i) ? vnumeric_nan() : func_num(v, i);

        to[i] = trim ? vnumeric_trim(x).scale : x.scale;
        if (!x.special)
            continue;
        vec_bit_set(nulls, i);
        any = true;
    }
    if (any)
        ret->nulls = nulls;
    return 0;
}

static int func_num_scale(const struct func_ctx *ctx,
                          const struct vec *args,
                          uint32_t args_count DN_UNUSED,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    return num_scales(ctx, &args[0], false, count, ret, err);
}

static int func_num_min_scale(const struct func_ctx *ctx,
                              const struct vec *args,
                              uint32_t args_count DN_UNUSED,
                              uint32_t count,
                              struct vec *ret,
                              struct dn_err *err)
{
    return num_scales(ctx, &args[0], true, count, ret, err);
}
FUNC_EACH(func_num_sqrt, struct vnumeric, num_sqrt(func_num(&args[0], i), -1, &to[i], err))

static int numeric_sign(struct vnumeric v, struct vnumeric *ret)
{
    *ret = vnumeric_is_nan(v) ? v : num_from_i64(num_sign(v));
    return 0;
}

FUNC_EACH(func_num_sign, struct vnumeric, numeric_sign(func_num(&args[0], i), &to[i]))

/* ---- rounding ---- */

static int numeric_digits(const struct vec *v, uint32_t row)
{
    int64_t n = vec_i64(v, row);

    return n > 2000 ? 2000 : n < -2000 ? -2000 : (int)n;
}

FUNC_EACH(func_num_ceil, struct vnumeric, num_round(func_num(&args[0], i), 0, NUM_UP, &to[i], err))
FUNC_EACH(func_num_floor,
          struct vnumeric,
          num_round(func_num(&args[0], i), 0, NUM_DOWN, &to[i], err))
FUNC_EACH(func_num_round,
          struct vnumeric,
          num_round(func_num(&args[0], i), 0, NUM_NEAREST, &to[i], err))
FUNC_EACH(func_num_trunc,
          struct vnumeric,
          num_round(func_num(&args[0], i), 0, NUM_TOWARD_ZERO, &to[i], err))
FUNC_EACH(func_num_round_to,
          struct vnumeric,
          num_round(func_num(&args[0], i), numeric_digits(&args[1], i), NUM_NEAREST, &to[i], err))
FUNC_EACH(func_int_round_to,
          struct vnumeric,
          num_round(num_from_i64(vec_i64(&args[0], i)),
                    numeric_digits(&args[1], i),
                    NUM_NEAREST,
                    &to[i],
                    err))
FUNC_EACH(func_int_trunc_to,
          struct vnumeric,
          num_round(num_from_i64(vec_i64(&args[0], i)),
                    numeric_digits(&args[1], i),
                    NUM_TOWARD_ZERO,
                    &to[i],
                    err))
FUNC_EACH(
    func_num_trunc_to,
    struct vnumeric,
    num_round(func_num(&args[0], i), numeric_digits(&args[1], i), NUM_TOWARD_ZERO, &to[i], err))

/* ---- logarithms and powers ---- */

/* Where the first digit of ln(v) stands, as PostgreSQL guesses it. v > 0. */
static int numeric_ln_weight(struct vnumeric v)
{
    long double x = num_to_long_double(v);
    struct vnumeric rest;
    long double ln = fabsl(logl(x));

    if (x >= 0.9L && x <= 1.1L && num_sub(v, num_from_i64(1), &rest, NULL) == 0)
        return num_sign(rest) == 0 ? 0 : num_exponent(rest);

    return ln == 0 ? 0 : (int)log10l(ln);
}

static int numeric_ln_check(struct vnumeric v, struct dn_err *err)
{
    if (num_sign(v) == 0)
        return DN_FAIL(err, DN_E_BAD_LOGARITHM, "cannot take logarithm of zero");
    if (num_sign(v) < 0)
        return DN_FAIL(err, DN_E_BAD_LOGARITHM, "cannot take logarithm of a negative number");
    return 0;
}

static int numeric_ln(struct vnumeric v, struct vnumeric *ret, struct dn_err *err)
{
    int rc = numeric_ln_check(v, err);
    int scale;

    if (rc < 0 || v.special) {
        *ret = v;
        return rc;
    }
    scale = numeric_max3(NUMERIC_MIN_DIGITS - numeric_ln_weight(v), v.scale, 0);
    return num_quad_back(num_quad_ln(v), scale, ret, err);
}

static int
numeric_log(struct vnumeric base, struct vnumeric v, struct vnumeric *ret, struct dn_err *err)
{
    int scale;
    int rc;

    if (vnumeric_is_nan(v) || vnumeric_is_nan(base)) {
        *ret = vnumeric_nan();
        return 0;
    }
    rc = numeric_ln_check(v, err);
    if (rc == 0)
        rc = numeric_ln_check(base, err);
    if (rc < 0)
        return rc;
    if (v.special && base.special) {
        *ret = vnumeric_nan();
        return 0;
    }
    if (v.special || base.special) {
        *ret = v.special ? v : vnumeric_make(0, 0);
        return 0;
    }
    if (vnumeric_cmp(base, num_from_i64(1)) == 0)
        return func_fail_zero(err);
    scale = numeric_max3(
        NUMERIC_MIN_DIGITS - (numeric_ln_weight(v) - numeric_ln_weight(base)), v.scale, base.scale);
    return num_quad_back(num_quad_ln(v) / num_quad_ln(base), scale, ret, err);
}

static int numeric_exp(struct vnumeric v, struct vnumeric *ret, struct dn_err *err)
{
    long double x = num_to_long_double(v);
    int scale;

    if (v.special) {
        *ret = v.special < 0 ? vnumeric_make(0, 0) : v;
        return 0;
    }
    if (x > 90)
        return num_fail_range(err);
    scale =
        numeric_max3(NUMERIC_MIN_DIGITS - (int)(fmaxl(x, -3000) * 0.434294481903252L), v.scale, 0);
    return num_quad_back(x < -600 ? 0 : num_quad_exp(num_quad_of(v)), scale, ret, err);
}

/* base^n for a whole n >= 0, exactly as long as there is room. */
static int
numeric_power_whole(struct vnumeric base, int64_t n, struct vnumeric *ret, struct dn_err *err)
{
    struct vnumeric r = num_from_i64(1);
    int rc = 0;

    for (; n > 0;) {
        if (n & 1)
            rc = num_mul(r, base, &r, err);
        n >>= 1;
        if (rc < 0 || n == 0)
            break;
        rc = num_mul(base, base, &base, err);
        if (rc < 0)
            break;
    }
    *ret = r;
    return rc;
}

/* The result, whose tenth logarithm is about `size`, shown with the digits that it is to have. */
static int
numeric_power_done(struct vnumeric r, int scale, struct vnumeric *ret, struct dn_err *err)
{
    while (scale > 0 && num_exponent(r) + 1 + scale > (int)VNUMERIC_DIGITS)
        scale--;
    return num_round(r, scale, NUM_NEAREST, ret, err);
}

/* Is base^k exact? The logarithm is right to 64 bits, so what is a little below the limit is so. */
static bool numeric_power_fits(struct vnumeric base, int64_t k)
{
    vnumeric_u128 coef = vnumeric_abs(vnumeric_coef(base));

    k = k < 0 ? -k : k;
    return coef <= 1 || (long double)k * log10l((long double)coef) < VNUMERIC_DIGITS - 1e-9L;
}

/* k: n if it is whole and not huge. */
static num_quad numeric_power_quad(struct vnumeric base, struct vnumeric n, bool whole, int64_t k)
{
    bool odd = whole && k % 2 != 0;
    num_quad x;

    if (whole && k > -1000 && k < 1000 && k != 0) {
        x = num_quad_power(num_quad_of(base), (uint32_t)(k < 0 ? -k : k));
        return k < 0 ? 1 / x : x;
    }
    x = num_quad_of(n) * num_quad_ln(num_abs(base));
    x = x < -600 ? 0 : num_quad_exp(x);
    return num_sign(base) < 0 && odd ? -x : x;
}

/* One of them is infinite; as POSIX has it. */
static struct vnumeric numeric_power_inf(struct vnumeric base, struct vnumeric n)
{
    struct vnumeric one = num_from_i64(1);
    int far = vnumeric_cmp(num_abs(base), one); /* of 1 */
    struct vnumeric half, whole;

    if (far == 0 || num_sign(n) == 0)
        return one;
    if (num_sign(base) == 0)
        return vnumeric_make(0, 0);
    if (n.special)
        return (far > 0) == (n.special > 0) ? vnumeric_inf(false) : vnumeric_make(0, 0);
    if (num_sign(n) < 0)
        return vnumeric_make(0, 0);
    /* Minus infinity to an odd power. */
    if (num_div_scale(n, num_from_i64(2), 1, &half, NULL) < 0)
        return vnumeric_inf(false);
    whole = vnumeric_trim(half);
    return vnumeric_inf(base.special < 0 && whole.scale > 0);
}

static int
numeric_power(struct vnumeric base, struct vnumeric n, struct vnumeric *ret, struct dn_err *err)
{
    struct vnumeric whole = vnumeric_trim(n);
    long double x = num_to_long_double(base);
    long double y = num_to_long_double(n);
    int64_t k = 0;
    struct vnumeric r;
    int scale;
    int rc;

    if (vnumeric_is_nan(base) || vnumeric_is_nan(n)) {
        bool one = vnumeric_cmp(base, num_from_i64(1)) == 0 || num_sign(n) == 0;

        *ret = one ? num_from_i64(1) : vnumeric_nan();
        return 0;
    }
    if (num_sign(base) == 0 && num_sign(n) < 0)
        return DN_FAIL(err, DN_E_BAD_POWER, "zero raised to a negative power is undefined");
    if (num_sign(base) < 0 && whole.scale > 0)
        return DN_FAIL(err,
                       DN_E_BAD_POWER,
                       "a negative number raised to a non-integer power yields a complex result");
    if (base.special || n.special) {
        *ret = numeric_power_inf(base, n);
        return 0;
    }
    if (num_sign(base) == 0) {
        *ret = vnumeric_make(num_sign(n) == 0 ? 1 : 0, 0);
        return num_round(*ret, NUMERIC_MIN_DIGITS, NUM_NEAREST, ret, err);
    }
    scale = whole.scale == 0
                ? numeric_max3(NUMERIC_MIN_DIGITS, base.scale, n.scale)
                : numeric_max3(NUMERIC_MIN_DIGITS -
                                   (int)fmaxl(-1000.0L, fminl(1000.0L, y * log10l(fabsl(x)))),
                               base.scale,
                               n.scale);
    if (whole.scale == 0 && num_to_i64(whole, &k) && k > -INT32_MAX && k < INT32_MAX &&
        numeric_power_fits(vnumeric_trim(base), k)) {
        rc = numeric_power_whole(vnumeric_trim(base), k < 0 ? -k : k, &r, k < 0 ? NULL : err);
        if (rc < 0 && k >= 0)
            return rc;
        if (k >= 0)
            return numeric_power_done(r, scale, ret, err);
        if (rc == 0 && num_sign(r) != 0 && num_exponent(r) > -(int)VNUMERIC_DIGITS / 2)
            return num_div_scale(num_from_i64(1), r, scale, ret, err);
    }
    if (y * log10l(fabsl(x)) >= VNUMERIC_DIGITS)
        return num_fail_range(err);
    if (whole.scale == 0 && k > 0 && k < 1000)
        return num_power(base, (uint32_t)k, scale, ret, err);
    return num_quad_back(numeric_power_quad(base, n, whole.scale == 0, k), scale, ret, err);
}

FUNC_EACH(func_num_ln, struct vnumeric, numeric_ln(func_num(&args[0], i), &to[i], err))
FUNC_EACH(func_num_log10,
          struct vnumeric,
          numeric_log(num_from_i64(10), func_num(&args[0], i), &to[i], err))
FUNC_EACH(func_num_log,
          struct vnumeric,
          numeric_log(func_num(&args[0], i), func_num(&args[1], i), &to[i], err))
FUNC_EACH(func_int_log,
          struct vnumeric,
          numeric_log(
              num_from_i64(vec_i64(&args[0], i)), num_from_i64(vec_i64(&args[1], i)), &to[i], err))
FUNC_EACH(func_num_exp, struct vnumeric, numeric_exp(func_num(&args[0], i), &to[i], err))
FUNC_EACH(func_num_power,
          struct vnumeric,
          numeric_power(func_num(&args[0], i), func_num(&args[1], i), &to[i], err))

static int
numeric_gcd(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    int scale = a.scale > b.scale ? a.scale : b.scale;
    int rc = 0;

    if (a.special || b.special) {
        *ret = vnumeric_nan();
        return 0;
    }
    while (rc == 0 && num_sign(b) != 0) {
        struct vnumeric rest;

        rc = num_mod(a, b, &rest, err);
        a = b;
        b = rest;
    }
    *ret = num_abs(a);
    return rc < 0 ? rc : num_round(*ret, scale, NUM_NEAREST, ret, err);
}

static int
numeric_lcm(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    struct vnumeric g;
    int rc = numeric_gcd(a, b, &g, err);

    if (rc < 0 || g.special || num_sign(g) == 0) {
        *ret = rc < 0 ? a : g;
        return rc;
    }
    rc = num_div_trunc(a, g, &g, err);
    if (rc == 0)
        rc = num_mul(g, b, &g, err);
    *ret = num_abs(g);
    return rc < 0 ? rc
                  : num_round(*ret, a.scale > b.scale ? a.scale : b.scale, NUM_NEAREST, ret, err);
}

static int numeric_factorial(int64_t n, struct vnumeric *ret, struct dn_err *err)
{
    struct vnumeric r = num_from_i64(1);
    int rc = 0;

    if (n < 0)
        return DN_FAIL(err, DN_E_OUT_OF_RANGE, "factorial of a negative number is undefined");
    for (int64_t k = 2; k <= n && rc == 0; k++)
        rc = num_mul(r, num_from_i64(k), &r, err);
    *ret = r;
    return rc;
}

FUNC_EACH(func_num_gcd,
          struct vnumeric,
          numeric_gcd(func_num(&args[0], i), func_num(&args[1], i), &to[i], err))
FUNC_EACH(func_num_lcm,
          struct vnumeric,
          numeric_lcm(func_num(&args[0], i), func_num(&args[1], i), &to[i], err))
FUNC_EACH(func_num_factorial, struct vnumeric, numeric_factorial(vec_i64(&args[0], i), &to[i], err))

#define NUM2(op, more, fn, text, sample)                                                           \
    {                                                                                              \
        .name = op, .args = {TYPE_NUMERIC, TYPE_NUMERIC}, .args_count = 2, .result = TYPE_NUMERIC, \
        .flags = FUNC_STRICT | FUNC_OPERATOR | (more), .kernel = fn, .doc = text,                  \
        .example = sample                                                                          \
    }
#define NUM_CALL2(fname, t, fn, text, sample)                                                     \
    {                                                                                             \
        .name = fname, .args = {TYPE_NUMERIC, TYPE_##t}, .args_count = 2, .result = TYPE_NUMERIC, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample                        \
    }
#define NUM_CALL1(fname, r, fn, text, sample)                                       \
    {                                                                               \
        .name = fname, .args = {TYPE_NUMERIC}, .args_count = 1, .result = TYPE_##r, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample          \
    }

#define NUM_OF_INT(fname, second, fn, text, sample)                                                \
    {                                                                                              \
        .name = fname, .args = {TYPE_BIGINT, TYPE_##second}, .args_count = 2,                      \
        .result = TYPE_NUMERIC, .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample \
    }
static const struct func func_numeric_rows[] = {
    NUM2("+", FUNC_QUICK, func_num_add, "Sum.", "1.5 + 2.25 = 3.75"),
    NUM2("-", FUNC_QUICK, func_num_sub, "Difference.", "1.50 - 2 = -0.50"),
    NUM2("*", FUNC_QUICK, func_num_mul, "Product.", "1.5 * 2.25 = 3.375"),
    NUM2("/",
         0,
         func_num_div,
         "Quotient, with 16 significant digits or more.",
         "1.0 / 3 = 0.33333333333333333333"),
    NUM2("%",
         0,
         func_num_mod,
         "What division leaves; it has the sign of the first.",
         "-7.5 % 2 = -1.5"),
    NUM2("^",
         0,
         func_num_power,
         "The first to the power of the second.",
         "2.0 ^ 3 = 8.0000000000000000"),
    {.name = "-",
     .args = {TYPE_NUMERIC},
     .args_count = 1,
     .result = TYPE_NUMERIC,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_num_neg,
     .doc = "The value with the other sign.",
     .example = "- 1.50 = -1.50"},
    NUM_CALL1("abs", NUMERIC, func_num_abs, "The value without its sign.", "abs(-1.50) = 1.50"),
    NUM_CALL1("sign", NUMERIC, func_num_sign, "-1, 0 or 1.", "sign(-2.5) = -1"),
    NUM_CALL1("ceil",
              NUMERIC,
              func_num_ceil,
              "The least whole number that is not less.",
              "ceil(-2.5) = -2"),
    NUM_CALL1("ceiling", NUMERIC, func_num_ceil, "The same as ceil.", "ceiling(2.1) = 3"),
    NUM_CALL1("floor",
              NUMERIC,
              func_num_floor,
              "The greatest whole number that is not greater.",
              "floor(-2.5) = -3"),
    NUM_CALL1("round",
              NUMERIC,
              func_num_round,
              "The nearest whole number, halves away from zero.",
              "round(2.5) = 3"),
    NUM_CALL2("round",
              INTEGER,
              func_num_round_to,
              "Rounded to that many digits after the point (before it, if negative), halves away "
              "from zero.",
              "round(2.675, 2) = 2.68"),
    NUM_CALL1("trunc",
              NUMERIC,
              func_num_trunc,
              "Without the digits after the point.",
              "trunc(-2.9) = -2"),
    NUM_CALL2("trunc",
              INTEGER,
              func_num_trunc_to,
              "Cut off after that many digits behind the point (before it, if negative).",
              "trunc(2.679, 2) = 2.67"),
    NUM_CALL1("sqrt",
              NUMERIC,
              func_num_sqrt,
              "Square root; of a negative number an error.",
              "sqrt(2.0) = 1.414213562373095"),
    NUM_CALL1("exp", NUMERIC, func_num_exp, "e to that power.", "exp(1.0) = 2.7182818284590452"),
    NUM_CALL1("ln",
              NUMERIC,
              func_num_ln,
              "Natural logarithm; of zero or less an error.",
              "ln(2.0) = 0.6931471805599453"),
    NUM_CALL1("log",
              NUMERIC,
              func_num_log10,
              "Logarithm to base 10.",
              "log(1000.0) = 3.0000000000000000"),
    NUM_CALL1("log10",
              NUMERIC,
              func_num_log10,
              "Logarithm to base 10.",
              "log10(1000.0) = 3.0000000000000000"),
    NUM_CALL2("log",
              NUMERIC,
              func_num_log,
              "Logarithm to the base given first.",
              "log(2.0, 64.0) = 6.0000000000000000"),
    NUM_OF_INT("round",
               INTEGER,
               func_int_round_to,
               "Rounded to that many digits after the point (before it, if negative), halves away "
               "from zero.",
               "round(7, 2) = 7.00"),
    NUM_OF_INT("trunc",
               INTEGER,
               func_int_trunc_to,
               "Cut off after that many digits behind the point (before it, if negative).",
               "trunc(1789, -2) = 1700"),
    NUM_OF_INT("log",
               BIGINT,
               func_int_log,
               "Logarithm to the base given first.",
               "log(2, 64) = 6.0000000000000000"),
    NUM_CALL2("power",
              NUMERIC,
              func_num_power,
              "The first to the power of the second.",
              "power(2.0, 0.5) = 1.4142135623730950"),
    NUM_CALL2(
        "pow", NUMERIC, func_num_power, "The same as power.", "pow(2.5, 2) = 6.2500000000000000"),
    NUM_CALL2(
        "div", NUMERIC, func_num_div_trunc, "The whole part of the quotient.", "div(9.5, 2) = 4"),
    NUM_CALL2("mod",
              NUMERIC,
              func_num_mod,
              "What division leaves; it has the sign of the first.",
              "mod(-7.5, 2) = -1.5"),
    NUM_CALL2("gcd",
              NUMERIC,
              func_num_gcd,
              "Greatest common divisor; 0 of two zeros.",
              "gcd(1.5, 0.6) = 0.3"),
    NUM_CALL2("lcm", NUMERIC, func_num_lcm, "Least common multiple.", "lcm(1.5, 0.6) = 3.0"),
    NUM_CALL1("scale", INTEGER, func_num_scale, "Digits after the point.", "scale(8.410) = 3"),
    NUM_CALL1("min_scale",
              INTEGER,
              func_num_min_scale,
              "Digits after the point that are needed.",
              "min_scale(8.410) = 2"),
    NUM_CALL1("trim_scale",
              NUMERIC,
              func_num_trim,
              "Without zeros at the end of the fraction.",
              "trim_scale(8.4100) = 8.41"),
    {.name = "factorial",
     .args = {TYPE_BIGINT},
     .args_count = 1,
     .result = TYPE_NUMERIC,
     .flags = FUNC_STRICT,
     .kernel = func_num_factorial,
     .doc = "The product of all whole numbers from 1 to this one.",
     .example = "factorial(20) = 2432902008176640000"},
};

const struct func_table func_table_numeric = {func_numeric_rows, DN_ARRAY_SIZE(func_numeric_rows)};

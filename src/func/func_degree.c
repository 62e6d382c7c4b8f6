/* SPDX-License-Identifier: Apache-2.0
 *
 * func_degree.c: angles in degrees, inverse hyperbolic functions, width_bucket. Angles such as 30
 * and 45 degrees give exact results: each function is scaled by its value at such an angle,
 * computed by the same library at run time. */
#include "func/func_array.h"
#include "func/func_int.h"
#include "func/num.h"
#include "vec/array.h"
#include "vec/numeric.h"

#include <math.h>

/* Read at run time, so that no compiler computes with other rounding than the library. */
static const volatile double degree_one = 0.01745329251994329576923690768489;
static const volatile double degree_30 = 30;
static const volatile double degree_60 = 60;
static const volatile double degree_half = 0.5;
static const volatile double degree_unit = 1;

static int degree_fail(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_OUT_OF_RANGE, "input is out of range");
}

/* ---- the first quadrant ---- */

static double degree_sin_30(double x) /* 0 to 30 */
{
    return sin(x * degree_one) / sin(degree_30 * degree_one) / 2;
}

static double degree_cos_60(double x) /* 0 to 60 */
{
    return 1 - (1 - cos(x * degree_one)) / (1 - cos(degree_60 * degree_one)) / 2;
}

static double degree_sin_q1(double x)
{
    return x <= 30 ? degree_sin_30(x) : degree_cos_60(90 - x);
}

static double degree_cos_q1(double x)
{
    return x <= 60 ? degree_cos_60(x) : degree_sin_30(90 - x);
}

static double degree_asin_q1(double x)
{
    return x <= 0.5 ? asin(x) / asin(degree_half) * 30 : 90 - acos(x) / acos(degree_half) * 60;
}

/* ---- all of the circle ---- */

/* The angle of the first quadrant that has the same sine (or cosine) but for the sign. */
struct degree_place {
    double x;
    int sin;
    int cos;
};

static struct degree_place degree_fold(double x)
{
    struct degree_place p = {.x = fmod(x, 360), .sin = 1, .cos = 1};

    if (p.x < 0) {
        p.x = -p.x;
        p.sin = -p.sin;
    }
    if (p.x > 180) {
        p.x = 360 - p.x;
        p.sin = -p.sin;
    }
    if (p.x > 90) {
        p.x = 180 - p.x;
        p.cos = -p.cos;
    }
    return p;
}

static double degree_sin(double x)
{
    struct degree_place p = degree_fold(x);

    return p.sin * degree_sin_q1(p.x);
}

static double degree_cos(double x)
{
    struct degree_place p = degree_fold(x);

    return p.cos * degree_cos_q1(p.x);
}

static double degree_tan(double x)
{
    struct degree_place p = degree_fold(x);
    double r = degree_sin_q1(p.x) / degree_cos_q1(p.x) / (degree_sin_q1(45) / degree_cos_q1(45));

    return p.sin * p.cos * r + 0.0; /* no -0 */
}

static double degree_cot(double x)
{
    struct degree_place p = degree_fold(x);
    double r = degree_cos_q1(p.x) / degree_sin_q1(p.x) / (degree_cos_q1(45) / degree_sin_q1(45));

    return p.sin * p.cos * r + 0.0;
}

static double degree_asin(double x)
{
    return x >= 0 ? degree_asin_q1(x) : -degree_asin_q1(-x);
}

static double degree_acos(double x)
{
    return x >= 0 ? 90 - degree_asin_q1(x) : 90 + degree_asin_q1(-x);
}

static double degree_atan(double x)
{
    return atan(x) / atan(degree_unit) * 45;
}

static double degree_atan2(double y, double x)
{
    return atan2(y, x) / atan(degree_unit) * 45;
}

/* ---- kernels ---- */

/* bad: the argument has no result; NaN gives NaN. */
#define DEGREE_KERNEL(fn, of, bad)                                        \
    static int degree_row_##fn(double x, double *ret, struct dn_err *err) \
    {                                                                     \
        if (bad)                                                          \
            return degree_fail(err);                                      \
        *ret = isnan(x) ? x : of(x);                                      \
        return 0;                                                         \
    }                                                                     \
    FUNC_EACH(fn, double, degree_row_##fn(vec_f64(&args[0], i), &to[i], err))

DEGREE_KERNEL(func_sind, degree_sin, isinf(x))
DEGREE_KERNEL(func_cosd, degree_cos, isinf(x))
DEGREE_KERNEL(func_tand, degree_tan, isinf(x))
DEGREE_KERNEL(func_cotd, degree_cot, isinf(x))
DEGREE_KERNEL(func_asind, degree_asin, x<-1 || x> 1)
DEGREE_KERNEL(func_acosd, degree_acos, x<-1 || x> 1)
DEGREE_KERNEL(func_atand, degree_atan, false)
DEGREE_KERNEL(func_asinh, asinh, false)
DEGREE_KERNEL(func_acosh, acosh, x < 1)
DEGREE_KERNEL(func_atanh, atanh, x<-1 || x> 1)
FUNC_EACH(func_atan2d,
          double,
          (to[i] = degree_atan2(vec_f64(&args[0], i), vec_f64(&args[1], i)), 0))

/* ---- width_bucket ---- */

static int width_fail(const char *why, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_BAD_BUCKET, "%s", why);
}

static int
width_f64(double x, double low, double high, int64_t buckets, int32_t *ret, struct dn_err *err)
{
    bool down = high < low;
    double at;

    if (buckets <= 0)
        return width_fail("count must be greater than zero", err);
    if (isnan(x) || isnan(low) || isnan(high))
        return width_fail("operand, lower bound, and upper bound cannot be NaN", err);
    if (isinf(low) || isinf(high))
        return width_fail("lower and upper bounds must be finite", err);
    if (low == high)
        return width_fail("lower bound cannot equal upper bound", err);
    if (down ? x > low : x < low) {
        *ret = 0;
    } else if (down ? x <= high : x >= high) {
        if (buckets == INT32_MAX)
            return func_fail_range(TYPE_INTEGER, err);
        *ret = (int32_t)buckets + 1;
    } else {
        /* Halves, so that the width of the range is no infinity. */
        at = (x / 2 - low / 2) / (high / 2 - low / 2) * (double)buckets;
        *ret = (int32_t)(at < (double)buckets ? at : (double)buckets - 1) + 1;
    }
    return 0;
}

static int width_num(const struct vec *args, uint32_t i, int32_t *ret, struct dn_err *err)
{
    struct vnumeric x = func_num(&args[0], i);
    struct vnumeric low = func_num(&args[1], i);
    struct vnumeric high = func_num(&args[2], i);
    int64_t buckets = vec_i64(&args[3], i);
    bool down;
    struct vnumeric part;
    struct vnumeric all;
    struct vnumeric n = num_from_i64(buckets);
    int64_t at;
    int rc;

    if (buckets <= 0)
        return width_fail("count must be greater than zero", err);
    if (vnumeric_is_nan(x) || vnumeric_is_nan(low) || vnumeric_is_nan(high))
        return width_fail("operand, lower bound, and upper bound cannot be NaN", err);
    if (low.special || high.special)
        return width_fail("lower and upper bounds must be finite", err);
    if (vnumeric_cmp(low, high) == 0)
        return width_fail("lower bound cannot equal upper bound", err);
    down = vnumeric_cmp(high, low) < 0;
    if (down ? vnumeric_cmp(x, low) > 0 : vnumeric_cmp(x, low) < 0) {
        *ret = 0;
        return 0;
    }
    if (down ? vnumeric_cmp(x, high) <= 0 : vnumeric_cmp(x, high) >= 0) {
        if (buckets == INT32_MAX)
            return func_fail_range(TYPE_INTEGER, err);
        *ret = (int32_t)buckets + 1;
        return 0;
    }
    rc = num_sub(down ? low : x, down ? x : low, &part, err);
    if (rc == 0)
        rc = num_sub(down ? low : high, down ? high : low, &all, err);
    if (rc == 0)
        rc = num_mul(part, n, &part, err);
    if (rc == 0)
        rc = num_div_trunc(part, all, &part, err);
    if (rc < 0)
        return rc;
    if (!num_to_i64(part, &at))
        return func_fail_range(TYPE_INTEGER, err);
    *ret = (int32_t)at + 1;
    return 0;
}

/* The number of elements of a rising array that are not above the value. */
static int width_array(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t i,
                       int32_t *ret,
                       struct dn_err *err)
{
    struct datum x = vec_datum(&args[0], i);
    struct varray a;
    uint32_t low = 0;
    uint32_t high;
    int rc = func_array_read(ctx, vec_str(&args[1], i), args[1].type, &a, err);

    if (rc < 0)
        return rc;
    if (a.dims > 1)
        return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "thresholds must be one-dimensional array");
    for (uint32_t k = 0; k < a.count; k++)
        if (a.items[k].null)
            return DN_FAIL(err, DN_E_NULL_VALUE, "thresholds array must not contain NULLs");
    high = a.count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (datum_cmp(&x, &a.items[mid]) < 0)
            high = mid;
        else
            low = mid + 1;
    }
    *ret = (int32_t)low;
    return 0;
}

FUNC_EACH(func_width_f64,
          int32_t,
          width_f64(vec_f64(&args[0], i),
                    vec_f64(&args[1], i),
                    vec_f64(&args[2], i),
                    vec_i64(&args[3], i),
                    &to[i],
                    err))
FUNC_EACH(func_width_num, int32_t, width_num(args, i, &to[i], err))
FUNC_EACH(func_width_array, int32_t, width_array(ctx, args, i, &to[i], err))

#define DEGREE1(fname, fn, text, sample)                                              \
    {                                                                                 \
        .name = fname, .args = {TYPE_DOUBLE}, .args_count = 1, .result = TYPE_DOUBLE, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample            \
    }
#define WIDTH(t, fn, sample)                                                                      \
    {                                                                                             \
        .name = "width_bucket", .args = {t, t, t, TYPE_INTEGER}, .args_count = 4,                 \
        .result = TYPE_INTEGER, .flags = FUNC_STRICT, .kernel = fn,                               \
        .doc = "The number of the bucket, from 1, that the value falls in when so many of equal " \
               "width lie between the bounds; 0 before the first, one more behind the last.",     \
        .example = sample                                                                         \
    }

static const struct func func_degree_rows[] = {
    DEGREE1("sind", func_sind, "Sine of an angle in degrees.", "sind(30) = 0.5"),
    DEGREE1("cosd", func_cosd, "Cosine of an angle in degrees.", "cosd(60) = 0.5"),
    DEGREE1("tand", func_tand, "Tangent of an angle in degrees.", "tand(45) = 1"),
    DEGREE1("cotd", func_cotd, "Cotangent of an angle in degrees.", "cotd(45) = 1"),
    DEGREE1("asind", func_asind, "The angle in degrees with that sine.", "asind(0.5) = 30"),
    DEGREE1("acosd", func_acosd, "The angle in degrees with that cosine.", "acosd(0.5) = 60"),
    DEGREE1("atand", func_atand, "The angle in degrees with that tangent.", "atand(1) = 45"),
    {.name = "atan2d",
     .args = {TYPE_DOUBLE, TYPE_DOUBLE},
     .args_count = 2,
     .result = TYPE_DOUBLE,
     .flags = FUNC_STRICT,
     .kernel = func_atan2d,
     .doc = "The angle in degrees of the point with that y and x.",
     .example = "atan2d(1, 0) = 90"},
    DEGREE1("asinh", func_asinh, "Inverse hyperbolic sine.", "asinh(0) = 0"),
    DEGREE1("acosh", func_acosh, "Inverse hyperbolic cosine.", "acosh(1) = 0"),
    DEGREE1("atanh", func_atanh, "Inverse hyperbolic tangent.", "atanh(0) = 0"),
    WIDTH(TYPE_NUMERIC, func_width_num, "width_bucket(5.35, 0.024, 10.06, 5) = 3"),
    WIDTH(TYPE_DOUBLE, func_width_f64, "width_bucket(5.35, 0.024, 10.06, 5) = 3"),
    {.name = "width_bucket",
     .args = {TYPE_ANY_ELEMENT, TYPE_ANY_ARRAY},
     .args_count = 2,
     .result = TYPE_INTEGER,
     .flags = FUNC_STRICT | FUNC_COMPATIBLE,
     .kernel = func_width_array,
     .doc = "How many elements of an array in rising order are not above the value."},
};

const struct func_table func_table_degree = {func_degree_rows, DN_ARRAY_SIZE(func_degree_rows)};

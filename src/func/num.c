/* SPDX-License-Identifier: Apache-2.0
 *
 * num.c: the four operations on decimal numbers. Products and dividends of up to 256 bits are kept
 * in two halves; where 128 bits do, the machine's own division is used. */
#include "func/num.h"

#include "func/func_int.h"
#include "func/num_wide.h"

#define NUM_MIN_DIGITS 16 /* significant digits of a quotient */

int num_fail_range(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_OUT_OF_RANGE, "NUMERIC out of range: more than 38 digits");
}

/* Whether a magnitude that left `rest` of `d` behind is to grow by one. */
static bool num_rounds_up(vnumeric_u128 rest, vnumeric_u128 d, bool negative, enum num_rounding how)
{
    switch (how) {
    case NUM_NEAREST:
        return rest >= d - rest;
    case NUM_TOWARD_ZERO:
        return false;
    case NUM_DOWN:
        return rest != 0 && negative;
    case NUM_UP:
        return rest != 0 && !negative;
    }
    return false;
}

static int
num_done(vnumeric_u128 coef, bool negative, int scale, struct vnumeric *ret, struct dn_err *err)
{
    if (coef >= vnumeric_pow10(VNUMERIC_DIGITS))
        return num_fail_range(err);
    *ret = vnumeric_make(negative ? -(vnumeric_i128)coef : (vnumeric_i128)coef, scale);
    return 0;
}

/* The coefficient for a greater scale. False: more than 38 digits. */
static bool num_upscale(vnumeric_i128 *coef, int by)
{
    vnumeric_u128 a = vnumeric_abs(*coef);

    if (a == 0 || by == 0)
        return true;
    if (by > (int)VNUMERIC_DIGITS || vnumeric_digits(a) + (unsigned)by > VNUMERIC_DIGITS)
        return false;
    *coef *= (vnumeric_i128)vnumeric_pow10((unsigned)by);
    return true;
}

int num_round(
    struct vnumeric a, int scale, enum num_rounding how, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 coef = vnumeric_coef(a);
    vnumeric_u128 d;
    vnumeric_u128 m = vnumeric_abs(coef);
    int shown = scale < 0 ? 0 : scale > VNUMERIC_SCALE_MAX ? VNUMERIC_SCALE_MAX : scale;
    int drop = a.scale - scale;

    if (a.special) {
        *ret = a;
        return 0;
    }
    if (drop <= 0) {
        if (!num_upscale(&coef, shown - a.scale))
            return num_fail_range(err);
        *ret = vnumeric_make(coef, shown);
        return 0;
    }
    if (drop > (int)VNUMERIC_DIGITS) {
        m = m != 0 && num_rounds_up(1, 3, coef < 0, how); /* less than half */
    } else {
        d = vnumeric_pow10((unsigned)drop);
        m = m / d + num_rounds_up(m % d, d, coef < 0, how);
    }
    if (scale < 0 && m != 0) {
        if (vnumeric_digits(m) - (unsigned)scale > VNUMERIC_DIGITS)
            return num_fail_range(err);
        m *= vnumeric_pow10((unsigned)-scale);
    }
    return num_done(m, coef < 0, shown, ret, err);
}

/* A sum that has more than 38 digits loses digits after the point; those before it must fit. */
static int
num_add_rounded(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    int first = num_exponent(a) > num_exponent(b) ? num_exponent(a) : num_exponent(b);
    int most = (a.scale > b.scale ? a.scale : b.scale) - 1;
    int room = (int)VNUMERIC_DIGITS - 1 - (first > 0 ? first : 0);
    struct dn_err ignored;

    if (a.scale == b.scale && num_sign(a) == num_sign(b) && a.scale > 0) {
        vnumeric_u128 sum = vnumeric_abs(vnumeric_coef(a)) + vnumeric_abs(vnumeric_coef(b));

        return num_done(sum / 10 + (sum % 10 >= 5), num_sign(a) < 0, a.scale - 1, ret, err);
    }
    if (room > most)
        room = most;
    for (int scale = room; scale >= 0 && scale >= room - 1; scale--) { /* one less for a carry */
        struct vnumeric x, y;
        vnumeric_i128 sum;

        if (num_round(a, scale, NUM_NEAREST, &x, &ignored) < 0 ||
            num_round(b, scale, NUM_NEAREST, &y, &ignored) < 0 ||
            __builtin_add_overflow(vnumeric_coef(x), vnumeric_coef(y), &sum) ||
            vnumeric_abs(sum) >= vnumeric_pow10(VNUMERIC_DIGITS))
            continue;
        *ret = vnumeric_make(sum, scale);
        return 0;
    }
    return num_fail_range(err);
}

int num_add(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 x = vnumeric_coef(a);
    vnumeric_i128 y = vnumeric_coef(b);
    int scale = a.scale > b.scale ? a.scale : b.scale;
    vnumeric_i128 sum;

    if (a.special || b.special) {
        bool apart = vnumeric_is_inf(a) && vnumeric_is_inf(b) && a.special != b.special;
        bool nan = vnumeric_is_nan(a) || vnumeric_is_nan(b) || apart;

        *ret = nan ? vnumeric_nan() : a.special ? a : b;
        return 0;
    }
    if (a.scale != b.scale &&
        (!num_upscale(&x, scale - a.scale) || !num_upscale(&y, scale - b.scale)))
        return num_add_rounded(a, b, ret, err);
    if (__builtin_add_overflow(x, y, &sum) || vnumeric_abs(sum) >= vnumeric_pow10(VNUMERIC_DIGITS))
        return num_add_rounded(a, b, ret, err);
    *ret = vnumeric_make(sum, scale);
    return 0;
}

struct vnumeric num_neg(struct vnumeric a)
{
    if (vnumeric_is_inf(a))
        return vnumeric_inf(a.special > 0);
    return a.special ? a : vnumeric_make(-vnumeric_coef(a), a.scale);
}

struct vnumeric num_abs(struct vnumeric a)
{
    return a.hi < 0 || a.special < 0 ? num_neg(a) : a;
}

int num_sign(struct vnumeric a)
{
    vnumeric_i128 x = vnumeric_coef(a);

    return a.special ? (a.special < 0 ? -1 : 1) : (x > 0) - (x < 0);
}

int num_sub(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    return num_add(a, num_neg(b), ret, err);
}

/* a / 10^drop, rounded. */
static int num_wide_shrink(
    struct num_wide a, int drop, bool negative, int scale, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_u128 d = vnumeric_pow10((unsigned)drop);
    vnumeric_u128 quotient, rest;

    if (!num_wide_div(a, d, &quotient, &rest) || quotient >= vnumeric_pow10(VNUMERIC_DIGITS))
        return num_fail_range(err);
    quotient += num_rounds_up(rest, d, negative, NUM_NEAREST);
    return num_done(quotient, negative, scale, ret, err);
}

int num_mul(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 x = vnumeric_coef(a);
    vnumeric_i128 y = vnumeric_coef(b);
    bool negative = (x < 0) != (y < 0);
    int scale = a.scale + b.scale;
    struct num_wide p;
    struct dn_err ignored;

    if (a.special || b.special) {
        int sign = num_sign(a) * num_sign(b);
        bool nan = vnumeric_is_nan(a) || vnumeric_is_nan(b) || sign == 0;

        *ret = nan ? vnumeric_nan() : vnumeric_inf(sign < 0);
        return 0;
    }
    p = num_wide_mul(vnumeric_abs(x), vnumeric_abs(y));
    if (scale <= VNUMERIC_SCALE_MAX && p.hi == 0 && p.lo < vnumeric_pow10(VNUMERIC_DIGITS))
        return num_done(p.lo, negative, scale, ret, err);
    for (int drop = 1; scale - drop >= 0 && drop <= (int)VNUMERIC_DIGITS; drop++)
        if (scale - drop <= VNUMERIC_SCALE_MAX &&
            num_wide_shrink(p, drop, negative, scale - drop, ret, &ignored) == 0)
            return 0;
    return num_fail_range(err);
}

/* Where the first digit stands: 5 for 123456, -1 for 0.1; 0 for zero. */
int num_exponent(struct vnumeric a)
{
    unsigned digits = vnumeric_digits(vnumeric_abs(vnumeric_coef(a)));

    return digits ? (int)digits - 1 - a.scale : 0;
}

/* The first digit in base 10000 and its weight, as PostgreSQL counts them. */
static int num_first_digit(struct vnumeric a, int *ret_weight)
{
    vnumeric_u128 m = vnumeric_abs(vnumeric_coef(a));
    int e = num_exponent(a);
    int weight = e >= 0 ? e / 4 : -((-e + 3) / 4);
    int want = e - weight * 4 + 1; /* decimal digits of it, 1..4 */
    int have = (int)vnumeric_digits(m);

    *ret_weight = m ? weight : 0;
    if (have > want)
        m /= vnumeric_pow10((unsigned)(have - want));
    else
        m *= vnumeric_pow10((unsigned)(want - have));
    return (int)m;
}

int num_div_digits(struct vnumeric a, struct vnumeric b)
{
    int wa, wb;
    int fa = num_first_digit(a, &wa);
    int fb = num_first_digit(b, &wb);
    int weight = wa - wb - (fa <= fb);
    int scale = NUM_MIN_DIGITS - weight * 4;

    scale = scale > a.scale ? scale : a.scale;
    scale = scale > b.scale ? scale : b.scale;
    return scale < 0 ? 0 : scale > VNUMERIC_SCALE_MAX ? VNUMERIC_SCALE_MAX : scale;
}

/* One of them is no finite number. */
static int
num_div_special(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    bool nan = vnumeric_is_nan(a) || vnumeric_is_nan(b) || (a.special && b.special);

    if (!nan && num_sign(b) == 0)
        return func_fail_zero(err);
    *ret = nan                  ? vnumeric_nan()
           : vnumeric_is_inf(a) ? vnumeric_inf(num_sign(a) * num_sign(b) < 0)
                                : vnumeric_make(0, 0);
    return 0;
}

int num_div_scale(
    struct vnumeric a, struct vnumeric b, int scale, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 x = vnumeric_coef(a);
    vnumeric_i128 y = vnumeric_coef(b);
    bool negative = (x < 0) != (y < 0);
    vnumeric_u128 d = vnumeric_abs(y);
    struct num_wide p = {.lo = vnumeric_abs(x)};
    vnumeric_u128 quotient, rest;
    int room = (int)VNUMERIC_DIGITS - 1 - (num_exponent(a) - num_exponent(b));
    int up;

    if (a.special || b.special)
        return num_div_special(a, b, ret, err);
    if (y == 0)
        return func_fail_zero(err);
    if (scale > room && x != 0)
        scale = room;
    if (scale < 0)
        return num_fail_range(err);
    up = scale - a.scale + b.scale; /* x * 10^up / y */
    if (up < -(int)VNUMERIC_DIGITS)
        up = -(int)VNUMERIC_DIGITS;
    if (up >= 0 && x != 0) {
        /* The quotient has at most 38 digits, so this has at most 77. */
        int first = up > (int)VNUMERIC_DIGITS ? (int)VNUMERIC_DIGITS : up;

        p = num_wide_mul(p.lo, vnumeric_pow10((unsigned)first));
        if (up > first) {
            if (p.hi != 0 || up - first > (int)VNUMERIC_DIGITS)
                return num_fail_range(err);
            p = num_wide_mul(p.lo, vnumeric_pow10((unsigned)(up - first)));
        }
    } else if (up < 0) {
        struct num_wide wide = num_wide_mul(d, vnumeric_pow10((unsigned)-up));

        if (wide.hi != 0) { /* greater than any dividend: nothing but zeros */
            *ret = vnumeric_make(0, scale);
            return 0;
        }
        d = wide.lo;
    }
    if (!num_wide_div(p, d, &quotient, &rest) || quotient >= vnumeric_pow10(VNUMERIC_DIGITS))
        return num_fail_range(err);
    quotient += num_rounds_up(rest, d, negative, NUM_NEAREST);
    return num_done(quotient, negative, scale, ret, err);
}

int num_div(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    if (a.special || b.special)
        return num_div_special(a, b, ret, err);
    if (vnumeric_coef(b) == 0)
        return func_fail_zero(err);
    return num_div_scale(a, b, num_div_digits(a, b), ret, err);
}

/* Both brought to one scale. */
static int num_align(
    struct vnumeric a, struct vnumeric b, vnumeric_i128 *x, vnumeric_i128 *y, struct dn_err *err)
{
    int scale = a.scale > b.scale ? a.scale : b.scale;

    *x = vnumeric_coef(a);
    *y = vnumeric_coef(b);
    if (!num_upscale(x, scale - a.scale) || !num_upscale(y, scale - b.scale))
        return num_fail_range(err);
    return 0;
}

int num_mod(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 x, y;
    int rc;

    if (vnumeric_is_nan(a) || vnumeric_is_nan(b)) {
        *ret = vnumeric_nan();
        return 0;
    }
    if (num_sign(b) == 0)
        return func_fail_zero(err);
    if (a.special || b.special) {
        *ret = a.special ? vnumeric_nan() : a;
        return 0;
    }
    rc = num_align(a, b, &x, &y, err);
    if (rc < 0)
        return rc;
    *ret = vnumeric_make(x % y, a.scale > b.scale ? a.scale : b.scale);
    return 0;
}

int num_div_trunc(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 x, y;
    int rc;

    if (a.special || b.special)
        return num_div_special(a, b, ret, err);
    if (vnumeric_coef(b) == 0)
        return func_fail_zero(err);
    rc = num_align(a, b, &x, &y, err);
    if (rc < 0)
        return rc;
    *ret = vnumeric_make(x / y, 0);
    return 0;
}

int num_fit(struct vnumeric a, int precision, int scale, struct vnumeric *ret, struct dn_err *err)
{
    struct vnumeric v;
    int rc = 0;

    if (vnumeric_is_nan(a)) {
        *ret = a;
        return 0;
    }
    if (vnumeric_is_inf(a)) {
        rc = DN_FAIL(err, DN_E_OUT_OF_RANGE, "numeric field overflow");
        dn_err_hint(err,
                    "A field with precision %d, scale %d cannot hold an infinite value.",
                    precision,
                    scale);
        return rc;
    }
    rc = num_round(a, scale, NUM_NEAREST, &v, err);
    if (rc == 0 && vnumeric_digits(vnumeric_abs(vnumeric_coef(v))) <=
                       (unsigned)(scale < 0 ? precision - scale : precision)) {
        *ret = v;
        return 0;
    }
    rc = DN_FAIL(err, DN_E_OUT_OF_RANGE, "numeric field overflow");
    if (precision == scale)
        dn_err_hint(err,
                    "A field with precision %d, scale %d must round to an absolute value less than "
                    "1.",
                    precision,
                    scale);
    else
        dn_err_hint(err,
                    "A field with precision %d, scale %d must round to an absolute value less than "
                    "10^%d.",
                    precision,
                    scale,
                    precision - scale);
    return rc;
}

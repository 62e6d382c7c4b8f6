/* SPDX-License-Identifier: Apache-2.0
 *
 * num_convert.c: decimal numbers from and to binary ones, and what is computed in binary: roots by
 * integer arithmetic, exactly; results of the C library's long double functions. */
#include "func/num.h"

#include "func/func_int.h"
#include "func/num_wide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NUM_MIN_DIGITS 16

struct vnumeric num_from_i64(int64_t v)
{
    return vnumeric_make(v, 0);
}

bool num_to_i64(struct vnumeric v, int64_t *ret)
{
    struct dn_err ignored;
    struct vnumeric whole;
    vnumeric_i128 coef;

    if (v.special || num_round(v, 0, NUM_NEAREST, &whole, &ignored) < 0)
        return false;
    coef = vnumeric_coef(whole);
    if (coef < INT64_MIN || coef > INT64_MAX)
        return false;
    *ret = (int64_t)coef;
    return true;
}

/* d.ddde±x as printf writes it, whatever the locale's point, to a number. */
static int num_from_digits(const char *text, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 coef = 0;
    bool negative = *text == '-';
    bool point = false;
    long exponent;
    int after = 0;

    for (text += negative; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') {
            point = true;
            continue;
        }
        coef = coef * 10 + (*text - '0');
        after += point;
    }
    exponent = *text == 'e' ? strtol(text + 1, NULL, 10) : 0;
    while (after > 0 && coef % 10 == 0) {
        coef /= 10;
        after--;
    }
    if (coef == 0) {
        *ret = vnumeric_make(0, 0);
        return 0;
    }
    if (exponent > after) {
        if (vnumeric_digits((vnumeric_u128)coef) + (unsigned)(exponent - after) > VNUMERIC_DIGITS)
            return num_fail_range(err);
        coef *= (vnumeric_i128)vnumeric_pow10((unsigned)(exponent - after));
        exponent = after;
    }
    if (after - exponent > VNUMERIC_SCALE_MAX)
        return num_fail_range(err);
    *ret = vnumeric_make(negative ? -coef : coef, (int)(after - exponent));
    return 0;
}

int num_from_f64(double v, int digits, struct vnumeric *ret, struct dn_err *err)
{
    char text[64];

    if (isnan(v)) {
        *ret = vnumeric_nan();
        return 0;
    }
    if (isinf(v)) {
        *ret = vnumeric_inf(v < 0);
        return 0;
    }
    snprintf(text, sizeof text, "%.*e", digits - 1, v);
    return num_from_digits(text, ret, err);
}

double num_to_f64(struct vnumeric v)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    vnumeric_i128 coef = vnumeric_coef(v);
    vnumeric_u128 m = vnumeric_abs(coef);
    char text[80];
    char *to = text + sizeof text;
    double f;
    int exponent = -v.scale;

    if (v.special)
        return vnumeric_is_nan(v) ? (double)NAN : v.special * (double)INFINITY;
    if (m <= (vnumeric_u128)1 << 53 && v.scale <= 22) /* both exact: one rounding */
        return (double)(int64_t)coef / powers[v.scale];
    /* Digits and an exponent, without a point: no locale has a say. */
    *--to = '\0';
    for (unsigned n = 0, x = (unsigned)(exponent < 0 ? -exponent : exponent); n == 0 || x; n++) {
        *--to = (char)('0' + x % 10);
        x /= 10;
    }
    *--to = exponent < 0 ? '-' : '+';
    *--to = 'e';
    for (; m; m /= 10)
        *--to = (char)('0' + (int)(m % 10));
    f = strtod(to, NULL);
    return coef < 0 ? -f : f;
}

long double num_to_long_double(struct vnumeric v)
{
    vnumeric_i128 coef = vnumeric_coef(v);

    if (v.special)
        return (long double)num_to_f64(v);
    if (v.scale <= 27) /* 10^27 is exact */
        return (long double)coef / (long double)vnumeric_pow10((unsigned)v.scale);
    return (long double)coef / powl(10.0L, v.scale);
}

/* The root of v to the nearest whole number; v < 10^76. */
static vnumeric_u128 num_root(struct num_wide v)
{
    /* The first 64 bits are right, and a step of Newton's doubles what is right. */
    long double guess = sqrtl((long double)v.hi * 0x1p128L + (long double)v.lo);
    vnumeric_u128 r = guess < 1 ? 1 : (vnumeric_u128)guess;
    vnumeric_u128 quotient, rest;
    struct num_wide square;

    for (int i = 0; i < 2; i++)
        if (num_wide_div(v, r, &quotient, &rest))
            r = r / 2 + quotient / 2 + (r % 2 + quotient % 2) / 2;
    for (square = num_wide_mul(r, r); num_wide_cmp(square, v) > 0; square = num_wide_mul(r, r))
        r--;
    for (;;) {
        square = num_wide_mul(r + 1, r + 1);
        if (num_wide_cmp(square, v) > 0)
            break;
        r++;
    }
    /* (r + 1/2)^2 = r * (r + 1) + 1/4 */
    return r + (num_wide_cmp(v, num_wide_mul(r, r + 1)) > 0);
}

int num_sqrt(struct vnumeric a, int scale, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_u128 m = vnumeric_abs(vnumeric_coef(a));
    int e = num_exponent(a);
    int weight = e >= 0 ? e / 4 : -((-e + 3) / 4); /* of the first digit in base 10000 */
    int sweight = (weight + 1) * 4 / 2 - 1;
    struct num_wide v;
    int up;

    if (a.special > 0) {
        *ret = a;
        return 0;
    }
    if (num_sign(a) < 0)
        return DN_FAIL(err, DN_E_BAD_POWER, "cannot take square root of a negative number");
    if (scale < 0) {
        scale = NUM_MIN_DIGITS - sweight;
        scale = scale > a.scale ? scale : a.scale;
        scale = scale < 0 ? 0 : scale;
    }
    if (m == 0) {
        *ret = vnumeric_make(0, scale);
        return 0;
    }
    /* m * 10^up is the square: its scale is twice that of the result, of which 38 digits fit. */
    if (scale > (int)VNUMERIC_DIGITS - 1 - e / 2)
        scale = (int)VNUMERIC_DIGITS - 1 - e / 2;
    up = 2 * scale - a.scale;
    if (up < 0) {
        v = (struct num_wide){.lo = -up > (int)VNUMERIC_DIGITS ? 0
                                                               : m / vnumeric_pow10((unsigned)-up)};
    } else if (up <= (int)VNUMERIC_DIGITS) {
        v = num_wide_mul(m, vnumeric_pow10((unsigned)up));
    } else {
        if (vnumeric_digits(m) + (unsigned)up - VNUMERIC_DIGITS > VNUMERIC_DIGITS)
            return num_fail_range(err);
        v = num_wide_mul(m * vnumeric_pow10((unsigned)up - VNUMERIC_DIGITS),
                         vnumeric_pow10(VNUMERIC_DIGITS));
    }
    *ret = vnumeric_make((vnumeric_i128)num_root(v), scale);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * num_quad.c: exponentials and logarithms in 113 bits, of additions, products and quotients alone:
 * the C library has no others for the type. e^x is 2^k e^r with |r| <= ln(2)/2, a Taylor series; a
 * logarithm is that of the C library, right to 64 bits, and one step of Halley's on e^y = x. */
#include "func/num_quad.h"

#include "func/num.h"

#include <math.h>

/* ln 2 in three doubles; the product of the first with a small number is exact. */
#define QUAD_LN2_HIGH 0x1.62e42fefa39efp-1
#define QUAD_LN2_MID  0x1.abc9e3b39803fp-56
#define QUAD_LN2_LOW  0x1.7b57a079a1934p-111
#define QUAD_TERMS    27

static num_quad quad_pow10(int n)
{
    num_quad p = 1;

    for (; n > 0; n -= 38)
        p *= (num_quad)vnumeric_pow10((unsigned)(n < 38 ? n : 38));
    return p;
}

num_quad num_quad_of(struct vnumeric v)
{
    return (num_quad)vnumeric_coef(v) / quad_pow10(v.scale);
}

int num_quad_back(num_quad x, int scale, struct vnumeric *ret, struct dn_err *err)
{
    bool negative = x < 0;
    num_quad limit = (num_quad)vnumeric_pow10(VNUMERIC_DIGITS - 1) * 10;
    vnumeric_u128 coef;

    x = negative ? -x : x;
    if (!(x < limit))
        return num_fail_range(err);
    scale = scale > VNUMERIC_SCALE_MAX ? VNUMERIC_SCALE_MAX : scale;
    while (scale > 0 && x * quad_pow10(scale) >= limit)
        scale--;
    coef = (vnumeric_u128)(x * quad_pow10(scale) + (num_quad)0.5);
    *ret = vnumeric_make(negative ? -(vnumeric_i128)coef : (vnumeric_i128)coef, scale);
    return 0;
}

num_quad num_quad_exp(num_quad x)
{
    int k = (int)lrintl((long double)x / 0.693147180559945309417L);
    num_quad r =
        x - k * (num_quad)QUAD_LN2_HIGH - k * (num_quad)QUAD_LN2_MID - k * (num_quad)QUAD_LN2_LOW;
    num_quad sum = 1;

    for (int n = QUAD_TERMS; n > 0; n--)
        sum = 1 + r * sum / n;
    return sum * (num_quad)ldexp(1.0, k);
}

num_quad num_quad_ln(struct vnumeric v)
{
    num_quad x = num_quad_of(v);
    struct vnumeric rest;
    long double near = (long double)x;
    num_quad y, e;

    /* Close to 1 the digits after it count. */
    if (near > 0.5L && near < 2 && num_sub(v, num_from_i64(1), &rest, NULL) == 0)
        y = (num_quad)log1pl((long double)num_quad_of(rest));
    else
        y = (num_quad)logl(near);
    e = num_quad_exp(y);
    return y + 2 * (x - e) / (x + e);
}

num_quad num_quad_power(num_quad x, uint32_t n)
{
    num_quad r = 1;

    for (; n > 0; n >>= 1) {
        if (n & 1)
            r *= x;
        x *= x;
    }
    return r;
}

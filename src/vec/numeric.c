/* SPDX-License-Identifier: Apache-2.0
 *
 * numeric.c: parts, order and bytes of decimal numbers. */
#include "vec/numeric.h"

#include "base/bytes.h"
#include "base/hash.h"

#include <string.h>

/* In the place of a scale, of what is no finite number. */
#define VNUMERIC_NAN_SCALE   0xffffu
#define VNUMERIC_PINF_SCALE  0xfffeu
#define VNUMERIC_NINF_SCALE  0xfffdu
#define VNUMERIC_SHORT_BYTES 10u /* of the stored form: a coefficient of 64 bits */

const uint64_t vnumeric_tens[VNUMERIC_TENS] = {1u,
                                               10u,
                                               100u,
                                               1000u,
                                               10000u,
                                               100000u,
                                               1000000u,
                                               10000000u,
                                               100000000u,
                                               1000000000u,
                                               10000000000u,
                                               100000000000u,
                                               1000000000000u,
                                               10000000000000u,
                                               100000000000000u,
                                               1000000000000000u,
                                               10000000000000000u,
                                               100000000000000000u,
                                               1000000000000000000u,
                                               10000000000000000000u};

vnumeric_u128 vnumeric_pow10(unsigned n)
{
    DN_ASSERT(n <= VNUMERIC_DIGITS);
    return n < VNUMERIC_TENS ? vnumeric_tens[n]
                             : (vnumeric_u128)vnumeric_tens[19] * vnumeric_tens[n - 19];
}

unsigned vnumeric_digits(vnumeric_u128 v)
{
    uint64_t hi = (uint64_t)(v >> 64);
    unsigned bits;
    unsigned guess;

    if (v == 0)
        return 0;
    bits = hi ? 128 - (unsigned)__builtin_clzll(hi) : 64 - (unsigned)__builtin_clzll((uint64_t)v);
    guess = (bits * 1233) >> 12; /* log10(2), a little less */
    return guess + (guess <= VNUMERIC_DIGITS && v >= vnumeric_pow10(guess));
}

int vnumeric_cmp_any(struct vnumeric a, struct vnumeric b)
{
    vnumeric_i128 x = vnumeric_coef(a);
    vnumeric_i128 y = vnumeric_coef(b);
    vnumeric_u128 ax = vnumeric_abs(x);
    vnumeric_u128 ay = vnumeric_abs(y);
    int sign = x < 0 ? -1 : 1;
    int ea;
    int eb;

    if (a.special || b.special)
        return a.special - b.special;
    if (a.scale == b.scale)
        return (x > y) - (x < y);
    if (x == 0 || y == 0 || (x < 0) != (y < 0))
        return (x > y) - (x < y);
    ea = (int)vnumeric_digits(ax) - a.scale;
    eb = (int)vnumeric_digits(ay) - b.scale;
    if (ea != eb)
        return ea < eb ? -sign : sign;
    /* As many digits before the point: the one of the lesser scale has fewer in all. */
    if (a.scale < b.scale)
        ax *= vnumeric_pow10((unsigned)(b.scale - a.scale));
    else
        ay *= vnumeric_pow10((unsigned)(a.scale - b.scale));
    return ax == ay ? 0 : ax < ay ? -sign : sign;
}

/* 38 digits, the first not 0, and where the point is. The value is not 0. */
static vnumeric_u128 vnumeric_normal(struct vnumeric v, int *ret_exponent)
{
    vnumeric_u128 a = vnumeric_abs(vnumeric_coef(v));
    unsigned digits = vnumeric_digits(a);

    *ret_exponent = (int)digits - v.scale;
    return a * vnumeric_pow10(VNUMERIC_DIGITS - digits);
}

uint64_t vnumeric_hash(struct vnumeric v)
{
    vnumeric_u128 digits;
    int exponent;

    if (v.special || vnumeric_coef(v) == 0)
        return dn_mix64((uint64_t)v.special);
    digits = vnumeric_normal(v, &exponent);
    return dn_mix64((uint64_t)digits ^ (uint64_t)(digits >> 64) * 0x9e3779b97f4a7c15u ^
                    (uint64_t)exponent << 1 ^ (v.hi < 0));
}

struct vnumeric vnumeric_trim(struct vnumeric v)
{
    vnumeric_i128 coef = vnumeric_coef(v);
    int scale = v.scale;

    if (v.special)
        return v;
    if (coef == 0)
        return vnumeric_make(0, 0);
    for (; scale > 0 && coef % 10 == 0; scale--)
        coef /= 10;
    return vnumeric_make(coef, scale);
}

uint32_t vnumeric_key(struct vnumeric v, uint8_t *to)
{
    bool negative = v.hi < 0;
    vnumeric_u128 digits;
    int exponent;
    unsigned biased;

    if (vnumeric_is_inf(v)) { /* as exponents beyond all others */
        memset(to, v.special < 0 ? 0 : 0xff, VNUMERIC_KEY_BYTES);
        to[0] = v.special < 0 ? 0 : 2;
        return VNUMERIC_KEY_BYTES;
    }
    if (v.special || vnumeric_coef(v) == 0) {
        to[0] = v.special ? 3 : 1;
        return 1;
    }
    digits = vnumeric_normal(v, &exponent);
    biased = (unsigned)(exponent + 0x8000);
    to[0] = negative ? 0 : 2;
    to[1] = (uint8_t)(biased >> 8);
    to[2] = (uint8_t)biased;
    be_put64(to + 3, (uint64_t)(digits >> 64));
    be_put64(to + 11, (uint64_t)digits);
    for (unsigned i = 1; negative && i < VNUMERIC_KEY_BYTES; i++)
        to[i] = (uint8_t)~to[i];
    return VNUMERIC_KEY_BYTES;
}

uint32_t vnumeric_coef_bytes(struct vnumeric v, uint8_t *to)
{
    uint8_t all[16];
    uint8_t fill = v.hi < 0 ? 0xff : 0;
    uint32_t skip = 0;

    be_put64(all, (uint64_t)v.hi);
    be_put64(all + 8, v.lo);
    /* A byte of nothing but the sign may go if the next one begins with the sign too. */
    while (skip < 15 && all[skip] == fill && ((all[skip + 1] ^ fill) & 0x80) == 0)
        skip++;
    memcpy(to, all + skip, 16 - skip);
    return 16 - skip;
}

uint32_t vnumeric_put(struct vnumeric v, uint8_t *to)
{
    unsigned scale = vnumeric_is_nan(v)                ? VNUMERIC_NAN_SCALE
                     : v.special == VNUMERIC_PLUS_INF  ? VNUMERIC_PINF_SCALE
                     : v.special == VNUMERIC_MINUS_INF ? VNUMERIC_NINF_SCALE
                                                       : (unsigned)v.scale;

    to[0] = (uint8_t)(scale >> 8);
    to[1] = (uint8_t)scale;
    return v.special ? 2 : 2 + vnumeric_coef_bytes(v, to + 2);
}

bool vnumeric_get(const void *bytes, uint32_t len, struct vnumeric *ret)
{
    const uint8_t *p = bytes;
    vnumeric_u128 coef;
    unsigned scale;

    if (len < 2 || len > VNUMERIC_BYTES_MAX)
        return false;
    scale = (unsigned)p[0] << 8 | p[1];
    if (scale == VNUMERIC_NAN_SCALE) {
        *ret = vnumeric_nan();
        return len == 2;
    }
    if (scale == VNUMERIC_PINF_SCALE || scale == VNUMERIC_NINF_SCALE) {
        *ret = vnumeric_inf(scale == VNUMERIC_NINF_SCALE);
        return len == 2;
    }
    if (len < 3 || scale > VNUMERIC_SCALE_MAX)
        return false;
    if (len > 3 && (p[2] == 0 || p[2] == 0xff) && (p[2] & 0x80) == (p[3] & 0x80))
        return false; /* not as short as it can be: equal values have equal bytes */
    if (len <= VNUMERIC_SHORT_BYTES) {
        uint64_t word = p[2] & 0x80 ? ~(uint64_t)0 : 0;

        for (uint32_t i = 2; i < len; i++)
            word = word << 8 | p[i];
        *ret = (struct vnumeric){
            .lo = word, .hi = (int64_t)word >> 63, .scale = (int16_t)(uint16_t)scale};
        return true;
    }
    coef = p[2] & 0x80 ? ~(vnumeric_u128)0 : 0;
    for (uint32_t i = 2; i < len; i++)
        coef = coef << 8 | p[i];
    if (vnumeric_abs((vnumeric_i128)coef) >= vnumeric_pow10(VNUMERIC_DIGITS))
        return false;
    *ret = vnumeric_make((vnumeric_i128)coef, (int)scale);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * num_power.c: whole powers of decimal numbers, digit by digit: limbs of nine digits, the lowest
 * ones dropped beyond 144 digits. With some ten products the 38 that are kept are right. */
#include "func/num.h"

#include <string.h>

#define POWER_LIMBS  16u
#define POWER_BASE   1000000000u
#define POWER_DIGITS 9u

/* limbs[0] is the lowest; times 10^(9 * dropped). */
struct power {
    uint32_t limbs[POWER_LIMBS];
    uint32_t count; /* 0: zero */
    int64_t dropped;
};

static struct power power_of(vnumeric_u128 v)
{
    struct power p = {.count = 0};

    for (; v; v /= POWER_BASE)
        p.limbs[p.count++] = (uint32_t)(v % POWER_BASE);
    return p;
}

static struct power power_mul(const struct power *a, const struct power *b)
{
    uint32_t all[2 * POWER_LIMBS] = {0};
    uint32_t n = a->count + b->count;
    struct power p = {.dropped = a->dropped + b->dropped};
    uint32_t drop;

    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t carry = 0;

        for (uint32_t k = 0; k < b->count; k++) {
            carry += all[i + k] + (uint64_t)a->limbs[i] * b->limbs[k];
            all[i + k] = (uint32_t)(carry % POWER_BASE);
            carry /= POWER_BASE;
        }
        all[i + b->count] = (uint32_t)carry;
    }
    while (n > 0 && all[n - 1] == 0)
        n--;
    drop = n > POWER_LIMBS ? n - POWER_LIMBS : 0;
    p.count = n - drop;
    p.dropped += drop;
    memcpy(p.limbs, all + drop, p.count * sizeof *all);
    return p;
}

/* Its digits, the first one not 0; returns how many. */
static int64_t power_digits(const struct power *p, uint8_t *to)
{
    int64_t n = 0;

    for (uint32_t i = p->count; i > 0; i--) {
        uint32_t unit = POWER_BASE / 10;

        for (uint32_t k = 0; k < POWER_DIGITS; k++, unit /= 10) {
            uint8_t digit = (uint8_t)(p->limbs[i - 1] / unit % 10);

            if (n > 0 || digit)
                to[n++] = digit;
        }
    }
    return n;
}

int num_power(struct vnumeric base, uint32_t k, int scale, struct vnumeric *ret, struct dn_err *err)
{
    vnumeric_i128 coef = vnumeric_coef(base);
    struct power x = power_of(vnumeric_abs(coef));
    struct power r = power_of(1);
    uint8_t digits[POWER_LIMBS * POWER_DIGITS];
    vnumeric_u128 v = 0;
    int64_t n, whole, keep;

    DN_ASSERT(!base.special);
    for (uint32_t left = k; left > 0; left >>= 1) {
        if (left & 1)
            r = power_mul(&r, &x);
        if (left > 1)
            x = power_mul(&x, &x);
    }
    n = power_digits(&r, digits);
    whole = n + r.dropped * (int64_t)POWER_DIGITS - (int64_t)base.scale * k; /* before the point */
    if (n > 0 && whole > (int64_t)VNUMERIC_DIGITS)
        return num_fail_range(err);
    if (n > 0 && whole + scale > (int64_t)VNUMERIC_DIGITS)
        scale = (int)((int64_t)VNUMERIC_DIGITS - whole);
    keep = n > 0 ? whole + scale : 0;
    for (int64_t i = 0; i < keep; i++)
        v = v * 10 + (i < n ? digits[i] : 0u);
    if (keep >= 0 && keep < n && digits[keep] >= 5)
        v++;
    if (v >= vnumeric_pow10(VNUMERIC_DIGITS)) { /* all nines, rounded up */
        if (scale == 0)
            return num_fail_range(err);
        v /= 10;
        scale--;
    }
    *ret = vnumeric_make(coef < 0 && k % 2 ? -(vnumeric_i128)v : (vnumeric_i128)v, scale);
    return 0;
}

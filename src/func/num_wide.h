/* SPDX-License-Identifier: Apache-2.0
 *
 * num_wide.h: inside of num.h's files: numbers of 256 bits, as far as products and quotients of
 * decimal numbers need them. Any thread. */
#pragma once

#include "vec/numeric.h"

struct num_wide {
    vnumeric_u128 hi;
    vnumeric_u128 lo;
};

static inline int num_wide_cmp(struct num_wide a, struct num_wide b)
{
    if (a.hi != b.hi)
        return a.hi < b.hi ? -1 : 1;
    return (a.lo > b.lo) - (a.lo < b.lo);
}

static inline struct num_wide num_wide_mul(vnumeric_u128 a, vnumeric_u128 b)
{
    uint64_t a0 = (uint64_t)a;
    uint64_t a1 = (uint64_t)(a >> 64);
    uint64_t b0 = (uint64_t)b;
    uint64_t b1 = (uint64_t)(b >> 64);
    vnumeric_u128 low = (vnumeric_u128)a0 * b0;
    vnumeric_u128 mid1 = (vnumeric_u128)a1 * b0 + (uint64_t)(low >> 64);
    vnumeric_u128 mid2 = (vnumeric_u128)a0 * b1 + (uint64_t)mid1;

    return (struct num_wide){.hi = (vnumeric_u128)a1 * b1 + (uint64_t)(mid1 >> 64) +
                                   (uint64_t)(mid2 >> 64),
                             .lo = mid2 << 64 | (uint64_t)low};
}

/* a / d, bit by bit unless 128 bits do. False: the quotient has more than 128 bits. */
static inline bool num_wide_div(struct num_wide a,
                                vnumeric_u128 d,
                                vnumeric_u128 *ret_quotient,
                                vnumeric_u128 *ret_rest)
{
    vnumeric_u128 rest = a.hi;
    vnumeric_u128 quotient = 0;

    if (a.hi == 0) {
        *ret_quotient = a.lo / d;
        *ret_rest = a.lo % d;
        return true;
    }
    if (a.hi >= d)
        return false;
    for (int bit = 127; bit >= 0; bit--) {
        bool carry = rest >> 127;

        rest = rest << 1 | (a.lo >> bit & 1);
        quotient <<= 1;
        if (carry || rest >= d) {
            rest -= d;
            quotient |= 1;
        }
    }
    *ret_quotient = quotient;
    *ret_rest = rest;
    return true;
}

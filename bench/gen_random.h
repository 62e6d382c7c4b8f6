/* SPDX-License-Identifier: Apache-2.0
 *
 * gen_random.h: the randomness of the generators: xoshiro256**, the same numbers for the same seed.
 */
#ifndef BENCH_GEN_RANDOM_H
#define BENCH_GEN_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t s[4];
};

static inline uint64_t random_rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t random_draw(struct random *r)
{
    uint64_t v = random_rotate(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;

    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = random_rotate(r->s[3], 45);
    return v;
}

/* splitmix64: one number from another; seeds, and hashes of row numbers. */
static inline uint64_t random_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline struct random random_from(uint64_t seed)
{
    struct random r;

    for (int i = 0; i < 4; i++)
        r.s[i] = seed = random_mix(seed);
    return r;
}

/* 0 … 1, without 1. */
static inline double random_unit(struct random *r)
{
    return (double)(random_draw(r) >> 11) * (1.0 / 9007199254740992.0);
}

/* low … high, both included. */
static inline long random_between(struct random *r, long low, long high)
{
    return low + (long)(random_draw(r) % (uint64_t)(high - low + 1));
}

/* 0 … count - 1; with a skew above 0 small numbers come oftener: 1 is mild, 4 is strong. */
static inline long random_skewed(struct random *r, long count, double skew)
{
    double u = random_unit(r), v = u;

    for (double left = skew; left > 0; left -= 1)
        v *= left >= 1 ? u : 1 - left * (1 - u);
    return (long)(v * (double)count);
}

#endif

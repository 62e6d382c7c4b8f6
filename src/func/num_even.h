/* SPDX-License-Identifier: Apache-2.0
 *
 * num_even.h: loops over vectors of decimal numbers that are alike: all of one scale, none special,
 * coefficients of 64 bits. NUMERIC(p, s) sees to the first, and most numbers are short. The loops
 * work on coefficients without a branch, collect in one word what is not so, and are believed only
 * if that is 0; else the caller does it number by number. Rows whose bit is set in `skip` (NULL:
 * none) may hold anything, and their results mean nothing. Any thread. */
#pragma once

#include "func/num.h"
#include "vec/vec.h"

#include <string.h>

/* Scale and what makes it special, as one word; equal for numbers that are alike. */
static inline uint64_t num_even_look(const struct vnumeric *v)
{
    uint64_t look;

    _Static_assert(sizeof *v - offsetof(struct vnumeric, scale) == sizeof look, "the rest of it");
    memcpy(&look, &v->scale, sizeof look);
    return look;
}

/* 0: v has that look and 64 bits. */
static inline uint64_t num_even_odd(const struct vnumeric *v, uint64_t look)
{
    return (num_even_look(v) ^ look) | (uint64_t)(v->hi ^ (int64_t)v->lo >> 63);
}

/* A row that counts, where all others are compared with it. */
static inline uint32_t num_even_first(const uint64_t *skip, uint32_t count)
{
    uint32_t i = 0;

    while (i + 1 < count && vec_bit(skip, i))
        i++;
    return i;
}

/* A short number's coefficient at a scale that is not less than it needs. False: there is none. */
static inline bool num_even_at_scale(const struct vnumeric *v, int scale, int64_t *ret)
{
    struct vnumeric short_one = v->scale > scale ? vnumeric_trim(*v) : *v;
    int up = scale - short_one.scale;

    return vnumeric_short(short_one) && up >= 0 && up < VNUMERIC_TENS - 1 &&
           !__builtin_mul_overflow((int64_t)short_one.lo, (int64_t)vnumeric_tens[up], ret);
}

enum num_even_op { NUM_EVEN_ADD, NUM_EVEN_SUB, NUM_EVEN_MUL };

/* One operand of a loop. */
struct num_even {
    const struct vnumeric *v;
    bool one;      /* v[0] for all rows, as `coef` */
    int64_t coef;  /* of that */
    uint64_t look; /* of the others */
};

/* Two of them, and where the results go. */
struct num_even_pair {
    struct num_even a;
    struct num_even b;
    int scale;            /* of the results */
    const uint64_t *skip; /* see above */
    uint32_t count;
    struct vnumeric *to;
};

static inline __attribute__((always_inline)) uint64_t
num_even_loop(enum num_even_op op, const struct num_even_pair *p, bool a_one, bool b_one)
{
    const struct vnumeric *restrict av = p->a.v;
    const struct vnumeric *restrict bv = p->b.v;
    struct vnumeric *restrict to = p->to;
    const uint64_t *skip = p->skip;
    uint64_t look_a = p->a.look;
    uint64_t look_b = p->b.look;
    int64_t one_a = p->a.coef;
    int64_t one_b = p->b.coef;
    uint32_t count = p->count;
    int scale = p->scale;
    uint64_t bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t x = a_one ? one_a : (int64_t)av[i].lo;
        int64_t y = b_one ? one_b : (int64_t)bv[i].lo;
        uint64_t odd =
            (a_one ? 0 : num_even_odd(&av[i], look_a)) | (b_one ? 0 : num_even_odd(&bv[i], look_b));
        vnumeric_i128 r = op == NUM_EVEN_MUL   ? (vnumeric_i128)x * y
                          : op == NUM_EVEN_ADD ? (vnumeric_i128)x + y
                                               : (vnumeric_i128)x - y;

        bad |= skip && vec_bit(skip, i) ? 0 : odd;
        num_put(r, scale, &to[i]);
    }
    return bad;
}

/* Sum, difference or product of two vectors, of which at most one is CONST and none is DICT. False:
 * not to be had this way; what is in `to` means nothing. */
static inline __attribute__((always_inline)) bool num_even_pairs(enum num_even_op op,
                                                                 const struct vec *args,
                                                                 const uint64_t *skip,
                                                                 uint32_t count,
                                                                 struct vnumeric *to)
{
    struct num_even_pair p = {.a = {.v = args[0].data, .one = args[0].form == VEC_CONST},
                              .b = {.v = args[1].data, .one = args[1].form == VEC_CONST},
                              .skip = skip,
                              .count = count,
                              .to = to};
    uint32_t first = num_even_first(skip, count);
    const struct vnumeric *x = &p.a.v[p.a.one ? 0 : first];
    const struct vnumeric *y = &p.b.v[p.b.one ? 0 : first];

    DN_ASSERT(count > 0);
    if (!num_both_short(x, y))
        return false;
    p.a.look = num_even_look(x);
    p.b.look = num_even_look(y);
    p.a.coef = (int64_t)x->lo;
    p.b.coef = (int64_t)y->lo;
    p.scale = x->scale > y->scale ? x->scale : y->scale;
    if (op == NUM_EVEN_MUL) {
        p.scale = x->scale + y->scale;
        if (p.scale > VNUMERIC_SCALE_MAX)
            return false;
    } else if (x->scale != y->scale) {
        /* The constant takes the column's scale; columns of two scales are left to others. */
        if ((!p.a.one && x->scale != p.scale) || (!p.b.one && y->scale != p.scale) ||
            !num_even_at_scale(x, p.scale, &p.a.coef) || !num_even_at_scale(y, p.scale, &p.b.coef))
            return false;
    }
    if (p.a.one)
        return num_even_loop(op, &p, true, false) == 0;
    if (p.b.one)
        return num_even_loop(op, &p, false, true) == 0;
    return num_even_loop(op, &p, false, false) == 0;
}

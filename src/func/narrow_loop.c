/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow_loop.c: see narrow_int.h. */
#include "func/func_int.h"
#include "func/narrow_int.h"

#include <string.h>

#define NARROW_EACH static inline __attribute__((always_inline)) void

NARROW_EACH
narrow_each_start(const int16_t *restrict v, int16_t factor, int16_t *restrict to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (int16_t)(factor * v[i]);
}

NARROW_EACH
narrow_each_add(const int16_t *restrict v, int16_t factor, int16_t *restrict to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (int16_t)(to[i] + (int16_t)(factor * v[i]));
}

NARROW_EACH narrow_each_minus(const int16_t *restrict a,
                              const int16_t *restrict b,
                              int16_t *restrict to,
                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (int16_t)(a[i] - b[i]);
}

NARROW_EACH narrow_each_plus(const int16_t *restrict a,
                             const int16_t *restrict b,
                             int16_t *restrict to,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (int16_t)(a[i] + b[i]);
}

NARROW_EACH narrow_each_compare(const int16_t *restrict v,
                                enum narrow_op op,
                                int16_t limit,
                                int8_t *restrict to,
                                uint32_t count)
{
    switch (op) {
    case NARROW_EQ:
        for (uint32_t i = 0; i < count; i++)
            to[i] = v[i] == limit;
        break;
    case NARROW_NE:
        for (uint32_t i = 0; i < count; i++)
            to[i] = v[i] != limit;
        break;
    case NARROW_LT:
        for (uint32_t i = 0; i < count; i++)
            to[i] = v[i] < limit;
        break;
    case NARROW_LE:
        for (uint32_t i = 0; i < count; i++)
            to[i] = v[i] <= limit;
        break;
    case NARROW_GT:
        for (uint32_t i = 0; i < count; i++)
            to[i] = v[i] > limit;
        break;
    case NARROW_GE:
        for (uint32_t i = 0; i < count; i++)
            to[i] = v[i] >= limit;
        break;
    }
}

NARROW_EACH narrow_each_and(int8_t *restrict to, const int8_t *restrict from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] &= from[i];
}

NARROW_EACH narrow_each_or(int8_t *restrict to, const int8_t *restrict from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] |= from[i];
}

/* Each loop for any machine, and once more for AVX2. */
#ifdef FUNC_AVX2
#define NARROW_BOTH(name, params, ...)              \
    FUNC_AVX2 static void narrow_avx2_##name params \
    {                                               \
        narrow_each_##name(__VA_ARGS__);            \
    }                                               \
    void narrow_loop_##name params                  \
    {                                               \
        if (func_has_avx2())                        \
            narrow_avx2_##name(__VA_ARGS__);        \
        else                                        \
            narrow_each_##name(__VA_ARGS__);        \
    }
#else
#define NARROW_BOTH(name, params, ...)   \
    void narrow_loop_##name params       \
    {                                    \
        narrow_each_##name(__VA_ARGS__); \
    }
#endif

#define NARROW_OF_ONE   (const int16_t *v, int16_t factor, int16_t *to, uint32_t count)
#define NARROW_OF_TWO   (const int16_t *a, const int16_t *b, int16_t *to, uint32_t count)
#define NARROW_OF_BYTES (int8_t * to, const int8_t *from, uint32_t count)
#define NARROW_OF_OP \
    (const int16_t *v, enum narrow_op op, int16_t limit, int8_t *to, uint32_t count)

NARROW_BOTH(start, NARROW_OF_ONE, v, factor, to, count)
NARROW_BOTH(add, NARROW_OF_ONE, v, factor, to, count)
NARROW_BOTH(minus, NARROW_OF_TWO, a, b, to, count)
NARROW_BOTH(plus, NARROW_OF_TWO, a, b, to, count)
NARROW_BOTH(compare, NARROW_OF_OP, v, op, limit, to, count)
NARROW_BOTH(and, NARROW_OF_BYTES, to, from, count)
NARROW_BOTH(or, NARROW_OF_BYTES, to, from, count)

/* Eight at a time: a bit becomes a byte that is 0 or 1. */
void narrow_loop_nulls(const uint64_t *nulls, int8_t *to, uint32_t count)
{
    uint32_t i = 0;

    for (; i + 8 <= count; i += 8) {
        uint64_t bits = nulls[i >> 6] >> (i & 63) & 0xff;
        uint64_t bytes;

        if (bits == 0)
            continue;
        bits = (bits * 0x0101010101010101u & 0x8040201008040201u) + 0x7f7f7f7f7f7f7f7fu;
        memcpy(&bytes, to + i, sizeof bytes);
        bytes &= ~(bits >> 7 & 0x0101010101010101u);
        memcpy(to + i, &bytes, sizeof bytes);
    }
    for (; i < count; i++)
        to[i] &= (int8_t)!vec_bit(nulls, i);
}

bool narrow_keep(int8_t *to, const int8_t *from, uint32_t count)
{
    narrow_loop_and(to, from, count);
    return memchr(to, 1, count) != NULL;
}

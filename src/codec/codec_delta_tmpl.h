/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_delta_tmpl.h: running sums of one type over lanes of any. Expanded in codec_delta.c.
 *
 * In:  CODEC_T    the unsigned type of a value
 *      CODEC_SUM  the function: to[i] = first + i * step + sum of lanes[1..i], modulo 2^bits
 *      CODEC_STEPS  a name for its helper for a constant step
 * All are undefined at the bottom. No #pragma once: it is included once per type. */

/* Without bits. Each value after the first CODEC_SIDES depends on the one that many rows back, so
 * that compilers make vector additions of it (a product per row would be slower). */
static void CODEC_STEPS(CODEC_T first, CODEC_T step, uint32_t count, CODEC_T *to)
{
    CODEC_T stride = (CODEC_T)(CODEC_SIDES * step);

    for (uint32_t i = 0; i < count && i < CODEC_SIDES; i++) {
        to[i] = first;
        first = (CODEC_T)(first + step);
    }
    for (uint32_t i = CODEC_SIDES; i < count; i++)
        to[i] = (CODEC_T)(to[i - CODEC_SIDES] + stride);
}

/* Value 0 is `first` whatever lane 0 says (writers put 0 there). Four differences are added up
 * apart from the running sum, so that only one addition of four waits for the last. */
#define CODEC_SUM_LOOP(LANES)                                         \
    for (; i + 4 <= count; i += 4) {                                  \
        CODEC_T a = (CODEC_T)((CODEC_T)(LANES)[i] + step);            \
        CODEC_T b = (CODEC_T)((CODEC_T)(LANES)[i + 1] + step);        \
        CODEC_T c = (CODEC_T)((CODEC_T)(LANES)[i + 2] + step);        \
        CODEC_T d = (CODEC_T)((CODEC_T)(LANES)[i + 3] + step);        \
        CODEC_T ab = (CODEC_T)(a + b);                                \
        CODEC_T cd = (CODEC_T)(c + d);                                \
        to[i] = (CODEC_T)(acc + a);                                   \
        to[i + 1] = (CODEC_T)(acc + ab);                              \
        to[i + 2] = (CODEC_T)(acc + (CODEC_T)(ab + c));               \
        acc = (CODEC_T)(acc + (CODEC_T)(ab + cd));                    \
        to[i + 3] = acc;                                              \
    }                                                                 \
    for (; i < count; i++) {                                          \
        acc = (CODEC_T)(acc + (CODEC_T)((CODEC_T)(LANES)[i] + step)); \
        to[i] = acc;                                                  \
    }

static void CODEC_SUM(const union bitpack_lanes *lanes,
                      unsigned width,
                      CODEC_T first,
                      CODEC_T step,
                      uint32_t count,
                      CODEC_T *restrict to)
{
    CODEC_T acc = first;
    uint32_t i = 1;

    to[0] = first;
    if (width == 0) {
        CODEC_STEPS(first, step, count, to);
        return;
    }
    switch (bitpack_lane_size(width)) {
    case 1:
        CODEC_SUM_LOOP(lanes->u8)
        break;
    case 2:
        CODEC_SUM_LOOP(lanes->u16)
        break;
    case 4:
        CODEC_SUM_LOOP(lanes->u32)
        break;
    default:
        CODEC_SUM_LOOP(lanes->u64)
        break;
    }
}

#undef CODEC_SUM_LOOP
#undef CODEC_T
#undef CODEC_SUM
#undef CODEC_STEPS

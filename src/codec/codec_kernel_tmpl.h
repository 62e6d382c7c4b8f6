/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kernel_tmpl.h: the kernels of codec_kernel.h for one kind of processor. Expanded in
 * codec_kernel.c.
 *
 * In:  KERNEL_ATTR   attribute of each function
 *      KERNEL(name)  its name; KERNEL(table) becomes the struct codec_kernels
 *      KERNEL_FMA    1 if a fused multiply-add is one instruction
 * All are undefined at the bottom. No #pragma once: it is included once per kind.
 *
 * Division. scale() promises n / 10^e rounded to nearest, |n| <= 2^51, e <= 18. A processor with
 * fused multiply-add does it in two products, fma(n, high, n * low), high + low being 10^-e to
 * 2^-106. Its result differs from the quotient by 2^-105 of it at most, before the last rounding,
 * and that rounding can go wrong only if the quotient lies so near to the middle of two doubles.
 * It does not: such a middle is m * 2^k with m odd of 54 bits, and |n / 10^e - m * 2^k| is a
 * multiple of 2^k / 5^e where k + e < 0 (and of 10^-e otherwise), not zero since m * 5^e is odd,
 * hence 2^-54 * 5^-e > 2^-96 of the quotient or more. */

KERNEL_ATTR static void KERNEL(unpack)(const uint8_t *p, unsigned width, union bitpack_lanes *lanes)
{
    unsigned lane_bits = bitpack_lane_size(width) * 8;
    uint64_t whole = codec_repeat(codec_mask(width), lane_bits);
    const codec_quad *words = (const codec_quad *)(const void *)p;
    codec_quad *restrict to = (codec_quad *)(void *)lanes;

    for (unsigned row = 0; row < lane_bits; row++, to += CODEC_ROW_QUADS) {
        unsigned bit = row * width;
        uint64_t shift = bit % lane_bits;
        const codec_quad *from = words + (size_t)(bit / lane_bits) * CODEC_ROW_QUADS;

        if (shift + width <= lane_bits) {
            for (unsigned i = 0; i < CODEC_ROW_QUADS; i++)
                to[i] = from[i] >> shift & whole;
        } else {
            uint64_t low_bits = lane_bits - shift;
            uint64_t low = codec_repeat(codec_mask((unsigned)low_bits), lane_bits);
            uint64_t high = whole & ~low;

            for (unsigned i = 0; i < CODEC_ROW_QUADS; i++)
                to[i] = (from[i] >> shift & low) | (from[CODEC_ROW_QUADS + i] << low_bits & high);
        }
    }
}

#define KERNEL_T     uint8_t
#define KERNEL_WIDEN KERNEL(widen_u8)
#define KERNEL_SUMS  KERNEL(sums_u8)
#define KERNEL_STEPS KERNEL(steps_u8)
#define KERNEL_SUMS8 KERNEL(sums8_u8)
#define KERNEL_SUMS4 KERNEL(sums4_u8)
#include "codec/codec_kernel_type_tmpl.h"
#define KERNEL_T     uint16_t
#define KERNEL_WIDEN KERNEL(widen_u16)
#define KERNEL_SUMS  KERNEL(sums_u16)
#define KERNEL_STEPS KERNEL(steps_u16)
#define KERNEL_SUMS8 KERNEL(sums8_u16)
#define KERNEL_SUMS4 KERNEL(sums4_u16)
#define KERNEL_SHORT
#include "codec/codec_kernel_type_tmpl.h"
#define KERNEL_T     uint32_t
#define KERNEL_WIDEN KERNEL(widen_u32)
#define KERNEL_SUMS  KERNEL(sums_u32)
#define KERNEL_STEPS KERNEL(steps_u32)
#define KERNEL_SUMS8 KERNEL(sums8_u32)
#define KERNEL_SUMS4 KERNEL(sums4_u32)
#include "codec/codec_kernel_type_tmpl.h"
#define KERNEL_T     uint64_t
#define KERNEL_WIDEN KERNEL(widen_u64)
#define KERNEL_SUMS  KERNEL(sums_u64)
#define KERNEL_STEPS KERNEL(steps_u64)
#define KERNEL_SUMS8 KERNEL(sums8_u64)
#define KERNEL_SUMS4 KERNEL(sums4_u64)
#include "codec/codec_kernel_type_tmpl.h"

KERNEL_ATTR static void
KERNEL(widen)(const struct codec_codes *codes, uint64_t base, uint32_t size, void *to)
{
    switch (size) {
    case 1:
        KERNEL(widen_u8)(codes, (uint8_t)base, to);
        break;
    case 2:
        KERNEL(widen_u16)(codes, (uint16_t)base, to);
        break;
    case 4:
        KERNEL(widen_u32)(codes, (uint32_t)base, to);
        break;
    default:
        KERNEL(widen_u64)(codes, base, to);
        break;
    }
}

KERNEL_ATTR static void KERNEL(sums)(
    const struct codec_codes *codes, uint64_t first, uint64_t step, uint32_t size, void *to)
{
    switch (size) {
    case 1:
        KERNEL(sums_u8)(codes, (uint8_t)first, (uint8_t)step, to);
        break;
    case 2:
        KERNEL(sums_u16)(codes, (uint16_t)first, (uint16_t)step, to);
        break;
    case 4:
        KERNEL(sums_u32)(codes, (uint32_t)first, (uint32_t)step, to);
        break;
    default:
        KERNEL(sums_u64)(codes, first, step, to);
        break;
    }
}

#include "codec/codec_kernel_kin_tmpl.h"

/* An integer; exponent > 0. */
KERNEL_ATTR static inline double KERNEL(scale_value)(double n, double high, double low)
{
#if KERNEL_FMA
    return __builtin_fma(n, high, n * low);
#else
    (void)low;
    return n / high; /* here the power itself */
#endif
}

/* One integer plus CODEC_MAGIC_BITS. */
KERNEL_ATTR static inline double KERNEL(scale_one)(uint64_t bits, double high, double low)
{
    double n;

    memcpy(&n, &bits, sizeof n);
    return KERNEL(scale_value)(n - CODEC_MAGIC, high, low);
}

#if KERNEL_FMA
#define KERNEL_HIGH(exponent) codec_tens[exponent].high
#else
#define KERNEL_HIGH(exponent) codec_tens[exponent].power
#endif

#define KERNEL_SCALE_LOOP(BITS)                           \
    if (exponent == 0) {                                  \
        for (uint32_t i = 0; i < count; i++) {            \
            uint64_t bits = (BITS);                       \
            double n;                                     \
            memcpy(&n, &bits, sizeof n);                  \
            to[i] = n - CODEC_MAGIC;                      \
        }                                                 \
    } else {                                              \
        for (uint32_t i = 0; i < count; i++)              \
            to[i] = KERNEL(scale_one)((BITS), high, low); \
    }

KERNEL_ATTR static void KERNEL(scale)(uint64_t *ints, uint32_t count, unsigned exponent)
{
    double high = KERNEL_HIGH(exponent);
    double low = codec_tens[exponent].low;
    double *to = (double *)(void *)ints;

    KERNEL_SCALE_LOOP(ints[i] + CODEC_MAGIC_BITS)
}

/* Sums of 32 bits stand twice as many in a register, and become doubles by one instruction. */
KERNEL_ATTR static void KERNEL(sums_scale)(const struct codec_codes *codes,
                                           int32_t first,
                                           int32_t step,
                                           unsigned exponent,
                                           double *restrict to)
{
    double high = KERNEL_HIGH(exponent);
    double low = codec_tens[exponent].low;
    uint32_t count = codes->count;
    uint32_t sums[VEC_ROWS_MAX];

    KERNEL(sums_u32)(codes, (uint32_t)first, (uint32_t)step, sums);
    if (exponent == 0) {
        for (uint32_t i = 0; i < count; i++)
            to[i] = (double)(int32_t)sums[i];
    } else {
        for (uint32_t i = 0; i < count; i++)
            to[i] = KERNEL(scale_value)((double)(int32_t)sums[i], high, low);
    }
}

KERNEL_ATTR static void KERNEL(widen_scale)(const struct codec_codes *codes,
                                            uint64_t base,
                                            unsigned exponent,
                                            double *restrict to)
{
    const union bitpack_lanes *lanes = codes->lanes;
    uint32_t count = codes->count;
    double high = KERNEL_HIGH(exponent);
    double low = codec_tens[exponent].low;

    base += CODEC_MAGIC_BITS;
    switch (bitpack_lane_size(codes->width)) {
    case 1:
        KERNEL_SCALE_LOOP(lanes->u8[i] + base)
        break;
    case 2:
        KERNEL_SCALE_LOOP(lanes->u16[i] + base)
        break;
    case 4:
        KERNEL_SCALE_LOOP(lanes->u32[i] + base)
        break;
    default:
        KERNEL_SCALE_LOOP(lanes->u64[i] + base)
        break;
    }
}

#include "codec/codec_kernel_fold_tmpl.h"

static const struct codec_kernels KERNEL(table) = {
    .unpack = KERNEL(unpack),
    .widen = KERNEL(widen),
    .sums = KERNEL(sums),
    .stretches = KERNEL(stretches),
    .steps = KERNEL(steps),
    .scale = KERNEL(scale),
    .sums_scale = KERNEL(sums_scale),
    .widen_scale = KERNEL(widen_scale),
    .total = KERNEL(total),
    .weigh = KERNEL(weigh),
    .bounds = KERNEL(bounds),
    .bounds64 = KERNEL(bounds64),
};

#undef KERNEL_HIGH
#undef KERNEL_SCALE_LOOP
#undef KERNEL_ATTR
#undef KERNEL
#undef KERNEL_FMA

/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kernel_type_tmpl.h: the kernels that write values of one integer type. Expanded in
 * codec_kernel_tmpl.h.
 *
 * In:  KERNEL_T      the unsigned type of a value
 *      KERNEL_WIDEN  to[i] = base + code i
 *      KERNEL_SUMS   running sums over codes of any width, which takes one of
 *      KERNEL_STEPS    no bits at all: a constant step
 *      KERNEL_SUMS8    narrow codes, eight at a time
 *      KERNEL_SUMS4    codes of 16 bits, four at a time
 *      KERNEL_SHORT  defined: values are so short that eight are one register
 *      KERNEL_ATTR   attribute of each function
 * All but the last are undefined at the bottom. No #pragma once: it is included once per type. */

#define KERNEL_WIDEN_LOOP(LANES)         \
    for (uint32_t i = 0; i < count; i++) \
        to[i] = (KERNEL_T)(base + (KERNEL_T)(LANES)[i]);

KERNEL_ATTR static void
KERNEL_WIDEN(const struct codec_codes *codes, KERNEL_T base, KERNEL_T *restrict to)
{
    const union bitpack_lanes *lanes = codes->lanes;
    uint32_t count = codes->count;

    switch (bitpack_lane_size(codes->width)) {
    case 1:
        KERNEL_WIDEN_LOOP(lanes->u8)
        break;
    case 2:
        KERNEL_WIDEN_LOOP(lanes->u16)
        break;
    case 4:
        KERNEL_WIDEN_LOOP(lanes->u32)
        break;
    default:
        KERNEL_WIDEN_LOOP(lanes->u64)
        break;
    }
}

/* Each value after the first CODEC_SIDES depends on the one that many rows back, so that compilers
 * make vector additions of it (a product per row would be slower). */
KERNEL_ATTR static void KERNEL_STEPS(KERNEL_T first, KERNEL_T step, uint32_t count, KERNEL_T *to)
{
    KERNEL_T stride = (KERNEL_T)(CODEC_SIDES * step);

    for (uint32_t i = 0; i < count && i < CODEC_SIDES; i++) {
        to[i] = first;
        first = (KERNEL_T)(first + step);
    }
    for (uint32_t i = CODEC_SIDES; i < count; i++)
        to[i] = (KERNEL_T)(to[i - CODEC_SIDES] + stride);
}

#ifdef KERNEL_SHORT

/* As below, where as many values as codes of a word stand in one register: no second pass. */
KERNEL_ATTR static void
KERNEL_SUMS8(uint8_t *lanes, uint32_t blocks, KERNEL_T first, KERNEL_T step, KERNEL_T *restrict to)
{
    typedef uint8_t sums __attribute__((vector_size(8)));
    typedef KERNEL_T values __attribute__((vector_size(8 * sizeof(KERNEL_T)), aligned(1)));
    values ramp;
    KERNEL_T acc = first;

    for (unsigned k = 0; k < 8; k++)
        ramp[k] = (KERNEL_T)(k * step);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t word;
        sums eight;

        memcpy(&word, lanes + b * 8, 8);
        word *= 0x0101010101010101u;
        memcpy(&eight, &word, 8);
        *(values *)(void *)(to + b * 8) = __builtin_convertvector(eight, values) + (ramp + acc);
        acc = (KERNEL_T)(acc + (KERNEL_T)(word >> 56) + (KERNEL_T)(8 * step));
    }
}

KERNEL_ATTR static void
KERNEL_SUMS4(uint16_t *lanes, uint32_t blocks, KERNEL_T first, KERNEL_T step, KERNEL_T *restrict to)
{
    typedef uint16_t sums __attribute__((vector_size(8)));
    typedef KERNEL_T values __attribute__((vector_size(4 * sizeof(KERNEL_T)), aligned(1)));
    values ramp;
    KERNEL_T acc = first;

    for (unsigned k = 0; k < 4; k++)
        ramp[k] = (KERNEL_T)(k * step);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t word;
        sums four;

        memcpy(&word, lanes + b * 4, 8);
        word *= 0x0001000100010001u;
        memcpy(&four, &word, 8);
        *(values *)(void *)(to + b * 4) = __builtin_convertvector(four, values) + (ramp + acc);
        acc = (KERNEL_T)(acc + (KERNEL_T)(word >> 48) + (KERNEL_T)(4 * step));
    }
}

#else

/* Whole blocks of eight codes whose sum fits eight bits (width <= 5). A word of eight lanes times
 * 0x01..01 has all eight running sums of them, so only one addition a block waits for the last.
 * What compilers make of it is best if steps and codes are added in two passes. */
KERNEL_ATTR static void
KERNEL_SUMS8(uint8_t *lanes, uint32_t blocks, KERNEL_T first, KERNEL_T step, KERNEL_T *restrict to)
{
    typedef KERNEL_T values __attribute__((vector_size(4 * sizeof(KERNEL_T)), aligned(1)));
    values ramp[2];
    KERNEL_T acc = first;

    for (unsigned k = 0; k < 8; k++)
        ramp[k / 4][k % 4] = (KERNEL_T)(k * step);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t word;

        memcpy(&word, lanes + b * 8, 8);
        word *= 0x0101010101010101u;
        memcpy(lanes + b * 8, &word, 8);
        *(values *)(void *)(to + b * 8) = ramp[0] + acc;
        *(values *)(void *)(to + b * 8 + 4) = ramp[1] + acc;
        acc = (KERNEL_T)(acc + (KERNEL_T)(word >> 56) + (KERNEL_T)(8 * step));
    }
    for (uint32_t i = 0; i < blocks * 8; i++)
        to[i] = (KERNEL_T)(to[i] + (KERNEL_T)lanes[i]);
}

/* The same with four lanes of 16 bits (width <= 14). */
KERNEL_ATTR static void
KERNEL_SUMS4(uint16_t *lanes, uint32_t blocks, KERNEL_T first, KERNEL_T step, KERNEL_T *restrict to)
{
    typedef KERNEL_T values __attribute__((vector_size(4 * sizeof(KERNEL_T)), aligned(1)));
    values ramp[1];
    KERNEL_T acc = first;

    for (unsigned k = 0; k < 4; k++)
        ramp[k / 4][k % 4] = (KERNEL_T)(k * step);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t word;

        memcpy(&word, lanes + b * 4, 8);
        word *= 0x0001000100010001u;
        memcpy(lanes + b * 4, &word, 8);
        *(values *)(void *)(to + b * 4) = ramp[0] + acc;
        acc = (KERNEL_T)(acc + (KERNEL_T)(word >> 48) + (KERNEL_T)(4 * step));
    }
    for (uint32_t i = 0; i < blocks * 4; i++)
        to[i] = (KERNEL_T)(to[i] + (KERNEL_T)lanes[i]);
}

#endif

#define KERNEL_SUM_LOOP(LANES)                                           \
    for (; i < count; i++) {                                             \
        acc = (KERNEL_T)(acc + (KERNEL_T)((KERNEL_T)(LANES)[i] + step)); \
        to[i] = acc;                                                     \
    }

/* Value 0 is `first` whatever code 0 says (writers put 0 there). */
KERNEL_ATTR static void
KERNEL_SUMS(const struct codec_codes *codes, KERNEL_T first, KERNEL_T step, KERNEL_T *restrict to)
{
    union bitpack_lanes *lanes = codes->lanes;
    unsigned width = codes->width;
    uint32_t count = codes->count;
    uint32_t i = 1;
    KERNEL_T acc = first;

    to[0] = first;
    if (width == 0) {
        KERNEL_STEPS(first, step, count, to);
    } else if (width <= 5) {
        lanes->u8[0] = 0;
        KERNEL_SUMS8(lanes->u8, count / 8, first, step, to);
        i = count / 8 * 8 > 1 ? count / 8 * 8 : 1;
        acc = to[i - 1];
        KERNEL_SUM_LOOP(lanes->u8)
    } else if (width <= 8) {
        uint16_t wide[VEC_ROWS_MAX];

        for (uint32_t k = 0; k < count; k++)
            wide[k] = lanes->u8[k];
        wide[0] = 0;
        KERNEL_SUMS4(wide, count / 4, first, step, to);
        i = count / 4 * 4 > 1 ? count / 4 * 4 : 1;
        acc = to[i - 1];
        KERNEL_SUM_LOOP(wide)
    } else if (width <= 14) {
        lanes->u16[0] = 0;
        KERNEL_SUMS4(lanes->u16, count / 4, first, step, to);
        i = count / 4 * 4 > 1 ? count / 4 * 4 : 1;
        acc = to[i - 1];
        KERNEL_SUM_LOOP(lanes->u16)
    } else if (width <= 16) {
        KERNEL_SUM_LOOP(lanes->u16)
    } else if (width <= 32) {
        KERNEL_SUM_LOOP(lanes->u32)
    } else {
        KERNEL_SUM_LOOP(lanes->u64)
    }
}

#undef KERNEL_WIDEN_LOOP
#undef KERNEL_SUM_LOOP
#undef KERNEL_T
#undef KERNEL_WIDEN
#undef KERNEL_SUMS
#undef KERNEL_STEPS
#undef KERNEL_SUMS8
#undef KERNEL_SUMS4
#undef KERNEL_SHORT

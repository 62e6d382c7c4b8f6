/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kernel_fold_tmpl.h: the kernels that make one number of many: sums and bounds. Expanded in
 * codec_kernel_tmpl.h.
 *
 * In:  KERNEL_ATTR, KERNEL(name)  as there
 * No #pragma once: it is included once per kind of processor. */

/* Sums of narrow codes stay in 32 bits: 1024 * 2^16 do fit, and so do 1024 * 1024 * 2^8. */
KERNEL_ATTR static uint64_t KERNEL(total)(const struct codec_codes *codes, uint32_t lo, uint32_t hi)
{
    const union bitpack_lanes *lanes = codes->lanes;
    uint32_t narrow = 0;
    uint64_t sum = 0;

    switch (bitpack_lane_size(codes->width)) {
    case 1:
        for (uint32_t i = lo; i < hi; i++)
            narrow += lanes->u8[i];
        return narrow;
    case 2:
        for (uint32_t i = lo; i < hi; i++)
            narrow += lanes->u16[i];
        return narrow;
    case 4:
        for (uint32_t i = lo; i < hi; i++)
            sum += lanes->u32[i];
        return sum;
    default:
        for (uint32_t i = lo; i < hi; i++)
            sum += lanes->u64[i];
        return sum;
    }
}

/* Codes of a byte, in lines of CODEC_SUM_LANES. Each lane keeps the sum of its codes, and the sum
 * of these sums after each line: that one counts a code of line b once for each line from b on,
 * which is how it is to be weighed. Both fit into 16 bits for CODEC_SUM_LINES lines. */
KERNEL_ATTR static uint64_t
KERNEL(weigh_u8)(const uint8_t *codes, uint32_t count, uint64_t *ret_total)
{
    uint32_t lines = count / CODEC_SUM_LANES;
    uint64_t rest = count;
    uint64_t total = 0;
    uint64_t sum = 0;
    uint32_t narrow = 0;
    uint32_t tail = 0;

    for (uint32_t line = 0; line < lines;) {
        uint32_t end = line + CODEC_SUM_LINES < lines ? line + CODEC_SUM_LINES : lines;
        codec_sum_lanes sums[2] = {{0}};
        codec_sum_lanes twice[2] = {{0}};
        uint16_t once[CODEC_SUM_LANES];
        uint16_t more[CODEC_SUM_LANES];
        uint32_t plain = 0;
        uint32_t weighed = 0;

        rest -= (uint64_t)(end - line) * CODEC_SUM_LANES;
        for (; line < end; line++)
            for (unsigned half = 0; half < 2; half++) {
                codec_code_lanes c;

                memcpy(&c, codes + line * CODEC_SUM_LANES + half * 16, sizeof c);
                sums[half] += __builtin_convertvector(c, codec_sum_lanes);
                twice[half] += sums[half];
            }
        memcpy(once, sums, sizeof once);
        memcpy(more, twice, sizeof more);
        /* The code of lane i counts CODEC_SUM_LANES * (lines from its own on) + rest - i times. */
        for (uint32_t i = 0; i < CODEC_SUM_LANES; i++) {
            plain += once[i];
            weighed += CODEC_SUM_LANES * more[i] - i * once[i];
        }
        total += plain;
        sum += weighed + rest * plain;
    }
    for (uint32_t i = lines * CODEC_SUM_LANES; i < count; i++) {
        tail += codes[i];
        narrow += codes[i] * (count - i);
    }
    *ret_total = total + tail;
    return sum + narrow;
}

#define KERNEL_WEIGH(LANES)                     \
    for (uint32_t i = lo; i < hi; i++) {        \
        total += (LANES)[i];                    \
        sum += (uint64_t)(LANES)[i] * (hi - i); \
    }

KERNEL_ATTR static uint64_t
KERNEL(weigh)(const struct codec_codes *codes, uint32_t lo, uint32_t hi, uint64_t *ret_total)
{
    const union bitpack_lanes *lanes = codes->lanes;
    uint64_t total = 0;
    uint64_t sum = 0;

    switch (bitpack_lane_size(codes->width)) {
    case 1:
        return KERNEL(weigh_u8)(lanes->u8 + lo, hi - lo, ret_total);
    case 2:
        KERNEL_WEIGH(lanes->u16)
        break;
    case 4:
        KERNEL_WEIGH(lanes->u32)
        break;
    default:
        KERNEL_WEIGH(lanes->u64)
        break;
    }
    *ret_total = total;
    return sum;
}

#undef KERNEL_WEIGH
#define KERNEL_BOUNDS(TYPE, LANES)               \
    {                                            \
        TYPE min = (LANES)[lo];                  \
        TYPE max = (LANES)[lo];                  \
        for (uint32_t i = lo + 1; i < hi; i++) { \
            TYPE x = (LANES)[i];                 \
            min = x < min ? x : min;             \
            max = x > max ? x : max;             \
        }                                        \
        *ret_min = min;                          \
        *ret_max = max;                          \
    }

KERNEL_ATTR static void KERNEL(bounds)(
    const struct codec_codes *codes, uint32_t lo, uint32_t hi, uint64_t *ret_min, uint64_t *ret_max)
{
    const union bitpack_lanes *lanes = codes->lanes;

    switch (bitpack_lane_size(codes->width)) {
    case 1:
        KERNEL_BOUNDS(uint8_t, lanes->u8)
        break;
    case 2:
        KERNEL_BOUNDS(uint16_t, lanes->u16)
        break;
    case 4:
        KERNEL_BOUNDS(uint32_t, lanes->u32)
        break;
    default:
        KERNEL_BOUNDS(uint64_t, lanes->u64)
        break;
    }
}

/* Eight bounds at a time, so that a comparison need not wait for the last. */
KERNEL_ATTR static void
KERNEL(bounds64)(const int64_t *values, uint32_t count, int64_t *ret_min, int64_t *ret_max)
{
    int64_t min[8];
    int64_t max[8];
    uint32_t i = 0;

    for (unsigned k = 0; k < 8; k++) {
        min[k] = values[0];
        max[k] = values[0];
    }
    for (; i + 8 <= count; i += 8)
        for (unsigned k = 0; k < 8; k++) {
            int64_t x = values[i + k];
            min[k] = x < min[k] ? x : min[k];
            max[k] = x > max[k] ? x : max[k];
        }
    for (; i < count; i++) {
        min[0] = values[i] < min[0] ? values[i] : min[0];
        max[0] = values[i] > max[0] ? values[i] : max[0];
    }
    for (unsigned k = 1; k < 8; k++) {
        min[0] = min[k] < min[0] ? min[k] : min[0];
        max[0] = max[k] > max[0] ? max[k] : max[0];
    }
    *ret_min = min[0];
    *ret_max = max[0];
}

#undef KERNEL_BOUNDS

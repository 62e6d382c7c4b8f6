/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kernel_kin_tmpl.h: the kernels over stretches of kin (codec_kin.h). Expanded in
 * codec_kernel_tmpl.h, which says what KERNEL and KERNEL_ATTR are. No #pragma once: it is included
 * once per kind of processor. */

/* Rows behind the first of a stretch, four at a time: a word of four lanes times 0x..0001 has all
 * four running sums of them, so that only one addition waits for the last. More rows may be written
 * than the stretch has, but no more than `count`: the next one writes over them. */
#define KERNEL_STRETCH(LANE, WORD, ONES)                                          \
    for (uint32_t k = 0; k < n; k++) {                                            \
        uint32_t row = starts[k];                                                 \
        uint32_t end = k + 1 < n ? starts[k + 1] : count;                         \
        uint64_t v = own            ? seeds[k]                                    \
                     : kin->of[row] ? to[kin->of[row] - 1u] + least + (LANE)[row] \
                                    : seeds[kin->seed_of[k]];                     \
        to[row++] = v;                                                            \
        for (; row < end && row + 4 <= count; row += 4) {                         \
            KERNEL(four_##WORD) sums;                                             \
            codec_quad four = ramp + v;                                           \
            WORD word;                                                            \
            memcpy(&word, (LANE) + row, sizeof word);                             \
            word *= (ONES);                                                       \
            memcpy(&sums, &word, sizeof sums);                                    \
            four += __builtin_convertvector(sums, codec_quad_whole);              \
            memcpy(to + row, &four, sizeof four);                                 \
            v += (word >> (sizeof word / 4 * 24)) + stride;                       \
        }                                                                         \
        for (; row < end; row++)                                                  \
            to[row] = v += least + (LANE)[row];                                   \
    }

typedef uint8_t KERNEL(four_uint32_t) __attribute__((vector_size(4)));
typedef uint16_t KERNEL(four_uint64_t) __attribute__((vector_size(8)));

KERNEL_ATTR static void KERNEL(stretches)(const struct codec_codes *codes,
                                          const struct codec_stretches *s,
                                          uint64_t *restrict to)
{
    const codec_quad ramp = {s->least, 2 * s->least, 3 * s->least, 4 * s->least};
    const struct codec_kin *kin = s->kin;
    const union bitpack_lanes *lanes = codes->lanes;
    const uint64_t *restrict seeds = s->seeds;
    const uint16_t *restrict starts = kin->starts;
    uint64_t least = s->least;
    uint64_t stride = 4 * least;
    uint32_t n = kin->stretches;
    bool own = kin->seeds == n; /* each stretch begins with a seed */
    uint32_t count = codes->count;

    if (codes->width <= 6) { /* four of them are less than 256 */
        KERNEL_STRETCH(lanes->u8, uint32_t, 0x01010101u)
    } else if (codes->width <= 8) {
        uint16_t wide[VEC_ROWS_MAX];

        for (uint32_t i = 0; i < count; i++)
            wide[i] = lanes->u8[i];
        KERNEL_STRETCH(wide, uint64_t, 0x0001000100010001u)
    } else {
        KERNEL_STRETCH(lanes->u16, uint64_t, 0x0001000100010001u)
    }
}

#undef KERNEL_STRETCH

KERNEL_ATTR static void KERNEL(steps)(const struct codec_stretches *s, uint64_t *restrict to)
{
    const codec_quad low = {0, s->least, 2 * s->least, 3 * s->least};
    const codec_quad high = low + 4 * s->least;
    const struct codec_kin *kin = s->kin;
    const uint64_t *restrict seeds = s->seeds;
    const uint16_t *restrict starts = kin->starts;
    uint64_t least = s->least;
    uint64_t stride = 8 * least;
    uint32_t n = kin->stretches;
    bool own = kin->seeds == n;
    uint32_t count = kin->count;

    for (uint32_t k = 0; k < n; k++) {
        uint32_t row = starts[k];
        uint32_t end = k + 1 < n ? starts[k + 1] : count;
        uint64_t v = own            ? seeds[k]
                     : kin->of[row] ? to[kin->of[row] - 1u] + least
                                    : seeds[kin->seed_of[k]];

        for (; row < end && row + 8 <= count; row += 8, v += stride) {
            codec_quad four = low + v; /* what is too much is written over */

            memcpy(to + row, &four, sizeof four);
            four = high + v;
            memcpy(to + row + 4, &four, sizeof four);
        }
        for (; row < end; row++, v += least)
            to[row] = v;
    }
}

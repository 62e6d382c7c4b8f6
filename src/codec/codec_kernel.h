/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kernel.h: the inner loops of the codecs, once for any machine and once for AVX2 and FMA;
 * which of them runs is asked of the processor. For src/codec only, and its tests.
 *
 * Both give the same bits for the same codes, floating point included (see codec_kernel_tmpl.h).
 * Loops that were not faster with AVX2 are not here. Any thread. */
#pragma once

#include "codec/bitpack.h"
#include "codec/codec.h"

/* Unpacked codes of a frame (codec_frame.h): lanes as bitpack.h describes them. */
struct codec_codes {
    union bitpack_lanes *lanes; /* sums() spoils them */
    unsigned width;             /* bits of a code */
    uint32_t count;             /* how many */
};

/* Differences to kin that follow each other (codec_kin.h): what codec_kernels.stretches takes. */
struct codec_stretches {
    const struct codec_kin *kin; /* with stretches */
    const uint64_t *seeds;       /* by their number */
    uint64_t least;              /* added to each code */
};

#define CODEC_STRETCHES_WIDTH 14u /* of a code, at most, in codec_kernels.stretches */

#define CODEC_EXPONENT_MAX 18u /* of ten, in codec_kernels.scale */

struct codec_kernels {
    /* 1024 interleaved codes. */
    void (*unpack)(const uint8_t *p, unsigned width, union bitpack_lanes *to);
    /* to[i] = base + code i, modulo 2^(8 * size); size of a value: 1, 2, 4, 8 bytes. */
    void (*widen)(const struct codec_codes *codes, uint64_t base, uint32_t size, void *to);
    /* to[0] = first, to[i] = to[i - 1] + step + code i, modulo 2^(8 * size). */
    void (*sums)(
        const struct codec_codes *codes, uint64_t first, uint64_t step, uint32_t size, void *to);
    /* to[i] = seed, or the kin's + least + code i, modulo 2^64; width <= 14. */
    void (*stretches)(const struct codec_codes *codes,
                      const struct codec_stretches *s,
                      uint64_t *to);
    /* The same where all codes are 0. */
    void (*steps)(const struct codec_stretches *s, uint64_t *to);
    /* Each of -2^51 .. 2^51 becomes the double nearest to it / 10^exponent; in place. */
    void (*scale)(uint64_t *ints, uint32_t count, unsigned exponent);
    /* sums() and scale() in one, if all values fit into 32 bits with their sign. */
    void (*sums_scale)(const struct codec_codes *codes,
                       int32_t first,
                       int32_t step,
                       unsigned exponent,
                       double *to);
    /* widen() to 8 bytes and scale() in one. */
    void (*widen_scale)(const struct codec_codes *codes,
                        uint64_t base,
                        unsigned exponent,
                        double *to);
    /* The sum of codes lo .. hi - 1; width <= 54. */
    uint64_t (*total)(const struct codec_codes *codes, uint32_t lo, uint32_t hi);
    /* The sum of code i * (hi - i) for i in lo .. hi - 1, and total() of the same codes: what codes
     * of differences add to the sum of the values of these rows, and to the value of the row behind
     * them. Width <= 44. */
    uint64_t (*weigh)(const struct codec_codes *codes,
                      uint32_t lo,
                      uint32_t hi,
                      uint64_t *ret_total);
    /* The least and the greatest of codes lo .. hi - 1; hi > lo. */
    void (*bounds)(const struct codec_codes *codes,
                   uint32_t lo,
                   uint32_t hi,
                   uint64_t *ret_min,
                   uint64_t *ret_max);
    /* Least and greatest of count signed integers. */
    void (*bounds64)(const int64_t *values, uint32_t count, int64_t *ret_min, int64_t *ret_max);
};

const struct codec_kernels *codec_kernels(void);
/* Tests and benchmarks: leave out what the processor has beyond the least. Not while others run. */
void codec_kernels_plain(bool plain);

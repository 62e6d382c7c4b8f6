/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_rle_tmpl.h: writes runs of one type. Expanded in codec_rle.c.
 *
 * In:  CODEC_T     the type of a value
 *      CODEC_FILL  the function: run i is values[i], lens[i] + 1 times
 * Both are undefined at the bottom. No #pragma once: it is included once per type. */

/* Most runs are short, so each is written in steps of CODEC_RLE_PAD values, the next run over the
 * surplus of the last; `to` has room for that many more. */
static void
CODEC_FILL(const CODEC_T *values, const uint16_t *lens, uint32_t runs, CODEC_T *restrict to)
{
    for (uint32_t i = 0; i < runs; i++) {
        CODEC_T v = values[i];
        uint32_t len = lens[i] + 1u;

        for (uint32_t k = 0; k < len; k += CODEC_RLE_PAD)
            for (uint32_t j = 0; j < CODEC_RLE_PAD; j++)
                to[k + j] = v;
        to += len;
    }
}

#undef CODEC_T
#undef CODEC_FILL

/* SPDX-License-Identifier: Apache-2.0 */
#include "parquet/pq_encode.h"

#define RUN_MIN     8u   /* equal numbers that are worth a run */
#define DELTA_BLOCK 128u /* values */
#define DELTA_MINIS 4u   /* miniblocks of a block */
#define DELTA_MINI  (DELTA_BLOCK / DELTA_MINIS)

uint32_t pq_width(uint32_t max)
{
    return max == 0 ? 0 : 32 - (uint32_t)__builtin_clz(max);
}

/* Appends numbers packed in bits; the bits' count is filled up to whole bytes. */
struct pq_bit_writer {
    struct buf *b;
    uint64_t word;
    uint32_t bits;
};

static void bits_put(struct pq_bit_writer *w, uint64_t v, uint32_t width)
{
    while (width > 0) {
        uint32_t n = width < 32 ? width : 32;

        w->word |= (v & (((uint64_t)1 << n) - 1)) << w->bits;
        w->bits += n;
        v = n < 64 ? v >> n : 0;
        width -= n;
        for (; w->bits >= 8; w->bits -= 8, w->word >>= 8)
            buf_u8(w->b, (uint8_t)w->word);
    }
}

/* Groups of eight; the last is filled with zeros. */
static void rle_put_packed(struct buf *b, const uint32_t *from, uint32_t n, uint32_t width)
{
    struct pq_bit_writer w = {.b = b};
    uint32_t groups = (n + 7) / 8;

    if (n == 0)
        return;
    buf_varint(b, (uint64_t)groups << 1 | 1);
    for (uint32_t i = 0; i < groups * 8; i++)
        bits_put(&w, i < n ? from[i] : 0, width);
}

static void rle_put_run(struct buf *b, uint32_t value, uint32_t n, uint32_t width)
{
    buf_varint(b, (uint64_t)n << 1);
    for (uint32_t i = 0; i < (width + 7) / 8; i++)
        buf_u8(b, (uint8_t)(value >> 8 * i));
}

void pq_put_rle(struct buf *b, const uint32_t *from, uint32_t n, uint32_t width)
{
    uint32_t packed = 0; /* numbers from here on are still to be written, packed */

    for (uint32_t i = 0; i < n;) {
        uint32_t run = 1;
        uint32_t fill = (8 - (i - packed) % 8) % 8; /* packed groups are whole but for the last */

        while (i + run < n && from[i + run] == from[i])
            run++;
        if (run >= fill + RUN_MIN) {
            rle_put_packed(b, from + packed, i + fill - packed, width);
            rle_put_run(b, from[i], run - fill, width);
            packed = i + run;
        }
        i += run;
    }
    rle_put_packed(b, from + packed, n - packed, width);
}

static uint64_t encode_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static void delta_block(struct buf *b, const uint64_t *diffs, uint32_t n, bool wide)
{
    struct pq_bit_writer w = {.b = b};
    int64_t least = INT64_MAX;
    uint8_t widths[DELTA_MINIS] = {0};

    for (uint32_t i = 0; i < n; i++)
        least = (int64_t)diffs[i] < least ? (int64_t)diffs[i] : least;
    buf_varint(b, encode_zigzag(least));
    for (uint32_t i = 0; i < n; i++) {
        uint64_t over = diffs[i] - (uint64_t)least;
        uint8_t *width = &widths[i / DELTA_MINI];

        over = wide ? over : (uint32_t)over;
        if (*width < 64 && over >> *width != 0)
            *width = (uint8_t)(64 - __builtin_clzll(over));
    }
    buf_append(b, widths, sizeof widths);
    for (uint32_t i = 0; i < DELTA_BLOCK && i / DELTA_MINI <= (n - 1) / DELTA_MINI; i++)
        bits_put(&w, i < n ? diffs[i] - (uint64_t)least : 0, widths[i / DELTA_MINI]);
}

void pq_put_delta(struct buf *b, const int64_t *from, uint32_t n, bool wide)
{
    uint64_t diffs[DELTA_BLOCK];

    buf_varint(b, DELTA_BLOCK);
    buf_varint(b, DELTA_MINIS);
    buf_varint(b, n);
    buf_varint(b, encode_zigzag(n ? from[0] : 0));
    for (uint32_t at = 1; at < n; at += DELTA_BLOCK) {
        uint32_t k = n - at < DELTA_BLOCK ? n - at : DELTA_BLOCK;

        for (uint32_t i = 0; i < k; i++) {
            uint64_t d = (uint64_t)from[at + i] - (uint64_t)from[at + i - 1];

            diffs[i] = wide ? d : (uint64_t)(int64_t)(int32_t)(uint32_t)d;
        }
        delta_block(b, diffs, k, wide);
    }
}

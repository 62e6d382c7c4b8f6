/* SPDX-License-Identifier: Apache-2.0
 *
 * bitpack.c: plain and interleaved bit packing.
 *
 * Interleaved: 1024 values of lane size L bits form L rows of 128 bytes (16 words of 64 bits),
 * each row 1024 / L lanes. Packing treats each column of lanes as one bit stream of L values: row
 * k lands at bits [k * width, +width) of its lane, counted over `width` rows of output. All lanes
 * of a row are shifted alike, so a whole 64-bit word moves with one shift and one mask that cuts
 * off what crossed from the lane beside. */
#include "codec/bitpack.h"

#include "codec/codec_kernel.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "vectors are copied between memory and disk as they are: little-endian only");

#define BITPACK_ROW_WORDS 16u /* 64-bit words of a row: 128 bytes */
#define BITPACK_WINDOW    9u  /* bytes that may be looked at for one value */

_Static_assert(VEC_ROWS_MAX == 1024, "L rows of 1024 / L lanes are 128 bytes each");
_Static_assert(sizeof(union bitpack_lanes) == 8192, "64 rows of 128 bytes");

static inline uint64_t bitpack_mask(unsigned width)
{
    return width ? ~(uint64_t)0 >> (64 - width) : 0;
}

static inline uint64_t bitpack_load(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

/* 64 bits from any bit position; reads BITPACK_WINDOW bytes. */
static inline uint64_t bitpack_window(const uint8_t *p, size_t bit)
{
    const uint8_t *at = p + bit / 8;
    unsigned shift = bit % 8;
    uint64_t high = (uint64_t)at[8] << 1 << (63 - shift);

    return bitpack_load(at) >> shift | high;
}

#define BITPACK_LANE uint8_t
#define BITPACK_NAME bitpack_plain_u8
#include "codec/bitpack_tmpl.h"
#define BITPACK_LANE uint16_t
#define BITPACK_NAME bitpack_plain_u16
#include "codec/bitpack_tmpl.h"
#define BITPACK_LANE uint32_t
#define BITPACK_NAME bitpack_plain_u32
#include "codec/bitpack_tmpl.h"
#define BITPACK_LANE uint64_t
#define BITPACK_NAME bitpack_plain_u64
#include "codec/bitpack_tmpl.h"

/* A mask repeated in every lane of a word. */
static inline uint64_t bitpack_repeat(uint64_t mask, unsigned lane_bits)
{
    return mask * (~(uint64_t)0 / bitpack_mask(lane_bits));
}

/* Codes that lie side by side in a word, eight of up to 8 bits or four of up to 16, are moved apart
 * to one lane each: halves first, then halves of these. */
static inline uint64_t bitpack_spread2(uint64_t x, unsigned width, unsigned lane_bits)
{
    uint64_t low = bitpack_repeat(bitpack_mask(width), lane_bits * 2);

    return (x & low) | ((x >> width & low) << lane_bits);
}

static uint32_t bitpack_spread_u8(const uint8_t *p, size_t n, unsigned width, uint8_t *to)
{
    uint64_t four = bitpack_mask(4 * width);
    uint64_t two = bitpack_repeat(bitpack_mask(2 * width), 32);
    uint32_t done = 0;

    for (; n >= 8; n -= width, p += width, done += 8) {
        uint64_t x = bitpack_load(p);

        if (width < 8) {
            x = (x & four) | (x >> 4 * width & four) << 32;
            x = (x & two) | (x >> 2 * width & two) << 16;
            x = bitpack_spread2(x, width, 8);
        }
        memcpy(to + done, &x, 8);
    }
    return done;
}

/* Eight at a time, so that all begin at a byte. */
static uint32_t bitpack_spread_u16(const uint8_t *p, size_t n, unsigned width, uint16_t *to)
{
    uint64_t two = bitpack_mask(2 * width);
    uint32_t done = 0;

    for (; n >= 16; n -= width, p += width, done += 8) {
        uint64_t x = bitpack_load(p);
        uint64_t y = bitpack_load(p + width / 2) >> (width % 2 * 4);

        if (width < 16) {
            x = (x & two) | (x >> 2 * width & two) << 32;
            y = (y & two) | (y >> 2 * width & two) << 32;
            x = bitpack_spread2(x, width, 16);
            y = bitpack_spread2(y, width, 16);
        }
        memcpy(to + done, &x, 8);
        memcpy(to + done + 4, &y, 8);
    }
    return done;
}

static void bitpack_pack_rows(const uint64_t *from, unsigned width, uint64_t *restrict words)
{
    unsigned lane_bits = bitpack_lane_size(width) * 8;

    for (unsigned row = 0; row < lane_bits; row++, from += BITPACK_ROW_WORDS) {
        unsigned bit = row * width;
        unsigned shift = bit % lane_bits;
        unsigned low_bits = lane_bits - shift;
        uint64_t low = bitpack_repeat(bitpack_mask(low_bits), lane_bits);
        uint64_t *to = words + (size_t)(bit / lane_bits) * BITPACK_ROW_WORDS;

        for (unsigned i = 0; i < BITPACK_ROW_WORDS; i++)
            to[i] |= (from[i] & low) << shift;
        if (width > low_bits) {
            uint64_t high = bitpack_repeat(bitpack_mask(width - low_bits), lane_bits);

            for (unsigned i = 0; i < BITPACK_ROW_WORDS; i++)
                to[BITPACK_ROW_WORDS + i] |= from[i] >> low_bits & high;
        }
    }
}

static void bitpack_pack_full(const uint64_t *values, unsigned width, uint8_t *to)
{
    union bitpack_lanes lanes;
    uint64_t words[VEC_ROWS_MAX];

    switch (bitpack_lane_size(width)) {
    case 1:
        for (unsigned i = 0; i < VEC_ROWS_MAX; i++)
            lanes.u8[i] = (uint8_t)values[i];
        break;
    case 2:
        for (unsigned i = 0; i < VEC_ROWS_MAX; i++)
            lanes.u16[i] = (uint16_t)values[i];
        break;
    case 4:
        for (unsigned i = 0; i < VEC_ROWS_MAX; i++)
            lanes.u32[i] = (uint32_t)values[i];
        break;
    default:
        memcpy(lanes.u64, values, sizeof lanes.u64);
        break;
    }
    memset(words, 0, bitpack_size(VEC_ROWS_MAX, width));
    bitpack_pack_rows(lanes.u64, width, words);
    memcpy(to, words, bitpack_size(VEC_ROWS_MAX, width));
}

void bitpack_pack(const uint64_t *values, uint32_t count, unsigned width, uint8_t *to)
{
    uint64_t acc = 0;
    unsigned fill = 0; /* bits in acc */

    DN_ASSERT(width <= BITPACK_WIDTH_MAX && count <= VEC_ROWS_MAX);
    if (width == 0)
        return;
    if (count == VEC_ROWS_MAX) {
        bitpack_pack_full(values, width, to);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = values[i];

        acc |= v << fill;
        if (fill + width < 64) {
            fill += width;
            continue;
        }
        memcpy(to, &acc, 8);
        to += 8;
        acc = fill ? v >> (64 - fill) : 0;
        fill = fill + width - 64;
    }
    memcpy(to, &acc, (fill + 7) / 8);
}

void bitpack_unpack(const uint8_t *p, uint32_t count, unsigned width, union bitpack_lanes *lanes)
{
    size_t n = bitpack_size(count, width);
    uint32_t done;

    DN_ASSERT(width <= BITPACK_WIDTH_MAX && count <= VEC_ROWS_MAX);
    if (width == 0)
        memset(lanes->u8, 0, count);
    else if (count == VEC_ROWS_MAX)
        codec_kernels()->unpack(p, width, lanes);
    else if (width <= 8) {
        done = bitpack_spread_u8(p, n, width, lanes->u8);
        bitpack_plain_u8(p + done / 8 * width, count - done, width, lanes->u8 + done);
    } else if (width <= 16) {
        done = bitpack_spread_u16(p, n, width, lanes->u16);
        bitpack_plain_u16(p + done / 8 * width, count - done, width, lanes->u16 + done);
    } else if (width <= 32)
        bitpack_plain_u32(p, count, width, lanes->u32);
    else
        bitpack_plain_u64(p, count, width, lanes->u64);
}

uint64_t bitpack_get(const uint8_t *p, uint32_t count, unsigned width, uint32_t i)
{
    unsigned size = bitpack_lane_size(width);
    uint32_t lanes = VEC_ROWS_MAX / (size * 8);
    size_t bit = (size_t)i * width;
    uint64_t v = 0;
    uint64_t next = 0;

    DN_ASSERT(width <= BITPACK_WIDTH_MAX && i < count && count <= VEC_ROWS_MAX);
    if (width == 0)
        return 0;
    if (count < VEC_ROWS_MAX) { /* the bytes that hold it, nine at most */
        uint8_t window[BITPACK_WINDOW] = {0};

        memcpy(window, p + bit / 8, (bit % 8 + width + 7) / 8);
        return bitpack_window(window, bit % 8) & bitpack_mask(width);
    }
    bit = i / lanes * width; /* of its lane's stream */
    p += bit / (size * 8) * BITPACK_ROW_WORDS * 8 + (size_t)(i % lanes) * size;
    bit %= size * 8;
    memcpy(&v, p, size);
    v >>= bit;
    if (bit + width > size * 8) {
        memcpy(&next, p + BITPACK_ROW_WORDS * 8, size);
        v |= next << (size * 8 - bit);
    }
    return v & bitpack_mask(width);
}

void bitpack_unpack16(const uint8_t *p, uint32_t count, unsigned width, uint16_t *to)
{
    union bitpack_lanes lanes;

    DN_ASSERT(width <= 16);
    if (width == 0) {
        memset(to, 0, count * sizeof *to);
        return;
    }
    bitpack_unpack(p, count, width, &lanes);
    if (width <= 8) {
        for (uint32_t i = 0; i < count; i++)
            to[i] = lanes.u8[i];
    } else {
        memcpy(to, lanes.u16, count * sizeof *to);
    }
}

void bitpack_unpack32(const uint8_t *p, uint32_t count, unsigned width, uint32_t *to)
{
    union bitpack_lanes lanes;

    DN_ASSERT(width <= 32);
    if (width == 0) {
        memset(to, 0, count * sizeof *to);
        return;
    }
    bitpack_unpack(p, count, width, &lanes);
    if (width <= 8) {
        for (uint32_t i = 0; i < count; i++)
            to[i] = lanes.u8[i];
    } else if (width <= 16) {
        for (uint32_t i = 0; i < count; i++)
            to[i] = lanes.u16[i];
    } else {
        memcpy(to, lanes.u32, count * sizeof *to);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * bitpack.h: arrays of up to 1024 unsigned integers of `width` bits each (0 to 64). The size is
 * always ceil(count * width / 8) bytes; the order of the bits depends on the count:
 *
 *   count < 1024   plain: one little-endian bit stream, value i at bits [i * width, +width)
 *   count = 1024   interleaved, so that shifts and masks of whole words unpack many values at
 *                  once on any machine: see docs/format/vector.md
 *
 * Values are unpacked into "lanes", the narrowest of uint8_t, uint16_t, uint32_t, uint64_t that
 * holds the width; whoever needs wider ones widens while doing its own pass. Width 0 has lanes of
 * uint8_t, all zero. Any thread. */
#pragma once

#include "base/attr.h"
#include "vec/vec.h"

#define BITPACK_WIDTH_MAX 64u

/* Room for the lanes of any width, aligned for vector instructions. */
union bitpack_lanes {
    _Alignas(16) uint8_t u8[VEC_ROWS_MAX];
    uint16_t u16[VEC_ROWS_MAX];
    uint32_t u32[VEC_ROWS_MAX];
    uint64_t u64[VEC_ROWS_MAX];
};

/* Bits needed for v; 0 for 0. */
static inline unsigned bitpack_width(uint64_t v)
{
    return v ? 64u - (unsigned)__builtin_clzll(v) : 0;
}

static inline size_t bitpack_size(uint32_t count, unsigned width)
{
    return ((size_t)count * width + 7) / 8;
}

/* Bytes of a lane: 1, 2, 4, 8. */
static inline unsigned bitpack_lane_size(unsigned width)
{
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
}

/* Lane i of those of a width. */
static inline uint64_t bitpack_lane(const union bitpack_lanes *lanes, unsigned width, uint32_t i)
{
    switch (bitpack_lane_size(width)) {
    case 1:
        return lanes->u8[i];
    case 2:
        return lanes->u16[i];
    case 4:
        return lanes->u32[i];
    default:
        return lanes->u64[i];
    }
}

/* Writes bitpack_size(count, width) bytes; every value must fit the width. */
void bitpack_pack(const uint64_t *values, uint32_t count, unsigned width, uint8_t *to);
/* Reads exactly bitpack_size(count, width) bytes; count <= VEC_ROWS_MAX, width <= 64. */
void bitpack_unpack(const uint8_t *p, uint32_t count, unsigned width, union bitpack_lanes *lanes);
/* Value i alone; touches no byte outside of the bitpack_size(count, width). */
uint64_t bitpack_get(const uint8_t *p, uint32_t count, unsigned width, uint32_t i);
/* As bitpack_unpack, widened; the width must be <= 16, 32. */
void bitpack_unpack16(const uint8_t *p, uint32_t count, unsigned width, uint16_t *to);
void bitpack_unpack32(const uint8_t *p, uint32_t count, unsigned width, uint32_t *to);

/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_frame.h: integers as bit-packed codes over a least one: the body of FOR, DELTA, DELTA2 and
 * ALP. What is packed depends on the order:
 *
 *   0   values                        u8 width, least value, codes
 *   1   differences of neighbours     u8 width, first value, least difference, codes
 *   2   differences of differences    u8 width, first value, first difference, least, codes
 *
 * (numbers are varints of the zigzag form; docs/format/vector.md). All arithmetic is modulo 2^bits
 * of the values' form, so nothing overflows and the width never exceeds the form's. Any thread. */
#pragma once

#include "codec/codec_int.h"
#include "codec/codec_kernel.h"
#include "codec/codec_narrow.h"

/* A frame's head as read, all checked. */
struct codec_frame {
    unsigned order;        /* 0, 1, 2 */
    unsigned width;        /* bits of a code */
    uint32_t count;        /* rows, and codes */
    uint32_t size;         /* bytes of a value: arithmetic is modulo 2^(8 * size) */
    uint64_t first;        /* value of row 0; order 0: unused */
    uint64_t step;         /* row 1 - row 0; order 2 only */
    uint64_t least;        /* what is added to each code */
    const uint8_t *packed; /* the codes, borrowed */
};

/* Least and greatest - least of what an order packs; `size` bytes a value, sign-extended to wide.
 */
struct codec_spread
codec_spread_of(const uint64_t *wide, uint32_t count, unsigned order, uint32_t size);
/* Bytes of a frame. */
size_t codec_frame_size(const uint64_t *wide,
                        uint32_t count,
                        unsigned order,
                        uint32_t size,
                        const struct codec_spread *spread);
/* Appends it; uses work->pack. */
void codec_frame_put(struct buf *b,
                     struct codec_work *work,
                     const uint64_t *wide,
                     unsigned order,
                     uint32_t count,
                     uint32_t size,
                     const struct codec_spread *spread);
/* Reads the head of a frame that fills [p, p + n). */
int codec_frame_get(const uint8_t *p,
                    size_t n,
                    unsigned order,
                    uint32_t count,
                    uint32_t size,
                    struct codec_frame *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* Writes all values; lanes is scratch. */
void codec_frame_unpack(const struct codec_frame *f, union bitpack_lanes *lanes, void *to);
/* May a value of order 1 need more bits, its sign among them? */
bool codec_frame_may_leave(const struct codec_frame *f, unsigned bits);
/* One value, sign-extended. */
int64_t codec_frame_at(const struct codec_frame *f, uint32_t row);
/* Sums (isum) and bounds (i64) of ranges without writing values out. False: they are not to be had
 * that way. */
bool codec_frame_agg(const struct codec_frame *f,
                     const struct codec_ask *ask,
                     struct codec_agg *ret);

/* FOR, DELTA and DELTA2 are frames and nothing else: their operations, less the order. */
size_t codec_frame_ops_size(const struct codec_in *in, unsigned order, size_t limit);
void codec_frame_ops_encode(const struct codec_in *in, unsigned order, struct buf *b);
int codec_frame_ops_decode(const struct codec_part *part,
                           unsigned order,
                           struct arena *arena,
                           struct vec *ret,
                           struct dn_err *err) DN_MUST_CHECK;
int codec_frame_ops_get(const struct codec_part *part,
                        unsigned order,
                        uint32_t row,
                        struct datum *ret,
                        struct dn_err *err) DN_MUST_CHECK;
int codec_frame_ops_agg(const struct codec_part *part,
                        unsigned order,
                        const struct codec_ask *ask,
                        struct codec_agg *ret,
                        struct dn_err *err) DN_MUST_CHECK;
int codec_frame_ops_narrow(const struct codec_part *part,
                           unsigned order,
                           const double bounds[2],
                           int16_t *to,
                           struct codec_narrow *ret,
                           struct dn_err *err) DN_MUST_CHECK;
/* Do values between the bounds, times a power of ten, fit into 16 bits? Then they are ret->lo and
 * hi. */
bool codec_narrow_fits(const double bounds[2], double power, struct codec_narrow *ret);

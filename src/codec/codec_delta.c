/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_delta.c: differences of neighbours over the least difference, for integers.
 *
 *   u8 width, varint zigzag(first value), varint zigzag(least difference),
 *   bit-packed (difference - least difference), one per row, 0 for the first row
 *
 * All arithmetic is modulo 2^bits of the form, so no difference overflows and the width never
 * exceeds the form's. A constant step takes no bits at all. Decodes to a FLAT vector. */
#include "codec/codec_int.h"

#define CODEC_SIDES 32u /* see the template */

static uint64_t codec_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? ~(uint64_t)0 : 0);
}

static int64_t codec_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (v & 1 ? ~(uint64_t)0 : 0));
}

static size_t codec_delta_size(const struct codec_in *in, size_t limit)
{
    const struct codec_work *work = in->work;
    size_t size;

    if (!codec_phys_is_int(in->phys))
        return SIZE_MAX;
    size = 1 + codec_varint_size(codec_zigzag((int64_t)in->wide[0])) +
           codec_varint_size(codec_zigzag(work->delta_min)) +
           bitpack_size(in->count, bitpack_width(work->delta_span));
    return size < limit ? size : SIZE_MAX;
}

static void codec_delta_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;
    unsigned width = bitpack_width(work->delta_span);
    uint64_t mask = ~(uint64_t)0 >> (64 - 8 * phys_size(in->phys));
    uint64_t min = (uint64_t)work->delta_min;

    buf_u8(b, (uint8_t)width);
    buf_varint(b, codec_zigzag((int64_t)in->wide[0]));
    buf_varint(b, codec_zigzag(work->delta_min));
    work->pack[0] = 0;
    for (uint32_t i = 1; i < in->count; i++)
        work->pack[i] = (in->wide[i] - in->wide[i - 1] - min) & mask;
    codec_put_packed(b, work, in->count, width);
}

#define CODEC_T     uint8_t
#define CODEC_SUM   codec_delta_sum_u8
#define CODEC_STEPS codec_delta_steps_u8
#include "codec/codec_delta_tmpl.h"
#define CODEC_T     uint16_t
#define CODEC_SUM   codec_delta_sum_u16
#define CODEC_STEPS codec_delta_steps_u16
#include "codec/codec_delta_tmpl.h"
#define CODEC_T     uint32_t
#define CODEC_SUM   codec_delta_sum_u32
#define CODEC_STEPS codec_delta_steps_u32
#include "codec/codec_delta_tmpl.h"
#define CODEC_T     uint64_t
#define CODEC_SUM   codec_delta_sum_u64
#define CODEC_STEPS codec_delta_steps_u64
#include "codec/codec_delta_tmpl.h"

/* Does v fit a signed integer of so many bytes? */
static bool codec_delta_fits(int64_t v, uint32_t size)
{
    int64_t max = INT64_MAX >> (64 - 8 * size);

    return v >= -max - 1 && v <= max;
}

static int codec_delta_decode(const uint8_t *p,
                              size_t n,
                              enum phys phys,
                              uint32_t count,
                              struct arena *arena,
                              struct vec *ret,
                              struct dn_err *err)
{
    struct rd r = rd_make(p, n);
    uint32_t size = phys_size(phys);
    unsigned width = rd_u8(&r);
    int64_t first = codec_unzigzag(rd_varint(&r));
    int64_t step = codec_unzigzag(rd_varint(&r));
    union bitpack_lanes lanes;
    void *to;

    DN_CHECK_DISK(
        codec_phys_is_int(phys), err, "vector: differences of values that are no integers");
    DN_CHECK_DISK(!r.bad, err, "vector: bad head of differences");
    DN_CHECK_DISK(width <= 8 * size, err, "vector: differences of %u bits", width);
    DN_CHECK_DISK(codec_delta_fits(first, size) && codec_delta_fits(step, size),
                  err,
                  "vector: first value or difference is out of range");
    DN_CHECK_DISK(rd_left(&r) == bitpack_size(count, width),
                  err,
                  "vector: %zu bytes of differences where %zu belong",
                  rd_left(&r),
                  bitpack_size(count, width));
    to = arena_alloc_array(arena, count, size);
    if (!to)
        return DN_FAIL_NOMEM(err);
    bitpack_unpack(r.p, count, width, &lanes);
    switch (size) {
    case 1:
        codec_delta_sum_u8(&lanes, width, (uint8_t)first, (uint8_t)step, count, to);
        break;
    case 2:
        codec_delta_sum_u16(&lanes, width, (uint16_t)first, (uint16_t)step, count, to);
        break;
    case 4:
        codec_delta_sum_u32(&lanes, width, (uint32_t)first, (uint32_t)step, count, to);
        break;
    default:
        codec_delta_sum_u64(&lanes, width, (uint64_t)first, (uint64_t)step, count, to);
        break;
    }
    ret->form = VEC_FLAT;
    ret->data = to;
    return 0;
}

const struct codec_ops codec_delta_ops = {
    .name = "delta",
    .size = codec_delta_size,
    .encode = codec_delta_encode,
    .decode = codec_delta_decode,
};

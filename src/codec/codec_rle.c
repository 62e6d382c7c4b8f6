/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_rle.c: runs of equal neighbours.
 *
 *   u16 runs, u8 width, bit-packed (rows of a run - 1), value list of one value per run
 *
 * Strings decode to a DICT vector with one entry per run, other values to a FLAT one. */
#include "codec/codec_int.h"

#define CODEC_RLE_HEAD 3u
#define CODEC_RLE_PAD  8u /* rows that a fill may write beyond its run */

static unsigned codec_rle_width(const struct codec_in *in)
{
    return bitpack_width(in->work->run_max - 1);
}

static size_t codec_rle_size(const struct codec_in *in, size_t limit)
{
    const struct codec_work *work = in->work;
    size_t size = CODEC_RLE_HEAD + bitpack_size(work->runs, codec_rle_width(in));

    size += codec_values_size(in, work->run_rows, work->runs);
    return size < limit ? size : SIZE_MAX;
}

static void codec_rle_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;
    unsigned width = codec_rle_width(in);

    buf_u16(b, (uint16_t)work->runs);
    buf_u8(b, (uint8_t)width);
    for (uint32_t i = 0; i < work->runs; i++) {
        uint32_t next = i + 1 < work->runs ? work->run_rows[i + 1] : in->count;
        work->pack[i] = next - work->run_rows[i] - 1;
    }
    codec_put_packed(b, work, work->runs, width);
    codec_values_put(in, work->run_rows, work->runs, b);
}

#define CODEC_T    uint8_t
#define CODEC_FILL codec_rle_fill_u8
#include "codec/codec_rle_tmpl.h"
#define CODEC_T    uint16_t
#define CODEC_FILL codec_rle_fill_u16
#include "codec/codec_rle_tmpl.h"
#define CODEC_T    uint32_t
#define CODEC_FILL codec_rle_fill_u32
#include "codec/codec_rle_tmpl.h"
#define CODEC_T    uint64_t
#define CODEC_FILL codec_rle_fill_u64
#include "codec/codec_rle_tmpl.h"

/* Run lengths - 1, checked: they add up to the rows. *ret is the list of the runs' values. */
static int codec_rle_open(const struct codec_part *part,
                          uint16_t *ret_lens,
                          struct codec_part *ret,
                          struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    uint32_t runs = rd_u16(&r);
    unsigned width = rd_u8(&r);
    uint32_t total = 0;
    const uint8_t *packed;

    DN_CHECK_DISK(!r.bad, err, "vector: runs cut short");
    DN_CHECK_DISK(
        runs >= 1 && runs <= part->count, err, "vector: %u runs in %u rows", runs, part->count);
    DN_CHECK_DISK(width <= 10, err, "vector: run lengths of %u bits", width);
    packed = rd_bytes(&r, bitpack_size(runs, width));
    DN_CHECK_DISK(packed != NULL, err, "vector: run lengths cut short");
    bitpack_unpack16(packed, runs, width, ret_lens);
    for (uint32_t i = 0; i < runs; i++)
        total += ret_lens[i];
    total += runs;
    DN_CHECK_DISK(total == part->count,
                  err,
                  "vector: runs of %u rows in all where %u belong",
                  total,
                  part->count);
    *ret = (struct codec_part){.phys = part->phys, .count = runs, .p = r.p, .n = rd_left(&r)};
    return 0;
}

static int codec_rle_decode(const struct codec_part *part,
                            struct arena *arena,
                            struct vec *ret,
                            struct dn_err *err)
{
    uint16_t lens[VEC_ROWS_MAX];
    uint16_t ids[VEC_ROWS_MAX];
    enum phys phys = part->phys;
    struct codec_part list;
    const void *values;
    void *to;
    int rc;

    rc = codec_rle_open(part, lens, &list, err);
    if (rc < 0)
        return rc;
    rc = codec_values_get(&list, arena, &values, err);
    if (rc < 0)
        return rc;
    to = arena_alloc_array(
        arena, part->count + CODEC_RLE_PAD, phys == PHYS_STR ? sizeof(uint16_t) : phys_size(phys));
    if (!to)
        return DN_FAIL_NOMEM(err);
    ret->form = VEC_FLAT;
    ret->data = to;
    switch (phys) {
    case PHYS_I8:
        codec_rle_fill_u8(values, lens, list.count, to);
        break;
    case PHYS_I16:
        codec_rle_fill_u16(values, lens, list.count, to);
        break;
    case PHYS_I32:
    case PHYS_F32:
        codec_rle_fill_u32(values, lens, list.count, to);
        break;
    case PHYS_I64:
    case PHYS_F64:
        codec_rle_fill_u64(values, lens, list.count, to);
        break;
    case PHYS_STR:
        for (uint32_t i = 0; i < list.count; i++)
            ids[i] = (uint16_t)i;
        codec_rle_fill_u16(ids, lens, list.count, to);
        ret->form = VEC_DICT;
        ret->data = values;
        ret->codes = to;
        ret->dict_count = list.count;
        break;
    case PHYS_INTERVAL: /* strings here */
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return 0;
}

static int
codec_rle_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    uint16_t lens[VEC_ROWS_MAX];
    struct codec_part list;
    uint32_t run = 0;
    uint32_t end; /* of the run */
    int rc;

    rc = codec_rle_open(part, lens, &list, err);
    if (rc < 0)
        return rc;
    for (end = lens[0] + 1u; end <= row; end += lens[run] + 1u)
        run++;
    return codec_values_at(&list, run, ret, err);
}

/* One product per run. */
static int codec_rle_agg_range(const struct codec_part *list,
                               const uint16_t *lens,
                               const struct codec_range *range,
                               struct codec_agg *ret,
                               struct dn_err *err)
{
    uint32_t row = 0;
    bool some = false;
    int rc;

    for (uint32_t run = 0; run < list->count && row < range->hi; run++) {
        uint32_t end = row + lens[run] + 1u;
        uint32_t from = row > range->lo ? row : range->lo;
        uint32_t to = end < range->hi ? end : range->hi;
        struct datum d;

        row = end;
        if (from >= to)
            continue;
        rc = codec_values_at(list, run, &d, err);
        if (rc < 0)
            return rc;
        ret->isum += (codec_i128)d.v.i64 * (to - from);
        ret->min.i64 = !some || d.v.i64 < ret->min.i64 ? d.v.i64 : ret->min.i64;
        ret->max.i64 = !some || d.v.i64 > ret->max.i64 ? d.v.i64 : ret->max.i64;
        some = true;
    }
    return 0;
}

static int codec_rle_agg(const struct codec_part *part,
                         const struct codec_ask *ask,
                         struct codec_agg *ret,
                         struct dn_err *err)
{
    uint16_t lens[VEC_ROWS_MAX];
    struct codec_part list;
    int rc;

    if (!codec_phys_is_int(part->phys)) /* NaN has an order of its own */
        return DN_NOT_FOUND;
    rc = codec_rle_open(part, lens, &list, err);
    for (uint32_t k = 0; k < ask->count && rc == 0; k++)
        rc = codec_rle_agg_range(&list, lens, &ask->ranges[k], &ret[k], err);
    return rc;
}

const struct codec_ops codec_rle_ops = {
    .name = "rle",
    .weight = 100,
    .lists = true,
    .size = codec_rle_size,
    .encode = codec_rle_encode,
    .decode = codec_rle_decode,
    .get = codec_rle_get,
    .agg = codec_rle_agg,
};

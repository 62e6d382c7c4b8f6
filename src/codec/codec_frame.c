/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_frame.c: frames of packed integers, see codec_frame.h. */
#include "codec/codec_frame.h"

/* ---- encoding ---- */

struct codec_spread
codec_spread_of(const uint64_t *wide, uint32_t count, unsigned order, uint32_t size)
{
    /* Modulo the form's bits: they are moved to the top, where the wrap is the word's own. */
    unsigned shift = 64 - 8 * size;
    struct codec_spread spread = {.least = 0};
    int64_t diffs[VEC_ROWS_MAX];
    const int64_t *values = diffs;
    int64_t min;
    int64_t max;

    if (count <= order)
        return spread;
    switch (order) {
    case 0:
        values = (const int64_t *)wide;
        shift = 0;
        break;
    case 1:
        for (uint32_t i = 1; i < count; i++)
            diffs[i - 1] = (int64_t)((wide[i] - wide[i - 1]) << shift);
        break;
    default:
        for (uint32_t i = 2; i < count; i++)
            diffs[i - 2] = (int64_t)((wide[i] - 2 * wide[i - 1] + wide[i - 2]) << shift);
        break;
    }
    codec_kernels()->bounds64(values, count - order, &min, &max);
    spread.least = min >> shift;
    spread.span = ((uint64_t)max - (uint64_t)min) >> shift;
    return spread;
}

/* The head's numbers: order + 1 of them at most. */
static unsigned codec_frame_heads(const uint64_t *wide,
                                  uint32_t count,
                                  unsigned order,
                                  uint32_t size,
                                  const struct codec_spread *spread,
                                  int64_t *ret)
{
    unsigned n = 0;

    if (order >= 1)
        ret[n++] = (int64_t)wide[0];
    if (order >= 2)
        ret[n++] = count > 1 ? codec_narrow(wide[1] - wide[0], size) : 0;
    ret[n++] = spread->least;
    return n;
}

size_t codec_frame_size(const uint64_t *wide,
                        uint32_t count,
                        unsigned order,
                        uint32_t size,
                        const struct codec_spread *spread)
{
    size_t bytes = 1 + bitpack_size(count, bitpack_width(spread->span));
    int64_t heads[3];
    unsigned n = codec_frame_heads(wide, count, order, size, spread, heads);

    for (unsigned i = 0; i < n; i++)
        bytes += codec_varint_size(codec_zigzag(heads[i]));
    return bytes;
}

void codec_frame_put(struct buf *b,
                     struct codec_work *work,
                     const uint64_t *wide,
                     unsigned order,
                     uint32_t count,
                     uint32_t size,
                     const struct codec_spread *spread)
{
    unsigned width = bitpack_width(spread->span);
    uint64_t mask = ~(uint64_t)0 >> (64 - 8 * size);
    uint64_t least = (uint64_t)spread->least;
    int64_t heads[3];
    unsigned n = codec_frame_heads(wide, count, order, size, spread, heads);

    buf_u8(b, (uint8_t)width);
    for (unsigned i = 0; i < n; i++)
        buf_varint(b, codec_zigzag(heads[i]));
    for (uint32_t i = 0; i < order && i < count; i++)
        work->pack[i] = 0;
    switch (order) {
    case 0:
        for (uint32_t i = 0; i < count; i++)
            work->pack[i] = wide[i] - least;
        break;
    case 1:
        for (uint32_t i = 1; i < count; i++)
            work->pack[i] = (wide[i] - wide[i - 1] - least) & mask;
        break;
    default:
        for (uint32_t i = 2; i < count; i++)
            work->pack[i] = (wide[i] - 2 * wide[i - 1] + wide[i - 2] - least) & mask;
        break;
    }
    codec_put_packed(b, work, count, width);
}

/* ---- decoding ---- */

int codec_frame_get(const uint8_t *p,
                    size_t n,
                    unsigned order,
                    uint32_t count,
                    uint32_t size,
                    struct codec_frame *ret,
                    struct dn_err *err)
{
    struct rd r = rd_make(p, n);
    unsigned width = rd_u8(&r);
    int64_t first = order >= 1 ? codec_unzigzag(rd_varint(&r)) : 0;
    int64_t step = order >= 2 ? codec_unzigzag(rd_varint(&r)) : 0;
    int64_t least = codec_unzigzag(rd_varint(&r));

    DN_CHECK_DISK(!r.bad, err, "vector: bad head of packed integers");
    DN_CHECK_DISK(width <= 8 * size, err, "vector: packed integers of %u bits", width);
    DN_CHECK_DISK(codec_fits(first, size) && codec_fits(step, size) && codec_fits(least, size),
                  err,
                  "vector: a number in the head of packed integers is out of range");
    DN_CHECK_DISK(rd_left(&r) == bitpack_size(count, width),
                  err,
                  "vector: %zu bytes of packed integers where %zu belong",
                  rd_left(&r),
                  bitpack_size(count, width));
    *ret = (struct codec_frame){
        .order = order,
        .width = width,
        .count = count,
        .size = size,
        .first = (uint64_t)first,
        .step = (uint64_t)step,
        .least = (uint64_t)least,
        .packed = r.p,
    };
    return 0;
}

static struct codec_codes codec_frame_codes(const struct codec_frame *f, union bitpack_lanes *lanes)
{
    bitpack_unpack(f->packed, f->count, f->width, lanes);
    return (struct codec_codes){.lanes = lanes, .width = f->width, .count = f->count};
}

/* Sums of sums: differences first, then values. Four differences are added up apart from the
 * running sum, so that only one addition of four waits for the last. */
static void
codec_frame_sum_twice(const struct codec_frame *f, struct codec_codes *codes, uint64_t *restrict to)
{
    union bitpack_lanes *lanes = codes->lanes;
    uint64_t acc = f->first;
    uint32_t i = 1;

    switch (bitpack_lane_size(f->width)) { /* code 1 says nothing, as code 0 */
    case 1:
        lanes->u8[1] = 0;
        break;
    case 2:
        lanes->u16[1] = 0;
        break;
    case 4:
        lanes->u32[1] = 0;
        break;
    default:
        lanes->u64[1] = 0;
        break;
    }
    codec_kernels()->sums(codes, f->step - f->least, f->least, sizeof *to, to);
    to[0] = acc;
    for (; i + 4 <= f->count; i += 4) {
        uint64_t ab = to[i] + to[i + 1];
        uint64_t abc = ab + to[i + 2];
        uint64_t all = ab + (to[i + 2] + to[i + 3]);

        to[i] += acc;
        to[i + 1] = acc + ab;
        to[i + 2] = acc + abc;
        acc += all;
        to[i + 3] = acc;
    }
    for (; i < f->count; i++) {
        acc += to[i];
        to[i] = acc;
    }
}

void codec_frame_unpack(const struct codec_frame *f, union bitpack_lanes *lanes, void *to)
{
    const struct codec_kernels *kernels = codec_kernels();
    struct codec_codes codes = codec_frame_codes(f, lanes);
    uint64_t wide[VEC_ROWS_MAX];

    switch (f->order) {
    case 0:
        kernels->widen(&codes, f->least, f->size, to);
        break;
    case 1:
        kernels->sums(&codes, f->first, f->least, f->size, to);
        break;
    default:
        if (f->size == sizeof *wide) {
            codec_frame_sum_twice(f, &codes, to);
        } else {
            codec_frame_sum_twice(f, &codes, wide);
            codec_cut(wide, f->count, f->size, to);
        }
        break;
    }
}

/* ---- answers without writing values out ---- */

int64_t codec_frame_at(const struct codec_frame *f, uint32_t row)
{
    union bitpack_lanes lanes;
    struct codec_codes codes;
    uint64_t v = f->first;

    DN_ASSERT(row < f->count);
    if (f->order == 0)
        return codec_narrow(f->least + bitpack_get(f->packed, f->count, f->width, row), f->size);
    if (f->order == 1) {
        v += row * f->least;
        if (f->width) {
            codes = codec_frame_codes(f, &lanes);
            v += codec_kernels()->total(&codes, 1, row + 1);
        }
        return codec_narrow(v, f->size);
    }
    v += row * f->step;
    for (uint64_t i = 2; i <= row; i++)
        v += (row - i + 1) * (f->least + bitpack_get(f->packed, f->count, f->width, (uint32_t)i));
    return codec_narrow(v, f->size);
}

bool codec_frame_may_leave(const struct codec_frame *f, unsigned bits)
{
    codec_i128 max = INT64_MAX >> (64 - bits);
    codec_i128 first = (int64_t)f->first;
    codec_i128 low = (int64_t)f->least;
    codec_i128 high = low + (((codec_i128)1 << f->width) - 1);

    low = low < 0 ? low * (f->count - 1) : 0;
    high = high > 0 ? high * (f->count - 1) : 0;
    return first + low < -max - 1 || first + high > max;
}

/* Sums of ranges of values (order 0). */
static void codec_frame_sum_values(const struct codec_frame *f,
                                   const struct codec_codes *codes,
                                   const struct codec_ask *ask,
                                   struct codec_agg *ret)
{
    const struct codec_kernels *kernels = codec_kernels();

    for (uint32_t k = 0; k < ask->count; k++) {
        const struct codec_range *r = &ask->ranges[k];
        codec_i128 n = r->hi - r->lo;

        ret[k].isum = (int64_t)f->least * n + kernels->total(codes, r->lo, r->hi);
    }
}

/* The same from differences: the codes before a range count for each of its rows, those inside for
 * the rows from theirs on. Code 0 says nothing. */
static void codec_frame_sum_steps(const struct codec_frame *f,
                                  const struct codec_codes *codes,
                                  const struct codec_ask *ask,
                                  struct codec_agg *ret)
{
    const struct codec_kernels *kernels = codec_kernels();
    uint64_t before = 0; /* total of codes 1 .. at - 1 */
    uint32_t at = 1;

    for (uint32_t k = 0; k < ask->count; k++) {
        const struct codec_range *r = &ask->ranges[k];
        uint32_t from = r->lo ? r->lo : 1;
        codec_i128 n = r->hi - r->lo;
        codec_i128 rows = n * (r->lo + r->hi - 1) / 2; /* lo + (lo + 1) + ... + (hi - 1) */
        uint64_t inside = 0;
        uint64_t weighed = 0;

        if (from > at)
            before += kernels->total(codes, at, from);
        if (r->hi > from)
            weighed = kernels->weigh(codes, from, r->hi, &inside);
        ret[k].isum = (int64_t)f->first * n + (int64_t)f->least * rows + before * n + weighed;
        before += inside;
        at = r->hi > from ? r->hi : from;
    }
}

bool codec_frame_agg(const struct codec_frame *f,
                     const struct codec_ask *ask,
                     struct codec_agg *ret)
{
    union bitpack_lanes lanes;
    struct codec_codes codes;

    if (f->order > 1 || (ask->want & CODEC_BOUNDS && f->order != 0))
        return false;
    if (ask->want & CODEC_SUM &&
        (f->width > 54 ||
         (f->order == 1 && (f->width > 44 || codec_frame_may_leave(f, 8 * f->size)))))
        return false;
    codes = codec_frame_codes(f, &lanes);
    if (ask->want & CODEC_SUM && f->order == 0)
        codec_frame_sum_values(f, &codes, ask, ret);
    else if (ask->want & CODEC_SUM)
        codec_frame_sum_steps(f, &codes, ask, ret);
    for (uint32_t k = 0; ask->want & CODEC_BOUNDS && k < ask->count; k++) {
        uint64_t min;
        uint64_t max;

        codec_kernels()->bounds(&codes, ask->ranges[k].lo, ask->ranges[k].hi, &min, &max);
        ret[k].min.i64 = (int64_t)(f->least + min);
        ret[k].max.i64 = (int64_t)(f->least + max);
    }
    return true;
}

/* ---- codecs that are a frame ---- */

/* The first rows tell how wide codes are at least: often that is too much already. */
#define CODEC_FRAME_SAMPLE 64u

size_t codec_frame_ops_size(const struct codec_in *in, unsigned order, size_t limit)
{
    struct codec_spread *spread = &in->work->spread[order];
    uint32_t size = phys_size(in->phys);
    size_t bytes;

    if (!codec_phys_is_int(in->phys))
        return SIZE_MAX;
    if (in->count > CODEC_FRAME_SAMPLE) {
        *spread = codec_spread_of(in->wide, CODEC_FRAME_SAMPLE, order, size);
        if (bitpack_size(in->count, bitpack_width(spread->span)) >= limit)
            return SIZE_MAX;
    }
    *spread = codec_spread_of(in->wide, in->count, order, size);
    bytes = codec_frame_size(in->wide, in->count, order, size, spread);
    return bytes < limit ? bytes : SIZE_MAX;
}

void codec_frame_ops_encode(const struct codec_in *in, unsigned order, struct buf *b)
{
    codec_frame_put(
        b, in->work, in->wide, order, in->count, phys_size(in->phys), &in->work->spread[order]);
}

static int codec_frame_ops_open(const struct codec_part *part,
                                unsigned order,
                                struct codec_frame *ret,
                                struct dn_err *err)
{
    DN_CHECK_DISK(
        codec_phys_is_int(part->phys), err, "vector: packed integers where values are no integers");
    return codec_frame_get(part->p, part->n, order, part->count, phys_size(part->phys), ret, err);
}

int codec_frame_ops_decode(const struct codec_part *part,
                           unsigned order,
                           struct arena *arena,
                           struct vec *ret,
                           struct dn_err *err)
{
    union bitpack_lanes lanes;
    struct codec_frame f;
    void *to;
    int rc;

    rc = codec_frame_ops_open(part, order, &f, err);
    if (rc < 0)
        return rc;
    to = arena_alloc_array(arena, part->count, f.size);
    if (!to)
        return DN_FAIL_NOMEM(err);
    codec_frame_unpack(&f, &lanes, to);
    ret->form = VEC_FLAT;
    ret->data = to;
    return 0;
}

int codec_frame_ops_get(const struct codec_part *part,
                        unsigned order,
                        uint32_t row,
                        struct datum *ret,
                        struct dn_err *err)
{
    struct codec_frame f;
    int rc;

    rc = codec_frame_ops_open(part, order, &f, err);
    if (rc < 0)
        return rc;
    ret->v.i64 = codec_frame_at(&f, row);
    return 0;
}

int codec_frame_ops_agg(const struct codec_part *part,
                        unsigned order,
                        const struct codec_ask *ask,
                        struct codec_agg *ret,
                        struct dn_err *err)
{
    struct codec_frame f;
    int rc;

    rc = codec_frame_ops_open(part, order, &f, err);
    if (rc < 0)
        return rc;
    return codec_frame_agg(&f, ask, ret) ? 0 : DN_NOT_FOUND;
}

bool codec_narrow_fits(const double bounds[2], double power, struct codec_narrow *ret)
{
    double lo = bounds[0] * power;
    double hi = bounds[1] * power;

    if (!(lo >= INT16_MIN && hi <= INT16_MAX && lo <= hi))
        return false;
    ret->lo = (int32_t)(lo < 0 ? lo - 0.5 : lo + 0.5); /* they are next to integers */
    ret->hi = (int32_t)(hi < 0 ? hi - 0.5 : hi + 0.5);
    return true;
}

int codec_frame_ops_narrow(const struct codec_part *part,
                           unsigned order,
                           const double bounds[2],
                           int16_t *to,
                           struct codec_narrow *ret,
                           struct dn_err *err)
{
    union bitpack_lanes lanes;
    struct codec_frame f;
    int rc;

    if (!codec_narrow_fits(bounds, 1, ret))
        return DN_NOT_FOUND;
    rc = codec_frame_ops_open(part, order, &f, err);
    if (rc < 0)
        return rc;
    f.size = sizeof *to;
    codec_frame_unpack(&f, &lanes, to);
    return 0;
}

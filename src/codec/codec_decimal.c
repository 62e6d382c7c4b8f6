/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_decimal.c: NUMERIC as integers over a power of ten, one power for the vector. Numbers that
 * show fewer digits after the point than the vector's scale say how many fewer, so that 1.5 and
 * 1.50 come back as they were; where all show the same, which a NUMERIC(p, s) sees to, that takes
 * no bytes.
 *
 *   u16 scale, u8 order, u8 width of the digits fewer, varint odd rows, bit-packed row numbers of
 *   these, their values (u8 length and the stored form of wide.h each), bit-packed digits fewer,
 *   then all rows as integers of 8 bytes: a frame of the order
 *
 * Odd is what has no such integer: NaN, infinities, more than 64 bits, more digits than the scale.
 * The scale is the largest in the vector or the most frequent, whichever leaves fewer odd. Decodes
 * to a FLAT vector of numbers. */
#include "codec/codec_frame.h"
#include "vec/numeric.h"

#define CODEC_DECIMAL_ROW_BITS   10u
#define CODEC_DECIMAL_FEWER_MAX  18u /* 10^18 is the greatest that a value of 8 bytes holds */
#define CODEC_DECIMAL_FEWER_BITS 5u
#define CODEC_DECIMAL_HEAD       4u /* bytes: scale, order, width */

/* ---- encoding ---- */

/* The numbers as integers at a scale; returns how many are odd. */
static uint32_t codec_decimal_try(const struct codec_in *in, int scale)
{
    struct codec_decimal *d = &in->work->decimal;
    int64_t *ints = (int64_t *)in->work->wide;
    int64_t held = 0; /* what stands under odd rows */
    bool any = false;

    d->scale = scale;
    d->odd = 0;
    d->fewer_max = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        struct vnumeric v = in->nums[i];
        int fewer = scale - v.scale;
        bool good = vnumeric_short(v) && fewer >= 0 && fewer <= (int)CODEC_DECIMAL_FEWER_MAX;

        if (good && fewer)
            good = !__builtin_mul_overflow((int64_t)v.lo, (int64_t)vnumeric_tens[fewer], &ints[i]);
        else
            ints[i] = (int64_t)v.lo;
        d->fewer[i] = good ? (uint8_t)fewer : 0;
        d->fewer_max = d->fewer[i] > d->fewer_max ? d->fewer[i] : d->fewer_max;
        if (!good) {
            d->rows[d->odd++] = (uint16_t)i;
            ints[i] = held;
            continue;
        }
        held = ints[i];
        for (uint32_t k = 0; !any && k < i; k++)
            ints[k] = held;
        any = true;
    }
    return d->odd;
}

/* Tries the scales that may do; false: no row has an integer. */
static bool codec_decimal_scale(const struct codec_in *in)
{
    uint16_t times[VNUMERIC_SCALE_MAX + 1] = {0};
    int greatest = -1;
    int common = 0;
    uint32_t odd;

    for (uint32_t i = 0; i < in->count; i++) {
        int scale = in->nums[i].scale;

        if (!vnumeric_short(in->nums[i]))
            continue;
        times[scale]++;
        greatest = scale > greatest ? scale : greatest;
        common = times[scale] > times[common] ? scale : common;
    }
    if (greatest < 0)
        return false;
    odd = codec_decimal_try(in, greatest);
    if (odd && common != greatest && codec_decimal_try(in, common) >= odd)
        (void)codec_decimal_try(in, greatest);
    return true;
}

static uint32_t codec_decimal_odd_put(const struct codec_in *in, uint32_t i, uint8_t *to)
{
    return vnumeric_put(in->nums[in->work->decimal.rows[i]], to);
}

static size_t codec_decimal_size(const struct codec_in *in, size_t limit)
{
    static const unsigned weights[] = {100, 112, 125}; /* of orders: as FOR, DELTA, DELTA2 have */
    struct codec_work *work = in->work;
    struct codec_decimal *d = &work->decimal;
    uint8_t bytes[VNUMERIC_BYTES_MAX];
    size_t best = SIZE_MAX;
    size_t size;

    if (!in->nums || !codec_decimal_scale(in))
        return SIZE_MAX;
    size = CODEC_DECIMAL_HEAD + codec_varint_size(d->odd) +
           bitpack_size(d->odd, CODEC_DECIMAL_ROW_BITS) +
           bitpack_size(in->count, bitpack_width(d->fewer_max));
    for (uint32_t i = 0; i < d->odd; i++)
        size += 1 + codec_decimal_odd_put(in, i, bytes);
    for (unsigned order = 0; order < DN_ARRAY_SIZE(weights); order++) {
        size_t frame;

        work->spread[order] = codec_spread_of(work->wide, in->count, order, sizeof(int64_t));
        frame =
            codec_frame_size(work->wide, in->count, order, sizeof(int64_t), &work->spread[order]);
        if (best == SIZE_MAX || frame * weights[order] < best * weights[d->order]) {
            d->order = order;
            best = frame;
        }
    }
    size += best;
    return size < limit ? size : SIZE_MAX;
}

static void codec_decimal_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;
    const struct codec_decimal *d = &work->decimal;
    unsigned width = bitpack_width(d->fewer_max);

    buf_u16(b, (uint16_t)d->scale);
    buf_u8(b, (uint8_t)d->order);
    buf_u8(b, (uint8_t)width);
    buf_varint(b, d->odd);
    for (uint32_t i = 0; i < d->odd; i++)
        work->pack[i] = d->rows[i];
    codec_put_packed(b, work, d->odd, CODEC_DECIMAL_ROW_BITS);
    for (uint32_t i = 0; i < d->odd; i++) {
        uint8_t bytes[VNUMERIC_BYTES_MAX];
        uint32_t len = codec_decimal_odd_put(in, i, bytes);

        buf_u8(b, (uint8_t)len);
        buf_append(b, bytes, len);
    }
    for (uint32_t i = 0; width && i < in->count; i++)
        work->pack[i] = d->fewer[i];
    codec_put_packed(b, work, in->count, width);
    codec_frame_put(
        b, work, work->wide, d->order, in->count, sizeof(int64_t), &work->spread[d->order]);
}

/* ---- decoding ---- */

/* The head and where the parts stand; row numbers and odd values are not checked yet. */
struct codec_decimal_parts {
    unsigned scale;
    unsigned width;       /* of the digits fewer */
    uint32_t odd;         /* rows */
    const uint8_t *rows;  /* packed numbers of the odd rows */
    struct rd values;     /* of these: length and bytes each */
    const uint8_t *fewer; /* packed */
    struct codec_frame frame;
};

static int codec_decimal_open(const struct codec_part *part,
                              struct codec_decimal_parts *ret,
                              struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    struct codec_decimal_parts d = {.scale = rd_u16(&r)};
    unsigned order = rd_u8(&r);
    uint64_t odd;

    DN_CHECK_DISK(
        part->phys == PHYS_NUMERIC, err, "vector: scaled integers where values are no NUMERIC");
    d.width = rd_u8(&r);
    odd = rd_varint(&r);
    DN_CHECK_DISK(!r.bad, err, "vector: bad head of scaled integers");
    DN_CHECK_DISK(d.scale <= VNUMERIC_SCALE_MAX, err, "vector: NUMERIC of scale %u", d.scale);
    DN_CHECK_DISK(order <= 2, err, "vector: scaled integers of order %u", order);
    DN_CHECK_DISK(d.width <= CODEC_DECIMAL_FEWER_BITS, err, "vector: scales of %u bits", d.width);
    DN_CHECK_DISK(odd <= part->count,
                  err,
                  "vector: %llu odd numbers in %u rows",
                  (unsigned long long)odd,
                  part->count);
    d.odd = (uint32_t)odd;
    d.rows = rd_bytes(&r, bitpack_size(d.odd, CODEC_DECIMAL_ROW_BITS));
    d.values = r;
    for (uint32_t i = 0; i < d.odd; i++)
        (void)rd_bytes(&r, rd_u8(&r));
    d.fewer = rd_bytes(&r, bitpack_size(part->count, d.width));
    DN_CHECK_DISK(!r.bad, err, "vector: scales or odd numbers cut short");
    *ret = d;
    return codec_frame_get(r.p, rd_left(&r), order, part->count, sizeof(int64_t), &ret->frame, err);
}

/* The number of an integer at the vector's scale that shows some digits fewer. */
static int codec_decimal_shown(const struct codec_decimal_parts *d,
                               int64_t v,
                               unsigned fewer,
                               struct vnumeric *ret,
                               struct dn_err *err)
{
    int64_t ten;

    DN_CHECK_DISK(fewer <= CODEC_DECIMAL_FEWER_MAX && fewer <= d->scale,
                  err,
                  "vector: NUMERIC of scale %u with %u digits fewer",
                  d->scale,
                  fewer);
    ten = (int64_t)vnumeric_tens[fewer];
    DN_CHECK_DISK(v % ten == 0, err, "vector: a digit where a NUMERIC shows none");
    v /= ten;
    *ret = (struct vnumeric){
        .lo = (uint64_t)v, .hi = v >> 63, .scale = (int16_t)(int)(d->scale - fewer)};
    return 0;
}

/* Reads the next odd number. */
static int codec_decimal_odd_get(struct rd *values, struct vnumeric *ret, struct dn_err *err)
{
    unsigned len = rd_u8(values);
    const uint8_t *p = rd_bytes(values, len);

    DN_CHECK_DISK(p && vnumeric_get(p, len, ret), err, "vector: bytes that are no NUMERIC");
    return 0;
}

static int codec_decimal_odds(const struct codec_part *part,
                              const struct codec_decimal_parts *d,
                              struct vnumeric *to,
                              struct dn_err *err)
{
    struct rd values = d->values;
    uint32_t next = 0; /* the least row that may follow */

    for (uint32_t i = 0; i < d->odd; i++) {
        uint32_t row = (uint32_t)bitpack_get(d->rows, d->odd, CODEC_DECIMAL_ROW_BITS, i);
        int rc;

        DN_CHECK_DISK(row >= next && row < part->count,
                      err,
                      "vector: odd number %u is that of row %u",
                      i,
                      row);
        next = row + 1;
        rc = codec_decimal_odd_get(&values, &to[row], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int codec_decimal_decode(const struct codec_part *part,
                                struct arena *arena,
                                struct vec *ret,
                                struct dn_err *err)
{
    union bitpack_lanes lanes;
    struct codec_decimal_parts d;
    int64_t ints[VEC_ROWS_MAX];
    uint16_t fewer[VEC_ROWS_MAX];
    struct vnumeric *to;
    int rc;

    rc = codec_decimal_open(part, &d, err);
    if (rc < 0)
        return rc;
    to = arena_alloc_array(arena, part->count, sizeof *to);
    if (!to)
        return DN_FAIL_NOMEM(err);
    codec_frame_unpack(&d.frame, &lanes, ints);
    if (d.width == 0) {
        for (uint32_t i = 0; i < part->count; i++)
            to[i] = (struct vnumeric){
                .lo = (uint64_t)ints[i], .hi = ints[i] >> 63, .scale = (int16_t)(int)d.scale};
    } else {
        bitpack_unpack16(d.fewer, part->count, d.width, fewer);
        for (uint32_t i = 0; i < part->count; i++) {
            rc = codec_decimal_shown(&d, ints[i], fewer[i], &to[i], err);
            if (rc < 0)
                return rc;
        }
    }
    ret->form = VEC_FLAT;
    ret->data = to;
    return codec_decimal_odds(part, &d, to, err);
}

static int codec_decimal_get(const struct codec_part *part,
                             uint32_t row,
                             struct datum *ret,
                             struct dn_err *err)
{
    struct codec_decimal_parts d;
    int rc;

    rc = codec_decimal_open(part, &d, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < d.odd; i++) {
        struct vnumeric odd;

        rc = codec_decimal_odd_get(&d.values, &odd, err);
        if (rc < 0)
            return rc;
        if (bitpack_get(d.rows, d.odd, CODEC_DECIMAL_ROW_BITS, i) == row) {
            ret->num = odd;
            return 0;
        }
    }
    return codec_decimal_shown(&d,
                               codec_frame_at(&d.frame, row),
                               (unsigned)bitpack_get(d.fewer, part->count, d.width, row),
                               &ret->num,
                               err);
}

const struct codec_ops codec_decimal_ops = {
    .name = "decimal",
    .weight = 100,
    .stage = CODEC_COSTLY,
    .numbers = true,
    .size = codec_decimal_size,
    .encode = codec_decimal_encode,
    .decode = codec_decimal_decode,
    .get = codec_decimal_get,
};

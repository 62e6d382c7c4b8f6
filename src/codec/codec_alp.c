/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_alp.c: floating-point numbers that were decimal ones: integers over a power of ten, one
 * power for the vector. The idea is that of "ALP: Adaptive Lossless floating-Point Compression"
 * (Afroozeh, Kuffo, Boncz 2023); here the way back is one division, correctly rounded, so that
 * every number that was read from up to 15 digits comes back as it was.
 *
 *   u8 exponent, varint odd rows, bit-packed row numbers of these, their values as they are,
 *   then all rows as integers of 8 bytes: a frame of order 0 (ALP) or 1 (ALP_DELTA), or a kin frame
 *   (ALP_KIN and ALP_ANS, which have the guide before all this)
 *
 * A value is odd if integer / 10^exponent is not the same bit for bit: NaN, infinities, -0.0,
 * numbers of more digits. Integers are within -2^51 .. 2^51. A REAL is the quotient, a double,
 * rounded to a float.
 *
 * The exponent is searched on a few rows; if most of them fit none, the codec gives up there.
 * Decodes to a FLAT vector. */
#include "codec/codec_frame.h"
#include "codec/codec_kin.h"

#define CODEC_ALP_ROW_BITS 10u
#define CODEC_ALP_SAMPLE   32u
#define CODEC_ALP_LIMIT    0x1p51 /* of an integer */
#define CODEC_ALP_BITS_MAX 53u    /* of a code; differences take one more */
#define CODEC_ALP_MAGIC    0x1.8p52
#define CODEC_ALP_KIN      2u /* in place of an order: a kin frame */
#define CODEC_ALP_ANS      3u /* … with symbols */
#define CODEC_ALP_NONE     (CODEC_EXPONENT_MAX + 1)

static const double codec_alp_tens[CODEC_EXPONENT_MAX + 1] = {1e0,
                                                              1e1,
                                                              1e2,
                                                              1e3,
                                                              1e4,
                                                              1e5,
                                                              1e6,
                                                              1e7,
                                                              1e8,
                                                              1e9,
                                                              1e10,
                                                              1e11,
                                                              1e12,
                                                              1e13,
                                                              1e14,
                                                              1e15,
                                                              1e16,
                                                              1e17,
                                                              1e18};

/* ---- encoding ---- */

static double codec_alp_value(const struct codec_in *in, uint32_t row)
{
    if (in->phys == PHYS_F32)
        return (double)((const float *)in->data)[row];
    return ((const double *)in->data)[row];
}

static bool codec_alp_same(enum phys phys, double quotient, uint64_t bits)
{
    uint64_t got = 0;
    float f = (float)quotient;

    if (phys == PHYS_F32)
        memcpy(&got, &f, sizeof f);
    else
        memcpy(&got, &quotient, sizeof quotient);
    return got == bits;
}

/* The least exponent that gives the value of a row back, and the integer. */
static unsigned codec_alp_exponent_of(const struct codec_in *in, uint32_t row, double *ret_n)
{
    double v = codec_alp_value(in, row);

    for (unsigned e = 0; e <= CODEC_EXPONENT_MAX; e++) {
        double n = v * codec_alp_tens[e];

        if (!(n >= -CODEC_ALP_LIMIT && n <= CODEC_ALP_LIMIT))
            break;
        n = n + CODEC_ALP_MAGIC - CODEC_ALP_MAGIC; /* to the nearest integer */
        if (codec_alp_same(in->phys, n / codec_alp_tens[e], in->wide[row])) {
            *ret_n = n;
            return e;
        }
    }
    return CODEC_ALP_NONE;
}

/* The exponent that makes the sample shortest; CODEC_ALP_NONE if that is hardly shorter than the
 * values are. */
static unsigned codec_alp_search(const struct codec_in *in, bool insist)
{
    unsigned bits = 8 * phys_size(in->phys);
    uint32_t sample = in->count < CODEC_ALP_SAMPLE ? in->count : CODEC_ALP_SAMPLE;
    double ns[CODEC_ALP_SAMPLE];
    unsigned es[CODEC_ALP_SAMPLE];
    uint64_t seen = 0; /* bit e: some row needs exponent e */
    unsigned best = CODEC_ALP_NONE;
    double best_bits = insist ? 1e18 : (double)(sample * bits);

    for (uint32_t i = 0; i < sample; i++) {
        es[i] = codec_alp_exponent_of(in, (uint32_t)((uint64_t)i * in->count / sample), &ns[i]);
        seen |= (uint64_t)1 << es[i];
        if (i == sample / 4 && seen == (uint64_t)1 << CODEC_ALP_NONE && !insist)
            return CODEC_ALP_NONE;
    }
    for (unsigned e = 0; e <= CODEC_EXPONENT_MAX; e++) {
        double min = CODEC_ALP_LIMIT;
        double max = -CODEC_ALP_LIMIT;
        uint32_t odd = 0;
        double size;

        if (!(seen >> e & 1) && !(insist && e == 0))
            continue;
        for (uint32_t i = 0; i < sample; i++) {
            double n = es[i] <= e ? ns[i] * codec_alp_tens[e - es[i]] : 0;

            if (es[i] > e || !(n >= -CODEC_ALP_LIMIT && n <= CODEC_ALP_LIMIT)) {
                odd++;
                continue;
            }
            min = n < min ? n : min;
            max = n > max ? n : max;
        }
        size = odd * (bits + CODEC_ALP_ROW_BITS);
        if (odd < sample)
            size += sample * bitpack_width((uint64_t)(max - min));
        if (size < best_bits) {
            best_bits = size;
            best = e;
        }
    }
    return best;
}

/* Rounded products as integers; those out of range as 2^51, which is none of a value. */
static void codec_alp_round(const struct codec_in *in, double power, uint64_t *restrict ints)
{
    const double *f64 = in->data;
    const float *f32 = in->data;
    double magic = CODEC_ALP_MAGIC;
    uint64_t magic_bits;

    memcpy(&magic_bits, &magic, sizeof magic);
    for (uint32_t i = 0; i < in->count; i++) {
        double n = (in->phys == PHYS_F32 ? (double)f32[i] : f64[i]) * power;
        uint64_t bits;

        n = n >= -CODEC_ALP_LIMIT && n <= CODEC_ALP_LIMIT ? n : CODEC_ALP_LIMIT;
        n += CODEC_ALP_MAGIC;
        memcpy(&bits, &n, sizeof bits);
        ints[i] = bits - magic_bits;
    }
}

/* Turns all rows into integers and lists the odd ones. */
static void codec_alp_fill(const struct codec_in *in)
{
    struct codec_work *work = in->work;
    uint64_t back[VEC_ROWS_MAX];
    double quotient;
    uint64_t last = 0;
    uint32_t odd = 0;

    codec_alp_round(in, codec_alp_tens[work->alp_exponent], work->alp_ints);
    memcpy(back, work->alp_ints, in->count * sizeof *back);
    codec_kernels()->scale(back, in->count, work->alp_exponent);
    if (in->phys == PHYS_F32)
        for (uint32_t i = 0; i < in->count; i++) {
            uint32_t bits;
            float f;

            memcpy(&quotient, &back[i], sizeof quotient);
            f = (float)quotient;
            memcpy(&bits, &f, sizeof bits);
            back[i] = bits;
        }
    for (uint32_t i = 0; i < in->count; i++) {
        work->alp_rows[odd] = (uint16_t)i;
        odd += back[i] != in->wide[i];
    }
    work->alp_odd = odd;
    /* Odd rows take the integer of the row before; the first ones that of the first that has one.
     */
    if (odd == in->count) {
        memset(work->alp_ints, 0, in->count * sizeof *work->alp_ints);
        return;
    }
    for (uint32_t i = 0; i < odd && work->alp_rows[i] == i; i++)
        last = work->alp_ints[i + 1];
    for (uint32_t i = 0; i < odd; i++) {
        uint32_t row = work->alp_rows[i];
        work->alp_ints[row] = row == i ? last : work->alp_ints[row - 1];
    }
}

/* Bytes of the integers; SIZE_MAX if there is no such form, or it has limit bytes. */
static size_t codec_alp_ints_size(const struct codec_in *in, unsigned order, size_t limit)
{
    struct codec_work *work = in->work;
    struct codec_loose odd = {.rows = work->alp_rows, .count = work->alp_odd};
    size_t head;
    size_t size;

    if (order < CODEC_ALP_KIN)
        return codec_frame_size(work->alp_ints, in->count, order, 8, &work->alp_spread[order]);
    head = codec_kin_head_size(in);
    if (order == CODEC_ALP_KIN)
        return head + codec_kin_size(in, work->alp_ints, 8, odd);
    size = limit > head ? codec_kin_ans_size(in, work->alp_ints, 8, odd, limit - head) : SIZE_MAX;
    return size < SIZE_MAX ? head + size : SIZE_MAX;
}

static size_t codec_alp_size(const struct codec_in *in, unsigned order, size_t limit)
{
    struct codec_work *work = in->work;
    bool insist = limit == SIZE_MAX;
    size_t size;
    size_t ints;

    if (in->phys != PHYS_F32 && in->phys != PHYS_F64)
        return SIZE_MAX;
    if (work->runs == 1 && !insist)
        return SIZE_MAX;
    if (!work->alp_done || (insist && !work->alp_fits)) {
        work->alp_done = true;
        work->alp_exponent = codec_alp_search(in, insist);
        work->alp_fits = work->alp_exponent != CODEC_ALP_NONE;
        if (work->alp_fits) {
            codec_alp_fill(in);
            for (unsigned i = 0; i < DN_ARRAY_SIZE(work->alp_spread); i++)
                work->alp_spread[i] = codec_spread_of(work->alp_ints, in->count, i, 8);
        }
    }
    if (!work->alp_fits)
        return SIZE_MAX;
    size = 1 + codec_varint_size(work->alp_odd) + bitpack_size(work->alp_odd, CODEC_ALP_ROW_BITS) +
           (size_t)work->alp_odd * phys_size(in->phys);
    if (size >= limit)
        return SIZE_MAX;
    ints = codec_alp_ints_size(in, order, limit - size);
    if (ints == SIZE_MAX)
        return SIZE_MAX;
    size += ints;
    return size < limit ? size : SIZE_MAX;
}

static void codec_alp_encode(const struct codec_in *in, unsigned order, struct buf *b)
{
    struct codec_work *work = in->work;

    if (order >= CODEC_ALP_KIN)
        codec_kin_head_put(in, b);
    buf_u8(b, (uint8_t)work->alp_exponent);
    buf_varint(b, work->alp_odd);
    for (uint32_t i = 0; i < work->alp_odd; i++)
        work->pack[i] = work->alp_rows[i];
    codec_put_packed(b, work, work->alp_odd, CODEC_ALP_ROW_BITS);
    if (work->alp_odd)
        codec_values_put(in, work->alp_rows, work->alp_odd, b);
    if (order >= CODEC_ALP_KIN)
        codec_kin_put(in, order == CODEC_ALP_KIN ? &work->kin : &work->small->plan, b);
    else
        codec_frame_put(b, work, work->alp_ints, order, in->count, 8, &work->alp_spread[order]);
}

/* ---- decoding ---- */

struct codec_alp {
    unsigned exponent;
    uint32_t odd;                /* rows that are no integers */
    uint16_t rows[VEC_ROWS_MAX]; /* which, ascending */
    const uint8_t *values;       /* theirs, as they lie in memory */
    struct codec_frame frame;    /* the integers */
    struct codec_kin_frame kin;  /* or these */
    struct codec_kin plain;      /* what the last may point to */
};

/* The integers' frame, which runs to the end. */
static int codec_alp_open_ints(struct rd *r,
                               const struct codec_part *part,
                               unsigned order,
                               const struct codec_kin *kin,
                               struct codec_alp *ret,
                               struct dn_err *err)
{
    int rc;

    if (order >= CODEC_ALP_KIN) {
        rc = codec_kin_get(r, kin, 8, order == CODEC_ALP_ANS, &ret->kin, err);
        if (rc < 0)
            return rc;
        DN_CHECK_DISK(rd_left(r) == 0, err, "vector: %zu bytes too many", rd_left(r));
        return 0;
    }
    rc = codec_frame_get(r->p, rd_left(r), order, part->count, 8, &ret->frame, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(ret->frame.width <= CODEC_ALP_BITS_MAX + order,
                  err,
                  "vector: decimal numbers of %u bits",
                  ret->frame.width);
    return 0;
}

static int codec_alp_open(const struct codec_part *part,
                          unsigned order,
                          struct codec_alp *ret,
                          struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    const struct codec_kin *kin = NULL;
    const uint8_t *packed;
    uint64_t odd;
    int rc = 0;

    DN_CHECK_DISK(part->phys == PHYS_F32 || part->phys == PHYS_F64,
                  err,
                  "vector: decimal numbers where values are no floating-point ones");
    if (order >= CODEC_ALP_KIN)
        rc = codec_kin_head_get(&r, part, &ret->plain, &kin, err);
    if (rc < 0)
        return rc;
    ret->exponent = rd_u8(&r);
    odd = rd_varint(&r);
    DN_CHECK_DISK(!r.bad, err, "vector: bad head of decimal numbers");
    DN_CHECK_DISK(
        ret->exponent <= CODEC_EXPONENT_MAX, err, "vector: ten to the power of %u", ret->exponent);
    DN_CHECK_DISK(odd <= part->count,
                  err,
                  "vector: %llu odd numbers in %u rows",
                  (unsigned long long)odd,
                  part->count);
    ret->odd = (uint32_t)odd;
    packed = rd_bytes(&r, bitpack_size(ret->odd, CODEC_ALP_ROW_BITS));
    ret->values = rd_bytes(&r, (size_t)ret->odd * phys_size(part->phys));
    DN_CHECK_DISK(packed && ret->values, err, "vector: odd numbers cut short");
    bitpack_unpack16(packed, ret->odd, CODEC_ALP_ROW_BITS, ret->rows);
    for (uint32_t i = 0; i < ret->odd; i++)
        DN_CHECK_DISK(ret->rows[i] < part->count && (i == 0 || ret->rows[i] > ret->rows[i - 1]),
                      err,
                      "vector: odd number %u is that of row %u",
                      i,
                      ret->rows[i]);
    return codec_alp_open_ints(&r, part, order, kin, ret, err);
}

static void codec_alp_shorten(const double *restrict from, uint32_t count, float *restrict to)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static int codec_alp_decode(const struct codec_part *part,
                            unsigned order,
                            struct arena *arena,
                            struct vec *ret,
                            struct dn_err *err)
{
    const struct codec_kernels *kernels = codec_kernels();
    uint32_t size = phys_size(part->phys);
    double wide[VEC_ROWS_MAX];
    union bitpack_lanes lanes;
    struct codec_alp alp;
    double *to;
    void *data;
    int rc;

    rc = codec_alp_open(part, order, &alp, err);
    if (rc < 0)
        return rc;
    data = arena_alloc_array(arena, part->count, size);
    if (!data)
        return DN_FAIL_NOMEM(err);
    to = part->phys == PHYS_F64 ? data : wide;
    if (order == 0) {
        struct codec_codes codes = {&lanes, alp.frame.width, part->count};

        bitpack_unpack(alp.frame.packed, part->count, alp.frame.width, &lanes);
        kernels->widen_scale(&codes, alp.frame.least, alp.exponent, to);
    } else if (order == 1 && !codec_frame_may_leave(&alp.frame, 32)) {
        struct codec_codes codes = {&lanes, alp.frame.width, part->count};

        bitpack_unpack(alp.frame.packed, part->count, alp.frame.width, &lanes);
        kernels->sums_scale(
            &codes, (int32_t)alp.frame.first, (int32_t)alp.frame.least, alp.exponent, to);
    } else {
        if (order >= CODEC_ALP_KIN)
            codec_kin_unpack(&alp.kin, (uint64_t *)(void *)to);
        else
            codec_frame_unpack(&alp.frame, &lanes, to);
        kernels->scale((uint64_t *)(void *)to, part->count, alp.exponent);
    }
    if (part->phys == PHYS_F32)
        codec_alp_shorten(wide, part->count, data);
    for (uint32_t i = 0; i < alp.odd; i++)
        memcpy((uint8_t *)data + (size_t)alp.rows[i] * size, alp.values + (size_t)i * size, size);
    ret->form = VEC_FLAT;
    ret->data = data;
    return 0;
}

static int codec_alp_get(const struct codec_part *part,
                         unsigned order,
                         uint32_t row,
                         struct datum *ret,
                         struct dn_err *err)
{
    struct codec_alp alp;
    uint64_t n;
    int rc;

    rc = codec_alp_open(part, order, &alp, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < alp.odd; i++)
        if (alp.rows[i] == row) {
            ret->v = codec_fixed(part->phys, alp.values + (size_t)i * phys_size(part->phys));
            return 0;
        }
    n = (uint64_t)(order >= CODEC_ALP_KIN ? codec_kin_at(&alp.kin, row)
                                          : codec_frame_at(&alp.frame, row));
    codec_kernels()->scale(&n, 1, alp.exponent);
    memcpy(&ret->v.f64, &n, sizeof n);
    if (part->phys == PHYS_F32)
        ret->v.f64 = (double)(float)ret->v.f64;
    return 0;
}

static int codec_alp_narrow(const struct codec_part *part,
                            unsigned order,
                            const double bounds[2],
                            int16_t *to,
                            struct codec_narrow *ret,
                            struct dn_err *err)
{
    union bitpack_lanes lanes;
    struct codec_alp alp;
    int rc = codec_alp_open(part, order, &alp, err);

    if (rc < 0)
        return rc;
    if (alp.odd || !codec_narrow_fits(bounds, codec_alp_tens[alp.exponent], ret))
        return DN_NOT_FOUND;
    ret->exponent = alp.exponent;
    alp.frame.size = sizeof *to;
    codec_frame_unpack(&alp.frame, &lanes, to);
    return 0;
}

/* Is one of the odd rows in one of the ranges? */
static bool codec_alp_odd_in(const struct codec_alp *alp, const struct codec_ask *ask)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < alp->odd; i++) {
        while (k < ask->count && ask->ranges[k].hi <= alp->rows[i])
            k++;
        if (k < ask->count && alp->rows[i] >= ask->ranges[k].lo)
            return true;
    }
    return false;
}

/* The integers add up exactly and are divided once; quotients are in the order of the integers. A
 * REAL is rounded on its own, so its sum is not to be had that way. */
static int codec_alp_agg(const struct codec_part *part,
                         unsigned order,
                         const struct codec_ask *ask,
                         struct codec_agg *ret,
                         struct dn_err *err)
{
    uint64_t ints[VEC_ROWS_MAX];
    struct codec_alp alp;
    int rc;

    if (part->phys != PHYS_F64)
        return DN_NOT_FOUND;
    rc = codec_alp_open(part, order, &alp, err);
    if (rc < 0)
        return rc;
    if (codec_alp_odd_in(&alp, ask))
        return DN_NOT_FOUND;
    if (order >= CODEC_ALP_KIN) {
        codec_kin_unpack(&alp.kin, ints);
        codec_agg_words((const int64_t *)ints, ask, ret);
    } else if (!codec_frame_agg(&alp.frame, ask, ret)) {
        return DN_NOT_FOUND;
    }
    for (uint32_t k = 0; k < ask->count; k++) {
        uint64_t bounds[2] = {(uint64_t)ret[k].min.i64, (uint64_t)ret[k].max.i64};

        if (ask->want & CODEC_SUM)
            ret[k].fsum = (double)ret[k].isum / codec_alp_tens[alp.exponent];
        if (!(ask->want & CODEC_BOUNDS))
            continue;
        codec_kernels()->scale(bounds, 2, alp.exponent);
        memcpy(&ret[k].min.f64, &bounds[0], sizeof bounds[0]);
        memcpy(&ret[k].max.f64, &bounds[1], sizeof bounds[1]);
    }
    return 0;
}

/* ---- order 0 ---- */

static size_t codec_alp0_size(const struct codec_in *in, size_t limit)
{
    return codec_alp_size(in, 0, limit);
}

static void codec_alp0_encode(const struct codec_in *in, struct buf *b)
{
    codec_alp_encode(in, 0, b);
}

static int codec_alp0_decode(const struct codec_part *part,
                             struct arena *arena,
                             struct vec *ret,
                             struct dn_err *err)
{
    return codec_alp_decode(part, 0, arena, ret, err);
}

static int
codec_alp0_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    return codec_alp_get(part, 0, row, ret, err);
}

static int codec_alp0_agg(const struct codec_part *part,
                          const struct codec_ask *ask,
                          struct codec_agg *ret,
                          struct dn_err *err)
{
    return codec_alp_agg(part, 0, ask, ret, err);
}

static int codec_alp0_narrow(const struct codec_part *part,
                             const double bounds[2],
                             int16_t *to,
                             struct codec_narrow *ret,
                             struct dn_err *err)
{
    return codec_alp_narrow(part, 0, bounds, to, ret, err);
}

const struct codec_ops codec_alp_ops = {
    .name = "alp",
    .weight = 100,
    .stage = CODEC_COSTLY,
    .size = codec_alp0_size,
    .encode = codec_alp0_encode,
    .decode = codec_alp0_decode,
    .get = codec_alp0_get,
    .agg = codec_alp0_agg,
    .narrow = codec_alp0_narrow,
};

/* ---- order 1 ---- */

static size_t codec_alp1_size(const struct codec_in *in, size_t limit)
{
    return codec_alp_size(in, 1, limit);
}

static void codec_alp1_encode(const struct codec_in *in, struct buf *b)
{
    codec_alp_encode(in, 1, b);
}

static int codec_alp1_decode(const struct codec_part *part,
                             struct arena *arena,
                             struct vec *ret,
                             struct dn_err *err)
{
    return codec_alp_decode(part, 1, arena, ret, err);
}

static int
codec_alp1_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    return codec_alp_get(part, 1, row, ret, err);
}

static int codec_alp1_agg(const struct codec_part *part,
                          const struct codec_ask *ask,
                          struct codec_agg *ret,
                          struct dn_err *err)
{
    return codec_alp_agg(part, 1, ask, ret, err);
}

static int codec_alp1_narrow(const struct codec_part *part,
                             const double bounds[2],
                             int16_t *to,
                             struct codec_narrow *ret,
                             struct dn_err *err)
{
    return codec_alp_narrow(part, 1, bounds, to, ret, err);
}

const struct codec_ops codec_alp_delta_ops = {
    .name = "alp_delta",
    .weight = 112,
    .stage = CODEC_COSTLY,
    .size = codec_alp1_size,
    .encode = codec_alp1_encode,
    .decode = codec_alp1_decode,
    .get = codec_alp1_get,
    .agg = codec_alp1_agg,
    .narrow = codec_alp1_narrow,
};

/* ---- differences to kin ---- */

static size_t codec_alp_kin_size(const struct codec_in *in, size_t limit)
{
    codec_kin_ready(in);
    return codec_alp_size(in, CODEC_ALP_KIN, limit);
}

static void codec_alp_kin_encode(const struct codec_in *in, struct buf *b)
{
    codec_alp_encode(in, CODEC_ALP_KIN, b);
}

static int codec_alp_kin_decode(const struct codec_part *part,
                                struct arena *arena,
                                struct vec *ret,
                                struct dn_err *err)
{
    return codec_alp_decode(part, CODEC_ALP_KIN, arena, ret, err);
}

static int codec_alp_kin_get(const struct codec_part *part,
                             uint32_t row,
                             struct datum *ret,
                             struct dn_err *err)
{
    return codec_alp_get(part, CODEC_ALP_KIN, row, ret, err);
}

static int codec_alp_kin_agg(const struct codec_part *part,
                             const struct codec_ask *ask,
                             struct codec_agg *ret,
                             struct dn_err *err)
{
    return codec_alp_agg(part, CODEC_ALP_KIN, ask, ret, err);
}

const struct codec_ops codec_alp_kin_ops = {
    .name = "alp_kin",
    .weight = 115,
    .stage = CODEC_COSTLY,
    .hinted = true,
    .guided = true,
    .size = codec_alp_kin_size,
    .encode = codec_alp_kin_encode,
    .decode = codec_alp_kin_decode,
    .get = codec_alp_kin_get,
    .agg = codec_alp_kin_agg,
};

/* ---- the same, with symbols ---- */

static size_t codec_alp_ans_size(const struct codec_in *in, size_t limit)
{
    codec_kin_ready(in);
    return codec_alp_size(in, CODEC_ALP_ANS, limit);
}

static void codec_alp_ans_encode(const struct codec_in *in, struct buf *b)
{
    codec_alp_encode(in, CODEC_ALP_ANS, b);
}

static int codec_alp_ans_decode(const struct codec_part *part,
                                struct arena *arena,
                                struct vec *ret,
                                struct dn_err *err)
{
    return codec_alp_decode(part, CODEC_ALP_ANS, arena, ret, err);
}

static int codec_alp_ans_get(const struct codec_part *part,
                             uint32_t row,
                             struct datum *ret,
                             struct dn_err *err)
{
    return codec_alp_get(part, CODEC_ALP_ANS, row, ret, err);
}

static int codec_alp_ans_agg(const struct codec_part *part,
                             const struct codec_ask *ask,
                             struct codec_agg *ret,
                             struct dn_err *err)
{
    return codec_alp_agg(part, CODEC_ALP_ANS, ask, ret, err);
}

const struct codec_ops codec_alp_ans_ops = {
    .name = "alp_ans",
    .weight = 200,
    .stage = CODEC_LOOKUP,
    .hinted = true,
    .guided = true,
    .small = true,
    .size = codec_alp_ans_size,
    .encode = codec_alp_ans_encode,
    .decode = codec_alp_ans_decode,
    .get = codec_alp_ans_get,
    .agg = codec_alp_ans_agg,
};

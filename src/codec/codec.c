/* SPDX-License-Identifier: Apache-2.0
 *
 * codec.c: the driver. Encoding: write flags and bitmaps, fill the gaps under missing rows, make
 * statistics once, ask every codec of the list for its size, let the smallest write. Decoding: the
 * same backwards, trusting nothing. The bytes are in docs/format/vector.md.
 *
 * A row is "missing" if it is NULL or absent. A vector whose rows are all missing has no values:
 * the codec is not asked at all. */
#include "codec/codec.h"

#include "codec/codec_int.h"

enum codec_flag {
    CODEC_NULLS = 1,      /* nulls bitmap follows */
    CODEC_ABSENT = 2,     /* absent bitmap follows */
    CODEC_NULLS_ALL = 4,  /* every row is NULL; no nulls bitmap */
    CODEC_ABSENT_ALL = 8, /* every row is absent; no absent bitmap */
    CODEC_FLAGS_KNOWN = 15,
};

/* One bitmap, cleaned: no bit at or beyond count. */
struct codec_bits {
    uint64_t words[VEC_BITMAP_WORDS(VEC_ROWS_MAX)];
    bool some; /* a bit is set */
    bool all;  /* all are */
};

static const struct codec_ops *const codec_table[CODEC_ID_MAX] = {
#define DN_CODEC(id, NAME, ops) [id] = &ops,
#include "codec/codec_list.h"
#undef DN_CODEC
};

/* Ids in the order of the list. */
static const unsigned codec_order[] = {
#define DN_CODEC(id, NAME, ops) id,
#include "codec/codec_list.h"
#undef DN_CODEC
};

const struct codec_ops *codec_ops_by_id(unsigned id)
{
    return id < CODEC_ID_MAX ? codec_table[id] : NULL;
}

/* ---- bitmaps ---- */

static uint64_t codec_bits_mask(uint32_t count, uint32_t word)
{
    uint32_t left = count - word * 64;

    return left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
}

static void codec_bits_sum_up(struct codec_bits *bits, uint32_t count)
{
    bits->some = false;
    bits->all = true;
    for (uint32_t i = 0; i < VEC_BITMAP_WORDS(count); i++) {
        bits->some |= bits->words[i] != 0;
        bits->all &= bits->words[i] == codec_bits_mask(count, i);
    }
}

static void codec_bits_from_vec(const struct vec *v, const uint64_t *from, struct codec_bits *ret)
{
    bool all = v->form == VEC_CONST && vec_bit(from, 0);
    bool none = !from || (v->form == VEC_CONST && !all);

    for (uint32_t i = 0; i < VEC_BITMAP_WORDS(v->count); i++)
        ret->words[i] = none  ? 0
                        : all ? codec_bits_mask(v->count, i)
                              : from[i] & codec_bits_mask(v->count, i);
    codec_bits_sum_up(ret, v->count);
}

static void codec_bits_or(const struct codec_bits *a,
                          const struct codec_bits *b,
                          uint32_t count,
                          struct codec_bits *ret)
{
    for (uint32_t i = 0; i < VEC_BITMAP_WORDS(count); i++)
        ret->words[i] = a->words[i] | b->words[i];
    codec_bits_sum_up(ret, count);
}

/* Little-endian words are the bytes of the format. */
static void codec_bits_put(struct buf *b, const struct codec_bits *bits, uint32_t count)
{
    if (bits->some && !bits->all)
        buf_append(b, bits->words, (count + 7) / 8);
}

static int codec_bits_get(
    struct rd *r, bool stored, bool all, uint32_t count, struct codec_bits *ret, struct dn_err *err)
{
    size_t size = (count + 7) / 8;
    uint32_t last = VEC_BITMAP_WORDS(count) - 1;
    const uint8_t *p = NULL;

    if (!stored) {
        for (uint32_t i = 0; i <= last; i++)
            ret->words[i] = all ? codec_bits_mask(count, i) : 0;
        ret->some = all;
        ret->all = all;
        return 0;
    }
    DN_CHECK_DISK(!all, err, "vector: flags name a bitmap twice");
    p = rd_bytes(r, size);
    DN_CHECK_DISK(p != NULL, err, "vector: bitmap cut short");
    ret->words[last] = 0;
    memcpy(ret->words, p, size);
    DN_CHECK_DISK((ret->words[last] & ~codec_bits_mask(count, last)) == 0,
                  err,
                  "vector: bitmap with bits beyond its %u rows",
                  count);
    codec_bits_sum_up(ret, count);
    return 0;
}

/* ---- encoding ---- */

/* Values under missing rows become those of the row before, or of the first row that has one. */
static void codec_fill(void *data, uint32_t size, uint32_t count, const struct codec_bits *missing)
{
    uint8_t *base = data;
    uint32_t first = 0;

    while (vec_bit(missing->words, first))
        first++;
    DN_ASSERT(first < count);
    for (uint32_t i = 0; i < count; i++)
        if (vec_bit(missing->words, i))
            memcpy(
                base + (size_t)i * size, base + (size_t)(i < first ? first : i - 1) * size, size);
}

static void codec_widen(enum phys phys, const void *data, uint32_t count, uint64_t *restrict wide)
{
    switch (phys) {
    case PHYS_I8:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = (uint64_t)((const int8_t *)data)[i];
        break;
    case PHYS_I16:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = (uint64_t)((const int16_t *)data)[i];
        break;
    case PHYS_I32:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = (uint64_t)((const int32_t *)data)[i];
        break;
    case PHYS_F32:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = ((const uint32_t *)data)[i];
        break;
    case PHYS_I64:
    case PHYS_F64:
        memcpy(wide, data, count * sizeof *wide);
        break;
    case PHYS_STR:
    case PHYS_INTERVAL: /* no column has it */
    case PHYS_MAX:
        break;
    }
}

static void codec_stats_runs(const struct codec_in *in)
{
    struct codec_work *work = in->work;
    const struct vstr *strs = in->data;
    uint32_t runs = 1;

    work->run_rows[0] = 0;
    for (uint32_t i = 1; i < in->count; i++) {
        bool same =
            in->wide ? in->wide[i] == in->wide[i - 1] : codec_same_str(strs[i], strs[i - 1]);
        work->run_rows[runs] = (uint16_t)i;
        runs += !same;
    }
    work->runs = runs;
    work->run_max = in->count - work->run_rows[runs - 1];
    for (uint32_t i = 1; i < runs; i++) {
        uint32_t rows = (uint32_t)(work->run_rows[i] - work->run_rows[i - 1]);
        work->run_max = rows > work->run_max ? rows : work->run_max;
    }
}

static void codec_stats_delta(const struct codec_in *in)
{
    unsigned shift = 64 - 8 * phys_size(in->phys);
    int64_t min = INT64_MAX;
    int64_t max = INT64_MIN;

    in->work->delta_min = 0;
    in->work->delta_span = 0;
    if (in->count < 2)
        return;
    for (uint32_t i = 1; i < in->count; i++) {
        /* Modulo the form's bits: they are moved to the top, where the wrap is the word's own. */
        int64_t d = (int64_t)((in->wide[i] - in->wide[i - 1]) << shift);
        min = d < min ? d : min;
        max = d > max ? d : max;
    }
    in->work->delta_min = min >> shift;
    in->work->delta_span = ((uint64_t)max - (uint64_t)min) >> shift;
}

/* What codecs see of v; memory from scratch. */
static int codec_prepare(const struct vec *v,
                         const struct codec_bits *missing,
                         struct arena *scratch,
                         struct codec_in *ret,
                         struct dn_err *err)
{
    struct codec_in in = {.phys = type_phys(v->type), .count = v->count, .data = v->data};
    uint32_t size = phys_size(in.phys);
    void *copy;

    in.work = arena_alloc(scratch, sizeof *in.work);
    if (!in.work)
        return DN_FAIL_NOMEM(err);
    if (v->form != VEC_FLAT || missing->some) {
        copy = arena_alloc_array(scratch, v->count, size);
        if (!copy)
            return DN_FAIL_NOMEM(err);
        vec_gather(v, NULL, v->count, copy);
        if (missing->some)
            codec_fill(copy, size, v->count, missing);
        in.data = copy;
    }
    if (in.phys != PHYS_STR) {
        codec_widen(in.phys, in.data, in.count, in.work->wide);
        in.wide = in.work->wide;
    }
    codec_stats_runs(&in);
    if (codec_phys_is_int(in.phys))
        codec_stats_delta(&in);
    *ret = in;
    return 0;
}

/* The codec of the fewest bytes; among equals the one that stands first in the list. */
static unsigned codec_choose(const struct codec_in *in)
{
    size_t best = SIZE_MAX;
    size_t best_at = DN_ARRAY_SIZE(codec_order);

    for (int costly = 0; costly <= 1; costly++)
        for (size_t i = 0; i < DN_ARRAY_SIZE(codec_order); i++) {
            const struct codec_ops *ops = codec_table[codec_order[i]];
            size_t size;

            if (ops->costly != (costly != 0))
                continue;
            size = ops->size(in, i < best_at && best < SIZE_MAX ? best + 1 : best);
            if (size < best || (size == best && i < best_at)) {
                best = size;
                best_at = i;
            }
        }
    DN_ASSERT(best_at < DN_ARRAY_SIZE(codec_order)); /* raw holds anything */
    return codec_order[best_at];
}

/* codec 0: choose one. */
static int codec_encode_any(unsigned codec,
                            const struct vec *v,
                            struct arena *scratch,
                            struct buf *b,
                            unsigned *ret_codec,
                            struct dn_err *err)
{
    struct codec_bits nulls;
    struct codec_bits absent;
    struct codec_bits missing;
    struct codec_in in = {.count = 0};
    size_t start = b->len;
    int rc;

    DN_ASSERT(v->count >= 1 && v->count <= VEC_ROWS_MAX);
    codec_bits_from_vec(v, v->nulls, &nulls);
    codec_bits_from_vec(v, v->absent, &absent);
    codec_bits_or(&nulls, &absent, v->count, &missing);
    buf_u8(b,
           (uint8_t)((nulls.all    ? CODEC_NULLS_ALL
                      : nulls.some ? CODEC_NULLS
                                   : 0) |
                     (absent.all    ? CODEC_ABSENT_ALL
                      : absent.some ? CODEC_ABSENT
                                    : 0)));
    codec_bits_put(b, &nulls, v->count);
    codec_bits_put(b, &absent, v->count);
    if (b->failed)
        return DN_FAIL_NOMEM(err);
    if (missing.all) {
        codec = codec ? codec : codec_order[0];
    } else {
        rc = codec_prepare(v, &missing, scratch, &in, err);
        if (rc < 0)
            return rc;
        if (!codec) {
            codec = codec_choose(&in);
        } else if (codec_table[codec]->size(&in, SIZE_MAX) == SIZE_MAX) {
            b->len = start;
            return DN_NOT_FOUND;
        }
        codec_table[codec]->encode(&in, b);
    }
    if (b->failed)
        return DN_FAIL_NOMEM(err);
    *ret_codec = codec;
    return 0;
}

int codec_encode(const struct vec *v,
                 struct arena *scratch,
                 struct buf *b,
                 unsigned *ret_codec,
                 struct dn_err *err)
{
    return codec_encode_any(0, v, scratch, b, ret_codec, err);
}

int codec_encode_with(
    unsigned codec, const struct vec *v, struct arena *scratch, struct buf *b, struct dn_err *err)
{
    unsigned same;

    DN_ASSERT(codec_ops_by_id(codec) != NULL);
    return codec_encode_any(codec, v, scratch, b, &same, err);
}

/* ---- decoding ---- */

/* CONST has one bit for all rows. If rows differ, the value becomes a dictionary of one entry. */
static int codec_const_to_dict(struct vec *v, struct arena *arena, struct dn_err *err)
{
    v->codes = arena_calloc(arena, v->count, sizeof *v->codes);
    if (!v->codes)
        return DN_FAIL_NOMEM(err);
    v->form = VEC_DICT;
    v->dict_count = 1;
    return 0;
}

static int codec_bits_attach(const struct vec *v,
                             const struct codec_bits *bits,
                             struct arena *arena,
                             const uint64_t **ret,
                             struct dn_err *err)
{
    uint32_t words = v->form == VEC_CONST ? 1 : VEC_BITMAP_WORDS(v->count);

    *ret = NULL;
    if (!bits->some)
        return 0;
    *ret = arena_dup(arena, bits->words, words * sizeof bits->words[0]);
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    return 0;
}

/* The one value of a vector without any. */
static int codec_decode_none(
    enum phys phys, size_t n, struct arena *arena, struct vec *ret, struct dn_err *err)
{
    void *value = arena_calloc(arena, 1, phys_size(phys));

    DN_CHECK_DISK(n == 0, err, "vector: %zu bytes of values though no row has one", n);
    if (!value)
        return DN_FAIL_NOMEM(err);
    if (phys == PHYS_STR)
        ((struct vstr *)value)->ptr = "";
    ret->form = VEC_CONST;
    ret->data = value;
    return 0;
}

static int codec_check_booleans(const struct vec *v, struct dn_err *err)
{
    const uint8_t *p = v->data;
    uint32_t n = v->form == VEC_FLAT ? v->count : v->form == VEC_CONST ? 1 : v->dict_count;
    uint8_t any = 0;

    for (uint32_t i = 0; i < n; i++)
        any |= p[i];
    DN_CHECK_DISK(any <= 1, err, "vector: a BOOLEAN that is neither 0 nor 1");
    return 0;
}

static int codec_decode_values(const struct codec_ops *ops,
                               struct rd *r,
                               bool none,
                               struct arena *arena,
                               struct vec *v,
                               struct dn_err *err)
{
    enum phys phys = type_phys(v->type);
    int rc;

    if (none)
        return codec_decode_none(phys, rd_left(r), arena, v, err);
    rc = ops->decode(r->p, rd_left(r), phys, v->count, arena, v, err);
    if (rc < 0)
        return rc;
    if (v->type == TYPE_BOOLEAN)
        return codec_check_booleans(v, err);
    return 0;
}

int codec_decode(const struct codec_src *src,
                 struct arena *arena,
                 struct vec *ret,
                 struct dn_err *err)
{
    const struct codec_ops *ops = codec_ops_by_id(src->codec);
    uint32_t count = src->count;
    struct rd r = rd_make(src->p, src->n);
    struct vec v = {.type = src->type, .count = count};
    struct codec_bits nulls;
    struct codec_bits absent;
    struct codec_bits missing;
    unsigned flags;
    int rc;

    DN_CHECK_DISK(ops != NULL, err, "vector: unknown codec %u", src->codec);
    DN_CHECK_DISK(type_known(src->type) && src->type != TYPE_INTERVAL, err, "vector: unknown type %u", (unsigned)src->type);
    DN_CHECK_DISK(count >= 1 && count <= VEC_ROWS_MAX, err, "vector: %u rows", count);
    flags = rd_u8(&r);
    DN_CHECK_DISK(!r.bad, err, "vector: no bytes");
    DN_CHECK_DISK(
        (flags & ~(unsigned)CODEC_FLAGS_KNOWN) == 0, err, "vector: unknown flags %#x", flags);
    rc = codec_bits_get(&r, flags & CODEC_NULLS, flags & CODEC_NULLS_ALL, count, &nulls, err);
    if (rc < 0)
        return rc;
    rc = codec_bits_get(&r, flags & CODEC_ABSENT, flags & CODEC_ABSENT_ALL, count, &absent, err);
    if (rc < 0)
        return rc;
    codec_bits_or(&nulls, &absent, count, &missing);
    rc = codec_decode_values(ops, &r, missing.all, arena, &v, err);
    if (rc < 0)
        return rc;
    if (v.form == VEC_CONST && (nulls.some != nulls.all || absent.some != absent.all)) {
        rc = codec_const_to_dict(&v, arena, err);
        if (rc < 0)
            return rc;
    }
    rc = codec_bits_attach(&v, &nulls, arena, &v.nulls, err);
    if (rc < 0)
        return rc;
    rc = codec_bits_attach(&v, &absent, arena, &v.absent, err);
    if (rc < 0)
        return rc;
    *ret = v;
    return 0;
}

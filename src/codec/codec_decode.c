/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_decode.c: encoded vectors back to values, trusting nothing; and what can be answered
 * without: a single value, a sum, the least and the greatest. */
#include "codec/codec_bits.h"
#include "codec/codec_int.h"
#include "codec/codec_kin.h"
#include "codec/codec_narrow.h"
#include "vec/wide.h"

/* An encoded vector taken apart. */
struct codec_opened {
    const struct codec_ops *ops;
    struct codec_part part;    /* the values, if any row has one */
    struct codec_bits nulls;   /* rows that are NULL */
    struct codec_bits absent;  /* rows that are absent */
    struct codec_bits missing; /* rows that are either */
    struct codec_part home;    /* the value list of another vector, if one is at hand */
};

/* Codecs see INTERVAL and NUMERIC as strings, but for those that are made for numbers. */
static enum phys codec_part_phys(const struct codec_ops *ops, enum type_id type)
{
    return type_is_wide(type) && !(ops->numbers && type == TYPE_NUMERIC) ? PHYS_STR
                                                                         : type_phys(type);
}

static int
codec_open_alone(const struct codec_src *src, struct codec_opened *ret, struct dn_err *err)
{
    struct rd r = rd_make(src->p, src->n);
    uint32_t count = src->count;
    unsigned flags;
    int rc;

    ret->ops = codec_ops_by_id(src->codec);
    DN_CHECK_DISK(ret->ops != NULL, err, "vector: unknown codec %u", src->codec);
    DN_CHECK_DISK(type_known(src->type) &&
                      (src->type == TYPE_NONE || type_storable((unsigned)src->type)),
                  err,
                  "vector: unknown type %u",
                  (unsigned)src->type);
    DN_CHECK_DISK(count >= 1 && count <= VEC_ROWS_MAX, err, "vector: %u rows", count);
    flags = rd_u8(&r);
    DN_CHECK_DISK(!r.bad, err, "vector: no bytes");
    DN_CHECK_DISK(
        (flags & ~(unsigned)CODEC_FLAGS_KNOWN) == 0, err, "vector: unknown flags %#x", flags);
    rc = codec_bits_get(&r, flags & CODEC_NULLS, flags & CODEC_NULLS_ALL, count, &ret->nulls, err);
    if (rc < 0)
        return rc;
    rc = codec_bits_get(
        &r, flags & CODEC_ABSENT, flags & CODEC_ABSENT_ALL, count, &ret->absent, err);
    if (rc < 0)
        return rc;
    codec_bits_or(&ret->nulls, &ret->absent, count, &ret->missing);
    ret->part = (struct codec_part){.phys = codec_part_phys(ret->ops, src->type),
                                    .count = count,
                                    .p = r.p,
                                    .n = rd_left(&r),
                                    .kin = src->kin};
    DN_CHECK_DISK(!ret->missing.all || ret->part.n == 0,
                  err,
                  "vector: %zu bytes of values though no row has one",
                  ret->part.n);
    return 0;
}

static int codec_open(const struct codec_src *src, struct codec_opened *ret, struct dn_err *err)
{
    struct codec_opened home;
    int rc;

    rc = codec_open_alone(src, ret, err);
    if (rc < 0 || !src->home)
        return rc;
    rc = codec_open_alone(src->home, &home, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(home.ops->list && !home.missing.all,
                  err,
                  "vector: the dictionary of a vector of codec %s",
                  home.ops->name);
    rc = home.ops->list(&home.part, &ret->home, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(ret->home.p, err, "vector: a dictionary that is elsewhere again");
    ret->part.home = &ret->home;
    return 0;
}

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
static int
codec_decode_none(enum phys phys, struct arena *arena, struct vec *ret, struct dn_err *err)
{
    void *value = arena_calloc(arena, 1, phys_size(phys));

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

static int codec_decode_values(const struct codec_opened *o,
                               struct arena *arena,
                               struct vec *v,
                               struct dn_err *err)
{
    int rc;

    if (o->missing.all)
        return codec_decode_none(type_phys(v->type), arena, v, err);
    rc = o->ops->decode(&o->part, arena, v, err);
    if (rc < 0)
        return rc;
    if (v->type == TYPE_BOOLEAN)
        return codec_check_booleans(v, err);
    if (!type_is_wide(v->type) || o->part.phys != PHYS_STR)
        return 0;
    rc = vec_wide_from_strs(arena, v->type, v);
    if (rc < 0)
        return DN_FAIL_NOMEM(err);
    DN_CHECK_DISK(rc == 0, err, "vector: bytes that are no %s", type_name(v->type));
    return 0;
}

static int codec_decode_opened(const struct codec_opened *o,
                               enum type_id type,
                               struct arena *arena,
                               struct vec *ret,
                               struct dn_err *err)
{
    struct vec v = {.type = type, .count = o->part.count};
    int rc;

    rc = codec_decode_values(o, arena, &v, err);
    if (rc < 0)
        return rc;
    if (v.form == VEC_CONST && (o->nulls.some != o->nulls.all || o->absent.some != o->absent.all)) {
        rc = codec_const_to_dict(&v, arena, err);
        if (rc < 0)
            return rc;
    }
    rc = codec_bits_attach(&v, &o->nulls, arena, &v.nulls, err);
    if (rc < 0)
        return rc;
    rc = codec_bits_attach(&v, &o->absent, arena, &v.absent, err);
    if (rc < 0)
        return rc;
    *ret = v;
    return 0;
}

int codec_decode(const struct codec_src *src,
                 struct arena *arena,
                 struct vec *ret,
                 struct dn_err *err)
{
    struct codec_opened o;
    int rc;

    rc = codec_open(src, &o, err);
    if (rc < 0)
        return rc;
    return codec_decode_opened(&o, src->type, arena, ret, err);
}

/* ---- narrow integers ---- */

bool codec_may_narrow(unsigned codec)
{
    const struct codec_ops *ops = codec_ops_by_id(codec);

    return ops && ops->narrow;
}

int codec_decode_narrow(const struct codec_src *src,
                        const double bounds[2],
                        struct arena *arena,
                        struct codec_narrow *ret,
                        struct dn_err *err)
{
    struct codec_opened o;
    int16_t *to;
    int rc;

    *ret = (struct codec_narrow){.type = src->type, .count = src->count};
    rc = codec_open(src, &o, err);
    if (rc < 0)
        return rc;
    if (!o.ops->narrow || o.missing.all || type_phys(src->type) == PHYS_I8) /* no numbers */
        return DN_NOT_FOUND;
    to = arena_alloc_array(arena, src->count, sizeof *to);
    if (!to)
        return DN_FAIL_NOMEM(err);
    rc = o.ops->narrow(&o.part, bounds, to, ret, err);
    ret->values = to;
    if (rc != 0 || !o.missing.some)
        return rc;
    ret->nulls =
        arena_dup(arena, o.missing.words, VEC_BITMAP_WORDS(src->count) * sizeof o.missing.words[0]);
    return ret->nulls ? 0 : DN_FAIL_NOMEM(err);
}

int codec_widen_narrow(const struct codec_narrow *n,
                       struct arena *arena,
                       struct vec *ret,
                       struct dn_err *err)
{
    const uint16_t bias = 0x8000; /* codes are not negative */
    enum phys phys = type_phys(n->type);
    uint32_t count = n->count;
    void *to = arena_alloc_array(arena, count, phys_size(phys));
    double wide[VEC_ROWS_MAX];
    union bitpack_lanes lanes;
    struct codec_codes codes = {&lanes, 16, count};
    uint64_t base = (uint64_t)0 - bias;

    if (!to)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        lanes.u16[i] = (uint16_t)n->values[i] ^ bias;
    if (!type_is_float(n->type))
        codec_kernels()->widen(&codes, base, phys_size(phys), to);
    else
        codec_kernels()->widen_scale(&codes, base, n->exponent, phys == PHYS_F64 ? to : wide);
    for (uint32_t i = 0; phys == PHYS_F32 && i < count; i++)
        ((float *)to)[i] = (float)wide[i];
    *ret = (struct vec){
        .type = n->type, .form = VEC_FLAT, .count = count, .data = to, .nulls = n->nulls};
    return 0;
}

/* ---- kin ---- */

uint32_t codec_guide(const struct codec_src *src)
{
    const struct codec_ops *ops = codec_ops_by_id(src->codec);
    struct codec_opened o;
    struct dn_err err;
    struct rd r;
    uint64_t id;

    if (!ops || !ops->guided || codec_open_alone(src, &o, &err) < 0 || o.missing.all)
        return 0;
    r = rd_make(o.part.p, o.part.n);
    id = rd_varint(&r);
    return r.bad || id > UINT32_MAX ? 0 : (uint32_t)id;
}

bool codec_may_guide(unsigned codec)
{
    const struct codec_ops *ops = codec_ops_by_id(codec);

    return ops && ops->codes;
}

uint32_t codec_back(const struct codec_src *src)
{
    const struct codec_ops *ops = codec_ops_by_id(src->codec);
    struct codec_opened o;
    struct dn_err err;

    if (!ops || !ops->back || codec_open_alone(src, &o, &err) < 0 || o.missing.all)
        return 0;
    return ops->back(&o.part);
}

int codec_kin_of_guide(const struct codec_src *guide,
                       uint32_t id,
                       struct codec_kin *ret,
                       struct dn_err *err)
{
    uint16_t codes[VEC_ROWS_MAX];
    struct codec_part list;
    struct codec_opened o;
    int rc;

    rc = codec_open_alone(guide, &o, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(o.ops->codes && !o.missing.all, err, "vector: a guide of codec %s", o.ops->name);
    rc = o.ops->codes(&o.part, codes, &list, err);
    if (rc < 0)
        return rc;
    codec_kin_from_codes(codes, o.part.count, id, ret);
    return 0;
}

/* ---- without decoding, where a codec can ---- */

int codec_get(const struct codec_src *src,
              uint32_t row,
              struct arena *scratch,
              struct datum *ret,
              struct dn_err *err)
{
    struct codec_opened o;
    struct vec v;
    int rc;

    DN_ASSERT(row < src->count);
    rc = codec_open(src, &o, err);
    if (rc < 0)
        return rc;
    *ret = (struct datum){.type = src->type, .str = {.ptr = "", .len = 0}};
    if (vec_bit(o.missing.words, row)) {
        ret->null = true;
        return 0;
    }
    if (!o.ops->get) {
        rc = codec_decode_opened(&o, src->type, scratch, &v, err);
        if (rc < 0)
            return rc;
        *ret = vec_datum(&v, row);
        return 0;
    }
    rc = o.ops->get(&o.part, row, ret, err);
    if (rc < 0)
        return rc;
    if (type_is_wide(src->type) && o.part.phys == PHYS_STR) {
        struct vstr bytes = ret->str;

        DN_CHECK_DISK(vec_wide_get(src->type, bytes.ptr, bytes.len, &ret->iv),
                      err,
                      "vector: bytes that are no %s",
                      type_name(src->type));
        return 0;
    }
    DN_CHECK_DISK(src->type != TYPE_BOOLEAN || ret->v.i64 == 0 || ret->v.i64 == 1,
                  err,
                  "vector: a BOOLEAN that is neither 0 nor 1");
    return 0;
}

bool codec_may_get(unsigned codec)
{
    const struct codec_ops *ops = codec_ops_by_id(codec);

    return ops && ops->get && !ops->get_walks;
}

/* The order of datum_cmp: NaN is the greatest. */
static bool codec_float_less(double a, double b)
{
    return a < b || (b != b && a == a);
}

static void codec_agg_floats(const double *values, uint32_t n, unsigned want, struct codec_agg *ret)
{
    double sum = 0;
    double min = values[0];
    double max = values[0];

    for (uint32_t i = 0; want & CODEC_SUM && i < n; i++)
        sum += values[i];
    for (uint32_t i = 0; want & CODEC_BOUNDS && i < n; i++) {
        min = codec_float_less(values[i], min) ? values[i] : min;
        max = codec_float_less(max, values[i]) ? values[i] : max;
    }
    ret->fsum = sum;
    ret->min.f64 = min;
    ret->max.f64 = max;
}

static void codec_agg_ints(const int64_t *values, uint32_t n, struct codec_agg *ret)
{
    codec_i128 sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    ret->isum = sum;
    codec_kernels()->bounds64(values, n, &ret->min.i64, &ret->max.i64);
}

void codec_agg_words(const int64_t *values, const struct codec_ask *ask, struct codec_agg *ret)
{
    for (uint32_t k = 0; k < ask->count; k++)
        codec_agg_ints(values + ask->ranges[k].lo, ask->ranges[k].hi - ask->ranges[k].lo, &ret[k]);
}

/* From decoded values: those of the rows that have one, dense and of 8 bytes each. */
static void codec_agg_vec(const struct vec *v,
                          const struct codec_range *range,
                          unsigned want,
                          const struct codec_bits *missing,
                          struct codec_agg *ret)
{
    enum phys phys = type_phys(v->type);
    uint16_t rows[VEC_ROWS_MAX];
    union {
        uint64_t any[VEC_ROWS_MAX];
        float f32[VEC_ROWS_MAX];
    } dense;
    uint64_t wide[VEC_ROWS_MAX];
    double *floats = (double *)(void *)wide;
    uint32_t n = 0;

    for (uint32_t i = range->lo; i < range->hi; i++) {
        rows[n] = (uint16_t)i;
        n += !vec_bit(missing->words, i);
    }
    ret->rows = n;
    if (n == 0)
        return;
    vec_gather(v, rows, n, &dense);
    if (phys == PHYS_F32)
        for (uint32_t i = 0; i < n; i++)
            floats[i] = (double)dense.f32[i];
    else
        codec_widen(phys, &dense, n, wide);
    if (codec_phys_is_int(phys))
        codec_agg_ints((const int64_t *)wide, n, ret);
    else
        codec_agg_floats(floats, n, want, ret);
}

static int codec_agg_opened(const struct codec_opened *o,
                            enum type_id type,
                            const struct codec_ask *ask,
                            struct codec_agg *ret,
                            struct dn_err *err)
{
    int rc;

    memset(ret, 0, ask->count * sizeof *ret);
    if (o->missing.some || !o->ops->agg || type == TYPE_BOOLEAN)
        return DN_NOT_FOUND;
    rc = o->ops->agg(&o->part, ask, ret, err);
    for (uint32_t k = 0; k < ask->count && rc == 0; k++)
        ret[k].rows = ask->ranges[k].hi - ask->ranges[k].lo;
    return rc;
}

static void codec_check_ask(const struct codec_src *src, const struct codec_ask *ask)
{
    uint32_t end = 0;

    DN_ASSERT(type_is_fixed(src->type));
    for (uint32_t k = 0; k < ask->count; k++) {
        DN_ASSERT(ask->ranges[k].lo >= end && ask->ranges[k].lo < ask->ranges[k].hi);
        end = ask->ranges[k].hi;
    }
    DN_ASSERT(end <= src->count);
}

int codec_agg_packed(const struct codec_src *src,
                     const struct codec_ask *ask,
                     struct codec_agg *ret,
                     struct dn_err *err)
{
    struct codec_opened o;
    int rc;

    codec_check_ask(src, ask);
    rc = codec_open(src, &o, err);
    return rc < 0 ? rc : codec_agg_opened(&o, src->type, ask, ret, err);
}

int codec_agg(const struct codec_src *src,
              const struct codec_ask *ask,
              struct arena *scratch,
              struct codec_agg *ret,
              struct dn_err *err)
{
    struct codec_opened o;
    struct vec v;
    int rc;

    codec_check_ask(src, ask);
    rc = codec_open(src, &o, err);
    if (rc < 0)
        return rc;
    rc = codec_agg_opened(&o, src->type, ask, ret, err);
    if (rc != DN_NOT_FOUND)
        return rc;
    rc = codec_decode_opened(&o, src->type, scratch, &v, err);
    if (rc < 0)
        return rc;
    memset(ret, 0, ask->count * sizeof *ret);
    for (uint32_t k = 0; k < ask->count; k++)
        codec_agg_vec(&v, &ask->ranges[k], ask->want, &o.missing, &ret[k]);
    return 0;
}

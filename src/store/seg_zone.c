/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_zone.c: zones. Their values are part of the format (docs/format/segment.md): writer and
 * verifier both compute them here, and compare bit for bit.
 *
 * Sums of integers are exact in 128 bits and kept if they fit 64. Sums of a vector of doubles add
 * the rows in four lanes (row number modulo 4) and then (0 + 1) + (2 + 3); sums of a block add its
 * vectors in order. A sum that is not finite is not kept. */
#include "store/seg_zone.h"

#include "vec/wide.h"

#define SEG_T     int8_t
#define SEG_NAME  seg_zone_i8
#define SEG_FIELD i64
#define SEG_WIDE  int64_t
#define SEG_FLOAT 0
#include "store/seg_zone_tmpl.h"

#define SEG_T     int16_t
#define SEG_NAME  seg_zone_i16
#define SEG_FIELD i64
#define SEG_WIDE  int64_t
#define SEG_FLOAT 0
#include "store/seg_zone_tmpl.h"

#define SEG_T     int32_t
#define SEG_NAME  seg_zone_i32
#define SEG_FIELD i64
#define SEG_WIDE  int64_t
#define SEG_FLOAT 0
#include "store/seg_zone_tmpl.h"

#define SEG_T     int64_t
#define SEG_NAME  seg_zone_i64
#define SEG_FIELD i64
#define SEG_WIDE  int64_t
#define SEG_FLOAT 0
#include "store/seg_zone_tmpl.h"

#define SEG_T     float
#define SEG_NAME  seg_zone_f32
#define SEG_FIELD f64
#define SEG_WIDE  double
#define SEG_FLOAT 1
#include "store/seg_zone_tmpl.h"

#define SEG_T     double
#define SEG_NAME  seg_zone_f64
#define SEG_FIELD f64
#define SEG_WIDE  double
#define SEG_FLOAT 1
#include "store/seg_zone_tmpl.h"

enum type_id seg_sum_type(enum type_id type)
{
    if (type_is_int(type))
        return TYPE_BIGINT;
    return type_is_float(type) ? TYPE_DOUBLE : TYPE_NONE;
}

bool seg_same_value(enum type_id type, const void *a, const void *b)
{
    const struct vstr *s = a;
    const struct vstr *t = b;

    if (!type_is_string(type))
        return memcmp(a, b, phys_size(type_phys(type))) == 0;
    return s->len == t->len && (s->len == 0 || memcmp(s->ptr, t->ptr, s->len) == 0);
}

static uint32_t seg_bits_count(const uint64_t *bits, uint32_t n)
{
    uint32_t count = 0;

    if (!bits)
        return 0;
    for (uint32_t i = 0; i < n / 64; i++)
        count += (uint32_t)__builtin_popcountll(bits[i]);
    if (n % 64)
        count += (uint32_t)__builtin_popcountll(bits[n / 64] & (((uint64_t)1 << (n % 64)) - 1));
    return count;
}

static bool seg_all_same(const struct vec *v)
{
    size_t size = phys_size(type_phys(v->type));
    const struct vstr *s = v->data;

    if (!type_is_string(v->type))
        return memcmp(v->data, (const uint8_t *)v->data + size, (v->count - 1) * size) == 0;
    for (uint32_t i = 1; i < v->count; i++)
        if (s[i].len != s[0].len ||
            (s[i].ptr != s[0].ptr && !seg_same_value(v->type, &s[i], &s[0])))
            return false;
    return true;
}

static bool seg_has_nan(const struct vec *v)
{
    bool nan = false;

    if (type_phys(v->type) == PHYS_F64)
        for (uint32_t i = 0; i < v->count; i++)
            nan |= ((const double *)v->data)[i] != ((const double *)v->data)[i];
    if (type_phys(v->type) == PHYS_F32)
        for (uint32_t i = 0; i < v->count; i++)
            nan |= ((const float *)v->data)[i] != ((const float *)v->data)[i];
    return nan;
}

/* Strings. Neighbours that are the same one, told by their place in memory, are looked at once. */
static void seg_zone_str(const struct vec *v, struct seg_zone *z)
{
    const struct vstr *s = v->data;
    struct vstr last = {.ptr = NULL};

    for (uint32_t i = 0; i < v->count; i++) {
        if (vec_bit(v->nulls, i) || (z->has_range && s[i].ptr == last.ptr && s[i].len == last.len))
            continue;
        last = s[i];
        if (!z->has_range || vstr_cmp(s[i], z->str_min) < 0)
            z->str_min = s[i];
        if (!z->has_range || vstr_cmp(s[i], z->str_max) > 0)
            z->str_max = s[i];
        z->has_range = true;
    }
}

/* INTERVAL and NUMERIC; of equal values the first. */
static void seg_zone_wide(const struct vec *v, struct seg_zone *z)
{
    for (uint32_t i = 0; i < v->count; i++) {
        struct datum d = vec_datum(v, i);

        if (d.null)
            continue;
        if (!z->has_range || datum_cmp(&d, &z->wide_min) < 0)
            z->wide_min = d;
        if (!z->has_range || datum_cmp(&d, &z->wide_max) > 0)
            z->wide_max = d;
        z->has_range = true;
    }
}

/* Doubles with a NaN (be it under a null bit): value by value in the order
 * of the type. Without a NaN it finds what the quick functions find, to the bit. */
static void seg_zone_slow(const struct vec *v, struct seg_zone *z)
{
    struct datum min = {.null = true};
    struct datum max = {.null = true};
    double sum[4] = {0, 0, 0, 0};

    for (uint32_t i = 0; i < v->count; i++) {
        struct datum d = vec_datum(v, i);

        if (d.null)
            continue;
        if (min.null || datum_cmp(&d, &min) < 0)
            min = d;
        if (max.null || datum_cmp(&d, &max) > 0)
            max = d;
        if (type_is_float(v->type))
            sum[i & 3] += d.v.f64;
    }
    z->fsum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    z->has_range = !min.null;
    z->min = min.v;
    z->max = max.v;
    z->str_min = min.str;
    z->str_max = max.str;
}

void seg_zone_vec(const struct vec *v, bool key, struct seg_zone *ret)
{
    struct seg_zone z = {.type = v->type, .rows = v->count};

    z.absent = seg_bits_count(v->absent, v->count);
    z.nulls = seg_bits_count(v->nulls, v->count);
    if (z.nulls == z.rows)
        z.constant = z.absent == 0 || z.absent == z.rows;
    else
        z.constant = z.nulls == 0 && seg_all_same(v);
    if (seg_has_nan(v)) {
        seg_zone_slow(v, &z);
        *ret = z;
        return;
    }
    switch (type_phys(v->type)) {
    case PHYS_I8:
        seg_zone_i8(v->data, v->count, v->nulls, &z);
        break;
    case PHYS_I16:
        seg_zone_i16(v->data, v->count, v->nulls, &z);
        break;
    case PHYS_I32:
        seg_zone_i32(v->data, v->count, v->nulls, &z);
        break;
    case PHYS_I64:
        seg_zone_i64(v->data, v->count, v->nulls, &z);
        break;
    case PHYS_F32:
        seg_zone_f32(v->data, v->count, v->nulls, &z);
        break;
    case PHYS_F64:
        seg_zone_f64(v->data, v->count, v->nulls, &z);
        break;
    case PHYS_STR:
        seg_zone_str(v, &z);
        break;
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
        if (key) /* elsewhere no bounds are kept */
            seg_zone_wide(v, &z);
        break;
    case PHYS_MAX:
        break;
    }
    *ret = z;
}

struct datum seg_zone_min(const struct seg_zone *z)
{
    if (z->has_range && type_is_wide(z->type))
        return z->wide_min;
    return (struct datum){.type = z->type, .null = !z->has_range, .v = z->min, .str = z->str_min};
}

struct datum seg_zone_max(const struct seg_zone *z)
{
    if (z->has_range && type_is_wide(z->type))
        return z->wide_max;
    return (struct datum){.type = z->type, .null = !z->has_range, .v = z->max, .str = z->str_max};
}

void seg_zone_merge(struct seg_zone *a, const struct seg_zone *b)
{
    struct datum b_min = seg_zone_min(b);
    struct datum b_max = seg_zone_max(b);
    struct datum a_min = seg_zone_min(a);
    struct datum a_max = seg_zone_max(a);

    a->rows += b->rows;
    a->nulls += b->nulls;
    a->absent += b->absent;
    a->constant = false;
    a->isum += b->isum;
    a->fsum += b->fsum;
    if (!b->has_range)
        return;
    if (!a->has_range || datum_cmp(&b_min, &a_min) < 0) {
        a->min = b->min;
        a->str_min = b->str_min;
        a->wide_min = b->wide_min;
    }
    if (!a->has_range || datum_cmp(&b_max, &a_max) > 0) {
        a->max = b->max;
        a->str_max = b->str_max;
        a->wide_max = b->wide_max;
    }
    a->has_range = true;
}

bool seg_zone_sum(const struct seg_zone *z, union vfixed *ret)
{
    if (!z->has_range)
        return false;
    if (type_is_int(z->type)) {
        if (z->isum < INT64_MIN || z->isum > INT64_MAX)
            return false;
        ret->i64 = (int64_t)z->isum;
        return true;
    }
    if (!type_is_float(z->type) || __builtin_isnan(z->fsum) || __builtin_isinf(z->fsum))
        return false;
    ret->f64 = z->fsum;
    return true;
}

void seg_bound_min(struct vstr s, struct seg_bound *ret)
{
    ret->exact = s.len <= SEG_PREFIX_MAX;
    ret->len = (uint8_t)(ret->exact ? s.len : SEG_PREFIX_MAX);
    if (ret->len)
        memcpy(ret->bytes, s.ptr, ret->len);
}

bool seg_bound_max(struct vstr s, struct seg_bound *ret)
{
    seg_bound_min(s, ret);
    if (ret->exact)
        return true;
    while (ret->len && ret->bytes[ret->len - 1] == 0xff)
        ret->len--;
    if (ret->len == 0)
        return false;
    ret->bytes[ret->len - 1]++;
    return true;
}

static void seg_bound_wide(const struct datum *d, struct seg_bound *ret)
{
    ret->exact = true;
    ret->len = (uint8_t)vec_wide_put(d->type, &d->iv, ret->bytes);
}

bool seg_zone_bounds(const struct seg_zone *z, struct seg_bound *ret_min, struct seg_bound *ret_max)
{
    if (!z->has_range)
        return false;
    if (type_is_wide(z->type)) {
        seg_bound_wide(&z->wide_min, ret_min);
        seg_bound_wide(&z->wide_max, ret_max);
        return true;
    }
    seg_bound_min(z->str_min, ret_min);
    return seg_bound_max(z->str_max, ret_max);
}

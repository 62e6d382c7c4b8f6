/* SPDX-License-Identifier: Apache-2.0
 *
 * vec.c: single values out of vectors, their order, constant and flat vectors. */
#include "vec/vec.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "vec/array.h"
#include "vec/numeric.h"

#include <stdatomic.h>
#include <string.h>

/* Numbers given so far; 0 is none. It is global since vectors of all databases may meet. */
static _Atomic uint64_t vec_dicts;

uint64_t vec_dict_ids(uint64_t count)
{
    return atomic_fetch_add_explicit(&vec_dicts, count, memory_order_relaxed) + 1;
}

struct datum vec_datum(const struct vec *v, uint32_t row)
{
    struct datum d = {.type = v->type, .null = vec_is_null(v, row), .str = {.ptr = "", .len = 0}};

    DN_DCHECK(row < v->count);
    if (d.null)
        return d;
    switch (type_phys(v->type)) {
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
        d.v.i64 = vec_i64(v, row);
        break;
    case PHYS_F32:
    case PHYS_F64:
        d.v.f64 = vec_f64(v, row);
        break;
    case PHYS_STR:
        d.str = vec_str(v, row);
        break;
    case PHYS_INTERVAL:
        d.iv = ((const struct vinterval *)v->data)[vec_at(v, row)];
        break;
    case PHYS_NUMERIC:
        d.num = ((const struct vnumeric *)v->data)[vec_at(v, row)];
        break;
    case PHYS_MAX:
        break;
    }
    return d;
}

__extension__ typedef __int128 vec_i128;
_Static_assert(sizeof(struct vnumeric) == 24, "vec_gather copies it as such");
_Static_assert(sizeof(struct vinterval) == sizeof(struct vstr), "vec_gather copies both alike");

/* In microseconds: at most 2^31 months are 2^73. */
static vec_i128 vinterval_length(struct vinterval v)
{
    const int64_t day = (int64_t)86400 * 1000000;

    return ((vec_i128)v.months * 30 + v.days) * day + v.us;
}

int vinterval_cmp(struct vinterval a, struct vinterval b)
{
    vec_i128 x = vinterval_length(a);
    vec_i128 y = vinterval_length(b);

    return (x > y) - (x < y);
}

uint64_t vinterval_hash(struct vinterval v)
{
    vec_i128 x = vinterval_length(v);

    return dn_mix64((uint64_t)x ^ (uint64_t)(x >> 64) * 0x9e3779b97f4a7c15u);
}

void vinterval_key(struct vinterval v, uint8_t *to)
{
    vec_i128 x = vinterval_length(v);

    be_put64(to, (uint64_t)(x >> 64) ^ (uint64_t)1 << 63);
    be_put64(to + 8, (uint64_t)x);
}

bool vinterval_justify(struct vinterval v, struct vinterval *ret)
{
    const int64_t day = (int64_t)86400 * 1000000;
    vec_i128 length = vinterval_length(v);
    vec_i128 months = length / (30 * day);
    int64_t rest = (int64_t)(length % (30 * day));

    if (months > INT32_MAX || months < INT32_MIN)
        return false;
    *ret = (struct vinterval){
        .us = rest % day, .days = (int32_t)(rest / day), .months = (int32_t)months};
    return true;
}

int vstr_cmp(struct vstr a, struct vstr b)
{
    uint32_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.ptr, b.ptr, n) : 0;

    if (c != 0)
        return c;
    return (a.len > b.len) - (a.len < b.len);
}

static int datum_cmp_f64(double a, double b)
{
    if (a != a || b != b) /* NaN: equal to itself, after all numbers */
        return (a != a) - (b != b);
    return (a > b) - (a < b);
}

/* Exact, where a conversion of i to double would round. */
static int datum_cmp_i64_f64(int64_t i, double f)
{
    int64_t whole;
    double rest;

    if (f != f || f >= 0x1p63)
        return -1;
    if (f < -0x1p63)
        return 1;
    whole = (int64_t)f;
    if (i != whole)
        return i < whole ? -1 : 1;
    rest = f - (double)whole;
    return (rest < 0) - (rest > 0);
}

int datum_cmp(const struct datum *a, const struct datum *b)
{
    bool a_float = type_is_float(a->type);
    bool b_float = type_is_float(b->type);

    if (a->null || b->null)
        return a->null - b->null;
    DN_ASSERT(type_is_string(a->type) == type_is_string(b->type));
    if (type_is_array(a->type))
        return varray_cmp(a->type, a->str, b->str);
    if (type_is_string(a->type))
        return vstr_cmp(a->str, b->str);
    if (a->type == TYPE_INTERVAL)
        return vinterval_cmp(a->iv, b->iv);
    if (a->type == TYPE_NUMERIC)
        return vnumeric_cmp(a->num, b->num);
    if (a_float && b_float)
        return datum_cmp_f64(a->v.f64, b->v.f64);
    if (b_float)
        return datum_cmp_i64_f64(a->v.i64, b->v.f64);
    if (a_float)
        return -datum_cmp_i64_f64(b->v.i64, a->v.f64);
    return (a->v.i64 > b->v.i64) - (a->v.i64 < b->v.i64);
}

/* The first bytes as a number, so that texts that begin otherwise are in the order of their
 * numbers.
 */
static int64_t vstr_place(struct vstr s)
{
    uint64_t place = 0;

    for (uint32_t i = 0; i < sizeof place; i++)
        place = place << 8 | (i < s.len ? (uint8_t)s.ptr[i] : 0u);
    return (int64_t)(place ^ (uint64_t)INT64_MIN);
}

int64_t datum_place(const struct datum *d)
{
    int64_t bits;

    switch (type_phys(d->type)) {
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
        return d->v.i64;
    case PHYS_F32:
    case PHYS_F64:
        if (d->v.f64 != d->v.f64)
            return INT64_MAX;
        if (d->v.f64 == 0)
            return 0;
        memcpy(&bits, &d->v.f64, sizeof bits);
        return bits < 0 ? INT64_MIN - bits : bits;
    case PHYS_STR:
        return type_is_array(d->type) ? 0 : vstr_place(d->str);
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return 0;
}

bool datum_copy(struct arena *arena, const struct datum *from, struct datum *ret)
{
    struct datum d = *from;

    if (!d.null && type_is_string(d.type)) {
        d.str.ptr = arena_strndup(arena, d.str.ptr, d.str.len);
        if (!d.str.ptr)
            return false;
    }
    *ret = d;
    return true;
}

void datum_store(const struct datum *d, void *data, uint32_t at)
{
    int64_t i = d->null ? 0 : d->v.i64;
    double f = d->null ? 0 : d->v.f64;

    switch (type_phys(d->type)) {
    case PHYS_I8:
        ((int8_t *)data)[at] = (int8_t)i;
        break;
    case PHYS_I16:
        ((int16_t *)data)[at] = (int16_t)i;
        break;
    case PHYS_I32:
        ((int32_t *)data)[at] = (int32_t)i;
        break;
    case PHYS_I64:
        ((int64_t *)data)[at] = i;
        break;
    case PHYS_F32:
        ((float *)data)[at] = (float)f;
        break;
    case PHYS_F64:
        ((double *)data)[at] = f;
        break;
    case PHYS_STR:
        ((struct vstr *)data)[at] = d->null ? (struct vstr){"", 0} : d->str;
        break;
    case PHYS_INTERVAL:
        ((struct vinterval *)data)[at] = d->null ? (struct vinterval){0} : d->iv;
        break;
    case PHYS_NUMERIC:
        ((struct vnumeric *)data)[at] = d->null ? (struct vnumeric){0} : d->num;
        break;
    case PHYS_MAX:
        break;
    }
}

bool vec_make_const(struct arena *arena, const struct datum *d, uint32_t count, struct vec *ret)
{
    void *data = arena_calloc(arena, 1, phys_size(type_phys(d->type)));
    uint64_t *nulls = NULL;

    if (!data)
        return false;
    if (d->null) {
        nulls = arena_calloc(arena, 1, sizeof *nulls);
        if (!nulls)
            return false;
        vec_bit_set(nulls, 0);
    }
    datum_store(d, data, 0);
    *ret = (struct vec){
        .type = d->type, .form = VEC_CONST, .count = count, .data = data, .nulls = nulls};
    return true;
}

/* Bits [first, first + count) as a bitmap of their own. */
static bool vec_slice_bits(
    struct arena *arena, const uint64_t *bits, uint32_t first, uint32_t count, const uint64_t **ret)
{
    uint32_t words = VEC_BITMAP_WORDS(count);
    uint32_t last = (first + count - 1) >> 6; /* of the input */
    uint32_t shift = first & 63;
    uint64_t *to;

    *ret = NULL;
    if (!bits)
        return true;
    bits += first >> 6;
    *ret = bits;
    if (shift == 0)
        return true;
    last -= first >> 6;
    to = arena_alloc_array(arena, words, sizeof *to);
    if (!to)
        return false;
    for (uint32_t w = 0; w < words; w++)
        to[w] = bits[w] >> shift | (w + 1 <= last ? bits[w + 1] << (64 - shift) : 0);
    *ret = to;
    return true;
}

bool vec_slice(
    struct arena *arena, const struct vec *v, uint32_t first, uint32_t count, struct vec *ret)
{
    struct vec out = *v;

    DN_ASSERT(count > 0 && first + count <= v->count);
    out.count = count;
    if (v->form == VEC_CONST) {
        *ret = out;
        return true;
    }
    if (v->form == VEC_FLAT)
        out.data = (const char *)v->data + (size_t)first * phys_size(type_phys(v->type));
    else
        out.codes = v->codes + first;
    if (!vec_slice_bits(arena, v->nulls, first, count, &out.nulls) ||
        !vec_slice_bits(arena, v->absent, first, count, &out.absent))
        return false;
    *ret = out;
    return true;
}

/* Copies the bits of the chosen rows; *ret stays NULL when none is set. */
static bool vec_flatten_bits(struct arena *arena,
                             const struct vec *v,
                             const uint64_t *bits,
                             const uint16_t *sel,
                             uint32_t count,
                             const uint64_t **ret)
{
    uint64_t *to;

    *ret = NULL;
    if (!bits || (v->form == VEC_CONST && !vec_bit(bits, 0)))
        return true;
    to = arena_calloc(arena, VEC_BITMAP_WORDS(count), sizeof *to);
    if (!to)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (vec_bit(bits, v->form == VEC_CONST ? 0 : sel ? sel[i] : i))
            vec_bit_set(to, i);
    *ret = to;
    return true;
}

/* Position in data of the i-th chosen row. */
static inline uint32_t vec_flatten_at(const struct vec *v, const uint16_t *sel, uint32_t i)
{
    return vec_at(v, sel ? sel[i] : i);
}

void vec_gather(const struct vec *v, const uint16_t *sel, uint32_t count, void *to)
{
    uint32_t size = phys_size(type_phys(v->type));

    if (v->form == VEC_FLAT && !sel) {
        if (count)
            memcpy(to, v->data, (size_t)count * size);
        return;
    }
    switch (size) {
    case 1:
        for (uint32_t i = 0; i < count; i++)
            ((uint8_t *)to)[i] = ((const uint8_t *)v->data)[vec_flatten_at(v, sel, i)];
        return;
    case 2:
        for (uint32_t i = 0; i < count; i++)
            ((uint16_t *)to)[i] = ((const uint16_t *)v->data)[vec_flatten_at(v, sel, i)];
        return;
    case 4:
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)to)[i] = ((const uint32_t *)v->data)[vec_flatten_at(v, sel, i)];
        return;
    case 8:
        for (uint32_t i = 0; i < count; i++)
            ((uint64_t *)to)[i] = ((const uint64_t *)v->data)[vec_flatten_at(v, sel, i)];
        return;
    case 24:
        for (uint32_t i = 0; i < count; i++)
            ((struct vnumeric *)to)[i] =
                ((const struct vnumeric *)v->data)[vec_flatten_at(v, sel, i)];
        return;
    default: /* struct vstr and struct vinterval; a number, not an enum of ours */
        for (uint32_t i = 0; i < count; i++)
            ((struct vstr *)to)[i] = ((const struct vstr *)v->data)[vec_flatten_at(v, sel, i)];
        return;
    }
}

bool vec_flatten(
    struct arena *arena, const struct vec *v, const uint16_t *sel, uint32_t count, struct vec *ret)
{
    struct vec flat = {.type = v->type, .form = VEC_FLAT, .count = count};
    void *data = arena_alloc_array(arena, count, phys_size(type_phys(v->type)));

    if (!data || !vec_flatten_bits(arena, v, v->nulls, sel, count, &flat.nulls) ||
        !vec_flatten_bits(arena, v, v->absent, sel, count, &flat.absent))
        return false;
    vec_gather(v, sel, count, data);
    flat.data = data;
    *ret = flat;
    return true;
}

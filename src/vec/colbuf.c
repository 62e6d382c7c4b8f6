/* SPDX-License-Identifier: Apache-2.0
 *
 * colbuf.c: a growing column. Room for rows comes in powers of two of at least 64, so that the
 * bitmaps always hold whole words. Bits at and beyond `count` have no meaning: every append
 * writes the bits of its rows, set or clear; a failed append leaves `count` as it was. */
#include "vec/vec.h"

#include <string.h>

#define COLBUF_CAP_FIRST 64u

void colbuf_init(struct colbuf *c,
                 enum type_id type,
                 struct mem_owner *owner,
                 struct arena *strings)
{
    memset(c, 0, sizeof *c);
    c->type = type;
    c->owner = owner;
    c->strings = strings;
}

void colbuf_done(struct colbuf *c)
{
    mem_free(c->data);
    mem_free(c->nulls);
    mem_free(c->absent);
    c->data = NULL;
    c->nulls = NULL;
    c->absent = NULL;
    c->count = 0;
    c->cap = 0;
}

void colbuf_reset(struct colbuf *c)
{
    mem_free(c->nulls);
    mem_free(c->absent);
    c->nulls = NULL;
    c->absent = NULL;
    c->count = 0;
}

/* The bitmap is made on first use, all clear. */
static bool colbuf_bits_need(struct colbuf *c, uint64_t **bits)
{
    if (!*bits)
        *bits = mem_calloc(c->owner, VEC_BITMAP_WORDS(c->cap), sizeof **bits);
    return *bits != NULL;
}

uint64_t *colbuf_nulls(struct colbuf *c)
{
    return colbuf_bits_need(c, &c->nulls) ? c->nulls : NULL;
}

static bool colbuf_bits_grow(struct colbuf *c, uint64_t **bits, uint32_t cap)
{
    size_t old_words = VEC_BITMAP_WORDS(c->cap);
    size_t words = VEC_BITMAP_WORDS((size_t)cap);
    uint64_t *grown;

    if (!*bits)
        return true;
    grown = mem_realloc(c->owner, *bits, words * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + old_words, 0, (words - old_words) * sizeof *grown);
    *bits = grown;
    return true;
}

static void colbuf_bit_put(uint64_t *bits, uint32_t row, bool on)
{
    if (!bits)
        return;
    if (on)
        bits[row >> 6] |= (uint64_t)1 << (row & 63);
    else
        bits[row >> 6] &= ~((uint64_t)1 << (row & 63));
}

bool colbuf_reserve(struct colbuf *c, uint32_t rows)
{
    size_t size = phys_size(type_phys(c->type));
    uint32_t cap = c->cap ? c->cap : COLBUF_CAP_FIRST;
    size_t bytes;
    void *data;

    if (rows <= c->cap - c->count)
        return true;
    if (rows > UINT32_MAX / 2 - c->count)
        return false;
    while (cap < c->count + rows)
        cap *= 2;
    if (__builtin_mul_overflow((size_t)cap, size, &bytes))
        return false;
    data = mem_realloc(c->owner, c->data, bytes);
    if (!data)
        return false;
    c->data = data; /* the bitmaps may stay smaller on failure: cap is raised last */
    if (!colbuf_bits_grow(c, &c->nulls, cap) || !colbuf_bits_grow(c, &c->absent, cap))
        return false;
    c->cap = cap;
    return true;
}

static bool colbuf_own_str(struct colbuf *c, struct vstr *s)
{
    const char *copy = arena_dup(c->strings, s->ptr, s->len);

    if (!copy)
        return false;
    s->ptr = copy;
    return true;
}

static bool colbuf_put(struct colbuf *c, const struct datum *d, bool null, bool absent)
{
    struct datum own = *d;

    if (!colbuf_reserve(c, 1))
        return false;
    if ((null && !colbuf_bits_need(c, &c->nulls)) || (absent && !colbuf_bits_need(c, &c->absent)))
        return false;
    if (!null && type_is_string(c->type) && own.str.len && !colbuf_own_str(c, &own.str))
        return false;
    if (!null && type_is_string(c->type) && !own.str.len)
        own.str.ptr = "";
    own.type = c->type;
    own.null = null;
    datum_store(&own, c->data, c->count);
    colbuf_bit_put(c->nulls, c->count, null);
    colbuf_bit_put(c->absent, c->count, absent);
    c->count++;
    return true;
}

bool colbuf_append(struct colbuf *c, const struct datum *d)
{
    DN_ASSERT(d->null || d->type == c->type);
    return colbuf_put(c, d, d->null, false);
}

bool colbuf_append_absent(struct colbuf *c)
{
    struct datum none = {.type = c->type, .null = true};

    return colbuf_put(c, &none, true, true);
}

static bool
colbuf_any_bit(const struct vec *v, const uint64_t *bits, const uint16_t *rows, uint32_t count)
{
    if (!bits)
        return false;
    if (v->form == VEC_CONST)
        return vec_bit(bits, 0);
    for (uint32_t i = 0; i < count; i++)
        if (vec_bit(bits, rows ? rows[i] : i))
            return true;
    return false;
}

/* Strings of the new rows become our own. Neighbours that share bytes go on sharing them, so a
 * constant is copied once. */
static bool colbuf_own_rows(struct colbuf *c, uint32_t first, uint32_t count)
{
    struct vstr *s = (struct vstr *)c->data + first;
    struct vstr from = {NULL, 0};
    struct vstr own = {NULL, 0};

    for (uint32_t i = 0; i < count; i++) {
        if (vec_bit(c->nulls, first + i) || !s[i].len) {
            s[i] = (struct vstr){"", 0};
            continue;
        }
        if (s[i].ptr != from.ptr || s[i].len != from.len) {
            from = s[i];
            own = s[i];
            if (!colbuf_own_str(c, &own))
                return false;
        }
        s[i] = own;
    }
    return true;
}

static void colbuf_copy_bits(struct colbuf *c,
                             uint64_t *to,
                             const struct vec *v,
                             const uint64_t *bits,
                             const uint16_t *rows,
                             uint32_t count)
{
    if (!to)
        return;
    for (uint32_t i = 0; i < count; i++)
        colbuf_bit_put(to,
                       c->count + i,
                       vec_bit(bits,
                               v->form == VEC_CONST ? 0
                               : rows               ? rows[i]
                                                    : i));
}

bool colbuf_append_vec(struct colbuf *c, const struct vec *v, const uint16_t *rows, uint32_t count)
{
    size_t size = phys_size(type_phys(c->type));

    DN_ASSERT(type_phys(v->type) == type_phys(c->type));
    if (!colbuf_reserve(c, count))
        return false;
    if (colbuf_any_bit(v, v->nulls, rows, count) && !colbuf_bits_need(c, &c->nulls))
        return false;
    if (colbuf_any_bit(v, v->absent, rows, count) && !colbuf_bits_need(c, &c->absent))
        return false;
    colbuf_copy_bits(c, c->nulls, v, v->nulls, rows, count);
    colbuf_copy_bits(c, c->absent, v, v->absent, rows, count);
    vec_gather(v, rows, count, (char *)c->data + c->count * size);
    if (type_is_string(c->type) && !colbuf_own_rows(c, c->count, count))
        return false;
    c->count += count;
    return true;
}

struct vec colbuf_vec(const struct colbuf *c, uint32_t first, uint32_t count)
{
    size_t size = phys_size(type_phys(c->type));
    struct vec v = {.type = c->type, .form = VEC_FLAT, .count = count};

    DN_ASSERT(first <= c->count && count <= c->count - first);
    DN_ASSERT(first % 64 == 0 || (!c->nulls && !c->absent));
    v.data = (const char *)c->data + first * size;
    v.nulls = c->nulls ? c->nulls + first / 64 : NULL;
    v.absent = c->absent ? c->absent + first / 64 : NULL;
    return v;
}

struct datum colbuf_datum(const struct colbuf *c, uint32_t row)
{
    struct vec v = {.type = c->type,
                    .form = VEC_FLAT,
                    .count = c->count,
                    .data = c->data,
                    .nulls = c->nulls,
                    .absent = c->absent};

    DN_ASSERT(row < c->count);
    return vec_datum(&v, row);
}

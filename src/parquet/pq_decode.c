/* SPDX-License-Identifier: Apache-2.0 */
#include "parquet/pq_decode.h"

#include <string.h>

#define RLE_TAKE_MAX 64u

/* ---- runs ---- */

/* Up to 64 bits from a position, lowest first. They are all before the end. */
static inline uint64_t pq_bits(const uint8_t *p, const uint8_t *end, uint64_t bit, uint32_t width)
{
    const uint8_t *at = p + (bit >> 3);
    uint32_t shift = (uint32_t)(bit & 7);
    uint32_t need = (shift + width + 7) / 8; /* 0..9 */
    uint64_t low = 0;

    if (DN_LIKELY(end - at >= 8))
        low = le_get64(at);
    else
        for (uint32_t i = 0; i < need && i < 8; i++)
            low |= (uint64_t)at[i] << 8 * i;
    low >>= shift;
    if (need > 8)
        low |= (uint64_t)at[8] << (64 - shift);
    return width >= 64 ? low : low & (((uint64_t)1 << width) - 1);
}

bool pq_rle_begin(struct pq_rle *r, const uint8_t *p, size_t len, uint32_t width)
{
    *r = (struct pq_rle){.p = p, .end = p + len, .width = width};
    return width <= 32;
}

static bool pq_rle_run(struct pq_rle *r)
{
    struct rd in = rd_make(r->p, (size_t)(r->end - r->p));
    uint32_t width_bytes = (r->width + 7) / 8;
    uint64_t head = rd_varint(&in);
    const uint8_t *bytes;
    uint64_t groups = head >> 1;

    if (in.bad || groups == 0)
        return false;
    r->same = (head & 1) == 0;
    if (r->same) {
        r->left = groups;
        r->value = 0;
        bytes = rd_bytes(&in, width_bytes);
        for (uint32_t i = 0; bytes && i < width_bytes; i++)
            r->value |= (uint32_t)bytes[i] << 8 * i;
    } else {
        uint64_t have = rd_left(&in);

        if (groups > UINT32_MAX)
            return false;
        /* The last group of a page may lack bytes behind its last number. */
        r->left = groups * 8;
        if (r->width > 0 && groups * r->width > have)
            r->left = have * 8 / r->width;
        have = groups * r->width < have ? groups * r->width : have;
        bytes = rd_bytes(&in, (size_t)have);
        r->packed = bytes;
        r->bit = 0;
    }
    r->p = in.p;
    return !in.bad && r->left > 0;
}

bool pq_rle_take(struct pq_rle *r, uint32_t n, uint32_t *to)
{
    while (n > 0) {
        uint32_t k;

        if (r->left == 0 && !pq_rle_run(r))
            return false;
        k = r->left < n ? (uint32_t)r->left : n;
        for (uint32_t i = 0; r->same && i < k; i++)
            to[i] = r->value;
        for (uint32_t i = 0; !r->same && i < k; i++, r->bit += r->width)
            to[i] = (uint32_t)pq_bits(r->packed, r->end, r->bit, r->width);
        r->left -= k;
        to += k;
        n -= k;
    }
    return true;
}

/* ---- differences ---- */

static uint64_t pq_unzigzag(uint64_t v)
{
    return v >> 1 ^ (uint64_t)(-(int64_t)(v & 1));
}

bool pq_delta_begin(struct pq_delta *d, const uint8_t *p, size_t len)
{
    uint64_t block;
    uint64_t minis;
    uint64_t first;

    *d = (struct pq_delta){.in = rd_make(p, len), .first = true};
    block = rd_varint(&d->in);
    minis = rd_varint(&d->in);
    d->left = rd_varint(&d->in);
    first = rd_varint(&d->in);
    if (d->in.bad || block == 0 || block > 1u << 20 || minis == 0 || minis > block ||
        block % minis != 0 || block / minis % 8 != 0 || d->left > PQ_VALUES_MAX)
        return false;
    d->minis = d->mini = (uint32_t)minis;
    d->blocks = (uint32_t)(block / minis);
    d->last = pq_unzigzag(first);
    return true;
}

/* The next miniblock. */
static bool pq_delta_mini(struct pq_delta *d)
{
    uint32_t width;

    if (d->mini == d->minis) {
        d->least = pq_unzigzag(rd_varint(&d->in));
        d->widths = rd_bytes(&d->in, d->minis);
        d->mini = 0;
        if (!d->widths)
            return false;
    }
    width = d->widths[d->mini];
    if (width > 64)
        return false;
    d->packed = rd_bytes(&d->in, (size_t)width * d->blocks / 8);
    return d->packed != NULL || (width == 0 && !d->in.bad);
}

/* The next value; it is there. */
static inline bool pq_delta_one(struct pq_delta *d, uint64_t *ret)
{
    if (d->first) {
        d->first = false;
    } else {
        uint32_t width;

        if (d->mini_at == 0 && !pq_delta_mini(d))
            return false;
        width = d->widths[d->mini];
        d->last += d->least +
                   (width ? pq_bits(d->packed, d->in.end, (uint64_t)d->mini_at * width, width) : 0);
        if (++d->mini_at == d->blocks) {
            d->mini_at = 0;
            d->mini++;
        }
    }
    d->left--;
    *ret = d->last;
    return true;
}

bool pq_delta_take(struct pq_delta *d, uint32_t n, bool wide, void *to)
{
    int64_t *wide_to = to;
    int32_t *narrow_to = to;
    uint64_t v;

    if (n > d->left)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!pq_delta_one(d, &v))
            return false;
        if (wide)
            wide_to[i] = (int64_t)v;
        else
            narrow_to[i] = (int32_t)(uint32_t)v;
    }
    return true;
}

const uint8_t *pq_delta_end(struct pq_delta d)
{
    uint64_t v;

    while (d.left > 0)
        if (!pq_delta_one(&d, &v))
            return NULL;
    /* A miniblock is there in full; those of the block behind it have widths and no bytes. */
    return d.in.p;
}

/* ---- values ---- */

static bool values_lengths(struct pq_values *v, struct pq_delta *d)
{
    if (!pq_delta_begin(d, v->p, (size_t)(v->end - v->p)))
        return false;
    v->p = pq_delta_end(*d);
    return v->p != NULL;
}

static bool values_numbers(const struct pq_field *f)
{
    return f->phys == PQ_INT32 || f->phys == PQ_INT64;
}

static uint32_t values_width(const struct pq_field *f)
{
    static const uint8_t widths[PQ_PHYS_COUNT] = {
        [PQ_INT32] = 4, [PQ_INT64] = 8, [PQ_INT96] = 12, [PQ_FLOAT] = 4, [PQ_DOUBLE] = 8};

    return f->phys == PQ_FIXED ? f->width : widths[f->phys];
}

static const char *values_begin_rle(struct pq_values *v)
{
    uint32_t len;

    if (v->field->phys != PQ_BOOLEAN)
        return "an encoding that its type does not have";
    if (v->end - v->p < 4)
        return "a damaged page";
    len = le_get32(v->p);
    v->p += 4;
    if (len > (size_t)(v->end - v->p))
        return "a damaged page";
    return pq_rle_begin(&v->rle, v->p, len, 1) ? NULL : "a damaged page";
}

static const char *values_begin_dict(struct pq_values *v)
{
    if (v->p == v->end) /* of a page of NULLs */
        return pq_rle_begin(&v->rle, v->p, 0, 0) ? NULL : "a damaged page";
    return pq_rle_begin(&v->rle, v->p + 1, (size_t)(v->end - v->p) - 1, v->p[0]) ? NULL
                                                                                 : "a damaged page";
}

const char *pq_values_begin(struct pq_values *v,
                            const struct pq_field *f,
                            enum pq_encoding encoding,
                            const uint8_t *p,
                            size_t len)
{
    static const char damaged[] = "a damaged page";
    static const char misfit[] = "an encoding that its type does not have";
    bool bytes = f->phys == PQ_BYTE_ARRAY || f->phys == PQ_FIXED;
    uint32_t width = values_width(f);

    *v = (struct pq_values){.field = f, .encoding = encoding, .p = p, .end = p + len};
    switch (encoding) {
    case PQ_PLAIN:
        return NULL;
    case PQ_PLAIN_DICTIONARY:
    case PQ_RLE_DICTIONARY:
        return values_begin_dict(v);
    case PQ_RLE:
        return values_begin_rle(v);
    case PQ_BIT_PACKED:
        return "the encoding BIT_PACKED, which is out of use";
    case PQ_DELTA_BINARY_PACKED:
        if (!values_numbers(f))
            return misfit;
        return pq_delta_begin(&v->delta, p, len) ? NULL : damaged;
    case PQ_DELTA_LENGTH:
        if (f->phys != PQ_BYTE_ARRAY)
            return misfit;
        return values_lengths(v, &v->delta) ? NULL : damaged;
    case PQ_DELTA_BYTES:
        if (!bytes)
            return misfit;
        return values_lengths(v, &v->prefix) && values_lengths(v, &v->delta) ? NULL : damaged;
    case PQ_BYTE_STREAM_SPLIT:
        if (width == 0 || f->phys == PQ_INT96)
            return misfit;
        if (len % width != 0 || len / width > PQ_VALUES_MAX)
            return damaged;
        v->split_rows = (uint32_t)(len / width);
        return NULL;
    }
    return "an encoding that is not known";
}

static bool values_plain_bool(struct pq_values *v, uint32_t n, int8_t *to)
{
    for (uint32_t i = 0; i < n; i++) {
        if (v->p == v->end)
            return false;
        to[i] = (int8_t)(*v->p >> v->bit & 1);
        v->bit = (v->bit + 1) & 7;
        v->p += v->bit == 0;
    }
    return true;
}

static bool values_plain_bytes(struct pq_values *v, uint32_t n, struct vstr *to)
{
    const struct pq_field *f = v->field;

    for (uint32_t i = 0; i < n; i++) {
        size_t have = (size_t)(v->end - v->p);
        uint32_t len = f->width;

        if (f->phys == PQ_BYTE_ARRAY) {
            if (have < 4)
                return false;
            len = le_get32(v->p);
            v->p += 4;
            have -= 4;
        }
        if (len > have)
            return false;
        to[i] = (struct vstr){len ? (const char *)v->p : "", len};
        v->p += len;
    }
    return true;
}

static bool values_plain(struct pq_values *v, uint32_t n, void *to)
{
    uint32_t width = values_width(v->field);

    if (v->field->phys == PQ_BOOLEAN)
        return values_plain_bool(v, n, to);
    if (v->field->phys == PQ_BYTE_ARRAY || v->field->phys == PQ_FIXED)
        return values_plain_bytes(v, n, to);
    if ((size_t)(v->end - v->p) / width < n)
        return false;
    if (n > 0)
        memcpy(to, v->p, (size_t)n * width); /* little-endian, as everywhere (vec.h) */
    v->p += (size_t)n * width;
    return true;
}

static bool values_rle_bool(struct pq_values *v, uint32_t n, int8_t *to)
{
    uint32_t some[RLE_TAKE_MAX];

    while (n > 0) {
        uint32_t k = n < RLE_TAKE_MAX ? n : RLE_TAKE_MAX;

        if (!pq_rle_take(&v->rle, k, some))
            return false;
        for (uint32_t i = 0; i < k; i++)
            to[i] = (int8_t)(some[i] & 1);
        to += k;
        n -= k;
    }
    return true;
}

static bool values_lengthy(struct pq_values *v, uint32_t n, struct vstr *to)
{
    int32_t len;

    for (uint32_t i = 0; i < n; i++) {
        if (!pq_delta_take(&v->delta, 1, false, &len) || len < 0 || len > v->end - v->p)
            return false;
        to[i] = (struct vstr){len ? (const char *)v->p : "", (uint32_t)len};
        v->p += len;
    }
    return true;
}

/* Each begins as the one before it does. */
static int values_fronted(struct pq_values *v, uint32_t n, struct arena *arena, struct vstr *to)
{
    const struct pq_field *f = v->field;
    struct vstr tail;
    int32_t same;
    uint32_t len;
    char *room;

    for (uint32_t i = 0; i < n; i++) {
        if (!pq_delta_take(&v->prefix, 1, false, &same) || same < 0 ||
            (uint32_t)same > v->last.len || !values_lengthy(v, 1, &tail) ||
            __builtin_add_overflow((uint32_t)same, tail.len, &len) ||
            (f->phys == PQ_FIXED && len != f->width))
            return 1;
        if (same == 0) {
            to[i] = tail;
        } else {
            room = arena_alloc(arena, len);
            if (!room)
                return DN_E_NOMEM;
            memcpy(room, v->last.ptr, (size_t)same);
            memcpy(room + same, tail.ptr, tail.len);
            to[i] = (struct vstr){room, len};
        }
        v->last = to[i];
    }
    if (n > 0) { /* the arena does not last */
        buf_reset(v->keep);
        buf_append(v->keep, v->last.ptr, v->last.len);
        if (v->keep->failed)
            return DN_E_NOMEM;
        v->last.ptr = v->last.len ? (const char *)v->keep->data : "";
    }
    return 0;
}

/* First the first byte of all values, then the second: straight to their places. */
static int values_split(struct pq_values *v, uint32_t n, struct arena *arena, void *to)
{
    const struct pq_field *f = v->field;
    uint32_t width = values_width(f);
    uint8_t *bytes = to;

    if (n > v->split_rows - v->split_at)
        return 1;
    if (f->phys == PQ_FIXED) {
        bytes = arena_alloc_array(arena, n, width);
        if (!bytes)
            return DN_E_NOMEM;
    }
    for (uint32_t k = 0; k < width; k++) {
        const uint8_t *from = v->p + (size_t)k * v->split_rows + v->split_at;

        for (uint32_t i = 0; i < n; i++)
            bytes[(size_t)i * width + k] = from[i];
    }
    for (uint32_t i = 0; f->phys == PQ_FIXED && i < n; i++)
        ((struct vstr *)to)[i] = (struct vstr){(const char *)bytes + (size_t)i * width, width};
    v->split_at += n;
    return 0;
}

int pq_values_take(struct pq_values *v, uint32_t n, struct arena *arena, void *to)
{
    switch (v->encoding) {
    case PQ_PLAIN:
        return values_plain(v, n, to) ? 0 : 1;
    case PQ_RLE:
        return values_rle_bool(v, n, to) ? 0 : 1;
    case PQ_DELTA_BINARY_PACKED:
        return pq_delta_take(&v->delta, n, v->field->phys == PQ_INT64, to) ? 0 : 1;
    case PQ_DELTA_LENGTH:
        return values_lengthy(v, n, to) ? 0 : 1;
    case PQ_DELTA_BYTES:
        return values_fronted(v, n, arena, to);
    case PQ_BYTE_STREAM_SPLIT:
        return values_split(v, n, arena, to);
    case PQ_PLAIN_DICTIONARY:
    case PQ_RLE_DICTIONARY:
    case PQ_BIT_PACKED:
        break;
    }
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * array.c: arrays as bytes and back; see the header for the bytes. */
#include "vec/array.h"

#include "base/cancel.h"
#include "base/err.h"
#include "vec/normkey.h"
#include "vec/numeric.h"
#include "vec/wide.h"

enum { VARRAY_END, VARRAY_ITEM, VARRAY_NULL };

#define VARRAY_LOOK 4096u /* items between two looks at the flag */

struct varray varray_flat(enum type_id elem, struct datum *items, uint32_t n)
{
    return (struct varray){
        .elem = elem, .dims = n > 0, .len = {(int32_t)n}, .low = {1}, .count = n, .items = items};
}

static void varray_put32(uint8_t *to, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> (24 - 8 * i));
}

void varray_write_item(const struct datum *item, struct buf *b, struct buf *tail)
{
    uint8_t bytes[VEC_WIDE_BYTES_MAX];
    uint32_t n;

    buf_u8(b, item->null ? VARRAY_NULL : VARRAY_ITEM);
    if (item->null)
        return;
    normkey_append(b, item, false);
    if (!type_is_wide(item->type))
        return;
    n = vec_wide_put(item->type, &item->iv, bytes);
    buf_u8(tail, (uint8_t)n);
    buf_append(tail, bytes, n);
}

uint32_t varray_write_shape(const struct varray *a, uint8_t *to)
{
    uint32_t n = 0;

    to[n++] = VARRAY_END;
    to[n++] = (uint8_t)a->dims;
    for (uint32_t d = 0; d < a->dims; d++, n += 8) {
        varray_put32(to + n, (uint32_t)a->len[d]);
        varray_put32(to + n + 4, (uint32_t)a->low[d] ^ 0x80000000u);
    }
    return n;
}

void varray_write(const struct varray *a, const atomic_bool *cancel, struct buf *b)
{
    uint8_t shape[VARRAY_SHAPE_BYTES_MAX];
    struct varray bare = *a;
    struct buf tail;

    buf_init(&tail, b->owner);
    for (uint32_t i = 0; i < a->count && !b->failed; i++) {
        if (i % VARRAY_LOOK == VARRAY_LOOK - 1 && dn_cancel_check(cancel, NULL) < 0)
            b->failed = true;
        varray_write_item(&a->items[i], b, &tail);
    }
    bare.dims = a->count ? a->dims : 0;
    buf_append(b, shape, varray_write_shape(&bare, shape));
    if (tail.len)
        buf_append(b, tail.data, tail.len);
    b->failed = b->failed || tail.failed;
    buf_done(&tail);
}

/* Bytes of the key of a wide value; 0: they are none. */
static size_t varray_wide_key(enum type_id elem, const struct rd *r)
{
    if (elem == TYPE_INTERVAL)
        return VINTERVAL_KEY_BYTES;
    return rd_left(r) == 0 ? 0 : *r->p == 1 || *r->p == 3 ? 1 : VNUMERIC_KEY_BYTES;
}

/* Over the items, to the byte behind the end mark; counts them. False: the bytes are wrong. */
static bool varray_skip(struct rd *r, enum type_id elem, uint32_t *ret_count)
{
    uint32_t n = 0;

    for (;; n++) {
        uint8_t mark = rd_u8(r);

        if (r->bad || mark > VARRAY_NULL || n > VARRAY_ITEMS_MAX)
            return false;
        if (mark == VARRAY_END)
            break;
        if (mark == VARRAY_ITEM && (!rd_bytes(r, varray_wide_key(elem, r)) || r->bad))
            return false;
    }
    *ret_count = n;
    return true;
}

static uint32_t varray_get32(struct rd *r)
{
    const uint8_t *p = rd_bytes(r, 4);

    return p ? be_get32(p) : 0;
}

struct vstr varray_key(enum type_id type, struct vstr s)
{
    struct rd r = rd_make(s.ptr, s.len);
    uint32_t count;
    uint8_t dims;

    if (!type_is_array(type) || !type_is_wide(type_element(type)) ||
        !varray_skip(&r, type_element(type), &count))
        return s;
    dims = rd_u8(&r);
    if (!rd_bytes(&r, (size_t)dims * 8) || r.bad)
        return s;
    return (struct vstr){s.ptr, (uint32_t)(s.len - rd_left(&r))};
}

int varray_cmp(enum type_id type, struct vstr a, struct vstr b)
{
    return vstr_cmp(varray_key(type, a), varray_key(type, b));
}

static int
varray_items(struct rd *r, const atomic_bool *cancel, struct varray *a, struct arena *arena)
{
    uint32_t cap = 0;
    struct dn_err ignored;

    for (a->count = 0;; a->count++) {
        uint8_t mark = rd_u8(r);
        struct datum *d;

        if (r->bad || mark > VARRAY_NULL || a->count > VARRAY_ITEMS_MAX)
            return 1;
        if (mark == VARRAY_END)
            return 0;
        if (a->count % VARRAY_LOOK == VARRAY_LOOK - 1 && dn_cancel_check(cancel, NULL) < 0)
            return DN_E_NOMEM;
        if (a->count == cap) {
            uint32_t more = cap ? cap * 2 : 8;
            struct datum *grown = arena_alloc_array(arena, more, sizeof *grown);

            if (!grown)
                return DN_E_NOMEM;
            if (cap)
                memcpy(grown, a->items, cap * sizeof *grown);
            a->items = grown;
            cap = more;
        }
        d = &a->items[a->count];
        *d = (struct datum){.type = a->elem, .null = mark == VARRAY_NULL, .str = {"", 0}};
        if (d->null)
            continue;
        if (type_is_wide(a->elem)) {
            if (!rd_bytes(r, varray_wide_key(a->elem, r)) || r->bad)
                return 1;
        } else {
            int rc = normkey_read(r, a->elem, false, arena, d, &ignored);

            if (rc < 0)
                return rc == DN_E_NOMEM ? rc : 1;
        }
    }
}

static int varray_shape(struct rd *r, struct varray *a)
{
    uint64_t items = 1;

    a->dims = rd_u8(r);
    if (r->bad || a->dims > VARRAY_DIMS_MAX || (a->dims == 0) != (a->count == 0))
        return 1;
    for (uint32_t d = 0; d < a->dims; d++) {
        uint32_t len = varray_get32(r);

        a->low[d] = (int32_t)(varray_get32(r) ^ 0x80000000u);
        if (r->bad || len == 0 || len > VARRAY_ITEMS_MAX)
            return 1;
        a->len[d] = (int32_t)len;
        items *= len;
        if (items > VARRAY_ITEMS_MAX)
            return 1;
    }
    return a->dims && items != a->count ? 1 : 0;
}

int varray_read(struct vstr s,
                enum type_id elem,
                const atomic_bool *cancel,
                struct arena *arena,
                struct varray *ret)
{
    struct rd r = rd_make(s.ptr, s.len);
    struct varray a = {.elem = elem};
    int rc = varray_items(&r, cancel, &a, arena);

    if (rc != 0)
        return rc;
    rc = varray_shape(&r, &a);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; type_is_wide(elem) && i < a.count; i++) {
        uint8_t n;
        const uint8_t *p;

        if (a.items[i].null)
            continue;
        n = rd_u8(&r);
        p = rd_bytes(&r, n);
        if (!p || !vec_wide_get(elem, p, n, &a.items[i].iv))
            return 1;
    }
    if (rd_left(&r) != 0)
        return 1;
    *ret = a;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * text_wire.c: see the header. Decimal numbers go through their digits: base 10000, the weight of
 * the first group, and how many digits are shown. */
#include "func/text_wire.h"
#include "func/text_wire_int.h"

#include "base/civil.h"
#include "func/func_array.h"
#include "func/text.h"
#include "func/type_ops.h"
#include "vec/array.h"

#include <inttypes.h>
#include <string.h>

#define WIRE_TEXT        25
#define WIRE_TIMESTAMP   1114 /* without a zone; given for an instant: at UTC */
#define WIRE_TIMESTAMPTZ 1184

/* ---- times ---- */

int64_t text_wire_us(const struct datum *d)
{
    int64_t per = type_ts_per_second(d->type);

    if (d->v.i64 == INT64_MAX || d->v.i64 == INT64_MIN)
        return d->v.i64; /* infinite */
    if (per <= 1000000) {
        int64_t us;

        if (__builtin_mul_overflow(d->v.i64, 1000000 / per, &us))
            us = d->v.i64 < 0 ? INT64_MIN : INT64_MAX;
        return us;
    }
    return civil_floor(d->v.i64, per / 1000000);
}

/* ---- arrays ---- */

void text_wire_put_array(const struct datum *d, struct arena *scratch, struct buf *b)
{
    struct varray a;
    bool nulls = false;

    if (varray_read(d->str, type_element(d->type), NULL, scratch, &a) != 0) {
        b->failed = true;
        return;
    }
    for (uint32_t i = 0; i < a.count; i++)
        nulls = nulls || a.items[i].null;
    buf_be32(b, a.dims);
    buf_be32(b, nulls);
    buf_be32(b, text_wire_oid(a.elem));
    for (uint32_t i = 0; i < a.dims; i++) {
        buf_be32(b, (uint32_t)a.len[i]);
        buf_be32(b, (uint32_t)a.low[i]);
    }
    for (uint32_t i = 0; i < a.count; i++) {
        size_t at = b->len;

        buf_be32(b, a.items[i].null ? UINT32_MAX : 0);
        if (a.items[i].null)
            continue;
        text_wire_put(&a.items[i], scratch, b);
        if (!b->failed)
            be_put32(b->data + at, (uint32_t)(b->len - at - 4));
    }
}

/* Do values of a type of PostgreSQL look like those of ours? */
static bool wire_same(enum type_id type, uint32_t oid)
{
    return oid == text_wire_oid(type) || (type == TYPE_VARCHAR && oid == WIRE_TEXT) ||
           (oid == WIRE_TIMESTAMP && text_wire_oid(type) == WIRE_TIMESTAMPTZ);
}

int text_wire_get_array(enum type_id type,
                        const uint8_t *p,
                        uint32_t len,
                        struct arena *arena,
                        struct datum *ret,
                        struct dn_err *err)
{
    struct varray a = {.elem = type_element(type), .count = 1};
    const uint8_t *end = p + len;
    struct buf bytes;
    int rc = 0;

    if (len < 12 || be_get32(p) > VARRAY_DIMS_MAX)
        return text_wire_bad(type, err);
    a.dims = be_get32(p);
    if (!wire_same(a.elem, be_get32(p + 8)))
        return DN_FAIL(err,
                       DN_E_BAD_BINARY,
                       "an array of type %" PRIu32 " for %s",
                       be_get32(p + 8),
                       type_word(type));
    p += 12;
    if ((size_t)(end - p) < 8 * (size_t)a.dims)
        return text_wire_bad(type, err);
    for (uint32_t i = 0; i < a.dims; i++, p += 8) {
        a.len[i] = (int32_t)be_get32(p);
        a.low[i] = (int32_t)be_get32(p + 4);
        if (a.len[i] <= 0 || (uint64_t)a.count * (uint32_t)a.len[i] > VARRAY_ITEMS_MAX ||
            a.count * (uint32_t)a.len[i] > len / 4)
            return text_wire_bad(type, err);
        a.count *= (uint32_t)a.len[i];
    }
    rc = func_array_bounds(&a, err);
    if (rc < 0)
        return rc;
    a.count = a.dims ? a.count : 0;
    a.items = arena_calloc(arena, a.count + 1u, sizeof *a.items);
    if (!a.items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < a.count; i++) {
        uint32_t n;

        if (end - p < 4)
            return text_wire_bad(type, err);
        n = be_get32(p);
        p += 4;
        a.items[i] = (struct datum){.type = a.elem, .null = n == UINT32_MAX};
        if (n == UINT32_MAX)
            continue;
        if (n > (size_t)(end - p))
            return text_wire_bad(type, err);
        rc = text_wire_get(a.elem, p, n, arena, &a.items[i], err);
        p += n;
    }
    if (rc == 0 && p != end)
        rc = text_wire_bad(type, err);
    if (rc < 0)
        return rc;
    buf_init(&bytes, NULL);
    varray_write(&a, NULL, &bytes);
    ret->str.ptr = bytes.failed ? NULL : arena_dup(arena, bytes.data, bytes.len);
    ret->str.len = (uint32_t)bytes.len;
    buf_done(&bytes);
    return ret->str.ptr ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- any value ---- */

uint32_t text_wire_oid(enum type_id type)
{
    bool array = type_is_array(type);
    enum type_id elem = array ? type_element(type) : type;

    if (type_is_enum(elem))
        return TEXT_WIRE_USER + 2 * TYPE_NUMBER(type) + array;
    return array ? type_ops_of(elem)->array_oid : type_ops_of(elem)->oid;
}

enum type_id text_wire_type(uint32_t oid)
{
    static const enum type_id types[] = {
#define DN_TYPE(id, name, sql, phys) TYPE_##name,
#include "vec/type_list.h"
#undef DN_TYPE
    };

    for (size_t i = 0; oid != 0 && i < DN_ARRAY_SIZE(types); i++) {
        const struct type_ops *ops = type_ops_of(types[i]);

        if (type_is_timestamp(types[i])) /* the id is that of TIMESTAMPTZ, too, and means it */
            continue;
        if (ops->oid == oid)
            return types[i];
        if (ops->array_oid == oid)
            return type_array_of(types[i]);
    }
    return TYPE_NONE;
}

void text_wire_put(const struct datum *d, struct arena *scratch, struct buf *b)
{
    const struct type_to to = {.scratch = scratch, .b = b};

    type_ops_of(d->type)->put(d, &to);
}

int text_wire_get(enum type_id type,
                  const uint8_t *bytes,
                  uint32_t len,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err)
{
    const struct type_from from = {
        .type = type, .s = {.ptr = (const char *)bytes, .len = len}, .arena = arena};
    const struct type_ops *ops = type_ops_of(type);

    *ret = (struct datum){.type = type};
    if (ops->wire_bytes > 0 && len != ops->wire_bytes)
        return text_wire_bad(type, err);
    return ops->get(&from, ret, err);
}

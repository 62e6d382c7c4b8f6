/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.c: INTERVAL and NUMERIC as bytes and back; see the header for the bytes. */
#include "vec/wide.h"

#include "base/bytes.h"
#include "base/err.h"
#include "vec/numeric.h"

#define WIDE_INTERVAL_BYTES 16u

uint32_t vec_wide_put(enum type_id type, const void *value, uint8_t *to)
{
    const struct vinterval *iv = value;

    DN_ASSERT(type_is_wide(type));
    if (type == TYPE_NUMERIC)
        return vnumeric_put(*(const struct vnumeric *)value, to);
    le_put64(to, (uint64_t)iv->us);
    le_put32(to + 8, (uint32_t)iv->days);
    le_put32(to + 12, (uint32_t)iv->months);
    return WIDE_INTERVAL_BYTES;
}

bool vec_wide_get(enum type_id type, const void *bytes, uint32_t len, void *value)
{
    const uint8_t *p = bytes;

    DN_ASSERT(type_is_wide(type));
    if (type == TYPE_NUMERIC)
        return vnumeric_get(bytes, len, value);
    if (len != WIDE_INTERVAL_BYTES)
        return false;
    *(struct vinterval *)value = (struct vinterval){.us = (int64_t)le_get64(p),
                                                    .days = (int32_t)le_get32(p + 8),
                                                    .months = (int32_t)le_get32(p + 12)};
    return true;
}

bool datum_key_form(const struct type_mods *mods, struct datum *d)
{
    if (d->null)
        return true;
    if (d->type == TYPE_INTERVAL)
        return vinterval_justify(d->iv, &d->iv);
    if (d->type == TYPE_NUMERIC && mods->count == 0)
        d->num = vnumeric_trim(d->num);
    return true;
}

static uint32_t wide_entries(const struct vec *v)
{
    return v->form == VEC_FLAT ? v->count : v->form == VEC_CONST ? 1 : v->dict_count;
}

bool vec_wide_to_strs(struct arena *arena, const struct vec *v, struct vec *ret)
{
    uint32_t n = wide_entries(v);
    uint32_t size = phys_size(type_phys(v->type));
    struct vstr *strs = arena_alloc_array(arena, n + 1, sizeof *strs);
    uint8_t *bytes = arena_alloc_array(arena, n + 1, VEC_WIDE_BYTES_MAX);

    if (!strs || !bytes)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        strs[i].ptr = (const char *)bytes;
        strs[i].len = vec_wide_put(v->type, (const uint8_t *)v->data + (size_t)i * size, bytes);
        bytes += strs[i].len;
    }
    *ret = *v;
    ret->type = TYPE_BLOB;
    ret->data = strs;
    return true;
}

int vec_wide_from_strs(struct arena *arena, enum type_id type, struct vec *v)
{
    uint32_t n = wide_entries(v);
    uint32_t size = phys_size(type_phys(type));
    const struct vstr *strs = v->data;
    uint8_t *values = arena_calloc(arena, n + 1, size);

    if (!values)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (!vec_wide_get(type, strs[i].ptr, strs[i].len, values + (size_t)i * size))
            return 1;
    v->type = type;
    v->data = values;
    return 0;
}

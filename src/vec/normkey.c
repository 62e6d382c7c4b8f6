/* SPDX-License-Identifier: Apache-2.0
 *
 * normkey.c: see the header for the bytes. */
#include "vec/normkey.h"

#include "vec/array.h"
#include "vec/numeric.h"

#include <string.h>

#define NORMKEY_SIGN64 ((uint64_t)1 << 63)
#define NORMKEY_SIGN32 ((uint32_t)1 << 31)
#define NORMKEY_NAN64  0x7ff8000000000000u
#define NORMKEY_NAN32  0x7fc00000u

/* Bits of a double with one zero and one NaN. */
static uint64_t normkey_bits64(double f)
{
    uint64_t bits;

    if (f != f)
        return NORMKEY_NAN64;
    if (f == 0)
        return 0;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint32_t normkey_bits32(float f)
{
    uint32_t bits;

    if (f != f)
        return NORMKEY_NAN32;
    if (f == 0)
        return 0;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void normkey_put64(struct buf *b, uint64_t v, bool desc)
{
    uint8_t *p = buf_extend(b, 8);

    if (p)
        be_put64(p, desc ? ~v : v);
}

static void normkey_put32(struct buf *b, uint32_t v, bool desc)
{
    uint8_t *p = buf_extend(b, 4);

    if (desc)
        v = ~v;
    if (p)
        for (unsigned i = 0; i < 4; i++)
            p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void normkey_put_str(struct buf *b, struct vstr s, bool desc)
{
    size_t zeros = 0;
    uint8_t flip = desc ? 0xff : 0;
    uint8_t *p;

    for (uint32_t i = 0; i < s.len; i++)
        zeros += s.ptr[i] == 0;
    p = buf_extend(b, s.len + zeros + 2);
    if (!p)
        return;
    for (uint32_t i = 0; i < s.len; i++) {
        *p++ = (uint8_t)s.ptr[i] ^ flip;
        if (s.ptr[i] == 0)
            *p++ = 0xff ^ flip;
    }
    *p++ = flip;
    *p++ = flip;
}

static void normkey_put_interval(struct buf *b, struct vinterval v, bool desc)
{
    uint8_t *p = buf_extend(b, VINTERVAL_KEY_BYTES);

    if (!p)
        return;
    vinterval_key(v, p);
    for (unsigned i = 0; desc && i < VINTERVAL_KEY_BYTES; i++)
        p[i] = (uint8_t)~p[i];
}

static void normkey_put_numeric(struct buf *b, struct vnumeric v, bool desc)
{
    uint8_t key[VNUMERIC_KEY_BYTES];
    uint32_t len = vnumeric_key(v, key);
    uint8_t *p = buf_extend(b, len);

    for (uint32_t i = 0; p && i < len; i++)
        p[i] = (uint8_t)(key[i] ^ (desc ? 0xff : 0));
}

void normkey_append(struct buf *b, const struct datum *d, bool desc)
{
    uint64_t bits64;
    uint32_t bits32;

    DN_ASSERT(!d->null);
    switch (type_phys(d->type)) {
    case PHYS_I8:
        buf_u8(b, (uint8_t)((d->v.i64 != 0) ^ (desc ? 0xff : 0)));
        break;
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
        normkey_put64(b, (uint64_t)d->v.i64 ^ NORMKEY_SIGN64, desc);
        break;
    case PHYS_F32:
        bits32 = normkey_bits32((float)d->v.f64);
        normkey_put32(b, bits32 & NORMKEY_SIGN32 ? ~bits32 : bits32 | NORMKEY_SIGN32, desc);
        break;
    case PHYS_F64:
        bits64 = normkey_bits64(d->v.f64);
        normkey_put64(b, bits64 & NORMKEY_SIGN64 ? ~bits64 : bits64 | NORMKEY_SIGN64, desc);
        break;
    case PHYS_STR:
        normkey_put_str(b, varray_key(d->type, d->str), desc);
        break;
    case PHYS_INTERVAL:
        normkey_put_interval(b, d->iv, desc);
        break;
    case PHYS_NUMERIC:
        normkey_put_numeric(b, d->num, desc);
        break;
    case PHYS_MAX:
        break;
    }
}

void normkey_append_vec(struct buf *b, const struct vec *v, uint32_t row, bool desc)
{
    struct datum d;

    DN_ASSERT(!vec_is_null(v, row));
    switch (type_phys(v->type)) {
    case PHYS_I64:
        normkey_put64(
            b, (uint64_t)((const int64_t *)v->data)[vec_at(v, row)] ^ NORMKEY_SIGN64, desc);
        return;
    case PHYS_STR:
        normkey_put_str(b, varray_key(v->type, vec_str(v, row)), desc);
        return;
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    d = vec_datum(v, row);
    normkey_append(b, &d, desc);
}

static uint64_t normkey_get(struct rd *r, unsigned size, bool desc)
{
    const uint8_t *p = rd_bytes(r, size);
    uint64_t v = 0;

    if (!p)
        return 0;
    for (unsigned i = 0; i < size; i++)
        v = v << 8 | (uint8_t)(p[i] ^ (desc ? 0xff : 0));
    return v;
}

static int
normkey_get_str(struct rd *r, bool desc, struct arena *arena, struct vstr *ret, struct dn_err *err)
{
    uint8_t flip = desc ? 0xff : 0;
    size_t left = rd_left(r);
    size_t i = 0;
    size_t len = 0;
    char *to;

    /* First pass: where it ends and how long it is. */
    for (;;) {
        DN_CHECK_DISK(i < left, err, "key: string without an end");
        if ((r->p[i] ^ flip) == 0) {
            DN_CHECK_DISK(i + 1 < left, err, "key: string without an end");
            if ((r->p[i + 1] ^ flip) == 0)
                break;
            DN_CHECK_DISK((r->p[i + 1] ^ flip) == 0xff, err, "key: bad escape in a string");
            i++;
        }
        i++;
        len++;
    }
    DN_CHECK_DISK(len <= UINT32_MAX, err, "key: string of %zu bytes", len);
    to = arena_alloc(arena, len);
    if (!to)
        return DN_FAIL_NOMEM(err);
    for (size_t k = 0; k < len; k++) {
        uint8_t byte = *r->p++ ^ flip;
        to[k] = (char)byte;
        if (byte == 0)
            r->p++;
    }
    r->p += 2;
    *ret = (struct vstr){.ptr = to, .len = (uint32_t)len};
    return 0;
}

static double normkey_f64(uint64_t v)
{
    uint64_t bits = v & NORMKEY_SIGN64 ? v ^ NORMKEY_SIGN64 : ~v;
    double f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static double normkey_f32(uint32_t v)
{
    uint32_t bits = v & NORMKEY_SIGN32 ? v ^ NORMKEY_SIGN32 : ~v;
    float f;

    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static int normkey_narrow(uint64_t v, int64_t min, int64_t max, int64_t *ret, struct dn_err *err)
{
    int64_t i = (int64_t)(v ^ NORMKEY_SIGN64);

    DN_CHECK_DISK(i >= min && i <= max, err, "key: integer outside its type");
    *ret = i;
    return 0;
}

int normkey_read(struct rd *r,
                 enum type_id type,
                 bool desc,
                 struct arena *arena,
                 struct datum *ret,
                 struct dn_err *err)
{
    struct datum d = {.type = type, .str = {.ptr = "", .len = 0}};
    enum phys phys = type_phys(type);
    uint64_t v = 0;
    int rc = 0;

    DN_CHECK_DISK(phys != PHYS_INTERVAL && phys != PHYS_NUMERIC, err, "key: %s", type_name(type));
    if (phys != PHYS_STR) {
        v = normkey_get(r, phys == PHYS_I8 ? 1 : phys == PHYS_F32 ? 4 : 8, desc);
        DN_CHECK_DISK(!r->bad, err, "key: cut short inside a %s", type_name(type));
    }
    switch (phys) {
    case PHYS_I8:
        DN_CHECK_DISK(v <= 1, err, "key: a BOOLEAN of %u", (unsigned)v);
        d.v.i64 = (int64_t)v;
        break;
    case PHYS_I16:
        rc = normkey_narrow(v, INT16_MIN, INT16_MAX, &d.v.i64, err);
        break;
    case PHYS_I32:
        rc = normkey_narrow(v, INT32_MIN, INT32_MAX, &d.v.i64, err);
        break;
    case PHYS_I64:
        d.v.i64 = (int64_t)(v ^ NORMKEY_SIGN64);
        break;
    case PHYS_F32:
        d.v.f64 = normkey_f32((uint32_t)v);
        break;
    case PHYS_F64:
        d.v.f64 = normkey_f64(v);
        break;
    case PHYS_STR:
        rc = normkey_get_str(r, desc, arena, &d.str, err);
        break;
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    if (rc < 0)
        return rc;
    *ret = d;
    return 0;
}

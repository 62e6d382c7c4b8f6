/* SPDX-License-Identifier: Apache-2.0
 *
 * text_wire.c: see the header. Decimal numbers go through their digits: base 10000, the weight of
 * the first group, and how many digits are shown. */
#include "func/text_wire.h"
#include "func/text_wire_int.h"

#include "base/civil.h"
#include "func/func_array.h"
#include "func/text.h"
#include "vec/array.h"
#include "vec/numeric.h"
#include "vec/timetz.h"

#include <inttypes.h>
#include <string.h>

#define WIRE_EPOCH_DAYS  10957                                 /* 1970-01-01 to 2000-01-01 */
#define WIRE_EPOCH_US    (WIRE_EPOCH_DAYS * 86400ll * 1000000) /* the same in microseconds */
#define WIRE_DAY_US      (86400ll * 1000000)                   /* a time of day is at most that */
#define WIRE_UUID_BYTES  16u
#define WIRE_TEXT        25
#define WIRE_TIMESTAMP   1114 /* without a zone; given for an instant: at UTC */
#define WIRE_TIMESTAMPTZ 1184

/* The first of an id is what that id means to us. */
static const struct {
    enum type_id type;
    uint32_t oid;
    uint32_t array;
} wire_types[] = {
    {TYPE_BOOLEAN, 16, 1000},
    {TYPE_SMALLINT, 21, 1005},
    {TYPE_INTEGER, 23, 1007},
    {TYPE_BIGINT, 20, 1016},
    {TYPE_REAL, 700, 1021},
    {TYPE_DOUBLE, 701, 1022},
    {TYPE_VARCHAR, 1043, 1015},
    {TYPE_BPCHAR, 1042, 1014},
    {TYPE_BLOB, 17, 1001},
    {TYPE_TIMESTAMPTZ, WIRE_TIMESTAMPTZ, 1185},
    {TYPE_TIMESTAMP, WIRE_TIMESTAMPTZ, 1185},
    {TYPE_TIMESTAMP_US, WIRE_TIMESTAMPTZ, 1185},
    {TYPE_TIMESTAMP_NS, WIRE_TIMESTAMPTZ, 1185},
    {TYPE_TIMESTAMP_LOCAL, WIRE_TIMESTAMP, 1115},
    {TYPE_INTERVAL, 1186, 1187},
    {TYPE_DATE, 1082, 1182},
    {TYPE_TIME, 1083, 1183},
    {TYPE_UUID, 2950, 2951},
    {TYPE_TIMETZ, 1266, 1270},
    {TYPE_BIT, 1560, 1561},
    {TYPE_VARBIT, 1562, 1563},
    {TYPE_NUMERIC, 1700, 1231},
    {TYPE_OID, 26, 1028},
    {TYPE_NAME, 19, 1003},
    {TYPE_CHAR1, 18, 1002},
    {TYPE_REGCLASS, 2205, 2210},
    {TYPE_REGTYPE, 2206, 2211},
    {TYPE_REGPROC, 24, 1008},
    {TYPE_REGNAMESPACE, 4089, 4090},
    {TYPE_REGROLE, 4096, 4097},
    {TYPE_INT2VECTOR, 22, 1006},
    {TYPE_OIDVECTOR, 30, 1013},
    {TYPE_NODE_TREE, 194, 1009},
    {TYPE_ACLITEM, 1033, 1034},
    {TYPE_EXPANDED, 2249, 2287},
};

uint32_t text_wire_oid(enum type_id type)
{
    bool array = type_is_array(type);
    enum type_id elem = array ? type_element(type) : type;

    if (type_is_enum(elem))
        return TEXT_WIRE_USER + 2 * TYPE_NUMBER(type) + array;
    for (size_t i = 0; i < DN_ARRAY_SIZE(wire_types); i++)
        if (wire_types[i].type == elem)
            return array ? wire_types[i].array : wire_types[i].oid;
    return 0;
}

enum type_id text_wire_type(uint32_t oid)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(wire_types); i++) {
        if (wire_types[i].oid == oid)
            return wire_types[i].type;
        if (wire_types[i].array == oid)
            return type_array_of(wire_types[i].type);
    }
    return TYPE_NONE;
}

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

/* Microseconds since 2000, as the wire has them. What is before or after all that it can say is
 * infinite. */
static int64_t wire_since_2000(const struct datum *d)
{
    int64_t us = text_wire_us(d);

    if (us == INT64_MAX || us == INT64_MIN || __builtin_sub_overflow(us, WIRE_EPOCH_US, &us))
        return us == INT64_MAX ? INT64_MAX : INT64_MIN;
    return us;
}

static int wire_get_time(enum type_id type, int64_t us, int64_t *ret, struct dn_err *err)
{
    struct datum d = {.type = type};
    int64_t seconds;
    int64_t rest;
    bool exact;
    int rc;

    if (us == INT64_MAX || us == INT64_MIN) { /* infinite */
        *ret = us;
        return 0;
    }
    if (__builtin_add_overflow(us, WIRE_EPOCH_US, &us))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "%s out of range", type_word(type));
    seconds = us / 1000000;
    rest = us % 1000000;
    if (rest < 0) {
        rest += 1000000;
        seconds--;
    }
    if (type == TYPE_TIMESTAMPTZ || type == TYPE_TIMESTAMP_LOCAL) {
        *ret = us;
        return 0;
    }
    rc = text_time_to_type(seconds, (int32_t)(rest * 1000), type, true, &d.v.i64, &exact, err);
    if (rc < 0)
        return rc;
    us = wire_since_2000(&d); /* in a coarser unit it may have left what the wire can say */
    if (us == INT64_MAX || us == INT64_MIN)
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "%s out of range", type_word(type));
    *ret = d.v.i64;
    return 0;
}

/* ---- arrays ---- */

static void wire_put_array(const struct datum *d, struct arena *scratch, struct buf *b)
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

static int wire_get_array(enum type_id type,
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

/* Types of the system's relations: numbers, names, arrays under another name. */
static void wire_put_system(const struct datum *d, struct arena *scratch, struct buf *b)
{
    struct datum array = *d;

    if (d->type == TYPE_OID) {
        buf_be32(b, (uint32_t)d->v.i64);
    } else if (type_is_reg(d->type)) {
        buf_be32(b, type_reg_oid(d->str));
    } else if (d->type == TYPE_INT2VECTOR || d->type == TYPE_OIDVECTOR) {
        array.type = type_array_of(d->type == TYPE_OIDVECTOR ? TYPE_OID : TYPE_SMALLINT);
        text_wire_put(&array, scratch, b);
    } else if (d->type == TYPE_CHAR1) {
        buf_u8(b, d->str.len ? (uint8_t)d->str.ptr[0] : 0);
    } else {
        buf_append(b, d->str.ptr, d->str.len);
    }
}

static void wire_put_interval(struct vinterval v, struct buf *b)
{
    buf_be64(b, (uint64_t)v.us);
    buf_be32(b, (uint32_t)v.days);
    buf_be32(b, (uint32_t)v.months);
}

static void wire_put_timetz(int64_t v, struct buf *b)
{
    buf_be64(b, (uint64_t)timetz_clock_us(v));
    buf_be32(b, (uint32_t)timetz_west(v));
}

void text_wire_put(const struct datum *d, struct arena *scratch, struct buf *b)
{
    float f = (float)d->v.f64;
    uint32_t bits;
    uint64_t wide;
    int64_t days;

    if (type_is_array(d->type)) {
        wire_put_array(d, scratch, b);
        return;
    }
    if (type_is_system(d->type)) {
        wire_put_system(d, scratch, b);
        return;
    }
    switch ((int)d->type) {
    case TYPE_BOOLEAN:
        buf_u8(b, d->v.i64 != 0);
        return;
    case TYPE_SMALLINT:
        buf_be16(b, (uint16_t)d->v.i64);
        return;
    case TYPE_INTEGER:
        buf_be32(b, (uint32_t)d->v.i64);
        return;
    case TYPE_BIGINT:
    case TYPE_TIME:
        buf_be64(b, (uint64_t)d->v.i64);
        return;
    case TYPE_TIMETZ:
        wire_put_timetz(d->v.i64, b);
        return;
    case TYPE_REAL:
        memcpy(&bits, &f, sizeof bits);
        buf_be32(b, bits);
        return;
    case TYPE_DOUBLE:
        memcpy(&wide, &d->v.f64, sizeof wide);
        buf_be64(b, wide);
        return;
    case TYPE_DATE:
        days =
            d->v.i64 == INT32_MAX || d->v.i64 == INT32_MIN ? d->v.i64 : d->v.i64 - WIRE_EPOCH_DAYS;
        buf_be32(b, (uint32_t)(days < INT32_MIN ? INT32_MIN : days));
        return;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_US:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
    case TYPE_TIMESTAMP_LOCAL:
        buf_be64(b, (uint64_t)wire_since_2000(d));
        return;
    case TYPE_INTERVAL:
        wire_put_interval(d->iv, b);
        return;
    case TYPE_NUMERIC:
        text_wire_put_numeric(d->num, b);
        return;
    case TYPE_BIT:
    case TYPE_VARBIT:
        text_wire_put_bits(d->str, b);
        return;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_BLOB:
    case TYPE_UUID:
        buf_append(b, d->str.ptr, d->str.len);
        return;
    default:
        break;
    }
    b->failed = true;
}

static uint32_t wire_size(enum type_id type)
{
    switch (type) {
    case TYPE_BOOLEAN:
        return 1;
    case TYPE_SMALLINT:
        return 2;
    case TYPE_INTEGER:
    case TYPE_REAL:
    case TYPE_DATE:
    case TYPE_OID:
    case TYPE_REGCLASS:
    case TYPE_REGTYPE:
    case TYPE_REGPROC:
    case TYPE_REGNAMESPACE:
    case TYPE_REGROLE:
        return 4;
    case TYPE_BIGINT:
    case TYPE_DOUBLE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_US:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
    case TYPE_TIMESTAMP_LOCAL:
        return 8;
    case TYPE_TIMETZ:
        return 12;
    case TYPE_INTERVAL:
    case TYPE_UUID:
        return WIRE_UUID_BYTES;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_BIT:
    case TYPE_VARBIT:
    case TYPE_BLOB:
    case TYPE_NUMERIC:
    case TYPE_NAME:
    case TYPE_CHAR1:
    case TYPE_INT2VECTOR:
    case TYPE_OIDVECTOR:
    case TYPE_NODE_TREE:
    case TYPE_ACLITEM:
    case TYPE_EXPANDED:
    case TYPE_ENUM: /* by their labels, which pgwire knows */
    case TYPE_NONE:
    case TYPE_MAX:
        break;
    }
    return 0;
}

/* Those of a known size, which it has. */
static int
wire_get_fixed(enum type_id type, const uint8_t *p, struct datum *ret, struct dn_err *err)
{
    uint32_t bits;
    uint64_t wide;
    float f;

    switch (wire_size(type)) {
    case 1:
        ret->v.i64 = p[0] != 0;
        return 0;
    case 2:
        ret->v.i64 = (int16_t)be_get16(p);
        return 0;
    case 4:
        bits = be_get32(p);
        if (type_is_reg(type)) { /* nobody here knows its name */
            ret->str = (struct vstr){.ptr = (const char *)p, .len = 4};
            return 0;
        }
        if (type == TYPE_OID) {
            ret->v.i64 = bits;
            return 0;
        }
        ret->v.i64 = (int32_t)bits + (type == TYPE_DATE ? (int64_t)WIRE_EPOCH_DAYS : 0);
        if (type == TYPE_REAL) {
            memcpy(&f, &bits, sizeof f);
            ret->v.f64 = (double)f;
        }
        if (type == TYPE_DATE && (bits == INT32_MAX || bits == (uint32_t)INT32_MIN))
            ret->v.i64 = (int32_t)bits; /* infinity */
        else if (type == TYPE_DATE && !civil_is_date(ret->v.i64))
            return DN_FAIL(err, DN_E_DATETIME_RANGE, "DATE out of range");
        return 0;
    default:
        break;
    }
    if (type == TYPE_INTERVAL) {
        ret->iv = (struct vinterval){.us = (int64_t)be_get64(p),
                                     .days = (int32_t)be_get32(p + 8),
                                     .months = (int32_t)be_get32(p + 12)};
        return 0;
    }
    if (type == TYPE_UUID) {
        ret->str = (struct vstr){.ptr = (const char *)p, .len = WIRE_UUID_BYTES};
        return 0;
    }
    wide = be_get64(p);
    if (type == TYPE_TIMETZ) {
        int32_t west = (int32_t)be_get32(p + 8);

        if (!timetz_good((int64_t)wide, west))
            return DN_FAIL(err, DN_E_DATETIME_RANGE, "TIMETZ out of range");
        ret->v.i64 = timetz_make((int64_t)wide, west);
        return 0;
    }
    if (type == TYPE_DOUBLE)
        memcpy(&ret->v.f64, &wide, sizeof wide);
    else
        ret->v.i64 = (int64_t)wide;
    if (type == TYPE_TIME && (ret->v.i64 < 0 || ret->v.i64 > WIRE_DAY_US))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "TIME out of range");
    if (type_is_timestamp(type) || type == TYPE_TIMESTAMPTZ || type == TYPE_TIMESTAMP_LOCAL)
        return wire_get_time(type, (int64_t)wide, &ret->v.i64, err);
    return 0;
}

/* Elements that count from 0 in one row of numbers. */
static int wire_get_vector(enum type_id type,
                           const uint8_t *p,
                           uint32_t len,
                           struct arena *arena,
                           struct datum *ret,
                           struct dn_err *err)
{
    enum type_id elem = type == TYPE_OIDVECTOR ? TYPE_OID : TYPE_SMALLINT;
    struct varray a;
    int rc = wire_get_array(type_array_of(elem), p, len, arena, ret, err);

    if (rc < 0)
        return rc;
    rc = varray_read(ret->str, elem, NULL, arena, &a);
    if (rc < 0)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < a.count; i++)
        rc = a.items[i].null;
    if (rc != 0 || a.dims > 1 || (a.dims == 1 && a.low[0] != 0))
        return text_wire_bad(type, err);
    return 0;
}

/* Types whose bytes are not simply those of the value: what no client may make up is refused. */
static int wire_get_special(enum type_id type,
                            const uint8_t *p,
                            uint32_t len,
                            struct arena *arena,
                            struct datum *ret,
                            struct dn_err *err)
{
    if (type == TYPE_INT2VECTOR || type == TYPE_OIDVECTOR)
        return wire_get_vector(type, p, len, arena, ret, err);
    if (type != TYPE_CHAR1)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "values of type %s have no binary form to read",
                       type_word(type));
    if (len != 1 || p[0] >= 0x80)
        return text_wire_bad(type, err);
    ret->str = (struct vstr){.ptr = (const char *)p, .len = p[0] != 0};
    return 0;
}

int text_wire_get(enum type_id type,
                  const uint8_t *bytes,
                  uint32_t len,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err)
{
    *ret = (struct datum){.type = type};
    if (type_is_array(type))
        return wire_get_array(type, bytes, len, arena, ret, err);
    if (wire_size(type) > 0)
        return len == wire_size(type) ? wire_get_fixed(type, bytes, ret, err)
                                      : text_wire_bad(type, err);
    if (type == TYPE_NUMERIC)
        return text_wire_get_numeric(bytes, len, &ret->num, err);
    if (type_is_bits(type))
        return text_wire_get_bits(type, bytes, len, arena, &ret->str, err);
    if (type != TYPE_BLOB && !type_is_utf8(type))
        return wire_get_special(type, bytes, len, arena, ret, err);
    ret->str = (struct vstr){.ptr = (const char *)bytes, .len = len};
    return type_is_utf8(type) ? text_parse(type, ret->str, arena, ret, err) : 0;
}

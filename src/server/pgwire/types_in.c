/* SPDX-License-Identifier: Apache-2.0
 *
 * types_in.c: parameters as clients send them. Text is taken as a quoted literal would be. Of the
 * binary forms numbers, times and bytes are bound as such; the others go through their text. */
#include "server/pgwire/types.h"

#include "func/text.h"
#include "server/pgwire/frame.h"
#include "server/pgwire/out.h"
#include "vec/array.h"

#include <stdio.h>

#define TYPES_EPOCH_US   946684800000000
#define TYPES_EPOCH_DAYS 10957
#define TYPES_WORDS_MAX  64 /* of a NUMERIC */

/* Types that clients name. */
enum types_oid {
    OID_BOOL = 16,
    OID_BYTEA = 17,
    OID_CHAR = 18,
    OID_NAME = 19,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_TEXT = 25,
    OID_OID = 26,
    OID_FLOAT4 = 700,
    OID_FLOAT8 = 701,
    OID_UNKNOWN = 705,
    OID_BPCHAR = 1042,
    OID_VARCHAR = 1043,
    OID_DATE = 1082,
    OID_TIME = 1083,
    OID_TIMESTAMP = 1114,
    OID_TIMESTAMPTZ = 1184,
    OID_INTERVAL = 1186,
    OID_NUMERIC = 1700,
    OID_UUID = 2950,
};

static int types_refuse(struct dendro_error *err, const char *sqlstate, const char *text, int param)
{
    if (err) {
        *err = (struct dendro_error){.code = DENDRO_E_MISUSE};
        memcpy(err->sqlstate, sqlstate, sizeof err->sqlstate);
        snprintf(err->message, sizeof err->message, "%s, parameter $%d", text, param);
    }
    return DENDRO_E_MISUSE;
}

/* Its text, for what has no call of its own. */
static int
types_bind_datum(dendro_stmt *stmt, int param, const struct datum *d, struct dendro_error *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    text_print(d, &b);
    buf_u8(&b, 0);
    rc = b.failed ? types_refuse(err, "53200", "out of memory", param)
                  : dendro_bind_text(stmt, param, (const char *)b.data, (ptrdiff_t)b.len - 1, err);
    buf_done(&b);
    return rc;
}

/* Digits out of words of four; false: they make no sense. */
static bool types_numeric(struct pgw_rd *r, struct buf *b)
{
    int words = pgw_rd_i16(r);
    int weight = pgw_rd_i16(r);
    int sign = (uint16_t)pgw_rd_i16(r);
    int scale = pgw_rd_i16(r);

    if (sign == 0xC000) {
        buf_puts(b, "NaN");
        return pgw_rd_done(r);
    }
    if (words < 0 || words > TYPES_WORDS_MAX || weight < -TYPES_WORDS_MAX ||
        weight > TYPES_WORDS_MAX || scale < 0 || scale > 4 * TYPES_WORDS_MAX ||
        (sign != 0 && sign != 0x4000))
        return false;
    if (sign)
        buf_u8(b, '-');
    if (weight < 0)
        buf_u8(b, '0');
    for (int at = weight < 0 ? -1 : weight, next = 0; at >= -((scale + 3) / 4) || next < words;
         at--) {
        int word = at <= weight && next < words ? pgw_rd_i16(r) : 0;

        next += at <= weight && next < words;
        if (word < 0 || word > 9999)
            return false;
        if (at == -1)
            buf_u8(b, '.');
        buf_printf(b, "%04d", word);
        if (at < -2 * TYPES_WORDS_MAX)
            return false;
    }
    /* the last word may show more digits than there are */
    if (scale % 4 && b->len > (size_t)(4 - scale % 4))
        b->len -= (size_t)(4 - scale % 4);
    return pgw_rd_done(r);
}

static int
types_bind_numeric(dendro_stmt *stmt, int param, struct pgw_rd *r, struct dendro_error *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    if (!types_numeric(r, &b))
        rc = types_refuse(err, "22P03", "incorrect binary data format", param);
    else if (b.failed)
        rc = types_refuse(err, "53200", "out of memory", param);
    else
        rc = dendro_bind_text(stmt, param, (const char *)b.data, (ptrdiff_t)b.len, err);
    buf_done(&b);
    return rc;
}

static double types_double(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

static double types_float(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static int types_bind_wide(
    dendro_stmt *stmt, int param, uint32_t oid, struct pgw_rd *r, struct dendro_error *err)
{
    struct datum d = {.type = TYPE_NONE};

    switch (oid) {
    case OID_DATE:
        d.type = TYPE_DATE;
        d.v.i64 = (int64_t)pgw_rd_i32(r) + TYPES_EPOCH_DAYS;
        break;
    case OID_TIME:
        d.type = TYPE_TIME;
        d.v.i64 = pgw_rd_i64(r);
        break;
    case OID_INTERVAL:
        d.type = TYPE_INTERVAL;
        d.iv.us = pgw_rd_i64(r);
        d.iv.days = pgw_rd_i32(r);
        d.iv.months = pgw_rd_i32(r);
        break;
    case OID_UUID:
        d.type = TYPE_UUID;
        d.str.ptr = (const char *)pgw_rd_bytes(r, 16);
        d.str.len = 16;
        break;
    default:
        return types_refuse(err, "0A000", "this type has no binary form here", param);
    }
    if (!pgw_rd_done(r))
        return types_refuse(err, "22P03", "incorrect binary data format", param);
    return types_bind_datum(stmt, param, &d, err);
}

static int
types_bind_time(dendro_stmt *stmt, int param, int64_t since_2000, struct dendro_error *err)
{
    int64_t us;

    if (__builtin_add_overflow(since_2000, TYPES_EPOCH_US, &us))
        return types_refuse(err, "22008", "timestamp out of range", param);
    return dendro_bind_timestamp(stmt, param, us, DENDRO_UNIT_US, err);
}

static int types_bind_binary(
    dendro_stmt *stmt, int param, uint32_t oid, struct pgw_rd *r, struct dendro_error *err)
{
    size_t len = pgw_rd_left(r);
    const uint8_t *bytes = r->p;

    switch (oid) {
    case OID_TEXT:
    case OID_VARCHAR:
    case OID_BPCHAR:
    case OID_NAME:
    case OID_CHAR:
    case OID_UNKNOWN:
        return dendro_bind_text(stmt, param, (const char *)bytes, (ptrdiff_t)len, err);
    case OID_BYTEA:
        return dendro_bind_blob(stmt, param, bytes, len, err);
    case OID_NUMERIC:
        return types_bind_numeric(stmt, param, r, err);
    case OID_BOOL:
        if (len == 1)
            return dendro_bind_bool(stmt, param, bytes[0] != 0, err);
        break;
    case OID_INT2:
        if (len == 2)
            return dendro_bind_int64(stmt, param, pgw_rd_i16(r), err);
        break;
    case OID_INT4:
        if (len == 4)
            return dendro_bind_int64(stmt, param, pgw_rd_i32(r), err);
        break;
    case OID_OID:
        if (len == 4)
            return dendro_bind_int64(stmt, param, (uint32_t)pgw_rd_i32(r), err);
        break;
    case OID_INT8:
        if (len == 8)
            return dendro_bind_int64(stmt, param, pgw_rd_i64(r), err);
        break;
    case OID_FLOAT4:
        if (len == 4)
            return dendro_bind_double(stmt, param, types_float((uint32_t)pgw_rd_i32(r)), err);
        break;
    case OID_FLOAT8:
        if (len == 8)
            return dendro_bind_double(stmt, param, types_double((uint64_t)pgw_rd_i64(r)), err);
        break;
    case OID_TIMESTAMP:
    case OID_TIMESTAMPTZ:
        if (len == 8)
            return types_bind_time(stmt, param, pgw_rd_i64(r), err);
        break;
    default:
        return types_bind_wide(stmt, param, oid, r, err);
    }
    return types_refuse(err, "22P03", "incorrect binary data format", param);
}

int pgw_bind(dendro_stmt *stmt, int param, const struct pgw_given *g, struct dendro_error *err)
{
    struct pgw_rd r = {.p = g->bytes, .end = g->bytes + g->len};
    uint32_t oid = g->oid ? g->oid : pgw_type_oid(g->wanted);

    if (!g->bytes)
        return dendro_bind_null(stmt, param, err);
    if (g->format == PGW_FORMAT_BINARY)
        return types_bind_binary(stmt, param, oid, &r, err);
    return dendro_bind_text(stmt, param, (const char *)g->bytes, (ptrdiff_t)g->len, err);
}

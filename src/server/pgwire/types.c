/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c: see types.h; PostgreSQL's binary forms. */
#include "server/pgwire/types.h"

#include "func/text.h"
#include "server/pgwire/frame.h"
#include "server/pgwire/out.h"
#include "vec/array.h"

#include <stdio.h>

#define TYPES_EPOCH_US   946684800000000 /* from 1970 to 2000, where PostgreSQL counts from */
#define TYPES_EPOCH_DAYS 10957

struct types_row {
    uint32_t oid;
    uint32_t array;
    int16_t len;
};

static const struct types_row types_rows[] = {
#define PGW_TYPE(type, oid, array, len) [TYPE_##type] = {oid, array, len},
#include "server/pgwire/type_list.h"
#undef PGW_TYPE
};

uint32_t pgw_type_oid(enum dendro_type type)
{
    enum type_id t = (enum type_id)type;

    if (!type_known(t))
        return types_rows[TYPE_NONE].oid;
    return type_is_array(t) ? types_rows[type_element(t)].array : types_rows[t].oid;
}

int16_t pgw_type_len(enum dendro_type type)
{
    enum type_id t = (enum type_id)type;

    return type_known(t) && !type_is_array(t) ? types_rows[t].len : -1;
}

/* ---- out ---- */

static struct datum types_datum(const struct dendro_column *col, size_t row)
{
    struct datum d = {.type = (enum type_id)col->type};

    switch (type_phys(d.type)) {
    case PHYS_I8:
        d.v.i64 = ((const int8_t *)col->values)[row];
        break;
    case PHYS_I16:
        d.v.i64 = ((const int16_t *)col->values)[row];
        break;
    case PHYS_I32:
        d.v.i64 = ((const int32_t *)col->values)[row];
        break;
    case PHYS_I64:
        d.v.i64 = ((const int64_t *)col->values)[row];
        break;
    case PHYS_F32:
        d.v.f64 = (double)((const float *)col->values)[row];
        break;
    case PHYS_F64:
        d.v.f64 = ((const double *)col->values)[row];
        break;
    case PHYS_STR:
        d.str = ((const struct vstr *)col->values)[row];
        break;
    case PHYS_INTERVAL:
        d.iv = ((const struct vinterval *)col->values)[row];
        break;
    case PHYS_NUMERIC: /* batches have its digits */
        DN_IGNORE(text_parse_numeric(((const struct vstr *)col->values)[row], &d.num, NULL));
        break;
    case PHYS_MAX:
        break;
    }
    return d;
}

/* Microseconds since 1970. */
static int64_t types_us(const struct datum *d)
{
    int64_t per_second = type_ts_per_second(d->type);
    int64_t units;

    if (per_second <= 1000000)
        return d->v.i64 * (1000000 / per_second);
    units = per_second / 1000000;
    return d->v.i64 / units - (d->v.i64 % units < 0);
}

static bool types_instant(enum type_id t)
{
    return t == TYPE_TIMESTAMPTZ || type_is_timestamp(t);
}

static void types_hex(struct buf *b, struct vstr s)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *p = buf_extend(b, 2 + 2 * (size_t)s.len);

    if (!p)
        return;
    *p++ = '\\';
    *p++ = 'x';
    for (uint32_t i = 0; i < s.len; i++) {
        *p++ = (uint8_t)digits[(uint8_t)s.ptr[i] >> 4];
        *p++ = (uint8_t)digits[(uint8_t)s.ptr[i] & 15];
    }
}

static void types_put_text(struct buf *b, const struct datum *d)
{
    if (types_instant(d->type))
        text_print_timestamptz(types_us(d), 0, b);
    else if (d->type == TYPE_BOOLEAN)
        buf_u8(b, d->v.i64 ? 't' : 'f');
    else if (d->type == TYPE_BLOB)
        types_hex(b, d->str);
    else if (type_is_array(d->type))
        buf_append(b, d->str.ptr, d->str.len);
    else
        text_print(d, b);
}

/* Words of four decimal digits: their count, the weight of the first, sign, digits shown. */
static void types_put_numeric(struct buf *b, const struct vnumeric *v)
{
    enum { WORDS_MAX = 24 };
    __uint128_t coef = (__uint128_t)(uint64_t)v->hi << 64 | v->lo;
    bool minus = v->hi < 0;
    int16_t words[WORDS_MAX];
    int pad = (4 - v->scale % 4) % 4; /* so that a word begins at the point */
    int n = 0;
    int first, last;
    uint32_t part = 1;

    if (minus)
        coef = -coef;
    if (v->nan) {
        pgw_i16(b, 0);
        pgw_i16(b, 0);
        pgw_i16(b, (int16_t)0xC000);
        pgw_i16(b, 0);
        return;
    }
    /* the last word has 4 - pad digits of the coefficient */
    for (int i = 0; i < 4 - pad; i++)
        part *= 10;
    if (pad) {
        uint32_t word = (uint32_t)(coef % part);

        coef /= part;
        for (int i = 0; i < pad; i++)
            word *= 10;
        words[n++] = (int16_t)word;
    }
    while (coef > 0 && n < WORDS_MAX) {
        words[n++] = (int16_t)(coef % 10000);
        coef /= 10000;
    }
    last = 0;
    while (last < n && words[last] == 0)
        last++;
    first = n - 1;
    while (first >= last && words[first] == 0)
        first--;
    pgw_i16(b, (int16_t)(first - last + 1));
    pgw_i16(b, (int16_t)(first >= last ? first - (v->scale + 3) / 4 : 0));
    pgw_i16(b, minus && first >= last ? 0x4000 : 0);
    pgw_i16(b, v->scale);
    for (int i = first; i >= last; i--)
        pgw_i16(b, words[i]);
}

static void
types_put(struct buf *b, const struct datum *d, enum pgw_format format, struct arena *a);

static void types_put_array(struct buf *b, const struct datum *d, struct arena *arena)
{
    struct varray array;
    bool nulls = false;

    if (varray_read(d->str, type_element(d->type), arena, &array) != 0) {
        b->failed = true;
        return;
    }
    for (uint32_t i = 0; i < array.count; i++)
        nulls = nulls || array.items[i].null;
    pgw_i32(b, (int32_t)array.dims);
    pgw_i32(b, nulls);
    pgw_i32(b, (int32_t)types_rows[array.elem].oid);
    for (uint32_t i = 0; i < array.dims; i++) {
        pgw_i32(b, array.len[i]);
        pgw_i32(b, array.low[i]);
    }
    for (uint32_t i = 0; i < array.count; i++)
        types_put(b, &array.items[i], PGW_FORMAT_BINARY, arena);
}

static void types_put_binary(struct buf *b, const struct datum *d, struct arena *arena)
{
    uint64_t bits;
    uint32_t bits32;
    float f;

    if (type_is_array(d->type)) { /* batches have their text */
        struct datum array;

        if (text_parse(d->type, d->str, arena, &array, NULL) < 0)
            b->failed = true;
        else
            types_put_array(b, &array, arena);
        return;
    }
    if (types_instant(d->type)) {
        pgw_i64(b, types_us(d) - TYPES_EPOCH_US);
        return;
    }
    switch (type_phys(d->type)) {
    case PHYS_I8:
        buf_u8(b, d->v.i64 != 0);
        break;
    case PHYS_I16:
        pgw_i16(b, (int16_t)d->v.i64);
        break;
    case PHYS_I32:
        pgw_i32(b, (int32_t)(d->v.i64 - (d->type == TYPE_DATE ? TYPES_EPOCH_DAYS : 0)));
        break;
    case PHYS_I64:
        pgw_i64(b, d->v.i64);
        break;
    case PHYS_F32:
        f = (float)d->v.f64;
        memcpy(&bits32, &f, sizeof bits32);
        pgw_i32(b, (int32_t)bits32);
        break;
    case PHYS_F64:
        memcpy(&bits, &d->v.f64, sizeof bits);
        pgw_i64(b, (int64_t)bits);
        break;
    case PHYS_STR:
        buf_append(b, d->str.ptr, d->str.len);
        break;
    case PHYS_INTERVAL:
        pgw_i64(b, d->iv.us);
        pgw_i32(b, d->iv.days);
        pgw_i32(b, d->iv.months);
        break;
    case PHYS_NUMERIC:
        types_put_numeric(b, &d->num);
        break;
    case PHYS_MAX:
        break;
    }
}

static void types_put(struct buf *b, const struct datum *d, enum pgw_format format, struct arena *a)
{
    size_t at = b->len;
    uint32_t len;

    if (d->null) {
        pgw_i32(b, -1);
        return;
    }
    pgw_i32(b, 0);
    if (format == PGW_FORMAT_BINARY)
        types_put_binary(b, d, a);
    else
        types_put_text(b, d);
    if (b->failed)
        return;
    len = (uint32_t)(b->len - at - 4);
    b->data[at] = (uint8_t)(len >> 24);
    b->data[at + 1] = (uint8_t)(len >> 16);
    b->data[at + 2] = (uint8_t)(len >> 8);
    b->data[at + 3] = (uint8_t)len;
}

void pgw_put_value(struct buf *b,
                   const struct dendro_column *col,
                   size_t row,
                   enum pgw_format format,
                   struct arena *scratch)
{
    struct datum d = {.null = true};

    if (!dendro_batch_null(col, row))
        d = types_datum(col, row);
    types_put(b, &d, format, scratch);
}

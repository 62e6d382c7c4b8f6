/* SPDX-License-Identifier: Apache-2.0
 *
 * text_column.c: see text_column.h.
 *
 * Time stamps: the date of a day and its offset from UTC are written once and copied for the
 * following values of that day, as long as the zone's offset does not change. */
#include "func/text_column.h"

#include "base/civil.h"
#include "func/text_put.h"
#include "func/text_wire.h"

#define COLUMN_US_SECOND 1000000
#define COLUMN_US_DAY    ((int64_t)CIVIL_DAY_SECONDS * COLUMN_US_SECOND)
#define COLUMN_KEPT_MAX  256u                      /* bytes of a cell that is kept */
#define COLUMN_CELLS_MAX (16u * 1024)              /* bytes of all that are kept */
#define COLUMN_ROWS_MIN  8u                        /* fewer rows: nothing is kept for them */
#define COLUMN_EPOCH_US  (10957ll * COLUMN_US_DAY) /* 1970 to 2000 */

/* How the values of a column are written. */
enum column_kind {
    COLUMN_OTHER, /* by the caller */
    COLUMN_BOOL,
    COLUMN_I16,
    COLUMN_I32,
    COLUMN_I64,
    COLUMN_F32,
    COLUMN_F64,
    COLUMN_BYTES, /* as they are */
    COLUMN_ZONED, /* time stamps as TIMESTAMPTZ prints them */
    COLUMN_ISO,   /* time stamps as text_print_time has them */
    COLUMN_BINARY_BOOL,
    COLUMN_BINARY_I16,
    COLUMN_BINARY_I32, /* REAL too */
    COLUMN_BINARY_I64, /* DOUBLE too */
    COLUMN_BINARY_STAMP,
};

void text_column_begin(struct text_column *c, const struct text_column_how *how)
{
    DN_ASSERT(how->cell);
    c->how = *how;
    c->cells.owner = how->owner;
}

void text_column_done(struct text_column *c)
{
    buf_done(&c->cells);
    mem_free(c->cell_at);
    c->cell_at = c->cell_len = NULL;
    c->cell_cap = 0;
}

/* ---- which printer ---- */

static enum column_kind column_binary_kind(const struct text_column *c, enum type_id type)
{
    switch ((int)type) {
    case TYPE_BOOLEAN:
        return COLUMN_BINARY_BOOL;
    case TYPE_SMALLINT:
        return COLUMN_BINARY_I16;
    case TYPE_INTEGER:
    case TYPE_REAL:
        return COLUMN_BINARY_I32;
    case TYPE_BIGINT:
    case TYPE_DOUBLE:
    case TYPE_TIME:
        return COLUMN_BINARY_I64;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_US:
    case TYPE_TIMESTAMP_NS:
    case TYPE_TIMESTAMPTZ:
    case TYPE_TIMESTAMP_LOCAL:
        return COLUMN_BINARY_STAMP;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_BLOB:
    case TYPE_UUID:
        return c->how.bytes ? COLUMN_BYTES : COLUMN_OTHER;
    default: /* the rest, and those of CREATE TYPE */
        return COLUMN_OTHER;
    }
}

static enum column_kind column_text_kind(const struct text_column *c, enum type_id type)
{
    const struct func_session *session = c->how.session;
    bool iso = !session || session->date_style == DATE_AS_ISO;

    switch ((int)type) {
    case TYPE_BOOLEAN:
        return COLUMN_BOOL;
    case TYPE_SMALLINT:
        return COLUMN_I16;
    case TYPE_INTEGER:
        return COLUMN_I32;
    case TYPE_BIGINT:
        return COLUMN_I64;
    case TYPE_REAL:
        return session && session->float_less ? COLUMN_OTHER : COLUMN_F32;
    case TYPE_DOUBLE:
        return session && session->float_less ? COLUMN_OTHER : COLUMN_F64;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
        return c->how.bytes ? COLUMN_BYTES : COLUMN_OTHER;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_US:
    case TYPE_TIMESTAMP_NS:
        if (c->how.style == TEXT_WIRE)
            return iso ? COLUMN_ZONED : COLUMN_OTHER;
        return iso || c->how.style == TEXT_COPY ? COLUMN_ISO : COLUMN_OTHER;
    case TYPE_TIMESTAMPTZ:
        return iso ? COLUMN_ZONED : COLUMN_OTHER;
    default:
        return COLUMN_OTHER;
    }
}

static bool column_reserve_cells(struct text_column *c, uint32_t count)
{
    if (count > c->cell_cap) {
        uint32_t *at = mem_realloc(c->how.owner, c->cell_at, (size_t)count * 2 * sizeof(*at));

        if (!at)
            return false; /* nothing is kept then */
        c->cell_at = at;
        c->cell_cap = count;
    }
    c->cell_len = c->cell_at + c->cell_cap;
    memset(c->cell_len, 0, (size_t)count * sizeof(*c->cell_len));
    return true;
}

void text_column_set(struct text_column *c, const struct vec *v, uint32_t rows)
{
    uint32_t entries = v->form == VEC_CONST ? 1 : v->dict_count;

    c->vec = v;
    c->kind = (int)(c->how.other    ? COLUMN_OTHER
                    : c->how.binary ? column_binary_kind(c, v->type)
                                    : column_text_kind(c, v->type));
    c->day_len = 0;
    c->span = (struct tz_span){.from = 0, .end = 0};
    if (type_is_timestamp(v->type) || v->type == TYPE_TIMESTAMPTZ ||
        v->type == TYPE_TIMESTAMP_LOCAL) {
        int64_t per = type_ts_per_second(v->type);

        c->per_us = per <= COLUMN_US_SECOND ? COLUMN_US_SECOND / per : 0;
        c->unit_us = per <= COLUMN_US_SECOND ? 0 : per / COLUMN_US_SECOND;
    }
    buf_reset(&c->cells);
    c->kept = v->form != VEC_FLAT && c->kind != COLUMN_BYTES && rows >= COLUMN_ROWS_MIN &&
              entries <= rows / 2 && column_reserve_cells(c, entries);
}

/* ---- time stamps ---- */

/* Microseconds since 1970; false: infinite, 64 bits do not hold them, or the caller wants to see
 * what is lost. */
static bool column_us(const struct text_column *c, int64_t v, int64_t *ret)
{
    if (v == INT64_MAX || v == INT64_MIN)
        return false;
    if (c->per_us)
        return !__builtin_mul_overflow(v, c->per_us, ret) && *ret != INT64_MAX && *ret != INT64_MIN;
    *ret = civil_floor(v, c->unit_us);
    return !c->how.exact || *ret * c->unit_us == v;
}

/* Is the date of v the one that is kept? */
static bool column_in_day(const struct text_column *c, int64_t v, int64_t day_units)
{
    return c->day_len > 0 && (uint64_t)v - (uint64_t)c->day < (uint64_t)day_units;
}

/* "2015-06-01 04:05:06.789+02"; NULL: the caller's function knows how. */
static char *column_put_zoned(struct text_column *c, int64_t v, char *to)
{
    int64_t us, local, seconds;
    uint32_t clock;

    if (!column_us(c, v, &us))
        return NULL;
    seconds = civil_floor(us, COLUMN_US_SECOND);
    if (seconds < c->span.from || seconds >= c->span.end)
        c->span = tz_span_at(c->how.session ? c->how.session->zone : NULL, seconds);
    if (__builtin_add_overflow(us, (int64_t)c->span.offset * COLUMN_US_SECOND, &local))
        return NULL;
    if (!column_in_day(c, local, COLUMN_US_DAY)) {
        int64_t days = civil_floor(local, COLUMN_US_DAY);

        if (civil_from_days(days).year <= 0) /* BC */
            return NULL;
        c->day = days * COLUMN_US_DAY;
        c->day_len = (uint32_t)(text_put_day(c->day_text, days) - c->day_text);
        c->day_text[c->day_len++] = ' ';
    }
    memcpy(to, c->day_text, sizeof c->day_text);
    to += c->day_len;
    local -= c->day;
    clock = (uint32_t)(local / COLUMN_US_SECOND);
    to = text_put_seconds(to, clock);
    to = text_put_fraction(to, (uint32_t)(local - (int64_t)clock * COLUMN_US_SECOND), 6);
    return text_put_offset(to, c->span.offset);
}

/* "2015-06-01T04:05:06.789Z"; NULL as above. */
static char *column_put_iso(struct text_column *c, int64_t v, char *to)
{
    int64_t per = type_ts_per_second(c->vec->type);
    int64_t day_units = per * CIVIL_DAY_SECONDS;
    unsigned width = per == 1000 ? 3 : per == COLUMN_US_SECOND ? 6 : 9;
    int64_t left, clock;

    if (v == INT64_MAX || v == INT64_MIN)
        return NULL;
    if (!column_in_day(c, v, day_units)) {
        int64_t days = civil_floor(v, day_units);
        int64_t year = civil_from_days(days).year;
        int64_t day;

        if (year <= 0 || year > 9999 || /* with a sign */
            __builtin_mul_overflow(days, day_units, &day))
            return NULL;
        c->day = day;
        c->day_len = (uint32_t)(text_put_day(c->day_text, days) - c->day_text);
        c->day_text[c->day_len++] = 'T';
    }
    memcpy(to, c->day_text, sizeof c->day_text);
    to += c->day_len;
    left = v - c->day;
    clock = left / per;
    to = text_put_seconds(to, (uint32_t)clock);
    *to++ = '.';
    to = text_put_padded(to, (uint64_t)(left - clock * per), width);
    *to++ = 'Z';
    return to;
}

static char *column_put_binary_stamp(const struct text_column *c, int64_t v, char *to)
{
    int64_t us;

    if (!column_us(c, v, &us) || __builtin_sub_overflow(us, COLUMN_EPOCH_US, &us))
        return NULL;
    be_put64(to, (uint64_t)us);
    return to + 8;
}

/* ---- values ---- */

/* JavaScript's numbers are whole up to 2^53 - 1. */
static bool column_is_safe(int64_t v)
{
    return v > -(INT64_C(1) << 53) && v < INT64_C(1) << 53;
}

/* The value of data[at]; what follows it, or NULL: the caller's function writes it. */
static char *column_put_value(struct text_column *c, uint32_t at, char *to)
{
    const void *data = c->vec->data;

    switch ((enum column_kind)c->kind) {
    case COLUMN_OTHER:
    case COLUMN_BYTES:
        return NULL;
    case COLUMN_BOOL:
        if (c->how.style == TEXT_SELECT) {
            bool set = ((const int8_t *)data)[at] != 0;

            memcpy(to, set ? "true" : "false", 5);
            return to + (set ? 4 : 5);
        }
        *to = ((const int8_t *)data)[at] ? 't' : 'f';
        return to + 1;
    case COLUMN_I16:
        return text_put_i64(to, ((const int16_t *)data)[at]);
    case COLUMN_I32:
        return text_put_i64(to, ((const int32_t *)data)[at]);
    case COLUMN_I64:
        if (c->how.frame == TEXT_FRAME_QUOTES && !column_is_safe(((const int64_t *)data)[at]))
            return NULL;
        return text_put_i64(to, ((const int64_t *)data)[at]);
    case COLUMN_F32:
        return text_put_f32(to, ((const float *)data)[at]);
    case COLUMN_F64:
        return text_put_f64(to, ((const double *)data)[at]);
    case COLUMN_ZONED:
        return column_put_zoned(c, ((const int64_t *)data)[at], to);
    case COLUMN_ISO:
        return column_put_iso(c, ((const int64_t *)data)[at], to);
    case COLUMN_BINARY_BOOL:
        *to = ((const int8_t *)data)[at] != 0;
        return to + 1;
    case COLUMN_BINARY_I16:
        be_put16(to, ((const uint16_t *)data)[at]);
        return to + 2;
    case COLUMN_BINARY_I32:
        be_put32(to, ((const uint32_t *)data)[at]);
        return to + 4;
    case COLUMN_BINARY_I64:
        be_put64(to, ((const uint64_t *)data)[at]);
        return to + 8;
    case COLUMN_BINARY_STAMP:
        return column_put_binary_stamp(c, ((const int64_t *)data)[at], to);
    }
    return NULL;
}

/* Numbers and truth values have no quotes, NaN and the infinities do. */
static bool column_is_bare(const struct text_column *c, const char *text)
{
    switch ((enum column_kind)c->kind) {
    case COLUMN_BOOL:
    case COLUMN_I16:
    case COLUMN_I32:
    case COLUMN_I64:
        return true;
    case COLUMN_F32:
    case COLUMN_F64:
        return text[0] != 'N' && text[0] != 'I' && (text[0] != '-' || text[1] != 'I');
    case COLUMN_OTHER:
    case COLUMN_BYTES:
    case COLUMN_ZONED:
    case COLUMN_ISO:
    case COLUMN_BINARY_BOOL:
    case COLUMN_BINARY_I16:
    case COLUMN_BINARY_I32:
    case COLUMN_BINARY_I64:
    case COLUMN_BINARY_STAMP:
        break;
    }
    return false;
}

static void column_put_bytes(const struct text_column *c, struct vstr s, struct buf *b)
{
    uint8_t *to;

    if (b->cap - b->len < (size_t)s.len + 4 && !buf_reserve(b, (size_t)s.len + 4))
        return;
    to = b->data + b->len;
    if (c->how.frame == TEXT_FRAME_LENGTH) {
        be_put32(to, s.len);
        to += 4;
    }
    if (s.len)
        memcpy(to, s.ptr, s.len);
    b->len = (size_t)(to + s.len - b->data);
}

/* The cell of data[at], which is not NULL. */
static void column_make(struct text_column *c, uint32_t row, uint32_t at, struct buf *b)
{
    enum text_frame frame = c->how.frame;
    uint8_t *begin;
    char *text, *end;

    if (c->kind == COLUMN_BYTES) {
        column_put_bytes(c, ((const struct vstr *)c->vec->data)[at], b);
        return;
    }
    if (b->cap - b->len < TEXT_PUT_MAX + 8 && !buf_reserve(b, TEXT_PUT_MAX + 8))
        return;
    begin = b->data + b->len;
    text = (char *)begin + (frame == TEXT_FRAME_LENGTH ? 4 : frame == TEXT_FRAME_QUOTES ? 1 : 0);
    end = column_put_value(c, at, text);
    if (!end) {
        struct datum d = vec_datum(c->vec, row);

        c->how.cell(c->how.arg, &d, b);
        return;
    }
    switch (frame) {
    case TEXT_FRAME_NONE:
        break;
    case TEXT_FRAME_LENGTH:
        be_put32(begin, (uint32_t)(end - text));
        break;
    case TEXT_FRAME_QUOTES:
        if (column_is_bare(c, text)) {
            memmove(begin, text, (size_t)(end - text));
            end--;
        } else {
            *begin = '"';
            *end++ = '"';
        }
        break;
    }
    b->len += (size_t)((uint8_t *)end - begin);
}

/* Once for each entry: its cell is kept, if it is short. */
static void column_put_kept(struct text_column *c, uint32_t row, uint32_t at, struct buf *b)
{
    size_t begin = b->len;

    if (c->cell_len[at] > 0) {
        buf_append(b, c->cells.data + c->cell_at[at], c->cell_len[at]);
        return;
    }
    column_make(c, row, at, b);
    if (b->failed || b->len == begin || b->len - begin > COLUMN_KEPT_MAX ||
        c->cells.len >= COLUMN_CELLS_MAX)
        return;
    c->cell_at[at] = (uint32_t)c->cells.len;
    buf_append(&c->cells, b->data + begin, b->len - begin);
    if (c->cells.failed)
        c->kept = false;
    else
        c->cell_len[at] = (uint32_t)(b->len - begin);
}

void text_column_put(struct text_column *c, uint32_t row, struct buf *b)
{
    const struct vec *v = c->vec;

    if (v->nulls && vec_is_null(v, row)) {
        if (c->how.frame == TEXT_FRAME_LENGTH)
            buf_be32(b, UINT32_MAX);
        else
            buf_append(b, c->how.null_text.ptr, c->how.null_text.len);
        return;
    }
    if (c->kept)
        column_put_kept(c, row, vec_at(v, row), b);
    else
        column_make(c, row, vec_at(v, row), b);
}

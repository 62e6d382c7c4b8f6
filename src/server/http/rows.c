/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: see rows.h. */
#include "server/http/rows.h"

#include "func/text.h"
#include "server/http/http_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ROWS_SAFE_INT ((INT64_C(1) << 53) - 1) /* JavaScript's numbers are whole up to here */

static const struct {
    const char *name;
    const char *accept;
    const char *type;
} rows_formats[HTTP_FORMAT_MAX] = {
    [HTTP_JSON] = {"json", "application/json", "application/json"},
    [HTTP_NDJSON] = {"ndjson", "application/x-ndjson", "application/x-ndjson"},
    [HTTP_CSV] = {"csv", "text/csv", "text/csv; charset=utf-8"},
};

enum http_format http_format_named(const char *name)
{
    enum http_format f = HTTP_JSON;

    if (!name)
        return f;
    while (f < HTTP_FORMAT_MAX && strcmp(rows_formats[f].name, name) != 0)
        f++;
    return f;
}

/* The first of ours that is named; weights are not looked at. */
enum http_format http_format_accepted(const char *accept)
{
    enum http_format best = HTTP_JSON;
    const char *at = NULL;

    for (enum http_format f = HTTP_JSON; accept && f < HTTP_FORMAT_MAX; f++) {
        const char *here = strstr(accept, rows_formats[f].accept);

        if (here && (!at || here < at)) {
            at = here;
            best = f;
        }
    }
    return best;
}

const char *http_format_type(enum http_format f)
{
    return rows_formats[f].type;
}

/* ---- values ---- */

static int64_t rows_int(const struct dendro_column *c, size_t row)
{
    switch (type_phys((enum type_id)c->type)) {
    case PHYS_I8:
        return ((const int8_t *)c->values)[row];
    case PHYS_I16:
        return ((const int16_t *)c->values)[row];
    case PHYS_I32:
        return ((const int32_t *)c->values)[row];
    case PHYS_I64:
        return ((const int64_t *)c->values)[row];
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return 0;
}

/* The value's text, as SELECT of the session shows it; bytes are hexadecimal, which needs no
 * quoting in JSON and CSV. */
static void rows_text(const struct func_session *session,
                      struct buf *b,
                      const struct dendro_column *c,
                      size_t row)
{
    struct datum d = {.type = (enum type_id)c->type};
    const struct dendro_text *t;

    if (type_is_array(d.type) || d.type == TYPE_NUMERIC || d.type == TYPE_TIMETZ ||
        type_is_enum(d.type) || type_is_utf8(d.type)) {
        t = &((const struct dendro_text *)c->values)[row];
        buf_append(b, t->ptr, t->len);
        return;
    }
    switch (type_phys(d.type)) {
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
        d.v.i64 = rows_int(c, row);
        break;
    case PHYS_F32:
        d.v.f64 = (double)((const float *)c->values)[row];
        break;
    case PHYS_F64:
        d.v.f64 = ((const double *)c->values)[row];
        break;
    case PHYS_STR:
        t = &((const struct dendro_text *)c->values)[row];
        d.str = (struct vstr){.ptr = t->ptr, .len = t->len};
        break;
    case PHYS_INTERVAL: {
        const struct dendro_interval *iv = &((const struct dendro_interval *)c->values)[row];

        d.iv = (struct vinterval){.us = iv->us, .days = iv->days, .months = iv->months};
        break;
    }
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    text_print_in(d.type == TYPE_BLOB ? NULL : session, &d, b);
}

static void rows_quoted(const struct func_session *session,
                        struct buf *b,
                        const struct dendro_column *c,
                        size_t row)
{
    buf_u8(b, '"');
    rows_text(session, b, c, row);
    buf_u8(b, '"');
}

static void rows_json_double(const struct func_session *session,
                             struct buf *b,
                             const struct dendro_column *c,
                             size_t row)
{
    double v = c->type == DENDRO_TYPE_REAL ? (double)((const float *)c->values)[row]
                                           : ((const double *)c->values)[row];

    if (isfinite(v))
        rows_text(session, b, c, row);
    else
        rows_quoted(session, b, c, row);
}

static void rows_json_value(const struct func_session *session,
                            struct buf *b,
                            const struct dendro_column *c,
                            size_t row)
{
    if (c->type == DENDRO_TYPE_NONE || dendro_batch_null(c, row)) {
        buf_append(b, "null", 4);
        return;
    }
    if (c->type == DENDRO_TYPE_BOOLEAN || c->type == DENDRO_TYPE_SMALLINT ||
        c->type == DENDRO_TYPE_INTEGER) {
        rows_text(session, b, c, row);
    } else if (c->type == DENDRO_TYPE_BIGINT) {
        int64_t v = rows_int(c, row);

        if (v >= -ROWS_SAFE_INT && v <= ROWS_SAFE_INT)
            rows_text(session, b, c, row);
        else
            rows_quoted(session, b, c, row);
    } else if (c->type == DENDRO_TYPE_REAL || c->type == DENDRO_TYPE_DOUBLE) {
        rows_json_double(session, b, c, row);
    } else if (type_is_utf8((enum type_id)c->type) || type_is_array((enum type_id)c->type) ||
               type_is_enum((enum type_id)c->type)) {
        const struct dendro_text *t = &((const struct dendro_text *)c->values)[row];

        http_json_text(b, t->ptr, t->len);
    } else { /* times, intervals, NUMERIC, bytes: nothing in them needs a backslash but \x…'s */
        size_t at = b->len + 1;

        rows_quoted(session, b, c, row);
        if (!b->failed && memchr(b->data + at, '\\', b->len - at)) {
            size_t len = b->len - at - 1;
            uint8_t *copy = buf_extend(b, len);

            if (copy) {
                memcpy(copy, b->data + at, len);
                b->len = at - 1;
                http_json_text(b, (const char *)copy, len);
            }
        }
    }
}

static bool rows_csv_plain(const uint8_t *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r')
            return false;
    return len > 0;
}

static void rows_csv_text(struct buf *b, const char *s, size_t len)
{
    if (rows_csv_plain((const uint8_t *)s, len)) {
        buf_append(b, s, len);
        return;
    }
    buf_u8(b, '"');
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '"')
            buf_u8(b, '"');
        buf_u8(b, (uint8_t)s[i]);
    }
    buf_u8(b, '"');
}

static void rows_csv_value(const struct func_session *session,
                           struct buf *b,
                           const struct dendro_column *c,
                           size_t row)
{
    if (c->type == DENDRO_TYPE_NONE || dendro_batch_null(c, row))
        return;
    if (type_is_utf8((enum type_id)c->type) || type_is_array((enum type_id)c->type) ||
        type_is_enum((enum type_id)c->type)) {
        const struct dendro_text *t = &((const struct dendro_text *)c->values)[row];

        rows_csv_text(b, t->ptr, t->len);
    } else {
        rows_text(session, b, c, row); /* no type prints a comma or a quote but those */
    }
}

/* ---- results ---- */

static void rows_columns(struct buf *b, dendro_stmt *stmt)
{
    buf_puts(b, "\"columns\":[");
    for (int i = 0; i < dendro_column_count(stmt); i++) {
        const char *name = dendro_column_name(stmt, i);
        const char *type = dendro_type_name(dendro_column_type(stmt, i));

        buf_puts(b, i ? ",{\"name\":" : "{\"name\":");
        http_json_text(b, name ? name : "", name ? strlen(name) : 0);
        buf_puts(b, ",\"type\":");
        http_json_text(b, type, strlen(type));
        buf_u8(b, '}');
    }
    buf_u8(b, ']');
}

static void rows_csv_names(struct buf *b, dendro_stmt *stmt)
{
    for (int i = 0; i < dendro_column_count(stmt); i++) {
        const char *name = dendro_column_name(stmt, i);

        if (i)
            buf_u8(b, ',');
        rows_csv_text(b, name ? name : "", name ? strlen(name) : 0);
    }
    buf_u8(b, '\n');
}

void http_rows_begin(struct buf *b, enum http_format f, dendro_stmt *stmt, bool first)
{
    switch (f) {
    case HTTP_JSON:
        buf_puts(b, first ? "{" : ",{");
        rows_columns(b, stmt);
        buf_puts(b, ",\"rows\":[");
        return;
    case HTTP_NDJSON:
        buf_u8(b, '{');
        rows_columns(b, stmt);
        buf_puts(b, "}\n");
        return;
    case HTTP_CSV:
        if (dendro_column_count(stmt) == 0)
            return;
        if (!first)
            buf_u8(b, '\n');
        rows_csv_names(b, stmt);
        return;
    case HTTP_FORMAT_MAX:
        return;
    }
}

void http_rows_put(struct buf *b,
                   enum http_format f,
                   const struct func_session *session,
                   const struct dendro_batch *batch,
                   size_t row,
                   bool first)
{
    if (f != HTTP_CSV) {
        if (f == HTTP_JSON && !first)
            buf_u8(b, ',');
        buf_u8(b, '[');
    }
    for (int i = 0; i < batch->columns_count; i++) {
        if (i)
            buf_u8(b, ',');
        if (f == HTTP_CSV)
            rows_csv_value(session, b, &batch->columns[i], row);
        else
            rows_json_value(session, b, &batch->columns[i], row);
    }
    if (f != HTTP_CSV)
        buf_u8(b, ']');
    if (f != HTTP_JSON)
        buf_u8(b, '\n');
}

void http_rows_end(struct buf *b,
                   enum http_format f,
                   const struct http_summary *s,
                   const struct dendro_error *error)
{
    if (f == HTTP_CSV)
        return;
    buf_puts(b, f == HTTP_JSON ? "]," : "{");
    if (error) {
        buf_puts(b, "\"error\":");
        http_print_error(b, error, 0);
        buf_u8(b, ',');
    }
    if (s->tag) {
        buf_puts(b, "\"tag\":");
        http_json_text(b, s->tag, strlen(s->tag));
        buf_u8(b, ',');
    }
    buf_printf(b,
               "\"stats\":{\"rows\":%" PRIu64 ",\"ms\":%.3f%s}}",
               s->rows,
               (double)s->ns / 1e6,
               s->truncated ? ",\"truncated\":true" : "");
    if (f == HTTP_NDJSON)
        buf_u8(b, '\n');
}

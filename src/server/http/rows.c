/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: see rows.h. */
#include "server/http/rows.h"

#include "func/text_column.h"
#include "server/http/http_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    const char *accept;
    const char *type;
} rows_formats[HTTP_FORMAT_MAX] = {
    [HTTP_JSON] = {"json", "application/json", "application/json"},
    [HTTP_NDJSON] = {"ndjson", "application/x-ndjson", "application/x-ndjson"},
    [HTTP_CSV] = {"csv", "text/csv", "text/csv; charset=utf-8"},
    [HTTP_SVG] = {"svg", "image/svg+xml", "image/svg+xml"},
    [HTTP_PARQUET] = {"parquet",
                      "application/vnd.apache.parquet",
                      "application/vnd.apache.parquet"},
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

const char *http_format_name(enum http_format f)
{
    return rows_formats[f].name;
}

/* ---- values ---- */

static bool rows_is_text(const struct datum *d)
{
    return type_is_utf8(d->type) || type_is_array(d->type) || type_is_enum(d->type);
}

/* The value's text, as SELECT of the session shows it; bytes are hexadecimal, which needs no
 * quoting in JSON and CSV. */
static struct vstr rows_text(struct http_columns *c, const struct datum *d)
{
    if (type_is_utf8(d->type))
        return d->str;
    buf_reset(&c->scratch);
    text_print_in(d->type == TYPE_BLOB ? NULL : c->session, d, &c->scratch);
    return (struct vstr){(const char *)c->scratch.data, (uint32_t)c->scratch.len};
}

/* What func/text_column.h does not write: texts, what is not a number to JavaScript, and the
 * rest between quotes. */
static void rows_json_cell(void *arg, const struct datum *d, struct buf *b)
{
    struct http_columns *c = arg;
    struct vstr text = rows_text(c, d);

    if (c->scratch.failed)
        b->failed = true;
    else if (type_is_float(d->type) && isfinite(d->v.f64)) /* in fewer digits */
        buf_append(b, text.ptr, text.len);
    else
        http_json_text(b, text.ptr, text.len);
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

static void rows_csv_cell(void *arg, const struct datum *d, struct buf *b)
{
    struct http_columns *c = arg;
    struct vstr text = rows_text(c, d);

    if (c->scratch.failed)
        b->failed = true;
    else if (rows_is_text(d))
        rows_csv_text(b, text.ptr, text.len);
    else
        buf_append(b, text.ptr, text.len); /* no type prints a comma or a quote but those */
}

bool http_columns_set(struct http_columns *c,
                      enum http_format f,
                      const struct func_session *session,
                      const struct engine_rows *rows,
                      struct mem_owner *owner)
{
    struct text_column_how how = {.session = session,
                                  .style = TEXT_SELECT,
                                  .frame = f == HTTP_CSV ? TEXT_FRAME_NONE : TEXT_FRAME_QUOTES,
                                  .null_text = {"null", f == HTTP_CSV ? 0 : 4},
                                  .cell = f == HTTP_CSV ? rows_csv_cell : rows_json_cell,
                                  .arg = c,
                                  .owner = owner};

    if (rows->cols_count > c->count) {
        struct text_column *more =
            mem_realloc(owner, c->columns, rows->cols_count * sizeof(*c->columns));

        if (!more)
            return false;
        memset(more + c->count, 0, (rows->cols_count - c->count) * sizeof(*c->columns));
        c->columns = more;
        c->count = rows->cols_count;
    }
    c->format = f;
    c->session = session;
    c->scratch.owner = owner;
    c->used = rows->cols_count;
    for (uint32_t i = 0; i < rows->cols_count; i++) {
        text_column_begin(&c->columns[i], &how);
        text_column_set(&c->columns[i], &rows->cols[i], rows->count);
    }
    return true;
}

void http_columns_done(struct http_columns *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        text_column_done(&c->columns[i]);
    mem_free(c->columns);
    buf_done(&c->scratch);
    c->columns = NULL;
    c->count = 0;
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
    case HTTP_SVG:
    case HTTP_PARQUET:
    case HTTP_FORMAT_MAX:
        return;
    }
}

void http_rows_put(struct buf *b, struct http_columns *c, uint32_t row, bool first)
{
    if (c->format != HTTP_CSV) {
        if (c->format == HTTP_JSON && !first)
            buf_u8(b, ',');
        buf_u8(b, '[');
    }
    for (uint32_t i = 0; i < c->used; i++) {
        if (i)
            buf_u8(b, ',');
        text_column_put(&c->columns[i], row, b);
    }
    if (c->format != HTTP_CSV)
        buf_u8(b, ']');
    if (c->format != HTTP_JSON)
        buf_u8(b, '\n');
}

void http_rows_end(struct buf *b,
                   enum http_format f,
                   const struct http_summary *s,
                   const struct dendro_error *error)
{
    if (f == HTTP_CSV || f == HTTP_SVG)
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * out_text.c: formats for programs: csv, tsv, json, jsonl. Rows go out as they come. */
#include "cli/out.h"

#include <string.h>

static void csv_cell(struct out *o, const char *text, size_t len)
{
    bool quote = len == 0 || memchr(text, ',', len) || memchr(text, '"', len) ||
                 memchr(text, '\n', len) || memchr(text, '\r', len);

    if (!quote) {
        buf_append(&o->line, text, len);
        return;
    }
    buf_u8(&o->line, '"');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            buf_u8(&o->line, '"');
        buf_u8(&o->line, (uint8_t)text[i]);
    }
    buf_u8(&o->line, '"');
}

static void tsv_cell(struct out *o, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        switch (text[i]) {
        case '\t':
            buf_puts(&o->line, "\\t");
            break;
        case '\n':
            buf_puts(&o->line, "\\n");
            break;
        case '\r':
            buf_puts(&o->line, "\\r");
            break;
        case '\\':
            buf_puts(&o->line, "\\\\");
            break;
        default:
            buf_u8(&o->line, (uint8_t)text[i]);
            break;
        }
    }
}

static void csv_begin(struct out *o, struct backend *from)
{
    (void)from;
    for (int i = 0; o->header && i < o->cols_count; i++) {
        if (i)
            buf_u8(&o->line, ',');
        csv_cell(o, o->cols[i].name, strlen(o->cols[i].name));
    }
    if (o->header)
        buf_u8(&o->line, '\n');
    out_flush_line(o);
}

/* NULL is an empty field, an empty text a quoted one. */
static void csv_row(struct out *o, struct backend *from)
{
    for (int i = 0; i < o->cols_count; i++) {
        size_t len = 0;
        const char *text = backend_text(from, i, &len);
        if (i)
            buf_u8(&o->line, ',');
        if (text)
            csv_cell(o, text, len);
    }
    buf_u8(&o->line, '\n');
    out_flush_line(o);
}

static void text_end(struct out *o)
{
    (void)o;
}

const struct out_ops out_csv_ops = {.begin = csv_begin, .row = csv_row, .end = text_end};

static void tsv_begin(struct out *o, struct backend *from)
{
    (void)from;
    for (int i = 0; o->header && i < o->cols_count; i++) {
        if (i)
            buf_u8(&o->line, '\t');
        tsv_cell(o, o->cols[i].name, strlen(o->cols[i].name));
    }
    if (o->header)
        buf_u8(&o->line, '\n');
    out_flush_line(o);
}

static void tsv_row(struct out *o, struct backend *from)
{
    for (int i = 0; i < o->cols_count; i++) {
        size_t len = 0;
        const char *text = backend_text(from, i, &len);
        if (i)
            buf_u8(&o->line, '\t');
        if (text)
            tsv_cell(o, text, len);
        else
            buf_puts(&o->line, "\\N");
    }
    buf_u8(&o->line, '\n');
    out_flush_line(o);
}

const struct out_ops out_tsv_ops = {.begin = tsv_begin, .row = tsv_row, .end = text_end};

static void json_string(struct out *o, const char *text, size_t len)
{
    buf_u8(&o->line, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            buf_printf(&o->line, "\\%c", c);
        else if (c == '\n')
            buf_puts(&o->line, "\\n");
        else if (c < 0x20)
            buf_printf(&o->line, "\\u%04x", c);
        else
            buf_u8(&o->line, c);
    }
    buf_u8(&o->line, '"');
}

/* NaN and infinities have no JSON number: they stand as strings. */
static bool json_bare(enum dendro_type type, const char *text)
{
    return out_type_bare(type) && strcmp(text, "NaN") != 0 && !strstr(text, "Infinity");
}

static void json_object(struct out *o, struct backend *from)
{
    buf_u8(&o->line, '{');
    for (int i = 0; i < o->cols_count; i++) {
        size_t len = 0;
        const char *text = backend_text(from, i, &len);
        if (i)
            buf_u8(&o->line, ',');
        json_string(o, o->cols[i].name, strlen(o->cols[i].name));
        buf_u8(&o->line, ':');
        if (!text)
            buf_puts(&o->line, "null");
        else if (json_bare(o->cols[i].type, text))
            buf_puts(&o->line, text);
        else
            json_string(o, text, len);
    }
    buf_u8(&o->line, '}');
}

static void json_begin(struct out *o, struct backend *from)
{
    (void)from;
    buf_u8(&o->line, '[');
}

static void json_row(struct out *o, struct backend *from)
{
    buf_puts(&o->line, o->rows ? ",\n " : "");
    json_object(o, from);
    out_flush_line(o);
}

static void json_end(struct out *o)
{
    buf_puts(&o->line, "]\n");
    out_flush_line(o);
}

const struct out_ops out_json_ops = {.begin = json_begin, .row = json_row, .end = json_end};

static void jsonl_begin(struct out *o, struct backend *from)
{
    (void)o;
    (void)from;
}

static void jsonl_row(struct out *o, struct backend *from)
{
    json_object(o, from);
    buf_u8(&o->line, '\n');
    out_flush_line(o);
}

const struct out_ops out_jsonl_ops = {.begin = jsonl_begin, .row = jsonl_row, .end = text_end};

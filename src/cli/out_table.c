/* SPDX-License-Identifier: Apache-2.0
 *
 * out_table.c: the box. Headers are centred, numbers right-aligned, the rest left. Cells are held
 * back until the widths are known; past OUT_HOLD_MAX bytes the widths seen so far are kept and the
 * rest streams, so that a result of any size needs bounded memory. A text of several lines takes
 * several lines of its row.
 *
 * A table that is to fit the window (out.fit) gets narrower columns of text, whose cells are cut
 * and end with an ellipsis. Numbers and times are never cut: where they leave no room, the table
 * stands upright instead, one column a line. */
#include "cli/out.h"

#include <string.h>
#include <utf8proc.h>

#define OUT_HOLD_MAX   (32u * 1024 * 1024)
#define OUT_TEXT_LEAST 8u /* columns that a shortened text keeps */
#define OUT_ELLIPSIS   "…"

static void table_spaces(struct out *o, uint32_t n)
{
    while (n-- > 0)
        buf_u8(&o->line, ' ');
}

static void table_rule(struct out *o)
{
    for (int i = 0; i < o->cols_count; i++) {
        buf_u8(&o->line, '+');
        for (uint32_t k = 0; k < o->cols[i].width; k++)
            buf_u8(&o->line, '-');
    }
    buf_puts(&o->line, "+\n");
    out_flush_line(o);
}

/* Cuts a visible text to a width, the last column of which is the ellipsis. */
static uint32_t table_cut(struct buf *shown, uint32_t width, uint32_t most)
{
    uint32_t kept = 0;
    size_t at = 0;

    if (width <= most || most == 0)
        return width;
    while (at < shown->len) {
        utf8proc_int32_t cp = 0;
        utf8proc_ssize_t n =
            utf8proc_iterate(shown->data + at, (utf8proc_ssize_t)(shown->len - at), &cp);
        int w = n > 0 ? utf8proc_charwidth(cp) : 1;
        if (kept + (w > 0 ? (uint32_t)w : 0) >= most)
            break;
        kept += w > 0 ? (uint32_t)w : 0;
        at += n > 0 ? (size_t)n : 1;
    }
    shown->len = at;
    buf_puts(shown, OUT_ELLIPSIS);
    return kept + 1;
}

/* A line of centred texts, one per column. */
static void table_centred(struct out *o, const char *(*text)(const struct out_col *col))
{
    for (int i = 0; i < o->cols_count; i++) {
        const char *t = text(&o->cols[i]);
        struct buf shown;
        uint32_t width;
        uint32_t left;

        buf_init(&shown, NULL);
        width = table_cut(&shown, out_visible(t, strlen(t), &shown), o->cols[i].width);
        left = (o->cols[i].width - width) / 2;
        buf_u8(&o->line, '|');
        table_spaces(o, left);
        buf_append(&o->line, shown.data, shown.len);
        table_spaces(o, o->cols[i].width - width - left);
        buf_done(&shown);
    }
    buf_puts(&o->line, "|\n");
    out_flush_line(o);
}

static const char *table_name(const struct out_col *col)
{
    return col->name;
}

static const char *table_type(const struct out_col *col)
{
    return col->type_name;
}

static void table_head(struct out *o)
{
    table_rule(o);
    table_centred(o, table_name);
    if (o->types)
        table_centred(o, table_type);
    table_rule(o);
}

/* One line of a text: up to its line feed. Returns the bytes it takes, line feed included. */
static size_t table_line(const uint8_t *text, size_t len, size_t *ret_shown)
{
    const uint8_t *end = len ? memchr(text, '\n', len) : NULL;

    *ret_shown = end ? (size_t)(end - text) : len;
    return end ? *ret_shown + 1 : len;
}

/* Half a number or a time would be another one. */
static bool table_may_cut(const struct out_col *col)
{
    return col->type == DENDRO_TYPE_VARCHAR || col->type == DENDRO_TYPE_BLOB ||
           (col->type & DENDRO_TYPE_ARRAY) != 0;
}

static void table_cell(struct out *o, int col, const uint8_t *text, size_t len)
{
    bool right = out_type_right(o->cols[col].type);
    struct buf shown;
    uint32_t width;
    uint32_t pad;

    buf_init(&shown, NULL);
    width = out_visible((const char *)text, len, &shown);
    if (o->fit && table_may_cut(&o->cols[col]))
        width = table_cut(&shown, width, o->cols[col].width);
    pad = o->cols[col].width > width ? o->cols[col].width - width : 0;
    buf_u8(&o->line, '|');
    if (right)
        table_spaces(o, pad);
    buf_append(&o->line, shown.data, shown.len);
    if (!right)
        table_spaces(o, pad);
    buf_done(&shown);
}

/* A row: cells as varint length and bytes. */
static void table_print_row(struct out *o, struct rd *cells)
{
    struct rd next = *cells;
    bool more = true;

    for (uint32_t line = 0; more; line++) {
        more = false;
        next = *cells;
        for (int i = 0; i < o->cols_count; i++) {
            size_t len;
            const uint8_t *text = rd_blob(&next, &len);
            size_t shown = 0;
            for (uint32_t k = 0; k < line && len; k++) {
                size_t used = table_line(text, len, &shown);
                text += used;
                len -= used;
            }
            more = table_line(text, len, &shown) < len || more;
            table_cell(o, i, text, shown);
        }
        buf_puts(&o->line, "|\n");
        out_flush_line(o);
    }
    *cells = next;
}

/* One column a line. */
static void table_print_upright(struct out *o, struct rd *cells)
{
    uint32_t widest = 0;
    struct buf name;

    buf_init(&name, NULL);
    for (int i = 0; i < o->cols_count; i++) {
        uint32_t width = out_visible(o->cols[i].name, strlen(o->cols[i].name), &name);
        widest = width > widest ? width : widest;
    }
    buf_printf(&o->line, "-[ row %llu ]-\n", (unsigned long long)++o->printed);
    for (int i = 0; i < o->cols_count; i++) {
        size_t len;
        const uint8_t *text = rd_blob(cells, &len);
        buf_reset(&name);
        table_spaces(o, widest - out_visible(o->cols[i].name, strlen(o->cols[i].name), &o->line));
        buf_puts(&o->line, " | ");
        (void)out_visible((const char *)text, len, &o->line);
        buf_u8(&o->line, '\n');
    }
    buf_done(&name);
    out_flush_line(o);
}

static bool table_too_wide(const struct out *o)
{
    uint64_t width = 1;

    for (int i = 0; i < o->cols_count; i++)
        width += 1 + (uint64_t)o->cols[i].width;
    return o->width_max > 0 && width > o->width_max;
}

/* The width of a table whose texts have at most that many columns each. */
static uint64_t table_width_with(const struct out *o, uint32_t most)
{
    uint64_t width = 1;

    for (int i = 0; i < o->cols_count; i++) {
        const struct out_col *col = &o->cols[i];
        width += 1 + (uint64_t)(table_may_cut(col) && col->width > most ? most : col->width);
    }
    return width;
}

/* Makes columns of text narrower, the widest first, until the table fits; leaves them as they are
 * if it cannot. */
static void table_fit(struct out *o)
{
    uint32_t low = OUT_TEXT_LEAST; /* fits */
    uint32_t high = o->width_max;  /* does not */

    if (!o->fit || !table_too_wide(o) || table_width_with(o, low) > o->width_max)
        return;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (table_width_with(o, mid) <= o->width_max)
            low = mid;
        else
            high = mid;
    }
    for (int i = 0; i < o->cols_count; i++)
        if (table_may_cut(&o->cols[i]) && o->cols[i].width > low)
            o->cols[i].width = low;
}

/* What was held back goes out; the widths stay as they are now. */
static void table_release(struct out *o)
{
    struct rd r = rd_make(o->held.data, o->held.len);
    uint64_t lines;

    table_fit(o);
    o->upright = table_too_wide(o) && o->held_rows > 0;
    lines = o->upright ? o->held_rows * ((uint64_t)o->cols_count + 1) : o->held_rows + 5;
    out_page(o, lines);
    if (!o->upright)
        table_head(o);
    for (uint64_t row = 0; row < o->held_rows; row++) {
        if (o->upright)
            table_print_upright(o, &r);
        else
            table_print_row(o, &r);
    }
    buf_done(&o->held);
    o->held_rows = 0;
    o->streaming = true;
}

static void table_begin(struct out *o, struct backend *from)
{
    struct buf name;

    (void)from;
    buf_init(&name, NULL);
    for (int i = 0; i < o->cols_count; i++)
        o->cols[i].width = out_visible(o->cols[i].name, strlen(o->cols[i].name), &name);
    for (int i = 0; o->types && i < o->cols_count; i++) {
        uint32_t width = (uint32_t)strlen(table_type(&o->cols[i]));
        o->cols[i].width = width > o->cols[i].width ? width : o->cols[i].width;
    }
    buf_done(&name);
}

static uint32_t table_width(const char *text, size_t len)
{
    uint32_t widest = 0;
    struct buf unused;

    buf_init(&unused, NULL);
    while (len) {
        size_t shown;
        size_t used = table_line((const uint8_t *)text, len, &shown);
        uint32_t width = out_visible(text, shown, &unused);
        widest = width > widest ? width : widest;
        text += used;
        len -= used;
        buf_reset(&unused);
    }
    buf_done(&unused);
    return widest;
}

static void table_row(struct out *o, struct backend *from)
{
    for (int i = 0; i < o->cols_count; i++) {
        size_t len = 0;
        const char *text = backend_text(from, i, &len);
        len = text ? len : 4;
        buf_bytes(&o->held, text ? text : "NULL", len);
        if (!o->streaming) {
            uint32_t width = table_width(text ? text : "NULL", len);
            o->cols[i].width = width > o->cols[i].width ? width : o->cols[i].width;
        }
    }
    if (o->held.failed) {
        o->failed = true;
        return;
    }
    if (o->streaming) {
        struct rd r = rd_make(o->held.data, o->held.len);
        if (o->upright)
            table_print_upright(o, &r);
        else
            table_print_row(o, &r);
        buf_reset(&o->held);
        return;
    }
    o->held_rows++;
    if (o->held.len > OUT_HOLD_MAX)
        table_release(o);
}

static void table_end(struct out *o)
{
    if (!o->streaming)
        table_release(o);
    if (!o->upright)
        table_rule(o);
}

const struct out_ops out_table_ops = {.begin = table_begin, .row = table_row, .end = table_end};

/* Markdown wants no widths, only bars escaped. */
static void markdown_cell(struct out *o, const char *text, size_t len)
{
    struct buf cell;

    buf_init(&cell, NULL);
    (void)out_visible(text, len, &cell);
    buf_puts(&o->line, "| ");
    for (size_t i = 0; i < cell.len; i++) {
        if (cell.data[i] == '|')
            buf_u8(&o->line, '\\');
        buf_u8(&o->line, cell.data[i]);
    }
    buf_u8(&o->line, ' ');
    buf_done(&cell);
}

static void markdown_begin(struct out *o, struct backend *from)
{
    (void)from;
    for (int i = 0; i < o->cols_count; i++)
        markdown_cell(o, o->cols[i].name, strlen(o->cols[i].name));
    buf_puts(&o->line, "|\n");
    for (int i = 0; i < o->cols_count; i++)
        buf_puts(&o->line, out_type_right(o->cols[i].type) ? "| ---: " : "| --- ");
    buf_puts(&o->line, "|\n");
    out_flush_line(o);
}

static void markdown_row(struct out *o, struct backend *from)
{
    for (int i = 0; i < o->cols_count; i++) {
        size_t len = 0;
        const char *text = backend_text(from, i, &len);
        markdown_cell(o, text ? text : "NULL", text ? len : 4);
    }
    buf_puts(&o->line, "|\n");
    out_flush_line(o);
}

static void markdown_end(struct out *o)
{
    (void)o;
}

const struct out_ops out_markdown_ops = {
    .begin = markdown_begin, .row = markdown_row, .end = markdown_end};

static void vertical_begin(struct out *o, struct backend *from)
{
    table_begin(o, from);
}

static void vertical_row(struct out *o, struct backend *from)
{
    uint32_t widest = 0;

    for (int i = 0; i < o->cols_count; i++)
        widest = o->cols[i].width > widest ? o->cols[i].width : widest;
    buf_printf(&o->line, "-[ row %llu ]-\n", (unsigned long long)o->rows + 1);
    for (int i = 0; i < o->cols_count; i++) {
        size_t len = 0;
        const char *text = backend_text(from, i, &len);
        (void)out_visible(o->cols[i].name, strlen(o->cols[i].name), &o->line);
        table_spaces(o, widest - o->cols[i].width);
        buf_puts(&o->line, " | ");
        (void)out_visible(text ? text : "NULL", text ? len : 4, &o->line);
        buf_u8(&o->line, '\n');
    }
    out_flush_line(o);
}

const struct out_ops out_vertical_ops = {
    .begin = vertical_begin, .row = vertical_row, .end = markdown_end};

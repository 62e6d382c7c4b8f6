/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_out.c: COPY … TO: the rows of a query as text, csv or binary. What goes to STDOUT is written
 * row by row, as a server sends it; files are written in larger pieces. */
#include "engine/engine_int.h"

#include "base/text.h"
#include "engine/copy.h"
#include "func/text_column.h"
#include "func/text_wire.h"
#include "volume/hostfile.h"

#define COPY_OUT_BYTES (256u * 1024) /* written at once */

struct copy_out {
    struct dendro_stmt *stmt;
    const struct stmt_copy *copy;
    struct hostfile *file;     /* NULL: the session's writer */
    struct copy_out_col *cols; /* in stmt->run */
    uint32_t cols_count;
    struct buf text;
    struct buf cell; /* scratch */
    struct arena arena;
};

struct copy_out_col {
    struct copy_out *out;
    bool quoted; /* FORCE_QUOTE */
    struct text_column column;
};

static int out_flush(struct copy_out *o, struct dn_err *err)
{
    const struct dendro_copy *to = &o->stmt->conn->copy;
    int rc = 0;

    if (o->text.failed)
        return DN_FAIL_NOMEM(err);
    if (o->file)
        rc = hostfile_write(o->file, o->text.data, o->text.len, err);
    else if (o->text.len > 0 && to->write(to->write_arg, o->text.data, o->text.len) != 0)
        rc = DN_FAIL(err, DN_E_CANCELED, "COPY to stdout was ended by whoever takes the rows");
    buf_reset(&o->text);
    return rc;
}

/* ---- csv ---- */

static void out_csv_quoted(const struct copy_out *o, struct buf *b, const char *text, size_t len)
{
    char quote = o->copy->format.quote;

    buf_u8(b, (uint8_t)quote);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == quote || text[i] == o->copy->escape)
            buf_u8(b, (uint8_t)o->copy->escape);
        buf_u8(b, (uint8_t)text[i]);
    }
    buf_u8(b, (uint8_t)quote);
}

static void
out_csv(const struct copy_out *o, struct buf *b, const char *text, size_t len, bool force)
{
    const struct csv_format *f = &o->copy->format;
    bool quote = force || len == f->null_text.len;

    if (quote && !force)
        quote = len == 0 || memcmp(text, f->null_text.ptr, len) == 0;
    quote =
        quote || memchr(text, f->delimiter, len) || memchr(text, f->quote, len) ||
        memchr(text, '\n', len) || memchr(text, '\r', len) || (len == 0 && f->null_text.len == 0) ||
        (o->cols_count == 1 && len == 2 && memcmp(text, "\\.", 2) == 0); /* would end the data */
    if (quote)
        out_csv_quoted(o, b, text, len);
    else
        buf_append(b, text, len);
}

/* ---- text ---- */

static void out_text(const struct copy_out *o, struct buf *b, const char *text, size_t len)
{
    static const char plain[] = "\b\f\n\r\t\v";
    static const char letters[] = "bfnrtv";
    char delimiter = o->copy->format.delimiter;

    for (size_t i = 0; i < len; i++) {
        size_t from = i;
        const char *special;

        while (i < len && (uint8_t)text[i] > '\r' && text[i] != '\\' && text[i] != delimiter)
            i++;
        buf_append(b, text + from, i - from);
        if (i == len)
            break;
        special = text[i] ? strchr(plain, text[i]) : NULL;

        if (special) {
            buf_u8(b, '\\');
            buf_u8(b, (uint8_t)letters[special - plain]);
            continue;
        }
        if (text[i] == '\\' || text[i] == delimiter)
            buf_u8(b, '\\');
        buf_u8(b, (uint8_t)text[i]);
    }
}

/* ---- values ---- */

static enum text_style out_style(const struct copy_out *o, const struct datum *d)
{
    if (o->file)
        return o->copy->kind == COPY_CSV ? TEXT_SELECT : TEXT_COPY; /* as it always was */
    if (d->type == TYPE_TIMESTAMP_NS && d->v.i64 % 1000 != 0)       /* nothing is lost on the way */
        return TEXT_COPY;
    return o->stmt->conn->copy_style;
}

/* Text and csv: what func/text_column.h does not write. */
static void out_cell(void *arg, const struct datum *d, struct buf *b)
{
    struct copy_out_col *c = arg;
    struct copy_out *o = c->out;
    const char *text = d->str.ptr;
    size_t len = d->str.len;

    if (!type_is_utf8(d->type)) {
        buf_reset(&o->cell);
        text_print_as(&o->stmt->conn->functions, out_style(o, d), d, &o->cell);
        text = o->cell.len ? (const char *)o->cell.data : "";
        len = o->cell.len;
        b->failed = b->failed || o->cell.failed;
    }
    if (b->failed)
        return;
    if (o->copy->kind == COPY_CSV)
        out_csv(o, b, text, len, c->quoted);
    else
        out_text(o, b, text, len);
}

/* Binary: its length and bytes. */
static void out_binary_cell(void *arg, const struct datum *d, struct buf *b)
{
    struct copy_out_col *c = arg;
    struct copy_out *o = c->out;
    size_t at = b->len;

    buf_be32(b, 0);
    if (type_is_enum(d->type)) /* its label */
        text_print_as(&o->stmt->conn->functions, TEXT_WIRE, d, b);
    else
        text_wire_put(d, &o->arena, b);
    if (!b->failed)
        be_put32(b->data + at, (uint32_t)(b->len - at - sizeof(uint32_t)));
}

/* May numbers and time stamps be written as they are, because nothing in them is special here? */
static bool out_plain(const struct stmt_copy *copy)
{
    const struct csv_format *f = &copy->format;
    struct vstr null = f->null_text;

    return text_one_of(f->delimiter, ",;|\t") &&
           (copy->kind != COPY_CSV || text_one_of(f->quote, "\"'")) &&
           (null.len == 0 || (null.len == 2 && memcmp(null.ptr, "\\N", 2) == 0));
}

static void out_column(struct copy_out *o, struct copy_out_col *c)
{
    bool binary = o->copy->kind == COPY_BINARY;

    text_column_begin(&c->column,
                      &(struct text_column_how){
                          .session = &o->stmt->conn->functions,
                          .style = !o->file                    ? o->stmt->conn->copy_style
                                   : o->copy->kind == COPY_CSV ? TEXT_SELECT
                                                               : TEXT_COPY,
                          .binary = binary,
                          .bytes = binary,
                          .other = !binary && (c->quoted || !out_plain(o->copy)),
                          .exact = !binary,
                          .frame = binary ? TEXT_FRAME_LENGTH : TEXT_FRAME_NONE,
                          .null_text = o->copy->format.null_text,
                          .cell = binary ? out_binary_cell : out_cell,
                          .arg = c,
                          .owner = &o->stmt->owner,
                      });
}

static void out_row(struct copy_out *o, uint32_t row)
{
    if (o->copy->kind == COPY_BINARY)
        buf_be16(&o->text, (uint16_t)o->cols_count);
    for (uint32_t c = 0; c < o->cols_count; c++) {
        if (c > 0 && o->copy->kind != COPY_BINARY)
            buf_u8(&o->text, (uint8_t)o->copy->format.delimiter);
        text_column_put(&o->cols[c].column, row, &o->text);
    }
    if (o->copy->kind != COPY_BINARY)
        buf_u8(&o->text, '\n');
}

static int out_batch(struct copy_out *o, const struct batch *b, struct dn_err *err)
{
    for (uint32_t c = 0; c < o->cols_count; c++)
        text_column_set(&o->cols[c].column, &b->cols[c], b->sel_count);
    for (uint32_t i = 0; i < b->sel_count; i++) {
        int rc = 0;

        out_row(o, b->sel ? b->sel[i] : i);
        if (!o->file || o->text.len >= COPY_OUT_BYTES || o->text.failed)
            rc = out_flush(o, err);
        if (rc < 0)
            return rc;
    }
    arena_reset(&o->arena);
    return 0;
}

/* ---- the statement ---- */

static int out_begin(struct copy_out *o, const struct plan *plan, struct dn_err *err)
{
    static const char signature[] = "PGCOPY\n\377\r\n";
    uint32_t cols = plan->cols_count;

    o->cols = arena_calloc(&o->stmt->run, cols + 1, sizeof(*o->cols));
    if (!o->cols)
        return DN_FAIL_NOMEM(err);
    o->cols_count = cols;
    for (uint32_t i = 0; i < cols; i++) {
        o->cols[i].out = o;
        o->cols[i].quoted = copy_names(&o->copy->quote, i);
        out_column(o, &o->cols[i]);
        if (o->copy->kind == COPY_BINARY && plan->cols[i].type != TYPE_NONE &&
            (text_wire_oid(plan->cols[i].type) == 0 ||
             (TYPE_NUMBER(plan->cols[i].type) && type_is_array(plan->cols[i].type))))
            return DN_FAIL(
                err, DN_E_UNSUPPORTED, "column \"%s\" has no binary form", plan->cols[i].name);
    }
    if (o->copy->kind == COPY_BINARY) {
        buf_append(&o->text, signature, sizeof signature); /* its NUL is part of it */
        buf_be32(&o->text, 0);
        buf_be32(&o->text, 0);
        return 0;
    }
    if (o->copy->header == LOAD_HEADER_NO)
        return 0;
    for (uint32_t i = 0; i < cols; i++) {
        if (i > 0)
            buf_u8(&o->text, (uint8_t)o->copy->format.delimiter);
        if (o->copy->kind == COPY_CSV)
            out_csv(o, &o->text, plan->cols[i].name, strlen(plan->cols[i].name), false);
        else
            out_text(o, &o->text, plan->cols[i].name, strlen(plan->cols[i].name));
    }
    buf_u8(&o->text, '\n');
    return o->file ? 0 : out_flush(o, err);
}

/* One batch after the other; rows_count counts the rows. */
static int out_rows(struct copy_out *o, struct dn_err *err)
{
    struct dendro_stmt *stmt = o->stmt;
    const struct plan *plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    struct batch b;
    int rc = out_begin(o, plan, err);

    while (rc == 0) {
        rc = stmt_pull(stmt, &b, err);
        if (rc == 0)
            rc = out_batch(o, &b, err);
        if (rc == 0)
            stmt->rows_count += b.sel_count;
    }
    if (rc != DN_EOF)
        return rc;
    if (o->copy->kind == COPY_BINARY)
        buf_be16(&o->text, UINT16_MAX);
    return out_flush(o, err);
}

int copy_run_out(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct copy_out o = {.stmt = stmt, .copy = &stmt->copy};
    int closed;
    int rc = 0;

    if (ast->place == COPY_STDIO && !stmt->conn->copy.write) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "there is no STDOUT here to COPY to");
        dn_err_hint(err, "Give the session a writer (dendro_set_copy), or name a file.");
        dn_err_at(err, ast->file_pos);
        return rc;
    }
    rc = stmt_begin(stmt, stmt->ast->explained, err);
    if (rc == 0)
        rc = exec_open(stmt->run_plan ? stmt->run_plan : stmt->plan, &stmt->ctx, &stmt->root, err);
    if (rc < 0)
        return rc;
    if (ast->place != COPY_STDIO)
        rc = hostfile_create(ast->file, &stmt->conn->cancel, &o.file, err);
    if (rc < 0) {
        dn_err_at(err, ast->file_pos);
        return rc;
    }
    buf_init(&o.text, &stmt->owner);
    buf_init(&o.cell, &stmt->owner);
    arena_init(&o.arena, &stmt->owner);
    rc = stmt->copy.kind == COPY_PARQUET ? copy_parquet_out(stmt, o.file, err) : out_rows(&o, err);
    for (uint32_t i = 0; i < o.cols_count; i++)
        text_column_done(&o.cols[i].column);
    buf_done(&o.text);
    buf_done(&o.cell);
    arena_done(&o.arena);
    closed = hostfile_close(o.file, rc == 0 ? err : NULL);
    exec_close(stmt->root); /* no row of it is the statement's */
    stmt->root = NULL;
    return rc < 0 ? rc : closed;
}

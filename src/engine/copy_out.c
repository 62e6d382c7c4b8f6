/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_out.c: COPY … TO: the rows of a query as text, csv or binary. What goes to STDOUT is written
 * row by row, as a server sends it; files are written in larger pieces. */
#include "engine/engine_int.h"

#include "engine/copy.h"
#include "func/text.h"
#include "func/text_wire.h"
#include "volume/hostfile.h"

#define COPY_OUT_BYTES (256u * 1024) /* written at once */

struct copy_out {
    struct dendro_stmt *stmt;
    const struct stmt_copy *copy;
    struct hostfile *file; /* NULL: the session's writer */
    bool *quoted;          /* by column: FORCE_QUOTE; in stmt->run */
    struct buf text;
    struct buf cell; /* scratch */
    struct arena arena;
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

static void out_csv_quoted(struct copy_out *o, const char *text, size_t len)
{
    char quote = o->copy->format.quote;

    buf_u8(&o->text, (uint8_t)quote);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == quote || text[i] == o->copy->escape)
            buf_u8(&o->text, (uint8_t)o->copy->escape);
        buf_u8(&o->text, (uint8_t)text[i]);
    }
    buf_u8(&o->text, (uint8_t)quote);
}

static void out_csv(struct copy_out *o, const char *text, size_t len, bool force, bool alone)
{
    const struct csv_format *f = &o->copy->format;
    bool quote = force || len == f->null_text.len;

    if (quote && !force)
        quote = len == 0 || memcmp(text, f->null_text.ptr, len) == 0;
    quote = quote || memchr(text, f->delimiter, len) || memchr(text, f->quote, len) ||
            memchr(text, '\n', len) || memchr(text, '\r', len) ||
            (len == 0 && f->null_text.len == 0) ||
            (alone && len == 2 && memcmp(text, "\\.", 2) == 0); /* would end the data */
    if (quote)
        out_csv_quoted(o, text, len);
    else
        buf_append(&o->text, text, len);
}

/* ---- text ---- */

static void out_text(struct copy_out *o, const char *text, size_t len)
{
    static const char plain[] = "\b\f\n\r\t\v";
    static const char letters[] = "bfnrtv";
    char delimiter = o->copy->format.delimiter;

    for (size_t i = 0; i < len; i++) {
        const char *special = text[i] ? strchr(plain, text[i]) : NULL;

        if (special) {
            buf_u8(&o->text, '\\');
            buf_u8(&o->text, (uint8_t)letters[special - plain]);
            continue;
        }
        if (text[i] == '\\' || text[i] == delimiter)
            buf_u8(&o->text, '\\');
        buf_u8(&o->text, (uint8_t)text[i]);
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

static void out_value(struct copy_out *o, const struct datum *d, uint32_t col, bool alone)
{
    const char *text = d->str.ptr;
    size_t len = d->str.len;

    if (d->null) {
        buf_append(&o->text, o->copy->format.null_text.ptr, o->copy->format.null_text.len);
        return;
    }
    if (!type_is_utf8(d->type)) {
        buf_reset(&o->cell);
        text_print_as(&o->stmt->conn->functions, out_style(o, d), d, &o->cell);
        text = o->cell.len ? (const char *)o->cell.data : "";
        len = o->cell.len;
        o->text.failed = o->text.failed || o->cell.failed;
    }
    if (o->text.failed)
        return;
    if (o->copy->kind == COPY_CSV)
        out_csv(o, text, len, o->quoted[col], alone);
    else
        out_text(o, text, len);
}

static void out_binary_row(struct copy_out *o, const struct batch *b, uint32_t row, uint32_t cols)
{
    buf_be16(&o->text, (uint16_t)cols);
    for (uint32_t c = 0; c < cols; c++) {
        struct datum d = vec_datum(&b->cols[c], row);
        size_t at = o->text.len;

        if (d.null) {
            buf_be32(&o->text, UINT32_MAX);
            continue;
        }
        buf_be32(&o->text, 0);
        if (type_is_enum(d.type)) /* its label */
            text_print_as(&o->stmt->conn->functions, TEXT_WIRE, &d, &o->text);
        else
            text_wire_put(&d, &o->arena, &o->text);
        if (!o->text.failed)
            be_put32(o->text.data + at, (uint32_t)(o->text.len - at - sizeof(uint32_t)));
    }
    arena_reset(&o->arena);
}

static int out_batch(struct copy_out *o, const struct batch *b, uint32_t cols, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < b->sel_count && rc == 0; i++) {
        uint32_t row = b->sel ? b->sel[i] : i;

        if (o->copy->kind == COPY_BINARY)
            out_binary_row(o, b, row, cols);
        for (uint32_t c = 0; o->copy->kind != COPY_BINARY && c < cols; c++) {
            struct datum d = vec_datum(&b->cols[c], row);

            if (c > 0)
                buf_u8(&o->text, (uint8_t)o->copy->format.delimiter);
            out_value(o, &d, c, cols == 1);
        }
        if (o->copy->kind != COPY_BINARY)
            buf_u8(&o->text, '\n');
        if (!o->file || o->text.len >= COPY_OUT_BYTES || o->text.failed)
            rc = out_flush(o, err);
    }
    return rc;
}

/* ---- the statement ---- */

static int out_begin(struct copy_out *o, const struct plan *plan, struct dn_err *err)
{
    static const char signature[] = "PGCOPY\n\377\r\n";
    uint32_t cols = plan->cols_count;

    o->quoted = arena_calloc(&o->stmt->run, cols + 1, sizeof(*o->quoted));
    if (!o->quoted)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < cols; i++) {
        o->quoted[i] = copy_names(&o->copy->quote, plan->cols[i].name);
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
            out_csv(o, plan->cols[i].name, strlen(plan->cols[i].name), false, cols == 1);
        else
            out_text(o, plan->cols[i].name, strlen(plan->cols[i].name));
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
            rc = out_batch(o, &b, plan->cols_count, err);
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
        rc = hostfile_create(ast->file, &o.file, err);
    if (rc < 0) {
        dn_err_at(err, ast->file_pos);
        return rc;
    }
    buf_init(&o.text, &stmt->owner);
    buf_init(&o.cell, &stmt->owner);
    arena_init(&o.arena, &stmt->owner);
    rc = out_rows(&o, err);
    buf_done(&o.text);
    buf_done(&o.cell);
    arena_done(&o.arena);
    closed = hostfile_close(o.file, rc == 0 ? err : NULL);
    exec_close(stmt->root); /* no row of it is the statement's */
    stmt->root = NULL;
    return rc < 0 ? rc : closed;
}

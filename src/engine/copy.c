/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.c: COPY … FROM 'file' is a load (load.h) that takes effect as a whole; COPY … TO 'file' runs
 * a SELECT and writes its rows as CSV, so that COPY FROM reads the same values back. */
#include "engine/engine_int.h"

#include "base/text.h"
#include "engine/csv_scan.h"
#include "engine/load.h"
#include "func/text.h"
#include "volume/hostfile.h"

#include <strings.h>

#define COPY_OUT_BYTES (256u * 1024) /* written at once */

/* ---- options ---- */

static int copy_bad_value(const struct option_spec *o, const char *wanted, struct dn_err *err)
{
    DN_IGNORE(DN_FAIL(err,
                      DN_E_INVALID_PARAM,
                      "option %s wants %s, not \"%s\"",
                      o->name.s,
                      wanted,
                      o->value ? o->value : "")); /* returned below */
    dn_err_at(err, o->value_pos);
    return DN_E_INVALID_PARAM;
}

static int copy_take_format(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err)
{
    (void)c;
    return o->value && strcasecmp(o->value, "csv") == 0 ? 0 : copy_bad_value(o, "csv", err);
}

static int copy_take_header(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err)
{
    static const struct {
        const char *word;
        enum load_header header;
    } words[] = {{"true", LOAD_HEADER_YES},
                 {"on", LOAD_HEADER_YES},
                 {"1", LOAD_HEADER_YES},
                 {"false", LOAD_HEADER_NO},
                 {"off", LOAD_HEADER_NO},
                 {"0", LOAD_HEADER_NO},
                 {"auto", LOAD_HEADER_AUTO}};

    c->header = LOAD_HEADER_YES;
    if (!o->value)
        return 0;
    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++) {
        if (strcasecmp(words[i].word, o->value) == 0) {
            c->header = words[i].header;
            return 0;
        }
    }
    return copy_bad_value(o, "true, false or auto", err);
}

static int copy_take_char(const struct option_spec *o, char *ret, struct dn_err *err)
{
    if (!o->value || strlen(o->value) != 1)
        return copy_bad_value(o, "one character", err);
    *ret = o->value[0];
    return 0;
}

static int copy_take_delimiter(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err)
{
    if (o->value && strcmp(o->value, "\\t") == 0) {
        c->format.delimiter = '\t';
        return 0;
    }
    return copy_take_char(o, &c->format.delimiter, err);
}

static int copy_take_quote(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err)
{
    return copy_take_char(o, &c->format.quote, err);
}

static int copy_take_null(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err)
{
    if (!o->value)
        return copy_bad_value(o, "a text", err);
    c->format.null_text = (struct vstr){.ptr = o->value, .len = (uint32_t)strlen(o->value)};
    return 0;
}

static int copy_take_epoch(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};

    for (size_t i = 0; o->value && i < DN_ARRAY_SIZE(units); i++) {
        if (strcasecmp(units[i], o->value) == 0) {
            c->format.epoch = 3 * (int)i;
            return 0;
        }
    }
    return copy_bad_value(o, "s, ms, us or ns", err);
}

static const struct copy_option {
    const char *name;
    int (*take)(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err);
} copy_options[] = {
    {"format", copy_take_format},
    {"header", copy_take_header},
    {"delimiter", copy_take_delimiter},
    {"quote", copy_take_quote},
    {"null", copy_take_null},
    {"epoch", copy_take_epoch},
};

static int copy_take(struct stmt_copy *c, const struct option_spec *o, struct dn_err *err)
{
    struct text_near near = text_near_make(o->name.s);
    int rc;

    for (size_t i = 0; i < DN_ARRAY_SIZE(copy_options); i++) {
        if (strcasecmp(copy_options[i].name, o->name.s) == 0)
            return copy_options[i].take(c, o, err);
        text_near_try(&near, copy_options[i].name);
    }
    rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "COPY has no option \"%s\"", o->name.s);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    else
        dn_err_hint(err, "There are format, header, delimiter, quote, null and epoch.");
    dn_err_at(err, o->name.pos);
    return rc;
}

int stmt_compile_copy(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    const struct table *t;
    int rc;

    stmt->copy = (struct stmt_copy){
        .format = {.delimiter = ',', .quote = '"', .null_text = {.ptr = "", .len = 0}, .epoch = -1},
        .header = ast->from ? LOAD_HEADER_AUTO : LOAD_HEADER_YES};
    for (uint32_t i = 0; i < ast->options_count; i++) {
        rc = copy_take(&stmt->copy, &ast->options[i], err);
        if (rc < 0)
            return rc;
    }
    rc = csv_format_check(&stmt->copy.format, err);
    if (rc < 0 || !ast->from)
        return rc;
    t = session_table(stmt->conn, stmt->catalog, &ast->table, err);
    if (!t)
        return err->code;
    if (!ast->columns)
        return 0;
    rc = intake_target_columns(
        &stmt->insert, t, ast->columns, ast->columns_count, &stmt->compiled, err);
    if (rc < 0)
        return rc;
    rc = intake_target_unlisted(&stmt->insert, err); /* expressions are bound by the load */
    if (rc < 0)
        dn_err_at(err, ast->columns[0].pos);
    return rc;
}

/* ---- FROM ---- */

struct copy_in {
    struct dendro_stmt *stmt;
    struct hostfile *file;
};

static int copy_read(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    const struct copy_in *in = arg;

    return hostfile_read(in->file, to, len, ret_len, err);
}

static int copy_progress(void *arg, const struct load_result *so_far)
{
    const struct copy_in *in = arg;
    uint64_t size = hostfile_size(in->file);
    struct dendro_progress p = {.rows = so_far->parsed, .percent = -1};

    if (size > 0 && so_far->bytes > 0 && so_far->bytes <= size) {
        p.percent = 100.0 * (double)so_far->bytes / (double)size;
        p.rows_expected = (uint64_t)((double)so_far->parsed / p.percent * 100);
    }
    return stmt_tell(in->stmt, &p, NULL);
}

static int copy_from(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct load_spec spec = {.table = session_table(stmt->conn, stmt->catalog, &ast->table, err),
                             .format = stmt->copy.format,
                             .header = stmt->copy.header,
                             .columns = ast->columns,
                             .columns_count = ast->columns_count,
                             .read = copy_read,
                             .whole = true};
    struct copy_in in = {.stmt = stmt};
    struct load_result result;
    int rc;

    if (!spec.table)
        return err->code;
    rc = session_write_allowed(stmt->conn, err);
    if (rc == 0)
        rc = hostfile_open(ast->file, &in.file, err);
    if (rc < 0) {
        dn_err_at(err, ast->file_pos);
        return rc;
    }
    spec.read_arg = &in;
    if (stmt_progress(stmt)) {
        spec.progress = copy_progress;
        spec.progress_arg = &in;
    }
    rc = load_run(stmt->conn, &spec, &result, err);
    DN_IGNORE(hostfile_close(in.file, NULL)); /* it was only read */
    if (rc == 0)
        stmt->rows_count = result.rows;
    else if (rc != DN_E_NOMEM)
        dn_err_prefix(err, "%s", ast->file);
    return rc;
}

/* ---- TO ---- */

struct copy_out {
    const struct csv_format *format;
    struct hostfile *file;
    struct buf text;
    struct buf cell; /* scratch */
};

static void copy_put_quoted(struct copy_out *o, const char *text, size_t len)
{
    buf_u8(&o->text, (uint8_t)o->format->quote);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == o->format->quote)
            buf_u8(&o->text, (uint8_t)o->format->quote);
        buf_u8(&o->text, (uint8_t)text[i]);
    }
    buf_u8(&o->text, (uint8_t)o->format->quote);
}

static void copy_put(struct copy_out *o, const char *text, size_t len)
{
    const struct csv_format *f = o->format;
    bool quote = len == 0 ||
                 (len == f->null_text.len && memcmp(text, f->null_text.ptr, len) == 0) ||
                 memchr(text, f->delimiter, len) || memchr(text, f->quote, len) ||
                 memchr(text, '\n', len) || memchr(text, '\r', len);

    if (quote)
        copy_put_quoted(o, text, len);
    else
        buf_append(&o->text, text, len);
}

static void copy_put_value(struct copy_out *o, const struct datum *d)
{
    if (d->null) {
        buf_append(&o->text, o->format->null_text.ptr, o->format->null_text.len);
        return;
    }
    if (d->type == TYPE_VARCHAR) {
        copy_put(o, d->str.ptr, d->str.len);
        return;
    }
    buf_reset(&o->cell);
    text_print(d, &o->cell);
    if (o->cell.failed)
        o->text.failed = true;
    else
        copy_put(o, (const char *)o->cell.data, o->cell.len);
}

static int copy_flush(struct copy_out *o, struct dn_err *err)
{
    int rc = o->text.failed ? DN_FAIL_NOMEM(err)
                            : hostfile_write(o->file, o->text.data, o->text.len, err);

    buf_reset(&o->text);
    return rc;
}

static int
copy_batch(struct copy_out *o, const struct batch *b, uint32_t cols_count, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < b->sel_count && rc == 0; i++) {
        uint32_t row = b->sel ? b->sel[i] : i;

        for (uint32_t c = 0; c < cols_count; c++) {
            struct datum d = vec_datum(&b->cols[c], row);

            if (c > 0)
                buf_u8(&o->text, (uint8_t)o->format->delimiter);
            copy_put_value(o, &d);
        }
        buf_u8(&o->text, '\n');
        if (o->text.len >= COPY_OUT_BYTES || o->text.failed)
            rc = copy_flush(o, err);
    }
    return rc;
}

/* One batch after the other; ret counts the rows. */
static int copy_rows(struct dendro_stmt *stmt, struct copy_out *o, struct dn_err *err)
{
    const struct plan *plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    uint32_t count = plan->cols_count;
    struct batch b;
    int rc = 0;

    for (uint32_t i = 0; stmt->copy.header != LOAD_HEADER_NO && i < count; i++) {
        if (i > 0)
            buf_u8(&o->text, (uint8_t)o->format->delimiter);
        copy_put(o, plan->cols[i].name, strlen(plan->cols[i].name));
    }
    if (stmt->copy.header != LOAD_HEADER_NO)
        buf_u8(&o->text, '\n');
    while (rc == 0) {
        rc = exec_next(stmt->root, &b, err);
        if (rc == 0)
            rc = copy_batch(o, &b, count, err);
        if (rc == 0)
            stmt->rows_count += b.sel_count;
    }
    return rc == DN_EOF ? copy_flush(o, err) : rc;
}

static int copy_to(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct copy_out o = {.format = &stmt->copy.format};
    int closed;
    int rc = stmt_begin(stmt, stmt->ast->explained, err);

    if (rc == 0)
        rc = exec_open(stmt->run_plan ? stmt->run_plan : stmt->plan, &stmt->ctx, &stmt->root, err);
    if (rc < 0)
        return rc;
    rc = hostfile_create(ast->file, &o.file, err);
    if (rc < 0) {
        dn_err_at(err, ast->file_pos);
        return rc;
    }
    buf_init(&o.text, &stmt->owner);
    buf_init(&o.cell, &stmt->owner);
    rc = copy_rows(stmt, &o, err);
    buf_done(&o.text);
    buf_done(&o.cell);
    closed = hostfile_close(o.file, rc == 0 ? err : NULL);
    exec_close(stmt->root); /* no row of it is the statement's */
    stmt->root = NULL;
    return rc < 0 ? rc : closed;
}

int stmt_run_copy(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt->ast->copy->from ? copy_from(stmt, err) : copy_to(stmt, err);
}

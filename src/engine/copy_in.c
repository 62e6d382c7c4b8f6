/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_in.c: COPY … FROM: the rows of a text, csv or binary stream into a table, all of them or
 * none. Values are checked as those of an INSERT; errors name line (in binary: row) and column. */
#include "engine/engine_int.h"

#include "engine/copy.h"
#include "engine/csv_value.h"
#include "engine/intake_bulk.h"
#include "func/text.h"
#include "func/text_wire.h"

#include <inttypes.h>

#define BIN_SIGNATURE     "PGCOPY\n\377\r\n" /* and its NUL */
#define BIN_SIGNATURE_LEN 11u
#define BIN_HEAD          (BIN_SIGNATURE_LEN + 8u)
#define BIN_OIDS          (1u << 16)
#define BIN_CRITICAL      0xffff0000u
#define BIN_FIELD_MAX     (64u * 1024 * 1024)

struct copy_in {
    struct dendro_stmt *stmt;
    struct csv_source *source;
    struct intake_bulk bulk;
    struct arena scratch; /* of one row */
    struct vec *row;      /* by table column, those that WHERE names; of the statement */
    const struct func_session *session; /* how values are read */
    struct func_session own;            /* that, if DATES says otherwise than the session */
};

static const struct column *in_column(const struct copy_in *in, uint32_t i)
{
    const struct intake_target *to = &in->stmt->insert;

    return &to->table->columns[to->cols[i]];
}

static int in_blame(const struct copy_in *in,
                    const char *what,
                    uint64_t line,
                    uint32_t i,
                    int rc,
                    struct dn_err *err)
{
    if (rc == DN_E_NOMEM || rc == DN_E_CANCELED)
        return rc;
    if (i < in->stmt->insert.cols_count)
        dn_err_prefix(err, "%s %" PRIu64 ", column \"%s\"", what, line, in_column(in, i)->name);
    else
        dn_err_prefix(err, "%s %" PRIu64, what, line);
    return rc;
}

static int in_put(struct copy_in *in, uint32_t i, const struct intake_value *v, struct dn_err *err)
{
    const struct intake_target *to = &in->stmt->insert;
    struct datum d;
    int rc = intake_assign(to->table, to->cols[i], v, in->session, &in->scratch, &d, err);

    if (rc == 0 && in->row && in->stmt->copy.used[to->cols[i]]) {
        d.type = in_column(in, i)->type; /* of NULL, too */
        if (!vec_make_const(&in->scratch, &d, 1, &in->row[to->cols[i]]))
            rc = DN_FAIL_NOMEM(err);
    }
    return rc < 0 ? rc : intake_put(in->bulk.rows, to->cols[i], &d, err);
}

/* ---- WHERE ---- */

/* Columns that get no value are their DEFAULT. */
static int in_unlisted(struct copy_in *in, struct dn_err *err)
{
    const struct intake_target *to = &in->stmt->insert;
    struct datum d;
    int rc = 0;

    for (uint16_t i = 0; rc == 0 && i < to->table->columns_count; i++) {
        if (to->listed[i] || !in->stmt->copy.used[i])
            continue;
        rc = intake_default(to, i, &in->bulk.rows->run, &in->scratch, &d, err);
        d.type = to->table->columns[i].type;
        if (rc == 0 && !vec_make_const(&in->scratch, &d, 1, &in->row[i]))
            rc = DN_FAIL_NOMEM(err);
    }
    return rc;
}

/* 1: the row that was begun is to be kept. */
static int in_wanted(struct copy_in *in, struct dn_err *err)
{
    const struct intake_run *run = &in->bulk.rows->run;
    struct eval ev = {.arena = &in->scratch, .now_ns = run->now_ns, .session = run->session};
    struct batch one = {.count = 1,
                        .sel_count = 1,
                        .cols_count = in->stmt->insert.table->columns_count,
                        .cols = in->row};
    struct vec v;
    int rc;

    if (!in->row)
        return 1;
    rc = in_unlisted(in, err);
    if (rc == 0)
        rc = expr_eval(in->stmt->copy.where, &ev, &one, &v, err);
    return rc < 0 ? rc : !vec_is_null(&v, 0) && vec_i64(&v, 0) != 0;
}

/* The end of a row, if it is wanted. */
static int
in_row(struct copy_in *in, const char *what, uint64_t n, size_t bytes, struct dn_err *err)
{
    int rc = in_wanted(in, err);

    if (rc == 1)
        intake_end_row(in->bulk.rows);
    else
        intake_undo_row(in->bulk.rows);
    arena_reset(&in->scratch);
    if (rc < 0)
        return in_blame(in, what, n, UINT32_MAX, rc, err);
    return rc == 1 ? intake_bulk_row(&in->bulk, bytes, err) : 0;
}

/* ---- text and csv ---- */

static int in_header(const struct copy_in *in, const struct copy_lines *l, struct dn_err *err)
{
    const struct intake_target *to = &in->stmt->insert;

    if (!in->stmt->copy.match)
        return 0;
    if (l->fields_count != to->cols_count)
        return DN_FAIL(err,
                       DN_E_BAD_COPY,
                       "wrong number of fields in header line: got %u, expected %u",
                       l->fields_count,
                       to->cols_count);
    for (uint32_t i = 0; i < l->fields_count; i++) {
        const char *name = in_column(in, i)->name;
        const struct copy_field *f = &l->fields[i];

        if (f->null || f->text.len != strlen(name) || memcmp(f->text.ptr, name, f->text.len) != 0)
            return DN_FAIL(err,
                           DN_E_BAD_COPY,
                           "column name mismatch in header line field %u: got \"%.*s\", expected "
                           "\"%s\"",
                           i + 1,
                           f->null ? 0 : (int)(f->text.len < 100 ? f->text.len : 100),
                           f->text.ptr,
                           name);
    }
    return 0;
}

/* A number with a decimal comma, as one with a point. */
static int in_comma(struct copy_in *in, uint32_t i, struct vstr *text, struct dn_err *err)
{
    char *to;
    size_t n;

    if (!in->stmt->copy.format.comma || !type_is_number(in_column(in, i)->type) || text->len == 0)
        return 0;
    to = arena_alloc(&in->scratch, text->len);
    if (!to)
        return DN_FAIL_NOMEM(err);
    n = csv_read_comma(text->ptr, text->len, to);
    if (n == 0)
        return DN_FAIL(err,
                       DN_E_BAD_TEXT,
                       "\"%.*s\" is no number with a decimal comma",
                       text->len < 100 ? (int)text->len : 100,
                       text->ptr);
    *text = (struct vstr){.ptr = to, .len = (uint32_t)n};
    return 0;
}

static int in_line(struct copy_in *in, const struct copy_lines *l, struct dn_err *err)
{
    uint32_t cols = in->stmt->insert.cols_count;
    int rc = 0;

    if (l->fields_count > cols)
        rc = DN_FAIL(err, DN_E_BAD_COPY, "extra data after last expected column");
    else if (l->fields_count < cols)
        rc = DN_FAIL(err,
                     DN_E_BAD_COPY,
                     "missing data for column \"%s\"",
                     in_column(in, l->fields_count)->name);
    if (rc < 0)
        return in_blame(in, "line", l->line, UINT32_MAX, rc, err);
    intake_begin_row(in->bulk.rows);
    for (uint32_t i = 0; i < cols; i++) {
        struct intake_value v = {
            .d = {.type = TYPE_VARCHAR, .null = l->fields[i].null, .str = l->fields[i].text},
            .untyped = true};

        rc = v.d.null ? 0 : in_comma(in, i, &v.d.str, err);
        if (rc == 0)
            rc = in_put(in, i, &v, err);
        if (rc < 0)
            return in_blame(in, "line", l->line, i, rc, err);
    }
    return in_row(in, "line", l->line, l->text.len + (size_t)cols * sizeof(struct vstr), err);
}

static int in_lines(struct copy_in *in, struct dn_err *err)
{
    const struct stmt_copy *copy = &in->stmt->copy;
    struct copy_lines l;
    int rc = 0;

    copy_lines_init(&l, copy, in->source, &in->stmt->owner);
    l.flags_count = in->stmt->insert.cols_count;
    l.no_columns = l.flags_count == 0;
    l.not_null = copy->not_null.fields;
    l.force_null = copy->null.fields;
    /* AUTO: a line without names has all names of no columns. */
    if (copy->header == LOAD_HEADER_YES || (copy->header == LOAD_HEADER_AUTO && l.no_columns)) {
        rc = copy_lines_next(&l, err);
        if (rc == 0)
            rc = in_header(in, &l, err);
        if (rc < 0)
            rc = in_blame(in, "line", l.line, UINT32_MAX, rc, err);
    }
    while (rc == 0) {
        rc = copy_lines_next(&l, err);
        if (rc < 0)
            rc = in_blame(in, "line", l.line, UINT32_MAX, rc, err);
        if (rc == 0)
            rc = in_line(in, &l, err);
    }
    copy_lines_done(&l);
    return rc == DN_EOF ? 0 : rc;
}

/* ---- binary ---- */

/* Exactly so many bytes; DN_EOF: none at all. */
static int in_exact(struct copy_in *in, void *to, size_t len, struct dn_err *err)
{
    size_t n;
    int rc = csv_source_read(in->source, to, len, &n, err);

    if (rc < 0 || n == len)
        return rc;
    return n == 0 ? DN_EOF : DN_FAIL(err, DN_E_BAD_COPY, "unexpected EOF in COPY data");
}

static int in_binary_head(struct copy_in *in, struct dn_err *err)
{
    uint8_t head[BIN_HEAD];
    uint8_t more[256];
    uint32_t flags;
    uint32_t left;
    int rc = in_exact(in, head, sizeof head, err);

    if (rc == DN_EOF || (rc == 0 && memcmp(head, BIN_SIGNATURE, BIN_SIGNATURE_LEN) != 0) ||
        rc == DN_E_BAD_COPY)
        return DN_FAIL(err, DN_E_BAD_COPY, "COPY file signature not recognized");
    if (rc < 0)
        return rc;
    flags = be_get32(head + BIN_SIGNATURE_LEN);
    left = be_get32(head + BIN_SIGNATURE_LEN + 4);
    if (flags & BIN_OIDS)
        return DN_FAIL(err, DN_E_BAD_COPY, "invalid COPY file header (WITH OIDS)");
    if (flags & BIN_CRITICAL)
        return DN_FAIL(err, DN_E_BAD_COPY, "unrecognized critical flags in COPY file header");
    if (left > INT32_MAX)
        return DN_FAIL(err, DN_E_BAD_COPY, "invalid COPY file header (wrong length)");
    while (left > 0) {
        uint32_t n = left < sizeof more ? left : (uint32_t)sizeof more;

        rc = in_exact(in, more, n, err);
        if (rc == DN_EOF)
            rc = DN_FAIL(err, DN_E_BAD_COPY, "invalid COPY file header (wrong length)");
        if (rc < 0)
            return rc;
        left -= n;
    }
    return 0;
}

/* A user type comes by its label. */
static int in_binary_value(
    struct copy_in *in, const uint8_t *bytes, uint32_t len, struct datum *ret, struct dn_err *err)
{
    struct vstr text = {(const char *)bytes, len};

    if (TYPE_NUMBER(ret->type) && type_is_array(ret->type))
        return DN_FAIL(err, DN_E_UNSUPPORTED, "arrays of user types have no binary form");
    return type_is_enum(ret->type)
               ? text_parse_in(&in->stmt->conn->functions, ret->type, text, &in->scratch, ret, err)
               : text_wire_get(ret->type, bytes, len, &in->scratch, ret, err);
}

static int in_binary_field(struct copy_in *in, uint32_t i, size_t *ret_bytes, struct dn_err *err)
{
    struct intake_value v = {.d = {.type = in_column(in, i)->type, .null = true}};
    uint8_t head[4];
    uint32_t len;
    uint8_t *bytes;
    int rc = in_exact(in, head, sizeof head, err);

    if (rc == DN_EOF)
        return DN_FAIL(err, DN_E_BAD_COPY, "unexpected EOF in COPY data");
    if (rc < 0)
        return rc;
    len = be_get32(head);
    if (len != UINT32_MAX) {
        if (len > BIN_FIELD_MAX)
            return DN_FAIL(err, DN_E_BAD_COPY, "invalid field size");
        bytes = arena_alloc(&in->scratch, len + 1u);
        if (!bytes)
            return DN_FAIL_NOMEM(err);
        rc = in_exact(in, bytes, len, err);
        if (rc == DN_EOF && len > 0)
            rc = DN_FAIL(err, DN_E_BAD_COPY, "unexpected EOF in COPY data");
        if (rc < 0)
            return rc;
        rc = in_binary_value(in, bytes, len, &v.d, err);
        if (rc < 0)
            return rc;
        *ret_bytes += len;
    }
    return in_put(in, i, &v, err);
}

static int in_binary_row(struct copy_in *in, uint64_t row, struct dn_err *err)
{
    uint32_t cols = in->stmt->insert.cols_count;
    size_t bytes = cols * sizeof(struct vstr);
    uint8_t head[2];
    uint32_t n;
    int rc = in_exact(in, head, sizeof head, err);

    if (rc != 0)
        return rc; /* PostgreSQL too takes an end without the trailer */
    n = be_get16(head);
    if (n == 0xffff) { /* the trailer */
        rc = in_exact(in, head, 1, err);
        return rc == 0 ? DN_FAIL(err, DN_E_BAD_COPY, "received copy data after EOF marker") : rc;
    }
    if (n != cols) {
        rc = DN_FAIL(err, DN_E_BAD_COPY, "row field count is %u, expected %u", n, cols);
        return in_blame(in, "row", row, UINT32_MAX, rc, err);
    }
    intake_begin_row(in->bulk.rows);
    for (uint32_t i = 0; i < cols; i++) {
        rc = in_binary_field(in, i, &bytes, err);
        if (rc < 0)
            return in_blame(in, "row", row, i, rc, err);
    }
    return in_row(in, "row", row, bytes, err);
}

static int in_binary(struct copy_in *in, struct dn_err *err)
{
    int rc = in_binary_head(in, err);

    for (uint64_t row = 1; rc == 0; row++)
        rc = in_binary_row(in, row, err);
    return rc == DN_EOF ? 0 : rc;
}

/* ---- the whole ---- */

int copy_run_in(struct dendro_stmt *stmt,
                const struct copy_reader *from,
                uint64_t *ret_rows,
                struct dn_err *err)
{
    struct copy_in in = {.stmt = stmt,
                         .bulk = {.conn = stmt->conn, .to = &stmt->insert, .owner = &stmt->owner}};
    int rc = csv_source_open(
        from->read, from->arg, stmt->copy.format.encoding, &stmt->owner, &in.source, err);

    if (rc < 0)
        return rc;
    in.session = stmt->insert.session;
    if (stmt->copy.format.dates > 0) {
        in.own = in.session ? *in.session : (struct func_session){.date_first = 0};
        in.own.date_first = (enum date_first)(stmt->copy.format.dates - 1);
        in.session = &in.own;
    }
    arena_init(&in.scratch, &stmt->owner);
    if (stmt->copy.where)
        in.row = arena_calloc(&stmt->run, stmt->insert.table->columns_count, sizeof(*in.row));
    rc = stmt->copy.where && !in.row ? DN_FAIL_NOMEM(err) : 0;
    if (rc == 0)
        rc = intake_bulk_begin(&in.bulk, err);
    if (rc == 0)
        rc = stmt->copy.kind == COPY_BINARY ? in_binary(&in, err) : in_lines(&in, err);
    if (rc == 0)
        rc = intake_bulk_end(&in.bulk, err);
    if (rc == 0)
        *ret_rows = in.bulk.count;
    intake_bulk_done(&in.bulk);
    arena_done(&in.scratch);
    csv_source_close(in.source);
    return rc;
}

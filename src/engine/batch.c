/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.c: dendro_step_batch: the rest of the batch that the current row is in, column by column.
 * What lies side by side is handed out as it is; the rest is copied to stmt->texts, which is reset
 * with the next row. */
#include "engine/engine_int.h"

#include "func/text.h"

#include <stddef.h>

#define BATCH_ROWS_MAX 1024u /* as dendro.h says */

_Static_assert(VEC_ROWS_MAX <= BATCH_ROWS_MAX, "dendro.h promises batches of up to 1024 rows");
_Static_assert(sizeof(struct dendro_text) == sizeof(struct vstr) &&
                   offsetof(struct dendro_text, ptr) == offsetof(struct vstr, ptr) &&
                   offsetof(struct dendro_text, len) == offsetof(struct vstr, len),
               "dendro_text is a vstr");
_Static_assert(sizeof(struct dendro_interval) == sizeof(struct vinterval) &&
                   offsetof(struct dendro_interval, us) == offsetof(struct vinterval, us) &&
                   offsetof(struct dendro_interval, days) == offsetof(struct vinterval, days) &&
                   offsetof(struct dendro_interval, months) == offsetof(struct vinterval, months),
               "dendro_interval is a vinterval");

/* The rows of the batch from the current one on. */
struct batch_rows {
    uint32_t first;      /* they are side by side from here on, if sel is NULL */
    const uint16_t *sel; /* else these */
    uint32_t count;
};

static struct batch_rows batch_rest(const struct dendro_stmt *stmt)
{
    const struct batch *b = &stmt->batch;
    struct batch_rows r = {.first = stmt->row, .count = b->sel_count - stmt->row};

    if (!b->sel)
        return r;
    r.sel = b->sel + stmt->row;
    r.first = r.sel[0];
    if ((uint32_t)r.sel[r.count - 1] - r.first + 1 == r.count)
        r.sel = NULL;
    return r;
}

/* NUMERIC, arrays and the like have no C type of their own: each value as text. */
static bool batch_texts(struct dendro_stmt *stmt, const struct vec *v, struct dendro_column *col)
{
    struct dendro_text *texts = arena_calloc(&stmt->texts, v->count, sizeof(*texts));
    struct buf b;
    bool ok = texts != NULL;

    buf_init(&b, &stmt->owner);
    for (uint32_t i = 0; ok && i < v->count; i++) {
        struct datum d = vec_datum(v, i);

        if (d.null)
            continue;
        buf_reset(&b);
        text_print_in(&stmt->conn->functions, &d, &b);
        texts[i].ptr = b.failed ? NULL : arena_strndup(&stmt->texts, (const char *)b.data, b.len);
        texts[i].len = (uint32_t)b.len;
        ok = texts[i].ptr != NULL;
    }
    buf_done(&b);
    col->values = texts;
    return ok;
}

static bool batch_column(struct dendro_stmt *stmt,
                         const struct vec *v,
                         const struct batch_rows *r,
                         struct dendro_column *ret)
{
    struct arena *arena = &stmt->texts;
    struct vec part = *v;
    struct vec flat;

    if (!r->sel && (r->first > 0 || r->count < v->count) &&
        !vec_slice(arena, v, r->first, r->count, &part))
        return false;
    if (r->sel || part.form != VEC_FLAT) {
        if (!vec_flatten(arena, r->sel ? v : &part, r->sel, r->count, &flat))
            return false;
        part = flat;
    }
    ret->type = (enum dendro_type)TYPE_BASE(v->type);
    ret->values = part.data;
    ret->nulls = part.nulls;
    if (v->type == TYPE_NUMERIC || v->type == TYPE_TIMETZ || type_is_array(v->type) ||
        type_is_enum(v->type) || v->type == TYPE_INT2VECTOR || v->type == TYPE_OIDVECTOR ||
        v->type == TYPE_EXPANDED) {
        part.count = r->count;
        return batch_texts(stmt, &part, ret);
    }
    return true;
}

/* A column of a result that is a list of cells (SHOW, DESCRIBE, EXPLAIN). */
static bool batch_cells(struct dendro_stmt *stmt, size_t col, uint32_t count, struct vec *ret)
{
    const struct datum *cells = stmt->rows.cells + stmt->row * stmt->rows.cols_count + col;
    struct colbuf buf;
    bool ok = true;

    colbuf_init(&buf, stmt->cols[col].type, &stmt->owner, &stmt->texts);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = colbuf_append(&buf, &cells[i * stmt->rows.cols_count]);
    if (ok) {
        struct vec v = colbuf_vec(&buf, 0, count);

        ok = vec_flatten(&stmt->texts, &v, NULL, count, ret);
    }
    colbuf_done(&buf);
    return ok;
}

static uint32_t batch_cells_left(const struct dendro_stmt *stmt)
{
    size_t left = stmt->rows.rows_count - stmt->row;

    return left < BATCH_ROWS_MAX ? (uint32_t)left : BATCH_ROWS_MAX;
}

static void batch_took(struct dendro_stmt *stmt, uint32_t count)
{
    stmt->rows_count += count - 1; /* the first was counted by the step */
    stmt->row += count - 1;
}

static int batch_fill(struct dendro_stmt *stmt, struct dendro_batch *ret, struct dn_err *err)
{
    struct dendro_column *columns = arena_calloc(&stmt->texts, stmt->cols_count, sizeof(*columns));
    struct batch_rows r = {.count = 0};
    bool ok = columns != NULL;

    if (stmt->root)
        r = batch_rest(stmt);
    else
        r.count = batch_cells_left(stmt);
    for (uint32_t c = 0; ok && c < stmt->cols_count; c++) {
        struct vec flat;

        if (stmt->root) {
            ok = batch_column(stmt, &stmt->batch.cols[c], &r, &columns[c]);
            continue;
        }
        ok = batch_cells(stmt, c, r.count, &flat);
        if (ok)
            columns[c] = (struct dendro_column){
                .type = (enum dendro_type)flat.type, .values = flat.data, .nulls = flat.nulls};
    }
    if (!ok)
        return DN_FAIL_NOMEM(err);
    *ret = (struct dendro_batch){
        .rows = r.count, .columns_count = (int)stmt->cols_count, .columns = columns};
    batch_took(stmt, r.count);
    return 0;
}

int engine_step_rows(dendro_stmt *stmt, struct engine_rows *ret, struct dendro_error *err)
{
    struct batch_rows r = {.count = 0};
    struct vec *cols;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    *ret = (struct engine_rows){.count = 0};
    rc = stmt_step(stmt, &e);
    if (rc != DENDRO_ROW)
        return engine_return(err, &e, rc);
    if (stmt->root) {
        r = batch_rest(stmt);
        *ret = (struct engine_rows){
            .cols = stmt->batch.cols, .sel = r.sel, .first = r.first, .count = r.count};
    } else {
        r.count = batch_cells_left(stmt);
        cols = arena_calloc(&stmt->texts, stmt->cols_count, sizeof(*cols));
        for (uint32_t c = 0; cols && c < stmt->cols_count; c++)
            if (!batch_cells(stmt, c, r.count, &cols[c]))
                cols = NULL;
        if (!cols) {
            stmt_stop(stmt);
            return engine_return(err, &e, DN_FAIL_NOMEM(&e));
        }
        *ret = (struct engine_rows){.cols = cols, .count = r.count};
    }
    ret->cols_count = stmt->cols_count;
    batch_took(stmt, r.count);
    return engine_return(err, &e, rc);
}

int dendro_step_batch(dendro_stmt *stmt, struct dendro_batch *ret, struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!stmt || !ret)
        return engine_return(
            err,
            &e,
            DN_FAIL(&e, DN_E_MISUSE, "dendro_step_batch: no statement or no place for the rows"));
    *ret = (struct dendro_batch){.rows = 0};
    rc = stmt_step(stmt, &e);
    if (rc == DENDRO_ROW) {
        int filled = batch_fill(stmt, ret, &e);

        if (filled < 0) {
            stmt_stop(stmt);
            rc = filled;
        }
    }
    return engine_return(err, &e, rc);
}

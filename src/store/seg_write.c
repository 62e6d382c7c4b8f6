/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_write.c: rows in, blocks and groups out.
 *
 * The rows of a batch are looked at run by run; columns are copied in as large pieces as blocks
 * allow (a run's end is no reason to copy). Blocks end
 *   W1  when a run of SEG_LONG_RUN rows or more ends: its blocks hold nothing else;
 *   W2  before the first row of such a run, which is known only when the run has got that long:
 *       the block ends before it and its rows so far are carried over into the next;
 *   W3  when full: before the current run if it began inside the block, so a short run is never
 *       split, else right there.
 * Hence a block is either a piece of one long run or a number of whole short ones. */
#include "store/seg_writer.h"

#define SEG_ROWS_CAP_FIRST 64u

/* ---- blocks and groups ---- */

/* Room for all rows of the block in every column. */
static bool seg_reserve(struct seg_writer *w)
{
    uint32_t cap = w->rows_cap ? w->rows_cap : SEG_ROWS_CAP_FIRST;

    if (w->block_rows <= w->rows_cap)
        return true;
    while (cap < w->block_rows)
        cap *= 4;
    if (cap > SEG_BLOCK_ROWS)
        cap = SEG_BLOCK_ROWS;
    for (uint32_t i = 0; i < w->cols_count; i++)
        if (!seg_col_reserve(&w->cols[i], w->owner, w->rows_cap, cap))
            return false;
    w->rows_cap = cap;
    return true;
}

/* Copies what the block has of the batch. */
static int seg_copy_batch(struct seg_writer *w, struct dn_err *err)
{
    uint32_t n = w->batch_to - w->batch_from;

    if (n == 0)
        return 0;
    if (!seg_reserve(w))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < w->cols_count; i++) {
        struct seg_wcol *c = &w->cols[i];

        if (!seg_col_append(c, &w->batch[c->store_col], w->batch_from, n, w->block_rows - n))
            return DN_FAIL_NOMEM(err);
    }
    w->batch_from = w->batch_to;
    return 0;
}

static int seg_group_end(struct seg_writer *w, struct dn_err *err)
{
    struct datum blocks = {.type = TYPE_INTEGER, .v.i64 = w->group_blocks};

    if (w->group_blocks == 0)
        return 0;
    for (uint32_t i = 0; i < w->cols_count; i++) {
        int rc = seg_col_group(w, &w->cols[i], err);

        if (rc < 0)
            return rc;
    }
    if (!colbuf_append(&w->d_group_blocks, &blocks))
        return DN_FAIL_NOMEM(err);
    w->groups++;
    w->group_blocks = 0;
    w->group_rows = 0;
    return 0;
}

/* The hidden columns of a finished block: what the directory and the meta data say of them. */
static int seg_block_hidden(struct seg_writer *w, uint32_t rows, struct dn_err *err)
{
    const struct seg_wcol *hidden = &w->cols[w->cols_count - HIDDEN_MAX];
    const struct seg_zone *seq = &hidden[HIDDEN_SEQ].blocks[w->group_blocks].zone;
    const struct seg_zone *op = &hidden[HIDDEN_OP].blocks[w->group_blocks].zone;
    const struct seg_zone *expiry = &hidden[HIDDEN_EXPIRY].blocks[w->group_blocks].zone;
    const struct seg_zone *rowid = &hidden[HIDDEN_ROWID].blocks[w->group_blocks].zone;
    const int16_t *ops = (const int16_t *)(const void *)hidden[HIDDEN_OP].data;
    struct datum rows_datum = {.type = TYPE_INTEGER, .v.i64 = rows};
    struct datum seq_min = seg_zone_min(seq);
    struct datum seq_max = seg_zone_max(seq);
    struct seg_meta *m = &w->meta;
    unsigned seen = 0;

    if (seq->nulls || op->nulls || rowid->nulls || seq->min.i64 < 0 || op->min.i64 < 0 ||
        op->max.i64 >= ROW_OP_MAX || rowid->min.i64 < 0)
        return DN_FAIL(err, DN_E_INTERNAL, "rows without sequence, operation or row id");
    for (uint32_t i = 0; i < rows; i++)
        seen |= 1u << ops[i];
    m->has_patch |= (seen >> ROW_PATCH & 1) != 0;
    m->has_delete |= (seen >> ROW_DELETE & 1) != 0;
    m->has_expiry |= expiry->nulls < expiry->rows;
    if ((uint64_t)seq->min.i64 < m->seq_min)
        m->seq_min = (uint64_t)seq->min.i64;
    if ((uint64_t)seq->max.i64 > m->seq_max)
        m->seq_max = (uint64_t)seq->max.i64;
    if (w->table->form == KEY_NONE && (uint64_t)rowid->max.i64 > m->rowid_max)
        m->rowid_max = (uint64_t)rowid->max.i64;
    if (!colbuf_append(&w->d_rows, &rows_datum) || !colbuf_append(&w->d_seq_min, &seq_min) ||
        !colbuf_append(&w->d_seq_max, &seq_max))
        return DN_FAIL_NOMEM(err);
    m->blocks++;
    return 0;
}

/* The first `rows` rows in the buffers become a block, the others begin the next one. */
static int seg_block_end(struct seg_writer *w, uint32_t rows, struct dn_err *err)
{
    int rc = seg_copy_batch(w, err);

    if (rc == 0 && (w->group_blocks == SEG_GROUP_BLOCKS || w->group_rows + rows > SEG_GROUP_ROWS))
        rc = seg_group_end(w, err);
    if (rc == 0)
        rc = seg_turns_block(w, rows, err);
    for (uint32_t i = 0; i < w->cols_count && rc == 0; i++)
        if (&w->cols[i] != w->guide)
            rc = seg_col_block(w, &w->cols[i], rows, err);
    if (rc == 0)
        rc = seg_block_hidden(w, rows, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < w->cols_count; i++)
        if (!seg_col_carry(&w->cols[i], rows, w->block_rows))
            return DN_FAIL_NOMEM(err);
    w->group_block_rows[w->group_blocks++] = rows;
    w->group_rows += rows;
    w->block_rows -= rows;
    w->run_start = 0;
    return 0;
}

/* ---- runs ---- */

static bool seg_put_run(struct colbuf *c, int64_t x)
{
    struct datum d = {.type = c->type, .v.i64 = x};

    return colbuf_append(c, &d);
}

/* The current run has all its rows. */
static int seg_run_close(struct seg_writer *w, struct dn_err *err)
{
    struct seg_meta *m = &w->meta;

    if (w->run_rows == 0 || w->table->time_col < 0)
        return 0;
    if (!seg_put_run(&w->run_time_min, w->run_tmin) || !seg_put_run(&w->run_time_max, w->run_tmax))
        return DN_FAIL_NOMEM(err);
    m->time_min = w->run_tmin < m->time_min ? w->run_tmin : m->time_min;
    m->time_max = w->run_tmax > m->time_max ? w->run_tmax : m->time_max;
    return 0;
}

static void seg_span(int64_t v, int64_t *min, int64_t *max)
{
    *min = v < *min ? v : *min;
    *max = v > *max ? v : *max;
}

/* Tables laid out by value keep in the place of tokens that of the first column of the key, of
 * which the rows are in order. */
static void seg_span_places(struct seg_writer *w, const struct vec *cols, uint32_t count)
{
    const struct vec *v = &cols[w->table->rest[0].col];
    struct datum first = vec_datum(v, 0);
    struct datum last = vec_datum(v, count - 1);

    seg_span(datum_place(&first), &w->meta.token_min, &w->meta.token_max);
    seg_span(datum_place(&last), &w->meta.token_min, &w->meta.token_max);
}

static int seg_run_open(
    struct seg_writer *w, const struct vec *cols, uint32_t row, int64_t token, struct dn_err *err)
{
    const struct table *t = w->table;
    struct seg_meta *m = &w->meta;
    int64_t slab = rows_slab(t, cols, row);
    int64_t end;

    if ((uint64_t)(w->run_first.count + 1) * (SEG_RUN_ARRAYS + t->series_count) > SEG_RUN_CELLS_MAX)
        return DN_FAIL(err, DN_E_INTERNAL, "more than %u runs in one segment", w->run_first.count);
    if (!seg_put_run(&w->run_first, (int64_t)w->rows) || !seg_put_run(&w->run_token, token) ||
        !seg_put_run(&w->run_slab, slab))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < t->series_count; i++) {
        struct datum d = vec_datum(&cols[t->series[i]], row);

        if (!colbuf_append(&w->run_series[i], &d))
            return DN_FAIL_NOMEM(err);
    }
    m->runs++;
    m->slab_min = slab < m->slab_min ? slab : m->slab_min;
    m->slab_max = slab > m->slab_max ? slab : m->slab_max;
    if (!t->by_value)
        seg_span(token, &m->token_min, &m->token_max);
    w->slab_from = INT64_MIN;
    w->slab_to = INT64_MAX;
    if (t->time_col >= 0) {
        end = table_slab_end(t, slab);
        w->slab_from = slab;
        w->slab_to = end == INT64_MAX && table_slab(t, INT64_MAX) == slab ? end : end - 1;
    }
    w->run_rows = 0;
    w->run_tmin = INT64_MAX;
    w->run_tmax = INT64_MIN;
    return 0;
}

/* Row `row` may begin another run: it differs from the row before, or begins a batch. */
static int
seg_run_check(struct seg_writer *w, const struct vec *cols, uint32_t row, struct dn_err *err)
{
    struct buf swap;
    int64_t token;
    int order = 1;
    int rc;

    buf_reset(&w->prefix_next);
    token = rows_key_prefix(w->table, cols, row, &w->token_scratch, &w->prefix_next);
    if (w->prefix_next.failed)
        return DN_FAIL_NOMEM(err);
    if (w->rows) {
        size_t n = w->prefix.len < w->prefix_next.len ? w->prefix.len : w->prefix_next.len;

        order = memcmp(w->prefix_next.data, w->prefix.data, n);
        if (order == 0 && w->prefix.len == w->prefix_next.len)
            return 0;
    }
    if (order <= 0)
        return DN_FAIL(err,
                       DN_E_INTERNAL,
                       "rows of a segment out of order at row %llu",
                       (unsigned long long)w->rows);
    rc = seg_run_close(w, err);
    if (rc < 0)
        return rc;
    if (w->run_rows >= SEG_LONG_RUN || w->block_rows == SEG_BLOCK_ROWS) { /* W1, W3 */
        rc = w->block_rows ? seg_block_end(w, w->block_rows, err) : 0;
        if (rc < 0)
            return rc;
    }
    w->run_start = w->block_rows;
    swap = w->prefix;
    w->prefix = w->prefix_next;
    w->prefix_next = swap;
#ifdef DN_DEBUG
    buf_reset(&w->rest);
#endif
    return seg_run_open(w, cols, row, token, err);
}

/* First row of [from, to) whose value is not that of row `base`; to if none. */
static uint32_t seg_same_until(const struct vec *v, uint32_t base, uint32_t from, uint32_t to)
{
    size_t size = phys_size(type_phys(v->type));
    const uint8_t *data = v->data;
    uint32_t first = vec_at(v, base);
    const uint8_t *value = data + first * size;

    if (v->form == VEC_CONST)
        return to;
    for (uint32_t i = from; i < to; i++) {
        uint32_t at = vec_at(v, i);

        if (at != first && !seg_same_value(v->type, data + at * size, value))
            return i;
    }
    return to;
}

/* First row of [from, to) outside the current run's slab. */
static uint32_t
seg_slab_until(const struct seg_writer *w, const struct vec *v, uint32_t from, uint32_t to)
{
    const int64_t *x = v->data;

    if (v->form == VEC_CONST)
        return to;
    for (uint32_t i = from; i < to; i++) {
        int64_t time = vec_is_null(v, i) ? 0 : x[vec_at(v, i)];

        if (time < w->slab_from || time > w->slab_to)
            return i;
    }
    return to;
}

/* End of the rows from `row` on that look like its run. Looks ahead in growing steps, so that a
 * column that never changes is not read to the batch's end for each of many short runs. */
static uint32_t
seg_run_until(const struct seg_writer *w, const struct vec *cols, uint32_t row, uint32_t count)
{
    const struct table *t = w->table;
    uint32_t from = row + 1;
    uint32_t step = 16;

    while (from < count) {
        uint32_t to = count - from < step ? count : from + step;
        uint32_t until = to;

        for (uint32_t i = 0; i < t->series_count; i++)
            until = seg_same_until(&cols[t->series[i]], row, from, until);
        if (t->time_col >= 0)
            until = seg_slab_until(w, &cols[t->time_col], from, until);
        if (until < to)
            return until;
        from = to;
        step *= 2;
    }
    return count;
}

static void seg_run_times(struct seg_writer *w, const struct vec *cols, uint32_t from, uint32_t to)
{
    const struct vec *v;
    const int64_t *x;
    int64_t min = w->run_tmin;
    int64_t max = w->run_tmax;

    if (w->table->time_col < 0)
        return;
    v = &cols[w->table->time_col];
    x = v->data;
    for (uint32_t i = from; i < to; i++) {
        int64_t time;

        if (vec_is_null(v, i))
            continue;
        time = x[vec_at(v, i)];
        min = time < min ? time : min;
        max = time > max ? time : max;
    }
    w->run_tmin = min;
    w->run_tmax = max;
}

#ifdef DN_DEBUG
/* Proves that rows of a run ascend; too slow for release builds. */
static int seg_check_order(
    struct seg_writer *w, const struct vec *cols, uint32_t from, uint32_t to, struct dn_err *err)
{
    for (uint32_t i = from; i < to; i++) {
        struct buf swap;
        size_t n;

        buf_reset(&w->rest_next);
        rows_key_rest(w->table, cols, i, &w->rest_next);
        if (w->rest_next.failed)
            return DN_FAIL_NOMEM(err);
        n = w->rest.len < w->rest_next.len ? w->rest.len : w->rest_next.len;
        if ((w->run_rows || i > from) &&
            (n == 0 || memcmp(w->rest.data, w->rest_next.data, n) >= 0))
            return DN_FAIL(err,
                           DN_E_INTERNAL,
                           "rows of a segment out of order at row %llu",
                           (unsigned long long)(w->rows + (i - from)));
        swap = w->rest;
        w->rest = w->rest_next;
        w->rest_next = swap;
    }
    return 0;
}
#endif

/* ---- rows ---- */

/* Rows up to `to` of the batch belong to the current run: place them in blocks. */
static int seg_place(struct seg_writer *w, uint32_t to, struct dn_err *err)
{
    while (w->batch_to < to) {
        uint32_t n = to - w->batch_to;
        uint32_t room = SEG_BLOCK_ROWS - w->block_rows;
        int rc = 0;

        if (room == 0) { /* W3 */
            rc = seg_block_end(w, w->run_start ? w->run_start : w->block_rows, err);
            if (rc < 0)
                return rc;
            continue;
        }
        if (w->run_start && SEG_LONG_RUN - (w->block_rows - w->run_start) < room)
            room = SEG_LONG_RUN - (w->block_rows - w->run_start);
        n = n < room ? n : room;
        w->batch_to += n;
        w->block_rows += n;
        w->run_rows += n;
        w->rows += n;
        if (w->run_start && w->block_rows - w->run_start == SEG_LONG_RUN) /* W2 */
            rc = seg_block_end(w, w->run_start, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int
seg_add_rows(struct seg_writer *w, const struct vec *cols, uint32_t count, struct dn_err *err)
{
    uint32_t row = 0;

    while (row < count) {
        uint32_t until;
        int rc = seg_run_check(w, cols, row, err);

        if (rc < 0)
            return rc;
        until = seg_run_until(w, cols, row, count);
#ifdef DN_DEBUG
        rc = seg_check_order(w, cols, row, until, err);
        if (rc < 0)
            return rc;
#endif
        seg_run_times(w, cols, row, until);
        rc = seg_place(w, until, err);
        if (rc < 0)
            return rc;
        row = until;
    }
    return seg_copy_batch(w, err);
}

int seg_writer_add(struct seg_writer *w, const struct vec *cols, uint32_t count, struct dn_err *err)
{
    int rc;

    if (w->failed)
        return DN_FAIL(err, DN_E_INTERNAL, "a segment writer was used after it failed");
    if (w->rows + count > SEG_ROWS_MAX)
        return DN_FAIL(err, DN_E_INTERNAL, "more than %u rows in one segment", SEG_ROWS_MAX);
    w->batch = cols;
    w->batch_from = 0;
    w->batch_to = 0;
    rc = seg_add_rows(w, cols, count, err);
    if (w->table->by_value && count)
        seg_span_places(w, cols, count);
    w->batch = NULL;
    w->failed = rc < 0;
    return rc;
}

int seg_writer_finish(struct seg_writer *w,
                      struct buf *ret,
                      struct seg_meta *ret_meta,
                      struct dn_err *err)
{
    int rc = 0;

    if (w->failed || w->rows == 0)
        return DN_FAIL(
            err, DN_E_INTERNAL, "a segment writer was used after it failed, or without rows");
    w->failed = true; /* whatever happens, it is used up */
    w->batch_from = 0;
    w->batch_to = 0;
    rc = seg_run_close(w, err);
    if (rc == 0 && w->block_rows)
        rc = seg_block_end(w, w->block_rows, err);
    if (rc == 0)
        rc = seg_group_end(w, err);
    if (rc < 0)
        return rc;
    w->meta.rows = w->rows;
    if (w->table->time_col < 0) {
        w->meta.time_min = INT64_MIN;
        w->meta.time_max = INT64_MAX;
    }
    rc = seg_write_footer(w, err);
    if (rc < 0)
        return rc;
    w->meta.bytes = w->out.len;
    buf_append(ret, w->out.data, w->out.len);
    if (ret->failed)
        return DN_FAIL_NOMEM(err);
    *ret_meta = w->meta;
    return 0;
}

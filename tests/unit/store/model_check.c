/* SPDX-License-Identifier: Apache-2.0
 *
 * model_check.c: a segment against the model, naively. */
#include "model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static bool in_rest(const struct table *t, uint32_t col)
{
    for (uint32_t i = 0; i < t->rest_count; i++)
        if (t->rest[i].col == col)
            return true;
    return false;
}

/* Is there a row in [from, to) of the model with this value as the extreme? */
static void check_range(const struct model *m,
                        uint32_t col,
                        uint32_t from,
                        uint32_t to,
                        const struct zone *z,
                        bool strings_too)
{
    struct datum min = {.null = true};
    struct datum max = {.null = true};
    uint32_t nulls = 0;
    uint32_t absent = 0;
    bool string = type_is_string(m->cols[col].type);

    for (uint32_t i = from; i < to; i++) {
        struct datum d = colbuf_datum(&m->cols[col], i);

        absent += model_absent(m, col, i);
        nulls += d.null;
        if (d.null)
            continue;
        if (min.null || datum_cmp(&d, &min) < 0)
            min = d;
        if (max.null || datum_cmp(&d, &max) > 0)
            max = d;
    }
    assert_int_equal(z->rows, to - from);
    assert_int_equal(z->nulls, nulls);
    assert_int_equal(z->absent, absent);
    if (type_is_wide(m->cols[col].type) && (!strings_too || !in_rest(m->t, col)) && !z->has_range)
        return; /* bounds are kept of blocks, in the key; or of what is constant */
    if (string && (!strings_too || !z->has_range)) {
        /* A range may be missing only where no short string is above the greatest. */
        if (strings_too && !max.null)
            assert_true(max.str.len > 16 && (uint8_t)max.str.ptr[0] == 0xff);
        return;
    }
    assert_int_equal(z->has_range, !min.null);
    if (min.null)
        return;
    assert_true(z->min_exact ? datum_cmp(&z->min, &min) == 0 : datum_cmp(&z->min, &min) < 0);
    assert_true(z->max_exact ? datum_cmp(&z->max, &max) == 0 : datum_cmp(&z->max, &max) > 0);
    if (string) {
        /* A constant column has no need to cut. */
        assert_true(z->min.str.len <= 16 || vstr_cmp(min.str, max.str) == 0);
        assert_true(z->max.str.len <= 16 || vstr_cmp(min.str, max.str) == 0);
        assert_true(z->min_exact ||
                    (z->min.str.len == 16 && memcmp(z->min.str.ptr, min.str.ptr, 16) == 0));
    } else {
        assert_true(z->min_exact && z->max_exact);
    }
}

static void
check_sum(const struct model *m, uint32_t col, uint32_t from, uint32_t to, const struct zone *z)
{
    enum type_id type = m->cols[col].type;
    long double floats = 0;
    long double size = 0;
    __extension__ __int128 ints = 0;
    uint32_t values = 0;

    for (uint32_t i = from; i < to; i++) {
        struct datum d = colbuf_datum(&m->cols[col], i);

        if (d.null)
            continue;
        values++;
        if (type_is_float(type)) {
            floats += (long double)d.v.f64;
            size += fabsl((long double)d.v.f64);
        } else if (type_is_int(type)) {
            ints += d.v.i64;
        }
    }
    if (!type_is_number(type) || type == TYPE_NUMERIC) {
        assert_false(z->has_sum);
    } else if (type_is_float(type)) {
        assert_int_equal(z->has_sum, values > 0);
        if (z->has_sum)
            assert_true(fabsl(floats - (long double)z->sum.f64) <= size * 1e-12L);
    } else {
        assert_int_equal(z->has_sum, values > 0 && ints >= INT64_MIN && ints <= INT64_MAX);
        if (z->has_sum)
            assert_true(z->sum.i64 == (int64_t)ints);
    }
}

static bool in_series(const struct table *t, uint32_t col)
{
    for (uint32_t i = 0; i < t->series_count; i++)
        if (t->series[i] == col)
            return true;
    return false;
}

static void
check_zones(const struct model *m, const struct seg *s, uint32_t block, const struct seg_block *b)
{
    for (uint32_t c = 0; c < store_cols_count(m->t); c++) {
        struct datum first = colbuf_datum(&m->cols[c], b->first_row);
        struct datum last = colbuf_datum(&m->cols[c], b->first_row + b->rows - 1);
        struct zone z;
        bool known = seg_block_zone(s, block, c, &z);

        assert_int_equal(known, !in_series(m->t, c));
        if (!known)
            continue;
        check_range(m, c, b->first_row, b->first_row + b->rows, &z, true);
        check_sum(m, c, b->first_row, b->first_row + b->rows, &z);
        if (!type_is_fixed(m->cols[c].type)) {
            assert_true(z.first.null && z.first.type == TYPE_NONE);
        } else {
            assert_true(model_same(&z.first, &first));
            assert_true(model_same(&z.last, &last));
        }
        for (uint32_t v = 0; v < b->vectors; v++) {
            uint32_t from = b->first_row + v * 1024;
            uint32_t to = v + 1 == b->vectors ? b->first_row + b->rows : from + 1024;

            assert_true(seg_vector_zone(s, block, v, c, &z));
            check_range(m, c, from, to, &z, false);
            check_sum(m, c, from, to, &z);
        }
    }
}

static void
check_vector(const struct model *m, uint32_t from, const struct vec *vecs, uint32_t rows)
{
    for (uint32_t c = 0; c < store_cols_count(m->t); c++) {
        assert_int_equal(vecs[c].count, rows);
        assert_int_equal(vecs[c].type, m->cols[c].type);
        for (uint32_t i = 0; i < rows; i++) {
            struct datum want = colbuf_datum(&m->cols[c], from + i);
            struct datum have = vec_datum(&vecs[c], i);

            if (!model_same(&want, &have))
                fail_msg("column %u, row %u differs", c, from + i);
            assert_int_equal(vec_bit(vecs[c].absent, vecs[c].form == VEC_CONST ? 0 : i),
                             model_absent(m, c, from + i));
        }
        if (in_series(m->t, c))
            assert_true(vecs[c].form == VEC_CONST || vecs[c].form == VEC_DICT);
    }
}

static void check_rows(const struct model *m, struct seg *s, bool cached)
{
    uint32_t cols_count = store_cols_count(m->t);
    struct vec *vecs = mem_calloc(NULL, cols_count, sizeof *vecs);
    uint32_t *cols = mem_calloc(NULL, cols_count, sizeof *cols);
    struct dn_err err = {0};
    struct seg_pins pins;
    struct arena a;
    uint32_t count;
    const struct seg_block *blocks = seg_get_blocks(s, &count);

    arena_init(&a, NULL);
    seg_pins_init(&pins);
    for (uint32_t c = 0; c < cols_count; c++)
        cols[c] = c;
    for (uint32_t b = 0; b < count; b++) {
        for (uint32_t v = 0; v < blocks[b].vectors; v++) {
            uint32_t left = blocks[b].rows - v * 1024;
            int rc = seg_fetch(s,
                               &(struct seg_select){
                                   .block = b, .vector = v, .cols = cols, .cols_count = cols_count},
                               &a,
                               cached ? &pins : NULL,
                               vecs,
                               &err);

            if (rc < 0)
                fail_msg("%s", err.text);
            check_vector(m, blocks[b].first_row + v * 1024, vecs, left < 1024 ? left : 1024);
            seg_pins_release(&pins);
            arena_reset(&a);
        }
        check_zones(m, s, b, &blocks[b]);
    }
    seg_pins_done(&pins);
    arena_done(&a);
    mem_free(cols);
    mem_free(vecs);
}

/* The run a row belongs to, found by its key alone. */
static void check_runs(const struct model *m, const struct seg *s)
{
    uint32_t cols = store_cols_count(m->t);
    const struct seg_runs *r = seg_get_runs(s);
    struct vec *vecs = mem_calloc(NULL, cols, sizeof *vecs);
    struct buf scratch;
    struct buf last;
    struct buf next;
    uint32_t run = UINT32_MAX;
    int64_t tmin = 0;
    int64_t tmax = 0;

    buf_init(&scratch, NULL);
    buf_init(&last, NULL);
    buf_init(&next, NULL);
    for (uint32_t c = 0; c < cols; c++)
        vecs[c] = (struct vec){.type = m->cols[c].type,
                               .count = m->rows,
                               .data = m->cols[c].data,
                               .nulls = m->cols[c].nulls,
                               .absent = m->cols[c].absent};
    for (uint32_t i = 0; i < m->rows; i++) {
        struct buf swap;
        int64_t token;

        buf_reset(&next);
        token = rows_key_prefix(m->t, vecs, i, &scratch, &next);
        if (i == 0 || next.len != last.len || memcmp(next.data, last.data, last.len) != 0) {
            run++;
            assert_true(run < r->count);
            assert_int_equal(r->first_row[run], i);
            assert_true(r->token[run] == token);
            assert_true(r->slab[run] == rows_slab(m->t, vecs, i));
            tmin = INT64_MAX;
            tmax = INT64_MIN;
            for (uint32_t k = 0; k < m->t->series_count; k++) {
                struct datum have = seg_run_value(s, run, k);
                struct datum want = vec_datum(&vecs[m->t->series[k]], i);

                assert_true(model_same(&have, &want));
            }
        }
        if (m->t->time_col >= 0 && !vec_is_null(&vecs[m->t->time_col], i)) {
            int64_t time = vec_i64(&vecs[m->t->time_col], i);

            tmin = time < tmin ? time : tmin;
            tmax = time > tmax ? time : tmax;
        }
        if (i + 1 == r->first_row[run + 1] && m->t->time_col >= 0)
            assert_true(r->time_min[run] == tmin && r->time_max[run] == tmax);
        swap = last;
        last = next;
        next = swap;
    }
    assert_int_equal(run + 1, r->count);
    assert_int_equal(r->first_row[r->count], m->rows);
    assert_int_equal(r->time_min != NULL, m->t->time_col >= 0);
    buf_done(&scratch);
    buf_done(&last);
    buf_done(&next);
    mem_free(vecs);
}

static void check_blocks(const struct model *m, const struct seg *s)
{
    uint32_t count;
    const struct seg_block *b = seg_get_blocks(s, &count);
    const struct seg_runs *r = seg_get_runs(s);
    uint32_t row = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t run = b[i].run_first;
        uint32_t run_end = run + b[i].run_count;

        assert_int_equal(b[i].first_row, row);
        assert_true(b[i].rows >= 1 && b[i].rows <= SEG_BLOCK_ROWS);
        assert_int_equal(b[i].vectors, (b[i].rows + 1023) / 1024);
        assert_true(r->first_row[run] <= row && r->first_row[run + 1] > row);
        assert_true(r->first_row[run_end - 1] < row + b[i].rows &&
                    r->first_row[run_end] >= row + b[i].rows);
        assert_int_equal(seg_block_of(s, row), i);
        assert_int_equal(seg_block_of(s, row + b[i].rows - 1), i);
        /* A piece of one long run, or whole short ones. */
        if (b[i].run_count > 1 || r->first_row[run + 1] - r->first_row[run] < SEG_LONG_RUN) {
            assert_int_equal(r->first_row[run], row);
            assert_int_equal(r->first_row[run_end], row + b[i].rows);
            for (uint32_t k = run; k < run_end; k++)
                assert_true(r->first_row[k + 1] - r->first_row[k] < SEG_LONG_RUN);
        }
        row += b[i].rows;
    }
    assert_int_equal(row, m->rows);
}

static void check_meta(const struct model *m, const struct seg_meta *meta)
{
    const struct colbuf *hidden = &m->cols[m->t->columns_count];
    struct seg_meta n = {.seq_min = UINT64_MAX};

    for (uint32_t i = 0; i < m->rows; i++) {
        uint64_t seq = (uint64_t)colbuf_datum(&hidden[HIDDEN_SEQ], i).v.i64;
        int64_t op = colbuf_datum(&hidden[HIDDEN_OP], i).v.i64;
        uint64_t rowid = (uint64_t)colbuf_datum(&hidden[HIDDEN_ROWID], i).v.i64;

        n.seq_min = seq < n.seq_min ? seq : n.seq_min;
        n.seq_max = seq > n.seq_max ? seq : n.seq_max;
        n.has_patch |= op == ROW_PATCH;
        n.has_delete |= op == ROW_DELETE;
        n.has_expiry |= !colbuf_datum(&hidden[HIDDEN_EXPIRY], i).null;
        n.rowid_max = rowid > n.rowid_max ? rowid : n.rowid_max;
    }
    assert_int_equal(meta->table_id, m->t->id);
    assert_int_equal(meta->table_version, m->t->version);
    assert_int_equal(meta->rows, m->rows);
    assert_true(meta->seq_min == n.seq_min && meta->seq_max == n.seq_max &&
                meta->rowid_max == n.rowid_max);
    assert_true(meta->has_patch == n.has_patch && meta->has_delete == n.has_delete &&
                meta->has_expiry == n.has_expiry);
}

/* Each run is found by its own series, and by nothing beyond it. */
static void check_find(const struct model *m, const struct seg *s)
{
    const struct seg_runs *r = seg_get_runs(s);
    struct datum series[MODEL_COLS_MAX];
    uint32_t from = 0;
    uint32_t step = 1 + r->count / 200;

    while (from < r->count) {
        uint32_t to = from + 1;

        while (to < r->count && r->slab[to] == r->slab[from])
            to++;
        for (uint32_t i = from; i < to; i += step) {
            for (uint32_t k = 0; k < m->t->series_count; k++)
                series[k] = seg_run_value(s, i, k);
            assert_int_equal(seg_run_find(s, from, to, r->token[i], series), i);
            if (r->token[i] > INT64_MIN && (i == from || r->token[i - 1] < r->token[i] - 1))
                assert_int_equal(seg_run_find(s, from, to, r->token[i] - 1, series), i);
            if (r->token[i] < INT64_MAX && (i + 1 == to || r->token[i + 1] > r->token[i] + 1))
                assert_int_equal(seg_run_find(s, from, to, r->token[i] + 1, series), i + 1);
        }
        from = to;
    }
}

void model_check(const struct model *m, struct seg *s, bool cached)
{
    check_meta(m, seg_get_meta(s));
    check_blocks(m, s);
    check_runs(m, s);
    check_find(m, s);
    check_rows(m, s, cached);
}

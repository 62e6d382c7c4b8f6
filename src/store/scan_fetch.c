/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_fetch.c: what is known of a reader's unit without decoding (run table, zones), and decoding
 * the columns that are asked for, each at most once. */
#include "store/scan_reader.h"
#include "store/seg_reader.h"

#include "codec/codec.h"

#include <string.h>

#define SCAN_FEW_RUNS 16u /* of more runs many may be in one vector */
#define SCAN_FEW_PART 16u /* so many rows for each one that is wanted make it worth while */

/* ---- decoding ---- */

struct scan_cur *scan_cur_of(struct scan_reader *r, const struct scan_src *src)
{
    return &r->curs[src - r->s->srcs];
}

static int
scan_cur_place(struct scan_reader *r, struct scan_cur *cur, uint32_t block, uint32_t vector)
{
    uint32_t n = r->s->fetch_count;

    if (cur->placed && cur->block == block && cur->vector == vector)
        return DN_OK;
    if (!cur->vecs) {
        seg_pins_init(&cur->pins);
        arena_init(&cur->arena, r->owner);
        cur->vecs = arena_calloc(&r->keep, n, sizeof *cur->vecs);
    }
    if (cur->vecs && !cur->have)
        cur->have = arena_calloc(&r->keep, n, 1);
    if (!cur->vecs || !cur->have)
        return DN_E_NOMEM;
    arena_reset(&cur->arena);
    seg_pins_release(&cur->pins);
    memset(cur->have, 0, n);
    if (cur->narrow)
        memset(cur->narrow, 0, n * sizeof *cur->narrow);
    cur->all = false;
    cur->placed = true;
    cur->block = block;
    cur->vector = vector;
    return DN_OK;
}

int scan_decode(struct scan_reader *r,
                const struct scan_src *src,
                uint32_t block,
                uint32_t vector,
                const uint32_t *fetch,
                uint32_t count,
                struct dn_err *err)
{
    struct scan_cur *cur = scan_cur_of(r, src);
    uint32_t *places = r->tmp_cols + r->s->fetch_count;
    struct seg_select select = {
        .block = block, .vector = vector, .cols = r->tmp_cols, .lone = r->lone};
    int rc;

    if (scan_cur_place(r, cur, block, vector) < 0)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        if (cur->have[fetch[i]])
            continue;
        if (cur->narrow && cur->narrow[fetch[i]].values) {
            rc = codec_widen_narrow(&cur->narrow[fetch[i]], &cur->arena, &cur->vecs[fetch[i]], err);
            if (rc < 0)
                return rc;
            cur->have[fetch[i]] = 1;
            continue;
        }
        places[select.cols_count] = fetch[i];
        r->tmp_cols[select.cols_count++] = r->s->fetch[fetch[i]];
    }
    if (select.cols_count == 0)
        return DN_OK;
    rc = seg_fetch(src->seg, &select, &cur->arena, &cur->pins, r->tmp_vecs, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < select.cols_count; i++) {
        cur->vecs[places[i]] = r->tmp_vecs[i];
        cur->have[places[i]] = 1;
    }
    r->stats.columns_decoded += select.cols_count;
    return DN_OK;
}

int scan_decode_all(struct scan_reader *r,
                    const struct scan_src *src,
                    uint32_t block,
                    uint32_t vector,
                    struct dn_err *err)
{
    struct scan_cur *cur = scan_cur_of(r, src);

    if (cur->all && cur->placed && cur->block == block && cur->vector == vector)
        return DN_OK;
    for (uint32_t i = 0; i < r->s->fetch_count; i++) {
        int rc = scan_decode(r, src, block, vector, &i, 1, err);
        if (rc < 0)
            return rc;
    }
    r->stats.vectors_decoded++;
    cur->all = true;
    return DN_OK;
}

/* ---- what is known ---- */

/* Place of a table column in the series; UINT32_MAX: not in it. */
static uint32_t unit_series_place(const struct scan *s, uint32_t col)
{
    for (uint32_t i = 0; i < s->t->series_count; i++)
        if (s->t->series[i] == col)
            return i;
    return UINT32_MAX;
}

static struct datum unit_series_value(const struct scan_reader *r, uint32_t place)
{
    const struct scan_member *m = r->morsel.members;

    return r->src ? scan_run_series(r->src, r->run, place) : scan_run_series(m->src, m->run, place);
}

bool scan_unit_zone(struct scan_reader *r, uint32_t col, struct zone *ret)
{
    return r->unit.whole && scan_unit_bounds(r, col, ret);
}

bool scan_unit_bounds(struct scan_reader *r, uint32_t col, struct zone *ret)
{
    uint32_t store_col = r->s->spec.cols[col];
    uint32_t place = unit_series_place(r->s, store_col);
    bool known;

    if (r->unit.kind == SCAN_ROWS)
        return false;
    if (place != UINT32_MAX) {
        if (!r->unit.one_run)
            return false;
        *ret = (struct zone){.rows = r->unit.rows, .has_range = true};
        ret->min_exact = ret->max_exact = true;
        ret->min = ret->max = ret->first = ret->last = unit_series_value(r, place);
        return true;
    }
    known = r->unit.kind == SCAN_BLOCK
                ? seg_block_zone(r->src->seg, r->block, store_col, ret)
                : seg_vector_zone(r->src->seg, r->block, r->vector, store_col, ret);
    return known && !ret->absent;
}

bool scan_unit_const(struct scan_reader *r, uint32_t col, struct datum *ret)
{
    uint32_t store_col = r->s->spec.cols[col];
    uint32_t place = unit_series_place(r->s, store_col);
    struct zone z;

    if (place != UINT32_MAX) {
        if (r->unit.one_run)
            *ret = unit_series_value(r, place);
        return r->unit.one_run;
    }
    if (r->unit.kind == SCAN_ROWS)
        return false;
    for (int whole = r->unit.kind == SCAN_BLOCK; whole <= 1; whole++) {
        bool known = whole ? seg_block_zone(r->src->seg, r->block, store_col, &z)
                           : seg_vector_zone(r->src->seg, r->block, r->vector, store_col, &z);
        if (!known || z.absent)
            continue;
        if (z.nulls == z.rows) {
            *ret = (struct datum){.type = store_col_type(r->s->t, store_col), .null = true};
            return true;
        }
        if (z.nulls == 0 && z.has_range && z.min_exact && z.max_exact &&
            datum_cmp(&z.min, &z.max) == 0) {
            *ret = z.min;
            return true;
        }
    }
    return false;
}

bool scan_unit_time(struct scan_reader *r, int64_t *ret_min, int64_t *ret_max)
{
    const struct table *t = r->s->t;
    struct zone z;
    bool known;

    if (t->time_col < 0)
        return false;
    if (!r->src || r->src->m)
        return false;
    known = r->unit.kind == SCAN_BLOCK
                ? seg_block_zone(r->src->seg, r->block, (uint32_t)t->time_col, &z)
                : seg_vector_zone(r->src->seg, r->block, r->vector, (uint32_t)t->time_col, &z);
    if (!known || z.nulls || !z.has_range)
        return false;
    *ret_min = z.min.v.i64;
    *ret_max = z.max.v.i64;
    return true;
}

void scan_unit_answered(struct scan_reader *r)
{
    r->stats.blocks_zone += r->unit.kind == SCAN_BLOCK;
    r->stats.vectors_zone += r->unit.kind == SCAN_VECTOR;
}

/* ---- fetching ---- */

/* Single values of columns that are not decoded yet, where they can be had. Leaves the other
 * columns in *cols. */
static int
unit_fetch_few(struct scan_reader *r, const uint32_t **cols, uint32_t *count, struct dn_err *err)
{
    struct scan_cur *cur = scan_cur_of(r, r->src);
    uint32_t *places = r->tmp_cols + r->s->fetch_count;
    struct seg_select select = {
        .block = r->block, .vector = r->vector, .cols = r->tmp_cols, .lone = r->lone};
    const struct seg_few few = {
        .rows = r->few, .count = r->few_count, .vecs = r->tmp_vecs, .known = r->tmp_known};
    uint32_t *rest = arena_alloc_array(&r->arena, *count, sizeof *rest);
    uint32_t left = 0;
    int rc;

    if (!rest || scan_cur_place(r, cur, r->block, r->vector) < 0)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t c = (*cols)[i];

        if (r->out_have[c])
            continue;
        if (cur->have[c]) {
            rest[left++] = c;
            continue;
        }
        places[select.cols_count] = c;
        r->tmp_cols[select.cols_count++] = r->s->fetch[c];
    }
    rc = select.cols_count ? seg_fetch_few(r->src->seg, &select, &few, &r->arena, &cur->pins, err)
                           : DN_OK;
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < select.cols_count; i++) {
        if (!r->tmp_known[i]) {
            rest[left++] = places[i];
            continue;
        }
        r->out_vecs[places[i]] = r->tmp_vecs[i];
        r->out_have[places[i]] = 1;
    }
    *cols = rest;
    *count = left;
    return DN_OK;
}

/* A unit that was cut down to a few rows of its vector is as good as one of rows that were picked,
 * unless more such units of the vector are likely to follow. */
static void unit_see_few(struct scan_reader *r)
{
    const struct scan *s = r->s;
    uint32_t rows = r->unit.rows;

    if (r->few_count || s->spec.plain || rows > SCAN_FEW_ROWS ||
        r->src->picks_count > SCAN_FEW_RUNS ||
        (s->cut_pred >= 0 && s->spec.preds[s->cut_pred].set_count > 1) ||
        seg_vec_rows(r->src->seg, r->block, r->vector) < rows * SCAN_FEW_PART)
        return;
    for (uint32_t i = 0; i < rows; i++)
        r->few[i] = (uint16_t)(r->lo + i);
    r->few_count = rows;
}

/* The unit's rows of a decoded vector. */
static bool unit_rows_of(struct scan_reader *r, const struct vec *v, struct vec *ret)
{
    if (r->few_count)
        return vec_flatten(&r->arena, v, r->few, r->few_count, ret);
    if (!r->unit.whole)
        return vec_slice(&r->arena, v, r->lo, r->hi - r->lo, ret);
    *ret = *v;
    return true;
}

static int
unit_fetch_vector(struct scan_reader *r, const uint32_t *cols, uint32_t count, struct dn_err *err)
{
    struct scan_cur *cur = scan_cur_of(r, r->src);
    int rc;

    unit_see_few(r);
    if (r->few_count && count) {
        rc = unit_fetch_few(r, &cols, &count, err);
        if (rc < 0)
            return rc;
    }
    if (count == 0)
        return DN_OK;
    rc = scan_decode(r, r->src, r->block, r->vector, cols, count, err);
    if (rc < 0)
        return rc;
    r->stats.vectors_decoded += !r->counted;
    r->counted = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = cols[i];
        if (r->out_have[c])
            continue;
        if (!unit_rows_of(r, &cur->vecs[c], &r->out_vecs[c]))
            return DN_FAIL_NOMEM(err);
        r->out_have[c] = 1;
    }
    return DN_OK;
}

int scan_unit_agg(struct scan_reader *r,
                  const uint32_t *cols,
                  uint32_t count,
                  const struct codec_ask *ask,
                  struct codec_agg *ret,
                  bool *ret_known,
                  struct dn_err *err)
{
    struct seg_select select = {.block = r->block,
                                .vector = r->vector,
                                .cols = r->tmp_cols,
                                .cols_count = count,
                                .lone = r->lone};
    struct codec_range *ranges = arena_alloc_array(&r->arena, ask->count, sizeof *ranges);
    struct codec_ask inside = {.ranges = ranges, .count = ask->count, .want = ask->want};
    const struct seg_aggs to = {.known = ret_known, .all = ret};
    struct scan_cur *cur = scan_cur_of(r, r->src);
    int rc;

    DN_ASSERT(r->unit.kind == SCAN_VECTOR && r->unit.rows == r->hi - r->lo);
    if (!ranges || scan_cur_place(r, cur, r->block, r->vector) < 0)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < ask->count; k++)
        ranges[k] = (struct codec_range){r->lo + ask->ranges[k].lo, r->lo + ask->ranges[k].hi};
    for (uint32_t i = 0; i < count; i++)
        r->tmp_cols[i] = r->s->fetch[cols[i]];
    rc = seg_agg(r->src->seg, &select, &inside, &cur->arena, &cur->pins, &to, err);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        r->stats.columns_packed += ret_known[i];
    return rc;
}

int scan_unit_dict(struct scan_reader *r, uint32_t col, uint64_t *ret, struct dn_err *err)
{
    uint32_t store_col = r->s->spec.cols[col];
    struct seg_select select = {.block = r->block,
                                .vector = r->vector,
                                .cols = &store_col,
                                .cols_count = 1,
                                .lone = r->lone};
    struct scan_cur *cur;

    *ret = 0;
    if (r->unit.kind != SCAN_VECTOR || unit_series_place(r->s, store_col) != UINT32_MAX)
        return 0;
    cur = scan_cur_of(r, r->src);
    if (scan_cur_place(r, cur, r->block, r->vector) < 0)
        return DN_FAIL_NOMEM(err);
    return seg_dict(r->src->seg, &select, &cur->arena, &cur->pins, ret, err);
}

int scan_unit_narrow(struct scan_reader *r,
                     uint32_t col,
                     const double bounds[2],
                     struct codec_narrow *ret,
                     struct dn_err *err)
{
    uint32_t store_col = r->s->spec.cols[col];
    struct seg_select select = {.block = r->block,
                                .vector = r->vector,
                                .cols = &store_col,
                                .cols_count = 1,
                                .lone = r->lone};
    struct scan_cur *cur;

    if (r->unit.kind != SCAN_VECTOR || r->few_count ||
        unit_series_place(r->s, store_col) != UINT32_MAX)
        return DN_NOT_FOUND;
    cur = scan_cur_of(r, r->src);
    if (scan_cur_place(r, cur, r->block, r->vector) < 0)
        return DN_FAIL_NOMEM(err);
    if (!cur->narrow)
        cur->narrow = arena_calloc(&r->keep, r->s->fetch_count, sizeof *cur->narrow);
    if (!cur->narrow)
        return DN_FAIL_NOMEM(err);
    if (!cur->narrow[col].values) {
        int rc = seg_narrow(r->src->seg, &select, bounds, &cur->arena, &cur->pins, ret, err);

        if (rc != 0)
            return rc;
        cur->narrow[col] = *ret;
        r->stats.columns_decoded++;
    }
    r->stats.vectors_decoded += !r->counted;
    r->counted = true;
    *ret = cur->narrow[col];
    ret->values += r->lo;
    return ret->nulls && !r->unit.whole ? DN_NOT_FOUND : 0;
}

/* One column of merged rows, or the series of a single run. 1: neither. */
static int unit_fetch_easy(struct scan_reader *r, uint32_t col, struct dn_err *err)
{
    uint32_t store_col = r->s->spec.cols[col];
    uint32_t place = unit_series_place(r->s, store_col);

    if (place != UINT32_MAX && r->unit.one_run) {
        struct datum d = unit_series_value(r, place);
        return vec_make_const(&r->arena, &d, r->unit.rows, &r->out_vecs[col]) ? 0
                                                                              : DN_FAIL_NOMEM(err);
    }
    if (r->src)
        return 1;
    if (r->weaving)
        return scan_weave_fetch(r, col, &r->out_vecs[col], err);
    r->out_vecs[col] = colbuf_vec(&r->fold.cols[store_col], 0, r->unit.rows);
    return 0;
}

static int
unit_fetch_rows(struct scan_reader *r, const uint32_t *cols, uint32_t count, struct dn_err *err)
{
    uint32_t *places = r->tmp_cols + r->s->fetch_count;
    struct mem_want want = {.cols = r->tmp_cols, .count = r->unit.rows};
    int rc;

    for (uint32_t i = 0; i < count; i++) {
        if (r->out_have[cols[i]])
            continue;
        rc = unit_fetch_easy(r, cols[i], err);
        if (rc < 0)
            return rc;
        r->out_have[cols[i]] = rc == 0;
        if (rc == 0)
            continue;
        places[want.cols_count] = cols[i];
        r->tmp_cols[want.cols_count++] = r->s->spec.cols[cols[i]];
    }
    if (want.cols_count == 0)
        return DN_OK;
    want.rows = r->few_count ? r->few_at : r->src->order->order + r->lo;
    rc = r->src->map ? scan_mapped_gather(r->s, r->src, &want, &r->arena, r->tmp_vecs, err)
                     : memtable_gather(r->src->m, &want, &r->arena, r->tmp_vecs, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < want.cols_count; i++) {
        r->out_vecs[places[i]] = r->tmp_vecs[i];
        r->out_have[places[i]] = 1;
    }
    return DN_OK;
}

int scan_unit_pick(struct scan_reader *r,
                   const uint16_t *rows,
                   uint32_t count,
                   struct batch *ret,
                   struct dn_err *err)
{
    DN_ASSERT(r->unit.kind != SCAN_BLOCK && count > 0);
    if (!r->src || r->few_count || count > SCAN_FEW_ROWS || r->unit.rows < count * SCAN_FEW_PART)
        return DN_NOT_FOUND;
    for (uint32_t c = 0; c < r->s->spec.cols_count; c++) {
        struct vec v = r->out_vecs[c];

        if (r->out_have[c] && !vec_flatten(&r->arena, &v, rows, count, &r->out_vecs[c]))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < count; i++) {
        DN_ASSERT(rows[i] < r->unit.rows);
        if (r->src->m)
            r->few_at[i] = r->src->order->order[r->lo + rows[i]];
        else
            r->few[i] = (uint16_t)(r->lo + rows[i]);
    }
    r->few_count = count;
    r->unit.rows = count;
    r->unit.whole = false;
    return scan_unit_fetch(r, NULL, 0, ret, err);
}

int scan_unit_fetch(struct scan_reader *r,
                    const uint32_t *cols,
                    uint32_t count,
                    struct batch *ret,
                    struct dn_err *err)
{
    int rc;

    DN_ASSERT(r->unit.kind != SCAN_BLOCK);
    rc = r->unit.kind == SCAN_VECTOR ? unit_fetch_vector(r, cols, count, err)
                                     : unit_fetch_rows(r, cols, count, err);
    if (rc < 0)
        return rc;
    *ret = (struct batch){.count = r->unit.rows,
                          .cols_count = r->s->spec.cols_count,
                          .cols = r->out_vecs,
                          .sel_count = r->unit.rows};
    return DN_OK;
}

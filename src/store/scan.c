/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.c: life of a scan, and scan_next: the units of one reader with all columns, vector by vector
 * without copying; short stretches are gathered into full batches. */
#include "store/scan_reader.h"

#include <string.h>

#define SCAN_SMALL_ROWS 256u /* stretches below this are gathered */

/* Which constraints hold for every run that is picked, and which one cuts runs. */
static void scan_note_preds(struct scan *s)
{
    const struct table *t = s->t;

    s->cut_pred = -1;
    for (uint32_t i = 0; i < s->spec.preds_count; i++) {
        for (uint16_t k = 0; k < t->series_count; k++)
            s->pred_series[i] = s->pred_series[i] || t->series[k] == s->spec.preds[i].col;
        for (uint16_t k = 0; k < t->rest_count && !s->spec.plain; k++)
            s->key_preds = s->key_preds || t->rest[k].col == s->spec.preds[i].col;
        if (t->rest_count > 0 && t->rest[0].col == s->spec.preds[i].col && !s->spec.plain) {
            s->cut_pred = (int)i;
            s->cut_desc = t->rest[0].desc;
        }
    }
}

static int scan_alloc(struct scan *s, struct dn_err *err)
{
    const struct table *t = s->t;
    uint32_t all = store_cols_count(t);
    uint32_t extra[3] = {t->columns_count + HIDDEN_SEQ,
                         t->columns_count + HIDDEN_OP,
                         t->columns_count + HIDDEN_ROWID};

    s->fetch = arena_alloc_array(&s->keep, (size_t)s->spec.cols_count + all, sizeof *s->fetch);
    s->fetch_at = arena_alloc_array(&s->keep, all, sizeof *s->fetch_at);
    s->pred_series = arena_calloc(&s->keep, s->spec.preds_count, sizeof *s->pred_series);
    if (!s->fetch || !s->fetch_at || !s->pred_series)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < all; c++)
        s->fetch_at[c] = UINT32_MAX;
    for (uint32_t i = 0; i < s->spec.cols_count; i++) {
        s->fetch[s->fetch_count] = s->spec.cols[i];
        if (s->fetch_at[s->spec.cols[i]] == UINT32_MAX)
            s->fetch_at[s->spec.cols[i]] = s->fetch_count;
        s->fetch_count++;
    }
    for (uint16_t i = 0; i < t->rest_count; i++) {
        uint32_t col = t->rest[i].col;
        if (s->fetch_at[col] == UINT32_MAX) {
            s->fetch_at[col] = s->fetch_count;
            s->fetch[s->fetch_count++] = col;
        }
    }
    for (size_t i = 0; i < (t->form == KEY_NONE ? 3u : 2u); i++) {
        if (s->fetch_at[extra[i]] != UINT32_MAX)
            continue;
        s->fetch_at[extra[i]] = s->fetch_count;
        s->fetch[s->fetch_count++] = extra[i];
    }
    scan_note_preds(s);
    return DN_OK;
}

static struct scan *scan_new(const struct table *t, const struct scan_spec *spec)
{
    struct scan *s = mem_calloc(spec->owner, 1, sizeof *s);

    if (!s)
        return NULL;
    s->spec = *spec;
    s->owner = spec->owner;
    s->t = table_ref(t);
    s->final = true;
    s->horizon = RETENTION_NO_HORIZON;
    s->order_col = scan_order_col(t, &s->order_exact);
    arena_init(&s->keep, s->owner);
    arena_init(&s->build_strings, s->owner);
    return s;
}

/* What depends on the number of sources. */
static int scan_alloc_members(struct scan *s, struct dn_err *err)
{
    s->members = arena_calloc(&s->keep, s->srcs_count, sizeof(struct scan_src *));
    s->cuts = arena_calloc(&s->keep, s->srcs_count, sizeof *s->cuts);
    s->merge = arena_calloc(&s->keep, s->srcs_count, sizeof *s->merge);
    return s->members && s->cuts && s->merge ? DN_OK : DN_FAIL_NOMEM(err);
}

int scan_open(struct snapshot *snap,
              const struct scan_spec *spec,
              struct scan **ret,
              struct dn_err *err)
{
    struct scan *s = scan_new(spec->table, spec);
    int rc;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->snap = snap;
    s->now_ns = spec->moves && snap->sure_ns < snap->now_ns ? snap->sure_ns : snap->now_ns;
    rc = scan_alloc(s, err);
    if (rc == DN_OK)
        rc = scan_find_ranges(s, NULL, err);
    if (rc == DN_OK)
        rc = scan_prune(s, err);
    if (rc == DN_OK)
        rc = scan_alloc_members(s, err);
    if (rc < 0) {
        scan_close(s);
        return rc;
    }
    *ret = s;
    return DN_OK;
}

/* A scan of every store column, of sources that the caller adds. */
static int scan_new_all(struct shard *shard,
                        const struct table *t,
                        size_t sources,
                        const struct scan_fold *fold,
                        struct scan **ret,
                        struct dn_err *err)
{
    struct scan_spec spec = {.table = t, .cols_count = store_cols_count(t), .owner = &shard->owner};
    struct scan *s = scan_new(t, &spec);
    int rc;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->final = fold->final;
    s->now_ns = fold->now_ns;
    s->own_cols = arena_alloc_array(&s->keep, spec.cols_count, sizeof *s->own_cols);
    s->srcs = arena_calloc(&s->keep, sources, sizeof *s->srcs);
    if (s->own_cols && s->srcs) {
        for (uint32_t c = 0; c < spec.cols_count; c++)
            s->own_cols[c] = (uint16_t)c;
        s->spec.cols = s->own_cols;
        rc = scan_alloc(s, err);
        if (rc == DN_OK)
            rc = scan_find_ranges(s, fold->ranges, err);
    } else {
        rc = DN_FAIL_NOMEM(err);
    }
    if (rc < 0)
        scan_close(s);
    else
        *ret = s;
    return rc;
}

/* The sources are there, or rc says why not. */
static int scan_ready(struct scan *s, int rc, struct scan **ret, struct dn_err *err)
{
    if (rc == DN_OK)
        rc = scan_alloc_members(s, err);
    if (rc < 0)
        scan_close(s);
    else
        *ret = s;
    return rc;
}

int scan_open_segments(struct shard *shard,
                       const struct table *t,
                       struct segref *const *refs,
                       size_t count,
                       const struct scan_fold *fold,
                       struct scan **ret,
                       struct dn_err *err)
{
    struct scan *s;
    int rc = scan_new_all(shard, t, count, fold, &s, err);

    if (rc < 0)
        return rc;
    for (size_t i = 0; rc == DN_OK && i < count; i++)
        rc = scan_add_segment(s, refs[i], err);
    return scan_ready(s, rc, ret, err);
}

int scan_open_set(struct shard *shard,
                  const struct table *t,
                  struct memgroup *set,
                  const atomic_bool *cancel,
                  struct scan **ret,
                  struct dn_err *err)
{
    struct range_list ranges = {.count = 0};
    const struct scan_fold fold = {.final = false, .ranges = &ranges, .now_ns = ROW_EARLY};
    struct memtable *m;
    struct scan *s;
    size_t at = 0;
    int rc = DN_OK;

    if (!memgroup_list_ranges(set, t->id, UINT64_MAX, &ranges, &shard->owner))
        rc = DN_FAIL_NOMEM(err);
    if (rc == DN_OK)
        rc = scan_new_all(shard, t, memgroup_count(set, t->id), &fold, &s, err);
    range_list_done(&ranges);
    if (rc < 0)
        return rc;
    s->spec.cancel = cancel;
    while (rc == DN_OK && (m = memgroup_next(set, t->id, &at)) != NULL)
        rc = scan_add_memtable(s, m, UINT64_MAX, err);
    return scan_ready(s, rc, ret, err);
}

void scan_close(struct scan *s)
{
    if (!s)
        return;
    scan_reader_free(s->reader);
    for (uint32_t i = 0; i < s->srcs_count; i++) {
        mem_free(s->srcs[i].hit);
        mem_free(s->srcs[i].map);
        memtable_order_unref(s->srcs[i].order);
    }
    for (uint32_t i = 0; s->build && i < s->spec.cols_count; i++)
        colbuf_done(&s->build[i]);
    sched_mutex_free(s->lock);
    mem_free(s->ranges);
    range_list_done(&s->range_list);
    mem_free(s->apart);
    mem_free(s->set_ends);
    arena_done(&s->build_strings);
    arena_done(&s->keep);
    table_unref((struct table *)(uintptr_t)s->t);
    mem_free(s);
}

void scan_reverse(struct scan *s)
{
    DN_ASSERT(s->morsels == 0);
    s->reverse = true;
}

int scan_trend(const struct scan *s, uint32_t col)
{
    uint32_t store_col = s->spec.cols[col];
    const struct seg *seg = NULL;
    uint32_t blocks = 1;
    struct zone first;
    struct zone last;
    int lows;
    int highs;

    for (uint32_t i = 0; i < s->srcs_count; i++) { /* the largest segment speaks for all */
        uint32_t n = 0;

        if (!s->srcs[i].seg || s->srcs[i].picks_count == 0)
            continue;
        (void)seg_get_blocks(s->srcs[i].seg, &n);
        if (n > blocks) {
            seg = s->srcs[i].seg;
            blocks = n;
        }
    }
    if (!seg || !seg_block_zone(seg, 0, store_col, &first) ||
        !seg_block_zone(seg, blocks - 1, store_col, &last) || !first.has_range || !last.has_range)
        return 0;
    lows = datum_cmp(&last.min, &first.min);
    highs = datum_cmp(&last.max, &first.max);
    return lows > 0 && highs > 0 ? 1 : lows < 0 && highs < 0 ? -1 : 0;
}

int scan_share(struct scan *s, struct dn_err *err)
{
    if (!s->lock)
        s->lock = sched_mutex_new(s->snap->shard->sched, "scan");
    return s->lock ? DN_OK : DN_FAIL_NOMEM(err);
}

void scan_stats_add(struct scan_stats *to, const struct scan_stats *from)
{
    to->rows += from->rows;
    to->rows_merged += from->rows_merged;
    to->blocks_pruned += from->blocks_pruned;
    to->vectors_pruned += from->vectors_pruned;
    to->blocks_zone += from->blocks_zone;
    to->vectors_zone += from->vectors_zone;
    to->vectors_decoded += from->vectors_decoded;
    to->columns_decoded += from->columns_decoded;
    to->columns_packed += from->columns_packed;
    to->bytes_read += from->bytes_read;
}

void scan_get_stats(const struct scan *s, struct scan_stats *ret)
{
    *ret = s->stats;
    if (s->reader)
        scan_stats_add(ret, &s->reader->stats);
}

int scan_explain(struct snapshot *snap,
                 const struct scan_spec *spec,
                 struct scan_stats *ret,
                 struct dn_err *err)
{
    struct scan *s;
    int rc = scan_open(snap, spec, &s, err);

    if (rc < 0)
        return rc;
    *ret = s->stats;
    scan_close(s);
    return DN_OK;
}

static int scan_gather(struct scan *s, const struct batch *b, struct dn_err *err)
{
    for (uint32_t i = 0; i < s->spec.cols_count; i++)
        if (!colbuf_append_vec(&s->build[i], &b->cols[i], b->sel, b->sel_count))
            return DN_FAIL_NOMEM(err);
    s->build_count += b->sel_count;
    return DN_OK;
}

static void scan_give_gathered(struct scan *s, struct batch *ret)
{
    for (uint32_t i = 0; i < s->spec.cols_count; i++)
        s->out_vecs[i] = colbuf_vec(&s->build[i], 0, s->build_count);
    *ret = (struct batch){.count = s->build_count,
                          .cols_count = s->spec.cols_count,
                          .cols = s->out_vecs,
                          .sel_count = s->build_count};
}

static void scan_build_reset(struct scan *s)
{
    for (uint32_t i = 0; i < s->spec.cols_count; i++)
        colbuf_reset(&s->build[i]);
    arena_reset(&s->build_strings);
    s->build_count = 0;
}

/* What scan_next needs beyond a reader. */
static int scan_begin(struct scan *s, struct dn_err *err)
{
    const struct scan_reader_options options = {.owner = s->owner};
    uint32_t cols = s->spec.cols_count;

    s->all_cols = arena_calloc(&s->keep, cols, sizeof *s->all_cols);
    s->build = arena_calloc(&s->keep, cols, sizeof *s->build);
    s->out_vecs = arena_calloc(&s->keep, cols, sizeof *s->out_vecs);
    if (!s->all_cols || !s->build || !s->out_vecs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < cols; i++) {
        s->all_cols[i] = i;
        colbuf_init(
            &s->build[i], store_col_type(s->t, s->spec.cols[i]), s->owner, &s->build_strings);
    }
    return scan_reader_new(s, &options, &s->reader, err);
}

int scan_next(struct scan *s, struct batch *ret, struct dn_err *err)
{
    DN_ASSERT(!s->reverse);
    if (!s->reader) {
        int rc = scan_begin(s, err);
        if (rc < 0)
            return rc;
    }
    if (s->build_count)
        scan_build_reset(s); /* handed out by the last call */
    if (s->have_chunk) {
        s->have_chunk = false;
        *ret = s->chunk;
        return DN_OK;
    }
    for (;;) {
        struct scan_unit u;
        struct batch b = {0};
        int rc = scan_unit_next(s->reader, &u, err);
        if (rc == DN_OK)
            rc = scan_unit_fetch(s->reader, s->all_cols, s->spec.cols_count, &b, err);
        if (rc < 0)
            return rc;
        if (rc == DN_EOF) {
            if (s->build_count == 0)
                return DN_EOF;
            scan_give_gathered(s, ret);
            return DN_OK;
        }
        if (b.sel_count >= SCAN_SMALL_ROWS || s->build_count + b.sel_count > VEC_ROWS_MAX) {
            if (s->build_count == 0) {
                *ret = b;
                return DN_OK;
            }
            s->chunk = b; /* stays valid: nothing is decoded until the next call */
            s->have_chunk = true;
            scan_give_gathered(s, ret);
            return DN_OK;
        }
        rc = scan_gather(s, &b, err);
        if (rc < 0)
            return rc;
    }
}

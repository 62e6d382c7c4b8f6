/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.c: the runs of all sources in physical order. Most runs belong to one source and are handed
 * out as they lie, vector by vector, without copying. Where sources share a run, their rows follow
 * each other if their times do not overlap, and are merged row by row (scan_merge.c) if they do.
 * Short stretches are gathered into full batches. */
#include "store/scan_int.h"

#include <string.h>

#define SCAN_SMALL_ROWS 256u /* stretches below this are gathered */

static int scan_alloc(struct scan *s, struct dn_err *err)
{
    const struct table *t = s->t;
    uint32_t all = store_cols_count(t);
    uint32_t extra[3] = {t->columns_count + HIDDEN_SEQ,
                         t->columns_count + HIDDEN_OP,
                         t->columns_count + HIDDEN_ROWID};

    s->fetch = mem_alloc_array(s->owner, (size_t)s->spec.cols_count + all, sizeof *s->fetch);
    s->fetch_at = mem_alloc_array(s->owner, all, sizeof *s->fetch_at);
    s->build = mem_calloc(s->owner, s->spec.cols_count, sizeof *s->build);
    s->chunk_vecs = mem_calloc(s->owner, s->spec.cols_count, sizeof *s->chunk_vecs);
    s->out_vecs = mem_calloc(s->owner, s->spec.cols_count, sizeof *s->out_vecs);
    if (!s->fetch || !s->fetch_at || !s->build || !s->chunk_vecs || !s->out_vecs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < all; c++)
        s->fetch_at[c] = UINT32_MAX;
    for (uint32_t i = 0; i < s->spec.cols_count; i++) {
        s->fetch[s->fetch_count] = s->spec.cols[i];
        if (s->fetch_at[s->spec.cols[i]] == UINT32_MAX)
            s->fetch_at[s->spec.cols[i]] = s->fetch_count;
        s->fetch_count++;
        colbuf_init(&s->build[i], store_col_type(t, s->spec.cols[i]), s->owner, &s->build_strings);
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
    arena_init(&s->arena, s->owner);
    arena_init(&s->build_strings, s->owner);
    return s;
}

/* What depends on the number of sources. */
static int scan_alloc_members(struct scan *s, struct dn_err *err)
{
    s->members = mem_calloc(s->owner, s->srcs_count, sizeof(struct scan_src *));
    s->pieces = mem_calloc(s->owner, s->srcs_count, sizeof *s->pieces);
    return s->members && s->pieces ? DN_OK : DN_FAIL_NOMEM(err);
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
    rc = scan_alloc(s, err);
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

int scan_open_segments(struct shard *shard,
                       const struct table *t,
                       struct segref *const *refs,
                       size_t count,
                       bool final,
                       struct scan **ret,
                       struct dn_err *err)
{
    struct scan_spec spec = {.table = t, .cols_count = store_cols_count(t), .owner = &shard->owner};
    struct scan *s = scan_new(t, &spec);
    int rc = DN_OK;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->final = final;
    s->own_cols = mem_alloc_array(s->owner, spec.cols_count, sizeof *s->own_cols);
    s->srcs = mem_calloc(s->owner, count, sizeof *s->srcs);
    if (s->own_cols && s->srcs) {
        for (uint32_t c = 0; c < spec.cols_count; c++)
            s->own_cols[c] = (uint16_t)c;
        s->spec.cols = s->own_cols;
        rc = scan_alloc(s, err);
    } else {
        rc = DN_FAIL_NOMEM(err);
    }
    for (size_t i = 0; rc == DN_OK && i < count; i++)
        rc = scan_add_segment(s, refs[i], err);
    if (rc == DN_OK)
        rc = scan_alloc_members(s, err);
    if (rc < 0) {
        scan_close(s);
        return rc;
    }
    *ret = s;
    return DN_OK;
}

void scan_close(struct scan *s)
{
    if (!s)
        return;
    scan_merge_done(s);
    for (uint32_t i = 0; i < s->srcs_count; i++) {
        struct scan_src *src = &s->srcs[i];
        seg_pins_release(&src->pins);
        seg_pins_done(&src->pins);
        arena_done(&src->arena);
        mem_free(src->vecs);
        mem_free(src->picks);
        mem_free(src->map);
        memtable_order_unref(src->order);
    }
    for (uint32_t i = 0; s->build && i < s->spec.cols_count; i++)
        colbuf_done(&s->build[i]);
    mem_free(s->srcs);
    mem_free(s->members);
    mem_free(s->pieces);
    mem_free(s->points);
    mem_free(s->point_tokens);
    mem_free(s->own_cols);
    mem_free(s->fetch);
    mem_free(s->fetch_at);
    mem_free(s->build);
    mem_free(s->chunk_vecs);
    mem_free(s->out_vecs);
    arena_done(&s->arena);
    arena_done(&s->build_strings);
    table_unref((struct table *)(uintptr_t)s->t);
    mem_free(s);
}

void scan_get_stats(const struct scan *s, struct scan_stats *ret)
{
    *ret = s->stats;
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

int scan_decode(
    struct scan *s, struct scan_src *src, uint32_t block, uint32_t vector, struct dn_err *err)
{
    struct seg_select select = {.block = block, .vector = vector, .cols = s->fetch};
    int rc;

    if (src->decoded && src->block == block && src->vector == vector)
        return DN_OK;
    src->decoded = false;
    arena_reset(&src->arena);
    seg_pins_release(&src->pins);
    /* What only merging needs is decoded only there. */
    select.cols_count = s->merging ? s->fetch_count : s->spec.cols_count;
    rc = seg_fetch(src->seg, &select, &src->arena, &src->pins, src->vecs, err);
    if (rc < 0)
        return rc;
    src->decoded = true;
    src->block = block;
    src->vector = vector;
    return DN_OK;
}

/* ---- order of runs ---- */

static int scan_run_cmp(const struct scan *s,
                        const struct scan_src *a,
                        uint32_t ra,
                        const struct scan_src *b,
                        uint32_t rb)
{
    int64_t x = scan_run_slab(a, ra);
    int64_t y = scan_run_slab(b, rb);

    if (x != y)
        return (x < y) != s->t->time_desc ? -1 : 1;
    x = scan_run_token(a, ra);
    y = scan_run_token(b, rb);
    if (x != y)
        return x < y ? -1 : 1;
    for (uint32_t i = 0; i < s->t->series_count; i++) {
        struct datum da = scan_run_series(a, ra, i);
        struct datum db = scan_run_series(b, rb, i);
        int c = datum_cmp(&da, &db);
        if (c != 0)
            return c;
    }
    return 0;
}

static int scan_cur_cmp(const struct scan *s, const struct scan_src *a, const struct scan_src *b)
{
    return scan_run_cmp(s, a, a->picks[a->at], b, b->picks[b->at]);
}

/* Sources whose next run is the smallest, and in *ret_second one with the smallest of the others
 * (or NULL). */
static void scan_find_members(struct scan *s, struct scan_src **ret_second)
{
    struct scan_src *min = NULL;
    struct scan_src *second = NULL;

    s->members_count = 0;
    for (uint32_t i = 0; i < s->srcs_count; i++) {
        struct scan_src *src = &s->srcs[i];
        int c;
        if (src->at >= src->picks_count)
            continue;
        c = min ? scan_cur_cmp(s, src, min) : -1;
        if (c < 0) {
            second = min;
            min = src;
            s->members_count = 0;
        } else if (c > 0 && (!second || scan_cur_cmp(s, src, second) < 0)) {
            second = src;
        }
        if (c <= 0)
            s->members[s->members_count++] = src;
    }
    *ret_second = second;
}

/* One source alone: as many of its runs as come before the next source's. */
static void scan_take_alone(struct scan *s, struct scan_src *src, const struct scan_src *second)
{
    uint32_t first;
    uint32_t end;

    scan_run_rows(src, src->picks[src->at], &first, &end);
    src->at++;
    while (src->at < src->picks_count && src->picks[src->at] == src->picks[src->at - 1] + 1 &&
           scan_run_plain(src, src->picks[src->at]) &&
           (!second || scan_cur_cmp(s, src, second) < 0)) {
        uint32_t unused;
        scan_run_rows(src, src->picks[src->at], &unused, &end);
        src->at++;
    }
    s->pieces[0] = (struct scan_piece){.src = src, .next = first, .end = end};
    s->pieces_count = 1;
    s->pieces_at = 0;
}

/* Row ids of an append table's run; as wide as can be where nothing is known. */
static void scan_run_rowids(const struct scan *s,
                            const struct scan_src *src,
                            uint32_t run,
                            int64_t *ret_min,
                            int64_t *ret_max)
{
    uint32_t col = s->t->columns_count + HIDDEN_ROWID;
    struct zone z;
    uint32_t first;
    uint32_t end;

    *ret_min = INT64_MIN;
    *ret_max = INT64_MAX;
    if (src->m) {
        *ret_min = src->order->runs[run].rowid_min;
        *ret_max = src->order->runs[run].rowid_max;
        return;
    }
    scan_run_rows(src, run, &first, &end); /* rows of a run are in the order of their ids */
    if (seg_block_zone(src->seg, seg_block_of(src->seg, first), col, &z) && z.has_range)
        *ret_min = z.min.v.i64;
    if (seg_block_zone(src->seg, seg_block_of(src->seg, end - 1), col, &z) && z.has_range)
        *ret_max = z.max.v.i64;
}

/* Does all of a come before all of b? */
static bool scan_disjoint(const struct scan *s, const struct scan_src *a, const struct scan_src *b)
{
    int64_t amin;
    int64_t amax;
    int64_t bmin;
    int64_t bmax;

    if (s->t->form == KEY_NONE) {
        scan_run_rowids(s, a, a->picks[a->at], &amin, &amax);
        scan_run_rowids(s, b, b->picks[b->at], &bmin, &bmax);
        return amax < bmin;
    }
    scan_run_time(a, a->picks[a->at], &amin, &amax);
    scan_run_time(b, b->picks[b->at], &bmin, &bmax);
    return s->t->time_desc ? amin > bmax : amax < bmin;
}

static bool scan_before(const struct scan *s, const struct scan_src *a, const struct scan_src *b)
{
    int64_t amin;
    int64_t bmin;
    int64_t unused;

    if (s->t->form == KEY_NONE) {
        scan_run_rowids(s, a, a->picks[a->at], &amin, &unused);
        scan_run_rowids(s, b, b->picks[b->at], &bmin, &unused);
        return amin < bmin;
    }
    scan_run_time(a, a->picks[a->at], &amin, &unused);
    scan_run_time(b, b->picks[b->at], &bmin, &unused);
    return s->t->time_desc ? amin > bmin : amin < bmin;
}

/* Members whose rows follow each other become pieces; false if any two overlap. */
static bool scan_take_sequence(struct scan *s)
{
    bool by_time =
        s->t->rest_count > 0 && s->t->time_col >= 0 && s->t->rest[0].col == s->t->time_col;

    if (!by_time && s->t->form != KEY_NONE)
        return false;
    for (uint32_t i = 0; i < s->members_count; i++)
        if (!scan_run_plain(s->members[i], s->members[i]->picks[s->members[i]->at]))
            return false;
    for (uint32_t i = 1; i < s->members_count; i++) {
        struct scan_src *m = s->members[i];
        uint32_t k = i;
        while (k > 0 && scan_before(s, m, s->members[k - 1])) {
            s->members[k] = s->members[k - 1];
            k--;
        }
        s->members[k] = m;
    }
    for (uint32_t i = 1; i < s->members_count; i++)
        if (!scan_disjoint(s, s->members[i - 1], s->members[i]))
            return false;
    for (uint32_t i = 0; i < s->members_count; i++) {
        struct scan_src *src = s->members[i];
        s->pieces[i].src = src;
        scan_run_rows(src, src->picks[src->at], &s->pieces[i].next, &s->pieces[i].end);
        src->at++;
    }
    s->pieces_count = s->members_count;
    s->pieces_at = 0;
    return true;
}

/* ---- handing out ---- */

static void scan_select(struct scan *s, struct batch *b, uint32_t lo, uint32_t hi)
{
    uint16_t *sel;

    b->sel = NULL;
    b->sel_count = hi - lo;
    if (lo == 0 && hi == b->count)
        return;
    if (b->cols_count == 0) {
        b->count = hi - lo;
        return;
    }
    sel = arena_alloc_array(&s->arena, hi - lo, sizeof *sel);
    if (!sel) {
        b->sel_count = 0;
        return;
    }
    for (uint32_t i = lo; i < hi; i++)
        sel[i - lo] = (uint16_t)i;
    b->sel = sel;
}

/* The next stretch of a segment piece: at most one vector. DN_NOT_FOUND: it was pruned. */
static int
scan_segment_chunk(struct scan *s, struct scan_piece *p, struct batch *ret, struct dn_err *err)
{
    struct scan_src *src = p->src;
    uint32_t block = seg_block_of(src->seg, p->next);
    const struct seg_block *b = &seg_get_blocks(src->seg, NULL)[block];
    uint32_t vector = (p->next - b->first_row) / VEC_ROWS_MAX;
    uint32_t vector_first = b->first_row + vector * VEC_ROWS_MAX;
    uint32_t vector_rows = b->rows - vector * VEC_ROWS_MAX < VEC_ROWS_MAX
                               ? b->rows - vector * VEC_ROWS_MAX
                               : VEC_ROWS_MAX;
    uint32_t lo = p->next - vector_first;
    uint32_t hi = p->end - vector_first < vector_rows ? p->end - vector_first : vector_rows;
    int rc;

    if (s->spec.preds_count && vector == 0 && lo == 0 &&
        !scan_zone_may(s, src, block, UINT32_MAX)) {
        p->next = b->first_row + b->rows < p->end ? b->first_row + b->rows : p->end;
        return DN_NOT_FOUND;
    }
    p->next = vector_first + hi;
    if (s->spec.preds_count && !scan_zone_may(s, src, block, vector))
        return DN_NOT_FOUND;
    *ret =
        (struct batch){.count = vector_rows, .cols_count = s->spec.cols_count, .cols = src->vecs};
    if (s->spec.cols_count) {
        rc = scan_decode(s, src, block, vector, err);
        if (rc < 0)
            return rc;
    }
    arena_reset(&s->arena);
    scan_select(s, ret, lo, hi);
    if (ret->sel_count == 0)
        return DN_FAIL_NOMEM(err);
    return DN_OK;
}

static int
scan_memtable_chunk(struct scan *s, struct scan_piece *p, struct batch *ret, struct dn_err *err)
{
    struct scan_src *src = p->src;
    uint32_t count = p->end - p->next < VEC_ROWS_MAX ? p->end - p->next : VEC_ROWS_MAX;
    const struct mem_want want = {.rows = src->order->order + p->next,
                                  .count = count,
                                  .cols = s->fetch,
                                  .cols_count = s->spec.cols_count};
    int rc;

    arena_reset(&src->arena);
    rc = src->map ? scan_mapped_gather(s, src, want.rows, count, err)
                  : memtable_gather(src->m, &want, &src->arena, src->vecs, err);
    if (rc < 0)
        return rc;
    p->next += count;
    *ret = (struct batch){
        .count = count, .cols_count = s->spec.cols_count, .cols = src->vecs, .sel_count = count};
    return DN_OK;
}

static int scan_merge_chunk(struct scan *s, struct batch *ret, struct dn_err *err)
{
    uint32_t count;
    int rc;

    rc = scan_merge_next(s, err);
    if (rc < 0)
        return rc;
    if (rc == DN_EOF)
        for (uint32_t i = 0; i < s->members_count; i++)
            s->members[i]->at++;
    count = fold_rows(&s->fold);
    if (count == 0)
        return DN_NOT_FOUND;
    for (uint32_t i = 0; i < s->spec.cols_count; i++)
        s->chunk_vecs[i] = colbuf_vec(&s->fold.cols[s->spec.cols[i]], 0, count);
    *ret = (struct batch){.count = count,
                          .cols_count = s->spec.cols_count,
                          .cols = s->chunk_vecs,
                          .sel_count = count};
    return DN_OK;
}

/* The next stretch of rows from wherever we are. DN_NOT_FOUND: none this time, go on. */
static int scan_chunk(struct scan *s, struct batch *ret, struct dn_err *err)
{
    struct scan_src *second;
    int rc;

    if (s->merging)
        return scan_merge_chunk(s, ret, err);
    while (s->pieces_at < s->pieces_count) {
        struct scan_piece *p = &s->pieces[s->pieces_at];
        if (p->next < p->end)
            return p->src->m ? scan_memtable_chunk(s, p, ret, err)
                             : scan_segment_chunk(s, p, ret, err);
        s->pieces_at++;
    }
    scan_find_members(s, &second);
    if (s->members_count == 0)
        return DN_EOF;
    if (s->members_count == 1 &&
        scan_run_plain(s->members[0], s->members[0]->picks[s->members[0]->at])) {
        scan_take_alone(s, s->members[0], second);
        return DN_NOT_FOUND;
    }
    if (s->members_count > 1 && scan_take_sequence(s))
        return DN_NOT_FOUND;
    for (uint32_t i = 0; i < s->members_count; i++)
        s->members[i]->decoded = false; /* merging needs more columns */
    rc = scan_merge_begin(s, err);
    return rc < 0 ? rc : DN_NOT_FOUND;
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
    s->stats.rows += s->build_count;
}

static void scan_build_reset(struct scan *s)
{
    for (uint32_t i = 0; i < s->spec.cols_count; i++)
        colbuf_reset(&s->build[i]);
    arena_reset(&s->build_strings);
    s->build_count = 0;
}

int scan_next(struct scan *s, struct batch *ret, struct dn_err *err)
{
    if (s->build_count)
        scan_build_reset(s); /* handed out by the last call */
    if (s->have_chunk) {
        s->have_chunk = false;
        *ret = s->chunk;
        s->stats.rows += ret->sel_count;
        return DN_OK;
    }
    for (;;) {
        struct batch b;
        int rc = scan_chunk(s, &b, err);
        if (rc < 0)
            return rc;
        if (rc == DN_NOT_FOUND)
            continue;
        if (rc == DN_EOF) {
            if (s->build_count == 0)
                return DN_EOF;
            scan_give_gathered(s, ret);
            return DN_OK;
        }
        if (b.sel_count >= SCAN_SMALL_ROWS || s->build_count + b.sel_count > VEC_ROWS_MAX) {
            if (s->build_count == 0) {
                *ret = b;
                s->stats.rows += b.sel_count;
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

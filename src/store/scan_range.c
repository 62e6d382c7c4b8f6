/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_range.c: rows that are gone. Range tombstones: runs that one of them hits whole are not
 * picked; a run of which rows may be hit is handed out by itself, and its blocks and vectors are
 * left out, taken as they are, or cut to the rows that are not hit. Runs that no tombstone touches
 * are read as if there were none. Rows that have expired are cut out of blocks and vectors in the
 * same way. */
#include "store/scan_reader.h"

/* All before the horizon is gone, with or without a tombstone that says so: one of the scan's own,
 * newer than every row. */
static bool range_add_horizon(struct scan *s)
{
    const struct table *t =
        s->t->retention.kind == RETENTION_NONE ? NULL : catalog_table_by_id(s->snap->cat, s->t->id);
    struct range below = {.slab_min = INT64_MIN};
    struct range *r;
    bool ok;

    if (!t || t->horizon == RETENTION_NO_HORIZON)
        return true;
    s->horizon = t->horizon;
    below.slab_max = t->horizon - 1;
    r = range_new(s->owner, &below, t->id, UINT64_MAX);
    ok = r && range_list_add(&s->range_list, r, s->owner);
    range_unref(r);
    return ok;
}

void scan_range_gone(struct scan *s, const int64_t *slabs, size_t count)
{
    for (size_t i = 0; i < count && slabs[i] < s->horizon; i++)
        s->stats.slabs_gone += i == 0 || slabs[i] != slabs[i - 1];
}

int scan_find_ranges(struct scan *s, const struct range_list *list, struct dn_err *err)
{
    const struct snapshot *snap = s->snap;
    bool ok = list ? range_list_copy(list, &s->range_list, s->owner)
                   : version_list_ranges(snap->ver, s->t->id, snap->seq, &s->range_list, s->owner);

    if (ok && !list && snap->own)
        ok = memgroup_list_ranges(snap->own, s->t->id, snap->own_seq, &s->range_list, s->owner);
    if (ok && !list)
        ok = range_add_horizon(s);
    if (!ok)
        return DN_FAIL_NOMEM(err);
    return range_resolve(s->t, &s->range_list, s->owner, &s->ranges, &s->ranges_count, err);
}

struct range_run_arg {
    const struct scan_src *src;
    uint32_t run;
};

static struct datum range_series(const void *arg, uint16_t place)
{
    const struct range_run_arg *a = arg;

    return scan_run_series(a->src, a->run, place);
}

static bool range_meets_run(const struct range_on *g, const struct scan_src *src, uint32_t run)
{
    const struct range_run_arg arg = {.src = src, .run = run};

    return range_on_run(g, scan_run_slab(src, run), range_series, &arg);
}

/* An interval against values from lo to hi: -1 has none of them, 1 has all. */
static int range_test(const struct interval *iv, const struct datum *lo, const struct datum *hi)
{
    if (range_below(iv, lo) || range_above(iv, hi))
        return -1;
    return range_has(iv, lo) && range_has(iv, hi);
}

/* What a tombstone does to rows of a source: -1 nothing: they are newer, or were written with its
 * knowledge; 1 all are old enough. */
static int range_test_src(const struct range_on *g, const struct scan_src *src)
{
    uint32_t old;

    if (!src->m)
        return g->r->seq <= src->ref->meta.applied || g->r->seq <= src->ref->meta.seq_min
                   ? -1
                   : src->ref->meta.seq_max < g->r->seq;
    old = memtable_rows_at(src->m, g->r->seq - 1);
    return old == 0 ? -1 : old >= src->order->rows;
}

/* … to rows of a run; range_test_src is not negative. */
static int range_test_run(const struct scan *s,
                          const struct range_on *g,
                          const struct scan_src *src,
                          uint32_t run)
{
    bool all = true;
    struct datum lo;
    struct datum hi;

    if (!range_meets_run(g, src, run))
        return -1;
    for (uint16_t i = 0; i < g->rest_count; i++) {
        uint16_t col = s->t->rest[g->rest[i].place].col;
        int hit;
        if (s->t->time_col != (int)col) {
            all = false;
            continue;
        }
        lo = hi = (struct datum){.type = s->t->columns[col].type};
        scan_run_time(src, run, &lo.v.i64, &hi.v.i64);
        hit = range_test(g->rest[i].iv, &lo, &hi);
        if (hit < 0)
            return -1;
        all = all && hit;
    }
    return all;
}

int scan_range_picks(struct scan *s, struct scan_src *src, struct dn_err *err)
{
    bool *hits = mem_calloc(s->owner, src->picks_count, sizeof *hits);
    uint32_t *picks = src->picks;
    uint32_t count = src->picks_count;
    bool any = false;
    uint32_t keep = 0;

    if (!hits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < s->ranges_count; k++) {
        const struct range_on *g = &s->ranges[k];
        int of_src = range_test_src(g, src);
        for (uint32_t i = 0; i < count && of_src >= 0; i++) {
            int hit = picks[i] == UINT32_MAX ? -1 : range_test_run(s, g, src, picks[i]);
            if (hit > 0 && of_src > 0)
                picks[i] = UINT32_MAX;
            hits[i] = hits[i] || hit >= 0;
            any = any || hit >= 0;
        }
    }
    if (!any) {
        mem_free(hits);
        return DN_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (picks[i] == UINT32_MAX)
            continue;
        hits[keep] = hits[i];
        picks[keep++] = picks[i];
    }
    src->picks_count = keep;
    src->hit = hits;
    return DN_OK;
}

int scan_range_run(struct scan_reader *r,
                   const struct scan_src *src,
                   uint32_t run,
                   struct dn_err *err)
{
    const struct scan *s = r->s;

    if (r->hits_src == src && r->hits_run == run)
        return DN_OK;
    if (!r->hits)
        r->hits = mem_calloc(r->owner, s->ranges_count, sizeof(struct range_on *));
    if (!r->hits)
        return DN_FAIL_NOMEM(err);
    r->hits_count = 0;
    for (uint32_t i = 0; i < s->ranges_count; i++)
        if (range_meets_run(&s->ranges[i], src, run))
            r->hits[r->hits_count++] = &s->ranges[i];
    r->hits_src = src;
    r->hits_run = run;
    return DN_OK;
}

static int range_test_zone(const struct scan *s,
                           const struct range_on *g,
                           const struct scan_src *src,
                           uint32_t block,
                           uint32_t vector)
{
    const struct seg_block *b = &seg_get_blocks(src->seg, NULL)[block];
    bool all = b->seq_max < g->r->seq;

    if (b->seq_min >= g->r->seq)
        return -1;
    for (uint16_t i = 0; i < g->rest_count; i++) {
        uint32_t col = s->t->rest[g->rest[i].place].col;
        struct zone z;
        bool known = vector == UINT32_MAX ? seg_block_zone(src->seg, block, col, &z)
                                          : seg_vector_zone(src->seg, block, vector, col, &z);
        int hit = known && z.has_range ? range_test(g->rest[i].iv, &z.min, &z.max) : 0;
        if (hit < 0)
            return -1;
        all = all && hit;
    }
    return all;
}

/* ---- expiry ---- */

/* -1 no row of the block has expired, 0 some may have, 1 all have; known: there is such a zone. */
static int range_test_expiry(bool known, const struct zone *z, int64_t now_ns)
{
    if (known && z->nulls == z->rows)
        return -1;
    if (!known || !z->has_range)
        return 0;
    if (z->min.v.i64 > now_ns)
        return -1;
    return z->nulls == 0 && z->max.v.i64 <= now_ns;
}

static int
range_zone_aged(const struct scan *s, const struct scan_src *src, uint32_t block, uint32_t vector)
{
    uint32_t col = s->t->columns_count + HIDDEN_EXPIRY;
    struct zone z;
    bool known = vector == UINT32_MAX ? seg_block_zone(src->seg, block, col, &z)
                                      : seg_vector_zone(src->seg, block, vector, col, &z);

    return range_test_expiry(known, &z, s->now_ns);
}

uint32_t scan_seg_expired(struct seg *seg, const struct table *t, int64_t now_ns)
{
    uint32_t count;
    uint32_t rows = 0;
    const struct seg_block *blocks = seg_get_blocks(seg, &count);

    for (uint32_t b = 0; b < count; b++) {
        struct zone z;
        bool known = seg_block_zone(seg, b, t->columns_count + HIDDEN_EXPIRY, &z);

        if (range_test_expiry(known, &z, now_ns) > 0)
            rows += blocks[b].rows;
    }
    return rows;
}

void scan_look_source(struct scan *s, struct scan_src *src)
{
    uint32_t col = s->t->columns_count + HIDDEN_EXPIRY;
    uint32_t count = 0;

    if (src->m) {
        src->aged = src->order->expiry_min <= s->now_ns;
        return;
    }
    src->special = src->ref->meta.has_patch || src->ref->meta.has_delete;
    if (src->ref->meta.has_expiry)
        (void)seg_get_blocks(src->seg, &count);
    for (uint32_t b = 0; b < count && !src->aged; b++)
        src->aged = range_zone_aged(s, src, b, UINT32_MAX) >= 0;
    if (src->aged && s->fetch_at[col] == UINT32_MAX) {
        s->fetch_at[col] = s->fetch_count;
        s->fetch[s->fetch_count++] = col;
    }
}

bool scan_row_aged(const struct scan *s,
                   const struct scan_src *src,
                   const struct vec *vecs,
                   uint32_t row)
{
    const struct vec *v;

    if (src->m)
        return rows_expired(memtable_expiry(src->m, row), s->now_ns);
    v = &vecs[s->fetch_at[s->t->columns_count + HIDDEN_EXPIRY]];
    return !vec_is_null(v, row) && vec_i64(v, row) <= s->now_ns;
}

int scan_range_zone(const struct scan_reader *r,
                    const struct scan_piece *p,
                    uint32_t block,
                    uint32_t vector)
{
    const struct scan_src *src = p->src;
    int hit = src->aged ? range_zone_aged(r->s, src, block, vector) : -1;

    for (uint32_t i = 0; p->hit && i < r->hits_count && hit < 1; i++) {
        int one = range_test_src(r->hits[i], src) < 0
                      ? -1
                      : range_test_zone(r->s, r->hits[i], src, block, vector);
        hit = one > hit ? one : hit;
    }
    return hit;
}

/* ---- rows ---- */

struct range_row {
    const struct scan_reader *r;
    const struct scan_src *src;
    const struct vec *vecs; /* NULL: the memtable's */
    uint32_t row;
    bool hit; /* by range tombstones, maybe */
};

static struct datum range_rest(const void *arg, uint16_t place)
{
    const struct range_row *a = arg;
    const struct scan *s = a->r->s;

    if (!a->vecs)
        return memtable_rest(a->src->m, a->src->order->order[a->row], s->t, place);
    return vec_datum(&a->vecs[s->fetch_at[s->t->rest[place].col]], a->row);
}

uint64_t scan_range_horizon(const struct scan_reader *r, range_value_fn rest, const void *arg)
{
    uint64_t seq = 0;

    for (uint32_t i = 0; i < r->hits_count; i++)
        if (r->hits[i]->r->seq > seq && range_on_row(r->hits[i], rest, arg))
            seq = r->hits[i]->r->seq;
    return seq;
}

static bool range_row_hit(struct range_row *a, uint32_t row)
{
    const struct scan *s = a->r->s;
    uint64_t seq;

    a->row = row;
    if (a->src->aged &&
        scan_row_aged(s, a->src, a->vecs, a->vecs ? row : a->src->order->order[row]))
        return true;
    if (!a->hit)
        return false;
    if (a->vecs)
        seq = (uint64_t)vec_i64(&a->vecs[s->fetch_at[s->t->columns_count + HIDDEN_SEQ]], row);
    else
        seq = (uint64_t)memtable_datum(
                  a->src->m, a->src->order->order[row], a->src->t->columns_count + HIDDEN_SEQ)
                  .v.i64;
    return seq < scan_range_horizon(a->r, range_rest, a);
}

/* The first rows of [lo, hi), one after the other, that are not hit; none: lo = hi. */
static void range_first(struct range_row *a, uint32_t *lo, uint32_t *hi)
{
    uint32_t end;

    while (*lo < *hi && range_row_hit(a, *lo))
        ++*lo;
    for (end = *lo; end < *hi && !range_row_hit(a, end);)
        end++;
    *hi = end;
}

/* … the last ones. */
static void range_last(struct range_row *a, uint32_t *lo, uint32_t *hi)
{
    uint32_t from;

    while (*lo < *hi && range_row_hit(a, *hi - 1))
        --*hi;
    for (from = *hi; from > *lo && !range_row_hit(a, from - 1);)
        from--;
    *lo = from;
}

/* What has to be looked at to tell which rows of a vector are gone. */
static int
range_decode(struct scan_reader *r, const struct scan_piece *p, uint32_t vector, struct dn_err *err)
{
    const struct table *t = r->s->t;
    uint32_t col = r->s->fetch_at[t->columns_count + HIDDEN_EXPIRY];
    int rc = DN_OK;

    if (p->src->aged)
        rc = scan_decode(r, p->src, r->block, vector, &col, 1, err);
    if (rc < 0 || !p->hit)
        return rc;
    col = r->s->fetch_at[t->columns_count + HIDDEN_SEQ];
    rc = scan_decode(r, p->src, r->block, vector, &col, 1, err);
    for (uint16_t k = 0; k < t->rest_count && rc == DN_OK; k++) {
        col = r->s->fetch_at[t->rest[k].col];
        rc = scan_decode(r, p->src, r->block, vector, &col, 1, err);
    }
    return rc;
}

int scan_range_cut(struct scan_reader *r,
                   const struct scan_piece *p,
                   uint32_t vector,
                   uint32_t *lo,
                   uint32_t *hi,
                   struct dn_err *err)
{
    const struct scan_src *src = p->src;
    struct range_row a = {.r = r, .src = src, .hit = p->hit};

    if (!src->m) {
        int hit = scan_range_zone(r, p, r->block, vector);
        int rc;
        if (hit < 0)
            return DN_OK;
        if (hit > 0) {
            r->stats.vectors_pruned++;
            return DN_NOT_FOUND;
        }
        rc = range_decode(r, p, vector, err);
        if (rc < 0)
            return rc;
        a.vecs = scan_cur_of(r, src)->vecs;
    }
    if (r->s->reverse)
        range_last(&a, lo, hi);
    else
        range_first(&a, lo, hi);
    return *lo < *hi ? DN_OK : DN_NOT_FOUND;
}

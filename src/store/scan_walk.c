/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_walk.c: the runs of all sources in physical order. Most runs belong to one source and are
 * handed out as they lie. Where sources share a run, their rows follow each other if their times,
 * or the values of the first key column after the series, do not overlap, and are merged row by row
 * (scan_merge.c) if they do. Readers take what comes next in
 * morsels: stretches of rows that end with a block where they can, or one run to merge. All of it
 * works from either end. */
#include "store/scan_int.h"

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
    int c = scan_run_cmp(s, a, scan_pick(s, a), b, scan_pick(s, b));

    return s->reverse ? -c : c;
}

/* Sources whose next run comes first, and in *ret_second one whose run is the first of the others
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

/* May range tombstones hit rows of the source's next pick? */
static bool scan_pick_hit(const struct scan *s, const struct scan_src *src)
{
    return src->hit && src->hit[s->reverse ? src->picks_count - 1 - src->at : src->at];
}

/* One source alone: as many of its runs as come before the next source's. */
static void scan_take_alone(struct scan *s, struct scan_src *src, const struct scan_src *second)
{
    bool hit = scan_pick_hit(s, src);
    uint32_t run = scan_pick(s, src);
    uint32_t first;
    uint32_t end;

    scan_run_rows(src, run, &first, &end);
    src->at++;
    while (!hit && src->at < src->picks_count &&
           scan_pick(s, src) == (s->reverse ? run - 1 : run + 1) && !scan_pick_hit(s, src) &&
           scan_run_plain(src, scan_pick(s, src)) &&
           (!second || scan_cur_cmp(s, src, second) < 0)) {
        uint32_t unused;
        run = scan_pick(s, src);
        if (s->reverse)
            scan_run_rows(src, run, &first, &unused);
        else
            scan_run_rows(src, run, &unused, &end);
        src->at++;
    }
    s->pieces[0] =
        (struct scan_piece){.src = src, .next = first, .end = end, .hit = hit, .run = run};
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

/* Values of the first column of the local key after the series, by which the rows of a run are
 * ordered; as wide as can be where nothing is known. Zones of blocks that other runs share are
 * wider than the run. */
static void scan_run_keys(const struct scan *s,
                          const struct scan_src *src,
                          uint32_t run,
                          int64_t *ret_min,
                          int64_t *ret_max)
{
    const struct key_part *key = &s->t->rest[0];
    uint32_t first;
    uint32_t end;
    struct datum a;
    struct datum b;
    struct zone z;

    *ret_min = INT64_MIN;
    *ret_max = INT64_MAX;
    scan_run_rows(src, run, &first, &end);
    if (src->m) {
        a = memtable_rest(src->m, src->order->order[first], s->t, 0);
        b = memtable_rest(src->m, src->order->order[end - 1], s->t, 0);
        if (!a.null && !b.null) {
            *ret_min = key->desc ? b.v.i64 : a.v.i64;
            *ret_max = key->desc ? a.v.i64 : b.v.i64;
        }
        return;
    }
    first = seg_block_of(src->seg, first);
    end = seg_block_of(src->seg, end - 1);
    if (seg_block_zone(src->seg, key->desc ? end : first, key->col, &z) && z.has_range &&
        z.nulls == 0 && !z.absent)
        *ret_min = z.min.v.i64;
    if (seg_block_zone(src->seg, key->desc ? first : end, key->col, &z) && z.has_range &&
        z.nulls == 0 && !z.absent)
        *ret_max = z.max.v.i64;
}

/* What the rows of a run are ordered by. */
enum scan_order {
    SCAN_BY_NOTHING, /* that is an integer */
    SCAN_BY_ROWID,   /* no key */
    SCAN_BY_TIME,    /* the time column, whose range is known of each run */
    SCAN_BY_KEY,     /* another column of the key */
};

static enum scan_order scan_order_of(const struct table *t)
{
    enum type_id type;

    if (t->form == KEY_NONE)
        return SCAN_BY_ROWID;
    if (t->rest_count == 0)
        return SCAN_BY_NOTHING;
    if (t->time_col >= 0 && t->rest[0].col == t->time_col)
        return SCAN_BY_TIME;
    type = t->columns[t->rest[0].col].type;
    return type_is_fixed(type) && !type_is_float(type) ? SCAN_BY_KEY : SCAN_BY_NOTHING;
}

/* The range of the source's next run by that. */
static void scan_next_range(const struct scan *s,
                            const struct scan_src *src,
                            int64_t *ret_min,
                            int64_t *ret_max)
{
    uint32_t run = scan_pick(s, src);

    switch (scan_order_of(s->t)) {
    case SCAN_BY_ROWID:
        scan_run_rowids(s, src, run, ret_min, ret_max);
        break;
    case SCAN_BY_TIME:
        scan_run_time(src, run, ret_min, ret_max);
        break;
    case SCAN_BY_KEY:
        scan_run_keys(s, src, run, ret_min, ret_max);
        break;
    case SCAN_BY_NOTHING:
        *ret_min = INT64_MIN;
        *ret_max = INT64_MAX;
        break;
    }
}

static bool scan_order_desc(const struct table *t)
{
    return scan_order_of(t) == SCAN_BY_TIME  ? t->time_desc
           : scan_order_of(t) == SCAN_BY_KEY ? t->rest[0].desc
                                             : false;
}

/* Does all of a come before all of b? */
static bool scan_disjoint(const struct scan *s, const struct scan_src *a, const struct scan_src *b)
{
    int64_t amin;
    int64_t amax;
    int64_t bmin;
    int64_t bmax;

    scan_next_range(s, a, &amin, &amax);
    scan_next_range(s, b, &bmin, &bmax);
    return scan_order_desc(s->t) ? amin > bmax : amax < bmin;
}

static bool scan_before(const struct scan *s, const struct scan_src *a, const struct scan_src *b)
{
    int64_t amin;
    int64_t bmin;
    int64_t unused;

    scan_next_range(s, a, &amin, &unused);
    scan_next_range(s, b, &bmin, &unused);
    return scan_order_desc(s->t) ? amin > bmin : amin < bmin;
}

/* Members whose rows follow each other become pieces; false if any two overlap. */
static bool scan_take_sequence(struct scan *s)
{
    if (scan_order_of(s->t) == SCAN_BY_NOTHING)
        return false;
    for (uint32_t i = 0; i < s->members_count; i++)
        if (!scan_run_plain(s->members[i], scan_pick(s, s->members[i])))
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
        struct scan_piece *p = &s->pieces[s->reverse ? s->members_count - 1 - i : i];
        p->src = src;
        p->hit = scan_pick_hit(s, src);
        p->run = scan_pick(s, src);
        scan_run_rows(src, scan_pick(s, src), &p->next, &p->end);
        src->at++;
    }
    s->pieces_count = s->members_count;
    s->pieces_at = 0;
    return true;
}

/* ---- morsels ---- */

/* About `want` rows of the piece: whole blocks of a segment. */
static uint32_t scan_piece_cut(const struct scan_piece *p, uint32_t want)
{
    const struct seg_block *b;

    if (p->end - p->next <= want)
        return p->end;
    if (p->src->m)
        return p->next + want;
    b = &seg_get_blocks(p->src->seg, NULL)[seg_block_of(p->src->seg, p->next + want - 1)];
    return b->first_row + b->rows < p->end ? b->first_row + b->rows : p->end;
}

/* The same from its end: where they begin. */
static uint32_t scan_piece_cut_end(const struct scan_piece *p, uint32_t want)
{
    const struct seg_block *b;

    if (p->end - p->next <= want)
        return p->next;
    if (p->src->m)
        return p->end - want;
    b = &seg_get_blocks(p->src->seg, NULL)[seg_block_of(p->src->seg, p->end - want)];
    return b->first_row > p->next ? b->first_row : p->next;
}

static uint64_t scan_take_pieces(struct scan *s, uint64_t want, struct scan_morsel *m)
{
    uint64_t rows = 0;

    while (s->pieces_at < s->pieces_count && m->count < SCAN_MORSEL_PIECES && rows < want) {
        struct scan_piece *p = &s->pieces[s->pieces_at];
        struct scan_piece part = *p;

        if (s->reverse)
            part.next = p->end = scan_piece_cut_end(p, (uint32_t)(want - rows));
        else
            part.end = p->next = scan_piece_cut(p, (uint32_t)(want - rows));
        m->pieces[m->count++] = part;
        rows += part.end - part.next;
        if (p->next == p->end)
            s->pieces_at++;
    }
    return rows;
}

static void scan_take_merge(struct scan *s, struct scan_morsel *m)
{
    m->merge = true;
    m->members_count = s->members_count;
    for (uint32_t i = 0; i < s->members_count; i++) {
        struct scan_src *src = s->members[i];
        m->members[i] = (struct scan_member){.src = src, .run = scan_pick(s, src)};
        src->at++;
    }
}

/* Fills the morsel; leaves it empty at the end. */
static void scan_fill_morsel(struct scan *s, uint32_t rows_max, struct scan_morsel *m)
{
    uint64_t rows = 0;

    for (;;) {
        struct scan_src *second;
        rows += scan_take_pieces(s, rows_max - rows, m);
        if (m->count == SCAN_MORSEL_PIECES || rows >= rows_max)
            return;
        scan_find_members(s, &second);
        if (s->members_count == 0)
            return;
        if (s->members_count == 1 && scan_run_plain(s->members[0], scan_pick(s, s->members[0]))) {
            scan_take_alone(s, s->members[0], second);
            continue;
        }
        if (s->members_count > 1 && scan_take_sequence(s))
            continue;
        if (m->count == 0)
            scan_take_merge(s, m); /* else it is the next morsel: nothing was taken yet */
        return;
    }
}

int scan_walk(struct scan *s, uint32_t rows_max, struct scan_morsel *ret)
{
    ret->count = 0;
    ret->at = 0;
    ret->merge = false;
    if (s->lock)
        sched_lock(s->lock);
    scan_fill_morsel(s, rows_max && !scan_only_counts(s) ? rows_max : UINT32_MAX, ret);
    ret->number = s->morsels++;
    if (s->lock)
        sched_unlock(s->lock);
    return ret->count || ret->merge ? DN_OK : DN_EOF;
}

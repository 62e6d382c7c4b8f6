/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_walk.c: the runs of all sources in physical order. Most runs belong to one source and are
 * handed out as they lie. Where sources share a run it is cut (scan_cut.c) into what each of them
 * has alone and what is to be merged (scan_merge.c). Where no order is needed, sets of sources that
 * cannot share a key are walked one after the other (scan_apart.c). Readers take what comes next in
 * morsels: stretches of rows that end with a block where they can, or one stretch to merge. All of
 * it works from either end. */
#include "store/scan_int.h"

#include <string.h>

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

/* The sources from which the walk takes now: [*ret_first, *ret_end) of apart. */
static void scan_this_set(const struct scan *s, uint32_t *ret_first, uint32_t *ret_end)
{
    uint32_t set = s->reverse ? s->sets_count - 1 - s->sets_at : s->sets_at;

    *ret_first = s->apart && set > 0 ? s->set_ends[set - 1] : 0;
    *ret_end = s->apart ? s->set_ends[set] : s->srcs_count;
}

/* Sources of a set whose next run comes first, and in *ret_second one whose run is the first of the
 * others (or NULL). */
static void scan_find_members_of_set(struct scan *s, struct scan_src **ret_second)
{
    struct scan_src *min = NULL;
    struct scan_src *second = NULL;
    uint32_t first;
    uint32_t end;

    s->members_count = 0;
    scan_this_set(s, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        struct scan_src *src = s->apart ? s->apart[i] : &s->srcs[i];
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

/* The same; goes on to the next set when one is done. None are left: members_count is 0. */
static void scan_find_members(struct scan *s, struct scan_src **ret_second)
{
    scan_find_members_of_set(s, ret_second);
    while (s->members_count == 0 && s->sets_at + 1 < s->sets_count) {
        s->sets_at++;
        scan_find_members_of_set(s, ret_second);
    }
}

/* Does the source's run at a place of its picks come before the next one of another (NULL: there is
 * none)? */
static bool scan_pick_before(const struct scan *s,
                             const struct scan_src *src,
                             uint32_t place,
                             const struct scan_src *other)
{
    uint32_t run = s->reverse ? src->picks_count - 1 - place : place;
    int c = other ? scan_run_cmp(s, src, run, other, scan_pick(s, other)) : -1;

    return other && s->reverse ? c > 0 : c < 0;
}

/* All runs of a segment that come before another source's, if it is read as it lies: gallop, then
 * halve. */
static void scan_take_stretch(struct scan *s,
                              struct scan_src *src,
                              const struct scan_src *second,
                              uint32_t *first,
                              uint32_t *end)
{
    uint32_t lo = src->at; /* those before it are taken */
    uint32_t hi = src->picks_count;
    uint32_t step = 1;

    if (src->m || src->picks || src->special || lo == hi)
        return;
    while (second && hi - lo > step && scan_pick_before(s, src, lo + step - 1, second)) {
        lo += step;
        step *= 2;
    }
    if (second && hi - lo > step)
        hi = lo + step - 1; /* it is not before */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (scan_pick_before(s, src, mid, second))
            lo = mid + 1;
        else
            hi = mid;
    }
    if (s->reverse)
        *first = src->runs->first_row[src->picks_count - lo];
    else
        *end = src->runs->first_row[lo];
    src->at = lo;
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
    scan_take_stretch(s, src, second, &first, &end);
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
    m->members_count = s->merge_count;
    memcpy(m->members, s->merge, s->merge_count * sizeof *m->members);
    s->merge_count = 0;
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
        if (s->merge_count > 0) {
            if (m->count == 0)
                scan_take_merge(s, m); /* else it is the next morsel */
            return;
        }
        if (s->cuts_count > 0 && scan_cut_next(s))
            continue;
        scan_find_members(s, &second);
        if (s->members_count == 0)
            return;
        if (s->members_count == 1 && scan_run_plain(s->members[0], scan_pick(s, s->members[0])))
            scan_take_alone(s, s->members[0], second);
        else
            scan_cut_begin(s);
    }
}

void scan_walk_leave(struct scan *s, const struct scan_src *src, uint32_t run)
{
    if (s->lock)
        sched_lock(s->lock);
    if (s->cuts_count && scan_run_cmp(s, s->cuts[0].src, s->cuts[0].run, src, run) == 0) {
        s->cuts_count = 0;
        s->merge_count = 0;
        s->pieces_at = s->pieces_count;
    }
    if (s->lock)
        sched_unlock(s->lock);
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

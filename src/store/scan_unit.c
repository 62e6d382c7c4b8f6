/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_unit.c: one reader: its morsels unit by unit.
 *
 * A unit of a segment is a whole block or rows of one vector. Zones leave out what cannot matter
 * and tell which constraints hold for all rows. Inside a run the rows are sorted by the first
 * column of the rest of the key (mostly the time): a constraint on it is not left to the caller but
 * cuts the unit, by binary search in that column. */
#include "store/scan_reader.h"

#include <string.h>

#define UNIT_RUN_ROWS  64u /* a stretch of one run this long is worth a unit of its own */
#define UNIT_LONE_PART 8u  /* a piece of less than this part of a block group is read on its own */

/* ---- life ---- */

int scan_reader_new(struct scan *s,
                    const struct scan_reader_options *options,
                    struct scan_reader **ret,
                    struct dn_err *err)
{
    struct scan_reader *r = mem_calloc(options->owner, 1, sizeof *r);

    if (!r)
        return DN_FAIL_NOMEM(err);
    r->s = s;
    r->owner = options->owner;
    r->options = *options;
    arena_init(&r->arena, r->owner);
    arena_init(&r->keep, r->owner);
    r->curs = arena_calloc(&r->keep, s->srcs_count, sizeof *r->curs);
    r->tmp_vecs = arena_calloc(&r->keep, s->fetch_count, sizeof *r->tmp_vecs);
    r->tmp_known = arena_calloc(&r->keep, s->fetch_count, sizeof *r->tmp_known);
    r->tmp_cols = arena_calloc(&r->keep, 2 * (size_t)s->fetch_count, sizeof *r->tmp_cols);
    r->out_vecs = arena_calloc(&r->keep, s->spec.cols_count, sizeof *r->out_vecs);
    r->out_have = arena_calloc(&r->keep, s->spec.cols_count, sizeof *r->out_have);
    r->holds = arena_calloc(&r->keep, s->spec.preds_count, sizeof *r->holds);
    r->morsel.members = arena_calloc(&r->keep, s->srcs_count, sizeof *r->morsel.members);
    if (!r->curs || !r->tmp_vecs || !r->tmp_known || !r->tmp_cols || !r->out_vecs || !r->out_have ||
        !r->holds || !r->morsel.members) {
        scan_reader_free(r);
        return DN_FAIL_NOMEM(err);
    }
    *ret = r;
    return DN_OK;
}

void scan_reader_free(struct scan_reader *r)
{
    if (!r)
        return;
    scan_merge_done(r);
    scan_weave_free(r->weave);
    for (uint32_t i = 0; r->curs && i < r->s->srcs_count; i++) {
        struct scan_cur *cur = &r->curs[i];
        r->stats.bytes_read += cur->pins.read_bytes;
        seg_pins_done(&cur->pins);
        arena_done(&cur->arena);
    }
    if (r->s->lock)
        sched_lock(r->s->lock);
    scan_stats_add(&r->s->stats, &r->stats);
    if (r->s->lock)
        sched_unlock(r->s->lock);
    mem_free(r->hits);
    arena_done(&r->arena);
    arena_done(&r->keep);
    mem_free(r);
}

/* ---- cutting ---- */

/* The values that order the rows of a run: of a decoded vector, or of a memtable. */
struct unit_values {
    const struct vec *v; /* NULL: the memtable's */
    const struct memtable *m;
    const uint32_t *order;
    uint32_t col;
};

static struct datum unit_value(const struct unit_values *u, uint32_t row)
{
    return u->v ? vec_datum(u->v, row) : memtable_datum(u->m, u->order[row], u->col);
}

/* First row of [a, b) that is not before (past false) or that is after (past true) the interval, in
 * the order of the rows. */
static uint32_t unit_search(const struct scan *s,
                            const struct unit_values *u,
                            const struct interval *iv,
                            bool past,
                            uint32_t a,
                            uint32_t b)
{
    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        struct datum d = unit_value(u, mid);
        bool before =
            past == s->cut_desc ? range_above(iv, &d) == !past : range_below(iv, &d) == !past;
        if (before)
            a = mid + 1;
        else
            b = mid;
    }
    return a;
}

/* The interval that the value is in, or the next one in the order of the rows; NULL: none. */
static const struct interval *
unit_interval(const struct scan *s, const struct scan_pred *p, const struct datum *d)
{
    uint32_t k = scan_set_find(p, d);

    if (!s->cut_desc)
        return k < p->set_count ? &p->set[k] : NULL;
    if (k < p->set_count && !range_above(&p->set[k], d))
        return &p->set[k];
    return k > 0 ? &p->set[k - 1] : NULL;
}

/* Narrows the rows to the first of them that satisfy the constraint one after the other; false if
 * none does. */
static bool unit_cut(const struct scan *s, const struct unit_values *u, uint32_t *lo, uint32_t *hi)
{
    const struct scan_pred *p = &s->spec.preds[s->cut_pred];
    uint32_t at = *lo;

    while (at < *hi) {
        struct datum d = unit_value(u, at);
        const struct interval *iv = unit_interval(s, p, &d);
        uint32_t end;
        if (!iv)
            return false;
        at = unit_search(s, u, iv, false, at, *hi);
        end = unit_search(s, u, iv, true, at, *hi);
        if (end > at) {
            *lo = at;
            *hi = end;
            return true;
        }
    }
    return false;
}

/* ---- units ---- */

static void unit_give(struct scan_reader *r, enum scan_unit_kind kind, uint32_t rows)
{
    struct scan_unit *u = &r->unit;

    u->kind = kind;
    u->rows = rows;
    u->backward = false;
    u->holds = r->holds;
    u->morsel = r->morsel.number;
    u->proven = true;
    r->few_count = 0;
    for (uint32_t i = 0; i < r->s->spec.preds_count; i++)
        u->proven = u->proven && r->holds[i];
    r->counted = false;
    r->stats.rows += rows;
}

/* Only what is known of every picked run. */
static void unit_holds_series(struct scan_reader *r)
{
    for (uint32_t i = 0; i < r->s->spec.preds_count; i++)
        r->holds[i] = r->s->pred_series[i];
}

/* Takes rows [lo, hi) out of what is left of a piece. */
static void unit_take(const struct scan *s, struct scan_piece *p, uint32_t lo, uint32_t hi)
{
    if (s->reverse)
        p->end = lo;
    else
        p->next = hi;
}

/* The run of the rows [lo, hi) of a vector, the first of which is `first` in the segment. With
 * `cut` they may become fewer, so that they are of one run. */
static void unit_place_run(struct scan_reader *r,
                           const struct seg_block *b,
                           uint32_t first,
                           uint32_t *lo,
                           uint32_t *hi,
                           bool cut)
{
    const struct seg_runs *runs = r->src->runs;

    if (r->s->reverse) {
        r->run = seg_run_of(runs, b, first + *hi - 1);
        r->unit.one_run = runs->first_row[r->run] <= first + *lo;
        if (cut && !r->unit.one_run && first + *hi - runs->first_row[r->run] >= UNIT_RUN_ROWS) {
            *lo = runs->first_row[r->run] - first;
            r->unit.one_run = true;
        }
        return;
    }
    r->run = seg_run_of(runs, b, first + *lo);
    r->unit.one_run = runs->first_row[r->run + 1] >= first + *hi;
    if (cut && !r->unit.one_run && runs->first_row[r->run + 1] - (first + *lo) >= UNIT_RUN_ROWS) {
        *hi = runs->first_row[r->run + 1] - first;
        r->unit.one_run = true;
    }
}

/* Is the constraint on the column that orders runs worth a search in this unit? The rows of one
 * interval make a unit, so going backward there may be only one. */
static bool unit_may_cut(const struct scan_reader *r)
{
    const struct scan *s = r->s;

    return s->cut_pred >= 0 && !r->holds[s->cut_pred] &&
           (!s->reverse || s->spec.preds[s->cut_pred].set_count == 1);
}

/* May rows of the piece be gone: hit by range tombstones, or expired? */
static bool unit_thinned(const struct scan_piece *p)
{
    return p->hit || p->src->aged;
}

/* Rows [lo, hi) of the piece less those that are gone: what comes first; the others stay in the
 * piece. */
static int unit_spare(struct scan_reader *r,
                      struct scan_piece *p,
                      uint32_t vector,
                      uint32_t first,
                      uint32_t *lo,
                      uint32_t *hi,
                      struct dn_err *err)
{
    uint32_t from = *lo;
    uint32_t end = *hi;
    int rc = p->hit ? scan_range_run(r, p->src, p->run, err) : DN_OK;

    if (rc == DN_OK)
        rc = scan_range_cut(r, p, vector, lo, hi, err);
    if (rc != DN_OK)
        return rc;
    if (r->s->reverse && *lo > from)
        p->end = first + *lo;
    if (!r->s->reverse && *hi < end)
        p->next = first + *hi;
    return DN_OK;
}

/* The next unit of a block whose zone was looked at: rows of one vector. */
static int unit_vector(struct scan_reader *r, struct scan_piece *p, struct dn_err *err)
{
    const struct scan *s = r->s;
    const struct scan_src *src = p->src;
    const struct seg_block *b = &seg_get_blocks(src->seg, NULL)[r->block];
    uint32_t at = s->reverse ? p->end - 1 : p->next;
    uint32_t vector = (at - b->first_row) / VEC_ROWS_MAX;
    uint32_t first = b->first_row + vector * VEC_ROWS_MAX;
    uint32_t rows = b->first_row + b->rows - first;
    uint32_t lo = p->next > first ? p->next - first : 0;
    uint32_t hi;
    bool cut;

    rows = rows < VEC_ROWS_MAX ? rows : VEC_ROWS_MAX;
    hi = p->end - first < rows ? p->end - first : rows;
    if (s->spec.preds_count && !scan_zone_may(s, src, r->block, vector, r->holds)) {
        unit_take(s, p, first + lo, first + hi);
        r->stats.vectors_pruned++;
        return DN_NOT_FOUND;
    }
    cut = unit_may_cut(r);
    unit_place_run(r, b, first, &lo, &hi, cut);
    unit_take(s, p, first + lo, first + hi);
    if (cut && r->unit.one_run) {
        uint32_t col = s->fetch_at[s->spec.preds[s->cut_pred].col];
        int rc = scan_decode(r, src, r->block, vector, &col, 1, err);
        struct unit_values u = {.v = scan_cur_of(r, src)->vecs + col};
        if (rc < 0)
            return rc;
        if (!unit_cut(s, &u, &lo, &hi))
            return DN_NOT_FOUND;
        r->holds[s->cut_pred] = true;
        if (s->spec.preds[s->cut_pred].set_count > 1)
            p->next = first + hi; /* more may follow in this vector */
    }
    if (unit_thinned(p)) {
        int rc = unit_spare(r, p, vector, first, &lo, &hi, err);
        if (rc != DN_OK)
            return rc;
    }
    r->vector = vector;
    r->lo = lo;
    r->hi = hi;
    r->unit.whole = lo == 0 && hi == rows;
    unit_give(r, SCAN_VECTOR, hi - lo);
    return DN_OK;
}

/* All of a piece, where rows are only counted. */
static int unit_piece(struct scan_reader *r, struct scan_piece *p)
{
    r->src = p->src;
    r->in_src = NULL;
    r->in_piece = true;
    r->piece = *p;
    r->unit.one_run = false;
    r->unit.whole = true;
    unit_take(r->s, p, p->next, p->end);
    unit_give(r, SCAN_BLOCK, r->piece.end - r->piece.next);
    return DN_OK;
}

static int unit_segment(struct scan_reader *r, struct scan_piece *p, struct dn_err *err)
{
    const struct scan_src *src = p->src;
    const struct seg_block *b;
    uint32_t at = r->s->reverse ? p->end - 1 : p->next;
    uint32_t end;

    r->src = p->src;
    if (r->in_src == src && at >= r->in_first && at < r->in_end)
        return unit_vector(r, p, err);
    if (r->in_src == src && (r->s->reverse ? at + 1 == r->in_first : at == r->in_end))
        r->block += r->s->reverse ? UINT32_MAX : 1; /* beside the last one */
    else
        r->block = seg_block_of(src->seg, at);
    b = &seg_get_blocks(src->seg, NULL)[r->block];
    end = b->first_row + b->rows;
    if (r->in_src != src || r->lone_at != r->morsel.at)
        r->lone = p->end - p->next < SEG_GROUP_ROWS / UNIT_LONE_PART;
    r->lone_at = r->morsel.at;
    r->in_src = src;
    r->in_first = b->first_row;
    r->in_end = end;
    if (!scan_zone_may(r->s, src, r->block, UINT32_MAX, r->holds)) {
        r->stats.blocks_pruned++;
        unit_take(
            r->s, p, b->first_row > p->next ? b->first_row : p->next, end < p->end ? end : p->end);
        return DN_NOT_FOUND;
    }
    if (unit_thinned(p)) {
        int rc = p->hit ? scan_range_run(r, src, p->run, err) : DN_OK;
        int hit;
        if (rc < 0)
            return rc;
        hit = scan_range_zone(r, p, r->block, UINT32_MAX);
        if (hit > 0) {
            r->stats.blocks_pruned++;
            r->in_src = NULL;
            unit_take(r->s,
                      p,
                      b->first_row > p->next ? b->first_row : p->next,
                      end < p->end ? end : p->end);
            return DN_NOT_FOUND;
        }
        if (hit == 0)
            return unit_vector(r, p, err);
    }
    if (!r->options.blocks || p->next > b->first_row || p->end < end)
        return unit_vector(r, p, err);
    unit_take(r->s, p, b->first_row, end);
    r->run = b->run_first;
    r->unit.one_run = b->run_count == 1;
    r->unit.whole = true;
    unit_give(r, SCAN_BLOCK, b->rows);
    return DN_OK;
}

/* Time constraints on a run of a memtable. */
static void unit_holds_time(struct scan_reader *r, const struct scan_src *src, uint32_t run)
{
    const struct scan *s = r->s;
    const struct mem_run *mr = &src->order->runs[run];

    for (uint32_t i = 0; i < s->spec.preds_count; i++) {
        const struct scan_pred *p = &s->spec.preds[i];
        struct datum lo;
        struct datum hi;
        if (s->t->time_col < 0 || p->col != s->t->time_col || !s->t->columns[p->col].key_pos)
            continue;
        lo = (struct datum){.type = s->t->columns[p->col].type, .v.i64 = mr->time_min};
        hi = (struct datum){.type = lo.type, .v.i64 = mr->time_max};
        r->holds[i] = r->holds[i] || scan_set_covers(p, &lo, &hi);
    }
}

static uint32_t unit_mem_run(const struct mem_order *o, uint32_t place)
{
    uint32_t lo = 0;
    uint32_t hi = o->runs_count;

    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (o->runs[mid].first <= place)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static int unit_memtable(struct scan_reader *r, struct scan_piece *p, struct dn_err *err)
{
    const struct scan *s = r->s;
    const struct mem_order *o = p->src->order;
    uint32_t lo = p->next;
    uint32_t hi = p->end;
    uint32_t run_first;
    uint32_t run_end;

    if (s->reverse)
        lo = hi - lo < VEC_ROWS_MAX ? lo : hi - VEC_ROWS_MAX;
    else
        hi = hi - lo < VEC_ROWS_MAX ? hi : lo + VEC_ROWS_MAX;
    r->src = p->src;
    r->run = unit_mem_run(o, s->reverse ? hi - 1 : lo);
    run_first = o->runs[r->run].first > lo ? o->runs[r->run].first : lo;
    run_end = o->runs[r->run].first + o->runs[r->run].count;
    run_end = run_end < hi ? run_end : hi;
    r->unit.one_run = run_end - run_first == hi - lo || run_end - run_first >= UNIT_RUN_ROWS;
    if (r->unit.one_run) {
        lo = run_first;
        hi = run_end;
    }
    unit_take(s, p, lo, hi);
    unit_holds_series(r);
    if (r->unit.one_run) {
        unit_holds_time(r, p->src, r->run);
        if (unit_may_cut(r)) {
            struct unit_values u = {
                .m = p->src->m, .order = o->order, .col = p->src->t->rest[0].col};
            if (!unit_cut(s, &u, &lo, &hi))
                return DN_NOT_FOUND;
            r->holds[s->cut_pred] = true;
            if (s->spec.preds[s->cut_pred].set_count > 1)
                p->next = hi;
        }
    }
    if (unit_thinned(p)) {
        int rc = unit_spare(r, p, 0, 0, &lo, &hi, err);
        if (rc != DN_OK)
            return rc;
    }
    r->lo = lo;
    r->hi = hi;
    r->unit.whole = false;
    unit_give(r, SCAN_ROWS, hi - lo);
    return DN_OK;
}

static int unit_merged(struct scan_reader *r, struct dn_err *err)
{
    int rc = r->weaving ? scan_weave_next(r, err) : scan_merge_next(r, err);
    uint32_t rows;

    if (rc < 0)
        return rc;
    if (rc == DN_EOF)
        r->merging = false;
    rows = r->weaving ? scan_weave_rows(r) : fold_rows(&r->fold);
    if (rows == 0)
        return DN_NOT_FOUND;
    r->src = NULL;
    r->unit.one_run = true;
    r->unit.whole = false;
    unit_holds_series(r);
    unit_give(r, SCAN_ROWS, rows);
    r->unit.backward = r->s->reverse;
    return DN_OK;
}

/* The next unit of the morsel; DN_NOT_FOUND: something was left out, go on; DN_EOF: it is done. */
static int unit_of_morsel(struct scan_reader *r, struct dn_err *err)
{
    struct scan_morsel *m = &r->morsel;

    r->in_piece = false;
    while (m->at < m->count) {
        struct scan_piece *p = &m->pieces[m->at];
        if (p->next < p->end && !p->src->m && !unit_thinned(p) && r->options.blocks &&
            !r->no_pieces && scan_only_counts(r->s))
            return unit_piece(r, p);
        if (p->next < p->end)
            return p->src->m ? unit_memtable(r, p, err) : unit_segment(r, p, err);
        m->at++;
    }
    return r->merging ? unit_merged(r, err) : DN_EOF;
}

int scan_unit_next(struct scan_reader *r, struct scan_unit *ret, struct dn_err *err)
{
    int rc;

    for (;;) {
        rc = unit_of_morsel(r, err);
        if (rc < 0)
            return rc;
        if (rc == DN_OK)
            break;
        if (rc == DN_NOT_FOUND)
            continue;
        if (r->ended || scan_walk(r->s, r->options.morsel_rows, &r->morsel) == DN_EOF) {
            r->ended = true;
            return DN_EOF;
        }
        r->in_src = NULL;
        if (r->morsel.merge) {
            r->weaving = scan_weave_may(r);
            rc = r->weaving ? scan_weave_begin(r, err) : scan_merge_begin(r, err);
            if (rc < 0)
                return rc;
            r->merging = true;
            r->lone = false;
        }
    }
    arena_reset(&r->arena);
    memset(r->out_have, 0, r->s->spec.cols_count);
    *ret = r->unit;
    return DN_OK;
}

void scan_unit_split(struct scan_reader *r)
{
    struct scan_piece *p = &r->morsel.pieces[r->morsel.at];

    DN_ASSERT(r->unit.kind == SCAN_BLOCK && p->src == r->src);
    if (r->in_piece)
        *p = r->piece;
    else if (r->s->reverse)
        p->end = r->in_end;
    else
        p->next = r->in_first;
    r->no_pieces = r->no_pieces || r->in_piece;
    r->in_piece = false;
    r->stats.rows -= r->unit.rows;
}

void scan_unit_leave_run(struct scan_reader *r)
{
    DN_ASSERT(r->unit.one_run);
    if (r->s->srcs_count < 2)
        return;
    if (r->src)
        scan_walk_leave(r->s, r->src, r->run);
    else
        scan_walk_leave(r->s, r->morsel.members[0].src, r->morsel.members[0].run);
    if (!r->merging || !r->weaving)
        return;
    r->morsel.at = r->morsel.count; /* a piece that the weave gave */
    r->merging = false;
}

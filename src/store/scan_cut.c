/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_cut.c: a run that several sources hold, or that has rows to fold, cut at the borders of what
 * has to be merged.
 *
 * The rows of a run are ordered by the first column of the rest of the local key (or by row id),
 * and what is known of that column without decoding tells where sources overlap: the run's range of
 * times, zones of blocks and of vectors, in memtables the rows themselves. Going through the run in
 * the direction of the walk, the source that comes first gives all rows that end before another
 * one's next row: they are a piece, read as if there were no other source. Where none can be given
 * a stretch to merge begins: vectors (and rows of memtables) join it as long as they begin before
 * its end, wherever they come from.
 *
 * So ten late rows over a run of a million cost the vectors that they fall into, and a value that
 * two neighbours share at their border costs two vectors.
 *
 * Places are numbers for the values of that column (datum_place: integers themselves, the first
 * bytes of texts), turned round where that makes the walk go upward. */
#include "store/scan_int.h"

uint32_t scan_order_col(const struct table *t, bool *ret_exact)
{
    enum type_id type;

    *ret_exact = true;
    if (t->form == KEY_NONE)
        return t->columns_count + HIDDEN_ROWID;
    if (t->rest_count == 0)
        return UINT32_MAX;
    type = t->columns[t->rest[0].col].type;
    *ret_exact = type_is_fixed(type);
    return type_is_fixed(type) || type_is_string(type) ? t->rest[0].col : UINT32_MAX;
}

bool scan_order_falls(const struct scan *s)
{
    bool desc = s->t->form != KEY_NONE && s->t->rest_count > 0 && s->t->rest[0].desc;

    return desc != s->reverse;
}

int64_t scan_mem_place(const struct scan *s, const struct scan_src *src, uint32_t at)
{
    uint32_t row = src->order->order[at];
    struct datum d = s->t->form == KEY_NONE
                         ? memtable_datum(src->m, row, src->t->columns_count + HIDDEN_ROWID)
                         : memtable_rest(src->m, row, s->t, 0);
    int64_t v = datum_place(&d);

    return scan_order_falls(s) ? ~v : v;
}

/* Values from min to max as places from lo to hi. */
static void cut_set(const struct scan *s, int64_t min, int64_t max, int64_t *lo, int64_t *hi)
{
    *lo = scan_order_falls(s) ? ~max : min;
    *hi = scan_order_falls(s) ? ~min : max;
}

/* The row that the walk comes to next. */
static uint32_t cut_at(const struct scan *s, const struct scan_cut *c)
{
    return s->reverse ? c->end - 1 : c->next;
}

/* Some rows that come next, and between which places they are. */
struct cut_atom {
    uint32_t first;
    uint32_t end;
    int64_t lo;
    int64_t hi;
    bool plain; /* each is a whole row, of which the source has one version */
};

/* Narrows an atom by the zone of a block (vector UINT32_MAX) or a vector, which other runs may have
 * rows in, too; or one of its ends only. */
static void cut_narrow(const struct scan *s,
                       const struct scan_src *src,
                       uint32_t block,
                       uint32_t vector,
                       int64_t *lo,
                       int64_t *hi)
{
    struct zone z;
    bool known = vector == UINT32_MAX ? seg_block_zone(src->seg, block, s->order_col, &z)
                                      : seg_vector_zone(src->seg, block, vector, s->order_col, &z);
    int64_t from;
    int64_t to;

    if (known && !z.has_range && vector != UINT32_MAX) /* vectors of texts have none */
        known = seg_block_zone(src->seg, block, s->order_col, &z);
    if (!known || !z.has_range || z.nulls || z.absent)
        return;
    cut_set(s, datum_place(&z.min), datum_place(&z.max), &from, &to);
    if (lo && from > *lo)
        *lo = from;
    if (hi && to < *hi)
        *hi = to;
}

/* All rows that are left, with what the run table says. */
static void cut_atom_run(const struct scan *s, const struct scan_cut *c, struct cut_atom *ret)
{
    int64_t min = INT64_MIN;
    int64_t max = INT64_MAX;

    if (s->t->time_col >= 0 && s->order_col == (uint32_t)s->t->time_col)
        scan_run_time(c->src, c->run, &min, &max);
    *ret =
        (struct cut_atom){.first = c->next, .end = c->end, .plain = scan_run_plain(c->src, c->run)};
    cut_set(s, min, max, &ret->lo, &ret->hi);
}

/* The same, if it says nothing, with what their ends say. */
static void cut_atom_all(const struct scan *s, const struct scan_cut *c, struct cut_atom *ret)
{
    uint32_t last = s->reverse ? c->next : c->end - 1;

    cut_atom_run(s, c, ret);
    if (s->order_col == UINT32_MAX || c->next == c->end)
        return;
    if (c->src->m) {
        ret->lo = scan_mem_place(s, c->src, cut_at(s, c));
        ret->hi = scan_mem_place(s, c->src, last);
    } else if (s->t->time_col < 0 || s->order_col != (uint32_t)s->t->time_col) {
        cut_narrow(s, c->src, seg_block_of(c->src->seg, cut_at(s, c)), UINT32_MAX, &ret->lo, NULL);
        cut_narrow(s, c->src, seg_block_of(c->src->seg, last), UINT32_MAX, NULL, &ret->hi);
    }
}

static bool
cut_all_puts(const struct scan_src *src, const struct table *t, uint32_t block, uint32_t vector)
{
    uint32_t col = t->columns_count + HIDDEN_OP;
    struct zone z;
    bool known = vector == UINT32_MAX ? seg_block_zone(src->seg, block, col, &z)
                                      : seg_vector_zone(src->seg, block, vector, col, &z);

    return known && z.has_range && z.nulls == 0 && z.max.v.i64 == ROW_PUT && z.min.v.i64 == ROW_PUT;
}

/* The rows of the segment's next block, or only of its next vector. */
static void
cut_atom_stored(const struct scan *s, const struct scan_cut *c, bool whole, struct cut_atom *ret)
{
    struct seg *seg = c->src->seg;
    uint32_t at = cut_at(s, c);
    uint32_t block = seg_block_of(seg, at);
    const struct seg_block *b = &seg_get_blocks(seg, NULL)[block];
    uint32_t vector = whole ? UINT32_MAX : (at - b->first_row) / VEC_ROWS_MAX;
    uint32_t first = b->first_row + (whole ? 0 : vector * VEC_ROWS_MAX);
    uint32_t end = b->first_row + b->rows;

    cut_atom_run(s, c, ret);
    if (!whole && first + VEC_ROWS_MAX < end)
        end = first + VEC_ROWS_MAX;
    ret->first = first > c->next ? first : c->next;
    ret->end = end < c->end ? end : c->end;
    ret->plain = ret->plain || cut_all_puts(c->src, s->t, block, vector);
    if (s->order_col != UINT32_MAX)
        cut_narrow(s, c->src, block, vector, &ret->lo, &ret->hi);
}

/* How many of the memtable's rows that are left come before a place, or at it? */
static uint32_t
cut_search(const struct scan *s, const struct scan_cut *c, int64_t place, bool at_it)
{
    uint32_t a = 0;
    uint32_t b = c->end - c->next;

    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        int64_t v = scan_mem_place(s, c->src, s->reverse ? c->end - 1 - mid : c->next + mid);
        if (v < place || (at_it && v == place))
            a = mid + 1;
        else
            b = mid;
    }
    return a;
}

/* Takes `rows` rows, and finds out where the next ones begin at least. */
static void cut_take(const struct scan *s, struct scan_cut *c, uint32_t rows)
{
    struct cut_atom a;

    if (s->reverse)
        c->end -= rows;
    else
        c->next += rows;
    if (c->next == c->end)
        return;
    if (c->src->m)
        cut_atom_all(s, c, &a);
    else
        cut_atom_stored(s, c, false, &a);
    c->lo = a.lo;
}

/* Leaves out blocks and vectors of which no row satisfies the constraints on columns of the key:
 * all versions of a row have one value there. */
static void cut_skip(struct scan *s, struct scan_cut *c)
{
    bool whole = true;

    if (!c->skips)
        return;
    while (c->next < c->end) {
        uint32_t at = cut_at(s, c);
        uint32_t block = seg_block_of(c->src->seg, at);
        uint32_t first = seg_get_blocks(c->src->seg, NULL)[block].first_row;
        struct cut_atom a;

        cut_atom_stored(s, c, whole, &a);
        if (scan_zone_may_key(s, c->src, block, whole ? UINT32_MAX : (at - first) / VEC_ROWS_MAX)) {
            if (!whole)
                return;
            whole = false;
            continue;
        }
        s->stats.blocks_pruned += whole;
        s->stats.vectors_pruned += !whole;
        cut_take(s, c, a.end - a.first);
    }
}

void scan_cut_begin(struct scan *s)
{
    s->cuts_count = s->members_count;
    for (uint32_t i = 0; i < s->members_count; i++) {
        struct scan_src *src = s->members[i];
        struct scan_cut *c = &s->cuts[i];
        struct cut_atom a;

        *c = (struct scan_cut){.src = src, .run = scan_pick(s, src), .hit = scan_pick_hit(s, src)};
        c->skips = !src->m && s->key_preds;
        scan_run_rows(src, c->run, &c->next, &c->end);
        src->at++;
        cut_atom_all(s, c, &a);
        c->lo = a.lo;
        cut_skip(s, c);
    }
}

/* The source that comes first; and where the first of the others begins, *ret_alone: there is no
 * other. NULL: nothing is left. */
static struct scan_cut *cut_first(struct scan *s, int64_t *ret_limit, bool *ret_alone)
{
    struct scan_cut *min = NULL;

    *ret_limit = INT64_MAX;
    *ret_alone = true;
    for (uint32_t i = 0; i < s->cuts_count; i++) {
        struct scan_cut *c = &s->cuts[i];
        if (c->next == c->end)
            continue;
        if (!min) {
            min = c;
            continue;
        }
        *ret_alone = false;
        if (c->lo < min->lo) {
            *ret_limit = min->lo;
            min = c;
        } else if (c->lo < *ret_limit) {
            *ret_limit = c->lo;
        }
    }
    return min;
}

/* How many rows does the source have alone: all of them end before the limit (or nothing else is
 * left), and need no folding? */
static uint32_t
cut_count_alone(const struct scan *s, const struct scan_cut *c, int64_t limit, bool alone)
{
    struct scan_cut left = *c;
    struct cut_atom a;

    cut_atom_all(s, c, &a);
    if (a.plain && (alone || a.hi < limit))
        return c->end - c->next;
    if (c->src->m)
        return a.plain && s->order_col != UINT32_MAX ? cut_search(s, c, limit, false) : 0;
    for (int whole = 1; whole >= 0; whole--) {
        while (left.next < left.end) {
            cut_atom_stored(s, &left, whole, &a);
            if (!a.plain || (!alone && a.hi >= limit))
                break;
            if (s->reverse)
                left.end = a.first;
            else
                left.next = a.end;
        }
    }
    return (c->end - c->next) - (left.end - left.next);
}

/* Rows of the source that begin before the stretch ends join it, which may move its end. */
static void cut_join(const struct scan *s, struct scan_cut *c, int64_t *hi, bool *plain)
{
    if (c->src->m) {
        *plain = *plain && scan_run_plain(c->src, c->run);
        cut_take(s, c, s->order_col == UINT32_MAX ? c->end - c->next : cut_search(s, c, *hi, true));
        return;
    }
    while (c->next < c->end && c->lo <= *hi) {
        struct cut_atom a;
        cut_atom_stored(s, c, false, &a);
        *plain = *plain && a.plain;
        *hi = a.hi > *hi ? a.hi : *hi;
        cut_take(s, c, a.end - a.first);
    }
}

/* What is to be merged next goes into s->merge: all that begins up to a place, and what that brings
 * along. */
static void cut_stretch(struct scan *s, int64_t hi)
{
    bool grows = true;

    for (uint32_t i = 0; i < s->cuts_count; i++)
        s->merge[i] = (struct scan_member){.src = s->cuts[i].src,
                                           .run = s->cuts[i].run,
                                           .hit = s->cuts[i].hit,
                                           .plain = true,
                                           .first = s->cuts[i].next,
                                           .end = s->cuts[i].end};
    while (grows) {
        grows = false;
        for (uint32_t i = 0; i < s->cuts_count; i++) {
            struct scan_cut *c = &s->cuts[i];
            int64_t before = hi;
            if (c->next == c->end || c->lo > hi)
                continue;
            cut_join(s, c, &hi, &s->merge[i].plain);
            grows = grows || hi > before;
        }
    }
    s->merge_count = 0;
    for (uint32_t i = 0; i < s->cuts_count; i++) {
        struct scan_member m = s->merge[i];
        if (s->reverse)
            m.first = s->cuts[i].end;
        else
            m.end = s->cuts[i].next;
        if (m.first < m.end)
            s->merge[s->merge_count++] = m;
    }
}

bool scan_cut_next(struct scan *s)
{
    int64_t limit;
    bool alone;
    struct scan_cut *c = cut_first(s, &limit, &alone);
    struct scan_piece piece;
    uint32_t rows;

    if (!c) {
        s->cuts_count = 0;
        return false;
    }
    rows = s->spec.plain ? 0 : cut_count_alone(s, c, limit, alone);
    if (rows == 0) {
        int64_t to = c->lo;
        if (s->spec.plain)
            to = INT64_MAX;
        else if (c->src->m && (alone || limit > c->lo))
            to = limit - !alone; /* rows to fold go together as far as they are alone */
        cut_stretch(s, to);
    } else {
        piece = (struct scan_piece){
            .src = c->src, .next = c->next, .end = c->end, .hit = c->hit, .run = c->run};
        if (s->reverse)
            piece.next = c->end - rows;
        else
            piece.end = c->next + rows;
        s->pieces[0] = piece;
        s->pieces_count = 1;
        s->pieces_at = 0;
        cut_take(s, c, rows);
    }
    for (uint32_t i = 0; i < s->cuts_count; i++)
        cut_skip(s, &s->cuts[i]);
    return true;
}

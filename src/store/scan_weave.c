/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_weave.c: a stretch that several sources hold with overlapping keys, where every version is a
 * whole row: nothing is folded, the newest version of a key is the row.
 *
 * Only what orders the rows is decoded: the column of scan_order_col, as places (scan_cut.c), a
 * window of one vector (or some rows of a memtable) for each source; the rest of the key where
 * places are equal, the sequence where keys are. Where the source that comes first has many rows
 * before the first row of the others, they are handed out as a piece, without a copy. Else rows are
 * picked one by one into a unit, (source, row in its window); its columns are gathered when
 * somebody asks for them. A unit ends with the window of one of its sources, so that what it picked
 * can still be decoded. */
#include "store/scan_reader.h"

#include <string.h>

#define WEAVE_ALONE 64u /* so many rows of one source are worth a unit without a copy */

/* One source's part of the stretch. The window is what its rows [lo, hi) are: row p of it, in the
 * direction of the walk, has place places[p]. */
struct weave_src {
    struct scan_src *src;
    uint32_t run;
    uint32_t next; /* rows behind the window */
    uint32_t end;
    uint32_t lo;
    uint32_t hi;
    uint32_t at; /* rows of the window that were taken */
    uint32_t block;
    uint32_t vector;
    uint32_t first; /* row of the segment that the vector begins with */
    uint32_t picks; /* rows of the unit at hand */
    int64_t *places;
};

struct weave_pick {
    uint32_t src;
    uint32_t row; /* of its vector; in a memtable, of its window */
};

struct weave {
    struct weave_src *srcs; /* owned */
    int64_t *places;        /* owned: VEC_ROWS_MAX for each of them */
    uint32_t srcs_count;
    uint32_t srcs_cap;
    struct weave_pick picks[VEC_ROWS_MAX]; /* of the unit at hand */
    uint32_t count;
};

bool scan_weave_may(const struct scan_reader *r)
{
    const struct scan *s = r->s;

    if (s->order_col == UINT32_MAX || s->spec.plain)
        return false;
    for (uint32_t i = 0; i < r->morsel.members_count; i++) {
        const struct scan_member *m = &r->morsel.members[i];
        if (!m->plain || m->hit || m->src->aged)
            return false;
    }
    return true;
}

static bool weave_reserve(struct scan_reader *r, uint32_t count)
{
    struct weave *w = r->weave;

    if (!w)
        w = r->weave = mem_calloc(r->owner, 1, sizeof *w);
    if (!w || count <= w->srcs_cap)
        return w != NULL;
    mem_free(w->srcs);
    mem_free(w->places);
    w->srcs = mem_calloc(r->owner, count, sizeof *w->srcs);
    w->places = mem_alloc_array(r->owner, (size_t)count * VEC_ROWS_MAX, sizeof *w->places);
    w->srcs_cap = w->srcs && w->places ? count : 0;
    return w->srcs_cap > 0;
}

void scan_weave_free(struct weave *w)
{
    if (!w)
        return;
    mem_free(w->srcs);
    mem_free(w->places);
    mem_free(w);
}

int scan_weave_begin(struct scan_reader *r, struct dn_err *err)
{
    struct weave *w;

    if (!weave_reserve(r, r->morsel.members_count))
        return DN_FAIL_NOMEM(err);
    w = r->weave;
    w->srcs_count = r->morsel.members_count;
    for (uint32_t i = 0; i < w->srcs_count; i++) {
        const struct scan_member *m = &r->morsel.members[i];
        w->srcs[i] = (struct weave_src){.src = m->src,
                                        .run = m->run,
                                        .next = m->first,
                                        .end = m->end,
                                        .places = w->places + (size_t)i * VEC_ROWS_MAX};
    }
    return DN_OK;
}

/* ---- windows ---- */

static bool weave_has(const struct weave_src *x)
{
    return x->at < x->hi - x->lo;
}

/* The row that comes next: of the segment, or of the memtable's order. */
static uint32_t weave_row(const struct scan *s, const struct weave_src *x, uint32_t p)
{
    return s->reverse ? x->hi - 1 - p : x->lo + p;
}

/* The places of a window's rows, from the values of a decoded vector. */
static void weave_places(const struct scan *s, const struct vec *v, struct weave_src *x)
{
    uint32_t n = x->hi - x->lo;
    int64_t flip = scan_order_falls(s) ? -1 : 0;

    if (type_is_string(v->type) || type_is_float(v->type)) {
        for (uint32_t p = 0; p < n; p++) {
            struct datum d = vec_datum(v, weave_row(s, x, p) - x->first);
            x->places[p] = datum_place(&d) ^ flip;
        }
        return;
    }
    if (v->form == VEC_FLAT && type_phys(v->type) == PHYS_I64 && !s->reverse) {
        const int64_t *from = (const int64_t *)v->data + (x->lo - x->first);
        for (uint32_t p = 0; p < n; p++)
            x->places[p] = from[p] ^ flip;
        return;
    }
    for (uint32_t p = 0; p < n; p++)
        x->places[p] = vec_i64(v, weave_row(s, x, p) - x->first) ^ flip;
}

/* The next rows of a source whose window is used up, if it has any. */
static int weave_load(struct scan_reader *r, struct weave_src *x, struct dn_err *err)
{
    const struct scan *s = r->s;
    uint32_t fetch = s->fetch_at[s->order_col];
    const struct seg_block *b;
    uint32_t at = s->reverse ? x->end - 1 : x->next;
    uint32_t end;
    int rc;

    if (x->next == x->end)
        return DN_OK;
    x->first = 0;
    end = VEC_ROWS_MAX;
    if (x->src->m) {
        x->first =
            s->reverse ? x->end - (x->end - x->next < end ? x->end - x->next : end) : x->next;
        end = x->end;
    } else {
        x->block = seg_block_of(x->src->seg, at);
        b = &seg_get_blocks(x->src->seg, NULL)[x->block];
        x->vector = (at - b->first_row) / VEC_ROWS_MAX;
        x->first = b->first_row + x->vector * VEC_ROWS_MAX;
        end = b->first_row + b->rows;
    }
    end = end - x->first < VEC_ROWS_MAX ? end : x->first + VEC_ROWS_MAX;
    x->lo = x->first > x->next ? x->first : x->next;
    x->hi = end < x->end ? end : x->end;
    x->at = 0;
    if (s->reverse)
        x->end = x->lo;
    else
        x->next = x->hi;
    if (x->src->m) {
        for (uint32_t p = 0; p < x->hi - x->lo; p++)
            x->places[p] = scan_mem_place(s, x->src, weave_row(s, x, p));
        return DN_OK;
    }
    rc = scan_decode(r, x->src, x->block, x->vector, &fetch, 1, err);
    if (rc < 0)
        return rc;
    weave_places(s, &scan_cur_of(r, x->src)->vecs[fetch], x);
    return DN_OK;
}

/* ---- order ---- */

/* One value of the row that comes next, decoded if it is stored. */
static int weave_value(struct scan_reader *r,
                       const struct weave_src *x,
                       uint32_t store_col,
                       struct datum *ret,
                       struct dn_err *err)
{
    uint32_t fetch = r->s->fetch_at[store_col];
    int rc = scan_decode(r, x->src, x->block, x->vector, &fetch, 1, err);

    if (rc < 0)
        return rc;
    *ret = vec_datum(&scan_cur_of(r, x->src)->vecs[fetch], weave_row(r->s, x, x->at) - x->first);
    return DN_OK;
}

/* The local key of two rows whose places are equal, or what follows the column of places; *ret < 0:
 * a comes first. */
static int weave_cmp_rest(struct scan_reader *r,
                          const struct weave_src *a,
                          const struct weave_src *b,
                          int *ret,
                          struct dn_err *err)
{
    const struct table *t = r->s->t;
    const struct weave_src *both[2] = {a, b};

    *ret = 0;
    for (uint16_t k = r->s->order_exact ? 1 : 0; k < t->rest_count && *ret == 0; k++) {
        struct datum d[2];
        for (int i = 0; i < 2; i++) {
            const struct weave_src *x = both[i];
            int rc = DN_OK;
            if (x->src->m)
                d[i] =
                    memtable_rest(x->src->m, x->src->order->order[weave_row(r->s, x, x->at)], t, k);
            else
                rc = weave_value(r, x, t->rest[k].col, &d[i], err);
            if (rc < 0)
                return rc;
        }
        *ret = datum_cmp(&d[0], &d[1]);
        if (t->rest[k].desc != r->s->reverse)
            *ret = -*ret;
    }
    return DN_OK;
}

/* Is the row of a, whose key is the same, newer than that of b? */
static int weave_newer(struct scan_reader *r,
                       const struct weave_src *a,
                       const struct weave_src *b,
                       bool *ret,
                       struct dn_err *err)
{
    const struct weave_src *both[2] = {a, b};
    uint64_t seq[2];
    uint32_t row[2];

    for (int i = 0; i < 2; i++) {
        const struct weave_src *x = both[i];
        struct datum d;
        int rc = DN_OK;
        row[i] = weave_row(r->s, x, x->at);
        if (x->src->m)
            d = memtable_datum(
                x->src->m, x->src->order->order[row[i]], x->src->t->columns_count + HIDDEN_SEQ);
        else
            rc = weave_value(r, x, r->s->t->columns_count + HIDDEN_SEQ, &d, err);
        if (rc < 0)
            return rc;
        seq[i] = (uint64_t)d.v.i64;
    }
    *ret = seq[0] > seq[1] || (seq[0] == seq[1] && row[0] > row[1]);
    return DN_OK;
}

/* The source whose row comes first, the newest of those that have this key; *ret_second: where the
 * next other place is at least; the others of the key are passed by. */
static int weave_first(struct scan_reader *r,
                       struct weave_src **ret,
                       int64_t *ret_second,
                       bool *ret_alone,
                       struct dn_err *err)
{
    struct weave *w = r->weave;
    struct weave_src *min = NULL;

    *ret_second = INT64_MAX;
    *ret_alone = true;
    for (uint32_t i = 0; i < w->srcs_count; i++) {
        struct weave_src *x = &w->srcs[i];
        int64_t place;
        int c;
        if (!weave_has(x))
            continue;
        place = x->places[x->at];
        if (!min) {
            min = x;
            continue;
        }
        *ret_alone = false;
        c = place < min->places[min->at] ? -1 : place > min->places[min->at];
        if (c == 0) {
            int rc = weave_cmp_rest(r, x, min, &c, err);
            if (rc < 0)
                return rc;
        }
        if (c == 0) {
            bool newer;
            int rc = weave_newer(r, x, min, &newer, err);
            if (rc < 0)
                return rc;
            r->stats.rows_merged++;
            if (newer) {
                min->at++;
                min = x;
            } else {
                x->at++;
            }
            *ret_second = INT64_MIN; /* the one that was passed by has another row now */
            continue;
        }
        if (c < 0) {
            place = min->places[min->at];
            min = x;
        }
        *ret_second = place < *ret_second ? place : *ret_second;
    }
    *ret = min;
    return DN_OK;
}

/* ---- units ---- */

/* How many rows of the window come before a place? At most that many from at on. */
static uint32_t weave_gallop(const struct weave_src *x, int64_t place)
{
    uint32_t n = x->hi - x->lo;
    uint32_t step = 1;
    uint32_t a = x->at;
    uint32_t b;

    while (a + step < n && x->places[a + step] < place) {
        a += step;
        step *= 2;
    }
    b = a + step < n ? a + step : n;
    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        if (x->places[mid] < place)
            a = mid + 1;
        else
            b = mid;
    }
    return a - x->at;
}

/* The next rows of the window become the morsel's piece. */
static void weave_piece(struct scan_reader *r, struct weave_src *x, uint32_t rows)
{
    uint32_t lo = r->s->reverse ? x->hi - x->at - rows : x->lo + x->at;

    r->morsel.pieces[0] =
        (struct scan_piece){.src = x->src, .next = lo, .end = lo + rows, .run = x->run};
    r->morsel.count = 1;
    r->morsel.at = 0;
    r->in_src = NULL;
    x->at += rows;
}

/* Has a window that rows were picked from ended, though its source has more? */
static bool weave_ended(const struct weave *w)
{
    for (uint32_t i = 0; i < w->srcs_count; i++)
        if (!weave_has(&w->srcs[i]) && w->srcs[i].next < w->srcs[i].end)
            return true;
    return false;
}

int scan_weave_next(struct scan_reader *r, struct dn_err *err)
{
    struct weave *w = r->weave;
    int rc;

    w->count = 0;
    for (uint32_t i = 0; i < w->srcs_count; i++) {
        w->srcs[i].picks = 0;
        rc = weave_has(&w->srcs[i]) ? DN_OK : weave_load(r, &w->srcs[i], err);
        if (rc < 0)
            return rc;
    }
    while (w->count < VEC_ROWS_MAX && !weave_ended(w)) {
        struct weave_src *x;
        int64_t second;
        bool alone;
        uint32_t rows;

        rc = weave_first(r, &x, &second, &alone, err);
        if (rc < 0)
            return rc;
        if (!x && w->count == 0)
            return DN_EOF;
        if (!x)
            break;
        rows = x->hi - x->lo - x->at;
        if (alone || (rows >= WEAVE_ALONE && x->places[x->at + WEAVE_ALONE - 1] < second)) {
            if (w->count == 0)
                weave_piece(r, x, alone ? rows : weave_gallop(x, second));
            break;
        }
        w->picks[w->count++] = (struct weave_pick){.src = (uint32_t)(x - w->srcs),
                                                   .row = weave_row(r->s, x, x->at) - x->first};
        x->picks++;
        x->at++;
    }
    r->stats.rows_merged += w->count;
    return DN_OK;
}

uint32_t scan_weave_rows(const struct scan_reader *r)
{
    return r->weave->count;
}

/* ---- columns ---- */

/* A column of what one source has in its window. */
static int weave_column(struct scan_reader *r,
                        const struct weave_src *x,
                        uint32_t col,
                        struct vec *ret,
                        struct dn_err *err)
{
    const struct scan *s = r->s;
    uint32_t store_col = s->spec.cols[col];
    struct mem_want want = {.cols = &store_col, .cols_count = 1, .count = x->hi - x->first};
    int rc;

    if (!x->src->m) {
        rc = scan_decode(r, x->src, x->block, x->vector, &col, 1, err);
        if (rc == DN_OK)
            *ret = scan_cur_of(r, x->src)->vecs[col];
        return rc;
    }
    want.rows = x->src->order->order + x->first;
    return x->src->map ? scan_mapped_gather(s, x->src, &want, &r->arena, ret, err)
                       : memtable_gather(x->src->m, &want, &r->arena, ret, err);
}

/* The picked values of one source, each to its place in the unit. */
static void
weave_copy(const struct weave *w, uint32_t src, const struct vec *v, uint32_t size, uint8_t *to)
{
    const uint8_t *from = v->data;

    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t at;
        if (w->picks[i].src != src)
            continue;
        at = vec_at(v, w->picks[i].row);
        if (size == 8)
            memcpy(to + (size_t)i * 8, from + (size_t)at * 8, 8);
        else
            memcpy(to + (size_t)i * size, from + (size_t)at * size, size);
    }
}

static bool weave_bits(struct arena *arena,
                       const struct weave *w,
                       uint32_t src,
                       const struct vec *v,
                       const uint64_t *from,
                       uint64_t **to)
{
    if (!from)
        return true;
    if (!*to)
        *to = arena_calloc(arena, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof **to);
    for (uint32_t i = 0; *to && i < w->count; i++)
        if (w->picks[i].src == src && vec_bit(from, v->form == VEC_CONST ? 0 : w->picks[i].row))
            vec_bit_set(*to, i);
    return *to != NULL;
}

int scan_weave_fetch(struct scan_reader *r, uint32_t col, struct vec *ret, struct dn_err *err)
{
    const struct weave *w = r->weave;
    enum type_id type = store_col_type(r->s->t, r->s->spec.cols[col]);
    uint32_t size = phys_size(type_phys(type));
    uint8_t *data = arena_alloc_array(&r->arena, w->count, size);
    uint64_t *nulls = NULL;
    uint64_t *absent = NULL;

    if (!data)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < w->srcs_count; i++) {
        struct vec v;
        int rc;
        if (w->srcs[i].picks == 0)
            continue;
        rc = weave_column(r, &w->srcs[i], col, &v, err);
        if (rc < 0)
            return rc;
        weave_copy(w, i, &v, size, data);
        if (!weave_bits(&r->arena, w, i, &v, v.nulls, &nulls) ||
            !weave_bits(&r->arena, w, i, &v, v.absent, &absent))
            return DN_FAIL_NOMEM(err);
    }
    *ret = (struct vec){.type = type,
                        .form = VEC_FLAT,
                        .count = w->count,
                        .data = data,
                        .nulls = nulls,
                        .absent = absent};
    return DN_OK;
}

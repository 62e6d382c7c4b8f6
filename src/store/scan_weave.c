/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_weave.c: a stretch that several sources hold with overlapping keys, or that has patches and
 * deletes. Values are not folded row by row: the newest version of a key is picked, unless it is a
 * delete; if it is a patch, the whole row below it is picked, and the patches above that are laid
 * over each column when somebody asks for it.
 *
 * Only what orders the rows is decoded: the column of scan_order_col, as places (scan_cut.c), a
 * window of one vector (or some rows of a memtable) for each source; the rest of the key where
 * places are equal, the sequence where keys are, the operation where it may be another than a PUT.
 * Where the source that comes first has many rows before the first row of the others, they are
 * handed out as a piece, without a copy. Else rows are picked one by one into a unit, (source, row
 * in its window); its columns are gathered when somebody asks for them. A unit ends with the window
 * of one of its sources, so that what it picked can still be decoded. */
#include "store/scan_reader.h"

#include <string.h>

#define WEAVE_FEW_ROWS 16u /* of a stretch: copied one by one, which is faster than a call */
#define WEAVE_ALONE    64u /* so many rows of one source are worth a unit without a copy */
/* So many versions of a key may be in one memtable; with more its rows are merged. */
#define WEAVE_VERSIONS 64u
#define WEAVE_NO_ROW   UINT32_MAX /* as a source: patches without a row below them */

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
    uint32_t first;        /* row of the segment that the vector begins with */
    uint32_t picks;        /* rows of the unit at hand */
    bool plain;            /* each row is a PUT, and the only version of its key in this source */
    bool again;            /* of a memtable: it may have several versions of a key */
    const struct vec *ops; /* of the window, decoded; NULL: plain, or a memtable */
    int64_t *places;
};

struct weave_pick {
    uint32_t src;
    uint32_t row; /* of its vector; in a memtable, of its window */
};

/* Rows of one source, one after another in the direction of the walk, from a row of the unit on. */
struct weave_stretch {
    struct weave_pick pick; /* the first of them */
    uint32_t at;
    uint32_t rows;
};

/* One version of the key that comes next. */
struct weave_version {
    struct weave_pick pick;
    uint64_t seq;
    uint32_t rank; /* among equal sequences: later rows of a memtable are newer */
    enum row_op op;
};

/* A patch over a row of the unit at hand. */
struct weave_patch {
    uint32_t at;
    struct weave_pick pick;
};

struct weave {
    struct weave_src *srcs; /* owned */
    int64_t *places;        /* owned: VEC_ROWS_MAX for each of them */
    uint32_t srcs_count;
    uint32_t srcs_cap;
    uint32_t *same; /* owned: the sources that have the key that comes next */
    uint32_t same_count;
    struct weave_version *versions;               /* owned: WEAVE_VERSIONS for each source */
    struct weave_stretch stretches[VEC_ROWS_MAX]; /* of the unit at hand */
    uint32_t stretches_count;
    uint32_t count;              /* rows of them */
    struct weave_patch *patches; /* owned: over its rows, those of a row from old to new */
    uint32_t patches_count;
    uint32_t patches_cap;
};

/* May versions of the member be picked that are no whole rows? Not if they must stay what they are,
 * nor if a hidden column is asked for that is another one's in a patch. */
static bool weave_may_pick(const struct scan *s, const struct scan_member *m)
{
    uint32_t hidden = s->t->columns_count;

    if (!s->final || (m->src->m && m->src->map))
        return false;
    for (uint32_t i = 0; i < s->spec.cols_count; i++)
        if (s->spec.cols[i] == hidden + HIDDEN_OP || s->spec.cols[i] == hidden + HIDDEN_EXPIRY)
            return false;
    return !m->src->m || m->src->order->runs[m->run].versions <= WEAVE_VERSIONS;
}

bool scan_weave_may(const struct scan_reader *r)
{
    const struct scan *s = r->s;

    if (s->order_col == UINT32_MAX || s->spec.plain)
        return false;
    for (uint32_t i = 0; i < r->morsel.members_count; i++) {
        const struct scan_member *m = &r->morsel.members[i];
        if (m->hit || m->src->aged || (!m->plain && !weave_may_pick(s, m)))
            return false;
    }
    return true;
}

static void weave_free_srcs(struct weave *w)
{
    mem_free(w->srcs);
    mem_free(w->places);
    mem_free(w->same);
    mem_free(w->versions);
}

static bool weave_reserve(struct scan_reader *r, uint32_t count)
{
    struct weave *w = r->weave;

    if (!w)
        w = r->weave = mem_calloc(r->owner, 1, sizeof *w);
    if (!w || count <= w->srcs_cap)
        return w != NULL;
    weave_free_srcs(w);
    w->srcs = mem_calloc(r->owner, count, sizeof *w->srcs);
    w->places = mem_alloc_array(r->owner, (size_t)count * VEC_ROWS_MAX, sizeof *w->places);
    w->same = mem_alloc_array(r->owner, count, sizeof *w->same);
    w->versions = mem_alloc_array(r->owner, (size_t)count * WEAVE_VERSIONS, sizeof *w->versions);
    w->srcs_cap = w->srcs && w->places && w->same && w->versions ? count : 0;
    return w->srcs_cap > 0;
}

void scan_weave_free(struct weave *w)
{
    if (!w)
        return;
    weave_free_srcs(w);
    mem_free(w->patches);
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
        w->srcs[i] =
            (struct weave_src){.src = m->src,
                               .run = m->run,
                               .next = m->first,
                               .end = m->end,
                               .plain = m->plain,
                               .again = m->src->m && m->src->order->runs[m->run].versions > 1,
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

/* The operations of a window's rows, if they may differ. */
static int weave_load_ops(struct scan_reader *r, struct weave_src *x, struct dn_err *err)
{
    uint32_t fetch = r->s->fetch_at[r->s->t->columns_count + HIDDEN_OP];
    int rc = scan_decode(r, x->src, x->block, x->vector, &fetch, 1, err);

    if (rc < 0)
        return rc;
    x->ops = &scan_cur_of(r, x->src)->vecs[fetch];
    for (uint32_t row = x->lo; row < x->hi; row++) {
        int64_t op = vec_i64(x->ops, row - x->first);
        DN_CHECK_DISK(op >= 0 && op < ROW_OP_MAX,
                      err,
                      "table \"%s\": a stored row has operation %d",
                      r->s->t->name,
                      (int)op);
    }
    return DN_OK;
}

/* A window of a memtable ends with all versions of a key. */
static void weave_trim(const struct scan *s, struct weave_src *x)
{
    const uint32_t *order = x->src->order->order;
    uint32_t lo = x->lo;
    uint32_t hi = x->hi;

    if (s->reverse)
        while (x->lo > x->next && x->lo < hi &&
               memtable_same_key(x->src->m, order[x->lo - 1], order[x->lo]))
            x->lo++;
    else
        while (x->hi < x->end && x->hi > lo &&
               memtable_same_key(x->src->m, order[x->hi - 1], order[x->hi]))
            x->hi--;
    DN_ASSERT(x->lo < x->hi); /* a key has no more than WEAVE_VERSIONS */
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
    if (x->again)
        weave_trim(s, x);
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
    return x->plain ? DN_OK : weave_load_ops(r, x, err);
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

/* The source whose row comes first; *ret_second: where the next other place is at least. All
 * sources that have this key are in same. */
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
    w->same_count = 0;
    for (uint32_t i = 0; i < w->srcs_count; i++) {
        struct weave_src *x = &w->srcs[i];
        int64_t other;
        int c;
        if (!weave_has(x))
            continue;
        if (!min) {
            min = x;
            w->same[w->same_count++] = i;
            continue;
        }
        *ret_alone = false;
        other = x->places[x->at];
        c = other < min->places[min->at] ? -1 : other > min->places[min->at];
        if (c == 0) {
            int rc = weave_cmp_rest(r, x, min, &c, err);
            if (rc < 0)
                return rc;
        }
        if (c < 0) {
            other = min->places[min->at];
            min = x;
            w->same_count = 0;
        }
        if (c <= 0)
            w->same[w->same_count++] = i;
        *ret_second = other < *ret_second ? other : *ret_second;
    }
    *ret = min;
    return DN_OK;
}

/* ---- versions ---- */

/* Row p of a window. */
static enum row_op weave_op(const struct scan *s, const struct weave_src *x, uint32_t p)
{
    uint32_t row = weave_row(s, x, p);

    if (x->plain)
        return ROW_PUT;
    return x->src->m ? memtable_op(x->src->m, x->src->order->order[row])
                     : (enum row_op)vec_i64(x->ops, row - x->first);
}

/* How many rows of the window are versions of the key that comes next? */
static uint32_t weave_again(const struct scan *s, const struct weave_src *x)
{
    const uint32_t *order = x->again ? x->src->order->order : NULL;
    uint32_t p = x->at + 1;

    while (order && p < x->hi - x->lo && x->places[p] == x->places[x->at] &&
           memtable_same_key(x->src->m, order[weave_row(s, x, p)], order[weave_row(s, x, p - 1)]))
        p++;
    return p - x->at;
}

/* Takes all versions of the key that comes next, newest first; how many there are. */
static int weave_collect(struct scan_reader *r, uint32_t *ret_count, struct dn_err *err)
{
    struct weave *w = r->weave;
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->same_count; i++) {
        struct weave_src *x = &w->srcs[w->same[i]];
        for (uint32_t left = weave_again(r->s, x); left > 0; left--, x->at++) {
            uint32_t row = weave_row(r->s, x, x->at);
            struct weave_version v = {.pick = {.src = w->same[i], .row = row - x->first},
                                      .rank = row,
                                      .op = weave_op(r->s, x, x->at)};
            struct datum seq;
            int rc = DN_OK;
            uint32_t k = count++;
            if (x->src->m)
                seq = memtable_datum(
                    x->src->m, x->src->order->order[row], x->src->t->columns_count + HIDDEN_SEQ);
            else
                rc = weave_value(r, x, r->s->t->columns_count + HIDDEN_SEQ, &seq, err);
            if (rc < 0)
                return rc;
            v.seq = (uint64_t)seq.v.i64;
            for (; k > 0 && (w->versions[k - 1].seq < v.seq ||
                             (w->versions[k - 1].seq == v.seq && w->versions[k - 1].rank < v.rank));
                 k--)
                w->versions[k] = w->versions[k - 1];
            w->versions[k] = v;
        }
    }
    *ret_count = count;
    return DN_OK;
}

static void weave_pick_stretch(struct weave *w, struct weave_pick first, uint32_t rows)
{
    w->stretches[w->stretches_count++] =
        (struct weave_stretch){.pick = first, .at = w->count, .rows = rows};
    w->count += rows;
    if (first.src != WEAVE_NO_ROW)
        w->srcs[first.src].picks += rows;
}

static bool weave_add_patch(struct scan_reader *r, struct weave_pick pick)
{
    struct weave *w = r->weave;

    if (w->patches_count == w->patches_cap) {
        uint32_t cap = w->patches_cap ? 2 * w->patches_cap : VEC_ROWS_MAX;
        struct weave_patch *grown = mem_realloc(r->owner, w->patches, (size_t)cap * sizeof *grown);
        if (!grown)
            return false;
        w->patches = grown;
        w->patches_cap = cap;
    }
    w->patches[w->patches_count++] = (struct weave_patch){.at = w->count, .pick = pick};
    w->srcs[pick.src].picks++;
    return true;
}

/* The row that the versions of the key that comes next are, if it is there. */
static int weave_row_of_key(struct scan_reader *r, struct dn_err *err)
{
    struct weave *w = r->weave;
    struct weave_pick below = {.src = WEAVE_NO_ROW};
    uint32_t count;
    uint32_t patches = 0;
    int rc = weave_collect(r, &count, err);

    if (rc < 0)
        return rc;
    r->stats.rows_merged += count;
    while (patches < count && w->versions[patches].op == ROW_PATCH)
        patches++;
    if (patches < count && w->versions[patches].op == ROW_PUT)
        below = w->versions[patches].pick;
    else if (patches == 0)
        return DN_OK; /* deleted */
    for (uint32_t i = patches; i > 0; i--)
        if (!weave_add_patch(r, w->versions[i - 1].pick))
            return DN_FAIL_NOMEM(err);
    weave_pick_stretch(w, below, 1);
    r->stats.rows_merged--; /* it is counted with its unit */
    return DN_OK;
}

/* Picks the row that comes next, and those behind it, of a source that has them alone up to a place
 * and as whole rows. */
static void
weave_pick_rows(const struct scan *s, struct weave *w, struct weave_src *x, int64_t second)
{
    uint32_t n = x->hi - x->lo;
    uint32_t max = w->count + (n - x->at) < VEC_ROWS_MAX ? n : x->at + (VEC_ROWS_MAX - w->count);
    uint32_t from = x->at++;

    while (x->at < max && x->places[x->at] < second && weave_op(s, x, x->at) == ROW_PUT)
        x->at++;
    weave_pick_stretch(w,
                       (struct weave_pick){.src = (uint32_t)(x - w->srcs),
                                           .row = weave_row(s, x, from) - x->first},
                       x->at - from);
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
    w->stretches_count = 0;
    w->patches_count = 0;
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
        if (w->same_count > 1 || x->again || weave_op(r->s, x, x->at) != ROW_PUT) {
            rc = weave_row_of_key(r, err);
            if (rc < 0)
                return rc;
            continue;
        }
        rows = x->plain ? x->hi - x->lo - x->at : 0;
        if ((alone && rows > 0) ||
            (rows >= WEAVE_ALONE && x->places[x->at + WEAVE_ALONE - 1] < second)) {
            if (w->count == 0)
                weave_piece(r, x, alone ? rows : weave_gallop(x, second));
            break;
        }
        weave_pick_rows(r->s, w, x, second);
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

/* Rows of a vector that follow each other, or (step -1) lead back; a size that the compiler knows
 * is copied in place, without a call or a string instruction. */
static inline void weave_copy_rows(
    uint8_t *to, const struct vec *v, uint32_t first, uint32_t rows, int32_t step, uint32_t size)
{
    const uint8_t *from = v->data;

    for (uint32_t i = 0, row = first; i < rows; i++, row += (uint32_t)step)
        memcpy(to + (size_t)i * size, from + (size_t)vec_at(v, row) * size, size);
}

/* The values of a stretch, each to its place in the unit. */
static void weave_copy(const struct scan *s,
                       const struct weave_stretch *x,
                       const struct vec *v,
                       uint32_t size,
                       uint8_t *to)
{
    const int32_t step = s->reverse ? -1 : 1;

    to += (size_t)x->at * size;
    if (v->form == VEC_FLAT && step > 0 && x->rows > WEAVE_FEW_ROWS)
        memcpy(to, (const uint8_t *)v->data + (size_t)x->pick.row * size, (size_t)x->rows * size);
    else if (size == 8)
        weave_copy_rows(to, v, x->pick.row, x->rows, step, 8);
    else if (size == 16)
        weave_copy_rows(to, v, x->pick.row, x->rows, step, 16);
    else
        weave_copy_rows(to, v, x->pick.row, x->rows, step, size);
}

static bool weave_bits(const struct scan *s,
                       struct arena *arena,
                       const struct weave_stretch *x,
                       const struct vec *v,
                       const uint64_t *from,
                       uint64_t **to)
{
    if (!from)
        return true;
    if (!*to)
        *to = arena_calloc(arena, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof **to);
    for (uint32_t i = 0, n = x->rows; *to && i < n; i++) {
        uint32_t row = s->reverse ? x->pick.row - i : x->pick.row + i;
        if (vec_bit(from, v->form == VEC_CONST ? 0 : row))
            vec_bit_set(*to, x->at + i);
    }
    return *to != NULL;
}

/* A column's value of rows that are nothing but patches, as long as these do not say it. */
static bool weave_defaults(const struct scan *s,
                           struct arena *arena,
                           const struct weave *w,
                           uint32_t store_col,
                           uint8_t *to,
                           uint64_t **nulls)
{
    const struct table *t = s->t;
    struct datum d = {.type = store_col_type(t, store_col), .null = true};

    if (store_col < t->columns_count && t->columns[store_col].has_default)
        d = t->columns[store_col].def;
    for (uint32_t i = 0; i < w->stretches_count; i++) {
        uint32_t at = w->stretches[i].at;
        if (w->stretches[i].pick.src != WEAVE_NO_ROW)
            continue;
        datum_store(&d, to, at);
        if (d.null && !*nulls)
            *nulls = arena_calloc(arena, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof **nulls);
        if (d.null && !*nulls)
            return false;
        if (d.null)
            vec_bit_set(*nulls, at);
    }
    return true;
}

/* What patches say of a column, over the rows below them. vecs: of each source that rows are from.
 */
static bool weave_patch_column(struct arena *arena,
                               const struct weave *w,
                               const struct vec *vecs,
                               uint32_t size,
                               uint8_t *to,
                               uint64_t **nulls)
{
    for (uint32_t i = 0; i < w->patches_count; i++) {
        const struct weave_patch *p = &w->patches[i];
        const struct vec *v = &vecs[p->pick.src];
        uint32_t at = vec_at(v, p->pick.row);
        uint32_t bit = v->form == VEC_CONST ? 0 : p->pick.row;
        bool null;

        if (vec_bit(v->absent, bit))
            continue;
        null = vec_bit(v->nulls, bit);
        memcpy(to + (size_t)p->at * size, (const uint8_t *)v->data + (size_t)at * size, size);
        if (null && !*nulls)
            *nulls = arena_calloc(arena, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof **nulls);
        if (null && !*nulls)
            return false;
        if (null)
            vec_bit_set(*nulls, p->at);
        else if (*nulls)
            (*nulls)[p->at / 64] &= ~((uint64_t)1 << (p->at % 64));
    }
    return true;
}

int scan_weave_fetch(struct scan_reader *r, uint32_t col, struct vec *ret, struct dn_err *err)
{
    const struct weave *w = r->weave;
    enum type_id type = store_col_type(r->s->t, r->s->spec.cols[col]);
    uint32_t size = phys_size(type_phys(type));
    uint8_t *data = arena_alloc_array(&r->arena, w->count, size);
    struct vec *vecs = arena_alloc_array(&r->arena, w->srcs_count, sizeof *vecs);
    uint64_t *nulls = NULL;
    uint64_t *absent = NULL;

    if (!data || !vecs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < w->srcs_count; i++) {
        int rc = w->srcs[i].picks ? weave_column(r, &w->srcs[i], col, &vecs[i], err) : DN_OK;
        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; i < w->stretches_count; i++) {
        const struct weave_stretch *x = &w->stretches[i];
        const struct vec *v;
        if (x->pick.src == WEAVE_NO_ROW)
            continue;
        v = &vecs[x->pick.src];
        weave_copy(r->s, x, v, size, data);
        if (!weave_bits(r->s, &r->arena, x, v, v->nulls, &nulls) ||
            !weave_bits(r->s, &r->arena, x, v, v->absent, &absent))
            return DN_FAIL_NOMEM(err);
    }
    if (w->patches_count > 0 &&
        (!weave_defaults(r->s, &r->arena, w, r->s->spec.cols[col], data, &nulls) ||
         !weave_patch_column(&r->arena, w, vecs, size, data, &nulls)))
        return DN_FAIL_NOMEM(err);
    *ret = (struct vec){.type = type,
                        .form = VEC_FLAT,
                        .count = w->count,
                        .data = data,
                        .nulls = nulls,
                        .absent = absent};
    return DN_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_apart.c: sources that cannot have a key in common. Where nobody needs the physical order
 * they are read one after the other, each as it lies, instead of run by run in the order of tokens.
 *
 * Two sources are apart if the values of some column of the key, the tokens, or the row ids of the
 * one are all below those of the other. Sources are put in order by one of these after the other
 * and cut where none reaches over, until nothing can be cut. Of the segments that are left
 * together, the run tables of two tell whether they have a series in common at overlapping times;
 * what was found is kept with the segment. What is still left together shares keys, or may do so,
 * and is walked in physical order.
 *
 * Constraints leave out a whole source only if no other could have its keys: a row that does not
 * satisfy them may stand over one that does. */
#include "store/scan_int.h"

#include <stdlib.h>

struct apart_extent {
    struct scan_src *src;
    struct datum lo;
    struct datum hi;
};

/* Sets in the making. */
struct apart {
    const struct scan *s;
    struct scan_src **srcs;       /* set i is srcs[ends[i - 1]] up to ends[i] */
    uint32_t *ends;               /* room for one more than there are sources */
    uint32_t count;               /* sets */
    struct apart_extent *scratch; /* as many as there are sources */
    bool runs;                    /* run tables may be compared */
};

/* By what sources are compared. */
enum apart_kind { APART_TIME, APART_TOKEN, APART_COLUMN };

struct apart_by {
    enum apart_kind kind;
    uint32_t col; /* COLUMN: store column, of the key or the row id */
};

#define APART_BY_MAX   8u    /* a key of more columns is compared by its first ones */
#define APART_RUNS_MAX 32u   /* so many segments are compared run by run, each with each */
#define APART_ROWS_MIN 1024u /* fewer are not worth looking for what could be left out */

static bool
apart_of_segment(const struct scan_src *src, const struct apart_by *by, struct apart_extent *e)
{
    const struct seg_meta *m = &src->ref->meta;

    switch (by->kind) {
    case APART_TIME:
        e->lo = (struct datum){.type = TYPE_BIGINT, .v.i64 = m->time_min};
        e->hi = (struct datum){.type = TYPE_BIGINT, .v.i64 = m->time_max};
        return m->time_min <= m->time_max;
    case APART_TOKEN:
        e->lo = (struct datum){.type = TYPE_BIGINT, .v.i64 = m->token_min};
        e->hi = (struct datum){.type = TYPE_BIGINT, .v.i64 = m->token_max};
        return true;
    case APART_COLUMN:
        return seg_key_bounds(src->seg, by->col, &e->lo, &e->hi);
    }
    return false;
}

/* Values of a run of a memtable. */
static bool apart_of_mem_run(const struct scan *s,
                             const struct scan_src *src,
                             uint32_t run,
                             const struct apart_by *by,
                             struct apart_extent *e)
{
    const struct mem_run *r = &src->order->runs[run];

    e->lo = (struct datum){.type = TYPE_BIGINT};
    e->hi = e->lo;
    switch (by->kind) {
    case APART_TIME:
        e->lo.v.i64 = r->time_min;
        e->hi.v.i64 = r->time_max;
        return true;
    case APART_TOKEN:
        e->lo.v.i64 = e->hi.v.i64 = r->token;
        return true;
    case APART_COLUMN:
        if (by->col == (uint32_t)s->t->columns_count + HIDDEN_ROWID) {
            e->lo.v.i64 = r->rowid_min;
            e->hi.v.i64 = r->rowid_max;
            return true;
        }
        for (uint32_t i = 0; i < s->t->series_count; i++)
            if (s->t->series[i] == by->col) {
                e->lo = e->hi = scan_run_series(src, run, i);
                return true;
            }
        if (s->t->by_value && s->t->rest[0].col == by->col) { /* which the run is in order of */
            bool desc = s->t->rest[0].desc;
            uint32_t ends[2] = {src->order->order[r->first],
                                src->order->order[r->first + r->count - 1]};
            e->lo = memtable_datum(src->m, ends[desc], by->col);
            e->hi = memtable_datum(src->m, ends[!desc], by->col);
            return true;
        }
        return false;
    }
    return false;
}

static bool apart_of_memtable(const struct scan *s,
                              const struct scan_src *src,
                              const struct apart_by *by,
                              struct apart_extent *e)
{
    if (src->map || src->runs_count == 0)
        return false;
    for (uint32_t run = 0; run < src->runs_count; run++) {
        struct apart_extent one;
        if (!apart_of_mem_run(s, src, run, by, &one))
            return false;
        if (run == 0 || datum_cmp(&one.lo, &e->lo) < 0)
            e->lo = one.lo;
        if (run == 0 || datum_cmp(&one.hi, &e->hi) > 0)
            e->hi = one.hi;
    }
    return true;
}

/* Earlier values first; the order of equal ones does not matter. */
static int apart_cmp(const void *a, const void *b)
{
    const struct apart_extent *x = a;
    const struct apart_extent *y = b;
    int c = datum_cmp(&x->lo, &y->lo);

    return c != 0 ? c : datum_cmp(&x->hi, &y->hi);
}

/* ---- run tables ---- */

/* Have two runs of one token times in common? */
static bool
apart_runs_meet(const struct seg_runs *a, uint32_t i, const struct seg_runs *b, uint32_t k)
{
    return !a->time_min || !b->time_min ||
           (a->time_min[i] <= b->time_max[k] && b->time_min[k] <= a->time_max[i]);
}

/* May two segments of one slab have a key in common? Goes through both run tables. */
static bool apart_share_runs(const struct seg_runs *a, const struct seg_runs *b)
{
    uint32_t i = 0;
    uint32_t k = 0;

    while (i < a->count && k < b->count) {
        int64_t x = a->token[i];
        int64_t y = b->token[k];

        if (x == y) {
            if (apart_runs_meet(a, i, b, k) || (i + 1 < a->count && a->token[i + 1] == x) ||
                (k + 1 < b->count && b->token[k + 1] == y))
                return true; /* several series of one token are not told apart here */
        }
        i += x <= y;
        k += y <= x;
    }
    return false;
}

/* The same of any two sources; true where it is not known. */
static bool apart_share(const struct scan_src *a, const struct scan_src *b)
{
    const struct seg_meta *x;
    const struct seg_meta *y;
    bool shares;
    uint32_t at;

    if (a->m || b->m)
        return true;
    if (a->ref->meta.id > b->ref->meta.id)
        return apart_share(b, a);
    x = &a->ref->meta;
    y = &b->ref->meta;
    if (x->slab_max < y->slab_min || y->slab_max < x->slab_min || x->time_max < y->time_min ||
        y->time_max < x->time_min)
        return false;
    if (x->slab_min != x->slab_max || y->slab_min != y->slab_max)
        return true;
    for (at = 0; at < SEGREF_MATES; at++) {
        uint64_t mate = atomic_load_explicit(&a->ref->mates[at], memory_order_relaxed);
        if (mate == 0)
            break;
        if (mate >> 1 == y->id)
            return mate & 1;
    }
    shares = apart_share_runs(a->runs, b->runs);
    if (at == SEGREF_MATES)
        at = y->id % SEGREF_MATES;
    atomic_store_explicit(&a->ref->mates[at], y->id << 1 | shares, memory_order_relaxed);
    return shares;
}

static void apart_end_set(struct apart *a, uint32_t end)
{
    a->ends[a->count++] = end;
}

/* Cuts a set by its run tables: those stay together that share a key with one another, directly or
 * through others. */
static void apart_cut_runs(struct apart *a, uint32_t first, uint32_t count)
{
    struct scan_src *sorted[APART_RUNS_MAX];
    uint32_t group[APART_RUNS_MAX];
    uint32_t n = 0;

    if (!a->runs || a->s->t->series_count == 0 || count > APART_RUNS_MAX) {
        apart_end_set(a, first + count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        group[i] = i;
        for (uint32_t k = 0; k < i; k++) {
            uint32_t old = group[k];
            if (old == group[i] || !apart_share(a->srcs[first + i], a->srcs[first + k]))
                continue;
            for (uint32_t m = 0; m < i; m++)
                group[m] = group[m] == old ? group[i] : group[m];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = n;
        for (uint32_t k = i; k < count; k++) {
            if (group[k] != group[i] || group[i] == UINT32_MAX)
                continue;
            sorted[n++] = a->srcs[first + k];
            if (k > i)
                group[k] = UINT32_MAX;
        }
        if (n > begin)
            apart_end_set(a, first + n);
    }
    for (uint32_t i = 0; i < count; i++)
        a->srcs[first + i] = sorted[i];
}

/* ---- bounds ---- */

/* Cuts set [first, first + count) by this and what follows; the sets that it becomes are noted. The
 * scratch is as long. */
static void apart_cut(struct apart *a,
                      const struct apart_by *by,
                      uint32_t by_count,
                      struct apart_extent *scratch,
                      uint32_t first,
                      uint32_t count)
{
    uint32_t begin = 0;
    bool known = true;

    if (count == 1) {
        apart_end_set(a, first + 1);
        return;
    }
    if (by_count == 0) {
        apart_cut_runs(a, first, count);
        return;
    }
    for (uint32_t i = 0; i < count && known; i++) {
        struct apart_extent *e = &scratch[i];
        e->src = a->srcs[first + i];
        known =
            e->src->m ? apart_of_memtable(a->s, e->src, by, e) : apart_of_segment(e->src, by, e);
    }
    if (!known) {
        apart_cut(a, by + 1, by_count - 1, scratch, first, count);
        return;
    }
    qsort(scratch, count, sizeof *scratch, apart_cmp);
    for (uint32_t i = 0; i < count; i++)
        a->srcs[first + i] = scratch[i].src;
    /* What follows uses the scratch again, up to where it is needed no more. */
    while (begin < count) {
        struct datum reach = scratch[begin].hi;
        uint32_t end = begin + 1;
        while (end < count && datum_cmp(&scratch[end].lo, &reach) <= 0) {
            if (datum_cmp(&scratch[end].hi, &reach) > 0)
                reach = scratch[end].hi;
            end++;
        }
        apart_cut(a, by + 1, by_count - 1, scratch + begin, first + begin, end - begin);
        begin = end;
    }
}

static uint32_t apart_ways(const struct table *t, struct apart_by *by)
{
    uint32_t n = 0;

    if (t->form == KEY_NONE) {
        by[n++] = (struct apart_by){.kind = APART_COLUMN, .col = t->columns_count + HIDDEN_ROWID};
        return n;
    }
    if (t->time_col >= 0)
        by[n++] = (struct apart_by){.kind = APART_TIME};
    if (t->series_count)
        by[n++] = (struct apart_by){.kind = APART_TOKEN};
    for (uint32_t i = 0; i < t->series_count && n < APART_BY_MAX; i++)
        if (!type_is_float(t->columns[t->series[i]].type))
            by[n++] = (struct apart_by){.kind = APART_COLUMN, .col = t->series[i]};
    for (uint32_t i = 0; i < t->rest_count && n < APART_BY_MAX; i++)
        if (t->rest[i].col != t->time_col && !type_is_float(t->columns[t->rest[i].col].type))
            by[n++] = (struct apart_by){.kind = APART_COLUMN, .col = t->rest[i].col};
    return n;
}

/* Puts the sources that have picks into sets. */
static int apart_find(struct scan *s, bool runs, struct apart *ret, struct dn_err *err)
{
    struct apart_by by[APART_BY_MAX];
    uint32_t count = 0;

    *ret = (struct apart){.s = s, .runs = runs};
    ret->srcs = mem_calloc(s->owner, s->srcs_count, sizeof(struct scan_src *));
    ret->ends = mem_calloc(s->owner, s->srcs_count + 1u, sizeof *ret->ends);
    ret->scratch = mem_calloc(s->owner, s->srcs_count, sizeof *ret->scratch);
    if (!ret->srcs || !ret->ends || !ret->scratch) {
        mem_free(ret->srcs);
        mem_free(ret->ends);
        mem_free(ret->scratch);
        return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < s->srcs_count; i++)
        if (s->srcs[i].picks_count)
            ret->srcs[count++] = &s->srcs[i];
    if (count)
        apart_cut(ret, by, apart_ways(s->t, by), ret->scratch, 0, count);
    else
        apart_end_set(ret, 0);
    mem_free(ret->scratch);
    ret->scratch = NULL;
    return DN_OK;
}

int scan_any_order(struct scan *s, struct dn_err *err)
{
    struct apart a;
    int rc;

    DN_ASSERT(s->morsels == 0);
    if (s->apart || s->spec.plain)
        return DN_OK;
    rc = apart_find(s, true, &a, err);
    if (rc < 0)
        return rc;
    s->apart = a.srcs;
    s->set_ends = a.ends;
    s->sets_count = a.count;
    return DN_OK;
}

/* Can the zones of some segment leave out all of it? Key columns are left to the picks. */
static bool apart_worth(const struct scan *s)
{
    bool other = false;

    for (uint32_t i = 0; i < s->spec.preds_count; i++)
        other = other || (!s->pred_series[i] && s->spec.preds[i].col != s->t->time_col);
    if (!other || s->spec.plain || s->stats.rows_expected < APART_ROWS_MIN)
        return false;
    for (uint32_t i = 0; i < s->srcs_count; i++)
        if (s->srcs[i].picks_count && s->srcs[i].no_blocks)
            return true;
    return false;
}

int scan_leave_out(struct scan *s, struct dn_err *err)
{
    struct apart a;
    int rc;

    if (!apart_worth(s))
        return DN_OK;
    rc = apart_find(s, false, &a, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < a.count; i++) {
        uint32_t first = i ? a.ends[i - 1] : 0;
        struct scan_src *src = a.srcs[first];
        if (a.ends[i] - first > 1 || src->m || !src->no_blocks)
            continue;
        s->stats.segments_read--;
        s->stats.partitions_read -= src->picks_count;
        s->stats.rows_expected -= src->expected;
        src->picks_count = 0;
    }
    mem_free(a.srcs);
    mem_free(a.ends);
    return DN_OK;
}

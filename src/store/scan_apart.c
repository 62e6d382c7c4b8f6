/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_apart.c: sources that cannot have a key in common. Where nobody needs the physical order
 * they are read one after the other, each as it lies, instead of run by run in the order of tokens.
 *
 * Two sources are apart if the values of some column of the key, the tokens, or the row ids of the
 * one are all below those of the other. Sources are put in order by one of these after the other
 * and cut where none reaches over, until nothing can be cut. What is left together shares keys, or
 * may do so, and is walked in physical order. */
#include "store/scan_int.h"

#include <stdlib.h>

struct apart_extent {
    struct scan_src *src;
    struct datum lo;
    struct datum hi;
};

/* By what sources are compared. */
enum apart_kind { APART_TIME, APART_TOKEN, APART_COLUMN };

struct apart_by {
    enum apart_kind kind;
    uint32_t col; /* COLUMN: store column, of the key or the row id */
};

#define APART_BY_MAX 8u /* a key of more columns is compared by its first ones */

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

/* Cuts set [first, first + count) by this and what follows; the sets that it becomes are noted. */
static void apart_cut(struct scan *s,
                      const struct apart_by *by,
                      uint32_t by_count,
                      struct apart_extent *scratch,
                      uint32_t first,
                      uint32_t count)
{
    uint32_t begin = 0;
    bool known = true;

    if (count == 1 || by_count == 0) {
        s->set_ends[s->sets_count++] = first + count;
        return;
    }
    for (uint32_t i = 0; i < count && known; i++) {
        struct apart_extent *e = &scratch[i];
        e->src = s->apart[first + i];
        known = e->src->m ? apart_of_memtable(s, e->src, by, e) : apart_of_segment(e->src, by, e);
    }
    if (!known) {
        apart_cut(s, by + 1, by_count - 1, scratch, first, count);
        return;
    }
    qsort(scratch, count, sizeof *scratch, apart_cmp);
    for (uint32_t i = 0; i < count; i++)
        s->apart[first + i] = scratch[i].src;
    /* What follows uses the scratch again, up to where it is needed no more. */
    while (begin < count) {
        struct datum reach = scratch[begin].hi;
        uint32_t end = begin + 1;
        while (end < count && datum_cmp(&scratch[end].lo, &reach) <= 0) {
            if (datum_cmp(&scratch[end].hi, &reach) > 0)
                reach = scratch[end].hi;
            end++;
        }
        apart_cut(s, by + 1, by_count - 1, scratch + begin, first + begin, end - begin);
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

int scan_any_order(struct scan *s, struct dn_err *err)
{
    struct apart_by by[APART_BY_MAX];
    struct apart_extent *scratch;
    uint32_t count = 0;

    DN_ASSERT(s->morsels == 0);
    if (s->apart || s->spec.plain)
        return DN_OK;
    s->apart = mem_calloc(s->owner, s->srcs_count, sizeof(struct scan_src *));
    s->set_ends = mem_calloc(s->owner, s->srcs_count + 1u, sizeof *s->set_ends);
    scratch = mem_calloc(s->owner, s->srcs_count, sizeof *scratch);
    if (!s->apart || !s->set_ends || !scratch) {
        mem_free(scratch);
        return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < s->srcs_count; i++)
        if (s->srcs[i].picks_count)
            s->apart[count++] = &s->srcs[i];
    if (count)
        apart_cut(s, by, apart_ways(s->t, by), scratch, 0, count);
    else
        s->set_ends[s->sets_count++] = 0;
    mem_free(scratch);
    return DN_OK;
}

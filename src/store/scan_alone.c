/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_alone.c: runs that are all there is of their series: whoever groups by the series need not
 * look whether it has met one before. That can be said where all rows are in segments of one slab
 * whose tokens follow each other, as a load in pieces and a merge leave them. Two neighbours may
 * have the token at their border in common; its runs are not said to be alone, nor are several of
 * one token. */
#include "store/scan_reader.h"
#include "store/seg_reader.h"

#include <stdlib.h>

static int alone_cmp(const void *a, const void *b)
{
    int64_t x = (*(struct scan_src *const *)a)->runs->token[0];
    int64_t y = (*(struct scan_src *const *)b)->runs->token[0];

    return (x > y) - (x < y);
}

/* Are all sources with rows segments of the same slab? Those with rows go to `to`. */
static bool alone_sources(const struct scan *s, struct scan_src **to, uint32_t *ret_count)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->srcs_count; i++) {
        struct scan_src *src = &s->srcs[i];

        if (src->picks_count == 0)
            continue;
        if (src->m || src->runs->count == 0 || src->ref->meta.slab_min != src->ref->meta.slab_max ||
            (n > 0 && src->ref->meta.slab_min != to[0]->ref->meta.slab_min))
            return false;
        to[n++] = src;
    }
    *ret_count = n;
    return n > 0;
}

int scan_tell_series(struct scan *s, struct dn_err *err)
{
    struct scan_src **srcs;
    uint32_t count;

    DN_ASSERT(s->morsels == 0);
    s->tells_series = false;
    if (s->t->series_count == 0 || s->spec.plain)
        return DN_OK;
    srcs = mem_calloc(s->owner, (size_t)s->srcs_count + 1, sizeof(struct scan_src *));
    if (!srcs)
        return DN_FAIL_NOMEM(err);
    s->tells_series = alone_sources(s, srcs, &count);
    if (s->tells_series)
        qsort(srcs, count, sizeof(struct scan_src *), alone_cmp);
    for (uint32_t i = 1; s->tells_series && i < count; i++) {
        const struct seg_runs *before = srcs[i - 1]->runs;

        s->tells_series = before->token[before->count - 1] <= srcs[i]->runs->token[0];
    }
    mem_free(srcs);
    return DN_OK;
}

bool scan_unit_series(const struct scan_reader *r, struct scan_series *ret)
{
    const struct seg_runs *runs;
    const struct seg *seg;
    uint32_t first;
    uint32_t end;
    uint32_t run;

    if (!r->s->tells_series || r->unit.kind != SCAN_VECTOR ||
        r->unit.rows != r->hi - r->lo) /* picked rows */
        return false;
    seg = r->src->seg;
    runs = r->src->runs;
    first = seg_rows_of(seg, r->block, r->vector).first + r->lo;
    end = first + r->unit.rows;
    ret->count = 0;
    for (run = seg_run_of(runs, &seg->blocks[r->block], first);
         run < runs->count && runs->first_row[run] < end;
         run++) {
        uint32_t to = runs->first_row[run + 1];
        int64_t token = runs->token[run];

        ret->alone[ret->count] = runs->first_row[run] >= first && to <= end && run > 0 &&
                                 run + 1 < runs->count && runs->token[run - 1] != token &&
                                 runs->token[run + 1] != token;
        ret->ends[ret->count++] = (uint16_t)((to < end ? to : end) - first);
    }
    return true;
}

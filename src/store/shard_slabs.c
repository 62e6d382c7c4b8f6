/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_slabs.c: the slabs of a table: listing and dropping them. */
#include "store/shard_slabs.h"

#include "base/hash.h"
#include "store/shard_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- listing ---- */

struct lister {
    const struct snapshot *snap;
    const struct table *t;
    struct mem_owner *owner;
    struct shard_slab *list; /* owned */
    uint32_t count;
    uint32_t cap;
    uint32_t last; /* where the last rows were counted; rows of a slab come together mostly */
    struct hidx index;
    struct range_list ranges; /* tombstones that the snapshot sees */
};

static uint64_t lister_hash_start(int64_t start)
{
    return dn_hash64(&start, sizeof start, 0);
}

static bool lister_same(const void *ctx, const void *key, uint32_t id)
{
    const struct lister *l = ctx;

    return l->list[id].start == *(const int64_t *)key;
}

static uint64_t lister_hash(const void *ctx, uint32_t id)
{
    const struct lister *l = ctx;

    return lister_hash_start(l->list[id].start);
}

/* The slab that begins at start; NULL: out of memory. */
static struct shard_slab *lister_slab(struct lister *l, int64_t start)
{
    uint64_t hash;

    if (l->last < l->count && l->list[l->last].start == start)
        return &l->list[l->last];
    hash = lister_hash_start(start);
    l->last = hidx_find(&l->index, hash, lister_same, l, &start);
    if (l->last != UINT32_MAX)
        return &l->list[l->last];
    if (l->count == l->cap) {
        uint32_t cap = l->cap ? 2 * l->cap : 64;
        struct shard_slab *grown = mem_realloc(l->owner, l->list, (size_t)cap * sizeof *grown);
        if (!grown)
            return NULL;
        l->list = grown;
        l->cap = cap;
    }
    if (!hidx_add(&l->index, hash, l->count, lister_hash, l))
        return NULL;
    l->last = l->count++;
    l->list[l->last] = (struct shard_slab){.start = start,
                                           .end = table_slab_end(l->t, start),
                                           .time_min = INT64_MAX,
                                           .time_max = INT64_MIN};
    return &l->list[l->last];
}

/* Is what a segment has of a slab, told as if it were a segment, deleted whole? */
static bool lister_hidden(const struct lister *l, const struct seg_meta *m)
{
    for (size_t i = 0; i < l->ranges.count; i++)
        if (range_on_segment(l->ranges.v[i], l->t, m) == 1)
            return true;
    return false;
}

/* Rows and bytes of one slab in a segment. */
static int lister_add(struct lister *l, const struct seg_meta *m, struct dn_err *err)
{
    struct shard_slab *slab;

    if (m->rows == 0 || lister_hidden(l, m))
        return DN_OK;
    slab = lister_slab(l, m->slab_min);
    if (!slab)
        return DN_FAIL_NOMEM(err);
    slab->rows += m->rows;
    slab->bytes += m->bytes;
    slab->segments++;
    slab->time_min = m->time_min < slab->time_min ? m->time_min : slab->time_min;
    slab->time_max = m->time_max > slab->time_max ? m->time_max : slab->time_max;
    return DN_OK;
}

/* A segment with several slabs: its runs of one slab are neighbours. Bytes are what the rows up to
 * the slab's end are worth, less what those before it are, so that they add up. */
static int lister_segment_runs(struct lister *l, struct segref *ref, struct dn_err *err)
{
    const struct seg_runs *runs;
    struct seg *seg;
    uint32_t r = 0;
    int rc = segref_open(ref, &seg, err);

    if (rc < 0)
        return rc;
    runs = seg_get_runs(seg);
    while (rc == DN_OK && r < runs->count) {
        struct seg_meta part = ref->meta;
        double byte = (double)part.bytes / (double)part.rows;
        uint32_t first = runs->first_row[r];

        part.slab_min = part.slab_max = runs->slab[r];
        part.time_min = INT64_MAX;
        part.time_max = INT64_MIN;
        for (; r < runs->count && runs->slab[r] == part.slab_min; r++) {
            if (!runs->time_min)
                continue;
            part.time_min = runs->time_min[r] < part.time_min ? runs->time_min[r] : part.time_min;
            part.time_max = runs->time_max[r] > part.time_max ? runs->time_max[r] : part.time_max;
        }
        part.rows = runs->first_row[r] - first;
        part.bytes = (uint64_t)(byte * runs->first_row[r]) - (uint64_t)(byte * first);
        rc = lister_add(l, &part, err);
    }
    return rc;
}

/* Does a range tombstone say nothing but which slabs and times? Then is the time one of them? */
static bool lister_time_hit(const struct range *r, const struct table *t, const struct datum *time)
{
    for (uint32_t i = 0; i < r->bounds_count; i++)
        if (t->time_col < 0 || r->bounds[i].col_id != t->columns[t->time_col].id ||
            !range_has(&r->bounds[i].iv, time))
            return false;
    return true;
}

/* Was a row deleted with its slab, or by its time? */
static bool lister_row_hidden(const struct lister *l,
                              const struct table *t,
                              int64_t slab,
                              const struct datum *time,
                              uint64_t seq)
{
    for (size_t i = 0; i < l->ranges.count; i++) {
        const struct range *r = l->ranges.v[i];
        if (r->seq > seq && slab >= r->slab_min && slab <= r->slab_max &&
            lister_time_hit(r, t, time))
            return true;
    }
    return false;
}

static int lister_memtable(struct lister *l, struct memtable *m, struct dn_err *err)
{
    const struct table *t = memtable_table(m);
    uint32_t rows = memtable_rows_at(m, l->snap->seq);
    uint32_t seq_col = t->columns_count + HIDDEN_SEQ;

    for (uint32_t row = 0; row < rows; row++) {
        struct datum time = {.null = true};
        struct shard_slab *slab;
        int64_t start;

        if (memtable_op(m, row) == ROW_DELETE)
            continue;
        if (t->time_col >= 0)
            time = memtable_datum(m, row, (uint32_t)t->time_col);
        start = table_slab(t, time.null ? 0 : time.v.i64);
        if (l->ranges.count &&
            lister_row_hidden(l, t, start, &time, (uint64_t)memtable_datum(m, row, seq_col).v.i64))
            continue;
        slab = lister_slab(l, start);
        if (!slab)
            return DN_FAIL_NOMEM(err);
        slab->rows++;
        slab->memtable_rows++;
        if (time.null)
            continue;
        slab->time_min = time.v.i64 < slab->time_min ? time.v.i64 : slab->time_min;
        slab->time_max = time.v.i64 > slab->time_max ? time.v.i64 : slab->time_max;
    }
    return DN_OK;
}

static int lister_run(struct lister *l, struct dn_err *err)
{
    const struct version *v = l->snap->ver;
    int rc = DN_OK;

    if (!version_list_ranges(v, l->t->id, l->snap->seq, &l->ranges, l->owner))
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < v->segs_count && rc == DN_OK; i++) {
        const struct seg_meta *m = &v->segs[i]->meta;
        if (m->table_id != l->t->id)
            continue;
        rc = m->slab_min == m->slab_max ? lister_add(l, m, err)
                                        : lister_segment_runs(l, v->segs[i], err);
    }
    for (size_t i = 0; i < v->sets_count && rc == DN_OK; i++) {
        struct memtable *m;
        size_t at = 0;
        while (rc == DN_OK && (m = memgroup_next(v->sets[i], l->t->id, &at)) != NULL)
            rc = lister_memtable(l, m, err);
    }
    return rc;
}

static int lister_cmp(const void *a, const void *b)
{
    const struct shard_slab *x = a;
    const struct shard_slab *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

int shard_slabs_list(struct snapshot *snap,
                     const struct table *t,
                     struct mem_owner *owner,
                     struct shard_slabs *ret,
                     struct dn_err *err)
{
    struct lister l = {.snap = snap, .t = t, .owner = owner};
    int rc;

    hidx_init(&l.index, owner);
    rc = lister_run(&l, err);
    hidx_done(&l.index);
    range_list_done(&l.ranges);
    if (rc < 0) {
        mem_free(l.list);
        return rc;
    }
    if (l.count > 0)
        qsort(l.list, l.count, sizeof *l.list, lister_cmp);
    *ret = (struct shard_slabs){.list = l.list, .count = l.count};
    return DN_OK;
}

void shard_slabs_done(struct shard_slabs *l)
{
    mem_free(l->list);
    *l = (struct shard_slabs){0};
}

/* ---- dropping ---- */

static bool slabs_hit(const struct range *ranges,
                      uint32_t count,
                      const struct table *t,
                      const struct seg_meta *m)
{
    for (uint32_t i = 0; i < count; i++)
        if (range_on_segment(&ranges[i], t, m) == 1)
            return true;
    return false;
}

/* One manifest change: without the segments that range tombstones, which the log has, hit whole. */
static int slabs_forget(struct shard *s,
                        const struct range *ranges,
                        uint32_t count,
                        const struct table *t,
                        bool *ret_any)
{
    struct manifest next = {0};
    size_t keep = 0;
    int rc;

    sched_lock(s->man_lock);
    rc = shard_manifest_resolve(s, NULL);
    if (rc == DN_OK)
        rc = manifest_copy(&s->man, &next, NULL);
    if (rc == DN_OK) {
        for (size_t i = 0; i < next.segs_count; i++)
            if (!slabs_hit(ranges, count, t, &next.segs[i]))
                next.segs[keep++] = next.segs[i];
        *ret_any = keep < next.segs_count;
        next.segs_count = keep;
        if (*ret_any)
            rc = shard_manifest_commit(s, &next, NULL);
        if (!*ret_any || rc < 0)
            manifest_done(&next);
    }
    sched_unlock(s->man_lock);
    return rc;
}

/* The rows are gone already; what goes wrong here is left to the next flush. */
static void
slabs_give_back(struct shard *s, const struct range *ranges, uint32_t count, const struct table *t)
{
    bool any = false;
    int rc;

    /* As a flush, which leaves out such segments too: shard_set_catalog waits for it. */
    sched_lock(s->lock);
    while (s->flushing)
        sched_wait(s->cond, s->lock);
    s->flushing = true;
    sched_unlock(s->lock);
    rc = slabs_forget(s, ranges, count, t, &any);
    if (rc == DN_OK && any)
        DN_IGNORE(shard_install_manifest(s, NULL)); /* readers move over with the next version */
    sched_lock(s->lock);
    s->flushing = false;
    sched_broadcast(s->cond);
    sched_unlock(s->lock);
}

int shard_slabs_drop_all(struct shard *s,
                         const struct table *t,
                         const struct shard_slabs_what *what,
                         struct dn_err *err)
{
    struct range *ranges = mem_calloc(&s->owner, what->count, sizeof *ranges);
    struct shard_batch *batches = mem_calloc(&s->owner, what->count, sizeof *batches);
    const struct shard_how how = {.sync = true, .cancel = what->cancel};
    uint64_t seq = 0;
    int rc = DN_OK;

    if (!ranges || !batches)
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == DN_OK && i < what->count; i++) {
        ranges[i].slab_min = what->ranges[i].first;
        ranges[i].slab_max = what->ranges[i].last;
        batches[i] = (struct shard_batch){.table = t,
                                          .op = ROW_RANGE,
                                          .range = &ranges[i],
                                          .check_seq = what->check_seq,
                                          .beyond = what->beyond};
    }
    if (rc == DN_OK && what->count)
        rc = shard_write_how(s, batches, what->count, &how, &seq, err);
    for (uint32_t i = 0; rc == DN_OK && i < what->count; i++) {
        ranges[i].table_id = t->id;
        ranges[i].seq = seq;
    }
    if (rc == DN_OK && what->count)
        slabs_give_back(s, ranges, what->count, t);
    mem_free(batches);
    mem_free(ranges);
    return rc;
}

int shard_slabs_drop(
    struct shard *s, const struct table *t, int64_t first, int64_t last, struct dn_err *err)
{
    const struct shard_slab_range range = {.first = first, .last = last};
    const struct shard_slabs_what what = {.ranges = &range, .count = 1};

    return shard_slabs_drop_all(s, t, &what, err);
}

int shard_slabs_retain(struct shard *s, const struct table *t, int64_t horizon, struct dn_err *err)
{
    const struct shard_slab_range range = {.first = INT64_MIN, .last = horizon - 1};
    const struct shard_slabs_what what = {.ranges = &range, .count = 1, .beyond = true};

    return shard_slabs_drop_all(s, t, &what, err);
}

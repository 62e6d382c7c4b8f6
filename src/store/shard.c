/* SPDX-License-Identifier: Apache-2.0
 *
 * shard.c: opening, closing, the catalog's changes, figures. See shard_int.h for the whole. */
#include "store/shard_int.h"
#include "store/shard_overlap.h"

#include <string.h>

#define LOG_MEMORY_SHARE 8u /* a replay holds a chunk in memory: no more than this part of it */

int shard_open(struct volume *v,
               struct catalog *cat,
               const struct shard_options *options,
               struct shard **ret,
               struct dn_err *err)
{
    struct shard *s = mem_calloc(options->owner, 1, sizeof *s);
    bool turns = true;
    int rc;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->volume = v;
    s->sched = v->sched;
    s->options = *options;
    if (options->owner && options->owner->limit &&
        options->owner->limit / LOG_MEMORY_SHARE < options->log_chunk_bytes)
        s->options.log_chunk_bytes = options->owner->limit / LOG_MEMORY_SHARE;
    s->catalog = catalog_ref(cat);
    s->queue_tail = &s->queue;
    mem_owner_init(&s->owner, "shard", options->owner, 0);
    manifest_init(&s->man, &s->owner);
    buf_init(&s->frame, &s->owner);
    buf_init(&s->mark, &s->owner);
    buf_init(&s->pending_bytes, &s->owner);
    s->lock = sched_mutex_new(s->sched, "shard");
    s->man_lock = sched_mutex_new(s->sched, "manifest");
    s->cond = sched_cond_new(s->sched, "shard");
    s->idle_cond = sched_cond_new(s->sched, "idle");
    for (unsigned i = 0; turns && i < SHARD_TURNS; i++) {
        s->turns[i] = sched_cond_new(s->sched, "commit");
        turns = s->turns[i] != NULL;
    }
    s->cache = cache_new(s->sched, &s->owner, options->cache_bytes);
    if (!s->lock || !s->man_lock || !s->cond || !s->idle_cond || !s->cache || !turns ||
        !buf_reserve(&s->mark, LOG_FRAME_HEAD))
        rc = DN_FAIL_NOMEM(err);
    else
        rc = shard_recover(s, err);
    if (rc < 0) {
        shard_close(s);
        return rc;
    }
    if (!s->options.read_only) {
        sched_lock(s->lock);
        shard_merge_kick(s); /* what a close cut short goes on */
        s->unmerged = s->ver->segs_count > 1;
        shard_idle_kick(s);
        sched_unlock(s->lock);
    }
    *ret = s;
    return DN_OK;
}

void shard_task_start(struct shard *s, struct shard_task *t, const char *name, sched_fn fn)
{
    struct sched_task *task = t->task;

    DN_ASSERT(!shard_task_busy(t));
    t->running = true;
    t->starting = true;
    t->task = NULL;
    sched_unlock(s->lock);
    if (task)
        sched_join(task);
    if (sched_spawn(s->sched, name, fn, s, &task, NULL) < 0)
        task = NULL;
    sched_lock(s->lock);
    t->task = task;
    t->starting = false; /* the task may have ended already; only now may the next one start */
    if (!task)
        t->running = false;
    sched_broadcast(s->cond);
}

static void shard_stop_tasks(struct shard *s)
{
    sched_lock(s->lock);
    s->closing = true;
    s->merge_stop = true;
    sched_broadcast(s->cond);
    sched_broadcast(s->idle_cond);
    while (shard_task_busy(&s->flush_task) || shard_task_busy(&s->sync_task) ||
           shard_task_busy(&s->merge_task) || shard_task_busy(&s->idle_task) || s->flushing ||
           s->merging)
        sched_wait(s->cond, s->lock);
    sched_unlock(s->lock);
    if (s->flush_task.task)
        sched_join(s->flush_task.task);
    if (s->sync_task.task)
        sched_join(s->sync_task.task);
    if (s->merge_task.task)
        sched_join(s->merge_task.task);
    if (s->idle_task.task)
        sched_join(s->idle_task.task);
    /* Unsynced commits become durable, and a failed append certain, if the storage lets them. */
    if (s->options.read_only)
        return;
    if (!s->chunk_broken)
        DN_IGNORE(shard_log_sync(s, NULL)); /* a failure breaks the chunk */
    if (s->chunk_broken)
        DN_IGNORE(shard_log_roll(s, NULL));
    DN_IGNORE(shard_rescue(s, NULL));
    shard_log_seal(s);
}

/* Has it got so far that tasks may run? They change the version until they have been stopped. */
static bool shard_has_opened(struct shard *s)
{
    bool opened;

    if (!s->lock || !s->cond || !s->idle_cond)
        return false;
    sched_lock(s->lock);
    opened = s->ver != NULL;
    sched_unlock(s->lock);
    return opened;
}

void shard_close(struct shard *s)
{
    if (!s)
        return;
    if (shard_has_opened(s))
        shard_stop_tasks(s);
    for (size_t i = 0; i < s->left_count; i++)
        segref_unref(s->left[i]);
    mem_free(s->left);
    version_unref(s->ver);
    cache_free(s->cache);
    catalog_unref(s->catalog);
    manifest_done(&s->man);
    if (s->man_unknown)
        manifest_done(&s->pending);
    buf_done(&s->pending_bytes);
    buf_done(&s->frame);
    buf_done(&s->mark);
    mem_free(s->chunk_seqs);
    mem_free(s->rowids);
    mem_free(s->writes);
    sched_cond_free(s->cond);
    sched_cond_free(s->idle_cond);
    shard_overlap_done(s);
    for (unsigned i = 0; i < SHARD_TURNS; i++)
        sched_cond_free(s->turns[i]);
    sched_mutex_free(s->lock);
    sched_mutex_free(s->man_lock);
    mem_free(s);
}

/* The manifest without segments of tables that are gone. */
static int shard_forget_tables(struct shard *s, const struct catalog *cat, struct dn_err *err)
{
    struct manifest next = {0};
    size_t keep = 0;
    int rc;

    sched_lock(s->man_lock);
    rc = shard_manifest_resolve(s, err);
    if (rc == DN_OK)
        rc = manifest_copy(&s->man, &next, err);
    if (rc == DN_OK) {
        size_t ranges = next.ranges.count;
        size_t segs = next.segs_count;
        for (size_t i = 0; i < segs; i++)
            if (catalog_table_by_id(cat, next.segs[i].table_id))
                next.segs[keep++] = next.segs[i];
        next.segs_count = keep;
        manifest_apply_ranges(&next, cat);
        if (keep < segs || next.ranges.count < ranges) {
            rc = shard_manifest_commit(s, &next, err);
            if (rc < 0)
                manifest_done(&next);
        } else {
            manifest_done(&next);
        }
    }
    sched_unlock(s->man_lock);
    return rc;
}

/* Segments of tables that are gone and that no manifest names any more: their objects go with their
 * last readers. */
static void shard_drop_left(struct shard *s)
{
    struct segref **left;
    size_t count;

    sched_lock(s->lock);
    left = s->left;
    count = s->left_count;
    s->left = NULL;
    s->left_count = 0;
    sched_unlock(s->lock);
    for (size_t i = 0; i < count; i++) {
        segref_doom(left[i]);
        segref_unref(left[i]);
    }
    mem_free(left);
}

/* Lock held: the manifest could not be replaced and still names what the version before had of
 * tables that are gone. Out of memory: the next open finds their objects. */
static void shard_keep_left(struct shard *s, const struct version *old)
{
    struct segref **grown;

    if (old->segs_count == 0)
        return;
    grown = mem_realloc(
        &s->owner, s->left, (s->left_count + old->segs_count) * sizeof(struct segref *));
    if (!grown)
        return;
    s->left = grown;
    for (size_t i = 0; i < old->segs_count; i++)
        if (!catalog_table_by_id(s->catalog, old->segs[i]->meta.table_id))
            s->left[s->left_count++] = segref_ref(old->segs[i]);
}

void shard_forget_left(struct shard *s)
{
    bool any;

    sched_lock(s->lock);
    any = s->left_count > 0;
    sched_unlock(s->lock);
    if (any && shard_forget_tables(s, s->catalog, NULL) == DN_OK)
        shard_drop_left(s);
}

/* Token held: counters of tables that are gone. */
static void shard_forget_rowids(struct shard *s, const struct catalog *cat)
{
    size_t keep = 0;

    for (size_t i = 0; i < s->rowids_count; i++)
        if (catalog_table_by_id(cat, s->rowids[i].table_id))
            s->rowids[keep++] = s->rowids[i];
    s->rowids_count = keep;
}

void shard_catalog_saved(struct shard *s)
{
    sched_lock(s->lock);
    s->catalog_seq = 0;
    sched_broadcast(s->cond);
    shard_flush_kick(s);
    sched_unlock(s->lock);
}

void shard_catalog_unsaved(struct shard *s)
{
    sched_lock(s->lock);
    s->catalog_failed = true;
    sched_broadcast(s->cond);
    sched_unlock(s->lock);
}

int shard_set_catalog(struct shard *s, struct catalog *cat, struct dn_err *err)
{
    struct catalog *old_cat;
    struct version *v;
    struct version *old;
    bool forgotten;
    int rc;

    /* The token keeps commits and freezes out; flushes look at the catalog under the lock. */
    sched_lock(s->lock);
    shard_token_take(s);
    s->merge_stop = true; /* a merge of a table that goes is not worth waiting for */
    while (s->flushing || s->merging)
        sched_wait(s->cond, s->lock);
    s->merge_stop = s->closing;
    s->flushing = true;
    s->merging = true;
    old_cat = s->catalog;
    s->catalog = catalog_ref(cat);
    s->held_table = 0; /* rows of older definitions are refused from here on */
    shard_forget_rowids(s, cat);
    v = version_for(s->ver, cat);
    sched_unlock(s->lock);
    catalog_unref(old_cat);
    rc = v ? shard_forget_tables(s, cat, err) : DN_FAIL_NOMEM(err);
    forgotten = rc == DN_OK;
    /* On a full or failing disk reading goes on all the same; the next roll of the log tries again,
     * and the next open does it in any case. */
    if (rc < 0 && rc != DN_E_NOMEM && rc != DN_E_FENCED)
        rc = DN_OK;
    sched_lock(s->lock);
    old = NULL;
    if (rc == DN_OK) {
        old = shard_install(s, v);
        v = NULL;
        if (!forgotten)
            shard_keep_left(s, old);
        for (size_t i = 0; forgotten && i < old->segs_count; i++)
            if (!catalog_table_by_id(cat, old->segs[i]->meta.table_id))
                segref_doom(old->segs[i]);
    }
    s->flushing = false;
    s->merging = false;
    shard_token_give(s);
    sched_unlock(s->lock);
    version_unref(v);
    version_unref(old);
    if (forgotten)
        shard_drop_left(s);
    return rc;
}

void shard_hold(struct shard *s, uint64_t table_id, struct shard_span *ret)
{
    struct version *v;

    *ret = (struct shard_span){.time_min = INT64_MAX, .time_max = INT64_MIN};
    sched_lock(s->lock);
    shard_token_take(s);
    s->held_table = table_id;
    v = version_ref(s->ver);
    sched_unlock(s->lock);
    for (size_t i = 0; i < v->segs_count; i++) {
        const struct seg_meta *m = &v->segs[i]->meta;
        if (m->table_id != table_id)
            continue;
        ret->rows += m->rows;
        ret->time_min = m->time_min < ret->time_min ? m->time_min : ret->time_min;
        ret->time_max = m->time_max > ret->time_max ? m->time_max : ret->time_max;
    }
    for (size_t i = 0; i < v->sets_count; i++) {
        struct memtable *m;
        size_t at = 0;
        while ((m = memgroup_next(v->sets[i], table_id, &at)) != NULL) {
            ret->rows += memtable_rows(m);
            memtable_span(m, memtable_rows(m), &ret->time_min, &ret->time_max);
        }
    }
    version_unref(v);
    sched_lock(s->lock);
    shard_token_give(s);
    sched_unlock(s->lock);
}

void shard_release(struct shard *s)
{
    sched_lock(s->lock);
    shard_token_take(s);
    s->held_table = 0;
    shard_token_give(s);
    sched_unlock(s->lock);
}

static void shard_add_memory(struct shard *s, uint64_t table_id, struct shard_stats *ret)
{
    for (size_t i = 0; i < s->ver->sets_count; i++) {
        struct memgroup *set = s->ver->sets[i];
        sched_lock(set->lock);
        for (size_t k = 0; k < set->ranges.count; k++)
            ret->ranges += !table_id || set->ranges.v[k]->table_id == table_id;
        for (size_t k = 0; k < set->tables_count; k++) {
            const struct memtable *m = set->tables[k];
            if (table_id && memtable_table(m)->id != table_id)
                continue;
            ret->memtable_rows += memtable_rows(m);
            ret->memtable_bytes += memtable_bytes(m);
        }
        sched_unlock(set->lock);
    }
    for (size_t i = 0; i < s->ver->ranges.count; i++)
        ret->ranges += !table_id || s->ver->ranges.v[i]->table_id == table_id;
    for (size_t i = 0; i < s->ver->segs_count; i++) {
        const struct seg_meta *m = &s->ver->segs[i]->meta;
        if (table_id && m->table_id != table_id)
            continue;
        ret->segments++;
        ret->segment_rows += m->rows;
        ret->segment_bytes += m->bytes;
    }
}

void shard_count_writes(struct shard *s, const struct seg_meta *metas, size_t count, bool merge)
{
    for (size_t i = 0; i < count; i++) {
        struct write_counter *w = NULL;

        for (size_t k = 0; k < s->writes_count && !w; k++)
            if (s->writes[k].table_id == metas[i].table_id)
                w = &s->writes[k];
        if (!w) {
            w = mem_realloc(&s->owner, s->writes, (s->writes_count + 1) * sizeof *w);
            if (!w)
                continue; /* a figure less; the total has it */
            s->writes = w;
            w += s->writes_count++;
            *w = (struct write_counter){.table_id = metas[i].table_id};
        }
        w->flush_bytes += merge ? 0 : metas[i].bytes;
        w->merge_bytes += merge ? metas[i].bytes : 0;
    }
}

void shard_get_stats(struct shard *s, struct shard_stats *ret)
{
    struct cache_stats cache;

    cache_get_stats(s->cache, &cache);
    sched_lock(s->man_lock);
    sched_lock(s->lock);
    *ret = s->stats;
    ret->seq = s->seq_visible;
    ret->epoch = s->man.epoch;
    ret->log_chunks = s->man.chunks_count;
    ret->flushes_running = s->flushing;
    ret->merges_running = s->merging;
    ret->loads_running = s->loads;
    ret->cache_hits = cache.hits;
    ret->cache_misses = cache.misses;
    ret->cache_evicted = cache.evicted;
    ret->cache_bytes = cache.bytes;
    shard_add_memory(s, 0, ret);
    sched_unlock(s->lock);
    sched_unlock(s->man_lock);
}

void shard_table_stats(struct shard *s, uint64_t table_id, struct shard_stats *ret)
{
    memset(ret, 0, sizeof *ret);
    sched_lock(s->lock);
    ret->seq = s->seq_visible;
    shard_add_memory(s, table_id, ret);
    for (size_t i = 0; i < s->writes_count; i++)
        if (s->writes[i].table_id == table_id) {
            ret->flush_bytes = s->writes[i].flush_bytes;
            ret->merge_bytes = s->writes[i].merge_bytes;
        }
    sched_unlock(s->lock);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_flush.c: memtables to segments. Freezing puts a fresh set of memtables in front of the full
 * one and begins a new log chunk, so that after the flush the old chunks go as a whole. Flushing
 * writes the segment objects first, then one manifest change names them, raises flushed_seq and
 * drops the chunks; only then do readers move over. A crash in between leaves objects that the
 * next open sweeps. */
#include "store/fold.h"
#include "store/seg_sink.h"
#include "store/shard_int.h"

#include <string.h>

struct flusher {
    struct shard *s;
    const struct table *t;
    const struct table *now; /* the definition in force: its key may be longer */
    struct memtable *m;
    struct seg_sink sink;
    struct arena arena; /* of the batch */
    uint32_t *all_cols; /* owned: 0, 1, 2 … */
    struct vec *vecs;   /* owned */
    struct fold fold;
    bool fold_ready;
    /* range tombstones of the set: rows that they hit are not written */
    struct memgroup *set;    /* NULL: none */
    struct range_on *ranges; /* owned: those of the table */
    uint32_t ranges_count;
    const struct range_on **hits; /* owned: those that hit rows of the run at hand */
    uint32_t hits_count;
    uint32_t row; /* whose key is asked for */
};

static int flush_rows(struct flusher *f, const uint32_t *rows, uint32_t count, struct dn_err *err)
{
    while (count > 0) {
        uint32_t n = count < VEC_ROWS_MAX ? count : VEC_ROWS_MAX;
        struct mem_want want;
        int rc;
        arena_reset(&f->arena);
        want = (struct mem_want){
            .rows = rows, .count = n, .cols = f->all_cols, .cols_count = store_cols_count(f->t)};
        rc = memtable_gather(f->m, &want, &f->arena, f->vecs, err);
        if (rc == DN_OK)
            rc = seg_sink_add(&f->sink, f->vecs, n, err);
        if (rc < 0)
            return rc;
        rows += n;
        count -= n;
    }
    return DN_OK;
}

static int flush_fold_out(struct flusher *f, struct dn_err *err)
{
    uint32_t count = fold_rows(&f->fold);
    int rc;

    if (count == 0)
        return DN_OK;
    for (uint32_t c = 0; c < f->fold.cols_count; c++)
        f->vecs[c] = colbuf_vec(&f->fold.cols[c], 0, count);
    rc = seg_sink_add(&f->sink, f->vecs, count, err);
    fold_reset(&f->fold);
    return rc;
}

static struct datum flush_series(const void *arg, uint16_t place)
{
    const struct flusher *f = arg;

    return memtable_datum(f->m, f->row, f->t->series[place]);
}

static struct datum flush_rest(const void *arg, uint16_t place)
{
    const struct flusher *f = arg;

    return memtable_rest(f->m, f->row, f->now, place);
}

/* Which range tombstones may hit rows of a run? */
static bool flush_run_hit(struct flusher *f, const struct mem_order *o, const struct mem_run *run)
{
    f->hits_count = 0;
    f->row = o->order[run->first];
    for (uint32_t i = 0; i < f->ranges_count; i++)
        if (range_on_run(&f->ranges[i], run->slab, flush_series, f))
            f->hits[f->hits_count++] = &f->ranges[i];
    return f->hits_count > 0;
}

/* Versions of this row's key that are older than this are deleted. */
static uint64_t flush_horizon(struct flusher *f, uint32_t row)
{
    uint64_t seq = 0;

    f->row = row;
    for (uint32_t i = 0; i < f->hits_count; i++)
        if (f->hits[i]->r->seq > seq && range_on_row(f->hits[i], flush_rest, f))
            seq = f->hits[i]->r->seq;
    return seq;
}

/* The versions of one key, oldest first. Those that a range tombstone hits are as if deleted, and a
 * key that has no others leaves nothing: the tombstone is there for what older segments have. */
static int
flush_fold_key(struct flusher *f, const uint32_t *rows, uint32_t count, struct dn_err *err)
{
    uint64_t horizon = flush_horizon(f, rows[0]);
    uint32_t seq_col = f->t->columns_count + HIDDEN_SEQ;

    fold_begin(&f->fold);
    for (uint32_t i = count; i-- > 0;) {
        enum row_op op = memtable_op(f->m, rows[i]);
        if (horizon && (uint64_t)memtable_datum(f->m, rows[i], seq_col).v.i64 < horizon) {
            if (i + 1 == count)
                return DN_OK;
            op = ROW_DELETE;
        }
        if (!fold_version(&f->fold, op, memtable_fold_value, f->m, rows[i]))
            break;
    }
    return fold_end(&f->fold, false) ? DN_OK : DN_FAIL_NOMEM(err);
}

/* A run with repeated keys, patches or deletes: one stored row for each key. */
static int flush_folded(struct flusher *f, const uint32_t *rows, uint32_t count, struct dn_err *err)
{
    uint32_t at = 0;

    if (!f->fold_ready) {
        if (!fold_init(&f->fold, f->t, NULL, 0, &f->s->owner))
            return DN_FAIL_NOMEM(err);
        f->fold_ready = true;
    }
    while (at < count) {
        uint32_t end = at + 1;
        int rc;
        while (end < count && memtable_same_key(f->m, rows[at], rows[end]))
            end++;
        rc = flush_fold_key(f, rows + at, end - at, err);
        if (rc == DN_OK && fold_rows(&f->fold) == VEC_ROWS_MAX)
            rc = flush_fold_out(f, err);
        if (rc < 0)
            return rc;
        at = end;
    }
    return flush_fold_out(f, err);
}

static int flush_runs(struct flusher *f, const struct mem_order *o, struct dn_err *err)
{
    uint32_t i = 0;

    while (i < o->runs_count) {
        const struct mem_run *run = &o->runs[i];
        uint32_t count = run->count;
        int rc = seg_sink_slab(&f->sink, run->slab, err);

        if (rc == DN_OK && (flush_run_hit(f, o, run) || !run->plain)) {
            rc = flush_folded(f, o->order + run->first, count, err);
        } else if (rc == DN_OK) {
            /* Plain runs of one slab go together, so that short ones fill whole batches. */
            while (i + 1 < o->runs_count && o->runs[i + 1].plain &&
                   o->runs[i + 1].slab == run->slab && !flush_run_hit(f, o, &o->runs[i + 1]))
                count += o->runs[++i].count;
            rc = flush_rows(f, o->order + run->first, count, err);
        }
        if (rc < 0)
            return rc;
        i++;
    }
    return seg_sink_finish(&f->sink, err);
}

/* The set's range tombstones for the table at hand. */
static int flush_ranges(struct flusher *f, struct dn_err *err)
{
    struct range_list list = {.count = 0};
    int rc = DN_OK;

    f->now = catalog_table_by_id(f->s->catalog, f->t->id); /* it stays while this is a flush */
    f->now = f->now ? f->now : f->t;
    if (!memgroup_list_ranges(f->set, f->t->id, UINT64_MAX, &list, &f->s->owner))
        rc = DN_FAIL_NOMEM(err);
    if (rc == DN_OK)
        rc = range_resolve(f->now, &list, &f->s->owner, &f->ranges, &f->ranges_count, err);
    range_list_done(&list); /* the set has them */
    if (rc == DN_OK && f->ranges_count) {
        f->hits = mem_calloc(&f->s->owner, f->ranges_count, sizeof(struct range_on *));
        rc = f->hits ? DN_OK : DN_FAIL_NOMEM(err);
    }
    return rc;
}

static int flush_table(struct flusher *f, struct memtable *m, struct dn_err *err)
{
    uint32_t rows = memtable_rows(m);
    uint32_t cols;
    struct mem_order *o = NULL;
    int rc;

    if (rows == 0)
        return DN_OK;
    f->m = m;
    f->t = memtable_table(m);
    f->sink.t = f->t;
    cols = store_cols_count(f->t);
    f->all_cols = mem_alloc_array(&f->s->owner, cols, sizeof *f->all_cols);
    f->vecs = mem_calloc(&f->s->owner, cols, sizeof *f->vecs);
    if (f->all_cols && f->vecs) {
        for (uint32_t c = 0; c < cols; c++)
            f->all_cols[c] = c;
        rc = flush_ranges(f, err);
        if (rc == DN_OK)
            rc = memtable_order(m, rows, NULL, f->sink.cancel, &o, err);
        if (rc == DN_OK)
            rc = flush_runs(f, o, err);
        memtable_order_unref(o);
    } else {
        rc = DN_FAIL_NOMEM(err);
    }
    seg_writer_free(f->sink.w);
    f->sink.w = NULL;
    if (f->fold_ready)
        fold_done(&f->fold);
    f->fold_ready = false;
    mem_free(f->all_cols);
    mem_free(f->vecs);
    mem_free(f->ranges);
    mem_free(f->hits);
    f->ranges = NULL;
    f->ranges_count = 0;
    f->hits = NULL;
    f->all_cols = NULL;
    f->vecs = NULL;
    return rc;
}

/* Both locks held. The version that the manifest describes: its segments, and the sets it has not
 * flushed. */
static struct version *flush_version(struct shard *s)
{
    const struct version *old = s->ver;
    struct version *v = version_new(s->man.segs_count, old->sets_count);

    if (!v)
        return NULL;
    for (size_t i = 0; i < s->man.segs_count; i++) {
        const struct seg_meta *meta = &s->man.segs[i];
        const struct table *t = catalog_table_by_id(s->catalog, meta->table_id);
        struct segref *r = NULL;
        if (!t)
            continue;
        for (size_t k = 0; k < old->segs_count && !r; k++)
            if (old->segs[k]->meta.id == meta->id)
                r = segref_ref(old->segs[k]);
        if (!r)
            r = segref_new(s, meta, t);
        if (!r) {
            version_unref(v);
            return NULL;
        }
        v->segs[v->segs_count++] = r;
    }
    for (size_t i = 0; i < old->sets_count; i++)
        if (i + 1 == old->sets_count || old->sets[i]->seq_last > s->man.flushed_seq)
            v->sets[v->sets_count++] = memgroup_ref(old->sets[i]);
    if (!version_set_ranges(v, &s->man.ranges, s->man.flushed_seq)) {
        version_unref(v);
        return NULL;
    }
    return v;
}

/* man_lock held. One manifest change: segments and range tombstones in, flushed_seq up, old chunks
 * out, and segments that a tombstone hits whole. */
static int flush_commit(struct shard *s, const struct flusher *f, uint64_t seq, struct dn_err *err)
{
    struct manifest next = {0};
    size_t trim = 0;
    int rc;

    rc = shard_manifest_resolve(s, err);
    if (rc < 0)
        return rc;
    rc = manifest_copy(&s->man, &next, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; rc == DN_OK && i < f->sink.metas_count; i++) {
        f->sink.metas[i].applied = seq;
        if (catalog_table_by_id(s->catalog, f->sink.metas[i].table_id))
            rc = manifest_add_seg(&next, &f->sink.metas[i], err);
    }
    for (size_t i = 0; rc == DN_OK && i < f->set->ranges.count; i++)
        if (!range_list_add(&next.ranges, f->set->ranges.v[i], next.owner))
            rc = DN_FAIL_NOMEM(err);
    manifest_apply_ranges(&next, s->catalog);
    next.flushed_seq = seq;
    sched_lock(s->lock);
    while (trim < next.chunks_count && next.chunks[trim].sealed &&
           shard_chunk_seq(s, next.chunks[trim].number) <= seq)
        trim++;
    sched_unlock(s->lock);
    manifest_remove_chunks(&next, trim);
    if (rc == DN_OK)
        rc = shard_manifest_commit(s, &next, err);
    if (rc < 0)
        manifest_done(&next);
    return rc;
}

int shard_install_manifest(struct shard *s, struct dn_err *err)
{
    struct version *v;
    struct version *old = NULL;

    sched_lock(s->man_lock);
    sched_lock(s->lock);
    v = flush_version(s);
    if (v)
        old = shard_install(s, v);
    /* What the manifest does not name any more goes with its last reader (I6). */
    for (size_t i = 0; old && i < old->segs_count; i++)
        if (manifest_find_seg(&s->man, old->segs[i]->meta.id) == SIZE_MAX)
            segref_doom(old->segs[i]);
    sched_unlock(s->lock);
    sched_unlock(s->man_lock);
    version_unref(old);
    return v ? DN_OK : DN_FAIL_NOMEM(err);
}

/* Chunks in `before` that the manifest does not name any more. A failure leaves them for the next
 * open. */
static void flush_delete_chunks(struct shard *s, const struct manifest_chunk *before, size_t count)
{
    uint64_t first;
    char name[VOLUME_NAME_MAX + 1];

    sched_lock(s->man_lock);
    first = s->man.chunks_count ? s->man.chunks[0].number : UINT64_MAX;
    sched_unlock(s->man_lock);
    for (size_t i = 0; i < count && before[i].number < first; i++) {
        manifest_chunk_name(&before[i], name);
        DN_IGNORE(volume_log_delete(s->volume, name, NULL));
    }
}

/* Writes and names the segments of a frozen set. */
static int flush_write(struct shard *s, struct memgroup *set, struct dn_err *err)
{
    struct flusher f = {.s = s, .sink.s = s, .set = set};
    struct manifest_chunk *before = NULL;
    size_t before_count = 0;
    int rc = DN_OK;

    arena_init(&f.arena, &s->owner);
    for (size_t i = 0; rc == DN_OK && i < set->tables_count; i++) {
        bool alive;
        sched_lock(s->lock);
        alive = catalog_table_by_id(s->catalog, memtable_table(set->tables[i])->id) != NULL;
        sched_unlock(s->lock);
        if (alive)
            rc = flush_table(&f, set->tables[i], err);
    }
    sched_lock(s->man_lock);
    if (rc == DN_OK) {
        before_count = s->man.chunks_count;
        before = mem_dup(&s->owner, s->man.chunks, before_count * sizeof *before);
        rc = before ? flush_commit(s, &f, set->seq_last, err) : DN_FAIL_NOMEM(err);
    }
    sched_unlock(s->man_lock);
    if (rc == DN_OK)
        flush_delete_chunks(s, before, before_count);
    else
        seg_sink_discard(&f.sink);
    mem_free(before);
    arena_done(&f.arena);
    sched_lock(s->lock);
    s->stats.flush_bytes += rc == DN_OK ? f.sink.bytes : 0;
    if (rc == DN_OK)
        shard_count_writes(s, f.sink.metas, f.sink.metas_count, false);
    sched_unlock(s->lock);
    seg_sink_done(&f.sink);
    return rc;
}

static int flush_set(struct shard *s, struct memgroup *set, struct dn_err *err)
{
    bool named;
    int rc;

    sched_lock(s->man_lock);
    rc = shard_manifest_resolve(s, err);
    named = s->man.flushed_seq >= set->seq_last; /* an earlier try had landed after all */
    sched_unlock(s->man_lock);
    if (memgroup_ranges(set) > 0) /* what they hit is not written */
        shard_forget(s, set->seq_last);
    if (rc == DN_OK && !named)
        rc = flush_write(s, set, err);
    if (rc == DN_OK)
        rc = shard_install_manifest(s, err);
    return rc;
}

/* Puts an empty set in front; the one before it holds commits up to seq. */
static int flush_push_set(struct shard *s, uint64_t seq, struct dn_err *err)
{
    struct memgroup *fresh = memgroup_new(s);
    struct version *old = NULL;
    struct version *v;

    sched_lock(s->lock);
    v = fresh ? version_new(s->ver->segs_count, s->ver->sets_count + 1) : NULL;
    if (v && version_set_ranges(v, &s->ver->ranges, s->ver->flushed_seq)) {
        for (size_t i = 0; i < s->ver->segs_count; i++)
            v->segs[v->segs_count++] = segref_ref(s->ver->segs[i]);
        for (size_t i = 0; i < s->ver->sets_count; i++)
            v->sets[v->sets_count++] = memgroup_ref(s->ver->sets[i]);
        version_active(v)->seq_last = seq;
        v->sets[v->sets_count++] = memgroup_ref(fresh);
        old = shard_install(s, v);
        v = NULL;
    }
    sched_unlock(s->lock);
    version_unref(v);
    memgroup_unref(fresh);
    version_unref(old);
    return old ? DN_OK : DN_FAIL_NOMEM(err);
}

int shard_freeze(struct shard *s, struct dn_err *err)
{
    bool empty;
    int rc;

    sched_lock(s->lock);
    empty = memgroup_empty(version_active(s->ver));
    sched_unlock(s->lock);
    if (empty)
        return DN_OK;
    rc = shard_log_roll(s, err);
    return rc < 0 ? rc : flush_push_set(s, s->seq_visible, err);
}

int shard_flush_replayed(struct shard *s, uint64_t seq, struct dn_err *err)
{
    struct memgroup *set;
    int rc = flush_push_set(s, seq, err);

    if (rc < 0)
        return rc;
    set = memgroup_ref(s->ver->sets[0]);
    rc = flush_set(s, set, err);
    memgroup_unref(set);
    return rc;
}

static uint64_t flush_refused(const struct shard *s)
{
    return s->options.owner ? mem_owner_refused(s->options.owner) : 0;
}

/* Lock held. A flush is what gives memory back: when it has none itself, the cache and a merge make
 * room for it, and it is tried again. */
static int flush_set_short(struct shard *s, struct memgroup *set, struct dn_err *err)
{
    bool stop = s->merge_stop;
    int rc;

    s->merge_stop = true;
    while (s->merging)
        sched_wait(s->cond, s->lock);
    sched_unlock(s->lock);
    DN_IGNORE(cache_empty(s->cache)); /* how much is of no interest */
    dn_err_clear(err);
    rc = flush_set(s, set, err);
    sched_lock(s->lock);
    s->merge_stop = stop || s->closing;
    return rc;
}

/* Lock held. */
static int flush_ended(struct shard *s, int rc, const struct dn_err *why, struct dn_err *err)
{
    s->flush_rc = rc;
    s->flush_why = *why;
    if (rc < 0) {
        s->flush_failed_ns = sched_now_ns(s->sched);
        s->stats.flush_failures++;
        if (err)
            *err = *why;
    } else {
        s->stats.flushes++;
    }
    return rc;
}

/* Lock held: flushes frozen sets, oldest first, until none up to `seq` is left. */
static int flush_drain(struct shard *s, uint64_t seq, bool patient, struct dn_err *err)
{
    for (;;) {
        struct memgroup *set;
        uint64_t seq_flushed, refused;
        struct dn_err why;
        int rc;

        while (s->flushing)
            sched_wait(s->cond, s->lock);
        if (s->ver->sets_count < 2 || s->ver->sets[0]->seq_last > seq)
            return DN_OK;
        dn_err_clear(&why);
        if (s->catalog_seq && s->catalog_seq <= s->ver->sets[0]->seq_last) {
            /* The log must keep the only copy, and the shard may not know the tables yet. */
            if (patient && !s->catalog_failed && !s->closing) {
                sched_wait(s->cond, s->lock);
                continue;
            }
            rc = DN_FAIL(&why, DN_E_IO, "the catalog of a transaction could not be saved yet");
            if (s->catalog_failed || s->closing)
                return flush_ended(s, rc, &why, err);
            return err ? (*err = why, rc) : rc; /* on its way: no failure to remember */
        }
        s->flushing = true;
        set = memgroup_ref(s->ver->sets[0]);
        sched_unlock(s->lock);
        refused = flush_refused(s);
        seq_flushed = set->seq_last;
        rc = flush_set(s, set, &why);
        sched_lock(s->lock);
        if (rc == DN_E_NOMEM && flush_refused(s) > refused)
            rc = flush_set_short(s, set, &why);
        sched_unlock(s->lock);
        memgroup_unref(set);
        sched_lock(s->lock);
        s->flushing = false;
        rc = flush_ended(s, rc, &why, err);
        if (rc == DN_OK && s->rescue_seq <= seq_flushed)
            s->rescue_seq = 0;
        if (rc == DN_OK) {
            s->unmerged = true;
            shard_merge_kick(s);
            shard_idle_kick(s);
        }
        sched_broadcast(s->cond);
        if (rc < 0)
            return rc;
    }
}

int shard_rescue(struct shard *s, struct dn_err *err)
{
    int rc = DN_OK;

    sched_lock(s->lock);
    if (s->rescue_seq) {
        sched_unlock(s->lock);
        rc = shard_freeze(s, err);
        sched_lock(s->lock);
        if (rc == DN_OK)
            rc = flush_drain(s, s->seq_visible, false, err);
    }
    sched_unlock(s->lock);
    return rc;
}

int shard_flush_how(struct shard *s, bool patient, struct dn_err *err)
{
    uint64_t seq;
    int rc;

    if (s->options.read_only)
        return DN_FAIL(err, DN_E_READ_ONLY, "the database is open read-only");
    sched_lock(s->lock);
    shard_token_take(s);
    sched_unlock(s->lock);
    rc = shard_freeze(s, err);
    sched_lock(s->lock);
    seq = s->seq_visible;
    shard_token_give(s);
    if (rc == DN_OK)
        rc = flush_drain(s, seq, patient, err);
    sched_unlock(s->lock);
    return rc;
}

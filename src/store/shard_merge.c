/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_merge.c: segments that lie over each other become segments that lie beside each other.
 *
 * Two segments lie over each other when they share slabs and tokens (tables without a series: and
 * times). A flush makes level 0; a merge makes one level more than the highest it read. Two rules
 * say what to merge:
 *
 *   tier    MERGE_FANOUT segments of one level over the same place: each row is rewritten about
 * once per level, so a row's cost grows with the logarithm of what its slab holds settle  a slab
 * behind the newest one is not written to any more: whatever lies over each other there is merged
 * at once. Where nothing does, the slab is settled and stays as it is
 *
 * Small segments beside each other are merged by the tier rule too, so that many small slabs do not
 * make many small objects. Those of a table without a key are neighbours by their row ids.
 *
 *   overlap  segments of which a good part lies among rows of another (late rows: shard_overlap.h),
 *            whatever their sizes, as long as that pays: what is of the level of the largest among
 *            them may be MERGE_OVER_BUSY times as much as the rest; MERGE_OVER_IDLE times when
 *            nobody writes (shard_idle.c). The rest rises by a level or more, so that for each
 *            byte and level that it rises at most 1 + that many bytes are written; who is merged
 *            with its equals rises by one, so levels grow with the logarithm of flushes
 *
 * Rows that a range tombstone hits are left out of the outputs. So that tombstones do not gather
 * where nothing else is to be merged, segments are written anew by themselves once a table has more
 * than MERGE_RANGES_MAX of them, the oldest first.
 *
 * A row that has expired is deleted: it goes as a tombstone does. A segment of which half the rows
 * or more are in blocks that have expired is written anew by itself, which costs nothing when all
 * are: no block is read. The background looks for such segments now and then (shard_expire).
 *
 * A patch is folded into the version before it, so a merge with patches takes in every segment over
 * the same place whose sequences lie between those of its inputs.
 *
 * Tombstones go, and patches become rows, when no segment outside the merge could hold an older
 * version. Rows in memtables are always newer. Outputs are put first, then one manifest change
 * replaces the inputs, then readers move over; inputs are deleted with their last reader. */
#include "store/scan_int.h"
#include "store/seg_sink.h"
#include "store/shard_overlap.h"
#include "store/shard_rewrite.h"
#include "volume/clock.h"

#include <string.h>

#define MERGE_FANOUT      4u
#define MERGE_OVER_BUSY   2u
#define MERGE_OVER_IDLE   16u
#define MERGE_RANGES_MAX  8u                     /* of one table: every scan of it looks at them */
#define MERGE_BYTES_MAX   (256u * 1024 * 1024)   /* read by one merge at most */
#define MERGE_BYTES_SMALL (SEG_BYTES_TARGET / 4) /* worth joining with its neighbours */

struct merge_job {
    struct segref **refs; /* owned references */
    size_t count;
    const struct table *t; /* borrowed from the references */
    uint8_t level;         /* of the outputs */
    bool final;
    int64_t now_ns;           /* what expired up to here is deleted; ROW_EARLY unless final */
    struct range_list ranges; /* tombstones of the table that the manifest has */
    uint64_t applied;         /* the outputs know all of them up to here */
};

static bool merge_ranges_meet(int64_t a_lo, int64_t a_hi, int64_t b_lo, int64_t b_hi)
{
    return a_lo <= b_hi && b_lo <= a_hi;
}

static bool merge_over(const struct table *t, const struct seg_meta *a, const struct seg_meta *b)
{
    if (!merge_ranges_meet(a->slab_min, a->slab_max, b->slab_min, b->slab_max) ||
        !merge_ranges_meet(a->token_min, a->token_max, b->token_min, b->token_max))
        return false;
    if (t->form == KEY_NONE)
        return true; /* an update may give any row a version anywhere */
    if (t->series_count == 0 && t->time_col >= 0 && t->rest[0].col == t->time_col)
        return merge_ranges_meet(a->time_min, a->time_max, b->time_min, b->time_max);
    return true;
}

/* Is it worth bringing them together? What one merge wrote lies beside each other, but where it was
 * cut inside a series both parts have its token. */
static bool merge_worth(const struct table *t, const struct seg_meta *a, const struct seg_meta *b)
{
    bool touch = a->token_max == b->token_min || b->token_max == a->token_min;

    if (!merge_over(t, a, b))
        return false;
    if (!touch || a->level == 0 || a->level != b->level)
        return true;
    return a->token_min == a->token_max && b->token_min == b->token_max && t->time_col >= 0 &&
           t->rest_count > 0 && t->rest[0].col == t->time_col &&
           merge_ranges_meet(a->time_min, a->time_max, b->time_min, b->time_max);
}

/* Small segments of one level, worth joining wherever they lie? */
static bool merge_small(const struct seg_meta *a, const struct seg_meta *b)
{
    return a->level == b->level && a->level < MANIFEST_LEVEL_MAX && a->bytes < MERGE_BYTES_SMALL &&
           b->bytes < MERGE_BYTES_SMALL;
}

/* Should b be merged with a by the tier rule? */
static bool
merge_tier_mate(const struct table *t, const struct seg_meta *a, const struct seg_meta *b)
{
    if (a->level != b->level || a->level >= MANIFEST_LEVEL_MAX)
        return false;
    return merge_worth(t, a, b) || merge_small(a, b);
}

/* A table without a key: its rows lie in the order of their ids, and segments follow each other as
 * long as no row is updated. Only neighbours are joined, so that it stays that way: what is
 * merged has its greatest ids between these two, which are those of segments that are not small. */
struct merge_neighbours {
    uint64_t above; /* 0: from the first */
    uint64_t below; /* UINT64_MAX: to the last */
};

static struct merge_neighbours
merge_find_neighbours(struct segref *const *segs, size_t count, const struct seg_meta *a)
{
    struct merge_neighbours n = {.below = UINT64_MAX};

    for (size_t i = 0; i < count; i++) {
        const struct seg_meta *b = &segs[i]->meta;
        if (b->table_id != a->table_id || merge_small(a, b))
            continue;
        if (b->rowid_max <= a->rowid_max && b->rowid_max > n.above)
            n.above = b->rowid_max;
        if (b->rowid_max > a->rowid_max && b->rowid_max < n.below)
            n.below = b->rowid_max;
    }
    return n;
}

static bool merge_is_neighbour(const struct merge_neighbours *n,
                               const struct seg_meta *a,
                               const struct seg_meta *b)
{
    return merge_small(a, b) && b->rowid_max >= n->above && b->rowid_max < n->below;
}

/* By the rule that a slab settles? Two that have gone through so many merges met in one of them. */
static bool merge_settle_mate(const struct table *t,
                              const struct seg_meta *a,
                              const struct seg_meta *b,
                              int64_t newest)
{
    return t->form != KEY_NONE && t->time_col >= 0 && a->slab_max < newest &&
           b->slab_max < newest && merge_worth(t, a, b) &&
           (a->level < MANIFEST_LEVEL_MAX || b->level < MANIFEST_LEVEL_MAX);
}

/* Collects into job the mates of segs[at]; true if there are enough of them. */
static bool merge_collect(struct segref *const *segs,
                          size_t count,
                          size_t at,
                          int64_t newest,
                          bool settle,
                          struct merge_job *job)
{
    const struct seg_meta *a = &segs[at]->meta;
    const struct table *t = segs[at]->table;
    struct merge_neighbours beside = {.above = 0};
    uint64_t bytes = 0;

    job->count = 0;
    job->level = 0;
    if (t->form == KEY_NONE)
        beside = merge_find_neighbours(segs, count, a);
    for (size_t i = 0; i < count; i++) {
        const struct seg_meta *b = &segs[i]->meta;
        bool mate = i == at || (b->table_id == a->table_id &&
                                (settle                ? merge_settle_mate(t, a, b, newest)
                                 : t->form == KEY_NONE ? merge_is_neighbour(&beside, a, b)
                                                       : merge_tier_mate(t, a, b)));
        if (!mate || (i != at && bytes + b->bytes > MERGE_BYTES_MAX))
            continue;
        bytes += b->bytes;
        job->refs[job->count++] = segs[i];
        job->level = b->level > job->level ? b->level : job->level;
    }
    job->level = job->level < MANIFEST_LEVEL_MAX ? (uint8_t)(job->level + 1) : job->level;
    return job->count >= (settle ? 2 : MERGE_FANOUT);
}

static bool merge_has_patch(const struct merge_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->refs[i]->meta.has_patch)
            return true;
    return false;
}

/* Could a segment outside the merge hold versions that came between those of its inputs? */
static bool merge_between(const struct merge_job *job, const struct seg_meta *m)
{
    const struct table *t = job->refs[0]->table;
    uint64_t oldest = UINT64_MAX;
    uint64_t newest = 0;
    bool over = false;

    if (m->table_id != t->id)
        return false;
    for (size_t i = 0; i < job->count; i++) {
        const struct seg_meta *in = &job->refs[i]->meta;
        if (in->id == m->id)
            return false;
        oldest = in->seq_min < oldest ? in->seq_min : oldest;
        newest = in->seq_max > newest ? in->seq_max : newest;
        over = over || merge_over(t, in, m);
    }
    return over && m->seq_min < newest && m->seq_max > oldest;
}

/* Takes in what lies between inputs that have patches; false: that would be too much. */
static bool merge_close(struct segref *const *segs, size_t count, struct merge_job *job)
{
    uint64_t bytes = 0;
    bool more = true;

    for (size_t i = 0; i < job->count; i++)
        bytes += job->refs[i]->meta.bytes;
    while (more && merge_has_patch(job)) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            const struct seg_meta *m = &segs[i]->meta;
            if (!merge_between(job, m))
                continue;
            if (bytes + m->bytes > 2 * (uint64_t)MERGE_BYTES_MAX)
                return false;
            bytes += m->bytes;
            if (m->level >= job->level)
                job->level =
                    m->level < MANIFEST_LEVEL_MAX ? (uint8_t)(m->level + 1) : MANIFEST_LEVEL_MAX;
            job->refs[job->count++] = segs[i];
            more = true;
        }
    }
    return true;
}

/* Is it worth merging what lies over each other? Sets the level of the outputs. */
static bool merge_pays(struct merge_job *job, uint32_t ratio)
{
    const struct seg_meta *largest = &job->refs[0]->meta;
    uint64_t all = 0;
    uint64_t big = 0; /* of the largest one's level */
    unsigned level;

    for (size_t i = 1; i < job->count; i++)
        if (job->refs[i]->meta.bytes > largest->bytes)
            largest = &job->refs[i]->meta;
    level = largest->level;
    for (size_t i = 0; i < job->count; i++) {
        const struct seg_meta *m = &job->refs[i]->meta;
        all += m->bytes;
        big += m->level == largest->level ? m->bytes : 0;
        if (m->level > largest->level && m->level + 1u > level)
            level = m->level + 1u;
    }
    if (big == all) { /* all get to the next level */
        big = largest->bytes;
        level++;
    }
    job->level = (uint8_t)level;
    return level <= MANIFEST_LEVEL_MAX && big <= ratio * (all - big);
}

/* Collects what lies among rows of segs[at], or it among theirs. */
static bool merge_collect_over(struct shard *s, size_t at, uint32_t ratio, struct merge_job *job)
{
    struct segref *const *segs = s->ver->segs;
    const struct seg_meta *a = &segs[at]->meta;
    uint64_t bytes = a->bytes;

    job->count = 0;
    job->level = 0;
    job->refs[job->count++] = segs[at];
    for (size_t i = 0; i < s->ver->segs_count; i++) {
        const struct seg_meta *b = &segs[i]->meta;
        if (i == at || b->table_id != a->table_id || !shard_overlap_has(s, a->id, b->id) ||
            bytes + b->bytes > MERGE_BYTES_MAX)
            continue;
        bytes += b->bytes;
        job->refs[job->count++] = segs[i];
    }
    return job->count > 1 && merge_close(segs, s->ver->segs_count, job) && merge_pays(job, ratio);
}

/* Could a segment outside the merge hold versions that are older than the inputs' newest? */
static bool merge_hides(const struct merge_job *job, const struct seg_meta *m)
{
    bool over = false;
    uint64_t newest = 0;

    if (m->table_id != job->t->id)
        return false;
    for (size_t i = 0; i < job->count; i++) {
        const struct seg_meta *in = &job->refs[i]->meta;
        if (in->id == m->id)
            return false;
        newest = in->seq_max > newest ? in->seq_max : newest;
        over = over || merge_over(job->t, in, m);
    }
    return over && m->seq_min <= newest;
}

/* No version older than the inputs' lies outside them. */
static bool merge_is_final(struct segref *const *segs, size_t count, const struct merge_job *job)
{
    for (size_t k = 0; k < count; k++)
        if (merge_hides(job, &segs[k]->meta))
            return false;
    return true;
}

/* Too many range tombstones of one table: a segment that the oldest of them hits is written anew.
 */
static bool merge_purge(const struct version *v, struct merge_job *job)
{
    for (size_t i = 0; i < v->ranges.count; i++) {
        const struct range *r = v->ranges.v[i];
        size_t same = 0;
        for (size_t k = i; k < v->ranges.count; k++)
            same += v->ranges.v[k]->table_id == r->table_id;
        for (size_t k = 0; same > MERGE_RANGES_MAX && k < v->segs_count; k++) {
            if (range_on_segment(r, v->segs[k]->table, &v->segs[k]->meta) < 0)
                continue;
            job->refs[0] = v->segs[k];
            job->count = 1;
            job->level = v->segs[k]->meta.level;
            if (merge_close(v->segs, v->segs_count, job))
                return true;
        }
    }
    return false;
}

/* Half of a segment has expired, and nothing older lies under it. */
static bool merge_expired(const struct version *v, struct merge_job *job)
{
    for (size_t i = 0; i < v->segs_count; i++) {
        struct segref *ref = v->segs[i];
        if ((uint64_t)atomic_load(&ref->expired) * 2 < ref->meta.rows || !ref->meta.has_expiry)
            continue;
        job->refs[0] = ref;
        job->count = 1;
        job->level = ref->meta.level;
        job->t = ref->table;
        if (merge_is_final(v->segs, v->segs_count, job))
            return true;
    }
    return false;
}

/* Counts the rows of segments that have expired, by what their blocks say. One that cannot be
 * opened is left alone: whoever reads it is told. */
static void merge_look_expired(struct shard *s, const struct version *v)
{
    int64_t now_ns = volume_sure_ns(s->volume);

    for (size_t i = 0; i < v->segs_count; i++) {
        struct segref *ref = v->segs[i];
        struct seg *seg;
        if (ref->meta.has_expiry && segref_open(ref, &seg, NULL) == DN_OK)
            atomic_store(&ref->expired, scan_seg_expired(seg, ref->table, now_ns));
    }
}

/* Lock held. Finds the next merge; DN_NOT_FOUND: nothing to do. */
static int merge_pick(struct shard *s, bool idle, struct merge_job *job, struct dn_err *err)
{
    uint32_t ratio = idle ? MERGE_OVER_IDLE : MERGE_OVER_BUSY;
    struct segref *const *segs = s->ver->segs;
    size_t count = s->ver->segs_count;
    bool found = false;

    memset(job, 0, sizeof *job);
    job->refs = mem_calloc(&s->owner, count, sizeof(struct segref *));
    if (!job->refs)
        return DN_FAIL_NOMEM(err);
    found = s->loads == 0 && merge_expired(s->ver, job) && !merge_has_patch(job);
    for (size_t at = 0; at < count && !found; at++) {
        int64_t newest = INT64_MIN;
        for (size_t i = 0; i < count; i++)
            if (segs[i]->meta.table_id == segs[at]->meta.table_id &&
                segs[i]->meta.slab_max > newest)
                newest = segs[i]->meta.slab_max;
        for (int settle = 1; settle >= 0 && !found; settle--)
            found = merge_collect(segs, count, at, newest, settle, job) &&
                    merge_close(segs, count, job) && !(s->loads && merge_has_patch(job));
    }
    for (size_t at = 0; at < count && !found; at++)
        found = merge_collect_over(s, at, ratio, job) && !(s->loads && merge_has_patch(job));
    found = found || (merge_purge(s->ver, job) && !(s->loads && merge_has_patch(job)));
    if (!found) {
        mem_free(job->refs);
        job->refs = NULL;
        return DN_NOT_FOUND;
    }
    job->t = job->refs[0]->table;
    job->final = s->loads == 0 && merge_is_final(segs, count, job);
    job->now_ns = job->final ? volume_sure_ns(s->volume) : ROW_EARLY;
    job->applied = s->ver->flushed_seq;
    if (!range_list_copy(&s->ver->ranges, &job->ranges, &s->owner)) {
        mem_free(job->refs);
        job->refs = NULL;
        return DN_FAIL_NOMEM(err);
    }
    for (size_t i = 0; i < job->count; i++)
        (void)segref_ref(job->refs[i]);
    return DN_OK;
}

static void merge_job_done(struct merge_job *job)
{
    for (size_t i = 0; job->refs && i < job->count; i++)
        segref_unref(job->refs[i]);
    mem_free(job->refs);
    job->refs = NULL;
    range_list_done(&job->ranges);
}

/* One manifest change: inputs out, outputs in. DN_NOT_FOUND: an earlier change whose outcome was
 * unknown had landed, and the manifest does not name all inputs any more, or names a segment that
 * the merge should have known. */
static int merge_commit(struct shard *s,
                        const struct merge_job *job,
                        const struct seg_sink *sink,
                        struct dn_err *err)
{
    struct manifest next = {0};
    bool stale = false;
    size_t keep = 0;
    int rc;

    sched_lock(s->man_lock);
    rc = shard_manifest_resolve(s, err);
    if (rc == DN_OK)
        rc = manifest_copy(&s->man, &next, err);
    for (size_t i = 0; rc == DN_OK && i < next.segs_count; i++) {
        bool input = false;
        for (size_t k = 0; k < job->count && !input; k++)
            input = job->refs[k]->meta.id == next.segs[i].id;
        stale = stale || (job->final && merge_hides(job, &next.segs[i])) ||
                (merge_has_patch(job) && merge_between(job, &next.segs[i]));
        if (!input)
            next.segs[keep++] = next.segs[i];
    }
    if (rc == DN_OK && (stale || next.segs_count - keep < job->count)) {
        manifest_done(&next);
        rc = DN_NOT_FOUND;
    }
    if (rc == DN_OK) {
        next.segs_count = keep;
        for (size_t i = 0; rc == DN_OK && i < sink->metas_count; i++) {
            sink->metas[i].applied = job->applied;
            rc = manifest_add_seg(&next, &sink->metas[i], err);
        }
        manifest_apply_ranges(&next, s->catalog);
        if (rc == DN_OK)
            rc = shard_manifest_commit(s, &next, err);
        if (rc < 0)
            manifest_done(&next);
    }
    sched_unlock(s->man_lock);
    return rc;
}

/* Inputs that the manifest does not name any more go with their last reader (I6). */
static void merge_doom(struct shard *s, const struct merge_job *job)
{
    sched_lock(s->man_lock);
    for (size_t i = 0; i < job->count; i++)
        if (manifest_find_seg(&s->man, job->refs[i]->meta.id) == SIZE_MAX)
            segref_doom(job->refs[i]);
    sched_unlock(s->man_lock);
}

/* Tombstones go, and rows that they or ranges hit. */
static void merge_forget(struct shard *s, const struct merge_job *job)
{
    uint64_t seq = job->ranges.count ? job->applied : 0;

    for (size_t i = 0; job->final && i < job->count; i++)
        if ((job->refs[i]->meta.has_delete || job->refs[i]->meta.has_expiry) &&
            job->refs[i]->meta.seq_max > seq)
            seq = job->refs[i]->meta.seq_max;
    shard_forget(s, seq);
}

static int merge_run(struct shard *s, const struct merge_job *job, struct dn_err *err)
{
    struct seg_sink sink = {.s = s, .t = job->t, .level = job->level};
    bool merged;
    int rc;

    merge_forget(s, job);
    rc = shard_rewrite(
        s,
        &(struct shard_rewrite){
            .t = job->t,
            .refs = job->refs,
            .count = job->count,
            .yields = true,
            .fold = {.final = job->final, .ranges = &job->ranges, .now_ns = job->now_ns}},
        &sink,
        err);
    if (rc == DN_OK)
        rc = merge_commit(s, job, &sink, err);
    merged = rc == DN_OK;
    if (!merged)
        seg_sink_discard(&sink);
    if (rc == DN_OK || rc == DN_NOT_FOUND) {
        merge_doom(s, job);
        rc = shard_install_manifest(s, err);
    }
    sched_lock(s->lock);
    if (rc == DN_OK) { /* not merged: readers caught up with the manifest, the caller picks again */
        s->stats.merges += merged;
        s->stats.merge_bytes += merged ? sink.bytes : 0;
        if (merged)
            shard_count_writes(s, sink.metas, sink.metas_count, true);
    } else if (rc != DN_E_CANCELED) {
        s->stats.merge_failures++;
    }
    sched_unlock(s->lock);
    seg_sink_done(&sink);
    return rc;
}

/* What rules need to know of segments; whoever merges alone, without the lock. */
static void merge_look(struct shard *s)
{
    struct version *v;

    sched_lock(s->lock);
    v = version_ref(s->ver);
    sched_unlock(s->lock);
    merge_look_expired(s, v);
    shard_overlap_look(s, v);
    version_unref(v);
}

static int merge_all(struct shard *s, bool idle, struct dn_err *err)
{
    int rc = DN_OK;

    if (s->options.read_only)
        return DN_FAIL(err, DN_E_READ_ONLY, "the database is open read-only");
    sched_lock(s->lock);
    while (s->merging)
        sched_wait(s->cond, s->lock);
    s->merging = true;
    sched_unlock(s->lock);
    merge_look(s);
    sched_lock(s->lock);
    while (rc == DN_OK && !s->merge_stop) {
        struct merge_job job;
        rc = merge_pick(s, idle, &job, err);
        if (rc != DN_OK)
            break;
        sched_unlock(s->lock);
        rc = merge_run(s, &job, err);
        merge_job_done(&job);
        merge_look(s);
        sched_lock(s->lock);
    }
    s->merging = false;
    s->merge_rc = rc < 0 ? rc : DN_OK;
    sched_broadcast(s->cond);
    sched_unlock(s->lock);
    return rc < 0 && rc != DN_E_CANCELED ? rc : DN_OK;
}

int shard_merge(struct shard *s, struct dn_err *err)
{
    return merge_all(s, true, err);
}

static void merge_task(void *arg)
{
    struct shard *s = arg;

    /* A failure is counted; the next flush tries again. */
    DN_IGNORE(merge_all(s, false, NULL));
    sched_lock(s->lock);
    s->merge_task.running = false;
    sched_broadcast(s->cond);
    sched_unlock(s->lock);
}

bool shard_merge_wait(struct shard *s, uint64_t timeout_ns)
{
    bool idle;

    sched_lock(s->lock);
    if (shard_task_busy(&s->merge_task) || s->merging)
        DN_IGNORE(sched_wait_ns(s->cond, s->lock, timeout_ns)); /* what it was shows below */
    idle = !shard_task_busy(&s->merge_task) && !s->merging;
    sched_unlock(s->lock);
    return idle;
}

void shard_expire(struct shard *s)
{
    bool any = false;

    sched_lock(s->lock);
    for (size_t i = 0; i < s->ver->segs_count && !any; i++)
        any = s->ver->segs[i]->meta.has_expiry;
    if (any)
        shard_merge_kick(s);
    sched_unlock(s->lock);
}

void shard_merge_kick(struct shard *s)
{
    if (shard_task_busy(&s->merge_task) || !s->options.background || s->closing)
        return;
    shard_task_start(s, &s->merge_task, "merge", merge_task);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load.c: a load gathers parts; when they make a batch a task writes its segments, while the
 * next one gathers. Rows in order go out as they lie (shard_load_runs.c), others are sorted first
 * (shard_load_sorted.c).
 *
 * Sequences. A load takes a block of them when it begins, and a batch one of the block, so that of
 * two batches the later one wins. What was committed before the load is flushed first: rows in
 * memtables are newer than all segments, loaded ones too, which is what merges rely on. While a
 * load is under way no merge is the last word on a key (shard.loads). The rows become visible at a
 * moment when nobody commits, and get a sequence as mark: whoever changes rows by what an older
 * snapshot showed tries again (commit_check). */
#include "store/shard_load.h"

#include "store/late.h"
#include "store/shard_int.h"
#include "store/shard_load_sort.h"
#include "store/shard_rewrite.h"
#include "volume/clock.h"

#define LOAD_SEQS      65536u      /* taken at once; a batch needs one */
#define LOAD_ROWS_MAX  0x7fffffffu /* of a batch */
#define LOAD_AHEAD     8u          /* … this part of which is gathered while one is written */
#define LOAD_MOVES_MAX 64          /* from table to table */
#define LOAD_RUN_ROWS  (4u * SEG_LONG_RUN) /* a run should have more rows than this, on average */

struct shard_load {
    struct shard *s; /* borrowed */
    struct table *t; /* reference */
    struct shard_load_options options;
    struct load_batch batch; /* being gathered */
    uint64_t seq;            /* of the next batch */
    uint64_t seq_end;        /* first one behind the block */

    struct sched_task *task;   /* writes a batch; NULL = none */
    struct load_batch written; /* that batch */
    struct seg_sink sink;      /* segments that are written and not named */
    uint64_t rows_written;     /* in them */
    int rc;                    /* of the last batch; a failed load stays failed */
    struct dn_err why;
    _Atomic uint64_t committed;
    uint64_t runs;       /* in segments that are named */
    uint64_t rowids;     /* append tables: of the rows that were written, the first … */
    uint64_t rowids_end; /* … and the one behind the last */
};

static void load_batch_done(struct load_batch *b)
{
    for (size_t i = 0; i < b->parts_count; i++)
        shard_load_part_release(&b->parts[i]);
    mem_free(b->parts);
    *b = (struct load_batch){.rows = 0};
}

/* Takes a block of sequences that is newer than everything in segments and older than everything
 * that comes into memtables. */
static int load_order(struct shard_load *l, struct dn_err *err)
{
    struct shard *s = l->s;
    bool older;
    int rc;

    sched_lock(s->lock);
    rc = shard_token_want(s, l->options.cancel, err);
    sched_unlock(s->lock);
    if (rc < 0)
        return rc;
    rc = shard_freeze(s, err);
    sched_lock(s->lock);
    if (rc == DN_OK) {
        l->seq = s->seq_last + 1;
        s->seq_last += LOAD_SEQS;
        l->seq_end = s->seq_last + 1;
    }
    older = s->ver->sets_count > 1;
    shard_token_give(s);
    sched_unlock(s->lock);
    return rc == DN_OK && older ? shard_checkpoint(s, l->options.cancel, err) : rc;
}

int shard_load_begin(struct shard *s,
                     const struct table *t,
                     const struct shard_load_options *options,
                     struct shard_load **ret,
                     struct dn_err *err)
{
    struct shard_load *l;
    int rc;

    if (s->options.read_only)
        return DN_FAIL(err, DN_E_READ_ONLY, "the database is open read-only");
    l = mem_calloc(&s->owner, 1, sizeof *l);
    if (!l)
        return DN_FAIL_NOMEM(err);
    l->s = s;
    l->t = table_ref(t);
    l->options = *options;
    l->sink.s = s;
    l->sink.t = l->t;
    l->sink.cancel = options->cancel;
    atomic_init(&l->committed, 0);
    sched_lock(s->lock);
    s->loads++;
    sched_unlock(s->lock);
    rc = load_order(l, err);
    if (rc < 0) {
        shard_load_free(l);
        return rc;
    }
    *ret = l;
    return DN_OK;
}

/* Token held: the horizon may have moved while the load ran. What it lets go of is refused, or (a
 * table that leaves late rows out) its segments are not named; rows beside others in a segment are
 * seen by nobody, and go when retention looks next. */
static int load_check_late(const struct shard_load *l, int64_t *ret_horizon, struct dn_err *err)
{
    const struct table *cur = catalog_table_by_id(l->s->catalog, l->t->id);

    *ret_horizon = RETENTION_NO_HORIZON;
    if (!cur || cur->horizon == RETENTION_NO_HORIZON)
        return DN_OK;
    *ret_horizon = cur->horizon;
    for (size_t i = 0; cur->late == LATE_REJECT && i < l->sink.metas_count; i++)
        if (l->sink.metas[i].slab_min < cur->horizon)
            return late_fail(cur, late_span_horizon(cur), l->sink.metas[i].time_min, err);
    return DN_OK;
}

/* man_lock held, token held: the manifest with the written segments. */
static int load_name(struct shard_load *l, uint64_t *ret_dropped, struct dn_err *err)
{
    struct shard *s = l->s;
    struct manifest next = {0};
    int64_t horizon = RETENTION_NO_HORIZON;
    int rc;

    rc = shard_check_table(s, NULL, l->t, true, err);
    if (rc == DN_OK)
        rc = load_check_late(l, &horizon, err);
    if (rc == DN_OK)
        rc = shard_manifest_resolve(s, err);
    if (rc < 0)
        return rc;
    rc = manifest_copy(&s->man, &next, err);
    for (size_t i = 0; rc == DN_OK && i < l->sink.metas_count; i++) {
        if (l->sink.metas[i].slab_max < horizon)
            *ret_dropped += l->sink.metas[i].rows;
        else
            rc = manifest_add_seg(&next, &l->sink.metas[i], err);
    }
    if (rc == DN_OK)
        rc = shard_manifest_commit(s, &next, err);
    if (rc < 0)
        manifest_done(&next);
    return rc;
}

/* One commit: all that was written. The token keeps commits and changes of the catalog out. */
static int load_commit_once(struct shard_load *l, struct dn_err *err)
{
    struct shard *s = l->s;
    uint64_t dropped = 0;
    bool unknown;
    int rc;

    if (l->sink.metas_count == 0)
        return DN_OK;
    sched_lock(s->lock);
    rc = shard_token_want(s, l->options.cancel, err);
    sched_unlock(s->lock);
    if (rc < 0)
        return rc;
    sched_lock(s->man_lock);
    rc = load_name(l, &dropped, err);
    unknown = s->man_unknown;
    sched_unlock(s->man_lock);
    if (rc < 0 && unknown)
        dn_err_hint(err,
                    "the outcome is unknown until the storage recovers: the rows may appear "
                    "later");
    if (rc == DN_OK)
        rc = shard_install_manifest(s, err);
    sched_lock(s->lock);
    if (rc == DN_OK) {
        s->seq_visible = ++s->seq_last; /* I5: no commit is under way */
        s->load_mark = s->seq_visible;
        s->stats.flush_bytes += l->sink.bytes;
        shard_count_writes(s, l->sink.metas, l->sink.metas_count, false);
    }
    shard_token_give(s);
    sched_unlock(s->lock);
    if (rc < 0)
        return rc;
    if (dropped > 0)
        seg_sink_discard(&l->sink); /* objects that were not named */
    for (size_t i = 0; i < l->sink.metas_count; i++)
        l->runs += l->sink.metas[i].runs;
    atomic_fetch_add(&l->committed, l->rows_written - dropped);
    l->rows_written = 0;
    l->rowids = l->rowids_end = 0;
    l->sink.metas_count = 0;
    l->sink.bytes = 0;
    return DN_OK;
}

static int load_rowids(
    struct shard_load *l, const struct table *t, uint64_t rows, uint64_t *ret, struct dn_err *err)
{
    struct shard *s = l->s;
    uint64_t *next;

    *ret = 0;
    if (t->form != KEY_NONE)
        return DN_OK;
    sched_lock(s->lock);
    shard_token_take(s);
    next = shard_rowid_next(s, t->id);
    if (next) {
        *ret = *next;
        *next += rows;
    }
    shard_token_give(s);
    sched_unlock(s->lock);
    return next ? DN_OK : DN_FAIL_NOMEM(err);
}

/* What was written and is not named becomes another table's. */
static int load_move(struct shard_load *l, struct table *to, struct dn_err *err)
{
    struct shard *s = l->s;
    size_t count = l->sink.metas_count;
    struct segref **refs = mem_calloc(&s->owner, count, sizeof *refs);
    struct seg_sink sink = {.s = s, .t = to, .cancel = l->options.cancel};
    const struct range_list none = {.count = 0};
    struct shard_rewrite w = {
        .t = l->t, .refs = refs, .fold = {.ranges = &none, .now_ns = ROW_EARLY}};
    uint64_t first = 0;
    int rc = refs ? load_rowids(l, to, l->rowids_end - l->rowids, &first, err) : DN_FAIL_NOMEM(err);

    w.rowids_up = (int64_t)(first - l->rowids);
    for (; rc == DN_OK && w.count < count; w.count++) {
        refs[w.count] = segref_new(s, &l->sink.metas[w.count], l->t);
        if (!refs[w.count]) {
            rc = DN_FAIL_NOMEM(err);
            break;
        }
    }
    if (rc == DN_OK)
        rc = shard_rewrite(s, &w, &sink, err);
    for (size_t i = 0; i < w.count; i++)
        segref_unref(refs[i]);
    mem_free(refs);
    seg_sink_discard(rc == DN_OK ? &l->sink : &sink);
    seg_sink_done(rc == DN_OK ? &l->sink : &sink);
    if (rc < 0)
        return rc;
    table_unref(l->t);
    l->t = table_ref(to);
    l->sink = sink;
    l->sink.t = l->t;
    l->rowids_end += first - l->rowids;
    l->rowids = first;
    return DN_OK;
}

static int load_commit(struct shard_load *l, struct dn_err *err)
{
    int rc = load_commit_once(l, err);

    for (int i = 0; rc == DN_E_TABLE_CHANGED && l->options.route && i < LOAD_MOVES_MAX; i++) {
        struct table *to;

        rc = l->options.route(l->options.route_arg, l->t, &to, err);
        if (rc < 0)
            break;
        rc = to->id == l->t->id ? DN_E_TABLE_CHANGED : load_move(l, to, err);
        table_unref(to);
        if (rc == DN_OK)
            rc = load_commit_once(l, err);
    }
    return rc;
}

static void load_task(void *arg)
{
    struct shard_load *l = arg;

    l->rc = shard_load_runs(l->s, l->t, &l->written, &l->sink, &l->why);
    if (l->rc == DN_NOT_FOUND)
        l->rc = shard_load_sorted(l->s, l->t, &l->written, &l->sink, &l->why);
    if (l->rc == DN_OK)
        l->rows_written += l->written.rows;
    load_batch_done(&l->written);
    if (l->rc == DN_OK && !l->options.whole)
        l->rc = load_commit(l, &l->why);
}

/* Waits for the batch that is being written. */
static int load_wait(struct shard_load *l, struct dn_err *err)
{
    if (l->task)
        sched_join(l->task);
    l->task = NULL;
    if (l->rc < 0 && err)
        *err = l->why;
    return l->rc;
}

/* The rows gathered so far go to the volume. */
static int load_write(struct shard_load *l, struct dn_err *err)
{
    int rc = load_wait(l, err);

    if (rc < 0 || l->batch.rows == 0)
        return rc;
    if (l->seq == l->seq_end)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u batches in one load", LOAD_SEQS);
    rc = load_rowids(l, l->t, l->batch.rows, &l->batch.rowid_base, err);
    if (rc < 0)
        return rc;
    if (l->rowids_end == 0)
        l->rowids = l->batch.rowid_base;
    l->rowids_end = l->batch.rowid_base + l->batch.rows;
    l->batch.seq = l->seq++;
    l->batch.task_rows = l->options.task_rows;
    l->written = l->batch;
    l->batch = (struct load_batch){.rows = 0};
    if (sched_spawn(l->s->sched, "load", load_task, l, &l->task, NULL) < 0) {
        l->task = NULL;
        load_task(l);
    }
    return DN_OK;
}

/* Sorting its rows must not take more than the part itself is thought to take. */
static bool load_batch_add(struct shard_load *l, const struct shard_load_part *part)
{
    struct load_batch *b = &l->batch;
    size_t sort = (size_t)part->rows * sizeof(struct load_row);

    if (b->parts_count == b->parts_cap) {
        size_t want = b->parts_cap ? b->parts_cap * 2 : 64;
        struct shard_load_part *grown = mem_realloc(&l->s->owner, b->parts, want * sizeof *grown);

        if (!grown)
            return false;
        b->parts = grown;
        b->parts_cap = want;
    }
    b->parts[b->parts_count] = *part;
    b->parts[b->parts_count++].expiry_ns =
        part->op == ROW_PUT ? rows_expiry(l->t, part->expiry_ns, volume_latest_ns(l->s->volume))
                            : ROW_NEVER;
    b->rows += part->rows;
    b->bytes += part->bytes > sort ? part->bytes : sort;
    return true;
}

int shard_load_add(struct shard_load *l, const struct shard_load_part *part, struct dn_err *err)
{
    int rc = DN_OK;

    if (l->batch.rows + part->rows > LOAD_ROWS_MAX)
        rc = load_write(l, err);
    if (rc == DN_OK && l->batch.bytes >= l->options.batch_bytes / LOAD_AHEAD)
        rc = load_wait(l, err);
    if (rc == DN_OK && load_batch_add(l, part)) {
        if (l->batch.bytes >= l->options.batch_bytes)
            rc = load_write(l, err);
    } else {
        rc = rc < 0 ? rc : DN_FAIL_NOMEM(err);
        if (part->release)
            part->release(part->arg);
    }
    if (rc < 0) {
        DN_IGNORE(load_wait(l, NULL)); /* l->rc is the task's until then */
        if (l->rc == DN_OK) {
            l->rc = rc;
            if (err)
                l->why = *err;
        }
    }
    return rc;
}

int shard_load_end(struct shard_load *l, struct dn_err *err)
{
    int rc = load_write(l, err);

    if (rc == DN_OK)
        rc = load_wait(l, err);
    if (rc == DN_OK)
        rc = load_commit(l, err);
    return rc;
}

void shard_load_free(struct shard_load *l)
{
    struct shard *s;

    if (!l)
        return;
    s = l->s;
    DN_IGNORE(load_wait(l, NULL)); /* whoever wanted to know has asked */
    seg_sink_discard(&l->sink);
    seg_sink_done(&l->sink);
    load_batch_done(&l->batch);
    load_batch_done(&l->written);
    table_unref(l->t);
    mem_free(l);
    sched_lock(s->lock);
    s->loads--;
    if (s->loads == 0) {
        s->unmerged = true;
        shard_merge_kick(s);
        shard_idle_kick(s);
    }
    sched_unlock(s->lock);
}

void shard_load_wait(struct shard_load *l)
{
    DN_IGNORE(load_wait(l, NULL)); /* the next call says what became of it */
}

bool shard_load_scattered(const struct shard_load *l)
{
    return l->seq - (l->seq_end - LOAD_SEQS) > 1 &&
           atomic_load(&l->committed) / LOAD_RUN_ROWS < l->runs;
}

uint64_t shard_load_committed(struct shard_load *l)
{
    return atomic_load(&l->committed);
}

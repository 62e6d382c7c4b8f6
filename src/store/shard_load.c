/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load.c: a load gathers rows in a memtable of its own; when that is full a task sorts it and
 * writes its segments as a flush would, while the next one fills.
 *
 * Sequences. A load takes a block of them when it begins, and a batch one of the block, so that of
 * two batches the later one wins. What was committed before the load is flushed first: rows in
 * memtables are newer than all segments, loaded ones too, which is what merges rely on. While a
 * load is under way no merge is the last word on a key (shard.loads). The rows become visible at a
 * moment when nobody commits, and get a sequence as mark: whoever changes rows by what an older
 * snapshot showed tries again (commit_check). */
#include "store/shard_load.h"

#include "store/seg_sink.h"
#include "store/shard_int.h"

#define LOAD_SEQS 65536u /* taken at once; a batch needs one */

struct shard_load {
    struct shard *s; /* borrowed */
    struct table *t; /* reference */
    struct shard_load_options options;
    struct memtable *m; /* owned: being filled; NULL = none yet */
    uint64_t seq;       /* of the rows in m */
    uint64_t seq_end;   /* first one behind the block */

    struct sched_task *task;  /* writes a batch; NULL = none */
    struct memtable *written; /* owned: what it writes */
    struct seg_sink sink;     /* segments that are written and not named */
    uint64_t rows_written;    /* in them */
    int rc;                   /* of the last batch; a failed load stays failed */
    struct dn_err why;
    _Atomic uint64_t committed;
};

/* Takes a block of sequences that is newer than everything in segments and older than everything
 * that comes into memtables. */
static int load_order(struct shard_load *l, struct dn_err *err)
{
    struct shard *s = l->s;
    bool older;
    int rc;

    sched_lock(s->lock);
    shard_token_take(s);
    sched_unlock(s->lock);
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
    return rc == DN_OK && older ? shard_flush(s, err) : rc;
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

/* man_lock held, token held: the manifest with the written segments. */
static int load_name(struct shard_load *l, struct dn_err *err)
{
    struct shard *s = l->s;
    struct manifest next = {0};
    int rc;

    rc = shard_check_table(s, l->t, true, err);
    if (rc == DN_OK)
        rc = shard_manifest_resolve(s, err);
    if (rc < 0)
        return rc;
    rc = manifest_copy(&s->man, &next, err);
    for (size_t i = 0; rc == DN_OK && i < l->sink.metas_count; i++)
        rc = manifest_add_seg(&next, &l->sink.metas[i], err);
    if (rc == DN_OK)
        rc = shard_manifest_commit(s, &next, err);
    if (rc < 0)
        manifest_done(&next);
    return rc;
}

/* One commit: all that was written. The token keeps commits and changes of the catalog out. */
static int load_commit(struct shard_load *l, struct dn_err *err)
{
    struct shard *s = l->s;
    bool unknown;
    int rc;

    if (l->sink.metas_count == 0)
        return DN_OK;
    sched_lock(s->lock);
    shard_token_take(s);
    sched_unlock(s->lock);
    sched_lock(s->man_lock);
    rc = load_name(l, err);
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
    }
    shard_token_give(s);
    sched_unlock(s->lock);
    if (rc < 0)
        return rc;
    atomic_fetch_add(&l->committed, l->rows_written);
    l->rows_written = 0;
    l->sink.metas_count = 0;
    l->sink.bytes = 0;
    return DN_OK;
}

static void load_task(void *arg)
{
    struct shard_load *l = arg;
    uint32_t rows = memtable_rows(l->written);

    l->rc = shard_write_memtable(l->s, l->written, &l->sink, &l->why);
    memtable_free(l->written);
    l->written = NULL;
    if (l->rc < 0)
        return;
    l->rows_written += rows;
    if (!l->options.whole)
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

    if (rc < 0 || !l->m)
        return rc;
    if (l->seq + 1 == l->seq_end)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u batches in one load", LOAD_SEQS);
    l->written = l->m;
    l->m = NULL;
    l->seq++;
    if (sched_spawn(l->s->sched, "load", load_task, l, &l->task, NULL) < 0) {
        l->task = NULL;
        load_task(l);
    }
    return DN_OK;
}

static int load_rowids(struct shard_load *l, uint32_t rows, uint64_t *ret, struct dn_err *err)
{
    struct shard *s = l->s;
    uint64_t *next;

    *ret = 0;
    if (l->t->form != KEY_NONE)
        return DN_OK;
    sched_lock(s->lock);
    shard_token_take(s);
    next = shard_rowid_next(s, l->t->id);
    if (next) {
        *ret = *next;
        *next += rows;
    }
    shard_token_give(s);
    sched_unlock(s->lock);
    return next ? DN_OK : DN_FAIL_NOMEM(err);
}

static int load_stage(struct shard_load *l, struct mem_write *w, uint32_t rows, struct dn_err *err)
{
    int rc;

    if (!l->m)
        l->m = memtable_new(l->s->sched, &l->s->owner, l->t);
    if (!l->m)
        return DN_FAIL_NOMEM(err);
    w->seq = l->seq;
    rc = memtable_stage(l->m, w, rows, err);
    if (rc == DN_OK)
        memtable_publish(l->m);
    return rc;
}

int shard_load_add(
    struct shard_load *l, const struct vec *cols, uint32_t rows, enum row_op op, struct dn_err *err)
{
    struct mem_write w = {.cols = cols, .op = op};
    int rc = load_rowids(l, rows, &w.rowid_base, err);

    if (rc == DN_OK)
        rc = load_stage(l, &w, rows, err);
    if (rc == DN_E_NOMEM && (l->task || l->m)) {
        /* Others need the memory as well: let go of what can be let go, and once more. */
        if (l->m && memtable_rows(l->m) == 0) {
            memtable_free(l->m);
            l->m = NULL;
        }
        rc = load_write(l, err);
        if (rc == DN_OK)
            rc = load_wait(l, err);
        if (rc == DN_OK)
            rc = load_stage(l, &w, rows, err);
    }
    if (rc == DN_OK && memtable_bytes(l->m) >= l->options.batch_bytes)
        rc = load_write(l, err);
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
    memtable_free(l->m);
    memtable_free(l->written);
    table_unref(l->t);
    mem_free(l);
    sched_lock(s->lock);
    s->loads--;
    if (s->loads == 0)
        shard_merge_kick(s);
    sched_unlock(s->lock);
}

uint64_t shard_load_committed(struct shard_load *l)
{
    return atomic_load(&l->committed);
}

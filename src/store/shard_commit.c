/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_commit.c: group commit. Writers encode their rows, queue up, and wait; whoever finds the
 * token free leads: it takes all that wait, stages their rows in the memtables, appends one frame
 * for all of them (one sync), publishes, and wakes them. While it syncs, the next group gathers. */
#include "store/shard_int.h"

#include <string.h>

#define COMMIT_HEADS         4096u               /* of a frame and a commit, at most */
#define COMMIT_GROUP_BYTES   (32u * 1024 * 1024) /* of one frame; one larger commit goes alone */
#define COMMIT_SYNC_DELAY_NS (50u * 1000 * 1000) /* unsynced appends become durable within this */

/* One that waits or is under way. */
struct commit {
    const struct shard_batch *checks; /* borrowed: looked at, not written */
    size_t checks_count;
    const struct shard_batch *batches; /* borrowed */
    size_t count;
    struct shard_how how;
    const struct shard_batch *catalog; /* among them: the one with the catalog; NULL = none */
    struct buf bytes;                  /* encoded batches */
    uint64_t *rowid_bases;             /* owned, one per batch */
    int64_t *expiries;                 /* owned, one per batch: of its rows; ROW_NEVER */
    uint64_t seq;
    int rc;
    struct dn_err why; /* when rc < 0 */
    bool done;
    uint32_t turn; /* of s->turns: where it waits */
    struct commit *next;
};

void shard_token_take(struct shard *s)
{
    while (s->writing)
        sched_wait(s->cond, s->lock);
    s->writing = true;
}

int shard_token_want(struct shard *s, const atomic_bool *cancel, struct dn_err *err)
{
    while (s->writing) {
        int rc = shard_check_cancel(cancel, err);

        if (rc < 0)
            return rc;
        shard_wait(s, cancel);
    }
    s->writing = true;
    return DN_OK;
}

/* Lock held: the oldest that waits leads the next group. */
static void commit_wake_next(struct shard *s)
{
    if (s->queue && !s->writing)
        sched_broadcast(s->turns[s->queue->turn]);
}

void shard_token_give(struct shard *s)
{
    s->writing = false;
    sched_broadcast(s->cond);
    commit_wake_next(s);
}

static void commit_fail(struct commit *c, int rc, const struct dn_err *why)
{
    c->rc = rc;
    c->why = *why;
}

/* Before anything of a commit is staged: it does not conflict with itself. */
static int commit_check_all(struct shard *s, const struct commit *c, struct dn_err *err)
{
    int rc = DN_OK;

    for (size_t i = 0; rc == DN_OK && i < c->checks_count + c->count; i++) {
        const struct shard_batch *b =
            i < c->checks_count ? &c->checks[i] : &c->batches[i - c->checks_count];

        rc = shard_check_key(s, b->table, err);
        if (rc == DN_OK && b->op == ROW_RANGE)
            rc = shard_check_range(s, c->catalog ? c->catalog->catalog : NULL, b, err);
        else if (rc == DN_OK && b->check_seq)
            rc = shard_check_rows(s, b, c->how.cancel, err);
    }
    return rc;
}

/* Rows of one commit into the active memtables, unseen. On failure none of them stay. */
static int commit_stage(struct shard *s, struct memgroup *set, struct commit *c, struct dn_err *err)
{
    int rc = commit_check_all(s, c, err);
    size_t i;
    uint32_t *before;

    if (rc < 0)
        return rc;
    before = mem_alloc_array(&s->owner, c->count, sizeof *before);
    if (!before)
        return DN_FAIL_NOMEM(err);
    for (i = 0; i < c->count; i++) {
        const struct shard_batch *b = &c->batches[i];
        struct memtable *m;
        struct mem_write w;
        uint64_t *rowid;

        c->rowid_bases[i] = 0;
        if (b->op == ROW_RANGE) {
            rc = shard_stage_range(s, set, b, c->seq, err);
            if (rc < 0)
                break;
            continue;
        }
        if (b->op == ROW_CATALOG)
            continue;
        rc = shard_check_table(s, c->catalog ? c->catalog->catalog : NULL, b->table, false, err);
        if (rc == DN_OK)
            rc = shard_check_late(s, c->catalog ? c->catalog->catalog : NULL, b, err);
        if (rc == DN_OK)
            rc = memgroup_get(s, set, b->table, &m, err);
        if (rc < 0)
            break;
        before[i] = memtable_staged(m);
        if (b->table->form == KEY_NONE && !b->rowids) {
            rowid = shard_rowid_next(s, b->table->id);
            if (!rowid) {
                rc = DN_FAIL_NOMEM(err);
                break;
            }
            c->rowid_bases[i] = *rowid;
            *rowid += b->rows;
        }
        w = (struct mem_write){.cols = b->cols,
                               .seq = c->seq,
                               .op = b->op,
                               .rowid_base = c->rowid_bases[i],
                               .rowids = b->rowids,
                               .expiry_ns = c->expiries[i],
                               .expiries = b->expiries,
                               .cancel = c->how.cancel};
        rc = memtable_stage(m, &w, b->rows, err);
        if (rc < 0)
            break;
    }
    while (rc < 0 && i-- > 0)
        if (c->batches[i].op < ROW_OP_MAX)
            memtable_rollback(memgroup_find(set, c->batches[i].table), before[i]);
    if (rc < 0)
        memgroup_drop_ranges(set, c->seq);
    mem_free(before);
    return rc;
}

static void commit_finish(struct memgroup *set, struct commit *group, bool publish)
{
    for (struct commit *c = group; c; c = c->next) {
        for (size_t i = 0; i < c->count; i++) {
            const struct table *t = c->batches[i].table;
            struct memtable *m = t ? memgroup_find(set, t) : NULL;
            if (!m)
                continue;
            if (publish)
                memtable_publish(m);
            else
                memtable_rollback(m, memtable_rows(m));
        }
    }
}

/* A chunk that can take an append, and nothing acknowledged that it would outlive (I7). */
static int commit_log_ready(struct shard *s, struct dn_err *err)
{
    bool named;
    int rc = DN_OK;

    /* A roll whose outcome was unknown may have sealed our chunk after all, and a flush or a merge
     * may have found that out: the manifest in force decides. */
    sched_lock(s->man_lock);
    named = !s->man_unknown && manifest_chunk_is_open(&s->man, s->chunk_number);
    sched_unlock(s->man_lock);
    if (!s->chunk_open || s->chunk_broken || !named || s->chunk_len >= s->options.log_chunk_bytes)
        rc = shard_log_roll(s, err);
    return rc < 0 ? rc : shard_rescue(s, err);
}

/* Token held, lock not: stages, logs and publishes a group. Each commit gets its own result. */
static void commit_lead(struct shard *s, struct commit *group)
{
    struct memgroup *set;
    struct dn_err why;
    uint64_t seq_first = 0;
    uint64_t seq_last = 0;
    size_t frame;
    bool sync = false;
    int rc;

    dn_err_clear(&why);
    rc = commit_log_ready(s, &why);
    sched_lock(s->lock);
    set = memgroup_ref(version_active(s->ver));
    sched_unlock(s->lock);
    buf_reset(&s->frame);
    log_frame_begin(&s->frame, &frame);
    for (struct commit *c = group; c; c = c->next) {
        struct dn_err mine;
        int staged = rc;
        if (rc == DN_OK)
            staged = commit_stage(s, set, c, &mine);
        if (staged < 0) {
            commit_fail(c, staged, rc < 0 ? &why : &mine);
            continue;
        }
        c->rc = DN_OK;
        log_frame_commit(&s->frame, c->seq, &c->bytes, c->rowid_bases, (uint32_t)c->count);
        seq_first = seq_first ? seq_first : c->seq;
        seq_last = c->seq;
        sync = sync || c->how.sync;
    }
    if (rc < 0 || seq_last == 0)
        goto out;
    log_frame_end(&s->frame, frame, s->epoch, seq_first, s->chunk_durable);
    if (s->frame.failed)
        rc = DN_FAIL_NOMEM(&why);
    else
        rc = shard_log_append(s, seq_last, sync, &why);
    for (struct commit *c = group; rc < 0 && c; c = c->next)
        if (c->rc == DN_OK)
            commit_fail(c, rc, &why);
    commit_finish(set, group, rc == DN_OK);
    if (rc < 0)
        memgroup_drop_ranges(set, seq_first);
    if (rc == DN_OK) {
        sched_lock(s->lock);
        for (struct commit *c = group; c; c = c->next)
            if (c->rc == DN_OK && c->catalog) {
                s->catalog_seq = c->seq;
                s->catalog_failed = false;
                c->catalog->publish(c->catalog->publish_arg);
            }
        s->seq_visible = seq_last; /* I5 */
        sched_unlock(s->lock);
    }
    if (s->frame.cap > 4 * COMMIT_GROUP_BYTES)
        buf_done(&s->frame);
out:
    memgroup_unref(set);
}

/* Lock held: takes the oldest waiting commits, gives them sequences. */
static struct commit *commit_take_group(struct shard *s)
{
    struct commit *group = s->queue;
    struct commit *last = NULL;
    size_t bytes = 0;

    for (struct commit *c = group; c; c = c->next) {
        if (last && bytes + c->bytes.len > COMMIT_GROUP_BYTES)
            break;
        bytes += c->bytes.len;
        c->seq = ++s->seq_last;
        last = c;
    }
    s->queue = last->next;
    if (!s->queue)
        s->queue_tail = &s->queue;
    last->next = NULL;
    return group;
}

static void commit_sync_task(void *arg)
{
    struct shard *s = arg;

    sched_sleep_ns(s->sched, COMMIT_SYNC_DELAY_NS);
    sched_lock(s->lock);
    shard_token_take(s);
    sched_unlock(s->lock);
    /* A failure marks the chunk broken. What it had to lose is in memory: save it now (I7); if that
     * fails too, the next write tries again and says why. */
    if (shard_log_sync(s, NULL) < 0 && shard_log_roll(s, NULL) == DN_OK)
        DN_IGNORE(shard_rescue(s, NULL));
    sched_lock(s->lock);
    s->sync_task.running = false;
    shard_token_give(s);
    sched_unlock(s->lock);
}

/* Lock held, no sync task running. */
static void commit_sync_kick(struct shard *s)
{
    if (!s->sync_wanted || shard_task_busy(&s->sync_task) || !s->options.background || s->closing)
        return;
    shard_task_start(s, &s->sync_task, "log-sync", commit_sync_task);
}

/* Lock held: out of the queue, unless a leader has taken it already. */
static bool commit_leave(struct shard *s, struct commit *c)
{
    for (struct commit **link = &s->queue; *link; link = &(*link)->next) {
        if (*link != c)
            continue;
        *link = c->next;
        if (!c->next)
            s->queue_tail = link;
        return true;
    }
    return false;
}

/* Who has to wake when a group is done. */
struct commit_calls {
    uint32_t turns; /* bits: sleepers whose commits are done */
    uint32_t next;  /* the turn of who leads the next group; SHARD_TURNS: nobody */
};

/* Lock held, ours is the token: leads all that wait. */
static struct commit_calls commit_lead_all(struct shard *s, const struct commit *mine)
{
    struct commit_calls calls = {.next = SHARD_TURNS};
    struct commit *group = commit_take_group(s);

    sched_unlock(s->lock);
    commit_lead(s, group);
    sched_lock(s->lock);
    while (group) {
        struct commit *next = group->next; /* its owner may be gone once done is set */
        s->stats.commits += group->rc == DN_OK;
        if (group != mine)
            calls.turns |= UINT32_C(1) << group->turn;
        group->done = true;
        group = next;
    }
    s->writing = false;
    sched_broadcast(s->cond);
    commit_sync_kick(s);
    shard_flush_kick(s);
    shard_idle_kick(s);
    if (s->queue && !s->writing)
        calls.next = s->queue->turn;
    return calls;
}

/* Without the lock, so that they find it free; first the one for whom all others wait. */
static void commit_call(struct shard *s, const struct commit_calls *calls)
{
    if (calls->next < SHARD_TURNS)
        sched_broadcast(s->turns[calls->next]);
    for (uint32_t i = 0; i < SHARD_TURNS; i++)
        if (i != calls->next && calls->turns & UINT32_C(1) << i)
            sched_broadcast(s->turns[i]);
}

static int commit_run(struct shard *s, struct commit *c, struct dn_err *err)
{
    int rc;

    sched_lock(s->lock);
    rc = shard_wait_room(s, c->how.cancel, err);
    if (rc < 0) {
        sched_unlock(s->lock);
        return rc;
    }
    c->turn = s->turn_next++ % SHARD_TURNS;
    *s->queue_tail = c;
    s->queue_tail = &c->next;
    while (!c->done) {
        struct commit_calls calls;

        rc = shard_check_cancel(c->how.cancel, err);
        if (rc < 0 && commit_leave(s, c)) {
            commit_wake_next(s); /* it may have been woken to lead */
            sched_unlock(s->lock);
            return rc;
        }
        if (s->writing) {
            shard_wait_at(s, s->turns[c->turn], c->how.cancel);
            continue;
        }
        s->writing = true;
        calls = commit_lead_all(s, c);
        sched_unlock(s->lock);
        commit_call(s, &calls);
        sched_lock(s->lock);
    }
    sched_unlock(s->lock);
    if (c->rc < 0 && err)
        *err = c->why;
    return c->rc;
}

/* Without background tasks whoever fills the memtable flushes it. A failure keeps the rows in
 * memory and log. */
static void commit_flush_inline(struct shard *s)
{
    bool due;

    if (s->options.background)
        return;
    sched_lock(s->lock);
    due = shard_set_full(s);
    sched_unlock(s->lock);
    if (due)
        DN_IGNORE(shard_flush(s, NULL));
}

static int
commit_encode_catalog(struct shard *s, struct catalog *cat, struct buf *to, struct dn_err *err)
{
    struct buf json;
    int rc;

    buf_init(&json, &s->owner);
    rc = catalog_print_checked(s->volume, cat, &json, err);
    if (rc == DN_OK)
        log_encode_catalog(&json, to);
    buf_done(&json);
    return rc;
}

int shard_write(struct shard *s,
                const struct shard_batch *batches,
                size_t count,
                bool sync,
                uint64_t *ret_seq,
                struct dn_err *err)
{
    struct shard_how how = {.sync = sync};

    return shard_write_how(s, batches, count, &how, ret_seq, err);
}

/* A commit is one record of the log, which is one append to the volume. */
static int commit_check_bytes(size_t bytes, struct dn_err *err)
{
    int rc;

    if (bytes <= VOLUME_OBJECT_MAX - COMMIT_HEADS)
        return DN_OK;
    rc = DN_FAIL(err,
                 DN_E_LIMIT,
                 "the rows of one transaction take %zu bytes; the most is %u",
                 bytes,
                 VOLUME_OBJECT_MAX - COMMIT_HEADS);
    dn_err_hint(err,
                "Write them in several transactions, or in a statement outside of a transaction "
                "block.");
    return rc;
}

int shard_commit(struct shard *s,
                 const struct shard_batch *batches,
                 size_t count,
                 const struct shard_how *how,
                 uint64_t *ret_seq,
                 struct dn_err *err)
{
    struct commit c = {.checks = batches, .how = *how};
    int rc;

    while (c.checks_count < count && batches[c.checks_count].check_only)
        c.checks_count++;
    c.batches = batches += c.checks_count;
    c.count = count -= c.checks_count;

    if (s->options.read_only)
        return DN_FAIL(err, DN_E_READ_ONLY, "the database is open read-only");
    for (size_t i = 0; i < count; i++)
        if (batches[i].rows > LOG_ROWS_MAX)
            return DN_FAIL(err,
                           DN_E_TOO_COMPLEX,
                           "%u rows of table \"%s\" in one commit; the limit is %u",
                           batches[i].rows,
                           batches[i].table->name,
                           LOG_ROWS_MAX);
    buf_init(&c.bytes, &s->owner);
    c.rowid_bases = mem_calloc(&s->owner, count, sizeof *c.rowid_bases);
    c.expiries = mem_calloc(&s->owner, count, sizeof *c.expiries);
    rc = DN_OK;
    for (size_t i = 0; rc == DN_OK && c.expiries && i < count; i++) {
        const struct shard_batch *b = &batches[i];
        size_t start = c.bytes.len;
        if (b->op == ROW_CATALOG)
            rc = commit_encode_catalog(s, b->catalog, &c.bytes, err);
        else if (b->op == ROW_RANGE)
            log_encode_range(b->table, b->range, &c.bytes);
        else
            log_encode_batch(b->table, b->cols, b->rowids, b->rows, b->op, &c.bytes);
        c.expiries[i] = shard_expiry(s, b);
        if (b->expiries || c.expiries[i] != ROW_NEVER)
            log_encode_expiry(&c.bytes, start, b->expiries, c.expiries[i], b->rows);
        c.catalog = b->op == ROW_CATALOG ? b : c.catalog;
    }
    if (rc == DN_OK && (!c.rowid_bases || !c.expiries || c.bytes.failed))
        rc = DN_FAIL_NOMEM(err);
    if (rc == DN_OK)
        rc = commit_check_bytes(c.bytes.len, err);
    if (rc == DN_OK)
        rc = commit_run(s, &c, err);
    buf_done(&c.bytes);
    mem_free(c.rowid_bases);
    mem_free(c.expiries);
    if (rc < 0)
        return rc;
    if (ret_seq)
        *ret_seq = c.seq;
    commit_flush_inline(s);
    return DN_OK;
}

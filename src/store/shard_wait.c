/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_wait.c: when the background flushes, and sessions that wait for it: for room before they
 * write, for a checkpoint, for memory. Each of them looks at its cancel flag now and then (whoever
 * sets it may be in a signal handler, and wakes nobody). */
#include "store/shard_int.h"

#include "base/cancel.h"

#define WAIT_LOOK_NS     (10ull * 1000 * 1000)        /* between looks at a cancel flag */
#define WAIT_MEMORY_NS   (10ull * 1000 * 1000 * 1000) /* for the memory that a flush needs */
#define FLUSH_RANGES_MAX 256u /* range tombstones in memory: every scan looks at them */
#define FLUSH_RETRY_NS   (1000ull * 1000 * 1000) /* pause after a failed background flush */
#define WAIT_FRESH_MAX   3u                      /* memtables full of rows: writers wait */
#define WAIT_SETS_MAX    8u                      /* sets await their flush: writers wait */

int shard_check_cancel(const atomic_bool *cancel, struct dn_err *err)
{
    return dn_cancel_check(cancel, err);
}

void shard_wait_at(struct shard *s, struct sched_cond *cond, const atomic_bool *cancel)
{
    if (cancel)
        (void)sched_wait_ns(cond, s->lock, WAIT_LOOK_NS);
    else
        sched_wait(cond, s->lock);
}

void shard_wait(struct shard *s, const atomic_bool *cancel)
{
    shard_wait_at(s, s->cond, cancel);
}

size_t shard_fresh_bytes(const struct shard *s)
{
    size_t bytes = 0;

    for (size_t i = 0; i < s->ver->sets_count; i++)
        bytes += memgroup_bytes(s->ver->sets[i]);
    return bytes;
}

int shard_flush(struct shard *s, struct dn_err *err)
{
    return shard_flush_how(s, false, err);
}

/* ---- the background flush ---- */

static void flush_task(void *arg)
{
    struct shard *s = arg;
    struct dn_err why;
    int rc;

    dn_err_clear(&why);
    rc = shard_flush_how(s, true, &why);
    sched_lock(s->lock);
    if (rc < 0 && s->flush_rc == DN_OK) {
        s->flush_rc = rc; /* failed before the first set: the log could not roll */
        s->flush_failed_ns = sched_now_ns(s->sched);
        s->flush_why = why;
        dn_err_prefix(&s->flush_why, "the log could not begin a new chunk");
    }
    s->flush_task.running = false;
    sched_broadcast(s->cond);
    sched_unlock(s->lock);
}

bool shard_set_full(const struct shard *s)
{
    struct memgroup *set = version_active(s->ver);

    return memgroup_bytes(set) >= s->options.memtable_bytes ||
           memgroup_ranges(set) >= FLUSH_RANGES_MAX;
}

void shard_flush_start(struct shard *s)
{
    s->flush_rc = DN_OK;
    shard_task_start(s, &s->flush_task, "flush", flush_task);
}

void shard_flush_kick(struct shard *s)
{
    bool due = s->ver->sets_count > 1 || shard_set_full(s);

    if (!due || shard_task_busy(&s->flush_task) || !s->options.background || s->closing)
        return;
    if (s->flush_rc < 0 && sched_now_ns(s->sched) - s->flush_failed_ns < FLUSH_RETRY_NS)
        return;
    shard_flush_start(s);
}

/* ---- waiting ---- */

/* A flush that nobody else will try again; without background tasks. */
static int wait_flush_inline(struct shard *s, struct dn_err *err)
{
    int rc;

    sched_unlock(s->lock);
    rc = shard_flush(s, err);
    sched_lock(s->lock);
    if (rc < 0)
        dn_err_prefix(err, "fresh rows cannot be flushed");
    return rc;
}

/* Lock held. The last flush had no memory: statements that end give it some. True: it runs again.
 */
static bool wait_for_memory(struct shard *s, uint64_t *since, const atomic_bool *cancel)
{
    uint64_t now = sched_now_ns(s->sched);

    if (shard_task_busy(&s->flush_task) || s->flush_rc != DN_E_NOMEM || !s->options.background ||
        s->closing)
        return false;
    *since = *since ? *since : now;
    if (now - *since > WAIT_MEMORY_NS)
        return false;
    (void)sched_wait_ns(s->cond, s->lock, WAIT_LOOK_NS);
    if (!shard_task_busy(&s->flush_task) && s->flush_rc == DN_E_NOMEM &&
        shard_check_cancel(cancel, NULL) == DN_OK)
        shard_flush_start(s);
    return true;
}

int shard_wait_room(struct shard *s, const atomic_bool *cancel, struct dn_err *err)
{
    uint64_t since = 0;

    while (s->ver->sets_count > WAIT_SETS_MAX ||
           shard_fresh_bytes(s) / WAIT_FRESH_MAX >= s->options.memtable_bytes) {
        int rc = shard_check_cancel(cancel, err);

        if (rc < 0)
            return rc;
        if (!s->options.background && !s->flushing && s->flush_rc < 0) {
            rc = wait_flush_inline(s, err);
            if (rc < 0)
                return rc;
            continue;
        }
        shard_flush_kick(s);
        if (wait_for_memory(s, &since, cancel))
            continue;
        if (!shard_task_busy(&s->flush_task) && s->flush_rc < 0) {
            if (err)
                *err = s->flush_why;
            dn_err_prefix(err, "fresh rows cannot be flushed");
            return s->flush_rc;
        }
        if (!shard_task_busy(&s->flush_task) && !s->flushing)
            return DN_OK; /* no background work here: the caller flushes after its commit */
        shard_wait(s, cancel);
    }
    return DN_OK;
}

/* Lock held: until the background has flushed what was frozen up to seq. */
static int
wait_flushed(struct shard *s, uint64_t seq, const atomic_bool *cancel, struct dn_err *err)
{
    bool mine = false; /* the task that ran last was begun for this */

    while (s->ver->sets_count > 1 && s->ver->sets[0]->seq_last <= seq) {
        int rc = shard_check_cancel(cancel, err);

        if (rc < 0)
            return rc;
        if (shard_task_busy(&s->flush_task) || s->flushing) {
            shard_wait(s, cancel);
            continue;
        }
        if (mine && s->flush_rc < 0) {
            if (err)
                *err = s->flush_why;
            return s->flush_rc;
        }
        shard_flush_start(s);
        mine = true;
        if (!s->flush_task.task) { /* there is no thread for it */
            sched_unlock(s->lock);
            rc = shard_flush_how(s, true, err);
            sched_lock(s->lock);
            return rc;
        }
    }
    return DN_OK;
}

int shard_checkpoint(struct shard *s, const atomic_bool *cancel, struct dn_err *err)
{
    uint64_t seq;
    int rc;

    if (!s->options.background || s->options.read_only)
        return shard_flush_how(s, true, err);
    sched_lock(s->lock);
    rc = shard_token_want(s, cancel, err);
    sched_unlock(s->lock);
    if (rc < 0)
        return rc;
    rc = shard_freeze(s, err);
    sched_lock(s->lock);
    seq = s->seq_visible;
    shard_token_give(s);
    if (rc == DN_OK)
        rc = wait_flushed(s, seq, cancel, err);
    sched_unlock(s->lock);
    return rc;
}

int shard_relieve(struct shard *s, const atomic_bool *cancel, struct dn_err *err)
{
    size_t given = cache_empty(s->cache);
    bool fresh;
    int rc = DN_OK;

    sched_lock(s->lock);
    fresh = !s->options.read_only &&
            (s->ver->sets_count > 1 || !memgroup_empty(version_active(s->ver)));
    sched_unlock(s->lock);
    if (fresh)
        rc = shard_checkpoint(s, cancel, err);
    if (rc == DN_E_NOMEM) /* the flush itself: it works when other statements have ended */
        return given > 0;
    return rc < 0 ? rc : given > 0 || fresh;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_idle.c: what waits until nobody writes: fresh rows go to segments before the memtable is
 * full, so that readers find them sorted, with zone maps, and the next open has no log to replay;
 * and segments that overlap are merged even where one is much larger than the other
 * (shard_merge.c).
 *
 * One task sleeps from the first commit with something to do until IDLE_NS after the last one. A
 * few rows are left alone: each flush makes an object. Nothing here is needed for anything to be
 * right; what fails is tried again after the next commit. */
#include "store/shard_int.h"

#define IDLE_NS    (2000ull * 1000 * 1000)
#define IDLE_SHARE 16u /* of a full memtable: fewer fresh rows stay in memory */

static bool idle_flush_due(const struct shard *s)
{
    return memgroup_bytes(version_active(s->ver)) >= s->options.memtable_bytes / IDLE_SHARE;
}

static void idle_task(void *arg)
{
    struct shard *s = arg;
    uint64_t now;

    sched_lock(s->lock);
    while (!s->closing && (now = sched_now_ns(s->sched)) < s->busy_ns + IDLE_NS)
        (void)sched_wait_ns(s->idle_cond, s->lock, s->busy_ns + IDLE_NS - now);
    if (!s->closing && idle_flush_due(s)) {
        sched_unlock(s->lock);
        DN_IGNORE(shard_flush_how(s, true, NULL)); /* it is counted, and kept for writers */
        sched_lock(s->lock);
    }
    if (!s->closing && s->unmerged) {
        s->unmerged = false;
        sched_unlock(s->lock);
        DN_IGNORE(shard_merge(s, NULL)); /* counted */
        sched_lock(s->lock);
    }
    s->idle_task.running = false;
    sched_broadcast(s->cond);
    sched_unlock(s->lock);
}

void shard_idle_kick(struct shard *s)
{
    s->busy_ns = sched_now_ns(s->sched);
    if (shard_task_busy(&s->idle_task) || !s->options.background || s->closing ||
        (!s->unmerged && !idle_flush_due(s)))
        return;
    shard_task_start(s, &s->idle_task, "idle", idle_task);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Leases and change notices of volumes that only one process can have open (posix, sim): both live
 * in memory. A lease ends at its deadline in the scheduler's time; an ended one is reused by the
 * next acquire of its name. */
#include "volume/volume_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VOLUME_HOLDER_MAX 120
#define VOLUME_NS_PER_MS  1000000u

struct volume_lease {
    struct volume_lease *next;          /* owned */
    uint64_t deadline_ns;               /* in the scheduler's time */
    char name[VOLUME_NAME_MAX + 1];     /* of the lease */
    char holder[VOLUME_HOLDER_MAX + 1]; /* "" = free */
};

int volume_local_init(struct volume_local *local, struct sched *sched, struct dn_err *err)
{
    memset(local, 0, sizeof *local);
    local->sched = sched;
    local->lock = sched_mutex_new(sched, "volume leases");
    local->quiet = sched_cond_new(sched, "volume notices");
    if (!local->lock || !local->quiet) {
        volume_local_done(local);
        return DN_FAIL_NOMEM(err);
    }
    return 0;
}

void volume_local_done(struct volume_local *local)
{
    while (local->leases) {
        struct volume_lease *lease = local->leases;
        local->leases = lease->next;
        mem_free(lease);
    }
    sched_cond_free(local->quiet);
    sched_mutex_free(local->lock);
    memset(local, 0, sizeof *local);
}

static struct volume_lease *volume_lease_find(struct volume_local *local, const char *name)
{
    for (struct volume_lease *lease = local->leases; lease; lease = lease->next)
        if (strcmp(lease->name, name) == 0)
            return lease;
    return NULL;
}

static int volume_lease_take(struct volume_local *local,
                             const char *name,
                             const char *holder,
                             uint64_t duration_ns,
                             struct dn_err *err)
{
    struct volume_lease *lease = volume_lease_find(local, name);
    uint64_t now = sched_now_ns(local->sched);

    if (lease && lease->holder[0] && lease->deadline_ns > now && strcmp(lease->holder, holder) != 0)
        return DN_FAIL(err,
                       DN_E_BUSY,
                       "lease '%s' is held by %s for another %" PRIu64 " ms",
                       name,
                       lease->holder,
                       (lease->deadline_ns - now + VOLUME_NS_PER_MS - 1) / VOLUME_NS_PER_MS);
    if (!lease) {
        lease = mem_calloc(NULL, 1, sizeof *lease);
        if (!lease)
            return DN_FAIL_NOMEM(err);
        (void)snprintf(lease->name, sizeof lease->name, "%s", name);
        lease->next = local->leases;
        local->leases = lease;
    }
    (void)snprintf(lease->holder, sizeof lease->holder, "%s", holder);
    if (__builtin_add_overflow(now, duration_ns, &lease->deadline_ns))
        lease->deadline_ns = UINT64_MAX;
    return 0;
}

int volume_local_acquire(struct volume_local *local,
                         const char *name,
                         const char *holder,
                         uint64_t duration_ns,
                         struct dn_err *err)
{
    int rc;

    if (holder[0] == '\0' || strlen(holder) > VOLUME_HOLDER_MAX)
        return DN_FAIL(err,
                       DN_E_BAD_NAME,
                       "the holder of lease '%s' must have a name of 1 to %d bytes",
                       name,
                       VOLUME_HOLDER_MAX);
    sched_lock(local->lock);
    rc = volume_lease_take(local, name, holder, duration_ns, err);
    sched_unlock(local->lock);
    return rc;
}

void volume_local_release(struct volume_local *local, const char *name, const char *holder)
{
    struct volume_lease *lease;

    sched_lock(local->lock);
    lease = volume_lease_find(local, name);
    if (lease && strcmp(lease->holder, holder) == 0)
        lease->holder[0] = '\0';
    sched_unlock(local->lock);
}

/* Returns only when no call of the old function is under way, so that its argument may go away. */
void volume_local_watch(struct volume_local *local, volume_notice_fn fn, void *arg)
{
    sched_lock(local->lock);
    local->notice = fn;
    local->notice_arg = arg;
    while (local->notices_running > 0)
        sched_wait(local->quiet, local->lock);
    sched_unlock(local->lock);
}

void volume_local_notify(struct volume_local *local, const char *name)
{
    volume_notice_fn fn;
    void *arg;

    sched_lock(local->lock);
    fn = local->notice;
    arg = local->notice_arg;
    if (fn)
        local->notices_running++;
    sched_unlock(local->lock);
    if (!fn)
        return;
    fn(arg, name);
    sched_lock(local->lock);
    local->notices_running--;
    if (local->notices_running == 0)
        sched_broadcast(local->quiet);
    sched_unlock(local->lock);
}

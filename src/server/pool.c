/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c: see pool.h. */
#include "server/pool.h"

#include "base/mem.h"
#include "server/listen.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <uv.h>

#define POOL_THREADS_MAX 1000u /* of a pool; beyond that jobs wait */
#define POOL_LOOKERS     2u    /* look for sockets, at least */

/* Who sees what, without the lock:
 *   - a worker counts itself among `lookers`, then looks whether jobs are `waiting`;
 *   - srv_pool_submit counts its job, then looks whether there are lookers, and rings for them.
 * One of both sees the other. `bell` is edge-triggered and never read: each ring wakes one looker,
 * unless an earlier ring has not been heard yet; so whoever takes a job and leaves others rings
 * again. */
struct srv_pool {
    struct sched *sched;      /* owned */
    struct sched_mutex *lock; /* all below but what is atomic */
    struct sched_cond *work;  /* a job came, somebody is to look, or the end */
    int sockets;              /* epoll: armed sockets, and the bell; owned */
    int bell;                 /* eventfd, owned */
    struct srv_job *first;    /* the queue */
    struct srv_job *last;
    atomic_uint waiting; /* jobs in it; written under lock */
    atomic_uint lookers; /* workers that wait for sockets */
    unsigned lookers_max;
    atomic_uint_fast64_t taken; /* jobs so far, from the queue and from sockets */
    unsigned idle;              /* workers that are parked */
    unsigned calls;             /* workers that are on their way: called, or started */
    unsigned workers_max;
    unsigned spare_max;
    uint64_t relieved;      /* taken, at the last srv_pool_relieve */
    unsigned paused;        /* workers that stand still */
    unsigned workers_count; /* started; the first cannot fail later on, so there is always one */
    struct sched_task **workers;
    atomic_bool ending;
};

static void pool_ring(struct srv_pool *p)
{
    DN_IGNORE(eventfd_write(p->bell, 1)); /* full: it rings anyhow */
}

/* May one more be started? */
static bool pool_room(const struct srv_pool *p)
{
    return p->workers_count <
           p->workers_max + (p->paused < p->spare_max ? p->paused : p->spare_max);
}

static void pool_worker(void *arg);

static int pool_start(struct srv_pool *p, struct dn_err *err)
{
    int rc;

    p->calls++;
    rc = sched_spawn(p->sched, "dendro-server", pool_worker, p, &p->workers[p->workers_count], err);
    if (rc == 0)
        p->workers_count++;
    else
        p->calls--;
    return rc;
}

/* Under lock: one that is parked comes out, or a new one is started. */
static void pool_call(struct srv_pool *p, bool beyond)
{
    if (p->idle > p->calls) {
        p->calls++;
        sched_signal(p->work);
    } else if (p->idle == 0 &&
               (beyond ? p->workers_count < p->workers_max + p->spare_max : pool_room(p))) {
        /* one that cannot be started is no harm: the others get round to it */
        DN_IGNORE(pool_start(p, NULL));
    }
}

/* Under lock: somebody is to see to the queue. True: one who looks, for whom the bell must ring. */
static bool pool_rouse(struct srv_pool *p)
{
    bool looked_for = atomic_load(&p->lookers) > 0;

    if (!looked_for)
        pool_call(p, false);
    return looked_for;
}

/* The next of the queue; NULL: there is none. */
static struct srv_job *pool_pop(struct srv_pool *p)
{
    struct srv_job *job;
    bool looked_for = false;

    sched_lock(p->lock);
    job = p->first;
    if (job) {
        p->first = job->next;
        if (!p->first)
            p->last = NULL;
        job->next = NULL;
        atomic_fetch_sub(&p->waiting, 1);
    }
    if (p->first)
        looked_for = pool_rouse(p);
    sched_unlock(p->lock);
    if (looked_for)
        pool_ring(p);
    return job;
}

/* Waits for a socket, or a ring; NULL: it was a ring, or (not `wait`) there is none. */
static struct srv_job *pool_look(struct srv_pool *p, bool wait)
{
    struct epoll_event e;
    int n = epoll_wait(p->sockets, &e, 1, wait ? -1 : 0);

    return n > 0 ? e.data.ptr : NULL;
}

/* Under lock: one of those that were on their way is here. */
static void pool_arrive(struct srv_pool *p)
{
    if (p->calls > 0)
        p->calls--;
}

/* Waits until there is a job in the queue or somebody is to look. */
static void pool_park(struct srv_pool *p)
{
    sched_lock(p->lock);
    p->idle++;
    while (!p->first && p->calls == 0 && !atomic_load(&p->ending) &&
           atomic_load(&p->lookers) >= p->lookers_max)
        sched_wait(p->work, p->lock);
    p->idle--;
    pool_arrive(p);
    sched_unlock(p->lock);
}

/* Somebody who stays until there is something to do; NULL: see what has changed. */
static struct srv_job *pool_wait(struct srv_pool *p)
{
    struct srv_job *job = NULL;

    if (atomic_fetch_add(&p->lookers, 1) >= p->lookers_max) {
        atomic_fetch_sub(&p->lookers, 1);
        pool_park(p);
        return NULL;
    }
    if (atomic_load(&p->waiting) == 0 && !atomic_load(&p->ending))
        job = pool_look(p, true);
    atomic_fetch_sub(&p->lookers, 1);
    return job;
}

/* The last one that looked has taken something: another one is to look. */
static void pool_replace(struct srv_pool *p)
{
    if (!srv_pool_blind(p))
        return;
    sched_lock(p->lock);
    if (p->calls == 0)
        pool_call(p, false);
    sched_unlock(p->lock);
}

static void pool_worker(void *arg)
{
    struct srv_pool *p = arg;
    bool queue_first = true; /* in turn, so that neither the queue nor the sockets starve */

    sched_lock(p->lock);
    pool_arrive(p);
    sched_unlock(p->lock);
    for (;;) {
        struct srv_job *job = NULL;

        if (atomic_load(&p->waiting) > 0) {
            if (!queue_first)
                job = pool_look(p, false);
            if (!job)
                job = pool_pop(p);
            queue_first = !queue_first;
        } else if (atomic_load(&p->ending)) {
            break;
        } else {
            job = pool_wait(p);
        }
        if (job) {
            pool_replace(p);
            atomic_fetch_add_explicit(&p->taken, 1, memory_order_relaxed);
            job->run(job);
        }
    }
    pool_ring(p); /* the next one that looks ends, too */
}

static int pool_open_sockets(struct srv_pool *p, struct dn_err *err)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};

    p->sockets = epoll_create1(EPOLL_CLOEXEC);
    p->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (p->sockets >= 0 && p->bell >= 0 && epoll_ctl(p->sockets, EPOLL_CTL_ADD, p->bell, &e) == 0)
        return 0;
    return DN_FAIL(
        err, DN_E_IO, "the workers of the server cannot wait for sockets: %s", uv_strerror(-errno));
}

int srv_pool_new(unsigned workers_max,
                 unsigned spare_max,
                 struct srv_pool **ret,
                 struct dn_err *err)
{
    struct srv_pool *p = mem_calloc(NULL, 1, sizeof(*p));
    int rc = 0;

    DN_ASSERT(workers_max > 0);
    if (!p)
        return DN_FAIL_NOMEM(err);
    workers_max = workers_max < POOL_THREADS_MAX ? workers_max : POOL_THREADS_MAX;
    if (spare_max > POOL_THREADS_MAX - workers_max)
        spare_max = POOL_THREADS_MAX - workers_max;
    p->workers_max = workers_max;
    p->spare_max = spare_max;
    p->sockets = p->bell = -1;
    p->workers = mem_calloc(NULL, (size_t)workers_max + spare_max, sizeof(*p->workers));
    p->sched = sched_threads_new(workers_max + spare_max, err);
    if (!p->sched) {
        rc = DN_E_NOMEM;
    } else {
        p->lock = sched_mutex_new(p->sched, "server pool");
        p->work = sched_cond_new(p->sched, "server work");
        p->lookers_max =
            sched_cores(p->sched) > POOL_LOOKERS ? sched_cores(p->sched) : POOL_LOOKERS;
        if (!p->workers || !p->lock || !p->work)
            rc = DN_FAIL_NOMEM(err);
        else
            rc = pool_open_sockets(p, err);
        if (rc == 0)
            rc = pool_start(p, err);
    }
    if (rc < 0) {
        srv_pool_free(p);
        return rc;
    }
    *ret = p;
    return 0;
}

void srv_pool_free(struct srv_pool *p)
{
    if (!p)
        return;
    if (p->lock) {
        sched_lock(p->lock);
        atomic_store(&p->ending, true);
        if (p->work)
            sched_broadcast(p->work);
        sched_unlock(p->lock);
        if (p->bell >= 0)
            pool_ring(p);
    }
    for (unsigned i = 0; i < p->workers_count; i++)
        sched_join(p->workers[i]);
    sched_cond_free(p->work);
    sched_mutex_free(p->lock);
    sched_free(p->sched);
    if (p->sockets >= 0)
        srv_socket_close(p->sockets);
    if (p->bell >= 0)
        srv_socket_close(p->bell);
    mem_free(p->workers);
    mem_free(p);
}

void srv_pool_submit(struct srv_pool *p, struct srv_job *job)
{
    bool looked_for;

    sched_lock(p->lock);
    job->next = NULL;
    if (p->last)
        p->last->next = job;
    else
        p->first = job;
    p->last = job;
    atomic_fetch_add(&p->waiting, 1);
    looked_for = pool_rouse(p);
    sched_unlock(p->lock);
    if (looked_for)
        pool_ring(p);
}

int srv_pool_arm(struct srv_pool *p, int fd, struct srv_job *job, bool writable, bool first)
{
    struct epoll_event e = {.events = (writable ? EPOLLOUT : EPOLLIN) | EPOLLONESHOT,
                            .data.ptr = job};

    return epoll_ctl(p->sockets, first ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &e);
}

bool srv_pool_calm(const struct srv_pool *p)
{
    return atomic_load_explicit(&p->lookers, memory_order_relaxed) > 0 && !srv_pool_waiting(p);
}

bool srv_pool_blind(const struct srv_pool *p)
{
    return atomic_load(&p->lookers) == 0;
}

bool srv_pool_relieve(struct srv_pool *p)
{
    uint64_t taken = atomic_load(&p->taken);
    bool behind;

    sched_lock(p->lock);
    behind = atomic_load(&p->waiting) > 0 || srv_pool_blind(p);
    if (behind && taken == p->relieved)
        pool_call(p, true);
    p->relieved = taken;
    sched_unlock(p->lock);
    return behind;
}

void srv_pool_pause(struct srv_pool *p)
{
    sched_lock(p->lock);
    p->paused++;
    if (atomic_load(&p->waiting) > 0 || srv_pool_blind(p))
        pool_call(p, false);
    sched_unlock(p->lock);
}

void srv_pool_resume(struct srv_pool *p)
{
    sched_lock(p->lock);
    p->paused--;
    sched_unlock(p->lock);
}

bool srv_pool_waiting(const struct srv_pool *p)
{
    return atomic_load_explicit(&p->waiting, memory_order_relaxed) > 0;
}

unsigned srv_pool_workers(const struct srv_pool *p)
{
    unsigned n;

    sched_lock(p->lock);
    n = p->workers_count;
    sched_unlock(p->lock);
    return n;
}

struct sched *srv_pool_sched(struct srv_pool *p)
{
    return p->sched;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c: see pool.h. */
#include "server/pool.h"

#include "base/mem.h"

#include <stdatomic.h>

#define POOL_THREADS_MAX 1000u /* of a pool; beyond that jobs wait */

struct srv_pool {
    struct sched *sched;      /* owned */
    struct sched_mutex *lock; /* all below */
    struct sched_cond *work;  /* a job came, or the end */
    struct srv_job *first;    /* the queue */
    struct srv_job *last;
    atomic_uint waiting; /* jobs in it; written under lock */
    unsigned idle;       /* workers that wait for work */
    unsigned workers_max;
    unsigned spare_max;
    uint64_t taken;         /* jobs so far */
    uint64_t relieved;      /* taken, at the last srv_pool_relieve */
    unsigned paused;        /* workers that stand still */
    unsigned workers_count; /* started; the first cannot fail later on, so there is always one */
    struct sched_task **workers;
    bool ending;
};

static void pool_worker(void *arg)
{
    struct srv_pool *p = arg;

    sched_lock(p->lock);
    for (;;) {
        struct srv_job *job = p->first;

        if (job) {
            p->first = job->next;
            if (!p->first)
                p->last = NULL;
            job->next = NULL;
            atomic_fetch_sub(&p->waiting, 1);
            p->taken++;
            sched_unlock(p->lock);
            job->run(job);
            sched_lock(p->lock);
        } else if (p->ending) {
            break;
        } else {
            p->idle++;
            sched_wait(p->work, p->lock);
            p->idle--;
        }
    }
    sched_unlock(p->lock);
}

/* May one more be started? */
static bool pool_room(const struct srv_pool *p)
{
    return p->workers_count <
           p->workers_max + (p->paused < p->spare_max ? p->paused : p->spare_max);
}

static int pool_start(struct srv_pool *p, struct dn_err *err)
{
    int rc =
        sched_spawn(p->sched, "dendro-server", pool_worker, p, &p->workers[p->workers_count], err);

    if (rc == 0)
        p->workers_count++;
    return rc;
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
    p->workers = mem_calloc(NULL, (size_t)workers_max + spare_max, sizeof(*p->workers));
    p->sched = sched_threads_new(workers_max + spare_max, err);
    if (!p->sched) {
        rc = DN_E_NOMEM;
    } else {
        p->lock = sched_mutex_new(p->sched, "server pool");
        p->work = sched_cond_new(p->sched, "server work");
        if (!p->workers || !p->lock || !p->work)
            rc = DN_FAIL_NOMEM(err);
        else
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
        p->ending = true;
        if (p->work)
            sched_broadcast(p->work);
        sched_unlock(p->lock);
    }
    for (unsigned i = 0; i < p->workers_count; i++)
        sched_join(p->workers[i]);
    sched_cond_free(p->work);
    sched_mutex_free(p->lock);
    sched_free(p->sched);
    mem_free(p->workers);
    mem_free(p);
}

void srv_pool_submit(struct srv_pool *p, struct srv_job *job)
{
    sched_lock(p->lock);
    job->next = NULL;
    if (p->last)
        p->last->next = job;
    else
        p->first = job;
    p->last = job;
    /* one that cannot be started is no harm: the others get round to it */
    if (atomic_fetch_add(&p->waiting, 1) >= p->idle && pool_room(p))
        DN_IGNORE(pool_start(p, NULL));
    sched_signal(p->work);
    sched_unlock(p->lock);
}

bool srv_pool_relieve(struct srv_pool *p)
{
    bool waiting;

    sched_lock(p->lock);
    waiting = atomic_load(&p->waiting) > 0;
    if (waiting && p->taken == p->relieved && p->workers_count < p->workers_max + p->spare_max)
        DN_IGNORE(pool_start(p, NULL)); /* as above */
    p->relieved = p->taken;
    sched_unlock(p->lock);
    return waiting;
}

void srv_pool_pause(struct srv_pool *p)
{
    sched_lock(p->lock);
    p->paused++;
    if (atomic_load(&p->waiting) > p->idle && pool_room(p))
        DN_IGNORE(pool_start(p, NULL)); /* as above */
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.h: the workers of a server. A job is queued once and run by whichever worker is free; while
 * it is queued or runs it may not be queued again. Workers are started when there is work and no
 * idle one, up to a limit; they stay until the pool is freed.
 *
 * Any thread, except srv_pool_free. */
#pragma once

#include "base/err.h"
#include "base/sched.h"

struct srv_pool;

struct srv_job {
    void (*run)(struct srv_job *job);
    struct srv_job *next; /* of the pool, while it is queued */
};

/* Up to workers_max of them as there is work; up to spare_max more where some stand still
 * (srv_pool_pause) or are at it for long (srv_pool_relieve); a thousand in all. */
int srv_pool_new(unsigned workers_max,
                 unsigned spare_max,
                 struct srv_pool **ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* Waits until every job that was queued has run; NULL is fine. */
void srv_pool_free(struct srv_pool *pool);

void srv_pool_submit(struct srv_pool *pool, struct srv_job *job);
/* Are there jobs that wait for a worker? Then one that has nothing to do but wait should end. */
bool srv_pool_waiting(const struct srv_pool *pool);
/* By a worker, around a wait for somebody outside: another one may be started in its place. */
void srv_pool_pause(struct srv_pool *pool);
void srv_pool_resume(struct srv_pool *pool);
/* To be called every few milliseconds while jobs wait: starts a worker if none of them was taken
 * since the last call. False: no job waits. */
bool srv_pool_relieve(struct srv_pool *pool);
unsigned srv_pool_workers(const struct srv_pool *pool); /* started so far */
struct sched *srv_pool_sched(struct srv_pool *pool);

/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.h: the workers of a server. A job is queued once and run by whichever worker is free, or it
 * waits for a socket and is run when something has come; until it runs it may not be queued or
 * armed again. Workers are started when there is work and no idle one, up to a limit; they stay
 * until the pool is freed.
 *
 * Workers wait for sockets themselves, as many of them as the machine has cores and two at least:
 * they are looking. A worker that comes too many is parked; when the last one that looks has taken
 * something, a parked one is called, or one more is started. Beyond the usual number of workers
 * srv_pool_relieve does that, when what they have takes long.
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

/* Runs the job once the socket is readable (or writable); nobody may touch what belongs to the job
 * from then on, until it runs. `first`: the socket is new to the pool; it leaves it when it is
 * closed. < 0: the system refuses, and the job stays with the caller. */
int srv_pool_arm(struct srv_pool *pool, int fd, struct srv_job *job, bool writable, bool first)
    DN_MUST_CHECK;
/* A worker looks and no job waits: another worker may stay with what it has for a moment. */
bool srv_pool_calm(const struct srv_pool *pool);
/* Nobody looks: srv_pool_relieve must be called every few milliseconds from now on. */
bool srv_pool_blind(const struct srv_pool *pool);

/* Are there jobs that wait for a worker? Then one that has nothing to do but wait should end. */
bool srv_pool_waiting(const struct srv_pool *pool);
/* By a worker, around a wait for somebody outside: another one may be started in its place. */
void srv_pool_pause(struct srv_pool *pool);
void srv_pool_resume(struct srv_pool *pool);
/* To be called every few milliseconds while jobs wait or nobody looks: gets a worker to work if
 * nothing was taken since the last call. False: no job waits, and somebody looks. */
bool srv_pool_relieve(struct srv_pool *pool);
unsigned srv_pool_workers(const struct srv_pool *pool); /* started so far */
struct sched *srv_pool_sched(struct srv_pool *pool);

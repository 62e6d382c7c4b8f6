/* SPDX-License-Identifier: Apache-2.0
 *
 * The door in front of the two schedulers: checks that belong to both, then the call. */
#include "base/sched_int.h"

void sched_free(struct sched *s)
{
    if (s)
        s->ops->free(s);
}

bool sched_is_sim(const struct sched *s)
{
    return s->ops == &sched_sim_ops;
}

unsigned sched_cores(const struct sched *s)
{
    return s->cores;
}

uint64_t sched_now_ns(struct sched *s)
{
    return s->ops->now_ns(s);
}

uint64_t sched_random(struct sched *s)
{
    return s->ops->random(s);
}

int sched_spawn(struct sched *s,
                const char *name,
                sched_fn fn,
                void *arg,
                struct sched_task **ret_task,
                struct dn_err *err)
{
    DN_ASSERT(name && fn && ret_task);
    return s->ops->spawn(s, name, fn, arg, ret_task, err);
}

void sched_join(struct sched_task *task)
{
    task->sched->ops->join(task);
}

void sched_pass(struct sched *s)
{
    s->ops->pass(s);
}

void sched_sleep_ns(struct sched *s, uint64_t ns)
{
    s->ops->sleep_ns(s, ns);
}

struct sched_mutex *sched_mutex_new(struct sched *s, const char *name)
{
    return s->ops->mutex_new(s, name);
}

void sched_mutex_free(struct sched_mutex *m)
{
    if (m)
        m->sched->ops->mutex_free(m);
}

void sched_lock(struct sched_mutex *m)
{
    m->sched->ops->lock(m);
}

void sched_unlock(struct sched_mutex *m)
{
    m->sched->ops->unlock(m);
}

struct sched_cond *sched_cond_new(struct sched *s, const char *name)
{
    return s->ops->cond_new(s, name);
}

void sched_cond_free(struct sched_cond *c)
{
    if (c)
        c->sched->ops->cond_free(c);
}

void sched_wait(struct sched_cond *c, struct sched_mutex *m)
{
    DN_ASSERT(c->sched == m->sched);
    (void)c->sched->ops->wait(c, m, UINT64_MAX);
}

bool sched_wait_ns(struct sched_cond *c, struct sched_mutex *m, uint64_t timeout_ns)
{
    DN_ASSERT(c->sched == m->sched);
    return c->sched->ops->wait(c, m, timeout_ns);
}

void sched_signal(struct sched_cond *c)
{
    c->sched->ops->signal(c);
}

void sched_broadcast(struct sched_cond *c)
{
    c->sched->ops->broadcast(c);
}

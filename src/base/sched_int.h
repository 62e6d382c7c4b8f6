/* SPDX-License-Identifier: Apache-2.0
 *
 * sched_int.h: what the two schedulers share, for src/base/sched*.c only. Each scheduler embeds
 * these structs as the first member of its own. Any thread, as sched.h says. */
#pragma once

#include "base/sched.h"

struct sched_ops {
    void (*free)(struct sched *s);
    uint64_t (*now_ns)(struct sched *s);
    uint64_t (*random)(struct sched *s);
    int (*spawn)(struct sched *s,
                 const char *name,
                 sched_fn fn,
                 void *arg,
                 struct sched_task **ret_task,
                 struct dn_err *err);
    void (*join)(struct sched_task *task);
    void (*pass)(struct sched *s);
    void (*sleep_ns)(struct sched *s, uint64_t ns);
    struct sched_mutex *(*mutex_new)(struct sched *s, const char *name);
    void (*mutex_free)(struct sched_mutex *m);
    void (*lock)(struct sched_mutex *m);
    void (*unlock)(struct sched_mutex *m);
    struct sched_cond *(*cond_new)(struct sched *s, const char *name);
    void (*cond_free)(struct sched_cond *c);
    /* timeout_ns UINT64_MAX: for ever. False: the time ran out. */
    bool (*wait)(struct sched_cond *c, struct sched_mutex *m, uint64_t timeout_ns);
    void (*signal)(struct sched_cond *c);
    void (*broadcast)(struct sched_cond *c);
};

struct sched {
    const struct sched_ops *ops; /* static */
    unsigned cores;              /* constant */
};

struct sched_task {
    struct sched *sched; /* borrowed */
    const char *name;    /* borrowed for the task's life */
    sched_fn fn;         /* what it runs */
    void *arg;           /* borrowed, handed to fn */
};

struct sched_mutex {
    struct sched *sched; /* borrowed */
    const char *name;    /* borrowed for the mutex's life */
};

struct sched_cond {
    struct sched *sched; /* borrowed */
    const char *name;    /* borrowed for the condition's life */
};

/* now + ns, or UINT64_MAX when that does not fit. */
static inline uint64_t sched_deadline(uint64_t now_ns, uint64_t ns)
{
    uint64_t at;

    return __builtin_add_overflow(now_ns, ns, &at) ? UINT64_MAX : at;
}

extern const struct sched_ops sched_sim_ops;

/* SPDX-License-Identifier: Apache-2.0
 *
 * sched.h: threads, waits and timers of the engine go through here, and nowhere else.
 *
 * Two schedulers stand behind one interface:
 *   threads  real POSIX threads: a pool for tasks, pthread mutexes and conditions.
 *   sim      one OS thread; every task is a fiber with its own stack. A seeded generator decides
 *            who runs next at each switch point (lock, unlock, wait, signal, yield, sleep, task
 *            start and end), so one seed reproduces one interleaving. Time is virtual: it moves
 *            only when every fiber waits and a timer is next, or when a test moves it.
 *
 * A lock or condition belongs to the scheduler it was made with. Under `sim` the thread that made
 * the scheduler is the main fiber; waiting there runs the others. A deadlock under `sim` (nobody
 * can run, no timer) aborts with the names of the waiting fibers.
 *
 * Any thread, except sched_free: the owner, after all tasks ended. */
#pragma once

#include "base/attr.h"
#include "base/err.h"

#include <stdbool.h>

struct sched;
struct sched_mutex;
struct sched_cond;
struct sched_task;

typedef void (*sched_fn)(void *arg);

/* threads_max: pool size; tasks beyond it queue. A join of a task that still queues runs it in the
 * joining thread, so tasks that spawn and join others never run out of threads. */
struct sched *sched_threads_new(unsigned threads_max, struct dn_err *err);
struct sched *sched_sim_new(uint64_t seed, struct dn_err *err);
void sched_free(struct sched *s); /* NULL is fine; waits for running tasks */
bool sched_is_sim(const struct sched *s);

/* Tasks that can run at once with profit: the machine's cores; 2 under sim. */
unsigned sched_cores(const struct sched *s);

/* Monotonic nanoseconds; virtual under sim. */
uint64_t sched_now_ns(struct sched *s);
/* sim only: moves virtual time forward and lets due timers fire, each at its own instant: the
 * caller sleeps for ns while the others run. */
void sched_sim_advance(struct sched *s, uint64_t ns);
/* sim only: stack bytes of the tasks spawned from now on; default 256 KiB, more under sanitizers.
 */
void sched_sim_set_stack(struct sched *s, size_t bytes);
/* Deterministic under sim, from the OS otherwise. */
uint64_t sched_random(struct sched *s);

/* Runs fn(arg) on a task of its own. Join every task exactly once; join frees it. */
int sched_spawn(struct sched *s,
                const char *name,
                sched_fn fn,
                void *arg,
                struct sched_task **ret_task,
                struct dn_err *err) DN_MUST_CHECK;
void sched_join(struct sched_task *task);
/* A point where others may run (the name yield belongs to the C library's <sched.h>). */
void sched_pass(struct sched *s);
void sched_sleep_ns(struct sched *s, uint64_t ns);

struct sched_mutex *sched_mutex_new(struct sched *s, const char *name); /* NULL: out of memory */
void sched_mutex_free(struct sched_mutex *m);
void sched_lock(struct sched_mutex *m);
void sched_unlock(struct sched_mutex *m);

struct sched_cond *sched_cond_new(struct sched *s, const char *name); /* NULL: out of memory */
void sched_cond_free(struct sched_cond *c);
/* The usual rules: hold m, test the predicate in a loop; wake-ups may be spurious. */
void sched_wait(struct sched_cond *c, struct sched_mutex *m);
/* False when the time ran out first. */
bool sched_wait_ns(struct sched_cond *c, struct sched_mutex *m, uint64_t timeout_ns);
void sched_signal(struct sched_cond *c);
void sched_broadcast(struct sched_cond *c);

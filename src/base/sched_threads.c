/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler of real programs: a pool of POSIX threads that grows on demand up to its maximum,
 * and a first-in first-out queue for tasks beyond it.
 *
 *     spawn ──► QUEUED ──a worker takes it──► RUNNING ──► DONE ──join──► freed
 *                  └─────join takes it back and runs it itself────┘
 *
 * A task that waits for a task behind it in the queue would wait for ever if all workers did so;
 * that is why join takes a queued task back. Workers block all signals: those belong to the threads
 * of the program.
 *
 * Invariants, under pool.lock:
 *   I1  a task is linked in the queue exactly while it is QUEUED
 *   I2  a queued task has a worker that will look at the queue: idle > 0, or threads = threads_max,
 *       or no further thread could be made and threads > 0 */
#define _GNU_SOURCE
#include "base/mem.h"
#include "base/sched_int.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define SCHED_NS_PER_S         1000000000u
#define SCHED_THREADS_MAX      1024u
#define SCHED_TIMEOUT_NS_MAX   (UINT64_C(3600) * 24 * 365 * SCHED_NS_PER_S)
#define SCHED_THREAD_STACK_MIN (8u * 1024 * 1024)

struct pool_mutex {
    struct sched_mutex base;
    pthread_mutex_t lock;
};

struct pool_cond {
    struct sched_cond base;
    pthread_cond_t cond; /* on CLOCK_MONOTONIC */
};

enum pool_state { POOL_QUEUED, POOL_RUNNING, POOL_DONE, POOL_STATE_MAX };

struct pool_task {
    struct sched_task base;
    enum pool_state state;  /* under pool.lock */
    struct pool_task *next; /* in the queue, borrowed */
    struct pool_task *prev; /* in the queue, borrowed */
    pthread_cond_t done;    /* state became POOL_DONE */
};

struct pool {
    struct sched base;
    pthread_mutex_t lock;    /* guards all below */
    pthread_cond_t work;     /* the queue got a task, or stop was set */
    struct pool_task *first; /* oldest queued task, borrowed: join frees it */
    struct pool_task *last;  /* newest queued task */
    pthread_t *threads;      /* owned, threads_max slots */
    unsigned threads_count;  /* slots used */
    unsigned threads_max;    /* pool size */
    unsigned idle;           /* workers waiting for work, or on their way from it */
    size_t tasks_count;      /* spawned and not joined */
    bool stop;               /* workers end when the queue is empty */
};

static void pool_check(int rc)
{
    DN_ASSERT(rc == 0);
}

static void pool_mutex_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;

    pool_check(pthread_mutexattr_init(&attr));
#ifdef DN_DEBUG
    pool_check(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
#endif
    pool_check(pthread_mutex_init(lock, &attr));
    pool_check(pthread_mutexattr_destroy(&attr));
}

static void pool_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pool_check(pthread_condattr_init(&attr));
    pool_check(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    pool_check(pthread_cond_init(cond, &attr));
    pool_check(pthread_condattr_destroy(&attr));
}

static void pool_unlink(struct pool *pool, struct pool_task *task)
{
    if (task->prev)
        task->prev->next = task->next;
    else
        pool->first = task->next;
    if (task->next)
        task->next->prev = task->prev;
    else
        pool->last = task->prev;
    task->next = NULL;
    task->prev = NULL;
}

static void pool_link(struct pool *pool, struct pool_task *task)
{
    task->prev = pool->last;
    task->next = NULL;
    if (pool->last)
        pool->last->next = task;
    else
        pool->first = task;
    pool->last = task;
}

/* Holds pool.lock at call and return, not while the task runs. */
static void pool_run(struct pool *pool, struct pool_task *task)
{
    DN_ASSERT(task->state == POOL_QUEUED); /* I1 */
    pool_unlink(pool, task);
    task->state = POOL_RUNNING;
    pool_check(pthread_mutex_unlock(&pool->lock));
    task->base.fn(task->base.arg);
    pool_check(pthread_mutex_lock(&pool->lock));
    task->state = POOL_DONE;
    pool_check(pthread_cond_broadcast(&task->done));
}

static void *pool_worker(void *arg)
{
    struct pool *pool = arg;

    (void)pthread_setname_np(pthread_self(), "dendro-worker"); /* for top and gdb only */
    pool_check(pthread_mutex_lock(&pool->lock));
    for (;;) {
        if (pool->first) {
            pool_run(pool, pool->first);
        } else if (pool->stop) {
            break;
        } else {
            pool->idle++;
            pool_check(pthread_cond_wait(&pool->work, &pool->lock));
            pool->idle--;
        }
    }
    pool_check(pthread_mutex_unlock(&pool->lock));
    return NULL;
}

/* Starts one more worker, with all signals blocked and a stack the planner's recursion fits in.
 * Returns 0 or an errno. Under pool.lock. */
static int pool_grow(struct pool *pool)
{
    pthread_attr_t attr;
    sigset_t all;
    sigset_t old;
    size_t stack = 0;
    int rc;

    (void)sigfillset(&all);
    pool_check(pthread_attr_init(&attr));
    if (pthread_attr_getstacksize(&attr, &stack) == 0 && stack < SCHED_THREAD_STACK_MIN)
        (void)pthread_attr_setstacksize(&attr, SCHED_THREAD_STACK_MIN); /* else the default */
    pool_check(pthread_sigmask(SIG_SETMASK, &all, &old));
    rc = pthread_create(&pool->threads[pool->threads_count], &attr, pool_worker, pool);
    pool_check(pthread_sigmask(SIG_SETMASK, &old, NULL));
    pool_check(pthread_attr_destroy(&attr));
    if (rc != 0)
        return rc;
    pool->threads_count++;
    return 0;
}

static int pool_spawn(struct sched *s,
                      const char *name,
                      sched_fn fn,
                      void *arg,
                      struct sched_task **ret_task,
                      struct dn_err *err)
{
    struct pool *pool = (struct pool *)s;
    struct pool_task *task = mem_calloc(NULL, 1, sizeof *task);
    size_t queued = 0;
    int rc = 0;

    if (!task)
        return DN_FAIL_NOMEM(err);
    task->base.sched = s;
    task->base.name = name;
    task->base.fn = fn;
    task->base.arg = arg;
    task->state = POOL_QUEUED;
    pool_cond_init(&task->done);
    pool_check(pthread_mutex_lock(&pool->lock));
    DN_ASSERT(!pool->stop);
    for (struct pool_task *t = pool->first; t && queued < pool->idle; t = t->next)
        queued++;
    if (queued >= pool->idle && pool->threads_count < pool->threads_max)
        rc = pool_grow(pool);
    if (rc == 0 || pool->threads_count > 0) {
        rc = 0; /* I2: the workers there are will come to it */
        pool_link(pool, task);
        pool->tasks_count++;
        pool_check(pthread_cond_signal(&pool->work));
    }
    pool_check(pthread_mutex_unlock(&pool->lock));
    if (rc != 0) {
        pool_check(pthread_cond_destroy(&task->done));
        mem_free(task);
        return DN_FAIL(err, DN_E_NOMEM, "cannot start a thread: %s", strerrordesc_np(rc));
    }
    *ret_task = &task->base;
    return 0;
}

static void pool_join(struct sched_task *base)
{
    struct pool_task *task = (struct pool_task *)base;
    struct pool *pool = (struct pool *)base->sched;

    pool_check(pthread_mutex_lock(&pool->lock));
    if (task->state == POOL_QUEUED)
        pool_run(pool, task);
    while (task->state != POOL_DONE)
        pool_check(pthread_cond_wait(&task->done, &pool->lock));
    DN_ASSERT(pool->tasks_count > 0);
    pool->tasks_count--;
    pool_check(pthread_mutex_unlock(&pool->lock));
    pool_check(pthread_cond_destroy(&task->done));
    mem_free(task);
}

static void pool_free(struct sched *s)
{
    struct pool *pool = (struct pool *)s;

    pool_check(pthread_mutex_lock(&pool->lock));
    pool->stop = true;
    pool_check(pthread_cond_broadcast(&pool->work));
    pool_check(pthread_mutex_unlock(&pool->lock));
    for (unsigned i = 0; i < pool->threads_count; i++)
        pool_check(pthread_join(pool->threads[i], NULL));
    DN_ASSERT(pool->tasks_count == 0);
    pool_check(pthread_cond_destroy(&pool->work));
    pool_check(pthread_mutex_destroy(&pool->lock));
    mem_free(pool->threads);
    mem_free(pool);
}

static uint64_t pool_now_ns(struct sched *s)
{
    struct timespec now;

    (void)s;
    pool_check(clock_gettime(CLOCK_MONOTONIC, &now));
    return (uint64_t)now.tv_sec * SCHED_NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t pool_random(struct sched *s)
{
    uint64_t value = 0;
    ssize_t n;

    (void)s;
    do {
        n = getrandom(&value, sizeof value, 0);
    } while (n < 0 && errno == EINTR);
    DN_ASSERT(n == (ssize_t)sizeof value); /* up to 256 bytes never come in part */
    return value;
}

static void pool_pass(struct sched *s)
{
    (void)s;
    (void)sched_yield();
}

static struct timespec pool_timespec(uint64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / SCHED_NS_PER_S),
                          .tv_nsec = (long)(ns % SCHED_NS_PER_S)};

    return ts;
}

static void pool_sleep_ns(struct sched *s, uint64_t ns)
{
    struct timespec until;
    int rc;

    if (ns > SCHED_TIMEOUT_NS_MAX)
        ns = SCHED_TIMEOUT_NS_MAX;
    until = pool_timespec(pool_now_ns(s) + ns);
    do {
        rc = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    } while (rc == EINTR);
    pool_check(rc);
}

static struct sched_mutex *pool_mutex_new(struct sched *s, const char *name)
{
    struct pool_mutex *m = mem_calloc(NULL, 1, sizeof *m);

    if (!m)
        return NULL;
    m->base.sched = s;
    m->base.name = name;
    pool_mutex_init(&m->lock);
    return &m->base;
}

static void pool_mutex_free(struct sched_mutex *base)
{
    struct pool_mutex *m = (struct pool_mutex *)base;

    pool_check(pthread_mutex_destroy(&m->lock));
    mem_free(m);
}

static void pool_lock(struct sched_mutex *base)
{
    struct pool_mutex *m = (struct pool_mutex *)base;

    pool_check(pthread_mutex_lock(&m->lock));
}

static void pool_unlock(struct sched_mutex *base)
{
    struct pool_mutex *m = (struct pool_mutex *)base;

    pool_check(pthread_mutex_unlock(&m->lock));
}

static struct sched_cond *pool_cond_new(struct sched *s, const char *name)
{
    struct pool_cond *c = mem_calloc(NULL, 1, sizeof *c);

    if (!c)
        return NULL;
    c->base.sched = s;
    c->base.name = name;
    pool_cond_init(&c->cond);
    return &c->base;
}

static void pool_cond_free(struct sched_cond *base)
{
    struct pool_cond *c = (struct pool_cond *)base;

    pool_check(pthread_cond_destroy(&c->cond));
    mem_free(c);
}

static bool pool_wait(struct sched_cond *cond, struct sched_mutex *mutex, uint64_t timeout_ns)
{
    struct pool_cond *c = (struct pool_cond *)cond;
    struct pool_mutex *m = (struct pool_mutex *)mutex;
    struct timespec until;
    int rc;

    if (timeout_ns > SCHED_TIMEOUT_NS_MAX) {
        pool_check(pthread_cond_wait(&c->cond, &m->lock));
        return true;
    }
    until = pool_timespec(pool_now_ns(cond->sched) + timeout_ns);
    rc = pthread_cond_timedwait(&c->cond, &m->lock, &until);
    DN_ASSERT(rc == 0 || rc == ETIMEDOUT);
    return rc == 0;
}

static void pool_signal(struct sched_cond *base)
{
    struct pool_cond *c = (struct pool_cond *)base;

    pool_check(pthread_cond_signal(&c->cond));
}

static void pool_broadcast(struct sched_cond *base)
{
    struct pool_cond *c = (struct pool_cond *)base;

    pool_check(pthread_cond_broadcast(&c->cond));
}

static const struct sched_ops sched_pool_ops = {
    .free = pool_free,
    .now_ns = pool_now_ns,
    .random = pool_random,
    .spawn = pool_spawn,
    .join = pool_join,
    .pass = pool_pass,
    .sleep_ns = pool_sleep_ns,
    .mutex_new = pool_mutex_new,
    .mutex_free = pool_mutex_free,
    .lock = pool_lock,
    .unlock = pool_unlock,
    .cond_new = pool_cond_new,
    .cond_free = pool_cond_free,
    .wait = pool_wait,
    .signal = pool_signal,
    .broadcast = pool_broadcast,
};

static unsigned sched_count_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : (unsigned)cores;
}

struct sched *sched_threads_new(unsigned threads_max, struct dn_err *err)
{
    struct pool *pool;

    if (threads_max == 0 || threads_max > SCHED_THREADS_MAX) {
        DN_IGNORE(DN_FAIL(err, /* the NULL below says it */
                          DN_E_INVALID_PARAM,
                          "a scheduler has 1 to %u threads, not %u",
                          SCHED_THREADS_MAX,
                          threads_max));
        return NULL;
    }
    pool = mem_calloc(NULL, 1, sizeof *pool);
    if (pool)
        pool->threads = mem_calloc(NULL, threads_max, sizeof *pool->threads);
    if (!pool || !pool->threads) {
        mem_free(pool);
        DN_IGNORE(DN_FAIL_NOMEM(err)); /* the NULL below says it */
        return NULL;
    }
    pool->base.ops = &sched_pool_ops;
    pool->base.cores = sched_count_cores();
    pool->threads_max = threads_max;
    pool_mutex_init(&pool->lock);
    pool_cond_init(&pool->work);
    return &pool->base;
}

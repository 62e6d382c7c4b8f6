/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler of the simulator: every task is a fiber (ucontext) with a stack of its own, all on
 * one OS thread. At each switch point sim_switch draws the next fiber from a seeded generator among
 * those that can run. So one seed gives one interleaving, and a bug found by a seed stays found.
 *
 *     READY ──switch picks it──► it runs ──lock taken, wait, sleep, join──► BLOCKED
 *       ▲                            └──────fn returned──────► DONE ──join──► freed
 *       └──────unlock, signal, timer, end of the joined task──────────────────┘ (BLOCKED only)
 *
 * A mutex wakes all its waiters; they try again in the order the seed says. A condition wakes one
 * waiter chosen by the seed, and sometimes one wakes spuriously, so that a missing predicate loop
 * shows. Virtual time stands still while any fiber can run; when none can, it jumps to the next
 * timer. Two generators: one for the choices here, one for sched_random, so that a program that
 * draws one number more keeps its interleaving.
 *
 * Invariants:
 *   I1  current is READY whenever its own code runs
 *   I2  a BLOCKED fiber has waits_for set or a finite wake_at
 *   I3  the fibers list holds the main fiber first, then the others in the order of their spawn */
#define _GNU_SOURCE
#include "base/mem.h"
#include "base/sched_int.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define SIM_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define SIM_TSAN 1
#endif
#endif

#ifdef SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(SIM_ASAN) || defined(SIM_TSAN)
#define SIM_STACK_DEFAULT (1024u * 1024u)
#else
#define SIM_STACK_DEFAULT (256u * 1024u)
#endif
#define SIM_STACK_MIN       (32u * 1024u)
#define SIM_STACKS_KEPT     16u
#define SIM_SPURIOUS_ONE_IN 32u

enum sim_state { SIM_READY, SIM_BLOCKED, SIM_DONE, SIM_STATE_MAX };

struct sim_mutex {
    struct sched_mutex base;
    struct sim_fiber *owner; /* borrowed, NULL = free */
};

struct sim_cond {
    struct sched_cond base;
};

/* A mapped stack: one guard page, then the usable bytes. */
struct sim_stack {
    uint8_t *map; /* owned mapping, NULL = none (main fiber) */
    size_t size;  /* bytes with the guard page */
};

struct sim_fiber {
    struct sched_task base;
    struct sim_fiber *next; /* I3, owned by the scheduler until joined */
    enum sim_state state;   /* see the picture above */
    const void *waits_for;  /* mutex, condition or fiber; NULL = timer only */
    const char *waits_kind; /* static, for the deadlock message */
    const char *waits_name; /* borrowed, for the deadlock message */
    uint64_t wake_at;       /* virtual ns, UINT64_MAX = no timer */
    bool timed_out;         /* its timer woke it */
    ucontext_t context;     /* where it goes on */
    struct sim_stack stack; /* its stack */
    const void *bottom;     /* lowest stack byte, for ASan; of main: learnt at the first switch */
    size_t bottom_size;     /* stack bytes, for ASan */
    void *asan_fake;        /* ASan's fake stack while it does not run */
    void *tsan;             /* TSan's fiber */
};

struct sim {
    struct sched base;
    struct sim_fiber main;                  /* the thread that made the scheduler */
    struct sim_fiber *current;              /* the running fiber, borrowed */
    struct sim_fiber *previous;             /* the fiber that ran before it, borrowed */
    struct sim_stack kept[SIM_STACKS_KEPT]; /* owned free stacks, all of stack_size */
    size_t kept_count;                      /* how many */
    size_t stack_size;                      /* bytes of new stacks with the guard page */
    uint64_t now_ns;                        /* virtual time */
    uint64_t choice_state;                  /* generator of the choices made here */
    uint64_t random_state;                  /* generator of sched_random */
    size_t page;                            /* bytes of a memory page */
    pthread_t thread;                       /* the one thread that may come here */
};

static uint64_t sim_next(uint64_t *state)
{
    uint64_t x;

    *state += 0x9e3779b97f4a7c15u;
    x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* 0 to n - 1; the bias of the remainder does not matter for small n. */
static size_t sim_choose(struct sim *sim, size_t n)
{
    return (size_t)(sim_next(&sim->choice_state) % n);
}

static struct sim *sim_of(struct sched *s)
{
    struct sim *sim = (struct sim *)s;

    DN_ASSERT(pthread_equal(sim->thread, pthread_self()));
    return sim;
}

/* -- stacks ------------------------------------------------------------------------ */

static bool sim_stack_new(struct sim *sim, struct sim_stack *ret_stack)
{
    uint8_t *map;

    if (sim->kept_count > 0) {
        *ret_stack = sim->kept[--sim->kept_count];
        return true;
    }
    map = mmap(NULL,
               sim->stack_size,
               PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
               -1,
               0);
    if (map == MAP_FAILED)
        return false;
    if (mprotect(map, sim->page, PROT_NONE) != 0) {
        (void)munmap(map, sim->stack_size);
        return false;
    }
    ret_stack->map = map;
    ret_stack->size = sim->stack_size;
    return true;
}

static void sim_stack_free(struct sim *sim, struct sim_stack *stack)
{
    if (!stack->map)
        return;
#ifdef SIM_ASAN
    /* The frames a fiber left behind at its end are still poisoned. */
    ASAN_UNPOISON_MEMORY_REGION(stack->map + sim->page, stack->size - sim->page);
#endif
    if (stack->size == sim->stack_size && sim->kept_count < SIM_STACKS_KEPT)
        sim->kept[sim->kept_count++] = *stack;
    else
        (void)munmap(stack->map, stack->size);
    stack->map = NULL;
}

static void sim_stacks_drop(struct sim *sim)
{
    while (sim->kept_count > 0) {
        struct sim_stack *stack = &sim->kept[--sim->kept_count];
        (void)munmap(stack->map, stack->size);
    }
}

/* -- switching --------------------------------------------------------------------- */

/* The first thing a fiber does when it runs again. */
static void sim_arrive(struct sim *sim)
{
#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(
        sim->current->asan_fake, &sim->previous->bottom, &sim->previous->bottom_size);
#endif
    DN_ASSERT(sim->current->state == SIM_READY); /* I1 */
}

static void sim_go(struct sim *sim, struct sim_fiber *to)
{
    struct sim_fiber *from = sim->current;

    sim->previous = from;
    sim->current = to;
#ifdef SIM_ASAN
    __sanitizer_start_switch_fiber(
        from->state == SIM_DONE ? NULL : &from->asan_fake, to->bottom, to->bottom_size);
#endif
#ifdef SIM_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    DN_ASSERT(swapcontext(&from->context, &to->context) == 0);
    sim_arrive(sim);
}

DN_NORETURN static void sim_deadlock(struct sim *sim)
{
    (void)fprintf(stderr, "dendro: deadlock under the simulated scheduler:\n");
    for (struct sim_fiber *f = &sim->main; f; f = f->next) {
        if (f->state == SIM_BLOCKED)
            (void)fprintf(
                stderr, "  '%s' waits for %s '%s'\n", f->base.name, f->waits_kind, f->waits_name);
    }
    abort();
}

static void sim_wake(struct sim_fiber *f, bool timed_out)
{
    f->state = SIM_READY;
    f->waits_for = NULL;
    f->wake_at = UINT64_MAX;
    f->timed_out = timed_out;
}

/* Time jumps to the next timer; all that are due then become ready. */
static void sim_fire_timers(struct sim *sim)
{
    uint64_t next = UINT64_MAX;

    for (struct sim_fiber *f = &sim->main; f; f = f->next)
        if (f->state == SIM_BLOCKED && f->wake_at < next)
            next = f->wake_at;
    if (next == UINT64_MAX)
        sim_deadlock(sim);
    if (next > sim->now_ns)
        sim->now_ns = next;
    for (struct sim_fiber *f = &sim->main; f; f = f->next)
        if (f->state == SIM_BLOCKED && f->wake_at <= next)
            sim_wake(f, true);
}

/* The switch point: picks the fiber that runs next. Returns when the caller is picked again. */
static void sim_switch(struct sim *sim)
{
    struct sim_fiber *f;
    size_t ready = 0;
    size_t pick;

    for (f = &sim->main; f; f = f->next) {
        if (f->state == SIM_BLOCKED && f->wake_at <= sim->now_ns)
            sim_wake(f, true);
        ready += f->state == SIM_READY;
    }
    if (ready == 0) {
        sim_fire_timers(sim);
        for (f = &sim->main; f; f = f->next)
            ready += f->state == SIM_READY;
    }
    pick = sim_choose(sim, ready);
    for (f = &sim->main; f; f = f->next) {
        if (f->state == SIM_READY && pick-- == 0)
            break;
    }
    if (f != sim->current)
        sim_go(sim, f);
}

/* Waits for a thing, a timer or both. False: the timer was first. */
static bool
sim_block(struct sim *sim, const void *what, const char *kind, const char *name, uint64_t wake_at)
{
    struct sim_fiber *f = sim->current;

    f->state = SIM_BLOCKED;
    f->waits_for = what;
    f->waits_kind = kind;
    f->waits_name = name;
    f->wake_at = wake_at;
    sim_switch(sim);
    return !f->timed_out;
}

static void sim_wake_all(struct sim *sim, const void *what)
{
    for (struct sim_fiber *f = &sim->main; f; f = f->next)
        if (f->state == SIM_BLOCKED && f->waits_for == what)
            sim_wake(f, false);
}

static void sim_pass(struct sched *s)
{
    sim_switch(sim_of(s));
}

static void sim_sleep_ns(struct sched *s, uint64_t ns)
{
    struct sim *sim = sim_of(s);

    (void)sim_block(sim, NULL, "a timer", "", sched_deadline(sim->now_ns, ns));
}

/* -- tasks ------------------------------------------------------------------------- */

static void sim_fiber_main(unsigned high, unsigned low)
{
    struct sim_fiber *f = (struct sim_fiber *)((uintptr_t)high << 32 | (uintptr_t)low);
    struct sim *sim = (struct sim *)f->base.sched;

    sim_arrive(sim);
    f->base.fn(f->base.arg);
    f->state = SIM_DONE;
    sim_wake_all(sim, f);
    sim_switch(sim);
    dn_assert_failed("a finished fiber is never picked", __FILE__, __LINE__);
}

static int sim_spawn(struct sched *s,
                     const char *name,
                     sched_fn fn,
                     void *arg,
                     struct sched_task **ret_task,
                     struct dn_err *err)
{
    struct sim *sim = sim_of(s);
    struct sim_fiber *f = mem_calloc(NULL, 1, sizeof *f);
    struct sim_fiber *last = &sim->main;

    if (!f || !sim_stack_new(sim, &f->stack)) {
        mem_free(f);
        return DN_FAIL_NOMEM(err);
    }
    f->base.sched = s;
    f->base.name = name;
    f->base.fn = fn;
    f->base.arg = arg;
    f->state = SIM_READY;
    f->wake_at = UINT64_MAX;
    f->bottom = f->stack.map + sim->page;
    f->bottom_size = f->stack.size - sim->page;
#ifdef SIM_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
    DN_ASSERT(getcontext(&f->context) == 0);
    f->context.uc_stack.ss_sp = f->stack.map + sim->page;
    f->context.uc_stack.ss_size = f->bottom_size;
    f->context.uc_link = NULL;
    /* makecontext hands on ints; a pointer goes in two halves. */
    makecontext(&f->context,
                (void (*)(void))sim_fiber_main,
                2,
                (unsigned)((uintptr_t)f >> 32),
                (unsigned)((uintptr_t)f & UINT32_MAX));
    while (last->next)
        last = last->next;
    last->next = f; /* I3 */
    *ret_task = &f->base;
    sim_switch(sim);
    return 0;
}

static void sim_join(struct sched_task *task)
{
    struct sim *sim = sim_of(task->sched);
    struct sim_fiber *f = (struct sim_fiber *)task;
    struct sim_fiber *before = &sim->main;

    DN_ASSERT(f != sim->current);
    sim_switch(sim);
    while (f->state != SIM_DONE)
        (void)sim_block(sim, f, "task", f->base.name, UINT64_MAX);
    while (before->next != f)
        before = before->next;
    before->next = f->next;
#ifdef SIM_TSAN
    __tsan_destroy_fiber(f->tsan);
#endif
    if (sim->previous == f)
        sim->previous = sim->current;
    sim_stack_free(sim, &f->stack);
    mem_free(f);
}

static void sim_free(struct sched *s)
{
    struct sim *sim = sim_of(s);

    DN_ASSERT(sim->current == &sim->main);
    DN_ASSERT(!sim->main.next); /* all tasks joined */
    sim_stacks_drop(sim);
    mem_free(sim);
}

/* -- mutexes and conditions -------------------------------------------------------- */

static struct sched_mutex *sim_mutex_new(struct sched *s, const char *name)
{
    struct sim_mutex *m = mem_calloc(NULL, 1, sizeof *m);

    if (!m)
        return NULL;
    m->base.sched = s;
    m->base.name = name;
    return &m->base;
}

static void sim_mutex_free(struct sched_mutex *base)
{
    struct sim_mutex *m = (struct sim_mutex *)base;

    DN_ASSERT(!m->owner);
    mem_free(m);
}

static void sim_acquire(struct sim *sim, struct sim_mutex *m)
{
    DN_ASSERT(m->owner != sim->current);
    while (m->owner)
        (void)sim_block(sim, m, "mutex", m->base.name, UINT64_MAX);
    m->owner = sim->current;
}

static void sim_release(struct sim *sim, struct sim_mutex *m)
{
    DN_ASSERT(m->owner == sim->current);
    m->owner = NULL;
    sim_wake_all(sim, m);
}

static void sim_lock(struct sched_mutex *base)
{
    struct sim *sim = sim_of(base->sched);

    sim_switch(sim);
    sim_acquire(sim, (struct sim_mutex *)base);
}

static void sim_unlock(struct sched_mutex *base)
{
    struct sim *sim = sim_of(base->sched);

    sim_release(sim, (struct sim_mutex *)base);
    sim_switch(sim);
}

static struct sched_cond *sim_cond_new(struct sched *s, const char *name)
{
    struct sim_cond *c = mem_calloc(NULL, 1, sizeof *c);

    if (!c)
        return NULL;
    c->base.sched = s;
    c->base.name = name;
    return &c->base;
}

static void sim_cond_free(struct sched_cond *c)
{
    struct sim *sim = sim_of(c->sched);

    for (struct sim_fiber *f = &sim->main; f; f = f->next)
        DN_ASSERT(f->waits_for != c);
    mem_free(c);
}

static bool sim_wait(struct sched_cond *c, struct sched_mutex *mutex, uint64_t timeout_ns)
{
    struct sim *sim = sim_of(c->sched);
    struct sim_mutex *m = (struct sim_mutex *)mutex;
    bool in_time = true;

    sim_release(sim, m);
    if (sim_choose(sim, SIM_SPURIOUS_ONE_IN) == 0)
        sim_switch(sim);
    else
        in_time = sim_block(sim, c, "condition", c->name, sched_deadline(sim->now_ns, timeout_ns));
    sim_acquire(sim, m);
    return in_time;
}

static void sim_signal(struct sched_cond *c)
{
    struct sim *sim = sim_of(c->sched);
    size_t waiters = 0;
    size_t pick;

    for (struct sim_fiber *f = &sim->main; f; f = f->next)
        waiters += f->state == SIM_BLOCKED && f->waits_for == c;
    if (waiters > 0) {
        pick = sim_choose(sim, waiters);
        for (struct sim_fiber *f = &sim->main; f; f = f->next) {
            if (f->state == SIM_BLOCKED && f->waits_for == c && pick-- == 0) {
                sim_wake(f, false);
                break;
            }
        }
    }
    sim_switch(sim);
}

static void sim_broadcast(struct sched_cond *c)
{
    struct sim *sim = sim_of(c->sched);

    sim_wake_all(sim, c);
    sim_switch(sim);
}

/* -- the rest ---------------------------------------------------------------------- */

static uint64_t sim_now_ns(struct sched *s)
{
    return sim_of(s)->now_ns;
}

static uint64_t sim_random(struct sched *s)
{
    return sim_next(&sim_of(s)->random_state);
}

const struct sched_ops sched_sim_ops = {
    .free = sim_free,
    .now_ns = sim_now_ns,
    .random = sim_random,
    .spawn = sim_spawn,
    .join = sim_join,
    .pass = sim_pass,
    .sleep_ns = sim_sleep_ns,
    .mutex_new = sim_mutex_new,
    .mutex_free = sim_mutex_free,
    .lock = sim_lock,
    .unlock = sim_unlock,
    .cond_new = sim_cond_new,
    .cond_free = sim_cond_free,
    .wait = sim_wait,
    .signal = sim_signal,
    .broadcast = sim_broadcast,
};

void sched_sim_advance(struct sched *s, uint64_t ns)
{
    DN_ASSERT(sched_is_sim(s));
    sim_sleep_ns(s, ns);
}

void sched_sim_set_stack(struct sched *s, size_t bytes)
{
    struct sim *sim;

    DN_ASSERT(sched_is_sim(s));
    sim = sim_of(s);
    if (bytes < SIM_STACK_MIN)
        bytes = SIM_STACK_MIN;
    sim_stacks_drop(sim);
    sim->stack_size = (bytes + sim->page - 1) / sim->page * sim->page + sim->page;
}

struct sched *sched_sim_new(uint64_t seed, struct dn_err *err)
{
    struct sim *sim = mem_calloc(NULL, 1, sizeof *sim);

    if (!sim) {
        DN_IGNORE(DN_FAIL_NOMEM(err)); /* the NULL below says it */
        return NULL;
    }
    sim->base.ops = &sched_sim_ops;
    sim->base.cores = 2;
    sim->main.base.sched = &sim->base;
    sim->main.base.name = "main";
    sim->main.state = SIM_READY;
    sim->main.wake_at = UINT64_MAX;
    sim->current = &sim->main;
    sim->previous = &sim->main;
    sim->page = (size_t)sysconf(_SC_PAGESIZE);
    sim->choice_state = seed;
    sim->random_state = sim_next(&sim->choice_state);
    sim->thread = pthread_self();
#ifdef SIM_TSAN
    sim->main.tsan = __tsan_get_current_fiber();
#endif
    sched_sim_set_stack(&sim->base, SIM_STACK_DEFAULT);
    return &sim->base;
}

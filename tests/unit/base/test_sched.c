/* SPDX-License-Identifier: Apache-2.0
 *
 * Both schedulers under the same tests, then what only the simulated one promises: one seed, one
 * interleaving; time that moves only when all wait. */
#include "base/mem.h"
#include "base/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

struct maker {
    bool sim;         /* which scheduler */
    uint64_t seed;    /* of sim */
    unsigned threads; /* of threads */
};

static struct sched *make(void **state)
{
    const struct maker *maker = *state;
    struct sched *s =
        maker->sim ? sched_sim_new(maker->seed, NULL) : sched_threads_new(maker->threads, NULL);

    assert_non_null(s);
    assert_int_equal(sched_is_sim(s), maker->sim);
    return s;
}

static struct sched_task *spawn(struct sched *s, const char *name, sched_fn fn, void *arg)
{
    struct sched_task *task = NULL;

    DN_ASSERT(sched_spawn(s, name, fn, arg, &task, NULL) == 0); /* cmocka's needs its own thread */
    return task;
}

/* -- a counter under a mutex -------------------------------------------- */

struct counter {
    struct sched *s;
    struct sched_mutex *m;
    int value;    /* under m */
    int inside;   /* how many are in the critical section */
    int overlaps; /* how often somebody was there already */
};

static void counter_run(void *arg)
{
    struct counter *c = arg;

    for (int i = 0; i < 20; i++) {
        int seen;
        sched_lock(c->m);
        c->overlaps += c->inside++ != 0;
        seen = c->value;
        sched_pass(c->s); /* a lost update if the mutex does not hold */
        c->value = seen + 1;
        c->inside--;
        sched_unlock(c->m);
    }
}

static void a_mutex_lets_one_in(void **state)
{
    struct counter c = {.s = make(state)};
    struct sched_task *tasks[50];

    c.m = sched_mutex_new(c.s, "counter");
    assert_non_null(c.m);
    for (size_t i = 0; i < DN_ARRAY_SIZE(tasks); i++)
        tasks[i] = spawn(c.s, "counter", counter_run, &c);
    for (size_t i = 0; i < DN_ARRAY_SIZE(tasks); i++)
        sched_join(tasks[i]);
    assert_int_equal(c.value, 50 * 20);
    assert_int_equal(c.overlaps, 0);
    sched_mutex_free(c.m);
    sched_free(c.s);
}

/* -- producers and consumers --------------------------------------------- */

struct queue {
    struct sched_mutex *m;
    struct sched_cond *not_empty;
    struct sched_cond *not_full;
    int items[4];
    int count;
    bool closed;
    int produced;
    int64_t consumed_sum;
};

static void queue_produce(void *arg)
{
    struct queue *q = arg;

    for (int i = 0; i < 50; i++) {
        sched_lock(q->m);
        while (q->count == 4)
            sched_wait(q->not_full, q->m);
        q->items[q->count++] = ++q->produced;
        sched_signal(q->not_empty);
        sched_unlock(q->m);
    }
}

static void queue_consume(void *arg)
{
    struct queue *q = arg;

    for (;;) {
        sched_lock(q->m);
        while (q->count == 0 && !q->closed)
            sched_wait(q->not_empty, q->m);
        if (q->count == 0) {
            sched_unlock(q->m);
            return;
        }
        q->consumed_sum += q->items[--q->count];
        sched_signal(q->not_full);
        sched_unlock(q->m);
    }
}

static void conditions_hand_work_over(void **state)
{
    struct sched *s = make(state);
    struct queue q = {.m = sched_mutex_new(s, "queue"),
                      .not_empty = sched_cond_new(s, "not empty"),
                      .not_full = sched_cond_new(s, "not full")};
    struct sched_task *producers[2];
    struct sched_task *consumers[2];

    for (int i = 0; i < 2; i++) {
        consumers[i] = spawn(s, "consumer", queue_consume, &q);
        producers[i] = spawn(s, "producer", queue_produce, &q);
    }
    for (int i = 0; i < 2; i++)
        sched_join(producers[i]);
    sched_lock(q.m);
    q.closed = true;
    sched_broadcast(q.not_empty);
    sched_unlock(q.m);
    for (int i = 0; i < 2; i++)
        sched_join(consumers[i]);
    assert_int_equal(q.consumed_sum, 100 * 101 / 2);
    sched_cond_free(q.not_empty);
    sched_cond_free(q.not_full);
    sched_mutex_free(q.m);
    sched_free(s);
}

/* -- timed waits ------------------------------------------------------------ */

struct bell {
    struct sched *s;
    struct sched_mutex *m;
    struct sched_cond *c;
    uint64_t after_ns;
    bool rung;
};

static void bell_ring(void *arg)
{
    struct bell *b = arg;

    sched_sleep_ns(b->s, b->after_ns);
    sched_lock(b->m);
    b->rung = true;
    sched_signal(b->c);
    sched_unlock(b->m);
}

/* Waits for the bell until the deadline; whether it rang. */
static bool bell_wait(struct bell *b, uint64_t timeout_ns)
{
    uint64_t deadline = sched_now_ns(b->s) + timeout_ns;
    bool rung;

    sched_lock(b->m);
    while (!b->rung && sched_now_ns(b->s) < deadline)
        DN_IGNORE(sched_wait_ns(b->c, b->m, deadline - sched_now_ns(b->s))); /* the loop asks */
    rung = b->rung;
    sched_unlock(b->m);
    return rung;
}

static void timed_waits_end_either_way(void **state)
{
    struct bell b = {.s = make(state)};
    struct sched_task *task;
    uint64_t start;

    b.m = sched_mutex_new(b.s, "bell");
    b.c = sched_cond_new(b.s, "bell");
    start = sched_now_ns(b.s);
    assert_false(bell_wait(&b, 20 * MS));
    assert_true(sched_now_ns(b.s) - start >= 20 * MS);
    b.after_ns = 10 * MS;
    task = spawn(b.s, "ringer", bell_ring, &b);
    assert_true(bell_wait(&b, 30 * S));
    assert_true(sched_now_ns(b.s) - start < 30 * S);
    sched_join(task);
    start = sched_now_ns(b.s);
    sched_sleep_ns(b.s, 5 * MS);
    assert_true(sched_now_ns(b.s) - start >= 5 * MS);
    sched_lock(b.m);
    while (sched_wait_ns(b.c, b.m, 0)) /* true only for wake-ups without a reason */
        ;
    sched_unlock(b.m);
    sched_cond_free(b.c);
    sched_mutex_free(b.m);
    sched_free(b.s);
}

/* -- many and nested tasks ----------------------------------------------------- */

struct tree {
    struct sched *s;
    int depth;
    _Atomic int *leaves;
};

static void tree_run(void *arg)
{
    const struct tree *t = arg;
    struct tree child = {t->s, t->depth - 1, t->leaves};
    struct sched_task *tasks[3];

    if (t->depth == 0) {
        atomic_fetch_add(t->leaves, 1);
        return;
    }
    for (int i = 0; i < 3; i++)
        tasks[i] = spawn(t->s, "tree", tree_run, &child);
    for (int i = 0; i < 3; i++)
        sched_join(tasks[i]);
}

/* 121 tasks that wait for their children, on fewer threads than that. */
static void tasks_may_wait_for_tasks(void **state)
{
    _Atomic int leaves = 0;
    struct tree root = {.s = make(state), .depth = 4, .leaves = &leaves};

    tree_run(&root);
    assert_int_equal(atomic_load(&leaves), 81);
    sched_free(root.s);
}

static void add_one(void *arg)
{
    _Atomic int *n = arg;

    atomic_fetch_add(n, 1);
}

static void many_tasks_all_run(void **state)
{
    struct sched *s = make(state);
    struct sched_task *tasks[500];
    _Atomic int n = 0;

    for (size_t i = 0; i < DN_ARRAY_SIZE(tasks); i++)
        tasks[i] = spawn(s, "one", add_one, &n);
    for (size_t i = DN_ARRAY_SIZE(tasks); i > 0; i--)
        sched_join(tasks[i - 1]);
    assert_int_equal(atomic_load(&n), 500);
    assert_true(sched_random(s) != sched_random(s));
    sched_free(s);
}

static void no_memory_is_an_error(void **state)
{
    size_t before = mem_process_used();
    struct dn_err err = {0};
    struct sched *s;
    struct sched_task *task = NULL;
    const struct maker *maker = *state;
    _Atomic int n = 0;

    mem_fail_nth(1, true);
    s = maker->sim ? sched_sim_new(1, &err) : sched_threads_new(2, &err);
    assert_null(s);
    assert_int_equal(err.code, DN_E_NOMEM);
    mem_fail_nth(0, false);
    s = make(state);
    dn_err_clear(&err);
    mem_fail_nth(1, true);
    assert_int_equal(sched_spawn(s, "one", add_one, &n, &task, &err), DN_E_NOMEM);
    assert_int_equal(err.code, DN_E_NOMEM);
    assert_null(sched_mutex_new(s, "m"));
    assert_null(sched_cond_new(s, "c"));
    mem_fail_nth(0, false);
    sched_free(s);
    sched_free(NULL);
    assert_int_equal(mem_process_used(), before);
}

/* -- only the threads ------------------------------------------------------------ */

static void a_pool_has_a_sensible_size(void **state)
{
    struct dn_err err;

    (void)state;
    assert_null(sched_threads_new(0, &err));
    assert_int_equal(err.code, DN_E_INVALID_PARAM);
    assert_null(sched_threads_new(1000000, &err));
    assert_int_equal(err.code, DN_E_INVALID_PARAM);
}

/* -- only the simulated one -------------------------------------------------------- */

#define TRACE_MAX 4096

struct trace {
    struct sched *s;
    struct sched_mutex *m;
    struct sched_cond *c;
    char text[TRACE_MAX]; /* one letter per step */
    size_t len;
    int turns;
};

struct tracer {
    struct trace *trace;
    char letter;
};

static void trace_step(struct trace *t, char letter)
{
    DN_ASSERT(t->len < TRACE_MAX - 1);
    t->text[t->len++] = letter;
}

static void tracer_run(void *arg)
{
    const struct tracer *me = arg;
    struct trace *t = me->trace;

    for (int i = 0; i < 10; i++) {
        trace_step(t, me->letter);
        sched_lock(t->m);
        trace_step(t, me->letter);
        t->turns++;
        sched_signal(t->c);
        if (t->turns % 3 == 0)
            DN_IGNORE(sched_wait_ns(t->c, t->m, 1 + sched_random(t->s) % 1000)); /* any way out */
        sched_unlock(t->m);
        sched_pass(t->s);
        if (i % 4 == 0)
            sched_sleep_ns(t->s, 1 + sched_random(t->s) % 1000);
    }
}

static void trace_make(uint64_t seed, struct trace *t)
{
    struct tracer tracers[6];
    struct sched_task *tasks[6];

    memset(t, 0, sizeof *t);
    t->s = sched_sim_new(seed, NULL);
    t->m = sched_mutex_new(t->s, "trace");
    t->c = sched_cond_new(t->s, "trace");
    for (int i = 0; i < 6; i++) {
        tracers[i].trace = t;
        tracers[i].letter = (char)('a' + i);
        tasks[i] = spawn(t->s, "tracer", tracer_run, &tracers[i]);
    }
    for (int i = 0; i < 6; i++)
        sched_join(tasks[i]);
    assert_true(sched_now_ns(t->s) > 0);
    sched_cond_free(t->c);
    sched_mutex_free(t->m);
    sched_free(t->s);
}

static void one_seed_is_one_interleaving(void **state)
{
    static struct trace first;
    static struct trace again;
    static struct trace other;
    int different = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        trace_make(seed, &first);
        trace_make(seed, &again);
        trace_make(seed + 1000, &other);
        assert_int_equal(first.len, 120);
        assert_string_equal(first.text, again.text);
        different += strcmp(first.text, other.text) != 0;
    }
    assert_int_equal(different, 20);
}

struct ticker {
    struct sched *s;
    uint64_t period_ns;
    uint64_t until_ns;
    int ticks;
};

static void ticker_run(void *arg)
{
    struct ticker *t = arg;

    while (sched_now_ns(t->s) + t->period_ns <= t->until_ns) {
        sched_sleep_ns(t->s, t->period_ns);
        t->ticks++;
    }
}

static void virtual_time_moves_only_by_timers(void **state)
{
    struct ticker fast = {.period_ns = 1 * S, .until_ns = 3600 * S};
    struct ticker slow = {.period_ns = 60 * S, .until_ns = 3600 * S};
    struct sched *s = make(state);
    struct sched_task *tasks[2];

    fast.s = slow.s = s;
    tasks[0] = spawn(s, "fast", ticker_run, &fast);
    tasks[1] = spawn(s, "slow", ticker_run, &slow);
    for (int i = 0; i < 100; i++)
        sched_pass(s);
    assert_int_equal(sched_now_ns(s), 0); /* somebody could always run */
    sched_sim_advance(s, 90 * S + 1);
    assert_int_equal(sched_now_ns(s), 90 * S + 1);
    assert_int_equal(fast.ticks, 90); /* each tick at its own instant */
    assert_int_equal(slow.ticks, 1);
    sched_join(tasks[0]);
    sched_join(tasks[1]);
    assert_int_equal(sched_now_ns(s), 3600 * S);
    assert_int_equal(fast.ticks, 3600);
    assert_int_equal(slow.ticks, 60);
    sched_free(s);
}

static int deep_sum(int n)
{
    volatile char room[512];

    room[0] = (char)n;
    return n == 0 ? 0 : room[0] - room[0] + n + deep_sum(n - 1);
}

static void deep_run(void *arg)
{
    int *sum = arg;

    *sum = deep_sum(1000);
}

static void stacks_can_be_larger(void **state)
{
    struct sched *s = make(state);
    int sum = 0;

    sched_sim_set_stack(s, 8 * 1024 * 1024);
    sched_join(spawn(s, "deep", deep_run, &sum));
    assert_int_equal(sum, 500500);
    sched_free(s);
}

int main(void)
{
    static struct maker threads = {.threads = 4};
    static struct maker single = {.threads = 1};
    static struct maker sim = {.sim = true, .seed = 42};
#define ON(maker, fn)                             \
    {                                             \
#fn " on " #maker, fn, NULL, NULL, &maker \
    }
    const struct CMUnitTest tests[] = {
        ON(threads, a_mutex_lets_one_in),
        ON(sim, a_mutex_lets_one_in),
        ON(threads, conditions_hand_work_over),
        ON(sim, conditions_hand_work_over),
        ON(threads, timed_waits_end_either_way),
        ON(sim, timed_waits_end_either_way),
        ON(threads, tasks_may_wait_for_tasks),
        ON(single, tasks_may_wait_for_tasks),
        ON(sim, tasks_may_wait_for_tasks),
        ON(threads, many_tasks_all_run),
        ON(single, many_tasks_all_run),
        ON(sim, many_tasks_all_run),
        ON(threads, no_memory_is_an_error),
        ON(sim, no_memory_is_an_error),
        ON(threads, a_pool_has_a_sensible_size),
        ON(sim, one_seed_is_one_interleaving),
        ON(sim, virtual_time_moves_only_by_timers),
        ON(sim, stacks_can_be_larger),
    };

    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}

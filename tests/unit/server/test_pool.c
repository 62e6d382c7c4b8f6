/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pool.c: every job runs once, also those that queue others and those left at the end. */
#include "server/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

#define JOBS 1000

struct counted {
    struct srv_job job;
    struct srv_pool *pool;
    atomic_int runs;
    int again; /* so often it queues itself */
};

static void counted_run(struct srv_job *job)
{
    struct counted *c = (struct counted *)job;

    atomic_fetch_add(&c->runs, 1);
    if (c->again > 0) {
        c->again--;
        srv_pool_submit(c->pool, job);
    }
}

static void all_run(void **state)
{
    static struct counted jobs[JOBS];
    struct srv_pool *pool;

    (void)state;
    assert_int_equal(srv_pool_new(4, 0, &pool, NULL), 0);
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = (struct counted){.job = {.run = counted_run}, .pool = pool, .again = i % 3};
        srv_pool_submit(pool, &jobs[i].job);
    }
    assert_in_range(srv_pool_workers(pool), 1, 4);
    srv_pool_free(pool);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(atomic_load(&jobs[i].runs), 1 + i % 3);
}

static void nothing_to_do(void **state)
{
    struct srv_pool *pool;

    (void)state;
    assert_int_equal(srv_pool_new(1, 0, &pool, NULL), 0);
    assert_false(srv_pool_waiting(pool));
    srv_pool_free(pool);
    srv_pool_free(NULL);
}

struct stuck {
    struct srv_job job;
    struct srv_pool *pool;
    atomic_int *go;
    atomic_int done;
    bool pauses;
};

static void stuck_run(struct srv_job *job)
{
    struct stuck *s = (struct stuck *)job;

    if (s->pauses)
        srv_pool_pause(s->pool);
    while (!atomic_load(s->go))
        ;
    if (s->pauses)
        srv_pool_resume(s->pool);
    atomic_store(&s->done, 1);
}

/* One that never ends by itself does not keep the next from its turn. */
static void others_get_a_turn(void **state)
{
    struct srv_pool *pool;

    (void)state;
    for (int pauses = 0; pauses < 2; pauses++) {
        atomic_int go = 0;
        struct stuck first = {.job = {.run = stuck_run}, .go = &go, .pauses = pauses};
        struct counted next = {.job = {.run = counted_run}};

        assert_int_equal(srv_pool_new(1, 1, &pool, NULL), 0);
        first.pool = next.pool = pool;
        srv_pool_submit(pool, &first.job);
        srv_pool_submit(pool, &next.job);
        while (!atomic_load(&next.runs)) /* twice without progress, and there is one more */
            if (!pauses)
                srv_pool_relieve(pool);
        assert_int_equal(atomic_load(&first.done), 0);
        assert_int_equal(srv_pool_workers(pool), 2);
        atomic_store(&go, 1);
        srv_pool_free(pool);
        assert_int_equal(atomic_load(&first.done), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_run),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(others_get_a_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

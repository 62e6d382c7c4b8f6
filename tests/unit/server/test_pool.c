/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pool.c: every job runs once, also those that queue others and those left at the end; sockets
 * are heard, also when workers are busy for long. */
#include "server/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* ---- sockets ---- */

#define PAIRS  20
#define PIECES 500

struct heard {
    struct srv_job job;
    struct srv_pool *pool;
    int fd;
    int other;
    int count;      /* bytes that came; whose turn it is writes it */
    atomic_int *go; /* not NULL: the first byte takes until it is set */
    atomic_bool stuck;
};

static void heard_run(struct srv_job *job)
{
    struct heard *h = (struct heard *)job;
    char byte;
    int fd = h->fd;

    DN_ASSERT(read(h->fd, &byte, 1) == 1);
    if (h->go) {
        atomic_store(&h->stuck, true);
        while (!atomic_load(h->go))
            ;
    }
    h->count++;
    if (h->count < PIECES)
        DN_ASSERT(srv_pool_arm(h->pool, fd, &h->job, false, false) == 0);
    DN_ASSERT(write(fd, &byte, 1) == 1); /* h may be another worker's already */
}

static void heard_open(struct heard *h, struct srv_pool *pool)
{
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    *h = (struct heard){.job = {.run = heard_run}, .pool = pool, .fd = pair[0], .other = pair[1]};
    assert_int_equal(srv_pool_arm(pool, h->fd, &h->job, false, true), 0);
}

static void heard_ask(const struct heard *h)
{
    assert_int_equal(write(h->other, "x", 1), 1);
}

static void heard_answered(const struct heard *h)
{
    char byte;

    assert_int_equal(read(h->other, &byte, 1), 1);
}

static void heard_close(struct heard *h)
{
    close(h->fd);
    close(h->other);
}

/* Each byte is answered, by one worker at a time, beside jobs of the queue. */
static void sockets_are_heard(void **state)
{
    static struct heard heard[PAIRS];
    static struct counted jobs[PIECES];
    struct srv_pool *pool;

    (void)state;
    assert_int_equal(srv_pool_new(4, 0, &pool, NULL), 0);
    for (int i = 0; i < PAIRS; i++)
        heard_open(&heard[i], pool);
    for (int n = 0; n < PIECES; n++) {
        for (int i = 0; i < PAIRS; i++)
            heard_ask(&heard[i]);
        jobs[n] = (struct counted){.job = {.run = counted_run}, .pool = pool};
        srv_pool_submit(pool, &jobs[n].job);
        for (int i = 0; i < PAIRS; i++)
            heard_answered(&heard[i]);
    }
    srv_pool_free(pool);
    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(heard[i].count, PIECES);
        heard_close(&heard[i]);
    }
    for (int n = 0; n < PIECES; n++)
        assert_int_equal(atomic_load(&jobs[n].runs), 1);
}

/* All that look have something that does not end: another one looks, if the pool is relieved. */
static void sockets_are_relieved(void **state)
{
    struct heard stuck[8];
    struct heard short_one;
    struct srv_pool *pool;
    atomic_int go = 0;

    (void)state;
    assert_int_equal(srv_pool_new(1, DN_ARRAY_SIZE(stuck) + 1, &pool, NULL), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(stuck); i++) {
        heard_open(&stuck[i], pool);
        stuck[i].go = &go;
        heard_ask(&stuck[i]);
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(stuck); i++)
        while (!atomic_load(&stuck[i].stuck))
            srv_pool_relieve(pool);
    heard_open(&short_one, pool);
    heard_ask(&short_one);
    while (recv(short_one.other, &(char){0}, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
        srv_pool_relieve(pool);
    heard_answered(&short_one);
    assert_in_range(srv_pool_workers(pool), DN_ARRAY_SIZE(stuck) + 1, DN_ARRAY_SIZE(stuck) + 2);
    atomic_store(&go, 1);
    for (size_t i = 0; i < DN_ARRAY_SIZE(stuck); i++)
        heard_answered(&stuck[i]);
    srv_pool_free(pool);
    for (size_t i = 0; i < DN_ARRAY_SIZE(stuck); i++)
        heard_close(&stuck[i]);
    heard_close(&short_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_run),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(others_get_a_turn),
        cmocka_unit_test(sockets_are_heard),
        cmocka_unit_test(sockets_are_relieved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

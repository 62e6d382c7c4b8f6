/* SPDX-License-Identifier: Apache-2.0
 *
 * test_throttle.c: guesses are counted by role and address, for a minute, however they come. */
#include "server/throttle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct fixture {
    struct sched *sched;
    struct throttle *t;
};

static void setup(struct fixture *f)
{
    f->sched = sched_sim_new(1, NULL);
    assert_non_null(f->sched);
    sched_sim_advance(f->sched, 2 * (uint64_t)THROTTLE_NS);
    f->t = throttle_new(f->sched, NULL);
    assert_non_null(f->t);
}

static void teardown(struct fixture *f)
{
    throttle_free(f->t);
    throttle_free(NULL);
    sched_free(f->sched);
}

/* Was it let in to guess? */
static bool guess(struct fixture *f, const char *role, const char *peer, bool right)
{
    struct throttle_who who = {.role = role, .peer = peer};
    struct throttle_guess g;
    bool full = throttle_full(f->t, &who);

    if (!throttle_begin(f->t, &who, &g)) {
        assert_true(full);
        return false;
    }
    assert_false(full);
    throttle_end(f->t, &g, right);
    return true;
}

static unsigned wrong(struct fixture *f, const char *role, const char *peer, unsigned tries)
{
    unsigned n = 0;

    for (unsigned i = 0; i < tries; i++)
        n += guess(f, role, peer, false);
    return n;
}

static void pair(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(wrong(&f, "alice", "10.0.0.1:1", 9), 9);
    assert_true(guess(&f, "mallory", "10.0.0.1:2", true)); /* clears nothing of alice's */
    assert_int_equal(wrong(&f, "alice", "10.0.0.1:3", 9), 1);
    assert_false(guess(&f, "alice", "10.0.0.1:4", true));
    assert_true(guess(&f, "alice", "10.0.0.2:1", true));
    sched_sim_advance(f.sched, THROTTLE_NS);
    assert_int_equal(wrong(&f, "alice", "10.0.0.1:5", 9), 9);
    assert_true(guess(&f, "alice", "10.0.0.1:6", true)); /* its own: begins anew */
    assert_int_equal(wrong(&f, "alice", "10.0.0.1:7", 20), THROTTLE_PAIR);
    teardown(&f);
}

static void address(void **state)
{
    struct fixture f;
    char role[32];
    unsigned n = 0;

    (void)state;
    setup(&f);
    assert_true(guess(&f, "known", "[x]:1", true));
    for (int i = 0; i < 50; i++) {
        snprintf(role, sizeof role, "role%d", i);
        n += guess(&f, role, "[x]:1", false);
    }
    assert_int_equal(n, THROTTLE_ADDRESS);
    assert_true(guess(&f, "known", "[x]:2", true)); /* it was there before */
    assert_false(guess(&f, "unknown", "[x]:2", true));
    assert_true(guess(&f, "unknown", "[y]:2", true));
    teardown(&f);
}

/* Of IPv6 one has as many addresses as one likes. */
static void networks(void **state)
{
    struct fixture f;
    char peer[64];
    unsigned n = 0;

    (void)state;
    setup(&f);
    for (int i = 0; i < 50; i++) {
        snprintf(peer, sizeof peer, "2001:db8:1:2::%x:5432", i + 1);
        n += guess(&f, "alice", peer, false);
    }
    assert_int_equal(n, THROTTLE_PAIR);
    assert_true(guess(&f, "alice", "2001:db8:1:3::1:5432", false));
    teardown(&f);
}

static void role(void **state)
{
    struct fixture f;
    char peer[64];
    unsigned n = 0;

    (void)state;
    setup(&f);
    assert_true(guess(&f, "alice", "10.9.9.9:1", true));
    for (int i = 0; i < 500; i++) {
        snprintf(peer, sizeof peer, "10.0.%d.%d:5432", i / 200, i % 200);
        n += guess(&f, "alice", peer, false);
    }
    assert_int_equal(n, THROTTLE_ROLE);
    assert_false(guess(&f, "alice", "10.8.8.8:1", true));
    assert_true(guess(&f, "alice", "10.9.9.9:2", true)); /* where she comes from */
    assert_true(guess(&f, "bob", "10.8.8.8:1", true));
    sched_sim_advance(f.sched, THROTTLE_NS);
    assert_true(guess(&f, "alice", "10.8.8.8:1", true));
    teardown(&f);
}

/* ---- those under way ---- */

struct guesser {
    struct fixture *f;
    unsigned *taken;
    bool right;
};

static void guesser_run(void *arg)
{
    struct guesser *g = arg;
    struct throttle_who who = {.role = "alice", .peer = "10.0.0.1:1"};
    struct throttle_guess guess;

    if (!throttle_begin(g->f->t, &who, &guess))
        return;
    ++*g->taken;
    sched_sleep_ns(g->f->sched, 1000000); /* hashing */
    throttle_end(g->f->t, &guess, g->right);
}

static unsigned at_once(bool right)
{
    struct fixture f;
    struct sched_task *tasks[100];
    unsigned taken = 0;
    struct guesser g = {.f = &f, .taken = &taken, .right = right};

    setup(&f);
    for (size_t i = 0; i < DN_ARRAY_SIZE(tasks); i++)
        assert_int_equal(sched_spawn(f.sched, "guess", guesser_run, &g, &tasks[i], NULL), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(tasks); i++)
        sched_join(tasks[i]);
    teardown(&f);
    return taken;
}

static void under_way(void **state)
{
    (void)state;
    assert_int_equal(at_once(false), THROTTLE_PAIR);
    assert_int_equal(at_once(true), 100);
}

/* A flood of names takes no memory, and does not clear what counts. */
static void flood(void **state)
{
    struct fixture f;
    char name[32];

    (void)state;
    setup(&f);
    assert_int_equal(wrong(&f, "alice", "10.0.0.1:1", 20), THROTTLE_PAIR);
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "10.%d.%d.%d:1", 1 + i / 40000, i / 200, i % 200);
        assert_true(guess(&f, name, name, false));
    }
    assert_false(guess(&f, "alice", "10.0.0.1:1", true));
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pair),
        cmocka_unit_test(address),
        cmocka_unit_test(networks),
        cmocka_unit_test(role),
        cmocka_unit_test(under_way),
        cmocka_unit_test(flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs on the simulated volume: clock and processes, tasks with a power loss among them, and the
 * same run for the same seed. */
#include "volume/sim.h"

#include "base/mem.h"
#include "volume/clock.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct volume *open_ok(struct sim_disk *d, uint64_t seed)
{
    struct volume *v = NULL;

    assert_int_equal(sim_volume_open(d, seed, &v, NULL), 0);
    return v;
}

static void close_and_free(struct volume *v, struct sim_disk *d)
{
    volume_close(v);
    sim_disk_free(d);
    assert_int_equal(mem_process_used(), 0);
}

/* -- time and processes --------------------------------------------------------------------------
 */

static void the_clock_is_the_disks(void **state)
{
    const int64_t start = INT64_C(1704067200000000000);
    struct sim_disk *d = sim_disk_new(5);
    struct volume *v = open_ok(d, 5);

    (void)state;
    assert_true(volume_clock_ns(v) == start);
    sched_sleep_ns(v->sched, 1000);
    assert_true(volume_clock_ns(v) == start + 1000);
    volume_close(v);
    v = open_ok(d, 6);
    assert_true(volume_clock_ns(v) == start + 1000); /* it does not go back */
    sched_sim_advance(v->sched, 500);
    sim_disk_set_clock(d, 42);
    assert_true(volume_clock_ns(v) == 42);
    sched_sim_advance(v->sched, 8);
    assert_true(volume_clock_ns(v) == 50);
    sim_disk_crash(d);
    volume_close(v);
    v = open_ok(d, 7);
    assert_true(volume_clock_ns(v) == 50);
    close_and_free(v, d);
}

static void the_sure_clock_does_not_jump(void **state)
{
    const int64_t start = INT64_C(1704067200000000000);
    const int64_t hour = INT64_C(3600000000000);
    struct sim_disk *d = sim_disk_new(5);
    struct volume *v = open_ok(d, 5);

    (void)state;
    sim_disk_set_clock(d, start + 1000 * hour);
    assert_true(volume_sure_ns(v) == start + 1000 * hour); /* there is no anchor */
    volume_clock_anchor(v, start, 10 * hour);
    assert_true(volume_sure_ns(v) == start);
    assert_true(volume_latest_ns(v) == start + 1000 * hour);
    sched_sim_advance(v->sched, (uint64_t)hour);
    assert_true(volume_sure_ns(v) == start + hour);
    sim_disk_set_clock(d, start); /* behind: what is sure is later */
    assert_true(volume_sure_ns(v) == start);
    assert_true(volume_latest_ns(v) == start + hour);
    sim_disk_set_clock(d, start + 11 * hour); /* the first step may be large … */
    assert_true(volume_sure_ns(v) == start + 11 * hour);
    sim_disk_set_clock(d, start + 12 * hour); /* … once */
    assert_true(volume_sure_ns(v) == start + 11 * hour);
    sim_disk_set_clock(d, start + 11 * hour + VOLUME_CLOCK_SLACK_NS);
    assert_true(volume_sure_ns(v) == start + 11 * hour + VOLUME_CLOCK_SLACK_NS);
    volume_clock_anchor(v, 0, 0); /* nothing is known */
    assert_true(volume_sure_ns(v) < start);
    volume_clock_set(v, start + hour);
    assert_true(volume_sure_ns(v) == start + hour); /* set by hand, for tests */
    close_and_free(v, d);
}

static void one_process_at_a_time(void **state)
{
    struct sim_disk *d = sim_disk_new(6);
    struct volume *v = open_ok(d, 6);
    struct volume *second = NULL;
    struct dn_err err;

    (void)state;
    assert_int_equal(sim_volume_open(d, 7, &second, &err), DN_E_BUSY);
    assert_non_null(strstr(err.text, "sim:6"));
    sim_disk_crash(d);
    second = open_ok(d, 7); /* the old one is dead, if not yet buried */
    assert_int_equal(volume_put(v, "a", "x", 1, NULL), DN_E_IO);
    assert_int_equal(volume_put(second, "a", "x", 1, NULL), 0);
    volume_close(v);
    assert_int_equal(volume_put(second, "b", "x", 1, NULL), 0);
    close_and_free(second, d);
}

/* -- tasks, and one seed one run
 * -------------------------------------------------------------------- */

struct run {
    struct sim_disk *d;
    struct volume *v;
    char trace[4096];       /* who did what, in order */
    size_t acknowledged[4]; /* bytes in each log */
    int failures;           /* calls that failed */
};

struct runner {
    struct run *run;
    int number;
};

static void run_note(struct run *run, int number, const char *what, int rc)
{
    size_t n = strlen(run->trace);

    (void)snprintf(run->trace + n, sizeof run->trace - n, "%d%s%d ", number, what, rc);
    run->failures += rc < 0;
}

static void runner_run(void *arg)
{
    const struct runner *me = arg;
    struct run *run = me->run;
    char name[8];
    int rc;

    (void)snprintf(name, sizeof name, "l%d", me->number);
    rc = volume_log_create(run->v, name, 1, NULL);
    run_note(run, me->number, "c", rc);
    for (int i = 0; i < 12 && rc == 0; i++) {
        rc = volume_log_append(run->v, name, 1, "12345678", 8, NULL);
        run_note(run, me->number, "a", rc);
        if (rc == 0)
            run->acknowledged[me->number] += 8;
        if (i % 3 == 0)
            sched_sleep_ns(run->v->sched, sched_random(run->v->sched) % 100);
    }
}

static void crasher_run(void *arg)
{
    struct run *run = arg;
    uint64_t steps = sched_random(run->v->sched) % 60;

    for (uint64_t i = 0; i < steps; i++)
        sched_pass(run->v->sched);
    run_note(run, 9, "crash", 0);
    sim_disk_crash(run->d);
}

/* Four writers and a power loss somewhere among them. */
static void run_make(uint64_t seed, struct run *run)
{
    struct runner runners[4];
    struct sched_task *tasks[5];

    memset(run, 0, sizeof *run);
    run->d = sim_disk_new(seed);
    run->v = open_ok(run->d, seed);
    for (int i = 0; i < 4; i++) {
        runners[i] = (struct runner){.run = run, .number = i};
        assert_int_equal(
            sched_spawn(run->v->sched, "runner", runner_run, &runners[i], &tasks[i], NULL), 0);
    }
    assert_int_equal(sched_spawn(run->v->sched, "crasher", crasher_run, run, &tasks[4], NULL), 0);
    for (int i = 0; i < 5; i++)
        sched_join(tasks[i]);
    volume_close(run->v);
    run->v = open_ok(run->d, seed);
    for (int i = 0; i < 4; i++) {
        char name[8];
        struct buf got;
        int rc;

        (void)snprintf(name, sizeof name, "l%d", i);
        buf_init(&got, NULL);
        rc = volume_log_read(run->v, name, 0, &got, NULL);
        run_note(run, i, "read", rc == 0 ? (int)got.len : -1);
        assert_true(got.len >= run->acknowledged[i]); /* nothing acknowledged is lost */
        assert_true(got.len <= run->acknowledged[i] + 8);
        for (size_t k = 0; k < run->acknowledged[i]; k++)
            assert_int_equal(got.data[k], "12345678"[k % 8]);
        buf_done(&got);
    }
    close_and_free(run->v, run->d);
}

static void one_seed_is_one_run(void **state)
{
    static struct run first;
    static struct run again;
    static struct run other;
    int different = 0;
    int struck = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        run_make(seed, &first);
        run_make(seed, &again);
        run_make(seed + 500, &other);
        assert_string_equal(first.trace, again.trace);
        different += strcmp(first.trace, other.trace) != 0;
        struck += first.failures > 0;
    }
    assert_true(different > 55);
    assert_true(struck > 20);
}

struct fence_race {
    struct volume *v;
    size_t acknowledged; /* bytes of the old writer */
    size_t seen;         /* bytes the new one read after its fence */
};

static void old_writer_run(void *arg)
{
    struct fence_race *r = arg;

    for (int i = 0; i < 20; i++) {
        if (volume_log_append(r->v, "l", 1, "x", 1, NULL) < 0)
            return;
        r->acknowledged++;
    }
}

/* What the old writer was told is durable, whoever fenced it out has seen. */
static void no_append_slips_past_a_fence(void **state)
{
    int raced = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct sim_disk *d = sim_disk_new(seed);
        struct fence_race r = {.v = open_ok(d, seed)};
        struct sched_task *task;
        struct buf got;

        buf_init(&got, NULL);
        assert_int_equal(volume_log_create(r.v, "l", 1, NULL), 0);
        assert_int_equal(sched_spawn(r.v->sched, "old", old_writer_run, &r, &task, NULL), 0);
        for (uint64_t i = sched_random(r.v->sched) % 40; i > 0; i--)
            sched_pass(r.v->sched);
        assert_int_equal(volume_log_fence(r.v, "l", 2, NULL), 0);
        assert_int_equal(volume_log_read(r.v, "l", 0, &got, NULL), 0);
        r.seen = got.len;
        sched_join(task);
        assert_true(r.acknowledged <= r.seen);
        raced += r.acknowledged > 0 && r.acknowledged < 20;
        buf_done(&got);
        close_and_free(r.v, d);
    }
    assert_true(raced > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_is_the_disks),
        cmocka_unit_test(the_sure_clock_does_not_jump),
        cmocka_unit_test(one_process_at_a_time),
        cmocka_unit_test(one_seed_is_one_run),
        cmocka_unit_test(no_append_slips_past_a_fence),
    };

    return cmocka_run_group_tests_name("runs on the simulated volume", tests, NULL, NULL);
}

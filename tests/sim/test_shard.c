/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard.c: the shard on the simulated volume against a naive model: random tables of every key
 * form, random writes, flushes, reopens, crashes, faults; crash and fault sweeps over a fixed
 * script. A failure prints the seed; DENDRO_TEST_SEED reproduces it, DENDRO_TEST_SECONDS sets the
 * time budget of the random test. */
#include "shard_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define TABLES 2u

struct world {
    struct rng rng;
    uint64_t seed;
    struct sim_disk *disk;
    struct volume *v;
    struct catalog *cat;
    struct shard *s;
    struct model models[TABLES];
    struct model_batch maybe; /* failed, outcome unknown: whole or gone after the next open */
    uint32_t maybe_table;
    bool has_maybe;
    bool failed;
};

static void world_die(struct world *w, const char *what, const char *why)
{
    (void)fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)w->seed, what, why);
    for (uint32_t i = 0; i < TABLES; i++) {
        struct buf b;
        buf_init(&b, NULL);
        table_print_create(w->models[i].t, &b);
        (void)fprintf(stderr, "%.*s\n", (int)b.len, (const char *)b.data);
        buf_done(&b);
    }
    w->failed = true;
}

static int world_open(struct world *w, struct dn_err *err)
{
    struct shard_options o = {.memtable_bytes = 1u << (16 + rng_below(&w->rng, 6)),
                              .log_chunk_bytes = 1u << (12 + rng_below(&w->rng, 8)),
                              .cache_bytes = 1u << 20,
                              .background = rng_below(&w->rng, 2)};
    int rc;

    rc = sim_volume_open(w->disk, rng_next(&w->rng), &w->v, err);
    if (rc < 0)
        return rc;
    rc = shard_open(w->v, w->cat, &o, &w->s, err);
    if (rc < 0) {
        volume_close(w->v);
        w->v = NULL;
        w->s = NULL;
    }
    return rc;
}

static void world_close(struct world *w)
{
    shard_close(w->s);
    volume_close(w->v);
    w->s = NULL;
    w->v = NULL;
}

static void world_init(struct world *w, uint64_t seed)
{
    struct dn_err err;
    struct volume *v;

    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->rng.state = seed;
    w->disk = sim_disk_new(seed);
    sim_disk_set_ahead(w->disk, seed % 2);
    sim_disk_set_clock(w->disk, MODEL_CLOCK_NS);
    if (sim_volume_open(w->disk, seed, &v, &err) < 0 || catalog_load(v, &w->cat, &err) < 0)
        fail_msg("cannot begin: %s", err.text);
    for (uint32_t i = 0; i < TABLES; i++) {
        struct table *t = model_random_table(&w->rng, i ? "beta" : "alpha");
        struct catalog *next;
        if (catalog_with_table(w->cat, t, &next, &err) < 0)
            fail_msg("cannot add table: %s", err.text);
        model_init(&w->models[i], catalog_table(next, "public", i ? "beta" : "alpha", NULL));
        table_unref(t);
        catalog_unref(w->cat);
        w->cat = next;
    }
    volume_close(v);
    if (world_open(w, &err) < 0)
        fail_msg("cannot open: %s", err.text);
}

static void world_forget_maybe(struct world *w)
{
    if (w->has_maybe)
        model_batch_done(&w->maybe);
    w->has_maybe = false;
}

static void world_done(struct world *w)
{
    world_close(w);
    world_forget_maybe(w);
    for (uint32_t i = 0; i < TABLES; i++)
        model_done(&w->models[i]);
    catalog_unref(w->cat);
    sim_disk_free(w->disk);
}

static void world_verify(struct world *w, const char *when)
{
    for (uint32_t i = 0; i < TABLES && !w->failed; i++) {
        const char *bad = model_compare(&w->models[i], w->s, &w->rng);
        if (bad)
            world_die(w, when, bad);
    }
}

static void ignore_report(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        (void)fprintf(stderr, "check: %s\n", text);
}

/* After a crash or failed write of a batch: all of it is there or nothing. */
static void world_adopt(struct world *w, uint32_t table, const struct model_batch *b)
{
    struct model with;

    if (!model_compare(&w->models[table], w->s, NULL))
        return;
    model_copy(&w->models[table], &with);
    model_apply(&with, b);
    if (model_compare(&with, w->s, NULL)) {
        world_die(w,
                  "a failed batch is neither whole nor gone",
                  model_compare(&w->models[table], w->s, NULL));
        model_done(&with);
        return;
    }
    model_done(&w->models[table]);
    w->models[table] = with;
}

static void world_reopen(struct world *w, bool crash)
{
    struct dn_err err;
    uint64_t faults = 0;

    sim_disk_fail_nth(w->disk, 0, SIM_FAULT_NONE, false);
    if (crash)
        sim_disk_crash(w->disk);
    world_close(w);
    if (world_open(w, &err) < 0) {
        world_die(w, "cannot reopen", err.text);
        return;
    }
    if (shard_check(w->v, w->cat, ignore_report, NULL, &faults, &err) < 0 || faults)
        world_die(w, "check", faults ? "faults found" : err.text);
    if (!w->failed && w->has_maybe)
        world_adopt(w, w->maybe_table, &w->maybe);
    world_forget_maybe(w);
}

/* One random step. */
static void world_step(struct world *w)
{
    uint32_t what = rng_below(&w->rng, 22);
    struct dn_err err;

    if (what < 12) {
        uint32_t i = rng_below(&w->rng, TABLES);
        struct model_batch b =
            model_random_change(&w->rng, &w->models[i], w->s, rng_below(&w->rng, 8) ? 12 : 700);
        /* Two writes in doubt at once would be more than the model can follow. */
        bool faulty = rng_below(&w->rng, 6) == 0 && !w->has_maybe;
        int rc;
        if (faulty)
            sim_disk_fail_nth(w->disk,
                              1 + rng_below(&w->rng, 6),
                              (enum sim_fault)(1 + rng_below(&w->rng, 3)),
                              rng_below(&w->rng, 2));
        rc = model_write(w->s, w->models[i].t, &b, true, &err);
        world_forget_maybe(w);
        if (rc == DN_OK) {
            model_apply(&w->models[i], &b);
            model_batch_done(&b);
        } else {
            w->maybe = b;
            w->maybe_table = i;
            w->has_maybe = true;
        }
        if (faulty || rc < 0) {
            bool crash = sim_disk_crashed(w->disk) || rng_below(&w->rng, 2);
            sim_disk_fail_nth(w->disk, 0, SIM_FAULT_NONE, false);
            if (rc < 0 && !crash)
                world_verify(w, "after a failed write");
            if (crash)
                world_reopen(w, true);
        }
    } else if (what < 14) {
        if (rng_below(&w->rng, 3) == 0)
            sim_disk_fail_nth(w->disk,
                              1 + rng_below(&w->rng, 8),
                              (enum sim_fault)(1 + rng_below(&w->rng, 3)),
                              false);
        DN_IGNORE(rng_below(&w->rng, 3) ? shard_flush(w->s, &err) : shard_merge(w->s, &err));
        sim_disk_fail_nth(w->disk, 0, SIM_FAULT_NONE, false);
        if (sim_disk_crashed(w->disk))
            world_reopen(w, true);
    } else if (what < 15) {
        world_reopen(w, rng_below(&w->rng, 2));
    } else if (what < 17) {
        sim_disk_set_clock(w->disk,
                           volume_clock_ns(w->v) + (int64_t)rng_below(&w->rng, 60) * 1000000000);
        shard_expire(w->s);
    } else {
        world_verify(w, "scan");
    }
}

static uint64_t now_ms(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_random(void **state)
{
    uint64_t seed = env_number("DENDRO_TEST_SEED", 0);
    uint64_t end = now_ms() + env_number("DENDRO_TEST_SECONDS", 5) * 1000;
    uint64_t first = seed ? seed : 1;

    (void)state;
    for (uint64_t n = first; n == first || (!seed && now_ms() < end); n++) {
        size_t before = mem_process_used();
        struct world w;
        world_init(&w, n);
        for (int i = 0; i < 60 && !w.failed; i++)
            world_step(&w);
        if (!w.failed)
            world_reopen(&w, false);
        if (!w.failed)
            world_verify(&w, "at the end");
        world_done(&w);
        assert_false(w.failed);
        assert_int_equal(mem_process_used(), before);
    }
}

/* The fixed script of the sweeps: writes, a flush, more writes. Returns the batches acknowledged.
 */
static uint32_t script(struct world *w, struct model_batch *batches, uint32_t count)
{
    struct dn_err err;
    uint32_t acked = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && shard_flush(w->s, &err) < 0)
            break;
        if (i + 1 == count && shard_merge(w->s, &err) < 0)
            break;
        if (model_write(w->s, w->models[0].t, &batches[i], true, &err) < 0)
            break;
        model_apply(&w->models[0], &batches[i]);
        acked++;
    }
    return acked;
}

/* Strikes the n-th storage call for n = 1, 2, … until a run goes through. */
static void sweep(enum sim_fault fault, uint64_t seed)
{
    for (uint64_t n = 1;; n++) {
        struct world w;
        struct model_batch batches[6];
        uint32_t acked;
        bool hit;

        world_init(&w, seed);
        for (uint32_t i = 0; i < 6; i++)
            batches[i] = model_random_batch(&w.rng, w.models[0].t, 40);
        sim_disk_fail_nth(w.disk, n, fault, false);
        acked = script(&w, batches, 6);
        hit = sim_disk_fail_hit(w.disk);
        world_reopen(&w, true);
        if (!w.failed && acked < 6)
            world_adopt(&w, 0, &batches[acked]);
        if (!w.failed)
            world_verify(&w, "after the fault");
        if (w.failed)
            (void)fprintf(stderr, "fault %d at call %llu\n", (int)fault, (unsigned long long)n);
        for (uint32_t i = 0; i < 6; i++)
            model_batch_done(&batches[i]);
        world_done(&w);
        assert_false(w.failed);
        if (!hit)
            break;
    }
}

static void test_crash_sweep(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        sweep(SIM_FAULT_CRASH, seed);
}

static void test_io_sweep(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sweep(SIM_FAULT_IO, seed);
        sweep(SIM_FAULT_NOSPC, seed);
    }
}

/* A crash at the n-th call of the open itself. */
static void test_crash_in_recovery(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct world w;
        struct model_batch batches[6];
        struct dn_err err;
        bool hit;
        world_init(&w, 77);
        for (uint32_t i = 0; i < 6; i++)
            batches[i] = model_random_batch(&w.rng, w.models[0].t, 40);
        assert_int_equal(script(&w, batches, 6), 6);
        sim_disk_crash(w.disk);
        world_close(&w);
        sim_disk_fail_nth(w.disk, n, SIM_FAULT_CRASH, false);
        if (world_open(&w, &err) == DN_OK)
            world_close(&w);
        hit = sim_disk_fail_hit(w.disk);
        sim_disk_fail_nth(w.disk, 0, SIM_FAULT_NONE, false);
        if (world_open(&w, &err) < 0)
            fail_msg("crash at call %llu of the open: %s", (unsigned long long)n, err.text);
        world_verify(&w, "after a crash in recovery");
        for (uint32_t i = 0; i < 6; i++)
            model_batch_done(&batches[i]);
        world_done(&w);
        assert_false(w.failed);
        if (!hit)
            break;
    }
}

/* The n-th allocation fails: an error or success, no leak, and the rows as the model says. */
static void test_memory_sweep(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        size_t before = mem_process_used();
        struct world w;
        struct model_batch batches[4];
        struct dn_err err;
        uint32_t acked = 0;
        bool hit;
        int rc;
        world_init(&w, 5);
        for (uint32_t i = 0; i < 4; i++)
            batches[i] = model_random_batch(&w.rng, w.models[0].t, 20);
        mem_fail_nth(n, false);
        for (uint32_t i = 0; i < 4; i++) {
            rc = model_write(w.s, w.models[0].t, &batches[i], true, &err);
            if (rc == DN_OK) {
                acked |= 1u << i;
            } else {
                assert_int_equal(rc, DN_E_NOMEM);
            }
            if (i == 1)
                DN_IGNORE(shard_flush(w.s, &err));
        }
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        for (uint32_t i = 0; i < 4; i++)
            if (acked >> i & 1)
                model_apply(&w.models[0], &batches[i]);
        world_verify(&w, "after a failed allocation");
        for (uint32_t i = 0; i < 4; i++)
            model_batch_done(&batches[i]);
        world_done(&w);
        assert_false(w.failed);
        assert_int_equal(mem_process_used(), before);
        if (!hit)
            break;
    }
}

/* Many flushes, then merges: fewer segments, the same rows, deletes and patches included. */
static void test_merge(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct world w;
        struct dn_err err;
        struct shard_stats after;
        world_init(&w, seed * 1000);
        for (int i = 0; i < 24; i++) {
            uint32_t t = rng_below(&w.rng, TABLES);
            struct model_batch b = model_random_change(&w.rng, &w.models[t], w.s, 60);
            if (model_write(w.s, w.models[t].t, &b, true, &err) < 0 || shard_flush(w.s, &err) < 0)
                fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
            model_apply(&w.models[t], &b);
            model_batch_done(&b);
        }
        if (shard_merge(w.s, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        shard_get_stats(w.s, &after);
        assert_true(after.merges > 0);
        assert_true(after.segments < 24);
        world_verify(&w, "after merging");
        sim_disk_set_clock(w.disk, MODEL_CLOCK_NS + 300 * INT64_C(1000000000));
        world_verify(&w, "when some have expired");
        if (shard_merge(w.s, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        world_verify(&w, "after they have been merged");
        world_reopen(&w, true);
        world_verify(&w, "after merging and a crash");
        world_done(&w);
        assert_false(w.failed);
    }
}

/* A full disk: writes fail clearly, reads go on, space comes back and so do writes. */
static void test_full_disk(void **state)
{
    struct world w;
    struct dn_err err;
    bool refused = false;

    (void)state;
    world_init(&w, 9);
    sim_disk_set_capacity(w.disk, sim_disk_used(w.disk) + 20000);
    for (int i = 0; i < 2000 && !refused; i++) {
        struct model_batch b = model_random_batch(&w.rng, w.models[0].t, 30);
        int rc = model_write(w.s, w.models[0].t, &b, true, &err);
        if (rc == DN_OK) {
            model_apply(&w.models[0], &b);
        } else {
            assert_int_equal(rc, DN_E_NOSPC);
            refused = true;
        }
        model_batch_done(&b);
    }
    assert_true(refused);
    world_verify(&w, "on a full disk");
    sim_disk_set_capacity(w.disk, 0);
    for (int i = 0; i < 20; i++) {
        struct model_batch b = model_random_batch(&w.rng, w.models[0].t, 30);
        if (model_write(w.s, w.models[0].t, &b, true, &err) < 0)
            fail_msg("space is back, but: %s", err.text);
        model_apply(&w.models[0], &b);
        model_batch_done(&b);
    }
    world_verify(&w, "after space came back");
    world_reopen(&w, true);
    world_verify(&w, "after the crash that followed");
    world_done(&w);
    assert_false(w.failed);
}

/* Writes one random batch; a failure must leave nothing once a later write went through. */
static bool doubt_write(struct world *w, bool sync)
{
    struct model_batch b = model_random_batch(&w->rng, w->models[0].t, 10);
    struct dn_err err;
    int rc = model_write(w->s, w->models[0].t, &b, sync, &err);

    if (rc == DN_OK)
        model_apply(&w->models[0], &b);
    model_batch_done(&b);
    return rc == DN_OK;
}

/* The storage goes away at call n and comes back: nobody knows whether the manifest was replaced.
 * Then the m-th call fails as well. What is acknowledged after that survives a crash, and so does
 * what was acknowledged before it without a sync. */
static void doubt_run(uint64_t seed, uint64_t n, uint64_t m, bool flush, bool sync)
{
    struct world w;
    struct dn_err err;

    world_init(&w, seed);
    assert_true(doubt_write(&w, true));
    assert_true(doubt_write(&w, sync));
    sim_disk_fail_nth(w.disk, n, SIM_FAULT_IO, true);
    if (flush)
        DN_IGNORE(shard_flush(w.s, &err));
    else
        (void)doubt_write(&w, true);
    sim_disk_fail_nth(w.disk, m, SIM_FAULT_IO, false);
    (void)doubt_write(&w, true);
    sim_disk_fail_nth(w.disk, 0, SIM_FAULT_NONE, false);
    /* Where memory is full a flush that failed is tried again after a pause, not at once. */
    sched_sleep_ns(w.v->sched, UINT64_C(2000000000));
    if (!doubt_write(&w, true))
        world_die(&w, "in doubt", "the storage is back, but a write fails");
    world_verify(&w, "in doubt");
    world_reopen(&w, true);
    if (!w.failed)
        world_verify(&w, "in doubt, after a crash");
    if (w.failed)
        (void)fprintf(stderr, "calls %d and %d, flush %d\n", (int)n, (int)m, flush);
    world_done(&w);
    assert_false(w.failed);
}

static void test_doubt(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (uint64_t n = 1; n <= 4; n++)
            for (uint64_t m = 0; m <= 4; m++)
                for (uint32_t how = 0; how < 4; how++)
                    doubt_run(seed * 100 + how, n, m, how & 1, how & 2);
}

/* A merge whose manifest change is in doubt does not happen twice. */
static void test_doubt_merge(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        bool hit = true;
        for (uint64_t n = 1; hit; n++) {
            struct world w;
            struct dn_err err;
            struct shard_stats before;
            struct shard_stats after;
            world_init(&w, seed);
            for (int i = 0; i < 5; i++)
                if (!doubt_write(&w, true) || shard_flush(w.s, &err) < 0)
                    fail_msg("cannot begin");
            shard_get_stats(w.s, &before);
            sim_disk_fail_nth(w.disk, n, SIM_FAULT_IO, true);
            DN_IGNORE(shard_merge(w.s, &err));
            hit = sim_disk_fail_hit(w.disk);
            sim_disk_fail_nth(w.disk, 0, SIM_FAULT_NONE, false);
            if (shard_merge(w.s, &err) < 0)
                world_die(&w, "second merge", err.text);
            shard_get_stats(w.s, &after);
            if (after.segment_rows > before.segment_rows)
                world_die(&w, "second merge", "rows are stored twice");
            world_verify(&w, "merged in doubt");
            world_reopen(&w, true);
            if (!w.failed)
                world_verify(&w, "merged in doubt, after a crash");
            if (w.failed)
                (void)fprintf(stderr, "call %d\n", (int)n);
            world_done(&w);
            assert_false(w.failed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_crash_sweep),
        cmocka_unit_test(test_io_sweep),
        cmocka_unit_test(test_crash_in_recovery),
        cmocka_unit_test(test_memory_sweep),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_doubt_merge),
    };

    return cmocka_run_group_tests_name("shard", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_overlap.c: segments among whose rows late ones lie are merged, in the newest slab too
 * and whatever their sizes, but not at any price; by themselves when nobody writes; and a crash or
 * a fault in the middle of it loses nothing. */
#include "shard_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SERIES 120
#define LATE   (5 * HOUR + HOUR / 2) /* between two rows of the history */
#define ROUNDS 60
/* Written by merges, for each late byte that a flush wrote: MERGE_OVER_IDLE + 1 for each level, of
 * which 60 flushes reach six. */
#define BOUND  102u

static void merge(struct db *d)
{
    struct dn_err err;

    if (shard_merge(d->s, &err) < 0)
        fail_msg("%s", err.text);
}

/* 20 hours of one day, of each series. */
static void add_history(struct db *d, int series)
{
    for (int g = 1; g <= series; g++)
        db_add(d, g, HOUR, 20, g);
    db_flush(d);
}

/* One new row among them of each of these series, and one that they have. */
static void add_late(struct db *d, int series, int64_t at)
{
    for (int g = 1; g <= series; g++) {
        db_add(d, g, at, 1, -g);
        db_add(d, g, 7 * HOUR, 1, -g);
    }
    db_flush(d);
}

static void test_small_over_big(void **state)
{
    struct db d;

    (void)state;
    db_init(&d);
    add_history(&d, SERIES);
    add_late(&d, SERIES / 2, LATE);
    assert_int_equal(db_stats(&d).segments, 2);
    merge(&d);
    assert_int_equal(db_stats(&d).segments, 1);
    assert_int_equal(db_count(&d, 0, INT64_MAX), SERIES * 20 + SERIES / 2);
    /* What comes in order lies beside it, though both have the same series. */
    for (int g = 1; g <= SERIES; g++)
        db_add(&d, g, 20 * HOUR + g, 3, g);
    db_flush(&d);
    merge(&d);
    assert_int_equal(db_stats(&d).segments, 2);
    assert_int_equal(db_stats(&d).merges, 1);
    db_done(&d);
}

/* A trickle of late rows over much: what merges write stays in proportion to it, and so does the
 * number of segments. */
static void test_bound(void **state)
{
    const int series = 80 * SERIES;
    struct shard_stats st;
    uint64_t history;
    uint64_t late;
    struct db d;

    (void)state;
    db_init(&d);
    add_history(&d, series);
    history = db_stats(&d).segment_bytes;
    for (int i = 0; i < ROUNDS; i++) {
        add_late(&d, 2, LATE + i);
        merge(&d);
        st = db_stats(&d);
        assert_true(st.segments < 24);
        late = st.flush_bytes - history;
        assert_true(st.merge_bytes <= BOUND * late);
    }
    assert_true(st.merges > 2);
    assert_true(history * (uint64_t)ROUNDS > BOUND * late); /* else nothing was shown */
    assert_int_equal(db_count(&d, 0, INT64_MAX), series * 20 + 2 * ROUNDS);
    db_done(&d);
}

static void open_background(struct db *d, size_t memtable)
{
    struct shard_options o = {.owner = &d->owner,
                              .memtable_bytes = memtable,
                              .log_chunk_bytes = 1u << 18,
                              .cache_bytes = 1u << 18,
                              .background = true};
    struct dn_err err;

    db_close(d);
    mem_owner_init(&d->owner, "test", NULL, 0);
    if (sim_volume_open(d->disk, 1, &d->v, &err) < 0 ||
        shard_open(d->v, d->cat, &o, &d->s, &err) < 0)
        fail_msg("%s", err.text);
}

/* Nobody asks for anything: fresh rows become a segment, and that and the one below it one. */
static void test_by_itself(void **state)
{
    struct shard_stats st;
    struct db d;

    (void)state;
    db_init(&d);
    add_history(&d, SERIES);
    open_background(&d, 1u << 20);
    for (int g = 1; g <= SERIES; g++)
        db_add(&d, g, LATE, 12, -g);
    assert_true(db_stats(&d).memtable_bytes >= (1u << 20) / 16);
    for (int i = 0; i < 1000; i++) { /* of the simulated clock */
        st = db_stats(&d);
        if (st.memtable_rows == 0 && st.segments == 1)
            break;
        sched_sleep_ns(d.v->sched, 10u * 1000 * 1000);
    }
    assert_int_equal(st.memtable_rows, 0);
    assert_int_equal(st.segments, 1);
    assert_int_equal(db_count(&d, 0, INT64_MAX), SERIES * 32);
    db_done(&d);
}

/* Few fresh rows stay where they are: an object for each of them would be too much. */
static void test_few_stay(void **state)
{
    struct db d;

    (void)state;
    db_init(&d);
    add_history(&d, SERIES);
    open_background(&d, 16u << 20);
    db_add(&d, 1, LATE, 1, -1);
    sched_sleep_ns(d.v->sched, 20ull * 1000 * 1000 * 1000);
    assert_int_equal(db_stats(&d).memtable_rows, 1);
    assert_int_equal(db_stats(&d).segments, 1);
    db_done(&d);
}

/* The n-th call fails, or the power does there: all rows, each with its newest value. */
static void sweep(enum sim_fault fault)
{
    bool hit = true;

    for (uint64_t n = 1; hit; n++) {
        struct dn_err err;
        struct db d;

        db_init(&d);
        add_history(&d, SERIES);
        add_late(&d, SERIES / 2, LATE);
        sim_disk_fail_nth(d.disk, n, fault, false);
        DN_IGNORE(shard_merge(d.s, &err)); /* it may say so; what counts is below */
        hit = sim_disk_fail_hit(d.disk);
        sim_disk_fail_nth(d.disk, 0, fault, false);
        if (fault == SIM_FAULT_CRASH)
            db_crash(&d);
        assert_int_equal(db_count(&d, 0, INT64_MAX), SERIES * 20 + SERIES / 2);
        merge(&d);
        assert_int_equal(db_stats(&d).segments, 1);
        assert_int_equal(db_count(&d, 0, INT64_MAX), SERIES * 20 + SERIES / 2);
        db_crash(&d);
        assert_int_equal(db_count(&d, 0, INT64_MAX), SERIES * 20 + SERIES / 2);
        assert_int_equal(db_objects(&d), 1);
        db_done(&d);
        assert_true(n < 1000);
    }
}

static void test_crashes(void **state)
{
    (void)state;
    sweep(SIM_FAULT_CRASH);
}

static void test_faults(void **state)
{
    (void)state;
    sweep(SIM_FAULT_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_over_big),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_by_itself),
        cmocka_unit_test(test_few_stay),
        cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_faults),
    };

    return cmocka_run_group_tests_name("shard_overlap", tests, NULL, NULL);
}

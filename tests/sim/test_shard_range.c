/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_range.c: range tombstones where the random model looks too rarely: who sees them, what
 * they conflict with, when they go; opening with less memory than the log was written with. */
#include "shard_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* ---- visibility ---- */

static void test_snapshots(void **state)
{
    struct snapshot *before;
    struct db d;

    (void)state;
    for (int flushed = 0; flushed < 2; flushed++) {
        db_init(&d);
        db_add(&d, 1, HOUR, 100, 1);
        if (flushed)
            db_flush(&d);
        before = shard_snapshot(d.s);
        db_gone(&d, 1, 10 * HOUR, 20 * HOUR);
        assert_int_equal(db_count(&d, 0, INT64_MAX), 90);
        db_add(&d, 1, 15 * HOUR, 1, 2); /* a new row */
        assert_int_equal(db_count(&d, 10 * HOUR, 20 * HOUR), 1);
        db_flush(&d);
        assert_int_equal(db_count(&d, 10 * HOUR, 20 * HOUR), 1);
        assert_int_equal(db_count_in(&d, before, 0, INT64_MAX), 100);
        snapshot_free(before);
        db_done(&d);
    }
}

/* ---- conflicts ---- */

static void test_conflicts(void **state)
{
    struct dn_err err;
    struct db d;
    uint64_t seq;

    (void)state;
    db_init(&d);
    db_add(&d, 1, HOUR, 10, 1);
    seq = db_stats(&d).seq;
    /* rows that came into the range meanwhile; one outside does not matter */
    db_add(&d, 2, HOUR, 1, 1);
    db_add(&d, 1, 100 * HOUR, 1, 1);
    assert_int_equal(db_delete(&d, 1, 0, 50 * HOUR, seq, &err), DN_OK);
    seq = db_stats(&d).seq;
    db_add(&d, 1, 5 * HOUR, 1, 1);
    assert_int_equal(db_delete(&d, 1, 0, 50 * HOUR, seq, &err), DN_E_CONFLICT);
    assert_int_equal(db_count(&d, 0, 50 * HOUR), 2);
    /* another range over it meanwhile; one beside it does not matter */
    seq = db_stats(&d).seq;
    db_gone(&d, 2, 0, 50 * HOUR);
    assert_int_equal(db_delete(&d, 1, 0, 50 * HOUR, seq, &err), DN_OK);
    assert_int_equal(db_delete(&d, 1, 49 * HOUR, 60 * HOUR, seq, &err), DN_E_CONFLICT);
    assert_int_equal(db_delete(&d, 1, 50 * HOUR, 60 * HOUR, seq, &err), DN_OK);
    /* a row that is changed by what an older snapshot showed, and was deleted with a range */
    db_add(&d, 1, 7 * HOUR, 1, 1);
    seq = db_stats(&d).seq;
    db_gone(&d, 0, 0, 50 * HOUR);
    assert_int_equal(db_put(&d, 1, 7 * HOUR, 1, 2, seq, &err), DN_E_CONFLICT);
    assert_int_equal(db_put(&d, 1, 70 * HOUR, 1, 2, seq, &err), DN_OK);
    /* the same after a flush: whatever lies there may be newer */
    seq = db_stats(&d).seq;
    db_add(&d, 1, 7 * HOUR, 1, 1);
    db_flush(&d);
    assert_int_equal(db_delete(&d, 1, 0, 50 * HOUR, seq, &err), DN_E_CONFLICT);
    db_done(&d);
}

/* ---- when they go ---- */

static void test_life(void **state)
{
    struct dn_err err;
    struct db d;

    (void)state;
    db_init(&d);
    /* What it hits in memory is not written, and nothing is left to hit. */
    db_add(&d, 1, HOUR, 10, 1);
    db_gone(&d, 1, 0, 5 * HOUR);
    assert_int_equal(db_stats(&d).ranges, 1);
    db_flush(&d);
    assert_int_equal(db_stats(&d).ranges, 0);
    assert_int_equal(db_stats(&d).segment_rows, 6);
    /* A segment that is hit whole goes with the flush of the tombstone, which goes too. */
    db_gone(&d, 0, 0, DAY);
    db_flush(&d);
    assert_int_equal(db_stats(&d).segments, 0);
    assert_int_equal(db_stats(&d).ranges, 0);
    assert_int_equal(db_objects(&d), 0);
    /* A segment that is hit in part keeps it, over a crash; … */
    db_add(&d, 1, HOUR, 20, 1);
    db_flush(&d);
    db_gone(&d, 1, 0, 5 * HOUR);
    db_flush(&d);
    assert_int_equal(db_stats(&d).ranges, 1);
    sim_disk_crash(d.disk);
    db_close(&d);
    if (db_open(&d, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(db_stats(&d).ranges, 1);
    assert_int_equal(db_count(&d, 0, DAY), 16);
    /* … until more than a few of them have gathered: then it is written anew. */
    for (int i = 5; i < 15; i++) {
        db_gone(&d, 1, i * HOUR, (i + 1) * HOUR);
        db_flush(&d);
    }
    assert_int_equal(db_stats(&d).ranges, 11);
    if (shard_merge(d.s, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(db_stats(&d).ranges, 0);
    assert_int_equal(db_stats(&d).segment_rows, 6);
    assert_int_equal(db_count(&d, 0, DAY), 6);
    db_done(&d);
}

/* Merges with other segments leave out what is hit, whether they include all of it or not. */
static void test_merge(void **state)
{
    struct dn_err err;
    struct db d;

    (void)state;
    db_init(&d);
    for (int i = 0; i < 3; i++) {
        db_add(&d, i + 1, HOUR, 20, i);
        db_flush(&d);
    }
    db_gone(&d, 0, 5 * HOUR, 10 * HOUR);
    db_add(&d, 4, HOUR, 20, 3); /* newer than the tombstone */
    db_flush(&d);
    assert_int_equal(db_stats(&d).ranges, 1);
    assert_int_equal(db_count(&d, 0, DAY), 3 * 15 + 20);
    if (shard_merge(d.s, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(db_stats(&d).segments, 1);
    assert_int_equal(db_stats(&d).segment_rows, 3 * 15 + 20);
    assert_int_equal(db_stats(&d).ranges, 0);
    assert_int_equal(db_count(&d, 0, DAY), 3 * 15 + 20);
    db_done(&d);
}

/* ---- less memory than before ---- */

static void test_small_memory(void **state)
{
    struct dn_err err;
    struct db d;

    (void)state;
    db_init(&d);
    for (int i = 0; i < 400; i++)
        db_add(&d, 1 + i % 7, i * 1000 + 1, 2000, i);
    db_gone(&d, 1, 0, INT64_MAX);
    assert_true(db_stats(&d).memtable_bytes > 16u << 20);
    assert_int_equal(db_stats(&d).segments, 0);
    sim_disk_crash(d.disk);
    db_close(&d);
    if (db_open_with(&d, 12u << 20, 2u << 20, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(db_stats(&d).segments > 0);
    assert_true(mem_owner_used(&d.owner) < 12u << 20);
    assert_int_equal(db_count(&d, 0, INT64_MAX), (400 - 58) * 2000);
    db_close(&d);
    if (db_open(&d, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(db_count(&d, 0, INT64_MAX), (400 - 58) * 2000);
    db_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_small_memory),
    };

    return cmocka_run_group_tests_name("shard_range", tests, NULL, NULL);
}

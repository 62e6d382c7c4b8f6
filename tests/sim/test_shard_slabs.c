/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_slabs.c: slabs of a table: what is listed, and dropping them, with a fault at every
 * call and against a model. */
#include "shard_db.h"
#include "store/shard_slabs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SLABS 4

static void fill_slabs(struct db *d)
{
    for (int i = 0; i < SLABS; i++) {
        db_add(d, 1, i * DAY + HOUR, 20, i);
        db_flush(d);
    }
    db_add(d, 1, DAY + 30 * 60000, 20, 9); /* and in memory */
}

static void test_drop_slab(void **state)
{
    struct dn_err err;
    struct db d;

    (void)state;
    db_init(&d);
    fill_slabs(&d);
    assert_int_equal(db_count(&d, DAY, 2 * DAY), 40);
    if (shard_slabs_drop(d.s, d.t, DAY, DAY, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(db_count(&d, DAY, 2 * DAY), 0);
    assert_int_equal(db_count(&d, 0, INT64_MAX), (SLABS - 1) * 20);
    /* The space is back at once; the tombstone stays for the rows in memory, until a flush. */
    assert_int_equal(db_stats(&d).segments, SLABS - 1);
    assert_int_equal(db_objects(&d), SLABS - 1);
    assert_int_equal(db_stats(&d).ranges, 1);
    db_flush(&d);
    assert_int_equal(db_stats(&d).ranges, 0);
    assert_int_equal(db_stats(&d).segment_rows, (SLABS - 1) * 20);
    /* Rows that come later are new. */
    db_add(&d, 1, DAY + HOUR, 3, 1);
    assert_int_equal(db_count(&d, DAY, 2 * DAY), 3);
    sim_disk_crash(d.disk);
    db_close(&d);
    if (db_open(&d, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(db_count(&d, DAY, 2 * DAY), 3);
    db_done(&d);
}

/* A fault at the n-th call: the slab is there whole or gone, the others are there; and dropping it
 * again succeeds and leaves no object behind. */
static void drop_sweep(enum sim_fault fault)
{
    bool hit = true;

    for (uint64_t n = 1; hit; n++) {
        struct dn_err err;
        struct db d;
        uint64_t rows;
        int rc;

        db_init(&d);
        fill_slabs(&d);
        sim_disk_fail_nth(d.disk, n, fault, false);
        rc = shard_slabs_drop(d.s, d.t, DAY, DAY, &err);
        hit = sim_disk_fail_hit(d.disk);
        sim_disk_fail_nth(d.disk, 0, SIM_FAULT_NONE, false);
        sim_disk_crash(d.disk);
        db_close(&d);
        if (db_open(&d, &err) < 0)
            fail_msg("fault %d at call %d: %s", (int)fault, (int)n, err.text);
        rows = db_count(&d, DAY, 2 * DAY);
        if ((rc == 0 && rows != 0) || (rows != 0 && rows != 40))
            fail_msg("fault %d at call %d: %d rows, rc %d", (int)fault, (int)n, (int)rows, rc);
        assert_int_equal(db_count(&d, 0, DAY) + db_count(&d, 2 * DAY, INT64_MAX), (SLABS - 1) * 20);
        if (shard_slabs_drop(d.s, d.t, DAY, DAY, &err) < 0)
            fail_msg("again: %s", err.text);
        assert_int_equal(db_count(&d, DAY, 2 * DAY), 0);
        assert_int_equal(db_stats(&d).segments, SLABS - 1);
        assert_int_equal(db_objects(&d), SLABS - 1);
        db_done(&d);
    }
}

static void test_drop_sweep(void **state)
{
    (void)state;
    drop_sweep(SIM_FAULT_CRASH);
    drop_sweep(SIM_FAULT_IO);
    drop_sweep(SIM_FAULT_NOSPC);
}

static void drop(struct db *d, int64_t first, int64_t last)
{
    struct dn_err err;

    if (shard_slabs_drop(d->s, d->t, first, last, &err) < 0)
        fail_msg("%s", err.text);
}

static struct shard_slabs slabs(struct db *d)
{
    struct snapshot *snap = shard_snapshot(d->s);
    struct shard_slabs l;
    struct dn_err err;

    assert_non_null(snap);
    if (shard_slabs_list(snap, d->t, &d->owner, &l, &err) < 0)
        fail_msg("%s", err.text);
    snapshot_free(snap);
    return l;
}

/* Slabs below a time: some in segments of their own, some in one with others, some in memory. */
static void test_drop_below(void **state)
{
    struct snapshot *before;
    struct db d;

    (void)state;
    for (int reopened = 0; reopened < 2; reopened++) {
        db_init(&d);
        db_add(&d, 1, -3 * DAY, 24, 1);
        db_flush(&d);
        db_add(&d, 1, HOUR, 4 * 24 - 2, 1); /* four slabs in one segment */
        db_flush(&d);
        db_add(&d, 2, DAY, 3 * 24, 2);
        assert_int_equal(db_stats(&d).segments, 2);
        before = shard_snapshot(d.s);
        drop(&d, INT64_MIN, DAY);
        assert_int_equal(db_stats(&d).segments, 1);
        assert_int_equal(db_count(&d, INT64_MIN, 2 * DAY), 0);
        assert_int_equal(db_count(&d, 2 * DAY, INT64_MAX), 2 * 24 + 2 * 24 - 1);
        assert_int_equal(db_count_in(&d, before, INT64_MIN, INT64_MAX), 24 + 4 * 24 - 2 + 3 * 24);
        snapshot_free(before);
        assert_int_equal(db_objects(&d), 1);
        db_add(&d, 3, DAY + HOUR, 1, 3);
        if (reopened)
            db_crash(&d);
        assert_int_equal(db_count(&d, INT64_MIN, 2 * DAY), 1);
        db_flush(&d);
        assert_int_equal(db_stats(&d).ranges, 1); /* the segment with four slabs needs it */
        if (reopened)
            db_crash(&d);
        assert_int_equal(db_count(&d, INT64_MIN, 2 * DAY), 1);
        /* The rest of that segment goes with a second one. */
        drop(&d, DAY + 1, INT64_MAX);
        assert_int_equal(db_count(&d, INT64_MIN, INT64_MAX), 1);
        drop(&d, INT64_MIN, INT64_MAX);
        assert_int_equal(db_count(&d, INT64_MIN, INT64_MAX), 0);
        assert_int_equal(db_objects(&d), 0);
        drop(&d, INT64_MIN, INT64_MAX); /* nothing is there: fine */
        db_done(&d);
    }
}

static void test_list(void **state)
{
    uint64_t bytes = 0;
    struct shard_slabs l;
    struct db d;

    (void)state;
    db_init(&d);
    l = slabs(&d);
    assert_int_equal(l.count, 0);
    shard_slabs_done(&l);
    db_add(&d, 1, -DAY, 24, 1);
    db_flush(&d);
    db_add(&d, 1, HOUR, 3 * 24 - 1, 1);
    db_flush(&d);
    db_add(&d, 2, 2 * DAY, 2 * 24, 2);
    l = slabs(&d);
    assert_int_equal(l.count, 5);
    for (int i = 0; i < 5; i++) {
        const struct shard_slab *s = &l.list[i];
        assert_int_equal(s->start, (i - 1) * DAY);
        assert_int_equal(s->end, i * DAY);
        assert_int_equal(s->rows, i == 1 ? 23 : i == 3 ? 48 : 24);
        assert_int_equal(s->memtable_rows, i >= 3 ? 24 : 0);
        assert_int_equal(s->segments, i < 4);
        assert_int_equal(s->time_min, s->start + (i == 1 ? HOUR : 0));
        assert_int_equal(s->time_max, s->end - HOUR);
        assert_true((s->bytes > 0) == (i < 4));
        bytes += s->bytes;
    }
    assert_int_equal(bytes, db_stats(&d).segment_bytes);
    shard_slabs_done(&l);
    /* What was dropped or deleted by time is not there any more, in segments and in memory. */
    drop(&d, DAY, 2 * DAY);
    db_gone(&d, 0, 0, 23 * HOUR + 1);
    l = slabs(&d);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.list[0].start, -DAY);
    assert_int_equal(l.list[1].start, 3 * DAY);
    assert_int_equal(l.list[1].rows, 24);
    shard_slabs_done(&l);
    /* New rows in a slab that was dropped. */
    db_add(&d, 1, DAY, 7, 1);
    for (int i = 0; i < 3; i++) {
        l = slabs(&d);
        assert_int_equal(l.count, 3);
        assert_int_equal(l.list[1].start, DAY);
        assert_int_equal(l.list[1].rows, 7);
        shard_slabs_done(&l);
        if (i == 0)
            db_flush(&d);
        else
            db_crash(&d);
    }
    db_done(&d);
}

/* ---- random histories against an array of what each slab should hold ---- */

#define DAYS 12u

struct slab_model {
    struct db d;
    uint32_t seed;
    bool has[DAYS * 24]; /* an hour of series 1 */
};

static uint32_t slab_model_random(struct slab_model *m, uint32_t below)
{
    m->seed = m->seed * 1103515245u + 12345u;
    return (m->seed >> 8) % below;
}

static void slab_model_step(struct slab_model *m)
{
    uint32_t at = slab_model_random(m, DAYS * 24);
    uint32_t rows = 1 + slab_model_random(m, 40);
    uint32_t first = at / 24;
    uint32_t last = first + slab_model_random(m, 3);
    struct dn_err err;

    switch (slab_model_random(m, 8)) {
    case 0:
        last = last < DAYS ? last : DAYS - 1;
        drop(&m->d, first * DAY, last * DAY);
        memset(m->has + (size_t)first * 24, false, (size_t)(last - first + 1) * 24);
        break;
    case 1:
        db_flush(&m->d);
        break;
    case 2:
        db_crash(&m->d);
        break;
    case 3:
        if (shard_merge(m->d.s, &err) < 0)
            fail_msg("%s", err.text);
        break;
    default:
        rows = at + rows > DAYS * 24 ? DAYS * 24 - at : rows;
        db_add(&m->d, 1, at * HOUR, rows, 1);
        memset(m->has + at, true, rows);
        break;
    }
}

/* Rows are those of the model; versions listed are not fewer, and none where there are no rows. */
static void slab_model_check(struct slab_model *m, int round, int step)
{
    struct shard_slabs l = slabs(&m->d);

    for (uint32_t day = 0; day < DAYS; day++) {
        uint64_t rows = 0;
        uint64_t listed = 0;
        for (uint32_t h = 0; h < 24; h++)
            rows += m->has[day * 24 + h];
        assert_int_equal(db_count(&m->d, day * DAY, (day + 1) * DAY), rows);
        for (uint32_t i = 0; i < l.count; i++)
            listed += l.list[i].start == day * DAY ? l.list[i].rows : 0;
        if (listed < rows || (rows == 0 && listed))
            fail_msg("round %d step %d day %d: %d listed, %d there",
                     round,
                     step,
                     (int)day,
                     (int)listed,
                     (int)rows);
    }
    shard_slabs_done(&l);
}

static void test_slabs_model(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct slab_model m = {.seed = (uint32_t)round + 1};

        db_init(&m.d);
        for (int step = 0; step < 60; step++) {
            slab_model_step(&m);
            slab_model_check(&m, round, step);
        }
        db_done(&m.d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop_slab),
        cmocka_unit_test(test_drop_sweep),
        cmocka_unit_test(test_drop_below),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_slabs_model),
    };

    return cmocka_run_group_tests_name("shard_slabs", tests, NULL, NULL);
}

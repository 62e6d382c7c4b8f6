/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_range.c: range tombstones where the random model looks too rarely: who sees them, what
 * they conflict with, when they go; dropping slabs, with a crash at every call; opening with less
 * memory than the log was written with. */
#include "shard_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DAY   INT64_C(86400000)
#define HOUR  (DAY / 24)
#define SLABS 4

struct db {
    struct sim_disk *disk;
    struct volume *v;
    struct catalog *cat;
    const struct table *t; /* borrowed from cat */
    struct shard *s;
    struct mem_owner owner;
};

static struct table *db_table(void)
{
    struct column_spec cols[] = {
        {.name.s = "g", .type = TYPE_BIGINT, .not_null = true},
        {.name.s = "t", .type = TYPE_TIMESTAMP, .not_null = true},
        {.name.s = "x", .type = TYPE_BIGINT},
    };
    struct key_elem_spec part[] = {{.name.s = "g"},
                                   {.name.s = "t", .is_quantum = true, .count = 1, .unit = "d"}};
    struct key_elem_spec local[] = {{.name.s = "g"}, {.name.s = "t"}};
    struct table_spec spec = {.schema.s = "public",
                              .name.s = "m",
                              .columns = cols,
                              .columns_count = 3,
                              .has_key = true,
                              .keys_count = 1,
                              .has_inner = true,
                              .partition = part,
                              .partition_count = 2,
                              .local = local,
                              .local_count = 2};
    struct table *t;
    struct dn_err err;

    if (table_build(&spec, &t, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static int db_open_with(struct db *d, size_t limit, size_t memtable, struct dn_err *err)
{
    struct shard_options o = {.owner = &d->owner,
                              .memtable_bytes = memtable,
                              .log_chunk_bytes = 1u << 18,
                              .cache_bytes = 1u << 18};
    int rc;

    mem_owner_init(&d->owner, "test", NULL, limit);
    rc = sim_volume_open(d->disk, 1, &d->v, err);
    if (rc == 0)
        rc = shard_open(d->v, d->cat, &o, &d->s, err);
    return rc;
}

static int db_open(struct db *d, struct dn_err *err)
{
    return db_open_with(d, 0, 64u << 20, err);
}

static void db_close(struct db *d)
{
    shard_close(d->s);
    if (d->v)
        volume_close(d->v);
    d->s = NULL;
    d->v = NULL;
}

static void db_init(struct db *d)
{
    struct table *t = db_table();
    struct catalog *empty = NULL;
    struct dn_err err;
    struct volume *v;

    memset(d, 0, sizeof *d);
    d->disk = sim_disk_new(1);
    if (sim_volume_open(d->disk, 1, &v, &err) < 0 || catalog_load(v, &empty, &err) < 0 ||
        catalog_with_table(empty, t, &d->cat, &err) < 0)
        fail_msg("%s", err.text);
    volume_close(v);
    catalog_unref(empty);
    table_unref(t);
    d->t = catalog_table(d->cat, "public", "m", NULL);
    if (db_open(d, &err) < 0)
        fail_msg("%s", err.text);
}

static void db_done(struct db *d)
{
    db_close(d);
    catalog_unref(d->cat);
    sim_disk_free(d->disk);
}

/* Rows of one series, an hour apart from `from` on; x = value. */
static int db_put(struct db *d,
                  int64_t g,
                  int64_t from,
                  uint32_t rows,
                  int64_t value,
                  uint64_t check,
                  struct dn_err *err)
{
    struct arena arena;
    struct datum dg = {.type = TYPE_BIGINT, .v.i64 = g};
    struct datum dx = {.type = TYPE_BIGINT, .v.i64 = value};
    struct vec cols[3];
    int64_t *times;
    struct shard_batch b = {.table = d->t, .cols = cols, .rows = rows, .check_seq = check};
    int rc;

    arena_init(&arena, NULL);
    times = arena_alloc_array(&arena, rows, sizeof *times);
    assert_non_null(times);
    for (uint32_t i = 0; i < rows; i++)
        times[i] = from + i * HOUR;
    assert_true(vec_make_const(&arena, &dg, rows, &cols[0]));
    assert_true(vec_make_const(&arena, &dx, rows, &cols[2]));
    cols[1] = (struct vec){.type = TYPE_TIMESTAMP, .form = VEC_FLAT, .count = rows, .data = times};
    rc = shard_write(d->s, &b, 1, true, NULL, err);
    arena_done(&arena);
    return rc;
}

static void put(struct db *d, int64_t g, int64_t from, uint32_t rows, int64_t value)
{
    struct dn_err err;

    if (db_put(d, g, from, rows, value, 0, &err) < 0)
        fail_msg("%s", err.text);
}

/* Series g (0: all) from one time up to another, which does not belong to it. */
static int
db_delete(struct db *d, int64_t g, int64_t from, int64_t to, uint64_t check, struct dn_err *err)
{
    struct range_bound bounds[2];
    struct range r = {.slab_min = INT64_MIN, .slab_max = INT64_MAX, .bounds = bounds};
    struct shard_batch b = {.table = d->t, .op = ROW_RANGE, .range = &r, .check_seq = check};
    struct datum dg = {.type = TYPE_BIGINT, .v.i64 = g};

    bounds[r.bounds_count++] =
        (struct range_bound){.col_id = d->t->columns[1].id,
                             .iv = {.has_lo = true,
                                    .lo_incl = true,
                                    .has_hi = true,
                                    .lo = {.type = TYPE_TIMESTAMP, .v.i64 = from},
                                    .hi = {.type = TYPE_TIMESTAMP, .v.i64 = to}}};
    if (g)
        bounds[r.bounds_count++] = (struct range_bound){.col_id = d->t->columns[0].id,
                                                        .iv = {.has_lo = true,
                                                               .lo_incl = true,
                                                               .has_hi = true,
                                                               .hi_incl = true,
                                                               .lo = dg,
                                                               .hi = dg}};
    return shard_write(d->s, &b, 1, true, NULL, err);
}

static void db_gone(struct db *d, int64_t g, int64_t from, int64_t to)
{
    struct dn_err err;

    if (db_delete(d, g, from, to, 0, &err) < 0)
        fail_msg("%s", err.text);
}

static void flush(struct db *d)
{
    struct dn_err err;

    if (shard_flush(d->s, &err) < 0)
        fail_msg("%s", err.text);
}

static uint64_t count_in(struct db *d, struct snapshot *snap, int64_t from, int64_t to)
{
    uint16_t cols[] = {1};
    struct scan_spec spec = {.table = d->t, .cols = cols, .cols_count = 1};
    struct scan *scan;
    struct batch b;
    struct dn_err err;
    uint64_t rows = 0;
    int rc = scan_open(snap, &spec, &scan, &err);

    while (rc == DN_OK && (rc = scan_next(scan, &b, &err)) == DN_OK)
        for (uint32_t i = 0; i < b.sel_count; i++) {
            int64_t t = vec_i64(&b.cols[0], b.sel ? b.sel[i] : i);
            rows += t >= from && t < to;
        }
    if (rc < 0)
        fail_msg("%s", err.text);
    scan_close(scan);
    return rows;
}

static uint64_t count(struct db *d, int64_t from, int64_t to)
{
    struct snapshot *snap = shard_snapshot(d->s);
    uint64_t rows;

    assert_non_null(snap);
    rows = count_in(d, snap, from, to);
    snapshot_free(snap);
    return rows;
}

static struct shard_stats stats(struct db *d)
{
    struct shard_stats st;

    shard_get_stats(d->s, &st);
    return st;
}

static size_t objects(struct db *d)
{
    struct volume_names names = {0};
    struct dn_err err;
    size_t n;

    assert_int_equal(volume_list(d->v, "seg/", &names, &err), DN_OK);
    n = names.count;
    volume_names_done(&names);
    return n;
}

/* ---- visibility ---- */

static void test_snapshots(void **state)
{
    struct snapshot *before;
    struct db d;

    (void)state;
    for (int flushed = 0; flushed < 2; flushed++) {
        db_init(&d);
        put(&d, 1, HOUR, 100, 1);
        if (flushed)
            flush(&d);
        before = shard_snapshot(d.s);
        db_gone(&d, 1, 10 * HOUR, 20 * HOUR);
        assert_int_equal(count(&d, 0, INT64_MAX), 90);
        put(&d, 1, 15 * HOUR, 1, 2); /* a new row */
        assert_int_equal(count(&d, 10 * HOUR, 20 * HOUR), 1);
        flush(&d);
        assert_int_equal(count(&d, 10 * HOUR, 20 * HOUR), 1);
        assert_int_equal(count_in(&d, before, 0, INT64_MAX), 100);
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
    put(&d, 1, HOUR, 10, 1);
    seq = stats(&d).seq;
    /* rows that came into the range meanwhile; one outside does not matter */
    put(&d, 2, HOUR, 1, 1);
    put(&d, 1, 100 * HOUR, 1, 1);
    assert_int_equal(db_delete(&d, 1, 0, 50 * HOUR, seq, &err), DN_OK);
    seq = stats(&d).seq;
    put(&d, 1, 5 * HOUR, 1, 1);
    assert_int_equal(db_delete(&d, 1, 0, 50 * HOUR, seq, &err), DN_E_CONFLICT);
    assert_int_equal(count(&d, 0, 50 * HOUR), 2);
    /* another range over it meanwhile; one beside it does not matter */
    seq = stats(&d).seq;
    db_gone(&d, 2, 0, 50 * HOUR);
    assert_int_equal(db_delete(&d, 1, 0, 50 * HOUR, seq, &err), DN_OK);
    assert_int_equal(db_delete(&d, 1, 49 * HOUR, 60 * HOUR, seq, &err), DN_E_CONFLICT);
    assert_int_equal(db_delete(&d, 1, 50 * HOUR, 60 * HOUR, seq, &err), DN_OK);
    /* a row that is changed by what an older snapshot showed, and was deleted with a range */
    put(&d, 1, 7 * HOUR, 1, 1);
    seq = stats(&d).seq;
    db_gone(&d, 0, 0, 50 * HOUR);
    assert_int_equal(db_put(&d, 1, 7 * HOUR, 1, 2, seq, &err), DN_E_CONFLICT);
    assert_int_equal(db_put(&d, 1, 70 * HOUR, 1, 2, seq, &err), DN_OK);
    /* the same after a flush: whatever lies there may be newer */
    seq = stats(&d).seq;
    put(&d, 1, 7 * HOUR, 1, 1);
    flush(&d);
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
    put(&d, 1, HOUR, 10, 1);
    db_gone(&d, 1, 0, 5 * HOUR);
    assert_int_equal(stats(&d).ranges, 1);
    flush(&d);
    assert_int_equal(stats(&d).ranges, 0);
    assert_int_equal(stats(&d).segment_rows, 6);
    /* A segment that is hit whole goes with the flush of the tombstone, which goes too. */
    db_gone(&d, 0, 0, DAY);
    flush(&d);
    assert_int_equal(stats(&d).segments, 0);
    assert_int_equal(stats(&d).ranges, 0);
    assert_int_equal(objects(&d), 0);
    /* A segment that is hit in part keeps it, over a crash; … */
    put(&d, 1, HOUR, 20, 1);
    flush(&d);
    db_gone(&d, 1, 0, 5 * HOUR);
    flush(&d);
    assert_int_equal(stats(&d).ranges, 1);
    sim_disk_crash(d.disk);
    db_close(&d);
    if (db_open(&d, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(stats(&d).ranges, 1);
    assert_int_equal(count(&d, 0, DAY), 16);
    /* … until more than a few of them have gathered: then it is written anew. */
    for (int i = 5; i < 15; i++) {
        db_gone(&d, 1, i * HOUR, (i + 1) * HOUR);
        flush(&d);
    }
    assert_int_equal(stats(&d).ranges, 11);
    if (shard_merge(d.s, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(stats(&d).ranges, 0);
    assert_int_equal(stats(&d).segment_rows, 6);
    assert_int_equal(count(&d, 0, DAY), 6);
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
        put(&d, i + 1, HOUR, 20, i);
        flush(&d);
    }
    db_gone(&d, 0, 5 * HOUR, 10 * HOUR);
    put(&d, 4, HOUR, 20, 3); /* newer than the tombstone */
    flush(&d);
    assert_int_equal(stats(&d).ranges, 1);
    assert_int_equal(count(&d, 0, DAY), 3 * 15 + 20);
    if (shard_merge(d.s, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(stats(&d).segments, 1);
    assert_int_equal(stats(&d).segment_rows, 3 * 15 + 20);
    assert_int_equal(stats(&d).ranges, 0);
    assert_int_equal(count(&d, 0, DAY), 3 * 15 + 20);
    db_done(&d);
}

/* ---- dropping slabs ---- */

static void fill_slabs(struct db *d)
{
    for (int i = 0; i < SLABS; i++) {
        put(d, 1, i * DAY + HOUR, 20, i);
        flush(d);
    }
    put(d, 1, DAY + 30 * 60000, 20, 9); /* and in memory */
}

static void test_drop_slab(void **state)
{
    struct dn_err err;
    struct db d;

    (void)state;
    db_init(&d);
    fill_slabs(&d);
    assert_int_equal(count(&d, DAY, 2 * DAY), 40);
    if (shard_drop_slab(d.s, d.t, DAY, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count(&d, DAY, 2 * DAY), 0);
    assert_int_equal(count(&d, 0, INT64_MAX), (SLABS - 1) * 20);
    assert_int_equal(stats(&d).segments, SLABS - 1);
    assert_int_equal(stats(&d).ranges, 0);
    assert_int_equal(objects(&d), SLABS - 1);
    /* Rows that come later are new. */
    put(&d, 1, DAY + HOUR, 3, 1);
    assert_int_equal(count(&d, DAY, 2 * DAY), 3);
    sim_disk_crash(d.disk);
    db_close(&d);
    if (db_open(&d, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count(&d, DAY, 2 * DAY), 3);
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
        rc = shard_drop_slab(d.s, d.t, DAY, &err);
        hit = sim_disk_fail_hit(d.disk);
        sim_disk_fail_nth(d.disk, 0, SIM_FAULT_NONE, false);
        sim_disk_crash(d.disk);
        db_close(&d);
        if (db_open(&d, &err) < 0)
            fail_msg("fault %d at call %d: %s", (int)fault, (int)n, err.text);
        rows = count(&d, DAY, 2 * DAY);
        if ((rc == 0 && rows != 0) || (rows != 0 && rows != 40))
            fail_msg("fault %d at call %d: %d rows, rc %d", (int)fault, (int)n, (int)rows, rc);
        assert_int_equal(count(&d, 0, DAY) + count(&d, 2 * DAY, INT64_MAX), (SLABS - 1) * 20);
        if (shard_drop_slab(d.s, d.t, DAY, &err) < 0)
            fail_msg("again: %s", err.text);
        assert_int_equal(count(&d, DAY, 2 * DAY), 0);
        assert_int_equal(stats(&d).segments, SLABS - 1);
        assert_int_equal(objects(&d), SLABS - 1);
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

/* ---- less memory than before ---- */

static void test_small_memory(void **state)
{
    struct dn_err err;
    struct db d;

    (void)state;
    db_init(&d);
    for (int i = 0; i < 400; i++)
        put(&d, 1 + i % 7, i * 1000 + 1, 2000, i);
    db_gone(&d, 1, 0, INT64_MAX);
    assert_true(stats(&d).memtable_bytes > 16u << 20);
    assert_int_equal(stats(&d).segments, 0);
    sim_disk_crash(d.disk);
    db_close(&d);
    if (db_open_with(&d, 12u << 20, 2u << 20, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(stats(&d).segments > 0);
    assert_true(mem_owner_used(&d.owner) < 12u << 20);
    assert_int_equal(count(&d, 0, INT64_MAX), (400 - 58) * 2000);
    db_close(&d);
    if (db_open(&d, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count(&d, 0, INT64_MAX), (400 - 58) * 2000);
    db_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_drop_slab),
        cmocka_unit_test(test_drop_sweep),
        cmocka_unit_test(test_small_memory),
    };

    return cmocka_run_group_tests_name("shard_range", tests, NULL, NULL);
}

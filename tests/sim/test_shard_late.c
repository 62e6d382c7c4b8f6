/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_late.c: the horizon of a table: what is before it is neither read nor taken, by no
 * commit and no load, whatever the definition is that a writer holds; and the log brings nothing
 * back. */
#include "shard_db.h"
#include "store/shard_load.h"
#include "store/shard_slabs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* From now on this catalog is the shard's. */
static void db_set(struct db *d, struct catalog *next)
{
    struct dn_err err;

    if (shard_set_catalog(d->s, next, &err) < 0)
        fail_msg("%s", err.text);
    catalog_unref(d->cat);
    d->cat = next;
    d->t = catalog_table(d->cat, "public", "m", NULL);
}

/* ALTER TABLE: option NULL takes retention away. */
static void db_retain(struct db *d, const char *keep, const char *late)
{
    struct option_spec options[] = {
        {.name.s = "retention", .value = keep, .quoted = true},
        {.name.s = "late_rows", .value = late, .quoted = true},
    };
    const struct table_rows_span none = {.any = false};
    struct catalog *next;
    struct table *t;

    assert_int_equal(table_copy(d->t, &t, NULL), 0);
    assert_int_equal(table_set_options(t, options, 2, &none, NULL), 0);
    assert_int_equal(catalog_with_changed_table(d->cat, t, false, &next, NULL), 0);
    table_unref(t);
    db_set(d, next);
}

static void db_horizon(struct db *d, int64_t horizon)
{
    struct catalog_horizon up = {.table = d->t->id, .version = d->t->version, .horizon = horizon};
    struct catalog *next;

    assert_int_equal(catalog_with_horizons(d->cat, &up, 1, &next, NULL), 0);
    db_set(d, next);
    assert_int_equal(d->t->horizon, horizon);
}

static void fill(struct db *d)
{
    for (int i = 0; i < 4; i++)
        db_add(d, 1, i * DAY + HOUR, 10, i);
}

/* Seen from the first step on: before any tombstone, by new snapshots, after a crash. */
static void test_reads(void **state)
{
    struct snapshot *old;
    struct dn_err err;
    struct db d;

    (void)state;
    for (int flushed = 0; flushed < 2; flushed++) {
        db_init(&d);
        db_retain(&d, "1 day", "reject");
        fill(&d);
        if (flushed)
            db_flush(&d);
        old = shard_snapshot(d.s);
        assert_non_null(old);
        db_horizon(&d, 2 * DAY);
        assert_int_equal(db_count(&d, 0, INT64_MAX), 20);
        assert_int_equal(db_count(&d, 0, 2 * DAY), 0);
        assert_int_equal(db_count_in(&d, old, 0, INT64_MAX), 40);
        snapshot_free(old);
        db_crash(&d);
        assert_int_equal(db_count(&d, 0, INT64_MAX), 20);
        /* The second step. */
        assert_int_equal(shard_slabs_retain(d.s, d.t, 2 * DAY, &err), 0);
        assert_int_equal(db_count(&d, 0, INT64_MAX), 20);
        db_flush(&d);
        if (!flushed) { /* else they lie beside others in a segment, until it is merged */
            assert_int_equal(db_stats(&d).segment_rows, 20);
            assert_int_equal(db_stats(&d).ranges, 0);
        }
        db_crash(&d);
        /* Without a horizon nothing of it comes back. */
        db_retain(&d, NULL, "reject");
        assert_int_equal(d.t->horizon, RETENTION_NO_HORIZON);
        assert_int_equal(db_count(&d, 0, INT64_MAX), 20);
        db_done(&d);
    }
}

static void test_commits(void **state)
{
    const struct table *before;
    struct shard_how how;
    struct catalog *held;
    struct dn_err err;
    uint64_t dropped = 0;
    struct db d;
    int64_t times[] = {DAY, 3 * DAY, 2 * DAY - 1, 2 * DAY};
    int64_t groups[] = {5, 6, 7, 8};
    uint64_t nulls[] = {2};
    struct vec cols[] = {
        {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = 4, .data = groups},
        {.type = TYPE_TIMESTAMP, .form = VEC_FLAT, .count = 4, .data = times},
        {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = 4, .data = groups, .nulls = nulls},
    };
    struct shard_batch b = {.cols = cols, .rows = 4};

    (void)state;
    db_init(&d);
    db_retain(&d, "1 day", "reject");
    held = catalog_ref(d.cat);
    before = d.t;
    db_horizon(&d, 2 * DAY);
    /* Who holds the definition of before is no other version, and does not get past. */
    b.table = before;
    assert_int_equal(before->horizon, RETENTION_NO_HORIZON);
    assert_int_equal(shard_write(d.s, &b, 1, true, NULL, &err), DN_E_LATE_ROW);
    assert_non_null(strstr(err.text, "is too old for table \"m\", whose rows begin at"));
    assert_string_equal(err.sqlstate, "22008");
    assert_int_equal(db_count(&d, 0, INT64_MAX), 0);
    assert_int_equal(db_put(&d, 1, 2 * DAY, 3, 1, 0, &err), 0);
    assert_int_equal(db_put(&d, 1, 2 * DAY - 1, 1, 1, 0, &err), DN_E_LATE_ROW);
    /* A row that was read, and whose slab went since: look again. */
    assert_int_equal(db_put(&d, 1, DAY, 1, 1, db_stats(&d).seq, &err), DN_E_CONFLICT);
    catalog_unref(held);

    db_retain(&d, "1 day", "drop");
    how = (struct shard_how){.sync = true, .dropped = &dropped};
    b.table = d.t;
    assert_int_equal(shard_write_how(d.s, &b, 1, &how, NULL, &err), 0);
    assert_int_equal(dropped, 2);
    assert_int_equal(db_count(&d, 0, INT64_MAX), 5);
    times[1] = times[3] = 0; /* all of them */
    assert_int_equal(shard_write_how(d.s, &b, 1, &how, NULL, &err), 0);
    assert_int_equal(dropped, 6);
    db_crash(&d);
    assert_int_equal(db_count(&d, 0, INT64_MAX), 5);
    /* What the log has is what was kept. */
    db_retain(&d, NULL, "reject");
    assert_int_equal(db_count(&d, 0, INT64_MAX), 5);
    db_done(&d);
}

/* A load of a day a row, from the first on; the horizon moves before its end. */
static int load_over(struct db *d, uint32_t rows, int64_t step, uint64_t *ret_rows)
{
    static const int64_t groups[64] = {0};
    static int64_t times[64];
    struct vec cols[] = {
        {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = rows, .data = groups},
        {.type = TYPE_TIMESTAMP, .form = VEC_FLAT, .count = rows, .data = times},
        {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = rows, .data = groups},
    };
    struct shard_load_options o = {.batch_bytes = 1u << 20, .whole = true};
    struct shard_load_part part = {.cols = cols, .rows = rows, .op = ROW_PUT};
    struct shard_load *load;
    struct dn_err err;
    int rc;

    for (uint32_t i = 0; i < rows; i++)
        times[i] = 1 + i * step;
    if (shard_load_begin(d->s, d->t, &o, &load, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(shard_load_add(load, &part, &err), 0);
    db_horizon(d, 2 * DAY);
    /* Its rows are late ones: no conflict for retention, one for everybody else. */
    assert_int_equal(shard_slabs_drop(d->s, d->t, 0, DAY, &err), DN_E_CONFLICT);
    assert_int_equal(shard_slabs_retain(d->s, d->t, 2 * DAY, &err), 0);
    rc = shard_load_end(load, &err);
    if (rc == DN_E_LATE_ROW)
        assert_non_null(strstr(err.text, "TIMESTAMP '1970-01-01T00:00:00.001Z' is too old"));
    *ret_rows = shard_load_committed(load);
    shard_load_free(load);
    return rc;
}

static void test_loads(void **state)
{
    struct dn_err err;
    uint64_t rows;
    struct db d;

    (void)state;
    db_init(&d);
    db_retain(&d, "1 day", "reject");
    assert_int_equal(load_over(&d, 4, DAY, &rows), DN_E_LATE_ROW);
    assert_int_equal(rows, 0);
    assert_int_equal(db_count(&d, 0, INT64_MAX), 0);
    assert_int_equal(db_objects(&d), 0);
    db_done(&d);

    /* Left out: beside others in a segment nobody sees them, and the next look drops them. */
    db_init(&d);
    db_retain(&d, "1 day", "drop");
    assert_int_equal(load_over(&d, 4, DAY, &rows), 0);
    assert_int_equal(db_count(&d, 0, INT64_MAX), 2);
    assert_int_equal(shard_slabs_retain(d.s, d.t, 2 * DAY, &err), 0);
    db_crash(&d);
    assert_int_equal(db_count(&d, 0, INT64_MAX), 2);
    db_retain(&d, NULL, "reject");
    assert_int_equal(db_count(&d, 0, INT64_MAX), 2);
    db_done(&d);

    /* All of them: no object is named, none is left. */
    db_init(&d);
    db_retain(&d, "1 day", "drop");
    assert_int_equal(load_over(&d, 4, HOUR, &rows), 0);
    assert_int_equal(rows, 0);
    assert_int_equal(db_objects(&d), 0);
    assert_int_equal(db_count(&d, 0, INT64_MAX), 0);
    db_done(&d);
}

/* A fault at the n-th call of the second step: rows before the horizon are not seen, the others are
 * there, and the step made again leaves nothing. */
static void retain_sweep(enum sim_fault fault)
{
    bool hit = true;

    for (uint64_t n = 1; hit; n++) {
        struct dn_err err;
        struct db d;

        db_init(&d);
        db_retain(&d, "1 day", "reject");
        fill(&d);
        db_flush(&d);
        db_add(&d, 2, DAY, 5, 1);
        db_horizon(&d, 2 * DAY);
        sim_disk_fail_nth(d.disk, n, fault, false);
        DN_IGNORE(shard_slabs_retain(d.s, d.t, 2 * DAY, &err)); /* it is made again below */
        hit = sim_disk_fail_hit(d.disk);
        sim_disk_fail_nth(d.disk, 0, SIM_FAULT_NONE, false);
        db_crash(&d);
        if (db_count(&d, 0, 2 * DAY) != 0 || db_count(&d, 0, INT64_MAX) != 20)
            fail_msg("fault %d at call %d", (int)fault, (int)n);
        if (shard_slabs_retain(d.s, d.t, 2 * DAY, &err) < 0)
            fail_msg("again: %s", err.text);
        db_retain(&d, NULL, "reject");
        assert_int_equal(db_count(&d, 0, INT64_MAX), 20);
        db_done(&d);
    }
}

static void test_retain_sweep(void **state)
{
    (void)state;
    retain_sweep(SIM_FAULT_CRASH);
    retain_sweep(SIM_FAULT_IO);
    retain_sweep(SIM_FAULT_NOSPC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_commits),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_retain_sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

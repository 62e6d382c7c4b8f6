/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_load.c: a load whose batch is written by several tasks: all rows are there, and after
 * a fault at any point (an allocation, a call of the volume, a power cut) all or none, with nothing
 * left on the disk that nobody names. */
#include "shard_db.h"
#include "store/shard_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define PARTS     3
#define SERIES    30
#define EACH      20 /* rows of a series in a part */
#define PART_ROWS (SERIES * EACH)
#define ALL_ROWS  (PARTS * PART_ROWS)

struct rows {
    int64_t g[PART_ROWS];
    int64_t t[PART_ROWS];
    uint64_t nulls[VEC_BITMAP_WORDS(PART_ROWS)];
    struct vec cols[3];
};

static struct rows rows[PARTS];

/* Rows of a series next to each other; the times of a part come after those of the part before. */
static void rows_fill(void)
{
    for (uint32_t p = 0; p < PARTS; p++) {
        struct rows *r = &rows[p];

        for (uint32_t i = 0; i < PART_ROWS; i++) {
            r->g[i] = i / EACH;
            r->t[i] = (1 + p * EACH + i % EACH) * HOUR;
            if (i % 7 == 0)
                vec_bit_set(r->nulls, i);
        }
        r->cols[0] = (struct vec){.type = TYPE_BIGINT, .count = PART_ROWS, .data = r->g};
        r->cols[1] = (struct vec){.type = TYPE_TIMESTAMP, .count = PART_ROWS, .data = r->t};
        r->cols[2] =
            (struct vec){.type = TYPE_BIGINT, .count = PART_ROWS, .data = r->g, .nulls = r->nulls};
    }
}

/* Loads all rows; *ret_objects: segments that there are at its end. */
static int load(struct db *d, uint32_t task_rows, size_t *ret_objects, struct dn_err *err)
{
    struct shard_load_options o = {.batch_bytes = 1u << 20, .whole = true, .task_rows = task_rows};
    struct shard_load *l = NULL;
    int rc = shard_load_begin(d->s, d->t, &o, &l, err);

    for (uint32_t p = 0; p < PARTS && rc == 0; p++) {
        struct shard_load_part part = {.cols = rows[p].cols, .rows = PART_ROWS, .op = ROW_PUT};

        rc = shard_load_add(l, &part, err);
    }
    if (rc == 0)
        rc = shard_load_end(l, err);
    if (ret_objects)
        *ret_objects = db_objects(d);
    if (rc == 0)
        assert_int_equal(shard_load_committed(l), ALL_ROWS);
    shard_load_free(l);
    return rc;
}

static void test_tasks(void **state)
{
    static const uint32_t sizes[] = {1, 100, ALL_ROWS / 2, ALL_ROWS, 0};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t objects;
        struct dn_err err;
        struct db d;

        db_init(&d);
        if (load(&d, sizes[i], &objects, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(objects, sizes[i] && sizes[i] <= ALL_ROWS / 2 ? 2 : 1);
        assert_int_equal(db_count(&d, 0, INT64_MAX), ALL_ROWS);
        assert_int_equal(db_count(&d, 0, DAY), SERIES * 23);
        assert_int_equal(db_count(&d, 2 * DAY, INT64_MAX), SERIES * (PARTS * EACH - 47));
        /* Loaded once more, by other stretches: the same keys. */
        assert_int_equal(load(&d, sizes[i] ? 0 : 1, NULL, &err), 0);
        db_crash(&d);
        assert_int_equal(db_count(&d, 0, INT64_MAX), ALL_ROWS);
        assert_int_equal(shard_merge(d.s, &err), 0);
        assert_int_equal(db_count(&d, 0, INT64_MAX), ALL_ROWS);
        db_done(&d);
    }
}

/* What a load that returned rc has left. dead: the disk is gone until it is opened again. */
static void check_after(struct db *d, const char *what, uint64_t n, int rc, bool dead)
{
    uint64_t before = dead ? 0 : db_count(d, 0, INT64_MAX);
    uint64_t count;

    db_crash(d);
    count = db_count(d, 0, INT64_MAX);
    if ((before != 0 && before != ALL_ROWS) || (count != 0 && count != ALL_ROWS) ||
        (rc == 0 && (count == 0 || (!dead && before == 0))))
        fail_msg("%s %llu: %llu rows, %llu after a crash",
                 what,
                 (unsigned long long)n,
                 (unsigned long long)before,
                 (unsigned long long)count);
    if (count == 0)
        assert_int_equal(db_objects(d), 0);
}

static void test_volume_fails(void **state)
{
    static const enum sim_fault kinds[] = {SIM_FAULT_IO, SIM_FAULT_NOSPC, SIM_FAULT_CRASH};

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        bool clean = false;

        for (uint64_t n = 1; !clean; n++) {
            struct dn_err err;
            struct db d;
            int rc;

            db_init(&d);
            sim_disk_fail_nth(d.disk, n, kinds[k], false);
            rc = load(&d, 100, NULL, &err);
            clean = !sim_disk_fail_hit(d.disk);
            sim_disk_fail_nth(d.disk, 0, SIM_FAULT_NONE, false);
            assert_true(rc == 0 || !clean);
            check_after(&d, "call", n, rc, kinds[k] == SIM_FAULT_CRASH && !clean);
            db_done(&d);
        }
    }
}

static void test_memory_fails(void **state)
{
    bool clean = false;

    (void)state;
    for (uint64_t n = 1; !clean; n++) {
        struct dn_err err;
        struct db d;
        int rc;

        db_init(&d);
        mem_fail_nth(n, false);
        rc = load(&d, 100, NULL, &err);
        clean = !mem_fail_hit();
        mem_fail_nth(0, false);
        if (rc < 0)
            assert_int_equal(rc, DN_E_NOMEM);
        check_after(&d, "allocation", n, rc, false);
        db_done(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_volume_fails),
        cmocka_unit_test(test_memory_fails),
    };

    rows_fill();
    return cmocka_run_group_tests_name("shard load", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Memtables between one writer and its readers: rows that are staged and taken back again never
 * show, however the two take turns. */
#include "model.h"

#include "base/sched.h"
#include "store/memtable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SERIES 3u
#define TURNS  40u

static const struct table_shape shape = {.cols = 2,
                                         .types = {TYPE_BIGINT, TYPE_TIMESTAMP},
                                         .form = KEY_CQL,
                                         .series_count = 1,
                                         .series = {0},
                                         .rest_count = 1,
                                         .rest = {{.col = 1}},
                                         .time_col = 1,
                                         .slab_width = 100};

/* Two rows of one series. */
static void stage(struct memtable *m, int64_t series, uint64_t seq)
{
    int64_t ids[2] = {series, series};
    int64_t times[2] = {(int64_t)seq, (int64_t)seq + 1};
    struct vec cols[2] = {{.type = TYPE_BIGINT, .count = 2, .data = ids},
                          {.type = TYPE_TIMESTAMP, .count = 2, .data = times}};
    struct mem_write w = {.cols = cols, .seq = seq, .op = ROW_PUT};
    struct dn_err err;

    assert_int_equal(memtable_stage(m, &w, 2, &err), DN_OK);
}

static void writer(void *arg)
{
    struct memtable *m = arg;

    for (uint32_t i = 0; i < TURNS; i++) {
        stage(m, i % SERIES, 10 + i);
        memtable_rollback(m, memtable_rows(m));
    }
}

static void test_rollback_under_readers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct dn_err err;
        struct sched *sched = sched_sim_new(seed, &err);
        struct table *t = model_table(&shape);
        struct memtable *m = memtable_new(sched, NULL, t);
        struct sched_task *task;

        for (uint32_t i = 0; i < SERIES; i++) {
            stage(m, i, 1 + i);
            memtable_publish(m);
        }
        assert_int_equal(sched_spawn(sched, "writer", writer, m, &task, &err), 0);
        for (uint32_t i = 0; i < TURNS; i++) {
            struct datum series = {.type = TYPE_BIGINT, .v.i64 = i % SERIES};
            const struct mem_pick pick = {.series = &series, .series_count = 1};
            struct mem_order *o;
            assert_int_equal(memtable_order(m, 2 * SERIES, &pick, NULL, &o, &err), DN_OK);
            assert_int_equal(o->count, 2);
            for (uint32_t k = 0; k < 2; k++)
                assert_int_equal(memtable_datum(m, o->order[k], 0).v.i64, i % SERIES);
            memtable_order_unref(o);
        }
        sched_join(task);
        memtable_free(m);
        table_unref(t);
        sched_free(sched);
    }
}

/* Rows of two series with times as given, each with those of the window: as sorting all and
 * leaving out the others would have it. */
static void window(const int64_t *times, uint32_t count, int64_t from, int64_t to)
{
    struct dn_err err;
    struct sched *sched = sched_sim_new(1, &err);
    struct table *t = model_table(&shape);
    struct memtable *m = memtable_new(sched, NULL, t);

    for (uint32_t i = 0; i < count; i++) {
        int64_t ids[2] = {1, 2};
        int64_t two[2] = {times[i], times[i] + 1};
        struct vec cols[2] = {{.type = TYPE_BIGINT, .count = 2, .data = ids},
                              {.type = TYPE_TIMESTAMP, .count = 2, .data = two}};
        struct mem_write w = {.cols = cols, .seq = i + 1, .op = ROW_PUT};

        assert_int_equal(memtable_stage(m, &w, 2, &err), DN_OK);
        if (i % 3 == 2) { /* taken back, and not in vain: it widened the bounds */
            memtable_rollback(m, memtable_rows(m));
            continue;
        }
        memtable_publish(m);
    }
    for (int64_t id = 1; id <= 2; id++) {
        struct datum series = {.type = TYPE_BIGINT, .v.i64 = id};
        struct mem_pick pick = {.series = &series, .series_count = 1};
        struct mem_order *all;
        struct mem_order *some;
        uint32_t at = 0;

        assert_int_equal(memtable_order(m, memtable_rows(m), &pick, NULL, &all, &err), DN_OK);
        pick.timed = true;
        pick.time_min = from;
        pick.time_max = to;
        assert_int_equal(memtable_order(m, memtable_rows(m), &pick, NULL, &some, &err), DN_OK);
        for (uint32_t i = 0; i < all->count; i++) {
            int64_t time = memtable_datum(m, all->order[i], 1).v.i64;

            if (time < from || time > to)
                continue;
            assert_true(at < some->count);
            assert_int_equal(some->order[at++], all->order[i]);
        }
        assert_int_equal(at, some->count);
        memtable_order_unref(some);
        memtable_order_unref(all);
    }
    memtable_free(m);
    table_unref(t);
    sched_free(sched);
}

static void test_rows_of_a_window(void **state)
{
    static const int64_t rising[] = {1, 2, 99, 5, 5, 0, 9, 250, 1, 260};
    static const int64_t mixed[] = {50, 2, 500, 7, 7, -9, 3, 120, 11, 1, 7, 4};

    (void)state;
    for (int64_t from = -2; from < 12; from++)
        for (int64_t to = from; to < 12; to++) {
            window(rising, DN_ARRAY_SIZE(rising), from, to);
            window(mixed, DN_ARRAY_SIZE(mixed), from, to);
        }
    window(rising, DN_ARRAY_SIZE(rising), 100, INT64_MAX);
    window(mixed, DN_ARRAY_SIZE(mixed), INT64_MIN, INT64_MAX);
}

/* One version of the row of series 1 at time 5. */
static void stage_op(struct memtable *m, uint64_t seq, enum row_op op)
{
    const int64_t id = 1;
    const int64_t time = 5;
    struct vec cols[2] = {{.type = TYPE_BIGINT, .count = 1, .data = &id},
                          {.type = TYPE_TIMESTAMP, .count = 1, .data = &time}};
    const struct mem_write w = {.cols = cols, .seq = seq, .op = op};
    struct dn_err err;

    assert_int_equal(memtable_stage(m, &w, 1, &err), DN_OK);
    memtable_publish(m);
}

/* An order leaves out what is older than a put or a delete, and only that; an order of fewer rows
 * has what was newest then. */
static void test_replaced_versions(void **state)
{
    static const struct {
        enum row_op op[4];
        uint32_t count; /* of versions that the order has */
        bool plain;
    } cases[] = {
        {{ROW_PUT, ROW_PUT, ROW_PUT, ROW_PUT}, 1, true},
        {{ROW_PUT, ROW_PATCH, ROW_PUT, ROW_PATCH}, 2, false},
        {{ROW_PATCH, ROW_PATCH, ROW_PATCH, ROW_PATCH}, 4, false},
        {{ROW_PUT, ROW_PUT, ROW_PATCH, ROW_DELETE}, 1, false},
        {{ROW_DELETE, ROW_PATCH, ROW_DELETE, ROW_PUT}, 1, true},
        {{ROW_PUT, ROW_DELETE, ROW_PATCH, ROW_PATCH}, 3, false},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct dn_err err;
        struct sched *sched = sched_sim_new(1, &err);
        struct table *t = model_table(&shape);
        struct memtable *m = memtable_new(sched, NULL, t);
        struct mem_order *o;

        for (uint32_t k = 0; k < 4; k++)
            stage_op(m, k + 1, cases[i].op[k]);
        assert_int_equal(memtable_order(m, 4, NULL, NULL, &o, &err), DN_OK);
        assert_int_equal(o->count, cases[i].count);
        assert_int_equal(o->runs_count, 1);
        assert_int_equal(o->runs[0].count, cases[i].count);
        assert_int_equal(o->runs[0].plain, cases[i].plain);
        assert_int_equal(o->order[o->count - 1], 3);
        memtable_order_unref(o);
        assert_int_equal(memtable_order(m, 1, NULL, NULL, &o, &err), DN_OK);
        assert_int_equal(o->count, 1);
        assert_int_equal(o->order[0], 0);
        memtable_order_unref(o);
        memtable_free(m);
        table_unref(t);
        sched_free(sched);
    }
}

static void stage_expiring(struct memtable *m, uint64_t seq, int64_t all, const int64_t *each)
{
    int64_t ids[2] = {1, 1};
    int64_t times[2] = {(int64_t)seq, (int64_t)seq + 1};
    struct vec cols[2] = {{.type = TYPE_BIGINT, .count = 2, .data = ids},
                          {.type = TYPE_TIMESTAMP, .count = 2, .data = times}};
    struct mem_write w = {
        .cols = cols, .seq = seq, .op = ROW_PUT, .expiry_ns = all, .expiries = each};
    struct dn_err err;

    assert_int_equal(memtable_stage(m, &w, 2, &err), DN_OK);
}

static void expect_expiry(struct memtable *m, int64_t min, const int64_t *each, uint32_t count)
{
    struct mem_order *o;
    struct dn_err err;
    struct arena arena;
    uint32_t rows[8];
    uint32_t col = memtable_table(m)->columns_count + HIDDEN_EXPIRY;
    struct mem_want want = {.rows = rows, .count = count, .cols = &col, .cols_count = 1};
    struct vec v;

    arena_init(&arena, NULL);
    assert_int_equal(memtable_rows(m), count);
    assert_int_equal(memtable_order(m, count, NULL, NULL, &o, &err), DN_OK);
    assert_true(o->expiry_min == min);
    memtable_order_unref(o);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = i;
    assert_int_equal(memtable_gather(m, &want, &arena, &v, &err), DN_OK);
    assert_true((min == INT64_MAX) == (v.form == VEC_CONST));
    for (uint32_t i = 0; i < count; i++) {
        struct datum d = memtable_datum(m, i, col);
        struct datum gathered = vec_datum(&v, i);

        assert_true(memtable_expiry(m, i) == each[i]);
        assert_true(d.null == (each[i] == ROW_NEVER) && (d.null || d.v.i64 == each[i]));
        assert_true(gathered.null == d.null && (d.null || gathered.v.i64 == each[i]));
    }
    arena_done(&arena);
}

/* Each row keeps when it expires; places of rows that were taken back remember nothing. */
static void test_expiry(void **state)
{
    static const int64_t some[] = {ROW_NEVER, 70};
    static const int64_t want[] = {
        ROW_NEVER, ROW_NEVER, ROW_NEVER, 70, 90, 90, ROW_NEVER, ROW_NEVER};
    struct dn_err err;
    struct sched *sched = sched_sim_new(1, &err);
    struct table *t = model_table(&shape);
    struct memtable *m = memtable_new(sched, NULL, t);

    (void)state;
    assert_non_null(m);
    stage_expiring(m, 10, ROW_NEVER, NULL);
    memtable_publish(m);
    expect_expiry(m, INT64_MAX, want, 2);
    stage_expiring(m, 20, ROW_NEVER, some);
    memtable_publish(m);
    expect_expiry(m, 70, want, 4);
    stage_expiring(m, 30, 90, NULL);
    memtable_publish(m);
    stage_expiring(m, 40, 5, NULL);
    memtable_rollback(m, 6);
    stage_expiring(m, 40, ROW_NEVER, NULL);
    memtable_publish(m);
    expect_expiry(m, 70, want, 8);
    memtable_free(m);
    table_unref(t);
    sched_free(sched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rollback_under_readers),
                                       cmocka_unit_test(test_expiry),
                                       cmocka_unit_test(test_replaced_versions),
                                       cmocka_unit_test(test_rows_of_a_window)};

    return cmocka_run_group_tests_name("memtable", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments when memory or the volume fails: the n-th allocation or call fails, for n = 1, 2, 3 …
 * until a pass without a fault. The error surfaces and nothing leaks. */
#include "model.h"
#include "place.h"
#include "store/seg_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct table_shape shape = {
    .cols = 4,
    .types = {TYPE_VARCHAR, TYPE_TIMESTAMP, TYPE_DOUBLE, TYPE_VARCHAR},
    .form = KEY_RIAK,
    .series_count = 1,
    .series = {0},
    .rest_count = 1,
    .rest = {{.col = 1, .desc = false}},
    .time_col = 1,
    .slab_width = 4000};

#define COLS (4 + HIDDEN_MAX)

struct bench {
    struct model m;
    struct place p;
    struct buf object;
    struct arena a;
    struct vec vecs[2][COLS]; /* two batches */
    uint32_t counts[2];
};

static const struct table_shape shape_turns = {
    .cols = 4,
    .types = {TYPE_TIMESTAMP, TYPE_VARCHAR, TYPE_DOUBLE, TYPE_VARCHAR},
    .form = KEY_NONE,
    .time_col = -1};

/* Rows in two series, or of twenty that take turns. */
static void bench_init(struct bench *x, bool turns)
{
    struct model_style style = {
        .rows = 1500, .series = 2, .domain = 6000, .null_pct = 10, .writes = true};
    struct rng r = {.x = 31};
    struct dn_err err = {0};
    struct seg_meta meta;

    if (turns)
        style = (struct model_style){.rows = 600, .domain = 6000, .plain = true, .turns = 20};
    model_init(&x->m, model_table(turns ? &shape_turns : &shape), &style, &r);
    place_init(&x->p);
    buf_init(&x->object, NULL);
    arena_init(&x->a, NULL);
    if (model_write(&x->m, 1, 500, &r, &x->object, &meta, &err) < 0)
        fail_msg("%s", err.text);
    place_put(&x->p, x->m.t->id, 1, &x->object);
    x->counts[0] = x->m.rows / 2;
    x->counts[1] = x->m.rows - x->counts[0];
    for (uint32_t c = 0; c < COLS; c++) {
        x->vecs[0][c] = model_vec(&x->m, c, 0, x->counts[0], &x->a, &r);
        x->vecs[1][c] = model_vec(&x->m, c, x->counts[0], x->counts[1], &x->a, &r);
    }
}

static void bench_done(struct bench *x)
{
    arena_done(&x->a);
    buf_done(&x->object);
    place_done(&x->p);
    model_done(&x->m);
}

static int write_all(struct bench *x, struct buf *ret, struct dn_err *err)
{
    struct seg_writer *w = seg_writer_new(NULL, x->m.t, 1);
    struct seg_meta meta;
    int rc = w ? 0 : DN_E_NOMEM;

    for (int i = 0; i < 2 && rc == 0; i++)
        rc = seg_writer_add(w, x->vecs[i], x->counts[i], err);
    if (rc == 0)
        rc = seg_writer_finish(w, ret, &meta, err);
    seg_writer_free(w);
    return rc;
}

static int read_all(struct bench *x, bool cached, struct dn_err *err)
{
    struct cache *cache = cached ? cache_new(x->p.v->sched, NULL, 1 << 20) : NULL;
    uint32_t cols[COLS];
    struct vec vecs[COLS];
    struct seg_pins pins;
    struct seg *s = NULL;
    struct arena a;
    uint32_t count = 0;
    const struct seg_block *blocks = NULL;
    int rc;

    if (cached && !cache)
        return DN_E_NOMEM;
    rc = seg_open(x->p.v, cache, x->m.t, x->m.t->id, 1, &s, err);
    arena_init(&a, NULL);
    seg_pins_init(&pins);
    for (uint32_t c = 0; c < COLS; c++)
        cols[c] = c;
    if (rc == 0)
        blocks = seg_get_blocks(s, &count);
    for (uint32_t b = 0; b < count && rc == 0; b++)
        for (uint32_t v = 0; v < blocks[b].vectors && rc == 0; v++)
            rc = seg_fetch(
                s,
                &(struct seg_select){.block = b, .vector = v, .cols = cols, .cols_count = COLS},
                &a,
                &pins,
                vecs,
                err);
    if (rc == 0)
        rc = seg_verify(s, err);
    seg_pins_done(&pins);
    arena_done(&a);
    seg_unref(s);
    cache_free(cache);
    return rc;
}

static void sweep_memory_of_writer(bool turns)
{
    struct bench x;
    uint64_t n;

    bench_init(&x, turns);
    for (n = 1;; n++) {
        size_t before = mem_process_used();
        struct dn_err err = {0};
        struct buf b;
        bool hit;
        int rc;

        buf_init(&b, NULL);
        mem_fail_nth(n, n % 2);
        rc = write_all(&x, &b, &err);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(rc, hit ? DN_E_NOMEM : 0);
        if (!hit) {
            assert_int_equal(b.len, x.object.len);
            assert_memory_equal(b.data, x.object.data, b.len);
        }
        buf_done(&b);
        assert_int_equal(mem_process_used(), before);
        if (!hit)
            break;
    }
    print_message("%u allocations\n", (unsigned)n - 1);
    bench_done(&x);
}

static void test_memory_of_writer(void **state)
{
    (void)state;
    sweep_memory_of_writer(false);
    sweep_memory_of_writer(true);
}

static void sweep_memory_of_reader(bool cached, bool turns)
{
    struct bench x;
    uint64_t n;

    bench_init(&x, turns);
    for (n = 1;; n++) {
        size_t before = mem_process_used();
        struct dn_err err = {0};
        bool hit;
        int rc;

        mem_fail_nth(n, n % 2);
        rc = read_all(&x, cached, &err);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_true(rc == 0 || rc == DN_E_NOMEM);
        assert_true(hit || rc == 0);
        assert_int_equal(mem_process_used(), before);
        if (!hit)
            break;
    }
    print_message("%u allocations\n", (unsigned)n - 1);
    bench_done(&x);
}

static void test_memory_of_reader(void **state)
{
    (void)state;
    sweep_memory_of_reader(false, false);
    sweep_memory_of_reader(false, true);
}

static void test_memory_of_cached_reader(void **state)
{
    (void)state;
    sweep_memory_of_reader(true, false);
    sweep_memory_of_reader(true, true);
}

static void sweep_volume(bool turns)
{
    struct bench x;

    bench_init(&x, turns);
    for (int cached = 0; cached < 2; cached++)
        for (uint64_t n = 1;; n++) {
            size_t before = mem_process_used();
            struct dn_err err = {0};
            bool hit;
            int rc;

            sim_disk_fail_nth(x.p.disk, n, SIM_FAULT_IO, false);
            rc = read_all(&x, cached, &err);
            hit = sim_disk_fail_hit(x.p.disk);
            sim_disk_fail_nth(x.p.disk, 0, SIM_FAULT_NONE, false);
            assert_int_equal(rc, hit ? DN_E_IO : 0);
            assert_int_equal(mem_process_used(), before);
            if (!hit)
                break;
        }
    bench_done(&x);
}

static void test_volume(void **state)
{
    (void)state;
    sweep_volume(false);
    sweep_volume(true);
}

/* An owner with a limit fails the one that asks, with the same error. */
static void test_limits(void **state)
{
    struct mem_owner owner;
    struct dn_err err = {0};
    struct seg_writer *w;
    struct bench x;
    int rc = 0;

    (void)state;
    bench_init(&x, false);
    mem_owner_init(&owner, "small", NULL, 30000);
    w = seg_writer_new(&owner, x.m.t, 1);
    if (w)
        rc = seg_writer_add(w, x.vecs[0], x.counts[0], &err);
    assert_true(!w || rc == DN_E_NOMEM);
    seg_writer_free(w);
    assert_int_equal(mem_owner_used(&owner), 0);
    bench_done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_writer),
        cmocka_unit_test(test_memory_of_reader),
        cmocka_unit_test(test_memory_of_cached_reader),
        cmocka_unit_test(test_volume),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

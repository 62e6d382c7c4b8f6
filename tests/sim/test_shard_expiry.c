/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_expiry.c: rows that expire give their space back. What they mean to queries is a part
 * of the model in test_shard.c. */
#include "shard_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MINUTE INT64_C(60000000000)

struct world {
    struct rng rng;
    struct sim_disk *disk;
    struct volume *v;
    struct catalog *cat;
    struct shard *s;
    struct model m;
};

/* One random table whose rows may expire. */
static void world_init(struct world *w, uint64_t seed)
{
    const struct shard_options o = {
        .memtable_bytes = 1u << 22, .log_chunk_bytes = 1u << 20, .cache_bytes = 1u << 20};
    struct catalog *next;
    struct table *t;
    struct dn_err err;

    *w = (struct world){.rng = {.state = seed}, .disk = sim_disk_new(seed)};
    sim_disk_set_clock(w->disk, MODEL_CLOCK_NS);
    if (sim_volume_open(w->disk, seed, &w->v, &err) < 0 || catalog_load(w->v, &w->cat, &err) < 0)
        fail_msg("cannot begin: %s", err.text);
    t = model_random_table(&w->rng, "alpha");
    while (t->upsert == UPSERT_FIELD) {
        table_unref(t);
        t = model_random_table(&w->rng, "alpha");
    }
    if (catalog_with_table(w->cat, t, &next, &err) < 0)
        fail_msg("cannot add table: %s", err.text);
    model_init(&w->m, catalog_table(next, "public", "alpha", NULL));
    table_unref(t);
    catalog_unref(w->cat);
    w->cat = next;
    if (shard_open(w->v, w->cat, &o, &w->s, &err) < 0)
        fail_msg("cannot open: %s", err.text);
}

static void world_done(struct world *w)
{
    shard_close(w->s);
    volume_close(w->v);
    model_done(&w->m);
    catalog_unref(w->cat);
    sim_disk_free(w->disk);
}

/* A segment of rows that all expire then. */
static void put(struct world *w, int64_t expiry_ns)
{
    struct model_batch b = model_random_batch(&w->rng, w->m.t, 60);
    struct dn_err err;

    while (b.op != ROW_PUT) {
        model_batch_done(&b);
        b = model_random_batch(&w->rng, w->m.t, 60);
    }
    for (uint32_t i = 0; i < b.count; i++)
        b.rows[i].expiry_ns = expiry_ns;
    if (model_write(w->s, w->m.t, &b, true, &err) < 0 || shard_flush(w->s, &err) < 0)
        fail_msg("%s", err.text);
    model_apply(&w->m, &b);
    model_batch_done(&b);
}

static void verify(struct world *w, uint64_t seed, const char *when)
{
    const char *bad = model_compare(&w->m, w->s, &w->rng);

    if (bad)
        fail_msg("seed %u: %s: %s", (unsigned)seed, when, bad);
}

/* Moves the clock and merges; returns how many vectors the merge had to read. */
static uint64_t at(struct world *w, uint64_t seed, int64_t ns, struct shard_stats *ret)
{
    struct dn_err err;
    uint64_t reads;

    sim_disk_set_clock(w->disk, ns);
    verify(w, seed, "before the merge");
    shard_get_stats(w->s, ret);
    reads = ret->cache_misses;
    if (shard_merge(w->s, &err) < 0)
        fail_msg("seed %u: %s", (unsigned)seed, err.text);
    shard_get_stats(w->s, ret);
    reads = ret->cache_misses - reads;
    verify(w, seed, "after it");
    shard_get_stats(w->s, ret);
    return reads;
}

/* The oldest expires first: each segment goes when it has, and nothing is written or read. */
static void test_drop(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct shard_stats stats;
        struct world w;
        uint64_t reads;

        world_init(&w, seed);
        for (int i = 0; i < 3; i++)
            put(&w, MODEL_CLOCK_NS + (i + 1) * MINUTE);
        (void)at(&w, seed, MODEL_CLOCK_NS, &stats); /* slabs settle: there may be fewer segments */
        reads = at(&w, seed, MODEL_CLOCK_NS + 10 * MINUTE, &stats);
        assert_int_equal(stats.segments, 0);
        assert_int_equal(stats.segment_rows, 0);
        assert_int_equal(reads, 0);
        world_done(&w);
    }
}

/* Segments that hide older rows which live on stay, until these go, too. */
static void test_hidden(void **state)
{
    uint32_t stayed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct shard_stats stats;
        struct world w;

        world_init(&w, seed);
        put(&w, ROW_NEVER);
        put(&w, MODEL_CLOCK_NS + MINUTE);
        (void)at(&w, seed, MODEL_CLOCK_NS + 2 * MINUTE, &stats);
        stayed += stats.segments == 2;
        assert_true(stats.segments >= 1 || w.m.count == 0);
        world_done(&w);
    }
    assert_true(stayed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_hidden),
    };

    return cmocka_run_group_tests_name("shard_expiry", tests, NULL, NULL);
}

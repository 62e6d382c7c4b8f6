/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_threads.c: the shard under real threads on a posix volume: writers commit batches,
 * readers see each batch whole or not at all, a flusher moves rows to segments meanwhile. Runs
 * under the thread sanitizer too. */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "catalog/catalog.h"
#include "series_table.h"
#include "store/scan.h"
#include "store/shard.h"

#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WRITERS     4u
#define BATCHES     60u
#define BATCH_ROWS  37u
#define WRITER_SPAN 1000000

struct world {
    struct volume *v;
    struct catalog *cat;
    const struct table *t;
    struct shard *s;
    atomic_bool stop;
    atomic_uint torn;   /* batches seen in part */
    atomic_uint failed; /* calls that returned an error */
    atomic_uint scans;
};

struct writer {
    struct world *w;
    uint32_t number;
};

static struct table *make_table(void)
{
    const struct column_spec cols[3] = {
        {.name.s = "series", .type = TYPE_BIGINT, .not_null = true},
        {.name.s = "time", .type = TYPE_TIMESTAMP, .not_null = true},
        {.name.s = "batch", .type = TYPE_BIGINT, .not_null = true}};

    return series_table("t", cols);
}

static void *run_writer(void *arg)
{
    struct writer *me = arg;
    int64_t series[BATCH_ROWS];
    int64_t times[BATCH_ROWS];
    int64_t batch[BATCH_ROWS];
    struct vec cols[3] = {{.type = TYPE_BIGINT, .count = BATCH_ROWS, .data = series},
                          {.type = TYPE_TIMESTAMP, .count = BATCH_ROWS, .data = times},
                          {.type = TYPE_BIGINT, .count = BATCH_ROWS, .data = batch}};
    struct shard_batch b = {.table = me->w->t, .cols = cols, .rows = BATCH_ROWS, .op = ROW_PUT};

    for (uint32_t n = 0; n < BATCHES; n++) {
        for (uint32_t i = 0; i < BATCH_ROWS; i++) {
            series[i] = (int64_t)(i % 7);
            times[i] = (int64_t)me->number * WRITER_SPAN + (int64_t)n * 1000 + (int64_t)i + 1;
            batch[i] = (int64_t)me->number * 100000 + (int64_t)n;
        }
        if (shard_write(me->w->s, &b, 1, n % 5 != 0, NULL, NULL) < 0)
            atomic_fetch_add(&me->w->failed, 1);
    }
    return NULL;
}

static uint64_t count_batches(struct world *w)
{
    static const uint16_t cols[1] = {2};
    struct scan_spec spec = {.table = w->t, .cols = cols, .cols_count = 1};
    uint32_t *seen = mem_calloc(NULL, (size_t)WRITERS * BATCHES, sizeof *seen);
    struct snapshot *snap = shard_snapshot(w->s);
    struct scan *scan = NULL;
    struct batch b;
    uint64_t rows = 0;
    int rc;

    rc = seen && snap ? scan_open(snap, &spec, &scan, NULL) : DN_E_NOMEM;
    while (rc == DN_OK && (rc = scan_next(scan, &b, NULL)) == DN_OK) {
        for (uint32_t i = 0; i < b.sel_count; i++) {
            int64_t n = vec_i64(&b.cols[0], b.sel ? b.sel[i] : i);
            seen[(n / 100000) * BATCHES + n % 100000]++;
            rows++;
        }
    }
    if (rc < 0)
        atomic_fetch_add(&w->failed, 1);
    for (uint32_t i = 0; seen && i < WRITERS * BATCHES; i++)
        if (seen[i] != 0 && seen[i] != BATCH_ROWS)
            atomic_fetch_add(&w->torn, 1);
    scan_close(scan);
    snapshot_free(snap);
    mem_free(seen);
    return rows;
}

static void *run_reader(void *arg)
{
    struct world *w = arg;
    struct shard_stats stats;

    while (!atomic_load(&w->stop)) {
        (void)count_batches(w);
        shard_get_stats(w->s, &stats); /* reads figures that writers change meanwhile */
        atomic_fetch_add(&w->scans, 1);
    }
    return NULL;
}

static void *run_flusher(void *arg)
{
    struct world *w = arg;

    while (!atomic_load(&w->stop))
        if (shard_flush(w->s, NULL) < 0)
            atomic_fetch_add(&w->failed, 1);
    return NULL;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void world_open(struct world *w, const char *dir)
{
    struct volume_posix_options vo = {.create = true};
    struct shard_options so = {.memtable_bytes = 200000,
                               .log_chunk_bytes = 65536,
                               .cache_bytes = 1u << 20,
                               .background = true};
    struct dn_err err;
    struct table *t;
    struct catalog *next;

    if (volume_posix_open(dir, &vo, &w->v, &err) < 0 || catalog_load(w->v, &w->cat, &err) < 0)
        fail_msg("%s", err.text);
    if (w->cat->tables_count == 0) {
        /* A catalog without a manifest would be a database that has lost it. */
        if (shard_open(w->v, w->cat, &so, &w->s, &err) < 0)
            fail_msg("%s", err.text);
        shard_close(w->s);
        t = make_table();
        if (catalog_with_table(w->cat, t, &next, &err) < 0 || catalog_save(w->v, next, &err) < 0)
            fail_msg("%s", err.text);
        table_unref(t);
        catalog_unref(w->cat);
        w->cat = next;
    }
    w->t = catalog_table(w->cat, "public", "t", NULL);
    if (shard_open(w->v, w->cat, &so, &w->s, &err) < 0)
        fail_msg("%s", err.text);
}

static void world_close(struct world *w)
{
    shard_close(w->s);
    catalog_unref(w->cat);
    volume_close(w->v);
}

static void test_threads(void **state)
{
    char dir[] = "/tmp/dendro-threads-XXXXXX";
    struct world w;
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS + 2];
    struct shard_stats stats;

    (void)state;
    memset(&w, 0, sizeof w);
    assert_non_null(mkdtemp(dir));
    world_open(&w, dir);
    for (uint32_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.w = &w, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_writer, &writers[i]), 0);
    }
    assert_int_equal(pthread_create(&threads[WRITERS], NULL, run_reader, &w), 0);
    assert_int_equal(pthread_create(&threads[WRITERS + 1], NULL, run_flusher, &w), 0);
    for (uint32_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    atomic_store(&w.stop, true);
    assert_int_equal(pthread_join(threads[WRITERS], NULL), 0);
    assert_int_equal(pthread_join(threads[WRITERS + 1], NULL), 0);
    assert_int_equal(atomic_load(&w.torn), 0);
    assert_int_equal(atomic_load(&w.failed), 0);
    assert_true(atomic_load(&w.scans) > 0);
    assert_int_equal(count_batches(&w), WRITERS * BATCHES * BATCH_ROWS);
    shard_get_stats(w.s, &stats);
    assert_int_equal(stats.commits, WRITERS * BATCHES);
    assert_true(stats.log_appends <= stats.commits);
    world_close(&w);
    world_open(&w, dir);
    assert_int_equal(count_batches(&w), WRITERS * BATCHES * BATCH_ROWS);
    world_close(&w);
    (void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};

    return cmocka_run_group_tests_name("shard_threads", tests, NULL, NULL);
}

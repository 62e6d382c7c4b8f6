/* SPDX-License-Identifier: Apache-2.0
 *
 * test_merge_append.c: tables without a key. Merges join segments that are neighbours by their row
 * ids, so that rows of a table that is only appended to are never merged one by one by a reader. */
#include "catalog/catalog.h"
#include "store/scan.h"
#include "store/shard.h"
#include "volume/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS_BIG 4000u /* some 4 MiB, as every text is random: not worth joining */
#define ROWS     200u
#define TEXT     1000u

struct world {
    struct sim_disk *disk;
    struct volume *v;
    struct catalog *cat;
    struct shard *s;
    const struct table *t;
    int64_t written; /* rows so far: their numbers */
};

static void world_open(struct world *w)
{
    struct column_spec cols[2] = {{.name.s = "number", .type = TYPE_BIGINT},
                                  {.name.s = "text", .type = TYPE_BLOB}};
    const struct table_spec spec = {
        .schema.s = "public", .name.s = "t", .columns = cols, .columns_count = 2};
    const struct shard_options o = {
        .memtable_bytes = 64u << 20, .log_chunk_bytes = 32u << 20, .cache_bytes = 1u << 20};
    struct catalog *cat = NULL;
    struct table *made;
    struct dn_err err;

    *w = (struct world){.disk = sim_disk_new(1)};
    if (table_build(&spec, &made, &err) < 0 || sim_volume_open(w->disk, 1, &w->v, &err) < 0 ||
        catalog_load(w->v, &cat, &err) < 0 || catalog_with_table(cat, made, &w->cat, &err) < 0)
        fail_msg("%s", err.text);
    table_unref(made);
    catalog_unref(cat);
    w->t = catalog_table(w->cat, "public", "t", NULL);
    if (shard_open(w->v, w->cat, &o, &w->s, &err) < 0)
        fail_msg("%s", err.text);
}

static void world_close(struct world *w)
{
    shard_close(w->s);
    volume_close(w->v);
    catalog_unref(w->cat);
    sim_disk_free(w->disk);
}

/* A segment of new rows, or of rows that get a new version. */
static void write_rows(struct world *w, uint32_t rows, const int64_t *ids)
{
    static int64_t numbers[ROWS_BIG];
    static struct vstr texts[ROWS_BIG];
    static char bytes[ROWS_BIG * TEXT];
    static uint64_t state = 88172645463325252u;
    struct vec cols[2] = {{.type = TYPE_BIGINT, .count = rows, .data = numbers},
                          {.type = TYPE_BLOB, .count = rows, .data = texts}};
    struct shard_batch b = {
        .table = w->t, .cols = cols, .rows = rows, .op = ROW_PUT, .rowids = ids};
    struct dn_err err;

    for (size_t i = 0; i < (size_t)rows * TEXT; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes[i] = (char)(state >> 24);
    }
    for (uint32_t i = 0; i < rows; i++) {
        numbers[i] = ids ? -1 : w->written++;
        texts[i] = (struct vstr){bytes + (size_t)i * TEXT, TEXT};
    }
    if (shard_write(w->s, &b, 1, false, NULL, &err) < 0 || shard_flush(w->s, &err) < 0)
        fail_msg("%s", err.text);
}

static struct scan_stats look(struct world *w, uint64_t *ret_updated)
{
    static const uint16_t wanted[1] = {0};
    struct scan_spec spec = {.table = w->t, .cols = wanted, .cols_count = 1};
    struct scan_stats stats;
    struct snapshot *snap = shard_snapshot(w->s);
    struct mem_owner mem;
    struct batch b = {0};
    struct scan *scan;
    struct dn_err err;
    int64_t next = 0;
    int rc;

    mem_owner_init(&mem, "test", NULL, 0);
    spec.owner = &mem;
    *ret_updated = 0;
    assert_non_null(snap);
    if (scan_open(snap, &spec, &scan, &err) < 0)
        fail_msg("%s", err.text);
    while ((rc = scan_next(scan, &b, &err)) == 0)
        for (uint32_t i = 0; i < b.sel_count; i++, next++) {
            int64_t number = vec_i64(&b.cols[0], b.sel ? b.sel[i] : i);
            assert_true(number == next || number == -1);
            *ret_updated += number == -1;
        }
    assert_int_equal(rc, DN_EOF);
    assert_int_equal(next, w->written);
    scan_get_stats(scan, &stats);
    scan_close(scan);
    snapshot_free(snap);
    return stats;
}

static void merge_all(struct world *w)
{
    struct dn_err err;

    if (shard_merge(w->s, &err) < 0)
        fail_msg("%s", err.text);
}

/* Small segments before, between and behind large ones: each stretch of them becomes one. */
static void test_neighbours(void **state)
{
    struct scan_stats stats;
    struct world w;
    uint64_t updated;

    (void)state;
    world_open(&w);
    for (uint32_t i = 0; i < 24; i++)
        write_rows(&w, i % 6 == 5 ? ROWS_BIG : ROWS, NULL);
    stats = look(&w, &updated);
    assert_int_equal(stats.segments_total, 24);
    assert_int_equal(stats.rows_merged, 0);
    merge_all(&w);
    stats = look(&w, &updated);
    assert_int_equal(stats.segments_total, 8);
    assert_int_equal(stats.rows_merged, 0);
    world_close(&w);
}

/* Rows that were updated are found, wherever their versions are. */
static void test_updates(void **state)
{
    int64_t ids[2] = {3, 5};
    struct world w;
    uint64_t updated;

    (void)state;
    world_open(&w);
    for (uint32_t i = 0; i < 12; i++) {
        write_rows(&w, i % 4 == 3 ? ROWS_BIG : ROWS, NULL);
        write_rows(&w, 2, ids);
        ids[1] += 7;
        merge_all(&w);
    }
    (void)look(&w, &updated);
    assert_int_equal(updated, 13);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_updates)};

    return cmocka_run_group_tests_name("merge_append", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * test_merge_end.c: merges come to an end. Where the output of a merge is cut inside a series, its
 * parts have the same token; they must not be taken for segments that lie over each other. */
#include "catalog/catalog.h"
#include "series_table.h"
#include "store/scan.h"
#include "store/shard.h"
#include "volume/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS   12000u /* of a batch: some 12 MiB, as every text is random */
#define TEXT   1000u
#define DAY_MS 86400000

static struct table *make_table(void)
{
    const struct column_spec cols[3] = {
        {.name.s = "series", .type = TYPE_BIGINT, .not_null = true},
        {.name.s = "time", .type = TYPE_TIMESTAMP, .not_null = true},
        {.name.s = "text", .type = TYPE_BLOB}};

    return series_table("t", cols);
}

/* Rows of `series` series, a second apart, from second `from` of day `day`. */
static void write_rows(struct shard *s,
                       const struct table *t,
                       uint32_t rows,
                       uint32_t series,
                       int64_t day,
                       int64_t from)
{
    static int64_t ids[ROWS];
    static int64_t times[ROWS];
    static struct vstr texts[ROWS];
    static char bytes[ROWS * TEXT];
    static uint64_t state = 88172645463325252u;
    struct vec cols[3] = {{.type = TYPE_BIGINT, .count = rows, .data = ids},
                          {.type = TYPE_TIMESTAMP, .count = rows, .data = times},
                          {.type = TYPE_BLOB, .count = rows, .data = texts}};
    struct shard_batch b = {.table = t, .cols = cols, .rows = rows, .op = ROW_PUT};
    struct dn_err err;

    for (size_t i = 0; i < (size_t)rows * TEXT; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes[i] = (char)(state >> 24);
    }
    for (uint32_t i = 0; i < rows; i++) {
        ids[i] = i % series;
        times[i] = (day + 1) * DAY_MS + (from + i / series) * 1000;
        texts[i] = (struct vstr){bytes + (size_t)i * TEXT, TEXT};
    }
    if (shard_write(s, &b, 1, false, NULL, &err) < 0 || shard_flush(s, &err) < 0)
        fail_msg("%s", err.text);
}

static uint64_t merge_all(struct shard *s)
{
    struct shard_stats stats;
    struct dn_err err;

    if (shard_merge(s, &err) < 0)
        fail_msg("%s", err.text);
    shard_get_stats(s, &stats);
    return stats.merges;
}

/* Two batches over each other in a slab that settles; then one late row. */
static void run(uint32_t series)
{
    struct sim_disk *disk = sim_disk_new(1);
    struct shard_options o = {
        .memtable_bytes = 64u << 20, .log_chunk_bytes = 32u << 20, .cache_bytes = 1u << 20};
    struct table *made = make_table();
    struct catalog *cat = NULL;
    struct catalog *next = NULL;
    struct volume *v = NULL;
    struct shard *s = NULL;
    const struct table *t;
    struct dn_err err;
    uint64_t merges;

    if (sim_volume_open(disk, 1, &v, &err) < 0 || catalog_load(v, &cat, &err) < 0 ||
        catalog_with_table(cat, made, &next, &err) < 0)
        fail_msg("%s", err.text);
    table_unref(made);
    catalog_unref(cat);
    t = catalog_table(next, "public", "t", NULL);
    if (shard_open(v, next, &o, &s, &err) < 0)
        fail_msg("%s", err.text);
    write_rows(s, t, ROWS, series, 0, 0);
    write_rows(s, t, ROWS, series, 0, ROWS / series / 2);
    write_rows(s, t, 1, 1, 1, 0);
    merges = merge_all(s);
    assert_in_range(merges, 1, 3);
    assert_int_equal(merge_all(s), merges);
    write_rows(s, t, 1, 1, 0, 5);
    assert_in_range(merge_all(s), merges + 1, merges + 3);
    shard_close(s);
    volume_close(v);
    catalog_unref(next);
    sim_disk_free(disk);
}

static void test_one_series(void **state)
{
    (void)state;
    run(1);
}

static void test_some_series(void **state)
{
    (void)state;
    run(3);
    run(17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_series),
                                       cmocka_unit_test(test_some_series)};

    return cmocka_run_group_tests_name("merge_end", tests, NULL, NULL);
}

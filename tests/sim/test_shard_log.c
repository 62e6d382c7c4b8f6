/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_log.c: whatever a write acknowledges, the next open can read from the log. */
#include "catalog/catalog.h"
#include "store/log.h"
#include "store/shard.h"
#include "volume/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
    struct sim_disk *disk;
    struct volume *v;
    struct catalog *cat;
    const struct table *t; /* k BIGINT, PRIMARY KEY (k) */
    struct shard *s;
};

static void fixture_open(struct fixture *f, struct mem_owner *owner, size_t memtable_bytes)
{
    struct shard_options o = {.owner = owner,
                              .memtable_bytes = memtable_bytes,
                              .log_chunk_bytes = 1u << 18,
                              .cache_bytes = 1u << 16};
    struct dn_err err;

    if (sim_volume_open(f->disk, 1, &f->v, &err) < 0 ||
        shard_open(f->v, f->cat, &o, &f->s, &err) < 0)
        fail_msg("cannot open: %s", err.text);
}

static void fixture_close(struct fixture *f)
{
    shard_close(f->s);
    volume_close(f->v);
}

static void fixture_init(struct fixture *f)
{
    struct column_spec cols[1] = {{.name.s = "k", .type = TYPE_BIGINT, .not_null = true}};
    struct key_elem_spec key[1] = {{.name.s = "k"}};
    struct table_spec spec = {.schema.s = "public",
                              .name.s = "t",
                              .columns = cols,
                              .columns_count = 1,
                              .has_key = true,
                              .keys_count = 1,
                              .local = key,
                              .local_count = 1};
    struct catalog *empty;
    struct table *t;
    struct dn_err err;

    f->disk = sim_disk_new(1);
    if (sim_volume_open(f->disk, 1, &f->v, &err) < 0 || catalog_load(f->v, &empty, &err) < 0 ||
        table_build(&spec, &t, &err) < 0 || catalog_with_table(empty, t, &f->cat, &err) < 0)
        fail_msg("cannot begin: %s", err.text);
    volume_close(f->v);
    catalog_unref(empty);
    table_unref(t);
    f->t = catalog_table(f->cat, "public", "t", NULL);
}

static void fixture_done(struct fixture *f)
{
    fixture_close(f);
    catalog_unref(f->cat);
    sim_disk_free(f->disk);
}

static uint64_t fixture_rows(struct fixture *f)
{
    struct shard_stats st;

    shard_get_stats(f->s, &st);
    return st.memtable_rows + st.segment_rows;
}

/* A bitmap that says of no row that it is NULL is as good as none, for a key too. */
static void test_empty_bitmaps(void **state)
{
    static const uint64_t none[1] = {0xf0}; /* behind the rows: means nothing */
    int64_t keys[4] = {1, 2, 3, 4};
    struct vec col = {.type = TYPE_BIGINT, .count = 4, .data = keys, .nulls = none, .absent = none};
    struct shard_batch b = {.cols = &col, .rows = 4, .op = ROW_PUT};
    struct fixture f;
    struct dn_err err;

    (void)state;
    fixture_init(&f);
    fixture_open(&f, NULL, 1u << 20);
    b.table = f.t;
    assert_int_equal(shard_write(f.s, &b, 1, true, NULL, &err), DN_OK);
    fixture_close(&f);
    fixture_open(&f, NULL, 1u << 20);
    assert_int_equal(fixture_rows(&f), 4);
    fixture_done(&f);
}

/* More rows than a reader of the log accepts are refused, not acknowledged. */
static void test_too_many_rows(void **state)
{
    static const int64_t key = 1;
    struct vec col = {
        .type = TYPE_BIGINT, .form = VEC_CONST, .count = LOG_ROWS_MAX + 1, .data = &key};
    struct shard_batch b = {.cols = &col, .rows = LOG_ROWS_MAX + 1, .op = ROW_PUT};
    struct fixture f;
    struct dn_err err;

    (void)state;
    fixture_init(&f);
    fixture_open(&f, NULL, 1u << 20);
    b.table = f.t;
    assert_int_equal(shard_write(f.s, &b, 1, true, NULL, &err), DN_E_TOO_COMPLEX);
    fixture_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_bitmaps),
        cmocka_unit_test(test_too_many_rows),
    };

    return cmocka_run_group_tests_name("shard log", tests, NULL, NULL);
}

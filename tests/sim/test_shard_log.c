/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_log.c: whatever a write acknowledges, the next open can read from the log;
 * and what a writer leaves alone whose time is over. */
#include "catalog/catalog.h"
#include "store/log.h"
#include "store/scan.h"
#include "store/shard.h"
#include "store/shard_load.h"
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
                              .log_chunk_bytes = 1u << 20,
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

static void fixture_init_seed(struct fixture *f, uint64_t seed)
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
    struct catalog *empty = NULL;
    struct table *t = NULL;
    struct dn_err err;

    f->disk = sim_disk_new(seed);
    if (sim_volume_open(f->disk, 1, &f->v, &err) < 0 || catalog_load(f->v, &empty, &err) < 0 ||
        table_build(&spec, &t, &err) < 0 || catalog_with_table(empty, t, &f->cat, &err) < 0)
        fail_msg("cannot begin: %s", err.text);
    volume_close(f->v);
    catalog_unref(empty);
    table_unref(t);
    f->t = catalog_table(f->cat, "public", "t", NULL);
}

static void fixture_init(struct fixture *f)
{
    fixture_init_seed(f, 1);
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

/* A log that was written under a memory limit can be replayed under the same one, even if nothing
 * could be flushed meanwhile. */
static void test_replay_in_little_memory(void **state)
{
    enum { ROWS = 256 };
    static int64_t keys[ROWS];
    struct vec col = {.type = TYPE_BIGINT, .count = ROWS, .data = keys};
    struct shard_batch b = {.cols = &col, .rows = ROWS, .op = ROW_PUT};
    struct mem_owner owner;
    struct fixture f;
    struct dn_err err;
    uint64_t rows = 0;
    int64_t next = 0;
    int rc = DN_OK;

    (void)state;
    mem_owner_init(&owner, "test", NULL, 8u << 20);
    fixture_init(&f);
    fixture_open(&f, &owner, 100u << 20);
    b.table = f.t;
    for (int n = 0; n < 10000 && rc == DN_OK; n++) {
        for (int i = 0; i < ROWS; i++)
            keys[i] = next++;
        rc = shard_write(f.s, &b, 1, true, NULL, &err);
        rows += rc == DN_OK ? ROWS : 0;
    }
    assert_int_equal(rc, DN_E_NOMEM);
    sim_disk_crash(f.disk);
    fixture_close(&f);
    fixture_open(&f, &owner, 2u << 20);
    assert_int_equal(fixture_rows(&f), rows);
    fixture_done(&f);
    assert_int_equal(mem_owner_used(&owner), 0);
}

/* The memory limit may be lower than what one record of the log holds. */
static void test_replay_in_less_memory(void **state)
{
    enum { ROWS = 200000 };
    struct mem_owner owner;
    struct fixture f;
    struct dn_err err;
    int64_t *keys = mem_alloc_array(NULL, ROWS, sizeof *keys);
    struct vec col = {.type = TYPE_BIGINT, .count = ROWS, .data = keys};
    struct shard_batch b = {.cols = &col, .rows = ROWS, .op = ROW_PUT};

    (void)state;
    assert_non_null(keys);
    for (int i = 0; i < ROWS; i++)
        keys[i] = i;
    mem_owner_init(&owner, "test", NULL, 1u << 20);
    fixture_init(&f);
    fixture_open(&f, NULL, 100u << 20);
    b.table = f.t;
    assert_int_equal(shard_write(f.s, &b, 1, true, NULL, &err), DN_OK);
    sim_disk_crash(f.disk);
    fixture_close(&f);
    fixture_open(&f, &owner, 1u << 18);
    assert_int_equal(owner.limit, 1u << 20);
    assert_true(mem_owner_used(&owner) < 1u << 20);
    assert_int_equal(fixture_rows(&f), ROWS);
    fixture_done(&f);
    assert_int_equal(mem_owner_used(&owner), 0);
    mem_free(keys);
}

/* A writer whose manifest was replaced by a successor leaves its objects alone: their names may be
 * the successor's by now. */
static void test_fenced_deletes_nothing(void **state)
{
    int64_t keys[4] = {1, 2, 3, 4};
    struct vec col = {.type = TYPE_BIGINT, .count = 4, .data = keys};
    struct shard_batch b = {.cols = &col, .rows = 4, .op = ROW_PUT};
    struct volume_names names = {0};
    const uint8_t *doc;
    struct fixture f;
    struct dn_err err;
    uint8_t *copy;
    size_t len;

    (void)state;
    fixture_init(&f);
    fixture_open(&f, NULL, 1u << 20);
    b.table = f.t;
    assert_int_equal(shard_write(f.s, &b, 1, true, NULL, &err), DN_OK);
    sim_disk_fail_nth(f.disk, 4, SIM_FAULT_NOSPC, false); /* sync, create, roll, put: frozen */
    assert_int_equal(shard_flush(f.s, &err), DN_E_NOSPC);
    assert_true(sim_disk_get(f.disk, 'd', "manifest/0", &doc, &len));
    copy = mem_dup(NULL, doc, len);
    assert_true(sim_disk_set(f.disk, 'd', "manifest/0", copy, len));
    mem_free(copy);
    assert_int_equal(shard_flush(f.s, &err), DN_E_FENCED);
    assert_int_equal(volume_list(f.v, "seg/", &names, &err), DN_OK);
    assert_int_equal(names.count, 1);
    volume_names_done(&names);
    fixture_done(&f);
}

/* Without background tasks too: once flushes work again, so do writes. */
static void test_flush_comes_back(void **state)
{
    enum { ROWS = 2000 };
    int64_t keys[ROWS];
    struct vec col = {.type = TYPE_BIGINT, .count = ROWS, .data = keys};
    struct shard_batch b = {.cols = &col, .rows = ROWS, .op = ROW_PUT};
    struct fixture f;
    struct dn_err err;
    int rc = DN_OK;

    (void)state;
    for (int i = 0; i < ROWS; i++)
        keys[i] = i;
    fixture_init(&f);
    fixture_open(&f, NULL, 1u << 14);
    b.table = f.t;
    for (int i = 0; i < 50 && rc == DN_OK; i++) {
        sim_disk_fail_nth(
            f.disk, 5, SIM_FAULT_NOSPC, true); /* append, mark, create, manifest; put */
        rc = shard_write(f.s, &b, 1, true, NULL, &err);
        sim_disk_fail_nth(f.disk, 0, SIM_FAULT_NONE, false);
    }
    assert_int_equal(rc, DN_E_NOSPC);
    if (shard_write(f.s, &b, 1, true, NULL, &err) < 0)
        fail_msg("space is back, but: %s", err.text);
    fixture_done(&f);
}

static uint64_t fixture_scan(struct fixture *f)
{
    uint16_t col = 0;
    struct scan_spec spec = {.table = f->t, .cols = &col, .cols_count = 1};
    struct snapshot *snap = shard_snapshot(f->s);
    struct scan *scan = NULL;
    uint64_t rows = 0;
    struct batch b;
    int rc = scan_open(snap, &spec, &scan, NULL);

    while (rc == DN_OK && (rc = scan_next(scan, &b, NULL)) == DN_OK)
        rows += b.sel_count;
    assert_int_equal(rc, DN_EOF);
    scan_close(scan);
    snapshot_free(snap);
    return rows;
}

/* A load whose end is in doubt when a merge begins: a delete that is newer than the loaded row is
 * not forgotten. */
static void test_load_in_doubt(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 30; n++) {
        int64_t key = 1;
        int64_t loaded = 1;
        struct vec col = {.type = TYPE_BIGINT, .count = 1, .data = &key};
        struct vec loaded_col = {.type = TYPE_BIGINT, .count = 1, .data = &loaded};
        struct shard_load_part part = {.cols = &loaded_col, .rows = 1, .op = ROW_PUT};
        struct shard_batch b = {.cols = &col, .rows = 1};
        struct shard_load_options o = {.batch_bytes = 1u << 20, .whole = true};
        struct shard_load *load;
        struct fixture f;
        struct dn_err err;

        fixture_init_seed(&f, n);
        fixture_open(&f, NULL, 1u << 20);
        b.table = f.t;
        assert_int_equal(shard_load_begin(f.s, f.t, &o, &load, &err), DN_OK);
        assert_int_equal(shard_load_add(load, &part, &err), DN_OK);
        for (key = 1; key <= 4; key++) {
            b.op = key == 1 ? ROW_DELETE : ROW_PUT;
            assert_int_equal(shard_write(f.s, &b, 1, true, NULL, &err), DN_OK);
            assert_int_equal(shard_flush(f.s, &err), DN_OK);
        }
        sim_disk_fail_nth(f.disk, 1 + n % 3, SIM_FAULT_IO, true);
        DN_IGNORE(shard_load_end(load, &err));
        shard_load_free(load);
        sim_disk_fail_nth(f.disk, 0, SIM_FAULT_NONE, false);
        assert_int_equal(shard_merge(f.s, &err), DN_OK);
        assert_int_equal(fixture_scan(&f), 3);
        fixture_close(&f);
        fixture_open(&f, NULL, 1u << 20);
        assert_int_equal(fixture_scan(&f), 3);
        fixture_done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_bitmaps),
        cmocka_unit_test(test_too_many_rows),
        cmocka_unit_test(test_replay_in_little_memory),
        cmocka_unit_test(test_replay_in_less_memory),
        cmocka_unit_test(test_fenced_deletes_nothing),
        cmocka_unit_test(test_flush_comes_back),
        cmocka_unit_test(test_load_in_doubt),
    };

    return cmocka_run_group_tests_name("shard log", tests, NULL, NULL);
}

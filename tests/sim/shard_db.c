/* SPDX-License-Identifier: Apache-2.0 */
#include "shard_db.h"

#include "series_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct table *db_table(void)
{
    const struct column_spec cols[3] = {
        {.name.s = "g", .type = TYPE_BIGINT, .not_null = true},
        {.name.s = "t", .type = TYPE_TIMESTAMP, .not_null = true},
        {.name.s = "x", .type = TYPE_BIGINT},
    };

    return series_table("m", cols);
}

int db_open_with(struct db *d, size_t limit, size_t memtable, struct dn_err *err)
{
    struct shard_options o = {.owner = &d->owner,
                              .memtable_bytes = memtable,
                              .log_chunk_bytes = 1u << 18,
                              .cache_bytes = 1u << 18};
    int rc;

    mem_owner_init(&d->owner, "test", NULL, limit);
    rc = sim_volume_open(d->disk, 1, &d->v, err);
    if (rc == 0)
        rc = shard_open(d->v, d->cat, &o, &d->s, err);
    return rc;
}

int db_open(struct db *d, struct dn_err *err)
{
    return db_open_with(d, 0, 64u << 20, err);
}

void db_close(struct db *d)
{
    shard_close(d->s);
    if (d->v)
        volume_close(d->v);
    d->s = NULL;
    d->v = NULL;
}

void db_init(struct db *d)
{
    struct table *t = db_table();
    struct catalog *empty = NULL;
    struct dn_err err;
    struct volume *v;

    memset(d, 0, sizeof *d);
    d->disk = sim_disk_new(1);
    if (sim_volume_open(d->disk, 1, &v, &err) < 0 || catalog_load(v, &empty, &err) < 0 ||
        catalog_with_table(empty, t, &d->cat, &err) < 0)
        fail_msg("%s", err.text);
    volume_close(v);
    catalog_unref(empty);
    table_unref(t);
    d->t = catalog_table(d->cat, "public", "m", NULL);
    if (db_open(d, &err) < 0)
        fail_msg("%s", err.text);
}

void db_done(struct db *d)
{
    db_close(d);
    catalog_unref(d->cat);
    sim_disk_free(d->disk);
}

int db_put(struct db *d,
           int64_t g,
           int64_t from,
           uint32_t rows,
           int64_t value,
           uint64_t check,
           struct dn_err *err)
{
    struct arena arena;
    struct datum dg = {.type = TYPE_BIGINT, .v.i64 = g};
    struct datum dx = {.type = TYPE_BIGINT, .v.i64 = value};
    struct vec cols[3];
    int64_t *times;
    struct shard_batch b = {.table = d->t, .cols = cols, .rows = rows, .check_seq = check};
    int rc;

    arena_init(&arena, NULL);
    times = arena_alloc_array(&arena, rows, sizeof *times);
    assert_non_null(times);
    for (uint32_t i = 0; i < rows; i++)
        times[i] = from + i * HOUR;
    assert_true(vec_make_const(&arena, &dg, rows, &cols[0]));
    assert_true(vec_make_const(&arena, &dx, rows, &cols[2]));
    cols[1] = (struct vec){.type = TYPE_TIMESTAMP, .form = VEC_FLAT, .count = rows, .data = times};
    rc = shard_write(d->s, &b, 1, true, NULL, err);
    arena_done(&arena);
    return rc;
}

void db_add(struct db *d, int64_t g, int64_t from, uint32_t rows, int64_t value)
{
    struct dn_err err;

    if (db_put(d, g, from, rows, value, 0, &err) < 0)
        fail_msg("%s", err.text);
}

int db_delete(struct db *d, int64_t g, int64_t from, int64_t to, uint64_t check, struct dn_err *err)
{
    struct range_bound bounds[2];
    struct range r = {.slab_min = INT64_MIN, .slab_max = INT64_MAX, .bounds = bounds};
    struct shard_batch b = {.table = d->t, .op = ROW_RANGE, .range = &r, .check_seq = check};
    struct datum dg = {.type = TYPE_BIGINT, .v.i64 = g};

    bounds[r.bounds_count++] =
        (struct range_bound){.col_id = d->t->columns[1].id,
                             .iv = {.has_lo = true,
                                    .lo_incl = true,
                                    .has_hi = true,
                                    .lo = {.type = TYPE_TIMESTAMP, .v.i64 = from},
                                    .hi = {.type = TYPE_TIMESTAMP, .v.i64 = to}}};
    if (g)
        bounds[r.bounds_count++] = (struct range_bound){.col_id = d->t->columns[0].id,
                                                        .iv = {.has_lo = true,
                                                               .lo_incl = true,
                                                               .has_hi = true,
                                                               .hi_incl = true,
                                                               .lo = dg,
                                                               .hi = dg}};
    return shard_write(d->s, &b, 1, true, NULL, err);
}

void db_gone(struct db *d, int64_t g, int64_t from, int64_t to)
{
    struct dn_err err;

    if (db_delete(d, g, from, to, 0, &err) < 0)
        fail_msg("%s", err.text);
}

void db_flush(struct db *d)
{
    struct dn_err err;

    if (shard_flush(d->s, &err) < 0)
        fail_msg("%s", err.text);
}

uint64_t db_count_in(struct db *d, struct snapshot *snap, int64_t from, int64_t to)
{
    uint16_t cols[] = {1};
    struct scan_spec spec = {.table = d->t, .cols = cols, .cols_count = 1};
    struct scan *scan;
    struct batch b;
    struct dn_err err;
    uint64_t rows = 0;
    int rc = scan_open(snap, &spec, &scan, &err);

    while (rc == DN_OK && (rc = scan_next(scan, &b, &err)) == DN_OK)
        for (uint32_t i = 0; i < b.sel_count; i++) {
            int64_t t = vec_i64(&b.cols[0], b.sel ? b.sel[i] : i);
            rows += t >= from && t < to;
        }
    if (rc < 0)
        fail_msg("%s", err.text);
    scan_close(scan);
    return rows;
}

uint64_t db_count(struct db *d, int64_t from, int64_t to)
{
    struct snapshot *snap = shard_snapshot(d->s);
    uint64_t rows;

    assert_non_null(snap);
    rows = db_count_in(d, snap, from, to);
    snapshot_free(snap);
    return rows;
}

struct shard_stats db_stats(struct db *d)
{
    struct shard_stats st;

    shard_get_stats(d->s, &st);
    return st;
}

size_t db_objects(struct db *d)
{
    struct volume_names names = {0};
    struct dn_err err;
    size_t n;

    assert_int_equal(volume_list(d->v, "seg/", &names, &err), DN_OK);
    n = names.count;
    volume_names_done(&names);
    return n;
}

void db_crash(struct db *d)
{
    struct dn_err err;

    sim_disk_crash(d->disk);
    db_close(d);
    if (db_open(d, &err) < 0)
        fail_msg("%s", err.text);
}

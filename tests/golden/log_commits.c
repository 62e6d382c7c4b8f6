/* SPDX-License-Identifier: Apache-2.0 */
#include "log_commits.h"

#include "catalog/table.h"
#include "store/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct table *
golden_table(const char *const *names, const enum type_id *types, size_t count, bool key)
{
    struct column_spec cols[16];
    struct key_elem_spec part[1] = {{.name.s = "g"}};
    struct key_elem_spec local[1] = {{.name.s = "t"}};
    struct table_spec spec = {.schema.s = "public",
                              .name.s = "golden",
                              .columns = cols,
                              .columns_count = count,
                              .has_key = key,
                              .keys_count = key,
                              .has_inner = key,
                              .partition = part,
                              .partition_count = key,
                              .local = local,
                              .local_count = key};
    struct table *t;
    struct dn_err err;

    memset(cols, 0, sizeof cols);
    for (size_t i = 0; i < count; i++) {
        cols[i].name.s = names[i];
        cols[i].type = types[i];
    }
    if (table_build(&spec, &t, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static struct table *golden_all(void)
{
    static const char *const names[] = {"g", "t", "b", "s", "i", "l", "r", "d", "x", "us", "ns"};
    static const enum type_id types[] = {TYPE_VARCHAR,
                                         TYPE_TIMESTAMP,
                                         TYPE_BOOLEAN,
                                         TYPE_SMALLINT,
                                         TYPE_INTEGER,
                                         TYPE_BIGINT,
                                         TYPE_REAL,
                                         TYPE_DOUBLE,
                                         TYPE_BLOB,
                                         TYPE_TIMESTAMP_US,
                                         TYPE_TIMESTAMP_NS};
    struct table *t = golden_table(names, types, DN_ARRAY_SIZE(names), true);

    t->id = 7;
    t->version = 3;
    return t;
}

static struct table *golden_bare(void)
{
    static const char *const names[] = {"n", "w"};
    static const enum type_id types[] = {TYPE_SMALLINT, TYPE_VARCHAR};
    struct table *t = golden_table(names, types, 2, false);

    t->id = 9;
    t->version = 1;
    return t;
}

static const struct vstr str_g[] = {{"a", 1}, {"b", 1}, {"\xc3\xa4", 2}};
static const struct vstr str_x[] = {{"", 0}, {"\x00\xff", 2}, {"", 0}};
static const struct vstr str_w[] = {{"word", 4}, {"", 0}};
static const int64_t i64_t[] = {-1, 1000, 1700000000000};
static const int8_t bool_b[] = {1, 0, 0};
static const int16_t i16_s[] = {INT16_MIN, 0, INT16_MAX};
static const int32_t i32_i[] = {INT32_MIN, INT32_MAX, 0};
static const int64_t i64_l[] = {INT64_MIN, INT64_MAX, 42};
static const float f32_r[] = {0.5f, -1.5f, 0};
static const double f64_d[] = {0.1, 0, -2.5e300};
static const int64_t i64_us[] = {-1, 2, 3};
static const int64_t i64_ns[] = {4, 0, 6};
static const int64_t patch_t[] = {5, 6};
static const int16_t seven[] = {7};
static const int32_t none32[] = {0};
static const uint64_t null_0[] = {1};
static const uint64_t null_1[] = {2};
static const uint64_t null_2[] = {4};

static struct vec flat(enum type_id type, uint32_t count, const void *data, const uint64_t *nulls)
{
    struct vec v = {.type = type, .form = VEC_FLAT, .count = count, .data = data, .nulls = nulls};

    return v;
}

static struct vec same(enum type_id type, uint32_t count, const void *data, bool null)
{
    struct vec v = flat(type, count, data, null ? null_0 : NULL);

    v.form = VEC_CONST;
    return v;
}

static void golden_frame_1(const struct table *all, const struct table *bare, struct buf *chunk)
{
    struct vec put[] = {flat(TYPE_VARCHAR, 3, str_g, NULL),
                        flat(TYPE_TIMESTAMP, 3, i64_t, NULL),
                        flat(TYPE_BOOLEAN, 3, bool_b, null_2),
                        flat(TYPE_SMALLINT, 3, i16_s, null_1),
                        flat(TYPE_INTEGER, 3, i32_i, NULL),
                        flat(TYPE_BIGINT, 3, i64_l, NULL),
                        flat(TYPE_REAL, 3, f32_r, null_2),
                        flat(TYPE_DOUBLE, 3, f64_d, null_1),
                        flat(TYPE_BLOB, 3, str_x, null_2),
                        flat(TYPE_TIMESTAMP_US, 3, i64_us, NULL),
                        flat(TYPE_TIMESTAMP_NS, 3, i64_ns, null_1)};
    struct vec rows[] = {same(TYPE_SMALLINT, 2, seven, false),
                         flat(TYPE_VARCHAR, 2, str_w, null_1)};
    struct vec patch[11];
    uint64_t bases[] = {42, 0};
    struct buf b;
    size_t frame;

    for (uint32_t i = 0; i < 11; i++) { /* not said at all: they are left out */
        patch[i] = put[i];
        patch[i].form = VEC_CONST;
        patch[i].nulls = null_0;
        patch[i].absent = null_0;
    }
    patch[0] = flat(TYPE_VARCHAR, 2, str_g, NULL);
    patch[1] = flat(TYPE_TIMESTAMP, 2, patch_t, NULL);
    patch[2] = flat(TYPE_BOOLEAN, 2, bool_b, NULL);
    patch[2].absent = null_1;
    patch[4] = same(TYPE_INTEGER, 2, none32, true);
    log_frame_begin(chunk, &frame);
    buf_init(&b, NULL);
    log_encode_batch(all, put, NULL, 3, ROW_PUT, &b);
    log_frame_commit(chunk, 10, &b, &bases[1], 1);
    buf_reset(&b);
    log_encode_batch(bare, rows, NULL, 2, ROW_PUT, &b);
    log_encode_batch(all, patch, NULL, 2, ROW_PATCH, &b);
    log_frame_commit(chunk, 11, &b, bases, 2);
    log_frame_end(chunk, frame, 5, 10, 0);
    buf_done(&b);
}

void log_golden_chunk(struct buf *chunk)
{
    static const int64_t rowids[] = {42, 43};
    struct table *all = golden_all();
    struct table *bare = golden_bare();
    struct vec gone[] = {same(TYPE_SMALLINT, 2, seven, true), same(TYPE_VARCHAR, 2, str_w, true)};
    uint64_t base = 0;
    struct buf b;
    size_t frame;

    buf_init(chunk, NULL);
    golden_frame_1(all, bare, chunk);
    log_frame_begin(chunk, &frame);
    buf_init(&b, NULL);
    log_encode_batch(bare, gone, rowids, 2, ROW_DELETE, &b);
    log_frame_commit(chunk, 12, &b, &base, 1);
    log_frame_end(chunk, frame, 5, 12, frame);
    buf_done(&b);
    assert_false(chunk->failed);
    table_unref(all);
    table_unref(bare);
}

void log_golden_ranges(struct buf *chunk)
{
    static const int64_t rowids[] = {42, 43};
    struct table *all = golden_all();
    struct table *bare = golden_bare();
    struct vec gone[] = {same(TYPE_SMALLINT, 2, seven, true), same(TYPE_VARCHAR, 2, str_w, true)};
    struct range_bound bounds[] = {
        {.col_id = 1,
         .iv = {.has_lo = true,
                .lo_incl = true,
                .has_hi = true,
                .hi_incl = true,
                .lo = {.type = TYPE_VARCHAR, .str = {.ptr = "a", .len = 1}},
                .hi = {.type = TYPE_VARCHAR, .str = {.ptr = "a", .len = 1}}}},
        {.col_id = 2, .iv = {.has_lo = true, .lo = {.type = TYPE_TIMESTAMP, .v.i64 = -1000}}},
        {.col_id = 6,
         .iv = {.has_hi = true, .hi_incl = true, .hi = {.type = TYPE_DOUBLE, .v.f64 = 0.5}}},
    };
    struct range some = {.slab_min = INT64_MIN, .slab_max = INT64_MAX, .bounds = bounds};
    struct range slab = {.slab_min = -86400000, .slab_max = -86400000};
    uint64_t bases[] = {0, 0};
    struct buf b;
    size_t frame;

    some.bounds_count = DN_ARRAY_SIZE(bounds);
    buf_init(chunk, NULL);
    buf_init(&b, NULL);
    log_frame_begin(chunk, &frame);
    log_encode_range(all, &some, &b);
    log_encode_batch(bare, gone, rowids, 2, ROW_DELETE, &b);
    log_frame_commit(chunk, 20, &b, bases, 2);
    buf_reset(&b);
    log_encode_range(bare, &slab, &b);
    log_frame_commit(chunk, 21, &b, bases, 1);
    log_frame_end(chunk, frame, 6, 20, 0);
    buf_done(&b);
    assert_false(chunk->failed);
    table_unref(all);
    table_unref(bare);
}

void log_golden_catalog(struct buf *chunk)
{
    static const char text[] = "{\"format\":2,\"version\":7,\"table_id_next\":10,\"schemas\":[],"
                               "\"tables\":[]}";
    static const int64_t rowids[] = {42, 43};
    struct table *bare = golden_bare();
    struct vec gone[] = {same(TYPE_SMALLINT, 2, seven, true), same(TYPE_VARCHAR, 2, str_w, true)};
    uint64_t bases[] = {0, 0};
    struct buf b, json;
    size_t frame;

    buf_init(chunk, NULL);
    buf_init(&b, NULL);
    buf_init(&json, NULL);
    buf_puts(&json, text);
    log_frame_begin(chunk, &frame);
    log_encode_catalog(&json, &b);
    log_encode_batch(bare, gone, rowids, 2, ROW_DELETE, &b);
    log_frame_commit(chunk, 30, &b, bases, 2);
    log_frame_end(chunk, frame, 6, 30, 0);
    buf_done(&b);
    buf_done(&json);
    assert_false(chunk->failed);
    table_unref(bare);
}

void log_golden_expiry(struct buf *chunk)
{
    static const struct vstr words[] = {{"one", 3}, {"two", 3}};
    static const int64_t expiries[] = {ROW_NEVER, INT64_C(1700000000000000000)};
    static const int64_t rowids[] = {42, 43};
    struct table *bare = golden_bare();
    struct vec rows[] = {same(TYPE_SMALLINT, 2, seven, false), flat(TYPE_VARCHAR, 2, words, NULL)};
    uint64_t bases[] = {44, 46, 0};
    struct buf b;
    size_t frame;

    buf_init(chunk, NULL);
    buf_init(&b, NULL);
    log_frame_begin(chunk, &frame);
    log_encode_batch(bare, rows, NULL, 2, ROW_PUT, &b);
    log_encode_expiry(&b, 0, expiries, ROW_NEVER, 2);
    log_encode_batch(bare, rows, NULL, 2, ROW_PUT, &b);
    log_frame_commit(chunk, 40, &b, bases, 2);
    buf_reset(&b);
    log_encode_batch(bare, rows, rowids, 2, ROW_PUT, &b);
    log_encode_expiry(&b, 0, NULL, INT64_C(1800000000000000000), 2);
    log_frame_commit(chunk, 41, &b, &bases[2], 1);
    log_frame_end(chunk, frame, 6, 40, 0);
    buf_done(&b);
    assert_false(chunk->failed);
    table_unref(bare);
}

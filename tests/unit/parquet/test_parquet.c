/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parquet.c: files written in memory and read again: every type, with NULLs and without,
 * several pages and row groups; every allocation fails once; cut and changed files are refused or
 * give some rows, and nothing else happens. Files of other programs: tests/cli/test_parquet.py. */
#include "base/civil.h"
#include "parquet/parquet.h"
#include "parquet/pq_decode.h"
#include "parquet/pq_encode.h"
#include "parquet/thrift.h"

#include "vec/numeric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct memory_file {
    struct buf bytes;
    uint32_t open;
};

static int file_write(void *arg, const void *from, size_t len, struct dn_err *err)
{
    struct memory_file *f = arg;

    buf_append(&f->bytes, from, len);
    return f->bytes.failed ? DN_FAIL_NOMEM(err) : 0;
}

static int file_read(void *arg, uint64_t at, void *to, size_t len, struct dn_err *err)
{
    const struct memory_file *f = arg;

    (void)err;
    assert_true(at <= f->bytes.len && len <= f->bytes.len - at);
    if (len > 0)
        memcpy(to, f->bytes.data + at, len);
    return 0;
}

static void file_close(void *arg)
{
    ((struct memory_file *)arg)->open--;
}

static int file_open(struct memory_file *f, struct pq_reader **ret, struct dn_err *err)
{
    struct pq_input in = {.size = f->bytes.len, .read = file_read, .arg = f, .close = file_close};

    f->open++;
    return pq_open(&in, NULL, ret, err);
}

/* ---- rows ---- */

static const struct pq_column columns[] = {
    {.name = "b", .type = TYPE_BOOLEAN},
    {.name = "i2", .type = TYPE_SMALLINT},
    {.name = "i4", .type = TYPE_INTEGER},
    {.name = "i8", .type = TYPE_BIGINT},
    {.name = "f4", .type = TYPE_REAL},
    {.name = "f8", .type = TYPE_DOUBLE},
    {.name = "few", .type = TYPE_VARCHAR},
    {.name = "many", .type = TYPE_VARCHAR},
    {.name = "blob", .type = TYPE_BLOB},
    {.name = "ms", .type = TYPE_TIMESTAMP},
    {.name = "us", .type = TYPE_TIMESTAMP_US},
    {.name = "ns", .type = TYPE_TIMESTAMP_NS},
    {.name = "day", .type = TYPE_DATE},
    {.name = "clock", .type = TYPE_TIME},
    {.name = "uuid", .type = TYPE_UUID},
    {.name = "d9", .type = TYPE_NUMERIC, .mods = {.count = 2, .v = {9, 2}}},
    {.name = "d18", .type = TYPE_NUMERIC, .mods = {.count = 2, .v = {18, 0}}},
    {.name = "d38", .type = TYPE_NUMERIC, .mods = {.count = 2, .v = {38, 5}}},
};
#define COLUMNS (uint32_t) DN_ARRAY_SIZE(columns)

static uint64_t mixed(uint64_t v)
{
    v = (v ^ v >> 31) * 0x9e3779b97f4a7c15u;
    return v ^ v >> 29;
}

static bool wild_dates; /* any integer is written as a day */

/* The value of a row, always the same. */
static struct datum value_of(uint32_t col, uint32_t row)
{
    static char text[32]; /* until the next call */
    enum type_id type = columns[col].type;
    struct datum d = {.type = type};
    uint64_t r = mixed(row * 64u + col);

    if (col % 3 != 0 && r % 5 == 0) {
        d.null = true;
        return d;
    }
    switch (type_phys(type)) {
    case PHYS_I8:
        d.v.i64 = (int64_t)(r & 1);
        break;
    case PHYS_I16:
        d.v.i64 = (int16_t)r;
        break;
    case PHYS_I32:
        d.v.i64 = type != TYPE_DATE || wild_dates ? (int32_t)r
                  : r % 11 == 0
                      ? (r & 64 ? INT32_MAX : INT32_MIN)
                      : CIVIL_DATE_MIN + (int64_t)(r % (CIVIL_DATE_MAX - CIVIL_DATE_MIN + 1));
        break;
    case PHYS_I64:
        d.v.i64 = type == TYPE_TIME     ? (int64_t)(r % 86400000000u)
                  : type == TYPE_BIGINT ? (int64_t)r
                                        : (int64_t)row * 1000 + (int64_t)(r % 7);
        break;
    case PHYS_F32:
        d.v.f64 = (double)(float)(r % 1000) / 8;
        break;
    case PHYS_F64:
        d.v.f64 = (double)r / 3;
        break;
    case PHYS_STR:
        if (type == TYPE_UUID)
            (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)r);
        else if (col == 6)
            (void)snprintf(text, sizeof text, "sensor %u", (unsigned)(r % 5));
        else
            (void)snprintf(text, sizeof text, "%llx", (unsigned long long)(r >> r % 60));
        d.str.ptr = text;
        d.str.len = (uint32_t)strlen(d.str.ptr);
        break;
    case PHYS_NUMERIC:
        d.num =
            vnumeric_make(columns[col].mods.v[0] == 38 ? (vnumeric_i128)(int64_t)r * 1000000000000
                                                       : (vnumeric_i128)(r % 999999) - 500000,
                          columns[col].mods.v[1]);
        break;
    case PHYS_INTERVAL:
    case PHYS_MAX:
        break;
    }
    return d;
}

/* 0, or why the rows could not be written. */
static int rows_write(struct memory_file *f, uint32_t rows, enum pq_codec codec)
{
    struct pq_output out = {.write = file_write, .arg = f, .codec = codec};
    struct pq_writer *w = NULL;
    struct vec vecs[COLUMNS];
    struct colbuf bufs[COLUMNS];
    struct arena arena;
    struct dn_err err;
    bool good = true;
    int rc;

    buf_init(&f->bytes, NULL);
    rc = pq_writer_new(&out, columns, COLUMNS, NULL, &w, &err);
    arena_init(&arena, NULL);
    for (uint32_t at = 0; rc == 0 && at < rows; at += VEC_ROWS_MAX) {
        uint32_t n = rows - at < VEC_ROWS_MAX ? rows - at : VEC_ROWS_MAX;
        struct batch b = {.count = n, .cols_count = COLUMNS, .cols = vecs, .sel_count = n};

        for (uint32_t c = 0; c < COLUMNS; c++) {
            colbuf_init(&bufs[c], columns[c].type, NULL, &arena);
            for (uint32_t i = 0; good && i < n; i++) {
                struct datum d = value_of(c, at + i);

                good = colbuf_append(&bufs[c], &d);
            }
            vecs[c] = colbuf_vec(&bufs[c], 0, bufs[c].count);
        }
        rc = good ? pq_write(w, &b, &err) : DN_E_NOMEM;
        for (uint32_t c = 0; c < COLUMNS; c++)
            colbuf_done(&bufs[c]);
        arena_reset(&arena);
    }
    if (rc == 0)
        rc = pq_writer_end(w, &err);
    pq_writer_free(w);
    arena_done(&arena);
    return rc;
}

static void row_same(const struct batch *b, uint32_t i, uint32_t row)
{
    for (uint32_t c = 0; c < COLUMNS; c++) {
        struct datum want = value_of(c, row);
        struct datum got = vec_datum(&b->cols[c], i);

        assert_int_equal(want.null, got.null);
        if (!want.null)
            assert_int_equal(datum_cmp(&want, &got), 0);
        if (!want.null && columns[c].type == TYPE_NUMERIC)
            assert_int_equal(want.num.scale, got.num.scale);
    }
}

/* 0: all are there; else why not. */
static int rows_check(struct memory_file *f, uint32_t rows)
{
    struct pq_reader *r;
    const struct pq_column *have;
    struct dn_err err;
    struct batch b;
    uint32_t at = 0;
    int rc = file_open(f, &r, &err);

    if (rc < 0)
        return rc;
    assert_int_equal(pq_columns(r, &have), COLUMNS);
    assert_int_equal(pq_rows(r), rows);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        assert_string_equal(have[c].name, columns[c].name);
        assert_int_equal(have[c].type, columns[c].type);
    }
    while ((rc = pq_next(r, &b, &err)) == 0) {
        for (uint32_t i = 0; i < b.count; i++)
            row_same(&b, i, at + i);
        at += b.count;
    }
    pq_close(r);
    if (rc == DN_EOF)
        assert_int_equal(at, rows);
    return rc == DN_EOF ? 0 : rc;
}

static void round_trip(void **state DN_UNUSED)
{
    static const enum pq_codec codecs[] = {PQ_UNCOMPRESSED, PQ_GZIP, PQ_ZSTD, PQ_LZ4_RAW};
    static const uint32_t counts[] = {0, 1, 7, 1024, 3000};

    for (uint32_t i = 0; i < DN_ARRAY_SIZE(codecs); i++)
        for (uint32_t k = 0; k < DN_ARRAY_SIZE(counts); k++) {
            struct memory_file f = {.open = 0};

            assert_int_equal(rows_write(&f, counts[k], codecs[i]), 0);
            assert_int_equal(rows_check(&f, counts[k]), 0);
            assert_int_equal(f.open, 0);
            buf_done(&f.bytes);
        }
}

/* More than a page, and more than a row group. */
static void many_rows(void **state DN_UNUSED)
{
    struct memory_file f = {.open = 0};

    assert_int_equal(rows_write(&f, 130000, PQ_LZ4_RAW), 0);
    assert_int_equal(rows_check(&f, 130000), 0);
    buf_done(&f.bytes);
}

/* Days that no text can say are not let in. */
static void dates(void **state DN_UNUSED)
{
    struct memory_file f = {.open = 0};

    wild_dates = true;
    assert_int_equal(rows_write(&f, 1000, PQ_ZSTD), 0);
    assert_int_equal(rows_check(&f, 1000), DN_E_BAD_COPY);
    wild_dates = false;
    buf_done(&f.bytes);
}

static void some_columns(void **state DN_UNUSED)
{
    const uint32_t want[] = {17, 6};
    struct memory_file f = {.open = 0};
    struct pq_reader *r;
    struct dn_err err;
    struct batch b;

    assert_int_equal(rows_write(&f, 10, PQ_ZSTD), 0);
    assert_int_equal(file_open(&f, &r, &err), 0);
    assert_int_equal(pq_want(r, want, 2, &err), 0);
    assert_int_equal(pq_next(r, &b, &err), 0);
    assert_int_equal(b.cols_count, 2);
    assert_int_equal(b.cols[0].type, TYPE_NUMERIC);
    assert_int_equal(b.cols[1].type, TYPE_VARCHAR);
    assert_int_equal(pq_next(r, &b, &err), DN_EOF);
    pq_close(r);
    buf_done(&f.bytes);
}

/* ---- what fails ---- */

static void out_of_memory(void **state DN_UNUSED)
{
    size_t before = mem_process_used();
    bool hit = true;

    for (uint64_t n = 1; hit; n++) {
        struct memory_file f = {.open = 0};
        int rc;

        mem_fail_nth(n, false);
        rc = rows_write(&f, 40, PQ_ZSTD);
        if (rc == 0)
            rc = rows_check(&f, 40);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(f.open, 0);
        if (hit)
            assert_true(rc == DN_E_NOMEM);
        else
            assert_int_equal(rc, 0);
        buf_done(&f.bytes);
        assert_int_equal(mem_process_used(), before);
    }
}

/* Reads whatever comes. */
static void rows_read(struct memory_file *f)
{
    struct pq_reader *r;
    struct dn_err err;
    struct batch b;
    int rc = file_open(f, &r, &err);

    if (rc < 0) {
        assert_true(rc == DN_E_BAD_COPY || rc == DN_E_UNSUPPORTED || rc == DN_E_NOMEM);
        return;
    }
    while ((rc = pq_next(r, &b, &err)) == 0)
        continue;
    assert_true(rc == DN_EOF || rc == DN_E_BAD_COPY || rc == DN_E_UNSUPPORTED || rc == DN_E_NOMEM);
    pq_close(r);
}

static void damage(void **state DN_UNUSED)
{
    struct memory_file f = {.open = 0};
    size_t whole;

    assert_int_equal(rows_write(&f, 30, PQ_UNCOMPRESSED), 0);
    whole = f.bytes.len;
    for (size_t len = 0; len < whole; len += 1 + len / 50) {
        f.bytes.len = len;
        rows_read(&f);
    }
    f.bytes.len = whole;
    for (size_t at = 0; at < whole; at++) {
        uint8_t was = f.bytes.data[at];

        f.bytes.data[at] = (uint8_t)(was ^ 1u << mixed(at) % 8);
        rows_read(&f);
        f.bytes.data[at] = (uint8_t)mixed(at);
        rows_read(&f);
        f.bytes.data[at] = was;
    }
    assert_int_equal(rows_check(&f, 30), 0);
    assert_int_equal(f.open, 0);
    buf_done(&f.bytes);
}

/* ---- encodings ---- */

static void runs(void **state DN_UNUSED)
{
    uint32_t from[500];
    uint32_t to[500];

    for (uint32_t width = 0; width <= 32; width++)
        for (uint32_t n = 0; n < 500; n += 1 + n / 3) {
            struct pq_rle r;
            struct buf b;

            for (uint32_t i = 0; i < n; i++) /* runs and none, by turns */
                from[i] = (uint32_t)((mixed(i / 20 % 2 ? i / 30 : i) >> 7) &
                                     (((uint64_t)1 << width) - 1));
            buf_init(&b, NULL);
            pq_put_rle(&b, from, n, width);
            assert_true(pq_rle_begin(&r, b.data, b.len, width));
            for (uint32_t i = 0; i < n; i += 7)
                assert_true(pq_rle_take(&r, n - i < 7 ? n - i : 7, to + i));
            assert_memory_equal(from, to, n * sizeof(*from));
            buf_done(&b);
        }
}

static void differences(void **state DN_UNUSED)
{
    int64_t from[1000];
    int64_t to[1000];
    int32_t narrow[1000];

    for (uint32_t shift = 0; shift < 64; shift += 3)
        for (uint32_t n = 0; n < 1000; n += 1 + n / 2) {
            struct pq_delta d;
            struct buf b;

            for (uint32_t i = 0; i < n; i++)
                from[i] = (int64_t)((mixed(i) >> shift) - (i % 2 ? (uint64_t)INT64_MAX : 0));
            buf_init(&b, NULL);
            pq_put_delta(&b, from, n, true);
            assert_true(pq_delta_begin(&d, b.data, b.len));
            assert_ptr_equal(pq_delta_end(d), b.data + b.len);
            assert_true(pq_delta_take(&d, n, true, to));
            assert_false(pq_delta_take(&d, 1, true, to));
            assert_memory_equal(from, to, n * sizeof(*from));
            for (uint32_t i = 0; i < n; i++)
                from[i] = (int32_t)from[i];
            buf_reset(&b);
            pq_put_delta(&b, from, n, false);
            assert_true(pq_delta_begin(&d, b.data, b.len));
            assert_true(pq_delta_take(&d, n, false, narrow));
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(from[i], narrow[i]);
            buf_done(&b);
        }
}

/* Snappy's elements, each once. */
static void snappy(void **state DN_UNUSED)
{
    static const uint8_t good[] = {
        14, 3 << 2, 'a', 'b', 'c', 'd', 1 | 0 << 2, 4, 2 | 1 << 2, 2, 0, 3 | 3 << 2, 1, 0, 0, 0};
    uint8_t to[14];
    struct pq_packed p = {
        .codec = PQ_SNAPPY, .from = good, .len = sizeof good, .to = to, .size = sizeof to};
    struct dn_err err;

    assert_int_equal(pq_unpack(&p, NULL, &err), 0);
    assert_memory_equal(to, "abcdabcdcddddd", sizeof to);
    for (p.len = 0; p.len < sizeof good; p.len++)
        assert_int_equal(pq_unpack(&p, NULL, &err), DN_E_BAD_COPY);
}

static void thrift_depth(void **state DN_UNUSED)
{
    uint8_t deep[200] = {0};
    struct thrift_field f = {.id = 0};
    struct rd in = rd_make(deep, sizeof deep);

    memset(deep, 0x1c, sizeof deep); /* a struct in a struct in a struct … */
    assert_true(thrift_next(&in, &f));
    thrift_skip(&in, &f);
    assert_true(in.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(dates),
        cmocka_unit_test(some_columns),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(damage),
        cmocka_unit_test(runs),
        cmocka_unit_test(differences),
        cmocka_unit_test(snappy),
        cmocka_unit_test(thrift_depth),
    };

    return cmocka_run_group_tests_name("parquet", tests, NULL, NULL);
}

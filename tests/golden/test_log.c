/* SPDX-License-Identifier: Apache-2.0
 *
 * The golden log chunks: fixed commits, fixed bytes. Arguments: tests/golden/log_v1.bin,
 * docs/format/log.md, tests/golden/log_v2.bin and those after it; one more, "write", writes the
 * last golden file anew (only ever with a new format).
 *
 * Three proofs: the encoder makes these bytes; the reader reads them; and a decoder that takes its
 * offsets from the tables of the page finds the same values. */
#include "base/hash.h"
#include "log_commits.h"
#include "log_expected.h"
#include "page.h"
#include "store/log.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *golden_path; /* of version 1 */
static const char *doc_path;
static const char *ranges_path;  /* of version 2 */
static const char *catalog_path; /* of version 3 */
static const char *expiry_path;  /* of version 4 */

static void writer(const char *path, void (*chunk)(struct buf *chunk))
{
    struct buf b;
    uint8_t *p;
    size_t n;

    chunk(&b);
    p = page_read_file(path, &n);
    assert_int_equal(b.len, n);
    assert_memory_equal(b.data, p, n);
    mem_free(p);
    buf_done(&b);
}

static void test_writer(void **state)
{
    (void)state;
    writer(golden_path, log_golden_chunk);
    writer(ranges_path, log_golden_ranges);
    writer(catalog_path, log_golden_catalog);
    writer(expiry_path, log_golden_expiry);
}

/* ---- both decoders print the same ---- */

static void print_str(struct buf *out, const uint8_t *p, size_t n)
{
    buf_puts(out, "'");
    for (size_t i = 0; i < n; i++) {
        if (p[i] < ' ' || p[i] >= 0x7f)
            buf_printf(out, "\\%02x", p[i]);
        else
            buf_u8(out, p[i]);
    }
    buf_puts(out, "'");
}

static void compare(struct buf *out, const char *with)
{
    buf_u8(out, 0);
    assert_false(out->failed);
    assert_string_equal((const char *)out->data, with);
    buf_done(out);
}

static void print_value(struct buf *out, const struct vec *v, uint32_t row)
{
    struct datum d;

    buf_puts(out, " ");
    if (v->absent && v->absent[row / 64] >> row % 64 & 1) {
        buf_puts(out, "-");
        return;
    }
    d = vec_datum(v, row);
    if (d.null)
        buf_puts(out, "~");
    else if (type_is_string(v->type))
        print_str(out, (const uint8_t *)d.str.ptr, d.str.len);
    else if (type_is_float(v->type))
        buf_printf(out, "%g", d.v.f64);
    else
        buf_printf(out, "%" PRId64, d.v.i64);
}

static void print_bound(struct buf *out, const struct datum *d)
{
    buf_puts(out, " ");
    if (type_is_string(d->type))
        print_str(out, (const uint8_t *)d->str.ptr, d->str.len);
    else if (type_is_float(d->type))
        buf_printf(out, "%g", d->v.f64);
    else
        buf_printf(out, "%" PRId64, d->v.i64);
}

static void print_range(struct buf *out, struct log_batch *b)
{
    struct range *r;
    struct dn_err err;

    if (range_parse(&b->range, NULL, b->table_id, 1, &r, &err) < 0)
        fail_msg("%s", err.text);
    buf_printf(out, "   slabs %" PRId64 " %" PRId64 "\n", r->slab_min, r->slab_max);
    for (uint32_t i = 0; i < r->bounds_count; i++) {
        const struct interval *iv = &r->bounds[i].iv;
        buf_printf(out,
                   "   %u:%d %d",
                   r->bounds[i].col_id,
                   (int)(iv->has_lo ? iv->lo.type : iv->hi.type),
                   iv->has_lo + 2 * iv->lo_incl + 4 * iv->has_hi + 8 * iv->hi_incl);
        if (iv->has_lo)
            print_bound(out, &iv->lo);
        if (iv->has_hi)
            print_bound(out, &iv->hi);
        buf_puts(out, "\n");
    }
    range_unref(r);
}

static void print_batch(struct buf *out, struct log_batch *b)
{
    buf_printf(out,
               "  batch table %" PRIu64 " v%u op %d rowid %" PRIu64 " rows %u\n",
               b->table_id,
               b->table_version,
               (int)b->op,
               b->rowid_base,
               b->rows);
    for (uint32_t c = 0; c < b->cols_count; c++) {
        buf_printf(out, "   %u:%d", b->col_ids[c], (int)b->cols[c].type);
        for (uint32_t i = 0; i < b->rows; i++)
            print_value(out, &b->cols[c], i);
        buf_puts(out, "\n");
    }
    if (b->op == ROW_RANGE)
        print_range(out, b);
    if (b->op == ROW_CATALOG) {
        size_t len = rd_left(&b->catalog);

        buf_puts(out, "   ");
        print_str(out, rd_bytes(&b->catalog, len), len);
        buf_puts(out, "\n");
    }
}

static void reader(const char *path, const char *with)
{
    struct log_reader r;
    struct log_frame f;
    struct log_commit c;
    struct log_batch b;
    struct arena arena;
    struct dn_err err;
    struct buf out;
    uint8_t *p;
    size_t n;
    int rc;

    p = page_read_file(path, &n);
    buf_init(&out, NULL);
    arena_init(&arena, NULL);
    log_reader_init(&r, "golden", p, n, true);
    while ((rc = log_reader_next(&r, &f, &err)) == DN_OK) {
        buf_printf(&out, "frame epoch %" PRIu64 " first %" PRIu64 "\n", f.epoch, f.seq_first);
        while ((rc = log_commit_next(&f, &c, &err)) == DN_OK) {
            buf_printf(&out, " commit %" PRIu64 "\n", c.seq);
            while ((rc = log_batch_next(&f, &c, &arena, &b, &err)) == DN_OK)
                print_batch(&out, &b);
            assert_int_equal(rc, DN_EOF);
        }
        assert_int_equal(rc, DN_EOF);
    }
    assert_int_equal(rc, DN_EOF);
    assert_false(r.torn);
    compare(&out, with);
    arena_done(&arena);
    mem_free(p);
}

static void test_reader(void **state)
{
    (void)state;
    reader(golden_path, expected);
    reader(ranges_path, expected_ranges);
    reader(catalog_path, expected_catalog);
    reader(expiry_path, expected_expiry);
}

/* ---- a decoder that knows only the page ---- */

struct by_page {
    const char *doc;
    const uint8_t *p; /* next byte */
    const uint8_t *end;
    struct buf out;
    uint32_t version; /* of the frames */
};

static uint64_t field(const struct by_page *b, const char *section, const char *name)
{
    assert_true((size_t)(b->end - b->p) >= doc_size(b->doc, section));
    return doc_field(b->doc, section, name, b->p);
}

static const uint8_t *take(struct by_page *b, size_t n)
{
    const uint8_t *p = b->p;

    assert_true((size_t)(b->end - b->p) >= n);
    b->p += n;
    return p;
}

static int64_t get_signed(const uint8_t *p, uint32_t size)
{
    uint64_t v = 0;

    for (uint32_t i = size; i-- > 0;)
        v = v << 8 | p[i];
    if (size < 8 && p[size - 1] & 0x80)
        v |= UINT64_MAX << size * 8;
    return (int64_t)v;
}

static void page_value(struct by_page *b, uint8_t type, const uint8_t *p)
{
    static const uint32_t sizes[] = {0, 1, 2, 4, 8, 4, 8, 0, 0, 8, 8, 8};
    uint64_t bits = (uint64_t)get_signed(p, sizes[type]);
    uint32_t low = (uint32_t)bits;
    double d;
    float f;

    if (type == 5) {
        memcpy(&f, &low, 4);
        buf_printf(&b->out, "%g", (double)f);
    } else if (type == 6) {
        memcpy(&d, &bits, 8);
        buf_printf(&b->out, "%g", d);
    } else {
        buf_printf(&b->out, "%" PRId64, (int64_t)bits);
    }
}

static bool page_bit(const uint8_t *bitmap, uint32_t row)
{
    return bitmap && bitmap[row / 64 * 8 + row % 64 / 8] >> row % 8 & 1;
}

static void page_column(struct by_page *b, uint32_t rows)
{
    static const uint32_t sizes[] = {0, 1, 2, 4, 8, 4, 8, 4, 4, 8, 8, 8};
    uint64_t id = field(b, "Column head", "id");
    uint8_t type = (uint8_t)field(b, "Column head", "type");
    uint64_t flags = field(b, "Column head", "flags");
    size_t bitmap = (rows + 63) / 64 * 8;
    const uint8_t *nulls;
    const uint8_t *absent;
    const uint8_t *values;

    assert_true(type >= 1 && type <= 11 && flags <= 3);
    (void)take(b, doc_size(b->doc, "Column head"));
    nulls = flags & 1 ? take(b, bitmap) : NULL;
    absent = flags & 2 ? take(b, bitmap) : NULL;
    values = take(b, (size_t)rows * sizes[type]);
    buf_printf(&b->out, "   %" PRIu64 ":%u", id, type);
    for (uint32_t i = 0; i < rows; i++) {
        bool missing = page_bit(absent, i) || page_bit(nulls, i);
        buf_puts(&b->out, page_bit(absent, i) ? " -" : missing ? " ~" : " ");
        if (type == 7 || type == 8) {
            size_t len = (size_t)get_signed(values + (size_t)i * 4, 4);
            const uint8_t *s = take(b, len);
            if (!missing)
                print_str(&b->out, s, len);
        } else if (!missing) {
            page_value(b, type, values + (size_t)i * sizes[type]);
        }
    }
    buf_puts(&b->out, "\n");
}

static void page_bound(struct by_page *b, uint8_t type)
{
    if (type == 7 || type == 8) {
        size_t len = (size_t)field(b, "Bound text", "length");
        (void)take(b, doc_size(b->doc, "Bound text"));
        buf_puts(&b->out, " ");
        print_str(&b->out, take(b, len), len);
    } else {
        buf_puts(&b->out, " ");
        page_value(b, type == 6 ? 6 : 4, take(b, 8));
    }
}

static void page_range(struct by_page *b)
{
    uint64_t bounds = field(b, "Range head", "bounds");

    buf_printf(&b->out,
               "   slabs %" PRId64 " %" PRId64 "\n",
               (int64_t)field(b, "Range head", "slab_min"),
               (int64_t)field(b, "Range head", "slab_max"));
    (void)take(b, doc_size(b->doc, "Range head"));
    while (bounds-- > 0) {
        uint8_t type = (uint8_t)field(b, "Bound", "type");
        uint64_t flags = field(b, "Bound", "flags");
        buf_printf(&b->out, "   %" PRIu64 ":%u %" PRIu64, field(b, "Bound", "column"), type, flags);
        (void)take(b, doc_size(b->doc, "Bound"));
        if (flags & 1)
            page_bound(b, type);
        if (flags & 4)
            page_bound(b, type);
        buf_puts(&b->out, "\n");
    }
}

static void page_batch(struct by_page *b)
{
    uint32_t rows = (uint32_t)field(b, "Batch head", "rows");
    uint64_t columns = field(b, "Batch head", "columns");
    uint64_t length = field(b, "Batch head", "length");
    uint64_t op = field(b, "Batch head", "operation");
    const char *expires = strstr(b->doc, "0x80000002");
    uint64_t flags;
    const uint8_t *end;

    flags = field(b, "Batch head", "flags");
    assert_int_equal(field(b, "Batch head", "zero"), 0);
    buf_printf(&b->out,
               "  batch table %" PRIu64 " v%" PRIu64 " op %" PRIu64 " rowid %" PRIu64 " rows %u\n",
               field(b, "Batch head", "table_id"),
               field(b, "Batch head", "table_version"),
               field(b, "Batch head", "operation"),
               field(b, "Batch head", "rowid_base"),
               rows);
    (void)take(b, doc_size(b->doc, "Batch head"));
    end = b->p + length;
    while (columns-- > 0) {
        if (field(b, "Column head", "id") == strtoul(expires, NULL, 16)) {
            assert_int_equal(flags, 1);
            flags = 0;
        }
        page_column(b, rows);
    }
    assert_int_equal(flags, 0);
    if (op == 3)
        page_range(b);
    if (op == 4) {
        buf_puts(&b->out, "   ");
        print_str(&b->out, take(b, (size_t)length), (size_t)length);
        buf_puts(&b->out, "\n");
    }
    assert_ptr_equal(b->p, end);
}

static void page_frame(struct by_page *b, size_t offset)
{
    const uint8_t *head = b->p;
    uint64_t length = field(b, "Frame head", "length");
    uint64_t checksum = field(b, "Frame head", "checksum");
    const uint8_t *end;

    assert_int_equal(field(b, "Frame head", "magic"), 0x474c4e44);
    assert_memory_equal(head, "DNLG", 4);
    assert_int_equal(field(b, "Frame head", "version"), b->version);
    assert_int_equal(field(b, "Frame head", "zero"), 0);
    assert_int_equal(field(b, "Frame head", "zero2"), 0);
    assert_int_equal(field(b, "Frame head", "durable"), offset);
    buf_printf(&b->out,
               "frame epoch %" PRIu64 " first %" PRIu64 "\n",
               field(b, "Frame head", "epoch"),
               field(b, "Frame head", "seq_first"));
    (void)take(b, doc_size(b->doc, "Frame head"));
    assert_true(checksum == dn_hash64(b->p, (size_t)length, dn_checksum64(head, 40)));
    end = b->p + length;
    while (b->p < end) {
        uint64_t batches = field(b, "Commit head", "batches");
        assert_int_equal(field(b, "Commit head", "zero"), 0);
        buf_printf(&b->out, " commit %" PRIu64 "\n", field(b, "Commit head", "seq"));
        (void)take(b, doc_size(b->doc, "Commit head"));
        while (batches-- > 0)
            page_batch(b);
    }
    assert_ptr_equal(b->p, end);
}

static void page(const char *path, uint32_t version, const char *with)
{
    struct by_page b;
    uint8_t *doc;
    uint8_t *p;
    size_t n;

    doc = page_read_file(doc_path, &n);
    p = page_read_file(path, &n);
    b = (struct by_page){.doc = (const char *)doc, .p = p, .end = p + n, .version = version};
    buf_init(&b.out, NULL);
    assert_int_equal(doc_size(b.doc, "Frame head"), LOG_FRAME_HEAD);
    while (b.p < b.end)
        page_frame(&b, (size_t)(b.p - p));
    compare(&b.out, with);
    mem_free(p);
    mem_free(doc);
}

static void test_page(void **state)
{
    (void)state;
    page(golden_path, 1, expected);
    page(ranges_path, 2, expected_ranges);
    page(catalog_path, 3, expected_catalog);
    page(expiry_path, 4, expected_expiry);
}

/* Every bit of a frame, with the checksum made right: it is understood or refused. */
static void test_damage(const char *path)
{
    uint8_t *p;
    size_t n;

    p = page_read_file(path, &n);
    for (size_t bit = 0; bit < (n - 48) * 8; bit++) {
        struct log_reader r;
        struct log_frame f;
        struct log_commit c;
        struct log_batch b;
        struct arena arena;
        struct dn_err err;
        struct range *range;
        int rc;

        p[48 + bit / 8] ^= (uint8_t)(1u << bit % 8);
        le_put64(p + 40, dn_hash64(p + 48, n - 48, dn_checksum64(p, 40)));
        arena_init(&arena, NULL);
        log_reader_init(&r, "log", p, n, true);
        assert_int_equal(log_reader_next(&r, &f, &err), DN_OK);
        while ((rc = log_commit_next(&f, &c, &err)) == DN_OK) {
            while ((rc = log_batch_next(&f, &c, &arena, &b, &err)) == DN_OK) {
                if (b.op == ROW_RANGE)
                    rc = range_parse(&b.range, NULL, 1, 1, &range, &err);
                if (rc < 0)
                    break;
                if (b.op == ROW_RANGE)
                    range_unref(range);
            }
            if (rc < 0)
                break;
        }
        assert_true(rc == DN_EOF || rc == DN_E_CORRUPT);
        arena_done(&arena);
        p[48 + bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    mem_free(p);
}

static void test_range_damage(void **state)
{
    (void)state;
    test_damage(ranges_path);
}

/* Expiries in a frame that is said to be of a version without them, too. */
static void test_expiry_damage(void **state)
{
    struct log_reader r;
    struct log_frame f;
    struct log_commit c;
    struct log_batch b;
    struct arena arena;
    struct dn_err err;
    uint8_t *p;
    size_t n;

    (void)state;
    test_damage(expiry_path);
    p = page_read_file(expiry_path, &n);
    le_put16(p + 4, 3);
    le_put64(p + 40, dn_hash64(p + 48, n - 48, dn_checksum64(p, 40)));
    arena_init(&arena, NULL);
    log_reader_init(&r, "log", p, n, true);
    assert_int_equal(log_reader_next(&r, &f, &err), DN_OK);
    assert_int_equal(log_commit_next(&f, &c, &err), DN_OK);
    assert_int_equal(log_batch_next(&f, &c, &arena, &b, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "bad expiries"));
    arena_done(&arena);
    mem_free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_reader),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_range_damage),
        cmocka_unit_test(test_expiry_damage),
    };

    if (argc < 6)
        return 2;
    golden_path = argv[1];
    doc_path = argv[2];
    ranges_path = argv[3];
    catalog_path = argv[4];
    expiry_path = argv[5];
    if (argc > 6 && strcmp(argv[6], "write") == 0) {
        struct buf b;
        FILE *f = fopen(expiry_path, "wb");
        log_golden_expiry(&b);
        if (!f || fwrite(b.data, 1, b.len, f) != b.len || fclose(f) != 0)
            return 1;
        buf_done(&b);
        return 0;
    }
    return cmocka_run_group_tests_name("log_golden", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The golden manifests: fixed values, fixed bytes. Arguments: tests/golden/manifest_v1.bin,
 * docs/format/manifest.md and tests/golden/manifest_v2.bin; a fourth one, "write", writes the last
 * golden file anew (only ever with a new format).
 *
 * Three proofs: the writer makes these bytes; the reader reads them; and a decoder that takes its
 * offsets from the tables of the page finds the same values. Then what the reader refuses. */
#include "base/hash.h"
#include "page.h"
#include "store/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *golden_path; /* of version 1 */
static const char *doc_path;
static const char *ranges_path; /* of version 2 */

static const struct manifest_chunk chunks[] = {
    {.epoch = 3, .number = 17, .sealed = true, .len = 4096},
    {.epoch = 4, .number = 19, .sealed = true, .len = 1},
    {.epoch = 5, .number = 20, .sealed = false, .len = 0},
};

static const struct seg_meta segs[] = {
    {.id = 1,
     .table_id = 7,
     .table_version = 3,
     .rows = 123456,
     .bytes = 7654321,
     .runs = 99,
     .blocks = 12,
     .seq_min = 1,
     .seq_max = 500,
     .slab_min = -86400000,
     .slab_max = 172800000,
     .time_min = -5,
     .time_max = 172800001,
     .token_min = INT64_MIN + 1,
     .token_max = INT64_MAX,
     .level = 2,
     .has_patch = true},
    {.id = 0x0102030405060708,
     .table_id = 9,
     .table_version = 1,
     .rows = 1,
     .bytes = 400,
     .runs = 1,
     .blocks = 1,
     .seq_min = 501,
     .seq_max = 501,
     .time_min = INT64_MIN,
     .time_max = INT64_MAX,
     .rowid_max = 77,
     .level = MANIFEST_LEVEL_MAX,
     .has_delete = true,
     .has_expiry = true},
};

static void golden_manifest(struct manifest *m)
{
    struct dn_err err;

    manifest_init(m, NULL);
    m->epoch = 5;
    m->flushed_seq = 501;
    m->segment_id_next = 0x0102030405060709;
    m->chunk_next = 21;
    for (size_t i = 0; i < DN_ARRAY_SIZE(chunks); i++) {
        assert_int_equal(manifest_add_chunk(m, chunks[i].epoch, chunks[i].number, &err), 0);
        m->chunks[i] = chunks[i];
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(segs); i++)
        assert_int_equal(manifest_add_seg(m, &segs[i], &err), 0);
}

static struct range_bound bounds[] = {
    {.col_id = 3,
     .iv = {.has_lo = true,
            .lo_incl = true,
            .has_hi = true,
            .lo = {.type = TYPE_TIMESTAMP, .v.i64 = -5},
            .hi = {.type = TYPE_TIMESTAMP, .v.i64 = 1000}}},
    {.col_id = 1,
     .iv = {.has_hi = true,
            .hi_incl = true,
            .hi = {.type = TYPE_VARCHAR, .str = {.ptr = "host", .len = 4}}}},
};

/* Version 2: the same with range tombstones, and with what the segments know of them. */
static void golden_ranges(struct manifest *m)
{
    static const uint64_t seqs[] = {400, 501};
    struct range from[] = {
        {.slab_min = INT64_MIN, .slab_max = INT64_MAX, .bounds = bounds, .bounds_count = 2},
        {.slab_min = 86400000, .slab_max = 86400000}};

    golden_manifest(m);
    m->segs[1].applied = 500;
    for (size_t i = 0; i < DN_ARRAY_SIZE(from); i++) {
        struct range *r = range_new(NULL, &from[i], i ? 9 : 7, seqs[i]);
        assert_non_null(r);
        assert_true(range_list_add(&m->ranges, r, NULL));
        range_unref(r);
    }
}

static void golden_bytes(void (*make)(struct manifest *m), struct buf *b)
{
    struct manifest m;
    struct dn_err err;

    make(&m);
    buf_init(b, NULL);
    assert_int_equal(manifest_print(&m, b, &err), 0);
    manifest_done(&m);
}

static void test_writer(void **state)
{
    (void)state;
    for (int v = 1; v <= 2; v++) {
        struct buf b;
        uint8_t *p;
        size_t n;
        golden_bytes(v == 1 ? golden_manifest : golden_ranges, &b);
        p = page_read_file(v == 1 ? golden_path : ranges_path, &n);
        assert_int_equal(b.len, n);
        assert_memory_equal(b.data, p, n);
        mem_free(p);
        buf_done(&b);
    }
}

static void test_reader(void **state)
{
    char name[VOLUME_NAME_MAX + 1];
    struct manifest m;
    struct dn_err err;
    struct buf again;
    uint8_t *p;
    size_t n;

    (void)state;
    p = page_read_file(golden_path, &n);
    if (manifest_parse(p, n, NULL, &m, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.epoch, 5);
    assert_int_equal(m.flushed_seq, 501);
    assert_int_equal(m.chunk_next, 21);
    assert_int_equal(m.chunks_count, 3);
    assert_int_equal(m.segs_count, 2);
    assert_int_equal(m.segs[1].level, MANIFEST_LEVEL_MAX);
    assert_true(m.segs[1].has_delete && m.segs[1].has_expiry && !m.segs[1].has_patch);
    assert_true(m.segs[0].slab_min == -86400000 && m.segs[0].token_min == INT64_MIN + 1);
    manifest_chunk_name(&m.chunks[0], name);
    assert_string_equal(name, "log/0/0000000000000003-0000000000000011");
    /* every field: what was read is written the same */
    buf_init(&again, NULL);
    assert_int_equal(manifest_print(&m, &again, &err), 0);
    assert_int_equal(again.len, n);
    assert_memory_equal(again.data, p, n);
    buf_done(&again);
    manifest_done(&m);
    mem_free(p);
}

static void test_reader_ranges(void **state)
{
    struct manifest m;
    struct dn_err err;
    struct buf again;
    uint8_t *p;
    size_t n;

    (void)state;
    p = page_read_file(ranges_path, &n);
    if (manifest_parse(p, n, NULL, &m, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.segs_count, 2);
    assert_true(m.segs[0].applied == 0 && m.segs[1].applied == 500);
    assert_int_equal(m.ranges.count, 2);
    assert_true(m.ranges.v[0]->table_id == 7 && m.ranges.v[0]->seq == 400);
    assert_int_equal(m.ranges.v[0]->bounds_count, 2);
    assert_memory_equal(m.ranges.v[0]->bounds[1].iv.hi.str.ptr, "host", 4);
    assert_true(m.ranges.v[1]->slab_min == 86400000 && m.ranges.v[1]->bounds_count == 0);
    buf_init(&again, NULL);
    assert_int_equal(manifest_print(&m, &again, &err), 0);
    assert_int_equal(again.len, n);
    assert_memory_equal(again.data, p, n);
    buf_done(&again);
    manifest_done(&m);
    mem_free(p);
}

/* ---- a decoder that knows only the page ---- */

static const char *doc;

static void page_segment(const uint8_t *p, const struct seg_meta *s)
{
#define SAME(name, value) assert_true(doc_field(doc, "Segment", name, p) == (uint64_t)(value))
    SAME("id", s->id);
    SAME("table_id", s->table_id);
    SAME("table_version", s->table_version);
    SAME("rows", s->rows);
    SAME("bytes", s->bytes);
    SAME("runs", s->runs);
    SAME("blocks", s->blocks);
    SAME("seq_min", s->seq_min);
    SAME("seq_max", s->seq_max);
    SAME("slab_min", s->slab_min);
    SAME("slab_max", s->slab_max);
    SAME("time_min", s->time_min);
    SAME("time_max", s->time_max);
    SAME("token_min", s->token_min);
    SAME("token_max", s->token_max);
    SAME("rowid_max", s->rowid_max);
    SAME("flags",
         (s->has_patch ? 1 : 0) + (s->has_delete ? 2 : 0) + (s->has_expiry ? 4 : 0) + s->level * 8);
#undef SAME
}

static void test_page(void **state)
{
    const uint8_t *at;
    uint8_t *page;
    uint8_t *p;
    size_t n;

    (void)state;
    page = page_read_file(doc_path, &n);
    doc = (const char *)page;
    p = page_read_file(golden_path, &n);
    at = p;
    assert_memory_equal(p, "DNMF", 4);
    assert_int_equal(doc_field(doc, "Head", "magic", at), 0x464d4e44);
    assert_int_equal(doc_field(doc, "Head", "version", at), 1);
    assert_int_equal(doc_field(doc, "Head", "zero", at), 0);
    assert_int_equal(doc_field(doc, "Head", "epoch", at), 5);
    assert_int_equal(doc_field(doc, "Head", "flushed_seq", at), 501);
    assert_true(doc_field(doc, "Head", "segment_id_next", at) == 0x0102030405060709);
    assert_int_equal(doc_field(doc, "Head", "chunk_next", at), 21);
    assert_int_equal(doc_field(doc, "Head", "chunks", at), DN_ARRAY_SIZE(chunks));
    assert_int_equal(doc_field(doc, "Head", "segments", at), DN_ARRAY_SIZE(segs));
    at += doc_size(doc, "Head");
    for (size_t i = 0; i < DN_ARRAY_SIZE(chunks); i++, at += doc_size(doc, "Chunk")) {
        assert_int_equal(doc_field(doc, "Chunk", "epoch", at), chunks[i].epoch);
        assert_int_equal(doc_field(doc, "Chunk", "number", at), chunks[i].number);
        assert_int_equal(doc_field(doc, "Chunk", "length", at), chunks[i].len);
        assert_int_equal(doc_field(doc, "Chunk", "sealed", at), chunks[i].sealed);
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(segs); i++, at += doc_size(doc, "Segment"))
        page_segment(at, &segs[i]);
    assert_true(doc_field(doc, "Checksum", "checksum", at) == dn_checksum64(p, (size_t)(at - p)));
    at += doc_size(doc, "Checksum");
    assert_ptr_equal(at, p + n);
    mem_free(p);
    mem_free(page);
}

/* Version 2 by the page: what it has more. The tombstones' bytes are those of the log's page. */
static void test_page_ranges(void **state)
{
    const uint8_t *at;
    uint8_t *page;
    uint8_t *p;
    size_t n;

    (void)state;
    page = page_read_file(doc_path, &n);
    doc = (const char *)page;
    p = page_read_file(ranges_path, &n);
    assert_int_equal(doc_field(doc, "Head", "version", p), 2);
    at = p + doc_size(doc, "Head");
    assert_int_equal(doc_field(doc, "Head of version 2", "ranges", at), 2);
    at += doc_size(doc, "Head of version 2") + 3 * doc_size(doc, "Chunk");
    for (size_t i = 0; i < 2; i++) {
        page_segment(at, &segs[i]);
        at += doc_size(doc, "Segment");
        assert_int_equal(doc_field(doc, "Segment of version 2", "applied", at), i ? 500 : 0);
        at += doc_size(doc, "Segment of version 2");
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(doc_field(doc, "Range tombstone", "table_id", at), i ? 9 : 7);
        assert_int_equal(doc_field(doc, "Range tombstone", "seq", at), i ? 501 : 400);
        at += doc_size(doc, "Range tombstone") + doc_field(doc, "Range tombstone", "length", at);
    }
    assert_true(doc_field(doc, "Checksum", "checksum", at) == dn_checksum64(p, (size_t)(at - p)));
    assert_ptr_equal(at + doc_size(doc, "Checksum"), p + n);
    mem_free(p);
    mem_free(page);
}

/* ---- what the reader refuses ---- */

static void reseal(uint8_t *p, size_t n)
{
    le_put64(p + n - 8, dn_checksum64(p, n - 8));
}

static int parse(const uint8_t *p, size_t n, struct dn_err *err)
{
    struct manifest m;
    int rc = manifest_parse(p, n, NULL, &m, err);

    if (rc == 0)
        manifest_done(&m);
    return rc;
}

/* The checksum fits, the value does not. */
static void refuse(uint8_t *p, size_t n, size_t at, size_t size, uint64_t value, int want)
{
    struct dn_err err;
    uint8_t before[8];

    memcpy(before, p + at, size);
    for (size_t i = 0; i < size; i++)
        p[at + i] = (uint8_t)(value >> i * 8);
    reseal(p, n);
    assert_int_equal(parse(p, n, &err), want);
    assert_non_null(strstr(err.text, "manifest"));
    memcpy(p + at, before, size);
    reseal(p, n);
}

static void test_refusals(void **state)
{
    struct dn_err err;
    uint8_t *p;
    size_t n;
    size_t chunk = 56;
    size_t seg;

    (void)state;
    p = page_read_file(golden_path, &n);
    seg = chunk + 3 * 25;
    refuse(p, n, 4, 2, MANIFEST_FORMAT + 1, DN_E_VERSION);
    refuse(p, n, 4, 2, 0, DN_E_CORRUPT);
    refuse(p, n, 0, 4, 0, DN_E_CORRUPT);
    refuse(p, n, 6, 2, 1, DN_E_CORRUPT);
    refuse(p, n, 40, 8, 4, DN_E_CORRUPT);          /* chunks that are not there */
    refuse(p, n, 48, 8, UINT64_MAX, DN_E_CORRUPT); /* more segments than there are bytes */
    refuse(p, n, 40, 8, UINT64_MAX / 25, DN_E_CORRUPT);
    refuse(p, n, chunk + 24, 1, 2, DN_E_CORRUPT);           /* neither open nor sealed */
    refuse(p, n, chunk + 24, 1, 0, DN_E_CORRUPT);           /* open, and not the last */
    refuse(p, n, seg, 8, 0x0102030405060709, DN_E_CORRUPT); /* an id never given out */
    refuse(p, n, seg + 20, 8, 0, DN_E_CORRUPT);             /* no rows */
    refuse(p, n, seg + 28, 8, (uint64_t)VOLUME_OBJECT_MAX + 1, DN_E_CORRUPT);
    assert_int_equal(parse(p, n, &err), 0);
    /* A newer format is refused by name even where the rest cannot be understood. */
    le_put16(p + 4, 3);
    assert_int_equal(parse(p, n, &err), DN_E_VERSION);
    assert_string_equal(err.text, "manifest: format version 3, this release reads up to 2");
    le_put16(p + 4, 1);
    for (size_t i = 0; i < n * 8; i++) {
        int rc;
        p[i / 8] ^= (uint8_t)(1u << i % 8);
        rc = parse(p, n, &err);
        if (rc != DN_E_VERSION || i / 16 != 2) /* bytes 4 and 5 */
            assert_int_equal(rc, DN_E_CORRUPT);
        p[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(parse(p, cut, &err), DN_E_CORRUPT);
    mem_free(p);
}

static void test_refusals_ranges(void **state)
{
    struct dn_err err;
    uint8_t *p;
    size_t n;
    size_t range = 64 + 3 * 25 + 2 * 125;

    (void)state;
    p = page_read_file(ranges_path, &n);
    refuse(p, n, 4, 2, 1, DN_E_CORRUPT);  /* version 1 has no tombstones */
    refuse(p, n, 56, 8, 0, DN_E_CORRUPT); /* version 2 has some */
    refuse(p, n, 56, 8, 3, DN_E_CORRUPT); /* more than there are */
    refuse(p, n, 56, 8, UINT64_MAX, DN_E_CORRUPT);
    refuse(p, n, range + 8, 8, 502, DN_E_CORRUPT); /* newer than what was flushed */
    refuse(p, n, range + 16, 4, 4, DN_E_CORRUPT);  /* too short */
    refuse(p, n, range + 16, 4, UINT32_MAX, DN_E_CORRUPT);
    refuse(p, n, range + 20 + 16, 4, 1, DN_E_CORRUPT); /* bytes left over */
    refuse(p, n, range + 20 + 16, 4, 512, DN_E_CORRUPT);
    refuse(p, n, range + 20 + 24, 1, 0, DN_E_CORRUPT);  /* no type */
    refuse(p, n, range + 20 + 25, 1, 16, DN_E_CORRUPT); /* no flags */
    refuse(p, n, range + 20 + 25, 1, 0, DN_E_CORRUPT);  /* bounds nothing */
    refuse(p, n, range + 20 + 25, 1, 2, DN_E_CORRUPT);  /* inclusive of nothing */
    assert_int_equal(parse(p, n, &err), 0);
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(parse(p, cut, &err), DN_E_CORRUPT);
    mem_free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_reader),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_reader_ranges),
        cmocka_unit_test(test_page_ranges),
        cmocka_unit_test(test_refusals_ranges),
    };

    if (argc < 4)
        return 2;
    golden_path = argv[1];
    doc_path = argv[2];
    ranges_path = argv[3];
    if (argc > 4 && strcmp(argv[4], "write") == 0) {
        struct buf b;
        FILE *f = fopen(ranges_path, "wb");
        golden_bytes(golden_ranges, &b);
        if (!f || fwrite(b.data, 1, b.len, f) != b.len || fclose(f) != 0)
            return 1;
        buf_done(&b);
        return 0;
    }
    return cmocka_run_group_tests_name("manifest_golden", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden segments: fixed rows, fixed bytes. Arguments: docs/format/segment.md, then the files of
 * tests/golden: segment_v1_guided.bin; segment_v1_runs.bin, of many short runs; and segment_v1.bin,
 * which an earlier writer made of the rows of the first. A fifth one, "write", writes the first two
 * files anew (only ever with a new format or codec).
 *
 * Three proofs: the writer makes the bytes of the first two; the reader reads them; and a decoder
 * that takes its offsets and the order of arrays from the tables of the page, and vectors from the
 * second reader of docs/format/vector.md, finds the rows, too; both of them in all files. So
 * neither writer, reader nor page can change alone. */
#include "base/hash.h"
#include "golden.h"
#include "page.h"
#include "place.h"
#include "ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* One file. */
struct golden {
    const char *path;
    void (*model)(struct model *m);
    bool now;       /* today's writer makes it */
    uint32_t flags; /* of its meta data */
    uint32_t runs;
    bool by_column; /* a column guides some vectors */
    bool by_runs;   /* the runs do */
    bool cut;       /* the greatest note of some block is cut */
};

static struct golden goldens[] = {
    /* Runs: beta, gamma, alpha in some order; and beta's later slab. */
    {.model = golden_model,
     .now = true,
     .flags = 1 | 2 | 8 | 16,
     .runs = 4,
     .by_column = true,
     .cut = true},
    {.model = golden_runs_model,
     .now = true,
     .flags = 1 | 2 | 8 | 16 | 64,
     .runs = 2 + GOLDEN_SHORT,
     .by_runs = true},
    {.model = golden_model, .flags = 1 | 2 | 8 | 16, .runs = 4, .cut = true},
};
static const char *doc_path;

static void test_writer(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(goldens); i++) {
        struct model m;
        struct buf b;
        uint8_t *p;
        size_t n;

        if (!goldens[i].now)
            continue;
        goldens[i].model(&m);
        golden_bytes(&m, &b);
        p = page_read_file(goldens[i].path, &n);
        assert_int_equal(b.len, n);
        assert_memory_equal(b.data, p, n);
        mem_free(p);
        buf_done(&b);
        model_done(&m);
    }
}

static void read_file(const struct golden *g)
{
    char name[VOLUME_NAME_MAX + 1];
    struct dn_err err = {0};
    struct place p;
    struct model m;
    uint8_t *bytes;
    struct seg *s;
    size_t n;

    g->model(&m);
    place_init(&p);
    bytes = page_read_file(g->path, &n);
    seg_name(m.t->id, GOLDEN_ID, name);
    assert_string_equal(name, "seg/0000000000000007/0000000000000011");
    assert_true(sim_disk_set(p.disk, 'o', name, bytes, n));
    s = place_open(&p, NULL, m.t, GOLDEN_ID);
    model_check(&m, s, false);
    if (seg_verify(s, &err) < 0)
        fail_msg("%s", err.text);
    seg_unref(s);
    mem_free(bytes);
    place_done(&p);
    model_done(&m);
}

static void test_reader(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(goldens); i++)
        read_file(&goldens[i]);
}

/* ---- a decoder that knows only the page ---- */

struct array {
    char name[80];
    enum type_id type;
    uint32_t count;
    struct ref_row *rows;
};

#define ARRAYS_MAX 20

struct doc_column {
    uint32_t id;
    enum type_id type;
    bool series;
    uint32_t pos;
    uint32_t store_col;
    uint8_t kinds[8]; /* per group */
    struct ref_row consts[8];
    struct array arrays[ARRAYS_MAX];
    uint32_t arrays_count;
    uint32_t vec;      /* vectors placed so far */
    uint64_t at[32];   /* offset of each vector */
    uint32_t rows[32]; /* of each */
};

struct decoder {
    const char *doc;
    const uint8_t *bytes;
    struct rd rd; /* over the footer */
    struct arena arena;
    uint32_t rows, runs, blocks, groups, columns;
    bool time;
    struct doc_column cols[16];
    struct array dirs[ARRAYS_MAX];
    uint32_t dirs_count;
    const struct golden *golden;
    uint32_t by_column; /* vectors that were read with a guide: a column … */
    uint32_t by_runs;   /* … or the runs */
};

static struct ref_row *decode_array(struct decoder *d, enum type_id type, uint32_t n)
{
    struct ref_row *rows = arena_calloc(&d->arena, n + 1, sizeof *rows);

    for (uint32_t i = 0; i < n; i += 1024) {
        struct codec_src src = {.type = type, .count = n - i < 1024 ? n - i : 1024};

        src.codec = rd_u8(&d->rd);
        src.p = rd_blob(&d->rd, &src.n);
        assert_false(d->rd.bad);
        ref_decode(&src, rows + i);
    }
    return rows;
}

static const struct array *find(const struct array *arrays, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(arrays[i].name, name) == 0)
            return &arrays[i];
    fail_msg("no array %s", name);
    return NULL;
}

static void
decode_into(struct decoder *d, struct array *a, const char *name, enum type_id type, uint32_t n)
{
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    a->type = type;
    a->count = n;
    a->rows = decode_array(d, type, n);
}

static enum type_id doc_type(const char *cell, enum type_id column)
{
    if (strcmp(cell, "column") == 0)
        return column;
    if (strcmp(cell, "sum") == 0)
        return type_is_float(column) ? TYPE_DOUBLE : TYPE_BIGINT;
    assert_int_not_equal(type_by_name(cell, strlen(cell)), TYPE_NONE);
    return type_by_name(cell, strlen(cell));
}

static void decode_fixed(struct decoder *d, size_t n)
{
    const uint8_t *trailer = d->bytes + n - doc_size(d->doc, "Trailer");
    uint64_t at = doc_field(d->doc, "Trailer", "footer_offset", trailer);
    uint64_t len = doc_field(d->doc, "Trailer", "footer_length", trailer);
    const uint8_t *meta = d->bytes + at;

    assert_memory_equal(d->bytes, "DNSEGHDR", 8);
    assert_memory_equal(d->bytes + n - 8, "DNSEGEND", 8);
    assert_int_equal(doc_field(d->doc, "Header", "format", d->bytes), 1);
    assert_int_equal(doc_field(d->doc, "Header", "table_version", d->bytes), 3);
    assert_int_equal(doc_field(d->doc, "Header", "table_id", d->bytes), 7);
    assert_int_equal(doc_field(d->doc, "Header", "segment_id", d->bytes), GOLDEN_ID);
    assert_true(doc_field(d->doc, "Header", "checksum", d->bytes) == dn_checksum64(d->bytes, 32));
    assert_int_equal(doc_field(d->doc, "Trailer", "format", trailer), 1);
    assert_int_equal(doc_field(d->doc, "Trailer", "object_length", trailer), n);
    assert_true(doc_field(d->doc, "Trailer", "checksum", trailer) == dn_checksum32(trailer, 32));
    assert_true(doc_field(d->doc, "Trailer", "footer_checksum", trailer) ==
                dn_checksum64(meta, (size_t)len));
    assert_ptr_equal(meta + len, trailer);
    d->rows = (uint32_t)doc_field(d->doc, "Meta data", "rows", meta);
    d->runs = (uint32_t)doc_field(d->doc, "Meta data", "runs", meta);
    d->blocks = (uint32_t)doc_field(d->doc, "Meta data", "blocks", meta);
    d->groups = (uint32_t)doc_field(d->doc, "Meta data", "groups", meta);
    d->columns = (uint32_t)doc_field(d->doc, "Meta data", "columns", meta);
    d->time = doc_field(d->doc, "Meta data", "flags", meta) & 8;
    assert_int_equal(doc_field(d->doc, "Meta data", "flags", meta), d->golden->flags);
    assert_int_equal(doc_field(d->doc, "Meta data", "time_column", meta), 2);
    assert_int_equal(doc_field(d->doc, "Meta data", "seq_min", meta), 100);
    assert_int_equal(doc_field(d->doc, "Meta data", "seq_max", meta), 100 + 1950 / 64);
    assert_int_equal(doc_field(d->doc, "Meta data", "slab_min", meta), 1000000);
    assert_int_equal(doc_field(d->doc, "Meta data", "slab_max", meta), 2000000);
    assert_int_equal(doc_field(d->doc, "Meta data", "time_min", meta), 1000000);
    assert_int_equal(doc_field(d->doc, "Meta data", "time_max", meta), 1000000 + 1950 * 700);
    assert_int_equal(doc_field(d->doc, "Meta data", "rowid_max", meta), 0);
    d->rd = rd_make(meta, (size_t)len);
    assert_non_null(rd_bytes(&d->rd, doc_size(d->doc, "Meta data")));
}

static void decode_columns(struct decoder *d, const struct table *t)
{
    assert_int_equal(d->columns, store_cols_count(t));
    for (uint32_t i = 0; i < d->columns; i++) {
        const uint8_t *p = rd_bytes(&d->rd, doc_size(d->doc, "Column directory"));
        uint64_t flags = doc_field(d->doc, "Column directory", "flags", p);

        d->cols[i] = (struct doc_column){
            .id = (uint32_t)doc_field(d->doc, "Column directory", "id", p),
            .type = (enum type_id)doc_field(d->doc, "Column directory", "type", p),
            .series = flags & 1,
            .pos = (uint32_t)doc_field(d->doc, "Column directory", "pos", p),
            .store_col = i};
        assert_int_equal(d->cols[i].id, store_col_id(t, i));
        assert_int_equal(d->cols[i].type, store_col_type(t, i));
        assert_int_equal(flags, i == 0 || i == 6 ? 1 : i == 1 ? 6 : 0);
        assert_int_equal(d->cols[i].pos, i == 0 ? 1 : 0);
    }
}

static void decode_directories(struct decoder *d)
{
    struct doc_table t;

    doc_table(d->doc, "Directories", &t);
    for (uint32_t i = 0; i < t.rows; i++) {
        const char *values = t.cells[i][2];
        uint32_t n = strcmp(values, "groups") == 0   ? d->groups
                     : strcmp(values, "blocks") == 0 ? d->blocks
                                                     : d->runs;

        if (strcmp(t.cells[i][3], "series") == 0) {
            for (uint32_t pos = 0; pos < 2; pos++)
                for (uint32_t c = 0; c < d->columns; c++)
                    if (d->cols[c].series && d->cols[c].pos == pos)
                        decode_into(d, &d->cols[c].arrays[0], "run_series", d->cols[c].type, n);
        } else if (strcmp(t.cells[i][3], "time") != 0 || d->time) {
            decode_into(
                d, &d->dirs[d->dirs_count++], t.cells[i][0], doc_type(t.cells[i][1], TYPE_NONE), n);
        }
    }
}

static uint32_t block_rows(const struct decoder *d, uint32_t block)
{
    return (uint32_t)find(d->dirs, d->dirs_count, "block_rows")->rows[block].bits;
}

static bool doc_when(const char *cell, enum type_id type)
{
    return strcmp(cell, "always") == 0 || (strcmp(cell, "fixed") == 0 && !type_is_string(type)) ||
           (strcmp(cell, "string") == 0 && type_is_string(type)) ||
           (strcmp(cell, "number") == 0 && type_is_number(type));
}

static void decode_part(struct decoder *d, struct doc_column *c)
{
    const struct array *group_blocks = find(d->dirs, d->dirs_count, "group_blocks");
    struct doc_table t;
    uint32_t block = 0;
    uint32_t blocks = 0;
    uint32_t vectors = 0;

    for (uint32_t g = 0; g < d->groups; g++)
        c->kinds[g] = rd_u8(&d->rd);
    for (uint32_t g = 0; g < d->groups; g++) {
        if (c->kinds[g])
            c->consts[g] = decode_array(d, c->type, 1)[0];
        for (uint32_t b = 0; b < group_blocks->rows[g].bits; b++, block++) {
            blocks += !c->kinds[g];
            vectors += c->kinds[g] ? 0 : (block_rows(d, block) + 1023) / 1024;
        }
    }
    assert_int_equal(block, d->blocks);
    doc_table(d->doc, "Column parts", &t);
    for (uint32_t i = 0; i < t.rows; i++)
        if (doc_when(t.cells[i][3], c->type))
            decode_into(d,
                        &c->arrays[c->arrays_count++],
                        t.cells[i][0],
                        doc_type(t.cells[i][1], c->type),
                        strcmp(t.cells[i][2], "blocks") == 0 ? blocks : vectors);
}

static void expect_row(const struct model *m,
                       const struct doc_column *c,
                       uint32_t row,
                       const struct ref_row *have)
{
    struct datum want = colbuf_datum(&m->cols[c->store_col], row);
    uint64_t bits = 0;

    assert_int_equal(have->absent, model_absent(m, c->store_col, row));
    assert_int_equal(have->null || have->absent, want.null);
    if (want.null)
        return;
    if (type_is_string(c->type)) {
        assert_int_equal(have->len, want.str.len);
        assert_memory_equal(have->str, want.str.ptr, want.str.len);
        return;
    }
    datum_store(&want, &bits, 0);
    assert_true(have->bits == bits);
}

static struct codec_src
vector_src(const struct decoder *d, const struct doc_column *c, uint32_t index)
{
    return (struct codec_src){
        .type = c->type,
        .count = c->rows[index],
        .codec = (unsigned)find(c->arrays, c->arrays_count, "v_codec")->rows[index].bits,
        .p = d->bytes + c->at[index],
        .n = (size_t)find(c->arrays, c->arrays_count, "v_length")->rows[index].bits};
}

/* Each row but the first of a run has the one before it. */
static void decode_kin_of_runs(
    const struct decoder *d, uint32_t guide, uint32_t first, uint32_t rows, struct codec_kin *ret)
{
    const struct array *runs = find(d->dirs, d->dirs_count, "run_first_row");

    *ret = (struct codec_kin){.guide = guide, .count = rows};
    for (uint32_t i = 0; i < rows; i++)
        ret->of[i] = (uint16_t)i;
    for (uint32_t k = 0; k < runs->count; k++)
        if (runs->rows[k].bits > first && runs->rows[k].bits < first + rows)
            ret->of[runs->rows[k].bits - first] = 0;
    for (uint32_t i = 0; i < rows; i++)
        if (ret->of[i] == 0)
            ret->seed_rows[ret->seeds++] = (uint16_t)i;
}

/* The nearest row before each that has the same value in the guide, whose entries differ. */
static void decode_kin_of_column(const struct decoder *d,
                                 const struct doc_column *c,
                                 uint32_t index,
                                 uint32_t rows,
                                 struct codec_kin *ret)
{
    static struct ref_row values[1024];
    struct codec_src home;
    struct codec_src src;

    src = vector_src(d, c, index);
    assert_true(src.codec == CODEC_DICT || src.codec == CODEC_DICT_NEXT ||
                src.codec == CODEC_DICT_FAR);
    if (codec_back(&src)) {
        home = vector_src(d, c, index - codec_back(&src));
        src.home = &home;
    }
    ref_decode(&src, values);
    *ret = (struct codec_kin){.guide = c->id, .count = rows};
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t k = 0; k < i; k++)
            if (values[k].len == values[i].len &&
                memcmp(values[k].str, values[i].str, values[i].len) == 0)
                ret->of[i] = (uint16_t)(k + 1);
        if (ret->of[i] == 0)
            ret->seed_rows[ret->seeds++] = (uint16_t)i;
    }
}

static uint64_t decode_vector(struct decoder *d,
                              const struct model *m,
                              struct doc_column *c,
                              uint32_t first,
                              uint32_t index,
                              uint32_t rows,
                              uint64_t at)
{
    struct ref_row values[1024];
    struct codec_kin kin;
    struct codec_src home;
    struct codec_src src;

    assert_true(index < DN_ARRAY_SIZE(c->at));
    c->at[index] = at;
    c->rows[index] = rows;
    src = vector_src(d, c, index);
    if (!m) /* placed; now the guides can be found */
        return at + src.n;
    if (codec_guide(&src)) {
        const struct doc_column *guide = d->cols;

        while (guide->id != codec_guide(&src))
            guide++;
        if (guide->series)
            decode_kin_of_runs(d, guide->id, first, rows, &kin);
        else
            decode_kin_of_column(d, guide, index, rows, &kin);
        src.kin = &kin;
        d->by_runs += guide->series;
        d->by_column += !guide->series;
    }
    if (codec_back(&src)) {
        home = vector_src(d, c, index - codec_back(&src));
        src.home = &home;
    }
    assert_true(dn_checksum32(src.p, src.n) ==
                find(c->arrays, c->arrays_count, "v_checksum")->rows[index].bits);
    ref_decode(&src, values);
    for (uint32_t i = 0; i < rows; i++)
        expect_row(m, c, first + i, &values[i]);
    return at + src.n;
}

/* The data area in its order: group, column, number in block, block. Without a model vectors are
 * only placed. */
static uint64_t decode_data(struct decoder *d, const struct model *m)
{
    const struct array *group_blocks = find(d->dirs, d->dirs_count, "group_blocks");
    uint64_t at = doc_size(d->doc, "Header");
    uint32_t group_row = 0;
    uint32_t block = 0;

    for (uint32_t i = 0; i < d->columns; i++)
        d->cols[i].vec = 0;
    for (uint32_t g = 0; g < d->groups; g++) {
        uint32_t count = (uint32_t)group_blocks->rows[g].bits;
        uint32_t rows = 0;
        uint32_t vectors = 0;

        for (uint32_t b = 0; b < count; b++) {
            rows += block_rows(d, block + b);
            vectors += (block_rows(d, block + b) + 1023) / 1024;
        }
        for (uint32_t i = 0; i < d->columns; i++) {
            struct doc_column *c = &d->cols[i];

            for (uint32_t r = 0; m && r < rows && !c->series && c->kinds[g]; r++)
                expect_row(m, c, group_row + r, &c->consts[g]);
            if (c->series || c->kinds[g])
                continue;
            for (uint32_t number = 0; number < 16; number++) {
                uint32_t first = group_row;
                uint32_t index = c->vec;

                for (uint32_t b = 0; b < count; b++) {
                    uint32_t n = block_rows(d, block + b);

                    if (number * 1024 < n)
                        at = decode_vector(d,
                                           m,
                                           c,
                                           first + number * 1024,
                                           index + number,
                                           n - number * 1024 < 1024 ? n - number * 1024 : 1024,
                                           at);
                    first += n;
                    index += (n + 1023) / 1024;
                }
            }
            c->vec += vectors;
        }
        group_row += rows;
        block += count;
    }
    return at;
}

static void check_runs(const struct decoder *d, const struct model *m)
{
    const struct array *first = find(d->dirs, d->dirs_count, "run_first_row");

    assert_int_equal(d->runs, d->golden->runs);
    for (uint32_t c = 0; c < d->columns; c++)
        for (uint32_t i = 0; i < d->runs && d->cols[c].series; i++) {
            uint32_t end = i + 1 < d->runs ? (uint32_t)first->rows[i + 1].bits : d->rows;

            for (uint32_t row = (uint32_t)first->rows[i].bits; row < end; row++)
                expect_row(m, &d->cols[c], row, &d->cols[c].arrays[0].rows[i]);
        }
    /* Descending time: the later slab stands first. */
    assert_int_equal(find(d->dirs, d->dirs_count, "run_slab")->rows[0].bits, 2000000);
    assert_int_equal(find(d->dirs, d->dirs_count, "run_slab")->rows[d->runs - 1].bits, 1000000);
    assert_int_equal(find(d->dirs, d->dirs_count, "run_time_max")->rows[0].bits,
                     1000000 + 1950 * 700);
}

/* Rows [from, to) against the arrays of this prefix ("b_" or "v_") at place i. Sums of the golden
 * doubles are exact in any order. */
static void check_zone(const struct doc_column *c,
                       const struct model *m,
                       const char *prefix,
                       uint32_t i,
                       uint32_t from,
                       uint32_t to)
{
    static const char *const names[] = {"min", "max", "first", "last", "sum", "nulls", "absent"};
    struct datum want[7] = {{.type = c->type, .null = true}, {.type = c->type, .null = true}};
    struct datum sum = {.type = type_is_float(c->type) ? TYPE_DOUBLE : TYPE_BIGINT, .null = true};
    struct datum nulls = {.type = TYPE_INTEGER};
    struct datum absent = {.type = TYPE_INTEGER};

    for (uint32_t row = from; row < to; row++) {
        struct datum d = colbuf_datum(&m->cols[c->store_col], row);

        nulls.v.i64 += d.null;
        absent.v.i64 += model_absent(m, c->store_col, row);
        if (d.null)
            continue;
        if (want[0].null || datum_cmp(&d, &want[0]) < 0)
            want[0] = d;
        if (want[1].null || datum_cmp(&d, &want[1]) > 0)
            want[1] = d;
        if (type_is_float(c->type))
            sum.v.f64 += d.v.f64;
        else
            sum.v.i64 += d.v.i64;
        sum.null = false;
    }
    want[2] = colbuf_datum(&m->cols[c->store_col], from);
    want[3] = colbuf_datum(&m->cols[c->store_col], to - 1);
    want[4] = sum;
    want[5] = nulls;
    want[6] = absent;
    for (uint32_t k = 0; k < 7; k++) {
        char name[16];
        const struct array *a;
        uint64_t bits = 0;

        if ((k == 4 && !type_is_number(c->type)) || (prefix[0] == 'v' && (k == 2 || k == 3)))
            continue;
        (void)snprintf(name, sizeof name, "%s%s", prefix, names[k]);
        a = find(c->arrays, c->arrays_count, name);
        assert_true(i < a->count);
        assert_int_equal(a->rows[i].null, want[k].null);
        want[k].type = a->type;
        datum_store(&want[k], &bits, 0);
        assert_true(want[k].null || a->rows[i].bits == bits);
    }
}

static void check_zones(const struct decoder *d, const struct model *m)
{
    for (uint32_t k = 0; k < d->columns; k++) {
        const struct doc_column *c = &d->cols[k];
        uint32_t vector = 0;
        uint32_t row = 0;

        assert_int_equal(d->groups, 1);
        if (c->series || c->kinds[0] || type_is_string(c->type))
            continue;
        for (uint32_t b = 0; b < d->blocks; b++) {
            uint32_t rows = block_rows(d, b);

            check_zone(c, m, "b_", b, row, row + rows);
            for (uint32_t at = 0; at < rows; at += 1024)
                check_zone(
                    c, m, "v_", vector++, row + at, row + (rows - at < 1024 ? rows : at + 1024));
            row += rows;
        }
    }
}

/* Zones of strings: the column of notes in every block. */
static void check_strings(const struct decoder *d)
{
    const struct doc_column *c = &d->cols[4];
    const struct array *min = find(c->arrays, c->arrays_count, "b_min");
    const struct array *max = find(c->arrays, c->arrays_count, "b_max");
    const struct array *exact = find(c->arrays, c->arrays_count, "b_exact");
    unsigned cut = 0;

    for (uint32_t i = 0; i < min->count; i++) {
        assert_true(min->rows[i].len <= 16 && max->rows[i].len <= 16);
        if (!(exact->rows[i].bits & 2)) {
            assert_memory_equal(max->rows[i].str, "rather long, ane", 16);
            cut++;
        }
    }
    assert_true((cut > 0) == d->golden->cut);
}

static void check_page(const struct golden *g)
{
    struct decoder d = {.golden = g};
    struct model m;
    uint8_t *bytes;
    uint8_t *doc;
    size_t doc_n;
    size_t n;

    g->model(&m);
    arena_init(&d.arena, NULL);
    bytes = page_read_file(g->path, &n);
    doc = page_read_file(doc_path, &doc_n);
    d.bytes = bytes;
    d.doc = (const char *)doc;
    decode_fixed(&d, n);
    assert_int_equal(d.rows, m.rows);
    decode_columns(&d, m.t);
    decode_directories(&d);
    for (uint32_t i = 0; i < d.columns; i++)
        if (!d.cols[i].series)
            decode_part(&d, &d.cols[i]);
    assert_false(d.rd.bad);
    assert_int_equal(rd_left(&d.rd), 0);
    (void)decode_data(&d, NULL);
    assert_int_equal(
        decode_data(&d, &m),
        doc_field(d.doc, "Trailer", "footer_offset", bytes + n - doc_size(d.doc, "Trailer")));
    assert_true((d.by_column > 0) == g->by_column);
    assert_true((d.by_runs > 0) == g->by_runs);
    check_runs(&d, &m);
    check_zones(&d, &m);
    check_strings(&d);
    arena_done(&d.arena);
    mem_free(doc);
    mem_free(bytes);
    model_done(&m);
}

static void test_page(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(goldens); i++)
        check_page(&goldens[i]);
}

static int write_golden(const struct golden *g)
{
    struct model m;
    struct buf b;
    FILE *f = fopen(g->path, "wb");
    bool good;

    g->model(&m);
    golden_bytes(&m, &b);
    good = f && fwrite(b.data, 1, b.len, f) == b.len && fclose(f) == 0;
    printf("%s: %zu bytes%s\n", g->path, b.len, good ? "" : ", not written");
    buf_done(&b);
    model_done(&m);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_reader),
        cmocka_unit_test(test_page),
    };

    if (argc < 5)
        return 2;
    doc_path = argv[1];
    for (size_t i = 0; i < DN_ARRAY_SIZE(goldens); i++)
        goldens[i].path = argv[2 + i];
    if (argc > 5 && strcmp(argv[5], "write") == 0)
        return write_golden(&goldens[0]) | write_golden(&goldens[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

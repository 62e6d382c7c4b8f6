/* SPDX-License-Identifier: Apache-2.0
 *
 * segment_fuzz.c: reading of segments. Input: the bytes of an object that says it is segment 17 of
 * table 7. Its checksums of header, footer and trailer are made to fit first, so that what stands
 * under them is reached; vectors are decoded past their checksums too. Whatever opens must be
 * readable to the end: data or an error, for every vector, zone and run; verification must agree
 * with nothing that fails to decode. */
#include "fuzz.h"

#include "base/hash.h"
#include "store/seg_reader.h"
#include "volume/sim.h"

#define FUZZ_COLS 7u

/* The table of tests/golden/segment_v1.bin. */
static struct table *fuzz_table(void)
{
    static const enum type_id types[FUZZ_COLS] = {TYPE_VARCHAR,
                                                  TYPE_TIMESTAMP,
                                                  TYPE_DOUBLE,
                                                  TYPE_INTEGER,
                                                  TYPE_VARCHAR,
                                                  TYPE_BOOLEAN,
                                                  TYPE_SMALLINT};
    static char name[] = "m";
    static uint16_t series[] = {6, 0};
    static struct key_part rest[] = {{.col = 1, .desc = true}};
    static struct slab_rule rule = {.from = INT64_MIN, .slab_width = 1000000};
    static struct column columns[FUZZ_COLS];
    static struct table t;

    for (uint32_t i = 0; i < FUZZ_COLS; i++)
        columns[i] = (struct column){.id = i + 1, .name = name, .type = types[i]};
    t = (struct table){.id = 7,
                       .version = 3,
                       .schema = name,
                       .name = name,
                       .columns = columns,
                       .columns_count = FUZZ_COLS,
                       .form = KEY_RIAK,
                       .series = series,
                       .series_count = 2,
                       .rest = rest,
                       .rest_count = 1,
                       .time_col = 1,
                       .time_desc = true,
                       .slabs = &rule,
                       .slabs_count = 1,
                       .spread = 1};
    atomic_init(&t.refs, 1);
    return &t;
}

static void fuzz_seal(uint8_t *p, size_t n)
{
    uint8_t *trailer = p + n - SEG_TRAILER_SIZE;
    uint64_t at = le_get64(trailer);

    le_put64(p + 32, dn_checksum64(p, 32));
    le_put64(trailer + 16, n);
    if (at <= n - SEG_TRAILER_SIZE) {
        le_put64(trailer + 8, n - SEG_TRAILER_SIZE - at);
        le_put64(trailer + 24, dn_checksum64(p + at, n - SEG_TRAILER_SIZE - (size_t)at));
    }
    le_put32(trailer + 32, dn_checksum32(trailer, 32));
}

/* Reads every value, so that the sanitizer sees what a vector points to. */
static void fuzz_touch(const struct vec *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        struct datum d = vec_datum(v, i);
        uint64_t hash =
            type_is_string(v->type) ? dn_hash64(d.str.ptr, d.str.len, 0) : (uint64_t)d.v.i64;

        __asm__ volatile("" : : "r"(hash));
    }
}

/* False: some vector does not decode. */
static bool
fuzz_decode(const struct seg *s, const uint8_t *p, uint32_t b, uint32_t v, struct arena *a)
{
    struct dn_err err = {0};
    bool good = true;

    for (uint32_t i = 0; i < s->cols_count; i++) {
        struct seg_vecref ref;
        struct codec_src src;
        struct vec vec;

        if (s->cols[i].kinds[s->blocks[b].group] != SEG_KIND_VECTORS)
            continue;
        ref = seg_vec_of(s, &s->cols[i], b, v);
        src = seg_vec_src(&ref, p + s->cols[i].at[ref.index]);
        if (codec_guide(&src) || codec_back(&src))
            continue; /* seg_fetch reads it, with what it needs */
        if (seg_vec_decode(s, &ref, &src, a, &vec, &err) == 0)
            fuzz_touch(&vec);
        else
            good = false;
    }
    return good;
}

static void fuzz_read(struct seg *s, const uint8_t *p)
{
    uint32_t cols[FUZZ_COLS + HIDDEN_MAX];
    struct vec vecs[FUZZ_COLS + HIDDEN_MAX];
    struct dn_err err = {0};
    struct arena a;
    bool good = true;
    uint32_t count;
    const struct seg_block *blocks = seg_get_blocks(s, &count);

    arena_init(&a, NULL);
    for (uint32_t c = 0; c < DN_ARRAY_SIZE(cols); c++)
        cols[c] = c;
    for (uint32_t b = 0; b < count && b < 100; b++)
        for (uint32_t v = 0; v < blocks[b].vectors; v++) {
            struct seg_select select = {
                .block = b, .vector = v, .cols = cols, .cols_count = DN_ARRAY_SIZE(cols)};

            good &= fuzz_decode(s, p, b, v, &a);
            if (seg_fetch(s, &select, &a, NULL, vecs, &err) < 0) {
                good = false;
            } else {
                fuzz_reached();
                for (uint32_t c = 0; c < DN_ARRAY_SIZE(cols); c++)
                    fuzz_touch(&vecs[c]);
            }
            for (uint32_t c = 0; c < DN_ARRAY_SIZE(cols); c++) {
                struct zone z;

                DN_IGNORE(seg_block_zone(s, b, c, &z));     /* only that it can be asked */
                DN_IGNORE(seg_vector_zone(s, b, v, c, &z)); /* as above */
            }
            arena_reset(&a);
        }
    if (seg_verify(s, &err) == 0)
        DN_ASSERT(good);
    arena_done(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sim_disk *disk;
    static struct volume *volume;
    struct dn_err err = {0};
    struct table *t = fuzz_table();
    char name[VOLUME_NAME_MAX + 1];
    struct seg *s = NULL;
    uint8_t *copy;

    if (size < SEG_HEADER_SIZE + SEG_TRAILER_SIZE)
        return 0;
    if (!disk) {
        disk = sim_disk_new(1);
        DN_ASSERT(disk && sim_volume_open(disk, 1, &volume, &err) == 0);
    }
    copy = mem_dup(NULL, data, size);
    DN_ASSERT(copy);
    fuzz_seal(copy, size);
    seg_name(t->id, 17, name);
    DN_ASSERT(sim_disk_set(disk, 'o', name, copy, size));
    if (seg_open(volume, NULL, t, t->id, 17, &s, &err) == 0)
        fuzz_read(s, copy);
    else
        DN_ASSERT(err.code == DN_E_CORRUPT || err.code == DN_E_VERSION || err.code == DN_E_NOMEM);
    seg_unref(s);
    mem_free(copy);
    DN_ASSERT(sim_disk_set(disk, 'o', name, "", 0));
    return 0;
}

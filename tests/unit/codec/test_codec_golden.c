/* SPDX-License-Identifier: Apache-2.0
 *
 * test_codec_golden.c: frozen encodings. tests/golden/codec/vectors.txt has one line per case:
 *
 *     codec type shape gaps rows hex
 *
 * Today's encoders must write exactly these bytes for the made-up column (shapes.h), today's
 * decoders must read the column back from them, and so must the second reader (ref.h), which
 * follows docs/format/vector.md. (Bytes that a compression library writes may differ between its
 * versions; of these only reading is tested.) Bytes on disk are for ever: a line that was in a
 * release may never change. A new codec or case adds lines:
 *
 *     test_codec_golden tests/golden/codec/vectors.txt --write    writes the file anew
 *     test_codec_golden DIRECTORY --corpus                        seeds of the fuzz target
 *
 * then look at the difference: only additions are right. */
#include "check.h"
#include "codec/codec.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

#define GOLDEN_BYTES_MAX 1500u /* longer encodings are left out of the file */
#define GOLDEN_LINE_MAX  (2 * GOLDEN_BYTES_MAX + 200)

static const unsigned golden_codecs[] = {
#define DN_CODEC(id, NAME, ops) id,
#include "codec/codec_list.h"
#undef DN_CODEC
};
static const enum type_id golden_types[] = {TYPE_BOOLEAN,
                                            TYPE_SMALLINT,
                                            TYPE_INTEGER,
                                            TYPE_BIGINT,
                                            TYPE_REAL,
                                            TYPE_DOUBLE,
                                            TYPE_VARCHAR,
                                            TYPE_TIMESTAMP,
                                            TYPE_NUMERIC};

struct golden_case {
    unsigned codec;
    enum type_id type;
    enum shape shape;
    enum gaps gaps;
    uint32_t count;
};

/* One case as a line, "" if the codec cannot hold it or it is too long. False: broken. */
static bool golden_line(const struct golden_case *c, struct buf *line, struct buf *bytes)
{
    struct dn_err err = {0};
    struct arena arena;
    struct vec v;
    int rc;

    buf_reset(line);
    buf_reset(bytes);
    arena_init(&arena, NULL);
    v = shape_make(&arena, c->type, c->shape, c->gaps, c->count);
    rc = codec_encode_with(c->codec, &v, &arena, bytes, &err);
    arena_done(&arena);
    if (rc < 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return false;
    }
    if (rc == DN_NOT_FOUND || bytes->len > GOLDEN_BYTES_MAX)
        return true;
    buf_printf(line,
               "%s %s %s %s %u ",
               codec_ops_by_id(c->codec)->name,
               type_name(c->type),
               shape_names[c->shape],
               shape_gaps_names[c->gaps],
               c->count);
    for (size_t i = 0; i < bytes->len; i++)
        buf_printf(line, "%02x", bytes->data[i]);
    buf_printf(line, "\n");
    return !line->failed;
}

/* The n-th case; false after the last. */
static bool golden_case_at(size_t n, struct golden_case *ret)
{
    static const struct {
        enum shape shape;
        enum gaps gaps;
        uint32_t count;
    } plans[] = {
        {SHAPE_CONSTANT, GAPS_NONE, 3},     {SHAPE_RUNS, GAPS_NONE, 90},
        {SHAPE_FEW, GAPS_NONE, 50},         {SHAPE_JITTER, GAPS_NONE, 33},
        {SHAPE_RANDOM, GAPS_NONE, 10},      {SHAPE_EXTREME, GAPS_NONE, 12},
        {SHAPE_SPECIAL, GAPS_NONE, 12},     {SHAPE_STEP, GAPS_NONE, 1024},
        {SHAPE_JITTER, GAPS_NONE, 1024},    {SHAPE_RUNS, GAPS_NONE, 1024},
        {SHAPE_RUNS, GAPS_NULLS_SOME, 20},  {SHAPE_FEW, GAPS_BOTH, 20},
        {SHAPE_FEW, GAPS_NULLS_ALL, 20},    {SHAPE_CONSTANT, GAPS_NULLS_FIRST, 20},
        {SHAPE_FEW, GAPS_ABSENT_ALL, 1024}, {SHAPE_LEVEL, GAPS_NONE, 40},
        {SHAPE_WALK, GAPS_NONE, 1024},      {SHAPE_DRIFT, GAPS_NULLS_SOME, 50},
        {SHAPE_DRIFT, GAPS_NONE, 1024},     {SHAPE_NOISE, GAPS_NONE, 30},
    };
    size_t types = DN_ARRAY_SIZE(golden_types);
    size_t count = DN_ARRAY_SIZE(plans);

    if (n >= DN_ARRAY_SIZE(golden_codecs) * types * count)
        return false;
    *ret = (struct golden_case){
        .codec = golden_codecs[n / (types * count)],
        .type = golden_types[n / count % types],
        .shape = plans[n % count].shape,
        .gaps = plans[n % count].gaps,
        .count = plans[n % count].count,
    };
    return true;
}

static int golden_write(const char *path)
{
    FILE *f = fopen(path, "w");
    struct golden_case c;
    struct buf line;
    struct buf bytes;
    bool good = f != NULL;

    buf_init(&line, NULL);
    buf_init(&bytes, NULL);
    for (size_t n = 0; good && golden_case_at(n, &c); n++) {
        good = golden_line(&c, &line, &bytes);
        if (good && line.len)
            good = fwrite(line.data, 1, line.len, f) == line.len;
    }
    if (f && fclose(f) != 0)
        good = false;
    buf_done(&line);
    buf_done(&bytes);
    return good ? 0 : 1;
}

/* Seeds for tests/fuzz/codec_fuzz.c: codec, type, rows (2 bytes), then the encoding. */
static int golden_corpus(const char *dir)
{
    struct golden_case c;
    struct buf line;
    struct buf bytes;
    bool good = true;
    char path[500];

    buf_init(&line, NULL);
    buf_init(&bytes, NULL);
    for (size_t n = 0; good && golden_case_at(n, &c); n++) {
        FILE *f;
        uint8_t head[4] = {(uint8_t)c.codec, (uint8_t)c.type};

        good = golden_line(&c, &line, &bytes);
        if (!good || !line.len || n % 8 != c.codec % 8) /* an eighth is plenty */
            continue;
        le_put16(head + 2, (uint16_t)c.count);
        (void)snprintf(path, sizeof path, "%s/golden_%03zu", dir, n);
        f = fopen(path, "wb");
        good = f && fwrite(head, 1, 4, f) == 4 && fwrite(bytes.data, 1, bytes.len, f) == bytes.len;
        if (f && fclose(f) != 0)
            good = false;
    }
    buf_done(&line);
    buf_done(&bytes);
    return good ? 0 : 1;
}

static bool golden_decode(const struct golden_case *c, const struct buf *bytes)
{
    struct codec_src src = {
        .codec = c->codec, .type = c->type, .count = c->count, .p = bytes->data, .n = bytes->len};
    struct dn_err err = {0};
    struct arena arena;
    struct vec v;
    struct vec back;
    bool good;

    arena_init(&arena, NULL);
    v = shape_make(&arena, c->type, c->shape, c->gaps, c->count);
    good = codec_decode(&src, &arena, &back, &err) == 0 && check_same(&v, &back) == UINT32_MAX &&
           check_ref(&v, &src) == UINT32_MAX;
    arena_done(&arena);
    return good;
}

/* The bytes of the file's own hex, not those just encoded. */
static bool golden_unhex(const char *hex, struct buf *bytes)
{
    buf_reset(bytes);
    for (; hex[0] && hex[0] != '\n'; hex += 2) {
        unsigned byte;

        if (sscanf(hex, "%2x", &byte) != 1)
            return false;
        buf_u8(bytes, (uint8_t)byte);
    }
    return !bytes->failed;
}

/* Is the file's line today's, or at least of the same case if a library writes the bytes? */
static bool golden_same(const struct golden_case *c, const char *file, const char *today)
{
    size_t head = (size_t)(strrchr(today, ' ') + 1 - today);

    return codec_ops_by_id(c->codec)->varies ? strncmp(file, today, head) == 0
                                             : strcmp(file, today) == 0;
}

static int golden_check(const char *path)
{
    static char text[GOLDEN_LINE_MAX];
    FILE *f = fopen(path, "r");
    struct golden_case c;
    struct buf line;
    struct buf bytes;
    size_t checked = 0;
    size_t bad = 0;

    if (!f) {
        (void)fprintf(stderr, "%s: cannot be opened\n", path);
        return 1;
    }
    buf_init(&line, NULL);
    buf_init(&bytes, NULL);
    for (size_t n = 0; golden_case_at(n, &c); n++) {
        if (!golden_line(&c, &line, &bytes)) {
            bad++;
            continue;
        }
        if (!line.len)
            continue;
        buf_u8(&line, 0);
        checked++;
        if (!fgets(text, sizeof text, f)) {
            (void)fprintf(stderr, "missing: %s", (char *)line.data);
            bad++;
        } else if (!golden_same(&c, text, (char *)line.data)) {
            (void)fprintf(stderr, "file: %sthis: %s", text, (char *)line.data);
            bad++;
        } else if (!golden_unhex(strrchr(text, ' ') + 1, &bytes) || !golden_decode(&c, &bytes)) {
            (void)fprintf(stderr, "does not decode to its column: %s", text);
            bad++;
        }
    }
    if (fgets(text, sizeof text, f)) {
        (void)fprintf(stderr, "more lines than cases: %s", text);
        bad++;
    }
    (void)fclose(f);
    buf_done(&line);
    buf_done(&bytes);
    (void)printf("%zu golden encodings, %zu bad\n", checked, bad);
    return bad || !checked ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return golden_check(argv[1]);
    if (argc == 3 && strcmp(argv[2], "--write") == 0)
        return golden_write(argv[1]);
    if (argc == 3 && strcmp(argv[2], "--corpus") == 0)
        return golden_corpus(argv[1]);
    (void)fprintf(stderr, "usage: test_codec_golden FILE [--write] | DIRECTORY --corpus\n");
    return 2;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * test_codec_corrupt.c: bytes that are not what an encoder wrote. Each prefix of an encoding and
 * each single flipped bit must decode to an error or to a vector that can be read in full; inputs
 * lie in heap blocks of their exact size, so that the sanitizer sees any overrun. Then one input
 * per complaint, with the words the error must hold. */
#include "check.h"
#include "codec/codec_narrow.h"
#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants these above */
#include <cmocka.h>

static const unsigned codecs[] = {
#define DN_CODEC(id, NAME, ops) id,
#include "codec/codec_list.h"
#undef DN_CODEC
};
static const enum type_id types[] = {TYPE_BOOLEAN,
                                     TYPE_SMALLINT,
                                     TYPE_INTEGER,
                                     TYPE_BIGINT,
                                     TYPE_REAL,
                                     TYPE_DOUBLE,
                                     TYPE_VARCHAR,
                                     TYPE_NUMERIC};

static uint64_t sweep_errors;
static uint64_t sweep_vectors;
static uint64_t sweep_sum; /* of string bytes, so that they are read */

/* Single values and sums of such bytes: an error or some answer. */
static void ask(const struct codec_src *src, struct arena *arena)
{
    struct codec_range range = {src->count / 2, src->count};
    struct codec_ask all = {&range, 1, CODEC_SUM | CODEC_BOUNDS};
    struct dn_err err = {0};
    const double bounds[2] = {-3, 3}; /* which the values need not heed */
    struct codec_narrow narrow;
    struct codec_agg agg;
    struct datum d;
    struct vec v;
    int rc;

    rc = codec_get(src, src->count / 3, arena, &d, &err);
    assert_true(rc == 0 || rc == DN_E_CORRUPT);
    if (rc == 0 && type_is_string(src->type))
        for (uint32_t i = 0; i < d.str.len; i++)
            sweep_sum += (uint8_t)d.str.ptr[i];
    if (!type_known(src->type) || !type_is_fixed(src->type))
        return;
    rc = codec_agg(src, &all, arena, &agg, &err);
    assert_true(rc == 0 || rc == DN_E_CORRUPT);
    rc = codec_decode_narrow(src, bounds, arena, &narrow, &err);
    assert_true(rc == 0 || rc == DN_NOT_FOUND || rc == DN_E_CORRUPT);
    if (rc == 0) {
        assert_int_equal(codec_widen_narrow(&narrow, arena, &v, &err), 0);
        (void)check_touch(&v);
    }
}

static void decode_and_touch(struct codec_src src, size_t n)
{
    struct dn_err err = {0};
    struct arena arena;
    struct vec v;
    uint8_t *exact = mem_dup(NULL, src.p, n);
    int rc;

    assert_non_null(exact);
    arena_init(&arena, NULL);
    src.p = exact;
    src.n = n;
    rc = codec_decode(&src, &arena, &v, &err);
    if (rc == 0) {
        (void)check_touch(&v);
        sweep_vectors++;
    } else {
        assert_int_equal(rc, DN_E_CORRUPT);
        assert_true(strlen(err.text) > 10);
        sweep_errors++;
    }
    if (src.count >= 1 && src.count <= VEC_ROWS_MAX)
        ask(&src, &arena);
    arena_done(&arena);
    mem_free(exact);
}

/* Every `step`-th prefix or bit, so that long encodings do not take all day. */
static void sweep(const struct codec_src *src, uint8_t *bytes, bool flip)
{
    size_t total = flip ? src->n * 8 : src->n;
    size_t step = total / 150 + 1;

    for (size_t i = 0; i < total; i += step) {
        if (!flip) {
            decode_and_touch(*src, i);
            continue;
        }
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        decode_and_touch(*src, src->n);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
}

static void sweeps(bool flip)
{
    static const uint32_t counts[] = {1, 9, 64, 1024};
    struct dn_err err = {0};
    struct arena arena;
    struct buf b;

    sweep_errors = 0;
    sweep_vectors = 0;
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++)
        for (int shape = 0; shape < SHAPE_MAX; shape++)
            for (size_t c = 0; c < DN_ARRAY_SIZE(counts); c++)
                for (size_t k = 0; k < DN_ARRAY_SIZE(codecs); k++) {
                    enum gaps gaps = shape == SHAPE_RUNS  ? GAPS_NULLS_SOME
                                     : shape == SHAPE_FEW ? GAPS_BOTH
                                                          : GAPS_NONE;
                    struct vec v;

                    if (shape == SHAPE_LONG ||
                        (counts[c] == 1024 && shape != SHAPE_RUNS && shape != SHAPE_JITTER))
                        continue;
                    arena_init(&arena, NULL);
                    buf_init(&b, NULL);
                    v = shape_make(&arena, types[t], (enum shape)shape, gaps, counts[c]);
                    if (codec_encode_with(codecs[k], &v, &arena, &b, &err) == 0) {
                        struct codec_src src = {
                            codecs[k], types[t], v.count, b.data, b.len, NULL, NULL};
                        sweep(&src, b.data, flip);
                    }
                    buf_done(&b);
                    arena_done(&arena);
                }
}

static void test_truncation(void **state)
{
    (void)state;
    sweeps(false);
    assert_true(sweep_errors > 10000);
    /* Only a constant string has no length of its own. */
    assert_true(sweep_vectors < 200);
}

static void test_bit_flips(void **state)
{
    (void)state;
    sweeps(true);
    assert_true(sweep_errors > 1000);
    assert_true(sweep_vectors > 10000); /* the checksum around it is what tells */
}

/* The whole of the bytes but another codec, type or count than they were written with. */
static void test_wrong_directory(void **state)
{
    struct dn_err err = {0};
    struct arena arena;
    struct buf b;

    (void)state;
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++)
        for (size_t k = 0; k < DN_ARRAY_SIZE(codecs); k++) {
            struct vec v;

            arena_init(&arena, NULL);
            buf_init(&b, NULL);
            v = shape_make(&arena, types[t], SHAPE_RUNS, GAPS_NONE, 100);
            if (codec_encode_with(codecs[k], &v, &arena, &b, &err) == 0)
                for (unsigned codec = 0; codec < 24; codec++)
                    for (unsigned type = 0; type < 18; type++)
                        for (uint32_t count = 0; count < 1100; count += 111) {
                            struct codec_src src = {
                                codec, (enum type_id)type, count, b.data, b.len, NULL, NULL};
                            decode_and_touch(src, b.len);
                        }
            buf_done(&b);
            arena_done(&arena);
        }
}

struct complaint {
    unsigned codec;
    enum type_id type;
    uint32_t count;
    const char *bytes;
    size_t n;
    const char *words; /* of the error */
};

#define BYTES(s) s, sizeof s - 1

static const struct complaint complaints[] = {
    {0, TYPE_BIGINT, 1, BYTES("\0"), "unknown codec 0"},
    {63, TYPE_BIGINT, 1, BYTES("\0"), "unknown codec 63"},
    {64, TYPE_BIGINT, 1, BYTES("\0"), "unknown codec 64"},
    {CODEC_RAW, (enum type_id)31, 1, BYTES("\0"), "unknown type 31"},
    {CODEC_RAW, TYPE_BIGINT, 0, BYTES("\0"), "0 rows"},
    {CODEC_RAW, TYPE_BIGINT, 1025, BYTES("\0"), "1025 rows"},
    {CODEC_RAW, TYPE_BIGINT, 1, BYTES(""), "no bytes"},
    {CODEC_RAW, TYPE_BIGINT, 1, BYTES("\x10"), "unknown flags 0x10"},
    {CODEC_RAW, TYPE_BIGINT, 8, BYTES("\x05\xff"), "flags name a bitmap twice"},
    {CODEC_RAW, TYPE_BIGINT, 9, BYTES("\x01\xff"), "bitmap cut short"},
    {CODEC_RAW, TYPE_BIGINT, 9, BYTES("\x02\xff\x02"), "bits beyond its 9 rows"},
    {CODEC_RAW, TYPE_BIGINT, 9, BYTES("\x04\x01"), "1 bytes of values though no row has one"},
    {CODEC_RAW, TYPE_BIGINT, 1, BYTES("\0\1\2\3\4\5\6\7"), "7 bytes of values where 1 of 8"},
    {CODEC_RAW, TYPE_BOOLEAN, 2, BYTES("\0\1\2"), "neither 0 nor 1"},
    {CODEC_RAW, TYPE_VARCHAR, 1, BYTES("\0\0"), "bad head of a string list"},
    {CODEC_RAW, TYPE_VARCHAR, 1, BYTES("\0\0\xff\xff\xff\xff\x10"), "bad head of a string list"},
    {CODEC_RAW, TYPE_VARCHAR, 1, BYTES("\0\x21\0"), "string lengths of 33 bits"},
    {CODEC_RAW, TYPE_VARCHAR, 8, BYTES("\0\x02\0\1"), "string lengths cut short"},
    {CODEC_RAW,
     TYPE_VARCHAR,
     2,
     BYTES("\0\0\1x"),
     "1 bytes of strings where their lengths add up to 2"},
    {CODEC_RAW,
     TYPE_VARCHAR,
     1,
     BYTES("\0\0\1xy"),
     "2 bytes of strings where their lengths add up to 1"},
    {CODEC_CONSTANT, TYPE_INTEGER, 5, BYTES("\0\1\2\3"), "constant of 3 bytes where 4 belong"},
    {CODEC_CONSTANT, TYPE_BOOLEAN, 5, BYTES("\0\3"), "neither 0 nor 1"},
    {CODEC_RLE, TYPE_BOOLEAN, 5, BYTES("\0\1"), "runs cut short"},
    {CODEC_RLE, TYPE_BOOLEAN, 5, BYTES("\0\0\0\0"), "0 runs in 5 rows"},
    {CODEC_RLE, TYPE_BOOLEAN, 5, BYTES("\0\6\0\0"), "6 runs in 5 rows"},
    {CODEC_RLE, TYPE_BOOLEAN, 5, BYTES("\0\1\0\x0b"), "run lengths of 11 bits"},
    {CODEC_RLE, TYPE_BOOLEAN, 5, BYTES("\0\5\0\5\1"), "run lengths cut short"},
    {CODEC_RLE, TYPE_BOOLEAN, 5, BYTES("\0\2\0\2\x0f\0\1"), "runs of 8 rows in all where 5"},
    {CODEC_RLE, TYPE_BOOLEAN, 5, BYTES("\0\2\0\1\1\0\1"), "runs of 3 rows in all where 5"},
    {CODEC_DICT, TYPE_BOOLEAN, 5, BYTES("\0\2"), "dictionary of 0 entries"},
    {CODEC_DICT, TYPE_BOOLEAN, 5, BYTES("\0\0\0"), "dictionary of 0 entries"},
    {CODEC_DICT, TYPE_BOOLEAN, 5, BYTES("\0\6\0\0\0\0\0\0\0\0\0\0"), "dictionary of 6 entries"},
    {CODEC_DICT, TYPE_BOOLEAN, 5, BYTES("\0\3\0\0"), "dictionary codes cut short"},
    {CODEC_DICT, TYPE_SMALLINT, 5, BYTES("\0\3\0\x03\0"), "code 3 in a dictionary of 3"},
    {CODEC_DELTA, TYPE_DOUBLE, 5, BYTES("\0\0\0\0"), "no integers"},
    {CODEC_DELTA, TYPE_VARCHAR, 5, BYTES("\0\0\0\0"), "no integers"},
    {CODEC_DELTA, TYPE_BIGINT, 5, BYTES("\0\0\0"), "bad head of packed integers"},
    {CODEC_DELTA, TYPE_BIGINT, 5, BYTES("\0\x41\0\0"), "packed integers of 65 bits"},
    {CODEC_DELTA, TYPE_SMALLINT, 5, BYTES("\0\x11\0\0"), "packed integers of 17 bits"},
    {CODEC_DELTA, TYPE_SMALLINT, 5, BYTES("\0\0\x80\x80\x04\0"), "out of range"},
    {CODEC_DELTA, TYPE_SMALLINT, 5, BYTES("\0\0\0\x80\x80\x04"), "out of range"},
    {CODEC_DELTA, TYPE_BIGINT, 5, BYTES("\0\2\0\0\0"), "1 bytes of packed integers where 2"},
    {CODEC_DELTA, TYPE_BIGINT, 5, BYTES("\0\2\0\0\0\0\0"), "3 bytes of packed integers where 2"},
    {CODEC_FOR, TYPE_REAL, 5, BYTES("\0\0\0"), "no integers"},
    {CODEC_FOR, TYPE_BIGINT, 5, BYTES("\0\0"), "bad head of packed integers"},
    {CODEC_FOR, TYPE_INTEGER, 5, BYTES("\0\x21\0"), "packed integers of 33 bits"},
    {CODEC_FOR, TYPE_SMALLINT, 5, BYTES("\0\0\x80\x80\x04"), "out of range"},
    {CODEC_FOR, TYPE_BIGINT, 5, BYTES("\0\2\0\0\0\0"), "3 bytes of packed integers where 2"},
    {CODEC_FOR, TYPE_BOOLEAN, 5, BYTES("\0\2\0\2\0"), "neither 0 nor 1"},
    {CODEC_DELTA2, TYPE_BIGINT, 5, BYTES("\0\0\0\0"), "bad head of packed integers"},
    {CODEC_DELTA2, TYPE_SMALLINT, 5, BYTES("\0\0\0\x80\x80\x04\0"), "out of range"},
    {CODEC_DELTA2, TYPE_BIGINT, 5, BYTES("\0\2\0\0\0\0"), "1 bytes of packed integers where 2"},
    {CODEC_ALP, TYPE_BIGINT, 5, BYTES("\0\0\0\0\0"), "no floating-point"},
    {CODEC_ALP, TYPE_DOUBLE, 5, BYTES("\0\0"), "bad head of decimal numbers"},
    {CODEC_ALP, TYPE_DOUBLE, 5, BYTES("\0\x13\0\0\0"), "ten to the power of 19"},
    {CODEC_ALP, TYPE_DOUBLE, 5, BYTES("\0\0\6\0\0"), "6 odd numbers in 5 rows"},
    {CODEC_ALP, TYPE_DOUBLE, 5, BYTES("\0\0\1\0\0\0\0"), "odd numbers cut short"},
    {CODEC_ALP, TYPE_REAL, 5, BYTES("\0\0\1\5\0____\0\0"), "odd number 0 is that of row 5"},
    {CODEC_ALP, TYPE_REAL, 5, BYTES("\0\0\2\1\4\0________\0\0"), "odd number 1 is that of row 1"},
    {CODEC_ALP, TYPE_DOUBLE, 5, BYTES("\0\0\0"), "bad head of packed integers"},
    {CODEC_ALP,
     TYPE_DOUBLE,
     5,
     BYTES("\0\0\0\x36\0__________________________________"),
     "decimal numbers of 54 bits"},
    {CODEC_ALP, TYPE_DOUBLE, 5, BYTES("\0\0\0\2\0\0"), "1 bytes of packed integers where 2"},
    {CODEC_ALP_DELTA, TYPE_DOUBLE, 5, BYTES("\0\0\0\0\0"), "bad head of packed integers"},
    {CODEC_SPLIT, TYPE_BIGINT, 5, BYTES("\0\x34\1\0\0\0"), "no floating-point"},
    {CODEC_SPLIT, TYPE_DOUBLE, 5, BYTES("\0\x34"), "bad head of split numbers"},
    {CODEC_SPLIT, TYPE_DOUBLE, 5, BYTES("\0\x2f\1\0\0\0"), "with 47 bits on the right"},
    {CODEC_SPLIT, TYPE_REAL, 5, BYTES("\0\x20\1\0\0\0"), "with 32 bits on the right"},
    {CODEC_SPLIT, TYPE_REAL, 5, BYTES("\0\x10\0\0\0\0"), "with a list of 0"},
    {CODEC_SPLIT, TYPE_REAL, 5, BYTES("\0\x10\x09\0\0\0"), "with a list of 9"},
    {CODEC_SPLIT, TYPE_REAL, 1, BYTES("\0\x10\1\0\0\2__"), "bad head of split numbers"},
    {CODEC_SPLIT, TYPE_REAL, 1, BYTES("\0\x10\1\0\0\0_"), "cut short, or bytes left over"},
    {CODEC_SPLIT, TYPE_REAL, 1, BYTES("\0\x10\1\0\0\0___"), "cut short, or bytes left over"},
    {CODEC_SPLIT, TYPE_REAL, 1, BYTES("\0\x10\1\0\0\1\1\0____"), "odd number 0 is that of row 1"},
    {CODEC_SPLIT, TYPE_REAL, 1, BYTES("\0\x10\3\0\0\0\0\0\0\0\3__"), "code 3 in a list of 3"},
    {CODEC_SPLIT, TYPE_REAL, 1, BYTES("\0\x1f\1\2\0\0____"), "more than 1 bits on the left"},
    {CODEC_FRONT, TYPE_BIGINT, 1, BYTES("\0\0\0\0"), "no strings"},
    {CODEC_FRONT, TYPE_VARCHAR, 1, BYTES("\0\0\0"), "bad head of strings with shared"},
    {CODEC_FRONT, TYPE_VARCHAR, 1, BYTES("\0\x09\0\0"), "bad head of strings with shared"},
    {CODEC_FRONT, TYPE_VARCHAR, 1, BYTES("\0\0\x1a\0"), "bad head of strings with shared"},
    {CODEC_FRONT, TYPE_VARCHAR, 8, BYTES("\0\1\1\0\0"), "shared beginnings cut short"},
    {CODEC_FRONT, TYPE_VARCHAR, 2, BYTES("\0\1\0\1\1ab"), "row 0 shares 1 bytes of 0"},
    {CODEC_FRONT, TYPE_VARCHAR, 2, BYTES("\0\2\0\1\x08xy"), "row 1 shares 2 bytes of 1"},
    {CODEC_FRONT, TYPE_VARCHAR, 2, BYTES("\0\1\0\1\2xyz"), "3 bytes of strings where their"},
    {CODEC_LZ4, TYPE_BIGINT, 1, BYTES("\0\5"), "bad head of compressed bytes"},
    {CODEC_LZ4, TYPE_BIGINT, 1, BYTES("\0\x3f\x08"), "codec 63 within compressed bytes"},
    {CODEC_LZ4, TYPE_BIGINT, 1, BYTES("\0\x0c\x08"), "codec 12 within compressed bytes"},
    {CODEC_LZ4, TYPE_BIGINT, 1, BYTES("\0\5\0"), "compressed bytes of 0"},
    {CODEC_LZ4, TYPE_BIGINT, 1, BYTES("\0\5\x81\x80\1"), "compressed bytes of 16385"},
    {CODEC_LZ4, TYPE_VARCHAR, 1, BYTES("\0\5\x81\x80\x80\x08"), "compressed bytes of 16777217"},
    {CODEC_LZ4, TYPE_BIGINT, 1, BYTES("\0\5\x08\x70_______"), "compressed bytes are broken"},
    {CODEC_LZ4, TYPE_BIGINT, 1, BYTES("\0\5\x07\x70_______"), "7 bytes of values where 1 of 8"},
    {CODEC_ZSTD, TYPE_BIGINT, 1, BYTES("\0\x0d\x08"), "codec 13 within compressed bytes"},
    {CODEC_ZSTD, TYPE_BIGINT, 1, BYTES("\0\5\x08"), "compressed bytes are broken"},
    {CODEC_ZSTD, TYPE_BIGINT, 1, BYTES("\0\5\x08________"), "compressed bytes are broken"},
    {CODEC_LZ4, TYPE_NUMERIC, 1, BYTES("\0\x0e\x07\x70\2\0\0\0\0\0\0"), "are no NUMERIC"},
    {CODEC_DECIMAL, TYPE_BIGINT, 1, BYTES("\0\2\0\0\0\0\0\0"), "are no NUMERIC"},
    {CODEC_DECIMAL, TYPE_VARCHAR, 1, BYTES("\0\2\0\0\0\0\0\0"), "are no NUMERIC"},
    {CODEC_DECIMAL, TYPE_INTERVAL, 1, BYTES("\0\2\0\0\0\0\0\0"), "are no NUMERIC"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\0\0"), "bad head of scaled integers"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\xe9\3\0\0\0\0\0"), "scale 1001"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\3\0\0\0\0"), "order 3"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\0\6\0\0\0\0"), "scales of 6 bits"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\0\0\2\0\0"), "2 odd numbers in 1 rows"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 2, BYTES("\0\2\0\0\0\1\0\0\3\0"), "cut short"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 8, BYTES("\0\2\0\0\2\0\0"), "cut short"},
    {CODEC_DECIMAL,
     TYPE_NUMERIC,
     2,
     BYTES("\0\2\0\0\0\1\2\0\3\0\0\7\0\0"),
     "odd number 0 is that of row 2"},
    {CODEC_DECIMAL,
     TYPE_NUMERIC,
     2,
     BYTES("\0\2\0\0\0\2\1\4\0\2\xff\xff\2\xff\xff\0\0"),
     "odd number 1 is that of row 1"},
    {CODEC_DECIMAL,
     TYPE_NUMERIC,
     2,
     BYTES("\0\2\0\0\0\1\1\0\1\0\0\0"),
     "bytes that are no NUMERIC"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\0\2\0\3\0\0"), "scale 2 with 3 digits fewer"},
    {CODEC_DECIMAL,
     TYPE_NUMERIC,
     1,
     BYTES("\0\x20\0\0\5\0\x13\0\0"),
     "scale 32 with 19 digits fewer"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\0\1\0\1\0\6"), "where a NUMERIC shows none"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\0\0\0"), "bad head of packed integers"},
    {CODEC_DECIMAL, TYPE_NUMERIC, 1, BYTES("\0\2\0\0\0\0\0\0_"), "1 bytes of packed"},
};

static void test_complaints(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(complaints); i++) {
        const struct complaint *c = &complaints[i];
        struct dn_err err = {0};
        struct arena arena;
        struct vec v;
        uint8_t *exact = mem_dup(NULL, c->bytes, c->n);
        struct codec_src src = {c->codec, c->type, c->count, exact, c->n, NULL, NULL};

        arena_init(&arena, NULL);
        assert_int_equal(codec_decode(&src, &arena, &v, &err), DN_E_CORRUPT);
        if (!strstr(err.text, c->words))
            fail_msg("complaint %zu: \"%s\" says nothing of \"%s\"", i, err.text, c->words);
        arena_done(&arena);
        mem_free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_bit_flips),
        cmocka_unit_test(test_wrong_directory),
    };

    return cmocka_run_group_tests_name("codec_corrupt", tests, NULL, NULL);
}

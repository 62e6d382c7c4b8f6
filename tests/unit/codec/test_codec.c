/* SPDX-License-Identifier: Apache-2.0
 *
 * test_codec.c: round trips of every codec, type, shape and kind of gap against the input and
 * against the second reader; which codec is chosen; forms; memory running out. */
#include "check.h"
#include "codec/codec.h"
#include "codec/codec_kernel.h"
#include "ref.h"
#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* cmocka wants these above */
#include <cmocka.h>

static const unsigned codecs[] = {
#define DN_CODEC(id, NAME, ops) id,
#include "codec/codec_list.h"
#undef DN_CODEC
};
static enum type_id
    types[TYPE_MAX]; /* those of columns but INTERVAL, which is strings here; and NONE */
static size_t types_count;

/* Encodes v with a codec (0: the best), decodes, compares. Returns false if it cannot hold v. */
static bool round_trip(
    unsigned codec, const struct vec *v, struct arena *arena, struct vec *ret_vec, const char *what)
{
    struct dn_err err = {0};
    struct codec_src src = {.codec = codec, .type = v->type, .count = v->count};
    struct buf b;
    uint8_t *exact;
    uint32_t bad;
    int rc;

    buf_init(&b, NULL);
    buf_puts(&b, "prefix"); /* encoders append */
    rc = codec ? codec_encode_with(codec, v, arena, &b, &err)
               : codec_encode(v, arena, &b, &src.codec, &err);
    if (rc == DN_NOT_FOUND) {
        assert_int_equal(b.len, 6);
        buf_done(&b);
        return false;
    }
    assert_int_equal(rc, 0);
    src.n = b.len - 6;
    exact = arena_dup(arena, b.data + 6, src.n); /* a heap block of its own in debug builds */
    assert_non_null(exact);
    buf_done(&b);
    src.p = exact;
    rc = codec_decode(&src, arena, ret_vec, &err);
    if (rc != 0)
        fail_msg("%s codec %u: %s", what, src.codec, err.text);
    bad = check_same(v, ret_vec);
    if (bad != UINT32_MAX)
        fail_msg("%s codec %u: row %u differs", what, src.codec, bad);
    bad = check_ref(v, &src);
    if (bad != UINT32_MAX)
        fail_msg("%s codec %u: row %u differs for the second reader", what, src.codec, bad);
    (void)check_touch(ret_vec);
    bad = check_answers(ret_vec, &src, arena);
    if (bad != UINT32_MAX)
        fail_msg("%s codec %u: another answer for row or range %u", what, src.codec, bad);
    return true;
}

/* May a codec refuse values of a type? */
static bool may_refuse(unsigned codec, enum type_id type)
{
    switch ((enum codec_id)codec) {
    case CODEC_CONSTANT:
        return true;
    case CODEC_DELTA:
    case CODEC_FOR:
    case CODEC_DELTA2:
    case CODEC_KIN:
        return type_is_float(type) || !type_is_fixed(type);
    case CODEC_ALP:
    case CODEC_ALP_DELTA:
    case CODEC_ALP_KIN:
    case CODEC_SPLIT:
        return !type_is_float(type);
    case CODEC_FRONT:
        return type_is_fixed(type);
    case CODEC_DECIMAL: /* numbers that are all odd */
    case CODEC_ANS:     /* differences that are all alike */
    case CODEC_ALP_ANS:
        return true;
    case CODEC_RLE:
    case CODEC_DICT:
    case CODEC_RAW:
    case CODEC_LZ4:
    case CODEC_ZSTD:
    case CODEC_DICT_KIN:
    case CODEC_DICT_NEXT:
    case CODEC_DICT_FAR:
    case CODEC_ID_MAX:
        break;
    }
    return false;
}

static void round_trips(enum type_id type, enum shape shape, enum gaps gaps, uint32_t count)
{
    struct arena arena;
    struct vec v;
    struct vec back;
    char what[120];

    arena_init(&arena, NULL);
    v = shape_make(&arena, type, shape, gaps, count);
    (void)snprintf(what,
                   sizeof what,
                   "%s %s gaps %s rows %u",
                   type_name(type),
                   shape_names[shape],
                   shape_gaps_names[gaps],
                   count);
    assert_true(round_trip(0, &v, &arena, &back, what));
    for (size_t i = 0; i < DN_ARRAY_SIZE(codecs); i++)
        if (!round_trip(codecs[i], &v, &arena, &back, what))
            assert_true(may_refuse(codecs[i], type));
    arena_done(&arena);
}

static void test_round_trip(void **state)
{
    static const uint32_t counts[] = {1, 2, 63, 64, 65, 1000, 1024};

    (void)state;
    for (size_t t = 0; t < types_count; t++)
        for (int shape = 0; shape < SHAPE_MAX; shape++)
            for (size_t c = 0; c < DN_ARRAY_SIZE(counts); c++)
                round_trips(types[t], (enum shape)shape, GAPS_NONE, counts[c]);
}

static void test_round_trip_gaps(void **state)
{
    static const uint32_t counts[] = {1, 2, 64, 65, 257, 1024};

    (void)state;
    for (size_t t = 0; t < types_count; t++)
        for (int gaps = GAPS_NONE + 1; gaps < GAPS_MAX; gaps++)
            for (size_t c = 0; c < DN_ARRAY_SIZE(counts); c++) {
                round_trips(types[t], SHAPE_CONSTANT, (enum gaps)gaps, counts[c]);
                round_trips(types[t], SHAPE_RUNS, (enum gaps)gaps, counts[c]);
                round_trips(types[t], SHAPE_RANDOM, (enum gaps)gaps, counts[c]);
            }
}

/* Once more without the wider instructions of the processor. */
static void test_round_trip_plain(void **state)
{
    static const enum type_id some[] = {TYPE_SMALLINT, TYPE_BIGINT, TYPE_REAL, TYPE_DOUBLE};

    (void)state;
    codec_kernels_plain(true);
    for (size_t t = 0; t < DN_ARRAY_SIZE(some); t++)
        for (int shape = 0; shape < SHAPE_MAX; shape++) {
            round_trips(some[t], (enum shape)shape, GAPS_NONE, 1024);
            round_trips(some[t], (enum shape)shape, GAPS_NULLS_SOME, 99);
        }
    codec_kernels_plain(false);
}

/* CONST and DICT vectors as input. */
static void test_other_forms(void **state)
{
    uint16_t codes[100];
    uint64_t nulls[2] = {0x8000000000000001u, UINT64_MAX}; /* bits beyond the count are set */
    uint64_t one = 1;
    struct arena arena;
    struct vec few;
    struct vec back;

    (void)state;
    arena_init(&arena, NULL);
    for (unsigned i = 0; i < 100; i++)
        codes[i] = (uint16_t)(i * 7 % 10);
    for (size_t t = 0; t < types_count; t++) {
        few = shape_make(&arena, types[t], SHAPE_RANDOM, GAPS_NONE, 10);
        few.form = VEC_CONST;
        few.count = 70;
        assert_true(round_trip(0, &few, &arena, &back, "const"));
        assert_int_equal(back.form, VEC_CONST);
        few.nulls = &one;
        assert_true(round_trip(0, &few, &arena, &back, "const null"));
        assert_int_equal(back.form, VEC_CONST);
        assert_true(vec_is_null(&back, 69));
        few.form = VEC_DICT;
        few.nulls = nulls;
        few.count = 100;
        few.dict_count = 10;
        few.codes = codes;
        for (size_t i = 0; i < DN_ARRAY_SIZE(codecs); i++)
            (void)round_trip(codecs[i], &few, &arena, &back, "dict");
    }
    arena_done(&arena);
}

static unsigned
best_of(enum type_id type, enum shape shape, enum gaps gaps, uint32_t count, size_t *ret_len)
{
    struct dn_err err = {0};
    struct arena arena;
    struct vec v;
    struct buf b;
    unsigned codec = 0;

    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    v = shape_make(&arena, type, shape, gaps, count);
    assert_int_equal(codec_encode(&v, &arena, &b, &codec, &err), 0);
    *ret_len = b.len;
    buf_done(&b);
    arena_done(&arena);
    return codec;
}

static void test_choice(void **state)
{
    size_t n;

    (void)state;
    assert_int_equal(best_of(TYPE_TIMESTAMP, SHAPE_CONSTANT, GAPS_NONE, 1024, &n), CODEC_CONSTANT);
    assert_int_equal(n, 1 + 8);
    assert_int_equal(best_of(TYPE_VARCHAR, SHAPE_CONSTANT, GAPS_NONE, 1024, &n), CODEC_CONSTANT);
    assert_int_equal(best_of(TYPE_TIMESTAMP, SHAPE_STEP, GAPS_NONE, 1024, &n), CODEC_DELTA);
    assert_int_equal(n, 1 + 1 + 6 + 3); /* no bits for a constant step */
    assert_int_equal(best_of(TYPE_TIMESTAMP, SHAPE_JITTER, GAPS_NONE, 1024, &n), CODEC_DELTA);
    assert_int_equal(n, 1 + 1 + 6 + 3 + 1024 * 3 / 8);
    assert_int_equal(best_of(TYPE_BIGINT, SHAPE_DRIFT, GAPS_NONE, 1024, &n), CODEC_DELTA2);
    assert_int_equal(best_of(TYPE_BIGINT, SHAPE_LEVEL, GAPS_NONE, 1024, &n), CODEC_FOR);
    assert_int_equal(n, 1 + 1 + 2 + 1024 * 7 / 8);
    assert_int_equal(best_of(TYPE_BIGINT, SHAPE_WALK, GAPS_NONE, 1024, &n), CODEC_DELTA);
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_RANDOM, GAPS_NONE, 1024, &n), CODEC_RAW);
    assert_int_equal(n, 1 + 8192);
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_FEW, GAPS_NONE, 1024, &n), CODEC_DICT);
    assert_int_equal(n, 1 + 2 + 1024 * 4 / 8 + 12 * 8);
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_LEVEL, GAPS_NONE, 1024, &n), CODEC_ALP);
    assert_int_equal(n, 1 + 2 + 1 + 2 + 1024 * 7 / 8);
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_WALK, GAPS_NONE, 1024, &n), CODEC_ALP_DELTA);
    assert_int_equal(best_of(TYPE_REAL, SHAPE_WALK, GAPS_NONE, 1024, &n), CODEC_ALP_DELTA);
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_NOISE, GAPS_NONE, 1024, &n), CODEC_SPLIT);
    assert_true(n < 8192 * 9 / 10);
    assert_int_equal(best_of(TYPE_VARCHAR, SHAPE_FEW, GAPS_NONE, 1024, &n), CODEC_DICT);
    assert_int_equal(best_of(TYPE_VARCHAR, SHAPE_RUNS, GAPS_NONE, 1024, &n), CODEC_RLE);
    assert_int_equal(best_of(TYPE_VARCHAR, SHAPE_DRIFT, GAPS_NONE, 1024, &n), CODEC_FRONT);
    assert_int_equal(best_of(TYPE_VARCHAR, SHAPE_NOISE, GAPS_NONE, 1024, &n), CODEC_LZ4);
    assert_int_equal(best_of(TYPE_NUMERIC, SHAPE_CONSTANT, GAPS_NONE, 1024, &n), CODEC_CONSTANT);
    assert_int_equal(best_of(TYPE_NUMERIC, SHAPE_FEW, GAPS_NONE, 1024, &n), CODEC_DICT);
    assert_int_equal(best_of(TYPE_NUMERIC, SHAPE_LEVEL, GAPS_NONE, 1024, &n), CODEC_DECIMAL);
    assert_int_equal(n, 1 + 5 + 3 + 7 * 128); /* 7 bits a number */
    assert_int_equal(best_of(TYPE_NUMERIC, SHAPE_WALK, GAPS_NONE, 1024, &n), CODEC_DECIMAL);
    assert_true(n < 420); /* differences of 3 bits */
    assert_int_equal(best_of(TYPE_NUMERIC, SHAPE_NOISE, GAPS_NONE, 1024, &n), CODEC_DECIMAL);
    assert_int_equal(best_of(TYPE_BOOLEAN, SHAPE_RANDOM, GAPS_NONE, 1024, &n), CODEC_FOR);
    assert_int_equal(n, 1 + 2 + 128);
    /* No values at all: flags only, first codec of the list. */
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_RANDOM, GAPS_NULLS_ALL, 1024, &n), CODEC_CONSTANT);
    assert_int_equal(n, 1);
    assert_int_equal(best_of(TYPE_VARCHAR, SHAPE_RANDOM, GAPS_ABSENT_ALL, 1024, &n),
                     CODEC_CONSTANT);
    assert_int_equal(n, 1);
    /* Rows before the first value take that one, whatever lay under them. */
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_RANDOM, GAPS_NULLS_BUT_ONE, 1024, &n),
                     CODEC_CONSTANT);
    assert_int_equal(n, 1 + 128 + 8);
    /* What lies under nulls costs nothing: the runs it makes are folded. */
    assert_int_equal(best_of(TYPE_DOUBLE, SHAPE_RANDOM, GAPS_NULLS_FIRST, 1024, &n), CODEC_RLE);
    assert_true(n < 1 + 128 + 8192 * 2 / 3 + 1024 * 10 / 8);
}

/* A constant where all values are the same. Else no codec is better than the chosen one, and none
 * as good has a lower weight or stands before it. Compression is not tried where it hardly pays, so
 * it may be better in theory. */
static void test_choice_is_best(void **state)
{
    struct dn_err err = {0};
    struct arena arena;
    struct buf b;

    (void)state;
    buf_init(&b, NULL);
    for (size_t t = 0; t < types_count; t++)
        for (int shape = 0; shape < SHAPE_MAX; shape++)
            for (uint32_t count = 1; count <= 1024; count *= 4) {
                uint64_t best;
                unsigned weight;
                unsigned chosen = 0;
                bool seen = false;
                bool constant;
                struct vec v;

                arena_init(&arena, NULL);
                v = shape_make(&arena, types[t], (enum shape)shape, GAPS_NONE, count);
                buf_reset(&b);
                assert_int_equal(codec_encode(&v, &arena, &b, &chosen, &err), 0);
                weight = codec_ops_by_id(chosen)->weight;
                best = (b.len - 1) * weight; /* less the flags */
                buf_reset(&b);
                constant = codec_encode_with(CODEC_CONSTANT, &v, &arena, &b, &err) == 0;
                assert_true(constant == (chosen == CODEC_CONSTANT));
                for (size_t i = 0; !constant && i < DN_ARRAY_SIZE(codecs); i++) {
                    const struct codec_ops *ops = codec_ops_by_id(codecs[i]);
                    uint64_t score;

                    buf_reset(&b);
                    seen |= codecs[i] == chosen;
                    if (ops->stage == CODEC_WRAPS || ops->hinted ||
                        codec_encode_with(codecs[i], &v, &arena, &b, &err) != 0)
                        continue;
                    score = (b.len - 1) * ops->weight;
                    if (score < best ||
                        (score == best && codecs[i] != chosen &&
                         (ops->weight < weight || (ops->weight == weight && !seen))))
                        fail_msg("%s %s %u rows: %s was chosen, %s is better",
                                 type_name(types[t]),
                                 shape_names[shape],
                                 count,
                                 codec_ops_by_id(chosen)->name,
                                 ops->name);
                }
                arena_done(&arena);
            }
    buf_done(&b);
}

/* Three bits take three bytes as raw and as for: the first in the list wins. */
static void test_tie(void **state)
{
    static const int8_t bits[] = {0, 1, 0};
    struct vec v = {.type = TYPE_BOOLEAN, .form = VEC_FLAT, .count = 3, .data = bits};
    struct dn_err err = {0};
    struct arena arena;
    struct buf b;
    unsigned chosen = 0;

    (void)state;
    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    assert_int_equal(codec_encode_with(CODEC_FOR, &v, &arena, &b, &err), 0);
    assert_int_equal(b.len, 1 + 3);
    assert_int_equal(codec_encode(&v, &arena, &b, &chosen, &err), 0);
    assert_int_equal(chosen, CODEC_RAW);
    buf_done(&b);
    arena_done(&arena);
}

static void test_decoded_forms(void **state)
{
    struct arena arena;
    struct vec v;
    struct vec back;

    (void)state;
    arena_init(&arena, NULL);
    v = shape_make(&arena, TYPE_VARCHAR, SHAPE_FEW, GAPS_NULLS_SOME, 500);
    assert_true(round_trip(CODEC_DICT, &v, &arena, &back, "forms"));
    assert_int_equal(back.form, VEC_DICT);
    assert_true(back.dict_count <= 12);
    assert_true(round_trip(CODEC_RLE, &v, &arena, &back, "forms"));
    assert_int_equal(back.form, VEC_DICT);
    v = shape_make(&arena, TYPE_DOUBLE, SHAPE_RUNS, GAPS_NONE, 500);
    assert_true(round_trip(CODEC_RLE, &v, &arena, &back, "forms"));
    assert_int_equal(back.form, VEC_FLAT);
    v = shape_make(&arena, TYPE_VARCHAR, SHAPE_CONSTANT, GAPS_NONE, 500);
    assert_true(round_trip(CODEC_CONSTANT, &v, &arena, &back, "forms"));
    assert_int_equal(back.form, VEC_CONST);
    assert_null(back.nulls);
    v = shape_make(&arena, TYPE_VARCHAR, SHAPE_CONSTANT, GAPS_NULLS_SOME, 500);
    assert_true(round_trip(CODEC_CONSTANT, &v, &arena, &back, "forms"));
    assert_int_equal(back.form, VEC_DICT); /* CONST has no room for nulls by row */
    assert_int_equal(back.dict_count, 1);
    arena_done(&arena);
}

/* Fail the n-th allocation until none fails: an error each time, no leak, no crash. */
static void test_out_of_memory(void **state)
{
    static const enum type_id some[] = {TYPE_BIGINT, TYPE_VARCHAR, TYPE_NUMERIC};
    size_t before;

    (void)state;
    for (size_t t = 0; t < DN_ARRAY_SIZE(some); t++)
        for (size_t i = 0; i < DN_ARRAY_SIZE(codecs); i++)
            for (uint64_t n = 1;; n++) {
                struct dn_err err = {0};
                struct arena input;
                struct arena arena;
                struct buf b;
                struct vec v;
                struct vec back;
                struct codec_src src;
                bool hit;
                int rc;

                before = mem_process_used();
                arena_init(&input, NULL);
                arena_init(&arena, NULL);
                buf_init(&b, NULL);
                v = shape_make(&input, some[t], SHAPE_CONSTANT, GAPS_BOTH, 300);
                mem_fail_nth(n, false);
                rc = codec_encode_with(codecs[i], &v, &arena, &b, &err);
                src = (struct codec_src){.codec = codecs[i], .type = some[t], .count = v.count};
                src.p = b.data;
                src.n = b.len;
                if (rc == 0)
                    rc = codec_decode(&src, &arena, &back, &err);
                hit = mem_fail_hit();
                mem_fail_nth(0, false);
                if (hit)
                    assert_int_equal(rc, DN_E_NOMEM);
                else
                    assert_true(rc == 0 || rc == DN_NOT_FOUND);
                buf_done(&b);
                arena_done(&arena);
                arena_done(&input);
                assert_int_equal(mem_process_used(), before);
                if (!hit)
                    break;
            }
}

static void test_list(void **state)
{
    (void)state;
    assert_null(codec_ops_by_id(0));
    assert_null(codec_ops_by_id(CODEC_ID_MAX));
    assert_null(codec_ops_by_id(UINT32_MAX));
    for (size_t i = 0; i < DN_ARRAY_SIZE(codecs); i++) {
        assert_non_null(codec_ops_by_id(codecs[i]));
        assert_non_null(codec_ops_by_id(codecs[i])->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_round_trip_gaps),
        cmocka_unit_test(test_round_trip_plain),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_choice_is_best),
        cmocka_unit_test(test_tie),
        cmocka_unit_test(test_decoded_forms),
        cmocka_unit_test(test_out_of_memory),
    };

    for (unsigned t = 0; t < TYPE_MAX; t++)
        if (t == TYPE_NONE || (type_storable(t) && t != TYPE_INTERVAL))
            types[types_count++] = (enum type_id)t;
    return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}

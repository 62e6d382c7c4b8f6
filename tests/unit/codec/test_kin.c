/* SPDX-License-Identifier: Apache-2.0
 *
 * test_kin.c: vectors that are read with a guide beside them: rows of many series in turn, with
 * gaps, in random order; what they cost; what is refused. */
#include "check.h"
#include "codec/codec.h"
#include "codec/codec_kin.h"
#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants these above */
#include <cmocka.h>

#define GUIDE 7u /* id of the column that guides */

/* How the rows of series lie. */
enum order {
    ORDER_TURNS,     /* one after the other, always alike */
    ORDER_MISSING,   /* so, but one row of fifty is not there */
    ORDER_RANDOM,    /* any series in any row */
    ORDER_STRETCHES, /* some rows of one series, then of any */
    ORDER_MAX
};

static const char *const order_names[ORDER_MAX] = {"turns", "missing", "random", "stretches"};

/* Rows of a made-up table. */
struct rows {
    uint32_t series[VEC_ROWS_MAX];
    int64_t ticks[VEC_ROWS_MAX];
    uint32_t count;
};

static struct rows rows_stretches(uint32_t series, uint32_t count)
{
    struct rows rows = {.count = count};
    int64_t ticks[VEC_ROWS_MAX] = {0};
    uint64_t seed = series;

    for (uint32_t i = 0; i < count;) {
        uint32_t now = (uint32_t)(shape_random(&seed) % series);
        uint32_t left = 1 + (uint32_t)(shape_random(&seed) % 40);

        for (; left > 0 && i < count; left--, i++) {
            rows.series[i] = now;
            rows.ticks[i] = ticks[now]++;
        }
    }
    return rows;
}

static struct rows rows_make(enum order order, uint32_t series, uint32_t count)
{
    struct rows rows = {.count = count};
    uint64_t seed = series * 31 + (uint64_t)order;
    uint32_t at = series / 3; /* it begins in the middle of a turn */

    if (order == ORDER_STRETCHES)
        return rows_stretches(series, count);
    for (uint32_t i = 0; i < count; at++) {
        if (order == ORDER_MISSING && shape_random(&seed) % 50 == 0)
            continue;
        rows.series[i] =
            order == ORDER_RANDOM ? (uint32_t)(shape_random(&seed) % series) : at % series;
        rows.ticks[i++] = at / series;
    }
    return rows;
}

static uint32_t rows_distinct(const struct rows *rows)
{
    bool seen[VEC_ROWS_MAX] = {false};
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        n += !seen[rows->series[i]];
        seen[rows->series[i]] = true;
    }
    return n;
}

/* A vector of the type, one value a row: `base` of the series and a walk of `step` from there. */
static struct vec
rows_vec(struct arena *arena, const struct rows *rows, enum type_id type, int64_t step, bool gaps)
{
    struct vec v = {.type = type, .form = VEC_FLAT, .count = rows->count};
    uint32_t size = phys_size(type_phys(type));
    uint8_t *data = arena_calloc(arena, rows->count, size);
    uint64_t *nulls = arena_calloc(arena, VEC_BITMAP_WORDS(rows->count), sizeof *nulls);
    int64_t *now = arena_calloc(arena, VEC_ROWS_MAX, sizeof *now);
    uint64_t seed = (uint64_t)type;

    assert_true(data && nulls && now);
    for (uint32_t i = 0; i < VEC_ROWS_MAX; i++)
        now[i] = type_is_string(type) ? i * 7 : (int64_t)(shape_random(&seed) % 9000);
    for (uint32_t i = 0; i < rows->count; i++) {
        int64_t *value = &now[rows->series[i]];
        struct datum d = {.type = type};
        char text[32];

        if (step)
            *value += (int64_t)(shape_random(&seed) % (2 * (uint64_t)step + 1)) - step;
        if (type_is_string(type)) {
            int n = snprintf(text, sizeof text, "name_%lld", (long long)*value);

            d.str = (struct vstr){arena_dup(arena, text, (size_t)n), (uint32_t)n};
        } else if (type_is_float(type)) {
            d.v.f64 = (double)*value / 100;
        } else {
            d.v.i64 = *value;
        }
        datum_store(&d, data, i);
        if (gaps && shape_random(&seed) % 5 == 0)
            nulls[i / 64] |= (uint64_t)1 << i % 64;
    }
    v.data = data;
    v.nulls = gaps ? nulls : NULL;
    return v;
}

/* Encodes, with a hint; the bytes are the arena's. */
static struct codec_src
encode(struct arena *arena, const struct vec *v, const struct codec_hint *hint)
{
    struct codec_src src = {.type = v->type, .count = v->count};
    struct dn_err err = {0};
    struct buf b;

    buf_init(&b, NULL);
    assert_int_equal(codec_encode_hinted(v, hint, arena, &b, &src.codec, &err), 0);
    src.n = b.len;
    src.p = arena_dup(arena, b.data, b.len);
    buf_done(&b);
    return src;
}

/* Who is kin to whom, by its definition. */
static void check_kin(const uint16_t *codes, uint32_t count, const struct codec_kin *kin)
{
    uint16_t seed_of[VEC_ROWS_MAX]; /* per row */
    uint32_t stretch = 0;
    uint32_t seeds = 0;

    assert_int_equal(kin->count, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = i;

        while (before > 0 && codes[before - 1] != codes[i])
            before--;
        while (stretch + 1 < kin->stretches && kin->starts[stretch + 1] <= i)
            stretch++;
        seed_of[i] = kin->seed_of[kin->stretches ? stretch : i];
        assert_int_equal(kin->of[i], before);
        if (before == 0) {
            assert_int_equal(kin->seed_rows[seeds], i);
            assert_int_equal(seed_of[i], seeds++);
        } else {
            assert_int_equal(seed_of[i], seed_of[before - 1]);
        }
        if (kin->turn)
            assert_int_equal(before, i < kin->turn ? 0 : i - kin->turn + 1);
        if (kin->stretches && i != kin->starts[stretch])
            assert_int_equal(before, i);
    }
    assert_int_equal(kin->seeds, seeds);
}

/* Turns of any length, and such that one row spoils. */
static void kin_is_the_nearest_row_of_the_code(void **state DN_UNUSED)
{
    static const uint32_t lengths[] = {1, 2, 3, 7, 64, 100, 512, 1000, 1023, 1024};
    static const uint32_t counts[] = {1, 2, 63, 128, 700, 1024};
    uint16_t codes[VEC_ROWS_MAX];
    struct codec_kin kin;
    uint64_t seed = 5;
    uint32_t turns = 0;

    for (uint32_t l = 0; l < DN_ARRAY_SIZE(lengths); l++)
        for (uint32_t c = 0; c < DN_ARRAY_SIZE(counts) * 8; c++) {
            uint32_t count = counts[c / 8];
            uint32_t at = (uint32_t)(shape_random(&seed) % count);
            uint32_t turn = lengths[l] < count ? lengths[l] : count;

            for (uint32_t i = 0; i < count; i++)
                codes[i] = (uint16_t)((i % lengths[l] + c * 3) % lengths[l]);
            codec_kin_from_codes(codes, count, GUIDE, &kin);
            check_kin(codes, count, &kin);
            assert_int_equal(kin.turn, turn > 1 ? turn : 0);
            codes[at] = (uint16_t)(shape_random(&seed) % VEC_ROWS_MAX);
            codec_kin_from_codes(codes, count, GUIDE, &kin);
            check_kin(codes, count, &kin);
            turns += kin.turn != 0;
        }
    assert_true(turns > 0);
}

static struct codec_src guide(struct arena *arena, const struct vec *v, struct codec_kin *ret)
{
    struct codec_hint hint = {.guide = GUIDE, .ret_kin = ret};
    struct codec_src src = encode(arena, v, &hint);
    struct dn_err err = {0};
    struct codec_kin kin;
    struct vec back;

    assert_int_equal(codec_decode(&src, arena, &back, &err), 0);
    assert_int_equal(check_same(v, &back), UINT32_MAX);
    assert_int_equal(check_ref(v, &src), UINT32_MAX);
    if (ret->count == 0)
        return src;
    /* A reader sees the same kin as the writer. */
    assert_int_equal(codec_kin_of_guide(&src, GUIDE, &kin, &err), 0);
    assert_int_equal(kin.count, ret->count);
    assert_int_equal(kin.seeds, ret->seeds);
    assert_memory_equal(kin.of, ret->of, kin.count * sizeof kin.of[0]);
    assert_memory_equal(kin.seed_rows, ret->seed_rows, kin.seeds * sizeof kin.of[0]);
    return src;
}

/* Encodes with a guide (NULL: without), decodes, compares. */
static struct codec_src
round_trip_how(struct arena *arena, const struct vec *v, struct codec_kin *kin, bool small)
{
    struct codec_hint hint = {.kin = kin, .small = small};
    struct codec_src src = encode(arena, v, &hint);
    struct dn_err err = {0};
    struct vec back;

    if (codec_guide(&src)) {
        assert_int_equal(codec_guide(&src), GUIDE);
        assert_int_equal(codec_decode(&src, arena, &back, &err), DN_E_CORRUPT);
        src.kin = kin;
    }
    assert_int_equal(codec_decode(&src, arena, &back, &err), 0);
    assert_int_equal(check_same(v, &back), UINT32_MAX);
    assert_int_equal(check_ref(v, &src), UINT32_MAX);
    assert_int_equal(check_answers(&back, &src, arena), UINT32_MAX);
    return src;
}

static struct codec_src round_trip(struct arena *arena, const struct vec *v, struct codec_kin *kin)
{
    return round_trip_how(arena, v, kin, false);
}

/* Values that rise by the same step from row to row of a series, some of them so far that they go
 * around. */
static struct vec rows_rising(struct arena *arena, const struct rows *rows, enum type_id type)
{
    struct vec v = {.type = type, .form = VEC_FLAT, .count = rows->count};
    uint8_t *data = arena_calloc(arena, rows->count, phys_size(type_phys(type)));

    assert_non_null(data);
    for (uint32_t i = 0; i < rows->count; i++) {
        struct datum d = {.type = type};
        uint64_t base = rows->series[i] % 3 * 1000;

        d.v.i64 = type == TYPE_SMALLINT ? (int16_t)(uint16_t)(base + (uint64_t)rows->ticks[i] * 701)
                                        : (int64_t)base + rows->ticks[i] * 10000;
        datum_store(&d, data, i);
    }
    v.data = data;
    return v;
}

/* All orders, types, numbers of series; and that these codecs are taken where they should be. */
static void test_round_trips(void **state)
{
    static const enum type_id types[] = {TYPE_SMALLINT,
                                         TYPE_INTEGER,
                                         TYPE_BIGINT,
                                         TYPE_TIMESTAMP,
                                         TYPE_REAL,
                                         TYPE_DOUBLE,
                                         TYPE_VARCHAR};
    static const uint32_t series[] = {2, 7, 50, 100, 333};
    static const uint32_t counts[] = {1024, 1000, 300};
    uint32_t guided[ORDER_MAX] = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, NULL);
    for (int order = 0; order < ORDER_MAX; order++)
        for (size_t s = 0; s < DN_ARRAY_SIZE(series); s++)
            for (size_t n = 0; n < DN_ARRAY_SIZE(counts); n++) {
                struct rows rows = rows_make((enum order)order, series[s], counts[n]);
                struct vec names;
                struct codec_kin kin;

                arena_reset(&arena);
                names = rows_vec(&arena, &rows, TYPE_VARCHAR, 0, false);
                (void)guide(&arena, &names, &kin);
                assert_int_equal(kin.count,
                                 rows_distinct(&rows) <= counts[n] / 4 * 3 ? counts[n] : 0);
                for (size_t t = 0; kin.count && t < DN_ARRAY_SIZE(types); t++)
                    if (!type_is_float(types[t]) && !type_is_string(types[t])) {
                        struct vec v = rows_rising(&arena, &rows, types[t]);
                        struct codec_src src = round_trip(&arena, &v, &kin);

                        guided[order] += codec_guide(&src) != 0;
                    }
                for (size_t t = 0; kin.count && t < DN_ARRAY_SIZE(types); t++)
                    for (int64_t step = 0; step <= 900; step = step * 30 + 1)
                        for (int gaps = 0; gaps < 2; gaps++) {
                            struct vec v = rows_vec(&arena, &rows, types[t], step, gaps);
                            struct codec_src src = round_trip(&arena, &v, &kin);

                            (void)round_trip_how(&arena, &v, &kin, true);
                            (void)round_trip_how(&arena, &v, NULL, true);
                            guided[order] += codec_guide(&src) != 0;
                            if (order == ORDER_STRETCHES)
                                continue; /* others may be shorter */
                            if (step <= !type_is_string(types[t]) && series[s] >= 50 &&
                                series[s] < counts[n] / 4 && !codec_guide(&src) && !gaps)
                                fail_msg("%s, %s of step %lld: not so written",
                                         order_names[order],
                                         type_name(types[t]),
                                         (long long)step);
                        }
            }
    for (int order = 0; order < ORDER_MAX; order++)
        if (guided[order] < 20)
            fail_msg("%s: only %u vectors had a guide", order_names[order], guided[order]);
    arena_done(&arena);
}

/* What a row costs: the times of a turn are one number; what does not change costs no more than
 * its dictionary and the first row of each series; a walk of three bits has three. */
static void test_cost(void **state)
{
    struct rows rows = rows_make(ORDER_TURNS, 100, 1024);
    struct codec_src src;
    struct arena arena;
    struct codec_kin kin;
    struct vec v;
    int64_t *times;

    (void)state;
    arena_init(&arena, NULL);
    v = rows_vec(&arena, &rows, TYPE_VARCHAR, 0, false);
    src = guide(&arena, &v, &kin);
    assert_int_equal(src.codec, CODEC_DICT_NEXT);
    assert_true(src.n < 100 * 10 + 100);
    src = round_trip(&arena, &v, &kin);
    assert_int_equal(src.codec, CODEC_DICT_KIN);
    assert_true(src.n < 100 * 10 + 100 + 100);
    v = rows_vec(&arena, &rows, TYPE_DOUBLE, 3, false);
    src = round_trip(&arena, &v, &kin);
    assert_int_equal(src.codec, CODEC_ALP_KIN);
    assert_true(src.n < 924 * 3 / 8 + 100 * 14 / 8 + 20);
    times = arena_calloc(&arena, rows.count, sizeof *times);
    assert_non_null(times);
    for (uint32_t i = 0; i < rows.count; i++)
        times[i] = 1451606400000 + rows.ticks[i] * 10000;
    v = (struct vec){.type = TYPE_TIMESTAMP, .form = VEC_FLAT, .count = rows.count, .data = times};
    src = round_trip(&arena, &v, &kin);
    assert_int_equal(src.codec, CODEC_KIN);
    assert_true(src.n < 30);
    /* One row far off is odd; the others do not pay for it. */
    times[700] += 86400000;
    src = round_trip(&arena, &v, &kin);
    assert_int_equal(src.codec, CODEC_KIN);
    assert_true(src.n < 60);
    arena_done(&arena);
}

/* Where the fewest bytes are wanted: steps of which small ones come more often take as many bits as
 * they are rare, with a guide and without. */
static void test_small(void **state)
{
    static const int64_t steps[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 1, -1, 2, -2, 40};
    struct rows rows = rows_make(ORDER_TURNS, 100, 1024);
    struct codec_src src;
    struct codec_src plain;
    struct arena arena;
    struct codec_kin kin;
    struct vec names;
    struct vec v;
    uint64_t seed = 1;

    (void)state;
    arena_init(&arena, NULL);
    names = rows_vec(&arena, &rows, TYPE_VARCHAR, 0, false);
    (void)guide(&arena, &names, &kin);
    for (int way = 0; way < 4; way++) {
        bool guided = way & 1;
        bool decimal = way & 2;
        int64_t now[100] = {0};
        int64_t *to = arena_calloc(&arena, rows.count, sizeof *to);

        assert_non_null(to);
        for (uint32_t i = 0; i < rows.count; i++) {
            int64_t *value = &now[guided ? rows.series[i] : 0];
            double d;

            *value += steps[shape_random(&seed) % 16];
            d = (double)*value / 10;
            if (decimal)
                memcpy(&to[i], &d, sizeof d);
            else
                to[i] = *value;
        }
        v = (struct vec){.type = decimal ? TYPE_DOUBLE : TYPE_BIGINT,
                         .form = VEC_FLAT,
                         .count = rows.count,
                         .data = to};
        src = round_trip_how(&arena, &v, guided ? &kin : NULL, true);
        assert_int_equal(src.codec, decimal ? CODEC_ALP_ANS : CODEC_ANS);
        assert_int_equal(codec_guide(&src), guided ? GUIDE : 0);
        assert_true(src.n < 1024 * 5 / 2 / 8 + 60);
        plain = round_trip(&arena, &v, guided ? &kin : NULL);
        assert_true(plain.codec != CODEC_ANS && plain.codec != CODEC_ALP_ANS);
        assert_true(plain.n > src.n + src.n / 5);
    }
    arena_done(&arena);
}

/* The n-th of several vectors of a table, whose strings are written with what was before. */
static void home_vectors(enum order order, uint32_t series, uint32_t *far)
{
    struct rows rows = rows_make(order, series, 1024);
    struct codec_src before[2][8];
    struct codec_home homes[2];
    struct codec_kin kin;
    struct arena arena;

    arena_init(&arena, NULL);
    for (int c = 0; c < 2; c++)
        codec_home_init(&homes[c], NULL);
    for (uint32_t n = 0; n < 8; n++) {
        for (int c = 0; c < 2; c++) { /* the guide, and one that it guides */
            struct codec_hint hint = {.kin = c ? &kin : NULL, .home = &homes[c]};
            struct codec_src *src = &before[c][n];
            struct dn_err err = {0};
            struct vec back;
            struct vec v;

            /* In the sixth all names change. */
            for (uint32_t i = 0; n == 5 && c == 0 && i < rows.count; i++)
                rows.series[i] += 500;
            v = rows_vec(&arena, &rows, TYPE_VARCHAR, 0, n == 2);
            hint.guide = c ? 0 : GUIDE;
            hint.ret_kin = &kin;
            *src = encode(&arena, &v, &hint);
            src->kin = codec_guide(src) ? &kin : NULL;
            if (codec_back(src)) {
                assert_in_range(codec_back(src), 1, n);
                assert_true(n != 0 && n != 5);
                assert_int_equal(codec_decode(src, &arena, &back, &err), DN_E_CORRUPT);
                src->home = &before[c][n - codec_back(src)];
                (*far)++;
            }
            assert_int_equal(codec_decode(src, &arena, &back, &err), 0);
            assert_int_equal(check_same(&v, &back), UINT32_MAX);
            assert_int_equal(check_ref(&v, src), UINT32_MAX);
            assert_int_equal(check_answers(&back, src, &arena), UINT32_MAX);
            if (src->home) { /* another vector, which has no such dictionary */
                struct codec_src wrong = *src;

                wrong.home = src;
                assert_int_equal(codec_decode(&wrong, &arena, &back, &err), DN_E_CORRUPT);
            }
        }
    }
    for (int c = 0; c < 2; c++)
        codec_home_done(&homes[c]);
    arena_done(&arena);
}

static void test_homes(void **state)
{
    uint32_t far = 0;

    (void)state;
    for (int order = 0; order < ORDER_MAX; order++) {
        home_vectors((enum order)order, 7, &far);
        home_vectors((enum order)order, 100, &far);
        home_vectors((enum order)order, 333, &far);
    }
    assert_true(far >= 9 * 10); /* all but the first and the sixth, and what gaps may cost */
}

/* ---- dictionaries of columns without a guide ---- */

#define LONG_VECTORS 64u

/* How the strings of a column come, in runs of `run` rows. */
struct column {
    uint32_t values; /* different ones */
    uint32_t run;
    bool skewed;      /* the first are by far the most frequent */
    uint32_t changes; /* after so many vectors all are others; 0: never */
};

static struct vec
column_vec(struct arena *arena, const struct column *c, uint32_t n, uint64_t *seed)
{
    struct vec v = {.type = TYPE_VARCHAR, .form = VEC_FLAT, .count = VEC_ROWS_MAX};
    struct vstr *strs = arena_alloc_array(arena, v.count, sizeof *strs);

    assert_non_null(strs);
    for (uint32_t i = 0; i < v.count; i++) {
        uint64_t value = shape_random(seed) % c->values;
        char text[48];
        int len;

        if (i % c->run) {
            strs[i] = strs[i - 1];
            continue;
        }
        for (int k = 0; c->skewed && k < 4; k++)
            value = shape_random(seed) % (value + 1);
        if (c->changes)
            value += n / c->changes * c->values;
        len = snprintf(text, sizeof text, "value %llu of many", (unsigned long long)value);
        strs[i] = (struct vstr){arena_dup(arena, text, (size_t)len), (uint32_t)len};
    }
    v.data = strs;
    return v;
}

/* Writes the column with a home and without; *ret_far: vectors that have no dictionary of their
 * own, *ret_saved: bytes that are fewer with it, of *ret_plain. */
static void
column_write(const struct column *c, uint32_t *ret_far, int64_t *ret_saved, int64_t *ret_plain)
{
    struct codec_src before[LONG_VECTORS];
    const struct codec_hint none = {.home = NULL};
    struct codec_home home;
    struct codec_hint hint = {.home = &home};
    struct arena arena;
    uint64_t seed = c->values + c->run;

    arena_init(&arena, NULL);
    codec_home_init(&home, NULL);
    *ret_far = 0;
    *ret_saved = 0;
    *ret_plain = 0;
    for (uint32_t n = 0; n < LONG_VECTORS; n++) {
        struct vec v = column_vec(&arena, c, n, &seed);
        struct codec_src *src = &before[n];
        struct dn_err err = {0};
        struct vec back;

        *src = encode(&arena, &v, &hint);
        assert_int_equal(codec_guide(src), 0);
        if (codec_back(src)) {
            assert_in_range(codec_back(src), 1, n);
            src->home = &before[n - codec_back(src)];
            assert_int_equal(codec_back(src->home), 0);
            (*ret_far)++;
        }
        assert_int_equal(codec_decode(src, &arena, &back, &err), 0);
        assert_int_equal(check_same(&v, &back), UINT32_MAX);
        assert_int_equal(check_ref(&v, src), UINT32_MAX);
        assert_int_equal(check_answers(&back, src, &arena), UINT32_MAX);
        *ret_plain += (int64_t)encode(&arena, &v, &none).n;
        *ret_saved -= (int64_t)src->n;
    }
    *ret_saved += *ret_plain;
    codec_home_done(&home);
    arena_done(&arena);
}

/* Values that come again are listed once for many vectors, however few of them a vector has. */
static void test_columns(void **state)
{
    static const struct column few[] = {
        {.values = 8, .run = 1},
        {.values = 200, .run = 1},
        {.values = 200, .run = 5},
        {.values = 600, .run = 1},
        {.values = 50, .run = 1, .changes = 16},
    };
    static const struct column many[] = {
        {.values = 1000000, .run = 1},
        {.values = 1000000, .run = 5},
        {.values = 5000, .run = 1},
        {.values = 300, .run = 2, .skewed = true},
        {.values = 3000, .run = 3, .skewed = true},
        {.values = 200, .run = 1, .changes = 1},
    };
    uint32_t far;
    int64_t saved;
    int64_t plain;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(few); i++) {
        column_write(&few[i], &far, &saved, &plain);
        assert_true(far >= LONG_VECTORS * 3 / 4);
        assert_true(saved > 0);
    }
    /* Where they do not, trying it costs a sixth of the first 64 vectors at most. */
    for (size_t i = 0; i < DN_ARRAY_SIZE(many); i++) {
        column_write(&many[i], &far, &saved, &plain);
        assert_true(saved >= -plain / 6);
    }
}

/* A guide that is none: all values alike, or each of its own. */
static void test_no_guide(void **state)
{
    struct rows rows = rows_make(ORDER_TURNS, 1000, 1024);
    struct codec_kin kin;
    struct arena arena;
    struct vec v;

    (void)state;
    arena_init(&arena, NULL);
    v = rows_vec(&arena, &rows, TYPE_VARCHAR, 0, false);
    (void)guide(&arena, &v, &kin);
    assert_int_equal(kin.count, 0);
    v = shape_make(&arena, TYPE_VARCHAR, SHAPE_CONSTANT, GAPS_NONE, 1024);
    (void)guide(&arena, &v, &kin);
    assert_int_equal(kin.count, 0);
    v = shape_make(&arena, TYPE_VARCHAR, SHAPE_FEW, GAPS_NULLS_ALL, 1024);
    (void)guide(&arena, &v, &kin);
    assert_int_equal(kin.count, 0);
    arena_done(&arena);
}

/* Kin of other rows, of another column, none at all, and a guide that cannot be one. */
static void test_refused(void **state)
{
    struct rows rows = rows_make(ORDER_RANDOM, 50, 1024);
    struct dn_err err = {0};
    struct codec_kin kin;
    struct codec_kin other;
    struct codec_src src;
    struct arena arena;
    struct vec back;
    struct vec v;

    (void)state;
    arena_init(&arena, NULL);
    v = rows_vec(&arena, &rows, TYPE_INTEGER, 0, false);
    (void)guide(&arena, &v, &kin);
    v = rows_vec(&arena, &rows, TYPE_BIGINT, 2, false);
    src = round_trip(&arena, &v, &kin);
    assert_int_equal(src.codec, CODEC_KIN);
    other = kin;
    other.guide = GUIDE + 1;
    src.kin = &other;
    assert_int_equal(codec_decode(&src, &arena, &back, &err), DN_E_CORRUPT);
    other = kin;
    other.count--;
    assert_int_equal(codec_decode(&src, &arena, &back, &err), DN_E_CORRUPT);
    src.kin = NULL;
    assert_int_equal(codec_decode(&src, &arena, &back, &err), DN_E_CORRUPT);
    assert_int_equal(codec_kin_of_guide(&src, GUIDE, &other, &err), DN_E_CORRUPT);
    arena_done(&arena);
}

/* Flipped bytes, with the guide at hand: refused, or values in bounds. */
static void test_flips(void **state)
{
    static const enum type_id types[] = {TYPE_INTEGER, TYPE_DOUBLE, TYPE_VARCHAR};
    struct rows rows = rows_make(ORDER_MISSING, 20, 200);
    struct codec_kin kin;
    struct arena arena;
    struct arena room;
    struct vec v;

    (void)state;
    arena_init(&arena, NULL);
    arena_init(&room, NULL);
    v = rows_vec(&arena, &rows, TYPE_VARCHAR, 0, false);
    (void)guide(&arena, &v, &kin);
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++) {
        struct codec_src src;
        uint8_t *bytes;

        v = rows_vec(&arena, &rows, types[t], !type_is_string(types[t]), true);
        src = round_trip(&arena, &v, &kin);
        assert_int_equal(codec_guide(&src), GUIDE);
        bytes = arena_dup(&arena, src.p, src.n);
        assert_non_null(bytes);
        src.p = bytes;
        for (size_t bit = 0; bit < src.n * 8; bit++) {
            struct dn_err err = {0};
            struct vec back;

            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            arena_reset(&room);
            if (codec_decode(&src, &room, &back, &err) == 0) {
                (void)check_touch(&back);
                (void)check_answers(&back, &src, &room);
            }
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    arena_done(&room);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kin_is_the_nearest_row_of_the_code),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_homes),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_no_guide),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_flips),
    };

    return cmocka_run_group_tests_name("kin", tests, NULL, NULL);
}

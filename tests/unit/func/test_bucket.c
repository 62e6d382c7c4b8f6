/* SPDX-License-Identifier: Apache-2.0
 *
 * Buckets of time on whole vectors: the same as row by row, which is done here on the text of the
 * time stamp; in order they come as CONST or DICT with few entries. And civil.h, day by day. */
#include "build.h"

#include "base/civil.h"
#include "func/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static uint64_t seed = 1;

static uint64_t next_random(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    build_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* "2015-06-01T09:47:13.000Z" cut behind the field, the rest as at the start of it. */
static int64_t cut_text(const char *field, int64_t t, enum type_id type)
{
    static const struct {
        const char *field;
        size_t keep;
    } fields[] = {
        {"second", 19}, {"minute", 16}, {"hour", 13}, {"day", 10}, {"month", 7}, {"year", 4}};
    static const char start[] = "0000-01-01T00:00:00.000000000Z";
    char text[64];
    struct datum d;
    struct buf b;
    struct dn_err err;

    buf_init(&b, NULL);
    text_print_time(t, type, &b);
    assert_true(b.len > 20 && b.len < sizeof text);
    memcpy(text, start, sizeof start);
    for (size_t i = 0; i < DN_ARRAY_SIZE(fields); i++)
        if (strcmp(fields[i].field, field) == 0)
            memcpy(text, b.data, fields[i].keep);
    buf_done(&b);
    assert_int_equal(
        text_parse(type, (struct vstr){text, (uint32_t)strlen(text)}, &arena, &d, &err), 0);
    return d.v.i64;
}

static struct vec run(struct bexpr *call, const struct vec *ts)
{
    struct vec cols[1] = {*ts};
    struct batch in = {.count = ts->count, .cols_count = 1, .cols = cols, .sel_count = ts->count};
    struct eval ev = {.arena = &arena};
    struct dn_err err;
    struct vec ret;

    if (expr_eval(call, &ev, &in, &ret, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(ret.count, ts->count);
    return ret;
}

enum order { RISING, FALLING, MIXED };

/* count times around 2016 (in the type's unit), step units apart on average. */
static struct vec times(enum type_id type, enum order order, uint32_t count, int64_t step)
{
    int64_t *t = arena_alloc_array(&arena, count, sizeof *t);
    int64_t at = (int64_t)(1451606400 - next_random(2) * 1600000000) * type_ts_per_second(type);

    for (uint32_t i = 0; i < count; i++) {
        int64_t by = (int64_t)next_random((uint64_t)step + 1);

        at += order == RISING || (order == MIXED && next_random(2)) ? by : -by;
        t[i] = at;
    }
    return (struct vec){.type = type, .form = VEC_FLAT, .count = count, .data = t};
}

static void test_trunc(void **state)
{
    static const char *const fields[] = {"second", "minute", "hour", "day", "month", "year"};
    static const int64_t seconds[] = {1, 60, 3600, 86400, 86400 * 30, 86400 * 365};

    (void)state;
    for (uint32_t round = 0; round < 400; round++) {
        enum type_id type = TYPE_TIMESTAMP + (enum type_id)next_random(3);
        uint32_t field = (uint32_t)next_random(DN_ARRAY_SIZE(fields));
        uint32_t rows = 1 + (uint32_t)next_random(300);
        enum order order = (enum order)next_random(3);
        int64_t width = seconds[field] * type_ts_per_second(type);
        struct vec ts = times(type, order, rows, width / (int64_t)(1 + next_random(200)) + 1);
        const int64_t *t = ts.data;
        struct vec got =
            run(build_call("date_trunc", build_const(build_str(fields[field])), build_col(type, 0)),
                &ts);
        uint32_t buckets = 1;

        for (uint32_t i = 0; i < rows; i++) {
            assert_int_equal(vec_i64(&got, i), cut_text(fields[field], t[i], type));
            buckets += i > 0 && vec_i64(&got, i) != vec_i64(&got, i - 1);
        }
        if (order != MIXED && rows > 1 && buckets == 1)
            assert_int_equal(got.form, VEC_CONST);
        if (order != MIXED && buckets > 1 && buckets < rows / 8) {
            assert_int_equal(got.form, VEC_DICT);
            assert_int_equal(got.dict_count, buckets);
        }
        arena_reset(&arena);
    }
}

static void test_width(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 400; round++) {
        enum type_id type = TYPE_TIMESTAMP + (enum type_id)next_random(3);
        int64_t ms = 1 + (int64_t)next_random(next_random(2) ? 100 : 10000000);
        int64_t width = ms * (type_ts_per_second(type) / 1000);
        uint32_t rows = 1 + (uint32_t)next_random(300);
        struct vec ts = times(
            type, (enum order)next_random(3), rows, width / (int64_t)(1 + next_random(100)) + 1);
        const int64_t *t = ts.data;
        struct datum iv = {.type = TYPE_INTERVAL, .iv = {.us = ms * 1000}};
        struct vec got = run(build_call("time_bucket", build_const(iv), build_col(type, 0)), &ts);

        for (uint32_t i = 0; i < rows; i++) {
            int64_t lo = vec_i64(&got, i);

            assert_true(lo <= t[i] && t[i] - lo < width);
            assert_int_equal(lo % width, 0);
        }
        arena_reset(&arena);
    }
}

/* Values at the ends of the type: differences of neighbours overflow. */
static void test_wild(void **state)
{
    static const int64_t wild[] = {
        0, INT64_MAX, -5, INT64_MAX - 7, INT64_MIN + 100000, 3, INT64_MAX / 2, INT64_MIN / 2};
    struct vec ts = {
        .type = TYPE_TIMESTAMP, .form = VEC_FLAT, .count = DN_ARRAY_SIZE(wild), .data = wild};
    struct datum iv = {.type = TYPE_INTERVAL, .iv = {.us = 7000}};
    struct vec got =
        run(build_call("time_bucket", build_const(iv), build_col(TYPE_TIMESTAMP, 0)), &ts);

    (void)state;
    for (uint32_t i = 0; i < ts.count; i++)
        assert_true(vec_i64(&got, i) <= wild[i] &&
                    (uint64_t)wild[i] - (uint64_t)vec_i64(&got, i) < 7);
}

static void test_civil(void **state)
{
    struct civil c = {.year = -400, .month = 1, .day = 1};
    int64_t days = civil_to_days(-400, 1, 1);

    (void)state;
    assert_int_equal(civil_to_days(1970, 1, 1), 0);
    assert_int_equal(civil_to_days(2000, 2, 29), 11016);
    for (; c.year < 2500; days++) {
        struct civil got = civil_from_days(days);

        if (got.year != c.year || got.month != c.month || got.day != c.day ||
            civil_to_days(c.year, c.month, c.day) != days)
            fail_msg("day %" PRId64, days);
        if (++c.day > civil_month_days(c.year, c.month)) {
            c.day = 1;
            if (++c.month > 12) {
                c.month = 1;
                c.year++;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trunc),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_wild),
        cmocka_unit_test(test_civil),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

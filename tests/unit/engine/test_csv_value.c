/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast readers of csv_value.h give what func/text.h gives, to the bit, or nothing. */
#include "base/mem.h"
#include "engine/csv_value.h"
#include "func/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* What the slow and careful reader says; false: it refuses. */
static bool slow(enum type_id type, const char *text, struct datum *ret)
{
    struct arena arena;
    bool ok;

    arena_init(&arena, NULL);
    ok = text_parse(
             type, (struct vstr){.ptr = text, .len = (uint32_t)strlen(text)}, &arena, ret, NULL) ==
         0;
    arena_done(&arena);
    return ok;
}

static bool fast(enum type_id type, const char *text, struct datum *ret)
{
    size_t len = strlen(text);
    char *exact = mem_dup(NULL, text, len); /* the sanitizer watches the end */
    bool ok = false;

    memset(ret, 0, sizeof *ret);
    if (type == TYPE_DOUBLE)
        ok = csv_read_double(exact, len, &ret->v.f64);
    else if (type == TYPE_REAL)
        ok = csv_read_real(exact, len, &ret->v.f64);
    else if (type == TYPE_BIGINT)
        ok = csv_read_int(exact, len, &ret->v.i64);
    else if (type == TYPE_BOOLEAN)
        ok = csv_read_bool(exact, len, &ret->v.i64);
    else
        ok = csv_read_time(exact, len, type, &ret->v.i64);
    mem_free(exact);
    return ok;
}

/* must: the fast one may not shirk. */
static void same(enum type_id type, const char *text, bool must)
{
    struct datum f;
    struct datum s;

    if (!fast(type, text, &f)) {
        if (must)
            fail_msg("%s \"%s\" was not read fast", type_name(type), text);
        return;
    }
    if (!slow(type, text, &s))
        fail_msg("%s \"%s\" was read fast, but is none", type_name(type), text);
    if (memcmp(&f.v, &s.v, sizeof f.v) != 0)
        fail_msg("%s \"%s\": fast %.17g (%lld), slow %.17g (%lld)",
                 type_name(type),
                 text,
                 f.v.f64,
                 (long long)f.v.i64,
                 s.v.f64,
                 (long long)s.v.i64);
}

static void test_known(void **state)
{
    static const char *const numbers[] = {"0",
                                          "-0",
                                          "0.0",
                                          "1",
                                          "-1",
                                          "100",
                                          "0.1",
                                          "0.25",
                                          ".5",
                                          "5.",
                                          "1e5",
                                          "1E-5",
                                          "1e+10",
                                          "123.456",
                                          "-99.99",
                                          "00012",
                                          "1e22",
                                          "1e-22",
                                          "9007199254740993",
                                          "9007199254740992",
                                          "0.30000000000000004",
                                          "2.2250738585072014",
                                          "1234567890123456789",
                                          "9999999999999999999",
                                          "0.1234567890123456789",
                                          "1e19",
                                          "0000000000000000000000001.5",
                                          "0.000000000000000000001",
                                          "1e-19",
                                          "179769313486231570",
                                          "5e-1",
                                          "4503599627370497.5",
                                          "4503599627370496.5"};
    static const char *const no_numbers[] = {"",
                                             "-",
                                             ".",
                                             "+1",
                                             "1.2.3",
                                             "1e",
                                             "1e+",
                                             "e5",
                                             "1 ",
                                             " 1",
                                             "nan",
                                             "inf",
                                             "0x10",
                                             "1,5",
                                             "12345678901234567890",
                                             "0.12345678901234567890",
                                             "1e999",
                                             "--1",
                                             "1-",
                                             "-.",
                                             "1e1.5"};
    struct datum d;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(numbers); i++) {
        same(TYPE_DOUBLE, numbers[i], true);
        same(TYPE_REAL, numbers[i], false);
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(no_numbers); i++) {
        assert_false(fast(TYPE_DOUBLE, no_numbers[i], &d));
        assert_false(fast(TYPE_REAL, no_numbers[i], &d));
    }
    same(TYPE_BIGINT, "999999999999999999", true);
    same(TYPE_BIGINT, "-999999999999999999", true);
    assert_false(fast(TYPE_BIGINT, "1000000000000000000", &d)); /* left to the careful one */
    assert_false(fast(TYPE_BIGINT, "1.0", &d));
    assert_false(fast(TYPE_BIGINT, "-", &d));
    same(TYPE_BOOLEAN, "true", true);
    same(TYPE_BOOLEAN, "f", true);
    same(TYPE_BOOLEAN, "1", true);
    assert_false(fast(TYPE_BOOLEAN, "TRUE", &d));
    assert_false(fast(TYPE_BOOLEAN, "", &d));
}

/* Digits anywhere around a point and an exponent, for a while. */
static void test_random_numbers(void **state)
{
    clock_t end = clock() + 2 * CLOCKS_PER_SEC;
    char text[64];

    (void)state;
    for (uint64_t n = 0; n < 400000 && ((n & 255) || clock() < end); n++) {
        unsigned digits = 1 + (unsigned)(rnd() % 19);
        unsigned point = (unsigned)(rnd() % (digits + 2));
        size_t len = 0;

        if (rnd() & 1)
            text[len++] = '-';
        for (unsigned i = 0; i < digits; i++) {
            if (i == point)
                text[len++] = '.';
            text[len++] = (char)('0' + (rnd() % 4 ? rnd() % 10 : 0));
        }
        text[len] = '\0';
        same(TYPE_DOUBLE, text, true);
        same(TYPE_REAL, text, true);
        if (rnd() % 4 == 0) {
            (void)snprintf(text + len, sizeof text - len, "e%d", (int)(rnd() % 60) - 30);
            same(TYPE_DOUBLE, text, false);
            same(TYPE_REAL, text, false);
        }
    }
}

/* Half-way cases: the exact decimal of the middle of two neighbours, where it is short enough. */
static void test_ties(void **state)
{
    char text[64];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t odd = ((uint64_t)1 << 53) + (rnd() >> 12) * 2 + 1; /* between two doubles */

        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)odd);
        same(TYPE_DOUBLE, text, true);
        (void)snprintf(
            text, sizeof text, "%llu.5", (unsigned long long)(odd >> 1 | (uint64_t)1 << 52));
        same(TYPE_DOUBLE, text, true);
        (void)snprintf(text,
                       sizeof text,
                       "%llu",
                       (unsigned long long)(((uint64_t)1 << 24) + (rnd() >> 41) * 2 + 1));
        same(TYPE_REAL, text, true);
    }
}

static void test_times(void **state)
{
    static const enum type_id types[] = {TYPE_TIMESTAMP, TYPE_TIMESTAMP_US, TYPE_TIMESTAMP_NS};
    static const char *const good[] = {"1970-01-01",
                                       "2016-01-01 00:00:00",
                                       "2016-02-29T23:59:59Z",
                                       "2000-02-29 12:00:00.5",
                                       "1969-12-31T23:59:59.999Z",
                                       "2261-12-31 00:00:00",
                                       "1900-03-01",
                                       "2016-01-01 00:00:00.120"};
    static const char *const bad[] = {"2015-02-29",
                                      "2016-13-01",
                                      "2016-00-10",
                                      "2016-01-32",
                                      "2016-01-01 24:00:00",
                                      "2016-01-01 00:60:00",
                                      "2016-01-01 00:00:60",
                                      "2016-01-01 00:00",
                                      "2016-01-01  00:00:00",
                                      "2016-01-01 00:00:00.",
                                      "2016-01-01 00:00:00+01",
                                      "2016/01/01",
                                      "16-01-01",
                                      "",
                                      "2016-01-0x"};
    char text[64];
    struct datum d;

    (void)state;
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++) {
        for (size_t i = 0; i < DN_ARRAY_SIZE(good); i++)
            same(types[t], good[i], true);
        for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++)
            assert_false(fast(types[t], bad[i], &d));
        assert_false(fast(types[t], "9999-12-31 23:59:59.1234567891", &d));
    }
    same(TYPE_TIMESTAMP, "0000-01-01", true);
    same(TYPE_TIMESTAMP, "9999-12-31 23:59:59.999", true);
    assert_false(fast(TYPE_TIMESTAMP, "2016-01-01 00:00:00.1234", &d)); /* would be cut */
    assert_false(fast(TYPE_TIMESTAMP_NS, "2300-01-01", &d));
    for (int i = 0; i < 100000; i++) {
        (void)snprintf(text,
                       sizeof text,
                       "%04u-%02u-%02u%c%02u:%02u:%02u.%0*u%s",
                       (unsigned)(rnd() % 10000),
                       (unsigned)(rnd() % 14),
                       (unsigned)(rnd() % 33),
                       rnd() & 1 ? 'T' : ' ',
                       (unsigned)(rnd() % 25),
                       (unsigned)(rnd() % 61),
                       (unsigned)(rnd() % 61),
                       (int)(1 + rnd() % 9),
                       (unsigned)(rnd() % 1000),
                       rnd() & 1 ? "Z" : "");
        for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++)
            same(types[t], text, false);
    }
}

static void test_comma(void **state)
{
    static const struct {
        const char *text;
        const char *plain; /* NULL: it is none */
    } cases[] = {
        {"1,5", "1.5"},        {"-1.234.567,25", "-1234567.25"},
        {"+12,5", "12.5"},     {"1.234", "1234"},
        {"999.000", "999000"}, {"12", "12"},
        {"NaN", "NaN"},        {"1,5e-3", "1.5e-3"},
        {"7,", "7."},          {"12.5", NULL},
        {"1234.567", NULL},    {"1.23.456", NULL},
        {".5", NULL},          {",5", NULL},
        {"1,5,6", NULL},       {"1,5.6", NULL},
        {"1,x", NULL},         {"-", "-"},
        {"-,", NULL},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        char to[32];
        size_t n = csv_read_comma(cases[i].text, strlen(cases[i].text), to);

        if (n != (cases[i].plain ? strlen(cases[i].plain) : 0) ||
            (cases[i].plain && memcmp(to, cases[i].plain, n) != 0))
            fail_msg("%s: %.*s", cases[i].text, (int)n, to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comma),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

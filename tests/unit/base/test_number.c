/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers out of texts: how far they go, the limits of 64 bits, any locale. */
#include "base/number.h"

#include "base/attr.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_digits(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        uint64_t value;
    } rows[] = {
        {"", 0, 0},
        {"-1", 0, 0},
        {"x", 0, 0},
        {"0", 1, 0},
        {"007x", 3, 7},
        {"18446744073709551615", 20, UINT64_MAX},
        {"18446744073709551616", 20, UINT64_MAX},
        {"184467440737095516150", 21, UINT64_MAX},
        {"99999999999999999999999 ", 23, UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        uint64_t v = 1;

        assert_int_equal(number_digits(rows[i].text, strlen(rows[i].text), &v), rows[i].len);
        assert_true(v == rows[i].value);
    }
}

/* The reader takes exactly what the C library takes, and says when that is too much. */
static void test_int_random(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 100000; round++) {
        char text[32];
        size_t n = 0;
        long long want;
        int64_t got = -7;
        char *end;

        if (rand() % 3 == 0)
            text[n++] = rand() % 2 ? '-' : '+';
        for (int digits = rand() % 21; digits > 0; digits--)
            text[n++] = (char)('0' + rand() % 10);
        if (rand() % 4 == 0)
            text[n++] = 'e';
        text[n] = '\0';
        errno = 0;
        want = strtoll(text, &end, 10);
        if (errno) {
            assert_int_equal(number_int(text, n, &got), 0);
            continue;
        }
        assert_int_equal(number_int(text, n, &got), end - text);
        assert_true(end == text || got == want);
        assert_true(number_is_int(text, n, &got) == (n > 0 && end == text + n));
    }
}

static void test_int_limits(void **state)
{
    int64_t v = 0;

    (void)state;
    assert_true(number_is_int("9223372036854775807", 19, &v) && v == INT64_MAX);
    assert_true(number_is_int("-9223372036854775808", 20, &v) && v == INT64_MIN);
    assert_false(number_is_int("9223372036854775808", 19, &v));
    assert_false(number_is_int("-9223372036854775809", 20, &v));
    /* Not a byte behind the length. */
    assert_int_equal(number_int("1234", 2, &v), 2);
    assert_int_equal(v, 12);
    assert_int_equal(number_int("-1", 1, &v), 0);
    assert_int_equal(number_int("1", 0, &v), 0);
}

static void test_hex(void **state)
{
    uint8_t bytes[4] = {0};

    (void)state;
    for (int c = 0; c < 256; c++) {
        char text[2] = {(char)c, '\0'};
        int want = c && strspn(text, "0123456789abcdefABCDEF") ? (int)strtol(text, NULL, 16) : -1;

        assert_int_equal(number_hex((char)c), want);
    }
    assert_true(number_hex_bytes("00fFA5", 6, bytes));
    assert_memory_equal(bytes, "\x00\xff\xa5", 3);
    assert_true(number_hex_bytes("", 0, bytes));
    assert_false(number_hex_bytes("abc", 3, bytes));
    assert_false(number_hex_bytes("0g", 2, bytes));
}

static void expect_reals(void)
{
    static const char *const texts[] = {"1.5", "-0.25e2", "1e308", "17", "3.", ".5"};
    static const double values[] = {1.5, -25, 1e308, 17, 3, 0.5};
    double v = 0;

    for (size_t i = 0; i < DN_ARRAY_SIZE(texts); i++) {
        assert_int_equal(number_real(texts[i], &v), strlen(texts[i]));
        assert_true(v == values[i]);
    }
    assert_int_equal(number_real("1,5", &v), 1);
    assert_int_equal(number_real("x", &v), 0);
}

static void test_real(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};

    (void)state;
    expect_reals();
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++)
        if (setlocale(LC_ALL, names[i]))
            expect_reals();
    (void)setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_int_random),
        cmocka_unit_test(test_int_limits),
        cmocka_unit_test(test_hex),
        cmocka_unit_test(test_real),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

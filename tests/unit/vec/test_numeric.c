/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal numbers: text to value and back, the order of values and of their keys, hashes, and the
 * stored bytes, which are frozen here. */
#include "vec/numeric.h"
#include "vec/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 1;

static uint64_t next_random(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static struct vnumeric number(const char *text)
{
    struct vnumeric v;

    assert_int_equal(vnumeric_parse(text, strlen(text), &v), VNUMERIC_OK);
    return v;
}

static void assert_text(struct vnumeric v, const char *want)
{
    struct buf b;

    buf_init(&b, NULL);
    vnumeric_print(v, &b);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, want);
    buf_done(&b);
}

static void test_text(void **state)
{
    static const char *const same[] = {"0",
                                       "1.50",
                                       "-0.001",
                                       "0.00",
                                       "NaN",
                                       "Infinity",
                                       "-Infinity",
                                       "99999999999999999999999999999999999999",
                                       "-9999999999999999999999999999999999999.9",
                                       "0.00000000000000000000000000000000000000000000000001"};
    static const char *const bad[] = {
        "", ".", "-", "1e", "1.2.3", "0x1", "1 ", "e5", "+nan", "infinit", "- inf"};
    struct vnumeric v;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(same); i++)
        assert_text(number(same[i]), same[i]);
    assert_text(number("1e3"), "1000");
    assert_text(number("1.5e-3"), "0.0015");
    assert_text(number("-.5"), "-0.5");
    assert_text(number("+5."), "5");
    assert_text(number("00012.500"), "12.500");
    assert_text(number("+inf"), "Infinity");
    assert_text(number("-iNF"), "-Infinity");
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++)
        assert_int_equal(vnumeric_parse(bad[i], strlen(bad[i]), &v), VNUMERIC_BAD);
    assert_int_equal(vnumeric_parse("1e38", 4, &v), VNUMERIC_TOO_LONG);
    assert_int_equal(vnumeric_parse("1e-1001", 7, &v), VNUMERIC_TOO_LONG);
    assert_int_equal(vnumeric_parse("123456789012345678901234567890123456789", 39, &v),
                     VNUMERIC_TOO_LONG);
}

static struct vnumeric random_number(void)
{
    vnumeric_i128 coef = 0;
    uint64_t digits = next_random(4) ? next_random(5) : next_random(39);

    if (next_random(50) == 0)
        return vnumeric_nan();
    if (next_random(30) == 0)
        return vnumeric_inf(next_random(2));
    for (uint64_t i = 0; i < digits; i++)
        coef = coef * 10 + (int64_t)(next_random(3) ? next_random(10) : 0);
    return vnumeric_make(next_random(2) ? -coef : coef, (int)next_random(6));
}

static void test_order(void **state)
{
    (void)state;
    assert_true(vnumeric_cmp(number("1.5"), number("1.500")) == 0);
    assert_true(vnumeric_cmp(number("-2"), number("1.5")) < 0);
    assert_true(vnumeric_cmp(number("10"), number("9.99")) > 0);
    assert_true(vnumeric_cmp(number("-10"), number("-9.99")) < 0);
    assert_true(vnumeric_cmp(number("NaN"), number("1e37")) > 0);
    assert_true(vnumeric_cmp(number("NaN"), number("inf")) > 0);
    assert_true(vnumeric_cmp(number("inf"), number("inf")) == 0);
    assert_true(vnumeric_cmp(number("-inf"), number("-99999999999999999999999999999999999999")) <
                0);
    assert_true(vnumeric_cmp(number("1e37"), number("0.00000000000000000001")) > 0);
    for (int i = 0; i < 20000; i++) {
        struct vnumeric a = random_number();
        struct vnumeric b = random_number();
        uint8_t ka[VNUMERIC_KEY_BYTES] = {0};
        uint8_t kb[VNUMERIC_KEY_BYTES] = {0};
        uint32_t na = vnumeric_key(a, ka);
        uint32_t nb = vnumeric_key(b, kb);
        int c = vnumeric_cmp(a, b);
        int k = memcmp(ka, kb, na < nb ? na : nb);

        assert_int_equal((c > 0) - (c < 0), (k > 0) - (k < 0));
        if (c == 0)
            assert_true(vnumeric_hash(a) == vnumeric_hash(b));
        assert_int_equal((c > 0) - (c < 0), -((vnumeric_cmp(b, a) > 0) - (vnumeric_cmp(b, a) < 0)));
    }
}

static void test_bytes(void **state)
{
    static const struct {
        const char *text;
        const char *bytes;
        uint32_t len;
    } golden[] = {
        {"0", "\x00\x00\x00", 3},
        {"1.50", "\x00\x02\x00\x96", 4},
        {"-0.001", "\x00\x03\xff", 3},
        {"-128", "\x00\x00\x80", 3},
        {"NaN", "\xff\xff", 2},
        {"Infinity", "\xff\xfe", 2},
        {"-Infinity", "\xff\xfd", 2},
        {"99999999999999999999999999999999999999",
         "\x00\x00\x4b\x3b\x4c\xa8\x5a\x86\xc4\x7a\x09\x8a\x22\x3f\xff\xff\xff\xff",
         18},
    };
    struct vnumeric v;
    struct vinterval iv = {.us = 1, .days = -2, .months = 3};
    struct vinterval back;
    uint8_t bytes[VEC_WIDE_BYTES_MAX];

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(golden); i++) {
        v = number(golden[i].text);
        assert_int_equal(vec_wide_put(TYPE_NUMERIC, &v, bytes), golden[i].len);
        assert_memory_equal(bytes, golden[i].bytes, golden[i].len);
    }
    for (int i = 0; i < 5000; i++) {
        struct vnumeric a = random_number();
        uint32_t n = vnumeric_put(a, bytes);

        assert_true(vnumeric_get(bytes, n, &v));
        assert_memory_equal(&a, &v, sizeof a);
    }
    assert_false(vnumeric_get("\x00", 1, &v));
    assert_false(vnumeric_get("\x00\x00", 2, &v));
    assert_false(vnumeric_get("\xff\xff\x00", 3, &v));
    assert_false(vnumeric_get("\x03\xe9\x00", 3, &v)); /* scale 1001 */
    /* A byte that only repeats the sign: the same value must not have two forms. */
    assert_false(vnumeric_get("\x00\x00\x00\x7f", 4, &v));
    assert_false(vnumeric_get("\x00\x00\xff\x80", 4, &v));
    assert_true(vnumeric_get("\x00\x00\x00\x80", 4, &v) && v.lo == 128);
    assert_true(vnumeric_get("\x00\x00\xff\x7f", 4, &v) && v.hi == -1);
    assert_false(vnumeric_get(
        "\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 18, &v));
    assert_int_equal(vec_wide_put(TYPE_INTERVAL, &iv, bytes), 16);
    assert_memory_equal(bytes, "\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\x03\0\0\0", 16);
    assert_true(vec_wide_get(TYPE_INTERVAL, bytes, 16, &back));
    assert_memory_equal(&iv, &back, sizeof iv);
    assert_false(vec_wide_get(TYPE_INTERVAL, bytes, 15, &back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

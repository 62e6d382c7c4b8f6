/* SPDX-License-Identifier: Apache-2.0
 *
 * test_frame.c: messages cut at every byte, lengths that lie, bodies read over their end. */
#include "server/pgwire/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void first_packets(void **state)
{
    static const uint8_t start[] = {0, 0, 0, 15, 0, 3, 0, 0, 'u', 0, 'd', 'b', 0, 0, 0};
    struct pgw_frame f;
    size_t len = 99;

    (void)state;
    for (size_t n = 0; n < sizeof start; n++)
        assert_int_equal(pgw_first(start, n, &f, &len), PGW_MORE);
    assert_int_equal(pgw_first(start, sizeof start, &f, &len), PGW_FRAME);
    assert_int_equal(len, 15);
    assert_int_equal(f.code, PGW_VERSION);
    assert_string_equal(pgw_rd_text(&f.body), "u");
    assert_string_equal(pgw_rd_text(&f.body), "db");
    assert_string_equal(pgw_rd_text(&f.body), "");
    assert_false(pgw_rd_done(&f.body));
    assert_string_equal(pgw_rd_text(&f.body), "");
    assert_true(pgw_rd_done(&f.body));
    assert_string_equal(pgw_rd_text(&f.body), "");
    assert_true(f.body.bad);
}

static void first_lengths(void **state)
{
    struct pgw_frame f;
    size_t len;

    (void)state;
    assert_int_equal(pgw_first((const uint8_t *)"\0\0\0\7xxxx", 8, &f, &len), PGW_BAD_LEN);
    assert_int_equal(pgw_first((const uint8_t *)"\0\0\0\0", 4, &f, &len), PGW_BAD_LEN);
    assert_int_equal(pgw_first((const uint8_t *)"\x7f\xff\xff\xff", 4, &f, &len), PGW_TOO_LONG);
    assert_int_equal(pgw_first((const uint8_t *)"\xff\xff\xff\xff", 4, &f, &len), PGW_TOO_LONG);
    assert_int_equal(pgw_first((const uint8_t *)"GET ", 4, &f, &len), PGW_TOO_LONG);
}

static void messages(void **state)
{
    static const uint8_t two[] = {'Q', 0, 0, 0, 6, 'x', 0, 'S', 0, 0, 0, 4};
    struct pgw_frame f;
    size_t len;

    (void)state;
    for (size_t n = 0; n < 7; n++)
        assert_int_equal(pgw_next(two, n, 100, &f, &len), PGW_MORE);
    assert_int_equal(pgw_next(two, sizeof two, 100, &f, &len), PGW_FRAME);
    assert_int_equal(len, 7);
    assert_int_equal(f.code, 'Q');
    assert_string_equal(pgw_rd_text(&f.body), "x");
    assert_true(pgw_rd_done(&f.body));
    assert_int_equal(pgw_next(two + 7, 5, 100, &f, &len), PGW_FRAME);
    assert_int_equal(len, 5);
    assert_true(pgw_rd_done(&f.body));
    assert_int_equal(pgw_next(two, sizeof two, 5, &f, &len), PGW_TOO_LONG);
    assert_int_equal(pgw_next((const uint8_t *)"Q\0\0\0\3", 5, 100, &f, &len), PGW_BAD_LEN);
    assert_int_equal(pgw_next((const uint8_t *)"Q\xff\xff\xff\xff", 5, 100, &f, &len),
                     PGW_TOO_LONG);
}

static void numbers(void **state)
{
    static const uint8_t bytes[] = {1, 0xff, 0xfe, 0x80, 0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 2, 9};
    struct pgw_rd r = {.p = bytes, .end = bytes + sizeof bytes};

    (void)state;
    assert_int_equal(pgw_rd_u8(&r), 1);
    assert_int_equal(pgw_rd_i16(&r), -2);
    assert_int_equal(pgw_rd_i32(&r), (int32_t)0x80000001);
    assert_true(pgw_rd_i64(&r) == (int64_t)0x8000000000000002);
    assert_int_equal(pgw_rd_left(&r), 1);
    assert_null(pgw_rd_bytes(&r, 2));
    assert_true(r.bad);
    assert_int_equal(pgw_rd_u8(&r), 0); /* it stays bad */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_packets),
        cmocka_unit_test(first_lengths),
        cmocka_unit_test(messages),
        cmocka_unit_test(numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

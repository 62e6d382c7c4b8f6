/* SPDX-License-Identifier: Apache-2.0
 *
 * test_keyser.c: the bytes that are hashed, and tokens known from Cassandra's Murmur3Partitioner.
 */
#include "vec/keyser.h"

#include "vec/numeric.h"

#include <setjmp.h>
#include <stdarg.h>
/* cmocka wants these above */
#include <cmocka.h>

static struct datum num(enum type_id type, int64_t v)
{
    return (struct datum){.type = type, .v.i64 = v};
}

static struct datum flt(enum type_id type, double v)
{
    return (struct datum){.type = type, .v.f64 = v};
}

static struct datum text(const char *s, uint32_t len)
{
    return (struct datum){.type = TYPE_VARCHAR, .str = {s, len}};
}

static int64_t token(const struct datum *cols, size_t n)
{
    struct dn_err err = {0};
    struct buf scratch;
    int64_t t = 0;

    buf_init(&scratch, NULL);
    buf_puts(&scratch, "left from before");
    assert_int_equal(keyser_token(&scratch, cols, n, &t, &err), 0);
    buf_done(&scratch);
    return t;
}

static void test_tokens(void **state)
{
    static const struct {
        int a;
        int b; /* 0: a single column */
        int64_t token;
    } known[] = {
        {1, 0, -4069959284402364209},
        {2, 0, -3248873570005575792},
        {3, 0, 9010454139840013625},
        {2, 201302, -8008302424058807557},
        {3, 201302, -4170283165166275150},
        {1, 201302, -2513410968542290463},
        {1, 201301, 2812959805228870809},
        {3, 201301, 7526434744222505305},
        {2, 201301, 8684684716004151397},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(known); i++) {
        struct datum cols[2] = {num(TYPE_INTEGER, known[i].a), num(TYPE_INTEGER, known[i].b)};
        assert_true(token(cols, known[i].b ? 2 : 1) == known[i].token);
    }
    assert_true(token(NULL, 0) == 0); /* the empty series */
}

static void check_bytes(const struct datum *cols, size_t n, const char *want, size_t len)
{
    struct dn_err err = {0};
    struct buf b;

    buf_init(&b, NULL);
    assert_int_equal(keyser_append(&b, cols, n, &err), 0);
    assert_int_equal(b.len, len);
    assert_memory_equal(b.data, want, len);
    buf_done(&b);
}

static void test_bytes(void **state)
{
    struct datum d;
    struct datum all[] = {
        num(TYPE_SMALLINT, -2), num(TYPE_BOOLEAN, 1), text("\xc3\xa9", 2), text("", 0)};

    (void)state;
    d = num(TYPE_SMALLINT, -2);
    check_bytes(&d, 1, "\xff\xfe", 2);
    d = num(TYPE_INTEGER, 0x01020304);
    check_bytes(&d, 1, "\1\2\3\4", 4);
    d = num(TYPE_BIGINT, 0x0102030405060708);
    check_bytes(&d, 1, "\1\2\3\4\5\6\7\10", 8);
    d = num(TYPE_TIMESTAMP, 1);
    check_bytes(&d, 1, "\0\0\0\0\0\0\0\1", 8);
    d = num(TYPE_TIMESTAMP_NS, -1);
    check_bytes(&d, 1, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    d = num(TYPE_BOOLEAN, 1);
    check_bytes(&d, 1, "\1", 1);
    d = flt(TYPE_REAL, 1.5);
    check_bytes(&d, 1, "\x3f\xc0\0\0", 4);
    d = flt(TYPE_DOUBLE, -1.5);
    check_bytes(&d, 1, "\xbf\xf8\0\0\0\0\0\0", 8);
    d = flt(TYPE_DOUBLE, -0.0); /* one key with 0.0 */
    check_bytes(&d, 1, "\0\0\0\0\0\0\0\0", 8);
    d = text("oak", 3);
    check_bytes(&d, 1, "oak", 3);
    d = (struct datum){.type = TYPE_NUMERIC,
                       .num = vnumeric_make(-1500, 3)}; /* one key with -1.5 */
    check_bytes(&d, 1, "\0\0\0\1\xf1", 5);
    d.num = vnumeric_make(1500, 0);
    check_bytes(&d, 1, "\0\0\0\0\x05\xdc", 6);
    d.num = vnumeric_nan();
    check_bytes(&d, 1, "\0\0\0\2\0", 5);
    d.num = vnumeric_inf(true);
    check_bytes(&d, 1, "\xff\xff\xff\xff\0", 5);
    d = (struct datum){.type = TYPE_INTERVAL, .iv = {.us = 86400000000 - 1, .days = -1}};
    check_bytes(&d, 1, "\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
    d.iv = (struct vinterval){.us = 1, .days = -30, .months = 1};
    check_bytes(&d, 1, "\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
    check_bytes(all,
                4,
                "\0\2\xff\xfe\0"
                "\0\1\1\0"
                "\0\2\xc3\xa9\0"
                "\0\0\0",
                17);
}

static void test_refusals(void **state)
{
    static char big[65536];
    struct datum cols[2] = {num(TYPE_INTEGER, 1), text(big, sizeof big)};
    struct dn_err err = {0};
    struct buf b;
    int64_t t = 0;

    (void)state;
    buf_init(&b, NULL);
    assert_int_equal(keyser_append(&b, cols, 2, &err), DN_E_TOO_LONG);
    assert_int_equal(keyser_append(&b, &cols[1], 1, &err), 0); /* alone it has no length to hold */
    cols[1].str.len = 65535;
    assert_int_equal(keyser_append(&b, cols, 2, &err), 0);
    cols[0].null = true;
    assert_int_equal(keyser_token(&b, cols, 2, &t, &err), DN_E_NOT_NULL);
    assert_non_null(strstr(err.text, "column 1"));
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests_name("keyser", tests, NULL, NULL);
}

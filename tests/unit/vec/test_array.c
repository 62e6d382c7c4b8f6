/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays as bytes: frozen bytes, round trips of every element type, the order, and damaged bytes.
 */
#include "vec/array.h"
#include "vec/numeric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static struct vstr bytes_of(const struct varray *a)
{
    struct buf b;
    struct vstr s;

    buf_init(&b, NULL);
    varray_write(a, NULL, &b);
    assert_false(b.failed);
    s = (struct vstr){arena_dup(&arena, b.data, b.len), (uint32_t)b.len};
    assert_non_null(s.ptr);
    buf_done(&b);
    return s;
}

static struct datum item(enum type_id type, int64_t v)
{
    struct datum d = {.type = type, .str = {"", 0}};

    if (type == TYPE_NUMERIC)
        d.num = vnumeric_make(v, 2);
    else if (type == TYPE_INTERVAL)
        d.iv = (struct vinterval){.days = (int32_t)v};
    else if (type_is_float(type))
        d.v.f64 = (double)v;
    else if (type_is_string(type))
        d.str = v ? (struct vstr){"a\0b0123456789012", 16} : (struct vstr){"", 0};
    else
        d.v.i64 = type == TYPE_BOOLEAN ? v & 1 : v;
    return d;
}

static void test_bytes(void **state)
{
    struct datum items[2] = {item(TYPE_VARCHAR, 0), {.type = TYPE_VARCHAR, .null = true}};
    struct varray a = varray_flat(TYPE_VARCHAR, items, 2);
    struct vstr s;

    (void)state;
    a.low[0] = -1;
    s = bytes_of(&a);
    assert_int_equal(s.len, 14);
    assert_memory_equal(s.ptr, "\x01\0\0\x02\0\x01\0\0\0\x02\x7f\xff\xff\xff", 14);
    a = varray_flat(TYPE_VARCHAR, NULL, 0);
    s = bytes_of(&a);
    assert_int_equal(s.len, 2);
    assert_memory_equal(s.ptr, "\0\0", 2);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (unsigned t = 1; t < TYPE_ARRAY; t++) {
        enum type_id type = (enum type_id)t;
        struct datum items[6];
        struct varray a, back;
        struct vstr s;

        if (!type_known(t))
            continue;
        for (int i = 0; i < 6; i++)
            items[i] = item(type, i - 2);
        items[3].null = true;
        a = varray_flat(type, items, 6);
        a.dims = 2;
        a.len[0] = 2;
        a.len[1] = 3;
        a.low[1] = 0;
        s = bytes_of(&a);
        assert_int_equal(varray_read(s, type, NULL, &arena, &back), 0);
        assert_int_equal(back.dims, 2);
        assert_int_equal(back.count, 6);
        assert_int_equal(back.len[1], 3);
        assert_int_equal(back.low[1], 0);
        for (int i = 0; i < 6; i++)
            assert_int_equal(datum_cmp(&items[i], &back.items[i]), 0);
        for (uint32_t cut = 0; cut < s.len; cut++) /* no prefix is an array */
            assert_int_equal(varray_read((struct vstr){s.ptr, cut}, type, NULL, &arena, &back), 1);
    }
}

static int order(enum type_id type, struct datum *x, uint32_t n, struct datum *y, uint32_t m)
{
    struct varray a = varray_flat(type, x, n);
    struct varray b = varray_flat(type, y, m);
    int c = varray_cmp(type_array_of(type), bytes_of(&a), bytes_of(&b));

    return (c > 0) - (c < 0);
}

static void test_order(void **state)
{
    struct datum x[2] = {item(TYPE_INTEGER, 1), item(TYPE_INTEGER, 2)};
    struct datum y[2] = {item(TYPE_INTEGER, 1), item(TYPE_INTEGER, -3)};
    struct datum n[1] = {{.type = TYPE_INTEGER, .null = true}};
    struct datum p[1] = {{.type = TYPE_NUMERIC, .num = vnumeric_make(15, 1)}};
    struct datum q[1] = {{.type = TYPE_NUMERIC, .num = vnumeric_make(150, 2)}};

    (void)state;
    assert_int_equal(order(TYPE_INTEGER, x, 2, y, 2), 1);
    assert_int_equal(order(TYPE_INTEGER, x, 1, y, 2), -1);
    assert_int_equal(order(TYPE_INTEGER, x, 0, y, 1), -1);
    assert_int_equal(order(TYPE_INTEGER, n, 1, x, 2), 1);
    assert_int_equal(order(TYPE_INTEGER, n, 1, n, 1), 0);
    assert_int_equal(order(TYPE_NUMERIC, p, 1, q, 1), 0); /* 1.5 is 1.50 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_order),
    };
    int rc;

    arena_init(&arena, NULL);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_done(&arena);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes: fixed little-endian values, varints at their edges, and readers that meet every wrong end.
 */
#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fixed_values_are_little_endian(void **state)
{
    const uint8_t want[] = {
        0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08};
    uint8_t big[8];
    struct buf b;
    struct rd r;

    (void)state;
    buf_init(&b, NULL);
    buf_u8(&b, 0x01);
    buf_u16(&b, 0x0203);
    buf_u32(&b, 0x04050607);
    buf_u64(&b, 0x08090a0b0c0d0e0f);
    assert_false(b.failed);
    assert_int_equal(b.len, sizeof want);
    assert_memory_equal(b.data, want, sizeof want);
    r = rd_make(b.data, b.len);
    assert_int_equal(rd_u8(&r), 0x01);
    assert_int_equal(rd_u16(&r), 0x0203);
    assert_int_equal(rd_u32(&r), 0x04050607);
    assert_int_equal(rd_u64(&r), 0x08090a0b0c0d0e0f);
    assert_int_equal(rd_left(&r), 0);
    assert_false(r.bad);
    be_put64(big, 0x0102030405060708);
    assert_memory_equal(big, "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(be_get64(big), 0x0102030405060708);
    buf_done(&b);
}

static void varints_at_their_edges(void **state)
{
    static const struct {
        uint64_t value;
        size_t len; /* bytes */
    } edges[] = {
        {0, 1},
        {1, 1},
        {127, 1},
        {128, 2},
        {16383, 2},
        {16384, 3},
        {UINT32_MAX, 5},
        {(UINT64_C(1) << 35) - 1, 5},
        {UINT64_C(1) << 35, 6},
        {(UINT64_C(1) << 63) - 1, 9},
        {UINT64_C(1) << 63, 10},
        {UINT64_MAX, 10},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(edges); i++) {
        struct buf b;
        struct rd r;

        buf_init(&b, NULL);
        buf_varint(&b, edges[i].value);
        assert_int_equal(b.len, edges[i].len);
        r = rd_make(b.data, b.len);
        assert_true(rd_varint(&r) == edges[i].value);
        assert_false(r.bad);
        assert_int_equal(rd_left(&r), 0);
        for (size_t cut = 0; cut < b.len; cut++) { /* every truncation is seen */
            r = rd_make(b.data, cut);
            assert_int_equal(rd_varint(&r), 0);
            assert_true(r.bad);
        }
        buf_done(&b);
    }
}

static void malformed_varints_are_bad(void **state)
{
    const uint8_t too_big[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    const uint8_t too_long[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
    struct rd r = rd_make(too_big, sizeof too_big);

    (void)state;
    assert_int_equal(rd_varint(&r), 0);
    assert_true(r.bad);
    r = rd_make(too_long, sizeof too_long);
    assert_int_equal(rd_varint(&r), 0);
    assert_true(r.bad);
}

static void readers_stop_at_the_end_for_good(void **state)
{
    const uint8_t bytes[] = {1, 2, 3, 4, 5};
    struct rd r = rd_make(bytes, sizeof bytes);
    size_t n = 99;

    (void)state;
    assert_int_equal(rd_u32(&r), 0x04030201);
    assert_int_equal(rd_u16(&r), 0); /* one byte left */
    assert_true(r.bad);
    assert_int_equal(rd_u8(&r), 0); /* it stays bad, though a byte is left */
    assert_null(rd_bytes(&r, 0));
    r = rd_make(bytes, sizeof bytes);
    assert_ptr_equal(rd_bytes(&r, 5), bytes);
    assert_int_equal(rd_left(&r), 0);
    assert_null(rd_bytes(&r, SIZE_MAX));
    assert_true(r.bad);
    r = rd_make("\6abcde", 6); /* says six, has five */
    assert_null(rd_blob(&r, &n));
    assert_int_equal(n, 0);
    assert_true(r.bad);
    r = rd_make("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1ab", 12); /* says UINT64_MAX */
    assert_null(rd_blob(&r, &n));
    assert_true(r.bad);
    r = rd_make(bytes, 0);
    assert_int_equal(rd_u64(&r), 0);
    assert_true(r.bad);
}

static void blobs_and_texts_round_trip(void **state)
{
    struct buf b;
    struct rd r;
    uint8_t *taken;
    size_t n;

    (void)state;
    buf_init(&b, NULL);
    buf_str(&b, "series");
    buf_bytes(&b, NULL, 0);
    buf_bytes(&b, "\0\1", 2);
    buf_puts(&b, "plain");
    buf_printf(&b, "-%05d-%s", 42, "x");
    r = rd_make(b.data, b.len);
    assert_memory_equal(rd_blob(&r, &n), "series", 6);
    assert_int_equal(n, 6);
    assert_non_null(rd_blob(&r, &n));
    assert_int_equal(n, 0);
    assert_memory_equal(rd_blob(&r, &n), "\0\1", 2);
    assert_int_equal(n, 2);
    assert_int_equal(rd_left(&r), strlen("plain-00042-x"));
    assert_memory_equal(rd_bytes(&r, rd_left(&r)), "plain-00042-x", strlen("plain-00042-x"));
    taken = buf_take(&b, &n);
    assert_int_equal(b.len, 0);
    assert_null(b.data);
    buf_u8(&b, 9); /* an emptied buffer can be filled again */
    assert_int_equal(b.len, 1);
    mem_free(taken);
    buf_done(&b);
}

static void a_full_buffer_stays_failed(void **state)
{
    struct mem_owner owner;
    struct buf b;

    (void)state;
    mem_owner_init(&owner, "test", NULL, 256);
    buf_init(&b, &owner);
    buf_u64(&b, 1);
    assert_false(b.failed);
    assert_null(buf_extend(&b, 1000));
    assert_true(b.failed);
    buf_u8(&b, 1); /* would fit, but is ignored */
    assert_int_equal(b.len, 8);
    assert_false(buf_reserve(&b, 1));
    buf_reset(&b);
    assert_false(b.failed);
    buf_u8(&b, 1);
    assert_int_equal(b.len, 1);
    assert_false(buf_reserve(&b, SIZE_MAX));
    buf_done(&b);
    assert_int_equal(mem_owner_used(&owner), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_values_are_little_endian),
        cmocka_unit_test(varints_at_their_edges),
        cmocka_unit_test(malformed_varints_are_bad),
        cmocka_unit_test(readers_stop_at_the_end_for_good),
        cmocka_unit_test(blobs_and_texts_round_trip),
        cmocka_unit_test(a_full_buffer_stays_failed),
    };

    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}

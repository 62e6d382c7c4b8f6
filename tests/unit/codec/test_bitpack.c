/* SPDX-License-Identifier: Apache-2.0
 *
 * test_bitpack.c: every width, many counts, exact buffers so that the sanitizer sees any overrun.
 */
#include "codec/bitpack.h"
#include "shapes.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the four above */
#include <cmocka.h>

static uint64_t lane(const union bitpack_lanes *lanes, unsigned width, uint32_t i)
{
    switch (bitpack_lane_size(width)) {
    case 1:
        return lanes->u8[i];
    case 2:
        return lanes->u16[i];
    case 4:
        return lanes->u32[i];
    default:
        return lanes->u64[i];
    }
}

static void check_one(uint32_t count, unsigned width, uint64_t seed)
{
    uint64_t mask = width ? ~(uint64_t)0 >> (64 - width) : 0;
    uint64_t *values = mem_alloc_array(NULL, count, sizeof *values);
    uint8_t *bytes = mem_alloc(NULL, bitpack_size(count, width));
    union bitpack_lanes lanes;

    assert_non_null(values);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < count; i++)
        values[i] = seed == 0 ? mask : shape_random(&seed) & mask;
    bitpack_pack(values, count, width, bytes);
    memset(&lanes, 0xa5, sizeof lanes);
    bitpack_unpack(bytes, count, width, &lanes);
    for (uint32_t i = 0; i < count; i++)
        if (lane(&lanes, width, i) != values[i])
            fail_msg("count %u width %u: value %u differs", count, width, i);
    for (uint32_t i = 0; i < count; i++)
        if (bitpack_get(bytes, count, width, i) != values[i])
            fail_msg("count %u width %u: value %u alone differs", count, width, i);
    mem_free(values);
    mem_free(bytes);
}

static void test_all_widths(void **state)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 8, 9, 31, 63, 64, 65, 500, 1000, 1023, 1024};

    (void)state;
    for (unsigned width = 0; width <= 64; width++)
        for (size_t i = 0; i < DN_ARRAY_SIZE(counts); i++) {
            check_one(counts[i], width, 0);
            check_one(counts[i], width, counts[i] * 100 + width);
        }
}

static void test_widened(void **state)
{
    uint64_t values[100];
    uint8_t bytes[400];
    uint16_t u16[100];
    uint32_t u32[100];

    (void)state;
    for (unsigned width = 0; width <= 32; width++) {
        for (uint32_t i = 0; i < 100; i++)
            values[i] = ((uint64_t)i * 0x12345671) & ~(~(uint64_t)0 << width);
        bitpack_pack(values, 100, width, bytes);
        bitpack_unpack32(bytes, 100, width, u32);
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(u32[i], values[i]);
        if (width > 16)
            continue;
        bitpack_unpack16(bytes, 100, width, u16);
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(u16[i], values[i]);
    }
}

static void test_width_of(void **state)
{
    (void)state;
    assert_int_equal(bitpack_width(0), 0);
    assert_int_equal(bitpack_width(1), 1);
    assert_int_equal(bitpack_width(255), 8);
    assert_int_equal(bitpack_width(256), 9);
    assert_int_equal(bitpack_width(UINT64_MAX), 64);
    assert_int_equal(bitpack_size(1024, 3), 384);
    assert_int_equal(bitpack_size(3, 3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_widths),
        cmocka_unit_test(test_widened),
        cmocka_unit_test(test_width_of),
    };

    return cmocka_run_group_tests_name("bitpack", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * test_kernel.c: the kernels against loops that say the same in few words, once with what the
 * processor has and once without. On a machine without the wider instructions both are the same. */
#include "codec/codec_kernel.h"
#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the four above */
#include <cmocka.h>

static const uint32_t counts[] = {1, 2, 3, 4, 7, 8, 9, 100, 1023, 1024};
static const uint32_t sizes[] = {1, 2, 4, 8};

static uint64_t codes[VEC_ROWS_MAX]; /* what is in the lanes */

static struct codec_codes
make_codes(union bitpack_lanes *lanes, unsigned width, uint32_t count, uint64_t seed)
{
    uint64_t mask = width ? ~(uint64_t)0 >> (64 - width) : 0;

    memset(lanes, 0xa5, sizeof *lanes);
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = seed == 0 ? mask : shape_random(&seed) & mask;
        switch (bitpack_lane_size(width)) {
        case 1:
            lanes->u8[i] = (uint8_t)codes[i];
            break;
        case 2:
            lanes->u16[i] = (uint16_t)codes[i];
            break;
        case 4:
            lanes->u32[i] = (uint32_t)codes[i];
            break;
        default:
            lanes->u64[i] = codes[i];
            break;
        }
    }
    return (struct codec_codes){.lanes = lanes, .width = width, .count = count};
}

static uint64_t value_at(const void *data, uint32_t size, uint32_t i)
{
    uint64_t v = 0;

    memcpy(&v, (const uint8_t *)data + (size_t)i * size, size);
    return v;
}

static void check_widen_and_sums(unsigned width, uint32_t count, uint32_t size, uint64_t seed)
{
    const struct codec_kernels *k = codec_kernels();
    uint64_t mask = ~(uint64_t)0 >> (64 - 8 * size);
    uint64_t first = seed * 0x123456789abcdef1u;
    uint64_t step = seed % 5 - 2;
    uint64_t want = first;
    union bitpack_lanes lanes;
    uint64_t to[VEC_ROWS_MAX + 1];
    struct codec_codes c = make_codes(&lanes, width, count, seed);

    to[count * size / 8] = 77; /* the first word that is not to be touched, if size is 8 */
    k->widen(&c, first, size, to);
    for (uint32_t i = 0; i < count; i++)
        assert_true(value_at(to, size, i) == ((first + codes[i]) & mask));
    k->sums(&c, first, step, size, to);
    for (uint32_t i = 0; i < count; i++) {
        want += i ? step + codes[i] : 0;
        if (value_at(to, size, i) != (want & mask))
            fail_msg("sums: width %u, %u of %u rows, %u bytes", width, i, count, size);
    }
    if (size == 8)
        assert_int_equal(to[count], 77);
}

/* Stretches of any length, each a series of its own or one that went on before. */
static void check_stretches(unsigned width, uint32_t count, bool own, uint64_t seed)
{
    const struct codec_kernels *k = codec_kernels();
    static uint16_t guide[VEC_ROWS_MAX];
    static struct codec_kin kin;
    uint64_t seeds[VEC_ROWS_MAX];
    uint64_t to[VEC_ROWS_MAX + 1];
    uint64_t flat[VEC_ROWS_MAX + 1];
    uint64_t want[VEC_ROWS_MAX];
    union bitpack_lanes lanes;
    struct codec_codes c = make_codes(&lanes, width, count, seed);
    struct codec_stretches s = {&kin, seeds, seed % 7 - 3};
    uint32_t next = 0;

    for (uint32_t i = 0, now = 0; i < count; i++) {
        if (i % 16 == 0 || shape_random(&seed) % 9 == 0)
            now = own ? next++ : (uint32_t)(shape_random(&seed) % 5);
        guide[i] = (uint16_t)now;
    }
    codec_kin_from_codes(guide, count, 1, &kin);
    for (uint32_t i = 0; i < kin.seeds; i++)
        seeds[i] = shape_random(&seed);
    if (kin.stretches == 0)
        return;
    to[count] = flat[count] = 77;
    k->stretches(&c, &s, to);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        want[i] = kin.of[i] ? want[kin.of[i] - 1] + s.least + codes[i] : seeds[at++];
        if (to[i] != want[i])
            fail_msg("stretches: width %u, %u of %u rows", width, i, count);
    }
    k->steps(&s, flat);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        want[i] = kin.of[i] ? want[kin.of[i] - 1] + s.least : seeds[at++];
        if (flat[i] != want[i])
            fail_msg("steps: %u of %u rows", i, count);
    }
    assert_int_equal(to[count], 77);
    assert_int_equal(flat[count], 77);
}

/* Sums that fit into 32 bits as doubles are what sums() and scale() make of them. */
static void check_sums_scale(unsigned width, uint32_t count, uint64_t seed)
{
    const struct codec_kernels *k = codec_kernels();
    int32_t step = -(int32_t)((1u << width) / 2);
    union bitpack_lanes lanes;
    uint64_t want[VEC_ROWS_MAX];
    double got[VEC_ROWS_MAX];

    for (unsigned exponent = 0; exponent <= CODEC_EXPONENT_MAX; exponent++) {
        int32_t first = (int32_t)(seed * 2654435761u % 2000003) - 1000001;
        struct codec_codes c = make_codes(&lanes, width, count, seed);

        k->sums(&c, (uint64_t)(int64_t)first, (uint64_t)(int64_t)step, 8, want);
        k->scale(want, count, exponent);
        c = make_codes(&lanes, width, count, seed);
        k->sums_scale(&c, first, step, exponent, got);
        assert_memory_equal(got, want, count * sizeof *got);
    }
}

static void check_folds(unsigned width, uint32_t count, uint32_t lo, uint32_t hi)
{
    const struct codec_kernels *k = codec_kernels();
    union bitpack_lanes lanes;
    struct codec_codes c = make_codes(&lanes, width, count, lo * 7919 + hi);
    uint64_t min = UINT64_MAX;
    uint64_t max = 0;
    uint64_t total = 0;
    uint64_t weighed = 0;
    uint64_t got_min;
    uint64_t got_max;
    uint64_t got_total;

    for (uint32_t i = lo; i < hi; i++) {
        weighed += codes[i] * (hi - i);
        min = codes[i] < min ? codes[i] : min;
        max = codes[i] > max ? codes[i] : max;
        total += codes[i];
    }
    k->bounds(&c, lo, hi, &got_min, &got_max);
    assert_true(got_min == min && got_max == max);
    if (width <= 54)
        assert_true(k->total(&c, lo, hi) == total);
    if (width <= 44)
        assert_true(k->weigh(&c, lo, hi, &got_total) == weighed && got_total == total);
}

static void all_kernels(void)
{
    for (unsigned width = 0; width <= 64; width++)
        for (size_t c = 0; c < DN_ARRAY_SIZE(counts); c++) {
            for (size_t s = 0; s < DN_ARRAY_SIZE(sizes); s++)
                if (width <= 8 * sizes[s]) {
                    check_widen_and_sums(width, counts[c], sizes[s], 0);
                    check_widen_and_sums(width, counts[c], sizes[s], width + c + 1);
                }
            if (width <= 20)
                check_sums_scale(width, counts[c], width + c);
            if (width <= CODEC_STRETCHES_WIDTH)
                for (uint64_t seed = 1; seed < 9; seed++)
                    check_stretches(width, counts[c], seed % 2, seed * 64 + width);
            check_folds(width, counts[c], 0, counts[c]);
            check_folds(width, counts[c], counts[c] / 2, counts[c]);
            check_folds(width, counts[c], counts[c] / 3, counts[c] / 3 + 1);
        }
}

/* Products must give what the division gives, for all exponents: small numbers, the greatest, and
 * random ones of any length. */
static void all_scales(void)
{
    const struct codec_kernels *k = codec_kernels();
    uint64_t seed = 5;
    double power = 1;

    for (unsigned e = 0; e <= CODEC_EXPONENT_MAX; e++, power *= 10)
        for (unsigned round = 0; round < 40; round++) {
            int64_t ints[VEC_ROWS_MAX];
            double got[VEC_ROWS_MAX];
            double fused[VEC_ROWS_MAX];
            union bitpack_lanes lanes;
            struct codec_codes c = {&lanes, 52, VEC_ROWS_MAX};
            int64_t least = -((int64_t)1 << 51);

            for (uint32_t i = 0; i < VEC_ROWS_MAX; i++) {
                uint64_t x = shape_random(&seed);

                ints[i] = round == 0   ? (int64_t)i - 512
                          : round == 1 ? (i % 2 ? 1 : -1) * (((int64_t)1 << 51) - (int64_t)i / 2)
                                       : (int64_t)x >> (13 + x % 51);
                lanes.u64[i] = (uint64_t)(ints[i] - least);
            }
            lanes.u64[1] &= ~(uint64_t)0 >> 12; /* 2^51 itself does not fit 52 bits */
            ints[1] = (int64_t)lanes.u64[1] + least;
            memcpy(got, ints, sizeof got);
            k->scale((uint64_t *)(void *)got, VEC_ROWS_MAX, e);
            k->widen_scale(&c, (uint64_t)least, e, fused);
            for (uint32_t i = 0; i < VEC_ROWS_MAX; i++) {
                double want = (double)ints[i] / power;

                if (memcmp(&got[i], &want, 8) != 0 || memcmp(&fused[i], &want, 8) != 0)
                    fail_msg("%lld / 10^%u is %a, not %a or %a",
                             (long long)ints[i],
                             e,
                             want,
                             got[i],
                             fused[i]);
            }
        }
}

static void all_bounds64(void)
{
    uint64_t seed = 9;
    int64_t values[VEC_ROWS_MAX];
    int64_t min;
    int64_t max;

    for (size_t c = 0; c < DN_ARRAY_SIZE(counts); c++) {
        int64_t want_min = INT64_MAX;
        int64_t want_max = INT64_MIN;

        for (uint32_t i = 0; i < counts[c]; i++) {
            values[i] = (int64_t)shape_random(&seed);
            want_min = values[i] < want_min ? values[i] : want_min;
            want_max = values[i] > want_max ? values[i] : want_max;
        }
        codec_kernels()->bounds64(values, counts[c], &min, &max);
        assert_true(min == want_min && max == want_max);
    }
}

static void test_wide(void **state)
{
    (void)state;
    all_kernels();
    all_scales();
    all_bounds64();
}

static void test_plain(void **state)
{
    (void)state;
    codec_kernels_plain(true);
    all_kernels();
    all_scales();
    all_bounds64();
    codec_kernels_plain(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_plain),
    };

    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}

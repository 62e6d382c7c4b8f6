/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kernel.c: the kernels twice, and the choice between them. */
#include "codec/codec_kernel.h"

#include "base/bytes.h"

static inline uint64_t codec_mask(unsigned width)
{
    return width ? ~(uint64_t)0 >> (64 - width) : 0;
}

/* A mask repeated in every lane of a word. */
static inline uint64_t codec_repeat(uint64_t mask, unsigned lane_bits)
{
    return mask * (~(uint64_t)0 / codec_mask(lane_bits));
}

/* Four words at once, wherever they lie: two registers of two words where there are no wider. */
typedef uint64_t codec_quad __attribute__((vector_size(32), aligned(1)));
typedef uint64_t codec_quad_whole __attribute__((vector_size(32))); /* of a conversion */
#define CODEC_ROW_QUADS 4u                                          /* of a row of 128 bytes */
#define CODEC_SIDES     32u                                         /* see KERNEL_STEPS */

/* Sixteen codes of a byte, and sums of such: see weigh_u8. */
typedef uint8_t codec_code_lanes __attribute__((vector_size(16)));
typedef uint16_t codec_sum_lanes __attribute__((vector_size(32)));
#define CODEC_SUM_LANES 32u
#define CODEC_SUM_LINES 16u

/* 10^-exponent as the sum of two doubles, and 10^exponent. */
static const struct {
    double high;
    double low;
    double power;
} codec_tens[CODEC_EXPONENT_MAX + 1] = {
    {0x1.0000000000000p+0, 0x0.0p+0, 1e0},
    {0x1.999999999999ap-4, -0x1.999999999999ap-58, 1e1},
    {0x1.47ae147ae147bp-7, -0x1.eb851eb851eb8p-63, 1e2},
    {0x1.0624dd2f1a9fcp-10, -0x1.89374bc6a7efap-66, 1e3},
    {0x1.a36e2eb1c432dp-14, -0x1.6a161e4f765fep-68, 1e4},
    {0x1.4f8b588e368f1p-17, -0x1.ee78183f91e64p-71, 1e5},
    {0x1.0c6f7a0b5ed8dp-20, 0x1.b5a63f9a49c2cp-75, 1e6},
    {0x1.ad7f29abcaf48p-24, 0x1.5e1e99483b023p-78, 1e7},
    {0x1.5798ee2308c3ap-27, -0x1.03023df2d4c94p-82, 1e8},
    {0x1.12e0be826d695p-30, -0x1.34674bfabb83bp-84, 1e9},
    {0x1.b7cdfd9d7bdbbp-34, -0x1.20a5465df8d2cp-88, 1e10},
    {0x1.5fd7fe1796495p-37, 0x1.7f7bc7b4d28aap-91, 1e11},
    {0x1.19799812dea11p-40, 0x1.97f27f0f6e886p-96, 1e12},
    {0x1.c25c268497682p-44, -0x1.ecd79a5a0df95p-99, 1e13},
    {0x1.6849b86a12b9bp-47, 0x1.ea70909833de7p-107, 1e14},
    {0x1.203af9ee75616p-50, -0x1.937831647f5a0p-104, 1e15},
    {0x1.cd2b297d889bcp-54, 0x1.5b4c2ebe68799p-109, 1e16},
    {0x1.70ef54646d497p-57, -0x1.db7b2080a3029p-111, 1e17},
    {0x1.2725dd1d243acp-60, -0x1.7c628066e8ceep-114, 1e18},
};

/* 1.5 * 2^52: its bits plus an integer of -2^51 .. 2^51 are those of the double that is greater by
 * the integer. */
#define CODEC_MAGIC      0x1.8p52
#define CODEC_MAGIC_BITS 0x4338000000000000u

#define KERNEL_ATTR
#define KERNEL(name) codec_##name##_plain
#if defined(__FP_FAST_FMA) || defined(__aarch64__)
#define KERNEL_FMA 1
#else
#define KERNEL_FMA 0
#endif
#include "codec/codec_kernel_tmpl.h"

#ifdef __x86_64__
#define KERNEL_ATTR  __attribute__((target("avx2,fma")))
#define KERNEL(name) codec_##name##_avx2
#define KERNEL_FMA   1
#include "codec/codec_kernel_tmpl.h"
#endif

static bool codec_plain_only; /* the one switch of the dispatch, for tests */

const struct codec_kernels *codec_kernels(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !codec_plain_only)
        return &codec_table_avx2;
#endif
    return &codec_table_plain;
}

void codec_kernels_plain(bool plain)
{
    codec_plain_only = plain;
}

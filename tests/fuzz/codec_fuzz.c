/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_fuzz.c: decoding of vectors. Input: u8 codec, u8 type, u16 rows, then the encoded bytes.
 * A guide that the bytes name has a few values in some order.
 * What decodes must be readable in full, and must come back the same after encoding it again, with
 * the codec named and with the best one; single values, sums and bounds must agree with it. */
#include "fuzz.h"

#include "check.h"
#include "codec/codec.h"
#include "codec/codec_kin.h"

#define FUZZ_HEAD 4u

static void fuzz_again(unsigned codec, const struct vec *v)
{
    struct dn_err err = {0};
    struct codec_src src = {.codec = codec, .type = v->type, .count = v->count};
    struct arena arena;
    struct vec back;
    struct buf b;
    int rc;

    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    rc = codec ? codec_encode_with(codec, v, &arena, &b, &err)
               : codec_encode(v, &arena, &b, &src.codec, &err);
    DN_ASSERT(rc == 0 || (codec && rc == DN_NOT_FOUND));
    if (rc == 0) {
        src.p = b.data;
        src.n = b.len;
        rc = codec_decode(&src, &arena, &back, &err);
        DN_ASSERT(rc == 0);
        DN_ASSERT(check_same(v, &back) == UINT32_MAX);
        DN_ASSERT(check_answers(&back, &src, &arena) == UINT32_MAX);
    }
    buf_done(&b);
    arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dn_err err = {0};
    uint16_t codes[VEC_ROWS_MAX];
    struct codec_kin kin;
    struct codec_src src;
    struct arena arena;
    struct vec v;
    int rc;

    if (size < FUZZ_HEAD)
        return 0;
    src = (struct codec_src){
        .codec = data[0],
        .type = (enum type_id)data[1],
        .count = le_get16(data + 2),
        .p = data + FUZZ_HEAD,
        .n = size - FUZZ_HEAD,
    };
    if (codec_guide(&src)) {
        for (uint32_t i = 0; i < src.count; i++)
            codes[i] = (uint16_t)(i * i % 13 + i % 5 * 13);
        codec_kin_from_codes(codes, src.count, codec_guide(&src), &kin);
        src.kin = &kin;
    }
    arena_init(&arena, NULL);
    rc = codec_decode(&src, &arena, &v, &err);
    if (rc == 0) {
        fuzz_reached();
        (void)check_touch(&v);
        fuzz_again(src.codec, &v);
        fuzz_again(0, &v);
    } else {
        DN_ASSERT(rc == DN_E_CORRUPT);
    }
    arena_done(&arena);
    return 0;
}

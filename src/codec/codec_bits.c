/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_bits.c: see codec_bits.h. */
#include "codec/codec_bits.h"

uint64_t codec_bits_mask(uint32_t count, uint32_t word)
{
    uint32_t left = count - word * 64;

    return left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
}

static void codec_bits_sum_up(struct codec_bits *bits, uint32_t count)
{
    bits->some = false;
    bits->all = true;
    for (uint32_t i = 0; i < VEC_BITMAP_WORDS(count); i++) {
        bits->some |= bits->words[i] != 0;
        bits->all &= bits->words[i] == codec_bits_mask(count, i);
    }
}

void codec_bits_from_vec(const struct vec *v, const uint64_t *from, struct codec_bits *ret)
{
    bool all = v->form == VEC_CONST && vec_bit(from, 0);
    bool none = !from || (v->form == VEC_CONST && !all);

    for (uint32_t i = 0; i < VEC_BITMAP_WORDS(v->count); i++)
        ret->words[i] = none  ? 0
                        : all ? codec_bits_mask(v->count, i)
                              : from[i] & codec_bits_mask(v->count, i);
    codec_bits_sum_up(ret, v->count);
}

void codec_bits_or(const struct codec_bits *a,
                   const struct codec_bits *b,
                   uint32_t count,
                   struct codec_bits *ret)
{
    if (!a->some || !b->some) {
        const struct codec_bits *from = a->some ? a : b;

        memcpy(ret->words, from->words, VEC_BITMAP_WORDS(count) * sizeof ret->words[0]);
        ret->some = from->some;
        ret->all = from->all;
        return;
    }
    for (uint32_t i = 0; i < VEC_BITMAP_WORDS(count); i++)
        ret->words[i] = a->words[i] | b->words[i];
    codec_bits_sum_up(ret, count);
}

/* Little-endian words are the bytes of the format. */
void codec_bits_put(struct buf *b, const struct codec_bits *bits, uint32_t count)
{
    if (bits->some && !bits->all)
        buf_append(b, bits->words, (count + 7) / 8);
}

int codec_bits_get(
    struct rd *r, bool stored, bool all, uint32_t count, struct codec_bits *ret, struct dn_err *err)
{
    size_t size = (count + 7) / 8;
    uint32_t last = VEC_BITMAP_WORDS(count) - 1;
    const uint8_t *p = NULL;

    if (!stored) {
        for (uint32_t i = 0; i <= last; i++)
            ret->words[i] = all ? codec_bits_mask(count, i) : 0;
        ret->some = all;
        ret->all = all;
        return 0;
    }
    DN_CHECK_DISK(!all, err, "vector: flags name a bitmap twice");
    p = rd_bytes(r, size);
    DN_CHECK_DISK(p != NULL, err, "vector: bitmap cut short");
    ret->words[last] = 0;
    memcpy(ret->words, p, size);
    DN_CHECK_DISK((ret->words[last] & ~codec_bits_mask(count, last)) == 0,
                  err,
                  "vector: bitmap with bits beyond its %u rows",
                  count);
    codec_bits_sum_up(ret, count);
    return 0;
}

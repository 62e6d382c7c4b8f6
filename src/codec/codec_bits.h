/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_bits.h: flags and bitmaps, the head of an encoded vector. For src/codec only. Any thread.
 */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

enum codec_flag {
    CODEC_NULLS = 1,      /* nulls bitmap follows */
    CODEC_ABSENT = 2,     /* absent bitmap follows */
    CODEC_NULLS_ALL = 4,  /* every row is NULL; no nulls bitmap */
    CODEC_ABSENT_ALL = 8, /* every row is absent; no absent bitmap */
    CODEC_FLAGS_KNOWN = 15,
};

/* One bitmap, cleaned: no bit at or beyond count. */
struct codec_bits {
    uint64_t words[VEC_BITMAP_WORDS(VEC_ROWS_MAX)];
    bool some; /* a bit is set */
    bool all;  /* all are */
};

/* Bits of words[word] that are rows. */
uint64_t codec_bits_mask(uint32_t count, uint32_t word);
/* v's own bitmap `from`, by row whatever the form. */
void codec_bits_from_vec(const struct vec *v, const uint64_t *from, struct codec_bits *ret);
void codec_bits_or(const struct codec_bits *a,
                   const struct codec_bits *b,
                   uint32_t count,
                   struct codec_bits *ret);
/* Appends the bitmap if it must be stored: some bits, but not all. */
void codec_bits_put(struct buf *b, const struct codec_bits *bits, uint32_t count);
/* The other way: stored, or all set, or none. */
int codec_bits_get(struct rd *r,
                   bool stored,
                   bool all,
                   uint32_t count,
                   struct codec_bits *ret,
                   struct dn_err *err) DN_MUST_CHECK;

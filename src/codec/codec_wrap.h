/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_wrap.h: what the codecs share that compress the bytes of another with a library:
 *
 *   u8 id of the codec within, varint its bytes before, the compressed bytes
 *
 * The one within is never such a codec itself. Any thread. */
#pragma once

#include "codec/codec_int.h"

/* Vectors of fewer bytes are not compressed: there is nothing to gain. Numbers that another codec
 * got below the other are left alone, too: trying would cost more than all the rest. */
#define CODEC_WRAP_MIN       256u
#define CODEC_WRAP_MIN_FIXED 1024u
/* Nor are those of more, so that a reader never takes more memory than this; without strings none
 * has more than the other. */
#define CODEC_WRAP_MAX       ((size_t)16 << 20)
#define CODEC_WRAP_MAX_FIXED ((size_t)16 << 10)

/* A library. Both work in memory that they take from the owner and give back. */
struct codec_squeezer {
    bool slow; /* to be tried only if another could compress the bytes, or they are very uneven */
    /* Most bytes that n may become. */
    size_t (*bound)(size_t n);
    /* Bytes written to `to`, which has room for cap; 0 if that is not enough; -1: out of memory. */
    ptrdiff_t (*squeeze)(
        struct mem_owner *owner, const uint8_t *p, size_t n, uint8_t *to, size_t cap);
    /* Untrusted bytes: must become exactly `size`. 1: they do not; -1: out of memory. */
    int (*expand)(struct mem_owner *owner, const uint8_t *p, size_t n, uint8_t *to, size_t size);
};

size_t codec_wrap_size(const struct codec_in *in, const struct codec_squeezer *lib, size_t limit);
void codec_wrap_encode(const struct codec_in *in, struct buf *b);
int codec_wrap_decode(const struct codec_part *part,
                      const struct codec_squeezer *lib,
                      struct arena *arena,
                      struct vec *ret,
                      struct dn_err *err) DN_MUST_CHECK;

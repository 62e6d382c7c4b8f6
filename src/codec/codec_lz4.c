/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_lz4.c: the bytes of another codec, compressed with LZ4 (one block, no frame). Decodes to
 * the form that the one within gives. */
#include "codec/codec_wrap.h"

#include <lz4.h>

_Static_assert(CODEC_WRAP_MAX <= LZ4_MAX_INPUT_SIZE, "lengths are int there");

static size_t codec_lz4_bound(size_t n)
{
    return (size_t)LZ4_compressBound((int)n);
}

static ptrdiff_t
codec_lz4_squeeze(struct mem_owner *owner, const uint8_t *p, size_t n, uint8_t *to, size_t cap)
{
    void *state = mem_alloc(owner, (size_t)LZ4_sizeofState());
    int len;

    if (!state)
        return -1;
    len = LZ4_compress_fast_extState(
        state, (const char *)p, (char *)to, (int)n, (int)cap, 1 /* acceleration: none */);
    mem_free(state);
    return len;
}

static int
codec_lz4_expand(struct mem_owner *owner, const uint8_t *p, size_t n, uint8_t *to, size_t size)
{
    (void)owner;
    if (n > CODEC_WRAP_MAX * 2) /* more than any `size` can have become */
        return 1;
    return LZ4_decompress_safe((const char *)p, (char *)to, (int)n, (int)size) != (int)size;
}

static const struct codec_squeezer codec_lz4_lib = {
    .bound = codec_lz4_bound,
    .squeeze = codec_lz4_squeeze,
    .expand = codec_lz4_expand,
};

static size_t codec_lz4_size(const struct codec_in *in, size_t limit)
{
    return codec_wrap_size(in, &codec_lz4_lib, limit);
}

static int codec_lz4_decode(const struct codec_part *part,
                            struct arena *arena,
                            struct vec *ret,
                            struct dn_err *err)
{
    return codec_wrap_decode(part, &codec_lz4_lib, arena, ret, err);
}

const struct codec_ops codec_lz4_ops = {
    .name = "lz4",
    .weight = 125,
    .stage = CODEC_WRAPS,
    .varies = true,
    .size = codec_lz4_size,
    .encode = codec_wrap_encode,
    .decode = codec_lz4_decode,
};

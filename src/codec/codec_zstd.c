/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_zstd.c: the bytes of another codec, compressed with Zstandard (one frame, level 1). Decodes
 * to the form that the one within gives.
 *
 * The library's contexts live in memory given to them, so that it is counted and may run out like
 * any other. */
#define ZSTD_STATIC_LINKING_ONLY /* for contexts in given memory */
#include "codec/codec_wrap.h"

#include <zstd.h>

#define CODEC_ZSTD_LEVEL 1

static size_t codec_zstd_bound(size_t n)
{
    return ZSTD_compressBound(n);
}

static ptrdiff_t
codec_zstd_squeeze(struct mem_owner *owner, const uint8_t *p, size_t n, uint8_t *to, size_t cap)
{
    ZSTD_compressionParameters params = ZSTD_getCParams(CODEC_ZSTD_LEVEL, n, 0);
    size_t work_n = ZSTD_estimateCCtxSize_usingCParams(params);
    void *work = mem_alloc(owner, work_n);
    ZSTD_CCtx *ctx = work ? ZSTD_initStaticCCtx(work, work_n) : NULL;
    ptrdiff_t len = ctx ? 0 : -1;
    size_t rc;

    if (ctx) {
        rc = ZSTD_compressCCtx(ctx, to, cap, p, n, CODEC_ZSTD_LEVEL);
        len = ZSTD_isError(rc) ? 0 : (ptrdiff_t)rc;
    }
    mem_free(work);
    return len;
}

static int
codec_zstd_expand(struct mem_owner *owner, const uint8_t *p, size_t n, uint8_t *to, size_t size)
{
    size_t work_n = ZSTD_estimateDCtxSize();
    void *work = mem_alloc(owner, work_n);
    ZSTD_DCtx *ctx = work ? ZSTD_initStaticDCtx(work, work_n) : NULL;
    int rc = ctx ? ZSTD_decompressDCtx(ctx, to, size, p, n) != size : -1;

    mem_free(work);
    return rc;
}

static const struct codec_squeezer codec_zstd_lib = {
    .slow = true,
    .bound = codec_zstd_bound,
    .squeeze = codec_zstd_squeeze,
    .expand = codec_zstd_expand,
};

static size_t codec_zstd_size(const struct codec_in *in, size_t limit)
{
    return codec_wrap_size(in, &codec_zstd_lib, limit);
}

static int codec_zstd_decode(const struct codec_part *part,
                             struct arena *arena,
                             struct vec *ret,
                             struct dn_err *err)
{
    return codec_wrap_decode(part, &codec_zstd_lib, arena, ret, err);
}

const struct codec_ops codec_zstd_ops = {
    .name = "zstd",
    .weight = 200,
    .stage = CODEC_WRAPS,
    .varies = true,
    .size = codec_zstd_size,
    .encode = codec_wrap_encode,
    .decode = codec_zstd_decode,
};

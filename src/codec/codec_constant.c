/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_constant.c: one value for all rows: its bytes, and nothing else (a string ends where the
 * vector ends). Decodes to a CONST vector. */
#include "codec/codec_int.h"

static size_t codec_constant_size(const struct codec_in *in, size_t limit)
{
    size_t size;

    if (in->work->runs != 1)
        return SIZE_MAX;
    size = in->phys == PHYS_STR ? ((const struct vstr *)in->data)->len : phys_size(in->phys);
    return size < limit ? size : SIZE_MAX;
}

static void codec_constant_encode(const struct codec_in *in, struct buf *b)
{
    const struct vstr *str = in->data;

    if (in->phys == PHYS_STR)
        buf_append(b, str->ptr, str->len);
    else
        buf_append(b, in->data, phys_size(in->phys));
}

static int codec_constant_decode(const uint8_t *p,
                                 size_t n,
                                 enum phys phys,
                                 uint32_t count,
                                 struct arena *arena,
                                 struct vec *ret,
                                 struct dn_err *err)
{
    struct vstr str = {.ptr = (const char *)p, .len = (uint32_t)n};

    (void)count;
    if (phys == PHYS_STR)
        DN_CHECK_DISK(n <= UINT32_MAX, err, "vector: a string of %zu bytes", n);
    else
        DN_CHECK_DISK(n == phys_size(phys),
                      err,
                      "vector: a constant of %zu bytes where %u belong",
                      n,
                      phys_size(phys));
    ret->form = VEC_CONST;
    ret->data = phys == PHYS_STR ? arena_dup(arena, &str, sizeof str) : arena_dup(arena, p, n);
    if (!ret->data)
        return DN_FAIL_NOMEM(err);
    return 0;
}

const struct codec_ops codec_constant_ops = {
    .name = "constant",
    .size = codec_constant_size,
    .encode = codec_constant_encode,
    .decode = codec_constant_decode,
};

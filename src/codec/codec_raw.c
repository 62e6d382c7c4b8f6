/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_raw.c: a value list of all rows. Holds anything. Decodes to a FLAT vector. */
#include "codec/codec_int.h"

static size_t codec_raw_size(const struct codec_in *in, size_t limit)
{
    size_t size = codec_values_size(in, NULL, in->count);

    return size < limit ? size : SIZE_MAX;
}

static void codec_raw_encode(const struct codec_in *in, struct buf *b)
{
    codec_values_put(in, NULL, in->count, b);
}

static int codec_raw_decode(const struct codec_part *part,
                            struct arena *arena,
                            struct vec *ret,
                            struct dn_err *err)
{
    ret->form = VEC_FLAT;
    return codec_values_get(part, arena, &ret->data, err);
}

const struct codec_ops codec_raw_ops = {
    .name = "raw",
    .weight = 100,
    .lists = true,
    .size = codec_raw_size,
    .encode = codec_raw_encode,
    .decode = codec_raw_decode,
    .get = codec_values_at,
};

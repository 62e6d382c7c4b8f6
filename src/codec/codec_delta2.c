/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_delta2.c: differences of differences over the least, bit-packed: time stamps whose step
 * drifts, counters whose rate changes slowly. Decodes to a FLAT vector. */
#include "codec/codec_frame.h"

static size_t codec_delta2_size(const struct codec_in *in, size_t limit)
{
    return codec_frame_ops_size(in, 2, limit);
}

static void codec_delta2_encode(const struct codec_in *in, struct buf *b)
{
    codec_frame_ops_encode(in, 2, b);
}

static int codec_delta2_decode(const struct codec_part *part,
                               struct arena *arena,
                               struct vec *ret,
                               struct dn_err *err)
{
    return codec_frame_ops_decode(part, 2, arena, ret, err);
}

static int
codec_delta2_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    return codec_frame_ops_get(part, 2, row, ret, err);
}

const struct codec_ops codec_delta2_ops = {
    .name = "delta2",
    .weight = 125,
    .size = codec_delta2_size,
    .encode = codec_delta2_encode,
    .decode = codec_delta2_decode,
    .get = codec_delta2_get,
    .get_walks = true,
};

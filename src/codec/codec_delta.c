/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_delta.c: differences of neighbours over the least difference, bit-packed. A constant step
 * takes no bits at all. Decodes to a FLAT vector. */
#include "codec/codec_frame.h"

static size_t codec_delta_size(const struct codec_in *in, size_t limit)
{
    return codec_frame_ops_size(in, 1, limit);
}

static void codec_delta_encode(const struct codec_in *in, struct buf *b)
{
    codec_frame_ops_encode(in, 1, b);
}

static int codec_delta_decode(const struct codec_part *part,
                              struct arena *arena,
                              struct vec *ret,
                              struct dn_err *err)
{
    return codec_frame_ops_decode(part, 1, arena, ret, err);
}

static int
codec_delta_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    return codec_frame_ops_get(part, 1, row, ret, err);
}

static int codec_delta_agg(const struct codec_part *part,
                           const struct codec_ask *ask,
                           struct codec_agg *ret,
                           struct dn_err *err)
{
    return codec_frame_ops_agg(part, 1, ask, ret, err);
}

static int codec_delta_narrow(const struct codec_part *part,
                              const double bounds[2],
                              int16_t *to,
                              struct codec_narrow *ret,
                              struct dn_err *err)
{
    return codec_frame_ops_narrow(part, 1, bounds, to, ret, err);
}

const struct codec_ops codec_delta_ops = {
    .name = "delta",
    .weight = 112,
    .size = codec_delta_size,
    .encode = codec_delta_encode,
    .decode = codec_delta_decode,
    .get = codec_delta_get,
    .agg = codec_delta_agg,
    .narrow = codec_delta_narrow,
};

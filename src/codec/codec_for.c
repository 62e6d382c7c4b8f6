/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_for.c: values over the least of them (frame of reference), bit-packed. Any value can be
 * read, and sums and bounds taken, without the others. Decodes to a FLAT vector. */
#include "codec/codec_frame.h"

static size_t codec_for_size(const struct codec_in *in, size_t limit)
{
    return codec_frame_ops_size(in, 0, limit);
}

static void codec_for_encode(const struct codec_in *in, struct buf *b)
{
    codec_frame_ops_encode(in, 0, b);
}

static int codec_for_decode(const struct codec_part *part,
                            struct arena *arena,
                            struct vec *ret,
                            struct dn_err *err)
{
    return codec_frame_ops_decode(part, 0, arena, ret, err);
}

static int
codec_for_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    return codec_frame_ops_get(part, 0, row, ret, err);
}

static int codec_for_agg(const struct codec_part *part,
                         const struct codec_ask *ask,
                         struct codec_agg *ret,
                         struct dn_err *err)
{
    return codec_frame_ops_agg(part, 0, ask, ret, err);
}

static int codec_for_narrow(const struct codec_part *part,
                            const double bounds[2],
                            int16_t *to,
                            struct codec_narrow *ret,
                            struct dn_err *err)
{
    return codec_frame_ops_narrow(part, 0, bounds, to, ret, err);
}

const struct codec_ops codec_for_ops = {
    .name = "for",
    .weight = 100,
    .size = codec_for_size,
    .encode = codec_for_encode,
    .decode = codec_for_decode,
    .get = codec_for_get,
    .agg = codec_for_agg,
    .narrow = codec_for_narrow,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kin_ints.c: KIN and ANS, integers that are one kin frame (codec_kin.h):
 *
 *   varint guide, kin frame; its codes packed (KIN), or as codec_ans.h has them (ANS) */
#include "codec/codec_kin.h"

static size_t codec_kin_ops_size(const struct codec_in *in, size_t limit)
{
    struct codec_loose none = {.count = 0};
    size_t bytes;

    if (!codec_phys_is_int(in->phys))
        return SIZE_MAX;
    codec_kin_ready(in);
    bytes = codec_kin_head_size(in) + codec_kin_size(in, in->wide, phys_size(in->phys), none);
    return bytes < limit ? bytes : SIZE_MAX;
}

static size_t codec_ans_ops_size(const struct codec_in *in, size_t limit)
{
    struct codec_loose none = {.count = 0};
    size_t head;
    size_t bytes;

    if (!codec_phys_is_int(in->phys))
        return SIZE_MAX;
    codec_kin_ready(in);
    head = codec_kin_head_size(in);
    if (limit <= head)
        return SIZE_MAX;
    bytes = codec_kin_ans_size(in, in->wide, phys_size(in->phys), none, limit - head);
    return bytes < limit - head ? head + bytes : SIZE_MAX;
}

static void codec_kin_ops_encode(const struct codec_in *in, struct buf *b)
{
    codec_kin_head_put(in, b);
    codec_kin_put(in, &in->work->kin, b);
}

static void codec_ans_ops_encode(const struct codec_in *in, struct buf *b)
{
    codec_kin_head_put(in, b);
    codec_kin_put(in, &in->work->small->plan, b);
}

static int codec_kin_ops_open(const struct codec_part *part,
                              bool ans,
                              struct codec_kin *plain,
                              struct codec_kin_frame *ret,
                              struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    const struct codec_kin *kin;
    int rc;

    DN_CHECK_DISK(codec_phys_is_int(part->phys),
                  err,
                  "vector: differences to kin where values are no integers");
    rc = codec_kin_head_get(&r, part, plain, &kin, err);
    if (rc < 0)
        return rc;
    rc = codec_kin_get(&r, kin, phys_size(part->phys), ans, ret, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(rd_left(&r) == 0, err, "vector: %zu bytes too many", rd_left(&r));
    return 0;
}

static int codec_kin_any_decode(const struct codec_part *part,
                                bool ans,
                                struct arena *arena,
                                struct vec *ret,
                                struct dn_err *err)
{
    struct codec_kin plain;
    struct codec_kin_frame f;
    uint64_t wide[VEC_ROWS_MAX];
    void *to;
    int rc;

    rc = codec_kin_ops_open(part, ans, &plain, &f, err);
    if (rc < 0)
        return rc;
    to = arena_alloc_array(arena, part->count, f.size);
    if (!to)
        return DN_FAIL_NOMEM(err);
    codec_kin_unpack(&f, wide);
    codec_cut(wide, part->count, f.size, to);
    ret->form = VEC_FLAT;
    ret->data = to;
    return 0;
}

static int codec_kin_any_get(
    const struct codec_part *part, bool ans, uint32_t row, struct datum *ret, struct dn_err *err)
{
    struct codec_kin plain;
    struct codec_kin_frame f;
    int rc;

    rc = codec_kin_ops_open(part, ans, &plain, &f, err);
    if (rc < 0)
        return rc;
    ret->v.i64 = codec_kin_at(&f, row);
    return 0;
}

static int codec_kin_any_agg(const struct codec_part *part,
                             bool ans,
                             const struct codec_ask *ask,
                             struct codec_agg *ret,
                             struct dn_err *err)
{
    struct codec_kin plain;
    struct codec_kin_frame f;
    uint64_t wide[VEC_ROWS_MAX];
    int rc;

    rc = codec_kin_ops_open(part, ans, &plain, &f, err);
    if (rc < 0)
        return rc;
    codec_kin_unpack(&f, wide);
    codec_agg_words((const int64_t *)wide, ask, ret);
    return 0;
}

static int codec_kin_ops_decode(const struct codec_part *part,
                                struct arena *arena,
                                struct vec *ret,
                                struct dn_err *err)
{
    return codec_kin_any_decode(part, false, arena, ret, err);
}

static int codec_kin_ops_get(const struct codec_part *part,
                             uint32_t row,
                             struct datum *ret,
                             struct dn_err *err)
{
    return codec_kin_any_get(part, false, row, ret, err);
}

static int codec_kin_ops_agg(const struct codec_part *part,
                             const struct codec_ask *ask,
                             struct codec_agg *ret,
                             struct dn_err *err)
{
    return codec_kin_any_agg(part, false, ask, ret, err);
}

const struct codec_ops codec_kin_ops = {
    .name = "kin",
    .weight = 115,
    .hinted = true,
    .guided = true,
    .size = codec_kin_ops_size,
    .encode = codec_kin_ops_encode,
    .decode = codec_kin_ops_decode,
    .get = codec_kin_ops_get,
    .agg = codec_kin_ops_agg,
};

static int codec_ans_ops_decode(const struct codec_part *part,
                                struct arena *arena,
                                struct vec *ret,
                                struct dn_err *err)
{
    return codec_kin_any_decode(part, true, arena, ret, err);
}

static int codec_ans_ops_get(const struct codec_part *part,
                             uint32_t row,
                             struct datum *ret,
                             struct dn_err *err)
{
    return codec_kin_any_get(part, true, row, ret, err);
}

static int codec_ans_ops_agg(const struct codec_part *part,
                             const struct codec_ask *ask,
                             struct codec_agg *ret,
                             struct dn_err *err)
{
    return codec_kin_any_agg(part, true, ask, ret, err);
}

const struct codec_ops codec_ans_ops = {
    .name = "ans",
    .weight = 200,
    .stage = CODEC_LOOKUP,
    .hinted = true,
    .guided = true,
    .small = true,
    .size = codec_ans_ops_size,
    .encode = codec_ans_ops_encode,
    .decode = codec_ans_ops_decode,
    .get = codec_ans_ops_get,
    .agg = codec_ans_ops_agg,
};

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

static int codec_constant_check(const struct codec_part *part, struct dn_err *err)
{
    if (part->phys == PHYS_STR)
        DN_CHECK_DISK(part->n <= UINT32_MAX, err, "vector: a string of %zu bytes", part->n);
    else
        DN_CHECK_DISK(part->n == phys_size(part->phys),
                      err,
                      "vector: a constant of %zu bytes where %u belong",
                      part->n,
                      phys_size(part->phys));
    return 0;
}

static int codec_constant_decode(const struct codec_part *part,
                                 struct arena *arena,
                                 struct vec *ret,
                                 struct dn_err *err)
{
    struct vstr str = {.ptr = (const char *)part->p, .len = (uint32_t)part->n};
    int rc;

    rc = codec_constant_check(part, err);
    if (rc < 0)
        return rc;
    ret->form = VEC_CONST;
    ret->data = part->phys == PHYS_STR ? arena_dup(arena, &str, sizeof str)
                                       : arena_dup(arena, part->p, part->n);
    if (!ret->data)
        return DN_FAIL_NOMEM(err);
    return 0;
}

static int codec_constant_get(const struct codec_part *part,
                              uint32_t row,
                              struct datum *ret,
                              struct dn_err *err)
{
    int rc;

    (void)row;
    rc = codec_constant_check(part, err);
    if (rc < 0)
        return rc;
    if (part->phys == PHYS_STR)
        ret->str = (struct vstr){.ptr = (const char *)part->p, .len = (uint32_t)part->n};
    else
        ret->v = codec_fixed(part->phys, part->p);
    return 0;
}

static int codec_constant_agg(const struct codec_part *part,
                              const struct codec_ask *ask,
                              struct codec_agg *ret,
                              struct dn_err *err)
{
    union vfixed value;
    int rc;

    rc = codec_constant_check(part, err);
    if (rc < 0)
        return rc;
    value = codec_fixed(part->phys, part->p);
    for (uint32_t k = 0; k < ask->count; k++) {
        uint32_t rows = ask->ranges[k].hi - ask->ranges[k].lo;

        ret[k].min = ret[k].max = value;
        if (codec_phys_is_int(part->phys))
            ret[k].isum = (codec_i128)value.i64 * rows;
        else
            ret[k].fsum = value.f64 * rows;
    }
    return 0;
}

const struct codec_ops codec_constant_ops = {
    .name = "constant",
    .weight = 100,
    .size = codec_constant_size,
    .encode = codec_constant_encode,
    .decode = codec_constant_decode,
    .get = codec_constant_get,
    .agg = codec_constant_agg,
};

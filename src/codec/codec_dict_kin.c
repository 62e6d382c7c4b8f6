/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_dict_kin.c: a dictionary whose codes are a kin frame (codec_kin.h): what is the same in all
 * rows of a series costs nothing but for the first.
 *
 *   varint guide, head of a dictionary that may be elsewhere (codec_dict.h), kin frame of the codes
 *   (2 bytes each)
 *
 * Decodes to a DICT vector. */
#include "codec/codec_dict.h"
#include "codec/codec_kin.h"

#define CODEC_DICT_KIN_CODE 2u /* bytes of a code */

static size_t codec_dict_kin_size(const struct codec_in *in, size_t limit)
{
    struct codec_work *work = in->work;
    struct codec_loose none = {.count = 0};
    uint64_t *codes = work->kin.ints;
    size_t size;

    if (in->phys != PHYS_STR && limit < SIZE_MAX)
        return SIZE_MAX; /* numbers have other codecs for it */
    codec_kin_ready(in);
    codec_far_fill(in);
    for (uint32_t i = 0; i < in->count; i++)
        codes[i] = work->far_codes[i];
    size = codec_kin_head_size(in) + codec_far_head_size(in) +
           codec_kin_size(in, codes, CODEC_DICT_KIN_CODE, none);
    return size < limit ? size : SIZE_MAX;
}

static void codec_dict_kin_encode(const struct codec_in *in, struct buf *b)
{
    codec_kin_head_put(in, b);
    codec_far_head_put(in, b);
    codec_kin_put(in, &in->work->kin, b);
}

/* The head, checked: *ret is the value list. */
static int codec_dict_kin_open(const struct codec_part *part,
                               struct codec_kin *plain,
                               struct codec_kin_frame *ret_frame,
                               struct codec_part *ret,
                               struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    const struct codec_kin *kin;
    int rc;

    rc = codec_kin_head_get(&r, part, plain, &kin, err);
    if (rc < 0)
        return rc;
    rc = codec_far_head_get(&r, part, ret, err);
    if (rc < 0)
        return rc;
    rc = codec_kin_get(&r, kin, CODEC_DICT_KIN_CODE, false, ret_frame, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(rd_left(&r) == 0, err, "vector: %zu bytes too many", rd_left(&r));
    return codec_far_list(part, ret, err);
}

/* As codec_cut(); all must be below the limit. */
static int codec_dict_kin_cut(
    const uint64_t *wide, uint32_t count, uint32_t limit, uint16_t *to, struct dn_err *err)
{
    uint64_t top = 0;

    for (uint32_t i = 0; i < count; i++) {
        to[i] = (uint16_t)wide[i];
        top = wide[i] > top ? wide[i] : top; /* one below 0 is above all */
    }
    DN_CHECK_DISK(top < limit, err, "vector: a code in no dictionary entry");
    return 0;
}

/* The codes of all rows, which must be below the limit. */
static int codec_dict_kin_codes(const struct codec_kin_frame *f,
                                uint32_t limit,
                                uint16_t *to,
                                struct dn_err *err)
{
    const struct codec_kin *kin = f->kin;
    uint16_t seeds[VEC_ROWS_MAX];
    uint64_t wide[VEC_ROWS_MAX];
    int rc;

    if (!codec_kin_flat(f, wide)) {
        codec_kin_unpack(f, wide);
        return codec_dict_kin_cut(wide, kin->count, limit, to, err);
    }
    rc = codec_dict_kin_cut(wide, kin->seeds, limit, seeds, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < kin->count && !kin->stretches; i++)
        to[i] = seeds[kin->seed_of[i]];
    for (uint32_t k = 0; k < kin->stretches; k++)
        for (uint32_t row = kin->starts[k]; row < codec_kin_end(kin, k); row++)
            to[row] = seeds[kin->seed_of[k]];
    return 0;
}

static int codec_dict_kin_decode(const struct codec_part *part,
                                 struct arena *arena,
                                 struct vec *ret,
                                 struct dn_err *err)
{
    struct codec_kin plain;
    struct codec_kin_frame f;
    struct codec_part list;
    uint16_t *codes;
    int rc;

    rc = codec_dict_kin_open(part, &plain, &f, &list, err);
    if (rc < 0)
        return rc;
    codes = arena_alloc_array(arena, part->count, sizeof *codes);
    if (!codes)
        return DN_FAIL_NOMEM(err);
    rc = codec_dict_kin_codes(&f, list.count, codes, err);
    if (rc < 0)
        return rc;
    ret->form = VEC_DICT;
    ret->codes = codes;
    ret->dict_count = list.count;
    return codec_values_get(&list, arena, &ret->data, err);
}

static int codec_dict_kin_get(const struct codec_part *part,
                              uint32_t row,
                              struct datum *ret,
                              struct dn_err *err)
{
    struct codec_kin plain;
    struct codec_kin_frame f;
    struct codec_part list;
    uint64_t code;
    int rc;

    rc = codec_dict_kin_open(part, &plain, &f, &list, err);
    if (rc < 0)
        return rc;
    code = (uint64_t)codec_kin_at(&f, row);
    DN_CHECK_DISK(code < list.count, err, "vector: a code in no dictionary entry");
    return codec_values_at(&list, (uint32_t)code, ret, err);
}

/* The head alone, without a look at kin. */
static struct rd codec_dict_kin_head(const struct codec_part *part)
{
    struct rd r = rd_make(part->p, part->n);

    (void)rd_varint(&r);
    return r;
}

static uint32_t codec_dict_kin_back(const struct codec_part *part)
{
    struct rd r = codec_dict_kin_head(part);

    return codec_far_back(&r);
}

static int
codec_dict_kin_list(const struct codec_part *part, struct codec_part *ret, struct dn_err *err)
{
    struct rd r = codec_dict_kin_head(part);

    return codec_far_head_get(&r, part, ret, err);
}

const struct codec_ops codec_dict_kin_ops = {
    .name = "dict_kin",
    .weight = 115,
    .stage = CODEC_LOOKUP,
    .hinted = true,
    .guided = true,
    .size = codec_dict_kin_size,
    .encode = codec_dict_kin_encode,
    .decode = codec_dict_kin_decode,
    .get = codec_dict_kin_get,
    .back = codec_dict_kin_back,
    .list = codec_dict_kin_list,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * codec.c: the driver of encoding: write flags and bitmaps, fill the gaps under missing rows, make
 * statistics once, ask every codec of the list for its size, let the best write. The bytes are in
 * docs/format/vector.md, the way back is in codec_decode.c.
 *
 * A row is "missing" if it is NULL or absent. A vector whose rows are all missing has no values:
 * the codec is not asked at all. */
#include "codec/codec.h"

#include "codec/codec_bits.h"
#include "codec/codec_dict.h"
#include "codec/codec_frame.h"
#include "codec/codec_kin.h"
#include "vec/wide.h"

static const struct codec_ops *const codec_table[CODEC_ID_MAX] = {
#define DN_CODEC(id, NAME, ops) [id] = &ops,
#include "codec/codec_list.h"
#undef DN_CODEC
};

/* Ids in the order of the list. */
static const unsigned codec_order[] = {
#define DN_CODEC(id, NAME, ops) id,
#include "codec/codec_list.h"
#undef DN_CODEC
};

#define CODEC_SMALL_EASE 25u /* so many times less do weights count where bytes matter most */

static bool codec_libraries_off; /* see codec_avoid_libraries */

void codec_avoid_libraries(bool avoid)
{
    codec_libraries_off = avoid;
}

const struct codec_ops *codec_ops_by_id(unsigned id)
{
    return id < CODEC_ID_MAX ? codec_table[id] : NULL;
}

/* Values under missing rows become those of the row before, or of the first row that has one. */
static void codec_fill(void *data, uint32_t size, uint32_t count, const struct codec_bits *missing)
{
    uint8_t *base = data;
    uint32_t first = 0;

    while (vec_bit(missing->words, first))
        first++;
    DN_ASSERT(first < count);
    for (uint32_t i = 0; i < count; i++)
        if (vec_bit(missing->words, i))
            memcpy(
                base + (size_t)i * size, base + (size_t)(i < first ? first : i - 1) * size, size);
}

static void codec_stats_runs(const struct codec_in *in)
{
    struct codec_work *work = in->work;
    const struct vstr *strs = in->data;
    uint32_t runs = 1;

    work->run_rows[0] = 0;
    for (uint32_t i = 1; i < in->count; i++) {
        bool same =
            in->wide ? in->wide[i] == in->wide[i - 1] : codec_same_str(strs[i], strs[i - 1]);
        work->run_rows[runs] = (uint16_t)i;
        runs += !same;
    }
    work->runs = runs;
    work->run_max = in->count - work->run_rows[runs - 1];
    for (uint32_t i = 1; i < runs; i++) {
        uint32_t rows = (uint32_t)(work->run_rows[i] - work->run_rows[i - 1]);
        work->run_max = rows > work->run_max ? rows : work->run_max;
    }
}

/* The values of all rows one after the other, gaps filled; v's own or a copy in scratch. */
static int codec_dense(const struct vec *v,
                       const struct codec_bits *missing,
                       struct arena *scratch,
                       const void **ret,
                       struct dn_err *err)
{
    uint32_t size = phys_size(type_phys(v->type));
    void *copy;

    *ret = v->data;
    if (v->form == VEC_FLAT && !missing->some)
        return 0;
    copy = arena_alloc_array(scratch, v->count, size);
    if (!copy)
        return DN_FAIL_NOMEM(err);
    vec_gather(v, NULL, v->count, copy);
    if (missing->some)
        codec_fill(copy, size, v->count, missing);
    *ret = copy;
    return 0;
}

/* What codecs see of v; memory from scratch. nums: v as it was if it is NUMERIC, else NULL. */
static int codec_prepare(const struct vec *v,
                         const struct vec *nums,
                         const struct codec_hint *hint,
                         const struct codec_bits *missing,
                         struct arena *scratch,
                         struct codec_in *ret,
                         struct dn_err *err)
{
    struct codec_in in = {.phys = type_phys(v->type), .count = v->count, .scratch = scratch};
    const void *dense;
    int rc;

    DN_ASSERT(!hint->kin || hint->kin->count == v->count);
    in.kin = hint->kin;
    in.small = hint->small;
    if (in.phys == PHYS_STR && hint->home &&
        (hint->guide || hint->kin || codec_home_asks(hint->home)))
        in.home = hint->home;
    in.work = arena_alloc(scratch, sizeof *in.work);
    if (!in.work)
        return DN_FAIL_NOMEM(err);
    rc = codec_dense(v, missing, scratch, &in.data, err);
    if (rc < 0)
        return rc;
    if (nums) {
        rc = codec_dense(nums, missing, scratch, &dense, err);
        if (rc < 0)
            return rc;
        in.nums = dense;
    }
    if (in.phys != PHYS_STR) {
        codec_widen(in.phys, in.data, in.count, in.work->wide);
        in.wide = in.work->wide;
    }
    if (missing->some)
        in.missing = missing->words;
    in.work->alp_done = false;
    in.work->dict_done = false;
    in.work->far_done = false;
    in.work->small = NULL;
    in.work->inner_p = NULL;
    in.work->wrapped = NULL;
    in.work->nomem = false;
    codec_stats_runs(&in);
    *ret = in;
    return 0;
}

/* The best so far. */
struct codec_best {
    bool found;     /* any */
    uint64_t score; /* size * weight */
    size_t at;      /* in codec_order */
};

/* How a byte of a codec counts. */
static unsigned codec_weight(const struct codec_in *in, const struct codec_ops *ops)
{
    return in->small ? 100 + (ops->weight - 100) / CODEC_SMALL_EASE : ops->weight;
}

/* Is there a hint that speaks for the codec? */
static bool codec_spoken_for(const struct codec_in *in, const struct codec_ops *ops)
{
    if (ops->small)
        return in->small;
    return !ops->hinted || (ops->guided && (in->kin || in->small)) ||
           (ops == &codec_dict_far_ops && in->home);
}

/* The bytes that count. A dictionary that others will do with counts nothing. */
static size_t codec_size(const struct codec_in *in, const struct codec_ops *ops, size_t limit)
{
    size_t size;

    if (!ops->back || !in->home)
        return ops->size(in, limit);
    size = ops->size(in, SIZE_MAX - 1);
    return size < SIZE_MAX ? size - in->work->far_gift : size;
}

/* Asks the codecs of one stage. */
static void
codec_choose_stage(const struct codec_in *in, enum codec_stage stage, struct codec_best *best)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(codec_order); i++) {
        const struct codec_ops *ops = codec_table[codec_order[i]];
        const struct codec_ops *held = codec_table[codec_order[best->at]];
        size_t limit = SIZE_MAX - 1; /* not that of a caller who insists */
        size_t size;
        bool tie; /* does it win among equals? */

        if (ops->stage != stage || !codec_spoken_for(in, ops))
            continue;
        tie = ops->weight < held->weight || (ops->weight == held->weight && i < best->at);
        if (best->found && best->score == 0 && !tie)
            return; /* a constant of no bytes */
        if (best->found)
            limit = (best->score - !tie) / codec_weight(in, ops) + 1;
        size = codec_size(in, ops, limit);
        if (size < limit)
            *best = (struct codec_best){true, (uint64_t)size * codec_weight(in, ops), i};
    }
}

/* The codec of the least size * weight. */
static unsigned codec_choose(const struct codec_in *in)
{
    struct codec_best best = {.found = false};
    unsigned light;

    if (in->work->runs == 1)
        return CODEC_CONSTANT; /* nothing decodes faster, and hardly anything is shorter */
    for (int stage = 0; stage < CODEC_WRAPS; stage++)
        codec_choose_stage(in, (enum codec_stage)stage, &best);
    DN_ASSERT(best.found); /* raw holds anything */
    light = codec_order[best.at];
    if (codec_table[light]->guided)
        return light; /* no compressor knows of kin */
    /* Strings that are packed otherwise are compressed from their bytes. */
    if (codec_table[light]->lists) {
        in->work->inner = light;
        in->work->inner_n = best.score / codec_weight(in, codec_table[light]);
    } else if (in->phys == PHYS_STR && !codec_table[light]->numbers) {
        in->work->inner = CODEC_RAW;
        in->work->inner_n = codec_raw_ops.size(in, SIZE_MAX);
    } else {
        return light;
    }
    if (!codec_libraries_off)
        codec_choose_stage(in, CODEC_WRAPS, &best);
    return codec_order[best.at];
}

/* A guide has a dictionary. Fills ret_kin; false if it would be none: hardly a value is there
 * twice, or all are the same. */
static bool
codec_choose_guide(const struct codec_in *in, const struct codec_hint *hint, unsigned *ret)
{
    static const unsigned guides[] = {CODEC_DICT, CODEC_DICT_FAR, CODEC_DICT_NEXT};
    const struct codec_work *work = in->work;
    uint64_t best = UINT64_MAX;

    if (work->runs == 1)
        return false;
    codec_dict_fill(in);
    if (work->dict_count > in->count / 4 * 3)
        return false;
    for (size_t i = 0; i < DN_ARRAY_SIZE(guides); i++) {
        const struct codec_ops *ops = codec_table[guides[i]];
        uint64_t score = (uint64_t)codec_size(in, ops, SIZE_MAX) * codec_weight(in, ops);

        if (score < best) {
            best = score;
            *ret = guides[i];
        }
    }
    codec_kin_from_codes(work->dict_codes, in->count, hint->guide, hint->ret_kin);
    return true;
}

/* What a codec that wraps is to wrap, when it is asked for by name: the shortest that lists. */
static void codec_choose_inner(const struct codec_in *in)
{
    in->work->inner_n = SIZE_MAX;
    for (size_t i = 0; i < DN_ARRAY_SIZE(codec_order); i++) {
        const struct codec_ops *ops = codec_table[codec_order[i]];
        size_t size = ops->lists ? ops->size(in, in->work->inner_n) : SIZE_MAX;

        if (size < in->work->inner_n) {
            in->work->inner_n = size;
            in->work->inner = codec_order[i];
        }
    }
}

/* codec 0: choose one. */
static int codec_encode_any(unsigned codec,
                            const struct vec *v,
                            const struct codec_hint *hint,
                            struct arena *scratch,
                            struct buf *b,
                            unsigned *ret_codec,
                            struct dn_err *err)
{
    struct codec_bits nulls;
    struct codec_bits absent;
    struct codec_bits missing;
    struct codec_in in = {.count = 0};
    const struct vec *nums = v->type == TYPE_NUMERIC ? v : NULL;
    struct vec strs;
    size_t start = b->len;
    bool held = true;
    int rc;

    DN_ASSERT(v->count >= 1 && v->count <= VEC_ROWS_MAX);
    if (hint->guide)
        hint->ret_kin->count = 0;
    if (type_is_wide(v->type)) {
        if (!vec_wide_to_strs(scratch, v, &strs))
            return DN_FAIL_NOMEM(err);
        v = &strs;
    }
    codec_bits_from_vec(v, v->nulls, &nulls);
    codec_bits_from_vec(v, v->absent, &absent);
    codec_bits_or(&nulls, &absent, v->count, &missing);
    buf_u8(b,
           (uint8_t)((nulls.all    ? CODEC_NULLS_ALL
                      : nulls.some ? CODEC_NULLS
                                   : 0) |
                     (absent.all    ? CODEC_ABSENT_ALL
                      : absent.some ? CODEC_ABSENT
                                    : 0)));
    codec_bits_put(b, &nulls, v->count);
    codec_bits_put(b, &absent, v->count);
    if (b->failed)
        return DN_FAIL_NOMEM(err);
    if (missing.all) {
        codec = codec ? codec : codec_order[0];
    } else {
        rc = codec_prepare(v, nums, hint, &missing, scratch, &in, err);
        if (rc < 0)
            return rc;
        if (!codec) {
            if (!hint->guide || !codec_choose_guide(&in, hint, &codec))
                codec = codec_choose(&in);
        } else {
            if (codec_table[codec]->stage == CODEC_WRAPS)
                codec_choose_inner(&in);
            held = codec_table[codec]->size(&in, SIZE_MAX) < SIZE_MAX;
        }
        if (in.work->nomem)
            return DN_FAIL_NOMEM(err);
        if (!held) {
            b->len = start;
            return DN_NOT_FOUND;
        }
        codec_table[codec]->encode(&in, b);
    }
    if (b->failed || (hint->home && !codec_home_keep(&in, codec_table[codec], hint->home)))
        return DN_FAIL_NOMEM(err);
    *ret_codec = codec;
    return 0;
}

int codec_encode(const struct vec *v,
                 struct arena *scratch,
                 struct buf *b,
                 unsigned *ret_codec,
                 struct dn_err *err)
{
    struct codec_hint none = {.kin = NULL};

    return codec_encode_any(0, v, &none, scratch, b, ret_codec, err);
}

int codec_encode_hinted(const struct vec *v,
                        const struct codec_hint *hint,
                        struct arena *scratch,
                        struct buf *b,
                        unsigned *ret_codec,
                        struct dn_err *err)
{
    return codec_encode_any(0, v, hint, scratch, b, ret_codec, err);
}

int codec_encode_with(
    unsigned codec, const struct vec *v, struct arena *scratch, struct buf *b, struct dn_err *err)
{
    struct codec_hint none = {.kin = NULL};
    unsigned same;

    DN_ASSERT(codec_ops_by_id(codec) != NULL);
    return codec_encode_any(codec, v, &none, scratch, b, &same, err);
}

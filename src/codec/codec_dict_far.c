/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_dict_far.c: dictionaries that several vectors of a column share, see codec_dict.h, and
 * DICT_FAR, codes of such a one:
 *
 *   head, bit-packed codes (width: bits of entries - 1)
 *
 * For guides whose values come in any order (codec_kin.h), and for strings of few values, whose
 * dictionary then is written once for many vectors. Decodes to a DICT vector. */
#include "codec/codec_dict.h"

#include "base/hash.h"

#define CODEC_FAR_HEAD      2u
#define CODEC_HOME_PATIENCE 4u  /* vectors for which a dictionary was of no use in turn … */
#define CODEC_HOME_STEP     16u /* … after which only each so-manieth is tried */
#define CODEC_HOME_INVEST   3   /* lists that may be written in advance */

/* ---- who shares ---- */

void codec_home_init(struct codec_home *home, struct mem_owner *owner)
{
    home->count = 0;
    home->back = 0;
    home->idle = 0;
    home->credit = 0;
    home->fresh = 0;
    arena_init(&home->arena, owner);
}

void codec_home_done(struct codec_home *home)
{
    arena_done(&home->arena);
}

void codec_home_reset(struct codec_home *home)
{
    home->count = 0;
    home->credit = 0;
}

bool codec_home_asks(const struct codec_home *home)
{
    return home->idle < CODEC_HOME_PATIENCE || home->idle % CODEC_HOME_STEP == 0;
}

/* The slot of a string: that of its equal, or an empty one. */
static uint16_t *codec_home_slot(struct codec_home *home, struct vstr value, uint32_t hash)
{
    uint32_t at = hash % DN_ARRAY_SIZE(home->slots);

    for (; home->slots[at]; at = (at + 1) % DN_ARRAY_SIZE(home->slots)) {
        uint32_t code = home->slots[at] - 1u;

        if (home->hashes[code] == hash && codec_same_str(home->values[code], value))
            break;
    }
    return &home->slots[at];
}

/* One entry more. */
static bool codec_home_add(struct codec_home *home, struct vstr value, uint32_t hash)
{
    const char *own = arena_dup(&home->arena, value.ptr, value.len);

    if (!own)
        return false;
    home->values[home->count] = (struct vstr){.ptr = own, .len = value.len};
    home->hashes[home->count] = hash;
    *codec_home_slot(home, value, hash) = (uint16_t)++home->count;
    return true;
}

/* The dictionary that was written is that of later vectors, in place of the one before. */
static bool codec_home_fill(const struct codec_in *in, struct codec_home *home)
{
    const struct codec_work *work = in->work;
    const struct vstr *strs = in->data;

    home->count = 0;
    home->back = 0;
    home->credit = 0;
    home->fresh = work->dict_count;
    arena_reset(&home->arena);
    memset(home->slots, 0, sizeof home->slots);
    for (uint32_t i = 0; i < work->dict_count; i++)
        if (!codec_home_add(home, strs[work->dict_rows[i]], work->dict_hashes[i]))
            return false;
    return true;
}

/* What was written had entries more than the dictionary of before. */
static bool codec_home_grow(const struct codec_in *in, struct codec_home *home)
{
    const struct codec_work *work = in->work;
    const struct vstr *strs = in->data;

    home->back = 0;
    home->idle = 0;
    home->fresh = work->far_fresh;
    home->credit -= (int64_t)work->far_gift - (int64_t)work->far_own;
    for (uint32_t i = 0; i < work->dict_count; i++) {
        struct vstr s = strs[work->dict_rows[i]];

        if (!*codec_home_slot(home, s, work->dict_hashes[i]) &&
            !codec_home_add(home, s, work->dict_hashes[i]))
            return false;
    }
    DN_ASSERT(home->count == work->far_entries);
    return true;
}

bool codec_home_keep(const struct codec_in *in,
                     const struct codec_ops *ops,
                     struct codec_home *home)
{
    const struct codec_work *work = in->work;

    if (in->home && ops->list && work->dict_done) {
        bool far = ops->back != NULL;

        if (far && work->far_grown)
            return codec_home_grow(in, home);
        if (far && work->far_back) {
            home->back++;
            home->idle = 0;
            home->credit += (int64_t)work->far_own;
            return true;
        }
        if (home->count == 0 || !work->far_done || codec_far_is_new(work)) {
            home->idle++;
            return codec_home_fill(in, home);
        }
    }
    home->back++;
    home->idle++;
    return true;
}

/* Codes of the entries in the dictionary of an earlier vector; those that it lacks have numbers
 * from its end on. How many these are. */
static uint32_t codec_far_map(const struct codec_in *in, uint16_t *map)
{
    const struct codec_work *work = in->work;
    const struct vstr *strs = in->data;
    uint32_t fresh = 0;

    for (uint32_t i = 0; i < work->dict_count; i++) {
        uint16_t *slot = codec_home_slot(in->home, strs[work->dict_rows[i]], work->dict_hashes[i]);

        map[i] = (uint16_t)(*slot ? *slot - 1u : in->home->count + fresh++);
    }
    return fresh;
}

static size_t codec_far_list_size(const struct codec_in *in)
{
    struct codec_in list = *in;

    list.data = in->work->far_list;
    return codec_values_size(&list, NULL, in->work->far_entries);
}

/* The dictionary of before and what it lacks. It costs more than the vector's own: false, if too
 * much. */
static bool codec_far_grow(const struct codec_in *in, const uint16_t *map)
{
    struct codec_work *work = in->work;
    const struct vstr *strs = in->data;
    int64_t spare = in->home->credit;

    /* Soon it will have all that there are, and so far it was of use, or is young. */
    if (work->far_fresh * 4 <= in->home->fresh * 3 && in->home->idle < CODEC_HOME_PATIENCE)
        spare += (int64_t)work->far_own * CODEC_HOME_INVEST;
    memcpy(work->far_list, in->home->values, in->home->count * sizeof *work->far_list);
    for (uint32_t i = 0; i < work->dict_count; i++)
        work->far_list[map[i]] = strs[work->dict_rows[i]];
    work->far_entries = in->home->count + work->far_fresh;
    work->far_gift = codec_far_list_size(in);
    work->far_grown = (int64_t)work->far_gift - (int64_t)work->far_own <= spare;
    if (!work->far_grown) {
        work->far_entries = work->dict_count;
        work->far_gift = 0;
    }
    return work->far_grown;
}

bool codec_far_is_new(const struct codec_work *work)
{
    return work->far_fresh > work->dict_count / 2;
}

void codec_far_fill(const struct codec_in *in)
{
    struct codec_work *work = in->work;
    uint16_t map[VEC_ROWS_MAX];

    if (work->far_done)
        return;
    codec_dict_fill(in);
    work->far_done = true;
    work->far_grown = false;
    work->far_back = 0;
    work->far_gift = 0;
    work->far_entries = work->dict_count;
    work->far_codes = work->dict_codes;
    work->far_fresh = work->dict_count;
    if (!in->home)
        return;
    work->far_own = codec_values_size(in, work->dict_rows, work->dict_count);
    if (in->home->count)
        work->far_fresh = codec_far_map(in, map);
    if (in->home->count == 0 || codec_far_is_new(work)) {
        /* Those to come may do with it if values come again in other runs. */
        if (work->dict_count <= in->count / 2 && work->dict_count * 4 <= work->runs * 3)
            work->far_gift = work->far_own;
        return;
    }
    if (work->far_fresh == 0) {
        work->far_back = in->home->back + 1;
        work->far_entries = in->home->count;
    } else if (in->home->count + work->far_fresh > VEC_ROWS_MAX || !codec_far_grow(in, map)) {
        return;
    }
    work->far_codes = work->far_room;
    for (uint32_t i = 0; i < in->count; i++)
        work->far_room[i] = map[work->dict_codes[i]];
}

/* ---- the head ---- */

size_t codec_far_head_size(const struct codec_in *in)
{
    const struct codec_work *work = in->work;
    size_t list;

    if (work->far_back)
        return CODEC_FAR_HEAD + codec_varint_size(work->far_back);
    list = work->far_grown ? codec_far_list_size(in)
                           : codec_values_size(in, work->dict_rows, work->dict_count);
    return CODEC_FAR_HEAD + 1 + codec_varint_size(list) + list;
}

void codec_far_head_put(const struct codec_in *in, struct buf *b)
{
    const struct codec_work *work = in->work;
    struct codec_in list = *in;

    buf_u16(b, (uint16_t)work->far_entries);
    buf_varint(b, work->far_back);
    if (work->far_back)
        return;
    if (work->far_grown)
        list.data = work->far_list;
    buf_varint(
        b, codec_values_size(&list, work->far_grown ? NULL : work->dict_rows, work->far_entries));
    codec_values_put(&list, work->far_grown ? NULL : work->dict_rows, work->far_entries, b);
}

int codec_far_head_get(struct rd *r,
                       const struct codec_part *part,
                       struct codec_part *ret,
                       struct dn_err *err)
{
    uint32_t entries = rd_u16(r);
    uint64_t back = rd_varint(r);

    *ret = (struct codec_part){.phys = part->phys, .count = entries};
    DN_CHECK_DISK(!r->bad && entries >= 1 && entries <= VEC_ROWS_MAX,
                  err,
                  "vector: dictionary of %u entries",
                  entries);
    if (back == 0)
        ret->p = rd_blob(r, &ret->n);
    DN_CHECK_DISK(!r->bad, err, "vector: dictionary cut short");
    return 0;
}

uint32_t codec_far_back(struct rd *r)
{
    uint64_t back;

    (void)rd_u16(r);
    back = rd_varint(r);
    return r->bad || back > UINT32_MAX ? 0 : (uint32_t)back;
}

int codec_far_list(const struct codec_part *part, struct codec_part *list, struct dn_err *err)
{
    if (list->p)
        return 0;
    DN_CHECK_DISK(part->home && part->home->count == list->count,
                  err,
                  "vector: the dictionary of %u entries is not where it is to be",
                  list->count);
    *list = *part->home;
    return 0;
}

/* ---- DICT_FAR ---- */

static size_t codec_dict_far_size(const struct codec_in *in, size_t limit)
{
    size_t size;

    codec_far_fill(in);
    size =
        codec_far_head_size(in) + bitpack_size(in->count, bitpack_width(in->work->far_entries - 1));
    return size < limit ? size : SIZE_MAX;
}

static void codec_dict_far_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;

    codec_far_head_put(in, b);
    for (uint32_t i = 0; i < in->count; i++)
        work->pack[i] = work->far_codes[i];
    codec_put_packed(b, work, in->count, bitpack_width(work->far_entries - 1));
}

static int codec_dict_far_codes(const struct codec_part *part,
                                uint16_t *to,
                                struct codec_part *ret_list,
                                struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    unsigned width;
    uint16_t top = 0;
    int rc;

    rc = codec_far_head_get(&r, part, ret_list, err);
    if (rc < 0)
        return rc;
    width = bitpack_width(ret_list->count - 1);
    DN_CHECK_DISK(rd_left(&r) == bitpack_size(part->count, width),
                  err,
                  "vector: %zu bytes of codes where %zu belong",
                  rd_left(&r),
                  bitpack_size(part->count, width));
    bitpack_unpack16(r.p, part->count, width, to);
    for (uint32_t i = 0; i < part->count; i++)
        top = to[i] > top ? to[i] : top;
    DN_CHECK_DISK(top < ret_list->count,
                  err,
                  "vector: code %u in a dictionary of %u entries",
                  top,
                  ret_list->count);
    return 0;
}

static int codec_dict_far_decode(const struct codec_part *part,
                                 struct arena *arena,
                                 struct vec *ret,
                                 struct dn_err *err)
{
    uint16_t *codes = arena_alloc_array(arena, part->count, sizeof *codes);
    struct codec_part list;
    int rc;

    if (!codes)
        return DN_FAIL_NOMEM(err);
    rc = codec_dict_far_codes(part, codes, &list, err);
    if (rc == 0)
        rc = codec_far_list(part, &list, err);
    if (rc < 0)
        return rc;
    ret->form = VEC_DICT;
    ret->codes = codes;
    ret->dict_count = list.count;
    return codec_values_get(&list, arena, &ret->data, err);
}

static uint32_t codec_dict_far_back(const struct codec_part *part)
{
    struct rd r = rd_make(part->p, part->n);

    return codec_far_back(&r);
}

static int
codec_dict_far_list(const struct codec_part *part, struct codec_part *ret, struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);

    return codec_far_head_get(&r, part, ret, err);
}

const struct codec_ops codec_dict_far_ops = {
    .name = "dict_far",
    .weight = 101,
    .stage = CODEC_LOOKUP,
    .hinted = true,
    .size = codec_dict_far_size,
    .encode = codec_dict_far_encode,
    .decode = codec_dict_far_decode,
    .codes = codec_dict_far_codes,
    .back = codec_dict_far_back,
    .list = codec_dict_far_list,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_dict.c: distinct values in order of first appearance, and a code per row.
 *
 *   u16 entries, bit-packed codes (width: bits of entries - 1), value list of the entries
 *
 * Decodes to a DICT vector: no row's value is touched. Values are the same if their bits are, so
 * 0.0 and -0.0 are two. */
#include "codec/codec_dict.h"

#include "base/hash.h"

#define CODEC_DICT_HEAD  2u
#define CODEC_DICT_PROBE 256u /* runs after which hardly a value seen twice means: give up */

/* Bytes without the value list. */
static size_t codec_dict_head_size(const struct codec_in *in, uint32_t entries)
{
    return CODEC_DICT_HEAD + bitpack_size(in->count, bitpack_width(entries - 1));
}

/* The slot of the value: that of its equal, or an empty one. */
static uint16_t *codec_dict_slot_wide(struct codec_work *work, const uint64_t *wide, uint64_t value)
{
    uint32_t at = (uint32_t)(value * 0x9e3779b97f4a7c15u >> 53);

    _Static_assert(CODEC_DICT_SLOTS == 1u << 11, "11 bits of hash");
    while (work->slots[at] && wide[work->dict_rows[work->slots[at] - 1]] != value)
        at = (at + 1) % CODEC_DICT_SLOTS;
    return &work->slots[at];
}

static uint16_t *codec_dict_slot_str(struct codec_work *work,
                                     const struct vstr *strs,
                                     struct vstr value,
                                     uint32_t hash)
{
    uint32_t at = hash % CODEC_DICT_SLOTS;

    for (; work->slots[at]; at = (at + 1) % CODEC_DICT_SLOTS) {
        uint32_t code = work->slots[at] - 1u;
        if (work->dict_hashes[code] == hash && codec_same_str(strs[work->dict_rows[code]], value))
            break;
    }
    return &work->slots[at];
}

/* Fills the dictionary; false once it cannot be smaller than limit, or will hardly be. */
static bool codec_dict_build(const struct codec_in *in, size_t limit)
{
    struct codec_work *work = in->work;
    const struct vstr *strs = in->phys == PHYS_STR ? in->data : NULL;
    uint32_t size = phys_size(in->phys);
    size_t head = codec_dict_head_size(in, 1);
    size_t bytes = 0; /* of the entries so far, at least */
    uint32_t run = 0;

    work->dict_count = 0;
    work->dict_done = false;
    memset(work->slots, 0, sizeof work->slots);
    while (run < work->runs) { /* one look-up per run */
        uint32_t row = work->run_rows[run];
        uint32_t end = ++run < work->runs ? work->run_rows[run] : in->count;
        uint32_t hash = 0;
        uint16_t *slot;

        if (strs) {
            hash = (uint32_t)dn_hash64(strs[row].ptr, strs[row].len, 0);
            slot = codec_dict_slot_str(work, strs, strs[row], hash);
        } else {
            slot = codec_dict_slot_wide(work, in->wide, in->wide[row]);
        }
        if (!*slot) {
            work->dict_rows[work->dict_count] = (uint16_t)row;
            work->dict_hashes[work->dict_count] = hash;
            *slot = (uint16_t)++work->dict_count;
            bytes += strs ? strs[row].len : size;
            if (work->dict_count >= 2 && ((work->dict_count - 1) & (work->dict_count - 2)) == 0)
                head = codec_dict_head_size(in, work->dict_count); /* codes grow by a bit */
            if (head + bytes >= limit)
                return false;
        }
        if (run == CODEC_DICT_PROBE && limit < SIZE_MAX &&
            work->dict_count > CODEC_DICT_PROBE / 16 * 15)
            return false;
        for (; row < end; row++)
            work->dict_codes[row] = (uint16_t)(*slot - 1);
    }
    work->dict_done = true;
    return true;
}

void codec_dict_fill(const struct codec_in *in)
{
    if (!in->work->dict_done)
        (void)codec_dict_build(in, SIZE_MAX); /* nothing is too long for that */
}

static size_t codec_dict_size(const struct codec_in *in, size_t limit)
{
    const struct codec_work *work = in->work;
    size_t size;

    if (!work->dict_done && !codec_dict_build(in, limit))
        return SIZE_MAX;
    size = codec_dict_head_size(in, work->dict_count) +
           codec_values_size(in, work->dict_rows, work->dict_count);
    return size < limit ? size : SIZE_MAX;
}

static void codec_dict_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;

    buf_u16(b, (uint16_t)work->dict_count);
    for (uint32_t i = 0; i < in->count; i++)
        work->pack[i] = work->dict_codes[i];
    codec_put_packed(b, work, in->count, bitpack_width(work->dict_count - 1));
    codec_values_put(in, work->dict_rows, work->dict_count, b);
}

/* The head, checked: *ret is the value list, *ret_packed the codes. */
static int codec_dict_open(const struct codec_part *part,
                           struct codec_part *ret,
                           const uint8_t **ret_packed,
                           struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    uint32_t entries = rd_u16(&r);

    DN_CHECK_DISK(entries >= 1 && entries <= part->count,
                  err,
                  "vector: dictionary of %u entries for %u rows",
                  entries,
                  part->count);
    *ret_packed = rd_bytes(&r, bitpack_size(part->count, bitpack_width(entries - 1)));
    DN_CHECK_DISK(*ret_packed != NULL, err, "vector: dictionary codes cut short");
    *ret = (struct codec_part){.phys = part->phys, .count = entries, .p = r.p, .n = rd_left(&r)};
    return 0;
}

/* All codes; *ret_list: the value list of the entries. */
static int codec_dict_codes(const struct codec_part *part,
                            uint16_t *to,
                            struct codec_part *ret_list,
                            struct dn_err *err)
{
    const uint8_t *packed;
    uint16_t top = 0; /* as narrow as the codes: eight comparisons at once */
    int rc;

    rc = codec_dict_open(part, ret_list, &packed, err);
    if (rc < 0)
        return rc;
    bitpack_unpack16(packed, part->count, bitpack_width(ret_list->count - 1), to);
    for (uint32_t i = 0; i < part->count; i++)
        top = to[i] > top ? to[i] : top;
    DN_CHECK_DISK(top < ret_list->count,
                  err,
                  "vector: code %u in a dictionary of %u entries",
                  top,
                  ret_list->count);
    return 0;
}

static int codec_dict_decode(const struct codec_part *part,
                             struct arena *arena,
                             struct vec *ret,
                             struct dn_err *err)
{
    uint16_t *codes = arena_alloc_array(arena, part->count, sizeof *codes);
    struct codec_part list;
    int rc;

    if (!codes)
        return DN_FAIL_NOMEM(err);
    rc = codec_dict_codes(part, codes, &list, err);
    if (rc < 0)
        return rc;
    ret->form = VEC_DICT;
    ret->codes = codes;
    ret->dict_count = list.count;
    return codec_values_get(&list, arena, &ret->data, err);
}

static int
codec_dict_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    struct codec_part list;
    const uint8_t *packed;
    uint32_t code;
    int rc;

    rc = codec_dict_open(part, &list, &packed, err);
    if (rc < 0)
        return rc;
    code = (uint32_t)bitpack_get(packed, part->count, bitpack_width(list.count - 1), row);
    DN_CHECK_DISK(
        code < list.count, err, "vector: code %u in a dictionary of %u entries", code, list.count);
    return codec_values_at(&list, code, ret, err);
}

static int
codec_dict_list(const struct codec_part *part, struct codec_part *ret, struct dn_err *err)
{
    const uint8_t *packed;

    return codec_dict_open(part, ret, &packed, err);
}

const struct codec_ops codec_dict_ops = {
    .name = "dict",
    .weight = 100,
    .stage = CODEC_LOOKUP,
    .lists = true,
    .size = codec_dict_size,
    .encode = codec_dict_encode,
    .decode = codec_dict_decode,
    .get = codec_dict_get,
    .codes = codec_dict_codes,
    .list = codec_dict_list,
};

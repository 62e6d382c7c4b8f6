/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_split.c: floating-point numbers that are no decimal ones (measured, computed). Sign,
 * exponent and the first bits of the fraction repeat within a vector, the rest is noise. So each
 * value is cut in two: the left bits become a code of up to 3 bits into a list of up to 8, the
 * right ones are packed as they are. (The "real doubles" of ALP, see codec_alp.c.)
 *
 *   u8 right bits, u8 entries, u16 per entry, varint odd rows, bit-packed row numbers of these,
 *   u16 per odd row: its left bits, bit-packed codes, bit-packed right bits
 *
 * The left bits of an odd row are not in the list; its code means nothing. Where to cut and what to
 * list is decided on a few rows. Decodes to a FLAT vector. */
#include "codec/codec_int.h"

#define CODEC_SPLIT_ENTRIES  8u
#define CODEC_SPLIT_LEFT     16u /* most bits of the left part */
#define CODEC_SPLIT_ROW_BITS 10u
#define CODEC_SPLIT_SAMPLE   64u

static unsigned codec_split_bits(enum phys phys)
{
    return 8 * phys_size(phys);
}

/* ---- encoding ---- */

/* One left part and how often it was seen. */
struct codec_split_seen {
    uint32_t left;
    uint32_t times;
};

/* Ascending. Insertion: the sample is small and often nearly in order. */
static void codec_split_sort(uint16_t *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint16_t x = v[i];
        uint32_t k = i;

        for (; k > 0 && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

/* The most frequent left parts of `drop` bits fewer than the sorted sample's, most frequent first;
 * returns how many, and how many of the sample they cover. */
static uint32_t codec_split_top(const uint16_t *sorted,
                                uint32_t n,
                                unsigned drop,
                                struct codec_split_seen *top,
                                uint32_t *ret_covered)
{
    uint32_t held = 0;

    *ret_covered = 0;
    for (uint32_t i = 0; i < n;) {
        struct codec_split_seen seen = {.left = (uint32_t)sorted[i] >> drop};
        uint32_t k;

        for (; i < n && (uint32_t)sorted[i] >> drop == seen.left; i++)
            seen.times++;
        if (held == CODEC_SPLIT_ENTRIES && top[held - 1].times >= seen.times)
            continue;
        k = held < CODEC_SPLIT_ENTRIES ? held++ : held - 1;
        for (; k > 0 && top[k - 1].times < seen.times; k--)
            top[k] = top[k - 1];
        top[k] = seen;
    }
    for (uint32_t k = 0; k < held; k++)
        *ret_covered += top[k].times;
    return held;
}

/* Decides on the cut and the list. */
static void codec_split_plan(const struct codec_in *in)
{
    struct codec_split *split = &in->work->split;
    unsigned bits = codec_split_bits(in->phys);
    uint32_t n = in->count < CODEC_SPLIT_SAMPLE ? in->count : CODEC_SPLIT_SAMPLE;
    uint16_t sample[CODEC_SPLIT_SAMPLE];
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < n; i++)
        sample[i] = (uint16_t)(in->wide[(uint64_t)i * in->count / n] >> (bits - CODEC_SPLIT_LEFT));
    codec_split_sort(sample, n);
    for (unsigned left = 1; left <= CODEC_SPLIT_LEFT; left++) {
        struct codec_split_seen top[CODEC_SPLIT_ENTRIES];
        uint32_t covered;
        uint32_t entries = codec_split_top(sample, n, CODEC_SPLIT_LEFT - left, top, &covered);
        uint32_t size = n * (bits - left + bitpack_width(entries - 1)) +
                        (n - covered) * (CODEC_SPLIT_ROW_BITS + 16);

        if (size >= best)
            continue;
        best = size;
        split->right = bits - left;
        split->entries = entries;
        for (uint32_t k = 0; k < entries; k++)
            split->lefts[k] = (uint16_t)top[k].left;
    }
}

/* Codes of all rows, and the rows that are not in the list. One comparison with all rows per entry:
 * many at once. */
static void codec_split_fill(const struct codec_in *in)
{
    struct codec_split *split = &in->work->split;
    uint16_t lefts[VEC_ROWS_MAX];
    uint8_t codes[VEC_ROWS_MAX]; /* number + 1 */
    uint32_t odd = 0;

    for (uint32_t i = 0; i < in->count; i++)
        lefts[i] = (uint16_t)(in->wide[i] >> split->right);
    memset(codes, 0, in->count);
    for (uint32_t k = 0; k < split->entries; k++)
        for (uint32_t i = 0; i < in->count; i++)
            codes[i] |= lefts[i] == split->lefts[k] ? (uint8_t)(k + 1) : 0;
    for (uint32_t i = 0; i < in->count; i++) {
        split->rows[odd] = (uint16_t)i;
        odd += codes[i] == 0;
        split->codes[i] = codes[i] ? (uint8_t)(codes[i] - 1) : 0;
    }
    split->odd = odd;
}

static size_t codec_split_size(const struct codec_in *in, size_t limit)
{
    struct codec_split *split = &in->work->split;
    size_t size;

    if (in->phys != PHYS_F32 && in->phys != PHYS_F64)
        return SIZE_MAX;
    if (bitpack_size(in->count, codec_split_bits(in->phys) - CODEC_SPLIT_LEFT) >= limit)
        return SIZE_MAX;
    codec_split_plan(in);
    codec_split_fill(in);
    size = 2 + 2 * (size_t)split->entries + codec_varint_size(split->odd) +
           bitpack_size(split->odd, CODEC_SPLIT_ROW_BITS) + 2 * (size_t)split->odd +
           bitpack_size(in->count, bitpack_width(split->entries - 1)) +
           bitpack_size(in->count, split->right);
    return size < limit ? size : SIZE_MAX;
}

static void codec_split_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;
    const struct codec_split *split = &work->split;
    uint64_t mask = ~(~(uint64_t)0 << split->right); /* right < 64 */

    buf_u8(b, (uint8_t)split->right);
    buf_u8(b, (uint8_t)split->entries);
    for (uint32_t k = 0; k < split->entries; k++)
        buf_u16(b, split->lefts[k]);
    buf_varint(b, split->odd);
    for (uint32_t i = 0; i < split->odd; i++)
        work->pack[i] = split->rows[i];
    codec_put_packed(b, work, split->odd, CODEC_SPLIT_ROW_BITS);
    for (uint32_t i = 0; i < split->odd; i++)
        buf_u16(b, (uint16_t)(in->wide[split->rows[i]] >> split->right));
    for (uint32_t i = 0; i < in->count; i++)
        work->pack[i] = split->codes[i];
    codec_put_packed(b, work, in->count, bitpack_width(split->entries - 1));
    for (uint32_t i = 0; i < in->count; i++)
        work->pack[i] = in->wide[i] & mask;
    codec_put_packed(b, work, in->count, split->right);
}

/* ---- decoding ---- */

struct codec_split_in {
    unsigned right;                      /* bits of the right part */
    unsigned width;                      /* of a code */
    uint32_t entries;                    /* of the list */
    uint64_t lefts[CODEC_SPLIT_ENTRIES]; /* moved to their place */
    uint32_t odd;                        /* rows not in the list */
    uint16_t rows[VEC_ROWS_MAX];         /* which, ascending */
    const uint8_t *odds;                 /* u16 each: their left parts */
    const uint8_t *codes;                /* packed */
    const uint8_t *rights;               /* packed */
};

static int
codec_split_open(const struct codec_part *part, struct codec_split_in *ret, struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    unsigned bits = codec_split_bits(part->phys);
    const uint8_t *packed;
    unsigned too_big = 0; /* all left parts together */
    uint64_t odd;

    DN_CHECK_DISK(part->phys == PHYS_F32 || part->phys == PHYS_F64,
                  err,
                  "vector: split numbers where values are no floating-point ones");
    ret->right = rd_u8(&r);
    ret->entries = rd_u8(&r);
    DN_CHECK_DISK(!r.bad, err, "vector: bad head of split numbers");
    DN_CHECK_DISK(ret->right < bits && ret->right >= bits - CODEC_SPLIT_LEFT,
                  err,
                  "vector: split numbers with %u bits on the right",
                  ret->right);
    DN_CHECK_DISK(ret->entries >= 1 && ret->entries <= CODEC_SPLIT_ENTRIES,
                  err,
                  "vector: split numbers with a list of %u",
                  ret->entries);
    ret->width = bitpack_width(ret->entries - 1);
    for (uint32_t k = 0; k < ret->entries; k++) {
        uint16_t left = rd_u16(&r);

        too_big |= left;
        ret->lefts[k] = (uint64_t)left << ret->right;
    }
    odd = rd_varint(&r);
    DN_CHECK_DISK(!r.bad && odd <= part->count, err, "vector: bad head of split numbers");
    ret->odd = (uint32_t)odd;
    packed = rd_bytes(&r, bitpack_size(ret->odd, CODEC_SPLIT_ROW_BITS));
    ret->odds = rd_bytes(&r, 2 * (size_t)ret->odd);
    ret->codes = rd_bytes(&r, bitpack_size(part->count, ret->width));
    ret->rights = rd_bytes(&r, bitpack_size(part->count, ret->right));
    DN_CHECK_DISK(packed && ret->odds && ret->codes && ret->rights && rd_left(&r) == 0,
                  err,
                  "vector: split numbers cut short, or bytes left over");
    bitpack_unpack16(packed, ret->odd, CODEC_SPLIT_ROW_BITS, ret->rows);
    for (uint32_t i = 0; i < ret->odd; i++) {
        DN_CHECK_DISK(ret->rows[i] < part->count && (i == 0 || ret->rows[i] > ret->rows[i - 1]),
                      err,
                      "vector: odd number %u is that of row %u",
                      i,
                      ret->rows[i]);
        too_big |= le_get16(ret->odds + (size_t)i * 2);
    }
    DN_CHECK_DISK(too_big >> (bits - ret->right) == 0,
                  err,
                  "vector: split numbers with more than %u bits on the left",
                  bits - ret->right);
    return 0;
}

/* Puts the left parts beside the right ones, in place. */
static void codec_split_join(const struct codec_split_in *in,
                             const union bitpack_lanes *codes,
                             union bitpack_lanes *rights,
                             uint32_t count,
                             uint32_t size)
{
    if (size == 8)
        for (uint32_t i = 0; i < count; i++)
            rights->u64[i] |= in->lefts[codes->u8[i]];
    else if (bitpack_lane_size(in->right) == 4)
        for (uint32_t i = 0; i < count; i++)
            rights->u32[i] |= (uint32_t)in->lefts[codes->u8[i]];
    else /* 16 right bits: lanes grow in place, from the end */
        for (uint32_t i = count; i-- > 0;)
            rights->u32[i] = rights->u16[i] | (uint32_t)in->lefts[codes->u8[i]];
}

static int codec_split_decode(const struct codec_part *part,
                              struct arena *arena,
                              struct vec *ret,
                              struct dn_err *err)
{
    uint32_t size = phys_size(part->phys);
    struct codec_split_in in;
    union bitpack_lanes codes;
    union bitpack_lanes *rights; /* and then the values */
    uint8_t top = 0;
    int rc;

    rc = codec_split_open(part, &in, err);
    if (rc < 0)
        return rc;
    rights = arena_alloc_array(arena, part->count, size); /* no lane is wider */
    if (!rights)
        return DN_FAIL_NOMEM(err);
    bitpack_unpack(in.codes, part->count, in.width, &codes);
    bitpack_unpack(in.rights, part->count, in.right, rights);
    for (uint32_t i = 0; i < part->count; i++)
        top = codes.u8[i] > top ? codes.u8[i] : top;
    DN_CHECK_DISK(top < in.entries, err, "vector: code %u in a list of %u", top, in.entries);
    codec_split_join(&in, &codes, rights, part->count, size);
    for (uint32_t i = 0; i < in.odd; i++) {
        uint32_t row = in.rows[i];
        uint64_t left = (uint64_t)le_get16(in.odds + (size_t)i * 2) << in.right;
        uint64_t mask = ~(~(uint64_t)0 << in.right);

        if (size == 8)
            rights->u64[row] = left | (rights->u64[row] & mask);
        else
            rights->u32[row] = (uint32_t)(left | (rights->u32[row] & mask));
    }
    ret->form = VEC_FLAT;
    ret->data = rights;
    return 0;
}

static int
codec_split_get(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err)
{
    struct codec_split_in in;
    uint64_t left;
    uint64_t code;
    int rc;

    rc = codec_split_open(part, &in, err);
    if (rc < 0)
        return rc;
    code = bitpack_get(in.codes, part->count, in.width, row);
    DN_CHECK_DISK(
        code < in.entries, err, "vector: code %u in a list of %u", (unsigned)code, in.entries);
    left = in.lefts[code];
    for (uint32_t i = 0; i < in.odd; i++)
        if (in.rows[i] == row)
            left = (uint64_t)le_get16(in.odds + (size_t)i * 2) << in.right;
    left |= bitpack_get(in.rights, part->count, in.right, row);
    ret->v = codec_fixed(part->phys, (const uint8_t *)&left);
    return 0;
}

const struct codec_ops codec_split_ops = {
    .name = "split",
    .weight = 110,
    .stage = CODEC_COSTLY,
    .size = codec_split_size,
    .encode = codec_split_encode,
    .decode = codec_split_decode,
    .get = codec_split_get,
};

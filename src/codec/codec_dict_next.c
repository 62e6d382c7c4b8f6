/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_dict_next.c: a dictionary of values that take turns: hosts that report one after the other,
 * in the same order again and again. What follows a value is what followed it the last time; rows
 * where that is wrong are odd and listed.
 *
 *   head of a dictionary that may be elsewhere (codec_dict.h), varint odd rows, bit-packed row
 *   numbers of these, their bit-packed codes
 *
 * Guides (codec_kin.h) alone are written so, since decoding walks from row to row.
 * Decodes to a DICT vector. */
#include "codec/codec_dict.h"

#include <string.h>

#define CODEC_NEXT_ROW_BITS 10u

/* Before anything was seen an entry is followed by the one after it. */
static void codec_next_init(uint16_t *next, uint32_t entries)
{
    for (uint32_t i = 0; i < entries; i++)
        next[i] = (uint16_t)(i + 1 < entries ? i + 1 : 0);
}

static size_t codec_next_size(const struct codec_in *in, size_t limit)
{
    struct codec_work *work = in->work;
    uint16_t next[VEC_ROWS_MAX];
    uint32_t code;
    uint32_t odd = 0;
    size_t size;

    codec_far_fill(in);
    codec_next_init(next, work->far_entries);
    code = work->far_entries - 1; /* so that row 0 is expected to be the first entry */
    for (uint32_t i = 0; i < in->count; i++) {
        uint16_t now = work->far_codes[i];

        work->next_rows[odd] = (uint16_t)i;
        odd += next[code] != now;
        next[code] = now;
        code = now;
    }
    work->next_odd = odd;
    size = codec_far_head_size(in) + codec_varint_size(odd) +
           bitpack_size(odd, CODEC_NEXT_ROW_BITS) +
           bitpack_size(odd, bitpack_width(work->far_entries - 1));
    return size < limit ? size : SIZE_MAX;
}

static void codec_next_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;

    codec_far_head_put(in, b);
    buf_varint(b, work->next_odd);
    for (uint32_t i = 0; i < work->next_odd; i++)
        work->pack[i] = work->next_rows[i];
    codec_put_packed(b, work, work->next_odd, CODEC_NEXT_ROW_BITS);
    for (uint32_t i = 0; i < work->next_odd; i++)
        work->pack[i] = work->far_codes[work->next_rows[i]];
    codec_put_packed(b, work, work->next_odd, bitpack_width(work->far_entries - 1));
}

/* The head, checked. */
struct codec_next {
    struct codec_part list; /* of the entries */
    uint32_t odd;
    uint16_t rows[VEC_ROWS_MAX];  /* the odd ones, ascending */
    uint16_t codes[VEC_ROWS_MAX]; /* theirs */
};

static int
codec_next_open(const struct codec_part *part, struct codec_next *ret, struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    unsigned width;
    const uint8_t *rows;
    const uint8_t *codes;
    uint64_t odd;
    int rc;

    rc = codec_far_head_get(&r, part, &ret->list, err);
    if (rc < 0)
        return rc;
    odd = rd_varint(&r);
    DN_CHECK_DISK(!r.bad, err, "vector: bad head of values in turn");
    DN_CHECK_DISK(odd <= part->count,
                  err,
                  "vector: %llu odd codes in %u rows",
                  (unsigned long long)odd,
                  part->count);
    ret->odd = (uint32_t)odd;
    width = bitpack_width(ret->list.count - 1);
    rows = rd_bytes(&r, bitpack_size(ret->odd, CODEC_NEXT_ROW_BITS));
    codes = rd_bytes(&r, bitpack_size(ret->odd, width));
    DN_CHECK_DISK(
        rows && codes && rd_left(&r) == 0, err, "vector: odd codes cut short, or too long");
    bitpack_unpack16(rows, ret->odd, CODEC_NEXT_ROW_BITS, ret->rows);
    bitpack_unpack16(codes, ret->odd, width, ret->codes);
    for (uint32_t i = 0; i < ret->odd; i++)
        DN_CHECK_DISK(ret->rows[i] < part->count && (i == 0 || ret->rows[i] > ret->rows[i - 1]) &&
                          ret->codes[i] < ret->list.count,
                      err,
                      "vector: odd code %u is %u in row %u",
                      i,
                      ret->codes[i],
                      ret->rows[i]);
    return 0;
}

/* Rows that are not odd: once around step by step, what is left is copied from there, twice as many
 * rows with each copy. */
static uint32_t
codec_next_turns(const uint16_t *next, uint32_t code, uint32_t row, uint32_t end, uint16_t *to)
{
    uint32_t first = row;

    if (next[code] == code) {
        for (; row < end; row++)
            to[row] = (uint16_t)code;
        return end;
    }
    do {
        code = next[code];
        to[row++] = (uint16_t)code;
    } while (row < end && next[code] != to[first]);
    while (row < end) {
        uint32_t n =
            end - row < row - first ? end - row : row - first; /* whole turns, or the end */

        memcpy(to + row, to + first, n * sizeof *to);
        row += n;
    }
    return end;
}

static void codec_next_walk(const struct codec_next *n, uint32_t count, uint16_t *to)
{
    uint16_t next[VEC_ROWS_MAX];
    uint32_t code = n->list.count - 1;
    uint32_t row = 0;

    codec_next_init(next, n->list.count);
    for (uint32_t i = 0; i <= n->odd; i++) {
        uint32_t end = i < n->odd ? n->rows[i] : count;

        if (row < end) {
            row = codec_next_turns(next, code, row, end, to);
            code = to[row - 1];
        }
        if (i == n->odd)
            break;
        next[code] = n->codes[i];
        code = n->codes[i];
        to[row++] = n->codes[i];
    }
}

static int codec_next_codes(const struct codec_part *part,
                            uint16_t *to,
                            struct codec_part *ret_list,
                            struct dn_err *err)
{
    struct codec_next n;
    int rc;

    rc = codec_next_open(part, &n, err);
    if (rc < 0)
        return rc;
    codec_next_walk(&n, part->count, to);
    *ret_list = n.list;
    return 0;
}

static int codec_next_decode(const struct codec_part *part,
                             struct arena *arena,
                             struct vec *ret,
                             struct dn_err *err)
{
    uint16_t *codes = arena_alloc_array(arena, part->count, sizeof *codes);
    struct codec_part list;
    int rc;

    if (!codes)
        return DN_FAIL_NOMEM(err);
    rc = codec_next_codes(part, codes, &list, err);
    if (rc == 0)
        rc = codec_far_list(part, &list, err);
    if (rc < 0)
        return rc;
    ret->form = VEC_DICT;
    ret->codes = codes;
    ret->dict_count = list.count;
    return codec_values_get(&list, arena, &ret->data, err);
}

static uint32_t codec_next_back(const struct codec_part *part)
{
    struct rd r = rd_make(part->p, part->n);

    return codec_far_back(&r);
}

static int
codec_next_list(const struct codec_part *part, struct codec_part *ret, struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);

    return codec_far_head_get(&r, part, ret, err);
}

const struct codec_ops codec_dict_next_ops = {
    .name = "dict_next",
    .weight = 120,
    .stage = CODEC_LOOKUP,
    .hinted = true,
    .size = codec_next_size,
    .encode = codec_next_encode,
    .decode = codec_next_decode,
    .codes = codec_next_codes,
    .back = codec_next_back,
    .list = codec_next_list,
};

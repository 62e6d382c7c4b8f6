/* SPDX-License-Identifier: Apache-2.0
 *
 * ref.c: every step follows a sentence of docs/format/vector.md. */
#include "ref.h"

struct ref {
    const uint8_t *p;
    size_t n;
    size_t at;
    enum phys phys;
};

static uint64_t ref_le(struct ref *r, unsigned size)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < size; i++) {
        DN_ASSERT(r->at < r->n);
        v |= (uint64_t)r->p[r->at++] << (8 * i);
    }
    return v;
}

static uint64_t ref_varint(struct ref *r)
{
    uint64_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = ref_le(r, 1);
        v |= (byte & 127) << shift;
        if (byte < 128)
            return v;
    }
}

static int64_t ref_zigzag(struct ref *r)
{
    uint64_t v = ref_varint(r);

    return v % 2 ? -(int64_t)(v / 2) - 1 : (int64_t)(v / 2);
}

static unsigned ref_bits_needed(uint64_t v)
{
    unsigned bits = 0;

    while (v) {
        bits++;
        v /= 2;
    }
    return bits;
}

/* Value i of `count` packed ones that begin at byte `start`. */
static uint64_t
ref_packed(const struct ref *r, size_t start, uint32_t count, unsigned width, uint32_t i)
{
    uint64_t v = 0;

    for (unsigned b = 0; b < width; b++) {
        size_t byte;
        unsigned bit;

        if (count == 1024) {
            unsigned lane_bits = width <= 8 ? 8 : width <= 16 ? 16 : width <= 32 ? 32 : 64;
            unsigned lanes = 1024 / lane_bits;
            unsigned q = i / lanes * width + b;

            byte = q / lane_bits * 128 + i % lanes * (lane_bits / 8) + q % lane_bits / 8;
            bit = q % lane_bits % 8;
        } else {
            byte = ((size_t)i * width + b) / 8;
            bit = ((size_t)i * width + b) % 8;
        }
        DN_ASSERT(start + byte < r->n);
        v |= (uint64_t)(r->p[start + byte] >> bit & 1) << b;
    }
    return v;
}

static size_t ref_packed_size(uint32_t count, unsigned width)
{
    return ((size_t)count * width + 7) / 8;
}

/* A value list, up to the end of the bytes. */
static void ref_list(struct ref *r, uint32_t count, struct ref_row *values)
{
    unsigned width;
    uint64_t shortest;
    size_t packed;

    if (r->phys != PHYS_STR) {
        for (uint32_t i = 0; i < count; i++)
            values[i].bits = ref_le(r, phys_size(r->phys));
        DN_ASSERT(r->at == r->n);
        return;
    }
    width = (unsigned)ref_le(r, 1);
    shortest = ref_varint(r);
    packed = r->at;
    r->at += ref_packed_size(count, width);
    for (uint32_t i = 0; i < count; i++) {
        values[i].len = shortest + ref_packed(r, packed, count, width, i);
        values[i].str = r->p + r->at;
        r->at += values[i].len;
    }
    DN_ASSERT(r->at == r->n);
}

static void ref_set(struct ref_row *row, const struct ref_row *value)
{
    row->bits = value->bits;
    row->str = value->str;
    row->len = value->len;
}

static void ref_rle(struct ref *r, uint32_t count, struct ref_row *rows)
{
    struct ref_row values[VEC_ROWS_MAX];
    uint32_t runs = (uint32_t)ref_le(r, 2);
    unsigned width = (unsigned)ref_le(r, 1);
    size_t packed = r->at;
    uint32_t row = 0;

    r->at += ref_packed_size(runs, width);
    ref_list(r, runs, values);
    for (uint32_t i = 0; i < runs; i++)
        for (uint64_t left = ref_packed(r, packed, runs, width, i) + 1; left > 0; left--)
            ref_set(&rows[row++], &values[i]);
    DN_ASSERT(row == count);
}

static void ref_dict(struct ref *r, uint32_t count, struct ref_row *rows)
{
    struct ref_row values[VEC_ROWS_MAX];
    uint32_t entries = (uint32_t)ref_le(r, 2);
    unsigned width = ref_bits_needed(entries - 1);
    size_t packed = r->at;

    r->at += ref_packed_size(count, width);
    ref_list(r, entries, values);
    for (uint32_t i = 0; i < count; i++)
        ref_set(&rows[i], &values[ref_packed(r, packed, count, width, i)]);
}

static void ref_delta(struct ref *r, uint32_t count, struct ref_row *rows)
{
    unsigned width = (unsigned)ref_le(r, 1);
    uint64_t value = (uint64_t)ref_zigzag(r);
    uint64_t least = (uint64_t)ref_zigzag(r);
    uint64_t mask = ~(uint64_t)0 >> (64 - 8 * phys_size(r->phys));

    rows[0].bits = value & mask;
    for (uint32_t i = 1; i < count; i++) {
        value += least + ref_packed(r, r->at, count, width, i);
        rows[i].bits = value & mask;
    }
    DN_ASSERT(r->at + ref_packed_size(count, width) == r->n);
}

static void ref_constant(struct ref *r, uint32_t count, struct ref_row *rows)
{
    struct ref_row value = {.str = r->p + r->at, .len = r->n - r->at};

    if (r->phys != PHYS_STR)
        value.bits = ref_le(r, phys_size(r->phys));
    for (uint32_t i = 0; i < count; i++)
        ref_set(&rows[i], &value);
}

static size_t ref_bitmaps(struct ref *r, uint32_t count, struct ref_row *rows)
{
    unsigned flags = (unsigned)ref_le(r, 1);
    size_t size = (count + 7) / 8;
    size_t missing = 0;

    DN_ASSERT(flags < 16);
    for (uint32_t i = 0; i < count; i++)
        rows[i].null = flags & 4 || (flags & 1 && r->p[r->at + i / 8] >> i % 8 & 1);
    r->at += flags & 1 ? size : 0;
    for (uint32_t i = 0; i < count; i++)
        rows[i].absent = flags & 8 || (flags & 2 && r->p[r->at + i / 8] >> i % 8 & 1);
    r->at += flags & 2 ? size : 0;
    for (uint32_t i = 0; i < count; i++)
        missing += rows[i].null || rows[i].absent;
    return missing;
}

void ref_decode(const struct codec_src *src, struct ref_row *rows)
{
    struct ref r = {.p = src->p, .n = src->n, .phys = type_phys(src->type)};

    memset(rows, 0, src->count * sizeof *rows);
    if (ref_bitmaps(&r, src->count, rows) == src->count) {
        DN_ASSERT(r.at == r.n);
        return;
    }
    switch ((enum codec_id)src->codec) {
    case CODEC_CONSTANT:
        ref_constant(&r, src->count, rows);
        break;
    case CODEC_RLE:
        ref_rle(&r, src->count, rows);
        break;
    case CODEC_DICT:
        ref_dict(&r, src->count, rows);
        break;
    case CODEC_DELTA:
        ref_delta(&r, src->count, rows);
        break;
    case CODEC_RAW:
        ref_list(&r, src->count, rows);
        break;
    case CODEC_ID_MAX:
        break;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * ref.c: every step follows a sentence of docs/format/vector.md. */
#include "ref.h"

#include <lz4.h>
#include <zstd.h>

/* Strings that are written out lie here until the next call. */
static uint8_t ref_room[(16u << 20) + 1];

struct ref {
    const uint8_t *p;
    size_t n;
    size_t at;
    enum phys phys;
    const struct codec_kin *kin;  /* the guide's word, if there is one */
    const struct codec_src *home; /* the vector that has the dictionary, if it is another */
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

/* Packed integers of order 0, 1, 2 up to the end of the bytes; `size` bytes a value. */
static void
ref_ints(struct ref *r, unsigned order, unsigned size, uint32_t count, struct ref_row *rows)
{
    uint64_t mask = ~(uint64_t)0 >> (64 - 8 * size);
    unsigned width = (unsigned)ref_le(r, 1);
    uint64_t first = order >= 1 ? (uint64_t)ref_zigzag(r) : 0;
    uint64_t step = order >= 2 ? (uint64_t)ref_zigzag(r) : 0;
    uint64_t least = (uint64_t)ref_zigzag(r);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t sum = least + ref_packed(r, r->at, count, width, i);

        if (order == 0) {
            rows[i].bits = sum & mask;
        } else if (i == 0) {
            rows[i].bits = first & mask;
        } else {
            if (order == 1)
                step = sum;
            else if (i > 1)
                step += sum;
            rows[i].bits = (rows[i - 1].bits + step) & mask;
        }
    }
    DN_ASSERT(r->at + ref_packed_size(count, width) == r->n);
}

/* Row numbers of odd rows. */
static uint32_t ref_odd_rows(struct ref *r, uint32_t *ret)
{
    uint32_t odd = (uint32_t)ref_varint(r);

    for (uint32_t i = 0; i < odd; i++)
        ret[i] = (uint32_t)ref_packed(r, r->at, odd, 10, i);
    r->at += ref_packed_size(odd, 10);
    return odd;
}

#define REF_KIN 3u /* in place of an order */
#define REF_ANS 4u

static void ref_guide(struct ref *r, uint32_t count, uint32_t *of);
static void ref_kin_frame(struct ref *r,
                          const uint32_t *of,
                          unsigned size,
                          bool symbols,
                          uint32_t count,
                          struct ref_row *rows);

static void ref_alp(struct ref *r, unsigned order, uint32_t count, struct ref_row *rows)
{
    unsigned exponent;
    unsigned size = phys_size(r->phys);
    uint32_t odd_rows[VEC_ROWS_MAX];
    uint64_t odd_bits[VEC_ROWS_MAX];
    uint32_t of[VEC_ROWS_MAX] = {0};
    uint32_t odd;
    double power = 1;

    if (order >= REF_KIN)
        ref_guide(r, count, of);
    exponent = (unsigned)ref_le(r, 1);
    odd = ref_odd_rows(r, odd_rows);
    for (unsigned i = 0; i < exponent; i++)
        power *= 10; /* exact up to 10^22 */
    for (uint32_t i = 0; i < odd; i++)
        odd_bits[i] = ref_le(r, size);
    if (order >= REF_KIN)
        ref_kin_frame(r, of, 8, order == REF_ANS, count, rows);
    else
        ref_ints(r, order, 8, count, rows);
    for (uint32_t i = 0; i < count; i++) {
        double value = (double)(int64_t)rows[i].bits / power;
        float narrow = (float)value;

        rows[i].bits = 0;
        if (size == 4)
            memcpy(&rows[i].bits, &narrow, 4);
        else
            memcpy(&rows[i].bits, &value, 8);
    }
    for (uint32_t i = 0; i < odd; i++)
        rows[odd_rows[i]].bits = odd_bits[i];
}

/* The guide's id; then 1 + the row of each row's kin, 0 for a seed. */
static void ref_guide(struct ref *r, uint32_t count, uint32_t *of)
{
    uint64_t guide = ref_varint(r);

    DN_ASSERT(guide == 0 || r->kin->guide == guide);
    for (uint32_t i = 0; i < count; i++)
        of[i] = guide ? r->kin->of[i] : i;
}

/* n bits of a plain stream of bits that begins at byte `start`. */
static unsigned ref_bits(const struct ref *r, size_t start, size_t *at, unsigned n)
{
    unsigned v = 0;

    for (unsigned i = 0; i < n; i++, (*at)++) {
        DN_ASSERT(start + *at / 8 < r->n);
        v |= (unsigned)(r->p[start + *at / 8] >> *at % 8 & 1) << i;
    }
    return v;
}

/* Symbols, as the page has them. */
static void ref_symbols(struct ref *r, uint32_t count, uint64_t *to)
{
    unsigned low = (unsigned)ref_le(r, 1);
    unsigned symbols = (unsigned)ref_le(r, 1) + 1;
    uint32_t frequency[256];
    uint64_t x[2];
    size_t bits = 0;
    size_t bytes;
    size_t end;

    for (unsigned s = 0; s < symbols; s++) {
        unsigned len = ref_bits(r, r->at, &bits, 4);

        frequency[s] = len ? 1u << (len - 1) | ref_bits(r, r->at, &bits, len - 1) : 0;
    }
    r->at += (bits + 7) / 8;
    bytes = (size_t)ref_varint(r);
    end = r->at + bytes;
    x[0] = ref_le(r, 3);
    x[1] = ref_le(r, 3);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *state = &x[i % 2];
        uint64_t rest = *state % 1024;
        unsigned s = 0;

        for (; rest >= frequency[s]; s++)
            rest -= frequency[s];
        *state = frequency[s] * (*state / 1024) + rest;
        while (*state < 65536 && r->at < end)
            *state = *state * 256 + ref_le(r, 1);
        to[i] = (uint64_t)s << low | ref_packed(r, end, count, low, i);
    }
    DN_ASSERT(r->at == end && x[0] == 65536 && x[1] == 65536);
    r->at += ref_packed_size(count, low);
}

/* A kin frame; it need not run to the end of the bytes. */
static void ref_kin_frame(struct ref *r,
                          const uint32_t *of,
                          unsigned size,
                          bool symbols,
                          uint32_t count,
                          struct ref_row *rows)
{
    uint64_t mask = ~(uint64_t)0 >> (64 - 8 * size);
    unsigned width = (unsigned)ref_le(r, 1);
    unsigned flags = (unsigned)ref_le(r, 1);
    unsigned tall = flags % 128;
    uint64_t least = (uint64_t)ref_zigzag(r);
    uint64_t seed_least = (uint64_t)ref_zigzag(r);
    uint32_t odd = (uint32_t)ref_varint(r);
    unsigned odd_width = odd ? (unsigned)ref_le(r, 1) : 0;
    uint64_t more[VEC_ROWS_MAX] = {0};
    uint64_t codes[VEC_ROWS_MAX];
    uint64_t before = seed_least;
    uint32_t seeds = 0;
    uint32_t seed = 0;
    size_t talls;

    for (uint32_t i = 0; i < odd; i++) {
        uint64_t high = ref_packed(r, r->at + ref_packed_size(odd, 10), odd, odd_width, i);
        uint64_t signed_high = high % 2 ? ~(high / 2) : high / 2;

        more[ref_packed(r, r->at, odd, 10, i)] = signed_high << width;
    }
    r->at += ref_packed_size(odd, 10) + ref_packed_size(odd, odd_width);
    for (uint32_t i = 0; i < count; i++)
        seeds += of[i] == 0;
    talls = r->at;
    r->at += ref_packed_size(seeds, tall);
    if (symbols && seeds < count)
        ref_symbols(r, count - seeds, codes);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = more[i];

        if (!symbols)
            v += ref_packed(r, r->at, count, width, i);
        else if (of[i])
            v += codes[i - seed];
        if (of[i]) {
            v += rows[of[i] - 1].bits + least;
        } else {
            if (tall)
                v += ref_packed(r, talls, seeds, tall, seed) << (symbols ? 0 : width);
            v += before;
            before = flags >= 128 ? v : before;
            seed++;
        }
        rows[i].bits = v & mask;
    }
    r->at += symbols ? 0 : ref_packed_size(count, width);
}

static void ref_kin(struct ref *r, bool symbols, uint32_t count, struct ref_row *rows)
{
    uint32_t of[VEC_ROWS_MAX] = {0};

    ref_guide(r, count, of);
    ref_kin_frame(r, of, phys_size(r->phys), symbols, count, rows);
    DN_ASSERT(r->at == r->n);
}

static size_t ref_bitmaps(struct ref *r, uint32_t count, struct ref_row *rows);
static uint32_t ref_far_head(struct ref *r, struct ref_row *values);

/* The dictionary of another vector. */
static void ref_home(const struct codec_src *src, uint32_t entries, struct ref_row *values)
{
    struct ref r = {.p = src->p, .n = src->n, .phys = PHYS_STR};
    struct ref_row rows[VEC_ROWS_MAX];

    DN_ASSERT(ref_bitmaps(&r, src->count, rows) < src->count);
    if (src->codec == CODEC_DICT) {
        DN_ASSERT(ref_le(&r, 2) == entries);
        r.at += ref_packed_size(src->count, ref_bits_needed(entries - 1));
        ref_list(&r, entries, values);
        return;
    }
    if (src->codec == CODEC_DICT_KIN)
        (void)ref_varint(&r);
    else
        DN_ASSERT(src->codec == CODEC_DICT_NEXT || src->codec == CODEC_DICT_FAR);
    DN_ASSERT(ref_far_head(&r, values) == entries);
}

/* The head of a dictionary that may be elsewhere; how many entries it has. */
static uint32_t ref_far_head(struct ref *r, struct ref_row *values)
{
    uint32_t entries = (uint32_t)ref_le(r, 2);
    struct ref list;
    size_t bytes;

    if (ref_varint(r) > 0) {
        DN_ASSERT(r->home);
        ref_home(r->home, entries, values);
        return entries;
    }
    bytes = (size_t)ref_varint(r);
    list = *r;
    list.n = r->at + bytes;
    ref_list(&list, entries, values);
    r->at += bytes;
    return entries;
}

static void ref_dict_kin(struct ref *r, uint32_t count, struct ref_row *rows)
{
    struct ref_row values[VEC_ROWS_MAX];
    struct ref_row codes[VEC_ROWS_MAX];
    uint32_t of[VEC_ROWS_MAX] = {0};

    ref_guide(r, count, of);
    (void)ref_far_head(r, values);
    ref_kin_frame(r, of, 2, false, count, codes);
    DN_ASSERT(r->at == r->n);
    for (uint32_t i = 0; i < count; i++)
        ref_set(&rows[i], &values[codes[i].bits]);
}

static void ref_dict_far(struct ref *r, uint32_t count, struct ref_row *rows)
{
    struct ref_row values[VEC_ROWS_MAX];
    unsigned width = ref_bits_needed(ref_far_head(r, values) - 1);

    for (uint32_t i = 0; i < count; i++)
        ref_set(&rows[i], &values[ref_packed(r, r->at, count, width, i)]);
    DN_ASSERT(r->at + ref_packed_size(count, width) == r->n);
}

static void ref_dict_next(struct ref *r, uint32_t count, struct ref_row *rows)
{
    struct ref_row values[VEC_ROWS_MAX];
    uint32_t odd_rows[VEC_ROWS_MAX];
    uint32_t codes[VEC_ROWS_MAX];
    uint32_t entries = ref_far_head(r, values);
    unsigned width = ref_bits_needed(entries - 1);
    uint32_t odd = ref_odd_rows(r, odd_rows);
    uint32_t followed[VEC_ROWS_MAX]; /* row after the last one that had the entry, and one more */
    uint32_t n = 0;

    memset(followed, 0, sizeof followed);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0)
            codes[i] = 0;
        else if (followed[codes[i - 1]])
            codes[i] = codes[followed[codes[i - 1]] - 1];
        else
            codes[i] = (codes[i - 1] + 1) % entries;
        if (i)
            followed[codes[i - 1]] = i + 1;
        if (n < odd && odd_rows[n] == i) {
            codes[i] = (uint32_t)ref_packed(r, r->at, odd, width, n);
            n++;
        }
        ref_set(&rows[i], &values[codes[i]]);
    }
    DN_ASSERT(r->at + ref_packed_size(odd, width) == r->n);
}

static void ref_split(struct ref *r, uint32_t count, struct ref_row *rows)
{
    unsigned right = (unsigned)ref_le(r, 1);
    uint32_t entries = (uint32_t)ref_le(r, 1);
    unsigned width = ref_bits_needed(entries - 1);
    uint64_t lefts[8];
    uint32_t odd_rows[VEC_ROWS_MAX];
    uint32_t odd;
    size_t odds;

    DN_ASSERT(entries >= 1 && entries <= 8);
    for (uint32_t i = 0; i < entries; i++)
        lefts[i] = ref_le(r, 2);
    odd = ref_odd_rows(r, odd_rows);
    odds = r->at;
    r->at += (size_t)odd * 2;
    for (uint32_t i = 0; i < count; i++)
        rows[i].bits = lefts[ref_packed(r, r->at, count, width, i)] << right;
    r->at += ref_packed_size(count, width);
    for (uint32_t i = 0; i < odd; i++)
        rows[odd_rows[i]].bits =
            (uint64_t)(r->p[odds + (size_t)i * 2] | r->p[odds + (size_t)i * 2 + 1] << 8) << right;
    for (uint32_t i = 0; i < count; i++)
        rows[i].bits |= ref_packed(r, r->at, count, right, i);
    DN_ASSERT(r->at + ref_packed_size(count, right) == r->n);
}

static void ref_front(struct ref *r, uint32_t count, struct ref_row *rows)
{
    unsigned shared_width = (unsigned)ref_le(r, 1);
    unsigned rest_width = (unsigned)ref_le(r, 1);
    uint64_t least = ref_varint(r);
    size_t shared = r->at;
    size_t rest = shared + ref_packed_size(count, shared_width);
    size_t room = sizeof ref_room / 2; /* the other half may hold what was compressed */

    r->at = rest + ref_packed_size(count, rest_width);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t same = ref_packed(r, shared, count, shared_width, i);
        uint64_t more = least + ref_packed(r, rest, count, rest_width, i);

        DN_ASSERT(room + same + more <= sizeof ref_room && r->at + more <= r->n);
        rows[i].str = ref_room + room;
        rows[i].len = same + more;
        for (uint64_t k = 0; k < same; k++)
            ref_room[room++] = rows[i - 1].str[k];
        for (uint64_t k = 0; k < more; k++)
            ref_room[room++] = r->p[r->at++];
    }
    DN_ASSERT(r->at == r->n);
}

/* A NUMERIC of two's complement and scale as the table of memory forms says. */
static void ref_numeric(struct ref_row *row, int64_t v, unsigned scale, uint8_t *room)
{
    unsigned bytes = 8;

    while (bytes > 1 && v >> (8 * bytes - 9) == (v < 0 ? -1 : 0))
        bytes--;
    room[0] = (uint8_t)(scale / 256);
    room[1] = (uint8_t)(scale % 256);
    for (unsigned i = 0; i < bytes; i++)
        room[2 + i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
    row->str = room;
    row->len = 2 + bytes;
}

static void ref_decimal(struct ref *r, uint32_t count, struct ref_row *rows)
{
    unsigned scale = (unsigned)ref_le(r, 2);
    unsigned order = (unsigned)ref_le(r, 1);
    unsigned width = (unsigned)ref_le(r, 1);
    uint32_t odd_rows[VEC_ROWS_MAX];
    uint32_t odd = ref_odd_rows(r, odd_rows);
    size_t values = r->at;
    size_t fewer;

    for (uint32_t i = 0; i < odd; i++)
        r->at += 1 + r->p[r->at];
    fewer = r->at;
    r->at += ref_packed_size(count, width);
    ref_ints(r, order, 8, count, rows);
    for (uint32_t i = 0; i < count; i++) {
        int64_t v = (int64_t)rows[i].bits;
        unsigned less = (unsigned)ref_packed(r, fewer, count, width, i);

        DN_ASSERT(less <= scale);
        for (unsigned k = 0; k < less; k++) {
            DN_ASSERT(v % 10 == 0);
            v /= 10;
        }
        ref_numeric(&rows[i], v, scale - less, ref_room + (size_t)i * 10);
    }
    for (uint32_t i = 0; i < odd; i++) {
        rows[odd_rows[i]].len = r->p[values];
        rows[odd_rows[i]].str = r->p + values + 1;
        values += 1 + r->p[values];
    }
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

static void ref_values(struct ref *r, unsigned codec, uint32_t count, struct ref_row *rows);

/* Compressed bytes: `expand` is the library's. */
static void ref_wrap(struct ref *r, bool zstd, uint32_t count, struct ref_row *rows)
{
    unsigned codec = (unsigned)ref_le(r, 1);
    size_t size = (size_t)ref_varint(r);
    struct ref within = {.p = ref_room, .n = size, .phys = r->phys};
    const char *from = (const char *)r->p + r->at;
    size_t n = r->n - r->at;

    DN_ASSERT(codec != CODEC_LZ4 && codec != CODEC_ZSTD && size <= sizeof ref_room / 2);
    if (zstd)
        DN_ASSERT(ZSTD_decompress(ref_room, size, from, n) == size);
    else
        DN_ASSERT(LZ4_decompress_safe(from, (char *)ref_room, (int)n, (int)size) == (int)size);
    ref_values(&within, codec, count, rows);
}

static void ref_values(struct ref *r, unsigned codec, uint32_t count, struct ref_row *rows)
{
    switch ((enum codec_id)codec) {
    case CODEC_CONSTANT:
        ref_constant(r, count, rows);
        break;
    case CODEC_RLE:
        ref_rle(r, count, rows);
        break;
    case CODEC_DICT:
        ref_dict(r, count, rows);
        break;
    case CODEC_DELTA:
        ref_ints(r, 1, phys_size(r->phys), count, rows);
        break;
    case CODEC_RAW:
        ref_list(r, count, rows);
        break;
    case CODEC_FOR:
        ref_ints(r, 0, phys_size(r->phys), count, rows);
        break;
    case CODEC_DELTA2:
        ref_ints(r, 2, phys_size(r->phys), count, rows);
        break;
    case CODEC_ALP:
        ref_alp(r, 0, count, rows);
        break;
    case CODEC_ALP_DELTA:
        ref_alp(r, 1, count, rows);
        break;
    case CODEC_SPLIT:
        ref_split(r, count, rows);
        break;
    case CODEC_FRONT:
        ref_front(r, count, rows);
        break;
    case CODEC_LZ4:
        ref_wrap(r, false, count, rows);
        break;
    case CODEC_ZSTD:
        ref_wrap(r, true, count, rows);
        break;
    case CODEC_DECIMAL:
        ref_decimal(r, count, rows);
        break;
    case CODEC_KIN:
        ref_kin(r, false, count, rows);
        break;
    case CODEC_ANS:
        ref_kin(r, true, count, rows);
        break;
    case CODEC_ALP_ANS:
        ref_alp(r, REF_ANS, count, rows);
        break;
    case CODEC_ALP_KIN:
        ref_alp(r, REF_KIN, count, rows);
        break;
    case CODEC_DICT_KIN:
        ref_dict_kin(r, count, rows);
        break;
    case CODEC_DICT_NEXT:
        ref_dict_next(r, count, rows);
        break;
    case CODEC_DICT_FAR:
        ref_dict_far(r, count, rows);
        break;
    case CODEC_ID_MAX:
        break;
    }
}

void ref_decode(const struct codec_src *src, struct ref_row *rows)
{
    struct ref r = {.p = src->p, .n = src->n, .phys = type_phys(src->type), .kin = src->kin};

    r.home = src->home;
    if (r.phys == PHYS_NUMERIC)
        r.phys = PHYS_STR; /* "encoded as a string" */
    memset(rows, 0, src->count * sizeof *rows);
    if (ref_bitmaps(&r, src->count, rows) == src->count) {
        DN_ASSERT(r.at == r.n);
        return;
    }
    ref_values(&r, src->codec, src->count, rows);
}

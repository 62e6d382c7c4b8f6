/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_scan.h: where cells and records end. 64 bytes at a time become a word with a bit for each
 * delimiter, line feed and quote; the bits are then taken off one by one.
 *
 * A quote switches quoting on and off wherever it stands, and a line feed ends a record where
 * quoting is off. So the ends of records depend on the text before them only by the number of
 * quotes, and what a bad record does to those behind it is plain. One thread at a time. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CSV_BLOCK 64u
#define CSV_PAD   CSV_BLOCK /* bytes behind a text that may be read; their value does not matter */

/* Bit i: text[i] is the byte. */
static inline uint64_t csv_mask(const char *text, char byte)
{
#ifdef __SSE2__
    const __m128i want = _mm_set1_epi8(byte);
    uint64_t mask = 0;

    for (unsigned i = 0; i < 4; i++) {
        __m128i have = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));

        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(have, want)) << 16 * i;
    }
    return mask;
#else
    const uint64_t low7 = 0x7f7f7f7f7f7f7f7fu;
    const uint64_t want = 0x0101010101010101u * (uint8_t)byte;
    uint64_t mask = 0;

    for (unsigned i = 0; i < 8; i++) {
        const unsigned char *b = (const unsigned char *)text + 8 * i;
        uint64_t word = 0;

        for (unsigned k = 0; k < 8; k++) /* little-endian everywhere: byte k is bits 8k.. */
            word |= (uint64_t)b[k] << 8 * k;
        word ^= want;
        word = ~(((word & low7) + low7) | word | low7); /* 0x80 where a byte is zero */
        mask |= (((word >> 7) * 0x0102040810204080u) >> 56) << 8 * i;
    }
    return mask;
#endif
}

/* Three bytes at once. */
static inline uint64_t csv_mask3(const char *text, char a, char b, char c)
{
#ifdef __SSE2__
    const __m128i want_a = _mm_set1_epi8(a);
    const __m128i want_b = _mm_set1_epi8(b);
    const __m128i want_c = _mm_set1_epi8(c);
    uint64_t mask = 0;

    for (unsigned i = 0; i < 4; i++) {
        __m128i have = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
        __m128i hit =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(have, want_a), _mm_cmpeq_epi8(have, want_b)),
                         _mm_cmpeq_epi8(have, want_c));

        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(hit) << 16 * i;
    }
    return mask;
#else
    return csv_mask(text, a) | csv_mask(text, b) | csv_mask(text, c);
#endif
}

struct csv_scan {
    const char *text; /* borrowed; CSV_PAD bytes behind it may be read */
    size_t len;
    size_t block;  /* offset of the block that mask is of */
    uint64_t mask; /* its delimiters, line feeds and quotes that were not taken yet */
    char delimiter;
    char quote;
};

static inline void csv_scan_load(struct csv_scan *s)
{
    s->mask = csv_mask3(s->text + s->block, s->delimiter, s->quote, '\n');
    if (s->len - s->block < CSV_BLOCK)
        s->mask &= ((uint64_t)1 << (s->len - s->block)) - 1;
}

static inline void
csv_scan_init(struct csv_scan *s, const char *text, size_t len, char delimiter, char quote)
{
    *s = (struct csv_scan){.text = text, .len = len, .delimiter = delimiter, .quote = quote};
    csv_scan_load(s);
}

/* Offset of the next of them, len when there is none. */
static inline size_t csv_scan_next(struct csv_scan *s)
{
    size_t at;

    while (DN_UNLIKELY(s->mask == 0)) {
        if (s->len - s->block <= CSV_BLOCK)
            return s->len;
        s->block += CSV_BLOCK;
        csv_scan_load(s);
    }
    at = s->block + (size_t)__builtin_ctzll(s->mask);
    s->mask &= s->mask - 1;
    return at;
}

/* Bytes of the whole records at the start of a text, 0 if it does not hold one to its line feed.
 * The text begins with a record. ret_open: it ends inside quotes. */
size_t csv_split(const char *text, size_t len, char quote, bool *ret_open);

/* Only bytes below 0x80. */
bool csv_ascii(const char *text, size_t len);

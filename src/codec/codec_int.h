/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_int.h: what the codecs share with each other and with the driver; for src/codec only.
 *
 * A "value list" is the part of several codecs that holds values as they are:
 *   fixed forms   count * size bytes, little-endian
 *   strings       u8 width, varint shortest length, bit-packed (length - shortest), all bytes
 *
 * Any thread; a struct codec_work belongs to one encoding. */
#pragma once

#include "codec/bitpack.h"
#include "codec/codec.h"

#define CODEC_DICT_SLOTS (2u * VEC_ROWS_MAX)

struct codec_work {
    /* Filled by the driver. */
    uint32_t runs;                   /* runs of equal neighbours, >= 1 */
    uint32_t run_max;                /* rows of the longest */
    uint16_t run_rows[VEC_ROWS_MAX]; /* first row of each run */
    int64_t delta_min;               /* integers: least difference of neighbours, modulo the form's
                                        bits, read as signed; 0 for a single row */
    uint64_t delta_span;             /* greatest difference - delta_min */
    uint64_t wide[VEC_ROWS_MAX];     /* in->wide */
    /* Filled by size() of the dictionary. */
    uint32_t dict_count;                /* distinct values */
    uint16_t dict_rows[VEC_ROWS_MAX];   /* row where each stands first */
    uint16_t dict_codes[VEC_ROWS_MAX];  /* per row */
    uint32_t dict_hashes[VEC_ROWS_MAX]; /* strings: per entry, for a quick no */
    uint16_t slots[CODEC_DICT_SLOTS];   /* hash table: code + 1, 0 = empty */
    /* What is handed to bitpack_pack. */
    uint64_t pack[VEC_ROWS_MAX];
};

#define DN_CODEC(id, NAME, ops) extern const struct codec_ops ops;
#include "codec/codec_list.h"
#undef DN_CODEC

static inline bool codec_phys_is_int(enum phys phys)
{
    return phys == PHYS_I8 || phys == PHYS_I16 || phys == PHYS_I32 || phys == PHYS_I64;
}

static inline bool codec_same_str(struct vstr a, struct vstr b)
{
    return a.len == b.len && (a.len == 0 || a.ptr == b.ptr || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline size_t codec_varint_size(uint64_t v)
{
    return v ? (bitpack_width(v) + 6) / 7 : 1;
}

/* Packs work->pack[0..count). */
void codec_put_packed(struct buf *b, const struct codec_work *work, uint32_t count, unsigned width);
/* Value list of the given rows of in (the first `count` when rows is NULL). */
size_t codec_values_size(const struct codec_in *in, const uint16_t *rows, uint32_t count);
void codec_values_put(const struct codec_in *in,
                      const uint16_t *rows,
                      uint32_t count,
                      struct buf *b);
/* Reads a value list that fills [p, p + n); the array is the arena's, strings point into p. */
int codec_values_get(const uint8_t *p,
                     size_t n,
                     enum phys phys,
                     uint32_t count,
                     struct arena *arena,
                     const void **ret,
                     struct dn_err *err) DN_MUST_CHECK;

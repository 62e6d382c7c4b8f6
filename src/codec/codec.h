/* SPDX-License-Identifier: Apache-2.0
 *
 * codec.h: how a vector of up to 1024 values becomes bytes. One .c file per codec and one line in
 * codec_list.h; tests, fuzz targets, golden bytes and benchmarks iterate the list.
 *
 * An encoded vector is self-contained given (type, count): nulls and absent bitmaps, if any, stand
 * first, written by codec_encode itself; a codec sees only the values (those under a null bit are
 * replaced by their neighbour so that they cost nothing). Values are encoded losslessly: doubles
 * keep their bits.
 *
 * Decoding takes untrusted bytes: it never reads outside them, never allocates by a size it has
 * not checked against `count` or the input length, and answers DN_E_CORRUPT.
 *
 * Any thread; functions keep no state. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

enum codec_id {
#define DN_CODEC(id, NAME, ops) CODEC_##NAME = (id),
#include "codec/codec_list.h"
#undef DN_CODEC
    CODEC_ID_MAX = 64
};

struct codec_work; /* codec_int.h: statistics and scratch of one encoding */

/* What a codec sees: densely packed values without nulls. */
struct codec_in {
    enum phys phys;
    uint32_t count;          /* 1..VEC_ROWS_MAX */
    const void *data;        /* by phys */
    const uint64_t *wide;    /* the same as 64-bit words: integers sign-extended, bits of floats;
                                NULL for strings */
    struct codec_work *work; /* statistics made once for all codecs; room for a codec's own */
};

struct codec_ops {
    const char *name; /* static; docs, EXPLAIN, SHOW */
    bool costly;      /* sizing takes a pass over the values: done last, with the tightest limit */
    /* Bytes that encode would append; SIZE_MAX if the values cannot be held or the answer would be
     * `limit` or more. Called before encode, which may use what it left in `work`. */
    size_t (*size)(const struct codec_in *in, size_t limit);
    /* Appends the bytes. Running out of memory shows in b->failed. */
    void (*encode)(const struct codec_in *in, struct buf *b);
    /* Fills ret->form, data, codes, dict_count; memory from the arena; strings may point into the
     * input bytes. All n bytes must be used. */
    int (*decode)(const uint8_t *p,
                  size_t n,
                  enum phys phys,
                  uint32_t count,
                  struct arena *arena,
                  struct vec *ret,
                  struct dn_err *err);
};

const struct codec_ops *codec_ops_by_id(unsigned id); /* NULL: unknown */

/* Appends v (any form, all `count` rows, 1..VEC_ROWS_MAX) with the codec that gives the fewest
 * bytes, and tells which. Takes some 40 KiB of scratch per call; reset it when it suits. After an
 * error the bytes from the old b->len on are undefined. */
int codec_encode(const struct vec *v,
                 struct arena *scratch,
                 struct buf *b,
                 unsigned *ret_codec,
                 struct dn_err *err) DN_MUST_CHECK;
/* As above with a codec named by the caller (tests, benches); DN_NOT_FOUND if it cannot hold the
 * values (nothing is appended then). */
int codec_encode_with(unsigned codec,
                      const struct vec *v,
                      struct arena *scratch,
                      struct buf *b,
                      struct dn_err *err) DN_MUST_CHECK;
/* An encoded vector as the segment's directory knows it; all of it is checked, none trusted. */
struct codec_src {
    unsigned codec;    /* enum codec_id */
    enum type_id type; /* of the column */
    uint32_t count;    /* rows, 1..VEC_ROWS_MAX */
    const uint8_t *p;  /* the bytes, borrowed */
    size_t n;          /* how many */
};

/* The other way. The vector borrows from the arena and from src->p. Forms: CONSTANT gives CONST
 * (DICT of one entry if some rows are NULL), DICT gives DICT, RLE gives DICT for strings and FLAT
 * for the rest, others FLAT. */
int codec_decode(const struct codec_src *src,
                 struct arena *arena,
                 struct vec *ret,
                 struct dn_err *err) DN_MUST_CHECK;

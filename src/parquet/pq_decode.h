/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_decode.h: the encodings of a page, each as a stream: begin on its bytes, then take so many
 * values at a time. Bytes are untrusted; false, or NULL where a text is said, means that they are
 * damaged or too few. What is decoded lies as struct pq_field's stored type says: int8_t for
 * BOOLEAN, integers and floating point numbers of their width, 12 bytes for INT96, struct vstr for
 * bytes, which point into the page or the arena. One thread at a time. */
#pragma once

#include "parquet/pq_int.h"

/* Runs of one number by turns with numbers packed in bits. */
struct pq_rle {
    const uint8_t *p;
    const uint8_t *end;
    uint32_t width; /* bits, 0..32 */
    uint64_t left;  /* numbers of the run at hand */
    bool same;      /* they are all `value` */
    uint32_t value;
    uint64_t bit; /* packed: position of the next in [packed, p) */
    const uint8_t *packed;
};

bool pq_rle_begin(struct pq_rle *r, const uint8_t *p, size_t len, uint32_t width);
bool pq_rle_take(struct pq_rle *r, uint32_t n, uint32_t *to);

/* Integers by their differences, in blocks. */
struct pq_delta {
    struct rd in;
    uint64_t left;    /* values to come, all together */
    uint32_t blocks;  /* values of a miniblock */
    uint32_t minis;   /* miniblocks of a block */
    uint32_t mini;    /* the one at hand: minis = the block is used up */
    uint32_t mini_at; /* values taken of it */
    const uint8_t *widths;
    const uint8_t *packed; /* of the miniblock */
    uint64_t last;
    uint64_t least; /* difference of the block */
    bool first;     /* `last` was not given yet */
};

bool pq_delta_begin(struct pq_delta *d, const uint8_t *p, size_t len);
/* wide: int64_t; else int32_t, which wraps around. */
bool pq_delta_take(struct pq_delta *d, uint32_t n, bool wide, void *to);
/* Passes all values over; the bytes behind them. NULL: damaged. */
const uint8_t *pq_delta_end(struct pq_delta d);

/* The values of one page. */
struct pq_values {
    const struct pq_field *field; /* borrowed */
    enum pq_encoding encoding;
    const uint8_t *p; /* PLAIN, DELTA_…: the next bytes */
    const uint8_t *end;
    uint32_t bit; /* PLAIN BOOLEAN: of *p */
    struct pq_rle rle;
    struct pq_delta delta;  /* numbers, or lengths */
    struct pq_delta prefix; /* DELTA_BYTE_ARRAY */
    struct vstr last;       /* the same: the value before, in keep */
    struct buf *keep;       /* borrowed; pq_values_begin leaves it NULL: the caller sets it */
    uint32_t split_rows;    /* BYTE_STREAM_SPLIT */
    uint32_t split_at;
};

/* NULL, or what the page has that cannot be decoded. */
const char *pq_values_begin(struct pq_values *v,
                            const struct pq_field *f,
                            enum pq_encoding encoding,
                            const uint8_t *p,
                            size_t len);
/* Not for dictionaries, whose numbers are taken from v->rle. DN_E_NOMEM; 1: damaged. */
int pq_values_take(struct pq_values *v, uint32_t n, struct arena *arena, void *to) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_reader.h: one reader of a scan, shared by scan.c, scan_unit.c, scan_fetch.c, scan_weave.c
 * and scan_merge.c. One thread at a time. */
#pragma once

#include "codec/codec_narrow.h"
#include "store/scan_int.h"

/* What a reader has decoded of a source: some columns of one vector. */
struct scan_cur {
    struct arena arena;
    struct seg_pins pins;
    struct vec *vecs; /* in keep of the reader: fetch_count of them, NULL until first used */
    uint8_t *have;    /* likewise, per vector of vecs: it is decoded */
    struct codec_narrow *narrow; /* likewise: its integers, NULL values: not known */
    bool all;                    /* every one is */
    bool placed;                 /* the two below count */
    uint32_t block;
    uint32_t vector;
};

struct row_iter;
struct weave; /* scan_weave.c */

struct scan_reader {
    struct scan *s;
    struct mem_owner *owner;
    struct scan_reader_options options;
    struct scan_cur *curs;   /* in keep: one per source */
    struct vec *tmp_vecs;    /* in keep: fetch_count */
    bool *tmp_known;         /* in keep: fetch_count */
    uint32_t *tmp_cols;      /* in keep: 2 * fetch_count */
    struct vec *out_vecs;    /* in keep: cols_count, of the unit */
    uint8_t *out_have;       /* in keep: cols_count; fetched for this unit */
    struct arena keep;       /* as long as the reader */
    struct arena arena;      /* of the unit */
    struct scan_stats stats; /* of this reader */

    struct scan_morsel morsel;

    /* the unit at hand */
    struct scan_unit unit;
    bool *holds;
    struct scan_src *src; /* where it is from; NULL: merged */
    uint32_t run;         /* one_run: of src */
    uint32_t block;       /* BLOCK, VECTOR */
    uint32_t vector;      /* VECTOR */
    uint32_t lo;          /* VECTOR: rows of the vector; memtable: places in the order */
    uint32_t hi;
    bool lone;          /* the piece is a small part of a block group: few of its vectors will do */
    uint32_t lone_at;   /* the piece that this is about */
    bool counted;       /* the figures know that it was decoded */
    uint32_t few_count; /* not 0: the unit is few of these rows, … */
    uint16_t few[SCAN_FEW_ROWS];    /* … VECTOR: rows of the vector */
    uint32_t few_at[SCAN_FEW_ROWS]; /* … memtable: what its order has there */
    bool ended;                     /* the walk has no more */
    /* the block whose zone was looked at; its vectors come one by one */
    const struct scan_src *in_src; /* NULL: none */
    uint32_t in_first;             /* its rows */
    uint32_t in_end;

    /* a piece that was given as it lies, as nothing of it is to be known but the number of rows */
    bool in_piece;
    bool no_pieces; /* one of them was split: somebody wants the rows after all */
    struct scan_piece piece;

    /* range tombstones for the run at hand, see scan_range.c */
    const struct range_on **hits; /* owned */
    uint32_t hits_count;
    const struct scan_src *hits_src; /* NULL: not known */
    uint32_t hits_run;

    /* merging */
    bool merging;
    bool weaving;           /* … by picking rows, without folding each */
    struct weave *weave;    /* owned, NULL until first used */
    struct row_iter *iters; /* owned: srcs_count of room */
    struct fold fold;
    bool fold_ready;
};

/* scan_fetch.c: decodes columns (places in fetch) of a vector of a segment source into the reader's
 * vectors for that source. */
int scan_decode(struct scan_reader *r,
                const struct scan_src *src,
                uint32_t block,
                uint32_t vector,
                const uint32_t *fetch,
                uint32_t count,
                struct dn_err *err) DN_MUST_CHECK;
/* All of fetch: what merging needs. */
int scan_decode_all(struct scan_reader *r,
                    const struct scan_src *src,
                    uint32_t block,
                    uint32_t vector,
                    struct dn_err *err) DN_MUST_CHECK;
struct scan_cur *scan_cur_of(struct scan_reader *r, const struct scan_src *src);

/* scan_range.c: finds the tombstones that may hit rows of a run. */
int scan_range_run(struct scan_reader *r,
                   const struct scan_src *src,
                   uint32_t run,
                   struct dn_err *err) DN_MUST_CHECK;
/* The same of a block of a piece, or a vector of it: -1 no row is gone, by them (the piece is hit:
 * those of the run above) or because it expired, 0 some may be, 1 all are. */
int scan_range_zone(const struct scan_reader *r,
                    const struct scan_piece *p,
                    uint32_t block,
                    uint32_t vector);
/* Narrows rows [lo, hi) of a vector (a memtable: places in its order) to the first of them (in
 * reverse: the last), one after the other, that are not gone; DN_NOT_FOUND: none. */
int scan_range_cut(struct scan_reader *r,
                   const struct scan_piece *p,
                   uint32_t vector,
                   uint32_t *lo,
                   uint32_t *hi,
                   struct dn_err *err) DN_MUST_CHECK;
/* Versions of a row that are older than this are deleted; 0: none. */
uint64_t scan_range_horizon(const struct scan_reader *r, range_value_fn rest, const void *arg);
/* Has a row expired? Of a source that is aged: vecs are what was decoded of a segment, row is one
 * of the vector or of the memtable. */
bool scan_row_aged(const struct scan *s,
                   const struct scan_src *src,
                   const struct vec *vecs,
                   uint32_t row);

/* scan_weave.c: may the morsel's members be woven? */
bool scan_weave_may(const struct scan_reader *r);
int scan_weave_begin(struct scan_reader *r, struct dn_err *err) DN_MUST_CHECK;
/* The next rows: a unit of scan_weave_rows, or if these are none a piece of the morsel; DN_EOF. */
int scan_weave_next(struct scan_reader *r, struct dn_err *err) DN_MUST_CHECK;
uint32_t scan_weave_rows(const struct scan_reader *r);
/* A column (place in spec.cols) of the unit. */
int scan_weave_fetch(struct scan_reader *r, uint32_t col, struct vec *ret, struct dn_err *err)
    DN_MUST_CHECK;
void scan_weave_free(struct weave *w); /* NULL is fine */

/* scan_merge.c: the morsel's members share a run; merge_next fills r->fold with up to VEC_ROWS_MAX
 * rows, DN_EOF when the run is done. */
int scan_merge_begin(struct scan_reader *r, struct dn_err *err) DN_MUST_CHECK;
int scan_merge_next(struct scan_reader *r, struct dn_err *err) DN_MUST_CHECK;
void scan_merge_done(struct scan_reader *r);

/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_int.h: shared by scan.c (order of runs, handing out batches), scan_prune.c (what to read)
 * and scan_merge.c (row by row where versions meet). */
#pragma once

#include "store/fold.h"
#include "store/scan.h"
#include "store/shard_int.h"

#define SCAN_POINTS_MAX 4096u /* series looked up one by one; more are tested run by run */

/* One place rows come from. Runs are numbered as in the segment or the memtable's order. */
struct scan_src {
    struct segref *ref; /* borrowed from the version; NULL for memtables */
    struct seg *seg;    /* borrowed */
    const struct seg_runs *runs;
    struct memtable *m;      /* borrowed; NULL for segments */
    const struct table *t;   /* borrowed: definition of its columns; another than the scan's only in
                                memtables from before an ALTER */
    uint32_t *map;           /* owned, NULL when t is the scan's: store column of the scan -> its
                                own, UINT32_MAX = it has none */
    struct mem_order *order; /* reference */
    uint32_t runs_count;
    uint32_t *picks; /* owned: run numbers to read, ascending */
    uint32_t picks_count;
    uint32_t at;        /* next pick */
    bool special;       /* patches, deletes or expiry inside: rows need folding */
    struct arena arena; /* of the decoded vector */
    struct seg_pins pins;
    struct vec *vecs; /* owned: decoded columns, fetch_count of them */
    bool decoded;     /* vecs hold this vector: */
    uint32_t block;
    uint32_t vector;
};

/* A stretch of rows to hand out as they are: row numbers, or places in a memtable's order. */
struct scan_piece {
    struct scan_src *src;
    uint32_t next;
    uint32_t end;
};

struct scan {
    struct snapshot *snap; /* borrowed */
    const struct table *t; /* reference */
    struct mem_owner *owner;
    struct scan_spec spec; /* arrays borrowed */
    uint32_t *fetch; /* owned: store columns to decode: the wanted ones, then what merging needs */
    uint32_t fetch_count;
    uint32_t *fetch_at;    /* owned: store column -> index in fetch, UINT32_MAX = not fetched */
    struct datum *points;  /* owned: series looked for, points_count × series_count; sorted by
                              (token, values) */
    int64_t *point_tokens; /* owned */
    uint32_t points_count;
    bool points_only;   /* the series are known: nothing but points */
    bool nothing;       /* a constraint that nothing satisfies */
    bool final;         /* deletes go, patches become rows; false: a merge that must keep them */
    uint16_t *own_cols; /* owned: spec.cols of scan_open_segments */

    struct scan_src *srcs; /* owned */
    uint32_t srcs_count;
    struct scan_src **members; /* owned: sources that hold the current run */
    struct scan_piece *pieces; /* owned: srcs_count of room */
    uint32_t pieces_count;
    uint32_t pieces_at;
    bool merging; /* the members' rows are being merged */
    uint32_t members_count;
    struct row_iter *iters; /* owned: srcs_count of room */
    struct fold fold;
    bool fold_ready;

    struct arena arena;   /* of the batch handed out */
    struct colbuf *build; /* owned: small stretches gathered */
    uint32_t build_count;
    struct arena build_strings;
    bool have_chunk; /* chunk waits while the gathered rows go first */
    struct batch chunk;
    struct vec *chunk_vecs; /* owned */
    struct vec *out_vecs;   /* owned */
    struct scan_stats stats;
};

/* scan.c: all rows of some segments, every store column in order, whatever a snapshot would see.
 * final as above. */
int scan_open_segments(struct shard *shard,
                       const struct table *t,
                       struct segref *const *refs,
                       size_t count,
                       bool final,
                       struct scan **ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* scan_prune.c */
int scan_add_segment(struct scan *s, struct segref *ref, struct dn_err *err) DN_MUST_CHECK;
bool scan_set_has(const struct scan_pred *p, const struct datum *d);
bool scan_set_overlaps(const struct scan_pred *p, const struct datum *lo, const struct datum *hi);
/* Finds the sources, picks the runs. */
int scan_prune(struct scan *s, struct dn_err *err) DN_MUST_CHECK;
/* May any row of the block (vector UINT32_MAX) or vector satisfy the constraints? keys_only: only
 * key columns are asked. */
bool scan_zone_may(const struct scan *s,
                   const struct scan_src *src,
                   uint32_t block,
                   uint32_t vector);

/* Run properties, whatever the source. */
int64_t scan_run_slab(const struct scan_src *src, uint32_t run);
int64_t scan_run_token(const struct scan_src *src, uint32_t run);
struct datum scan_run_series(const struct scan_src *src, uint32_t run, uint32_t series_index);
void scan_run_time(const struct scan_src *src, uint32_t run, int64_t *ret_min, int64_t *ret_max);
void scan_run_rows(const struct scan_src *src,
                   uint32_t run,
                   uint32_t *ret_first,
                   uint32_t *ret_end);
bool scan_run_plain(const struct scan_src *src, uint32_t run);

/* scan_alter.c: a memtable that was made before an ALTER. */
int scan_map_memtable(struct scan *s, struct scan_src *src, struct dn_err *err) DN_MUST_CHECK;
/* One value as memtable_fold_value gives it; what a row from before the ALTER does not have is
 * absent in a patch and the default in a whole row. */
struct datum scan_mapped_value(const struct scan *s,
                               const struct scan_src *src,
                               uint32_t row,
                               uint32_t store_col,
                               bool *ret_absent);
/* Whole rows: as memtable_gather, into src->vecs. */
int scan_mapped_gather(const struct scan *s,
                       struct scan_src *src,
                       const uint32_t *rows,
                       uint32_t count,
                       struct dn_err *err) DN_MUST_CHECK;

/* scan.c: decodes a vector of a segment source into src->vecs. */
int scan_decode(struct scan *s,
                struct scan_src *src,
                uint32_t block,
                uint32_t vector,
                struct dn_err *err) DN_MUST_CHECK;

/* scan_merge.c: members[] share a run; merge_next fills s->fold with up to VEC_ROWS_MAX rows,
 * DN_EOF when the run is done. */
int scan_merge_begin(struct scan *s, struct dn_err *err) DN_MUST_CHECK;
int scan_merge_next(struct scan *s, struct dn_err *err) DN_MUST_CHECK;
void scan_merge_done(struct scan *s);

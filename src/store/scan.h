/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.h: reading a table as of a snapshot: sources (segments, memtables) pruned, merged in
 * physical order, newest write of each row, deletes gone, patches folded.
 *
 * What to prune by is a conjunction of column constraints, each a sorted list of disjoint
 * intervals. The scan returns at least all rows that satisfy them (and may return more): the
 * caller still filters. Rows come in physical order: (slab, token, series, rest of local key).
 *
 * One thread at a time per scan. */
#pragma once

#include "catalog/table.h"
#include "store/shard.h"
#include "vec/vec.h"

struct interval {
    bool has_lo; /* false: from minus infinity */
    bool lo_incl;
    bool has_hi;
    bool hi_incl;
    struct datum
        lo; /* of the column's type, not null; string bytes borrowed while the scan is open */
    struct datum hi;
};

struct scan_pred {
    uint16_t col;               /* table column */
    const struct interval *set; /* ascending, disjoint; NULL values never match */
    uint32_t set_count;         /* 0: nothing matches */
};

struct scan_spec {
    const struct table *table;
    const uint16_t *cols; /* table columns wanted, in the order of the result's vectors */
    uint32_t cols_count;  /* may be 0: only row counts */
    const struct scan_pred *preds;
    uint32_t preds_count;
    struct mem_owner *owner; /* memory is charged here */
};

struct scan_stats {
    uint64_t segments_total;
    uint64_t segments_read;
    uint64_t slabs_total; /* slabs with stored or fresh rows */
    uint64_t slabs_read;
    uint64_t partitions_total; /* runs: series within a slab, over all sources */
    uint64_t partitions_read;
    uint64_t blocks_total;
    uint64_t blocks_read;
    uint64_t memtable_rows; /* fresh rows looked at */
    uint64_t rows;          /* rows returned (0 after scan_explain) */
    uint64_t rows_merged;   /* rows that went through the row-by-row merge */
};

struct scan;

/* The snapshot must outlive the scan. */
int scan_open(struct snapshot *snap,
              const struct scan_spec *spec,
              struct scan **ret,
              struct dn_err *err) DN_MUST_CHECK;
/* The next batch of 1..VEC_ROWS_MAX selected rows, valid until the next call; DN_EOF at the end. It
 * may carry a selection (a part of a stored vector is handed out without copying). */
int scan_next(struct scan *s, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;
void scan_close(struct scan *s); /* NULL is fine */
void scan_get_stats(const struct scan *s, struct scan_stats *ret);
/* What a scan would touch, without reading rows. */
int scan_explain(struct snapshot *snap,
                 const struct scan_spec *spec,
                 struct scan_stats *ret,
                 struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.h: reading a table as of a snapshot: sources (segments, memtables) pruned, merged in
 * physical order, newest write of each row, deletes gone, patches folded.
 *
 * What to prune by is a conjunction of column constraints, each a sorted list of disjoint
 * intervals. The scan returns at least all rows that satisfy them (and may return more): the
 * caller still filters. Rows come in physical order: (slab, token, series, rest of local key).
 *
 * One thread at a time per scan, except that several readers of one scan may each have a thread. */
#pragma once

#include "catalog/table.h"
#include "store/range.h"
#include "store/segment.h"
#include "store/shard.h"
#include "vec/vec.h"

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
    bool plain; /* leave zones and search alone where rows can be filtered: to find faults by */
    bool moves; /* rows that it does not return are lost: those that expired by the wall clock
                   alone, which may be wrong, are returned (volume_sure_ns) */
    struct mem_owner *owner;   /* memory is charged here */
    const atomic_bool *cancel; /* looked at while fresh rows are sorted; NULL = never */
};

struct scan_stats {
    uint64_t segments_total;
    uint64_t segments_read;
    uint64_t slabs_total; /* slabs with stored or fresh rows */
    uint64_t slabs_read;
    uint64_t slabs_gone;       /* of those with rows: before the horizon, left out for that */
    uint64_t partitions_total; /* runs: series within a slab, over all sources */
    uint64_t partitions_read;
    uint64_t blocks_total;
    uint64_t blocks_read;
    uint64_t memtable_rows; /* fresh rows looked at */
    uint64_t rows_expected; /* about so many rows are left after pruning by run and time */
    /* what reading did; 0 after scan_explain */
    uint64_t rows;            /* rows returned, or answered from zones */
    uint64_t rows_merged;     /* rows that went through the row-by-row merge */
    uint64_t blocks_pruned;   /* left out whole by their zone */
    uint64_t vectors_pruned;  /* left out by their zone, in blocks that were not */
    uint64_t blocks_zone;     /* answered from their zone maps, whole */
    uint64_t vectors_zone;    /* answered from their zone maps */
    uint64_t vectors_decoded; /* of which some column was decoded */
    uint64_t columns_decoded; /* columns of them, all together */
    uint64_t columns_packed;  /* of vectors: answered from values as they are stored */
    uint64_t bytes_read;      /* from the volume; what the cache had does not count */
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
void scan_close(struct scan *s); /* NULL is fine; after its readers */
void scan_get_stats(const struct scan *s, struct scan_stats *ret);
/* What a scan would touch, without reading rows. */
int scan_explain(struct snapshot *snap,
                 const struct scan_spec *spec,
                 struct scan_stats *ret,
                 struct dn_err *err) DN_MUST_CHECK;

/* The runs of a table's segments: series within a slab, from their directories alone;
 * partitions, from their rows, if it is laid out by value. Stored versions count, newest or not. */
struct scan_run {
    uint64_t segment; /* id */
    int64_t slab;
    int64_t token;
    int64_t time_min; /* of the time column; INT64_MIN, INT64_MAX when there is none */
    int64_t time_max;
    uint32_t rows;
    const struct datum
        *series; /* values in the order of table->partition; borrowed during the call */
};
typedef int (*scan_run_fn)(void *arg, const struct scan_run *run, struct dn_err *err);
int scan_segment_runs(struct snapshot *snap,
                      const struct table *t,
                      scan_run_fn fn,
                      void *arg,
                      struct dn_err *err) DN_MUST_CHECK;

/* ---- reading without decoding ----
 *
 * A reader goes through a scan unit by unit. A unit is a stretch of rows that are final: the newest
 * versions, none deleted. The caller looks at what is known of it (constraints that hold for all
 * its rows, zones, values that are the same in all rows) and decodes the columns it still needs, if
 * any. Several readers share the rows of a scan among themselves, each with its own thread; the
 * order of units is the physical order only within a morsel. A scan that was turned round gives
 * units in the reverse order; inside a unit rows stay as they are, unless it says `backward`.
 *
 * Either scan_next or readers, not both on one scan. Columns are places in spec.cols. */

struct scan_reader;

enum scan_unit_kind {
    SCAN_BLOCK,  /* a whole stored block: only its zones; scan_unit_split gives its vectors. Without
                    columns and constraints also a stretch of blocks */
    SCAN_VECTOR, /* rows of one stored vector */
    SCAN_ROWS,   /* rows of memtables, or merged ones */
};

struct scan_unit {
    enum scan_unit_kind kind;
    uint32_t rows;     /* 1.., up to VEC_ROWS_MAX unless it is a BLOCK */
    bool whole;        /* zones exist and are about just these rows */
    bool one_run;      /* all rows are of one series and slab */
    bool proven;       /* all constraints hold for all rows */
    bool backward;     /* its rows come in reverse physical order */
    const bool *holds; /* the same for each constraint; valid until the next unit */
    uint64_t morsel;   /* number of the morsel it belongs to: ascending in physical order */
};

struct scan_reader_options {
    bool blocks;          /* units may be whole blocks */
    uint32_t morsel_rows; /* rows taken from the scan at a time; 0: as they come (one reader) */
    struct mem_owner *owner;
};

/* Units come in reverse physical order; before the first reader, and not with scan_next. */
void scan_reverse(struct scan *s);
/* Do the values of a column rise (1) or fall (-1) from the first stored rows to the last, as far as
 * zones tell? 0: neither, or not known. A guess to begin at the right end by, nothing more. */
int scan_trend(const struct scan *s, uint32_t col);
/* Makes scan_unit_series tell which runs are alone, if sources have series in common at their
 * borders at most. Before the first reader, and not with scan_next. */
int scan_tell_series(struct scan *s, struct dn_err *err) DN_MUST_CHECK;
/* Nobody needs the physical order: sources that cannot have a key in common are read one after the
 * other, each as it lies. Before the first reader or scan_next. */
int scan_any_order(struct scan *s, struct dn_err *err) DN_MUST_CHECK;
/* Before the first of several readers on threads. */
int scan_share(struct scan *s, struct dn_err *err) DN_MUST_CHECK;
int scan_reader_new(struct scan *s,
                    const struct scan_reader_options *options,
                    struct scan_reader **ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* NULL is fine. Its figures are added to the scan's. */
void scan_reader_free(struct scan_reader *r);
int scan_unit_next(struct scan_reader *r,
                   struct scan_unit *ret,
                   struct dn_err *err) DN_MUST_CHECK; /* DN_EOF at the end */
/* The unit is a BLOCK: the next units are its vectors. */
void scan_unit_split(struct scan_reader *r);
/* Zone of a column over a whole unit; false: nothing is known. */
bool scan_unit_zone(struct scan_reader *r, uint32_t col, struct zone *ret);
/* The same where it may be the zone of more rows than the unit has. */
bool scan_unit_bounds(struct scan_reader *r, uint32_t col, struct zone *ret);
/* The column's value if it is known to be the same (or NULL) in all rows; borrowed until the next
 * unit. */
bool scan_unit_const(struct scan_reader *r, uint32_t col, struct datum *ret);
/* The number of the dictionary (vec.dict_id) that holds all values of the column in the unit, where
 * that is to be had without decoding; 0: it is not, or some may be NULL. */
int scan_unit_dict(struct scan_reader *r, uint32_t col, uint64_t *ret, struct dn_err *err)
    DN_MUST_CHECK;
struct codec_narrow;
/* A column of numbers as codec_decode_narrow has it, of the rows of the unit. bounds: those of
 * scan_unit_bounds. DN_NOT_FOUND: it has to be fetched. It lives as long as the unit. */
int scan_unit_narrow(struct scan_reader *r,
                     uint32_t col,
                     const double bounds[2],
                     struct codec_narrow *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* Least and greatest value of the table's time column over the rows of the unit, or a wider range;
 * false: not known. */
bool scan_unit_time(struct scan_reader *r, int64_t *ret_min, int64_t *ret_max);
/* The runs of a unit that is rows of one stored vector, in their order. */
struct scan_series {
    uint32_t count;
    uint16_t ends[VEC_ROWS_MAX]; /* one past the last row of the run, in rows of the unit */
    bool alone[VEC_ROWS_MAX];    /* all rows that the scan has of its series are in this run, and in
                                    this unit */
};
/* False: they are not known, or scan_tell_series was not called or does not know either. */
bool scan_unit_series(const struct scan_reader *r, struct scan_series *ret);
/* Decodes columns (not of a BLOCK): vector i of *ret is column i of spec.cols, valid for those
 * fetched since the unit came up. No selection. */
int scan_unit_fetch(struct scan_reader *r,
                    const uint32_t *cols,
                    uint32_t count,
                    struct batch *ret,
                    struct dn_err *err) DN_MUST_CHECK;
#define SCAN_FEW_ROWS SEG_FEW_ROWS
/* Only some rows of the unit, few of many, are wanted: it becomes these, at most SCAN_FEW_ROWS in
 * ascending order. Columns that are fetched from now on are read value by value where that takes
 * less than decoding. *ret as scan_unit_fetch gives it; zones and series are not known any more.
 * DN_NOT_FOUND: the unit has not so many rows that it matters, or they are merged ones; it stays as
 * it was. */
int scan_unit_pick(struct scan_reader *r,
                   const uint16_t *rows,
                   uint32_t count,
                   struct batch *ret,
                   struct dn_err *err) DN_MUST_CHECK;
struct codec_ask;
struct codec_agg;
/* Of a VECTOR: sums and bounds of ranges of its rows (codec.h) where they are to be had without
 * decoding, for each of `count` columns of fixed width: ret_known[i], and ret[i * ask->count + k]
 * for range k. */
int scan_unit_agg(struct scan_reader *r,
                  const uint32_t *cols,
                  uint32_t count,
                  const struct codec_ask *ask,
                  struct codec_agg *ret,
                  bool *ret_known,
                  struct dn_err *err) DN_MUST_CHECK;
/* The unit is of one run, and nothing that follows it in that run is wanted: where sources share
 * the run, what is left of it need not be merged. Rows of it may come all the same. */
void scan_unit_leave_run(struct scan_reader *r);
/* Figures: the unit was answered from zones. */
void scan_unit_answered(struct scan_reader *r);

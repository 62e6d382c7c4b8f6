/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_int.h: the inside of a scan. Its files:
 *
 *   scan.c        life of a scan; batches of all columns, small stretches gathered
 *   scan_prune.c  which sources, runs, blocks and vectors matter
 *   scan_points.c the partitions looked for, when they are all known
 *   scan_walk.c   the runs of all sources in physical order, cut into morsels for readers
 *   scan_cut.c    runs that several sources hold: what each has alone, and what is to be merged
 *   scan_apart.c  sources that cannot have a key in common, where no order is needed
 *   scan_alone.c  runs that are all there is of their series
 *   scan_unit.c   a reader: the units of its morsels
 *   scan_fetch.c  what is known of a unit, decoding
 *   scan_weave.c  the newest version of each row where sources overlap
 *   scan_merge.c  row by row where versions are to be folded
 *   scan_range.c  what range tombstones hit
 *
 * A struct scan is shared by its readers: constant after opening, except for the walk (under the
 * lock once scan_share made one) and the figures. */
#pragma once

#include "store/fold.h"
#include "store/scan.h"
#include "store/scan_all.h"
#include "store/shard_int.h"

#define SCAN_POINTS_MAX    4096u /* series looked up one by one; more are tested run by run */
#define SCAN_MORSEL_PIECES 32u

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
    uint32_t *picks; /* in keep of the scan: run numbers to read, ascending; NULL: all of them */
    uint32_t picks_count;
    bool *hit;      /* owned, NULL: none: picks whose rows range tombstones may hit */
    uint32_t at;    /* picks taken; the walk's */
    bool special;   /* patches or deletes inside: rows need folding */
    bool aged;      /* rows of it have expired */
    bool no_blocks; /* a segment of whole rows, and none in any block satisfies the constraints */
    uint64_t expected;  /* part of stats.rows_expected */
    uint32_t row_first; /* a segment's rows before this one and from row_end on do not matter */
    uint32_t row_end;
};

/* A stretch of rows to hand out as they are: row numbers, or places in a memtable's order. What is
 * left of it: a walk in reverse takes from the end. */
struct scan_piece {
    struct scan_src *src;
    uint32_t next;
    uint32_t end;
    bool hit;     /* range tombstones may hit some of its rows; it is one run then */
    uint32_t run; /* hit: that run */
};

/* One source's part of a run that is merged: some of its rows. */
struct scan_member {
    struct scan_src *src;
    uint32_t run;
    uint32_t first;
    uint32_t end;
    bool hit;   /* as in a piece */
    bool plain; /* each is a whole row, of which the source has one version */
};

/* What is left of one source's part of the run at hand, while it is cut. */
struct scan_cut {
    struct scan_src *src;
    uint32_t run;
    uint32_t next;
    uint32_t end;
    int64_t lo; /* the rows that come next are not before this place, see scan_cut.c */
    bool hit;   /* as in a piece */
    bool skips; /* a constraint on the column that orders the run may leave out rows */
};

/* What one reader takes from the walk at a time: some pieces, or one stretch to merge. */
struct scan_morsel {
    uint64_t number; /* in physical order, from 0 */
    struct scan_piece pieces[SCAN_MORSEL_PIECES];
    uint32_t count;
    uint32_t at;
    bool merge;
    struct scan_member *members; /* in keep: srcs_count of room */
    uint32_t members_count;
};

struct scan {
    struct snapshot *snap; /* borrowed */
    const struct table *t; /* reference */
    struct mem_owner *owner;
    struct scan_spec spec; /* arrays borrowed */
    struct arena keep;     /* as long as the scan */
    uint32_t
        *fetch; /* in keep: store columns to decode: the wanted ones, then what merging needs */
    uint32_t fetch_count;
    uint32_t *fetch_at;    /* in keep: store column -> index in fetch, UINT32_MAX = not fetched */
    struct datum *points;  /* in keep: partitions looked for, points_count × partition_count */
    int64_t *point_tokens; /* in keep */
    uint32_t points_count;
    bool points_only;   /* the partitions are known: nothing but points. Segments of tables that are
                           laid out by value do not tell partitions apart */
    bool nothing;       /* a constraint that nothing satisfies */
    bool final;         /* deletes go, patches become rows; false: a merge that must keep them */
    int64_t now_ns;     /* rows that expire up to here are deleted */
    uint16_t *own_cols; /* in keep: spec.cols of scan_open_segments */
    bool *pred_series;  /* in keep: constraints on series columns, which hold for all picked runs */
    int cut_pred;       /* constraint on the column that orders the rows of a run; -1: none */
    bool cut_desc;      /* they are in descending order */
    bool key_preds;     /* there are constraints on columns of the rest of the key */
    bool reverse;       /* the walk goes from the last row to the first */
    uint32_t order_col; /* store column that orders the rows of a run; UINT32_MAX: it has no places
                         */
    bool order_exact;   /* values of it with one place are equal */

    int64_t horizon; /* of the table, as the snapshot has it; RETENTION_NO_HORIZON: none */
    struct range_list range_list; /* range tombstones of the table that the scan sees */
    struct range_on *ranges;      /* owned: the same for this definition */
    uint32_t ranges_count;

    struct scan_src *srcs; /* in keep */
    uint32_t srcs_count;

    /* any order: sources in sets, no key is in two of them; the walk takes one after the other */
    struct scan_src **apart; /* owned, NULL: one set, of all */
    uint32_t *set_ends;      /* owned: set i is apart[set_ends[i - 1]] up to set_ends[i] */
    uint32_t sets_count;
    bool tells_series; /* no series is in two sources, but for those at their borders */

    /* the walk; under the lock, if there is one */
    uint32_t sets_at;          /* sets that were taken */
    struct sched_mutex *lock;  /* owned, NULL: one reader */
    struct scan_src **members; /* in keep: sources that hold the current run */
    uint32_t members_count;
    struct scan_piece pieces[1]; /* not yet given to readers */
    uint32_t pieces_count;
    uint32_t pieces_at;
    struct scan_cut *cuts; /* in keep: srcs_count of room: the run that is being cut */
    uint32_t cuts_count;
    struct scan_member *merge; /* in keep: srcs_count of room: a stretch to merge, not yet given */
    uint32_t merge_count;
    uint64_t morsels;        /* given out */
    struct scan_stats stats; /* and those of readers that are gone */

    /* scan_next */
    struct scan_reader *reader; /* owned */
    uint32_t *all_cols;         /* in keep: 0, 1, 2, … */
    struct colbuf *build;       /* in keep: small stretches gathered */
    uint32_t build_count;
    struct arena build_strings;
    bool have_chunk; /* chunk waits while the gathered rows go first */
    struct batch chunk;
    struct vec *out_vecs; /* in keep */
};

/* scan_prune.c */
int scan_add_segment(struct scan *s, struct segref *ref, struct dn_err *err) DN_MUST_CHECK;
int scan_add_memtable(struct scan *s, struct memtable *m, uint64_t seq, struct dn_err *err)
    DN_MUST_CHECK;
/* The first interval that is not wholly below the value; set_count if none. */
uint32_t scan_set_find(const struct scan_pred *p, const struct datum *d);
bool scan_set_has(const struct scan_pred *p, const struct datum *d);
bool scan_set_overlaps(const struct scan_pred *p, const struct datum *lo, const struct datum *hi);
/* Is every value from lo to hi in the set? */
bool scan_set_covers(const struct scan_pred *p, const struct datum *lo, const struct datum *hi);
/* Finds the sources, picks the runs. */
int scan_prune(struct scan *s, struct dn_err *err) DN_MUST_CHECK;
/* May any row of the block (vector UINT32_MAX) or vector satisfy the constraints? holds, if not
 * NULL, gets which of them all its rows satisfy. */
bool scan_zone_may(
    const struct scan *s, const struct scan_src *src, uint32_t block, uint32_t vector, bool *holds);

/* May any row of them satisfy the constraints on columns of the key? */
bool scan_zone_may_key(const struct scan *s,
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

/* scan_points.c: fills points, if the constraints leave few partitions. */
int scan_make_points(struct scan *s, struct dn_err *err) DN_MUST_CHECK;

/* The constraint on a column; NULL: there is none. */
static inline const struct scan_pred *scan_pred_of(const struct scan *s, uint32_t col)
{
    for (uint32_t i = 0; i < s->spec.preds_count; i++)
        if (s->spec.preds[i].col == col)
            return &s->spec.preds[i];
    return NULL;
}

/* scan_range.c: the tombstones that the snapshot sees; or those of a list. */
int scan_find_ranges(struct scan *s,
                     const struct range_list *list,
                     struct dn_err *err) DN_MUST_CHECK;
/* How many of these slabs, in order, are before the horizon? */
void scan_range_gone(struct scan *s, const int64_t *slabs, size_t count);
/* Whether its rows need folding, and whether some have expired; before the first reader. */
void scan_look_source(struct scan *s, struct scan_src *src);
/* Rows of a segment in blocks of which all have expired. */
uint32_t scan_seg_expired(struct seg *seg, const struct table *t, int64_t now_ns);
/* Leaves out picks whose rows are all hit, marks those of which some may be. */
int scan_range_picks(struct scan *s, struct scan_src *src, struct dn_err *err) DN_MUST_CHECK;

/* scan_alter.c: a memtable that was made before an ALTER. */
int scan_map_memtable(struct scan *s, struct scan_src *src, struct dn_err *err) DN_MUST_CHECK;
/* One value as memtable_fold_value gives it; what a row from before the ALTER does not have is
 * absent in a patch (unless it is in the key) and the default in a whole row. */
struct datum scan_mapped_value(const struct scan *s,
                               const struct scan_src *src,
                               uint32_t row,
                               uint32_t store_col,
                               bool *ret_absent);
/* Whole rows: as memtable_gather, store columns of the scan. */
int scan_mapped_gather(const struct scan *s,
                       const struct scan_src *src,
                       const struct mem_want *want,
                       struct arena *arena,
                       struct vec *ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* Are rows only counted? */
static inline bool scan_only_counts(const struct scan *s)
{
    return s->spec.cols_count == 0 && s->spec.preds_count == 0 && !s->spec.plain;
}

/* The run that the walk takes next from a source that has one. */
static inline uint32_t scan_pick(const struct scan *s, const struct scan_src *src)
{
    uint32_t at = s->reverse ? src->picks_count - 1 - src->at : src->at;

    return src->picks ? src->picks[at] : at;
}

/* May range tombstones hit rows of the source's next pick? */
static inline bool scan_pick_hit(const struct scan *s, const struct scan_src *src)
{
    return src->hit && src->hit[s->reverse ? src->picks_count - 1 - src->at : src->at];
}

/* scan_cut.c: a table's order_col; whether values of it fall in the direction of the walk. */
uint32_t scan_order_col(const struct table *t, bool *ret_exact);
bool scan_order_falls(const struct scan *s);
/* Place of the memtable's row at a place of its order: its value, turned round if they fall. */
int64_t scan_mem_place(const struct scan *s, const struct scan_src *src, uint32_t at);
/* Begins to cut the run that the members have next. */
void scan_cut_begin(struct scan *s);
/* The next part of it: a piece, or a stretch in s->merge. False: nothing is left. */
bool scan_cut_next(struct scan *s);

/* scan_apart.c: leaves out segments none of whose rows satisfy the constraints, by their zones, and
 * whose keys no other source can have. */
int scan_leave_out(struct scan *s, struct dn_err *err) DN_MUST_CHECK;

/* scan_walk.c: the next rows for a reader; DN_EOF at the end. */
int scan_walk(struct scan *s, uint32_t rows_max, struct scan_morsel *ret);
/* If the run is being cut, what is left of it is not given to readers. */
void scan_walk_leave(struct scan *s, const struct scan_src *src, uint32_t run);

/* scan.c: adds what a reader did. */
void scan_stats_add(struct scan_stats *to, const struct scan_stats *from);

/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_units.h: aggregates straight from the units of a source, without batches in between:
 *
 *   - Where the group keys are the same in a whole unit (series columns in a run, columns whose
 * zone has one value, a bucket that covers the unit's time range), the group is found once, and
 * what the zone map answers (count, sum, avg, min, max, first, last) is not decoded.
 *   - Where keys are buckets of the column that orders a run, their edges are found by search.
 *   - Sums, averages and counts of such stretches of rows are made of the values as they are
 * stored, where their codec can add up without decoding (codec_agg_packed).
 *   - Where only the newest (or the oldest) value of each group is asked for, the scan begins at
 * that end of time, and units that are older than what their group has are passed over.
 *   - The same where rows of many groups lie among each other (agg_ends.h): of each unit the keys
 * are decoded, and the rest only for rows that are not older than what their group has.
 *   - Where groups are series, and each is in one run of the scan, runs are new groups, and are not
 * looked for; of each the row at the end of time is added, if that is all that is asked for. Where
 * there are many rows, such groups are done with their unit (agg_done.h).
 *   - Everything else is decoded, filtered and grouped as a batch.
 *
 * The plan part is constant and shared; a feed belongs to one thread at a time. */
#pragma once

#include "exec/agg.h"
#include "exec/buckets.h"
#include "exec/source.h"

enum exec_key_kind {
    EXEC_KEY_COLUMN, /* a column of the scan */
    EXEC_KEY_BUCKET, /* monotonic in the column that orders runs */
    EXEC_KEY_OTHER,
};

struct exec_key {
    enum exec_key_kind kind;
    uint32_t col; /* COLUMN, BUCKET */
};

/* How an aggregate may be answered. */
struct exec_way {
    bool zone;            /* from zones, if the unit has what it needs */
    bool packed;          /* from stored values, whose column is packed_cols[packed_at] */
    uint32_t packed_at;   /* PLAN_NO_COL: that there are no NULLs is all there is to know */
    uint32_t col;         /* its argument, PLAN_NO_COL = none: count(*) */
    const uint32_t *cols; /* columns to decode */
    uint32_t cols_count;
};

/* Do all aggregates ask for one end of time alone? */
enum exec_ends {
    EXEC_ENDS_NONE,
    EXEC_ENDS_LATE,  /* last(x, time), max(time) */
    EXEC_ENDS_EARLY, /* first(x, time), min(time) */
};

/* What depends on the plan alone. */
struct exec_units {
    const struct plan_node *node; /* AGGREGATE */
    struct exec_source *source;   /* borrowed */
    struct exec_key *keys;
    struct exec_way *ways;
    bool simple;         /* no key is OTHER */
    bool times_unique;   /* no two rows of a run have the same time */
    bool by_series;      /* keys: the columns of the series, no others */
    uint32_t series_col; /* no keys: the only column of the series, PLAN_NO_COL if there are more */
    bool tells_series;   /* groups come from this source alone, whose runs may say which are new */
    enum exec_ends ends;
    enum exec_ends row_ends;  /* agg_ends.h: for units that zones do not answer */
    uint32_t ends_col;        /* row_ends: the column of which they ask for an end */
    const uint32_t *key_cols; /* row_ends: columns that the keys read */
    uint32_t key_cols_count;
    uint32_t bucket_col;          /* PLAN_NO_COL: there are no buckets */
    const struct bexpr **buckets; /* keys that are BUCKET */
    uint32_t buckets_count;
    const uint32_t *cols; /* columns to decode for keys and aggregates */
    uint32_t cols_count;
    uint32_t *packed_cols; /* columns that are added up as they are stored */
    uint32_t packed_count;
    bool packed; /* some aggregate is answered so */
};

/* Memory: the source's run arena. */
int exec_units_plan(struct exec_units *u,
                    const struct plan_node *node,
                    struct exec_source *source,
                    struct dn_err *err) DN_MUST_CHECK;

struct exec_spool;

struct exec_feed {
    const struct exec_units *u;
    struct exec_reader reader;
    struct exec_agg agg;
    struct mem_owner mem; /* what agg holds */
    struct exec_buckets buckets;
    bool buckets_full;      /* too many to remember: batches from now on */
    struct arena tuple;     /* of consts and their vectors */
    struct datum *consts;   /* in agg.run: keys that the last unit had once … */
    bool have_consts;       /* … if it had */
    struct datum *found;    /* in agg.run: of the unit at hand */
    struct vec *key_vecs;   /* in agg.run: the same as vectors */
    bool *decode;           /* in agg.run, per aggregate: zones did not answer it */
    bool *packed;           /* in agg.run, per aggregate: stored values did */
    bool *packed_known;     /* in agg.run, per packed column */
    struct codec_agg *sums; /* in agg.batch: packed column i, stretch k at i * stretches + k */
    struct agg_zone *zones; /* in agg.run, per aggregate */
    struct zone time;       /* of the unit at hand, for first and last */
    int64_t *floors;        /* owned, per group, with ends: every aggregate has a value of this time
                               or one that is nearer to the end */
    uint32_t floors_count;
    uint32_t floors_cap;
    uint64_t serial; /* of the tuple in consts */
    uint32_t group;  /* of that tuple, without buckets; valid if group_serial == serial */
    uint64_t group_serial;
    uint64_t rows_decoded;
    struct exec_spool *done;   /* borrowed: results of groups that are done (agg_done.h); NULL: no
                                  group is before the end */
    struct scan_series series; /* of the unit at hand */
    struct batch rest;         /* of the unit at hand, decoded: */
    uint32_t rest_at;          /* selected rows from here on are not added yet */
    uint32_t rest_rows;        /* at a time at most */
    uint16_t all[VEC_ROWS_MAX];
    uint16_t near[VEC_ROWS_MAX]; /* row_ends: rows that may count */
};

int exec_feed_open(struct exec_feed *f,
                   const struct exec_units *u,
                   const struct scan_reader_options *options,
                   struct dn_err *err) DN_MUST_CHECK;
/* The same in steps, for several sources after each other into the same groups: init, then for each
 * source enter, exec_feed_next …, leave; close. */
int exec_feed_init(struct exec_feed *f,
                   const struct plan_node *node,
                   const struct exec_ctx *ctx,
                   struct mem_owner *owner,
                   struct dn_err *err) DN_MUST_CHECK;
int exec_feed_enter(struct exec_feed *f,
                    const struct exec_units *u,
                    const struct scan_reader_options *options,
                    struct dn_err *err) DN_MUST_CHECK;
void exec_feed_leave(struct exec_feed *f);
void exec_feed_close(struct exec_feed *f); /* half-open or zeroed is fine */
/* The groups of agg are gone (exec_agg_reset): their numbers mean nothing any more. */
static inline void exec_feed_forget(struct exec_feed *f)
{
    f->serial++;
    mem_free(f->floors);
    f->floors = NULL;
    f->floors_count = f->floors_cap = 0;
}
/* Adds the next unit, or some of its rows; DN_EOF at the end. */
int exec_feed_next(struct exec_feed *f, struct dn_err *err) DN_MUST_CHECK;
/* Makes floors for groups 0 .. count - 1; new ones leave out nothing. */
int exec_feed_floors(struct exec_feed *f, uint32_t count, struct dn_err *err) DN_MUST_CHECK;
/* The group of the unit at hand has a value as near to the end as any of its rows. Where runs come
 * from that end on, what follows in its run cannot matter. */
void exec_feed_leave_run(struct exec_feed *f);
/* Tells the groups of the runs of the unit at hand, if they are known and of use; all rows of it
 * that are selected are added next, and f->agg.series is NULL again behind that. */
bool exec_feed_series(struct exec_feed *f);
/* Do all rows of the unit at hand count, and are their groups, all of them, those of the dictionary
 * that the groups know (exec_groups_has_dict)? Nothing is decoded to tell. */
int exec_feed_dict(struct exec_feed *f, bool *ret, struct dn_err *err) DN_MUST_CHECK;
/* Decoded rows to be added as batches, some at a time. */
int exec_feed_batches(struct exec_feed *f,
                      const struct batch *in,
                      uint32_t slice,
                      struct dn_err *err) DN_MUST_CHECK;

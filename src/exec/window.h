/* SPDX-License-Identifier: Apache-2.0
 *
 * window.h: the calls of a WINDOW node over partitions. The operator gathers rows, arguments of the
 * calls included, in a spool, and says where a partition begins and ends; here are the peers, the
 * frames and the results, a batch at a time. Rows are reached through cursors that only ever go
 * forwards, or back by as much as a frame is long: a partition need not fit in memory.
 *
 *     open -> (begin -> (part or go_on -> run …) … -> leave) … -> close
 *
 * One thread at a time. */
#pragma once

#include "exec/exec_int.h"
#include "exec/spool.h"
#include "func/winfunc.h"
#include "plan/window.h"
#include "vec/numeric.h"

#define EXEC_WINDOW_NO_COL UINT32_MAX

/* A partition: rows [first, first + rows) of the spool. Inside it rows count from 0. Where it goes
 * out before it is whole, `first` is modulo 2^32 the place that its first row would have, and
 * `rows` are those that are known so far. */
struct exec_window_part {
    uint32_t first;
    uint32_t rows;
};

/* Groups of peers, one after the other. */
struct exec_walk {
    struct exec_spool_cursor head;  /* first row of the group */
    struct exec_spool_cursor ahead; /* where it may end */
    uint32_t group;                 /* its number */
    uint32_t first;
    uint32_t end; /* first == end: before the first group, or after the last one */
};

/* A bound of RANGE with an offset: the value of the order column plus or minus it. Integers are
 * added here, all else is a column of the rows. */
struct exec_window_bound {
    int64_t offset; /* ROWS, GROUPS, and RANGE over integers: how far, forwards */
    uint32_t col;   /* RANGE over other types: column with the bound's value */
};

static inline bool exec_window_is_nan(const struct datum *d)
{
    return d->type == TYPE_NUMERIC  ? vnumeric_is_nan(d->num)
           : type_is_float(d->type) ? d->v.f64 != d->v.f64
                                    : false;
}

/* The frames of a call, row by row. */
struct exec_frames {
    bool desc;                           /* RANGE: the order falls */
    uint32_t start, end;                 /* of the row before: bounds never go back */
    struct exec_walk walk[2];            /* GROUPS with an offset: of the start, of the end */
    struct exec_spool_cursor cursors[2]; /* RANGE with an offset: the same */
    struct winfunc_range range;          /* without exclusion; first == end: empty */
    struct winfunc_range ranges[3];      /* what exclusion leaves of it */
    uint32_t ranges_count;
};

/* How far calls look from a row (window_reach.c). */
struct exec_window_reach {
    bool fast;      /* shortcuts may be taken */
    bool streams;   /* rows can go out before their partition is whole … */
    uint32_t ahead; /* … once so many rows behind them are there, … */
    bool peers;     /* … and all their peers: groups of peers count at all */
};

struct win_agg; /* window_agg.c */

struct exec_window_call {
    const struct plan_window_call *call; /* borrowed */
    uint32_t args[WINFUNC_ARGS_MAX];     /* columns of the rows */
    uint32_t args_count;
    uint32_t filter; /* column of the rows, EXEC_WINDOW_NO_COL: none */
    bool shifts;     /* the result is that of the row so far behind (before: < 0) */
    int64_t shift;
    struct exec_window_bound start, end;
    uint32_t value; /* RANGE with an offset: column that is compared with the bounds */
    struct exec_frames frames;
    struct exec_spool_cursor cursor;         /* rows whose values are wanted */
    struct win_agg *agg;                     /* in run: aggregates; NULL: a window function */
    struct datum args_now[WINFUNC_ARGS_MAX]; /* of a window function */
    void *data;                              /* in run: results of the rows of a batch */
    uint64_t *nulls;                         /* in run */
};

struct exec_window {
    const struct plan_window *plan;
    struct exec_ctx *ctx;
    struct mem_owner *owner;
    struct exec_spool *rows; /* borrowed */
    struct exec_window_call *calls;
    struct exec_spool_cursor now; /* the rows of the batch */
    struct exec_window_part part;
    struct exec_window_reach reach;
    struct exec_walk walk; /* peers of the row at hand */
    struct arena run;
    struct arena batch;      /* texts of results */
    uint32_t batch_first;    /* row of the spool that result 0 is of */
    uint32_t *peers_first;   /* in run, of the rows of a batch: rows of the partition */
    uint32_t *peers_end;     /* in run */
    uint32_t *groups_before; /* in run */
};

/* plan, ctx, owner and calls (with their columns) are set; run is initialized. close is right after
 * a failed open, and on zeroed memory. */
int exec_window_open(struct exec_window *w, struct dn_err *err) DN_MUST_CHECK;
void exec_window_close(struct exec_window *w);
/* From now on rows of this spool, whose columns are the same. */
int exec_window_begin(struct exec_window *w,
                      struct exec_spool *rows,
                      struct dn_err *err) DN_MUST_CHECK;
/* Nothing of the spool is looked at any more. */
void exec_window_leave(struct exec_window *w);
/* Results are from now on those of a batch that begins with this row. */
void exec_window_batch(struct exec_window *w, uint32_t first);
/* A partition begins. */
int exec_window_part(struct exec_window *w, uint32_t first, uint32_t rows, struct dn_err *err)
    DN_MUST_CHECK;
/* The partition at hand goes on: rows are in another place, and more of them are known. */
void exec_window_go_on(struct exec_window *w, uint32_t first, uint32_t rows);
/* The results of the next rows of the partition: [row, row + count) of the spool, all of the batch.
 */
int exec_window_run(struct exec_window *w, uint32_t row, uint32_t count, struct dn_err *err)
    DN_MUST_CHECK;

/* window_explain.c: op_ops.explain of WINDOW. */
int exec_window_explain(const struct plan_node *node,
                        struct exec_ctx *ctx,
                        struct buf *b,
                        struct dn_err *err) DN_MUST_CHECK;

/* ---- how far calls look (window_reach.c) ---- */

/* Sets reach, and shift of the calls; offsets of frames are there. */
void exec_window_reach(struct exec_window *w);
/* The first row of the partition that is still looked at when `next` is the next to go out. */
uint32_t exec_window_keep(const struct exec_window *w, uint32_t next);

/* ---- groups of peers (window.c) ---- */

void exec_walk_start(struct exec_walk *walk);
/* The next group; false at the end of the partition. */
int exec_walk_next(const struct exec_window *w,
                   struct exec_walk *walk,
                   bool *ret,
                   struct dn_err *err) DN_MUST_CHECK;

/* ---- frames (window_frame.c) ---- */

/* Calls fn for each cursor of the frames. */
typedef int (*exec_cursor_fn)(struct exec_spool_cursor *c, void *arg, struct dn_err *err);
int exec_frames_cursors(struct exec_frames *f, exec_cursor_fn fn, void *arg, struct dn_err *err)
    DN_MUST_CHECK;
void exec_frames_start(const struct exec_window *w, struct exec_window_call *call);
/* Frame of a row of the partition; rows are asked one after the other. */
int exec_frames_row(const struct exec_window *w,
                    struct exec_window_call *call,
                    uint32_t row,
                    struct dn_err *err) DN_MUST_CHECK;

/* ---- aggregates (window_agg.c) ---- */

int exec_window_agg_open(struct exec_window *w,
                         struct exec_window_call *call,
                         struct dn_err *err) DN_MUST_CHECK;
void exec_window_agg_close(struct exec_window_call *call);
void exec_window_agg_start(struct exec_window_call *call);
int exec_window_agg_run(struct exec_window_call *call,
                        uint32_t first,
                        uint32_t count,
                        struct dn_err *err) DN_MUST_CHECK;

/* Sets the result of a row of the partition. */
static inline void exec_window_put(const struct exec_window *w,
                                   struct exec_window_call *call,
                                   uint32_t row,
                                   const struct datum *d)
{
    uint32_t at = w->part.first + row - w->batch_first;

    datum_store(d, call->data, at);
    if (d->null)
        vec_bit_set(call->nulls, at);
}

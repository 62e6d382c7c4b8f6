/* SPDX-License-Identifier: Apache-2.0
 *
 * window.h: the calls of a WINDOW node over partitions that lie in memory. The operator gathers
 * rows, arguments of the calls included, and says where a partition begins and ends; here are the
 * peers, the frames and the results.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec_int.h"
#include "exec/rows.h"
#include "func/winfunc.h"
#include "plan/window.h"

#define EXEC_WINDOW_NO_COL UINT32_MAX

/* A bound of RANGE with an offset: the value of the order column plus or minus it. Integers are
 * added here, all else is a column of the rows. */
struct exec_window_bound {
    int64_t offset; /* ROWS, GROUPS, and RANGE over integers: how far, forwards */
    uint32_t col;   /* RANGE over other types: column with the bound's value */
};

struct exec_window_call {
    const struct plan_window_call *call; /* borrowed */
    uint32_t args[WINFUNC_ARGS_MAX];     /* columns of the rows */
    uint32_t args_count;
    uint32_t filter; /* column of the rows, EXEC_WINDOW_NO_COL: none */
    struct exec_window_bound start, end;
    uint32_t value;  /* RANGE with an offset: column that is compared with the bounds */
    void *data;      /* results of the rows at hand, in round */
    uint64_t *nulls; /* in round */
};

/* A partition: rows [first, end) of the rows at hand. Inside it rows count from 0. */
struct exec_window_part {
    uint32_t first;
    uint32_t rows;
    uint32_t *group_of; /* in round: group of peers, of each row */
    uint32_t *groups;   /* in round: first row of each group, and one past the last row */
    uint32_t groups_count;
};

struct exec_window {
    const struct plan_window *plan;
    struct exec_ctx *ctx;
    struct exec_rows *rows; /* the rows at hand; borrowed */
    struct exec_window_call *calls;
    struct arena round; /* results and scratch of the rows at hand */
    struct arena part;  /* scratch of a partition */
};

/* Memory for the results of all rows at hand. */
int exec_window_round(struct exec_window *w, struct dn_err *err) DN_MUST_CHECK;
/* All calls over a partition. */
int exec_window_run(struct exec_window *w, uint32_t first, uint32_t end, struct dn_err *err)
    DN_MUST_CHECK;

/* ---- frames (window_frame.c) ---- */

struct exec_frames {
    const struct exec_window *w;
    const struct exec_window_call *call;
    const struct exec_window_part *part;
    bool desc;                      /* RANGE: the order falls */
    uint32_t start, end;            /* of the row before: bounds never go back */
    struct winfunc_range range;     /* without exclusion; first == end: empty */
    struct winfunc_range ranges[3]; /* what exclusion leaves of it */
    uint32_t ranges_count;
};

void exec_frames_start(struct exec_frames *f,
                       const struct exec_window *w,
                       const struct exec_window_call *call,
                       const struct exec_window_part *part);
/* Frame of a row; rows are asked one after the other. */
void exec_frames_row(struct exec_frames *f, uint32_t row);

/* ---- aggregates (window_agg.c) ---- */

int exec_window_agg(struct exec_window *w,
                    struct exec_window_call *call,
                    const struct exec_window_part *part,
                    struct dn_err *err) DN_MUST_CHECK;

/* Sets the result of a row (of all rows at hand). */
static inline void
exec_window_put(struct exec_window_call *call, uint32_t row, const struct datum *d)
{
    datum_store(d, call->data, row);
    if (d->null)
        vec_bit_set(call->nulls, row);
}

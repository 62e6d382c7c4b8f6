/* SPDX-License-Identifier: Apache-2.0
 *
 * window.h: what a WINDOW node computes. Memory and threads as in node.h. */
#pragma once

#include "plan/node.h"

struct winfunc; /* func/winfunc.h */

enum plan_frame_mode { PLAN_FRAME_ROWS, PLAN_FRAME_RANGE, PLAN_FRAME_GROUPS };
enum plan_frame_bound {
    PLAN_BOUND_UNBOUNDED_PRECEDING,
    PLAN_BOUND_PRECEDING, /* offset */
    PLAN_BOUND_CURRENT,
    PLAN_BOUND_FOLLOWING, /* offset */
    PLAN_BOUND_UNBOUNDED_FOLLOWING
};
enum plan_frame_exclude {
    PLAN_EXCLUDE_NONE,
    PLAN_EXCLUDE_CURRENT,
    PLAN_EXCLUDE_GROUP,
    PLAN_EXCLUDE_TIES
};

struct plan_frame {
    enum plan_frame_mode mode;
    enum plan_frame_bound start, end;
    struct bexpr *start_offset; /* no columns; BIGINT for ROWS and GROUPS; RANGE: BIGINT, DOUBLE,
                                   NUMERIC or INTERVAL, to be added to the one order column */
    struct bexpr *end_offset;
    enum plan_frame_exclude exclude;
};

/* One call OVER a window: a window function or an aggregate. */
struct plan_window_call {
    const struct winfunc *fn; /* row_number …; NULL: an aggregate */
    struct plan_agg agg;      /* the aggregate; arguments over the input's columns */
    struct bexpr **args;      /* of fn, over the input's columns */
    uint32_t args_count;
    struct bexpr *filter; /* aggregates: FILTER; NULL = none */
    struct plan_frame frame;
    enum type_id type; /* of the result */
    uint32_t pos;
};

/* All calls of a node have the same PARTITION BY and ORDER BY; the input comes sorted by both.
 * Columns: those of the input, then one for each call. */
struct plan_window {
    uint32_t *partition; /* columns of the input */
    uint32_t partition_count;
    struct plan_sort_key *order;
    uint32_t order_count;
    struct plan_window_call *calls;
    uint32_t calls_count;
};

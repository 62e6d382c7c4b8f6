/* SPDX-License-Identifier: Apache-2.0
 *
 * winfunc.h: window functions: one descriptor row each. A kernel says for one row, from where it
 * stands in its partition, what the result is: a number of its own, or the value that an argument
 * has in some row. Aggregates over windows are func.h's.
 *
 * Any thread; no state but the call's. */
#pragma once

#include "func/func.h"

struct winfunc_range {
    int64_t first;
    int64_t end; /* one past the last */
};

/* Where a row stands. Rows of a partition count from 0, in its order. */
struct winfunc_row {
    int64_t row;
    int64_t rows;               /* of the partition */
    struct winfunc_range peers; /* rows that the order does not tell apart, this one among them */
    int64_t groups_before;      /* groups of peers before that */
    const struct winfunc_range *frame; /* framed: ascending, none empty */
    uint32_t frame_count;
    uint32_t pos; /* of the call in the SQL text */
};

enum winfunc_answer {
    WINFUNC_NULL,
    WINFUNC_VALUE, /* v */
    WINFUNC_ROW,   /* the first argument in row `row` */
    WINFUNC_ARG,   /* the third argument in this row */
};

struct winfunc_result {
    enum winfunc_answer answer;
    union vfixed v;
    int64_t row;
};

#define WINFUNC_ARGS_MAX 3u

/* What a kernel looks at beside the row's own number: how much of a partition must be at hand. */
enum winfunc_reach {
    WINFUNC_REACH_ALL,    /* anything: the partition must be whole */
    WINFUNC_REACH_NUMBER, /* nothing: the result is the number from 1 */
    WINFUNC_REACH_PEERS,  /* where its peers begin */
    WINFUNC_REACH_BACK,   /* the row so many before: the second argument, 1 without */
    WINFUNC_REACH_AHEAD,  /* the row so many behind */
    WINFUNC_REACH_FRAME,  /* rows of the frame */
};

struct winfunc {
    const char *name;                    /* lower case */
    enum type_id args[WINFUNC_ARGS_MAX]; /* TYPE_NONE: any; the third is of the first one's type */
    uint32_t args_count;
    enum type_id result; /* TYPE_NONE: the type of the first argument */
    bool framed;         /* the frame counts */
    /* args are the values in this row; of ntile, those in the first row of the partition. */
    int (*kernel)(const struct winfunc_row *w,
                  const struct datum *args,
                  struct winfunc_result *ret,
                  struct dn_err *err);
    bool args_once; /* arguments are those of the first row of the partition */
    const char *doc;
    const char *example;
    enum winfunc_reach reach;
};

/* The row for so many arguments of these types; casts and errors as func_find. ret_result is the
 * type of the result. */
const struct winfunc *winfunc_find(const char *name,
                                   const enum type_id *types,
                                   uint32_t count,
                                   enum type_id *ret_casts,
                                   enum type_id *ret_result,
                                   uint32_t pos,
                                   struct dn_err *err);
bool winfunc_name_exists(const char *name);
const struct winfunc *winfunc_at(uint32_t i); /* NULL past the end */

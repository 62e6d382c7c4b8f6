/* SPDX-License-Identifier: Apache-2.0
 *
 * quota.h: only the first rows of each series count. Above a sort by series and then by the rest of
 * the key, DISTINCT ON (series) takes one row of each series, and a filter row_number() <= n takes
 * n. The scan below reads a series in just that order, from one end or the other: once it has
 * returned so many rows of a series that pass its conditions, it leaves out the others, whole
 * vectors and blocks of them without decoding. What is above stays as it is and sees fewer rows.
 *
 * One thread at a time. */
#pragma once

#include "exec/groups.h"
#include "exec/source.h"

/* What a plan says: found by exec_quota_find. */
struct exec_quota_plan {
    const struct plan_node *scan;
    uint32_t rows;                    /* of each series */
    bool backward;                    /* they are the last ones in physical order */
    uint32_t cols[TABLE_COLUMNS_MAX]; /* of the scan: the sort's keys, series columns first */
};

/* Does the SORT order rows by series, then as the scan below reads them or the other way round, as
 * far as it goes? */
bool exec_quota_order(const struct plan_node *sort, struct exec_quota_plan *ret);

/* node is a UNIQUE or a FILTER; false: nothing like it. */
bool exec_quota_find(const struct plan_node *node, struct exec_quota_plan *ret);
/* "the scan returns 1 row of each series, from the last on": a line for EXPLAIN, if there is
 * something to say. */
void exec_quota_explain(const struct plan_node *node, const struct exec_ctx *ctx, struct buf *b);

struct exec_quota {
    uint32_t rows;
    bool backward;
    const uint32_t *cols; /* of the scan: series columns */
    uint32_t cols_count;
    struct exec_groups series;
    uint32_t *taken; /* owned: rows of each so far */
    uint32_t taken_cap;
    struct vec *keys; /* in the source's run arena */
    uint32_t ids[VEC_ROWS_MAX];
    uint16_t sel[VEC_ROWS_MAX];
};

/* An operator that has just been opened tells the scan below it, if the plan allows and shortcuts
 * may be taken. */
int exec_quota_tell(struct op *op, struct dn_err *err) DN_MUST_CHECK;
void exec_quota_done(struct exec_quota *q); /* NULL is fine */
/* Has the series of the unit at hand all its rows? */
int exec_quota_full(struct exec_reader *r, bool *ret, struct dn_err *err) DN_MUST_CHECK;
/* Leaves out rows of series that have theirs. */
int exec_quota_select(struct exec_reader *r, struct batch *batch, struct dn_err *err) DN_MUST_CHECK;

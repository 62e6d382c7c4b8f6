/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.h: how much of a run is done. Work is counted in rows of scans, each weighted by what
 * the operators above it do with a row, and in rows that sorts and windows put in order and give
 * back. What there is to do in all is estimated before the run begins, so that the share that is
 * done does not jump back when a second scan is opened, and is corrected when a scan knows how many
 * rows it will look at and a sort how many it has.
 *
 * Any thread counts; the statement's own thread does all else. */
#pragma once

#include "base/arena.h"
#include "exec/exec.h"

#define EXEC_WORK      16u /* work of looking at one row */
#define EXEC_WORK_PAIR 4u  /* of looking at a pair of rows in a join without keys */

/* What the run of a plan will come to, before it is opened. Out of memory only makes it worse. */
void exec_progress_plan(struct exec_progress *p,
                        const struct plan *plan,
                        const struct plan_env *env,
                        struct arena *arena);
/* A scan is open and will look at about so many rows. Returns the work of each. */
uint32_t exec_progress_scan(struct exec_progress *p, const struct plan_node *scan, uint64_t rows);
/* A sort has so many rows to put in order, and gives back so many. */
void exec_progress_sort(struct exec_progress *p,
                        const struct plan_node *sort,
                        uint64_t rows,
                        uint64_t kept);
/* Work that a sort does when it goes over `moved` of its rows once. */
uint64_t exec_progress_moved(uint64_t rows, uint64_t moved);

/* Work of giving back rows in order; sorted: that they were put in order was not counted before. */
uint64_t exec_progress_given(uint64_t rows, bool sorted);

/* Work was done. */
static inline void exec_worked(const struct exec_ctx *ctx, uint64_t work)
{
    if (ctx->progress)
        atomic_fetch_add_explicit(&ctx->progress->work, work, memory_order_relaxed);
}

/* The share that is done, 0 to 1; < 0: not known. */
double exec_progress_share(const struct exec_progress *p);

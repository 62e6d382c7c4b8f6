/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_runs.h: a sort that outgrew its memory. Rows that were sorted in memory (sort_rows.h) are
 * put aside as a run, key and all (spill.h); at the end the runs are merged, as many at a time as
 * there is memory for, in several passes if need be. Runs keep the order in which they were added
 * and of equal keys the earlier run wins, so the sort stays stable.
 *
 *     init -> add … -> start -> next … (DN_EOF) -> done
 *
 * One thread at a time. */
#pragma once

#include "exec/sort_rows.h"
#include "exec/spill.h"

struct exec_sort_head; /* a run that is being merged */

struct exec_sort_pick {
    uint32_t run;
    uint32_t row; /* of its batch */
};

struct exec_sort_runs {
    struct volume *volume;   /* borrowed */
    struct mem_owner *owner; /* borrowed */
    enum type_id *types;     /* owned: those of the rows, then BLOB for the key */
    uint32_t cols_count;     /* with the key */
    size_t memory;           /* bytes to get along with */
    struct exec_spill spill; /* the runs, a part each */
    uint64_t bytes;          /* written to scratch in all */
    exec_sort_check_fn check;
    const void *check_arg;
    /* merging */
    struct exec_sort_head *heads; /* owned, heads_count */
    uint32_t heads_count;
    uint32_t *heap; /* owned: heads by their next key, least first */
    uint32_t heap_count;
    bool dry; /* the least one must read on first */
    struct arena batch;
    struct vec *out;              /* owned, cols_count */
    struct exec_sort_pick *picks; /* owned, VEC_ROWS_MAX */
};

struct exec_sort_runs_options {
    struct volume *volume;
    struct mem_owner *owner;
    const enum type_id *types; /* of the rows; copied */
    uint32_t cols_count;
    size_t memory;
    exec_sort_check_fn check; /* asked for every batch */
    const void *check_arg;
};

/* done is right after a failed init, and on zeroed memory. */
int exec_sort_runs_init(struct exec_sort_runs *r,
                        const struct exec_sort_runs_options *options,
                        struct dn_err *err) DN_MUST_CHECK;
void exec_sort_runs_done(struct exec_sort_runs *r);
static inline bool exec_sort_runs_any(const struct exec_sort_runs *r)
{
    return exec_spill_is_open(&r->spill);
}

/* The first `count` rows of an ordered set become a run. */
int exec_sort_runs_add(struct exec_sort_runs *r,
                       const struct exec_sort_rows *rows,
                       uint32_t count,
                       struct dn_err *err) DN_MUST_CHECK;
/* No more runs: merges until the rest can be merged at once. */
int exec_sort_runs_start(struct exec_sort_runs *r, struct dn_err *err) DN_MUST_CHECK;
/* The next rows in order; the last column is the key. */
int exec_sort_runs_next(struct exec_sort_runs *r,
                        struct batch *ret,
                        struct dn_err *err) DN_MUST_CHECK;

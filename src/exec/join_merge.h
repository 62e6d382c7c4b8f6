/* SPDX-License-Identifier: Apache-2.0
 *
 * join_merge.h: a join whose sides both come in the physical order of tables with keys alike
 * (plan_join.merge): one goes through both together. Nothing is kept but a batch of each. Columns
 * go on as they are (left) or as codes (right).
 *
 * A run is rows of one slab and one series. Runs of both sides are compared as wholes: by slab,
 * token and series; only rows of the same run are compared with each other, by the rest of the key.
 * No two rows of a side have the same key.
 *
 * One thread at a time. */
#pragma once

#include "exec/join.h"

struct exec_merge_side {
    struct op *op; /* borrowed; NULL once it has no more rows */
    struct batch in;
    struct eval ev;
    struct arena batch; /* keys of the batch */
    struct vec *keys;   /* in run of the merge */
    uint32_t at;        /* selected row */
    uint32_t run_end;   /* selected row after those of the run */
    int64_t slab;
    int64_t slab_end;
    int64_t token;
    struct datum *series; /* in run: values of the run */
};

struct exec_merge {
    struct op *op; /* JOIN */
    struct exec_joiner *joiner;
    const struct table *table; /* of the left; the other has the same key */
    uint32_t time_key;         /* the key that is the time column; keys_count: none */
    struct exec_merge_side side[2];
    struct arena run;
    struct buf scratch;
    bool started;      /* both sides are open */
    bool compared;     /* order is that of the runs at hand */
    int order;         /* of the left run against the right one */
    bool left_open;    /* there is a left batch */
    uint32_t count;    /* left rows with a match in the right batch */
    uint16_t *matches; /* in run: they, and by left row: */
    uint16_t *rows;    /* in run: the right row */
    bool right_open; /* FULL: there is a right batch whose rows without a match did not come yet */
    uint64_t *right_hits; /* in run, FULL: its rows with a match */
    uint16_t *right_sel;  /* in run, FULL */
};

/* Is the join merged? */
static inline bool exec_merges(const struct plan_node *node, const struct exec_ctx *ctx)
{
    return node->join->merge && exec_fast(ctx);
}

/* close is right after a failed open, and on zeroed memory. */
int exec_merge_open(struct exec_merge *m,
                    struct op *op,
                    struct exec_joiner *joiner,
                    struct dn_err *err) DN_MUST_CHECK;
void exec_merge_close(struct exec_merge *m);
/* Rows of the result; maybe none are selected. DN_EOF at the end. */
int exec_merge_next(struct exec_merge *m, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;

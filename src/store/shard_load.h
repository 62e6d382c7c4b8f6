/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load.h: many rows of one table straight into segments, past the log and the memtables that
 * readers see.
 *
 *     shard_load_begin                  rows committed before are older, later ones newer
 *     shard_load_add …                  parts of rows; full batches are written in the background
 *     shard_load_end                    everything is durable and visible
 *     shard_load_free                   what is not committed by then was never there
 *
 * A commit is one change of the manifest that names the segments of one batch or (whole) of all of
 * them. Rows before a horizon that moved meanwhile are refused (DN_E_LATE_ROW) or left out
 * (late.h). Of rows with the same key the last one added stays. Rows in physical order cost the
 * least, and parts whose rows of a series are neighbours and in the order of the key.
 *
 * One thread at a time per load; any number of loads at once. */
#pragma once

#include "store/shard.h"

struct shard_load;

struct shard_load_options {
    size_t batch_bytes; /* of memory for a batch; meanwhile an eighth of the next one may come */
    bool whole;         /* one commit at the end, not one for each batch */
    uint32_t task_rows; /* of a batch that are worth a task of their own; 0 = as many as are */
    const atomic_bool *cancel; /* looked at until the commit; NULL = never */
    /* The table has gone when rows are to be committed: which other one, with the same definition,
     * takes them? Any thread, no locks held; gives a reference. NULL: none does. Rows of commits
     * before that stay where they are. */
    int (*route)(void *arg, const struct table *t, struct table **ret, struct dn_err *err);
    void *route_arg;
};

/* Rows, and the memory that they are in. */
struct shard_load_part {
    const struct vec *cols; /* as in struct shard_batch: all of the table; strings may be DICT */
    uint32_t rows;
    enum row_op op;             /* ROW_PUT or ROW_PATCH */
    int64_t expiry_ns;          /* of its rows, as in struct shard_batch */
    const int64_t *expiries;    /* of each of them instead, or ROW_NEVER; NULL = as above */
    size_t bytes;               /* what they hold on to */
    void (*release)(void *arg); /* when nobody needs them any more; any thread. NULL: they live
                                   until shard_load_end or shard_load_free */
    void *arg;
};

int shard_load_begin(struct shard *s,
                     const struct table *t,
                     const struct shard_load_options *options,
                     struct shard_load **ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* The part is released also when this fails. Says too when an earlier batch could not be written;
 * after an error the load is at its end. */
int shard_load_add(struct shard_load *l,
                   const struct shard_load_part *part,
                   struct dn_err *err) DN_MUST_CHECK;
int shard_load_end(struct shard_load *l, struct dn_err *err) DN_MUST_CHECK;
void shard_load_free(struct shard_load *l); /* NULL is fine */

/* Rows that are durable and visible. After shard_load_wait no batch is on its way that could add to
 * them. */
uint64_t shard_load_committed(struct shard_load *l);
void shard_load_wait(struct shard_load *l);
/* Several batches were committed, and their pieces of series are so short that queries are much
 * faster once they are merged. */
bool shard_load_scattered(const struct shard_load *l);

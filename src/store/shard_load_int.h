/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_int.h: a batch of a load, for shard_load*.c. One thread at a time. */
#pragma once

#include "store/seg_sink.h"
#include "store/shard_load.h"

struct load_batch {
    struct shard_load_part *parts; /* owned array */
    size_t parts_count;
    size_t parts_cap;
    uint64_t rows;
    size_t bytes;
    uint64_t seq;        /* of its rows */
    uint64_t rowid_base; /* append tables: of the first row */
    uint32_t task_rows;  /* as in the load's options */
};

/* Writes the rows as segments if each series is in the order of its key as it is, without a copy.
 * DN_NOT_FOUND: it is not, nothing was written. */
int shard_load_runs(struct shard *s,
                    const struct table *t,
                    const struct load_batch *batch,
                    struct seg_sink *sink,
                    struct dn_err *err) DN_MUST_CHECK;

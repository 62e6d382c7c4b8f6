/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_copy.h: rows of some slabs of a table into a table of another shard: what DETACH and ATTACH
 * PARTITION do. They arrive in one commit (shard_load.h), and are new rows there.
 *
 * One thread at a time per copy; both shards may be used by others meanwhile. */
#pragma once

#include "store/scan.h"
#include "store/shard_slabs.h"

/* The times of ranges of slabs as a constraint of a scan. set: room for `count`, filled. The ranges
 * ascend. A scan may give a few rows more than these. */
struct scan_pred shard_slabs_pred(const struct table *t,
                                  const struct shard_slab_range *ranges,
                                  uint32_t count,
                                  struct interval *set);

struct shard_copy {
    struct snapshot *from; /* borrowed */
    const struct table *from_table;
    const struct shard_slab_range *ranges; /* ascending, of from_table */
    uint32_t ranges_count;
    struct shard *to;
    const struct table *to_table;
    const uint16_t *map;       /* by column of to_table: that of from_table, of the same type */
    struct mem_owner *owner;   /* what is on its way is charged here */
    const atomic_bool *cancel; /* NULL = never */
};
/* All of it or nothing. */
int shard_copy_run(const struct shard_copy *c,
                   uint64_t *ret_rows,
                   struct dn_err *err) DN_MUST_CHECK;

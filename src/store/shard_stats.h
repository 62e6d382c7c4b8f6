/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_stats.h: figures by table. Under the shard's lock. */
#pragma once

#include "store/segment.h"

struct shard;

/* What flushes (and loads) and merges wrote for a table since open. */
struct write_counter {
    uint64_t table_id;
    uint64_t flush_bytes;
    uint64_t merge_bytes;
};

/* Counts what a flush (level 0) or a merge wrote. */
void shard_count_writes(struct shard *s, const struct seg_meta *metas, size_t count, bool merge);

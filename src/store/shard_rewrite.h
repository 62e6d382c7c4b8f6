/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_rewrite.h: rows of segments once more, through a sink: for merges, and for loads whose
 * table has gone. One thread at a time. */
#pragma once

#include "store/scan_all.h"
#include "store/seg_sink.h"

struct shard_rewrite {
    const struct table *t;      /* whose rows they are; the sink's has the same columns */
    struct segref *const *refs; /* borrowed */
    size_t count;
    struct scan_fold fold; /* what becomes of versions; with a list of ranges, if an empty one */
    bool yields;           /* it ends when it is in somebody's way: DN_E_CANCELED */
    int64_t rowids_up;     /* added to the ids of rows of a table without a key */
};

/* Ends with seg_sink_finish. */
int shard_rewrite(struct shard *s,
                  const struct shard_rewrite *w,
                  struct seg_sink *sink,
                  struct dn_err *err) DN_MUST_CHECK;

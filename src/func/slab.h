/* SPDX-License-Identifier: Apache-2.0
 *
 * slab.h: what pg_catalog's dendro_partitions asks the session for: the slabs of a table
 * (store/shard_slabs.h, which is above). Threads as in session.h. */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct table;

struct func_slab {
    int64_t start, end, time_min, time_max; /* in the unit of the time column */
    uint64_t rows, bytes, segments, memtable_rows;
};
typedef void (*func_slab_fn)(void *arg, const struct func_slab *slab);
/* fn for each slab of a table with slabs, in the order of time. */
typedef int (*func_slabs_fn)(
    void *arg, const struct table *t, func_slab_fn fn, void *fn_arg, struct dn_err *err);

/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_all.h: scans of every store column over sources that the caller names, whatever a snapshot
 * would see: for merges, and for what a transaction comes to. They are read with scan_next. Threads
 * as scan.h. */
#pragma once

#include "store/scan.h"

struct memgroup;
struct segref;

/* What a merge does with versions. */
struct scan_fold {
    bool final;                      /* as in struct scan */
    const struct range_list *ranges; /* rows that these hit are left out */
    int64_t now_ns; /* final: rows that expired up to here are left out; otherwise ROW_EARLY, they
                       may be in the way of older versions elsewhere */
};
/* scan.c: all rows of some segments, every store column in order, whatever a snapshot would see. */
int scan_open_segments(struct shard *shard,
                       const struct table *t,
                       struct segref *const *refs,
                       size_t count,
                       const struct scan_fold *fold,
                       struct scan **ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* scan.c: the same for a set of memtables, patches and deletes kept: what a transaction comes to.
 * cancel is looked at while they are sorted; NULL = never. */
int scan_open_set(struct shard *shard,
                  const struct table *t,
                  struct memgroup *set,
                  const atomic_bool *cancel,
                  struct scan **ret,
                  struct dn_err *err) DN_MUST_CHECK;

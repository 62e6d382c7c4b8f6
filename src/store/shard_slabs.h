/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_slabs.h: the slabs of a table as things of their own: which there are and what they cost,
 * and dropping them. A slab is what table_slab (catalog/table.h) says of a time.
 *
 * Any thread. */
#pragma once

#include "store/shard.h"

/* One slab. What is counted are stored versions: a row that was overwritten counts twice until a
 * merge, and so does one deleted by its key. What a range tombstone hits whole (dropped slabs,
 * deletes by time) does not count, whether its space has come back or not. */
struct shard_slab {
    int64_t start;    /* of the time column's unit; 0 for tables with one slab */
    int64_t end;      /* first instant after it; INT64_MAX: the end of time */
    int64_t time_min; /* of its rows; more than time_max when there are no times */
    int64_t time_max;
    uint64_t rows;          /* in segments and memtables */
    uint64_t memtable_rows; /* of them in memtables */
    uint64_t bytes;         /* of segments. One that holds several small slabs: its bytes are shared
                               out among them by their rows */
    uint64_t segments;      /* with rows of it */
};

struct shard_slabs {
    struct shard_slab *list; /* owned; ascending by start; none is without rows */
    uint32_t count;
};

/* The slabs of a table as a snapshot has them, without the rows of a transaction. Segments with one
 * slab are not opened, of others only the directory is read; rows in memtables are walked. */
int shard_slabs_list(struct snapshot *snap,
                     const struct table *t,
                     struct mem_owner *owner,
                     struct shard_slabs *ret,
                     struct dn_err *err) DN_MUST_CHECK;
void shard_slabs_done(struct shard_slabs *l); /* zeroed is fine */

/* Deletes all rows of a table whose slab starts at first..last, both included (INT64_MIN: all up to
 * last): one range tombstone, then one manifest change without the segments that hold nothing else,
 * then their objects are deleted with their last reader. Rows of segments that hold other slabs
 * too, and of memtables, are hidden by the tombstone. What it costs does not depend on how many
 * rows there are, and no writer waits for it.
 *
 * What is dropped stays dropped once this returned DN_OK: no replay of the log brings it back. A
 * manifest that cannot be written then is no failure: the next flush, or the next call, gives the
 * space back. Rows that are written afterwards are new ones; a transaction that has read rows of
 * the slabs and writes them fails at its COMMIT. Nothing to drop is no error.
 *
 * Errors: DN_E_CONFLICT while a bulk load is under way; DN_E_TABLE_CHANGED if t is not in force;
 * what shard_write says. */
int shard_slabs_drop(struct shard *s,
                     const struct table *t,
                     int64_t first,
                     int64_t last,
                     struct dn_err *err) DN_MUST_CHECK;
/* The same for all before a horizon that the shard's catalog has: loads under way are no conflict,
 * their rows are late ones, too (late.h). */
int shard_slabs_retain(struct shard *s, const struct table *t, int64_t horizon, struct dn_err *err)
    DN_MUST_CHECK;

/* The same for several ranges at once: one commit, one manifest change. */
struct shard_slab_range {
    int64_t first;
    int64_t last;
};
struct shard_slabs_what {
    const struct shard_slab_range *ranges; /* they do not overlap */
    uint32_t count;                        /* 0: nothing is done */
    uint64_t check_seq; /* != 0: DN_E_CONFLICT if a slab has anything newer than this snapshot's
                           sequence */
    const atomic_bool *cancel; /* looked at until the commit is on its way; NULL = never */
    bool beyond;               /* as in struct shard_batch */
};
int shard_slabs_drop_all(struct shard *s,
                         const struct table *t,
                         const struct shard_slabs_what *what,
                         struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * overlay.h: what a transaction has written and nobody else sees: memtables and range tombstones of
 * its own over a snapshot that stays the same from its first statement on.
 *
 *     overlay_new                       takes the snapshot
 *     overlay_snapshot … snapshot_free  what a statement reads: the snapshot and all written so far
 *     overlay_write …                   rows of statements
 *     overlay_mark … overlay_rollback   savepoints
 *     overlay_commit                    what it all comes to, in one commit of the shard
 *     overlay_free                      or nothing of it
 *
 * Its rows have sequences of their own above all of the shard's, eight for each batch: an odd one
 * says that the row must not have changed since the snapshot (first committer wins), one with the
 * second bit that it was inserted, and with the third that its table was named for that (struct
 * shard_batch). Rows that are new in a table without a key have row ids above all others until they
 * are committed.
 *
 * One thread at a time; the snapshots it gave may be read by any thread, and outlive it. */
#pragma once

#include "store/shard.h"

struct overlay;

/* cat: the one that the shard has now. owner: whose memory its rows take, NULL = the shard's; it
 * must outlive every snapshot of it. limit: bytes that they may take. NULL: out of memory. */
struct overlay *
overlay_new(struct shard *s, struct catalog *cat, struct mem_owner *owner, size_t limit);
/* The same over a snapshot that overlay_base gave, of the same shard: it reads what the other one
 * read first. cat: the one that snapshot was taken with. */
struct overlay *overlay_new_over(struct shard *s,
                                 struct catalog *cat,
                                 const struct snapshot *base,
                                 struct mem_owner *owner,
                                 size_t limit);
void overlay_free(struct overlay *o); /* NULL is fine */
/* The snapshot below it, without anything that it has written. NULL: out of memory. */
struct snapshot *overlay_base(const struct overlay *o);

/* As shard_expires, of what it has written. */
bool overlay_expires(const struct overlay *o, uint64_t table_id);
/* Everything written up to a mark. NULL: out of memory. */
struct snapshot *overlay_snapshot(const struct overlay *o, uint64_t mark);
/* As shard_write, unseen by others. check_seq: 0 or the snapshot's. After an error rows of the call
 * may be there: the caller rolls back to a mark from before it. DN_E_CANCELED: the flag went up
 * (base/cancel.h; NULL = never). */
int overlay_write(struct overlay *o,
                  const struct shard_batch *batches,
                  size_t count,
                  const atomic_bool *cancel,
                  struct dn_err *err) DN_MUST_CHECK;

/* Rows that must not have changed since the snapshot, although nothing of them is written (SELECT …
 * FOR UPDATE): of the batch the columns of the key count, all others are NULL. Those that only the
 * transaction has are passed over. */
int overlay_hold(struct overlay *o,
                 const struct shard_batch *b,
                 const atomic_bool *cancel,
                 struct dn_err *err) DN_MUST_CHECK;

/* The same for all rows of a table, those that may come included: nobody else may have written to
 * it (a definition was made that must hold for every row, or the rows were copied). */
int overlay_hold_table(struct overlay *o, const struct table *t, struct dn_err *err) DN_MUST_CHECK;

/* Where it stands; and back to there. No snapshot with a later mark may be in use. */
uint64_t overlay_mark(const struct overlay *o);
void overlay_rollback(struct overlay *o, uint64_t mark);
uint64_t overlay_snapshot_mark(const struct snapshot *snap); /* 0: of no overlay */

/* The transaction changed the catalog for itself: its next snapshots read with this one. */
int overlay_set_catalog(struct overlay *o, struct catalog *cat, struct dn_err *err) DN_MUST_CHECK;

/* Definitions of tables with rows or range tombstones: *at is 0 at first; NULL: no more. */
const struct table *overlay_table(const struct overlay *o, size_t *at);
bool overlay_empty(const struct overlay *o);
/* Were rows inserted into the table that named it? They go nowhere else. */
bool overlay_named(const struct overlay *o, uint64_t table_id);

/* A table that will be gone when the rows are committed: a shard of a time partition that was
 * evicted. Rows that were inserted go to another table, which is alike; what was done to rows that
 * it had went with them. */
struct overlay_route {
    uint64_t from;
    const struct table *to; /* NULL: nothing was inserted */
};
/* For the next commit; borrowed until it returns. */
void overlay_set_routes(struct overlay *o, const struct overlay_route *routes, size_t count);

/* Whole or not at all, as shard_write. DN_E_CONFLICT: somebody else changed what it changes.
 * publish not NULL: the catalog goes with the rows, as a ROW_CATALOG batch says (shard.h). */
int overlay_commit(struct overlay *o,
                   const struct shard_how *how,
                   void (*publish)(void *arg),
                   void *publish_arg,
                   struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard.h: the unit the engine runs: one log with the records of all tables, memtables, segments
 * and the manifest that names them. Embedded databases have exactly one.
 *
 *     shard_open   recovers: manifest, log replay, orphans swept
 *     shard_write  one commit: whole or not at all, durable when it returns (sync), then visible
 *     shard_snapshot … scan_open (scan.h) … snapshot_free
 *     shard_flush  memtables to segments, log trimmed
 *     shard_close  stops background work; nothing needs saving, the log has it
 *
 * Any thread. */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "store/range.h"
#include "store/rows.h"
#include "volume/volume.h"

#include <stdatomic.h>

struct shard;
struct snapshot;

struct shard_options {
    struct mem_owner *owner; /* everything is charged here; its limit is the memory limit */
    size_t memtable_bytes;   /* flush at this size; writers wait while there is three times that */
    size_t log_chunk_bytes;  /* roll at this size */
    size_t cache_bytes;      /* of the segment cache */
    bool read_only;          /* replay into memory, write nothing */
    bool background;         /* flush in tasks of the scheduler; false: inside shard_write */
    /* Where a catalog goes that the log has and `cat` is older than; one reference. shard_open
     * fails then (DN_E_TABLE_CHANGED) and wants to be called again with it. */
    struct catalog **newer;
    bool catalog_unsaved; /* `cat` is out of the log, and there was no space for the document: as
                             after shard_catalog_unsaved */
};

int shard_open(struct volume *v,
               struct catalog *cat,
               const struct shard_options *options,
               struct shard **ret,
               struct dn_err *err) DN_MUST_CHECK;
void shard_close(struct shard *s); /* NULL is fine; no snapshots may be left */

/* Before the first catalog of a database is saved: its manifest is there, also where opening had to
 * put it off because the disk was full. A catalog without a manifest is a database that lost it. */
int shard_ensure_manifest(struct shard *s, struct dn_err *err) DN_MUST_CHECK;

/* Tells the shard of a new catalog (after catalog_save). Tables that are gone lose memtables and
 * segments: one manifest change, then their objects are deleted. Rows of tables that were altered
 * stay as they are; snapshots from now on read them with the new definition: columns by their ids,
 * missing ones as their default. A manifest that cannot be written is no failure: readers go on
 * with the new catalog, and a later write, or the next open, drops the objects. */
int shard_set_catalog(struct shard *s, struct catalog *cat, struct dn_err *err) DN_MUST_CHECK;

/* After a commit with ROW_CATALOG, one of: the document has that catalog, or a newer one, and
 * shard_set_catalog was called with it; or that did not work out yet. Until it does nothing is
 * flushed that was committed with it or later: the background waits for one of the two, and fails
 * after the second. */
void shard_catalog_saved(struct shard *s);
void shard_catalog_unsaved(struct shard *s);

/* What the stored versions of a table's rows span, deleted ones too. */
struct shard_span {
    uint64_t rows;
    int64_t time_min; /* of the time column; more than time_max when there are no times */
    int64_t time_max;
};
/* From now on the table takes no rows (DN_E_TABLE_CHANGED), until shard_set_catalog or
 * shard_release: for edits that depend on the rows there are. One table at a time; of a time
 * partition all its shards. */
void shard_hold(struct shard *s, uint64_t table_id, struct shard_span *ret);
void shard_release(struct shard *s);
/* Has the table, or one that belongs to the time partition, rows that expire? Those that have
 * count, as long as they take space. While it is held the answer holds. */
bool shard_expires(struct shard *s, uint64_t table_id);

/* Rows of one table in one commit: all table columns in order, FLAT or CONST, `rows` long (may
 * exceed VEC_ROWS_MAX); validated by the caller. Absent bits only with ROW_PATCH. */
struct shard_batch {
    const struct table *table; /* the definition in force, or DN_E_TABLE_CHANGED */
    const struct vec *cols;
    uint32_t rows;
    enum row_op op;
    const int64_t
        *rowids; /* append tables: ids of existing rows to update or delete; NULL = new rows */
    int64_t expiry_ns;       /* of all rows, ROW_PUT only: an instant, ROW_DEFAULT, ROW_FOREVER */
    const int64_t *expiries; /* of each of them instead, or ROW_NEVER; NULL = as above */
    uint64_t check_seq; /* != 0: DN_E_CONFLICT if a row has a version newer than this snapshot's
                           sequence */
    bool inserts;       /* of an INSERT, not changes of rows that were there: for overlay_route */
    bool named;         /* inserts: into this table and no other, though it be a shard */
    bool check_only;    /* the rows are looked at, not written: of `cols` those of the key are
                           there. Such batches come before all others */
    struct catalog *catalog;    /* ROW_CATALOG, without a table: from this commit on this one is in
                                   force; shard_set_catalog with it must follow. It is durable with
                                   the commit, and the log keeps it until shard_catalog_saved */
    void (*publish)(void *arg); /* ROW_CATALOG: called when the commit becomes visible, with the
                                   shard locked */
    void *publish_arg;
    const struct range *range; /* ROW_RANGE: without rows and columns: deletes what is committed
                                  before and in the range. Conflicts as above with any version in
                                  the range; and while a load is under way */
    bool beyond; /* ROW_RANGE: no row may come there any more (late.h), of loads neither: one that
                    is under way is no conflict */
};

/* Commits all batches under one sequence. With sync: durable on return. Errors: nothing is visible,
 * and after a restart nothing either, except when the text says "outcome unknown". DN_E_LATE_ROW: a
 * row is before the horizon of its table, which does not leave such rows out (late.h). */
int shard_write(struct shard *s,
                const struct shard_batch *batches,
                size_t count,
                bool sync,
                uint64_t *ret_seq,
                struct dn_err *err) DN_MUST_CHECK;

/* How a commit is made. */
struct shard_how {
    bool sync;
    const atomic_bool *cancel; /* looked at until the commit is on its way to the log: then
                                  DN_E_CANCELED, and nothing was written; NULL = never */
    uint64_t *dropped; /* rows before the horizon of a table that leaves such out are added here;
                          NULL = nobody asks */
};
int shard_write_how(struct shard *s,
                    const struct shard_batch *batches,
                    size_t count,
                    const struct shard_how *how,
                    uint64_t *ret_seq,
                    struct dn_err *err) DN_MUST_CHECK;

/* Everything committed so far, in segments when it returns. */
int shard_flush(struct shard *s, struct dn_err *err) DN_MUST_CHECK;
/* The same by the background task, where there is one: after a cancel that goes on alone. */
int shard_checkpoint(struct shard *s, const atomic_bool *cancel, struct dn_err *err) DN_MUST_CHECK;
/* Gives back memory: fresh rows go to segments, the cache is emptied. 1: there was something to
 * give back, 0: there was not, or the flush itself had no memory. */
int shard_relieve(struct shard *s, const atomic_bool *cancel, struct dn_err *err) DN_MUST_CHECK;

/* Time has gone on: the background looks whether segments are to be merged, or dropped, because
 * their rows have expired. */
void shard_expire(struct shard *s);

/* Merges segments until none need it; what the background does, at once. */
int shard_merge(struct shard *s, struct dn_err *err) DN_MUST_CHECK;
/* Waits until the background merges nothing any more, but not longer than this; true: so it is. */
bool shard_merge_wait(struct shard *s, uint64_t timeout_ns);

struct snapshot *shard_snapshot(struct shard *s); /* NULL: out of memory */
void snapshot_free(struct snapshot *snap);        /* NULL is fine */
uint64_t snapshot_seq(const struct snapshot *snap);
/* The instant by which its rows have expired or not: the volume's clock when it was taken; of a
 * transaction the same in all its statements. */
int64_t snapshot_now(const struct snapshot *snap);

struct shard_stats {
    uint64_t seq; /* last commit */
    uint64_t epoch;
    uint64_t memtable_rows;
    uint64_t memtable_bytes;
    uint64_t segments;
    uint64_t segment_rows;
    uint64_t segment_bytes;
    uint64_t ranges; /* range tombstones: in memory, and that segments still need */
    uint64_t log_chunks;
    uint64_t commits;     /* since open */
    uint64_t log_appends; /* since open: commits / appends = group size */
    uint64_t flushes;
    uint64_t flush_failures;
    uint64_t flush_bytes; /* written by flushes since open */
    uint64_t merges;
    uint64_t merge_failures;
    uint64_t merge_bytes;      /* written by merges since open: (flush + merge) / flush = write
                                  amplification */
    uint64_t replayed_commits; /* at open */
    bool torn_tail;            /* the log ended in the remains of an unacknowledged append */
    uint64_t flushes_running;  /* jobs under way now */
    uint64_t merges_running;
    uint64_t loads_running;
    uint64_t cache_hits; /* vectors that readers found decoded, since open */
    uint64_t cache_misses;
    uint64_t cache_evicted;
    uint64_t cache_bytes; /* now */
};
void shard_get_stats(struct shard *s, struct shard_stats *ret);
/* The same for one table: memtable, segments, rows, bytes and what flushes and merges wrote. */
void shard_table_stats(struct shard *s, uint64_t table_id, struct shard_stats *ret);

/* dendro check: verifies manifest, every segment (seg_verify) and the log, and that nothing is
 * missing or left over. `report` is called for each fault and each note; returns the number of
 * faults in ret_faults. */
typedef void (*shard_report_fn)(void *arg, bool fault, const char *text);
int shard_check(struct volume *v,
                struct catalog *cat,
                shard_report_fn report,
                void *arg,
                uint64_t *ret_faults,
                struct dn_err *err) DN_MUST_CHECK;

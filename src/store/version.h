/* SPDX-License-Identifier: Apache-2.0
 *
 * version.h: what readers see: segments, memtable sets and range tombstones, counted. Freezing,
 * flushing and dropping make a new version; a snapshot is a reference to one plus a sequence.
 *
 * Versions are immutable: any thread. Who may change what in a set is said beside it. */
#pragma once

#include "store/memtable.h"
#include "store/range.h"
#include "store/segment.h"
#include "store/shard.h"

/* A segment as read with one definition of its table. After an ALTER new versions hold another one
 * of the same object; the first of them, the root, outlives the others. */
#define SEGREF_MATES 32u

struct segref {
    atomic_uint refs;
    struct seg_meta meta;
    struct table *table; /* reference: definition it is read with */
    struct segref *root; /* reference; NULL: this is it */
    struct seg *seg;     /* owned, NULL until first used; guarded by shard->lock */
    atomic_uint expired; /* rows in blocks of which all have expired, when last looked at */
    _Atomic uint64_t
        mates[SEGREF_MATES]; /* segments of greater ids that were compared with this one:
                                the id times 2, plus 1 if they share keys; 0: none */
    atomic_bool doomed;      /* of the root: delete the object with the last reference */
    struct shard *shard;     /* borrowed */
};

/* The memtables that are frozen together: for each table one, and one more for each ALTER since. */
struct memgroup {
    atomic_uint refs;
    struct mem_owner owner;   /* what its rows cost */
    struct sched_mutex *lock; /* guards the lists */
    struct memtable **tables; /* owned; those of one table in the order they were made */
    size_t tables_count;
    struct range_list
        ranges;        /* oldest first; those above seq_visible are staged, nobody sees them */
    uint64_t seq_last; /* newest commit in it; set when frozen */
};

struct version {
    atomic_uint refs;
    struct segref **segs; /* references, in manifest order */
    size_t segs_count;
    struct range_list ranges; /* the manifest's */
    uint64_t flushed_seq;     /* the manifest's: newer range tombstones are in sets */
    struct memgroup **sets;   /* references, oldest first; the last takes writes */
    size_t sets_count;
};

struct snapshot {
    struct shard *shard; /* borrowed */
    struct version *ver; /* reference */
    uint64_t seq;
    struct catalog *cat;  /* reference: its horizons count (late.h) */
    struct memgroup *own; /* reference: rows of a transaction (overlay.h); NULL = none */
    uint64_t own_seq;     /* how much of them is seen */
    int64_t now_ns;       /* rows that expire up to here have expired */
    int64_t sure_ns;      /* volume_sure_ns then, for scans whose rows move (scan.h) */
};

struct segref *segref_new(struct shard *s, const struct seg_meta *meta, const struct table *t);
struct segref *segref_ref(struct segref *r);
void segref_unref(struct segref *r);
/* The same object with another definition. NULL: out of memory. */
struct segref *segref_with_table(struct segref *r, const struct table *t);
/* No manifest names the object any more: it goes with its last reader (I6). */
void segref_doom(struct segref *r);
/* The opened segment, opening it on first use. Borrowed from the reference. */
int segref_open(struct segref *r, struct seg **ret, struct dn_err *err) DN_MUST_CHECK;
struct memgroup *memgroup_new(struct shard *s);
struct memgroup *memgroup_ref(struct memgroup *set);
void memgroup_unref(struct memgroup *set);
/* The memtable for rows of this definition; NULL: none. */
struct memtable *memgroup_find(struct memgroup *set, const struct table *t);
/* Every memtable of a table, whatever its definition: *at is 0 at first; NULL: no more. */
struct memtable *memgroup_next(struct memgroup *set, uint64_t table_id, size_t *at);
size_t memgroup_count(struct memgroup *set, uint64_t table_id); /* of its memtables */
int memgroup_get(struct shard *s,
                 struct memgroup *set,
                 const struct table *t,
                 struct memtable **ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* Adds a range tombstone; and takes those of a sequence and above away again. */
int memgroup_add_range(struct shard *s, struct memgroup *set, struct range *r, struct dn_err *err)
    DN_MUST_CHECK;
void memgroup_drop_ranges(struct memgroup *set, uint64_t seq);
size_t memgroup_ranges(struct memgroup *set);
/* Adds those of a table that were committed up to a sequence, with references. False: out of
 * memory. */
bool memgroup_list_ranges(struct memgroup *set,
                          uint64_t table_id,
                          uint64_t seq,
                          struct range_list *list,
                          struct mem_owner *owner) DN_MUST_CHECK;
bool memgroup_empty(struct memgroup *set);
/* Has it rows that expire, of a table or of the shards of a time partition? */
bool memgroup_expires(struct memgroup *set, uint64_t table_id);
size_t memgroup_bytes(const struct memgroup *set);
struct version *version_new(size_t segs_room, size_t sets_room);
struct version *version_ref(struct version *v);
void version_unref(struct version *v);
/* What a version takes over from one before it, or from the manifest. False: out of memory. */
bool version_set_ranges(struct version *v,
                        const struct range_list *ranges,
                        uint64_t flushed_seq) DN_MUST_CHECK;
/* All range tombstones of a table that a snapshot of this sequence sees, with references. */
bool version_list_ranges(const struct version *v,
                         uint64_t table_id,
                         uint64_t seq,
                         struct range_list *list,
                         struct mem_owner *owner) DN_MUST_CHECK;
/* What a version becomes under a catalog: without tables that are gone, and segments read with its
 * definitions. NULL: out of memory. */
struct version *version_for(const struct version *cur, const struct catalog *cat);
struct memgroup *version_active(const struct version *v);

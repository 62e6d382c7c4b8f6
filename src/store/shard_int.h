/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_int.h: the inside of a shard, shared by shard*.c and scan*.c.
 *
 * What readers see is a struct version: segments and memtable sets, immutable, counted. Freezing,
 * flushing and dropping make a new version; a snapshot is a reference to one plus a sequence.
 *
 * Locks, in this order:
 *   writing    not a mutex but a token (s->writing): its holder is the only one who stages rows,
 *              appends to the log, freezes memtables. Taken and given back under `lock`.
 *   man_lock   held while the manifest document is replaced; guards man, man_unknown, pending.
 *   lock       short: version pointer, sequences, commit queue, flush state, open segments.
 *
 * Invariants:
 *   I1  an acknowledged commit is in the log (up to the chunk's acknowledged length) or in segments
 *       named by the manifest, at every instant.
 *   I2  a chunk is named in the manifest before its first append.
 *   I3  after an append failed, its chunk is sealed at the acknowledged length before anything is
 *       appended anywhere else.
 *   I4  when the outcome of a manifest replacement is unknown, nothing is appended and no other
 *       replacement is made until the document was read again.
 *   I5  seq_visible moves only after all rows of the commit are published.
 *   I6  a segment's object is deleted only when no manifest names it and no version holds it.
 *   I7  commits that were acknowledged unsynced and that the log then lost (the sync failed) are in
 *       segments before the next commit is acknowledged: a crash takes a suffix, nothing else. */
#pragma once

#include "store/cache.h"
#include "store/log.h"
#include "store/manifest.h"
#include "store/shard.h"
#include "store/shard_commit.h"
#include "store/shard_stats.h"
#include "store/shard_wait.h"
#include "store/version.h"

#define SHARD_TURNS 16u

struct commit; /* shard_commit.c */

struct rowid_counter {
    uint64_t table_id;
    uint64_t next;
};

/* One of the background tasks; one of its kind at a time. Under lock. */
struct shard_task {
    struct sched_task *task; /* joined before the next of its kind, and at close */
    bool running;            /* its function sets it to false at its end */
    bool starting;           /* somebody is between joining the last and noting the next */
};

struct chunk_seq {
    uint64_t number; /* of the chunk */
    uint64_t seq;    /* of its last commit, 0 = none */
};

struct shard {
    struct volume *volume; /* borrowed */
    struct sched *sched;   /* borrowed from the volume */
    struct shard_options options;
    struct mem_owner owner; /* child of options.owner */
    struct cache *cache;

    struct sched_mutex *lock;
    struct sched_cond *cond; /* anything changed */
    struct catalog *catalog; /* reference; the token's holder may read it without the lock */
    uint64_t forget_seq;     /* deletes up to here may have left no trace; under lock */
    uint64_t catalog_seq;    /* of a ROW_CATALOG that only the log has, 0 = none; under lock */
    bool catalog_failed;     /* and it could not be saved so far; under lock */
    uint64_t held_table;     /* takes no rows (shard_hold), 0 = none; as catalog */
    struct version *ver;     /* reference: the current one */
    struct segref **left;    /* owned, references: of tables that are gone, but the manifest could
                                not be told so far; under lock */
    size_t left_count;
    uint64_t seq_last; /* given out */
    uint64_t seq_visible;
    bool writing;         /* the token */
    struct commit *queue; /* waiting commits, oldest first */
    struct commit **queue_tail;
    struct sched_cond *turns[SHARD_TURNS]; /* where waiting commits sleep, each at one of them, so
                                              that those who have to wake do and no others */
    uint32_t turn_next;

    struct sched_mutex *man_lock;
    struct manifest man;
    uint64_t segment_id_next; /* under man_lock; the manifest keeps it at each change */
    bool man_unknown;
    bool fenced;             /* another writer replaced the manifest: ours is over; as man */
    struct manifest pending; /* valid when man_unknown */
    struct buf pending_bytes;

    uint64_t epoch; /* ours, fixed at open */

    /* log; the token's holder, chunk_seqs and sync_wanted besides under lock */
    char chunk_name[VOLUME_NAME_MAX + 1];
    uint64_t chunk_number;        /* of that chunk */
    bool chunk_open;              /* an unsealed chunk takes appends */
    bool chunk_broken;            /* an append failed: seal before going on */
    uint64_t chunk_len;           /* acknowledged bytes */
    uint64_t chunk_durable;       /* bytes known durable (smaller while unsynced appends are out) */
    uint64_t chunk_mark;          /* bytes of a mark at its end that is not synced; it is no append
                                     that could be lost */
    struct chunk_seq *chunk_seqs; /* owned: last sequence in each chunk that is named */
    size_t chunk_seqs_count;
    uint64_t rescue_seq; /* commits up to here may be in memory only (I7), 0 = none; under lock */
    struct rowid_counter *rowids; /* owned */
    size_t rowids_count;
    struct buf frame; /* the leader's */
    struct buf mark;  /* likewise; has its room from the beginning */

    /* flush */
    bool flushing; /* one at a time */
    struct shard_task flush_task;
    bool sync_wanted; /* unsynced appends are out */
    struct shard_task sync_task;
    uint32_t loads;     /* under way, see shard_load.c */
    uint64_t load_mark; /* sequence of the last load that was committed; the token's holder */
    bool merging;       /* one merge at a time */
    bool merge_stop;    /* it shall end early: close, or a table goes */
    struct shard_task merge_task;
    int merge_rc;             /* of the last merge */
    struct overlap *overlaps; /* owned: shard_overlap.h; whoever set merging */
    size_t overlaps_count;
    size_t overlaps_cap;
    struct shard_task idle_task;  /* shard_idle.c */
    struct sched_cond *idle_cond; /* it sleeps there; woken at the end only */
    uint64_t busy_ns;             /* when something was committed last, on the scheduler's clock */
    bool unmerged; /* segments came since all that overlap were looked at while idle */
    bool closing;
    int flush_rc; /* of the last flush */
    struct dn_err flush_why;
    uint64_t flush_failed_ns; /* when it failed */
    struct shard_stats stats;
    struct write_counter *writes; /* owned; under lock */
    size_t writes_count;
};

/* shard.c, lock held: starts a task unless one of its kind runs; lets the lock go meanwhile. */
void shard_task_start(struct shard *s, struct shard_task *t, const char *name, sched_fn fn);
static inline bool shard_task_busy(const struct shard_task *t)
{
    return t->running || t->starting;
}

/* shard.c, token held, lock not: tries again to get the manifest rid of tables that are gone. */
void shard_forget_left(struct shard *s);

/* version.c */
/* Puts v in place of the current version (lock held) and returns the old one to unref after
 * unlocking. */
struct version *shard_install(struct shard *s, struct version *v);

/* shard_log.c: token held, lock not held */
int shard_manifest_commit(struct shard *s, struct manifest *next, struct dn_err *err)
    DN_MUST_CHECK; /* man_lock held; next is consumed on success */
int shard_manifest_resolve(struct shard *s, struct dn_err *err) DN_MUST_CHECK; /* man_lock held */
int shard_log_roll(struct shard *s, struct dn_err *err) DN_MUST_CHECK;
int shard_log_append(struct shard *s, uint64_t seq_last, bool sync, struct dn_err *err)
    DN_MUST_CHECK; /* s->frame */
int shard_log_sync(struct shard *s, struct dn_err *err) DN_MUST_CHECK;
/* At a clean stop, when all is synced: from now on every byte of the chunk counts. A failure leaves
 * it open, as a crash does. */
void shard_log_seal(struct shard *s);
/* Remembers the last sequence of a chunk; lock held. False: out of memory (only for a new chunk).
 */
bool shard_chunk_note(struct shard *s, uint64_t number, uint64_t seq) DN_MUST_CHECK;
uint64_t shard_chunk_seq(const struct shard *s,
                         uint64_t number);                      /* lock held; UINT64_MAX: unknown */
uint64_t *shard_rowid_next(struct shard *s, uint64_t table_id); /* NULL: out of memory */

/* shard_flush.c */
int shard_freeze(struct shard *s, struct dn_err *err) DN_MUST_CHECK; /* token held, lock not */
/* shard_flush; patient: waits for a catalog that is on its way to the document. */
int shard_flush_how(struct shard *s, bool patient, struct dn_err *err) DN_MUST_CHECK;
/* While opening: what was replayed so far, up to seq, to segments. */
int shard_flush_replayed(struct shard *s, uint64_t seq, struct dn_err *err) DN_MUST_CHECK;
/* Token held, lock not: flushes what the log lost, if anything (I7). */
int shard_rescue(struct shard *s, struct dn_err *err) DN_MUST_CHECK;
/* Readers move over to what the manifest says. */
int shard_install_manifest(struct shard *s, struct dn_err *err) DN_MUST_CHECK;

/* shard_idle.c, lock held: somebody wrote; there may be something to do when nobody writes. */
void shard_idle_kick(struct shard *s);

/* shard_merge.c */
void shard_merge_kick(struct shard *s); /* lock held: starts a background merge if one is due */

/* shard_recover.c */
int shard_recover(struct shard *s, struct dn_err *err) DN_MUST_CHECK;
/* Of a volume that has no manifest: it must have no segment and no commit either. */
int shard_check_unwritten(struct volume *v, struct dn_err *err) DN_MUST_CHECK;
int shard_fail_catalog_lost(struct dn_err *err); /* raises the error: rows without a catalog */

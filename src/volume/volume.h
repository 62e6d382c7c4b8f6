/* SPDX-License-Identifier: Apache-2.0
 *
 * volume.h: where bytes live, and the only door to storage and clock for everything above. It
 * speaks in Dendro's terms so that a POSIX directory, the simulator and a RADOS pool are equals.
 *
 * Names are ASCII [a-z0-9._/-], 1 to 200 bytes, no leading, trailing or doubled slash, no "."
 * or ".." component. Objects, logs and documents have separate name spaces.
 *
 * objects    written once, whole, never changed. put: durable when it returns; an existing name is
 *            DN_E_EXISTS. A put that failed leaves nothing visible or, after a crash, the whole
 *            object; then the same name may be put again only if it is not there. delete: a missing
 *            name is DN_NOT_FOUND.
 * logs       append-only chunks. create makes an empty one with the writer's epoch (existing name:
 *            DN_E_EXISTS). append adds bytes at the end, durable when it returns 0, refused with
 *            DN_E_FENCED if a newer epoch was set by log_fence: then nothing of it is there. At
 * most one append in flight per log (the caller's duty). After an append failed, how much of it is
 * there is unknown: the caller must not append to that log again (further appends give DN_E_IO) and
 * goes on in a new one. Readers see a prefix of the appended bytes, which after a crash may end in
 * torn remains of the last, unacknowledged one and zeros that nobody appended. documents  small (<=
 * 64 MiB), replaced whole and atomically if the generation is still the one read; otherwise
 * DN_E_CONFLICT. Generation 0 means "does not exist". A replace that failed otherwise left the old
 * or the new document; read it again to know. lock       a volume has one writer. If its lock is
 * removed from outside, every write is DN_E_FENCED from then on, and nothing is written; reads go
 * on. A write that is under way meanwhile may be DN_E_OUTCOME_UNKNOWN, and an append or sync of a
 * log is: whether it is there the next process that opens the volume will see. An append to a log
 * that was removed from outside is DN_E_NO_OBJECT: all of the log is gone. lease      acquire(name,
 * holder text, duration): 0, or DN_E_BUSY with the holder. No fence. scan       runs a callback
 * where the object lies; posix and sim call it in this process. Errors: DN_E_IO, DN_E_NOSPC,
 * DN_E_NOMEM, DN_E_CORRUPT (a document or object envelope is damaged) besides those named; texts
 * name the object and offset. After DN_E_NOSPC everything that was readable stays readable, and
 * writes succeed again when there is space.
 *
 * Any thread. Under sim, one fiber at a time by construction. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "base/sched.h"

struct volume;

#define VOLUME_NAME_MAX   200
#define VOLUME_OBJECT_MAX (64u * 1024 * 1024)

struct volume_range {
    uint64_t offset; /* first byte */
    uint32_t len;    /* bytes; a range over the end of the object is DN_E_CORRUPT */
    void *to;        /* borrowed, len bytes */
};

struct volume_names {
    char (*names)[VOLUME_NAME_MAX + 1]; /* owned; those that start with the prefix, by bytes */
    size_t count;
    size_t cap;
};

/* A read that goes on while the caller does other things: submit; if that was 0, wait once. */
struct volume_read {
    const char *name;            /* borrowed until wait returns */
    struct volume_range *ranges; /* borrowed until wait returns */
    size_t ranges_count;
    int rc;     /* set by wait */
    void *impl; /* the volume's */
};

struct volume_spoiler;
struct volume_ops; /* volume_int.h: implemented by posix.c, sim.c and, later, rados.c */

struct volume {
    const struct volume_ops *ops;
    struct sched *sched; /* owned by the volume, made with it */
    _Atomic int64_t clock_set_ns, sure_base_ns, sure_step_ns; /* 0 = it was not; clock.c */
    const struct volume_spoiler *spoiler; /* of tests, document.h; NULL = none */
};

/* posix: a directory. One process at a time: a second opener gets DN_E_BUSY naming the holder. */
struct volume_posix_options {
    bool read_only; /* takes no lock, every write is DN_E_READ_ONLY */
    bool still;     /* read_only, but no writer beside it: one of the two gets DN_E_BUSY */
    bool create;    /* a missing one, not its parents; DN_E_INVALID_PARAM: it has other files */
    unsigned threads_max; /* of the scheduler; 0 = number of cores + 2 */
};
int volume_posix_open(const char *dir,
                      const struct volume_posix_options *options,
                      struct volume **ret_volume,
                      struct dn_err *err) DN_MUST_CHECK;
void volume_close(struct volume *v);           /* NULL is fine */
const char *volume_describe(struct volume *v); /* "posix:/dir", "sim:seed", for messages */

int volume_put(struct volume *v, const char *name, const void *p, size_t n, struct dn_err *err)
    DN_MUST_CHECK;
/* Size in bytes; a missing object is DN_E_NO_OBJECT. */
int volume_size(struct volume *v, const char *name, uint64_t *ret_size, struct dn_err *err)
    DN_MUST_CHECK;
int volume_read(struct volume *v,
                const char *name,
                struct volume_range *ranges,
                size_t count,
                struct dn_err *err) DN_MUST_CHECK;
int volume_read_submit(struct volume *v, struct volume_read *r, struct dn_err *err) DN_MUST_CHECK;
int volume_read_wait(struct volume *v, struct volume_read *r, struct dn_err *err) DN_MUST_CHECK;
int volume_delete(struct volume *v, const char *name, struct dn_err *err) DN_MUST_CHECK;
int volume_list(struct volume *v,
                const char *prefix,
                struct volume_names *ret_names,
                struct dn_err *err) DN_MUST_CHECK;
void volume_names_done(struct volume_names *names);

int volume_log_create(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
    DN_MUST_CHECK;
int volume_log_append(struct volume *v,
                      const char *name,
                      uint64_t epoch,
                      const void *p,
                      size_t n,
                      struct dn_err *err) DN_MUST_CHECK;
/* As append, but before the bytes are durable; log_sync makes all earlier ones so. For
 * synchronous_commit = off: after a crash any suffix of unsynced appends may be missing. */
int volume_log_append_nosync(struct volume *v,
                             const char *name,
                             uint64_t epoch,
                             const void *p,
                             size_t n,
                             struct dn_err *err) DN_MUST_CHECK;
int volume_log_sync(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
    DN_MUST_CHECK;
/* Raises the epoch: appends with a smaller one fail from now on. Durable when it returns. The epoch
 * it has is fine; a smaller one is DN_E_FENCED. All four: a missing log is DN_E_NO_OBJECT. */
int volume_log_fence(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
    DN_MUST_CHECK;
/* Appends the whole log from offset on to ret (nothing if it ends before). What it shows is durable
 * or an append_nosync of this process. A missing log is DN_NOT_FOUND. */
int volume_log_read(struct volume *v,
                    const char *name,
                    uint64_t offset,
                    struct buf *ret,
                    struct dn_err *err) DN_MUST_CHECK;
int volume_log_delete(struct volume *v,
                      const char *name,
                      struct dn_err *err) DN_MUST_CHECK; /* missing: DN_NOT_FOUND */
int volume_log_list(struct volume *v,
                    const char *prefix,
                    struct volume_names *ret_names,
                    struct dn_err *err) DN_MUST_CHECK;

/* Appends the document to ret and gives its generation; missing: DN_NOT_FOUND, generation 0. */
int volume_doc_read(struct volume *v,
                    const char *name,
                    struct buf *ret,
                    uint64_t *ret_generation,
                    struct dn_err *err) DN_MUST_CHECK;
/* Above src/volume use volume_doc_save (document.h). */
int volume_doc_replace(struct volume *v,
                       const char *name,
                       const void *p,
                       size_t n,
                       uint64_t generation,
                       uint64_t *ret_generation,
                       struct dn_err *err) DN_MUST_CHECK;

int volume_lease_acquire(struct volume *v,
                         const char *name,
                         const char *holder,
                         uint64_t duration_ns,
                         struct dn_err *err) DN_MUST_CHECK;
void volume_lease_release(struct volume *v, const char *name, const char *holder);

/* Change notices are hints. notify wakes whoever watches the name; posix and sim: this process. */
typedef void (*volume_notice_fn)(void *arg, const char *name);
/* One watcher; fn NULL = stop. Waits for calls of the old fn, so not from inside it. */
void volume_watch(struct volume *v, volume_notice_fn fn, void *arg);
void volume_notify(struct volume *v, const char *name);

/* Runs fn near the object; fn reads it with volume_read on the volume it is given. */
typedef int (*volume_scan_fn)(struct volume *v, const char *name, void *arg, struct dn_err *err);
int volume_scan(struct volume *v,
                const char *name,
                volume_scan_fn fn,
                void *arg,
                struct dn_err *err) DN_MUST_CHECK;

/* Wall clock: nanoseconds since 1970 UTC. Set, for tests: it stands still there. Any thread. */
int64_t volume_clock_ns(struct volume *v);
void volume_clock_set(struct volume *v, int64_t to_ns);
uint64_t volume_random(struct volume *v);
/* Bytes free for writing, UINT64_MAX when unknown. */
uint64_t volume_free_bytes(struct volume *v);

/* A private file for spilling, not durable; close it before the volume. Read-only volumes too. */
struct volume_scratch;
int volume_scratch_open(struct volume *v,
                        struct volume_scratch **ret,
                        struct dn_err *err) DN_MUST_CHECK;
int volume_scratch_append(struct volume_scratch *s,
                          const void *p,
                          size_t n,
                          uint64_t *ret_offset,
                          struct dn_err *err) DN_MUST_CHECK;
int volume_scratch_read(struct volume_scratch *s,
                        uint64_t offset,
                        void *to,
                        size_t n,
                        struct dn_err *err) DN_MUST_CHECK;
void volume_scratch_close(struct volume_scratch *s); /* NULL is fine */

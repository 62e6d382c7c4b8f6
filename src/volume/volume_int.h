/* SPDX-License-Identifier: Apache-2.0
 *
 * volume_int.h: what a volume implements, and what the volumes share. For src/volume and its tests
 * only. volume.c has checked names, sizes and NULLs before an operation comes here.
 *
 * Any thread, as volume.h says. */
#pragma once

#include "volume/beside.h"
#include "volume/other.h"
#include "volume/volume.h"

#include <inttypes.h>

struct volume_ops {
    void (*close)(struct volume *v); /* frees v with all it owns, the scheduler too */
    const char *(*describe)(struct volume *v);

    int (*put)(struct volume *v, const char *name, const void *p, size_t n, struct dn_err *err);
    int (*size)(struct volume *v, const char *name, uint64_t *ret_size, struct dn_err *err);
    int (*read)(struct volume *v,
                const char *name,
                struct volume_range *ranges,
                size_t count,
                struct dn_err *err);
    int (*remove)(struct volume *v, const char *name, struct dn_err *err);
    int (*list)(struct volume *v,
                const char *prefix,
                struct volume_names *names,
                struct dn_err *err);

    int (*log_create)(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
    int (*log_append)(struct volume *v,
                      const char *name,
                      uint64_t epoch,
                      const void *p,
                      size_t n,
                      bool sync,
                      struct dn_err *err);
    int (*log_sync)(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
    int (*log_fence)(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
    int (*log_read)(
        struct volume *v, const char *name, uint64_t offset, struct buf *ret, struct dn_err *err);
    int (*log_remove)(struct volume *v, const char *name, struct dn_err *err);
    int (*log_list)(struct volume *v,
                    const char *prefix,
                    struct volume_names *names,
                    struct dn_err *err);

    int (*doc_read)(struct volume *v,
                    const char *name,
                    struct buf *ret,
                    uint64_t *ret_generation,
                    struct dn_err *err);
    int (*doc_replace)(struct volume *v,
                       const char *name,
                       const void *p,
                       size_t n,
                       uint64_t generation,
                       uint64_t *ret_generation,
                       struct dn_err *err);

    int (*lease_acquire)(struct volume *v,
                         const char *name,
                         const char *holder,
                         uint64_t duration_ns,
                         struct dn_err *err);
    void (*lease_release)(struct volume *v, const char *name, const char *holder);
    void (*watch)(struct volume *v, volume_notice_fn fn, void *arg);
    void (*notify)(struct volume *v, const char *name);
    int (*scan)(
        struct volume *v, const char *name, volume_scan_fn fn, void *arg, struct dn_err *err);

    /* NULL: no other process opens it, nothing need be held. */
    void (*announce)(struct volume *v, const char *address);
    int (*hold)(struct volume *v, enum volume_kind kind, const char *name, struct dn_err *err);
    void (*let_go)(struct volume *v);
    volume_other_fn other; /* other.h */
    int (*erase)(struct volume *v, struct dn_err *err);
    int64_t (*clock_ns)(struct volume *v);
    int64_t (*elapsed_ns)(struct volume *v); /* clock.h: never set, counts sleep */
    uint64_t (*random)(struct volume *v);
    uint64_t (*free_bytes)(struct volume *v);

    int (*scratch_open)(struct volume *v, struct volume_scratch **ret, struct dn_err *err);
    int (*scratch_append)(struct volume_scratch *s,
                          const void *p,
                          size_t n,
                          uint64_t *ret_offset,
                          struct dn_err *err);
    int (*scratch_read)(
        struct volume_scratch *s, uint64_t offset, void *to, size_t n, struct dn_err *err);
    void (*scratch_close)(struct volume_scratch *s);
};

/* First member of each volume's own scratch file. */
struct volume_scratch {
    struct volume *volume; /* borrowed, outlives it */
};

/* -- names ------------------------------------------------------------------------- */

int volume_name_check(const char *name, struct dn_err *err) DN_MUST_CHECK;
/* A prefix may be empty and may end anywhere in a name. */
int volume_prefix_check(const char *prefix, struct dn_err *err) DN_MUST_CHECK;
/* False: out of memory. */
bool volume_names_add(struct volume_names *names, const char *name) DN_MUST_CHECK;
void volume_names_sort(struct volume_names *names);

/* -- leases and notices of volumes that only one process can open ------------------ */

struct volume_lease;

struct volume_local {
    struct sched *sched;         /* borrowed */
    struct sched_mutex *lock;    /* owned, guards all below */
    struct sched_cond *quiet;    /* owned: notices_running became 0 */
    struct volume_lease *leases; /* owned list */
    volume_notice_fn notice;     /* NULL = nobody watches */
    void *notice_arg;            /* borrowed until the watch is stopped */
    unsigned notices_running;    /* calls of notice under way */
};

/* A zeroed struct is fine for done. */
int volume_local_init(struct volume_local *local,
                      struct sched *sched,
                      struct dn_err *err) DN_MUST_CHECK;
void volume_local_done(struct volume_local *local);
int volume_local_acquire(struct volume_local *local,
                         const char *name,
                         const char *holder,
                         uint64_t duration_ns,
                         struct dn_err *err) DN_MUST_CHECK;
void volume_local_release(struct volume_local *local, const char *name, const char *holder);
void volume_local_watch(struct volume_local *local, volume_notice_fn fn, void *arg);
void volume_local_notify(struct volume_local *local, const char *name);

/* -- errors that several volumes raise in the same words --------------------------- */

#define VOLUME_FAIL_EXISTS(err, kind, name) \
    DN_FAIL((err), DN_E_EXISTS, "%s '%s' exists already", (kind), (name))
#define VOLUME_FAIL_MISSING(err, kind, name) \
    DN_FAIL((err), DN_E_NO_OBJECT, "no %s '%s' in the volume", (kind), (name))
#define VOLUME_FAIL_RANGE(err, name, range, size)                                                  \
    DN_FAIL((err),                                                                                 \
            DN_E_CORRUPT,                                                                          \
            "object '%s': %" PRIu32 " bytes at offset %" PRIu64 " reach over its end at %" PRIu64, \
            (name),                                                                                \
            (range)->len,                                                                          \
            (range)->offset,                                                                       \
            (uint64_t)(size))
#define VOLUME_FAIL_FENCED(err, name, mine, theirs)                                       \
    DN_FAIL((err),                                                                        \
            DN_E_FENCED,                                                                  \
            "log '%s': a writer of epoch %" PRIu64 " has taken over from epoch %" PRIu64, \
            (name),                                                                       \
            (uint64_t)(theirs),                                                           \
            (uint64_t)(mine))
#define VOLUME_FAIL_UNKNOWN(err, name)                                                  \
    DN_FAIL((err),                                                                      \
            DN_E_OUTCOME_UNKNOWN,                                                       \
            "log '%s': the lock of the volume, the file LOCK, was removed or replaced " \
            "during a write, which may be there or not",                                \
            (name))
#define VOLUME_FAIL_VANISHED(err, name)                                                   \
    DN_FAIL((err),                                                                        \
            DN_E_NO_OBJECT,                                                               \
            "log '%s' was removed or replaced while it was in use: what it held is gone", \
            (name))
#define VOLUME_FAIL_BROKEN(err, name) \
    DN_FAIL((err), DN_E_IO, "log '%s': an earlier write failed, the log takes no more", (name))
#define VOLUME_FAIL_CONFLICT(err, name, want, have)                     \
    DN_FAIL((err),                                                      \
            DN_E_CONFLICT,                                              \
            "document '%s' is of generation %" PRIu64 ", not %" PRIu64, \
            (name),                                                     \
            (uint64_t)(have),                                           \
            (uint64_t)(want))

/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_int.h: inside of the posix volume, for src/volume/posix*.c only.
 *
 * The directory:
 *     FORMAT    "dendro volume format 1"
 *     LOCK      locked by the process that writes; its pid and program, for the refusal of others,
 *               and on a second line where it can be reached
 *     o/ l/ d/  objects, logs, documents: one file each, '/' of the name written as '~', so that
 * 'a' and 'a/b' are two files beside each other and one fsync covers a new name scratch/  spill
 * files, unlinked as soon as they are made Files that start with TMP- are on their way to a name of
 * their own (names have no capitals); those a dead process left behind are removed at open.
 *
 * Functions that return "0 or an errno" do not fill a struct dn_err; their callers know the words.
 */
#pragma once

#include "volume/posix_faults.h"
#include "volume/volume_int.h"

#include <stdatomic.h>
#include <sys/types.h>

#define VOLUME_POSIX_TEMP_PREFIX  "TMP-"
#define VOLUME_POSIX_LOCK_FILE    "LOCK"
#define VOLUME_POSIX_RESERVE_FILE "RESERVE"

struct posix_log;
struct posix_held; /* posix_other.c */
int volume_posix_other(struct volume *v,
                       const char *path,
                       const struct volume_other_options *options,
                       struct volume **ret,
                       struct dn_err *err);
int volume_posix_erase(struct volume *v, struct dn_err *err);

/* posix_beside.c */

struct posix_volume {
    struct volume base;
    struct volume_local local;         /* leases and notices */
    struct volume_posix_faults faults; /* of tests */
    char *dir;                         /* owned, as the opener wrote it */
    char *description;                 /* owned, "posix:" and dir */
    int dir_fd;                        /* the directory itself; all fds: owned, -1 = none */
    int lock_fd;                       /* LOCK, locked; -1 when read-only */
    ino_t lock_ino;                    /* of that file */
    dev_t lock_dev;                    /* likewise */
    atomic_bool lock_lost;             /* the name LOCK means another file: we write no more */
    int object_fd;                     /* o/ */
    int log_fd;                        /* l/ */
    int doc_fd;                        /* d/ */
    int scratch_fd;                    /* scratch/ */
    bool read_only;                    /* no lock, no writes */
    bool still;                        /* read_only: a shared lock */
    _Atomic uint64_t temp_next;        /* number of the next temporary file */
    struct sched_mutex *log_lock;      /* owned, guards logs and logs_count */
    struct posix_log *logs;            /* owned list, most recently used first */
    size_t logs_count;                 /* open ones */
    struct sched_mutex *doc_lock;      /* owned: guards documents and docs_unsettled */
    bool docs_unsettled;               /* a rename in d/ may not be durable; under doc_lock */
    int reserve_fd;                    /* posix_reserve.c: owned, -1 = none; under doc_lock */
    uint64_t reserve;                  /* bytes of it; under doc_lock */
    struct posix_held **held;          /* owned, sorted: what a reader beside a writer keeps */
    size_t held_count;
    size_t held_cap;
};

struct posix_bytes {
    const void *p; /* borrowed */
    size_t n;      /* bytes */
};

/* A file inside the volume, and the words for it. */
struct posix_file {
    int dir_fd;       /* o/, l/, d/ or the volume's own directory */
    const char *kind; /* "object", "log", "document" */
    const char *name; /* in the volume's terms */
};

#define VOLUME_POSIX_FAIL(err, number, format, ...) \
    DN_FAIL((err),                                  \
            volume_posix_code(number),              \
            format ": %s",                          \
            __VA_ARGS__,                            \
            volume_posix_error_text(number))

static inline struct posix_volume *volume_posix_of(struct volume *v)
{
    return DN_CONTAINER_OF(v, struct posix_volume, base);
}

/* posix_file.c */
int volume_posix_code(int number);
const char *volume_posix_error_text(int number);
/* Before a change: DN_E_READ_ONLY, DN_E_FENCED (volume_posix_lock_check). */
int volume_posix_writable(struct posix_volume *pv, struct dn_err *err);
/* '/' becomes '~'. */
void volume_posix_file_name(const char *name, char ret_file[VOLUME_NAME_MAX + 1]);
/* Each returns 0 or an errno, restarts after a signal, and asks the faults of the tests first. */
int volume_posix_openat(
    struct posix_volume *pv, int dir_fd, const char *file, int flags, int *ret_fd);
int volume_posix_mkdirat(struct posix_volume *pv, int dir_fd, const char *file);
struct stat;
int volume_posix_statat(struct posix_volume *pv, int dir_fd, const char *file, struct stat *ret);
int volume_posix_unlinkat(struct posix_volume *pv, int dir_fd, const char *file);
int volume_posix_write_at(
    struct posix_volume *pv, int fd, const void *p, size_t n, uint64_t offset);
int volume_posix_sync(struct posix_volume *pv, int fd);
int volume_posix_sync_data(struct posix_volume *pv, int fd);
int volume_posix_sync_dir(struct posix_volume *pv, int fd);
int volume_posix_truncate(struct posix_volume *pv, int fd, uint64_t len);
/* *ret_n < n only at the end of the file. */
int volume_posix_read_at(
    struct posix_volume *pv, int fd, void *p, size_t n, uint64_t offset, size_t *ret_n);
void volume_posix_close_fd(int *fd);
/* Writes the parts to a temporary file, syncs it, gives it the name, syncs the directory. Without
 * replace an existing name is DN_E_EXISTS, and after an error no such file is visible. With replace
 * and an error the file is the old or the new one; *ret_unsettled (may be NULL) tells that the new
 * name is there and perhaps not durable. */
int volume_posix_publish(struct posix_volume *pv,
                         const struct posix_file *file,
                         const struct posix_bytes parts[2],
                         bool replace,
                         bool *ret_unsettled,
                         struct dn_err *err) DN_MUST_CHECK;
/* Removes the name and syncs the directory. */
int volume_posix_remove(struct posix_volume *pv,
                        const struct posix_file *file,
                        struct dn_err *err) DN_MUST_CHECK;
int volume_posix_list(struct posix_volume *pv,
                      const struct posix_file *dir,
                      const char *prefix,
                      struct volume_names *names,
                      struct dn_err *err) DN_MUST_CHECK;
/* Removes temporary files of dead processes; with all, every file. */
int volume_posix_clean(struct posix_volume *pv, int dir_fd, bool all, struct dn_err *err)
    DN_MUST_CHECK;

/* posix_open.c */
void volume_posix_close(struct volume *v);

/* posix_lock.c: DN_E_BUSY names the process that holds the volume. */
int volume_posix_lock(struct posix_volume *pv, struct dn_err *err) DN_MUST_CHECK;
/* Keeps writers out without being one. A volume that was never written to has no LOCK. */
int volume_posix_lock_still(struct posix_volume *pv, struct dn_err *err) DN_MUST_CHECK;
/* Before a write, and before an acknowledgement, after what it is about is durable: DN_E_FENCED
 * when the lock may be another process's by now. One look at a name; any thread. */
int volume_posix_lock_check(struct posix_volume *pv, struct dn_err *err) DN_MUST_CHECK;
/* What others see in LOCK. */
void volume_posix_announce(struct volume *v, const char *address);

/* posix_beside.c */
int volume_posix_hold(struct volume *v,
                      enum volume_kind kind,
                      const char *name,
                      struct dn_err *err);
void volume_posix_let_go(struct volume *v);
/* -1, NULL: it is not held. */
int volume_posix_held_object(const struct posix_volume *pv, const char *name);
struct posix_log *volume_posix_held_log(const struct posix_volume *pv, const char *name);

/* posix_log.c: a log of its own, with the length it has now; DN_NOT_FOUND. NULL may be freed. */
int volume_posix_log_open(struct posix_volume *pv,
                          const char *name,
                          struct posix_log **ret,
                          struct dn_err *err);
void volume_posix_log_free(struct posix_log *log);

/* posix_doc.c: operations of struct volume_ops */
int volume_posix_doc_read(struct volume *v,
                          const char *name,
                          struct buf *ret,
                          uint64_t *ret_generation,
                          struct dn_err *err);
int volume_posix_doc_replace(struct volume *v,
                             const char *name,
                             const void *p,
                             size_t n,
                             uint64_t generation,
                             uint64_t *ret_generation,
                             struct dn_err *err);

/* posix_reserve.c: space that only documents and new logs may have. Under doc_lock, but for open
 * and close. */
void volume_posix_reserve_open(struct posix_volume *pv);
void volume_posix_reserve_close(struct posix_volume *pv);
void volume_posix_reserve_fill(struct posix_volume *pv); /* as far as there is space */
bool volume_posix_reserve_give(struct posix_volume *pv); /* lets it go; false: there is none */

/* posix.c: the operations */
extern const struct volume_ops volume_posix_ops;

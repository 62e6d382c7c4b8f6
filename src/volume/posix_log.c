/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs of the posix volume. A log is one file: a head of 64 bytes that readers never see, then the
 * appended bytes.
 *
 *     head   two slots of 32 bytes, little-endian
 *     slot   0  8  "dendrolg"
 *            8  4  version, 1
 *           12  4  zero
 *           16  8  epoch
 *           24  8  XXH3 of the 24 bytes before
 *
 * A fence writes the new epoch into the slot that is not in use, so a torn write leaves the old
 * one; the valid slot with the higher epoch counts. The second slot of a new log is zero.
 *
 * Open logs stay in a list with their length, so that an append is one pwrite and one fdatasync. In
 * it an append that failed leaves its mark (broken) and the length of what was acknowledged; its
 * remains are cut off if the file system lets us, and are not shown to readers in any case.
 *
 * Invariants of struct posix_log:
 *   I1  bytes [0, synced) of the log are durable, [synced, len) are written
 *   I2  a log that is broken or has synced < len or pins > 0 stays in the list until the volume
 * closes I3  broken never becomes false
 *
 * Read-only volumes keep no list: another process may be writing. */
#define _GNU_SOURCE
#include "base/hash.h"
#include "volume/posix_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POSIX_LOG_MAGIC     "dendrolg"
#define POSIX_LOG_VERSION   1u
#define POSIX_LOG_SLOT_SIZE 32u
#define POSIX_LOG_HEAD_SIZE (2u * POSIX_LOG_SLOT_SIZE)
#define POSIX_LOGS_OPEN     64u

struct posix_log {
    struct posix_log *next;         /* in posix_volume.logs */
    unsigned pins;                  /* users, under log_lock */
    bool dead;                      /* deleted and out of the list: the last user frees it */
    int fd;                         /* owned */
    struct sched_mutex *lock;       /* owned, guards all below; taken after log_lock was let go */
    uint64_t len;                   /* bytes acknowledged, without the head */
    uint64_t synced;                /* I1 */
    uint64_t epoch;                 /* of the newest writer */
    unsigned slot;                  /* that holds it */
    bool broken;                    /* I3 */
    char name[VOLUME_NAME_MAX + 1]; /* in the volume's terms */
};

static struct posix_file plog_file(struct posix_volume *pv, const char *name)
{
    struct posix_file file = {.dir_fd = pv->log_fd, .kind = "log", .name = name};

    return file;
}

/* -- the head ---------------------------------------------------------------------- */

static void plog_slot_encode(uint8_t slot[POSIX_LOG_SLOT_SIZE], uint64_t epoch)
{
    memcpy(slot, POSIX_LOG_MAGIC, 8);
    le_put32(slot + 8, POSIX_LOG_VERSION);
    le_put32(slot + 12, 0);
    le_put64(slot + 16, epoch);
    le_put64(slot + 24, dn_checksum64(slot, 24));
}

static bool plog_slot_valid(const uint8_t slot[POSIX_LOG_SLOT_SIZE])
{
    return memcmp(slot, POSIX_LOG_MAGIC, 8) == 0 && le_get64(slot + 24) == dn_checksum64(slot, 24);
}

/* Reads head and size of an open file. */
static int plog_head_read(struct posix_volume *pv, struct posix_log *log, struct dn_err *err)
{
    uint8_t head[POSIX_LOG_HEAD_SIZE];
    struct stat st;
    bool found = false;
    size_t n = 0;
    int number = volume_posix_read_at(pv, log->fd, head, sizeof head, 0, &n);

    if (number == 0 && fstat(log->fd, &st) != 0)
        number = errno;
    if (number)
        return VOLUME_POSIX_FAIL(err, number, "log '%s': cannot read its head", log->name);
    DN_CHECK_DISK(n == sizeof head, err, "log '%s': the file ends inside its head", log->name);
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *slot = head + i * POSIX_LOG_SLOT_SIZE;
        if (!plog_slot_valid(slot))
            continue;
        if (le_get32(slot + 8) != POSIX_LOG_VERSION)
            return DN_FAIL(err,
                           DN_E_VERSION,
                           "log '%s' has format %" PRIu32 ", this release reads up to %u",
                           log->name,
                           le_get32(slot + 8),
                           POSIX_LOG_VERSION);
        if (!found || le_get64(slot + 16) > log->epoch) {
            log->epoch = le_get64(slot + 16);
            log->slot = i;
        }
        found = true;
    }
    DN_CHECK_DISK(found, err, "log '%s': the head at offset 0 is damaged", log->name);
    log->len = (uint64_t)st.st_size - POSIX_LOG_HEAD_SIZE;
    log->synced = log->len;
    return 0;
}

/* -- the list of open logs --------------------------------------------------------- */

void volume_posix_log_free(struct posix_log *log)
{
    if (!log)
        return;
    volume_posix_close_fd(&log->fd);
    sched_mutex_free(log->lock);
    mem_free(log);
}

/* DN_NOT_FOUND when there is no such log. */
int volume_posix_log_open(struct posix_volume *pv,
                          const char *name,
                          struct posix_log **ret_log,
                          struct dn_err *err)
{
    char file[VOLUME_NAME_MAX + 1];
    struct posix_log *log = mem_calloc(NULL, 1, sizeof *log);
    int number;
    int rc;

    if (!log)
        return DN_FAIL_NOMEM(err);
    log->fd = -1;
    (void)snprintf(log->name, sizeof log->name, "%s", name);
    volume_posix_file_name(name, file);
    log->lock = sched_mutex_new(pv->base.sched, "volume log");
    if (!log->lock) {
        volume_posix_log_free(log);
        return DN_FAIL_NOMEM(err);
    }
    number = volume_posix_openat(
        pv, pv->log_fd, file, (pv->read_only ? O_RDONLY : O_RDWR) | O_NOFOLLOW, &log->fd);
    if (number == ENOENT)
        rc = DN_NOT_FOUND;
    else if (number)
        rc = VOLUME_POSIX_FAIL(err, number, "log '%s': cannot open", name);
    else
        rc = plog_head_read(pv, log, err);
    if (rc == 0 && !pv->read_only) {
        /* What a killed process wrote and did not sync would be shown to readers now: make it last.
         */
        number = volume_posix_sync_data(pv, log->fd);
        if (number)
            rc = VOLUME_POSIX_FAIL(err, number, "log '%s': cannot sync", name);
    }
    if (rc != 0) {
        volume_posix_log_free(log);
        return rc;
    }
    *ret_log = log;
    return 0;
}

/* Closes the least recently used log that may go. Under log_lock. */
static void plog_evict(struct posix_volume *pv)
{
    struct posix_log **at = NULL;
    struct posix_log *log;

    if (pv->logs_count <= POSIX_LOGS_OPEN)
        return;
    for (struct posix_log **p = &pv->logs; *p; p = &(*p)->next)
        if ((*p)->pins == 0 && !(*p)->broken && (*p)->synced == (*p)->len) /* I2 */
            at = p;
    if (!at)
        return;
    log = *at;
    *at = log->next;
    pv->logs_count--;
    volume_posix_log_free(log);
}

/* The log for use until plog_unpin; DN_NOT_FOUND when there is none. */
static int
plog_pin(struct posix_volume *pv, const char *name, struct posix_log **ret_log, struct dn_err *err)
{
    struct posix_log *log = NULL;
    struct posix_log **p;
    int rc = 0;

    sched_lock(pv->log_lock);
    for (p = &pv->logs; *p; p = &(*p)->next)
        if (strcmp((*p)->name, name) == 0)
            break;
    if (*p) {
        log = *p;
        *p = log->next;
        pv->logs_count--;
    } else {
        rc = volume_posix_log_open(pv, name, &log, err);
    }
    if (rc == 0) {
        log->next = pv->logs;
        pv->logs = log;
        pv->logs_count++;
        log->pins++;
        plog_evict(pv);
        *ret_log = log;
    }
    sched_unlock(pv->log_lock);
    return rc;
}

static void plog_unpin(struct posix_volume *pv, struct posix_log *log)
{
    bool last;

    sched_lock(pv->log_lock);
    log->pins--;
    last = log->dead && log->pins == 0;
    sched_unlock(pv->log_lock);
    if (last)
        volume_posix_log_free(log);
}

/* Takes a log whose file is gone out of the list, so that a new one of its name is not mixed up
 * with it. Under log_lock. */
static void plog_forget(struct posix_volume *pv, const char *name)
{
    struct posix_log **p = &pv->logs;
    struct posix_log *log;

    while (*p && strcmp((*p)->name, name) != 0)
        p = &(*p)->next;
    log = *p;
    if (!log)
        return;
    *p = log->next;
    pv->logs_count--;
    log->dead = true;
    if (log->pins == 0) /* else its last user frees it */
        volume_posix_log_free(log);
}

void volume_posix_logs_done(struct posix_volume *pv)
{
    while (pv->logs) {
        struct posix_log *log = pv->logs;
        DN_ASSERT(log->pins == 0); /* nobody uses the volume any more */
        pv->logs = log->next;
        volume_posix_log_free(log);
    }
    pv->logs_count = 0;
}

/* Pins and locks a log for a writer of the epoch. */
static int plog_enter(struct posix_volume *pv,
                      const char *name,
                      uint64_t epoch,
                      struct posix_log **ret_log,
                      struct dn_err *err)
{
    struct posix_log *log;
    int rc = volume_posix_writable(pv, err);

    if (rc < 0)
        return rc;
    rc = plog_pin(pv, name, &log, err);
    if (rc == DN_NOT_FOUND)
        return VOLUME_FAIL_MISSING(err, "log", name);
    if (rc < 0)
        return rc;
    sched_lock(log->lock);
    if (epoch < log->epoch)
        rc = VOLUME_FAIL_FENCED(err, name, epoch, log->epoch);
    if (rc < 0) {
        sched_unlock(log->lock);
        plog_unpin(pv, log);
        return rc;
    }
    *ret_log = log;
    return 0;
}

static void plog_leave(struct posix_volume *pv, struct posix_log *log)
{
    sched_unlock(log->lock);
    plog_unpin(pv, log);
}

/* -- operations -------------------------------------------------------------------- */

int volume_posix_log_create(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_file file = plog_file(pv, name);
    uint8_t head[POSIX_LOG_HEAD_SIZE] = {0};
    struct posix_bytes parts[2] = {{head, sizeof head}, {"", 0}};
    int rc = volume_posix_writable(pv, err);

    if (rc < 0)
        return rc;
    plog_slot_encode(head, epoch);
    rc = volume_posix_publish(pv, &file, parts, false, NULL, err);
    if (rc < 0 && rc != DN_E_EXISTS) {
        /* It may have had its name for a moment, and a reader may have opened it then. */
        sched_lock(pv->log_lock);
        plog_forget(pv, name);
        sched_unlock(pv->log_lock);
    }
    return rc;
}

/* Cuts the remains of a failed append off and makes the log refuse all others. Under log->lock. */
static void plog_break(struct posix_volume *pv, struct posix_log *log)
{
    log->broken = true;
    (void)volume_posix_truncate(pv, log->fd, POSIX_LOG_HEAD_SIZE + log->len); /* best effort */
}

static int plog_append(struct posix_volume *pv,
                       struct posix_log *log,
                       const void *p,
                       size_t n,
                       bool sync,
                       struct dn_err *err)
{
    int number;

    if (log->broken)
        return VOLUME_FAIL_BROKEN(err, log->name);
    number = volume_posix_write_at(pv, log->fd, p, n, POSIX_LOG_HEAD_SIZE + log->len);
    if (number) {
        plog_break(pv, log);
        return VOLUME_POSIX_FAIL(err,
                                 number,
                                 "log '%s': cannot append %zu bytes at offset %" PRIu64,
                                 log->name,
                                 n,
                                 log->len);
    }
    if (sync) {
        number = volume_posix_sync_data(pv, log->fd);
        if (number) {
            plog_break(pv, log);
            return VOLUME_POSIX_FAIL(err,
                                     number,
                                     "log '%s': cannot sync %zu bytes at offset %" PRIu64,
                                     log->name,
                                     n,
                                     log->len);
        }
    }
    log->len += n;
    if (sync)
        log->synced = log->len;
    return 0;
}

int volume_posix_log_append(struct volume *v,
                            const char *name,
                            uint64_t epoch,
                            const void *p,
                            size_t n,
                            bool sync,
                            struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_log *log;
    int rc = plog_enter(pv, name, epoch, &log, err);

    if (rc < 0)
        return rc;
    rc = plog_append(pv, log, p, n, sync, err);
    plog_leave(pv, log);
    return rc;
}

/* The sync itself runs without the log's lock, so that appends go on meanwhile. */
int volume_posix_log_sync(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_log *log;
    uint64_t len;
    int number = 0;
    int rc = plog_enter(pv, name, epoch, &log, err);

    if (rc < 0)
        return rc;
    if (log->broken)
        rc = VOLUME_FAIL_BROKEN(err, name);
    len = log->len;
    if (rc == 0 && log->synced < len) {
        sched_unlock(log->lock);
        number = volume_posix_sync_data(pv, log->fd);
        sched_lock(log->lock);
        if (number) {
            log->broken = true;
            rc = VOLUME_POSIX_FAIL(err, number, "log '%s': cannot sync", name);
        } else if (log->synced < len) {
            log->synced = len;
        }
    }
    plog_leave(pv, log);
    return rc;
}

int volume_posix_log_fence(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    uint8_t slot[POSIX_LOG_SLOT_SIZE];
    struct posix_log *log;
    unsigned other;
    int number;
    int rc = plog_enter(pv, name, epoch, &log, err);

    if (rc < 0)
        return rc;
    if (epoch > log->epoch) {
        other = 1 - log->slot;
        plog_slot_encode(slot, epoch);
        number = volume_posix_write_at(
            pv, log->fd, slot, sizeof slot, (uint64_t)other * POSIX_LOG_SLOT_SIZE);
        if (number == 0) {
            number = volume_posix_sync_data(pv, log->fd);
            log->broken |= number != 0; /* appends that were not synced may be lost with it */
        }
        if (number) {
            rc = VOLUME_POSIX_FAIL(err, number, "log '%s': cannot set its epoch", name);
        } else {
            log->epoch = epoch;
            log->slot = other;
            log->synced = log->len;
        }
    }
    plog_leave(pv, log);
    return rc;
}

static int plog_read(struct posix_volume *pv,
                     struct posix_log *log,
                     uint64_t len,
                     uint64_t offset,
                     struct buf *ret,
                     struct dn_err *err)
{
    size_t old = ret->len;
    size_t n = 0;
    uint8_t *to;
    int number;

    if (offset >= len)
        return 0;
    if (len - offset > SIZE_MAX / 2)
        return DN_FAIL_NOMEM(err);
    to = buf_extend(ret, (size_t)(len - offset));
    if (!to)
        return DN_FAIL_NOMEM(err);
    number = volume_posix_read_at(
        pv, log->fd, to, (size_t)(len - offset), POSIX_LOG_HEAD_SIZE + offset, &n);
    if (number) {
        ret->len = old;
        return VOLUME_POSIX_FAIL(err,
                                 number,
                                 "log '%s': cannot read %" PRIu64 " bytes at offset %" PRIu64,
                                 log->name,
                                 len - offset,
                                 offset);
    }
    ret->len = old + n;
    return 0;
}

int volume_posix_log_read(
    struct volume *v, const char *name, uint64_t offset, struct buf *ret, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_log *log;
    uint64_t len;
    int rc;

    if (pv->read_only) {
        log = volume_posix_held_log(pv, name);
        if (log)
            return plog_read(pv, log, log->len, offset, ret, err);
        rc = volume_posix_log_open(pv, name, &log, err);
        if (rc != 0)
            return rc;
        rc = plog_read(pv, log, log->len, offset, ret, err);
        volume_posix_log_free(log);
        return rc;
    }
    rc = plog_pin(pv, name, &log, err);
    if (rc != 0)
        return rc;
    sched_lock(log->lock);
    len = log->len;
    sched_unlock(log->lock);
    rc = plog_read(pv, log, len, offset, ret, err);
    plog_unpin(pv, log);
    return rc;
}

int volume_posix_log_remove(struct volume *v, const char *name, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    char file_name[VOLUME_NAME_MAX + 1];
    struct posix_file file = plog_file(pv, name);
    int rc = volume_posix_writable(pv, err);

    if (rc < 0)
        return rc;
    volume_posix_file_name(name, file_name);
    sched_lock(pv->log_lock);
    rc = volume_posix_remove(pv, &file, err);
    if (rc >= 0 || faccessat(pv->log_fd, file_name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        plog_forget(pv, name);
    sched_unlock(pv->log_lock);
    return rc;
}

int volume_posix_log_list(struct volume *v,
                          const char *prefix,
                          struct volume_names *names,
                          struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_file file = plog_file(pv, "");

    return volume_posix_list(pv, &file, prefix, names, err);
}

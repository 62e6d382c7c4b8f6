/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs of the posix volume; posix_log_open.c has the file.
 *
 * Open logs stay in a list with their length, so that an append is one pwrite and one fdatasync. In
 * it an append that failed leaves its mark (broken) and the length of what was acknowledged; its
 * remains are cut off if the file system lets us, and are not shown to readers in any case.
 *
 * A log that grows by small synced appends runs into zeros that were written ahead of it: then a
 * sync has bytes to write and nothing else, where a file that becomes longer costs a commit of the
 * file system's journal each time. Whoever closes the log cuts them off; after a crash they are
 * there still, and readers see them: the contract of logs allows it.
 *
 * Read-only volumes keep no list: another process may be writing. */
#define _GNU_SOURCE
#include "volume/posix_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POSIX_LOGS_OPEN      64u
/* Zeros ahead of a log: half of what it has, within these bounds. */
#define POSIX_LOG_AHEAD_MIN  (16u * 1024) /* a log that is shorter has none */
#define POSIX_LOG_AHEAD_MAX  (1024u * 1024)
#define POSIX_LOG_APPEND_MAX (64u * 1024) /* a larger append costs more than its sync */
#define POSIX_LOG_PIECE      (64u * 1024) /* of zeros, one write */

static const uint8_t plog_zeros[POSIX_LOG_PIECE];

static struct posix_file plog_file(struct posix_volume *pv, const char *name)
{
    struct posix_file file = {.dir_fd = pv->log_fd, .kind = "log", .name = name};

    return file;
}

/* -- the list of open logs --------------------------------------------------------- */

/* Takes the zeros ahead of a log away; best effort, they do no harm. Nobody uses it. */
static void plog_cut(struct posix_volume *pv, struct posix_log *log)
{
    if (!pv->read_only && !log->broken && log->size > log->len)
        (void)volume_posix_truncate(pv, log->fd, POSIX_LOG_HEAD_SIZE + log->len);
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
    plog_cut(pv, log);
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
        plog_cut(pv, log);
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
    int rc = volume_posix_writable(pv, err); /* once more behind the write: plog_is_safe */

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
    volume_posix_log_slot(head, epoch);
    rc = volume_posix_publish(pv, &file, parts, false, NULL, err);
    if (rc == DN_E_NOSPC) { /* old logs can go only after a new one has begun */
        sched_lock(pv->doc_lock);
        if (volume_posix_reserve_give(pv))
            rc = volume_posix_publish(pv, &file, parts, false, NULL, err);
        volume_posix_reserve_fill(pv);
        sched_unlock(pv->doc_lock);
    }
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

/* The append of n bytes at the end has made the file longer: zeros after it, for those to come.
 * Where there is no space for them there are none. Under log->lock. */
static void plog_reserve(struct posix_volume *pv, struct posix_log *log, size_t n)
{
    uint64_t at = log->len + n;
    uint64_t ahead = at / 2 < POSIX_LOG_AHEAD_MAX ? at / 2 : POSIX_LOG_AHEAD_MAX;

    log->size = at;
    if (at < POSIX_LOG_AHEAD_MIN || n > POSIX_LOG_APPEND_MAX)
        return;
    while (ahead > 0) {
        size_t piece = ahead < POSIX_LOG_PIECE ? (size_t)ahead : POSIX_LOG_PIECE;

        if (volume_posix_write_at(
                pv, log->fd, plog_zeros, piece, POSIX_LOG_HEAD_SIZE + log->size) != 0) {
            log->size = at;
            (void)volume_posix_truncate(pv, log->fd, POSIX_LOG_HEAD_SIZE + at);
            return;
        }
        log->size += piece;
        ahead -= piece;
    }
}

/* The end of every append and sync: what was written is safe only if the next process that opens
 * the volume finds it. Then the volume is still ours, and the log's name still means its file. Any
 * other end breaks the log. Under log->lock. */
static int plog_is_safe(struct posix_volume *pv, struct posix_log *log, struct dn_err *err)
{
    char file[VOLUME_NAME_MAX + 1];
    struct stat st;
    int number;
    int rc = volume_posix_lock_check(pv, err);

    if (rc == DN_E_FENCED) {
        rc = VOLUME_FAIL_UNKNOWN(err, log->name);
        dn_err_hint(err, "stop this process and open the database again: then it shows");
    }
    if (rc == 0) {
        volume_posix_file_name(log->name, file);
        number = volume_posix_statat(pv, pv->log_fd, file, &st);
        if (number == ENOENT || (number == 0 && (st.st_ino != log->ino || st.st_dev != log->dev)))
            rc = VOLUME_FAIL_VANISHED(err, log->name);
        else if (number)
            rc = VOLUME_POSIX_FAIL(err, number, "log '%s': cannot look at its file", log->name);
    }
    if (rc < 0)
        log->broken = true; /* its bytes stay as they are: another process may use them */
    return rc;
}

static int plog_append(struct posix_volume *pv,
                       struct posix_log *log,
                       const void *p,
                       size_t n,
                       bool sync,
                       struct dn_err *err)
{
    int number;
    int rc;

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
    if (log->size < log->len + n) {
        if (sync)
            plog_reserve(pv, log, n);
        else
            log->size = log->len + n;
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
    rc = plog_is_safe(pv, log, err);
    if (rc < 0)
        return rc;
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
        } else {
            rc = plog_is_safe(pv, log, err);
        }
        if (rc == 0 && log->synced < len)
            log->synced = len;
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
        volume_posix_log_slot(slot, epoch);
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
    size_t want;
    uint8_t *to;
    int number;

    if (offset >= len)
        return 0;
    if (len - offset > SIZE_MAX / 2)
        return DN_FAIL_NOMEM(err);
    to = buf_extend(ret, (size_t)(len - offset));
    if (!to)
        return DN_FAIL_NOMEM(err);
    want = (size_t)(len - offset);
    if (pv->read_only) { /* plog_freeze */
        want = offset < log->synced ? (size_t)(log->synced - offset) : 0;
        memset(to + want, 0, (size_t)(len - offset) - want);
    }
    number = volume_posix_read_at(pv, log->fd, to, want, POSIX_LOG_HEAD_SIZE + offset, &n);
    if (number) {
        ret->len = old;
        return VOLUME_POSIX_FAIL(err,
                                 number,
                                 "log '%s': cannot read %" PRIu64 " bytes at offset %" PRIu64,
                                 log->name,
                                 len - offset,
                                 offset);
    }
    ret->len = old + (n < want ? n : (size_t)(len - offset));
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

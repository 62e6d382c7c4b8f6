/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a log of the posix volume: a head of 64 bytes that readers never see, then the
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
 * one; the valid slot with the higher epoch counts. The second slot of a new log is zero. */
#define _GNU_SOURCE
#include "volume/posix_log.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define POSIX_LOG_MAGIC   "dendrolg"
#define POSIX_LOG_VERSION 1u

void volume_posix_log_slot(uint8_t slot[POSIX_LOG_SLOT_SIZE], uint64_t epoch)
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
    log->ino = st.st_ino;
    log->dev = st.st_dev;
    log->len = (uint64_t)st.st_size - POSIX_LOG_HEAD_SIZE;
    log->synced = log->len;
    log->size = log->len;
    return 0;
}

/* A writer may be filling the zeros ahead of the log: a reader beside it takes what is behind the
 * last other byte as zeros from now on. So it has all that was acknowledged before, then perhaps
 * the beginning of one append, and never an append without those before it. */
static int plog_freeze(struct posix_volume *pv, struct posix_log *log, struct dn_err *err)
{
    uint8_t piece[4096];

    while (log->synced > 0) {
        size_t want =
            (size_t)(log->synced % sizeof piece ? log->synced % sizeof piece : sizeof piece);
        size_t n = 0;
        int number = volume_posix_read_at(
            pv, log->fd, piece, want, POSIX_LOG_HEAD_SIZE + log->synced - want, &n);

        if (number)
            return VOLUME_POSIX_FAIL(err, number, "log '%s': cannot read its end", log->name);
        while (n > 0 && piece[n - 1] == 0)
            n--;
        log->synced -= want - n;
        if (n > 0)
            break;
    }
    return 0;
}

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
    } else if (rc == 0) {
        rc = plog_freeze(pv, log, err);
    }
    if (rc != 0) {
        volume_posix_log_free(log);
        return rc;
    }
    *ret_log = log;
    return 0;
}

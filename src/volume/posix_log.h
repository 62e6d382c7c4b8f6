/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_log.h: logs of the posix volume, for src/volume/posix*.c only. Of an open log only
 * posix_log*.c know the inside.
 *
 * Invariants of struct posix_log:
 *   I1  bytes [0, synced) of the log are durable, [synced, len) are written; of a read-only
 *       volume's: [synced, len) are zeros, whatever the file has now
 *   I2  a log that is broken or has synced < len or pins > 0 stays in the list until the volume
 *       closes
 *   I3  broken never becomes false
 *   I4  len <= size; what the file has in [len, size) are zeros, unless an append failed there */
#pragma once

#include "volume/posix_int.h"

#define POSIX_LOG_SLOT_SIZE 32u
#define POSIX_LOG_HEAD_SIZE (2u * POSIX_LOG_SLOT_SIZE)

struct posix_log {
    struct posix_log *next;         /* in posix_volume.logs */
    unsigned pins;                  /* users, under log_lock */
    bool dead;                      /* deleted and out of the list: the last user frees it */
    int fd;                         /* owned */
    ino_t ino;                      /* of the file, fixed: its name must keep meaning it */
    dev_t dev;                      /* likewise */
    struct sched_mutex *lock;       /* owned, guards all below; taken after log_lock was let go */
    uint64_t len;                   /* bytes acknowledged, without the head */
    uint64_t size;                  /* I4: bytes of the file, without the head */
    uint64_t synced;                /* I1 */
    uint64_t epoch;                 /* of the newest writer */
    unsigned slot;                  /* that holds it */
    bool broken;                    /* I3 */
    char name[VOLUME_NAME_MAX + 1]; /* in the volume's terms */
};

void volume_posix_log_slot(uint8_t slot[POSIX_LOG_SLOT_SIZE], uint64_t epoch);

/* posix_log.c: operations of struct volume_ops */
int volume_posix_log_create(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
int volume_posix_log_append(struct volume *v,
                            const char *name,
                            uint64_t epoch,
                            const void *p,
                            size_t n,
                            bool sync,
                            struct dn_err *err);
int volume_posix_log_sync(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
int volume_posix_log_fence(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
int volume_posix_log_read(
    struct volume *v, const char *name, uint64_t offset, struct buf *ret, struct dn_err *err);
int volume_posix_log_remove(struct volume *v, const char *name, struct dn_err *err);
int volume_posix_log_list(struct volume *v,
                          const char *prefix,
                          struct volume_names *names,
                          struct dn_err *err);
/* Closes the open logs. */
void volume_posix_logs_done(struct posix_volume *pv);

/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_lock.c: one process at a time writes to a posix volume.
 *
 * The locks are the kernel's (flock), so they go with their process, however that ends. There are
 * two: on the file LOCK, whose text tells others whom to look for, and on the directory of the
 * volume itself. A file can be removed while its lock is held; then a second process would make
 * and lock another LOCK. The directory cannot be removed under the processes that use it without
 * all its files, so the second lock still keeps them apart. Some network file systems cannot lock
 * directories; there, LOCK alone decides.
 *
 * What neither lock prevents is noticed: before anything is acknowledged, the name LOCK must still
 * mean the file that this process has locked. A process that opens the volume locks the file of
 * that name first. So if the name has not changed after bytes became durable, no process has opened
 * the volume before that, and the next one will read these bytes. */
#define _GNU_SOURCE
#include "volume/posix_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POSIX_HOLDER_MAX     64
#define POSIX_HOLDER_TRIES   20
#define POSIX_HOLDER_WAIT_NS 5000000
#define POSIX_LOCK_TRIES     100 /* another process may remove LOCK between our open and our lock */

struct pvol_holder {
    long pid;                              /* 0 = unknown */
    char program[POSIX_HOLDER_MAX];        /* "" = unknown */
    char address[VOLUME_ANNOUNCE_MAX + 1]; /* where it can be reached, "" = it did not say */
};

static void pvol_read_small(int dir_fd, const char *file, char *ret_text, size_t cap)
{
    int fd = openat(dir_fd, file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, ret_text, cap - 1);

    ret_text[n < 0 ? 0 : n] = '\0';
    volume_posix_close_fd(&fd);
}

/* The line ends there; what follows it. */
static const char *pvol_cut_line(char *text)
{
    size_t len = strcspn(text, "\n");
    bool more = text[len] == '\n';

    text[len] = '\0';
    return text + len + more;
}

/* The holder writes its name just after it got the lock; give it a moment. */
static void pvol_read_holder(struct posix_volume *pv, struct pvol_holder *ret_holder)
{
    struct timespec moment = {.tv_sec = 0, .tv_nsec = POSIX_HOLDER_WAIT_NS};
    char text[POSIX_HOLDER_MAX + VOLUME_ANNOUNCE_MAX];
    const char *address;
    char *rest = NULL;

    for (int i = 0; i < POSIX_HOLDER_TRIES; i++) {
        memset(ret_holder, 0, sizeof *ret_holder);
        pvol_read_small(pv->dir_fd, VOLUME_POSIX_LOCK_FILE, text, sizeof text);
        address = pvol_cut_line(text);
        (void)snprintf(ret_holder->address,
                       sizeof ret_holder->address,
                       "%.*s",
                       (int)strcspn(address, "\n"),
                       address);
        ret_holder->pid = strtol(text, &rest, 10);
        if (ret_holder->pid > 0 && *rest == ' ')
            (void)snprintf(ret_holder->program, sizeof ret_holder->program, "%s", rest + 1);
        if (ret_holder->program[0] && (kill((pid_t)ret_holder->pid, 0) == 0 || errno == EPERM))
            return;
        (void)nanosleep(&moment, NULL);
    }
}

static int pvol_fail_busy(struct posix_volume *pv, struct dn_err *err)
{
    struct pvol_holder holder;
    int rc;

    pvol_read_holder(pv, &holder);
    if (holder.program[0])
        rc = DN_FAIL(err,
                     DN_E_BUSY,
                     "volume '%s' is in use by %s (pid %ld)",
                     pv->dir,
                     holder.program,
                     holder.pid);
    else
        rc = DN_FAIL(err, DN_E_BUSY, "volume '%s' is in use by another process", pv->dir);
    if (holder.address[0] && !pv->still) {
        dn_err_hint(err,
                    "it serves the database: connect with `dendro sql %s`, or open the directory "
                    "read-only",
                    holder.address);
        return rc;
    }
    dn_err_hint(err,
                pv->still ? "what is written meanwhile would look like damage: stop the other "
                            "process first"
                          : "one process at a time may write to a volume: stop the other one, or "
                            "open it read-only");
    return rc;
}

static int pvol_flock(struct posix_volume *pv, int fd, int how, struct dn_err *err)
{
    while (flock(fd, how | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return pvol_fail_busy(pv, err);
        if (errno != EINTR)
            return VOLUME_POSIX_FAIL(err, errno, "volume '%s': cannot lock it", pv->dir);
    }
    return 0;
}

/* The directory's own lock, where the file system has such locks. It goes with dir_fd. */
static int pvol_flock_dir(struct posix_volume *pv, int how, struct dn_err *err)
{
    while (flock(pv->dir_fd, how | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return pvol_fail_busy(pv, err);
        if (errno != EINTR)
            break;
    }
    return 0;
}

/* Does the name LOCK mean the file that is open? 0 or an errno. */
static int pvol_lock_is_named(struct posix_volume *pv, bool *ret_named)
{
    struct stat named;
    int number = volume_posix_statat(pv, pv->dir_fd, VOLUME_POSIX_LOCK_FILE, &named);

    *ret_named = number == 0 && named.st_ino == pv->lock_ino && named.st_dev == pv->lock_dev;
    return number == ENOENT ? 0 : number;
}

/* Opens and locks LOCK. */
static int pvol_lock_file(struct posix_volume *pv, struct dn_err *err)
{
    bool named = false;

    for (int i = 0; i < POSIX_LOCK_TRIES; i++) {
        struct stat held;
        int number = volume_posix_openat(
            pv, pv->dir_fd, VOLUME_POSIX_LOCK_FILE, O_RDWR | O_CREAT, &pv->lock_fd);
        int rc;

        if (number)
            return VOLUME_POSIX_FAIL(err, number, "volume '%s': cannot open LOCK", pv->dir);
        rc = pvol_flock(pv, pv->lock_fd, LOCK_EX, err);
        if (rc < 0)
            return rc;
        if (fstat(pv->lock_fd, &held) != 0)
            return VOLUME_POSIX_FAIL(err, errno, "volume '%s': cannot look at LOCK", pv->dir);
        pv->lock_ino = held.st_ino;
        pv->lock_dev = held.st_dev;
        number = pvol_lock_is_named(pv, &named);
        if (number)
            return VOLUME_POSIX_FAIL(err, number, "volume '%s': cannot look at LOCK", pv->dir);
        if (named)
            return 0;
        volume_posix_close_fd(&pv->lock_fd); /* it was removed before we had locked it */
    }
    return DN_FAIL(
        err, DN_E_BUSY, "volume '%s': its file LOCK is removed again and again", pv->dir);
}

int volume_posix_lock(struct posix_volume *pv, struct dn_err *err)
{
    char program[POSIX_HOLDER_MAX];
    char text[POSIX_HOLDER_MAX * 2];
    int n;
    int rc;

    rc = pvol_flock_dir(pv, LOCK_EX, err);
    if (rc < 0)
        return rc;
    rc = pvol_lock_file(pv, err);
    if (rc < 0)
        return rc;
    pvol_read_small(AT_FDCWD, "/proc/self/comm", program, sizeof program);
    (void)pvol_cut_line(program);
    n = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), program[0] ? program : "a program");
    /* For messages only: a full disk must not keep anybody from opening the volume. */
    DN_IGNORE(ftruncate(pv->lock_fd, 0));
    DN_IGNORE(pwrite(pv->lock_fd, text, (size_t)n, 0));
    return 0;
}

int volume_posix_lock_still(struct posix_volume *pv, struct dn_err *err)
{
    int number;
    int rc = pvol_flock_dir(pv, LOCK_SH, err);

    if (rc < 0)
        return rc;
    number = volume_posix_openat(pv, pv->dir_fd, VOLUME_POSIX_LOCK_FILE, O_RDONLY, &pv->lock_fd);
    if (number == ENOENT)
        return 0;
    if (number)
        return VOLUME_POSIX_FAIL(err, number, "volume '%s': cannot open LOCK", pv->dir);
    return pvol_flock(pv, pv->lock_fd, LOCK_SH, err);
}

int volume_posix_lock_check(struct posix_volume *pv, struct dn_err *err)
{
    bool named = false;
    int number = 0;
    int rc;

    if (!atomic_load_explicit(&pv->lock_lost, memory_order_relaxed)) {
        number = pvol_lock_is_named(pv, &named);
        if (number)
            return VOLUME_POSIX_FAIL(err, number, "volume '%s': cannot look at LOCK", pv->dir);
        if (named)
            return 0;
        atomic_store_explicit(&pv->lock_lost, true, memory_order_relaxed);
    }
    rc = DN_FAIL(err,
                 DN_E_FENCED,
                 "volume '%s': its lock, the file LOCK, was removed or replaced while this process "
                 "held it; another process may be writing",
                 pv->dir);
    dn_err_hint(err, "this process writes nothing any more: stop it and open the database again");
    return rc;
}

void volume_posix_announce(struct volume *v, const char *address)
{
    struct posix_volume *pv = volume_posix_of(v);
    char text[POSIX_HOLDER_MAX * 2 + VOLUME_ANNOUNCE_MAX + 2];
    ssize_t n;
    int more;

    if (pv->lock_fd < 0 || pv->read_only)
        return;
    n = pread(pv->lock_fd, text, POSIX_HOLDER_MAX * 2 - 1, 0);
    text[n < 0 ? 0 : n] = '\0';
    (void)pvol_cut_line(text);
    n = (ssize_t)strlen(text);
    more = snprintf(text + n, sizeof text - (size_t)n, "\n%.*s\n", VOLUME_ANNOUNCE_MAX, address);
    DN_IGNORE(ftruncate(pv->lock_fd, 0)); /* for messages only, as above */
    DN_IGNORE(pwrite(pv->lock_fd, text, (size_t)n + (size_t)more, 0));
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Space that the posix volume keeps back for documents and new logs: on a full disk it is they that
 * let tables and slabs go, and so make room. It is the file RESERVE. A replacement that finds no
 * space lets the file's space go, is tried once more, and fills the file again with what is left.
 * The file outlives a process that is killed, so that no other program gets its space before the
 * volume is opened again. A clean close removes it where there is plenty of space. Where the file
 * system knows no fallocate there is none. */
#define _GNU_SOURCE
#include "volume/posix_int.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define POSIX_RESERVE_BYTES  (512 * 1024)
#define POSIX_RESERVE_LEAST  (16 * 1024)                  /* less is not worth having */
#define POSIX_RESERVE_PLENTY (UINT64_C(64) * 1024 * 1024) /* free: it need not be kept */

void volume_posix_reserve_open(struct posix_volume *pv)
{
    struct stat st;

    if (pv->read_only || pv->faults.fn) /* those count the calls to the OS */
        return;
    pv->reserve_fd = openat(
        pv->dir_fd, VOLUME_POSIX_RESERVE_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (pv->reserve_fd >= 0 && fstat(pv->reserve_fd, &st) == 0) {
        uint64_t there = (uint64_t)st.st_blocks * 512;

        pv->reserve = there < (uint64_t)st.st_size ? there : (uint64_t)st.st_size;
    }
    volume_posix_reserve_fill(pv);
}

void volume_posix_reserve_close(struct posix_volume *pv)
{
    struct statvfs fs;

    if (pv->reserve_fd < 0)
        return;
    if (fstatvfs(pv->dir_fd, &fs) == 0 &&
        (uint64_t)fs.f_bavail * fs.f_frsize > POSIX_RESERVE_PLENTY)
        (void)unlinkat(pv->dir_fd, VOLUME_POSIX_RESERVE_FILE, 0); /* the next open makes it anew */
    volume_posix_close_fd(&pv->reserve_fd);
}

void volume_posix_reserve_fill(struct posix_volume *pv)
{
    off_t n = POSIX_RESERVE_BYTES;

    if (pv->reserve_fd < 0 || pv->reserve >= POSIX_RESERVE_BYTES)
        return;
    while (n >= POSIX_RESERVE_LEAST && n > (off_t)pv->reserve) {
        if (fallocate(pv->reserve_fd, 0, 0, n) == 0) {
            pv->reserve = (uint64_t)n;
            return;
        }
        /* A part of it may be there now: not more than was, so that the rest can be had. */
        if (ftruncate(pv->reserve_fd, (off_t)pv->reserve) != 0)
            return;
        n /= 2;
    }
}

bool volume_posix_reserve_give(struct posix_volume *pv)
{
    if (pv->reserve == 0 || ftruncate(pv->reserve_fd, 0) != 0)
        return false;
    pv->reserve = 0;
    return true;
}

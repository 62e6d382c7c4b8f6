/* SPDX-License-Identifier: Apache-2.0
 *
 * Space that the posix volume keeps back for documents: on a full disk it is they that let tables
 * and slabs go, and so make room. It is a file without a name, as long as the volume is open; a
 * replacement that finds no space lets it go, is tried once more, and fills it again with what is
 * left. Where the file system knows no fallocate there is none. */
#define _GNU_SOURCE
#include "volume/posix_int.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define POSIX_RESERVE_BYTES (512 * 1024)
#define POSIX_RESERVE_LEAST (16 * 1024) /* less is not worth having */

void volume_posix_reserve_open(struct posix_volume *pv)
{
    if (pv->read_only || pv->faults.fn) /* those count the calls to the OS */
        return;
    pv->reserve_fd = openat(pv->scratch_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    volume_posix_reserve_fill(pv);
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

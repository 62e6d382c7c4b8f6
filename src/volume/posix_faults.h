/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_faults.h: the posix volume when the OS fails, for its tests: a hook that is asked before
 * each call. Any thread, as the volume. */
#pragma once

#include "volume/volume.h"

enum volume_posix_call {
    VOLUME_POSIX_OPEN,
    VOLUME_POSIX_READ,
    VOLUME_POSIX_WRITE,
    VOLUME_POSIX_SYNC,     /* fsync or fdatasync of a file */
    VOLUME_POSIX_SYNC_DIR, /* fsync of a directory */
    VOLUME_POSIX_RENAME,
    VOLUME_POSIX_UNLINK,
    VOLUME_POSIX_TRUNCATE,
    VOLUME_POSIX_MKDIR,
    VOLUME_POSIX_STAT, /* what a name means */
    VOLUME_POSIX_CALL_MAX
};

/* Called before each such call to the OS. Returns 0 to let it happen or the errno it shall fail
 * with. For READ and WRITE *len_bytes may be made smaller (not 0): the call then moves only so
 * many. */
typedef int (*volume_posix_fault_fn)(void *arg, enum volume_posix_call call, size_t *len_bytes);

struct volume_posix_faults {
    volume_posix_fault_fn fn; /* NULL = none */
    void *arg;                /* borrowed for the volume's life */
};

/* volume_posix_open with faults from its first call on; faults may be NULL. */
int volume_posix_open_faulty(const char *dir,
                             const struct volume_posix_options *options,
                             const struct volume_posix_faults *faults,
                             struct volume **ret_volume,
                             struct dn_err *err) DN_MUST_CHECK;

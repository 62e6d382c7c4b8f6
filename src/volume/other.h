/* SPDX-License-Identifier: Apache-2.0
 *
 * other.h: another volume of the same kind as one that is open, at a path: beside a directory
 * another directory; on a simulated disk a place of its own, which the faults and crashes of the
 * disk hit as well. For databases that a database makes: detached partitions.
 *
 *     volume_other_open -> any calls of volume.h -> volume_close, before the first volume is closed
 *     volume_other_open -> volume_erase -> volume_close
 *
 * Any thread. */
#pragma once

#include "volume/volume.h"

struct volume_other_options {
    bool create;    /* if it is not there; else that is DN_E_NO_OBJECT */
    bool read_only; /* writers are kept out meanwhile (DN_E_BUSY) where others could be */
};

#define VOLUME_OTHER_PATH_MAX 1024u /* bytes; sim takes less, and refuses more */

/* What a volume implements for it. */
typedef int (*volume_other_fn)(struct volume *v,
                               const char *path,
                               const struct volume_other_options *options,
                               struct volume **ret,
                               struct dn_err *err);

/* Errors as those of opening a volume: DN_E_BUSY, DN_E_INVALID_PARAM (there is something else), …
 */
int volume_other_open(struct volume *v,
                      const char *path,
                      const struct volume_other_options *options,
                      struct volume **ret,
                      struct dn_err *err) DN_MUST_CHECK;

/* Deletes all that is in a volume, and the volume: objects, logs, then documents in the order of
 * their names, each durably before the next; then the place itself. After an error, or a crash, the
 * documents with the last names are there still, and it can be done again. Only volume_close may
 * follow. */
int volume_erase(struct volume *v, struct dn_err *err) DN_MUST_CHECK;

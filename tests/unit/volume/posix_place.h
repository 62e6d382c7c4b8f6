/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_place.h: a temporary directory for tests of the posix volume. One thread at a time. */
#pragma once

#include "base/attr.h"

struct posix_place {
    char root[64]; /* made by mkdtemp */
    char dir[72];  /* for the volume, inside root, not yet made */
};

/* NULL = failed. */
struct posix_place *posix_place_new(void);
/* Removes the directory with all that is in it. */
void posix_place_free(struct posix_place *place);

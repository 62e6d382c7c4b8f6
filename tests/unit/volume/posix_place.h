/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_place.h: a temporary directory for tests of the posix volume. One thread at a time. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

struct posix_place {
    char root[64]; /* made by mkdtemp */
    char dir[72];  /* for the volume, inside root, not yet made */
};

/* in_memory: on a file system of memory where there is one, for tests that sync thousands of times.
 * NULL = failed. */
struct posix_place *posix_place_new(bool in_memory);
/* Removes the directory with all that is in it. */
void posix_place_free(struct posix_place *place);

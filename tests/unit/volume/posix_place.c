/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "posix_place.h"

#include "base/mem.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct posix_place *posix_place_new(bool in_memory)
{
    const char *parent = in_memory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    struct posix_place *place = mem_calloc(NULL, 1, sizeof *place);

    if (!place)
        return NULL;
    (void)snprintf(place->root, sizeof place->root, "%s/dendro-volume-XXXXXX", parent);
    if (!mkdtemp(place->root)) {
        mem_free(place);
        return NULL;
    }
    (void)snprintf(place->dir, sizeof place->dir, "%s/v", place->root);
    return place;
}

static int place_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

void posix_place_free(struct posix_place *place)
{
    if (!place)
        return;
    (void)nftw(place->root, place_remove, 16, FTW_DEPTH | FTW_PHYS); /* else /tmp keeps it */
    mem_free(place);
}

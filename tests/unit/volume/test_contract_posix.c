/* SPDX-License-Identifier: Apache-2.0
 *
 * The posix volume under the contract of volumes. */
#include "posix_place.h"
#include "volume_contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *place_new(void)
{
    return posix_place_new(false);
}

static void place_free(void *place)
{
    posix_place_free(place);
}

static int place_open(void *p, struct volume **ret_volume, struct dn_err *err)
{
    const struct posix_place *place = p;
    struct volume_posix_options options = {.create = true, .threads_max = 4};

    return volume_posix_open(place->dir, &options, ret_volume, err);
}

static void place_drop_lock(void *p)
{
    const struct posix_place *place = p;
    char path[512];

    (void)snprintf(path, sizeof path, "%s/LOCK", place->dir);
    if (unlink(path) != 0)
        abort();
}

int main(void)
{
    static const struct contract_factory factory = {
        .name = "contract of volumes: posix",
        .place_new = place_new,
        .place_free = place_free,
        .open = place_open,
        .drop_lock = place_drop_lock,
    };

    return volume_contract_run(&factory);
}

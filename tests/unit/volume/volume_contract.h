/* SPDX-License-Identifier: Apache-2.0
 *
 * volume_contract.h: what every volume must do, as volume.h promises it, in one suite of tests. A
 * volume comes under it with a struct contract_factory and a main of one line. */
#pragma once

#include "volume/volume.h"

struct contract_factory {
    const char *name; /* of the suite */
    /* A fresh, empty place: a directory, a disk, a pool. NULL = failed. */
    void *(*place_new)(void);
    void (*place_free)(void *place);
    /* Opens a volume on the place; closing it and opening again is what a restart is. */
    int (*open)(void *place, struct volume **ret_volume, struct dn_err *err);
    /* Takes the lock away from the volume that is open on the place, as another program could. */
    void (*drop_lock)(void *place);
};

/* Runs the suite; the result is for main to return. */
int volume_contract_run(const struct contract_factory *factory);

/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated volume under the contract of volumes, with several seeds. */
#include "volume/sim.h"
#include "volume_contract.h"

static uint64_t place_seed; /* of this round */

static void *place_new(void)
{
    return sim_disk_new(place_seed);
}

static void place_free(void *place)
{
    sim_disk_free(place);
}

static int place_open(void *place, struct volume **ret_volume, struct dn_err *err)
{
    return sim_volume_open(place, place_seed, ret_volume, err);
}

static void place_drop_lock(void *place)
{
    sim_disk_drop_lock(place);
}

int main(void)
{
    static const struct contract_factory factory = {
        .name = "contract of volumes: sim",
        .place_new = place_new,
        .place_free = place_free,
        .open = place_open,
        .drop_lock = place_drop_lock,
    };
    int failed = 0;

    for (place_seed = 0; place_seed < 4 && failed == 0; place_seed++)
        failed = volume_contract_run(&factory);
    return failed;
}

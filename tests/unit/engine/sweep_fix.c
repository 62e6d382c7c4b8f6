/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep_fix.h"

static void sweep_calls(const struct sweep *s, enum sim_fault fault, const char *what)
{
    for (uint64_t n = 1;; n++) {
        struct sim_disk *disk = sim_disk_new(n);
        bool hit;

        sim_disk_fail_nth(disk, n, fault, false);
        s->run(disk);
        hit = sim_disk_fail_hit(disk);
        sim_disk_fail_nth(disk, 0, SIM_FAULT_NONE, false);
        s->check(what, n);
        sim_disk_free(disk);
        if (!hit)
            break;
    }
}

void sweep_io_errors(void **state)
{
    sweep_calls(*state, SIM_FAULT_IO, "I/O error at call");
}

void sweep_full_disk(void **state)
{
    sweep_calls(*state, SIM_FAULT_NOSPC, "disk full at call");
}

void sweep_power_cuts(void **state)
{
    sweep_calls(*state, SIM_FAULT_CRASH, "power cut at call");
}

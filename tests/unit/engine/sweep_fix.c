/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep_fix.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include <cmocka.h>

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

void sweep_allocations(void **state)
{
    const struct sweep *s = *state;
    clock_t end = clock() + 8 * CLOCKS_PER_SEC;
    uint64_t step = 1;

    for (uint64_t n = 1;; n += step) {
        size_t before = mem_process_used();
        struct sim_disk *disk = sim_disk_new(n);
        bool hit;

        mem_fail_nth(n, false);
        s->run(disk);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        s->check("allocation", n);
        sim_disk_free(disk);
        if (mem_process_used() != before)
            fail_msg("allocation %llu: leaked %zd bytes",
                     (unsigned long long)n,
                     (ssize_t)(mem_process_used() - before));
        if (!hit)
            break;
        step = clock() < end ? 1 + n / s->grain : 1 + n / 10;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep_fix.h: a script on a fresh disk, again and again, while the first, the second, … call of
 * the volume fails, finds the disk full, or is the moment of a power cut, or an allocation fails,
 * until a run gets through; and a look at what is left each time. One thread at a time. */
#pragma once

#include "volume/sim.h"

struct sweep {
    void (*run)(struct sim_disk *disk);          /* the script; errors are fine */
    void (*check)(const char *what, uint64_t n); /* what became of it, undisturbed */
    uint64_t grain; /* of allocations: behind the first so many, not each of them */
};

/* Tests for cmocka, with a struct sweep as their state: SWEEP_TESTS(&sweep). */
void sweep_io_errors(void **state);
void sweep_full_disk(void **state);
void sweep_power_cuts(void **state);
/* As far as the time allows: all of the first ones, then bigger steps. Nothing may leak. */
void sweep_allocations(void **state);

#define SWEEP_TESTS(s)                                                                            \
    cmocka_unit_test_prestate(sweep_io_errors, s), cmocka_unit_test_prestate(sweep_full_disk, s), \
        cmocka_unit_test_prestate(sweep_power_cuts, s)

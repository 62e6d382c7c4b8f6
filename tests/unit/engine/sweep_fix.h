/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep_fix.h: a script on a fresh disk, again and again, while the first, the second, … call of
 * the volume fails, finds the disk full, or is the moment of a power cut, until a run gets through;
 * and a look at what is left each time. One thread at a time. */
#pragma once

#include "volume/sim.h"

struct sweep {
    void (*run)(struct sim_disk *disk);          /* the script; errors are fine */
    void (*check)(const char *what, uint64_t n); /* what became of it, undisturbed */
};

/* Tests for cmocka, with a struct sweep as their state: SWEEP_TESTS(&sweep). */
void sweep_io_errors(void **state);
void sweep_full_disk(void **state);
void sweep_power_cuts(void **state);

#define SWEEP_TESTS(s)                                                                            \
    cmocka_unit_test_prestate(sweep_io_errors, s), cmocka_unit_test_prestate(sweep_full_disk, s), \
        cmocka_unit_test_prestate(sweep_power_cuts, s)

/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds.h: random rounds, each of its own seed, until their time is up; one round alone if the
 * program was given its seed:
 *
 *     rounds_arg(argc, argv);
 *     while (rounds_next(&seed)) …          in the test
 *     rounds_tell();                         in its teardown: the last seed, also after a failure
 *
 * One thread at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void rounds_arg(int argc, char **argv);
bool rounds_next(uint64_t *ret_seed);
void rounds_tell(void);

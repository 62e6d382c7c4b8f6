/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define ROUNDS_MS 1500

static struct {
    uint64_t only; /* 0: all that there is time for */
    uint64_t seed; /* of the round at hand; 0: none yet */
    struct timespec start;
} rounds;

void rounds_arg(int argc, char **argv)
{
    if (argc > 1)
        rounds.only = strtoull(argv[1], NULL, 10);
}

bool rounds_next(uint64_t *ret_seed)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!rounds.seed) {
        rounds.start = now;
        rounds.seed = rounds.only ? rounds.only : (uint64_t)now.tv_nsec + 1;
    } else {
        int64_t ms = (now.tv_sec - rounds.start.tv_sec) * 1000 +
                     (now.tv_nsec - rounds.start.tv_nsec) / 1000000;

        if (rounds.only || ms >= ROUNDS_MS)
            return false;
        rounds.seed++;
    }
    *ret_seed = rounds.seed;
    return true;
}

void rounds_tell(void)
{
    if (rounds.seed)
        print_message("last seed %" PRIu64 "\n", rounds.seed);
}

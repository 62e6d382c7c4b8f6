/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz.h: what every fuzz target includes. A target calls fuzz_reached() when an input got to the
 * inside of what it tests: a statement was parsed, a block decoded, a point read. The tests run
 * each target on a thousand mutated inputs of its corpus and demand a share of them that did
 * (standalone.c): a target that refuses everything, or stops, tests nothing. One thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* One of the program, whether libFuzzer's main() or standalone.c's runs it. */
extern size_t fuzz_reached_count;
__attribute__((weak)) size_t fuzz_reached_count;

static inline void fuzz_reached(void)
{
    fuzz_reached_count++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

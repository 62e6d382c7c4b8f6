/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.h: made-up columns for the tests and benchmarks of the codecs. The same arguments give
 * the same values for ever: golden bytes depend on them. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "vec/vec.h"

enum shape {
    SHAPE_CONSTANT, /* one value */
    SHAPE_RUNS,     /* runs of 1 to 40 rows */
    SHAPE_FEW,      /* 12 distinct values in random order */
    SHAPE_STEP,     /* constant step, as of a clock; strings of one length */
    SHAPE_JITTER,   /* rising by 10000 and up to 7 more */
    SHAPE_RANDOM,   /* all bits random; strings of 0 to 24 bytes; NUMERIC of any scale */
    SHAPE_EXTREME,  /* least and greatest values, infinities; strings of 0x00 and 0xff */
    SHAPE_SPECIAL,  /* NaNs with payload, -0.0, denormals; empty strings and NUL bytes */
    SHAPE_LONG,     /* strings of up to 3000 bytes; numbers with a few huge among small */
    SHAPE_LEVEL,    /* 1000 to 1099; floats a hundredth of it; strings that repeat */
    SHAPE_WALK,     /* up and down by 3 at most; floats a hundredth of it; strings of digits */
    SHAPE_DRIFT,    /* rising by more and more; names with a rising number */
    SHAPE_NOISE,    /* random integers; floats of 1 to 16 with all digits; strings, half random;
                       NUMERIC of three scales */
    SHAPE_MAX
};

enum gaps {
    GAPS_NONE,
    GAPS_NULLS_SOME,
    GAPS_NULLS_ALL,
    GAPS_NULLS_FIRST,   /* the first third */
    GAPS_NULLS_BUT_ONE, /* all but the last row */
    GAPS_ABSENT_SOME,
    GAPS_ABSENT_ALL,
    GAPS_BOTH,   /* some rows NULL, some absent, some both */
    GAPS_EITHER, /* every row is one or the other */
    GAPS_MAX
};

extern const char *const shape_names[SHAPE_MAX];
extern const char *const shape_gaps_names[GAPS_MAX];

/* splitmix64 */
uint64_t shape_random(uint64_t *state);
/* A FLAT vector. Under the bits of gaps lie values as of other rows. */
struct vec shape_make(
    struct arena *arena, enum type_id type, enum shape shape, enum gaps gaps, uint32_t count);

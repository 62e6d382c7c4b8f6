/* SPDX-License-Identifier: Apache-2.0
 *
 * quantum.h: the one function that says in which aligned interval a time lies. Writer, planner,
 * retention and recovery all call it. Any thread. */
#pragma once

#include "base/attr.h"

/* Start of the aligned interval of `width` units that holds t: t - floor-mod(t, width), aligned on
 * 1970-01-01 UTC, right for times before it. width > 0. Saturates at INT64_MIN. */
static inline int64_t quantum_start(int64_t t, int64_t width)
{
    int64_t rest = t % width;
    int64_t start;

    if (rest < 0)
        rest += width;
    if (__builtin_sub_overflow(t, rest, &start))
        return INT64_MIN;
    return start;
}

/* First instant after the interval that begins at start; saturates at INT64_MAX. */
static inline int64_t quantum_end(int64_t start, int64_t width)
{
    int64_t end;

    return __builtin_add_overflow(start, width, &end) ? INT64_MAX : end;
}

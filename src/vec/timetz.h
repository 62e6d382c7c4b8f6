/* SPDX-License-Identifier: Apache-2.0
 *
 * timetz.h: a TIMETZ, a time of day with how far its clock is behind UTC, as one number. Its order
 * is PostgreSQL's: by the time at UTC, of equals the one farther to the east first.
 *
 *   (microseconds of the clock + 1000000 * west) * 2^17 + west + 2^16
 *
 * west is what UTC is ahead of the clock in seconds, less than 16 hours either way. Any number can
 * be taken apart, also what is no TIMETZ. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TIMETZ_WEST_UNITS 131072 /* 2^17 */
#define TIMETZ_WEST_ZERO  65536
#define TIMETZ_WEST_MAX   57599 /* 15:59:59 */
#define TIMETZ_SECOND_US  1000000
#define TIMETZ_DAY_US     86400000000

static inline int64_t timetz_make(int64_t clock_us, int32_t west)
{
    return (clock_us + (int64_t)west * TIMETZ_SECOND_US) * TIMETZ_WEST_UNITS + west +
           TIMETZ_WEST_ZERO;
}

static inline int32_t timetz_west(int64_t v)
{
    return (int32_t)((uint64_t)v % TIMETZ_WEST_UNITS) - TIMETZ_WEST_ZERO;
}

/* Microseconds since midnight at UTC: of the same day, the one before or the one after. */
static inline int64_t timetz_utc_us(int64_t v)
{
    int64_t rest = (int64_t)((uint64_t)v % TIMETZ_WEST_UNITS);

    return v / TIMETZ_WEST_UNITS - (v < 0 && rest != 0 ? 1 : 0);
}

/* Microseconds since midnight by its clock, 24:00 included. */
static inline int64_t timetz_clock_us(int64_t v)
{
    return timetz_utc_us(v) - (int64_t)timetz_west(v) * TIMETZ_SECOND_US;
}

static inline bool timetz_good(int64_t clock_us, int32_t west)
{
    return clock_us >= 0 && clock_us <= TIMETZ_DAY_US && west >= -TIMETZ_WEST_MAX &&
           west <= TIMETZ_WEST_MAX;
}

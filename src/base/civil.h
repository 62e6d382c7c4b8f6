/* SPDX-License-Identifier: Apache-2.0
 *
 * civil.h: days to dates and back, in the Gregorian calendar carried on to both sides without end
 * (there is a year 0). Days count from 1970-01-01. Any thread. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>

#define CIVIL_DAY_SECONDS 86400
/* What a DATE can be, in days; read, computed and made of other values alike. */
#define CIVIL_DATE_MIN    (-2440588) /* 4714-11-24 BC, the first Julian day */
#define CIVIL_DATE_MAX    2145042905 /* 5874897-12-31 */

struct civil {
    int64_t year;
    int month; /* 1.. */
    int day;   /* 1.. */
};

/* year within ±10^15, month 1 to 12, day within int. */
int64_t civil_to_days(int64_t year, int month, int day);
/* days within ±10^15. */
struct civil civil_from_days(int64_t days);
bool civil_is_leap(int64_t year);
int civil_month_days(int64_t year, int month);

/* Floor division: civil_floor(-1, 24) is -1. divisor > 0. */
static inline int64_t civil_floor(int64_t x, int64_t divisor)
{
    int64_t q = x / divisor;

    return q - (x % divisor < 0);
}

static inline bool civil_is_date(int64_t days)
{
    return days >= CIVIL_DATE_MIN && days <= CIVIL_DATE_MAX;
}

/* What that leaves: 0 <= civil_mod < divisor. */
static inline int64_t civil_mod(int64_t x, int64_t divisor)
{
    int64_t rest = x % divisor;

    return rest < 0 ? rest + divisor : rest;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * civil.c: years are taken to begin in March, so that the leap day is the last one and the lengths
 * of the months before a date are a linear function of its month; 400 years repeat exactly. */
#include "base/civil.h"

#define CIVIL_ERA_DAYS   146097 /* 400 years */
#define CIVIL_EPOCH_DAYS 719468 /* from 0000-03-01 to 1970-01-01 */

bool civil_is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int civil_month_days(int64_t year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    DN_ASSERT(month >= 1 && month <= 12);
    return days[month - 1] + (month == 2 && civil_is_leap(year));
}

int64_t civil_to_days(int64_t year, int month, int day)
{
    int64_t y = year - (month <= 2);
    int64_t era = civil_floor(y, 400);
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5;

    return era * CIVIL_ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year + day - 1 -
           CIVIL_EPOCH_DAYS;
}

struct civil civil_from_days(int64_t days)
{
    int64_t since = days + CIVIL_EPOCH_DAYS;
    int64_t era = civil_floor(since, CIVIL_ERA_DAYS);
    int64_t rest = since - era * CIVIL_ERA_DAYS;
    /* Whole years: the leap days before are taken out, the last day of the era is one of them. */
    int64_t years = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
    int64_t of_year = rest - (years * 365 + years / 4 - years / 100);
    int month = (int)((5 * of_year + 2) / 153); /* from March */
    struct civil c;

    c.day = (int)(of_year - (153 * month + 2) / 5) + 1;
    c.month = month < 10 ? month + 3 : month - 9;
    c.year = era * 400 + years + (c.month <= 2);
    return c;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * func_date.c: operators and functions of DATE and TIME, making dates and times of numbers, age. */
#include "func/civil.h"
#include "func/func_int.h"

#include <math.h>

#define DATE_US_SECOND ((int64_t)1000000)
#define DATE_US_DAY    (CIVIL_DAY_SECONDS * DATE_US_SECOND)

static int date_fail(const char *what, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_DATETIME_RANGE, "%s out of range", what);
}

static bool date_infinite(int64_t days)
{
    return days == INT32_MAX || days == INT32_MIN;
}

/* ---- operators ---- */

static int date_plus(int64_t days, int64_t n, int32_t *ret, struct dn_err *err)
{
    int64_t sum;

    if (date_infinite(days)) {
        *ret = (int32_t)days;
        return 0;
    }

    if (__builtin_add_overflow(days, n, &sum) || sum >= INT32_MAX || sum <= INT32_MIN)
        return date_fail("date", err);
    *ret = (int32_t)sum;
    return 0;
}

static int64_t date_minus(int64_t n)
{
    return n == INT64_MIN ? INT64_MAX : -n; /* either is out of range */
}

static int date_minus_date(int64_t a, int64_t b, int32_t *ret, struct dn_err *err)
{
    if (date_infinite(a) || date_infinite(b))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "cannot subtract infinite dates");
    if (a - b > INT32_MAX || a - b < INT32_MIN)
        return func_fail_range(TYPE_INTEGER, err);
    *ret = (int32_t)(a - b);
    return 0;
}

static int date_plus_time(int64_t days, int64_t us, int64_t *ret, struct dn_err *err)
{
    if (date_infinite(days) || __builtin_mul_overflow(days, DATE_US_DAY, ret) ||
        __builtin_add_overflow(*ret, us, ret))
        return func_fail_range(TYPE_TIMESTAMP_US, err);
    return 0;
}

static int64_t date_time_plus(int64_t us, int64_t by)
{
    return civil_mod(us % DATE_US_DAY + by % DATE_US_DAY, DATE_US_DAY);
}

FUNC_EACH(func_date_add,
          int32_t,
          date_plus(vec_i64(&args[0], i), vec_i64(&args[1], i), &to[i], err))
FUNC_EACH(func_add_date,
          int32_t,
          date_plus(vec_i64(&args[1], i), vec_i64(&args[0], i), &to[i], err))
FUNC_EACH(func_date_sub,
          int32_t,
          date_plus(vec_i64(&args[0], i), date_minus(vec_i64(&args[1], i)), &to[i], err))
FUNC_EACH(func_date_sub_date,
          int32_t,
          date_minus_date(vec_i64(&args[0], i), vec_i64(&args[1], i), &to[i], err))
FUNC_EACH(func_date_add_time,
          int64_t,
          date_plus_time(vec_i64(&args[0], i), vec_i64(&args[1], i), &to[i], err))
FUNC_EACH(func_time_add_date,
          int64_t,
          date_plus_time(vec_i64(&args[1], i), vec_i64(&args[0], i), &to[i], err))
FUNC_EACH(func_time_add_iv,
          int64_t,
          (to[i] = date_time_plus(vec_i64(&args[0], i), func_iv(&args[1], i).us), 0))
FUNC_EACH(func_iv_add_time,
          int64_t,
          (to[i] = date_time_plus(vec_i64(&args[1], i), func_iv(&args[0], i).us), 0))
FUNC_EACH(func_time_sub_iv,
          int64_t,
          (to[i] = date_time_plus(vec_i64(&args[0], i), -(func_iv(&args[1], i).us % DATE_US_DAY)),
           0))
FUNC_EACH(func_time_sub_time,
          struct vinterval,
          (to[i] = (struct vinterval){.us = vec_i64(&args[0], i) - vec_i64(&args[1], i)}, 0))

/* ---- dates and times of numbers ---- */

static int date_make(int64_t year, int64_t month, int64_t day, int64_t *ret, struct dn_err *err)
{
    if (year == 0 || month < 1 || month > 12 || day < 1 || day > 31 || year > 5874897 ||
        year < -4713 || day > civil_month_days(year < 0 ? year + 1 : year, (int)month))
        return DN_FAIL(err,
                       DN_E_DATETIME_RANGE,
                       "date field value out of range: %lld-%02lld-%02lld",
                       (long long)year,
                       (long long)month,
                       (long long)day);
    *ret = civil_to_days(year < 0 ? year + 1 : year, (int)month, (int)day);
    return 0;
}

static int
date_make_time(int64_t hour, int64_t minute, double second, int64_t *ret, struct dn_err *err)
{
    if (hour < 0 || hour > 24 || minute < 0 || minute > 59 || !(second >= 0 && second <= 60) ||
        (hour == 24 && (minute > 0 || second > 0)))
        return DN_FAIL(err,
                       DN_E_DATETIME_RANGE,
                       "time field value out of range: %lld:%02lld:%02g",
                       (long long)hour,
                       (long long)minute,
                       second);
    *ret = (hour * 3600 + minute * 60) * DATE_US_SECOND + llrint(second * 1e6);
    return 0;
}

static int date_make_date(const struct vec *args, uint32_t i, int32_t *ret, struct dn_err *err)
{
    int64_t days = 0;
    int rc =
        date_make(vec_i64(&args[0], i), vec_i64(&args[1], i), vec_i64(&args[2], i), &days, err);

    *ret = (int32_t)days;
    return rc;
}

static int date_make_timestamp(const struct vec *args, uint32_t i, int64_t *ret, struct dn_err *err)
{
    int64_t days = 0, us = 0;
    int rc =
        date_make(vec_i64(&args[0], i), vec_i64(&args[1], i), vec_i64(&args[2], i), &days, err);

    if (rc == 0)
        rc = date_make_time(
            vec_i64(&args[3], i), vec_i64(&args[4], i), vec_f64(&args[5], i), &us, err);
    return rc < 0 ? rc : date_plus_time(days, us, ret, err);
}

/* years, months, weeks, days, hours, minutes, seconds: as many as are given. */
static int date_make_interval(
    const struct vec *args, uint32_t count, uint32_t i, struct vinterval *ret, struct dn_err *err)
{
    int64_t part[6] = {0};
    double seconds = count > 6 ? vec_f64(&args[6], i) : 0;
    agg_i128 us;

    for (uint32_t k = 0; k < count && k < 6; k++)
        part[k] = vec_i64(&args[k], i);
    part[1] += part[0] * 12; /* all are of 32 bits */
    part[3] += part[2] * 7;
    if (part[1] > INT32_MAX || part[1] < INT32_MIN || part[3] > INT32_MAX || part[3] < INT32_MIN ||
        !(fabs(seconds) < 9e12))
        return date_fail("interval", err);
    us = ((agg_i128)part[4] * 3600 + part[5] * 60) * DATE_US_SECOND + llrint(seconds * 1e6);
    if (us > INT64_MAX || us < INT64_MIN)
        return date_fail("interval", err);
    *ret =
        (struct vinterval){.us = (int64_t)us, .days = (int32_t)part[3], .months = (int32_t)part[1]};
    return 0;
}

FUNC_EACH(func_make_date, int32_t, date_make_date(args, i, &to[i], err))
FUNC_EACH(
    func_make_time,
    int64_t,
    date_make_time(vec_i64(&args[0], i), vec_i64(&args[1], i), vec_f64(&args[2], i), &to[i], err))
FUNC_EACH(func_make_timestamp, int64_t, date_make_timestamp(args, i, &to[i], err))

static int func_make_interval(const struct func_ctx *ctx,
                              const struct vec *args,
                              uint32_t args_count,
                              uint32_t count,
                              struct vec *ret,
                              struct dn_err *err)
{
    struct vinterval *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int rc = 0;

        to[i] = (struct vinterval){0};
        if (!vec_is_null(ret, i))
            rc = date_make_interval(args, args_count, i, &to[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- age ---- */

struct date_parts {
    int64_t year;
    int month;
    int day;
    int64_t us; /* of the day */
};

static struct date_parts date_split(int64_t us)
{
    struct civil c = civil_from_days(civil_floor(us, DATE_US_DAY));

    return (struct date_parts){c.year, c.month, c.day, civil_mod(us, DATE_US_DAY)};
}

/* The difference in years, months, days and time, each counted on the calendar. */
static struct vinterval date_age(int64_t a, int64_t b)
{
    bool negative = a < b;
    struct date_parts late = date_split(negative ? b : a);
    struct date_parts early = date_split(negative ? a : b);
    int64_t us = late.us - early.us;
    int64_t days = late.day - early.day;
    int64_t months = (late.year - early.year) * 12 + late.month - early.month;

    if (us < 0) {
        us += DATE_US_DAY;
        days--;
    }
    for (; days < 0; months--) { /* the months of the earlier time lend their days */
        days += civil_month_days(early.year, early.month);
        if (++early.month > 12) {
            early.month = 1;
            early.year++;
        }
    }
    if (negative)
        return (struct vinterval){.us = -us, .days = (int32_t)-days, .months = (int32_t)-months};
    return (struct vinterval){.us = us, .days = (int32_t)days, .months = (int32_t)months};
}

FUNC_EACH(func_age,
          struct vinterval,
          (to[i] = date_age(vec_i64(&args[0], i), vec_i64(&args[1], i)), 0))
FUNC_EACH(func_age_today,
          struct vinterval,
          (to[i] = date_age(civil_floor(ctx->now_ns / 1000, DATE_US_DAY) * DATE_US_DAY,
                            vec_i64(&args[0], i)),
           0))

/* ---- now ---- */

FUNC_EACH(func_current_date,
          int32_t,
          (to[i] = (int32_t)civil_floor(ctx->now_ns / 1000, DATE_US_DAY), 0))
FUNC_EACH(func_current_time, int64_t, (to[i] = civil_mod(ctx->now_ns / 1000, DATE_US_DAY), 0))
FUNC_EACH(func_current_tz, int64_t, (to[i] = ctx->now_ns / 1000, 0))
FUNC_EACH(func_statement_tz,
          int64_t,
          (to[i] = (ctx->session ? ctx->session->statement_ns : ctx->now_ns) / 1000, 0))
FUNC_EACH(func_clock_tz,
          int64_t,
          (to[i] = (ctx->session ? ctx->session->clock_ns(ctx->session->arg) : ctx->now_ns) / 1000,
           0))

/* ---- isfinite, justify_interval ---- */

FUNC_EACH(func_finite_date, int8_t, (to[i] = !date_infinite(vec_i64(&args[0], i)), 0))
FUNC_EACH(func_finite_tz,
          int8_t,
          (to[i] = vec_i64(&args[0], i) != INT64_MAX && vec_i64(&args[0], i) != INT64_MIN, 0))
FUNC_EACH(func_finite, int8_t, (to[i] = 1, 0))

static int date_justify(struct vinterval v, struct vinterval *ret, struct dn_err *err)
{
    agg_i128 us = ((agg_i128)v.months * 30 + v.days) * DATE_US_DAY + v.us;
    agg_i128 month = (agg_i128)30 * DATE_US_DAY;
    agg_i128 months = us / month;

    if (months > INT32_MAX || months < INT32_MIN)
        return date_fail("interval", err);
    us %= month;
    *ret = (struct vinterval){.us = (int64_t)(us % DATE_US_DAY),
                              .days = (int32_t)(us / DATE_US_DAY),
                              .months = (int32_t)months};
    return 0;
}

FUNC_EACH(func_justify_interval, struct vinterval, date_justify(func_iv(&args[0], i), &to[i], err))

/* (a, b) OVERLAPS (c, d): the times are from the earlier to before the later of each pair. */
static bool date_overlaps(int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t from = a < b ? a : b;
    int64_t end = a < b ? b : a;
    int64_t from2 = c < d ? c : d;
    int64_t end2 = c < d ? d : c;

    if (from == from2)
        return true;
    return from > from2 ? from < end2 : from2 < end;
}

FUNC_EACH(func_overlaps,
          int8_t,
          (to[i] = date_overlaps(vec_i64(&args[0], i),
                                 vec_i64(&args[1], i),
                                 vec_i64(&args[2], i),
                                 vec_i64(&args[3], i)),
           0))

#define DATE2(op, a, b, r, fn, text, sample)                                               \
    {                                                                                      \
        .name = op, .args = {TYPE_##a, TYPE_##b}, .args_count = 2, .result = TYPE_##r,     \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, .example = sample \
    }
#define DATE_CALL(fname, n, r, fn, text, sample, ...)                              \
    {                                                                              \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_##r, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample         \
    }
#define DATE_NOW(fname, r, fn, text)                                                         \
    {                                                                                        \
        .name = fname, .result = TYPE_##r, .flags = FUNC_STRICT | FUNC_STABLE, .kernel = fn, \
        .doc = text                                                                          \
    }
#define DATE_MAKE_INTERVAL(n, sample)                                                   \
    DATE_CALL("make_interval",                                                          \
              n,                                                                        \
              INTERVAL,                                                                 \
              func_make_interval,                                                       \
              "An interval of years, months, weeks, days, hours, minutes and seconds.", \
              sample,                                                                   \
              TYPE_INTEGER,                                                             \
              TYPE_INTEGER,                                                             \
              TYPE_INTEGER,                                                             \
              TYPE_INTEGER,                                                             \
              TYPE_INTEGER,                                                             \
              TYPE_INTEGER,                                                             \
              TYPE_DOUBLE)

static const struct func func_date_rows[] = {
    DATE2("+",
          DATE,
          INTEGER,
          DATE,
          func_date_add,
          "The date that many days later.",
          "DATE '2015-06-01' + 7 = 2015-06-08"),
    DATE2("+",
          INTEGER,
          DATE,
          DATE,
          func_add_date,
          "The date that many days later.",
          "7 + DATE '2015-06-01' = 2015-06-08"),
    DATE2("-",
          DATE,
          INTEGER,
          DATE,
          func_date_sub,
          "The date that many days earlier.",
          "DATE '2015-06-08' - 7 = 2015-06-01"),
    DATE2("+",
          DATE,
          BIGINT,
          DATE,
          func_date_add,
          "The date that many days later.",
          "DATE '2015-06-01' + 7 = 2015-06-08"),
    DATE2("-",
          DATE,
          BIGINT,
          DATE,
          func_date_sub,
          "The date that many days earlier.",
          "DATE '2015-06-08' - 7 = 2015-06-01"),
    DATE2("-",
          DATE,
          DATE,
          INTEGER,
          func_date_sub_date,
          "The days between two dates.",
          "DATE '2015-06-08' - DATE '2015-06-01' = 7"),
    DATE2("+",
          DATE,
          TIME,
          TIMESTAMP_US,
          func_date_add_time,
          "That time of that day.",
          "DATE '2015-06-01' + TIME '04:05' = 2015-06-01T04:05:00.000000Z"),
    DATE2("+",
          TIME,
          DATE,
          TIMESTAMP_US,
          func_time_add_date,
          "That time of that day.",
          "TIME '04:05' + DATE '2015-06-01' = 2015-06-01T04:05:00.000000Z"),
    DATE2("+",
          TIME,
          INTERVAL,
          TIME,
          func_time_add_iv,
          "The time of day that much later.",
          "TIME '23:00' + INTERVAL '3 hours' = 02:00:00"),
    DATE2("+",
          INTERVAL,
          TIME,
          TIME,
          func_iv_add_time,
          "The time of day that much later.",
          "INTERVAL '3 hours' + TIME '23:00' = 02:00:00"),
    DATE2("-",
          TIME,
          INTERVAL,
          TIME,
          func_time_sub_iv,
          "The time of day that much earlier.",
          "TIME '01:00' - INTERVAL '3 hours' = 22:00:00"),
    DATE2("-",
          TIME,
          TIME,
          INTERVAL,
          func_time_sub_time,
          "The time between two times of day.",
          "TIME '04:05' - TIME '05:00' = -00:55:00"),
    DATE_CALL("make_date",
              3,
              DATE,
              func_make_date,
              "The date of year, month and day.",
              "make_date(2015, 6, 1) = 2015-06-01",
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER),
    DATE_CALL("make_time",
              3,
              TIME,
              func_make_time,
              "The time of hour, minute and seconds.",
              "make_time(4, 5, 6.5) = 04:05:06.5",
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_DOUBLE),
    DATE_CALL("make_timestamp",
              6,
              TIMESTAMP_US,
              func_make_timestamp,
              "The time stamp of year, month, day, hour, minute and seconds.",
              "make_timestamp(2015, 6, 1, 4, 5, 6.5) = 2015-06-01T04:05:06.500000Z",
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_DOUBLE),
    DATE_CALL("make_timestamptz",
              6,
              TIMESTAMPTZ,
              func_make_timestamp,
              "The time stamp of year, month, day, hour, minute and seconds at UTC.",
              "make_timestamptz(2015, 6, 1, 4, 5, 6.5) = 2015-06-01 04:05:06.5+00",
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_DOUBLE),
    DATE_MAKE_INTERVAL(1, "make_interval(1) = 1 year"),
    DATE_MAKE_INTERVAL(2, "make_interval(1, 2) = 1 year 2 mons"),
    DATE_MAKE_INTERVAL(3, "make_interval(0, 0, 2) = 14 days"),
    DATE_MAKE_INTERVAL(4, "make_interval(0, 0, 0, 10) = 10 days"),
    DATE_MAKE_INTERVAL(5, "make_interval(0, 0, 0, 10, 3) = 10 days 03:00:00"),
    DATE_MAKE_INTERVAL(6, "make_interval(0, 0, 0, 0, 3, 4) = 03:04:00"),
    DATE_MAKE_INTERVAL(7,
                       "make_interval(1, 2, 3, 4, 5, 6, 7.5) = 1 year 2 mons 25 days 05:06:07.5"),
    DATE_CALL("age",
              2,
              INTERVAL,
              func_age,
              "From the second to the first in years, months and days.",
              "age(TIMESTAMP(6) '2001-04-10', TIMESTAMP(6) '1957-06-13') = 43 years 9 mons 27 days",
              TYPE_TIMESTAMP_US,
              TYPE_TIMESTAMP_US),
    DATE_CALL("age",
              2,
              INTERVAL,
              func_age,
              "From the second to the first in years, months and days.",
              "age(TIMESTAMPTZ '2001-04-10', TIMESTAMPTZ '1957-06-13') = 43 years 9 mons 27 days",
              TYPE_TIMESTAMPTZ,
              TYPE_TIMESTAMPTZ),
    {.name = "age",
     .args = {TYPE_TIMESTAMP_US},
     .args_count = 1,
     .result = TYPE_INTERVAL,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_age_today,
     .doc = "From then to the start of today in years, months and days."},
    DATE_NOW("current_date", DATE, func_current_date, "The day on which the transaction began."),
    DATE_NOW(
        "current_time", TIME, func_current_time, "The time of day at which the transaction began."),
    DATE_NOW(
        "localtime", TIME, func_current_time, "The time of day at which the transaction began."),
    DATE_NOW("current_timestamp",
             TIMESTAMPTZ,
             func_current_tz,
             "The time at which the transaction began."),
    DATE_NOW("localtimestamp",
             TIMESTAMP_US,
             func_current_tz,
             "The time at which the transaction began."),
    DATE_NOW("statement_timestamp",
             TIMESTAMPTZ,
             func_statement_tz,
             "The time at which the statement began."),
    DATE_NOW("transaction_timestamp",
             TIMESTAMPTZ,
             func_current_tz,
             "The time at which the transaction began."),
    {.name = "clock_timestamp",
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_clock_tz,
     .doc = "The time, as it goes on while the statement runs."},
    DATE_CALL("isfinite",
              1,
              BOOLEAN,
              func_finite_date,
              "Whether it is neither infinity nor -infinity.",
              "isfinite(DATE 'infinity') = false",
              TYPE_DATE),
    DATE_CALL("isfinite",
              1,
              BOOLEAN,
              func_finite,
              "Whether it is neither infinity nor -infinity.",
              "isfinite(TIMESTAMP(6) '2015-06-01') = true",
              TYPE_TIMESTAMP_US),
    DATE_CALL("isfinite",
              1,
              BOOLEAN,
              func_finite_tz,
              "Whether it is neither infinity nor -infinity.",
              "isfinite(TIMESTAMPTZ '-infinity') = false",
              TYPE_TIMESTAMPTZ),
    DATE_CALL("isfinite",
              1,
              BOOLEAN,
              func_finite,
              "Whether it is neither infinity nor -infinity.",
              "isfinite(INTERVAL '4 hours') = true",
              TYPE_INTERVAL),
    DATE_CALL("justify_interval",
              1,
              INTERVAL,
              func_justify_interval,
              "30 days as months and 24 hours as days, all of one sign.",
              "justify_interval(INTERVAL '1 mon -1 hour') = 29 days 23:00:00",
              TYPE_INTERVAL),
    DATE_CALL(
        "overlaps",
        4,
        BOOLEAN,
        func_overlaps,
        "Whether the two spans of time, each from one to before the other, have a time in common.",
        "overlaps(TIMESTAMP(6) '2015-06-01', TIMESTAMP(6) '2015-06-03', TIMESTAMP(6) "
        "'2015-06-02', TIMESTAMP(6) '2015-06-04') = true",
        TYPE_TIMESTAMP_US,
        TYPE_TIMESTAMP_US,
        TYPE_TIMESTAMP_US,
        TYPE_TIMESTAMP_US),
    DATE_CALL(
        "overlaps",
        4,
        BOOLEAN,
        func_overlaps,
        "Whether the two spans of time, each from one to before the other, have a time in common.",
        "overlaps(TIME '01:00', TIME '02:00', TIME '02:00', TIME '03:00') = false",
        TYPE_TIME,
        TYPE_TIME,
        TYPE_TIME,
        TYPE_TIME),
};

const struct func_table func_table_date = {func_date_rows, DN_ARRAY_SIZE(func_date_rows)};

/* SPDX-License-Identifier: Apache-2.0
 *
 * func_date_make.c: dates, times and intervals made of numbers, and numbers of times. */
#include "base/civil.h"
#include "func/func_int.h"
#include "func/func_zone.h"
#include "func/zoned.h"

#include <math.h>

#define DATE_US_SECOND ((int64_t)1000000)
#define DATE_US_DAY    (CIVIL_DAY_SECONDS * DATE_US_SECOND)

static int date_fail(const char *what, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_DATETIME_RANGE, "%s out of range", what);
}

static int date_join(int64_t days, int64_t us, int64_t *ret, struct dn_err *err)
{
    if (__builtin_mul_overflow(days, DATE_US_DAY, ret) || __builtin_add_overflow(*ret, us, ret))
        return func_fail_range(TYPE_TIMESTAMP_US, err);
    return 0;
}

/* ---- dates and times of numbers ---- */

static int date_make(int64_t year, int64_t month, int64_t day, int64_t *ret, struct dn_err *err)
{
    if (year == 0 || month < 1 || month > 12 || day < 1 || day > 31 || year > 5874897 ||
        year < -4714 || day > civil_month_days(year < 0 ? year + 1 : year, (int)month) ||
        !civil_is_date(civil_to_days(year < 0 ? year + 1 : year, (int)month, (int)day)))
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
    return rc < 0 ? rc : date_join(days, us, ret, err);
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

/* In the zone that the seventh argument names, or the session's. */
static int date_make_tz(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count,
                        uint32_t i,
                        int64_t *ret,
                        struct dn_err *err)
{
    struct zone_arg a = {.zone = NULL};
    struct tz_zone west;
    struct vstr name = {"", 0};
    int64_t local = 0;
    int rc = date_make_timestamp(args, i, &local, err);

    if (args_count == 7)
        name = vec_str(&args[6], i);
    if (name.len > 0 && (*name.ptr == '+' || *name.ptr == '-') && tz_posix(name, &west) &&
        !west.rule.summer) {
        tz_fixed(-west.rule.offset[0], &a.room); /* here, + is to the east */
        a.zone = &a.room;
    } else if (rc == 0 && args_count == 7) {
        rc = func_zone_arg(&a, ctx, &args[6], i, err);
    }
    if (rc < 0)
        return rc;
    return zoned_instant(args_count == 7 ? a.zone : zoned_session(ctx), local, ret, err);
}

FUNC_EACH(func_make_tz, int64_t, date_make_tz(ctx, args, args_count, i, &to[i], err))

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

/* ---- numbers to times and back ---- */

static int func_to_timestamp(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t args_count DN_UNUSED,
                             uint32_t count,
                             struct vec *ret,
                             struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        double us = rint(vec_f64(&args[0], i) * 1e6);

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        if (isnan(us))
            return DN_FAIL(err, DN_E_DATETIME_RANGE, "timestamp cannot be NaN");
        if (isinf(us)) {
            to[i] = us > 0 ? INT64_MAX : INT64_MIN;
            continue;
        }
        if (!(us > -0x1p63 && us < 0x1p63))
            return func_fail_range(TYPE_TIMESTAMP_US, err);
        to[i] = (int64_t)us;
    }
    return 0;
}

static int date_units(const struct func_ctx *ctx,
                      const struct vec *ts,
                      int64_t want,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int64_t per = type_ts_per_second(ts->type);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int64_t t = vec_i64(ts, i);

        to[i] = 0;
        if (want <= per)
            to[i] = civil_floor(t, per / want);
        else if (__builtin_mul_overflow(t, want / per, &to[i]) && !vec_is_null(ret, i))
            return func_fail_range(TYPE_BIGINT, err);
    }
    return 0;
}

#define DATE_UNITS(name, want)                                   \
    static int name(const struct func_ctx *ctx,                  \
                    const struct vec *args,                      \
                    uint32_t args_count DN_UNUSED,               \
                    uint32_t count,                              \
                    struct vec *ret,                             \
                    struct dn_err *err)                          \
    {                                                            \
        return date_units(ctx, &args[0], want, count, ret, err); \
    }

DATE_UNITS(func_epoch_ms, 1000)
DATE_UNITS(func_epoch_us, 1000000)
DATE_UNITS(func_epoch_ns, 1000000000)

#define DATE_EPOCH(fname, t, fn, text, sample)                                              \
    {                                                                                       \
        .name = fname, .args = {TYPE_##t}, .args_count = 1, .result = TYPE_BIGINT,          \
        .flags = FUNC_STRICT | FUNC_MONOTONIC, .kernel = fn, .doc = text, .example = sample \
    }
#define DATE_EPOCHS(t, sql)                                              \
    DATE_EPOCH("epoch_ms",                                               \
               t,                                                        \
               func_epoch_ms,                                            \
               "Milliseconds since 1970-01-01.",                         \
               "epoch_ms(" sql " '1970-01-01T00:00:01') = 1000"),        \
        DATE_EPOCH("epoch_us",                                           \
                   t,                                                    \
                   func_epoch_us,                                        \
                   "Microseconds since 1970-01-01.",                     \
                   "epoch_us(" sql " '1970-01-01T00:00:01') = 1000000"), \
        DATE_EPOCH("epoch_ns",                                           \
                   t,                                                    \
                   func_epoch_ns,                                        \
                   "Nanoseconds since 1970-01-01.",                      \
                   "epoch_ns(" sql " '1970-01-01T00:00:01') = 1000000000")

#define DATE_CALL(fname, n, r, fn, text, sample, ...)                              \
    {                                                                              \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_##r, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample         \
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

static const struct func func_date_make_rows[] = {
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
              func_make_tz,
              "The time stamp of year, month, day, hour, minute and seconds in the session's zone.",
              "make_timestamptz(2015, 6, 1, 4, 5, 6.5) = 2015-06-01 04:05:06.5+00",
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_DOUBLE),
    DATE_CALL("make_timestamptz",
              7,
              TIMESTAMPTZ,
              func_make_tz,
              "The time stamp of year, month, day, hour, minute and seconds in that zone.",
              "make_timestamptz(2015, 6, 1, 4, 5, 6.5, 'CEST') = 2015-06-01 02:05:06.5+00",
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_INTEGER,
              TYPE_DOUBLE,
              TYPE_VARCHAR),
    DATE_MAKE_INTERVAL(0, "make_interval() = 00:00:00"),
    DATE_MAKE_INTERVAL(1, "make_interval(1) = 1 year"),
    DATE_MAKE_INTERVAL(2, "make_interval(1, 2) = 1 year 2 mons"),
    DATE_MAKE_INTERVAL(3, "make_interval(0, 0, 2) = 14 days"),
    DATE_MAKE_INTERVAL(4, "make_interval(0, 0, 0, 10) = 10 days"),
    DATE_MAKE_INTERVAL(5, "make_interval(0, 0, 0, 10, 3) = 10 days 03:00:00"),
    DATE_MAKE_INTERVAL(6, "make_interval(0, 0, 0, 0, 3, 4) = 03:04:00"),
    DATE_MAKE_INTERVAL(7,
                       "make_interval(1, 2, 3, 4, 5, 6, 7.5) = 1 year 2 mons 25 days 05:06:07.5"),
    DATE_EPOCHS(TIMESTAMP, "TIMESTAMP"),
    DATE_EPOCHS(TIMESTAMP_US, "TIMESTAMP(6)"),
    DATE_EPOCHS(TIMESTAMP_NS, "TIMESTAMP(9)"),
    DATE_EPOCHS(TIMESTAMPTZ, "TIMESTAMPTZ"),
    {.name = "to_timestamp",
     .args = {TYPE_DOUBLE},
     .args_count = 1,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT | FUNC_MONOTONIC,
     .kernel = func_to_timestamp,
     .doc = "The time that many seconds after 1970-01-01.",
     .example = "to_timestamp(1.5) = 1970-01-01 00:00:01.5+00"},
};

const struct func_table func_table_date_make = {func_date_make_rows,
                                                DN_ARRAY_SIZE(func_date_make_rows)};

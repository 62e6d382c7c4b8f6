/* SPDX-License-Identifier: Apache-2.0
 *
 * func_date.c: operators and functions of DATE and TIME, age. */
#include "base/civil.h"
#include "func/func_int.h"
#include "func/zoned.h"

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

    if (__builtin_add_overflow(days, n, &sum) || !civil_is_date(sum))
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
    if (date_infinite(days)) {
        *ret = days > 0 ? INT64_MAX : INT64_MIN;
        return 0;
    }
    if (__builtin_mul_overflow(days, DATE_US_DAY, ret) || __builtin_add_overflow(*ret, us, ret))
        return func_fail_range(TYPE_TIMESTAMP_US, err);
    return 0;
}

/* In the session's zone. */
static int
date_at_time(const struct func_ctx *ctx, int64_t days, int64_t us, int64_t *ret, struct dn_err *err)
{
    int64_t local;
    int rc = date_plus_time(days, us, &local, err);

    if (rc < 0)
        return rc;
    if (date_infinite(days)) {
        *ret = local;
        return 0;
    }
    return zoned_instant(zoned_session(ctx), local, ret, err);
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
FUNC_EACH(func_date_at_time,
          int64_t,
          date_at_time(ctx, vec_i64(&args[0], i), vec_i64(&args[1], i), &to[i], err))
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

/* What clocks show at a TIMESTAMPTZ; a TIMESTAMP as it is. */
static int date_shown(
    const struct func_ctx *ctx, enum type_id type, int64_t t, int64_t *ret, struct dn_err *err)
{
    struct zoned z = zoned_make(zoned_session(ctx));

    *ret = t;
    if (zoned_infinite(t))
        return zoned_fail(err);
    return type == TYPE_TIMESTAMPTZ ? zoned_local(&z, t, ret, err) : 0;
}

/* From the second to the first, or to the start of today. */
static int date_age_row(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count,
                        uint32_t i,
                        struct vinterval *ret,
                        struct dn_err *err)
{
    enum type_id type = args[0].type;
    int64_t a = vec_i64(&args[0], i);
    int64_t b = 0;
    int rc;

    if (args_count == 2) {
        rc = date_shown(ctx, type, vec_i64(&args[1], i), &b, err);
        if (rc == 0)
            rc = date_shown(ctx, type, a, &a, err);
    } else {
        rc = date_shown(ctx, type, a, &b, err);
        if (rc == 0)
            rc = date_shown(ctx, TYPE_TIMESTAMPTZ, civil_floor(ctx->now_ns, 1000), &a, err);
        if (rc == 0)
            a = civil_floor(a, DATE_US_DAY) * DATE_US_DAY;
    }
    if (rc == 0)
        *ret = date_age(a, b);
    return rc;
}

FUNC_EACH(func_age, struct vinterval, date_age_row(ctx, args, args_count, i, &to[i], err))

/* ---- now ---- */

FUNC_EACH(func_current_tz, int64_t, (to[i] = ctx->now_ns / 1000, 0))
FUNC_EACH(func_statement_tz,
          int64_t,
          (to[i] = (ctx->session ? ctx->session->statement_ns : ctx->now_ns) / 1000, 0))
/* ---- isfinite, justify_interval ---- */

FUNC_EACH(func_finite_date, int8_t, (to[i] = !date_infinite(vec_i64(&args[0], i)), 0))
FUNC_EACH(func_finite_ts, int8_t, (to[i] = !zoned_infinite(vec_i64(&args[0], i)), 0))
FUNC_EACH(func_finite, int8_t, (to[i] = 1, 0))

static int date_justify(struct vinterval v, struct vinterval *ret, struct dn_err *err)
{
    return vinterval_justify(v, ret) ? 0 : date_fail("interval", err);
}

FUNC_EACH(func_justify_interval, struct vinterval, date_justify(func_iv(&args[0], i), &to[i], err))

/* ---- OVERLAPS ---- */

struct date_span {
    int64_t from;
    int64_t end;
    bool open; /* the end is not known */
};

/* Of a time and another, or how long after it; the earlier comes first. 1: neither is known. */
static int date_span(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t i,
                     struct date_span *ret,
                     struct dn_err *err)
{
    bool no_from = vec_is_null(&args[0], i);
    bool no_end = vec_is_null(&args[1], i);
    int64_t from = no_from ? 0 : vec_i64(&args[0], i);
    int64_t end = 0;
    int rc = 0;

    if (!no_end && args[1].type != TYPE_INTERVAL)
        end = vec_i64(&args[1], i);
    else if (!no_end && no_from)
        no_end = true;
    else if (!no_end && args[0].type == TYPE_TIME)
        end = date_time_plus(from, func_iv(&args[1], i).us);
    else if (!no_end)
        rc = func_interval_move(ctx, args[0].type, from, func_iv(&args[1], i), &end, err);
    if (rc < 0)
        return rc;
    if (no_from && no_end)
        return 1;
    if (no_from || no_end)
        *ret = (struct date_span){.from = no_from ? end : from, .open = true};
    else
        *ret = (struct date_span){.from = from < end ? from : end, .end = from < end ? end : from};
    return 0;
}

/* (a, b) OVERLAPS (c, d): the times are from the earlier to before the later of each pair. 1: what
 * is not known would decide. */
static int date_overlaps(
    const struct func_ctx *ctx, const struct vec *args, uint32_t i, int8_t *ret, struct dn_err *err)
{
    struct date_span a, b;
    int rc = date_span(ctx, args, i, &a, err);

    if (rc == 0)
        rc = date_span(ctx, args + 2, i, &b, err);
    if (rc != 0)
        return rc;
    if (a.from == b.from) {
        *ret = 1;
        return a.open || b.open;
    }
    if (a.from > b.from) {
        struct date_span first = b;

        b = a;
        a = first;
    }
    *ret = !a.open && b.from < a.end;
    return a.open || (b.open && !*ret);
}

static int func_overlaps(const struct func_ctx *ctx,
                         const struct vec *args,
                         uint32_t args_count DN_UNUSED,
                         uint32_t count,
                         struct vec *ret,
                         struct dn_err *err)
{
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        int rc = vec_is_null(ret, i) ? 1 : date_overlaps(ctx, args, i, &to[i], err);

        if (rc < 0)
            return rc;
        if (rc == 1) {
            to[i] = 0;
            vec_bit_set(nulls, i);
        }
    }
    ret->nulls = nulls;
    return 0;
}

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
#define DATE_NOW(fname, r, fn, text)                                                        \
    {                                                                                       \
        .name = fname, .result = TYPE_##r, .flags = FUNC_STRICT | FUNC_STABLE | FUNC_CLOCK, \
        .kernel = fn, .doc = text                                                           \
    }
#define DATE_OVERLAP(a, b, c, d, sample)                                                           \
    {                                                                                              \
        .name = "overlaps", .args = {TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d}, .args_count = 4,     \
        .result = TYPE_BOOLEAN, .kernel = func_overlaps,                                           \
        .doc = "Whether the two spans of time, each from one to before the other or as long as "   \
               "the interval says, have a time in common. An end that is NULL matters only if it " \
               "decides.",                                                                         \
        .example = sample                                                                          \
    }
#define DATE_OVERLAPS(t, from, end)                                                              \
    DATE_OVERLAP(t, t, t, t, "overlaps(" from ", " end ", " from ", " end ") = true"),           \
        DATE_OVERLAP(                                                                            \
            t, INTERVAL, t, t, "overlaps(" from ", INTERVAL '1:00', " end ", " end ") = false"), \
        DATE_OVERLAP(t,                                                                          \
                     t,                                                                          \
                     t,                                                                          \
                     INTERVAL,                                                                   \
                     "overlaps(" from ", " end ", " end ", INTERVAL '-1 minute') = true"),       \
        DATE_OVERLAP(t,                                                                          \
                     INTERVAL,                                                                   \
                     t,                                                                          \
                     INTERVAL,                                                                   \
                     "overlaps(" from ", INTERVAL '1:00', " from ", INTERVAL '2:00') = true")
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
    {.name = "timestamp",
     .args = {TYPE_DATE, TYPE_TIME},
     .args_count = 2,
     .result = TYPE_TIMESTAMP_US,
     .flags = FUNC_STRICT,
     .kernel = func_date_add_time,
     .doc = "That time of that day.",
     .example = "timestamp(DATE '2015-06-01', TIME '04:05') = 2015-06-01T04:05:00.000000Z"},
    {.name = "timestamptz",
     .args = {TYPE_DATE, TYPE_TIME},
     .args_count = 2,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT,
     .kernel = func_date_at_time,
     .doc = "That time of that day, in the session's zone.",
     .example = "timestamptz(DATE '2015-06-01', TIME '04:05') = 2015-06-01 04:05:00+00"},
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
    DATE_CALL("age",
              2,
              INTERVAL,
              func_age,
              "From the second to the first in years, months and days.",
              "age(TIMESTAMPTZ '2001-04-10' AT TIME ZONE 'UTC', TIMESTAMPTZ '1957-06-13' AT TIME "
              "ZONE 'UTC') = 43 years 9 mons 27 days",
              TYPE_TIMESTAMP_LOCAL,
              TYPE_TIMESTAMP_LOCAL),
    {.name = "age",
     .args = {TYPE_TIMESTAMP_LOCAL},
     .args_count = 1,
     .result = TYPE_INTERVAL,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_age,
     .doc = "From then to the start of today in years, months and days."},
    {.name = "age",
     .args = {TYPE_TIMESTAMP_US},
     .args_count = 1,
     .result = TYPE_INTERVAL,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_age,
     .doc = "From then to the start of today in years, months and days."},
    {.name = "age",
     .args = {TYPE_TIMESTAMPTZ},
     .args_count = 1,
     .result = TYPE_INTERVAL,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_age,
     .doc = "From then to the start of today in years, months and days."},
    DATE_NOW("current_timestamp",
             TIMESTAMPTZ,
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
              func_finite_ts,
              "Whether it is neither infinity nor -infinity.",
              "isfinite(TIMESTAMP(6) '2015-06-01') = true",
              TYPE_TIMESTAMP_US),
    DATE_CALL("isfinite",
              1,
              BOOLEAN,
              func_finite_ts,
              "Whether it is neither infinity nor -infinity.",
              "isfinite(TIMESTAMPTZ '-infinity') = false",
              TYPE_TIMESTAMPTZ),
    DATE_CALL("isfinite",
              1,
              BOOLEAN,
              func_finite_ts,
              "Whether it is neither infinity nor -infinity.",
              "isfinite(TIMESTAMPTZ 'infinity' AT TIME ZONE 'UTC') = false",
              TYPE_TIMESTAMP_LOCAL),
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
    DATE_OVERLAPS(TIMESTAMP_US, "TIMESTAMP(6) '2015-06-01'", "TIMESTAMP(6) '2015-06-03'"),
    DATE_OVERLAPS(TIMESTAMPTZ, "TIMESTAMPTZ '2015-06-01'", "TIMESTAMPTZ '2015-06-03'"),
    DATE_OVERLAPS(TIMESTAMP_LOCAL,
                  "TIMESTAMPTZ '2015-06-01' AT TIME ZONE 'UTC'",
                  "TIMESTAMPTZ '2015-06-03' AT TIME ZONE 'UTC'"),
    DATE_OVERLAPS(TIME, "TIME '01:00'", "TIME '03:00'"),
    DATE_OVERLAP(TIMETZ,
                 TIMETZ,
                 TIMETZ,
                 TIMETZ,
                 "overlaps(TIMETZ '01:00+00', TIMETZ '03:00+00', TIMETZ '02:00+00', TIMETZ "
                 "'04:00+00') = true"),
};

const struct func_table func_table_date = {func_date_rows, DN_ARRAY_SIZE(func_date_rows)};

/* SPDX-License-Identifier: Apache-2.0
 *
 * func_interval.c: arithmetic with intervals, and time stamps plus and minus them. A time stamp in
 * milliseconds becomes one in microseconds on the way, as an interval may be that fine. Months move
 * the calendar month and keep the day, or the last day the month has; then days, then the rest. */
#include "base/civil.h"
#include "func/func_int.h"
#include "func/zoned.h"

#include <math.h>

#define IV_US_SECOND 1000000
#define IV_US_DAY    ((int64_t)CIVIL_DAY_SECONDS * IV_US_SECOND)

__extension__ typedef __int128 iv_i128;

static int iv_fail(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_DATETIME_RANGE, "interval out of range");
}

static int iv_add(struct vinterval a, struct vinterval b, struct vinterval *ret, struct dn_err *err)
{
    if (__builtin_add_overflow(a.us, b.us, &ret->us) ||
        __builtin_add_overflow(a.days, b.days, &ret->days) ||
        __builtin_add_overflow(a.months, b.months, &ret->months))
        return iv_fail(err);
    return 0;
}

static int iv_negate(struct vinterval a, struct vinterval *ret, struct dn_err *err)
{
    if (a.us == INT64_MIN || a.days == INT32_MIN || a.months == INT32_MIN)
        return iv_fail(err);
    *ret = (struct vinterval){.us = -a.us, .days = -a.days, .months = -a.months};
    return 0;
}

/* To microseconds. */
static double iv_rounded(double seconds)
{
    return rint(seconds * 1e6) / 1e6;
}

/* months, days and us are the exact parts of the product, with fractions: what is left of a month
 * goes to days, what is left of a day to the clock. */
int func_interval_spread(
    double months, double days, double us, struct vinterval *ret, struct dn_err *err)
{
    double whole_months = trunc(months);
    double whole_days = trunc(days);
    double month_days = iv_rounded((months - whole_months) * 30);
    double seconds =
        iv_rounded((days - whole_days + month_days - trunc(month_days)) * CIVIL_DAY_SECONDS);

    if (fabs(seconds) >= CIVIL_DAY_SECONDS) {
        double more = trunc(seconds / CIVIL_DAY_SECONDS);

        whole_days += more;
        seconds -= more * CIVIL_DAY_SECONDS;
    }
    whole_days += trunc(month_days);
    us = rint(us + seconds * 1e6);
    if (!(fabs(whole_months) < 0x1p31 && fabs(whole_days) < 0x1p31 && fabs(us) < 0x1p63))
        return iv_fail(err);
    *ret = (struct vinterval){
        .us = (int64_t)us, .days = (int32_t)whole_days, .months = (int32_t)whole_months};
    return 0;
}

static int iv_times(struct vinterval a, double by, struct vinterval *ret, struct dn_err *err)
{
    return func_interval_spread(a.months * by, a.days * by, (double)a.us * by, ret, err);
}

static int iv_over(struct vinterval a, double by, struct vinterval *ret, struct dn_err *err)
{
    if (by == 0)
        return func_fail_zero(err);
    return func_interval_spread(a.months / by, a.days / by, (double)a.us / by, ret, err);
}

/* ---- kernels ---- */

static inline struct vinterval iv_arg(const struct vec *v, uint32_t row)
{
    return ((const struct vinterval *)v->data)[vec_at(v, row)];
}

/* IV_ROW: rc = f of row i of the arguments into to[i]. */
#define IV_KERNEL(name, T, IV_ROW)                                \
    static int name(const struct func_ctx *ctx,                   \
                    const struct vec *args,                       \
                    uint32_t args_count DN_UNUSED,                \
                    uint32_t count,                               \
                    struct vec *ret,                              \
                    struct dn_err *err)                           \
    {                                                             \
        T *to = func_ret_alloc(ctx, ret, count, sizeof *to, err); \
                                                                  \
        if (!to)                                                  \
            return DN_E_NOMEM;                                    \
        for (uint32_t i = 0; i < count; i++) {                    \
            int rc = 0;                                           \
                                                                  \
            to[i] = (T){0};                                       \
            if (!vec_is_null(ret, i))                             \
                rc = IV_ROW;                                      \
            if (rc < 0)                                           \
                return rc;                                        \
        }                                                         \
        return 0;                                                 \
    }

static int iv_sub(struct vinterval a, struct vinterval b, struct vinterval *ret, struct dn_err *err)
{
    int rc = iv_negate(b, &b, err);

    return rc < 0 ? rc : iv_add(a, b, ret, err);
}

IV_KERNEL(func_iv_add,
          struct vinterval,
          iv_add(iv_arg(&args[0], i), iv_arg(&args[1], i), &to[i], err))
IV_KERNEL(func_iv_sub,
          struct vinterval,
          iv_sub(iv_arg(&args[0], i), iv_arg(&args[1], i), &to[i], err))
IV_KERNEL(func_iv_neg, struct vinterval, iv_negate(iv_arg(&args[0], i), &to[i], err))
IV_KERNEL(func_iv_mul,
          struct vinterval,
          iv_times(iv_arg(&args[0], i), vec_f64(&args[1], i), &to[i], err))
IV_KERNEL(func_mul_iv,
          struct vinterval,
          iv_times(iv_arg(&args[1], i), vec_f64(&args[0], i), &to[i], err))
IV_KERNEL(func_iv_div,
          struct vinterval,
          iv_over(iv_arg(&args[0], i), vec_f64(&args[1], i), &to[i], err))

/* ---- time stamps ---- */

/* t is in units of 1/per seconds, per at least a million. */
static int iv_ts_add(int64_t t, int64_t per, struct vinterval v, int64_t *ret, struct dn_err *err)
{
    int64_t day_units = CIVIL_DAY_SECONDS * per;
    int64_t days = civil_floor(t, day_units);
    int64_t rest = civil_mod(t, day_units);
    iv_i128 sum;

    *ret = t;
    if (zoned_infinite(t))
        return 0;
    if (v.months) {
        struct civil c = civil_from_days(days);
        int64_t month = c.year * 12 + c.month - 1 + v.months;
        int64_t year = civil_floor(month, 12);
        int of_year = (int)(month - year * 12) + 1;
        int last = civil_month_days(year, of_year);

        days = civil_to_days(year, of_year, c.day < last ? c.day : last);
    }
    sum = ((iv_i128)days + v.days) * day_units + rest + (iv_i128)v.us * (per / IV_US_SECOND);
    if (sum >= INT64_MAX || sum <= INT64_MIN)
        return func_fail_range(per == IV_US_SECOND ? TYPE_TIMESTAMP_US : TYPE_TIMESTAMP_NS, err);
    *ret = (int64_t)sum;
    return 0;
}

/* Row of a time stamp vector in the result's unit. */
static int
iv_ts_arg(const struct vec *v, uint32_t row, enum type_id type, int64_t *ret, struct dn_err *err)
{
    int64_t factor = type_ts_per_second(type) / type_ts_per_second(v->type);

    *ret = vec_i64(v, row);
    if (!zoned_infinite(*ret) && __builtin_mul_overflow(*ret, factor, ret))
        return func_fail_range(type, err);
    return 0;
}

/* Months, and then days, by the calendar of the zone. */
static int iv_zoned_add(
    const struct tz_zone *zone, int64_t t, struct vinterval v, int64_t *ret, struct dn_err *err)
{
    struct vinterval parts[2] = {{.months = v.months}, {.days = v.days}};
    int rc = 0;

    *ret = t;
    if (zoned_infinite(t))
        return 0;
    for (int i = 0; i < 2 && rc == 0; i++) {
        struct zoned z = zoned_make(zone);
        int64_t local = 0;

        if (!parts[i].months && !parts[i].days)
            continue;
        rc = zoned_local(&z, *ret, &local, err);
        if (rc == 0)
            rc = iv_ts_add(local, IV_US_SECOND, parts[i], &local, err);
        if (rc == 0)
            rc = zoned_instant(zone, local, ret, err);
    }
    if (rc == 0 && (__builtin_add_overflow(*ret, v.us, ret) || zoned_infinite(*ret)))
        rc = zoned_fail(err);
    return rc;
}

int func_interval_move(const struct func_ctx *ctx,
                       enum type_id type,
                       int64_t t,
                       struct vinterval v,
                       int64_t *ret,
                       struct dn_err *err)
{
    if (type == TYPE_TIMESTAMPTZ)
        return iv_zoned_add(zoned_session(ctx), t, v, ret, err);
    return iv_ts_add(t, type_ts_per_second(type), v, ret, err);
}

/* Row i of ts plus (sign 1) or minus (-1) that of iv. */
static int iv_ts_plus(const struct func_ctx *ctx,
                      const struct vec *ts,
                      const struct vec *iv,
                      uint32_t row,
                      int sign,
                      int64_t *ret,
                      struct dn_err *err)
{
    enum type_id type = ts->type == TYPE_TIMESTAMP ? TYPE_TIMESTAMP_US : ts->type;
    struct vinterval v = iv_arg(iv, row);
    int64_t t;
    int rc = iv_ts_arg(ts, row, type, &t, err);

    if (rc == 0 && sign < 0)
        rc = iv_negate(v, &v, err);
    return rc < 0 ? rc : func_interval_move(ctx, type, t, v, ret, err);
}

IV_KERNEL(func_ts_add_iv, int64_t, iv_ts_plus(ctx, &args[0], &args[1], i, 1, &to[i], err))
IV_KERNEL(func_iv_add_ts, int64_t, iv_ts_plus(ctx, &args[1], &args[0], i, 1, &to[i], err))
IV_KERNEL(func_ts_sub_iv, int64_t, iv_ts_plus(ctx, &args[0], &args[1], i, -1, &to[i], err))

/* Whole days, and the rest of the same sign. Nanoseconds are rounded. */
static int iv_between(int64_t a, int64_t b, int64_t per, struct vinterval *ret, struct dn_err *err)
{
    iv_i128 diff = (iv_i128)a - b;
    iv_i128 days;

    if (per < IV_US_SECOND) {
        diff *= IV_US_SECOND / per;
    } else if (per > IV_US_SECOND) {
        iv_i128 unit = per / IV_US_SECOND;

        diff = (diff + (diff < 0 ? -unit / 2 : unit / 2)) / unit;
    }
    days = diff / IV_US_DAY;
    if (days > INT32_MAX || days < INT32_MIN)
        return iv_fail(err);
    *ret = (struct vinterval){.us = (int64_t)(diff % IV_US_DAY), .days = (int32_t)days};
    return 0;
}

static int
iv_ts_minus(const struct vec *args, uint32_t i, struct vinterval *ret, struct dn_err *err)
{
    int64_t a = vec_i64(&args[0], i);
    int64_t b = vec_i64(&args[1], i);

    if (zoned_infinite(a) || zoned_infinite(b))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "cannot subtract infinite timestamps");
    return iv_between(a, b, type_ts_per_second(args[0].type), ret, err);
}

IV_KERNEL(func_ts_sub_ts, struct vinterval, iv_ts_minus(args, i, &to[i], err))

/* ---- justify ---- */

static int iv_justify_hours(struct vinterval v, struct vinterval *ret, struct dn_err *err)
{
    int64_t days = v.us / IV_US_DAY;

    if (__builtin_add_overflow(v.days, days, &ret->days))
        return iv_fail(err);
    ret->months = v.months;
    ret->us = v.us % IV_US_DAY;
    if (ret->days > 0 && ret->us < 0) {
        ret->us += IV_US_DAY;
        ret->days--;
    } else if (ret->days < 0 && ret->us > 0) {
        ret->us -= IV_US_DAY;
        ret->days++;
    }
    return 0;
}

static int iv_justify_days(struct vinterval v, struct vinterval *ret, struct dn_err *err)
{
    if (__builtin_add_overflow(v.months, v.days / 30, &ret->months))
        return iv_fail(err);
    ret->us = v.us;
    ret->days = v.days % 30;
    if (ret->months > 0 && ret->days < 0) {
        ret->days += 30;
        ret->months--;
    } else if (ret->months < 0 && ret->days > 0) {
        ret->days -= 30;
        ret->months++;
    }
    return 0;
}

IV_KERNEL(func_justify_hours, struct vinterval, iv_justify_hours(iv_arg(&args[0], i), &to[i], err))
IV_KERNEL(func_justify_days, struct vinterval, iv_justify_days(iv_arg(&args[0], i), &to[i], err))

#define IV2(op, a, b, r, fn, text, sample)                                                 \
    {                                                                                      \
        .name = op, .args = {TYPE_##a, TYPE_##b}, .args_count = 2, .result = TYPE_##r,     \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, .example = sample \
    }
#define IV_TS(t, r, sql, plus, minus)                                                     \
    IV2("-",                                                                              \
        t,                                                                                \
        t,                                                                                \
        INTERVAL,                                                                         \
        func_ts_sub_ts,                                                                   \
        "The time between two time stamps, in days and hours.",                           \
        sql " '2015-06-03T12:00' - " sql " '2015-06-01' = 2 days 12:00:00"),              \
        IV2("+",                                                                          \
            t,                                                                            \
            INTERVAL,                                                                     \
            r,                                                                            \
            func_ts_add_iv,                                                               \
            "The time stamp moved on: by months of the calendar, then days, then hours.", \
            sql " '2015-01-31' + INTERVAL '1 month' = " plus),                            \
        IV2("+",                                                                          \
            INTERVAL,                                                                     \
            t,                                                                            \
            r,                                                                            \
            func_iv_add_ts,                                                               \
            "The time stamp moved on: by months of the calendar, then days, then hours.", \
            "INTERVAL '1 month' + " sql " '2015-01-31' = " plus),                         \
        IV2("-",                                                                          \
            t,                                                                            \
            INTERVAL,                                                                     \
            r,                                                                            \
            func_ts_sub_iv,                                                               \
            "The time stamp moved back.",                                                 \
            sql " '2015-03-31' - INTERVAL '1 month' = " minus)
#define IV1(fname, fn, text, sample)                                                      \
    {                                                                                     \
        .name = fname, .args = {TYPE_INTERVAL}, .args_count = 1, .result = TYPE_INTERVAL, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample                \
    }

static const struct func func_interval_rows[] = {
    IV_TS(TIMESTAMP,
          TIMESTAMP_US,
          "TIMESTAMP",
          "2015-02-28T00:00:00.000000Z",
          "2015-02-28T00:00:00.000000Z"),
    IV_TS(TIMESTAMP_US,
          TIMESTAMP_US,
          "TIMESTAMP(6)",
          "2015-02-28T00:00:00.000000Z",
          "2015-02-28T00:00:00.000000Z"),
    IV_TS(TIMESTAMP_NS,
          TIMESTAMP_NS,
          "TIMESTAMP(9)",
          "2015-02-28T00:00:00.000000000Z",
          "2015-02-28T00:00:00.000000000Z"),
    IV_TS(TIMESTAMPTZ,
          TIMESTAMPTZ,
          "TIMESTAMPTZ",
          "2015-02-28 00:00:00+00",
          "2015-02-28 00:00:00+00"),
    IV2("-",
        TIMESTAMP_LOCAL,
        TIMESTAMP_LOCAL,
        INTERVAL,
        func_ts_sub_ts,
        "The time between two time stamps, in days and hours.",
        "TIMESTAMPTZ '2015-06-03T12:00' AT TIME ZONE 'UTC' - TIMESTAMPTZ '2015-06-01' AT TIME ZONE "
        "'UTC' = 2 days 12:00:00"),
    IV2("+",
        TIMESTAMP_LOCAL,
        INTERVAL,
        TIMESTAMP_LOCAL,
        func_ts_add_iv,
        "The time stamp moved on: by months of the calendar, then days, then hours.",
        "TIMESTAMPTZ '2015-01-31' AT TIME ZONE 'UTC' + INTERVAL '1 month' = 2015-02-28 00:00:00"),
    IV2("+",
        INTERVAL,
        TIMESTAMP_LOCAL,
        TIMESTAMP_LOCAL,
        func_iv_add_ts,
        "The time stamp moved on: by months of the calendar, then days, then hours.",
        "INTERVAL '1 month' + TIMESTAMPTZ '2015-01-31' AT TIME ZONE 'UTC' = 2015-02-28 00:00:00"),
    IV2("-",
        TIMESTAMP_LOCAL,
        INTERVAL,
        TIMESTAMP_LOCAL,
        func_ts_sub_iv,
        "The time stamp moved back.",
        "TIMESTAMPTZ '2015-03-31' AT TIME ZONE 'UTC' - INTERVAL '1 month' = 2015-02-28 00:00:00"),
    IV2("+",
        INTERVAL,
        INTERVAL,
        INTERVAL,
        func_iv_add,
        "Sum, part by part.",
        "INTERVAL '1 day' + INTERVAL '2:00' = 1 day 02:00:00"),
    IV2("-",
        INTERVAL,
        INTERVAL,
        INTERVAL,
        func_iv_sub,
        "Difference, part by part.",
        "INTERVAL '1 day' - INTERVAL '2:00' = 1 day -02:00:00"),
    IV2("*",
        INTERVAL,
        DOUBLE,
        INTERVAL,
        func_iv_mul,
        "That many times; what is left of a month goes to days, of a day to hours.",
        "INTERVAL '1 day' * 1.5 = 1 day 12:00:00"),
    IV2("*",
        DOUBLE,
        INTERVAL,
        INTERVAL,
        func_mul_iv,
        "That many times; what is left of a month goes to days, of a day to hours.",
        "1.5 * INTERVAL '1 month' = 1 mon 15 days"),
    IV2("/",
        INTERVAL,
        DOUBLE,
        INTERVAL,
        func_iv_div,
        "That part; what is left of a month goes to days, of a day to hours.",
        "INTERVAL '1 hour' / 4 = 00:15:00"),
    {.name = "-",
     .args = {TYPE_INTERVAL},
     .args_count = 1,
     .result = TYPE_INTERVAL,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_iv_neg,
     .doc = "The value with the other sign.",
     .example = "- INTERVAL '1 day' = -1 days"},
    IV1("justify_hours",
        func_justify_hours,
        "24 hours as days.",
        "justify_hours(INTERVAL '27 hours') = 1 day 03:00:00"),
    IV1("justify_days",
        func_justify_days,
        "30 days as months.",
        "justify_days(INTERVAL '35 days') = 1 mon 5 days"),
};

const struct func_table func_table_interval = {func_interval_rows,
                                               DN_ARRAY_SIZE(func_interval_rows)};

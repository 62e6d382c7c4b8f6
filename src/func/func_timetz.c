/* SPDX-License-Identifier: Apache-2.0
 *
 * func_timetz.c: times of day with a zone (vec/timetz.h): casts, arithmetic, AT TIME ZONE,
 * CURRENT_TIME. A zone that is known by its name counts as it is at the transaction's time. */
#include "func/func_zone.h"
#include "func/zoned.h"
#include "vec/timetz.h"

static int64_t timetz_now(const struct func_ctx *ctx)
{
    return civil_floor(ctx->now_ns, 1000);
}

static int64_t timetz_move(int64_t v, int64_t by)
{
    int64_t us = timetz_clock_us(v);

    return timetz_make(civil_mod(us % ZONED_US_DAY + by % ZONED_US_DAY, ZONED_US_DAY),
                       timetz_west(v));
}

/* The same moment on a clock of another zone. */
static int64_t timetz_shift(int64_t v, int32_t west)
{
    return timetz_make(civil_mod(timetz_utc_us(v) - (int64_t)west * ZONED_US, ZONED_US_DAY), west);
}

/* ---- casts ---- */

static int timetz_of_time(const struct func_ctx *ctx, struct zoned *z, int64_t us, int64_t *ret)
{
    int64_t today = civil_floor(
        timetz_now(ctx) + (int64_t)zoned_offset(z, timetz_now(ctx)) * ZONED_US, ZONED_US_DAY);

    *ret = timetz_make(
        us, -tz_local_offset(z->zone, today * CIVIL_DAY_SECONDS + civil_floor(us, ZONED_US)));
    return 0;
}

static int timetz_of_instant(struct zoned *z, int64_t t, int64_t *ret, struct dn_err *err)
{
    int64_t local = 0;
    int rc = zoned_local(z, t, &local, err);

    *ret = timetz_make(civil_mod(local, ZONED_US_DAY), -zoned_offset(z, t));
    return rc;
}

/* In microseconds; beyond them near the ends of time, where the clock shows nothing of use. */
static int64_t timetz_us(int64_t t, enum type_id type)
{
    int64_t us = t;

    if (type == TYPE_TIMESTAMP && __builtin_mul_overflow(t, 1000, &us))
        us = 0;
    return type == TYPE_TIMESTAMP_NS ? civil_floor(t, 1000) : us;
}

ZONED_EACH(func_cast_time_timetz, int64_t, timetz_of_time(ctx, &z, vec_i64(&args[0], i), &to[i]))
ZONED_EACH(func_cast_tz_timetz,
           int64_t,
           zoned_infinite(vec_i64(&args[0], i))
               ? func_ret_null(ctx, ret, i, err)
               : timetz_of_instant(&z, vec_i64(&args[0], i), &to[i], err))
/* Of a TIMESTAMP, which is an instant too. */
ZONED_EACH(func_cast_ts_timetz,
           int64_t,
           zoned_infinite(vec_i64(&args[0], i))
               ? func_ret_null(ctx, ret, i, err)
               : timetz_of_instant(&z, timetz_us(vec_i64(&args[0], i), args[0].type), &to[i], err))
FUNC_EACH(func_cast_timetz_time, int64_t, (to[i] = timetz_clock_us(vec_i64(&args[0], i)), 0))

#define TIMETZ_CAST(from, to, fn, sample)                                                        \
    {                                                                                            \
        .name = "cast", .args = {TYPE_##from}, .args_count = 1, .result = TYPE_##to,             \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = "The value as another type.", \
        .example = sample                                                                        \
    }

static const struct func func_cast_timetz_rows[] = {
    TIMETZ_CAST(
        VARCHAR, TIMETZ, func_cast_from_text, "CAST('04:05:06.5+02' AS TIMETZ) = 04:05:06.5+02"),
    TIMETZ_CAST(TIMETZ,
                VARCHAR,
                func_cast_to_text,
                "CAST(TIMETZ '04:05-05:30' AS VARCHAR) = 04:05:00-05:30"),
    TIMETZ_CAST(TIME, TIMETZ, func_cast_time_timetz, "CAST(TIME '04:05' AS TIMETZ) = 04:05:00+00"),
    TIMETZ_CAST(TIMETZ, TIME, func_cast_timetz_time, "CAST(TIMETZ '04:05+02' AS TIME) = 04:05:00"),
    TIMETZ_CAST(TIMESTAMPTZ,
                TIMETZ,
                func_cast_tz_timetz,
                "CAST(TIMESTAMPTZ '2015-06-01 09:47+02' AS TIMETZ) = 07:47:00+00"),
    TIMETZ_CAST(TIMESTAMP,
                TIMETZ,
                func_cast_ts_timetz,
                "CAST(TIMESTAMP '2015-06-01 09:47' AS TIMETZ) = 09:47:00+00"),
    TIMETZ_CAST(TIMESTAMP_US,
                TIMETZ,
                func_cast_ts_timetz,
                "CAST(TIMESTAMP(6) '2015-06-01 09:47' AS TIMETZ) = 09:47:00+00"),
    TIMETZ_CAST(TIMESTAMP_NS,
                TIMETZ,
                func_cast_ts_timetz,
                "CAST(TIMESTAMP(9) '2015-06-01 09:47' AS TIMETZ) = 09:47:00+00"),
};

const struct func_table func_table_cast_timetz = {func_cast_timetz_rows,
                                                  DN_ARRAY_SIZE(func_cast_timetz_rows)};

/* ---- arithmetic ---- */

static int timetz_on_date(int64_t days, int64_t v, int64_t *ret, struct dn_err *err)
{
    if (days == INT32_MAX || days == INT32_MIN) {
        *ret = days > 0 ? INT64_MAX : INT64_MIN;
        return 0;
    }
    if (__builtin_mul_overflow(days, ZONED_US_DAY, ret) ||
        __builtin_add_overflow(*ret, timetz_utc_us(v), ret))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "date out of range for timestamp");
    return 0;
}

FUNC_EACH(func_timetz_add_iv,
          int64_t,
          (to[i] = timetz_move(vec_i64(&args[0], i), func_iv(&args[1], i).us), 0))
FUNC_EACH(func_iv_add_timetz,
          int64_t,
          (to[i] = timetz_move(vec_i64(&args[1], i), func_iv(&args[0], i).us), 0))
FUNC_EACH(func_timetz_sub_iv,
          int64_t,
          (to[i] = timetz_move(vec_i64(&args[0], i), -(func_iv(&args[1], i).us % ZONED_US_DAY)), 0))
FUNC_EACH(func_date_add_timetz,
          int64_t,
          timetz_on_date(vec_i64(&args[0], i), vec_i64(&args[1], i), &to[i], err))
FUNC_EACH(func_timetz_add_date,
          int64_t,
          timetz_on_date(vec_i64(&args[1], i), vec_i64(&args[0], i), &to[i], err))

/* ---- zones ---- */

static int timetz_at(struct zone_arg *a,
                     const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t i,
                     int64_t *ret,
                     struct dn_err *err)
{
    int rc = func_zone_arg(a, ctx, &args[0], i, err);
    struct tz_span span;

    if (rc < 0)
        return rc;
    span = tz_span_at(a->zone, civil_floor(ctx->now_ns, 1000000000));
    *ret = timetz_shift(vec_i64(&args[1], i), -span.offset);
    return 0;
}

static int func_timetz_zone(const struct func_ctx *ctx,
                            const struct vec *args,
                            uint32_t args_count DN_UNUSED,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    struct zone_arg a = {.zone = NULL};

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int rc = 0;

        to[i] = 0;
        if (!vec_is_null(ret, i))
            rc = timetz_at(&a, ctx, args, i, &to[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Rounded to that many digits of a second, if any are asked for. */
static int timetz_current(
    const struct func_ctx *ctx, struct zoned *z, int64_t digits, int64_t *ret, struct dn_err *err)
{
    int64_t now = timetz_now(ctx);
    int64_t unit = 1;

    if (digits < 0)
        return DN_FAIL(err, DN_E_INVALID_PARAM, "a precision of %lld digits", (long long)digits);
    for (; digits < 6; digits++)
        unit *= 10;
    return timetz_of_instant(z, civil_floor(now + unit / 2, unit) * unit, ret, err);
}

ZONED_EACH(func_current_timetz, int64_t, timetz_current(ctx, &z, 6, &to[i], err))
ZONED_EACH(func_current_timetz_in,
           int64_t,
           timetz_current(ctx, &z, vec_i64(&args[0], i), &to[i], err))

#define TIMETZ2(op, a, b, r, fn, text, sample)                                             \
    {                                                                                      \
        .name = op, .args = {TYPE_##a, TYPE_##b}, .args_count = 2, .result = TYPE_##r,     \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, .example = sample \
    }
#define TIMETZ_ZONE_DOC                                                                         \
    "What a clock of the zone shows at that time of day; t AT TIME ZONE z is the same. A zone " \
    "with summer time counts as it is now."

static const struct func func_timetz_rows[] = {
    TIMETZ2("+",
            TIMETZ,
            INTERVAL,
            TIMETZ,
            func_timetz_add_iv,
            "The time of day that much later.",
            "TIMETZ '23:00+02' + INTERVAL '3 hours' = 02:00:00+02"),
    TIMETZ2("+",
            INTERVAL,
            TIMETZ,
            TIMETZ,
            func_iv_add_timetz,
            "The time of day that much later.",
            "INTERVAL '3 hours' + TIMETZ '23:00+02' = 02:00:00+02"),
    TIMETZ2("-",
            TIMETZ,
            INTERVAL,
            TIMETZ,
            func_timetz_sub_iv,
            "The time of day that much earlier.",
            "TIMETZ '01:00+02' - INTERVAL '3 hours' = 22:00:00+02"),
    TIMETZ2("+",
            DATE,
            TIMETZ,
            TIMESTAMPTZ,
            func_date_add_timetz,
            "That time of that day.",
            "DATE '2015-06-01' + TIMETZ '04:05+02' = 2015-06-01 02:05:00+00"),
    TIMETZ2("+",
            TIMETZ,
            DATE,
            TIMESTAMPTZ,
            func_timetz_add_date,
            "That time of that day.",
            "TIMETZ '04:05+02' + DATE '2015-06-01' = 2015-06-01 02:05:00+00"),
    {.name = "timestamptz",
     .args = {TYPE_DATE, TYPE_TIMETZ},
     .args_count = 2,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT,
     .kernel = func_date_add_timetz,
     .doc = "That time of that day.",
     .example = "timestamptz(DATE '2015-06-01', TIMETZ '04:05+02') = 2015-06-01 02:05:00+00"},
    {.name = "timezone",
     .args = {TYPE_VARCHAR, TYPE_TIMETZ},
     .args_count = 2,
     .result = TYPE_TIMETZ,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_timetz_zone,
     .doc = TIMETZ_ZONE_DOC,
     .example = "timezone('CEST', TIMETZ '04:05+00') = 06:05:00+02"},
    {.name = "timezone",
     .args = {TYPE_INTERVAL, TYPE_TIMETZ},
     .args_count = 2,
     .result = TYPE_TIMETZ,
     .flags = FUNC_STRICT,
     .kernel = func_timetz_zone,
     .doc = TIMETZ_ZONE_DOC,
     .example = "timezone(INTERVAL '-05:30', TIMETZ '04:05+00') = 22:35:00-05:30"},
    {.name = "current_time",
     .result = TYPE_TIMETZ,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_current_timetz,
     .doc = "The time of day of current_timestamp."},
    {.name = "current_time",
     .args = {TYPE_INTEGER},
     .args_count = 1,
     .result = TYPE_TIMETZ,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_current_timetz_in,
     .doc = "The same, rounded to that many digits of a second."},
};

const struct func_table func_table_timetz = {func_timetz_rows, DN_ARRAY_SIZE(func_timetz_rows)};

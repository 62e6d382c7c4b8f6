/* SPDX-License-Identifier: Apache-2.0
 *
 * func_zone.c: time zones: AT TIME ZONE, date_trunc of TIMESTAMPTZ, times made of parts. A
 * TIMESTAMPTZ is an instant, a TIMESTAMP_LOCAL what clocks show at one. A TIMESTAMP is an instant,
 * too, but AT TIME ZONE takes it as what clocks show, as if they were at UTC. */
#include "func/func_zone.h"
#include "func/bucket_int.h"
#include "func/str_int.h"
#include "func/text_int.h"
#include "func/zoned.h"

#include <math.h>

/* ---- the zone an argument names ---- */

static int
zone_by_name(struct zone_arg *a, const struct func_ctx *ctx, struct vstr name, struct dn_err *err)
{
    int32_t offset;

    if (a->zone && a->name.len == name.len && memcmp(a->name.ptr, name.ptr, name.len) == 0)
        return 0;
    a->name = name;
    a->zone = NULL;
    if (tz_abbrev(name, &offset)) {
        tz_fixed(offset, &a->room);
        a->zone = &a->room;
        return 0;
    }
    return tz_find(ctx->session ? ctx->session->zones : NULL, name, &a->room, &a->zone, err);
}

static int zone_by_interval(struct zone_arg *a, struct vinterval v, struct dn_err *err)
{
    struct datum d = {.type = TYPE_INTERVAL, .iv = v};
    struct buf b;
    int rc;

    if (v.months == 0 && v.days == 0 && v.us < ZONED_US_DAY && v.us > -ZONED_US_DAY) {
        tz_fixed((int32_t)(v.us / ZONED_US), &a->room);
        a->zone = &a->room;
        return 0;
    }
    if (v.months == 0 && v.days == 0)
        return DN_FAIL(err, DN_E_INVALID_PARAM, "interval time zone is a day or more");
    buf_init(&b, NULL);
    text_print(&d, &b);
    rc = b.failed ? DN_FAIL_NOMEM(err)
                  : DN_FAIL(err,
                            DN_E_INVALID_PARAM,
                            "interval time zone \"%.*s\" must not include months or days",
                            (int)b.len,
                            (const char *)b.data);
    buf_done(&b);
    return rc;
}

int func_zone_arg(struct zone_arg *a,
                  const struct func_ctx *ctx,
                  const struct vec *arg,
                  uint32_t row,
                  struct dn_err *err)
{
    return arg->type == TYPE_INTERVAL ? zone_by_interval(a, func_iv(arg, row), err)
                                      : zone_by_name(a, ctx, vec_str(arg, row), err);
}

/* ---- AT TIME ZONE ---- */

/* The instant of a row: a DATE is its midnight in the session's zone. */
static int zone_instant_of(
    const struct func_ctx *ctx, const struct vec *v, uint32_t row, int64_t *ret, struct dn_err *err)
{
    int64_t t = vec_i64(v, row);

    *ret = t;
    if (v->type != TYPE_DATE)
        return 0;
    if (t == INT32_MAX || t == INT32_MIN) {
        *ret = t > 0 ? INT64_MAX : INT64_MIN;
        return 0;
    }
    if (__builtin_mul_overflow(t, ZONED_US_DAY, &t))
        return zoned_fail(err);
    return zoned_instant(zoned_session(ctx), t, ret, err);
}

/* TIMESTAMPTZ (or DATE) to what clocks show. */
static int func_zone_show(const struct func_ctx *ctx,
                          const struct vec *args,
                          uint32_t args_count DN_UNUSED,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    struct zone_arg a = {.zone = NULL};
    struct zoned z = zoned_make(NULL);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int64_t t = 0;
        int rc = 0;

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        rc = func_zone_arg(&a, ctx, &args[0], i, err);
        if (rc == 0)
            rc = zone_instant_of(ctx, &args[1], i, &t, err);
        if (rc == 0 && (a.zone != z.zone || a.zone == &a.room))
            z = zoned_make(a.zone);
        if (rc == 0)
            rc = zoned_local(&z, t, &to[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* TIMESTAMP: the instant at which clocks show it. */
static int func_zone_find(const struct func_ctx *ctx,
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
        int64_t t;
        int rc;

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        t = vec_i64(&args[1], i);
        if (args[1].type == TYPE_TIMESTAMP_NS)
            t = civil_floor(t, 1000) + (civil_mod(t, 1000) >= 500);
        rc = func_zone_arg(&a, ctx, &args[0], i, err);
        if (rc == 0)
            rc = zoned_instant(a.zone, t, &to[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- date_trunc ---- */

struct zone_trunc {
    struct bucketer by;
    struct zoned z;
    struct bucket local; /* of the last row, as clocks show it */
    struct tz_span span; /* … in which it was */
    int64_t start;       /* its instant */
};

static int zone_trunc(struct zone_trunc *t, int64_t us, int64_t *ret, struct dn_err *err)
{
    int64_t local = 0;
    int rc;

    if (zoned_infinite(us)) {
        *ret = us;
        return 0;
    }
    rc = zoned_local(&t->z, us, &local, err);
    if (rc < 0)
        return rc;
    if (!bucket_has(&t->local, local) || t->span.from != t->z.span.from ||
        t->span.offset != t->z.span.offset) {
        if (!func_bucket_of(&t->by, local, &t->local))
            return zoned_fail(err);
        /* Days and more begin when clocks say so; parts of a day in the time that there is. */
        if (t->by.months || t->by.width >= ZONED_US_DAY)
            rc = zoned_instant(t->z.zone, t->local.lo, &t->start, err);
        else if (__builtin_sub_overflow(
                     t->local.lo, (int64_t)t->z.span.offset * ZONED_US, &t->start))
            rc = zoned_fail(err);
        t->span = t->z.span;
    }
    *ret = t->start;
    return rc;
}

static int func_trunc_zone(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    bool fixed = args[0].form == VEC_CONST && (args_count == 2 || args[2].form == VEC_CONST);
    struct zone_arg a = {.zone = zoned_session(ctx)};
    struct zone_trunc t;
    bool made = false;

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int rc = 0;

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        if (!made || !fixed) {
            a.zone = args_count == 3 ? NULL : a.zone;
            if (args_count == 3)
                rc = func_zone_arg(&a, ctx, &args[2], i, err);
            t = (struct zone_trunc){.z = zoned_make(a.zone), .local = {.lo = 1, .end = 0}};
            if (rc == 0)
                rc = func_bucket_by_field(vec_str(&args[0], i), TYPE_TIMESTAMPTZ, &t.by, err);
            made = true;
        }
        if (rc == 0)
            rc = zone_trunc(&t, vec_i64(&args[1], i), &to[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- casts ---- */

static int zone_to_date(struct zoned *z, int64_t t, int32_t *ret, struct dn_err *err)
{
    int64_t local = 0;
    int64_t days;
    int rc;

    if (zoned_infinite(t)) {
        *ret = t > 0 ? INT32_MAX : INT32_MIN;
        return 0;
    }
    rc = zoned_local(z, t, &local, err);
    days = civil_floor(local, ZONED_US_DAY);
    if (rc == 0 && !civil_is_date(days))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "date out of range");
    *ret = (int32_t)days;
    return rc;
}

static int zone_to_time(struct zoned *z, int64_t t, int64_t *ret, struct dn_err *err)
{
    int64_t local = 0;
    int rc = zoned_infinite(t) ? 0 : zoned_local(z, t, &local, err);

    *ret = civil_mod(local, ZONED_US_DAY);
    return rc;
}

static int zone_from_date(struct zoned *z, int64_t days, int64_t *ret, struct dn_err *err)
{
    int64_t local;

    if (days == INT32_MAX || days == INT32_MIN) {
        *ret = days > 0 ? INT64_MAX : INT64_MIN;
        return 0;
    }
    if (__builtin_mul_overflow(days, ZONED_US_DAY, &local))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "date out of range for timestamp");
    return zoned_instant(z->zone, local, ret, err);
}

ZONED_EACH(func_cast_tz_date, int32_t, zone_to_date(&z, vec_i64(&args[0], i), &to[i], err))
ZONED_EACH(func_cast_tz_time,
           int64_t,
           zoned_infinite(vec_i64(&args[0], i))
               ? func_ret_null(ctx, ret, i, err)
               : zone_to_time(&z, vec_i64(&args[0], i), &to[i], err))
ZONED_EACH(func_cast_date_tz, int64_t, zone_from_date(&z, vec_i64(&args[0], i), &to[i], err))

#define ZONE_CAST(from, to, fn, sample)                                                          \
    {                                                                                            \
        .name = "cast", .args = {TYPE_##from}, .args_count = 1, .result = TYPE_##to,             \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = "The value as another type.", \
        .example = sample                                                                        \
    }

static const struct func func_cast_zone_rows[] = {
    ZONE_CAST(DATE,
              TIMESTAMPTZ,
              func_cast_date_tz,
              "CAST(DATE '2015-06-01' AS TIMESTAMPTZ) = 2015-06-01 00:00:00+00"),
    ZONE_CAST(TIMESTAMPTZ,
              DATE,
              func_cast_tz_date,
              "CAST(TIMESTAMPTZ '2015-06-01 09:47' AS DATE) = 2015-06-01"),
    ZONE_CAST(TIMESTAMPTZ,
              TIME,
              func_cast_tz_time,
              "CAST(TIMESTAMPTZ '2015-06-01 09:47' AS TIME) = 09:47:00"),
};

const struct func_table func_table_cast_zone = {func_cast_zone_rows,
                                                DN_ARRAY_SIZE(func_cast_zone_rows)};

/* Between what clocks of the session's zone show and the instant at which they show it. */
static int
zone_from_local(struct zoned *z, int64_t local, enum type_id type, int64_t *ret, struct dn_err *err)
{
    int64_t per = type_ts_per_second(type);
    int64_t us = 0;
    int rc = zoned_instant(z->zone, local, &us, err);

    *ret = us;
    if (rc < 0 || zoned_infinite(us) || per == ZONED_US)
        return rc;
    if (per < ZONED_US) {
        *ret = civil_floor(us + ZONED_US / per / 2, ZONED_US / per);
        return 0;
    }
    return __builtin_mul_overflow(us, per / ZONED_US, ret) ? func_fail_range(type, err) : 0;
}

static int
zone_to_local(struct zoned *z, int64_t t, enum type_id type, int64_t *ret, struct dn_err *err)
{
    int64_t per = type_ts_per_second(type);
    int64_t us = t;

    if (zoned_infinite(t)) {
        *ret = t;
        return 0;
    }
    if (per < ZONED_US && __builtin_mul_overflow(t, ZONED_US / per, &us))
        return zoned_fail(err);
    if (per > ZONED_US)
        us = civil_floor(t + per / ZONED_US / 2, per / ZONED_US);
    return zoned_local(z, us, ret, err);
}

ZONED_EACH(func_cast_local_instant,
           int64_t,
           zone_from_local(&z, vec_i64(&args[0], i), ret->type, &to[i], err))
ZONED_EACH(func_cast_instant_local,
           int64_t,
           zone_to_local(&z, vec_i64(&args[0], i), args[0].type, &to[i], err))

/* No SQL names the type: the casts to it have no examples. */
#define ZONE_LOCAL(type, sql, shown)                                                          \
    ZONE_CAST(TIMESTAMP_LOCAL,                                                                \
              type,                                                                           \
              func_cast_local_instant,                                                        \
              "CAST(TIMESTAMPTZ '2015-06-01 09:47' AT TIME ZONE 'UTC' AS " sql ") = " shown), \
        ZONE_CAST(type, TIMESTAMP_LOCAL, func_cast_instant_local, NULL)

static const struct func func_cast_local_rows[] = {
    ZONE_LOCAL(TIMESTAMP, "TIMESTAMP", "2015-06-01T09:47:00.000Z"),
    ZONE_LOCAL(TIMESTAMP_US, "TIMESTAMP(6)", "2015-06-01T09:47:00.000000Z"),
    ZONE_LOCAL(TIMESTAMP_NS, "TIMESTAMP(9)", "2015-06-01T09:47:00.000000000Z"),
    ZONE_LOCAL(TIMESTAMPTZ, "TIMESTAMPTZ", "2015-06-01 09:47:00+00"),
};

const struct func_table func_table_cast_local = {func_cast_local_rows,
                                                 DN_ARRAY_SIZE(func_cast_local_rows)};

/* ---- now ---- */

static int64_t zone_now(const struct func_ctx *ctx)
{
    return civil_floor(ctx->now_ns, 1000);
}

ZONED_EACH(func_current_date, int32_t, zone_to_date(&z, zone_now(ctx), &to[i], err))
ZONED_EACH(func_current_time, int64_t, zone_to_time(&z, zone_now(ctx), &to[i], err))
ZONED_EACH(func_local_stamp, int64_t, zoned_local(&z, zone_now(ctx), &to[i], err))

/* The same with that many digits behind the point of the seconds. */
static int
zone_digits(const struct vec *args, uint32_t i, int64_t us, int64_t *ret, struct dn_err *err)
{
    int64_t digits = vec_i64(&args[0], i);
    int64_t unit = 1;

    if (digits < 0)
        return DN_FAIL(err, DN_E_INVALID_PARAM, "a precision of %lld digits", (long long)digits);
    for (; digits < 6; digits++)
        unit *= 10;
    *ret = civil_floor(us + unit / 2, unit) * unit;
    return 0;
}

ZONED_EACH(func_current_time_in,
           int64_t,
           (rc = zone_to_time(&z, zone_now(ctx), &to[i], err)) < 0
               ? rc
               : zone_digits(args, i, to[i], &to[i], err))
ZONED_EACH(func_local_stamp_in,
           int64_t,
           (rc = zoned_local(&z, zone_now(ctx), &to[i], err)) < 0
               ? rc
               : zone_digits(args, i, to[i], &to[i], err))
FUNC_EACH(func_current_tz_in, int64_t, zone_digits(args, i, zone_now(ctx), &to[i], err))

#define ZONE_AT(from, to, fn, text, sample)                                                     \
    {                                                                                           \
        .name = "timezone", .args = {TYPE_VARCHAR, TYPE_##from}, .args_count = 2,               \
        .result = TYPE_##to, .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample \
    }
#define ZONE_AT_IV(from, to, fn, text, sample)                                                  \
    {                                                                                           \
        .name = "timezone", .args = {TYPE_INTERVAL, TYPE_##from}, .args_count = 2,              \
        .result = TYPE_##to, .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample \
    }
#define ZONE_NOW(fname, r, fn, text)                                                        \
    {                                                                                       \
        .name = fname, .result = TYPE_##r, .flags = FUNC_STRICT | FUNC_STABLE | FUNC_CLOCK, \
        .kernel = fn, .doc = text                                                           \
    }
#define ZONE_NOW_IN(fname, r, fn)                                                   \
    {                                                                               \
        .name = fname, .args = {TYPE_INTEGER}, .args_count = 1, .result = TYPE_##r, \
        .flags = FUNC_STRICT | FUNC_STABLE | FUNC_CLOCK, .kernel = fn,              \
        .doc = "The same, rounded to that many digits of a second."                 \
    }
#define ZONE_SHOW_DOC                                                                          \
    "What clocks of the zone show at that instant, as a time stamp without a zone; t AT TIME " \
    "ZONE z "                                                                                  \
    "is the same. "                                                                            \
    "The zone is a name (Europe/Berlin), an abbreviation (CEST), a POSIX string or an interval."
#define ZONE_FIND_DOC                                                                        \
    "The instant at which clocks of the zone show that time; t AT TIME ZONE z is the same. " \
    "What they skip counts from before the change, what they show twice is the second time."

static const struct func func_zone_rows[] = {
    ZONE_AT(TIMESTAMPTZ,
            TIMESTAMP_LOCAL,
            func_zone_show,
            ZONE_SHOW_DOC,
            "timezone('CEST', TIMESTAMPTZ '2015-06-01 08:00+00') = 2015-06-01 10:00:00"),
    ZONE_AT(TIMESTAMP_US,
            TIMESTAMPTZ,
            func_zone_find,
            ZONE_FIND_DOC,
            "timezone('CEST', TIMESTAMP(6) '2015-06-01 10:00') = 2015-06-01 08:00:00+00"),
    ZONE_AT(TIMESTAMP_NS,
            TIMESTAMPTZ,
            func_zone_find,
            ZONE_FIND_DOC,
            "timezone('CEST', TIMESTAMP(9) '2015-06-01 10:00') = 2015-06-01 08:00:00+00"),
    ZONE_AT(DATE,
            TIMESTAMP_LOCAL,
            func_zone_show,
            ZONE_SHOW_DOC,
            "timezone('CEST', DATE '2015-06-01') = 2015-06-01 02:00:00"),
    ZONE_AT(TIMESTAMP_LOCAL,
            TIMESTAMPTZ,
            func_zone_find,
            ZONE_FIND_DOC,
            "timezone('CEST', TIMESTAMPTZ '2015-06-01 10:00' AT TIME ZONE 'UTC') = 2015-06-01 "
            "08:00:00+00"),
    ZONE_AT_IV(TIMESTAMPTZ,
               TIMESTAMP_LOCAL,
               func_zone_show,
               ZONE_SHOW_DOC,
               "timezone(INTERVAL '-5h', TIMESTAMPTZ '2015-06-01 08:00+00') = "
               "2015-06-01 03:00:00"),
    ZONE_AT_IV(TIMESTAMP_US,
               TIMESTAMPTZ,
               func_zone_find,
               ZONE_FIND_DOC,
               "timezone(INTERVAL '-5h', TIMESTAMP(6) '2015-06-01 10:00') = 2015-06-01 "
               "15:00:00+00"),
    ZONE_AT_IV(TIMESTAMP_NS,
               TIMESTAMPTZ,
               func_zone_find,
               ZONE_FIND_DOC,
               "timezone(INTERVAL '-5h', TIMESTAMP(9) '2015-06-01 10:00') = 2015-06-01 "
               "15:00:00+00"),
    ZONE_AT_IV(DATE,
               TIMESTAMP_LOCAL,
               func_zone_show,
               ZONE_SHOW_DOC,
               "timezone(INTERVAL '-5h', DATE '2015-06-01') = 2015-05-31 19:00:00"),
    ZONE_AT_IV(TIMESTAMP_LOCAL,
               TIMESTAMPTZ,
               func_zone_find,
               ZONE_FIND_DOC,
               "timezone(INTERVAL '-5h', TIMESTAMPTZ '2015-06-01 10:00' AT TIME ZONE 'UTC') = "
               "2015-06-01 15:00:00+00"),
    {.name = "date_trunc",
     .args = {TYPE_VARCHAR, TYPE_TIMESTAMPTZ},
     .args_count = 2,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT,
     .kernel = func_trunc_zone,
     .doc = "The same by the clocks of the session's zone.",
     .example = "date_trunc('day', TIMESTAMPTZ '2015-06-01 09:47+02') = 2015-06-01 00:00:00+00"},
    {.name = "date_trunc",
     .args = {TYPE_VARCHAR, TYPE_TIMESTAMPTZ, TYPE_VARCHAR},
     .args_count = 3,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT,
     .kernel = func_trunc_zone,
     .doc = "The same by the clocks of that zone.",
     .example =
         "date_trunc('day', TIMESTAMPTZ '2015-06-01 09:47+00', 'CEST') = 2015-05-31 22:00:00+00"},
    ZONE_NOW("current_date", DATE, func_current_date, "The day on which the transaction began."),
    ZONE_NOW("localtime", TIME, func_current_time, "The time of day of current_timestamp."),
    ZONE_NOW("localtimestamp",
             TIMESTAMP_LOCAL,
             func_local_stamp,
             "What clocks of the session's zone show at current_timestamp."),
    ZONE_NOW_IN("localtime", TIME, func_current_time_in),
    ZONE_NOW_IN("localtimestamp", TIMESTAMP_LOCAL, func_local_stamp_in),
    ZONE_NOW_IN("current_timestamp", TIMESTAMPTZ, func_current_tz_in),
};

const struct func_table func_table_zone = {func_zone_rows, DN_ARRAY_SIZE(func_zone_rows)};

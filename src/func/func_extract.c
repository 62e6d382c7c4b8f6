/* SPDX-License-Identifier: Apache-2.0
 *
 * func_extract.c: parts of time stamps, dates, times and intervals, intervals cut to a part, and
 * time stamps made of numbers. extract(hour FROM t) arrives here as extract('hour', t). */
#include "base/civil.h"
#include "func/bucket_int.h"
#include "func/func_int.h"
#include "func/num.h"
#include "func/zoned.h"
#include "vec/timetz.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define EXTRACT_US_SECOND 1000000
#define EXTRACT_JULIAN    2440588 /* Julian day of 1970-01-01 */

enum extract_field {
    EXTRACT_MICROSECONDS,
    EXTRACT_MILLISECONDS,
    EXTRACT_SECOND,
    EXTRACT_MINUTE,
    EXTRACT_HOUR,
    EXTRACT_DAY,
    EXTRACT_WEEK,
    EXTRACT_MONTH,
    EXTRACT_QUARTER,
    EXTRACT_YEAR,
    EXTRACT_ISOYEAR,
    EXTRACT_DECADE,
    EXTRACT_CENTURY,
    EXTRACT_MILLENNIUM,
    EXTRACT_DOW,
    EXTRACT_ISODOW,
    EXTRACT_DOY,
    EXTRACT_EPOCH,
    EXTRACT_JULIAN_DAY,
    EXTRACT_TIMEZONE,
    EXTRACT_TIMEZONE_HOUR,
    EXTRACT_TIMEZONE_MINUTE,
};

/* The first of each field is its name. */
static const struct {
    const char *word;
    enum extract_field field;
} extract_words[] = {
    {"microsecond", EXTRACT_MICROSECONDS},
    {"microseconds", EXTRACT_MICROSECONDS},
    {"us", EXTRACT_MICROSECONDS},
    {"usec", EXTRACT_MICROSECONDS},
    {"usecs", EXTRACT_MICROSECONDS},
    {"millisecond", EXTRACT_MILLISECONDS},
    {"milliseconds", EXTRACT_MILLISECONDS},
    {"ms", EXTRACT_MILLISECONDS},
    {"msec", EXTRACT_MILLISECONDS},
    {"msecs", EXTRACT_MILLISECONDS},
    {"second", EXTRACT_SECOND},
    {"seconds", EXTRACT_SECOND},
    {"sec", EXTRACT_SECOND},
    {"secs", EXTRACT_SECOND},
    {"s", EXTRACT_SECOND},
    {"minute", EXTRACT_MINUTE},
    {"minutes", EXTRACT_MINUTE},
    {"min", EXTRACT_MINUTE},
    {"mins", EXTRACT_MINUTE},
    {"m", EXTRACT_MINUTE},
    {"hour", EXTRACT_HOUR},
    {"hours", EXTRACT_HOUR},
    {"hr", EXTRACT_HOUR},
    {"hrs", EXTRACT_HOUR},
    {"h", EXTRACT_HOUR},
    {"day", EXTRACT_DAY},
    {"days", EXTRACT_DAY},
    {"d", EXTRACT_DAY},
    {"week", EXTRACT_WEEK},
    {"weeks", EXTRACT_WEEK},
    {"w", EXTRACT_WEEK},
    {"month", EXTRACT_MONTH},
    {"months", EXTRACT_MONTH},
    {"mon", EXTRACT_MONTH},
    {"mons", EXTRACT_MONTH},
    {"quarter", EXTRACT_QUARTER},
    {"qtr", EXTRACT_QUARTER},
    {"year", EXTRACT_YEAR},
    {"years", EXTRACT_YEAR},
    {"yr", EXTRACT_YEAR},
    {"yrs", EXTRACT_YEAR},
    {"y", EXTRACT_YEAR},
    {"isoyear", EXTRACT_ISOYEAR},
    {"decade", EXTRACT_DECADE},
    {"decades", EXTRACT_DECADE},
    {"dec", EXTRACT_DECADE},
    {"decs", EXTRACT_DECADE},
    {"century", EXTRACT_CENTURY},
    {"centuries", EXTRACT_CENTURY},
    {"cent", EXTRACT_CENTURY},
    {"c", EXTRACT_CENTURY},
    {"millennium", EXTRACT_MILLENNIUM},
    {"millennia", EXTRACT_MILLENNIUM},
    {"mil", EXTRACT_MILLENNIUM},
    {"mils", EXTRACT_MILLENNIUM},
    {"dow", EXTRACT_DOW},
    {"isodow", EXTRACT_ISODOW},
    {"doy", EXTRACT_DOY},
    {"epoch", EXTRACT_EPOCH},
    {"julian", EXTRACT_JULIAN_DAY},
    {"timezone", EXTRACT_TIMEZONE},
    {"timezone_hour", EXTRACT_TIMEZONE_HOUR},
    {"timezone_minute", EXTRACT_TIMEZONE_MINUTE},
};

static int
extract_fail(int code, struct vstr word, const char *why, enum type_id type, struct dn_err *err)
{
    return DN_FAIL(err,
                   code,
                   "unit \"%.*s\" not %s for type %s",
                   word.len > 60 ? 60 : (int)word.len,
                   word.ptr,
                   why,
                   type_word(type));
}

static int
extract_find(struct vstr word, enum type_id type, enum extract_field *ret, struct dn_err *err)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(extract_words); i++)
        if (strlen(extract_words[i].word) == word.len &&
            strncasecmp(extract_words[i].word, word.ptr, word.len) == 0) {
            *ret = extract_words[i].field;
            return 0;
        }
    return extract_fail(DN_E_INVALID_PARAM, word, "recognized", type, err);
}

const char *func_unit_name(struct vstr word)
{
    enum extract_field field = EXTRACT_EPOCH;
    struct dn_err none;

    if (extract_find(word, TYPE_INTERVAL, &field, &none) < 0)
        return NULL;
    for (size_t i = 0;; i++)
        if (extract_words[i].field == field)
            return extract_words[i].word;
}

/* Monday is 0. */
static int64_t extract_weekday(int64_t days)
{
    return civil_mod(days + 3, 7);
}

/* The Thursday of a week says to which year it belongs. */
static struct civil extract_thursday(int64_t days, int64_t *ret_days)
{
    *ret_days = days - extract_weekday(days) + 3;
    return civil_from_days(*ret_days);
}

/* Counted from 1, there is none before: 2000 is the 20th century, 2001 the 21st. */
static int64_t extract_ordinal(int64_t year, int64_t years)
{
    return year > 0 ? (year + years - 1) / years : -((years - year) / years);
}

/* 1 is after -1, which is 1 BC. */
static int64_t extract_year(int64_t year)
{
    return year > 0 ? year : year - 1;
}

static int64_t extract_date(enum extract_field field, int64_t days)
{
    struct civil c = civil_from_days(days);
    int64_t thursday;

    switch (field) {
    case EXTRACT_DAY:
        return c.day;
    case EXTRACT_WEEK:
        c = extract_thursday(days, &thursday);
        return (thursday - civil_to_days(c.year, 1, 1)) / 7 + 1;
    case EXTRACT_MONTH:
        return c.month;
    case EXTRACT_QUARTER:
        return (c.month - 1) / 3 + 1;
    case EXTRACT_YEAR:
        return extract_year(c.year);
    case EXTRACT_ISOYEAR:
        return extract_year(extract_thursday(days, &thursday).year);
    case EXTRACT_DECADE:
        return civil_floor(c.year, 10);
    case EXTRACT_CENTURY:
        return extract_ordinal(c.year, 100);
    case EXTRACT_MILLENNIUM:
        return extract_ordinal(c.year, 1000);
    case EXTRACT_DOW:
        return (extract_weekday(days) + 1) % 7;
    case EXTRACT_ISODOW:
        return extract_weekday(days) + 1;
    case EXTRACT_DOY:
        return days - civil_to_days(c.year, 1, 1) + 1;
    case EXTRACT_EPOCH:
        return days * CIVIL_DAY_SECONDS;
    case EXTRACT_JULIAN_DAY:
        return days + EXTRACT_JULIAN;
    case EXTRACT_MICROSECONDS:
    case EXTRACT_MILLISECONDS:
    case EXTRACT_SECOND:
    case EXTRACT_MINUTE:
    case EXTRACT_HOUR:
    case EXTRACT_TIMEZONE:
    case EXTRACT_TIMEZONE_HOUR:
    case EXTRACT_TIMEZONE_MINUTE:
        break;
    }
    return 0;
}

/* units of 10^-have, with `want` digits after the point, more if it has more. */
static struct vnumeric extract_scaled(int64_t units, int have, int want)
{
    int up = want > have ? want - have : 0;

    return vnumeric_make((vnumeric_i128)units * (vnumeric_i128)vnumeric_tens[up], have + up);
}

/* Digits after the point of a second in units, of which it has `per`. */
static int extract_digits(int64_t per)
{
    return per == 1000 ? 3 : per == EXTRACT_US_SECOND ? 6 : 9;
}

/* rest: units since the start of the day (or of an interval's clock, and then of any sign). */
static struct vnumeric extract_clock(enum extract_field field, int64_t rest, int64_t per)
{
    int64_t minute = 60 * per;
    int digits = extract_digits(per);

    if (field == EXTRACT_EPOCH)
        return extract_scaled(rest, digits, 6);
    if (field == EXTRACT_HOUR)
        return num_from_i64(rest / (60 * minute));
    if (field == EXTRACT_MINUTE)
        return num_from_i64(rest / minute % 60);
    rest %= minute;
    if (field == EXTRACT_MICROSECONDS)
        return extract_scaled(rest, digits - 6, 0);
    if (field == EXTRACT_MILLISECONDS)
        return extract_scaled(rest, digits - 3, 3);
    return extract_scaled(rest, digits, 6);
}

static int extract_ts(
    enum extract_field field, int64_t t, int64_t per, struct vnumeric *ret, struct dn_err *err)
{
    int64_t day_units = CIVIL_DAY_SECONDS * per;
    int64_t days = civil_floor(t, day_units);
    int64_t rest = civil_mod(t, day_units);
    int rc = 0;

    if (field == EXTRACT_EPOCH) {
        *ret = extract_clock(field, t, per);
    } else if (field <= EXTRACT_HOUR) {
        *ret = extract_clock(field, rest, per);
    } else if (field == EXTRACT_JULIAN_DAY) {
        int64_t up = per == 1000 ? 1000 : 1; /* the digits are those of microseconds at least */

        rc = num_div(num_from_i64(rest * up), num_from_i64(day_units * up), ret, err);
        if (rc == 0)
            rc = num_add(num_from_i64(days + EXTRACT_JULIAN), *ret, ret, err);
    } else {
        *ret = num_from_i64(extract_date(field, days));
    }
    return rc;
}

static int extract_interval(enum extract_field field,
                            struct vstr word,
                            struct vinterval v,
                            struct vnumeric *ret,
                            struct dn_err *err)
{
    int32_t years = v.months / 12;
    int32_t months = v.months % 12;
    int64_t days;

    switch (field) {
    case EXTRACT_MICROSECONDS:
    case EXTRACT_MILLISECONDS:
    case EXTRACT_SECOND:
    case EXTRACT_MINUTE:
    case EXTRACT_HOUR:
        *ret = extract_clock(field, v.us, EXTRACT_US_SECOND);
        return 0;
    case EXTRACT_DAY:
        *ret = num_from_i64(v.days);
        return 0;
    case EXTRACT_MONTH:
        *ret = num_from_i64(months);
        return 0;
    case EXTRACT_QUARTER:
        *ret = num_from_i64(months / 3 + 1);
        return 0;
    case EXTRACT_YEAR:
        *ret = num_from_i64(years);
        return 0;
    case EXTRACT_DECADE:
        *ret = num_from_i64(years / 10);
        return 0;
    case EXTRACT_CENTURY:
        *ret = num_from_i64(years / 100);
        return 0;
    case EXTRACT_MILLENNIUM:
        *ret = num_from_i64(years / 1000);
        return 0;
    case EXTRACT_EPOCH: /* a year is 365.25 days, a month 30 */
        days = (int64_t)1461 * years + (int64_t)120 * months + (int64_t)4 * v.days; /* quarters */
        *ret = vnumeric_make(
            (vnumeric_i128)days * (CIVIL_DAY_SECONDS / 4) * EXTRACT_US_SECOND + v.us, 6);
        return 0;
    case EXTRACT_WEEK:
    case EXTRACT_ISOYEAR:
    case EXTRACT_DOW:
    case EXTRACT_ISODOW:
    case EXTRACT_DOY:
    case EXTRACT_JULIAN_DAY:
    case EXTRACT_TIMEZONE:
    case EXTRACT_TIMEZONE_HOUR:
    case EXTRACT_TIMEZONE_MINUTE:
        break;
    }
    return extract_fail(DN_E_UNSUPPORTED, word, "supported", TYPE_INTERVAL, err);
}

/* Has a time of day, or a day, such a part? */
static bool extract_in_time(enum extract_field field)
{
    return field <= EXTRACT_HOUR || field == EXTRACT_EPOCH;
}

static bool extract_in_date(enum extract_field field)
{
    return field >= EXTRACT_DAY && field < EXTRACT_TIMEZONE;
}

/* 1: what is infinite has no such part. */
static int extract_infinite(enum extract_field field, bool positive, struct vnumeric *ret)
{
    *ret = vnumeric_inf(!positive);
    return field == EXTRACT_EPOCH || field == EXTRACT_JULIAN_DAY ||
                   (field >= EXTRACT_YEAR && field <= EXTRACT_MILLENNIUM)
               ? 0
               : 1;
}

/* Of how many seconds a clock is ahead of UTC. */
static struct vnumeric extract_offset(enum extract_field field, int32_t offset)
{
    return num_from_i64(field == EXTRACT_TIMEZONE        ? offset
                        : field == EXTRACT_TIMEZONE_HOUR ? offset / 3600
                                                         : offset / 60 % 60);
}

/* Of an instant as clocks of the zone show it. 1: there is none, it is infinite. */
static int extract_zoned(
    enum extract_field field, struct zoned *z, int64_t t, struct vnumeric *ret, struct dn_err *err)
{
    int64_t local = 0;
    int32_t offset;
    int rc;

    if (zoned_infinite(t))
        return extract_infinite(field, t > 0, ret);
    if (field == EXTRACT_EPOCH)
        return extract_ts(field, t, EXTRACT_US_SECOND, ret, err);
    offset = zoned_offset(z, t);
    if (field >= EXTRACT_TIMEZONE) {
        *ret = extract_offset(field, offset);
        return 0;
    }
    rc = zoned_local(z, t, &local, err);
    return rc < 0 ? rc : extract_ts(field, local, EXTRACT_US_SECOND, ret, err);
}

int func_ret_null(const struct func_ctx *ctx, struct vec *ret, uint32_t row, struct dn_err *err)
{
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(ret->count), sizeof *nulls);

    if (!nulls)
        return DN_FAIL_NOMEM(err);
    if (ret->nulls)
        memcpy(nulls, ret->nulls, VEC_BITMAP_WORDS(ret->count) * sizeof *nulls);
    vec_bit_set(nulls, row);
    ret->nulls = nulls;
    return 0;
}

/* Field of row i of any type; 1: NULL. */
static int extract_row(enum extract_field field,
                       struct vstr word,
                       struct zoned *z,
                       const struct vec *v,
                       uint32_t i,
                       struct vnumeric *ret,
                       struct dn_err *err)
{
    enum type_id type = v->type;
    int64_t t;

    if (type == TYPE_INTERVAL)
        return extract_interval(field, word, func_iv(v, i), ret, err);
    t = vec_i64(v, i);
    if (type == TYPE_TIMESTAMPTZ)
        return extract_zoned(field, z, t, ret, err);
    if (type == TYPE_TIMETZ && field >= EXTRACT_TIMEZONE) {
        *ret = extract_offset(field, -timetz_west(t));
        return 0;
    }
    if (((type == TYPE_TIME || type == TYPE_TIMETZ) && !extract_in_time(field)) ||
        (type == TYPE_TIMESTAMP_LOCAL && field >= EXTRACT_TIMEZONE) ||
        (type == TYPE_DATE && !extract_in_date(field)))
        return extract_fail(DN_E_UNSUPPORTED, word, "supported", type, err);
    if (type == TYPE_TIMETZ)
        t = field == EXTRACT_EPOCH ? timetz_utc_us(t) : timetz_clock_us(t);
    if (type == TYPE_TIME || type == TYPE_TIMETZ) {
        *ret = extract_clock(field, t, EXTRACT_US_SECOND);
        return 0;
    }
    if (type == TYPE_DATE ? t == INT32_MAX || t == INT32_MIN : zoned_infinite(t))
        return extract_infinite(field, t > 0, ret);
    if (type == TYPE_DATE) {
        *ret = num_from_i64(extract_date(field, t));
        return 0;
    }
    return extract_ts(field, t, type_ts_per_second(type), ret, err);
}

/* to: NUMERIC or, if that is NULL, doubles. */
static int extract_rows(const struct func_ctx *ctx,
                        const struct vec *args,
                        struct vnumeric *to,
                        double *to_double,
                        struct vec *ret,
                        struct dn_err *err)
{
    enum extract_field field = EXTRACT_EPOCH;
    struct zoned z = zoned_make(zoned_session(ctx));
    bool known = false;

    for (uint32_t i = 0; i < ret->count; i++) {
        struct vnumeric part = num_from_i64(0);
        struct vstr word;
        int rc = 0;

        if (!vec_is_null(ret, i)) {
            word = vec_str(&args[0], i);
            if (!known || args[0].form != VEC_CONST)
                rc = extract_find(word, args[1].type, &field, err);
            known = true;
            if (rc == 0)
                rc = extract_row(field, word, &z, &args[1], i, &part, err);
            if (rc == 1)
                rc = func_ret_null(ctx, ret, i, err);
        }
        if (rc < 0)
            return rc;
        if (to)
            to[i] = part;
        else
            to_double[i] = num_to_f64(part);
    }
    return 0;
}

static int func_extract(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count DN_UNUSED,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    struct vnumeric *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    return to ? extract_rows(ctx, args, to, NULL, ret, err) : DN_E_NOMEM;
}

static int func_date_part(const struct func_ctx *ctx,
                          const struct vec *args,
                          uint32_t args_count DN_UNUSED,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    double *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    return to ? extract_rows(ctx, args, NULL, to, ret, err) : DN_E_NOMEM;
}

/* ---- intervals cut ---- */

/* What is smaller than the unit becomes 0; of years those that do not fill it. */
static int
extract_trunc(struct vstr word, struct vinterval v, struct vinterval *ret, struct dn_err *err)
{
    static const int64_t us[] = {
        [EXTRACT_MICROSECONDS] = 1,
        [EXTRACT_MILLISECONDS] = 1000,
        [EXTRACT_SECOND] = EXTRACT_US_SECOND,
        [EXTRACT_MINUTE] = (int64_t)60 * EXTRACT_US_SECOND,
        [EXTRACT_HOUR] = (int64_t)3600 * EXTRACT_US_SECOND,
        [EXTRACT_DAY] = 0,
    };
    static const int32_t months[] = {
        [EXTRACT_MONTH] = 1,
        [EXTRACT_QUARTER] = 3,
        [EXTRACT_YEAR] = 12,
        [EXTRACT_DECADE] = 120,
        [EXTRACT_CENTURY] = 1200,
        [EXTRACT_MILLENNIUM] = 12000,
    };
    enum extract_field field = EXTRACT_EPOCH;
    int rc = extract_find(word, TYPE_INTERVAL, &field, err);

    *ret = v;
    if (rc < 0)
        return rc;
    if (field <= EXTRACT_DAY) {
        ret->us = us[field] ? v.us - v.us % us[field] : 0;
    } else if (field <= EXTRACT_MILLENNIUM && months[field]) {
        *ret = (struct vinterval){.months = v.months - v.months % months[field]};
    } else {
        rc = extract_fail(DN_E_UNSUPPORTED, word, "supported", TYPE_INTERVAL, err);
        if (field == EXTRACT_WEEK)
            dn_err_hint(err, "Months usually have fractional weeks.");
    }
    return rc;
}

FUNC_EACH(func_trunc_interval,
          struct vinterval,
          extract_trunc(vec_str(&args[0], i), func_iv(&args[1], i), &to[i], err))

#define EXTRACT_DOC                                                                              \
    "A part of a time: microseconds, milliseconds, second, minute, hour, day, week, month, "     \
    "quarter, year, isoyear, decade, century, millennium, dow (Sunday is 0), isodow, doy, "      \
    "julian, epoch (seconds), timezone (seconds), timezone_hour, timezone_minute. extract(hour " \
    "FROM t) is the same. A NUMERIC with six digits for second and epoch, three for milliseconds."
#define EXTRACT_ROW(t, sample)                                                                    \
    {                                                                                             \
        .name = "extract", .args = {TYPE_VARCHAR, TYPE_##t}, .args_count = 2,                     \
        .result = TYPE_NUMERIC, .flags = FUNC_STRICT, .kernel = func_extract, .doc = EXTRACT_DOC, \
        .example = sample                                                                         \
    }
#define DATE_PART_ROW(t, sample)                                                \
    {                                                                           \
        .name = "date_part", .args = {TYPE_VARCHAR, TYPE_##t}, .args_count = 2, \
        .result = TYPE_DOUBLE, .flags = FUNC_STRICT, .kernel = func_date_part,  \
        .doc = "The same as extract, as a DOUBLE.", .example = sample           \
    }
#define EXTRACT_TYPE(t, sql)                                     \
    EXTRACT_ROW(t, "extract('doy', " sql " '2015-02-01') = 32"), \
        DATE_PART_ROW(t, "date_part('hour', " sql " '2015-06-01T09:47') = 9")

static const struct func func_extract_rows[] = {
    EXTRACT_TYPE(TIMESTAMP, "TIMESTAMP"),
    EXTRACT_TYPE(TIMESTAMP_US, "TIMESTAMP(6)"),
    EXTRACT_TYPE(TIMESTAMP_NS, "TIMESTAMP(9)"),
    EXTRACT_TYPE(TIMESTAMPTZ, "TIMESTAMPTZ"),
    EXTRACT_ROW(TIMESTAMP_LOCAL,
                "extract('doy', TIMESTAMPTZ '2015-02-01' AT TIME ZONE 'UTC') = 32"),
    DATE_PART_ROW(TIMESTAMP_LOCAL,
                  "date_part('hour', TIMESTAMPTZ '2015-06-01T09:47' AT TIME ZONE 'UTC') = 9"),
    EXTRACT_ROW(INTERVAL, "extract('hour', INTERVAL '1 day 02:03') = 2"),
    DATE_PART_ROW(INTERVAL, "date_part('epoch', INTERVAL '00:01:30') = 90"),
    EXTRACT_ROW(DATE, "extract('year', DATE '2015-06-01') = 2015"),
    EXTRACT_ROW(TIME, "extract('second', TIME '04:05:06.5') = 6.500000"),
    EXTRACT_ROW(TIMETZ, "extract('timezone_hour', TIMETZ '04:05:06.5+02') = 2"),
    DATE_PART_ROW(TIMETZ, "date_part('epoch', TIMETZ '04:00+02') = 7200"),
    DATE_PART_ROW(TIME, "date_part('second', TIME '04:05:06.5') = 6.5"),
    {.name = "date_trunc",
     .args = {TYPE_VARCHAR, TYPE_INTERVAL},
     .args_count = 2,
     .result = TYPE_INTERVAL,
     .flags = FUNC_STRICT,
     .kernel = func_trunc_interval,
     .doc = "The interval without what is smaller than the unit.",
     .example = "date_trunc('hour', INTERVAL '2 days 03:45:50') = 2 days 03:00:00"},
};

const struct func_table func_table_extract = {func_extract_rows, DN_ARRAY_SIZE(func_extract_rows)};

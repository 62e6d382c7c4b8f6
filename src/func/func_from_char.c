/* SPDX-License-Identifier: Apache-2.0
 *
 * func_from_char.c: texts by a template to dates and times, as PostgreSQL has it. Spaces and
 * separators of the text are passed over generously unless the template says FX. */
#include "base/civil.h"
#include "func/from_char.h"
#include "func/zoned.h"

/* ---- templates ---- */

static bool read_is_digits(enum tmpl_word w)
{
    switch (w) {
    case TMPL_AM:
    case TMPL_AM_DOTS:
    case TMPL_AD:
    case TMPL_AD_DOTS:
    case TMPL_MONTH:
    case TMPL_MON:
    case TMPL_RM:
    case TMPL_DAY:
    case TMPL_DY:
    case TMPL_TZ:
    case TMPL_TZH:
    case TMPL_OF:
        return false;
    default: /* all else is numbers */
        return true;
    }
}

/* May a digit follow what ends at `at` of the template? */
static bool read_number_next(const struct read_in *r, uint32_t at)
{
    const struct tmpl_name *n;

    if (tmpl_starts(r->tmpl, at, "TH"))
        return false;
    while (tmpl_starts(r->tmpl, at, "FM") || tmpl_starts(r->tmpl, at, "TM") ||
           tmpl_starts(r->tmpl, at, "FX"))
        at += 2;
    if (at >= r->tmpl.len)
        return false;
    n = tmpl_find(r->tmpl, at);
    return n ? read_is_digits(n->word) : text_is_digit(r->tmpl.ptr[at]);
}

static void read_spaces(struct read_in *r)
{
    while (r->at < r->in.len && text_is_space(read_ahead(r))) {
        r->at++;
        r->extra++;
    }
}

/* Something of the template that is no word. */
static void read_other(struct read_in *r, char c, bool quoted)
{
    if (!quoted && (text_is_space(c) || read_separator(c)) && !r->exact) {
        r->extra--;
        if (text_is_space(read_ahead(r)) || read_separator(read_ahead(r))) {
            r->at++;
            r->extra++;
        }
    } else if (!r->exact && !(text_is_space(c) || read_separator(c)) && r->extra > 0) {
        r->extra--;
    } else {
        r->at += str_char_len(r->in, r->at);
    }
}

static int read_named(struct read_in *r, const struct tmpl_name *n, uint32_t *at)
{
    int rc;

    if (!r->exact)
        read_spaces(r);
    r->word = r->tmpl.ptr + *at;
    r->word_len = (uint32_t)strlen(n->name);
    *at += r->word_len;
    r->number_next = read_number_next(r, *at);
    rc = func_read_field(r, n);
    if (tmpl_starts(r->tmpl, *at, "TH")) {
        *at += 2;
        r->at += rc == 0 && r->in.len - r->at >= 2 ? 2 : 0;
    }
    if (!r->exact) {
        r->extra = 0;
        read_spaces(r);
    }
    r->fill = false;
    return rc;
}

static int read_run(struct read_in *r)
{
    bool quoted = false;
    uint64_t steps = 0;
    int rc = 0;

    if (!tmpl_starts(r->tmpl, 0, "FX"))
        read_spaces(r);
    for (uint32_t at = 0; at < r->tmpl.len && r->at < r->in.len && rc == 0;) {
        const struct tmpl_name *n = quoted ? NULL : tmpl_find(r->tmpl, at);
        char c = r->tmpl.ptr[at];

        if (!quoted && (tmpl_starts(r->tmpl, at, "FM") || tmpl_starts(r->tmpl, at, "FX") ||
                        tmpl_starts(r->tmpl, at, "TM"))) {
            r->fill |= tmpl_up(c) == 'F' && tmpl_up(r->tmpl.ptr[at + 1]) == 'M';
            r->exact |= tmpl_up(r->tmpl.ptr[at + 1]) == 'X';
            at += 2;
        } else if (n) {
            rc = read_named(r, n, &at);
        } else if (c == '"') {
            quoted = !quoted;
            at++;
        } else {
            at += c == '\\' && at + 1 < r->tmpl.len;
            read_other(r, r->tmpl.ptr[at], quoted);
            at += str_char_len(r->tmpl, at);
        }
        if (rc == 0)
            rc = str_steps(r->c, TMPL_STEPS, &steps);
    }
    return rc;
}

/* ---- what it means ---- */

static int read_out_of_range(const struct read_in *r)
{
    return DN_FAIL(r->c->err,
                   DN_E_DATETIME_RANGE,
                   "date/time field value out of range: \"%.*s\"",
                   text_quote_len(r->in),
                   r->in.ptr);
}

static int read_time_of_day(struct read_in *r, int64_t *ret)
{
    if (r->day_seconds) {
        r->hour = r->day_seconds / 3600;
        r->minute = r->day_seconds / 60 % 60;
        r->second = r->day_seconds % 60;
    }
    if (r->twelve) {
        if (r->hour < 1 || r->hour > 12) {
            int rc = DN_FAIL(r->c->err,
                             DN_E_BAD_DATETIME,
                             "hour \"%d\" is invalid for the 12-hour clock",
                             (int)r->hour);

            dn_err_hint(r->c->err, "Use the 24-hour clock, or give an hour between 1 and 12.");
            return rc;
        }
        r->hour = r->hour % 12 + (r->pm ? 12 : 0);
    }
    if (r->hour < 0 || r->hour > 23 || r->minute < 0 || r->minute > 59 || r->second < 0 ||
        r->second > 59)
        return read_out_of_range(r);
    if (r->fraction) {
        int64_t unit = 1;

        for (int i = r->fraction; i < 6; i++)
            unit *= 10;
        r->us = (r->us + unit / 2) / unit * unit;
    }
    *ret = ((r->hour * 60 + r->minute) * 60 + r->second) * ZONED_US + r->ms * 1000 + r->us;
    return 0;
}

/* The year of the calendar that has a year 0. */
static int64_t read_year_of(struct read_in *r)
{
    int64_t c = r->bc ? -r->century : r->century;
    int64_t y = r->bc ? -r->year : r->year;

    if (r->year && r->century && r->year_digits <= 2) {
        y = r->year % 100;
        if (y)
            return c >= 0 ? (c - 1) * 100 + y : (c + 1) * 100 - y + 1;
        return c * 100 + (c >= 0 ? 0 : 1);
    }
    if (r->year)
        return y < 0 ? y + 1 : y;
    if (r->century)
        return c >= 0 ? (c - 1) * 100 + 1 : c * 100 + 1;
    return 0;
}

/* The Monday of week 1 of a year. */
static int64_t read_first_monday(int64_t year)
{
    int64_t fourth = civil_to_days(year, 1, 4);

    return fourth - civil_mod(fourth + 3, 7);
}

static int read_days(struct read_in *r, int64_t *ret)
{
    int64_t year = read_year_of(r);
    bool iso = r->calendar == READ_ISO;

    if (r->julian) {
        *ret = r->julian - TMPL_JULIAN;
        return 0;
    }
    if (r->week && iso) {
        if (r->week < 1)
            return read_out_of_range(r);
        *ret = read_first_monday(year) + (r->week - 1) * 7 +
               (r->week_day ? civil_mod(r->week_day - 2, 7) : 0);
        return 0;
    }
    if (r->week)
        r->year_day = (r->week - 1) * 7 + 1;
    if (r->month_week)
        r->day = (r->month_week - 1) * 7 + 1;
    if (r->year_day && r->month <= 1 && r->day <= 1) {
        if (year == 0 && !r->bc)
            return DN_FAIL(r->c->err,
                           DN_E_BAD_DATETIME,
                           "cannot calculate day of year without year information");
        if (r->year_day < 1 || r->year_day > (civil_is_leap(year) || iso ? 371 : 365))
            return read_out_of_range(r);
        *ret = (iso ? read_first_monday(year) : civil_to_days(year, 1, 1)) + r->year_day - 1;
        return iso || r->year_day <= 365 + civil_is_leap(year) ? 0 : read_out_of_range(r);
    }
    r->month = r->month ? r->month : 1;
    r->day = r->day ? r->day : 1;
    if (r->month < 1 || r->month > 12 || r->day < 1 || year > 5874897 || year < -4713 ||
        r->day > civil_month_days(year, (int)r->month))
        return read_out_of_range(r);
    *ret = civil_to_days(year, (int)r->month, (int)r->day);
    return 0;
}

/* Days since 1970, of a day that a DATE can be. */
static int read_date(struct read_in *r, int64_t *ret)
{
    int rc = read_days(r, ret);

    if (rc == 0 && !civil_is_date(*ret))
        rc = DN_FAIL(r->c->err,
                     DN_E_DATETIME_RANGE,
                     "date out of range: \"%.*s\"",
                     text_quote_len(r->in),
                     r->in.ptr);
    return rc;
}

static int read_stamp(struct read_in *r, bool date_only, int64_t *ret)
{
    int64_t days = 0;
    int64_t us = 0;
    int64_t local;
    int rc = read_run(r);

    if (rc == 0)
        rc = read_time_of_day(r, &us);
    if (rc == 0)
        rc = read_date(r, &days);
    *ret = days;
    if (rc < 0 || date_only)
        return rc;
    if (__builtin_mul_overflow(days, ZONED_US_DAY, &local) ||
        __builtin_add_overflow(local, us, &local))
        return zoned_fail(r->c->err);
    if (!r->zone_sign)
        return zoned_instant(zoned_session(r->c->ctx), local, ret, r->c->err);
    if (r->zone_hour > 15 || r->zone_minute > 59)
        return read_out_of_range(r);
    if (__builtin_sub_overflow(
            local, r->zone_sign * (r->zone_hour * 60 + r->zone_minute) * 60 * ZONED_US, ret) ||
        zoned_infinite(*ret))
        return zoned_fail(r->c->err);
    return 0;
}

static int read_row(const struct func_ctx *ctx,
                    const struct vec *args,
                    uint32_t row,
                    bool date_only,
                    int64_t *ret,
                    struct dn_err *err)
{
    struct str_call c = {.ctx = ctx, .args = args, .args_count = 2, .row = row, .err = err};
    struct read_in r = {.c = &c, .in = vec_str(&args[0], row), .tmpl = vec_str(&args[1], row)};

    return read_stamp(&r, date_only, ret);
}

static int read_day(const struct func_ctx *ctx,
                    const struct vec *args,
                    uint32_t row,
                    int32_t *ret,
                    struct dn_err *err)
{
    int64_t days = 0;
    int rc = read_row(ctx, args, row, true, &days, err);

    *ret = (int32_t)days;
    return rc;
}

FUNC_EACH(func_to_timestamp_text, int64_t, read_row(ctx, args, i, false, &to[i], err))
FUNC_EACH(func_to_date, int32_t, read_day(ctx, args, i, &to[i], err))

static const struct func func_from_char_rows[] = {
    STR_TO("to_timestamp",
           2,
           TIMESTAMPTZ,
           func_to_timestamp_text,
           "The time that a text is by a template, in the session's zone unless it has TZH.",
           "to_timestamp('05 Dec 2000 16:30', 'DD Mon YYYY HH24:MI') = 2000-12-05 16:30:00+00",
           TYPE_VARCHAR,
           TYPE_VARCHAR),
    STR_TO("to_date",
           2,
           DATE,
           func_to_date,
           "The date that a text is by a template.",
           "to_date('05 Dec 2000', 'DD Mon YYYY') = 2000-12-05",
           TYPE_VARCHAR,
           TYPE_VARCHAR),
};

const struct func_table func_table_from_char = {func_from_char_rows,
                                                DN_ARRAY_SIZE(func_from_char_rows)};

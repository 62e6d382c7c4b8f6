/* SPDX-License-Identifier: Apache-2.0
 *
 * text_loose.c: dates and times as people write them, for what is not ISO 8601 (text_time.c reads
 * that, and first). The text is cut into fields, which may stand in nearly any order:
 *
 *     January 8, 1999    8-Jan-1999    1/8/1999    1999.01.08    19990108    990108    J2451187.5
 *     04:05:06.789    040506    4:05 PM    allballs    +8    -08:00    PST    PST DST Europe/Paris
 *     y1999m01d08h04m05s06.789
 *     BC    AD    Monday    now    today    tomorrow    yesterday    epoch    infinity
 *
 * What a bare number is depends on what has been read before: with a name of a month it is the day
 * and then the year, otherwise month, day, year (or as DateStyle says); three digits or more are a
 * year, so that the month and the day follow. Years of two digits are from 1970 to 2069. */
#include "base/civil.h"
#include "base/text.h"
#include "func/session.h"
#include "func/text_int.h"
#include "func/tz.h"

#include <string.h>
#include <strings.h>

#define LOOSE_NS     1000000000
#define LOOSE_JULIAN 2440588 /* of 1970-01-01 */
#define LOOSE_DIGITS 12      /* 58748971231 is the last day */
#define LOOSE_YEARS  6000000

enum loose_part {
    LOOSE_YEAR = 1,
    LOOSE_MONTH = 2,
    LOOSE_DAY = 4,
    LOOSE_DATE = 7,
    LOOSE_CLOCK = 8,
    LOOSE_ZONE = 16,
    LOOSE_OF_YEAR = 32, /* day is that of the year */
    LOOSE_WHOLE = 64,   /* days is the date */
    LOOSE_HALF = 128,   /* AM or PM */
    LOOSE_ERA = 256,
    LOOSE_TEXT_MONTH = 512,
    LOOSE_SUMMER = 1024, /* DST */
};

struct loose {
    const struct func_session *session; /* NULL: none */
    enum type_id type;                  /* for messages */
    struct vstr whole;
    const char *p;
    const char *end;
    unsigned have; /* enum loose_part */
    int64_t year;
    int64_t month;
    int64_t day;
    int64_t days;    /* LOOSE_WHOLE */
    int64_t seconds; /* of the day */
    int32_t ns;
    bool two;  /* the year has two digits */
    bool bc;   /* counts backwards */
    bool late; /* PM */
    int64_t zone;
    struct vstr word; /* a zone that is to be found */
    bool special;     /* epoch or infinity: */
    struct text_instant meant;
};

static int loose_raise(const struct loose *in, int code, struct dn_err *err)
{
    int n = text_quote_len(in->whole);
    const char *more = (uint32_t)n < in->whole.len ? "…" : "";

    if (code == DN_E_DATETIME_RANGE)
        return DN_FAIL(
            err, code, "date/time field value out of range: \"%.*s%s\"", n, in->whole.ptr, more);
    if (code == DN_E_ZONE_RANGE)
        return DN_FAIL(
            err, code, "time zone displacement out of range: \"%.*s%s\"", n, in->whole.ptr, more);
    return DN_FAIL(err,
                   code,
                   "invalid input syntax for type %s: \"%.*s%s\"",
                   type_word(in->type),
                   n,
                   in->whole.ptr,
                   more);
}

static int loose_bad(const struct loose *in, struct dn_err *err)
{
    return loose_raise(in, DN_E_BAD_DATETIME, err);
}

static int loose_none(const struct loose *in, struct dn_err *err)
{
    return loose_raise(in, DN_E_DATETIME_RANGE, err);
}

static bool loose_letter(const struct loose *in)
{
    return in->p < in->end && (*in->p | 32) >= 'a' && (*in->p | 32) <= 'z';
}

static uint32_t loose_digits(const struct loose *in)
{
    uint32_t n = 0;

    while (in->p + n < in->end && text_is_digit(in->p[n]))
        n++;
    return n;
}

static bool loose_is(const struct loose *in, char c)
{
    return in->p < in->end && *in->p == c;
}

/* The digits at p; false: there are none, or too many to count. */
static bool loose_number(struct loose *in, int64_t *ret, uint32_t *ret_len)
{
    uint32_t n = loose_digits(in);

    if (n == 0 || n > LOOSE_DIGITS)
        return false;
    *ret = 0;
    for (uint32_t i = 0; i < n; i++)
        *ret = *ret * 10 + (*in->p++ - '0');
    *ret_len = n;
    return true;
}

static int loose_add(struct loose *in, unsigned part, struct dn_err *err)
{
    if (in->have & part)
        return loose_bad(in, err);
    in->have |= part;
    return 0;
}

/* ---- numbers ---- */

static int loose_year(struct loose *in, int64_t v, uint32_t len, struct dn_err *err)
{
    in->year = v;
    in->two = len <= 2;
    return loose_add(in, LOOSE_YEAR, err);
}

/* Which part of a date a bare number is. */
static int loose_date_number(struct loose *in, int64_t v, uint32_t len, struct dn_err *err)
{
    enum date_first first = in->session ? in->session->date_first : DATE_FIRST_MONTH;
    unsigned have = in->have & LOOSE_DATE;

    if (have == LOOSE_MONTH && (in->have & LOOSE_TEXT_MONTH) && first == DATE_FIRST_YEAR)
        return loose_year(in, v, len, err);
    if (have == (LOOSE_YEAR | LOOSE_MONTH) && (in->have & LOOSE_TEXT_MONTH) && in->two &&
        len >= 3) { /* the first was the day: 08-Jan-1999 */
        in->day = in->year;
        in->year = v;
        in->two = false;
        return loose_add(in, LOOSE_DAY, err);
    }
    if (have == 0 && first == DATE_FIRST_YEAR)
        return loose_year(in, v, len, err);
    if (have == 0 && first == DATE_FIRST_DAY && len < 3) {
        in->day = v;
        return loose_add(in, LOOSE_DAY, err);
    }
    if (len == 3 && have == LOOSE_YEAR) {
        in->day = v;
        return loose_add(in, LOOSE_OF_YEAR | LOOSE_MONTH | LOOSE_DAY, err);
    }
    if (!(have & LOOSE_YEAR) && len >= 3)
        return loose_year(in, v, len, err);
    if (!(have & LOOSE_MONTH)) {
        in->month = v;
        return loose_add(in, LOOSE_MONTH, err);
    }
    if (!(have & LOOSE_DAY)) {
        in->day = v;
        return loose_add(in, LOOSE_DAY, err);
    }
    return loose_year(in, v, len, err);
}

/* 19990108, 990108, 100000108. */
static int loose_date_block(struct loose *in, int64_t v, uint32_t len, struct dn_err *err)
{
    int rc = loose_add(in, LOOSE_DATE, err);

    in->two = len == 6;
    in->day = v % 100;
    in->month = v / 100 % 100;
    in->year = v / 10000;
    return rc;
}

/* .5 behind seconds; what is finer than a nanosecond is rounded. */
static void loose_fraction(struct loose *in)
{
    int64_t ns = 0;
    uint32_t n;

    in->p++;
    n = loose_digits(in);
    for (uint32_t i = 0; i < 9; i++)
        ns = ns * 10 + (i < n ? in->p[i] - '0' : 0);
    if (n > 9 && in->p[9] >= '5' && ns < LOOSE_NS - 1)
        ns++;
    in->ns = (int32_t)ns;
    in->p += n;
}

static int
loose_set_clock(struct loose *in, int64_t hour, int64_t minute, int64_t second, struct dn_err *err)
{
    if (hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute || second || in->ns)))
        return loose_none(in, err);
    in->seconds = hour * 3600 + minute * 60 + second;
    return loose_add(in, LOOSE_CLOCK, err);
}

/* hh:mm[:ss[.f]]; the hour has been read. */
static int loose_clock(struct loose *in, int64_t hour, struct dn_err *err)
{
    int64_t minute = 0, second = 0;
    uint32_t len;

    in->p++;
    if (!loose_number(in, &minute, &len) || len > 2)
        return loose_bad(in, err);
    if (loose_is(in, ':')) {
        in->p++;
        if (!loose_number(in, &second, &len) || len > 2)
            return loose_bad(in, err);
    }
    if (loose_is(in, '.'))
        loose_fraction(in);
    return loose_set_clock(in, hour, minute, second, err);
}

/* 04, 0405 or 040506 where a time is due. */
static int loose_clock_block(struct loose *in, int64_t v, uint32_t len, struct dn_err *err)
{
    if (loose_is(in, '.') && len == 6)
        loose_fraction(in);
    if (len == 6)
        return loose_set_clock(in, v / 10000, v / 100 % 100, v % 100, err);
    return len == 4 ? loose_set_clock(in, v / 100, v % 100, 0, err) : loose_bad(in, err);
}

/* ---- words ---- */

static bool loose_word_is(struct vstr w, const char *word)
{
    return w.len == strlen(word) && strncasecmp(w.ptr, word, w.len) == 0;
}

/* Another month than a number said goes before; the number was the day: 8 January. */
static int loose_text_month(struct loose *in, int month, struct dn_err *err)
{
    if ((in->have & LOOSE_MONTH) && !(in->have & (LOOSE_TEXT_MONTH | LOOSE_DAY))) {
        in->day = in->month;
        in->have |= LOOSE_DAY;
        in->have &= ~(unsigned)LOOSE_MONTH;
    }
    in->month = month;
    return loose_add(in, LOOSE_MONTH | LOOSE_TEXT_MONTH, err);
}

/* The statement's time by the clocks of the session. */
static void
loose_now(const struct loose *in, int64_t *ret_seconds, int32_t *ret_ns, int32_t *offset)
{
    int64_t ns = in->session ? in->session->transaction_ns : 0;
    int64_t seconds = civil_floor(ns, LOOSE_NS);

    *offset = in->session && in->session->zone ? tz_span_at(in->session->zone, seconds).offset : 0;
    *ret_seconds = seconds + *offset;
    *ret_ns = (int32_t)(civil_mod(ns, LOOSE_NS) / 1000 * 1000);
}

/* 1: it is no word for a day. */
static int loose_day_word(struct loose *in, struct vstr w, struct dn_err *err)
{
    struct civil day;
    int64_t seconds;
    int32_t ns, offset;
    int shift = loose_word_is(w, "tomorrow") ? 1 : loose_word_is(w, "yesterday") ? -1 : 0;
    bool now = loose_word_is(w, "now");

    if (!now && shift == 0 && !loose_word_is(w, "today"))
        return 1;
    loose_now(in, &seconds, &ns, &offset);
    day = civil_from_days(civil_floor(seconds, CIVIL_DAY_SECONDS) + shift);
    in->year = day.year; /* which an era may be said of */
    in->month = day.month;
    in->day = day.day;
    in->two = false;
    if (!now)
        return loose_add(in, LOOSE_DATE, err);
    in->seconds = civil_mod(seconds, CIVIL_DAY_SECONDS);
    in->ns = ns;
    in->zone = offset;
    return loose_add(in, LOOSE_DATE | LOOSE_CLOCK | LOOSE_ZONE, err);
}

static int loose_zone_word(struct loose *in, struct vstr w, struct dn_err *err)
{
    int32_t offset;

    if (tz_abbrev(w, &offset))
        in->zone = offset;
    else
        in->word = w;
    return loose_add(in, LOOSE_ZONE, err);
}

/* J2451187, and with a part of the day: J2451187.5 is noon. */
static int loose_julian(struct loose *in, struct dn_err *err)
{
    int64_t v;
    int64_t part = 0; /* of a day, in parts of 10 to the 9 */
    uint32_t len;

    if (!loose_number(in, &v, &len))
        return loose_bad(in, err);
    in->days = v - LOOSE_JULIAN;
    if (!loose_is(in, '.'))
        return loose_add(in, LOOSE_WHOLE | LOOSE_DATE, err);
    loose_fraction(in);
    part = in->ns * (int64_t)CIVIL_DAY_SECONDS;
    in->seconds = part / LOOSE_NS;
    in->ns = (int32_t)(part % LOOSE_NS);
    return loose_add(in, LOOSE_WHOLE | LOOSE_DATE | LOOSE_CLOCK, err);
}

/* y1999m01d08h04m05s06.789: a letter, or mm, says what the number behind it is; m is the minute
 * where an hour has been read. 1: it does not start so. */
static int loose_units(struct loose *in, struct dn_err *err)
{
    int64_t clock[3] = {0, 0, 0};
    unsigned have = 0; /* of clock */
    int rc = 0;

    if (in->end - in->p < 2 || (*in->p | 32) != 'y' || !text_is_digit(in->p[1]) ||
        (in->have & (LOOSE_DATE | LOOSE_CLOCK)))
        return 1;
    while (rc == 0 && loose_letter(in)) {
        char unit = (char)(*in->p++ | 32);
        bool minute = unit == 'm' && (loose_is(in, 'm') || loose_is(in, 'M') || have);
        int64_t v;
        uint32_t len;

        in->p += minute && loose_letter(in);
        if (!loose_number(in, &v, &len))
            return loose_bad(in, err);
        if (unit == 'y') {
            rc = loose_year(in, v, len, err);
        } else if (unit == 'd' || (unit == 'm' && !minute)) {
            *(unit == 'd' ? &in->day : &in->month) = v;
            rc = loose_add(in, unit == 'd' ? LOOSE_DAY : LOOSE_MONTH, err);
        } else if (unit == 'h' || unit == 'm' || unit == 's') {
            unsigned which = unit == 'h' ? 0 : unit == 'm' ? 1 : 2;

            rc = have & 1u << which ? loose_bad(in, err) : 0;
            have |= 1u << which;
            clock[which] = v;
            if (which == 2 && loose_is(in, '.'))
                loose_fraction(in);
        } else {
            rc = loose_bad(in, err);
        }
    }
    return rc == 0 && have ? loose_set_clock(in, clock[0], clock[1], clock[2], err) : rc;
}

/* MET DST: the clocks of a zone are an hour ahead. */
static int loose_summer(struct loose *in, struct dn_err *err)
{
    if (!(in->have & LOOSE_ZONE) || in->word.len > 0 || (in->have & LOOSE_SUMMER))
        return loose_bad(in, err);
    in->zone += 3600;
    return loose_add(in, LOOSE_SUMMER, err);
}

/* Two more parts of a date, `between` before each: numbers, or the name of a month. */
static int loose_date_rest(struct loose *in, char between, struct dn_err *err)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < 2 && loose_is(in, between); i++) {
        struct vstr w = {in->p + 1, 0};
        int64_t v;
        uint32_t len;

        in->p++;
        while (loose_letter(in))
            in->p++, w.len++;
        if (w.len)
            rc = text_month_word(w) ? loose_text_month(in, text_month_word(w), err)
                                    : loose_bad(in, err);
        else if (loose_number(in, &v, &len))
            rc = loose_date_number(in, v, len, err);
        else
            rc = loose_bad(in, err);
    }
    return rc;
}

/* Jan-08-1999; 1: no such date. */
static int loose_month_first(struct loose *in, struct dn_err *err)
{
    struct loose at = *in;
    struct vstr w = {in->p, 0};
    int rc;

    while (loose_letter(&at))
        at.p++, w.len++;
    if (!text_month_word(w) || !(loose_is(&at, '-') || loose_is(&at, '/')) ||
        (in->have & LOOSE_DATE))
        return 1;
    in->p = at.p;
    rc = loose_text_month(in, text_month_word(w), err);
    return rc < 0 ? rc : loose_date_rest(in, *in->p, err);
}

/* infinity, -infinity, epoch: what they mean. False: none of them. */
static bool loose_special(struct vstr s, struct text_instant *ret)
{
    if (loose_word_is(s, "infinity") || loose_word_is(s, "+infinity"))
        ret->infinite = 1;
    else if (loose_word_is(s, "-infinity"))
        ret->infinite = -1;
    else if (loose_word_is(s, "epoch"))
        ret->zoned = true;
    else
        return false;
    return true;
}

static int loose_word(struct loose *in, struct dn_err *err)
{
    struct vstr w = {in->p, 0};
    int rc = loose_month_first(in, err);

    if (rc == 1)
        rc = loose_units(in, err);
    if (rc != 1)
        return rc;
    while (loose_letter(in) ||
           (in->p < in->end && w.len > 2 && text_one_of(*in->p, "/_+-0123456789")))
        in->p++, w.len++;
    if (w.len > 3 && text_is_digit(w.ptr[3]) && text_month_word((struct vstr){w.ptr, 3})) {
        w.len = 3; /* Feb1997 */
        in->p = w.ptr + 3;
    }
    if (loose_is(in, '.')) /* Jan. */
        in->p++;
    if ((loose_word_is(w, "j") || loose_word_is(w, "jd") || loose_word_is(w, "julian")) &&
        !(in->have & LOOSE_DATE))
        return loose_julian(in, err);
    if (text_month_word(w))
        return loose_text_month(in, text_month_word(w), err);
    if (text_weekday_word(w) || loose_word_is(w, "at") || loose_word_is(w, "on") ||
        (loose_word_is(w, "t") && loose_digits(in)))
        return 0;
    if (loose_word_is(w, "am") || loose_word_is(w, "pm")) {
        in->late = (*w.ptr | 32) == 'p';
        return loose_add(in, LOOSE_HALF, err);
    }
    if (loose_word_is(w, "bc") || loose_word_is(w, "ad")) {
        in->bc = (*w.ptr | 32) == 'b';
        return loose_add(in, LOOSE_ERA, err);
    }
    if (loose_word_is(w, "allballs")) {
        in->zone = 0;
        return loose_add(in, LOOSE_CLOCK | LOOSE_ZONE, err);
    }
    if (loose_special(w,
                      &in->meant)) { /* a time of the day beside it must be one, and is ignored */
        in->special = true;
        return loose_add(in, LOOSE_WHOLE | LOOSE_DATE, err);
    }
    if (loose_word_is(w, "dst"))
        return loose_summer(in, err);
    rc = loose_day_word(in, w, err);
    if (rc != 1)
        return rc;
    return loose_zone_word(in, w, err);
}

static int loose_minus_infinity(struct loose *in, struct dn_err *err)
{
    int rc;

    in->p++;
    rc = loose_word(in, err);
    in->meant.infinite = -1;
    return rc == 0 && !in->special ? loose_bad(in, err) : rc; /* -infinityfold */
}

/* ---- fields ---- */

/* 8-Jan-1999, 1/8/1999, 1999.01.08: the first number has been read. */
static int loose_date(struct loose *in, int64_t v, uint32_t len, char between, struct dn_err *err)
{
    int rc = loose_date_number(in, v, len, err);

    return rc < 0 ? rc : loose_date_rest(in, between, err);
}

/* +8, -0800, +05:30:00. */
static int loose_offset(struct loose *in, struct dn_err *err)
{
    int64_t sign = *in->p++ == '-' ? -1 : 1;
    int64_t hour = 0, minute = 0, second = 0;
    uint32_t len;

    if (!loose_number(in, &hour, &len) || len > 6 || len == 5)
        return loose_bad(in, err);
    if (len == 6)
        second = hour % 100, hour /= 100;
    if (len > 2)
        minute = hour % 100, hour /= 100;
    else if (loose_is(in, ':')) {
        in->p++;
        if (!loose_number(in, &minute, &len) || len > 2)
            return loose_bad(in, err);
        if (loose_is(in, ':')) {
            in->p++;
            if (!loose_number(in, &second, &len) || len > 2)
                return loose_bad(in, err);
        }
    }
    if (hour > 15 || minute > 59 || second > 59)
        return loose_raise(in, DN_E_ZONE_RANGE, err);
    in->zone = sign * (hour * 3600 + minute * 60 + second);
    return loose_add(in, LOOSE_ZONE, err);
}

static int loose_digits_field(struct loose *in, struct dn_err *err)
{
    bool dated = (in->have & LOOSE_DATE) == LOOSE_DATE;
    int64_t v;
    uint32_t len;

    if (!loose_number(in, &v, &len))
        return loose_bad(in, err);
    if (loose_is(in, ':'))
        return len > 2 ? loose_bad(in, err) : loose_clock(in, v, err);
    if (!dated && in->p < in->end && text_one_of(*in->p, "-/."))
        return loose_date(in, v, len, *in->p, err);
    if (!dated && len >= 6 && !(in->have & LOOSE_DATE) && !text_is_clock(in->type))
        return loose_date_block(in, v, len, err);
    if (dated || (text_is_clock(in->type) && len >= 4))
        return in->have & LOOSE_CLOCK ? loose_bad(in, err) : loose_clock_block(in, v, len, err);
    return loose_date_number(in, v, len, err);
}

static int loose_fields(struct loose *in, struct dn_err *err)
{
    int rc = 0;

    while (rc == 0 && in->p < in->end) {
        if (text_one_of(*in->p, " \t\n\r\f\v,"))
            in->p++;
        else if (text_is_digit(*in->p))
            rc = loose_digits_field(in, err);
        else if (loose_letter(in))
            rc = loose_word(in, err);
        else if (*in->p == '-' && in->end - in->p >= 9 &&
                 loose_word_is((struct vstr){in->p, 9}, "-infinity"))
            rc = loose_minus_infinity(in, err);
        else if ((*in->p == '+' || *in->p == '-') && (in->have & (LOOSE_CLOCK | LOOSE_DAY)))
            rc = loose_offset(in, err);
        else
            rc = loose_bad(in, err);
    }
    return rc;
}

/* ---- the whole ---- */

static int loose_day(struct loose *in, int64_t *ret, struct dn_err *err)
{
    if (in->have & LOOSE_WHOLE) {
        *ret = in->days;
        return 0;
    }
    if (in->bc) {
        if (in->year <= 0)
            return loose_none(in, err);
        in->year = 1 - in->year;
    } else if (in->two) {
        in->year += in->year < 70 ? 2000 : in->year < 100 ? 1900 : 0;
    } else if (in->year == 0) {
        return loose_none(in, err);
    }
    if (in->year > LOOSE_YEARS || in->year < -LOOSE_YEARS)
        return loose_none(in, err);
    if (in->have & LOOSE_OF_YEAR) {
        int64_t first = civil_to_days(in->year, 1, 1);

        if (in->day < 1 || in->day > civil_to_days(in->year + 1, 1, 1) - first)
            return loose_none(in, err);
        *ret = first + in->day - 1;
        return 0;
    }
    if (in->month < 1 || in->month > 12 || in->day < 1 ||
        in->day > civil_month_days(in->year, (int)in->month))
        return loose_none(in, err);
    *ret = civil_to_days(in->year, (int)in->month, (int)in->day);
    return 0;
}

static int loose_finish(struct loose *in, struct text_instant *ret, struct dn_err *err)
{
    bool dated = (in->have & LOOSE_DATE) == LOOSE_DATE;
    int rc = 0;

    if ((in->have & LOOSE_HALF) && !(in->have & LOOSE_CLOCK))
        return loose_bad(in, err);
    if (text_is_clock(in->type) ? !(in->have & LOOSE_CLOCK) : !dated)
        return loose_bad(in, err);
    if ((in->have & LOOSE_DATE) && !dated)
        return loose_bad(in, err);
    ret->dated = dated;
    if (dated)
        rc = loose_day(in, &ret->days, err);
    if (rc == 0 && (in->have & LOOSE_HALF)) {
        if (in->seconds >= 13 * 3600)
            return loose_none(in, err);
        in->seconds = in->seconds % (12 * 3600) + (in->late ? 12 * 3600 : 0);
    }
    if (in->special) {
        *ret = in->meant;
        return text_is_clock(in->type) ? loose_bad(in, err) : rc;
    }
    ret->seconds = in->seconds;
    ret->ns = in->ns;
    ret->zone = in->zone;
    ret->zoned = in->have & LOOSE_ZONE;
    ret->word = in->word;
    return rc;
}

/* The name of a month, two words, or AM and PM with a zone right behind it. */
static bool loose_no_zone(struct vstr w)
{
    struct vstr half = {w.ptr, w.len > 2 ? 2 : w.len};

    return text_month_word(w) || (w.len > 0 && memchr(w.ptr, ' ', w.len)) ||
           (w.len > 2 && (w.ptr[2] == '+' || w.ptr[2] == '-') &&
            (loose_word_is(half, "am") || loose_word_is(half, "pm")));
}

int text_read_instant(const struct func_session *session,
                      enum type_id type,
                      struct vstr s,
                      struct text_instant *ret,
                      struct dn_err *err)
{
    struct vstr whole = text_trim(s);
    struct loose in = {.session = session,
                       .type = type,
                       .whole = whole,
                       .p = whole.ptr,
                       .end = whole.ptr + whole.len};
    struct dn_err first;
    int rc;

    *ret = (struct text_instant){.days = 0};
    if (whole.len && !text_is_digit(whole.ptr[0]) && loose_special(whole, ret))
        return text_is_clock(type) ? loose_bad(&in, err) : 0;
    rc = text_is_clock(type) ? text_parse_clock_alone(whole, ret, &first)
                             : text_parse_instant(whole, type, ret, &first);
    /* 1999-01-08 04:05 looks like a clock that is wrong, 1999 08 Jan like an hour and a zone. */
    if (rc == DN_E_BAD_DATETIME || (rc == 0 && loose_no_zone(ret->word)) ||
        (rc < 0 && text_is_clock(type))) {
        struct dn_err second;
        bool strict = rc < 0; /* the first reader refused it, and said why */

        *ret = (struct text_instant){.days = 0};
        rc = loose_fields(&in, &second);
        if (rc == 0)
            rc = loose_finish(&in, ret, &second);
        if (rc < 0 && (!strict || rc != DN_E_BAD_DATETIME || text_is_clock(type)))
            first = second;
    }
    if (rc < 0 && err)
        *err = first;
    if (rc == 0 && type == TYPE_DATE && !civil_is_date(ret->days))
        return DN_FAIL(err,
                       DN_E_DATETIME_RANGE,
                       "date out of range: \"%.*s\"",
                       text_quote_len(whole),
                       whole.ptr);
    return rc;
}

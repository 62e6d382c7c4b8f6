/* SPDX-License-Identifier: Apache-2.0
 *
 * text_time.c: instants to ISO 8601 and back. Days are counted here, without the C library: its
 * functions know zones, locales and limits that are not ours.
 *
 * Grammar (spaces around it are fine):
 *
 *     text  = date [ ("T" | "t" | " ") time ["AM" | "PM"] [zone] ] ["BC" | "AD"]
 *     date  = YYYY | YYYY-MM | YYYY-MM-DD | YYYYMMDD
 *     time  = hh [fraction] | hh[:]mm [fraction] | hh[:]mm[:]ss [fraction]
 *     zone  = "Z" | "z" | ("+" | "-") hh [[:]mm [[:]ss]] | abbreviation | name
 *
 * A fraction ("." or ",", one to nine digits, more only if they are zeros) belongs to the last
 * field given. 24:00:00 is the midnight that ends the day; second 60 is the
 * second after 59. Zones reach to 15:59:59 on both sides. Without a zone it is UTC, or in the
 * session's. Years outside 0000 to 9999 and other ways to write a time are for text_loose.c; week
 * dates are not supported. The greatest and the least value of a type are infinity and -infinity.
 */
#include "base/civil.h"
#include "func/text_int.h"
#include "func/text_put.h"
#include "func/tz.h"

#include <string.h>
#include <strings.h>

#define TEXT_NS_PER_SECOND 1000000000
#define TEXT_FRACTION_MAX  9u

struct text_iso {
    struct vstr whole; /* for messages */
    const char *p;
    const char *end;
    bool bc;           /* years are counted backwards from 1 BC */
    enum type_id type; /* for messages */
};

static int text_iso_raise(const struct text_iso *in, int code, const char *why, struct dn_err *err)
{
    int n = text_quote_len(in->whole);
    const char *more = (uint32_t)n < in->whole.len ? "…" : "";
    int rc;

    if (code == DN_E_DATETIME_RANGE)
        rc = DN_FAIL(
            err, code, "date/time field value out of range: \"%.*s%s\"", n, in->whole.ptr, more);
    else if (code == DN_E_ZONE_RANGE)
        rc = DN_FAIL(
            err, code, "time zone displacement out of range: \"%.*s%s\"", n, in->whole.ptr, more);
    else
        rc = DN_FAIL(err,
                     code,
                     "invalid input syntax for type %s: \"%.*s%s\"",
                     type_is_timestamp(in->type) ? "timestamp" : type_word(in->type),
                     n,
                     in->whole.ptr,
                     more);
    dn_err_hint(err, "%s", why);
    return rc;
}

/* Its form is wrong. */
static int text_iso_fail(const struct text_iso *in, const char *why, struct dn_err *err)
{
    return text_iso_raise(in, DN_E_BAD_DATETIME, why, err);
}

/* Its form is right, but there is no such time. */
static int text_iso_none(const struct text_iso *in, const char *why, struct dn_err *err)
{
    return text_iso_raise(in, DN_E_DATETIME_RANGE, why, err);
}

static bool text_iso_is(const struct text_iso *in, char c)
{
    return in->p < in->end && *in->p == c;
}

static size_t text_iso_digits_ahead(const struct text_iso *in)
{
    size_t n = 0;

    while (in->p + n < in->end && text_is_digit(in->p[n]))
        n++;
    return n;
}

/* Exactly n digits; false: they are not there. */
static bool text_iso_number(struct text_iso *in, size_t n, int *ret)
{
    int v = 0;

    if (text_iso_digits_ahead(in) < n)
        return false;
    for (size_t i = 0; i < n; i++)
        v = v * 10 + (*in->p++ - '0');
    *ret = v;
    return true;
}

/* A year with a sign and four digits or more, then a month: as text_print_time writes years that
 * are not 0000 to 9999. in->p stands on the sign. */
static int text_iso_expanded_year(struct text_iso *in, int *ret, struct dn_err *err)
{
    bool negative = text_iso_is(in, '-');
    size_t ahead;

    in->p++;
    ahead = text_iso_digits_ahead(in);
    if (ahead < (negative ? 4u : 5u) || ahead > 9 || in->p + ahead == in->end ||
        in->p[ahead] != '-' || in->bc || !text_iso_number(in, ahead, ret))
        return text_iso_fail(
            in, "years are four digits, 0000 to 9999; others are +12345-06-01, -0043-06-01", err);
    *ret = negative ? -*ret : *ret;
    return 0;
}

static int text_iso_date(struct text_iso *in, int64_t *ret_days, struct dn_err *err)
{
    bool expanded = text_iso_is(in, '-') || text_iso_is(in, '+');
    size_t ahead = expanded ? 4 : text_iso_digits_ahead(in);
    int year = 0;
    int month = 1;
    int day = 1;

    if (expanded) {
        int rc = text_iso_expanded_year(in, &year, err);

        if (rc < 0)
            return rc;
    }
    if (ahead > 4 && ahead != 8)
        return text_iso_fail(in, "years are four digits, 0000 to 9999", err);
    if (ahead != 4 && ahead != 8)
        return text_iso_fail(in, "expected a date such as 2015-06-01 or 20150601", err);
    if (!expanded && !text_iso_number(in, 4, &year))
        return text_iso_fail(in, "expected a year", err);
    if (ahead == 8) {
        if (!text_iso_number(in, 2, &month) || !text_iso_number(in, 2, &day))
            return text_iso_fail(in, "expected a month and a day", err);
    } else if (text_iso_is(in, '-')) {
        in->p++;
        if (text_iso_digits_ahead(in) != 2 || !text_iso_number(in, 2, &month))
            return text_iso_fail(in, "expected a month of two digits", err);
        if (text_iso_is(in, '-')) {
            in->p++;
            if (text_iso_digits_ahead(in) != 2 || !text_iso_number(in, 2, &day))
                return text_iso_fail(in, "expected a day of two digits", err);
        }
    } else if (text_iso_is(in, ' ') && !memchr(in->p, ':', (size_t)(in->end - in->p))) {
        return text_iso_fail(in, "expected a month behind the year", err); /* 2015 06-01 */
    }
    if (in->bc)
        year = 1 - year;
    if (month < 1 || month > 12)
        return text_iso_none(in, "no such month", err);
    if (day < 1 || day > civil_month_days(year, month))
        return text_iso_none(in, "no such day in that month", err);
    *ret_days = civil_to_days(year, month, day);
    return 0;
}

/* The fraction in billionths; in->p stands on the point. */
static int text_iso_fraction(struct text_iso *in, int64_t *ret, struct dn_err *err)
{
    int64_t v = 0;
    size_t ahead;

    in->p++;
    ahead = text_iso_digits_ahead(in);
    if (ahead == 0)
        return text_iso_fail(in, "expected digits after the point", err);
    for (size_t i = 0; i < ahead || i < TEXT_FRACTION_MAX; i++) {
        int digit = i < ahead ? in->p[i] - '0' : 0;

        if (i < TEXT_FRACTION_MAX)
            v = v * 10 + digit;
        else if (digit)
            return DN_FAIL(err,
                           DN_E_DATETIME_RANGE,
                           "time stamp \"%.*s\" is finer than a nanosecond",
                           text_quote_len(in->whole),
                           in->whole.ptr);
    }
    in->p += ahead;
    *ret = v;
    return 0;
}

struct text_clock {
    int64_t seconds; /* of the day; 86400 and one more are possible */
    int64_t ns;
};

static int text_iso_clock(struct text_iso *in, struct text_clock *ret, struct dn_err *err)
{
    static const int64_t unit[] = {3600, 60, 1};
    int field[3] = {0, 0, 0};
    int64_t fraction = 0;
    bool short_hour = text_iso_digits_ahead(in) == 1 && in->end - in->p > 1 && in->p[1] == ':';
    int n = 0;

    for (n = 0; n < 3; n++) {
        bool colon = n > 0 && text_iso_is(in, ':');

        if (n > 0 && !colon && text_iso_digits_ahead(in) == 0)
            break;
        in->p += colon;
        if (!text_iso_number(in, n == 0 && short_hour ? 1 : 2, &field[n]))
            return text_iso_fail(in, "expected two digits for hour, minute and second", err);
    }
    if (text_iso_is(in, '.') || text_iso_is(in, ',')) {
        int rc = text_iso_fraction(in, &fraction, err);

        if (rc < 0)
            return rc;
    }
    if (field[0] > 24 || field[1] > 59 || field[2] > 60)
        return text_iso_none(in, "no such hour, minute or second", err);
    if (field[0] == 24 && (field[1] || field[2] || fraction))
        return text_iso_none(in, "the last instant of a day is 24:00:00", err);
    fraction *= unit[n - 1];
    ret->seconds = field[0] * 3600 + field[1] * 60 + field[2] + fraction / TEXT_NS_PER_SECOND;
    ret->ns = fraction % TEXT_NS_PER_SECOND;
    return 0;
}

static bool text_iso_letter(const struct text_iso *in)
{
    return in->p < in->end && (*in->p | 32) >= 'a' && (*in->p | 32) <= 'z';
}

/* A word at the end: an abbreviation, or the name of a zone that is to be looked up. */
static void text_iso_word(struct text_iso *in, struct text_instant *ret)
{
    struct vstr word = {in->p, (uint32_t)(in->end - in->p)};
    int32_t offset;

    in->p = in->end;
    if (tz_abbrev(word, &offset))
        ret->zone = offset;
    else
        ret->word = word;
}

/* Seconds that local time is ahead of UTC; nothing there means UTC. */
static int text_iso_zone(struct text_iso *in, struct text_instant *ret, struct dn_err *err)
{
    bool negative = text_iso_is(in, '-');
    int hours = 0;
    int minutes = 0;
    int seconds = 0;

    ret->zone = 0;
    if (text_iso_letter(in)) {
        text_iso_word(in, ret);
        return 0;
    }
    if (!negative && !text_iso_is(in, '+'))
        return 0;
    in->p++;
    if (!text_iso_number(in, 2, &hours))
        return text_iso_fail(in, "expected a zone such as Z, +13, +1300 or +13:00", err);
    if (text_iso_is(in, ':') || text_iso_digits_ahead(in) > 0) {
        in->p += text_iso_is(in, ':');
        if (!text_iso_number(in, 2, &minutes))
            return text_iso_fail(in, "expected a zone such as Z, +13, +1300 or +13:00", err);
    }
    if (text_iso_is(in, ':')) {
        in->p++;
        if (!text_iso_number(in, 2, &seconds))
            return text_iso_fail(in, "expected a zone such as Z, +13, +1300 or +13:00", err);
    }
    if (hours > 15 || minutes > 59 || seconds > 59)
        return text_iso_raise(in, DN_E_ZONE_RANGE, "zones are -15:59:59 to +15:59:59", err);
    ret->zone = (negative ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
    return 0;
}

/* AM or PM: hours count from 1 to 12 then. */
static int text_iso_half(struct text_iso *in, struct text_clock *clock, struct dn_err *err)
{
    bool late = in->p < in->end && (*in->p | 32) == 'p';

    if (in->end - in->p < 2 || (in->p[1] | 32) != 'm' || (!late && (*in->p | 32) != 'a') ||
        (in->end - in->p > 2 && in->p[2] != ' '))
        return 0;
    if (clock->seconds >= 13 * 3600)
        return text_iso_none(in, "hours go up to 12 before AM and PM", err);
    clock->seconds = clock->seconds % (12 * 3600) + (late ? 12 * 3600 : 0);
    in->p += 2;
    while (text_iso_is(in, ' ') && in->p + 1 < in->end)
        in->p++;
    return 0;
}

/* A time of day and perhaps a zone, to the end. */
static int text_iso_rest(struct text_iso *in, struct text_instant *ret, struct dn_err *err)
{
    struct text_clock clock = {0, 0};
    const char *before;
    int rc = text_iso_clock(in, &clock, err);

    if (rc < 0)
        return rc;
    while (text_iso_is(in, ' ') && in->p + 1 < in->end)
        in->p++;
    rc = text_iso_half(in, &clock, err);
    if (rc < 0)
        return rc;
    before = in->p;
    rc = text_iso_zone(in, ret, err);
    ret->zoned = in->p != before;
    ret->seconds = clock.seconds;
    ret->ns = (int32_t)clock.ns;
    return rc;
}

/* BC or AD at the end belongs to the year. */
static void text_iso_era(struct text_iso *in)
{
    struct vstr s = in->whole;

    if (s.len < 4 || s.ptr[s.len - 3] != ' ')
        return;
    in->bc = strncasecmp(s.ptr + s.len - 2, "BC", 2) == 0;
    if (in->bc || strncasecmp(s.ptr + s.len - 2, "AD", 2) == 0)
        in->end -= 3;
}

int text_parse_instant(struct vstr s,
                       enum type_id type,
                       struct text_instant *ret,
                       struct dn_err *err)
{
    struct vstr trimmed = text_trim(s);
    struct text_iso in = {
        .whole = trimmed, .p = trimmed.ptr, .end = trimmed.ptr + trimmed.len, .type = type};
    int rc;

    text_iso_era(&in);
    *ret = (struct text_instant){.days = 0};
    rc = text_iso_date(&in, &ret->days, err);
    if (rc < 0)
        return rc;
    if (text_iso_is(&in, 'T') || text_iso_is(&in, 't') || text_iso_is(&in, ' ')) {
        in.p++;
        rc = text_iso_rest(&in, ret, err);
        if (rc < 0)
            return rc;
    }
    if (in.p != in.end)
        return text_iso_fail(&in, "unexpected characters at the end", err);
    return 0;
}

int text_parse_clock_alone(struct vstr s, struct text_instant *ret, struct dn_err *err)
{
    struct text_iso in = {.whole = s, .p = s.ptr, .end = s.ptr + s.len, .type = TYPE_TIME};
    int rc;

    *ret = (struct text_instant){.days = 0};
    rc = text_iso_rest(&in, ret, err);
    if (rc == 0 && in.p != in.end)
        return text_iso_fail(&in, "unexpected characters at the end", err);
    return rc;
}

int text_find_zone(const struct func_session *session,
                   const struct text_instant *t,
                   struct tz_zone *room,
                   const struct tz_zone **ret,
                   struct dn_err *err)
{
    int rc = tz_find(session ? session->zones : NULL, t->word, room, ret, err);

    if (rc == DN_E_INVALID_PARAM && !memchr(t->word.ptr, '/', t->word.len))
        return DN_FAIL(err,
                       DN_E_BAD_DATETIME,
                       "invalid time stamp: \"%.*s\" is no time zone",
                       text_quote_len(t->word),
                       t->word.ptr);
    return rc;
}

/* The instant that a text with or without a zone means. */
static int text_settle(const struct func_session *session,
                       bool local,
                       struct text_instant *t,
                       int64_t *ret_seconds,
                       int32_t *ret_ns,
                       struct dn_err *err)
{
    const struct tz_zone *zone = session && local ? session->zone : NULL;
    struct tz_zone room;
    int rc = t->word.len ? text_find_zone(session, t, &room, &zone, err) : 0;

    if (rc < 0)
        return rc;
    *ret_ns = t->ns;
    if (t->infinite) {
        *ret_seconds = t->infinite > 0 ? INT64_MAX : INT64_MIN;
        return 0;
    }
    if (t->word.len || !t->zoned)
        t->zone = tz_local_offset(zone, t->days * CIVIL_DAY_SECONDS + t->seconds);
    *ret_seconds = t->days * CIVIL_DAY_SECONDS + t->seconds - t->zone;
    return 0;
}

int text_parse_time(struct vstr s, int64_t *ret_seconds, int32_t *ret_ns, struct dn_err *err)
{
    struct text_instant t;
    int rc = text_parse_instant(s, TYPE_TIMESTAMP, &t, err);

    return rc < 0 ? rc : text_settle(NULL, false, &t, ret_seconds, ret_ns, err);
}

int text_parse_time_in(const struct func_session *session,
                       bool local,
                       struct vstr s,
                       int64_t *ret_seconds,
                       int32_t *ret_ns,
                       struct dn_err *err)
{
    struct text_instant t;
    int rc = text_read_instant(session, local ? TYPE_TIMESTAMPTZ : TYPE_TIMESTAMP, s, &t, err);

    return rc < 0 ? rc : text_settle(session, local, &t, ret_seconds, ret_ns, err);
}

int text_time_to_type(int64_t seconds,
                      int32_t ns,
                      enum type_id type,
                      bool round,
                      int64_t *ret,
                      bool *ret_exact,
                      struct dn_err *err)
{
    int64_t per_second = type_ts_per_second(type);
    int64_t ns_per_unit = TEXT_NS_PER_SECOND / per_second;
    int64_t part = ns / ns_per_unit;
    int64_t rest = ns % ns_per_unit;
    int64_t v;

    DN_ASSERT(ns >= 0 && ns < TEXT_NS_PER_SECOND);
    if (seconds == INT64_MAX || seconds == INT64_MIN) { /* infinite */
        *ret = seconds;
        *ret_exact = true;
        return 0;
    }
    if (round && rest * 2 >= ns_per_unit)
        part++;
    /* The most negative second reaches below the type, but not its later parts: count from its end.
     */
    if (seconds < 0) {
        seconds++;
        part -= per_second;
    }
    if (__builtin_mul_overflow(seconds, per_second, &v) || __builtin_add_overflow(v, part, &v) ||
        v == INT64_MIN || v == INT64_MAX) { /* those mean infinity */
        DN_IGNORE(DN_FAIL(
            err, DN_E_DATETIME_RANGE, "time stamp out of range for type %s", type_word(type)));
        if (type == TYPE_TIMESTAMP_NS)
            dn_err_hint(err, "Nanoseconds reach from the year 1677 to 2262.");
        return DN_E_DATETIME_RANGE;
    }
    *ret = v;
    *ret_exact = rest == 0;
    return 0;
}

void text_print_time(int64_t value, enum type_id type, struct buf *b)
{
    int64_t per_second = type_ts_per_second(type);
    unsigned width = type == TYPE_TIMESTAMP ? 3 : type == TYPE_TIMESTAMP_US ? 6 : 9;
    int64_t part = value % per_second;
    int64_t seconds = value / per_second;
    int64_t days;
    int64_t left;
    struct civil c;
    char text[TEXT_PUT_MAX];
    char *to = text;

    if (value == INT64_MAX || value == INT64_MIN) {
        buf_puts(b, value > 0 ? "infinity" : "-infinity");
        return;
    }
    if (part < 0) {
        part += per_second;
        seconds--;
    }
    days = seconds / CIVIL_DAY_SECONDS;
    left = seconds % CIVIL_DAY_SECONDS;
    if (left < 0) {
        left += CIVIL_DAY_SECONDS;
        days--;
    }
    c = civil_from_days(days);
    /* Years of other than four digits carry a sign, as ISO 8601 has it for expanded years. */
    if (c.year < 0 || c.year > 9999)
        *to++ = c.year < 0 ? '-' : '+';
    to = text_put_padded(to, (uint64_t)(c.year < 0 ? -c.year : c.year), 4);
    *to++ = '-';
    to = text_put_pair(to, (uint32_t)c.month);
    *to++ = '-';
    to = text_put_pair(to, (uint32_t)c.day);
    *to++ = 'T';
    to = text_put_seconds(to, (uint32_t)left);
    *to++ = '.';
    to = text_put_padded(to, (uint64_t)part, width);
    *to++ = 'Z';
    buf_append(b, text, (size_t)(to - text));
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * text_interval_style.c: intervals as text in the other styles of IntervalStyle: postgres_verbose,
 * sql_standard and iso_8601. */
#include "func/text_int.h"

#include <inttypes.h>
#include <stdio.h>

#define STYLE_US_SECOND 1000000u

/* An interval in the parts that a text has; each has the sign of what it is of. */
struct style_parts {
    int64_t years, months, days, hours, minutes;
    int64_t us;    /* seconds and their fraction */
    bool negative; /* the time of day is below zero */
};

static struct style_parts style_split(struct vinterval v)
{
    const int64_t minute = 60 * (int64_t)STYLE_US_SECOND;

    return (struct style_parts){.years = v.months / 12,
                                .months = v.months % 12,
                                .days = v.days,
                                .hours = v.us / (60 * minute),
                                .minutes = v.us / minute % 60,
                                .us = v.us % minute,
                                .negative = v.us < 0};
}

static int64_t style_abs(int64_t v)
{
    return v < 0 ? -v : v;
}

/* Seconds without a sign: at least `digits` before the point, no zeros at the end behind it. */
static void style_seconds(int64_t us, int digits, struct buf *b)
{
    int64_t abs = style_abs(us);
    char text[16];
    int n = snprintf(text, sizeof text, "%06" PRId64, abs % STYLE_US_SECOND);

    buf_printf(b, "%0*" PRId64, digits, abs / STYLE_US_SECOND);
    while (n > 0 && text[n - 1] == '0')
        n--;
    if (n > 0)
        buf_printf(b, ".%.*s", n, text);
}

/* ---- postgres_verbose: @ 1 year 2 mons 3 days 4 hours ago ---- */

struct style_verbose {
    struct buf *b;
    bool any;
    bool ago; /* the first part is below zero: signs turn, and "ago" follows */
};

static void style_verbose_part(struct style_verbose *o, int64_t value, const char *unit)
{
    if (value == 0)
        return;
    if (!o->any)
        o->ago = value < 0;
    if (o->ago)
        value = -value;
    buf_printf(o->b, " %" PRId64 " %s%s", value, unit, value == 1 ? "" : "s");
    o->any = true;
}

static void style_verbose(const struct style_parts *p, struct buf *b)
{
    struct style_verbose o = {.b = b};

    buf_u8(b, '@');
    style_verbose_part(&o, p->years, "year");
    style_verbose_part(&o, p->months, "mon");
    style_verbose_part(&o, p->days, "day");
    style_verbose_part(&o, p->hours, "hour");
    style_verbose_part(&o, p->minutes, "min");
    if (p->us) {
        if (!o.any)
            o.ago = p->us < 0;
        buf_puts(b, (p->us < 0) != o.ago ? " -" : " ");
        style_seconds(p->us, 1, b);
        buf_puts(b, style_abs(p->us) == STYLE_US_SECOND ? " sec" : " secs");
        o.any = true;
    }
    buf_puts(b, !o.any ? " 0" : o.ago ? " ago" : "");
}

/* ---- sql_standard: 1-2, 3 4:05:06, or all with signs ---- */

static void style_clock(const struct style_parts *p, struct buf *b)
{
    buf_printf(b, "%" PRId64 ":%02" PRId64 ":", style_abs(p->hours), style_abs(p->minutes));
    style_seconds(p->us, 2, b);
}

static void style_standard(const struct style_parts *p, struct buf *b)
{
    bool time = p->hours || p->minutes || p->us;
    bool year_month = p->years || p->months;
    bool below = p->years < 0 || p->months < 0 || p->days < 0 || (time && p->negative);
    bool above = p->years > 0 || p->months > 0 || p->days > 0 || (time && !p->negative);

    if (!below && !above) {
        buf_u8(b, '0');
    } else if ((below && above) || (year_month && (p->days || time))) {
        buf_printf(b,
                   "%c%" PRId64 "-%" PRId64 " %c%" PRId64 " %c",
                   p->years < 0 || p->months < 0 ? '-' : '+',
                   style_abs(p->years),
                   style_abs(p->months),
                   p->days < 0 ? '-' : '+',
                   style_abs(p->days),
                   time && p->negative ? '-' : '+');
        style_clock(p, b);
    } else {
        buf_puts(b, below ? "-" : "");
        if (year_month) {
            buf_printf(b, "%" PRId64 "-%" PRId64, style_abs(p->years), style_abs(p->months));
            return;
        }
        if (p->days)
            buf_printf(b, "%" PRId64 " ", style_abs(p->days));
        style_clock(p, b);
    }
}

/* ---- iso_8601: P1Y2M3DT4H5M6S ---- */

static void style_iso_part(int64_t value, char unit, struct buf *b)
{
    if (value)
        buf_printf(b, "%" PRId64 "%c", value, unit);
}

static void style_iso(const struct style_parts *p, struct buf *b)
{
    bool time = p->hours || p->minutes || p->us;

    if (!p->years && !p->months && !p->days && !time) {
        buf_puts(b, "PT0S");
        return;
    }
    buf_u8(b, 'P');
    style_iso_part(p->years, 'Y', b);
    style_iso_part(p->months, 'M', b);
    style_iso_part(p->days, 'D', b);
    buf_puts(b, time ? "T" : "");
    style_iso_part(p->hours, 'H', b);
    style_iso_part(p->minutes, 'M', b);
    if (!p->us)
        return;
    buf_puts(b, p->us < 0 ? "-" : "");
    style_seconds(p->us, 1, b);
    buf_u8(b, 'S');
}

/* -1 day 02:03, but not -1 day +02:03. */
static bool style_all_negative(struct vstr s)
{
    if (s.len == 0 || s.ptr[0] != '-')
        return false;
    for (uint32_t i = 1; i < s.len; i++)
        if ((s.ptr[i] == '-' || s.ptr[i] == '+') && !text_is_digit(s.ptr[i - 1]))
            return false;
    return true;
}

int text_parse_interval_in(enum interval_style style,
                           struct vstr s,
                           struct vinterval *ret,
                           struct dn_err *err)
{
    struct vstr text = text_trim(s);
    int rc;

    if (style != INTERVAL_STANDARD || !style_all_negative(text))
        return text_parse_interval(s, ret, err);
    rc = text_parse_interval((struct vstr){text.ptr + 1, text.len - 1}, ret, err);
    if (rc < 0)
        return rc;
    if (ret->us == INT64_MIN || ret->days == INT32_MIN || ret->months == INT32_MIN) /* … ago */
        return DN_FAIL(err,
                       DN_E_INTERVAL_RANGE,
                       "interval \"%.*s\" is out of range",
                       text_quote_len(text),
                       text.ptr);
    *ret = (struct vinterval){.us = -ret->us, .days = -ret->days, .months = -ret->months};
    return 0;
}

void text_print_interval_in(enum interval_style style, struct vinterval v, struct buf *b)
{
    struct style_parts p = style_split(v);

    switch (style) {
    case INTERVAL_POSTGRES:
        text_print_interval(v, b);
        return;
    case INTERVAL_VERBOSE:
        style_verbose(&p, b);
        return;
    case INTERVAL_STANDARD:
        style_standard(&p, b);
        return;
    case INTERVAL_ISO:
        style_iso(&p, b);
        return;
    }
}

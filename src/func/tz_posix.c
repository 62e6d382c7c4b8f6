/* SPDX-License-Identifier: Apache-2.0
 *
 * tz_posix.c: POSIX strings for time zones, with the longer times of TZif version 3:
 *
 *     name offset [name [offset] [,day[/time],day[/time]]]
 *     name = three letters or more | "<" letters, digits, + and - ">"
 *     day  = Jn | n | Mm.w.d;  offset, time = [+|-]hh[:mm[:ss]]
 *
 * An offset is what must be added to local time to get UTC: CET-1 is ahead of it. Without days the
 * clocks change as in the United States. */
#include "base/text.h"
#include "func/tz.h"

#include "base/civil.h"

#include <string.h>

struct tz_in {
    const char *p;
    const char *end;
};

static bool tz_in_is(const struct tz_in *in, char c)
{
    return in->p < in->end && *in->p == c;
}

static bool tz_in_take(struct tz_in *in, char c)
{
    bool is = tz_in_is(in, c);

    in->p += is;
    return is;
}

static bool tz_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Digits, within the limits. */
static bool tz_in_number(struct tz_in *in, int low, int high, int *ret)
{
    const char *start = in->p;
    int v = 0;

    for (; in->p < in->end && *in->p >= '0' && *in->p <= '9'; in->p++) {
        v = v * 10 + (*in->p - '0');
        if (v > high)
            return false;
    }
    *ret = v;
    return in->p > start && v >= low;
}

static bool tz_in_name(struct tz_in *in, char *ret)
{
    bool quoted = tz_in_take(in, '<');
    const char *start = in->p;
    size_t len;

    while (in->p < in->end && (quoted ? *in->p != '>' : tz_is_letter(*in->p)))
        in->p++;
    len = (size_t)(in->p - start);
    if (len < 3 || len > TZ_ABBREV_MAX || memchr(start, 0, len))
        return false;
    memcpy(ret, start, len);
    ret[len] = 0;
    return !quoted || tz_in_take(in, '>');
}

/* [+|-]hh[:mm[:ss]] in seconds. */
static bool tz_in_time(struct tz_in *in, int hours_max, int32_t *ret)
{
    bool negative = tz_in_take(in, '-');
    int h = 0;
    int m = 0;
    int s = 0;

    if (!negative)
        tz_in_take(in, '+');
    if (!tz_in_number(in, 0, hours_max, &h))
        return false;
    if (tz_in_take(in, ':')) {
        if (!tz_in_number(in, 0, 59, &m))
            return false;
        if (tz_in_take(in, ':') && !tz_in_number(in, 0, 59, &s))
            return false;
    }
    *ret = (negative ? -1 : 1) * (h * 3600 + m * 60 + s);
    return true;
}

static bool tz_in_change(struct tz_in *in, struct tz_change *ret)
{
    *ret = (struct tz_change){.kind = TZ_YEAR_DAY, .seconds = 2 * 3600};
    if (tz_in_take(in, 'J')) {
        ret->kind = TZ_JULIAN;
        if (!tz_in_number(in, 1, 365, &ret->day))
            return false;
    } else if (tz_in_take(in, 'M')) {
        ret->kind = TZ_WEEK_DAY;
        if (!tz_in_number(in, 1, 12, &ret->month) || !tz_in_take(in, '.') ||
            !tz_in_number(in, 1, 5, &ret->week) || !tz_in_take(in, '.') ||
            !tz_in_number(in, 0, 6, &ret->day))
            return false;
    } else if (!tz_in_number(in, 0, 365, &ret->day)) {
        return false;
    }
    return !tz_in_take(in, '/') || tz_in_time(in, 167, &ret->seconds);
}

static bool tz_in_rule(struct tz_in *in, struct tz_rule *r)
{
    static const struct tz_change usual[2] = {
        {.kind = TZ_WEEK_DAY, .month = 11, .week = 1, .day = 0, .seconds = 2 * 3600},
        {.kind = TZ_WEEK_DAY, .month = 3, .week = 2, .day = 0, .seconds = 2 * 3600},
    };
    int32_t west = 0;
    bool bare; /* nothing but a number: the same, without a name */

    bare = in->p < in->end && text_one_of(*in->p, "+-0123456789");
    if ((!bare && !tz_in_name(in, r->abbrev[0])) || !tz_in_time(in, 24, &west))
        return false;
    r->offset[0] = r->offset[1] = -west;
    if (in->p == in->end)
        return true;
    if (bare || !tz_in_name(in, r->abbrev[1]))
        return false;
    r->summer = true;
    r->offset[1] = r->offset[0] + 3600;
    if (in->p < in->end && *in->p != ',') {
        if (!tz_in_time(in, 24, &west))
            return false;
        r->offset[1] = -west;
    }
    if (in->p == in->end) {
        memcpy(r->change, usual, sizeof usual);
        return true;
    }
    return tz_in_take(in, ',') && tz_in_change(in, &r->change[1]) && tz_in_take(in, ',') &&
           tz_in_change(in, &r->change[0]) && in->p == in->end;
}

bool tz_posix(struct vstr s, struct tz_zone *ret)
{
    struct tz_in in = {s.ptr, s.ptr + s.len};

    *ret = (struct tz_zone){.has_rule = true};
    if (s.len > TZ_NAME_MAX || !tz_in_rule(&in, &ret->rule))
        return false;
    memcpy(ret->name, s.ptr, s.len);
    return true;
}

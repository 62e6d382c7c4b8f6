/* SPDX-License-Identifier: Apache-2.0
 *
 * text_date.c: DATE, TIME, TIMESTAMPTZ and UUID to text and back, in PostgreSQL's forms:
 * 2015-06-01, 04:05:06.789, 2015-06-01 04:05:06.789+00. The greatest and the least DATE and
 * TIMESTAMPTZ are infinity and -infinity. */
#include "base/civil.h"
#include "base/number.h"
#include "func/text_int.h"
#include "func/text_put.h"
#include "func/tz.h"
#include "vec/timetz.h"

#define TEXT_US_SECOND 1000000
#define TEXT_US_DAY    ((int64_t)CIVIL_DAY_SECONDS * TEXT_US_SECOND)

static void text_print_civil(int64_t days, struct buf *b)
{
    char text[TEXT_PUT_MAX];

    buf_append(b, text, (size_t)(text_put_day(text, days) - text));
}

static void text_print_era(int64_t days, struct buf *b)
{
    if (civil_from_days(days).year <= 0)
        buf_puts(b, " BC");
}

void text_print_date(int64_t days, struct buf *b)
{
    if (days == INT32_MAX || days == INT32_MIN) {
        buf_puts(b, days > 0 ? "infinity" : "-infinity");
        return;
    }
    text_print_civil(days, b);
    text_print_era(days, b);
}

void text_print_clock(int64_t us, struct buf *b)
{
    char text[TEXT_PUT_MAX];
    char *to = text_put_seconds(text, (uint32_t)(us / TEXT_US_SECOND));

    to = text_put_fraction(to, (uint32_t)(us % TEXT_US_SECOND), 6);
    buf_append(b, text, (size_t)(to - text));
}

static void text_print_offset(int32_t offset, struct buf *b)
{
    char text[TEXT_PUT_MAX];

    buf_append(b, text, (size_t)(text_put_offset(text, offset) - text));
}

void text_print_timetz(int64_t v, struct buf *b)
{
    text_print_clock(timetz_clock_us(v), b);
    text_print_offset(-timetz_west(v), b);
}

void text_print_timestamptz(int64_t us, int32_t offset, struct buf *b)
{
    int64_t local;

    if (us == INT64_MAX || us == INT64_MIN) {
        buf_puts(b, us > 0 ? "infinity" : "-infinity");
        return;
    }
    if (__builtin_add_overflow(us, (int64_t)offset * TEXT_US_SECOND, &local))
        local = us;
    text_print_civil(civil_floor(local, TEXT_US_DAY), b);
    buf_u8(b, ' ');
    text_print_clock(civil_mod(local, TEXT_US_DAY), b);
    text_print_offset(offset, b);
    text_print_era(civil_floor(local, TEXT_US_DAY), b);
}

int text_parse_date(const struct func_session *session,
                    struct vstr s,
                    int64_t *ret,
                    struct dn_err *err)
{
    struct text_instant t;
    struct tz_zone room;
    const struct tz_zone *zone;
    int rc = text_read_instant(session, TYPE_DATE, s, &t, err);

    if (rc == 0 && t.word.len)
        rc = text_find_zone(session, &t, &room, &zone, err);
    if (rc == 0)
        *ret = t.infinite > 0 ? INT32_MAX : t.infinite < 0 ? INT32_MIN : t.days;
    return rc;
}

/* The zone that a text names. Without a date it must have one offset for all times, as summer time
 * cannot be told. */
static int text_clock_zone(const struct func_session *session,
                           struct vstr s,
                           const struct text_instant *t,
                           enum type_id type,
                           struct tz_zone *room,
                           const struct tz_zone **ret,
                           struct dn_err *err)
{
    int rc = text_find_zone(session, t, room, ret, err);

    if (rc < 0 || t->dated || tz_is_fixed(*ret))
        return rc;
    return DN_FAIL(err,
                   DN_E_BAD_DATETIME,
                   "invalid input syntax for type %s: \"%.*s\"",
                   type == TYPE_TIME ? "time" : "time with time zone",
                   text_quote_len(s),
                   s.ptr);
}

/* hh:mm[:ss[.f]] [AM|PM], or a date and a time of which only the time counts. */
int text_parse_clock(const struct func_session *session,
                     struct vstr s,
                     int64_t *ret,
                     struct dn_err *err)
{
    struct text_instant t;
    struct tz_zone room;
    const struct tz_zone *zone;
    int rc = text_read_instant(session, TYPE_TIME, s, &t, err);

    if (rc == 0 && t.word.len)
        rc = text_clock_zone(session, s, &t, TYPE_TIME, &room, &zone, err);
    if (rc < 0)
        return rc;
    *ret = t.seconds * TEXT_US_SECOND + (t.ns + 500) / 1000;
    if (*ret > TEXT_US_DAY)
        return DN_FAIL(
            err, DN_E_DATETIME_RANGE, "time out of range: \"%.*s\"", text_quote_len(s), s.ptr);
    return 0;
}

/* The offset of a zone at a time of day, of the day that is written or of today. */
static int32_t text_clock_offset(const struct func_session *session,
                                 const struct tz_zone *zone,
                                 const struct text_instant *t)
{
    int64_t now = session ? civil_floor(session->transaction_ns, 1000000000) : 0;
    struct tz_span span = tz_span_at(zone, now);
    int64_t days = t->dated ? t->days : civil_floor(now + span.offset, CIVIL_DAY_SECONDS);

    return tz_local_offset(zone, days * CIVIL_DAY_SECONDS + t->seconds);
}

int text_parse_timetz(const struct func_session *session,
                      struct vstr s,
                      int64_t *ret,
                      struct dn_err *err)
{
    struct text_instant t;
    struct tz_zone room;
    const struct tz_zone *zone = session ? session->zone : NULL;
    int rc = text_read_instant(session, TYPE_TIMETZ, s, &t, err);
    int64_t us;
    int64_t east;

    if (rc == 0 && t.word.len)
        rc = text_clock_zone(session, s, &t, TYPE_TIMETZ, &room, &zone, err);
    if (rc < 0)
        return rc;
    us = t.seconds * TEXT_US_SECOND + (t.ns + 500) / 1000;
    east = t.zoned && !t.word.len ? t.zone : text_clock_offset(session, zone, &t);
    if (east < -TIMETZ_WEST_MAX || east > TIMETZ_WEST_MAX)
        return DN_FAIL(err,
                       DN_E_ZONE_RANGE,
                       "time zone displacement out of range: \"%.*s\"",
                       text_quote_len(s),
                       s.ptr);
    if (us > TEXT_US_DAY)
        return DN_FAIL(
            err, DN_E_DATETIME_RANGE, "time out of range: \"%.*s\"", text_quote_len(s), s.ptr);
    *ret = timetz_make(us, (int32_t)-east);
    return 0;
}

int text_parse_timestamptz(const struct func_session *session,
                           struct vstr s,
                           int64_t *ret,
                           struct dn_err *err)
{
    int64_t seconds;
    int32_t ns;
    bool exact;
    int rc = text_parse_time_in(session, true, s, &seconds, &ns, err);

    if (rc < 0)
        return rc;
    return text_time_to_type(seconds, ns, TYPE_TIMESTAMP_US, true, ret, &exact, err);
}

int text_parse_local(const struct func_session *session,
                     struct vstr s,
                     int64_t *ret,
                     struct dn_err *err)
{
    struct text_instant t;
    struct tz_zone room;
    const struct tz_zone *zone;
    int64_t seconds;
    bool exact;
    int rc = text_read_instant(session, TYPE_TIMESTAMP_LOCAL, s, &t, err);

    if (rc < 0)
        return rc;
    if (t.word.len) {
        rc = text_find_zone(session, &t, &room, &zone, err);
        if (rc < 0)
            return rc;
    }
    seconds = t.infinite > 0   ? INT64_MAX
              : t.infinite < 0 ? INT64_MIN
                               : t.days * CIVIL_DAY_SECONDS + t.seconds;
    return text_time_to_type(seconds, t.ns, TYPE_TIMESTAMP_LOCAL, true, ret, &exact, err);
}

/* ---- UUID ---- */

void text_print_uuid(struct vstr s, struct buf *b)
{
    static const char digits[] = "0123456789abcdef";

    for (uint32_t i = 0; i < s.len; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            buf_u8(b, '-');
        buf_u8(b, (uint8_t)digits[(uint8_t)s.ptr[i] >> 4]);
        buf_u8(b, (uint8_t)digits[(uint8_t)s.ptr[i] & 15]);
    }
}

/* 32 hexadecimal digits, a hyphen after any group of four, braces around it or not. */
int text_parse_uuid(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
{
    struct vstr whole = s;
    uint32_t digits = 0;
    char *to = arena_alloc(arena, 16);

    if (!to)
        return DN_FAIL_NOMEM(err);
    if (s.len >= 2 && s.ptr[0] == '{' && s.ptr[s.len - 1] == '}')
        s = (struct vstr){s.ptr + 1, s.len - 2};
    for (uint32_t i = 0; i < s.len; i++) {
        int v;

        if (s.ptr[i] == '-' && digits && digits % 4 == 0 && digits < 32 && s.ptr[i - 1] != '-')
            continue;
        v = number_hex(s.ptr[i]);
        if (v < 0 || digits == 32)
            return text_fail_syntax(TYPE_UUID, whole, err);
        to[digits / 2] = (char)(digits % 2 ? to[digits / 2] | v : v << 4);
        digits++;
    }
    if (digits != 32)
        return text_fail_syntax(TYPE_UUID, whole, err);
    *ret = (struct vstr){to, 16};
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * text_date_style.c: dates and times as text in the other styles of DateStyle: SQL (12/17/1997
 * 07:37:16 PST), Postgres (Wed Dec 17 07:37:16 1997 PST) and German (17.12.1997 07:37:16 PST).
 * Days come before months in German, and in the others if DateStyle says DMY. */
#include "base/civil.h"
#include "func/text_int.h"
#include "func/text_put.h"
#include "func/tz.h"

#define STYLE_NS_SECOND 1000000000
#define STYLE_NS_US     1000

static void style_day(const struct func_session *session, int64_t days, struct buf *b)
{
    struct civil c = civil_from_days(days);
    long long year = c.year > 0 ? c.year : 1 - c.year; /* there is no year 0: 1 BC */
    bool day_first = session->date_first == DATE_FIRST_DAY;
    char mark = session->date_style == DATE_AS_SQL ? '/' : '-';

    if (session->date_style == DATE_AS_GERMAN) {
        mark = '.';
        day_first = true;
    }
    buf_printf(b,
               "%02d%c%02d%c%04lld",
               day_first ? c.day : c.month,
               mark,
               day_first ? c.month : c.day,
               mark,
               year);
}

static void style_iso_day(int64_t days, struct buf *b)
{
    char text[TEXT_PUT_MAX];

    buf_append(b, text, (size_t)(text_put_day(text, days) - text));
}

static void style_era(int64_t days, struct buf *b)
{
    if (civil_from_days(days).year <= 0)
        buf_puts(b, " BC");
}

static void style_clock(int64_t seconds, int32_t ns, struct buf *b)
{
    char text[TEXT_PUT_MAX];
    char *to = text_put_seconds(text, (uint32_t)seconds);

    to = text_put_fraction(to, (uint32_t)ns, 9);
    buf_append(b, text, (size_t)(to - text));
}

/* Wed Dec 17 07:37:16 1997 */
static void style_words(
    const struct func_session *session, int64_t days, int64_t seconds, int32_t ns, struct buf *b)
{
    static const char *const names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct civil c = civil_from_days(days);

    buf_printf(b, "%s ", names[civil_mod(days + 4, 7)]); /* 1970 began with a Thursday */
    if (session->date_first == DATE_FIRST_DAY)
        buf_printf(b, "%02d %s ", c.day, months[c.month - 1]);
    else
        buf_printf(b, "%s %02d ", months[c.month - 1], c.day);
    style_clock(seconds, ns, b);
    buf_printf(b, " %04lld", (long long)(c.year > 0 ? c.year : 1 - c.year));
}

void text_print_date_in(const struct func_session *session, int64_t days, struct buf *b)
{
    if (!session || session->date_style == DATE_AS_ISO || days == INT32_MAX || days == INT32_MIN) {
        text_print_date(days, b);
        return;
    }
    style_day(session, days, b);
    style_era(days, b);
}

/* What clocks show at `seconds` and ns, then the zone unless that is NULL. */
static void style_stamp(const struct func_session *session,
                        int64_t seconds,
                        int32_t ns,
                        const char *zone,
                        struct buf *b)
{
    int64_t days = civil_floor(seconds, CIVIL_DAY_SECONDS);
    int64_t rest = civil_mod(seconds, CIVIL_DAY_SECONDS);

    if (session->date_style == DATE_AS_POSTGRES) {
        style_words(session, days, rest, ns, b);
    } else {
        style_day(session, days, b);
        buf_u8(b, ' ');
        style_clock(rest, ns, b);
    }
    if (zone)
        buf_printf(b, " %s", zone);
    style_era(days, b);
}

void text_print_zoned_in(const struct func_session *session, int64_t us, struct buf *b)
{
    int64_t seconds = civil_floor(us, STYLE_NS_SECOND / STYLE_NS_US);
    int32_t ns = (int32_t)civil_mod(us, STYLE_NS_SECOND / STYLE_NS_US) * STYLE_NS_US;
    struct tz_span span = tz_span_at(session ? session->zone : NULL, seconds);

    if (!session || session->date_style == DATE_AS_ISO || us == INT64_MAX || us == INT64_MIN)
        text_print_timestamptz(us, span.offset, b);
    else
        style_stamp(session, seconds + span.offset, ns, span.abbrev, b);
}

void text_print_local_in(const struct func_session *session, int64_t us, struct buf *b)
{
    int64_t seconds = civil_floor(us, STYLE_NS_SECOND / STYLE_NS_US);
    int32_t ns = (int32_t)civil_mod(us, STYLE_NS_SECOND / STYLE_NS_US) * STYLE_NS_US;
    int64_t days = civil_floor(seconds, CIVIL_DAY_SECONDS);

    if (us == INT64_MAX || us == INT64_MIN) {
        buf_puts(b, us > 0 ? "infinity" : "-infinity");
        return;
    }
    if (session && session->date_style != DATE_AS_ISO) {
        style_stamp(session, seconds, ns, NULL, b);
        return;
    }
    style_iso_day(days, b);
    buf_u8(b, ' ');
    style_clock(civil_mod(seconds, CIVIL_DAY_SECONDS), ns, b);
    style_era(days, b);
}

void text_print_time_in(const struct func_session *session,
                        int64_t value,
                        enum type_id type,
                        struct buf *b)
{
    int64_t per = type_ts_per_second(type);

    if (!session || session->date_style == DATE_AS_ISO || value == INT64_MAX || value == INT64_MIN)
        text_print_time(value, type, b);
    else
        style_stamp(session,
                    civil_floor(value, per),
                    (int32_t)(civil_mod(value, per) * (STYLE_NS_SECOND / per)),
                    NULL,
                    b);
}

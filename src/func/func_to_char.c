/* SPDX-License-Identifier: Apache-2.0
 *
 * func_to_char.c: times and intervals by a template. Words of the template stand for parts of the
 * time; the longest that fits counts, all else is copied. FM before a word leaves padding away, TH
 * behind one adds the ending of an ordinal number. */
#include "base/civil.h"
#include "func/str_int.h"
#include "func/tmpl.h"
#include "func/zoned.h"

#include <inttypes.h>

#define CHAR_US_DAY    ((int64_t)86400 * 1000000)
#define CHAR_US_SECOND 1000000

/* A time taken apart. */
struct char_time {
    bool interval;
    const char *zone; /* its abbreviation; NULL: none */
    int32_t offset;
    int64_t year;
    int month; /* 0 in an interval without */
    int day;
    int64_t hour;
    int minute;
    int second;
    int us;
    int week_day; /* 0 is Sunday */
    int year_day; /* from 1 */
    int64_t days; /* since 1970 */
    int64_t iso_year;
    int iso_week;
};

static void char_clock(int64_t us, struct char_time *t)
{
    t->hour = us / ((int64_t)3600 * CHAR_US_SECOND);
    t->minute = (int)(us / ((int64_t)60 * CHAR_US_SECOND) % 60);
    t->second = (int)(us / CHAR_US_SECOND % 60);
    t->us = (int)(us % CHAR_US_SECOND);
}

/* us: of the day. */
static struct char_time char_of_day(int64_t days, int64_t us)
{
    struct char_time t = {.days = days};
    struct civil c = civil_from_days(t.days);
    int64_t thursday;

    char_clock(us, &t);
    t.year = c.year;
    t.month = c.month;
    t.day = c.day;
    t.week_day = (int)civil_mod(t.days + 4, 7);
    t.year_day = (int)(t.days - civil_to_days(c.year, 1, 1)) + 1;
    thursday = t.days - civil_mod(t.days + 3, 7) + 3; /* of the same week */
    t.iso_year = civil_from_days(thursday).year;
    t.iso_week = (int)((thursday - civil_to_days(t.iso_year, 1, 1)) / 7) + 1;
    return t;
}

static struct char_time char_of_stamp(const struct func_ctx *ctx, const struct datum *d)
{
    int64_t us = d->type == TYPE_TIMESTAMP_NS ? civil_floor(d->v.i64, 1000) : d->v.i64;
    struct zoned z = zoned_make(zoned_session(ctx));
    struct char_time t;
    int64_t local = us;

    if (d->type == TYPE_TIMESTAMPTZ && zoned_local(&z, us, &local, NULL) < 0)
        local = us; /* at the very end of time */
    t = char_of_day(civil_floor(local, CHAR_US_DAY), civil_mod(local, CHAR_US_DAY));
    if (d->type == TYPE_TIMESTAMPTZ) {
        t.zone = z.span.abbrev;
        t.offset = z.span.offset;
    }
    return t;
}

static struct char_time char_of_interval(struct vinterval iv)
{
    struct char_time t = {.interval = true};

    char_clock(iv.us, &t);
    t.year = iv.months / 12;
    t.month = iv.months % 12;
    t.day = iv.days;
    t.year_day = (int)(t.year * 360 + t.month * 30 + t.day);
    t.iso_year = t.year;
    return t;
}

/* ---- words ---- */

/* Letters in the case of the word, filled with spaces to that width. */
static void
char_put_name(const char *name, size_t len, enum tmpl_case how, size_t width, struct buf *b)
{
    for (size_t i = 0; i < len; i++)
        buf_u8(b,
               (uint8_t)(how == TMPL_UPPER            ? tmpl_up(name[i])
                         : how == TMPL_LOWER || i > 0 ? tmpl_down(name[i])
                                                      : tmpl_up(name[i])));
    for (size_t i = len; i < width; i++)
        buf_u8(b, ' ');
}

/* At least that many digits; a minus comes on top. */
static void char_put_number(int64_t v, int width, bool fill, struct buf *b)
{
    if (fill && width == 2 && v >= 0 && v <= 99) { /* most of them */
        buf_u8(b, (uint8_t)('0' + v / 10));
        buf_u8(b, (uint8_t)('0' + v % 10));
        return;
    }
    if (!fill)
        buf_printf(b, "%" PRId64, v);
    else
        buf_printf(b, "%0*" PRId64, v < 0 ? width + 1 : width, v);
}

static int64_t char_bc_year(const struct char_time *t, int64_t year)
{
    return t->interval || year > 0 ? year : 1 - year;
}

static void
char_put_year(const struct char_time *t, int64_t year, int digits, bool fill, struct buf *b)
{
    int64_t v = char_bc_year(t, year);

    if (digits < 4)
        v %= digits == 3 ? 1000 : digits == 2 ? 100 : 10;
    char_put_number(v, digits, fill, b);
}

static int char_century(const struct char_time *t)
{
    if (t->interval)
        return (int)(t->year / 100);
    return (int)(t->year > 0 ? (t->year + 99) / 100 : -((100 - t->year) / 100));
}

static void char_put_clock(const struct char_time *t,
                           const struct tmpl_name *n,
                           enum tmpl_case how,
                           bool fill,
                           struct buf *b)
{
    static const int cuts[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    bool late = t->hour % 24 >= 12; /* a time before midnight is none after noon */
    int64_t twelve = t->hour % 12 == 0 ? 12 : t->hour % 12;
    int64_t seconds = (t->hour * 60 + t->minute) * 60 + t->second;

    switch (n->word) {
    case TMPL_AM:
        char_put_name(late ? "PM" : "AM", 2, how == TMPL_FIRST ? TMPL_LOWER : how, 0, b);
        break;
    case TMPL_AM_DOTS:
        char_put_name(late ? "P.M." : "A.M.", 4, how == TMPL_FIRST ? TMPL_LOWER : how, 0, b);
        break;
    case TMPL_HH12:
        char_put_number(twelve, 2, fill, b);
        break;
    case TMPL_HH24:
        char_put_number(t->hour, 2, fill, b);
        break;
    case TMPL_MI:
        char_put_number(t->minute, 2, fill, b);
        break;
    case TMPL_SS:
        char_put_number(t->second, 2, fill, b);
        break;
    case TMPL_SSSS:
        buf_printf(b, "%" PRId64, seconds);
        break;
    case TMPL_MS:
        buf_printf(b, "%03d", t->us / 1000);
        break;
    case TMPL_US:
        buf_printf(b, "%06d", t->us);
        break;
    default: /* TMPL_FF: the others are char_put_date's */
        buf_printf(b, "%0*d", n->digits, t->us / cuts[n->digits]);
        break;
    }
}

static void char_put_month(
    const struct char_time *t, enum tmpl_word word, enum tmpl_case how, bool fill, struct buf *b)
{
    /* An interval counts from 0, and back from there. */
    int m = t->month > 0 ? t->month - 1 : t->month < 0 ? t->month + 12 : t->year < 0 ? 0 : 11;

    if (word == TMPL_MM)
        char_put_number(t->month, 2, fill, b);
    else if (word == TMPL_RM && t->month == 0 && t->interval && t->year == 0)
        return;
    else if (word == TMPL_RM)
        char_put_name(tmpl_romans[m],
                      strlen(tmpl_romans[m]),
                      how == TMPL_FIRST ? TMPL_LOWER : how,
                      fill ? 4 : 0,
                      b);
    else if (word == TMPL_MON)
        char_put_name(tmpl_months[m], 3, how, 0, b);
    else
        char_put_name(tmpl_months[m], strlen(tmpl_months[m]), how, fill ? 9 : 0, b);
}

static void char_put_era(const struct char_time *t, bool dots, enum tmpl_case how, struct buf *b)
{
    bool before = t->year <= 0;

    how = how == TMPL_FIRST ? TMPL_LOWER : how;
    if (dots)
        char_put_name(before ? "B.C." : "A.D.", 4, how, 0, b);
    else
        char_put_name(before ? "BC" : "AD", 2, how, 0, b);
}

static void char_put_week(
    const struct char_time *t, enum tmpl_word word, enum tmpl_case how, bool fill, struct buf *b)
{
    const char *name = tmpl_days[t->week_day];

    switch (word) {
    case TMPL_DAY:
        char_put_name(name, strlen(name), how, fill ? 9 : 0, b);
        break;
    case TMPL_DY:
        char_put_name(name, 3, how, 0, b);
        break;
    case TMPL_D:
        char_put_number(t->week_day + 1, 1, false, b);
        break;
    case TMPL_ID:
        char_put_number(t->week_day == 0 ? 7 : t->week_day, 1, false, b);
        break;
    case TMPL_W:
        char_put_number((t->day - 1) / 7 + 1, 1, false, b);
        break;
    case TMPL_WW:
        char_put_number((t->year_day - 1) / 7 + 1, 2, fill, b);
        break;
    case TMPL_IW:
        char_put_number(t->iso_week, 2, fill, b);
        break;
    default: /* TMPL_IDDD: char_put sends no other */
        char_put_number((t->iso_week - 1) * 7 + (t->week_day == 0 ? 7 : t->week_day), 3, fill, b);
        break;
    }
}

static void char_put_zone(
    const struct char_time *t, enum tmpl_word word, enum tmpl_case how, bool fill, struct buf *b)
{
    int32_t a = t->offset < 0 ? -t->offset : t->offset;

    if (word == TMPL_TZ) {
        if (t->zone)
            char_put_name(t->zone, strlen(t->zone), how == TMPL_FIRST ? TMPL_LOWER : how, 0, b);
        return;
    }
    if (word == TMPL_TZM) {
        buf_printf(b, "%02d", a / 60 % 60);
        return;
    }
    buf_printf(b, "%c%0*d", t->offset < 0 ? '-' : '+', fill || word == TMPL_TZH ? 2 : 1, a / 3600);
    if (word == TMPL_OF && a / 60 % 60)
        buf_printf(b, ":%02d", a / 60 % 60);
}

/* An interval is a date then, too: so many years, months and days from the year 0 on. */
static int64_t char_julian(const struct char_time *t)
{
    int64_t month = t->interval ? t->year * 12 + t->month - 1 : 0;

    if (!t->interval)
        return t->days + TMPL_JULIAN;
    return civil_to_days(civil_floor(month, 12), (int)civil_mod(month, 12) + 1, 1) + t->day - 1 +
           TMPL_JULIAN;
}

static void char_put_date(const struct char_time *t,
                          const struct tmpl_name *n,
                          enum tmpl_case how,
                          bool fill,
                          struct buf *b)
{
    int64_t year = char_bc_year(t, t->year);

    switch (n->word) {
    case TMPL_AD:
    case TMPL_AD_DOTS:
        char_put_era(t, n->word == TMPL_AD_DOTS, how, b);
        break;
    case TMPL_Y_YYY:
        buf_printf(b, "%" PRId64 ",%03d", year / 1000, (int)(year % 1000));
        break;
    case TMPL_YEAR:
        char_put_year(t, t->year, n->digits, fill, b);
        break;
    case TMPL_ISO_YEAR:
        char_put_year(t, t->iso_year, n->digits, fill, b);
        break;
    case TMPL_CC:
        char_put_number(char_century(t), 2, fill, b);
        break;
    case TMPL_DDD:
        char_put_number(t->year_day, 3, fill, b);
        break;
    case TMPL_DD:
        char_put_number(t->day, t->day < 0 ? 1 : 2, fill, b);
        break;
    case TMPL_Q:
        if (t->month != 0)
            char_put_number((t->month - 1) / 3 + 1, 1, false, b);
        break;
    case TMPL_J:
        char_put_number(char_julian(t), 1, false, b);
        break;
    default: /* the words of zones: char_put sends no others */
        char_put_zone(t, n->word, how, fill, b);
        break;
    }
}

static void char_put(const struct char_time *t,
                     const struct tmpl_name *n,
                     enum tmpl_case how,
                     bool fill,
                     struct buf *b)
{
    if (n->word <= TMPL_AM_DOTS || (n->word >= TMPL_HH12 && n->word <= TMPL_FF))
        char_put_clock(t, n, how, fill, b);
    else if (n->word >= TMPL_MONTH && n->word <= TMPL_RM)
        char_put_month(t, n->word, how, fill, b);
    else if (n->word == TMPL_DAY || n->word == TMPL_DY || n->word == TMPL_IDDD ||
             (n->word >= TMPL_D && n->word <= TMPL_IW))
        char_put_week(t, n->word, how, fill, b);
    else
        char_put_date(t, n, how, fill, b);
}

/* ---- templates ---- */

/* st, nd, rd or th after the digits that end b. */
static void char_put_ordinal(bool upper, struct buf *b)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    uint8_t last = b->len ? b->data[b->len - 1] : 0;
    uint8_t before = b->len > 1 ? b->data[b->len - 2] : 0;
    size_t i = last >= '1' && last <= '3' && before != '1' ? (size_t)(last - '0') : 0;

    char_put_name(ends[i], 2, upper ? TMPL_UPPER : TMPL_LOWER, 0, b);
}

/* "text" as it is, \" a quote in it. Behind the first quote. */
static uint32_t char_put_quoted(struct vstr s, uint32_t at, struct buf *b)
{
    for (; at < s.len && s.ptr[at] != '"'; at++) {
        if (s.ptr[at] == '\\' && at + 1 < s.len)
            at++;
        buf_u8(b, (uint8_t)s.ptr[at]);
    }
    return at + 1;
}

/* Behind a word: one TH, or SP, which says nothing. */
static uint32_t char_skip_suffix(struct vstr s, uint32_t at)
{
    bool sp = at + 1 < s.len && s.ptr[at] == 'S' && s.ptr[at + 1] == 'P';

    return tmpl_starts(s, at, "TH") || sp ? at + 2 : at;
}

/* Does TH behind it count? */
static bool char_is_number(enum tmpl_word word)
{
    return !(word <= TMPL_AD_DOTS || word == TMPL_MONTH || word == TMPL_MON || word == TMPL_RM ||
             word == TMPL_DAY || word == TMPL_DY || word >= TMPL_TZ);
}

static int
char_run(const struct str_call *c, const struct char_time *t, struct vstr s, struct buf *b)
{
    uint64_t steps = 0;

    for (uint32_t at = 0; at < s.len;) {
        bool fill = true;
        const struct tmpl_name *n;
        int rc = str_steps(c, TMPL_STEPS, &steps);

        if (rc < 0)
            return rc;
        if (tmpl_starts(s, at, "FM") || tmpl_starts(s, at, "TM")) {
            fill = (s.ptr[at] | 32) != 'f';
            at += 2;
        }
        n = at < s.len ? tmpl_find(s, at) : NULL;
        if (n && at >= 2 && (n->word == TMPL_MONTH || n->word == TMPL_DAY) &&
            tmpl_starts(s, at - 2, "TM"))
            fill = false; /* names in other languages have other lengths */
        if (!n && tmpl_starts(s, at, "FX")) {
            at = char_skip_suffix(s, at + 2);
        } else if (n) {
            if (t->interval && n->spoken)
                return DN_FAIL(c->err,
                               DN_E_BAD_DATETIME,
                               "invalid format specification for an interval value");
            char_put(t, n, tmpl_case_of(s.ptr + at, strlen(n->name)), fill, b);
            at += (uint32_t)strlen(n->name);
            if (tmpl_starts(s, at, "TH") && char_is_number(n->word))
                char_put_ordinal(s.ptr[at] == 'T', b);
            at = char_skip_suffix(s, at);
        } else if (at < s.len && s.ptr[at] == '"') {
            at = char_put_quoted(s, at + 1, b);
        } else if (at < s.len) {
            at += s.ptr[at] == '\\' && at + 1 < s.len && s.ptr[at + 1] == '"';
            buf_u8(b, (uint8_t)s.ptr[at++]);
        }
    }
    return 0;
}

/* ---- kernels ---- */

static int str_to_char(const struct str_call *c, struct vstr *ret)
{
    struct datum d = vec_datum(&c->args[0], c->row);
    struct char_time t;
    struct buf b;
    char *to;
    int rc;

    if (d.type == TYPE_INTERVAL)
        t = char_of_interval(d.iv);
    else if (d.type == TYPE_DATE)
        t = char_of_day(d.v.i64, 0);
    else
        t = char_of_stamp(c->ctx, &d);
    buf_init(&b, c->ctx->arena->owner);
    rc = char_run(c, &t, str_arg(c, 1), &b);
    if (rc == 0)
        rc = b.failed ? DN_FAIL_NOMEM(c->err) : func_text_room(c->ctx, b.len, &to, c->err);
    if (rc == 0) {
        if (b.len)
            memcpy(to, b.data, b.len);
        *ret = (struct vstr){to, (uint32_t)b.len};
    }
    buf_done(&b);
    return rc;
}

/* An infinite time has no parts. */
static bool char_infinite(const struct vec *v, uint32_t row)
{
    int64_t x = v->type == TYPE_DATE || type_is_timestamp(v->type) || v->type == TYPE_TIMESTAMPTZ ||
                        v->type == TYPE_TIMESTAMP_LOCAL
                    ? vec_i64(v, row)
                    : 0;

    if (v->type == TYPE_DATE)
        return x == INT32_MIN || x == INT32_MAX;
    return x == INT64_MIN || x == INT64_MAX;
}

/* NULL where the time is infinite or the template is empty. */
static int func_to_char(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        if (vec_is_null(ret, i) || char_infinite(&args[0], i) || vec_str(&args[1], i).len == 0)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return str_rows(ctx, args, args_count, count, str_to_char, ret, err);
}

#define TO_CHAR(t, text, sample) \
    STR("to_char", 2, func_to_char, text, sample, TYPE_##t, TYPE_VARCHAR)

#define TIME_DOC                                                                            \
    "The time by a template: YYYY, MM, DD, HH24, MI, SS, MS, Month, Day and the others of " \
    "PostgreSQL."

static const struct func func_to_char_rows[] = {
    TO_CHAR(
        TIMESTAMP_US,
        TIME_DOC,
        "to_char(TIMESTAMP(6) '2015-06-01 14:05:09', 'FMDay, DD Mon YYYY HH12:MI AM') = Monday, 01 "
        "Jun 2015 02:05 PM"),
    TO_CHAR(
        TIMESTAMP_NS, TIME_DOC, "to_char(TIMESTAMP(9) '2015-06-01 14:05:09.123456', 'FF3') = 123"),
    TO_CHAR(TIMESTAMPTZ, TIME_DOC, "to_char(TIMESTAMPTZ '2015-06-01', 'IYYY-IW TZ') = 2015-23 UTC"),
    TO_CHAR(TIMESTAMP_LOCAL,
            TIME_DOC,
            "to_char(TIMESTAMPTZ '2015-06-01 14:05' AT TIME ZONE 'UTC', 'HH24:MI') = 14:05"),
    TO_CHAR(DATE, TIME_DOC, "to_char(DATE '2015-06-01', 'DD.MM.YY') = 01.06.15"),
    TO_CHAR(INTERVAL,
            "The interval by a template.",
            "to_char(INTERVAL '15h 2m 12s', 'HH24:MI:SS') = 15:02:12"),
};

const struct func_table func_table_to_char = {func_to_char_rows, DN_ARRAY_SIZE(func_to_char_rows)};

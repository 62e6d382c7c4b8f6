/* SPDX-License-Identifier: Apache-2.0
 *
 * func_to_char.c: times and intervals by a template. Words of the template stand for parts of the
 * time; the longest that fits counts, all else is copied. FM before a word leaves padding away, TH
 * behind one adds the ending of an ordinal number. */
#include "func/civil.h"
#include "func/str_int.h"

#include <inttypes.h>

#define CHAR_US_DAY    ((int64_t)86400 * 1000000)
#define CHAR_US_SECOND 1000000
#define CHAR_JULIAN    2440588 /* Julian day of 1970-01-01 */

enum char_word {
    CHAR_AM,
    CHAR_AM_DOTS,
    CHAR_AD,
    CHAR_AD_DOTS,
    CHAR_HH12,
    CHAR_HH24,
    CHAR_MI,
    CHAR_SS,
    CHAR_SSSS,
    CHAR_MS,
    CHAR_US,
    CHAR_FF,
    CHAR_Y_YYY,
    CHAR_YEAR,
    CHAR_ISO_YEAR,
    CHAR_CC,
    CHAR_MONTH,
    CHAR_MON,
    CHAR_MM,
    CHAR_RM,
    CHAR_DAY,
    CHAR_DY,
    CHAR_DDD,
    CHAR_IDDD,
    CHAR_DD,
    CHAR_D,
    CHAR_ID,
    CHAR_W,
    CHAR_WW,
    CHAR_IW,
    CHAR_Q,
    CHAR_J,
    CHAR_TZ,
    CHAR_TZH,
    CHAR_TZM,
    CHAR_OF,
};

/* How the letters of a word were written, which its text follows. */
enum char_case { CHAR_UPPER, CHAR_FIRST, CHAR_LOWER };

static const struct char_name {
    const char *name;
    enum char_word word;
    int digits;  /* of years and fractions */
    bool spoken; /* it has letters, whose case counts; no interval has it */
} char_names[] = {
    {"A.M.", CHAR_AM_DOTS, 0, false},
    {"P.M.", CHAR_AM_DOTS, 0, false},
    {"AM", CHAR_AM, 0, false},
    {"PM", CHAR_AM, 0, false},
    {"A.D.", CHAR_AD_DOTS, 0, true},
    {"B.C.", CHAR_AD_DOTS, 0, true},
    {"AD", CHAR_AD, 0, true},
    {"BC", CHAR_AD, 0, true},
    {"HH24", CHAR_HH24, 0, false},
    {"HH12", CHAR_HH12, 0, false},
    {"HH", CHAR_HH12, 0, false},
    {"MI", CHAR_MI, 0, false},
    {"SSSSS", CHAR_SSSS, 0, false},
    {"SSSS", CHAR_SSSS, 0, false},
    {"SS", CHAR_SS, 0, false},
    {"MS", CHAR_MS, 0, false},
    {"US", CHAR_US, 0, false},
    {"FF1", CHAR_FF, 1, false},
    {"FF2", CHAR_FF, 2, false},
    {"FF3", CHAR_FF, 3, false},
    {"FF4", CHAR_FF, 4, false},
    {"FF5", CHAR_FF, 5, false},
    {"FF6", CHAR_FF, 6, false},
    {"Y,YYY", CHAR_Y_YYY, 0, false},
    {"YYYY", CHAR_YEAR, 4, false},
    {"YYY", CHAR_YEAR, 3, false},
    {"YY", CHAR_YEAR, 2, false},
    {"Y", CHAR_YEAR, 1, false},
    {"IYYY", CHAR_ISO_YEAR, 4, false},
    {"IYY", CHAR_ISO_YEAR, 3, false},
    {"IY", CHAR_ISO_YEAR, 2, false},
    {"I", CHAR_ISO_YEAR, 1, false},
    {"CC", CHAR_CC, 0, false},
    {"MONTH", CHAR_MONTH, 0, true},
    {"MON", CHAR_MON, 0, true},
    {"MM", CHAR_MM, 0, false},
    {"RM", CHAR_RM, 0, false},
    {"DAY", CHAR_DAY, 0, true},
    {"DY", CHAR_DY, 0, true},
    {"IDDD", CHAR_IDDD, 0, false},
    {"DDD", CHAR_DDD, 0, false},
    {"DD", CHAR_DD, 0, false},
    {"D", CHAR_D, 0, true},
    {"ID", CHAR_ID, 0, true},
    {"WW", CHAR_WW, 0, false},
    {"W", CHAR_W, 0, false},
    {"IW", CHAR_IW, 0, false},
    {"Q", CHAR_Q, 0, false},
    {"J", CHAR_J, 0, false},
    {"TZH", CHAR_TZH, 0, true},
    {"TZM", CHAR_TZM, 0, true},
    {"TZ", CHAR_TZ, 0, true},
    {"OF", CHAR_OF, 0, true},
};

static const char *const char_months[] = {"January",
                                          "February",
                                          "March",
                                          "April",
                                          "May",
                                          "June",
                                          "July",
                                          "August",
                                          "September",
                                          "October",
                                          "November",
                                          "December"};
static const char *const char_days[] = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const char_romans[] = {
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};

/* A time taken apart. */
struct char_time {
    bool interval;
    bool zoned;
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

static struct char_time char_of_stamp(int64_t us, bool zoned)
{
    struct char_time t = {.zoned = zoned, .days = civil_floor(us, CHAR_US_DAY)};
    struct civil c = civil_from_days(t.days);
    int64_t thursday;

    char_clock(civil_mod(us, CHAR_US_DAY), &t);
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

static char char_up(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static char char_down(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Letters in the case of the word, filled with spaces to that width. */
static void
char_put_name(const char *name, size_t len, enum char_case how, size_t width, struct buf *b)
{
    for (size_t i = 0; i < len; i++)
        buf_u8(b,
               (uint8_t)(how == CHAR_UPPER            ? char_up(name[i])
                         : how == CHAR_LOWER || i > 0 ? char_down(name[i])
                                                      : char_up(name[i])));
    for (size_t i = len; i < width; i++)
        buf_u8(b, ' ');
}

/* At least that many digits; a minus comes on top. */
static void char_put_number(int64_t v, int width, bool fill, struct buf *b)
{
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
                           const struct char_name *n,
                           enum char_case how,
                           bool fill,
                           struct buf *b)
{
    static const int cuts[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    bool late = t->hour % 24 >= 12; /* a time before midnight is none after noon */
    int64_t twelve = t->hour % 12 == 0 ? 12 : t->hour % 12;
    int64_t seconds = (t->hour * 60 + t->minute) * 60 + t->second;

    switch (n->word) {
    case CHAR_AM:
        char_put_name(late ? "PM" : "AM", 2, how == CHAR_FIRST ? CHAR_LOWER : how, 0, b);
        break;
    case CHAR_AM_DOTS:
        char_put_name(late ? "P.M." : "A.M.", 4, how == CHAR_FIRST ? CHAR_LOWER : how, 0, b);
        break;
    case CHAR_HH12:
        char_put_number(twelve, 2, fill, b);
        break;
    case CHAR_HH24:
        char_put_number(t->hour, 2, fill, b);
        break;
    case CHAR_MI:
        char_put_number(t->minute, 2, fill, b);
        break;
    case CHAR_SS:
        char_put_number(t->second, 2, fill, b);
        break;
    case CHAR_SSSS:
        buf_printf(b, "%" PRId64, seconds);
        break;
    case CHAR_MS:
        buf_printf(b, "%03d", t->us / 1000);
        break;
    case CHAR_US:
        buf_printf(b, "%06d", t->us);
        break;
    default: /* CHAR_FF: the others are char_put_date's */
        buf_printf(b, "%0*d", n->digits, t->us / cuts[n->digits]);
        break;
    }
}

static void char_put_month(
    const struct char_time *t, enum char_word word, enum char_case how, bool fill, struct buf *b)
{
    int m = t->month > 0 ? t->month - 1 : t->month + 11; /* an interval counts from 0 */

    if (word == CHAR_MM)
        char_put_number(t->month, 2, fill, b);
    else if (word == CHAR_RM && t->month == 0 && t->interval && t->year == 0)
        return;
    else if (word == CHAR_RM)
        char_put_name(char_romans[m],
                      strlen(char_romans[m]),
                      how == CHAR_FIRST ? CHAR_LOWER : how,
                      fill ? 4 : 0,
                      b);
    else if (word == CHAR_MON)
        char_put_name(char_months[m], 3, how, 0, b);
    else
        char_put_name(char_months[m], strlen(char_months[m]), how, fill ? 9 : 0, b);
}

static void char_put_era(const struct char_time *t, bool dots, enum char_case how, struct buf *b)
{
    bool before = t->year <= 0;

    how = how == CHAR_FIRST ? CHAR_LOWER : how;
    if (dots)
        char_put_name(before ? "B.C." : "A.D.", 4, how, 0, b);
    else
        char_put_name(before ? "BC" : "AD", 2, how, 0, b);
}

static void char_put_week(
    const struct char_time *t, enum char_word word, enum char_case how, bool fill, struct buf *b)
{
    const char *name = char_days[t->week_day];

    switch (word) {
    case CHAR_DAY:
        char_put_name(name, strlen(name), how, fill ? 9 : 0, b);
        break;
    case CHAR_DY:
        char_put_name(name, 3, how, 0, b);
        break;
    case CHAR_D:
        char_put_number(t->week_day + 1, 1, false, b);
        break;
    case CHAR_ID:
        char_put_number(t->week_day == 0 ? 7 : t->week_day, 1, false, b);
        break;
    case CHAR_W:
        char_put_number((t->day - 1) / 7 + 1, 1, false, b);
        break;
    case CHAR_WW:
        char_put_number((t->year_day - 1) / 7 + 1, 2, fill, b);
        break;
    case CHAR_IW:
        char_put_number(t->iso_week, 2, fill, b);
        break;
    default: /* CHAR_IDDD: char_put sends no other */
        char_put_number((t->iso_week - 1) * 7 + (t->week_day == 0 ? 7 : t->week_day), 3, fill, b);
        break;
    }
}

/* An interval is a date then, too: so many years, months and days from the year 0 on. */
static int64_t char_julian(const struct char_time *t)
{
    int64_t month = t->interval ? t->year * 12 + t->month - 1 : 0;

    if (!t->interval)
        return t->days + CHAR_JULIAN;
    return civil_to_days(civil_floor(month, 12), (int)civil_mod(month, 12) + 1, 1) + t->day - 1 +
           CHAR_JULIAN;
}

static void char_put_date(const struct char_time *t,
                          const struct char_name *n,
                          enum char_case how,
                          bool fill,
                          struct buf *b)
{
    int64_t year = char_bc_year(t, t->year);

    switch (n->word) {
    case CHAR_AD:
    case CHAR_AD_DOTS:
        char_put_era(t, n->word == CHAR_AD_DOTS, how, b);
        break;
    case CHAR_Y_YYY:
        buf_printf(b, "%" PRId64 ",%03d", year / 1000, (int)(year % 1000));
        break;
    case CHAR_YEAR:
        char_put_year(t, t->year, n->digits, fill, b);
        break;
    case CHAR_ISO_YEAR:
        char_put_year(t, t->iso_year, n->digits, fill, b);
        break;
    case CHAR_CC:
        char_put_number(char_century(t), 2, fill, b);
        break;
    case CHAR_DDD:
        char_put_number(t->year_day, 3, fill, b);
        break;
    case CHAR_DD:
        char_put_number(t->day, t->day < 0 ? 1 : 2, fill, b);
        break;
    case CHAR_Q:
        if (t->month != 0)
            char_put_number((t->month - 1) / 3 + 1, 1, false, b);
        break;
    case CHAR_J:
        char_put_number(char_julian(t), 1, false, b);
        break;
    case CHAR_TZ:
        if (t->zoned)
            char_put_name("UTC", 3, how == CHAR_FIRST ? CHAR_LOWER : how, 0, b);
        break;
    case CHAR_TZM:
        buf_puts(b, "00");
        break;
    default: /* CHAR_TZH, CHAR_OF: times are UTC */
        buf_puts(b, "+00");
        break;
    }
}

static void char_put(const struct char_time *t,
                     const struct char_name *n,
                     enum char_case how,
                     bool fill,
                     struct buf *b)
{
    if (n->word <= CHAR_AM_DOTS || (n->word >= CHAR_HH12 && n->word <= CHAR_FF))
        char_put_clock(t, n, how, fill, b);
    else if (n->word >= CHAR_MONTH && n->word <= CHAR_RM)
        char_put_month(t, n->word, how, fill, b);
    else if (n->word == CHAR_DAY || n->word == CHAR_DY || n->word == CHAR_IDDD ||
             (n->word >= CHAR_D && n->word <= CHAR_IW))
        char_put_week(t, n->word, how, fill, b);
    else
        char_put_date(t, n, how, fill, b);
}

/* ---- templates ---- */

static bool char_starts(struct vstr s, uint32_t at, const char *word)
{
    uint32_t i = 0;

    for (; word[i]; i++)
        if (at + i >= s.len || char_up(s.ptr[at + i]) != word[i])
            return false;
    return true;
}

static const struct char_name *char_find(struct vstr s, uint32_t at)
{
    const struct char_name *best = NULL;

    for (size_t i = 0; i < DN_ARRAY_SIZE(char_names); i++)
        if (char_starts(s, at, char_names[i].name) &&
            (!best || strlen(char_names[i].name) > strlen(best->name)))
            best = &char_names[i];
    return best;
}

static enum char_case char_case_of(const char *word)
{
    if (word[0] >= 'a' && word[0] <= 'z')
        return CHAR_LOWER;
    return word[1] >= 'a' && word[1] <= 'z' ? CHAR_FIRST : CHAR_UPPER;
}

/* st, nd, rd or th after the digits that end b. */
static void char_put_ordinal(bool upper, struct buf *b)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    uint8_t last = b->len ? b->data[b->len - 1] : 0;
    uint8_t before = b->len > 1 ? b->data[b->len - 2] : 0;
    size_t i = last >= '1' && last <= '3' && before != '1' ? (size_t)(last - '0') : 0;

    char_put_name(ends[i], 2, upper ? CHAR_UPPER : CHAR_LOWER, 0, b);
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

static int char_run(const struct char_time *t, struct vstr s, struct buf *b, struct dn_err *err)
{
    for (uint32_t at = 0; at < s.len;) {
        bool fill = true;
        const struct char_name *n;

        for (;; at += 2) {
            if (char_starts(s, at, "FM"))
                fill = false;
            else if (!char_starts(s, at, "TM") && !char_starts(s, at, "FX"))
                break;
        }
        n = at < s.len ? char_find(s, at) : NULL;
        if (n) {
            if (t->interval && n->spoken)
                return DN_FAIL(
                    err, DN_E_BAD_DATETIME, "invalid format specification for an interval value");
            char_put(t, n, char_case_of(s.ptr + at), fill, b);
            at += (uint32_t)strlen(n->name);
            if (char_starts(s, at, "TH")) {
                char_put_ordinal(s.ptr[at] == 'T', b);
                at += 2;
            }
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
        t = char_of_stamp(d.v.i64 * CHAR_US_DAY, false);
    else
        t = char_of_stamp(d.type == TYPE_TIMESTAMP_NS ? civil_floor(d.v.i64, 1000) : d.v.i64,
                          d.type == TYPE_TIMESTAMPTZ);
    buf_init(&b, c->ctx->arena->owner);
    rc = char_run(&t, str_arg(c, 1), &b, c->err);
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
    int64_t x = v->type == TYPE_TIMESTAMPTZ || v->type == TYPE_DATE ? vec_i64(v, row) : 0;

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
    TO_CHAR(DATE, TIME_DOC, "to_char(DATE '2015-06-01', 'DD.MM.YY') = 01.06.15"),
    TO_CHAR(INTERVAL,
            "The interval by a template.",
            "to_char(INTERVAL '15h 2m 12s', 'HH24:MI:SS') = 15:02:12"),
};

const struct func_table func_table_to_char = {func_to_char_rows, DN_ARRAY_SIZE(func_to_char_rows)};

/* SPDX-License-Identifier: Apache-2.0
 *
 * from_char.c: the words of a template, read from a text. A number takes as many digits as its word
 * has, or all there are if no digit can follow. */
#include "func/from_char.h"

#include <strings.h>

static int read_bad_value(const struct read_in *r, uint32_t from, uint32_t len)
{
    return DN_FAIL(r->c->err,
                   DN_E_BAD_DATETIME,
                   "invalid value \"%.*s\" for \"%.*s\"",
                   (int)(len > r->in.len - from ? r->in.len - from : len),
                   r->in.ptr + from,
                   (int)r->word_len,
                   r->word);
}

static int read_set(struct read_in *r, int64_t *to, int64_t v)
{
    if (*to != 0 && *to != v)
        return DN_FAIL(r->c->err,
                       DN_E_BAD_DATETIME,
                       "conflicting values for \"%.*s\" field in formatting string",
                       (int)r->word_len,
                       r->word);
    *to = v;
    return 0;
}

/* A number of up to `len` digits; ret_len tells how many characters it took. */
static int read_number(struct read_in *r, uint32_t len, int64_t *to, uint32_t *ret_len)
{
    uint32_t start;
    uint32_t most;
    bool negative;
    int64_t v = 0;
    int rc;

    while (text_is_space(read_ahead(r)) && r->at < r->in.len)
        r->at++;
    start = r->at;
    most = r->fill || !r->number_next ? r->in.len : start + len;
    if (most > r->in.len && !r->fill) {
        rc = DN_FAIL(r->c->err,
                     DN_E_BAD_DATETIME,
                     "source string too short for \"%.*s\" formatting field",
                     (int)r->word_len,
                     r->word);
        dn_err_hint(r->c->err,
                    "If your source string is not fixed-width, try using the \"FM\" modifier.");
        return rc;
    }
    negative = read_ahead(r) == '-';
    r->at += negative || read_ahead(r) == '+';
    for (; r->at < most && text_is_digit(read_ahead(r)); r->at++) {
        v = v * 10 + (read_ahead(r) - '0');
        if (v > INT32_MAX)
            return DN_FAIL(r->c->err,
                           DN_E_DATETIME_RANGE,
                           "value for \"%.*s\" in source string is out of range",
                           (int)r->word_len,
                           r->word);
    }
    *ret_len = r->at - start;
    if (r->at == start + negative || (r->number_next && !r->fill && *ret_len < len)) {
        r->at = start;
        return read_bad_value(r, start, len);
    }
    return read_set(r, to, negative ? -v : v);
}

static int read_int(struct read_in *r, uint32_t len, int64_t *to)
{
    uint32_t n;

    return read_number(r, len, to, &n);
}

/* One of some words, in any case; `len` characters of each count (0: all). */
static int
read_word(struct read_in *r, const char *const *words, size_t count, size_t len, int64_t *ret)
{
    size_t best = 0;
    uint32_t end = r->at;

    for (size_t i = 0; i < count; i++) {
        size_t n = len ? len : strlen(words[i]);

        if (n > best && n <= r->in.len - r->at &&
            strncasecmp(words[i], r->in.ptr + r->at, n) == 0) {
            best = n;
            *ret = (int64_t)i;
        }
    }
    if (best == 0) {
        while (end < r->in.len && !text_is_space(r->in.ptr[end]))
            end++;
        return read_bad_value(r, r->at, end - r->at);
    }
    r->at += (uint32_t)best;
    return 0;
}

static int read_calendar(struct read_in *r, enum read_calendar c)
{
    int rc;

    if (r->calendar == READ_ANY || r->calendar == c) {
        r->calendar = c;
        return 0;
    }
    rc = DN_FAIL(r->c->err, DN_E_BAD_DATETIME, "invalid combination of date conventions");
    dn_err_hint(r->c->err,
                "Do not mix Gregorian and ISO week date conventions in a formatting template.");
    return rc;
}

/* ---- words ---- */

static int read_half(struct read_in *r, bool dots)
{
    static const char *const plain[] = {"AM", "PM"};
    static const char *const dotted[] = {"A.M.", "P.M."};
    int64_t which = 0;
    int rc = read_word(r, dots ? dotted : plain, 2, 0, &which);

    r->pm = which == 1;
    r->twelve = true;
    return rc;
}

static int read_era(struct read_in *r, bool dots)
{
    static const char *const plain[] = {"AD", "BC"};
    static const char *const dotted[] = {"A.D.", "B.C."};
    int64_t which = 0;
    int rc = read_word(r, dots ? dotted : plain, 2, 0, &which);

    r->bc = which == 1;
    return rc;
}

/* Digits behind a point: 5 is as much as 500. */
static int read_fraction(struct read_in *r, uint32_t digits, uint32_t unit, int64_t *to)
{
    uint32_t n = 0;
    int rc = read_number(r, digits, to, &n);

    for (; rc == 0 && n < unit; n++)
        *to *= 10;
    return rc;
}

static int read_year(struct read_in *r, uint32_t digits)
{
    uint32_t n = 0;
    int64_t y;
    int rc = read_number(r, digits, &r->year, &n);

    y = r->year;
    r->year_digits = (int)digits;
    if (rc == 0 && digits < 4 && n < 4) /* the year that is closest to 2020 */
        r->year = y < 70     ? y + 2000
                  : y < 100  ? y + 1900
                  : y < 520  ? y + 2000
                  : y < 1000 ? y + 1000
                             : y;
    return rc;
}

static int read_grouped_year(struct read_in *r)
{
    int64_t thousands = 0;
    int64_t rest = 0;
    uint32_t start = r->at;

    while (text_is_digit(read_ahead(r)) && thousands < 100000)
        thousands = thousands * 10 + (r->in.ptr[r->at++] - '0');
    if (read_ahead(r) != ',' || r->in.len - r->at < 4) {
        r->at = start;
        return DN_FAIL(r->c->err, DN_E_BAD_DATETIME, "invalid input string for \"Y,YYY\"");
    }
    r->at++;
    for (int i = 0; i < 3 && text_is_digit(read_ahead(r)); i++)
        rest = rest * 10 + (r->in.ptr[r->at++] - '0');
    r->year_digits = 4;
    return read_set(r, &r->year, thousands * 1000 + rest);
}

static int read_zone_hour(struct read_in *r)
{
    char c = read_ahead(r);

    if (c == '+' || c == '-' || c == ' ') {
        r->zone_sign = c == '-' ? -1 : 1;
        r->at++;
    } else { /* the sign was taken for a separator */
        r->zone_sign = r->extra > 0 && r->at > 0 && r->in.ptr[r->at - 1] == '-' ? -1 : 1;
    }
    return read_int(r, 2, &r->zone_hour);
}

static int read_clock_word(struct read_in *r, const struct tmpl_name *n)
{
    switch (n->word) {
    case TMPL_AM:
    case TMPL_AM_DOTS:
        return read_half(r, n->word == TMPL_AM_DOTS);
    case TMPL_HH12:
        r->twelve = true;
        return read_int(r, 2, &r->hour);
    case TMPL_HH24:
        return read_int(r, 2, &r->hour);
    case TMPL_MI:
        return read_int(r, 2, &r->minute);
    case TMPL_SS:
        return read_int(r, 2, &r->second);
    case TMPL_SSSS:
        return read_int(r, 5, &r->day_seconds);
    case TMPL_MS:
        return read_fraction(r, 3, 3, &r->ms);
    case TMPL_US:
        return read_fraction(r, 6, 6, &r->us);
    case TMPL_FF:
        r->fraction = n->digits;
        return read_fraction(r, (uint32_t)n->digits, 6, &r->us);
    case TMPL_TZH:
        return read_zone_hour(r);
    case TMPL_TZM:
        r->zone_sign = r->zone_sign ? r->zone_sign : 1;
        return read_int(r, 2, &r->zone_minute);
    default: /* TZ, OF: read_field sends no other */
        return DN_FAIL(r->c->err,
                       DN_E_UNSUPPORTED,
                       "formatting field \"%.*s\" is only supported in to_char",
                       (int)r->word_len,
                       r->word);
    }
}

static int read_month(struct read_in *r, enum tmpl_word word)
{
    int64_t v = 0;
    int rc = word == TMPL_RM ? read_word(r, tmpl_romans, 12, 0, &v)
                             : read_word(r, tmpl_months, 12, word == TMPL_MON ? 3 : 0, &v);

    return rc < 0 ? rc : read_set(r, &r->month, v + 1);
}

static int read_day_name(struct read_in *r, size_t len)
{
    int64_t v = 0;
    int rc = read_word(r, tmpl_days, 7, len, &v);

    return rc < 0 ? rc : read_set(r, &r->week_day, v + 1);
}

static int read_date_word(struct read_in *r, const struct tmpl_name *n)
{
    int64_t ignored = 0;
    int rc;

    switch (n->word) {
    case TMPL_AD:
    case TMPL_AD_DOTS:
        return read_era(r, n->word == TMPL_AD_DOTS);
    case TMPL_Y_YYY:
        return read_grouped_year(r);
    case TMPL_YEAR:
    case TMPL_ISO_YEAR:
        return read_year(r, (uint32_t)n->digits);
    case TMPL_CC:
        return read_int(r, 2, &r->century);
    case TMPL_MONTH:
    case TMPL_MON:
    case TMPL_RM:
        return read_month(r, n->word);
    case TMPL_MM:
        return read_int(r, 2, &r->month);
    case TMPL_DAY:
    case TMPL_DY:
        return read_day_name(r, n->word == TMPL_DY ? 3 : 0);
    case TMPL_DDD:
    case TMPL_IDDD:
        return read_int(r, 3, &r->year_day);
    case TMPL_DD:
        return read_int(r, 2, &r->day);
    case TMPL_D:
        return read_int(r, 1, &r->week_day);
    case TMPL_ID: /* Monday is 1, Sunday 7: in the other count 2 and 1 */
        rc = read_int(r, 1, &ignored);
        return rc < 0 ? rc : read_set(r, &r->week_day, ignored % 7 + 1);
    case TMPL_W:
        return read_int(r, 1, &r->month_week);
    case TMPL_WW:
    case TMPL_IW:
        return read_int(r, 2, &r->week);
    case TMPL_Q:
        return read_int(r, 1, &ignored);
    default: /* J: read_field sends no other */
        return read_int(r, 7, &r->julian);
    }
}

static enum read_calendar read_calendar_of(enum tmpl_word w)
{
    switch (w) {
    case TMPL_ISO_YEAR:
    case TMPL_IDDD:
    case TMPL_ID:
    case TMPL_IW:
        return READ_ISO;
    case TMPL_Y_YYY:
    case TMPL_YEAR:
    case TMPL_MONTH:
    case TMPL_MON:
    case TMPL_RM:
    case TMPL_MM:
    case TMPL_DDD:
    case TMPL_DD:
    case TMPL_D:
    case TMPL_W:
    case TMPL_WW:
        return READ_GREGORIAN;
    default: /* as good in either */
        return READ_ANY;
    }
}

int func_read_field(struct read_in *r, const struct tmpl_name *n)
{
    enum read_calendar c = read_calendar_of(n->word);
    int rc = c == READ_ANY ? 0 : read_calendar(r, c);

    if (rc < 0)
        return rc;
    if (n->word <= TMPL_AM_DOTS || (n->word >= TMPL_HH12 && n->word <= TMPL_FF) ||
        n->word >= TMPL_TZ)
        return read_clock_word(r, n);
    return read_date_word(r, n);
}

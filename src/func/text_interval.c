/* SPDX-License-Identifier: Apache-2.0
 *
 * text_interval.c: intervals to text and back.
 *
 * Printed as PostgreSQL's style of that name: 1 year 2 mons 3 days 04:05:06.7. A part that is zero
 * is left away; a positive part after a negative one carries its plus.
 *
 * Read, any case, spaces between parts as one likes:
 *
 *     text   = ["@"] part … ["ago"]  |  "P" iso
 *     part   = [sign] number [unit]  |  [sign] h…h:mm[:ss[.f]]  |  [sign] years-months
 *     number = digits [. digits]
 *     iso    = { [sign] number ("Y"|"M"|"W"|"D") } [ "T" { [sign] number ("H"|"M"|"S") } ]
 *            | [ yyyymmdd | years["-"months["-"days]] ] [ "T" hhmmss |
 * hours[":"minutes[":"seconds]] ]
 *
 * A number without a unit is seconds at the end and days before a clock. Fractions of a unit go to
 * the next smaller ones: of years to months (rounded), of months to days of 30 to the month, of
 * weeks and days to the clock. A unit stands once, a clock being hours, minutes and seconds. Sums
 * are kept in 128 bits and checked once at the end. */
#include "func/text_int.h"
#include "vec/fields.h"

#include <string.h>
#include <strings.h>

#define IV_US_SECOND 1000000
#define IV_US_DAY    ((int64_t)86400 * IV_US_SECOND)
#define IV_PARTS     ((int64_t)1000000000 * IV_US_SECOND) /* fractions are counted in these */

#define IV_WHOLE_MAX ((iv_i128)1 << 63)

__extension__ typedef __int128 iv_i128;

enum iv_kind { IV_KIND_US, IV_KIND_DAYS, IV_KIND_MONTHS };

struct iv_unit {
    const char *word;
    enum iv_kind kind;
    int64_t per; /* of that kind */
};

static const struct iv_unit iv_units[] = {
    {"us", IV_KIND_US, 1},
    {"usec", IV_KIND_US, 1},
    {"usecs", IV_KIND_US, 1},
    {"microsecond", IV_KIND_US, 1},
    {"microseconds", IV_KIND_US, 1},
    {"ms", IV_KIND_US, 1000},
    {"msec", IV_KIND_US, 1000},
    {"msecs", IV_KIND_US, 1000},
    {"millisecond", IV_KIND_US, 1000},
    {"milliseconds", IV_KIND_US, 1000},
    {"s", IV_KIND_US, IV_US_SECOND},
    {"sec", IV_KIND_US, IV_US_SECOND},
    {"secs", IV_KIND_US, IV_US_SECOND},
    {"second", IV_KIND_US, IV_US_SECOND},
    {"seconds", IV_KIND_US, IV_US_SECOND},
    {"m", IV_KIND_US, (int64_t)60 * IV_US_SECOND},
    {"min", IV_KIND_US, (int64_t)60 * IV_US_SECOND},
    {"mins", IV_KIND_US, (int64_t)60 * IV_US_SECOND},
    {"minute", IV_KIND_US, (int64_t)60 * IV_US_SECOND},
    {"minutes", IV_KIND_US, (int64_t)60 * IV_US_SECOND},
    {"h", IV_KIND_US, (int64_t)3600 * IV_US_SECOND},
    {"hr", IV_KIND_US, (int64_t)3600 * IV_US_SECOND},
    {"hrs", IV_KIND_US, (int64_t)3600 * IV_US_SECOND},
    {"hour", IV_KIND_US, (int64_t)3600 * IV_US_SECOND},
    {"hours", IV_KIND_US, (int64_t)3600 * IV_US_SECOND},
    {"d", IV_KIND_DAYS, 1},
    {"day", IV_KIND_DAYS, 1},
    {"days", IV_KIND_DAYS, 1},
    {"w", IV_KIND_DAYS, 7},
    {"week", IV_KIND_DAYS, 7},
    {"weeks", IV_KIND_DAYS, 7},
    {"mon", IV_KIND_MONTHS, 1},
    {"mons", IV_KIND_MONTHS, 1},
    {"month", IV_KIND_MONTHS, 1},
    {"months", IV_KIND_MONTHS, 1},
    {"quarter", IV_KIND_MONTHS, 3},
    {"quarters", IV_KIND_MONTHS, 3},
    {"y", IV_KIND_MONTHS, 12},
    {"yr", IV_KIND_MONTHS, 12},
    {"yrs", IV_KIND_MONTHS, 12},
    {"year", IV_KIND_MONTHS, 12},
    {"years", IV_KIND_MONTHS, 12},
    {"dec", IV_KIND_MONTHS, 120},
    {"decs", IV_KIND_MONTHS, 120},
    {"decade", IV_KIND_MONTHS, 120},
    {"decades", IV_KIND_MONTHS, 120},
    {"c", IV_KIND_MONTHS, 1200},
    {"cent", IV_KIND_MONTHS, 1200},
    {"century", IV_KIND_MONTHS, 1200},
    {"centuries", IV_KIND_MONTHS, 1200},
    {"millennium", IV_KIND_MONTHS, 12000},
    {"millenniums", IV_KIND_MONTHS, 12000},
    {"millennia", IV_KIND_MONTHS, 12000},
    {"mil", IV_KIND_MONTHS, 12000},
    {"mils", IV_KIND_MONTHS, 12000},
};

/* ISO 8601: before and after the T. */
static const struct iv_unit iv_iso_date[] = {
    {"y", IV_KIND_MONTHS, 12},
    {"m", IV_KIND_MONTHS, 1},
    {"w", IV_KIND_DAYS, 7},
    {"d", IV_KIND_DAYS, 1},
};
static const struct iv_unit iv_iso_time[] = {
    {"h", IV_KIND_US, (int64_t)3600 * IV_US_SECOND},
    {"m", IV_KIND_US, (int64_t)60 * IV_US_SECOND},
    {"s", IV_KIND_US, IV_US_SECOND},
};

struct iv_in {
    const char *p;
    const char *end;
    int32_t fields; /* of the type; 0: all */
    bool over;      /* a number too big to go on with */
    uint32_t seen;  /* units so far: bits of iv_bits; not in ISO 8601 */
    iv_i128 us;
    iv_i128 days;
    iv_i128 months;
};

struct iv_number {
    iv_i128 whole; /* at most IV_WHOLE_MAX */
    int64_t parts;
    bool negative;
    bool fraction; /* a point was there */
};

static void iv_blanks(struct iv_in *in)
{
    while (in->p < in->end && text_is_space(*in->p))
        in->p++;
}

static bool iv_is(const struct iv_in *in, char c)
{
    return in->p < in->end && *in->p == c;
}

static bool iv_digits(struct iv_in *in, iv_i128 *ret)
{
    const char *first = in->p;
    iv_i128 v = 0;

    for (; in->p < in->end && text_is_digit(*in->p); in->p++) {
        v = v * 10 + (*in->p - '0');
        if (v > IV_WHOLE_MAX) {
            v = 0;
            in->over = true;
        }
    }
    *ret = v;
    return in->p > first;
}

/* Digits after the point; those beyond the fifteenth are cut. */
static bool iv_fraction(struct iv_in *in, int64_t *ret)
{
    int64_t unit = IV_PARTS / 10;
    const char *first = in->p;

    *ret = 0;
    for (; in->p < in->end && text_is_digit(*in->p); in->p++) {
        *ret += unit * (*in->p - '0');
        unit /= 10;
    }
    return in->p > first;
}

/* [sign] digits [. digits] */
static bool iv_number(struct iv_in *in, struct iv_number *n)
{
    bool whole;

    *n = (struct iv_number){.negative = iv_is(in, '-')};
    if (iv_is(in, '-') || iv_is(in, '+')) {
        in->p++;
        iv_blanks(in);
    }
    whole = iv_digits(in, &n->whole);
    if (iv_is(in, '.')) {
        in->p++;
        n->fraction = true;
        return iv_fraction(in, &n->parts) || whole;
    }
    return whole;
}

/* x parts of IV_PARTS of something that has `per` smaller parts, to the nearest. */
static iv_i128 iv_part(iv_i128 x, int64_t per)
{
    return (x * per + IV_PARTS / 2) / IV_PARTS;
}

/* The same in microseconds: half of one is none. */
static iv_i128 iv_part_us(iv_i128 x, int64_t per)
{
    return (x * per + IV_PARTS / 2 - 1) / IV_PARTS;
}

static void iv_add(struct iv_in *in, const struct iv_number *n, const struct iv_unit *u)
{
    iv_i128 sign = n->negative ? -1 : 1;
    iv_i128 whole = n->whole * u->per;
    iv_i128 rest = (iv_i128)n->parts * u->per;

    if (u->kind == IV_KIND_US) {
        in->us += sign * (whole + iv_part_us(n->parts, u->per));
        return;
    }
    if (u->kind == IV_KIND_MONTHS) {
        if (u->per > 1) { /* of a year: whole months */
            in->months += sign * (whole + iv_part(n->parts, u->per));
            return;
        }
        in->months += sign * whole;
        whole = 0;
        rest *= 30;
    }
    in->days += sign * (whole + rest / IV_PARTS);
    in->us += sign * iv_part_us(rest % IV_PARTS, IV_US_DAY);
}

static const struct iv_unit *iv_find(const struct iv_unit *units, size_t count, struct vstr word)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(units[i].word) == word.len &&
            strncasecmp(units[i].word, word.ptr, word.len) == 0)
            return &units[i];
    return NULL;
}

static struct vstr iv_word(struct iv_in *in)
{
    const char *first = in->p;

    while (in->p < in->end && (*in->p | 32) >= 'a' && (*in->p | 32) <= 'z')
        in->p++;
    return (struct vstr){first, (uint32_t)(in->p - first)};
}

#define IV_BITS_SECONDS 7u /* microseconds, milliseconds, seconds */
#define IV_BITS_CLOCK   31u

/* Which unit it is. A fraction of seconds says what milliseconds and microseconds would. */
static uint32_t iv_bits(const struct iv_unit *u, bool fraction)
{
    static const int64_t pers[] = {
        1, 1000, IV_US_SECOND, (int64_t)60 * IV_US_SECOND, (int64_t)3600 * IV_US_SECOND};
    uint32_t bit = 0;

    if (u->kind == IV_KIND_DAYS)
        return u->per == 1 ? 1u << 5 : 1u << 6;
    if (u->kind == IV_KIND_MONTHS) {
        for (int64_t per = u->per; per > 1; per /= per % 10 ? 2 : 10)
            bit++;
        return 1u << (7 + bit);
    }
    while (u->per > pers[bit])
        bit++;
    return fraction && u->per == IV_US_SECOND ? IV_BITS_SECONDS : 1u << bit;
}

/* Notes units that were read; false: one of them a second time. */
static bool iv_once(struct iv_in *in, uint32_t bits)
{
    bool again = (in->seen & bits) != 0;

    in->seen |= bits;
    return !again;
}

/* The rest of a clock; n is its hours and in->p stands on the colon. With a fraction and one colon
 * only it is minutes and seconds. */
static bool iv_clock(struct iv_in *in, const struct iv_number *n)
{
    iv_i128 hours = n->whole;
    iv_i128 minutes;
    iv_i128 seconds = 0;
    int64_t fraction = 0;
    bool both = false;
    bool point;
    iv_i128 us;

    in->p++;
    if (n->fraction || !iv_digits(in, &minutes))
        return false;
    if (iv_is(in, ':')) {
        in->p++;
        both = true;
        if (!iv_digits(in, &seconds))
            return false;
    }
    point = iv_is(in, '.');
    if (point) {
        in->p++;
        if (!iv_fraction(in, &fraction))
            return false;
    }
    if (!both && (point || in->fields == (TYPE_FIELD_MINUTE | TYPE_FIELD_SECOND))) {
        seconds = minutes;
        minutes = hours;
        hours = 0;
    }
    in->over = in->over || minutes > 59 || seconds > 60;
    us = ((hours * 60 + minutes) * 60 + seconds) * IV_US_SECOND + iv_part(fraction, IV_US_SECOND);
    in->us += n->negative ? -us : us;
    return true;
}

/* Does a clock start here? */
static bool iv_clock_ahead(const struct iv_in *in)
{
    const char *p = in->p;

    if (p < in->end && (*p == '-' || *p == '+'))
        p++;
    while (p < in->end && text_is_digit(*p))
        p++;
    return p > in->p && p < in->end && *p == ':';
}

/* '1 2' DAY TO HOUR: a number alone follows, the hours. */
static bool iv_hours_last(const struct iv_in *in)
{
    const char *p = in->p;

    while (p < in->end && text_is_digit(*p))
        p++;
    return in->fields == (TYPE_FIELD_DAY | TYPE_FIELD_HOUR) && p == in->end;
}

/* The unit of a number alone at the end: the last field. */
static const struct iv_unit *iv_last(const struct iv_in *in)
{
    static const struct {
        int32_t field;
        struct iv_unit unit;
    } rows[] = {
        {TYPE_FIELD_SECOND, {"", IV_KIND_US, IV_US_SECOND}},
        {TYPE_FIELD_MINUTE, {"", IV_KIND_US, (int64_t)60 * IV_US_SECOND}},
        {TYPE_FIELD_HOUR, {"", IV_KIND_US, (int64_t)3600 * IV_US_SECOND}},
        {TYPE_FIELD_DAY, {"", IV_KIND_DAYS, 1}},
        {TYPE_FIELD_MONTH, {"", IV_KIND_MONTHS, 1}},
        {TYPE_FIELD_YEAR, {"", IV_KIND_MONTHS, 12}},
    };

    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++)
        if (in->fields & rows[i].field)
            return &rows[i].unit;
    return &rows[0].unit;
}

static bool iv_parts(struct iv_in *in)
{
    static const struct iv_unit day = {"", IV_KIND_DAYS, 1};
    bool any = false;

    for (iv_blanks(in); in->p < in->end; iv_blanks(in), any = true) {
        const struct iv_unit *unit;
        struct iv_number n;
        struct vstr word;
        iv_i128 months;

        if (any && in->end - in->p == 3 && strncasecmp(in->p, "ago", 3) == 0) {
            in->us = -in->us;
            in->days = -in->days;
            in->months = -in->months;
            return true;
        }
        if (iv_is(in, '@')) { /* says nothing */
            in->p++;
            iv_blanks(in);
        }
        if (!iv_number(in, &n))
            return false;
        if (iv_is(in, ':')) {
            if (!iv_clock(in, &n) || !iv_once(in, IV_BITS_CLOCK))
                return false;
            continue;
        }
        if (iv_is(in, '-') && !n.fraction) { /* years-months */
            in->p++;
            if (!iv_digits(in, &months) || months > 11 || iv_is(in, '-'))
                return false; /* 2024-01-01 is a date */
            if (!iv_once(in, iv_bits(&iv_iso_date[1], false)))
                return false;
            in->months += (n.negative ? -1 : 1) * (n.whole * 12 + months);
            continue;
        }
        iv_blanks(in);
        word = iv_word(in);
        unit = word.len ? iv_find(iv_units, DN_ARRAY_SIZE(iv_units), word)
               : iv_clock_ahead(in) || (in->p < in->end && iv_hours_last(in)) ? &day
               : in->p == in->end                                             ? iv_last(in)
                                                                              : NULL;
        if (!unit || !iv_once(in, iv_bits(unit, n.parts != 0)))
            return false;
        iv_add(in, &n, unit);
    }
    return any;
}

/* Parts without letters: eight digits, or up to three numbers with `mark` between them, of the
 * units from u on. */
static bool
iv_iso_plain(struct iv_in *in, const struct iv_unit *const u[3], uint32_t width, char mark)
{
    struct iv_number n;
    const char *first = in->p;

    for (uint32_t i = 0; i < 3; i++) {
        if (!iv_number(in, &n))
            return false;
        if (i == 0 && !n.fraction && (uint32_t)(in->p - first) == width) {
            struct iv_number part = {.negative = n.negative, .whole = n.whole / 10000};

            iv_add(in, &part, u[0]);
            part.whole = n.whole / 100 % 100;
            iv_add(in, &part, u[1]);
            n.whole %= 100;
            iv_add(in, &n, u[2]);
            return true;
        }
        iv_add(in, &n, u[i]);
        if (!iv_is(in, mark))
            return true;
        in->p++;
    }
    return false;
}

static bool iv_iso(struct iv_in *in);

/* P00021015T103020, P0002-10-15T10:30:20, P0002T1S */
static bool iv_iso_alternative(struct iv_in *in)
{
    struct iv_in before;
    static const struct iv_unit *const date[] = {&iv_iso_date[0], &iv_iso_date[1], &iv_iso_date[3]};
    static const struct iv_unit *const time[] = {&iv_iso_time[0], &iv_iso_time[1], &iv_iso_time[2]};

    if (!iv_is(in, 'T') && !iv_is(in, 't') && !iv_iso_plain(in, date, 8, '-'))
        return false;
    if (in->p == in->end)
        return true;
    if (!iv_is(in, 'T') && !iv_is(in, 't'))
        return false;
    before = *in;
    in->p++;
    if (iv_iso_plain(in, time, 6, ':') && in->p == in->end)
        return true;
    *in = before;
    return iv_iso(in);
}

/* in->p stands behind the P. */
static bool iv_iso(struct iv_in *in)
{
    bool time = false;
    bool any = false;

    while (in->p < in->end) {
        const struct iv_unit *unit;
        struct iv_number n;

        if (!time && (iv_is(in, 'T') || iv_is(in, 't'))) {
            time = true;
            any = false;
            in->p++;
            continue;
        }
        if (!iv_number(in, &n) || in->p == in->end)
            return false;
        unit = time ? iv_find(iv_iso_time, DN_ARRAY_SIZE(iv_iso_time), (struct vstr){in->p, 1})
                    : iv_find(iv_iso_date, DN_ARRAY_SIZE(iv_iso_date), (struct vstr){in->p, 1});
        if (!unit)
            return false;
        in->p++;
        iv_add(in, &n, unit);
        any = true;
    }
    return any;
}

int text_parse_interval(struct vstr s, struct vinterval *ret, struct dn_err *err)
{
    return text_parse_interval_fields(s, 0, ret, err);
}

int text_parse_interval_fields(struct vstr s,
                               int32_t fields,
                               struct vinterval *ret,
                               struct dn_err *err)
{
    struct vstr text = text_trim(s);
    struct iv_in in = {.p = text.ptr, .end = text.ptr + text.len, .fields = fields};
    const char *iso;
    bool good;

    if (iv_is(&in, '@'))
        in.p++;
    if (iv_is(&in, 'P') || iv_is(&in, 'p')) {
        iso = ++in.p;
        good = iv_iso(&in);
        if (!good) {
            in = (struct iv_in){.p = iso, .end = text.ptr + text.len};
            good = iv_iso_alternative(&in);
        }
    } else {
        good = iv_parts(&in);
    }
    if (!good) {
        int n = text_quote_len(text);

        DN_IGNORE(DN_FAIL(err,
                          DN_E_BAD_DATETIME,
                          "invalid input syntax for type interval: \"%.*s%s\"",
                          n,
                          text.ptr,
                          (uint32_t)n < text.len ? "…" : "")); /* returned below */
        dn_err_hint(err, "Write '1 day 02:03', '15 minutes', '1h30m' or 'P1DT2H3M'.");
        return DN_E_BAD_DATETIME;
    }
    if (in.over || in.us > INT64_MAX || in.us < INT64_MIN || in.days > INT32_MAX ||
        in.days < INT32_MIN || in.months > INT32_MAX || in.months < INT32_MIN)
        return DN_FAIL(err,
                       DN_E_INTERVAL_RANGE,
                       "interval \"%.*s\" is out of range",
                       text_quote_len(text),
                       text.ptr);
    *ret = (struct vinterval){
        .us = (int64_t)in.us, .days = (int32_t)in.days, .months = (int32_t)in.months};
    return 0;
}

/* ---- printing ---- */

struct iv_out {
    struct buf *b;
    bool any;    /* something stands there */
    bool before; /* the last part was negative */
};

static void iv_print_part(struct iv_out *out, int64_t v, const char *unit)
{
    if (v == 0)
        return;
    buf_puts(out->b, out->any ? " " : "");
    buf_puts(out->b, out->before && v > 0 ? "+" : "");
    text_print_i64(v, out->b);
    buf_printf(out->b, " %s%s", unit, v == 1 ? "" : "s");
    out->any = true;
    out->before = v < 0;
}

static void iv_print_pair(uint64_t v, struct buf *b)
{
    if (v < 10)
        buf_u8(b, '0');
    text_print_i64((int64_t)v, b);
}

void text_print_interval(struct vinterval v, struct buf *b)
{
    struct iv_out out = {.b = b};
    uint64_t us = v.us < 0 ? 0 - (uint64_t)v.us : (uint64_t)v.us;
    uint64_t fraction = us % IV_US_SECOND;
    char digits[6];
    uint32_t n = 6;

    iv_print_part(&out, v.months / 12, "year");
    iv_print_part(&out, v.months % 12, "mon");
    iv_print_part(&out, v.days, "day");
    if (us == 0 && out.any)
        return;
    buf_puts(b, out.any ? " " : "");
    buf_puts(b, v.us < 0 ? "-" : out.before ? "+" : "");
    iv_print_pair(us / IV_US_SECOND / 3600, b);
    buf_u8(b, ':');
    iv_print_pair(us / IV_US_SECOND / 60 % 60, b);
    buf_u8(b, ':');
    iv_print_pair(us / IV_US_SECOND % 60, b);
    if (fraction == 0)
        return;
    for (uint32_t i = 6; i > 0; i--, fraction /= 10)
        digits[i - 1] = (char)('0' + fraction % 10);
    while (digits[n - 1] == '0')
        n--;
    buf_u8(b, '.');
    buf_append(b, digits, n);
}

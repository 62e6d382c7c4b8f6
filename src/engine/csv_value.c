/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_value.c: see the header. A decimal of up to 19 digits is an integer m times a power of ten.
 * Where both are exact floats one multiplication or division rounds correctly (Clinger). Elsewhere,
 * with exponents from -19 to 19, m times or by 10^k is computed in 128 bits: the leading 64 bits of
 * the result and whether anything follows them decide the rounding. */
#include "engine/csv_value.h"

#include "vec/numeric.h"

#include <math.h>
#include <string.h>

#define CSV_INT_DIGITS     18u
#define CSV_DECIMAL_DIGITS 19u
#define CSV_EXP_MAX        (VNUMERIC_TENS - 1)
#define CSV_DAY_SECONDS    86400
#define CSV_YEAR_NS_MIN    1678 /* whole years that nanoseconds reach */
#define CSV_YEAR_NS_MAX    2261

static const double csv_pow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline bool csv_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

bool csv_read_int(const char *text, size_t len, int64_t *ret)
{
    bool negative = len > 0 && text[0] == '-';
    int64_t v = 0;

    text += negative;
    len -= negative;
    if (len == 0 || len > CSV_INT_DIGITS)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!csv_is_digit(text[i]))
            return false;
        v = v * 10 + (text[i] - '0');
    }
    *ret = negative ? -v : v;
    return true;
}

/* digits × 10^exp10 */
struct csv_decimal {
    uint64_t digits;
    int exp10;
    bool negative;
};

static bool csv_read_exp(const char *text, size_t len, int *ret)
{
    bool negative = len > 0 && text[0] == '-';
    int v = 0;

    if (len > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
        len--;
    }
    if (len == 0 || len > 3)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!csv_is_digit(text[i]))
            return false;
        v = v * 10 + (text[i] - '0');
    }
    *ret = negative ? -v : v;
    return true;
}

static bool csv_read_decimal(const char *text, size_t len, struct csv_decimal *ret)
{
    size_t i = len > 0 && text[0] == '-';
    size_t first = i;
    size_t point = SIZE_MAX; /* offset behind it */
    uint64_t v = 0;
    size_t digits;
    int exp10 = 0;

    for (; i < len; i++) {
        if (csv_is_digit(text[i])) {
            v = v * 10 + (uint64_t)(text[i] - '0');
        } else if (text[i] == '.' && point == SIZE_MAX) {
            point = i + 1;
        } else {
            break;
        }
    }
    digits = i - first - (point != SIZE_MAX);
    if (digits == 0)
        return false;
    if (digits > CSV_DECIMAL_DIGITS) { /* zeros in front are no weight */
        for (size_t k = first; k < i && (text[k] == '0' || text[k] == '.'); k++)
            digits -= text[k] == '0';
        if (digits > CSV_DECIMAL_DIGITS)
            return false;
    }
    if (i < len) {
        if ((text[i] != 'e' && text[i] != 'E') || !csv_read_exp(text + i + 1, len - i - 1, &exp10))
            return false;
    }
    ret->digits = v;
    ret->exp10 = exp10 - (point != SIZE_MAX ? (int)(i - point) : 0);
    ret->negative = first > 0;
    return true;
}

/* The leading 64 bits of a positive number: top (its highest bit set) × 2^exp2; more: and a bit. */
struct csv_bits {
    uint64_t top;
    int exp2;
    bool more;
};

static struct csv_bits csv_scale(uint64_t digits, int exp10)
{
    struct csv_bits b;
    vnumeric_u128 n;

    if (exp10 >= 0) {
        int up;

        n = (vnumeric_u128)digits * vnumeric_tens[exp10];
        up = n >> 64 ? __builtin_clzll((uint64_t)(n >> 64)) : 64 + __builtin_clzll((uint64_t)n);
        n <<= up;
        b.top = (uint64_t)(n >> 64);
        b.exp2 = 64 - up;
        b.more = (uint64_t)n != 0;
    } else {
        uint64_t by = vnumeric_tens[-exp10];
        int up = __builtin_clzll(digits);
        int by_up = __builtin_clzll(by);
        uint64_t rest;

        n = (vnumeric_u128)(digits << up) << 63; /* below 2^127; the divisor is at least 2^63 */
        by <<= by_up;
        b.top = (uint64_t)(n / by);
        rest = (uint64_t)(n % by);
        b.exp2 = by_up - up - 63;
        b.more = rest != 0;
        if (!(b.top >> 63)) {
            /* The bit that moves in is the next one of the quotient. */
            b.top = b.top << 1 | (rest >= by - rest);
            b.more = rest != 0 && rest != by - rest;
            b.exp2--;
        }
    }
    return b;
}

/* To the nearest number of that many bits, of two equally near ones to the even one. */
static double csv_round(struct csv_bits b, unsigned bits)
{
    unsigned cut = 64 - bits;
    uint64_t half = (uint64_t)1 << (cut - 1);
    uint64_t rest = b.top & ((half << 1) - 1);
    uint64_t kept = b.top >> cut;

    if (rest > half || (rest == half && (b.more || (kept & 1))))
        kept++;
    return ldexp((double)kept, b.exp2 + (int)cut);
}

bool csv_read_double(const char *text, size_t len, double *ret)
{
    struct csv_decimal d;
    double v;

    if (!csv_read_decimal(text, len, &d))
        return false;
    if (d.digits == 0)
        v = 0;
    else if (d.digits < (uint64_t)1 << 53 && d.exp10 <= 0 && d.exp10 >= -22)
        v = (double)d.digits / csv_pow10[-d.exp10];
    else if (d.digits < (uint64_t)1 << 53 && d.exp10 > 0 && d.exp10 <= 22)
        v = (double)d.digits * csv_pow10[d.exp10];
    else if (d.exp10 >= -CSV_EXP_MAX && d.exp10 <= CSV_EXP_MAX)
        v = csv_round(csv_scale(d.digits, d.exp10), 53);
    else
        return false;
    *ret = d.negative ? -v : v;
    return true;
}

bool csv_read_real(const char *text, size_t len, double *ret)
{
    struct csv_decimal d;
    double v;

    if (!csv_read_decimal(text, len, &d))
        return false;
    if (d.digits == 0)
        v = 0;
    else if (d.exp10 >= -CSV_EXP_MAX && d.exp10 <= CSV_EXP_MAX)
        v = csv_round(csv_scale(d.digits, d.exp10), 24);
    else
        return false;
    *ret = d.negative ? -v : v;
    return true;
}

bool csv_read_bool(const char *text, size_t len, int64_t *ret)
{
    if (len == 1 && (text[0] == 't' || text[0] == '1'))
        *ret = 1;
    else if (len == 1 && (text[0] == 'f' || text[0] == '0'))
        *ret = 0;
    else if (len == 4 && memcmp(text, "true", 4) == 0)
        *ret = 1;
    else if (len == 5 && memcmp(text, "false", 5) == 0)
        *ret = 0;
    else
        return false;
    return true;
}

/* Two digits, or a number above 99. */
static inline unsigned csv_two(const char *text)
{
    unsigned a = (unsigned char)(text[0] - '0');
    unsigned b = (unsigned char)(text[1] - '0');

    return a <= 9 && b <= 9 ? a * 10 + b : 100;
}

/* Days since 1970-01-01: years begin in March here, so that the leap day is the last. */
static int64_t csv_days(unsigned year, unsigned month, unsigned day)
{
    unsigned y = year + 400 - (month <= 2); /* 400 years before 0000, to stay positive */
    unsigned m = month > 2 ? month - 3 : month + 9;

    return (int64_t)(365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1) -
           (719468 + 146097);
}

static bool csv_read_date(const char *text, unsigned *ret_year, int64_t *ret_days)
{
    static const uint8_t month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned century = csv_two(text);
    unsigned rest = csv_two(text + 2);
    unsigned month = csv_two(text + 5);
    unsigned day = csv_two(text + 8);
    unsigned year = century * 100 + rest;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    if (century > 99 || rest > 99 || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    if (text[4] != '-' || text[7] != '-' ||
        day > (unsigned)month_days[month - 1] + (month == 2 && leap))
        return false;
    *ret_year = year;
    *ret_days = csv_days(year, month, day);
    return true;
}

/* The fraction in units of the type; false if it has digits that the type drops. */
static bool csv_read_fraction(const char *text, size_t len, size_t keep, int64_t *ret)
{
    int64_t v = 0;

    if (len == 0 || len > 9)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!csv_is_digit(text[i]) || (i >= keep && text[i] != '0'))
            return false;
        if (i < keep)
            v = v * 10 + (text[i] - '0');
    }
    for (size_t i = len; i < keep; i++)
        v *= 10;
    *ret = v;
    return true;
}

bool csv_read_time(const char *text, size_t len, enum type_id type, int64_t *ret)
{
    int64_t per_second = type_ts_per_second(type);
    unsigned keep = type == TYPE_TIMESTAMP ? 3 : type == TYPE_TIMESTAMP_US ? 6 : 9;
    unsigned year = 0;
    int64_t days = 0;
    int64_t seconds = 0;
    int64_t part = 0;

    if (len < 10 || !csv_read_date(text, &year, &days))
        return false;
    if (len > 10) {
        unsigned hour, minute, second;

        if (len > 19 && text[len - 1] == 'Z')
            len--;
        if (len < 19 || (text[10] != ' ' && text[10] != 'T') || text[13] != ':' || text[16] != ':')
            return false;
        hour = csv_two(text + 11);
        minute = csv_two(text + 14);
        second = csv_two(text + 17);
        if (hour > 23 || minute > 59 || second > 59)
            return false;
        seconds = hour * 3600 + minute * 60 + second;
        if (len > 19 && (text[19] != '.' || !csv_read_fraction(text + 20, len - 20, keep, &part)))
            return false;
    }
    if (type == TYPE_TIMESTAMP_NS && (year < CSV_YEAR_NS_MIN || year > CSV_YEAR_NS_MAX))
        return false;
    *ret = (days * CSV_DAY_SECONDS + seconds) * per_second + part;
    return true;
}

/* Digits from *at on, in groups of three if the first point stands behind at most three. */
static bool csv_comma_whole(const char *text, size_t len, size_t *at, char *to, size_t *ret_len)
{
    size_t run = 0;
    bool grouped = false;

    for (; *at < len; ++*at) {
        if (csv_is_digit(text[*at])) {
            to[(*ret_len)++] = text[*at];
            run++;
        } else if (text[*at] == '.' && run > 0 && (grouped ? run == 3 : run <= 3)) {
            grouped = true;
            run = 0;
        } else {
            break;
        }
    }
    return run > 0 && (!grouped || run == 3);
}

size_t csv_read_comma(const char *text, size_t len, char *to)
{
    size_t at = 0;
    size_t n = 0;

    if (!memchr(text, ',', len) && !memchr(text, '.', len)) {
        memcpy(to, text, len);
        return len;
    }
    if (text[0] == '-' || text[0] == '+') {
        if (text[0] == '-')
            to[n++] = '-';
        at++;
    }
    if (!csv_comma_whole(text, len, &at, to, &n))
        return 0;
    if (at < len && text[at] == ',') {
        to[n++] = '.';
        for (at++; at < len && csv_is_digit(text[at]); at++)
            to[n++] = text[at];
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E'))
        for (; at < len && text[at] != ',' && text[at] != '.'; at++)
            to[n++] = text[at];
    return at == len ? n : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * text_num.c: numbers to text and back, the same in every locale.
 *
 * A float is printed with the fewest digits that read back as the same float. Most measured values
 * are short decimals: n / 10^k with n below 10^15 is tried first. Both n and 10^k are exact floats
 * then, so the division is correctly rounded and equal to what reading the decimal gives; the
 * first k that works is the shortest form. Other doubles are text_shortest.h's; REAL, subnormals
 * and powers of two ask the C library, with one digit more each time, in the C locale: from 15
 * digits on (6 for REAL), as a shorter form shows there as trailing zeros, which are cut;
 * subnormals keep fewer, so they start at one. Reading takes the same short way (Clinger's) when it
 * is exact.
 *
 * Layout: plain digits for exponents from -4 up to 14 (5 for REAL), else d.ddde+dd. */
#include "func/text_int.h"
#include "func/text_put.h"
#include "func/text_shortest.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_DIGITS_MAX   17u
#define TEXT_NUMBER_MAX   400u /* bytes of a number worth handing to the C library */
#define TEXT_PLAIN_MIN    (-4) /* smallest exponent printed with plain digits */
#define TEXT_PLAIN_F64    15   /* first exponent printed as d.ddde+dd */
#define TEXT_PLAIN_F32    6
#define TEXT_SHORT_POWERS 10 /* longest fraction the short way tries */

static const double text_pow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The calling thread speaks the C locale between begin and end. */
struct text_c_locale {
    locale_t ours;
    locale_t before;
};

static void text_locale_begin(struct text_c_locale *c)
{
    c->ours = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    c->before = c->ours ? uselocale(c->ours) : (locale_t)0;
}

static void text_locale_end(struct text_c_locale *c)
{
    if (!c->ours)
        return;
    uselocale(c->before);
    freelocale(c->ours);
}

/* d[0].d[1]d[2]… times 10^exp10: at most 17 digits, 14 zeros, point and exponent. */
static char *text_layout(const char *d, uint32_t n, int exp10, int plain_end, char *to)
{
    uint32_t point = 1; /* digits before the point */

    if (exp10 >= 0 && exp10 < plain_end)
        point = (uint32_t)exp10 + 1;
    if (exp10 < 0 && exp10 >= TEXT_PLAIN_MIN) {
        *to++ = '0';
        *to++ = '.';
        for (int i = -1; i > exp10; i--)
            *to++ = '0';
        point = 0;
    }
    for (uint32_t i = 0; i < n || i < point; i++) {
        if (i == point && point)
            *to++ = '.';
        *to++ = i < n ? d[i] : '0';
    }
    if (exp10 < TEXT_PLAIN_MIN || exp10 >= plain_end) {
        uint32_t size = (uint32_t)abs(exp10);

        *to++ = 'e';
        *to++ = exp10 < 0 ? '-' : '+';
        to = text_put_padded(to, size, 2);
    }
    return to;
}

/* NaN, infinities, sign, zero. True: all is printed. */
static bool text_put_special(double v, char **to)
{
    const char *word = v != v ? "NaN" : isinf(v) ? "Infinity" : v == 0 ? "0" : NULL;

    if (v == v && signbit(v))
        *(*to)++ = '-';
    if (!word)
        return false;
    memcpy(*to, word, strlen(word));
    *to += strlen(word);
    return true;
}

/* Prints n / 10^k, n > 0. */
static char *text_put_short(uint64_t n, int k, int plain_end, char *to)
{
    char digits[20];
    uint32_t count = (uint32_t)(text_put_u64(digits, n) - digits);
    int exp10 = (int)count - 1 - k;

    while (count > 1 && digits[count - 1] == '0')
        count--;
    return text_layout(digits, count, exp10, plain_end, to);
}

/* Digits and exponent out of the library's "d.ddde±x". */
static uint32_t text_split(const char *text, char *digits, int *ret_exp10)
{
    uint32_t n = 0;
    const char *p = text;
    int exp10 = 0;
    bool negative;

    for (; *p && *p != 'e'; p++)
        if (text_is_digit(*p) && n < TEXT_DIGITS_MAX)
            digits[n++] = *p;
    DN_ASSERT(*p == 'e' && n > 0);
    negative = p[1] == '-';
    for (p += 2; text_is_digit(*p); p++)
        exp10 = exp10 * 10 + (*p - '0');
    while (n > 1 && digits[n - 1] == '0')
        n--;
    *ret_exp10 = negative ? -exp10 : exp10;
    return n;
}

/* v > 0 and finite; tries from first to last significant digits. */
static char *text_put_library(double v, bool is_float, unsigned first, unsigned last, char *to)
{
    struct text_c_locale c;
    char text[40] = "";
    char digits[TEXT_DIGITS_MAX];
    uint32_t n;
    int exp10;

    text_locale_begin(&c);
    for (unsigned p = first; p <= last; p++) {
        snprintf(text, sizeof text, "%.*e", (int)p - 1, v);
        if (is_float ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
            break;
    }
    text_locale_end(&c);
    n = text_split(text, digits, &exp10);
    return text_layout(digits, n, exp10, is_float ? TEXT_PLAIN_F32 : TEXT_PLAIN_F64, to);
}

/* v rounded to a whole number, for 0 <= v < 2^51; what is greater stays at least 2^51. */
static double text_whole(double v)
{
    return (v + 0x1p52) - 0x1p52;
}

char *text_put_f64(char *to, double v)
{
    double abs_v = fabs(v);
    uint64_t digits;
    int exp10;

    if (text_put_special(v, &to))
        return to;
    for (int k = 0; k <= TEXT_SHORT_POWERS; k++) {
        double scaled = text_whole(abs_v * text_pow10[k]);

        if (scaled >= 1e15)
            break;
        if (scaled >= 1 && scaled / text_pow10[k] == abs_v)
            return text_put_short((uint64_t)scaled, k, TEXT_PLAIN_F64, to);
    }
    if (text_shortest(abs_v, &digits, &exp10))
        return text_put_short(digits, -exp10, TEXT_PLAIN_F64, to);
    return text_put_library(abs_v, false, abs_v < DBL_MIN ? 1 : DBL_DIG, 17, to);
}

char *text_put_f32(char *to, float v)
{
    float abs_v = fabsf(v);

    if (text_put_special((double)v, &to))
        return to;
    for (int k = 0; k <= TEXT_SHORT_POWERS; k++) {
        double scaled = text_whole((double)abs_v * text_pow10[k]);

        if (scaled >= 1e6)
            break;
        if (scaled >= 1 && (float)scaled / (float)text_pow10[k] == abs_v)
            return text_put_short((uint64_t)scaled, k, TEXT_PLAIN_F32, to);
    }
    return text_put_library((double)abs_v, true, abs_v < FLT_MIN ? 1 : FLT_DIG, 9, to);
}

void text_print_i64(int64_t v, struct buf *b)
{
    char text[TEXT_PUT_MAX];

    buf_append(b, text, (size_t)(text_put_i64(text, v) - text));
}

void text_print_f64(double v, struct buf *b)
{
    char text[TEXT_PUT_MAX];

    buf_append(b, text, (size_t)(text_put_f64(text, v) - text));
}

void text_print_f32(float v, struct buf *b)
{
    char text[TEXT_PUT_MAX];

    buf_append(b, text, (size_t)(text_put_f32(text, v) - text));
}

void text_print_digits(double v, int digits, struct buf *b)
{
    struct text_c_locale c;
    char text[40];

    if (isnan(v) || isinf(v)) {
        text_print_f64(v, b);
        return;
    }
    text_locale_begin(&c);
    snprintf(text, sizeof text, "%.*g", digits < 1 ? 1 : digits, v);
    text_locale_end(&c);
    buf_puts(b, text);
}

static int text_fail_range(enum type_id type, struct vstr s, struct dn_err *err)
{
    int n = text_quote_len(s);

    return DN_FAIL(err,
                   DN_E_OUT_OF_RANGE,
                   "value \"%.*s%s\" is out of range for type %s",
                   n,
                   s.ptr,
                   (uint32_t)n < s.len ? "…" : "",
                   type_word(type));
}

int text_parse_int(enum type_id type, struct vstr s, int64_t *ret, struct dn_err *err)
{
    int64_t max = type == TYPE_SMALLINT ? INT16_MAX : type == TYPE_INTEGER ? INT32_MAX : INT64_MAX;
    uint32_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+');
    bool negative = i && s.ptr[0] == '-';
    int64_t v = 0;
    bool over = false;

    if (i == s.len)
        return text_fail_syntax(type, s, err);
    for (; i < s.len; i++) {
        int digit = s.ptr[i] - '0';

        if (!text_is_digit(s.ptr[i]))
            return text_fail_syntax(type, s, err);
        /* Counted downwards, where there is room for one more. */
        over = over || __builtin_mul_overflow(v, (int64_t)10, &v) ||
               __builtin_sub_overflow(v, (int64_t)digit, &v);
    }
    if (over || v < -max - 1 || (!negative && v < -max))
        return text_fail_range(type, s, err);
    *ret = negative ? v : -v;
    return 0;
}

struct text_decimal {
    uint64_t digits; /* the first 19 significant ones */
    int digits_count;
    int exp10; /* value = digits * 10^exp10, if nothing was cut */
    bool negative;
    bool cut; /* more digits than fit */
    bool any; /* a digit was there at all */
};

static uint32_t text_scan_digits(struct vstr s, uint32_t i, bool fraction, struct text_decimal *d)
{
    for (; i < s.len && text_is_digit(s.ptr[i]); i++) {
        d->any = true;
        if (d->digits == 0 && s.ptr[i] == '0') {
            d->exp10 -= fraction;
        } else if (d->digits_count < 19) {
            d->digits = d->digits * 10 + (uint64_t)(s.ptr[i] - '0');
            d->digits_count++;
            d->exp10 -= fraction;
        } else {
            d->cut = true;
            d->exp10 += !fraction;
        }
    }
    return i;
}

/* [+-] digits [. digits] [e [+-] digits]; false: that is not all of s. */
static bool text_scan_decimal(struct vstr s, struct text_decimal *d)
{
    uint32_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+');
    bool negative_exp;
    int exp = 0;

    *d = (struct text_decimal){.negative = i && s.ptr[0] == '-'};
    i = text_scan_digits(s, i, false, d);
    if (i < s.len && s.ptr[i] == '.')
        i = text_scan_digits(s, i + 1, true, d);
    if (!d->any)
        return false;
    if (i == s.len)
        return true;
    if (s.ptr[i] != 'e' && s.ptr[i] != 'E')
        return false;
    i++;
    negative_exp = i < s.len && s.ptr[i] == '-';
    if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+'))
        i++;
    if (i == s.len)
        return false;
    for (; i < s.len && text_is_digit(s.ptr[i]); i++)
        exp = exp < 100000 ? exp * 10 + (s.ptr[i] - '0') : exp;
    d->exp10 += negative_exp ? -exp : exp;
    return i == s.len;
}

static bool text_parse_special(struct vstr s, double *ret)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {
        {"nan", (double)NAN},
        {"infinity", (double)INFINITY},
        {"+infinity", (double)INFINITY},
        {"-infinity", -(double)INFINITY},
        {"inf", (double)INFINITY},
        {"+inf", (double)INFINITY},
        {"-inf", -(double)INFINITY},
    };

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++)
        if (strlen(words[i].word) == s.len && strncasecmp(words[i].word, s.ptr, s.len) == 0) {
            *ret = words[i].value;
            return true;
        }
    return false;
}

/* Any decimal that text_scan_decimal accepts, correctly rounded. */
static double text_strtod(struct vstr s, bool is_float)
{
    struct text_c_locale c;
    char copy[TEXT_NUMBER_MAX];
    double v;

    DN_ASSERT(s.len < sizeof copy);
    memcpy(copy, s.ptr, s.len);
    copy[s.len] = 0;
    text_locale_begin(&c);
    v = is_float ? (double)strtof(copy, NULL) : strtod(copy, NULL);
    text_locale_end(&c);
    return v;
}

int text_parse_float(enum type_id type, struct vstr s, double *ret, struct dn_err *err)
{
    struct text_decimal d;
    bool is_float = type == TYPE_REAL;
    double v;

    if (!text_scan_decimal(s, &d)) {
        if (text_parse_special(s, ret))
            return 0;
        return text_fail_syntax(type, s, err);
    }
    if (d.digits == 0) {
        *ret = d.negative ? -0.0 : 0.0;
        return 0;
    }
    if (!is_float && !d.cut && d.digits < (uint64_t)1 << 53 && d.exp10 >= -22 && d.exp10 <= 22) {
        v = (double)d.digits;
        v = d.exp10 < 0 ? v / text_pow10[-d.exp10] : v * text_pow10[d.exp10];
        *ret = d.negative ? -v : v;
        return 0;
    }
    if (s.len >= TEXT_NUMBER_MAX)
        return DN_FAIL(err,
                       DN_E_BAD_TEXT,
                       "a number of %u characters is too long for type %s",
                       s.len,
                       type_word(type));
    v = text_strtod(s, is_float);
    if (isinf(v) || v == 0)
        return text_fail_range(type, s, err);
    *ret = v;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * numeric_text.c: decimal numbers as text and out of it. The text has as many digits after the
 * point as the scale says. An exponent moves the point: 1.5e3 is 1500, 15e-3 is
 * 0.015. */
#include "vec/numeric.h"

#include "base/number.h"

#include <strings.h>

/* The exponent at *p, which stands behind the e; false: there is none. */
static bool vnumeric_text_exponent(const char **p, const char *end, int *ret)
{
    bool negative = *p < end && **p == '-';
    uint64_t v;
    size_t digits;

    if (*p < end && (**p == '-' || **p == '+'))
        ++*p;
    digits = number_digits(*p, (size_t)(end - *p), &v);
    *p += digits;
    *ret = v > 1000000 ? 1000000 : (int)v; /* more than any number has */
    *ret = negative ? -*ret : *ret;
    return digits > 0;
}

/* Digits of a number; 0: they are none. */
struct vnumeric_text {
    vnumeric_u128 coef;
    unsigned digits; /* seen */
    int scale;
    int zeros;  /* behind the coefficient, not in it yet */
    bool large; /* more digits than there is room for */
};

static void vnumeric_text_digit(struct vnumeric_text *n, int digit)
{
    n->digits++;
    if (digit == 0) {
        n->zeros++;
        return;
    }
    if (n->coef && vnumeric_digits(n->coef) + (unsigned)n->zeros + 1 > VNUMERIC_DIGITS) {
        n->large = true;
        return;
    }
    if (n->coef)
        n->coef *= vnumeric_pow10((unsigned)n->zeros + 1);
    n->coef += (unsigned)digit;
    n->zeros = 0;
}

enum vnumeric_read vnumeric_parse(const char *text, size_t len, struct vnumeric *ret)
{
    struct vnumeric_text n = {.digits = 0};
    const char *p = text;
    const char *end = text + len;
    bool negative = p < end && *p == '-';
    int exponent = 0;

    if (len == 3 && strncasecmp(text, "nan", 3) == 0) {
        *ret = vnumeric_nan();
        return VNUMERIC_OK;
    }
    p += p < end && (*p == '-' || *p == '+');
    if ((end - p == 3 && strncasecmp(p, "inf", 3) == 0) ||
        (end - p == 8 && strncasecmp(p, "infinity", 8) == 0)) {
        *ret = vnumeric_inf(negative);
        return VNUMERIC_OK;
    }
    for (; p < end && number_is_digit(*p); p++)
        vnumeric_text_digit(&n, *p - '0');
    if (p < end && *p == '.') {
        for (p++; p < end && number_is_digit(*p); p++, n.scale++)
            vnumeric_text_digit(&n, *p - '0');
    }
    if (n.digits == 0)
        return VNUMERIC_BAD;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (!vnumeric_text_exponent(&p, end, &exponent))
            return VNUMERIC_BAD;
    }
    if (p != end)
        return VNUMERIC_BAD;
    n.scale -= exponent;
    if (n.scale < 0) {
        n.zeros -= n.scale;
        n.scale = 0;
    }
    if (n.coef == 0)
        n.zeros = 0;
    if (n.large || n.scale > VNUMERIC_SCALE_MAX ||
        (n.coef && vnumeric_digits(n.coef) + (unsigned)n.zeros > VNUMERIC_DIGITS))
        return VNUMERIC_TOO_LONG;
    n.coef *= vnumeric_pow10((unsigned)n.zeros);
    *ret = vnumeric_make(negative ? -(vnumeric_i128)n.coef : (vnumeric_i128)n.coef, n.scale);
    return VNUMERIC_OK;
}

void vnumeric_print(struct vnumeric v, struct buf *b)
{
    vnumeric_u128 m = vnumeric_abs(vnumeric_coef(v));
    char digits[VNUMERIC_DIGITS + 1];
    unsigned n = 0;

    if (v.special) {
        buf_puts(b, vnumeric_is_nan(v) ? "NaN" : v.special < 0 ? "-Infinity" : "Infinity");
        return;
    }
    for (; m; m /= 10)
        digits[n++] = (char)('0' + (int)(m % 10)); /* the last one first */
    if (v.hi < 0)
        buf_u8(b, '-');
    if ((int)n <= v.scale)
        buf_u8(b, '0');
    while ((int)n > v.scale)
        buf_u8(b, (uint8_t)digits[--n]);
    if (v.scale)
        buf_u8(b, '.');
    for (int left = v.scale; left > 0; left--)
        buf_u8(b, (uint8_t)(left > (int)n ? '0' : digits[--n]));
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * number.c: numbers out of texts. */
#define _GNU_SOURCE /* strtod_l */
#include "base/number.h"

#include <locale.h>
#include <stdlib.h>

int number_hex(char c)
{
    if (number_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool number_hex_bytes(const char *s, size_t len, void *ret)
{
    uint8_t *to = ret;

    for (size_t i = 0; i + 1 < len; i += 2) {
        int high = number_hex(s[i]);
        int low = number_hex(s[i + 1]);

        if (high < 0 || low < 0)
            return false;
        to[i / 2] = (uint8_t)(high << 4 | low);
    }
    return len % 2 == 0;
}

size_t number_digits(const char *s, size_t len, uint64_t *ret)
{
    uint64_t v = 0;
    size_t n = 0;

    for (; n < len && number_is_digit(s[n]); n++)
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(s[n] - '0'), &v))
            v = UINT64_MAX; /* the next digit overflows again */
    *ret = v;
    return n;
}

size_t number_int(const char *s, size_t len, int64_t *ret)
{
    bool negative = len > 0 && s[0] == '-';
    size_t sign = negative || (len > 0 && s[0] == '+');
    uint64_t most = (uint64_t)INT64_MAX + negative; /* below zero there is one more */
    uint64_t v;
    size_t n = number_digits(s + sign, len - sign, &v);

    if (n == 0 || v > most)
        return 0;
    *ret = negative ? (int64_t)(0 - v) : (int64_t)v;
    return sign + n;
}

size_t number_real(const char *s, double *ret)
{
    /* The C library has this locale ready: nothing is allocated, and nothing is to be freed. */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end;

    *ret = strtod_l(s, &end, c);
    return (size_t)(end - s);
}

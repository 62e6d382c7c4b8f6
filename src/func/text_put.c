/* SPDX-License-Identifier: Apache-2.0
 *
 * text_put.c: see text_put.h. Digits go two at a time through a table. */
#include "func/text_put.h"

#include "base/civil.h"

#include <string.h>

static const char put_pairs[] = "00010203040506070809"
                                "10111213141516171819"
                                "20212223242526272829"
                                "30313233343536373839"
                                "40414243444546474849"
                                "50515253545556575859"
                                "60616263646566676869"
                                "70717273747576777879"
                                "80818283848586878889"
                                "90919293949596979899";

char *text_put_pair(char *to, uint32_t v)
{
    memcpy(to, put_pairs + (size_t)2 * v, 2);
    return to + 2;
}

char *text_put_u64(char *to, uint64_t v)
{
    char digits[20];
    char *at = digits + sizeof digits;

    while (v >= 100) {
        at -= 2;
        text_put_pair(at, (uint32_t)(v % 100));
        v /= 100;
    }
    if (v >= 10) {
        at -= 2;
        text_put_pair(at, (uint32_t)v);
    } else {
        *--at = (char)('0' + v);
    }
    memcpy(to, at, (size_t)(digits + sizeof digits - at));
    return to + (digits + sizeof digits - at);
}

char *text_put_i64(char *to, int64_t v)
{
    if (v >= 0)
        return text_put_u64(to, (uint64_t)v);
    *to++ = '-';
    return text_put_u64(to, 0 - (uint64_t)v);
}

char *text_put_padded(char *to, uint64_t v, unsigned width)
{
    char digits[20];
    size_t count = (size_t)(text_put_u64(digits, v) - digits);

    for (; width > count; width--)
        *to++ = '0';
    memcpy(to, digits, count);
    return to + count;
}

char *text_put_day(char *to, int64_t days)
{
    struct civil c = civil_from_days(days);
    int64_t year = c.year > 0 ? c.year : 1 - c.year; /* there is no year 0: 1 BC */

    to = text_put_padded(to, (uint64_t)year, 4);
    *to++ = '-';
    to = text_put_pair(to, (uint32_t)c.month);
    *to++ = '-';
    return text_put_pair(to, (uint32_t)c.day);
}

char *text_put_seconds(char *to, uint32_t seconds)
{
    to = text_put_pair(to, seconds / 3600);
    *to++ = ':';
    to = text_put_pair(to, seconds / 60 % 60);
    *to++ = ':';
    return text_put_pair(to, seconds % 60);
}

char *text_put_fraction(char *to, uint32_t part, unsigned width)
{
    if (part == 0)
        return to;
    for (; part % 10 == 0; width--)
        part /= 10;
    *to++ = '.';
    return text_put_padded(to, part, width);
}

char *text_put_offset(char *to, int32_t offset)
{
    uint32_t a = (uint32_t)(offset < 0 ? -offset : offset);

    *to++ = offset < 0 ? '-' : '+';
    to = text_put_padded(to, a / 3600, 2);
    if (a % 3600) {
        *to++ = ':';
        to = text_put_pair(to, a / 60 % 60);
    }
    if (a % 60) {
        *to++ = ':';
        to = text_put_pair(to, a % 60);
    }
    return to;
}

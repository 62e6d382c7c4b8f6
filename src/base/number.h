/* SPDX-License-Identifier: Apache-2.0
 *
 * number.h: numbers out of texts, for all layers. The readers take what stands at the start of a
 * text and say how many bytes that is; 0: there is no number. They look at no byte behind `len`,
 * allocate nothing, and do not depend on the locale of the program. The texts of values in SQL have
 * rules of their own on top of this (func/text_num.h, vec/numeric.h). Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool number_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit in either case; -1: c is no such digit. */
int number_hex(char c);

/* len hexadecimal digits as len / 2 bytes; false: len is odd, or there is something else. */
bool number_hex_bytes(const char *s, size_t len, void *ret);

/* Decimal digits. UINT64_MAX stands for all that 64 bits do not hold. */
size_t number_digits(const char *s, size_t len, uint64_t *ret);

/* Decimal digits behind a sign, which may be missing. 0 also for what 64 bits do not hold. */
size_t number_int(const char *s, size_t len, int64_t *ret);

/* Is the whole text such a number? */
static inline bool number_is_int(const char *s, size_t len, int64_t *ret)
{
    return len > 0 && number_int(s, len, ret) == len;
}

/* What strtod() takes in the locale "C". The text ends with a NUL. */
size_t number_real(const char *s, double *ret);

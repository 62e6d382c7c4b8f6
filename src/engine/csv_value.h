/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_value.h: the usual ways to write a number, a time or a boolean, read fast. Each function
 * gives exactly what func/text.h gives, or false: then that one is asked, and says what is wrong if
 * something is. No locale, no allocation. Any thread. */
#pragma once

#include "vec/type.h"

/* [-]digits, at most 18 of them. */
bool csv_read_int(const char *text, size_t len, int64_t *ret);
/* [-]digits[.digits][e[±]digits] with at most 19 digits, correctly rounded. */
bool csv_read_double(const char *text, size_t len, double *ret);
/* The same, rounded to a float at once. */
bool csv_read_real(const char *text, size_t len, double *ret);
/* true, false, t, f, 1, 0. */
bool csv_read_bool(const char *text, size_t len, int64_t *ret);
/* YYYY-MM-DD, and behind it T or a space, hh:mm:ss, a fraction that the type keeps, Z. */
bool csv_read_time(const char *text, size_t len, enum type_id type, int64_t *ret);
/* A number with a decimal comma, whose thousands may be parted by points, as it is written with a
 * decimal point: to `to`, which has room for len bytes. Returns its length; 0: it is none. What has
 * neither comma nor point is copied as it is. */
size_t csv_read_comma(const char *text, size_t len, char *to);

/* SPDX-License-Identifier: Apache-2.0
 *
 * text_put.h: numbers, days and times of day as characters, written where the caller has room and
 * without printf: what the printers of text.h and the columns of text_column.h share. Each function
 * writes at `to`, at most TEXT_PUT_MAX bytes, and returns what follows them. Any thread. */
#pragma once

#include <stdint.h>

#define TEXT_PUT_MAX 64u /* bytes that one of these writes at most */

char *text_put_u64(char *to, uint64_t v);
char *text_put_i64(char *to, int64_t v);
/* With at least `width` digits, zeros in front; width up to 20. */
char *text_put_padded(char *to, uint64_t v, unsigned width);
/* As text_print shows REAL and DOUBLE (text_num.c). */
char *text_put_f64(char *to, double v);
char *text_put_f32(char *to, float v);

/* Two digits; v below 100. */
char *text_put_pair(char *to, uint32_t v);
/* 2015-06-01; without the era: the year 0 is 0001 (BC). */
char *text_put_day(char *to, int64_t days);
/* 04:05:06 */
char *text_put_seconds(char *to, uint32_t seconds);
/* .789: `part` of a second in units of 10^-width seconds without the zeros at its end; nothing for
 * 0. */
char *text_put_fraction(char *to, uint32_t part, unsigned width);
/* +02, -05:30: seconds ahead of UTC. */
char *text_put_offset(char *to, int32_t offset);

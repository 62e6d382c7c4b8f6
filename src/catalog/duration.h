/* SPDX-License-Identifier: Apache-2.0
 *
 * duration.h: lengths of time in whole seconds, as table options write them: '15m', '6h', '1d',
 * '90s', '1 day', '1h30m', '2 weeks'. Units in any case: s sec second, m min minute, h hr hour,
 * d day, w week, and their plurals. Any thread. */
#pragma once

#include "base/bytes.h"

#define DURATION_TEXT_MAX 32 /* bytes of a printed duration */
#define DURATION_WORD_MAX 16 /* bytes of a unit, with the NUL */

/* False: not a duration, or more seconds than an int64_t holds. Zero parses. */
bool duration_parse(const char *text, int64_t *ret_seconds) DN_MUST_CHECK;
/* "15 min": the number and the word at the start of the text, which begins with a digit. The result
 * is what follows behind spaces; NULL: there is no such pair, or the number is too large. */
const char *duration_pair(const char *s, int64_t *ret_count, char word[DURATION_WORD_MAX]);
const char *duration_skip_spaces(const char *s);
/* Shortest exact form with one unit of d, h, m, s: 5400 -> 90m. seconds >= 0. */
void duration_split(int64_t seconds, int64_t *ret_count, char *ret_unit);
void duration_print(int64_t seconds, char ret[DURATION_TEXT_MAX]);
/* Seconds of a unit of time, in any case; 0 = no such unit. */
int64_t duration_word(const char *word);
/* Seconds of a unit letter d, h, m, s in any case; 0 = no such unit. */
int64_t duration_unit(char letter);

/* SPDX-License-Identifier: Apache-2.0
 *
 * tmpl.h: the words of templates for dates and times, which to_char writes by and to_timestamp
 * reads by. Any thread. */
#pragma once

#include "vec/type.h"

#include <stddef.h>
#include <stdint.h>

#define TMPL_JULIAN 2440588 /* Julian day of 1970-01-01 */

enum tmpl_word {
    TMPL_AM,
    TMPL_AM_DOTS,
    TMPL_AD,
    TMPL_AD_DOTS,
    TMPL_HH12,
    TMPL_HH24,
    TMPL_MI,
    TMPL_SS,
    TMPL_SSSS,
    TMPL_MS,
    TMPL_US,
    TMPL_FF,
    TMPL_Y_YYY,
    TMPL_YEAR,
    TMPL_ISO_YEAR,
    TMPL_CC,
    TMPL_MONTH,
    TMPL_MON,
    TMPL_MM,
    TMPL_RM,
    TMPL_DAY,
    TMPL_DY,
    TMPL_DDD,
    TMPL_IDDD,
    TMPL_DD,
    TMPL_D,
    TMPL_ID,
    TMPL_W,
    TMPL_WW,
    TMPL_IW,
    TMPL_Q,
    TMPL_J,
    TMPL_TZ,
    TMPL_TZH,
    TMPL_TZM,
    TMPL_OF,
};

/* How the letters of a word were written, which its text follows. */
enum tmpl_case { TMPL_UPPER, TMPL_FIRST, TMPL_LOWER };

struct tmpl_name {
    const char *name;
    enum tmpl_word word;
    int digits;  /* of years and fractions */
    bool spoken; /* it has letters, whose case counts; no interval has it */
};

extern const char *const tmpl_months[12];
extern const char *const tmpl_days[7]; /* from Sunday */
extern const char *const tmpl_romans[12];

/* ASCII only, whatever the locale. */
static inline char tmpl_up(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static inline char tmpl_down(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#define TMPL_STEPS 64u /* of func_count_steps, for a word that is looked for */

/* Does the word (in upper case) stand there, in upper or lower case? */
bool tmpl_starts(struct vstr s, uint32_t at, const char *word);
/* The longest word that stands there; NULL: none. */
const struct tmpl_name *tmpl_find(struct vstr s, uint32_t at);
/* How a word of that length is written. */
enum tmpl_case tmpl_case_of(const char *word, size_t len);

/* SPDX-License-Identifier: Apache-2.0
 *
 * from_char.h: a text that is read by a template for dates and times: where it stands, and what was
 * found so far. Any thread. */
#pragma once

#include "func/str_int.h"
#include "func/text_int.h"
#include "func/tmpl.h"

enum read_calendar { READ_ANY, READ_GREGORIAN, READ_ISO };

struct read_in {
    const struct str_call *c;
    struct vstr tmpl;
    struct vstr in;
    uint32_t at;      /* in the text */
    bool exact;       /* FX */
    bool fill;        /* FM stands before the word */
    bool number_next; /* a digit may follow the word */
    int extra;        /* spaces and separators passed over more than the template has */
    const char *word; /* under way, for messages */
    uint32_t word_len;
    enum read_calendar calendar;
    bool twelve; /* hours up to 12 */
    bool pm;
    bool bc;
    int zone_sign; /* 0: no zone is given */
    int year_digits;
    int fraction; /* digits that FF keeps; 0: all */
    int64_t year, century, month, day, week_day, year_day, week, month_week, julian;
    int64_t hour, minute, second, day_seconds, ms, us, zone_hour, zone_minute;
};

static inline char read_ahead(const struct read_in *r)
{
    return r->at < r->in.len ? r->in.ptr[r->at] : 0;
}

static inline bool read_separator(char c)
{
    return c > ' ' && c < 0x7f && !(((c | 32) >= 'a' && (c | 32) <= 'z') || text_is_digit(c));
}

/* The word `n` of the template, whose text is r->word. DN_E_BAD_DATETIME. */
int func_read_field(struct read_in *r, const struct tmpl_name *n) DN_MUST_CHECK;

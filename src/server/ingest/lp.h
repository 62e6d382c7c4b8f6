/* SPDX-License-Identifier: Apache-2.0
 *
 * lp.h: Influx' line protocol taken apart, in one pass and without copying:
 *
 *     measurement[,tag=value…] field=value[,field=value…] [timestamp]
 *
 *     lp_begin   on a text that is not changed as long as its points are used
 *     lp_next    point after point; texts are slices of the input, or of the arena where they had
 *                escapes
 *
 * Untrusted bytes. After a bad line the next call goes on behind it. docs/ingest.md has the
 * grammar. One thread at a time. */
#pragma once

#include "base/arena.h"

#include <stdbool.h>

#define LP_TAGS_MAX   255u
#define LP_FIELDS_MAX 511u
#define LP_NAME_MAX   255u /* bytes of the name of a measurement, tag or field */

struct lp_text {
    const char *ptr;
    uint32_t len;
};

enum lp_type { LP_DOUBLE, LP_INT, LP_BOOL, LP_TEXT };

struct lp_tag {
    struct lp_text key;
    struct lp_text value; /* never empty */
};

struct lp_field {
    struct lp_text key;
    enum lp_type type;
    bool null; /* of that type; never in lines */
    union {
        double d;
        int64_t i; /* INT, BOOL */
        struct lp_text s;
    } v;
};

struct lp_point {
    struct lp_text name;
    struct lp_tag tags[LP_TAGS_MAX];
    uint32_t tags_count;
    struct lp_field fields[LP_FIELDS_MAX]; /* at least one; a key may come twice, the last counts */
    uint32_t fields_count;
    bool timed;
    int64_t time;
};

struct lp {
    const char *at;
    const char *end;
    const char *line_start; /* of the line of the last point */
    struct arena *arena;    /* borrowed */
    uint64_t line;          /* number of that line, from 1 */
    uint64_t line_next;
    struct lp_point point;
    char error[160]; /* what is wrong with the line, and where in it */
};

/* A whole text: its last line need not end. */
void lp_begin(struct lp *p, const char *text, size_t len, struct arena *arena);

enum lp_result {
    LP_END = 0,
    LP_POINT = 1,
    LP_BAD = -1,   /* p->error, p->line */
    LP_NOMEM = -2, /* the arena is full */
};
enum lp_result lp_next(struct lp *p);

/* The end of the last whole line of a text: just behind its line feed; 0: there is none. A line
 * feed in a quoted text ends no line. */
size_t lp_whole(const char *text, size_t len);

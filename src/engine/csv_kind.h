/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_kind.h: what the values of a column could be, cell by cell. Each kind of value counts the
 * cells that read as it and remembers the first that does not, so that a guess can say which row
 * made it change its mind. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "vec/type.h"

#define CSV_ORDERS 3u /* enum date_first */

enum csv_kind {
    CSV_KIND_BOOL,
    CSV_KIND_INT,
    CSV_KIND_DOUBLE,
    CSV_KIND_COMMA, /* a number with a decimal comma */
    CSV_KIND_TIME,  /* CSV_ORDERS of them: month, day, year first */
    CSV_KIND_MAX = CSV_KIND_TIME + CSV_ORDERS
};

/* The first value that is not of a kind. */
struct csv_odd {
    uint64_t line;
    const char *text; /* arena, cut; NULL = all of them are */
    bool only;        /* all values that are not are this one */
};

struct csv_kinds {
    uint64_t values; /* that are not NULL */
    uint64_t nulls;
    uint64_t count[CSV_KIND_MAX];
    struct csv_odd odd[CSV_KIND_MAX];
    uint64_t commas; /* values with a comma in them that are numbers with a decimal comma */
    uint64_t iso;    /* times that mean the same whichever of day, month and year is first */
    uint64_t points; /* times with points in their date: 31.12.2024 */
    uint32_t digits; /* of a second, the most */
    int64_t min;     /* of the whole numbers */
    int64_t max;
    bool text; /* it was a text for so long that nothing else is looked for */
};

/* keep: for what is remembered; scratch: of the cell. False: out of memory. */
bool csv_kinds_add(
    struct csv_kinds *k, struct vstr s, uint64_t line, struct arena *keep, struct arena *scratch);

/* Do all values, and there are some, read as that? */
static inline bool csv_kinds_all(const struct csv_kinds *k, enum csv_kind kind)
{
    return k->values > 0 && k->count[kind] == k->values;
}

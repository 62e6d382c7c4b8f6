/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_field.h: cell after cell of a text, for csv.c. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "engine/csv_scan.h"

struct csv_field {
    const char *text;
    size_t len;
    size_t next; /* offset behind it and its delimiter or line feed */
    bool quoted;
    bool last;           /* of the record */
    const char *trouble; /* not NULL: not a cell */
};

/* A cell that starts with a quote. False: out of memory. lines: line feeds inside are added. */
bool csv_field_quoted(
    struct csv_scan *s, size_t at, struct arena *arena, uint64_t *lines, struct csv_field *ret);
/* Takes the line's end off, and the rest of a record whose quotes are in the wrong place. */
void csv_field_end(struct csv_scan *s, uint64_t *lines, struct csv_field *ret);

/* The cell at an offset. False: out of memory. */
static inline bool csv_field_next(
    struct csv_scan *s, size_t at, struct arena *arena, uint64_t *lines, struct csv_field *ret)
{
    const char *text = s->text;
    size_t end;

    ret->trouble = NULL;
    ret->quoted = false;
    if (DN_UNLIKELY(at < s->len && text[at] == s->quote)) {
        if (!csv_field_quoted(s, at, arena, lines, ret))
            return false;
        csv_field_end(s, lines, ret);
        return true;
    }
    end = csv_scan_next(s);
    ret->text = text + at;
    ret->next = end;
    if (DN_LIKELY(end < s->len && text[end] == s->delimiter)) {
        ret->len = end - at;
        ret->next++;
        ret->last = false;
        return true;
    }
    if (end < s->len && text[end] == s->quote)
        ret->trouble = "there is a quote inside a cell that does not start with one";
    csv_field_end(s, lines, ret);
    ret->len = end - at;
    if (ret->last && ret->len > 0 && text[end - 1] == '\r')
        ret->len--;
    return true;
}

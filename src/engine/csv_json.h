/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_json.h: lines of JSON objects (NDJSON) as a CSV text with a header, so that all that reads
 * CSV reads them: each member is a column, strings are quoted cells, null and a member that is not
 * there are empty ones, objects and arrays within are their JSON text. Which columns there are is
 * decided by the first lines. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/type.h"

#define CSV_JSON_MEMBERS_MAX 1024u

struct csv_json {
    struct arena names_arena;
    struct vstr *names; /* in names_arena: of the columns, in the order in which they first came */
    uint32_t names_count;
    struct vstr *cells; /* in names_arena: values of the line at hand; ptr NULL: it has none */
    struct arena line;  /* what strings with escapes come to */
    uint64_t number;    /* of the line at hand, from 1 */
};

/* Does the text begin with a line that is a JSON object? whole: nothing follows the text. */
bool csv_json_is(const uint8_t *text, size_t len, bool whole);

void csv_json_init(struct csv_json *j, struct mem_owner *owner);
void csv_json_done(struct csv_json *j); /* zeroed is fine */
/* The members of these lines are columns; once, before anything is converted. */
int csv_json_names(struct csv_json *j, const char *text, size_t len, struct dn_err *err)
    DN_MUST_CHECK;
/* The line of the names. */
void csv_json_header(const struct csv_json *j, struct buf *to);
/* Whole lines, each to a record behind what is in `to`. Errors name the line. */
int csv_json_lines(struct csv_json *j,
                   const char *text,
                   size_t len,
                   struct buf *to,
                   struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h: results as text: JSON, NDJSON and CSV, row by row, so that no more than a buffer of them
 * is ever there. One thread at a time. */
#pragma once

#include "base/bytes.h"
#include "dendro.h"
#include "engine/door.h"

struct func_session;
struct text_column;

enum http_format {
    HTTP_JSON,   /* {"columns":[…],"rows":[[…],…],"tag":…,"stats":{…}} */
    HTTP_NDJSON, /* {"columns":[…]}, a line with an array for each row, {"tag":…,"stats":{…}} */
    HTTP_CSV,    /* names, then rows; NULL is empty, an empty text is "" */
    HTTP_SVG,    /* a picture: server/draw; nothing of it is written here */
    HTTP_PARQUET, /* a file: file.c; likewise */
    HTTP_FORMAT_MAX
};

/* One of a name, or of what Accept says; NULL: the first. HTTP_FORMAT_MAX: none of ours. */
enum http_format http_format_named(const char *name);
enum http_format http_format_accepted(const char *accept);
const char *http_format_type(enum http_format f); /* Content-Type */
const char *http_format_name(enum http_format f);

/* What is to be said of a statement at its end. */
struct http_summary {
    const char *tag; /* NULL: none */
    uint64_t rows;
    uint64_t ns;
    bool truncated; /* there were more than were asked for */
};

/* first: of the request. */
void http_rows_begin(struct buf *b, enum http_format f, dendro_stmt *stmt, bool first);

/* Answers with a file of the rows of the one query that the text is. Frees what the request has as
 * its state. */
struct http_req;
void http_run_file(struct http_req *req, enum http_format format, const char *text);

/* The columns of a result on their way out. Zeroed to begin with; http_columns_done at the end. */
struct http_columns {
    struct text_column *columns; /* owned */
    uint32_t count;
    uint32_t used; /* of them, by the result at hand */
    enum http_format format;
    const struct func_session *session; /* borrowed */
    struct buf scratch;
};
/* For each batch of rows, which stays until the next. session: whose TimeZone, DateStyle and
 * IntervalStyle values are shown in. False: out of memory. */
bool http_columns_set(struct http_columns *c,
                      enum http_format f,
                      const struct func_session *session,
                      const struct engine_rows *rows,
                      struct mem_owner *owner) DN_MUST_CHECK;
void http_columns_done(struct http_columns *c);
/* Row number `row` of the vectors. */
void http_rows_put(struct buf *b, struct http_columns *c, uint32_t row, bool first);
/* error: it ended with this one; NULL: it did not. */
void http_rows_end(struct buf *b,
                   enum http_format f,
                   const struct http_summary *s,
                   const struct dendro_error *error);

/* SPDX-License-Identifier: Apache-2.0
 *
 * csv.h: comma separated text to columns, as RFC 4180 has it: cells in quotes may hold delimiters,
 * line feeds and doubled quotes; lines end with LF or CRLF. A cell without quotes that equals the
 * null text is NULL, so with the usual empty null text ,, is NULL and ,"", is an empty text.
 *
 * A text of whole records is parsed straight into column buffers, one parser per task:
 *
 *     csv_parser_new(layout, …)
 *     csv_parse(p, text, len, err)      p->rows, p->cols, p->lines, p->bad
 *     csv_parser_free(p)
 *
 * A value is read as a quoted literal of an INSERT would be (intake.h), except that whole numbers
 * are times too: see struct csv_format. Lines with nothing on them are passed over in files of more
 * than one column.
 *
 * One thread at a time per parser; a layout may be shared by any number of them. */
#pragma once

#include "base/err.h"
#include "engine/csv_encoding.h"
#include "engine/intake.h"

#define CSV_CELL_MAX   (16u * 1024 * 1024) /* bytes of a cell */
#define CSV_RECORD_MAX (64u * 1024 * 1024) /* bytes of a record */
#define CSV_SKIP       UINT32_MAX          /* a column of the file that nobody wants */

struct csv_format {
    char delimiter;
    char quote;
    struct vstr null_text; /* borrowed */
    /* Unit of whole numbers in time columns, in digits of a second: 0, 3, 6, 9. -1: the column's,
     * but four digits are a year and eight a day, as ISO 8601 has it. */
    int epoch;
    bool comma; /* 1.234,5 is one thousand two hundred and thirty-four and a half */
    int dates;  /* which of day, month and year is first in 1/2/2020: enum date_first + 1; 0: as the
                   session has it */
    enum csv_encoding encoding; /* of the source; the parser gets UTF-8 */
};

struct csv_layout {
    const struct intake_target *to; /* borrowed; bound before a parser is made */
    struct csv_format format;
    const uint32_t *fields; /* for each column of the file: index into to->cols, or CSV_SKIP */
    uint32_t fields_count;
    bool go_on; /* gather bad rows; false: stop at the first */
};

/* A row that cannot be stored. */
struct csv_bad {
    struct csv_bad *next;
    uint64_t line;      /* where it begins: lines before it in the text */
    const char *record; /* its text without the line's end, borrowed from the text */
    size_t record_len;
    const char *column; /* of the table, NULL = the record as a whole; borrowed */
    int code;           /* DN_E_* */
    const char *reason; /* arena */
    const char *hint;   /* arena, "" = none */
};

struct csv_col; /* how a cell becomes a value */

struct csv_parser {
    const struct csv_layout *layout;    /* borrowed */
    struct mem_owner *owner;            /* borrowed */
    struct csv_col *cols;               /* owned, one for each of layout->to->cols */
    struct arena arena;                 /* of one text: values that are not in it as they are */
    const struct func_session *session; /* how values are read */
    struct func_session *own_session;   /* owned: that, if the format says otherwise than it */

    /* Of the last csv_parse; columns borrow strings from the text and the arena. */
    uint32_t rows;
    uint64_t lines;
    struct csv_bad *bad; /* in the order of the text */
    uint32_t bad_count;
    /* Is the row that was read last good? Asked for each, with its number; NULL: they all are. */
    int (*check)(const struct csv_parser *p, uint32_t row, void *arg, struct dn_err *why);
    void *check_arg;
};

struct csv_parser *csv_parser_new(const struct csv_layout *layout, struct mem_owner *owner);
void csv_parser_free(struct csv_parser *p); /* NULL is fine */

/* Whole records; the last may lack its line feed. CSV_PAD bytes behind the text may be read. Bad
 * rows are no failure: they are in p->bad. Fails when memory runs out. */
int csv_parse(struct csv_parser *p, const char *text, size_t len, struct dn_err *err) DN_MUST_CHECK;
/* The values of the i-th of layout->to->cols: rows long, FLAT. */
struct vec csv_parser_vec(const struct csv_parser *p, uint32_t i);
/* The same of one row, also while it is read. */
struct datum csv_parser_datum(const struct csv_parser *p, uint32_t i, uint32_t row);

/* Can a text be written so? The delimiter, the quote and line ends must be different bytes. */
int csv_format_check(const struct csv_format *f, struct dn_err *err) DN_MUST_CHECK;

/* The cells of one record as texts, for headers and guesses. DN_EOF: the text is at its end. */
struct csv_cell {
    struct vstr text; /* in the text or the arena */
    bool quoted;
};
struct csv_cells {
    struct csv_cell *cells; /* arena */
    uint32_t count;
    size_t record_len; /* bytes, with the line's end */
    uint32_t lines;
};
/* As csv_parse: CSV_PAD bytes behind the text may be read. */
int csv_cells(const struct csv_format *f,
              const char *text,
              size_t len,
              struct arena *arena,
              struct csv_cells *ret,
              struct dn_err *err) DN_MUST_CHECK;

/* A cell of a header without the spaces around it. */
struct vstr csv_header_trim(struct vstr s);
/* The names of columns that a header gives, as many as it has cells: without spaces around them; a
 * cell without a name is "column" and its number, and a name that was there before, whatever its
 * case, gets "_2", "_3" … */
int csv_header_names(const struct csv_cells *header,
                     struct arena *arena,
                     struct spec_name **ret,
                     struct dn_err *err) DN_MUST_CHECK;

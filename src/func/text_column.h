/* SPDX-License-Identifier: Apache-2.0
 *
 * text_column.h: the values of a column on their way out, many at a time. What is the same for all
 * rows of a batch is decided once: which printer a type, a format and the session's settings ask
 * for, the text of a constant, the texts of a dictionary's entries, the date of neighbouring time
 * stamps. The bytes are those of text_print_as and text_wire_put, value by value.
 *
 * A cell is a value with what the protocol puts around it (enum text_frame). What the printers here
 * do not know (arrays, NUMERIC, texts that must be quoted …) is written by the caller's function,
 * whole; it is called once for a constant and once for each short entry of a dictionary.
 *
 *     text_column_begin    for each result: format, frame, the caller's function
 *     text_column_set      for each batch
 *     text_column_put      for each row, in any order
 *     text_column_done
 *
 * One thread at a time. */
#pragma once

#include "base/bytes.h"
#include "func/text.h"
#include "func/tz.h"
#include "vec/vec.h"

/* What stands around a value. */
enum text_frame {
    TEXT_FRAME_NONE,
    TEXT_FRAME_LENGTH, /* four bytes before it: how many it has, big-endian; -1 is NULL */
    TEXT_FRAME_QUOTES, /* "…" around what is neither a number of JSON nor true, false or NULL */
};

struct text_column_how {
    const struct func_session *session; /* borrowed; NULL: as text_print has it */
    enum text_style style;
    bool binary;           /* the form of text_wire.h instead of a text */
    bool bytes;            /* texts go out as they are; else the caller writes them */
    bool other;            /* the caller writes everything */
    bool exact;            /* … or just time stamps that microseconds do not hold */
    enum text_frame frame; /* of cells that are written here */
    struct vstr null_text; /* a NULL, but for TEXT_FRAME_LENGTH; borrowed */
    /* Appends the cell of a value that is not NULL. */
    void (*cell)(void *arg, const struct datum *d, struct buf *b);
    void *arg;
    struct mem_owner *owner; /* borrowed; of the cells that are kept */
};

struct text_column {
    struct text_column_how how;
    int kind; /* enum column_kind of text_column.c */
    const struct vec *vec;
    int64_t per_us;  /* time stamps: microseconds of a unit; 0: units of a microsecond, unit_us */
    int64_t unit_us; /* … of them */
    struct tz_span span; /* the zone's offset around the last time stamp */
    int64_t day;         /* of the date that is kept, local */
    char day_text[32];
    uint32_t day_len;   /* 0: none is kept */
    struct buf cells;   /* of a constant, of entries */
    uint32_t *cell_at;  /* owned; for each entry where its cell begins, and how long it is */
    uint32_t *cell_len; /* owned by cell_at; 0: not made yet */
    uint32_t cell_cap;
    bool kept; /* cells are kept for this batch */
};

/* c is zeroed, or was used before with the same owner: the memory that it keeps is used again. */
void text_column_begin(struct text_column *c, const struct text_column_how *how);
void text_column_done(struct text_column *c); /* zeroed is fine */
/* The values of the next rows; `rows`: how many of them will be put, about. v stays until the next
 * call. */
void text_column_set(struct text_column *c, const struct vec *v, uint32_t rows);
/* Appends the cell of a row. Without memory b->failed. */
void text_column_put(struct text_column *c, uint32_t row, struct buf *b);

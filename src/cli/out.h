/* SPDX-License-Identifier: Apache-2.0
 *
 * out.h: results as people and programs want to read them. One row in out_list.h per format.
 *
 *     out_begin(o, from)   names and types of the columns
 *     out_row(o, from) …   the row backend_step has just given
 *     out_end(o)           foot, and everything still held back goes out
 *
 * One thread at a time. */
#pragma once

#include "base/bytes.h"
#include "cli/backend.h"

#include <stdbool.h>
#include <stdio.h>

enum out_format {
#define DN_OUT(NAME, name, ending, ops, doc) OUT_##NAME,
#include "cli/out_list.h"
#undef DN_OUT
    OUT_FORMAT_MAX
};

struct out;

struct out_ops {
    void (*begin)(struct out *o, struct backend *from);
    void (*row)(struct out *o, struct backend *from);
    void (*end)(struct out *o);
};

struct out_col {
    char *name;         /* owned */
    char type_name[40]; /* as the head of a table shows it */
    enum dendro_type type;
    uint32_t width; /* columns on the screen */
};

struct out {
    FILE *to; /* borrowed */
    enum out_format format;
    bool header;          /* csv, tsv: a line of names first */
    bool types;           /* table: a line of types under the names */
    uint32_t width_max;   /* table: wider ones stand one column a line; 0 = any */
    bool fit;             /* table: before that, texts are shortened to width_max */
    bool upright;         /* that has happened */
    uint64_t printed;     /* rows that stand so */
    uint32_t page_lines;  /* table: longer results go through a pager; 0 = never */
    FILE *pager;          /* owned while a result goes there */
    FILE *screen;         /* what `to` was before */
    struct out_col *cols; /* owned */
    int cols_count;
    uint64_t rows;
    struct buf held; /* table: cells not yet printed, as varint length + bytes; see out_table.c */
    uint64_t held_rows;
    bool streaming;  /* table: widths are fixed, rows go out at once */
    struct buf line; /* scratch */
    bool failed;     /* out of memory or the file does not take more */
};

void out_init(struct out *o, FILE *to, enum out_format format);
void out_done(struct out *o);
void out_begin(struct out *o, struct backend *from);
void out_row(struct out *o, struct backend *from);
void out_end(struct out *o);

/* By name; false if there is no such format. */
bool out_format_find(const char *name, enum out_format *ret);
/* By the end of a file's name, in any case: "csv", "md"; false if there is no such format. */
bool out_format_of_ending(const char *ending, enum out_format *ret);
const char *out_format_name(enum out_format f);
const char *out_format_doc(enum out_format f);
/* Formats for programs: no tags or remarks among them. */
bool out_format_plain(enum out_format f);

/* For the formats. */
bool out_type_right(enum dendro_type t); /* numbers stand right */
bool out_type_bare(enum dendro_type t);  /* JSON: number or boolean, not quoted */
void out_flush_line(struct out *o);
/* Before the first line of a result of so many lines: a pager takes over if it is too long for the
 * screen. */
void out_page(struct out *o, uint64_t lines);
/* Text as it can stand on one line of a screen: control characters escaped. Returns its width. */
uint32_t out_visible(const char *text, size_t len, struct buf *b);

extern const struct out_ops out_table_ops;
extern const struct out_ops out_csv_ops;
extern const struct out_ops out_tsv_ops;
extern const struct out_ops out_json_ops;
extern const struct out_ops out_jsonl_ops;
extern const struct out_ops out_markdown_ops;
extern const struct out_ops out_vertical_ops;

/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.h: COPY from the inside: its options, rows to bytes, bytes to rows.
 *
 *     copy_options.c   what the statement says, checked
 *     copy_out.c       rows to text, csv or binary, to a file or the session's writer
 *     copy_lines.c     text and csv to fields
 *     copy_parquet.c   Parquet, in and out
 *     copy_in.c        fields and binary rows into a table
 *     copy.c           the statement; CSV as it usually is goes to load.h, which has threads
 *
 * One thread at a time. */
#pragma once

#include "engine/csv.h"
#include "engine/csv_source.h"
#include "engine/load.h"

struct copy_stmt;
struct option_spec;
struct dendro_stmt;
struct intake_target;

enum copy_kind { COPY_TEXT, COPY_CSV, COPY_BINARY, COPY_PARQUET };

/* Columns that an option names. */
struct copy_columns {
    bool given;
    bool all;                     /* * */
    const struct spec_name *list; /* count of them */
    uint32_t count;
    const bool *fields; /* given: by field, whether it is named */
};

/* The options of a COPY. */
struct stmt_copy {
    enum copy_kind kind;
    struct csv_format format; /* delimiter, quote, null text, epoch */
    char escape;
    enum load_header header;
    bool match;                   /* HEADER MATCH: it must name the columns */
    bool by_names;                /* the header says which column is which */
    struct copy_columns quote;    /* FORCE_QUOTE */
    struct copy_columns not_null; /* FORCE_NOT_NULL */
    struct copy_columns null;     /* FORCE_NULL */
    int pack;                     /* PARQUET, TO: enum pq_codec */
    struct bexpr *where;          /* FROM … WHERE, over the table's columns; NULL = none */
    bool *used;                   /* then, by table column: it names it */
};

/* ---- copy_options.c ---- */
int copy_take_options(const struct copy_stmt *ast,
                      struct arena *arena,
                      struct stmt_copy *ret,
                      struct dn_err *err) DN_MUST_CHECK;

/* ---- copy_columns.c ---- */
int copy_take_columns(struct arena *arena,
                      const struct option_spec *o,
                      struct copy_columns *ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* Finds the columns of all options among the fields of the statement, which is compiled:
 * DN_E_UNDEFINED_COLUMN, DN_E_AMBIGUOUS, DN_E_DUPLICATE_COLUMN, DN_E_INVALID_COLUMN. */
int copy_find_columns(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* Does the option name the field? */
static inline bool copy_names(const struct copy_columns *cols, uint32_t field)
{
    return cols->given && cols->fields[field];
}

/* ---- copy_out.c ---- */
int copy_run_out(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- copy_parquet.c ---- */
struct copy_reader;
struct hostfile;
/* The rows of a Parquet file (the statement's, or from STDIN) into its target, in one commit. */
int copy_parquet_in(struct dendro_stmt *stmt,
                    const struct copy_reader *from,
                    struct dn_err *err) DN_MUST_CHECK;
/* The rows of the statement, which has begun, to a file, or (NULL) the session's writer. */
int copy_parquet_out(struct dendro_stmt *stmt,
                     struct hostfile *file,
                     struct dn_err *err) DN_MUST_CHECK;

/* ---- copy_lines.c ---- */
struct copy_field {
    struct vstr text;
    bool null;
};

struct copy_lines {
    const struct stmt_copy *copy; /* borrowed */
    struct csv_source *source;    /* borrowed */
    struct buf bytes;             /* what was read and not taken */
    size_t at;                    /* taken */
    bool eof;                     /* of the source */
    char eol[3];                  /* how lines end: told by the first one; "" = not known yet */
    uint64_t line;                /* of the record at hand, from 1 */
    uint64_t lines;               /* read */
    struct buf text;              /* of the fields */
    struct copy_field *fields;    /* owned */
    size_t *ends;                 /* owned: of each field in text */
    uint32_t fields_count;
    uint32_t fields_cap;
    struct mem_owner *owner;
    const bool *not_null; /* by field; NULL = none */
    const bool *force_null;
    uint32_t flags_count; /* of the two above */
    bool no_columns;      /* in the table: an empty line has no field */
};

void copy_lines_init(struct copy_lines *l,
                     const struct stmt_copy *copy,
                     struct csv_source *source,
                     struct mem_owner *owner);
void copy_lines_done(struct copy_lines *l);
/* The next record in l->fields, valid until the next call; DN_EOF at the end. DN_E_BAD_COPY,
 * DN_E_BAD_ENCODING, DN_E_TOO_LONG; l->line tells where. */
int copy_lines_next(struct copy_lines *l, struct dn_err *err) DN_MUST_CHECK;

/* ---- copy_in.c ---- */
struct copy_reader {
    csv_read_fn read;
    void *arg;
};
/* Rows from any format into the statement's target (stmt->insert), in one commit. */
int copy_run_in(struct dendro_stmt *stmt,
                const struct copy_reader *from,
                uint64_t *ret_rows,
                struct dn_err *err) DN_MUST_CHECK;

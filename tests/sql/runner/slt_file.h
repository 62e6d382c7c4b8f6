/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_file.h: the form of a .test file, see tests/sql/README.md. Reading gives a list of records
 * and keeps the lines, so that a file can be written again with the results of today.
 * One thread at a time. */
#pragma once

#include "slt_text.h"

#include <stdint.h>

enum slt_mode {
    SLT_FRESH,  /* rows stay in the memtable */
    SLT_FLUSH,  /* CHECKPOINT after each statement that writes */
    SLT_REOPEN, /* CHECKPOINT, close and open before each query */
    SLT_MODE_MAX,
};

enum slt_kind {
    SLT_STATEMENT_OK,
    SLT_STATEMENT_ERROR,
    SLT_QUERY,
    SLT_CLI,
    SLT_ROUNDTRIP,
    SLT_RESTART,
    SLT_CLOCK, /* close, and open with a clock that starts there */
    SLT_CHECKPOINT,
    SLT_HALT,
};

enum slt_sort {
    SLT_NOSORT,
    SLT_ROWSORT,
    SLT_VALUESORT,
};

struct slt_record {
    enum slt_kind kind;
    int line;                 /* of its first line, 1-based */
    bool modes[SLT_MODE_MAX]; /* in which it runs */
    char *connection;         /* owned; the session it runs in, NULL = the first */
    char *text;               /* owned; SQL, the arguments of a cli record, the table of a
                                 roundtrip, the time of a clock */
    char sqlstate[6];         /* error: expected SQLSTATE, "" = any */
    char *pattern;            /* owned; error: regular expression of the message, NULL = any */
    char *message;            /* owned; error: the message itself, NULL = see pattern */
    char *hint;               /* owned; error: regular expression of the hint, NULL = any; with
                                 message: the hint itself, NULL = none */
    uint32_t position;        /* error: expected position, 0 = any; with message: 0 = none */
    int64_t affected;         /* statement: expected number of rows, -1 = any */
    char *types;              /* owned; query: one letter per column */
    char *names;              /* owned; query: expected column names as a row, NULL = any */
    enum slt_sort sort;       /* query */
    int exit_code;            /* cli: expected exit code */
    struct slt_list expected; /* query, cli: expected lines */
    size_t expected_at;       /* index in lines of the first expected line */
};

struct slt_file {
    const char *path;           /* borrowed */
    struct slt_list lines;      /* the file */
    struct slt_record *records; /* owned */
    size_t records_count;
    size_t records_room;
};

const char *slt_mode_name(enum slt_mode mode);
/* Reads and parses path. On failure prints path:line and what is wrong, and returns -1. */
int slt_file_read(struct slt_file *file, const char *path);
void slt_file_done(struct slt_file *file);
/* Writes the file anew with the expected lines of its records. */
int slt_file_write(const struct slt_file *file, const struct slt_list *results);

/* SPDX-License-Identifier: Apache-2.0
 *
 * peer.h: what qbench knows of a database. A peer is a library loaded by dlopen, so that this
 * program needs none of them to be built, plus five functions. Every peer copies the whole answer
 * of a query, cell by cell, into a struct result: the same duty for all, inside the measured time.
 *
 * To add a peer: peer_NAME.c with a `const struct peer_ops`, one line in peer_list.h, its dialect
 * in queries.py and its loading in run.py. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- results ---- */

enum cell_kind {
    CELL_NULL,
    CELL_INT,
    CELL_DOUBLE,
    CELL_TIME, /* milliseconds since 1970 UTC */
    CELL_TEXT,
};

#define RESULT_COLS_MAX 128u
#define RESULT_NAME_MAX 64u
#define TEXT_LEN_BITS   24u /* a text cell is its offset and its length in one value */

struct result {
    size_t cols;
    char names[RESULT_COLS_MAX][RESULT_NAME_MAX];
    uint64_t *values; /* row after row; owned, kept for the next query */
    uint8_t *kinds;   /* of enum cell_kind, one for each value */
    size_t cells;     /* used */
    size_t cells_cap;
    char *text; /* bytes of all text cells */
    size_t text_len;
    size_t text_cap;
};

/* An answer begins: forgets the old one and keeps its memory. */
void result_begin(struct result *r, size_t cols);
void result_name(struct result *r, size_t col, const char *name);
/* Room for so many more; ends the program when there is none. */
void result_grow_cells(struct result *r, size_t more);
void result_grow_text(struct result *r, size_t more);
size_t result_rows(const struct result *r);
size_t result_memory(const struct result *r);
/* Names in the first line, then a line for each row. Cells are separated by tabs and begin with
 * their kind: n, i42, d0.5, t1451606400000 (ms), sTEXT with \t \n \\ escaped. */
int result_write(const struct result *r, const char *path);
void result_free(struct result *r);

static inline void result_put(struct result *r, enum cell_kind kind, uint64_t value)
{
    if (r->cells == r->cells_cap)
        result_grow_cells(r, 1);
    r->kinds[r->cells] = (uint8_t)kind;
    r->values[r->cells++] = value;
}

static inline void result_null(struct result *r)
{
    result_put(r, CELL_NULL, 0);
}

static inline void result_int(struct result *r, int64_t v)
{
    result_put(r, CELL_INT, (uint64_t)v);
}

static inline void result_time(struct result *r, int64_t ms)
{
    result_put(r, CELL_TIME, (uint64_t)ms);
}

static inline void result_double(struct result *r, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    result_put(r, CELL_DOUBLE, bits);
}

static inline void result_text(struct result *r, const void *text, size_t len)
{
    if (len > r->text_cap - r->text_len)
        result_grow_text(r, len);
    if (len > 0)
        memcpy(r->text + r->text_len, text, len);
    result_put(r, CELL_TEXT, (uint64_t)r->text_len << TEXT_LEN_BITS | len);
    r->text_len += len;
}

/* ---- errors ---- */

struct peer_error {
    char code[8]; /* SQLSTATE where the peer has one, else "" */
    char text[512];
};

/* Fills the error and returns -1. code may be NULL. */
int peer_fail(struct peer_error *err, const char *code, const char *text);

/* ---- CSV files for loading ---- */

/* A file of plain CSV: no quotes, one row a line, a first line of names. It is read through a
 * buffer, not mapped: pages of a mapped file would count as memory of the peer. */
struct csv {
    int fd;
    char *buf;
    size_t cap;
    size_t pos; /* of the next row in buf */
    size_t len; /* bytes in buf */
    size_t cols;
};

struct csv_cell {
    const char *text; /* not terminated */
    size_t len;
};

int csv_open(struct csv *csv, const char *path, struct peer_error *err);
/* The cells of the next row, valid until the next call; false at the end. cells has room for
 * csv->cols; a short row is filled up with empty cells. */
bool csv_next(struct csv *csv, struct csv_cell *cells);
void csv_close(struct csv *csv);

/* ---- peers ---- */

struct load_job {
    const char *table;
    const char *path; /* of the CSV file */
    int time_col;     /* from 0; -1 = none */
};

struct peer_ops {
    const char *name;
    /* lib: the shared library. settings: name, value, …, NULL. */
    void *(*open)(const char *lib,
                  const char *path,
                  const char *const *settings,
                  struct peer_error *err);
    const char *(*version)(void *peer);
    /* Runs all statements of the text and keeps the answer of the last one. */
    int (*query)(void *peer, const char *sql, struct result *ret, struct peer_error *err);
    /* Through the peer's own interface for rows; NULL: it loads by a statement. */
    int (*load)(void *peer, const struct load_job *job, uint64_t *ret_rows, struct peer_error *err);
    void (*close)(void *peer);
};

#define PEER(name) extern const struct peer_ops peer_##name##_ops;
#include "peer_list.h"
#undef PEER

/* ---- libraries ---- */

struct symbol {
    const char *name; /* without the prefix */
    size_t offset;    /* of the function pointer in the table */
};

/* Loads a library and fills the table of function pointers; each is called prefix + name. */
int library_load(const char *lib,
                 const char *prefix,
                 const struct symbol *symbols,
                 size_t count,
                 void *table,
                 struct peer_error *err);

#endif

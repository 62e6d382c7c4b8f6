/* SPDX-License-Identifier: Apache-2.0
 *
 * cursor_int.h: a cursor from the inside. Its rows, by their numbers from 0 on:
 *
 *     [0, base)            kept in the scratch area, a part of it for each page of VEC_ROWS_MAX
 *                          rows; or given up, where nobody may go back
 *     [base, base + mem)   in memory
 *     behind               the query has not given them yet
 *
 * One thread at a time. */
#pragma once

#include "exec/rows.h"
#include "exec/spill.h"

struct dendro_conn;
struct spec_name;

/* What a column that is kept beside those of the result is of. */
struct cursor_key {
    uint32_t lock;   /* number of the table in the query, from 1 on; 0: a column of the result */
    uint64_t table;  /* its id */
    uint32_t column; /* its id; 0: the row's number */
};

struct session_cursor {
    struct session_cursor *next;
    char *name;
    char *text;      /* owned: of the DECLARE */
    int64_t made_us; /* when it was declared, since 1970 */
    bool binary;
    uint64_t serial;           /* tells it from others of that name */
    struct dendro_stmt *query; /* owned; runs until `ended` */
    bool scroll;               /* may go back */
    bool keeps;                /* rows that were passed stay: it may go back, or is WITH HOLD */
    bool hold;
    bool in_block; /* of the transaction block that is under way */
    bool busy;     /* a FETCH stands on it */
    bool ended;    /* the query has given its last row */
    bool failed;   /* or an error */
    struct mem_owner owner;
    size_t kept;             /* bytes that count: keep.h */
    enum type_id *types;     /* owned; cols_count */
    struct cursor_key *keys; /* owned; cols_count */
    uint32_t cols_count;     /* of rows that are kept: those of the query and behind them keys */
    struct exec_rows mem;
    struct exec_spill spill;
    uint64_t base;
    uint64_t at; /* position */
    /* the page of the scratch file that was read last */
    struct exec_spill_reader reader;
    struct batch page;
    uint64_t page_first; /* its first row; UINT64_MAX: none */
    struct arena arena;  /* vectors of a view */
};

/* Rows that the query has given so far. */
static inline uint64_t cursor_known(const struct session_cursor *c)
{
    return c->base + c->mem.count;
}

/* Counts what it has now among what the session keeps. */
int cursor_keep(struct session_cursor *c, struct dn_err *err) DN_MUST_CHECK;
/* Until row `want` (from 0) is known; DN_EOF: there is none. */
int cursor_reach(struct session_cursor *c, uint64_t want, struct dn_err *err) DN_MUST_CHECK;
/* All rows become known: the query is over, and needs its snapshot no more. */
int cursor_reach_all(struct session_cursor *c, struct dn_err *err) DN_MUST_CHECK;
/* The page with a row that is known: its vectors, and where the row is in them. */
int cursor_page(struct session_cursor *c,
                uint64_t row,
                struct batch *ret,
                uint32_t *ret_at,
                struct dn_err *err) DN_MUST_CHECK;
/* By its name; DN_E_NO_CURSOR. */
int cursor_need(struct dendro_conn *conn,
                const struct spec_name *name,
                struct session_cursor **ret,
                struct dn_err *err) DN_MUST_CHECK;

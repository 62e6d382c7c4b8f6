/* SPDX-License-Identifier: Apache-2.0
 *
 * ingest_int.h: gathered rows from the inside, for ingest*.c. One thread at a time. */
#pragma once

#include "server/ingest/ingest.h"

#include "catalog/table.h"

#define INGEST_TIME "time" /* the column of tables that are made */

/* A column of a shape; values side by side. */
struct ingest_col {
    char *name; /* arena, with a NUL */
    uint32_t name_len;
    bool tag;
    enum lp_type type; /* INT becomes DOUBLE when one comes */
    bool declared;     /* the table has the column, of that type */
    void *values;      /* owned: double, int64_t, uint8_t, const char * */
    size_t *lens;      /* owned: of texts */
    uint8_t *nulls;    /* owned; NULL: none is */
};

struct ingest_shape {
    struct ingest_shape *next;
    struct ingest_table *table;
    uint64_t hash; /* of its names */
    uint32_t tags_count;
    uint32_t fields_count; /* of a point; with doubles */
    uint32_t cols_count;   /* tags, then fields */
    struct ingest_col *cols;
    struct lp_text *field_names; /* as points have them, fields_count of them */
    uint32_t *slot;              /* of a field: its column */
    int64_t *times;              /* owned, ns */
    uint32_t *lines;             /* owned */
    size_t rows;
    size_t cap;
    bool closed; /* I1: no more rows */
};

struct ingest_table {
    struct ingest_table *next;
    char *name; /* arena */
    uint32_t name_len;
    uint32_t shapes_count; /* that may still grow */
    struct hidx seen;      /* series and times, when there is more than one shape */
    uint64_t *hashes;      /* owned: of seen's ids */
    uint32_t hashes_count;
    uint32_t hashes_cap;
    struct table *def; /* reference; of the try that is under way */
};

/* ---- ingest_schema.c ---- */
struct ingest_plan {
    struct ingest *in;
    dendro_conn *session;
    struct buf *sql; /* what must be done first; empty: nothing */
};
/* Looks at the tables, and writes the statements that are missing. */
int ingest_plan(struct ingest_plan *plan, struct dendro_error *err);
/* The type of columns that such fields make. */
const char *ingest_sql_type(enum lp_type type);
/* Column of a table that takes the times; -1: none. */
int ingest_time_column(const struct table *t);

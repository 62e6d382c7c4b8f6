/* SPDX-License-Identifier: Apache-2.0
 *
 * ingest.h: points of measurements become rows of tables, all in one commit, or none.
 *
 *     ingest_init
 *     ingest_add     for each point; its texts must stay where they are until ingest_done
 *     ingest_write   makes the tables and columns that are missing, writes, and commits
 *     ingest_done
 *
 * A measurement is a table, a tag a VARCHAR column of its key, a field a column, the time
 * TIMESTAMP(9) unless the table is there and says otherwise (docs/ingest.md). Rows are gathered by
 * columns, those with the same columns together (a shape), so that the engine takes them as arrays
 * and a field that a point does not have keeps its value.
 *
 * Invariant I1: of two points with the same table, tags and time the one that came first is in the
 * same shape, before the other, or in a shape that was made before: what is written later wins.
 *
 * One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "dendro.h"
#include "server/ingest/lp.h"

struct ingest_shape;
struct ingest_table;

enum ingest_create {
    INGEST_CREATE_ALL,    /* tables and columns */
    INGEST_CREATE_TABLES, /* not columns */
    INGEST_CREATE_NONE,
};

struct ingest_options {
    const char *schema; /* NULL: the session's */
    enum ingest_create create;
    int64_t now_ns;       /* of points without a time */
    int64_t unit_ns;      /* of times: 1, 1000, … */
    dendro_conn *session; /* borrowed: what it knows of the tables decides which of two points that
                             do not go together is wrong; NULL: the later one is */
};

struct ingest {
    struct ingest_options opt;
    struct mem_owner *owner;     /* borrowed */
    struct arena arena;          /* names */
    struct ingest_shape *shapes; /* in the order they were made */
    struct ingest_shape *last;   /* of them */
    struct ingest_shape *used;   /* by the last point */
    struct ingest_table *tables;
    struct hidx index; /* shapes that may still grow, by their names */
    struct ingest_shape **by_id;
    uint32_t shapes_count;
    uint32_t by_id_cap;
    uint64_t rows;
    struct dendro_error narrow; /* a column that must become a DOUBLE; code 0: none */
    uint64_t narrow_line;
    uint64_t bad_line;                    /* the line an error is about; 0: none in particular */
    const struct ingest_table *bad_table; /* that refused it; NULL: none that is known */
    const char *made;    /* arena: statements that made what was missing; NULL: nothing was */
    uint32_t tables_new; /* made by ingest_write */
    uint32_t columns_new;
    uint32_t widened; /* columns that became DOUBLE */
};

void ingest_init(struct ingest *in, struct mem_owner *owner, const struct ingest_options *opt);
void ingest_done(struct ingest *in); /* zeroed is fine */

/* line: for messages. */
int ingest_add(struct ingest *in,
               const struct lp_point *p,
               uint64_t line,
               struct dendro_error *err);
/* All lines of a text. */
int ingest_lines(struct ingest *in, struct lp *lp, struct dendro_error *err);
int ingest_write(struct ingest *in, dendro_conn *session, struct dendro_error *err);

/* The table, if all points are of one; NULL: several, or none. */
const char *ingest_only_table(const struct ingest *in);

/* An error of this module: its code and text. Gives the code. */
int ingest_fail(struct dendro_error *err, int code, const char *fmt, ...) DN_PRINTF(3, 4);

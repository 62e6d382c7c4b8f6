/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_model.h: what a database should hold and answer, worked out naively: a table is an array of
 * rows, an upsert is a linear search, a query is a loop over all rows and a sort. Tables, INSERT
 * statements and queries are made at random as SQL text together with what they mean.
 *
 * One thread at a time. */
#pragma once

#include "sql_db.h"

#define SQLM_COLS_MAX 9u

enum sqlm_form {
    SQLM_RIAK,        /* ((s…, QUANTUM(t)), s…, t, x) */
    SQLM_RIAK_PLAIN,  /* ((s…), s…, x) */
    SQLM_CQL,         /* ((s…), x…) */
    SQLM_CQL_QUANTUM, /* ((s…, QUANTUM(t)), t, x) */
    SQLM_CQL_SHORT,   /* (s, x…) */
    SQLM_RANGE,       /* (t, x…) */
    SQLM_INLINE,      /* s … PRIMARY KEY */
    SQLM_NONE,
    SQLM_FORM_MAX
};

/* What values look like, so that every codec finds vectors that suit it. */
enum sqlm_style {
    SQLM_FEW,   /* few distinct ones: keys meet */
    SQLM_STEP,  /* each a fixed step behind the last */
    SQLM_WALK,  /* steps of about the same size; decimals; texts that repeat themselves */
    SQLM_RUN,   /* the same for some rows */
    SQLM_TURN,  /* as in the row twelve before, or near it */
    SQLM_NOISE, /* all bits at random */
    SQLM_STYLE_MAX
};

struct sqlm_col {
    const char *name; /* static, quoted where it must be */
    enum dendro_type type;
    enum sqlm_style style;
    bool not_null;
    bool key;
    bool quantum; /* refuses 0 */
    bool wide;    /* values near the ends of the type: no arithmetic with them */
    bool has_default;
    struct sql_value def; /* owned */
};

struct sqlm_table {
    char name[24];
    bool exists;
    enum sqlm_form form;
    bool field; /* upsert = 'field' */
    uint32_t cols_count;
    struct sqlm_col cols[SQLM_COLS_MAX];
    uint32_t key[SQLM_COLS_MAX]; /* local key: columns */
    bool desc[SQLM_COLS_MAX];
    uint32_t key_count;    /* 0 = none */
    uint32_t series_count; /* first ones of the local key that are hashed */
    struct buf create;     /* CREATE TABLE … */
    struct sql_rows rows;
};

/* A statement that writes: its text, and what it does if it succeeds. */
struct sqlm_insert {
    struct buf sql;
    const char *bad; /* why it must fail, NULL = it must not */
    struct sql_rows rows;
    bool listed[SQLM_COLS_MAX]; /* columns with values */
};

void sqlm_table_random(struct sqlm_table *t, struct rng *r, const char *name);
void sqlm_table_done(struct sqlm_table *t);
void sqlm_insert_random(struct sqlm_insert *ins,
                        const struct sqlm_table *t,
                        struct rng *r,
                        uint32_t rows_max);
void sqlm_insert_copy(const struct sqlm_insert *from, struct sqlm_insert *ret);
void sqlm_insert_done(struct sqlm_insert *ins);
void sqlm_insert_apply(const struct sqlm_insert *ins, struct sqlm_table *t);

enum dendro_type sqlm_type_random(struct rng *r);
/* A word for the type; some have more than one. */
const char *sqlm_type_word(struct rng *r, enum dendro_type t);
/* The bare name of a column, without quotes. */
void sqlm_col_name(const struct sqlm_col *c, char ret[32]);
struct sql_value sqlm_value_random(struct rng *r, const struct sqlm_col *col, bool nullable);
/* As SQL text; time stamps as integers or ISO texts by the seed. */
void sqlm_literal(struct rng *r, const struct sql_value *v, struct buf *b);

/* The table as SELECT * shows it against the rows of the model, and the promised order. NULL or
 * what is wrong (borrowed until the next call). rows: the model's, or a copy with other rows. */
const char *
sqlm_compare(const struct sqlm_table *t, const struct sql_rows *rows, dendro_conn *conn);
/* One random query; the same result. Errors of storage are tolerated when faulty. */
const char *sqlm_query(const struct sqlm_table *t, struct rng *r, dendro_conn *conn, bool faulty);
void sql_rows_copy(const struct sql_rows *from, struct sql_rows *ret);

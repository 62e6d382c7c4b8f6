/* SPDX-License-Identifier: Apache-2.0
 *
 * intake.h: rows on their way into a table, the same for INSERT, the appender and COPY: which
 * columns get values, what a value must be to be stored, and the batch that becomes one commit.
 *
 *     intake_target_columns, intake_target_unlisted     once per statement
 *     intake_init, then for each row: intake_begin_row, intake_put …, intake_end_row
 *     intake_commit                                     whole or not at all
 *     intake_reset for the next batch, intake_done
 *
 * Errors name what is wrong with the value; the caller adds row, column and position. One thread
 * at a time. */
#pragma once

#include "catalog/table.h"
#include "plan/node.h"
#include "vec/vec.h"

struct bexpr;
struct intake_run;
struct dendro_conn;
struct func_session;
struct plan_env;
struct shard_batch;

#define INTAKE_KEY_BYTES_MAX 65535u /* text and blobs of one row's key */

/* A CHECK constraint, bound. */
struct intake_rule {
    const struct table_constraint *constraint; /* the table's */
    struct bexpr *e;                           /* over the table's columns */
    bool *used;                                /* by column: it names it */
};

/* Those of a table; all in the arena that they were bound in. */
struct intake_checks {
    const struct table *table;
    struct intake_rule *rules;
    uint32_t count;
    bool *used; /* by column: one of them names it */
};

/* The columns that get values. */
struct intake_target {
    const struct table *table; /* borrowed from the caller's catalog */
    bool named;                /* it is a shard that was named; the caller sets it at the end */
    uint16_t *cols;            /* table columns in the order of the values; arena */
    uint32_t cols_count;
    bool *listed;            /* by table column; arena */
    uint64_t key_bytes;      /* text in the defaults of key columns that are not listed */
    bool partial;            /* some column is not listed, in a table with upsert = 'field' */
    struct bexpr **defaults; /* by table column: a DEFAULT that is an expression, or NULL; arena */
    const struct func_session *session; /* whose values come */
    struct intake_checks checks;
    bool evaluates; /* one of them is of a column that is not listed, or some are generated */
    struct bexpr **stored; /* by table column: GENERATED … STORED over the others; NULL = none */
};

/* Columns by name; NULL: all in order. Errors point at the names. */
int intake_target_columns(struct intake_target *to,
                          const struct table *t,
                          const struct spec_name *names,
                          uint32_t count,
                          struct arena *arena,
                          struct dn_err *err) DN_MUST_CHECK;
/* Binds the expressions of the table, in the environment's arena. */
int intake_target_bind(struct intake_target *to,
                       const struct plan_env *env,
                       struct dn_err *err) DN_MUST_CHECK;
/* Only the first `count` of the columns, if there are more: values without a list of columns. */
void intake_target_first(struct intake_target *to, uint32_t count);
/* The others: do they get along without a value? */
int intake_target_unlisted(struct intake_target *to, struct dn_err *err) DN_MUST_CHECK;

/* One table column by the name somebody gave; errors suggest near names and point at it. */
int intake_find_column(const struct table *t,
                       const struct spec_name *name,
                       uint16_t *ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* What the column itself refuses: NULL, and 0 as the time that decides a quantum. */
int intake_check(const struct table *t, uint16_t col, const struct datum *d, struct dn_err *err)
    DN_MUST_CHECK;

/* A value before it is made the column's. */
struct intake_value {
    struct datum d;
    bool untyped;              /* a quoted literal: may stand for a number or a time */
    struct plan_digits digits; /* now(): nobody wrote those that a coarser column drops */
};

/* The value as the column stores it, read in the time zone of the session (NULL: UTC). Strings are
 * borrowed from the value or the arena. */
int intake_assign(const struct table *t,
                  uint16_t col,
                  const struct intake_value *v,
                  const struct func_session *session,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* When and for whom expressions are evaluated. */
struct intake_run {
    int64_t now_ns;
    const struct func_session *session;
    uint64_t first;    /* number of the first row, for messages; from 1 */
    int64_t latest_ns; /* volume_latest_ns: how far ahead a row may be counts from here */
    uint64_t *late; /* rows that are left out are added there (intake_late.c); NULL = nobody asks */
};

int intake_checks_bind(struct intake_checks *to,
                       const struct table *t,
                       const struct plan_env *env,
                       struct dn_err *err) DN_MUST_CHECK;
/* May rows be written that list only those columns? */
int intake_checks_patch(const struct intake_target *to, struct dn_err *err) DN_MUST_CHECK;
/* Do the rows keep them? cols: by table column; one without data, or absent, is its constant.
 * DN_E_CHECK_VIOLATION: ret_row is the first that does not. */
int intake_checks_run(const struct intake_checks *ch,
                      const struct vec *cols,
                      uint32_t rows,
                      const struct intake_run *run,
                      uint32_t *ret_row,
                      struct dn_err *err) DN_MUST_CHECK;

/* For a statement of that session, now. */
void session_intake_run(struct dendro_conn *conn, struct intake_run *ret);

/* DEFAULT: the column's, or NULL. Strings are borrowed from the table or the arena. */
int intake_default(const struct intake_target *to,
                   uint16_t col,
                   const struct intake_run *run,
                   struct arena *arena,
                   struct datum *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Its values for so many rows, as a vector in the arena. */
int intake_default_vec(const struct intake_target *to,
                       uint16_t col,
                       const struct intake_run *run,
                       uint32_t rows,
                       struct arena *arena,
                       struct vec *ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* Text in keys has a limit; with DEFAULTs it is known only when all columns are there. */
int intake_check_keys(const struct intake_target *to,
                      const struct vec *cols,
                      uint32_t rows,
                      struct dn_err *err) DN_MUST_CHECK;

/* Rows being gathered. */
struct intake {
    const struct intake_target *to; /* borrowed */
    struct mem_owner *owner;        /* borrowed */
    struct colbuf *bufs;            /* owned, by table column; only the listed ones are used */
    struct arena strings;           /* of the buffers */
    uint32_t rows;                  /* whole ones */
    uint64_t key_bytes;             /* of the row under way */
    struct intake_run run;          /* the caller sets it before the first row */
    struct vec *made;               /* by column: values of DEFAULTs, made once; in strings */
    uint32_t made_rows;
    uint32_t checked;    /* rows that keep all constraints */
    uint32_t late_known; /* rows among which late ones were counted */
    int64_t expiry_ns;   /* of the rows, as in struct shard_batch; 0: as the table says */
};

int intake_init(struct intake *in,
                const struct intake_target *to,
                struct mem_owner *owner,
                struct dn_err *err) DN_MUST_CHECK;
void intake_done(struct intake *in); /* zeroed or half-built is fine */
void intake_reset(struct intake *in);
bool intake_reserve(struct intake *in, uint32_t rows) DN_MUST_CHECK;

void intake_begin_row(struct intake *in);
/* A value that intake_assign or intake_default gave. */
int intake_put(struct intake *in, uint16_t col, const struct datum *d, struct dn_err *err)
    DN_MUST_CHECK;
void intake_end_row(struct intake *in);
/* Forgets the values of a row that was begun and not ended. */
void intake_undo_row(struct intake *in);

/* All columns of the table, from vectors for the listed ones and those whose DEFAULT is an
 * expression: by table column, rows long; the others are their constant, NULL, or (patch) not said
 * at all. */
int intake_complete(const struct intake_target *to,
                    struct vec *cols,
                    uint32_t rows,
                    const struct intake_run *run,
                    struct arena *arena,
                    struct shard_batch *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* The rows, as the store takes them, without those that come too late; borrowed from the intake. */
int intake_batch(struct intake *in, struct shard_batch *ret, struct dn_err *err) DN_MUST_CHECK;
/* The rows, as one commit. */
int intake_commit(struct intake *in, struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;

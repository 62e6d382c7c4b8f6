/* SPDX-License-Identifier: Apache-2.0
 *
 * print_int.h: the printers' parts that others inside src/sql use. One thread at a time. */
#pragma once

#include "sql/sql.h"

/* In quotes, those inside doubled. */
void sql_print_quoted(const char *s, size_t len, char quote, struct buf *b);
/* A string in single quotes. */
void sql_print_text(const char *s, struct buf *b);
/* A name; any: a keyword of any class goes into quotes. */
void sql_print_name(const char *name, bool any, struct buf *b);
/* Elements of a key, with commas between. */
void sql_print_key(const struct key_elem_spec *elems, size_t count, struct buf *b);
/* The text before and PRIMARY KEY (…). */
void sql_print_primary(const char *before, const struct table_spec *spec, struct buf *b);
/* [schema.]name. */
void sql_print_qual(const struct qual_name *q, struct buf *b);
/* The text before and the expression; nothing if there is none. */
void sql_print_opt(const char *before, const struct expr *e, struct buf *b);
/* name = value, with the text between before all but the first. */
void sql_print_option_list(const struct option_spec *options,
                           size_t count,
                           const char *between,
                           struct buf *b);

/* ---- print_query.c ---- */
void sql_print_query(const struct query *q, struct buf *b);
void sql_print_with(const struct with_clause *w, struct buf *b); /* and a blank; NULL: nothing */
void sql_print_from(const struct from_item *f, struct buf *b);
void sql_print_from_list(const char *before,
                         struct from_item *const *list,
                         uint32_t count,
                         struct buf *b);
void sql_print_window(const struct window_def *w, struct buf *b); /* with its parentheses */
/* before, ORDER BY and the items; nothing if there are none. */
void sql_print_orders(const struct order_item *items,
                      uint32_t count,
                      const char *before,
                      struct buf *b);
void sql_print_items(const struct select_item *items, uint32_t count, struct buf *b);
void sql_print_names(const struct spec_name *names, size_t count, struct buf *b); /* (a, b) */

/* ---- print_change.c ---- */
void sql_print_index_elems(const struct index_elem *elems, uint32_t count, struct buf *b);

/* ---- print_ddl.c ---- */
void sql_print_type(const struct type_name *t, struct buf *b);
/* name type [NOT NULL] [DEFAULT …] …: a column's declaration, with its constraints of the list. */
void sql_print_column(const struct column_spec *c,
                      const struct column_def *def,
                      const struct constraint_def *constraints,
                      uint32_t constraints_count,
                      struct buf *b);
void sql_print_constraint(const struct constraint_def *c, struct buf *b);
/* GENERATED ALWAYS AS …, behind a blank; nothing if it is not. */
void sql_print_generated(const struct column_def *def, struct buf *b);
/* SET GENERATED …, SET options, RESTART: each behind a blank. */
void sql_print_identity_sets(const struct column_def *def, struct buf *b);

/* ---- print_timepart.c ---- */
void sql_print_partitioned(const struct partition_def *p, struct buf *b);

/* ---- print_misc.c ---- */
extern const char *const sql_object_words[OBJECT_KIND_MAX];
void sql_print_execute(const struct misc_stmt *m, struct buf *b);
/* The list of tables; and behavior. */
void sql_print_tables(const struct stmt *s, struct buf *b);

/* The printer of each kind of statement (stmt_list.h). */
#define SQL_STMT(kind, name, printer) void printer(const struct stmt *s, struct buf *b);
#include "sql/stmt_list.h"
#undef SQL_STMT

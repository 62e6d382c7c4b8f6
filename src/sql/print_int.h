/* SPDX-License-Identifier: Apache-2.0
 *
 * print_int.h: the printers' parts that others inside src/sql use. One thread at a time. */
#pragma once

#include "sql/sql.h"

/* In quotes, those inside doubled. */
void sql_print_quoted(const char *s, size_t len, char quote, struct buf *b);
/* A name; any: a keyword of any class goes into quotes. */
void sql_print_name(const char *name, bool any, struct buf *b);
/* Elements of a key, with commas between. */
void sql_print_key(const struct key_elem_spec *elems, size_t count, struct buf *b);
/* [schema.]name. */
void sql_print_qual(const struct qual_name *q, struct buf *b);
/* The text before and the expression; nothing if there is none. */
void sql_print_opt(const char *before, const struct expr *e, struct buf *b);
/* name type [NOT NULL] [DEFAULT …]: a column's declaration. */
void sql_print_column(const struct column_spec *c, const struct expr *def, struct buf *b);
/* name = value, with the text between before all but the first. */
void sql_print_option_list(const struct option_spec *options,
                           size_t count,
                           const char *between,
                           struct buf *b);

/* ---- print_change.c ---- */
void sql_print_change(const struct stmt *s, struct buf *b); /* UPDATE, DELETE */
void sql_print_alter(const struct stmt *s, struct buf *b);

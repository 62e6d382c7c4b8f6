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

/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_same.h: are two trees the same but for positions? And the round trip that every statement
 * must survive. One thread at a time. */
#pragma once

#include "sql/sql.h"

bool ast_same_expr(const struct expr *a, const struct expr *b);
bool ast_same_stmt(const struct stmt *a, const struct stmt *b);

/* Every node of the statement is well-formed (heights, counts, chain shapes, names there). */
bool ast_sound(const struct stmt *s);

/* Parses the whole text; each statement is sound, prints, parses again to the same tree and prints
 * to the same text. NULL: all is well or the text has an error; else what is wrong. ret_failed:
 * number of statements with errors. */
const char *ast_round_trip(const char *text, size_t len, unsigned *ret_failed);

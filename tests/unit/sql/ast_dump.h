/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_dump.h: a tree as text with everything in it but positions: (+ a (* b 2)). Two trees are the
 * same if their dumps are. One thread at a time. */
#pragma once

#include "sql/sql.h"

/* Both return whether the tree is sound: heights, shapes of chains, names and counts. */
bool ast_dump_expr(const struct expr *e, struct buf *b);
bool ast_dump_stmt(const struct stmt *s, struct buf *b);

/* ---- ast_dump_more.c: parts that have no trees in them ---- */
void ast_dump_set(const struct set_stmt *s, struct buf *b);
void ast_dump_timepart(const struct timepart_stmt *t, struct buf *b);
void ast_dump_made(const struct table_def *def, struct buf *b); /* … AS EXECUTE, PARTITIONED BY */
void ast_dump_partition(const struct partition_def *p, struct buf *b); /* NULL is fine */

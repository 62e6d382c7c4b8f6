/* SPDX-License-Identifier: Apache-2.0
 *
 * cursor.h: cursors of a session: DECLARE, FETCH, MOVE, CLOSE.
 *
 * A cursor is a query that has begun (its snapshot is that of DECLARE) and the rows it has given so
 * far. Rows that may be asked for again are kept, in memory while they are few, then in the scratch
 * area. Position 0 is before the first row, n on the n-th, one more than there are behind the last.
 *
 * One thread at a time, as the session. */
#pragma once

#include "base/err.h"
#include "func/session.h"

#include <stdbool.h>

struct change_stmt;
struct dendro_conn;
struct dendro_stmt;
struct plan_row;
struct session_cursor;
struct table;

/* WHERE CURRENT OF: the row of the statement's table that the cursor is on; memory of
 * stmt->compiled. */
int cursor_current(struct dendro_stmt *stmt,
                   const struct change_stmt *change,
                   const struct plan_row **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Before a block commits: its cursors WITH HOLD get all their rows. Those whose query has failed
 * already do not outlive the block. */
int cursor_hold_all(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
/* The block is over: what it declared goes, but after a commit not the cursors WITH HOLD. */
void cursor_end_block(struct dendro_conn *conn, bool commit);
/* ROLLBACK TO: the cursors that were declared after the first `serial` ones go; the others stay
 * where they are. */
void cursor_back_to(struct dendro_conn *conn, uint64_t serial);
/* May a statement change this table, or drop it? Not while a cursor of the block reads it:
 * DN_E_IN_USE. `what` is the statement's name. */
int cursor_check_unused(const struct dendro_conn *conn,
                        const struct table *t,
                        const char *what,
                        struct dn_err *err) DN_MUST_CHECK;
void cursor_close_all(struct dendro_conn *conn);
/* Those that are open, the first declared first. */
void cursor_list(const struct dendro_conn *conn, func_kept_fn fn, void *fn_arg);

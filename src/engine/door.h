/* SPDX-License-Identifier: Apache-2.0
 *
 * door.h: what protocols need of statements beyond dendro.h: values and rows as the engine has
 * them, and types that a client gave its parameters. Sessions and statements are those of dendro.h.
 *
 * Threads: as dendro.h. */
#pragma once

#include "base/err.h"
#include "dendro.h"
#include "vec/vec.h"

struct func_session;

/* What values of the session are printed and read with; as long as the session. */
const struct func_session *engine_session(const dendro_conn *conn);

/* Result columns that nobody named are called as PostgreSQL does: count, ?column?. What clients of
 * its protocol expect. */
void engine_short_names(dendro_conn *conn);

/* dendro_prepare of a text whose parameters have these types, TYPE_NONE: as the statement takes
 * them. */
int engine_prepare(dendro_conn *conn,
                   const char *sql,
                   const enum type_id *types,
                   uint32_t types_count,
                   dendro_stmt **ret_stmt,
                   const char **ret_tail,
                   struct dendro_error *err);

/* Binds a value of any type; untyped: a text that is taken as a quoted literal would be. Bytes are
 * copied. */
int engine_bind(dendro_stmt *stmt,
                int param,
                const struct datum *value,
                bool untyped,
                struct dendro_error *err);

/* Rows of a result, as they lie in the columns. */
struct engine_rows {
    const struct vec *cols; /* cols_count */
    uint32_t cols_count;
    const uint16_t *sel; /* which rows of them; NULL: from first on */
    uint32_t first;
    uint32_t count;
};
static inline uint32_t engine_row(const struct engine_rows *r, uint32_t i)
{
    return r->sel ? r->sel[i] : r->first + i;
}
/* Where a column of the result comes from; its type's parameters, -1: none. */
struct engine_origin {
    uint32_t relation; /* number, 0: of none */
    int32_t column;
    int32_t mod;
    uint32_t type; /* its number, if it depends on the parameters; 0: it does not */
};
/* Its type, also which one of those that CREATE TYPE made. */
enum type_id engine_column_type(const dendro_stmt *stmt, int col);
void engine_column_origin(const dendro_stmt *stmt, int col, struct engine_origin *ret);

/* Does it give rows? They may have no columns at all: SELECT FROM t. */
bool engine_gives_rows(const dendro_stmt *stmt);

/* As dendro_step_batch, without a copy. */
int engine_step_rows(dendro_stmt *stmt, struct engine_rows *ret, struct dendro_error *err);

/* Statements that a client sent together are one transaction, unless they say otherwise: BEGIN
 * makes it a block of theirs, COMMIT and ROLLBACK end it. Begins one, if there is none; nobody but
 * these two calls knows it (dendro_transaction_status: idle). */
void engine_group_begin(dendro_conn *conn);
/* Its end, for good or (keep false) without a trace; fine without one. An error: it came to
 * nothing.
 */
int engine_group_end(dendro_conn *conn, bool keep, struct dendro_error *err);

/* What the protocol keeps for the session, and statements that it keeps prepared or suspended, as
 * much as they have now: counted against session_memory (engine/keep.h). alone: there is only one
 * of its kind. A statement stops counting when it is finalized; the rest by engine_unkeep. */
int engine_keep(dendro_conn *conn, size_t bytes, bool alone, struct dendro_error *err);
void engine_unkeep(dendro_conn *conn, size_t bytes, bool alone);
int engine_keep_stmt(dendro_stmt *stmt, bool alone, struct dendro_error *err); /* NULL is fine */

/* Where messages of the session are counted: the part of `all` that sessions of its role may have.
 */
struct mem_owner *engine_wire(dendro_conn *conn, struct mem_owner *all);

/* COPY … TO STDOUT as other programs expect it: dendro_set_copy, with the texts of the protocol. */
void engine_set_copy(dendro_conn *conn, const struct dendro_copy *copy);

/* A result of ours as one of dendro.h: rc, with the detail copied. */
int engine_return(struct dendro_error *to, const struct dn_err *from, int rc);

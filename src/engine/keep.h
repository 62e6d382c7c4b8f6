/* SPDX-License-Identifier: Apache-2.0
 *
 * keep.h: what a session keeps between its statements: prepared ones, portals with their
 * parameters, cursors, the cache of statements. It is allocated from the database's memory as
 * anything else, and counted here once more, against two limits:
 *
 *     session_memory    of the session
 *     half of memory_limit    of all sessions together
 *
 * so that no session, nor all of them by keeping, takes the memory that statements need to run.
 * Superusers who have logged in are not counted, and have a reserve: when the database's memory is
 * nearly used up their statements get theirs from it, so that they can look and end what takes it.
 * The sessions themselves are in no limit but that of their number.
 *
 * The session's thread; keep_open: that which opens the database. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct dendro_conn;
struct dendro_db;
struct dendro_stmt;
struct mem_owner;

void keep_open(struct dendro_db *db);
void keep_begin(struct dendro_conn *conn); /* a session begins, or its settings changed */

/* Counts bytes; alone: there is never more than one of its kind, which only counts among those of
 * all sessions. */
int keep_charge(struct dendro_conn *conn, size_t bytes, bool alone, struct dn_err *err)
    DN_MUST_CHECK;
void keep_release(struct dendro_conn *conn, size_t bytes, bool alone);
/* The same for a statement: as much as it has now. Again and again, until keep_forget. */
int keep_stmt(struct dendro_stmt *stmt, bool alone, struct dn_err *err) DN_MUST_CHECK;
void keep_forget(struct dendro_stmt *stmt);
/* More than half of what the session may keep. */
bool keep_tight(const struct dendro_conn *conn);

/* Where a statement's memory comes from. */
struct mem_owner *keep_source(struct dendro_conn *conn);

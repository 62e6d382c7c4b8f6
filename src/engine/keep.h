/* SPDX-License-Identifier: Apache-2.0
 *
 * keep.h: what a session keeps between its statements: prepared ones, portals with their
 * parameters, cursors, the cache of statements. It is allocated from the database's memory as
 * anything else, and counted here once more, against two limits:
 *
 *     session_memory    of the session
 *     half of role_memory    of all sessions of the role that logged in
 *     half of memory_limit    of all sessions together
 *
 * so that no session, nor all of them by keeping, takes the memory that statements need to run. And
 * all that sessions of a role have, while statements run and between them, is within role_memory:
 * however many sessions it has, others find room. Sessions of superusers, and those that nobody
 * logged in to, have no such share. Superusers who have logged in are not counted, and have a
 * reserve: when the database's memory is nearly used up their statements get theirs from it, so
 * that they can look and end what takes it. The sessions themselves are in no limit but that of
 * their number.
 *
 * The session's thread; keep_open: that which opens the database. */
#pragma once

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

struct dendro_conn;
struct dendro_db;
struct dendro_stmt;
struct mem_owner;

/* Of a role; as long as the database is open. */
struct keep_share {
    struct keep_share *next;
    uint32_t role;
    uint32_t locks;        /* advisory ones that its sessions hold; under the database's lock */
    struct mem_owner kept; /* counts what they keep */
    struct mem_owner used; /* all that they have */
    struct mem_owner wire; /* messages on their way to the server */
};

void keep_open(struct dendro_db *db);
void keep_close(struct dendro_db *db);
void keep_begin(struct dendro_conn *conn); /* a session begins, or its settings changed */
/* A role logged in: from now on the session has its part of the role's share. */
int keep_login(struct dendro_conn *conn, bool superuser, struct dn_err *err) DN_MUST_CHECK;

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

/* Where the memory of a statement, or of what else the session has, comes from. */
struct mem_owner *keep_source(struct dendro_conn *conn);
/* A statement begins; and what failed with rc: DN_E_NOMEM because of the role's share says so. */
void keep_mark(struct dendro_conn *conn);
int keep_explain(const struct dendro_conn *conn, int rc, struct dn_err *err) DN_MUST_CHECK;
/* What a statement may have, of `part` bytes, before it puts rows aside: where the role has less
 * left, a half of that. */
size_t keep_budget(const struct dendro_conn *conn, size_t part);

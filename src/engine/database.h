/* SPDX-License-Identifier: Apache-2.0
 *
 * database.h: the catalog that everybody sees, how it is edited, and what must be true of it before
 * rows are written. Part of engine_int.h, which has the invariants; any thread. */
#pragma once

#include "catalog/catalog.h"
#include "store/overlay.h"

struct dendro_db;

struct catalog *engine_catalog(struct dendro_db *db); /* a reference */
/* One edit of the catalog: fn makes *ret_next out of cur, or returns DN_NOT_FOUND when there is
 * nothing to do. fn may be called again with a newer catalog. When it returns 0 the edit is durable
 * and published. */
typedef int (*engine_edit_fn)(void *arg,
                              const struct catalog *cur,
                              struct catalog **ret_next,
                              struct dn_err *err);
/* DN_E_CANCELED: another edit is under way, and the flag went up (base/cancel.h; NULL = never). */
int engine_edit(struct dendro_db *db,
                const atomic_bool *cancel,
                engine_edit_fn fn,
                void *arg,
                struct dn_err *err) DN_MUST_CHECK;
/* For a statement of the session. */
struct dendro_conn;
int engine_edit_of(struct dendro_conn *conn, engine_edit_fn fn, void *arg, struct dn_err *err)
    DN_MUST_CHECK;
/* COMMIT of a transaction that made next out of base, and wrote rows. Both are there, or neither;
 * DN_E_TABLE_CHANGED: base is not the catalog any more. */
int engine_end(struct dendro_db *db,
               const struct catalog *base,
               struct catalog *next,
               struct overlay *rows,
               const atomic_bool *cancel,
               struct dn_err *err) DN_MUST_CHECK;
/* Tries to save a catalog that only the log has. */
void engine_settle(struct dendro_db *db);
/* Makes sure the shard knows every table of the catalog. */
int engine_sync_shard(struct dendro_db *db, struct dn_err *err) DN_MUST_CHECK;
/* The clock starts where the setting test_clock says; and is set ahead, if it does. */
int engine_clock_open(struct dendro_db *db, struct dn_err *err) DN_MUST_CHECK;
int engine_clock_advance(struct dendro_db *db, int64_t to_ns, struct dn_err *err) DN_MUST_CHECK;
/* The time by which rows may be dropped for good (volume_sure_ns): rollouts, retention. It is
 * recorded in the volume about once an hour, so that a database which is opened knows a time that
 * has been (docs/adr/0014). */
int64_t engine_sure_ns(struct dendro_db *db);
/* The database is open; nothing in it goes by time: then there is nothing to protect. */
void engine_clock_unneeded(struct dendro_db *db);
/* Records the time if the last record is old. An error is not one of the caller: the next call
 * tries again. */
void engine_clock_record(struct dendro_db *db);
/* For check: the record is whole; DN_NOT_FOUND: there is none. */
int engine_clock_verify(struct volume *v, struct dn_err *err) DN_MUST_CHECK;
/* The clock is right, whatever it said before: the caller knows the day (since 1970, UTC). Does
 * what is due then. */
int engine_clock_confirm(struct dendro_db *db, int64_t day, struct dn_err *err) DN_MUST_CHECK;
/* Until no edit of the catalog is under way; DN_E_CANCELED: until the statement was canceled. */
int engine_wait_edit(struct dendro_db *db,
                     const atomic_bool *cancel,
                     struct dn_err *err) DN_MUST_CHECK;
/* After an edit that held a table (shard_hold): lets rows in again, unless it is not known how the
 * edit ended. */
void engine_release(struct dendro_db *db);
/* How every catalog edit ended is known (E1), and the shard knows the catalog that it came to:
 * *ret, a reference. */
int engine_catalog_now(struct dendro_db *db,
                       struct catalog **ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* Before rows go into a table: how every catalog edit ended is known (E1), the table is still there
 * and the shard knows it. */
int engine_write_ready(struct dendro_db *db,
                       const struct table *t,
                       struct dn_err *err) DN_MUST_CHECK;

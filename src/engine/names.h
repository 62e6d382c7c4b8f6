/* SPDX-License-Identifier: Apache-2.0
 *
 * names.h: what the names in a session's statements mean. Threads as in engine_int.h. */
#pragma once

#include "engine/engine_int.h"

#define SESSION_TEMP_MAX (TABLE_NAME_MAX + 1) /* bytes of a schema's name */

/* Where names without a schema are looked for. */
struct catalog_path session_path(const struct dendro_conn *conn);
/* Table or view by the name a statement gives; errors with the position. */
int session_relation(const struct dendro_conn *conn,
                     const struct catalog *cat,
                     const struct qual_name *name,
                     struct catalog_relation *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* Need those who write rows into the table wait until they are durable? */
static inline bool session_syncs(const struct dendro_conn *conn, const struct table *t)
{
    return conn->settings.synchronous_commit && t->temp == TABLE_PERMANENT;
}

/* ---- temp.c ---- */
/* Is the new object to be temporary? False: err says why it cannot be made there. */
bool session_temp_wanted(const struct dendro_conn *conn,
                         const struct catalog *cat,
                         const struct spec_name *schema,
                         enum persistence persistence,
                         bool *ret,
                         struct dn_err *err);
/* An index by the name that a statement gives; NULL: err says so. index.c */
const struct table_constraint *session_index(const struct dendro_conn *conn,
                                             const struct catalog *c,
                                             const struct qual_name *name,
                                             const struct table **ret_table,
                                             struct dn_err *err);
/* In an edit: a catalog with the session's temporary schema (NULL: cur has it), and its name, of at
 * most SESSION_TEMP_MAX bytes. The name is the same each time, whether the schema was made, rolled
 * back or dropped meanwhile. */
int session_temp_base(struct dendro_conn *conn,
                      const struct catalog *cur,
                      struct catalog **ret_base,
                      char *ret_schema,
                      struct dn_err *err) DN_MUST_CHECK;
/* After the edit: it was made, with a table of this kind in it. */
void session_temp_made(struct dendro_conn *conn, const char *schema, enum table_temp kind);
/* Is it shown as a schema of the session? Not if it has never had an object of the user: tables
 * that are being filled are made there, too. */
bool session_temp_shown(const struct dendro_conn *conn);
void session_temp_show(struct dendro_conn *conn, bool on);
/* After a rollback: the session has no temporary schema any more if it went with that; it is shown
 * as it was before. */
void session_temp_follow(struct dendro_conn *conn, bool shown);
/* At the end of the session. */
void session_drop_temps(struct dendro_conn *conn);
/* DISCARD TEMP. */
int session_discard_temps(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
/* When the database is opened: those that a crash left. */
void engine_sweep_temps(struct dendro_db *db);
/* At the end of a statement: ON COMMIT DELETE ROWS and DROP, unless a transaction block goes on. */
int session_commit_temps(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;

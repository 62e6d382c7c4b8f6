/* SPDX-License-Identifier: Apache-2.0
 *
 * configure.h: the settings of a database before any session: what was given when it was opened,
 * and what ALTER SYSTEM has written into the volume's document "settings". Any thread. */
#pragma once

#include "base/err.h"
#include "engine/engine.h"

struct dendro_conn;
struct stmt;

/* Guarded by the lock of the database, but began. */
struct engine_settings {
    struct config *given;         /* reference: without ALTER SYSTEM's */
    struct config *now;           /* reference: all of it */
    struct config *began;         /* reference: as it was when the database was opened */
    struct settings_extra *extra; /* reference: of those that have no field */
    engine_reload_fn reload;
    void *reload_arg;
};

/* Opening: db->settings, from options and the document. Sessions are not there yet. */
int engine_settings_open(struct dendro_db *db,
                         const struct engine_options *options,
                         struct dn_err *err) DN_MUST_CHECK;
/* When time zones can be looked up: is the one that was given there? */
int engine_settings_check(struct dendro_db *db, struct dn_err *err) DN_MUST_CHECK;
void engine_settings_close(struct dendro_db *db);
/* For check: is the document sound? DN_NOT_FOUND: there is none. */
int engine_settings_verify(struct volume *v, struct dn_err *err) DN_MUST_CHECK;

/* A session begins with them. */
void engine_settings_copy(struct dendro_db *db,
                          struct settings *ret,
                          struct settings_extra **ret_extra);
/* The value of a server's setting, into b. */
int engine_settings_show(struct dendro_db *db,
                         const struct setting_row *row,
                         struct buf *b,
                         struct dn_err *err) DN_MUST_CHECK;
/* Where it comes from; NULL: the default. *ret_held: what that is part of, to be unreferenced. */
const struct config_entry *engine_settings_entry(struct dendro_db *db,
                                                 const struct setting_row *row,
                                                 struct config **ret_held);
/* Does it have another value after a restart? */
bool engine_settings_pending(struct dendro_db *db, const struct setting_row *row);

/* ALTER SYSTEM SET name = value; NULL: its line goes; name NULL: all do. */
int session_alter_system(struct dendro_conn *conn,
                         const struct stmt *ast,
                         const char *name,
                         const char *value,
                         struct dn_err *err) DN_MUST_CHECK;
/* pg_reload_conf() */
int session_reload(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;

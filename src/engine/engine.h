/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.h: doors for code inside the project. Programs use include/dendro.h; a database opened
 * here is a dendro_db like any other, and all of dendro.h works on it.
 *
 * Tests open the engine on a simulated volume and run sessions on fibers of its scheduler:
 *
 *     sim_volume_open(disk, seed, &v, err);
 *     engine_open_volume(v, &options, &db, err);
 *     … dendro_connect(db, …) …
 *     dendro_close(db);  volume_close(v);
 *
 * Threads: as dendro.h. */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "catalog/config.h"
#include "dendro.h"
#include "volume/volume.h"

struct engine_options {
    uint32_t flags;              /* of enum dendro_open_flags */
    const char *const *settings; /* as in struct dendro_options; NULL = none */
    struct config *given;        /* more of them, with their sources; NULL = none; borrowed */
    bool background;             /* flushes run as tasks of the scheduler, not inside the write */
};

/* The volume stays the caller's and must outlive the database. */
int engine_open_volume(struct volume *v,
                       const struct engine_options *options,
                       dendro_db **ret_db,
                       struct dn_err *err) DN_MUST_CHECK;

/* dendro_open with those options. */
int engine_open(const char *path,
                const struct engine_options *options,
                dendro_db **ret_db,
                struct dn_err *err) DN_MUST_CHECK;

/* A private file on the database's volume, for what comes before it can be used; closed before the
 * database is. Any thread. */
int engine_scratch(dendro_db *db, struct volume_scratch **ret, struct dn_err *err) DN_MUST_CHECK;

/* ---- configuration (configure.c) ---- */

/* What ALTER SYSTEM has set in a directory, whoever has it open, is added to c. What of it is no
 * good any more is reported and left out. */
int engine_system_settings(const char *path,
                           struct config *c,
                           config_report_fn report,
                           void *arg,
                           struct dn_err *err) DN_MUST_CHECK;
/* Looks again: these, and what ALTER SYSTEM has set meanwhile. fn is told what changed; restart: it
 * counts from the next start on. Sessions that are there keep what they began with. */
typedef void (*engine_changed_fn)(void *arg,
                                  const struct setting_row *row,
                                  const char *value,
                                  bool restart);
int engine_configure(dendro_db *db,
                     struct config *given,
                     engine_changed_fn fn,
                     void *arg,
                     struct dn_err *err) DN_MUST_CHECK;
/* What counts now; a reference. */
struct config *engine_config(dendro_db *db);
/* What pg_reload_conf() calls, from any thread; without one it looks for itself. */
typedef void (*engine_reload_fn)(void *arg);
void engine_set_reload(dendro_db *db, engine_reload_fn fn, void *arg);

/* dendro check: verifies catalog, manifest, segments and log of a volume. */
int engine_check_volume(struct volume *v,
                        dendro_report_fn report,
                        void *arg,
                        uint64_t *ret_faults,
                        struct dn_err *err) DN_MUST_CHECK;

/* Where the process that has the database open can be reached: others who are refused are told. */
void engine_announce(dendro_db *db, const char *address);

/* ---- roles, for servers ---- */

/* Makes a verifier of a password, for CREATE ROLE … PASSWORD; false: it could not. Without one
 * passwords must come as verifiers (SCRAM-SHA-256$…). */
#define ENGINE_VERIFIER_MAX 512u
#define ENGINE_ROUNDS_MAX   100000u /* iterations of a verifier that a role is given */
typedef bool (*engine_password_fn)(const char *password, char to[ENGINE_VERIFIER_MAX]);
void engine_set_password(dendro_db *db, engine_password_fn fn);

struct engine_login {
    bool known; /* there is such a role */
    bool login; /* … that may log in */
    bool superuser;
    bool expired;   /* its password is too old */
    bool passwords; /* some role has one: nobody is let in without one */
    int32_t connections;
    char verifier[ENGINE_VERIFIER_MAX]; /* "" = it has no password */
};
/* What is known of a role before somebody logs in as it. */
void engine_login(dendro_db *db, const char *name, struct engine_login *ret);
/* The session is that role's from now on, with the settings it starts with. */
int engine_session_role(dendro_conn *conn, const char *name, struct dn_err *err) DN_MUST_CHECK;

/* What the database's memory is charged to, for tests of limits and leaks. */
struct mem_owner *engine_owner(dendro_db *db);

/* The database's clock: nanoseconds since 1970 UTC. Any thread. */
int64_t engine_clock_ns(struct dendro_db *db);
/* Seconds by which the clock is ahead of what is believed (docs/adr/0014): 0 = it is believed.
 * While it is not, retention, rollouts and expired rows wait. Any thread. */
int64_t engine_clock_ahead(struct dendro_db *db);

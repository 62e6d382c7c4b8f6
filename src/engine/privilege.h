/* SPDX-License-Identifier: Apache-2.0
 *
 * privilege.h: may the session's role do what a statement asks for? Asked when a statement is
 * compiled, so that it is asked anew when the catalog changes, which has the rights in it, or the
 * session's role. What queries read is asked by the planner (plan_env.role).
 *
 * A session of a program that opened the database itself is the first role's, who may do all; a
 * server gives each session the role that logged in. Threads as in engine_int.h. */
#pragma once

#include "engine/engine_int.h"

/* Of the statement itself: its target, its schema. */
int privilege_statement(const struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* May rows with values for those columns (NULL: all) be put into the table, other than by a
 * statement: by an appender, as line protocol and Prometheus do, or an import? */
int privilege_insert(const struct dendro_conn *conn,
                     const struct catalog *cat,
                     const struct table *t,
                     const uint16_t *cols,
                     uint32_t count,
                     struct dn_err *err) DN_MUST_CHECK;
/* May something new be in that schema? */
int privilege_create_in(const struct dendro_conn *conn,
                        const struct catalog *cat,
                        const char *schema,
                        struct dn_err *err) DN_MUST_CHECK;
/* What an edit of the session made belongs to its role: *next is replaced. On an error it is gone.
 */
int privilege_own_new(const struct dendro_conn *conn,
                      const struct catalog *before,
                      struct catalog **next,
                      struct dn_err *err) DN_MUST_CHECK;
/* A role by the name a statement gives (CURRENT_USER, SESSION_USER; with or_public PUBLIC too); an
 * error with the position. */
int privilege_role(const struct dendro_conn *conn,
                   const struct access *a,
                   const struct spec_name *name,
                   bool or_public,
                   uint32_t *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Superusers only; what: "must be superuser to …". */
int privilege_superuser(const struct dendro_conn *conn,
                        const struct access *a,
                        const char *what,
                        struct dn_err *err) DN_MUST_CHECK;

/* ---- login.c ---- */
/* The verifier of a password, or the one that was given instead. */
int engine_password(struct dendro_db *db,
                    const char *given,
                    struct arena *arena,
                    const char **ret,
                    struct dn_err *err) DN_MUST_CHECK;

/* ---- role.c, grant.c ---- */
int stmt_run_role(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
int stmt_run_grant(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* What the tag says of a STMT_ROLE. */
const char *role_tag(const struct stmt *ast);

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
/* ---- what rows of stmt_ops.h ask, of the statement's role ---- */
/* A relation that is not there is the statement's own error: these say yes. need, rights:
 * PRIVILEGE_BIT of each. Errors have the name's position. */
int privilege_table(const struct dendro_stmt *stmt,
                    const struct qual_name *name,
                    uint32_t need,
                    struct dn_err *err) DN_MUST_CHECK;
/* A right on columns; none are listed: on all of them. */
int privilege_columns(const struct dendro_stmt *stmt,
                      const struct qual_name *name,
                      const struct spec_name *columns,
                      uint32_t count,
                      uint32_t need,
                      struct dn_err *err) DN_MUST_CHECK;
/* Any one of those rights on the relation, or (with columns) on a column of it: PostgreSQL's rule
 * for what information_schema shows, and for LOCK TABLE. */
int privilege_any(const struct dendro_stmt *stmt,
                  const struct qual_name *name,
                  uint32_t rights,
                  bool columns,
                  struct dn_err *err) DN_MUST_CHECK;
int privilege_owner(const struct dendro_stmt *stmt,
                    const struct qual_name *name,
                    struct dn_err *err) DN_MUST_CHECK;
int privilege_schema_owner(const struct dendro_stmt *stmt,
                           const struct qual_name *name,
                           struct dn_err *err) DN_MUST_CHECK;
/* Each of the statement's names; need 0: must own them. */
int privilege_names(const struct dendro_stmt *stmt,
                    const struct stmt *ast,
                    uint32_t need,
                    struct dn_err *err) DN_MUST_CHECK;
/* CREATE in the schema that the name says; a table needs its USAGE too, as in PostgreSQL. */
int privilege_create_of(const struct dendro_stmt *stmt,
                        const struct qual_name *name,
                        bool table,
                        struct dn_err *err) DN_MUST_CHECK;
int privilege_create(const struct dendro_stmt *stmt,
                     const struct qual_name *name,
                     struct dn_err *err) DN_MUST_CHECK;
/* CREATE in the schema of a relation that is there already: another name, an index. */
int privilege_create_beside(const struct dendro_stmt *stmt,
                            const struct qual_name *name,
                            struct dn_err *err) DN_MUST_CHECK;
/* REFERENCES on the columns that foreign keys name. */
int privilege_references(const struct dendro_stmt *stmt,
                         const struct constraint_def *defs,
                         uint32_t count,
                         struct dn_err *err) DN_MUST_CHECK;
/* ALTER of an object, and of a sequence's options (alter.c). */
int stmt_alter_privilege(const struct dendro_stmt *stmt,
                         const struct stmt *ast,
                         struct dn_err *err) DN_MUST_CHECK;

/* ---- for the rest of the engine ---- */
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

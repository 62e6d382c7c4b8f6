/* SPDX-License-Identifier: Apache-2.0
 *
 * create_as.h: CREATE TABLE AS, and where new tables go. Owner thread of the connection only. */
#pragma once

#include "engine/names.h"

/* Plans the query of a CREATE TABLE AS; nothing for another CREATE TABLE. */
int stmt_compile_create_as(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
int stmt_run_create_as(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* Where the table of a CREATE TABLE is to be. */
struct ddl_place {
    enum table_temp temp;
    char schema[SESSION_TEMP_MAX];
    struct catalog *base; /* with that schema, if it had to be made; owned, NULL = cur has it */
};
/* In an edit. base is NULL on return unless the table is temporary, and the session had none. */
int ddl_place(struct dendro_stmt *stmt,
              const struct catalog *cur,
              struct ddl_place *ret,
              struct dn_err *err) DN_MUST_CHECK;

struct ddl_serials;
/* The columns of LIKE clauses among a CREATE TABLE's own, into its spec. */
int ddl_like(struct dendro_stmt *stmt,
             const struct catalog *cur,
             struct table_spec *spec,
             struct ddl_serials *serials,
             struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * ddl_expr.h: expressions in definitions: DEFAULT and CHECK. Owner thread of the connection. */
#pragma once

#include "engine/engine_int.h"

/* A DEFAULT clause into the column's spec. rows_there: the table may have rows already, which get
 * its value; 1: each of them needs one of its own, the DEFAULT is volatile. */
int ddl_default(struct dendro_stmt *stmt,
                const struct expr *e,
                bool rows_there,
                struct column_spec *col,
                struct dn_err *err) DN_MUST_CHECK;
/* The text of an expression, in the statement's memory; NULL: out of memory. */
const char *ddl_expr_text(struct dendro_stmt *stmt, const struct expr *e);
/* The text once more, with columns by their bare names as declared. */
int ddl_bare_names(struct dendro_stmt *stmt,
                   const struct table *t,
                   const char *text,
                   const char **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* ALTER COLUMN … SET DEFAULT; e NULL: DROP DEFAULT. */
int ddl_set_default(struct dendro_stmt *stmt,
                    struct table *t,
                    const struct spec_name *name,
                    const struct expr *e,
                    struct dn_err *err) DN_MUST_CHECK;
/* ALTER COLUMN … SET, DROP NOT NULL. */
int ddl_set_not_null(struct table *t,
                     const struct spec_name *name,
                     bool not_null,
                     struct dn_err *err) DN_MUST_CHECK;
/* Constraints of CREATE TABLE and ALTER TABLE into a definition that nobody else holds yet. */
int ddl_add_check(struct dendro_stmt *stmt,
                  struct table *t,
                  const struct constraint_def *def,
                  struct dn_err *err) DN_MUST_CHECK;
int ddl_constraints(struct dendro_stmt *stmt,
                    struct table *t,
                    const struct constraint_def *defs,
                    uint32_t count,
                    struct dn_err *err) DN_MUST_CHECK;
/* What an index is of: columns and text of spec. */
int ddl_index_text(struct dendro_stmt *stmt,
                   const struct table *t,
                   const struct index_def *def,
                   struct constraint_spec *spec,
                   struct dn_err *err) DN_MUST_CHECK;
/* table_rename_column, with the constraints that name it. */
int ddl_rename_column(struct dendro_stmt *stmt,
                      struct table *t,
                      const struct spec_name *name,
                      const struct spec_name *to,
                      struct dn_err *err) DN_MUST_CHECK;
/* Do the rows that are there keep it? was: the table as it is, which the shard holds. */
int ddl_verify(struct dendro_stmt *stmt,
               const struct table *was,
               const struct table *t,
               const struct table_constraint *c,
               struct dn_err *err) DN_MUST_CHECK;

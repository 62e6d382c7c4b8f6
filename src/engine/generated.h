/* SPDX-License-Identifier: Apache-2.0
 *
 * generated.h: GENERATED ALWAYS AS (expression) STORED: in definitions, and the values of rows on
 * their way into a table. Owner thread of the connection. */
#pragma once

#include "engine/engine_int.h"

/* The clause into the column's spec. */
int ddl_generated(struct dendro_stmt *stmt,
                  const char *table,
                  struct column_spec *col,
                  const struct column_def *def,
                  struct dn_err *err) DN_MUST_CHECK;
/* Now the table is built, and nobody else holds it: may these expressions be? */
int ddl_generated_check(struct dendro_stmt *stmt,
                        struct table *t,
                        const struct catalog *cat,
                        struct dn_err *err) DN_MUST_CHECK;
/* DROP EXPRESSION: a column as any other from now on; 1: it is none, IF EXISTS. */
int ddl_generated_forget(struct table *t,
                         const struct alter_action *a,
                         struct dn_err *err) DN_MUST_CHECK;
/* Its type is to change, which no generated column may depend on. */
int ddl_generated_type(struct dendro_stmt *stmt,
                       const struct table *t,
                       const struct spec_name *name,
                       struct dn_err *err) DN_MUST_CHECK;
/* A column is to be dropped: those that are computed from it go too (cascade), or it is an error.
 */
int ddl_generated_drop(struct dendro_stmt *stmt,
                       struct table *t,
                       const struct spec_name *name,
                       bool cascade,
                       struct dn_err *err) DN_MUST_CHECK;

/* ---- intake.c, intake_expr.c: rows ---- */
/* COPY, imports and the appender have no values for generated columns. given: columns were named,
 * which then is an error. */
int intake_fail_generated(const struct table *t, uint16_t col, uint32_t pos, struct dn_err *err);
int intake_target_plain(struct intake_target *to, bool given, struct dn_err *err) DN_MUST_CHECK;
/* Generated columns alone, of a table whose rows change; sets table, session and stored. */
int intake_stored_bind(struct intake_target *to,
                       const struct table *t,
                       const struct plan_env *env,
                       struct dn_err *err) DN_MUST_CHECK;
/* Their values for rows whose other columns are there, into cols; vectors in the arena. */
int intake_generate(const struct intake_target *to,
                    const struct intake_run *run,
                    struct vec *cols,
                    uint32_t rows,
                    struct arena *arena,
                    struct dn_err *err) DN_MUST_CHECK;

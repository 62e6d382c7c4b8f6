/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_kinds.h: what each kind of statement does when it is compiled and when it runs; statement.c
 * and compile.c know which is which. Part of engine_int.h; threads as there. */
#pragma once

#include "base/err.h"

struct arena;
struct catalog;
struct column_spec;
struct dendro_stmt;
struct describe;
struct expr;
struct insert_stmt;
struct stmt;

/* ---- statement.c ---- */
/* What is run: the statement, or the one that EXPLAIN explains. */
const struct stmt *stmt_inner(const struct dendro_stmt *stmt);

/* ---- select.c: SELECT and EXPLAIN ---- */
/* Parameters, snapshot and context of a statement that has a plan; ast: it, or what it explains. */
int stmt_begin(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err) DN_MUST_CHECK;
int stmt_run_select(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
int stmt_run_explain(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- insert.c ---- */
int stmt_compile_insert(struct dendro_stmt *stmt,
                        const struct insert_stmt *ins,
                        struct dn_err *err) DN_MUST_CHECK;
int stmt_run_insert(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- change.c: UPDATE and DELETE ---- */
int stmt_run_change(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- copy.c ---- */
int stmt_compile_copy(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
int stmt_run_copy(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- ddl.c ---- */
int stmt_run_ddl(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* The value of a DEFAULT clause into the column's spec. */
int ddl_default(struct dendro_stmt *stmt,
                const struct expr *e,
                struct column_spec *col,
                struct dn_err *err) DN_MUST_CHECK;

/* ---- alter.c: ALTER TABLE and TRUNCATE ---- */
int stmt_run_alter(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
int stmt_run_truncate(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- show.c ---- */
/* The rows of DESCRIBE and SHOW statements. */
int stmt_describe(struct dendro_stmt *stmt,
                  const struct catalog *cat,
                  struct arena *arena,
                  struct describe *ret,
                  struct dn_err *err) DN_MUST_CHECK;

/* ---- partitions.c: SHOW PARTITIONS ---- */
/* The columns of the result. */
int stmt_compile_partitions(struct dendro_stmt *stmt,
                            struct describe *ret,
                            struct dn_err *err) DN_MUST_CHECK;
int stmt_run_partitions(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

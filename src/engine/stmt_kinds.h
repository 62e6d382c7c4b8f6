/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_kinds.h: what kinds of statements do when they are compiled and when they run; their rows in
 * stmt_ops.h say which does what. Part of engine_int.h; threads as there. */
#pragma once

#include "base/err.h"
#include "engine/returning.h"

struct arena;
struct batch;
struct catalog;
struct datum;
struct column_spec;
struct constraint_def;
struct constraint_def;
struct dendro_conn;
struct dendro_stmt;
struct describe;
struct expr;
struct dendro_progress;
struct exec_progress;
struct exec_rows;
struct intake;
struct plan_env;
struct spec_name;
struct stmt;
struct table;
struct view;
struct table_constraint;
struct vec;

/* ---- compile.c ---- */
/* What is run: the statement, or the one that EXPLAIN explains. */
const struct stmt *stmt_inner(const struct dendro_stmt *stmt);
/* session_plan_env() for the statement itself: with the types of its parameters, and with what the
 * parts of its WITH return. */
struct plan_env stmt_plan_env(const struct dendro_stmt *stmt, struct arena *arena);
int stmt_compile_select(struct dendro_stmt *stmt,
                        const struct stmt *ast,
                        struct dn_err *err) DN_MUST_CHECK;
/* UPDATE and DELETE. */
int stmt_compile_change(struct dendro_stmt *stmt,
                        const struct stmt *ast,
                        struct dn_err *err) DN_MUST_CHECK;
/* EXPLAIN and PREPARE: the statement inside. */
int stmt_compile_explain(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- select.c: SELECT and EXPLAIN ---- */
/* Parameters, snapshot and context of a statement that has a plan; ast: it, or what it explains. */
int stmt_begin(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err) DN_MUST_CHECK;
/* The values of the parameters into a plan's environment, for a plan of this execution. */
int stmt_literals(struct dendro_stmt *stmt,
                  const struct stmt *ast,
                  struct plan_env *env,
                  struct dn_err *err) DN_MUST_CHECK;
/* The next rows of stmt->root, as exec_next; those of a FOR UPDATE are remembered in a block. */
int stmt_pull(struct dendro_stmt *stmt, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;

/* ---- insert.c ---- */
int stmt_compile_insert(struct dendro_stmt *stmt,
                        const struct stmt *ast,
                        struct dn_err *err) DN_MUST_CHECK;
int stmt_run_insert(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- insert_query.c: INSERT … SELECT ---- */
/* Do the columns of the query fit those they are for? */
int stmt_compile_insert_query(struct dendro_stmt *stmt,
                              const struct stmt *ast,
                              struct dn_err *err) DN_MUST_CHECK;
int stmt_run_insert_query(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- change.c: UPDATE and DELETE ---- */
int stmt_run_change(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- conflict.c: ON CONFLICT ---- */
int stmt_compile_conflict(struct dendro_stmt *stmt,
                          const struct stmt *ast,
                          struct dn_err *err) DN_MUST_CHECK;
/* Writes the rows of an INSERT, RETURNING included; *ret_rows: how many were written. */
int stmt_write_intake(struct dendro_stmt *stmt,
                      struct intake *in,
                      uint64_t *ret_rows,
                      struct dn_err *err) DN_MUST_CHECK;

/* ---- copy.c ---- */
/* COPY (INSERT … RETURNING …) is COPY (WITH x AS (INSERT …) SELECT * FROM x); before compiling. */
int copy_from_change(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- drop.c ---- */
/* A column that the ALTER TABLE drops: views that read it go out of *cat too (CASCADE), or it is an
 * error. */
int ddl_drop_column(struct dendro_stmt *stmt,
                    const struct table *t,
                    uint16_t col,
                    struct catalog **cat,
                    struct dn_err *err) DN_MUST_CHECK;

/* ---- view.c ---- */
int stmt_run_alter_view(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* A view into another schema; *cat becomes the next one. */
int ddl_view_move(struct dendro_stmt *stmt,
                  const struct view *was,
                  const char *schema,
                  struct catalog **cat,
                  struct dn_err *err) DN_MUST_CHECK;
/* A table was altered since `before`: the views that read it follow, in *after (replaced), or it is
 * an error. */
int ddl_views_alter(struct dendro_stmt *stmt,
                    const struct catalog *before,
                    const struct table *was,
                    const struct table *now,
                    struct catalog **after,
                    struct dn_err *err) DN_MUST_CHECK;

/* ---- inform.c: what is accepted and does nothing ---- */
/* UNIQUE and REFERENCES: into the table's definition, with a WARNING. */
int ddl_inform(struct dendro_stmt *stmt,
               struct table *t,
               const struct constraint_def *def,
               struct dn_err *err) DN_MUST_CHECK;
int stmt_run_alter_schema(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* And ALTER INDEX. */
int stmt_run_drop_index(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;

/* ---- prepared.c: PREPARE, EXECUTE, DEALLOCATE ---- */
/* Is it an EXECUTE, an EXPLAIN of one, or CREATE TABLE AS EXECUTE? */
bool session_executes(const struct stmt *ast);
/* The statement that such a one stands for, with its parameters bound. */
int session_execute(struct dendro_stmt *from,
                    struct dendro_stmt **ret,
                    struct dn_err *err) DN_MUST_CHECK;
void session_free_prepared(struct dendro_conn *conn);

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

/* ---- progress.c ---- */
/* At the start of a run: NULL if nobody asks. */
struct exec_progress *stmt_progress(struct dendro_stmt *stmt);
/* Tells if it is time to. DN_E_CANCELED: the callback said stop. */
int stmt_tell(struct dendro_stmt *stmt,
              const struct dendro_progress *so_far,
              struct dn_err *err) DN_MUST_CHECK;

/* ---- column.c ---- */
bool stmt_datum(const struct dendro_stmt *stmt,
                int col,
                struct datum *ret); /* false: no row, no such column */

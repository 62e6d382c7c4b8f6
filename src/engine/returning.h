/* SPDX-License-Identifier: Apache-2.0
 *
 * returning.h: RETURNING and CHECK OPTION: queries over rows on their way into a table. Part of
 * engine_int.h; threads as there. */
#pragma once

#include "base/err.h"

struct dendro_stmt;
struct exec_rows;
struct intake;
struct stmt;
struct table;
struct vec;

int stmt_compile_returning(struct dendro_stmt *stmt,
                           const struct stmt *ast,
                           const struct table *table,
                           struct dn_err *err) DN_MUST_CHECK;
/* WITH CHECK OPTION of the view that an INSERT or UPDATE names. */
int stmt_compile_option(struct dendro_stmt *stmt,
                        const struct stmt *ast,
                        struct dn_err *err) DN_MUST_CHECK;
/* Are rows of RETURNING the statement's result? (Not of an EXPLAIN.) */
bool stmt_returns(const struct dendro_stmt *stmt);
/* A copy of rows of the table, by table column, as a plan takes them (exec_ctx.given). */
int stmt_given_rows(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct vec *cols,
                    uint32_t rows,
                    struct exec_rows *to,
                    struct dn_err *err) DN_MUST_CHECK;
/* Makes the statement's result out of rows of the table, by table column, if there is a RETURNING;
 * checks them, if there is a CHECK OPTION. After stmt_begin, before the rows are written. */
int stmt_return_rows(struct dendro_stmt *stmt,
                     const struct table *table,
                     const struct vec *cols,
                     uint32_t rows,
                     struct dn_err *err) DN_MUST_CHECK;

/* The same for rows of an INSERT. */
int stmt_return_intake(struct dendro_stmt *stmt,
                       struct intake *in,
                       struct dn_err *err) DN_MUST_CHECK;

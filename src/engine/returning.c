/* SPDX-License-Identifier: Apache-2.0
 *
 * returning.c: RETURNING. The rows of the statement as they will be stored (of a DELETE: as they
 * were) are read by a query of their own before they are written, so that an error in an expression
 * leaves nothing behind; what it returns is the statement's result. */
#include "engine/engine_int.h"

#include "engine/names.h"
#include "exec/rows.h"
#include "plan/writable.h"

static bool ret_wanted(const struct stmt *ast)
{
    return ast->insert ? ast->insert->returning_count > 0 : ast->change->returning_count > 0;
}

bool stmt_returns(const struct dendro_stmt *stmt)
{
    return stmt->returning && stmt->ast->kind != STMT_EXPLAIN;
}

int stmt_compile_returning(struct dendro_stmt *stmt,
                           const struct stmt *ast,
                           const struct table *table,
                           struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    int rc;

    if (!ret_wanted(ast))
        return 0;
    if (ast->insert && stmt->insert.partial) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "RETURNING is not supported yet where columns of a table with upsert = "
                     "'field' are not said");
        dn_err_hint(err, "List all columns of \"%s\".", table->name);
        dn_err_at(err, ast->insert->returning[0].pos);
        return rc;
    }
    rc = plan_returning(
        &env, ast, table, stmt->plan ? stmt->plan->change : NULL, &stmt->returning, err);
    if (rc < 0)
        return rc;
    stmt->cols = stmt->returning->cols;
    stmt->cols_count = stmt->returning->cols_count;
    return 0;
}

int stmt_compile_option(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    const struct qual_name *name = ast->insert ? &ast->insert->table : &ast->change->table;
    struct catalog_relation r = {.table = NULL};
    struct plan_writable *w;
    struct dn_err ignored;
    int rc;

    if (ast->kind == STMT_DELETE ||
        session_relation(stmt->conn, stmt->catalog, name, &r, &ignored) < 0 || !r.view)
        return 0;
    rc = plan_writable(&env, r.view, "update", 0, &w, err);
    if (rc < 0 || !w->checked)
        return rc;
    return plan_check_option(&env, ast, w, &stmt->option, err);
}

/* The plan of this execution: with parameters in their places. */
static int ret_plan(struct dendro_stmt *stmt, const struct table *table, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->run);
    int rc;

    if (stmt_inner(stmt)->params_count == 0)
        return 0;
    rc = stmt_literals(stmt, stmt_inner(stmt), &env, err);
    if (rc == 0)
        rc = plan_returning(&env,
                            stmt_inner(stmt),
                            table,
                            stmt->plan ? stmt->plan->change : NULL,
                            &stmt->run_returning,
                            err);
    if (rc == 0 && stmt_returns(stmt))
        stmt->cols = stmt->run_returning->cols;
    return rc;
}

int stmt_given_rows(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct vec *cols,
                    uint32_t rows,
                    struct exec_rows *to,
                    struct dn_err *err)
{
    uint32_t count = t->columns_count + stmt->more_count;
    struct vec *part = arena_alloc_array(&stmt->texts, count, sizeof(*part));
    enum type_id *types = arena_alloc_array(&stmt->texts, count, sizeof(*types));
    int rc;

    if (!part || !types)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->columns_count; i++)
        types[i] = t->columns[i].type;
    for (uint32_t i = 0; i < stmt->more_count; i++)
        types[t->columns_count + i] = stmt->more[i].type;
    rc = exec_rows_init(to, types, count, false, &stmt->owner, err);
    for (uint32_t at = 0; rc == 0 && at < rows; at += VEC_ROWS_MAX) {
        uint32_t n = rows - at < VEC_ROWS_MAX ? rows - at : VEC_ROWS_MAX;

        for (uint32_t i = 0; rc == 0 && i < count; i++) {
            const struct vec *from =
                i < t->columns_count ? &cols[i] : &stmt->more[i - t->columns_count];

            if (!vec_slice(&stmt->texts, from, at, n, &part[i]))
                rc = DN_FAIL_NOMEM(err);
        }
        if (rc == 0)
            rc = exec_rows_add(to, part, NULL, n, err);
    }
    arena_reset(&stmt->texts);
    return rc;
}

/* What the query returns, cell by cell. */
static int ret_cells(struct dendro_stmt *stmt, struct op *root, uint32_t rows, struct dn_err *err)
{
    struct describe *to = &stmt->rows;
    uint32_t cols = stmt->returning->cols_count;
    struct batch b;
    int rc = 0;

    *to = (struct describe){.cols_count = cols};
    to->cells = arena_calloc(&stmt->run, (size_t)rows * cols + 1, sizeof(*to->cells));
    if (!to->cells)
        return DN_FAIL_NOMEM(err);
    while (rc == 0 && (rc = exec_next(root, &b, err)) == 0) {
        DN_ASSERT(b.sel_count <= rows - to->rows_count);
        for (uint32_t k = 0; rc == 0 && k < b.sel_count; k++) {
            for (uint32_t i = 0; rc == 0 && i < cols; i++) {
                struct datum d = vec_datum(&b.cols[i], b.sel ? b.sel[k] : k);

                if (!datum_copy(&stmt->run, &d, &to->cells[to->rows_count * cols + i]))
                    rc = DN_FAIL_NOMEM(err);
            }
            to->rows_count++;
        }
    }
    return rc == DN_EOF ? 0 : rc;
}

/* A part of a statement: the rest reads them. */
static int ret_keep(struct dendro_stmt *stmt, struct op *root, struct dn_err *err)
{
    struct batch b;
    int rc = 0;

    while (rc == 0 && (rc = exec_next(root, &b, err)) == 0)
        rc = exec_rows_add(stmt->keep, b.cols, b.sel, b.sel_count, err);
    return rc == DN_EOF ? 0 : rc;
}

/* All of the rows satisfy the conditions of CHECK OPTION, or it is an error. */
static int ret_option(struct dendro_stmt *stmt, struct op *root, uint32_t rows, struct dn_err *err)
{
    uint64_t good = 0;
    struct batch b;
    int rc = 0;

    while (rc == 0 && (rc = exec_next(root, &b, err)) == 0)
        good += b.sel_count;
    if (rc != DN_EOF)
        return rc;
    return good == rows ? 0
                        : DN_FAIL(err,
                                  DN_E_CHECK_OPTION,
                                  "new row violates check option for view \"%s\"",
                                  stmt_inner(stmt)->insert ? stmt_inner(stmt)->insert->table.name
                                                           : stmt_inner(stmt)->change->table.name);
}

/* A plan over the rows: what was written, or (check) whether it may be. */
static int ret_run(struct dendro_stmt *stmt,
                   const struct plan *plan,
                   const struct exec_rows *given,
                   bool check,
                   struct dn_err *err)
{
    struct exec_ctx ctx = stmt->ctx;
    struct op *root = NULL;
    int rc;

    ctx.params = NULL;
    ctx.params_count = 0;
    ctx.run = NULL;
    ctx.progress = NULL;
    ctx.analysis = NULL;
    ctx.given = given;
    rc = exec_open(plan, &ctx, &root, err);
    if (rc == 0)
        rc = check        ? ret_option(stmt, root, given->count, err)
             : stmt->keep ? ret_keep(stmt, root, err)
                          : ret_cells(stmt, root, given->count, err);
    exec_close(root);
    return rc;
}

int stmt_return_rows(struct dendro_stmt *stmt,
                     const struct table *table,
                     const struct vec *cols,
                     uint32_t rows,
                     struct dn_err *err)
{
    struct exec_rows given = {.count = 0};
    int rc = 0;

    if (!stmt->returning && !stmt->option)
        return 0;
    if (stmt->returning)
        rc = ret_plan(stmt, table, err);
    if (rc == 0)
        rc = stmt_given_rows(stmt, table, cols, rows, &given, err);
    if (rc == 0 && stmt->option)
        rc = ret_run(stmt, stmt->option, &given, true, err);
    if (rc == 0 && stmt->returning)
        rc = ret_run(
            stmt, stmt->run_returning ? stmt->run_returning : stmt->returning, &given, false, err);
    exec_rows_done(&given);
    return rc;
}

int stmt_return_intake(struct dendro_stmt *stmt, struct intake *in, struct dn_err *err)
{
    struct shard_batch batch;
    int rc;

    if (!stmt->returning && !stmt->option)
        return 0;
    rc = intake_batch(in, &batch, err);
    return rc < 0 ? rc : stmt_return_rows(stmt, in->to->table, batch.cols, batch.rows, err);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * compile.c: from syntax tree to what an execution needs: plan or resolved INSERT, and the columns
 * of the result. Done at prepare, so that errors come early, and again when the catalog or the
 * session changed since. */
#include "engine/create_as.h"
#include "engine/engine_int.h"
#include "engine/generated.h"
#include "engine/parts.h"
#include "engine/privilege.h"
#include "engine/session_settings.h"
#include "engine/stmt_ops.h"
#include "engine/timepart.h"

bool stmt_compiled(const struct dendro_stmt *stmt)
{
    return stmt->catalog && stmt->epoch == stmt->conn->epoch &&
           tx_catalog_is(stmt->conn, stmt->catalog);
}

const struct stmt *stmt_inner(const struct dendro_stmt *stmt)
{
    return stmt->ast->kind == STMT_EXPLAIN ? stmt->ast->explained : stmt->ast;
}

struct plan_env stmt_plan_env(const struct dendro_stmt *stmt, struct arena *arena)
{
    struct plan_env env = session_plan_env(stmt->conn, stmt->catalog, arena);

    env.hints = stmt->hints;
    if (stmt->among) {
        env.parts = stmt->among->seen;
        env.parts_count = stmt->among->seen_count;
        env.later = stmt->among->later;
    }
    return env;
}

int stmt_compile_described(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct describe d;
    struct plan_col *cols;
    int rc = stmt->ast->kind == STMT_SHOW_PARTITIONS
                 ? stmt_compile_partitions(stmt, &d, err)
                 : stmt_describe(stmt, stmt->catalog, &stmt->compiled, &d, err);

    if (rc < 0)
        return rc;
    cols = arena_alloc_array(&stmt->compiled, d.cols_count + 1, sizeof(*cols));
    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < d.cols_count; i++)
        cols[i] = (struct plan_col){.name = d.names[i], .type = d.types[i]};
    stmt->cols = cols;
    stmt->cols_count = (uint32_t)d.cols_count;
    return 0;
}

int stmt_compile_select(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    int rc;

    env.keys = stmt->of_cursor;
    env.estimates = stmt->ast->kind == STMT_EXPLAIN;
    rc = plan_select(&env, ast, &stmt->plan, err);
    if (rc < 0)
        return rc;
    stmt->cols = stmt->plan->cols;
    stmt->cols_count = stmt->plan->cols_count;
    return 0;
}

int stmt_compile_change(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    int rc;

    env.shard = stmt->shard;
    env.estimates = stmt->ast->kind == STMT_EXPLAIN;
    rc = ast->change->current_of.s ? cursor_current(stmt, ast->change, &stmt->at, err) : 0;
    env.at = stmt->at;
    if (rc == 0)
        rc = plan_change(&env, ast, &stmt->plan, err);
    if (rc == 0 && ast->kind == STMT_UPDATE)
        rc = intake_stored_bind(&stmt->insert, stmt->plan->table, &env, err);
    if (rc == 0 && ast->kind == STMT_UPDATE)
        rc = intake_checks_bind(&stmt->insert.checks, stmt->plan->table, &env, err);
    if (rc == 0)
        rc = stmt_compile_option(stmt, ast, err);
    return rc < 0 ? rc : stmt_compile_returning(stmt, ast, stmt->plan->table, err);
}

int stmt_compile_explain(struct dendro_stmt *stmt, struct dn_err *err)
{
    static const struct plan_col col = {.name = "plan", .type = TYPE_VARCHAR};
    const struct stmt *inner = stmt->ast->explained;
    int rc;

    if (inner->kind == STMT_SELECT) {
        rc = stmt_compile_select(stmt, inner, err);
    } else if (inner->kind == STMT_INSERT) {
        rc = stmt_compile_insert(stmt, inner, err);
    } else if (inner->kind == STMT_UPDATE || inner->kind == STMT_DELETE) {
        rc = stmt_compile_change(stmt, inner, err);
    } else if (inner->kind == STMT_MERGE) {
        rc = 0; /* its parts are compiled; with PREPARE, EXECUTE looks at it */
    } else if (stmt->ast->kind == STMT_PREPARE) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "utility statements cannot be prepared");
        dn_err_at(err, inner->start);
    } else if (inner->kind == STMT_CREATE_TABLE && inner->table_def->as) {
        rc = stmt_compile_create_as(stmt, err);
    } else {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "EXPLAIN is for SELECT, INSERT, UPDATE, DELETE, MERGE, CREATE TABLE AS, "
                     "DECLARE and EXECUTE");
        dn_err_at(err, inner->start);
    }
    if (rc < 0)
        return rc;
    stmt->cols = &col;
    stmt->cols_count = 1;
    return 0;
}

void stmt_forget(struct dendro_stmt *stmt)
{
    plan_done(stmt->plan);
    stmt->plan = NULL;
    plan_done(stmt->returning);
    stmt->returning = NULL;
    plan_done(stmt->conflict);
    stmt->conflict = NULL;
    plan_done(stmt->option);
    stmt->option = NULL;
    stmt_parts_free(stmt->parts);
    stmt->parts = stmt->among = NULL;
    stmt->reads = NULL;
    stmt->at = NULL;
    stmt->cols = NULL;
    stmt->cols_count = 0;
    catalog_unref(stmt->catalog);
    stmt->catalog = NULL;
    arena_reset(&stmt->compiled);
}

static int stmt_compile_kind(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = privilege_statement(stmt, err);

    return rc < 0 ? rc : stmt_ops_of(stmt->ast)->compile(stmt, err);
}

int stmt_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct sched *sched = stmt->conn->db->volume->sched;
    uint64_t start = stmt->ast->kind == STMT_EXPLAIN ? sched_now_ns(sched) : 0;
    int rc;

    stmt_forget(stmt);
    stmt->catalog = tx_catalog(stmt->conn);
    session_path_follow(stmt->conn, stmt->catalog);
    stmt->epoch = stmt->conn->epoch;
    rc = stmt_parts_compile(stmt, err);
    if (rc == 0)
        rc = stmt_compile_kind(stmt, err);
    stmt->compile_ns = stmt->ast->kind == STMT_EXPLAIN ? sched_now_ns(sched) - start : 0;
    if (rc < 0)
        stmt_forget(stmt);
    return session_canceled_memory(stmt->conn, rc, err);
}

int stmt_compile_again(struct dendro_stmt *stmt, struct dn_err *err)
{
    bool parts = stmt->parts != NULL;
    int rc = stmt_compile(stmt, err);

    if (rc == 0 && parts != (stmt->parts != NULL))
        rc = DN_FAIL(err, DN_E_TABLE_CHANGED, "the shards of the time partition have changed");
    return rc;
}

int stmt_compile_part(struct dendro_stmt *part,
                      struct catalog *cat,
                      struct stmt_parts *before,
                      struct dn_err *err)
{
    part->catalog = catalog_ref(cat);
    part->epoch = part->conn->epoch;
    part->among = before;
    return stmt_compile_kind(part, err);
}

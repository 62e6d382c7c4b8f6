/* SPDX-License-Identifier: Apache-2.0
 *
 * statement.c: executions of a statement: step, reset; scripts. stmt_prepare.c has the rest of its
 * life.
 *
 *     prepare: parse, compile          step: [compile anew] start, then row after row, then stop
 *
 * An execution that ends, well or badly, passes stmt_stop; the next step starts over. */
#include "engine/advisory.h"
#include "engine/engine_int.h"
#include "engine/intake_late.h"
#include "engine/names.h"
#include "engine/parts.h"
#include "engine/pressure.h"
#include "engine/retain.h"
#include "engine/stmt_ops.h"
#include "engine/watch.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- step ---- */

/* What one run has goes; its time goes on. */
void stmt_unwind(struct dendro_stmt *stmt)
{
    if (stmt->ast && stmt->conn->functions.query == stmt->ast->text)
        stmt->conn->functions.query = NULL;
    exec_close(stmt->root);
    stmt->root = NULL;
    snapshot_free(stmt->snap);
    stmt->snap = NULL;
    plan_done(stmt->run_plan);
    stmt->run_plan = NULL;
    plan_done(stmt->run_returning);
    stmt->run_returning = NULL;
    plan_done(stmt->run_conflict);
    stmt->run_conflict = NULL;
    stmt->values = NULL;
    stmt->has_row = false;
    stmt->text = NULL;
    stmt->rows = (struct describe){.cols_count = 0};
    stmt->state = RUN_IDLE;
    if (stmt->analysis)
        stmt->analysis->figures = NULL; /* they go with the arena */
    arena_reset(&stmt->texts);
    arena_reset(&stmt->run);
    if (stmt->plan && stmt->ast->kind == STMT_SELECT) /* not those of a plan for one execution */
        stmt->cols = stmt->plan->cols;
    else if (stmt->returning && stmt->ast->kind != STMT_EXPLAIN)
        stmt->cols = stmt->returning->cols;
}

void stmt_stop(struct dendro_stmt *stmt)
{
    watch_end(stmt->conn, stmt);
    stmt_unwind(stmt);
}

void dendro_reset(dendro_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->state == RUN_ACTIVE)
        activity_rest(stmt->conn);
    stmt_stop(stmt);
    stmt->lost = false;
}

static int stmt_check_params(const struct dendro_stmt *stmt, struct dn_err *err)
{
    for (uint32_t i = 0; i < stmt->ast->params_count; i++) {
        if (!stmt->params[i].bound)
            return DN_FAIL(err, DN_E_UNBOUND, "parameter $%u has no value", i + 1);
    }
    return 0;
}

/* Everything up to the first row. A table that was altered while rows were on their way into it
 * took none of them: the statement is compiled anew and runs again. So it does when memory was
 * short. */
static int stmt_start(struct dendro_stmt *stmt, struct dn_err *err)
{
    enum stmt_kind kind = stmt_inner(stmt)->kind;
    bool writes =
        kind == STMT_INSERT || kind == STMT_UPDATE || kind == STMT_DELETE || kind == STMT_MERGE;
    struct pressure p;
    uint64_t mark;
    int rc = stmt_check_params(stmt, err);

    session_tick(stmt->conn);
    activity_begin(stmt);
    stmt->conn->functions.query = stmt->ast->text;
    pressure_begin(&p, stmt->conn);
    keep_mark(stmt->conn);
    if (stmt->conn->stepping == 1 && !stmt->of_cursor) /* else it is a part of another one */
        atomic_store(&stmt->conn->cancel, activity_ended(stmt->conn));
    stmt->rows_count = 0;
    if (rc == 0)
        rc = session_check_cancel(stmt->conn, err);
    if (rc == 0)
        rc = tx_statement(stmt, err);
    if (rc == 0 && (!stmt_compiled(stmt) || stmt->at)) /* a cursor moves */
        rc = stmt_compile(stmt, err);
    mark = tx_mark(stmt->conn);
    stmt->retry = (struct retry){.tries = 0};
    while (rc == 0) {
        rc = stmt->parts ? stmt_parts_run(stmt, err) : stmt_ops_of(stmt->ast)->run(stmt, err);
        if (rc >= 0 || !writes || (rc != DN_E_TABLE_CHANGED && rc != DN_E_NOMEM))
            break;
        stmt_unwind(stmt);
        tx_undo(stmt->conn, mark);
        if (rc == DN_E_NOMEM) {
            rc = pressure_relieve(&p, stmt->conn, atomic_load(&stmt->owner.peak), rc, err);
            continue;
        }
        rc = retry_again(&stmt->retry, stmt->conn, rc, err);
        if (rc == 0)
            rc = stmt_compile(stmt, err);
    }
    return rc;
}

int stmt_open(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_start(stmt, err);

    if (rc < 0)
        stmt_stop(stmt);
    else
        stmt->state = RUN_ACTIVE;
    return rc;
}

/* Moves to the next row; DN_EOF: there is none. */
static int stmt_next_row(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc;

    arena_reset(&stmt->texts);
    stmt->text = NULL;
    if (!stmt->root) {
        stmt->row = stmt->has_row ? stmt->row + 1 : 0;
        stmt->has_row = stmt->row < stmt->rows.rows_count;
        return stmt->has_row ? 0 : DN_EOF;
    }
    if (stmt->has_row && stmt->row + 1 < stmt->batch.sel_count) {
        stmt->row++;
        return 0;
    }
    stmt->has_row = false;
    do {
        rc = stmt_pull(stmt, &stmt->batch, err);
        if (rc != 0)
            return rc;
    } while (stmt->batch.sel_count == 0);
    stmt->row = 0;
    stmt->has_row = true;
    return 0;
}

/* Rows of a block that failed or went back to a savepoint are not handed out. */
static int stmt_still_there(struct dendro_stmt *stmt, struct dn_err *err)
{
    if (stmt->lost) {
        stmt->lost = false;
        return DN_FAIL(err,
                       DN_E_RESULT_GONE,
                       "the rows were of a part of the transaction that was rolled back");
    }
    if (stmt->state == RUN_ACTIVE && stmt->snap && overlay_snapshot_mark(stmt->snap))
        return tx_allows(stmt->conn, stmt->ast, err);
    return 0;
}

/* A statement is done; what ends with a transaction that is no block does so, but not for one that
 * another one runs: it may hold the lock of the catalog, and has its own end. */
static int stmt_end_transaction(struct dendro_conn *conn, int rc, struct dn_err *err)
{
    if (conn->stepping > 1)
        return rc;
    if (!tx_in_block(conn))
        advisory_end_transaction(conn);
    return rc < 0 ? rc : session_commit_temps(conn, err);
}

/* Is it one after which something may be due to go? COMMIT says it itself. */
static bool stmt_may_retain(const struct dendro_stmt *stmt)
{
    enum stmt_kind kind = stmt->ast->kind;

    return (kind == STMT_CREATE_TABLE || kind == STMT_ALTER || kind == STMT_CHECKPOINT) &&
           !tx_in_block(stmt->conn);
}

static int stmt_step_once(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_still_there(stmt, err);

    if (rc == 0 && stmt->state == RUN_IDLE) {
        stmt->tag[0] = '\0';
        if (stmt->conn->stepping == 1)
            stmt->conn->late = 0;
        if (stmt->conn->stepping == 1) /* else it is a part of another one */
            rc = watch_begin(stmt->conn, stmt, err);
        if (rc == 0)
            rc = stmt_start(stmt, err);
        if (rc == 0)
            stmt->state = RUN_ACTIVE;
    }
    if (rc == 0)
        rc = stmt_next_row(stmt, err);
    if (rc == 0) {
        stmt->rows_count++;
        return DENDRO_ROW;
    }
    stmt_stop(stmt);
    rc = stmt_end_transaction(stmt->conn, rc, err);
    if (rc < 0) {
        watch_explain(stmt->conn, err);
        rc = keep_explain(stmt->conn, activity_explain(stmt->conn, rc, err), err);
        tx_fail(stmt->conn);
        return rc;
    }
    stmt_ops_of(stmt->ast)->tag(stmt, stmt->tag, sizeof(stmt->tag));
    if (stmt_may_retain(stmt))
        engine_retain_now(stmt->conn->db, &stmt->conn->cancel);
    if (stmt->conn->stepping == 1)
        session_late_notice(stmt->conn);
    return DENDRO_DONE;
}

int stmt_step(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    int rc;

    conn->stepping++;
    if (stmt->state == RUN_ACTIVE)
        activity_resume(conn);
    rc = stmt_step_once(stmt, err);
    conn->stepping--;
    if (rc != DENDRO_ROW)
        activity_rest(conn);
    return rc;
}

int dendro_step(dendro_stmt *stmt, struct dendro_error *err)
{
    struct dn_err e;

    dn_err_clear(&e);
    if (!stmt)
        return engine_return(err, &e, DN_FAIL(&e, DN_E_MISUSE, "no statement to step"));
    return engine_return(err, &e, stmt_step(stmt, &e));
}

uint64_t dendro_rows_affected(const dendro_stmt *stmt)
{
    return stmt ? stmt->rows_count : 0;
}

const char *dendro_command_tag(const dendro_stmt *stmt)
{
    return stmt ? stmt->tag : "";
}

/* ---- scripts ---- */

static int
stmt_run_all(struct dendro_stmt *stmt, dendro_row_fn on_row, void *arg, struct dn_err *err)
{
    int rc;

    while ((rc = stmt_step(stmt, err)) == DENDRO_ROW) {
        if (on_row && on_row(arg, stmt) != 0) {
            tx_fail(stmt->conn);
            return DN_FAIL(err, DN_E_CANCELED, "stopped by the callback");
        }
    }
    return rc < 0 ? rc : 0;
}

int dendro_exec(dendro_conn *conn,
                const char *sql,
                ptrdiff_t len,
                dendro_row_fn on_row,
                void *arg,
                struct dendro_error *err)
{
    struct dendro_stmt *stmt;
    struct sql_text text;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!conn || !sql)
        return engine_return(
            err, &e, DN_FAIL(&e, DN_E_MISUSE, "dendro_exec: no session or no text"));
    sql_text_init(&text, sql, len < 0 ? strlen(sql) : (size_t)len);
    while ((rc = stmt_prepare(conn, &text, NULL, &stmt, &e)) == 0) {
        rc = stmt_run_all(stmt, on_row, arg, &e);
        dendro_finalize(stmt);
        if (rc < 0)
            break;
    }
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

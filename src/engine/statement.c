/* SPDX-License-Identifier: Apache-2.0
 *
 * statement.c: the life of a statement: prepare, bind, step, reset, finalize; scripts.
 *
 *     prepare: parse, compile          step: [compile anew] start, then row after row, then stop
 *
 * An execution that ends, well or badly, passes stmt_stop; the next step starts over. */
#include "engine/advisory.h"
#include "engine/engine_int.h"
#include "engine/intake_late.h"
#include "engine/parts.h"
#include "engine/pressure.h"
#include "engine/retain.h"
#include "engine/run.h"
#include "engine/watch.h"

#include "plan/refuse.h"

#include <inttypes.h>
#include <stdio.h>

#define STMT_TRIES      64 /* of a statement whose table was altered under it */
#define STMT_TEXT_TIMES 8u /* a compiled statement takes about so many times its text */

/* ---- prepare, finalize ---- */

/* The tree borrows the caller's text where the names of result columns come from: keep that part.
 */
static int stmt_keep_text(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct stmt *ast = stmt->ast;
    uint32_t from = ast->start_byte;
    const char *copy;

    if (ast->kind != STMT_SELECT && !ast->explained) {
        ast->text = NULL;
        return 0;
    }
    copy = arena_strndup(&stmt->arena, ast->text + from, ast->end_byte - from);
    if (!copy)
        return DN_FAIL_NOMEM(err);
    for (struct stmt *s = ast; s; s = s->explained) {
        DN_ASSERT(s->start_byte >= from);
        s->text = copy;
        s->start_byte -= from;
        s->end_byte -= from;
    }
    return 0;
}

static void stmt_link(struct dendro_stmt *stmt)
{
    struct dendro_conn *conn = stmt->conn;

    stmt->next = conn->stmts;
    stmt->prev = NULL;
    if (conn->stmts)
        conn->stmts->prev = stmt;
    conn->stmts = stmt;
}

struct dendro_stmt *stmt_new_unlisted(struct dendro_conn *conn)
{
    struct dendro_stmt *stmt = mem_calloc(&conn->db->owner, 1, sizeof(*stmt));

    if (!stmt)
        return NULL;
    stmt->conn = conn;
    mem_owner_init(&stmt->owner, "statement", &conn->db->owner, 0);
    arena_init(&stmt->arena, &stmt->owner);
    arena_init(&stmt->compiled, &stmt->owner);
    arena_init(&stmt->run, &stmt->owner);
    arena_init(&stmt->texts, &stmt->owner);
    return stmt;
}

static struct dendro_stmt *stmt_new(struct dendro_conn *conn)
{
    struct dendro_stmt *stmt = stmt_new_unlisted(conn);

    if (stmt)
        stmt_link(stmt);
    return stmt;
}

static void stmt_unbind(struct dendro_stmt *stmt)
{
    for (uint32_t i = 0; stmt->params && i < stmt->ast->params_count; i++) {
        mem_free(stmt->params[i].bytes);
        stmt->params[i] = (struct stmt_param){.bound = false};
    }
}

void stmt_free(struct dendro_stmt *stmt)
{
    stmt_unbind(stmt);
    mem_free(stmt->params);
    mem_free(stmt->source);
    plan_done(stmt->plan);
    plan_done(stmt->returning);
    plan_done(stmt->conflict);
    plan_done(stmt->option);
    stmt_parts_free(stmt->parts);
    catalog_unref(stmt->catalog);
    arena_done(&stmt->texts);
    arena_done(&stmt->run);
    arena_done(&stmt->compiled);
    arena_done(&stmt->arena);
    mem_free(stmt);
}

void dendro_finalize(dendro_stmt *stmt)
{
    if (!stmt)
        return;
    stmt_stop(stmt);
    if (stmt->prev)
        stmt->prev->next = stmt->next;
    else
        stmt->conn->stmts = stmt->next;
    if (stmt->next)
        stmt->next->prev = stmt->prev;
    stmt_unbind(stmt);
    stmt->lost = false;
    stmt->rows_count = 0;
    stmt->tag[0] = '\0';
    if (!stmt_cache_put(stmt))
        stmt_free(stmt);
}

/* One that was kept from an earlier prepare; it is compiled anew if it does not fit any more. */
static int stmt_prepare_kept(struct dendro_stmt *stmt, struct dendro_stmt **ret, struct dn_err *err)
{
    int rc = 0;

    stmt_link(stmt);
    stmt->params_given = false;
    if (!stmt_compiled(stmt))
        rc = stmt_compile(stmt, err);
    if (rc < 0) {
        dendro_finalize(stmt);
        return rc;
    }
    *ret = stmt;
    return 0;
}

static int stmt_prepare_once(struct dendro_conn *conn,
                             struct sql_text *text,
                             struct dendro_stmt **ret,
                             struct dn_err *err)
{
    bool from_start = text->next == 0;
    const struct plan_hints hints = conn->hints;
    bool kept = hints.count == 0 && !conn->for_cursor; /* the cache knows nothing of these */
    struct dendro_stmt *stmt =
        conn->tx.state == TX_FAILED || !kept ? NULL : stmt_cache_take(conn, text);
    int rc;

    if (stmt)
        return stmt_prepare_kept(stmt, ret, err);
    stmt = stmt_new(conn);
    if (!stmt)
        return DN_FAIL_NOMEM(err);
    stmt->of_cursor = conn->for_cursor;
    if (hints.count > 0) {
        stmt->hints.types =
            arena_dup(&stmt->arena, hints.types, hints.count * sizeof(*hints.types));
        stmt->hints.count = stmt->hints.types ? hints.count : 0;
    }
    text->types = &conn->types;
    rc = hints.count == 0 || stmt->hints.types ? sql_parse(text, &stmt->arena, &stmt->ast, err)
                                               : DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = tx_allows(conn, stmt->ast, err);
    if (rc == 0)
        rc = plan_refuse(stmt->ast, err);
    if (rc == 0 && stmt->ast->kind == STMT_PREPARE)
        stmt->ast->params_count = 0; /* they are those of the statement inside */
    if (rc == 0 && session_executes(stmt->ast)) {
        rc = session_execute(stmt, ret, err);
        dendro_finalize(stmt);
        return rc;
    }
    if (rc == 0)
        rc = copy_from_change(stmt, err);
    if (rc == 0)
        rc = stmt_keep_text(stmt, err);
    if (rc == 0 && stmt->ast->params_count > 0) {
        stmt->params = mem_calloc(&stmt->owner, stmt->ast->params_count, sizeof(*stmt->params));
        if (!stmt->params)
            rc = DN_FAIL_NOMEM(err);
    }
    if (rc == 0)
        rc = stmt_compile(stmt, err);
    if (rc != 0) {
        if (rc < 0)
            stmt_about(stmt, &conn->failed);
        dendro_finalize(stmt);
        return rc;
    }
    if (from_start && kept)
        stmt_cache_note(stmt, text);
    *ret = stmt;
    return 0;
}

static bool stmt_any_active(const struct dendro_conn *conn)
{
    for (const struct dendro_stmt *s = conn->stmts; s; s = s->next)
        if (s->state == RUN_ACTIVE)
            return true;
    return false;
}

int stmt_prepare(struct dendro_conn *conn,
                 struct sql_text *text,
                 struct dendro_stmt **ret,
                 struct dn_err *err)
{
    const struct sql_text start = *text;
    struct pressure p;
    int rc;

    session_tick(conn);
    conn->failed = (struct engine_about){.class = ENGINE_OTHER};
    pressure_begin(&p, conn);
    if (!stmt_any_active(conn)) /* what was canceled before is over */
        atomic_store(&conn->cancel, false);
    for (;;) {
        rc = stmt_prepare_once(conn, text, ret, err);
        if (rc != DN_E_NOMEM)
            break;
        rc = pressure_relieve(&p, conn, STMT_TEXT_TIMES * (text->next - start.next), rc, err);
        if (rc < 0)
            break;
        *text = start;
    }
    if (rc == 0) {
        rc = session_check_cancel(conn, err);
        if (rc < 0) {
            dendro_finalize(*ret);
            *ret = NULL;
        }
    }
    if (rc < 0)
        tx_fail(conn);
    return rc;
}

static size_t stmt_text_len(const char *sql, ptrdiff_t len)
{
    return len < 0 ? strlen(sql) : (size_t)len;
}

/* The types must outlive the call; the statement has a copy. */
static int stmt_prepare_first(struct dendro_conn *conn,
                              struct sql_text *text,
                              struct plan_hints hints,
                              struct dendro_stmt **ret,
                              struct dn_err *err)
{
    struct dendro_stmt *stmt = NULL;
    int rc;

    do { /* an empty statement between two semicolons is passed over */
        dendro_finalize(stmt);
        stmt = NULL;
        conn->hints = hints;
        rc = stmt_prepare(conn, text, &stmt, err);
    } while (rc == 0 && stmt->ast->kind == STMT_EMPTY);
    conn->hints = (struct plan_hints){.count = 0};
    *ret = rc == 0 ? stmt : NULL;
    return rc;
}

int dendro_prepare(dendro_conn *conn,
                   const char *sql,
                   ptrdiff_t len,
                   dendro_stmt **ret_stmt,
                   const char **ret_tail,
                   struct dendro_error *err)
{
    struct sql_text text;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!conn || !sql || !ret_stmt)
        return engine_return(
            err,
            &e,
            DN_FAIL(&e, DN_E_MISUSE, "dendro_prepare: no session, text or place for the result"));
    *ret_stmt = NULL;
    sql_text_init(&text, sql, stmt_text_len(sql, len));
    rc = stmt_prepare_first(conn, &text, (struct plan_hints){.count = 0}, ret_stmt, &e);
    if (ret_tail)
        *ret_tail = sql + text.next;
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

int engine_prepare(dendro_conn *conn,
                   const char *sql,
                   const enum type_id *types,
                   uint32_t types_count,
                   dendro_stmt **ret_stmt,
                   const char **ret_tail,
                   struct dendro_error *err)
{
    struct plan_hints hints = {.types = types};
    struct sql_text text;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    for (uint32_t i = 0; i < types_count; i++)
        if (types[i] != TYPE_NONE)
            hints.count = i + 1;
    sql_text_init(&text, sql, strlen(sql));
    rc = stmt_prepare_first(conn, &text, hints, ret_stmt, &e);
    if (ret_tail)
        *ret_tail = sql + text.next;
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

bool dendro_complete(const char *sql, ptrdiff_t len)
{
    return sql && sql_complete(sql, stmt_text_len(sql, len));
}

/* ---- step ---- */

void stmt_stop(struct dendro_stmt *stmt)
{
    watch_end(stmt);
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

void dendro_reset(dendro_stmt *stmt)
{
    if (!stmt)
        return;
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
    stmt->conn->functions.query = stmt->ast->text;
    pressure_begin(&p, stmt->conn);
    atomic_store(&stmt->conn->cancel, false);
    stmt->rows_count = 0;
    if (rc == 0)
        rc = tx_statement(stmt, err);
    if (rc == 0 && (!stmt_compiled(stmt) || stmt->at)) /* a cursor moves */
        rc = stmt_compile(stmt, err);
    mark = tx_mark(stmt->conn);
    for (int i = 0; rc == 0; i++) {
        rc = stmt->parts ? stmt_parts_run(stmt, err) : stmt_run(stmt, err);
        if (rc >= 0 || !writes || (rc == DN_E_TABLE_CHANGED && i == STMT_TRIES))
            break;
        if (rc != DN_E_TABLE_CHANGED && rc != DN_E_NOMEM)
            break;
        stmt_stop(stmt);
        tx_undo(stmt->conn, mark);
        if (rc == DN_E_NOMEM) {
            rc = pressure_relieve(&p, stmt->conn, atomic_load(&stmt->owner.peak), rc, err);
            continue;
        }
        engine_wait_edit(stmt->conn->db);
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
        rc = watch_begin(stmt, err);
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
        tx_fail(stmt->conn);
        return rc;
    }
    stmt_set_tag(stmt);
    if (stmt_may_retain(stmt))
        engine_retain_now(stmt->conn->db);
    if (stmt->conn->stepping == 1)
        session_late_notice(stmt->conn);
    return DENDRO_DONE;
}

int stmt_step(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    int rc;

    conn->stepping++;
    rc = stmt_step_once(stmt, err);
    conn->stepping--;
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
    sql_text_init(&text, sql, stmt_text_len(sql, len));
    while ((rc = stmt_prepare(conn, &text, &stmt, &e)) == 0) {
        rc = stmt_run_all(stmt, on_row, arg, &e);
        dendro_finalize(stmt);
        if (rc < 0)
            break;
    }
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

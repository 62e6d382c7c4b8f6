/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_prepare.c: statements are made of a text: parsed, compiled, kept for the next time, freed.
 * statement_timeout and cancel end that as they end an execution. */
#include "engine/engine_int.h"
#include "engine/parts.h"
#include "engine/pressure.h"
#include "engine/watch.h"

#include "plan/refuse.h"

#define STMT_TEXT_TIMES 8u /* a compiled statement takes about so many times its text */

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
    struct mem_owner *from = keep_source(conn);
    struct dendro_stmt *stmt = mem_calloc(from, 1, sizeof(*stmt));

    if (!stmt)
        return NULL;
    stmt->conn = conn;
    mem_owner_init(&stmt->owner, "statement", from, 0);
    arena_init(&stmt->arena, &stmt->owner);
    arena_init(&stmt->compiled, &stmt->owner);
    stmt->arena.cancel = stmt->compiled.cancel = &conn->cancel; /* parsing and planning end */
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
    keep_forget(stmt);
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
    if (stmt->state == RUN_ACTIVE)
        activity_rest(stmt->conn);
    stmt_stop(stmt);
    if (stmt->prev)
        stmt->prev->next = stmt->next;
    else
        stmt->conn->stmts = stmt->next;
    if (stmt->next)
        stmt->next->prev = stmt->prev;
    stmt_unbind(stmt);
    keep_forget(stmt);
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
                             const struct stmt_how *how,
                             struct dendro_stmt **ret,
                             struct dn_err *err)
{
    bool from_start = text->next == 0;
    const size_t begin = text->next;
    const struct plan_hints hints = how ? how->hints : (struct plan_hints){.count = 0};
    bool of_cursor = how && how->of_cursor;
    bool kept = hints.count == 0 && !of_cursor; /* the cache knows nothing of these */
    struct dendro_stmt *stmt =
        conn->tx.state == TX_FAILED || !kept ? NULL : stmt_cache_take(conn, text);
    int rc;

    if (stmt)
        return stmt_prepare_kept(stmt, ret, err);
    stmt = stmt_new(conn);
    if (!stmt)
        return DN_FAIL_NOMEM(err);
    stmt->of_cursor = of_cursor;
    if (hints.count > 0) {
        stmt->hints.types =
            arena_dup(&stmt->arena, hints.types, hints.count * sizeof(*hints.types));
        stmt->hints.count = stmt->hints.types ? hints.count : 0;
    }
    text->types = &conn->types;
    text->cancel = &conn->cancel;
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
        rc = activity_text(stmt, text->text + begin, text->next - begin, err);
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
                 const struct stmt_how *how,
                 struct dendro_stmt **ret,
                 struct dn_err *err)
{
    const struct sql_text start = *text;
    struct pressure p;
    int rc;

    if (conn->stepping == 0 && !conn->watched.what) { /* else that limit counts for this, too */
        rc = watch_begin(conn, text, err);
        if (rc < 0)
            return rc;
    }
    session_tick(conn);
    conn->failed = (struct engine_about){.class = ENGINE_OTHER};
    pressure_begin(&p, conn);
    if (!stmt_any_active(conn)) /* what was canceled before is over */
        atomic_store(&conn->cancel, activity_ended(conn));
    for (;;) {
        rc = session_canceled_memory(conn, stmt_prepare_once(conn, text, how, ret, err), err);
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
    watch_end(conn, text);
    if (rc < 0) {
        watch_explain(conn, err);
        rc = keep_explain(conn, activity_explain(conn, rc, err), err);
        tx_fail(conn);
    }
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
    const struct stmt_how how = {.hints = hints};
    struct dendro_stmt *stmt = NULL;
    int rc;

    do { /* an empty statement between two semicolons is passed over */
        dendro_finalize(stmt);
        stmt = NULL;
        rc = stmt_prepare(conn, text, &how, &stmt, err);
    } while (rc == 0 && stmt->ast->kind == STMT_EMPTY);
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

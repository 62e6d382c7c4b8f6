/* SPDX-License-Identifier: Apache-2.0
 *
 * select.c: SELECT: parameters, snapshot, run.
 *
 * A plan made at prepare knows parameters by type only. Values are brought to these types without
 * loss; one that does not fit (a time finer than the column it is compared with, 1.5 beside an
 * integer) must still compare exactly, so the statement is planned once more with the values in
 * place of the parameters, for this execution alone. */
#include "engine/engine_int.h"
#include "engine/parts.h"
#include "engine/stmt_ops.h"

#include "exec/progress.h"
#include "func/text.h"

static int sel_param_text(struct dendro_stmt *stmt,
                          const struct datum *in,
                          struct datum *ret,
                          struct dn_err *err)
{
    struct buf b;

    *ret = (struct datum){.type = TYPE_VARCHAR, .null = in->null};
    if (in->null)
        return 0;
    buf_init(&b, &stmt->owner);
    text_print_in(&stmt->conn->functions, in, &b);
    ret->str.ptr =
        b.failed ? NULL : arena_strndup(&stmt->run, b.len ? (const char *)b.data : "", b.len);
    ret->str.len = (uint32_t)b.len;
    buf_done(&b);
    return ret->str.ptr ? 0 : DN_FAIL_NOMEM(err);
}

/* 1: the value does not fit the type without loss. */
static int sel_param_fit(struct dendro_stmt *stmt,
                         const struct stmt_param *p,
                         enum type_id type,
                         struct datum *ret,
                         struct dn_err *err)
{
    struct plan_target to = {.type = type, .exact = true, .session = &stmt->conn->functions};
    struct dn_err local;
    int rc;

    if (type == TYPE_NONE) /* nobody cares */
        return p->untyped && !p->value.null ? (*ret = p->value, 0)
                                            : sel_param_text(stmt, &p->value, ret, err);
    rc = plan_assign(&to, &p->value, p->untyped, &stmt->run, ret, &local);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (rc < 0)
        return 1;
    if (p->untyped || ret->null)
        return 0;
    if (p->value.type == TYPE_DOUBLE && type_is_int(type)) /* a column would round it */
        return (double)ret->v.i64 != p->value.v.f64;
    if (p->value.type == TYPE_DOUBLE && type == TYPE_REAL)
        return ret->v.f64 != p->value.v.f64;
    return type == TYPE_VARCHAR && p->value.type != TYPE_VARCHAR;
}

int stmt_literals(struct dendro_stmt *stmt,
                  const struct stmt *ast,
                  struct plan_env *env,
                  struct dn_err *err)
{
    uint32_t n = ast->params_count;
    struct datum *literals = arena_alloc_array(&stmt->run, n + 1, sizeof(*literals));
    bool *untyped = arena_alloc_array(&stmt->run, n + 1, sizeof(*untyped));

    if (!literals || !untyped)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++) {
        literals[i] = stmt->params[i].value;
        untyped[i] = stmt->params[i].untyped;
    }
    env->literals = literals;
    env->literals_untyped = untyped;
    env->literals_count = n;
    return 0;
}

static int sel_plan_once(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->run);
    int rc = stmt_literals(stmt, ast, &env, err);

    if (rc < 0)
        return rc;
    env.shard = stmt->shard;
    env.keys = stmt->of_cursor;
    env.at = stmt->at;
    if (ast->kind == STMT_INSERT)
        return plan_query(&env, ast, ast->insert->with, stmt->reads, &stmt->run_plan, err);
    if (ast->kind == STMT_CREATE_TABLE)
        return plan_query(&env, ast, NULL, stmt->reads, &stmt->run_plan, err);
    if (ast->kind != STMT_SELECT)
        return plan_change(&env, ast, &stmt->run_plan, err);
    return plan_select(&env, ast, &stmt->run_plan, err);
}

/* Parameters of a SELECT in the plan's types, or a plan of its own. */
static int sel_params(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    uint32_t n = stmt->plan ? stmt->plan->params_count : 0;
    int rc = 0;

    if (n == 0)
        return 0;
    stmt->values = arena_calloc(&stmt->run, n, sizeof(*stmt->values));
    if (!stmt->values)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n && rc == 0; i++)
        rc = sel_param_fit(
            stmt, &stmt->params[i], stmt->plan->param_types[i], &stmt->values[i], err);
    return rc == 1 ? sel_plan_once(stmt, ast, err) : rc;
}

/* A table may be dropped or altered between compiling and the snapshot, which then lacks its rows
 * or reads them otherwise than the plan: up to SEL_TRIES times it is compiled anew, so that both
 * are of one catalog. (A catalog is published before the shard acts.) */
#define SEL_TRIES 64

#define SEL_BUDGET_PART 4u /* of memory_limit: a statement's share, unless the session says */

static int sel_snapshot(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct dendro_db *db = stmt->conn->db;

    for (int i = 0;; i++) {
        int rc = sel_params(stmt, ast, err);

        if (rc == 0)
            rc = engine_sync_shard(db, err);
        if (rc < 0)
            return rc;
        stmt->snap = tx_snapshot(stmt->conn);
        if (!stmt->snap)
            return DN_FAIL_NOMEM(err);
        if (stmt_compiled(stmt))
            return 0;
        if (i == SEL_TRIES)
            return DN_FAIL(err, DN_E_TABLE_CHANGED, "the tables change faster than they are read");
        snapshot_free(stmt->snap);
        stmt->snap = NULL;
        plan_done(stmt->run_plan);
        stmt->run_plan = NULL;
        rc = stmt_compile_again(stmt, err);
        if (rc < 0)
            return rc;
    }
}

/* What a statement may hold before it puts rows aside. */
static size_t sel_budget(const struct dendro_stmt *stmt)
{
    const struct dendro_conn *conn = stmt->conn;

    return keep_budget(conn,
                       conn->settings.statement_memory ? (size_t)conn->settings.statement_memory
                                                       : conn->db->owner.limit / SEL_BUDGET_PART);
}

int stmt_begin(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc = sel_snapshot(stmt, ast, err);

    if (rc < 0)
        return rc;
    stmt->ctx = (struct exec_ctx){
        .snap = stmt->snap,
        .env = stmt_plan_env(stmt, &stmt->run),
        .params = stmt->values,
        .params_count = stmt->values ? stmt->plan->params_count : 0,
        .owner = &stmt->owner,
        .cancel = &stmt->conn->cancel,
        .sched = stmt->conn->db->volume->sched,
        .progress = stmt_progress(stmt),
        .volume = stmt->conn->db->volume,
        .budget = sel_budget(stmt),
        .analysis = stmt->analysis,
        .parts = stmt->among ? stmt->among->rows : NULL,
        .parts_count = stmt->among ? stmt->among->done : 0,
    };
    return 0;
}

static int stmt_run_select(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_begin(stmt, stmt->ast, err);

    if (rc < 0)
        return rc;
    if (stmt->run_plan)
        stmt->cols = stmt->run_plan->cols;
    if (stmt->ctx.progress)
        exec_progress_plan(stmt->ctx.progress,
                           stmt->run_plan ? stmt->run_plan : stmt->plan,
                           &stmt->ctx.env,
                           &stmt->run);
    return exec_open(stmt->run_plan ? stmt->run_plan : stmt->plan, &stmt->ctx, &stmt->root, err);
}

/* ---- FOR UPDATE ---- */

/* Which rows of the batch have a row of the table at all: of an outer join not all do. */
static uint32_t sel_lock_rows(const struct batch *b, const struct vec *key, uint16_t *rows)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->sel_count; i++) {
        uint16_t row = b->sel ? b->sel[i] : (uint16_t)i;

        if (!vec_is_null(key, row))
            rows[n++] = row;
    }
    return n;
}

static int sel_lock(struct dendro_stmt *stmt,
                    const struct plan *plan,
                    const struct plan_lock *lock,
                    const struct batch *b,
                    struct dn_err *err)
{
    const struct table *t = lock->table;
    const struct vec *from = &b->cols[plan->cols_count + lock->at];
    uint32_t count = store_cols_count(t);
    struct arena scratch;
    struct vec *cols;
    struct colbuf *bufs;
    uint16_t *rows;
    uint32_t n = 0;
    int rc = 0;

    arena_init(&scratch, &stmt->owner);
    cols = arena_calloc(&scratch, count, sizeof(*cols));
    bufs = arena_calloc(&scratch, lock->cols_count, sizeof(*bufs));
    rows = arena_alloc_array(&scratch, VEC_ROWS_MAX, sizeof(*rows));
    if (!cols || !bufs || !rows)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        n = sel_lock_rows(b, &from[0], rows);
    for (uint32_t c = 0; rc == 0 && c < t->columns_count; c++) {
        struct datum none = {.type = t->columns[c].type, .null = true};

        if (!vec_make_const(&scratch, &none, n, &cols[c]))
            rc = DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; rc == 0 && i < lock->cols_count; i++) {
        colbuf_init(&bufs[i], store_col_type(t, lock->cols[i]), &stmt->owner, &scratch);
        if (!colbuf_append_vec(&bufs[i], &from[i], rows, n))
            rc = DN_FAIL_NOMEM(err);
        else
            cols[lock->cols[i]] = colbuf_vec(&bufs[i], 0, n);
    }
    if (rc == 0 && n > 0)
        rc = tx_hold(
            stmt->conn,
            &(struct shard_batch){
                .table = t,
                .cols = cols,
                .rows = n,
                .op = ROW_PUT,
                .rowids = t->form == KEY_NONE ? cols[t->columns_count + HIDDEN_ROWID].data : NULL,
                .check_seq = snapshot_seq(stmt->snap)},
            err);
    for (uint32_t i = 0; bufs && i < lock->cols_count; i++)
        colbuf_done(&bufs[i]);
    arena_done(&scratch);
    return rc;
}

int stmt_pull(struct dendro_stmt *stmt, struct batch *ret, struct dn_err *err)
{
    const struct plan *plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    int rc = exec_next(stmt->root, ret, err);

    for (uint32_t i = 0; rc == 0 && plan && i < plan->locks_count && tx_in_block(stmt->conn); i++)
        if (!plan->locks[i].unasked)
            rc = sel_lock(stmt, plan, &plan->locks[i], ret, err);
    return rc;
}

/* ---- the row of SELECT ---- */

static enum engine_class select_class(const struct stmt *ast)
{
    return stmt_has_parts(ast) ? ENGINE_MOD : ENGINE_OTHER;
}

static enum tx_use select_use(const struct stmt *ast)
{
    return stmt_has_parts(ast) || ast->query->locks_count > 0 ? TX_WRITES : TX_READS;
}

static int select_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt_compile_select(stmt, stmt->ast, err);
}

STMT_NAME(select, "SELECT")
STMT_OPS(select,
         stmt_name_select,
         stmt_tag_rows,
         select_class,
         select_use,
         privilege_by_planner,
         select_compile,
         stmt_run_select);

/* SPDX-License-Identifier: Apache-2.0
 *
 * insert.c: INSERT … VALUES. Values go straight into column buffers, each checked on the way:
 * literals and parameters without an expression in between, the rest through the binder. Nothing is
 * written before the last value of the last row is good; then all rows are one commit. Errors name
 * row (the first is 1) and column and point at the value. */
#include "engine/engine_int.h"

#include "plan/plan.h"

#define INS_CANCEL_ROWS 1024u /* how often cancel is looked at */

/* ---- compile ---- */

static int
ins_check_counts(const struct intake_target *ins, const struct insert_stmt *ast, struct dn_err *err)
{
    const struct values_rows *v = &ast->query->values;

    for (uint32_t i = 0; i < v->rows_count; i++) {
        int rc;

        if (v->rows_len[i] == ins->cols_count)
            continue;
        rc = DN_FAIL(err,
                     DN_E_ENTRY_COUNT,
                     "row %u has %s values: %u for %u columns",
                     i + 1,
                     v->rows_len[i] > ins->cols_count ? "too many" : "too few",
                     v->rows_len[i],
                     ins->cols_count);
        if (!ast->columns && v->rows_len[i] < ins->cols_count)
            dn_err_hint(err,
                        "List the columns that have values: INSERT INTO %s (…) VALUES …",
                        ins->table->name);
        dn_err_at(err, v->rows_pos[i]);
        return rc;
    }
    return 0;
}

int stmt_compile_insert(struct dendro_stmt *stmt, const struct insert_stmt *ast, struct dn_err *err)
{
    const struct table *t = session_table(stmt->conn, stmt->catalog, &ast->table, err);
    struct intake_target *ins = &stmt->insert;
    int rc;

    if (!t)
        return err->code;
    rc = intake_target_columns(ins, t, ast->columns, ast->columns_count, &stmt->compiled, err);
    if (rc == 0)
        rc = ins_check_counts(ins, ast, err);
    if (rc < 0)
        return rc;
    rc = intake_target_unlisted(ins, err);
    if (rc < 0)
        dn_err_at(err, ast->columns ? ast->columns[0].pos : ast->table.pos);
    return rc;
}

/* ---- run ---- */

struct ins_run {
    struct dendro_stmt *stmt;
    const struct values_rows *values;
    const struct table *table;
    struct intake rows;
    struct arena scratch; /* reset after each row */
    struct plan_env env;  /* of expressions */
    bool scratch_used;
};

/* A value that is neither literal nor parameter. */
static int
ins_eval(struct ins_run *r, const struct expr *e, struct intake_value *ret, struct dn_err *err)
{
    struct eval ev = {.arena = &r->scratch, .now_ns = r->env.now_ns};
    struct bexpr *b;
    int rc = plan_value_expr(&r->env, e, "VALUES", &b, err);

    r->scratch_used = true;
    if (rc < 0)
        return rc;
    ret->untyped = b->type == TYPE_NONE;
    ret->loose = b->kind == BEXPR_CALL && (b->func->flags & FUNC_STABLE);
    if (b->kind == BEXPR_CONST) {
        ret->d = b->value;
        return 0;
    }
    return expr_eval_datum(b, &ev, &ret->d, err);
}

static int
ins_value(struct ins_run *r, const struct expr *e, struct intake_value *ret, struct dn_err *err)
{
    ret->loose = false;
    if (e->kind == EXPR_LITERAL) {
        ret->d = e->value;
        ret->untyped = e->value.type == TYPE_VARCHAR;
        return 0;
    }
    if (e->kind == EXPR_PARAM) {
        ret->d = r->stmt->params[e->param - 1].value;
        ret->untyped = r->stmt->params[e->param - 1].untyped;
        return 0;
    }
    return ins_eval(r, e, ret, err);
}

static int ins_cell(
    struct ins_run *r, const struct expr *e, uint16_t col, struct datum *ret, struct dn_err *err)
{
    struct intake_value v;
    int rc;

    if (!e) /* DEFAULT */
        return intake_default(r->table, col, ret, err);
    rc = ins_value(r, e, &v, err);
    if (rc < 0)
        return rc;
    r->scratch_used = r->scratch_used || v.untyped;
    return intake_assign(r->table, col, &v, &r->scratch, ret, err);
}

static int ins_row(struct ins_run *r, uint32_t row, struct dn_err *err)
{
    const struct intake_target *ins = &r->stmt->insert;
    struct datum d;
    int rc;

    intake_begin_row(&r->rows);
    for (uint32_t i = 0; i < ins->cols_count; i++) {
        const struct expr *e = r->values->rows[row][i];
        uint16_t col = ins->cols[i];

        rc = ins_cell(r, e, col, &d, err);
        if (rc == 0)
            rc = intake_put(&r->rows, col, &d, err);
        if (rc < 0) {
            if (rc != DN_E_NOMEM)
                dn_err_prefix(err, "row %u, column \"%s\"", row + 1, r->table->columns[col].name);
            dn_err_at(err, e ? e->pos : r->values->rows_pos[row]);
            return rc;
        }
    }
    intake_end_row(&r->rows);
    if (r->scratch_used)
        arena_reset(&r->scratch);
    r->scratch_used = false;
    return 0;
}

static int ins_rows(struct ins_run *r, struct dn_err *err)
{
    int rc;

    if (!intake_reserve(&r->rows, r->values->rows_count))
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < r->values->rows_count; row++) {
        if (row % INS_CANCEL_ROWS == 0 && atomic_load(&r->stmt->conn->cancel))
            return DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
        rc = ins_row(r, row, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int ins_params(struct ins_run *r, struct dn_err *err)
{
    uint32_t n = r->stmt->ast->params_count;
    struct datum *literals = arena_alloc_array(&r->rows.strings, n + 1, sizeof(*literals));
    bool *untyped = arena_alloc_array(&r->rows.strings, n + 1, sizeof(*untyped));

    if (!literals || !untyped)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++) {
        literals[i] = r->stmt->params[i].value;
        untyped[i] = r->stmt->params[i].untyped;
    }
    r->env.literals = literals;
    r->env.literals_untyped = untyped;
    r->env.literals_count = n;
    return 0;
}

int stmt_run_insert(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct ins_run r = {.stmt = stmt,
                        .values = &stmt_inner(stmt)->insert->query->values,
                        .table = stmt->insert.table};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    arena_init(&r.scratch, &stmt->owner);
    r.env = session_plan_env(stmt->conn, stmt->catalog, &r.scratch);
    rc = intake_init(&r.rows, &stmt->insert, &stmt->owner, err);
    if (rc == 0)
        rc = ins_params(&r, err);
    if (rc == 0)
        rc = ins_rows(&r, err);
    if (rc == 0)
        rc = intake_commit(&r.rows, stmt->conn, err);
    if (rc == 0)
        stmt->rows_count = r.values->rows_count;
    intake_done(&r.rows);
    arena_done(&r.scratch);
    return rc;
}

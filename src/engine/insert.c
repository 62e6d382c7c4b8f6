/* SPDX-License-Identifier: Apache-2.0
 *
 * insert.c: INSERT … VALUES. Values go straight into column buffers, each checked on the way:
 * literals and parameters without an expression in between, the rest through the binder. Nothing is
 * written before the last value of the last row is good; then all rows are one commit. Errors name
 * row (the first is 1) and column and point at the value. */
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/stmt_ops.h"
#include "engine/ttl.h"

#include "plan/plan.h"
#include "plan/writable.h"

#include <inttypes.h>
#include <stdio.h>

#define INS_CANCEL_ROWS 1024u /* how often cancel is looked at */

/* ---- compile ---- */

static int
ins_check_counts(struct intake_target *ins, const struct insert_stmt *ast, struct dn_err *err)
{
    const struct values_rows *v = &ast->query->values;

    if (!ast->columns && v->rows_len[0] > 0)
        intake_target_first(ins, v->rows_len[0]);
    for (uint32_t i = 0; i < v->rows_count; i++) {
        int rc;

        if (v->rows_len[i] == ins->cols_count)
            continue;
        rc = DN_FAIL(err,
                     DN_E_ENTRY_COUNT,
                     v->rows_len[i] > ins->cols_count
                         ? "INSERT has more expressions than target columns"
                         : "INSERT has more target columns than expressions");
        dn_err_hint(err,
                    "Row %u has %u values for %u columns.%s",
                    i + 1,
                    v->rows_len[i],
                    ins->cols_count,
                    !ast->columns && v->rows_len[i] < ins->cols_count
                        ? " List those that have values: INSERT INTO t (…) VALUES …"
                        : "");
        dn_err_at(err, v->rows_pos[i]);
        return rc;
    }
    return 0;
}

static bool ins_has_query(const struct expr *e)
{
    if (!e)
        return false;
    if (e->kind == EXPR_QUERY || e->kind == EXPR_EXISTS || e->kind == EXPR_ARRAY_QUERY ||
        ((e->kind == EXPR_IN || e->kind == EXPR_ANY) && e->query))
        return true;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (ins_has_query(e->args[i]))
            return true;
    return ins_has_query(e->a) || ins_has_query(e->b) || ins_has_query(e->c);
}

/* The values with queries in them, as the select list of one query that runs before the rest. */
static int ins_compile_queries(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    const struct values_rows *v = &ast->insert->query->values;
    struct select_core *core;
    struct query *q;
    uint32_t n = 0;

    for (uint32_t i = 0; i < v->rows_count; i++)
        for (uint32_t k = 0; k < v->rows_len[i]; k++)
            n += v->rows[i][k] && v->rows[i][k]->kind != EXPR_LITERAL &&
                 ins_has_query(v->rows[i][k]);
    if (n == 0)
        return 0;
    q = arena_calloc(&stmt->compiled, 1, sizeof(*q));
    core = arena_calloc(&stmt->compiled, 1, sizeof(*core));
    if (!q || !core)
        return DN_FAIL_NOMEM(err);
    core->items = arena_calloc(&stmt->compiled, n, sizeof(*core->items));
    if (!core->items)
        return DN_FAIL_NOMEM(err);
    core->pos = q->pos = ast->insert->query->pos;
    q->kind = QUERY_SELECT;
    q->core = core;
    for (uint32_t i = 0; i < v->rows_count; i++)
        for (uint32_t k = 0; k < v->rows_len[i]; k++) {
            struct expr *e = v->rows[i][k];

            if (e && e->kind != EXPR_LITERAL && ins_has_query(e))
                core->items[core->items_count++] =
                    (struct select_item){.expr = e, .pos = e->pos, .end = e->pos, .alias = "value"};
        }
    stmt->reads = q;
    return plan_query(&env, ast, ast->insert->with, q, &stmt->plan, err);
}

/* VALUES that are all of the query; NULL rows: DEFAULT VALUES. */
static bool ins_is_values(const struct query *q)
{
    return !q || (q->kind == QUERY_VALUES && !q->with && q->order_by_count == 0 && !q->limit &&
                  !q->offset);
}

/* GENERATED ALWAYS: nobody gives it a value, unless OVERRIDING SYSTEM VALUE says so. */
static int
ins_generated(const struct intake_target *ins, const struct insert_stmt *s, struct dn_err *err)
{
    bool values = ins_is_values(s->query);

    for (uint32_t i = 0; s->query && i < ins->cols_count; i++) {
        const struct column *c = &ins->table->columns[ins->cols[i]];
        const struct expr *given = NULL;
        int rc;

        if (c->source < COLUMN_ALWAYS ||
            (c->source == COLUMN_ALWAYS && s->overriding != OVERRIDING_NONE))
            continue;
        for (uint32_t row = 0; values && !given && row < s->query->values.rows_count; row++)
            given = s->query->values.rows[row][i];
        if (values && !given)
            continue;
        rc = DN_FAIL(
            err, DN_E_GENERATED, "cannot insert a non-DEFAULT value into column \"%s\"", c->name);
        dn_err_hint(err,
                    c->source == COLUMN_STORED
                        ? "Column \"%s\" is a generated column."
                        : "Column \"%s\" is an identity column defined as GENERATED ALWAYS. Use "
                          "OVERRIDING SYSTEM VALUE to override.",
                    c->name);
        dn_err_at(err, given ? given->pos : s->query->pos);
        return rc;
    }
    return 0;
}

/* Through a view: the table's columns behind those of the view, which are all there are if none are
 * listed. */
static int ins_view_columns(struct dendro_stmt *stmt,
                            const struct insert_stmt *s,
                            const struct plan_writable *w,
                            struct dn_err *err)
{
    uint32_t count = s->columns ? s->columns_count : w->view->columns_count;
    struct spec_name *names = arena_calloc(&stmt->compiled, (size_t)count + 1, sizeof(*names));
    uint32_t given = s->query && s->query->kind == QUERY_VALUES ? s->query->values.rows_len[0] : 0;
    int rc = 0;

    if (!names)
        return DN_FAIL_NOMEM(err);
    if (!s->query)
        count = 0;
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct spec_name name = {.s = w->view->columns[i].name, .pos = s->table.pos};
        uint32_t shown;
        uint16_t col;

        if (!s->columns && i >= given && w->cols[i] < 0) {
            count = i; /* nobody gives it a value */
            break;
        }
        rc = plan_writable_column(
            w, "insert into", s->columns ? &s->columns[i] : &name, &shown, &col, err);
        if (rc == 0)
            names[i] = (struct spec_name){.s = w->table->columns[col].name,
                                          .pos = s->columns ? s->columns[i].pos : s->table.pos};
    }
    if (rc == 0 && s->conflict.action != CONFLICT_NONE) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "ON CONFLICT is not supported for views yet");
        dn_err_at(err, s->conflict.pos);
    }
    return rc < 0
               ? rc
               : intake_target_columns(&stmt->insert, w->table, names, count, &stmt->compiled, err);
}

/* The table, and which columns of it get values. */
static int ins_target(struct dendro_stmt *stmt,
                      const struct plan_env *env,
                      const struct insert_stmt *s,
                      struct dn_err *err)
{
    static const struct spec_name none = {.s = NULL};
    struct catalog_relation r = {.table = NULL};
    struct plan_writable *w;
    const struct table *t;
    bool named;
    int rc = session_relation(stmt->conn, stmt->catalog, &s->table, &r, err);

    if (rc == DN_E_UNDEFINED_SCHEMA) { /* to PostgreSQL it is the relation that is missing */
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_TABLE,
                     "relation \"%s.%s\" does not exist",
                     s->table.schema,
                     s->table.name);
        dn_err_hint(err, "There is no schema \"%s\".", s->table.schema);
        dn_err_at(err, s->table.pos);
    }
    if (rc == 0 && r.view) {
        rc = plan_writable(env, r.view, "insert into", PRIVILEGE_BIT(PRIVILEGE_INSERT), &w, err);
        if (rc < 0)
            dn_err_at(err, s->table.pos);
        if (rc == 0)
            rc = ins_view_columns(stmt, s, w, err);
        stmt->insert.named = rc == 0 && w->table->parent != 0;
        return rc;
    }
    if (rc < 0)
        return rc;
    t = session_target(stmt->conn, stmt->catalog, &s->table, &named, err);
    if (!t)
        return err->code;
    rc = intake_target_columns(
        &stmt->insert, t, s->query ? s->columns : &none, s->columns_count, &stmt->compiled, err);
    stmt->insert.named = named;
    return rc;
}

int stmt_compile_insert(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    const struct insert_stmt *s = ast->insert;
    struct intake_target *ins = &stmt->insert;
    int rc = ins_target(stmt, &env, s, err);

    if (rc == 0)
        rc = intake_target_bind(ins, &env, err);
    if (rc == 0 && !ins_is_values(s->query))
        rc = stmt_compile_insert_query(stmt, ast, err);
    else if (rc == 0 && s->query)
        rc = ins_check_counts(ins, s, err);
    if (rc == 0)
        rc = ins_generated(ins, s, err);
    if (rc < 0)
        return rc;
    rc = intake_target_unlisted(ins, err);
    if (rc < 0) {
        dn_err_at(err, s->columns ? s->columns[0].pos : s->table.pos);
        return rc;
    }
    if (s->query && !stmt->plan)
        rc = ins_compile_queries(stmt, ast, err);
    if (rc == 0)
        rc = stmt_compile_conflict(stmt, ast, err);
    if (rc == 0)
        rc = stmt_compile_option(stmt, ast, err);
    return rc < 0 ? rc : stmt_compile_returning(stmt, ast, ins->table, err);
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
    bool user;           /* OVERRIDING USER VALUE */
    struct datum *found; /* values of queries, in the order of the text; in rows.strings */
    const struct plan_col *found_cols;
    uint32_t found_used;
};

/* A value that is neither literal nor parameter. */
static int
ins_eval(struct ins_run *r, const struct expr *e, struct intake_value *ret, struct dn_err *err)
{
    struct eval ev = plan_eval(&r->env, &r->scratch, NULL, 0);
    struct bexpr *b;
    int rc = plan_value_expr(&r->env, e, "VALUES", &b, err);

    r->scratch_used = true;
    if (rc < 0)
        return rc;
    ret->untyped = b->type == TYPE_NONE;
    ret->digits = plan_expr_digits(b);
    if (b->kind == BEXPR_CONST) {
        ret->d = b->value;
        return 0;
    }
    return expr_eval_datum(b, &ev, &ret->d, err);
}

static int
ins_value(struct ins_run *r, const struct expr *e, struct intake_value *ret, struct dn_err *err)
{
    ret->digits = (struct plan_digits){.clock = false};
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
    if (r->found && ins_has_query(e)) {
        ret->digits = r->found_cols[r->found_used].digits;
        ret->d = r->found[r->found_used++];
        ret->untyped = false;
        return 0;
    }
    return ins_eval(r, e, ret, err);
}

/* The queries among the values. */
static int ins_find(struct ins_run *r, struct dn_err *err)
{
    struct dendro_stmt *stmt = r->stmt;
    const struct plan *plan;
    struct batch b;
    int rc;

    if (!stmt->plan)
        return 0;
    plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    r->found_cols = plan->cols;
    r->found = arena_calloc(&r->rows.strings, (size_t)plan->cols_count + 1, sizeof(*r->found));
    if (!r->found)
        return DN_FAIL_NOMEM(err);
    rc = exec_open(plan, &stmt->ctx, &stmt->root, err);
    if (rc == 0)
        rc = exec_next(stmt->root, &b, err);
    for (uint32_t i = 0; rc == 0 && i < plan->cols_count; i++) {
        struct datum d = vec_datum(&b.cols[i], b.sel ? b.sel[0] : 0);

        if (!datum_copy(&r->rows.strings, &d, &r->found[i]))
            rc = DN_FAIL_NOMEM(err);
    }
    exec_close(stmt->root);
    stmt->root = NULL;
    return rc;
}

static int ins_cell(
    struct ins_run *r, const struct expr *e, uint16_t col, struct datum *ret, struct dn_err *err)
{
    struct intake_value v;
    int rc;

    if (!e && r->table->columns[col].source == COLUMN_STORED) { /* computed later */
        *ret = (struct datum){.type = r->table->columns[col].type, .null = true};
        return 0;
    }
    if (!e) { /* DEFAULT */
        r->scratch_used = true;
        return intake_default(&r->stmt->insert, col, &r->rows.run, &r->scratch, ret, err);
    }
    rc = ins_value(r, e, &v, err);
    if (rc < 0)
        return rc;
    r->scratch_used = r->scratch_used || v.untyped;
    return intake_assign(r->table, col, &v, r->env.session, &r->scratch, ret, err);
}

/* Errors whose text and position say it all where there is one row: as PostgreSQL has them. */
static bool ins_says_all(int rc)
{
    return rc == DN_E_NOT_NULL || rc == DN_E_BAD_TEXT || rc == DN_E_BAD_DATETIME ||
           rc == DN_E_DIVISION_BY_ZERO || rc == DN_E_TOO_LONG || rc == DN_E_UNDEFINED_COLUMN;
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

        if (r->user && column_is_identity(&r->table->columns[col]))
            e = NULL; /* DEFAULT */
        rc = ins_cell(r, e, col, &d, err);
        if (rc == 0)
            rc = intake_put(&r->rows, col, &d, err);
        if (rc < 0) {
            if (rc != DN_E_NOMEM && (r->values->rows_count > 1 || !ins_says_all(rc)))
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

    if (!r->values) { /* DEFAULT VALUES: one row, nothing listed */
        intake_begin_row(&r->rows);
        intake_end_row(&r->rows);
        return 0;
    }
    if (!intake_reserve(&r->rows, r->values->rows_count))
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < r->values->rows_count; row++) {
        rc = row % INS_CANCEL_ROWS ? 0 : session_check_cancel(r->stmt->conn, err);
        if (rc == 0)
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

static int ins_once(struct dendro_stmt *stmt, int tries DN_UNUSED, struct dn_err *err)
{
    const struct query *q = stmt_inner(stmt)->insert->query;
    struct ins_run r = {.stmt = stmt, .values = q ? &q->values : NULL};
    uint64_t written = 0;
    int rc = 0;

    if (!ins_is_values(q))
        return stmt_run_insert_query(stmt, err);
    if (stmt->plan || stmt->returning || stmt->conflict || stmt->option)
        rc = stmt_begin(stmt, stmt_inner(stmt), err);
    if (rc < 0)
        return rc;
    r.table = stmt->insert.table;
    r.user = stmt_inner(stmt)->insert->overriding == OVERRIDING_USER;
    arena_init(&r.scratch, &stmt->owner);
    r.env = stmt_plan_env(stmt, &r.scratch);
    rc = intake_init(&r.rows, &stmt->insert, &stmt->owner, err);
    session_intake_run(stmt->conn, &r.rows.run);
    if (rc == 0)
        rc = stmt_expiry(stmt, r.table, stmt_inner(stmt)->insert->ttl, &r.rows.expiry_ns, err);
    if (rc == 0)
        rc = ins_params(&r, err);
    if (rc == 0)
        rc = ins_find(&r, err);
    if (rc == 0)
        rc = ins_rows(&r, err);
    if (rc == 0)
        rc = stmt_write_intake(stmt, &r.rows, &written, err);
    stmt->rows_count = stmt_returns(stmt) ? 0 : written; /* those returned count as they go */
    intake_done(&r.rows);
    arena_done(&r.scratch);
    return rc;
}

int stmt_run_insert(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    return stmt->conflict ? stmt_retry(stmt, ins_once, err) : ins_once(stmt, 0, err);
}

/* ---- the row of INSERT ---- */

/* ON CONFLICT looks for rows by the columns of its target, and DO UPDATE changes those of SET; what
 * expressions read is asked by the planner. */
static int
privilege_conflict(const struct dendro_stmt *stmt, const struct insert_stmt *s, struct dn_err *err)
{
    const uint32_t select = PRIVILEGE_BIT(PRIVILEGE_SELECT);
    const uint32_t update = PRIVILEGE_BIT(PRIVILEGE_UPDATE);
    const struct conflict_clause *c = &s->conflict;
    struct catalog_relation r = {.table = NULL};
    struct dn_err ignored;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < c->target_count; i++) {
        struct spec_name column = {.s = c->target[i].expr->name, .pos = c->target[i].expr->pos};

        if (column.s)
            rc = privilege_columns(stmt, &s->table, &column, 1, select, err);
    }
    if (c->constraint.s)
        DN_IGNORE(session_relation(
            stmt->conn, stmt->catalog, &s->table, &r, &ignored)); /* the statement's own error */
    for (uint16_t i = 0; rc == 0 && r.table && i < r.table->columns_count; i++) {
        struct spec_name column = {.s = r.table->columns[i].name};

        if (r.table->columns[i].key_pos > 0)
            rc = privilege_columns(stmt, &s->table, &column, 1, select, err);
    }
    for (uint32_t i = 0; rc == 0 && i < c->set_count; i++) {
        const struct set_item *set = &c->set[i];

        rc = privilege_columns(stmt,
                               &s->table,
                               set->columns ? set->columns : &set->column,
                               set->columns ? set->columns_count : 1,
                               update,
                               err);
    }
    return rc;
}

static int
insert_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    const struct insert_stmt *s = ast->insert;
    /* DEFAULT VALUES gives no column a value: a right on any of them will do. */
    static const struct spec_name none;
    bool defaults = !s->columns && !s->query;
    int rc = privilege_columns(stmt,
                               &s->table,
                               defaults ? &none : s->columns,
                               defaults ? 0 : s->columns_count,
                               PRIVILEGE_BIT(PRIVILEGE_INSERT),
                               err);

    return rc < 0 ? rc : privilege_conflict(stmt, s, err);
}

static int insert_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt_compile_insert(stmt, stmt->ast, err);
}

static void insert_tag(const struct dendro_stmt *stmt, char *to, size_t size)
{
    snprintf(to, size, "INSERT 0 %" PRIu64, stmt->rows_count); /* 0: the OID of old protocols */
}

STMT_NAME(insert, "INSERT")
STMT_OPS(insert,
         stmt_name_insert,
         insert_tag,
         stmt_class_mod,
         stmt_use_writes,
         insert_privilege,
         insert_compile,
         stmt_run_insert);

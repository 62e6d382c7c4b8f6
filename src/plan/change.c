/* SPDX-License-Identifier: Apache-2.0
 *
 * change.c: UPDATE and DELETE to a plan that finds their rows:
 *
 *     SCAN [FILTER] [PROJECT]
 *
 * For each row it returns what says which row it is (a DELETE, and an UPDATE of single fields), or
 * the whole row (an UPDATE that writes it anew), for tables without a key the row id, and then the
 * values of the SET expressions. A literal or parameter alone is not planned: it is assigned as by
 * INSERT, where a quoted literal may stand for a number or a time. */
#include "plan/select_int.h"

#include "base/text.h"

struct change {
    struct sel s;
    const struct change_stmt *ast;
    struct plan_change *out;
};

/* Is the column part of what says where a row lives and which one it is? */
static bool change_places(const struct table *t, uint16_t col)
{
    return t->columns[col].key_pos > 0 || t->time_col == (int)col;
}

/* ---- SET ---- */

static int change_set_column(struct change *c, const struct set_item *item, struct dn_err *err)
{
    const struct table *t = c->s.b.table;
    struct plan_set *set = &c->out->sets[c->out->sets_count];
    int col = bind_table_column(t, item->column.s, item->column.pos, err);
    int rc;

    if (col < 0)
        return err ? err->code : DN_E_UNDEFINED_COLUMN;
    for (uint32_t i = 0; i < c->out->sets_count; i++) {
        if (c->out->sets[i].col != (uint16_t)col)
            continue;
        rc =
            DN_FAIL(err, DN_E_DUPLICATE_COLUMN, "column \"%s\" is set twice", t->columns[col].name);
        dn_err_at(err, item->column.pos);
        return rc;
    }
    *set = (struct plan_set){.col = (uint16_t)col,
                             .at = PLAN_NO_COL,
                             .value = item->expr,
                             .pos = item->expr ? item->expr->pos : item->column.pos};
    c->out->sets_count++;
    c->out->moves = c->out->moves || change_places(t, set->col);
    return 0;
}

static int change_sets(struct change *c, struct dn_err *err)
{
    int rc = 0;

    c->out->sets =
        arena_calloc(c->s.b.env->arena, (size_t)c->ast->set_count + 1, sizeof(*c->out->sets));
    if (!c->out->sets)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < c->ast->set_count; i++)
        rc = change_set_column(c, &c->ast->set[i], err);
    return rc;
}

static int change_set_expr(struct change *c, struct plan_set *set, struct dn_err *err)
{
    const struct column *col = &c->s.b.table->columns[set->col];
    struct bexpr *e;
    int rc;

    if (!set->value || set->value->kind == EXPR_LITERAL || set->value->kind == EXPR_PARAM)
        return 0;
    rc = bind_expr(&c->s.b, set->value, &e, err);
    if (rc == 0)
        rc = bind_settle(&c->s.b, e, &e, err);
    if (rc < 0)
        return rc;
    if (e->type != TYPE_NONE && !plan_assignable(col->type, e->type)) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "column \"%s\" is %s, and this is %s",
                     col->name,
                     type_name(col->type),
                     type_name(e->type));
        dn_err_hint(err, "CAST(… AS %s) says how it is meant.", type_name(col->type));
        dn_err_at(err, set->pos);
        return rc;
    }
    set->loose = e->kind == BEXPR_CALL && (e->func->flags & FUNC_STABLE);
    set->at = c->s.outs_count;
    set->value = NULL;
    c->s.outs[c->s.outs_count++] = (struct sel_out){.e = e, .name = col->name};
    return 0;
}

/* ---- old values ---- */

static int change_old(struct change *c, uint32_t store_col, struct dn_err *err)
{
    const struct table *t = c->s.b.table;
    struct bexpr *e = bind_new(&c->s.b, BEXPR_COLUMN, store_col_type(t, store_col), 0);

    if (!e)
        return DN_FAIL_NOMEM(err);
    e->col = bind_scan_col(&c->s.b, (uint16_t)store_col);
    c->out->cols[c->out->cols_count++] = (uint16_t)store_col;
    c->s.outs[c->s.outs_count++] = (struct sel_out){
        .e = e, .name = store_col < t->columns_count ? t->columns[store_col].name : "row id"};
    return 0;
}

static int change_olds(struct change *c, enum stmt_kind kind, struct dn_err *err)
{
    const struct table *t = c->s.b.table;
    struct arena *arena = c->s.b.env->arena;
    size_t cap = (size_t)store_cols_count(t) + c->ast->set_count;
    int rc = 0;

    c->out->whole = kind == STMT_UPDATE && (t->upsert == UPSERT_ROW || c->out->moves);
    c->out->cols = arena_alloc_array(arena, cap, sizeof(*c->out->cols));
    c->s.outs = arena_alloc_array(arena, cap, sizeof(*c->s.outs));
    if (!c->out->cols || !c->s.outs)
        return DN_FAIL_NOMEM(err);
    c->s.outs_cap = (uint32_t)cap;
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++)
        if (c->out->whole || change_places(t, i))
            rc = change_old(c, i, err);
    if (rc == 0 && t->form == KEY_NONE)
        rc = change_old(c, t->columns_count + (uint32_t)HIDDEN_ROWID, err);
    return rc;
}

static int change_bind(struct change *c, enum stmt_kind kind, struct dn_err *err)
{
    int rc = change_sets(c, err);

    if (rc == 0)
        rc = change_olds(c, kind, err);
    c->s.b.clause = "SET";
    for (uint32_t i = 0; rc == 0 && i < c->out->sets_count; i++)
        rc = change_set_expr(c, &c->out->sets[i], err);
    c->s.shown_count = c->s.outs_count;
    c->s.b.clause = "WHERE";
    if (rc == 0 && c->ast->where)
        rc = bind_bool(&c->s.b, c->ast->where, &c->s.where, err);
    return rc;
}

int plan_change(const struct plan_env *env,
                const struct stmt *stmt,
                struct plan **ret,
                struct dn_err *err)
{
    const struct change_stmt *ast = stmt->change;
    struct plan *p = arena_calloc(env->arena, 1, sizeof(*p));
    struct select_stmt from = {
        .has_from = true, .from = ast->table, .from_alias = ast->alias, .where = ast->where};
    struct change c = {
        .ast = ast,
        .out = arena_calloc(env->arena, 1, sizeof(*c.out)),
        .s = {.sel = &from, .b = {.env = env, .stmt = stmt, .params_count = stmt->params_count}}};
    int rc;

    if (!p || !c.out)
        return DN_FAIL_NOMEM(err);
    p->change = c.out;
    p->params_count = stmt->params_count;
    p->param_types = arena_calloc(env->arena, stmt->params_count + 1, sizeof(*p->param_types));
    if (!p->param_types)
        return DN_FAIL_NOMEM(err);
    c.s.b.param_types = p->param_types;
    rc = plan_from(&c.s, p, err);
    if (rc == 0)
        rc = change_bind(&c, stmt->kind, err);
    if (rc == 0)
        rc = plan_stack(&c.s, p, err);
    if (rc < 0) {
        plan_done(p);
        return rc;
    }
    *ret = p;
    return 0;
}

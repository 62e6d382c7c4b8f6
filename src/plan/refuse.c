/* SPDX-License-Identifier: Apache-2.0
 *
 * refuse.c: a walk over a statement that stops at the first thing which is parsed but cannot be
 * executed yet. Whoever implements one takes its line out here. Recursion is bounded by
 * SQL_DEPTH_MAX. */
#include "plan/refuse.h"

#include <string.h>

static int refuse(const char *what, uint32_t pos, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_UNSUPPORTED, "%s is not supported yet", what);

    dn_err_at(err, pos);
    return rc;
}

/* ---- expressions ---- */

static int refuse_type_name(const struct type_name *t, struct dn_err *err)
{
    char upper[64] = "";
    int rc;

    for (size_t i = 0; t->name[i] && i + 1 < sizeof(upper); i++)
        upper[i] =
            (char)(t->name[i] >= 'a' && t->name[i] <= 'z' ? t->name[i] - 'a' + 'A' : t->name[i]);
    rc = DN_FAIL(err, DN_E_UNSUPPORTED, "the type %s is not supported yet", upper);
    dn_err_at(err, t->pos);
    return rc;
}

static int refuse_cast_type(const struct type_name *t, struct dn_err *err)
{
    if (!t)
        return 0;
    if (t->type == TYPE_NONE)
        return strcmp(t->name, "regclass") == 0 ? 0 : refuse_type_name(t, err);
    return 0;
}

static int refuse_expr(const struct expr *e, struct dn_err *err);

static int refuse_call(const struct expr *e, struct dn_err *err)
{
    const struct call_ext *x = e->ext;
    int rc = 0;

    if (e->schema && strcmp(e->schema, "pg_catalog") != 0 &&
        strcmp(e->schema, "information_schema") != 0)
        return refuse("a function with its schema", e->pos, err);
    if (!x)
        return 0;
    for (uint32_t i = 0; rc == 0 && i < x->order_by_count; i++)
        rc = refuse_expr(x->order_by[i].expr, err);
    return rc;
}

static int refuse_node(const struct expr *e, struct dn_err *err)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return 0;
    case EXPR_STAR:
        return e->a ? refuse("this form of *", e->pos, err) : 0;
    case EXPR_ANY:
        return 0;
    case EXPR_CALL:
        return refuse_call(e, err);
    case EXPR_CAST:
        return refuse_cast_type(e->type_name, err);
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_LIKE:
    case EXPR_IS:
    case EXPR_BETWEEN:
    case EXPR_COLLATE:
    case EXPR_COLUMN:
    case EXPR_IN:
    case EXPR_PARAM:
    case EXPR_IS_NULL:
    case EXPR_CASE:
    case EXPR_DISTINCT:
    case EXPR_QUERY:
    case EXPR_EXISTS:
    case EXPR_ROW:
    case EXPR_ARRAY:
    case EXPR_ARRAY_QUERY:
    case EXPR_SUBSCRIPT:
    case EXPR_FIELD:
    case EXPR_NAMED_ARG:
    case EXPR_KIND_MAX:
        break;
    }
    return 0;
}

static int refuse_exprs(struct expr *const *list, uint32_t count, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = refuse_expr(list[i], err);
    return rc;
}

static int refuse_query(const struct query *q, struct dn_err *err);

static int refuse_expr(const struct expr *e, struct dn_err *err)
{
    bool query;
    int rc;

    if (!e)
        return 0;
    query = e->kind == EXPR_QUERY || e->kind == EXPR_EXISTS ||
            ((e->kind == EXPR_IN || e->kind == EXPR_ANY) && e->query);
    rc = refuse_node(e, err);
    if (rc == 0 && query)
        rc = refuse_query(e->query, err);
    if (rc == 0)
        rc = refuse_expr(e->a, err);
    if (rc == 0)
        rc = refuse_expr(e->b, err);
    if (rc == 0)
        rc = refuse_expr(e->c, err);
    if (rc == 0)
        rc = refuse_exprs(e->args, e->args_count, err);
    return rc;
}

/* ---- queries ---- */

static int refuse_with(const struct with_clause *with, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; with && rc == 0 && i < with->ctes_count; i++)
        rc = with->ctes[i].query ? refuse_query(with->ctes[i].query, err)
                                 : plan_refuse(with->ctes[i].change, err);
    return rc;
}

static int refuse_items(const struct select_item *items, uint32_t count, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = refuse_expr(items[i].expr, err);
    return rc;
}

static int refuse_from_item(const struct from_item *f, struct dn_err *err)
{
    int rc;

    switch (f->kind) {
    case FROM_QUERY:
        return refuse_query(f->query, err);
    case FROM_FUNCTION:
        rc = f->call ? refuse_expr(f->call, err) : 0;
        for (uint32_t i = 0; rc == 0 && i < f->calls_count; i++)
            rc = refuse_expr(f->calls[i], err);
        return rc;
    case FROM_JOIN:
        rc = refuse_from_item(f->left, err);
        if (rc == 0)
            rc = refuse_from_item(f->right, err);
        return rc < 0 ? rc : refuse_expr(f->on, err);
    case FROM_TABLE:
        rc = f->sample ? refuse_expr(f->sample->seed, err) : 0;
        for (uint32_t i = 0; rc == 0 && f->sample && i < f->sample->args_count; i++)
            rc = refuse_expr(f->sample->args[i], err);
        return rc;
    case FROM_FILE:
    case FROM_KIND_MAX:
        break;
    }
    return 0;
}

static int refuse_from(struct from_item *const *from, uint32_t count, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = refuse_from_item(from[i], err);
    return rc;
}

static int refuse_group(const struct group_item *g, struct dn_err *err)
{
    int rc = g->expr ? refuse_expr(g->expr, err) : 0;

    for (uint32_t i = 0; rc == 0 && i < g->items_count; i++)
        rc = refuse_group(&g->items[i], err);
    return rc;
}

static int refuse_groups(const struct select_core *s, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < s->group_by_count; i++)
        rc = refuse_group(&s->group_by[i], err);
    return rc;
}

static int refuse_core(const struct select_core *s, struct dn_err *err)
{
    int rc;

    rc = refuse_items(s->items, s->items_count, err);
    if (rc == 0)
        rc = refuse_from(s->from, s->from_count, err);
    if (rc == 0)
        rc = refuse_expr(s->where, err);
    if (rc == 0)
        rc = refuse_groups(s, err);
    if (rc == 0)
        rc = refuse_expr(s->having, err);
    return rc;
}

static int refuse_values(const struct values_rows *v, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < v->rows_count; i++)
        for (uint32_t j = 0; rc == 0 && j < v->rows_len[i]; j++)
            if (v->rows[i][j] && v->rows[i][j]->kind != EXPR_LITERAL)
                rc = refuse_expr(v->rows[i][j], err);
    return rc;
}

static int refuse_query(const struct query *q, struct dn_err *err)
{
    int rc = refuse_with(q->with, err);

    if (rc == 0 && q->kind == QUERY_SET) {
        rc = refuse_query(q->left, err);
        if (rc == 0)
            rc = refuse_query(q->right, err);
    }
    if (rc == 0 && q->kind == QUERY_VALUES)
        rc = refuse_values(&q->values, err);
    if (rc == 0 && q->kind == QUERY_SELECT)
        rc = refuse_core(q->core, err);
    for (uint32_t i = 0; rc == 0 && i < q->order_by_count; i++) {
        rc = refuse_expr(q->order_by[i].expr, err);
    }
    if (rc == 0)
        rc = refuse_expr(q->limit, err);
    if (rc == 0)
        rc = refuse_expr(q->offset, err);
    return rc;
}

/* ---- INSERT, UPDATE, DELETE ---- */

static int refuse_sets(const struct set_item *set, uint32_t count, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = refuse_expr(set[i].expr, err);
    return rc;
}

static int refuse_conflict(const struct conflict_clause *c, struct dn_err *err)
{
    int rc = refuse_sets(c->set, c->set_count, err);

    for (uint32_t i = 0; rc == 0 && i < c->set_count; i++) {
        if (c->set[i].place)
            rc = refuse("SET of an element in ON CONFLICT", c->set[i].column.pos, err);
    }
    if (rc == 0 && c->target_where)
        rc = refuse("ON CONFLICT with a condition on the index", c->pos, err);
    for (uint32_t i = 0; rc == 0 && i < c->target_count; i++)
        if (c->target[i].expr->kind != EXPR_COLUMN || c->target[i].collation ||
            c->target[i].opclass)
            rc = refuse("ON CONFLICT for anything but columns", c->pos, err);
    return rc < 0 ? rc : refuse_expr(c->where, err);
}

static int refuse_insert(const struct insert_stmt *s, struct dn_err *err)
{
    int rc = refuse_with(s->with, err);

    if (rc < 0)
        return rc;
    rc = refuse_conflict(&s->conflict, err);
    if (rc < 0)
        return rc;
    rc = s->query ? refuse_query(s->query, err) : 0;
    return rc < 0 ? rc : refuse_items(s->returning, s->returning_count, err);
}

static int refuse_change(const struct change_stmt *s, struct dn_err *err)
{
    int rc = refuse_with(s->with, err);

    if (rc == 0)
        rc = refuse_from(s->from, s->from_count, err);
    if (rc == 0)
        rc = refuse_sets(s->set, s->set_count, err);
    if (rc == 0)
        rc = refuse_expr(s->where, err);
    return rc < 0 ? rc : refuse_items(s->returning, s->returning_count, err);
}

static int refuse_merge(const struct merge_stmt *m, struct dn_err *err)
{
    int rc = refuse_with(m->with, err);

    if (rc == 0)
        rc = refuse_from(&m->source, 1, err);
    if (rc == 0)
        rc = refuse_expr(m->on, err);
    for (uint32_t i = 0; rc == 0 && i < m->whens_count; i++) {
        const struct merge_when *w = &m->whens[i];

        rc = refuse_expr(w->cond, err);
        if (rc == 0)
            rc = refuse_sets(w->set, w->set_count, err);
        for (uint32_t k = 0; rc == 0 && k < w->values_count; k++)
            rc = refuse_expr(w->values[k], err);
    }
    return rc;
}

/* ---- definitions ---- */

static int refuse_constraints(const struct constraint_def *c, uint32_t count, struct dn_err *err)
{
    static const char *const kinds[CONSTRAINT_KIND_MAX] = {
        [CONSTRAINT_PRIMARY] = "ADD PRIMARY KEY",
    };

    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = kinds[c[i].kind] ? refuse(kinds[c[i].kind], c[i].pos, err)
                              : refuse_expr(c[i].check, err);
    return rc;
}

static int refuse_column(const struct column_def *c, struct dn_err *err)
{
    int rc = refuse_cast_type(c->type, err);

    if (rc == 0 && c->collation)
        rc = refuse("COLLATE", c->type ? c->type->pos : 0, err);
    if (rc == 0)
        rc = refuse_expr(c->generated, err);
    return rc < 0 ? rc : refuse_expr(c->def, err);
}

static int refuse_create(const struct stmt *s, struct dn_err *err)
{
    const struct table_def *t = s->table_def;
    int rc = 0;

    if (t->as)
        return refuse_query(t->as, err);
    for (size_t i = 0; rc == 0 && i < s->create->columns_count; i++)
        rc = refuse_column(&t->columns[i], err);
    return rc < 0 ? rc : refuse_constraints(t->constraints, t->constraints_count, err);
}

static int refuse_view(const struct stmt *s, struct dn_err *err)
{
    return refuse_query(s->view->query, err);
}

static int refuse_alter(const struct stmt *s, struct dn_err *err)
{
    int rc = 0;

    if (s->object == OBJECT_VIEW || s->object == OBJECT_SCHEMA || s->object == OBJECT_SEQUENCE ||
        (s->object == OBJECT_INDEX && s->alter->actions[0].kind == ALTER_RENAME_TABLE))
        return 0;
    if (s->object != OBJECT_TABLE)
        return refuse("ALTER of anything but a table, view or schema", s->name.pos, err);
    for (uint32_t i = 0; rc == 0 && i < s->alter->actions_count; i++) {
        const struct alter_action *a = &s->alter->actions[i];

        if (a->kind == ALTER_TYPE) {
            rc = refuse_cast_type(a->def.type, err);
            if (rc == 0 && a->def.collation)
                rc = refuse("COLLATE", a->name.pos, err);
            if (rc == 0)
                rc = refuse_expr(a->using, err);
            continue;
        }
        rc = a->kind == ALTER_ADD_COLUMN ? refuse_column(&a->def, err)
                                         : refuse_expr(a->def.def, err);
        if (rc == 0)
            rc = refuse_constraints(a->constraints, a->constraints_count, err);
    }
    return rc;
}

/* ---- statements ---- */

static int refuse_copy(const struct stmt *s, struct dn_err *err)
{
    return refuse_expr(s->copy->where, err);
}

static int refuse_prepare(const struct misc_stmt *m, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < m->types_count; i++)
        rc = refuse_cast_type(&m->types[i], err);
    return rc;
}

int plan_refuse(const struct stmt *s, struct dn_err *err)
{
    int rc = 0;

    if (s->query)
        rc = refuse_query(s->query, err);
    else if (s->insert)
        rc = refuse_insert(s->insert, err);
    else if (s->change)
        rc = refuse_change(s->change, err);
    else if (s->merge)
        rc = refuse_merge(s->merge, err);
    else if (s->view)
        rc = refuse_view(s, err);
    else if (s->create)
        rc = refuse_create(s, err);
    else if (s->alter)
        rc = refuse_alter(s, err);
    else if (s->copy)
        rc = refuse_copy(s, err);
    else if (s->kind == STMT_PREPARE)
        rc = refuse_prepare(s->misc, err);
    if (rc == 0 && s->explained)
        rc = plan_refuse(s->explained, err);
    return rc;
}

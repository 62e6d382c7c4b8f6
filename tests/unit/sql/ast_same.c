/* SPDX-License-Identifier: Apache-2.0 */
#include "ast_same.h"

#include <string.h>

static bool same_str(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_literal(const struct expr *a, const struct expr *b)
{
    const struct datum *x = &a->value;
    const struct datum *y = &b->value;

    if (x->type != y->type || x->null != y->null || a->big != b->big)
        return false;
    if (type_is_string(x->type))
        return x->str.len == y->str.len && memcmp(x->str.ptr, y->str.ptr, x->str.len) == 0;
    if (x->type == TYPE_DOUBLE)
        return memcmp(&x->v.f64, &y->v.f64, sizeof x->v.f64) == 0 && same_str(a->text, b->text);
    return x->v.i64 == y->v.i64;
}

bool ast_same_expr(const struct expr *a, const struct expr *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->depth != b->depth || a->negated != b->negated ||
        a->star != b->star || a->distinct != b->distinct || a->paren != b->paren ||
        a->args_count != b->args_count)
        return false;
    switch (a->kind) {
    case EXPR_LITERAL:
        return same_literal(a, b);
    case EXPR_COLUMN:
    case EXPR_STAR:
    case EXPR_CALL:
        if (!same_str(a->table, b->table) || !same_str(a->name, b->name))
            return false;
        break;
    case EXPR_PARAM:
        return a->param == b->param;
    case EXPR_LIKE:
    case EXPR_IS:
        if (a->op != b->op)
            return false;
        break;
    case EXPR_UNARY:
    case EXPR_BINARY:
        if (a->op != b->op || a->chain != b->chain)
            return false;
        break;
    case EXPR_CAST:
        if (a->type != b->type)
            return false;
        break;
    case EXPR_BETWEEN:
    case EXPR_IN:
    case EXPR_IS_NULL:
    case EXPR_CASE:
    case EXPR_DISTINCT:
    case EXPR_QUERY:
    case EXPR_EXISTS:
    case EXPR_ANY:
    case EXPR_ROW:
    case EXPR_ARRAY:
    case EXPR_ARRAY_QUERY:
    case EXPR_SUBSCRIPT:
    case EXPR_FIELD:
    case EXPR_COLLATE:
    case EXPR_NAMED_ARG:
    case EXPR_KIND_MAX:
        break;
    }
    for (uint32_t i = 0; i < a->args_count; i++) {
        if (!ast_same_expr(a->args[i], b->args[i]))
            return false;
    }
    return ast_same_expr(a->a, b->a) && ast_same_expr(a->b, b->b) && ast_same_expr(a->c, b->c);
}

static bool same_qual(const struct qual_name *a, const struct qual_name *b)
{
    return same_str(a->schema, b->schema) && same_str(a->name, b->name);
}

static bool same_select(const struct query *qa, const struct query *qb)
{
    const struct select_core *a = qa->core;
    const struct select_core *b = qb->core;

    if (a->distinct != b->distinct || a->items_count != b->items_count ||
        a->from_count != b->from_count || a->group_by_count != b->group_by_count ||
        qa->order_by_count != qb->order_by_count)
        return false;
    if (a->from_count > 0 && (!same_qual(&a->from[0]->table, &b->from[0]->table) ||
                              !same_str(a->from[0]->alias, b->from[0]->alias)))
        return false;
    for (uint32_t i = 0; i < a->items_count; i++) {
        if (!ast_same_expr(a->items[i].expr, b->items[i].expr) ||
            !same_str(a->items[i].alias, b->items[i].alias))
            return false;
    }
    for (uint32_t i = 0; i < a->group_by_count; i++) {
        if (!ast_same_expr(a->group_by[i].expr, b->group_by[i].expr))
            return false;
    }
    for (uint32_t i = 0; i < qa->order_by_count; i++) {
        const struct order_item *x = &qa->order_by[i];
        const struct order_item *y = &qb->order_by[i];
        if (!ast_same_expr(x->expr, y->expr) || x->desc != y->desc || x->nulls != y->nulls)
            return false;
    }
    return ast_same_expr(a->where, b->where) && ast_same_expr(a->having, b->having) &&
           ast_same_expr(qa->limit, qb->limit) && ast_same_expr(qa->offset, qb->offset);
}

static bool same_names(const struct spec_name *a, const struct spec_name *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!same_str(a[i].s, b[i].s))
            return false;
    }
    return true;
}

static bool same_insert(const struct insert_stmt *a, const struct insert_stmt *b)
{
    const struct values_rows *x = &a->query->values;
    const struct values_rows *y = &b->query->values;

    if (!same_qual(&a->table, &b->table) || a->columns_count != b->columns_count ||
        !a->columns != !b->columns || !same_names(a->columns, b->columns, a->columns_count) ||
        x->rows_count != y->rows_count)
        return false;
    for (uint32_t i = 0; i < x->rows_count; i++) {
        if (x->rows_len[i] != y->rows_len[i])
            return false;
        for (uint32_t j = 0; j < x->rows_len[i]; j++) {
            if (!ast_same_expr(x->rows[i][j], y->rows[i][j]))
                return false;
        }
    }
    return true;
}

static bool same_copy(const struct copy_stmt *a, const struct copy_stmt *b)
{
    if (a->from != b->from || !same_qual(&a->table, &b->table) || !same_str(a->file, b->file) ||
        a->columns_count != b->columns_count || !a->columns != !b->columns ||
        !same_names(a->columns, b->columns, a->columns_count) ||
        a->options_count != b->options_count)
        return false;
    for (uint32_t i = 0; i < a->options_count; i++)
        if (!same_str(a->options[i].name.s, b->options[i].name.s) ||
            !same_str(a->options[i].value, b->options[i].value) ||
            a->options[i].quoted != b->options[i].quoted)
            return false;
    return true;
}

static bool same_key(const struct key_elem_spec *a, const struct key_elem_spec *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!same_str(a[i].name.s, b[i].name.s) || a[i].is_quantum != b[i].is_quantum ||
            a[i].desc != b[i].desc || a[i].order_given != b[i].order_given ||
            a[i].count != b[i].count || !same_str(a[i].unit, b[i].unit))
            return false;
    }
    return true;
}

static bool same_create(const struct stmt *s, const struct stmt *t)
{
    const struct table_spec *a = s->create;
    const struct table_spec *b = t->create;

    if (!same_str(a->schema.s, b->schema.s) || !same_str(a->name.s, b->name.s) ||
        a->columns_count != b->columns_count || a->has_key != b->has_key ||
        a->keys_count != b->keys_count || a->has_inner != b->has_inner ||
        a->partition_count != b->partition_count || a->local_count != b->local_count ||
        a->partition_key_count != b->partition_key_count ||
        a->clustering_count != b->clustering_count || a->options_count != b->options_count)
        return false;
    for (size_t i = 0; i < a->columns_count; i++) {
        const struct column_spec *x = &a->columns[i];
        const struct column_spec *y = &b->columns[i];
        if (!same_str(x->name.s, y->name.s) || x->type != y->type || x->not_null != y->not_null ||
            x->null_given != y->null_given || x->primary_key != y->primary_key ||
            x->has_default != y->has_default ||
            !ast_same_expr(s->table_def->columns[i].def, t->table_def->columns[i].def))
            return false;
    }
    for (size_t i = 0; i < a->options_count; i++) {
        const struct option_spec *x = &a->options[i];
        const struct option_spec *y = &b->options[i];
        if (!same_str(x->name.s, y->name.s) || !same_str(x->value, y->value) ||
            x->quoted != y->quoted)
            return false;
    }
    return same_key(a->partition, b->partition, a->partition_count) &&
           same_key(a->local, b->local, a->local_count) &&
           same_key(a->clustering, b->clustering, a->clustering_count) &&
           same_names(a->partition_key, b->partition_key, a->partition_key_count);
}

static bool same_change(const struct change_stmt *a, const struct change_stmt *b)
{
    if (!same_qual(&a->table, &b->table) || !same_str(a->alias, b->alias) ||
        a->set_count != b->set_count)
        return false;
    for (uint32_t i = 0; i < a->set_count; i++) {
        if (!same_str(a->set[i].column.s, b->set[i].column.s) ||
            !ast_same_expr(a->set[i].expr, b->set[i].expr))
            return false;
    }
    return ast_same_expr(a->where, b->where);
}

static bool same_action(const struct alter_action *a, const struct alter_action *b)
{
    if (a->kind != b->kind || a->if_exists != b->if_exists ||
        a->if_not_exists != b->if_not_exists || !same_str(a->column.name.s, b->column.name.s) ||
        a->column.type != b->column.type || a->column.not_null != b->column.not_null ||
        a->column.null_given != b->column.null_given || !same_str(a->name.s, b->name.s) ||
        !same_str(a->to.s, b->to.s) || a->options_count != b->options_count)
        return false;
    for (uint32_t i = 0; i < a->options_count; i++) {
        if (!same_str(a->options[i].name.s, b->options[i].name.s) ||
            !same_str(a->options[i].value, b->options[i].value) ||
            a->options[i].quoted != b->options[i].quoted)
            return false;
    }
    return ast_same_expr(a->def.def, b->def.def);
}

static bool same_alter(const struct alter_stmt *a, const struct alter_stmt *b)
{
    if (a->actions_count != b->actions_count)
        return false;
    for (uint32_t i = 0; i < a->actions_count; i++) {
        if (!same_action(&a->actions[i], &b->actions[i]))
            return false;
    }
    return true;
}

static bool same_set(const struct set_stmt *a, const struct set_stmt *b)
{
    if (!a || !b)
        return a == b;
    return a->values_count == b->values_count &&
           (!a->values || same_str(a->values[0].value, b->values[0].value));
}

bool ast_same_stmt(const struct stmt *a, const struct stmt *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && a->params_count == b->params_count &&
           a->if_exists == b->if_exists && a->if_not_exists == b->if_not_exists &&
           a->keyspace == b->keyspace && same_qual(&a->name, &b->name) &&
           same_str(a->replication, b->replication) && same_set(a->set, b->set) &&
           ast_same_stmt(a->explained, b->explained) && !a->query == !b->query &&
           !a->insert == !b->insert && !a->create == !b->create &&
           (!a->query || same_select(a->query, b->query)) && !a->change == !b->change &&
           !a->alter == !b->alter && (!a->change || same_change(a->change, b->change)) &&
           (!a->alter || same_alter(a->alter, b->alter)) && !a->copy == !b->copy &&
           (!a->copy || same_copy(a->copy, b->copy)) &&
           (!a->insert || same_insert(a->insert, b->insert)) && (!a->create || same_create(a, b));
}

/* ---- soundness ---- */

static bool sound_chain(const struct expr *e)
{
    uint32_t below = 0;

    if (e->op != OP_AND && e->op != OP_OR)
        return e->chain == 0;
    below += e->a->kind == EXPR_BINARY && e->a->op == e->op && !e->a->paren ? e->a->chain : 1;
    below += e->b->kind == EXPR_BINARY && e->b->op == e->op && !e->b->paren ? e->b->chain : 1;
    return e->chain == below;
}

static bool sound_expr(const struct expr *e)
{
    const struct expr *kids[3];
    uint32_t depth = 1;

    if (!e)
        return true;
    kids[0] = e->a;
    kids[1] = e->b;
    kids[2] = e->c;
    if (e->kind >= EXPR_KIND_MAX || e->pos == 0 || e->depth == 0 || e->depth > SQL_DEPTH_MAX)
        return false;
    for (int i = 0; i < 3; i++) {
        if (!sound_expr(kids[i]))
            return false;
        if (kids[i] && kids[i]->depth >= depth)
            depth = kids[i]->depth + 1;
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!e->args[i] || !sound_expr(e->args[i]))
            return false;
        if (e->args[i]->depth >= depth)
            depth = e->args[i]->depth + 1;
    }
    if (e->kind == EXPR_BINARY && (!e->a || !e->b || !sound_chain(e)))
        return false;
    if ((e->kind == EXPR_COLUMN || e->kind == EXPR_CALL) && (!e->name || !e->name[0]))
        return false;
    return e->depth == depth;
}

bool ast_sound(const struct stmt *s)
{
    if (s->kind >= STMT_KIND_MAX || s->start == 0 || s->end_byte < s->start_byte)
        return false;
    if (s->explained && !ast_sound(s->explained))
        return false;
    if (s->query) {
        const struct query *top = s->query;
        const struct select_core *q = top->core;
        for (uint32_t i = 0; i < q->items_count; i++) {
            if (!q->items[i].expr || !sound_expr(q->items[i].expr) || q->items[i].pos < s->start ||
                q->items[i].end <= q->items[i].pos)
                return false;
        }
        for (uint32_t i = 0; i < q->group_by_count; i++) {
            if (!sound_expr(q->group_by[i].expr))
                return false;
        }
        for (uint32_t i = 0; i < top->order_by_count; i++) {
            if (!sound_expr(top->order_by[i].expr))
                return false;
        }
        return q->items_count > 0 && sound_expr(q->where) && sound_expr(q->having) &&
               sound_expr(top->limit) && sound_expr(top->offset);
    }
    if (s->insert) {
        const struct values_rows *v = &s->insert->query->values;
        for (uint32_t i = 0; i < v->rows_count; i++) {
            for (uint32_t j = 0; j < v->rows_len[i]; j++) {
                if (!sound_expr(v->rows[i][j]))
                    return false;
            }
        }
        return v->rows_count > 0;
    }
    if (s->change) {
        for (uint32_t i = 0; i < s->change->set_count; i++) {
            if (!sound_expr(s->change->set[i].expr))
                return false;
        }
        return sound_expr(s->change->where) && (s->kind == STMT_DELETE || s->change->set_count > 0);
    }
    if (s->alter) {
        for (uint32_t i = 0; i < s->alter->actions_count; i++) {
            if (!sound_expr(s->alter->actions[i].def.def))
                return false;
        }
        return s->alter->actions_count > 0;
    }
    if (s->create) {
        for (size_t i = 0; i < s->create->columns_count; i++) {
            if (!sound_expr(s->table_def->columns[i].def))
                return false;
        }
    }
    return true;
}

/* ---- the round trip ---- */

static const char *trip_one(const struct stmt *s, struct arena *arena)
{
    const char *wrong = NULL;
    struct sql_text t;
    struct stmt *again;
    struct buf b;
    struct buf c;

    buf_init(&b, NULL);
    buf_init(&c, NULL);
    sql_print_stmt(s, &b);
    sql_text_init(&t, (const char *)b.data, b.len);
    if (b.failed)
        wrong = "out of memory while printing";
    else if (!ast_sound(s))
        wrong = "the tree is not sound";
    else if (s->kind == STMT_EMPTY)
        wrong = b.len ? "an empty statement prints text" : NULL;
    else if (sql_parse(&t, arena, &again, NULL) != 0)
        wrong = "the printed text does not parse";
    else if (!ast_same_stmt(s, again))
        wrong = "the printed text parses to another tree";
    else {
        sql_print_stmt(again, &c);
        if (b.len != c.len || memcmp(b.data, c.data, b.len) != 0)
            wrong = "the second print differs";
    }
    buf_done(&b);
    buf_done(&c);
    return wrong;
}

const char *ast_round_trip(const char *text, size_t len, unsigned *ret_failed)
{
    const char *wrong = NULL;
    struct sql_text t;
    struct arena arena;
    struct stmt *s;
    int rc = 0;

    *ret_failed = 0;
    arena_init(&arena, NULL);
    sql_text_init(&t, text, len);
    while (!wrong) {
        size_t before = t.next;
        struct dn_err err;

        dn_err_clear(&err);
        rc = sql_parse(&t, &arena, &s, &err);
        if (rc == DN_EOF)
            break;
        if (t.next <= before && rc != DN_EOF)
            wrong = "the parser stands still";
        if (rc < 0) {
            ++*ret_failed;
            if (err.code != rc || !err.text[0] ||
                (err.position == 0 && rc != DN_E_NOMEM && len <= SQL_TEXT_MAX))
                wrong = "an error without text or position";
        } else if (!wrong) {
            wrong = trip_one(s, &arena);
        }
        arena_reset(&arena);
    }
    arena_done(&arena);
    return wrong;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_stmt.c: builders of all statements but CREATE. */
#include "sql/ast_build.h"

#include <string.h>

struct stmt *sql_stmt(struct sql_parser *ps, enum stmt_kind kind)
{
    if (ps->rc < 0)
        return NULL;
    ps->stmt->kind = kind;
    return ps->stmt;
}

struct qual_name *
sql_qual(struct sql_parser *ps, const struct sql_token *schema, struct sql_token name)
{
    struct qual_name *q = sql_new(ps, sizeof *q);

    if (!q)
        return NULL;
    q->schema = schema ? sql_name(ps, *schema) : NULL;
    q->name = sql_name(ps, name);
    q->pos = schema ? schema->pos : name.pos;
    q->name_pos = name.pos;
    return q;
}

void sql_stmt_named(struct sql_parser *ps, enum stmt_kind kind, const struct qual_name *name)
{
    struct stmt *s = sql_stmt(ps, kind);

    if (s)
        s->name = *name;
}

void sql_drop_table(struct sql_parser *ps, const struct qual_name *name, bool if_exists)
{
    struct qual_name *names = sql_new(ps, sizeof *names);

    if (!names)
        return;
    *names = *name;
    sql_stmt_named(ps, STMT_DROP, name);
    ps->stmt->object = OBJECT_TABLE;
    ps->stmt->if_exists = if_exists;
    ps->stmt->names = names;
    ps->stmt->names_count = 1;
}

void sql_explain(struct sql_parser *ps, bool analyze, struct sql_list options)
{
    struct stmt *inner = sql_new(ps, sizeof *inner);

    if (!inner)
        return;
    *inner = *ps->stmt;
    memset(ps->stmt, 0, sizeof *ps->stmt);
    ps->stmt->kind = STMT_EXPLAIN;
    ps->stmt->explained = inner;
    ps->stmt->explain.analyze = analyze;
    if (options.count) {
        ps->stmt->explain.options_count = options.count;
        ps->stmt->explain.options = sql_list_take_structs(ps, options, sizeof(struct option_spec));
    }
}

void sql_set(struct sql_parser *ps, struct sql_token name, const struct option_spec *value)
{
    struct qual_name *q = sql_qual(ps, NULL, name);
    struct set_stmt *set = sql_new(ps, sizeof *set);
    struct stmt *s = sql_stmt(ps, STMT_SET);

    if (!s || !set)
        return;
    s->name = *q;
    s->set = set;
    if (value) {
        set->values = sql_new(ps, sizeof *set->values);
        if (!set->values)
            return;
        set->values[0] = *value;
        set->values_count = 1;
    }
}

struct select_item *
sql_item(struct sql_parser *ps, uint32_t pos, struct expr *e, const struct sql_token *alias)
{
    struct select_item *item = sql_new(ps, sizeof *item);

    if (!item)
        return NULL;
    item->expr = e;
    item->pos = pos;
    item->end = ps->prev_end;
    if (alias) {
        item->alias = sql_name(ps, *alias);
        item->alias_pos = alias->pos;
    }
    return item;
}

struct group_item *sql_group(struct sql_parser *ps, struct expr *e)
{
    struct group_item *g = sql_new(ps, sizeof *g);

    if (!g)
        return NULL;
    g->kind = GROUP_EXPR;
    g->pos = e->pos;
    g->expr = e;
    return g;
}

struct order_item *
sql_order(struct sql_parser *ps, struct expr *e, bool desc, enum nulls_order nulls)
{
    struct order_item *item = sql_new(ps, sizeof *item);

    if (!item)
        return NULL;
    item->expr = e;
    item->desc = desc;
    item->nulls = nulls;
    return item;
}

struct from_item *
sql_from(struct sql_parser *ps, const struct qual_name *name, const struct sql_token *alias)
{
    struct from_item *from = sql_new(ps, sizeof *from);

    if (!from)
        return NULL;
    from->kind = FROM_TABLE;
    from->pos = name->pos;
    from->depth = 1;
    from->table = *name;
    if (alias) {
        from->alias = sql_name(ps, *alias);
        from->alias_pos = alias->pos;
    }
    return from;
}

struct sql_limit *sql_limit(struct sql_parser *ps, struct expr *limit, struct expr *offset)
{
    struct sql_limit *l = sql_new(ps, sizeof *l);

    if (!l)
        return NULL;
    l->limit = limit;
    l->offset = offset;
    return l;
}

struct query *sql_select(struct sql_parser *ps,
                         bool distinct,
                         struct from_item *from,
                         const struct sql_limit *limit)
{
    struct query *q = sql_new(ps, sizeof *q);
    struct select_core *s = sql_new(ps, sizeof *s);

    if (!q || !s)
        return NULL;
    q->kind = QUERY_SELECT;
    q->core = s;
    s->distinct = distinct;
    if (from) {
        s->from = sql_new(ps, sizeof(struct from_item *));
        if (!s->from)
            return NULL;
        s->from[0] = from;
        s->from_count = 1;
    }
    if (limit) {
        q->limit = limit->limit;
        q->offset = limit->offset;
    }
    ps->stmt->kind = STMT_SELECT;
    ps->stmt->query = q;
    return q;
}

void sql_insert_row(struct sql_parser *ps, uint32_t pos, struct sql_list values)
{
    struct sql_row row = {.values = sql_list_take(ps, values), .len = values.count, .pos = pos};

    if (ps->rc < 0)
        return;
    if (ps->rows_len >= SQL_LIST_MAX) {
        sql_fail(ps, DN_E_TOO_COMPLEX, pos, "more than %u rows in one INSERT", SQL_LIST_MAX);
        return;
    }
    if (ps->rows_len == ps->rows_cap) {
        uint32_t cap = ps->rows_cap ? ps->rows_cap * 2 : 16;
        struct sql_row *rows = mem_realloc(ps->arena->owner, ps->rows, cap * sizeof *rows);
        if (!rows) {
            sql_fail_nomem(ps);
            return;
        }
        ps->rows = rows;
        ps->rows_cap = cap;
    }
    ps->rows[ps->rows_len++] = row;
}

void sql_insert(struct sql_parser *ps,
                const struct qual_name *table,
                bool has_columns,
                struct sql_list columns)
{
    struct insert_stmt *s = sql_new(ps, sizeof *s);
    struct query *q = sql_new(ps, sizeof *q);
    struct values_rows *v;
    uint32_t n = ps->rows_len;

    if (!s || !q)
        return;
    q->kind = QUERY_VALUES;
    v = &q->values;
    s->query = q;
    s->table = *table;
    if (has_columns) {
        s->columns_count = columns.count;
        s->columns = sql_list_take_structs(ps, columns, sizeof(struct spec_name));
    }
    v->rows = sql_new(ps, n * sizeof *v->rows);
    v->rows_len = sql_new(ps, n * sizeof *v->rows_len);
    v->rows_pos = sql_new(ps, n * sizeof *v->rows_pos);
    if (ps->rc < 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        v->rows[i] = ps->rows[i].values;
        v->rows_len[i] = ps->rows[i].len;
        v->rows_pos[i] = ps->rows[i].pos;
    }
    v->rows_count = n;
    ps->stmt->kind = STMT_INSERT;
    ps->stmt->insert = s;
}

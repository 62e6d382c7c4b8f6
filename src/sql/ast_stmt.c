/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_stmt.c: parts that many statements have. */
#include "sql/ast_build.h"

#include <string.h>
#include <strings.h>

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

void sql_database(struct sql_parser *ps, struct sql_token database, struct sql_token last)
{
    const char *name = sql_name(ps, database);

    if (name && strcasecmp(name, SQL_DATABASE) != 0)
        sql_fail(ps,
                 DN_E_UNSUPPORTED,
                 database.pos,
                 "cross-database references are not implemented: \"%.*s\"",
                 (int)(last.ptr + last.len - database.ptr),
                 database.ptr);
}

struct qual_name *sql_qual_of(struct sql_parser *ps,
                              struct sql_token database,
                              struct sql_token schema,
                              struct sql_token name)
{
    sql_database(ps, database, name);
    return sql_qual(ps, &schema, name);
}

void sql_stmt_named(struct sql_parser *ps, enum stmt_kind kind, const struct qual_name *name)
{
    struct stmt *s = sql_stmt(ps, kind);

    if (s)
        s->name = *name;
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

struct sql_limit *sql_limit(struct sql_parser *ps, struct expr *limit, struct expr *offset)
{
    struct sql_limit *l = sql_new(ps, sizeof *l);

    if (!l)
        return NULL;
    l->limit = limit;
    l->offset = offset;
    return l;
}

void sql_insert_row(struct sql_parser *ps, uint32_t pos, struct sql_list values)
{
    struct sql_row row = {.values = sql_list_take(ps, values), .len = values.count, .pos = pos};

    if (ps->rc < 0)
        return;
    for (uint32_t i = 0; i < row.len; i++) {
        if (!row.values[i])
            row.has_default = true;
        else if (row.values[i]->depth > row.depth)
            row.depth = row.values[i]->depth;
    }
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

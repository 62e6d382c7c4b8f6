/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_copy.c: builders of COPY. What goes out is always a SELECT: that of a table's name is made
 * here. */
#include "sql/ast_build.h"

#include <string.h>

struct option_spec *sql_option_on(struct sql_parser *ps, struct sql_token name)
{
    struct option_spec *o = sql_new(ps, sizeof *o);

    if (!o)
        return NULL;
    o->name = sql_spec_name(ps, name);
    o->value_pos = name.pos;
    return o;
}

static struct copy_stmt *
copy_new(struct sql_parser *ps, struct sql_token file, struct sql_list options)
{
    struct copy_stmt *c = sql_new(ps, sizeof *c);
    uint32_t len;

    if (!c)
        return NULL;
    c->file = sql_string_text(ps, file, &len);
    c->file_pos = file.pos;
    if (ps->rc == 0 && memchr(c->file, '\0', len))
        sql_fail(ps, DN_E_BAD_NAME, file.pos, "the name of a file cannot hold a NUL");
    c->options_count = options.count;
    c->options = sql_list_take_structs(ps, options, sizeof(struct option_spec));
    return ps->rc < 0 ? NULL : c;
}

/* SELECT * or the columns FROM the table. */
static struct query *copy_select(struct sql_parser *ps, const struct copy_stmt *c)
{
    uint32_t n = c->columns ? c->columns_count : 1;
    struct select_item *items = sql_new(ps, n * sizeof *items);
    struct query *q = sql_select(ps, false, sql_from(ps, &c->table, NULL), NULL);
    struct select_core *s;

    if (!q || !items)
        return NULL;
    s = q->core;
    s->items = items;
    s->items_count = n;
    for (uint32_t i = 0; i < n; i++) {
        struct expr *e = sql_new(ps, sizeof *e);

        if (!e)
            return NULL;
        e->kind = c->columns ? EXPR_COLUMN : EXPR_STAR;
        e->pos = c->columns ? c->columns[i].pos : c->table.pos;
        e->depth = 1;
        if (c->columns) {
            e->name = c->columns[i].s;
            items[i].alias = c->columns[i].s;
            items[i].alias_pos = e->pos;
        }
        items[i].expr = e;
        items[i].pos = e->pos;
        items[i].end = e->pos + 1;
    }
    return q;
}

void sql_copy(struct sql_parser *ps,
              bool from,
              const struct qual_name *table,
              struct sql_list columns,
              struct sql_token file,
              struct sql_list options)
{
    struct copy_stmt *c = copy_new(ps, file, options);
    struct stmt *inner;

    if (!c)
        return;
    c->from = from;
    c->table = *table;
    if (columns.count > 0) {
        c->columns_count = columns.count;
        c->columns = sql_list_take_structs(ps, columns, sizeof(struct spec_name));
    }
    if (ps->rc == 0 && !from) {
        inner = sql_new(ps, sizeof *inner);
        if (!inner)
            return;
        inner->kind = STMT_SELECT;
        inner->query = copy_select(ps, c);
        ps->stmt->query = NULL;
        ps->stmt->explained = inner;
    }
    if (ps->rc < 0)
        return;
    ps->stmt->kind = STMT_COPY;
    ps->stmt->copy = c;
}

void sql_copy_query(struct sql_parser *ps, struct sql_token file, struct sql_list options)
{
    struct copy_stmt *c = copy_new(ps, file, options);
    struct stmt *inner = sql_new(ps, sizeof *inner);

    if (!c || !inner)
        return;
    *inner = *ps->stmt;
    memset(ps->stmt, 0, sizeof *ps->stmt);
    ps->stmt->kind = STMT_COPY;
    ps->stmt->copy = c;
    ps->stmt->explained = inner;
}

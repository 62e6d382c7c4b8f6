/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_change.c: builders of UPDATE, DELETE and ALTER TABLE. */
#include "sql/ast_build.h"

struct change_stmt *
sql_change(struct sql_parser *ps, const struct qual_name *table, const struct sql_token *alias)
{
    struct change_stmt *c = sql_new(ps, sizeof *c);

    if (!c)
        return NULL;
    c->table = *table;
    c->alias = alias ? sql_name(ps, *alias) : NULL;
    return c;
}

struct set_item *sql_set_item(struct sql_parser *ps, struct sql_token name, struct expr *e)
{
    struct set_item *item = sql_new(ps, sizeof *item);

    if (!item)
        return NULL;
    item->column = sql_spec_name(ps, name);
    item->expr = e;
    return item;
}

void sql_update(struct sql_parser *ps,
                struct change_stmt *c,
                struct sql_list sets,
                struct expr *where)
{
    struct set_item *items = sql_list_take_structs(ps, sets, sizeof *items);
    struct stmt *s = sql_stmt(ps, STMT_UPDATE);

    if (!s)
        return;
    c->set = items;
    c->set_count = sets.count;
    c->where = where;
    s->change = c;
}

void sql_delete(struct sql_parser *ps, struct change_stmt *c, struct expr *where)
{
    struct stmt *s = sql_stmt(ps, STMT_DELETE);

    if (!s)
        return;
    c->where = where;
    s->change = c;
}

static struct alter_action *alter_new(struct sql_parser *ps, enum alter_kind kind)
{
    struct alter_action *a = sql_new(ps, sizeof *a);

    if (a)
        a->kind = kind;
    return a;
}

struct alter_action *sql_alter_add(struct sql_parser *ps, bool if_not_exists)
{
    struct alter_action *a = alter_new(ps, ALTER_ADD_COLUMN);

    if (!a)
        return NULL;
    a->if_not_exists = if_not_exists;
    ps->columns = sql_list_none(ps);
    return a;
}

struct alter_action *sql_alter_column(struct sql_parser *ps, struct alter_action *a)
{
    struct sql_column **column = sql_list_take(ps, ps->columns);

    if (ps->rc < 0)
        return NULL;
    a->column = column[0]->spec;
    a->def = column[0]->def;
    if (a->column.primary_key) {
        sql_fail(
            ps, DN_E_UNSUPPORTED, a->column.pk_pos, "the primary key of a table cannot be changed");
        return NULL;
    }
    return a;
}

struct alter_action *sql_alter_drop(struct sql_parser *ps, bool if_exists, struct sql_token name)
{
    struct alter_action *a = alter_new(ps, ALTER_DROP_COLUMN);

    if (!a)
        return NULL;
    a->if_exists = if_exists;
    a->name = sql_spec_name(ps, name);
    return a;
}

struct alter_action *
sql_alter_rename(struct sql_parser *ps, const struct sql_token *name, struct sql_token to)
{
    struct alter_action *a = alter_new(ps, name ? ALTER_RENAME_COLUMN : ALTER_RENAME_TABLE);

    if (!a)
        return NULL;
    if (name)
        a->name = sql_spec_name(ps, *name);
    a->to = sql_spec_name(ps, to);
    return a;
}

struct alter_action *sql_alter_set(struct sql_parser *ps, struct sql_list options)
{
    struct option_spec *list = sql_list_take_structs(ps, options, sizeof *list);
    struct alter_action *a = alter_new(ps, ALTER_SET_OPTIONS);

    if (!a)
        return NULL;
    a->options = list;
    a->options_count = options.count;
    return a;
}

void sql_alter(struct sql_parser *ps,
               bool if_exists,
               const struct qual_name *table,
               struct sql_list actions)
{
    struct alter_action *list = sql_list_take_structs(ps, actions, sizeof *list);
    struct alter_stmt *alter = sql_new(ps, sizeof *alter);
    struct stmt *s = sql_stmt(ps, STMT_ALTER);

    if (!s || !alter)
        return;
    s->name = *table;
    s->if_exists = if_exists;
    s->alter = alter;
    alter->actions = list;
    alter->actions_count = actions.count;
}

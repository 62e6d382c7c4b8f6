/* SPDX-License-Identifier: Apache-2.0
 *
 * print_change.c: UPDATE, DELETE and ALTER TABLE as text. */
#include "sql/print_int.h"

static void print_set_list(const struct change_stmt *c, struct buf *b)
{
    for (uint32_t i = 0; i < c->set_count; i++) {
        buf_puts(b, i ? ", " : " SET ");
        sql_print_ident(c->set[i].column.s, b);
        buf_puts(b, " = ");
        if (c->set[i].expr)
            sql_print_expr(c->set[i].expr, b);
        else
            buf_puts(b, "DEFAULT");
    }
}

void sql_print_change(const struct stmt *s, struct buf *b)
{
    const struct change_stmt *c = s->change;

    buf_puts(b, s->kind == STMT_UPDATE ? "UPDATE " : "DELETE FROM ");
    sql_print_qual(&c->table, b);
    if (c->alias) {
        buf_puts(b, " AS ");
        sql_print_ident(c->alias, b);
    }
    print_set_list(c, b);
    sql_print_opt(" WHERE ", c->where, b);
}

static void print_alter_action(const struct alter_action *a, struct buf *b)
{
    switch (a->kind) {
    case ALTER_ADD_COLUMN:
        buf_puts(b, a->if_not_exists ? "ADD COLUMN IF NOT EXISTS " : "ADD COLUMN ");
        sql_print_column(&a->column, a->def.def, b);
        break;
    case ALTER_DROP_COLUMN:
        buf_puts(b, a->if_exists ? "DROP COLUMN IF EXISTS " : "DROP COLUMN ");
        sql_print_ident(a->name.s, b);
        break;
    case ALTER_RENAME_COLUMN:
        buf_puts(b, "RENAME COLUMN ");
        sql_print_ident(a->name.s, b);
        buf_puts(b, " TO ");
        sql_print_ident(a->to.s, b);
        break;
    case ALTER_RENAME_TABLE:
        buf_puts(b, "RENAME TO ");
        sql_print_ident(a->to.s, b);
        break;
    case ALTER_SET_OPTIONS:
        buf_puts(b, "SET (");
        sql_print_option_list(a->options, a->options_count, ", ", b);
        buf_puts(b, ")");
        break;
    case ALTER_ADD_CONSTRAINT:
    case ALTER_DROP_CONSTRAINT:
    case ALTER_RENAME_CONSTRAINT:
    case ALTER_SET_DEFAULT:
    case ALTER_DROP_DEFAULT:
    case ALTER_SET_NOT_NULL:
    case ALTER_DROP_NOT_NULL:
    case ALTER_TYPE:
    case ALTER_SET_SCHEMA:
    case ALTER_KIND_MAX:
        break;
    }
}

void sql_print_alter(const struct stmt *s, struct buf *b)
{
    buf_puts(b, s->if_exists ? "ALTER TABLE IF EXISTS " : "ALTER TABLE ");
    sql_print_qual(&s->name, b);
    for (uint32_t i = 0; i < s->alter->actions_count; i++) {
        buf_puts(b, i ? ", " : " ");
        print_alter_action(&s->alter->actions[i], b);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * print_access.c: statements about roles and grants. */
#include "sql/print_int.h"

static void print_list(const struct spec_name *names, uint32_t count, struct buf *b)
{
    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_ident(names[i].s, b);
    }
}

static void print_value(const struct option_spec *v, struct buf *b)
{
    if (v->quoted)
        sql_print_text(v->value, b);
    else if (v->value)
        buf_puts(b, v->value);
    else
        sql_print_ident(v->name.s, b);
}

static void print_role_set(const struct role_stmt *r, struct buf *b)
{
    buf_puts(b, r->reset ? " RESET " : " SET ");
    sql_print_ident(r->setting.s, b);
    if (r->reset)
        return;
    buf_puts(b, " = ");
    for (uint32_t i = 0; i < r->values_count; i++) {
        buf_puts(b, i ? ", " : "");
        print_value(&r->values[i], b);
    }
    buf_puts(b, r->values_count ? "" : "DEFAULT");
}

void sql_print_role(const struct stmt *s, struct buf *b)
{
    static const char *const words[] = {
        [ROLE_ACTION_CREATE] = "CREATE ROLE ",
        [ROLE_ACTION_ALTER] = "ALTER ROLE ",
        [ROLE_ACTION_RENAME] = "ALTER ROLE ",
        [ROLE_ACTION_SET] = "ALTER ROLE ",
        [ROLE_ACTION_DROP] = "DROP ROLE ",
        [ROLE_ACTION_DROP_OWNED] = "DROP OWNED BY ",
        [ROLE_ACTION_REASSIGN] = "REASSIGN OWNED BY ",
    };
    const struct role_stmt *r = s->role;

    if (r->action == ROLE_ACTION_OWNER) {
        buf_printf(b, "ALTER %s %s", sql_object_words[s->object], s->if_exists ? "IF EXISTS " : "");
        sql_print_qual(&s->name, b);
        buf_puts(b, " OWNER TO ");
        sql_print_ident(r->to.s, b);
        return;
    }
    buf_puts(b, r->user ? "CREATE USER " : words[r->action]);
    buf_puts(b, s->if_exists ? "IF EXISTS " : "");
    print_list(r->names, r->names_count, b);
    if (r->name.s)
        sql_print_ident(r->name.s, b);
    for (uint32_t i = 0; i < r->words_count; i++) {
        buf_puts(b, " ");
        print_value(&r->words[i], b);
    }
    if (r->action == ROLE_ACTION_SET)
        print_role_set(r, b);
    if (r->to.s) {
        buf_puts(b, r->action == ROLE_ACTION_RENAME ? " RENAME TO " : " TO ");
        sql_print_ident(r->to.s, b);
    }
}

static void print_grant_on(const struct grant_stmt *g, struct buf *b)
{
    buf_printf(b,
               " ON %s%s%s ",
               g->everything ? "ALL " : "",
               sql_object_words[g->object],
               g->everything ? "S IN SCHEMA" : "");
    for (uint32_t i = 0; i < g->objects_count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_qual(&g->objects[i], b);
    }
}

static void print_columns(const struct grant_columns *c, struct buf *b)
{
    if (c->count == 0)
        return;
    buf_puts(b, " (");
    print_list(c->names, c->count, b);
    buf_puts(b, ")");
}

void sql_print_grant(const struct stmt *s, struct buf *b)
{
    const struct grant_stmt *g = s->grant;

    buf_puts(b, g->revoke ? "REVOKE " : "GRANT ");
    if (g->revoke && g->option)
        buf_puts(b, g->roles ? "ADMIN OPTION FOR " : "GRANT OPTION FOR ");
    if (g->all) {
        buf_puts(b, "ALL");
        print_columns(&g->columns[0], b);
    }
    for (uint32_t i = 0; i < g->privileges_count; i++) {
        buf_puts(b, i ? ", " : "");
        if (g->roles)
            sql_print_ident(g->privileges[i].s, b);
        else
            buf_puts(b, g->privileges[i].s);
        print_columns(&g->columns[i], b);
    }
    if (!g->roles)
        print_grant_on(g, b);
    buf_puts(b, g->revoke ? " FROM " : " TO ");
    print_list(g->grantees, g->grantees_count, b);
    if (!g->revoke && g->option)
        buf_puts(b, g->roles ? " WITH ADMIN OPTION" : " WITH GRANT OPTION");
    if (g->behavior == DROP_CASCADE)
        buf_puts(b, " CASCADE");
    else if (g->behavior == DROP_RESTRICT)
        buf_puts(b, " RESTRICT");
}

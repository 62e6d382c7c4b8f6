/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_access.c: builders of the statements of ast_access.h. */
#include "sql/build_access.h"

struct option_spec *sql_role_name(struct sql_parser *ps, struct sql_token tok)
{
    struct option_spec *o = sql_new(ps, sizeof *o);

    if (!o)
        return NULL;
    o->name = sql_spec_name(ps, tok);
    o->value_pos = tok.pos;
    return o;
}

static struct role_stmt *role_stmt(struct sql_parser *ps, enum role_action action)
{
    struct role_stmt *r = sql_new(ps, sizeof *r);
    struct stmt *s = sql_stmt(ps, STMT_ROLE);

    if (!r || !s)
        return NULL;
    r->action = action;
    s->role = r;
    return r;
}

void sql_role(struct sql_parser *ps,
              enum role_action action,
              bool user,
              struct sql_token name,
              struct sql_list words)
{
    struct option_spec *list = sql_list_take_structs(ps, words, sizeof *list);
    struct role_stmt *r = role_stmt(ps, action);

    if (!r)
        return;
    r->user = user;
    r->name = sql_spec_name(ps, name);
    r->words = list;
    r->words_count = words.count;
}

void sql_role_rename(struct sql_parser *ps, struct sql_token name, struct sql_token to)
{
    struct role_stmt *r = role_stmt(ps, ROLE_ACTION_RENAME);

    if (!r)
        return;
    r->name = sql_spec_name(ps, name);
    r->to = sql_spec_name(ps, to);
}

void sql_role_set(struct sql_parser *ps,
                  struct sql_token name,
                  const struct qual_name *setting,
                  struct sql_list values,
                  bool reset)
{
    struct option_spec *list = sql_list_take_structs(ps, values, sizeof *list);
    struct role_stmt *r = role_stmt(ps, ROLE_ACTION_SET);

    if (!r || !setting)
        return;
    r->name = sql_spec_name(ps, name);
    r->setting = (struct spec_name){.s = setting->name, .pos = setting->pos};
    r->values = list;
    r->values_count = values.count;
    r->reset = reset;
}

void sql_role_names(struct sql_parser *ps,
                    enum role_action action,
                    bool if_exists,
                    struct sql_list names,
                    const struct sql_token *to)
{
    struct spec_name *list = sql_list_take_structs(ps, names, sizeof *list);
    struct role_stmt *r = role_stmt(ps, action);

    if (!r)
        return;
    r->names = list;
    r->names_count = names.count;
    if (to)
        r->to = sql_spec_name(ps, *to);
    ps->stmt->if_exists = if_exists;
}

void sql_owner(struct sql_parser *ps,
               int object,
               bool if_exists,
               const struct qual_name *name,
               struct sql_token to)
{
    struct role_stmt *r = role_stmt(ps, ROLE_ACTION_OWNER);

    if (!r || !name)
        return;
    r->to = sql_spec_name(ps, to);
    ps->stmt->name = *name;
    ps->stmt->object = (enum object_kind)object;
    ps->stmt->if_exists = if_exists;
}

struct grant_stmt *sql_grant_on(struct sql_parser *ps,
                                enum object_kind object,
                                bool everything,
                                struct sql_list objects)
{
    struct qual_name *list = sql_list_take_structs(ps, objects, sizeof *list);
    struct grant_stmt *g = sql_new(ps, sizeof *g);

    if (!g)
        return NULL;
    g->object = object;
    g->everything = everything;
    g->objects = list;
    g->objects_count = objects.count;
    return g;
}

struct grant_stmt *sql_grant_to(struct sql_parser *ps, struct sql_list grantees)
{
    struct spec_name *list = sql_list_take_structs(ps, grantees, sizeof *list);
    struct grant_stmt *g = sql_new(ps, sizeof *g);

    if (!g)
        return NULL;
    g->grantees = list;
    g->grantees_count = grantees.count;
    return g;
}

struct grant_word *
sql_grant_word(struct sql_parser *ps, const struct sql_token *name, struct sql_list columns)
{
    struct grant_word *w = sql_new(ps, sizeof *w);
    struct spec_name *said = name ? sql_new_name(ps, *name) : NULL;

    if (!w || (name && !said))
        return NULL;
    if (said)
        w->name = *said;
    w->columns.count = columns.count;
    w->columns.names = sql_list_take_structs(ps, columns, sizeof *w->columns.names);
    return w;
}

struct grant_stmt *sql_grant_what(struct sql_parser *ps, struct sql_list words, bool all)
{
    uint32_t count = words.count;
    struct grant_word *list = sql_list_take_structs(ps, words, sizeof *list);
    struct grant_stmt *g = sql_new(ps, sizeof *g);

    if (!g || ps->rc < 0)
        return NULL;
    g->all = all;
    g->privileges = sql_new(ps, count * sizeof *g->privileges);
    g->columns = sql_new(ps, count * sizeof *g->columns);
    for (uint32_t i = 0; ps->rc == 0 && i < count; i++) {
        g->privileges[i] = list[i].name;
        g->columns[i] = list[i].columns;
    }
    g->privileges_count = all ? 0 : count;
    return g;
}

void sql_grant(struct sql_parser *ps,
               const struct grant_stmt *what,
               const struct grant_stmt *on,
               const struct grant_stmt *to,
               int flags,
               int behavior)
{
    struct grant_stmt *g = sql_new(ps, sizeof *g);
    struct stmt *s = sql_stmt(ps, STMT_GRANT);

    if (!g || !s)
        return;
    g->revoke = (flags & SQL_REVOKE) != 0;
    g->option = (flags & SQL_OPTION) != 0;
    g->roles = !on;
    g->all = what->all;
    g->privileges = what->privileges;
    g->privileges_count = what->privileges_count;
    g->columns = what->columns;
    for (uint32_t i = 0; g->roles && i < g->privileges_count; i++) {
        if (g->columns[i].count)
            sql_fail(ps,
                     DN_E_BAD_GRANT,
                     g->columns[i].names[0].pos,
                     "column names cannot be included in GRANT/REVOKE ROLE");
    }
    if (on) {
        g->object = on->object;
        g->everything = on->everything;
        g->objects = on->objects;
        g->objects_count = on->objects_count;
    }
    g->grantees = to->grantees;
    g->grantees_count = to->grantees_count;
    g->behavior = (enum drop_behavior)behavior;
    s->grant = g;
}

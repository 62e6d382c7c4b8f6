/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_alter.c: builders of ALTER TABLE and of what other objects have of it. */
#include "sql/build_ddl.h"

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
    a->constraints = sql_constraints_take(ps, &a->constraints_count);
    return a;
}

struct alter_action *sql_alter_constraint(struct sql_parser *ps, struct constraint_def *c)
{
    struct alter_action *a = alter_new(ps, ALTER_ADD_CONSTRAINT);

    if (!a)
        return NULL;
    sql_constraint_add(ps, c);
    a->constraints = sql_constraints_take(ps, &a->constraints_count);
    if (ps->rc == 0)
        a->name = a->constraints[0].name;
    return a;
}

struct alter_action *sql_alter_key(struct sql_parser *ps)
{
    struct alter_action *a = alter_new(ps, ALTER_ADD_KEY);

    ps->constraint_name = (struct spec_name){0}; /* it is always called table_pkey */
    if (!a)
        return NULL;
    a->key = ps->spec;
    ps->spec = NULL;
    return a;
}

struct alter_action *sql_alter_drop(struct sql_parser *ps,
                                    enum alter_kind kind,
                                    bool if_exists,
                                    struct sql_token name,
                                    int behavior)
{
    struct alter_action *a = alter_new(ps, kind);

    if (!a)
        return NULL;
    a->behavior = (enum drop_behavior)behavior;
    a->if_exists = if_exists;
    a->name = sql_spec_name(ps, name);
    return a;
}

struct alter_action *sql_alter_rename(struct sql_parser *ps,
                                      enum alter_kind kind,
                                      const struct sql_token *name,
                                      struct sql_token to)
{
    struct alter_action *a = alter_new(ps, kind);

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

struct alter_action *sql_alter_reset(struct sql_parser *ps, struct sql_list options)
{
    struct alter_action *a = sql_alter_set(ps, options);

    if (a)
        a->kind = ALTER_RESET_OPTIONS;
    return a;
}

struct alter_action *sql_alter_default(struct sql_parser *ps,
                                       enum alter_kind kind,
                                       struct sql_token name,
                                       struct expr *e)
{
    struct alter_action *a = alter_new(ps, kind);

    if (!a)
        return NULL;
    a->name = sql_spec_name(ps, name);
    a->def.def = e;
    return a;
}

struct alter_action *sql_alter_type(struct sql_parser *ps,
                                    struct sql_token name,
                                    struct type_name *type,
                                    const struct qual_name *collation,
                                    struct expr *using)
{
    struct alter_action *a = sql_alter_default(ps, ALTER_TYPE, name, NULL);

    if (!a)
        return NULL;
    a->def.type = type;
    a->def.collation = collation ? collation->name : NULL;
    a->using = using;
    return a;
}

struct alter_action *sql_alter_identity(struct sql_parser *ps,
                                        enum alter_kind kind,
                                        struct sql_token name,
                                        struct sql_token at,
                                        int identity,
                                        struct sequence_def *sequence)
{
    struct alter_action *a = sql_alter_default(ps, kind, name, NULL);

    if (!a)
        return NULL;
    a->def.identity = (enum identity_kind)identity;
    a->def.sequence = sequence;
    a->def.generated_pos = at.pos;
    return a;
}

struct alter_action *sql_alter_identity_merge(struct sql_parser *ps,
                                              struct alter_action *all,
                                              const struct alter_action *one)
{
    if (ps->rc < 0)
        return NULL;
    if (one->def.identity != IDENTITY_NONE && all->def.identity != IDENTITY_NONE)
        sql_fail(ps, DN_E_SYNTAX, one->def.generated_pos, "conflicting or redundant options");
    if (one->def.identity != IDENTITY_NONE)
        all->def.identity = one->def.identity;
    if (one->def.sequence && all->def.sequence)
        all->def.sequence = sql_sequence_merge(ps, all->def.sequence, one->def.sequence);
    else if (one->def.sequence)
        all->def.sequence = one->def.sequence;
    return all;
}

struct alter_action *
sql_alter_identity_of(struct sql_parser *ps, struct alter_action *a, struct sql_token name)
{
    if (ps->rc < 0 || !a)
        return NULL;
    a->name = sql_spec_name(ps, name);
    return a;
}

void sql_alter(struct sql_parser *ps,
               int object,
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
    s->object = (enum object_kind)object;
    s->if_exists = if_exists;
    s->alter = alter;
    alter->actions = list;
    alter->actions_count = actions.count;
}

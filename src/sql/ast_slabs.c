/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_slabs.c: builders of statements about slabs. */
#include "sql/build_ddl.h"

struct slabs_stmt *
sql_slabs(struct sql_parser *ps, enum slabs_what what, struct expr *where, struct sql_list list)
{
    struct slabs_stmt *s = sql_new(ps, sizeof *s);
    struct option_spec **values = sql_list_take(ps, list);

    if (!s || ps->rc < 0)
        return NULL;
    s->what = what;
    s->where = where;
    s->list_count = list.count;
    s->list = list.count ? sql_new(ps, list.count * sizeof *s->list) : NULL;
    for (uint32_t i = 0; ps->rc == 0 && i < list.count; i++)
        s->list[i] = (struct spec_name){.s = values[i]->value, .pos = values[i]->value_pos};
    return ps->rc < 0 ? NULL : s;
}

struct slabs_stmt *
sql_slabs_path(struct sql_parser *ps, struct slabs_stmt *slabs, struct sql_token path)
{
    const struct option_spec *text = sql_value(ps, path, false, path.pos);

    if (ps->rc < 0 || !slabs || !text)
        return NULL;
    slabs->path = (struct spec_name){.s = text->value, .pos = path.pos};
    return slabs;
}

void sql_slabs_stmt(struct sql_parser *ps,
                    bool if_exists,
                    const struct qual_name *table,
                    struct slabs_stmt *slabs)
{
    struct stmt *s = ps->rc < 0 ? NULL : sql_stmt(ps, STMT_SLABS);

    if (!s)
        return;
    s->name = *table;
    s->if_exists = if_exists;
    s->slabs = slabs;
}

void sql_show_slabs(struct sql_parser *ps, const struct qual_name *table)
{
    struct slabs_stmt *slabs = sql_slabs(ps, SLABS_SHOW, NULL, sql_list_none(ps));

    if (ps->rc < 0)
        return;
    sql_stmt_named(ps, STMT_SHOW_PARTITIONS, table);
    ps->stmt->slabs = slabs;
}

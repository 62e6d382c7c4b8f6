/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_copy.c: builders of COPY. What goes out is always a SELECT: that of a table's name is made
 * here. */
#include "base/text.h"
#include "sql/build_misc.h"
#include "sql/build_query.h"

#include <string.h>
#include <strings.h>

struct option_spec *sql_option_on(struct sql_parser *ps, struct sql_token name)
{
    struct option_spec *o = sql_new(ps, sizeof *o);

    if (!o)
        return NULL;
    o->name = sql_spec_name(ps, name);
    o->value_pos = name.pos;
    return o;
}

struct option_spec *sql_copy_word(struct sql_parser *ps, struct sql_token name)
{
    struct option_spec *o = sql_option_on(ps, name);

    if (ps->rc < 0)
        return NULL;
    if (strcasecmp(o->name.s, "csv") == 0 || strcasecmp(o->name.s, "binary") == 0) {
        o->value = o->name.s;
        o->name.s = "format";
    }
    return o;
}

struct option_spec *sql_value_names(struct sql_parser *ps, uint32_t pos, struct sql_list names)
{
    struct spec_name *list = sql_list_take_structs(ps, names, sizeof *list);
    struct option_spec *o = sql_new(ps, sizeof *o);
    struct buf b;

    if (!o || !list)
        return NULL;
    buf_init(&b, ps->arena->owner);
    for (uint32_t i = 0; i < names.count; i++) {
        buf_puts(&b, i ? ", " : "(");
        sql_print_ident(list[i].s, &b);
    }
    buf_puts(&b, ")");
    if (!b.failed)
        o->value = arena_strndup(ps->arena, (const char *)b.data, b.len);
    buf_done(&b);
    if (!o->value)
        sql_fail_nomem(ps);
    o->value_pos = pos;
    return o;
}

struct option_spec *sql_copy_force(struct sql_parser *ps,
                                   const char *option,
                                   struct sql_token word,
                                   struct option_spec *value)
{
    struct option_spec *o = sql_option(ps, word, value);

    if (o)
        o->name.s = option;
    return o;
}

static struct copy_stmt *
copy_new(struct sql_parser *ps, struct sql_token place, struct sql_list options)
{
    struct copy_stmt *c = sql_new(ps, sizeof *c);
    uint32_t len;

    if (!c)
        return NULL;
    c->file_pos = place.pos;
    if (text_one_of(place.ptr[0], "'eE$") || (place.len > 1 && place.ptr[1] == '&')) {
        c->file = sql_string_text(ps, place, &len);
        if (ps->rc == 0 && memchr(c->file, '\0', len))
            sql_fail(ps, DN_E_BAD_NAME, place.pos, "the name of a file cannot hold a NUL");
    } else {
        c->place = COPY_STDIO;
    }
    c->options_count = options.count;
    c->options = sql_list_take_structs(ps, options, sizeof(struct option_spec));
    return ps->rc < 0 ? NULL : c;
}

/* SELECT * or the columns FROM the table. */
static struct query *copy_select(struct sql_parser *ps, const struct copy_stmt *c)
{
    struct select_core *s = sql_new(ps, sizeof *s);
    uint32_t n = c->columns ? c->columns_count : 1;
    struct select_item *items = sql_new(ps, n * sizeof *items);

    if (!s || !items)
        return NULL;
    s->pos = c->table.pos;
    s->items = items;
    s->items_count = n;
    s->from = sql_new(ps, sizeof(struct from_item *));
    if (!s->from)
        return NULL;
    s->from[0] = sql_from(ps, &c->table, false);
    s->from_count = 1;
    for (uint32_t i = 0; i < n; i++) {
        struct expr *e = sql_expr_new(ps,
                                      c->columns ? EXPR_COLUMN : EXPR_STAR,
                                      c->columns ? c->columns[i].pos : c->table.pos);

        if (!e)
            return NULL;
        e->plain = !c->columns;
        if (c->columns) {
            e->name = c->columns[i].s;
            items[i].alias = c->columns[i].s;
            items[i].alias_pos = e->pos;
        }
        items[i].expr = e;
        items[i].pos = e->pos;
        items[i].end = e->pos + 1;
    }
    return ps->rc < 0 ? NULL : sql_query_core(ps, s);
}

void sql_copy(struct sql_parser *ps,
              bool from,
              const struct qual_name *table,
              struct sql_list columns,
              struct sql_token place,
              struct sql_list options,
              struct expr *where)
{
    struct copy_stmt *c = copy_new(ps, place, options);

    if (!c)
        return;
    c->from = from;
    c->where = where;
    c->table = *table;
    c->columns_count = columns.count;
    c->columns = sql_list_take_structs(ps, columns, sizeof(struct spec_name));
    if (ps->rc == 0 && !from)
        ps->stmt->explained = sql_new_query_stmt(ps, copy_select(ps, c));
    if (ps->rc < 0)
        return;
    ps->stmt->kind = STMT_COPY;
    ps->stmt->copy = c;
}

void sql_copy_query(struct sql_parser *ps,
                    struct stmt *query,
                    struct sql_token place,
                    struct sql_list options)
{
    struct copy_stmt *c = copy_new(ps, place, options);

    if (!c)
        return;
    ps->stmt->kind = STMT_COPY;
    ps->stmt->copy = c;
    ps->stmt->explained = query;
}

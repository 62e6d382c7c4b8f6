/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_dml.c: builders of INSERT, UPDATE and DELETE. They make a statement of their own, since one
 * may stand in a WITH; sql_dml makes it the parser's. */
#include "sql/build_misc.h"
#include "sql/build_query.h"

void sql_dml(struct sql_parser *ps, const struct stmt *s)
{
    if (ps->rc < 0)
        return;
    ps->stmt->kind = s->kind;
    ps->stmt->insert = s->insert;
    ps->stmt->change = s->change;
}

static struct stmt *dml_new(struct sql_parser *ps, enum stmt_kind kind)
{
    struct stmt *s = sql_new(ps, sizeof *s);

    if (s)
        s->kind = kind;
    return s;
}

static void dml_deeper(uint32_t *depth, uint32_t child)
{
    if (child >= *depth)
        *depth = child + 1;
}

static void dml_deeper_expr(uint32_t *depth, const struct expr *e)
{
    if (e)
        dml_deeper(depth, e->depth);
}

static void dml_deeper_sets(uint32_t *depth, const struct set_item *sets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        dml_deeper_expr(depth, sets[i].expr);
        dml_deeper_expr(depth, sets[i].place);
    }
}

static void dml_deeper_items(uint32_t *depth, const struct select_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        dml_deeper_expr(depth, items[i].expr);
}

static void dml_check_depth(struct sql_parser *ps, uint32_t depth, uint32_t pos)
{
    if (depth > SQL_QUERY_DEPTH)
        sql_fail_deep(ps, pos);
}

/* ---- INSERT ---- */

struct insert_stmt *sql_insert_begin(struct sql_parser *ps,
                                     const struct qual_name *table,
                                     const struct sql_token *alias)
{
    struct insert_stmt *s = sql_new(ps, sizeof *s);

    if (!s)
        return NULL;
    s->table = *table;
    s->alias = alias ? sql_name(ps, *alias) : NULL;
    return s;
}

struct insert_stmt *
sql_insert_source(struct sql_parser *ps, struct sql_list columns, int overriding, struct query *q)
{
    struct insert_stmt *s = sql_new(ps, sizeof *s);

    if (!s)
        return NULL;
    s->columns_count = columns.count;
    s->columns = sql_list_take_structs(ps, columns, sizeof *s->columns);
    s->overriding = (enum overriding)overriding;
    s->query = q;
    return s;
}

struct insert_stmt *sql_insert_ttl(struct insert_stmt *s, struct expr *ttl)
{
    if (s)
        s->ttl = ttl;
    return s;
}

struct change_stmt *sql_change_ttl(struct change_stmt *c, struct expr *ttl)
{
    if (c)
        c->ttl = ttl;
    return c;
}

struct insert_stmt *sql_insert_end(struct sql_parser *ps,
                                   const struct insert_stmt *into,
                                   struct insert_stmt *source,
                                   const struct conflict_clause *conflict,
                                   struct sql_list returning)
{
    struct select_item *items = sql_list_take_structs(ps, returning, sizeof *items);
    const struct conflict_clause *c;

    if (ps->rc < 0)
        return NULL;
    source->table = into->table;
    source->alias = into->alias;
    source->returning = items;
    source->returning_count = returning.count;
    if (conflict)
        source->conflict = *conflict;
    c = &source->conflict;
    source->depth = 1;
    if (source->query)
        dml_deeper(&source->depth, source->query->depth);
    dml_deeper_expr(&source->depth, source->ttl);
    dml_deeper_items(&source->depth, items, returning.count);
    dml_deeper_sets(&source->depth, c->set, c->set_count);
    dml_deeper_expr(&source->depth, c->where);
    dml_deeper_expr(&source->depth, c->target_where);
    for (uint32_t i = 0; i < c->target_count; i++)
        dml_deeper_expr(&source->depth, c->target[i].expr);
    dml_check_depth(ps, source->depth, into->table.pos);
    return source;
}

struct stmt *sql_insert_with(struct sql_parser *ps, struct with_clause *with, struct insert_stmt *s)
{
    struct stmt *stmt = dml_new(ps, STMT_INSERT);

    if (!stmt)
        return NULL;
    stmt->insert = s;
    s->with = with;
    if (with)
        dml_deeper(&s->depth, with->depth);
    dml_check_depth(ps, s->depth, s->table.pos);
    return stmt;
}

struct conflict_clause *
sql_conflict_target(struct sql_parser *ps, struct sql_list elems, struct expr *where)
{
    struct conflict_clause *c = sql_new(ps, sizeof *c);

    if (!c)
        return NULL;
    c->target_count = elems.count;
    c->target = sql_list_take_structs(ps, elems, sizeof *c->target);
    c->target_where = where;
    return c;
}

struct conflict_clause *sql_conflict_constraint(struct sql_parser *ps, struct sql_token name)
{
    struct conflict_clause *c = sql_new(ps, sizeof *c);

    if (c)
        c->constraint = sql_spec_name(ps, name);
    return c;
}

/* Column k of a query of `count` columns, as a value: (SELECT ck FROM (query) AS r (c1, …)). */
static struct expr *
conflict_value(struct sql_parser *ps, const struct expr *row, uint32_t k, uint32_t count)
{
    struct expr *e = sql_expr_new(ps, EXPR_QUERY, row->pos);
    struct expr *column = sql_expr_new(ps, EXPR_COLUMN, row->pos);
    struct query *q = sql_new(ps, sizeof *q);
    struct select_core *core = sql_new(ps, sizeof *core);
    struct select_item *item = sql_new(ps, sizeof *item);
    struct from_item **from = sql_new(ps, sizeof *from);
    struct from_item *of = sql_from_query(ps, row->query, false);
    struct spec_name *names = sql_new(ps, count * sizeof *names);

    if (ps->rc < 0)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = (struct spec_name){.s = arena_printf(ps->arena, "c%u", i + 1), .pos = row->pos};
        if (!names[i].s)
            sql_fail_nomem(ps);
    }
    of->alias = "r";
    of->alias_pos = row->pos;
    of->columns = names;
    of->columns_count = count;
    from[0] = of;
    column->name = names[k].s;
    *item = (struct select_item){.expr = column, .pos = row->pos, .end = row->pos + 1};
    *core = (struct select_core){
        .items = item, .items_count = 1, .from = from, .from_count = 1, .pos = row->pos};
    *q =
        (struct query){.kind = QUERY_SELECT, .pos = row->pos, .depth = of->depth + 1, .core = core};
    e->query = q;
    return sql_expr_done(ps, column) ? sql_expr_done(ps, e) : NULL;
}

/* (a, b) = (query) as an item for each column. */
static void conflict_sets(struct sql_parser *ps, struct set_item **sets, uint32_t *count)
{
    struct set_item *out;
    uint32_t total = 0, n = 0;

    for (uint32_t i = 0; i < *count; i++)
        total += (*sets)[i].columns ? (*sets)[i].columns_count : 1;
    out = total > *count ? sql_new(ps, total * sizeof *out) : NULL;
    for (uint32_t i = 0; out && i < *count; i++) {
        const struct set_item *from = &(*sets)[i];
        const struct query *q = from->columns ? from->expr->query : NULL;
        bool star = false;

        if (!from->columns) {
            out[n++] = *from;
            continue;
        }
        if (!q) {
            sql_fail(ps,
                     DN_E_UNSUPPORTED,
                     from->expr->pos,
                     "ON CONFLICT DO UPDATE takes no ROW() of all columns");
            break;
        }
        for (uint32_t k = 0; q->core && k < q->core->items_count; k++)
            star = star || q->core->items[k].expr->kind == EXPR_STAR;
        if (q->core && !star && q->core->items_count != from->columns_count)
            sql_fail(ps,
                     DN_E_SYNTAX,
                     from->expr->pos,
                     "number of columns does not match number of values");
        for (uint32_t k = 0; ps->rc == 0 && k < from->columns_count; k++)
            out[n++] =
                (struct set_item){.column = from->columns[k],
                                  .expr = conflict_value(ps, from->expr, k, from->columns_count)};
    }
    if (out) {
        *sets = out;
        *count = n;
    }
}

struct conflict_clause *sql_conflict(struct sql_parser *ps,
                                     uint32_t pos,
                                     struct conflict_clause *target,
                                     enum conflict_action action,
                                     struct sql_list sets,
                                     struct expr *where)
{
    struct set_item *items = sql_list_take_structs(ps, sets, sizeof *items);
    struct conflict_clause *c = target ? target : sql_new(ps, sizeof *c);

    if (ps->rc < 0)
        return NULL;
    conflict_sets(ps, &items, &sets.count);
    c->action = action;
    c->pos = pos;
    c->set = items;
    c->set_count = sets.count;
    c->where = where;
    if (action == CONFLICT_UPDATE && !target) {
        sql_fail(ps,
                 DN_E_SYNTAX,
                 pos,
                 "ON CONFLICT DO UPDATE requires inference specification or constraint name");
        dn_err_hint(ps->err, "for example, ON CONFLICT (column_name)");
    }
    return c;
}

/* ---- UPDATE, DELETE ---- */

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

struct change_stmt *sql_change_end(struct sql_parser *ps,
                                   struct change_stmt *c,
                                   struct sql_list sets,
                                   struct sql_list from,
                                   struct expr *where,
                                   struct sql_list returning)
{
    struct select_item *items = sql_list_take_structs(ps, returning, sizeof *items);
    struct from_item **tables = sql_list_take(ps, from);
    struct set_item *set = sql_list_take_structs(ps, sets, sizeof *set);

    if (ps->rc < 0)
        return NULL;
    c->set = set;
    c->set_count = sets.count;
    c->from = tables;
    c->from_count = from.count;
    c->where = where;
    c->returning = items;
    c->returning_count = returning.count;
    c->depth = 1;
    dml_deeper_sets(&c->depth, set, sets.count);
    dml_deeper_items(&c->depth, items, returning.count);
    dml_deeper_expr(&c->depth, where);
    dml_deeper_expr(&c->depth, c->ttl);
    for (uint32_t i = 0; i < from.count; i++)
        dml_deeper(&c->depth, tables[i]->depth);
    dml_check_depth(ps, c->depth, c->table.pos);
    return c;
}

struct change_stmt *
sql_change_current(struct sql_parser *ps, struct change_stmt *c, struct sql_token cursor)
{
    if (c)
        c->current_of = sql_spec_name(ps, cursor);
    return c;
}

struct stmt *sql_change_stmt(struct sql_parser *ps,
                             enum stmt_kind kind,
                             struct with_clause *with,
                             struct change_stmt *c)
{
    struct stmt *s = dml_new(ps, kind);

    if (!s)
        return NULL;
    s->change = c;
    c->with = with;
    if (with)
        dml_deeper(&c->depth, with->depth);
    dml_check_depth(ps, c->depth, c->table.pos);
    return s;
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

struct set_item *sql_set_place(struct sql_parser *ps, struct expr *place, struct expr *e)
{
    struct set_item *item = place && e ? sql_new(ps, sizeof *item) : NULL;
    const struct expr *column = place;

    if (!item)
        return NULL;
    while (column->kind == EXPR_SUBSCRIPT)
        column = column->a;
    item->column = (struct spec_name){.s = column->name, .pos = column->pos};
    item->place = place;
    item->expr = e;
    return item;
}

/* ROW(t.*): how many values it has is known when t is. */
static bool set_has_star(const struct expr *e)
{
    bool star = false;

    for (uint32_t i = 0; i < e->args_count; i++)
        star = star || (e->args[i] && e->args[i]->kind == EXPR_STAR);
    return star;
}

/* A row of values is one item for each column. */
struct sql_list sql_set_row(struct sql_parser *ps, struct sql_list names, struct expr *e)
{
    uint32_t count = names.count;
    struct spec_name *columns = sql_list_take_structs(ps, names, sizeof *columns);
    struct sql_list list = sql_list_none(ps);
    struct set_item *item;

    if (ps->rc < 0 || !e)
        return list;
    if (e->kind != EXPR_ROW || set_has_star(e)) {
        item = sql_new(ps, sizeof *item);
        if (!item)
            return list;
        item->column = columns[0];
        item->columns = columns;
        item->columns_count = count;
        item->expr = e;
        if (e->kind != EXPR_QUERY && e->kind != EXPR_ROW)
            sql_fail(ps,
                     DN_E_UNSUPPORTED,
                     e->pos,
                     "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() "
                     "expression");
        return sql_list_one(ps, item);
    }
    if (e->args_count != count) {
        sql_fail(ps, DN_E_SYNTAX, e->pos, "number of columns does not match number of values");
        return list;
    }
    for (uint32_t i = 0; i < count; i++) {
        item = sql_new(ps, sizeof *item);
        if (!item)
            return list;
        item->column = columns[i];
        item->expr = e->args[i];
        list = i ? sql_list_add(ps, list, item) : sql_list_one(ps, item);
    }
    if (ps->row_default == e->pos)
        ps->row_default = 0;
    return list;
}

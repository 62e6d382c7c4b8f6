/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_query.c: builders of queries. The depth of a query is that of everything in it plus one, so
 * that expressions in queries in expressions are capped as one tree. */
#include "sql/build_ddl.h"
#include "sql/build_query.h"

#include <string.h>

static void deeper(uint32_t *depth, uint32_t child)
{
    if (child >= *depth)
        *depth = child + 1;
}

static void deeper_expr(uint32_t *depth, const struct expr *e)
{
    if (e)
        deeper(depth, e->depth);
}

static void deeper_orders(uint32_t *depth, const struct order_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        deeper_expr(depth, items[i].expr);
}

static struct query *query_depth(struct sql_parser *ps, struct query *q, uint32_t depth)
{
    q->depth = depth;
    if (depth > SQL_QUERY_DEPTH)
        sql_fail_deep(ps, q->pos);
    return q;
}

static struct query *query_new(struct sql_parser *ps, enum query_kind kind, uint32_t pos)
{
    struct query *q = sql_new(ps, sizeof *q);

    if (!q)
        return NULL;
    q->kind = kind;
    q->pos = pos;
    q->depth = 1;
    return q;
}

/* ---- SELECT ---- */

struct select_core *sql_core(struct sql_parser *ps,
                             uint32_t pos,
                             bool distinct,
                             struct sql_list distinct_on,
                             struct sql_list items)
{
    struct select_core *s = sql_new(ps, sizeof *s);

    if (!s)
        return NULL;
    s->pos = pos;
    s->distinct = distinct;
    s->items_count = items.count;
    s->items = sql_list_take_structs(ps, items, sizeof *s->items);
    s->distinct_on_count = distinct_on.count;
    s->distinct_on = sql_list_take(ps, distinct_on);
    return ps->rc < 0 ? NULL : s;
}

static void deeper_window(uint32_t *depth, const struct window_def *w)
{
    for (uint32_t i = 0; i < w->partition_by_count; i++)
        deeper_expr(depth, w->partition_by[i]);
    deeper_orders(depth, w->order_by, w->order_by_count);
    deeper_expr(depth, w->from_value);
    deeper_expr(depth, w->to_value);
}

struct query *sql_query_core(struct sql_parser *ps, struct select_core *core)
{
    struct query *q = query_new(ps, QUERY_SELECT, core ? core->pos : 0);
    uint32_t depth = 1;

    if (!q)
        return NULL;
    q->core = core;
    for (uint32_t i = 0; i < core->items_count; i++)
        deeper_expr(&depth, core->items[i].expr);
    for (uint32_t i = 0; i < core->distinct_on_count; i++)
        deeper_expr(&depth, core->distinct_on[i]);
    for (uint32_t i = 0; i < core->from_count; i++)
        deeper(&depth, core->from[i]->depth);
    for (uint32_t i = 0; i < core->group_by_count; i++)
        deeper(&depth, core->group_by[i].depth);
    for (uint32_t i = 0; i < core->windows_count; i++)
        deeper_window(&depth, &core->windows[i]);
    deeper_expr(&depth, core->where);
    deeper_expr(&depth, core->having);
    return query_depth(ps, q, depth);
}

struct query *sql_table_query(struct sql_parser *ps, uint32_t pos, const struct qual_name *table)
{
    struct select_item *item = sql_item(ps, pos, sql_star(ps, NULL, NULL, pos), NULL);
    struct select_core *s = sql_core(ps, pos, false, sql_list_none(ps), sql_list_one(ps, item));
    struct from_item **from = sql_new(ps, sizeof(struct from_item *));

    if (!s || !from)
        return NULL;
    from[0] = sql_from(ps, table, false);
    s->from = from;
    s->from_count = 1;
    return ps->rc < 0 ? NULL : sql_query_core(ps, s);
}

struct group_item *sql_group(struct sql_parser *ps, struct expr *e)
{
    struct group_item *g = sql_new(ps, sizeof *g);

    if (!g)
        return NULL;
    g->kind = GROUP_EXPR;
    g->pos = e->pos;
    g->depth = e->depth;
    g->expr = e;
    return g;
}

struct group_item *
sql_groups(struct sql_parser *ps, enum group_kind kind, uint32_t pos, struct sql_list items)
{
    struct group_item *g = sql_new(ps, sizeof *g);

    if (!g)
        return NULL;
    g->kind = kind;
    g->pos = pos;
    g->depth = 1;
    g->items_count = items.count;
    g->items = sql_list_take_structs(ps, items, sizeof *g->items);
    for (uint32_t i = 0; ps->rc == 0 && i < items.count; i++)
        deeper(&g->depth, g->items[i].depth);
    if (g->depth > SQL_QUERY_DEPTH)
        sql_fail_deep(ps, pos);
    return g;
}

/* ---- VALUES ---- */

struct query *sql_values(struct sql_parser *ps, uint32_t pos, uint32_t first_row)
{
    struct query *q = query_new(ps, QUERY_VALUES, pos);
    uint32_t n = ps->rc < 0 ? 0 : ps->rows_len - first_row;
    const struct sql_row *rows;
    struct values_rows *v;
    uint32_t depth = 1;

    if (!q)
        return NULL;
    v = &q->values;
    rows = ps->rows + first_row;
    v->rows = sql_new(ps, n * sizeof *v->rows);
    v->rows_len = sql_new(ps, n * sizeof *v->rows_len);
    v->rows_pos = sql_new(ps, n * sizeof *v->rows_pos);
    if (ps->rc < 0)
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        v->rows[i] = rows[i].values;
        v->rows_len[i] = rows[i].len;
        v->rows_pos[i] = rows[i].pos;
        if (rows[i].depth >= depth)
            depth = rows[i].depth + 1;
        if (rows[i].has_default && v->default_pos == 0)
            v->default_pos = rows[i].pos;
    }
    v->rows_count = n;
    ps->rows_len = first_row;
    return query_depth(ps, q, depth);
}

struct query *sql_query_plain(struct sql_parser *ps, struct query *q)
{
    if (ps->rc == 0 && q->kind == QUERY_VALUES && q->values.default_pos)
        sql_fail(ps,
                 DN_E_SYNTAX,
                 q->values.default_pos,
                 "DEFAULT is not allowed in this context: it stands in the VALUES of an INSERT");
    return q;
}

/* ---- set operations, and what surrounds a body ---- */

struct query *sql_set_op(struct sql_parser *ps,
                         enum set_op op,
                         uint32_t pos,
                         bool all,
                         struct query *left,
                         struct query *right)
{
    struct query *q = query_new(ps, QUERY_SET, left ? left->pos : pos);
    uint32_t depth = 1;

    if (!q)
        return NULL;
    q->set = op;
    q->set_pos = pos;
    q->all = all;
    q->left = sql_query_plain(ps, left);
    q->right = sql_query_plain(ps, right);
    deeper(&depth, left->depth);
    deeper(&depth, right->depth);
    return query_depth(ps, q, depth);
}

struct sql_tail *sql_tail(struct sql_parser *ps,
                          struct sql_list order,
                          const struct sql_limit *limit,
                          struct sql_list locks)
{
    struct sql_tail *t = sql_new(ps, sizeof *t);

    if (!t)
        return NULL;
    t->locks_count = locks.count; /* the list that was begun last */
    t->locks = sql_list_take_structs(ps, locks, sizeof *t->locks);
    t->order_by_count = order.count;
    t->order_by = sql_list_take_structs(ps, order, sizeof *t->order_by);
    t->limit = limit;
    return ps->rc < 0 ? NULL : t;
}

struct order_item *sql_order_using(struct sql_parser *ps,
                                   struct expr *e,
                                   struct sql_token symbol,
                                   enum nulls_order nulls)
{
    struct order_item *o = sql_order(ps, e, false, nulls);

    if (o)
        o->using_op = sql_name(ps, symbol);
    return o;
}

struct sql_limit *sql_limits(struct sql_limit *limit, const struct sql_limit *offset)
{
    if (limit && offset)
        limit->offset = offset->offset;
    return limit;
}

struct sql_limit *
sql_fetch_first(struct sql_parser *ps, uint32_t pos, struct expr *count, bool ties)
{
    struct sql_limit *l;

    if (!count && ps->rc == 0) {
        count = sql_integer(ps, (struct sql_token){.ptr = "1", .len = 1, .pos = pos});
    }
    l = sql_limit(ps, count, NULL);
    if (l) {
        l->with_ties = ties;
        l->pos = pos;
    }
    return l;
}

struct lock_clause *
sql_lock_clause(struct sql_parser *ps, uint32_t pos, int mode, struct sql_list of, int wait)
{
    struct lock_clause *k = sql_new(ps, sizeof *k);

    if (!k)
        return NULL;
    k->mode = (enum lock_mode)mode;
    k->wait = (enum lock_wait)wait;
    k->pos = pos;
    k->of_count = of.count;
    k->of = sql_list_take_structs(ps, of, sizeof *k->of);
    return ps->rc < 0 ? NULL : k;
}

/* Those of a query in parentheses stand before those behind them. */
static void tail_locks(struct sql_parser *ps, struct query *q, const struct sql_tail *tail)
{
    struct lock_clause *all =
        sql_new(ps, ((size_t)q->locks_count + tail->locks_count) * sizeof *all);

    if (!all)
        return;
    if (q->locks_count)
        memcpy(all, q->locks, q->locks_count * sizeof *all);
    memcpy(all + q->locks_count, tail->locks, tail->locks_count * sizeof *all);
    q->locks = all;
    q->locks_count += tail->locks_count;
}

static void tail_twice(struct sql_parser *ps, const char *what, uint32_t pos)
{
    sql_fail(ps, DN_E_SYNTAX, pos, "multiple %s clauses not allowed", what);
}

static void
tail_limit(struct sql_parser *ps, struct query *q, const struct sql_limit *l, uint32_t *depth)
{
    if ((l->limit && q->limit) || (l->offset && q->offset))
        tail_twice(
            ps, l->limit && q->limit ? "LIMIT" : "OFFSET", (l->limit ? l->limit : l->offset)->pos);
    if (l->limit) {
        q->limit = l->limit;
        q->with_ties = l->with_ties;
    }
    if (l->offset)
        q->offset = l->offset;
    if (l->with_ties && q->order_by_count == 0)
        sql_fail(ps, DN_E_SYNTAX, l->pos, "WITH TIES cannot be specified without ORDER BY clause");
    deeper_expr(depth, l->limit);
    deeper_expr(depth, l->offset);
}

struct query *sql_query_tail(struct sql_parser *ps,
                             struct with_clause *with,
                             struct query *q,
                             const struct sql_tail *tail)
{
    uint32_t depth;

    if (ps->rc < 0)
        return NULL;
    sql_query_plain(ps, q);
    depth = q->depth;
    if (tail && tail->order_by_count > 0) {
        if (q->order_by_count > 0)
            tail_twice(ps, "ORDER BY", tail->order_by[0].expr->pos);
        q->order_by = tail->order_by;
        q->order_by_count = tail->order_by_count;
        deeper_orders(&depth, q->order_by, q->order_by_count);
    }
    if (tail && tail->limit)
        tail_limit(ps, q, tail->limit, &depth);
    if (tail && tail->locks_count > 0)
        tail_locks(ps, q, tail);
    if (with) {
        if (q->with)
            tail_twice(ps, "WITH", with->pos);
        q->with = with;
        q->pos = with->pos;
        deeper(&depth, with->depth);
    }
    return query_depth(ps, q, depth);
}

/* ---- WITH ---- */

struct cte *sql_cte(struct sql_parser *ps,
                    struct sql_token name,
                    struct sql_list columns,
                    int material,
                    struct query *query,
                    struct stmt *change)
{
    struct cte *c = sql_new(ps, sizeof *c);

    if (!c)
        return NULL;
    c->name = sql_spec_name(ps, name);
    c->columns_count = columns.count;
    c->columns = sql_list_take_structs(ps, columns, sizeof *c->columns);
    c->material = (enum cte_material)material;
    c->query = query;
    c->change = change;
    return c;
}

static uint32_t stmt_depth(const struct stmt *s)
{
    return s->insert ? s->insert->depth : s->change->depth;
}

struct with_clause *
sql_with(struct sql_parser *ps, uint32_t pos, bool recursive, struct sql_list ctes)
{
    struct with_clause *w = sql_new(ps, sizeof *w);

    if (!w)
        return NULL;
    w->pos = pos;
    w->recursive = recursive;
    w->depth = 1;
    w->ctes_count = ctes.count;
    w->ctes = sql_list_take_structs(ps, ctes, sizeof *w->ctes);
    for (uint32_t i = 0; ps->rc == 0 && i < ctes.count; i++) {
        const struct cte *c = &w->ctes[i];
        deeper(&w->depth, c->query ? c->query->depth : stmt_depth(c->change));
    }
    if (w->depth > SQL_QUERY_DEPTH)
        sql_fail_deep(ps, pos);
    return ps->rc < 0 ? NULL : w;
}

/* ---- statements ---- */

struct stmt *sql_new_query_stmt(struct sql_parser *ps, struct query *q)
{
    struct stmt *s = sql_new(ps, sizeof *s);

    if (!s)
        return NULL;
    s->kind = STMT_SELECT;
    s->query = sql_query_plain(ps, q);
    return s;
}

struct sql_into *sql_select_into(struct sql_parser *ps,
                                 uint32_t pos,
                                 struct sql_persist persist,
                                 const struct qual_name *name)
{
    struct sql_into *into = sql_new(ps, sizeof *into);

    if (!into)
        return NULL;
    if (ps->into) {
        sql_fail(ps, DN_E_SYNTAX, pos, "SELECT ... INTO is not allowed here");
        return NULL;
    }
    *into = (struct sql_into){.persist = persist, .name = *name, .pos = pos};
    ps->into = into;
    return into;
}

void sql_query_stmt(struct sql_parser *ps, struct query *q)
{
    const struct sql_into *into = ps->into;
    const struct query *first = q;
    struct stmt *s = sql_stmt(ps, STMT_SELECT);

    if (!s)
        return;
    while (first->kind == QUERY_SET)
        first = first->left;
    if (into && first->kind == QUERY_SELECT && into->core == first->core) {
        ps->into = NULL;
        sql_create_begin(ps, into->persist, false, &into->name);
        sql_create_as(ps, sql_list_none(ps), sql_list_none(ps), ON_COMMIT_DEFAULT, q, true);
        return;
    }
    s->query = sql_query_plain(ps, q);
}

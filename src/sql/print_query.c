/* SPDX-License-Identifier: Apache-2.0
 *
 * print_query.c: queries as text. The operands of a set operation stand in parentheses unless they
 * are a plain SELECT or VALUES, or its left operand of at least the same strength. Recursion is
 * bounded by SQL_DEPTH_MAX. */
#include "sql/print_int.h"

void sql_print_names(const struct spec_name *names, size_t count, struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "(");
        sql_print_ident(names[i].s, b);
    }
    buf_puts(b, ")");
}

static void print_alias(const char *alias, struct buf *b)
{
    if (alias) {
        buf_puts(b, " AS ");
        sql_print_ident(alias, b);
    }
}

void sql_print_items(const struct select_item *items, uint32_t count, struct buf *b)
{
    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_expr(items[i].expr, b);
        print_alias(items[i].alias, b);
    }
}

void sql_print_orders(const struct order_item *items,
                      uint32_t count,
                      const char *before,
                      struct buf *b)
{
    static const char *const nulls[] = {
        [NULLS_DEFAULT] = "", [NULLS_FIRST] = " NULLS FIRST", [NULLS_LAST] = " NULLS LAST"};

    if (count > 0)
        buf_printf(b, "%sORDER BY ", before);
    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_expr(items[i].expr, b);
        if (items[i].using_op)
            buf_printf(b, " USING %s", items[i].using_op);
        buf_puts(b, items[i].desc ? " DESC" : "");
        buf_puts(b, nulls[items[i].nulls]);
    }
}

static void print_list(const char *before, struct expr *const *list, uint32_t count, struct buf *b)
{
    for (uint32_t i = 0; i < count; i++)
        sql_print_opt(i ? ", " : before, list[i], b);
}

/* ---- windows ---- */

static void print_bound(enum frame_bound bound, const struct expr *value, struct buf *b)
{
    static const char *const words[] = {
        [FRAME_UNBOUNDED_PRECEDING] = "UNBOUNDED PRECEDING",
        [FRAME_PRECEDING] = " PRECEDING",
        [FRAME_CURRENT] = "CURRENT ROW",
        [FRAME_FOLLOWING] = " FOLLOWING",
        [FRAME_UNBOUNDED_FOLLOWING] = "UNBOUNDED FOLLOWING",
    };

    if (value)
        sql_print_expr(value, b);
    buf_puts(b, words[bound]);
}

void sql_print_window(const struct window_def *w, struct buf *b)
{
    static const char *const modes[] = {
        [FRAME_NONE] = "",
        [FRAME_ROWS] = "ROWS",
        [FRAME_RANGE] = "RANGE",
        [FRAME_GROUPS] = "GROUPS",
    };
    static const char *const excludes[] = {
        [EXCLUDE_NONE] = "",
        [EXCLUDE_CURRENT] = " EXCLUDE CURRENT ROW",
        [EXCLUDE_GROUP] = " EXCLUDE GROUP",
        [EXCLUDE_TIES] = " EXCLUDE TIES",
    };
    const char *before = "";

    buf_puts(b, "(");
    if (w->ref) {
        sql_print_ident(w->ref, b);
        before = " ";
    }
    if (w->partition_by_count > 0) {
        buf_puts(b, before);
        print_list("PARTITION BY ", w->partition_by, w->partition_by_count, b);
        before = " ";
    }
    if (w->order_by_count > 0) {
        sql_print_orders(w->order_by, w->order_by_count, before, b);
        before = " ";
    }
    if (w->mode != FRAME_NONE) {
        buf_printf(b, "%s%s BETWEEN ", before, modes[w->mode]);
        print_bound(w->from, w->from_value, b);
        buf_puts(b, " AND ");
        print_bound(w->to, w->to_value, b);
        buf_puts(b, excludes[w->excluded]);
    }
    buf_puts(b, ")");
}

/* ---- FROM ---- */

static void print_from_tail(const struct from_item *f, struct buf *b)
{
    print_alias(f->alias, b);
    if (f->columns) {
        buf_puts(b, " ");
        sql_print_names(f->columns, f->columns_count, b);
    }
    if (f->column_defs && !f->alias)
        buf_puts(b, " AS");
    for (uint32_t i = 0; i < f->column_defs_count; i++) {
        buf_puts(b, i ? ", " : " (");
        sql_print_ident(f->column_defs[i].name.s, b);
        buf_puts(b, " ");
        sql_print_type(f->column_defs[i].type, b);
    }
    buf_puts(b, f->column_defs ? ")" : "");
}

static void print_join(const struct from_item *f, struct buf *b)
{
    static const char *const joins[JOIN_KIND_MAX] = {
        [JOIN_INNER] = "JOIN ",
        [JOIN_LEFT] = "LEFT JOIN ",
        [JOIN_RIGHT] = "RIGHT JOIN ",
        [JOIN_FULL] = "FULL JOIN ",
        [JOIN_CROSS] = "CROSS JOIN ",
    };
    bool inner = f->right->kind == FROM_JOIN && !f->right->alias;

    sql_print_from(f->left, b);
    buf_puts(b, f->natural ? " NATURAL " : " ");
    buf_puts(b, joins[f->join]);
    buf_puts(b, inner ? "(" : "");
    sql_print_from(f->right, b);
    buf_puts(b, inner ? ")" : "");
    sql_print_opt(" ON ", f->on, b);
    if (f->using) {
        buf_puts(b, " USING ");
        sql_print_names(f->using, f->using_count, b);
        print_alias(f->using_alias, b);
    }
}

void sql_print_from(const struct from_item *f, struct buf *b)
{
    buf_puts(b, f->only ? "ONLY " : "");
    buf_puts(b, f->lateral ? "LATERAL " : "");
    switch (f->kind) {
    case FROM_TABLE:
        sql_print_qual(&f->table, b);
        break;
    case FROM_QUERY:
        buf_puts(b, "(");
        sql_print_query(f->query, b);
        buf_puts(b, ")");
        break;
    case FROM_FUNCTION:
        if (f->call)
            sql_print_expr(f->call, b);
        for (uint32_t i = 0; i < f->calls_count; i++) {
            buf_puts(b, i ? ", " : "ROWS FROM (");
            sql_print_expr(f->calls[i], b);
        }
        buf_puts(b, f->call ? "" : ")");
        buf_puts(b, f->ordinality ? " WITH ORDINALITY" : "");
        break;
    case FROM_JOIN:
        buf_puts(b, f->alias ? "(" : "");
        print_join(f, b);
        buf_puts(b, f->alias ? ")" : "");
        break;
    case FROM_FILE:
        sql_print_text(f->file, b);
        break;
    case FROM_KIND_MAX:
        break;
    }
    print_from_tail(f, b);
    if (!f->sample)
        return;
    buf_puts(b, " TABLESAMPLE ");
    sql_print_ident(f->sample->method.s, b);
    for (uint32_t i = 0; i < f->sample->args_count; i++)
        sql_print_opt(i ? ", " : " (", f->sample->args[i], b);
    buf_puts(b, ")");
    sql_print_opt(" REPEATABLE (", f->sample->seed, b);
    buf_puts(b, f->sample->seed ? ")" : "");
}

void sql_print_from_list(const char *before,
                         struct from_item *const *list,
                         uint32_t count,
                         struct buf *b)
{
    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : before);
        sql_print_from(list[i], b);
    }
}

/* ---- SELECT ---- */

static void print_groups(const struct group_item *items, uint32_t count, struct buf *b)
{
    static const char *const words[GROUP_KIND_MAX] = {
        [GROUP_EXPR] = "",
        [GROUP_EMPTY] = "()",
        [GROUP_ROLLUP] = "ROLLUP (",
        [GROUP_CUBE] = "CUBE (",
        [GROUP_SETS] = "GROUPING SETS (",
    };

    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "");
        buf_puts(b, words[items[i].kind]);
        if (items[i].kind == GROUP_EXPR) {
            sql_print_expr(items[i].expr, b);
        } else if (items[i].kind != GROUP_EMPTY) {
            print_groups(items[i].items, items[i].items_count, b);
            buf_puts(b, ")");
        }
    }
}

static void print_core(const struct select_core *s, struct buf *b)
{
    buf_puts(b, s->distinct ? "SELECT DISTINCT" : "SELECT");
    if (s->distinct_on) {
        print_list(" ON (", s->distinct_on, s->distinct_on_count, b);
        buf_puts(b, ")");
    }
    buf_puts(b, s->items_count > 0 ? " " : "");
    sql_print_items(s->items, s->items_count, b);
    sql_print_from_list(" FROM ", s->from, s->from_count, b);
    sql_print_opt(" WHERE ", s->where, b);
    if (s->group_by_count > 0) {
        buf_puts(b, s->group_distinct ? " GROUP BY DISTINCT " : " GROUP BY ");
        print_groups(s->group_by, s->group_by_count, b);
    }
    sql_print_opt(" HAVING ", s->having, b);
    for (uint32_t i = 0; i < s->windows_count; i++) {
        buf_puts(b, i ? ", " : " WINDOW ");
        sql_print_ident(s->windows[i].name, b);
        buf_puts(b, " AS ");
        sql_print_window(&s->windows[i], b);
    }
}

static void print_values(const struct values_rows *v, struct buf *b)
{
    buf_puts(b, "VALUES ");
    for (uint32_t i = 0; i < v->rows_count; i++) {
        buf_puts(b, i ? ", (" : "(");
        for (uint32_t j = 0; j < v->rows_len[i]; j++) {
            buf_puts(b, j ? ", " : "");
            if (v->rows[i][j])
                sql_print_expr(v->rows[i][j], b);
            else
                buf_puts(b, "DEFAULT");
        }
        buf_puts(b, ")");
    }
}

/* ---- queries ---- */

void sql_print_with(const struct with_clause *w, struct buf *b)
{
    static const char *const material[] = {
        [CTE_DEFAULT] = "AS (",
        [CTE_MATERIALIZED] = "AS MATERIALIZED (",
        [CTE_NOT_MATERIALIZED] = "AS NOT MATERIALIZED (",
    };

    if (!w)
        return;
    buf_puts(b, w->recursive ? "WITH RECURSIVE " : "WITH ");
    for (uint32_t i = 0; i < w->ctes_count; i++) {
        const struct cte *c = &w->ctes[i];

        buf_puts(b, i ? ", " : "");
        sql_print_ident(c->name.s, b);
        buf_puts(b, " ");
        if (c->columns) {
            sql_print_names(c->columns, c->columns_count, b);
            buf_puts(b, " ");
        }
        buf_puts(b, material[c->material]);
        if (c->query)
            sql_print_query(c->query, b);
        else
            sql_print_stmt(c->change, b);
        buf_puts(b, ")");
    }
    buf_puts(b, " ");
}

static bool query_is_bare(const struct query *q)
{
    return !q->with && q->order_by_count == 0 && !q->limit && !q->offset && q->locks_count == 0;
}

/* May it stand as an operand without parentheses? INTERSECT binds more than the others. */
static bool query_fits(const struct query *q, const struct query *parent, bool left)
{
    if (!query_is_bare(q))
        return false;
    if (q->kind != QUERY_SET)
        return true;
    return left && (q->set == SET_INTERSECT || parent->set != SET_INTERSECT);
}

static void
print_operand(const struct query *q, const struct query *parent, bool left, struct buf *b)
{
    bool fits = query_fits(q, parent, left);

    buf_puts(b, fits ? "" : "(");
    sql_print_query(q, b);
    buf_puts(b, fits ? "" : ")");
}

static void print_lock(const struct lock_clause *k, struct buf *b)
{
    static const char *const modes[] = {
        [LOCK_NONE] = "",
        [LOCK_UPDATE] = " FOR UPDATE",
        [LOCK_NO_KEY_UPDATE] = " FOR NO KEY UPDATE",
        [LOCK_SHARE] = " FOR SHARE",
        [LOCK_KEY_SHARE] = " FOR KEY SHARE",
    };
    static const char *const waits[] = {
        [LOCK_WAITS] = "", [LOCK_NOWAIT] = " NOWAIT", [LOCK_SKIPS] = " SKIP LOCKED"};

    buf_puts(b, modes[k->mode]);
    for (uint32_t i = 0; i < k->of_count; i++) {
        buf_puts(b, i ? ", " : " OF ");
        sql_print_qual(&k->of[i], b);
    }
    buf_puts(b, waits[k->wait]);
}

static void print_tail(const struct query *q, struct buf *b)
{
    sql_print_orders(q->order_by, q->order_by_count, " ", b);
    if (q->with_ties) {
        sql_print_opt(" OFFSET ", q->offset, b);
        buf_puts(b, q->offset ? " ROWS" : "");
        sql_print_opt(" FETCH FIRST ", q->limit, b);
        buf_puts(b, " ROWS WITH TIES");
    } else {
        sql_print_opt(" LIMIT ", q->limit, b);
        sql_print_opt(" OFFSET ", q->offset, b);
    }
    for (uint32_t i = 0; i < q->locks_count; i++)
        print_lock(&q->locks[i], b);
}

void sql_print_query(const struct query *q, struct buf *b)
{
    static const char *const sets[SET_OP_MAX] = {
        [SET_UNION] = " UNION ", [SET_INTERSECT] = " INTERSECT ", [SET_EXCEPT] = " EXCEPT "};

    sql_print_with(q->with, b);
    switch (q->kind) {
    case QUERY_SELECT:
        print_core(q->core, b);
        break;
    case QUERY_VALUES:
        print_values(&q->values, b);
        break;
    case QUERY_SET:
        print_operand(q->left, q, true, b);
        buf_puts(b, sets[q->set]);
        buf_puts(b, q->all ? "ALL " : "");
        print_operand(q->right, q, false, b);
        break;
    case QUERY_KIND_MAX:
        break;
    }
    print_tail(q, b);
}

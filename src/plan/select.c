/* SPDX-License-Identifier: Apache-2.0
 *
 * select.c: SELECT to a plan:
 *
 *     SCAN [FILTER] [AGGREGATE [FILTER having]] [PROJECT] [AGGREGATE distinct] [SORT] [LIMIT]
 *
 * 1. Everything is bound over the scan's columns: select list first, so that SELECT * needs no
 *    projection; aggregate calls are collected on the way (bind_group.c).
 *    Sort keys that nobody selected become hidden columns at the end.
 * 2. The nodes are stacked (stack.c). If there is anything to group, select list, HAVING and
 *    ORDER BY are rewritten to the aggregate's output.
 * 3. A sort is dropped if the scan already delivers that order (order.c). */
#include "plan/select_int.h"

#include "base/text.h"

#define PLAN_COLS_MAX 4096u /* of a result, hidden ones included */

void plan_done(struct plan *p)
{
    if (!p)
        return;
    if (p->table) {
        union {
            const struct table *in;
            struct table *out;
        } shared = {.in = p->table}; /* references are counted inside */

        table_unref(shared.out);
    }
    p->table = NULL;
}

/* ---- names of result columns ---- */

/* The text of characters [pos, end) of the statement, without blanks around it. */
static const char *
sel_item_text(const struct stmt *stmt, uint32_t pos, uint32_t end, struct arena *arena)
{
    size_t at = stmt->start_byte;
    size_t from, to;
    uint32_t ch = stmt->start;

    while (at < stmt->end_byte && ch < pos) {
        at++;
        if (at == stmt->end_byte || ((uint8_t)stmt->text[at] & 0xc0) != 0x80)
            ch++;
    }
    from = at;
    while (at < stmt->end_byte && ch < end) {
        at++;
        if (at == stmt->end_byte || ((uint8_t)stmt->text[at] & 0xc0) != 0x80)
            ch++;
    }
    to = at;
    while (from < to && (uint8_t)stmt->text[from] <= ' ')
        from++;
    while (to > from && (uint8_t)stmt->text[to - 1] <= ' ')
        to--;
    return arena_strndup(arena, stmt->text + from, to - from);
}

static const char *sel_item_name(struct sel *s, const struct select_item *item)
{
    if (item->alias)
        return item->alias;
    if (item->expr->kind == EXPR_COLUMN && s->b.table) {
        int col = table_column_find(s->b.table, item->expr->name, strlen(item->expr->name));

        if (col >= 0)
            return s->b.table->columns[col].name;
    }
    return sel_item_text(s->b.stmt, item->pos, item->end, s->b.env->arena);
}

/* ---- the select list ---- */

static int
sel_out_add(struct sel *s, struct bexpr *e, const char *name, uint32_t pos, struct dn_err *err)
{
    if (!name)
        return DN_FAIL_NOMEM(err);
    if (s->outs_count == PLAN_COLS_MAX) {
        int rc = DN_FAIL(
            err, DN_E_TOO_MANY_COLUMNS, "a result may have %u columns at most", PLAN_COLS_MAX);

        dn_err_at(err, pos);
        return rc;
    }
    if (s->outs_count == s->outs_cap) {
        uint32_t cap = s->outs_cap ? 2 * s->outs_cap : 16;
        struct sel_out *more = arena_alloc_array(s->b.env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (s->outs_count)
            memcpy(more, s->outs, s->outs_count * sizeof(*more));
        s->outs = more;
        s->outs_cap = cap;
    }
    s->outs[s->outs_count++] = (struct sel_out){.e = e, .name = name};
    return 0;
}

static int sel_star(struct sel *s, const struct expr *e, struct dn_err *err)
{
    const struct table *t = s->b.table;
    int rc;

    if (!t) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "SELECT * needs a FROM clause");
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->table &&
        !text_same_fold(e->table, strlen(e->table), s->b.table_name, strlen(s->b.table_name))) {
        rc = DN_FAIL(err, DN_E_UNDEFINED_TABLE, "no table \"%s\" in the FROM clause", e->table);
        dn_err_hint(err, "The table of this query is called \"%s\".", s->b.table_name);
        dn_err_at(err, e->pos);
        return rc;
    }
    for (uint16_t i = 0; i < t->columns_count; i++) {
        struct bexpr *col = bind_new(&s->b, BEXPR_COLUMN, t->columns[i].type, e->pos);

        if (!col)
            return DN_FAIL_NOMEM(err);
        col->col = bind_scan_col(&s->b, i);
        rc = sel_out_add(s, col, t->columns[i].name, e->pos, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int sel_bind_items(struct sel *s, struct dn_err *err)
{
    const struct select_stmt *sel = s->sel;
    struct bexpr *e;
    int rc;

    s->b.clause = "the select list";
    s->b.aggs_allowed = true;
    for (uint32_t i = 0; i < sel->items_count; i++) {
        const struct select_item *item = &sel->items[i];

        if (item->expr->kind == EXPR_STAR) {
            rc = sel_star(s, item->expr, err);
        } else {
            rc = bind_expr(&s->b, item->expr, &e, err);
            if (rc == 0)
                rc = bind_settle(&s->b, e, &e, err);
            if (rc == 0)
                rc = sel_out_add(s, e, sel_item_name(s, item), item->pos, err);
            if (rc == 0) {
                s->outs[s->outs_count - 1].alias = item->alias;
                s->outs[s->outs_count - 1].plain = item->expr->kind == EXPR_COLUMN;
            }
        }
        if (rc < 0)
            return rc;
    }
    s->shown_count = s->outs_count;
    return 0;
}

/* ---- references to the select list ---- */

/* ORDER BY 2. 1: e is no ordinal. */
static int sel_ordinal(const struct sel *s,
                       const struct expr *e,
                       const char *clause,
                       uint32_t *ret,
                       struct dn_err *err)
{
    int rc;

    if (e->kind != EXPR_LITERAL)
        return 1;
    if (!type_is_int(e->value.type) || e->value.null) {
        rc = DN_FAIL(
            err, DN_E_SYNTAX, "a constant in %s must be the number of a select list item", clause);
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->value.v.i64 < 1 || e->value.v.i64 > (int64_t)s->shown_count) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "%s position %lld is not in the select list, which has %u items",
                     clause,
                     (long long)e->value.v.i64,
                     s->shown_count);
        dn_err_at(err, e->pos);
        return rc;
    }
    *ret = (uint32_t)(e->value.v.i64 - 1);
    return 0;
}

/* A bare name that is the name of a result column; exact first, then in any case. 1: none. */
static int sel_by_name(
    const struct sel *s, const struct expr *e, bool aliases_only, uint32_t *ret, struct dn_err *err)
{
    size_t len;
    int found = 1;

    if (e->kind != EXPR_COLUMN || e->table)
        return 1;
    len = strlen(e->name);
    for (int fold = 0; fold <= 1 && found == 1; fold++) {
        for (uint32_t i = 0; i < s->shown_count; i++) {
            const struct sel_out *o = &s->outs[i];
            const char *name = o->alias ? o->alias : o->plain && !aliases_only ? o->name : NULL;

            if (!name || !(fold ? text_same_fold(name, strlen(name), e->name, len)
                                : strcmp(name, e->name) == 0))
                continue;
            if (found == 0 && !bind_same(o->e, s->outs[*ret].e)) {
                int rc =
                    DN_FAIL(err,
                            DN_E_AMBIGUOUS,
                            "\"%s\" is ambiguous: several columns of the result have that name",
                            e->name);

                dn_err_at(err, e->pos);
                return rc;
            }
            if (found == 1)
                *ret = i;
            found = 0;
        }
    }
    return found;
}

/* ---- WHERE, GROUP BY, HAVING, ORDER BY ---- */

static int sel_bind_where(struct sel *s, struct dn_err *err)
{
    if (!s->sel->where)
        return 0;
    s->b.clause = "WHERE";
    s->b.aggs_allowed = false;
    return bind_bool(&s->b, s->sel->where, &s->where, err);
}

static bool sel_has_agg(const struct bexpr *e)
{
    if (e->kind == BEXPR_COLUMN && e->col >= BIND_AGG_BASE)
        return true;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (sel_has_agg(e->args[i]))
            return true;
    }
    return false;
}

static int
sel_bind_group_item(struct sel *s, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    uint32_t n;
    int rc = sel_ordinal(s, e, "GROUP BY", &n, err);

    if (rc == 1 && !(e->kind == EXPR_COLUMN && s->b.table &&
                     table_column_find(s->b.table, e->name, strlen(e->name)) >= 0))
        rc = sel_by_name(s, e, true, &n, err); /* a column of the table comes before an alias */
    if (rc < 0)
        return rc;
    if (rc == 1) {
        rc = bind_expr(&s->b, e, ret, err);
        return rc < 0 ? rc : bind_settle(&s->b, *ret, ret, err);
    }
    if (sel_has_agg(s->outs[n].e)) {
        rc = DN_FAIL(err, DN_E_GROUPING, "aggregate functions are not allowed in GROUP BY");
        dn_err_at(err, e->pos);
        return rc;
    }
    *ret = s->outs[n].e;
    return 0;
}

static int sel_bind_group(struct sel *s, struct dn_err *err)
{
    const struct select_stmt *sel = s->sel;
    int rc;

    s->b.clause = "GROUP BY";
    s->b.aggs_allowed = false;
    s->keys = arena_alloc_array(s->b.env->arena, sel->group_by_count + 1, sizeof(*s->keys));
    if (!s->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < sel->group_by_count; i++) {
        struct bexpr *key;
        bool known = false;

        rc = sel_bind_group_item(s, sel->group_by[i].expr, &key, err);
        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < s->keys_count && !known; k++)
            known = bind_same(s->keys[k], key);
        if (!known)
            s->keys[s->keys_count++] = key;
    }
    if (sel->having) {
        s->b.clause = "HAVING";
        s->b.aggs_allowed = true;
        return bind_bool(&s->b, sel->having, &s->having, err);
    }
    return 0;
}

static int sel_order_col(struct sel *s, const struct expr *e, uint32_t *ret, struct dn_err *err)
{
    struct bexpr *x;
    int rc = sel_ordinal(s, e, "ORDER BY", ret, err);

    if (rc == 1)
        rc = sel_by_name(s, e, false, ret, err);
    if (rc != 1)
        return rc;
    rc = bind_expr(&s->b, e, &x, err);
    if (rc == 0)
        rc = bind_settle(&s->b, x, &x, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < s->outs_count; i++) {
        if (bind_same(s->outs[i].e, x)) {
            *ret = i;
            return 0;
        }
    }
    if (s->sel->distinct) {
        rc = DN_FAIL(err,
                     DN_E_GROUPING,
                     "with SELECT DISTINCT, ORDER BY may use only what is in the select list");
        dn_err_at(err, e->pos);
        return rc;
    }
    *ret = s->outs_count;
    return sel_out_add(s,
                       x,
                       x->kind == BEXPR_COLUMN && x->col < BIND_AGG_BASE ? e->name : "sort key",
                       e->pos,
                       err);
}

static int sel_bind_order(struct sel *s, struct dn_err *err)
{
    const struct select_stmt *sel = s->sel;
    int rc;

    s->b.clause = "ORDER BY";
    s->b.aggs_allowed = true;
    s->order = arena_alloc_array(s->b.env->arena, sel->order_by_count + 1, sizeof(*s->order));
    if (!s->order)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < sel->order_by_count; i++) {
        const struct order_item *item = &sel->order_by[i];
        struct plan_sort_key key = {
            .desc = item->desc,
            .nulls_first = item->nulls == NULLS_DEFAULT ? item->desc : item->nulls == NULLS_FIRST};
        bool known = false;

        rc = sel_order_col(s, item->expr, &key.col, err);
        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < s->order_count && !known; k++)
            known = s->order[k].col == key.col; /* a second mention decides nothing */
        if (!known)
            s->order[s->order_count++] = key;
    }
    return 0;
}

static int sel_bind_count(
    struct sel *s, const struct expr *e, const char *clause, struct bexpr **ret, struct dn_err *err)
{
    const struct table *table = s->b.table;
    struct bexpr *x;
    int rc;

    if (!e)
        return 0;
    s->b.clause = clause;
    s->b.aggs_allowed = false;
    s->b.table = NULL; /* the same for all rows */
    rc = bind_expr(&s->b, e, &x, err);
    s->b.table = table;
    if (rc < 0)
        return rc;
    if (x->type != TYPE_NONE && !type_is_int(x->type)) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "%s must be a whole number, but this is %s",
                     clause,
                     type_name(x->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = bind_coerce(&s->b, x, TYPE_BIGINT, false, ret, err);
    if (rc < 0)
        return rc;
    if ((*ret)->kind == BEXPR_CONST && !(*ret)->value.null && (*ret)->value.v.i64 < 0) {
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "%s must not be negative", clause);
        dn_err_at(err, e->pos);
        return rc;
    }
    return 0;
}

/* ---- the whole ---- */

int plan_from(struct sel *s, struct plan *p, struct dn_err *err)
{
    const struct plan_env *env = s->b.env;
    const struct qual_name *from = &s->sel->from;
    const struct table *t;

    if (!s->sel->has_from)
        return 0;
    t = catalog_table(env->catalog, from->schema ? from->schema : env->schema, from->name, err);
    if (!t) {
        dn_err_at(err, from->pos);
        return err ? err->code : DN_E_UNDEFINED_TABLE;
    }
    p->table = table_ref(t);
    s->b.table = t;
    s->b.table_name = s->sel->from_alias ? s->sel->from_alias : t->name;
    s->b.scan_cols = arena_alloc_array(env->arena, store_cols_count(t), sizeof(uint16_t));
    s->b.scan_pos = arena_alloc_array(env->arena, store_cols_count(t), sizeof(uint16_t));
    if (!s->b.scan_cols || !s->b.scan_pos)
        return DN_FAIL_NOMEM(err);
    memset(s->b.scan_pos, 0xff, store_cols_count(t) * sizeof(uint16_t));
    return 0;
}

static struct select_stmt select_flat(const struct query *q)
{
    const struct select_core *s = q->core;
    struct select_stmt flat = {
        .distinct = s->distinct,
        .items = s->items,
        .items_count = s->items_count,
        .where = s->where,
        .group_by = s->group_by,
        .group_by_count = s->group_by_count,
        .having = s->having,
        .order_by = q->order_by,
        .order_by_count = q->order_by_count,
        .limit = q->limit,
        .offset = q->offset,
    };

    if (s->from_count > 0) {
        flat.has_from = true;
        flat.from = s->from[0]->table;
        flat.from_alias = s->from[0]->alias;
    }
    return flat;
}

int plan_select(const struct plan_env *env,
                const struct stmt *stmt,
                struct plan **ret,
                struct dn_err *err)
{
    struct plan *p = arena_calloc(env->arena, 1, sizeof(*p));
    struct select_stmt flat = select_flat(stmt->query);
    struct sel s = {.sel = &flat,
                    .b = {.env = env, .stmt = stmt, .params_count = stmt->params_count}};
    int rc;

    if (!p)
        return DN_FAIL_NOMEM(err);
    p->params_count = stmt->params_count;
    p->param_types = arena_calloc(env->arena, stmt->params_count + 1, sizeof(*p->param_types));
    if (!p->param_types)
        return DN_FAIL_NOMEM(err);
    s.b.param_types = p->param_types;
    rc = plan_from(&s, p, err);
    if (rc == 0)
        rc = sel_bind_items(&s, err);
    if (rc == 0)
        rc = sel_bind_where(&s, err);
    if (rc == 0)
        rc = sel_bind_group(&s, err);
    if (rc == 0)
        rc = sel_bind_order(&s, err);
    if (rc == 0)
        rc = sel_bind_count(&s, s.sel->limit, "LIMIT", &s.limit, err);
    if (rc == 0)
        rc = sel_bind_count(&s, s.sel->offset, "OFFSET", &s.offset, err);
    if (rc == 0)
        rc = plan_stack(&s, p, err);
    if (rc < 0) {
        plan_done(p);
        return rc;
    }
    *ret = p;
    return 0;
}

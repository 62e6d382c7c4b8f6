/* SPDX-License-Identifier: Apache-2.0
 *
 * select.c: SELECT, part by part. Everything is bound over the variables of FROM: the select list
 * first, so that columns are read in its order; aggregates, windows and subqueries that depend on
 * rows are collected on the way (bind_group.c, bind_window.c, bind_query.c). Sort keys that nobody
 * selected become hidden columns at the end. stack.c then puts nodes on each other. */
#include "plan/decimal.h"
#include "plan/from_int.h"
#include "plan/select_names.h"
#include "plan/select_rows.h"

#include "base/text.h"

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

static int sel_star_add(
    struct sel *s, uint32_t var, const struct lname *of, const struct expr *e, struct dn_err *err)
{
    struct bexpr *col = var ? bind_var(&s->b, var, e->pos) : NULL;
    int rc = col ? sel_out_add(s, col, of->name, e->pos, err) : DN_FAIL_NOMEM(err);

    if (rc == 0)
        rc = scope_may(of->rel, of->col, SCOPE_NO_SELECT, e->pos, err);
    if (rc < 0)
        return rc;
    plan_note_star(s->b.q, s->core, e, of->rel, of->name);
    s->outs[s->outs_count - 1].plain = true;
    return 0;
}

static int sel_star_of(struct sel *s, const struct expr *e, struct dn_err *err)
{
    const struct scope *x = &s->scope;
    struct lrel *rel = NULL;
    int rc = 0;

    for (; x && !rel; x = rel ? x : x->outer)
        rel = scope_rel(x, e->schema, e->table);
    if (!rel) {
        rc = DN_FAIL(
            err, DN_E_UNDEFINED_TABLE, "missing FROM-clause entry for table \"%s\"", e->table);
        if (s->scope.rels_count == 1 && s->scope.rels[0]->alias)
            dn_err_hint(err, "The table of this query is called \"%s\".", s->scope.rels[0]->alias);
        dn_err_at(err, e->pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && i < rel->cols_count - rel->hidden; i++) {
        struct lname of = {.name = rel->cols[i].name, .rel = rel, .col = i};

        rc = sel_star_add(s, scope_var(s->b.q, x, rel, i), &of, e, err);
    }
    return rc;
}

static int sel_star_all(struct sel *s, const struct expr *e, struct dn_err *err)
{
    int rc = 0;

    if (s->scope.rels_count == 0) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "SELECT * with no tables specified is not valid");
        dn_err_at(err, e->pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && i < s->scope.names_count; i++) {
        const struct lname *n = &s->scope.names[i];

        if (e->plain && n->rel->table && n->rel->table->columns[n->col].source == COLUMN_STORED)
            continue;
        rc = sel_star_add(s, scope_name_var(s->b.q, &s->scope, n), n, e, err);
    }
    return rc;
}

static int sel_star(struct sel *s, const struct expr *e, struct dn_err *err)
{
    uint32_t before = s->outs_count;
    int rc = e->table ? sel_star_of(s, e, err) : sel_star_all(s, e, err);

    if (rc == 0 && s->outs_count == before) /* tables without columns */
        plan_note_star(s->b.q, s->core, e, NULL, NULL);
    return rc;
}

/* The binder for a clause. */
static void sel_clause(struct sel *s, const char *clause, bool aggs, struct bind_subs *subs)
{
    s->b.clause = clause;
    s->b.aggs_allowed = aggs;
    s->b.windows_allowed = aggs;
    s->b.sets_allowed = aggs;
    s->b.subs = subs;
}

/* Equal rows may be written differently: 1.0 and 1.00. */
static int sel_distinct_rows(const struct sel *s, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < s->outs_count; i++) {
        if (s->outs[i].e->chars != BIND_ROW_LOOSE)
            continue;
        rc = DN_FAIL(
            err,
            DN_E_UNSUPPORTED,
            "SELECT DISTINCT of rows with NUMERIC or INTERVAL in them is not supported yet");
        dn_err_hint(err, "Select the values in them.");
        dn_err_at(err, s->outs[i].e->pos);
    }
    return rc;
}

static int sel_bind_items(struct sel *s, struct dn_err *err)
{
    const struct select_core *core = s->core;
    struct bexpr *e;
    bool given = s->b.q->given && s->b.q->depth == 1;
    int rc;

    sel_clause(s, given ? s->b.q->given->clause : "the select list", !given, &s->subs_outer);
    for (uint32_t i = 0; i < core->items_count; i++) {
        const struct select_item *item = &core->items[i];

        if (item->expr->kind == EXPR_STAR) {
            rc = sel_star(s, item->expr, err);
        } else {
            uint32_t subs = s->subs_outer.n;

            plan_note_item(s->b.q, item);
            rc = bind_expr(&s->b, item->expr, &e, err);
            if (rc == 0)
                rc = bind_settle(&s->b, e, &e, err);
            if (rc == 0)
                rc = sel_out_add(s, e, select_item_name(s, item, e), item->pos, err);
            if (rc == 0) {
                struct sel_out *o = &s->outs[s->outs_count - 1];

                o->ast = item->expr;
                o->subs_from = subs;
                o->subs_to = s->subs_outer.n;
                o->alias = item->alias;
                o->cast = item->expr->kind == EXPR_CAST ? item->expr->type_name : NULL;
                o->plain = item->expr->kind == EXPR_COLUMN;
                if (!o->alias && !o->plain) {
                    o->implied = select_implied_name(s, item->expr);
                    rc = o->implied ? 0 : DN_FAIL_NOMEM(err);
                }
            }
        }
        if (rc < 0)
            return rc;
    }
    s->shown_count = s->outs_count;
    return core->distinct && !core->distinct_on ? sel_distinct_rows(s, err) : 0;
}

/* ---- WHERE, GROUP BY, HAVING ---- */

static int sel_bind_where(struct sel *s, struct dn_err *err)
{
    if (!s->core->where)
        return 0;
    sel_clause(s, "WHERE", false, &s->subs_where);
    return bind_where(&s->b, s->core->where, "WHERE", &s->where, err);
}

/* Does it use the result of an aggregate or window of this query? */
static bool sel_has_computed(const struct sel *s, const struct bexpr *e)
{
    if (e->kind == BEXPR_COLUMN) {
        for (uint32_t i = 0; i < s->aggs_count; i++) {
            if (s->aggs[i].var == e->col)
                return true;
        }
        for (uint32_t i = 0; i < s->windows_count; i++) {
            for (uint32_t k = 0; k < s->windows[i].calls_count; k++) {
                if (s->windows[i].calls[k].var == e->col)
                    return true;
            }
        }
        for (uint32_t i = 0; i < s->rowfuncs_count; i++) {
            const struct plan_function_call *c = &s->rowfuncs[i].call;

            for (uint32_t k = 0; s->rowfuncs[i].var == e->col && k < c->args_count; k++) {
                if (sel_has_computed(s, c->args[k]))
                    return true;
            }
        }
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (sel_has_computed(s, e->args[i]))
            return true;
    }
    return false;
}

/* The subqueries of a select item that is a group key: below the aggregation. */
static int sel_subs_down(struct sel *s, const struct sel_out *o, struct dn_err *err)
{
    for (uint32_t i = o->subs_from; i < o->subs_to; i++) {
        struct bind_sub *sub = &s->subs_outer.v[i];

        if (!sub->tree)
            continue;
        if (!bind_subs_push(s->b.env->arena, &s->subs_inner, sub))
            return DN_FAIL_NOMEM(err);
        sub->tree = NULL;
    }
    return 0;
}

/* ret_out: the item of the select list that is meant; UINT32_MAX: none. */
static int sel_bind_group_expr(
    struct sel *s, const struct expr *e, struct bexpr **ret, uint32_t *ret_out, struct dn_err *err)
{
    uint32_t n;
    int rc = select_ordinal(e, "GROUP BY", s->shown_count, &n, err);

    if (rc == 1 && !(e->kind == EXPR_COLUMN && !e->table && scope_has_name(&s->scope, e->name)))
        rc = select_by_name(s, e, true, &n, err); /* a column of the table comes before an alias */
    if (rc == 1)
        rc = select_by_query(s, e, &n, err);
    if (rc < 0)
        return rc;
    if (rc == 1) {
        *ret_out = UINT32_MAX;
        rc = bind_expr(&s->b, e, ret, err);
        return rc < 0 ? rc : bind_settle(&s->b, *ret, ret, err);
    }
    if (sel_has_computed(s, s->outs[n].e)) {
        rc = DN_FAIL(err, DN_E_GROUPING, "aggregate functions are not allowed in GROUP BY");
        dn_err_at(err, e->pos);
        return rc;
    }
    *ret = s->outs[n].e;
    *ret_out = n;
    return sel_subs_down(s, &s->outs[n], err);
}

/* Is it a column of this query's FROM, or of a subquery of its clauses? */
static bool sel_column_is_own(const struct sel *s, uint32_t var)
{
    const struct sel *level = s->b.q->vars[var].level;

    return !level || level == s;
}

static int sel_key_push(struct sel *s, struct bexpr *e, uint32_t *ret, struct dn_err *err)
{
    struct planner *q = s->b.q;
    uint32_t var;

    if (s->keys_count == s->keys_cap) {
        uint32_t cap = s->keys_cap ? 2 * s->keys_cap : 8;
        struct ldef *more = arena_alloc_array(q->env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (s->keys_count)
            memcpy(more, s->keys, s->keys_count * sizeof(*more));
        s->keys = more;
        s->keys_cap = cap;
    }
    /* A column stays what it is, so that subqueries may go on using it; but the keys of grouping
     * sets are NULL where their set leaves them out. */
    var = e->kind == BEXPR_COLUMN && !s->has_sets && sel_column_is_own(s, e->col)
              ? e->col
              : logic_var(q, "key", e->type);
    if (!var)
        return DN_FAIL_NOMEM(err);
    logic_set_like(q, var, e);
    if (e->kind == BEXPR_COLUMN)
        logic_named(q, var, e->col);
    s->keys[s->keys_count] = (struct ldef){.var = var, .e = e};
    *ret = s->keys_count++;
    return 0;
}

int select_key_add(struct sel *s, struct bexpr *e, uint32_t *ret, struct dn_err *err)
{
    for (uint32_t k = 0; k < s->keys_count; k++) {
        if (bind_same(s->keys[k].e, e)) {
            *ret = k;
            return 0;
        }
    }
    return sel_key_push(s, e, ret, err);
}

/* Keys of grouping sets are items of the select list before they are values: two items that say
 * the same are two keys, and a constant is one, NULL where its set leaves it out. */
int select_group_expr(struct sel *s, const struct expr *e, uint32_t *ret, struct dn_err *err)
{
    struct bexpr *key;
    uint32_t n;
    int rc = sel_bind_group_expr(s, e, &key, &n, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; s->has_sets && n == UINT32_MAX && i < s->shown_count; i++)
        n = bind_same(s->outs[i].e, key) ? i : n;
    if (!s->has_sets || n == UINT32_MAX)
        return bind_key_rows(s, key, ret, err);
    if (s->outs[n].key) {
        *ret = s->outs[n].key - 1;
        return 0;
    }
    rc = sel_key_push(s, key, ret, err);
    s->outs[n].key = rc < 0 ? 0 : *ret + 1;
    return rc;
}

static int sel_bind_group(struct sel *s, struct dn_err *err)
{
    int rc;

    sel_clause(s, "GROUP BY", false, &s->subs_inner);
    s->b.sets_allowed = true;
    rc = select_group_by(s, err);
    if (rc == 0 && s->core->having) {
        sel_clause(s, "HAVING", true, &s->subs_outer);
        s->b.windows_allowed = s->b.sets_allowed = false;
        rc = bind_where(&s->b, s->core->having, "HAVING", &s->having, err);
    }
    return rc;
}

/* ---- ORDER BY, DISTINCT ON ---- */

int select_direction(const struct order_item *item, struct lkey *ret, struct dn_err *err)
{
    bool desc = item->desc;

    if (item->using_op) {
        bool less = strcmp(item->using_op, "<") == 0;

        if (!less && strcmp(item->using_op, ">") != 0) {
            int rc = DN_FAIL(err,
                             DN_E_UNSUPPORTED,
                             "operator %.20s is not a valid ordering operator",
                             item->using_op);

            dn_err_hint(err, "ORDER BY … USING takes < and >.");
            dn_err_at(err, item->expr->pos);
            return rc;
        }
        desc = !less;
    }
    *ret = (struct lkey){.desc = desc,
                         .nulls_first =
                             item->nulls == NULLS_DEFAULT ? desc : item->nulls == NULLS_FIRST};
    return 0;
}

/* The place in outs of what rows are ordered or told apart by; added if need be. */
static int sel_out_known(struct sel *s,
                         struct bexpr *e,
                         const char *name,
                         uint32_t pos,
                         uint32_t *ret,
                         struct dn_err *err)
{
    for (uint32_t i = 0; i < s->outs_count; i++) {
        if (bind_same(s->outs[i].e, e)) {
            *ret = i;
            return 0;
        }
    }
    if (s->core->distinct && !s->core->distinct_on) {
        int rc = DN_FAIL(err,
                         DN_E_INVALID_COLUMN,
                         "for SELECT DISTINCT, ORDER BY expressions must appear in select list");

        dn_err_at(err, pos);
        return rc;
    }
    *ret = s->outs_count;
    return sel_out_add(s, e, name, pos, err);
}

/* An expression that rows are ordered or told apart by: its place in outs, added if need be. */
static int sel_out_of(
    struct sel *s, const struct expr *e, const char *clause, uint32_t *ret, struct dn_err *err)
{
    struct bexpr *x;
    int rc = select_ordinal(e, clause, s->shown_count, ret, err);

    if (rc == 1)
        rc = select_by_name(s, e, false, ret, err);
    if (rc == 1)
        rc = select_by_query(s, e, ret, err);
    if (rc != 1)
        return rc;
    rc = bind_expr(&s->b, e, &x, err);
    if (rc == 0)
        rc = bind_settle(&s->b, x, &x, err);
    if (rc < 0)
        return rc;
    rc = sel_out_known(s,
                       x,
                       x->kind == BEXPR_COLUMN && e->kind == EXPR_COLUMN ? e->name : "sort key",
                       e->pos,
                       ret,
                       err);
    if (rc == 0 && !s->outs[*ret].ast)
        s->outs[*ret].ast = e;
    return rc;
}

static int sel_order_push(struct sel *s, uint32_t at, const struct lkey *key, struct dn_err *err)
{
    struct arena *arena = s->b.env->arena;

    for (uint32_t k = 0; k < s->order_count; k++) {
        if (s->order[k] == at)
            return 0; /* a second mention decides nothing */
    }
    if (s->order_count == s->order_cap) {
        uint32_t cap = 2 * s->order_cap + 8;
        uint32_t *order = arena_alloc_array(arena, cap, sizeof(*order));
        struct lkey *keys = arena_alloc_array(arena, cap, sizeof(*keys));

        if (!order || !keys)
            return DN_FAIL_NOMEM(err);
        if (s->order_count) {
            memcpy(order, s->order, s->order_count * sizeof(*order));
            memcpy(keys, s->order_keys, s->order_count * sizeof(*keys));
        }
        s->order = order;
        s->order_keys = keys;
        s->order_cap = cap;
    }
    s->order[s->order_count] = at;
    s->order_keys[s->order_count++] = *key;
    return 0;
}

/* A row is ordered by its values; NULL in it is greater than all else. */
static int
sel_order_row(struct sel *s, uint32_t at, struct lkey key, uint32_t pos, struct dn_err *err)
{
    uint32_t count = bind_row_parts(&s->b, s->outs[at].e, NULL);
    struct bexpr **parts = arena_alloc_array(s->b.env->arena, (size_t)count + 1, sizeof(*parts));
    int rc = 0;

    if (!parts)
        return DN_FAIL_NOMEM(err);
    DN_IGNORE(bind_row_parts(&s->b, s->outs[at].e, parts)); /* as many again */
    if (count == 1 && parts[0] == s->outs[at].e) {
        rc = bind_row_no_order(parts[0], pos, err);
        return rc < 0 ? rc : sel_order_push(s, at, &key, err);
    }
    key.nulls_first = key.desc;
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        rc = sel_out_known(s, parts[i], "sort key", pos, &at, err);
        if (rc == 0)
            rc = sel_order_push(s, at, &key, err);
    }
    return rc;
}

static int sel_bind_order(struct sel *s, const struct query *ast, struct dn_err *err)
{
    int rc = 0;

    sel_clause(s, "ORDER BY", true, &s->subs_outer);
    s->order_cap = ast->order_by_count + 1; /* never NULL, even if there is none */
    s->order = arena_calloc(s->b.env->arena, s->order_cap, sizeof(*s->order));
    s->order_keys = arena_calloc(s->b.env->arena, s->order_cap, sizeof(*s->order_keys));
    if (!s->order || !s->order_keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < ast->order_by_count; i++) {
        const struct order_item *item = &ast->order_by[i];
        struct lkey key;
        uint32_t at;

        rc = sel_out_of(s, item->expr, "ORDER BY", &at, err);
        if (rc == 0)
            rc = select_direction(item, &key, err);
        if (rc == 0)
            rc = sel_order_row(s, at, key, item->expr->pos, err);
    }
    return rc;
}

/* DISTINCT ON (…): what ORDER BY begins with. */
static int sel_bind_distinct_on(struct sel *s, struct dn_err *err)
{
    const struct select_core *core = s->core;
    int rc;

    if (!core->distinct_on)
        return 0;
    sel_clause(s, "DISTINCT ON", true, &s->subs_outer);
    s->distinct_on = arena_alloc_array(
        s->b.env->arena, (size_t)core->distinct_on_count + 1, sizeof(*s->distinct_on));
    if (!s->distinct_on)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < core->distinct_on_count; i++) {
        bool known = false;
        uint32_t at;

        rc = sel_out_of(s, core->distinct_on[i], "DISTINCT ON", &at, err);
        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < s->distinct_on_count && !known; k++)
            known = s->distinct_on[k] == at;
        if (!known)
            s->distinct_on[s->distinct_on_count++] = at;
    }
    for (uint32_t i = 0; i < s->order_count && i < s->distinct_on_count; i++) {
        bool known = false;

        for (uint32_t k = 0; k < s->distinct_on_count && !known; k++)
            known = s->distinct_on[k] == s->order[i];
        if (!known) {
            rc = DN_FAIL(err,
                         DN_E_UNCOVERED_KEY,
                         "SELECT DISTINCT ON expressions must match initial ORDER BY expressions");
            dn_err_at(err, core->distinct_on[0]->pos);
            return rc;
        }
    }
    return 0;
}

/* WINDOW, after all that may name one. */
static int sel_bind_windows(struct sel *s, struct dn_err *err)
{
    if (s->core->windows_count == 0)
        return 0;
    sel_clause(s, "WINDOW", true, &s->subs_outer);
    return bind_windows_unused(&s->b, err);
}

/* ---- the whole ---- */

int select_bind(struct planner *q,
                const struct query *ast,
                const struct scope *outer,
                struct qout *ret,
                struct dn_err *err)
{
    struct sel *s = arena_calloc(q->env->arena, 1, sizeof(*s));
    int rc;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->core = ast->core;
    s->scope = (struct scope){.outer = outer, .level = s, .withs = outer ? outer->withs : NULL};
    s->b = query_binder(q, &s->scope, s);
    if (s->core->windows_count > 0) {
        s->windows_named = arena_calloc(q->env->arena, s->core->windows_count, sizeof(bool));
        if (!s->windows_named)
            return DN_FAIL_NOMEM(err);
    }
    rc = from_bind(q, &s->b, s->core->from, s->core->from_count, &s->scope, &s->tree, err);
    if (rc == 0)
        rc = sel_bind_items(s, err);
    if (rc == 0)
        rc = sel_bind_where(s, err);
    if (rc == 0)
        rc = sel_bind_group(s, err);
    if (rc == 0)
        rc = sel_bind_order(s, ast, err);
    if (rc == 0)
        rc = sel_bind_distinct_on(s, err);
    if (rc == 0)
        rc = sel_bind_windows(s, err);
    if (rc == 0)
        rc = select_stack(s, ast, ret, err);
    return rc;
}

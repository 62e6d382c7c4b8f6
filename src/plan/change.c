/* SPDX-License-Identifier: Apache-2.0
 *
 * change.c: UPDATE and DELETE to a plan that finds their rows:
 *
 *     SCAN [JOIN …] [FILTER] [SORT UNIQUE] [PROJECT]
 *
 * (with other tables in FROM or USING a row may match several times: the first one counts)
 *
 * For each row it returns what says which row it is (a DELETE, and an UPDATE of single fields), or
 * the whole row (an UPDATE that writes it anew), for tables without a key the row id, and then the
 * values of the SET expressions. A literal or parameter alone is not planned: it is assigned as by
 * INSERT, where a quoted literal may stand for a number or a time. */
#include "plan/decimal.h"
#include "plan/from_int.h"
#include "plan/stored.h"
#include "plan/writable.h"

#include "base/text.h"

/* Where a value of SET comes from. */
struct change_from {
    const struct set_item *item;
    uint32_t place; /* in (a, b) = (query) */
};

struct change {
    struct planner q;
    struct binder b;
    struct scope scope;               /* the table, then the others */
    struct lrel *rel;                 /* the table */
    struct lrel *shown;               /* what names mean: the table, or the view */
    const struct plan_writable *view; /* through which it is seen; NULL = none */
    struct lnode *scan;               /* likewise */
    const struct change_stmt *ast;
    struct plan_change *out;
    struct lvars vars;                    /* what the plan returns */
    struct change_from *from;             /* of each of out->sets */
    struct bexpr *row[PLAN_COLS_ROW_MAX]; /* the values of a query */
    struct ldef *defs;                    /* SET expressions */
    uint32_t defs_count;
    uint32_t ids_count; /* of vars, those that say which row it is come first */
    struct bind_subs subs_set;
    struct bind_subs subs_where;
};

/* Is the column part of what says where a row lives and which one it is? */
static bool change_places(const struct table *t, uint16_t col)
{
    return t->columns[col].key_pos > 0 || t->time_col == (int)col;
}

/* ---- SET ---- */

/* The set of a column among those there are; UINT32_MAX: none. */
static uint32_t change_find_set(const struct change *c, uint16_t col)
{
    for (uint32_t i = 0; i < c->out->sets_count; i++) {
        if (c->out->sets[i].col == col)
            return i;
    }
    return UINT32_MAX;
}

/* The table's column of a name in SET. */
static int change_column(const struct change *c,
                         const struct spec_name *name,
                         uint16_t *ret,
                         struct dn_err *err)
{
    uint32_t shown;
    int col;

    if (c->view) {
        col = plan_writable_column(c->view, "update", name, &shown, ret, err);
        return col < 0 ? col : scope_may(c->shown, shown, SCOPE_NO_UPDATE, name->pos, err);
    }
    col = bind_table_column(c->rel->table, name->s, name->pos, err);
    if (col < 0)
        return err ? err->code : DN_E_UNDEFINED_COLUMN;
    *ret = (uint16_t)col;
    return scope_may(c->rel, *ret, SCOPE_NO_UPDATE, name->pos, err);
}

/* One column of an item; place is its number in (a, b) = (query). Elements of one array may be set
 * by several items. */
static int change_set_column(struct change *c,
                             const struct set_item *item,
                             const struct spec_name *name,
                             uint32_t place,
                             struct dn_err *err)
{
    const struct table *t = c->rel->table;
    struct plan_set *set = &c->out->sets[c->out->sets_count];
    uint16_t col;
    uint32_t known;
    int rc = change_column(c, name, &col, err);

    if (rc < 0)
        return rc;
    known = change_find_set(c, col);
    if (known != UINT32_MAX && !(item->place && c->from[known].item->place)) {
        rc = DN_FAIL(
            err, DN_E_SYNTAX, "multiple assignments to same column \"%s\"", t->columns[col].name);
        dn_err_at(err, name->pos);
        return rc;
    }
    if (known != UINT32_MAX)
        return 0;
    *set = (struct plan_set){.col = col,
                             .at = PLAN_NO_COL,
                             .value = item->expr,
                             .pos = item->expr ? item->expr->pos : name->pos};
    if (item->expr && t->columns[col].source >= COLUMN_ALWAYS) {
        rc = DN_FAIL(err,
                     DN_E_GENERATED,
                     "column \"%s\" can only be updated to DEFAULT",
                     t->columns[col].name);
        if (t->columns[col].source == COLUMN_STORED)
            dn_err_hint(err, "Column \"%s\" is a generated column.", t->columns[col].name);
        dn_err_at(err, name->pos);
        return rc;
    }
    c->from[c->out->sets_count++] = (struct change_from){.item = item, .place = place};
    c->out->moves = c->out->moves || change_places(t, set->col);
    return 0;
}

static int change_sets(struct change *c, struct dn_err *err)
{
    uint32_t total = 1;
    int rc = 0;

    for (uint32_t i = 0; i < c->ast->set_count; i++)
        total += c->ast->set[i].columns ? c->ast->set[i].columns_count : 1;
    c->out->sets = arena_calloc(c->q.env->arena, total, sizeof(*c->out->sets));
    c->from = arena_calloc(c->q.env->arena, total, sizeof(*c->from));
    c->defs = arena_alloc_array(c->q.env->arena, total, sizeof(*c->defs));
    if (!c->out->sets || !c->from || !c->defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < c->ast->set_count; i++) {
        const struct set_item *item = &c->ast->set[i];

        if (!item->columns)
            rc = change_set_column(c, item, &item->column, 0, err);
        for (uint32_t k = 0; rc == 0 && item->columns && k < item->columns_count; k++)
            rc = change_set_column(c, item, &item->columns[k], k, err);
    }
    for (uint16_t i = 0; i < c->rel->table->columns_count; i++)
        c->out->moves = c->out->moves || (c->rel->table->columns[i].source == COLUMN_STORED &&
                                          change_places(c->rel->table, i));
    return rc;
}

static int change_out(struct change *c, uint32_t var, struct dn_err *err)
{
    return var && lvars_add(c->q.env->arena, &c->vars, var) ? 0 : DN_FAIL_NOMEM(err);
}

/* All elements of an array that the statement sets, one after the other. */
static int change_elements(struct change *c,
                           const struct plan_set *set,
                           struct bexpr **ret,
                           struct dn_err *err)
{
    uint32_t var = scope_var(&c->q, &c->scope, c->rel, set->col);
    struct bexpr *e = var ? bind_var(&c->b, var, set->pos) : NULL;
    int rc = 0;

    if (!e)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < c->ast->set_count; i++) {
        const struct set_item *item = &c->ast->set[i];
        uint16_t col;

        if (item->place && !item->columns && change_column(c, &item->column, &col, err) == 0 &&
            col == set->col)
            rc = bind_array_assign(&c->b, e, item->place, item->expr, &e, err);
    }
    *ret = e;
    return rc;
}

/* The value for one column of (a, b) = (query), which is bound with the first of them. */
static int
change_row(struct change *c, const struct change_from *from, struct bexpr **ret, struct dn_err *err)
{
    uint32_t count;
    int rc;

    if (from->place == 0) {
        rc = bind_row_values(&c->b, from->item->expr, c->row, &count, err);
        if (rc == 0 && count != from->item->columns_count) {
            rc = DN_FAIL(err, DN_E_SYNTAX, "number of columns does not match number of values");
            dn_err_at(err, from->item->expr->pos);
        }
        if (rc < 0)
            return rc;
    }
    *ret = c->row[from->place];
    return 0;
}

static int change_set_expr(struct change *c, uint32_t at, struct dn_err *err)
{
    struct plan_set *set = &c->out->sets[at];
    const struct change_from *from = &c->from[at];
    const struct column *col = &c->rel->table->columns[set->col];
    bool generated = col->source == COLUMN_STORED; /* as it is: it is computed behind all others */
    struct expr *stored;
    struct bexpr *e;
    int rc;

    if (!set->value && col->def_sql && !generated) { /* DEFAULT: as if it had been written here */
        rc = plan_stored_parse(c->q.env->types, c->q.env->arena, col->def_sql, &stored, err);
        if (rc < 0)
            return rc;
        set->value = stored;
    }
    if (!from->item->place && !generated &&
        (!set->value || set->value->kind == EXPR_LITERAL || set->value->kind == EXPR_PARAM))
        return 0;
    rc = from->item->place || generated ? change_elements(c, set, &e, err)
         : from->item->columns          ? change_row(c, from, &e, err)
                                        : bind_expr(&c->b, set->value, &e, err);
    if (rc == 0)
        rc = bind_settle(&c->b, e, &e, err);
    if (rc < 0)
        return rc;
    if (e->type != TYPE_NONE && !plan_assignable(col->type, e->type)) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "column \"%s\" is %s, and this is %s",
                     col->name,
                     type_word(col->type),
                     type_word(e->type));
        dn_err_hint(err, "CAST(… AS %s) says how it is meant.", type_name(col->type));
        dn_err_at(err, set->pos);
        return rc;
    }
    set->at = c->vars.n;
    set->value = NULL;
    c->defs[c->defs_count].e = e;
    c->defs[c->defs_count].var = logic_var(&c->q, col->name, e->type);
    logic_set_like(&c->q, c->defs[c->defs_count].var, e);
    return change_out(c, c->defs[c->defs_count++].var, err);
}

/* ---- old values ---- */

static int change_old(struct change *c, uint32_t store_col, struct dn_err *err)
{
    const struct table *t = c->rel->table;
    uint32_t *var = &c->scan->col_vars[store_col];

    c->out->cols[c->out->cols_count++] = (uint16_t)store_col;
    if (store_col < t->columns_count)
        return change_out(c, scope_var(&c->q, &c->scope, c->rel, store_col), err);
    *var = logic_var(&c->q, "row id", store_col_type(t, store_col));
    return change_out(c, *var, err);
}

static bool change_checks(const struct table *t)
{
    for (uint16_t i = 0; i < t->constraints_count; i++)
        if (t->constraints[i].kind == TABLE_CHECK)
            return true;
    return false;
}

static int change_olds(struct change *c, enum stmt_kind kind, struct dn_err *err)
{
    const struct table *t = c->rel->table;
    struct arena *arena = c->q.env->arena;
    int rc = 0;

    /* Constraints are about whole rows. */
    c->out->all = c->ast->returning_count > 0 ||
                  (kind == STMT_UPDATE && (change_checks(t) || (c->view && c->view->checked)));
    c->out->whole = kind == STMT_UPDATE && (t->upsert == UPSERT_ROW || c->out->moves);
    c->out->cols = arena_alloc_array(arena, store_cols_count(t), sizeof(*c->out->cols));
    if (!c->out->cols)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++)
        if (c->out->whole || c->out->all || change_places(t, i))
            rc = change_old(c, i, err);
    if (rc == 0 && t->form == KEY_NONE)
        rc = change_old(c, t->columns_count + (uint32_t)HIDDEN_ROWID, err);
    c->ids_count = c->vars.n;
    return rc;
}

/* All columns of the tables of FROM or USING, for RETURNING. */
static int change_others(struct change *c, struct dn_err *err)
{
    uint32_t total = 0;
    int rc = 0;

    for (uint32_t r = 1; r < c->scope.rels_count; r++)
        total += c->scope.rels[r]->cols_count;
    c->out->others_at = c->vars.n;
    c->out->others = arena_calloc(c->q.env->arena, (size_t)total + 1, sizeof(*c->out->others));
    if (!c->out->others)
        return DN_FAIL_NOMEM(err);
    for (uint32_t r = 1; rc == 0 && r < c->scope.rels_count; r++) {
        struct lrel *rel = c->scope.rels[r];

        for (uint32_t i = 0; rc == 0 && i < rel->cols_count; i++) {
            c->out->others[c->out->others_count++] =
                (struct plan_other){.table = rel->alias,
                                    .name = rel->cols[i].name,
                                    .type = rel->cols[i].type,
                                    .rel = r,
                                    .closed = rel->closed,
                                    .closed_for = rel->closed_for};
            rc = change_out(c, scope_var(&c->q, &c->scope, rel, i), err);
        }
    }
    return rc;
}

/* ---- the tree ---- */

/* Each row of the table once. */
static int change_once(struct change *c, struct lnode **tree, struct dn_err *err)
{
    const struct table *t = c->rel->table;
    struct lnode *sort = logic_node(&c->q, L_SORT, *tree);
    struct lnode *unique = logic_node(&c->q, L_UNIQUE, sort);

    if (!sort || !unique)
        return DN_FAIL_NOMEM(err);
    sort->keys = arena_calloc(c->q.env->arena, (size_t)c->ids_count + 1, sizeof(*sort->keys));
    if (!sort->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->ids_count; i++) {
        uint16_t col = c->out->cols[i];

        if (col >= t->columns_count || change_places(t, col))
            sort->keys[sort->keys_count++].var = c->vars.v[i];
    }
    unique->keys = sort->keys;
    unique->keys_count = sort->keys_count;
    *tree = unique;
    return 0;
}

/* Rows of the table that are there more than once. */
static int change_twice(struct change *c, struct lnode **tree, struct dn_err *err)
{
    struct arena *arena = c->q.env->arena;
    struct lnode *agg = logic_node(&c->q, L_AGG, *tree);
    struct lagg count = {.var = logic_var(&c->q, "count(*)", TYPE_BIGINT)};
    struct datum one = {.type = TYPE_BIGINT, .v = {.i64 = 1}};
    struct bexpr *sides[2], *more;
    int rc;

    count.agg.agg = agg_find("count", true, TYPE_NONE, 0, err);
    if (!count.agg.agg)
        return DN_E_INTERNAL;
    sides[0] = count.var ? bind_var(&c->b, count.var, 0) : NULL;
    if (!agg || !sides[0])
        return DN_FAIL_NOMEM(err);
    agg->defs = arena_calloc(arena, (size_t)c->ids_count + 1, sizeof(*agg->defs));
    agg->aggs = arena_dup(arena, &count, sizeof(count));
    if (!agg->defs || !agg->aggs)
        return DN_FAIL_NOMEM(err);
    agg->aggs_count = 1;
    for (uint32_t i = 0; i < c->ids_count; i++) {
        struct ldef *def = &agg->defs[agg->defs_count++];

        *def = (struct ldef){.var = c->vars.v[i], .e = bind_var(&c->b, c->vars.v[i], 0)};
        if (!def->e)
            return DN_FAIL_NOMEM(err);
    }
    rc = bind_const(&c->b, &one, 0, &sides[1], err);
    if (rc == 0)
        rc = bind_compare(&c->b, OP_GT, 0, sides[0], sides[1], &more, err);
    if (rc < 0)
        return rc;
    *tree = logic_filter(&c->q, agg, &more, 1);
    return *tree ? 0 : DN_FAIL_NOMEM(err);
}

static int
change_tree(struct change *c, struct bexpr *where, struct lnode *tree, struct dn_err *err)
{
    struct qout out = {.count = c->vars.n, .vars = c->vars.v};
    struct lexprs conds = {0};
    int rc;

    out.names = arena_calloc(c->q.env->arena, (size_t)c->vars.n + 1, sizeof(*out.names));
    if (!out.names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->vars.n; i++)
        out.names[i] = c->q.vars[c->vars.v[i]].name;
    rc = bind_attach(&c->b, &c->subs_where, &tree, err);
    if (rc < 0)
        return rc;
    if (where && !logic_split(&c->q, where, &conds))
        return DN_FAIL_NOMEM(err);
    tree = logic_filter(&c->q, tree, conds.v, conds.n);
    if (!tree)
        return DN_FAIL_NOMEM(err);
    rc = bind_attach(&c->b, &c->subs_set, &tree, err);
    if (rc == 0 && c->ast->from_count > 0)
        rc = c->ast->once ? change_twice(c, &tree, err) : change_once(c, &tree, err);
    if (rc < 0)
        return rc;
    out.tree = logic_map(&c->q, tree, c->defs, c->defs_count);
    return out.tree ? query_finish(&c->q, &out, err) : DN_FAIL_NOMEM(err);
}

/* WHERE CURRENT OF: the row's key, or its number. */
static int change_current(struct change *c, struct bexpr **ret, struct dn_err *err)
{
    const struct plan_row *at = c->q.env->at;
    uint32_t pos = c->ast->current_of.pos;
    struct bexpr **same;
    int rc = 0;

    if (c->view) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "WHERE CURRENT OF on a view is not implemented");
        dn_err_at(err, pos);
        return rc;
    }
    if (!at || at->table != c->rel->table->id)
        return DN_FAIL(err, DN_E_INTERNAL, "WHERE CURRENT OF without a row of the table");
    same = arena_calloc(c->q.env->arena, (size_t)at->count + 1, sizeof(struct bexpr *));
    if (!same)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < at->count; i++) {
        uint32_t var = at->cols[i] < c->rel->table->columns_count
                           ? scope_var(&c->q, &c->scope, c->rel, at->cols[i])
                           : c->scan->col_vars[at->cols[i]];
        struct bexpr *sides[2] = {var ? bind_var(&c->b, var, pos) : NULL};

        if (!sides[0])
            return DN_FAIL_NOMEM(err);
        rc = bind_const(&c->b, &at->values[i], pos, &sides[1], err);
        if (rc == 0)
            rc = bind_compare(&c->b, OP_EQ, pos, sides[0], sides[1], &same[i], err);
    }
    return rc < 0 ? rc : bind_chain(&c->b, BEXPR_AND, pos, same, at->count, ret, err);
}

static int
change_bind(struct change *c, enum stmt_kind kind, struct lnode *tree, struct dn_err *err)
{
    struct bexpr *where = NULL;
    int rc = change_sets(c, err);

    if (rc == 0)
        rc = change_olds(c, kind, err);
    c->b.clause = "SET";
    c->b.subs = &c->subs_set;
    for (uint32_t i = 0; rc == 0 && i < c->out->sets_count; i++)
        rc = change_set_expr(c, i, err);
    if (rc == 0 && c->ast->returning_count > 0 && c->ast->from_count > 0)
        rc = change_others(c, err);
    c->b.clause = "WHERE";
    c->b.subs = &c->subs_where;
    if (rc == 0 && c->ast->where)
        rc = bind_where(&c->b, c->ast->where, "WHERE", &where, err);
    if (rc == 0 && c->ast->current_of.s)
        rc = change_current(c, &where, err);
    return rc < 0 ? rc : change_tree(c, where, tree, err);
}

/* The table, and those of FROM or USING beside it. */
static int change_from(struct change *c, struct lnode **ret, struct dn_err *err)
{
    struct scope others = {.level = NULL};
    struct from_target target;
    struct lnode *more, *join;
    int rc;

    if (c->ast->with) {
        rc = query_with(&c->q, c->ast->with, &c->scope, err);
        if (rc < 0)
            return rc;
    }
    others.withs = c->scope.withs;
    rc = from_table(&c->q, &c->ast->table, c->ast->alias, &c->scope, &target, err);
    if (rc < 0)
        return rc;
    c->rel = target.rel;
    c->shown = target.shown;
    c->view = target.view;
    c->scan = target.scan;
    *ret = target.tree;
    if (c->ast->from_count == 0)
        return 0;
    rc = from_bind(&c->q, &c->b, c->ast->from, c->ast->from_count, &others, &more, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < others.rels_count; i++) {
        const struct lrel *rel = others.rels[i];

        if (!rel->alias || strcmp(rel->alias, target.shown->alias) != 0)
            continue;
        rc = DN_FAIL(
            err, DN_E_DUPLICATE_ALIAS, "table name \"%s\" specified more than once", rel->alias);
        dn_err_hint(err, "Give one of them another name: %s AS …", rel->alias);
        dn_err_at(err, rel->pos);
        return rc;
    }
    join = logic_node(&c->q, L_JOIN, target.tree);
    if (!join || !scope_append(&c->q, &c->scope, &others))
        return DN_FAIL_NOMEM(err);
    join->join = PLAN_JOIN_INNER;
    join->right = more;
    *ret = join;
    return 0;
}

int plan_change(const struct plan_env *env,
                const struct stmt *stmt,
                struct plan **ret,
                struct dn_err *err)
{
    struct change c = {.ast = stmt->change};
    struct lnode *tree;
    int rc = query_start(&c.q, env, stmt, err);

    if (rc < 0)
        return rc;
    c.b = query_binder(&c.q, &c.scope, NULL);
    c.out = arena_calloc(env->arena, 1, sizeof(*c.out));
    if (!c.out)
        return DN_FAIL_NOMEM(err);
    c.q.plan->change = c.out;
    rc = change_from(&c, &tree, err);
    if (rc == 0)
        rc = change_bind(&c, stmt->kind, tree, err);
    if (rc < 0) {
        plan_done(c.q.plan);
        return rc;
    }
    *ret = c.q.plan;
    return 0;
}

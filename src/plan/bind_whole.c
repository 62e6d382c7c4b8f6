/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_whole.c: a table of FROM by its name alone, as a value: t, t.* in a call, (t).a.
 *
 * There are no values of row types. A whole row that is shown, counted or handed on is a text, as
 * PostgreSQL writes it (bind_row.c); where its columns count (IS NULL, equality, ORDER BY,
 * ROW(t.*)) it is written out as ROW(t.a, t.b, …) and bound as that. The row that an outer join
 * makes up for want of a partner is NULL, while a row of NULLs is not: a column '' beside those of
 * the table is NULL in the former alone. */
#include "plan/select_int.h"

#include "sql/ast.h"
#include "system/system.h"

#include <string.h>
#include <strings.h>

static struct lrel *
whole_find(const struct binder *b, const struct expr *e, const struct scope **ret)
{
    const char *name = e->kind == EXPR_STAR && !e->a ? e->table
                       : e->kind == EXPR_COLUMN      ? e->name
                                                     : NULL;
    struct lrel *rel = NULL;

    if (!name || (e->kind == EXPR_COLUMN && e->table))
        return NULL;
    for (const struct scope *x = b->scope; x && e->kind == EXPR_COLUMN; x = x->outer) {
        if (scope_has_name(x, name))
            return NULL;
    }
    for (const struct scope *x = b->scope; x && !rel; x = x->outer) {
        rel = scope_rel(x, e->kind == EXPR_STAR ? e->schema : NULL, name);
        *ret = x;
    }
    return rel;
}

struct lrel *bind_whole(const struct binder *b, const struct expr *e, const struct scope **ret)
{
    struct lrel *rel = whole_find(b, e, ret);

    return rel && rel->single && e->kind == EXPR_COLUMN ? NULL : rel;
}

uint32_t bind_whole_single(const struct binder *b, const struct expr *e)
{
    const struct scope *s = NULL;
    struct lrel *rel = e->kind == EXPR_COLUMN ? whole_find(b, e, &s) : NULL;

    return rel && rel->single ? scope_var(b->q, s, rel, 0) : 0;
}

/* The column '' beside those of the table. */
int bind_whole_mark(struct binder *b, const struct scope *s, struct lrel *rel, struct dn_err *err)
{
    struct planner *q = b->q;
    struct lnode *below = arena_dup(q->env->arena, rel->tree, sizeof(*below));
    struct ldef *def = arena_calloc(q->env->arena, 1, sizeof(*def));
    struct bexpr *text = arena_calloc(q->env->arena, 1, sizeof(*text));
    struct lnode *map;

    if (!below || !def || !text)
        return DN_FAIL_NOMEM(err);
    *text = (struct bexpr){
        .kind = BEXPR_CONST, .type = TYPE_VARCHAR, .value = {.type = TYPE_VARCHAR, .str = {"", 0}}};
    def->e = text;
    def->var = logic_var(q, rel->alias, TYPE_VARCHAR);
    map = logic_map(q, below, def, 1);
    if (!def->var || !map)
        return DN_FAIL_NOMEM(err);
    q->vars[def->var].level = s->level;
    q->vars[def->var].rel = rel;
    if (rel->scan == rel->tree)
        rel->scan = below;
    *rel->tree = *map; /* whoever has the tree has the column */
    rel->mark = def->var;
    return 0;
}

int bind_whole_text(struct binder *b,
                    const struct scope *s,
                    struct lrel *rel,
                    uint32_t pos,
                    struct bexpr **ret,
                    struct dn_err *err)
{
    struct bexpr **args =
        arena_alloc_array(b->env->arena, (size_t)rel->cols_count + 1, sizeof(*args));
    struct bexpr *both[2];
    int rc = 0;

    if (!args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rel->cols_count; i++) {
        uint32_t var = scope_var(b->q, s, rel, i);

        args[i] = var ? bind_var(b, var, pos) : NULL;
        rc = args[i] ? scope_may(rel, i, SCOPE_NO_SELECT, pos, err) : DN_FAIL_NOMEM(err);
        if (rc < 0)
            return rc;
    }
    rc = bind_row_call(b, pos, args, rel->cols_count, ret, err);
    if (rc < 0 || !rel->nullable || !rel->tree)
        return rc;
    if (!rel->mark)
        rc = bind_whole_mark(b, s, rel, err);
    if (rc < 0)
        return rc;
    both[0] = bind_var(b, rel->mark, pos);
    both[1] = *ret;
    rc = both[0] ? bind_call(b, "||", pos, both, 2, ret, err) : DN_FAIL_NOMEM(err);
    if (rc == 0)
        (*ret)->chars = both[1]->chars;
    return rc;
}

int bind_whole_star(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const struct scope *s = NULL;
    struct lrel *rel = bind_whole(b, e, &s);
    struct expr column = *e;
    int rc;

    if (!e->table) {
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "* stands for columns only by itself in a select list, or in count(*)");
        dn_err_at(err, e->pos);
        return rc;
    }
    if (rel)
        return bind_whole_text(b, s, rel, e->pos, ret, err);
    column.kind = EXPR_COLUMN; /* of a table that is not there: the error of any of its columns */
    column.name = "*";
    return bind_expr(b, &column, ret, err);
}

/* ---- written out ---- */

static struct expr *
whole_column(struct binder *b, const struct lrel *rel, uint32_t col, uint32_t pos)
{
    struct expr *e = arena_calloc(b->env->arena, 1, sizeof(*e));

    if (e) {
        e->kind = EXPR_COLUMN;
        e->pos = pos;
        e->table = rel->alias;
        e->name = rel->cols[col].name;
    }
    return e;
}

/* Adds what e stands for in a row: itself, or all columns of t.*; NULL: only counts. */
static bool
whole_part(struct binder *b, struct expr *e, bool table, struct expr **to, uint32_t *count)
{
    const struct scope *s = NULL;
    const struct lrel *rel = e && (table || e->kind == EXPR_STAR) ? bind_whole(b, e, &s) : NULL;

    for (uint32_t i = 0; rel && i < rel->cols_count; i++) {
        if (to) {
            to[*count] = whole_column(b, rel, i, e->pos);
            if (!to[*count])
                return false;
        }
        ++*count;
    }
    if (!rel && to)
        to[*count] = e;
    *count += !rel;
    return true;
}

int bind_as_row(struct binder *b, struct expr *e, struct expr **ret, struct dn_err *err)
{
    const struct scope *s = NULL;
    bool row = e && e->kind == EXPR_ROW;
    struct expr **parts = row ? e->args : &e;
    uint32_t parts_count = row ? e->args_count : 1;
    uint32_t count = 0;
    bool stars = false; /* t.* may be a single column as well */
    struct expr *all;

    *ret = e;
    if (!e || (!row && !bind_whole(b, e, &s)))
        return 1;
    for (uint32_t i = 0; i < parts_count; i++) {
        stars = stars || parts[i]->kind == EXPR_STAR;
        DN_IGNORE(whole_part(b, parts[i], !row, NULL, &count)); /* allocates nothing */
    }
    if (row && count == parts_count && !stars)
        return 0;
    all = arena_calloc(b->env->arena, 1, sizeof(*all));
    if (!all)
        return DN_FAIL_NOMEM(err);
    all->kind = EXPR_ROW;
    all->pos = e->pos;
    all->args = arena_calloc(b->env->arena, (size_t)count + 1, sizeof(struct expr *));
    if (!all->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < parts_count; i++) {
        if (!whole_part(b, parts[i], !row, all->args, &all->args_count))
            return DN_FAIL_NOMEM(err);
    }
    *ret = all;
    return 0;
}

/* ---- where they stand ---- */

/* Is it a whole row that an outer join may make up? */
static bool whole_nullable(const struct binder *b, const struct expr *e)
{
    const struct scope *s = NULL;
    const struct lrel *rel = bind_whole(b, e, &s);

    return rel && rel->nullable;
}

int bind_whole_compare(struct binder *b,
                       const struct expr *e,
                       struct bexpr **ret,
                       struct dn_err *err)
{
    const struct scope *s = NULL;
    struct expr same = {.kind = EXPR_DISTINCT, .pos = e->pos, .negated = e->op == OP_EQ};
    int rc;

    if (!bind_whole(b, e->a, &s) && !bind_whole(b, e->b, &s))
        return 1;
    if (e->op != OP_EQ && e->op != OP_NE) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "whole rows compared with %s are not supported yet",
                     bind_op_name(e->op));
        dn_err_hint(err, "Name the columns: (t.a, t.b) %s (u.a, u.b).", bind_op_name(e->op));
        dn_err_at(err, e->pos);
        return rc;
    }
    if (whole_nullable(b, e->a) || whole_nullable(b, e->b))
        return 1; /* as texts: then NULL stays NULL */
    rc = bind_as_row(b, e->a, &same.a, err);
    if (rc == 0)
        rc = bind_as_row(b, e->b, &same.b, err);
    return rc == 0 ? bind_row_distinct(b, &same, ret, err) : rc;
}

int bind_whole_field(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const struct scope *s = NULL;
    const struct lrel *rel = bind_whole(b, e->a, &s);
    struct expr column = {.kind = EXPR_COLUMN, .pos = e->pos, .name = e->name};

    column.table = rel ? rel->alias : NULL;
    return rel ? bind_expr(b, &column, ret, err) : 1;
}

/* ---- the order of rows, groups of them ---- */

/* A whole row behind the column that says whether there is one. */
static bool whole_is_marked(const struct binder *b, const struct bexpr *e)
{
    const struct lrel *rel;

    if (e->kind != BEXPR_CALL || strcmp(e->func->name, "||") != 0 ||
        e->args[0]->kind != BEXPR_COLUMN)
        return false;
    rel = b->q->vars[e->args[0]->col].rel;
    return rel && rel->mark == e->args[0]->col;
}

static bool whole_is_row(const struct binder *b, const struct bexpr *e)
{
    return e->chars < 0 && (whole_is_marked(b, e) || (e->kind == BEXPR_CALL && e->args_count > 0 &&
                                                      strcmp(e->func->name, "row") == 0));
}

uint32_t bind_row_parts(const struct binder *b, struct bexpr *e, struct bexpr **to)
{
    uint32_t n = 0;

    for (uint32_t i = 0; whole_is_row(b, e) && i < e->args_count; i++)
        n += bind_row_parts(b, e->args[i], to ? to + n : NULL);
    if (n > 0)
        return n;
    if (to)
        *to = e;
    return 1;
}

int bind_order_rows(struct binder *b,
                    struct plan_agg_order **list,
                    uint32_t *count,
                    struct dn_err *err)
{
    struct plan_agg_order *all;
    struct bexpr **parts;
    uint32_t total = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < *count; i++) {
        struct bexpr *e = (*list)[i].e;
        int rc = whole_is_row(b, e) ? 0 : bind_row_no_order(e, e->pos, err);

        if (rc < 0)
            return rc;
        total += bind_row_parts(b, e, NULL);
    }
    all = arena_alloc_array(b->env->arena, (size_t)total + 1, sizeof(*all));
    parts = arena_alloc_array(b->env->arena, (size_t)total + 1, sizeof(struct bexpr *));
    if (!all || !parts)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t more = bind_row_parts(b, (*list)[i].e, parts);

        for (uint32_t k = 0; k < more; k++) {
            all[n] = (*list)[i];
            if (whole_is_row(b, all[n].e)) /* NULL in a row is greater than all else */
                all[n].nulls_first = all[n].desc;
            all[n++].e = parts[k];
        }
    }
    *list = all;
    *count = n;
    return 0;
}

/* A row is grouped by its values, so that these may be used as well; in grouping sets it is one. */
int bind_key_rows(struct sel *s, struct bexpr *e, uint32_t *ret, struct dn_err *err)
{
    uint32_t count = s->has_sets ? 1 : bind_row_parts(&s->b, e, NULL);
    struct bexpr **parts = arena_alloc_array(s->b.env->arena, count, sizeof(*parts));
    int rc = 0;

    if (!parts)
        return DN_FAIL_NOMEM(err);
    parts[0] = e;
    if (count == 1 && e->kind == BEXPR_COLUMN)
        rc = bind_row_only_same(OP_EQ, e->pos, e, e, err);
    if (!s->has_sets)
        DN_IGNORE(bind_row_parts(&s->b, e, parts)); /* as many again */
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = select_key_add(s, parts[i], ret, err);
    return rc;
}

/* ---- tableoid ---- */

static const struct lrel *whole_tableoid(const struct binder *b, const struct expr *e)
{
    const struct lrel *rel = NULL;

    if (!b->scope || strcasecmp(e->name, "tableoid") != 0)
        return NULL;
    if (e->table)
        rel = scope_rel(b->scope, e->schema, e->table);
    else if (b->scope->rels_count == 1)
        rel = b->scope->rels[0];
    return rel && rel->table && !rel->view && !rel->nullable ? rel : NULL;
}

bool bind_is_tableoid(const struct binder *b, const struct expr *e)
{
    return whole_tableoid(b, e) != NULL;
}

int bind_tableoid(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct datum oid = {.type = TYPE_OID, .v = {.i64 = sys_oid(whole_tableoid(b, e)->table)}};

    return bind_const(b, &oid, e->pos, ret, err);
}

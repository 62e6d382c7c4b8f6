/* SPDX-License-Identifier: Apache-2.0
 *
 * scope.c: names to variables. Exact spelling first, then any case; the nearest query that knows
 * the name decides. */
#include "plan/scope.h"

#include "base/text.h"
#include "plan/note.h"
#include "sql/ast.h"
#include "system/system.h"

static void *scope_grow(struct planner *q, void *old, uint32_t count, uint32_t *cap, size_t size)
{
    uint32_t want = 2 * count + 8;
    void *more;

    if (count < *cap)
        return old;
    more = arena_alloc_array(q->env->arena, want, size);
    if (!more)
        return NULL;
    if (count)
        memcpy(more, old, count * size);
    *cap = want;
    return more;
}

bool scope_add_rel(struct planner *q, struct scope *s, struct lrel *rel)
{
    struct lrel **more = scope_grow(q, s->rels, s->rels_count, &s->rels_cap, sizeof(*more));

    if (!more)
        return false;
    s->rels = more;
    s->rels[s->rels_count++] = rel;
    return true;
}

bool scope_add_name(struct planner *q, struct scope *s, const struct lname *name)
{
    struct lname *more = scope_grow(q, s->names, s->names_count, &s->names_cap, sizeof(*more));

    if (!more)
        return false;
    s->names = more;
    s->names[s->names_count++] = *name;
    return true;
}

bool scope_append(struct planner *q, struct scope *s, const struct scope *more)
{
    for (uint32_t i = 0; i < more->rels_count; i++) {
        if (!scope_add_rel(q, s, more->rels[i]))
            return false;
    }
    for (uint32_t i = 0; i < more->names_count; i++) {
        if (!scope_add_name(q, s, &more->names[i]))
            return false;
    }
    return true;
}

/* ---- privileges ---- */

int scope_may(const struct lrel *rel, uint32_t col, uint8_t how, uint32_t pos, struct dn_err *err)
{
    int rc;

    if (!rel || !rel->closed || !(rel->closed[col] & how))
        return 0;
    rc = DN_FAIL(err, DN_E_DENIED, "permission denied for %s", rel->closed_for);
    dn_err_hint(err, "The role has privileges on some of its columns only.");
    dn_err_at(err, pos);
    return rc;
}

/* ---- variables ---- */

struct plan_origin scope_origin(const struct table *t, uint32_t col)
{
    const struct column *c = &t->columns[col];

    return (struct plan_origin){
        .relation = sys_oid(t), .column = (int32_t)c->id, .declared = true, .mods = c->mods};
}

uint32_t scope_var(struct planner *q, const struct scope *s, struct lrel *rel, uint32_t col)
{
    struct lcol *c = &rel->cols[col];

    if (c->var)
        return c->var;
    c->var = logic_var(q, c->name, c->type);
    if (!c->var)
        return 0;
    q->vars[c->var].level = s->level;
    q->vars[c->var].rel = rel;
    q->vars[c->var].col = col;
    if (rel->table && col < rel->table->columns_count)
        q->vars[c->var].origin = scope_origin(rel->table, col);
    rel->scan->col_vars[col] = c->var;
    return c->var;
}

uint32_t scope_name_var(struct planner *q, const struct scope *s, const struct lname *name)
{
    return name->rel ? scope_var(q, s, name->rel, name->col) : name->var;
}

/* ---- looking up ---- */

static bool scope_same(const char *a, const char *b, bool fold)
{
    return fold ? text_same_fold(a, strlen(a), b, strlen(b)) : strcmp(a, b) == 0;
}

struct lrel *scope_rel(const struct scope *s, const char *schema, const char *alias)
{
    for (int fold = 0; fold <= 1; fold++) {
        for (uint32_t i = 0; i < s->rels_count; i++) {
            struct lrel *r = s->rels[i];

            if (r->alias && scope_same(r->alias, alias, fold) &&
                (!schema || (r->schema && scope_same(r->schema, schema, true))))
                return r;
        }
    }
    return NULL;
}

/* of: the one table whose columns differ in case alone; NULL: they are of several. */
static int scope_ambiguous(const struct expr *e, const struct lrel *of, struct dn_err *err)
{
    if (of) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_AMBIGUOUS,
                          "column name \"%s\" is ambiguous: several columns of \"%s\" differ from "
                          "it only in case",
                          e->name,
                          of->alias ? of->alias : "?")); /* returned below */
        dn_err_hint(err, "Write the name exactly as it was declared, in double quotes.");
    } else {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_AMBIGUOUS,
                          "column reference \"%s\" is ambiguous",
                          e->name)); /* returned below */
        dn_err_hint(err, "Say of which table: table.%s.", e->name);
    }
    dn_err_at(err, e->pos);
    return DN_E_AMBIGUOUS;
}

bool scope_has_name(const struct scope *s, const char *name)
{
    for (uint32_t i = 0; i < s->names_count; i++) {
        if (scope_same(s->names[i].name, name, true))
            return true;
    }
    return false;
}

/* 1: not here. */
static int scope_find_name(struct planner *q,
                           const struct scope *s,
                           const struct expr *e,
                           uint32_t *ret,
                           struct dn_err *err)
{
    for (int fold = 0; fold <= 1; fold++) {
        const struct lname *found = NULL;

        for (uint32_t i = 0; i < s->names_count; i++) {
            if (!scope_same(s->names[i].name, e->name, fold))
                continue;
            if (found)
                return scope_ambiguous(
                    e, fold && found->rel == s->names[i].rel ? found->rel : NULL, err);
            found = &s->names[i];
        }
        if (found) {
            if (found->rel)
                plan_note_column(q, e, found->rel, found->col);
            *ret = scope_name_var(q, s, found);
            if (!*ret)
                return DN_FAIL_NOMEM(err);
            return e->own ? 0 : scope_may(found->rel, found->col, SCOPE_NO_SELECT, e->pos, err);
        }
    }
    return 1;
}

/* The same among columns that are no part of *: "tableoid". 1: not here. */
static int scope_find_hidden(struct planner *q,
                             const struct scope *s,
                             const struct expr *e,
                             uint32_t *ret,
                             struct dn_err *err)
{
    struct lrel *found = NULL;
    uint32_t at = 0;

    for (uint32_t i = 0; i < s->rels_count; i++) {
        struct lrel *r = s->rels[i];

        for (uint32_t col = r->cols_count - r->hidden; col < r->cols_count; col++) {
            if (!scope_same(r->cols[col].name, e->name, true))
                continue;
            if (found)
                return scope_ambiguous(e, NULL, err);
            found = r;
            at = col;
        }
    }
    if (!found)
        return 1;
    *ret = scope_var(q, s, found, at);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

static int scope_no_column(const struct lrel *rel, const struct expr *e, struct dn_err *err)
{
    struct text_near near = text_near_make(e->name);

    DN_IGNORE(
        DN_FAIL(err,
                DN_E_UNDEFINED_COLUMN,
                e->table ? "column %s%s%s does not exist" : "column \"%s%s%s\" does not exist",
                e->table ? rel->alias : "",
                e->table ? "." : "",
                e->name)); /* returned below */
    for (uint32_t i = 0; i < rel->cols_count; i++)
        text_near_try(&near, rel->cols[i].name);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    dn_err_at(err, e->pos);
    return DN_E_UNDEFINED_COLUMN;
}

static int scope_find_in(struct planner *q,
                         const struct scope *s,
                         struct lrel *rel,
                         const struct expr *e,
                         uint32_t *ret,
                         struct dn_err *err)
{
    for (int fold = 0; fold <= 1; fold++) {
        uint32_t found = UINT32_MAX;

        for (uint32_t i = 0; i < rel->cols_count; i++) {
            if (!scope_same(rel->cols[i].name, e->name, fold))
                continue;
            if (found != UINT32_MAX)
                return scope_ambiguous(e, fold ? rel : NULL, err);
            found = i;
        }
        if (found != UINT32_MAX) {
            plan_note_column(q, e, rel, found);
            *ret = scope_var(q, s, rel, found);
            if (!*ret)
                return DN_FAIL_NOMEM(err);
            return e->own ? 0 : scope_may(rel, found, SCOPE_NO_SELECT, e->pos, err);
        }
    }
    return scope_no_column(rel, e, err);
}

static int scope_no_rel(const struct scope *s, const struct expr *e, struct dn_err *err)
{
    struct text_near near = text_near_make(e->table);

    DN_IGNORE(DN_FAIL(err,
                      DN_E_UNDEFINED_TABLE,
                      "missing FROM-clause entry for table \"%s\"",
                      e->table)); /* returned below */
    for (const struct scope *x = s; x; x = x->outer) {
        for (uint32_t i = 0; i < x->rels_count; i++) {
            if (x->rels[i]->alias)
                text_near_try(&near, x->rels[i]->alias);
        }
    }
    if (s->rels_count == 1 && !s->outer && s->rels[0]->alias)
        dn_err_hint(err, "The table of this query is called \"%s\".", s->rels[0]->alias);
    else if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    dn_err_at(err, e->pos);
    return DN_E_UNDEFINED_TABLE;
}

static int
scope_no_name(const struct scope *s, const struct expr *e, const char *clause, struct dn_err *err)
{
    struct text_near near = text_near_make(e->name);
    const struct scope *any = s;

    while (any && any->rels_count == 0)
        any = any->outer;
    if (!any && clause && strcmp(clause, "DEFAULT") == 0) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_UNSUPPORTED,
                          "cannot use column reference in DEFAULT expression")); /* as below */
        dn_err_hint(err, "Text goes in single quotes: '%s'.", e->name);
        dn_err_at(err, e->pos);
        return DN_E_UNSUPPORTED;
    }
    if (!any) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_UNDEFINED_COLUMN,
                          "column \"%s\" cannot be used here: there is no table in sight%s%s",
                          e->name,
                          clause ? " of " : "",
                          clause ? clause : "")); /* returned below */
        dn_err_hint(err, "Text goes in single quotes: '%s'.", e->name);
        dn_err_at(err, e->pos);
        return DN_E_UNDEFINED_COLUMN;
    }
    if (s->rels_count == 1 && !s->outer && s->rels[0]->alias)
        return scope_no_column(s->rels[0], e, err);
    DN_IGNORE(DN_FAIL(
        err, DN_E_UNDEFINED_COLUMN, "column \"%s\" does not exist", e->name)); /* returned below */
    for (const struct scope *x = s; x; x = x->outer) {
        for (uint32_t i = 0; i < x->names_count; i++)
            text_near_try(&near, x->names[i].name);
    }
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    dn_err_at(err, e->pos);
    return DN_E_UNDEFINED_COLUMN;
}

int scope_find(struct planner *q,
               const struct scope *s,
               const struct expr *e,
               const char *clause,
               uint32_t *ret,
               struct dn_err *err)
{
    static const struct scope none = {0};
    int rc;

    plan_note_scope(q, s);
    for (const struct scope *x = s; x; x = x->outer) {
        struct lrel *rel = e->table ? scope_rel(x, e->schema, e->table) : NULL;

        if (rel)
            return scope_find_in(q, x, rel, e, ret, err);
        if (e->table)
            continue;
        rc = scope_find_name(q, x, e, ret, err);
        if (rc == 1)
            rc = scope_find_hidden(q, x, e, ret, err);
        if (rc != 1)
            return rc;
    }
    return e->table ? scope_no_rel(s ? s : &none, e, err)
                    : scope_no_name(s ? s : &none, e, clause, err);
}

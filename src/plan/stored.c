/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/stored.h"

#include "plan/bind.h"
#include "plan/from_int.h"
#include "sql/sql.h"

/* Positions in the statement are not those in the text. */
static void stored_unplace(struct expr *e)
{
    if (!e)
        return;
    e->pos = 0;
    stored_unplace(e->a);
    stored_unplace(e->b);
    stored_unplace(e->c);
    for (uint32_t i = 0; i < e->args_count; i++)
        stored_unplace(e->args[i]);
}

int plan_stored_parse(const struct sql_types *types,
                      struct arena *arena,
                      const char *sql,
                      struct expr **ret,
                      struct dn_err *err)
{
    struct sql_text text;
    struct stmt *stmt;
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    buf_puts(&b, "SELECT ");
    buf_puts(&b, sql);
    if (b.failed) {
        buf_done(&b);
        return DN_FAIL_NOMEM(err);
    }
    sql_text_init(&text, (const char *)b.data, b.len);
    text.types = types;
    rc = sql_parse(&text, arena, &stmt, err);
    buf_done(&b);
    if (rc == DN_E_NOMEM)
        return rc;
    if (rc != 0 || stmt->kind != STMT_SELECT || stmt->query->kind != QUERY_SELECT ||
        stmt->query->core->items_count != 1)
        return DN_FAIL(err, DN_E_CORRUPT, "catalog: not an expression: %.200s", sql);
    *ret = stmt->query->core->items[0].expr;
    stored_unplace(*ret);
    return 0;
}

int plan_stored_default(const struct plan_env *env,
                        const struct column *c,
                        struct bexpr **ret,
                        struct dn_err *err)
{
    struct binder b = {.env = env, .clause = "DEFAULT"};
    struct expr *e;
    int rc = plan_stored_parse(env->types, env->arena, c->def_sql, &e, err);

    if (rc == 0)
        rc = bind_expr(&b, e, ret, err);
    if (rc == 0)
        rc = bind_settle(&b, *ret, ret, err);
    if (rc < 0) {
        if (rc != DN_E_NOMEM)
            dn_err_prefix(err, "DEFAULT of column \"%s\"", c->name);
    }
    return rc;
}

/* ---- over columns ---- */

static void stored_used(const struct bexpr *e, bool *used)
{
    if (e->kind == BEXPR_COLUMN)
        used[e->col] = true;
    for (uint32_t i = 0; i < e->args_count; i++)
        stored_used(e->args[i], used);
}

/* From variables to the places of columns. */
static int
stored_places(struct planner *q, const struct lrel *rel, struct bexpr **e, struct dn_err *err)
{
    struct ldef *defs = arena_calloc(q->env->arena, rel->cols_count, sizeof(*defs));
    struct bexpr *places = arena_calloc(q->env->arena, rel->cols_count, sizeof(*places));

    if (!defs || !places)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rel->cols_count; i++) {
        places[i] = (struct bexpr){.kind = BEXPR_COLUMN, .type = rel->cols[i].type, .col = i};
        defs[i] = (struct ldef){.var = rel->cols[i].var, .e = &places[i]};
    }
    *e = logic_replace(q, *e, defs, rel->cols_count);
    return *e ? 0 : DN_FAIL_NOMEM(err);
}

static int stored_scope(struct planner *q,
                        const struct table *t,
                        struct scope *s,
                        struct lrel **ret,
                        struct dn_err *err)
{
    struct lrel *rel = arena_calloc(q->env->arena, 1, sizeof(*rel));

    if (rel)
        rel->cols = arena_calloc(q->env->arena, t->columns_count, sizeof(*rel->cols));
    if (!rel || !rel->cols || !scope_add_rel(q, s, rel))
        return DN_FAIL_NOMEM(err);
    rel->alias = t->name;
    rel->schema = t->schema;
    rel->cols_count = t->columns_count;
    for (uint16_t i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];
        struct lname name = {.name = c->name, .rel = rel, .col = i};

        rel->cols[i] =
            (struct lcol){.name = c->name, .type = c->type, .var = logic_var(q, c->name, c->type)};
        if (!rel->cols[i].var || !scope_add_name(q, s, &name))
            return DN_FAIL_NOMEM(err);
    }
    *ret = rel;
    return 0;
}

int plan_row_expr(const struct plan_env *env,
                  const struct table *t,
                  const struct expr *e,
                  const char *what,
                  bool *used,
                  struct bexpr **ret,
                  struct dn_err *err)
{
    struct stmt none = {.kind = STMT_EMPTY};
    struct scope scope = {.level = NULL};
    struct planner q;
    struct binder b;
    struct lrel *rel = NULL;
    int rc = query_start(&q, env, &none, err);

    if (rc == 0)
        rc = stored_scope(&q, t, &scope, &rel, err);
    if (rc < 0)
        return rc;
    b = query_binder(&q, &scope, NULL);
    b.clause = what;
    rc = bind_expr(&b, e, ret, err);
    if (rc == 0)
        rc = bind_settle(&b, *ret, ret, err);
    if (rc == 0 && (q.inits_count > 0 || q.plan->ctes_count > 0)) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "a subquery cannot be used in %s", what);
        dn_err_at(err, e->pos);
    }
    if (rc == 0)
        rc = stored_places(&q, rel, ret, err);
    if (rc == 0 && used)
        stored_used(*ret, used);
    plan_done(q.plan);
    return rc;
}

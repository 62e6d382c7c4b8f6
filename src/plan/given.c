/* SPDX-License-Identifier: Apache-2.0
 *
 * given.c: queries over rows that the caller has in its hands, as the working table 0 of the plan
 * (exec_ctx.given): RETURNING, where the table of the statement stands for them, and ON CONFLICT,
 * where they are called "excluded" and are joined with the table. */
#include "plan/from_int.h"
#include "plan/stored.h"
#include "plan/writable.h"

static int given_plan(const struct plan_env *env,
                      const struct stmt *stmt,
                      const struct given *given,
                      const struct query *query,
                      struct plan **ret,
                      struct dn_err *err)
{
    const struct with_clause *with = stmt->insert ? stmt->insert->with : stmt->change->with;
    struct scope outer = {.level = NULL};
    struct planner q;
    struct qout out;
    int rc = query_start(&q, env, stmt, err);

    if (rc < 0)
        return rc;
    q.given = given;
    q.plan->works_count = 1 + env->parts_count;
    if (with)
        rc = query_with(&q, with, &outer, err);
    if (rc == 0)
        rc = query_bind(&q, query, with ? &outer : NULL, &out, err);
    if (rc == 0)
        rc = query_shown(&q, &out, err);
    if (rc == 0)
        rc = query_finish(&q, &out, err);
    if (rc < 0) {
        plan_done(q.plan);
        return rc;
    }
    *ret = q.plan;
    return 0;
}

/* A column of the given rows as one of a table. */
static int given_column(struct from *f,
                        struct lrel *rel,
                        uint32_t at,
                        const struct lcol *col,
                        struct lnode *n,
                        struct dn_err *err)
{
    uint32_t var = logic_var(f->q, col->name, col->type);

    if (!var)
        return DN_FAIL_NOMEM(err);
    f->q->vars[var].level = f->level;
    n->vars[n->vars_count++] = var;
    rel->cols[at] = *col;
    rel->cols[at].var = var;
    return 0;
}

/* The tables beside the one that is changed. */
static int given_others(struct from *f,
                        const struct plan_change *change,
                        struct lnode *n,
                        uint32_t pos,
                        struct from_part *ret,
                        struct dn_err *err)
{
    uint32_t at = 0;
    int rc = 0;

    while (rc == 0 && at < change->others_count) {
        const struct plan_other *first = &change->others[at];
        struct lrel *rel;
        uint32_t count = 0;

        while (at + count < change->others_count && first[count].rel == first->rel)
            count++;
        rel = from_rel(f, first->table, count, pos);
        if (!rel)
            return DN_FAIL_NOMEM(err);
        rel->closed = first->closed;
        rel->closed_for = first->closed_for;
        for (uint32_t i = 0; rc == 0 && i < count; i++)
            rc = given_column(
                f, rel, i, &(struct lcol){.name = first[i].name, .type = first[i].type}, n, err);
        if (rc == 0)
            rc = from_add(f, rel, ret, err);
        at += count;
    }
    return rc;
}

int given_rel(struct from *f,
              const struct given *given,
              const char *alias,
              uint32_t pos,
              struct lrel **ret,
              struct lnode **ret_tree,
              struct dn_err *err)
{
    const struct table *t = given->table;
    uint32_t others = given->change ? given->change->others_count : 0;
    struct lrel *rel = from_rel(f, alias, t->columns_count, pos);
    struct lnode *n = logic_node(f->q, L_WORK, NULL);
    int rc = 0;

    if (!rel || !n)
        return DN_FAIL_NOMEM(err);
    n->work = 0;
    n->vars =
        arena_alloc_array(f->q->env->arena, (size_t)t->columns_count + others, sizeof(*n->vars));
    if (!n->vars)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++) {
        rc = given_column(f,
                          rel,
                          i,
                          &(struct lcol){.name = t->columns[i].name, .type = t->columns[i].type},
                          n,
                          err);
        if (rc == 0)
            f->q->vars[rel->cols[i].var].origin = scope_origin(t, i);
    }
    *ret = rel;
    *ret_tree = n;
    return rc;
}

int from_given(struct from *f,
               const struct from_item *item,
               struct from_part *ret,
               struct dn_err *err)
{
    const struct given *given = f->q->given;
    const struct table *t = given->table;
    uint32_t others = given->change ? given->change->others_count : 0;
    const char *name = given->view ? given->view->view->name : t->name;
    struct lrel *rel;
    struct lnode *n;
    int rc = given_rel(f, given, item->alias ? item->alias : name, item->pos, &rel, &n, err);

    if (rc < 0)
        return rc;
    ret->tree = n;
    if (given->view) {
        rc = writable_bind(f->q, given->view, WRITABLE_SHOW, rel, &ret->tree, &rel, err);
        if (rc < 0)
            return rc;
        rel->alias = item->alias ? item->alias : name;
        for (uint32_t i = 0; i < rel->cols_count; i++)
            f->q->vars[rel->cols[i].var].level = f->level;
    }
    rel->schema = item->alias ? NULL : given->view ? given->view->view->schema : t->schema;
    rc = from_close_target(f, &item->table, rel, err);
    if (rc == 0)
        rc = from_add(f, rel, ret, err);
    if (rc == 0 && others > 0)
        rc = given_others(f, given->change, n, item->pos, ret, err);
    return rc;
}

/* The view that the statement names, as rows are written through it; NULL: it names a table. */
static int given_view(const struct plan_env *env,
                      const struct qual_name *name,
                      struct plan_writable **ret,
                      struct dn_err *err)
{
    struct catalog_path path = {.temp = env->temp, .schema = env->schema, .more = env->more};
    struct catalog_relation found;
    int rc = catalog_resolve(env->catalog, &path, name->schema, name->name, &found, err);

    *ret = NULL;
    return rc == 0 && found.view ? plan_writable(env, found.view, "update", 0, ret, err) : rc;
}

int plan_returning(const struct plan_env *env,
                   const struct stmt *stmt,
                   const struct table *table,
                   const struct plan_change *change,
                   struct plan **ret,
                   struct dn_err *err)
{
    const struct insert_stmt *ins = stmt->insert;
    struct from_item *item = arena_calloc(env->arena, 1, sizeof(*item));
    struct select_core *core = arena_calloc(env->arena, 1, sizeof(*core));
    struct query *query = arena_calloc(env->arena, 1, sizeof(*query));
    struct plan_writable *view;
    struct given given;
    int rc;

    if (!item || !core || !query)
        return DN_FAIL_NOMEM(err);
    item->kind = FROM_TABLE;
    item->table = ins ? ins->table : stmt->change->table;
    rc = given_view(env, &item->table, &view, err);
    if (rc < 0)
        return rc;
    item->alias = from_target_alias(table, &item->table, ins ? ins->alias : stmt->change->alias);
    item->pos = item->table.pos;
    core->from = &item;
    core->from_count = 1;
    core->items = ins ? ins->returning : stmt->change->returning;
    core->items_count = ins ? ins->returning_count : stmt->change->returning_count;
    core->pos = core->items[0].pos;
    query->kind = QUERY_SELECT;
    query->core = core;
    query->pos = core->pos;
    given = (struct given){
        .item = item, .table = table, .view = view, .change = change, .clause = "RETURNING"};
    rc = given_plan(env, stmt, &given, query, ret, err);
    if (rc == 0 && (*ret)->cols_count == 0) {
        plan_done(*ret);
        *ret = NULL;
        rc = DN_FAIL(err, DN_E_SYNTAX, "RETURNING must have at least one column");
        dn_err_at(err, core->pos);
    }
    return rc;
}

/* ---- ON CONFLICT ---- */

static struct expr *
conflict_column(struct arena *arena, const char *table, const char *name, uint32_t pos)
{
    struct expr *e = arena_calloc(arena, 1, sizeof(*e));

    if (e) {
        e->kind = EXPR_COLUMN;
        e->table = table;
        e->name = name;
        e->pos = pos;
        e->depth = 1;
        e->own = true;
    }
    return e;
}

static struct expr *
conflict_binary(struct arena *arena, enum expr_op op, struct expr *a, struct expr *b)
{
    struct expr *e = a && b ? arena_calloc(arena, 1, sizeof(*e)) : NULL;

    if (e) {
        e->kind = EXPR_BINARY;
        e->op = op;
        e->a = a;
        e->b = b;
        e->pos = a->pos;
        e->depth = 1 + (a->depth > b->depth ? a->depth : b->depth);
        e->chain = op == OP_AND ? 2 : 0;
    }
    return e;
}

/* t.key = excluded.key AND … */
static struct expr *
conflict_on(struct arena *arena, const struct table *t, const char *alias, uint32_t pos)
{
    struct expr *on = NULL;

    for (uint16_t i = 0; i < t->columns_count; i++) {
        struct expr *eq;

        if (t->columns[i].key_pos == 0)
            continue;
        eq = conflict_binary(arena,
                             OP_EQ,
                             conflict_column(arena, alias, t->columns[i].name, pos),
                             conflict_column(arena, "excluded", t->columns[i].name, pos));
        if (!eq)
            return NULL;
        on = on ? conflict_binary(arena, OP_AND, on, eq) : eq;
        if (!on)
            return NULL;
    }
    return on;
}

/* GENERATED ALWAYS: nobody gives it a value. */
static int conflict_generated(const struct table *t, const struct set_item *set, struct dn_err *err)
{
    int col = set->columns ? -1 : table_column_find(t, set->column.s, strlen(set->column.s));
    int rc;

    if (col < 0 || t->columns[col].source < COLUMN_ALWAYS)
        return 0;
    rc = DN_FAIL(
        err, DN_E_GENERATED, "column \"%s\" can only be updated to DEFAULT", t->columns[col].name);
    dn_err_at(err, set->column.pos);
    return rc;
}

/* The old row, the new values, the condition. */
static int conflict_items(const struct plan_env *env,
                          const struct insert_stmt *ins,
                          const struct table *t,
                          const char *alias,
                          struct select_core *core,
                          struct dn_err *err)
{
    const struct conflict_clause *c = &ins->conflict;
    struct arena *arena = env->arena;
    size_t n = (size_t)t->columns_count + c->set_count + 1;

    core->items = arena_calloc(arena, n, sizeof(*core->items));
    if (!core->items)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->columns_count; i++) {
        struct expr *e = conflict_column(arena, alias, t->columns[i].name, c->pos);

        if (!e)
            return DN_FAIL_NOMEM(err);
        core->items[core->items_count++].expr = e;
    }
    for (uint32_t i = 0; i < c->set_count; i++) {
        struct expr *e = c->set[i].expr;
        int col = e ? -1 : table_column_find(t, c->set[i].column.s, strlen(c->set[i].column.s));
        int rc = 0;

        if (e)
            rc = conflict_generated(t, &c->set[i], err);
        else if (col >= 0 && t->columns[col].def_sql && t->columns[col].source != COLUMN_STORED)
            rc = plan_stored_parse(env->types, arena, t->columns[col].def_sql, &e, err);
        if (rc < 0)
            return rc;
        if (!e) /* a DEFAULT that is a constant: anything, nobody looks at it */
            e = conflict_column(arena, alias, t->columns[0].name, c->pos);
        if (!e)
            return DN_FAIL_NOMEM(err);
        core->items[core->items_count++].expr = e;
    }
    if (c->where)
        core->items[core->items_count++].expr = c->where;
    for (uint32_t i = 0; i < core->items_count; i++)
        core->items[i].pos = core->items[i].end = core->items[i].expr->pos;
    return 0;
}

int plan_conflict(const struct plan_env *env,
                  const struct stmt *stmt,
                  const struct table *table,
                  struct plan **ret,
                  struct dn_err *err)
{
    const struct insert_stmt *ins = stmt->insert;
    struct from_item *sides = arena_calloc(env->arena, 3, sizeof(*sides));
    struct select_core *core = arena_calloc(env->arena, 1, sizeof(*core));
    struct query *query = arena_calloc(env->arena, 1, sizeof(*query));
    const char *alias = from_target_alias(table, &ins->table, ins->alias);
    struct from_item *join;
    struct given given;
    int rc;

    if (!sides || !core || !query)
        return DN_FAIL_NOMEM(err);
    sides[0] = (struct from_item){
        .kind = FROM_TABLE, .pos = ins->table.pos, .table = ins->table, .alias = alias};
    if (table->parent) /* the newest shard of a partition: rows of others are other rows */
        sides[0].table =
            (struct qual_name){.schema = table->schema, .name = table->name, .pos = ins->table.pos};
    sides[1] = (struct from_item){
        .kind = FROM_TABLE, .pos = ins->conflict.pos, .table = ins->table, .alias = "excluded"};
    sides[2] = (struct from_item){.kind = FROM_JOIN,
                                  .pos = ins->conflict.pos,
                                  .join = JOIN_INNER,
                                  .left = &sides[0],
                                  .right = &sides[1]};
    join = &sides[2];
    join->on = conflict_on(env->arena, table, alias ? alias : table->name, ins->conflict.pos);
    if (!join->on)
        return DN_FAIL_NOMEM(err);
    rc = conflict_items(env, ins, table, alias ? alias : table->name, core, err);
    if (rc < 0)
        return rc;
    core->from = &join;
    core->from_count = 1;
    core->pos = query->pos = ins->conflict.pos;
    query->kind = QUERY_SELECT;
    query->core = core;
    given = (struct given){
        .item = &sides[1], .target = &sides[0], .table = table, .clause = "ON CONFLICT DO UPDATE"};
    return given_plan(env, stmt, &given, query, ret, err);
}

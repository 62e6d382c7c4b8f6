/* SPDX-License-Identifier: Apache-2.0
 *
 * from.c: FROM to a tree of scans and joins, and the names it makes known.
 *
 * Items are bound from left to right. What LATERAL sees is the scope of everything to its left
 * (of the whole list, and of the joins it stands in), with the query's outer scope behind it. A
 * join knows both its sides; its ON clause sees nothing else but what is around the query. */
#include "plan/from_int.h"
#include "plan/writable.h"

#include "catalog/access_check.h"
#include "plan/view.h"
#include "system/system.h"

#include <strings.h>

/* ---- one table ---- */

int from_add(struct from *f, struct lrel *rel, struct from_part *ret, struct dn_err *err)
{
    rel->tree = ret->tree;
    if (!scope_add_rel(f->q, &ret->scope, rel))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rel->cols_count - rel->hidden; i++) {
        struct lname name = {.name = rel->cols[i].name, .rel = rel, .col = i};

        if (!scope_add_name(f->q, &ret->scope, &name))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

int from_rename(struct lrel *rel, const struct spec_name *names, uint32_t count, struct dn_err *err)
{
    if (count > rel->cols_count) {
        int rc = DN_FAIL(err,
                         DN_E_UNCOVERED_KEY,
                         "table \"%s\" has %u columns available but %u columns specified",
                         rel->alias ? rel->alias : "?",
                         rel->cols_count,
                         count);

        dn_err_at(err, names[rel->cols_count].pos);
        return rc;
    }
    for (uint32_t i = 0; i < count; i++)
        rel->cols[i].name = names[i].s;
    return 0;
}

struct lrel *from_rel(struct from *f, const char *alias, uint32_t cols, uint32_t pos)
{
    struct lrel *rel = arena_calloc(f->q->env->arena, 1, sizeof(*rel));

    if (!rel)
        return NULL;
    rel->alias = alias;
    rel->pos = pos;
    rel->cols_count = cols;
    rel->cols = arena_calloc(f->q->env->arena, (size_t)cols + 1, sizeof(*rel->cols));
    return rel->cols ? rel : NULL;
}

static int from_stored(struct from *f,
                       const struct table *t,
                       const char *alias,
                       uint32_t pos,
                       struct lrel **ret_rel,
                       struct lnode **ret,
                       struct dn_err *err)
{
    const struct plan_env *env = f->q->env;
    struct lnode *scan;
    struct lrel *rel;
    int rc;

    rc = query_table(f->q, t, err);
    if (rc < 0)
        return rc;
    scan = logic_node(f->q, L_SCAN, NULL);
    rel = from_rel(f, alias ? alias : t->name, t->columns_count, pos);
    if (!scan || !rel)
        return DN_FAIL_NOMEM(err);
    scan->table = t;
    scan->pos = pos;
    scan->col_vars = arena_calloc(env->arena, store_cols_count(t), sizeof(*scan->col_vars));
    if (!scan->col_vars)
        return DN_FAIL_NOMEM(err);
    rel->table = t;
    rel->scan = scan;
    rel->schema = alias ? NULL : t->schema;
    for (uint16_t i = 0; i < t->columns_count; i++)
        rel->cols[i] = (struct lcol){.name = t->columns[i].name, .type = t->columns[i].type};
    *ret_rel = rel;
    *ret = scan;
    return 0;
}

/* Temporary objects come before pg_catalog, all others behind it. */
static const struct sys_relation *from_find_system(struct from *f, const struct qual_name *name)
{
    const struct plan_env *env = f->q->env;
    const struct sys_relation *r = sys_find(name->schema, name->name);
    struct catalog_relation found;

    if (r && !name->schema && env->temp &&
        catalog_relation(env->catalog, env->temp, name->name, &found, NULL) == 0)
        return NULL;
    return r;
}

/* need: bits of privileges; ret_left: those that the role has on some columns only. */
static int from_look_up(struct from *f,
                        const struct qual_name *name,
                        uint32_t need,
                        struct catalog_relation *ret,
                        uint32_t *ret_left,
                        struct dn_err *err)
{
    const struct plan_env *env = f->q->env;
    struct catalog_path path = {.temp = env->temp, .schema = env->schema, .more = env->more};
    int rc;

    if (name->schema && sys_is_schema(name->schema))
        rc = sys_find(name->schema, name->name)
                 ? DN_FAIL(err,
                           DN_E_SYSTEM_CATALOG,
                           "permission denied: \"%s\" is a system catalog",
                           name->name)
                 : DN_FAIL(err,
                           DN_E_UNDEFINED_TABLE,
                           "relation \"%s.%s\" does not exist",
                           name->schema,
                           name->name);
    else
        rc = catalog_resolve(env->catalog, &path, name->schema, name->name, ret, err);
    if (rc == 0)
        rc = catalog_may_columns(env->catalog, env->role, ret, need, ret_left, err);
    if (rc == DN_E_UNDEFINED_SCHEMA) { /* to PostgreSQL it is the relation that is missing */
        struct dn_err why = *err;

        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_TABLE,
                     "relation \"%s.%s\" does not exist",
                     name->schema,
                     name->name);
        dn_err_hint(
            err, "There is no schema \"%s\".%s%s", name->schema, why.hint[0] ? " " : "", why.hint);
    }
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

/* Columns of a table of FROM that the role may not read or write. */
static int from_close(struct from *f,
                      const struct catalog_relation *r,
                      uint32_t left,
                      struct lrel *rel,
                      struct dn_err *err)
{
    static const struct {
        enum privilege privilege;
        uint8_t bit;
    } kinds[] = {{PRIVILEGE_SELECT, SCOPE_NO_SELECT}, {PRIVILEGE_UPDATE, SCOPE_NO_UPDATE}};
    const struct plan_env *env = f->q->env;
    struct dn_err ignored;
    uint8_t *closed;

    if (!left)
        return 0;
    closed = arena_calloc(env->arena, (size_t)rel->cols_count + 1, sizeof(*closed));
    if (!closed)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rel->cols_count - rel->hidden; i++) {
        uint32_t column = r->table ? r->table->columns[i].id : i + 1;

        for (size_t k = 0; k < DN_ARRAY_SIZE(kinds); k++) {
            uint32_t bit = PRIVILEGE_BIT(kinds[k].privilege);

            if ((left & bit) &&
                catalog_may_column(env->catalog, env->role, r, column, bit, &ignored) < 0)
                closed[i] |= kinds[k].bit;
        }
    }
    rel->closed = closed;
    rel->closed_for =
        arena_printf(env->arena, "%s %s", r->view ? "view" : "table", catalog_relation_name(r));
    return rel->closed_for ? 0 : DN_FAIL_NOMEM(err);
}

/* SELECT on a statement's target is asked for column by column, when one is mentioned. */
static uint32_t from_unread(const struct plan_env *env, const struct catalog_relation *r)
{
    const uint32_t select = PRIVILEGE_BIT(PRIVILEGE_SELECT);
    struct dn_err ignored;

    return catalog_may(env->catalog, env->role, r, select, &ignored) < 0 ? select : 0;
}

int from_close_target(struct from *f,
                      const struct qual_name *name,
                      struct lrel *rel,
                      struct dn_err *err)
{
    const struct plan_env *env = f->q->env;
    struct catalog_path path = {.temp = env->temp, .schema = env->schema, .more = env->more};
    struct catalog_relation r;
    int rc = catalog_resolve(env->catalog, &path, name->schema, name->name, &r, err);

    return rc < 0 ? rc : from_close(f, &r, from_unread(env, &r), rel, err);
}

/* The columns of a query as a table of FROM. */
static int from_query_rel(struct from *f,
                          const struct from_item *item,
                          const char *alias,
                          const struct qout *out,
                          struct from_part *ret,
                          struct dn_err *err)
{
    struct lrel *rel = from_rel(f, alias, out->count, item->pos);
    int rc;

    if (!rel)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < out->count; i++) {
        rel->cols[i] = (struct lcol){
            .name = out->names[i], .type = f->q->vars[out->vars[i]].type, .var = out->vars[i]};
    }
    rc = from_rename(rel, item->columns, item->columns_count, err);
    if (rc < 0)
        return rc;
    ret->tree = out->tree;
    return from_add(f, rel, ret, err);
}

/* The same value may be a column twice (SELECT a, a), and one of the outer query's may be handed
 * through: each column of a table of FROM gets a variable of its own, that belongs to it. */
int from_own_vars(struct from *f, struct qout *out, struct dn_err *err)
{
    struct arena *arena = f->q->env->arena;
    struct ldef *defs = arena_alloc_array(arena, (size_t)out->count + 1, sizeof(*defs));
    uint32_t *vars = arena_alloc_array(arena, (size_t)out->count + 1, sizeof(*vars));

    if (!defs || !vars)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct lvar *old = &f->q->vars[out->vars[i]];

        defs[i].e = bind_var(f->b, out->vars[i], 0);
        defs[i].var = logic_var(f->q, out->names[i], old->type);
        if (!defs[i].e || !defs[i].var)
            return DN_FAIL_NOMEM(err);
        vars[i] = defs[i].var;
        f->q->vars[vars[i]].level = f->level;
        f->q->vars[vars[i]].decimal = defs[i].e->decimal;
        if (!out->origins || defs[i].e->chars < 0)
            logic_set_chars(f->q, vars[i], defs[i].e->chars);
        if (out->origins)
            f->q->vars[vars[i]].origin = out->origins[i];
    }
    out->vars = vars;
    out->tree = logic_map(f->q, out->tree, defs, out->count);
    return out->tree ? 0 : DN_FAIL_NOMEM(err);
}

/* A sequence is a row of three columns: as if it were a view of its state. */
static int from_sequence(struct from *f,
                         const struct from_item *item,
                         const struct sequence *s,
                         struct from_part *ret,
                         struct dn_err *err)
{
    static const char *const names[] = {"last_value", "log_cnt", "is_called"};
    struct arena *arena = f->q->env->arena;
    struct view *v = arena_calloc(arena, 1, sizeof(*v));
    struct buf name, text;
    int rc;

    if (f->q->notes) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "a view cannot read a sequence");
        dn_err_at(err, item->pos);
        return rc;
    }
    buf_init(&name, NULL);
    buf_init(&text, NULL);
    table_print_ident(s->schema, &name);
    buf_u8(&name, '.');
    table_print_ident(s->name, &name);
    buf_u8(&name, '\0');
    buf_puts(&text, "SELECT pg_sequence_value(");
    if (!name.failed)
        table_print_text((const char *)name.data, &text);
    buf_puts(&text, "), CAST(0 AS BIGINT), pg_sequence_is_called(");
    if (!name.failed)
        table_print_text((const char *)name.data, &text);
    buf_puts(&text, ")");
    if (v && !name.failed && !text.failed) {
        v->columns = arena_calloc(arena, DN_ARRAY_SIZE(names), sizeof(*v->columns));
        v->query = arena_strndup(arena, (const char *)text.data, text.len);
    }
    buf_done(&name);
    buf_done(&text);
    if (!v || !v->columns || !v->query)
        return DN_FAIL_NOMEM(err);
    v->schema = s->schema;
    v->name = s->name;
    v->columns_count = DN_ARRAY_SIZE(names);
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++) {
        v->columns[i].name = arena_strdup(arena, names[i]);
        if (!v->columns[i].name)
            return DN_FAIL_NOMEM(err);
    }
    return from_view(f, item, v, ret, err);
}

/* A time partition is all of its shards: as if it were a view of them. */
static int from_timepart(struct from *f,
                         const struct from_item *item,
                         const struct table *t,
                         struct from_part *ret,
                         struct dn_err *err)
{
    struct arena *arena = f->q->env->arena;
    struct view *v = arena_calloc(arena, 1, sizeof(*v));
    const struct table *shard;
    struct buf text;

    buf_init(&text, NULL);
    for (uint32_t n = 0; (shard = timepart_nth(f->q->env->catalog, t, n)) != NULL; n++) {
        buf_puts(&text, n ? " UNION ALL SELECT " : "SELECT ");
        for (uint16_t i = 0; i < t->columns_count; i++) {
            buf_puts(&text, i ? ", " : "");
            table_print_ident(t->columns[i].name, &text);
        }
        buf_puts(&text, " FROM ");
        table_print_ident(shard->schema, &text);
        buf_u8(&text, '.');
        table_print_ident(shard->name, &text);
    }
    if (v && !text.failed) {
        v->columns = arena_calloc(arena, t->columns_count, sizeof(*v->columns));
        v->query = arena_strndup(arena, (const char *)text.data, text.len);
    }
    buf_done(&text);
    if (!v || !v->columns || !v->query)
        return DN_FAIL_NOMEM(err);
    v->id = t->id;
    v->schema = t->schema;
    v->name = t->name;
    v->columns_count = t->columns_count;
    for (uint16_t i = 0; i < t->columns_count; i++)
        v->columns[i].name = t->columns[i].name;
    return from_view(f, item, v, ret, err);
}

static int from_table_item(struct from *f,
                           const struct from_item *item,
                           const struct scope *left,
                           struct from_part *ret,
                           struct dn_err *err)
{
    const struct sys_relation *system;
    struct catalog_relation found;
    struct lrel *rel;
    struct qout out;
    uint32_t need = PRIVILEGE_BIT(PRIVILEGE_SELECT);
    uint32_t left_out;
    bool target = f->q->given && item == f->q->given->target;
    int rc = 1;

    if (f->q->given && item == f->q->given->item)
        return from_given(f, item, ret, err);
    if (!item->table.schema && !target)
        rc = from_with(f->q, item, left, &out, err);
    if (rc < 0)
        return rc;
    if (rc == 0 && item->sample)
        return from_sample_refuse(item, err);
    if (rc == 0) {
        rc = from_own_vars(f, &out, err);
        return rc < 0 ? rc
                      : from_query_rel(
                            f, item, item->alias ? item->alias : item->table.name, &out, ret, err);
    }
    system = target ? NULL : from_find_system(f, &item->table);
    if (system && item->sample)
        return from_sample_refuse(item, err);
    if (system)
        return from_system(f, item, system, ret, err);
    rc = from_look_up(f, &item->table, target ? 0 : need, &found, &left_out, err);
    if (rc < 0)
        return rc;
    if (target)
        left_out = from_unread(f->q->env, &found);
    if (item->sample && (!found.table || found.table->timepart))
        return from_sample_refuse(item, err);
    if (found.sequence)
        return from_sequence(f, item, found.sequence, ret, err);
    if (found.view || found.table->timepart) {
        rc = found.view ? from_view(f, item, found.view, ret, err)
                        : from_timepart(f, item, found.table, ret, err);
        return rc < 0 ? rc : from_close(f, &found, left_out, ret->scope.rels[0], err);
    }
    rc = from_stored(f, found.table, item->alias, item->table.pos, &rel, &ret->tree, err);
    if (rc == 0)
        rc = from_close(f, &found, left_out, rel, err);
    if (rc < 0)
        return rc;
    plan_note_table(f->q, item, rel);
    rc = from_rename(rel, item->columns, item->columns_count, err);
    if (rc == 0)
        rc = from_add(f, rel, ret, err);
    return rc == 0 && item->sample ? from_sample(f, item->sample, rel, ret, err) : rc;
}

static int from_query_item(struct from *f,
                           const struct from_item *item,
                           const struct scope *left,
                           struct from_part *ret,
                           struct dn_err *err)
{
    struct scope around = {.outer = left->outer, .withs = left->withs};
    struct qout out;
    int rc = query_bind(f->q, item->query, item->lateral ? left : &around, &out, err);

    if (rc == 0)
        rc = from_own_vars(f, &out, err);
    return rc < 0 ? rc : from_query_rel(f, item, item->alias, &out, ret, err);
}

int from_item(struct from *f,
              const struct from_item *item,
              const struct scope *left,
              struct from_part *ret,
              struct dn_err *err)
{
    *ret = (struct from_part){
        .scope = {.outer = left->outer, .level = f->level, .withs = left->withs}};
    switch (item->kind) {
    case FROM_TABLE:
        return from_table_item(f, item, left, ret, err);
    case FROM_QUERY:
        return from_query_item(f, item, left, ret, err);
    case FROM_FUNCTION:
        return from_function(f, item, left, ret, err);
    case FROM_JOIN:
        return from_join(f, item, left, ret, err);
    case FROM_FILE:
        return from_file(f, item, ret, err);
    case FROM_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown kind of FROM item: %d", (int)item->kind);
}

/* ---- the list ---- */

int from_bind(struct planner *q,
              struct binder *b,
              struct from_item *const *items,
              uint32_t count,
              struct scope *scope,
              struct lnode **ret,
              struct dn_err *err)
{
    struct from f = {.q = q, .b = b, .level = scope->level};
    struct lnode *tree = NULL;

    for (uint32_t i = 0; i < count; i++) {
        struct from_part sides[2] = {{.scope = *scope}};
        struct scope merged = {.outer = NULL};
        struct scope both = {.outer = scope->outer, .level = scope->level, .withs = scope->withs};
        struct lnode *join;
        int rc = from_item(&f, items[i], scope, &sides[1], err);

        if (rc == 0)
            rc = from_join_names(&f, sides, &merged, &both, err);
        if (rc < 0)
            return rc;
        *scope = both;
        if (tree) {
            join = logic_node(q, L_JOIN, tree);
            if (!join)
                return DN_FAIL_NOMEM(err);
            join->right = sides[1].tree;
            join->join = PLAN_JOIN_INNER;
            join->pos = items[i]->pos;
            tree = join;
        } else {
            tree = sides[1].tree;
        }
    }
    *ret = tree;
    return 0;
}

const char *
from_target_alias(const struct table *t, const struct qual_name *name, const char *alias)
{
    return alias || !t->parent || strcasecmp(t->name, name->name) == 0 ? alias : name->name;
}

/* What the target of an UPDATE or DELETE needs, reading aside (from_unread). */
static uint32_t from_target_need(const struct stmt *s)
{
    bool deletes = s->kind == STMT_DELETE && !(s->change && s->change->once);

    return s->kind == STMT_UPDATE ? PRIVILEGE_BIT(PRIVILEGE_UPDATE)
           : deletes              ? PRIVILEGE_BIT(PRIVILEGE_DELETE)
                                  : 0;
}

/* Through a view: does the statement read rows? Then its owner must be allowed to, too. */
static bool from_target_reads(const struct change_stmt *c)
{
    bool reads = c->where || c->from_count > 0 || c->returning_count > 0;

    for (uint32_t i = 0; i < c->set_count; i++)
        reads = reads || (c->set[i].expr && c->set[i].expr->kind != EXPR_LITERAL &&
                          c->set[i].expr->kind != EXPR_PARAM);
    return reads;
}

/* A view: its table, and what the view makes of it. */
static int from_target_view(struct from *f,
                            const struct qual_name *name,
                            const struct view *v,
                            uint32_t need,
                            struct from_target *ret,
                            struct dn_err *err)
{
    struct planner *q = f->q;
    const char *what = q->stmt->kind == STMT_UPDATE ? "update" : "delete from";
    int rc;

    if (from_target_reads(q->stmt->change))
        need |= PRIVILEGE_BIT(PRIVILEGE_SELECT);
    rc = plan_writable(q->env, v, what, need, &ret->view, err);

    if (rc < 0)
        dn_err_at(err, name->pos);
    if (rc == 0)
        rc = from_stored(f, ret->view->table, NULL, name->pos, &ret->rel, &ret->scan, err);
    if (rc < 0)
        return rc;
    ret->tree = ret->scan;
    return writable_bind(q, ret->view, WRITABLE_FIND, ret->rel, &ret->tree, &ret->shown, err);
}

int from_table(struct planner *q,
               const struct qual_name *name,
               const char *alias,
               struct scope *scope,
               struct from_target *ret,
               struct dn_err *err)
{
    struct from f = {.q = q, .level = scope->level};
    struct from_part part = {.scope = *scope};
    struct catalog_relation found;
    uint32_t need = from_target_need(q->stmt), left;
    struct lrel *rel;
    int rc = from_look_up(&f, name, need, &found, &left, err);

    *ret = (struct from_target){.view = NULL};
    if (rc == 0 && !found.view && !found.table) {
        rc = DN_FAIL(
            err, DN_E_WRONG_OBJECT, "cannot change sequence \"%s\"", catalog_relation_name(&found));
        dn_err_at(err, name->pos);
    }
    if (rc == 0)
        left |= from_unread(q->env, &found);
    if (rc == 0 && found.view) {
        rc = from_target_view(&f, name, found.view, need, ret, err);
        if (rc == 0)
            rc = from_close(&f, &found, left, ret->shown, err);
        if (rc < 0)
            return rc;
        ret->shown->alias = alias ? alias : found.view->name;
        ret->shown->schema = alias ? NULL : found.view->schema;
        rc = from_add(&f, ret->shown, &part, err);
        if (rc == 0)
            *scope = part.scope;
        return rc;
    }
    if (rc == 0 && found.table->timepart) {
        found.table = timepart_nth(q->env->catalog, found.table, q->env->shard);
        if (!found.table)
            rc = DN_FAIL(err, DN_E_TABLE_CHANGED, "the time partition has been changed");
        else
            alias = from_target_alias(found.table, name, alias);
    }
    if (rc == 0)
        rc = from_stored(&f, found.table, alias, name->pos, &rel, &ret->scan, err);
    if (rc == 0)
        rc = from_close(&f, &found, left, rel, err);
    if (rc == 0)
        rc = from_add(&f, rel, &part, err);
    if (rc < 0)
        return rc;
    *scope = part.scope;
    ret->rel = ret->shown = rel;
    ret->tree = ret->scan;
    return 0;
}

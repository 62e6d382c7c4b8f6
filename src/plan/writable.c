/* SPDX-License-Identifier: Apache-2.0
 *
 * writable.c: see writable.h. The names in a statement are those of the view: above the table its
 * views are bound one after the other, each in the sight of the one below, so that a column of the
 * view is a variable and SET, WHERE and RETURNING need not know. */
#include "plan/writable.h"

#include "plan/from_int.h"
#include "plan/view.h"

#include "base/text.h"
#include "catalog/access.h"
#include "catalog/access_check.h"
#include "func/aggregate.h"
#include "func/rowfunc.h"

#include <ctype.h>

#define WRITABLE_LEVELS_MAX 64u

/* ---- which ones ---- */

static bool writable_calls(const struct expr *e, bool rows)
{
    char name[TABLE_NAME_MAX + 1];
    size_t n = 0;

    if (!e)
        return false;
    if (e->kind == EXPR_CALL && e->name) {
        while (e->name[n] && n < TABLE_NAME_MAX) {
            name[n] = (char)tolower((unsigned char)e->name[n]);
            n++;
        }
        name[n] = '\0';
        if (rows ? rowfunc_name_exists(name) : agg_name_exists(name) && !(e->ext && e->ext->over))
            return true;
    }
    for (uint32_t i = 0; i < e->args_count; i++)
        if (writable_calls(e->args[i], rows))
            return true;
    return writable_calls(e->a, rows) || writable_calls(e->b, rows) || writable_calls(e->c, rows);
}

static bool writable_windows(const struct expr *e)
{
    if (!e)
        return false;
    if (e->kind == EXPR_CALL && e->ext && e->ext->over)
        return true;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (writable_windows(e->args[i]))
            return true;
    return writable_windows(e->a) || writable_windows(e->b) || writable_windows(e->c);
}

const char *plan_query_unwritable(const struct query *q)
{
    const struct select_core *s = q->core;

    if (q->kind == QUERY_SET)
        return "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.";
    if (q->with)
        return "Views containing WITH are not automatically updatable.";
    if (q->limit || q->offset)
        return "Views containing LIMIT or OFFSET are not automatically updatable.";
    if (q->kind != QUERY_SELECT)
        return "Views that do not select from a single table or view are not automatically "
               "updatable.";
    if (s->distinct)
        return "Views containing DISTINCT are not automatically updatable.";
    if (s->group_by_count > 0)
        return "Views containing GROUP BY are not automatically updatable.";
    if (s->having)
        return "Views containing HAVING are not automatically updatable.";
    for (uint32_t i = 0; i < s->items_count; i++) {
        if (writable_calls(s->items[i].expr, false))
            return "Views that return aggregate functions are not automatically updatable.";
        if (writable_windows(s->items[i].expr))
            return "Views that return window functions are not automatically updatable.";
        if (writable_calls(s->items[i].expr, true))
            return "Views that return set-returning functions are not automatically updatable.";
    }
    if (s->from_count != 1 || s->from[0]->kind != FROM_TABLE)
        return "Views that do not select from a single table or view are not automatically "
               "updatable.";
    return NULL;
}

static int
writable_refuse(const struct view *v, const char *what, const char *why, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_NOT_READY, "cannot %s view \"%s\"", what, v->name);

    dn_err_hint(err, "%s", why);
    return rc;
}

static uint32_t writable_owner(const struct plan_env *env, const struct view *v)
{
    struct access_object self = {.kind = ACCESS_RELATION, .id = v->id};

    return env->role ? access_owned_by(env->catalog->access, &self) : 0;
}

/* The column of what the query reads that its i-th result is; UINT32_MAX: it is none. */
static uint32_t
writable_source(const struct plan_level *l, uint32_t i, const struct catalog_relation *of)
{
    const struct expr *e = l->query->core->items[i].expr;
    const struct from_item *from = l->query->core->from[0];
    uint32_t count = of->view ? of->view->columns_count : of->table->columns_count;

    if (e->kind != EXPR_COLUMN)
        return UINT32_MAX;
    for (uint32_t k = 0; k < count; k++) {
        const char *name = k < from->columns_count ? from->columns[k].s
                           : of->view              ? of->view->columns[k].name
                                                   : of->table->columns[k].name;

        if (strcmp(name, e->name) == 0)
            return k;
    }
    return UINT32_MAX;
}

/* One level further down; *cols: where the columns of the first one are. */
static int writable_step(const struct plan_env *env,
                         struct plan_writable *w,
                         const struct view *v,
                         const char *what,
                         uint32_t need,
                         struct catalog_relation *ret,
                         struct dn_err *err)
{
    struct plan_level *l = &w->levels[w->levels_count];
    struct catalog_path path = {.temp = env->temp, .schema = env->schema};
    const struct qual_name *name;
    struct stmt *stmt;
    const char *why;
    int rc = plan_view_parse(env, v->query, &stmt, err);

    if (rc < 0)
        return rc;
    why = plan_query_unwritable(stmt->query);
    if (!why && stmt->query->core->items_count == 0 && (need & PRIVILEGE_BIT(PRIVILEGE_INSERT)))
        why = "Views that return no columns are not automatically updatable."; /* but DELETE */
    if (why)
        return writable_refuse(v, what, why, err);
    if (w->levels_count == WRITABLE_LEVELS_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "views may be nested %u deep", WRITABLE_LEVELS_MAX);
    *l = (struct plan_level){.view = v, .query = stmt->query};
    name = &stmt->query->core->from[0]->table;
    rc = catalog_resolve(env->catalog, &path, name->schema, name->name, ret, err);
    if (rc == 0 && (ret->sequence || (ret->table && ret->table->timepart)))
        return writable_refuse(
            v, what, "Rows can be written to tables and views of tables only.", err);
    if (rc == 0)
        rc = catalog_may(env->catalog, writable_owner(env, v), ret, need, err);
    for (uint32_t i = 0; rc == 0 && i < w->view->columns_count; i++)
        if (w->cols[i] >= 0)
            w->cols[i] = (int32_t)writable_source(l, (uint32_t)w->cols[i], ret);
    w->levels_count++;
    return rc;
}

int plan_writable(const struct plan_env *env,
                  const struct view *view,
                  const char *what,
                  uint32_t need,
                  struct plan_writable **ret,
                  struct dn_err *err)
{
    struct plan_writable *w = arena_calloc(env->arena, 1, sizeof(*w));
    struct catalog_relation at = {.view = view};
    bool cascaded = false;
    int rc = 0;

    if (!w)
        return DN_FAIL_NOMEM(err);
    w->view = view;
    w->levels = arena_calloc(env->arena, WRITABLE_LEVELS_MAX, sizeof(*w->levels));
    w->cols = arena_calloc(env->arena, (size_t)view->columns_count + 1, sizeof(*w->cols));
    if (!w->levels || !w->cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < view->columns_count; i++)
        w->cols[i] = (int32_t)i;
    while (rc == 0 && at.view)
        rc = writable_step(env, w, at.view, what, need, &at, err);
    if (rc < 0)
        return rc;
    w->table = at.table;
    for (uint32_t i = 0; i < w->levels_count; i++) {
        struct plan_level *l = &w->levels[i];

        cascaded = cascaded || l->view->check == VIEW_CHECK_CASCADED;
        l->checked = l->query->core->where && (cascaded || l->view->check != VIEW_CHECK_NONE);
        w->checked = w->checked || l->checked;
    }
    *ret = w;
    return 0;
}

int plan_writable_column(const struct plan_writable *w,
                         const char *what,
                         const struct spec_name *name,
                         uint32_t *ret_shown,
                         uint16_t *ret,
                         struct dn_err *err)
{
    const struct view *v = w->view;
    uint32_t at = UINT32_MAX;
    int rc;

    for (int fold = 0; fold <= 1 && at == UINT32_MAX; fold++)
        for (uint32_t i = 0; i < v->columns_count && at == UINT32_MAX; i++)
            if (fold ? text_same_fold(
                           v->columns[i].name, strlen(v->columns[i].name), name->s, strlen(name->s))
                     : strcmp(v->columns[i].name, name->s) == 0)
                at = i;
    if (at == UINT32_MAX) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_COLUMN,
                     "column \"%s\" of relation \"%s\" does not exist",
                     name->s,
                     v->name);
    } else if (w->cols[at] < 0) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "cannot %s column \"%s\" of view \"%s\"",
                     what,
                     v->columns[at].name,
                     v->name);
        dn_err_hint(err,
                    "View columns that are not columns of their base relation are not updatable.");
    } else {
        *ret_shown = at;
        *ret = (uint16_t)w->cols[at];
        return 0;
    }
    dn_err_at(err, name->pos);
    return rc;
}

/* ---- binding ---- */

/* A result of the query as a variable. */
static int writable_item(struct planner *q,
                         struct binder *b,
                         const struct plan_level *l,
                         uint32_t i,
                         struct ldef *ret,
                         struct dn_err *err)
{
    int rc = bind_expr(b, l->query->core->items[i].expr, &ret->e, err);

    if (rc == 0)
        rc = bind_settle(b, ret->e, &ret->e, err);
    if (rc < 0)
        return rc;
    ret->var = logic_var(q, l->view->columns[i].name, ret->e->type);
    return ret->var ? 0 : DN_FAIL_NOMEM(err);
}

static int writable_level(struct from *f,
                          const struct plan_level *l,
                          bool filter,
                          struct lrel **rel,
                          struct lnode **tree,
                          struct dn_err *err)
{
    struct planner *q = f->q;
    const struct from_item *item = l->query->core->from[0];
    uint32_t count = l->view->columns_count;
    struct from_part below = {.scope = {.outer = NULL}};
    struct bind_subs subs_where = {0}, subs_items = {0};
    struct ldef *defs = arena_calloc(q->env->arena, (size_t)count + 1, sizeof(*defs));
    struct binder b = query_binder(q, &below.scope, NULL);
    struct lexprs conds = {0};
    struct bexpr *where;
    struct lrel *above;
    int rc;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    (*rel)->alias = item->alias ? item->alias : item->table.name;
    (*rel)->schema = item->alias ? NULL : item->table.schema;
    rc = from_rename(*rel, item->columns, item->columns_count, err);
    if (rc == 0)
        rc = from_add(f, *rel, &below, err);
    b.clause = "WHERE";
    b.subs = &subs_where;
    if (rc == 0 && filter && l->query->core->where) {
        rc = bind_where(&b, l->query->core->where, "WHERE", &where, err);
        if (rc == 0)
            rc = bind_attach(&b, &subs_where, tree, err);
        if (rc == 0 && !logic_split(q, where, &conds))
            rc = DN_FAIL_NOMEM(err);
        if (rc == 0)
            *tree = logic_filter(q, *tree, conds.v, conds.n);
    }
    b.clause = "SELECT";
    b.subs = &subs_items;
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = writable_item(q, &b, l, i, &defs[i], err);
    if (rc == 0 && *tree)
        rc = bind_attach(&b, &subs_items, tree, err);
    if (rc < 0)
        return rc;
    *tree = *tree ? logic_map(q, *tree, defs, count) : NULL;
    above = from_rel(f, l->view->name, count, item->pos);
    if (!*tree || !above)
        return DN_FAIL_NOMEM(err);
    above->view = l->view;
    above->schema = l->view->schema;
    for (uint32_t i = 0; i < count; i++)
        above->cols[i] = (struct lcol){
            .name = l->view->columns[i].name, .type = defs[i].e->type, .var = defs[i].var};
    *rel = above;
    return 0;
}

int writable_bind(struct planner *q,
                  const struct plan_writable *w,
                  enum writable_use use,
                  struct lrel *base,
                  struct lnode **tree,
                  struct lrel **ret,
                  struct dn_err *err)
{
    const struct plan_env *env = q->env;
    struct from f = {.q = q};
    int rc = 0;

    *ret = base;
    for (uint32_t i = w->levels_count; rc == 0 && i-- > 0;) {
        const struct plan_level *l = &w->levels[i];
        struct plan_env owners = *env; /* what it reads is its owner's concern */

        owners.role = writable_owner(env, l->view);
        q->env = &owners;
        rc = writable_level(
            &f, l, use == WRITABLE_FIND || (use == WRITABLE_CHECK && l->checked), ret, tree, err);
        q->env = env;
        if (rc < 0 && rc != DN_E_NOMEM)
            dn_err_prefix(err, "view \"%s\"", l->view->name);
    }
    return rc;
}

int plan_check_option(const struct plan_env *env,
                      const struct stmt *stmt,
                      const struct plan_writable *w,
                      struct plan **ret,
                      struct dn_err *err)
{
    struct from_item item = {.kind = FROM_TABLE};
    struct given given = {.item = &item, .table = w->table, .clause = "CHECK OPTION"};
    struct planner q;
    struct from f = {.q = &q};
    struct lrel *rel;
    struct qout out = {.count = 1};
    int rc = query_start(&q, env, stmt, err);

    if (rc < 0)
        return rc;
    q.given = &given;
    q.plan->works_count = 1 + env->parts_count;
    rc = given_rel(&f, &given, w->table->name, 0, &rel, &out.tree, err);
    if (rc == 0)
        rc = writable_bind(&q, w, WRITABLE_CHECK, rel, &out.tree, &rel, err);
    if (rc == 0) {
        out.vars = &rel->cols[0].var;
        out.names = &rel->cols[0].name;
        rc = query_finish(&q, &out, err);
    }
    if (rc < 0) {
        plan_done(q.plan);
        return rc;
    }
    *ret = q.plan;
    return 0;
}

int plan_view_writable(const struct plan_env *env,
                       const struct stmt *stmt,
                       struct view_spec *ret,
                       struct dn_err *err)
{
    struct view_column *columns =
        arena_calloc(env->arena, (size_t)ret->columns_count + 1, sizeof(*columns));
    struct view v = {.columns = columns, .columns_count = ret->columns_count};
    struct plan_env any = *env;
    struct plan_writable *w;
    struct dn_err why;
    int rc;

    if (!columns)
        return DN_FAIL_NOMEM(err);
    any.role = 0;
    v.name = arena_strdup(env->arena, stmt->name.name);
    v.query = arena_strndup(env->arena, ret->query, ret->query_len);
    for (uint32_t i = 0; i < ret->columns_count; i++)
        columns[i].name = arena_strdup(env->arena, ret->names[i]);
    if (!v.name || !v.query)
        return DN_FAIL_NOMEM(err);
    dn_err_clear(&why);
    rc = plan_writable(&any, &v, "update", 0, &w, &why);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    ret->writable = rc == 0;
    ret->check = stmt->view->check;
    if (ret->writable || ret->check == VIEW_CHECK_NONE)
        return 0;
    rc = DN_FAIL(err,
                 DN_E_UNSUPPORTED,
                 "WITH CHECK OPTION is supported only on automatically updatable views");
    dn_err_hint(err, "%s", why.hint);
    dn_err_at(err, stmt->name.pos);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * view.c: queries of views. In FROM a view is its query, parsed anew and bound where nothing is in
 * sight, so that the rewriting treats it like any subquery.
 *
 * The text that is kept is made of a tree of its own: the query is printed, parsed again and bound
 * with notes (note.h), the tree is changed by the notes, printed, and at last bound once more to
 * make sure that the text says what the user said. */
#include "plan/view.h"

#include "plan/from_int.h"
#include "plan/note.h"
#include "plan/writable.h"
#include "sql/sql.h"
#include "system/system.h"

#include <stdlib.h>

/* ---- trees that nobody else has ---- */

/* The parser makes them for us alone: they may be changed. */
#define VIEW_OWN(name, kind)                          \
    static struct kind *name(const struct kind *tree) \
    {                                                 \
        union {                                       \
            const struct kind *in;                    \
            struct kind *out;                         \
        } own = {.in = tree};                         \
        return own.out;                               \
    }
VIEW_OWN(view_own_expr, expr)
VIEW_OWN(view_own_from, from_item)
VIEW_OWN(view_own_core, select_core)
VIEW_OWN(view_own_item, select_item)
#undef VIEW_OWN

static int view_parse(
    const struct plan_env *env, const char *text, size_t len, struct stmt **ret, struct dn_err *err)
{
    struct sql_text t;
    int rc;

    sql_text_init(&t, text, len);
    t.no_positions = true;
    t.types = env->types;
    rc = sql_parse(&t, env->arena, ret, err);
    if (rc == 0 && (*ret)->kind == STMT_SELECT && (*ret)->params_count == 0)
        return 0;
    return rc < 0 ? rc : DN_FAIL(err, DN_E_CORRUPT, "the stored text is no query");
}

static int view_print(const struct plan_env *env,
                      const struct query *query,
                      const char **ret,
                      size_t *ret_len,
                      struct dn_err *err)
{
    struct query *own = arena_dup(env->arena, query, sizeof(*own));
    struct stmt s = {.kind = STMT_SELECT, .query = own};
    struct buf b;

    buf_init(&b, env->arena->owner);
    if (own)
        sql_print_stmt(&s, &b);
    *ret = own && !b.failed ? arena_strndup(env->arena, (const char *)b.data, b.len) : NULL;
    *ret_len = b.len;
    buf_done(&b);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

int plan_view_parse(const struct plan_env *env,
                    const char *text,
                    struct stmt **ret,
                    struct dn_err *err)
{
    return view_parse(env, text, strlen(text), ret, err);
}

/* ---- FROM ---- */

int from_view(struct from *f,
              const struct from_item *item,
              const struct view *view,
              struct from_part *ret,
              struct dn_err *err)
{
    const char *alias = item->alias ? item->alias : view->name;
    struct plan_notes *notes = f->q->notes;
    struct access_object self = {.kind = ACCESS_RELATION, .id = view->id};
    const struct plan_env *env = f->q->env;
    struct plan_env owners = *env; /* what it reads is its owner's concern */
    struct scope around = {.outer = NULL};
    struct stmt *stmt;
    struct lrel *rel;
    struct qout out;
    int rc = view_parse(f->q->env, view->query, strlen(view->query), &stmt, err);

    if (rc == 0) {
        if (env->role)
            owners.role = access_owned_by(env->catalog->access, &self);
        f->q->env = &owners;
        f->q->notes = NULL;
        rc = query_bind(f->q, stmt->query, &around, &out, err);
        f->q->notes = notes;
        f->q->env = env;
    }
    if (rc == 0 && out.count != view->columns_count)
        rc = DN_FAIL(err, DN_E_INTERNAL, "its query has %u columns", out.count);
    if (rc < 0) {
        if (rc != DN_E_NOMEM)
            dn_err_prefix(err, "view \"%s\"", view->name);
        dn_err_at(err, item->pos);
        return rc;
    }
    rc = from_own_vars(f, &out, err);
    rel = from_rel(f, alias, out.count, item->table.pos);
    if (rc == 0 && !rel)
        rc = DN_FAIL_NOMEM(err);
    if (rc < 0)
        return rc;
    rel->view = view;
    rel->schema = item->alias ? NULL : view->schema;
    for (uint32_t i = 0; i < out.count; i++) {
        struct lvar *v = &f->q->vars[out.vars[i]];

        rel->cols[i] =
            (struct lcol){.name = view->columns[i].name, .type = v->type, .var = out.vars[i]};
        v->origin.relation = view->id ? sys_table_oid(view->id) : 0;
        v->origin.column = (int32_t)i + 1;
    }
    plan_note_table(f->q, item, rel);
    rc = from_rename(rel, item->columns, item->columns_count, err);
    ret->tree = out.tree;
    return rc < 0 ? rc : from_add(f, rel, ret, err);
}

/* ---- notes into the tree ---- */

static void view_qualify(struct note_list *columns)
{
    const struct note_column *notes = columns->v;

    for (uint32_t i = 0; i < columns->n; i++) {
        struct expr *e = view_own_expr(notes[i].e);

        e->name = notes[i].rel->cols[notes[i].col].name;
        if (notes[i].plain) {
            e->table = notes[i].rel->alias;
            e->schema = NULL;
        }
    }
}

/* The place of an item in its list; UINT32_MAX: it was written out before. */
static uint32_t view_item_place(const struct select_core *core, const struct expr *e)
{
    for (uint32_t i = 0; i < core->items_count; i++)
        if (core->items[i].expr == e)
            return i;
    return UINT32_MAX;
}

/* The columns of one *, which the notes from `notes` on are about, in its place. */
static int view_write_star(const struct plan_env *env,
                           const struct note_star *notes,
                           uint32_t count,
                           struct dn_err *err)
{
    struct select_core *core = view_own_core(notes->core);
    uint32_t at = view_item_place(core, notes->e);
    uint32_t total = core->items_count - 1 + count;
    struct select_item *items = arena_calloc(env->arena, (size_t)total + 1, sizeof(*items));
    struct expr *exprs = arena_calloc(env->arena, (size_t)count + 1, sizeof(*exprs));

    if (at == UINT32_MAX)
        return 0;
    if (!items || !exprs)
        return DN_FAIL_NOMEM(err);
    memcpy(items, core->items, at * sizeof(*items));
    memcpy(items + at + count, core->items + at + 1, (core->items_count - at - 1) * sizeof(*items));
    for (uint32_t i = 0; i < count; i++) {
        exprs[i] = (struct expr){.kind = EXPR_COLUMN,
                                 .name = notes[i].name,
                                 .table = notes[i].rel ? notes[i].rel->alias : NULL};
        items[at + i] = (struct select_item){.expr = &exprs[i]};
    }
    core->items = items;
    core->items_count = total;
    return 0;
}

static int
view_write_stars(const struct plan_env *env, const struct note_list *stars, struct dn_err *err)
{
    const struct note_star *notes = stars->v;
    int rc = 0;

    for (uint32_t i = 0, n; rc == 0 && i < stars->n; i += n) {
        n = 1;
        while (i + n < stars->n && notes[i + n].e == notes[i].e)
            n++;
        rc = view_write_star(env, &notes[i], notes[i].name ? n : 0, err);
    }
    return rc;
}

static int view_apply(const struct plan_env *env, struct plan_notes *notes, struct dn_err *err)
{
    const struct note_table *tables = notes->tables.v;
    const struct note_natural *naturals = notes->naturals.v;

    for (uint32_t i = 0; i < notes->tables.n; i++) {
        struct from_item *item = view_own_from(tables[i].item);
        const struct lrel *rel = tables[i].rel;

        item->table.schema = rel->table ? rel->table->schema : rel->view->schema;
        item->table.name = rel->table ? rel->table->name : rel->view->name;
    }
    for (uint32_t i = 0; i < notes->naturals.n; i++) {
        struct from_item *item = view_own_from(naturals[i].item);
        struct spec_name *names =
            arena_dup(env->arena, naturals[i].names, (naturals[i].count + 1) * sizeof(*names));
        struct expr *on = arena_calloc(env->arena, 1, sizeof(*on));

        if (!names || !on)
            return DN_FAIL_NOMEM(err);
        item->natural = false;
        item->using = naturals[i].count ? names : NULL;
        item->using_count = naturals[i].count;
        *on = (struct expr){.kind = EXPR_LITERAL,
                            .value = {.type = TYPE_BOOLEAN, .v = {.i64 = true}}};
        if (naturals[i].count == 0)
            item->on = on;
    }
    view_qualify(&notes->columns);
    return view_write_stars(env, &notes->stars, err);
}

/* ---- what a query reads ---- */

static int view_cmp_use(const void *a, const void *b)
{
    const struct view_use *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static int view_cmp_column(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Those of one table of FROM, added to the ones noted before. */
static int view_use_columns(const struct plan_env *env,
                            const struct lrel *rel,
                            struct view_use *use,
                            struct dn_err *err)
{
    const struct table *t = rel->table;

    if (!t)
        return 0;
    if (!use->columns)
        use->columns = arena_alloc_array(env->arena, t->columns_count, sizeof(*use->columns));
    if (!use->columns)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->columns_count; i++) {
        bool known = rel->scan->col_vars[i] == 0;

        for (uint32_t k = 0; !known && k < use->columns_count; k++)
            known = use->columns[k] == t->columns[i].id;
        if (!known)
            use->columns[use->columns_count++] = t->columns[i].id;
    }
    qsort(use->columns, use->columns_count, sizeof(*use->columns), view_cmp_column);
    return 0;
}

static int view_uses(const struct plan_env *env,
                     const struct plan_notes *notes,
                     struct view_spec *ret,
                     struct dn_err *err)
{
    struct view_use *uses = arena_calloc(env->arena, (size_t)notes->tables.n + 1, sizeof(*uses));
    const struct note_table *tables = notes->tables.v;
    uint32_t n = 0;
    int rc = 0;

    if (!uses)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < notes->tables.n; i++) {
        const struct lrel *rel = tables[i].rel;
        uint64_t id = rel->table ? rel->table->id : rel->view->id;
        uint32_t at = 0;

        while (at < n && uses[at].id != id)
            at++;
        if (at == n)
            uses[n++].id = id;
        rc = view_use_columns(env, rel, &uses[at], err);
    }
    qsort(uses, n, sizeof(*uses), view_cmp_use);
    ret->uses = uses;
    ret->uses_count = n;
    return rc;
}

/* ---- CREATE VIEW ---- */

/* CREATE RECURSIVE VIEW v (a, b) AS q: WITH RECURSIVE v (a, b) AS (q) SELECT a, b FROM v. */
static int view_recursive(const struct plan_env *env,
                          const struct stmt *stmt,
                          const struct query **ret,
                          struct dn_err *err)
{
    const struct view_def *v = stmt->view;
    struct {
        struct query query;
        struct select_core core;
        struct with_clause with;
        struct cte cte;
        struct from_item from;
        struct from_item *from_list[1];
    } *w = arena_calloc(env->arena, 1, sizeof(*w));
    struct expr *exprs = arena_calloc(env->arena, (size_t)v->columns_count + 1, sizeof(*exprs));
    struct select_item *items =
        arena_calloc(env->arena, (size_t)v->columns_count + 1, sizeof(*items));

    if (!w || !exprs || !items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < v->columns_count; i++) {
        exprs[i] =
            (struct expr){.kind = EXPR_COLUMN, .name = v->columns[i].s, .pos = v->columns[i].pos};
        items[i].expr = &exprs[i];
    }
    w->cte = (struct cte){.name = {.s = stmt->name.name, .pos = stmt->name.pos},
                          .columns = v->columns,
                          .columns_count = v->columns_count,
                          .query = v->query};
    w->with = (struct with_clause){
        .recursive = true, .ctes = &w->cte, .ctes_count = 1, .depth = v->query->depth + 1};
    w->from = (struct from_item){.kind = FROM_TABLE, .table = {.name = stmt->name.name}};
    w->from_list[0] = &w->from;
    w->core = (struct select_core){
        .items = items, .items_count = v->columns_count, .from = w->from_list, .from_count = 1};
    w->query = (struct query){.kind = QUERY_SELECT,
                              .pos = v->query->pos,
                              .depth = v->query->depth + 2,
                              .with = &w->with,
                              .core = &w->core};
    *ret = &w->query;
    return 0;
}

/* A tree of its own, bound with notes. */
static int view_bind(const struct plan_env *env,
                     const struct stmt *stmt,
                     const struct query *query,
                     struct planner *q,
                     struct plan_notes *notes,
                     struct qout *out,
                     struct dn_err *err)
{
    int rc = query_start(q, env, stmt, err);

    *notes = (struct plan_notes){.scope = NULL};
    q->notes = notes;
    if (rc == 0)
        rc = query_bind(q, query, NULL, out, err);
    if (rc == 0 && notes->nomem)
        rc = DN_FAIL_NOMEM(err);
    return rc;
}

static int view_columns(const struct plan_env *env,
                        const struct stmt *stmt,
                        const struct planner *q,
                        const struct qout *out,
                        struct view_spec *ret,
                        struct dn_err *err)
{
    const struct view_def *v = stmt->view;
    const char **names = arena_alloc_array(env->arena, (size_t)out->count + 1, sizeof(*names));
    enum type_id *types = arena_alloc_array(env->arena, (size_t)out->count + 1, sizeof(*types));
    int rc;

    if (!names || !types)
        return DN_FAIL_NOMEM(err);
    if (v->columns_count > out->count) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "CREATE VIEW specifies more column names than columns");
        dn_err_at(err, v->columns[out->count].pos);
        return rc;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        enum type_id type = q->vars[out->vars[i]].type;

        names[i] = i < v->columns_count ? v->columns[i].s : out->names[i];
        types[i] = type == TYPE_NONE ? TYPE_VARCHAR : type; /* NULL: as PostgreSQL has it */
    }
    ret->names = names;
    ret->types = types;
    ret->columns_count = out->count;
    return 0;
}

/* Does the finished text still say the same? */
static int view_prove(const struct plan_env *env, const struct view_spec *spec, struct dn_err *err)
{
    struct planner q = {.plan = NULL};
    struct dn_err why = {0};
    struct stmt *stmt;
    struct qout out;
    int rc = view_parse(env, spec->query, spec->query_len, &stmt, &why);

    if (rc == 0)
        rc = query_start(&q, env, stmt, &why);
    if (rc == 0)
        rc = query_bind(&q, stmt->query, NULL, &out, &why);
    if (rc == 0 && out.count != spec->columns_count)
        rc = DN_FAIL(&why, DN_E_INTERNAL, "other columns");
    plan_done(q.plan);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (rc < 0) {
        rc = DN_FAIL(
            err, DN_E_UNSUPPORTED, "the query cannot be stored as a view: %.300s", why.text);
        dn_err_hint(err, "Give each table and each column in it a name of its own.");
        return rc;
    }
    return 0;
}

int plan_view(const struct plan_env *env,
              const struct stmt *stmt,
              struct view_spec *ret,
              struct dn_err *err)
{
    const struct query *query = stmt->view->query;
    struct planner q = {.plan = NULL};
    struct plan_notes notes;
    struct plan *plan = NULL;
    struct stmt *own;
    struct qout out;
    int rc = 0;

    if (stmt->params_count > 0)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "a view cannot have parameters");
    if (stmt->view->recursive)
        rc = view_recursive(env, stmt, &query, err);
    if (rc == 0)
        rc = plan_query(env, stmt, NULL, query, &plan, err); /* its errors have positions */
    plan_done(plan);
    if (rc == 0)
        rc = view_print(env, query, &ret->query, &ret->query_len, err);
    if (rc == 0)
        rc = view_parse(env, ret->query, ret->query_len, &own, err);
    if (rc == 0)
        rc = view_bind(env, stmt, own->query, &q, &notes, &out, err);
    if (rc == 0)
        rc = view_columns(env, stmt, &q, &out, ret, err);
    if (rc == 0)
        rc = view_uses(env, &notes, ret, err);
    if (rc == 0)
        rc = view_apply(env, &notes, err);
    if (rc == 0)
        rc = view_print(env, own->query, &ret->query, &ret->query_len, err);
    plan_done(q.plan);
    if (rc == 0)
        rc = view_prove(env, ret, err);
    return rc < 0 ? rc : plan_view_writable(env, stmt, ret, err);
}

/* ---- renaming ---- */

static bool view_is(const struct lrel *rel, uint64_t id)
{
    return rel->table ? rel->table->id == id : rel->view && rel->view->id == id;
}

/* Does the alias of a table list new names, also for this column? */
static bool view_renamed_already(const struct plan_notes *notes, const struct note_column *c)
{
    const struct note_table *tables = notes->tables.v;

    for (uint32_t i = 0; i < notes->tables.n; i++)
        if (tables[i].rel == c->rel)
            return c->col < tables[i].item->columns_count;
    return false;
}

static void view_rename_columns(const struct plan_notes *notes, const struct plan_rename *to)
{
    const struct note_column *columns = notes->columns.v;
    const struct select_item *const *items = notes->items.v;

    for (uint32_t i = 0; i < notes->columns.n; i++) {
        struct expr *e = view_own_expr(columns[i].e);
        const char *name;

        if (!view_is(columns[i].rel, to->id) || view_renamed_already(notes, &columns[i]))
            continue;
        name = to->columns[columns[i].col];
        for (uint32_t k = 0; name && k < notes->items.n; k++)
            if (items[k]->expr == e && !items[k]->alias)
                view_own_item(items[k])->alias = e->name; /* what the queries around call it */
        if (name)
            e->name = name;
    }
}

static void view_rename_tables(const struct plan_notes *notes, const struct plan_rename *to)
{
    const struct note_table *tables = notes->tables.v;

    for (uint32_t i = 0; i < notes->tables.n; i++) {
        struct from_item *item = view_own_from(tables[i].item);

        if (!view_is(tables[i].rel, to->id))
            continue;
        if (!item->alias && strcmp(item->table.name, to->name) != 0)
            item->alias = item->table.name;
        item->table.name = to->name;
        item->table.schema = to->schema;
    }
}

int plan_view_rename(const struct plan_env *env,
                     const struct view *view,
                     const struct plan_rename *to,
                     struct buf *ret,
                     struct dn_err *err)
{
    struct planner q = {.plan = NULL};
    struct plan_notes notes;
    struct stmt *stmt;
    struct qout out;
    int rc = view_parse(env, view->query, strlen(view->query), &stmt, err);

    if (rc == 0)
        rc = view_bind(env, stmt, stmt->query, &q, &notes, &out, err);
    if (rc == 0) {
        view_rename_columns(&notes, to);
        view_rename_tables(&notes, to);
        sql_print_stmt(stmt, ret);
        if (ret->failed)
            rc = DN_FAIL_NOMEM(err);
    }
    plan_done(q.plan);
    return rc;
}

int plan_view_check(const struct plan_env *env,
                    const struct view *view,
                    struct dn_err *why,
                    struct dn_err *err)
{
    struct planner q = {.plan = NULL};
    struct stmt *stmt;
    struct qout out;
    int rc = view_parse(env, view->query, strlen(view->query), &stmt, why);

    if (rc == 0)
        rc = query_start(&q, env, stmt, why);
    if (rc == 0)
        rc = query_bind(&q, stmt->query, NULL, &out, why);
    if (rc == 0 && out.count != view->columns_count)
        rc = DN_FAIL(why, DN_E_BAD_TABLE, "it has other columns then");
    for (uint32_t i = 0; rc == 0 && i < out.count; i++) {
        enum type_id type = q.vars[out.vars[i]].type;

        if ((type == TYPE_NONE ? TYPE_VARCHAR : type) != view->columns[i].type)
            rc = DN_FAIL(why,
                         DN_E_BAD_TABLE,
                         "its column \"%s\" is of another type then",
                         view->columns[i].name);
    }
    plan_done(q.plan);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    return rc < 0 ? 1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * view.c: CREATE VIEW and ALTER VIEW, and what becomes of views when something they read changes:
 * each is one edit of the catalog. */
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/stmt_ops.h"

#include "plan/view.h"

#include <stdio.h>

/* Takes over next, which replaces what *cat was. */
static void view_step(struct catalog **cat, struct catalog *next)
{
    catalog_unref(*cat);
    *cat = next;
}

/* What the view's query is read in: a temporary one is perhaps another session's. */
static struct plan_env
view_env(struct dendro_stmt *stmt, const struct catalog *cat, const struct view *v)
{
    struct plan_env env = session_plan_env(stmt->conn, cat, &stmt->run);

    if (v->temp)
        env.temp = v->schema;
    return env;
}

/* ---- views of something that is renamed or changed ---- */

/* One of them, with the new text, into *after. */
static int view_follow_one(struct dendro_stmt *stmt,
                           const struct catalog *before,
                           const struct view *v,
                           const struct plan_rename *to,
                           struct catalog **after,
                           struct dn_err *err)
{
    struct plan_env env = view_env(stmt, before, v);
    struct catalog *next;
    struct view *copy = NULL;
    struct buf text;
    int rc;

    buf_init(&text, &stmt->owner);
    rc = plan_view_rename(&env, v, to, &text, err);
    if (rc == 0)
        rc = view_copy(v, &copy, err);
    if (rc == 0) {
        mem_free(copy->query);
        copy->query = mem_calloc(NULL, text.len + 1, 1);
        if (!copy->query)
            rc = DN_FAIL_NOMEM(err);
        else
            memcpy(copy->query, text.data, text.len);
    }
    buf_done(&text);
    if (rc == 0)
        rc = catalog_with_view(*after, copy, &next, err);
    if (rc == 0)
        view_step(after, next);
    view_unref(copy);
    return rc;
}

static int view_follow(struct dendro_stmt *stmt,
                       const struct catalog *before,
                       const struct plan_rename *to,
                       struct catalog **after,
                       struct dn_err *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < before->views_count; i++)
        if (view_reads(before->views[i], to->id, 0))
            rc = view_follow_one(stmt, before, before->views[i], to, after, err);
    return rc;
}

static int view_check_readers(struct dendro_stmt *stmt,
                              const struct catalog *cat,
                              uint64_t id,
                              const char *what,
                              struct dn_err *err)
{
    for (size_t i = 0; i < cat->views_count; i++) {
        const struct view *v = cat->views[i];
        struct plan_env env = view_env(stmt, cat, v);
        struct dn_err why = {0};
        int rc = view_reads(v, id, 0) ? plan_view_check(&env, v, &why, err) : 0;

        if (rc < 0)
            return rc;
        if (rc > 0) {
            rc = DN_FAIL(err,
                         DN_E_DEPENDENT,
                         "cannot alter %s because view %s depends on it: %.300s",
                         what,
                         v->name,
                         why.text);
            dn_err_hint(err, "Drop the view first, and create it anew afterwards.");
            return rc;
        }
    }
    return 0;
}

/* New names of a table and its columns. */
static int view_table_names(struct dendro_stmt *stmt,
                            const struct table *was,
                            const struct table *now,
                            struct plan_rename *ret,
                            struct dn_err *err)
{
    const char **columns =
        arena_calloc(&stmt->run, (size_t)was->columns_count + 1, sizeof(*columns));

    if (!columns)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < was->columns_count; i++) {
        int at = table_column_by_id(now, was->columns[i].id);

        if (at >= 0 && strcmp(now->columns[at].name, was->columns[i].name) != 0)
            columns[i] = now->columns[at].name;
    }
    *ret = (struct plan_rename){
        .id = was->id, .schema = now->schema, .name = now->name, .columns = columns};
    return 0;
}

int ddl_views_alter(struct dendro_stmt *stmt,
                    const struct catalog *before,
                    const struct table *was,
                    const struct table *now,
                    struct catalog **after,
                    struct dn_err *err)
{
    char what[TABLE_NAME_MAX + 16];
    struct plan_rename to;
    int rc = 0;

    snprintf(what, sizeof(what), "table %s", was->name);
    for (uint16_t i = 0; rc == 0 && i < was->columns_count; i++)
        if (table_column_by_id(now, was->columns[i].id) < 0)
            rc = ddl_drop_column(stmt, was, i, after, err);
    if (rc == 0)
        rc = view_table_names(stmt, was, now, &to, err);
    for (size_t i = 0; rc == 0 && i < before->views_count; i++)
        if (view_reads(before->views[i], to.id, 0) &&
            catalog_view_by_id(*after, before->views[i]->id))
            rc = view_follow_one(stmt, before, before->views[i], &to, after, err);
    return rc < 0 ? rc : view_check_readers(stmt, *after, was->id, what, err);
}

/* ---- CREATE VIEW ---- */

struct view_edit {
    struct dendro_stmt *stmt;
    char notice[2 * TABLE_NAME_MAX + 64]; /* "" = none */
    char temp[SESSION_TEMP_MAX];          /* the schema, of a temporary view; "" = it is none */
};

/* OR REPLACE: what reads the old one must be able to read the new one. */
static int view_fits(const struct view *was, const struct view *now, struct dn_err *err)
{
    if (now->columns_count < was->columns_count)
        return DN_FAIL(err, DN_E_BAD_TABLE, "cannot drop columns from view");
    for (uint32_t i = 0; i < was->columns_count; i++) {
        const struct view_column *a = &was->columns[i], *b = &now->columns[i];

        if (strcmp(a->name, b->name) != 0) {
            int rc = DN_FAIL(err,
                             DN_E_BAD_TABLE,
                             "cannot change name of view column \"%s\" to \"%s\"",
                             a->name,
                             b->name);

            dn_err_hint(err,
                        "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column "
                        "instead.");
            return rc;
        }
        if (a->type != b->type)
            return DN_FAIL(err,
                           DN_E_BAD_TABLE,
                           "cannot change data type of view column \"%s\" from %s to %s",
                           a->name,
                           type_name(a->type),
                           type_name(b->type));
    }
    return 0;
}

/* Would the view read itself, through whichever others? There are no circles without it. */
static bool view_reaches(const struct catalog *cat, const struct view *v, uint64_t id)
{
    for (uint32_t i = 0; i < v->uses_count; i++) {
        const struct view *next = catalog_view_by_id(cat, v->uses[i].id);

        if (v->uses[i].id == id || (next && view_reaches(cat, next, id)))
            return true;
    }
    return false;
}

static int view_replace(const struct catalog *cur,
                        const struct catalog_relation *was,
                        struct view *v,
                        struct dn_err *err)
{
    int rc;

    if (!was->view)
        return DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a view", catalog_relation_name(was));
    rc = view_fits(was->view, v, err);
    if (rc < 0)
        return rc;
    if (view_reaches(cur, v, was->view->id))
        return DN_FAIL(err,
                       DN_E_BAD_DEFINITION,
                       "infinite recursion detected in rules for relation \"%s\"",
                       v->name);
    v->id = was->view->id;
    return 0;
}

static bool view_exact(const struct catalog_relation *r, const char *name)
{
    return strcmp(catalog_relation_name(r), name) == 0;
}

/* Does it read something that goes with a session? */
static bool view_of_temp(const struct catalog *c, const struct view_spec *spec)
{
    for (uint32_t i = 0; i < spec->uses_count; i++) {
        const struct table *t = catalog_table_by_id(c, spec->uses[i].id);
        const struct view *v = catalog_view_by_id(c, spec->uses[i].id);

        if ((t && t->temp != TABLE_PERMANENT) || (v && v->temp))
            return true;
    }
    return false;
}

/* In which schema it is to be, in *base if that had to be made. */
static int view_place(struct view_edit *e,
                      const struct catalog *cur,
                      struct view_spec *spec,
                      struct catalog **base,
                      struct dn_err *err)
{
    const struct stmt *ast = e->stmt->ast;
    struct catalog_path path = session_path(e->stmt->conn);
    struct spec_name given = {.s = ast->name.schema, .pos = ast->name.pos};
    const struct schema_def *schema;

    e->temp[0] = e->notice[0] = '\0';
    if (!session_temp_wanted(e->stmt->conn, cur, &given, ast->view->persistence, &spec->temp, err))
        return err->code;
    if (!spec->temp && view_of_temp(cur, spec)) {
        spec->temp = true;
        snprintf(
            e->notice, sizeof(e->notice), "view \"%s\" will be a temporary view", ast->name.name);
    }
    if (spec->temp) {
        spec->schema = e->temp;
        return session_temp_base(e->stmt->conn, cur, base, e->temp, err);
    }
    schema = catalog_path_schema(cur, &path, ast->name.schema, err);
    if (!schema)
        return err->code;
    spec->schema = schema->name;
    return 0;
}

static int
view_create(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct view_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    struct plan_env env = session_plan_env(e->stmt->conn, cur, &e->stmt->run);
    struct catalog_relation was = {.table = NULL};
    struct view_spec spec = {.name = ast->name.name};
    struct catalog *base = NULL;
    struct view *v = NULL;
    bool there;
    int rc = plan_view(&env, ast, &spec, err);

    for (uint32_t i = 0; rc == 0 && i < spec.uses_count; i++) {
        const struct table *t = catalog_table_by_id(cur, spec.uses[i].id);

        if (t)
            rc = timepart_refuse_shard(cur, t, "make a view of", err);
    }
    if (rc == 0)
        rc = view_place(e, cur, &spec, &base, err);
    if (rc == 0)
        rc = view_build(&spec, &v, err);
    there = rc == 0 && catalog_relation(cur, spec.schema, spec.name, &was, NULL) == 0 &&
            view_exact(&was, spec.name);
    if (there && ast->view->or_replace)
        rc = view_replace(cur, &was, v, err);
    if (rc == 0)
        rc = catalog_with_view(base ? base : cur, v, ret_next, err);
    if (rc < 0)
        dn_err_at(err, ast->name.name_pos);
    view_unref(v);
    catalog_unref(base);
    return rc;
}

static int stmt_run_create_view(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct view_edit e = {.stmt = stmt};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = tx_edit(stmt->conn, view_create, &e, err);
    if (rc == 0 && e.notice[0])
        session_notice(stmt->conn, "NOTICE", "%s", e.notice);
    if (rc == 0 && e.temp[0])
        session_temp_made(stmt->conn, e.temp, TABLE_TEMP);
    return rc;
}

/* ---- ALTER VIEW ---- */

static int view_rename_column(struct view *v, const struct alter_action *a, struct dn_err *err)
{
    struct view_column *found = NULL;
    char *name;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < v->columns_count; i++) {
        if (strcmp(v->columns[i].name, a->name.s) == 0)
            found = &v->columns[i];
        if (strcmp(v->columns[i].name, a->to.s) == 0)
            rc = DN_FAIL(err,
                         DN_E_DUPLICATE_COLUMN,
                         "column \"%s\" of relation \"%s\" already exists",
                         a->to.s,
                         v->name);
    }
    if (rc == 0 && !found) {
        rc = DN_FAIL(err, DN_E_UNDEFINED_COLUMN, "column \"%s\" does not exist", a->name.s);
        dn_err_at(err, a->name.pos);
    }
    if (rc < 0)
        return rc;
    name = mem_strdup(NULL, a->to.s);
    if (!name)
        return DN_FAIL_NOMEM(err);
    mem_free(found->name);
    found->name = name;
    return 0;
}

static int view_rename(struct view *v,
                       const struct catalog *cur,
                       const struct alter_action *a,
                       struct dn_err *err)
{
    const struct schema_def *schema = NULL;
    char *name;

    if (a->kind == ALTER_SET_SCHEMA) {
        schema = catalog_schema(cur, a->to.s, err);
        if (!schema)
            return err->code;
        if (schema->temp)
            return DN_FAIL(
                err, DN_E_UNSUPPORTED, "cannot move objects into or out of temporary schemas");
    }
    name = mem_strdup(NULL, schema ? schema->name : a->to.s);
    if (!name)
        return DN_FAIL_NOMEM(err);
    mem_free(schema ? v->schema : v->name);
    *(schema ? &v->schema : &v->name) = name;
    return 0;
}

/* New names of a view and its columns, for those that read it. */
static int view_names(struct dendro_stmt *stmt,
                      const struct view *was,
                      const struct view *v,
                      struct plan_rename *ret,
                      struct dn_err *err)
{
    const char **columns = arena_calloc(&stmt->run, (size_t)v->columns_count + 1, sizeof(*columns));

    if (!columns)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < v->columns_count; i++)
        if (strcmp(v->columns[i].name, was->columns[i].name) != 0)
            columns[i] = v->columns[i].name;
    *ret =
        (struct plan_rename){.id = v->id, .schema = v->schema, .name = v->name, .columns = columns};
    return 0;
}

static int
view_alter(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct view_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    const struct alter_action *a = &ast->alter->actions[0];
    struct catalog_relation found = {.view = NULL};
    struct catalog *next = NULL;
    const struct view *was;
    struct plan_rename to;
    struct view *v;
    int rc = session_relation(e->stmt->conn, cur, &ast->name, &found, err);

    if (ast->if_exists && (rc == DN_E_UNDEFINED_TABLE || rc == DN_E_UNDEFINED_SCHEMA)) {
        snprintf(
            e->notice, sizeof(e->notice), "view \"%s\" does not exist, skipped", ast->name.name);
        return DN_NOT_FOUND;
    }
    was = found.view;
    if (rc == 0 && !was) {
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a view", catalog_relation_name(&found));
        dn_err_at(err, ast->name.pos);
    }
    if (rc == 0 && was->temp && a->kind == ALTER_SET_SCHEMA)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "cannot move objects into or out of temporary schemas");
    if (rc == 0 && a->kind == ALTER_RENAME_TABLE && strcmp(was->name, a->to.s) == 0) {
        rc = DN_FAIL(err, DN_E_DUPLICATE_TABLE, "relation \"%s\" already exists", a->to.s);
        dn_err_at(err, a->to.pos);
    }
    if (rc < 0)
        return rc;
    rc = view_copy(was, &v, err);
    if (rc < 0)
        return rc;
    if (a->to.s[0] == '\0' || strlen(a->to.s) > TABLE_NAME_MAX)
        rc = DN_FAIL(err, DN_E_BAD_NAME, "a name has 1 to %u bytes", TABLE_NAME_MAX);
    else
        rc = a->kind == ALTER_RENAME_COLUMN ? view_rename_column(v, a, err)
                                            : view_rename(v, cur, a, err);
    if (rc == 0)
        rc = view_names(e->stmt, was, v, &to, err);
    if (rc == 0)
        rc = catalog_with_view(cur, v, &next, err);
    if (rc == 0)
        rc = view_follow(e->stmt, cur, &to, &next, err);
    if (rc == 0)
        rc = view_check_readers(e->stmt, next, was->id, "the view", err);
    if (rc < 0)
        dn_err_at(err, a->to.pos);
    view_unref(v);
    if (rc < 0)
        catalog_unref(next);
    else
        *ret_next = next;
    return rc;
}

int ddl_view_move(struct dendro_stmt *stmt,
                  const struct view *was,
                  const char *schema,
                  struct catalog **cat,
                  struct dn_err *err)
{
    struct catalog *next = NULL;
    struct plan_rename to;
    struct view *v;
    char *name;
    int rc = view_copy(was, &v, err);

    if (rc < 0)
        return rc;
    name = mem_strdup(NULL, schema);
    if (name) {
        mem_free(v->schema);
        v->schema = name;
    } else {
        rc = DN_FAIL_NOMEM(err);
    }
    if (rc == 0)
        rc = view_names(stmt, was, v, &to, err);
    if (rc == 0)
        rc = catalog_with_view(*cat, v, &next, err);
    if (rc == 0)
        rc = view_follow(stmt, *cat, &to, &next, err);
    if (rc == 0)
        rc = view_check_readers(stmt, next, was->id, "the view", err);
    view_unref(v);
    if (rc < 0) {
        catalog_unref(next);
        return rc;
    }
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

int stmt_run_alter_view(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct view_edit e = {.stmt = stmt};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = tx_edit(stmt->conn, view_alter, &e, err);
    if (rc == DN_NOT_FOUND)
        session_notice(stmt->conn, "NOTICE", "%s", e.notice);
    return rc < 0 ? rc : 0;
}

/* ---- the row of CREATE VIEW ---- */

static int
create_view_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc = 0;

    if (ast->view->persistence != PERSIST_TEMP)
        rc = privilege_create(stmt, &ast->name, err);
    return rc == 0 && ast->view->or_replace ? privilege_owner(stmt, &ast->name, err) : rc;
}

STMT_NAME(create_view, "CREATE VIEW")
STMT_OPS(create_view,
         stmt_name_create_view,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         create_view_privilege,
         stmt_compile_nothing,
         stmt_run_create_view);

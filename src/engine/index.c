/* SPDX-License-Identifier: Apache-2.0
 *
 * index.c: CREATE INDEX, DROP INDEX, ALTER INDEX … RENAME. An index is remembered in the definition
 * of its table, for those who ask the catalog; nothing else comes of it, which a WARNING says: rows
 * are found by the key and by the zones of every column. Its name is one of its table's schema. */
#include "catalog/access_check.h"
#include "catalog/table_constraint.h"
#include "engine/ddl_expr.h"
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/privilege.h"
#include "engine/stmt_ops.h"

#include <stdio.h>

struct index_edit {
    struct dendro_stmt *stmt;
    char notice[2 * TABLE_NAME_MAX + 64]; /* "" = none */
};

/* Of a schema, by its exact name. */
static const struct table_constraint *index_in(const struct catalog *c,
                                               const char *schema,
                                               const char *name,
                                               const struct table **ret_table)
{
    for (size_t i = 0; i < c->tables_count; i++) {
        const struct table_constraint *found;

        if (strcmp(c->tables[i]->schema, schema) != 0)
            continue;
        found = table_constraint_find(c->tables[i], name);
        if (!found || !table_is_index(found))
            continue;
        *ret_table = c->tables[i];
        return found;
    }
    return NULL;
}

const struct table_constraint *session_index(const struct dendro_conn *conn,
                                             const struct catalog *c,
                                             const struct qual_name *name,
                                             const struct table **ret_table,
                                             struct dn_err *err)
{
    struct catalog_path path = session_path(conn);
    const struct table_constraint *found = NULL;
    struct catalog_relation r;
    const struct schema_def *s = NULL;

    if (name->schema) {
        s = catalog_path_schema(c, &path, name->schema, err);
        if (!s)
            return NULL;
        found = index_in(c, s->name, name->name, ret_table);
    } else {
        if (path.temp)
            found = index_in(c, path.temp, name->name, ret_table);
        for (const char *at = path.schema; !found && *at; at += strlen(at) + 1)
            found = index_in(c, at, name->name, ret_table);
    }
    if (found)
        return found;
    if (catalog_resolve(c, &path, name->schema, name->name, &r, NULL) == 0)
        DN_IGNORE(DN_FAIL(/* NULL says it */
                          err,
                          DN_E_WRONG_OBJECT,
                          "\"%s\" is not an index",
                          name->name));
    else
        DN_IGNORE(DN_FAIL(/* NULL says it */
                          err,
                          DN_E_UNDEFINED_OBJECT,
                          "index \"%.255s\" does not exist",
                          name->name));
    dn_err_at(err, name->pos);
    return NULL;
}

/* Is the name free in the schema? */
static int
index_free(const struct catalog *c, const char *schema, const char *name, struct dn_err *err)
{
    const struct table *ignored;
    int rc = catalog_free(c, schema, name, err);

    if (rc == 0 && index_in(c, schema, name, &ignored))
        rc = DN_FAIL(err, DN_E_DUPLICATE_TABLE, "relation \"%.255s\" already exists", name);
    return rc;
}

static int
index_create(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct index_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    const struct index_def *def = ast->index;
    const struct table *was = session_table(e->stmt->conn, cur, &def->table, err);
    struct constraint_spec spec = {.kind = def->unique ? TABLE_UNIQUE_INDEX : TABLE_INDEX,
                                   .name = {.s = ast->name.name, .pos = ast->name.pos},
                                   .pos = ast->name.pos};
    struct table *t;
    int rc = was ? cursor_check_unused(e->stmt->conn, was, "CREATE INDEX", err) : err->code;

    if (rc == 0 && spec.name.s) {
        rc = index_free(cur, was->schema, spec.name.s, err);
        if (rc == DN_E_DUPLICATE_TABLE && ast->if_not_exists) {
            snprintf(e->notice,
                     sizeof(e->notice),
                     "relation \"%s\" already exists, skipping",
                     spec.name.s);
            return DN_NOT_FOUND;
        }
        if (rc < 0)
            dn_err_at(err, ast->name.pos);
    }
    if (rc == 0)
        rc = ddl_index_text(e->stmt, was, def, &spec, err);
    if (rc == 0)
        rc = table_copy(was, &t, err);
    if (rc < 0)
        return rc;
    rc = table_add_constraint(t, &spec, err);
    if (rc == 0)
        rc = catalog_with_changed_table(cur, t, false, ret_next, err);
    table_unref(t);
    return rc;
}

static int stmt_run_create_index(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct index_edit e = {.stmt = stmt};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = tx_edit(stmt->conn, index_create, &e, err);
    if (rc == DN_NOT_FOUND)
        session_notice(stmt->conn, "NOTICE", "%s", e.notice);
    else if (rc == 0)
        session_notice(
            stmt->conn,
            "WARNING",
            "the index on \"%s\" is kept as information%s: rows are found by the primary "
            "key and by the zones of every column",
            stmt->ast->index->table.name,
            stmt->ast->index->unique ? ", and nothing is kept unique" : "");
    return rc < 0 ? rc : 0;
}

/* The table without the index, or with it by another name; to NULL: without. */
static int index_change(const struct dendro_conn *conn,
                        const struct catalog *cur,
                        const struct table *was,
                        const char *name,
                        const struct spec_name *to,
                        struct catalog **ret_next,
                        struct dn_err *err)
{
    const struct catalog_relation r = {.table = was};
    struct table *t;
    int rc = catalog_must_own(cur, conn->role, &r, err);

    if (rc == 0 && to)
        rc = privilege_create_in(conn, cur, was->schema, err);
    if (rc == 0)
        rc = table_copy(was, &t, err);
    if (rc < 0)
        return rc;
    if (to)
        rc = table_rename_index(t, table_constraint_find(t, name), to, err);
    else
        table_drop_index(t, table_constraint_find(t, name));
    if (rc == 0)
        rc = catalog_with_changed_table(cur, t, false, ret_next, err);
    table_unref(t);
    return rc;
}

static int
index_drop(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct index_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    struct catalog *now = NULL; /* the last one made */
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < ast->names_count; i++) {
        const struct qual_name *name = &ast->names[i];
        const struct table *t;
        struct catalog *next = NULL;
        const struct table_constraint *found =
            session_index(e->stmt->conn, now ? now : cur, name, &t, err);

        if (!found && ast->if_exists && err->code != DN_E_WRONG_OBJECT) {
            snprintf(e->notice,
                     sizeof(e->notice),
                     "index \"%.255s\" does not exist, skipping",
                     name->name);
            continue;
        }
        rc = found ? index_change(e->stmt->conn, now ? now : cur, t, found->name, NULL, &next, err)
                   : err->code;
        if (rc < 0)
            break;
        catalog_unref(now);
        now = next;
    }
    if (rc < 0)
        catalog_unref(now);
    else if (now)
        *ret_next = now;
    return rc < 0 ? rc : now ? 0 : DN_NOT_FOUND;
}

static int
index_rename(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct index_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    const struct spec_name *to = &ast->alter->actions[0].to;
    const struct table *t;
    const struct table_constraint *found = session_index(e->stmt->conn, cur, &ast->name, &t, err);
    int rc;

    if (!found && ast->if_exists && err->code != DN_E_WRONG_OBJECT) {
        snprintf(e->notice,
                 sizeof(e->notice),
                 "relation \"%.255s\" does not exist, skipping",
                 ast->name.name);
        return DN_NOT_FOUND;
    }
    if (!found)
        return err->code;
    rc = index_free(cur, t->schema, to->s, err);
    if (rc < 0)
        dn_err_at(err, to->pos);
    return rc < 0 ? rc : index_change(e->stmt->conn, cur, t, found->name, to, ret_next, err);
}

int stmt_run_drop_index(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct index_edit e = {.stmt = stmt};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc =
            tx_edit(stmt->conn, stmt->ast->kind == STMT_ALTER ? index_rename : index_drop, &e, err);
    if (rc >= 0 && e.notice[0])
        session_notice(stmt->conn, "NOTICE", "%s", e.notice);
    return rc < 0 ? rc : 0;
}

/* ---- the row of CREATE INDEX ---- */

static int
create_index_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc = privilege_owner(stmt, &ast->index->table, err);

    return rc < 0 ? rc : privilege_create_beside(stmt, &ast->index->table, err);
}

STMT_NAME(create_index, "CREATE INDEX")
STMT_OPS(create_index,
         stmt_name_create_index,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         create_index_privilege,
         stmt_compile_nothing,
         stmt_run_create_index);

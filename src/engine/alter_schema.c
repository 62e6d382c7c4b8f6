/* SPDX-License-Identifier: Apache-2.0
 *
 * alter_schema.c: ALTER SCHEMA … RENAME: a new schema, into which all that is in the old one moves;
 * views that read any of it follow. One edit of the catalog. */
#include "catalog/access_edit.h"
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/sequence_ddl.h"
#include "engine/type_ddl.h"

/* *cat becomes the next catalog. */
static void schema_step(struct catalog **cat, struct catalog *next)
{
    catalog_unref(*cat);
    *cat = next;
}

static int schema_move_table(struct dendro_stmt *stmt,
                             const struct table *was,
                             const char *to,
                             struct catalog **cat,
                             struct dn_err *err)
{
    struct catalog *next = NULL;
    struct table *t;
    int rc = table_copy(was, &t, err);

    if (rc < 0)
        return rc;
    rc = table_move(t, to, t->name, err);
    if (rc == 0)
        rc = catalog_with_changed_table(*cat, t, false, &next, err);
    if (rc == 0)
        rc = ddl_views_alter(stmt, *cat, was, t, &next, err);
    table_unref(t);
    if (rc < 0)
        catalog_unref(next);
    else
        schema_step(cat, next);
    return rc;
}

/* Its owner and what was granted on it. */
static int
schema_move_access(const char *from, const char *to, struct catalog **cat, struct dn_err *err)
{
    struct catalog *next = NULL;
    struct access *a = NULL;
    int rc;

    if (!(*cat)->access)
        return 0;
    rc = access_copy((*cat)->access, &a, err);
    if (rc == 0)
        rc = access_rename_schema(a, from, to, err);
    if (rc == 0)
        rc = catalog_with_access(*cat, a, &next, err);
    access_unref(a);
    if (rc == 0)
        schema_step(cat, next);
    return rc;
}

/* All that is in it, by the ids it had. */
static int schema_move_all(struct dendro_stmt *stmt,
                           const struct catalog *cur,
                           const char *from,
                           const char *to,
                           struct catalog **cat,
                           struct dn_err *err)
{
    int rc = ddl_types_move(from, to, cat, err);

    for (size_t i = 0; rc == 0 && i < cur->tables_count; i++)
        if (strcmp(cur->tables[i]->schema, from) == 0)
            rc = schema_move_table(
                stmt, catalog_table_by_id(*cat, cur->tables[i]->id), to, cat, err);
    for (size_t i = 0; rc == 0 && i < cur->views_count; i++)
        if (strcmp(cur->views[i]->schema, from) == 0)
            rc = ddl_view_move(stmt, catalog_view_by_id(*cat, cur->views[i]->id), to, cat, err);
    for (size_t i = 0; rc == 0 && i < cur->sequences_count; i++)
        if (strcmp(cur->sequences[i]->schema, from) == 0)
            rc = ddl_sequence_move(stmt, cur->sequences[i], to, cat, err);
    return rc;
}

static int
schema_rename(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    const struct stmt *ast = stmt->ast;
    const struct spec_name *to = &ast->alter->actions[0].to;
    struct catalog_path path = session_path(stmt->conn);
    const struct schema_def *s = catalog_path_schema(cur, &path, ast->name.name, err);
    struct catalog *cat = NULL;
    struct catalog *next = NULL;
    int rc = s ? 0 : err->code;

    if (rc == 0 && (s->temp || strcmp(s->name, CATALOG_SCHEMA_DEFAULT) == 0))
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "schema \"%s\" cannot be renamed", s->name);
    if (rc < 0) {
        dn_err_at(err, ast->name.pos);
        return rc;
    }
    rc = catalog_with_schema(cur, to->s, s->replication, &cat, err);
    if (rc < 0) {
        dn_err_at(err, to->pos);
        return rc;
    }
    if (s->comment) {
        rc = catalog_with_comment(cat, to->s, s->comment, &next, err);
        if (rc == 0)
            schema_step(&cat, next);
    }
    if (rc == 0)
        rc = schema_move_all(stmt, cur, s->name, to->s, &cat, err);
    if (rc == 0)
        rc = schema_move_access(s->name, to->s, &cat, err);
    if (rc == 0)
        rc = catalog_without_schema(cat, s->name, ret_next, err);
    catalog_unref(cat);
    return rc;
}

int stmt_run_alter_schema(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    return rc < 0 ? rc : tx_edit(stmt->conn, schema_rename, stmt, err);
}

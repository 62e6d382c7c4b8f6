/* SPDX-License-Identifier: Apache-2.0
 *
 * ddl.c: CREATE TABLE and CREATE SCHEMA. Each is one edit of the catalog (engine_edit): whole or
 * not there. */
#include "engine/engine_int.h"

#include <stdio.h>

struct ddl {
    struct dendro_stmt *stmt;
    struct table_spec spec;                /* CREATE TABLE, with schema and defaults filled in */
    const char *schema;                    /* as asked for */
    char skipped[2 * TABLE_NAME_MAX + 64]; /* what the notice says when there is nothing to do */
};

/* ---- CREATE TABLE ---- */

static int ddl_spec(struct ddl *d, struct dn_err *err)
{
    const struct stmt *ast = d->stmt->ast;
    struct column_spec *cols;
    int rc;

    d->spec = *ast->create;
    d->schema = d->spec.schema.s ? d->spec.schema.s : d->stmt->conn->schema;
    cols = arena_alloc_array(&d->stmt->run, d->spec.columns_count + 1, sizeof(*cols));
    if (!cols)
        return DN_FAIL_NOMEM(err);
    if (d->spec.columns_count)
        memcpy(cols, d->spec.columns, d->spec.columns_count * sizeof(*cols));
    for (size_t i = 0; i < d->spec.columns_count; i++) {
        if (ast->table_def->columns[i].def) {
            rc = ddl_default(d->stmt, ast->table_def->columns[i].def, false, &cols[i], err);
            if (rc < 0)
                return rc;
        }
    }
    d->spec.columns = cols;
    return 0;
}

static int ddl_create_table(void *arg,
                            const struct catalog *cur,
                            struct catalog **ret_next,
                            struct dn_err *err)
{
    struct ddl *d = arg;
    const struct schema_def *schema = catalog_schema(cur, d->schema, err);
    struct dn_err ignored;
    struct table *t;
    int rc;

    if (!schema) {
        dn_err_at(err, d->spec.schema.s ? d->spec.schema.pos : d->spec.name.pos);
        return err->code;
    }
    if (d->stmt->ast->if_not_exists && catalog_table(cur, schema->name, d->spec.name.s, &ignored)) {
        snprintf(d->skipped,
                 sizeof(d->skipped),
                 "relation \"%s\" already exists, skipped",
                 d->spec.name.s);
        return DN_NOT_FOUND;
    }
    d->spec.schema.s = schema->name;
    rc = table_build(&d->spec, &t, err);
    if (rc < 0)
        return rc;
    rc = catalog_with_table(cur, t, ret_next, err);
    table_unref(t);
    if (rc < 0)
        dn_err_at(err, d->spec.name.pos);
    return rc;
}

/* ---- CREATE SCHEMA ---- */

static int ddl_create_schema(void *arg,
                             const struct catalog *cur,
                             struct catalog **ret_next,
                             struct dn_err *err)
{
    struct ddl *d = arg;
    const struct stmt *ast = d->stmt->ast;
    struct dn_err ignored;
    int rc;

    if (ast->if_not_exists && catalog_schema(cur, ast->name.name, &ignored)) {
        snprintf(d->skipped,
                 sizeof(d->skipped),
                 "%s \"%s\" already exists, skipped",
                 ast->keyspace ? "keyspace" : "schema",
                 ast->name.name);
        return DN_NOT_FOUND;
    }
    rc = catalog_with_schema(
        cur, ast->name.name, ast->replication ? ast->replication : "", ret_next, err);
    if (rc < 0)
        dn_err_at(err, ast->name.pos);
    return rc;
}

int stmt_run_ddl(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct ddl d = {.stmt = stmt};
    engine_edit_fn fn = ddl_create_schema;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    if (stmt->ast->kind == STMT_CREATE_TABLE) {
        fn = ddl_create_table;
        rc = ddl_spec(&d, err);
        if (rc < 0)
            return rc;
    }
    rc = tx_edit(stmt->conn, fn, &d, err);
    if (rc == DN_NOT_FOUND) {
        session_notice(stmt->conn, "NOTICE", "%s", d.skipped);
        return 0;
    }
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * ddl.c: CREATE TABLE and CREATE SCHEMA. Each is one edit of the catalog (engine_edit): whole or
 * not there. */
#include "catalog/access_edit.h"
#include "engine/create_as.h"
#include "engine/ddl_expr.h"
#include "engine/generated.h"
#include "engine/privilege.h"
#include "engine/sequence_ddl.h"
#include "engine/stmt_ops.h"
#include "engine/timepart.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

struct ddl {
    struct dendro_stmt *stmt;
    struct table_spec spec;                /* CREATE TABLE, with schema and defaults filled in */
    struct column_spec *columns;           /* those of the spec */
    struct ddl_place place;                /* of the table */
    char skipped[2 * TABLE_NAME_MAX + 64]; /* what the notice says when there is nothing to do */
};

/* ---- CREATE TABLE ---- */

static bool ddl_is_serial(const struct column_def *c)
{
    return c->serial || c->identity != IDENTITY_NONE;
}

/* The option primary_key = '((a, QUANTUM(t, 1, 'd')), a, t)': the clause, as pg_dump and others can
 * write it, who know keys as lists of columns and options as texts. */
static int ddl_key_option(struct ddl *d, const struct option_spec *o, struct dn_err *err)
{
    struct arena *arena = &d->stmt->run;
    struct stmt *ast = NULL;
    const struct table_spec *key;
    struct sql_text text;
    const char *sql = arena_printf(arena, "ALTER TABLE t ADD PRIMARY KEY %s", o->value);
    int rc;

    if (!sql)
        return DN_FAIL_NOMEM(err);
    sql_text_init(&text, sql, strlen(sql));
    rc = sql_parse(&text, arena, &ast, err);
    if (rc != 0 || ast->kind != STMT_ALTER || ast->alter->actions_count != 1 ||
        ast->alter->actions[0].kind != ALTER_ADD_KEY || text.next < text.len) {
        rc = rc == DN_E_NOMEM
                 ? rc
                 : DN_FAIL(err,
                           DN_E_INVALID_PARAM,
                           "table option primary_key must be what follows PRIMARY KEY, not '%.80s'",
                           o->value);
        dn_err_at(err, o->value_pos);
        return rc;
    }
    key = ast->alter->actions[0].key;
    d->spec.keys_count++;
    d->spec.key_pos = o->name.pos;
    if (d->spec.has_key) /* table_build says so */
        return 0;
    d->spec.has_key = true;
    d->spec.has_inner = key->has_inner;
    d->spec.partition = key->partition;
    d->spec.partition_count = key->partition_count;
    d->spec.local = key->local;
    d->spec.local_count = key->local_count;
    return 0;
}

/* What a dump calls timestamp(3) with time zone was TIMESTAMP: columns of such a key are. */
static void ddl_key_columns(struct ddl *d,
                            struct column_spec *cols,
                            const struct key_elem_spec *key,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < d->spec.columns_count; k++) {
            if (cols[k].type != TYPE_TIMESTAMPTZ || strcmp(cols[k].name.s, key[i].name.s) != 0)
                continue;
            cols[k].type = TYPE_TIMESTAMP_US;
            if (cols[k].mods.count && cols[k].mods.v[0] == 3) {
                cols[k].type = TYPE_TIMESTAMP;
                cols[k].mods = (struct type_mods){.count = 0};
            }
        }
    }
}

static int ddl_options(struct ddl *d, struct dn_err *err)
{
    struct option_spec *rest =
        arena_alloc_array(&d->stmt->run, d->spec.options_count + 1, sizeof(*rest));
    size_t count = 0;
    int rc = rest ? 0 : DN_FAIL_NOMEM(err);

    for (size_t i = 0; rc == 0 && i < d->spec.options_count; i++) {
        const struct option_spec *o = &d->spec.options[i];

        if (strcasecmp(o->name.s, "primary_key") == 0)
            rc = ddl_key_option(d, o, err);
        else
            rest[count++] = *o;
    }
    d->spec.options = rest;
    d->spec.options_count = count;
    return rc;
}

static int ddl_spec(struct ddl *d, struct dn_err *err)
{
    const struct stmt *ast = d->stmt->ast;
    struct column_spec *cols;
    int rc;

    d->spec = *ast->create;
    rc = ddl_options(d, err);
    if (rc < 0)
        return rc;
    cols = arena_alloc_array(&d->stmt->run, d->spec.columns_count + 1, sizeof(*cols));
    if (!cols)
        return DN_FAIL_NOMEM(err);
    if (d->spec.columns_count)
        memcpy(cols, d->spec.columns, d->spec.columns_count * sizeof(*cols));
    if (d->spec.options_count < ast->create->options_count) { /* there was a primary_key */
        ddl_key_columns(d, cols, d->spec.partition, d->spec.partition_count);
        ddl_key_columns(d, cols, d->spec.local, d->spec.local_count);
    }
    for (size_t i = 0; i < d->spec.columns_count; i++) {
        const struct column_def *def = &ast->table_def->columns[i];

        rc = def->generated ? ddl_generated(d->stmt, d->spec.name.s, &cols[i], def, err)
             : def->def && !ddl_is_serial(def)
                 ? ddl_default(d->stmt, def->def, false, &cols[i], err)
                 : 0;
        if (rc < 0)
            return rc;
    }
    d->spec.columns = d->columns = cols;
    return 0;
}

int ddl_place(struct dendro_stmt *stmt,
              const struct catalog *cur,
              struct ddl_place *ret,
              struct dn_err *err)
{
    const struct table_def *def = stmt_inner(stmt)->table_def;
    const struct spec_name *given = &stmt_inner(stmt)->create->schema;
    struct catalog_path path = session_path(stmt->conn);
    const struct schema_def *schema;
    bool temp;
    int rc;

    ret->base = NULL;
    if (!session_temp_wanted(stmt->conn, cur, given, def->persistence, &temp, err))
        return err->code;
    /* Where the place alone makes it temporary CREATE TABLE AS does not know yet, as in PostgreSQL.
     */
    if ((def->as ? def->persistence != PERSIST_TEMP : !temp) &&
        def->on_commit != ON_COMMIT_DEFAULT) {
        rc = DN_FAIL(err, DN_E_BAD_TABLE, "ON COMMIT can only be used on temporary tables");
        dn_err_at(err, stmt_inner(stmt)->create->name.pos);
        return rc;
    }
    ret->temp = !temp                                ? TABLE_PERMANENT
                : def->on_commit == ON_COMMIT_DELETE ? TABLE_TEMP_DELETE
                : def->on_commit == ON_COMMIT_DROP   ? TABLE_TEMP_DROP
                                                     : TABLE_TEMP;
    if (temp)
        return session_temp_base(stmt->conn, cur, &ret->base, ret->schema, err);
    schema = catalog_path_schema(cur, &path, given->s, err);
    if (!schema) {
        dn_err_at(err, given->s ? given->pos : stmt_inner(stmt)->create->name.pos);
        return err->code;
    }
    snprintf(ret->schema, sizeof(ret->schema), "%s", schema->name);
    return 0;
}

/* The table in a new catalog, with the sequences of its columns. */
static int ddl_build(struct ddl *d,
                     struct table_spec *spec,
                     const struct catalog *cur,
                     struct catalog **ret_next,
                     struct dn_err *err)
{
    const struct table_def *def = d->stmt->ast->table_def;
    struct ddl_serials serials = {.stmt = d->stmt,
                                  .cat = cur,
                                  .schema = d->place.schema,
                                  .table = spec->name.s,
                                  .temp = d->place.temp != TABLE_PERMANENT};
    struct catalog *next = NULL;
    struct table *t;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < d->spec.columns_count; i++)
        if (ddl_is_serial(&def->columns[i]))
            rc = ddl_serial_add(&serials, &d->columns[i], &def->columns[i], err);
    if (rc == 0)
        rc = ddl_like(d->stmt, cur, spec, &serials, err);
    if (rc == 0)
        rc = table_build(spec, &t, err);
    if (rc < 0)
        return rc;
    rc = ddl_generated_check(d->stmt, t, cur, err);
    if (rc == 0)
        rc = ddl_constraints(d->stmt, t, def->constraints, def->constraints_count, err);
    if (rc == 0)
        rc = catalog_with_table(d->place.base ? d->place.base : cur, t, &next, err);
    if (rc == 0)
        rc = ddl_serials_make(&serials, t, &next, err);
    if (rc == 0 && def->partition)
        rc = ddl_partition(d->stmt, t, def->partition, &next, err);
    if (rc == 0)
        *ret_next = next;
    else
        catalog_unref(next);
    table_unref(t);
    if (rc < 0 && err->position == 0)
        dn_err_at(err, spec->name.pos);
    return rc;
}

static int ddl_create_table(void *arg,
                            const struct catalog *cur,
                            struct catalog **ret_next,
                            struct dn_err *err)
{
    struct ddl *d = arg;
    struct table_spec spec = d->spec;
    struct catalog_relation there;
    int rc = ddl_place(d->stmt, cur, &d->place, err);

    if (rc < 0)
        return rc;
    if (d->stmt->ast->if_not_exists &&
        catalog_relation(cur, d->place.schema, spec.name.s, &there, NULL) == 0) {
        catalog_unref(d->place.base);
        snprintf(
            d->skipped, sizeof(d->skipped), "relation \"%s\" already exists, skipped", spec.name.s);
        return DN_NOT_FOUND;
    }
    spec.schema.s = d->place.schema;
    spec.temp = d->place.temp;
    rc = ddl_build(d, &spec, cur, ret_next, err);
    catalog_unref(d->place.base);
    return rc;
}

/* ---- CREATE SCHEMA ---- */

/* AUTHORIZATION: whose it is. */
static int ddl_schema_owner(const struct ddl *d, struct catalog **cat, struct dn_err *err)
{
    const struct dendro_conn *conn = d->stmt->conn;
    const struct qual_name *name = &d->stmt->ast->names[0];
    struct access_object o = {.kind = ACCESS_SCHEMA, .schema = d->stmt->ast->name.name};
    struct catalog *next = NULL;
    struct access *a = NULL;
    uint32_t role;
    int rc = access_copy((*cat)->access, &a, err);

    if (rc == 0)
        rc = privilege_role(
            conn, a, &(struct spec_name){.s = name->name, .pos = name->pos}, false, &role, err);
    if (rc == 0 && !access_member(a, conn->role, role))
        rc = DN_FAIL(err, DN_E_DENIED, "must be member of role \"%s\"", access_role_name(a, role));
    if (rc == 0)
        rc = access_set_owner(a, &o, role, err);
    if (rc == 0)
        rc = catalog_with_access(*cat, a, &next, err);
    access_unref(a);
    catalog_unref(*cat);
    *cat = next;
    return rc;
}

static int ddl_create_schema(void *arg,
                             const struct catalog *cur,
                             struct catalog **ret_next,
                             struct dn_err *err)
{
    struct ddl *d = arg;
    const struct stmt *ast = d->stmt->ast;
    struct dn_err ignored;
    int rc;

    if (strncmp(ast->name.name, "pg_", 3) == 0) {
        rc = DN_FAIL(err,
                     DN_E_RESERVED_NAME,
                     "unacceptable schema name \"%s\": the prefix \"pg_\" is reserved",
                     ast->name.name);
        dn_err_at(err, ast->name.pos);
        return rc;
    }
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
    return rc == 0 && ast->names_count > 0 ? ddl_schema_owner(d, ret_next, err) : rc;
}

static int stmt_run_ddl(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct ddl d = {.stmt = stmt};
    engine_edit_fn fn = ddl_create_schema;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    if (stmt->ast->table_def && stmt->ast->table_def->as)
        return stmt_run_create_as(stmt, err);
    if (stmt->ast->kind == STMT_CREATE_TABLE) {
        fn = ddl_create_table;
        rc = ddl_spec(&d, err);
        if (rc < 0)
            return rc;
    }
    rc = tx_edit(stmt->conn, fn, &d, err);
    if (rc == 0 && d.place.temp != TABLE_PERMANENT)
        session_temp_made(stmt->conn, d.place.schema, d.place.temp);
    if (rc == DN_NOT_FOUND) {
        session_notice(stmt->conn, "NOTICE", "%s", d.skipped);
        return 0;
    }
    return rc;
}

/* ---- the rows of CREATE TABLE and CREATE SCHEMA ---- */

static int
create_table_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct qual_name name = {
        .schema = ast->create->schema.s, .name = ast->create->name.s, .pos = ast->create->name.pos};
    int rc = 0;

    if (ast->table_def->persistence != PERSIST_TEMP)
        rc = privilege_create_of(stmt, &name, true, err);
    for (uint32_t i = 0; rc == 0 && i < ast->table_def->likes_count; i++)
        rc = privilege_table(
            stmt, &ast->table_def->likes[i].table, PRIVILEGE_BIT(PRIVILEGE_SELECT), err);
    return rc < 0 ? rc
                  : privilege_references(
                        stmt, ast->table_def->constraints, ast->table_def->constraints_count, err);
}

/* Needs the privilege CREATE on the database. */
static int
create_schema_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct access_object db = {.kind = ACCESS_DATABASE};

    (void)ast;
    return access_privileges(stmt->catalog->access, stmt->conn->role, &db) &
                   PRIVILEGE_BIT(PRIVILEGE_CREATE)
               ? 0
               : DN_FAIL(err,
                         DN_E_DENIED,
                         "permission denied for database %s",
                         stmt->conn->functions.database);
}

static const char *create_table_name(const struct stmt *ast)
{
    return ast->table_def->as ? "CREATE TABLE AS" : "CREATE TABLE";
}

/* A table that was filled is told as the query that filled it. */
static void create_table_tag(const struct dendro_stmt *stmt, char *to, size_t size)
{
    if (stmt->reads && !stmt->ast->table_def->no_data)
        snprintf(to, size, "SELECT %" PRIu64, stmt->rows_count);
    else
        stmt_tag_name(stmt, to, size);
}

static const char *create_schema_name(const struct stmt *ast)
{
    return ast->keyspace ? "CREATE KEYSPACE" : "CREATE SCHEMA";
}

STMT_OPS(create_table,
         create_table_name,
         create_table_tag,
         stmt_class_ddl,
         stmt_use_writes,
         create_table_privilege,
         stmt_compile_create_as,
         stmt_run_ddl);

STMT_OPS(create_schema,
         create_schema_name,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         create_schema_privilege,
         stmt_compile_nothing,
         stmt_run_ddl);

/* SPDX-License-Identifier: Apache-2.0
 *
 * grant.c: GRANT and REVOKE: edits of the catalog's access part. */
#include "catalog/access_check.h"
#include "catalog/access_edit.h"
#include "engine/names.h"
#include "engine/privilege.h"
#include "engine/stmt_ops.h"

#include <strings.h>

static const struct {
    const char *word;
    enum privilege privilege;
} grant_words[] = {
#define DN_PRIVILEGE(name, sql, letter, kinds) {sql, PRIVILEGE_##name},
#include "catalog/privilege_list.h"
#undef DN_PRIVILEGE
    {"TEMP", PRIVILEGE_TEMPORARY},
};

/* ---- objects ---- */

typedef int (*grant_fn)(struct dendro_stmt *stmt,
                        struct access *a,
                        const struct access_object *o,
                        const char *name,
                        struct dn_err *err);

static int grant_schema(struct dendro_stmt *stmt,
                        const struct catalog *cur,
                        const struct qual_name *name,
                        const struct schema_def **ret,
                        struct dn_err *err)
{
    struct catalog_path path = session_path(stmt->conn);

    *ret = catalog_path_schema(cur, &path, name->name, err);
    if (!*ret)
        dn_err_at(err, name->pos);
    return *ret ? 0 : err->code;
}

/* All tables and views of a schema. */
static int grant_all_of(struct dendro_stmt *stmt,
                        const struct catalog *cur,
                        struct access *a,
                        const struct schema_def *schema,
                        grant_fn fn,
                        struct dn_err *err)
{
    int rc = 0;

    if (stmt->ast->grant->object != OBJECT_TABLE)
        return 0;
    for (size_t i = 0; rc == 0 && i < cur->tables_count; i++) {
        struct access_object o = {.kind = ACCESS_RELATION, .id = cur->tables[i]->id};

        if (strcmp(cur->tables[i]->schema, schema->name) == 0)
            rc = fn(stmt, a, &o, cur->tables[i]->name, err);
    }
    for (size_t i = 0; rc == 0 && i < cur->views_count; i++) {
        struct access_object o = {.kind = ACCESS_RELATION, .id = cur->views[i]->id};

        if (strcmp(cur->views[i]->schema, schema->name) == 0)
            rc = fn(stmt, a, &o, cur->views[i]->name, err);
    }
    return rc;
}

static int grant_columns(struct dendro_stmt *stmt,
                         struct access *a,
                         const struct catalog_relation *r,
                         const char *name,
                         struct dn_err *err);

static int grant_object(struct dendro_stmt *stmt,
                        const struct catalog *cur,
                        struct access *a,
                        const struct qual_name *name,
                        grant_fn fn,
                        struct dn_err *err)
{
    const struct grant_stmt *g = stmt->ast->grant;
    struct access_object o = {.kind = ACCESS_DATABASE};
    const struct schema_def *schema;
    struct catalog_relation r;
    int rc;

    if (g->everything || g->object == OBJECT_SCHEMA) {
        rc = grant_schema(stmt, cur, name, &schema, err);
        if (rc < 0)
            return rc;
        o = (struct access_object){.kind = ACCESS_SCHEMA, .schema = schema->name};
        return g->everything ? grant_all_of(stmt, cur, a, schema, fn, err)
                             : fn(stmt, a, &o, schema->name, err);
    }
    if (g->object == OBJECT_DATABASE) {
        rc = 0;
        if (strcasecmp(name->name, stmt->conn->functions.database) != 0) {
            rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "database \"%s\" does not exist", name->name);
            dn_err_at(err, name->pos);
        }
        return rc < 0 ? rc : fn(stmt, a, &o, name->name, err);
    }
    rc = session_relation(stmt->conn, cur, name, &r, err);
    if (rc < 0)
        return rc;
    o = catalog_object(&r);
    rc = fn(stmt, a, &o, name->name, err);
    return rc < 0 ? rc : grant_columns(stmt, a, &r, name->name, err);
}

/* ---- privileges ---- */

/* What a word stands for. columns: it is on columns. */
static int grant_word_bits(const struct spec_name *name,
                           enum access_kind kind,
                           bool columns,
                           uint32_t *ret,
                           struct dn_err *err)
{
    static const char *const kinds[] = {[ACCESS_RELATION] = "relation",
                                        [ACCESS_SEQUENCE] = "sequence",
                                        [ACCESS_SCHEMA] = "schema",
                                        [ACCESS_DATABASE] = "database"};
    uint32_t bit = 0;
    int rc = 0;

    for (size_t k = 0; k < DN_ARRAY_SIZE(grant_words); k++)
        if (strcasecmp(grant_words[k].word, name->s) == 0)
            bit = PRIVILEGE_BIT(grant_words[k].privilege);
    if (!bit)
        rc = DN_FAIL(err, DN_E_SYNTAX, "unrecognized privilege type \"%s\"", name->s);
    else if (!(bit & (columns ? ACCESS_COLUMN_ALL : access_all(kind))))
        rc = DN_FAIL(err,
                     DN_E_BAD_GRANT,
                     "invalid privilege type %s for %s",
                     name->s,
                     columns ? "column" : kinds[kind]);
    if (rc < 0)
        dn_err_at(err, name->pos);
    *ret = bit;
    return rc;
}

/* Those that are on the whole. */
static int grant_privileges(const struct grant_stmt *g,
                            enum access_kind kind,
                            uint32_t *ret,
                            struct dn_err *err)
{
    int rc = 0;

    *ret = g->all && g->columns[0].count == 0 ? access_all(kind) : 0;
    for (uint32_t i = 0; rc == 0 && i < g->privileges_count; i++) {
        uint32_t bit = 0;

        rc = grant_word_bits(&g->privileges[i], kind, g->columns[i].count > 0, &bit, err);
        *ret |= g->columns[i].count ? 0 : bit;
    }
    return rc;
}

static int grant_give(struct dendro_stmt *stmt,
                      struct access *a,
                      const struct access_object *o,
                      const char *name,
                      uint32_t privileges,
                      struct dn_err *err)
{
    static const char *const kinds[] = {[ACCESS_RELATION] = "table",
                                        [ACCESS_SEQUENCE] = "sequence",
                                        [ACCESS_SCHEMA] = "schema",
                                        [ACCESS_DATABASE] = "database"};
    const struct grant_stmt *g = stmt->ast->grant;
    struct dendro_conn *conn = stmt->conn;
    uint32_t may = access_options(a, conn->role, o);
    int rc = 0;

    if (!(may & privileges) && privileges && !access_privileges(a, conn->role, o))
        return DN_FAIL(err, DN_E_DENIED, "permission denied for %s %s", kinds[o->kind], name);
    if (privileges & ~may)
        session_notice(conn,
                       "WARNING",
                       g->revoke ? "%s privileges could be revoked for \"%s\""
                                 : "%s privileges were granted for \"%s\"",
                       may & privileges ? "not all" : "no",
                       name);
    privileges &= may;
    for (uint32_t i = 0; rc == 0 && i < g->grantees_count; i++) {
        uint32_t to = 0;

        rc = privilege_role(conn, a, &g->grantees[i], true, &to, err);
        if (rc == 0 && to == ACCESS_PUBLIC && g->option && !g->revoke)
            rc = DN_FAIL(err, DN_E_BAD_GRANT, "grant options can only be granted to roles");
        if (rc == 0 && g->revoke)
            rc = access_take(a, o, to, privileges, g->option, err);
        else if (rc == 0)
            rc = access_give(
                a, o, to, access_owned_by(a, o), privileges, g->option ? privileges : 0, err);
    }
    return rc;
}

static bool grant_on_columns(const struct grant_stmt *g)
{
    bool found = g->all && g->columns[0].count > 0;

    for (uint32_t i = 0; i < g->privileges_count; i++)
        found = found || g->columns[i].count > 0;
    return found;
}

static int grant_one(struct dendro_stmt *stmt,
                     struct access *a,
                     const struct access_object *o,
                     const char *name,
                     struct dn_err *err)
{
    const struct grant_stmt *g = stmt->ast->grant;
    uint32_t privileges = 0;
    int rc = grant_privileges(g, o->kind, &privileges, err);

    if (rc == 0 && grant_on_columns(g) && (o->kind != ACCESS_RELATION || g->everything))
        rc = DN_FAIL(err, DN_E_BAD_GRANT, "column privileges are only valid for relations");
    if (rc < 0 || !privileges)
        return rc;
    return grant_give(stmt, a, o, name, privileges, err);
}

/* What is on columns of the relation, column by column. */
static int grant_columns(struct dendro_stmt *stmt,
                         struct access *a,
                         const struct catalog_relation *r,
                         const char *name,
                         struct dn_err *err)
{
    const struct grant_stmt *g = stmt->ast->grant;
    struct access_object o = catalog_object(r);
    uint32_t words = g->all ? 1 : g->privileges_count;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < words; i++) {
        uint32_t bits = ACCESS_COLUMN_ALL;

        if (!g->all)
            rc = grant_word_bits(&g->privileges[i], o.kind, g->columns[i].count > 0, &bits, err);
        for (uint32_t k = 0; rc == 0 && k < g->columns[i].count; k++) {
            const struct spec_name *column = &g->columns[i].names[k];

            o.column = catalog_relation_column(r, column->s);
            if (!o.column) {
                rc = DN_FAIL(err,
                             DN_E_UNDEFINED_COLUMN,
                             "column \"%s\" of relation \"%s\" does not exist",
                             column->s,
                             name);
                dn_err_at(err, column->pos);
            } else {
                rc = grant_give(stmt, a, &o, name, bits, err);
            }
        }
    }
    return rc;
}

/* ---- GRANT role TO role ---- */

static int grant_member(struct dendro_stmt *stmt,
                        struct access *a,
                        uint32_t role,
                        const struct spec_name *to,
                        struct dn_err *err)
{
    const struct grant_stmt *g = stmt->ast->grant;
    uint32_t member = 0;
    int rc = privilege_role(stmt->conn, a, to, false, &member, err);

    if (rc < 0)
        return rc;
    if (g->revoke) {
        access_drop_member(a, role, member, g->option);
        return 0;
    }
    if (role == member || (access_member(a, role, member) && !access_superuser(a, role))) {
        rc = DN_FAIL(err,
                     DN_E_BAD_GRANT,
                     "role \"%s\" is a member of role \"%s\"",
                     access_role_name(a, role),
                     access_role_name(a, member));
        dn_err_at(err, to->pos);
        return rc;
    }
    return access_put_member(
        a, (struct role_member){.role = role, .member = member, .admin = g->option}, err);
}

static int grant_roles(struct dendro_stmt *stmt, struct access *a, struct dn_err *err)
{
    const struct grant_stmt *g = stmt->ast->grant;
    const struct role *self = access_role_by_id(a, stmt->conn->role);
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < g->privileges_count; i++) {
        uint32_t role = 0;

        rc = privilege_role(stmt->conn, a, &g->privileges[i], false, &role, err);
        if (rc == 0 && !access_admin(a, stmt->conn->role, role) &&
            !(self && (self->attrs & ROLE_CREATEROLE) && !access_superuser(a, role)))
            rc = DN_FAIL(err,
                         DN_E_DENIED,
                         "must have admin option on role \"%s\"",
                         access_role_name(a, role));
        for (uint32_t k = 0; rc == 0 && k < g->grantees_count; k++)
            rc = grant_member(stmt, a, role, &g->grantees[k], err);
    }
    return rc;
}

/* ---- the edit ---- */

static int
grant_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    const struct grant_stmt *g = stmt->ast->grant;
    struct access *a = NULL;
    int rc = access_copy(cur->access, &a, err);

    if (rc == 0 && g->roles)
        rc = grant_roles(stmt, a, err);
    for (uint32_t i = 0; rc == 0 && i < g->objects_count; i++)
        rc = grant_object(stmt, cur, a, &g->objects[i], grant_one, err);
    if (rc == 0)
        rc = catalog_with_access(cur, a, ret_next, err);
    access_unref(a);
    return rc;
}

static int stmt_run_grant(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    return rc < 0 ? rc : tx_edit(stmt->conn, grant_edit, stmt, err);
}

static const char *grant_name(const struct stmt *ast)
{
    return ast->grant->revoke ? "REVOKE" : "GRANT";
}

STMT_OPS(grant,
         grant_name,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         privilege_when_run,
         stmt_compile_nothing,
         stmt_run_grant);

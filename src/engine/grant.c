/* SPDX-License-Identifier: Apache-2.0
 *
 * grant.c: GRANT and REVOKE: edits of the catalog's access part. */
#include "engine/names.h"
#include "engine/privilege.h"

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
    return fn(stmt, a, &o, name->name, err);
}

/* ---- privileges ---- */

static int grant_privileges(const struct grant_stmt *g,
                            enum access_kind kind,
                            uint32_t *ret,
                            struct dn_err *err)
{
    static const char *const kinds[] = {[ACCESS_RELATION] = "relation",
                                        [ACCESS_SEQUENCE] = "sequence",
                                        [ACCESS_SCHEMA] = "schema",
                                        [ACCESS_DATABASE] = "database"};
    int rc = 0;

    *ret = g->all ? access_all(kind) : 0;
    for (uint32_t i = 0; rc == 0 && i < g->privileges_count; i++) {
        const struct spec_name *name = &g->privileges[i];
        uint32_t bit = 0;

        for (size_t k = 0; k < DN_ARRAY_SIZE(grant_words); k++)
            if (strcasecmp(grant_words[k].word, name->s) == 0)
                bit = PRIVILEGE_BIT(grant_words[k].privilege);
        if (!bit)
            rc = DN_FAIL(err, DN_E_SYNTAX, "unrecognized privilege type \"%s\"", name->s);
        else if (!(bit & access_all(kind)))
            rc = DN_FAIL(
                err, DN_E_BAD_GRANT, "invalid privilege type %s for %s", name->s, kinds[kind]);
        if (rc < 0)
            dn_err_at(err, name->pos);
        *ret |= bit;
    }
    return rc;
}

static int grant_one(struct dendro_stmt *stmt,
                     struct access *a,
                     const struct access_object *o,
                     const char *name,
                     struct dn_err *err)
{
    static const char *const kinds[] = {[ACCESS_RELATION] = "table",
                                        [ACCESS_SEQUENCE] = "sequence",
                                        [ACCESS_SCHEMA] = "schema",
                                        [ACCESS_DATABASE] = "database"};
    const struct grant_stmt *g = stmt->ast->grant;
    struct dendro_conn *conn = stmt->conn;
    uint32_t may = access_options(a, conn->role, o);
    uint32_t privileges = 0;
    int rc = grant_privileges(g, o->kind, &privileges, err);

    if (rc < 0)
        return rc;
    if (!(may & privileges) && privileges)
        return DN_FAIL(err, DN_E_DENIED, "permission denied for %s %s", kinds[o->kind], name);
    if (privileges & ~may)
        session_notice(conn,
                       "WARNING",
                       g->revoke ? "not all privileges could be revoked for \"%s\""
                                 : "not all privileges were granted for \"%s\"",
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

int stmt_run_grant(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    return rc < 0 ? rc : tx_edit(stmt->conn, grant_edit, stmt, err);
}

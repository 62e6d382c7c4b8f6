/* SPDX-License-Identifier: Apache-2.0
 *
 * privilege.c: what rows of statements ask of roles. */
#include "engine/privilege.h"

#include "catalog/access_check.h"
#include "catalog/access_edit.h"
#include "engine/names.h"
#include "engine/stmt_ops.h"

#include <strings.h>

static bool privilege_free(const struct dendro_conn *conn, const struct catalog *cat)
{
    return conn->role == ACCESS_FIRST || access_superuser(cat->access, conn->role);
}

bool session_superuser(struct dendro_conn *conn)
{
    struct catalog *cat = tx_catalog(conn);
    bool super = access_superuser(cat->access, conn->role);

    catalog_unref(cat);
    return super;
}

int privilege_superuser(const struct dendro_conn *conn,
                        const struct access *a,
                        const char *what,
                        struct dn_err *err)
{
    return access_superuser(a, conn->role) ? 0 : DN_FAIL(err, DN_E_DENIED, "%s", what);
}

int privilege_role(const struct dendro_conn *conn,
                   const struct access *a,
                   const struct spec_name *name,
                   bool or_public,
                   uint32_t *ret,
                   struct dn_err *err)
{
    const struct role *r = NULL;
    int rc = 0;

    if (strcasecmp(name->s, "current_user") == 0 || strcasecmp(name->s, "current_role") == 0) {
        *ret = conn->role;
    } else if (strcasecmp(name->s, "session_user") == 0) {
        *ret = conn->user;
    } else if (or_public && strcasecmp(name->s, "public") == 0) {
        *ret = ACCESS_PUBLIC;
    } else {
        r = access_role(a, name->s);
        if (r)
            *ret = r->id;
        else
            rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "role \"%s\" does not exist", name->s);
    }
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

/* ---- tables ---- */

int privilege_table(const struct dendro_stmt *stmt,
                    const struct qual_name *name,
                    uint32_t need,
                    struct dn_err *err)
{
    struct catalog_relation r;
    struct dn_err ignored;
    int rc;

    if (session_relation(stmt->conn, stmt->catalog, name, &r, &ignored) < 0)
        return 0;
    rc = catalog_may(stmt->catalog, stmt->conn->role, &r, need, err);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

int privilege_columns(const struct dendro_stmt *stmt,
                      const struct qual_name *name,
                      const struct spec_name *columns,
                      uint32_t count,
                      uint32_t need,
                      struct dn_err *err)
{
    struct catalog_relation r;
    struct dn_err ignored;
    uint32_t left = 0;
    int rc;

    if (session_relation(stmt->conn, stmt->catalog, name, &r, &ignored) < 0)
        return 0;
    rc = catalog_may_columns(stmt->catalog, stmt->conn->role, &r, need, &left, err);
    if (rc == 0 && left && !columns)
        rc = catalog_may(stmt->catalog, stmt->conn->role, &r, need, err);
    for (uint32_t i = 0; rc == 0 && left && i < count; i++) {
        uint32_t column = catalog_relation_column(&r, columns[i].s);

        if (column) /* else that is the statement's own error */
            rc = catalog_may_column(stmt->catalog, stmt->conn->role, &r, column, need, err);
    }
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

int privilege_any(const struct dendro_stmt *stmt,
                  const struct qual_name *name,
                  uint32_t rights,
                  bool columns,
                  struct dn_err *err)
{
    struct catalog_relation r;
    struct dn_err ignored;
    int rc;

    if (session_relation(stmt->conn, stmt->catalog, name, &r, &ignored) < 0)
        return 0;
    rc = catalog_may_any(stmt->catalog, stmt->conn->role, &r, rights, columns, err);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

int privilege_owner(const struct dendro_stmt *stmt,
                    const struct qual_name *name,
                    struct dn_err *err)
{
    struct catalog_relation r;
    struct dn_err ignored;
    int rc;

    if (session_relation(stmt->conn, stmt->catalog, name, &r, &ignored) < 0)
        return 0;
    rc = catalog_must_own(stmt->catalog, stmt->conn->role, &r, err);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

int privilege_schema_owner(const struct dendro_stmt *stmt,
                           const struct qual_name *name,
                           struct dn_err *err)
{
    struct catalog_path path = session_path(stmt->conn);
    struct dn_err ignored;
    const struct schema_def *s = catalog_path_schema(stmt->catalog, &path, name->name, &ignored);
    struct access_object o = {.kind = ACCESS_SCHEMA, .schema = s ? s->name : ""};
    int rc;

    if (!s || s->temp || access_owns(stmt->catalog->access, stmt->conn->role, &o))
        return 0;
    rc = DN_FAIL(err, DN_E_DENIED, "must be owner of schema %s", s->name);
    dn_err_at(err, name->pos);
    return rc;
}

int privilege_create_in(const struct dendro_conn *conn,
                        const struct catalog *cat,
                        const char *schema,
                        struct dn_err *err)
{
    return catalog_may_schema(cat, conn->role, schema, PRIVILEGE_BIT(PRIVILEGE_CREATE), err);
}

int privilege_create_of(const struct dendro_stmt *stmt,
                        const struct qual_name *name,
                        bool table,
                        struct dn_err *err)
{
    struct catalog_path path = session_path(stmt->conn);
    struct dn_err ignored;
    const struct schema_def *s = catalog_path_schema(stmt->catalog, &path, name->schema, &ignored);
    int rc;

    if (!s || s->temp)
        return 0;
    rc = privilege_create_in(stmt->conn, stmt->catalog, s->name, err);
    if (rc == 0 && table)
        rc = catalog_may_schema(
            stmt->catalog, stmt->conn->role, s->name, PRIVILEGE_BIT(PRIVILEGE_USAGE), err);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

int privilege_create(const struct dendro_stmt *stmt,
                     const struct qual_name *name,
                     struct dn_err *err)
{
    return privilege_create_of(stmt, name, false, err);
}

int privilege_create_beside(const struct dendro_stmt *stmt,
                            const struct qual_name *name,
                            struct dn_err *err)
{
    struct catalog_relation r;
    struct dn_err ignored;

    if (session_relation(stmt->conn, stmt->catalog, name, &r, &ignored) < 0)
        return 0;
    return privilege_create_in(stmt->conn, stmt->catalog, catalog_relation_schema(&r), err);
}

int privilege_insert(const struct dendro_conn *conn,
                     const struct catalog *cat,
                     const struct table *t,
                     const uint16_t *cols,
                     uint32_t count,
                     struct dn_err *err)
{
    const uint32_t insert = PRIVILEGE_BIT(PRIVILEGE_INSERT);
    struct catalog_relation r = {.table = t};
    uint32_t left;
    int rc;

    if (!cols)
        return catalog_may(cat, conn->role, &r, insert, err);
    rc = catalog_may_columns(cat, conn->role, &r, insert, &left, err);
    for (uint32_t i = 0; rc == 0 && left && i < count; i++)
        rc = catalog_may_column(cat, conn->role, &r, t->columns[cols[i]].id, insert, err);
    return rc;
}

/* ---- statements ---- */

int privilege_names(const struct dendro_stmt *stmt,
                    const struct stmt *ast,
                    uint32_t need,
                    struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < ast->names_count; i++)
        rc = need ? privilege_table(stmt, &ast->names[i], need, err)
                  : privilege_owner(stmt, &ast->names[i], err);
    return rc;
}

int privilege_references(const struct dendro_stmt *stmt,
                         const struct constraint_def *defs,
                         uint32_t count,
                         struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct catalog_relation r = {.table = NULL};
        struct dn_err ignored;

        if (defs[i].kind != CONSTRAINT_FOREIGN)
            continue;
        if (defs[i].ref_columns) {
            rc = privilege_columns(stmt,
                                   &defs[i].ref_table,
                                   defs[i].ref_columns,
                                   defs[i].ref_columns_count,
                                   PRIVILEGE_BIT(PRIVILEGE_REFERENCES),
                                   err);
            continue;
        }
        DN_IGNORE(session_relation(stmt->conn,
                                   stmt->catalog,
                                   &defs[i].ref_table,
                                   &r,
                                   &ignored)); /* the statement's own error */
        for (uint16_t c = 0; rc == 0 && r.table && c < r.table->columns_count; c++) {
            struct spec_name key = {.s = r.table->columns[c].name};

            if (r.table->columns[c].key_pos > 0)
                rc = privilege_columns(
                    stmt, &defs[i].ref_table, &key, 1, PRIVILEGE_BIT(PRIVILEGE_REFERENCES), err);
        }
    }
    return rc;
}

int privilege_statement(const struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct stmt *ast = stmt_inner(stmt);

    return privilege_free(stmt->conn, stmt->catalog) ? 0
                                                     : stmt_ops_of(ast)->privilege(stmt, ast, err);
}

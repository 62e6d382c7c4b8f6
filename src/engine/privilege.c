/* SPDX-License-Identifier: Apache-2.0
 *
 * privilege.c: what statements need, kind by kind. */
#include "engine/privilege.h"

#include "catalog/access_check.h"
#include "catalog/access_edit.h"
#include "engine/names.h"

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

/* What is not there is the statement's own error. */
static int privilege_table(const struct dendro_stmt *stmt,
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

/* INSERT on the columns that get values (none are listed: on all), the rest on the whole. */
static int privilege_columns(const struct dendro_stmt *stmt,
                             const struct qual_name *name,
                             const struct spec_name *columns,
                             uint32_t count,
                             uint32_t need,
                             struct dn_err *err)
{
    const uint32_t insert = PRIVILEGE_BIT(PRIVILEGE_INSERT);
    struct catalog_relation r;
    struct dn_err ignored;
    uint32_t left = 0;
    int rc;

    if (session_relation(stmt->conn, stmt->catalog, name, &r, &ignored) < 0)
        return 0;
    rc = catalog_may(stmt->catalog, stmt->conn->role, &r, need & ~insert, err);
    if (rc == 0)
        rc = catalog_may_columns(stmt->catalog, stmt->conn->role, &r, insert, &left, err);
    if (rc == 0 && left && !columns)
        rc = catalog_may(stmt->catalog, stmt->conn->role, &r, insert, err);
    for (uint32_t i = 0; rc == 0 && left && i < count; i++) {
        uint32_t column = catalog_relation_column(&r, columns[i].s);

        if (column) /* else that is the statement's own error */
            rc = catalog_may_column(stmt->catalog, stmt->conn->role, &r, column, insert, err);
    }
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

static int
privilege_owner(const struct dendro_stmt *stmt, const struct qual_name *name, struct dn_err *err)
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

static int privilege_schema_owner(const struct dendro_stmt *stmt,
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

/* CREATE in the schema that the name says. */
static int
privilege_create(const struct dendro_stmt *stmt, const struct qual_name *name, struct dn_err *err)
{
    struct catalog_path path = session_path(stmt->conn);
    struct dn_err ignored;
    const struct schema_def *s = catalog_path_schema(stmt->catalog, &path, name->schema, &ignored);
    int rc;

    if (!s || s->temp)
        return 0;
    rc = catalog_may_schema(
        stmt->catalog, stmt->conn->role, s->name, PRIVILEGE_BIT(PRIVILEGE_CREATE), err);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

int privilege_insert(const struct dendro_conn *conn,
                     const struct catalog *cat,
                     const struct table *t,
                     struct dn_err *err)
{
    struct catalog_relation r = {.table = t};

    return catalog_may(cat, conn->role, &r, PRIVILEGE_BIT(PRIVILEGE_INSERT), err);
}

/* ---- statements ---- */

static int
privilege_copy(const struct dendro_stmt *stmt, const struct copy_stmt *c, struct dn_err *err)
{
    const char *dir = c->from ? "COPY from a file" : "COPY to a file";
    int rc;

    if (c->place != COPY_STDIO) {
        rc = DN_FAIL(err, DN_E_DENIED, "must be superuser to %s", dir);
        dn_err_hint(err,
                    "Anyone can COPY to stdout or from stdin. psql's \\copy command also works "
                    "for anyone.");
        return rc;
    }
    return c->from ? privilege_columns(stmt,
                                       &c->table,
                                       c->columns,
                                       c->columns_count,
                                       PRIVILEGE_BIT(PRIVILEGE_INSERT),
                                       err)
                   : 0;
}

static int privilege_insert_stmt(const struct dendro_stmt *stmt,
                                 const struct insert_stmt *s,
                                 struct dn_err *err)
{
    uint32_t need = PRIVILEGE_BIT(PRIVILEGE_INSERT);

    if (s->returning_count > 0 || s->conflict.action != CONFLICT_NONE)
        need |= PRIVILEGE_BIT(PRIVILEGE_SELECT);
    if (s->conflict.action == CONFLICT_UPDATE)
        need |= PRIVILEGE_BIT(PRIVILEGE_UPDATE);
    return privilege_columns(stmt, &s->table, s->columns, s->columns_count, need, err);
}

static int privilege_names(const struct dendro_stmt *stmt,
                           const struct stmt *ast,
                           uint32_t need, /* 0: must own */
                           struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < ast->names_count; i++)
        rc = need ? privilege_table(stmt, &ast->names[i], need, err)
                  : privilege_owner(stmt, &ast->names[i], err);
    return rc;
}

static int
privilege_create_table(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct qual_name name = {
        .schema = ast->create->schema.s, .name = ast->create->name.s, .pos = ast->create->name.pos};
    int rc = 0;

    if (ast->table_def->persistence != PERSIST_TEMP)
        rc = privilege_create(stmt, &name, err);
    for (uint32_t i = 0; rc == 0 && i < ast->table_def->likes_count; i++)
        rc = privilege_table(
            stmt, &ast->table_def->likes[i].table, PRIVILEGE_BIT(PRIVILEGE_SELECT), err);
    return rc;
}

static int
privilege_comment(const struct dendro_stmt *stmt, const struct comment_stmt *c, struct dn_err *err)
{
    if (c->object == OBJECT_INDEX || c->object == OBJECT_DATABASE || c->object == OBJECT_ROLE)
        return 0; /* index.c; nothing is kept of the others */
    return c->object == OBJECT_SCHEMA ? privilege_schema_owner(stmt, &c->name, err)
                                      : privilege_owner(stmt, &c->name, err);
}

static int
privilege_create_view(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc = 0;

    if (ast->view->persistence != PERSIST_TEMP)
        rc = privilege_create(stmt, &ast->name, err);
    return rc == 0 && ast->view->or_replace ? privilege_owner(stmt, &ast->name, err) : rc;
}

static int
privilege_timepart(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc;

    if (ast->timepart->what != TIMEPART_CREATE)
        return privilege_owner(stmt, &ast->name, err);
    rc = privilege_owner(stmt, &ast->timepart->shard, err);
    return rc < 0 ? rc : privilege_create(stmt, &ast->name, err);
}

/* Types belong to whom their schema belongs to. */
static int
privilege_type(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct catalog_path path = session_path(stmt->conn);
    uint32_t count = ast->type->what == TYPE_STMT_DROP ? ast->names_count : 1;
    int rc = ast->type->what == TYPE_STMT_CREATE ? privilege_create(stmt, &ast->name, err) : 0;

    for (uint32_t i = 0; rc == 0 && ast->type->what != TYPE_STMT_CREATE && i < count; i++) {
        const struct qual_name *name = ast->names_count ? &ast->names[i] : &ast->name;
        const struct user_type *t =
            catalog_type_find(stmt->catalog, &path, name->schema, name->name);
        struct qual_name schema = {.name = t ? t->schema : NULL, .pos = name->pos};

        if (t)
            rc = privilege_schema_owner(stmt, &schema, err);
    }
    if (rc == 0 && ast->type->what == TYPE_STMT_SET_SCHEMA) {
        struct qual_name to = {.schema = ast->type->to.s, .pos = ast->type->to.pos};

        rc = privilege_create(stmt, &to, err);
    }
    return rc;
}

static int
privilege_slabs(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    if (ast->slabs->what != SLABS_DROP)
        return DN_FAIL(err,
                       DN_E_DENIED,
                       "must be superuser to %s",
                       ast->slabs->what == SLABS_DETACH ? "detach partitions to a directory"
                                                        : "attach partitions from a directory");
    return privilege_owner(stmt, &ast->name, err);
}

static int privilege_new_schema(const struct dendro_stmt *stmt, struct dn_err *err)
{
    struct access_object db = {.kind = ACCESS_DATABASE};

    return access_privileges(stmt->catalog->access, stmt->conn->role, &db) &
                   PRIVILEGE_BIT(PRIVILEGE_CREATE)
               ? 0
               : DN_FAIL(err,
                         DN_E_DENIED,
                         "permission denied for database %s",
                         stmt->conn->functions.database);
}

int privilege_statement(const struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct stmt *ast = stmt_inner(stmt);

    if (privilege_free(stmt->conn, stmt->catalog))
        return 0;
    switch (ast->kind) {
    case STMT_INSERT:
        return privilege_insert_stmt(stmt, ast->insert, err);
    case STMT_COPY:
        return privilege_copy(stmt, ast->copy, err);
    case STMT_TRUNCATE:
        return privilege_names(stmt, ast, PRIVILEGE_BIT(PRIVILEGE_TRUNCATE), err);
    case STMT_ALTER:
        return ast->object == OBJECT_SCHEMA  ? privilege_schema_owner(stmt, &ast->name, err)
               : ast->object == OBJECT_INDEX ? 0 /* of its table: index.c */
                                             : privilege_owner(stmt, &ast->name, err);
    case STMT_DROP:
        return privilege_names(stmt, ast, 0, err);
    case STMT_COMMENT:
        return privilege_comment(stmt, ast->comment, err);
    case STMT_CREATE_TABLE:
        return privilege_create_table(stmt, ast, err);
    case STMT_CREATE_VIEW:
        return privilege_create_view(stmt, ast, err);
    case STMT_CREATE_SEQUENCE:
        return privilege_create(stmt, &ast->name, err);
    case STMT_ALTER_SEQUENCE:
        return privilege_owner(stmt, &ast->name, err);
    case STMT_TYPE:
        return privilege_type(stmt, ast, err);
    case STMT_SLABS:
        return privilege_slabs(stmt, ast, err);
    case STMT_TIMEPART:
        return privilege_timepart(stmt, ast, err);
    case STMT_CREATE_INDEX:
        return privilege_owner(stmt, &ast->index->table, err);
    case STMT_CREATE_SCHEMA:
        return privilege_new_schema(stmt, err);
    case STMT_DROP_SCHEMA:
        return privilege_schema_owner(stmt, &ast->name, err);
    case STMT_CHECKPOINT:
        return DN_FAIL(err, DN_E_DENIED, "must be superuser to do CHECKPOINT");
    default: /* reads (the planner asks), the session's own, or role.c and grant.c ask */
        return 0;
    }
}

/* ---- who owns what is new ---- */

static int privilege_own_schemas(const struct catalog *before,
                                 const struct catalog *next,
                                 uint32_t role,
                                 struct access *a,
                                 struct dn_err *err)
{
    struct dn_err ignored;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < next->schemas_count; i++) {
        struct access_object o = {.kind = ACCESS_SCHEMA, .schema = next->schemas[i].name};

        if (!catalog_schema(before, o.schema, &ignored) &&
            access_owned_by(a, &o) == ACCESS_FIRST) /* AUTHORIZATION may have said whose it is */
            rc = access_set_owner(a, &o, role, err);
    }
    return rc;
}

int privilege_own_new(const struct dendro_conn *conn,
                      const struct catalog *before,
                      struct catalog **next,
                      struct dn_err *err)
{
    uint64_t first = before->table_id_next;
    struct catalog *owned = NULL;
    struct access *a = NULL;
    int rc;

    if (conn->role == ACCESS_FIRST ||
        ((*next)->table_id_next == first && (*next)->schemas_count <= before->schemas_count))
        return 0;
    rc = access_copy((*next)->access, &a, err);
    for (uint64_t id = first; rc == 0 && id < (*next)->table_id_next; id++) {
        const struct sequence *s = catalog_sequence_by_id(*next, id);
        struct access_object o = {.kind = s ? ACCESS_SEQUENCE : ACCESS_RELATION, .id = id};

        /* A table that TRUNCATE gave another id has its owner already. */
        if ((catalog_table_by_id(*next, id) || catalog_view_by_id(*next, id) || s) &&
            !access_owns(a, conn->role, &o) && access_owned_by(a, &o) == ACCESS_FIRST)
            rc = access_set_owner(a, &o, conn->role, err);
    }
    if (rc == 0)
        rc = privilege_own_schemas(before, *next, conn->role, a, err);
    if (rc == 0)
        rc = catalog_with_access(*next, a, &owned, err);
    access_unref(a);
    catalog_unref(*next);
    *next = owned;
    return rc;
}

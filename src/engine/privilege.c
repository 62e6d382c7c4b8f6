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

/* A right on columns; none are listed: on all of them. */
static int privilege_columns(const struct dendro_stmt *stmt,
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

/* Any one of those rights on the relation, or on a column of it: PostgreSQL's rule for what
 * information_schema shows, and for LOCK TABLE. */
static int privilege_any(const struct dendro_stmt *stmt,
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

int privilege_create_in(const struct dendro_conn *conn,
                        const struct catalog *cat,
                        const char *schema,
                        struct dn_err *err)
{
    return catalog_may_schema(cat, conn->role, schema, PRIVILEGE_BIT(PRIVILEGE_CREATE), err);
}

/* CREATE in the schema that the name says; a table needs its use, too, as in PostgreSQL. */
static int privilege_create_of(const struct dendro_stmt *stmt,
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

static int
privilege_create(const struct dendro_stmt *stmt, const struct qual_name *name, struct dn_err *err)
{
    return privilege_create_of(stmt, name, false, err);
}

/* In the schema of a relation that is there already: another name, an index. */
static int privilege_create_beside(const struct dendro_stmt *stmt,
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

static int
privilege_copy(const struct dendro_stmt *stmt, const struct copy_stmt *c, struct dn_err *err)
{
    uint32_t files = c->from ? ACCESS_READ_FILES : ACCESS_WRITE_FILES;
    int rc;

    if (c->place != COPY_STDIO &&
        !access_inherits(stmt->catalog->access, stmt->conn->role, files)) {
        rc = DN_FAIL(err,
                     DN_E_DENIED,
                     "must be superuser or have privileges of the pg_%s_server_files role to COPY "
                     "%s a file",
                     c->from ? "read" : "write",
                     c->from ? "from" : "to");
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

/* ON CONFLICT looks for rows by the columns of its target, and DO UPDATE changes those of SET; what
 * expressions read is asked by the planner. */
static int
privilege_conflict(const struct dendro_stmt *stmt, const struct insert_stmt *s, struct dn_err *err)
{
    const uint32_t select = PRIVILEGE_BIT(PRIVILEGE_SELECT);
    const uint32_t update = PRIVILEGE_BIT(PRIVILEGE_UPDATE);
    const struct conflict_clause *c = &s->conflict;
    struct catalog_relation r = {.table = NULL};
    struct dn_err ignored;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < c->target_count; i++) {
        struct spec_name column = {.s = c->target[i].expr->name, .pos = c->target[i].expr->pos};

        if (column.s)
            rc = privilege_columns(stmt, &s->table, &column, 1, select, err);
    }
    if (c->constraint.s)
        DN_IGNORE(session_relation(
            stmt->conn, stmt->catalog, &s->table, &r, &ignored)); /* the statement's own error */
    for (uint16_t i = 0; rc == 0 && r.table && i < r.table->columns_count; i++) {
        struct spec_name column = {.s = r.table->columns[i].name};

        if (r.table->columns[i].key_pos > 0)
            rc = privilege_columns(stmt, &s->table, &column, 1, select, err);
    }
    for (uint32_t i = 0; rc == 0 && i < c->set_count; i++) {
        const struct set_item *set = &c->set[i];

        rc = privilege_columns(stmt,
                               &s->table,
                               set->columns ? set->columns : &set->column,
                               set->columns ? set->columns_count : 1,
                               update,
                               err);
    }
    return rc;
}

static int privilege_insert_stmt(const struct dendro_stmt *stmt,
                                 const struct insert_stmt *s,
                                 struct dn_err *err)
{
    /* DEFAULT VALUES gives no column a value: a right on any of them will do. */
    static const struct spec_name none;
    bool defaults = !s->columns && !s->query;
    int rc = privilege_columns(stmt,
                               &s->table,
                               defaults ? &none : s->columns,
                               defaults ? 0 : s->columns_count,
                               PRIVILEGE_BIT(PRIVILEGE_INSERT),
                               err);

    return rc < 0 ? rc : privilege_conflict(stmt, s, err);
}

/* As PostgreSQL: a reader may keep others from what readers are in the way of, and so on. */
static int
privilege_lock(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    const char *mode = ast->misc->lock_mode ? ast->misc->lock_mode : "ACCESS EXCLUSIVE";
    uint32_t rights = PRIVILEGE_BIT(PRIVILEGE_UPDATE) | PRIVILEGE_BIT(PRIVILEGE_DELETE) |
                      PRIVILEGE_BIT(PRIVILEGE_TRUNCATE);
    int rc = 0;

    if (strcmp(mode, "ACCESS SHARE") == 0)
        rights = PRIVILEGE_BIT(PRIVILEGE_SELECT);
    else if (strcmp(mode, "ROW EXCLUSIVE") == 0)
        rights |= PRIVILEGE_BIT(PRIVILEGE_INSERT);
    for (uint32_t i = 0; rc == 0 && i < ast->names_count; i++)
        rc = privilege_any(stmt, &ast->names[i], rights, false, err);
    return rc;
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

/* REFERENCES on the columns that foreign keys name. */
static int privilege_references(const struct dendro_stmt *stmt,
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

static int
privilege_create_table(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
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

/* The owner's; another name or schema needs CREATE there, a foreign key REFERENCES. */
static int
privilege_alter(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc;

    if (ast->object == OBJECT_SCHEMA)
        return privilege_schema_owner(stmt, &ast->name, err);
    if (ast->object == OBJECT_INDEX)
        return 0; /* of its table: index.c */
    rc = privilege_owner(stmt, &ast->name, err);
    for (uint32_t i = 0; rc == 0 && ast->alter && i < ast->alter->actions_count; i++) {
        const struct alter_action *a = &ast->alter->actions[i];
        struct qual_name to = {.schema = a->to.s, .pos = a->to.pos};

        if (a->kind == ALTER_RENAME_TABLE)
            rc = privilege_create_beside(stmt, &ast->name, err);
        else if (a->kind == ALTER_SET_SCHEMA)
            rc = privilege_create(stmt, &to, err);
        else
            rc = privilege_references(stmt, a->constraints, a->constraints_count, err);
    }
    return rc;
}

static int
privilege_comment(const struct dendro_stmt *stmt, const struct comment_stmt *c, struct dn_err *err)
{
    const struct role *self = access_role_by_id(stmt->catalog->access, stmt->conn->role);

    if (c->object == OBJECT_INDEX)
        return 0; /* index.c */
    if (c->object == OBJECT_DATABASE)
        return DN_FAIL(
            err, DN_E_DENIED, "must be owner of database %s", stmt->conn->functions.database);
    if (c->object == OBJECT_ROLE)
        return self && (self->attrs & ROLE_CREATEROLE)
                   ? 0
                   : DN_FAIL(err, DN_E_DENIED, "must have CREATEROLE privilege");
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

static int privilege_checkpoint(const struct dendro_stmt *stmt, struct dn_err *err)
{
    return access_inherits(stmt->catalog->access, stmt->conn->role, ACCESS_CHECKPOINT)
               ? 0
               : DN_FAIL(err,
                         DN_E_DENIED,
                         "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT");
}

static int
privilege_index(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc = privilege_owner(stmt, &ast->index->table, err);

    return rc < 0 ? rc : privilege_create_beside(stmt, &ast->index->table, err);
}

/* Each kind has its line: a new one does not compile without. */
static int
privilege_kind(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    switch (ast->kind) {
    case STMT_INSERT:
        return privilege_insert_stmt(stmt, ast->insert, err);
    case STMT_COPY:
        return privilege_copy(stmt, ast->copy, err);
    case STMT_TRUNCATE:
        return privilege_names(stmt, ast, PRIVILEGE_BIT(PRIVILEGE_TRUNCATE), err);
    case STMT_ALTER:
    case STMT_ALTER_SEQUENCE:
        return privilege_alter(stmt, ast, err);
    case STMT_DROP:
        return privilege_names(stmt, ast, 0, err);
    case STMT_COMMENT:
        return privilege_comment(stmt, ast->comment, err);
    case STMT_CREATE_TABLE:
        return privilege_create_table(stmt, ast, err);
    case STMT_CREATE_VIEW:
        return privilege_create_view(stmt, ast, err);
    case STMT_CREATE_SEQUENCE:
        return ast->sequence && ast->sequence->temp ? 0 : privilege_create(stmt, &ast->name, err);
    case STMT_TYPE:
        return privilege_type(stmt, ast, err);
    case STMT_SLABS:
        return privilege_slabs(stmt, ast, err);
    case STMT_TIMEPART:
        return privilege_timepart(stmt, ast, err);
    case STMT_CREATE_INDEX:
        return privilege_index(stmt, ast, err);
    case STMT_CREATE_SCHEMA:
        return privilege_new_schema(stmt, err);
    case STMT_DROP_SCHEMA:
        return privilege_schema_owner(stmt, &ast->name, err);
    case STMT_CHECKPOINT:
        return privilege_checkpoint(stmt, err);
    case STMT_LOCK:
        return privilege_lock(stmt, ast, err);
    case STMT_DESCRIBE: /* what information_schema would say */
    case STMT_SHOW_CREATE_TABLE:
    case STMT_SHOW_TABLE_STATUS:
        return privilege_any(stmt, &ast->name, ~0u, true, err);
    case STMT_SHOW_PARTITIONS: /* times and numbers of rows */
        return privilege_table(stmt, &ast->name, PRIVILEGE_BIT(PRIVILEGE_SELECT), err);
    case STMT_SELECT: /* the planner asks for each table and column that is read or changed */
    case STMT_UPDATE:
    case STMT_DELETE:
    case STMT_MERGE: /* so do the statements it stands for */
    case STMT_DECLARE:
    case STMT_FETCH:
    case STMT_PREPARE: /* and again when it is executed */
    case STMT_EXECUTE:
    case STMT_ROLE: /* role.c and grant.c ask */
    case STMT_GRANT:
    case STMT_SET: /* session_settings.c and configure.c ask */
    case STMT_SHOW_SETTING:
    case STMT_SHOW_TABLES: /* show.c leaves out what the role may not see */
    case STMT_EMPTY:       /* the session's own, or nothing that is not for all */
    case STMT_USE:
    case STMT_SHOW_SCHEMAS:
    case STMT_TRANSACTION:
    case STMT_DEALLOCATE:
    case STMT_CLOSE:
    case STMT_DISCARD:
    case STMT_CHANNEL:
    case STMT_MAINTAIN: /* which does nothing */
        return 0;
    case STMT_EXPLAIN: /* stmt_inner is what it explains */
    case STMT_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown kind of statement: %d", (int)ast->kind);
}

int privilege_statement(const struct dendro_stmt *stmt, struct dn_err *err)
{
    return privilege_free(stmt->conn, stmt->catalog) ? 0
                                                     : privilege_kind(stmt, stmt_inner(stmt), err);
}

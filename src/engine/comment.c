/* SPDX-License-Identifier: Apache-2.0
 *
 * comment.c: COMMENT ON: one edit of the catalog. Of databases, roles and primary keys nothing is
 * kept, which a warning says: dumps of PostgreSQL have them. */
#include "catalog/access_check.h"
#include "catalog/table_constraint.h"
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/stmt_ops.h"

static int comment_table(const struct catalog *cur,
                         const struct table *was,
                         const struct comment_stmt *c,
                         struct catalog **ret_next,
                         struct dn_err *err)
{
    struct table *t;
    int rc = table_copy(was, &t, err);

    if (rc < 0)
        return rc;
    if (c->object == OBJECT_CONSTRAINT)
        rc = table_set_constraint_comment(t, &c->sub, c->text, err);
    else if (c->object == OBJECT_INDEX)
        rc = table_set_constraint_comment(
            t, &(struct spec_name){.s = c->name.name, .pos = c->name.pos}, c->text, err);
    else
        rc = table_set_comment(t, c->object == OBJECT_COLUMN ? &c->sub : NULL, c->text, err);
    if (rc == 0)
        rc = catalog_with_changed_table(cur, t, false, ret_next, err);
    table_unref(t);
    return rc;
}

static int comment_view(const struct catalog *cur,
                        const struct view *was,
                        const struct comment_stmt *c,
                        struct catalog **ret_next,
                        struct dn_err *err)
{
    struct view *v;
    int rc = view_copy(was, &v, err);

    if (rc < 0)
        return rc;
    mem_free(v->comment);
    v->comment = c->text ? mem_strdup(NULL, c->text) : NULL;
    rc = c->text && !v->comment ? DN_FAIL_NOMEM(err) : catalog_with_view(cur, v, ret_next, err);
    view_unref(v);
    return rc;
}

static int comment_sequence(const struct catalog *cur,
                            const struct sequence *was,
                            const struct comment_stmt *c,
                            struct catalog **ret_next,
                            struct dn_err *err)
{
    struct sequence *s;
    int rc = catalog_sequence_copy(was, NULL, NULL, &s, err);

    if (rc < 0)
        return rc;
    mem_free(s->comment);
    s->comment = c->text ? mem_strdup(NULL, c->text) : NULL;
    rc = c->text && !s->comment ? DN_FAIL_NOMEM(err) : catalog_with_sequence(cur, s, ret_next, err);
    catalog_sequence_unref(s);
    return rc;
}

/* The index, or DN_NOT_FOUND: it goes with a constraint or the key, which has the comment. */
static int comment_index(struct dendro_stmt *stmt,
                         const struct catalog *cur,
                         struct catalog **ret_next,
                         struct dn_err *err)
{
    const struct comment_stmt *c = stmt->ast->comment;
    const struct table *t = NULL;
    struct catalog_relation r;
    int rc;

    if (!session_index(stmt->conn, cur, &c->name, &t, err)) {
        for (size_t i = 0; err->code == DN_E_UNDEFINED_OBJECT && i < cur->tables_count; i++)
            if (table_is_key_name(cur->tables[i], c->name.name) ||
                table_constraint_find(cur->tables[i], c->name.name))
                return DN_NOT_FOUND;
        return err->code;
    }
    r = (struct catalog_relation){.table = t};
    rc = catalog_must_own(cur, stmt->conn->role, &r, err);
    return rc < 0 ? rc : comment_table(cur, t, c, ret_next, err);
}

/* DN_NOT_FOUND: nothing is kept. */
static int
comment_other(const struct catalog *cur, const struct comment_stmt *c, struct dn_err *err)
{
    if (c->object == OBJECT_ROLE && !access_role(cur->access, c->name.name))
        return DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "role \"%.255s\" does not exist", c->name.name);
    if (c->object == OBJECT_DATABASE && strcmp(c->name.name, "dendro") != 0)
        return DN_FAIL(
            err, DN_E_UNDEFINED_OBJECT, "database \"%.255s\" does not exist", c->name.name);
    return DN_NOT_FOUND;
}

static int
comment_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    const struct comment_stmt *c = stmt->ast->comment;
    struct catalog_path path = session_path(stmt->conn);
    struct catalog_relation r;
    int rc;

    if (c->object == OBJECT_SCHEMA) {
        const struct schema_def *s = catalog_path_schema(cur, &path, c->name.name, err);

        rc = s ? catalog_with_comment(cur, s->name, c->text, ret_next, err) : err->code;
    } else if (c->object == OBJECT_INDEX) {
        rc = comment_index(stmt, cur, ret_next, err);
    } else if (c->object == OBJECT_ROLE || c->object == OBJECT_DATABASE) {
        rc = comment_other(cur, c, err);
    } else {
        rc = session_relation(stmt->conn, cur, &c->name, &r, err);
        if (rc == 0 && c->object == OBJECT_TABLE && !r.table)
            rc =
                DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a table", catalog_relation_name(&r));
        else if (rc == 0 && c->object == OBJECT_VIEW && !r.view)
            rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a view", catalog_relation_name(&r));
        else if (rc == 0 && c->object == OBJECT_SEQUENCE && !r.sequence)
            rc = DN_FAIL(
                err, DN_E_WRONG_OBJECT, "\"%s\" is not a sequence", catalog_relation_name(&r));
        else if (rc == 0 && c->object == OBJECT_CONSTRAINT && !r.table)
            rc =
                DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a table", catalog_relation_name(&r));
        else if (rc == 0 && c->object == OBJECT_CONSTRAINT && table_is_key_name(r.table, c->sub.s))
            rc = DN_NOT_FOUND;
        else if (rc == 0 && c->object == OBJECT_COLUMN && r.sequence)
            rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a table", r.sequence->name);
        else if (rc == 0 && c->object == OBJECT_COLUMN && r.view)
            rc = DN_FAIL(err, DN_E_UNSUPPORTED, "columns of views have no comments");
        if (rc == 0)
            rc = r.table  ? comment_table(cur, r.table, c, ret_next, err)
                 : r.view ? comment_view(cur, r.view, c, ret_next, err)
                          : comment_sequence(cur, r.sequence, c, ret_next, err);
    }
    if (rc < 0 && err->position == 0)
        dn_err_at(err, c->name.pos);
    return rc;
}

static int stmt_run_comment(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct comment_stmt *c = stmt->ast->comment;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0 && c->text && strlen(c->text) > TABLE_COMMENT_MAX)
        rc = DN_FAIL(err,
                     DN_E_TOO_LONG,
                     "the comment has %zu bytes, the most is %u",
                     strlen(c->text),
                     TABLE_COMMENT_MAX);
    if (rc == 0)
        rc = tx_edit(stmt->conn, comment_edit, stmt, err);
    if (rc == DN_NOT_FOUND && c->text)
        session_notice(
            stmt->conn,
            "WARNING",
            "the comment is not kept: only tables, columns, constraints, indexes, views, "
            "sequences and schemas have one");
    return rc < 0 ? rc : 0;
}

/* ---- the row of COMMENT ---- */

static int
comment_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    const struct comment_stmt *c = ast->comment;
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

STMT_NAME(comment, "COMMENT")
STMT_OPS(comment,
         stmt_name_comment,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         comment_privilege,
         stmt_compile_nothing,
         stmt_run_comment);

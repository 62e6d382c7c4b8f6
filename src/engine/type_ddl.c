/* SPDX-License-Identifier: Apache-2.0
 *
 * type_ddl.c: CREATE TYPE … AS ENUM, ALTER TYPE and DROP TYPE, each one edit of the catalog. No row
 * is looked at: values are numbers that labels have for ever (catalog/usertype.h). What the catalog
 * keeps as text names types; so one that a text names is neither renamed nor moved. */
#include "engine/type_ddl.h"

#include "engine/names.h"
#include "engine/privilege.h"
#include "engine/stmt_ops.h"
#include "plan/stored.h"
#include "sql/sql.h"

#include <stdio.h>

/* ---- how the parser finds them ---- */

static bool type_found(const struct user_type *t, struct arena *arena, struct type_name *ret)
{
    if (!t)
        return false;
    ret->schema = arena_strndup(arena, t->schema, strlen(t->schema));
    ret->name = arena_strndup(arena, t->name, strlen(t->name));
    ret->type = type_enum(t->number);
    return ret->schema && ret->name;
}

bool session_find_type(
    void *arg, const char *schema, const char *name, struct arena *arena, struct type_name *ret)
{
    struct dendro_conn *conn = arg;
    struct catalog *cat = tx_catalog(conn);
    struct catalog_path path = session_path(conn);
    bool found = type_found(catalog_type_find(cat, &path, schema, name), arena, ret);

    catalog_unref(cat);
    return found;
}

/* ---- what uses them ---- */

struct type_use {
    const struct catalog *cat;
    uint32_t number;
    const char *literal; /* this text is looked for instead: a label in quotes */
    bool found;
};

/* As the parser asks: names in texts of the catalog have their schema. */
static bool type_use_find(
    void *arg, const char *schema, const char *name, struct arena *arena, struct type_name *ret)
{
    struct type_use *u = arg;
    const struct user_type *t = schema ? catalog_type_in(u->cat, schema, name) : NULL;

    u->found = u->found || (t && t->number == u->number);
    return type_found(t, arena, ret);
}

static int type_use_text(
    struct type_use *u, const char *before, const char *text, bool *ret, struct dn_err *err)
{
    struct sql_types types = {.find = type_use_find, .arg = u};
    struct dn_err ignored;
    struct stmt *ast = NULL;
    struct sql_text t;
    struct arena arena;
    const char *sql;
    int rc;

    if (u->literal) {
        *ret = strstr(text, u->literal) != NULL;
        return 0;
    }
    arena_init(&arena, NULL);
    sql = arena_printf(&arena, "%s%s", before, text);
    if (sql) {
        sql_text_init(&t, sql, strlen(sql));
        t.types = &types;
        u->found = false;
    }
    rc = sql ? sql_parse(&t, &arena, &ast, &ignored) : DN_E_NOMEM;
    arena_done(&arena);
    *ret = u->found;
    return rc == DN_E_NOMEM ? DN_FAIL_NOMEM(err) : 0;
}

static int type_use_table(
    struct type_use *u, const struct table *t, char *to, size_t size, bool *ret, struct dn_err *err)
{
    int rc = 0;

    for (uint16_t i = 0; rc == 0 && !*ret && i < t->columns_count; i++) {
        if (t->columns[i].def_sql)
            rc = type_use_text(u, "SELECT ", t->columns[i].def_sql, ret, err);
        if (rc == 0 && *ret)
            snprintf(
                to, size, "default value for column %s of table %s", t->columns[i].name, t->name);
    }
    for (uint16_t i = 0; rc == 0 && !*ret && i < t->constraints_count; i++) {
        if (t->constraints[i].kind == TABLE_CHECK)
            rc = type_use_text(u, "SELECT ", t->constraints[i].text, ret, err);
        if (rc == 0 && *ret)
            snprintf(to, size, "constraint %s of table %s", t->constraints[i].name, t->name);
    }
    return rc;
}

/* Has a column or a view values of it? */
static bool type_use_values(const struct catalog *cat, uint32_t number, char *to, size_t size)
{
    for (size_t i = 0; i < cat->tables_count; i++)
        for (uint16_t k = 0; k < cat->tables[i]->columns_count; k++)
            if (TYPE_NUMBER(cat->tables[i]->columns[k].type) == number) {
                snprintf(to,
                         size,
                         "column %s of table %s",
                         cat->tables[i]->columns[k].name,
                         cat->tables[i]->name);
                return true;
            }
    for (size_t i = 0; i < cat->views_count; i++)
        for (uint32_t k = 0; k < cat->views[i]->columns_count; k++)
            if (TYPE_NUMBER(cat->views[i]->columns[k].type) == number) {
                snprintf(to, size, "view %s", cat->views[i]->name);
                return true;
            }
    return false;
}

static int type_use_texts(struct type_use *u, char *to, size_t size, struct dn_err *err)
{
    bool found = false;
    int rc = 0;

    for (size_t i = 0; rc == 0 && !found && i < u->cat->tables_count; i++)
        rc = type_use_table(u, u->cat->tables[i], to, size, &found, err);
    for (size_t i = 0; rc == 0 && !found && i < u->cat->views_count; i++) {
        rc = type_use_text(u, "", u->cat->views[i]->query, &found, err);
        if (found)
            snprintf(to, size, "view %s", u->cat->views[i]->name);
    }
    return rc < 0 ? rc : found ? 2 : 0;
}

int ddl_type_used(
    const struct catalog *cat, uint32_t number, char *to, size_t size, struct dn_err *err)
{
    struct type_use u = {.cat = cat, .number = number};

    return type_use_values(cat, number, to, size) ? 1 : type_use_texts(&u, to, size, err);
}

/* ---- the statements ---- */

struct type_ddl {
    struct dendro_stmt *stmt;
    struct buf notices; /* lines; they are told when the edit is done */
};

static int type_missing(const struct qual_name *name, struct dn_err *err)
{
    int rc = name->schema
                 ? DN_FAIL(err,
                           DN_E_UNDEFINED_OBJECT,
                           "type \"%s.%s\" does not exist",
                           name->schema,
                           name->name)
                 : DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "type \"%s\" does not exist", name->name);

    dn_err_at(err, name->pos);
    return rc;
}

static const struct user_type *
type_named(const struct type_ddl *d, const struct catalog *cur, const struct qual_name *name)
{
    struct catalog_path path = session_path(d->stmt->conn);

    return catalog_type_find(cur, &path, name->schema, name->name);
}

/* One that is to be changed, nobody else's yet. */
static int type_own(const struct type_ddl *d,
                    const struct catalog *cur,
                    const char *schema,
                    const char *name,
                    struct user_type **ret,
                    struct dn_err *err)
{
    const struct user_type *t = type_named(d, cur, &d->stmt->ast->name);

    return t ? catalog_type_copy(t, schema, name, ret, err)
             : type_missing(&d->stmt->ast->name, err);
}

static int
type_create(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct type_ddl *d = arg;
    const struct stmt *ast = d->stmt->ast;
    struct catalog_path path = session_path(d->stmt->conn);
    const struct spec_name given = {.s = ast->name.schema, .pos = ast->name.pos};
    const struct schema_def *schema = NULL;
    struct user_type *t;
    bool temp;
    int rc = 0;

    if (!session_temp_wanted(d->stmt->conn, cur, &given, PERSIST_PERMANENT, &temp, err))
        return err->code;
    if (temp)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "there are no temporary types");
    if (rc == 0)
        schema = catalog_path_schema(cur, &path, ast->name.schema, err);
    if (rc == 0 && !schema)
        rc = err->code;
    if (rc < 0) {
        dn_err_at(err, ast->name.pos);
        return rc;
    }
    t = catalog_type_new(schema->name, ast->name.name);
    if (!t)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < ast->type->labels_count; i++) {
        struct user_label_spec spec = {.name = ast->type->labels[i].s,
                                       .of = ast->type->labels_count};

        rc = catalog_type_add(t, &spec, err);
        if (rc < 0)
            dn_err_at(err, ast->type->labels[i].pos);
    }
    if (rc == 0) {
        rc = catalog_with_type(cur, t, ret_next, err);
        if (rc < 0)
            dn_err_at(err, ast->name.name_pos);
    }
    catalog_type_unref(t);
    return rc;
}

/* Texts of the catalog stay as they are: what they name must be called so. literal: a label. */
static int type_check_texts(const struct catalog *cur,
                            const struct user_type *t,
                            const char *literal,
                            struct dn_err *err)
{
    struct type_use u = {.cat = cur, .number = t->number, .literal = literal};
    char what[2 * TABLE_NAME_MAX + 64];
    int rc = type_use_texts(&u, what, sizeof(what), err);

    if (rc <= 0)
        return rc;
    rc = DN_FAIL(err,
                 DN_E_UNSUPPORTED,
                 "%s cannot be called otherwise: %s names it",
                 literal ? literal : t->name,
                 what);
    dn_err_hint(err, "Drop that first, and make it again afterwards.");
    return rc;
}

static int type_label_rename(struct type_ddl *d,
                             const struct catalog *cur,
                             struct user_type *t,
                             struct dn_err *err)
{
    const struct type_stmt *s = d->stmt->ast->type;
    struct buf b;
    int rc = catalog_type_rename_label(t, s->labels[0].s, s->to.s, err);

    buf_init(&b, &d->stmt->owner);
    table_print_text(s->labels[0].s, &b);
    buf_u8(&b, '\0');
    if (rc == 0)
        rc = b.failed ? DN_FAIL_NOMEM(err) : type_check_texts(cur, t, (const char *)b.data, err);
    buf_done(&b);
    return rc;
}

static int type_label_edit(struct type_ddl *d,
                           const struct catalog *cur,
                           struct user_type *t,
                           struct dn_err *err)
{
    const struct type_stmt *s = d->stmt->ast->type;
    struct user_label_spec spec = {.name = s->labels[0].s,
                                   .neighbor = s->neighbor.s,
                                   .after = s->after,
                                   .if_missing = d->stmt->ast->if_not_exists};
    int rc;

    if (s->what == TYPE_STMT_RENAME_VALUE)
        rc = type_label_rename(d, cur, t, err);
    else
        rc = catalog_type_add(t, &spec, err);
    if (rc == DN_NOT_FOUND)
        buf_printf(&d->notices, "enum label \"%s\" already exists, skipping\n", spec.name);
    if (rc < 0)
        dn_err_at(err, s->labels[0].pos);
    return rc;
}

static int
type_labels(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct type_ddl *d = arg;
    struct user_type *t;
    int rc = type_own(d, cur, NULL, NULL, &t, err);

    if (rc < 0)
        return rc;
    d->notices.len = 0;
    rc = type_label_edit(d, cur, t, err);
    if (rc == 0)
        rc = catalog_with_type(cur, t, ret_next, err);
    catalog_type_unref(t);
    return rc;
}

static int
type_rename(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct type_ddl *d = arg;
    const struct type_stmt *s = d->stmt->ast->type;
    bool moves = s->what == TYPE_STMT_SET_SCHEMA;
    const struct schema_def *schema = moves ? catalog_schema(cur, s->to.s, err) : NULL;
    struct user_type *t;
    int rc = moves && !schema ? err->code : 0;

    if (rc == 0)
        rc = type_own(d, cur, schema ? schema->name : NULL, moves ? NULL : s->to.s, &t, err);
    if (rc < 0)
        return rc;
    rc = type_check_texts(cur, t, NULL, err);
    if (rc == 0)
        rc = catalog_with_type(cur, t, ret_next, err);
    catalog_type_unref(t);
    if (rc < 0)
        dn_err_at(err, s->to.pos);
    return rc;
}

/* A type belongs to whom its schema belongs to: OWNER TO, as dumps have it, changes nothing. */
static int type_owner(void *arg,
                      const struct catalog *cur,
                      struct catalog **ret_next DN_UNUSED,
                      struct dn_err *err)
{
    struct type_ddl *d = arg;
    const struct stmt *ast = d->stmt->ast;
    const struct user_type *t = type_named(d, cur, &ast->name);
    struct access_object o = {.kind = ACCESS_SCHEMA, .schema = t ? t->schema : ""};
    uint32_t role = 0;
    int rc = t ? 0 : type_missing(&ast->name, err);

    if (rc == 0)
        rc = privilege_role(d->stmt->conn, cur->access, &ast->type->to, false, &role, err);
    if (rc < 0)
        return rc;
    d->notices.len = 0;
    if (access_owned_by(cur->access, &o) != role)
        buf_printf(&d->notices,
                   "type \"%s\" belongs to the owner of schema \"%s\", as all types in it do\n",
                   t->name,
                   t->schema);
    return DN_NOT_FOUND;
}

static int type_refuse_used(const struct catalog *cur,
                            const struct user_type *t,
                            bool cascade,
                            struct dn_err *err)
{
    char what[2 * TABLE_NAME_MAX + 64];
    int rc = ddl_type_used(cur, t->number, what, sizeof(what), err);

    if (rc <= 0)
        return rc;
    if (cascade) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "DROP TYPE %s CASCADE does not drop what uses the type: %s",
                     t->name,
                     what);
        dn_err_hint(err, "Drop that first.");
        return rc;
    }
    return DN_FAIL(err,
                   DN_E_DEPENDENT,
                   "cannot drop type %s because other objects depend on it: %s depends on type %s",
                   t->name,
                   what,
                   t->name);
}

static int
type_drop(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct type_ddl *d = arg;
    const struct stmt *ast = d->stmt->ast;
    uint32_t *numbers = arena_calloc(&d->stmt->run, ast->names_count, sizeof(*numbers));
    size_t count = 0;
    int rc = numbers ? 0 : DN_FAIL_NOMEM(err);

    d->notices.len = 0;
    for (uint32_t i = 0; rc == 0 && i < ast->names_count; i++) {
        const struct user_type *t = type_named(d, cur, &ast->names[i]);

        if (!t && ast->if_exists) {
            buf_printf(&d->notices, "type \"%s\" does not exist, skipping\n", ast->names[i].name);
            continue;
        }
        rc = t ? type_refuse_used(cur, t, ast->behavior == DROP_CASCADE, err)
               : type_missing(&ast->names[i], err);
        if (rc < 0)
            dn_err_at(err, ast->names[i].pos);
        else
            numbers[count++] = t->number;
    }
    if (rc == 0 && count == 0)
        return DN_NOT_FOUND;
    return rc < 0 ? rc : catalog_without_types(cur, numbers, count, ret_next, err);
}

static int stmt_run_type(struct dendro_stmt *stmt, struct dn_err *err)
{
    static int (*const edits[TYPE_STMT_MAX])(
        void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err) = {
        [TYPE_STMT_CREATE] = type_create,
        [TYPE_STMT_ADD_VALUE] = type_labels,
        [TYPE_STMT_RENAME_VALUE] = type_labels,
        [TYPE_STMT_RENAME] = type_rename,
        [TYPE_STMT_SET_SCHEMA] = type_rename,
        [TYPE_STMT_OWNER] = type_owner,
        [TYPE_STMT_DROP] = type_drop,
    };
    struct type_ddl d = {.stmt = stmt};
    const char *at;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    buf_init(&d.notices, &stmt->owner);
    rc = tx_edit(stmt->conn, edits[stmt->ast->type->what], &d, err);
    buf_u8(&d.notices, '\0');
    at = rc >= 0 && !d.notices.failed ? (const char *)d.notices.data : "";
    for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1)
        session_notice(stmt->conn, "NOTICE", "%.*s", (int)(end - at), at);
    buf_done(&d.notices);
    return rc < 0 ? rc : 0;
}

/* ---- with their schema ---- */

int ddl_types_drop(const char *schema, struct catalog **cat, struct dn_err *err)
{
    for (size_t i = 0; i < (*cat)->types_count;) {
        const struct user_type *t = (*cat)->types[i];
        struct catalog *next = NULL;
        int rc;

        if (strcmp(t->schema, schema) != 0) {
            i++;
            continue;
        }
        rc = type_refuse_used(*cat, t, false, err);
        if (rc == 0)
            rc = catalog_without_types(*cat, &t->number, 1, &next, err);
        if (rc < 0)
            return rc;
        catalog_unref(*cat);
        *cat = next;
    }
    return 0;
}

int ddl_types_move(const char *was, const char *now, struct catalog **cat, struct dn_err *err)
{
    for (size_t i = 0; i < (*cat)->types_count;) {
        const struct user_type *t = (*cat)->types[i];
        struct catalog *next = NULL;
        struct user_type *moved;
        int rc;

        if (strcmp(t->schema, was) != 0) {
            i++;
            continue;
        }
        rc = type_check_texts(*cat, t, NULL, err);
        if (rc == 0)
            rc = catalog_type_copy(t, now, NULL, &moved, err);
        if (rc < 0)
            return rc;
        rc = catalog_with_type(*cat, moved, &next, err);
        catalog_type_unref(moved);
        if (rc < 0)
            return rc;
        catalog_unref(*cat);
        *cat = next;
        i = 0;
    }
    return 0;
}

/* ---- the row of CREATE, ALTER and DROP TYPE ---- */

/* Types belong to whom their schema belongs to. */
static int
type_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
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

static const char *type_stmt_name(const struct stmt *ast)
{
    return ast->type->what == TYPE_STMT_CREATE ? "CREATE TYPE"
           : ast->type->what == TYPE_STMT_DROP ? "DROP TYPE"
                                               : "ALTER TYPE";
}

STMT_OPS(type,
         type_stmt_name,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         type_privilege,
         stmt_compile_nothing,
         stmt_run_type);

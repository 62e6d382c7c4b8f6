/* SPDX-License-Identifier: Apache-2.0
 *
 * role.c: CREATE, ALTER and DROP ROLE, OWNER TO, … OWNED BY: edits of the catalog's access part. */
#include "catalog/access_check.h"
#include "catalog/access_edit.h"
#include "engine/names.h"
#include "engine/role_options.h"
#include "engine/stmt_ops.h"

#include <stdio.h>
#include <strings.h>

static const char *role_name(const struct stmt *ast)
{
    static const char *const tags[] = {[ROLE_ACTION_CREATE] = "CREATE ROLE",
                                       [ROLE_ACTION_ALTER] = "ALTER ROLE",
                                       [ROLE_ACTION_RENAME] = "ALTER ROLE",
                                       [ROLE_ACTION_SET] = "ALTER ROLE",
                                       [ROLE_ACTION_DROP] = "DROP ROLE",
                                       [ROLE_ACTION_DROP_OWNED] = "DROP OWNED",
                                       [ROLE_ACTION_REASSIGN] = "REASSIGN OWNED",
                                       [ROLE_ACTION_OWNER] = "ALTER TABLE"};

    if (ast->role->action == ROLE_ACTION_OWNER && ast->object == OBJECT_VIEW)
        return "ALTER VIEW";
    if (ast->role->action == ROLE_ACTION_OWNER && ast->object == OBJECT_SEQUENCE)
        return "ALTER SEQUENCE";
    if (ast->role->action == ROLE_ACTION_OWNER && ast->object == OBJECT_SCHEMA)
        return "ALTER SCHEMA";
    return tags[ast->role->action];
}

/* ---- who may ---- */

/* May the session change roles, this one among them (0: make one)? */
static int role_may(const struct role_edit *e,
                    const struct access *a,
                    const struct role *target,
                    const char *what,
                    struct dn_err *err)
{
    const struct dendro_conn *conn = e->stmt->conn;
    const struct role *self = access_role_by_id(a, conn->role);

    if (self && (self->attrs & ROLE_SUPERUSER))
        return 0;
    if (target && (target->attrs & ROLE_SUPERUSER))
        return DN_FAIL(err, DN_E_DENIED, "must be superuser to %s superusers", what);
    if (self && (self->attrs & ROLE_CREATEROLE))
        return 0;
    return DN_FAIL(err, DN_E_DENIED, "permission denied to %s role", what);
}

static int role_check_name(const struct spec_name *name, struct dn_err *err)
{
    int rc = 0;

    if (strlen(name->s) > TABLE_NAME_MAX || name->s[0] == '\0')
        rc = DN_FAIL(err, DN_E_BAD_NAME, "a role's name has 1 to %u bytes", TABLE_NAME_MAX);
    else if (strncmp(name->s, "pg_", 3) == 0)
        rc = DN_FAIL(err,
                     DN_E_RESERVED_NAME,
                     "role name \"%s\" is reserved: the prefix \"pg_\" is the system's",
                     name->s);
    else if (strcasecmp(name->s, "public") == 0 || strcasecmp(name->s, "none") == 0)
        rc = DN_FAIL(err, DN_E_RESERVED_NAME, "role name \"%s\" is reserved", name->s);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

/* ---- CREATE, ALTER ---- */

static int role_put_lists(struct role_edit *e,
                          const struct role_options *o,
                          uint32_t id,
                          struct access *a,
                          struct dn_err *err)
{
    int rc = 0;

    for (uint32_t l = 0; rc == 0 && l < DN_ARRAY_SIZE(o->lists); l++)
        for (uint32_t i = o->lists[l].from; rc == 0 && i < o->lists[l].to; i += 2) {
            struct role_member m = {.admin = l == ROLE_LIST_ADMINS};
            uint32_t other = 0;

            rc = privilege_role(e->stmt->conn, a, &o->words[i].name, false, &other, err);
            m.role = l == ROLE_LIST_IN ? other : id;
            m.member = l == ROLE_LIST_IN ? id : other;
            if (rc == 0 && access_member(a, m.role, m.member) && !access_superuser(a, m.role)) {
                rc = DN_FAIL(err,
                             DN_E_BAD_GRANT,
                             "role \"%s\" is a member of role \"%s\"",
                             access_role_name(a, m.role),
                             access_role_name(a, m.member));
                dn_err_at(err, o->words[i].value_pos);
            }
            if (rc == 0)
                rc = access_put_member(a, m, err);
        }
    return rc;
}

/* Options into a role, which then goes into a. */
static int role_put(struct role_edit *e, struct role *role, struct access *a, struct dn_err *err)
{
    const struct role_stmt *s = e->stmt->ast->role;
    const struct role *self = access_role_by_id(a, e->stmt->conn->role);
    struct role_options o = {.words = s->words, .count = s->words_count, .role = role};
    uint32_t was = s->action == ROLE_ACTION_ALTER ? role->attrs : 0;
    char *kept = role->verifier;
    uint32_t id = 0;
    int rc = 0;

    rc = role_take_all(&o, e, err);
    if (rc < 0)
        return rc;
    if (((role->attrs ^ was) & (ROLE_SUPERUSER | ROLE_REPLICATION | ROLE_BYPASSRLS)) &&
        !(self && (self->attrs & ROLE_SUPERUSER)))
        return DN_FAIL(err, DN_E_DENIED, "must be superuser to change superuser attribute");
    if (role->id == ACCESS_FIRST && !(role->attrs & ROLE_SUPERUSER))
        return DN_FAIL(
            err, DN_E_DENIED, "permission denied: role \"%s\" must stay a superuser", role->name);
    if (e->password)
        role->verifier = (char *)(uintptr_t)e->verifier; /* it is copied */
    rc = access_put_role(a, role, &id, err);
    role->verifier = kept;
    return rc < 0 ? rc : role_put_lists(e, &o, id, a, err);
}

static int role_create(struct role_edit *e, struct access *a, struct dn_err *err)
{
    const struct role_stmt *s = e->stmt->ast->role;
    size_t len = strlen(s->name.s);
    struct role role = {.attrs = ROLE_INHERIT | (s->user ? ROLE_LOGIN : 0u),
                        .connections = -1,
                        .valid_until = ACCESS_FOREVER};
    int rc = role_may(e, a, NULL, "create", err);

    if (rc == 0)
        rc = role_check_name(&s->name, err);
    if (rc == 0 && access_role(a, s->name.s)) {
        rc = DN_FAIL(err, DN_E_DUPLICATE_ROLE, "role \"%s\" already exists", s->name.s);
        dn_err_at(err, s->name.pos);
    }
    if (rc < 0)
        return rc;
    role.name = arena_strndup(&e->stmt->run, s->name.s, len);
    return role.name ? role_put(e, &role, a, err) : DN_FAIL_NOMEM(err);
}

/* The role a statement is about. */
static int
role_find(struct role_edit *e, const struct access *a, const struct role **ret, struct dn_err *err)
{
    uint32_t id = 0;
    int rc = privilege_role(e->stmt->conn, a, &e->stmt->ast->role->name, false, &id, err);

    *ret = rc < 0 ? NULL : access_role_by_id(a, id);
    return rc;
}

/* Everybody may change his own password. */
static bool role_only_password(const struct role_stmt *s)
{
    return s->words_count >= 2 && s->words_count <= 3 &&
           role_is(&s->words[s->words_count - 2], "password");
}

static int role_alter(struct role_edit *e, struct access *a, struct dn_err *err)
{
    const struct role_stmt *s = e->stmt->ast->role;
    const struct role *found;
    struct role role;
    int rc = role_find(e, a, &found, err);

    if (rc < 0)
        return rc;
    if (!(found->id == e->stmt->conn->role && role_only_password(s)))
        rc = role_may(e, a, found, "alter", err);
    if (rc == 0 && (found->id != ACCESS_FIRST && found->id < ACCESS_ROLE_ID_MIN))
        rc = DN_FAIL(err, DN_E_RESERVED_NAME, "role \"%s\" cannot be altered", found->name);
    if (rc < 0)
        return rc;
    role = *found; /* borrows all of it: access_put_role copies */
    return role_put(e, &role, a, err);
}

static int role_rename(struct role_edit *e, struct access *a, struct dn_err *err)
{
    const struct role_stmt *s = e->stmt->ast->role;
    const struct role *found;
    struct role role;
    uint32_t id;
    int rc = role_find(e, a, &found, err);

    if (rc == 0)
        rc = role_may(e, a, found, "rename", err);
    if (rc == 0)
        rc = role_check_name(&s->to, err);
    if (rc == 0 && (found->id < ACCESS_ROLE_ID_MIN))
        rc = DN_FAIL(err, DN_E_RESERVED_NAME, "role \"%s\" cannot be renamed", found->name);
    if (rc == 0 && found->id == e->stmt->conn->user)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "session user cannot be renamed");
    if (rc == 0 && access_role(a, s->to.s)) {
        rc = DN_FAIL(err, DN_E_DUPLICATE_ROLE, "role \"%s\" already exists", s->to.s);
        dn_err_at(err, s->to.pos);
    }
    if (rc < 0)
        return rc;
    role = *found;
    role.name = arena_strndup(&e->stmt->run, s->to.s, strlen(s->to.s));
    return role.name ? access_put_role(a, &role, &id, err) : DN_FAIL_NOMEM(err);
}

/* ---- ALTER ROLE … SET ---- */

static int role_set(struct role_edit *e, struct access *a, struct dn_err *err)
{
    const struct role_stmt *s = e->stmt->ast->role;
    bool all = strcmp(s->setting.s, "all") == 0 && s->reset;
    struct settings tried = e->stmt->conn->settings;
    const struct setting_row *row;
    struct role_setting *list;
    const struct role *found;
    struct role role;
    uint32_t id;
    int rc = role_find(e, a, &found, err);

    if (rc == 0 && found->id != e->stmt->conn->role)
        rc = role_may(e, a, found, "alter", err);
    if (rc == 0 && !s->reset)
        rc = settings_set(&tried, s->setting.s, s->values[0].value, SETTING_SESSION, err);
    row = rc == 0 ? settings_find(s->setting.s, NULL) : NULL;
    if (row && row->scope == SETTING_SUPER && !access_superuser(a, e->stmt->conn->role))
        rc = DN_FAIL(err, DN_E_DENIED, "permission denied to set parameter \"%s\"", row->name);
    if (rc < 0) {
        dn_err_at(err, s->setting.pos);
        return rc;
    }
    role = *found;
    list = arena_calloc(&e->stmt->run, (size_t)found->settings_count + 1, sizeof(*list));
    if (!list)
        return DN_FAIL_NOMEM(err);
    role.settings = list;
    role.settings_count = 0;
    for (uint32_t i = 0; !all && i < found->settings_count; i++)
        if (strcasecmp(found->settings[i].name, s->setting.s) != 0)
            list[role.settings_count++] = found->settings[i];
    if (!s->reset) {
        struct role_setting *added = &list[role.settings_count++];

        added->name = arena_strndup(&e->stmt->run, s->setting.s, strlen(s->setting.s));
        added->value = arena_strndup(&e->stmt->run, s->values[0].value, strlen(s->values[0].value));
        if (!added->name || !added->value)
            return DN_FAIL_NOMEM(err);
    }
    return access_put_role(a, &role, &id, err);
}

/* ---- DROP ---- */

static int role_drop_one(struct role_edit *e,
                         const struct spec_name *name,
                         struct access *a,
                         struct dn_err *err)
{
    const struct role *r = access_role(a, name->s);
    size_t granted;
    size_t owned;
    int rc;

    if (!r && e->stmt->ast->if_exists) {
        snprintf(e->notice, sizeof(e->notice), "role \"%s\" does not exist, skipping", name->s);
        return 0;
    }
    if (!r)
        rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "role \"%s\" does not exist", name->s);
    else
        rc = role_may(e, a, r, "drop", err);
    if (rc == 0 && r->id == e->stmt->conn->role)
        rc = DN_FAIL(err, DN_E_DENIED, "current user cannot be dropped");
    if (rc == 0 && r->id < ACCESS_ROLE_ID_MIN)
        rc = DN_FAIL(err,
                     DN_E_DEPENDENT,
                     "cannot drop role %s because it is required by the database system",
                     r->name);
    owned = rc == 0 ? access_owned_count(a, r->id) : 0;
    granted = rc == 0 ? access_granted_count(a, r->id) : 0;
    if (owned + granted > 0) {
        rc = DN_FAIL(err,
                     DN_E_DEPENDENT,
                     "role \"%s\" cannot be dropped because some objects depend on it: it owns "
                     "%zu, and has privileges on %zu",
                     r->name,
                     owned,
                     granted);
        dn_err_hint(err,
                    "REASSIGN OWNED BY gives what it owns to somebody else, DROP OWNED BY takes "
                    "its privileges.");
    }
    if (rc < 0)
        dn_err_at(err, name->pos);
    else
        access_drop_role(a, r->id);
    return rc;
}

static int role_drop(struct role_edit *e, struct access *a, struct dn_err *err)
{
    const struct role_stmt *s = e->stmt->ast->role;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < s->names_count; i++)
        rc = role_drop_one(e, &s->names[i], a, err);
    return rc;
}

/* REASSIGN OWNED BY a TO b. */
static int role_reassign(struct role_edit *e, struct access *a, struct dn_err *err)
{
    const struct dendro_conn *conn = e->stmt->conn;
    const struct role_stmt *s = e->stmt->ast->role;
    uint32_t to = 0;
    int rc = privilege_role(conn, a, &s->to, false, &to, err);

    for (uint32_t i = 0; rc == 0 && i < s->names_count; i++) {
        uint32_t from = 0;

        rc = privilege_role(conn, a, &s->names[i], false, &from, err);
        if (rc == 0 && (!access_member(a, conn->role, from) || !access_member(a, conn->role, to)))
            rc = DN_FAIL(err, DN_E_DENIED, "permission denied to reassign objects");
        if (rc == 0)
            access_reassign(a, from, to);
    }
    return rc;
}

/* DROP OWNED BY: its privileges. What it owns must be given away or dropped before. */
static int role_drop_owned(struct role_edit *e, struct access *a, struct dn_err *err)
{
    const struct dendro_conn *conn = e->stmt->conn;
    const struct role_stmt *s = e->stmt->ast->role;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < s->names_count; i++) {
        uint32_t id = 0;

        rc = privilege_role(conn, a, &s->names[i], false, &id, err);
        if (rc == 0 && !access_member(a, conn->role, id))
            rc = DN_FAIL(err, DN_E_DENIED, "permission denied to drop objects");
        if (rc == 0 && access_owned_count(a, id) > 0) {
            rc = DN_FAIL(err,
                         DN_E_DEPENDENT,
                         "role \"%s\" owns %zu objects, which DROP OWNED does not drop",
                         access_role_name(a, id),
                         access_owned_count(a, id));
            dn_err_hint(err, "REASSIGN OWNED BY gives them to somebody else.");
        }
        if (rc < 0)
            dn_err_at(err, s->names[i].pos);
        else
            access_drop_grants(a, id);
    }
    return rc;
}

/* ---- OWNER TO ---- */

static int role_owned_object(struct role_edit *e,
                             const struct catalog *cur,
                             struct access_object *ret,
                             struct dn_err *err)
{
    const struct stmt *ast = e->stmt->ast;
    struct catalog_path path = session_path(e->stmt->conn);
    const struct schema_def *s;
    struct catalog_relation r;
    int rc;

    if (ast->object == OBJECT_SCHEMA) {
        s = catalog_path_schema(cur, &path, ast->name.name, err);
        if (!s) {
            dn_err_at(err, ast->name.pos);
            return err->code;
        }
        *ret = (struct access_object){.kind = ACCESS_SCHEMA, .schema = s->name};
        return 0;
    }
    rc = session_relation(e->stmt->conn, cur, &ast->name, &r, err);
    if (rc == 0)
        *ret = catalog_object(&r);
    return rc;
}

static int
role_owner(struct role_edit *e, const struct catalog *cur, struct access *a, struct dn_err *err)
{
    const struct dendro_conn *conn = e->stmt->conn;
    const struct stmt *ast = e->stmt->ast;
    struct access_object o;
    uint32_t to = 0;
    int rc = role_owned_object(e, cur, &o, err);

    if (rc < 0 && ast->if_exists) {
        snprintf(e->notice,
                 sizeof(e->notice),
                 "relation \"%s\" does not exist, skipping",
                 ast->name.name);
        return 0;
    }
    if (rc == 0)
        rc = privilege_role(conn, a, &ast->role->to, false, &to, err);
    if (rc < 0)
        return rc;
    if (!access_owns(a, conn->role, &o))
        rc = DN_FAIL(err, DN_E_DENIED, "must be owner of relation %s", ast->name.name);
    else if (!access_member(a, conn->role, to))
        rc = DN_FAIL(err, DN_E_DENIED, "must be member of role \"%s\"", access_role_name(a, to));
    return rc < 0 ? rc : access_set_owner(a, &o, to, err);
}

/* ---- the edit ---- */

static int
role_change(struct role_edit *e, const struct catalog *cur, struct access *a, struct dn_err *err)
{
    switch (e->stmt->ast->role->action) {
    case ROLE_ACTION_CREATE:
        return role_create(e, a, err);
    case ROLE_ACTION_ALTER:
        return role_alter(e, a, err);
    case ROLE_ACTION_RENAME:
        return role_rename(e, a, err);
    case ROLE_ACTION_SET:
        return role_set(e, a, err);
    case ROLE_ACTION_DROP:
        return role_drop(e, a, err);
    case ROLE_ACTION_REASSIGN:
        return role_reassign(e, a, err);
    case ROLE_ACTION_OWNER:
        return role_owner(e, cur, a, err);
    case ROLE_ACTION_DROP_OWNED:
        return role_drop_owned(e, a, err);
    case ROLE_ACTION_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown statement about roles");
}

/* Can a superuser log in, now that everybody needs a password? */
static bool role_superuser_left(const struct access *a)
{
    for (size_t i = 0; i < a->roles_count; i++)
        if (a->roles[i].verifier && (a->roles[i].attrs & ROLE_SUPERUSER) &&
            (a->roles[i].attrs & ROLE_LOGIN))
            return true;
    return false;
}

static int
role_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct role_edit *e = arg;
    struct access *a = NULL;
    int rc = access_copy(cur->access, &a, err);

    e->notice[0] = '\0';
    if (rc == 0)
        rc = role_change(e, cur, a, err);
    e->locked_out = rc == 0 && e->verifier && !role_superuser_left(a);
    if (rc == 0)
        rc = catalog_with_access(cur, a, ret_next, err);
    access_unref(a);
    return rc;
}

static int stmt_run_role(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct role_edit e = {.stmt = stmt};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = tx_edit(stmt->conn, role_edit, &e, err);
    if (rc == 0 && e.notice[0])
        session_notice(stmt->conn, "NOTICE", "%s", e.notice);
    if (rc == 0 && e.locked_out)
        session_notice(stmt->conn,
                       "WARNING",
                       "everybody needs a password to log in from now on, and no superuser has "
                       "one: ALTER ROLE %s PASSWORD '…' sets it",
                       ACCESS_FIRST_NAME);
    return rc;
}

STMT_OPS(role,
         role_name,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         privilege_when_run,
         stmt_compile_nothing,
         stmt_run_role);

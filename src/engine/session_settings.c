/* SPDX-License-Identifier: Apache-2.0
 *
 * session_settings.c: see session_settings.h. A setting has a field in struct settings, or is only
 * known and has its value among the extras, or belongs to the transaction (transaction_set.c), or
 * is a fact. */
#include "engine/session_settings.h"

#include "engine/session_zone.h"
#include "engine/stmt_ops.h"

#include <stdio.h>
#include <strings.h>

#define SETTINGS_VERSION "15.0 (Dendro " DENDRO_VERSION ")"

int session_settings_begin(struct dendro_conn *conn, struct dn_err *err)
{
    int rc;

    engine_settings_copy(conn->db, &conn->settings, &conn->extra);
    conn->reset.settings = conn->settings;
    conn->reset.extra = settings_extra_ref(conn->extra);
    rc = session_functions(conn, err);
    conn->reset.settings = conn->settings;
    return rc;
}

void session_settings_end(struct dendro_conn *conn)
{
    settings_extra_unref(conn->extra);
    conn->extra = NULL;
    tx_settings_done(&conn->reset);
    for (size_t i = 0; conn->told.values && settings_reported(i); i++)
        mem_free(conn->told.values[i]);
    mem_free(conn->told.values);
    conn->told.values = NULL;
}

/* Whose rights count: the role that SET ROLE says, or who logged in. */
static void setting_follow_role(struct dendro_conn *conn, const struct catalog *cat)
{
    const char *name = settings_extra_get(conn->extra, "role");
    const struct role *r = name ? access_role(cat->access, name) : NULL;

    conn->role = r ? r->id : conn->user;
    snprintf(
        conn->role_name, sizeof(conn->role_name), "%s", access_role_name(cat->access, conn->role));
    conn->functions.user = conn->role_name;
}

void session_settings_changed(struct dendro_conn *conn)
{
    struct catalog *cat = tx_catalog(conn);

    conn->epoch++;
    keep_begin(conn);
    session_zone_apply(conn);
    session_path_follow(conn, cat);
    setting_follow_role(conn, cat);
    catalog_unref(cat);
}

/* ---- SET ---- */

static int setting_refuse(const char *name, const char *value, struct dn_err *err)
{
    return DN_FAIL(
        err, DN_E_INVALID_PARAM, "invalid value for parameter \"%s\": \"%.80s\"", name, value);
}

/* A value that is only remembered, for the session and for what COMMIT leaves. */
static int setting_set_extra(
    struct dendro_conn *conn, const char *name, const char *value, bool local, struct dn_err *err)
{
    struct settings_extra *now = NULL;
    struct settings_extra *stays = NULL;
    bool both = tx_in_block(conn) && !local;
    int rc;

    value = value ? value : settings_extra_get(conn->reset.extra, name);
    rc = settings_extra_with(conn->extra, keep_source(conn), name, value, &now, err);
    if (rc == 0 && both)
        rc = settings_extra_with(conn->tx.stays.extra, keep_source(conn), name, value, &stays, err);
    if (rc < 0) {
        settings_extra_unref(now);
        return rc;
    }
    settings_extra_unref(conn->extra);
    conn->extra = now;
    if (both) {
        settings_extra_unref(conn->tx.stays.extra);
        conn->tx.stays.extra = stays;
    }
    conn->epoch++;
    return 0;
}

/* SET ROLE: one that the session's user is a member of. SET SESSION AUTHORIZATION can only be
 * repeated. */
static int setting_who(struct dendro_conn *conn,
                       const struct setting_row *row,
                       const char *value,
                       bool local,
                       struct dn_err *err)
{
    bool role = strcmp(row->name, "role") == 0;
    struct catalog *cat = tx_catalog(conn);
    const struct role *r;
    int rc = 0;

    if (value && (strcasecmp(value, "none") == 0 || strcasecmp(value, "default") == 0))
        value = NULL;
    r = value ? access_role(cat->access, value) : NULL;
    if (value && !r)
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "role \"%.80s\" does not exist", value);
    else if (r && role && !access_member(cat->access, conn->user, r->id))
        rc = DN_FAIL(err, DN_E_DENIED, "permission denied to set role \"%s\"", r->name);
    else if (r && !role && r->id != conn->user)
        rc = DN_FAIL(err, DN_E_DENIED, "permission denied to set session authorization");
    if (rc == 0 && role)
        rc = setting_set_extra(conn, row->name, r ? r->name : NULL, local, err);
    catalog_unref(cat);
    if (rc == 0)
        session_settings_changed(conn);
    return rc;
}

static int setting_set_known(struct dendro_conn *conn,
                             const struct setting_row *row,
                             const char *value,
                             bool local,
                             struct dn_err *err)
{
    struct buf b;
    int rc = 0;

    if (row->scope == SETTING_FIXED || row->server)
        return settings_set(&conn->settings, row->name, value, SETTING_SESSION, err);
    if (strcmp(row->name, "role") == 0 || strcmp(row->name, "session_authorization") == 0)
        return setting_who(conn, row, value, local, err);
    buf_init(&b, NULL);
    if (value)
        rc = settings_canonical(row, value, &b, err);
    buf_u8(&b, '\0');
    if (rc == 0 && b.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = setting_set_extra(conn, row->name, value ? (const char *)b.data : NULL, local, err);
    buf_done(&b);
    return rc;
}

/* What the list of settings cannot say about a value, which becomes what is kept (in room, if it is
 * another one). */
static int setting_check(struct dendro_conn *conn,
                         const struct setting_row *row,
                         const char **value,
                         char room[SETTING_TEXT_MAX + 1],
                         struct dn_err *err)
{
    if (strcmp(row->name, "search_path") == 0 && !session_path_valid(*value))
        return setting_refuse(row->name, *value, err);
    return session_zone_value(conn, row->name, value, room, err);
}

int session_setting_check(struct dendro_conn *conn,
                          const struct setting_row *row,
                          const char *value,
                          struct dn_err *err)
{
    char room[SETTING_TEXT_MAX + 1];

    return row->known ? 0 : setting_check(conn, row, &value, room, err);
}

static int setting_set_field(struct dendro_conn *conn,
                             const struct setting_row *row,
                             const char *value,
                             bool local,
                             struct dn_err *err)
{
    bool own = row->scope == SETTING_SESSION || row->scope == SETTING_SUPER;
    char zone[SETTING_TEXT_MAX + 1];
    int rc = 0;

    if (value)
        rc = setting_check(conn, row, &value, zone, err);
    if (rc == 0 && (value || !own))
        rc = settings_set(&conn->settings, row->name, value, SETTING_SESSION, err);
    else if (rc == 0)
        settings_copy(&conn->settings, &conn->reset.settings, row);
    if (rc < 0)
        return rc;
    if (tx_in_block(conn) && !local)
        settings_copy(&conn->tx.stays.settings, &conn->settings, row);
    session_settings_changed(conn);
    return 0;
}

/* The row of a setting; NULL: of one that its user made up. */
static int setting_find(const char *name, const struct setting_row **ret, struct dn_err *err)
{
    *ret = settings_find(name, err);
    return *ret || settings_is_custom(name) ? 0 : err->code;
}

/* … if the session may set it. */
static int setting_settable(struct dendro_conn *conn,
                            const char *name,
                            const struct setting_row **ret,
                            struct dn_err *err)
{
    int rc = setting_find(name, ret, err);

    if (rc < 0)
        return rc;
    if (*ret && (*ret)->scope == SETTING_SUPER && !session_superuser(conn))
        return DN_FAIL(err, DN_E_DENIED, "permission denied to set parameter \"%s\"", (*ret)->name);
    return 0;
}

int session_setting_may(struct dendro_conn *conn,
                        const char *name,
                        const char *value,
                        struct dn_err *err)
{
    const struct setting_row *row = NULL;
    struct buf b;
    int rc = setting_settable(conn, name, &row, err);

    if (rc < 0 || !row)
        return rc;
    if (row->scope != SETTING_SESSION && row->scope != SETTING_SUPER)
        return settings_set(
            &conn->settings, row->name, value, SETTING_SESSION, err); /* its error */
    if (!value)
        return 0;
    buf_init(&b, NULL);
    rc = settings_canonical(row, value, &b, err);
    buf_done(&b);
    return rc < 0 ? rc : session_setting_check(conn, row, value, err);
}

static int setting_put(struct dendro_conn *conn,
                       const struct setting_row *row,
                       const char *name,
                       const char *value,
                       bool local,
                       struct dn_err *err)
{
    if (!row)
        return setting_set_extra(conn, name, value, local, err);
    return row->known ? setting_set_known(conn, row, value, local, err)
                      : setting_set_field(conn, row, value, local, err);
}

int session_setting_set(
    struct dendro_conn *conn, const char *name, const char *value, bool local, struct dn_err *err)
{
    const struct setting_row *row = NULL;
    int rc = tx_set(conn, name, value, err);

    if (rc != DN_NOT_FOUND)
        return rc;
    rc = setting_settable(conn, name, &row, err);
    if (rc < 0)
        return rc;
    if (local && !tx_in_block(conn)) {
        session_notice(conn, "WARNING", "SET LOCAL can only be used in transaction blocks");
        return 0;
    }
    return setting_put(conn, row, name, value, local, err);
}

int session_setting_of_role(struct dendro_conn *conn,
                            const char *name,
                            const char *value,
                            struct dn_err *err)
{
    const struct setting_row *row;
    int rc = tx_set(conn, name, value, err);

    if (rc != DN_NOT_FOUND)
        return rc;
    rc = setting_find(name, &row, err);
    return rc < 0 ? rc : setting_put(conn, row, name, value, false, err);
}

int session_settings_reset(struct dendro_conn *conn, struct dn_err *err DN_UNUSED)
{
    settings_extra_unref(conn->extra);
    conn->extra = settings_extra_ref(conn->reset.extra);
    conn->settings = conn->reset.settings;
    if (tx_in_block(conn))
        tx_settings_copy(&conn->tx.stays, &conn->reset);
    session_settings_changed(conn);
    return 0;
}

/* The values of SET as one text: search_path has names, other lists words. */
static int set_join(const struct stmt *ast, bool path, struct buf *b, struct dn_err *err)
{
    const struct set_stmt *set = ast->set;
    bool list = path || strcasecmp(ast->name.name, "DateStyle") == 0;

    if (set->values_count > 1 && !list) {
        int rc = DN_FAIL(err, DN_E_INVALID_PARAM, "SET %s takes only one argument", ast->name.name);

        dn_err_at(err, set->values[1].value_pos);
        return rc;
    }
    for (uint32_t i = 0; i < set->values_count; i++) {
        buf_puts(b, i ? ", " : "");
        if (path)
            session_path_quote(set->values[i].value, b);
        else
            buf_puts(b, set->values[i].value);
    }
    buf_u8(b, '\0');
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}

int session_set(struct dendro_conn *conn, const struct stmt *ast, struct dn_err *err)
{
    const struct option_spec *given = ast->set ? ast->set->values : NULL;
    char name[2 * TABLE_NAME_MAX + 2];
    struct buf b;
    int rc;

    if (ast->kind == STMT_USE)
        return session_use(conn, ast, err);
    snprintf(name,
             sizeof(name),
             "%s%s%s",
             ast->name.schema ? ast->name.schema : "",
             ast->name.schema ? "." : "",
             ast->name.name);
    if (ast->set->reset && !ast->name.schema && strcasecmp(name, "all") == 0)
        return ast->set->scope == SET_SYSTEM ? session_alter_system(conn, ast, NULL, NULL, err)
                                             : session_settings_reset(conn, err);
    buf_init(&b, NULL);
    rc = given ? set_join(ast, strcasecmp(name, "search_path") == 0, &b, err) : 0;
    if (rc == 0) {
        const char *value = given ? (const char *)b.data : NULL;

        if (ast->set->scope == SET_SYSTEM)
            rc = session_alter_system(conn, ast, name, value, err);
        else
            rc = session_setting_set(conn, name, value, ast->set->scope == SET_LOCAL, err);
        if (rc < 0)
            dn_err_at(err,
                      rc == DN_E_UNDEFINED_OBJECT || !given ? ast->name.pos : given[0].value_pos);
    }
    buf_done(&b);
    return rc;
}

/* ---- SHOW ---- */

/* Of the role whose rights count: SET ROLE changes it. */
static bool setting_superuser(const struct dendro_conn *conn)
{
    struct catalog *cat = tx_catalog(conn);
    bool is = access_superuser(cat->access, conn->role);

    catalog_unref(cat);
    return is;
}

const char *session_setting_fact(const struct dendro_conn *conn, const char *name)
{
    if (strcasecmp(name, "server_version") == 0)
        return SETTINGS_VERSION;
    if (strcasecmp(name, "session_authorization") == 0)
        return conn->functions.login;
    if (strcasecmp(name, "cluster_name") == 0)
        return conn->functions.database;
    if (strcasecmp(name, "is_superuser") == 0)
        return setting_superuser(conn) ? "on" : "off";
    return NULL;
}

int session_setting_print(const struct setting_row *row,
                          const struct tx_settings *of,
                          struct buf *b,
                          struct dn_err *err)
{
    const struct settings *s = &of->settings;
    const char *value = row->known ? settings_extra_get(of->extra, row->name) : NULL;

    if (!row->known)
        settings_show(s, row, b);
    else if (value)
        buf_puts(b, value);
    else
        return settings_canonical(row, row->def_text, b, err);
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}

bool session_settings_shown(const struct dendro_conn *conn)
{
    struct catalog *cat = tx_catalog(conn);
    bool all = access_inherits(cat->access, conn->role, ACCESS_READ_SETTING);

    catalog_unref(cat);
    return all;
}

int session_setting_show(const struct dendro_conn *conn,
                         const char *name,
                         struct buf *b,
                         const char **ret_name,
                         struct dn_err *err)
{
    const char *value;
    const char *own = tx_show(conn, name, &value);
    const struct setting_row *row = own ? NULL : settings_find(name, err);

    if (!own) {
        own = row ? row->name : name;
        value = session_setting_fact(conn, name);
        if (!value && !row)
            value = settings_extra_get(conn->extra, name);
        if (!value && !row)
            return DN_E_UNDEFINED_OBJECT;
    }
    if (row && settings_hidden(row) && !session_settings_shown(conn))
        return DN_FAIL(err,
                       DN_E_DENIED,
                       "must be superuser or have privileges of pg_read_all_settings to examine "
                       "\"%s\"",
                       own);
    if (ret_name)
        *ret_name = own;
    if (!value && row->server)
        return engine_settings_show(conn->db, row, b, err);
    if (!value) {
        const struct tx_settings now = {.settings = conn->settings, .extra = conn->extra};

        return session_setting_print(row, &now, b, err);
    }
    buf_puts(b, value);
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}

/* ---- without SQL ---- */

int dendro_set(dendro_conn *conn, const char *name, const char *value, struct dendro_error *err)
{
    struct dn_err e;

    dn_err_clear(&e);
    if (!conn || !name)
        return engine_return(err, &e, DN_FAIL(&e, DN_E_MISUSE, "dendro_set: no session or name"));
    return engine_return(err, &e, session_setting_set(conn, name, value, false, &e));
}

int dendro_get(dendro_conn *conn, const char *name, char **ret_value, struct dendro_error *err)
{
    struct dn_err e;
    struct buf b;
    size_t len;
    int rc;

    dn_err_clear(&e);
    if (!conn || !name || !ret_value)
        return engine_return(
            err,
            &e,
            DN_FAIL(&e, DN_E_MISUSE, "dendro_get: no session, name or place for the value"));
    buf_init(&b, NULL);
    rc = session_setting_show(conn, name, &b, NULL, &e);
    buf_u8(&b, '\0');
    if (rc == 0 && b.failed)
        rc = DN_FAIL_NOMEM(&e);
    if (rc < 0)
        buf_done(&b);
    else
        *ret_value = (char *)buf_take(&b, &len);
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

void dendro_keep_settings(dendro_conn *conn)
{
    const struct tx_settings now = {.settings = conn->settings, .extra = conn->extra};

    tx_settings_copy(&conn->reset, &now);
}

/* Is the value of the i-th another one than was told? Remembers it. */
static bool setting_news(struct dendro_conn *conn, size_t i)
{
    struct dn_err ignored; /* what is reported exists; without memory it is told later */
    struct buf b;
    size_t len;
    bool news;

    buf_init(&b, NULL);
    DN_IGNORE(session_setting_show(conn, settings_reported(i), &b, NULL, &ignored));
    buf_u8(&b, '\0');
    news = !b.failed &&
           (!conn->told.values[i] || strcmp(conn->told.values[i], (const char *)b.data) != 0);
    if (news) {
        mem_free(conn->told.values[i]);
        conn->told.values[i] = (char *)buf_take(&b, &len);
    } else {
        buf_done(&b);
    }
    return news;
}

bool dendro_setting_changed(dendro_conn *conn, const char **ret_name, const char **ret_value)
{
    size_t count = 0;

    if (!conn || (conn->told.values && conn->told.epoch == conn->epoch))
        return false;
    while (settings_reported(count))
        count++;
    if (!conn->told.values)
        conn->told.values = mem_calloc(NULL, count, sizeof(*conn->told.values));
    for (size_t i = 0; conn->told.values && i < count; i++) {
        if (!setting_news(conn, i))
            continue;
        *ret_name = settings_reported(i);
        *ret_value = conn->told.values[i];
        return true;
    }
    conn->told.epoch = conn->epoch;
    return false;
}

/* ---- the rows of USE and SET ---- */

static int settings_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    return session_set(stmt->conn, stmt->ast, err);
}

static const char *set_name(const struct stmt *ast)
{
    return ast->set->scope == SET_SYSTEM ? "ALTER SYSTEM" : ast->set->reset ? "RESET" : "SET";
}

static enum engine_class set_class(const struct stmt *ast)
{
    return ast->set->scope == SET_SYSTEM ? ENGINE_DDL : ENGINE_OTHER;
}

static enum tx_use set_use(const struct stmt *ast)
{
    return ast->set->scope == SET_SYSTEM ? TX_ALONE : TX_FREE;
}

STMT_NAME(use, "USE")
STMT_OPS(use,
         stmt_name_use,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         privilege_everybody,
         stmt_compile_nothing,
         settings_run);

STMT_OPS(set,
         set_name,
         stmt_tag_name,
         set_class,
         set_use,
         privilege_when_run,
         stmt_compile_nothing,
         settings_run);

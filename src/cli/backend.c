/* SPDX-License-Identifier: Apache-2.0
 *
 * backend.c: what both kinds share, and the questions to the catalog: Dendro has statements for
 * them, PostgreSQL its pg_catalog. */
#include "cli/backend.h"

#include <string.h>
#include <unistd.h>

bool backend_is_remote(const char *where)
{
    static const char *const heads[] = {"postgres://", "postgresql://"};
    static const char *const words[] = {"host", "hostaddr", "port", "dbname", "user", "service"};
    size_t len = strcspn(where, "= /");

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(where, heads[i], strlen(heads[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && where[len] == '='; i++)
        if (strlen(words[i]) == len && strncmp(where, words[i], len) == 0)
            return access(where, F_OK) != 0;
    return false;
}

int backend_open(const char *where,
                 const struct backend_options *options,
                 struct backend **ret,
                 struct dendro_error *err)
{
    memset(err, 0, sizeof *err);
    *ret = NULL;
    return backend_is_remote(where) ? backend_remote_open(where, options, ret, err)
                                    : backend_local_open(where, options, ret, err);
}

void backend_close(struct backend *b)
{
    if (b)
        b->ops->close(b);
}

int backend_prepare(
    struct backend *b, const char *sql, size_t len, const char **ret_tail, struct dendro_error *err)
{
    return b->ops->prepare(b, sql, len, ret_tail, err);
}

int backend_step(struct backend *b, struct dendro_error *err)
{
    return b->ops->step(b, err);
}

void backend_finish(struct backend *b)
{
    b->ops->finish(b);
}

int backend_columns(const struct backend *b)
{
    return b->ops->columns(b);
}

const char *backend_name(const struct backend *b, int col)
{
    return b->ops->name(b, col);
}

enum dendro_type backend_type(const struct backend *b, int col)
{
    return b->ops->type(b, col);
}

void backend_type_name(const struct backend *b, int col, char *ret, size_t size)
{
    b->ops->type_name(b, col, ret, size);
}

const char *backend_text(struct backend *b, int col, size_t *ret_len)
{
    return b->ops->text(b, col, ret_len);
}

double backend_number(struct backend *b, int col)
{
    return b->ops->number(b, col);
}

bool backend_is_time(const struct backend *b, int col)
{
    enum dendro_type t = backend_type(b, col);

    return t == DENDRO_TYPE_TIMESTAMP || t == DENDRO_TYPE_TIMESTAMP_US ||
           t == DENDRO_TYPE_TIMESTAMP_NS || t == DENDRO_TYPE_TIMESTAMPTZ ||
           t == DENDRO_TYPE_TIMESTAMP_LOCAL || t == DENDRO_TYPE_DATE;
}

const char *backend_tag(const struct backend *b)
{
    return b->ops->tag(b);
}

void backend_copy_info(const struct backend *b, struct dendro_copy_info *ret)
{
    b->ops->copy_info(b, ret);
}

void backend_set_copy(struct backend *b, const struct dendro_copy *copy)
{
    b->ops->set_copy(b, copy);
}

void backend_set_progress(struct backend *b, dendro_progress_fn fn, void *arg, unsigned interval_ms)
{
    b->ops->set_progress(b, fn, arg, interval_ms);
}

void backend_set_notice(struct backend *b, dendro_notice_fn fn, void *arg)
{
    b->ops->set_notice(b, fn, arg);
}

void backend_cancel(struct backend *b)
{
    b->ops->cancel(b);
}

enum dendro_tx_status backend_status(const struct backend *b)
{
    return b->ops->status(b);
}

/* ---- the catalog ---- */

#define BACKEND_VIEWS_TEXT                                                                   \
    "SELECT schemaname AS schema, viewname AS name, viewowner AS owner FROM pg_views WHERE " \
    "schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
#define BACKEND_INDEXES_TEXT                                                                      \
    "SELECT schemaname AS schema, indexname AS name, tablename AS table, indexdef AS definition " \
    "FROM pg_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
#define BACKEND_ROLES_TEXT                                                                        \
    "SELECT r.rolname AS role, r.rolsuper AS superuser, r.rolcanlogin AS login, r.rolcreaterole " \
    "AS creates_roles, (SELECT string_agg(g.rolname, ', ' ORDER BY g.rolname) FROM "              \
    "pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid) AS member_of " \
    "FROM pg_roles r WHERE r.rolname NOT LIKE 'pg\\_%%' ORDER BY 1"
#define BACKEND_CONNECTION_TEXT                                     \
    "SELECT current_database() AS database, current_user AS role, " \
    "current_setting('server_version') AS server_version"

/* In each, % stands for the argument, of Dendro as it is, of PostgreSQL as a quoted text, and %%
 * for a percent sign. NULL: there is no such statement. */
static const struct {
    const char *dendro;
    const char *postgres;
} backend_texts[] = {
    [BACKEND_TABLES] =
        {"SHOW TABLES",
         "SELECT n.nspname AS schema, c.relname AS name, CASE c.relkind WHEN 'r' THEN 'table' WHEN "
         "'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' ELSE "
         "'foreign table' END AS type, pg_get_userbyid(c.relowner) AS owner FROM pg_class c JOIN "
         "pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') "
         "AND "
         "n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND "
         "pg_table_is_visible(c.oid) ORDER BY 1, 2"},
    [BACKEND_VIEWS] = {BACKEND_VIEWS_TEXT, BACKEND_VIEWS_TEXT},
    [BACKEND_INDEXES] = {BACKEND_INDEXES_TEXT, BACKEND_INDEXES_TEXT},
    [BACKEND_ROLES] = {BACKEND_ROLES_TEXT, BACKEND_ROLES_TEXT},
    [BACKEND_CONNECTION] = {BACKEND_CONNECTION_TEXT, BACKEND_CONNECTION_TEXT},
    [BACKEND_SCHEMAS] = {"SHOW SCHEMAS",
                         "SELECT nspname AS name, pg_get_userbyid(nspowner) AS owner FROM "
                         "pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' "
                         "ORDER BY 1"},
    [BACKEND_DATABASES] = {"SHOW SCHEMAS",
                           "SELECT datname AS name, pg_get_userbyid(datdba) AS owner, "
                           "pg_encoding_to_char(encoding) AS encoding FROM pg_database ORDER BY 1"},
    [BACKEND_TABLE] = {"DESCRIBE %",
                       "SELECT a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type, "
                       "NOT a.attnotnull AS nullable, pg_get_expr(d.adbin, d.adrelid) AS default "
                       "FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND "
                       "d.adnum = a.attnum WHERE a.attrelid = %::regclass AND a.attnum > 0 AND NOT "
                       "a.attisdropped ORDER BY a.attnum"},
    [BACKEND_CREATE] = {"SHOW CREATE TABLE %", NULL},
    [BACKEND_FUNCTIONS] = {NULL,
                           "SELECT n.nspname AS schema, p.proname AS name, "
                           "pg_get_function_result(p.oid) AS result, "
                           "pg_get_function_arguments(p.oid) AS arguments FROM pg_proc p JOIN "
                           "pg_namespace n ON n.oid = p.pronamespace WHERE "
                           "pg_function_is_visible(p.oid) AND position(% in p.proname) > 0 "
                           "ORDER BY 1, 2, 4"},
    [BACKEND_TABLE_NAMES] = {"SHOW TABLES",
                             "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', "
                             "'f') AND pg_table_is_visible(oid)"},
    [BACKEND_COLUMN_NAMES] = {"DESCRIBE %",
                              "SELECT attname FROM pg_attribute WHERE attrelid = %::regclass AND "
                              "attnum > 0 AND NOT attisdropped ORDER BY attnum"},
    [BACKEND_FUNCTION_NAMES] = {NULL,
                                "SELECT DISTINCT proname FROM pg_proc WHERE "
                                "pg_function_is_visible(oid) AND proname !~ '^pg_|^_'"},
    [BACKEND_SETTING_NAMES] = {NULL, "SELECT name FROM pg_settings"},
};

static void backend_quote(const char *text, struct buf *ret)
{
    buf_u8(ret, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            buf_u8(ret, '\'');
        buf_u8(ret, (uint8_t)*text);
    }
    buf_u8(ret, '\'');
}

bool backend_ask(const struct backend *b, enum backend_question q, const char *arg, struct buf *ret)
{
    const char *text = b->dendro ? backend_texts[q].dendro : backend_texts[q].postgres;

    if (!text)
        return false;
    for (; *text; text++) {
        if (*text != '%')
            buf_u8(ret, (uint8_t)*text);
        else if (text[1] == '%')
            buf_u8(ret, (uint8_t)*text++);
        else if (b->dendro)
            buf_puts(ret, arg);
        else
            backend_quote(arg, ret);
    }
    return true;
}

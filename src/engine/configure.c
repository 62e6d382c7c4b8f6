/* SPDX-License-Identifier: Apache-2.0
 *
 * configure.c: see configure.h and engine.h. The document "settings" is a text as config.h has it,
 * replaced whole by ALTER SYSTEM while it holds db->edit. */
#include "engine/configure.h"

#include "engine/engine_int.h"
#include "engine/session_settings.h"
#include "engine/session_zone.h"
#include "volume/document.h"

#include <string.h>

#define CONFIGURE_DOC   "settings"
#define CONFIGURE_TRIES 8 /* of a replacement that lost a race */

static const struct config_from configure_system = {.source = CONFIG_SYSTEM,
                                                    .where = "ALTER SYSTEM"};

/* ---- the document ---- */

/* Its settings are added to c; a document that is not there has none. */
static int configure_read(struct volume *v,
                          struct config *c,
                          uint64_t *ret_generation,
                          config_report_fn report,
                          void *arg,
                          struct dn_err *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    *ret_generation = 0;
    rc = volume_doc_read(v, CONFIGURE_DOC, &b, ret_generation, err);
    if (rc == DN_NOT_FOUND)
        rc = 0;
    else if (rc == 0)
        rc = config_parse(c, (const char *)b.data, b.len, &configure_system, report, arg, err);
    buf_done(&b);
    return rc < 0 ? rc : 0;
}

int engine_settings_verify(struct volume *v, struct dn_err *err)
{
    uint64_t generation;
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    rc = volume_doc_read(v, CONFIGURE_DOC, &b, &generation, err); /* lines may be of any release */
    buf_done(&b);
    return rc;
}

int engine_system_settings(
    const char *path, struct config *c, config_report_fn report, void *arg, struct dn_err *err)
{
    struct volume_posix_options vo = {.read_only = true};
    uint64_t generation;
    struct volume *v;
    int rc = volume_posix_open(path, &vo, &v, err);

    if (rc < 0)
        return rc;
    rc = configure_read(v, c, &generation, report, arg, err);
    volume_close(v);
    return rc;
}

/* What was given, and what the document has. */
static int configure_merge(struct dendro_db *db,
                           const struct config *given,
                           struct config **ret,
                           struct dn_err *err)
{
    struct config *c = NULL;
    uint64_t generation;
    int rc = config_new(&c, err);

    if (rc == 0)
        rc = configure_read(db->volume, c, &generation, NULL, NULL, err);
    if (rc == 0)
        rc = config_add(c, given, err);
    if (rc < 0)
        config_unref(c);
    else
        *ret = c;
    return rc;
}

/* ---- what follows from it ---- */

static bool configure_of_sessions(const struct setting_row *row)
{
    return row->scope == SETTING_SESSION || row->scope == SETTING_SUPER;
}

/* Fields and extras, as c says; all: also those of the database. */
static int configure_apply(const struct config *c,
                           bool all,
                           struct settings *s,
                           struct settings_extra **ret_extra,
                           struct dn_err *err)
{
    struct settings_extra *extra = NULL;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < settings_count(); i++) {
        const struct setting_row *row = settings_row(i);
        const struct config_entry *e = config_get(c, row);
        struct settings_extra *next;

        if (row->server || (!all && !configure_of_sessions(row)))
            continue;
        if (!row->known && row->scope != SETTING_FIXED) {
            rc = settings_set(s, row->name, e ? e->value : NULL, SETTING_DATABASE, err);
        } else if (row->known && e) {
            rc = settings_extra_with(extra, NULL, row->name, e->value, &next, err);
            if (rc == 0) {
                settings_extra_unref(extra);
                extra = next;
            }
        }
    }
    if (rc < 0)
        settings_extra_unref(extra);
    else
        *ret_extra = extra;
    return rc;
}

/* ---- opening ---- */

static int configure_options(const char *const *settings, struct config *to, struct dn_err *err)
{
    static const struct config_from from = {.source = CONFIG_FLAG, .where = ""};
    int rc = 0;

    for (size_t i = 0; rc == 0 && settings && settings[i]; i += 2)
        rc =
            settings[i + 1]
                ? config_put(to, settings[i], settings[i + 1], &from, err)
                : DN_FAIL(err, DN_E_MISUSE, "setting \"%s\" is given without a value", settings[i]);
    return rc;
}

int engine_settings_open(struct dendro_db *db,
                         const struct engine_options *options,
                         struct dn_err *err)
{
    struct engine_settings *s = &db->config;
    int rc = config_new(&s->given, err);

    if (rc == 0)
        rc = config_add(s->given, options->given, err);
    if (rc == 0)
        rc = configure_options(options->settings, s->given, err);
    if (rc == 0)
        rc = configure_merge(db, s->given, &s->now, err);
    settings_defaults(&db->settings);
    if (rc == 0)
        rc = configure_apply(s->now, true, &db->settings, &s->extra, err);
    s->began = config_ref(s->now);
    return rc;
}

/* The time zone of new sessions. One that ALTER SYSTEM has set was there then: it must not keep
 * everybody out if it is gone. */
static int configure_check_zone(struct dendro_db *db,
                                const struct config *c,
                                struct settings *s,
                                struct dn_err *err)
{
    const struct setting_row *row = settings_find("TimeZone", NULL);
    const struct config_entry *e = config_get(c, row);
    int rc = session_zone_check(db, s->timezone, err);

    if (rc < 0 && rc != DN_E_NOMEM && e && e->source == CONFIG_SYSTEM)
        rc = settings_set(s, row->name, NULL, SETTING_DATABASE, err);
    return rc;
}

int engine_settings_check(struct dendro_db *db, struct dn_err *err)
{
    return configure_check_zone(db, db->config.now, &db->settings, err);
}

void engine_settings_close(struct dendro_db *db)
{
    config_unref(db->config.given);
    config_unref(db->config.now);
    config_unref(db->config.began);
    settings_extra_unref(db->config.extra);
}

/* ---- looking again ---- */

struct config *engine_config(dendro_db *db)
{
    struct config *c;

    sched_lock(db->lock);
    c = config_ref(db->config.now);
    sched_unlock(db->lock);
    return c;
}

static void
configure_tell(const struct config *was, const struct config *now, engine_changed_fn fn, void *arg)
{
    struct dn_err ignored;
    struct buf b;

    for (size_t i = 0; fn && i < settings_count(); i++) {
        const struct setting_row *row = settings_row(i);

        if (config_same(was, now, row))
            continue;
        buf_init(&b, NULL);
        if (config_value(now, row, &b, &ignored) == 0)
            fn(arg,
               row,
               (const char *)b.data,
               row->scope == SETTING_START || row->scope == SETTING_DATABASE);
        buf_done(&b);
    }
}

int engine_configure(
    dendro_db *db, struct config *given, engine_changed_fn fn, void *arg, struct dn_err *err)
{
    struct engine_settings *s = &db->config;
    struct settings_extra *extra = NULL, *old_extra;
    struct config *now = NULL, *was, *old_given;
    struct settings next;
    int rc = configure_merge(db, given, &now, err);

    if (rc < 0)
        return rc;
    sched_lock(db->lock);
    next = db->settings;
    sched_unlock(db->lock);
    rc = configure_apply(now, false, &next, &extra, err);
    if (rc == 0)
        rc = configure_check_zone(db, now, &next, err);
    if (rc < 0) {
        settings_extra_unref(extra);
        config_unref(now);
        return rc;
    }
    sched_lock(db->lock);
    was = s->now;
    old_extra = s->extra;
    old_given = s->given;
    s->now = config_ref(now);
    s->extra = extra;
    s->given = config_ref(given);
    for (size_t i = 0; i < settings_count(); i++)
        if (configure_of_sessions(settings_row(i)))
            settings_copy(&db->settings, &next, settings_row(i));
    sched_unlock(db->lock);
    configure_tell(was, now, fn, arg);
    config_unref(was);
    config_unref(now);
    config_unref(old_given);
    settings_extra_unref(old_extra);
    return 0;
}

void engine_set_reload(dendro_db *db, engine_reload_fn fn, void *arg)
{
    sched_lock(db->lock);
    db->config.reload = fn;
    db->config.reload_arg = arg;
    sched_unlock(db->lock);
}

int session_reload(struct dendro_conn *conn, struct dn_err *err)
{
    struct dendro_db *db = conn->db;
    engine_reload_fn fn;
    struct config *given;
    void *arg;
    int rc = 0;

    if (!session_superuser(conn))
        return DN_FAIL(err, DN_E_DENIED, "permission denied for function pg_reload_conf");
    sched_lock(db->lock);
    fn = db->config.reload;
    arg = db->config.reload_arg;
    given = config_ref(db->config.given);
    sched_unlock(db->lock);
    if (fn)
        fn(arg);
    else
        rc = engine_configure(db, given, NULL, NULL, err);
    config_unref(given);
    return rc;
}

/* ---- what sessions ask ---- */

void engine_settings_copy(struct dendro_db *db,
                          struct settings *ret,
                          struct settings_extra **ret_extra)
{
    sched_lock(db->lock);
    *ret = db->settings;
    *ret_extra = settings_extra_ref(db->config.extra);
    sched_unlock(db->lock);
}

const struct config_entry *
engine_settings_entry(struct dendro_db *db, const struct setting_row *row, struct config **ret_held)
{
    bool start = row->scope == SETTING_START || row->scope == SETTING_DATABASE;

    sched_lock(db->lock);
    *ret_held = config_ref(start ? db->config.began : db->config.now);
    sched_unlock(db->lock);
    return config_get(*ret_held, row);
}

int engine_settings_show(struct dendro_db *db,
                         const struct setting_row *row,
                         struct buf *b,
                         struct dn_err *err)
{
    struct config *held;
    const struct config_entry *e = engine_settings_entry(db, row, &held);
    int rc = 0;

    if (e)
        buf_puts(b, e->value);
    else
        rc = settings_canonical(row, row->def_text, b, err);
    config_unref(held);
    return rc < 0 ? rc : b->failed ? DN_FAIL_NOMEM(err) : 0;
}

bool engine_settings_pending(struct dendro_db *db, const struct setting_row *row)
{
    struct config *now;
    bool pending;

    if (row->scope != SETTING_START && row->scope != SETTING_DATABASE)
        return false;
    now = engine_config(db);
    pending = !config_same(db->config.began, now, row);
    config_unref(now);
    return pending;
}

/* ---- ALTER SYSTEM ---- */

/* volume_doc_load_fn: every line can be taken. */
static int configure_loads(void *arg DN_UNUSED, const void *p, size_t n, struct dn_err *err)
{
    struct config *c = NULL;
    int rc = config_new(&c, err);

    if (rc < 0)
        return rc;
    rc = config_parse(c, p, n, &configure_system, NULL, NULL, err);
    config_unref(c);
    return rc > 0 ? DN_FAIL(err, DN_E_CORRUPT, CONFIGURE_DOC ": %d lines are no settings", rc) : rc;
}

/* Puts, or takes away, and writes the document. Holds db->edit. */
static int configure_write(struct dendro_db *db,
                           const struct setting_row *row,
                           const char *value,
                           struct dn_err *err)
{
    uint64_t generation;
    struct config *c = NULL;
    struct buf b;
    struct volume_doc doc = {.name = CONFIGURE_DOC, .bytes = &b, .load = configure_loads};
    int rc = config_new(&c, err);

    buf_init(&b, NULL);
    if (rc == 0)
        rc = configure_read(db->volume, c, &generation, NULL, NULL, err);
    if (rc == 0 && value)
        rc = config_put(c, row->name, value, &configure_system, err);
    else if (rc == 0)
        config_drop(c, row, CONFIG_SYSTEM);
    if (rc == 0)
        rc = config_print(c, CONFIG_SYSTEM, &b, err);
    if (rc == 0)
        rc = volume_doc_save(db->volume, &doc, generation, &generation, err);
    buf_done(&b);
    config_unref(c);
    return rc;
}

/* Somebody who may, and a value that sessions could take. */
static int configure_may(struct dendro_conn *conn,
                         const struct setting_row *row,
                         const char *value,
                         struct dn_err *err)
{
    bool super = session_superuser(conn);

    if (!super && !row)
        return DN_FAIL(err, DN_E_DENIED, "permission denied to perform ALTER SYSTEM RESET ALL");
    if (!super)
        return DN_FAIL(err, DN_E_DENIED, "permission denied to set parameter \"%s\"", row->name);
    if (!row)
        return 0;
    if (strcmp(row->name, "data") == 0)
        return DN_FAIL(err, DN_E_CANT_CHANGE, "parameter \"%s\" cannot be changed", row->name);
    if (value && strpbrk(value, "\r\n"))
        return DN_FAIL(
            err, DN_E_INVALID_PARAM, "parameter value for ALTER SYSTEM must not contain a newline");
    return value ? session_setting_check(conn, row, value, err) : 0;
}

static void configure_notice(struct dendro_conn *conn, const struct setting_row *row)
{
    const struct config_entry *e;
    struct config *held;

    sched_lock(conn->db->lock);
    held = config_ref(conn->db->config.given);
    sched_unlock(conn->db->lock);
    e = config_get(held, row);
    if (e && e->source > CONFIG_SYSTEM)
        session_notice(conn,
                       "NOTICE",
                       "parameter \"%s\" is set by the %s%s%s, which wins",
                       row->name,
                       config_source_name(e->source),
                       e->where[0] ? ": " : "",
                       e->where);
    else if (row->scope == SETTING_START || row->scope == SETTING_DATABASE)
        session_notice(conn,
                       "NOTICE",
                       "parameter \"%s\" takes effect when the %s again",
                       row->name,
                       row->server ? "server is started" : "database is opened");
    config_unref(held);
}

int session_alter_system(struct dendro_conn *conn,
                         const struct stmt *ast,
                         const char *name,
                         const char *value,
                         struct dn_err *err)
{
    const struct setting_row *row = name ? settings_find(name, err) : NULL;
    struct dendro_db *db = conn->db;
    int tries = 0;
    int rc;

    if (name && !row) {
        dn_err_at(err, ast->name.pos);
        return DN_E_UNDEFINED_OBJECT;
    }
    rc = session_write_allowed(conn, err);
    if (rc == 0)
        rc = configure_may(conn, row, value, err);
    if (rc == 0)
        rc = edit_take(&db->edit, &conn->cancel, err);
    if (rc == 0) {
        do
            rc = configure_write(db, row, value, err);
        while (rc == DN_E_CONFLICT && ++tries < CONFIGURE_TRIES);
        edit_give(&db->edit);
    }
    if (rc == 0 && row)
        configure_notice(conn, row);
    return rc;
}

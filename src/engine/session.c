/* SPDX-License-Identifier: Apache-2.0
 *
 * session.c: a session: schema, settings, notices, and errors on their way out. */
#include "engine/advisory.h"
#include "engine/door.h"
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/parts.h"
#include "engine/session_settings.h"

#include "base/cancel.h"
#include "plan/view.h"
#include "system/system.h"
#include "volume/clock.h"

#include <stdio.h>

int engine_return(struct dendro_error *to, const struct dn_err *from, int rc)
{
    if (!to)
        return rc;
    to->code = 0;
    to->position = 0;
    to->sqlstate[0] = to->message[0] = to->hint[0] = '\0';
    if (rc >= 0)
        return rc;
    to->code = rc;
    to->position = from->position;
    snprintf(to->sqlstate, sizeof(to->sqlstate), "%s", from->sqlstate);
    snprintf(to->message, sizeof(to->message), "%s", from->text);
    snprintf(to->hint, sizeof(to->hint), "%s", from->hint);
    return rc;
}

int engine_time(int64_t value, enum dendro_unit unit, struct datum *ret, struct dn_err *err)
{
    *ret = (struct datum){.type = unit == DENDRO_UNIT_NS   ? TYPE_TIMESTAMP_NS
                                  : unit == DENDRO_UNIT_US ? TYPE_TIMESTAMP_US
                                                           : TYPE_TIMESTAMP,
                          .v = {.i64 = value}};
    if (unit != DENDRO_UNIT_S && unit != DENDRO_UNIT_MS && unit != DENDRO_UNIT_US &&
        unit != DENDRO_UNIT_NS)
        return DN_FAIL(err, DN_E_MISUSE, "no such unit of time: %d", (int)unit);
    if (unit == DENDRO_UNIT_S && __builtin_mul_overflow(value, (int64_t)1000, &ret->v.i64))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "the time is out of range");
    return 0;
}

const char *dendro_error_name(int code)
{
    return dn_code_name(code);
}

int dendro_connect(dendro_db *db, dendro_conn **ret_conn, struct dendro_error *err)
{
    struct dendro_conn *conn;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!db || !ret_conn)
        return engine_return(
            err,
            &e,
            DN_FAIL(&e, DN_E_MISUSE, "dendro_connect: no database, or no place for the result"));
    conn = mem_calloc(&db->sessions, 1, sizeof(*conn));
    if (!conn)
        return engine_return(err, &e, DN_FAIL_NOMEM(&e));
    conn->db = db;
    atomic_init(&conn->cancel, false);
    conn->user = conn->role = ACCESS_FIRST;
    rc = session_settings_begin(conn, &e);
    if (rc < 0) {
        session_settings_end(conn);
        mem_free(conn);
        return engine_return(err, &e, rc);
    }
    session_settings_changed(conn);
    sched_lock(db->lock);
    db->conns_count++;
    conn->number = ++db->conns_made;
    sched_unlock(db->lock);
    session_tick(conn);
    activity_connect(conn);
    *ret_conn = conn;
    return engine_return(err, &e, DENDRO_OK);
}

void session_tick(struct dendro_conn *conn)
{
    conn->functions.statement_ns = volume_clock_ns(conn->db->volume);
    conn->functions.transaction_ns =
        tx_in_block(conn) ? conn->tx.now_ns : conn->functions.statement_ns;
}

void dendro_disconnect(dendro_conn *conn)
{
    struct dendro_db *db;

    if (!conn)
        return;
    db = conn->db;
    conn->closing = true;
    cursor_close_all(conn);
    while (conn->stmts)
        dendro_finalize(conn->stmts);
    stmt_cache_free(conn);
    session_free_prepared(conn);
    session_free_appenders(conn);
    session_sequences_forget(conn);
    tx_rollback(conn);
    session_drop_temps(conn);
    advisory_end_session(conn);
    activity_disconnect(conn);
    session_settings_end(conn);
    mem_free(conn);
    sched_lock(db->lock);
    db->conns_count--;
    sched_unlock(db->lock);
}

void dendro_cancel(dendro_conn *conn)
{
    if (conn)
        atomic_store(&conn->cancel, true);
}

const char *dendro_schema(dendro_conn *conn)
{
    struct catalog *cat;

    if (!conn)
        return NULL;
    cat = tx_catalog(conn);
    session_path_follow(conn, cat);
    catalog_unref(cat);
    return conn->path;
}

void dendro_set_notice(dendro_conn *conn, dendro_notice_fn fn, void *arg)
{
    if (!conn)
        return;
    conn->notice = fn;
    conn->notice_arg = arg;
}

/* client_min_messages lets it pass. */
static bool session_wants(const struct dendro_conn *conn, const char *severity)
{
    static const char *const levels[] = {"LOG", "NOTICE", "WARNING"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(levels); i++)
        if (strcmp(severity, levels[i]) == 0)
            return (int64_t)i + 5 >= conn->settings.client_min_messages;
    return true;
}

void session_notice(struct dendro_conn *conn, const char *severity, const char *fmt, ...)
{
    char text[DN_ERR_TEXT_MAX];
    va_list ap;

    if (!conn->notice || !session_wants(conn, severity))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    conn->notice(conn->notice_arg, severity, text);
}

static double session_rows(void *arg, const struct table *t)
{
    struct dendro_db *db = arg;
    struct shard_stats stats;

    shard_table_stats(db->shard, t->id, &stats);
    return (double)(stats.memtable_rows + stats.segment_rows);
}

static const char *session_path_more(const struct dendro_conn *conn)
{
    return conn->path[0] ? conn->path + strlen(conn->path) + 1 : NULL;
}

struct plan_env
session_plan_env(const struct dendro_conn *conn, const struct catalog *cat, struct arena *arena)
{
    return (struct plan_env){.catalog = cat,
                             .schema = conn->path,
                             .more = session_path_more(conn),
                             .temp = conn->temp_schema[0] ? conn->temp_schema : NULL,
                             .settings = &conn->settings,
                             .role = conn->role,
                             .arena = arena,
                             .now_ns =
                                 tx_in_block(conn) ? conn->tx.now_ns : conn->functions.statement_ns,
                             .types = &conn->types,
                             .session = &conn->functions,
                             .rows = session_rows,
                             .rows_arg = conn->db,
                             .short_names = conn->short_names};
}

void engine_short_names(struct dendro_conn *conn)
{
    conn->short_names = true;
}

void session_intake_run(struct dendro_conn *conn, struct intake_run *ret)
{
    /* A default says what now() says in the statement; what is no statement has no such time. */
    ret->now_ns = tx_in_block(conn)      ? conn->tx.now_ns
                  : (conn->stepping > 0) ? conn->functions.statement_ns
                                         : volume_clock_ns(conn->db->volume);
    ret->latest_ns = volume_latest_ns(conn->db->volume);
    ret->session = &conn->functions;
    ret->late = &conn->late;
}

struct catalog_path session_path(const struct dendro_conn *conn)
{
    return (struct catalog_path){.temp = conn->temp_schema[0] ? conn->temp_schema : NULL,
                                 .schema = conn->path,
                                 .more = session_path_more(conn)};
}

int session_relation(const struct dendro_conn *conn,
                     const struct catalog *cat,
                     const struct qual_name *name,
                     struct catalog_relation *ret,
                     struct dn_err *err)
{
    struct catalog_path path = session_path(conn);
    int rc = catalog_resolve(cat, &path, name->schema, name->name, ret, err);

    if (rc < 0 && sys_find(name->schema, name->name))
        rc = DN_FAIL(
            err, DN_E_SYSTEM_CATALOG, "permission denied: \"%s\" is a system catalog", name->name);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

const struct table *session_table(const struct dendro_conn *conn,
                                  const struct catalog *cat,
                                  const struct qual_name *name,
                                  struct dn_err *err)
{
    struct catalog_relation r = {.table = NULL};

    if (session_relation(conn, cat, name, &r, err) == 0 && !r.table) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_WRONG_OBJECT,
                          "\"%s\" is not a table",
                          catalog_relation_name(&r))); /* NULL says it */
        dn_err_at(err, name->pos);
    }
    return r.table;
}

const struct table *session_target(const struct dendro_conn *conn,
                                   const struct catalog *cat,
                                   const struct qual_name *name,
                                   bool *ret_named,
                                   struct dn_err *err)
{
    const struct table *t = session_table(conn, cat, name, err);

    *ret_named = t && t->parent != 0;
    return t ? timepart_newest(cat, t) : NULL;
}

int session_check_cancel(const struct dendro_conn *conn, struct dn_err *err)
{
    return activity_explain(conn, dn_cancel_check(&conn->cancel, err), err);
}

int session_canceled_memory(const struct dendro_conn *conn, int rc, struct dn_err *err)
{
    int canceled = rc == DN_E_NOMEM ? session_check_cancel(conn, err) : 0;

    return canceled < 0 ? canceled : rc;
}

int session_write_allowed(const struct dendro_conn *conn, struct dn_err *err)
{
    if (conn->db->read_only)
        return DN_FAIL(err, DN_E_READ_ONLY, "the database is open read-only");
    return 0;
}

int session_use(struct dendro_conn *conn, const struct stmt *ast, struct dn_err *err)
{
    struct catalog *cat = tx_catalog(conn);
    struct catalog_path path = session_path(conn);
    const struct schema_def *s = catalog_path_schema(cat, &path, ast->name.name, err);

    int rc = s ? session_path_use(conn, s->name, err) : err->code;

    if (rc < 0)
        dn_err_at(err, ast->name.pos);
    catalog_unref(cat);
    return rc;
}

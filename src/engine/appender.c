/* SPDX-License-Identifier: Apache-2.0
 *
 * appender.c: dendro_appender_…: values into an intake batch, the batch into one commit. The first
 * bad value stays the batch's error until the batch is thrown away, so that no row goes missing
 * unnoticed when a caller looks at the last result only. */
#include "engine/appender_int.h"
#include "engine/generated.h"
#include "engine/intake_late.h"
#include "engine/pressure.h"
#include "engine/privilege.h"
#include "engine/route.h"

#include "plan/plan.h"
#include "store/shard_load.h"

#include <inttypes.h>
#include <math.h>

#define APPENDER_FLUSH_ROWS   65536u
#define APPENDER_FLUSH_BYTES  (16u * 1024 * 1024)
#define APPENDER_DIRECT_BYTES (64u * 1024 * 1024) /* a bigger batch goes past the log */

/* ---- open, close ---- */

/* The role may have been given the right, or lost it, since the appender was opened. */
static int
app_allowed(const struct dendro_appender *app, const struct catalog *cat, struct dn_err *err)
{
    return privilege_insert(
        app->conn, cat, app->target.table, app->target.cols, app->target.cols_count, err);
}

static int app_target(struct dendro_appender *app,
                      const char *schema,
                      const char *table,
                      const char *const *columns,
                      struct dn_err *err)
{
    const struct qual_name name = {.schema = schema, .name = table};
    bool named;
    const struct table *t = session_target(app->conn, app->catalog, &name, &named, err);
    struct plan_env env = session_plan_env(app->conn, app->catalog, &app->arena);
    struct spec_name *names = NULL;
    uint32_t count = 0;
    int rc;

    if (!t)
        return err->code;
    while (columns && columns[count])
        count++;
    if (columns) {
        names = arena_calloc(&app->arena, count + 1, sizeof(*names));
        if (!names)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < count; i++)
            names[i].s = columns[i];
    }
    rc = intake_target_columns(&app->target, t, names, count, &app->arena, err);
    if (rc == 0)
        rc = app_allowed(app, app->catalog, err);
    if (rc == 0)
        rc = intake_target_plain(&app->target, columns != NULL, err);
    if (rc == 0)
        rc = intake_target_bind(&app->target, &env, err);
    if (rc == 0)
        rc = intake_target_unlisted(&app->target, err);
    app->target.named = named;
    return rc;
}

static void app_free(struct dendro_appender *app)
{
    if (app->prev)
        app->prev->next = app->next;
    else
        app->conn->appenders = app->next;
    if (app->next)
        app->next->prev = app->prev;
    if (app->rows.to)
        intake_done(&app->rows);
    arena_done(&app->scratch);
    arena_done(&app->arena);
    catalog_unref(app->catalog);
    mem_free(app);
}

int dendro_appender_open(dendro_conn *conn,
                         const char *schema,
                         const char *table,
                         const char *const *columns,
                         dendro_appender **ret_app,
                         struct dendro_error *err)
{
    struct dendro_appender *app;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!conn || !table || !ret_app)
        return engine_return(
            err,
            &e,
            DN_FAIL(&e,
                    DN_E_MISUSE,
                    "dendro_appender_open: no session, table or place for the result"));
    app = mem_calloc(keep_source(conn), 1, sizeof(*app));
    if (!app)
        return engine_return(err, &e, DN_FAIL_NOMEM(&e));
    app->conn = conn;
    app->next = conn->appenders;
    if (conn->appenders)
        conn->appenders->prev = app;
    conn->appenders = app;
    app->flush_rows = APPENDER_FLUSH_ROWS;
    app->flush_bytes = APPENDER_FLUSH_BYTES;
    mem_owner_init(&app->owner, "appender", keep_source(conn), 0);
    arena_init(&app->arena, &app->owner);
    arena_init(&app->scratch, &app->owner);
    app->catalog = tx_catalog(conn);
    rc = session_write_allowed(conn, &e);
    if (rc == 0)
        rc = app_target(app, schema, table, columns, &e);
    if (rc == 0)
        rc = intake_init(&app->rows, &app->target, &app->owner, &e);
    app->rows.run.late = &conn->late;
    if (rc < 0) {
        app_free(app);
        return engine_return(err, &e, rc);
    }
    *ret_app = app;
    return engine_return(err, &e, DENDRO_OK);
}

void session_free_appenders(struct dendro_conn *conn)
{
    while (conn->appenders)
        app_free(conn->appenders);
}

void dendro_appender_set_flush(dendro_appender *app, uint64_t rows, uint64_t bytes)
{
    if (!app)
        return;
    app->flush_rows = rows;
    app->flush_bytes = bytes;
}

uint64_t dendro_appender_rows(const dendro_appender *app)
{
    return app ? app->flushed : 0;
}

void dendro_appender_clear(dendro_appender *app)
{
    if (!app)
        return;
    intake_undo_row(&app->rows);
    intake_reset(&app->rows);
    app->field = 0;
    app->in_row = false;
    app->bytes = 0;
    app->rc = 0;
}

/* ---- errors ---- */

/* The batch's first error stays. */
int appender_spoil(struct dendro_appender *app, int rc, const struct dn_err *why)
{
    app->rc = rc;
    app->why = *why;
    return rc;
}

/* The row's number as the caller counts. */
uint64_t appender_row(const struct dendro_appender *app, uint64_t in_batch)
{
    return app->flushed + in_batch + 1;
}

int appender_begin(struct dendro_appender *app, struct dn_err *err)
{
    if (!app)
        return DN_FAIL(err, DN_E_MISUSE, "no appender");
    if (app->rc < 0)
        *err = app->why;
    return app->rc;
}

/* ---- values ---- */

/* now() in a DEFAULT is the time of the batch's first row. */
static void app_begin_row(struct dendro_appender *app)
{
    if (app->rows.rows == 0)
        session_intake_run(app->conn, &app->rows.run);
    intake_begin_row(&app->rows);
}

static int app_put(struct dendro_appender *app, const struct intake_value *v, struct dn_err *err)
{
    const struct table *t = app->target.table;
    uint16_t col = app->target.cols[app->field];
    struct datum d;
    int rc;

    if (!app->in_row)
        app_begin_row(app);
    app->in_row = true;
    rc = v ? intake_assign(t, col, v, app->target.session, &app->scratch, &d, err)
           : intake_default(&app->target, col, &app->rows.run, &app->scratch, &d, err);
    if (rc == 0)
        rc = intake_put(&app->rows, col, &d, err);
    if (rc < 0) {
        if (rc != DN_E_NOMEM)
            dn_err_prefix(err,
                          "row %" PRIu64 ", column \"%s\"",
                          appender_row(app, app->rows.rows),
                          t->columns[col].name);
        return rc;
    }
    app->bytes += type_is_string(d.type) ? 16 + d.str.len : 8;
    app->field++;
    arena_reset(&app->scratch);
    return 0;
}

/* v NULL: DEFAULT. */
static int
app_append(struct dendro_appender *app, const struct intake_value *v, struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = appender_begin(app, &e);
    if (rc < 0)
        return engine_return(err, &e, rc);
    if (app->field == app->target.cols_count)
        rc = DN_FAIL(&e,
                     DN_E_ENTRY_COUNT,
                     "row %" PRIu64 " has too many values for %u columns",
                     appender_row(app, app->rows.rows),
                     app->target.cols_count);
    else
        rc = app_put(app, v, &e);
    if (rc < 0)
        rc = appender_spoil(app, rc, &e);
    return engine_return(err, &e, rc);
}

int dendro_append_null(dendro_appender *app, struct dendro_error *err)
{
    struct intake_value v = {.d = {.type = TYPE_NONE, .null = true}};

    return app_append(app, &v, err);
}

int dendro_append_default(dendro_appender *app, struct dendro_error *err)
{
    return app_append(app, NULL, err);
}

int dendro_append_bool(dendro_appender *app, bool value, struct dendro_error *err)
{
    struct intake_value v = {.d = {.type = TYPE_BOOLEAN, .v = {.i64 = value}}};

    return app_append(app, &v, err);
}

int dendro_append_int64(dendro_appender *app, int64_t value, struct dendro_error *err)
{
    struct intake_value v = {.d = {.type = TYPE_BIGINT, .v = {.i64 = value}}};

    return app_append(app, &v, err);
}

int dendro_append_double(dendro_appender *app, double value, struct dendro_error *err)
{
    struct intake_value v = {.d = {.type = TYPE_DOUBLE, .v = {.f64 = value}}};

    return app_append(app, &v, err);
}

/* A text or blob as a value; false: it cannot be one. */
int appender_bytes(
    enum type_id type, const void *bytes, size_t len, struct intake_value *ret, struct dn_err *err)
{
    if (!bytes && len > 0)
        return DN_FAIL(err, DN_E_MISUSE, "no bytes given");
    if (len > SQL_TEXT_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "%zu bytes, more than %u", len, SQL_TEXT_MAX);
    *ret = (struct intake_value){
        .d = {.type = type, .str = {.ptr = bytes ? bytes : "", .len = (uint32_t)len}},
        .untyped = type == TYPE_VARCHAR};
    return 0;
}

static int app_append_bytes(dendro_appender *app,
                            enum type_id type,
                            const void *bytes,
                            size_t len,
                            struct dendro_error *err)
{
    struct intake_value v;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = appender_bytes(type, bytes, len, &v, &e);
    if (rc == 0)
        return app_append(app, &v, err);
    return engine_return(err, &e, app && app->rc == 0 ? appender_spoil(app, rc, &e) : rc);
}

int dendro_append_text(dendro_appender *app,
                       const char *text,
                       ptrdiff_t len,
                       struct dendro_error *err)
{
    size_t bytes = len >= 0 ? (size_t)len : text ? strlen(text) : 1;

    return app_append_bytes(app, TYPE_VARCHAR, text, bytes, err);
}

int dendro_append_blob(dendro_appender *app,
                       const void *bytes,
                       size_t len,
                       struct dendro_error *err)
{
    return app_append_bytes(app, TYPE_BLOB, bytes, len, err);
}

int dendro_append_timestamp(dendro_appender *app,
                            int64_t value,
                            enum dendro_unit unit,
                            struct dendro_error *err)
{
    struct intake_value v;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = engine_time(value, unit, &v.d, &e);
    v.untyped = false;
    v.digits = (struct plan_digits){.clock = false};
    if (rc == 0)
        return app_append(app, &v, err);
    return engine_return(err, &e, app && app->rc == 0 ? appender_spoil(app, rc, &e) : rc);
}

/* ---- rows ---- */

/* The table may have gone or changed since the appender was opened. */
static int app_check_table(struct dendro_appender *app, struct dn_err *err)
{
    const struct table *mine = app->target.table;
    struct catalog *now = tx_catalog(app->conn);
    const struct table *t = app->target.named
                                ? catalog_table_by_id(now, mine->id)
                                : timepart_target(now, mine); /* its shard may have gone */
    const struct table *parent = timepart_parent(now, mine);
    int rc = 0;

    if (!t && (!parent || app->target.named))
        rc = DN_FAIL(err, DN_E_UNDEFINED_TABLE, "table \"%s\" was dropped", mine->name);
    else if (!t || (t->id == mine->id && t->version != mine->version))
        rc = DN_FAIL(err,
                     DN_E_MISUSE,
                     "table \"%s\" was altered since the appender was opened",
                     parent ? parent->name : mine->name);
    else
        rc = app_allowed(app, now, err);
    catalog_unref(now);
    return rc;
}

static int app_commit_direct(struct dendro_appender *app, struct dn_err *err)
{
    struct shard_load_options options = {
        .batch_bytes = APPENDER_DIRECT_BYTES, .whole = true, .cancel = &app->conn->cancel};
    struct shard_load *load;
    struct shard_load_part part = {.bytes = app->bytes};
    struct shard_batch batch;
    int rc = intake_batch(&app->rows, &batch, err);

    if (rc == 0)
        rc = route_load(app->conn->db, app->target.table, app->target.named, &options, &load, err);
    if (rc < 0)
        return rc;
    part.cols = batch.cols;
    part.rows = batch.rows;
    part.op = batch.op;
    rc = shard_load_add(load, &part, err);
    if (rc == 0)
        rc = shard_load_end(load, err);
    shard_load_free(load);
    return rc;
}

int appender_ready(struct dendro_appender *app, struct dn_err *err)
{
    int rc = appender_begin(app, err);

    if (rc == 0 && app->in_row)
        rc = DN_FAIL(err,
                     DN_E_MISUSE,
                     "row %" PRIu64 " is not ended: dendro_append_end_row comes first",
                     appender_row(app, app->rows.rows));
    return rc < 0 ? rc : app_check_table(app, err);
}

void appender_flushed(struct dendro_appender *app)
{
    app->flushed += app->rows.rows;
    session_late_count(app->conn);
    intake_reset(&app->rows);
    app->bytes = 0;
}

static int app_flush(struct dendro_appender *app, struct dn_err *err)
{
    struct pressure p;
    int rc;

    if (app->rows.rows == 0)
        return 0;
    rc = app_check_table(app, err);
    if (rc < 0)
        return rc;
    atomic_store(&app->conn->cancel, activity_ended(app->conn));
    pressure_begin(&p, app->conn);
    do {
        rc = app->bytes > APPENDER_DIRECT_BYTES && !tx_in_block(app->conn)
                 ? app_commit_direct(app, err)
                 : intake_commit(&app->rows, app->conn, err);
    } while (rc < 0 && (rc = pressure_relieve(&p, app->conn, app->bytes, rc, err)) == 0);
    if (rc < 0) {
        tx_fail(app->conn);
        return rc;
    }
    appender_flushed(app);
    return 0;
}

static bool app_due(const struct dendro_appender *app)
{
    return (app->flush_rows > 0 && app->rows.rows >= app->flush_rows) ||
           (app->flush_bytes > 0 && app->bytes >= app->flush_bytes) ||
           app->rows.rows >= APPENDER_ROWS_MAX;
}

int appender_settle(struct dendro_appender *app, struct dn_err *err)
{
    return app_due(app) ? app_flush(app, err) : 0;
}

int dendro_append_end_row(dendro_appender *app, struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = appender_begin(app, &e);
    if (rc < 0)
        return engine_return(err, &e, rc);
    if (app->field < app->target.cols_count) {
        rc = DN_FAIL(&e,
                     DN_E_ENTRY_COUNT,
                     "row %" PRIu64 " has too few values: %u for %u columns",
                     appender_row(app, app->rows.rows),
                     app->field,
                     app->target.cols_count);
        return engine_return(err, &e, appender_spoil(app, rc, &e));
    }
    intake_end_row(&app->rows);
    app->field = 0;
    app->in_row = false;
    rc = appender_settle(app, &e);
    return engine_return(err, &e, rc);
}

int dendro_appender_flush(dendro_appender *app, struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = appender_begin(app, &e);
    if (rc == 0 && app->in_row)
        rc = DN_FAIL(&e,
                     DN_E_MISUSE,
                     "row %" PRIu64 " is not ended: dendro_append_end_row comes first",
                     appender_row(app, app->rows.rows));
    if (rc == 0)
        rc = app_flush(app, &e);
    return engine_return(err, &e, rc);
}

int dendro_appender_close(dendro_appender *app, struct dendro_error *err)
{
    int rc;

    if (!app)
        return engine_return(err, NULL, DENDRO_OK);
    rc = dendro_appender_flush(app, err);
    app_free(app);
    return rc;
}

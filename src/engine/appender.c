/* SPDX-License-Identifier: Apache-2.0
 *
 * appender.c: dendro_appender_…: values into an intake batch, the batch into one commit. The first
 * bad value stays the batch's error until the batch is thrown away, so that no row goes missing
 * unnoticed when a caller looks at the last result only. */
#include "engine/engine_int.h"

#include "plan/plan.h"
#include "store/shard_load.h"

#include <inttypes.h>
#include <math.h>

#define APPENDER_FLUSH_ROWS   65536u
#define APPENDER_FLUSH_BYTES  (16u * 1024 * 1024)
#define APPENDER_DIRECT_BYTES (64u * 1024 * 1024) /* a bigger batch goes past the log */
#define APPENDER_ROWS_MAX     (1u << 30)          /* of a batch */

struct dendro_appender {
    struct dendro_conn *conn;
    struct dendro_appender *next; /* in conn->appenders */
    struct dendro_appender *prev;
    struct mem_owner owner;
    struct arena arena;      /* target */
    struct arena scratch;    /* of one value */
    struct catalog *catalog; /* one reference */
    struct intake_target target;
    struct intake rows;
    uint32_t field; /* the next value's */
    bool in_row;    /* a value of the row was given */
    uint64_t bytes; /* of the batch, about */
    uint64_t flush_rows;
    uint64_t flush_bytes;
    uint64_t flushed; /* rows */
    int rc;           /* of the batch */
    struct dn_err why;
};

/* ---- open, close ---- */

static int app_target(struct dendro_appender *app,
                      const char *schema,
                      const char *table,
                      const char *const *columns,
                      struct dn_err *err)
{
    const struct qual_name name = {.schema = schema, .name = table};
    const struct table *t = session_table(app->conn, app->catalog, &name, err);
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
        rc = intake_target_unlisted(&app->target, err);
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
    app = mem_calloc(&conn->db->owner, 1, sizeof(*app));
    if (!app)
        return engine_return(err, &e, DN_FAIL_NOMEM(&e));
    app->conn = conn;
    app->next = conn->appenders;
    if (conn->appenders)
        conn->appenders->prev = app;
    conn->appenders = app;
    app->flush_rows = APPENDER_FLUSH_ROWS;
    app->flush_bytes = APPENDER_FLUSH_BYTES;
    mem_owner_init(&app->owner, "appender", &conn->db->owner, 0);
    arena_init(&app->arena, &app->owner);
    arena_init(&app->scratch, &app->owner);
    app->catalog = engine_catalog(conn->db);
    rc = session_write_allowed(conn, &e);
    if (rc == 0)
        rc = app_target(app, schema, table, columns, &e);
    if (rc == 0)
        rc = intake_init(&app->rows, &app->target, &app->owner, &e);
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
static int app_spoil(struct dendro_appender *app, int rc, const struct dn_err *why)
{
    app->rc = rc;
    app->why = *why;
    return rc;
}

/* The row's number as the caller counts. */
static uint64_t app_row(const struct dendro_appender *app, uint64_t in_batch)
{
    return app->flushed + in_batch + 1;
}

static int app_begin(struct dendro_appender *app, struct dn_err *err)
{
    if (!app)
        return DN_FAIL(err, DN_E_MISUSE, "no appender");
    if (app->rc < 0)
        *err = app->why;
    return app->rc;
}

/* ---- values ---- */

static int app_put(struct dendro_appender *app, const struct intake_value *v, struct dn_err *err)
{
    const struct table *t = app->target.table;
    uint16_t col = app->target.cols[app->field];
    struct datum d;
    int rc;

    if (!app->in_row)
        intake_begin_row(&app->rows);
    app->in_row = true;
    rc = v ? intake_assign(t, col, v, &app->scratch, &d, err) : intake_default(t, col, &d, err);
    if (rc == 0)
        rc = intake_put(&app->rows, col, &d, err);
    if (rc < 0) {
        if (rc != DN_E_NOMEM)
            dn_err_prefix(err,
                          "row %" PRIu64 ", column \"%s\"",
                          app_row(app, app->rows.rows),
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
    rc = app_begin(app, &e);
    if (rc < 0)
        return engine_return(err, &e, rc);
    if (app->field == app->target.cols_count)
        rc = DN_FAIL(&e,
                     DN_E_ENTRY_COUNT,
                     "row %" PRIu64 " has too many values for %u columns",
                     app_row(app, app->rows.rows),
                     app->target.cols_count);
    else
        rc = app_put(app, v, &e);
    if (rc < 0)
        rc = app_spoil(app, rc, &e);
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
static int app_bytes(
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
    rc = app_bytes(type, bytes, len, &v, &e);
    if (rc == 0)
        return app_append(app, &v, err);
    return engine_return(err, &e, app && app->rc == 0 ? app_spoil(app, rc, &e) : rc);
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
    v.loose = false;
    if (rc == 0)
        return app_append(app, &v, err);
    return engine_return(err, &e, app && app->rc == 0 ? app_spoil(app, rc, &e) : rc);
}

/* ---- rows ---- */

/* The table may have gone or changed since the appender was opened. */
static int app_check_table(struct dendro_appender *app, struct dn_err *err)
{
    const struct table *mine = app->target.table;
    struct catalog *now = engine_catalog(app->conn->db);
    const struct table *t = catalog_table_by_id(now, mine->id);
    int rc = 0;

    if (!t)
        rc = DN_FAIL(err, DN_E_UNDEFINED_TABLE, "table \"%s\" was dropped", mine->name);
    else if (t->version != mine->version)
        rc = DN_FAIL(
            err, DN_E_MISUSE, "table \"%s\" was altered since the appender was opened", mine->name);
    catalog_unref(now);
    return rc;
}

static int app_commit_direct(struct dendro_appender *app, struct dn_err *err)
{
    struct shard_load_options options = {.batch_bytes = APPENDER_DIRECT_BYTES, .whole = true};
    struct shard *shard = app->conn->db->shard;
    struct shard_load *load;
    struct shard_batch batch;
    int rc = intake_batch(&app->rows, &batch, err);

    if (rc == 0)
        rc = engine_sync_shard(app->conn->db, err);
    if (rc == 0)
        rc = shard_load_begin(shard, app->target.table, &options, &load, err);
    if (rc < 0)
        return rc;
    rc = shard_load_add(load, batch.cols, batch.rows, batch.op, err);
    if (rc == 0)
        rc = shard_load_end(load, err);
    shard_load_free(load);
    return rc;
}

static int app_flush(struct dendro_appender *app, struct dn_err *err)
{
    int rc;

    if (app->rows.rows == 0)
        return 0;
    rc = app_check_table(app, err);
    if (rc < 0)
        return rc;
    rc = app->bytes > APPENDER_DIRECT_BYTES ? app_commit_direct(app, err)
                                            : intake_commit(&app->rows, app->conn, err);
    if (rc < 0)
        return rc;
    app->flushed += app->rows.rows;
    intake_reset(&app->rows);
    app->bytes = 0;
    return 0;
}

static bool app_due(const struct dendro_appender *app)
{
    return (app->flush_rows > 0 && app->rows.rows >= app->flush_rows) ||
           (app->flush_bytes > 0 && app->bytes >= app->flush_bytes) ||
           app->rows.rows >= APPENDER_ROWS_MAX;
}

int dendro_append_end_row(dendro_appender *app, struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = app_begin(app, &e);
    if (rc < 0)
        return engine_return(err, &e, rc);
    if (app->field < app->target.cols_count) {
        rc = DN_FAIL(&e,
                     DN_E_ENTRY_COUNT,
                     "row %" PRIu64 " has too few values: %u for %u columns",
                     app_row(app, app->rows.rows),
                     app->field,
                     app->target.cols_count);
        return engine_return(err, &e, app_spoil(app, rc, &e));
    }
    intake_end_row(&app->rows);
    app->field = 0;
    app->in_row = false;
    rc = app_due(app) ? app_flush(app, &e) : 0;
    return engine_return(err, &e, rc);
}

int dendro_appender_flush(dendro_appender *app, struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = app_begin(app, &e);
    if (rc == 0 && app->in_row)
        rc = DN_FAIL(&e,
                     DN_E_MISUSE,
                     "row %" PRIu64 " is not ended: dendro_append_end_row comes first",
                     app_row(app, app->rows.rows));
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

/* ---- columns ---- */

/* Row `row` of an array as a value. */
static int app_array_value(const struct dendro_array *a,
                           size_t row,
                           struct intake_value *ret,
                           struct dn_err *err)
{
    *ret = (struct intake_value){.d = {.type = (enum type_id)a->type}};
    if (a->nulls && a->nulls[row]) {
        ret->d.null = true;
        return 0;
    }
    switch (a->type) {
    case DENDRO_TYPE_NONE:
        ret->d.null = true;
        return 0;
    case DENDRO_TYPE_BOOLEAN:
        ret->d.v.i64 = ((const uint8_t *)a->values)[row] != 0;
        return 0;
    case DENDRO_TYPE_SMALLINT:
        ret->d.v.i64 = ((const int16_t *)a->values)[row];
        return 0;
    case DENDRO_TYPE_INTEGER:
        ret->d.v.i64 = ((const int32_t *)a->values)[row];
        return 0;
    case DENDRO_TYPE_BIGINT:
    case DENDRO_TYPE_TIMESTAMP:
    case DENDRO_TYPE_TIMESTAMP_US:
    case DENDRO_TYPE_TIMESTAMP_NS:
        ret->d.v.i64 = ((const int64_t *)a->values)[row];
        return 0;
    case DENDRO_TYPE_REAL:
        ret->d.v.f64 = (double)((const float *)a->values)[row];
        return 0;
    case DENDRO_TYPE_DOUBLE:
        ret->d.v.f64 = ((const double *)a->values)[row];
        return 0;
    case DENDRO_TYPE_VARCHAR:
    case DENDRO_TYPE_BLOB: {
        const char *text = ((const char *const *)a->values)[row];
        size_t len = a->lengths ? a->lengths[row] : text ? strlen(text) : 1;

        return app_bytes((enum type_id)a->type, text, len, ret, err);
    }
    case DENDRO_TYPE_INTERVAL: /* no column has it */
        break;
    }
    return DN_FAIL(err, DN_E_MISUSE, "no such type: %d", (int)a->type);
}

/* Numbers and times of the column's own type need no conversion: they are copied at once. False:
 * they have to be looked at one by one. */
static bool app_array_whole(struct dendro_appender *app,
                            uint16_t col,
                            const struct dendro_array *a,
                            size_t rows)
{
    const struct table *t = app->target.table;
    struct colbuf *to = &app->rows.bufs[col];
    enum type_id type = t->columns[col].type;
    struct vec v = {.type = type, .form = VEC_FLAT, .count = (uint32_t)rows, .data = a->values};

    if ((enum type_id)a->type != type || a->nulls)
        return false;
    if (type == TYPE_DOUBLE) {
        for (size_t i = 0; i < rows; i++)
            if (!isfinite(((const double *)a->values)[i]))
                return false;
    } else if (type_is_timestamp(type)) {
        for (size_t i = 0; t->time_col == (int)col && i < rows; i++)
            if (((const int64_t *)a->values)[i] == 0)
                return false;
    } else if (!type_is_int(type)) {
        return false;
    }
    return colbuf_append_vec(to, &v, NULL, (uint32_t)rows);
}

static int app_array(struct dendro_appender *app,
                     uint16_t col,
                     const struct dendro_array *a,
                     size_t rows,
                     struct dn_err *err)
{
    const struct table *t = app->target.table;
    struct intake_value v;
    struct datum d;
    int rc;

    if (rows > 0 && !a->values && a->type != DENDRO_TYPE_NONE)
        return DN_FAIL(err, DN_E_MISUSE, "column \"%s\": no values given", t->columns[col].name);
    if (app_array_whole(app, col, a, rows)) {
        app->bytes += rows * 8;
        return 0;
    }
    for (size_t row = 0; row < rows; row++) {
        rc = app_array_value(a, row, &v, err);
        if (rc == 0)
            rc = intake_assign(t, col, &v, &app->scratch, &d, err);
        if (rc == 0 && !colbuf_append(&app->rows.bufs[col], &d))
            rc = DN_FAIL_NOMEM(err);
        if (rc < 0) {
            if (rc != DN_E_NOMEM)
                dn_err_prefix(err,
                              "row %" PRIu64 ", column \"%s\"",
                              app_row(app, app->rows.rows + row),
                              t->columns[col].name);
            return rc;
        }
        app->bytes += type_is_string(d.type) ? 16 + d.str.len : 8;
        if (v.untyped)
            arena_reset(&app->scratch);
    }
    return 0;
}

/* The keys' text, which no single column can tell. */
static int app_check_keys(struct dendro_appender *app, size_t rows, struct dn_err *err)
{
    const struct table *t = app->target.table;

    for (size_t row = 0; row < rows; row++) {
        uint64_t bytes = app->target.key_bytes;

        for (uint16_t i = 0; i < t->local_count; i++) {
            uint16_t col = t->local[i].col;

            if (app->target.listed[col] && type_is_string(t->columns[col].type))
                bytes += ((const struct vstr *)app->rows.bufs[col].data)[app->rows.rows + row].len;
        }
        if (bytes > INTAKE_KEY_BYTES_MAX)
            return DN_FAIL(err,
                           DN_E_TOO_LONG,
                           "row %" PRIu64 ": the key's text is longer than %u bytes",
                           app_row(app, app->rows.rows + row),
                           INTAKE_KEY_BYTES_MAX);
    }
    return 0;
}

int dendro_append_columns(dendro_appender *app,
                          const struct dendro_array *columns,
                          int columns_count,
                          size_t rows,
                          struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = app_begin(app, &e);
    if (rc < 0)
        return engine_return(err, &e, rc);
    if (app->in_row)
        rc = DN_FAIL(&e, DN_E_MISUSE, "a row is under way: dendro_append_end_row comes first");
    else if (!columns || columns_count < 0 || (uint32_t)columns_count != app->target.cols_count)
        rc = DN_FAIL(&e,
                     DN_E_MISUSE,
                     "%d arrays for %u columns",
                     columns ? columns_count : 0,
                     app->target.cols_count);
    else if (rows > APPENDER_ROWS_MAX - app->rows.rows)
        rc = DN_FAIL(&e, DN_E_TOO_LONG, "more than %u rows in a batch", APPENDER_ROWS_MAX);
    if (rc < 0)
        return engine_return(err, &e, rc);
    for (uint32_t i = 0; rc == 0 && i < app->target.cols_count; i++)
        rc = app_array(app, app->target.cols[i], &columns[i], rows, &e);
    if (rc == 0)
        rc = app_check_keys(app, rows, &e);
    if (rc < 0) {
        intake_undo_row(&app->rows);
        return engine_return(err, &e, app_spoil(app, rc, &e));
    }
    app->rows.rows += (uint32_t)rows;
    rc = app_due(app) ? app_flush(app, &e) : 0;
    return engine_return(err, &e, rc);
}

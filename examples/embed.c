/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.c: Dendro inside a program, from opening to reading rows back: settings, prepared
 * statements, the bulk appender, rows one by one and column by column, progress, errors.
 *
 *     cc embed.c $(pkg-config --cflags --libs dendro) -o embed && ./embed /tmp/demo */
#include <dendro.h>

#include <inttypes.h>
#include <stdio.h>

static int fail(const char *what, const struct dendro_error *err)
{
    fprintf(stderr, "%s: %s (%s)", what, err->message, err->sqlstate);
    if (err->position)
        fprintf(stderr, " at character %" PRIu32, err->position);
    if (err->hint[0])
        fprintf(stderr, "\n  hint: %s", err->hint);
    fputc('\n', stderr);
    return 1;
}

static int insert_rows(dendro_conn *conn, struct dendro_error *err)
{
    static const char *const stations[] = {"roof", "cellar"};
    dendro_stmt *stmt;
    int rc = dendro_prepare(conn, "INSERT INTO weather VALUES ($1, $2, $3)", -1, &stmt, NULL, err);

    for (int i = 0; rc >= 0 && i < 6; i++) {
        rc = dendro_bind_text(stmt, 1, stations[i % 2], -1, err);
        if (rc >= 0)
            rc = dendro_bind_timestamp(stmt, 2, 1433118600 + 60 * i, DENDRO_UNIT_S, err);
        if (rc >= 0)
            rc = dendro_bind_double(stmt, 3, 20.5 + i, err);
        if (rc >= 0)
            rc = dendro_step(stmt, err); /* durable when it returns DENDRO_DONE */
    }
    dendro_finalize(stmt);
    return rc < 0 ? rc : DENDRO_OK;
}

static int print_rows(dendro_conn *conn, struct dendro_error *err)
{
    const char *sql = "SELECT time, temperature FROM weather WHERE station = ? AND time >= "
                      "'2015-06-01' ORDER BY time";
    dendro_stmt *stmt;
    int rc = dendro_prepare(conn, sql, -1, &stmt, NULL, err);

    if (rc >= 0)
        rc = dendro_bind_text(stmt, 1, "roof", -1, err);
    while (rc >= 0 && (rc = dendro_step(stmt, err)) == DENDRO_ROW)
        printf("%s  %.1f\n", dendro_column_text(stmt, 0), dendro_column_double(stmt, 1));
    if (rc >= 0)
        printf("%s\n", dendro_command_tag(stmt));
    dendro_finalize(stmt);
    return rc < 0 ? rc : DENDRO_OK;
}

/* Many rows: the appender checks values as INSERT does, without SQL. */
static int append_rows(dendro_conn *conn, struct dendro_error *err)
{
    dendro_appender *app = NULL;
    int rc = dendro_appender_open(conn, NULL, "weather", NULL, &app, err);
    int closed;

    for (int i = 0; rc >= 0 && i < 5000; i++) {
        rc = dendro_append_text(app, "field", -1, err);
        if (rc >= 0)
            rc = dendro_append_timestamp(app, 1433118600 + 60 * i, DENDRO_UNIT_S, err);
        if (rc >= 0)
            rc = i % 100 ? dendro_append_double(app, i % 30, err) : dendro_append_null(app, err);
        if (rc >= 0)
            rc = dendro_append_end_row(app, err);
    }
    if (rc < 0) {
        dendro_appender_clear(app); /* else close would try to write the rows before the bad one */
        (void)dendro_appender_close(app, NULL);
        return rc;
    }
    closed = dendro_appender_close(app, err);
    return closed < 0 ? closed : DENDRO_OK;
}

static int on_progress(void *arg, const struct dendro_progress *p)
{
    (void)arg;
    fprintf(stderr, "%" PRIu64 " rows, %.0f%%\n", p->rows, p->percent);
    return 0; /* anything else would cancel the statement */
}

/* Column by column: one call gives up to 1024 rows as plain arrays. */
static int sum_columns(dendro_conn *conn, struct dendro_error *err)
{
    struct dendro_batch batch;
    dendro_stmt *stmt;
    uint64_t rows = 0;
    uint64_t missing = 0;
    double sum = 0;
    int rc = dendro_prepare(
        conn, "SELECT temperature FROM weather WHERE station = 'field'", -1, &stmt, NULL, err);

    dendro_set_progress(conn, on_progress, NULL, 500);
    while (rc >= 0 && (rc = dendro_step_batch(stmt, &batch, err)) == DENDRO_ROW) {
        const double *values = batch.columns[0].values;

        for (size_t i = 0; i < batch.rows; i++) {
            if (dendro_batch_null(&batch.columns[0], i))
                missing++;
            else
                sum += values[i];
        }
        rows += batch.rows;
    }
    dendro_set_progress(conn, NULL, NULL, 0);
    if (rc >= 0)
        printf("%" PRIu64 " rows, %" PRIu64 " without a value, sum %.1f\n", rows, missing, sum);
    dendro_finalize(stmt);
    return rc < 0 ? rc : DENDRO_OK;
}

int main(int argc, char **argv)
{
    static const char *const settings[] = {"memory_limit", "256MB", NULL};
    static const struct dendro_options options = {.settings = settings};
    static const char schema[] =
        "CREATE TABLE IF NOT EXISTS weather (\n"
        "    station     VARCHAR   NOT NULL,\n"
        "    time        TIMESTAMP NOT NULL,\n"
        "    temperature DOUBLE,\n"
        "    PRIMARY KEY ((station, QUANTUM(time, 1, 'd')), station, time));\n";
    struct dendro_error err;
    dendro_db *db = NULL;
    dendro_conn *conn = NULL;
    int status = 1;

    if (dendro_open(argc > 1 ? argv[1] : "weather-data", &options, &db, &err) < 0)
        return fail("open", &err);
    if (dendro_connect(db, &conn, &err) < 0)
        fail("connect", &err);
    else if (dendro_exec(conn, schema, -1, NULL, NULL, &err) < 0)
        fail("create", &err);
    else if (insert_rows(conn, &err) < 0)
        fail("insert", &err);
    else if (print_rows(conn, &err) < 0)
        fail("select", &err);
    else if (append_rows(conn, &err) < 0)
        fail("append", &err);
    else if (sum_columns(conn, &err) < 0)
        fail("columns", &err);
    else
        status = 0;
    dendro_disconnect(conn);
    dendro_close(db);
    return status;
}

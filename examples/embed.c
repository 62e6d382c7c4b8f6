/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.c: Dendro inside a program, from opening to reading rows back.
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

int main(int argc, char **argv)
{
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

    if (dendro_open(argc > 1 ? argv[1] : "weather-data", NULL, &db, &err) < 0)
        return fail("open", &err);
    if (dendro_connect(db, &conn, &err) < 0)
        fail("connect", &err);
    else if (dendro_exec(conn, schema, -1, NULL, NULL, &err) < 0)
        fail("create", &err);
    else if (insert_rows(conn, &err) < 0)
        fail("insert", &err);
    else if (print_rows(conn, &err) < 0)
        fail("select", &err);
    else
        status = 0;
    dendro_disconnect(conn);
    dendro_close(db);
    return status;
}

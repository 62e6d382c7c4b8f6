/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_db.c: the runner on libdendro, through the public header alone. */
#include "slt_db.h"

#include <dendro.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLT_CONNS_MAX 16

struct slt_conn {
    char *name;        /* owned, NULL: the first */
    dendro_conn *conn; /* owned */
};

struct slt_db {
    dendro_db *db;                        /* owned */
    struct slt_conn conns[SLT_CONNS_MAX]; /* owned */
    int conns_count;
    dendro_conn *conn; /* borrowed: in use */
};

static int slt_db_fail(struct slt_error *error, const struct dendro_error *err)
{
    slt_error_done(error);
    *error = (struct slt_error){.position = err->position, .text = slt_strdup(err->message)};
    memcpy(error->sqlstate, err->sqlstate, sizeof(error->sqlstate));
    if (err->hint[0])
        error->hint = slt_strdup(err->hint);
    return -1;
}

int slt_db_open(const char *dir, const char *clock, struct slt_db **ret_db, struct slt_error *error)
{
    struct slt_db *db = slt_alloc(sizeof(*db));
    const char *const settings[] = {"test_clock", clock, NULL};
    struct dendro_options options = {.settings = clock ? settings : NULL};
    struct dendro_error err = {0};

    if (dendro_open(dir, &options, &db->db, &err) < 0) {
        slt_db_close(db);
        return slt_db_fail(error, &err);
    }
    if (slt_db_use(db, NULL, error) < 0) {
        slt_db_close(db);
        return -1;
    }
    *ret_db = db;
    return 0;
}

int slt_db_use(struct slt_db *db, const char *name, struct slt_error *error)
{
    struct dendro_error err = {0};
    struct slt_conn *c = db->conns;

    for (int i = 0; i < db->conns_count; i++, c++) {
        if (name ? c->name && strcmp(c->name, name) == 0 : !c->name) {
            db->conn = c->conn;
            return 0;
        }
    }
    if (db->conns_count == SLT_CONNS_MAX) {
        snprintf(err.message, sizeof(err.message), "too many sessions");
        return slt_db_fail(error, &err);
    }
    if (dendro_connect(db->db, &c->conn, &err) < 0)
        return slt_db_fail(error, &err);
    c->name = name ? slt_strdup(name) : NULL;
    db->conn = c->conn;
    db->conns_count++;
    return 0;
}

char *slt_db_clock(struct slt_db *db)
{
    struct slt_result result = {0};
    struct slt_error error = {0};
    char *text = NULL;

    if (db && slt_db_use(db, NULL, &error) == 0 &&
        slt_db_exec(db, "SELECT clock_timestamp()", &result, &error) == 0 &&
        result.values.count == 1)
        text = slt_strdup(result.values.items[0]);
    slt_result_done(&result);
    slt_error_done(&error);
    return text;
}

bool slt_db_in_block(const struct slt_db *db)
{
    for (int i = 0; i < db->conns_count; i++)
        if (dendro_transaction_status(db->conns[i].conn) != DENDRO_TX_IDLE)
            return true;
    return false;
}

int slt_db_checkpoint(struct slt_db *db, struct slt_error *error)
{
    struct dendro_error err = {0};
    dendro_conn *conn = NULL;
    int rc = dendro_connect(db->db, &conn, &err);

    if (rc >= 0)
        rc = dendro_exec(conn, "CHECKPOINT", -1, NULL, NULL, &err);
    dendro_disconnect(conn);
    return rc < 0 ? slt_db_fail(error, &err) : 0;
}

void slt_db_close(struct slt_db *db)
{
    if (!db)
        return;
    for (int i = 0; i < db->conns_count; i++) {
        dendro_disconnect(db->conns[i].conn);
        free(db->conns[i].name);
    }
    if (dendro_close(db->db) < 0) {
        fprintf(stderr, "slt: the database does not close\n");
        exit(2);
    }
    free(db);
}

static char slt_db_letter(enum dendro_type type)
{
    switch (type) {
    case DENDRO_TYPE_BOOLEAN:
        return 'B';
    case DENDRO_TYPE_SMALLINT:
    case DENDRO_TYPE_INTEGER:
    case DENDRO_TYPE_BIGINT:
    case DENDRO_TYPE_OID:
        return 'I';
    case DENDRO_TYPE_REAL:
    case DENDRO_TYPE_DOUBLE:
        return 'R';
    case DENDRO_TYPE_BLOB:
        return 'X';
    case DENDRO_TYPE_TIMESTAMP:
    case DENDRO_TYPE_TIMESTAMP_US:
    case DENDRO_TYPE_TIMESTAMP_NS:
    case DENDRO_TYPE_DATE:
    case DENDRO_TYPE_TIME:
    case DENDRO_TYPE_TIMETZ:
    case DENDRO_TYPE_TIMESTAMPTZ:
    case DENDRO_TYPE_TIMESTAMP_LOCAL:
        return 'D';
    case DENDRO_TYPE_NONE:
    case DENDRO_TYPE_VARCHAR:
    case DENDRO_TYPE_BIT:
    case DENDRO_TYPE_VARBIT:
    case DENDRO_TYPE_ENUM:
    case DENDRO_TYPE_BPCHAR:
    case DENDRO_TYPE_INTERVAL:
    case DENDRO_TYPE_UUID:
    case DENDRO_TYPE_NAME:
    case DENDRO_TYPE_CHAR1:
    case DENDRO_TYPE_REGCLASS:
    case DENDRO_TYPE_REGTYPE:
    case DENDRO_TYPE_REGPROC:
    case DENDRO_TYPE_REGNAMESPACE:
    case DENDRO_TYPE_REGROLE:
    case DENDRO_TYPE_INT2VECTOR:
    case DENDRO_TYPE_OIDVECTOR:
    case DENDRO_TYPE_NODE_TREE:
    case DENDRO_TYPE_ACLITEM:
    case DENDRO_TYPE_EXPANDED:
    case DENDRO_TYPE_ARRAY:
        return 'T';
    case DENDRO_TYPE_NUMERIC:
        return 'N';
    }
    return 'T';
}

static void slt_db_columns(dendro_stmt *stmt, struct slt_result *result)
{
    int count = dendro_column_count(stmt);

    slt_result_done(result);
    *result = (struct slt_result){0};
    if (count <= 0)
        return;
    result->types = slt_alloc((size_t)count + 1);
    for (int i = 0; i < count; i++) {
        result->types[i] = slt_db_letter(dendro_column_type(stmt, i));
        slt_list_add(&result->names, slt_strdup(dendro_column_name(stmt, i)));
    }
}

static void slt_db_row(dendro_stmt *stmt, struct slt_result *result)
{
    for (int i = 0; i < dendro_column_count(stmt); i++) {
        const char *text = dendro_column_is_null(stmt, i) ? NULL : dendro_column_text(stmt, i);
        size_t len = text ? dendro_column_bytes(stmt, i) : 0;

        slt_list_add(&result->values, slt_escape(text, len));
    }
}

/* One prepared statement to its end. */
static int slt_db_step(dendro_stmt *stmt, struct slt_result *result, struct dendro_error *err)
{
    int rc;

    slt_db_columns(stmt, result);
    while ((rc = dendro_step(stmt, err)) == DENDRO_ROW)
        slt_db_row(stmt, result);
    if (rc >= 0)
        result->affected = (int64_t)dendro_rows_affected(stmt);
    return rc;
}

int slt_db_exec(struct slt_db *db,
                const char *sql,
                struct slt_result *ret_result,
                struct slt_error *error)
{
    const char *rest = sql;

    for (;;) {
        struct dendro_error err = {0};
        dendro_stmt *stmt = NULL;
        int rc = dendro_prepare(db->conn, rest, -1, &stmt, &rest, &err);

        if (rc >= 0 && !stmt)
            return 0;
        if (rc >= 0)
            rc = slt_db_step(stmt, ret_result, &err);
        dendro_finalize(stmt);
        if (rc < 0)
            return slt_db_fail(error, &err);
    }
}

void slt_result_done(struct slt_result *result)
{
    slt_list_clear(&result->names);
    slt_list_clear(&result->values);
    free(result->types);
    *result = (struct slt_result){0};
}

void slt_error_done(struct slt_error *error)
{
    free(error->text);
    free(error->hint);
    *error = (struct slt_error){0};
}

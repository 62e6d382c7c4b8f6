/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_dendro.c: Dendro through dendro.h, as a program of any user would call it. Answers are
 * fetched in batches of columns, as those of DuckDB are in chunks. */
#include "peer.h"

#include <dendro.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS_PER_INSERT 5000u
#define NUMERIC_MAX     64u
#define DAY_MS          INT64_C(86400000)

#define CALLS(X)    \
    X(open)         \
    X(close)        \
    X(connect)      \
    X(disconnect)   \
    X(version_full) \
    X(prepare)      \
    X(step_batch)   \
    X(finalize)     \
    X(column_count) \
    X(column_name)

#define DECLARE(name) __typeof__(&dendro_##name) name;
static struct {
    CALLS(DECLARE)
} dn;

static const struct symbol symbols[] = {
#define SYMBOL(name) {#name, offsetof(__typeof__(dn), name)},
    CALLS(SYMBOL)};

struct dendro {
    dendro_db *db;
    dendro_conn *conn;
};

static int fail(struct peer_error *err, const struct dendro_error *e)
{
    return peer_fail(err, e->sqlstate, e->message);
}

static void *dendro_peer_open(const char *lib,
                              const char *path,
                              const char *const *settings,
                              struct peer_error *err)
{
    static struct dendro d;
    struct dendro_options options = {.settings = settings};
    struct dendro_error e = {0};

    /* Not a setting: it must come first, and then no background work changes the files. */
    if (settings && settings[0] && strcmp(settings[0], "read_only") == 0) {
        options.flags = DENDRO_OPEN_READ_ONLY;
        options.settings += 2;
    }
    if (library_load(lib, "dendro_", symbols, sizeof symbols / sizeof symbols[0], &dn, err))
        return NULL;
    if (dn.open(path, &options, &d.db, &e) < 0 || dn.connect(d.db, &d.conn, &e) < 0) {
        fail(err, &e);
        return NULL;
    }
    return &d;
}

static const char *dendro_peer_version(void *peer)
{
    (void)peer;
    return dn.version_full();
}

static void fetch_cell(const struct dendro_column *c, size_t row, struct result *ret)
{
    if (dendro_batch_null(c, row)) {
        result_null(ret);
        return;
    }
    switch (c->type) {
    case DENDRO_TYPE_BOOLEAN:
        result_int(ret, ((const int8_t *)c->values)[row]);
        break;
    case DENDRO_TYPE_SMALLINT:
        result_int(ret, ((const int16_t *)c->values)[row]);
        break;
    case DENDRO_TYPE_INTEGER:
        result_int(ret, ((const int32_t *)c->values)[row]);
        break;
    case DENDRO_TYPE_BIGINT:
        result_int(ret, ((const int64_t *)c->values)[row]);
        break;
    case DENDRO_TYPE_REAL:
        result_double(ret, (double)((const float *)c->values)[row]);
        break;
    case DENDRO_TYPE_DOUBLE:
        result_double(ret, ((const double *)c->values)[row]);
        break;
    case DENDRO_TYPE_TIMESTAMP:
        result_time(ret, ((const int64_t *)c->values)[row]);
        break;
    case DENDRO_TYPE_TIMESTAMP_US:
        result_time(ret, ((const int64_t *)c->values)[row] / 1000);
        break;
    case DENDRO_TYPE_TIMESTAMP_NS:
        result_time(ret, ((const int64_t *)c->values)[row] / 1000000);
        break;
    case DENDRO_TYPE_TIMESTAMPTZ:
    case DENDRO_TYPE_TIMESTAMP_LOCAL:
        result_time(ret, ((const int64_t *)c->values)[row] / 1000);
        break;
    case DENDRO_TYPE_DATE:
        result_time(ret, ((const int32_t *)c->values)[row] * DAY_MS);
        break;
    case DENDRO_TYPE_NUMERIC: {
        const struct dendro_text *digits = (const struct dendro_text *)c->values + row;
        char text[NUMERIC_MAX];

        snprintf(text, sizeof text, "%.*s", (int)digits->len, digits->ptr);
        result_double(ret, strtod(text, NULL));
        break;
    }
    case DENDRO_TYPE_VARCHAR:
    case DENDRO_TYPE_BPCHAR:
    case DENDRO_TYPE_BLOB: {
        const struct dendro_text *text = (const struct dendro_text *)c->values + row;

        result_text(ret, text->ptr, text->len);
        break;
    }
    default: /* no type of a measured query */
        result_null(ret);
    }
}

static int fetch_all(dendro_stmt *stmt, struct result *ret, struct peer_error *err)
{
    struct dendro_error e = {0};
    struct dendro_batch batch;
    int cols = dn.column_count(stmt), rc;

    if (cols > (int)RESULT_COLS_MAX)
        return peer_fail(err, NULL, "too many columns");
    result_begin(ret, (size_t)cols);
    for (int c = 0; c < cols; c++)
        result_name(ret, (size_t)c, dn.column_name(stmt, c));
    while ((rc = dn.step_batch(stmt, &batch, &e)) == DENDRO_ROW)
        for (size_t row = 0; row < batch.rows; row++)
            for (int c = 0; c < cols; c++)
                fetch_cell(&batch.columns[c], row, ret);
    return rc == DENDRO_DONE ? 0 : fail(err, &e);
}

static int
dendro_peer_query(void *peer, const char *sql, struct result *ret, struct peer_error *err)
{
    struct dendro *d = peer;
    struct dendro_error e = {0};
    int rc = 0;

    while (rc == 0) {
        dendro_stmt *stmt = NULL;

        if (dn.prepare(d->conn, sql, -1, &stmt, &sql, &e) < 0)
            return fail(err, &e);
        if (!stmt)
            break;
        rc = fetch_all(stmt, ret, err);
        dn.finalize(stmt);
    }
    return rc;
}

/* ---- loading: INSERT with many rows; `dendro import` is the way for files ---- */

struct text {
    char *bytes;
    size_t len;
    size_t cap;
};

static void add(struct text *t, const char *bytes, size_t len)
{
    while (t->cap - t->len < len + 1) {
        t->cap = t->cap ? t->cap * 2 : 1u << 20;
        t->bytes = realloc(t->bytes, t->cap);
        if (!t->bytes) {
            fprintf(stderr, "qbench: out of memory\n");
            exit(1);
        }
    }
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
    t->bytes[t->len] = '\0';
}

/* Every value as a quoted literal, which stands for a number or a time as well. */
static void add_row(struct text *t, const struct csv_cell *cells, size_t cols)
{
    add(t, "(", 1);
    for (size_t c = 0; c < cols; c++) {
        add(t, c ? ",'" : "'", c ? 2 : 1);
        add(t, cells[c].text, cells[c].len);
        add(t, "'", 1);
    }
    add(t, ")", 1);
}

static int
dendro_peer_load(void *peer, const struct load_job *job, uint64_t *ret_rows, struct peer_error *err)
{
    struct csv csv;
    struct csv_cell cells[RESULT_COLS_MAX];
    struct text sql = {0};
    struct result none = {0};
    char head[256];
    int rc = 0;
    bool more = true;

    *ret_rows = 0;
    if (csv_open(&csv, job->path, err) != 0)
        return -1;
    if (csv.cols > RESULT_COLS_MAX)
        return peer_fail(err, NULL, "too many columns in the CSV file");
    snprintf(head, sizeof head, "INSERT INTO %s VALUES ", job->table);
    while (rc == 0 && more) {
        size_t rows = 0;

        sql.len = 0;
        add(&sql, head, strlen(head));
        while (rows < ROWS_PER_INSERT && (more = csv_next(&csv, cells))) {
            if (rows++ > 0)
                add(&sql, ",", 1);
            add_row(&sql, cells, csv.cols);
        }
        if (rows > 0)
            rc = dendro_peer_query(peer, sql.bytes, &none, err);
        *ret_rows += rows;
    }
    free(sql.bytes);
    result_free(&none);
    csv_close(&csv);
    return rc;
}

static void dendro_peer_close(void *peer)
{
    struct dendro *d = peer;

    dn.disconnect(d->conn);
    dn.close(d->db);
}

const struct peer_ops peer_dendro_ops = {
    .name = "dendro",
    .open = dendro_peer_open,
    .version = dendro_peer_version,
    .query = dendro_peer_query,
    .load = dendro_peer_load,
    .close = dendro_peer_close,
};

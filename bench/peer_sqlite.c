/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_sqlite.c: SQLite through its C interface, declared here as far as it is used. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLS(X)                                                                             \
    X(int, open, (const char *path, void **db))                                              \
    X(int, close, (void *db))                                                                \
    X(const char *, errmsg, (void *db))                                                      \
    X(const char *, libversion, (void))                                                      \
    X(int, exec, (void *db, const char *sql, void *fn, void *arg, char **errmsg))            \
    X(int, prepare_v2, (void *db, const char *sql, int len, void **stmt, const char **tail)) \
    X(int, step, (void *stmt))                                                               \
    X(int, reset, (void *stmt))                                                              \
    X(int, finalize, (void *stmt))                                                           \
    X(int, column_count, (void *stmt))                                                       \
    X(const char *, column_name, (void *stmt, int col))                                      \
    X(int, column_type, (void *stmt, int col))                                               \
    X(int64_t, column_int64, (void *stmt, int col))                                          \
    X(double, column_double, (void *stmt, int col))                                          \
    X(const unsigned char *, column_text, (void *stmt, int col))                             \
    X(int, column_bytes, (void *stmt, int col))                                              \
    X(int, bind_int64, (void *stmt, int param, int64_t v))                                   \
    X(int, bind_text, (void *stmt, int param, const char *text, int len, void *destructor))

enum sqlite_code {
    SQLITE_ROW = 100,
    SQLITE_DONE = 101,
    SQLITE_INTEGER = 1,
    SQLITE_FLOAT = 2,
    SQLITE_NULL = 5,
};

#define DECLARE(type, name, args) type(*name) args;
static struct {
    CALLS(DECLARE)
} sqlite;

static const struct symbol symbols[] = {
#define SYMBOL(type, name, args) {#name, offsetof(__typeof__(sqlite), name)},
    CALLS(SYMBOL)};

static void *
sqlite_open(const char *lib, const char *path, const char *const *settings, struct peer_error *err)
{
    static const char pragmas[] = "PRAGMA cache_size = -1000000; PRAGMA mmap_size = 8589934592; "
                                  "PRAGMA temp_store = memory; PRAGMA synchronous = full";
    void *db = NULL;

    (void)settings;
    if (library_load(lib, "sqlite3_", symbols, sizeof symbols / sizeof symbols[0], &sqlite, err))
        return NULL;
    if (sqlite.open(path, &db) != 0 || sqlite.exec(db, pragmas, NULL, NULL, NULL) != 0) {
        peer_fail(err, NULL, db ? sqlite.errmsg(db) : path);
        return NULL;
    }
    return db;
}

static const char *sqlite_version(void *db)
{
    (void)db;
    return sqlite.libversion();
}

static void fetch_row(void *stmt, int cols, struct result *ret)
{
    for (int c = 0; c < cols; c++) {
        switch (sqlite.column_type(stmt, c)) {
        case SQLITE_NULL:
            result_null(ret);
            break;
        case SQLITE_INTEGER:
            result_int(ret, sqlite.column_int64(stmt, c));
            break;
        case SQLITE_FLOAT:
            result_double(ret, sqlite.column_double(stmt, c));
            break;
        default: {
            const unsigned char *text = sqlite.column_text(stmt, c);

            result_text(ret, text, (size_t)sqlite.column_bytes(stmt, c));
        }
        }
    }
}

static int sqlite_query(void *db, const char *sql, struct result *ret, struct peer_error *err)
{
    const char *rest = sql;

    result_begin(ret, 0);
    while (*rest) {
        void *stmt = NULL;
        int cols, rc;

        if (sqlite.prepare_v2(db, rest, -1, &stmt, &rest) != 0)
            return peer_fail(err, NULL, sqlite.errmsg(db));
        if (!stmt)
            break;
        cols = sqlite.column_count(stmt);
        result_begin(ret, (size_t)cols);
        for (int c = 0; c < cols; c++)
            result_name(ret, (size_t)c, sqlite.column_name(stmt, c));
        while ((rc = sqlite.step(stmt)) == SQLITE_ROW)
            fetch_row(stmt, cols, ret);
        if (rc != SQLITE_DONE)
            peer_fail(err, NULL, sqlite.errmsg(db));
        sqlite.finalize(stmt);
        if (rc != SQLITE_DONE)
            return -1;
    }
    return 0;
}

/* ---- loading: a prepared INSERT in one transaction; times become seconds since 1970 ---- */

static int64_t digits(const char *text, int from, int count)
{
    int64_t v = 0;

    for (int i = from; i < from + count; i++)
        v = v * 10 + (text[i] - '0');
    return v;
}

/* Seconds of `YYYY-MM-DD HH:MM:SS`, by counting days from the civil date. */
static int64_t parse_time(struct csv_cell cell)
{
    int64_t y, m, era, year, day, days;

    if (cell.len < 19)
        return 0;
    y = digits(cell.text, 0, 4);
    m = digits(cell.text, 5, 2);
    y -= m <= 2; /* years begin in March */
    era = y / 400;
    year = y - era * 400;
    day = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + digits(cell.text, 8, 2) - 1;
    days = era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
    return days * 86400 + digits(cell.text, 11, 2) * 3600 + digits(cell.text, 14, 2) * 60 +
           digits(cell.text, 17, 2);
}

static void *prepare_insert(void *db, const char *table, size_t cols, struct peer_error *err)
{
    char sql[1024];
    void *stmt = NULL;
    size_t n = (size_t)snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (", table);

    for (size_t c = 0; c < cols && n + 4 < sizeof sql; c++)
        n += (size_t)snprintf(sql + n, sizeof sql - n, "%s?", c ? "," : "");
    snprintf(sql + n, sizeof sql - n, ")");
    if (sqlite.prepare_v2(db, sql, -1, &stmt, NULL) != 0)
        peer_fail(err, NULL, sqlite.errmsg(db));
    return stmt;
}

static int
sqlite_load(void *db, const struct load_job *job, uint64_t *ret_rows, struct peer_error *err)
{
    struct csv csv;
    struct csv_cell cells[RESULT_COLS_MAX];
    void *stmt;
    int rc = SQLITE_DONE;

    *ret_rows = 0;
    if (csv_open(&csv, job->path, err) != 0)
        return -1;
    if (csv.cols > RESULT_COLS_MAX)
        return peer_fail(err, NULL, "too many columns in the CSV file");
    stmt = prepare_insert(db, job->table, csv.cols, err);
    if (!stmt)
        return -1;
    sqlite.exec(db, "BEGIN", NULL, NULL, NULL);
    while (rc == SQLITE_DONE && csv_next(&csv, cells)) {
        for (int c = 0; c < (int)csv.cols; c++) {
            if (c == job->time_col)
                sqlite.bind_int64(stmt, c + 1, parse_time(cells[c]));
            else /* the column's affinity makes numbers of them */
                sqlite.bind_text(stmt, c + 1, cells[c].text, (int)cells[c].len, NULL);
        }
        rc = sqlite.step(stmt);
        sqlite.reset(stmt);
        ++*ret_rows;
    }
    sqlite.finalize(stmt);
    csv_close(&csv);
    if (rc != SQLITE_DONE || sqlite.exec(db, "COMMIT", NULL, NULL, NULL) != 0)
        return peer_fail(err, NULL, sqlite.errmsg(db));
    return 0;
}

static void sqlite_close(void *db)
{
    sqlite.close(db);
}

const struct peer_ops peer_sqlite_ops = {
    .name = "sqlite",
    .open = sqlite_open,
    .version = sqlite_version,
    .query = sqlite_query,
    .load = sqlite_load,
    .close = sqlite_close,
};

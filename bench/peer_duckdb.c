/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_duckdb.c: DuckDB through its C interface, declared here as far as it is used. The answer is
 * materialized by duckdb_query, then copied out of its chunks, the way its documentation advises.
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

/* duckdb_result: six words, of which we read none. */
struct duck_result {
    uint64_t counts[3];
    void *pointers[3];
};

/* duckdb_string_t: short texts stand in it, long ones elsewhere. */
#define DUCK_INLINE_MAX 12u
#define DAY_MS          INT64_C(86400000)
union duck_string {
    uint32_t len;
    struct {
        uint32_t len;
        char text[DUCK_INLINE_MAX];
    } inlined;
    struct {
        uint32_t len;
        char prefix[4];
        const char *text;
    } pointer;
};
_Static_assert(sizeof(union duck_string) == 16, "duckdb_string_t has 16 bytes");

enum duck_type {
    DUCK_BOOLEAN = 1,
    DUCK_TINYINT = 2,
    DUCK_SMALLINT = 3,
    DUCK_INTEGER = 4,
    DUCK_BIGINT = 5,
    DUCK_FLOAT = 10,
    DUCK_DOUBLE = 11,
    DUCK_TIMESTAMP = 12, /* microseconds */
    DUCK_DATE = 13,      /* days */
    DUCK_HUGEINT = 16,
    DUCK_VARCHAR = 17,
    DUCK_DECIMAL = 19,
    DUCK_TIMESTAMP_S = 20,
    DUCK_TIMESTAMP_MS = 21,
    DUCK_TIMESTAMP_NS = 22,
    DUCK_TIMESTAMP_TZ = 31, /* microseconds */
};

#define CALLS(X)                                                           \
    X(int, open, (const char *path, void **db))                            \
    X(void, close, (void **db))                                            \
    X(int, connect, (void *db, void **conn))                               \
    X(void, disconnect, (void **conn))                                     \
    X(const char *, library_version, (void))                               \
    X(int, query, (void *conn, const char *sql, struct duck_result *ret))  \
    X(void, destroy_result, (struct duck_result * r))                      \
    X(const char *, result_error, (struct duck_result * r))                \
    X(uint64_t, column_count, (struct duck_result * r))                    \
    X(const char *, column_name, (struct duck_result * r, uint64_t col))   \
    X(int, column_type, (struct duck_result * r, uint64_t col))            \
    X(void *, column_logical_type, (struct duck_result * r, uint64_t col)) \
    X(void, destroy_logical_type, (void **type))                           \
    X(uint8_t, decimal_scale, (void *type))                                \
    X(int, decimal_internal_type, (void *type))                            \
    X(void *, fetch_chunk, (struct duck_result r))                         \
    X(void, destroy_data_chunk, (void **chunk))                            \
    X(uint64_t, data_chunk_get_size, (void *chunk))                        \
    X(void *, data_chunk_get_vector, (void *chunk, uint64_t col))          \
    X(void *, vector_get_data, (void *vector))                             \
    X(uint64_t *, vector_get_validity, (void *vector))

#define DECLARE(type, name, args) type(*name) args;
static struct {
    CALLS(DECLARE)
} duck;

static const struct symbol symbols[] = {
#define SYMBOL(type, name, args) {#name, offsetof(__typeof__(duck), name)},
    CALLS(SYMBOL)};

struct duckdb {
    void *db;
    void *conn;
};

static int set_settings(struct duckdb *d, const char *const *settings, struct peer_error *err)
{
    for (; settings && settings[0]; settings += 2) {
        char sql[256];
        struct duck_result r = {0};
        int rc;

        snprintf(sql, sizeof sql, "SET %s = '%s'", settings[0], settings[1]);
        rc = duck.query(d->conn, sql, &r);
        if (rc != 0)
            peer_fail(err, NULL, duck.result_error(&r));
        duck.destroy_result(&r);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static void *
duckdb_open(const char *lib, const char *path, const char *const *settings, struct peer_error *err)
{
    static struct duckdb d;

    if (library_load(lib, "duckdb_", symbols, sizeof symbols / sizeof symbols[0], &duck, err))
        return NULL;
    if (duck.open(path, &d.db) != 0 || duck.connect(d.db, &d.conn) != 0) {
        peer_fail(err, NULL, "DuckDB cannot open the database");
        return NULL;
    }
    return set_settings(&d, settings, err) == 0 ? &d : NULL;
}

static const char *duckdb_version(void *peer)
{
    (void)peer;
    return duck.library_version();
}

/* One column of a chunk, ready to be read. */
struct column {
    int type;       /* of a decimal: the integer that it is stored as */
    double divisor; /* of a decimal, else 0 */
    const void *data;
    const uint64_t *valid; /* a bit for each row; NULL = all */
};

static void fetch_string(const union duck_string *s, struct result *ret)
{
    result_text(ret, s->len <= DUCK_INLINE_MAX ? s->inlined.text : s->pointer.text, s->len);
}

/* An integer of 128 bits, low half first. */
static double huge_of(const void *data, uint64_t row)
{
    uint64_t low;
    int64_t high;

    memcpy(&low, (const char *)data + row * 16, sizeof low);
    memcpy(&high, (const char *)data + row * 16 + 8, sizeof high);
    return (double)high * 18446744073709551616.0 + (double)low;
}

static void fetch_decimal(const struct column *c, uint64_t row, struct result *ret)
{
    double v;

    if (c->type == DUCK_SMALLINT)
        v = (double)((const int16_t *)c->data)[row];
    else if (c->type == DUCK_INTEGER)
        v = (double)((const int32_t *)c->data)[row];
    else if (c->type == DUCK_BIGINT)
        v = (double)((const int64_t *)c->data)[row];
    else
        v = huge_of(c->data, row);
    result_double(ret, v / c->divisor);
}

static int fetch_cell(const struct column *c, uint64_t row, struct result *ret)
{
    if (c->valid && !(c->valid[row / 64] >> (row % 64) & 1)) {
        result_null(ret);
        return 0;
    }
    if (c->divisor != 0) {
        fetch_decimal(c, row, ret);
        return 0;
    }
    switch (c->type) {
    case DUCK_BOOLEAN:
        result_int(ret, ((const bool *)c->data)[row]);
        break;
    case DUCK_TINYINT:
        result_int(ret, ((const int8_t *)c->data)[row]);
        break;
    case DUCK_HUGEINT:
        result_double(ret, huge_of(c->data, row));
        break;
    case DUCK_DATE:
        result_time(ret, ((const int32_t *)c->data)[row] * DAY_MS);
        break;
    case DUCK_SMALLINT:
        result_int(ret, ((const int16_t *)c->data)[row]);
        break;
    case DUCK_INTEGER:
        result_int(ret, ((const int32_t *)c->data)[row]);
        break;
    case DUCK_BIGINT:
        result_int(ret, ((const int64_t *)c->data)[row]);
        break;
    case DUCK_FLOAT:
        result_double(ret, (double)((const float *)c->data)[row]);
        break;
    case DUCK_DOUBLE:
        result_double(ret, ((const double *)c->data)[row]);
        break;
    case DUCK_TIMESTAMP:
    case DUCK_TIMESTAMP_TZ:
        result_time(ret, ((const int64_t *)c->data)[row] / 1000);
        break;
    case DUCK_TIMESTAMP_S:
        result_time(ret, ((const int64_t *)c->data)[row] * 1000);
        break;
    case DUCK_TIMESTAMP_MS:
        result_time(ret, ((const int64_t *)c->data)[row]);
        break;
    case DUCK_TIMESTAMP_NS:
        result_time(ret, ((const int64_t *)c->data)[row] / 1000000);
        break;
    case DUCK_VARCHAR:
        fetch_string((const union duck_string *)c->data + row, ret);
        break;
    default:
        return -1;
    }
    return 0;
}

static int fetch_chunk(void *chunk, struct column *cols, uint64_t count, struct result *ret)
{
    uint64_t rows = duck.data_chunk_get_size(chunk);

    for (uint64_t c = 0; c < count; c++) {
        void *vector = duck.data_chunk_get_vector(chunk, c);

        cols[c].data = duck.vector_get_data(vector);
        cols[c].valid = duck.vector_get_validity(vector);
    }
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t c = 0; c < count; c++)
            if (fetch_cell(&cols[c], row, ret) != 0)
                return -1;
    return 0;
}

static struct column describe(struct duck_result *r, uint64_t col)
{
    struct column c = {.type = duck.column_type(r, col)};
    void *type;

    if (c.type != DUCK_DECIMAL)
        return c;
    type = duck.column_logical_type(r, col);
    c.type = duck.decimal_internal_type(type);
    c.divisor = 1;
    for (int i = duck.decimal_scale(type); i > 0; i--)
        c.divisor *= 10;
    duck.destroy_logical_type(&type);
    return c;
}

static int fetch_all(struct duck_result *r, struct result *ret, struct peer_error *err)
{
    uint64_t count = duck.column_count(r);
    struct column cols[RESULT_COLS_MAX];
    void *chunk;
    int rc = 0;

    if (count > RESULT_COLS_MAX)
        return peer_fail(err, NULL, "too many columns");
    result_begin(ret, count);
    for (uint64_t c = 0; c < count; c++) {
        result_name(ret, c, duck.column_name(r, c));
        cols[c] = describe(r, c);
    }
    while (rc == 0 && (chunk = duck.fetch_chunk(*r)) != NULL) {
        rc = fetch_chunk(chunk, cols, count, ret);
        duck.destroy_data_chunk(&chunk);
    }
    return rc == 0 ? 0 : peer_fail(err, NULL, "a column has a type that qbench does not read");
}

static int duckdb_query(void *peer, const char *sql, struct result *ret, struct peer_error *err)
{
    struct duckdb *d = peer;
    struct duck_result r = {0};
    int rc = duck.query(d->conn, sql, &r);

    if (rc != 0)
        rc = peer_fail(err, NULL, duck.result_error(&r));
    else
        rc = fetch_all(&r, ret, err);
    duck.destroy_result(&r);
    return rc;
}

static void duckdb_close(void *peer)
{
    struct duckdb *d = peer;

    duck.disconnect(&d->conn);
    duck.close(&d->db);
}

const struct peer_ops peer_duckdb_ops = {
    .name = "duckdb",
    .open = duckdb_open,
    .version = duckdb_version,
    .query = duckdb_query,
    .load = NULL, /* COPY */
    .close = duckdb_close,
};

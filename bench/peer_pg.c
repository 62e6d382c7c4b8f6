/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_pg.c: any server that speaks the protocol of PostgreSQL, through libpq: PostgreSQL itself,
 * QuestDB, Dendro's own server. The database is a conninfo string. Answers are asked for in binary;
 * a server that sends text all the same (each column says which) is understood too. */
#define _GNU_SOURCE /* strptime, timegm */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DAY_MS        86400000
#define EPOCH_2000_MS 946684800000
#define TUPLES_OK     2 /* of ExecStatusType */
#define COMMAND_OK    1
#define EMPTY_QUERY   0
#define DIAG_SQLSTATE 'C'

enum oid {
    OID_BOOL = 16,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_OID = 26,
    OID_FLOAT4 = 700,
    OID_FLOAT8 = 701,
    OID_DATE = 1082,
    OID_TIMESTAMP = 1114,
    OID_TIMESTAMPTZ = 1184,
    OID_NUMERIC = 1700,
};

#define CALLS(X)                                                       \
    X(void *, connectdb, (const char *conninfo))                       \
    X(int, status, (const void *conn))                                 \
    X(char *, errorMessage, (const void *conn))                        \
    X(const char *, parameterStatus, (const void *conn, const char *)) \
    X(void, finish, (void *conn))                                      \
    X(void *,                                                          \
      execParams,                                                      \
      (void *conn,                                                     \
       const char *sql,                                                \
       int n,                                                          \
       const unsigned *types,                                          \
       const char *const *values,                                      \
       const int *lengths,                                             \
       const int *formats,                                             \
       int binary))                                                    \
    X(int, resultStatus, (const void *r))                              \
    X(char *, resultErrorField, (const void *r, int field))            \
    X(char *, resultErrorMessage, (const void *r))                     \
    X(int, nfields, (const void *r))                                   \
    X(int, ntuples, (const void *r))                                   \
    X(char *, fname, (const void *r, int col))                         \
    X(unsigned, ftype, (const void *r, int col))                       \
    X(int, fformat, (const void *r, int col))                          \
    X(int, getisnull, (const void *r, int row, int col))               \
    X(char *, getvalue, (const void *r, int row, int col))             \
    X(int, getlength, (const void *r, int row, int col))               \
    X(void, clear, (void *r))

#define DECLARE(type, name, args) type(*name) args;
static struct {
    CALLS(DECLARE)
} pq;

static const struct symbol symbols[] = {
#define SYMBOL(type, name, args) {#name, offsetof(__typeof__(pq), name)},
    CALLS(SYMBOL)};

struct pg {
    void *conn;
    char version[64];
};

/* ---- values ---- */

/* A big-endian number of 1 to 8 bytes. */
static int64_t integer_of(const unsigned char *p, int size)
{
    uint64_t v = size > 0 && p[0] & 0x80 ? ~(uint64_t)0 : 0;

    for (int i = 0; i < size; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

static double double_of(const unsigned char *p, int size)
{
    uint64_t bits = (uint64_t)integer_of(p, size);
    uint32_t low = (uint32_t)bits;
    double d;
    float f;

    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return size == 4 ? (double)f : d;
}

/* Groups of four digits, the first with a weight of 10000^weight. */
static double numeric_of(const unsigned char *p)
{
    int64_t digits = integer_of(p, 2), weight = integer_of(p + 2, 2);
    bool negative = (integer_of(p + 4, 2) & 0xffff) == 0x4000;
    double v = 0;

    for (int64_t i = 0; i < digits; i++)
        v = v * 10000 + (double)integer_of(p + 8 + 2 * i, 2);
    for (int64_t i = digits - 1; i < weight; i++)
        v *= 10000;
    if (digits - 1 > weight) {
        double divisor = 1;

        for (int64_t i = weight; i < digits - 1; i++)
            divisor *= 10000;
        v /= divisor;
    }
    return negative ? -v : v;
}

static void fetch_binary(unsigned type, const unsigned char *p, int len, struct result *ret)
{
    switch (type) {
    case OID_BOOL:
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
    case OID_OID:
        result_int(ret, integer_of(p, len));
        break;
    case OID_FLOAT4:
    case OID_FLOAT8:
        result_double(ret, double_of(p, len));
        break;
    case OID_NUMERIC:
        result_double(ret, numeric_of(p));
        break;
    case OID_DATE:
        result_time(ret, integer_of(p, 4) * DAY_MS + EPOCH_2000_MS);
        break;
    case OID_TIMESTAMP:
    case OID_TIMESTAMPTZ:
        result_time(ret, integer_of(p, 8) / 1000 + EPOCH_2000_MS);
        break;
    default:
        result_text(ret, p, (size_t)len);
    }
}

/* 2016-01-01[ 00:00:00[.123456]]; what stands behind is a zone, and that is UTC. */
static int64_t time_of(const char *text)
{
    struct tm tm = {0};
    const char *rest = strptime(text, "%Y-%m-%d", &tm);
    int64_t ms = 0, unit = 100;

    if (rest && (*rest == ' ' || *rest == 'T'))
        rest = strptime(rest + 1, "%H:%M:%S", &tm);
    if (rest && *rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10)
            ms += (*rest - '0') * unit;
    return (int64_t)timegm(&tm) * 1000 + ms;
}

static void fetch_text(unsigned type, const char *p, int len, struct result *ret)
{
    switch (type) {
    case OID_BOOL:
        result_int(ret, *p == 't');
        break;
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
    case OID_OID:
        result_int(ret, strtoll(p, NULL, 10));
        break;
    case OID_FLOAT4:
    case OID_FLOAT8:
    case OID_NUMERIC:
        result_double(ret, strtod(p, NULL));
        break;
    case OID_DATE:
    case OID_TIMESTAMP:
    case OID_TIMESTAMPTZ:
        result_time(ret, time_of(p));
        break;
    default:
        result_text(ret, p, (size_t)len);
    }
}

static int fetch_all(void *r, struct result *ret, struct peer_error *err)
{
    int cols = pq.nfields(r), rows = pq.ntuples(r);
    unsigned types[RESULT_COLS_MAX];
    bool binary[RESULT_COLS_MAX];

    if (cols > (int)RESULT_COLS_MAX)
        return peer_fail(err, NULL, "too many columns");
    result_begin(ret, (size_t)cols);
    for (int c = 0; c < cols; c++) {
        result_name(ret, (size_t)c, pq.fname(r, c));
        types[c] = pq.ftype(r, c);
        binary[c] = pq.fformat(r, c) == 1;
    }
    for (int row = 0; row < rows; row++)
        for (int c = 0; c < cols; c++) {
            const char *p = pq.getvalue(r, row, c);

            if (pq.getisnull(r, row, c))
                result_null(ret);
            else if (binary[c])
                fetch_binary(types[c], (const unsigned char *)p, pq.getlength(r, row, c), ret);
            else
                fetch_text(types[c], p, pq.getlength(r, row, c), ret);
        }
    return 0;
}

/* ---- the peer ---- */

static int pg_query(void *peer, const char *sql, struct result *ret, struct peer_error *err)
{
    void *r = pq.execParams(((struct pg *)peer)->conn, sql, 0, NULL, NULL, NULL, NULL, 1);
    int status = pq.resultStatus(r), rc = 0;

    if (status == TUPLES_OK)
        rc = fetch_all(r, ret, err);
    else if (status == COMMAND_OK || status == EMPTY_QUERY)
        result_begin(ret, 0);
    else
        rc = peer_fail(err, pq.resultErrorField(r, DIAG_SQLSTATE), pq.resultErrorMessage(r));
    pq.clear(r);
    return rc;
}

static int set_settings(struct pg *p, const char *const *settings, struct peer_error *err)
{
    struct result none = {0};
    int rc = 0;

    for (; rc == 0 && settings && settings[0]; settings += 2) {
        char sql[256];

        snprintf(sql, sizeof sql, "SET %s = '%s'", settings[0], settings[1]);
        rc = pg_query(p, sql, &none, err);
    }
    result_free(&none);
    return rc;
}

static void *
pg_open(const char *lib, const char *path, const char *const *settings, struct peer_error *err)
{
    static struct pg p;
    const char *version;

    if (library_load(lib, "PQ", symbols, sizeof symbols / sizeof symbols[0], &pq, err))
        return NULL;
    p.conn = pq.connectdb(path);
    if (!p.conn || pq.status(p.conn) != 0) {
        peer_fail(err, NULL, p.conn ? pq.errorMessage(p.conn) : NULL);
        return NULL;
    }
    version = pq.parameterStatus(p.conn, "server_version");
    snprintf(p.version, sizeof p.version, "%s", version ? version : "");
    return set_settings(&p, settings, err) == 0 ? &p : NULL;
}

static const char *pg_version(void *peer)
{
    return ((struct pg *)peer)->version;
}

static void pg_close(void *peer)
{
    pq.finish(((struct pg *)peer)->conn);
}

const struct peer_ops peer_pg_ops = {
    .name = "pg",
    .open = pg_open,
    .version = pg_version,
    .query = pg_query,
    .load = NULL, /* COPY through psql, or what the server has */
    .close = pg_close,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_clickhouse.c: ClickHouse in this process, through the C interface of libchdb. An answer
 * comes as one buffer in the format RowBinaryWithNamesAndTypes, the cheapest one to read. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY_MS      86400000
#define TYPE_MAX    96
#define CLICKHOUSE  "RowBinaryWithNamesAndTypes"
#define DATE_TIME   "DateTime"
#define DATE_TIME64 "DateTime64("

#define CALLS(X)                                                        \
    X(void **, connect, (int argc, char **argv))                        \
    X(void, close_conn, (void **conn))                                  \
    X(void *, query, (void *conn, const char *sql, const char *format)) \
    X(void, destroy_query_result, (void *result))                       \
    X(const char *, result_buffer, (void *result))                      \
    X(size_t, result_length, (void *result))                            \
    X(const char *, result_error, (void *result))

#define DECLARE(type, name, args) type(*name) args;
static struct {
    CALLS(DECLARE)
} ch;

static const struct symbol symbols[] = {
#define SYMBOL(type, name, args) {#name, offsetof(__typeof__(ch), name)},
    CALLS(SYMBOL)};

struct clickhouse {
    void **conn;
    char version[64];
};

/* ---- answers ---- */

enum column_kind {
    KIND_UNSIGNED, /* of so many bytes */
    KIND_SIGNED,
    KIND_FLOAT,
    KIND_TEXT,
    KIND_FIXED, /* text of so many bytes */
    KIND_DATE,
    KIND_TIME,
    KIND_DECIMAL,
};

struct column {
    enum column_kind kind;
    size_t size;
    bool nullable;
    int scale; /* decimals, or digits behind the second */
};

/* What is left of the buffer. */
struct reader {
    const unsigned char *p, *end;
    bool bad; /* it ended too early */
};

static const unsigned char *take(struct reader *r, size_t n)
{
    const unsigned char *p = r->p;

    if ((size_t)(r->end - r->p) < n) {
        r->bad = true;
        return NULL;
    }
    r->p += n;
    return p;
}

static size_t take_length(struct reader *r)
{
    size_t n = 0;
    unsigned shift = 0;
    const unsigned char *p;

    do {
        p = take(r, 1);
        n |= p ? (size_t)(*p & 0x7f) << shift : 0;
        shift += 7;
    } while (p && *p & 0x80 && shift < 63);
    return n;
}

static void take_text(struct reader *r, char *to, size_t size)
{
    size_t n = take_length(r);
    const unsigned char *p = take(r, n);

    snprintf(to, size, "%.*s", p ? (int)n : 0, p ? (const char *)p : "");
}

/* Removes NAME( … ) around a type. */
static bool unwrap(char *type, const char *name)
{
    size_t n = strlen(name), len = strlen(type);

    if (strncmp(type, name, n) != 0 || len < n + 1)
        return false;
    memmove(type, type + n, len - n - 1);
    type[len - n - 1] = '\0';
    return true;
}

static size_t decimal_size(long digits)
{
    return digits <= 9 ? 4 : digits <= 18 ? 8 : digits <= 38 ? 16 : 32;
}

static bool parse_number(const char *type, struct column *c)
{
    static const struct {
        const char *prefix;
        enum column_kind kind;
    } numbers[] = {{"UInt", KIND_UNSIGNED}, {"Int", KIND_SIGNED}, {"Float", KIND_FLOAT}};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        size_t n = strlen(numbers[i].prefix);
        long bits = strncmp(type, numbers[i].prefix, n) == 0 ? strtol(type + n, NULL, 10) : 0;

        if (bits > 0) {
            c->kind = numbers[i].kind;
            c->size = (size_t)bits / 8;
            return true;
        }
    }
    return false;
}

static bool parse_type(char *type, struct column *c)
{
    char *rest;

    *c = (struct column){0};
    unwrap(type, "LowCardinality(");
    c->nullable = unwrap(type, "Nullable(");
    if (parse_number(type, c))
        return true;
    if (strcmp(type, "String") == 0) {
        c->kind = KIND_TEXT;
    } else if (strcmp(type, "Bool") == 0) {
        c->kind = KIND_UNSIGNED;
        c->size = 1;
    } else if (strcmp(type, "Date") == 0 || strcmp(type, "Date32") == 0) {
        c->kind = KIND_DATE;
        c->size = type[4] ? 4 : 2;
    } else if (unwrap(type, "FixedString(")) {
        c->kind = KIND_FIXED;
        c->size = strtoul(type, NULL, 10);
    } else if (unwrap(type, "Decimal(")) {
        c->kind = KIND_DECIMAL;
        c->size = decimal_size(strtol(type, &rest, 10));
        c->scale = *rest ? (int)strtol(rest + 1, NULL, 10) : 0;
    } else if (unwrap(type, DATE_TIME64)) {
        c->kind = KIND_TIME;
        c->size = 8;
        c->scale = (int)strtol(type, NULL, 10);
    } else if (strncmp(type, DATE_TIME, strlen(DATE_TIME)) == 0) {
        c->kind = KIND_TIME;
        c->size = 4;
    } else {
        return false;
    }
    return true;
}

/* The low 64 bits of a little-endian number, with its sign where it has one. */
static int64_t integer_of(const unsigned char *p, size_t size, bool is_signed)
{
    uint64_t v = 0;
    size_t n = size < 8 ? size : 8;

    memcpy(&v, p, n);
    if (is_signed && n < 8 && p[n - 1] & 0x80)
        v |= ~(uint64_t)0 << (8 * n);
    return (int64_t)v;
}

static double power_of_ten(int n)
{
    double v = 1;

    while (n-- > 0)
        v *= 10;
    return v;
}

/* A number of any width as a double: high half signed, low half not. */
static double wide_of(const unsigned char *p, size_t size)
{
    uint64_t low;
    int64_t high;

    if (size <= 8)
        return (double)integer_of(p, size, true);
    memcpy(&low, p, 8);
    memcpy(&high, p + 8, 8);
    return (double)high * 18446744073709551616.0 + (double)low;
}

static void put_time(int64_t v, int scale, struct result *ret)
{
    for (; scale < 3; scale++)
        v *= 10;
    for (; scale > 3; scale--)
        v /= 10;
    result_time(ret, v);
}

static void put_float(const unsigned char *p, size_t size, struct result *ret)
{
    float f;
    double d;

    memcpy(&f, p, sizeof f);
    if (size == sizeof f)
        d = (double)f;
    else
        memcpy(&d, p, sizeof d);
    if (d != d) /* the mean of nothing: NULL elsewhere */
        result_null(ret);
    else
        result_double(ret, d);
}

static void fetch_cell(struct reader *r, const struct column *c, struct result *ret)
{
    const unsigned char *p = c->nullable ? take(r, 1) : NULL;
    size_t n;

    if (p && *p) {
        result_null(ret);
        return;
    }
    n = c->kind == KIND_TEXT ? take_length(r) : c->size;
    p = take(r, n);
    if (!p)
        return;
    switch (c->kind) {
    case KIND_UNSIGNED:
    case KIND_SIGNED:
        if (n > 8)
            result_double(ret, wide_of(p, n));
        else
            result_int(ret, integer_of(p, n, c->kind == KIND_SIGNED));
        break;
    case KIND_FLOAT:
        put_float(p, n, ret);
        break;
    case KIND_TEXT:
    case KIND_FIXED:
        result_text(ret, p, n);
        break;
    case KIND_DATE:
        result_time(ret, integer_of(p, n, n == 4) * DAY_MS);
        break;
    case KIND_TIME:
        put_time(integer_of(p, n, n == 8), c->scale, ret);
        break;
    case KIND_DECIMAL:
        result_double(ret, wide_of(p, n) / power_of_ten(c->scale));
        break;
    }
}

static int fetch_all(struct reader *r, struct result *ret, struct peer_error *err)
{
    struct column cols[RESULT_COLS_MAX];
    size_t count = r->p < r->end ? take_length(r) : 0;

    if (count > RESULT_COLS_MAX)
        return peer_fail(err, NULL, "too many columns");
    result_begin(ret, count);
    for (size_t c = 0; c < count; c++) {
        char name[RESULT_NAME_MAX];

        take_text(r, name, sizeof name);
        result_name(ret, c, name);
    }
    for (size_t c = 0; c < count; c++) {
        char type[TYPE_MAX];

        take_text(r, type, sizeof type);
        if (!parse_type(type, &cols[c]))
            return peer_fail(err, NULL, "a column has a type that qbench does not read");
    }
    while (count > 0 && r->p < r->end && !r->bad)
        for (size_t c = 0; c < count; c++)
            fetch_cell(r, &cols[c], ret);
    return r->bad ? peer_fail(err, NULL, "the answer ends within a row") : 0;
}

/* ---- the peer ---- */

static int clickhouse_query(void *peer, const char *sql, struct result *ret, struct peer_error *err)
{
    struct clickhouse *c = peer;
    void *result = ch.query(*c->conn, sql, CLICKHOUSE);
    const char *problem = result ? ch.result_error(result) : "no answer";
    struct reader r = {0};
    int rc;

    if (problem && *problem) {
        rc = peer_fail(err, NULL, problem);
    } else {
        r.p = (const unsigned char *)ch.result_buffer(result);
        r.end = r.p + (r.p ? ch.result_length(result) : 0);
        rc = fetch_all(&r, ret, err);
    }
    if (result)
        ch.destroy_query_result(result);
    return rc;
}

/* Settings are arguments of the engine: --name=value. */
static void *clickhouse_open(const char *lib,
                             const char *path,
                             const char *const *settings,
                             struct peer_error *err)
{
    static struct clickhouse c;
    static char words[20][256];
    char *argv[20] = {words[0], words[1]};
    int argc = 2;
    struct result r = {0};

    if (library_load(lib, "chdb_", symbols, sizeof symbols / sizeof symbols[0], &ch, err))
        return NULL;
    snprintf(words[0], sizeof words[0], "clickhouse");
    snprintf(words[1], sizeof words[1], "--path=%s", path);
    for (; settings && settings[0] && argc < 20; settings += 2, argc++) {
        snprintf(words[argc], sizeof words[0], "--%s=%s", settings[0], settings[1]);
        argv[argc] = words[argc];
    }
    c.conn = ch.connect(argc, argv);
    if (!c.conn || !*c.conn) {
        peer_fail(err, NULL, "ClickHouse cannot open the database");
        return NULL;
    }
    if (clickhouse_query(&c, "SELECT version()", &r, err) != 0)
        return NULL;
    snprintf(c.version,
             sizeof c.version,
             "%.*s",
             r.text_len < 40 ? (int)r.text_len : 40,
             r.text ? r.text : "");
    result_free(&r);
    return &c;
}

static const char *clickhouse_version(void *peer)
{
    return ((struct clickhouse *)peer)->version;
}

static void clickhouse_close(void *peer)
{
    ch.close_conn(((struct clickhouse *)peer)->conn);
}

const struct peer_ops peer_clickhouse_ops = {
    .name = "clickhouse",
    .open = clickhouse_open,
    .version = clickhouse_version,
    .query = clickhouse_query,
    .load = NULL, /* INSERT … SELECT FROM file(…) */
    .close = clickhouse_close,
};

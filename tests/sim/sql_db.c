/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_db.h"

#include "base/hash.h"
#include "engine/engine_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t rng_next(struct rng *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return dn_mix64(r->state);
}

uint64_t test_now_ms(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

uint64_t test_env(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- the database ---- */

void sql_db_init(struct sql_db *d, uint64_t seed)
{
    memset(d, 0, sizeof *d);
    d->disk = sim_disk_new(seed);
    DN_ASSERT(d->disk);
    sim_disk_set_ahead(d->disk, seed % 2);
}

int sql_db_open(struct sql_db *d, const struct sql_db_options *options, struct dn_err *err)
{
    struct engine_options o = {.flags = options->read_only ? DENDRO_OPEN_READ_ONLY : 0,
                               .settings = options->settings,
                               .background = options->background};
    struct dendro_error e;
    int rc;

    rc = sim_volume_open(d->disk, options->seed, &d->v, err);
    if (rc < 0)
        return rc;
    rc = engine_open_volume(d->v, &o, &d->db, err);
    if (rc == 0) {
        rc = dendro_connect(d->db, &d->conn, &e);
        if (rc < 0)
            rc = DN_FAIL(err, rc, "connect: %s", e.message);
    }
    if (rc < 0)
        sql_db_close(d);
    return rc;
}

void sql_db_close(struct sql_db *d)
{
    dendro_disconnect(d->conn);
    d->conn = NULL;
    DN_ASSERT(dendro_close(d->db) == DENDRO_OK);
    d->db = NULL;
    volume_close(d->v);
    d->v = NULL;
}

void sql_db_done(struct sql_db *d)
{
    sql_db_close(d);
    sim_disk_free(d->disk);
    d->disk = NULL;
}

int sql_db_merge(struct sql_db *d, struct dn_err *err)
{
    return shard_merge(d->db->shard, err);
}

uint64_t sql_db_merges(const struct sql_db *d)
{
    struct shard_stats stats = {.merges = 0};

    if (d->db && d->db->shard)
        shard_get_stats(d->db->shard, &stats);
    return stats.merges;
}

/* Not dendro_exec: that looks for one more statement after the last, and may run out of memory in
 * doing so, when what was asked for is done. */
int sql_exec(dendro_conn *conn, const char *sql, struct dendro_error *err)
{
    while (*sql) {
        dendro_stmt *stmt = NULL;
        int rc = dendro_prepare(conn, sql, -1, &stmt, &sql, err);
        while (rc >= 0 && stmt && (rc = dendro_step(stmt, err)) == DENDRO_ROW)
            ;
        dendro_finalize(stmt);
        if (rc < 0)
            return rc;
    }
    return DENDRO_OK;
}

static void check_report(void *arg, bool fault, const char *text)
{
    if (fault)
        (void)fprintf(stderr, "%s: check: %s\n", (const char *)arg, text);
}

bool sql_db_check(struct sql_db *d, const char *what)
{
    struct volume *v = NULL;
    char name[200];
    struct dn_err err;
    uint64_t faults = 0;
    int rc;

    DN_ASSERT(!d->v);
    (void)snprintf(name, sizeof name, "%s", what);
    rc = sim_volume_open(d->disk, 1, &v, &err);
    if (rc == 0)
        rc = engine_check_volume(v, check_report, name, &faults, &err);
    if (rc < 0)
        (void)fprintf(stderr, "%s: check failed: %s\n", what, err.text);
    volume_close(v);
    return rc == 0 && faults == 0;
}

/* ---- values ---- */

bool sql_type_is_string(enum dendro_type t)
{
    return t == DENDRO_TYPE_VARCHAR || t == DENDRO_TYPE_BLOB;
}

bool sql_type_is_float(enum dendro_type t)
{
    return t == DENDRO_TYPE_REAL || t == DENDRO_TYPE_DOUBLE;
}

bool sql_type_is_int(enum dendro_type t)
{
    return t == DENDRO_TYPE_SMALLINT || t == DENDRO_TYPE_INTEGER || t == DENDRO_TYPE_BIGINT;
}

bool sql_type_is_time(enum dendro_type t)
{
    return t >= DENDRO_TYPE_TIMESTAMP && t <= DENDRO_TYPE_TIMESTAMP_NS;
}

int sql_value_cmp(const struct sql_value *a, const struct sql_value *b)
{
    int c;

    if (a->null || b->null)
        return a->null - b->null;
    if (sql_type_is_float(a->type) && (isnan(a->f64) || isnan(b->f64)))
        return (isnan(a->f64) != 0) - (isnan(b->f64) != 0); /* NaN is last */
    if (sql_type_is_float(a->type))
        return (a->f64 > b->f64) - (a->f64 < b->f64);
    if (!sql_type_is_string(a->type))
        return (a->i64 > b->i64) - (a->i64 < b->i64);
    c = memcmp(a->str, b->str, a->len < b->len ? a->len : b->len);
    return c ? c : (a->len > b->len) - (a->len < b->len);
}

bool sql_value_same(const struct sql_value *a, const struct sql_value *b)
{
    if (a->type != b->type)
        return a->null && b->null;
    if (!a->null && !b->null && sql_type_is_float(a->type)) {
        double scale = fabs(a->f64) > fabs(b->f64) ? fabs(a->f64) : fabs(b->f64);
        double part = a->rounded || b->rounded ? 1.2e-7 : 1e-12;

        if (isnan(a->f64) || isnan(b->f64))
            return isnan(a->f64) && isnan(b->f64);
        return fabs(a->f64 - b->f64) <= part * scale;
    }
    return sql_value_cmp(a, b) == 0 && a->strange == b->strange;
}

void sql_num_print(int64_t hundredths, struct buf *b)
{
    uint64_t n = hundredths < 0 ? 0 - (uint64_t)hundredths : (uint64_t)hundredths;

    if (hundredths == SQL_NUM_NAN)
        buf_puts(b, "NaN");
    else if (hundredths == SQL_NUM_INF)
        buf_puts(b, "Infinity");
    else if (hundredths == SQL_NUM_MINUS_INF)
        buf_puts(b, "-Infinity");
    else if (n % 200 == 0)
        buf_printf(b, "%s%" PRIu64, hundredths < 0 ? "-" : "", n / 100);
    else if (n % 20 == 0)
        buf_printf(
            b, "%s%" PRIu64 ".%u", hundredths < 0 ? "-" : "", n / 100, (unsigned)(n % 100 / 10));
    else
        buf_printf(
            b, "%s%" PRIu64 ".%02u", hundredths < 0 ? "-" : "", n / 100, (unsigned)(n % 100));
}

bool sql_num_trimmed(int64_t hundredths)
{
    uint64_t n = hundredths < 0 ? 0 - (uint64_t)hundredths : (uint64_t)hundredths;

    if (hundredths >= SQL_NUM_INF || hundredths == SQL_NUM_MINUS_INF || n % 200 == 0)
        return false;
    return n % 100 == 0 || (n % 10 == 0 && n % 20 != 0);
}

struct sql_value sql_value_copy(const struct sql_value *v)
{
    struct sql_value c = *v;

    if (v->str) {
        c.str = mem_dup(NULL, v->str, v->len);
        DN_ASSERT(c.str);
    }
    return c;
}

void sql_value_done(struct sql_value *v)
{
    mem_free(v->str);
    v->str = NULL;
}

void sql_value_print(const struct sql_value *v, struct buf *b)
{
    if (v->null)
        buf_puts(b, "~");
    else if (sql_type_is_float(v->type))
        buf_printf(b, "%.17g", v->f64);
    else if (sql_type_is_string(v->type)) {
        buf_u8(b, '\'');
        for (uint32_t i = 0; i < v->len; i++) {
            unsigned char c = (unsigned char)v->str[i];
            if (c < ' ' || c >= 0x7f)
                buf_printf(b, "\\%02x", c);
            else
                buf_u8(b, c);
        }
        buf_u8(b, '\'');
    } else if (v->type == DENDRO_TYPE_NUMERIC) {
        sql_num_print(v->i64, b);
        buf_puts(b, v->strange ? " shown otherwise" : "");
    } else {
        buf_printf(b, "%" PRId64, v->i64);
    }
}

/* ---- rows ---- */

struct sql_value *sql_rows_add(struct sql_rows *r)
{
    struct sql_value *row;

    if (r->count == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 32;
        r->v = mem_realloc(NULL, r->v, r->cap * (r->cols + 1) * sizeof *r->v);
        DN_ASSERT(r->v);
    }
    row = r->v + r->count++ * r->cols;
    memset(row, 0, r->cols * sizeof *row);
    for (uint32_t c = 0; c < r->cols; c++)
        row[c].null = true;
    return row;
}

void sql_rows_done(struct sql_rows *r)
{
    for (size_t i = 0; i < r->count * r->cols; i++)
        sql_value_done(&r->v[i]);
    mem_free(r->v);
    memset(r, 0, sizeof *r);
}

static uint32_t rows_sort_cols;

static int rows_cmp(const void *a, const void *b)
{
    const struct sql_value *x = a;
    const struct sql_value *y = b;

    for (uint32_t c = 0; c < rows_sort_cols; c++) {
        int order = sql_value_cmp(&x[c], &y[c]);
        if (order)
            return order;
    }
    return 0;
}

void sql_rows_sort(struct sql_rows *r)
{
    rows_sort_cols = r->cols;
    if (r->count)
        qsort(r->v, r->count, r->cols * sizeof *r->v, rows_cmp);
}

bool sql_rows_same(const struct sql_rows *a, const struct sql_rows *b)
{
    if (a->count != b->count || a->cols != b->cols)
        return false;
    for (size_t i = 0; i < a->count * a->cols; i++)
        if (!sql_value_same(&a->v[i], &b->v[i]))
            return false;
    return true;
}

/* Reads what sql_num_print wrote. */
static void query_num(const char *text, size_t len, struct sql_value *ret)
{
    uint64_t n = 0;
    unsigned digits = 0; /* behind the point */
    bool point = false;
    struct buf again;

    for (size_t i = 0; i < len; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            n = n * 10 + (uint64_t)(text[i] - '0');
            digits += point;
        }
        point |= text[i] == '.';
    }
    for (; digits < 2; digits++)
        n *= 10;
    ret->i64 = text[0] == '-' ? (int64_t)(0 - n) : (int64_t)n;
    if (text[0] == 'N')
        ret->i64 = SQL_NUM_NAN;
    else if (text[0] == 'I')
        ret->i64 = SQL_NUM_INF;
    else if (text[len - 1] == 'y')
        ret->i64 = SQL_NUM_MINUS_INF;
    buf_init(&again, NULL);
    sql_num_print(ret->i64, &again);
    ret->strange = again.len != len || memcmp(again.data, text, len) != 0;
    buf_done(&again);
}

static struct sql_value query_value(dendro_stmt *stmt, int col)
{
    struct sql_value v = {.type = dendro_column_type(stmt, col)};
    const void *p;
    size_t len = 0;

    v.null = dendro_column_is_null(stmt, col);
    if (v.null)
        return v;
    if (sql_type_is_float(v.type)) {
        v.f64 = dendro_column_double(stmt, col);
    } else if (sql_type_is_string(v.type)) {
        p = dendro_column_blob(stmt, col, &len);
        v.len = (uint32_t)len;
        v.str = mem_dup(NULL, p ? p : "", len);
        DN_ASSERT(v.str);
    } else if (v.type == DENDRO_TYPE_NUMERIC) {
        p = dendro_column_text(stmt, col);
        DN_ASSERT(p);
        query_num(p, strlen(p), &v);
    } else {
        v.i64 = dendro_column_int64(stmt, col);
    }
    return v;
}

int sql_query(dendro_conn *conn, const char *sql, struct sql_rows *ret, struct dendro_error *err)
{
    dendro_stmt *stmt = NULL;
    int rc;

    memset(ret, 0, sizeof *ret);
    rc = dendro_prepare(conn, sql, -1, &stmt, NULL, err);
    if (rc < 0)
        return rc;
    DN_ASSERT(stmt);
    while ((rc = dendro_step(stmt, err)) == DENDRO_ROW) {
        struct sql_value *row;
        ret->cols = (uint32_t)dendro_column_count(stmt);
        row = sql_rows_add(ret);
        for (uint32_t c = 0; c < ret->cols; c++)
            row[c] = query_value(stmt, (int)c);
    }
    dendro_finalize(stmt);
    if (rc < 0) {
        sql_rows_done(ret);
        return rc;
    }
    return DENDRO_OK;
}

static void dump_query(dendro_conn *conn, const char *sql, struct buf *out)
{
    struct dendro_error err;
    struct sql_rows rows;

    if (sql_query(conn, sql, &rows, &err) < 0) {
        buf_printf(out, "ERROR %s %s\n", err.sqlstate, err.message);
        return;
    }
    sql_rows_sort(&rows);
    for (size_t i = 0; i < rows.count; i++) {
        for (uint32_t c = 0; c < rows.cols; c++) {
            buf_puts(out, c ? "|" : "");
            sql_value_print(&sql_row(&rows, i)[c], out);
        }
        buf_puts(out, "\n");
    }
    sql_rows_done(&rows);
}

char *sql_dump(dendro_conn *conn)
{
    struct dendro_error err;
    struct sql_rows schemas;
    struct buf out;
    char sql[600];

    buf_init(&out, NULL);
    if (sql_query(conn, "SHOW SCHEMAS", &schemas, &err) < 0)
        buf_printf(&out, "ERROR %s %s\n", err.sqlstate, err.message);
    for (size_t i = 0; i < schemas.count; i++) {
        const struct sql_value *schema = sql_row(&schemas, i);
        struct sql_rows tables;
        buf_printf(&out, "schema %.*s\n", (int)schema->len, schema->str);
        (void)snprintf(sql, sizeof sql, "USE \"%.*s\"; SELECT 1", (int)schema->len, schema->str);
        if (sql_exec(conn, sql, &err) < 0 || sql_query(conn, "SHOW TABLES", &tables, &err) < 0) {
            buf_printf(&out, "ERROR %s %s\n", err.sqlstate, err.message);
            continue;
        }
        for (size_t k = 0; k < tables.count; k++) {
            const struct sql_value *name = sql_row(&tables, k);
            (void)snprintf(
                sql, sizeof sql, "SHOW CREATE TABLE \"%.*s\"", (int)name->len, name->str);
            dump_query(conn, sql, &out);
            (void)snprintf(sql, sizeof sql, "SELECT * FROM \"%.*s\"", (int)name->len, name->str);
            dump_query(conn, sql, &out);
        }
        sql_rows_done(&tables);
    }
    sql_rows_done(&schemas);
    DN_IGNORE(sql_exec(conn, "USE public", NULL)); /* it is always there */
    buf_u8(&out, 0);
    DN_ASSERT(!out.failed);
    return (char *)buf_take(&out, &(size_t){0});
}

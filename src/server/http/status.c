/* SPDX-License-Identifier: Apache-2.0
 *
 * status.c: /health, /ready, and /metrics in Prometheus' text format. */
#include "server/http/http_int.h"

#include "server/ingest/counts.h"
#include "server/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void http_run_health(struct http_req *req)
{
    buf_printf(&req->out,
               "{\"name\":\"dendro\",\"status\":\"pass\",\"message\":\"ready for queries and "
               "writes\",\"checks\":[],\"version\":\"%s\"}\n",
               dendro_version());
    http_reply(req, 200, "application/json", NULL);
}

/* Can the database be used? */
void http_run_ready(struct http_req *req)
{
    uint64_t up_s = (server_now_ns(req->h->srv) - req->h->since_ns) / 1000000000u;
    struct dendro_error err;

    if (!http_session(req))
        return;
    if (dendro_exec(req->session, "SELECT 1", -1, NULL, NULL, &err) < 0) {
        http_fail_with(req, &err);
        req->status = 503;
        return;
    }
    http_session_end(req);
    buf_printf(&req->out, "{\"status\":\"ready\",\"up_seconds\":%" PRIu64 "}\n", up_s);
    http_reply(req, 200, "application/json", NULL);
}

/* ---- metrics ---- */

/* What SHOW STATUS counts since the start; all else is as of now. */
static const char *const status_counters[] = {"cache_hits",
                                              "cache_misses",
                                              "cache_evicted",
                                              "commits",
                                              "log_appends",
                                              "flushes",
                                              "flush_failures",
                                              "flush_bytes",
                                              "merges",
                                              "merge_failures",
                                              "merge_bytes"};

static bool status_counts(const char *name)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(status_counters); i++)
        if (strcmp(status_counters[i], name) == 0)
            return true;
    return false;
}

static void
status_head(struct buf *b, const char *name, const char *suffix, const char *type, const char *doc)
{
    buf_printf(
        b, "# HELP dendro_%s%s %s\n# TYPE dendro_%s%s %s\n", name, suffix, doc, name, suffix, type);
}

static int status_row(void *arg, dendro_stmt *stmt)
{
    struct buf *b = arg;
    char name[64];
    const char *text = dendro_column_text(stmt, 1);
    bool counter;

    snprintf(name, sizeof name, "%s", text ? text : "");
    counter = status_counts(name);
    text = dendro_column_text(stmt, 3);
    status_head(b, name, counter ? "_total" : "", counter ? "counter" : "gauge", text ? text : "");
    buf_printf(
        b, "dendro_%s%s %.17g\n", name, counter ? "_total" : "", dendro_column_double(stmt, 2));
    return 0;
}

/* ---- tables ---- */

#define STATUS_TABLES                                                                          \
    "SELECT n.nspname, c.relname, c.reltuples, pg_total_relation_size(c.oid) FROM "            \
    "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE "    \
    "c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname " \
    "NOT LIKE 'pg_temp%' ORDER BY pg_total_relation_size(c.oid) DESC, 1, 2 LIMIT 1000"

/* Gauges of tables, gathered apart: lines of a name must stand together. */
struct status_tables {
    struct buf rows;
    struct buf bytes;
};

/* The value of a label. */
static void status_label(struct buf *b, const char *s)
{
    for (; *s; s++) {
        if (*s == '\\' || *s == '"')
            buf_u8(b, '\\');
        if (*s == '\n')
            buf_puts(b, "\\n");
        else
            buf_u8(b, (uint8_t)*s);
    }
}

static void status_gauge(struct buf *b, const char *name, dendro_stmt *stmt, int column)
{
    static const char *const labels[] = {"{schema=\"", "\",table=\""};

    buf_printf(b, "dendro_%s", name);
    for (int i = 0; i < 2; i++) {
        const char *text = dendro_column_text(stmt, i);

        buf_puts(b, labels[i]);
        status_label(b, text ? text : "");
    }
    buf_printf(b, "\"} %.17g\n", dendro_column_double(stmt, column));
}

static int status_table(void *arg, dendro_stmt *stmt)
{
    struct status_tables *t = arg;

    status_gauge(&t->rows, "table_rows", stmt, 2);
    status_gauge(&t->bytes, "table_bytes", stmt, 3);
    return 0;
}

static int status_all_tables(struct http_req *req, struct dendro_error *err)
{
    struct status_tables t;
    int rc;

    buf_init(&t.rows, &req->h->owner);
    buf_init(&t.bytes, &req->h->owner);
    status_head(&t.rows, "table_rows", "", "gauge", "rows of a table, about");
    status_head(&t.bytes, "table_bytes", "", "gauge", "bytes of a table");
    rc = dendro_exec(req->session, STATUS_TABLES, -1, status_table, &t, err);
    if (rc >= 0) {
        buf_append(&req->out, t.rows.data, t.rows.len);
        buf_append(&req->out, t.bytes.data, t.bytes.len);
    }
    buf_done(&t.rows);
    buf_done(&t.bytes);
    return rc;
}

/* ---- what points and imports wrote, by table ---- */

static void status_count_line(
    struct buf *b, const char *name, const char *schema, const char *table, uint64_t value)
{
    buf_printf(b, "dendro_%s{schema=\"", name);
    status_label(b, schema);
    buf_puts(b, "\",table=\"");
    status_label(b, table);
    buf_printf(b, "\"} %" PRIu64 "\n", value);
}

static void
status_count(void *arg, const char *schema, const char *table, uint64_t rows, uint64_t refused)
{
    struct status_tables *t = arg;

    status_count_line(&t->rows, "table_written_rows_total", schema, table, rows);
    status_count_line(&t->bytes, "table_refused_total", schema, table, refused);
}

static void status_counts_tables(struct http_req *req)
{
    struct status_tables t;

    buf_init(&t.rows, &req->h->owner);
    buf_init(&t.bytes, &req->h->owner);
    status_head(&t.rows,
                "table_written_rows",
                "_total",
                "counter",
                "rows written to a table by points and imports");
    status_head(&t.bytes,
                "table_refused",
                "_total",
                "counter",
                "requests and lines that a table refused; without a name: those of no table");
    ingest_counts_each(server_counts(req->h->srv), status_count, &t);
    buf_append(&req->out, t.rows.data, t.rows.len);
    buf_append(&req->out, t.bytes.data, t.bytes.len);
    buf_done(&t.rows);
    buf_done(&t.bytes);
}

static void status_kinds(struct buf *b,
                         const char *name,
                         const char *doc,
                         const atomic_uint_fast64_t counts[HTTP_KIND_MAX])
{
    static const char *const kinds[HTTP_KIND_MAX] = {[HTTP_KIND_SQL] = "sql",
                                                     [HTTP_KIND_IMPORT] = "import",
                                                     [HTTP_KIND_LINES] = "lines",
                                                     [HTTP_KIND_PROMETHEUS] = "prometheus",
                                                     [HTTP_KIND_OTHER] = "other"};

    status_head(b, name, "", "counter", doc);
    for (int k = 0; k < HTTP_KIND_MAX; k++)
        buf_printf(
            b, "dendro_%s{kind=\"%s\"} %" PRIuFAST64 "\n", name, kinds[k], atomic_load(&counts[k]));
}

static void
status_one(struct buf *b, const char *name, const char *type, const char *doc, uint64_t value)
{
    status_head(b, name, "", type, doc);
    buf_printf(b, "dendro_%s %" PRIu64 "\n", name, value);
}

void http_run_metrics(struct http_req *req)
{
    const struct http_counters *n = &req->h->counters;
    struct buf *b = &req->out;
    struct server_lines *lines = server_lines(req->h->srv);
    struct dendro_error err;

    if (!http_session(req))
        return;
    if (dendro_exec(req->session, "SHOW STATUS", -1, status_row, b, &err) < 0 ||
        status_all_tables(req, &err) < 0) {
        http_fail_with(req, &err);
        return;
    }
    http_session_end(req);
    status_counts_tables(req);
    status_kinds(b, "http_requests_total", "requests that came", n->requests);
    status_kinds(b, "http_errors_total", "requests that were answered with 400 or more", n->errors);
    status_kinds(b, "ingest_rows_total", "rows written by requests", n->rows);
    status_one(b,
               "prometheus_skipped_total",
               "counter",
               "samples of Prometheus that are no finite numbers",
               atomic_load(&n->skipped));
    status_one(b,
               "lines_tcp_rows_total",
               "counter",
               "rows written by line protocol over TCP",
               atomic_load(&lines->rows));
    status_one(b,
               "lines_tcp_errors_total",
               "counter",
               "lines refused over TCP",
               atomic_load(&lines->errors));
    status_one(b,
               "http_refused_total",
               "counter",
               "requests that were told to come again",
               atomic_load(&n->refused));
    status_one(b,
               "http_received_bytes_total",
               "counter",
               "bytes of bodies that came",
               atomic_load(&n->bytes_in));
    status_one(
        b, "http_sent_bytes_total", "counter", "bytes of answers", atomic_load(&n->bytes_out));
    status_one(
        b, "http_requests_running", "gauge", "requests under way", atomic_load(&req->h->count));
    status_one(b,
               "connections",
               "gauge",
               "connections of PostgreSQL's and the line protocol",
               server_count(req->h->srv));
    http_reply(req, 200, "text/plain; version=0.0.4; charset=utf-8", NULL);
}

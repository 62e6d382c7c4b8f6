/* SPDX-License-Identifier: Apache-2.0
 *
 * influx.c: what clients of InfluxDB (1 and 2) and QuestDB ask for: lines of points, and the few
 * questions they put around them. A database or bucket of theirs is a schema. */
#include "base/text.h"
#include "server/http/http_int.h"

#include "server/ingest/counts.h"
#include "server/ingest/each.h"
#include "server/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define INFLUX_VERSION "1.8.10-dendro"
#define INFLUX_NAME    255u

static const struct {
    const char *name;
    int64_t ns;
} influx_units[] = {{"ns", 1},
                    {"n", 1},
                    {"us", 1000},
                    {"u", 1000},
                    {"ms", 1000000},
                    {"s", 1000000000},
                    {"m", 60000000000},
                    {"h", 3600000000000}};

/* ---- /write, /api/v2/write ---- */

static bool influx_unit(struct http_req *req, int64_t *ret)
{
    const char *given = http_query(req, "precision");

    *ret = 1;
    if (!given || !given[0])
        return true;
    for (size_t i = 0; i < DN_ARRAY_SIZE(influx_units); i++)
        if (strcmp(influx_units[i].name, given) == 0) {
            *ret = influx_units[i].ns;
            return true;
        }
    return false;
}

/* "bucket/policy": the policy is not looked at. The database's own name is its own schema. */
static const char *influx_schema(struct http_req *req, char to[INFLUX_NAME + 1])
{
    const char *given = http_query(req, "db");
    size_t len;

    if (!given)
        given = http_query(req, "bucket");
    len = given ? strcspn(given, "/") : 0;
    if (len == 0 || len > INFLUX_NAME || (len == 6 && strncasecmp(given, "dendro", 6) == 0))
        return NULL;
    memcpy(to, given, len);
    to[len] = 0;
    return to;
}

/* A header is one line: the text is changed. */
static void influx_error_header(struct http_req *req, char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '?';
    http_header(req, "X-Influxdb-Error", "%.150s", text);
}

/* As InfluxDB 1 and 2 tell errors, with ours beside them. */
static void influx_fail(struct http_req *req, const struct dendro_error *e, uint64_t line)
{
    unsigned status = http_write_status_of(e);
    char text[DENDRO_MESSAGE_MAX + 40];
    struct buf *b = &req->out;

    if (line)
        snprintf(text, sizeof text, "line %" PRIu64 ": %s", line, e->message);
    else
        snprintf(text, sizeof text, "%s", e->message);
    buf_reset(b);
    buf_printf(b,
               "{\"code\":\"%s\",\"message\":",
               status == 503   ? "unavailable"
               : status >= 500 ? "internal error"
                               : "invalid");
    http_json_text(b, text, strlen(text));
    buf_puts(b, ",\"error\":");
    http_json_text(b, text, strlen(text));
    if (line)
        buf_printf(b, ",\"line\":%" PRIu64, line);
    buf_printf(b, ",\"sqlstate\":\"%s\"", e->sqlstate);
    if (e->hint[0]) {
        buf_puts(b, ",\"hint\":");
        http_json_text(b, e->hint, strlen(e->hint));
    }
    buf_puts(b, "}\n");
    influx_error_header(req, text);
    http_reply(req, status, "application/json", NULL);
}

#define INFLUX_TOLD 100u /* lines that are told, of those that were refused */

struct influx_write {
    struct ingest in;
    struct lp lp;
    struct arena texts;
    char schema[INFLUX_NAME + 1];
    /* partial=true */
    struct ingest made; /* no points: what was made, summed up */
    struct buf told;    /* JSON of the first lines that were refused */
    uint64_t first;     /* the first of them */
    char why[DENDRO_MESSAGE_MAX + 40];
    unsigned told_count;
};

static void influx_write_free(struct http_req *req)
{
    struct influx_write *w = req->state_of;

    ingest_done(&w->in);
    arena_done(&w->texts);
    buf_done(&w->told);
    mem_free(w);
}

static void
influx_audit(struct http_req *req, const struct ingest *in, const struct dendro_error *e)
{
    struct audit_rows what = {
        .table = ingest_only_table(in), .rows = in->rows, .made = in->made, .err = e};

    http_audit_rows(req, what);
}

static void influx_created(struct http_req *req, const struct ingest *in)
{
    char widened[32] = "";

    if (in->widened)
        snprintf(widened, sizeof widened, " widened=%u", in->widened);
    if (in->tables_new || in->columns_new || in->widened)
        http_header(req,
                    "X-Dendro-Created",
                    "tables=%u columns=%u%s",
                    in->tables_new,
                    in->columns_new,
                    widened);
}

/* ---- partial=true: what can be written is ---- */

static void
influx_refused(void *arg, uint64_t line, const char *why, const struct ingest_table *table)
{
    struct http_req *req = arg;
    struct influx_write *w = req->state_of;

    ingest_counts_refused(server_counts(req->h->srv), table);
    if (w->first == 0 || line < w->first) {
        w->first = line;
        snprintf(w->why, sizeof w->why, "%s", why);
    }
    if (w->told_count++ >= INFLUX_TOLD)
        return;
    buf_printf(&w->told, "%s{\"line\":%" PRIu64 ",\"message\":", w->told.len ? "," : "", line);
    http_json_text(&w->told, why, strlen(why));
    buf_u8(&w->told, '}');
}

static void influx_wrote(void *arg, const struct ingest *in)
{
    struct http_req *req = arg;
    struct influx_write *w = req->state_of;

    atomic_fetch_add(&req->h->counters.rows[HTTP_KIND_LINES], in->rows);
    ingest_counts_wrote(server_counts(req->h->srv), in);
    influx_audit(req, in, NULL);
    w->made.tables_new += in->tables_new;
    w->made.columns_new += in->columns_new;
    w->made.widened += in->widened;
}

/* As InfluxDB: 400, although the others are written. */
static void
influx_some(struct http_req *req, const struct influx_write *w, const struct ingest_each *e)
{
    char text[DENDRO_MESSAGE_MAX + 160];
    struct buf *b = &req->out;

    snprintf(text,
             sizeof text,
             "partial write: line %" PRIu64 ": %s dropped=%" PRIu64,
             w->first,
             w->why,
             e->refused);
    buf_puts(b, "{\"code\":\"invalid\",\"message\":");
    http_json_text(b, text, strlen(text));
    buf_puts(b, ",\"error\":");
    http_json_text(b, text, strlen(text));
    buf_printf(b,
               ",\"line\":%" PRIu64 ",\"written\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"lines\":[",
               w->first,
               e->rows,
               e->refused);
    buf_append(b, w->told.data, w->told.len);
    buf_puts(b, "]}\n");
    influx_error_header(req, text);
    http_reply(req, 400, "application/json", NULL);
}

static void
influx_partial(struct http_req *req, struct influx_write *w, const struct ingest_options *opt)
{
    struct ingest_each e = {.opt = *opt,
                            .owner = &req->h->owner,
                            .session = req->session,
                            .refuse = influx_refused,
                            .wrote = influx_wrote,
                            .arg = req};
    struct dendro_error err;
    int rc = ingest_each(&e, (const char *)req->body.data, req->body.len, &err);

    influx_created(req, &w->made);
    http_header(req, "X-Influxdb-Version", "%s", INFLUX_VERSION);
    if (rc < 0) {
        influx_audit(req, &w->in, &err);
        http_header(req, "X-Dendro-Written", "%" PRIu64, e.rows);
        influx_fail(req, &err, 0);
    } else if (e.refused > 0) {
        influx_some(req, w, &e);
    } else {
        http_reply(req, 204, NULL, "");
    }
}

void http_run_write(struct http_req *req)
{
    struct influx_write *w = mem_calloc(&req->h->owner, 1, sizeof(*w));
    struct ingest_options opt = {.create = http_create(req->h)};
    struct dendro_error err = {.code = 0};
    int rc;

    if (!w) {
        http_fail(req, 503, "53200", "out of memory");
        return;
    }
    req->state_of = w;
    req->free_state = influx_write_free;
    arena_init(&w->texts, &req->h->owner);
    if (!influx_unit(req, &opt.unit_ns)) {
        http_fail(req, 400, "22023", "precision is ns, us, ms, s, m or h");
        return;
    }
    opt.schema = influx_schema(req, w->schema);
    opt.now_ns = server_wall_ns(req->h->srv) / opt.unit_ns * opt.unit_ns;
    ingest_init(&w->in, &req->h->owner, &opt);
    buf_init(&w->told, &req->h->owner);
    if (!http_session(req))
        return;
    w->in.opt.session = req->session;
    if (http_query_is(req, "partial", "true")) {
        influx_partial(req, w, &opt);
        return;
    }
    lp_begin(&w->lp, (const char *)req->body.data, req->body.len, &w->texts);
    rc = ingest_lines(&w->in, &w->lp, &err);
    if (rc == 0)
        rc = ingest_write(&w->in, req->session, &err);
    influx_audit(req, &w->in, rc < 0 ? &err : NULL);
    if (rc < 0) {
        ingest_counts_refused(server_counts(req->h->srv), w->in.bad_table);
        influx_fail(req, &err, w->in.bad_line);
        return;
    }
    atomic_fetch_add(&req->h->counters.rows[HTTP_KIND_LINES], w->in.rows);
    ingest_counts_wrote(server_counts(req->h->srv), &w->in);
    influx_created(req, &w->in);
    http_header(req, "X-Influxdb-Version", "%s", INFLUX_VERSION);
    http_reply(req, 204, NULL, "");
}

/* ---- around it ---- */

void http_run_ping(struct http_req *req)
{
    http_header(req, "X-Influxdb-Version", "%s", INFLUX_VERSION);
    http_header(req, "X-Influxdb-Build", "OSS");
    if (http_query_is(req, "verbose", "true"))
        http_reply(req, 200, "application/json", "{\"version\":\"" INFLUX_VERSION "\"}\n");
    else
        http_reply(req, 204, NULL, "");
}

/* QuestDB's clients ask which versions of the protocol they may use: text alone. */
void http_run_settings(struct http_req *req)
{
    http_reply(req,
               200,
               "application/json",
               "{\"config\":{\"release.type\":\"OSS\",\"release.version\":\"dendro\","
               "\"line.proto.support.versions\":[1],\"ilp.proto.transports\":[\"http\",\"tcp\"]},"
               "\"preferences.version\":0,\"preferences\":{}}\n");
}

static int influx_hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* q=… of a form, decoded in place; NULL: there is none. */
static const char *influx_form(struct http_req *req)
{
    char *at, *to, *text;

    buf_u8(&req->body, 0);
    if (req->body.failed)
        return NULL;
    text = (char *)req->body.data;
    while (text && strncmp(text, "q=", 2) != 0) {
        text = strchr(text, '&');
        text = text ? text + 1 : NULL;
    }
    if (!text)
        return NULL;
    text += 2;
    for (at = to = text; *at && *at != '&'; at++, to++) {
        int high = at[0] == '%' ? influx_hex(at[1]) : -1;
        int low = high >= 0 ? influx_hex(at[2]) : -1;

        if (low >= 0) {
            *to = (char)(high * 16 + low);
            at += 2;
        } else {
            *to = *at == '+' ? ' ' : *at;
        }
    }
    *to = 0;
    return text;
}

/* Words of InfluxQL, upper or lower case; what is left, or NULL. */
static const char *influx_words(const char *q, const char *words)
{
    while (*words) {
        size_t len = strcspn(words, " ");

        q += strspn(q, " \t\r\n");
        if (strncasecmp(q, words, len) != 0 || (q[len] && !text_one_of(q[len], " \t\r\n;\"")))
            return NULL;
        q += len;
        words += len + (words[len] == ' ');
    }
    return q + strspn(q, " \t\r\n");
}

/* CREATE DATABASE name [WITH …]: name in quotes or not. */
static bool influx_name(const char *q, char to[INFLUX_NAME + 1])
{
    bool quoted = *q == '"';
    size_t n = 0;

    q += quoted;
    while (*q && n < INFLUX_NAME && (quoted ? *q != '"' : !text_one_of(*q, " \t\r\n;"))) {
        if (quoted && *q == '\\' && q[1])
            q++;
        to[n++] = *q++;
    }
    to[n] = 0;
    return n > 0 && (!quoted || *q == '"');
}

static void influx_create(struct http_req *req, const char *q)
{
    char name[INFLUX_NAME + 1];
    struct dendro_error err;
    struct buf sql;
    int rc = 0;

    if (!influx_name(q, name)) {
        http_fail(req, 400, "42601", "error parsing query: CREATE DATABASE wants a name");
        return;
    }
    buf_init(&sql, &req->h->owner);
    buf_puts(&sql, "CREATE SCHEMA IF NOT EXISTS \"");
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            buf_u8(&sql, '"');
        buf_u8(&sql, (uint8_t)*c);
    }
    buf_u8(&sql, '"');
    if (strcasecmp(name, "dendro") != 0)
        rc = sql.failed
                 ? ingest_fail(&err, DN_E_NOMEM, "out of memory")
                 : dendro_exec(
                       req->session, (const char *)sql.data, (ptrdiff_t)sql.len, NULL, NULL, &err);
    buf_done(&sql);
    if (rc < 0)
        influx_fail(req, &err, 0);
    else
        http_reply(req, 200, "application/json", "{\"results\":[{\"statement_id\":0}]}\n");
}

static int influx_schema_row(void *arg, dendro_stmt *stmt)
{
    struct buf *b = arg;
    const char *name = dendro_column_text(stmt, 0);

    buf_puts(b, ",[");
    http_json_text(b, name ? name : "", name ? strlen(name) : 0);
    buf_u8(b, ']');
    return 0;
}

static void influx_show(struct http_req *req)
{
    struct dendro_error err;

    buf_puts(&req->out,
             "{\"results\":[{\"statement_id\":0,\"series\":[{\"name\":\"databases\",\"columns\":["
             "\"name\"],\"values\":[[\"dendro\"]");
    if (dendro_exec(req->session, "SHOW SCHEMAS", -1, influx_schema_row, &req->out, &err) < 0) {
        influx_fail(req, &err, 0);
        return;
    }
    buf_puts(&req->out, "]}]}]}\n");
    http_reply(req, 200, "application/json", NULL);
}

void http_run_influx_query(struct http_req *req)
{
    const char *q = http_query(req, "q");
    const char *rest;

    if (!q && req->route->body == HTTP_BODY_WHOLE)
        q = influx_form(req);
    http_header(req, "X-Influxdb-Version", "%s", INFLUX_VERSION);
    if (!q) {
        http_fail(req, 400, "22023", "missing required parameter \"q\"");
        return;
    }
    if (!http_session(req))
        return;
    rest = influx_words(q, "CREATE DATABASE");
    if (rest && strcmp(req->route->method, "POST") == 0) {
        influx_create(req, rest);
    } else if (influx_words(q, "SHOW DATABASES")) {
        influx_show(req);
    } else {
        struct dendro_error err = {.sqlstate = "0A000"};

        snprintf(err.message,
                 sizeof err.message,
                 "InfluxQL is not spoken here but for POST CREATE DATABASE and SHOW DATABASES: use "
                 "SQL, POST /api/sql");
        influx_fail(req, &err, 0);
    }
}

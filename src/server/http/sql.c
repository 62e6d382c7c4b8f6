/* SPDX-License-Identifier: Apache-2.0
 *
 * sql.c: POST /api/sql: a JSON object {"query", "params", "limit", "format"}, or just the text of
 * the statements. Each request has a session of its own, which ends with it.
 *
 * As long as nothing was sent an error is the whole answer, with the status that says so; later it
 * can only be the last thing in it (CSV: the connection is cut). */
#include "base/text.h"
#include "engine/activity.h"
#include "engine/door.h"
#include "engine/engine.h"
#include "server/http/http_int.h"

#include "base/json.h"
#include "server/audit.h"
#include "server/draw/draw.h"
#include "server/http/rows.h"
#include "server/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sql {
    struct arena arena; /* of the request's JSON */
    const char *text;
    const char *at;               /* its rest */
    const char *from;             /* where the statement that runs begins */
    const struct dn_json *params; /* NULL: none */
    uint64_t limit;               /* rows of a result; 0 = all */
    enum http_format format;
    dendro_stmt *stmt; /* owned; NULL: the next is to be prepared */
    struct engine_rows batch;
    uint32_t row; /* the next of it */
    struct http_columns columns;
    uint64_t rows;
    uint64_t since_ns;  /* when the statement began */
    unsigned statement; /* from 1 on */
    bool several;       /* there are more statements than one */
    bool begun;         /* the result's beginning is written */
    bool sent;          /* something is on its way to the client */
    struct draw draw;   /* HTTP_SVG: the picture */
};

static void sql_free(struct http_req *req)
{
    struct sql *q = req->state_of;

    dendro_finalize(q->stmt);
    http_columns_done(&q->columns);
    draw_done(&q->draw);
    arena_done(&q->arena);
    mem_free(q);
}

/* ---- the request ---- */

static bool sql_bad(struct http_req *req, const char *what)
{
    http_fail(req, 400, "22023", "%s", what);
    return false;
}

static bool sql_members(struct http_req *req, struct sql *q, const struct dn_json *o)
{
    const struct dn_json *query = dn_json_get(o, "query");
    const struct dn_json *limit = dn_json_get(o, "limit");
    const struct dn_json *format = dn_json_get(o, "format");
    static const char *const known[] = {"query", "params", "limit", "format"};

    if (!dn_json_is(o, DN_JSON_OBJECT) || !dn_json_is(query, DN_JSON_STRING))
        return sql_bad(req, "an object with a text \"query\" is wanted");
    for (size_t i = 0; i < o->count; i++) {
        bool ours = false;

        for (size_t k = 0; k < DN_ARRAY_SIZE(known); k++)
            ours = ours || strcmp(o->items[i].name, known[k]) == 0;
        if (!ours)
            return sql_bad(req, "members are \"query\", \"params\", \"limit\" and \"format\"");
    }
    if (strlen(query->str) != query->len)
        return sql_bad(req, "\"query\" has a NUL in it");
    q->text = query->str;
    q->params = dn_json_get(o, "params");
    if (q->params && q->params->kind == DN_JSON_NULL)
        q->params = NULL;
    if (q->params && q->params->kind != DN_JSON_ARRAY)
        return sql_bad(req, "\"params\" must be an array");
    if (limit && limit->kind != DN_JSON_NULL) {
        if (limit->kind != DN_JSON_INT || limit->integer < 0)
            return sql_bad(req, "\"limit\" must be a whole number that is not negative");
        q->limit = (uint64_t)limit->integer;
    }
    if (format && format->kind != DN_JSON_NULL) {
        q->format =
            format->kind == DN_JSON_STRING ? http_format_named(format->str) : HTTP_FORMAT_MAX;
        if (q->format == HTTP_FORMAT_MAX)
            return sql_bad(req,
                           "\"format\" is \"json\", \"ndjson\", \"csv\", \"svg\" or \"parquet\"");
    }
    return true;
}

static bool sql_is_json(struct http_req *req)
{
    const char *type = http_request_header(req, "Content-Type");
    size_t i = 0;

    if (type && strncmp(type, "application/json", 16) == 0)
        return true;
    while (i < req->body.len && text_one_of(req->body.data[i], " \t\r\n"))
        i++;
    return i < req->body.len && req->body.data[i] == '{'; /* no statement begins so */
}

static bool sql_read(struct http_req *req, struct sql *q)
{
    const char *format = http_query(req, "format");
    const struct dn_json *o;
    struct dn_err err;
    int rc;

    q->format = format ? http_format_named(format)
                       : http_format_accepted(http_request_header(req, "Accept"));
    if (q->format == HTTP_FORMAT_MAX)
        return sql_bad(req, "format is json, ndjson, csv, svg or parquet");
    if (!sql_is_json(req)) {
        buf_u8(&req->body, 0);
        if (req->body.failed) {
            http_fail(req, 503, "53200", "out of memory");
            return false;
        }
        q->text = (const char *)req->body.data;
        return strlen(q->text) == req->body.len - 1 || sql_bad(req, "the text has a NUL in it");
    }
    dn_err_clear(&err);
    rc = dn_json_parse(&q->arena, req->body.data, req->body.len, &o, &err);
    if (rc == DN_E_NOMEM)
        http_fail(req, 503, "53200", "out of memory");
    else if (rc < 0)
        http_fail(req, 400, "22032", "the request is no JSON: %s", err.text);
    return rc == 0 && sql_members(req, q, o);
}

/* ---- running ---- */

static void sql_close(struct sql *q, struct buf *out)
{
    if (q->format == HTTP_JSON)
        buf_puts(out, q->several ? "]}\n" : "\n");
}

void http_audit_rows(struct http_req *req, struct audit_rows what)
{
    struct audit_who who = {.user = req->user, .peer = req->peer, .protocol = "HTTP"};

    what.session = req->session;
    what.since_ns = req->since_ns;
    audit_rows(req->h->srv, &who, &what);
}

static void sql_audit(struct http_req *req, struct sql *q, const struct dendro_error *error)
{
    struct audit_who who = {.user = req->user, .peer = req->peer, .protocol = "HTTP"};
    struct audit_stmt what = {.session = req->session,
                              .stmt = q->stmt,
                              .text = q->from,
                              .text_len = q->at > q->from ? (size_t)(q->at - q->from) : 0,
                              .since_ns = q->since_ns,
                              .err = error};

    audit_statement(req->h->srv, &who, &what);
}

/* The statement that runs failed; `error` counts positions from its own beginning. */
static void sql_fail(struct http_req *req, struct sql *q, struct dendro_error *error)
{
    struct http_summary s = {.rows = q->rows, .ns = server_now_ns(req->h->srv) - q->since_ns};

    if (q->stmt) /* otherwise it is written already */
        sql_audit(req, q, error);
    if (error->position)
        for (const char *c = q->text; c < q->from; c++)
            error->position += ((unsigned char)*c & 0xC0) != 0x80;
    req->ended = true;
    if (!q->sent) {
        buf_reset(&req->out);
        buf_puts(&req->out, "{\"error\":");
        http_print_error(&req->out, error, q->several ? q->statement : 0);
        buf_puts(&req->out, "}\n");
        http_reply(req, http_status_of(error), "application/json", NULL);
        return;
    }
    if (q->format == HTTP_JSON && !q->begun)
        buf_puts(&req->out, q->statement > 1 ? ",{\"columns\":[],\"rows\":[" : "{\"rows\":[");
    http_rows_end(&req->out, q->format, &s, error);
    sql_close(q, &req->out);
    req->cut = q->format == HTTP_CSV;
}

static int
sql_bind(dendro_stmt *stmt, int param, const struct dn_json *v, struct dendro_error *error)
{
    switch (v->kind) {
    case DN_JSON_NULL:
        return dendro_bind_null(stmt, param, error);
    case DN_JSON_BOOL:
        return dendro_bind_bool(stmt, param, v->integer != 0, error);
    case DN_JSON_INT:
        return dendro_bind_int64(stmt, param, v->integer, error);
    case DN_JSON_REAL:
        return dendro_bind_double(stmt, param, v->real, error);
    case DN_JSON_STRING:
        return dendro_bind_text(stmt, param, v->str, (ptrdiff_t)v->len, error);
    case DN_JSON_ARRAY:
    case DN_JSON_OBJECT:
        break;
    }
    *error = (struct dendro_error){.code = DENDRO_E_MISUSE, .sqlstate = "22023"};
    snprintf(error->message,
             sizeof error->message,
             "parameter $%d: null, true, false, a number or a text is wanted",
             param);
    return error->code;
}

static int sql_bind_all(struct sql *q, struct dendro_error *error)
{
    int wanted = dendro_param_count(q->stmt);
    int given = q->params ? (int)q->params->count : 0;
    int rc = 0;

    if (wanted != given || (given > 0 && q->several)) {
        *error = (struct dendro_error){.code = DENDRO_E_MISUSE, .sqlstate = "08P01"};
        snprintf(error->message,
                 sizeof error->message,
                 q->several ? "parameters are for one statement, not for several"
                            : "%d parameters are given, the statement has %d",
                 given,
                 wanted);
        return error->code;
    }
    for (int i = 0; rc >= 0 && i < given; i++)
        rc = sql_bind(q->stmt, i + 1, &q->params->items[i], error);
    return rc;
}

/* Does anything but spaces and comments follow? */
static bool sql_more_follows(struct http_req *req, const char *tail)
{
    dendro_stmt *stmt = NULL;
    int rc;

    if (!*tail)
        return false;
    rc = dendro_prepare(req->session, tail, -1, &stmt, NULL, NULL);
    dendro_finalize(stmt);
    return rc < 0 || stmt;
}

/* Takes the DRAWs that come next; other formats refuse them. */
static int sql_draws(struct http_req *req, struct sql *q)
{
    struct dendro_error error;
    struct dn_err err;
    int rc = 0;

    while (rc == 0 && draw_is(q->at)) {
        q->from = q->at;
        dn_err_clear(&err);
        if (q->format == HTTP_SVG) {
            rc = draw_statement(&q->draw, q->from, &q->at, &err);
        } else {
            rc = DN_FAIL(&err, DN_E_UNSUPPORTED, "DRAW makes a picture, and the answer is none");
            dn_err_hint(&err, "Ask with format=svg, or Accept: image/svg+xml; the console does.");
        }
    }
    if (rc < 0) {
        (void)engine_return(&error, &err, rc);
        sql_fail(req, q, &error);
    }
    return rc;
}

/* 1: a statement is there; 0: none is left; < 0: it failed. */
static int sql_next(struct http_req *req, struct sql *q)
{
    struct dendro_error error;
    int rc = sql_draws(req, q);

    if (rc < 0)
        return rc;
    q->from = q->at;
    q->since_ns = server_now_ns(req->h->srv);
    rc = dendro_prepare(req->session, q->from, -1, &q->stmt, &q->at, &error);
    if (rc >= 0 && !q->stmt)
        return 0;
    if (rc < 0)
        sql_audit(req, q, &error);
    q->statement++;
    q->rows = 0;
    q->row = q->batch.count = 0;
    q->begun = false;
    if (q->statement == 1 && q->at && sql_more_follows(req, q->at))
        q->several = true;
    if (rc >= 0)
        rc = sql_bind_all(q, &error);
    if (rc < 0) {
        sql_fail(req, q, &error);
        return -1;
    }
    return 1;
}

static void sql_begin(struct http_req *req, struct sql *q)
{
    bool first = q->statement == 1;

    if (first && q->several && q->format == HTTP_JSON)
        buf_puts(&req->out, "{\"results\":[");
    http_rows_begin(&req->out, q->format, q->stmt, first);
    q->begun = true;
}

static void sql_done(struct http_req *req, struct sql *q, bool truncated)
{
    struct http_summary s = {.tag = truncated ? NULL : dendro_command_tag(q->stmt),
                             .rows = q->rows,
                             .ns = server_now_ns(req->h->srv) - q->since_ns,
                             .truncated = truncated};

    http_rows_end(&req->out, q->format, &s, NULL);
    sql_audit(req, q, NULL);
    dendro_finalize(q->stmt);
    q->stmt = NULL;
}

/* Rows of the batch into the picture. */
static void sql_points(struct http_req *req, struct sql *q)
{
    struct dendro_error error;
    struct dn_err err;
    int rc = 0;

    dn_err_clear(&err);
    if (q->rows == 0) {
        const char *names[DRAW_COLUMNS_MAX];
        enum type_id types[DRAW_COLUMNS_MAX];
        uint32_t count =
            q->batch.cols_count < DRAW_COLUMNS_MAX ? q->batch.cols_count : DRAW_COLUMNS_MAX;

        for (uint32_t i = 0; i < count; i++) {
            names[i] = dendro_column_name(q->stmt, (int)i);
            types[i] = q->batch.cols[i].type;
        }
        rc = draw_begin(&q->draw, names, types, count, &err);
    }
    for (; rc == 0 && q->row < q->batch.count; q->row++, q->rows++)
        rc = draw_row(&q->draw, q->batch.cols, engine_row(&q->batch, q->row), &err);
    if (rc < 0) {
        (void)engine_return(&error, &err, rc);
        sql_fail(req, q, &error);
    }
}

/* Rows of the batch, as many as fit. */
static void sql_rows(struct http_req *req, struct sql *q)
{
    while (q->row < q->batch.count && req->out.len < HTTP_OUT_FULL) {
        if (q->limit && q->rows == q->limit) {
            sql_done(req, q, true);
            q->batch.count = 0;
            return;
        }
        http_rows_put(&req->out, &q->columns, engine_row(&q->batch, q->row++), q->rows == 0);
        q->rows++;
    }
}

static void sql_run(struct http_req *req, struct sql *q)
{
    struct dendro_error error;
    int rc;

    while (!req->ended && req->out.len < HTTP_OUT_FULL && !req->out.failed) {
        if (q->stmt && q->row < q->batch.count) {
            if (q->format == HTTP_SVG)
                sql_points(req, q);
            else
                sql_rows(req, q);
            continue;
        }
        if (!q->stmt) {
            http_progress_begin(req);
            rc = sql_next(req, q);
            if (rc == 0) {
                if (q->statement == 0 && q->format == HTTP_JSON)
                    buf_puts(&req->out,
                             "{\"columns\":[],\"rows\":[],\"stats\":{\"rows\":0,\"ms\":0}}");
                if (q->format == HTTP_SVG)
                    draw_print(&q->draw, &req->out);
                sql_close(q, &req->out);
                req->ended = true;
            }
            continue;
        }
        rc = engine_step_rows(q->stmt, &q->batch, &error);
        q->row = 0;
        if (rc < 0) {
            sql_fail(req, q, &error);
            return;
        }
        if (!q->begun)
            sql_begin(req, q);
        if (rc == DENDRO_DONE)
            sql_done(req, q, false);
        else if (q->format != HTTP_SVG && !http_columns_set(&q->columns,
                                                            q->format,
                                                            engine_session(req->session),
                                                            &q->batch,
                                                            &req->h->owner))
            req->out.failed = true;
    }
}

static void sql_turn(struct http_req *req)
{
    struct sql *q = req->state_of;

    sql_run(req, q);
    if (req->ended)
        http_session_end(req); /* nothing of it is kept while the answer is on its way */
    else
        q->sent = true;
}

void http_run_sql(struct http_req *req)
{
    struct sql *q = mem_calloc(&req->h->owner, 1, sizeof(*q));

    if (!q) {
        http_fail(req, 503, "53200", "out of memory");
        return;
    }
    arena_init(&q->arena, &req->h->owner);
    draw_init(&q->draw, &req->h->owner);
    req->state_of = q;
    req->free_state = sql_free;
    if (!sql_read(req, q))
        return;
    if (q->format == HTTP_PARQUET && !q->params) {
        http_run_file(req, q->format, q->text);
        return;
    }
    if (q->format == HTTP_PARQUET) {
        (void)sql_bad(req, "the query of a file takes no parameters");
        return;
    }
    q->at = q->text;
    req->sql = q->text;
    if (!http_session(req))
        return;
    req->status = 200;
    req->type = http_format_type(q->format);
    req->more = sql_turn;
    sql_turn(req);
}

/* ---- GET /api/queries, DELETE /api/queries/ID ---- */

/* Whose queries may he see and cancel? "": everybody's, a superuser's right; else his own. */
static const char *sql_whose(const struct http_req *req)
{
    struct engine_login login;

    engine_login(server_db(req->h->srv), req->user, &login);
    return login.superuser ? "" : req->user;
}

static bool sql_is_of(const struct http_req *r, const char *whose)
{
    return whose[0] == '\0' || strcmp(r->user, whose) == 0;
}

static void sql_put_progress(struct buf *b, const struct http_req *r)
{
    int permille = atomic_load(&r->progress_permille);
    int left_s = atomic_load(&r->progress_left_s);

    buf_printf(b, ",\"pid\":%d", (int)engine_pid(r->session));
    buf_printf(b, ",\"rows\":%" PRIu64, (uint64_t)atomic_load(&r->progress_rows));
    if (permille >= 0)
        buf_printf(b, ",\"percent\":%d.%d", permille / 10, permille % 10);
    if (left_s >= 0)
        buf_printf(b, ",\"seconds_left\":%d", left_s);
}

void http_run_queries(struct http_req *req)
{
    struct http *h = req->h;
    const char *whose = sql_whose(req);
    uint64_t now = server_now_ns(h->srv);
    bool first = true;

    buf_puts(&req->out, "{\"queries\":[");
    sched_lock(h->lock);
    for (const struct http_req *r = h->running; r; r = r->next) {
        if (!sql_is_of(r, whose))
            continue;
        buf_puts(&req->out, first ? "{\"id\":" : ",{\"id\":");
        http_json_text(&req->out, r->id, strlen(r->id));
        buf_printf(&req->out, ",\"ms\":%.3f,\"query\":", (double)(now - r->since_ns) / 1e6);
        http_json_text(&req->out, r->sql ? r->sql : "", r->sql ? strlen(r->sql) : 0);
        buf_puts(&req->out, ",\"client\":");
        http_json_text(&req->out, r->peer, strlen(r->peer));
        sql_put_progress(&req->out, r);
        buf_u8(&req->out, '}');
        first = false;
    }
    sched_unlock(h->lock);
    buf_puts(&req->out, "]}\n");
    http_reply(req, 200, "application/json", NULL);
}

void http_run_cancel(struct http_req *req)
{
    struct http *h = req->h;
    const char *whose = sql_whose(req);
    bool found = false;

    sched_lock(h->lock);
    for (struct http_req *r = h->running; r && !found; r = r->next) {
        found = strcmp(r->id, req->rest) == 0 && sql_is_of(r, whose);
        if (found)
            dendro_cancel(r->session);
    }
    sched_unlock(h->lock);
    if (found)
        http_reply(req, 202, "application/json", "{\"canceled\":true}\n");
    else
        http_fail(req, 404, "42704", "no query runs under the id %.64s", req->rest);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * import.c: POST /api/import?table=…: the body is a CSV text, packed or not. With suggest=true, for
 * which the beginning of the text is enough, it is only looked at: which table would fit it. */
#include "server/http/spool.h"

#include "catalog/table.h"
#include "engine/appender.h"
#include "server/ingest/counts.h"
#include "server/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define IMPORT_REJECTS 20u /* that are told */

struct import {
    struct http_req *req; /* whose body it reads */
    uint64_t at;
    struct buf rejects; /* JSON of the first ones */
    uint64_t rejects_count;
    char *sql; /* dendro_free */
    char *why;
};

static void import_free(struct http_req *req)
{
    struct import *im = req->state_of;

    buf_done(&im->rejects);
    dendro_free(im->sql);
    dendro_free(im->why);
    mem_free(im);
}

static int import_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct import *im = arg;
    struct dn_err err;
    int rc;

    dn_err_clear(&err);
    rc = http_spool_read(im->req, im->at, to, len, ret_len, &err);
    if (rc == 0)
        im->at += *ret_len;
    return rc;
}

/* Once the text is here the rest is the reading of it. */
static int import_progress(void *arg, const struct dendro_import_result *so_far)
{
    struct import *im = arg;
    uint64_t size = im->req->spooled + im->req->body.len;

    atomic_store(&im->req->progress_rows, so_far->parsed);
    if (size > 0)
        atomic_store(&im->req->progress_permille, (int)(so_far->bytes * 1000 / size));
    return 0;
}

static int import_read_at(void *arg, uint64_t at, void *to, size_t len)
{
    struct import *im = arg;
    char *p = to;

    while (len > 0) {
        struct dn_err err;
        size_t n = 0;

        if (http_spool_read(im->req, at, p, len, &n, &err) < 0 || n == 0)
            return -1;
        p += n;
        at += n;
        len -= n;
    }
    return 0;
}

static int import_reject(void *arg,
                         uint64_t line,
                         const char *column,
                         const char *reason,
                         const char *record DN_UNUSED,
                         size_t record_len DN_UNUSED)
{
    struct import *im = arg;
    struct buf *b = &im->rejects;

    if (im->rejects_count++ >= IMPORT_REJECTS)
        return 0;
    buf_printf(b, "%s{\"line\":%" PRIu64 ",\"column\":", b->len ? "," : "", line);
    if (column)
        http_json_text(b, column, strlen(column));
    else
        buf_puts(b, "null");
    buf_puts(b, ",\"reason\":");
    http_json_text(b, reason, strlen(reason));
    buf_u8(b, '}');
    return 0;
}

/* One character, or "tab". */
static bool import_char(struct http_req *req, const char *name, char *ret)
{
    const char *given = http_query(req, name);

    if (!given)
        return true;
    if (strcmp(given, "tab") == 0)
        *ret = '\t';
    else if (strlen(given) == 1)
        *ret = given[0];
    else
        http_fail(req, 400, "22023", "%s is one character, or tab", name);
    return req->status == 0;
}

static bool import_header(struct http_req *req, enum dendro_csv_header *ret)
{
    const char *given = http_query(req, "header");

    if (!given || strcmp(given, "auto") == 0)
        *ret = DENDRO_HEADER_AUTO;
    else if (strcmp(given, "true") == 0)
        *ret = DENDRO_HEADER_YES;
    else if (strcmp(given, "false") == 0)
        *ret = DENDRO_HEADER_NO;
    else
        http_fail(req, 400, "22023", "header is auto, true or false");
    return req->status == 0;
}

static const struct {
    const char *name;
    enum dendro_unit unit;
} import_units[] = {
    {"s", DENDRO_UNIT_S}, {"ms", DENDRO_UNIT_MS}, {"us", DENDRO_UNIT_US}, {"ns", DENDRO_UNIT_NS}};

static bool import_epoch(struct http_req *req, struct dendro_csv *csv)
{
    const char *given = http_query(req, "epoch");

    for (size_t i = 0; given && i < DN_ARRAY_SIZE(import_units); i++)
        if (strcmp(given, import_units[i].name) == 0) {
            csv->epoch = true;
            csv->epoch_unit = import_units[i].unit;
        }
    if (given && !csv->epoch)
        http_fail(req, 400, "22023", "epoch is s, ms, us or ns");
    return req->status == 0;
}

static const struct {
    const char *name;
    enum dendro_encoding encoding;
} import_encodings[] = {{"utf8", DENDRO_ENCODING_UTF8},
                        {"latin1", DENDRO_ENCODING_LATIN1},
                        {"win1252", DENDRO_ENCODING_WIN1252},
                        {"utf16le", DENDRO_ENCODING_UTF16LE},
                        {"utf16be", DENDRO_ENCODING_UTF16BE},
                        {"ndjson", DENDRO_ENCODING_NDJSON}};

static const char *const import_dates[] = {[DENDRO_DATES_SESSION] = "",
                                           [DENDRO_DATES_MDY] = "mdy",
                                           [DENDRO_DATES_DMY] = "dmy",
                                           [DENDRO_DATES_YMD] = "ymd"};

/* Encoding, decimal sign, what comes first in a date. */
static bool import_writing(struct http_req *req, struct dendro_csv *csv)
{
    const char *encoding = http_query(req, "encoding");
    const char *decimal = http_query(req, "decimal");
    const char *dates = http_query(req, "dates");
    bool known = !encoding;

    for (size_t i = 0; encoding && i < DN_ARRAY_SIZE(import_encodings); i++)
        if (strcmp(encoding, import_encodings[i].name) == 0) {
            csv->encoding = import_encodings[i].encoding;
            known = true;
        }
    if (!known)
        http_fail(
            req, 400, "22023", "encoding is utf8, latin1, win1252, utf16le, utf16be or ndjson");
    if (decimal && strcmp(decimal, ",") != 0 && strcmp(decimal, ".") != 0)
        http_fail(req, 400, "22023", "decimal is a comma or a point");
    else if (decimal)
        csv->decimal = *decimal;
    for (size_t i = 1; dates && i < DN_ARRAY_SIZE(import_dates); i++)
        if (strcmp(dates, import_dates[i]) == 0)
            csv->dates = (enum dendro_dates)i;
    if (dates && csv->dates == DENDRO_DATES_SESSION)
        http_fail(req, 400, "22023", "dates is mdy, dmy or ymd");
    return req->status == 0;
}

static bool import_options(struct http_req *req, struct import *im, struct dendro_import *ret)
{
    const char *errors = http_query(req, "on_error");

    *ret = (struct dendro_import){.schema = http_query(req, "schema"),
                                  .table = http_query(req, "table"),
                                  .read = import_read,
                                  .read_arg = im,
                                  .read_at = import_read_at,
                                  .progress = import_progress,
                                  .progress_arg = im,
                                  .size = req->spooled + req->body.len,
                                  .atomic = true};
    ret->csv.null_text = http_query(req, "null");
    if (!ret->table || !ret->table[0]) {
        http_fail(req, 400, "22023", "missing required parameter \"table\"");
        return false;
    }
    if (errors && strcmp(errors, "skip") == 0) {
        ret->reject = import_reject;
        ret->reject_arg = im;
    } else if (errors && strcmp(errors, "abort") != 0) {
        http_fail(req, 400, "22023", "on_error is abort or skip");
        return false;
    }
    return import_char(req, "delimiter", &ret->csv.delimiter) &&
           import_char(req, "quote", &ret->csv.quote) && import_header(req, &ret->csv.header) &&
           import_epoch(req, &ret->csv) && import_writing(req, &ret->csv);
}

static int import_create(struct http_req *req,
                         struct import *im,
                         struct dendro_import *how,
                         struct dendro_error *err)
{
    int rc = dendro_import_suggest(how, &im->sql, &im->why, err);

    im->at = 0;
    return rc < 0 ? rc : dendro_exec(req->session, im->sql, -1, NULL, NULL, err);
}

/* How the text is written, for a table that is there. */
static int import_sniff(struct import *im, struct dendro_import *how, struct dendro_error *err)
{
    int rc = dendro_import_sniff(how, &im->why, err);

    im->at = 0;
    return rc;
}

/* What was made for an import that failed goes again. */
static void import_undo(struct http_req *req, const struct dendro_import *how)
{
    char sql[600];

    snprintf(sql,
             sizeof sql,
             "DROP TABLE %s%s%s\"%.255s\"",
             how->schema ? "\"" : "",
             how->schema ? how->schema : "",
             how->schema ? "\"." : "",
             how->table);
    if (!strchr(how->table, '"') && (!how->schema || !strchr(how->schema, '"')))
        DN_IGNORE(dendro_exec(req->session, sql, -1, NULL, NULL, NULL)); /* as far as it goes */
}

static void import_member(struct buf *b, const char *name, const char *text)
{
    buf_printf(b, ",\"%s\":", name);
    http_json_text(b, text, strlen(text));
}

/* How a text is written, as parameters of the import. A Parquet file says it itself. */
static void import_how(struct buf *b, const struct dendro_csv *csv)
{
    static const char *const headers[] = {
        [DENDRO_HEADER_AUTO] = "auto", [DENDRO_HEADER_YES] = "true", [DENDRO_HEADER_NO] = "false"};
    const char delimiter[] = {csv->delimiter, '\0'};
    const char quote[] = {csv->quote, '\0'};
    const char decimal[] = {csv->decimal, '\0'};

    if (!csv->delimiter)
        return;
    import_member(b, "delimiter", csv->delimiter == '\t' ? "tab" : delimiter);
    import_member(b, "quote", quote);
    import_member(b, "header", headers[csv->header]);
    import_member(b, "decimal", csv->decimal ? decimal : ".");
    for (size_t i = 0; i < DN_ARRAY_SIZE(import_encodings); i++)
        if (import_encodings[i].encoding == csv->encoding)
            import_member(b, "encoding", import_encodings[i].name);
    if (csv->dates != DENDRO_DATES_SESSION)
        import_member(b, "dates", import_dates[csv->dates]);
}

/* What a text would become. Nothing is made. */
static void import_suggest(struct http_req *req, struct import *im, struct dendro_import *how)
{
    struct dendro_error err;

    if (dendro_import_suggest(how, &im->sql, &im->why, &err) < 0) {
        http_fail_with(req, &err);
        return;
    }
    buf_puts(&req->out, "{\"table\":");
    http_json_text(&req->out, how->table, strlen(how->table));
    import_member(&req->out, "create", im->sql);
    import_member(&req->out, "why", im->why);
    for (size_t i = 0; how->csv.epoch && i < DN_ARRAY_SIZE(import_units); i++)
        if (import_units[i].unit == how->csv.epoch_unit)
            import_member(&req->out, "epoch", import_units[i].name);
    import_how(&req->out, &how->csv);
    buf_puts(&req->out, "}\n");
    http_reply(req, 200, "application/json", NULL);
}

static void import_answer(struct http_req *req,
                          const struct import *im,
                          const struct dendro_import *how,
                          const struct dendro_import_result *r)
{
    struct buf *b = &req->out;

    buf_puts(b, "{\"table\":");
    http_json_text(b, how->table, strlen(how->table));
    buf_printf(b, ",\"rows\":%" PRIu64 ",\"rejected\":%" PRIu64, r->rows, r->rejected);
    if (im->sql)
        import_member(b, "created", im->sql);
    if (im->why && *im->why)
        import_member(b, "why", im->why);
    buf_puts(b, ",\"rejects\":[");
    buf_append(b, im->rejects.data, im->rejects.len);
    buf_puts(b, "]}\n");
    http_reply(req, 200, "application/json", NULL);
}

static void import_count(struct http_req *req,
                         const struct dendro_import *how,
                         const struct dendro_import_result *r)
{
    struct table *t = appender_table(req->session, how->schema, how->table);

    if (t)
        ingest_counts_add(server_counts(req->h->srv), t->schema, t->name, r->rows, r->rejected);
    table_unref(t);
}

void http_run_import(struct http_req *req)
{
    struct import *im = mem_calloc(&req->h->owner, 1, sizeof(*im));
    struct dendro_import how;
    struct dendro_import_result result;
    struct audit_rows done;
    struct dendro_error err;
    int rc = 0;

    if (!im) {
        http_fail(req, 503, "53200", "out of memory");
        return;
    }
    im->req = req;
    buf_init(&im->rejects, &req->h->owner);
    req->state_of = im;
    req->free_state = import_free;
    if (!import_options(req, im, &how))
        return;
    if (http_query_is(req, "suggest", "true")) {
        import_suggest(req, im, &how);
        return;
    }
    if (!http_session(req))
        return;
    if (http_query_is(req, "create", "true"))
        rc = import_create(req, im, &how, &err);
    else
        rc = import_sniff(im, &how, &err);
    if (rc >= 0) {
        rc = dendro_import_csv(req->session, &how, &result, &err);
        if (rc < 0 && im->sql)
            import_undo(req, &how);
    }
    done = (struct audit_rows){.table = how.table, .err = rc < 0 ? &err : NULL};
    done.rows = rc < 0 ? 0 : result.rows;
    done.made = rc < 0 ? NULL : im->sql;
    http_audit_rows(req, done);
    if (rc < 0) {
        http_fail_with(req, &err);
        return;
    }
    atomic_fetch_add(&req->h->counters.rows[HTTP_KIND_IMPORT], result.rows);
    import_count(req, &how, &result);
    import_answer(req, im, &how, &result);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c: the rows of a query as a file in a binary format: the statement is run
 * as COPY (query) TO STDOUT into a scratch file, which is the answer when all of it is there. So an
 * error is never in the middle of a file. */
#include "engine/door.h"
#include "engine/engine.h"
#include "server/audit.h"
#include "server/http/http_int.h"
#include "server/http/rows.h"
#include "server/server.h"
#include "sql/lexer.h"
#include "volume/volume.h"

#include <string.h>

#define FILE_BYTES ((size_t)256 << 10) /* sent at once */

struct file_answer {
    struct volume_scratch *file; /* owned */
    uint64_t len;
    uint64_t at;
    struct dn_err err; /* of a write; code 0: none */
};

static void file_close(struct file_answer *f)
{
    volume_scratch_close(f->file);
    mem_free(f);
}

static void file_free(struct http_req *req)
{
    file_close(req->state_of);
}

static int file_write(void *arg, const void *bytes, size_t len)
{
    struct file_answer *f = arg;
    uint64_t at;

    if (len > 0 && volume_scratch_append(f->file, bytes, len, &at, &f->err) < 0)
        return 1;
    f->len += len;
    return 0;
}

/* The next part of the answer. */
static void file_more(struct http_req *req)
{
    struct file_answer *f = req->state_of;
    size_t n = f->len - f->at < FILE_BYTES ? (size_t)(f->len - f->at) : FILE_BYTES;
    struct dn_err err;

    if (!buf_reserve(&req->out, n) ||
        (n > 0 && volume_scratch_read(f->file, f->at, req->out.data + req->out.len, n, &err) < 0)) {
        req->ended = req->cut = true;
        return;
    }
    req->out.len += n;
    f->at += n;
    req->ended = f->at == f->len;
}

/* COPY (…) TO STDOUT of the one statement that the text has. */
static bool
file_statement(struct http_req *req, const char *text, const char *format, struct buf *sql)
{
    struct sql_lexer lx = {.start = text, .cur = text, .end = text + strlen(text), .pos = 1};
    struct sql_token rest;
    size_t len;

    len = sql_lex_skip_statement(&lx) ? (size_t)(lx.cur - text) - 1 : strlen(text);
    if (lx.cur < lx.end && sql_lex(&lx, &rest) != 0) {
        http_fail(
            req, 400, "22023", "a file is the answer to one query, not to several statements");
        return false;
    }
    buf_puts(sql, "COPY (");
    buf_append(sql, text, len);
    buf_printf(sql, "\n) TO STDOUT (FORMAT %s)", format); /* a comment ends with the line */
    buf_u8(sql, 0);
    if (sql->failed)
        http_fail(req, 503, "53200", "out of memory");
    return !sql->failed;
}

static void file_audit(struct http_req *req,
                       dendro_stmt *stmt,
                       const char *sql,
                       const struct dendro_error *error)
{
    struct audit_who who = {.user = req->user, .peer = req->peer, .protocol = "HTTP"};
    struct audit_stmt what = {.session = req->session,
                              .stmt = stmt,
                              .text = sql,
                              .text_len = strlen(sql),
                              .since_ns = req->since_ns,
                              .err = error};

    audit_statement(req->h->srv, &who, &what);
}

/* False: it was answered. */
static bool file_run(struct http_req *req, struct file_answer *f, const char *sql)
{
    static const unsigned before = sizeof "COPY (" - 1;
    struct dendro_copy copy = {.write = file_write, .write_arg = f};
    dendro_stmt *stmt = NULL;
    struct dendro_error error;
    int rc;

    dendro_set_copy(req->session, &copy);
    http_progress_begin(req);
    rc = dendro_prepare(req->session, sql, -1, &stmt, NULL, &error);
    if (rc >= 0)
        rc = dendro_step(stmt, &error);
    if (rc < 0 && f->err.code < 0)
        (void)engine_return(&error, &f->err, f->err.code);
    file_audit(req, stmt, sql, rc < 0 ? &error : NULL);
    dendro_finalize(stmt);
    if (rc < 0) {
        error.position -= error.position > before ? before : error.position;
        http_fail_with(req, &error);
    }
    return rc >= 0;
}

/* The list of what runs shows the statement as long as it does. The end of the session frees what
 * the request has as its state, which the file must not be before. */
static bool file_ask(struct http_req *req, struct file_answer *f, const char *sql)
{
    struct dn_err err;
    bool done;
    int rc;

    dn_err_clear(&err);
    rc = engine_scratch(server_db(req->h->srv), &f->file, &err);
    if (rc < 0) {
        http_fail(req, 503, "58030", "the file cannot be kept: %s", err.text);
        return false;
    }
    req->sql = sql;
    done = http_session(req) && file_run(req, f, sql);
    http_session_end(req);
    req->sql = NULL;
    return done;
}

void http_run_file(struct http_req *req, enum http_format format, const char *text)
{
    struct file_answer *f = mem_calloc(&req->h->owner, 1, sizeof(*f));
    struct buf sql;

    if (!f) {
        http_fail(req, 503, "53200", "out of memory");
        return;
    }
    buf_init(&sql, &req->h->owner);
    if (!file_statement(req, text, http_format_name(format), &sql)) {
        file_close(f);
        buf_done(&sql);
        return;
    }
    req->free_state(req); /* the text was of it */
    req->free_state = NULL;
    if (file_ask(req, f, (const char *)sql.data)) {
        req->state_of = f;
        req->free_state = file_free;
        req->status = 200;
        req->type = http_format_type(format);
        req->more = file_more;
        file_more(req);
    } else {
        file_close(f);
    }
    buf_done(&sql);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * backend_remote.c: a server, Dendro's or PostgreSQL's, through libpq. Statements go one by one and
 * rows come one by one (single-row mode), so that memory stays flat. */
#define _GNU_SOURCE /* explicit_bzero */
#include "base/mem.h"
#include "cli/backend.h"
#include "cli/backend_types.h"
#include "cli/password.h"
#include "sql/lexer.h"

#include <libpq-fe.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMOTE_COPY_BYTES 65536u
#define REMOTE_POLL_MS    500

enum remote_state { REMOTE_IDLE, REMOTE_READY, REMOTE_RUNS };

struct remote {
    struct backend base; /* first */
    PGconn *conn;
    PGcancel *cancel; /* of conn, for the signal handler; NULL while there is none */
    enum remote_state state;
    struct buf sql;                 /* the statement, NUL-terminated */
    PGresult *rows;                 /* the last with columns; owned */
    volatile sig_atomic_t canceled; /* somebody wants it to end */
    char tag[64];                   /* command tag */
    bool failed;                    /* the statement: err has been filled */
    struct dendro_copy copy;
    struct dendro_copy_info copy_info;
    dendro_notice_fn notice;
    void *notice_arg;
};

static struct remote *remote_of(struct backend *b)
{
    return (struct remote *)b;
}

static const struct remote *remote_const(const struct backend *b)
{
    return (const struct remote *)b;
}

/* ---- errors and notices ---- */

static int
remote_fail(struct dendro_error *err, int code, const char *sqlstate, const char *message)
{
    size_t len = strcspn(message, "\n"); /* libpq's own may go on for lines */

    memset(err, 0, sizeof *err);
    err->code = code;
    (void)snprintf(err->sqlstate, sizeof err->sqlstate, "%s", sqlstate);
    (void)snprintf(err->message, sizeof err->message, "%.*s", (int)len, message);
    message += len + strspn(message + len, "\n\t ");
    (void)snprintf(err->hint, sizeof err->hint, "%.*s", (int)strcspn(message, "\n"), message);
    return code;
}

static const char *remote_field(const PGresult *res, int field)
{
    const char *text = PQresultErrorField(res, field);

    return text ? text : "";
}

static int remote_error(struct remote *r, const PGresult *res, struct dendro_error *err)
{
    const char *state = remote_field(res, PG_DIAG_SQLSTATE);
    const char *message = remote_field(res, PG_DIAG_MESSAGE_PRIMARY);

    if (!*message)
        message = PQresultErrorMessage(res);
    if (!*message)
        message = PQerrorMessage(r->conn);
    (void)remote_fail(err,
                      strcmp(state, "57014") == 0 ? DENDRO_E_CANCELED : DENDRO_E_IO,
                      *state ? state : "08006",
                      *message ? message : "the server went away");
    if (*remote_field(res, PG_DIAG_MESSAGE_HINT))
        (void)snprintf(err->hint, sizeof err->hint, "%s", remote_field(res, PG_DIAG_MESSAGE_HINT));
    (void)snprintf(
        r->base.detail, sizeof r->base.detail, "%s", remote_field(res, PG_DIAG_MESSAGE_DETAIL));
    err->position = (uint32_t)strtoul(remote_field(res, PG_DIAG_STATEMENT_POSITION), NULL, 10);
    return err->code;
}

static void remote_notice(void *arg, const PGresult *res)
{
    const struct remote *r = arg;

    if (r->notice)
        r->notice(r->notice_arg,
                  remote_field(res, PG_DIAG_SEVERITY),
                  remote_field(res, PG_DIAG_MESSAGE_PRIMARY));
}

/* Is the connection still there? Else what is known about it is forgotten. */
static bool remote_alive(struct remote *r)
{
    PGcancel *old = r->cancel;

    if (PQstatus(r->conn) == CONNECTION_OK)
        return true;
    r->base.lost = true;
    r->cancel = NULL; /* first: the signal handler reads it */
    PQfreeCancel(old);
    return false;
}

static int remote_lost(struct remote *r, struct dendro_error *err)
{
    char text[300];

    (void)remote_alive(r);
    (void)snprintf(text, sizeof text, "%s", PQerrorMessage(r->conn));
    (void)remote_fail(err, DENDRO_E_IO, "08006", *text ? text : "the server went away");
    return err->code;
}

/* ---- connection ---- */

static void remote_welcome(struct remote *r)
{
    const char *version = PQparameterStatus(r->conn, "server_version");
    const char *host = PQhost(r->conn);
    PGcancel *old = r->cancel;

    r->cancel = PQgetCancel(r->conn);
    PQfreeCancel(old);
    r->base.lost = false;
    r->base.dendro = version && strstr(version, "Dendro");
    (void)PQsetNoticeReceiver(r->conn, remote_notice, r);
    (void)PQsetClientEncoding(r->conn, "UTF8");
    (void)snprintf(r->base.title, sizeof r->base.title, "%s", PQdb(r->conn));
    (void)snprintf(r->base.where,
                   sizeof r->base.where,
                   "%s at %s:%s, server %s%s",
                   PQdb(r->conn),
                   host && *host ? host : "the local socket",
                   PQport(r->conn),
                   version ? version : "of no version",
                   PQsslInUse(r->conn) ? ", TLS" : "");
}

static PGconn *remote_connect(const char *where, const char *password)
{
    const char *names[] = {"dbname", "fallback_application_name", "client_encoding", NULL, NULL};
    const char *values[] = {where, "dendro sql", "UTF8", NULL, NULL};

    if (password) {
        names[3] = "password";
        values[3] = password;
    }
    return PQconnectdbParams(names, values, 1);
}

/* A setting of the session, as -s and --read-only want it. */
static int
remote_set(struct remote *r, const char *name, const char *value, struct dendro_error *err)
{
    const char *values[] = {name, value};
    PGresult *res =
        PQexecParams(r->conn, "SELECT set_config($1, $2, false)", 2, NULL, values, NULL, NULL, 0);
    int rc = PQresultStatus(res) == PGRES_TUPLES_OK ? DENDRO_OK : remote_error(r, res, err);

    PQclear(res);
    return rc;
}

static int
remote_set_all(struct remote *r, const struct backend_options *options, struct dendro_error *err)
{
    int rc = DENDRO_OK;

    if (options->read_only)
        rc = remote_set(r, "default_transaction_read_only", "on", err);
    for (size_t i = 0; rc >= 0 && options->settings && options->settings[i]; i += 2)
        rc = remote_set(r, options->settings[i], options->settings[i + 1], err);
    return rc;
}

static void remote_close(struct backend *b)
{
    struct remote *r = remote_of(b);
    PGcancel *cancel = r->cancel;

    r->cancel = NULL;
    PQfreeCancel(cancel);
    PQclear(r->rows);
    PQfinish(r->conn);
    buf_done(&r->sql);
    mem_free(r);
}

/* The connection was lost before: once more. */
static int remote_again(struct remote *r, struct dendro_error *err)
{
    PQreset(r->conn);
    if (PQstatus(r->conn) != CONNECTION_OK)
        return remote_fail(err, DENDRO_E_IO, "08001", PQerrorMessage(r->conn));
    remote_welcome(r);
    if (r->notice)
        r->notice(r->notice_arg,
                  "WARNING",
                  "connected again; settings, temporary tables and the open transaction are gone");
    return DENDRO_OK;
}

/* ---- statements ---- */

static int remote_prepare(
    struct backend *b, const char *sql, size_t len, const char **ret_tail, struct dendro_error *err)
{
    struct remote *r = remote_of(b);
    struct sql_lexer lx = {.start = sql, .cur = sql, .end = sql + len, .pos = 1};
    bool blank;

    sql_lex_skip_blanks(&lx);
    blank = lx.cur == lx.end || *lx.cur == ';';
    (void)sql_lex_skip_statement(&lx);
    *ret_tail = lx.cur;
    if (blank)
        return 0;
    r->base.detail[0] = '\0';
    if (r->base.lost) {
        int rc = remote_again(r, err);
        if (rc < 0)
            return rc;
    }
    buf_reset(&r->sql);
    buf_append(&r->sql, sql, (size_t)(lx.cur - sql));
    buf_u8(&r->sql, '\0');
    if (r->sql.failed)
        return remote_fail(err, DENDRO_E_NOMEM, "53200", "out of memory for the statement");
    if (memchr(r->sql.data, '\0', r->sql.len - 1))
        return remote_fail(err, DENDRO_E_SYNTAX, "42601", "a statement cannot hold NUL bytes");
    r->state = REMOTE_READY;
    r->failed = false;
    r->canceled = 0;
    r->tag[0] = '\0';
    r->copy_info = (struct dendro_copy_info){.direction = DENDRO_COPY_NONE};
    PQclear(r->rows);
    r->rows = NULL;
    return 1;
}

/* Rows of COPY … FROM STDIN, as long as there are any. */
static void remote_copy_in(struct remote *r)
{
    char *bytes = mem_alloc(NULL, REMOTE_COPY_BYTES);
    const char *stop = NULL;
    size_t len = 0;

    if (!bytes || !r->copy.read)
        stop = bytes ? "there is nothing to read from" : "out of memory";
    while (!stop) {
        if (r->copy.read(r->copy.read_arg, bytes, REMOTE_COPY_BYTES, &len) != 0)
            stop = "canceled by the client";
        if (stop || len == 0 || PQputCopyData(r->conn, bytes, (int)len) != 1)
            break;
    }
    (void)PQputCopyEnd(r->conn, stop);
    mem_free(bytes);
}

static void remote_copy_out(struct remote *r)
{
    bool wanted = r->copy.write != NULL;
    char *row = NULL;
    int len;

    while ((len = PQgetCopyData(r->conn, &row, 0)) > 0) {
        if (wanted && r->copy.write(r->copy.write_arg, row, (size_t)len) != 0) {
            wanted = false; /* the rest is not */
            backend_cancel(&r->base);
        }
        PQfreemem(row);
    }
}

static void remote_copy(struct remote *r, const PGresult *res, bool in)
{
    r->copy_info = (struct dendro_copy_info){.direction = in ? DENDRO_COPY_IN : DENDRO_COPY_OUT,
                                             .binary = PQbinaryTuples(res) != 0,
                                             .columns_count = PQnfields(res)};
    if (in)
        remote_copy_in(r);
    else
        remote_copy_out(r);
}

/* The next result: DENDRO_ROW, DENDRO_OK: go on, or an error, after which there may be more. */
static int remote_take(struct remote *r, PGresult *res, struct dendro_error *err)
{
    ExecStatusType status = PQresultStatus(res);

    switch (status) {
    case PGRES_SINGLE_TUPLE:
    case PGRES_TUPLES_OK:
        PQclear(r->rows);
        r->rows = res;
        if (status == PGRES_TUPLES_OK)
            (void)snprintf(r->tag, sizeof r->tag, "%s", PQcmdStatus(res));
        return status == PGRES_SINGLE_TUPLE ? DENDRO_ROW : DENDRO_OK;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
        remote_copy(r, res, status == PGRES_COPY_IN);
        break;
    case PGRES_COMMAND_OK:
        (void)snprintf(r->tag, sizeof r->tag, "%s", PQcmdStatus(res));
        break;
    case PGRES_EMPTY_QUERY:
    case PGRES_NONFATAL_ERROR:
        break;
    case PGRES_BAD_RESPONSE:
    case PGRES_FATAL_ERROR:
    case PGRES_COPY_BOTH:
    case PGRES_PIPELINE_SYNC:
    case PGRES_PIPELINE_ABORTED:
        if (!r->failed)
            (void)remote_error(r, res, err);
        r->failed = true;
        break;
    }
    PQclear(res);
    return DENDRO_OK;
}

/* Waits for an answer. A cancel that came before the server began with the statement had no effect
 * there: it is asked again. */
static void remote_wait(struct remote *r)
{
    while (PQisBusy(r->conn)) {
        struct pollfd fd = {.fd = PQsocket(r->conn), .events = POLLIN};

        if (poll(&fd, 1, REMOTE_POLL_MS) > 0 && PQconsumeInput(r->conn) != 1)
            return;
        if (fd.revents == 0 && r->canceled)
            backend_cancel(&r->base);
    }
}

/* The next result, NULL: there is no more. */
static PGresult *remote_next(struct remote *r)
{
    remote_wait(r);
    return PQgetResult(r->conn);
}

static int remote_step(struct backend *b, struct dendro_error *err)
{
    struct remote *r = remote_of(b);
    PGresult *res;

    if (r->state == REMOTE_READY) {
        if (PQsendQuery(r->conn, (const char *)r->sql.data) != 1) {
            r->state = REMOTE_IDLE;
            return remote_lost(r, err);
        }
        (void)PQsetSingleRowMode(r->conn);
        r->state = REMOTE_RUNS;
    }
    while (r->state == REMOTE_RUNS && (res = remote_next(r)) != NULL) {
        int rc = remote_take(r, res, err);
        if (rc == DENDRO_ROW && !r->failed)
            return rc;
        if (PQstatus(r->conn) != CONNECTION_OK)
            break; /* COPY would find no end */
    }
    r->state = REMOTE_IDLE;
    if (!remote_alive(r) && !r->failed)
        return remote_lost(r, err);
    return r->failed ? err->code : DENDRO_DONE;
}

static void remote_finish(struct backend *b)
{
    struct remote *r = remote_of(b);
    struct dendro_error unused;

    if (r->state == REMOTE_RUNS) { /* given up before the end */
        r->copy = (struct dendro_copy){.read = NULL};
        backend_cancel(b);
        while (remote_step(b, &unused) == DENDRO_ROW) {
        }
    }
    r->state = REMOTE_IDLE;
    PQclear(r->rows);
    r->rows = NULL;
}

/* ---- columns ---- */

static int remote_columns(const struct backend *b)
{
    const struct remote *r = remote_const(b);

    return r->rows ? PQnfields(r->rows) : r->state == REMOTE_READY ? -1 : 0;
}

static const char *remote_name(const struct backend *b, int col)
{
    const char *name = PQfname(remote_const(b)->rows, col);

    return name ? name : "";
}

static enum dendro_type remote_type(const struct backend *b, int col)
{
    return backend_oid_type(PQftype(remote_const(b)->rows, col));
}

static void remote_type_name(const struct backend *b, int col, char *ret, size_t size)
{
    backend_oid_name(PQftype(remote_const(b)->rows, col), ret, size);
}

static const char *remote_text(struct backend *b, int col, size_t *ret_len)
{
    const PGresult *rows = remote_of(b)->rows;
    const char *text;

    *ret_len = 0;
    if (PQgetisnull(rows, 0, col))
        return NULL;
    text = PQgetvalue(rows, 0, col);
    *ret_len = (size_t)PQgetlength(rows, 0, col);
    if (backend_oid_type(PQftype(rows, col)) == DENDRO_TYPE_BOOLEAN) {
        text = text[0] == 't' ? "true" : "false"; /* as everywhere in the shell */
        *ret_len = strlen(text);
    }
    return text;
}

static double remote_number(struct backend *b, int col)
{
    size_t len = 0;
    const char *text = remote_text(b, col, &len);

    return text ? backend_text_number(text, len, backend_is_time(b, col)) : (double)NAN;
}

static const char *remote_tag(const struct backend *b)
{
    return remote_const(b)->tag;
}

static void remote_copy_info(const struct backend *b, struct dendro_copy_info *ret)
{
    *ret = remote_const(b)->copy_info;
}

static void remote_set_copy(struct backend *b, const struct dendro_copy *copy)
{
    remote_of(b)->copy = *copy;
}

static void
remote_set_progress(struct backend *b, dendro_progress_fn fn, void *arg, unsigned interval_ms)
{
    (void)b; /* servers do not tell */
    (void)fn;
    (void)arg;
    (void)interval_ms;
}

static void remote_set_notice(struct backend *b, dendro_notice_fn fn, void *arg)
{
    remote_of(b)->notice = fn;
    remote_of(b)->notice_arg = arg;
}

static void remote_cancel(struct backend *b)
{
    PGcancel *cancel = remote_of(b)->cancel;
    char why[128];

    remote_of(b)->canceled = 1;
    if (cancel)
        (void)PQcancel(cancel, why, sizeof why); /* a hint; safe in a signal handler */
}

static enum dendro_tx_status remote_status(const struct backend *b)
{
    switch (PQtransactionStatus(remote_const(b)->conn)) {
    case PQTRANS_INTRANS:
        return DENDRO_TX_BLOCK;
    case PQTRANS_INERROR:
        return DENDRO_TX_FAILED;
    case PQTRANS_IDLE:
    case PQTRANS_ACTIVE:
    case PQTRANS_UNKNOWN:
        break;
    }
    return DENDRO_TX_IDLE;
}

static const struct backend_ops remote_ops = {
    .prepare = remote_prepare,
    .step = remote_step,
    .finish = remote_finish,
    .columns = remote_columns,
    .name = remote_name,
    .type = remote_type,
    .type_name = remote_type_name,
    .text = remote_text,
    .number = remote_number,
    .tag = remote_tag,
    .copy_info = remote_copy_info,
    .set_copy = remote_set_copy,
    .set_progress = remote_set_progress,
    .set_notice = remote_set_notice,
    .cancel = remote_cancel,
    .status = remote_status,
    .close = remote_close,
};

/* With a password from the terminal, if the server wants one and nothing else has it. */
static PGconn *remote_connect_asking(const char *where, bool ask)
{
    PGconn *conn = remote_connect(where, NULL);
    char prompt[128];
    char password[512];

    if (!conn || !ask || PQstatus(conn) == CONNECTION_OK || !PQconnectionNeedsPassword(conn))
        return conn;
    (void)snprintf(prompt, sizeof prompt, "Password for user %s: ", PQuser(conn));
    if (!cli_password(prompt, password, sizeof password))
        return conn;
    PQfinish(conn);
    conn = remote_connect(where, password);
    explicit_bzero(password, sizeof password);
    return conn;
}

int backend_remote_open(const char *where,
                        const struct backend_options *options,
                        struct backend **ret,
                        struct dendro_error *err)
{
    struct remote *r = mem_calloc(NULL, 1, sizeof *r);
    int rc = DENDRO_OK;

    if (!r)
        return remote_fail(err, DENDRO_E_NOMEM, "53200", "out of memory");
    r->base = (struct backend){.ops = &remote_ops, .remote = true};
    buf_init(&r->sql, NULL);
    r->conn = remote_connect_asking(where, options->ask);
    if (!r->conn || PQstatus(r->conn) != CONNECTION_OK) {
        rc = remote_fail(
            err, DENDRO_E_IO, "08001", r->conn ? PQerrorMessage(r->conn) : "out of memory");
    } else {
        remote_welcome(r);
        rc = remote_set_all(r, options, err);
    }
    if (rc < 0) {
        remote_close(&r->base);
        return rc;
    }
    *ret = &r->base;
    return DENDRO_OK;
}

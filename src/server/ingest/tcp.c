/* SPDX-License-Identifier: Apache-2.0
 *
 * tcp.c: see tcp.h. */
#include "server/ingest/tcp.h"

#include "catalog/access.h"
#include "server/auth.h"
#include "server/conn.h"
#include "server/ingest/ingest.h"
#include "server/server.h"

#include <inttypes.h>
#include <stdio.h>

#define TCP_LINE_MAX  ((size_t)4 << 20) /* bytes of a line */
#define TCP_BATCH_MAX ((size_t)8 << 20) /* bytes of lines that are written together, about */
#define TCP_BAD_MAX   64u               /* lines of a batch that are refused one by one */

struct tcp {
    dendro_conn *session; /* owned; NULL until the first line */
    struct lp lp;
    uint64_t lines;            /* before those in the buffer */
    uint64_t rows;             /* written */
    uint64_t errors;           /* lines refused */
    uint64_t bad[TCP_BAD_MAX]; /* of the batch: refused already */
    unsigned bad_count;
    uint64_t told; /* of the batch: bad lines up to this one */
    bool goodbye;
};

static int tcp_open(struct conn *c, struct dn_err *err)
{
    struct tcp *t = mem_calloc(server_owner(c->srv), 1, sizeof(*t));

    if (!t)
        return DN_FAIL_NOMEM(err);
    c->proto = t;
    return 0;
}

static void tcp_close(struct conn *c)
{
    struct tcp *t = c->proto;

    dendro_disconnect(t->session);
    mem_free(t);
}

static void tcp_cancel(struct conn *c)
{
    struct tcp *t = c->proto;

    if (t && t->session)
        dendro_cancel(t->session);
}

static bool tcp_ready(const struct conn *c DN_UNUSED)
{
    return true;
}

static void tcp_refuse(struct conn *c, uint64_t line, const char *why)
{
    struct tcp *t = c->proto;

    t->errors++;
    atomic_fetch_add(&server_lines(c->srv)->errors, 1);
    buf_printf(&c->out, "E %" PRIu64 " %s\n", t->lines + line, why);
}

static bool tcp_is_bad(const struct tcp *t, uint64_t line)
{
    for (unsigned i = 0; i < t->bad_count; i++)
        if (t->bad[i] == line)
            return true;
    return false;
}

/* All points of the text but those that were refused before. */
static int tcp_gather(struct conn *c, struct ingest *in, struct dendro_error *err)
{
    struct tcp *t = c->proto;
    enum lp_result r;

    while ((r = lp_next(&t->lp)) != LP_END) {
        int rc = 0;

        if (r == LP_NOMEM)
            return ingest_fail(err, DN_E_NOMEM, "out of memory");
        if (r == LP_BAD && t->lp.line > t->told) {
            t->told = t->lp.line;
            tcp_refuse(c, t->lp.line, t->lp.error);
        }
        if (r == LP_POINT && !tcp_is_bad(t, t->lp.line))
            rc = ingest_add(in, &t->lp.point, t->lp.line, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* One try with all lines that are left. 0, or the error; *ret_line: of which line. */
static int
tcp_try(struct conn *c, const char *text, size_t len, uint64_t *ret_line, struct dendro_error *err)
{
    struct tcp *t = c->proto;
    struct ingest_options opt = {
        .create = server_limits(c->srv)->create, .unit_ns = 1, .now_ns = server_wall_ns(c->srv)};
    struct ingest in;
    struct arena arena;
    int rc;

    arena_init(&arena, server_owner(c->srv));
    ingest_init(&in, server_owner(c->srv), &opt);
    lp_begin(&t->lp, text, len, &arena);
    rc = tcp_gather(c, &in, err);
    if (rc == 0)
        rc = ingest_write(&in, t->session, err);
    if (rc == 0) {
        t->rows += in.rows;
        atomic_fetch_add(&server_lines(c->srv)->rows, in.rows);
    }
    *ret_line = in.bad_line;
    ingest_done(&in);
    arena_done(&arena);
    return rc;
}

static void tcp_write(struct conn *c, const char *text, size_t len)
{
    struct tcp *t = c->proto;
    struct dendro_error err;
    uint64_t line = 0;

    t->bad_count = 0;
    t->told = 0;
    while (tcp_try(c, text, len, &line, &err) < 0) {
        if (line == 0 || t->bad_count == TCP_BAD_MAX) {
            char why[DENDRO_MESSAGE_MAX + 80];

            snprintf(why, sizeof why, "nothing of these lines is written: %s", err.message);
            tcp_refuse(c, line ? line : 1, why);
            break;
        }
        tcp_refuse(c, line, err.message);
        t->bad[t->bad_count++] = line;
    }
    for (const char *at = text; at < text + len; at++)
        t->lines += *at == '\n';
}

static enum conn_want tcp_bye(struct conn *c, const char *why)
{
    struct tcp *t = c->proto;

    if (!t->goodbye)
        tcp_refuse(c, 1, why);
    t->goodbye = true;
    return CONN_CLOSE;
}

/* There is no way to log in, so it is for those alone who need not. */
static bool tcp_trusted(struct conn *c)
{
    struct auth_who who = {.user = ACCESS_FIRST_NAME, .peer = c->peer, .local = c->local};
    struct engine_login login;

    return auth_greet(server_auth(c->srv), &who, &login) == AUTH_TRUSTED;
}

static enum conn_want tcp_run(struct conn *c)
{
    struct tcp *t = c->proto;
    size_t n;
    const uint8_t *in = conn_in(c, &n);
    size_t whole;
    struct dendro_error err;

    if (c->full)
        return tcp_bye(c, "too many connections");
    if (!t->session && !tcp_trusted(c))
        return tcp_bye(c, "logins are wanted here, and lines over TCP have none: use HTTP");
    if (!t->session && dendro_connect(server_db(c->srv), &t->session, &err) < 0)
        return tcp_bye(c, err.message);
    whole = lp_whole((const char *)in, n < TCP_BATCH_MAX ? n : TCP_BATCH_MAX);
    if (whole == 0) {
        if (n > TCP_LINE_MAX)
            return tcp_bye(c, "the line is too long");
        return atomic_load(&c->ending) != CONN_STAYS ? CONN_CLOSE : CONN_READ;
    }
    tcp_write(c, (const char *)in, whole);
    conn_took(c, whole);
    if (c->out.failed)
        return CONN_CLOSE;
    return conn_out_left(c) >= CONN_OUT_FULL ? CONN_WRITE : CONN_AGAIN;
}

const struct conn_ops ingest_tcp_ops = {
    .name = "line protocol",
    .open = tcp_open,
    .run = tcp_run,
    .cancel = tcp_cancel,
    .ready = tcp_ready,
    .close = tcp_close,
};

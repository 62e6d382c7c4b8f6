/* SPDX-License-Identifier: Apache-2.0
 *
 * tcp.c: see tcp.h. */
#include "server/ingest/tcp.h"

#include "catalog/access.h"
#include "catalog/table.h"
#include "server/audit.h"
#include "server/auth.h"
#include "server/conf.h"
#include "server/conn.h"
#include "server/ingest/counts.h"
#include "server/ingest/each.h"
#include "server/server.h"
#include "server/tls.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#define TCP_LINE_MAX  ((size_t)4 << 20) /* bytes of a line */
#define TCP_BATCH_MAX ((size_t)8 << 20) /* bytes of lines that are written together, about */
#define TCP_AUTH      "auth "           /* NAME:PASSWORD: the first line, if he has to log in */
#define TCP_AUTH_MAX  1024u
#define TCP_TLS_BYTE  0x16 /* a record of a handshake */

struct tcp {
    dendro_conn *session;          /* owned; NULL until the first line */
    char user[TABLE_NAME_MAX + 1]; /* whose it is */
    uint64_t lines;                /* before those in the buffer */
    uint64_t rows;                 /* written */
    uint64_t errors;               /* lines refused */
    uint64_t opened_ns;
    uint64_t since_ns; /* when the write that is under way began */
    bool goodbye;
    bool peeked; /* the first byte was looked at */
    bool asked;  /* he has to log in first */
};

/* Need he not log in? */
static bool tcp_trusted(struct conn *c)
{
    struct auth_who who = {
        .user = ACCESS_FIRST_NAME, .peer = c->peer, .local = c->local, .protocol = "line protocol"};
    struct engine_login login;

    return auth_greet(server_auth(c->srv), &who, &login) == AUTH_TRUSTED;
}

static int tcp_open(struct conn *c, struct dn_err *err)
{
    struct tcp *t = mem_calloc(server_owner(c->srv), 1, sizeof(*t));

    if (!t)
        return DN_FAIL_NOMEM(err);
    c->proto = t;
    t->opened_ns = server_now_ns(c->srv);
    t->asked = !tcp_trusted(c);
    return 0;
}

/* What came over a connection, when it ends. */
static void tcp_log_end(struct conn *c)
{
    const struct tcp *t = c->proto;
    char seconds[32], rows[32], refused[32];
    const struct server_field fields[] = {{"user", t->user},
                                          {"address", c->peer},
                                          {"protocol", c->ops->name},
                                          {"seconds", seconds},
                                          {"rows", rows},
                                          {"refused", refused}};
    uint64_t ns = server_now_ns(c->srv) - t->opened_ns;

    if (!t->session || !atomic_load(&server_live(c->srv)->log_disconnections))
        return;
    snprintf(seconds, sizeof seconds, "%.3f", (double)ns / 1e9);
    snprintf(rows, sizeof rows, "%" PRIu64, t->rows);
    snprintf(refused, sizeof refused, "%" PRIu64, t->errors);
    server_event("logout", fields, DN_ARRAY_SIZE(fields));
}

static void tcp_close(struct conn *c)
{
    struct tcp *t = c->proto;

    tcp_log_end(c);
    dendro_disconnect(t->session);
    mem_free(t);
}

static void tcp_cancel(struct conn *c)
{
    struct tcp *t = c->proto;

    if (t && t->session)
        dendro_cancel(t->session);
}

static bool tcp_is_trusted(const struct conn *c)
{
    const struct tcp *t = c->proto;

    return !t->asked;
}

static void tcp_refuse(struct conn *c, uint64_t line, const char *why)
{
    struct tcp *t = c->proto;

    t->errors++;
    atomic_fetch_add(&server_lines(c->srv)->errors, 1);
    buf_printf(&c->out, "E %" PRIu64 " %s\n", t->lines + line, why);
}

static void
tcp_refuse_line(void *arg, uint64_t line, const char *why, const struct ingest_table *table)
{
    struct conn *c = arg;

    ingest_counts_refused(server_counts(c->srv), table);
    tcp_refuse(c, line, why);
}

static void tcp_wrote(void *arg, const struct ingest *in)
{
    struct conn *c = arg;
    struct tcp *t = c->proto;
    struct audit_who who = {.user = t->user, .peer = c->peer, .protocol = c->ops->name};
    struct audit_rows what = {.session = t->session,
                              .table = ingest_only_table(in),
                              .rows = in->rows,
                              .made = in->made,
                              .since_ns = t->since_ns};

    t->rows += in->rows;
    atomic_fetch_add(&server_lines(c->srv)->rows, in->rows);
    ingest_counts_wrote(server_counts(c->srv), in);
    audit_rows(c->srv, &who, &what);
}

static void tcp_write(struct conn *c, const char *text, size_t len)
{
    struct tcp *t = c->proto;
    struct ingest_each e = {
        .opt = {.create = (enum ingest_create)atomic_load(&server_live(c->srv)->create),
                .unit_ns = 1,
                .now_ns = server_wall_ns(c->srv)},
        .owner = server_owner(c->srv),
        .session = t->session,
        .refuse = tcp_refuse_line,
        .wrote = tcp_wrote,
        .arg = c};
    struct dendro_error err;

    t->since_ns = server_now_ns(c->srv);
    if (ingest_each(&e, text, len, &err) < 0) {
        char why[DENDRO_MESSAGE_MAX + 80];

        snprintf(why, sizeof why, "nothing of these lines is written: %s", err.message);
        tcp_refuse_line(c, e.lines + 1, why, NULL);
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

/* ---- logging in ---- */

/* A session of that role; login: what is known of it, if he had to log in. */
static bool tcp_enter(struct conn *c,
                      const char *user,
                      const struct engine_login *login,
                      struct dendro_error *err)
{
    struct tcp *t = c->proto;
    struct server_entrant who = {.role = t->user, .role_max = -1};
    struct dn_err why;

    snprintf(t->user, sizeof t->user, "%s", user);
    if (login) {
        who.superuser = login->superuser;
        who.role_max = login->connections;
    }
    if (!c->role && server_enter(c->srv, c, &who) != SERVER_ROOM) {
        snprintf(err->message, sizeof err->message, "too many connections");
        return false;
    }
    if (dendro_connect(server_db(c->srv), &t->session, err) < 0)
        return false;
    dn_err_clear(&why);
    if (engine_session_role(t->session, user, &why) < 0) {
        snprintf(err->message, sizeof err->message, "%s", why.text);
        return false;
    }
    server_session(c->srv, c, t->session);
    t->asked = false;
    return true;
}

bool ingest_tcp_auth(const uint8_t *in, size_t n, char *to, size_t room, size_t *ret_len)
{
    const uint8_t *end = memchr(in, '\n', n);
    size_t len = end ? (size_t)(end - in) : n;
    size_t head = sizeof TCP_AUTH - 1;

    *ret_len = end ? len + 1 : 0;
    if (memcmp(in, TCP_AUTH, n < head ? n : head) != 0 || memchr(in, '\0', len))
        return false;
    len -= len > 0 && in[len - 1] == '\r'; /* it may be the one before the line's end */
    if (len >= head + room)
        return false;
    if (!end)
        return true;
    memcpy(to, in + head, len - head);
    to[len - head] = '\0';
    return true;
}

/* False: he is told to go. */
static bool tcp_check(struct conn *c, char *text, struct dendro_error *err)
{
    char *colon = strchr(text, ':');
    struct auth_who who = {
        .user = text, .peer = c->peer, .local = c->local, .protocol = c->ops->name};
    enum auth_answer answer = AUTH_WRONG;
    struct engine_login login;
    enum auth_verdict verdict;

    snprintf(err->message, sizeof err->message, "authentication failed");
    if (!colon)
        return false;
    *colon = '\0';
    verdict = auth_greet(server_auth(c->srv), &who, &login);
    if (verdict == AUTH_ASK || verdict == AUTH_WAIT)
        answer = auth_password(server_auth(c->srv), &who, &login, colon + 1, strlen(colon + 1));
    if (answer == AUTH_TOO_OFTEN)
        snprintf(err->message, sizeof err->message, "too many failed logins: wait a minute");
    if (answer == AUTH_BUSY)
        snprintf(err->message, sizeof err->message, "too many logins at once: try again");
    return (verdict == AUTH_TRUSTED || answer == AUTH_RIGHT) && tcp_enter(c, text, &login, err);
}

/* Before the first line of points: CONN_AGAIN, he is in. */
static enum conn_want tcp_login(struct conn *c)
{
    struct tcp *t = c->proto;
    struct dendro_error err = {.code = 0};
    char text[TCP_AUTH_MAX];
    size_t n, len;
    const uint8_t *in = conn_in(c, &n);
    bool right;

    if (n == 0)
        return atomic_load(&c->ending) != CONN_STAYS ? CONN_CLOSE : CONN_READ;
    if (!ingest_tcp_auth(in, n, text, sizeof text, &len)) {
        if (t->asked)
            return tcp_bye(c, "log in first: auth NAME:PASSWORD");
        return tcp_enter(c, ACCESS_FIRST_NAME, NULL, &err) ? CONN_AGAIN : tcp_bye(c, err.message);
    }
    if (len == 0)
        return atomic_load(&c->ending) != CONN_STAYS ? CONN_CLOSE : CONN_READ;
    if (t->asked && server_tls(c->srv) && !c->tls && !c->local)
        return tcp_bye(c, "passwords are taken over TLS here");
    right = tcp_check(c, text, &err);
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(c->in.data + c->in_at, len);
    conn_took(c, len);
    return right ? CONN_AGAIN : tcp_bye(c, err.message);
}

/* Some begin with TLS: the first byte of a handshake begins no line. */
static enum conn_want tcp_start(struct conn *c)
{
    struct tcp *t = c->proto;
    int first = conn_peek(c);

    if (first == TCP_TLS_BYTE && !srv_tls_start(server_tls(c->srv), c))
        return CONN_CLOSE;
    t->peeked = first != 0;
    return atomic_load(&c->ending) != CONN_STAYS ? CONN_CLOSE : CONN_READ;
}

static enum conn_want tcp_run(struct conn *c)
{
    struct tcp *t = c->proto;
    size_t n;
    const uint8_t *in = conn_in(c, &n);
    size_t whole;

    if (c->full)
        return tcp_bye(c, "too many connections");
    if (n == 0 && !t->peeked && server_tls(c->srv))
        return tcp_start(c);
    if (!t->session)
        return tcp_login(c);
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
    .trusted = tcp_is_trusted,
    .close = tcp_close,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * start.c: the start of a session: requests for TLS and GSS, cancelling, the startup message. */
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/pgwire/pgwire.h"
#include "server/server.h"
#include "server/tls.h"

#include <stdio.h>

#define START_TLS_BYTE 0x16 /* a record of a handshake */

enum conn_want pgw_fatal(struct pgw *p, const char *sqlstate, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    pgw_errorf(&p->c->out, "FATAL", sqlstate, fmt, args);
    va_end(args);
    p->goodbye = true;
    return CONN_CLOSE;
}

/* ---- cancelling ---- */

struct start_cancel {
    uint32_t pid;
    uint32_t key;
};

static bool start_cancel_one(void *arg, struct conn *c)
{
    const struct start_cancel *want = arg;
    const struct pgw *p = c->proto;

    if (c->ops != &pgw_ops || !atomic_load(&c->cancelable) || p->pid != want->pid)
        return false;
    if (p->key == want->key)
        c->ops->cancel(c);
    return true;
}

static enum conn_want start_cancel(struct pgw *p, struct pgw_rd *body)
{
    struct start_cancel want = {.pid = (uint32_t)pgw_rd_i32(body)};

    want.key = (uint32_t)pgw_rd_i32(body);
    if (pgw_rd_done(body))
        server_each(p->c->srv, start_cancel_one, &want);
    p->goodbye = true;
    return CONN_CLOSE; /* without an answer, whatever became of it */
}

/* ---- the startup message ---- */

/* False: it is longer than a name can be. A part of a name is another name. */
static bool start_option(struct pgw *p, const char *name, const char *value)
{
    char *to = strcmp(name, "user") == 0       ? p->user
               : strcmp(name, "database") == 0 ? p->database
                                               : NULL;

    if (!to)
        return true;
    return snprintf(to, PGW_NAME_MAX + 1, "%s", value) <= (int)PGW_NAME_MAX;
}

static void start_notice(void *arg, const char *severity, const char *message)
{
    struct pgw *p = arg;

    pgw_report(
        &p->c->out,
        'N',
        &(struct pgw_report){.severity = severity,
                             .sqlstate = strcmp(severity, "WARNING") == 0 ? "01000" : "00000",
                             .message = message});
}

static void start_greet(struct pgw *p)
{
    struct buf *b = &p->c->out;
    size_t at;

    pgw_auth(b, 0, NULL, 0);
    pgw_settings_tell(p);
    at = pgw_begin(b, 'K');
    pgw_i32(b, (int32_t)p->pid);
    pgw_i32(b, (int32_t)p->key);
    pgw_end(b, at);
    pgw_ready(b, pgw_status(p));
}

enum conn_want pgw_entered(struct pgw *p)
{
    struct audit_who who;

    dendro_set_notice(p->session, start_notice, p);
    pgw_copy_init(p);
    engine_short_names(p->session);
    if (!pgw_settings_take(p))
        return CONN_CLOSE;
    p->phase = PGW_READY;
    p->since_ns = server_now_ns(p->c->srv);
    who = pgw_who(p);
    audit_login(p->c->srv, &who);
    start_greet(p);
    return CONN_AGAIN;
}

/* A newer minor version, or options of one: what we speak is 3.0 without options. */
static void start_negotiate(struct pgw *p, struct pgw_rd options, uint32_t unknown)
{
    struct buf *b = &p->c->out;
    size_t at = pgw_begin(b, 'v');

    pgw_i32(b, (int32_t)PGW_VERSION);
    pgw_i32(b, (int32_t)unknown);
    while (unknown > 0 && !options.bad) {
        const char *name = pgw_rd_text(&options);

        pgw_rd_text(&options);
        if (strncmp(name, "_pq_.", 5) == 0) {
            pgw_text(b, name);
            unknown--;
        }
    }
    pgw_end(b, at);
}

static enum conn_want start_session(struct pgw *p, uint32_t version, struct pgw_rd *body)
{
    struct pgw_rd options = *body;
    const char *long_name = NULL;
    uint32_t unknown = 0;

    for (;;) {
        const char *name = pgw_rd_text(body);
        const char *value;

        if (body->bad || name[0] == 0)
            break;
        value = pgw_rd_text(body);
        unknown += strncmp(name, "_pq_.", 5) == 0;
        if (!body->bad && !start_option(p, name, value))
            long_name = name;
    }
    if (!pgw_rd_done(body))
        return pgw_fatal(p, "08P01", "invalid startup packet layout");
    if (long_name)
        return pgw_fatal(p,
                         strcmp(long_name, "user") == 0 ? "28000" : "3D000",
                         "the name of the %s is longer than %u bytes",
                         long_name,
                         PGW_NAME_MAX);
    if (p->user[0] == 0)
        return pgw_fatal(p, "28000", "no PostgreSQL user name specified in startup packet");
    if (p->database[0] && strcmp(p->database, "dendro") != 0 && strcmp(p->database, p->user) != 0)
        return pgw_fatal(
            p, "3D000", "database \"%s\" does not exist; it is called \"dendro\"", p->database);
    if (version > PGW_VERSION || unknown > 0)
        start_negotiate(p, options, unknown);
    if (!pgw_settings_keep(p, &options))
        return pgw_fatal(p, "53200", "out of memory");
    return pgw_login(p);
}

/* The client wants TLS: yes, if we have it. What came before the answer was sent by somebody else.
 */
static enum conn_want start_tls(struct pgw *p)
{
    struct srv_tls *tls = server_tls(p->c->srv);
    size_t early;

    if (!tls || p->c->tls) {
        buf_u8(&p->c->out, 'N');
        return CONN_READ;
    }
    conn_in(p->c, &early);
    if (early > 0)
        return pgw_fatal(p, "08P01", "received unencrypted data after SSL request");
    buf_u8(&p->c->out, 'S');
    if (conn_flush(p->c) != 1 || !srv_tls_start(tls, p->c))
        return CONN_CLOSE;
    return CONN_READ;
}

/* Some begin with TLS, without asking. */
static enum conn_want start_direct(struct pgw *p)
{
    int first = conn_peek(p->c);

    if (first == START_TLS_BYTE && !srv_tls_start(server_tls(p->c->srv), p->c))
        return CONN_CLOSE;
    p->peeked = first != 0;
    return CONN_READ;
}

enum conn_want pgw_start(struct pgw *p)
{
    struct pgw_frame f;
    size_t n, len;
    const uint8_t *in = conn_in(p->c, &n);

    if (n == 0 && !p->peeked && server_tls(p->c->srv))
        return start_direct(p);
    switch (pgw_first(in, n, &f, &len)) {
    case PGW_MORE:
        return CONN_READ;
    case PGW_BAD_LEN:
    case PGW_TOO_LONG:
        return pgw_fatal(p, "08P01", "invalid length of startup packet");
    case PGW_FRAME:
        break;
    }
    conn_took(p->c, len);
    if (f.code == PGW_CANCEL)
        return start_cancel(p, &f.body);
    if (f.code == PGW_TLS)
        return start_tls(p);
    if (f.code == PGW_GSS) {
        buf_u8(&p->c->out, 'N');
        return CONN_READ;
    }
    if (f.code >> 16 != PGW_VERSION >> 16)
        return pgw_fatal(p,
                         "0A000",
                         "unsupported frontend protocol %u.%u: server supports 3.0",
                         f.code >> 16,
                         f.code & 0xFFFF);
    return start_session(p, f.code, &f.body);
}

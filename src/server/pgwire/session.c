/* SPDX-License-Identifier: Apache-2.0
 *
 * session.c: which message goes where. */
#include "server/pgwire/pgwire.h"

#include "engine/about.h"
#include "engine/activity.h"
#include "server/audit.h"
#include "server/conf.h"
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/server.h"

#define SESSION_SLICE_NS 50000000u /* so long before others get a turn */

static int session_open(struct conn *c, struct dn_err *err)
{
    struct pgw *p = mem_calloc(server_owner(c->srv), 1, sizeof(*p));

    if (!p)
        return DN_FAIL_NOMEM(err);
    p->c = c;
    arena_init(&p->scratch, server_owner(c->srv));
    c->proto = p;
    return 0;
}

static void session_close(struct conn *c)
{
    struct pgw *p = c->proto;

    if (p->phase == PGW_READY) {
        struct audit_who who = pgw_who(p);

        audit_logout(c->srv, &who, p->since_ns);
    }
    pgw_login_free(p);
    pgw_forget_all(p);
    dendro_finalize(p->simple.stmt);
    dendro_disconnect(p->session);
    mem_free(p->options);
    pgw_columns_free(p);
    arena_done(&p->scratch);
    mem_free(p->text);
    mem_free(p);
}

static void session_cancel(struct conn *c)
{
    struct pgw *p = c->proto;

    if (p && p->session) {
        atomic_store(&p->canceled, true);
        dendro_cancel(p->session);
    }
}

/* It has to say who it is, at least. */
static bool session_trusted(const struct conn *c DN_UNUSED)
{
    return false;
}

/* ---- messages ---- */

static enum conn_want session_message(struct pgw *p, struct pgw_frame *f)
{
    switch (f->code) {
    case 'Q':
        pgw_query(p, &f->body);
        break;
    case 'P':
        pgw_parse(p, &f->body);
        break;
    case 'B':
        pgw_bind_portal(p, &f->body);
        break;
    case 'D':
        pgw_describe(p, &f->body);
        break;
    case 'E':
        pgw_execute(p, &f->body);
        break;
    case 'C':
        pgw_close_named(p, &f->body);
        break;
    case 'H': /* Flush: all output goes out when there is nothing left to read anyhow */
        break;
    case 'S':
        pgw_sync(p);
        break;
    case 'd': /* the rest of a COPY that has failed */
    case 'c':
    case 'f':
        break;
    case 'F':
        pgw_failf(p, "0A000", "function calls by message are not supported");
        pgw_sync(p);
        break;
    case 'X':
        p->goodbye = true;
        return CONN_CLOSE;
    default:
        return pgw_fatal(p, "08P01", "invalid frontend message type %u", f->code);
    }
    return CONN_READ;
}

static enum conn_want session_next(struct pgw *p)
{
    struct pgw_frame f;
    size_t n, len;
    const uint8_t *in;
    enum conn_want want;

    if (!pgw_copy_skip(p))
        return CONN_READ;
    in = conn_in(p->c, &n);
    switch (pgw_next(in, n, atomic_load(&server_live(p->c->srv)->message_max), &f, &len)) {
    case PGW_MORE:
        return CONN_READ;
    case PGW_BAD_LEN:
        return pgw_fatal(p, "08P01", "invalid message length");
    case PGW_TOO_LONG:
        return pgw_fatal(p, "54000", "the message is too long for this server");
    case PGW_FRAME:
        break;
    }
    if (p->skip && f.code != 'S' && f.code != 'X') { /* P3 */
        conn_took(p->c, len);
        return CONN_AGAIN;
    }
    p->alone = n > len && in[len] == 'S';
    want = session_message(p, &f);
    conn_took(p->c, len);
    return want == CONN_READ ? CONN_AGAIN : want;
}

static enum conn_want session_bye(struct pgw *p, enum conn_end why)
{
    static const struct {
        const char *sqlstate;
        const char *text;
    } words[] = {
        [CONN_STAYS] = {"XX000", ""},
        [CONN_END_STOP] = {"57P01", "terminating connection due to administrator command"},
        [CONN_END_ADMIN] = {"57P01", "terminating connection due to administrator command"},
        [CONN_END_IDLE] = {"57P05", "terminating connection due to idle-session timeout"},
        [CONN_END_LOGIN] = {"08006", "canceling authentication due to timeout"},
        [CONN_END_MEMORY] = {"53200", "no memory for the message: send less at a time"},
        [CONN_END_BLOCK] = {"25P03", "terminating connection due to idle-in-transaction timeout"},
    };

    return pgw_fatal(p, words[why].sqlstate, "%s", words[why].text);
}

/* One step: CONN_AGAIN when there may be more to do. */
static enum conn_want session_step(struct pgw *p)
{
    if (p->goodbye)
        return CONN_CLOSE;
    if (p->running) {
        pgw_run_portal(p);
        return p->running ? CONN_WRITE : CONN_AGAIN;
    }
    if (p->text_at) {
        pgw_query_next(p);
        return CONN_AGAIN;
    }
    if (p->phase == PGW_READY)
        return session_next(p);
    return p->phase == PGW_LOGIN ? pgw_login_message(p) : pgw_start(p);
}

/* How long the client may say nothing, by the settings of its session. */
static void session_idle(struct pgw *p)
{
    struct engine_idle idle = {.session_ms = 0};

    if (p->phase == PGW_READY) {
        engine_waits(p->session);
        engine_idle_settings(p->session, &idle);
    }
    atomic_store_explicit(&p->c->idle_ms,
                          pgw_status(p) == 'I' ? idle.session_ms : idle.transaction_ms,
                          memory_order_relaxed);
    atomic_store_explicit(&p->c->idle_why,
                          pgw_status(p) == 'I' ? CONN_END_IDLE : CONN_END_BLOCK,
                          memory_order_relaxed);
}

static enum conn_want session_run(struct conn *c)
{
    struct pgw *p = c->proto;
    uint64_t from = server_now_ns(c->srv);
    enum conn_want want;

    do {
        int ending = atomic_load(&c->ending);

        if (ending != CONN_STAYS && !p->running && !p->text_at)
            return session_bye(p, (enum conn_end)ending);
        want = session_step(p);
        if (c->out.failed)
            return CONN_CLOSE;
        if (want == CONN_AGAIN && conn_out_left(c) >= CONN_OUT_FULL)
            return CONN_WRITE;
    } while (want == CONN_AGAIN && server_now_ns(c->srv) - from < SESSION_SLICE_NS);
    if (want == CONN_READ)
        session_idle(p);
    return want;
}

const struct conn_ops pgw_ops = {
    .name = "PostgreSQL",
    .open = session_open,
    .run = session_run,
    .cancel = session_cancel,
    .trusted = session_trusted,
    .close = session_close,
};

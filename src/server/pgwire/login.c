/* SPDX-License-Identifier: Apache-2.0
 *
 * login.c: from the startup message to a session: trust, or SCRAM-SHA-256. An exchange with a user
 * that is not there looks like one with a wrong password. */
#include "engine/activity.h"
#include "engine/engine.h"
#include "server/auth.h"
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/pgwire/pgwire.h"
#include "server/server.h"
#include "server/tls.h"

#include <string.h>

#define LOGIN_SASL          10
#define LOGIN_SASL_CONTINUE 11
#define LOGIN_SASL_FINAL    12

struct pgw_login {
    struct scram scram;
    struct engine_login role;
    uint8_t binding[SRV_TLS_BINDING_MAX];
    bool begun; /* the client's first message came */
};

static struct auth_who login_who(const struct pgw *p)
{
    return (struct auth_who){
        .user = p->user, .peer = p->c->peer, .local = p->c->local, .protocol = p->c->ops->name};
}

void pgw_login_free(struct pgw *p)
{
    mem_free(p->login);
    p->login = NULL;
}

/* ---- in ---- */

/* Is there room for him? Otherwise he is told so. */
static bool login_room(struct pgw *p, const struct engine_login *role, enum conn_want *ret)
{
    struct server_entrant entrant = {
        .role = p->user, .superuser = role->superuser, .role_max = role->connections};
    struct auth_who who = login_who(p);

    switch (server_enter(p->c->srv, p->c, &entrant)) {
    case SERVER_ROOM:
        return true;
    case SERVER_ROOM_NONE:
        *ret = pgw_fatal(p, "53300", "sorry, too many clients already");
        break;
    case SERVER_ROOM_RESERVED:
        *ret = pgw_fatal(p, "53300", "remaining connection slots are reserved for superusers");
        break;
    case SERVER_ROOM_ROLE:
        auth_refused(server_auth(p->c->srv), &who, "too many connections for the role");
        *ret = pgw_fatal(p, "53300", "too many connections for role \"%s\"", p->user);
        break;
    }
    return false;
}

static enum conn_want login_enter(struct pgw *p, const struct engine_login *role)
{
    struct dendro_error err;
    enum conn_want want = CONN_AGAIN; /* login_room sets it where it refuses */
    struct dn_err why;
    int rc;

    if (!login_room(p, role, &want))
        return want;
    if (dendro_connect(server_db(p->c->srv), &p->session, &err) < 0)
        return pgw_fatal(p, err.sqlstate, "%s", err.message);
    rc = engine_session_role(p->session, p->user, &why);
    if (rc < 0)
        return pgw_fatal(p, "28000", "%s", why.text);
    p->pid = (uint32_t)engine_pid(p->session);
    p->key = (uint32_t)server_random(p->c->srv);
    server_session(p->c->srv, p->c, p->session); /* from here on others may cancel */
    if (!role->superuser && !conn_charge(p->c, engine_wire(p->session, server_wire(p->c->srv))))
        return pgw_fatal(p, "53200", "out of memory");
    return pgw_entered(p);
}

/* ---- SCRAM ---- */

static enum conn_want login_ask(struct pgw *p, const struct engine_login *role)
{
    static const char plain[] = "SCRAM-SHA-256\0";
    static const char both[] = "SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0";
    struct scram_verifier v;
    bool usable = role->known && role->login && !role->expired && scram_parse(role->verifier, &v);

    p->login = mem_calloc(server_owner(p->c->srv), 1, sizeof(*p->login));
    if (!p->login)
        return pgw_fatal(p, "53200", "out of memory");
    p->login->role = *role;
    scram_begin(&p->login->scram, usable ? &v : NULL, p->user, auth_secret(server_auth(p->c->srv)));
    p->login->scram.binding_len = srv_tls_binding(p->c, p->login->binding);
    if (p->login->scram.binding_len > 0)
        p->login->scram.binding = p->login->binding;
    if (p->login->scram.binding)
        pgw_auth(&p->c->out, LOGIN_SASL, both, sizeof both - 1 + 1);
    else
        pgw_auth(&p->c->out, LOGIN_SASL, plain, sizeof plain - 1 + 1);
    p->phase = PGW_LOGIN;
    return CONN_AGAIN; /* the next message may be there already */
}

static enum conn_want login_result(struct pgw *p, enum scram_result r)
{
    struct auth_who who = login_who(p);

    switch (r) {
    case SCRAM_OK:
        return CONN_READ;
    case SCRAM_MALFORMED:
        return pgw_fatal(p, "08P01", "malformed SCRAM message");
    case SCRAM_BINDING:
        auth_refused(server_auth(p->c->srv), &who, "the channel is bound to another one");
        return pgw_fatal(p, "28000", "SCRAM channel binding check failed");
    case SCRAM_DENIED:
        break;
    }
    return pgw_fatal(p, "28P01", "password authentication failed for user \"%s\"", p->user);
}

static enum conn_want login_first(struct pgw *p, struct pgw_rd *body)
{
    struct pgw_login *l = p->login;
    const char *mechanism = pgw_rd_text(body);
    bool plus = strcmp(mechanism, "SCRAM-SHA-256-PLUS") == 0;
    int32_t len = pgw_rd_i32(body);
    uint64_t random[3];
    const uint8_t *message;
    const char *answer;
    enum conn_want want;
    enum scram_result r;

    if (body->bad || (!plus && strcmp(mechanism, "SCRAM-SHA-256") != 0) ||
        (plus && !l->scram.binding))
        return pgw_fatal(p, "08P01", "client selected an invalid SASL authentication mechanism");
    message = len < 0 ? NULL : pgw_rd_bytes(body, (size_t)len);
    if (!message || !pgw_rd_done(body))
        return pgw_fatal(p, "08P01", "malformed SCRAM message");
    for (size_t i = 0; i < DN_ARRAY_SIZE(random); i++)
        random[i] = server_random(p->c->srv);
    l->scram.plus = plus;
    l->begun = true;
    r = scram_first(
        &l->scram, (const char *)message, (size_t)len, (const uint8_t *)random, &answer);
    want = login_result(p, r);
    if (want == CONN_READ)
        pgw_auth(&p->c->out, LOGIN_SASL_CONTINUE, answer, strlen(answer));
    return want;
}

static enum conn_want login_too_often(struct pgw *p)
{
    return pgw_fatal(p, "28000", "too many failed logins: wait a minute and try again");
}

static enum conn_want login_final(struct pgw *p, struct pgw_rd *body)
{
    struct auth_who who = login_who(p);
    struct engine_login role = p->login->role;
    size_t len = pgw_rd_left(body);
    const uint8_t *message = pgw_rd_bytes(body, len);
    struct auth *auth = server_auth(p->c->srv);
    struct throttle_guess guess;
    char answer[64];
    enum scram_result r;
    enum conn_want want;

    if (!message)
        return pgw_fatal(p, "08P01", "malformed SCRAM message");
    if (!auth_try(auth, &who, &guess))
        return login_too_often(p);
    r = scram_final(&p->login->scram, (const char *)message, len, answer);
    auth_tried(auth, &who, &guess, r == SCRAM_OK);
    want = login_result(p, r);
    if (want != CONN_READ)
        return want;
    pgw_auth(&p->c->out, LOGIN_SASL_FINAL, answer, strlen(answer));
    pgw_login_free(p);
    return login_enter(p, &role);
}

enum conn_want pgw_login_message(struct pgw *p)
{
    struct pgw_frame f;
    size_t n, len;
    const uint8_t *in = conn_in(p->c, &n);
    enum conn_want want;

    switch (pgw_next(in, n, SCRAM_MESSAGE_MAX + 64, &f, &len)) {
    case PGW_MORE:
        return CONN_READ;
    case PGW_BAD_LEN:
    case PGW_TOO_LONG:
        return pgw_fatal(p, "08P01", "invalid message length");
    case PGW_FRAME:
        break;
    }
    if (f.code == 'X') {
        p->goodbye = true;
        return CONN_CLOSE;
    }
    if (f.code != 'p')
        return pgw_fatal(p, "08P01", "expected SASL response, got message type %u", f.code);
    want = p->login->begun ? login_final(p, &f.body) : login_first(p, &f.body);
    conn_took(p->c, len);
    return want == CONN_READ ? CONN_AGAIN : want;
}

enum conn_want pgw_login(struct pgw *p)
{
    struct auth_who who = login_who(p);
    struct engine_login role;

    switch (auth_greet(server_auth(p->c->srv), &who, &role)) {
    case AUTH_TRUSTED:
        return login_enter(p, &role);
    case AUTH_ASK:
        return login_ask(p, &role);
    case AUTH_NO_ROLE:
        auth_refused(server_auth(p->c->srv), &who, "no such role");
        return pgw_fatal(p, "28000", "role \"%s\" does not exist", p->user);
    case AUTH_NO_LOGIN:
        auth_refused(server_auth(p->c->srv), &who, "it may not log in");
        return pgw_fatal(p, "28000", "role \"%s\" is not permitted to log in", p->user);
    case AUTH_WAIT:
        break;
    }
    return login_too_often(p);
}

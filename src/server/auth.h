/* SPDX-License-Identifier: Apache-2.0
 *
 * auth.h: who may come in, for all protocols alike.
 *
 * As long as no role has a password, this machine is trusted (and with --insecure every machine):
 * whoever names a role that may log in is that role. From the first password on everybody needs
 * his, and a role without one cannot log in. A machine that was wrong too often is told to wait,
 * and what went wrong is written to the log, without passwords.
 *
 * Any thread. */
#pragma once

#include "base/attr.h"
#include "engine/engine.h"
#include "server/scram.h"

struct server;
struct auth;

struct auth *auth_new(struct server *s); /* NULL: out of memory */
void auth_free(struct auth *a);          /* NULL is fine */

/* The verifier of a password, for engine_set_password. */
bool auth_make_verifier(const char *password, char to[ENGINE_VERIFIER_MAX]) DN_MUST_CHECK;

/* Where somebody comes from, and who he says he is. */
struct auth_who {
    const char *user;
    const char *peer; /* address */
    bool local;       /* of this machine */
    const char *protocol;
};

enum auth_verdict {
    AUTH_TRUSTED, /* he is in */
    AUTH_ASK,     /* for his password */
    AUTH_NO_ROLE, /* there is no such role */
    AUTH_NO_LOGIN,
    AUTH_WAIT, /* too many wrong passwords came from there */
};
/* What is to be done with him; *ret: what is known of the role, if he is trusted or asked. */
enum auth_verdict
auth_greet(struct auth *a, const struct auth_who *who, struct engine_login *ret) DN_MUST_CHECK;
/* He gave a password: is it right? Remembers right ones for a while, since it takes milliseconds.
 */
bool auth_password(struct auth *a,
                   const struct auth_who *who,
                   const struct engine_login *login,
                   const char *password,
                   size_t len) DN_MUST_CHECK;
/* He is told to go, for another reason than a wrong password: a line of the log. */
void auth_refused(struct auth *a, const struct auth_who *who, const char *why);
/* How it ended, where the protocol itself found out. */
void auth_said(struct auth *a, const struct auth_who *who, bool right);
/* What exchanges with unknown users are made of. */
const uint8_t *auth_secret(const struct auth *a);

/* SPDX-License-Identifier: Apache-2.0
 *
 * auth.h: who may come in, for all protocols alike.
 *
 * As long as no role has a password, this machine is trusted (and with --insecure every machine):
 * whoever names a role that may log in is that role. From the first password on everybody needs
 * his, and a role without one cannot log in. Who was wrong too often is told to wait (throttle.h),
 * and what went wrong is written to the log, without passwords.
 *
 * Any thread, but auth_password, which takes milliseconds and may wait: a worker's. */
#pragma once

#include "base/attr.h"
#include "engine/engine.h"
#include "server/scram.h"
#include "server/throttle.h"

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
/* What is to be done with him; *ret: what is known of the role, whatever the verdict. */
enum auth_verdict
auth_greet(struct auth *a, const struct auth_who *who, struct engine_login *ret) DN_MUST_CHECK;

/* Does everybody have to log in: has some role a password? */
bool auth_asks(struct auth *a);

/* Was this password of the role right lately? Takes microseconds. */
bool auth_remembers(struct auth *a,
                    const struct engine_login *login,
                    const char *password,
                    size_t len) DN_MUST_CHECK;

enum auth_answer {
    AUTH_RIGHT,
    AUTH_WRONG,
    AUTH_TOO_OFTEN, /* wrong ones before it: it was not looked at */
    AUTH_BUSY,      /* too many are looked at just now: try again */
};
/* He gave a password: is it right? Right ones are remembered for a while. Hashing takes
 * milliseconds: only some are hashed at once, one of a role, and only so many wait. */
enum auth_answer auth_password(struct auth *a,
                               const struct auth_who *who,
                               const struct engine_login *login,
                               const char *password,
                               size_t len) DN_MUST_CHECK;
/* For protocols that look at the proof themselves: before, and after it. False: as
 * AUTH_TOO_OFTEN. */
bool auth_try(struct auth *a, const struct auth_who *who, struct throttle_guess *ret) DN_MUST_CHECK;
void auth_tried(struct auth *a,
                const struct auth_who *who,
                const struct throttle_guess *guess,
                bool right);
/* He is told to go, for another reason than a wrong password: a line of the log. */
void auth_refused(struct auth *a, const struct auth_who *who, const char *why);
/* What exchanges with unknown users are made of. */
const uint8_t *auth_secret(const struct auth *a);

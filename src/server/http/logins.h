/* SPDX-License-Identifier: Apache-2.0
 *
 * logins.h: browsers that are logged in. A page gives its password once and gets a token, a cookie
 * that its scripts cannot read; the server keeps a digest of it, for as long as it runs at most.
 *
 *     HTTP_LOGINS_IDLE_NS   a login that is not used for so long is over
 *     HTTP_LOGINS_LIFE_NS   and so is every one after this
 *     HTTP_LOGINS_ROLE      of one role; one more ends the one that was not used for longest
 *     HTTP_LOGINS_MAX       of all roles, likewise
 *
 * A login is bound to the password it was made with: it ends when the role gets another one. Any
 * thread. */
#pragma once

#include "base/attr.h"
#include "base/sched.h"
#include "catalog/table.h"

#include <stdbool.h>
#include <stdint.h>

#define HTTP_LOGINS_MAX     1000u
#define HTTP_LOGINS_ROLE    50u
#define HTTP_LOGINS_IDLE_NS (UINT64_C(8) * 3600 * 1000000000)
#define HTTP_LOGINS_LIFE_NS (UINT64_C(24) * 3600 * 1000000000)
#define HTTP_TOKEN_BYTES    32u
#define HTTP_TOKEN_LEN      (HTTP_TOKEN_BYTES * 2) /* hexadecimal digits */

struct mem_owner;
struct http_logins;

struct http_logins *http_logins_new(struct sched *sched,
                                    struct mem_owner *owner); /* NULL: no memory */
void http_logins_free(struct http_logins *l);                 /* NULL is fine */

/* A login of a role with that verifier of its password; false: there is no randomness. */
bool http_logins_add(struct http_logins *l,
                     const char *role,
                     const char *verifier,
                     uint64_t now_ns,
                     char token[HTTP_TOKEN_LEN + 1]) DN_MUST_CHECK;
/* Whose token is it? False: nobody's any more. */
bool http_logins_role(struct http_logins *l,
                      const char *token,
                      uint64_t now_ns,
                      char role[TABLE_NAME_MAX + 1]) DN_MUST_CHECK;
/* Was the login made with this verifier? If not it is over. */
bool http_logins_fits(struct http_logins *l, const char *token, const char *verifier) DN_MUST_CHECK;
void http_logins_end(struct http_logins *l, const char *token);

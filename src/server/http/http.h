/* SPDX-License-Identifier: Apache-2.0
 *
 * http.h: the HTTP side of a server, by libmicrohttpd: its threads speak the protocol, statements
 * run on the server's workers, so that a heavy request and a heavy session take turns.
 *
 *     http_open      binds the address and answers from now on
 *     http_quiesce   no new connections; requests that come on old ones are told to go elsewhere
 *     http_cancel    statements that run are asked to stop
 *     http_close     waits for what runs and frees; the workers must still be there
 *
 * One thread, the server's; http_busy, http_count: any. */
#pragma once

#include "base/err.h"
struct server;
struct http;

struct http_options {
    const char *address;
    int port;             /* 0 = any free one */
    const char *tls_cert; /* PEM files; "" = plain */
    const char *tls_key;
    unsigned connections_max;
    unsigned requests_max; /* under way at once; more are told to come again */
    bool insecure;         /* other machines may come without a login */
    size_t memory_max;     /* of all requests and answers; more are told to come again */
};

int http_open(struct server *srv,
              const struct http_options *options,
              struct http **ret,
              struct dn_err *err) DN_MUST_CHECK;
void http_quiesce(struct http *h);
void http_cancel(struct http *h);
void http_close(struct http *h); /* NULL is fine */

/* Another certificate for connections that begin from now on; the old one stays if it fails. */
int http_reload(struct http *h, const char *cert, const char *key, struct dn_err *err)
    DN_MUST_CHECK;

int http_port(const struct http *h);
unsigned http_busy(struct http *h);  /* requests that a worker has or waits for */
unsigned http_count(struct http *h); /* requests that are not answered whole */

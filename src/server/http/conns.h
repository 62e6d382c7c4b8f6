/* SPDX-License-Identifier: Apache-2.0
 *
 * conns.h: connections of HTTP, so that those who only hold one do not keep others out: when there
 * are as many as there may be, a new one takes the place of the oldest over which nobody has logged
 * in, or else of the oldest that is idle between two requests. One with a request under way stays,
 * once somebody has logged in or a worker looks at its password.
 *
 * Any thread of libmicrohttpd. */
#pragma once

#include "base/sched.h"

struct MHD_Connection;
struct http_conns;
struct mem_owner;

#define HTTP_CONNS_SPARE 64u /* more than max, while those that go are closed; per thread */

/* NULL: out of memory. */
struct http_conns *http_conns_new(struct sched *sched, struct mem_owner *owner, unsigned max);
void http_conns_free(struct http_conns *l); /* after the daemon; NULL is fine */

/* One begins: makes room. Its socket stays open until the end. *ret is the connection's; NULL: out
 * of memory, it is served without. */
struct http_conn;
struct http_conn *http_conns_begin(struct http_conns *l, int fd);
void http_conns_end(struct http_conns *l, struct http_conn *c); /* NULL is fine, here and below */

enum http_conn_state {
    HTTP_CONN_NEW,   /* nobody has logged in */
    HTTP_CONN_LOGIN, /* a worker looks at a password */
    HTTP_CONN_BUSY,  /* a request of somebody who may ask */
    HTTP_CONN_IDLE,  /* between two requests, after one that was */
};
void http_conns_set(struct http_conns *l, struct http_conn *c, enum http_conn_state state);
/* A request has ended: back to new or idle. */
void http_conns_rest(struct http_conns *l, struct http_conn *c);

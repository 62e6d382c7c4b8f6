/* SPDX-License-Identifier: Apache-2.0
 *
 * server.h: `dendro serve`: a database, its listeners, an event loop and workers.
 *
 *     server_open    opens the database and binds the addresses
 *     server_run     serves until somebody calls server_stop
 *     server_close   what is left is freed; the database is closed
 *
 * server_stop from any thread or signal handler of the loop; the rest from one thread. */
#pragma once

#include "base/err.h"
#include "dendro.h"
#include "server/ingest/ingest.h"

#include <stdatomic.h>

struct auth;
struct server;
struct conn;
struct srv_pool;
struct srv_tls;
struct mem_owner;

#define SERVER_PG_PORT   5460
#define SERVER_HTTP_PORT 8460

struct server_options {
    const char *data;            /* directory of the database */
    const char *const *settings; /* as dendro_options has them; NULL = none */
    const char *listen;          /* address; NULL = loopback */
    int pg_port;                 /* 0 = any free one; < 0 = not at all */
    int http_port;               /* likewise */
    int ilp_port;                /* of line protocol over TCP, likewise */
    enum ingest_create create;   /* what points may make */
    const char *tls_cert;        /* PEM files; NULL = no TLS */
    const char *tls_key;
    bool insecure;            /* serve other machines without authentication */
    unsigned connections_max; /* 0 = 1000 */
    unsigned workers_max;     /* 0 = some per core */
    uint64_t message_max;     /* bytes of a message; 0 = 256 MB */
    uint64_t idle_ms;         /* a connection that is idle longer is closed; 0 = never */
    uint64_t login_ms;        /* as long as a login may take; 0 = a minute */
    uint64_t drain_ms;        /* as long as statements may go on after a stop; 0 = ten seconds */
};

int server_open(const struct server_options *options,
                struct server **ret,
                struct dn_err *err) DN_MUST_CHECK;
int server_run(struct server *s, struct dn_err *err) DN_MUST_CHECK;
void server_stop(struct server *s);
/* Certificate and key are read anew; told on stderr if that fails. As server_stop. */
void server_reload(struct server *s);
void server_close(struct server *s); /* NULL is fine */

int server_port(const struct server *s);      /* of PostgreSQL's protocol; < 0: none */
int server_http_port(const struct server *s); /* < 0: none */
int server_ilp_port(const struct server *s);  /* < 0: none */
const char *server_address(const struct server *s);

/* ---- for protocols ---- */

struct server_limits {
    enum ingest_create create;
    uint64_t message_max;
};

dendro_db *server_db(struct server *s);
struct srv_pool *server_pool(struct server *s);
struct srv_tls *server_tls(struct server *s); /* NULL: none */
struct auth *server_auth(struct server *s);
bool server_insecure(const struct server *s); /* other machines need not log in */
struct mem_owner *server_owner(struct server *s);
const struct server_limits *server_limits(const struct server *s);
uint64_t server_now_ns(struct server *s);
uint64_t server_random(struct server *s);
/* Line protocol over TCP, so far. */
struct server_lines {
    atomic_uint_fast64_t rows;
    atomic_uint_fast64_t errors; /* lines that were refused */
};
struct server_lines *server_lines(struct server *s);
int64_t server_wall_ns(struct server *s); /* since 1970 */
/* fn for each connection that is open, until it returns true; under the server's lock. */
typedef bool (*server_conn_fn)(void *arg, struct conn *c);
void server_each(struct server *s, server_conn_fn fn, void *arg);
unsigned server_count(struct server *s);

/* A job for the workers; any thread. */
struct srv_job;
void server_submit(struct server *s, struct srv_job *job);

/* A line of the log, on stderr; what is in it stays on that line (log.c). */
void server_log(const char *fmt, ...) DN_PRINTF(1, 2);

/* ---- for conn.c: a worker's thread ---- */
/* Back to the loop, which waits for what c->wants. */
void server_give(struct server *s, struct conn *c);
/* It is found by server_each no more. */
void server_forget(struct server *s, struct conn *c);

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
#include "catalog/config.h"
#include "dendro.h"

#include <stdatomic.h>

struct auth;
struct ingest_counts;
struct server;
struct conn;
struct server_live;
struct srv_pool;
struct srv_tls;
struct mem_owner;

/* What the server is told, and how it looks again when it is told to: the configuration file, the
 * environment and the flags. */
struct server_options {
    struct config *given; /* borrowed until server_open returns; has at least data */
    /* As given, read anew, a reference; errors go to server_log. NULL: it stays as it is. */
    struct config *(*reread)(void *arg);
    void *arg;
};

int server_open(const struct server_options *options,
                struct server **ret,
                struct dn_err *err) DN_MUST_CHECK;
int server_run(struct server *s, struct dn_err *err) DN_MUST_CHECK;
void server_stop(struct server *s);
/* Settings, certificate and key are read anew; the log says what changed. As server_stop. */
void server_reload(struct server *s);
void server_close(struct server *s); /* NULL is fine */

int server_port(const struct server *s);      /* of PostgreSQL's protocol; < 0: none */
int server_http_port(const struct server *s); /* < 0: none */
int server_ilp_port(const struct server *s);  /* < 0: none */
const char *server_address(const struct server *s);
bool server_https(const struct server *s);

/* ---- for protocols ---- */

dendro_db *server_db(struct server *s);
struct srv_pool *server_pool(struct server *s);
struct srv_tls *server_tls(struct server *s); /* NULL: none */
struct auth *server_auth(struct server *s);
bool server_insecure(const struct server *s); /* other machines need not log in */
struct mem_owner *server_owner(struct server *s);
struct mem_owner *server_wire(struct server *s);   /* of what comes from those who have logged in */
struct server_live *server_live(struct server *s); /* settings that may change: conf.h */
uint64_t server_now_ns(struct server *s);
uint64_t server_random(struct server *s);
/* Line protocol over TCP, so far. */
struct server_lines {
    atomic_uint_fast64_t rows;
    atomic_uint_fast64_t errors; /* lines that were refused */
};
struct server_lines *server_lines(struct server *s);
struct ingest_counts *server_counts(struct server *s); /* of points, by table */
int64_t server_wall_ns(struct server *s);              /* since 1970 */
/* fn for each connection that is open, until it returns true; under the server's lock. */
typedef bool (*server_conn_fn)(void *arg, struct conn *c);
void server_each(struct server *s, server_conn_fn fn, void *arg);
unsigned server_count(struct server *s);

/* Somebody has logged in over a connection: is there room for the session? From then on it counts
 * among max_connections. A worker's thread, that of the connection. */
enum server_room {
    SERVER_ROOM,
    SERVER_ROOM_NONE,
    SERVER_ROOM_RESERVED, /* what is left is for superusers */
    SERVER_ROOM_ROLE,     /* the role has as many as it may have */
};
struct server_entrant {
    const char *role; /* borrowed as long as the connection has its proto */
    bool superuser;
    int32_t role_max; /* connections of the role; < 0: any number */
};
enum server_room
server_enter(struct server *s, struct conn *c, const struct server_entrant *who) DN_MUST_CHECK;

/* pg_stat_activity knows from where a session is used; peer is what srv_address_print wrote. The
 * signal is that of struct engine_client. */
void server_tell_peer(dendro_conn *session,
                      const char *peer,
                      void (*signal)(void *arg, bool end),
                      void *arg);
/* The connection has got a session: server_tell_peer, and pg_terminate_backend ends the connection.
 * As server_enter. */
void server_session(struct server *s, struct conn *c, dendro_conn *session);

/* A job for the workers; any thread. */
struct srv_job;
void server_submit(struct server *s, struct srv_job *job);

/* ---- log.c: a line of the log, on stderr; what is in it stays on that line ---- */
void server_log(const char *fmt, ...) DN_PRINTF(1, 2);
/* Something that happened, in fields: a NULL value is left out. */
struct server_field {
    const char *name;
    const char *value;
};
void server_event(const char *event, const struct server_field *fields, size_t count);
bool server_log_is_json(void);
void server_log_json(bool json);         /* lines are objects of JSON */
void server_log_clock(struct server *s); /* whose clock they have; NULL: none */

/* ---- for conn.c: a worker's thread ---- */
/* It is found by server_each no more; fine if it is not. Any thread. */
void server_forget(struct server *s, struct conn *c);
/* It was forgotten and has no proto: it is closed and freed. */
void server_gone(struct server *s, struct conn *c);
/* To be called now and then while workers work: the loop sees to it that somebody looks. */
void server_watch_pool(struct server *s);

/* SPDX-License-Identifier: Apache-2.0
 *
 * server_int.h: a server from the inside: server.c has the loop, open.c beginning and end, reload.c
 * what SIGHUP does. Threads: as server.h. */
#pragma once

#include "base/mem.h"
#include "base/sched.h"
#include "server/conf.h"
#include "server/listen.h"
#include "server/server.h"

struct http;

struct server {
    struct server_options opt;
    struct server_conf conf; /* as at the start, but what a reload changes */
    struct server_live live;
    struct mem_owner owner;
    struct mem_owner wire;    /* messages of those who have logged in, but superusers */
    dendro_db *db;            /* owned */
    struct srv_pool *pool;    /* owned */
    struct srv_tls *tls;      /* owned; NULL = none */
    struct auth *auth;        /* owned */
    struct sched_mutex *lock; /* conns, count */
    struct conn *conns;       /* list of all, until they are forgotten */
    unsigned count;           /* accepted and not closed yet */
    unsigned entered;         /* in conns, logged in (conn.role) */
    unsigned pending;         /* in conns, not yet */

    uv_loop_t loop;
    bool loop_open;
    uv_async_t wake;
    uv_timer_t tick;
    struct srv_listener pg;
    struct srv_listener ilp;
    struct server_lines lines;
    struct ingest_counts *counts; /* owned */
    struct http *http;            /* owned; NULL: none */
    atomic_bool stop;             /* asked for */
    atomic_bool reload;
    atomic_bool ended;    /* a connection that may be armed is to go: look at all of them */
    atomic_bool hurrying; /* the timer `hurry` runs, or will */
    uv_timer_t hurry;     /* runs while jobs wait for a worker, or nobody looks */
    unsigned calm;        /* its ticks since that was so */
    bool stopping;        /* begun */
    bool forced;          /* the time for statements is over */
    uint64_t stop_ns;     /* when that is */
    bool handles_closed;
};

/* ---- server.c ---- */
int server_open_loop(struct server *s, struct dn_err *err) DN_MUST_CHECK;
int server_open_listeners(struct server *s, struct dn_err *err) DN_MUST_CHECK;
/* Nothing new is taken, and those that are there are asked to go. */
void server_begin_stop(struct server *s);

/* ---- reload.c ---- */
void server_reload_now(struct server *s);

/* ---- notify.c: tells systemd, if it asked to be told ---- */
void server_notify(const char *state);
/* Now and then: it is alive. */
void server_notify_alive(struct server *s);

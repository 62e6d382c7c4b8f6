/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c: the loop: accepts, looks after time limits, sees to it that workers are there, and
 * winds up.
 *
 * Only the thread of server_run uses the loop. Workers reach it by flags and a wake-up. */
#include "server/server_int.h"

#include "engine/activity.h"
#include "engine/engine.h"
#include "server/auth.h"
#include "server/conf.h"
#include "server/conn.h"
#include "server/http/http.h"
#include "server/ingest/tcp.h"
#include "server/listen.h"
#include "server/pgwire/pgwire.h"
#include "server/tls.h"

#include <openssl/ssl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_SPARE     2u /* times max_pending_logins: more are closed without a word */
#define SERVER_TICK_MS   250u
#define SERVER_HURRY_MS  2u   /* a connection waits so long for a worker before there is one more */
#define SERVER_CALM      100u /* so many of these without need, and nobody looks any more */
#define SERVER_NS_PER_MS 1000000u

/* ---- for others ---- */

dendro_db *server_db(struct server *s)
{
    return s->db;
}

struct srv_pool *server_pool(struct server *s)
{
    return s->pool;
}

struct srv_tls *server_tls(struct server *s)
{
    return s->tls;
}

struct auth *server_auth(struct server *s)
{
    return s->auth;
}

bool server_insecure(const struct server *s)
{
    return s->conf.insecure;
}

struct mem_owner *server_owner(struct server *s)
{
    return &s->owner;
}

struct mem_owner *server_wire(struct server *s)
{
    return &s->wire;
}

struct server_live *server_live(struct server *s)
{
    return &s->live;
}

bool server_https(const struct server *s)
{
    return s->tls != NULL;
}

uint64_t server_now_ns(struct server *s)
{
    return sched_now_ns(srv_pool_sched(s->pool));
}

uint64_t server_random(struct server *s)
{
    return sched_random(srv_pool_sched(s->pool));
}

int64_t server_wall_ns(struct server *s)
{
    return engine_clock_ns(s->db);
}

int server_port(const struct server *s)
{
    return s->conf.pg_port < 0 ? -1 : s->pg.port;
}

int server_http_port(const struct server *s)
{
    return s->http ? http_port(s->http) : -1;
}

int server_ilp_port(const struct server *s)
{
    return s->conf.ilp_port < 0 ? -1 : s->ilp.port;
}

struct ingest_counts *server_counts(struct server *s)
{
    return s->counts;
}

struct server_lines *server_lines(struct server *s)
{
    return &s->lines;
}

void server_submit(struct server *s, struct srv_job *job)
{
    srv_pool_submit(s->pool, job);
    server_watch_pool(s);
}

void server_watch_pool(struct server *s)
{
    bool needed = srv_pool_blind(s->pool) || srv_pool_waiting(s->pool);

    if (needed && !atomic_load(&s->hurrying) && !atomic_exchange(&s->hurrying, true))
        uv_async_send(&s->wake);
}

const char *server_address(const struct server *s)
{
    return s->conf.listen;
}

void server_each(struct server *s, server_conn_fn fn, void *arg)
{
    sched_lock(s->lock);
    for (struct conn *c = s->conns; c; c = c->next)
        if (fn(arg, c))
            break;
    sched_unlock(s->lock);
}

unsigned server_count(struct server *s)
{
    unsigned n;

    sched_lock(s->lock);
    n = s->count;
    sched_unlock(s->lock);
    return n;
}

/* ---- who has logged in ---- */

static int64_t server_role_count(const struct server *s, const char *role)
{
    int64_t n = 0;

    for (const struct conn *c = s->conns; c; c = c->next)
        n += c->role && strcmp(c->role, role) == 0;
    return n;
}

enum server_room server_enter(struct server *s, struct conn *c, const struct server_entrant *who)
{
    unsigned kept = who->superuser ? 0 : s->conf.reserved;
    enum server_room room = SERVER_ROOM;

    DN_ASSERT(!c->role);
    sched_lock(s->lock);
    if (!c->listed || s->entered >= s->conf.connections_max)
        room = SERVER_ROOM_NONE;
    else if (s->entered >= s->conf.connections_max - kept)
        room = SERVER_ROOM_RESERVED;
    else if (who->role_max >= 0 && server_role_count(s, who->role) >= who->role_max)
        room = SERVER_ROOM_ROLE;
    if (room == SERVER_ROOM) {
        c->role = who->role;
        s->pending--;
        s->entered++;
    }
    sched_unlock(s->lock);
    return room;
}

static void server_unlist(struct server *s, struct conn *c)
{
    if (!c->listed)
        return;
    if (c->prev)
        c->prev->next = c->next;
    else
        s->conns = c->next;
    if (c->next)
        c->next->prev = c->prev;
    c->next = c->prev = NULL;
    if (c->role)
        s->entered--;
    else
        s->pending--;
    c->role = NULL;
    c->listed = false;
}

void server_forget(struct server *s, struct conn *c)
{
    sched_lock(s->lock);
    server_unlist(s, c);
    sched_unlock(s->lock);
}

void server_gone(struct server *s, struct conn *c)
{
    SSL_free(c->tls);
    srv_socket_close(c->fd);
    buf_done(&c->in);
    buf_done(&c->out);
    mem_free(c);
    sched_lock(s->lock);
    s->count--;
    if (atomic_load(&s->stop)) /* it waits for the last one */
        uv_async_send(&s->wake);
    sched_unlock(s->lock);
}

void server_stop(struct server *s)
{
    atomic_store(&s->stop, true);
    uv_async_send(&s->wake);
}

void server_reload(struct server *s)
{
    atomic_store(&s->reload, true);
    uv_async_send(&s->wake);
}

/* ---- connections, in the loop ---- */

/* All workers have been busy for a while: somebody with a short question shall not wait until
 * somebody's long one is answered. The system divides the cores among them. The timer goes on for a
 * while: starting it costs a switch of threads. */
static void server_on_hurry(uv_timer_t *t)
{
    struct server *s = t->data;

    s->calm = srv_pool_relieve(s->pool) ? 0 : s->calm + 1;
    if (s->calm < SERVER_CALM)
        return;
    uv_timer_stop(t);
    atomic_store(&s->hurrying, false);
    server_watch_pool(s);
}

static void server_hurry(struct server *s)
{
    if (!atomic_load(&s->hurrying) || uv_is_active((uv_handle_t *)&s->hurry))
        return;
    s->calm = 0;
    uv_timer_start(&s->hurry, server_on_hurry, SERVER_HURRY_MS, SERVER_HURRY_MS);
}

/* When more want to log in than may at once, the one that waits longest goes, and counts no more at
 * once: a flood that had to wait for workers to say goodbye would push out those who came to log
 * in. */
static void server_make_way(struct server *s)
{
    struct conn *oldest = NULL;
    bool crowd;

    sched_lock(s->lock);
    crowd = s->pending > s->conf.logins_max;
    for (struct conn *c = s->conns; crowd && c; c = c->next) /* the newest first */
        if (!c->role && atomic_load(&c->since_ns) != 0)
            oldest = c;
    if (oldest) { /* or all of them are with workers */
        server_unlist(s, oldest);
        conn_nudge(oldest, true);
    }
    sched_unlock(s->lock);
}

static void server_add(struct server *s, const struct conn_ops *ops, struct srv_peer *peer)
{
    struct conn *c = mem_calloc(&s->owner, 1, sizeof(*c));

    if (!c) {
        srv_socket_close(peer->fd);
        return;
    }
    c->job.run = conn_work;
    c->srv = s;
    c->ops = ops;
    c->fd = peer->fd;
    c->local = peer->local;
    memcpy(c->peer, peer->text, sizeof c->peer);
    buf_init(&c->in, &s->owner);
    buf_init(&c->out, &s->owner);
    if (ops->open(c, NULL) < 0) {
        srv_socket_close(c->fd);
        mem_free(c);
        return;
    }
    c->accepted_ns = server_now_ns(s);
    sched_lock(s->lock);
    s->count++;
    if (ops->trusted(c)) {
        c->full = s->entered >= s->conf.connections_max - s->conf.reserved;
        c->role = ""; /* nobody's yet */
        s->entered++;
    } else {
        s->pending++;
    }
    c->next = s->conns;
    if (s->conns)
        s->conns->prev = c;
    s->conns = c;
    c->listed = true;
    sched_unlock(s->lock);
    server_make_way(s);
    if (conn_begin(c))
        return; /* it is the pool's now */
    server_forget(s, c);
    ops->close(c);
    c->proto = NULL;
    server_gone(s, c);
}

static void server_on_accept(void *arg, struct srv_listener *l, struct srv_peer *peer)
{
    struct server *s = arg;
    bool crowd;

    sched_lock(s->lock);
    crowd = s->pending >= s->conf.logins_max * SERVER_SPARE; /* all with workers */
    sched_unlock(s->lock);
    if (s->stopping || crowd)
        srv_socket_close(peer->fd);
    else
        server_add(s, l->ops, peer);
}

/* ---- signals of other sessions ---- */

static void server_on_signal(void *arg, bool end)
{
    struct conn *c = arg;

    c->ops->cancel(c);
    if (!end)
        return;
    conn_end(c, CONN_END_ADMIN);
    atomic_store(&c->srv->ended, true);
    uv_async_send(&c->srv->wake);
}

void server_tell_peer(dendro_conn *session,
                      const char *peer,
                      void (*signal)(void *arg, bool end),
                      void *arg)
{
    const char *colon = strrchr(peer, ':'); /* before the port */
    char address[ACTIVITY_ADDRESS_MAX];

    snprintf(address,
             sizeof address,
             "%.*s",
             (int)(colon ? colon - peer : (ptrdiff_t)strlen(peer)),
             peer);
    engine_client(session,
                  &(struct engine_client){.address = address,
                                          .port = colon ? (int)strtol(colon + 1, NULL, 10) : -1,
                                          .signal = signal,
                                          .arg = arg});
}

void server_session(struct server *s DN_UNUSED, struct conn *c, dendro_conn *session)
{
    atomic_store(&c->cancelable, true);
    server_tell_peer(session, c->peer, server_on_signal, c);
}

/* ---- time ---- */

static void server_look(struct server *s, struct conn *c, uint64_t now)
{
    uint64_t since = atomic_load(&c->since_ns);
    uint64_t ms = now > since ? (now - since) / SERVER_NS_PER_MS : 0;
    uint64_t own_ms = atomic_load(&c->idle_ms);
    uint64_t idle_ms = own_ms ? own_ms : atomic_load(&s->live.idle_ms);

    if (!c->role && (now - c->accepted_ns) / SERVER_NS_PER_MS > atomic_load(&s->live.login_ms))
        conn_end(c, CONN_END_LOGIN);
    else if (c->role && since && idle_ms && ms > idle_ms)
        conn_end(c, own_ms ? (enum conn_end)atomic_load(&c->idle_why) : CONN_END_IDLE);
}

static void server_on_tick(uv_timer_t *t)
{
    struct server *s = t->data;
    uint64_t now = server_now_ns(s);
    bool forced = s->stopping && !s->forced && now > s->stop_ns;

    s->forced = s->forced || forced;
    if (forced && s->http)
        http_cancel(s->http);
    sched_lock(s->lock);
    for (struct conn *c = s->conns; c; c = c->next) {
        if (forced && atomic_load(&c->cancelable))
            c->ops->cancel(c);
        if (atomic_load(&c->since_ns) == 0)
            continue;
        server_look(s, c, now);
        if (s->forced ||
            (atomic_load(&c->wants) == CONN_READ && atomic_load(&c->ending) != CONN_STAYS))
            conn_nudge(c, s->forced);
    }
    sched_unlock(s->lock);
    srv_listener_tick(&s->pg);
    srv_listener_tick(&s->ilp);
    server_notify_alive(s);
}

static bool server_end_one(void *arg DN_UNUSED, struct conn *c)
{
    conn_end(c, CONN_END_STOP);
    return false;
}

void server_begin_stop(struct server *s)
{
    s->stopping = true;
    server_notify("STOPPING=1\nSTATUS=statements end");
    s->stop_ns = server_now_ns(s) + atomic_load(&s->live.drain_ms) * SERVER_NS_PER_MS;
    srv_listener_close(&s->pg);
    srv_listener_close(&s->ilp);
    if (s->http)
        http_quiesce(s->http);
    server_each(s, server_end_one, NULL);
    server_on_tick(&s->tick);
}

static void server_on_wake(uv_async_t *a)
{
    struct server *s = a->data;

    server_hurry(s);
    if (atomic_exchange(&s->ended, false))
        server_on_tick(&s->tick);
    if (atomic_exchange(&s->reload, false))
        server_reload_now(s);
    if (atomic_load(&s->stop) && !s->stopping)
        server_begin_stop(s);
}

/* ---- life ---- */

int server_open_loop(struct server *s, struct dn_err *err)
{
    int rc = uv_loop_init(&s->loop);

    s->loop_open = rc == 0;
    rc = rc < 0 ? rc : uv_async_init(&s->loop, &s->wake, server_on_wake);
    rc = rc < 0 ? rc : uv_timer_init(&s->loop, &s->tick);
    rc = rc < 0 ? rc : uv_timer_init(&s->loop, &s->hurry);
    s->hurry.data = s;
    s->wake.data = s;
    s->tick.data = s;
    rc = rc < 0 ? rc : uv_timer_start(&s->tick, server_on_tick, SERVER_TICK_MS, SERVER_TICK_MS);
    return rc < 0 ? DN_FAIL(err, DN_E_IO, "the event loop does not start: %s", uv_strerror(rc)) : 0;
}

static int server_bind(struct server *s,
                       struct srv_listener *l,
                       int port,
                       const struct conn_ops *ops,
                       struct dn_err *err)
{
    struct srv_listen how = {.loop = &s->loop,
                             .address = s->conf.listen,
                             .port = port,
                             .ops = ops,
                             .fn = server_on_accept,
                             .arg = s};

    return port < 0 ? 0 : srv_listener_open(l, &how, err);
}

int server_open_listeners(struct server *s, struct dn_err *err)
{
    int rc = server_bind(s, &s->pg, s->conf.pg_port, &pgw_ops, err);

    return rc < 0 ? rc : server_bind(s, &s->ilp, s->conf.ilp_port, &ingest_tcp_ops, err);
}

int server_run(struct server *s, struct dn_err *err DN_UNUSED)
{
    server_notify("READY=1\nSTATUS=serves");
    while (!s->stopping || server_count(s) > 0 ||
           (s->http && !s->forced && http_count(s->http) > 0)) /* they may end by themselves */
        uv_run(&s->loop, UV_RUN_ONCE);
    return 0;
}

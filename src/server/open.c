/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c: a server's beginning and end. */
#include "server/ingest/counts.h"
#include "server/server_int.h"

#include "engine/engine.h"
#include "server/auth.h"
#include "server/http/http.h"
#include "server/pool.h"
#include "server/tls.h"

#include <inttypes.h>
#include <sys/resource.h>

#define SERVER_WORKERS  8u  /* per core */
#define SERVER_REQUESTS 16u /* of HTTP at once, per worker */
#define SERVER_HTTP_PART                                                          \
    4u /* of memory_limit, beside it: bodies and answers of HTTP, and as much for \
        * messages of PostgreSQL's protocol … */
#define SERVER_HTTP_MIN ((size_t)128 << 20) /* … but so many bytes at least */
#define SERVER_FILES    512u                /* open ones that are no connections */

static void server_asked(void *arg)
{
    server_reload(arg);
}

static int server_open_db(struct server *s, struct dn_err *err)
{
    struct engine_options options = {.given = s->opt.given, .background = true};
    struct config *c = NULL;
    int rc = server_conf_read(s->opt.given, &s->conf, err);

    if (rc == 0)
        rc = engine_open(s->conf.data, &options, &s->db, err);
    if (rc < 0)
        return rc;
    c = engine_config(s->db); /* with what ALTER SYSTEM says */
    rc = server_conf_read(c, &s->conf, err);
    config_unref(c);
    if (rc < 0)
        return rc;
    if (s->conf.workers_max == 0)
        s->conf.workers_max = SERVER_WORKERS * srv_cores();
    server_conf_apply(&s->conf, &s->live);
    engine_set_reload(s->db, server_asked, s);
    return 0;
}

/* What clients send before it is a statement's. */
static size_t server_input_max(const struct server *s)
{
    size_t memory = engine_owner(s->db)->limit / SERVER_HTTP_PART;

    return memory > SERVER_HTTP_MIN ? memory : SERVER_HTTP_MIN;
}

static int server_open_http(struct server *s, struct dn_err *err)
{
    const struct server_conf *o = &s->conf;
    struct http_options http = {.address = o->listen,
                                .port = o->http_port,
                                .tls_cert = o->tls_cert,
                                .tls_key = o->tls_key,
                                .connections_max = o->connections_max,
                                .requests_max = o->workers_max * SERVER_REQUESTS,
                                .insecure = o->insecure,
                                .memory_max = server_input_max(s)};

    return o->http_port < 0 ? 0 : http_open(s, &http, &s->http, err);
}

/* Other machines are served only if they have to log in. */
static int server_open_auth(struct server *s, struct dn_err *err)
{
    struct engine_login login;
    int rc;

    s->auth = auth_new(s);
    if (!s->auth)
        return DN_FAIL_NOMEM(err);
    engine_set_password(s->db, auth_make_verifier);
    engine_login(s->db, "", &login);
    if (srv_address_local(s->conf.listen) || s->conf.insecure || login.passwords)
        return 0;
    rc = DN_FAIL(err,
                 DN_E_CONFIG,
                 "%s is no loopback address, and nobody would have to log in",
                 s->conf.listen);
    dn_err_hint(err,
                "Listen on 127.0.0.1 and give a role a password first (ALTER ROLE dendro PASSWORD "
                "'…'), or say --insecure to serve everybody who can reach this machine.");
    return rc;
}

static int server_open_tls(struct server *s, struct dn_err *err)
{
    bool cert = s->conf.tls_cert[0], key = s->conf.tls_key[0];

    if (cert != key)
        return DN_FAIL(err, DN_E_CONFIG, "TLS needs both a certificate and its key");
    return cert ? srv_tls_new(s->conf.tls_cert, s->conf.tls_key, &s->tls, err) : 0;
}

/* Each connection is an open file, and a system's usual limit is 1024. Both protocols have as many
 * connections, and others log in beside them. */
static void server_open_files(const struct server *s)
{
    rlim_t want =
        (rlim_t)s->conf.connections_max * 2 + (rlim_t)s->conf.logins_max * 2 + SERVER_FILES;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= want)
        return;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || limit.rlim_max > want ? want : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < want)
        server_log("max_connections = %u may be more than the system's limit of open files allows",
                   s->conf.connections_max);
}

static int server_start(struct server *s, struct dn_err *err)
{
    int rc = server_open_db(s, err);

    if (rc == 0)
        server_open_files(s);
    rc = rc < 0 ? rc : server_open_tls(s, err);
    rc = rc < 0 ? rc : srv_pool_new(s->conf.workers_max, s->conf.connections_max, &s->pool, err);
    if (rc < 0)
        return rc;
    s->lock = sched_mutex_new(srv_pool_sched(s->pool), "server");
    mem_owner_init(&s->wire, "wire", &s->owner, server_input_max(s));
    s->counts = ingest_counts_new(srv_pool_sched(s->pool), &s->owner);
    if (!s->lock || !s->counts)
        return DN_FAIL_NOMEM(err);
    server_log_clock(s);
    if (engine_clock_ahead(s->db) > 0)
        server_log("the clock is %" PRId64
                   " days ahead of the last time the database recorded, and "
                   "is not believed: retention, rollouts and expiry wait for "
                   "dendro_confirm_clock()",
                   engine_clock_ahead(s->db) / 86400);
    rc = server_open_auth(s, err);
    rc = rc < 0 ? rc : server_open_loop(s, err);
    rc = rc < 0 ? rc : server_open_listeners(s, err);
    if (rc >= 0 && server_port(s) > 0)
        srv_announce(s->db, server_address(s), server_port(s));
    return rc < 0 ? rc : server_open_http(s, err);
}

int server_open(const struct server_options *options, struct server **ret, struct dn_err *err)
{
    struct server *s = mem_calloc(NULL, 1, sizeof(*s));
    int rc;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->opt = *options;
    mem_owner_init(&s->owner, "server", NULL, 0);
    rc = server_start(s, err);
    if (rc < 0) {
        server_close(s);
        return rc;
    }
    s->opt.given = NULL; /* the engine has it */
    *ret = s;
    return 0;
}

void server_close(struct server *s)
{
    if (!s)
        return;
    http_close(s->http); /* its threads use the loop */
    s->http = NULL;
    if (s->loop_open) {
        if (!s->stopping) { /* it never ran, or not to its end */
            atomic_store(&s->stop, true);
            server_begin_stop(s);
        }
        while (server_count(s) > 0)
            uv_run(&s->loop, UV_RUN_ONCE);
        if (s->wake.data)
            uv_close((uv_handle_t *)&s->wake, NULL);
        if (s->tick.data)
            uv_close((uv_handle_t *)&s->tick, NULL);
        if (s->hurry.data)
            uv_close((uv_handle_t *)&s->hurry, NULL);
        uv_run(&s->loop, UV_RUN_DEFAULT);
        DN_IGNORE(uv_loop_close(&s->loop));
    }
    auth_free(s->auth);
    ingest_counts_free(s->counts);
    if (s->lock)
        sched_mutex_free(s->lock);
    srv_pool_free(s->pool);
    srv_tls_free(s->tls);
    server_log_clock(NULL);
    if (s->db)
        engine_set_reload(s->db, NULL, NULL);
    DN_IGNORE(dendro_close(s->db));
    mem_free(s);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * http.c: the daemon, and the way of a request through it; http_int.h has the states. */
#include "server/http/http_int.h"

#include "server/conf.h"
#include "server/http/cert.h"
#include "server/http/conns.h"
#include "server/http/guard.h"
#include "server/http/logins.h"
#include "server/http/spool.h"
#include "server/http/unpack.h"

#include "server/listen.h"
#include "server/server.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define HTTP_TIMEOUT_S   60u /* a connection on which nothing happens, while nothing runs */
#define HTTP_THREADS_MAX 4u
#define HTTP_CONN_BYTES  ((size_t)64 << 10) /* head and bytes of a body that are read at a time */
#define HTTP_CHUNK_BYTES ((size_t)64 << 10)
#define HTTP_PRIORITIES  "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
#define HTTP_RETRY_S     "1" /* Retry-After */
#define HTTP_WAIT_NS     2000000u

/* ---- a worker's turn ---- */

static void http_job(struct srv_job *job)
{
    struct http_req *req = (struct http_req *)job; /* its first member */
    struct http *h = req->h;
    struct MHD_Connection *conn = req->conn;

    server_watch_pool(h->srv);
    if (req->state == HTTP_LOGIN) {
        http_login_work(req);
        req->state = HTTP_HEAD;
        goto resume;
    }
    if (!req->begun) {
        req->begun = true;
        req->route->run(req);
    } else {
        req->more(req);
    }
    req->state = HTTP_ANSWER;
resume:
    MHD_resume_connection(conn); /* from here on the request is no longer this thread's */
    atomic_fetch_sub(&h->busy, 1);
}

/* False: nobody works any more. The order of the two matters: see http_close. */
static bool http_to_worker(struct http_req *req, enum http_state state)
{
    struct http *h = req->h;

    atomic_fetch_add(&h->busy, 1);
    if (atomic_load(&h->closing)) {
        atomic_fetch_sub(&h->busy, 1);
        return false;
    }
    req->state = state;
    MHD_suspend_connection(req->conn);
    server_submit(h->srv, &req->job);
    return true;
}

/* ---- answers ---- */

/* The next bytes of an answer whose length is not known. */
static ssize_t http_reader(void *cls, uint64_t pos DN_UNUSED, char *to, size_t max)
{
    struct http_req *req = cls;
    size_t left = req->out.len - req->out_at;

    if (left > 0) {
        left = left < max ? left : max;
        memcpy(to, req->out.data + req->out_at, left);
        req->out_at += left;
        atomic_fetch_add(&req->h->counters.bytes_out, left);
        return (ssize_t)left;
    }
    if (req->ended || req->out.failed)
        return req->cut || req->out.failed ? MHD_CONTENT_READER_END_WITH_ERROR
                                           : MHD_CONTENT_READER_END_OF_STREAM;
    buf_reset(&req->out);
    req->out_at = 0;
    return http_to_worker(req, HTTP_WORK) ? 0 : MHD_CONTENT_READER_END_WITH_ERROR;
}

static enum MHD_Result http_answer(struct http_req *req)
{
    struct MHD_Response *r;
    enum MHD_Result rc;

    if (req->out.failed && !req->more) {
        buf_reset(&req->out);
        http_fail(req, 503, "53200", "out of memory");
    }
    if (req->more && !req->ended) {
        r = MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, HTTP_CHUNK_BYTES, http_reader, req, NULL);
    } else {
        r = MHD_create_response_from_buffer(req->out.len,
                                            req->out.data ? (void *)req->out.data : (void *)req,
                                            MHD_RESPMEM_PERSISTENT);
        atomic_fetch_add(&req->h->counters.bytes_out, req->out.len);
    }
    if (!r)
        return MHD_NO;
    if (req->type)
        MHD_add_response_header(r, "Content-Type", req->type);
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Cache-Control", req->cache ? req->cache : "no-store");
    for (unsigned i = 0; i < req->headers_count; i++)
        MHD_add_response_header(r, req->headers[i].name, req->headers[i].value);
    if (req->status == 503)
        MHD_add_response_header(r, "Retry-After", HTTP_RETRY_S);
    if (atomic_load(&req->h->stopping) || req->close)
        MHD_add_response_header(r, "Connection", "close");
    if (req->status >= 400)
        atomic_fetch_add(&req->h->counters.errors[req->route ? req->route->kind : HTTP_KIND_OTHER],
                         1);
    rc = MHD_queue_response(req->conn, req->status, r);
    MHD_destroy_response(r);
    return rc;
}

/* ---- requests ---- */

static bool http_path_fits(const struct http_route *r, const char *url, const char **ret_rest)
{
    size_t len = strlen(r->path);

    *ret_rest = "";
    if (r->path[len - 1] != '/' || len == 1)
        return strcmp(r->path, url) == 0;
    *ret_rest = url + len;
    return strncmp(url, r->path, len) == 0 && url[len];
}

/* 405 and 404 are told apart. */
static void http_find_route(struct http_req *req, const char *method, const char *url)
{
    const char *allowed = NULL;
    const char *rest;

    for (const struct http_route *r = http_routes; r->path; r++) {
        if (!http_path_fits(r, url, &rest))
            continue;
        if (strcmp(method, r->method) == 0 ||
            (strcmp(method, "HEAD") == 0 && strcmp(r->method, "GET") == 0)) {
            req->route = r;
            req->rest = rest;
            return;
        }
        allowed = r->method;
    }
    if (!allowed) {
        http_fail(req, 404, "42P01", "there is nothing at %.100s", url);
        return;
    }
    http_header(req, "Allow", "%s", allowed);
    http_fail(req, 405, "0A000", "%.100s takes %s, not %.20s", url, allowed, method);
}

static void http_look_at_peer(struct http_req *req)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(req->conn, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    if (info && info->client_addr)
        srv_address_print(info->client_addr, req->peer, sizeof req->peer, &req->local);
}

/* Is there room for one more, and for its body? */
static bool http_admit(struct http_req *req)
{
    struct http *h = req->h;
    const char *length = http_request_header(req, "Content-Length");
    unsigned long long bytes = length ? strtoull(length, NULL, 10) : 0;

    if (atomic_load(&h->stopping)) {
        http_fail(req, 503, "57P03", "the server is shutting down");
    } else if (atomic_fetch_add(&h->count, 1) >= h->opt.requests_max && !req->route->open) {
        req->counted = true;
        atomic_fetch_add(&h->counters.refused, 1);
        http_fail(req, 503, "53300", "%u requests are under way already", h->opt.requests_max);
    } else {
        req->counted = true;
    }
    if (req->status == 0 && bytes > req->body_max && req->route->body != HTTP_BODY_NONE)
        http_fail(req,
                  413,
                  "54000",
                  "a body of %llu bytes, more than %llu: send it in parts",
                  bytes,
                  (unsigned long long)req->body_max);
    return req->status == 0;
}

static struct http_req *
http_new(struct http *h, struct MHD_Connection *conn, const char *method, const char *url)
{
    struct http_req *req = mem_calloc(&h->owner, 1, sizeof(*req));

    if (!req)
        return NULL;
    req->job.run = http_job;
    req->h = h;
    req->conn = conn;
    req->rest = "";
    req->body_max = atomic_load(&server_live(h->srv)->message_max);
    if (req->body_max > h->opt.memory_max / HTTP_MEMORY_PART) /* it would never find room */
        req->body_max = h->opt.memory_max / HTTP_MEMORY_PART;
    req->since_ns = server_now_ns(h->srv);
    buf_init(&req->body, &h->owner);
    buf_init(&req->out, &h->owner);
    http_look_at_peer(req);
    http_find_route(req, method, url);
    if (req->route && req->route->body == HTTP_BODY_SPOOL)
        req->body_max = UINT64_MAX;
    atomic_fetch_add(&h->counters.requests[req->route ? req->route->kind : HTTP_KIND_OTHER], 1);
    if (req->status == 0 && http_guard(req))
        DN_IGNORE(http_admit(req));
    return req;
}

static void http_free(struct http_req *req)
{
    struct http *h = req->h;
    bool counted = req->counted;

    http_session_end(req);
    if (req->free_state)
        req->free_state(req);
    http_login_forget(req);
    http_unpack_free(req->unpack);
    http_spool_free(req);
    buf_done(&req->body);
    buf_done(&req->out);
    mem_free(req);
    if (counted)
        atomic_fetch_sub(&h->count, 1);
}

static enum MHD_Result http_body(struct http_req *req, const char *bytes, size_t len)
{
    req->body_in += len;
    atomic_fetch_add(&req->h->counters.bytes_in, len);
    if (req->status != 0 || req->route->body == HTTP_BODY_NONE) /* passed over, up to a point */
        return req->body_in > req->body_max ? MHD_NO : MHD_YES;
    if (req->route->body == HTTP_BODY_SPOOL)
        DN_IGNORE(http_spool_add(req, bytes, len));
    else
        DN_IGNORE(http_unpack_add(req, bytes, len));
    return MHD_YES;
}

/* Refused, or its body may come. */
static enum MHD_Result http_after_head(struct http_req *req)
{
    req->state = HTTP_BODY;
    if (req->status == 0 && req->route->body == HTTP_BODY_WHOLE)
        DN_IGNORE(http_unpack_begin(req, http_request_header(req, "Content-Encoding")));
    if (req->status == 0)
        return MHD_YES;
    req->state = HTTP_ANSWER;
    return http_answer(req);
}

/* ---- connections ---- */

static struct http_conn *http_conn(struct MHD_Connection *conn)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

static void http_connection(void *cls,
                            struct MHD_Connection *conn,
                            void **of,
                            enum MHD_ConnectionNotificationCode what)
{
    struct http *h = cls;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD);

        *of = info ? http_conns_begin(h->conns, info->connect_fd) : NULL;
    } else {
        http_conns_end(h->conns, *of);
        *of = NULL;
    }
}

/* Who asks, as far as it can be told without hashing; false: a worker has to look. */
static bool http_head(struct http_req *req)
{
    enum http_login login = HTTP_LOGIN_REFUSED;

    if (req->status == 0 && !req->route->open)
        login = http_login_begin(req);
    if (login == HTTP_LOGIN_IN)
        http_conns_set(req->h->conns, http_conn(req->conn), HTTP_CONN_BUSY);
    return login != HTTP_LOGIN_WORK;
}

static enum MHD_Result http_handle(void *cls,
                                   struct MHD_Connection *conn,
                                   const char *url,
                                   const char *method,
                                   const char *version DN_UNUSED,
                                   const char *upload,
                                   size_t *upload_len,
                                   void **req_cls)
{
    struct http_req *req = *req_cls;
    size_t len = *upload_len;

    if (!req) {
        req = http_new(cls, conn, method, url);
        *req_cls = req;
        if (!req)
            return MHD_NO;
        if (!http_head(req)) {
            http_conns_set(req->h->conns, http_conn(conn), HTTP_CONN_LOGIN);
            return http_to_worker(req, HTTP_LOGIN) ? MHD_YES : MHD_NO;
        }
    } else if (req->state == HTTP_HEAD && req->status == 0) { /* a worker has looked */
        http_conns_set(req->h->conns, http_conn(conn), HTTP_CONN_BUSY);
    }
    if (req->state == HTTP_HEAD)
        return http_after_head(req);
    if (len > 0) {
        *upload_len = 0;
        return http_body(req, upload, len);
    }
    if (req->state == HTTP_BODY) {
        if (req->status == 0 && req->route->body == HTTP_BODY_WHOLE)
            DN_IGNORE(http_unpack_end(req));
        if (req->status == 0)
            return http_to_worker(req, HTTP_WORK) ? MHD_YES : MHD_NO;
        req->state = HTTP_ANSWER;
    }
    return http_answer(req);
}

static void http_completed(void *cls,
                           struct MHD_Connection *conn,
                           void **req_cls,
                           enum MHD_RequestTerminationCode why DN_UNUSED)
{
    struct http *h = cls;

    http_conns_rest(h->conns, http_conn(conn));
    if (*req_cls)
        http_free(*req_cls);
    *req_cls = NULL;
}

/* ---- life ---- */

enum ingest_create http_create(const struct http *h)
{
    return (enum ingest_create)atomic_load(&server_live(h->srv)->create);
}

static int http_start(struct http *h, struct dn_err *err)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    unsigned cores = srv_cores() < HTTP_THREADS_MAX ? srv_cores() : HTTP_THREADS_MAX;
    unsigned threads = cores > 1 ? cores : 2u;
    char versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_CERT_CALLBACK, 0, http_cert_callback()},
                                   {MHD_OPTION_HTTPS_PRIORITIES, 0, versions},
                                   {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    int fd;
    int rc = srv_socket_listen(h->opt.address, h->opt.port, &fd, &h->port, err);

    if (rc < 0)
        return rc;
    h->daemon = MHD_start_daemon(flags | (h->tls ? MHD_USE_TLS : 0),
                                 0,
                                 NULL,
                                 NULL,
                                 http_handle,
                                 h,
                                 MHD_OPTION_LISTEN_SOCKET,
                                 (MHD_socket)fd,
                                 MHD_OPTION_THREAD_POOL_SIZE,
                                 threads,
                                 MHD_OPTION_CONNECTION_LIMIT,
                                 h->opt.connections_max + threads * HTTP_CONNS_SPARE,
                                 MHD_OPTION_NOTIFY_CONNECTION,
                                 http_connection,
                                 h,
                                 MHD_OPTION_CONNECTION_TIMEOUT,
                                 HTTP_TIMEOUT_S,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                 HTTP_CONN_BYTES,
                                 MHD_OPTION_NOTIFY_COMPLETED,
                                 http_completed,
                                 h,
                                 MHD_OPTION_ARRAY,
                                 h->tls ? tls : none,
                                 MHD_OPTION_END);
    if (h->daemon)
        return 0;
    srv_socket_close(fd);
    return DN_FAIL(err,
                   h->tls ? DN_E_CONFIG : DN_E_IO,
                   "the HTTP server does not start%s",
                   h->tls ? ": are certificate and key good PEM files that fit each other?" : "");
}

int http_open(struct server *srv,
              const struct http_options *options,
              struct http **ret,
              struct dn_err *err)
{
    struct http *h = mem_calloc(NULL, 1, sizeof(*h));
    int rc = 0;

    if (!h)
        return DN_FAIL_NOMEM(err);
    h->srv = srv;
    h->opt = *options;
    h->since_ns = server_now_ns(srv);
    mem_owner_init(&h->owner, "http", server_owner(srv), options->memory_max);
    h->lock = sched_mutex_new(srv_pool_sched(server_pool(srv)), "http");
    h->conns = http_conns_new(
        srv_pool_sched(server_pool(srv)), server_owner(srv), options->connections_max);
    h->logins = http_logins_new(srv_pool_sched(server_pool(srv)), server_owner(srv));
    if (!h->lock || !h->conns || !h->logins)
        rc = DN_FAIL_NOMEM(err);
    h->tls = options->tls_cert[0] != '\0';
    if (rc == 0 && h->tls)
        rc = http_cert_load(options->tls_cert, options->tls_key, err);
    if (rc == 0)
        rc = http_start(h, err);
    if (rc < 0) {
        http_close(h);
        return rc;
    }
    *ret = h;
    return 0;
}

int http_reload(struct http *h, const char *cert, const char *key, struct dn_err *err)
{
    return h->tls ? http_cert_load(cert, key, err) : 0;
}

void http_quiesce(struct http *h)
{
    if (atomic_exchange(&h->stopping, true))
        return;
    srv_socket_close(MHD_quiesce_daemon(h->daemon));
}

void http_cancel(struct http *h)
{
    sched_lock(h->lock);
    for (struct http_req *r = h->running; r; r = r->next)
        dendro_cancel(r->session);
    sched_unlock(h->lock);
}

void http_close(struct http *h)
{
    if (!h)
        return;
    if (h->daemon) {
        http_quiesce(h);
        atomic_store(&h->closing, true);
        while (http_busy(h) > 0) {
            http_cancel(h);
            sched_sleep_ns(srv_pool_sched(server_pool(h->srv)), HTTP_WAIT_NS);
        }
        MHD_stop_daemon(h->daemon);
    }
    http_conns_free(h->conns);
    http_logins_free(h->logins);
    if (h->lock)
        sched_mutex_free(h->lock);
    if (h->tls)
        http_cert_free();
    mem_free(h);
}

int http_port(const struct http *h)
{
    return h->port;
}

unsigned http_busy(struct http *h)
{
    return atomic_load(&h->busy);
}

unsigned http_count(struct http *h)
{
    return atomic_load(&h->count);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * request.c: what routes ask of a request: its headers and parameters, a session for it. */
#include "engine/engine.h"
#include "server/http/http_int.h"

#include "server/server.h"

#include <limits.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void http_header(struct http_req *req, const char *name, const char *fmt, ...)
{
    struct http_header *to;
    va_list args;

    if (req->headers_count == HTTP_HEADERS_MAX)
        return;
    to = &req->headers[req->headers_count++];
    to->name = name;
    va_start(args, fmt);
    vsnprintf(to->value, sizeof to->value, fmt, args);
    va_end(args);
}

const char *http_request_header(const struct http_req *req, const char *name)
{
    return MHD_lookup_connection_value(req->conn, MHD_HEADER_KIND, name);
}

struct http_counted {
    const char *name;
    unsigned count;
};

static enum MHD_Result http_count_one(void *cls,
                                      enum MHD_ValueKind kind DN_UNUSED,
                                      const char *key,
                                      const char *value DN_UNUSED)
{
    struct http_counted *c = cls;

    c->count += strcasecmp(key, c->name) == 0;
    return MHD_YES;
}

unsigned http_request_header_count(const struct http_req *req, const char *name)
{
    struct http_counted c = {.name = name};

    DN_IGNORE(MHD_get_connection_values(req->conn, MHD_HEADER_KIND, http_count_one, &c));
    return c.count;
}

const char *http_query(const struct http_req *req, const char *name)
{
    return MHD_lookup_connection_value(req->conn, MHD_GET_ARGUMENT_KIND, name);
}

bool http_query_is(const struct http_req *req, const char *name, const char *value)
{
    const char *given = http_query(req, name);

    return given && strcmp(given, value) == 0;
}

/* The client's name for it, so that it can be cancelled before its answer begins, or ours. */
static bool http_choose_id(struct http_req *req)
{
    const char *given = http_request_header(req, "X-Query-Id");
    size_t len = given ? strlen(given) : 0;

    if (len == 0) {
        snprintf(
            req->id, sizeof req->id, "%016llx", (unsigned long long)server_random(req->h->srv));
        return true;
    }
    if (len > HTTP_ID_MAX ||
        strspn(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != len)
        return false;
    memcpy(req->id, given, len + 1);
    return true;
}

/* Somebody else runs under that id. */
static bool http_id_taken(const struct http_req *req)
{
    for (const struct http_req *r = req->h->running; r; r = r->next)
        if (strcmp(r->id, req->id) == 0)
            return true;
    return false;
}

void http_progress_begin(struct http_req *req)
{
    atomic_store(&req->progress_rows, 0);
    atomic_store(&req->progress_permille, -1);
    atomic_store(&req->progress_left_s, -1);
}

static int http_progress(void *arg, const struct dendro_progress *so_far)
{
    struct http_req *req = arg;

    atomic_store(&req->progress_rows, so_far->rows);
    atomic_store(&req->progress_permille, so_far->percent < 0 ? -1 : (int)(so_far->percent * 10));
    atomic_store(&req->progress_left_s,
                 so_far->seconds_left < 0 || so_far->seconds_left > INT_MAX
                     ? -1
                     : (int)so_far->seconds_left);
    return 0;
}

bool http_session(struct http_req *req)
{
    struct http *h = req->h;
    struct dendro_error err;
    struct dn_err why;
    bool taken;

    if (!http_choose_id(req)) {
        http_fail(req,
                  400,
                  "22023",
                  "X-Query-Id: up to %u letters, digits, - and _ are taken",
                  HTTP_ID_MAX);
        return false;
    }
    if (dendro_connect(server_db(h->srv), &req->session, &err) < 0) {
        http_fail_with(req, &err);
        return false;
    }
    /* nobody: /health and the like, which nobody has to log in for */
    if (req->user[0] && engine_session_role(req->session, req->user, &why) < 0) {
        dendro_disconnect(req->session);
        req->session = NULL;
        http_fail(req, 401, "28000", "%s", why.text);
        return false;
    }
    server_tell_peer(req->session, req->peer, NULL, NULL); /* the engine's flags end a statement */
    sched_lock(h->lock);
    taken = http_id_taken(req);
    if (!taken) {
        req->next = h->running;
        if (h->running)
            h->running->prev = req;
        h->running = req;
    }
    sched_unlock(h->lock);
    if (taken) {
        dendro_disconnect(req->session);
        req->session = NULL;
        http_fail(req, 409, "55006", "a query runs under the id %s already", req->id);
        return false;
    }
    http_progress_begin(req);
    dendro_set_progress(req->session, http_progress, req, HTTP_PROGRESS_MS);
    http_header(req, "X-Query-Id", "%s", req->id);
    return true;
}

void http_session_end(struct http_req *req)
{
    struct http *h = req->h;

    if (!req->session)
        return;
    sched_lock(h->lock);
    if (req->prev)
        req->prev->next = req->next;
    else
        h->running = req->next;
    if (req->next)
        req->next->prev = req->prev;
    sched_unlock(h->lock);
    if (req->free_state)
        req->free_state(req);
    req->free_state = NULL;
    dendro_disconnect(req->session);
    req->session = NULL;
}

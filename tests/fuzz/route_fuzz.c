/* SPDX-License-Identifier: Apache-2.0
 *
 * route_fuzz.c: requests over HTTP behind libmicrohttpd: parameters of the query, headers and
 * bodies. The first byte picks the route; then come lines, "?name=value" or "Name: value", up to an
 * empty one, and the body. Every request is answered, and what says that it is JSON is. */
#include "fuzz.h"

#include "fuzz_server.h"

#include "base/json.h"
#include "server/http/http_int.h"
#include "server/http/spool.h"
#include "server/http/unpack.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROUTE_VALUES_MAX 16u
#define ROUTE_TEXT_MAX   200u
#define ROUTE_BODY_MAX   (1u << 16)
#define ROUTE_TURNS_MAX  1000u

struct route_value {
    enum MHD_ValueKind kind;
    char name[ROUTE_TEXT_MAX];
    char value[ROUTE_TEXT_MAX];
};

static struct {
    struct route_value values[ROUTE_VALUES_MAX];
    size_t count;
} route_head;

static void must(bool good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

/* ---- in libmicrohttpd's place ---- */

const char *MHD_lookup_connection_value(struct MHD_Connection *connection,
                                        enum MHD_ValueKind kind,
                                        const char *key)
{
    (void)connection;
    for (size_t i = 0; i < route_head.count; i++)
        if (route_head.values[i].kind == kind && strcasecmp(route_head.values[i].name, key) == 0)
            return route_head.values[i].value;
    return NULL;
}

int MHD_get_connection_values(struct MHD_Connection *connection,
                              enum MHD_ValueKind kind,
                              MHD_KeyValueIterator iterator,
                              void *iterator_cls)
{
    int count = 0;

    (void)connection;
    for (size_t i = 0; i < route_head.count; i++) {
        const struct route_value *v = &route_head.values[i];

        if (v->kind != kind)
            continue;
        count++;
        if (iterator && iterator(iterator_cls, kind, v->name, v->value) != MHD_YES)
            break;
    }
    return count;
}

/* ---- a request ---- */

static void route_line(const char *line, size_t len)
{
    bool query = len > 0 && line[0] == '?';
    const char *mid = memchr(line, query ? '=' : ':', len);
    struct route_value *to = &route_head.values[route_head.count];
    size_t name = mid ? (size_t)(mid - line) - query : 0;
    size_t value = mid ? len - (size_t)(mid - line) - 1 : 0;

    if (!mid || route_head.count == ROUTE_VALUES_MAX || name >= ROUTE_TEXT_MAX ||
        value >= ROUTE_TEXT_MAX || memchr(line, 0, len))
        return;
    to->kind = query ? MHD_GET_ARGUMENT_KIND : MHD_HEADER_KIND;
    memcpy(to->name, line + query, name);
    to->name[name] = '\0';
    memcpy(to->value, mid + 1, value);
    to->value[value] = '\0';
    if (!query && to->value[0] == ' ')
        memmove(to->value, to->value + 1, value);
    route_head.count++;
}

/* Returns where the body begins. */
static size_t route_read_head(const uint8_t *data, size_t size)
{
    size_t at = 0;

    route_head.count = 0;
    while (at < size) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t len = (size_t)((end ? end : data + size) - (data + at));

        if (len > 0)
            route_line((const char *)data + at, len);
        at += len + (end != NULL);
        if (len == 0)
            break;
    }
    return at;
}

static bool route_body(struct http_req *req, const uint8_t *data, size_t size)
{
    switch (req->route->body) {
    case HTTP_BODY_NONE:
        return true;
    case HTTP_BODY_SPOOL:
        return http_spool_add(req, data, size);
    case HTTP_BODY_WHOLE:
        req->body_in = size;
        return http_unpack_begin(req, http_request_header(req, "Content-Encoding")) &&
               http_unpack_add(req, data, size) && http_unpack_end(req);
    case HTTP_BODY_RAW:
        break;
    }
    buf_append(&req->body, data, size);
    return true;
}

static void route_cancel(void *arg)
{
    struct http_req *req = arg;

    dendro_cancel(req->session);
}

/* An answer that was not cut off is JSON if it says so. */
static void route_check(const struct http_req *req, const struct buf *answer)
{
    const struct dn_json *root = NULL;
    struct arena arena;
    struct dn_err err = {0};

    must(req->status >= 200 && req->status < 600, "no status");
    if (!req->type || strcmp(req->type, "application/json") != 0 || req->cut || req->out.failed)
        return;
    arena_init(&arena, NULL);
    if (dn_json_parse(&arena, answer->data, answer->len, &root, &err) < 0) {
        (void)fprintf(
            stderr, "%u %.*s\n", req->status, (int)answer->len, (const char *)answer->data);
        must(false, "that is no JSON");
    }
    arena_done(&arena);
}

static void route_answer(struct http_req *req)
{
    struct buf answer;

    buf_init(&answer, NULL);
    req->begun = true;
    req->route->run(req);
    for (unsigned i = 0; req->more && i < ROUTE_TURNS_MAX; i++) {
        buf_append(&answer, req->out.data, req->out.len);
        buf_reset(&req->out);
        if (req->ended)
            break;
        req->more(req);
    }
    if (!req->more)
        buf_append(&answer, req->out.data, req->out.len);
    if (req->status < 300)
        fuzz_reached();
    if (!req->more || req->ended)
        route_check(req, &answer);
    buf_done(&answer);
}

/* Those that need a worker of a running server are left out. */
static const struct http_route *route_pick(uint8_t which)
{
    static const char *const paths[] = {"/api/sql",
                                        "/write",
                                        "/api/v2/write",
                                        "/api/v1/write",
                                        "/api/import",
                                        "/query",
                                        "/ping",
                                        "/api/queries",
                                        "/api/queries/",
                                        "/settings"};
    const char *path = paths[which % DN_ARRAY_SIZE(paths)];

    for (const struct http_route *r = http_routes; r->method; r++)
        if (strcmp(r->path, path) == 0)
            return r;
    must(false, "there is no such route");
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http h = {.tls = false};
    struct http_req req = {.h = &h, .body_max = ROUTE_BODY_MAX, .local = true};
    char rest[ROUTE_TEXT_MAX] = "";
    size_t at;

    if (size == 0 || size > 4096)
        return 0;
    h.srv = fuzz_server();
    h.lock = h.srv->lock;
    mem_owner_init(&h.owner, "fuzz", NULL, 0);
    buf_init(&req.body, &h.owner);
    buf_init(&req.out, &h.owner);
    req.route = route_pick(data[0]);
    req.since_ns = server_now_ns(h.srv);
    req.rest = rest;
    (void)snprintf(req.user, sizeof req.user, "fuzz");
    at = 1 + route_read_head(data + 1, size - 1);
    (void)snprintf(rest, sizeof rest, "%s", route_head.count ? route_head.values[0].value : "");
    fuzz_server_watch(route_cancel, &req);
    if (route_body(&req, data + at, size - at))
        route_answer(&req);
    else
        route_check(&req, &req.out);
    fuzz_server_watch(NULL, NULL);
    http_session_end(&req);
    if (req.free_state)
        req.free_state(&req);
    http_unpack_free(req.unpack);
    http_spool_free(&req);
    buf_done(&req.body);
    buf_done(&req.out);
    return 0;
}

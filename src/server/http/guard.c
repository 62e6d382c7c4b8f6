/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c: who may ask. Somebody's browser is on this machine, too: pages of others must not get at
 * the database through it. So a request that changes something and says that it comes from another
 * site is refused, and as long as this machine is trusted without a login, so is a name of this
 * machine that only somebody else's name server can have given it (DNS rebinding). */
#include "server/http/http_int.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The name in "name:port", "[::1]:port", "name". */
static size_t guard_host_len(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : NULL;

    return end ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

static bool guard_ends_in(const char *s, size_t len, const char *end)
{
    size_t n = strlen(end);

    return len >= n && strncasecmp(s + len - n, end, n) == 0;
}

/* An address, or a name that every resolver takes for this machine. */
static bool guard_host_safe(const struct http_req *req, const char *host)
{
    size_t len = guard_host_len(host);

    if (len == 0 || host[0] == '[' || strspn(host, "0123456789.") >= len)
        return true;
    if (guard_ends_in(host, len, ".localhost") ||
        (len == 9 && strncasecmp(host, "localhost", 9) == 0))
        return true;
    return strlen(req->h->opt.address) == len && strncasecmp(host, req->h->opt.address, len) == 0;
}

/* Does the page of that origin come from this very server? */
static bool guard_origin_same(const struct http_req *req, const char *origin, const char *host)
{
    const char *scheme = req->h->cert ? "https://" : "http://";
    size_t len = strlen(scheme);

    return host && strncasecmp(origin, scheme, len) == 0 && strcasecmp(origin + len, host) == 0;
}

bool http_authenticate(struct http_req *req DN_UNUSED)
{
    return true; /* nobody has a password yet; server_start refuses other machines without
                    --insecure */
}

bool http_guard(struct http_req *req)
{
    const char *host = http_request_header(req, "Host");
    const char *site = http_request_header(req, "Sec-Fetch-Site");
    const char *origin = http_request_header(req, "Origin");
    bool reads = strcmp(req->route->method, "GET") == 0;

    if (!req->h->opt.insecure && host && !guard_host_safe(req, host)) {
        http_fail(req, 403, "42501", "this server is not called %.80s", host);
        return false;
    }
    if (!reads && site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) {
        http_fail(req, 403, "42501", "a page of another site asks for this: it is refused");
        return false;
    }
    if (!reads && !site && origin && !guard_origin_same(req, origin, host)) {
        http_fail(req, 403, "42501", "a page of %.80s asks for this: it is refused", origin);
        return false;
    }
    return req->route->open || http_authenticate(req);
}

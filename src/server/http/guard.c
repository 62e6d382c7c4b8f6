/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c: who may ask. Somebody's browser is on this machine, too: pages of others must not get at
 * the database through it. So a request that changes something and says that it comes from another
 * site is refused, and as long as this machine is trusted without a login, so is a name of this
 * machine that only somebody else's name server can have given it (DNS rebinding). */
#include "catalog/access.h"
#include "server/auth.h"
#include "server/http/http_int.h"
#include "server/server.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define GUARD_CREDENTIALS_MAX 1024u /* bytes of name and password */

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
    const char *scheme = req->h->tls ? "https://" : "http://";
    size_t len = strlen(scheme);

    return host && strncasecmp(origin, scheme, len) == 0 && strcasecmp(origin + len, host) == 0;
}

/* Name and password out of "name:password". */
static void guard_split(char *text, const char **ret_name, const char **ret_password)
{
    char *colon = strchr(text, ':');

    *ret_name = text;
    *ret_password = "";
    if (!colon)
        return;
    *colon = '\0';
    *ret_password = colon + 1;
}

/* What the request says who it is, into text: Basic, or "Token name:password" as InfluxDB's clients
 * send tokens, or u and p of its first version. False: nothing, or nothing that can be read. */
static bool guard_credentials(const struct http_req *req, char *text, size_t room)
{
    const char *header = http_request_header(req, "Authorization");
    const char *user = http_query(req, "u");
    const char *password = http_query(req, "p");
    int n;

    if (!header && user) {
        n = snprintf(text, room, "%s:%s", user, password ? password : "");
        return n > 0 && (size_t)n < room;
    }
    if (!header)
        return false;
    if (strncasecmp(header, "Token ", 6) == 0 || strncasecmp(header, "Bearer ", 7) == 0) {
        n = snprintf(text, room, "%s", strchr(header, ' ') + 1);
        return n > 0 && (size_t)n < room;
    }
    if (strncasecmp(header, "Basic ", 6) != 0 || strlen(header + 6) / 4 * 3 >= room)
        return false;
    n = EVP_DecodeBlock(
        (unsigned char *)text, (const unsigned char *)header + 6, (int)strlen(header + 6));
    if (n < 0)
        return false;
    text[n] = '\0';
    return true;
}

static bool guard_refuse(struct http_req *req, const char *user)
{
    http_header(req, "WWW-Authenticate", "Basic realm=\"Dendro\", charset=\"UTF-8\"");
    if (user)
        http_fail(req, 401, "28P01", "password authentication failed for user \"%.63s\"", user);
    else
        http_fail(req, 401, "28000", "who is it? Send a name and password (Authorization: Basic)");
    return false;
}

bool http_authenticate(struct http_req *req)
{
    struct auth *auth = server_auth(req->h->srv);
    struct auth_who who = {
        .user = ACCESS_FIRST_NAME, .peer = req->peer, .local = req->local, .protocol = "HTTP"};
    char text[GUARD_CREDENTIALS_MAX] = "";
    bool given = guard_credentials(req, text, sizeof text);
    const char *password = "";
    struct engine_login login;
    enum auth_verdict verdict;
    bool right;

    if (given)
        guard_split(text, &who.user, &password);
    verdict = auth_greet(auth, &who, &login);
    if (verdict == AUTH_NO_ROLE && !login.passwords && who.local) {
        /* Nobody has a password: clients that must send a name or token send any. */
        who.user = ACCESS_FIRST_NAME;
        verdict = auth_greet(auth, &who, &login);
    }
    if (verdict == AUTH_WAIT) {
        http_header(req, "Retry-After", "60");
        http_fail(req, 429, "28000", "too many failed logins from this address: wait a minute");
        return false;
    }
    right =
        verdict == AUTH_TRUSTED || (verdict == AUTH_ASK && given &&
                                    auth_password(auth, &who, &login, password, strlen(password)));
    snprintf(req->user, sizeof req->user, "%.63s", who.user);
    OPENSSL_cleanse(text, sizeof text);
    return right || guard_refuse(req, given ? req->user : NULL);
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

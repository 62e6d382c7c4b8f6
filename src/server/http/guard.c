/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c: who may ask. Somebody's browser is on this machine, too: pages of others must not get at
 * the database through it. So a request that changes something and says that it comes from another
 * site is refused, and as long as this machine is trusted without a login, so is a name of this
 * machine that only somebody else's name server can have given it (DNS rebinding). From the first
 * password on any name will do: a page cannot know the password. */
#include "server/http/guard.h"
#include "catalog/access.h"
#include "server/auth.h"
#include "server/http/http_int.h"
#include "server/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define GUARD_CREDENTIALS_MAX 1024u /* bytes of name and password */
#define GUARD_HOST_MAX        255u  /* of a name of a machine */

/* Is what follows the name in a Host header a port, or nothing? */
static bool guard_port_ok(const char *rest)
{
    return *rest == '\0' || (*rest == ':' && rest[1 + strspn(rest + 1, "0123456789")] == '\0');
}

/* The length of the name in "name:port", "[::1]:port", "name", without the brackets; 0: the text is
 * none of these. */
static size_t guard_host_len(const char **host)
{
    const char *end;

    if ((*host)[0] != '[') {
        end = *host + strcspn(*host, ":");
        return guard_port_ok(end) ? (size_t)(end - *host) : 0;
    }
    (*host)++;
    end = strchr(*host, ']');
    return end && guard_port_ok(end + 1) ? (size_t)(end - *host) : 0;
}

static bool guard_ends_in(const char *s, size_t len, const char *end)
{
    size_t n = strlen(end);

    return len >= n && strncasecmp(s + len - n, end, n) == 0;
}

/* An address, or a name that every resolver takes for this machine. */
static bool guard_host_safe(const struct http_req *req, const char *host)
{
    bool brackets = host[0] == '[';
    size_t len = guard_host_len(&host);
    char name[GUARD_HOST_MAX + 1];
    struct in6_addr six;
    struct in_addr four;

    if (len == 0 || len > GUARD_HOST_MAX)
        return false;
    memcpy(name, host, len);
    name[len] = '\0';
    if (inet_pton(brackets ? AF_INET6 : AF_INET, name, brackets ? (void *)&six : (void *)&four) ==
        1)
        return true;
    if (brackets)
        return false;
    return guard_ends_in(name, len, ".localhost") || strcasecmp(name, "localhost") == 0 ||
           strcasecmp(name, req->h->opt.address) == 0;
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

static void guard_refuse(struct http_req *req, bool given)
{
    /* A page asks for the password itself: the browser must not. */
    if (!http_request_header(req, "X-Requested-With"))
        http_header(req, "WWW-Authenticate", "Basic realm=\"Dendro\", charset=\"UTF-8\"");
    if (given)
        http_fail(req, 401, "28P01", "password authentication failed for user \"%s\"", req->user);
    else
        http_fail(req, 401, "28000", "who is it? Send a name and password (Authorization: Basic)");
}

/* ---- logging in ---- */

static struct auth_who guard_who(const struct http_req *req)
{
    return (struct auth_who){
        .user = req->user, .peer = req->peer, .local = req->local, .protocol = "HTTP"};
}

static void guard_too_often(struct http_req *req)
{
    http_header(req, "Retry-After", "60");
    http_fail(req, 429, "28000", "too many failed logins: wait a minute");
}

/* What is known of the role that the request names, or is taken for if it may name any. */
static enum auth_verdict guard_greet(struct http_req *req, struct engine_login *ret)
{
    struct auth *auth = server_auth(req->h->srv);
    struct auth_who who = guard_who(req);
    enum auth_verdict verdict = auth_greet(auth, &who, ret);

    if (verdict != AUTH_NO_ROLE || ret->passwords || !who.local)
        return verdict;
    /* Nobody has a password: clients that must send a name or token send any. */
    snprintf(req->user, sizeof req->user, "%s", ACCESS_FIRST_NAME);
    return auth_greet(auth, &who, ret);
}

/* The name in the credentials becomes the request's user; false: no role has so long a name. */
static bool guard_name(struct http_req *req, char *text, const char **ret_password)
{
    const char *name;
    int n;

    guard_split(text, &name, ret_password);
    n = snprintf(req->user, sizeof req->user, "%s", name);
    return n >= 0 && (size_t)n < sizeof req->user;
}

enum http_login http_login_begin(struct http_req *req)
{
    char text[GUARD_CREDENTIALS_MAX] = "";
    bool given = guard_credentials(req, text, sizeof text);
    enum http_login login = HTTP_LOGIN_REFUSED;
    const char *password = "";
    struct engine_login role;
    enum auth_verdict verdict;

    if (!given && http_login_cookie(req)) {
        login = HTTP_LOGIN_IN;
        goto out;
    }
    snprintf(req->user, sizeof req->user, "%s", ACCESS_FIRST_NAME);
    if (given && !guard_name(req, text, &password)) {
        guard_refuse(req, true);
        goto out;
    }
    verdict = guard_greet(req, &role);
    if (verdict == AUTH_TRUSTED ||
        (given && (verdict == AUTH_ASK || verdict == AUTH_WAIT) &&
         auth_remembers(server_auth(req->h->srv), &role, password, strlen(password)))) {
        login = HTTP_LOGIN_IN;
    } else if (verdict == AUTH_WAIT) {
        guard_too_often(req);
    } else if (verdict != AUTH_ASK || !given) {
        guard_refuse(req, given);
    } else {
        req->password = mem_strdup(&req->h->owner, password);
        if (req->password)
            login = HTTP_LOGIN_WORK;
        else
            http_fail(req, 503, "53200", "out of memory");
    }
out:
    OPENSSL_cleanse(text, sizeof text);
    return login;
}

void http_login_forget(struct http_req *req)
{
    if (req->password)
        OPENSSL_cleanse(req->password, strlen(req->password));
    mem_free(req->password);
    req->password = NULL;
}

void http_login_work(struct http_req *req)
{
    struct auth *auth = server_auth(req->h->srv);
    struct auth_who who = guard_who(req);
    struct engine_login role;
    enum auth_answer answer;

    DN_IGNORE(auth_greet(auth, &who, &role)); /* as it is now */
    answer = auth_password(auth, &who, &role, req->password, strlen(req->password));
    http_login_forget(req);
    switch (answer) {
    case AUTH_RIGHT:
        return;
    case AUTH_WRONG:
        guard_refuse(req, true);
        return;
    case AUTH_TOO_OFTEN:
        guard_too_often(req);
        return;
    case AUTH_BUSY:
        http_fail(req, 503, "53300", "too many logins at once: try again");
        return;
    }
}

/* ---- requests ---- */

/* What the head of a request says of where the request ends. */
struct guard_framing {
    unsigned lengths;
    unsigned encodings;
    bool odd; /* a field that others may read as one of these, or an encoding other than chunked */
};

/* Is it a token as RFC 9110, 5.6.2 has it? A blank before the colon is none. */
static bool guard_is_token(const char *name)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    return *name && name[strspn(name, token)] == '\0';
}

/* libmicrohttpd appends a line that begins with a blank, the continuation of the one before, to the
 * name of the field, if not to its value: so a name that only begins like the two that count. */
static enum MHD_Result
guard_field(void *cls, enum MHD_ValueKind kind DN_UNUSED, const char *name, const char *value)
{
    static const char length[] = "Content-Length";
    static const char encoding[] = "Transfer-Encoding";
    struct guard_framing *f = cls;

    if (strcasecmp(name, length) == 0) {
        f->lengths++;
    } else if (strcasecmp(name, encoding) == 0) {
        f->encodings++;
        f->odd = f->odd || !value || strcasecmp(value, "chunked") != 0;
    } else {
        f->odd = f->odd || !guard_is_token(name) ||
                 strncasecmp(name, length, sizeof length - 1) == 0 ||
                 strncasecmp(name, encoding, sizeof encoding - 1) == 0;
    }
    return MHD_YES;
}

/* A request whose end the server and a proxy before it could see in different places carries
 * another request inside (smuggling). */
static bool guard_framing(struct http_req *req)
{
    struct guard_framing f = {.odd = false};

    DN_IGNORE(MHD_get_connection_values(req->conn, MHD_HEADER_KIND, guard_field, &f));
    if (f.lengths + f.encodings <= 1 && !f.odd)
        return true;
    http_fail(req,
              400,
              "08P01",
              f.odd
                  ? "a field of the request's head has a name that is none, or an encoding that is "
                    "not chunked"
                  : "a request has one Content-Length, or Transfer-Encoding, and not both");
    req->close = true;
    return false;
}

bool http_guard(struct http_req *req)
{
    const char *host = http_request_header(req, "Host");
    const char *site = http_request_header(req, "Sec-Fetch-Site");
    const char *origin = http_request_header(req, "Origin");
    bool reads = strcmp(req->route->method, "GET") == 0;

    if (!guard_framing(req))
        return false;
    if (http_request_header_count(req, "Host") > 1) {
        http_fail(req, 400, "08P01", "a request has one Host");
        req->close = true;
        return false;
    }
    if (!req->h->opt.insecure && host && !auth_asks(server_auth(req->h->srv)) &&
        !guard_host_safe(req, host)) {
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
    return true;
}

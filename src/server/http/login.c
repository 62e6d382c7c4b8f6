/* SPDX-License-Identifier: Apache-2.0
 *
 * login.c: GET /api/login says who asks. POST makes a cookie of a name and password, which came as
 * in any other request (guard.c has looked at them); DELETE ends it. The cookie is not for scripts,
 * comes from pages of this server alone, and only counts in requests with X-Requested-With, a
 * header that pages of others cannot send. Its name has the port: servers of one machine share
 * cookies. */
#include "engine/engine.h"
#include "server/http/http_int.h"
#include "server/http/logins.h"

#include "server/server.h"

#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

static void login_cookie(struct http_req *req, const char *token, const char *more)
{
    http_header(req,
                "Set-Cookie",
                HTTP_COOKIE "%d=%s; Path=/; HttpOnly; SameSite=Strict%s%s",
                req->h->port,
                token,
                req->h->tls ? "; Secure" : "",
                more);
}

static const char *login_token(const struct http_req *req)
{
    char name[sizeof(HTTP_COOKIE) + 16];

    snprintf(name, sizeof name, HTTP_COOKIE "%d", req->h->port);
    return MHD_lookup_connection_value(req->conn, MHD_COOKIE_KIND, name);
}

bool http_login_cookie(struct http_req *req)
{
    struct http_logins *logins = req->h->logins;
    const char *token = login_token(req);
    struct engine_login role;

    if (!token || !http_request_header(req, "X-Requested-With") ||
        !http_logins_role(logins, token, server_now_ns(req->h->srv), req->user))
        return false;
    engine_login(server_db(req->h->srv), req->user, &role);
    return role.known && role.login && !role.expired &&
           http_logins_fits(logins, token, role.verifier);
}

static void login_answer(struct http_req *req, bool cookie)
{
    buf_puts(&req->out, "{\"user\":");
    http_json_text(&req->out, req->user, strlen(req->user));
    buf_printf(&req->out, ",\"cookie\":%s}\n", cookie ? "true" : "false");
    http_reply(req, 200, "application/json", NULL);
}

void http_run_whoami(struct http_req *req)
{
    login_answer(req, login_token(req) != NULL);
}

void http_run_login(struct http_req *req)
{
    char token[HTTP_TOKEN_LEN + 1];
    struct engine_login role;

    engine_login(server_db(req->h->srv), req->user, &role);
    if (role.passwords) { /* otherwise everybody on this machine is in */
        if (!http_logins_add(
                req->h->logins, req->user, role.verifier, server_now_ns(req->h->srv), token)) {
            http_fail(req, 503, "53000", "there is no randomness for a login: try again");
            return;
        }
        login_cookie(req, token, "");
    }
    login_answer(req, role.passwords);
}

void http_run_logout(struct http_req *req)
{
    const char *token = login_token(req);

    if (token)
        http_logins_end(req->h->logins, token);
    login_cookie(req, "", "; Max-Age=0");
    http_reply(req, 200, "application/json", "{}\n");
}

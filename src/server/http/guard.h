/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.h: who may ask. The thread that has the request: libmicrohttpd's, but http_login_work, a
 * worker's. */
#pragma once

#include <stdbool.h>

struct http_req;

/* May this request be answered at all? False: it has been refused. */
bool http_guard(struct http_req *req);
/* Who is it? The one place where names, passwords and tokens are looked at; sets user. */
enum http_login {
    HTTP_LOGIN_IN,
    HTTP_LOGIN_REFUSED, /* it has been answered */
    HTTP_LOGIN_WORK,    /* a worker has to look at its password: http_login_work */
};
enum http_login http_login_begin(struct http_req *req);
void http_login_work(struct http_req *req);   /* status stays 0: it is in */
void http_login_forget(struct http_req *req); /* the password, if there is one */

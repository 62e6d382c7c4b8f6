/* SPDX-License-Identifier: Apache-2.0
 *
 * What the doors of the console answer: with a list of its own, and with none, as a program that
 * was built without Node.js has it. */
#include "server/http/console.h"
#include "server/http/http_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* "hello\n", packed by gzip. */
static const uint8_t hello[] = {0x1f, 0x8b, 8,    0,    0,    0,    0,    0, 2,
                                0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 2, 0,
                                0x20, 0x30, 0x3a, 0x36, 6,    0,    0,    0};

/* clang-format off */
const struct http_console_asset http_console_assets[] = {
    {.name = "", .type = "text/html", .etag = "\"aa\"", .packed = hello, .packed_len = sizeof hello, .len = 6},
    {.name = "app-1.js", .type = "text/javascript", .etag = "\"bb\"", .packed = hello,
     .packed_len = sizeof hello, .len = 6, .forever = true},
    {.name = "bad.js", .type = "text/javascript", .etag = "\"cc\"", .packed = hello,
     .packed_len = sizeof hello - 9, .len = 6},
    {.name = NULL},
};
/* clang-format on */
const char http_console_missing[] = "";
static const struct http_console_asset none[] = {{.name = NULL}};

/* ---- stand-ins for the rest of HTTP ---- */

static const char *accept_encoding;
static const char *if_none_match;

const char *http_request_header(const struct http_req *req DN_UNUSED, const char *name)
{
    return strcmp(name, "If-None-Match") == 0 ? if_none_match : accept_encoding;
}

void http_header(struct http_req *req, const char *name, const char *fmt, ...)
{
    struct http_header *to = &req->headers[req->headers_count++];
    va_list args;
    int n;

    assert_in_range(req->headers_count, 1, HTTP_HEADERS_MAX);
    to->name = name;
    va_start(args, fmt);
    n = vsnprintf(to->value, sizeof to->value, fmt, args);
    va_end(args);
    assert_in_range(n, 1, sizeof to->value - 1); /* nothing is cut off */
}

void http_reply(struct http_req *req, unsigned status, const char *type, const char *text)
{
    assert_null(text);
    req->status = status;
    req->type = type;
}

void http_fail(struct http_req *req, unsigned status, const char *sqlstate, const char *fmt, ...)
{
    assert_non_null(sqlstate);
    assert_non_null(fmt);
    buf_reset(&req->out);
    req->status = status;
}

/* ---- cases ---- */

static const char *header_of(const struct http_req *req, const char *name)
{
    for (unsigned i = 0; i < req->headers_count; i++)
        if (strcmp(req->headers[i].name, name) == 0)
            return req->headers[i].value;
    return NULL;
}

/* The answer at a name; its body is text if it ends in NUL. */
static struct http_req *ask(const char *name, const char *accept, const char *has)
{
    static struct http_req req;

    buf_done(&req.out);
    memset(&req, 0, sizeof req);
    buf_init(&req.out, NULL);
    accept_encoding = accept;
    if_none_match = has;
    http_console_answer(&req, http_console_assets, http_console_missing, name);
    return &req;
}

static void packed_and_unpacked(void **state DN_UNUSED)
{
    struct http_req *req = ask("", "br, gzip, deflate", NULL);

    assert_int_equal(req->status, 200);
    assert_string_equal(header_of(req, "Content-Encoding"), "gzip");
    assert_int_equal(req->out.len, sizeof hello);
    assert_string_equal(req->cache, "no-cache");
    assert_non_null(strstr(header_of(req, "Content-Security-Policy"), "frame-ancestors 'none'"));
    for (int i = 0; i < 3; i++) {
        static const char *const without[] = {NULL, "identity", "gzip;q=0, identity"};

        req = ask("", without[i], NULL);
        assert_int_equal(req->status, 200);
        assert_null(header_of(req, "Content-Encoding"));
        assert_int_equal(req->out.len, 6);
        assert_memory_equal(req->out.data, "hello\n", 6);
    }
    assert_int_equal(ask("bad.js", NULL, NULL)->status, 503);
    buf_done(&req->out);
}

static void kept_copies(void **state DN_UNUSED)
{
    struct http_req *req = ask("", "gzip", "\"aa\"");

    assert_int_equal(req->status, 304);
    assert_int_equal(req->out.len, 0);
    assert_string_equal(header_of(req, "ETag"), "\"aa\"");
    assert_int_equal(ask("", "gzip", "W/\"zz\", \"aa\"")->status, 304);
    assert_int_equal(ask("", "gzip", "\"bb\"")->status, 200);
    req = ask("app-1.js", "gzip", NULL);
    assert_string_equal(req->cache, "public, max-age=31536000, immutable");
    assert_int_equal(ask("app-2.js", "gzip", NULL)->status, 404);
    buf_done(&req->out);
}

static void without_a_console(void **state DN_UNUSED)
{
    struct http_req req = {.status = 0};

    buf_init(&req.out, NULL);
    http_console_answer(&req, none, "Node.js was not there", "");
    assert_int_equal(req.status, 404);
    assert_string_equal(req.type, "text/plain; charset=utf-8");
    buf_u8(&req.out, 0);
    assert_non_null(strstr((char *)req.out.data, "Node.js was not there.\n"));
    assert_non_null(strstr((char *)req.out.data, "apt-get install nodejs npm\n"));
    http_console_answer(&req, none, "Node.js was not there", "app.js");
    assert_int_equal(req.status, 404);
    assert_int_equal(req.out.len, 0);
    buf_done(&req.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_and_unpacked),
        cmocka_unit_test(kept_copies),
        cmocka_unit_test(without_a_console),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

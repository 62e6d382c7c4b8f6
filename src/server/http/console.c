/* SPDX-License-Identifier: Apache-2.0
 *
 * console.c: GET / and /console/NAME. The page may load and ask nothing but this server, and nobody
 * may put it into a page of theirs; it has no inline script and no inline style. */
#define ZLIB_CONST /* its input is not changed */
#include "server/http/console.h"
#include "server/http/http_int.h"

#include <string.h>
#include <zlib.h>

#define CONSOLE_POLICY                                                                      \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " \
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
#define CONSOLE_GZIP (16 + MAX_WBITS) /* zlib's way to ask for gzip's frame */

static const struct http_console_asset *console_find(const struct http_console_asset *list,
                                                     const char *name)
{
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

static void console_none(struct http_req *req, const char *missing)
{
    buf_printf(
        &req->out,
        "Dendro runs, and answers SQL here (POST /api/sql), but this program has no web console:\n"
        "%s.\n\n"
        "To have one, install Debian's nodejs and npm, remove the build directory and build "
        "again:\n\n"
        "    apt-get install nodejs npm\n"
        "    rm -rf build/release && ./dev build\n\n"
        "Without it: psql, dendro sql, or curl -d 'SELECT 1' on /api/sql.\n",
        missing);
    http_reply(req, 404, "text/plain; charset=utf-8", NULL);
}

/* Does the client take gzip? "gzip;q=0" says that it does not. */
static bool console_takes_gzip(const struct http_req *req)
{
    const char *accept = http_request_header(req, "Accept-Encoding");
    const char *at = accept ? strstr(accept, "gzip") : NULL;

    return at && strncmp(at + 4, ";q=0", 4) != 0;
}

/* False: out of memory, the only thing that can go wrong with our own bytes. */
static bool console_unpack(struct http_req *req, const struct http_console_asset *a)
{
    z_stream z = {.next_in = a->packed, .avail_in = (uInt)a->packed_len};
    uint8_t *to = buf_extend(&req->out, a->len);
    int rc;

    if (!to || inflateInit2(&z, CONSOLE_GZIP) != Z_OK)
        return false;
    z.next_out = to;
    z.avail_out = (uInt)a->len;
    rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return rc == Z_STREAM_END && z.avail_out == 0;
}

void http_console_answer(struct http_req *req,
                         const struct http_console_asset *list,
                         const char *missing,
                         const char *name)
{
    const struct http_console_asset *a = console_find(list, name);
    const char *has = http_request_header(req, "If-None-Match");

    if (!a && name[0] == '\0') {
        console_none(req, missing);
        return;
    }
    if (!a) {
        http_fail(req, 404, "42P01", "the console has no %.100s", name);
        return;
    }
    req->cache = a->forever ? "public, max-age=31536000, immutable" : "no-cache";
    http_header(req, "ETag", "%s", a->etag);
    http_header(req, "Vary", "Accept-Encoding");
    http_header(req, "Content-Security-Policy", "%s", CONSOLE_POLICY);
    http_header(req, "Referrer-Policy", "no-referrer");
    http_header(req, "Cross-Origin-Opener-Policy", "same-origin");
    if (has && strstr(has, a->etag)) {
        http_reply(req, 304, NULL, NULL);
        return;
    }
    if (console_takes_gzip(req)) {
        http_header(req, "Content-Encoding", "gzip");
        buf_append(&req->out, a->packed, a->packed_len);
    } else if (!console_unpack(req, a)) {
        http_fail(req, 503, "53200", "out of memory");
        return;
    }
    http_reply(req, 200, a->type, NULL);
}

void http_run_console(struct http_req *req)
{
    http_console_answer(req, http_console_assets, http_console_missing, req->rest);
}

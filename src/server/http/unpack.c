/* SPDX-License-Identifier: Apache-2.0
 *
 * unpack.c: bodies as they come, gzip, deflate and zstd unpacked on the way. The limit holds for
 * what they unpack to: a small body cannot become a big one. */
#include "server/http/unpack.h"
#include "server/http/http_int.h"

#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#define UNPACK_STEP ((size_t)256 << 10)

enum unpack_how { UNPACK_NONE, UNPACK_ZLIB, UNPACK_ZSTD };

struct http_unpack {
    enum unpack_how how;
    z_stream z;
    ZSTD_DStream *zstd;
    bool whole; /* the packed bytes came to their end */
};

static bool unpack_too_big(struct http_req *req)
{
    http_fail(req,
              413,
              "54000",
              "the body is longer than %llu bytes: send it in parts",
              (unsigned long long)req->body_max);
    return false;
}

static bool unpack_nomem(struct http_req *req)
{
    http_fail(req, 503, "53200", "no memory for the body of the request now");
    return false;
}

bool http_unpack_begin(struct http_req *req, const char *encoding)
{
    enum unpack_how how = UNPACK_NONE;
    struct http_unpack *u;

    if (!encoding || strcasecmp(encoding, "identity") == 0)
        return true;
    if (strcasecmp(encoding, "gzip") == 0 || strcasecmp(encoding, "x-gzip") == 0 ||
        strcasecmp(encoding, "deflate") == 0)
        how = UNPACK_ZLIB;
    else if (strcasecmp(encoding, "zstd") == 0)
        how = UNPACK_ZSTD;
    if (how == UNPACK_NONE) {
        http_fail(req,
                  415,
                  "0A000",
                  "Content-Encoding %.40s is not known; gzip, deflate and zstd are",
                  encoding);
        return false;
    }
    u = req->unpack = mem_calloc(&req->h->owner, 1, sizeof(*u));
    if (!u)
        return unpack_nomem(req);
    u->how = how;
    if (how == UNPACK_ZSTD) {
        u->zstd = ZSTD_createDStream();
        return u->zstd || unpack_nomem(req);
    }
    if (inflateInit2(&u->z, 15 + 32) != Z_OK) { /* gzip or zlib, as its head says */
        u->how = UNPACK_NONE;
        return unpack_nomem(req);
    }
    return true;
}

void http_unpack_free(struct http_unpack *u)
{
    if (!u)
        return;
    if (u->how == UNPACK_ZLIB)
        inflateEnd(&u->z);
    ZSTD_freeDStream(u->zstd);
    mem_free(u);
}

/* Room for more, within the limit. */
static uint8_t *unpack_room(struct http_req *req, size_t *ret_len)
{
    uint64_t left = req->body_max - req->body.len;
    size_t n = left < UNPACK_STEP ? (size_t)left : UNPACK_STEP;

    if (n == 0) {
        unpack_too_big(req);
        return NULL;
    }
    if (!buf_reserve(&req->body, n)) {
        unpack_nomem(req);
        return NULL;
    }
    *ret_len = n;
    return req->body.data + req->body.len;
}

static bool unpack_damaged(struct http_req *req)
{
    http_fail(req, 400, "22P04", "the body is not what its Content-Encoding says, or is damaged");
    return false;
}

/* Bytes that were taken and made; false: damaged. */
static bool
unpack_step(struct http_unpack *u, const uint8_t *in, size_t *io_in, uint8_t *out, size_t *io_out)
{
    if (u->how == UNPACK_ZLIB) {
        int rc;

        if (u->whole && inflateReset(&u->z) != Z_OK) /* another member of the same file */
            return false;
        u->z.next_in = (Bytef *)(uintptr_t)in;
        u->z.avail_in = (uInt)*io_in;
        u->z.next_out = out;
        u->z.avail_out = (uInt)*io_out;
        rc = inflate(&u->z, Z_NO_FLUSH);
        *io_in -= u->z.avail_in;
        *io_out -= u->z.avail_out;
        u->whole = rc == Z_STREAM_END;
        return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR;
    }
    {
        ZSTD_inBuffer from = {.src = in, .size = *io_in, .pos = 0};
        ZSTD_outBuffer to = {.dst = out, .size = *io_out, .pos = 0};
        size_t rc = ZSTD_decompressStream(u->zstd, &to, &from);

        *io_in = from.pos;
        *io_out = to.pos;
        u->whole = rc == 0;
        return !ZSTD_isError(rc);
    }
}

bool http_unpack_add(struct http_req *req, const void *bytes, size_t len)
{
    struct http_unpack *u = req->unpack;
    const uint8_t *in = bytes;

    if (!u) {
        if (len > req->body_max - req->body.len)
            return unpack_too_big(req);
        buf_append(&req->body, bytes, len);
        return !req->body.failed || unpack_nomem(req);
    }
    for (;;) {
        size_t took = len, made;
        uint8_t *to = unpack_room(req, &made);
        size_t room = made;

        if (!to)
            return false;
        if (!unpack_step(u, in, &took, to, &made))
            return unpack_damaged(req);
        req->body.len += made;
        in += took;
        len -= took;
        if (len == 0 && (made < room || u->whole))
            return true;
        if (took == 0 && made == 0) /* with nothing left to take: all of it came out before */
            return len == 0 || unpack_damaged(req);
    }
}

bool http_unpack_end(struct http_req *req)
{
    if (req->unpack && !req->unpack->whole && req->body_in > 0)
        return unpack_damaged(req);
    return true;
}

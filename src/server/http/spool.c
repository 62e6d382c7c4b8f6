/* SPDX-License-Identifier: Apache-2.0
 *
 * spool.c: a body that may be longer than memory is wide: what is more than a few megabytes goes to
 * a private file on the database's disk, and can be read as often as need be. It is limited by the
 * disk alone. */
#include "server/http/spool.h"
#include "engine/engine.h"
#include "server/server.h"

#include <string.h>

#define SPOOL_BYTES ((size_t)4 << 20) /* that stay in memory */

static bool spool_fail(struct http_req *req, int rc, const struct dn_err *err)
{
    if (rc == DN_E_NOSPC)
        http_fail(req, 507, "53100", "no space on the server's disk for the body of the request");
    else
        http_fail(req, 503, "58030", "the body of the request cannot be kept: %s", err->text);
    return false;
}

/* What is in memory goes to the file. */
static bool spool_out(struct http_req *req)
{
    uint64_t at = 0;
    struct dn_err err;
    int rc = 0;

    dn_err_clear(&err);
    if (!req->spool)
        rc = engine_scratch(server_db(req->h->srv), &req->spool, &err);
    if (rc == 0)
        rc = volume_scratch_append(req->spool, req->body.data, req->body.len, &at, &err);
    if (rc < 0)
        return spool_fail(req, rc, &err);
    DN_ASSERT(at == req->spooled); /* nobody else writes to it */
    req->spooled += req->body.len;
    buf_reset(&req->body);
    return true;
}

bool http_spool_add(struct http_req *req, const void *bytes, size_t len)
{
    buf_append(&req->body, bytes, len);
    if (req->body.failed) {
        http_fail(req, 503, "53200", "no memory for the body of the request now");
        return false;
    }
    return req->body.len < SPOOL_BYTES || spool_out(req);
}

int http_spool_read(
    struct http_req *req, uint64_t at, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    bool filed = at < req->spooled;
    uint64_t left = (filed ? req->spooled : req->spooled + req->body.len) - at;
    int rc = 0;

    len = len < left ? len : (size_t)left;
    *ret_len = len;
    if (filed)
        rc = volume_scratch_read(req->spool, at, to, len, err);
    else if (len > 0)
        memcpy(to, req->body.data + (at - req->spooled), len);
    return rc;
}

void http_spool_free(struct http_req *req)
{
    volume_scratch_close(req->spool);
    req->spool = NULL;
}

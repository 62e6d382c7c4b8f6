/* SPDX-License-Identifier: Apache-2.0
 *
 * spool.h: bodies that may be longer than memory is wide. Whoever has the request. */
#pragma once

#include "server/http/http_int.h"

bool http_spool_add(struct http_req *req, const void *bytes, size_t len);
/* Bytes of the body from an offset on, wherever they are; 0: its end. */
int http_spool_read(struct http_req *req,
                    uint64_t at,
                    void *to,
                    size_t len,
                    size_t *ret_len,
                    struct dn_err *err) DN_MUST_CHECK;
void http_spool_free(struct http_req *req);

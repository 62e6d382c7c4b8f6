/* SPDX-License-Identifier: Apache-2.0
 *
 * unpack.h: bodies as they come, unpacked on the way. The thread that has the request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct http_req;
struct http_unpack;

/* encoding: of the header; NULL: none. False: it was answered. */
bool http_unpack_begin(struct http_req *req, const char *encoding);
bool http_unpack_add(struct http_req *req, const void *bytes, size_t len);
/* All is there: is it whole? */
bool http_unpack_end(struct http_req *req);
void http_unpack_free(struct http_unpack *u); /* NULL is fine */

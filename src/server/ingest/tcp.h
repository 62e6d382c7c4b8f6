/* SPDX-License-Identifier: Apache-2.0
 *
 * tcp.h: line protocol straight over a connection. Lines that came together are written together.
 * A line that is refused is told, `E <number of the line> <why>`, and the others go on; nothing is
 * said of those that were written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conn_ops;

extern const struct conn_ops ingest_tcp_ops;

/* Is the first line "auth NAME:PASSWORD", or may it become that? n > 0 bytes are there. *ret_len:
 * of the line, 0 = it is not whole yet; when it is, what follows "auth " is in `to`, ended by 0. A
 * line with a zero byte is none; a carriage return at its end is not part of it. */
bool ingest_tcp_auth(const uint8_t *in, size_t n, char *to, size_t room, size_t *ret_len);

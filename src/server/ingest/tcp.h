/* SPDX-License-Identifier: Apache-2.0
 *
 * tcp.h: line protocol straight over a connection. Lines that came together are written together.
 * A line that is refused is told, `E <number of the line> <why>`, and the others go on; nothing is
 * said of those that were written. */
#pragma once

struct conn_ops;

extern const struct conn_ops ingest_tcp_ops;

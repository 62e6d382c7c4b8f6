/* SPDX-License-Identifier: Apache-2.0
 *
 * pgwire.h: PostgreSQL's protocol, version 3, over a connection: the server's contract with psql
 * and drivers. README.md has the states. */
#pragma once

struct conn_ops;

extern const struct conn_ops pgw_ops;

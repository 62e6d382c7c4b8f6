/* SPDX-License-Identifier: Apache-2.0
 *
 * pressure.h: commits of sessions, and what happens when memory_limit is reached on the way to one:
 *
 *     pressure_begin
 *     do rc = what may be done again
 *     while (rc < 0 && (rc = pressure_relieve(…, rc, …)) == 0)
 *
 * The session's thread. */
#pragma once

#include "base/err.h"
#include "store/shard.h"

#include <stddef.h>

struct dendro_conn;
struct shard_batch;

/* How a session commits. */
struct shard_how session_how(struct dendro_conn *conn, bool sync);
/* Commits batches with the session's synchronous_commit and cancel flag, after
 * engine_write_ready for the table of the first; in a transaction block they go with the block.
 * Rows that come too late are refused or left out. */
int session_commit(struct dendro_conn *conn,
                   const struct shard_batch *batches,
                   size_t count,
                   struct dn_err *err) DN_MUST_CHECK;

struct pressure {
    uint64_t refused;  /* by the limit, before */
    uint64_t since_ns; /* of the first relief */
    int tries;
};
void pressure_begin(struct pressure *p, const struct dendro_conn *conn);
/* 0: it was over memory_limit, but memory was given back or others may do so: try again. Else rc,
 * or why there is no waiting for memory. own_bytes: what it holds itself; nobody waits for
 * something that is too big for the limit. */
int pressure_relieve(struct pressure *p,
                     struct dendro_conn *conn,
                     size_t own_bytes,
                     int rc,
                     struct dn_err *err) DN_MUST_CHECK;

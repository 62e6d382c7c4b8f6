/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.h: the one way of rows to the log. INSERT, UPDATE, DELETE, COPY, MERGE, ON CONFLICT,
 * appenders, line protocol and loads of few rows all hand their batches to session_commit:
 *
 *     late rows        refused, or taken out                          intake_late.h
 *     in a block       the block's own rows, until COMMIT             transaction.h
 *     else             each batch to the table that is right now      route.h
 *                      one record of the log, one sequence            store/shard.h
 *
 * The session's thread. */
#pragma once

#include "base/err.h"
#include "store/shard.h"

struct dendro_conn;
struct shard_batch;

/* How a session commits. */
struct shard_how session_how(struct dendro_conn *conn, bool sync);
/* Commits batches, whole or not at all, with the session's synchronous_commit and cancel flag; in a
 * transaction block they go with the block. Rows that come too late are refused or left out.
 * DN_E_CONFLICT: another session was first, with a batch that has a check_seq; DN_E_TABLE_CHANGED:
 * a table was altered, dropped or emptied meanwhile. Nothing was written then. */
int session_commit(struct dendro_conn *conn,
                   const struct shard_batch *batches,
                   size_t count,
                   struct dn_err *err) DN_MUST_CHECK;
/* The rows of the session's block, which has changed no table, as one commit. Rows that it inserted
 * into shards that have gone meanwhile go to the newest ones. Fails as session_commit does. */
int commit_block(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;

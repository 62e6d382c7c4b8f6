/* SPDX-License-Identifier: Apache-2.0
 *
 * intake_late.h: rows for times before the horizon of their table, or too far ahead of the clock
 * (store/late.h), found before the
 * commit finds them: with words that fit the statement, and before RETURNING and ON CONFLICT look
 * at them. The definition that a statement holds may have an older horizon than the shard: what
 * passes here is looked at again by the commit.
 *
 * The session's thread. */
#pragma once

#include "engine/intake.h"

/* Rows before the horizon of the table, or too far ahead of the clock, are an error (in_order:
 * their number in the statement is said), or left out of the batch, whose vectors then lie in the
 * arena. */
int intake_late(const struct intake_run *run,
                bool in_order,
                struct arena *arena,
                struct shard_batch *b,
                struct dn_err *err) DN_MUST_CHECK;
/* The same for all batches of a commit; none may be left. What is left out counts. */
int session_late(struct dendro_conn *conn,
                 const struct shard_batch **batches,
                 size_t *count,
                 struct arena *arena,
                 struct dn_err *err) DN_MUST_CHECK;
/* Tells how many rows were left out since it was last called; and, only for the database's count:
 */
void session_late_notice(struct dendro_conn *conn);
void session_late_count(struct dendro_conn *conn);

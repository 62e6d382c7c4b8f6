/* SPDX-License-Identifier: Apache-2.0
 *
 * late.h: rows for times before the horizon of their table (catalog/retention.h). The commit is
 * where it counts: shard_write refuses them or, if the table says so, leaves them out, by the
 * horizon that the shard's catalog has then. Whoever asks before has better words for it.
 *
 * Any thread. */
#pragma once

#include "base/arena.h"
#include "store/shard.h"

/* Can a batch have any? Deletes of what is gone change nothing. */
static inline bool late_may(const struct shard_batch *b, int64_t horizon)
{
    return horizon != RETENTION_NO_HORIZON && (b->op == ROW_PUT || b->op == ROW_PATCH) &&
           b->table->time_col >= 0;
}
/* The first row from `from` on that is; b->rows: none. The table has a time column. */
uint32_t late_next(const struct shard_batch *b, int64_t horizon, uint32_t from);
/* DN_E_LATE_ROW; the caller says which row it is. */
int late_fail(const struct table *t, int64_t horizon, int64_t time, struct dn_err *err);
/* The batch without them, which may leave no row; new vectors and row ids lie in the arena. */
int late_drop(const struct shard_batch *b,
              int64_t horizon,
              struct arena *arena,
              struct shard_batch *ret,
              struct dn_err *err) DN_MUST_CHECK;

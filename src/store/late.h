/* SPDX-License-Identifier: Apache-2.0
 *
 * late.h: rows for times before the horizon of their table (catalog/retention.h). The commit is
 * where it counts: shard_write refuses them or, if the table says so, leaves them out, by the
 * horizon that the shard's catalog has then. Callers that ask before have better words for it.
 *
 * Rows too far ahead of the clock (future_limit) are found by the same functions, but only before
 * the commit: time goes on, so that what was not too far ahead then is not at the commit.
 *
 * Any thread. */
#pragma once

#include "base/arena.h"
#include "store/shard.h"

/* The times that a table takes, both included. */
struct late_span {
    int64_t from; /* the horizon */
    int64_t to;
};
/* By the horizon of that definition alone: what the commit looks at. */
static inline struct late_span late_span_horizon(const struct table *t)
{
    return (struct late_span){.from = t->horizon, .to = INT64_MAX};
}
/* Also by the clock, volume_latest_ns(): a clock that was set back refuses nothing. */
static inline struct late_span late_span_at(const struct table *t, int64_t now_ns)
{
    return (struct late_span){.from = t->horizon, .to = retention_latest(t, now_ns)};
}

/* Can a batch have rows outside of it? Deletes of what is gone change nothing. */
static inline bool late_may(const struct shard_batch *b, struct late_span span)
{
    return (span.from != RETENTION_NO_HORIZON || span.to != INT64_MAX) &&
           (b->op == ROW_PUT || b->op == ROW_PATCH) && b->table->time_col >= 0;
}
/* The first row from `from` on that is; b->rows: none. The table has a time column. */
uint32_t late_next(const struct shard_batch *b, struct late_span span, uint32_t from);
/* DN_E_LATE_ROW, or DN_E_FUTURE_ROW if the time is beyond the span; the caller says which row it
 * is. */
int late_fail(const struct table *t, struct late_span span, int64_t time, struct dn_err *err);
/* The batch without them, which may leave no row; new vectors and row ids lie in the arena. */
int late_drop(const struct shard_batch *b,
              struct late_span span,
              struct arena *arena,
              struct shard_batch *ret,
              struct dn_err *err) DN_MUST_CHECK;

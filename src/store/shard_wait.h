/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_wait.h: when the background flushes, and waiting for it. Part of shard_int.h; any thread,
 * as far as locks allow. */
#pragma once

#include "base/err.h"

#include <stdatomic.h>

struct sched_cond;
struct shard;

/* Lock held: is it time to flush the active set? */
bool shard_set_full(const struct shard *s);
void shard_flush_kick(struct shard *s);  /* lock held: starts a background flush if one is due */
void shard_flush_start(struct shard *s); /* lock held: starts one unless one runs */
int shard_check_cancel(const atomic_bool *cancel, struct dn_err *err) DN_MUST_CHECK;
/* Lock held: until something changes, or it is time to look at the flag. */
void shard_wait(struct shard *s, const atomic_bool *cancel);
void shard_wait_at(struct shard *s, struct sched_cond *cond, const atomic_bool *cancel);
/* Lock held: bytes of fresh rows, those under way to segments too. */
size_t shard_fresh_bytes(const struct shard *s);
/* Lock held: waits while too much awaits its flush. */
int shard_wait_room(struct shard *s, const atomic_bool *cancel, struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_overlap.h: which segments hold rows between those of others. Ranges of times and tokens
 * meet where many series came in order, each at its own pace; what matters to readers is that one
 * series has rows of two segments among each other. That is in their run tables, and does not
 * change, so what was found out of two segments is kept.
 *
 * For whoever merges alone (shard->merging). */
#pragma once

#include "store/shard_int.h"

/* Looks at all segments of a version that may overlap and were not looked at yet. One that cannot
 * be opened, or for which there is no memory, counts as one that does not: whoever reads it is
 * told. Without the lock. */
void shard_overlap_look(struct shard *s, const struct version *v);
/* Does a good part of one of them lie among rows of the other? */
bool shard_overlap_has(const struct shard *s, uint64_t a, uint64_t b);
void shard_overlap_done(struct shard *s);

/* SPDX-License-Identifier: Apache-2.0
 *
 * log_commits.h: the commits of tests/golden/log_v1.bin: every type, NULLs, absent values, a batch
 * with row ids of its own, two batches in a commit, two frames. Asserts with cmocka. */
#pragma once

#include "base/bytes.h"

/* What today's encoder makes of them. */
void log_golden_chunk(struct buf *chunk);
/* tests/golden/log_v2.bin: range tombstones, with rows in the commit beside them. */
void log_golden_ranges(struct buf *chunk);
/* tests/golden/log_v3.bin: a catalog before the rows of its commit. */
void log_golden_catalog(struct buf *chunk);
/* tests/golden/log_v4.bin: rows that expire, beside others. */
void log_golden_expiry(struct buf *chunk);

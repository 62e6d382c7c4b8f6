/* SPDX-License-Identifier: Apache-2.0
 *
 * overlay_check.h: has anybody else changed what a transaction changes? The exact answer, for when
 * the quick one of a commit is only that it cannot be ruled out. One thread at a time. */
#pragma once

#include "store/shard.h"

/* Compares the rows of the batches with check_seq as of the snapshot with what they are now; cat
 * has the definitions that the snapshot is read with. DN_E_CONFLICT: they changed. DN_OK: they did
 * not, and check_seq is now. cancel set: DN_E_CANCELED; NULL = never. */
int overlay_check(struct shard *s,
                  struct snapshot *base,
                  const struct catalog *cat,
                  struct shard_batch *batches,
                  size_t count,
                  const atomic_bool *cancel,
                  struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_commit.h: what commits are asked before they are staged, and who may stage. Part of
 * shard_int.h, which has the locks. */
#pragma once

#include "store/range.h"
#include "store/shard.h"

struct memgroup;
struct version;

/* ---- shard_conflict.c ---- */
/* Token held: may rows of this definition come into the table? Those on their way to memtables have
 * to be of the newest one; those in segments only must not lie in other slabs than it says. cat: of
 * the commit; NULL: the shard's. */
int shard_check_table(const struct shard *s,
                      const struct catalog *cat,
                      const struct table *t,
                      bool stored,
                      struct dn_err *err) DN_MUST_CHECK;
/* late.c: may these rows, of a table that shard_check_table let pass, come in? */
int shard_check_late(const struct shard *s,
                     const struct catalog *cat,
                     const struct shard_batch *b,
                     struct dn_err *err) DN_MUST_CHECK;
/* shard_write_how, but rows before a horizon are an error: DN_E_LATE_ROW. */
int shard_commit(struct shard *s,
                 const struct shard_batch *batches,
                 size_t count,
                 const struct shard_how *how,
                 uint64_t *ret_seq,
                 struct dn_err *err) DN_MUST_CHECK;
/* A column joined the key since the batch was made: its rows cannot be told apart any more. */
int shard_check_key(const struct shard *s, const struct table *t, struct dn_err *err) DN_MUST_CHECK;
/* First committer wins: DN_E_CONFLICT if a row of the batch has a version newer than its check_seq,
 * or may have. */
int shard_check_rows(struct shard *s,
                     const struct shard_batch *b,
                     const atomic_bool *cancel,
                     struct dn_err *err) DN_MUST_CHECK;
/* When the rows of a batch expire, if they do not each: ROW_NEVER or an instant. */
int64_t shard_expiry(const struct shard *s, const struct shard_batch *b);
/* Before a flush or a merge after which deletes up to a sequence may not be found any more: whoever
 * asks what is newer than less than that cannot be told. */
void shard_forget(struct shard *s, uint64_t seq);

/* ---- shard_commit.c ---- */
void shard_token_take(struct shard *s); /* lock held */
/* The same, unless the flag is set first: DN_E_CANCELED. */
int shard_token_want(struct shard *s, const atomic_bool *cancel, struct dn_err *err) DN_MUST_CHECK;
void shard_token_give(struct shard *s); /* lock held */

/* ---- shard_range.c ---- */
/* The token's holder. Was a row of the batch deleted with a range meanwhile? */
int shard_range_newer(struct shard *s,
                      const struct version *v,
                      const struct shard_batch *b,
                      bool *ret_newer,
                      struct dn_err *err) DN_MUST_CHECK;
/* Does it hit this row, whatever its sequence? cols: by table column, those of the key and the
 * time. */
bool shard_range_hits(const struct range_on *g,
                      const struct table *t,
                      const struct vec *cols,
                      uint32_t row);
/* Is a ROW_RANGE batch one for its table, and has nobody changed rows in it? */
int shard_check_range(struct shard *s,
                      const struct catalog *cat,
                      const struct shard_batch *b,
                      struct dn_err *err) DN_MUST_CHECK;
/* A ROW_RANGE batch into the set, unseen. */
int shard_stage_range(struct shard *s,
                      struct memgroup *set,
                      const struct shard_batch *b,
                      uint64_t seq,
                      struct dn_err *err) DN_MUST_CHECK;

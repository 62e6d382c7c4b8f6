/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_set.h: a multiset of values that are asked for by rank: percentiles and mode. A value is a
 * key, 64 bits whose signed order is that of the type. Keys are kept one by one in an array; where
 * the first AGG_SET_TRY show that few are different (percentages, codes, levels of a sensor), in a
 * hash table with their counts for as long as that stays so. Ranks are found by counting keys in
 * ranges that get narrower by a factor of some hundreds each time, so no order of the input is a
 * bad one.
 *
 * One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cancel.h"
#include "base/err.h"

#define AGG_SET_TRY 1024u /* keys after which counting is tried */

struct agg_slot {
    int64_t key;
    uint64_t count; /* 0: free */
};

/* Zeroed memory is an empty one. All memory is the arena's. */
struct agg_set {
    int64_t *keys;          /* one by one; NULL: there are slots, or nothing */
    struct agg_slot *slots; /* a hash table, and behind it room for half as many, to sort them */
    uint64_t used;          /* keys, or slots that are not free */
    uint64_t cap;           /* keys, or slots: a power of two */
    uint64_t total;         /* values */
    uint64_t many;          /* it was tried: they are too different */
};

int agg_set_add(struct agg_set *s,
                const int64_t *keys,
                uint32_t count,
                struct arena *arena,
                struct dn_err *err) DN_MUST_CHECK;
int agg_set_merge(struct agg_set *into,
                  const struct agg_set *from,
                  struct arena *arena,
                  struct dn_err *err) DN_MUST_CHECK;
/* Keys of ranks rank and rank + 1, from 0, rank < total; past the end the last again. */
void agg_set_rank(const struct agg_set *s, uint64_t rank, int64_t ret[2]);
/* The key that is there most often; of several the least, or with desc the greatest. total > 0.
 * DN_E_CANCELED if the flag is set (NULL = never). */
int agg_set_mode(const struct agg_set *s,
                 bool desc,
                 const atomic_bool *cancel,
                 int64_t *ret_key,
                 struct dn_err *err) DN_MUST_CHECK;

void agg_set_save(const struct agg_set *s, struct buf *b);
/* False: the bytes make no sense, or (nomem) there is no memory. */
bool agg_set_load(struct agg_set *s, struct rd *r, struct arena *arena, bool *ret_nomem);

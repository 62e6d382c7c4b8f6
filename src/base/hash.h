/* SPDX-License-Identifier: Apache-2.0
 *
 * hash.h: checksums and hashes (XXH3 from libxxhash), the ring token (Cassandra's Murmur3), and a
 * small open-addressing index from 64-bit hashes to 32-bit ids. Any thread, except struct hidx:
 * one thread at a time. */
#pragma once

#include "base/attr.h"
#include "base/mem.h"

#include <stdbool.h>

/* The checksum of every format on disk: XXH3-64, seed 0; the 32-bit form is its low half. */
uint64_t dn_checksum64(const void *p, size_t n);
uint32_t dn_checksum32(const void *p, size_t n);
uint64_t dn_hash64(const void *p, size_t n, uint64_t seed);
/* Mixes one integer well; for hash tables over numbers. */
static inline uint64_t dn_mix64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

/* Token of a partition key in Cassandra's serialization: first 64 bits of 128-bit x64 Murmur3,
 * seed 0, with the sign-extended tail bytes of Cassandra, INT64_MIN mapped to INT64_MAX. */
int64_t dn_token(const void *data, size_t n);

/* Index: hash -> id. The caller keeps the keys and compares them in `same`. */
struct hidx {
    uint64_t *slots;         /* owned: high 32 bits of the hash, id + 1 below; 0 = empty */
    uint32_t mask;           /* slots - 1 */
    uint32_t used;           /* slots taken */
    struct mem_owner *owner; /* borrowed */
};

typedef bool (*hidx_same_fn)(const void *ctx, const void *key, uint32_t id);

void hidx_init(struct hidx *h, struct mem_owner *owner);
void hidx_done(struct hidx *h);
void hidx_reset(struct hidx *h);
/* The id whose key is the same, or UINT32_MAX. */
uint32_t
hidx_find(const struct hidx *h, uint64_t hash, hidx_same_fn same, const void *ctx, const void *key);
/* The first id whose hash has the same high half, or UINT32_MAX: with a good hash nearly always the
 * one that hidx_find gives. For callers that compare the keys of many rows at a time. */
static inline uint32_t hidx_guess(const struct hidx *h, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & h->mask;

    if (!h->slots)
        return UINT32_MAX;
    while (h->slots[i] && h->slots[i] >> 32 != hash >> 32)
        i = (i + 1) & h->mask;
    return (uint32_t)h->slots[i] - 1; /* of an empty slot that is UINT32_MAX */
}
/* Asks the processor for the slot where the search for a hash begins. */
static inline void hidx_prefetch(const struct hidx *h, uint64_t hash)
{
    if (h->slots)
        __builtin_prefetch(&h->slots[(uint32_t)hash & h->mask]);
}
/* For callers that number ids from 0 on and keep their hashes in an array: room for `more` ids
 * beside those of the `count` that are there, whose hashes these are. Ids whose bit is set in
 * `outside` (NULL = none) have a number, but are not in the index. False when out of memory. */
bool hidx_reserve(struct hidx *h,
                  uint32_t more,
                  const uint64_t *hashes,
                  uint32_t count,
                  const uint64_t *outside) DN_MUST_CHECK;
/* Adds an id that is not there yet, after hidx_reserve. */
static inline void hidx_put(struct hidx *h, uint64_t hash, uint32_t id)
{
    uint32_t i = (uint32_t)hash & h->mask;

    while (h->slots[i])
        i = (i + 1) & h->mask;
    h->slots[i] = (hash >> 32) << 32 | ((uint64_t)id + 1);
    h->used++;
}
/* Adds an id that is not there yet. False when out of memory. `rehash` gives the hash of an id. */
typedef uint64_t (*hidx_hash_fn)(const void *ctx, uint32_t id);
bool hidx_add(struct hidx *h, uint64_t hash, uint32_t id, hidx_hash_fn rehash, const void *ctx)
    DN_MUST_CHECK;

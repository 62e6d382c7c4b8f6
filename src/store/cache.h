/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.h: bytes read from segment objects, kept while they fit a budget. An entry is one column of
 * one block group of one segment, checksums verified. Least recently used entries go first; pinned
 * ones stay, so the budget may be exceeded while much is pinned. A limit of the owner itself should
 * leave room above the budget. Any thread. */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "base/sched.h"

struct cache;
struct cache_entry;

struct cache_key {
    uint64_t segment; /* id, unique in the volume */
    uint32_t group;
    uint32_t column; /* id on disk; or a reserved number for directories */
};

struct cache *cache_new(struct sched *s, struct mem_owner *owner, size_t budget_bytes);
void cache_free(struct cache *c); /* no pins may be left */
void cache_set_budget(struct cache *c, size_t bytes);
/* Gives back all that nobody has pinned: so many bytes. */
size_t cache_empty(struct cache *c);

/* Is an entry of n bytes worth keeping? Not if it takes more than half the budget. */
bool cache_fits(struct cache *c, size_t n);
/* Memory for cache_put, charged to the owner, after making room for it. NULL: out of memory. */
uint8_t *cache_alloc(struct cache *c, size_t n);
/* Bytes that live as long as an open segment (its directories) count against the budget too. */
void cache_charge(struct cache *c, size_t n);
void cache_uncharge(struct cache *c, size_t n);
struct mem_owner *cache_owner(const struct cache *c);

/* The pinned entry, or NULL. */
struct cache_entry *cache_get(struct cache *c, const struct cache_key *key);
/* Takes over `data` (mem_alloc'ed, n bytes) and returns it pinned; if the key came in meanwhile,
 * frees data and returns the other one. NULL: out of memory (data freed). */
struct cache_entry *
cache_put(struct cache *c, const struct cache_key *key, uint8_t *data, size_t n);
const uint8_t *cache_data(const struct cache_entry *e, size_t *ret_n);
void cache_unpin(struct cache *c, struct cache_entry *e); /* NULL is fine */
/* Drops what belongs to a deleted segment (pinned entries go at their last unpin). */
void cache_drop_segment(struct cache *c, uint64_t segment);

struct cache_stats {
    uint64_t hits;
    uint64_t misses;
    uint64_t evicted;
    size_t bytes; /* entries and charged directories */
};
void cache_get_stats(struct cache *c, struct cache_stats *ret);

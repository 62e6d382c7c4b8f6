/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.c: a hash table of entries and a list of those nobody has pinned, oldest use first, both
 * under one mutex.
 *
 * Invariants:
 *   I1  an entry is in the list if and only if it is in the table and has no pins;
 *   I2  bytes = sum of the sizes of all entries in the table, plus what cache_charge holds;
 *   I3  an entry that left the table (its segment was dropped) lives until its last unpin.
 *
 * Evicting looks at the list only, so it takes constant time per entry. */
#include "store/cache.h"

#include "base/hash.h"

#include <string.h>

#define CACHE_BUCKETS_FIRST 64u

struct cache_entry {
    struct cache_key key;
    struct cache_entry *next;  /* in its bucket */
    struct cache_entry *older; /* in the list; NULL at its end */
    struct cache_entry *newer;
    uint8_t *data; /* owned */
    size_t size;   /* bytes of data */
    uint32_t pins;
    bool gone; /* left the table: freed by the last unpin */
};

struct cache {
    struct sched_mutex *lock;     /* owned; guards all below */
    struct mem_owner *owner;      /* borrowed */
    struct cache_entry **buckets; /* owned, mask + 1 of them */
    size_t mask;
    size_t count; /* entries in the table */
    struct cache_entry *oldest;
    struct cache_entry *newest;
    size_t budget; /* bytes */
    struct cache_stats stats;
};

struct cache *cache_new(struct sched *s, struct mem_owner *owner, size_t budget_bytes)
{
    struct cache *c = mem_calloc(owner, 1, sizeof *c);

    if (!c)
        return NULL;
    c->owner = owner;
    c->budget = budget_bytes;
    c->buckets = mem_calloc(owner, CACHE_BUCKETS_FIRST, sizeof(struct cache_entry *));
    c->mask = CACHE_BUCKETS_FIRST - 1;
    c->lock = sched_mutex_new(s, "cache");
    if (!c->buckets || !c->lock) {
        cache_free(c);
        return NULL;
    }
    return c;
}

static void cache_entry_free(struct cache_entry *e)
{
    mem_free(e->data);
    mem_free(e);
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    for (size_t i = 0; c->buckets && i <= c->mask; i++)
        while (c->buckets[i]) {
            struct cache_entry *e = c->buckets[i];

            DN_ASSERT(e->pins == 0);
            c->buckets[i] = e->next;
            cache_entry_free(e);
        }
    if (c->lock)
        sched_mutex_free(c->lock);
    mem_free(c->buckets);
    mem_free(c);
}

static uint64_t cache_hash(const struct cache_key *key)
{
    return dn_mix64(dn_mix64(key->segment) ^ ((uint64_t)key->group << 32 | key->column));
}

/* The link that points to the entry of this key, or to NULL where it would stand. */
static struct cache_entry **cache_find(struct cache *c, const struct cache_key *key)
{
    struct cache_entry **link = &c->buckets[cache_hash(key) & c->mask];

    while (*link && ((*link)->key.segment != key->segment || (*link)->key.group != key->group ||
                     (*link)->key.column != key->column))
        link = &(*link)->next;
    return link;
}

static void cache_list_remove(struct cache *c, struct cache_entry *e)
{
    if (e->older)
        e->older->newer = e->newer;
    else
        c->oldest = e->newer;
    if (e->newer)
        e->newer->older = e->older;
    else
        c->newest = e->older;
    e->older = NULL;
    e->newer = NULL;
}

static void cache_list_append(struct cache *c, struct cache_entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    if (c->newest)
        c->newest->newer = e;
    else
        c->oldest = e;
    c->newest = e;
}

/* Out of the table; the caller frees it or leaves that to the last unpin. */
static void cache_remove(struct cache *c, struct cache_entry *e)
{
    struct cache_entry **link = cache_find(c, &e->key);

    DN_ASSERT(*link == e);
    *link = e->next;
    e->next = NULL;
    if (e->pins == 0)
        cache_list_remove(c, e); /* I1 */
    c->count--;
    c->stats.bytes -= e->size; /* I2 */
}

static bool cache_evict_one(struct cache *c)
{
    struct cache_entry *e = c->oldest;

    if (!e)
        return false;
    cache_remove(c, e);
    cache_entry_free(e);
    c->stats.evicted++;
    return true;
}

/* Makes room for n more bytes as far as pins allow. */
static void cache_make_room(struct cache *c, size_t n)
{
    while (c->stats.bytes + n > c->budget && cache_evict_one(c)) {
    }
}

void cache_set_budget(struct cache *c, size_t bytes)
{
    sched_lock(c->lock);
    c->budget = bytes;
    cache_make_room(c, 0);
    sched_unlock(c->lock);
}

size_t cache_empty(struct cache *c)
{
    size_t before;

    sched_lock(c->lock);
    before = c->stats.bytes;
    while (cache_evict_one(c)) {
    }
    before -= c->stats.bytes;
    sched_unlock(c->lock);
    return before;
}

bool cache_fits(struct cache *c, size_t n)
{
    bool fits;

    sched_lock(c->lock);
    fits = n <= c->budget / 2;
    sched_unlock(c->lock);
    return fits;
}

uint8_t *cache_alloc(struct cache *c, size_t n)
{
    uint8_t *data;

    sched_lock(c->lock);
    cache_make_room(c, n);
    data = mem_alloc(c->owner, n);
    while (!data && cache_evict_one(c)) /* over a limit of the owner: give back what we can */
        data = mem_alloc(c->owner, n);
    sched_unlock(c->lock);
    return data;
}

void cache_charge(struct cache *c, size_t n)
{
    sched_lock(c->lock);
    cache_make_room(c, n);
    c->stats.bytes += n;
    sched_unlock(c->lock);
}

void cache_uncharge(struct cache *c, size_t n)
{
    sched_lock(c->lock);
    DN_ASSERT(c->stats.bytes >= n); /* I2 */
    c->stats.bytes -= n;
    sched_unlock(c->lock);
}

struct mem_owner *cache_owner(const struct cache *c)
{
    return c->owner;
}

static void cache_pin(struct cache *c, struct cache_entry *e)
{
    if (e->pins++ == 0)
        cache_list_remove(c, e); /* I1 */
}

struct cache_entry *cache_get(struct cache *c, const struct cache_key *key)
{
    struct cache_entry *e;

    sched_lock(c->lock);
    e = *cache_find(c, key);
    if (e) {
        cache_pin(c, e);
        c->stats.hits++;
    } else {
        c->stats.misses++;
    }
    sched_unlock(c->lock);
    return e;
}

/* Twice the buckets; when memory is short the chains just get longer. */
static void cache_grow(struct cache *c)
{
    size_t buckets = (c->mask + 1) * 2;
    struct cache_entry **old = c->buckets;
    size_t old_mask = c->mask;
    struct cache_entry **grown = mem_calloc(c->owner, buckets, sizeof(struct cache_entry *));

    if (!grown)
        return;
    c->buckets = grown;
    c->mask = buckets - 1;
    for (size_t i = 0; i <= old_mask; i++)
        while (old[i]) {
            struct cache_entry *e = old[i];
            struct cache_entry **link = &grown[cache_hash(&e->key) & c->mask];

            old[i] = e->next;
            e->next = *link;
            *link = e;
        }
    mem_free(old);
}

struct cache_entry *cache_put(struct cache *c, const struct cache_key *key, uint8_t *data, size_t n)
{
    struct cache_entry *fresh = mem_calloc(c->owner, 1, sizeof *fresh);
    struct cache_entry **link;
    struct cache_entry *e;

    if (!fresh) {
        mem_free(data);
        return NULL;
    }
    *fresh = (struct cache_entry){.key = *key, .data = data, .size = n, .pins = 1};
    sched_lock(c->lock);
    link = cache_find(c, key);
    e = *link;
    if (e) {
        cache_pin(c, e);
    } else {
        cache_make_room(c, n);
        if (c->count > c->mask)
            cache_grow(c);
        link = cache_find(c, key); /* both may have moved it */
        *link = fresh;
        c->count++;
        c->stats.bytes += n; /* I2 */
    }
    sched_unlock(c->lock);
    if (!e)
        return fresh;
    cache_entry_free(fresh);
    return e;
}

const uint8_t *cache_data(const struct cache_entry *e, size_t *ret_n)
{
    *ret_n = e->size;
    return e->data;
}

void cache_unpin(struct cache *c, struct cache_entry *e)
{
    bool last;

    if (!e)
        return;
    sched_lock(c->lock);
    DN_ASSERT(e->pins > 0);
    e->pins--;
    last = e->gone && e->pins == 0; /* I3 */
    if (!e->gone && e->pins == 0) {
        cache_list_append(c, e); /* I1 */
        cache_make_room(c, 0);
    }
    sched_unlock(c->lock);
    if (last)
        cache_entry_free(e);
}

void cache_drop_segment(struct cache *c, uint64_t segment)
{
    sched_lock(c->lock);
    for (size_t i = 0; i <= c->mask; i++) {
        struct cache_entry *e = c->buckets[i];

        while (e) {
            struct cache_entry *next = e->next;

            if (e->key.segment == segment) {
                cache_remove(c, e);
                if (e->pins == 0)
                    cache_entry_free(e);
                else
                    e->gone = true; /* I3 */
            }
            e = next;
        }
    }
    sched_unlock(c->lock);
}

void cache_get_stats(struct cache *c, struct cache_stats *ret)
{
    sched_lock(c->lock);
    *ret = c->stats;
    sched_unlock(c->lock);
}

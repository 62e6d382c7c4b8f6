/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include "base/bytes.h"

#include <string.h>
#include <xxhash.h>

uint64_t dn_checksum64(const void *p, size_t n)
{
    return XXH3_64bits(p, n);
}

uint32_t dn_checksum32(const void *p, size_t n)
{
    return (uint32_t)XXH3_64bits(p, n);
}

uint64_t dn_hash64(const void *p, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(p, n, seed);
}

static inline uint64_t hash_rotl(uint64_t x, unsigned r)
{
    return x << r | x >> (64 - r);
}

static inline uint64_t hash_fmix(uint64_t k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdu;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53u;
    k ^= k >> 33;
    return k;
}

/* A tail byte as Cassandra reads it: a signed char widened before it is shifted. */
static inline uint64_t hash_tail_byte(const uint8_t *p, size_t i)
{
    return (uint64_t)(int64_t)(int8_t)p[i];
}

int64_t dn_token(const void *data, size_t n)
{
    const uint64_t c1 = 0x87c37b91114253d5u;
    const uint64_t c2 = 0x4cf5ad432745937fu;
    const uint8_t *p = data;
    size_t blocks = n / 16;
    const uint8_t *tail = p + blocks * 16;
    size_t left = n & 15;
    uint64_t h1 = 0;
    uint64_t h2 = 0;
    uint64_t k1 = 0;
    uint64_t k2 = 0;

    for (size_t i = 0; i < blocks; i++) {
        uint64_t a = le_get64(p + i * 16) * c1;
        uint64_t b = le_get64(p + i * 16 + 8) * c2;
        h1 ^= hash_rotl(a, 31) * c2;
        h1 = (hash_rotl(h1, 27) + h2) * 5 + 0x52dce729u;
        h2 ^= hash_rotl(b, 33) * c1;
        h2 = (hash_rotl(h2, 31) + h1) * 5 + 0x38495ab5u;
    }
    for (size_t i = left; i > 8; i--)
        k2 ^= hash_tail_byte(tail, i - 1) << (8 * (i - 9));
    if (left > 8)
        h2 ^= hash_rotl(k2 * c2, 33) * c1;
    for (size_t i = left < 8 ? left : 8; i > 0; i--)
        k1 ^= hash_tail_byte(tail, i - 1) << (8 * (i - 1));
    if (left > 0)
        h1 ^= hash_rotl(k1 * c1, 31) * c2;
    h1 ^= n;
    h2 ^= n;
    h1 += h2;
    h2 += h1;
    h1 = hash_fmix(h1);
    h2 = hash_fmix(h2);
    h1 += h2;
    return (int64_t)h1 == INT64_MIN ? INT64_MAX : (int64_t)h1;
}

#define HIDX_SLOTS_FIRST 64u
#define HIDX_AHEAD       16u /* ids whose slots are asked for ahead */

void hidx_init(struct hidx *h, struct mem_owner *owner)
{
    memset(h, 0, sizeof *h);
    h->owner = owner;
}

void hidx_done(struct hidx *h)
{
    mem_free(h->slots);
    h->slots = NULL;
    h->mask = 0;
    h->used = 0;
}

void hidx_reset(struct hidx *h)
{
    if (h->slots)
        memset(h->slots, 0, ((size_t)h->mask + 1) * sizeof *h->slots);
    h->used = 0;
}

uint32_t
hidx_find(const struct hidx *h, uint64_t hash, hidx_same_fn same, const void *ctx, const void *key)
{
    if (!h->slots)
        return UINT32_MAX;
    for (uint32_t i = (uint32_t)hash & h->mask; h->slots[i]; i = (i + 1) & h->mask) {
        uint64_t slot = h->slots[i];
        uint32_t id = (uint32_t)slot - 1;
        if (slot >> 32 == hash >> 32 && same(ctx, key, id))
            return id;
    }
    return UINT32_MAX;
}

static void hidx_place(uint64_t *slots, uint32_t mask, uint64_t hash, uint32_t id)
{
    uint32_t i = (uint32_t)hash & mask;

    while (slots[i])
        i = (i + 1) & mask;
    slots[i] = (hash >> 32) << 32 | ((uint64_t)id + 1);
}

bool hidx_reserve(
    struct hidx *h, uint32_t more, const uint64_t *hashes, uint32_t count, const uint64_t *outside)
{
    size_t slots = h->slots ? (size_t)h->mask + 1 : HIDX_SLOTS_FIRST;
    uint64_t *grown;

    DN_ASSERT(outside ? h->used <= count : count == h->used);
    if ((size_t)count + more > UINT32_C(1) << 31)
        return false;
    while (slots < ((size_t)h->used + more) * 2)
        slots *= 2;
    if (h->slots && slots == (size_t)h->mask + 1)
        return true;
    grown = mem_calloc(h->owner, slots, sizeof *grown);
    if (!grown)
        return false;
    mem_free(h->slots);
    h->slots = grown;
    h->mask = (uint32_t)(slots - 1);
    h->used = 0;
    for (uint32_t id = 0; id < count; id++) {
        if (id + HIDX_AHEAD < count)
            __builtin_prefetch(&grown[(uint32_t)hashes[id + HIDX_AHEAD] & h->mask], 1);
        if (!outside || !(outside[id / 64] >> (id % 64) & 1))
            hidx_put(h, hashes[id], id);
    }
    return true;
}

bool hidx_add(struct hidx *h, uint64_t hash, uint32_t id, hidx_hash_fn rehash, const void *ctx)
{
    DN_ASSERT(id < UINT32_MAX - 1);
    if (!h->slots || h->used >= (h->mask + 1) / 2) {
        size_t count = h->slots ? ((size_t)h->mask + 1) * 2 : HIDX_SLOTS_FIRST;
        uint64_t *slots = mem_calloc(h->owner, count, sizeof *slots);
        if (!slots)
            return false;
        for (size_t i = 0; h->slots && i <= h->mask; i++) {
            if (h->slots[i]) {
                uint32_t old = (uint32_t)h->slots[i] - 1;
                hidx_place(slots, (uint32_t)count - 1, rehash(ctx, old), old);
            }
        }
        mem_free(h->slots);
        h->slots = slots;
        h->mask = (uint32_t)count - 1;
    }
    hidx_place(h->slots, h->mask, hash, id);
    h->used++;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * overlay_keys.c: see the header. */
#include "store/overlay_keys.h"

#include "base/hash.h"
#include "store/rows.h"
#include "vec/normkey.h"

struct overlay_keys {
    const struct table *t; /* borrowed */
    struct mem_owner *owner;
    struct hidx index;
    uint64_t *hashes; /* owned, by id */
    uint32_t count;
    uint32_t cap;
    struct buf key; /* of the row at hand */
    bool failed;    /* there was no memory for one */
};

struct overlay_keys *overlay_keys_new(const struct table *t, struct mem_owner *owner)
{
    struct overlay_keys *k = mem_calloc(owner, 1, sizeof *k);

    if (!k)
        return NULL;
    k->t = t;
    k->owner = owner;
    hidx_init(&k->index, owner);
    buf_init(&k->key, owner);
    return k;
}

void overlay_keys_free(struct overlay_keys *k)
{
    if (!k)
        return;
    hidx_done(&k->index);
    buf_done(&k->key);
    mem_free(k->hashes);
    mem_free(k);
}

static bool keys_same(const void *ctx, const void *key, uint32_t id)
{
    const struct overlay_keys *k = ctx;

    return k->hashes[id] == *(const uint64_t *)key;
}

static uint64_t keys_rehash(const void *ctx, uint32_t id)
{
    const struct overlay_keys *k = ctx;

    return k->hashes[id];
}

static bool keys_find(const struct overlay_keys *k, uint64_t hash)
{
    return hidx_find(&k->index, hash, keys_same, k, &hash) != UINT32_MAX;
}

bool overlay_keys_add(struct overlay_keys *k, const struct memtable *m, uint32_t row)
{
    uint64_t hash;

    buf_reset(&k->key);
    if (k->t->form == KEY_NONE)
        buf_u64(&k->key,
                (uint64_t)memtable_datum(m, row, k->t->columns_count + HIDDEN_ROWID).v.i64);
    for (uint16_t i = 0; i < k->t->local_count; i++) {
        struct datum d = memtable_datum(m, row, k->t->local[i].col);

        normkey_append(&k->key, &d, false);
    }
    if (k->key.failed)
        return false;
    hash = dn_hash64(k->key.data, k->key.len, 0);
    if (keys_find(k, hash))
        return true;
    if (k->count == k->cap) {
        uint32_t cap = k->cap ? k->cap * 2 : 64;
        uint64_t *grown = mem_realloc(k->owner, k->hashes, cap * sizeof *grown);

        if (!grown)
            return false;
        k->hashes = grown;
        k->cap = cap;
    }
    k->hashes[k->count] = hash;
    return hidx_add(&k->index, hash, k->count++, keys_rehash, k);
}

bool overlay_keys_has(struct overlay_keys *k, const struct vec *cols, uint32_t row)
{
    buf_reset(&k->key);
    if (k->t->form == KEY_NONE)
        buf_u64(&k->key, (uint64_t)vec_i64(&cols[k->t->columns_count + HIDDEN_ROWID], row));
    for (uint16_t i = 0; i < k->t->local_count; i++)
        normkey_append_vec(&k->key, &cols[k->t->local[i].col], row, false);
    k->failed = k->failed || k->key.failed;
    return !k->key.failed && keys_find(k, dn_hash64(k->key.data, k->key.len, 0));
}

bool overlay_keys_failed(const struct overlay_keys *k)
{
    return k->failed;
}

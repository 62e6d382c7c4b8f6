/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/key_set.h"

#include "store/rows.h"

struct key_bytes {
    const uint8_t *p;
    size_t len;
};

static struct key_bytes key_at(const struct key_set *k, uint32_t i)
{
    size_t from = i ? k->ends[i - 1] : 0;

    return (struct key_bytes){.p = k->bytes.data + from, .len = k->ends[i] - from};
}

static bool key_same(const void *ctx, const void *key, uint32_t id)
{
    const struct key_bytes *a = key;
    struct key_bytes b = key_at(ctx, id);

    return a->len == b.len && memcmp(a->p, b.p, a->len) == 0;
}

static uint64_t key_hash(const void *ctx, uint32_t id)
{
    struct key_bytes b = key_at(ctx, id);

    return dn_hash64(b.p, b.len, 0);
}

void key_set_init(struct key_set *k, const struct table *t, struct mem_owner *owner)
{
    *k = (struct key_set){.table = t, .owner = owner};
    buf_init(&k->bytes, owner);
    buf_init(&k->probe, owner);
    hidx_init(&k->index, owner);
}

void key_set_done(struct key_set *k)
{
    hidx_done(&k->index);
    buf_done(&k->bytes);
    buf_done(&k->probe);
    mem_free(k->ends);
}

int key_set_find(
    struct key_set *k, const struct vec *cols, uint32_t row, uint32_t *ret, struct dn_err *err)
{
    struct key_bytes key;

    buf_reset(&k->probe);
    rows_key(k->table, cols, row, &k->probe);
    if (k->probe.failed)
        return DN_FAIL_NOMEM(err);
    key = (struct key_bytes){.p = k->probe.data, .len = k->probe.len};
    *ret = hidx_find(&k->index, dn_hash64(key.p, key.len, 0), key_same, k, &key);
    return 0;
}

static bool key_set_grow(struct key_set *k)
{
    uint32_t cap = k->cap ? 2 * k->cap : 64;
    size_t *ends;

    if (k->count < k->cap)
        return true;
    ends = mem_realloc(k->owner, k->ends, cap * sizeof(*ends));
    if (!ends)
        return false;
    k->ends = ends;
    k->cap = cap;
    return true;
}

int key_set_add(
    struct key_set *k, const struct vec *cols, uint32_t row, uint32_t *ret, struct dn_err *err)
{
    int rc = key_set_find(k, cols, row, ret, err);

    if (rc < 0)
        return rc;
    if (*ret != KEY_SET_NONE)
        return 1;
    if (!key_set_grow(k))
        return DN_FAIL_NOMEM(err);
    buf_append(&k->bytes, k->probe.data, k->probe.len);
    if (k->bytes.failed)
        return DN_FAIL_NOMEM(err);
    k->ends[k->count] = k->bytes.len;
    *ret = k->count;
    if (!hidx_add(&k->index, dn_hash64(k->probe.data, k->probe.len, 0), k->count, key_hash, k))
        return DN_FAIL_NOMEM(err);
    k->count++;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * memexpiry.c: when rows of a memtable expire. A chunk has room for it from its first such row on.
 */
#include "store/memtable_int.h"

int64_t memtable_expiry(const struct memtable *m, uint32_t row)
{
    const struct mem_chunk *c = mem_chunk_of(m, row);
    const int64_t *expiry = atomic_load_explicit(&c->expiry, memory_order_acquire);

    return expiry ? expiry[row - c->first_row] : ROW_NEVER;
}

bool memtable_expires(const struct memtable *m)
{
    return atomic_load(&m->expires);
}

int memtable_stage_expiry(struct memtable *m,
                          struct mem_chunk *c,
                          const struct mem_write *w,
                          uint32_t from,
                          uint32_t count,
                          struct dn_err *err)
{
    int64_t *expiry = atomic_load_explicit(&c->expiry, memory_order_relaxed);
    uint32_t at = m->staged - c->first_row;

    if (!expiry && !w->expiries && w->expiry_ns == ROW_NEVER)
        return DN_OK;
    if (!expiry) {
        expiry = mem_calloc(m->owner, c->cap, sizeof *expiry); /* ROW_NEVER */
        if (!expiry)
            return DN_FAIL_NOMEM(err);
        memtable_charge(m, (size_t)c->cap * sizeof *expiry);
        atomic_store_explicit(&c->expiry, expiry, memory_order_release);
        atomic_store(&m->expires, true);
    }
    for (uint32_t i = 0; i < count; i++)
        expiry[at + i] = w->expiries ? w->expiries[from + i] : w->expiry_ns;
    return DN_OK;
}

int memtable_gather_expiry(const struct memtable *m,
                           const uint32_t *rows,
                           uint32_t count,
                           struct arena *arena,
                           struct vec *ret,
                           struct dn_err *err)
{
    static const uint64_t one_null = 1;
    static const int64_t zero = 0;
    uint64_t *nulls = NULL;
    int64_t *data;
    uint32_t same = 0;

    while (same < count && memtable_expiry(m, rows[same]) == ROW_NEVER)
        same++;
    if (same == count) {
        ret->form = VEC_CONST;
        ret->data = &zero;
        ret->nulls = &one_null;
        return DN_OK;
    }
    data = arena_alloc_array(arena, count, sizeof *data);
    if (!data)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        data[i] = memtable_expiry(m, rows[i]);
        if (data[i] != ROW_NEVER)
            continue;
        nulls = nulls ? nulls : arena_calloc(arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
        if (!nulls)
            return DN_FAIL_NOMEM(err);
        vec_bit_set(nulls, i);
    }
    ret->data = data;
    ret->nulls = nulls;
    return DN_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_dict.c: one dictionary for a column of all parts of a batch, each of which has its
 * own. */
#include "base/hash.h"
#include "store/shard_load_int.h"

#include <string.h>

#define DICT_MAX 4096u /* more different texts are not worth it */

static const struct vstr none = {.ptr = "", .len = 0};

/* What a part has of the column; 0: it is not made of few texts. */
static uint32_t dict_entries(const struct vec *v)
{
    if (v->absent)
        return 0;
    return v->form == VEC_DICT ? v->dict_count : v->form == VEC_CONST ? 1 : 0;
}

static uint32_t dict_slots(uint32_t entries)
{
    uint32_t slots = 64;

    while (slots < 2 * (entries < DICT_MAX ? entries : DICT_MAX))
        slots *= 2;
    return slots;
}

/* The number of a text; UINT32_MAX: there are too many. */
static uint32_t dict_put(struct load_dict *d, uint16_t *slots, uint32_t mask, struct vstr s)
{
    uint32_t slot = (uint32_t)dn_hash64(s.ptr, s.len, 0) & mask;

    for (; slots[slot]; slot = (slot + 1) & mask) {
        const struct vstr *e = &d->entries[slots[slot] - 1];

        if (e->len == s.len && memcmp(e->ptr, s.ptr, s.len) == 0)
            return slots[slot] - 1u;
    }
    if (d->count == DICT_MAX)
        return UINT32_MAX;
    d->entries[d->count++] = s;
    slots[slot] = (uint16_t)d->count;
    return d->count - 1;
}

static int dict_fill(
    struct load_dict *d, const struct load_batch *b, uint16_t col, uint16_t *slots, uint32_t mask)
{
    uint16_t *map = d->numbers;

    for (size_t p = 0; p < b->parts_count; p++) {
        const struct vec *v = &b->parts[p].cols[col];
        bool null = v->form == VEC_CONST && vec_bit(v->nulls, 0);
        uint32_t count = dict_entries(v);

        d->maps[p] = map;
        d->codes[p] = v->form == VEC_DICT ? v->codes : NULL;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t code =
                dict_put(d, slots, mask, null ? none : ((const struct vstr *)v->data)[i]);

            if (code == UINT32_MAX)
                return DN_NOT_FOUND;
            *map++ = (uint16_t)code;
        }
    }
    return DN_OK;
}

int shard_load_dict_make(struct load_dict *d,
                         const struct load_batch *b,
                         uint16_t col,
                         struct mem_owner *owner,
                         struct dn_err *err)
{
    uint64_t total = 0;
    uint32_t slots_count;
    uint16_t *slots;
    int rc;

    for (size_t p = 0; p < b->parts_count; p++) {
        uint32_t count = dict_entries(&b->parts[p].cols[col]);

        if (count == 0 || !type_is_string(b->parts[p].cols[col].type))
            return DN_NOT_FOUND;
        total += count;
    }
    slots_count = dict_slots(total < DICT_MAX ? (uint32_t)total : DICT_MAX);
    slots = mem_calloc(owner, slots_count, sizeof *slots);
    d->entries = mem_alloc_array(owner, total < DICT_MAX ? total : DICT_MAX, sizeof *d->entries);
    d->numbers = mem_alloc_array(owner, total, sizeof *d->numbers);
    d->maps = mem_calloc(owner, b->parts_count, sizeof *d->maps);
    d->codes = mem_calloc(owner, b->parts_count, sizeof *d->codes);
    rc = slots && d->entries && d->numbers && d->maps && d->codes
             ? dict_fill(d, b, col, slots, slots_count - 1)
             : DN_FAIL_NOMEM(err);
    mem_free(slots);
    if (rc != DN_OK)
        shard_load_dict_done(d);
    return rc;
}

void shard_load_dict_done(struct load_dict *d)
{
    mem_free(d->entries);
    mem_free(d->numbers);
    mem_free(d->maps);
    mem_free(d->codes);
    *d = (struct load_dict){.count = 0};
}

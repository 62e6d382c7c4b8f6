/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_heads.c: see groups_heads.h. */
#include "exec/groups_heads.h"

#include <string.h>

#define HEADS_SAMPLE 64u /* rows, of which at most half may be heads */

static inline uint32_t heads_row(const struct batch *in, uint32_t i)
{
    return in->sel ? in->sel[i] : i;
}

/* same[i] stays 1 where selected row i has the value of the one before it; from `first` on. */
#define HEADS_COMPARE(T, values)                                   \
    for (uint32_t i = first; i < end; i++) {                       \
        const T *a = (const T *)(values);                          \
                                                                   \
        same[i] &= a[heads_row(in, i)] == a[heads_row(in, i - 1)]; \
    }

static void heads_strings(
    const struct vstr *s, const struct batch *in, uint32_t first, uint32_t end, uint8_t *same)
{
    for (uint32_t i = first; i < end; i++) {
        const struct vstr *a = &s[heads_row(in, i - 1)];
        const struct vstr *b = &s[heads_row(in, i)];

        same[i] &= a->ptr == b->ptr && a->len == b->len;
    }
}

static void
heads_flat(const struct vec *v, const struct batch *in, uint32_t first, uint32_t end, uint8_t *same)
{
    switch (type_phys(v->type)) {
    case PHYS_I8:
        HEADS_COMPARE(uint8_t, v->data)
        return;
    case PHYS_I16:
        HEADS_COMPARE(uint16_t, v->data)
        return;
    case PHYS_I32:
    case PHYS_F32:
        HEADS_COMPARE(uint32_t, v->data)
        return;
    case PHYS_I64:
    case PHYS_F64:
        HEADS_COMPARE(uint64_t, v->data)
        return;
    case PHYS_STR:
        heads_strings(v->data, in, first, end, same);
        return;
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    memset(same + first, 0, end - first); /* may have gaps between their parts */
}

static void heads_compare(const struct vec *keys,
                          uint32_t keys_count,
                          const struct batch *in,
                          uint32_t first,
                          uint32_t end,
                          uint8_t *same)
{
    memset(same + first, 1, end - first);
    for (uint32_t k = 0; k < keys_count; k++) {
        const uint64_t *nulls = keys[k].nulls;

        if (nulls && keys[k].form != VEC_CONST) /* whose bitmap has one bit for all rows */
            for (uint32_t i = first; i < end; i++)
                same[i] &= vec_bit(nulls, heads_row(in, i)) == vec_bit(nulls, heads_row(in, i - 1));
        if (keys[k].form == VEC_DICT) {
            HEADS_COMPARE(uint16_t, keys[k].codes)
        } else if (keys[k].form == VEC_FLAT) {
            heads_flat(&keys[k], in, first, end, same);
        }
    }
}

bool exec_heads(const struct vec *keys,
                uint32_t keys_count,
                const struct batch *in,
                struct groups_heads *ret)
{
    uint8_t same[VEC_ROWS_MAX];
    uint32_t repeats = 0;
    uint32_t heads = 0;

    if (in->sel_count < HEADS_SAMPLE)
        return false;
    heads_compare(keys, keys_count, in, 1, HEADS_SAMPLE, same);
    for (uint32_t i = 1; i < HEADS_SAMPLE; i++)
        repeats += same[i];
    if (repeats < HEADS_SAMPLE / 2)
        return false;
    same[0] = 0;
    heads_compare(keys, keys_count, in, HEADS_SAMPLE, in->sel_count, same);
    for (uint32_t i = 0; i < in->sel_count; i++) {
        ret->rows[heads] = (uint16_t)heads_row(in, i);
        heads += !same[i];
        ret->of[i] = (uint16_t)(heads - 1);
    }
    ret->count = heads;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_sort.h: the rows of a batch in physical order, as places in its parts.
 *
 * A row's words are a 128-bit number that never goes down in physical order, so most rows are put
 * in order without a look at their keys: the slab's number in as many bits as the batch needs, then
 *
 *     empty series       the first bytes of the normalized rest of the key (vec/normkey.h)
 *     others             head: the token; tail: the first bytes of the rest of the key
 *     no key             the number of the row in the batch
 *
 * Only where words are equal, or different series share a head, whole keys are compared.
 *
 *     shard_load_sort_init -> shard_load_sort_run -> rows[0 .. count) -> shard_load_sort_done
 *
 * One thread at a time; the work is done in tasks. */
#pragma once

#include "store/shard_load_int.h"

#define LOAD_ROW_OLDER                                                        \
    0x80000000u /* in part: the row before it is an older version of this one \
                 */

struct load_row {
    uint64_t head;
    uint64_t tail;
    uint32_t part; /* of the batch; with LOAD_ROW_OLDER */
    uint32_t row;  /* in the part */
};

struct load_sort {
    struct shard *s;                /* borrowed */
    const struct table *t;          /* borrowed */
    const struct load_batch *batch; /* borrowed */
    const atomic_bool *cancel;      /* NULL = never */
    struct load_row *rows;          /* owned */
    uint32_t count;                 /* of them; of rows with the same key the last put and what is
                                       newer stays */
    int64_t *slabs;                 /* owned: those of the batch in physical order, if the words
                                       begin with their numbers */
    uint32_t slabs_count;
    unsigned slab_bits; /* of that number */
    bool exact;         /* words and series are all of the key */
    uint32_t *firsts;   /* owned: number of each part's first row in the batch, and the end */
    uint32_t *starts;   /* owned: of the buckets that the heads were put into */
    uint32_t *ends;     /* owned: … and where they end once older versions are left out */
    atomic_uint next;   /* bucket that a task takes */
};

int shard_load_sort_init(struct load_sort *ls,
                         struct shard *s,
                         const struct table *t,
                         const struct load_batch *batch,
                         const atomic_bool *cancel,
                         struct dn_err *err) DN_MUST_CHECK;
int shard_load_sort_run(struct load_sort *ls, struct dn_err *err) DN_MUST_CHECK;
void shard_load_sort_done(struct load_sort *ls); /* a zeroed one is fine */

/* The columns of the part of a row. */
static inline const struct vec *load_row_cols(const struct load_sort *ls, const struct load_row *r)
{
    return ls->batch->parts[r->part & ~LOAD_ROW_OLDER].cols;
}

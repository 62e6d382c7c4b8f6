/* SPDX-License-Identifier: Apache-2.0
 *
 * buckets.h: group keys that are functions of one column and never fall while it rises: date_trunc
 * or time_bucket of the time. Equal keys then belong to one stretch of the column's values. What
 * was learned of these stretches is kept: the least and the greatest value seen of each bucket. As
 * everything between them is in the bucket too, most keys are found by search, not by calling the
 * functions, and the more rows were seen the more so: series with the same time stamps cost the
 * functions once.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec.h"

struct exec_bucket {
    int64_t lo; /* least and greatest value of the column seen in it */
    int64_t hi;
    struct datum *keys; /* keys_count, owned by the arena */
    uint64_t serial;    /* `group` belongs to this tuple of other keys; 0 = none */
    uint32_t group;
};

struct exec_buckets_spec {
    const struct bexpr *const *exprs; /* the keys; borrowed */
    uint32_t keys_count;
    uint32_t col;      /* column they read */
    uint32_t cols_max; /* columns of the batches they are meant for */
    enum type_id type; /* of the column: its values are 64-bit integers */
};

struct exec_buckets {
    struct exec_buckets_spec spec;
    struct eval *ev; /* borrowed */
    struct arena run;
    struct mem_owner *owner;
    struct exec_bucket *list; /* owned: by lo */
    uint32_t count;
    uint32_t cap;
    uint32_t hint;    /* where the last one was found */
    struct vec *vecs; /* in run: keys of the rows being learned */
    struct vec *cols; /* in run: a batch of the column alone */
};

/* done is right after a failed init, and on zeroed memory. */
int exec_buckets_init(struct exec_buckets *b,
                      const struct exec_buckets_spec *spec,
                      struct eval *ev,
                      struct mem_owner *owner,
                      struct dn_err *err) DN_MUST_CHECK;
void exec_buckets_done(struct exec_buckets *b);
/* The bucket of a value; NULL: not learned yet. Valid until something is learned. */
struct exec_bucket *exec_buckets_find(struct exec_buckets *b, int64_t value);
/* Learns the buckets of values, which rise or fall. Room is bounded: DN_NOT_FOUND when it is used
 * up. */
int exec_buckets_learn(struct exec_buckets *b,
                       const int64_t *values,
                       uint32_t count,
                       struct dn_err *err) DN_MUST_CHECK;

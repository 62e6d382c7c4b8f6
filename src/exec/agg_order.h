/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_order.h: aggregates with ORDER BY in their parentheses. The state of such an aggregate keeps
 * the rows of its group: what they sort by as bytes (vec/normkey.h), then the arguments. At the end
 * the rows are sorted, equal ones in the order in which they came, and handed to the aggregate.
 * Memory is the exec_agg's; states can be merged and put aside like any other.
 *
 * One thread at a time. */
#pragma once

#include "exec/agg.h"

struct exec_order_row;

/* Zeroed memory is an empty one. */
struct exec_order_state {
    struct exec_order_row *first; /* in the arena of strings */
    struct exec_order_row *last;
    uint64_t count;
};

/* Rows sel[i] (i, without sel) of the batch go to a->states[i]; v: the arguments. */
int exec_order_add(struct exec_agg *a,
                   uint32_t agg,
                   const struct vec *v,
                   const struct batch *in,
                   const uint16_t *sel,
                   uint32_t rows,
                   struct dn_err *err) DN_MUST_CHECK;
int exec_order_merge(struct exec_order_state *into,
                     const struct exec_order_state *from,
                     struct arena *arena,
                     struct dn_err *err) DN_MUST_CHECK;
/* The aggregate's result; strings live as long as the states. */
int exec_order_emit(struct exec_agg *a,
                    uint32_t agg,
                    const struct exec_order_state *s,
                    struct datum *ret,
                    struct dn_err *err) DN_MUST_CHECK;
void exec_order_save(const struct exec_order_state *s, struct buf *b);
int exec_order_load(struct exec_order_state *s,
                    const uint8_t *p,
                    size_t n,
                    struct arena *arena,
                    struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * ring.h: where on the ring a partition lives; all modules use these functions. The ring is cut
 * into RING_VNODES equal slices of the tokens, the vnodes. A partition's place is the token of its
 * series, moved on by a whole number of slices that its quantum decides: the quanta of a series are
 * spread over the ring, and inside a quantum neighbours stay neighbours. Without a quantum the
 * place is the token, and the ring is Cassandra's. Any thread. */
#pragma once

#include "base/hash.h"

#define RING_VNODES     256u
#define RING_SLICE_BITS 56 /* 2^64 tokens in 2^8 slices */

/* Place of a partition; quantum: NULL = it has none, else the start in units of the time column. */
static inline int64_t ring_place(int64_t token, const int64_t *quantum)
{
    uint64_t moved = quantum ? dn_mix64((uint64_t)*quantum) % RING_VNODES : 0;

    return (int64_t)((uint64_t)token + (moved << RING_SLICE_BITS));
}

/* Vnode of a place, from 0 for the smallest tokens on. */
static inline uint32_t ring_vnode(int64_t place)
{
    return (uint32_t)(((uint64_t)place ^ ((uint64_t)1 << 63)) >> RING_SLICE_BITS);
}

/* First and last place of a vnode. */
static inline int64_t ring_vnode_first(uint32_t vnode)
{
    return (int64_t)(((uint64_t)vnode << RING_SLICE_BITS) ^ ((uint64_t)1 << 63));
}

static inline int64_t ring_vnode_last(uint32_t vnode)
{
    return (int64_t)(((((uint64_t)vnode + 1) << RING_SLICE_BITS) - 1) ^ ((uint64_t)1 << 63));
}

/* The index of the node that owns a place; each node has one token, ascending. It is the first node
 * whose token is not below the place, or else the first of all. count > 0. */
static inline size_t ring_owner(const int64_t *tokens, size_t count, int64_t place)
{
    for (size_t i = 0; i < count; i++)
        if (tokens[i] >= place)
            return i;
    return 0;
}

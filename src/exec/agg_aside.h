/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_aside.h: groups that do not fit in memory. When an exec_agg has outgrown its share, its
 * groups are put aside (spill.h), each as its keys and the states of its aggregates as bytes, into
 * one of 16 parts by the hash of the keys; then it starts afresh. A group may be put aside many
 * times, and by several threads: at the end the groups of one part after the other are brought
 * together by merging states. A part that is too big still is divided again by other bits of the
 * hash. A single group is never put aside alone: if it does not fit, the statement fails.
 *
 * DISTINCT aggregates put aside the arguments they have seen instead of a state, by the hash of
 * keys and arguments, so that one group with many values is divided too. Part by part they are
 * brought together first; what comes out are states, of disjoint sets of values, which can be
 * merged.
 *
 *     init -> put … (one aside per thread) -> results: open -> next … (DN_EOF) -> close -> done
 *
 * One thread at a time per aside; the results are one thread's. */
#pragma once

#include "exec/agg.h"
#include "exec/spill.h"

#define EXEC_ASIDE_BITS   4u
#define EXEC_ASIDE_PARTS  (1u << EXEC_ASIDE_BITS)
#define EXEC_ASIDE_LEVELS 12u /* how often parts are divided; the hash has bits for more */

struct exec_aside {
    struct op *op;             /* AGGREGATE; borrowed */
    struct mem_owner *owner;   /* borrowed */
    uint32_t block_bytes;      /* of the spills */
    uint32_t level;            /* which bits of the hash count */
    bool merged;               /* DISTINCT aggregates have states already, no values */
    struct exec_spill states;  /* keys, then a BLOB per aggregate, NULL = nothing */
    struct exec_spill *values; /* owned, one per aggregate: keys, then arguments; DISTINCT ones */
};

/* `threads` have an aside each. Nothing is opened before it is needed. done is right on zeroed
 * memory. */
int exec_aside_init(struct exec_aside *a, struct op *op, uint32_t threads, struct dn_err *err)
    DN_MUST_CHECK;
void exec_aside_done(struct exec_aside *a);
static inline bool exec_aside_any(const struct exec_aside *a)
{
    return exec_spill_is_open(&a->states);
}
uint64_t exec_aside_bytes(const struct exec_aside *a); /* written */
/* Is there more than one group or value, so that dividing helps? */
bool exec_aside_many(const struct exec_agg *agg);
/* Puts all groups aside and resets agg. */
int exec_aside_put(struct exec_aside *a, struct exec_agg *agg, struct dn_err *err) DN_MUST_CHECK;

/* Parts of it: the states alone, of aggregate `only` (the one that agg has) or of EXEC_ASIDE_ALL;
 * what a DISTINCT aggregate has seen, by the bits of a level, into a spill that open_values made.
 */
#define EXEC_ASIDE_ALL UINT32_MAX
int exec_aside_put_states(struct exec_aside *a,
                          struct exec_agg *agg,
                          uint32_t only,
                          struct dn_err *err) DN_MUST_CHECK;
int exec_aside_open_values(struct exec_aside *a,
                           struct exec_spill *s,
                           uint32_t g,
                           struct dn_err *err) DN_MUST_CHECK;
int exec_aside_put_values(struct exec_aside *a,
                          struct exec_spill *to,
                          struct exec_agg *agg,
                          uint32_t g,
                          uint32_t level,
                          struct dn_err *err) DN_MUST_CHECK;

/* Parts that are being worked on: those of the asides, or of one part that was divided. */
struct exec_aside_level {
    struct exec_aside *asides;
    uint32_t asides_count;
    struct exec_aside own; /* the level's, if it is not the first */
    uint32_t part;         /* the next one */
};

struct exec_aside_results {
    struct op *op;
    struct mem_owner mem; /* what agg holds */
    struct exec_agg agg;  /* groups of the part at hand */
    struct exec_aside_level levels[EXEC_ASIDE_LEVELS];
    uint32_t levels_count;
    uint64_t bytes; /* written while bringing together */
};

/* The asides stay the caller's. close is right after a failed open, and on zeroed memory. */
int exec_aside_results_open(struct exec_aside_results *r,
                            struct op *op,
                            struct exec_aside *asides,
                            uint32_t count,
                            struct dn_err *err) DN_MUST_CHECK;
void exec_aside_results_close(struct exec_aside_results *r);
/* r->agg gets the groups of the next part, at least one; DN_EOF at the end. */
int exec_aside_results_next(struct exec_aside_results *r, struct dn_err *err) DN_MUST_CHECK;

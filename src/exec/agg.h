/* SPDX-License-Identifier: Apache-2.0
 *
 * agg.h: groups and the states of their aggregates. The Aggregate operator has one for each thread
 * that reads, and brings them together at the end.
 *
 * Groups are numbered as they are first seen (groups.h). Their states lie in chunks that never
 * move. Rows of one group that follow each other are added together; only where groups change all
 * the time are rows added one by one. Both add values in row order, so they give the same result.
 * A DISTINCT aggregate keeps the set of (group, arguments) it has seen and adds only what is new.
 * One with ORDER BY keeps its rows for the end (agg_order.h).
 * Without keys there is one group from the start, so no rows still make one row.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec.h"
#include "exec/groups.h"
#include "exec/slice.h"
#include "store/scan.h"

#define EXEC_AGG_CHUNK 256u /* groups whose states are allocated at a time */

/* Selected rows [first, first + count) of a batch, all of one group. */
struct exec_stretch {
    uint32_t first;
    uint32_t count;
    uint32_t group;
};

struct exec_agg {
    const struct plan_node *node; /* AGGREGATE; borrowed */
    struct mem_owner *owner;      /* borrowed */
    struct arena batch;           /* scratch; exec_pace_begin for each batch */
    struct exec_pace pace;        /* of what is in it */
    struct arena run;             /* small arrays for the whole run */
    struct arena strings;         /* winners of min and max */
    struct eval ev;
    struct exec_groups groups; /* unused without keys */
    struct exec_groups *seen;  /* in run; one per aggregate, used by DISTINCT ones */
    uint32_t *offsets;         /* in run: of each aggregate inside a group's state */
    size_t stride;             /* bytes of a group's states */
    uint8_t **chunks;          /* owned, each owned */
    uint32_t chunks_count;
    uint32_t chunks_cap;
    uint32_t groups_count;          /* groups with states */
    enum type_id *key_types;        /* in run; NULL until known */
    struct vec *keys;               /* in run: of the batch at hand */
    uint32_t *ids;                  /* in run, VEC_ROWS_MAX: group of each selected row */
    struct exec_stretch *stretches; /* in run, VEC_ROWS_MAX */
    void **states;                  /* in run, VEC_ROWS_MAX */
    uint8_t **bases;                /* in run, VEC_ROWS_MAX: states of the group of each row */
    uint32_t bases_count;           /* of the rows at hand, how many have them */
    uint32_t turn;   /* groups of the rows at hand that take turns, all rows being selected; 0: they
                        do not, or it is not known */
    uint32_t *twins; /* in run: the first aggregate with the same state, or itself:
                        that of the first is kept */
    uint16_t *fresh; /* in run, VEC_ROWS_MAX: DISTINCT: rows with a new value */
    uint16_t *list;  /* in run: rows of each group, `stretches` says where, … */
    bool listed;     /* … for the rows at hand */
    /* Runs of the batch at hand, all of whose selected rows are added at once; NULL: not known.
     * Rows of a run that is alone are a new group (by_series), or have a new value (series_col). */
    const struct scan_series *series; /* borrowed */
    bool by_series;                   /* the keys are the columns of the series */
    uint32_t series_col;              /* no keys: the only column of the series, for DISTINCT
                                         aggregates of it; PLAN_NO_COL: none */
    uint64_t *gone; /* owned: groups that exec_agg_match gave to another; NULL: none */
};

/* The states of a group. */
static inline uint8_t *exec_agg_base(const struct exec_agg *a, uint32_t group)
{
    return a->chunks[group / EXEC_AGG_CHUNK] + (group % EXEC_AGG_CHUNK) * a->stride;
}

/* The state of an aggregate in a group. */
static inline void *exec_agg_state(const struct exec_agg *a, uint32_t group, uint32_t agg)
{
    return exec_agg_base(a, group) + a->offsets[agg];
}

/* The state of an aggregate of the node, whichever way it has it: bytes, and as struct agg has it.
 */
uint32_t exec_agg_state_size(const struct plan_agg *pa);
int exec_agg_state_merge(const struct plan_agg *pa,
                         void *into,
                         const void *from,
                         struct arena *strings,
                         struct dn_err *err) DN_MUST_CHECK;
void exec_agg_state_save(const struct plan_agg *pa, const void *state, struct buf *b);
int exec_agg_state_load(const struct plan_agg *pa,
                        void *state,
                        const uint8_t *p,
                        size_t n,
                        struct arena *strings,
                        struct dn_err *err) DN_MUST_CHECK;

/* done is right after a failed init, and on zeroed memory. */
int exec_agg_init(struct exec_agg *a,
                  const struct plan_node *node,
                  const struct exec_ctx *ctx,
                  struct mem_owner *owner,
                  struct dn_err *err) DN_MUST_CHECK;
void exec_agg_done(struct exec_agg *a);
/* As after init, its memory given back; `run` and what others keep there stay. */
int exec_agg_reset(struct exec_agg *a, struct dn_err *err) DN_MUST_CHECK;

/* Adds the selected rows of a batch. */
int exec_agg_batch(struct exec_agg *a, const struct batch *in, struct dn_err *err) DN_MUST_CHECK;
/* The same in two steps: the groups of the selected rows, in ids (with ret_one only ids[0], that of
 * all); then adding them, or a part of them whose ids were moved together. */
int exec_agg_ids(struct exec_agg *a, const struct batch *in, bool *ret_one, struct dn_err *err)
    DN_MUST_CHECK;
int exec_agg_by_ids(struct exec_agg *a, const struct batch *in, bool one, struct dn_err *err)
    DN_MUST_CHECK;
/* The same where the groups are known: stretches cover all selected rows; NULL: ids has the group
 * of each of the `count` rows. With `only`, just the aggregates that are set there. */
int exec_agg_stretches(struct exec_agg *a,
                       const struct batch *in,
                       const struct exec_stretch *stretches,
                       uint32_t count,
                       const bool *only,
                       struct dn_err *err) DN_MUST_CHECK;
/* ids for the selected rows of a batch by their keys (vectors of in->count rows); new groups are
 * made. With ret_one they are all of one group, ids[0]. */
int exec_agg_find(struct exec_agg *a,
                  const struct vec *keys,
                  const struct batch *in,
                  bool *ret_one,
                  struct dn_err *err) DN_MUST_CHECK;
/* Number of the group with these keys (one per key, CONST vectors), made if it is new. */
int exec_agg_group(struct exec_agg *a, const struct vec *keys, uint32_t *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* Rows that nobody decoded. */
int exec_agg_zone(struct exec_agg *a,
                  uint32_t group,
                  uint32_t agg,
                  const struct agg_zone *z,
                  struct dn_err *err) DN_MUST_CHECK;
/* Adds the groups of another. */
int exec_agg_merge(struct exec_agg *into,
                   const struct exec_agg *from,
                   struct dn_err *err) DN_MUST_CHECK;
/* The same without adding groups: those that both have are merged into `into`'s and are gone from
 * `from`, which keeps the others. Where aggregates are DISTINCT it is the last thing that `into` is
 * asked for before it returns its groups: values of others are added to its states, but not to what
 * it has seen. (agg_match.c) */
int exec_agg_match(struct exec_agg *into, struct exec_agg *from, struct dn_err *err) DN_MUST_CHECK;
/* Which of groups [first, first + count) are not gone, counted from first; `sel` has room for
 * count. */
uint32_t exec_agg_left(const struct exec_agg *a, uint32_t first, uint32_t count, uint16_t *sel);
/* Adds rows fresh[0..count) of a batch to states[0..count), arrays of `a`; v as of `agg`. */
int exec_agg_add_fresh(struct exec_agg *a,
                       uint32_t agg,
                       const struct vec *v,
                       const struct batch *in,
                       uint32_t count,
                       struct dn_err *err) DN_MUST_CHECK;
/* Adds only rows whose (group, value) is new to what a DISTINCT aggregate has seen. stretches and
 * count as of exec_agg_stretches; v: one or two vectors of in->count rows. */
int exec_agg_add_distinct(struct exec_agg *a,
                          uint32_t agg,
                          const struct vec *v,
                          const struct batch *in,
                          const struct exec_stretch *stretches,
                          uint32_t count,
                          struct dn_err *err) DN_MUST_CHECK;
/* Result columns of groups [first, first + count), in the batch arena. */
int exec_agg_emit(struct exec_agg *a,
                  uint32_t first,
                  uint32_t count,
                  struct vec *ret,
                  struct dn_err *err) DN_MUST_CHECK;

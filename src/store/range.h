/* SPDX-License-Identifier: Apache-2.0
 *
 * range.h: range tombstones. One says: at commit `seq` all rows of a table were deleted whose slab
 * and key columns lie in these intervals. It hits versions that were committed before it, never
 * later ones; snapshots see it from its sequence on.
 *
 * Only what all versions of a row have in common may be said, else an old version could outlive a
 * newer one: slabs, and intervals of key columns (series and local key), all of which must hold.
 *
 * Life: a batch of the log (ROW_RANGE), a list beside the memtables of a set, after their flush a
 * list in the manifest. It goes when no segment is left that holds older rows where it lies and was
 * not written with its knowledge (seg_meta.applied).
 *
 * Immutable and counted once made: any thread. */
#pragma once

#include "base/err.h"
#include "catalog/table.h"
#include "store/rows.h"

#include <stdatomic.h>

struct interval {
    bool has_lo; /* false: from minus infinity */
    bool lo_incl;
    bool has_hi;
    bool hi_incl;
    struct datum
        lo; /* of the column's type, not null; string bytes borrowed while the scan is open */
    struct datum hi;
};

/* Is the whole interval below (above) the value? */
bool range_below(const struct interval *iv, const struct datum *d);
bool range_above(const struct interval *iv, const struct datum *d);
static inline bool range_has(const struct interval *iv, const struct datum *d)
{
    return !range_below(iv, d) && !range_above(iv, d);
}

struct range_bound {
    uint32_t col_id; /* permanent id of a key column */
    struct interval iv;
};

/* As part of a batch it is a plain value: refs, table_id and seq have no meaning, bounds are
 * borrowed. */
struct range {
    atomic_uint refs;
    uint64_t table_id;
    uint64_t seq;
    int64_t slab_min; /* starts of slabs; INT64_MIN, INT64_MAX: all */
    int64_t slab_max;
    uint32_t bounds_count;
    struct range_bound *bounds; /* in the same block of memory, strings too */
};

#define RANGE_BOUNDS_MAX TABLE_COLUMNS_MAX

/* A counted copy. NULL: out of memory. */
struct range *
range_new(struct mem_owner *owner, const struct range *from, uint64_t table_id, uint64_t seq);
struct range *range_ref(struct range *r);
void range_unref(struct range *r); /* NULL is fine */

/* A list of references. */
struct range_list {
    struct range **v; /* owned */
    size_t count;
};
/* Adds a reference of its own. False: out of memory. */
bool range_list_add(struct range_list *l, struct range *r, struct mem_owner *owner) DN_MUST_CHECK;
bool range_list_copy(const struct range_list *from,
                     struct range_list *ret,
                     struct mem_owner *owner) DN_MUST_CHECK;
void range_list_done(struct range_list *l);

/* The bytes that log and manifest share: slabs and bounds (docs/format/log.md). */
void range_print(const struct range *r, struct buf *b);
/* Untrusted bytes, all of them. */
int range_parse(struct rd *r,
                struct mem_owner *owner,
                uint64_t table_id,
                uint64_t seq,
                struct range **ret,
                struct dn_err *err) DN_MUST_CHECK;
/* Are the bounds on key columns of the table, of their types? */
int range_check(const struct range *r, const struct table *t, struct dn_err *err) DN_MUST_CHECK;

/* ---- as one definition of the table sees it ---- */

struct range_part {
    uint16_t place; /* in table->series or table->rest */
    const struct interval *iv;
};
struct range_on {
    struct range *r; /* borrowed */
    struct range_part *series;
    struct range_part *rest;
    uint16_t series_count;
    uint16_t rest_count;
};
/* Those of the table among a list; one block of memory, NULL when there are none. */
int range_resolve(const struct table *t,
                  const struct range_list *list,
                  struct mem_owner *owner,
                  struct range_on **ret,
                  uint32_t *ret_count,
                  struct dn_err *err) DN_MUST_CHECK;

/* Value of a series or rest column by its place. */
typedef struct datum (*range_value_fn)(const void *arg, uint16_t place);
/* Could rows of a run be hit? And is a row of such a run, but for its sequence? */
bool range_on_run(const struct range_on *g, int64_t slab, range_value_fn series, const void *arg);
bool range_on_row(const struct range_on *g, range_value_fn rest, const void *arg);

/* What it does to a segment: -1 nothing, 0 some rows may be hit, 1 all are. */
struct seg_meta;
int range_on_segment(const struct range *r, const struct table *t, const struct seg_meta *m);
/* Do two of them have any place in common? They may say yes too often. */
bool range_meets(const struct range *a, const struct range *b);

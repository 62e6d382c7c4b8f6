/* SPDX-License-Identifier: Apache-2.0
 *
 * memtable.h: fresh rows of one table, in the order they were committed.
 *
 * Rows lie column-wise in chunks that never move, so readers need no lock for the rows they may
 * see. A hash index finds the rows with given values of the partition key, which are called a
 * series here whether or not the table is laid out by value; they are chained from newest to
 * oldest. Sorting into physical order happens when somebody reads or flushes, and is remembered
 * while no row is added.
 *
 * One writer at a time (the commit leader):
 *     memtable_stage …   rows are there but nobody sees them
 *     memtable_publish   now they are visible (their sequence must be made visible by the shard)
 *     memtable_rollback  or they go away again
 * Readers: any thread, up to the row count they saw. */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "base/sched.h"
#include "catalog/table.h"
#include "store/rows.h"

#include <stdatomic.h>

#define MEMTABLE_ROWS_MAX 0x7fffffffu

struct memtable;

struct memtable *memtable_new(struct sched *sched,
                              struct mem_owner *owner,
                              const struct table *t); /* NULL: out of memory */
void memtable_free(struct memtable *m);               /* NULL is fine */
const struct table *memtable_table(const struct memtable *m);

/* Appends rows (all table columns, FLAT or CONST, any count). On failure what this call added is
 * rolled back. */
/* What memtable_stage adds. */
struct mem_write {
    const struct vec *cols; /* all table columns, FLAT or CONST */
    uint64_t seq;
    enum row_op op;
    uint64_t rowid_base; /* append tables: rows get rowid_base, rowid_base + 1, … */
    const int64_t
        *rowids; /* append tables: of rows that exist already (update, delete); NULL = new rows */
    int64_t expiry_ns;         /* of all rows, ROW_PUT only; ROW_NEVER */
    const int64_t *expiries;   /* of each of them instead; NULL = as above */
    const atomic_bool *cancel; /* set: DN_E_CANCELED; NULL = never */
};

int memtable_stage(struct memtable *m, const struct mem_write *w, uint32_t rows, struct dn_err *err)
    DN_MUST_CHECK;
/* Writer only: was a version of row `row` of w committed or staged after seq? */
int memtable_newer(struct memtable *m,
                   const struct mem_write *w,
                   uint32_t row,
                   uint64_t seq,
                   bool *ret_newer,
                   struct dn_err *err) DN_MUST_CHECK;
void memtable_publish(struct memtable *m);
/* Takes staged rows away again, down to `rows` (>= the published count). */
void memtable_rollback(struct memtable *m, uint32_t rows);
/* Takes published rows away too, down to `rows`: for memtables that only their writer reads, and
 * while nobody holds an order of them. */
void memtable_truncate(struct memtable *m, uint32_t rows);
uint32_t memtable_staged(const struct memtable *m); /* writer only */

/* Published rows; and how many of them were committed up to seq (they are a prefix). */
uint32_t memtable_rows(const struct memtable *m);
uint32_t memtable_rows_at(const struct memtable *m, uint64_t seq);
size_t memtable_bytes(const struct memtable *m);
/* Widens min and max by the values of the time column in the first `rows` rows. */
void memtable_span(const struct memtable *m, uint32_t rows, int64_t *min, int64_t *max);

/* ---- reading in physical order ---- */

struct mem_run {
    int64_t slab;
    int64_t token;
    uint32_t series; /* number inside the memtable; 0 in tables laid out by value */
    uint32_t first;  /* rows order[first .. first + count) */
    uint32_t count;
    int64_t time_min; /* of the time column; 0 when there is none */
    int64_t time_max;
    int64_t rowid_min; /* append tables */
    int64_t rowid_max;
    uint32_t versions; /* of one key, the most */
    bool plain;        /* only ROW_PUT rows, no key twice: rows may be handed out as they are */
};

/* Rows sorted by physical key; equal keys by age, oldest first, and none that is older than a PUT
 * or DELETE of its key. Immutable, shared by reference count. */
struct mem_order {
    atomic_uint refs;
    uint32_t rows;        /* rows of the memtable it covers: 0..rows */
    uint32_t count;       /* entries of order */
    uint32_t *order;      /* owned */
    struct mem_run *runs; /* owned */
    uint32_t runs_count;
    int64_t expiry_min; /* of the rows of order; INT64_MAX = none of them expires */
};

/* Rows of one key have one time, so rows may be left out by it. */
static inline bool memtable_timed(const struct table *t)
{
    return t->form != KEY_NONE && t->time_col >= 0;
}

/* Which rows are wanted. */
struct mem_pick {
    const struct datum *series; /* borrowed: series_count × table->partition_count */
    uint32_t series_count;      /* 0 = all */
    bool timed; /* of these series only rows with times from time_min to time_max; only with
                   memtable_timed */
    int64_t time_min;
    int64_t time_max;
};

/* Order of the first `rows` rows, those that are wanted or a few more; pick NULL = all. Counted:
 * release with memtable_order_unref. cancel set: gives up with DN_E_CANCELED; NULL = never. */
int memtable_order(struct memtable *m,
                   uint32_t rows,
                   const struct mem_pick *pick,
                   const atomic_bool *cancel,
                   struct mem_order **ret,
                   struct dn_err *err) DN_MUST_CHECK;
void memtable_order_unref(struct mem_order *o); /* NULL is fine */

enum row_op memtable_op(const struct memtable *m, uint32_t row);
int64_t memtable_expiry(const struct memtable *m, uint32_t row); /* ROW_NEVER: it does not */
bool memtable_expires(const struct memtable *m);                 /* does, or did, any row of it? */
/* Do two rows of one series have the same local key? */
bool memtable_same_key(const struct memtable *m, uint32_t a, uint32_t b);
/* A value with its absent bit, in the shape fold.h wants; source is the memtable. */
struct datum
memtable_fold_value(const void *source, uint32_t row, uint32_t store_col, bool *ret_absent);
/* One value; absent reads as NULL. */
struct datum memtable_datum(const struct memtable *m, uint32_t row, uint32_t store_col);
/* One value of the rest of the local key, as a later definition has it: a column that joined the
 * key after the memtable was made is its default. */
struct datum
memtable_rest(const struct memtable *m, uint32_t row, const struct table *now, uint16_t place);
/* Rows, in any order, and store columns. */
struct mem_want {
    const uint32_t *rows;
    uint32_t count;
    const uint32_t *cols;
    uint32_t cols_count;
};
/* Copies them into FLAT vectors (CONST for hidden columns that are all the same). Strings stay
 * borrowed from the memtable. */
int memtable_gather(const struct memtable *m,
                    const struct mem_want *want,
                    struct arena *arena,
                    struct vec *ret,
                    struct dn_err *err) DN_MUST_CHECK;

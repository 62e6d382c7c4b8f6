/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_rows.h: rows with their sort keys as bytes, put in order. Used by the Sort operator alone
 * (what does not fit goes on in sort_runs.h); apart from it so that the sorting can be read and
 * tested on its own. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

/* The first 12 bytes of a key as numbers, zeros behind a shorter one: most comparisons end here. */
struct exec_sort_item {
    uint64_t prefix; /* 8 bytes, big-endian */
    uint32_t more;   /* 4 bytes behind them */
    uint32_t row;
};

#define EXEC_SORT_PREFIX 12u

struct exec_sort_rows {
    struct mem_owner *owner; /* borrowed */
    struct colbuf *cols;     /* owned, cols_count */
    uint32_t cols_count;
    uint32_t count;               /* rows */
    struct arena strings;         /* bytes of cols */
    struct buf keys;              /* all keys, one after the other */
    size_t *key_at;               /* owned: count + 1 offsets into keys */
    uint32_t key_cap;             /* room of key_at */
    size_t key_min;               /* length of the shortest key, and … */
    size_t key_max;               /* … of the longest one */
    struct exec_sort_item *items; /* owned: the order, once sorted */
};

/* done is right after a failed init, and on zeroed memory. */
int exec_sort_init(struct exec_sort_rows *s,
                   const enum type_id *types,
                   uint32_t cols_count,
                   struct mem_owner *owner,
                   struct dn_err *err) DN_MUST_CHECK;
void exec_sort_done(struct exec_sort_rows *s);

/* Adds the given rows (sel NULL = all) of the batch; keys has their keys one after the other,
 * key_at their starts and one end. */
int exec_sort_add(struct exec_sort_rows *s,
                  const struct batch *in,
                  const uint8_t *keys,
                  const size_t *key_at,
                  struct dn_err *err) DN_MUST_CHECK;
#define EXEC_SORT_CHECK_ROWS (1u << 16) /* rows moved between two checks */

/* Makes items: stable, by memcmp of the keys. `check` is asked now and then and may end it (< 0).
 */
typedef int (*exec_sort_check_fn)(const void *arg, struct dn_err *err);
int exec_sort_order(struct exec_sort_rows *s,
                    exec_sort_check_fn check,
                    const void *check_arg,
                    struct dn_err *err) DN_MUST_CHECK;
/* Makes items for the rows as they were added. */
int exec_sort_as_added(struct exec_sort_rows *s, struct dn_err *err) DN_MUST_CHECK;
/* The same in parts, for those who share the work (sort_team.h): two arrays of items for all rows,
 * each stretch of rows sorted alone into the first one, … */
int exec_sort_stretch(const struct exec_sort_rows *s,
                      struct exec_sort_item *const arrays[2],
                      uint32_t first,
                      uint32_t count,
                      exec_sort_check_fn check,
                      const void *check_arg,
                      struct dn_err *err) DN_MUST_CHECK;
/* … then stretches of `width` rows put together; the last one may be shorter. The array that has
 * the result becomes that of s; what is left in arrays is still the caller's. */
int exec_sort_together(struct exec_sort_rows *s,
                       struct exec_sort_item *arrays[2],
                       uint64_t width,
                       exec_sort_check_fn check,
                       const void *check_arg,
                       struct dn_err *err) DN_MUST_CHECK;
/* Bytes that exec_sort_order needs beside the rows, so far. */
static inline size_t exec_sort_order_bytes(const struct exec_sort_rows *s)
{
    return 2 * (size_t)s->count * sizeof(struct exec_sort_item);
}
/* Keeps only the first `keep` rows of the order, stored in that order. */
int exec_sort_cut(struct exec_sort_rows *s, uint32_t keep, struct dn_err *err) DN_MUST_CHECK;

/* Rows [first, first + count) of the order as FLAT vectors, in the arena; string bytes stay in s.
 */
int exec_sort_batch(const struct exec_sort_rows *s,
                    uint32_t first,
                    uint32_t count,
                    struct arena *arena,
                    struct vec *ret,
                    struct dn_err *err) DN_MUST_CHECK;

static inline const uint8_t *
exec_sort_key(const struct exec_sort_rows *s, uint32_t row, size_t *ret_len)
{
    *ret_len = s->key_at[row + 1] - s->key_at[row];
    return s->keys.data + s->key_at[row];
}

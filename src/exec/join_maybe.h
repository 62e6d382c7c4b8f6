/* SPDX-License-Identifier: Apache-2.0
 *
 * join_maybe.h: what SEMI, ANTI and MARK without a filter say about left rows: the look-up in the
 * table says all, but for the NULL of a mark.
 *
 * With one key a mark is NULL when the key is, or when some right row has a NULL there. With
 * several, (a, b) IN (query), a left row without a match has a NULL mark if some right row differs
 * from it in no key: each is equal or NULL on a side. The shape of a row says which of its keys are
 * NULL, a bit each. Rows of shapes l and r are compared by the keys in neither; right rows are
 * indexed by those, for each left shape that comes; beside left rows without a NULL only right rows
 * with one count. Where shapes are many or memory is little, one
 * goes through the right rows instead.
 *
 *     init -> (ask … -> reset) … -> done
 *
 * One thread at a time. */
#pragma once

#include "base/hash.h"
#include "exec/join.h"
#include "exec/join_table.h"

#define EXEC_MAYBE_SHAPES 16u /* of a side */

/* Right rows for left rows of one shape. */
struct exec_maybe_index {
    uint64_t left;    /* the shape */
    struct hidx rows; /* one of those that are equal in the keys that count */
};

struct exec_join_maybe {
    const struct exec_join_table *table; /* borrowed */
    const struct op *op;                 /* borrowed */
    struct exec_maybe_index *indexes;    /* owned: EXEC_MAYBE_SHAPES; NULL: not needed yet */
    uint32_t indexes_count;
    uint64_t shapes[EXEC_MAYBE_SHAPES]; /* of right rows */
    uint32_t shapes_count;              /* EXEC_MAYBE_SHAPES + 1: too many */
    uint32_t loose;                     /* right rows with a NULL */
    bool looked;                        /* this is known */
};

/* The matches that left rows have, as exec_join_find gives them. */
struct exec_join_found {
    const struct vec *keys;
    const uint32_t *ids; /* of each selected row */
    bool one;            /* ids[0] is of all */
};

/* done is right on zeroed memory. */
void exec_join_maybe_init(struct exec_join_maybe *m,
                          const struct exec_join_table *table,
                          const struct op *op);
void exec_join_maybe_done(struct exec_join_maybe *m);
/* The table has other rows now. */
void exec_join_maybe_reset(struct exec_join_maybe *m);
/* Notes hits of the joiner's left batch. */
int exec_join_ask(struct exec_join_maybe *m,
                  struct exec_joiner *j,
                  const struct exec_join_found *found,
                  struct dn_err *err) DN_MUST_CHECK;

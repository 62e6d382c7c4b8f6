/* SPDX-License-Identifier: Apache-2.0
 *
 * preds_cons.h: conjunctions of column constraints, as preds.c makes them of a WHERE clause: for
 * each column a set that has its value in every row that counts. All memory is the arena's. One
 * thread at a time. */
#pragma once

#include "plan/interval.h"

#define PRED_EXACT_MAX 1024u /* intervals; larger sets may be widened */

struct pred_col {
    uint32_t col; /* of the scan */
    struct iset set;
};

/* A conjunction of column constraints. */
struct pred_cons {
    bool never; /* no row satisfies it */
    bool exact; /* and rows that satisfy the constraints satisfy the condition */
    uint32_t n;
    struct pred_col *v; /* by col */
};

/* The column's value is in the set; empty: never. It is not said to be exact. */
int pred_one(struct arena *arena,
             uint32_t col,
             struct iset set,
             struct pred_cons *ret,
             struct dn_err *err) DN_MUST_CHECK;
/* What satisfies both. */
int pred_both(struct arena *arena,
              const struct pred_cons *a,
              const struct pred_cons *b,
              struct pred_cons *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* What satisfies one of them at least: columns that both constrain. */
int pred_either(struct arena *arena,
                const struct pred_cons *a,
                const struct pred_cons *b,
                struct pred_cons *ret,
                struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * naive.h: expressions one value at a time, in the plainest way: what the vectorized evaluation is
 * held against. One thread at a time. */
#pragma once

#include "func/expr.h"

/* The value of e for one row of the batch. DN_E_* as evaluation would raise it for this row alone.
 */
int naive_eval(const struct bexpr *e,
               const struct batch *in,
               uint32_t row,
               struct arena *arena,
               struct datum *ret);
/* Is e true? AND stops at the first that is not, OR at the first that is. */
int naive_select(
    const struct bexpr *e, const struct batch *in, uint32_t row, struct arena *arena, bool *ret);

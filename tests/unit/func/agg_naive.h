/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_naive.h: what an aggregate should give, naively and obviously right, for tests. Any thread.
 */
#pragma once

#include "func/func.h"

/* Over values[sel[i]] (values[i] without sel), with the second arguments, times for first and
 * last, where the aggregate wants them. */
void agg_naive(const struct agg *a,
               const struct datum *values,
               const struct datum *times,
               const uint16_t *sel,
               uint32_t rows,
               struct datum *ret);

/* SPDX-License-Identifier: Apache-2.0
 *
 * preds_mono.h: what a comparison of a function that never falls says about its argument:
 * date_trunc('day', t) = '2015-06-01' is a range of t. One thread at a time. */
#pragma once

#include "plan/bind.h"

/* The column such a call is about, or NULL: a FUNC_MONOTONIC call whose other arguments are
 * constant when the statement runs, over a column of an integer or time stamp type. */
const struct bexpr *mono_column(const struct bexpr *e);

/* Values of the column for which e is >= bound (or, with above, > bound): *ret is the least. False:
 * no value is, or it is not known. bound is of e's type. */
bool mono_least(
    const struct bexpr *e, struct eval *ev, const struct datum *bound, bool above, int64_t *ret);

/* SPDX-License-Identifier: Apache-2.0
 *
 * ranges.h: DELETE by ranges of the key. One thread at a time. */
#pragma once

#include "plan/plan.h"

/* A DELETE as range tombstones (store/range.h). */
struct plan_ranges {
    struct range *v;
    uint32_t count;            /* 0: rows have to be looked for one by one */
    struct plan_node *counter; /* root of a plan that counts the rows */
};
#define PLAN_RANGES_MAX 16u

/* It is one if its WHERE clause says nothing but in which intervals values of key columns are (or
 * there is none), in few ranges, and more than single rows. In the arena. */
int plan_delete_ranges(const struct plan_env *env,
                       const struct plan *p,
                       const struct datum *params,
                       uint32_t params_count,
                       struct arena *arena,
                       struct plan_ranges *ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * query_set.h: types of set operations. One thread at a time. */
#pragma once

#include "base/attr.h"

struct dn_err;
struct planner;
struct qout;
struct query;

/* One type for each column of both sides of a set operation. */
int query_set_unify(struct planner *q,
                    const struct query *ast,
                    struct qout *l,
                    struct qout *r,
                    struct dn_err *err) DN_MUST_CHECK;

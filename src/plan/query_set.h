/* SPDX-License-Identifier: Apache-2.0
 *
 * query_set.h: types of set operations. One thread at a time. */
#pragma once

#include "base/attr.h"

struct dn_err;
struct planner;
struct qout;
struct query;

/* A long chain of UNIONs (or of UNION ALLs) as a tree that is not deep; others as they are. NULL:
 * out of memory. */
const struct query *query_set_balance(struct planner *q, const struct query *ast);
/* One type for each column of both sides of a set operation. */
int query_set_unify(struct planner *q,
                    const struct query *ast,
                    struct qout *l,
                    struct qout *r,
                    struct dn_err *err) DN_MUST_CHECK;

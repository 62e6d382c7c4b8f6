/* SPDX-License-Identifier: Apache-2.0
 *
 * query_set.h: types of set operations. One thread at a time. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

struct with_clause;

struct dn_err;
struct planner;
struct qout;
struct query;
struct sel;

/* A long chain of UNIONs (or of UNION ALLs) as a tree that is not deep; others as they are. NULL:
 * out of memory. */
const struct query *query_set_balance(struct planner *q, const struct query *ast);
/* One type for each column of both sides of a set operation. */
int query_set_unify(struct planner *q,
                    const struct query *ast,
                    struct qout *l,
                    struct qout *r,
                    struct dn_err *err) DN_MUST_CHECK;

/* FOR UPDATE (select_lock.c): of a query that is no SELECT it is refused; of a SELECT, after its
 * clauses are bound, the keys of rows go to planner.lock_vars. */
int query_lock_refuse(const struct query *ast, struct dn_err *err) DN_MUST_CHECK;
int select_locks(struct sel *s, const struct query *ast, struct dn_err *err) DN_MUST_CHECK;
/* Does the query name that table in a FROM of its own, not in a subquery of an expression? */
bool query_says(const struct query *ast, const char *name);
/* The same of the queries of a WITH. */
bool query_with_says(const struct with_clause *with, const char *name);

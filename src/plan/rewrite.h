/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite.h: inside of plan/: what the parts of the rewriting share. One thread at a time. */
#pragma once

#include "plan/select_int.h"

/* Rewrites a tree with conditions that its rows must satisfy. */
typedef int (*rewrite_fn)(struct planner *q,
                          struct lnode *n,
                          struct lexprs *conds,
                          struct lnode **ret,
                          struct dn_err *err);

/* A join with conditions above it (rewrite_join.c). */
int rewrite_join(struct planner *q,
                 struct lnode *n,
                 struct lexprs *conds,
                 rewrite_fn push,
                 struct lnode **ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* A MARK join whose mark one of the conditions wants true or false need not look for it: the join
 * becomes SEMI or ANTI, the condition goes, and ret is the mark as the constant that it is for who
 * uses it; ret->var 0: it stays (unmark.c). */
int rewrite_unmark(struct planner *q,
                   struct lnode *n,
                   struct lexprs *conds,
                   struct ldef *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* A SINGLE join with an aggregation that is correlated by equalities: a LEFT join with the
 * aggregation of all groups at once, in place. 1: it is not of that form (decorrelate.c). */
int decorrelate_agg(struct planner *q, struct lnode *join, struct lnode **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A SINGLE or LEFT join whose correlated right side computes what might fail: computed above the
 * join, for the rows that found a partner. 1: it is not of that form. */
int decorrelate_maps(struct planner *q, struct lnode *join, struct lnode **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* Inner joins of many inputs, in an order that keeps intermediate results small (join_order.c). */
int join_order(struct planner *q,
               struct lnode **inputs,
               uint32_t count,
               struct lexprs *conds,
               struct lnode **ret,
               struct dn_err *err) DN_MUST_CHECK;
/* Moves conditions down, turns marks into semi-joins, removes correlation, orders joins. */
int rewrite_tree(struct planner *q, struct lnode **tree, struct dn_err *err) DN_MUST_CHECK;
/* About how many rows a tree gives (join_order.c). */
double rewrite_rows(struct planner *q, const struct lnode *n);

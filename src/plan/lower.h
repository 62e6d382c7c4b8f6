/* SPDX-License-Identifier: Apache-2.0
 *
 * lower.h: inside of plan/: what the parts of lowering share. One thread at a time. */
#pragma once

#include "plan/select_int.h"

/* Where a node of the plan has which variable; one column may be several. */
struct lplace {
    uint32_t var;
    uint32_t col;
};

struct lplan {
    struct plan_node *node;
    struct lplace *places;
    uint32_t places_count;
    uint32_t places_cap;
};

struct lower {
    struct planner *q;
    struct lplace *outer; /* variables of the queries around: var, parameter */
    uint32_t outer_count;
    uint32_t outer_cap;
    uint32_t estimated; /* nodes with an estimate */
};

struct plan_node *
lower_node(struct lower *lo, enum plan_kind kind, struct plan_node *input, struct dn_err *err);
bool lower_place(struct lower *lo, struct lplan *p, uint32_t var, uint32_t col) DN_MUST_CHECK;
/* The column of a variable; UINT32_MAX: it is not among them. */
uint32_t lower_col(const struct lplan *p, uint32_t var);
/* An expression over positions. */
int lower_expr(struct lower *lo,
               const struct lplan *in,
               const struct bexpr *e,
               struct bexpr **ret,
               struct dn_err *err) DN_MUST_CHECK;
int lower_exprs(struct lower *lo,
                const struct lplan *in,
                struct bexpr *const *e,
                uint32_t count,
                struct bexpr ***ret,
                struct dn_err *err) DN_MUST_CHECK;
/* All of them must be true: one expression, NULL for none. */
int lower_conds(struct lower *lo,
                const struct lplan *in,
                struct bexpr *const *conds,
                uint32_t count,
                struct bexpr **ret,
                struct dn_err *err) DN_MUST_CHECK;

/* A tree as a plan that has at least the variables wanted, in that order if it can be had. */
int lower_tree(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* The same, and nothing that is not wanted: for nodes that keep rows. */
int lower_trim(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* The same with exactly these columns. */
int lower_exact(struct lower *lo,
                struct lnode *n,
                const uint32_t *vars,
                uint32_t count,
                struct lplan *ret,
                struct dn_err *err) DN_MUST_CHECK;
/* What is wanted of a node's input: what is wanted of it, and what its own expressions use. */
int lower_want(struct lower *lo,
               const struct lnode *n,
               const struct lvars *want,
               struct lvars *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* Scans, and filters (lower_scan.c). */
int lower_scan(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err) DN_MUST_CHECK;
int lower_filter(struct lower *lo,
                 struct lnode *n,
                 const struct lvars *want,
                 struct lplan *ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* Joins (lower_join.c). */
int lower_join(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* What expressions of a PROJECT have in common is computed by one below it (lower_share.c). */
int lower_share(struct lower *lo, struct plan_node *node, struct dn_err *err) DN_MUST_CHECK;
/* Can both sides of a JOIN be merged in the order in which they come (lower_merge.c)? */
int lower_merge(struct lower *lo, const struct lnode *n, struct plan_node *node, struct dn_err *err)
    DN_MUST_CHECK;
/* AGG, WINDOW, set operations and what reads no table (lower_more.c). */
int lower_agg(struct lower *lo,
              struct lnode *n,
              const struct lvars *want,
              struct lplan *ret,
              struct dn_err *err) DN_MUST_CHECK;
int lower_window(struct lower *lo,
                 struct lnode *n,
                 const struct lvars *want,
                 struct lplan *ret,
                 struct dn_err *err) DN_MUST_CHECK;
int lower_leaf(struct lower *lo, struct lnode *n, struct lplan *ret, struct dn_err *err)
    DN_MUST_CHECK;
int lower_system(struct lower *lo,
                 struct lnode *n,
                 const struct lvars *want,
                 struct lplan *ret,
                 struct dn_err *err) DN_MUST_CHECK;
int lower_two(struct lower *lo,
              struct lnode *n,
              const struct lvars *want,
              struct lplan *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* Sort keys over positions. */
int lower_keys(struct lower *lo,
               const struct lplan *in,
               const struct lkey *keys,
               uint32_t count,
               struct plan_sort_key **ret,
               struct dn_err *err) DN_MUST_CHECK;
/* Does the tree deliver its rows in the order of the keys already, or would it if its scan were
 * turned round (order.c)? */
enum order_way { ORDER_NONE, ORDER_FORWARD, ORDER_BACKWARD };
enum order_way order_given(const struct lnode *n, const struct lkey *keys, uint32_t count);
/* Does the plan deliver its rows in the order of the keys, as there is a sort in it that begins
 * with them? Of the first `together` keys only their values must be together. */
bool order_sorted(const struct plan_node *n,
                  const struct plan_sort_key *keys,
                  uint32_t count,
                  uint32_t together);
void order_turn(struct lnode *n);
/* Are all rows of one partition: rows of a scan below filters and maps? */
bool order_one_partition(const struct lnode *n);
/* token_order.c: the order in which the answer of a statement comes where nothing else says. */
int query_token_order(struct planner *q, struct lnode **tree, struct dn_err *err) DN_MUST_CHECK;

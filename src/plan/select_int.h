/* SPDX-License-Identifier: Apache-2.0
 *
 * select_int.h: inside of plan/: a SELECT, part by part, and its queries. One thread at a time. */
#pragma once

#include "plan/bind_query.h"

#define PLAN_COLS_MAX  4096u /* of a result, hidden ones included */
#define PLAN_DEPTH_MAX 64u   /* queries in queries */

struct sel_out {
    struct bexpr *e;
    const char *name;
    const char *alias;            /* NULL = none given */
    const struct expr *ast;       /* as it was written; NULL: of a star */
    bool plain;                   /* a bare column */
    const char *implied;          /* what PostgreSQL calls it, of all others; NULL */
    const struct type_name *cast; /* it is a cast to that; NULL */
    uint32_t var;                 /* once the select list is computed */
    uint32_t subs_from, subs_to;  /* its subqueries in subs_outer */
    uint32_t key;                 /* of grouping sets that it is, from 1 on; 0 = none */
};

/* One window: what calls over it share. */
struct sel_window {
    struct bexpr **partition;
    uint32_t partition_count;
    struct plan_agg_order *order;
    uint32_t order_count;
    struct lcall *calls;
    uint32_t calls_count;
    uint32_t calls_cap;
};

/* Keys of one grouping set, by number. */
struct sel_set {
    struct lvars keys;
};

struct sel_sets {
    struct sel_set *v;
    uint32_t n;
    uint32_t cap;
};

struct sel_rowfunc;

/* GROUPING(a, b) */
struct sel_grouping {
    struct bexpr *const *args;
    uint32_t count;
    uint32_t pos;
    uint32_t var;
};
#define SEL_GROUPINGS_MAX 32u

struct sel {
    struct binder b;
    const struct select_core *core;
    struct scope scope;
    struct lnode *tree; /* so far */
    struct lvars given; /* what given_of, a tree of some time, hands on */
    const struct lnode *given_of;
    struct sel_out *outs; /* the select list with * written out, then hidden sort columns */
    uint32_t outs_count;
    uint32_t outs_cap;
    uint32_t shown_count; /* without the hidden ones */
    struct bexpr *where;  /* NULL = none */
    bool grouped;
    bool has_sets;        /* GROUPING SETS, ROLLUP, CUBE or () */
    struct sel_sets sets; /* then */
    struct sel_grouping groupings[SEL_GROUPINGS_MAX];
    uint32_t groupings_count;
    struct ldef *keys; /* GROUP BY */
    uint32_t keys_count;
    uint32_t keys_cap;
    struct lagg *aggs; /* found so far, distinct ones only */
    uint32_t aggs_count, aggs_cap;
    struct sel_window *windows;
    uint32_t windows_count;
    uint32_t windows_cap;
    bool *windows_named;          /* by place in core->windows; NULL = there are none */
    struct sel_rowfunc *rowfuncs; /* select_rows.h */
    uint32_t rowfuncs_count;
    uint32_t rowfuncs_seen; /* calls, the same ones counted too */
    uint32_t rowfuncs_pos;  /* of the last in the text */
    struct bexpr *having;
    uint32_t *order; /* places in outs */
    struct lkey *order_keys;
    uint32_t order_count, order_cap;
    uint32_t *distinct_on; /* places in outs */
    uint32_t distinct_on_count;
    struct bind_subs subs_where;
    struct bind_subs subs_inner; /* in arguments of aggregates, in GROUP BY */
    struct bind_subs subs_outer; /* select list, HAVING, ORDER BY */
};

/* What a bound query returns. */
struct qout {
    struct lnode *tree;
    uint32_t *vars;
    const char **names;
    const struct plan_origin *origins; /* NULL: nobody knows */
    uint32_t count;
};

/* A query in the sight of `outer` (NULL: none). */
int query_bind(struct planner *q,
               const struct query *ast,
               const struct scope *outer,
               struct qout *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* SELECT … without what stands around it; order, limit of the query when it is the only one. */
int select_bind(struct planner *q,
                const struct query *ast,
                const struct scope *outer,
                struct qout *ret,
                struct dn_err *err) DN_MUST_CHECK;
/* The item of outs that an expression with subqueries means, as it is written as the item is; 1:
 * none. Each subquery has variables of its own, so the bound expressions differ. */
int select_by_query(const struct sel *s, const struct expr *e, uint32_t *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* An ordinal: the place in a list of count items. 1: e is no constant. */
int select_ordinal(const struct expr *e,
                   const char *clause,
                   uint32_t count,
                   uint32_t *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* ASC or DESC, NULLS FIRST or LAST. */
int select_direction(const struct order_item *item,
                     struct lkey *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* GROUP BY (group.c): keys and sets; one expression of it, one key; GROUPING(); the nodes. */
int select_group_by(struct sel *s, struct dn_err *err) DN_MUST_CHECK;
int select_group_expr(struct sel *s, const struct expr *e, uint32_t *ret, struct dn_err *err)
    DN_MUST_CHECK;
int select_key_add(struct sel *s, struct bexpr *e, uint32_t *ret, struct dn_err *err) DN_MUST_CHECK;
int select_grouping(struct sel *s,
                    struct bexpr *const *args,
                    uint32_t count,
                    uint32_t pos,
                    struct bexpr **ret,
                    struct dn_err *err) DN_MUST_CHECK;
int select_aggregate(struct sel *s, struct dn_err *err) DN_MUST_CHECK;
/* The nodes of a SELECT whose parts are bound (stack.c). */
int select_stack(struct sel *s, const struct query *ast, struct qout *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* Names and plan of a bound statement. */
int query_finish(struct planner *q, const struct qout *out, struct dn_err *err) DN_MUST_CHECK;
/* Each row once. */
int query_distinct(struct planner *q, struct qout *out, struct dn_err *err) DN_MUST_CHECK;
/* LIMIT, OFFSET, FETCH above a tree; outer: what their counts may use. */
int query_limit(struct planner *q,
                const struct query *ast,
                const struct scope *outer,
                const struct lkey *keys,
                uint32_t keys_count,
                struct lnode **tree,
                struct dn_err *err) DN_MUST_CHECK;
/* The queries of a WITH clause made known to a scope. */
int query_with(struct planner *q,
               const struct with_clause *with,
               struct scope *scope,
               struct dn_err *err) DN_MUST_CHECK;

/* Those that nobody has named: bound, so that their errors show, and left away. scope->withs begins
 * with them. */
int query_with_rest(struct planner *q,
                    const struct with_clause *with,
                    const struct scope *scope,
                    struct dn_err *err) DN_MUST_CHECK;

/* The tables of a FROM list (NULL tree: none), into scope; scope->outer and ->level are set. */
int from_bind(struct planner *q,
              struct binder *b,
              struct from_item *const *items,
              uint32_t count,
              struct scope *scope,
              struct lnode **ret,
              struct dn_err *err) DN_MUST_CHECK;
/* A query that reads a CTE: its columns; 1: no such name. */
int from_with(struct planner *q,
              const struct from_item *f,
              const struct scope *outer,
              struct qout *ret,
              struct dn_err *err) DN_MUST_CHECK;

/* A binder for a clause of the planner's statement. */
struct binder query_binder(struct planner *q, const struct scope *scope, struct sel *level);
int query_start(struct planner *q,
                const struct plan_env *env,
                const struct stmt *stmt,
                struct dn_err *err) DN_MUST_CHECK;
/* Notes a table that the plan reads. */
int query_table(struct planner *q, const struct table *t, struct dn_err *err) DN_MUST_CHECK;

/* A warning for EXPLAIN when neither partition key nor time is constrained. */
void plan_note_full_scan(struct planner *q, const struct plan_node *scan);

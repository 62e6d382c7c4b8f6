/* SPDX-License-Identifier: Apache-2.0
 *
 * bind.h: inside of plan/: from syntax tree to bound expressions.
 *
 * Untyped things (quoted literals, parameters, NULL) have bexpr.type TYPE_NONE until something says
 * what they are: a quoted literal is a CONST whose value is VARCHAR, a parameter a PARAM. Whoever
 * uses an expression calls bind_coerce or bind_settle on it; nothing untyped but a bare NULL
 * leaves the binder.
 *
 * COLUMNs are variables (logic.h). An aggregate or window call is bound to a variable of its own,
 * noted with the query it belongs to; bind_lift checks that what is left are group keys. A subquery
 * becomes a parameter (plan_init) or a variable of a join that its clause attaches to its input.
 *
 * One thread at a time. */
#pragma once

#include "plan/scope.h"

/* A subquery of a clause that depends on its rows: a join to be put above the clause's input. */
struct bind_sub {
    enum plan_join_kind join;
    struct lnode *tree;
    struct bexpr **conds;
    uint32_t conds_count;
    uint32_t mark; /* MARK */
    bool never_null;
    bool in_window;      /* the argument of a window function */
    struct bexpr *guard; /* the value is asked for where this is true; NULL: everywhere */
};

#define PLAN_COLS_ROW_MAX 64u /* values of a row in an expression */

struct bind_subs {
    struct bind_sub *v;
    uint32_t n;
    uint32_t cap;
};

struct binder {
    const struct plan_env *env;
    const struct stmt *stmt;   /* NULL for value expressions */
    struct planner *q;         /* NULL for value expressions: then neither columns nor queries */
    const struct scope *scope; /* NULL: no columns in sight */
    struct sel *level;         /* whose aggregates and windows; NULL: none */
    const char *clause;        /* "WHERE": for messages */
    bool aggs_allowed;         /* in this clause */
    bool windows_allowed;
    bool sets_allowed;         /* functions that return rows, likewise */
    bool in_agg;               /* inside an aggregate's argument */
    bool in_window;            /* inside a window call */
    bool in_lists;             /* in its PARTITION BY or ORDER BY */
    struct bind_subs *subs;    /* of this clause; NULL: correlated subqueries are refused */
    enum type_id *param_types; /* of the statement; NULL with params_count 0 */
    uint32_t *param_uses;
    uint32_t params_count;
};

int bind_expr(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A condition: BOOLEAN. */
int bind_bool(struct binder *b,
              const struct expr *e,
              const char *of,
              struct bexpr **ret,
              struct dn_err *err) DN_MUST_CHECK;
/* A variable as an expression; NULL: out of memory. */
struct bexpr *bind_var(struct binder *b, uint32_t var, uint32_t pos);
int bind_table_column(const struct table *t, const char *name, uint32_t pos, struct dn_err *err);

/* Puts the value in place of a call over constants. One that fails stays a call: its error belongs
 * to the execution. */
int bind_fold(struct binder *b, struct bexpr **e, struct dn_err *err) DN_MUST_CHECK;
/* Casts made by hand: untyped things become `type`, others get an implicit cast (explicitly: any
 * cast there is). */
int bind_coerce(struct binder *b,
                struct bexpr *e,
                enum type_id type,
                bool explicitly,
                struct bexpr **ret,
                struct dn_err *err) DN_MUST_CHECK;
/* After a cast to a type with parameters: the value cut, rounded or refused as they say. */
int bind_fit(struct binder *b, const struct type_name *type, struct bexpr **e, struct dn_err *err)
    DN_MUST_CHECK;
/* float8(x): a call by the name of a type is a cast to it. 1: there is no type of that name, or a
 * function is called so. */
int bind_type_call(struct binder *b,
                   const char *name,
                   struct bexpr *arg,
                   struct bexpr **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Where one of the values is a time without a zone (TIMESTAMP_LOCAL), constants of type TIMESTAMP
 * beside it are made ones, too: TIMESTAMP '2015-06-01' there says what the clock shows. */
int bind_local_literals(struct binder *b, struct bexpr **args, uint32_t count, struct dn_err *err)
    DN_MUST_CHECK;
/* Whatever is still untyped is text. */
int bind_settle(struct binder *b, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* a op b for the six comparisons, in a form that compares exactly (bind_compare.c). */
int bind_compare(struct binder *b,
                 enum expr_op op,
                 uint32_t pos,
                 struct bexpr *l,
                 struct bexpr *r,
                 struct bexpr **ret,
                 struct dn_err *err) DN_MUST_CHECK;
int bind_in(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A call by operator or function name, arguments cast, constants folded. */
int bind_call(struct binder *b,
              const char *name,
              uint32_t pos,
              struct bexpr **args,
              uint32_t count,
              struct bexpr **ret,
              struct dn_err *err) DN_MUST_CHECK;
/* A condition whose operands of AND may be looked at in any order: WHERE, HAVING, ON. */
int bind_where(struct binder *b,
               const struct expr *e,
               const char *of,
               struct bexpr **ret,
               struct dn_err *err) DN_MUST_CHECK;
/* AND / OR of bound conditions, flattened and folded. */
int bind_chain(struct binder *b,
               enum bexpr_kind kind,
               uint32_t pos,
               struct bexpr **args,
               uint32_t count,
               struct bexpr **ret,
               struct dn_err *err) DN_MUST_CHECK;

/* CASE, LIKE, IS TRUE, IS DISTINCT FROM (bind_choice.c). */
int bind_case(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_like(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_is(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_distinct(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* The type that values of both can be shown and compared in; TYPE_NONE: there is none, or neither
 * is known. One place for CASE, UNION, VALUES, ARRAY. */
enum type_id bind_common_type(enum type_id a, enum type_id b);
/* Brings operands to their common type; text if none says. `what` is for messages: "CASE". */
int bind_unify(struct binder *b,
               const char *what,
               struct bexpr **args,
               uint32_t count,
               struct dn_err *err) DN_MUST_CHECK;
/* COALESCE, NULLIF, GREATEST, LEAST; name is e->name in lower case. 1: none of them. */
int bind_choice_call(struct binder *b,
                     const struct expr *e,
                     const char *name,
                     struct bexpr **ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* The one column that JOIN … USING makes of two: the first that is not NULL (full), or one of
 * them, in the type of both. */
int bind_merge(struct binder *b,
               struct bexpr **pair,
               bool full,
               bool second,
               struct bexpr **ret,
               struct dn_err *err) DN_MUST_CHECK;
/* CASE WHEN cond THEN value END. */
int bind_when(struct binder *b,
              struct bexpr *cond,
              struct bexpr *value,
              struct bexpr **ret,
              struct dn_err *err) DN_MUST_CHECK;

/* An aggregate call; name is e->name in lower case (bind_group.c). */
int bind_aggregate(struct binder *b,
                   const struct expr *e,
                   const char *name,
                   struct bexpr **ret,
                   struct dn_err *err) DN_MUST_CHECK;

/* A sum that follows from other aggregates of its query (bind_shift.c); DN_NOT_FOUND: it is not of
 * that kind. */
int bind_sum_shifted(struct binder *b,
                     const struct expr *e,
                     const struct plan_agg *agg,
                     struct bexpr **ret,
                     struct dn_err *err) DN_MUST_CHECK;

struct bexpr *bind_new(struct binder *b,
                       enum bexpr_kind kind,
                       enum type_id type,
                       uint32_t pos); /* NULL: out of memory */
int bind_const(struct binder *b,
               const struct datum *d,
               uint32_t pos,
               struct bexpr **ret,
               struct dn_err *err) DN_MUST_CHECK;
bool bind_untyped_text(const struct bexpr *e); /* a quoted literal nobody has claimed */
bool bind_same(const struct bexpr *a, const struct bexpr *b);
bool bind_has_columns(const struct bexpr *e);
const char *bind_op_name(enum expr_op op);
enum expr_op bind_op_flip(enum expr_op op);   /* a op b = b flip(op) a */
enum expr_op bind_op_negate(enum expr_op op); /* not (a op b) = a negate(op) b */
/* Which comparison a bound call is; OP_MAX: none. */
enum expr_op bind_op_of(const struct bexpr *e);
/* x op d, x of an integer or time stamp type, with d brought down to that type and op changed to
 * mean the same. False: d is nothing to compare with such an x. */
bool bind_bring_down(enum type_id type, struct datum *d, enum expr_op *op);
/* Least and greatest value of an integer or time stamp type. */
int64_t bind_int_min(enum type_id type);
int64_t bind_int_max(enum type_id type);

/* Rewrites an expression over a query's FROM to one over its aggregation: what equals a key is that
 * key's variable. DN_E_GROUPING for any other column of this query. */
int bind_lift(struct binder *b, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;

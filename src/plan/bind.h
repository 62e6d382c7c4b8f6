/* SPDX-License-Identifier: Apache-2.0
 *
 * bind.h: inside of plan/: from syntax tree to bound expressions.
 *
 * Untyped things (quoted literals, parameters, NULL) have bexpr.type TYPE_NONE until something says
 * what they are: a quoted literal is a CONST whose value is VARCHAR, a parameter a PARAM. Whoever
 * uses an expression calls bind_coerce or bind_settle on it; nothing untyped but a bare NULL
 * leaves the binder.
 *
 * An aggregate call is bound to a COLUMN from BIND_AGG_BASE on; bind_lift turns those, and whole
 * group keys, into columns of the aggregate's result.
 *
 * One thread at a time. */
#pragma once

#include "plan/plan.h"

#define BIND_AGG_BASE 0x10000u /* COLUMN numbers from here on: aggregates */
#define BIND_COL_NONE UINT16_MAX

struct binder {
    const struct plan_env *env;
    const struct stmt *stmt;   /* NULL for value expressions */
    const struct table *table; /* NULL: no columns in sight */
    const char *table_name;    /* alias, or the name: what a qualifier must be */
    const char *clause;        /* "WHERE": for messages */
    bool aggs_allowed;         /* in this clause */
    bool in_agg;               /* inside an aggregate's argument */
    uint16_t *scan_cols;       /* store columns referred to, in order of appearance */
    uint32_t scan_cols_count;
    uint16_t *scan_pos;        /* store column -> place in scan_cols, or BIND_COL_NONE */
    enum type_id *param_types; /* of the statement; NULL with params_count 0 */
    uint32_t params_count;
    struct plan_agg *aggs; /* found so far, distinct ones only */
    uint32_t aggs_count;
    uint32_t aggs_cap;
};

int bind_expr(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A condition: BOOLEAN. */
int bind_bool(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* The place of a table column among the scan's. */
uint32_t bind_scan_col(struct binder *b, uint16_t table_col);
/* Column by name; -1 and err when there is none. */
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

/* Rewrites an expression over the scan to one over the aggregate's output: keys[i] is its column i,
 * aggregate n its column keys_count + n. DN_E_GROUPING for any other column. */
int bind_lift(struct binder *b,
              struct bexpr *e,
              struct bexpr *const *keys,
              uint32_t keys_count,
              struct bexpr **ret,
              struct dn_err *err) DN_MUST_CHECK;

/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_query.h: inside of plan/: subqueries in expressions, and rows of values. One thread at a
 * time. */
#pragma once

#include "plan/bind.h"
#include "plan/bind_rows.h"

/* Subqueries as values and conditions; IN, ANY and ALL with a query (bind_query.c). */
int bind_query_expr(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* e->a op e->b where one side is a row of values, or a subquery beside one. */
int bind_rows(struct binder *b,
              const struct expr *e,
              enum expr_op op,
              struct bexpr **ret,
              struct dn_err *err) DN_MUST_CHECK;
/* The same with both sides bound, value by value. */
struct bind_pairs {
    struct bexpr **l;
    struct bexpr **r;
    uint32_t count;
};
int bind_row_compare(struct binder *b,
                     enum expr_op op,
                     uint32_t pos,
                     const struct bind_pairs *pairs,
                     struct bexpr **ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* Does the tree read what a recursion around it has found, other rows in each step? (with.c) */
bool query_steps(const struct planner *q, const struct lnode *n);
bool bind_subs_push(struct arena *arena,
                    struct bind_subs *list,
                    const struct bind_sub *sub) DN_MUST_CHECK;
/* The joins of a clause's subqueries above its input. */
int bind_attach(struct binder *b,
                const struct bind_subs *subs,
                struct lnode **tree,
                struct dn_err *err) DN_MUST_CHECK;

/* Subqueries of an operand that is not always reached (bind_guard.c): those that the clause has
 * got since it had `from`. */
struct bind_reach {
    uint32_t from;
    const char *test;            /* "is null": must be true of each of before */
    struct bexpr *const *before; /* count of them, the first of every step */
    uint32_t count, step;
    struct bexpr *cond; /* must be true as well; NULL: none */
};
uint32_t bind_guard_from(struct binder *b);
int bind_guard(struct binder *b, const struct bind_reach *r, struct dn_err *err) DN_MUST_CHECK;
/* The join of a subquery, with its guard. */
int bind_guard_attach(struct binder *b,
                      const struct bind_sub *sub,
                      struct lnode *join,
                      struct dn_err *err) DN_MUST_CHECK;

/* A call by name (bind_call.c). */
/* Calls with names of arguments: f(1, b => 2). */
bool bind_has_names(const struct expr *e);
int bind_named(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_function(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A call of a function that returns rows: arguments bound and cast. */
int bind_rowfunc(struct binder *b,
                 const struct expr *e,
                 const char *name,
                 struct plan_function_call *ret,
                 struct dn_err *err) DN_MUST_CHECK;
enum type_id bind_rowfunc_type(const struct plan_function_call *c);
/* Calls of such functions are counted, so that a clause can tell that there was none in it. */
uint32_t bind_sets_seen(const struct binder *b);
int bind_sets_none(const struct binder *b, uint32_t seen, const char *where, struct dn_err *err)
    DN_MUST_CHECK;
/* x, the argument of AND or CASE, must be one value. */
int bind_not_set(const struct binder *b,
                 const struct bexpr *x,
                 const char *where,
                 uint32_t pos,
                 struct dn_err *err) DN_MUST_CHECK;
/* One outside of FROM: the column of its rows, which come side by side with the others. */
int select_rowfunc(struct binder *b,
                   const struct expr *e,
                   const char *name,
                   struct bexpr **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* The first that is not NULL of values of one type. */
int bind_coalesce(struct binder *b,
                  uint32_t pos,
                  struct bexpr *const *args,
                  uint32_t count,
                  struct bexpr **ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* An aggregate with its arguments, not yet noted with any query. */
int bind_aggregate_args(struct binder *b,
                        const struct expr *e,
                        const char *name,
                        struct plan_agg *ret,
                        struct dn_err *err) DN_MUST_CHECK;
/* Are these the same? Of arguments both may be NULL. */
bool bind_same_arg(const struct bexpr *a, const struct bexpr *b);
bool bind_same_agg(const struct plan_agg *a, const struct plan_agg *b);
/* f(…) OVER (…) (bind_window.c). */
int bind_window_call(struct binder *b,
                     const struct expr *e,
                     const char *name,
                     struct bexpr **ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* Windows of the WINDOW clause that no call has named: wrong is what would be wrong in use. */
int bind_windows_unused(struct binder *b, struct dn_err *err) DN_MUST_CHECK;
/* GROUPING(a, b). */
int bind_grouping(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A name as functions have it; NULL: out of memory. */
char *bind_lower_name(struct binder *b, const char *name);
/* ttl(column), expires_at(column) (bind_ttl.c). */
bool bind_is_ttl(const char *name);
int bind_ttl(struct binder *b,
             const struct expr *e,
             const char *name,
             struct bexpr **ret,
             struct dn_err *err) DN_MUST_CHECK;

/* rank(v) WITHIN GROUP (ORDER BY x) and its like (bind_hypothetical.c); 1: it is none. */
int bind_hypothetical(struct binder *b,
                      const struct expr *e,
                      const char *name,
                      struct bexpr **ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* The values of a row: (a, b), ROW(a, b), a subquery of one row, or one value. ret has room for
 * PLAN_COLS_ROW_MAX. */
int bind_row_values(struct binder *b,
                    const struct expr *e,
                    struct bexpr **ret,
                    uint32_t *ret_count,
                    struct dn_err *err) DN_MUST_CHECK;
/* The array with the value at a place: SET a[i] = value. */
int bind_field(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK; /* (a).name */
int bind_array_assign(struct binder *b,
                      struct bexpr *array,
                      const struct expr *place,
                      const struct expr *value,
                      struct bexpr **ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* ARRAY[…], a[i], op ANY (array); a cast to an array type (bind_array.c). */
int bind_array(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_array_cast(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A whole number as BIT(n), n of the parameters: its last bits. */
int bind_bits(struct binder *b,
              struct bexpr *x,
              struct type_mods mods,
              struct bexpr **ret,
              struct dn_err *err) DN_MUST_CHECK;
